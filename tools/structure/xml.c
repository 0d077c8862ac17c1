/* SPDX-License-Identifier: MIT
 * xml.c: reads an XML text into a table of elements: all that the program uses expat for.
 * Based on: W3C, Extensible Markup Language (XML) 1.0, fifth edition, 2008.
 */
#include "structure/xml.h"

#include <assert.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/import.h"
#include "text/array.h"

enum { DEPTH_MAX = 256, CHUNK = 1 << 16 };

typedef struct reading {
    XML_Parser parser;
    xml_document *out;
    xml_fault *fault;
    uint32_t open; /* the element under way */
    int depth;
    int keeps_text;
    char *leaf; /* character data of the element under way, as long as it has no children */
    size_t leaf_size, leaf_capacity;
} reading;

static void stop(reading *r, bvp_status status, const char *text)
{
    if (r->fault->status == BVP_OK) {
        r->fault->status = status;
        const XML_Index at = XML_GetCurrentByteIndex(r->parser);
        r->fault->offset = at > 0 ? (uint64_t)at : 0; /* negative before the first byte */
        snprintf(r->fault->text, sizeof r->fault->text, "%s", text);
    }
    XML_StopParser(r->parser, XML_FALSE);
}

static int add_bytes(xml_document *d, const char *bytes, size_t size)
{
    if (array_grow(&d->texts, &d->text_capacity, d->text_size + size, 1) != 0)
        return -1;
    if (size > 0)
        memcpy(d->texts + d->text_size, bytes, size);
    d->text_size += size;
    return 0;
}

static int add_text(xml_document *d, const char *text)
{
    return add_bytes(d, text, strlen(text) + 1);
}

static void on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    reading *r = user;
    xml_document *d = r->out;
    const uint32_t number = (uint32_t)d->element_count;
    if (++r->depth > DEPTH_MAX) {
        stop(r, BVP_ERR_LIMIT, "expected at most 256 elements within each other, found more");
        return;
    }
    int bad = number == XML_NONE || array_grow(&d->elements, &d->element_capacity,
                                               number + (size_t)1, sizeof *d->elements) != 0;
    if (!bad) {
        d->elements[d->element_count++] =
            (xml_element){.offset = (uint64_t)XML_GetCurrentByteIndex(r->parser),
                          .content = (uint64_t)XML_GetCurrentByteIndex(r->parser) +
                                     (uint64_t)XML_GetCurrentByteCount(r->parser),
                          .parent = r->open,
                          .next = XML_NONE,
                          .first = XML_NONE,
                          .last = XML_NONE,
                          .words = d->text_size,
                          .text = SIZE_MAX};
        if (r->open != XML_NONE) {
            xml_element *parent = &d->elements[r->open];
            if (parent->last == XML_NONE)
                parent->first = number;
            else
                d->elements[parent->last].next = number;
            parent->last = number;
        }
        bad = add_text(d, name);
    }
    for (; !bad && *attributes; attributes++)
        bad = add_text(d, *attributes);
    if (bad || add_text(d, "") != 0)
        stop(r, BVP_ERR_NO_MEMORY, "out of memory while reading");
    r->open = number;
    r->leaf_size = 0;
}

static void on_text(void *user, const XML_Char *text, int size)
{
    reading *r = user;
    const size_t more = (size_t)size;
    if (r->fault->status != BVP_OK || r->open == XML_NONE ||
        r->out->elements[r->open].first != XML_NONE)
        return;
    if (array_grow(&r->leaf, &r->leaf_capacity, r->leaf_size + more, 1) != 0) {
        stop(r, BVP_ERR_NO_MEMORY, "out of memory while reading");
        return;
    }
    memcpy(r->leaf + r->leaf_size, text, more);
    r->leaf_size += more;
}

static void on_end(void *user, const XML_Char *name)
{
    reading *r = user;
    (void)name;
    if (r->fault->status != BVP_OK)
        return; /* an empty element ends even when its beginning has stopped the parser */
    assert(r->depth > 0 && r->open < r->out->element_count);
    xml_element *e = &r->out->elements[r->open];
    e->end = (uint64_t)XML_GetCurrentByteIndex(r->parser);
    if (r->keeps_text && e->first == XML_NONE) {
        e->text = r->out->text_size;
        if (add_bytes(r->out, r->leaf, r->leaf_size) != 0 || add_text(r->out, "") != 0)
            stop(r, BVP_ERR_NO_MEMORY, "out of memory while reading");
    }
    r->depth--;
    r->open = r->out->elements[r->open].parent;
}

