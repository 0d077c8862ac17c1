/* SPDX-License-Identifier: MIT
 * report_text.c: descriptions of a report's row in words, and names with everything harmful
 * escaped.
 */
#include "report/report_text.h"

#include <math.h>
#include <string.h>
#include "text/message.h"

/* XML 1.0 knows no control characters but three, and neither U+FFFE nor U+FFFF. */
static int is_xml(const char *data, size_t length)
{
    const unsigned char c = (unsigned char)data[0];
    if (length == 1)
        return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r';
    return length != 0 && !(length == 3 && c == 0xef && (unsigned char)data[1] == 0xbf &&
                            (unsigned char)data[2] >= 0xbe);
}

void report_xml(FILE *out, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        const size_t length = utf8_length(text + i, size - i);
        if (!is_xml(text + i, length))
            fputs("\xef\xbf\xbd", out);
        else if (text[i] == '<')
            fputs("&lt;", out);
        else if (text[i] == '>')
            fputs("&gt;", out);
        else if (text[i] == '&')
            fputs("&amp;", out);
        else if (text[i] == '"')
            fputs("&quot;", out);
        else
            fwrite(text + i, 1, length, out);
        i += length ? length : 1;
    }
}

const char *report_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* A name of blanks alone is no name. */
static int names(const char *text)
{
    return text[strspn(text, " \t\r\n")] != '\0';
}

const char *report_name(const clash_side *side)
{
    if (names(side->name))
        return side->name;
    if (names(side->part_number))
        return side->part_number;
    return names(side->path) ? report_base(side->path) : "unnamed";
}

const char *report_measure(const clash_run *run, const bvp_clash_pair *pair, char buffer[64])
{
    const char *blank = run->unit[0] ? " " : "";
    buffer[0] = '\0';
    if (pair->verdict == BVP_VERDICT_PENETRATING && isfinite(pair->depth))
        snprintf(buffer, 64, "%.4g%s%.16s deep", pair->depth, blank, run->unit);
    else if ((pair->verdict == BVP_VERDICT_WITHIN || pair->verdict == BVP_VERDICT_TOUCHING) &&
             pair->distance > 0 && isfinite(pair->distance))
        snprintf(buffer, 64, "%.4g%s%.16s apart", pair->distance, blank, run->unit);
    return buffer;
}
