/* SPDX-License-Identifier: MIT
 * import_ap242.c: the product structure of an AP242 domain model in XML (ISO 10303-4442), with the
 * part files that lie beside it.
 *
 * A part has versions, a version views. In a view lie its occurrences, and, of an assembly, the
 * relations that place occurrences of other views in it. From the views on that no assembly has an
 * occurrence of, all is unfolded into the product tree, relations in their order, on a stack of
 * their own. A part that contains itself never ends, so the tree's depth is bounded, and so is its
 * size.
 *
 * Held by tests/unit/test_import_ap242.c.
 * Spec: ISO/TS 10303-4442; MBx-IF, Recommended Practices for AP242 Domain Model XML Product &
 * Assembly Structure
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ap242/ap242.h"
#include "model/transform.h"
#include "structure/unfolding.h"

static bvp_status note_ids(ap242 *a)
{
    for (uint32_t e = 0; e < a->xml.element_count; e++) {
        const char *uid = xml_attribute(&a->xml, e, "uid");
        uint32_t found = e;
        if (!uid || !*uid)
            continue;
        if (name_table_put(&a->ids, uid, &found) != 0)
            return import_no_memory(a->im);
        if (found != e)
            return xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, e,
                              "another element has the uid \"%.60s\", too", uid);
    }
    return BVP_OK;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Metres in a <Unit> of lengths, 0: it is of something else, or of a length that is not known. */
static int metres_of(const ap242 *a, uint32_t unit, double *out)
{
    static const struct {
        const char *name;
        double metres;
    } names[] = {{"metre", 1},         {"meter", 1}, {"inch", .0254},     {"foot", .3048},
                 {"mm", .001},         {"m", 1},     {"in", .0254},       {"ft", .3048},
                 {"millimetre", .001}, {"cm", .01},  {"millimeter", .001}},
      prefixes[] = {{"milli", .001}, {"centi", .01}, {"deci", .1}, {"micro", 1e-6}, {"kilo", 1e3}};
    char *texts[3] = {NULL, NULL, NULL};
    static const char *const keys[3] = {"Quantity", "Name", "Prefix"};
    int bad = 0;
    *out = 0;
    for (int i = 0; i < 3 && !bad; i++) {
        const uint32_t e = xml_child(&a->xml, unit, keys[i]);
        bad = e != XML_NONE && ap242_text(a, e, &texts[i]) != 0;
    }
    if (!bad && texts[0] && texts[1] && strcmp(texts[0], "length") == 0) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(texts[1], names[i].name) == 0)
                *out = names[i].metres;
        for (size_t i = 0; texts[2] && i < sizeof prefixes / sizeof *prefixes; i++)
            if (strcmp(texts[2], prefixes[i].name) == 0)
                *out *= prefixes[i].metres;
    }
    for (int i = 0; i < 3; i++)
        free(texts[i]);
    return bad ? -1 : 0;
}

/* All lengths of a document are in one unit; without one, in millimetres. */
static bvp_status find_unit(ap242 *a)
{
    double unit = 0;
    uint32_t first = XML_NONE;
    for (uint32_t e = 0; e < a->xml.element_count; e++) {
        double metres;
        if (strcmp(ap242_name(a, e), "Unit") != 0 || a->xml.elements[e].first == XML_NONE)
            continue;
        if (metres_of(a, e, &metres) != 0)
            return import_no_memory(a->im);
        if (metres > 0 && unit > 0 && metres != unit)
            return xml_refuse(a->im, &a->xml, BVP_ERR_ARGUMENT, e,
                              "a second unit of length, beside that of <%.24s>; export all in one",
                              xml_name(&a->xml, first));
        if (metres > 0) {
            unit = metres;
            first = e;
        }
    }
    a->im->out->unit_in_metres = unit > 0 ? unit : .001;
    return unit > 0 ? BVP_OK
                    : import_warn(a->im, 1, "structure without a unit of length, read in mm");
}

/* ---- placements ------------------------------------------------------------------------------ */

