/* SPDX-License-Identifier: MIT
 * product.c: collects the product tree and turns it into instances and tree records.
 *
 * While nodes are added, each stores its placement relative to its parent, in exact form. At the
 * end:
 * 1. make_instances(): a node with a part becomes an instance. Its world placement is the product
 *    of all placements on its path, multiplied in double-double and rounded once (exactness.md,
 *    chapter 1). The parent's part of that product is stored once for all children (frame);
 * 2. unusable nodes are refused, or dropped with their subtrees if the caller asks;
 * 3. sort_instances(): instances are put in the leaf order of their hierarchy;
 * 4. make_tree(): nodes in preorder, below an added root if there are several;
 * 5. make_items(), make_properties(): what each node refers to.
 *
 * Invariants: parents are added before their children, so a single pass in order sees them first.
 * `place` maps a node as added to its record, or NONE if it was dropped; `node_of` is the inverse.
 * Record 0 of strings, placements and linears is empty text or identity.
 *
 * Held by tests/unit/test_product.c.
 * Spec: format.md, chapters "Placements" to "Strings"
 */
#include "pack/file/product.h"

#include "base/status.h"
#include "base/utf8.h"
#include "format/linear.h"
#include "pack/file/linear_order.h"
#include "node/grid.h"
#include "prim/pose.h"

#include <assert.h>
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
    assert(96 * ((uint64_t)number + 1) <= p->placements.bytes.count);
    return (const double *)p->placements.bytes.data + 12 * (uint64_t)number;
}

static void local_placement(const bvpi_product *p, const bvpi_product_node *node, double out[12])
{
    const uint64_t count = p->linears.bytes.count / 8;
    bvpi_linear_decode((const uint64_t *)p->linears.bytes.data + node->linear, count - node->linear,
                       out);
    for (int a = 0; a < 3; a++)
        out[4 * a + 3] = node->move[a];
}

/* ---- adding --------------------------------------------------------------------------------- */

/* What is wrong with a placement, or NULL. */
static const char *placement_fault(const double *m)
{
    static const char singular[] = "is singular: it flattens the part";
    if (!m)
        return NULL;
    for (int i = 0; i < 12; i++)
        if (!isfinite(m[i]))
            return "is not finite";
    /* Rule PLC-3, evaluated exactly as it is written: each row is divided by the power of two above
     * its largest magnitude, then the determinant is compared with zero. */
    double r[3][3];
    for (int row = 0; row < 3; row++) {
        const double *in = m + 4 * row;
        const double largest = fmax(fabs(in[0]), fmax(fabs(in[1]), fabs(in[2])));
        int exponent;
        frexp(largest, &exponent);
        for (int k = 0; k < 3; k++)
            r[row][k] = ldexp(in[k], -exponent);
        if (!(largest > 0))
            return singular;
    }
    const double d = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                     r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                     r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    return d == 0 ? singular : NULL;
}

static bvp_status check_text(const char *text, const char *what, uint64_t node, bvp_error *error)
{
    if (!text || bvpi_is_utf8((const uint8_t *)text, strlen(text)))
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the %s of node %" PRIu64 " is not UTF-8; convert it", what, node);
}

/* Level and dropped state follow from the parent's. */
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
        status = check_text(name, "name", p->nodes.count, error);
    if (status == BVP_OK)
        status = check_text(source_id, "identifier", p->nodes.count, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, name, &node.name, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, source_id, &node.source_id, error);
    if (status == BVP_OK)
        status = bvpi_add_linear(&p->linears, fault ? NULL : placement, &node.linear, error);
    for (int a = 0; a < 3; a++)
        node.move[a] = placement && !fault ? placement[4 * a + 3] : 0;
    node.world = BVP_NONE;
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
    bvpi_table_free(&p->linears);
}

/* ---- instances ------------------------------------------------------------------------------ */

