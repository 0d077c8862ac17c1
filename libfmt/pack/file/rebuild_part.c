/* SPDX-License-Identifier: MIT
 * rebuild_part.c: builds a packed part anew from its own triangles.
 *
 * A part's triangles are stored with their numbers in the source, bit for bit, corners in their
 * order. Sorted by number they are in the source's order again, and vertices that are numbered in
 * the order of their first use have the numbers that they had after welding. So the builder gets
 * the very mesh that it got when the part was packed, and makes the bytes that it would have made
 * then with these options. What follows from the mesh before that (its hash, defects, origin and
 * rounding error) is copied from the part's record.
 *
 * Two things are lost in a packed part: the order of triangles of equal number (those of one
 * polygon), and without numbers the order of all. There the stored order stands for it.
 *
 * Held by tests/property/test_repack.c: the bytes of a part that was packed so at once.
 * Spec: format.md, chapters "Parts", "Triangle numbers"
 */
#include "pack/file/rebuild_part.h"

#include "base/large_array.h"
#include "base/status.h"
#include "format/identity.h"
#include "format/map.h"
#include "format/record.h"
#include "format/thin.h"
#include "pack/mesh/weld.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 3 }; /* 33 bits hold a number */

/* The triangles of a part. */
typedef struct soup {
    uint64_t count;
    float *positions; /* 9 each */
    uint64_t *ids;
    uint32_t *order; /* triangles by number; those of equal number as they are stored */
} soup;

static bvp_status refuse(uint32_t part, const char *text, bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "",
                          "part %" PRIu32 " of the packed file %s; \"bvpack verify\" says where",
                          part, text);
}

/* Radix sort, least significant digit first, which keeps the order of equal ones. */
static bool sort_by_id(soup *s)
{
    uint32_t *other = bvpi_allocate(s->count, sizeof *other);
    if (!other)
        return false;
    for (uint64_t i = 0; i < s->count; i++)
        s->order[i] = (uint32_t)i;
    for (unsigned d = 0; d < DIGITS; d++) {
        uint32_t places[1 << DIGIT] = {0}, sum = 0;
        for (uint64_t i = 0; i < s->count; i++)
            places[s->ids[i] >> d * DIGIT & ((1 << DIGIT) - 1)]++;
        for (uint32_t k = 0; k < 1 << DIGIT; k++) {
            const uint32_t here = places[k];
            places[k] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < s->count; i++) {
            const uint64_t digit = s->ids[s->order[i]] >> d * DIGIT & ((1 << DIGIT) - 1);
            other[places[digit]++] = s->order[i];
        }
        uint32_t *swapped = s->order;
        s->order = other;
        other = swapped;
    }
    free(other);
    return true;
}

static bvp_status read_soup(const bvp_file *file, uint32_t part, soup *s, bvp_error *error)
{
    uint64_t read = 0;
    s->positions = bvpi_allocate(9 * s->count, sizeof *s->positions);
    s->ids = bvpi_allocate(s->count, sizeof *s->ids);
    s->order = bvpi_allocate(s->count, sizeof *s->order);
    if (!s->positions || !s->ids || !s->order)
        return bvpi_error_memory(error, 48 * s->count);
    const bvp_status status =
        bvp_get_triangles(file, part, (bvp_range){0, s->count}, s->positions, s->ids, &read);
    if (status != BVP_OK || read != s->count)
        return refuse(part, "does not hold the triangles that it announces", error);
    for (uint64_t k = 0; k < 9 * s->count; k++)
        if (!isfinite(s->positions[k]))
            return refuse(part, "has a coordinate that is not finite", error);
    for (uint64_t i = 0; i < s->count; i++)
        if (s->ids[i] > UINT32_MAX)
            return refuse(part, "has a number that no triangle has", error);
    return sort_by_id(s) ? BVP_OK : bvpi_error_memory(error, 4 * s->count);
}

