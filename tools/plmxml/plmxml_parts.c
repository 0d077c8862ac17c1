/* SPDX-License-Identifier: MIT
 * plmxml_parts.c: what a PLM XML document says about a part, and the file in which its geometry is.
 *
 * Held by tests/unit/test_import_plmxml.c.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "model/properties.h"
#include "model/transform.h"
#include "plmxml/plmxml.h"
#include "text/array.h"

/* ---- properties ------------------------------------------------------------------------------ */

static int has_property(const model_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->property_count; i++)
        if (strcmp(node->properties[i].key, key) == 0)
            return 1;
    return 0;
}

/* The first value of a key stays. */
static bvp_status add(plmxml *p, uint32_t node, const char *key, const char *value)
{
    model_node *to = &p->im->out->nodes[node];
    if (!value || !*value || !*key || has_property(to, key))
        return BVP_OK;
    return property_add(to, key, value, strlen(value)) == 0 ? BVP_OK : import_no_memory(p->im);
}

/* Each node of a part has copies of the part's values, and each value is held against those that
 * its node has, so a short text could take all memory, or for ever. */
enum { VALUES_A_PART = 512, VALUES_AN_ELEMENT = 4096, VALUES_MOST = 1 << 25 };

static bvp_status count_value(plmxml *p, uint32_t element, uint32_t own)
{
    const uint64_t by_size = (uint64_t)p->xml.element_count * VALUES_AN_ELEMENT;
    if (own > VALUES_A_PART)
        return plmxml_refuse(p, BVP_ERR_LIMIT, element,
                             "more than %d user values, or references; export fewer",
                             VALUES_A_PART);
    if (++p->value_count > (by_size < VALUES_MOST ? by_size : VALUES_MOST))
        return plmxml_refuse(
            p, BVP_ERR_LIMIT, element,
            "the tree has too many user values: parts with many of them are in too "
            "many places; export fewer");
    return BVP_OK;
}

static bvp_status add_user_values(plmxml *p, uint32_t element, uint32_t node)
{
    bvp_status status = BVP_OK;
    uint32_t own = 0;
    for (uint32_t data = xml_child(&p->xml, element, "UserData");
         data != XML_NONE && status == BVP_OK; data = xml_next(&p->xml, data))
        for (uint32_t e = xml_child(&p->xml, data, "UserValue"); e != XML_NONE && status == BVP_OK;
             e = xml_next(&p->xml, e)) {
            const char *title = xml_attribute(&p->xml, e, "title");
            status = count_value(p, element, ++own);
            if (status == BVP_OK)
                status = add(p, node, title ? title : "", xml_attribute(&p->xml, e, "value"));
        }
    return status;
}

/* Of each element of a list of references one attribute, as the property `key`; the first one that
 * has it. */
static bvp_status add_referred(plmxml *p, uint32_t from, const char *list, const char *attribute,
                               const char *key, uint32_t node, uint32_t *referred)
{
    bvp_status status = BVP_OK;
    uint32_t own = 0;
    *referred = XML_NONE;
    for (uint32_t e = 0; list && status == BVP_OK && e != XML_NONE;) {
        status = plmxml_reference(p, from, &list, &e);
        if (status != BVP_OK || e == XML_NONE)
            break;
        *referred = *referred == XML_NONE ? e : *referred;
        status = count_value(p, from, ++own);
        if (status == BVP_OK)
            status = add(p, node, key, xml_attribute(&p->xml, e, attribute));
    }
    return status;
}

bvp_status plmxml_describe(plmxml *p, uint32_t instance, uint32_t part, uint32_t node)
{
    const uint32_t both[2] = {instance, part};
    bvp_status status = BVP_OK;
    for (int k = 0; k < 2 && status == BVP_OK; k++) {
        uint32_t unused;
        if (both[k] == XML_NONE)
            continue;
        status = add_referred(p, both[k], xml_attribute(&p->xml, both[k], "effectivityRefs"),
                              "name", "effectivity", node, &unused);
        if (status == BVP_OK)
            status = add_user_values(p, both[k], node);
    }
    /* a view of a revision of a product */
    uint32_t revision = XML_NONE, product = XML_NONE;
    if (status == BVP_OK)
        status = add_referred(p, part, xml_attribute(&p->xml, part, "revisionRef"), "revision",
                              "revision", node, &revision);
    if (status == BVP_OK && revision != XML_NONE)
        status = add_referred(p, revision, xml_attribute(&p->xml, revision, "masterRef"),
                              "productId", "part_number", node, &product);
    return status;
}