/* State while the records are made. */
typedef struct finishing {
    bvpi_product *product;
    const bvpd_part *parts;
    uint32_t part_count;
    bvpi_product_records *out;
    uint32_t *place;     /* for each node, its place in the tree, or NONE */
    uint32_t *node_of;   /* the inverse of `place` */
    bvpi_bounds *bounds; /* of each instance */
    bool has_added_root;
} finishing;

/* The product of the placements from the root to node `idx`, rounded once. */
static bvp_status world_placement(const bvpi_product *p, uint32_t idx, double out[12])
{
    uint32_t path[BVPD_TREE_DEPTH_MAX], length = 0;
    double local[12];
    for (uint32_t at = idx; at != BVP_NONE; at = node_at(p, at)->parent) {
        local_placement(p, node_at(p, at), local);
        assert(length < node_at(p, idx)->level); /* which is below BVPD_TREE_DEPTH_MAX */
        if (memcmp(local, placement_at(p, 0), sizeof local) != 0)
            path[length++] = at;
    }
    if (length == 0) {
        memcpy(out, placement_at(p, 0), 12 * sizeof *out);
        return BVP_OK;
    }
    local_placement(p, node_at(p, path[length - 1]), out);
    if (length == 1)
        return BVP_OK;
    bvpi_chain chain;
    bvpi_chain_init(&chain, out);
    for (uint32_t k = length - 1; k-- > 0;) {
        local_placement(p, node_at(p, path[k]), local);
        bvpi_chain_mul(&chain, local);
    }
    return bvpi_chain_round(&chain, out);
}

/* *frame: the world placement of a parent, computed once for all children. *usable: it is
 * finite. */
static bvp_status find_frame(bvpi_product *p, uint32_t parent, uint32_t *frame, bool *usable,
                             bvp_error *error)
{
    double world[12];
    bvp_status status = BVP_OK;
    *frame = 0;
    *usable = true;
    if (parent == BVP_NONE)
        return BVP_OK;
    bvpi_product_node *node = node_at(p, parent);
    if (node->world == BVP_NONE) {
        *usable = world_placement(p, parent, world) == BVP_OK;
        if (*usable)
            status = bvpi_add_placement(&p->placements, world, &node->world, error);
    }
    if (*usable && status == BVP_OK)
        *frame = node->world;
    return status;
}

/* Can queries work with the instance? If so, sets its bounds. */
static bool bound_instance(const finishing *f, const bvpd_instance *instance, bvpi_bounds *bounds)
{
    const bvpi_product *p = f->product;
    assert(instance->part < f->part_count);
    const bvpd_part *part = &f->parts[instance->part];
    double placement[12];
    bvpi_placement made;
    local_placement(p, node_at(p, instance->node), placement);
    bvpi_place_instance(instance->frame ? placement_at(p, instance->frame) : NULL, placement,
                        part->origin, placement);
    if (bvpi_placement_init(&made, placement) != BVP_OK)
        return false;
    bvpi_place_bounds(placement, part->lo, part->hi, bounds);
    for (int axis = 0; axis < 3; axis++)
        if (!(bounds->lo[axis] >= -BVPI_COORDINATE_MAX) ||
            !(bounds->hi[axis] <= BVPI_COORDINATE_MAX))
            return false;
    return true;
}

/* *usable: false if the node's world placement is refused or dropped. */
static bvp_status make_instance(finishing *f, uint32_t idx, bool *usable, bvp_error *error)
{
    const bvpi_product_node *node = node_at(f->product, idx);
    bvpd_instance *instance = &f->out->instances[f->out->instance_count];
    bvpi_bounds *bounds = &f->bounds[f->out->instance_count];
    *instance = (bvpd_instance){.part = node->part, .node = idx, .linear = node->linear};
    memcpy(instance->move, node->move, sizeof instance->move);
    bvp_status status = find_frame(f->product, node->parent, &instance->frame, usable, error);
    *usable = status == BVP_OK && *usable && bound_instance(f, instance, bounds);
    if (status != BVP_OK || *usable || f->product->drop_invalid)
        return status;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the placement of node %" PRIu32
                          " in the world is singular, or its numbers are too large; repair it, or "
                          "drop invalid nodes",
                          idx);
}

