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
 * surface wins. Or the paper's: the eigenvectors of the hull's covariance. A rotation has up to 24
 * codes, one for each naming of the axes; the one with the least rounding loss is taken.
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

#include "kinds/pack/hull_axes.h"

#include <assert.h>
#include <string.h>

enum {
    SEEN = 1024, /* slots of a cache that leaves out most repeated corners; a power of two */
    SEEN_FEW = 64, /* for sets that are all extreme points, however often they are repeated */
    FIELD_MAX = 1023,
    FIELD_ZERO = 512,
    /* Sets below this, which are within a block, are fitted by their own surface alone. With hulls
     * from 17 triangles on four parts' sums of surfaces are smaller by 0 to 0.5 %, and building
     * takes 2.5 times as long. */
    HULL_MIN = 257
};

/* The corners of the set, repeats mostly left out, and the box around them. */
typedef struct corners {
    bvpi_corners all;
    float lo[3], hi[3];
} corners;

uint64_t bvpi_oriented_scratch_size(uint32_t triangle_count)
{
    return (uint64_t)triangle_count * 9 * sizeof(float) + SEEN * sizeof(uint32_t);
}

static corners gather(const bvpi_mesh *mesh, const uint32_t *triangles, uint32_t count,
                      void *scratch)
{
    uint32_t *seen = scratch;
    float *xyz = (float *)(seen + SEEN);
    const uint32_t slots = 3 * (uint64_t)count <= BVPI_FIT_POINTS ? SEEN_FEW : SEEN;
    corners out = {{xyz, 0}, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    memset(seen, 0xff, slots * sizeof *seen);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->indices[3 * (uint64_t)triangles[i] + k];
            uint32_t *slot = &seen[vertex & (slots - 1)];
            if (*slot == vertex)
                continue;
            *slot = vertex;
            const float *position = mesh->positions + 3 * (uint64_t)vertex;
            for (int x = 0; x < 3; x++) {
                xyz[3 * out.all.count + (unsigned)x] = position[x];
                out.lo[x] = position[x] < out.lo[x] ? position[x] : out.lo[x];
                out.hi[x] = position[x] > out.hi[x] ? position[x] : out.hi[x];
            }
            out.all.count++;
        }
    return out;
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

/* Of the corners in the frame of `volume`. */
static bvpi_range range_of(const bvpi_oriented *volume, const corners *set)
{
    bvpi_range out = bvpi_range_empty();
    bvpi_range_add(&out, volume, &set->all);
    return out;
}

/* ---- rotation -------------------------------------------------------------------------------- */

/* The quaternion (w, x, y, z) of a rotation. */
static void quaternion_of(const double axis[9], double q[4])
{
    const double xx = axis[0], yy = axis[4], zz = axis[8];
    const double square[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz,
                              1 - xx - yy + zz};
    unsigned largest = 0;
    for (unsigned k = 1; k < 4; k++)
        if (square[k] > square[largest])
            largest = k;
    const double wx = axis[5] - axis[7], wy = axis[6] - axis[2], wz = axis[1] - axis[3];
    const double xy = axis[1] + axis[3], xz = axis[2] + axis[6], yz = axis[5] + axis[7];
    const double product[4][4] = {{square[0], wx, wy, wz},
                                  {wx, square[1], xy, xz},
                                  {wy, xy, square[2], yz},
                                  {wz, xz, yz, square[3]}};
    assert(square[largest] > 0); /* the four add up to 4 */
    const double scale = 1 / (2 * sqrt(square[largest]));
    for (unsigned k = 0; k < 4; k++)
        q[k] = product[largest][k] * scale;
}

/* A way to name a box's axes: the rotation q that becomes q times `by`, whose axis i is axis
 * from[i] of q, perhaps reversed. Those that reverse axes only are left out: their codes stand for
 * the same boxes. */
typedef struct naming {
    double by[4];
    uint8_t from[3];
} naming;

#define HALF_ROOT 0.70710678118654752440
static const naming namings[] = {{{1, 0, 0, 0}, {0, 1, 2}},
                                 {{HALF_ROOT, 0, 0, HALF_ROOT}, {1, 0, 2}},
                                 {{HALF_ROOT, HALF_ROOT, 0, 0}, {0, 2, 1}},
                                 {{HALF_ROOT, 0, HALF_ROOT, 0}, {2, 1, 0}},
                                 {{0.5, 0.5, 0.5, 0.5}, {1, 2, 0}},
                                 {{0.5, -0.5, -0.5, -0.5}, {2, 0, 1}}};
enum { NAMINGS = sizeof namings / sizeof namings[0] };

/* A rotation on its way to a code: its quaternion, whose largest component is positive, and the
 * others as fields, rounded down, with what was lost in steps. extent: of the box, as named. */
typedef struct coding {
    double q[4], lost[3], extent[3];
    int field[3];
    unsigned largest;
} coding;

static void coding_of(const double q[4], const double extent[3], const naming *name, coding *out)
{
    const double *p = name->by;
    double r[4];
    r[0] = q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3];
    r[1] = q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2];
    r[2] = q[0] * p[2] - q[1] * p[3] + q[2] * p[0] + q[3] * p[1];
    r[3] = q[0] * p[3] + q[1] * p[2] - q[2] * p[1] + q[3] * p[0];
    out->largest = 0;
    for (unsigned k = 1; k < 4; k++)
        if (fabs(r[k]) > fabs(r[out->largest]))
            out->largest = k;
    const double sign = r[out->largest] < 0 ? -1 : 1;
    for (unsigned k = 0, field = 0; k < 4; k++) {
        out->q[k] = sign * r[k];
        if (k == out->largest)
            continue;
        const double steps = out->q[k] * (1 / BVPI_ROTATION_STEP) + FIELD_ZERO;
        out->field[field] = (int)steps; /* positive: as far as 511 steps below FIELD_ZERO */
        out->lost[field] = steps - out->field[field];
        field++;
    }
    for (int i = 0; i < 3; i++)
        out->extent[i] = extent[name->from[i]];
}

