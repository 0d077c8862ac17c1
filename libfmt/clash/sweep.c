/* SPDX-License-Identifier: MIT
 * sweep.c: a part's axis, and the cylinders around it that hold the part however it turns.
 *
 * The axis is a guess: the direction in which the surface's second moments differ from two others
 * that are alike, as they are with any n-fold symmetry from three on. The cylinders are right for
 * any axis; a bad guess only makes them wide. They end where corners are at one height, so that a
 * bolt has one for its head and one for its shaft; a part with many heights gets slabs of one
 * thickness.
 *
 * A triangle counts for each slab that it passes through, with the farthest point of what the slab
 * cuts out of it: a corner of that is on an edge. A triangle across the axis, between two slabs,
 * counts for the wider one, where it changes least.
 *
 * Rounding: all is computed in double, relative to a centre near the part; slabs are widened by
 * WIDER of the part's size.
 *
 * Held by tests/property/test_clash_sweep.c: turned points are in the slabs.
 * Spec: exactness.md, chapter 12, "What need not be asked again"
 */
#include "clash/sweep.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

#define WIDER 0x1p-40 /* of the part's size; a dozen roundings are 2^-49 */
#define LEVEL 1e-6    /* heights that differ by no more, of the part's size, are one */
#define ALIKE 1e-3    /* moments that differ by no more, of the largest, are equal */

/* ---- the axis -------------------------------------------------------------------------------- */

/* The surface's area and first and second moments, relative to `from`. */
typedef struct moments {
    double area, first[3], second[9];
} moments;