/* Makes instances in the order of the tree. Dropped subtrees have none. */
static bvp_status make_instances(finishing *f, bvp_error *error)
{
    bvpi_product *p = f->product;
    bvpi_product_records *out = f->out;
    for (uint32_t idx = 0; idx < p->nodes.count; idx++) {
        bvpi_product_node *node = node_at(p, idx);
        assert(node->parent == BVP_NONE || node->parent < idx);
        if (!node->dropped && node->parent != BVP_NONE && node_at(p, node->parent)->dropped) {
            node->dropped = true;
            p->dropped_count++;
        }
        if (node->dropped || node->part == BVP_NONE)
            continue;
        bool usable;
        bvp_status status = make_instance(f, idx, &usable, error);
        if (status != BVP_OK)
            return status;
        if (!usable) {
            node->dropped = true;
            p->dropped_count++;
            continue;
        }
        const bvpi_bounds *b = &f->bounds[out->instance_count];
        const bool first = out->instance_count == 0;
        for (int axis = 0; axis < 3; axis++) {
            if (first || b->lo[axis] < out->lo[axis])
                out->lo[axis] = b->lo[axis] + 0.0; /* -0 becomes 0 */
            if (first || b->hi[axis] > out->hi[axis])
                out->hi[axis] = b->hi[axis] + 0.0;
        }
        out->instance_count++;
    }
    return BVP_OK;
}

/* Puts the instances in the order of the hierarchy's leaves. */
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
    for (uint32_t i = 0; i < out->instance_count; i++) {
        assert(out->top.order[i] < out->instance_count);
        sorted[i] = out->instances[out->top.order[i]];
    }
    free(out->instances);
    out->instances = sorted;
    return BVP_OK;
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* Lists of children in the order in which they were added, without dropped nodes. Element `last` is
 * the list of roots. */
static void link_children(const finishing *f, uint32_t *first, uint32_t *next)
{
    const uint32_t last = (uint32_t)f->product->nodes.count;
    for (uint32_t idx = 0; idx <= last; idx++)
        first[idx] = BVP_NONE;
    for (uint32_t idx = last; idx-- > 0;) {
        const bvpi_product_node *node = node_at(f->product, idx);
        uint32_t *list = &first[node->parent == BVP_NONE ? last : node->parent];
        if (node->dropped)
            continue;
        next[idx] = *list;
        *list = idx;
    }
}

/* Writes the tree in preorder; below an unnamed root if there are several roots. */
static void place_nodes(finishing *f, const uint32_t *first, const uint32_t *next)
{
    const bvpi_product *p = f->product;
    bvpi_product_records *out = f->out;
    uint32_t at = first[p->nodes.count];
    f->has_added_root = at != BVP_NONE && next[at] != BVP_NONE;
    out->node_count = f->has_added_root;
    if (f->has_added_root)
        out->tree[0] = (bvpd_tree_node){.parent = BVP_NONE};
    while (at != BVP_NONE) {
        const bvpi_product_node *node = node_at(p, at);
        const uint32_t root = f->has_added_root ? 0 : BVP_NONE;
        out->tree[out->node_count] =
            (bvpd_tree_node){.parent = node->parent == BVP_NONE ? root : f->place[node->parent],
                             .name = node->name,
                             .source_id = node->source_id,
                             .first_property = (uint32_t)out->property_count};
        assert(f->place[at] == BVP_NONE); /* each node is met once */
        f->node_of[out->node_count] = at;
        f->place[at] = out->node_count++;
        out->property_count += node->property_count;
        if (first[at] != BVP_NONE) {
            at = first[at];
            continue;
        }
        for (;; at = node_at(p, at)->parent) {
            out->tree[f->place[at]].end = out->node_count;
            if (next[at] != BVP_NONE || node_at(p, at)->parent == BVP_NONE)
                break;
        }
        at = next[at];
    }
    if (f->has_added_root)
        out->tree[0].end = out->node_count;
    assert(out->node_count <= p->nodes.count + 1);
}