/* Half the surface of the box along the rotation whose fields are rounded, some of them up (bits),
 * around the box along the exact one; without what is of the second order in a field's step. */
static double coded_surface(const coding *c, unsigned up)
{
    double d[4], dependent = 0, reach[3];
    for (unsigned k = 0, field = 0; k < 4; k++) {
        if (k == c->largest)
            continue;
        d[k] = (double)(up >> field & 1) - c->lost[field];
        dependent -= c->q[k] * d[k];
        field++;
    }
    d[c->largest] = dependent / c->q[c->largest]; /* it stays a unit quaternion */
    /* conj(q) d: by how much it turns about each of the box's axes */
    const double *q = c->q, twice = 2 * BVPI_ROTATION_STEP;
    const double x = twice * fabs(q[0] * d[1] - q[1] * d[0] - q[2] * d[3] + q[3] * d[2]);
    const double y = twice * fabs(q[0] * d[2] - q[2] * d[0] - q[3] * d[1] + q[1] * d[3]);
    const double z = twice * fabs(q[0] * d[3] - q[3] * d[0] - q[1] * d[2] + q[2] * d[1]);
    reach[0] = c->extent[0] + z * c->extent[1] + y * c->extent[2];
    reach[1] = c->extent[1] + z * c->extent[0] + x * c->extent[2];
    reach[2] = c->extent[2] + y * c->extent[0] + x * c->extent[1];
    return half_surface(reach[0], reach[1], reach[2]);
}

/* The fields to the nearest, as bits. */
static unsigned nearest_up(const coding *c)
{
    return (c->lost[0] >= 0.5 ? 1 : 0) | (c->lost[1] >= 0.5 ? 2 : 0) | (c->lost[2] >= 0.5 ? 4 : 0);
}

/* The code whose axes are nearest to the given ones, however named; of a swept rectangle the last
 * one is that of the least extent. */