static void add_triangle(moments *m, const float tri[9], const double from[3])
{
    double p[9], u[3], v[3], sum[3], cross[3];
    for (int k = 0; k < 9; k++)
        p[k] = (double)tri[k] - from[k % 3];
    for (int i = 0; i < 3; i++) {
        u[i] = p[3 + i] - p[i];
        v[i] = p[6 + i] - p[i];
        sum[i] = p[i] + p[3 + i] + p[6 + i];
    }
    for (int i = 0; i < 3; i++)
        cross[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    const double area = 0.5 * sqrt(bvpi_dot(cross, cross));
    m->area += area;
    for (int i = 0; i < 3; i++) {
        m->first[i] += area * sum[i] / 3;
        for (int k = 0; k < 3; k++)
            m->second[3 * i + k] +=
                area / 12 *
                (sum[i] * sum[k] + p[i] * p[k] + p[3 + i] * p[3 + k] + p[6 + i] * p[6 + k]);
    }
}

/* Jacobi: s becomes diagonal, the columns of q its eigenvectors. */
static void find_axes(double s[9], double q[9])
{
    enum { SWEEPS = 12 };
    for (int k = 0; k < 9; k++)
        q[k] = k % 4 == 0;
    for (int round = 0; round < 3 * SWEEPS; round++) {
        const int i = round % 3, j = (i + 1) % 3;
        const double off = s[3 * i + j];
        if (off == 0)
            continue;
        const double theta = (s[4 * j] - s[4 * i]) / (2 * off);
        const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        const double c = 1 / sqrt(t * t + 1), d = t * c;
        for (int k = 0; k < 3; k++) { /* columns, then rows */
            const double x = s[3 * k + i], y = s[3 * k + j];
            s[3 * k + i] = c * x - d * y;
            s[3 * k + j] = d * x + c * y;
            const double v = q[3 * k + i], w = q[3 * k + j];
            q[3 * k + i] = c * v - d * w;
            q[3 * k + j] = d * v + c * w;
        }
        for (int k = 0; k < 3; k++) {
            const double x = s[3 * i + k], y = s[3 * j + k];
            s[3 * i + k] = c * x - d * y;
            s[3 * j + k] = d * x + c * y;
        }
    }
}

/* False: no two moments are alike. */
static bool find_axis(const float *tris, uint64_t count, bvpi_sweep *out)
{
    moments m = {0};
    double from[3], s[9], q[9];
    for (int i = 0; i < 3; i++)
        from[i] = (double)tris[i];
    for (uint64_t k = 0; k < count; k++)
        add_triangle(&m, tris + 9 * k, from);
    if (!(m.area > 0))
        return false;
    for (int i = 0; i < 3; i++)
        out->centre[i] = m.first[i] / m.area;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            s[3 * i + k] = m.second[3 * i + k] / m.area - out->centre[i] * out->centre[k];
    find_axes(s, q);
    int best = 0;
    double least = INFINITY, most = 0;
    for (int k = 0; k < 3; k++) { /* the two others' difference */
        const double off = fabs(s[4 * ((k + 1) % 3)] - s[4 * ((k + 2) % 3)]);
        most = fmax(most, s[4 * k]);
        if (off < least) {
            least = off;
            best = k;
        }
    }
    if (!(least <= ALIKE * most))
        return false;
    for (int i = 0; i < 3; i++) {
        out->centre[i] += from[i];
        out->axis[i] = q[3 * i + best];
    }
    for (int i = 0; i < 3; i++)
        if (fabs(out->axis[i]) > 1 - 0x1p-30) /* modelled along a coordinate axis */
            for (int k = 0; k < 3; k++)
                out->axis[k] = k == i;
    return true;
}

/* ---- slabs ----------------------------------------------------------------------------------- */

/* Corners relative to the centre: the height, and the vector from the axis. */
typedef struct corner {
    double height, across[3];
} corner;

/* Heights at which slabs begin and end: a little more than one each. */
typedef struct levels {
    double lo[BVPI_SWEEP_SLABS + 1], hi[BVPI_SWEEP_SLABS + 1];
    uint32_t count;
} levels;

static void find_corners(const float *tris, uint64_t count, bvpi_sweep *out, corner *corners)
{
    for (uint64_t k = 0; k < 3 * count; k++) {
        corner *c = &corners[k];
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = (double)tris[3 * k + (uint64_t)i] - out->centre[i];
        c->height = bvpi_dot(p, out->axis);
        for (int i = 0; i < 3; i++)
            c->across[i] = p[i] - c->height * out->axis[i];
        out->half = fmax(out->half, fabs(c->height));
        out->radius = fmax(out->radius, sqrt(bvpi_dot(c->across, c->across)));
    }
}

/* Adds a height to the levels, which stay in ascending order and apart. False: it needs one more
 * than there is room for. */
static bool add_height(levels *l, double height, double least)
{
    uint32_t at = 0;
    while (at < l->count && l->hi[at] + least < height)
        at++;
    if (at == l->count || height < l->lo[at] - least) {
        if (l->count == BVPI_SWEEP_SLABS + 1)
            return false;
        memmove(l->lo + at + 1, l->lo + at, (l->count - at) * sizeof *l->lo);
        memmove(l->hi + at + 1, l->hi + at, (l->count - at) * sizeof *l->hi);
        l->lo[at] = l->hi[at] = height;
        l->count++;
        return true;
    }
    l->lo[at] = fmin(l->lo[at], height);
    l->hi[at] = fmax(l->hi[at], height);
    if (at + 1 < l->count && l->lo[at + 1] <= l->hi[at] + least) { /* two have become one */
        l->hi[at] = l->hi[at + 1];
        l->count--;
        memmove(l->lo + at + 1, l->lo + at + 2, (l->count - at - 1) * sizeof *l->lo);
        memmove(l->hi + at + 1, l->hi + at + 2, (l->count - at - 1) * sizeof *l->hi);
    }
    return true;
}

static void find_levels(const corner *corners, uint64_t count, double size, levels *out)
{
    double lo = INFINITY, hi = -INFINITY;
    bool is_few = true;
    out->count = 0;
    for (uint64_t k = 0; k < count; k++) {
        is_few = is_few && add_height(out, corners[k].height, LEVEL * size);
        lo = fmin(lo, corners[k].height);
        hi = fmax(hi, corners[k].height);
    }
    if (is_few && out->count > 1)
        return;
    for (uint32_t k = 0; k <= BVPI_SWEEP_SLABS; k++)
        out->lo[k] = out->hi[k] = lo + (hi - lo) * k / BVPI_SWEEP_SLABS;
    out->hi[BVPI_SWEEP_SLABS] = hi;
    out->count = BVPI_SWEEP_SLABS + 1;
}

/* The farthest point from the axis of the part of an edge between two heights. */
static double reach_of(const corner *p, const corner *q, double from, double to)
{
    double most = 0;
    const double rise = q->height - p->height;
    double t[2] = {0, 1};
    if (rise != 0) {
        const double at_from = (from - p->height) / rise, at_to = (to - p->height) / rise;
        t[0] = fmax(0, fmin(at_from, at_to));
        t[1] = fmin(1, fmax(at_from, at_to));
    } else if (p->height < from || p->height > to) {
        return 0;
    }
    for (int end = 0; end < 2 && t[0] <= t[1]; end++) {
        double point[3];
        for (int i = 0; i < 3; i++)
            point[i] = p->across[i] + t[end] * (q->across[i] - p->across[i]);
        most = fmax(most, bvpi_dot(point, point));
    }
    return sqrt(most);
}

/* Widens the slabs that hold the triangle. Level triangles between two slabs come last. */
static void hold_triangle(const corner c[3], const levels *at, bool is_last, bvpi_sweep *out)
{
    const double low = fmin(c[0].height, fmin(c[1].height, c[2].height));
    const double high = fmax(c[0].height, fmax(c[1].height, c[2].height));
    uint32_t first = 0, last = 0;
    while (first + 1 < out->slab_count && at->lo[first + 1] <= low)
        first++;
    while (last + 1 < out->slab_count && at->hi[last + 1] < high)
        last++;
    const bool is_level = high <= at->hi[first] && first > 0;
    if (is_level != is_last)
        return;
    if (is_level) /* at the level below slab `first` */
        first = last = out->slab[first].radius >= out->slab[first - 1].radius ? first : first - 1;
    for (uint32_t k = first; k <= last; k++) {
        struct bvpi_sweep_slab *slab = &out->slab[k];
        for (int i = 0; i < 3; i++)
            slab->radius =
                fmax(slab->radius, reach_of(&c[i], &c[(i + 1) % 3], at->lo[k], at->hi[k + 1]));
    }
}

static void find_slabs(const corner *corners, uint64_t count, bvpi_sweep *out)
{
    const double size = out->half + out->radius, wider = WIDER * size;
    levels at;
    find_levels(corners, 3 * count, size, &at);
    out->slab_count = at.count - 1;
    assert(out->slab_count >= 1 && out->slab_count <= BVPI_SWEEP_SLABS);
    for (uint64_t k = 0; k < 2 * count; k++)
        hold_triangle(corners + 3 * (k % count), &at, k >= count, out);
    for (uint32_t k = 0; k < out->slab_count; k++) {
        struct bvpi_sweep_slab *slab = &out->slab[k];
        slab->radius += wider;
        slab->from = at.lo[k] - wider;
        slab->to = at.hi[k + 1] + wider;
        out->volume += (slab->to - slab->from) * slab->radius * slab->radius;
    }
}

/* ---- a part ---------------------------------------------------------------------------------- */

static bvp_status find_sweep(const bvp_file *file, uint32_t part, const bvp_control *control,
                             void **out)
{
    enum { MOST = BVPI_SWEEP_TRIANGLES };
    bvpi_sweep *sweep = calloc(1, sizeof *sweep);
    float *tris = malloc(sizeof(float[9]) * MOST);
    bvp_part_info info;
    uint64_t count = 0;
    (void)control; /* it takes less than a millisecond */
    bvp_status status = sweep && tris ? bvp_get_part(file, part, &info) : BVP_ERR_NO_MEMORY;
    if (status == BVP_OK && info.triangle_count <= MOST)
        status = bvp_get_triangles(file, part, (bvp_range){0, MOST}, tris, NULL, &count);
    if (status == BVP_OK && count > 0 && find_axis(tris, count, sweep)) {
        corner *corners = malloc(3 * count * sizeof *corners);
        if (corners) {
            find_corners(tris, count, sweep, corners);
            sweep->is_round = isfinite(sweep->half + sweep->radius);
            if (sweep->is_round)
                find_slabs(corners, count, sweep);
        } else {
            status = BVP_ERR_NO_MEMORY;
        }
        free(corners);
    }
    free(tris);
    if (status == BVP_OK)
        *out = sweep;
    else
        free(sweep);
    return status;
}

bvp_status bvpi_sweep_get(bvpi_part_cache *cache, uint32_t part, const bvpi_sweep **out)
{
    const void *found;
    const bvp_status status = bvpi_part_cache_get(cache, part, find_sweep, NULL, &found);
    *out = found;
    return status;
}
