/* SPDX-License-Identifier: MIT
 * import_plmxml.c: the product structure of a PLM XML document (Siemens NX, Teamcenter), with the
 * part files that lie beside it.
 *
 * A part names the instances it is made of, an instance the part that it is one of. From the roots
 * on they are unfolded into the product tree, children in their order, on a stack of their own. A
 * part that contains itself never ends, so the tree's depth is bounded, and so is its size.
 *
 * Held by tests/unit/test_import_plmxml.c.
 * Spec: Siemens PLM XML Schema, elements InstanceGraph, ProductInstance, ProductRevisionView, Part;
 * lengths are metres
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/transform.h"
#include "plmxml/plmxml.h"
#include "structure/unfolding.h"
#include "text/text_scan.h"

/* ---- elements -------------------------------------------------------------------------------- */

bvp_status plmxml_reference(plmxml *p, uint32_t from, const char **list, uint32_t *out)
{
    char id[256];
    const char *at = *list + strspn(*list, " \t\r\n");
    at += *at == '#';
    const size_t size = strcspn(at, " \t\r\n");
    *out = XML_NONE;
    *list = at + size;
    if (size == 0)
        return BVP_OK;
    if (size < sizeof id) {
        memcpy(id, at, size);
        id[size] = '\0';
        *out = name_table_get(&p->ids, id);
    }
    if (*out != XML_NONE)
        return BVP_OK;
    return xml_refuse(p->im, &p->xml, BVP_ERR_CORRUPT, from,
                      "no element has the id \"%.*s\"; export the structure again",
                      size < 60 ? (int)size : 60, at);
}

static bvp_status note_ids(plmxml *p)
{
    for (uint32_t e = 0; e < p->xml.element_count; e++) {
        const char *id = xml_attribute(&p->xml, e, "id");
        uint32_t found = e;
        if (!id || !*id)
            continue;
        if (name_table_put(&p->ids, id, &found) != 0)
            return import_no_memory(p->im);
        if (found != e)
            return xml_refuse(p->im, &p->xml, BVP_ERR_CORRUPT, e,
                              "another element has the id \"%.60s\", too", id);
    }
    return BVP_OK;
}

