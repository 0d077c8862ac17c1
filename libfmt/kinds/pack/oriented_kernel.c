/* SPDX-License-Identifier: MIT
 * oriented_kernel.c: gathers the corners of a set with its surface, measures it in a frame, and
 * chooses the code of a rotation; compiled once for each instruction set.
 *
 * Lanes are axes while corners are gathered, corners while they are measured, and codes while these
 * are compared. A lane does what the slow twin does, in its order, so both give the same bits.
 *
 * A rotation has a code for each way to name its box's axes. Those that differ by reversed axes
 * stand for the same boxes, so six are left; each is rounded to the nearest fields, and of the best
 * one all eight roundings are tried. What a rounding costs is taken to the first order in a field's
 * step, 2^-9: it turns the box by a small angle about each of its axes, which makes each side
 * longer by the angle times the side across.
 *
 * Slow twins: bvpi_fit_add (hull_axes.c), bvpi_range_add (oriented_set.c); of all else
 * tests/unit/test_oriented_kernel.c, which decodes all codes.
 * Spec: format.md, chapter "Oriented volumes"
 * Measured: decisions.md, "Oriented trees are built faster"
 */
#include "kinds/pack/oriented_kernel.h"

#include "base/isa.h"
#include "base/simd.h"

#include <assert.h>

/* ---- corners --------------------------------------------------------------------------------- */

static inline bvpi_f32x4 load_corner(const float *p)
{
    return (bvpi_f32x4){p[0], p[1], p[2], 0};
}

/* x y z as y z x; and as z x y. */
static inline f64x4 next_axis(f64x4 v)
{
    return (f64x4){v[1], v[2], v[0], v[3]};
}

static inline f64x4 last_axis(f64x4 v)
{
    return (f64x4){v[2], v[0], v[1], v[3]};
}

/* Sums of a surface, as bvpi_fit_surface: of the second moments xx yy zz and xy yz zx. */
typedef struct sums {
    double area, largest_sq;
    f64x4 first, squares, products, largest;
} sums;

/* bvpi_fit_add. */
static inline void add_triangle(sums *s, const f64x4 corner[3])
{
    const f64x4 p = corner[0], q = corner[1], r = corner[2];
    const f64x4 e = q - p, f = r - p;
    const f64x4 n = next_axis(e) * last_axis(f) - last_axis(e) * next_axis(f), nn = n * n;
    const double length_sq = nn[0] + nn[1] + nn[2];
    if (length_sq > s->largest_sq) {
        s->largest_sq = length_sq;
        s->largest = n;
    }
    const double area = sqrt(length_sq) / 2;
    const f64x4 sum = p + q + r;
    const f64x4 square = sum * sum + p * p + q * q + r * r;
    const f64x4 product =
        sum * next_axis(sum) + p * next_axis(p) + q * next_axis(q) + r * next_axis(r);
    s->area += area;
    s->first += area / 3 * sum;
    s->squares += area / 12 * square;
    s->products += area / 12 * product;
}

static void surface_of(const sums *s, bvpi_fit_surface *out)
{
    *out = (bvpi_fit_surface){.area = s->area,
                              .first = {s->first[0], s->first[1], s->first[2]},
                              .second = {s->squares[0], s->products[0], s->products[2],
                                         s->squares[1], s->products[1], s->squares[2]},
                              .largest = {s->largest[0], s->largest[1], s->largest[2]}};
}

