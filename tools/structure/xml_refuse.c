/* SPDX-License-Identifier: MIT
 * xml_refuse.c: refuses a model that is an XML text.
 */
#include "structure/xml_refuse.h"

#include <stdarg.h>
#include <stdio.h>

bvp_status xml_refuse(importer *im, const xml_document *d, bvp_status status, uint32_t element,
                      const char *format, ...)
{
    char text[220];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return import_refuse_line(im, status, im->data + d->elements[element].offset, "<%.24s>: %s",
                              xml_name(d, element), text);
}
