/* SPDX-License-Identifier: MIT
 * record.c: checked views of the records of an open file.
 *
 * A mapped file may be damaged, forged, or changed while it is read. So each record is copied once;
 * the copy is checked, and only the copy is used. After a view was returned, every pointer in it
 * has the stated number of bytes behind it, whatever the file contains. Semantics beyond that
 * (boxes contain their triangles, and so on) are the verifier's job; a query on a file that
 * violates them may be wrong, but stays inside the mapping.
 *
 * Numbers that queries compute with are checked here as well: finite, and within ranges in which no
 * later product overflows (INS-5, grids).
 *
 * Held by tests/unit/test_record.c, tests/property/test_forged.c (every field takes extreme values)
 * and test_race.c.
 * Spec: format.md, chapters "Parts" to "Strings"
 */
#include "format/map.h"
#include "format/record.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/load.h"
#include "format/linear.h"
#include "format/outside.h"
#include "format/source.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Within these exponents the grid's corners are exact in double and cannot overflow. */
enum { GRID_EXPONENT_MAX = 300 };

/* Bytes of the nodes near a hierarchy's root, which writers put together. */
enum { NEAR_SIZE = 32 << 10 };

/* Bytes of the records of the most used parts that come with those of the hierarchies over the
 * instances. */
enum { OFTEN_SIZE = BVPD_BLOCK_SIZE };

static bool get_record(const bvp_file *file, enum bvpd_section_index section, uint32_t idx,
                       void *out, size_t size)
{
    const bvpi_span *span = &file->section[section];
    assert(span->count == span->size / size);
    if (idx >= span->count)
        return false;
    bvpi_load_record(out, span->data + (uint64_t)idx * size, size);
    return true;
}

/* Of a record that will be read now, what will be wanted next, if the record is absent. */
static void expect_with(const bvp_file *file, enum bvpd_section_index section, uint64_t idx,
                        size_t size, const uint8_t *next)
{
    const bvpi_span *span = &file->section[section];
    if (__builtin_expect(file->source != NULL, 0) && idx < span->count &&
        bvpi_is_absent(span->data + idx * size))
        bvpi_expect(next);
}

static bool are_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

/* Is everything that the record points to inside its section, and every number that queries compute
 * with finite? */
static bool is_part_sound(const bvp_file *file, const bvpd_part *r)
{
    const uint64_t table_size = (uint64_t)r->cluster_count * 4;
    bool is_box = true;
    for (int axis = 0; axis < 3; axis++)
        is_box =
            is_box && isfinite(r->lo[axis]) && isfinite(r->hi[axis]) && r->lo[axis] <= r->hi[axis];
    return bvpi_fits(r->data_off, r->data_size, file->section[BVPD_DATA].size) &&
           bvpi_fits(r->ids_off, r->ids_size, file->section[BVPD_TIDS].size) &&
           r->cluster_shift >= 6 && r->cluster_shift <= 12 && r->data_off % BVPD_UNIT == 0 &&
           r->ids_off % 4 == 0 && r->cluster_table_off % 4 == 0 &&
           bvpi_fits(r->cluster_table_off, table_size, r->data_size) && is_box &&
           are_finite(r->origin, 3) && r->triangle_count > 0 && r->triangle_count <= UINT32_MAX;
}

/* Bytes of a part, which lie in the section. NULL: they have no address (format/source.h). */
static const uint8_t *bytes_of(const bvp_file *file, enum bvpd_section_index section, uint64_t off,
                               uint64_t size)
{
    const uint8_t *data = file->section[section].data;
    if (__builtin_expect(data == NULL && size > 0, 0))
        return bvpi_source_window(file, section, off, size);
    return data + off;
}

/* r: checked. */
static bvp_status make_part(const bvp_file *file, uint32_t part, const bvpd_part *r, bvpi_part *out)
{
    assert(is_part_sound(file, r));
    out->blob = bytes_of(file, BVPD_DATA, r->data_off, r->data_size);
    out->ids = r->ids_size > 0 ? bytes_of(file, BVPD_TIDS, r->ids_off, r->ids_size) : NULL;
    out->blob_size = r->data_size;
    out->ids_size = r->ids_size;
    out->triangle_count = r->triangle_count;
    out->cluster_table_off = r->cluster_table_off;
    out->cluster_count = r->cluster_count;
    out->cluster_shift = r->cluster_shift;
    out->outside = bvpi_outside_of(file, part);
    for (int axis = 0; axis < 3; axis++) {
        out->lo[axis] = r->lo[axis];
        out->hi[axis] = r->hi[axis];
        out->origin[axis] = r->origin[axis];
    }
    return out->blob && (out->ids || r->ids_size == 0) ? BVP_OK : BVP_ERR_LIMIT;
}