static uint32_t encode_rotation(const double axis[9], const double extent[3], bool rss)
{
    const double exact = half_surface(extent[0], extent[1], extent[2]);
    double q[4], best = INFINITY;
    coding tried, chosen;
    int shortest = extent[1] < extent[0] ? 1 : 0;
    shortest = extent[2] < extent[shortest] ? 2 : shortest;
    quaternion_of(axis, q);
    for (int n = 0; n < NAMINGS && best > exact; n++) {
        if (rss && namings[n].from[2] != shortest)
            continue;
        coding_of(q, extent, &namings[n], &tried);
        const double surface = coded_surface(&tried, nearest_up(&tried));
        if (surface < best) {
            best = surface;
            chosen = tried;
        }
    }
    /* the nearest fields do not always give the nearest axes */
    unsigned rounded_up = nearest_up(&chosen);
    for (unsigned up = 0; up < 8 && best > exact; up++) {
        const double surface = coded_surface(&chosen, up);
        if (surface < best) {
            best = surface;
            rounded_up = up;
        }
    }
    uint32_t code = chosen.largest << 30;
    for (unsigned field = 0; field < 3; field++) {
        const int value = chosen.field[field] + (int)(rounded_up >> field & 1);
        code |= (uint32_t)(value < 1 ? 1 : value > FIELD_MAX ? FIELD_MAX : value) << (10 * field);
    }
    return code;
}

/* ---- swept rectangles ------------------------------------------------------------------------ */

static double farthest(const bvpi_oriented *volume, const corners *set)
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
static void encode_swept(bvpi_oriented *volume, double reach, const corners *set,
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

static bvpi_fit_surface surface_of_set(const bvpi_fit_set *set)
{
    const bvpi_mesh *mesh = set->mesh;
    const uint32_t *triangles = set->triangles;
    bvpi_fit_surface out = {0};
    const float *start = mesh->positions + 3 * (uint64_t)mesh->indices[3 * (uint64_t)triangles[0]];
    for (uint32_t i = 0; i < set->count; i++) {
        double corner[3][3];
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->indices[3 * (uint64_t)triangles[i] + k];
            for (int x = 0; x < 3; x++)
                corner[k][x] = (double)mesh->positions[3 * (uint64_t)vertex + x] - start[x];
        }
        bvpi_fit_add(&out, corner[0], corner[1], corner[2]);
    }
    return out;
}

/* How many sets of axes are proposed, or BVPI_FIT_NO_MEMORY; the best of them, judged by the set's
 * extreme points, and about how far the set reaches along it. */
static uint32_t best_axes(const bvpi_fit_set *given, const corners *set, double axis[9],
                          double extent[3])
{
    double points[BVPI_FIT_POINTS][3], axes[BVPI_FIT_AXES][9], best = INFINITY;
    const bvpi_fit_surface surface = surface_of_set(given);
    const uint32_t count = bvpi_fit_extremes(set->all.xyz, (uint32_t)set->all.count, points);
    uint32_t proposed =
        bvpi_fit_axes((const double(*)[3])points, count, &surface,
                      given->fit == BVP_FIT_EXTREMES && given->count >= HULL_MIN, axes);
    if (given->fit == BVP_FIT_HULL && proposed != 1) /* in space: those of the whole hull only */
        proposed = bvpi_fit_hull(set->all.xyz, (uint32_t)set->all.count, axes[0]);
    if (proposed == BVPI_FIT_NO_MEMORY)
        return proposed;
    assert(proposed <= BVPI_FIT_AXES);
    for (uint32_t n = 0; n < proposed; n++) {
        bvpi_oriented frame = {.centre = {points[0][0], points[0][1], points[0][2]}};
        bvpi_range range = bvpi_range_empty();
        memcpy(frame.axis, axes[n], sizeof frame.axis);
        for (uint32_t i = 0; i < count; i++) {
            double local[3];
            bvpi_oriented_local(&frame, points[i], local);
            bvpi_range_extend(&range, local);
        }
        if (surface_of(&range) < best) {
            best = surface_of(&range);
            memcpy(axis, axes[n], sizeof axes[n]);
            for (int k = 0; k < 3; k++)
                extent[k] = range.hi[k] - range.lo[k];
        }
    }
    return proposed;
}

