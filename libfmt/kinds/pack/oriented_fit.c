/* SPDX-License-Identifier: MIT
 * oriented_fit.c: fits, rounds and encodes oriented boxes and swept rectangles.
 *
 * A volume is stored in 13 bytes relative to its parent, so everything is rounded. The order makes
 * that harmless: choose axes, encode the rotation, decode it, and from then on measure in the
 * decoded frame. The centre is encoded and decoded next; the sizes (of a swept
 * rectangle the radius) come last and are rounded up to the next code, measured from the decoded
 * centre.
 *
 * Axes (bvp_fit): the part's own, the eigenvectors of the surface's covariance, those of the least
 * box on the largest triangle, for large sets the same of the convex hull (hull_axes.c); the least
 * surface wins. Or the paper's: the eigenvectors of the hull's covariance. A rotation has a code
 * for each naming of the axes; the one with the least rounding loss is taken (oriented_kernel.c).
 *
 * Invariant: every corner is in the decoded volume, computed as readers compute it
 * (bvpi_oriented_holds).
 *
 * Held by tests/unit/test_oriented.c and tests/property/test_binary.c.
 * Spec: format.md, chapter "Oriented volumes"; exactness.md, chapter 10
 * Based on: Gottschalk, Lin, Manocha, OBBTree, 1996; Larsen, Gottschalk, Lin, Manocha, Fast
 * distance queries with rectangular swept sphere volumes, 2000 (how far a rectangle may shrink).
 */
#include "kinds/pack/oriented_fit.h"

#include "base/isa.h"
#include "base/simd.h"
#include "kinds/pack/hull_axes.h"
#include "kinds/pack/oriented_kernel.h"

#include <assert.h>
#include <string.h>

enum {
    SEEN = 1024, /* slots of a cache that leaves out most repeated corners; a power of two */
    UNTURNED = 512 << 20 | 512 << 10 | 512, /* the rotation's code that decodes to none at all */
    SEEN_LEAST = 16,                        /* at least; else four times the number of triangles */
    /* Sets below this, which are within a block, are fitted by their own surface alone. With hulls
     * from 17 triangles on four parts' sums of surfaces are smaller by 0 to 0.5 %, and building
     * takes 2.5 times as long. */
    HULL_MIN = 257
};

static const bvpi_fit_kernel *kernel(void)
{
    return BVPI_ISA_CHOOSE(bvpi_fit_kernel, bvpi_isa_of_cpu());
}

uint64_t bvpi_oriented_scratch_size(uint32_t triangle_count)
{
    return bvpi_fit_room(triangle_count) * sizeof(float) + SEEN * sizeof(uint32_t);
}

static void gather(const bvpi_fit_set *set, void *scratch, bvpi_fit_corners *out)
{
    uint32_t slots = SEEN_LEAST;
    while (slots < SEEN && slots / 4 < set->count)
        slots *= 2;
    uint32_t *seen = scratch;
    kernel()->gather(set->mesh, set->triangles, set->count, (float *)(seen + SEEN), seen, slots,
                     out);
}

/* ---- extents --------------------------------------------------------------------------------- */

static double half_surface(double a, double b, double c)
{
    return a * b + b * c + c * a;
}

static double surface_of(const bvpi_range *range)
{
    return half_surface(range->hi[0] - range->lo[0], range->hi[1] - range->lo[1],
                        range->hi[2] - range->lo[2]);
}

/* ---- rotation -------------------------------------------------------------------------------- */

static int shortest_of(const double extent[3])
{
    const int shortest = extent[1] < extent[0] ? 1 : 0;
    return extent[2] < extent[shortest] ? 2 : shortest;
}

/* Of a swept rectangle the last axis is that of the least extent. */
static uint32_t encode_rotation(const double axis[9], const double extent[3], bool rss)
{
    return kernel()->encode(axis, extent, rss ? shortest_of(extent) : -1);
}

/* ---- swept rectangles ------------------------------------------------------------------------ */

static double farthest(const bvpi_oriented *volume, const bvpi_fit_corners *set)
{
    double most = 0;
    for (uint64_t i = 0; i < set->all.count; i++) {
        double corner[3], local[3];
        bvpi_corner_load(&set->all, i, corner);
        bvpi_oriented_local(volume, corner, local);
        const double distance = bvpi_swept_distance(volume, local);
        most = distance > most ? distance : most;
    }
    return most;
}

/* Half the surface of a swept rectangle with these sizes. */
static double swept_surface(const double size[3])
{
    const double pi = 3.14159265358979323846;
    return 4 * size[0] * size[1] + 2 * pi * size[2] * (size[0] + size[1] + size[2]);
}

/* Tries either side rounded down or up. The radius follows from what the rounded rectangle leaves,
 * so a shorter side may need a larger radius; the least surface wins. */
static void encode_swept(bvpi_oriented *volume, double reach, const bvpi_fit_corners *set,
                         const double half[2], uint8_t payload[BVPI_ORIENTED_PAYLOAD])
{
    double best = INFINITY;
    for (int choice = 0; choice < 4; choice++) {
        uint8_t code[3];
        for (int k = 0; k < 2; k++) {
            const int rank = bvpi_size_rank(half[k], reach) - (choice >> k & 1);
            code[k] = half[k] > 0 && rank >= 0 ? bvpi_size_code_of_rank(rank) : 0;
            volume->size[k] = bvpi_size_of_code(code[k]) * reach;
        }
        code[2] = bvpi_size_code_over(farthest(volume, set), reach);
        volume->size[2] = bvpi_size_of_code(code[2]) * reach;
        if (swept_surface(volume->size) < best) {
            best = swept_surface(volume->size);
            memcpy(payload + 10, code, sizeof code);
        }
    }
}

/* ---- all together ---------------------------------------------------------------------------- */