static bvp_status make_tree(finishing *f, bvp_error *error)
{
    const uint64_t count = f->product->nodes.count + 1;
    uint32_t *links = malloc(2 * count * sizeof *links);
    if (!links)
        return bvpi_error_memory(error, 2 * count * sizeof *links);
    memset(f->place, 0xff, count * sizeof *f->place);
    link_children(f, links, links + count);
    place_nodes(f, links, links + count);
    free(links);
    return BVP_OK;
}

/* Sets what each node refers to: its instance, or its placement. */
static bvp_status make_items(finishing *f, bvp_error *error)
{
    bvpi_product *p = f->product;
    bvpi_product_records *out = f->out;
    for (uint32_t k = 0; k < out->node_count; k++)
        out->tree[k].item = BVP_NONE;
    for (uint32_t i = 0; i < out->instance_count; i++) {
        out->instances[i].node = f->place[out->instances[i].node];
        assert(out->instances[i].node < out->node_count); /* a node with an instance is kept */
        out->tree[out->instances[i].node].item = i;
    }
    for (uint32_t k = 0; k < out->node_count; k++) {
        double local[12];
        uint32_t number = 0;
        bvp_status status = BVP_OK;
        if (out->tree[k].item != BVP_NONE)
            continue;
        if (k > 0 || !f->has_added_root) {
            local_placement(p, node_at(p, f->node_of[k]), local);
            status = bvpi_add_placement(&p->placements, local, &number, error);
        }
        if (status == BVP_OK && number >= UINT32_MAX - out->instance_count)
            status = bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                    "a file holds at most 2^32 - 1 instances and placements");
        if (status != BVP_OK)
            return status;
        out->tree[k].item = out->instance_count + number;
    }
    return BVP_OK;
}

/* Writes each node's properties in the order in which they were added. first_property advances
 * through them, up to that of the next node, and is reset at the end. */
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
    assert(out->node_count == 0 ||
           out->tree[out->node_count - 1].first_property == out->property_count);
    for (uint32_t k = out->node_count; k-- > 0;)
        out->tree[k].first_property = k > 0 ? out->tree[k - 1].first_property : 0;
}

static bvp_status make_room(finishing *f, bvp_error *error)
{
    const uint64_t nodes = f->product->nodes.count + 1;
    f->place = malloc(nodes * sizeof *f->place);
    f->node_of = malloc(nodes * sizeof *f->node_of);
    f->bounds = malloc(nodes * sizeof *f->bounds);
    f->out->tree = calloc(nodes, sizeof *f->out->tree);
    f->out->instances = calloc(nodes, sizeof *f->out->instances);
    f->out->properties = calloc(f->product->properties.count + 1, sizeof *f->out->properties);
    if (f->place && f->node_of && f->bounds && f->out->tree && f->out->instances &&
        f->out->properties)
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
    if (status == BVP_OK) /* record 0 of each table exists in every file */
        status = bvpi_add_placement(&p->placements, NULL, &none, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&p->strings, NULL, &none, error);
    if (status == BVP_OK)
        status = bvpi_add_linear(&p->linears, NULL, &none, error);
    if (status == BVP_OK)
        status = make_instances(&f, error);
    if (status == BVP_OK)
        status = sort_instances(&f, error);
    if (status == BVP_OK)
        status = make_tree(&f, error);
    if (status == BVP_OK)
        status = make_items(&f, error);
    if (status == BVP_OK)
        status = bvpi_order_linears(&p->linears.bytes, out->instances, out->instance_count, error);
    if (status == BVP_OK)
        make_properties(&f);
    free(f.place);
    free(f.node_of);
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