static void gather(const bvpi_mesh *mesh, const uint32_t *triangles, uint32_t count, float *xyz,
                   uint32_t *seen, uint32_t slots, bvpi_fit_corners *out)
{
    const uint32_t *indices = mesh->indices;
    const float *positions = mesh->positions;
    uint64_t used = 0;
    assert(count > 0 && slots > 0 && (slots & (slots - 1)) == 0);
    const f64x4 start = bvpi_f64x4_from_f32x4(
        load_corner(positions + 3 * (uint64_t)indices[3 * (uint64_t)triangles[0]]));
    const f64x4 zero = {0, 0, 0, 0};
    sums s = {0, 0, zero, zero, zero, zero};
    f64x4 lo = start, hi = start;
    memset(seen, 0xff, slots * sizeof *seen);
    for (uint32_t i = 0; i < count; i++) {
        f64x4 corner[3];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = indices[3 * (uint64_t)triangles[i] + (unsigned)k];
            const bvpi_f32x4 at = load_corner(positions + 3 * (uint64_t)vertex);
            uint32_t *slot = &seen[vertex & (slots - 1)];
            memcpy(xyz + 3 * used, &at, sizeof at); /* overwritten by the next, if it is a repeat */
            used += *slot != vertex;
            *slot = vertex;
            corner[k] = bvpi_f64x4_from_f32x4(at);
            lo = f64x4_min(corner[k], lo);
            hi = f64x4_max(corner[k], hi);
            corner[k] -= start;
        }
        add_triangle(&s, corner);
    }
    assert(used > 0 && used <= 3 * (uint64_t)count);
    for (uint64_t i = used; i % BVPI_FIT_ABREAST != 0; i++)
        memcpy(xyz + 3 * i, xyz + 3 * (used - 1), 3 * sizeof *xyz);
    out->all = (bvpi_corners){xyz, used};
    for (int k = 0; k < 3; k++) {
        out->lo[k] = lo[k];
        out->hi[k] = hi[k];
    }
    surface_of(&s, &out->surface);
}

static inline double least_of(f64x4 v)
{
    return bvpi_smaller(bvpi_smaller(v[0], v[1]), bvpi_smaller(v[2], v[3]));
}

static inline double most_of(f64x4 v)
{
    return bvpi_larger(bvpi_larger(v[0], v[1]), bvpi_larger(v[2], v[3]));
}

static inline f64x4 load_axis(const float *xyz)
{
    return bvpi_f64x4_from_f32x4((bvpi_f32x4){xyz[0], xyz[3], xyz[6], xyz[9]});
}

/* bvpi_range_add. */
static bvpi_range range(const bvpi_oriented *volume, const bvpi_corners *set)
{
    const double most = (double)INFINITY;
    f64x4 lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = f64x4_splat(most);
        hi[k] = f64x4_splat(-most);
    }
    for (uint64_t i = 0; i < set->count; i += BVPI_FIT_ABREAST) {
        const float *at = set->xyz + 3 * i;
        const f64x4 x = load_axis(at) - volume->centre[0];
        const f64x4 y = load_axis(at + 1) - volume->centre[1];
        const f64x4 z = load_axis(at + 2) - volume->centre[2];
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            const double *axis = volume->axis + 3 * k;
            const f64x4 local = axis[0] * x + axis[1] * y + axis[2] * z;
            lo[k] = f64x4_min(local, lo[k]);
            hi[k] = f64x4_max(local, hi[k]);
        }
    }
    bvpi_range out;
    for (int k = 0; k < 3; k++) {
        out.lo[k] = least_of(lo[k]);
        out.hi[k] = most_of(hi[k]);
    }
    return out;
}

/* ---- few points ------------------------------------------------------------------------------ */

static void extent(const double (*points)[3], uint32_t count, const double axis[9], double out[3])
{
    const f64x4 x = {axis[0], axis[3], axis[6], 0}, y = {axis[1], axis[4], axis[7], 0};
    const f64x4 z = {axis[2], axis[5], axis[8], 0};
    assert(count > 0);
    f64x4 lo = points[0][0] * x + points[0][1] * y + points[0][2] * z, hi = lo;
    for (uint32_t i = 1; i < count; i++) {
        const f64x4 local = points[i][0] * x + points[i][1] * y + points[i][2] * z;
        lo = f64x4_min(local, lo);
        hi = f64x4_max(local, hi);
    }
    for (int k = 0; k < 3; k++)
        out[k] = hi[k] - lo[k];
}