/* How many boxes are proposed, or BVPI_FIT_NO_MEMORY; the best of them, judged by the set's extreme
 * points. */
static uint32_t best_box(const bvpi_fit_set *given, const bvpi_fit_corners *set, bvpi_fit_box *out)
{
    double points[BVPI_FIT_POINTS][3], best = INFINITY;
    bvpi_fit_box boxes[BVPI_FIT_BOXES];
    const bool hull = given->fit == BVP_FIT_EXTREMES && given->count >= HULL_MIN;
    const uint32_t count = bvpi_fit_extremes(set->all.xyz, (uint32_t)set->all.count, hull, points);
    uint32_t proposed =
        bvpi_fit_boxes((const double(*)[3])points, count, &set->surface, hull, boxes);
    if (given->fit == BVP_FIT_HULL && proposed != 1) /* in space: that of the whole hull only */
        proposed = bvpi_fit_hull(set->all.xyz, (uint32_t)set->all.count, &boxes[0]);
    if (proposed == BVPI_FIT_NO_MEMORY)
        return proposed;
    assert(proposed <= BVPI_FIT_BOXES);
    for (uint32_t n = 0; n < proposed; n++) {
        const double *extent = boxes[n].extent;
        const double surface = half_surface(extent[0], extent[1], extent[2]);
        if (surface < best) {
            best = surface;
            *out = boxes[n];
        }
    }
    return proposed;
}

/* A rotation for the set, its code, and the set's range along it around a centre. */
typedef struct turn {
    bvpi_oriented frame;
    uint32_t code;
    bvpi_range range;
} turn;

static void turn_by(uint32_t code, const bvpi_fit_corners *set, turn *out)
{
    out->code = code;
    bvpi_rotation_axes(code, out->frame.axis);
    out->range = kernel()->range(&out->frame, &set->all);
}

/* Axes along those of the part: every corner lies between the two of the set's box. */
static void turn_along_part(const bvpi_fit_corners *set, bool rss, turn *out)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double extent[3] = {set->hi[0] - set->lo[0], set->hi[1] - set->lo[1],
                              set->hi[2] - set->lo[2]};
    if (rss && shortest_of(extent) != 2) {
        turn_by(encode_rotation(identity, extent, rss), set, out);
        return;
    }
    out->code = UNTURNED;
    memcpy(out->frame.axis, identity, sizeof identity);
    bvpi_oriented_local(&out->frame, set->lo, out->range.lo);
    bvpi_oriented_local(&out->frame, set->hi, out->range.hi);
}

/* The better one of the part's axes and the proposed ones, as far as these can be stored: turns[0]
 * or turns[1], whose frames' centres are given; NULL: out of memory. */
static const turn *best_turn(const bvpi_fit_set *given, const bvpi_fit_corners *set, turn turns[2])
{
    const bool rss = given->rss, is_hull = given->fit == BVP_FIT_HULL;
    bvpi_fit_box box;
    turn_along_part(set, rss, &turns[0]);
    const double surface = surface_of(&turns[0].range);
    const uint32_t proposed = best_box(given, set, &box);
    if (proposed == BVPI_FIT_NO_MEMORY)
        return NULL;
    if (proposed == 0 ||
        (!is_hull && half_surface(box.extent[0], box.extent[1], box.extent[2]) >= surface))
        return &turns[0];
    turn_by(encode_rotation(box.axis, box.extent, rss), set, &turns[1]);
    return is_hull || surface_of(&turns[1].range) < surface ? &turns[1] : &turns[0];
}

/* A volume's sizes after its codes. */
static void decode_sizes(const bvpi_oriented *parent, const uint8_t *payload, bvpi_oriented *out)
{
    out->reach = 0;
    for (int k = 0; k < 3; k++) {
        out->size[k] = bvpi_size_of_code(payload[10 + k]) * parent->reach;
        out->reach += out->size[k];
    }
}

bool bvpi_oriented_fit(const bvpi_fit_set *given, const bvpi_oriented *parent,
                       uint8_t payload[BVPI_ORIENTED_PAYLOAD], bvpi_oriented *out, void *scratch)
{
    bvpi_fit_corners set;
    double middle[3], half[3];
    turn turns[2];
    for (int k = 0; k < 3; k++)
        turns[0].frame.centre[k] = turns[1].frame.centre[k] = parent->centre[k];
    gather(given, scratch, &set);
    assert(set.all.count > 0 && set.all.count <= 3 * (uint64_t)given->count); /* `scratch`'s room */
    memset(payload, 0, BVPI_ORIENTED_PAYLOAD);
    const turn *turn = best_turn(given, &set, turns);
    if (!turn)
        return false;
    memcpy(payload, &turn->code, sizeof turn->code);
    bvpi_range range = turn->range;
    if (given->rss) {
        const double z = (range.lo[2] + range.hi[2]) / 2, radius = (range.hi[2] - range.lo[2]) / 2;
        range = bvpi_range_empty();
        bvpi_swept_sides(&turn->frame, &set.all, z, radius, &range);
        bvpi_swept_close(&range);
        bvpi_swept_corners(&turn->frame, &set.all, z, radius, &range);
        range.lo[2] = range.hi[2] = z;
    }
    bvpi_range_middle(&range, middle, half);
    bvpi_centre_encode(&turn->frame, middle, parent->reach, payload);
    bvpi_oriented_volume(parent, payload, out);
    if (given->rss)
        encode_swept(out, parent->reach, &set, half, payload);
    else {
        range = kernel()->range(out, &set.all);
        for (int k = 0; k < 3; k++)
            payload[10 + k] =
                bvpi_size_code_over(bvpi_larger(-range.lo[k], range.hi[k]), parent->reach);
    }
    decode_sizes(parent, payload, out);
    return true;
}