/* A rotation for the set, and the set's range in it around a centre. */
typedef struct turn {
    uint32_t code;
    bvpi_range range;
} turn;

/* Axes along those of the part: every corner lies between the two of the set's box. */
static turn turn_along_part(const corners *set, bool rss, bvpi_oriented *frame)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double extent[3] = {(double)set->hi[0] - set->lo[0], (double)set->hi[1] - set->lo[1],
                              (double)set->hi[2] - set->lo[2]};
    turn out = {.code = encode_rotation(identity, extent, rss)};
    bvpi_rotation_axes(out.code, frame->axis);
    if (memcmp(frame->axis, identity, sizeof identity) != 0) {
        out.range = range_of(frame, set);
        return out;
    }
    const double lo[3] = {set->lo[0], set->lo[1], set->lo[2]};
    const double hi[3] = {set->hi[0], set->hi[1], set->hi[2]};
    bvpi_oriented_local(frame, lo, out.range.lo);
    bvpi_oriented_local(frame, hi, out.range.hi);
    return out;
}

/* The better one of the part's axes and the proposed ones, as far as these can be stored. False:
 * out of memory. */
static bool best_turn(const bvpi_fit_set *given, const corners *set, bvpi_oriented *frame,
                      turn *out)
{
    const bool rss = given->rss, is_hull = given->fit == BVP_FIT_HULL;
    double axis[9], extent[3];
    turn best = turn_along_part(set, rss, frame);
    const uint32_t proposed = best_axes(given, set, axis, extent);
    if (proposed == BVPI_FIT_NO_MEMORY)
        return false;
    if (proposed > 0 &&
        (is_hull || half_surface(extent[0], extent[1], extent[2]) < surface_of(&best.range))) {
        turn other = {.code = encode_rotation(axis, extent, rss)};
        bvpi_rotation_axes(other.code, frame->axis);
        other.range = range_of(frame, set);
        if (is_hull || surface_of(&other.range) < surface_of(&best.range))
            best = other;
    }
    bvpi_rotation_axes(best.code, frame->axis);
    *out = best;
    return true;
}

bool bvpi_oriented_fit(const bvpi_fit_set *given, const bvpi_oriented *parent,
                       uint8_t payload[BVPI_ORIENTED_PAYLOAD], bvpi_oriented *out, void *scratch)
{
    const corners set = gather(given->mesh, given->triangles, given->count, scratch);
    bvpi_oriented frame = {.centre = {parent->centre[0], parent->centre[1], parent->centre[2]}};
    double middle[3], half[3];
    assert(set.all.count > 0 && set.all.count <= 3 * (uint64_t)given->count); /* `scratch`'s room */
    memset(payload, 0, BVPI_ORIENTED_PAYLOAD);
    turn turn;
    if (!best_turn(given, &set, &frame, &turn))
        return false;
    memcpy(payload, &turn.code, sizeof turn.code);
    bvpi_range range = turn.range;
    if (given->rss) {
        const double z = (range.lo[2] + range.hi[2]) / 2, radius = (range.hi[2] - range.lo[2]) / 2;
        range = bvpi_range_empty();
        bvpi_swept_sides(&frame, &set.all, z, radius, &range);
        bvpi_swept_close(&range);
        bvpi_swept_corners(&frame, &set.all, z, radius, &range);
        range.lo[2] = range.hi[2] = z;
    }
    bvpi_range_middle(&range, middle, half);
    bvpi_centre_encode(&frame, middle, parent->reach, payload);
    bvpi_oriented_volume(parent, payload, out);
    if (given->rss)
        encode_swept(out, parent->reach, &set, half, payload);
    else {
        range = range_of(out, &set);
        for (int k = 0; k < 3; k++)
            payload[10 + k] = bvpi_size_code_over(fmax(-range.lo[k], range.hi[k]), parent->reach);
    }
    bvpi_oriented_volume(parent, payload, out);
    return true;
}
