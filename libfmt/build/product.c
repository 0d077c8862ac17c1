/* SPDX-License-Identifier: MIT
 * product.c: collects the product tree; at the end drops what is unusable, gives it one root, and
 * multiplies placements into instances.
 * Spec: format.md, chapters "Placements" to "Strings".
 */
#include "build/product.h"

#include "base/status.h"
#include "base/utf8.h"
#include "node/grid.h"
#include "prim/pose.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct property {
    uint32_t node, key, value;
} property;

static bvpi_product_node *node_at(const bvpi_product *p, uint32_t idx)
{
    return (bvpi_product_node *)p->nodes.data + idx;
}

static const double *placement_at(const bvpi_product *p, uint32_t number)
{
    return (const double *)p->placements.bytes.data + 12 * (uint64_t)number;
}

/* ---- adding --------------------------------------------------------------------------------- */

/* A row divided by the power of two above its largest magnitude; false: it is all zeros. */
static bool scale_row(const double in[3], double out[3])
{
    const double largest = fmax(fabs(in[0]), fmax(fabs(in[1]), fabs(in[2])));
    int exponent;
    frexp(largest, &exponent);
    for (int k = 0; k < 3; k++)
        out[k] = ldexp(in[k], -exponent);
    return largest > 0;
}

/* Rule PLC-3, computed exactly as it says. */
static bool is_singular(const double m[12])
{
    double r[3][3];
    for (int row = 0; row < 3; row++)
        if (!scale_row(m + 4 * row, r[row]))
            return true;
    const double d = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                     r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                     r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    return d == 0;
}

/* What is wrong with a placement, or NULL. */
static const char *placement_fault(const double *m)
{
    if (!m)
        return NULL;
    for (int i = 0; i < 12; i++)
        if (!isfinite(m[i]))
            return "is not finite";
    return is_singular(m) ? "is singular: it flattens the part" : NULL;
}

static bvp_status check_text(const char *text, const char *what, uint64_t node, bvp_error *error)
{
    if (!text || bvpi_is_utf8((const uint8_t *)text, strlen(text)))
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the %s of node %" PRIu64 " is not UTF-8; convert it", what, node);
}

static bvp_status add_texts(bvpi_product *p, bvpi_product_node *node, const char *name,
                            const char *source_id, bvp_error *error)
{
    bvp_status status = check_text(name, "name", p->nodes.count, error);
    if (status == BVP_OK)
        status = check_text(source_id, "identifier", p->nodes.count, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, name, &node->name, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, source_id, &node->source_id, error);
    return status;
}

/* Level and fate follow from the parent's. */
static bvp_status inherit(const bvpi_product *p, bvpi_product_node *node, bvp_error *error)
{
    if (node->parent != BVP_NONE && node->parent >= p->nodes.count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "node %" PRIu64 " is put under node %" PRIu32
                              ", which does not exist yet; add parents first",
                              p->nodes.count, node->parent);
    node->level = 1;
    if (node->parent != BVP_NONE) {
        node->level = node_at(p, node->parent)->level + 1;
        node->dropped = node_at(p, node->parent)->dropped;
    }
    if (node->level >= BVPD_TREE_DEPTH_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "node %" PRIu64 " has %" PRIu32
                              " levels of the product tree above it; at most %d fit",
                              p->nodes.count, node->level, BVPD_TREE_DEPTH_MAX - 2);
    return BVP_OK;
}

bvp_status bvpi_product_add_node(bvpi_product *p, const bvpi_product_node *given, const char *name,
                                 const char *source_id, const double *placement, uint32_t *idx,
                                 bvp_error *error)
{
    bvpi_product_node node = *given, *stored;
    bvp_status status = inherit(p, &node, error);
    const char *fault = placement_fault(placement);
    if (status == BVP_OK && fault && !p->drop_invalid)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the placement of node %" PRIu64
                              " (%.60s) %s; repair it, or drop invalid nodes",
                              p->nodes.count, name ? name : "unnamed", fault);
    node.dropped = node.dropped || fault;
    if (status == BVP_OK && p->nodes.count >= UINT32_MAX - 2)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "a product tree holds at most 2^32 - 2 nodes");
    if (status == BVP_OK)
        status = add_texts(p, &node, name, source_id, error);
    if (status == BVP_OK)
        status =
            bvpi_add_placement(&p->placements, fault ? NULL : placement, &node.placement, error);
    if (status == BVP_OK)
        status = bvpi_array_add(&p->nodes, 1, sizeof *stored, &stored, error);
    if (status != BVP_OK)
        return status;
    *stored = node;
    *idx = (uint32_t)p->nodes.count - 1;
    p->dropped_count += node.dropped;
    return BVP_OK;
}

