/* SPDX-License-Identifier: MIT
 * bcf_xml.c: elements of the XML in a BCF archive.
 */
#include "bcf/bcf_xml.h"

#include "report/report_text.h"
#include "text/message.h"

const char bcf_declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

void bcf_element(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<%s>", name);
    report_xml(out, text);
    fprintf(out, "</%s>\n", name);
}

void bcf_vector(FILE *out, const char *name, const double v[3])
{
    char x[3][32];
    fprintf(out, "<%s><X>%s</X><Y>%s</Y><Z>%s</Z></%s>\n", name, shortest(v[0], x[0]),
            shortest(v[1], x[1]), shortest(v[2], x[2]), name);
}