/* Points in a plane, four at a time; the last one is repeated to fill them. */
typedef struct flat {
    f64x4 x[BVPI_FIT_POINTS / 4], y[BVPI_FIT_POINTS / 4];
    uint32_t count; /* of fours */
} flat;

static void project(const double (*points)[3], uint32_t count, const double u[3], const double v[3],
                    flat *out)
{
    assert(count > 0 && count <= BVPI_FIT_POINTS);
    out->count = 0;
    do {
        const uint32_t i = out->count++;
        const double *p[4];
        for (uint32_t k = 0; k < 4; k++)
            p[k] = points[4 * i + k < count ? 4 * i + k : count - 1];
        const f64x4 x = {p[0][0], p[1][0], p[2][0], p[3][0]};
        const f64x4 y = {p[0][1], p[1][1], p[2][1], p[3][1]};
        const f64x4 z = {p[0][2], p[1][2], p[2][2], p[3][2]};
        out->x[i] = u[0] * x + u[1] * y + u[2] * z;
        out->y[i] = v[0] * x + v[1] * y + v[2] * z;
    } while (4 * out->count < count);
}

typedef struct corner {
    double x, y;
} corner;

/* The leftmost, of these the lowest point. */
static inline corner first_corner(const flat *f)
{
    f64x4 least = f->x[0];
    for (uint32_t i = 1; i < f->count; i++)
        least = f64x4_min(f->x[i], least);
    const double x = least_of(least);
    f64x4 lowest = f64x4_splat((double)INFINITY);
    for (uint32_t i = 0; i < f->count; i++)
        lowest = f64x4_min(
            f64x4_select(f64x4_le(f->x[i], f64x4_splat(x)), f->y[i], f64x4_splat((double)INFINITY)),
            lowest);
    return (corner){x, least_of(lowest)};
}

/* Vectors from a corner of the hull: does (x, y) lie on the right of (u, v), or beyond it? What is
 * nearly on one line is; else points that differ by roundings could lead back and forth. */
static inline i64x4 is_righter(f64x4 u, f64x4 v, f64x4 x, f64x4 y)
{
    const f64x4 turn = u * y - v * x, reach = u * u + v * v, other = x * x + y * y;
    const f64x4 slack = (reach + other) * 0x1p-40;
    return f64x4_lt(turn, -slack) | (f64x4_le(turn, slack) & f64x4_gt(other, reach));
}

/* The corner after `at`: no point is on the right of the way there. */
static inline corner next_corner(const flat *f, corner at)
{
    f64x4 u = {0, 0, 0, 0}, v = u;
    f64x4 x = f64x4_splat(at.x), y = f64x4_splat(at.y);
    for (uint32_t i = 0; i < f->count; i++) {
        const f64x4 dx = f->x[i] - at.x, dy = f->y[i] - at.y;
        const i64x4 better = is_righter(u, v, dx, dy);
        u = f64x4_select(better, dx, u);
        v = f64x4_select(better, dy, v);
        x = f64x4_select(better, f->x[i], x);
        y = f64x4_select(better, f->y[i], y);
    }
    /* the best of the four lanes, all of them beside each one */
    for (int k = 0; k < 4; k++) {
        const unsigned beaten =
            i64x4_movemask(is_righter(f64x4_splat(u[k]), f64x4_splat(v[k]), u, v));
        if (beaten == 0)
            return (corner){x[k], y[k]};
    }
    return (corner){x[0], y[0]};
}

/* Gift wrapping: few points are corners of the hull. It ends after `count`, whatever rounding does.
 * The least rectangle stands on a side of the hull. */