bvp_status bvpi_product_add_property(bvpi_product *p, uint32_t node, const char *key,
                                     const char *value, bvp_error *error)
{
    property added = {.node = node}, *stored;
    if (node >= p->nodes.count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "a property is given to node %" PRIu32 ", which does not exist",
                              node);
    bvp_status status = check_text(key, "property key", node, error);
    if (status == BVP_OK)
        status = check_text(value, "property value", node, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, key, &added.key, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, value, &added.value, error);
    if (status == BVP_OK)
        status = bvpi_array_add(&p->properties, 1, sizeof *stored, &stored, error);
    if (status == BVP_OK) {
        *stored = added;
        node_at(p, node)->property_count++;
    }
    return status;
}

void bvpi_product_free(bvpi_product *p)
{
    bvpi_array_free(&p->nodes);
    bvpi_array_free(&p->properties);
    bvpi_table_free(&p->strings);
    bvpi_table_free(&p->placements);
}

/* ---- instances ------------------------------------------------------------------------------ */

/* On the way to the records. */
typedef struct finishing {
    bvpi_product *product;
    const bvpd_part *parts;
    uint32_t part_count;
    bvpi_product_records *out;
    uint32_t *place;     /* of each node in the tree, or NONE */
    bvpi_bounds *bounds; /* of each instance */
    bool has_added_root;
} finishing;

/* The product of the placements down to node `idx`, times the translation to the part's origin. */
static bvp_status world_placement(const bvpi_product *p, uint32_t idx, const bvpd_part *part,
                                  double out[12])
{
    uint32_t path[BVPD_TREE_DEPTH_MAX], length = 0;
    for (uint32_t at = idx; at != BVP_NONE; at = node_at(p, at)->parent)
        if (node_at(p, at)->placement != 0)
            path[length++] = node_at(p, at)->placement;
    const bool is_moved = part->origin[0] != 0 || part->origin[1] != 0 || part->origin[2] != 0;
    if (length < 2 && !is_moved) {
        memcpy(out, placement_at(p, length ? path[0] : 0), 12 * sizeof *out);
        return BVP_OK;
    }
    bvpi_chain chain;
    bvpi_chain_init(&chain, length ? placement_at(p, path[length - 1]) : NULL);
    for (uint32_t k = length; k-- > 1;)
        bvpi_chain_mul(&chain, placement_at(p, path[k - 1]));
    if (is_moved)
        bvpi_chain_translate(&chain, part->origin);
    return bvpi_chain_round(&chain, out);
}

static bool is_in_range(const bvpi_bounds *b)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(b->lo[axis] >= -BVPI_COORDINATE_MAX) || !(b->hi[axis] <= BVPI_COORDINATE_MAX))
            return false;
    return true;
}

/* *usable: false when queries could not work with the placement; it is then refused or dropped. */
static bvp_status place_node(const finishing *f, uint32_t idx, double placement[12],
                             bvpi_bounds *bounds, bool *usable, bvp_error *error)
{
    const bvpi_product_node *node = node_at(f->product, idx);
    const bvpd_part *part = &f->parts[node->part];
    bvpi_place place;
    *usable = world_placement(f->product, idx, part, placement) == BVP_OK &&
              bvpi_place_init(&place, placement) == BVP_OK;
    if (*usable) {
        bvpi_place_bounds(placement, part->lo, part->hi, bounds);
        *usable = is_in_range(bounds);
    }
    if (*usable || f->product->drop_invalid)
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the placement of node %" PRIu32
                          " in the world is singular, or its numbers are too large; repair it, or "
                          "drop invalid nodes",
                          idx);
}

static void widen(finishing *f, const bvpi_bounds *b)
{
    bvpi_product_records *out = f->out;
    for (int axis = 0; axis < 3; axis++) {
        const bool first = out->instance_count == 0;
        if (first || b->lo[axis] < out->lo[axis])
            out->lo[axis] = b->lo[axis] + 0.0; /* no -0 */
        if (first || b->hi[axis] > out->hi[axis])
            out->hi[axis] = b->hi[axis] + 0.0;
    }
}

/* Instances in the order of the tree; dropped subtrees lose theirs. */
static bvp_status make_instances(finishing *f, bvp_error *error)
{
    bvpi_product *p = f->product;
    for (uint32_t idx = 0; idx < p->nodes.count; idx++) {
        bvpi_product_node *node = node_at(p, idx);
        if (!node->dropped && node->parent != BVP_NONE && node_at(p, node->parent)->dropped) {
            node->dropped = true;
            p->dropped_count++;
        }
        if (node->dropped || node->part == BVP_NONE)
            continue;
        double placement[12];
        bool usable;
        bvpd_instance *instance = &f->out->instances[f->out->instance_count];
        bvpi_bounds *bounds = &f->bounds[f->out->instance_count];
        bvp_status status = place_node(f, idx, placement, bounds, &usable, error);
        if (status == BVP_OK && usable)
            status = bvpi_add_placement(&p->placements, placement, &instance->placement, error);
        if (status != BVP_OK)
            return status;
        if (!usable) {
            node_at(p, idx)->dropped = true;
            p->dropped_count++;
            continue;
        }
        instance->part = node_at(p, idx)->part;
        instance->node = idx;
        widen(f, bounds);
        f->out->instance_count++;
    }
    return BVP_OK;
}