bvp_status bvpi_get_part_record(const bvp_file *file, uint32_t part, bvpd_part *out)
{
    if (!get_record(file, BVPD_PART, part, out, sizeof *out))
        return BVP_ERR_ARGUMENT;
    return is_part_sound(file, out) ? BVP_OK : BVP_ERR_CORRUPT;
}

bvp_status bvpi_view_part(const bvp_file *file, uint32_t part, const bvpd_part *record,
                          bvpi_part *out)
{
    if (!is_part_sound(file, record))
        return BVP_ERR_CORRUPT;
    return make_part(file, part, record, out);
}

bvp_status bvpi_get_part_here(const bvp_file *file, uint32_t part, bvpi_part *out)
{
    bvpd_part r;
    const bvp_status status = bvpi_get_part_record(file, part, &r);
    return status == BVP_OK ? make_part(file, part, &r, out) : status;
}

/* Are the grid's corners exact doubles? The unit must be a power of two of moderate size. Its
 * inverse is made from its bits, so that the division below is an exact product. */
static bool is_grid_sound(const bvpd_hierarchy *r)
{
    const uint64_t fraction = (UINT64_C(1) << 52) - 1, bias = 1023;
    uint64_t bits;
    double inverse;
    memcpy(&bits, &r->grid_unit, sizeof bits);
    const uint64_t exponent = bits >> 52; /* with the sign: a negative unit is over the bound */
    if ((bits & fraction) != 0 || exponent < bias - GRID_EXPONENT_MAX - 1 ||
        exponent >= bias + GRID_EXPONENT_MAX)
        return false;
    bits = (2 * bias - exponent) << 52;
    memcpy(&inverse, &bits, sizeof inverse);
    assert(inverse * r->grid_unit == 1);
    bool sound = true;
    for (int axis = 0; axis < 3; axis++) {
        const double steps = r->grid_origin[axis] * inverse; /* exact where it matters */
        const bool small = steps >= -0x1p52 && steps <= 0x1p52;
        sound = sound && small && (double)(int64_t)steps == steps &&
                r->grid_extent[axis] < 1u << BVPD_GRID_BITS;
    }
    return sound;
}

bool bvpi_is_turned(const bvpd_hierarchy *r)
{
    return r->turn[0] != 0 || r->turn[1] != 0 || r->turn[2] != 0 || r->turn[3] != 0;
}

bool bvpi_is_turn_sound(const bvpd_hierarchy *r)
{
    bool sound = true;
    for (int k = 0; k < 4; k++)
        sound = sound && r->turn[k] >= -INT16_MAX;
    return sound;
}

static bvp_status make_tree(const bvpd_hierarchy *r, const uint8_t *units, uint64_t size,
                            bvpi_tree *out)
{
    const uint64_t unit_count = size / BVPD_UNIT;
    if (!units)
        return BVP_ERR_LIMIT;
    assert((uintptr_t)units % BVPD_UNIT == 0);
    out->units = units;
    out->unit_count = unit_count < UINT32_MAX ? (uint32_t)unit_count : UINT32_MAX;
    out->node_count = r->node_count;
    out->root = r->root;
    out->leaf_size = r->leaf_size;
    out->blob_size = size;
    out->outside = NULL;
    out->grid_unit = r->grid_unit;
    for (int axis = 0; axis < 3; axis++) {
        out->grid_origin[axis] = r->grid_origin[axis];
        out->grid_extent[axis] = r->grid_extent[axis];
    }
    memcpy(out->turn, r->turn, sizeof out->turn);
    out->is_turned = bvpi_is_turned(r);
    const bool sound = r->kind == BVPD_KIND_WIDE8 && out->root < out->unit_count &&
                       out->node_count <= out->unit_count && is_grid_sound(r) &&
                       bvpi_is_turn_sound(r);
    return sound ? BVP_OK : BVP_ERR_CORRUPT;
}

