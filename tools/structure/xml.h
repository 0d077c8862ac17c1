/* SPDX-License-Identifier: MIT
 * xml.h: reads an XML text into a table of elements; character data stay where they are, or are
 * kept.
 */
#ifndef XML_H
#define XML_H

#include <stddef.h>
#include <stdint.h>
#include "bvpack.h"

/* Elements by number, in the order of their beginning; XML_NONE: there is none. */
#define XML_NONE UINT32_MAX

typedef struct xml_element {
    uint64_t offset;                    /* where it begins in the text */
    uint64_t content, end;              /* where its tag ends, and where what is in it does */
    uint32_t parent, next, first, last; /* parent, sibling and children, or XML_NONE */
    size_t words;                       /* in `texts`: name, then attribute, value ..., "" */
    size_t text;                        /* in `texts`: its character data, if they are kept */
} xml_element;

typedef struct xml_document {
    xml_element *elements;
    char *texts;
    size_t element_count, element_capacity, text_size, text_capacity;
} xml_document;

typedef struct xml_fault {
    bvp_status status;
    uint64_t offset;
    char text[160];
} xml_fault;

/* Without entities of its own, at most 256 levels deep. Closed by the caller in any case. */
bvp_status xml_open(const void *text, size_t size, xml_document *out, xml_fault *fault);
/* The same, and keeps the character data of elements without children. */
bvp_status xml_open_with_text(const void *text, size_t size, xml_document *out, xml_fault *fault);
void xml_close(xml_document *d);

const char *xml_name(const xml_document *d, uint32_t element);
/* NULL when the element does not have it. */
const char *xml_attribute(const xml_document *d, uint32_t element, const char *name);
/* What is between an element's tags, as it stands in the text that was read: markup, too. Without
 * children that is character data, in which entities are not resolved. */
const char *xml_content(const xml_document *d, uint32_t element, const void *text, size_t *size);
/* Its character data in UTF-8, entities resolved, if they were kept and it has no children; else
 * "".
 */
const char *xml_text(const xml_document *d, uint32_t element);
/* The first child of that name; the next sibling of the same name. */
uint32_t xml_child(const xml_document *d, uint32_t parent, const char *name);
uint32_t xml_next(const xml_document *d, uint32_t element);

#endif
