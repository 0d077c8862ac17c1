/* SPDX-License-Identifier: MIT
 * verify_tree.c: checks placements, linear parts, the product tree and its properties.
 * Spec: format.md, chapters "Placements", "Linear parts", "Product tree", "Properties"
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "format/linear.h"

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

/* The determinant of the linear part in double, rows scaled by powers of two against overflow. The
 * spec defines "singular" by exactly this computation. */
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
    for (uint64_t i = 0; i < span->count && bvpi_report_goes_on(&v->report); i++) {
        const uint64_t offset = start + i * sizeof(bvpd_placement);
        bvpd_placement placement;
        bvpi_load_record(&placement, span->data + i * sizeof placement, sizeof placement);
        if (BVPI_SOUND(&v->report, "PLC-2", offset, are_finite(placement.m, 12),
                       "placement %" PRIu64 " is not finite", i))
            BVPI_SOUND(&v->report, "PLC-3", offset, !is_singular(placement.m),
                       "placement %" PRIu64 " is singular", i);
    }
}

static void verify_linears(bvpi_verify *v)
{
    bvpi_report *report = &v->report;
    const bvpi_span *span = &v->file.section[BVPD_LINS];
    const uint64_t start = bvpi_verify_off(v, span->data);
    uint64_t at = 0, word = 0;
    if (!bvpi_bits_make(v, span->count + 1, &v->linears))
        return;
    if (span->count > 0)
        word = bvpi_load_u64(span->data);
    BVPI_SOUND(report, "LIN-1", start, word == BVPD_LINEAR_IDENTITY,
               "the first linear part is not the identity");
    for (; at < span->count && bvpi_report_goes_on(report); at += 1 + bvpi_linear_count(word)) {
        const uint8_t *record = span->data + 8 * at;
        const uint64_t offset = start + 8 * at;
        word = bvpi_load_u64(record);
        const unsigned count = bvpi_linear_count(word);
        BVPI_KNOWN(report, "LIN-2", offset, word >> (9 * BVPD_LINEAR_BITS) == 0,
                   "reserved bits of a linear part are not zero");
        /* Magnitudes are numbered in the order of their first use: each field is at most one above
         * the largest before it. */
        bool is_in_order = true;
        unsigned next = BVPD_LINEAR_FIRST;
        for (unsigned i = 0; i < 9; i++) {
            const unsigned magnitude = (unsigned)(word >> (BVPD_LINEAR_BITS * i + 1)) & 15;
            is_in_order = is_in_order && magnitude <= next;
            next += magnitude == next;
        }
        if (!BVPI_SOUND(report, "LIN-3", offset,
                        is_in_order && count <= BVPD_LINEAR_MAX && count < span->count - at,
                        "a linear part has magnitudes out of order, or leaves the section"))
            return;
        bvpi_bits_set(&v->linears, at);

        double size[BVPD_LINEAR_MAX], m[12] = {0};
        bool are_sizes = true;
        bvpi_load_record(size, record + 8, count * sizeof *size);
        for (unsigned i = 0; i < count; i++) {
            are_sizes = are_sizes && isfinite(size[i]) && size[i] > 0 && size[i] != 1;
            for (unsigned k = 0; k < i; k++)
                are_sizes = are_sizes && size[k] != size[i];
        }
        BVPI_SOUND(report, "LIN-4", offset + 8, are_sizes,
                   "a magnitude is not finite and positive, or one, or there twice");
        bvpi_linear_decode(record, 1 + count, m);
        if (are_finite(m, 12))
            BVPI_SOUND(report, "LIN-5", offset, !is_singular(m), "a linear part is singular");
    }
}

/* The open ancestors of the current node, the nearest last. */
typedef struct above {
    struct {
        uint32_t node, end;
    } at[BVPD_TREE_DEPTH_MAX];
    uint32_t depth;
} above;