/* ---- geometry -------------------------------------------------------------------------------- */

/* Files of formats that bvpack has no reader for. */
static int is_foreign(const char *path)
{
    static const char *const endings[] = {
        "jt",         "prt", "asm",     "x_t", "x_b", "xmt_txt", "sldprt", "sldasm",
        "catproduct", "cgr", "catpart", "par", "psm", "ipt",     "iam",    "plmxml"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot + 1, endings[i]) == 0)
            return 1;
    return !dot;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, c | 0x20);
    return c != '\0' && at ? (int)(at - digits) : -1;
}

/* A location is a URI, or a path as Windows writes it: as a path with slashes, to be freed. */
static char *path_of(const char *location)
{
    char *path = strdup(location), *to = path;
    for (const char *from = location; path && *from; from++) {
        const int high = *from == '%' ? hex_digit(from[1]) : -1;
        const int low = high >= 0 ? hex_digit(from[2]) : -1;
        *to = *from == '\\' ? '/' : *from;
        if (low >= 0 && 16 * high + low != 0) {
            *to = (char)(16 * high + low);
            from += 2;
        }
        to++;
    }
    if (path)
        *to = '\0';
    return path;
}

/* The representation of a part that can be read: of several the first. */
static uint32_t representation_of(plmxml *p, uint32_t part, int *is_any)
{
    static const char *const names[] = {"Representation", "CompoundRep"};
    *is_any = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint32_t e = xml_child(&p->xml, part, names[i]); e != XML_NONE;
             e = xml_next(&p->xml, e)) {
            const char *location = xml_attribute(&p->xml, e, "location");
            *is_any = 1;
            if (location && !is_foreign(location))
                return e;
        }
    return XML_NONE;
}

static bvp_status read_file(plmxml *p, uint32_t e, const char *path, submodel **out)
{
    const char *dir = p->im->dir ? p->im->dir : p->im->options->pipe_dir;
    uint32_t number = (uint32_t)p->file_count;
    const char *plain = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (name_table_put(&p->paths, plain, &number) != 0)
        return import_no_memory(p->im);
    if (number == p->file_count) {
        if (array_grow(&p->files, &p->file_capacity, p->file_count + 1, sizeof *p->files) != 0)
            return import_no_memory(p->im);
        const bvp_status status =
            submodel_read(p->im, dir, plain, NULL, p->im->data + p->xml.elements[e].offset,
                          &p->files[p->file_count]);
        if (status != BVP_OK)
            return status;
        p->unitless += p->files[p->file_count].unit_in_metres == 0;
        p->file_count++;
    }
    *out = &p->files[number];
    return BVP_OK;
}

bvp_status plmxml_place_part(plmxml *p, uint32_t part, uint32_t node, int is_below)
{
    submodel *file = NULL;
    int is_any;
    const uint32_t e = representation_of(p, part, &is_any);
    if (e == XML_NONE) {
        p->unread += is_any != 0;
        p->unplaced += !is_any && !is_below;
        return BVP_OK;
    }
    char *path = path_of(xml_attribute(&p->xml, e, "location"));
    if (!path)
        return import_no_memory(p->im);
    bvp_status status = read_file(p, e, path, &file);
    free(path);
    if (status != BVP_OK)
        return status;
    const double unit = file->unit_in_metres > 0 ? file->unit_in_metres : 1;
    if (file->tolerance * unit > p->im->out->tolerance)
        p->im->out->tolerance = file->tolerance * unit;
    if (is_below) { /* what hangs on the node is not scaled */
        model_node *below = import_add_node(p->im);
        if (!below)
            return import_no_memory(p->im);
        const char *name = p->im->out->nodes[node].name;
        below->parent = node;
        below->name = name ? import_text(name, strlen(name)) : NULL;
        if (name && !below->name)
            return import_no_memory(p->im);
        node = p->im->out->node_count - 1;
    }
    transform_scale(p->im->out->nodes[node].placement, (double[]){unit, unit, unit});
    return submodel_place(p->im, file, node, p->im->data + p->xml.elements[e].offset);
}
