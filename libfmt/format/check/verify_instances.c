/* SPDX-License-Identifier: MIT
 * verify_instances.c: instances, the hierarchies over them, and the world's bounds.
 *
 * Containment in the world bounds is decided exactly (prim/place_bounds.h), because the rule is
 * about real numbers. Frames are compared with the product of the placements above, within the
 * rounding that another order of operations may cause.
 * Spec: format.md, chapters "Instances" and "Hierarchies over the instances"
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "prim/place_bounds.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- exact sums ----------------------------------------------------------------------------- */

/* Does the world box contain the part's box under this placement, in real arithmetic? */
static bool contains_instance(const double lo[3], const double hi[3], const double placement[12],
                              const bvpi_part *part)
{
    for (int axis = 0; axis < 3; axis++) {
        const double *row = placement + 4 * axis;
        if (bvpi_place_compare(row, part->lo, part->hi, false, lo[axis]) < 0 ||
            bvpi_place_compare(row, part->lo, part->hi, true, hi[axis]) > 0)
            return false;
    }
    return true;
}

/* ---- placements ----------------------------------------------------------------------------- */

static void multiply(const double a[12], const double b[12], double out[12])
{
    double product[12];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            product[4 * row + column] = a[4 * row] * b[column] + a[4 * row + 1] * b[4 + column] +
                                        a[4 * row + 2] * b[8 + column] +
                                        (column == 3 ? a[4 * row + 3] : 0);
    memcpy(out, product, sizeof product);
}

/* Does the frame match the product of the placements from the root down to the node above? `size`
 * is the same product of absolute values, in which rounding errors are measured: each factor adds
 * its own. */
static bool is_frame_consistent(const bvp_file *file, uint32_t node, const double frame[12])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double world[12], size[12];
    uint32_t depth = 0;
    bvp_node_info info;
    if (bvp_get_node(file, node, &info) != BVP_OK)
        return true; /* reported by another check */
    memcpy(world, identity, sizeof identity);
    memcpy(size, identity, sizeof identity);
    for (node = info.parent; node != BVP_NONE && depth <= BVPD_TREE_DEPTH_MAX &&
                             bvp_get_node(file, node, &info) == BVP_OK;
         node = info.parent) {
        multiply(info.placement, world, world);
        for (int i = 0; i < 12; i++)
            info.placement[i] = fabs(info.placement[i]);
        multiply(info.placement, size, size);
        depth++;
    }
    for (int i = 0; i < 12; i++)
        if (!(fabs(frame[i] - world[i]) <= (depth + 4) * 0x1p-48 * size[i] + 0x1p-1022))
            return false;
    return true;
}

/* ---- instances ------------------------------------------------------------------------------ */

static void verify_instance(bvpi_verify *v, uint32_t idx, const bvpd_instance *r, uint64_t offset)
{
    bvpi_report *report = &v->report;
    const bvpd_header *h = &v->file.header;
    const bvpi_span *tree = &v->file.section[BVPD_TREE];
    const bool has_part =
        BVPI_SOUND(report, "INS-1", offset, r->part < v->file.section[BVPD_PART].count,
                   "part %" PRIu32 " does not exist", r->part);
    uint32_t back = BVPD_NONE;
    if (r->node < tree->count)
        back = bvpi_load_u32(tree->data + r->node * sizeof(bvpd_tree_node) +
                             offsetof(bvpd_tree_node, item));
    BVPI_SOUND(report, "INS-2", offset + offsetof(bvpd_instance, node), back == idx,
               "node %" PRIu32 " does not exist or does not name instance %" PRIu32, r->node, idx);
    double frame[12], placement[12];
    bvpi_part part;
    bvpd_instance copy;
    BVPI_SOUND(report, "LIN-6", offset + offsetof(bvpd_instance, linear),
               r->linear < v->linears.count && bvpi_bits_get(&v->linears, r->linear),
               "no linear part begins at reference %" PRIu32, r->linear);
    if (!BVPI_SOUND(report, "INS-3", offset + offsetof(bvpd_instance, frame),
                    bvpi_get_placement(&v->file, r->frame, frame) == BVP_OK,
                    "placement %" PRIu32 " does not exist or is not finite", r->frame))
        return;
    BVPI_SOUND(report, "INS-4", offset + offsetof(bvpd_instance, frame),
               is_frame_consistent(&v->file, r->node, frame),
               "the frame of instance %" PRIu32
               " is not the product of the placements above its node",
               idx);
    if (!has_part || bvpi_get_part(&v->file, r->part, &part) != BVP_OK)
        return;
    if (!BVPI_SOUND(report, "INS-5", offset + offsetof(bvpd_instance, move),
                    bvpi_get_instance(&v->file, idx, &copy, placement) == BVP_OK,
                    "the placement of instance %" PRIu32 " is not finite, or too large", idx))
        return;
    BVPI_SOUND(report, "HDR-22", offsetof(bvpd_header, lo),
               contains_instance(h->lo, h->hi, placement, &part),
               "the world bounds do not contain instance %" PRIu32, idx);
}

/* ---- the hierarchies over them -------------------------------------------------------------- */

/* Rules about a leaf's instances: they exist, are in no other leaf or hierarchy before, and inside
 * `box`. */