/* <Transform>: 16 numbers by columns. */
static bvp_status placement_of(plmxml *p, uint32_t instance, double out[12])
{
    const uint32_t e = xml_child(&p->xml, instance, "Transform");
    double columns[16];
    int count = 0;
    if (e == XML_NONE)
        return BVP_OK; /* a new node is not moved */
    size_t size;
    const char *text = xml_content(&p->xml, e, p->im->data, &size);
    text_scan s = {text, text + size};
    for (number n; count < 16 && (scan_spaces(&s), scan_number(&s, &n)) && isfinite(n.value);)
        columns[count++] = n.value;
    scan_spaces(&s);
    if (count == 16 && s.at == s.end && transform_from_columns(columns, out) == 0)
        return BVP_OK;
    return xml_refuse(p->im, &p->xml, BVP_ERR_CORRUPT, e,
                      "expected 16 finite numbers, by columns, the last row being 0 0 0 1");
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Adds the elements of a list, so that the first one comes off first. */
static bvp_status pile_list(plmxml *p, pile *stack, uint32_t from, const char *list,
                            uint32_t parent, uint32_t depth)
{
    const size_t first = stack->count;
    bvp_status status = BVP_OK;
    for (uint32_t e = 0; list && status == BVP_OK && e != XML_NONE;) {
        status = plmxml_reference(p, from, &list, &e);
        if (status != BVP_OK || e == XML_NONE)
            break;
        status = pile_add(p->im, &p->xml, stack, (pending){e, parent, depth});
    }
    pile_turn(stack, first);
    return status;
}

/* The part of an instance; the element itself, if it is a part. */
static bvp_status part_of(plmxml *p, uint32_t element, int *is_instance, uint32_t *part)
{
    const char *name = xml_name(&p->xml, element), *reference;
    *is_instance = strcmp(name, "ProductInstance") == 0 || strcmp(name, "Instance") == 0;
    *part = element;
    if (!*is_instance)
        return BVP_OK;
    reference = xml_attribute(&p->xml, element, "partRef");
    if (!reference)
        reference = xml_attribute(&p->xml, element, "instancedRef");
    if (!reference)
        return xml_refuse(p->im, &p->xml, BVP_ERR_CORRUPT, element,
                          "expected \"partRef\" or \"instancedRef\"; export the structure again");
    return plmxml_reference(p, element, &reference, part);
}

static bvp_status unfold_one(plmxml *p, pile *stack, const pending *one)
{
    int is_instance;
    uint32_t part;
    bvp_status status = part_of(p, one->element, &is_instance, &part);
    if (status != BVP_OK || part == XML_NONE)
        return status;
    if (one->depth > UNFOLDED_DEPTH)
        return xml_refuse(p->im, &p->xml, BVP_ERR_LIMIT, one->element,
                          "more than %d levels; does a part contain itself?", UNFOLDED_DEPTH);
    status = unfolding_check(p->im, &p->xml, one->element, p->im->out->node_count);
    if (status != BVP_OK)
        return status;
    const char *name = xml_attribute(&p->xml, one->element, "name");
    if (!name || !*name)
        name = xml_attribute(&p->xml, part, "name");
    model_node *node = import_add_node(p->im);
    if (!node)
        return import_no_memory(p->im);
    const uint32_t number = p->im->out->node_count - 1;
    node->parent = one->parent;
    if (name && !(node->name = import_text(name, strlen(name))))
        return import_no_memory(p->im);
    if (is_instance)
        status = placement_of(p, one->element, node->placement);
    if (status == BVP_OK)
        status = plmxml_describe(p, is_instance ? one->element : XML_NONE, part, number);
    const size_t before = stack->count;
    if (status == BVP_OK)
        status = pile_list(p, stack, part, xml_attribute(&p->xml, part, "instanceRefs"), number,
                           one->depth + 1);
    return status == BVP_OK ? plmxml_place_part(p, part, number, stack->count > before) : status;
}

static bvp_status unfold(plmxml *p, uint32_t graph)
{
    pile stack = {0};
    const char *roots = xml_attribute(&p->xml, graph, "rootRefs");
    if (!roots)
        roots = xml_attribute(&p->xml, graph, "rootInstanceRef");
    bvp_status status =
        roots ? BVP_OK
              : xml_refuse(p->im, &p->xml, BVP_ERR_CORRUPT, graph,
                           "expected \"rootRefs\" or \"rootInstanceRef\"; export the whole "
                           "product structure");
    if (status == BVP_OK)
        status = pile_list(p, &stack, graph, roots, BVP_NONE, 0);
    while (status == BVP_OK && stack.count > 0) {
        const pending one = stack.items[--stack.count];
        status = unfold_one(p, &stack, &one);
        import_progress(p->im, p->im->out->node_count, p->im->out->node_count + stack.count);
    }
    free(stack.items);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bvp_status read_structure(plmxml *p)
{
    xml_fault fault;
    uint32_t graph = XML_NONE;
    if (xml_open(p->im->data, p->im->size, &p->xml, &fault) != BVP_OK)
        return import_refuse_line(p->im, fault.status, p->im->data + fault.offset, "%s",
                                  fault.text);
    if (strcmp(xml_name(&p->xml, 0), "PLMXML") != 0)
        return xml_refuse(p->im, &p->xml, BVP_ERR_NOT_OURS, 0,
                          "expected a PLM XML document: its root is <PLMXML>");
    bvp_status status = note_ids(p);
    for (uint32_t e = 0; status == BVP_OK && e < p->xml.element_count && graph == XML_NONE; e++)
        if (strcmp(xml_name(&p->xml, e), "InstanceGraph") == 0)
            graph = e;
    if (status != BVP_OK)
        return status;
    if (graph == XML_NONE)
        return xml_refuse(p->im, &p->xml, BVP_ERR_CORRUPT, 0,
                          "expected an <InstanceGraph>; export the product structure with it");
    status = unfold(p, graph);
    if (status == BVP_OK && p->im->out->mesh_count == 0)
        return xml_refuse(p->im, &p->xml, BVP_ERR_ARGUMENT, graph,
                          "none of its parts names a file that bvpack reads: JT and CAD files "
                          "are not; export parts as STEP, STL or glTF beside it");
    if (status == BVP_OK)
        status =
            import_warn(p->im, p->unread, "parts left out: their files are JT or of a CAD system");
    if (status == BVP_OK)
        status = import_warn(p->im, p->unplaced, "parts without instances and without geometry");
    if (status == BVP_OK)
        status = import_warn(p->im, p->files.unitless,
                             "part files without a unit taken to be in metres, PLM XML's unit");
    return status;
}

bvp_status import_plmxml(importer *im)
{
    plmxml p = {.im = im, .files = {.im = im}};
    if (im->options->is_nested)
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "is a PLM XML document, which only stands by itself; name models of "
                             "shapes");
    im->out->unit_in_metres = 1;
    if (!(im->out->format = import_text("PLM XML", 7)))
        return import_no_memory(im);
    const bvp_status status = read_structure(&p);
    part_files_free(&p.files);
    name_table_free(&p.ids);
    xml_close(&p.xml);
    return status;
}