/* In preorder, the parent is the nearest node that has not ended. */
static void verify_order(bvpi_verify *v, uint32_t idx, const bvpd_tree_node *node, above *up,
                         uint64_t offset)
{
    const uint32_t count = (uint32_t)v->file.section[BVPD_TREE].count;
    while (up->depth > 0 && up->at[up->depth - 1].end <= idx)
        up->depth--;
    const uint32_t parent = up->depth > 0 ? up->at[up->depth - 1].node : BVPD_NONE;
    const uint32_t end = up->depth > 0 ? up->at[up->depth - 1].end : count;
    BVPI_SOUND(&v->report, "TRE-1", offset,
               node->parent == parent && (idx == 0) == (up->depth == 0),
               "the parent of node %" PRIu32 " is %" PRIu32 ", not the nearest that contains it",
               idx, node->parent);
    BVPI_SOUND(&v->report, "TRE-5", offset + offsetof(bvpd_tree_node, end),
               node->end > idx && node->end <= end && (idx > 0 || node->end == count),
               "node %" PRIu32 " ends at %" PRIu32 ", beyond its parent's end, or before it begins",
               idx, node->end);
    if (!BVPI_RULE(&v->report, "TRE-6", BVP_ERR_LIMIT, offset, up->depth < BVPD_TREE_DEPTH_MAX,
                   "the tree is over %d levels deep", BVPD_TREE_DEPTH_MAX))
        return;
    up->at[up->depth].node = idx;
    up->at[up->depth++].end = node->end < end ? node->end : end;
}

void bvpi_verify_tree(bvpi_verify *v)
{
    verify_placements(v);
    verify_linears(v);
    const bvpi_span *tree = &v->file.section[BVPD_TREE], *properties = &v->file.section[BVPD_PROP];
    const bvpi_span *instances = &v->file.section[BVPD_INST];
    const uint64_t placement_count = v->file.section[BVPD_PLAC].count;
    bvpi_report *report = &v->report;
    above up = {.depth = 0};
    uint32_t least = 0;
    for (uint32_t idx = 0; idx < tree->count && bvpi_report_goes_on(&v->report); idx++) {
        bvpd_tree_node node;
        bvpi_load_record(&node, tree->data + idx * sizeof node, sizeof node);
        const uint64_t offset = bvpi_verify_off(v, tree->data) + idx * sizeof node;
        bvpi_verify_string_ref(v, offset + offsetof(bvpd_tree_node, name), node.name);
        bvpi_verify_string_ref(v, offset + offsetof(bvpd_tree_node, source_id), node.source_id);
        const uint64_t item_off = offset + offsetof(bvpd_tree_node, item);
        if (node.item < instances->count) {
            const uint32_t back =
                bvpi_load_u32(instances->data + node.item * sizeof(bvpd_instance) +
                              offsetof(bvpd_instance, node));
            BVPI_SOUND(report, "TRE-3", item_off, back == idx,
                       "instance %" PRIu32 " of node %" PRIu32 " is another node's", node.item,
                       idx);
        } else {
            BVPI_SOUND(report, "TRE-2", item_off, node.item - instances->count < placement_count,
                       "node %" PRIu32 " is item %" PRIu32 ": no instance, no placement", idx,
                       node.item);
        }
        BVPI_SOUND(report, "TRE-4", offset + offsetof(bvpd_tree_node, first_property),
                   idx == 0 ? node.first_property == 0 : node.first_property >= least,
                   "the properties of node %" PRIu32 " begin at %" PRIu32
                   ", before the last node's",
                   idx, node.first_property);
        verify_order(v, idx, &node, &up, offset);
        least = node.first_property;
    }
    BVPI_SOUND(&v->report, "PRP-1", bvpi_verify_off(v, tree->data),
               tree->count > 0 ? least <= properties->count : properties->count == 0,
               "the last node's properties begin at %" PRIu32 ", PROP has %" PRIu64, least,
               properties->count);
    for (uint64_t i = 0; i < properties->count && bvpi_report_goes_on(&v->report); i++) {
        const uint8_t *record = properties->data + i * sizeof(bvpd_property);
        const uint64_t offset = bvpi_verify_off(v, record);
        bvpi_verify_string_ref(v, offset, bvpi_load_u32(record));
        bvpi_verify_string_ref(v, offset + 4, bvpi_load_u32(record + 4));
    }
}