static void verify_instance_leaf(bvpi_hierarchy_check *c, const bvpi_frame *box,
                                 const bvpi_leaf *leaf, uint64_t offset)
{
    bvpi_report *report = &c->verify->report;
    double lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = bvpi_grid_corner(&c->tree, axis, box->lo[axis]);
        hi[axis] = bvpi_grid_corner(&c->tree, axis, box->hi[axis]);
    }
    for (uint64_t i = 0; i < leaf->count; i++) {
        const uint64_t item = (uint64_t)leaf->geom + leaf->before + i;
        const bool is_free = item < c->items.count && bvpi_bits_get(&c->items, item);
        if (!BVPI_SOUND(report, "TOP-2", offset, is_free,
                        "instance %" PRIu64 " does not exist or is in two leaves", item))
            return;
        bvpi_bits_clear(&c->items, item);
        c->items_end = item >= c->items_end ? item + 1 : c->items_end;
        BVPI_SOUND(report, "TOP-4", offset, item >= c->items_from,
                   "instance %" PRIu64
                   " comes before one of a hierarchy before this one, which end at %" PRIu64,
                   item, c->items_from);
        bvpd_instance instance;
        double placement[12];
        bvpi_part part;
        if (bvpi_get_instance(&c->verify->file, (uint32_t)item, &instance, placement) == BVP_OK &&
            bvpi_get_part(&c->verify->file, instance.part, &part) == BVP_OK)
            BVPI_SOUND(report, "TOP-3", offset, contains_instance(lo, hi, placement, &part),
                       "instance %" PRIu64 " leaves the box of its leaf", item);
    }
}

/* The hierarchies over the instances follow one another in TOPN, and so do the instances that they
 * hold. c->items: the instances that no hierarchy has held yet. */
static void verify_each_top(bvpi_verify *v, bvpi_hierarchy_check *c, uint64_t count)
{
    const bvpi_span *records = &v->file.section[BVPD_HIER], *nodes = &v->file.section[BVPD_TOPN];
    const uint64_t first = v->file.header.top_hierarchy;
    uint64_t end = 0; /* of the hierarchy before */
    assert(first + count <= records->count);
    for (uint64_t k = first; k < first + count && bvpi_report_goes_on(&v->report); k++) {
        const uint64_t offset = bvpi_verify_off(v, records->data) + k * sizeof(bvpd_hierarchy);
        bvpd_hierarchy record;
        bvpi_load_record(&record, records->data + k * sizeof record, sizeof record);
        BVPI_SOUND(&v->report, "HIE-2", offset + offsetof(bvpd_hierarchy, part),
                   record.part == BVPD_NONE, "a hierarchy over the instances names a part");
        if (!BVPI_SOUND(&v->report, "HIE-3", offset + offsetof(bvpd_hierarchy, data_off),
                        record.data_off == end &&
                            record.data_size == (uint64_t)record.node_count * BVPD_UNIT &&
                            bvpi_fits(record.data_off, record.data_size, nodes->size),
                        "the nodes of a hierarchy over the instances are not %" PRIu32
                        " units of TOPN from byte %" PRIu64 " on",
                        record.node_count, end))
            return; /* its nodes have no valid place, nor those behind it */
        end += record.data_size;
        assert(end <= nodes->size);

        c->more_follow = k + 1 < first + count;
        c->tree.units = nodes->data + record.data_off;
        c->tree.unit_count = record.node_count;
        c->tree.blob_size = record.data_size;
        c->units_off = bvpi_verify_off(v, c->tree.units);
        c->node_count = c->leaf_count = c->largest_leaf = c->depth = 0;
        v->sums.node_bytes += record.data_size;
        if (bvpi_verify_hierarchy(c, &record, (uint32_t)k) &&
            bvpi_bits_make(v, c->tree.unit_count, &c->slots)) {
            bvpi_bits_set_first(&c->slots, c->slots.count);
            bvpi_verify_nodes(c, &record, (uint32_t)k);
        }
        bvpi_bits_free(&c->slots);
        c->items_from = c->items_end;
    }
    if (!v->report.stopped)
        BVPI_SOUND(&v->report, "HIE-3", offsetof(bvpd_header, sections), end == nodes->size,
                   "TOPN does not end with the last hierarchy, at byte %" PRIu64, end);
}

static void verify_tops(bvpi_verify *v)
{
    const bvpd_header *h = &v->file.header;
    const uint64_t records = v->file.section[BVPD_HIER].count;
    const uint64_t instances = v->file.section[BVPD_INST].count;
    const bool several = (h->feature_incompatible & BVPD_FEATURE_TOPS) != 0;
    const uint64_t count =
        records > v->passage.hierarchy_count ? records - v->passage.hierarchy_count : 0;
    const bool sound = instances == 0
                           ? count == 0 && records == v->passage.hierarchy_count && !several
                       : several ? count >= 2 && count <= BVPD_TOP_MAX
                                 : count == 1;
    if (!BVPI_SOUND(&v->report, "TOP-1", offsetof(bvpd_header, top_hierarchy),
                    sound && (instances == 0 || h->top_hierarchy == v->passage.hierarchy_count),
                    "HIER does not end with the %s over the instances, which top_hierarchy names",
                    several ? "2 to 16 hierarchies" : "hierarchy") ||
        instances == 0)
        return;
    bvpi_hierarchy_check c = {.verify = v, .verify_leaf = verify_instance_leaf};
    if (bvpi_bits_make(v, instances, &c.items)) {
        bvpi_bits_set_first(&c.items, instances);
        verify_each_top(v, &c, count);
    }
    bvpi_bits_free(&c.items);
}

void bvpi_verify_instances(bvpi_verify *v)
{
    const bvpi_span *span = &v->file.section[BVPD_INST];
    for (uint32_t idx = 0; idx < span->count && bvpi_report_goes_on(&v->report); idx++) {
        bvpd_instance record;
        bvpi_load_record(&record, span->data + idx * sizeof record, sizeof record);
        verify_instance(v, idx, &record, bvpi_verify_off(v, span->data) + idx * sizeof record);
    }
    if (!v->report.stopped)
        verify_tops(v);
}