static void rectangle(const double (*points)[3], uint32_t count, const double u[3],
                      const double v[3], double direction[2], double extent[2])
{
    double best = (double)INFINITY, best_sq = 1;
    flat f;
    project(points, count, u, v, &f);
    const corner first = first_corner(&f);
    corner at = first;
    direction[0] = 1;
    direction[1] = extent[0] = extent[1] = 0;
    for (uint32_t n = 0; n < count; n++) {
        const corner next = next_corner(&f, at);
        const double x = next.x - at.x, y = next.y - at.y, length_sq = x * x + y * y;
        if (!(length_sq > 0))
            break;
        f64x4 least = f64x4_splat((double)INFINITY), most = -least, low = least, high = most;
        for (uint32_t i = 0; i < f.count; i++) {
            const f64x4 along = x * f.x[i] + y * f.y[i];
            const f64x4 over = x * (f.y[i] - at.y) - y * (f.x[i] - at.x);
            low = f64x4_min(over, low);
            high = f64x4_max(over, high);
            least = f64x4_min(along, least);
            most = f64x4_max(along, most);
        }
        const double width = most_of(most) - least_of(least),
                     height = most_of(high) - least_of(low);
        if (width * height / length_sq < best) {
            best = width * height / length_sq;
            best_sq = length_sq;
            direction[0] = x;
            direction[1] = y;
            extent[0] = width;
            extent[1] = height;
        }
        at = next;
        if (at.x == first.x && at.y == first.y)
            break;
    }
    const double length = sqrt(best_sq);
    for (int k = 0; k < 2; k++) {
        direction[k] /= length;
        extent[k] /= length;
    }
}

enum { DIRECTIONS = BVPI_FIT_EXTREMES / 2 };

static inline void heights(f64x4 x, f64x4 y, f64x4 z, f64x4 out[DIRECTIONS])
{
    const f64x4 sum = x + y, difference = x - y;
    const f64x4 all[DIRECTIONS] = {
        x,     y,     z,       sum,     difference,     x + z,         x - z,
        y + z, y - z, sum + z, sum - z, difference + z, difference - z};
    for (int d = 0; d < DIRECTIONS; d++)
        out[d] = all[d];
}

/* The first corner of the best in four lanes. */
static uint32_t first_of(f64x4 best, f64x4 step)
{
    int lane = 0;
    for (int k = 1; k < 4; k++)
        if (best[k] > best[lane] || (best[k] == best[lane] && step[k] < step[lane]))
            lane = k;
    return (uint32_t)(step[lane] * BVPI_FIT_ABREAST) + (uint32_t)lane;
}

static void farthest(const float *xyz, uint64_t count, uint32_t at[BVPI_FIT_EXTREMES])
{
    f64x4 best[BVPI_FIT_EXTREMES], step[BVPI_FIT_EXTREMES], height[DIRECTIONS];
    f64x4 now = {0, 0, 0, 0};
    assert(count > 0);
    heights(load_axis(xyz), load_axis(xyz + 1), load_axis(xyz + 2), height);
    for (int d = 0; d < BVPI_FIT_EXTREMES; d++) {
        best[d] = d % 2 ? height[d / 2] : -height[d / 2];
        step[d] = now;
    }
    for (uint64_t i = BVPI_FIT_ABREAST; i < count; i += BVPI_FIT_ABREAST) {
        now += 1;
        heights(load_axis(xyz + 3 * i), load_axis(xyz + 3 * i + 1), load_axis(xyz + 3 * i + 2),
                height);
        BVPI_UNROLL
        for (int d = 0; d < DIRECTIONS; d++) {
            const f64x4 minus = -height[d];
            const i64x4 farther_back = f64x4_gt(minus, best[2 * d]);
            const i64x4 farther = f64x4_gt(height[d], best[2 * d + 1]);
            best[2 * d] = f64x4_max(minus, best[2 * d]);
            best[2 * d + 1] = f64x4_max(height[d], best[2 * d + 1]);
            step[2 * d] = f64x4_select(farther_back, now, step[2 * d]);
            step[2 * d + 1] = f64x4_select(farther, now, step[2 * d + 1]);
        }
    }
    for (int d = 0; d < BVPI_FIT_EXTREMES; d++) {
        at[d] = first_of(best[d], step[d]);
        assert(at[d] < count); /* a repeated last corner is never farther than itself */
    }
}

