/* SPDX-License-Identifier: MIT
 * ap242_text.c: names, references, texts and numbers of an AP242 domain model.
 *
 * Held by tests/unit/test_import_ap242.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ap242/ap242.h"
#include "text/text_scan.h"

static const char *without_prefix(const char *name)
{
    const char *colon = name ? strrchr(name, ':') : NULL;
    return colon ? colon + 1 : name ? name : "";
}

const char *ap242_name(const ap242 *a, uint32_t element)
{
    return without_prefix(xml_name(&a->xml, element));
}

const char *ap242_type(const ap242 *a, uint32_t element)
{
    return without_prefix(xml_attribute(&a->xml, element, "xsi:type"));
}

int ap242_is(const ap242 *a, uint32_t element, const char *name)
{
    return strcmp(ap242_name(a, element), name) == 0 || strcmp(ap242_type(a, element), name) == 0;
}

/* Elements are numbered in the order of their beginning, so those in one follow it. */
uint32_t ap242_within(const ap242 *a, uint32_t root, uint32_t last)
{
    const uint32_t next = last + 1;
    return next < a->xml.element_count && a->xml.elements[next].offset < a->xml.elements[root].end
               ? next
               : XML_NONE;
}

uint32_t ap242_above(const ap242 *a, uint32_t element, const char *name)
{
    do
        element = a->xml.elements[element].parent;
    while (element != XML_NONE && strcmp(ap242_name(a, element), name) != 0);
    return element;
}

uint32_t ap242_referent(const ap242 *a, uint32_t element)
{
    const char *uid = xml_attribute(&a->xml, element, "uidRef");
    return uid ? name_table_get(&a->ids, uid) : XML_NONE;
}

bvp_status ap242_reference(ap242 *a, uint32_t element, uint32_t *out)
{
    const char *uid = xml_attribute(&a->xml, element, "uidRef");
    *out = ap242_referent(a, element);
    if (*out != XML_NONE)
        return BVP_OK;
    return xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, element,
                      uid ? "no element has the uid \"%.60s\"; export the structure again"
                          : "expected a uidRef%.0s; export the structure again",
                      uid ? uid : "");
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A character reference or entity at `from`, in front of `end`, as UTF-8 at *to; how long it is, 0:
 * it is none. */
static size_t take_entity(const char *from, const char *end, char **to)
{
    static const struct {
        const char *text;
        char character;
    } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    const size_t left = (size_t)(end - from);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t size = strlen(known[i].text);
        if (left >= size && memcmp(from, known[i].text, size) == 0) {
            *(*to)++ = known[i].character;
            return size;
        }
    }
    const char *semicolon = memchr(from, ';', left < 12 ? left : 12);
    if (left < 4 || from[1] != '#' || !semicolon)
        return 0;
    const int is_hex = from[2] == 'x';
    const unsigned long code = strtoul(from + 2 + is_hex, NULL, is_hex ? 16 : 10);
    char *out = *to; /* no longer than the reference */
    if (code == 0 || code > 0x10ffff)
        return 0;
    if (code < 0x80) {
        *out++ = (char)code;
    } else {
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
        *out++ = (char)(first[more] | code >> (6 * more));
        for (int i = more - 1; i >= 0; i--)
            *out++ = (char)(0x80 | (code >> (6 * i) & 0x3f));
    }
    *to = out;
    return (size_t)(semicolon + 1 - from);
}

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Elements that are looked at for a text: it is asked for at every node, and what is deeper in is
 * no name. */
enum { LOOKED_AT = 64 };

int ap242_text(const ap242 *a, uint32_t element, char **out)
{
    int left = LOOKED_AT;
    *out = NULL;
    for (uint32_t e = element; e != XML_NONE && left-- > 0; e = ap242_within(a, element, e)) {
        size_t size;
        if (a->xml.elements[e].first != XML_NONE)
            continue;
        const char *text = xml_content(&a->xml, e, a->im->data, &size), *end = text + size;
        while (text < end && is_space(*text))
            text++;
        while (end > text && is_space(end[-1]))
            end--;
        if (text == end || memchr(text, '<', (size_t)(end - text)))
            continue; /* a comment or CDATA */
        char *to = malloc((size_t)(end - text) + 1);
        *out = to;
        if (!to)
            return -1;
        while (text < end) {
            const size_t taken = *text == '&' ? take_entity(text, end, &to) : 0;
            if (taken == 0)
                *to++ = *text;
            text += taken > 0 ? taken : 1;
        }
        *to = '\0';
        return 0;
    }
    return 0;
}

static int copy(const char *text, char **out)
{
    *out = text && *text ? strdup(text) : NULL;
    return text && *text && !*out ? -1 : 0;
}

int ap242_label(const ap242 *a, uint32_t element, const char *key, char **out)
{
    *out = NULL;
    const uint32_t child = xml_child(&a->xml, element, key);
    int left = LOOKED_AT;
    if (child == XML_NONE)
        return 0;
    for (uint32_t e = child; e != XML_NONE && left-- > 0; e = ap242_within(a, child, e)) {
        const char *id = xml_attribute(&a->xml, e, "id");
        if (id && *id)
            return copy(id, out);
    }
    return ap242_text(a, child, out);
}

bvp_status ap242_numbers(ap242 *a, uint32_t element, int count, double *out)
{
    size_t size;
    int found = 0;
    const char *text = xml_content(&a->xml, element, a->im->data, &size);
    text_scan s = {text, text + size};
    for (number n; found < count && (scan_spaces(&s), scan_number(&s, &n)) && isfinite(n.value);)
        out[found++] = n.value;
    scan_spaces(&s);
    if (found == count && s.at == s.end)
        return BVP_OK;
    return xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, element,
                      "expected %d finite numbers; export the structure again", count);
}