/* Its child of that name, or what that refers to. */
static bvp_status find_part(ap242 *a, uint32_t from, const char *name, uint32_t *out)
{
    const uint32_t child = xml_child(&a->xml, from, name);
    *out = child;
    if (child != XML_NONE && xml_attribute(&a->xml, child, "uidRef"))
        return ap242_reference(a, child, out);
    return BVP_OK;
}

/* <RotationMatrix>: where the x, y and z axis go, one after another; <TranslationVector>. */
static bvp_status read_transformation(ap242 *a, uint32_t e, double out[12])
{
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, move[3] = {0, 0, 0};
    const uint32_t matrix = xml_child(&a->xml, e, "RotationMatrix");
    const uint32_t vector = xml_child(&a->xml, e, "TranslationVector");
    bvp_status status = matrix != XML_NONE ? ap242_numbers(a, matrix, 9, turn) : BVP_OK;
    if (status == BVP_OK && vector != XML_NONE)
        status = ap242_numbers(a, vector, 3, move);
    if (status == BVP_OK && matrix == XML_NONE && vector == XML_NONE)
        status = xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, e,
                            "expected a <RotationMatrix> or <TranslationVector>");
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            out[4 * row + column] = turn[3 * column + row];
        out[4 * row + 3] = move[row];
    }
    return status;
}

static int normalise(double v[3])
{
    const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= size;
    return size > 0 && isfinite(size) ? 0 : -1;
}

/* <Position>, <Axis> (z) and <RefDirection>, near which x is. */
static bvp_status read_axes(ap242 *a, uint32_t e, double out[12])
{
    double at[3] = {0, 0, 0}, z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
    static const char *const names[3] = {"Position", "Axis", "RefDirection"};
    double *const values[3] = {at, z, x};
    bvp_status status = BVP_OK;
    for (int i = 0; i < 3 && status == BVP_OK; i++) {
        const uint32_t child = xml_child(&a->xml, e, names[i]);
        if (child != XML_NONE)
            status = ap242_numbers(a, child, 3, values[i]);
        else if (i == 0)
            status = xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, e, "expected a <Position>");
    }
    if (status != BVP_OK)
        return status;
    int bad = normalise(z) != 0;
    const double along = x[0] * z[0] + x[1] * z[1] + x[2] * z[2];
    for (int i = 0; i < 3; i++)
        x[i] -= along * z[i];
    bad |= normalise(x) != 0;
    if (bad)
        return xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, e,
                          "its axis and direction make no system of axes");
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[4 * i] = x[i];
        out[4 * i + 1] = z[j] * x[k] - z[k] * x[j];
        out[4 * i + 2] = z[i];
        out[4 * i + 3] = at[i];
    }
    return BVP_OK;
}

static bvp_status placement_of(ap242 *a, uint32_t relation, double out[12])
{
    uint32_t placement, e;
    bvp_status status = find_part(a, relation, "Placement", &placement);
    if (status != BVP_OK)
        return status;
    if (placement == XML_NONE) {
        a->unmoved++;
        return BVP_OK; /* a new node is not moved */
    }
    if (ap242_is(a, placement, "CartesianTransformation"))
        return read_transformation(a, placement, out);
    if (ap242_is(a, placement, "AxisPlacement"))
        return read_axes(a, placement, out);
    status = find_part(a, placement, "CartesianTransformation", &e);
    if (status == BVP_OK && e != XML_NONE)
        return read_transformation(a, e, out);
    if (status == BVP_OK)
        status = find_part(a, placement, "AxisPlacement", &e);
    if (status == BVP_OK && e != XML_NONE)
        return read_axes(a, e, out);
    if (status != BVP_OK)
        return status;
    return xml_refuse(a->im, &a->xml, BVP_ERR_ARGUMENT, placement,
                      "expected a <CartesianTransformation> or <AxisPlacement>; export placements "
                      "as transformations");
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Is the element a relation that places an occurrence in an assembly? */
static int places(const ap242 *a, uint32_t e)
{
    const char *type = ap242_type(a, e);
    return strcmp(ap242_name(a, e), "ViewOccurrenceRelationship") == 0 &&
           (!*type || strcmp(type, "NextAssemblyOccurrenceUsage") == 0);
}

/* The occurrence that a relation places, and the view that it is one of. */
static bvp_status view_of(ap242 *a, uint32_t relation, uint32_t *occurrence, uint32_t *view)
{
    const uint32_t related = xml_child(&a->xml, relation, "Related");
    if (related == XML_NONE)
        return xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, relation,
                          "expected a <Related>; export the structure again");
    const bvp_status status = ap242_reference(a, related, occurrence);
    if (status != BVP_OK)
        return status;
    *view = ap242_above(a, *occurrence, "PartView");
    if (*view != XML_NONE)
        return BVP_OK;
    return xml_refuse(a->im, &a->xml, BVP_ERR_CORRUPT, *occurrence,
                      "expected an occurrence in a <PartView>; export the structure again");
}