/* Puts the triangles into the source's order and welds them. `in` owns what is made. */
static bvp_status make_mesh(const bvp_builder *b, const soup *s, bvpi_intake *in, bvp_error *error)
{
    const uint64_t corners = 3 * s->count;
    float *sorted = bvpi_allocate(9 * s->count, sizeof *sorted);
    uint32_t *indices = bvpi_allocate(corners, sizeof *indices);
    uint32_t *ids = bvpi_allocate(s->count, sizeof *ids), count = UINT32_MAX;
    uint8_t *positions = NULL;
    bool is_counting = true; /* the numbers are 0, 1, 2 ... */
    in->owned[1] = indices;
    in->owned[2] = ids;
    if (sorted && indices && ids) {
        for (uint64_t i = 0; i < s->count; i++) {
            memcpy(sorted + 9 * i, s->positions + 9 * (uint64_t)s->order[i], 9 * sizeof *sorted);
            ids[i] = (uint32_t)s->ids[s->order[i]];
            is_counting = is_counting && ids[i] == i;
        }
        const bvpi_vertices v = {(const uint8_t *)sorted, 12, 12, (uint32_t)corners, 36};
        count = bvpi_weld(&v, NULL, corners, b->options.thread_count, indices, &positions);
    }
    free(sorted);
    in->owned[0] = positions;
    if (count == UINT32_MAX)
        return bvpi_error_memory(error, 52 * s->count);
    in->mesh.positions = (const float *)positions;
    in->mesh.indices = indices;
    in->mesh.ids = is_counting || b->options.no_ids ? NULL : ids;
    in->mesh.vertex_count = count;
    in->mesh.triangle_count = (uint32_t)s->count;
    in->mesh.has_ids = !b->options.no_ids;
    in->mesh.is_deformable = b->options.deformable != 0;
    return BVP_OK;
}

/* From the old record what the mesh alone decides; packer and address as of a part that is packed
 * now. */
static void keep_record(const bvp_builder *b, const bvpd_part *old, const bvpi_intake *in,
                        bvpd_part *p)
{
    bvpd_part known;
    memcpy(p->content_hash, old->content_hash, sizeof p->content_hash);
    memcpy(p->origin, old->origin, sizeof p->origin);
    p->rounding_error = old->rounding_error;
    p->duplicate_count = old->duplicate_count;
    p->open_edge_count = old->open_edge_count;
    p->nonmanifold_edge_count = old->nonmanifold_edge_count;
    if (!bvpi_has_packer(old))
        return; /* it was deformed, or is another program's: then nothing follows from its hash */
    bvpi_identify_part(b, in, &known);
    memcpy(p->packer, known.packer, sizeof p->packer);
    memcpy(p->address, known.address, sizeof p->address);
}

static bvp_status get_record(const bvp_file *file, uint32_t part, bvpd_part *out, bvp_error *error)
{
    bvp_status status = bvp_check_part(file, part, error);
    if (status == BVP_OK && bvpi_is_elsewhere(file, part))
        status = bvp_verify_part(file, part, NULL, NULL, error);
    if (status == BVP_OK)
        status = bvpi_resolve(&file, &part);
    if (status == BVP_OK)
        status = bvpi_get_part_record(file, part, out);
    if (status == BVP_OK && bvpi_part_fault(out))
        return refuse(part, bvpi_part_fault(out), error);
    /* what is allocated for triangles is bounded by the bytes of the records that hold them */
    if (status == BVP_OK &&
        out->triangle_count > out->data_size / sizeof(bvpd_cluster) * BVPD_CLUSTER_TRIANGLES)
        return refuse(part, "announces more triangles than its bytes hold", error);
    /* the builder's corners are counted in 32 bits */
    if (status == BVP_OK && out->triangle_count > UINT32_MAX / 3)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "part %" PRIu32 " has over 1,431,655,765 triangles", part);
    return status;
}

bvp_status bvpi_part_rebuild(const bvp_builder *b, const bvp_file *file, uint32_t part,
                             bvpi_part_bytes *made, bvp_error *error)
{
    bvpd_part old;
    bvpi_intake in = {0};
    bvpi_watch watch = {.control = b->options.control,
                        .progress = b->options.progress,
                        .user = b->options.progress_user};
    *made = (bvpi_part_bytes){0};
    bvp_status status = get_record(file, part, &old, error);
    if (status != BVP_OK)
        return status;
    soup s = {.count = old.triangle_count};
    status = read_soup(file, part, &s, error);
    if (status == BVP_OK)
        status = make_mesh(b, &s, &in, error);
    free(s.positions);
    free(s.ids);
    free(s.order);
    if (status == BVP_OK && in.mesh.vertex_count != old.vertex_count)
        status = refuse(part, "has not as many vertices as its record says", error);
    if (status == BVP_OK)
        status = bvpi_part_build(&in.mesh, b->specs, b->options.hierarchy_count,
                                 b->options.thread_count, &watch, made, error);
    if (status == BVP_OK) {
        in.rounding_error = old.rounding_error;
        memcpy(in.content_hash, old.content_hash, sizeof in.content_hash);
        keep_record(b, &old, &in, &made->part);
    }
    bvpi_intake_free(&in);
    return status;
}
