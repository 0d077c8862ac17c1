/* SPDX-License-Identifier: MIT
 * ap242_parts.c: what an AP242 domain model says about a part, and the file in which its geometry
 * is.
 *
 * Held by tests/unit/test_import_ap242.c.
 */
#include <stdlib.h>
#include <string.h>
#include "ap242/ap242.h"
#include "model/properties.h"

/* ---- properties ------------------------------------------------------------------------------ */

/* Each node of a part has copies of the part's values, each value is held against those that its
 * node has, and to find them each node looks at what is in the part, so a short text could take all
 * memory, or for ever. */
enum { VALUES_A_NODE = 512, VISITS_AN_ELEMENT = 1 << 16, VISITS_MOST = 1 << 27 };

static bvp_status visit(ap242 *a, uint32_t element)
{
    const uint64_t by_size = (uint64_t)a->xml.element_count * VISITS_AN_ELEMENT;
    if (++a->visits <= (by_size < VISITS_MOST ? by_size : VISITS_MOST))
        return BVP_OK;
    return xml_refuse(a->im, &a->xml, BVP_ERR_LIMIT, element,
                      "the tree has too many property values: parts with many of them are in too "
                      "many places; export fewer");
}

static int has_property(const model_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->property_count; i++)
        if (strcmp(node->properties[i].key, key) == 0)
            return 1;
    return 0;
}

/* The first value of a key stays. Takes the texts, either of which may be NULL. */
static bvp_status take(ap242 *a, uint32_t element, uint32_t node, char *key, char *value)
{
    model_node *to = &a->im->out->nodes[node];
    bvp_status status = BVP_OK;
    if (to->property_count >= VALUES_A_NODE)
        status = xml_refuse(a->im, &a->xml, BVP_ERR_LIMIT, element,
                            "more than %d property values; export fewer", VALUES_A_NODE);
    else if (key && value && strncmp(key, "bvpack_", 7) != 0 && !has_property(to, key) &&
             property_add(to, key, value, strlen(value)) != 0)
        status = import_no_memory(a->im);
    free(key);
    free(value);
    return status;
}

static bvp_status take_label(ap242 *a, uint32_t element, const char *label, const char *key,
                             uint32_t node)
{
    char *value = NULL, *copy = strdup(key);
    if (!copy || ap242_label(a, element, label, &value) != 0) {
        free(copy);
        free(value);
        return import_no_memory(a->im);
    }
    return take(a, element, node, copy, value);
}

/* The part's name, where the node has another. */
static bvp_status take_product(ap242 *a, uint32_t part, uint32_t node)
{
    const char *name = a->im->out->nodes[node].name;
    char *value;
    if (ap242_label(a, part, "Name", &value) != 0)
        return import_no_memory(a->im);
    const int is_same = value && name && strcmp(value, name) == 0;
    free(value);
    return is_same ? BVP_OK : take_label(a, part, "Name", "product", node);
}

enum { LOOKED_AT = 64 }; /* elements of a name, for a definition */

/* <PropertyValue>: what it is called, by itself or by its definition, and its value. */
static bvp_status take_value(ap242 *a, uint32_t element, uint32_t node)
{
    static const char *const names[] = {"Name", "Definition"};
    static const char *const values[] = {"Value", "ValueComponent", "StringValue", "Text"};
    char *key = NULL, *value = NULL;
    int bad = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !key && !bad; i++) {
        const uint32_t e = xml_child(&a->xml, element, names[i]);
        int left = LOOKED_AT;
        for (uint32_t in = e; in != XML_NONE && !key && !bad && left-- > 0;
             in = ap242_within(a, e, in)) {
            const uint32_t definition = ap242_referent(a, in);
            if (definition == XML_NONE)
                continue;
            bad = ap242_label(a, definition, "Name", &key) != 0 ||
                  (!key && ap242_label(a, definition, "Id", &key) != 0);
        }
        if (e != XML_NONE && !key && !bad)
            bad = ap242_text(a, e, &key) != 0;
    }
    for (size_t i = 0; i < sizeof values / sizeof *values && !value && !bad; i++) {
        const uint32_t e = xml_child(&a->xml, element, values[i]);
        if (e != XML_NONE)
            bad = ap242_text(a, e, &value) != 0;
    }
    if (!bad)
        return take(a, element, node, key, value);
    free(key);
    free(value);
    return import_no_memory(a->im);
}