/* Adds the relations of a view, so that the first one comes off first. */
static bvp_status pile_relations(ap242 *a, pile *stack, uint32_t view, uint32_t node,
                                 uint32_t depth)
{
    const size_t first = stack->count;
    bvp_status status = BVP_OK;
    for (uint32_t e = a->xml.elements[view].first; e != XML_NONE && status == BVP_OK;
         e = a->xml.elements[e].next) {
        if (!places(a, e))
            continue;
        status = pile_add(a->im, &a->xml, stack, (pending){e, node, depth});
    }
    pile_turn(stack, first);
    return status;
}

/* The occurrence's own name, else its id, else the part's name, else its number. */
static int name_of(const ap242 *a, uint32_t occurrence, uint32_t view, char **out)
{
    static const char *const keys[] = {"Name", "Id"};
    const uint32_t from[] = {occurrence, ap242_above(a, view, "Part")};
    *out = NULL;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 && from[i] != XML_NONE && !*out; k++)
            if (ap242_label(a, from[i], keys[k], out) != 0)
                return -1;
    return 0;
}

static bvp_status unfold_one(ap242 *a, pile *stack, const pending *one)
{
    const int is_relation = places(a, one->element);
    uint32_t occurrence = XML_NONE, view = one->element;
    bvp_status status = is_relation ? view_of(a, one->element, &occurrence, &view) : BVP_OK;
    if (status != BVP_OK)
        return status;
    if (one->depth > UNFOLDED_DEPTH)
        return xml_refuse(a->im, &a->xml, BVP_ERR_LIMIT, one->element,
                          "more than %d levels; does a part contain itself?", UNFOLDED_DEPTH);
    status = unfolding_check(a->im, &a->xml, one->element, a->im->out->node_count);
    if (status != BVP_OK)
        return status;
    char *name;
    model_node *node = import_add_node(a->im);
    if (!node || name_of(a, occurrence, view, &name) != 0)
        return import_no_memory(a->im);
    const uint32_t number = a->im->out->node_count - 1;
    node->parent = one->parent;
    node->name = name ? import_text(name, strlen(name)) : NULL;
    const int bad = name && !node->name;
    free(name);
    if (bad)
        return import_no_memory(a->im);
    if (is_relation)
        status = placement_of(a, one->element, node->placement);
    if (status == BVP_OK)
        status = ap242_describe(a, is_relation ? one->element : XML_NONE, occurrence, view, number);
    const size_t before = stack->count;
    if (status == BVP_OK)
        status = pile_relations(a, stack, view, number, one->depth + 1);
    return status == BVP_OK ? ap242_place_view(a, view, number, stack->count > before) : status;
}

static int has_relations(const ap242 *a, uint32_t view)
{
    for (uint32_t e = a->xml.elements[view].first; e != XML_NONE; e = a->xml.elements[e].next)
        if (places(a, e))
            return 1;
    return 0;
}

/* Views that are in no assembly: those that are assemblies; if there are none, those with files. */
static bvp_status pile_roots(ap242 *a, pile *stack)
{
    for (int wants_files = 0; wants_files < 2 && stack->count == 0; wants_files++)
        for (size_t i = a->xml.element_count; i-- > 0;) {
            const uint32_t e = (uint32_t)i;
            if (a->is_used[e] || strcmp(ap242_name(a, e), "PartView") != 0 ||
                a->xml.elements[e].first == XML_NONE)
                continue;
            const ap242_geometry *where = wants_files ? ap242_geometry_of(a, e) : NULL;
            if (wants_files && !where)
                return import_no_memory(a->im);
            if (wants_files ? !where->is_any : !has_relations(a, e))
                continue;
            const bvp_status status = pile_add(a->im, &a->xml, stack, (pending){e, BVP_NONE, 0});
            if (status != BVP_OK)
                return status;
        }
    if (stack->count > 0)
        return BVP_OK;
    return xml_refuse(
        a->im, &a->xml, BVP_ERR_CORRUPT, 0,
        "expected a <PartView> that is an assembly, or has a file, and is in no other "
        "assembly; export the whole product structure");
}