/* r: checked, the record of part `part`. */
static bvp_status make_part_tree(const bvp_file *file, uint32_t part, const bvpd_part *r,
                                 bvpi_tree *out)
{
    const uint8_t *blob = bytes_of(file, BVPD_DATA, r->data_off, r->data_size);
    bvpd_hierarchy h;
    if (r->hierarchy_count > 0)
        expect_with(file, BVPD_HIER, r->first_hierarchy, sizeof h, blob);
    if (r->hierarchy_count == 0 || !get_record(file, BVPD_HIER, r->first_hierarchy, &h, sizeof h) ||
        h.part != part || h.data_off != r->data_off || h.data_size != r->data_size)
        return BVP_ERR_CORRUPT;
    out->cluster_shift = r->cluster_shift;
    const bvp_status status = make_tree(&h, blob, r->data_size, out);
    out->outside = bvpi_outside_of(file, part);
    return status;
}

bvp_status bvpi_get_part_tree_here(const bvp_file *file, uint32_t part, bvpi_tree *out)
{
    bvpd_part r;
    const bvp_status status = bvpi_get_part_record(file, part, &r);
    return status == BVP_OK ? make_part_tree(file, part, &r, out) : status;
}

bvp_status bvpi_get_part_and_tree_here(const bvp_file *file, uint32_t part, bvpi_part *out,
                                       bvpi_tree *tree)
{
    bvpd_part r;
    bvp_status status = bvpi_get_part_record(file, part, &r);
    if (status == BVP_OK)
        status = make_part(file, part, &r, out);
    return status == BVP_OK ? make_part_tree(file, part, &r, tree) : status;
}

/* The size of a payload. An upper record is a payload and a link. */
static uint32_t payload_size_of(const bvpd_hierarchy *r)
{
    switch (r->kind) {
    case BVPD_KIND_BOXTREE:
        return 1u + r->plane_max * r->offset_size;
    case BVPD_KIND_AABB:
        return 24;
    default:
        return 13;
    }
}

bool bvpi_is_form_sound(const bvpd_hierarchy *r)
{
    if (r->kind != BVPD_KIND_BOXTREE)
        return r->plane_max == 0 && r->offset_size == 0;
    return r->plane_max >= 1 && r->plane_max <= 3 &&
           (r->offset_size == 1 || r->offset_size == 2 || r->offset_size == 4);
}

bool bvpi_is_order_sound(const bvpd_hierarchy *r, uint64_t triangle_count)
{
    assert(triangle_count <= UINT32_MAX); /* so the product fits */
    if (r->order_width == 0)
        return r->order_off == 0;
    const uint64_t size = (triangle_count * r->order_width + 7) / 8;
    return r->order_width <= 32 && bvpi_fits(r->order_off, size, r->data_size) &&
           r->order_off + size == r->data_size;
}

bool bvpi_is_count_sound(const bvpd_hierarchy *r)
{
    if (r->kind == BVPD_KIND_RAYS)
        return r->node_count >= 1 && r->node_count <= BVPD_RAY_NODES_MAX &&
               r->upper_count == r->node_count &&
               bvpi_fits(r->node_count * (uint64_t)sizeof(bvpd_ray_node), BVPD_RAY_TAIL,
                         r->data_size);
    const uint64_t least = r->kind == BVPD_KIND_BOXTREE ? 1 : payload_size_of(r);
    return r->upper_count >= 1 && r->upper_count <= r->node_count &&
           r->node_count * (least + 1) <= r->data_size &&
           r->upper_count * (payload_size_of(r) + UINT64_C(4)) <= r->data_size;
}

static bool make_binary(const bvp_file *file, const bvpd_hierarchy *r, uint64_t triangle_count,
                        bvpi_binary *out)
{
    if (r->data_off % BVPD_SECTION_ALIGN != 0 ||
        !bvpi_fits(r->data_off, r->data_size, file->section[BVPD_BINH].size) ||
        r->data_size > BVPI_BINARY_SIZE_MAX || !bvpi_is_form_sound(r) || bvpi_is_turned(r))
        return false;
    out->blob = bytes_of(file, BVPD_BINH, r->data_off, r->data_size);
    if (!out->blob)
        return false;
    out->blob_size = r->data_size;
    out->kind = r->kind;
    out->depth = r->depth < BVPD_DEPTH_MAX ? r->depth : BVPD_DEPTH_MAX;
    out->leaf_size = r->leaf_size;
    out->upper_count = r->upper_count;
    out->node_count = r->node_count;
    assert(payload_size_of(r) + 4 <= UINT8_MAX);
    out->payload_size = (uint8_t)payload_size_of(r);
    out->upper_size = (uint8_t)(out->payload_size + 4);
    out->plane_max = r->plane_max;
    out->offset_size = r->offset_size;
    out->grid_unit = r->grid_unit;
    for (int axis = 0; axis < 3; axis++) {
        out->grid_origin[axis] = r->grid_origin[axis];
        out->grid_extent[axis] = r->grid_extent[axis];
    }
    if (!bvpi_is_count_sound(r) || r->leaf_size < 1 || r->leaf_size > BVPD_LEAF_MAX ||
        !is_grid_sound(r) || !bvpi_is_order_sound(r, triangle_count))
        return false;
    out->order_width = r->order_width;
    out->order_count = triangle_count;
    out->order = out->blob + r->order_off;
    assert((uint64_t)out->upper_count * out->upper_size <= out->blob_size);
    return true;
}