/* A few entities that refer to each other can expand to any size. */
static void on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
                      int size, const XML_Char *base, const XML_Char *system,
                      const XML_Char *public, const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)size, (void)base, (void)system;
    (void)public, (void)notation;
    stop(user, BVP_ERR_ARGUMENT,
         "expected no entities of the document's own, found a declaration; write them out");
}

static bvp_status read_document(const void *text, size_t size, int keeps_text, xml_document *out,
                                xml_fault *fault)
{
    reading r = {.out = out, .fault = fault, .open = XML_NONE, .keeps_text = keeps_text};
    *out = (xml_document){0};
    *fault = (xml_fault){.status = BVP_OK};
    r.parser = XML_ParserCreate(NULL);
    if (!r.parser) {
        *fault = (xml_fault){BVP_ERR_NO_MEMORY, 0, "out of memory while reading"};
        return fault->status;
    }
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_start, on_end);
    XML_SetEntityDeclHandler(r.parser, on_entity);
    if (keeps_text)
        XML_SetCharacterDataHandler(r.parser, on_text);
    for (size_t done = 0, some; done < size || size == 0; done += some) {
        some = size - done < CHUNK ? size - done : CHUNK;
        const int is_last = done + some == size;
        if (XML_Parse(r.parser, (const char *)text + done, (int)some, is_last) != XML_STATUS_OK) {
            char words[160];
            const enum XML_Error error = XML_GetErrorCode(r.parser);
            snprintf(words, sizeof words, "%s; repair the XML text, or get it again",
                     XML_ErrorString(error));
            stop(&r, error == XML_ERROR_NO_MEMORY ? BVP_ERR_NO_MEMORY : BVP_ERR_CORRUPT, words);
        }
        if (fault->status != BVP_OK || is_last)
            break;
    }
    XML_ParserFree(r.parser);
    free(r.leaf);
    return fault->status;
}

bvp_status xml_open(const void *text, size_t size, xml_document *out, xml_fault *fault)
{
    return read_document(text, size, 0, out, fault);
}

bvp_status xml_open_with_text(const void *text, size_t size, xml_document *out, xml_fault *fault)
{
    return read_document(text, size, 1, out, fault);
}

void xml_close(xml_document *d)
{
    free(d->elements);
    free(d->texts);
    *d = (xml_document){0};
}

/* ---- questions ------------------------------------------------------------------------------- */

const char *xml_name(const xml_document *d, uint32_t element)
{
    return d->texts + d->elements[element].words;
}

/* The words are a name, then pairs, then an empty word: no attribute's name is empty. */
const char *xml_attribute(const xml_document *d, uint32_t element, const char *name)
{
    const char *word = xml_name(d, element);
    for (word += strlen(word) + 1; *word;) {
        const char *value = word + strlen(word) + 1;
        if (strcmp(word, name) == 0)
            return value;
        word = value + strlen(value) + 1;
    }
    return NULL;
}

/* Of <a/> both begin at the same place. */
const char *xml_content(const xml_document *d, uint32_t element, const void *text, size_t *size)
{
    const xml_element *e = &d->elements[element];
    *size = e->end > e->content ? (size_t)(e->end - e->content) : 0;
    return (const char *)text + e->content;
}

const char *xml_text(const xml_document *d, uint32_t element)
{
    const size_t text = d->elements[element].text;
    return text == SIZE_MAX ? "" : d->texts + text;
}

static uint32_t find(const xml_document *d, uint32_t element, const char *name)
{
    while (element != XML_NONE && strcmp(xml_name(d, element), name) != 0)
        element = d->elements[element].next;
    return element;
}

uint32_t xml_child(const xml_document *d, uint32_t parent, const char *name)
{
    assert(parent < d->element_count);
    return find(d, d->elements[parent].first, name);
}

uint32_t xml_next(const xml_document *d, uint32_t element)
{
    return find(d, d->elements[element].next, xml_name(d, element));
}
