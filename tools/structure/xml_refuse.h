/* SPDX-License-Identifier: MIT
 * xml_refuse.h: refuses a model that is an XML text, with the line and the name of an element.
 */
#ifndef XML_REFUSE_H
#define XML_REFUSE_H

#include "model/import.h"
#include "structure/xml.h"

/* "NAME:LINE: <ELEMENT>: MESSAGE"; returns status. */
bvp_status xml_refuse(importer *im, const xml_document *d, bvp_status status, uint32_t element,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
