/* SPDX-License-Identifier: MIT
 * sweep_clear.c: is a part's surface clear of what another part sweeps?
 *
 * A point is farther than the margin from a slab if it is above or below it by more than that, or
 * farther from the axis than the radius and the margin. So each triangle is cut to the slab's
 * heights, widened by the margin; what is left, seen along the axis, is a convex polygon, which
 * must not come as near to the axis as that.
 *
 * Rounding: coordinates relative to the sweep's centre are right to a few units in the last place
 * of the triangle's largest one; NOISE of that is added to the margin. A polygon holds the axis if
 * it is on the same side of all its edges. Sides nearer to the axis than NOISE tell nothing: if the
 * polygon held the axis, its other sides would, or one side would be nearer than the margin.
 *
 * Held by tests/property/test_clash_sweep.c.
 * Spec: exactness.md, chapter 12, "What need not be asked again"
 */
#include <assert.h>
#include <math.h>

#include "base/vec3.h"
#include "clash/sweep.h"

#define NOISE 0x1p-40 /* of the largest coordinate; all roundings are below 2^-46 */

enum { CUT_MOST = 5 };

/* Seen along the axis. */
typedef struct corner {
    double x, y, height;
} corner;

typedef struct viewer {
    const bvpi_placed_sweep *placed;
    double u[3], v[3]; /* across the axis */
    double margin;
    float lo[3], hi[3]; /* what is outside is farther away than the margin */
} viewer;

static void viewer_init(viewer *w, const bvpi_placed_sweep *placed, double margin)
{
    const double *n = placed->axis;
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[least]))
            least = i;
    const double unit[3] = {least == 0, least == 1, least == 2};
    bvpi_cross(n, unit, w->u);
    const double size = sqrt(bvpi_dot(w->u, w->u));
    for (int i = 0; i < 3; i++)
        w->u[i] /= size;
    bvpi_cross(n, w->u, w->v);
    w->placed = placed;
    w->margin = margin;
    for (int i = 0; i < 3; i++) {
        const double half =
            (placed->sweep->half * fabs(n[i]) + placed->sweep->radius + margin) * (1 + 0x1p-20);
        w->lo[i] = (float)(placed->centre[i] - half - fabs(placed->centre[i]) * 0x1p-22);
        w->hi[i] = (float)(placed->centre[i] + half + fabs(placed->centre[i]) * 0x1p-22);
    }
}

static bool is_outside(const viewer *w, const float tri[9])
{
    for (int i = 0; i < 3; i++)
        if ((tri[i] > w->hi[i] && tri[3 + i] > w->hi[i] && tri[6 + i] > w->hi[i]) ||
            (tri[i] < w->lo[i] && tri[3 + i] < w->lo[i] && tri[6 + i] < w->lo[i]))
            return true;
    return false;
}

/* What is above (sign 1) or below (sign -1) a height. */
static int cut(const corner *in, int count, double height, double sign, corner *out)
{
    int kept = 0;
    assert(count <= CUT_MOST);
    for (int i = 0; i < count; i++) {
        const corner *p = &in[i], *q = &in[i + 1 < count ? i + 1 : 0];
        const double a = sign * (p->height - height), b = sign * (q->height - height);
        if (a >= 0)
            out[kept++] = *p;
        if ((a < 0) != (b < 0)) {
            const double t = a / (a - b);
            out[kept++] = (corner){p->x + t * (q->x - p->x), p->y + t * (q->y - p->y), height};
        }
    }
    return kept;
}

/* Is a convex polygon farther than `least` from the axis? */
static bool is_beyond(const corner *c, int count, double least, double size)
{
    bool is_left = false, is_right = false;
    for (int i = 0; i < count; i++) {
        const corner *p = &c[i], *q = &c[i + 1 < count ? i + 1 : 0];
        const double dx = q->x - p->x, dy = q->y - p->y, length_sq = dx * dx + dy * dy;
        const double side = p->x * dy - p->y * dx, along = -(p->x * dx + p->y * dy);
        const double t = length_sq > 0 ? fmin(fmax(along / length_sq, 0), 1) : 0;
        const double x = p->x + t * dx, y = p->y + t * dy;
        if (!(x * x + y * y > least * least))
            return false;
        is_left = is_left || side > NOISE * size * size;
        is_right = is_right || side < -NOISE * size * size;
    }
    return is_left == is_right; /* both: outside. Neither: a line */
}

static bool is_triangle_clear(const viewer *w, const float tri[9])
{
    const bvpi_sweep *sweep = w->placed->sweep;
    corner c[3], cut_once[CUT_MOST + 1], left[CUT_MOST + 2];
    double size = 0, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; k++) {
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = (double)tri[3 * k + i] - w->placed->centre[i];
        c[k] = (corner){bvpi_dot(p, w->u), bvpi_dot(p, w->v), bvpi_dot(p, w->placed->axis)};
        size = fmax(size, fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
        low = fmin(low, c[k].height);
        high = fmax(high, c[k].height);
    }
    const double margin = w->margin + NOISE * size, least = sweep->radius + margin;
    if (low > sweep->half + margin || high < -sweep->half - margin)
        return true;
    if (fmin(c[0].x, fmin(c[1].x, c[2].x)) > least || fmax(c[0].x, fmax(c[1].x, c[2].x)) < -least ||
        fmin(c[0].y, fmin(c[1].y, c[2].y)) > least || fmax(c[0].y, fmax(c[1].y, c[2].y)) < -least)
        return true;
    if (!(margin > 0x1p-18 * size))
        return false; /* noise would not be small beside it */
    for (uint32_t k = 0; k < sweep->slab_count; k++) {
        const struct bvpi_sweep_slab *slab = &sweep->slab[k];
        if (low > slab->to + margin || high < slab->from - margin)
            continue;
        int count = cut(c, 3, slab->from - margin, 1, cut_once);
        count = cut(cut_once, count, slab->to + margin, -1, left);
        if (count > 0 && !is_beyond(left, count, slab->radius + margin, size))
            return false;
    }
    return true;
}

bool bvpi_sweep_is_clear(const bvpi_placed_sweep *placed, double margin, const float *tris,
                         uint64_t count)
{
    viewer w;
    assert(placed->sweep->is_round);
    viewer_init(&w, placed, margin);
    for (uint64_t k = 0; k < count; k++)
        if (!is_outside(&w, tris + 9 * k) && !is_triangle_clear(&w, tris + 9 * k))
            return false;
    return true;
}
