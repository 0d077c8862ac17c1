/* SPDX-License-Identifier: MIT
 * plmxml_parts.c: what a PLM XML document says about a part, and the file in which its geometry is.
 *
 * Held by tests/unit/test_import_plmxml.c.
 */
#include <assert.h>
#include <string.h>
#include "model/properties.h"
#include "plmxml/plmxml.h"

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
        return xml_refuse(p->im, &p->xml, BVP_ERR_LIMIT, element,
                          "more than %d user values, or references; export fewer", VALUES_A_PART);
    if (++p->value_count > (by_size < VALUES_MOST ? by_size : VALUES_MOST))
        return xml_refuse(p->im, &p->xml, BVP_ERR_LIMIT, element,
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

/* ---- geometry ------------------------------------------------------------------------------ */

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
            if (location && !part_files_is_foreign(location))
                return e;
        }
    return XML_NONE;
}

bvp_status plmxml_place_part(plmxml *p, uint32_t part, uint32_t node, int is_below)
{
    int is_any;
    const uint32_t e = representation_of(p, part, &is_any);
    if (e == XML_NONE) {
        p->unread += is_any != 0;
        p->unplaced += !is_any && !is_below;
        return BVP_OK;
    }
    return part_files_place(&p->files, xml_attribute(&p->xml, e, "location"),
                            p->im->data + p->xml.elements[e].offset, node, is_below);
}