bvp_status bvpi_view_binary(const bvp_file *file, const bvpd_hierarchy *record,
                            uint64_t triangle_count, bvpi_binary *out)
{
    const bool is_sound = record->kind >= BVPD_KIND_BOXTREE &&
                          record->kind < BVPD_KIND_BINARY_END && triangle_count <= UINT32_MAX &&
                          make_binary(file, record, triangle_count, out);
    return is_sound ? BVP_OK : BVP_ERR_CORRUPT;
}

bvp_status bvpi_get_part_binary_here(const bvp_file *file, uint32_t part, uint32_t kind,
                                     bvpi_binary *out)
{
    bvpd_part r;
    bvpd_hierarchy h;
    if (kind < BVPD_KIND_BOXTREE || kind >= BVPD_KIND_BINARY_END ||
        !get_record(file, BVPD_PART, part, &r, sizeof r))
        return BVP_ERR_ARGUMENT;
    if (!is_part_sound(file, &r) || r.hierarchy_count >= BVPD_KIND_END)
        return BVP_ERR_CORRUPT;
    for (uint32_t i = 0; i < r.hierarchy_count; i++) {
        if (r.first_hierarchy > UINT32_MAX - i ||
            !get_record(file, BVPD_HIER, r.first_hierarchy + i, &h, sizeof h) || h.part != part)
            return BVP_ERR_CORRUPT;
        if (h.kind == kind)
            return make_binary(file, &h, r.triangle_count, out) ? BVP_OK : BVP_ERR_CORRUPT;
    }
    return BVP_ERR_ARGUMENT;
}

bool bvpi_view_rays(const bvp_file *file, const bvpd_hierarchy *r, bvpi_rays *out)
{
    const uint64_t nodes = r->node_count * (uint64_t)sizeof(bvpd_ray_node);
    if (r->kind != BVPD_KIND_RAYS || r->data_off % BVPD_SECTION_ALIGN != 0 ||
        !bvpi_fits(r->data_off, r->data_size, file->section[BVPD_BINH].size) ||
        !bvpi_is_count_sound(r))
        return false;
    out->nodes = bytes_of(file, BVPD_BINH, r->data_off, r->data_size);
    if (!out->nodes)
        return false;
    out->meshlets = out->nodes + nodes;
    out->meshlet_size = r->data_size - nodes;
    out->node_count = r->node_count;
    return true;
}

bvp_status bvpi_get_part_rays_here(const bvp_file *file, uint32_t part, bvpi_rays *out)
{
    bvpd_part r;
    bvpd_hierarchy h;
    out->nodes = NULL;
    if ((file->header.feature_incompatible & BVPD_FEATURE_RAYS) == 0)
        return BVP_OK;
    if (!get_record(file, BVPD_PART, part, &r, sizeof r))
        return BVP_ERR_ARGUMENT;
    if (r.hierarchy_count < 2) /* it is never the first, and it is the last */
        return BVP_OK;
    if (r.hierarchy_count >= BVPD_KIND_END || r.first_hierarchy > UINT32_MAX - r.hierarchy_count ||
        !get_record(file, BVPD_HIER, r.first_hierarchy + r.hierarchy_count - 1, &h, sizeof h) ||
        h.part != part)
        return BVP_ERR_CORRUPT;
    return h.kind != BVPD_KIND_RAYS || bvpi_view_rays(file, &h, out) ? BVP_OK : BVP_ERR_CORRUPT;
}