/* ---- rotations ------------------------------------------------------------------------------- */

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

enum { NAMINGS = 6, FIELD_MAX = 1023, FIELD_ZERO = 512 };

/* The axes that a naming's axes are, perhaps reversed. */
static const int8_t from[NAMINGS][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                        {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};

/* Four rotations side by side; of the box along each of them the extents. */
typedef struct rotations {
    f64x4 q[4], extent[3];
} rotations;

/* Namings 0 .. 3, or the other two twice: q times the rotation that turns the coordinate axes into
 * axes `from`. */
static inline void name_axes(const double q[4], const double extent[3], int half, rotations *out)
{
    const double a = extent[0], b = extent[1], c = extent[2], root = 0.70710678118654752440;
    const f64x4 zero = {0, 0, 0, 0};
    f64x4 w = {1, root, root, root}, x = {0, 0, root, 0}, y = {0, 0, 0, root}, z = {0, root, 0, 0};
    out->extent[0] = (f64x4){a, b, a, c};
    out->extent[1] = (f64x4){b, a, c, b};
    out->extent[2] = (f64x4){c, c, b, a};
    if (half == 1) {
        w = zero + 0.5;
        x = y = z = (f64x4){0.5, -0.5, 0.5, -0.5};
        out->extent[0] = (f64x4){b, c, b, c};
        out->extent[1] = (f64x4){c, a, c, a};
        out->extent[2] = (f64x4){a, b, a, b};
    }
    out->q[0] = q[0] * w - q[1] * x - q[2] * y - q[3] * z;
    out->q[1] = q[0] * x + q[1] * w + q[2] * z - q[3] * y;
    out->q[2] = q[0] * y - q[1] * z + q[2] * w + q[3] * x;
    out->q[3] = q[0] * z + q[1] * y - q[2] * x + q[3] * w;
}

/* Half the surfaces of the boxes along rotations that are `d` steps off, around the boxes along the
 * exact ones. */
static inline f64x4 coded_surface(const rotations *r, const f64x4 d[4])
{
    /* conj(q) d: the angles about the box's axes */
    const f64x4 *q = r->q;
    const double twice = 2 * BVPI_ROTATION_STEP;
    const f64x4 x = twice * f64x4_abs(q[0] * d[1] - q[1] * d[0] - q[2] * d[3] + q[3] * d[2]);
    const f64x4 y = twice * f64x4_abs(q[0] * d[2] - q[2] * d[0] - q[3] * d[1] + q[1] * d[3]);
    const f64x4 z = twice * f64x4_abs(q[0] * d[3] - q[3] * d[0] - q[1] * d[2] + q[2] * d[1]);
    const f64x4 *e = r->extent;
    const f64x4 a = e[0] + z * e[1] + y * e[2];
    const f64x4 b = e[1] + z * e[0] + x * e[2];
    const f64x4 c = e[2] + y * e[0] + x * e[1];
    return a * b + b * c + c * a;
}

/* Reverses quaternions whose largest component is negative, and rounds the others to the nearest
 * fields. Returns the surfaces. */
static inline f64x4 round_nearest(rotations *r)
{
    const double rounder = 0x1.8p52;
    const f64x4 zero = {0, 0, 0, 0};
    f64x4 lead = r->q[0], most = f64x4_abs(lead), d[4], dependent = zero;
    i64x4 is_lead[4], found = {0, 0, 0, 0};
    BVPI_UNROLL
    for (int k = 1; k < 4; k++) {
        const i64x4 more = f64x4_gt(f64x4_abs(r->q[k]), most);
        lead = f64x4_select(more, r->q[k], lead);
        most = f64x4_abs(lead);
    }
    const f64x4 sign = f64x4_select(f64x4_lt(lead, zero), zero - 1, zero + 1);
    BVPI_UNROLL
    for (int k = 0; k < 4; k++) {
        is_lead[k] = f64x4_ge(f64x4_abs(r->q[k]), most) & ~found;
        found |= is_lead[k];
        r->q[k] *= sign;
        const f64x4 steps = r->q[k] * (1 / BVPI_ROTATION_STEP);
        d[k] = f64x4_select(is_lead[k], zero, ((steps + rounder) - rounder) - steps);
        dependent -= r->q[k] * d[k];
    }
    BVPI_UNROLL
    for (int k = 0; k < 4; k++) /* such that it stays a unit quaternion */
        d[k] = f64x4_select(is_lead[k], dependent / (lead * sign), d[k]);
    return coded_surface(r, d);
}

/* The fields of one rotation, each rounded down or up such that the surface is least. */
static inline uint32_t round_best(const rotations *r, int lane)
{
    const double q[4] = {r->q[0][lane], r->q[1][lane], r->q[2][lane], r->q[3][lane]};
    double lost[4] = {0}, best = (double)INFINITY;
    int field[4] = {0};
    unsigned largest = 0, bit[4] = {0}, ups = 0;
    rotations same;
    for (unsigned k = 1; k < 4; k++)
        if (fabs(q[k]) > fabs(q[largest]))
            largest = k;
    for (unsigned k = 0, next = 1; k < 4; k++) {
        same.q[k] = f64x4_splat(q[k]);
        if (k == largest)
            continue;
        const double steps = q[k] * (1 / BVPI_ROTATION_STEP) + FIELD_ZERO; /* positive */
        field[k] = (int)steps;
        lost[k] = steps - field[k];
        bit[k] = next;
        next *= 2;
    }
    for (int k = 0; k < 3; k++)
        same.extent[k] = f64x4_splat(r->extent[k][lane]);
    for (unsigned up = 0; up < 8; up += 4) {
        const f64x4 bits[3] = {{0, 1, 0, 1}, {0, 0, 1, 1}, f64x4_splat(up / 4)};
        f64x4 d[4], dependent = {0, 0, 0, 0};
        for (unsigned k = 0; k < 4; k++) {
            d[k] = (bit[k] == 0 ? dependent * 0 : bits[bit[k] / 2]) - lost[k];
            dependent -= same.q[k] * d[k];
        }
        d[largest] = dependent / same.q[largest];
        const f64x4 surface = coded_surface(&same, d);
        for (unsigned k = 0; k < 4; k++)
            if (surface[k] < best) {
                best = surface[k];
                ups = up + k;
            }
    }
    uint32_t code = largest << 30, place = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (k == largest)
            continue;
        const int value = field[k] + ((ups & bit[k]) != 0);
        code |= (uint32_t)(value < 1 ? 1 : value > FIELD_MAX ? FIELD_MAX : value) << place;
        place += 10;
    }
    return code;
}

static uint32_t encode(const double axis[9], const double extent[3], int last)
{
    double q[4], best = (double)INFINITY;
    rotations r[2];
    int chosen = 0;
    quaternion_of(axis, q);
    for (int half = 0; half < 2; half++) {
        name_axes(q, extent, half, &r[half]);
        const f64x4 surface = round_nearest(&r[half]);
        for (int lane = 0; lane < 4 && 4 * half + lane < NAMINGS; lane++)
            if ((last < 0 || from[4 * half + lane][2] == last) && surface[lane] < best) {
                best = surface[lane];
                chosen = 4 * half + lane;
            }
    }
    return round_best(&r[chosen / 4], chosen % 4);
}

const bvpi_fit_kernel BVPI_ISA_NAME(bvpi_fit_kernel) = {gather, range,     farthest,
                                                        extent, rectangle, encode};