static bvp_status unfold(ap242 *a)
{
    pile stack = {0};
    bvp_status status = pile_roots(a, &stack);
    while (status == BVP_OK && stack.count > 0) {
        const pending one = stack.items[--stack.count];
        status = unfold_one(a, &stack, &one);
        import_progress(a->im, a->im->out->node_count, a->im->out->node_count + stack.count);
    }
    free(stack.items);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bvp_status note_used(ap242 *a)
{
    bvp_status status = BVP_OK;
    for (uint32_t e = 0; e < a->xml.element_count && status == BVP_OK; e++) {
        uint32_t occurrence, view;
        if (!places(a, e)) {
            a->other_relations += strcmp(ap242_name(a, e), "ViewOccurrenceRelationship") == 0;
            continue;
        }
        status = view_of(a, e, &occurrence, &view);
        if (status == BVP_OK)
            a->is_used[view] = 1;
    }
    return status;
}

static bvp_status warn_of_losses(ap242 *a)
{
    const struct {
        uint64_t count;
        const char *text;
    } losses[] = {
        {a->unread, "parts left out: their files are JT or of a CAD system"},
        {a->unplaced, "parts without components and without geometry"},
        {a->unmoved, "components without a placement left where their assembly is"},
        {a->other_relations, "relations of occurrences left out that place none"},
        {a->files.unitless, "part files without a unit taken to be in the structure's unit"}};
    bvp_status status = BVP_OK;
    for (size_t i = 0; i < sizeof losses / sizeof *losses && status == BVP_OK; i++)
        status = import_warn(a->im, losses[i].count, losses[i].text);
    return status;
}

static bvp_status read_structure(ap242 *a)
{
    xml_fault fault;
    if (xml_open(a->im->data, a->im->size, &a->xml, &fault) != BVP_OK)
        return import_refuse_line(a->im, fault.status, a->im->data + fault.offset, "%s",
                                  fault.text);
    if (strcmp(ap242_name(a, 0), "Uos") != 0)
        return xml_refuse(a->im, &a->xml, BVP_ERR_NOT_OURS, 0,
                          "expected an AP242 domain model: its root is <Uos>");
    a->is_used = calloc(a->xml.element_count, 1);
    a->geometry = calloc(a->xml.element_count, sizeof *a->geometry);
    if (!a->is_used || !a->geometry)
        return import_no_memory(a->im);
    bvp_status status = note_ids(a);
    if (status == BVP_OK)
        status = find_unit(a);
    if (status == BVP_OK)
        status = note_used(a);
    if (status == BVP_OK)
        status = unfold(a);
    if (status == BVP_OK && a->im->out->mesh_count == 0)
        return xml_refuse(a->im, &a->xml, BVP_ERR_ARGUMENT, 0,
                          "none of its parts names a file that bvpack reads: JT and CAD files are "
                          "not; export parts as STEP, STL or glTF beside it");
    return status == BVP_OK ? warn_of_losses(a) : status;
}

bvp_status import_ap242(importer *im)
{
    ap242 a = {.im = im, .files = {.im = im}};
    if (im->options->is_nested)
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "is an AP242 XML document, which only stands by itself; export the "
                             "structure in one document, with files of shapes");
    if (!(im->out->format = import_text("AP242 XML", 9)))
        return import_no_memory(im);
    const bvp_status status = read_structure(&a);
    for (size_t i = 0; a.geometry && i < a.xml.element_count; i++)
        free(a.geometry[i].location);
    free(a.geometry);
    free(a.is_used);
    part_files_free(&a.files);
    name_table_free(&a.ids);
    xml_close(&a.xml);
    return status;
}