/* `r` is the caller's copy. All fields are checked here, for code that copies the bytes. */
bvp_status bvpi_get_hierarchy_record(const bvp_file *file, uint32_t part, const bvpd_part *r,
                                     uint32_t hierarchy, bvpd_hierarchy *out)
{
    bvpi_tree wide;
    bvpi_binary binary;
    bvpi_rays rays;
    if (hierarchy >= r->hierarchy_count || r->hierarchy_count >= BVPD_KIND_END ||
        r->first_hierarchy > UINT32_MAX - hierarchy ||
        !get_record(file, BVPD_HIER, r->first_hierarchy + hierarchy, out, sizeof *out) ||
        out->part != part || out->kind < BVPD_KIND_WIDE8 || out->kind >= BVPD_KIND_END)
        return BVP_ERR_CORRUPT;
    if (out->kind == BVPD_KIND_RAYS)
        return hierarchy > 0 && bvpi_view_rays(file, out, &rays) ? BVP_OK : BVP_ERR_CORRUPT;
    if (out->kind != BVPD_KIND_WIDE8)
        return bvpi_view_binary(file, out, r->triangle_count, &binary);
    if (out->data_off != r->data_off || out->data_size != r->data_size ||
        out->upper_count > out->node_count)
        return BVP_ERR_CORRUPT;
    return make_tree(out, bytes_of(file, BVPD_DATA, r->data_off, r->data_size), r->data_size,
                     &wide);
}

uint32_t bvpi_top_count(const bvp_file *file)
{
    const bvpd_header *h = &file->header;
    const uint64_t records = file->section[BVPD_HIER].count;
    if (h->instance_count == 0)
        return 0;
    if ((h->feature_incompatible & BVPD_FEATURE_TOPS) == 0 || records <= h->top_hierarchy)
        return 1;
    const uint64_t count = records - h->top_hierarchy;
    return count < BVPD_TOP_MAX ? (uint32_t)count : BVPD_TOP_MAX;
}

/* The record of a hierarchy over the instances, those of the most used parts before it and its
 * nodes near the root are neighbours in most files, and wanted together: from afar they come in one
 * read. */
static void want_top(const bvp_file *file, uint32_t top)
{
    const bvpi_span *records = &file->section[BVPD_HIER], *nodes = &file->section[BVPD_TOPN];
    const uint64_t idx = (uint64_t)file->header.top_hierarchy + top;
    if (!file->source || idx >= records->count)
        return;
    const uint64_t off = idx * sizeof(bvpd_hierarchy);
    const bool by_use = (file->header.feature_incompatible & BVPD_FEATURE_BY_USE) != 0;
    const uint64_t often = !by_use ? 0 : off < OFTEN_SIZE ? off : OFTEN_SIZE;
    const uint8_t *begin = records->data + off - often;
    const uint64_t near = nodes->size < NEAR_SIZE ? nodes->size : NEAR_SIZE;
    if ((uint64_t)(nodes->data - begin) <= NEAR_SIZE + often)
        bvpi_want(begin, (size_t)(nodes->data - begin + near));
}

bvp_status bvpi_get_top_tree(const bvp_file *file, uint32_t top, bvpi_tree *out)
{
    const bvpi_span *nodes = &file->section[BVPD_TOPN];
    const bool several = (file->header.feature_incompatible & BVPD_FEATURE_TOPS) != 0;
    bvpd_hierarchy h;
    if (top >= bvpi_top_count(file))
        return BVP_ERR_ARGUMENT;
    want_top(file, top);
    /* an index above UINT32_MAX wraps to a record that is not a top hierarchy's */
    if (!get_record(file, BVPD_HIER, file->header.top_hierarchy + top, &h, sizeof h) ||
        h.part != BVPD_NONE || h.data_off % BVPD_UNIT != 0 ||
        !bvpi_fits(h.data_off, h.data_size, nodes->size) ||
        (!several && h.data_size != nodes->size))
        return BVP_ERR_CORRUPT;
    if (bvpi_is_turned(&h))
        return BVP_ERR_CORRUPT;
    out->cluster_shift = 0;
    return make_tree(&h, nodes->data + h.data_off, h.data_size, out);
}

bvp_status bvpi_get_placement(const bvp_file *file, uint32_t placement, double out[12])
{
    bvpd_placement r;
    if (!get_record(file, BVPD_PLAC, placement, &r, sizeof r) || !are_finite(r.m, 12))
        return BVP_ERR_CORRUPT;
    memcpy(out, r.m, sizeof r.m);
    return BVP_OK;
}