/* Puts them in the order of the hierarchy's leaves. */
static bvp_status sort_instances(finishing *f, bvp_error *error)
{
    bvpi_product_records *out = f->out;
    if (out->instance_count == 0)
        return BVP_OK;
    bvp_status status = bvpi_top_build(f->bounds, out->instance_count, &out->top, error);
    if (status != BVP_OK)
        return status;
    bvpd_instance *sorted = malloc(out->instance_count * sizeof *sorted);
    if (!sorted)
        return bvpi_error_memory(error, out->instance_count * sizeof *sorted);
    for (uint32_t i = 0; i < out->instance_count; i++)
        sorted[i] = out->instances[out->top.order[i]];
    free(out->instances);
    out->instances = sorted;
    return BVP_OK;
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* Where each node goes: dropped ones nowhere, behind an unnamed root when there are several. */
static void place_nodes(finishing *f)
{
    const bvpi_product *p = f->product;
    uint32_t roots = 0, count = 0;
    for (uint32_t idx = 0; idx < p->nodes.count; idx++)
        roots += !node_at(p, idx)->dropped && node_at(p, idx)->parent == BVP_NONE;
    f->has_added_root = roots > 1;
    count = f->has_added_root;
    for (uint32_t idx = 0; idx < p->nodes.count; idx++)
        f->place[idx] = node_at(p, idx)->dropped ? BVP_NONE : count++;
    f->out->node_count = count;
}

static void make_tree(finishing *f)
{
    const bvpi_product *p = f->product;
    bvpi_product_records *out = f->out;
    if (f->has_added_root)
        out->tree[0] = (bvpd_tree_node){.parent = BVP_NONE, .instance = BVP_NONE};
    for (uint32_t idx = 0; idx < p->nodes.count; idx++) {
        const bvpi_product_node *node = node_at(p, idx);
        if (node->dropped)
            continue;
        const uint32_t root = f->has_added_root ? 0 : BVP_NONE;
        out->tree[f->place[idx]] =
            (bvpd_tree_node){.parent = node->parent == BVP_NONE ? root : f->place[node->parent],
                             .name = node->name,
                             .source_id = node->source_id,
                             .placement = node->placement,
                             .instance = BVP_NONE,
                             .first_property = (uint32_t)out->property_count,
                             .property_count = node->property_count};
        out->property_count += node->property_count;
    }
    for (uint32_t i = 0; i < out->instance_count; i++) {
        out->instances[i].node = f->place[out->instances[i].node];
        out->tree[out->instances[i].node].instance = i;
    }
}

/* Each node's properties in the order in which they were added. */
static void make_properties(finishing *f)
{
    const bvpi_product *p = f->product;
    bvpi_product_records *out = f->out;
    const property *properties = p->properties.data;
    for (uint64_t i = 0; i < p->properties.count; i++) {
        const uint32_t place = f->place[properties[i].node];
        if (place == BVP_NONE)
            continue;
        out->properties[out->tree[place].first_property++] =
            (bvpd_property){properties[i].key, properties[i].value};
    }
    for (uint32_t k = 0; k < out->node_count; k++)
        out->tree[k].first_property -= out->tree[k].property_count;
}

static bvp_status make_room(finishing *f, bvp_error *error)
{
    const uint64_t nodes = f->product->nodes.count + 1;
    f->place = malloc(nodes * sizeof *f->place);
    f->bounds = malloc(nodes * sizeof *f->bounds);
    f->out->tree = calloc(nodes, sizeof *f->out->tree);
    f->out->instances = calloc(nodes, sizeof *f->out->instances);
    f->out->properties = calloc(f->product->properties.count + 1, sizeof *f->out->properties);
    if (f->place && f->bounds && f->out->tree && f->out->instances && f->out->properties)
        return BVP_OK;
    return bvpi_error_memory(error, nodes * 100);
}

bvp_status bvpi_product_finish(bvpi_product *p, const bvpd_part *parts, uint32_t part_count,
                               bvpi_product_records *out, bvp_error *error)
{
    finishing f = {.product = p, .parts = parts, .part_count = part_count, .out = out};
    uint32_t none;
    *out = (bvpi_product_records){.lo = {1, 1, 1}, .hi = {-1, -1, -1}};
    bvp_status status = make_room(&f, error);
    if (status == BVP_OK) /* record 0 of both tables exists in every file */
        status = bvpi_add_placement(&p->placements, NULL, &none, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, NULL, &none, error);
    if (status == BVP_OK)
        status = make_instances(&f, error);
    if (status == BVP_OK)
        status = sort_instances(&f, error);
    if (status == BVP_OK) {
        place_nodes(&f);
        make_tree(&f);
        make_properties(&f);
    }
    free(f.place);
    free(f.bounds);
    if (status != BVP_OK)
        bvpi_product_records_free(out);
    return status;
}

void bvpi_product_records_free(bvpi_product_records *records)
{
    free(records->tree);
    free(records->properties);
    free(records->instances);
    free(records->top.nodes);
    free(records->top.order);
    *records = (bvpi_product_records){0};
}