/* The values that are assigned to the element itself, and its effectivity. */
static bvp_status take_own(ap242 *a, uint32_t element, uint32_t node)
{
    bvp_status status = BVP_OK;
    for (uint32_t e = a->xml.elements[element].first; e != XML_NONE && status == BVP_OK;
         e = a->xml.elements[e].next) {
        status = visit(a, e);
        if (status != BVP_OK)
            break;
        const int is_effectivity = ap242_is(a, e, "EffectivityAssignment");
        if (!is_effectivity && !ap242_is(a, e, "PropertyValueAssignment"))
            continue;
        for (uint32_t in = e; in != XML_NONE && status == BVP_OK; in = ap242_within(a, e, in)) {
            status = visit(a, in);
            if (status != BVP_OK)
                break;
            if (!is_effectivity && strcmp(ap242_name(a, in), "PropertyValue") == 0)
                status = take_value(a, in, node);
            const uint32_t named = is_effectivity ? ap242_referent(a, in) : XML_NONE;
            if (named != XML_NONE)
                status = take_label(a, named, "Id", "effectivity", node);
        }
    }
    return status;
}

bvp_status ap242_describe(ap242 *a, uint32_t relation, uint32_t occurrence, uint32_t view,
                          uint32_t node)
{
    const uint32_t version = ap242_above(a, view, "PartVersion"),
                   part = ap242_above(a, view, "Part");
    const uint32_t all[] = {relation, occurrence, view, version, part};
    bvp_status status = part != XML_NONE ? take_label(a, part, "Id", "part_number", node) : BVP_OK;
    if (status == BVP_OK && version != XML_NONE)
        status = take_label(a, version, "Id", "revision", node);
    if (status == BVP_OK && part != XML_NONE)
        status = take_product(a, part, node);
    for (size_t i = 0; i < sizeof all / sizeof *all && status == BVP_OK; i++)
        if (all[i] != XML_NONE)
            status = take_own(a, all[i], node);
    return status;
}

/* ---- geometry -------------------------------------------------------------------------------- */

/* Where a <File> lies: the id of its <ExternalItem>, or its own. */
static int location_of(const ap242 *a, uint32_t file, char **out)
{
    *out = NULL;
    for (uint32_t e = file; e != XML_NONE && !*out; e = ap242_within(a, file, e))
        if (strcmp(ap242_name(a, e), "ExternalItem") == 0 && ap242_label(a, e, "Id", out) != 0)
            return -1;
    return *out ? 0 : ap242_label(a, file, "Id", out);
}

static int is_file(const ap242 *a, uint32_t element)
{
    return xml_attribute(&a->xml, element, "uid") &&
           (ap242_is(a, element, "File") || ap242_is(a, element, "DigitalFile"));
}

/* Elements that are looked at for a view's file: a few that name each other are any number of ways.
 */
enum { STEPS_MOST = 4096, DEPTH_MOST = 4 /* assignment, document, its definition, file */ };

/* Looks for the file that `element` is, names, or names something that names. */
static int find_file(const ap242 *a, uint32_t element, int depth, int *steps, ap242_geometry *out)
{
    if (is_file(a, element)) {
        char *found;
        if (location_of(a, element, &found) != 0)
            return -1;
        out->is_any |= found != NULL;
        if (found && !part_files_is_foreign(found)) {
            out->file = element;
            out->location = found;
        } else {
            free(found);
        }
        return 0;
    }
    for (uint32_t e = element; e != XML_NONE && !out->location && depth < DEPTH_MOST;
         e = ap242_within(a, element, e)) {
        const uint32_t named = ap242_referent(a, e);
        if (--*steps <= 0)
            return 0;
        if (named != XML_NONE && find_file(a, named, depth + 1, steps, out) != 0)
            return -1;
    }
    return 0;
}

/* Of the files that define the view's geometry, or of documents that are assigned to the view, its
 * version or its part. */
const ap242_geometry *ap242_geometry_of(ap242 *a, uint32_t view)
{
    ap242_geometry *out = &a->geometry[view];
    const uint32_t from[] = {view, ap242_above(a, view, "PartVersion"),
                             ap242_above(a, view, "Part")};
    int steps = STEPS_MOST;
    if (out->is_known)
        return out;
    out->is_known = 1;
    for (size_t i = 0; i < sizeof from / sizeof *from && !out->location; i++)
        for (uint32_t e = from[i] != XML_NONE ? a->xml.elements[from[i]].first : XML_NONE;
             e != XML_NONE && !out->location; e = a->xml.elements[e].next)
            if ((ap242_is(a, e, "DefiningGeometry") || ap242_is(a, e, "DocumentAssignment")) &&
                find_file(a, e, 0, &steps, out) != 0)
                return NULL;
    return out;
}

bvp_status ap242_place_view(ap242 *a, uint32_t view, uint32_t node, int is_below)
{
    const ap242_geometry *where = ap242_geometry_of(a, view);
    if (!where)
        return import_no_memory(a->im);
    if (where->location)
        return part_files_place(&a->files, where->location,
                                a->im->data + a->xml.elements[where->file].offset, node, is_below);
    a->unread += where->is_any;
    a->unplaced += !where->is_any && !is_below;
    return BVP_OK;
}