bvp_status bvpi_get_local(const bvp_file *file, const bvpd_instance *r, double out[12])
{
    const bvpi_span *words = &file->section[BVPD_LINS];
    if (r->linear >= words->count ||
        !bvpi_linear_decode(words->data + (uint64_t)r->linear * 8, words->count - r->linear, out))
        return BVP_ERR_CORRUPT;
    for (int a = 0; a < 3; a++)
        out[4 * a + 3] = r->move[a];
    return are_finite(out, 12) ? BVP_OK : BVP_ERR_CORRUPT;
}

bvp_status bvpi_get_instance_part(const bvp_file *file, uint32_t instance, uint32_t *part)
{
    bvpd_instance record;
    if (!get_record(file, BVPD_INST, instance, &record, sizeof record))
        return BVP_ERR_ARGUMENT;
    *part = record.part;
    return record.part < file->section[BVPD_PART].count ? BVP_OK : BVP_ERR_CORRUPT;
}

bvp_status bvpi_get_instance_record(const bvp_file *file, uint32_t instance, bvpd_instance *out)
{
    if (!get_record(file, BVPD_INST, instance, out, sizeof *out))
        return BVP_ERR_ARGUMENT;
    const bool is_sound =
        out->part < file->section[BVPD_PART].count && out->node < file->section[BVPD_TREE].count;
    return is_sound ? BVP_OK : BVP_ERR_CORRUPT;
}

bvp_status bvpi_get_instance(const bvp_file *file, uint32_t instance, bvpd_instance *out,
                             double placement[12])
{
    const bvpi_span *parts = &file->section[BVPD_PART];
    double frame[12], origin[3];
    bvp_status status = bvpi_get_instance_record(file, instance, out);
    if (status != BVP_OK)
        return status;
    expect_with(file, BVPD_LINS, out->linear, sizeof(uint64_t),
                parts->data + out->part * sizeof(bvpd_part));
    status = bvpi_get_local(file, out, placement);
    if (status == BVP_OK && out->frame != 0)
        status = bvpi_get_placement(file, out->frame, frame);
    if (status != BVP_OK)
        return status;
    bvpi_load_record(origin,
                     parts->data + out->part * sizeof(bvpd_part) + offsetof(bvpd_part, origin),
                     sizeof origin);
    bvpi_place_instance(out->frame != 0 ? frame : NULL, placement, origin, placement);
    /* The range in which queries can compute: products with a part's coordinates, and their
     * squares, are finite. */
    for (int i = 0; i < 12; i++)
        if (!(fabs(placement[i]) <= (i % 4 == 3 ? BVPD_LARGEST_MOVE : BVPD_LARGEST_LINEAR)))
            return BVP_ERR_CORRUPT;
    return BVP_OK;
}

bvp_status bvpi_get_tree_node(const bvp_file *file, uint32_t node, bvpd_tree_node *out)
{
    if (!get_record(file, BVPD_TREE, node, out, sizeof *out))
        return BVP_ERR_ARGUMENT;
    const bool is_root = node == 0 && out->parent == BVPD_NONE;
    if ((!is_root && out->parent >= node) || out->end <= node ||
        out->end > file->section[BVPD_TREE].count)
        return BVP_ERR_CORRUPT;
    return BVP_OK;
}

uint32_t bvpi_first_property_of(const bvp_file *file, uint32_t node)
{
    const bvpi_span *tree = &file->section[BVPD_TREE];
    assert(node < tree->count);
    return bvpi_load_u32(tree->data + (uint64_t)node * sizeof(bvpd_tree_node) +
                         offsetof(bvpd_tree_node, first_property));
}

uint32_t bvpi_property_count_of(const bvp_file *file, uint32_t node, uint32_t first)
{
    uint64_t end = file->section[BVPD_PROP].count;
    if (node + UINT64_C(1) < file->section[BVPD_TREE].count)
        end = bvpi_first_property_of(file, node + 1);
    return end > first && end <= file->section[BVPD_PROP].count ? (uint32_t)(end - first) : 0;
}

bvp_string bvpi_get_string(const bvp_file *file, uint32_t ref)
{
    const bvpi_span *strings = &file->section[BVPD_STRS];
    const uint64_t offset = (uint64_t)ref * 4;
    bvp_string out = {"", 0};
    if (ref == 0 ||
        !bvpi_fits(offset, 4, strings->size)) /* 0 means none; then no page is touched */
        return out;
    const uint32_t size = bvpi_load_u32(strings->data + offset); /* once: it may change */
    if (size > strings->size - offset - 4)
        return out;
    bvpi_source_keep(file, strings->data + offset + 4, size);
    out.data = (const char *)strings->data + offset + 4;
    out.size = size;
    return out;
}
