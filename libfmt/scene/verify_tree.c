/* SPDX-License-Identifier: MIT
 * verify_tree.c: placements, the product tree and its properties.
 * Spec: format.md, chapters "Placements", "Product tree", "Properties".
 */
#include "scene/verify.h"

#include "base/checked.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool are_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

/* The determinant of the linear part in double, rows scaled by powers of two against overflow; the
 * spec defines singular by exactly this computation. */
static bool is_singular(const double m[12])
{
    double r[3][3];
    for (int row = 0; row < 3; row++) {
        double largest = 0;
        for (int column = 0; column < 3; column++)
            largest = fmax(largest, fabs(m[4 * row + column]));
        if (largest == 0)
            return true;
        int exponent;
        frexp(largest, &exponent);
        for (int column = 0; column < 3; column++)
            r[row][column] = ldexp(m[4 * row + column], -exponent);
    }
    const double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                       r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                       r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    return det == 0;
}

static void verify_placements(bvpi_verify *v)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const bvpi_span *span = &v->file.section[BVPD_PLAC];
    const uint64_t start = bvpi_verify_off(v, span->data);
    BVPI_SOUND(&v->report, "PLC-1", start,
               span->count > 0 && memcmp(span->data, identity, sizeof identity) == 0,
               "placement 0 is not the identity");
    for (uint64_t i = 0; i < span->count && !v->report.stopped; i++) {
        const uint64_t offset = start + i * sizeof(bvpd_placement);
        bvpd_placement placement;
        memcpy(&placement, span->data + i * sizeof placement, sizeof placement);
        if (BVPI_SOUND(&v->report, "PLC-2", offset, are_finite(placement.m, 12),
                       "placement %" PRIu64 " is not finite", i))
            BVPI_SOUND(&v->report, "PLC-3", offset, !is_singular(placement.m),
                       "placement %" PRIu64 " is singular", i);
    }
}

static void verify_node(bvpi_verify *v, uint32_t idx, const bvpd_tree_node *node, uint64_t offset,
                        uint64_t next_property)
{
    bvpi_report *report = &v->report;
    const bvpi_span *instances = &v->file.section[BVPD_INST];
    BVPI_SOUND(report, "TRE-1", offset, idx == 0 ? node->parent == BVPD_NONE : node->parent < idx,
               "the parent of node %" PRIu32 " is %" PRIu32 ", which does not come before it", idx,
               node->parent);
    bvpi_verify_string_ref(v, offset + offsetof(bvpd_tree_node, name), node->name);
    bvpi_verify_string_ref(v, offset + offsetof(bvpd_tree_node, source_id), node->source_id);
    BVPI_SOUND(report, "TRE-2", offset + offsetof(bvpd_tree_node, placement),
               node->placement < v->file.section[BVPD_PLAC].count,
               "placement %" PRIu32 " does not exist", node->placement);
    uint32_t back = idx;
    if (node->instance < instances->count)
        back = bvpi_load_u32(instances->data + node->instance * sizeof(bvpd_instance) +
                             offsetof(bvpd_instance, node));
    BVPI_SOUND(report, "TRE-3", offset + offsetof(bvpd_tree_node, instance),
               node->instance == BVPD_NONE || (node->instance < instances->count && back == idx),
               "instance %" PRIu32 " of node %" PRIu32 " does not exist or is another node's",
               node->instance, idx);
    BVPI_SOUND(report, "TRE-4", offset + offsetof(bvpd_tree_node, first_property),
               node->first_property == next_property,
               "the properties of node %" PRIu32 " begin at %" PRIu32 ", not at %" PRIu64, idx,
               node->first_property, next_property);
    BVPI_KNOWN(report, "TRE-5", offset + offsetof(bvpd_tree_node, reserved), node->reserved == 0,
               "reserved bytes of a node are not zero");
}

/* Nodes above `idx`, counted up to one more than the limit. */
static uint32_t depth_of(const bvpi_span *tree, uint32_t idx)
{
    uint32_t depth = 1;
    while (idx != 0 && depth <= BVPD_TREE_DEPTH_MAX) {
        const uint32_t parent = bvpi_load_u32(tree->data + idx * sizeof(bvpd_tree_node));
        if (parent >= idx)
            break;
        idx = parent;
        depth++;
    }
    return depth;
}

void bvpi_verify_tree(bvpi_verify *v)
{
    verify_placements(v);
    const bvpi_span *tree = &v->file.section[BVPD_TREE], *properties = &v->file.section[BVPD_PROP];
    uint64_t next_property = 0;
    for (uint32_t idx = 0; idx < tree->count && !v->report.stopped; idx++) {
        bvpd_tree_node node;
        memcpy(&node, tree->data + idx * sizeof node, sizeof node);
        const uint64_t offset = bvpi_verify_off(v, tree->data) + idx * sizeof node;
        verify_node(v, idx, &node, offset, next_property);
        BVPI_RULE(&v->report, "TRE-6", BVP_ERR_LIMIT, offset,
                  depth_of(tree, idx) <= BVPD_TREE_DEPTH_MAX, "the tree is over %d levels deep",
                  BVPD_TREE_DEPTH_MAX);
        next_property += node.property_count;
    }
    BVPI_SOUND(
        &v->report, "PRP-1", bvpi_verify_off(v, tree->data), next_property == properties->count,
        "the nodes have %" PRIu64 " properties, PROP %" PRIu64, next_property, properties->count);
    for (uint64_t i = 0; i < properties->count && !v->report.stopped; i++) {
        const uint8_t *record = properties->data + i * sizeof(bvpd_property);
        const uint64_t offset = bvpi_verify_off(v, record);
        bvpi_verify_string_ref(v, offset, bvpi_load_u32(record));
        bvpi_verify_string_ref(v, offset + 4, bvpi_load_u32(record + 4));
    }
}
