/* SPDX-License-Identifier: MIT
 * ray_meshlet_leaf.h: a leaf of kind rays: which of its triangles a ray meets, and when.
 *
 * Eight triangles are looked at side by side in floats. What is certain there (missed; hit within
 * the range, at a time in an interval) is not looked at again. Of the nearest hit only the place is
 * kept; it is decided in double once, when the walk is over. Whatever floats leave in doubt is
 * decided in double, and exactly where doubles are not certain, by the functions of prim/tri_ray.h,
 * as today's leaves are, on the same bits: so the answers are the same.
 *
 * Bounds. With u = 2^-24 let q = p - o be a corner from the ray's origin, z its coordinate on the
 * axis of the largest |direction|, x = q_x - S z as in prim/tri_ray.h. S and 1 / d_z are off by at
 * most 3 u and 2 u of themselves, q by u of itself and by e, the origin's error: x errs by
 * u (|q_x| + 5 |S z| + |x|) + 2 e, at most E = u (2 |x| + 6 |z|) + ray->err, as |S| <= 1. A side
 * x_i y_j - x_j y_i then errs by 2 E (2 m + E) + 4 u m^2, m the largest |x|, |y|: `err` below.
 * ray->err has 2^-37 (B + |o|) besides, B the part's largest |coordinate|. That is more than 8
 * times what x, y, and d_z t err by in double (the direction's error of 2^-45 included), so that a
 * side in double errs by less than err / 4, too.
 *
 * A triangle whose sides all exceed 2 err, with one sign, is hit by the line. With s their sum, its
 * time is that of the corners weighed by the sides: times d_z it errs by 3 err / s of the corners'
 * spread in z for the weights, and by less than 14 u |z| + ray->err for the roundings. The time
 * that doubles give errs by (3 err / 4) / (s - 4 err) of the spread at most, below 2 err / s of it,
 * and less than ray->err beside: 6 err / s of the spread, 24 u |z| and 2 ray->err bound the
 * difference of the two. So an order of intervals is the order of the answers' times.
 *
 * Slow twin: the walk of the wide hierarchy, tests/property/test_ray_tree.c.
 * Spec: format.md, chapter 9.6; exactness.md, chapter 10, "Ray trees"
 */
#ifndef BVPI_QUERY_RAY_RAY_MESHLET_LEAF_H
#define BVPI_QUERY_RAY_RAY_MESHLET_LEAF_H

#include "query/ray/ray_frame.h"
#include "query/ray/ray_part.h"

/* ---- meshlets -------------------------------------------------------------------------------- */

/* Where things are in a meshlet. */
typedef struct bvpi_meshlet {
    const uint8_t *corners, *rows, *references;
    uint32_t word;
    unsigned vertices, count;
} bvpi_meshlet;

/* The meshlet at `offset`, of `count` triangles. False: it is outside of the bytes. Decoders read
 * up to BVPD_RAY_TAIL bytes beyond it. */
BVPI_INLINE bool bvpi_meshlet_open(const bvpi_rays *rays, uint64_t offset, unsigned count,
                                   bvpi_meshlet *out)
{
    if (offset > rays->meshlet_size - BVPD_RAY_TAIL)
        return false;
    const uint8_t *at = rays->meshlets + offset;
    out->word = bvpi_load_u32(at);
    out->vertices = (out->word & 15) + 1;
    out->count = count;
    out->corners = at + 4;
    out->rows = at + bvpi_meshlet_vertices(count);
    out->references = at + bvpi_meshlet_references(count, out->vertices);
    const uint32_t size = bvpi_meshlet_size(count, out->vertices, out->word & BVPD_RAY_SEVERAL);
    bvpi_want(at, size);
    return size <= rays->meshlet_size - BVPD_RAY_TAIL - offset;
}

/* The lanes of vertex numbers of one corner; below 8 unless `wide`. */
BVPI_INLINE i32x8 bvpi_meshlet_corners(const uint8_t *corners, unsigned at, bool wide)
{
    const uint32_t bits = (uint32_t)(bvpi_load_unaligned_u64(corners + at / 2) >> (4 * (at & 1)));
    const u32x8 shift = {0, 4, 8, 12, 16, 20, 24, 28};
    return (i32x8)(u32x8_splat(bits) >> shift & (wide ? 15u : 7u));
}

/* table[lane], for 16 or, unless `wide`, 8 entries. */
BVPI_INLINE f32x8 bvpi_meshlet_pick(const uint8_t *table, i32x8 lane, bool wide)
{
#ifdef __AVX2__
    const __m256 low = _mm256_loadu_ps((const float *)(const void *)table);
    const __m256 a = _mm256_permutevar8x32_ps(low, (__m256i)lane);
    if (!wide)
        return (f32x8)a;
    const __m256 high = _mm256_loadu_ps((const float *)(const void *)(table + 32));
    const __m256 b = _mm256_permutevar8x32_ps(high, (__m256i)lane);
    return (f32x8)_mm256_blendv_ps(a, b, _mm256_castsi256_ps((__m256i)(lane << 28)));
#else
    f32x8 out;
    (void)wide;
    for (int i = 0; i < 8; i++)
        memcpy((char *)&out + 4 * i, table + 4 * (uint32_t)lane[i], 4);
    return out;
#endif
}

/* The corners on three axes: c[3 * corner + i] on axis[i]. */
BVPI_INLINE void bvpi_meshlet_spread(const bvpi_meshlet *m, const uint32_t axis[3], bool wide,
                                     f32x8 c[9])
{
    BVPI_UNROLL
    for (unsigned k = 0; k < 3; k++) {
        const i32x8 lane = bvpi_meshlet_corners(m->corners, k * m->count, wide);
        BVPI_UNROLL
        for (unsigned i = 0; i < 3; i++)
            c[3 * k + i] =
                bvpi_meshlet_pick(m->rows + (uint64_t)(4 * axis[i]) * m->vertices, lane, wide);
    }
}

/* One triangle: its corners' coordinates on each axis; the fourth numbers are 0. */
BVPI_INLINE void bvpi_meshlet_triangle(const bvpi_meshlet *m, unsigned lane, bvpi_f32x4 tri[3])
{
    const unsigned mask = m->vertices > 8 ? 15 : 7;
    const uint8_t *at[3];
    BVPI_UNROLL
    for (unsigned k = 0; k < 3; k++) {
        const unsigned nibble = k * m->count + lane;
        const unsigned vertex = m->corners[nibble / 2] >> (4 * (nibble & 1)) & mask;
        at[k] = m->rows + 4 * (uint64_t)vertex;
    }
    BVPI_UNROLL
    for (unsigned a = 0; a < 3; a++) {
        float p[3];
        BVPI_UNROLL
        for (unsigned k = 0; k < 3; k++)
            memcpy(&p[k], at[k] + 4 * (uint64_t)a * m->vertices, sizeof *p);
        tri[a] = (bvpi_f32x4){p[0], p[1], p[2], 0};
    }
}

/* ---- eight triangles ------------------------------------------------------------------------- */

/* A ray as leaves see it: along itself, from its origin. */
typedef struct bvpi_meshlet_shear {
    uint32_t axis[3]; /* kx, ky, kz as in bvpi_tri_ray; kx == kz: not set yet */
    float origin[3];  /* on these axes */
    float shear[2], by_z, err;
} bvpi_meshlet_shear;

/* bound: of the part's |coordinates|. */
BVPI_INLINE void bvpi_meshlet_shear_init(bvpi_meshlet_shear *out, const bvpi_frame_ray *ray,
                                         const double bound[3])
{
    const float *d = ray->direction, *o = ray->origin;
    const float x = __builtin_fabsf(d[0]), y = __builtin_fabsf(d[1]), z = __builtin_fabsf(d[2]);
    const unsigned last = (z > x) & (z > y), kz = last * 2 | ((y > x) & ~last);
    const unsigned kx = 9u >> 2 * kz & 3, ky = 18u >> 2 * kz & 3; /* the next two, in a cycle */
    const double reach =
        bvpi_larger(bound[0], bvpi_larger(bound[1], bound[2])) +
        (double)(__builtin_fabsf(o[0]) + __builtin_fabsf(o[1]) + __builtin_fabsf(o[2]));
    out->axis[0] = kx;
    out->axis[1] = ky;
    out->axis[2] = kz;
    out->origin[0] = o[kx];
    out->origin[1] = o[ky];
    out->origin[2] = o[kz];
    out->by_z = ray->inverse[kz];
    out->shear[0] = d[kx] * out->by_z;
    out->shear[1] = d[ky] * out->by_z;
    out->err = ray->err * (2 + 0x1p-20f) + (float)reach * 0x1p-37f;
}

/* The lanes that are not missed for certain; of these, those that the line hits for certain, and
 * when. */
typedef struct bvpi_meshlet_view {
    unsigned left, sure;
    f32x8 lo, hi;
} bvpi_meshlet_view;

/* c: on the ray's axes; lanes: those that there are. Without lanes left, only that is set. */
BVPI_INLINE void bvpi_meshlet_look(const bvpi_meshlet_shear *ray, const f32x8 c[9], unsigned lanes,
                                   bvpi_meshlet_view *out)
{
    const f32x8 ox = bvpi_splat_load(&ray->origin[0]), oy = bvpi_splat_load(&ray->origin[1]);
    const f32x8 oz = bvpi_splat_load(&ray->origin[2]), own = bvpi_splat_load(&ray->err);
    const f32x8 sx = -bvpi_splat_load(&ray->shear[0]), sy = -bvpi_splat_load(&ray->shear[1]);
    f32x8 x[3], y[3], z[3], side[3], m = f32x8_splat(0);
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        z[i] = c[3 * i + 2] - oz;
        x[i] = bvpi_mul_add(sx, z[i], c[3 * i] - ox);
        y[i] = bvpi_mul_add(sy, z[i], c[3 * i + 1] - oy);
        m = f32x8_max(f32x8_max(f32x8_abs(x[i]), f32x8_abs(y[i])), m);
    }
    const f32x8 least = f32x8_min(f32x8_min(z[0], z[1]), z[2]);
    const f32x8 most = f32x8_max(f32x8_max(z[0], z[1]), z[2]);
    const f32x8 far = f32x8_max(most, -least);
    const f32x8 e = bvpi_mul_add(far, f32x8_splat(6.1f * 0x1p-24f),
                                 bvpi_mul_add(m, f32x8_splat(2.1f * 0x1p-24f), own));
    const f32x8 twice = bvpi_mul_add(m, f32x8_splat(4.01f), e * f32x8_splat(2.01f));
    const f32x8 err = bvpi_mul_add(
        twice, e, bvpi_mul_add(m * f32x8_splat(4.1f * 0x1p-24f), m, f32x8_splat(0x1p-120f)));
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        side[i] = x[j] * y[k] - x[k] * y[j];
    }
    const f32x8 low = f32x8_min(f32x8_min(side[0], side[1]), side[2]);
    const f32x8 high = f32x8_max(f32x8_max(side[0], side[1]), side[2]);
    out->left = lanes & ~i32x8_movemask(f32x8_lt(low, -err) & f32x8_gt(high, err));
    if (out->left == 0)
        return;
    const f32x8 double_err = err + err;
    out->sure = i32x8_movemask(f32x8_gt(low, double_err) | f32x8_lt(high, -double_err));
    const f32x8 by_sum = f32x8_splat(1) / (side[0] + side[1] + side[2]);
    const f32x8 by_z = bvpi_splat_load(&ray->by_z);
    const f32x8 sum = bvpi_mul_add(side[0], z[0], bvpi_mul_add(side[1], z[1], side[2] * z[2]));
    const f32x8 t = sum * by_sum * by_z;
    const f32x8 weights = (most - least) * f32x8_splat(6.01f) * err * f32x8_abs(by_sum);
    const f32x8 width = bvpi_mul_add(far, f32x8_splat(24 * 0x1p-24f),
                                     bvpi_mul_add(own, f32x8_splat(2.01f), weights)) *
                            f32x8_abs(by_z) +
                        f32x8_splat(0x1p-120f);
    out->lo = t - width;
    out->hi = t + width;
}

/* ---- one ray under way ----------------------------------------------------------------------- */

/* A hit that is decided, with all that the answer is made from. */
typedef struct bvpi_meshlet_hit {
    bvpi_tri_ray_hit at;
    bvpd_cluster cluster;
    uint32_t local; /* number in the cluster */
    float tri[9];   /* part coordinates */
} bvpi_meshlet_hit;

/* The ray as doubles see it. Rays that take turns share one: `whose` it is. */
typedef struct bvpi_meshlet_judge {
    const void *whose;
    bvp_ray ray;
    bvpi_tri_ray tri;
} bvpi_meshlet_judge;

/* One ray in one part. */
typedef struct bvpi_meshlet_ray {
    bvpi_frame_ray frame;
    bvpi_meshlet_shear shear;
    float limit; /* boxes entered later do not matter */
    float first,
        last; /* the nearest hit so far is in this time; first: infinite if there is none */
    uint32_t ref, lane; /* the nearest hit, if it is not decided; ref 0: it is */
    bool any, found;    /* found: any hit, or one in `best` */
    uint32_t leaves, triangles;
    const bvpi_placed_part *part;
    const bvp_ray *ray; /* the caller's; NULL: that is `floats` */
    const bvp_float_ray *floats;
    bvpi_meshlet_judge *judge;
    bvpi_meshlet_hit best;
} bvpi_meshlet_ray;

/* The frame is ready. t_max: of what may still be found. */
BVPI_INLINE void bvpi_meshlet_ray_begin(bvpi_meshlet_ray *w, double t_max)
{
    w->limit = w->last = bvpi_frame_limit(t_max);
    w->first = __builtin_inff();
    w->ref = 0;
    w->found = false;
    w->leaves = w->triangles = 0;
    w->shear.axis[0] = w->shear.axis[2] = 0;
}

/* Decides about one triangle, in double or exactly. */
bvp_status BVPI_ISA_NAME(bvpi_meshlet_decide)(bvpi_meshlet_ray *w, uint32_t ref, unsigned lane);

/* Decides about the nearest hit so far. */
BVPI_INLINE bvp_status bvpi_meshlet_settle(bvpi_meshlet_ray *w)
{
    const uint32_t ref = w->ref;
    w->ref = 0;
    return ref != 0 ? BVPI_ISA_NAME(bvpi_meshlet_decide)(w, ref, w->lane) : BVP_OK;
}

/* A triangle that is in doubt. */
static __attribute__((noinline)) bvp_status bvpi_meshlet_doubt(bvpi_meshlet_ray *w, uint32_t ref,
                                                               unsigned lane)
{
    bvp_status status = bvpi_meshlet_settle(w);
    if (status == BVP_OK)
        status = BVPI_ISA_NAME(bvpi_meshlet_decide)(w, ref, lane);
    if (status == BVP_OK && w->found && !w->any) {
        const double t = w->best.at.t, limit = t * (1 + 0x1p-22) + 0x1p-126;
        w->first = (float)(t * (1 - 0x1p-22));
        w->last = limit < 0x1p120 ? (float)limit : __builtin_inff();
        w->limit = bvpi_frame_limit(t);
    }
    return status;
}

/* Of the nearest hit. */
BVPI_INLINE bvp_float_hit bvpi_meshlet_answer(const bvpi_meshlet_ray *w)
{
    const bvpi_meshlet_hit *best = &w->best;
    if (!w->found)
        return (bvp_float_hit){.triangle = BVP_NO_TRIANGLE};
    return (bvp_float_hit){.t = (float)best->at.t,
                           .u = (float)best->at.u,
                           .v = (float)best->at.v,
                           .instance = w->part->instance,
                           .triangle = (uint64_t)best->cluster.first_triangle + best->local};
}

/* Prefetches what the answer needs of the cluster, if there is one for the whole meshlet. */
BVPI_INLINE void bvpi_meshlet_fetch_cluster(const bvpi_meshlet_ray *w, uint32_t word)
{
    const bvpi_tree *tree = &w->part->at.tree;
    __builtin_prefetch(tree->units + ((uint64_t)(word >> 8) << tree->cluster_shift));
}

/* Lanes of a leaf that may be hit, at a nearest or any time. */
BVPI_INLINE bvp_status bvpi_meshlet_take(bvpi_meshlet_ray *w, uint32_t ref, uint32_t word,
                                         const bvpi_meshlet_view *view)
{
    const f32x8 begin = f32x8_splat(w->frame.t_first), end = f32x8_splat(w->frame.t_last);
    const unsigned out =
        view->sure & i32x8_movemask(f32x8_lt(view->hi, f32x8_splat(w->frame.t_min)) |
                                    f32x8_gt(view->lo, f32x8_splat(w->last)));
    const unsigned in =
        view->sure & i32x8_movemask(f32x8_gt(view->lo, begin) & f32x8_lt(view->hi, end));
    unsigned left = view->left & ~out;
    float lo[8], hi[8];
    bvp_status status = BVP_OK;
    if (left == 0)
        return BVP_OK;
    if (w->any && (left & in) != 0) {
        w->found = true;
        return BVP_OK;
    }
    f32x8_store(lo, view->lo);
    f32x8_store(hi, view->hi);
    for (; left != 0 && status == BVP_OK; left &= left - 1) {
        const unsigned lane = bvpi_lowest_bit(left);
        if ((in >> lane & 1) != 0 && hi[lane] < w->first) {
            w->ref = ref;
            w->lane = lane;
            w->first = lo[lane];
            w->last = hi[lane];
            w->limit = hi[lane] * (1 + 0x1p-20f) + 0x1p-120f;
            bvpi_meshlet_fetch_cluster(w, word);
        } else if ((view->sure >> lane & 1) == 0 || !(lo[lane] > w->last)) {
            status = bvpi_meshlet_doubt(w, ref, lane);
            if (w->any && w->found)
                break;
        }
    }
    return status;
}

/* Before the ray's first leaf. */
BVPI_INLINE void bvpi_meshlet_ready(bvpi_meshlet_ray *w)
{
    if (w->shear.axis[0] == w->shear.axis[2])
        bvpi_meshlet_shear_init(&w->shear, &w->frame, w->part->at.corner);
}

BVPI_INLINE void bvpi_meshlet_spread_any(const bvpi_meshlet *m, const uint32_t axis[3], f32x8 c[9])
{
    if (m->vertices <= 8)
        bvpi_meshlet_spread(m, axis, false, c);
    else
        bvpi_meshlet_spread(m, axis, true, c);
}

/* A leaf, whose triangles are spread on the axes of the ray, which is ready. */
BVPI_INLINE bvp_status bvpi_meshlet_meet_spread(bvpi_meshlet_ray *w, uint32_t ref,
                                                const bvpi_meshlet *m, const f32x8 c[9])
{
    bvpi_meshlet_view view;
    w->leaves++;
    w->triangles += m->count;
    bvpi_meshlet_look(&w->shear, c, (1u << m->count) - 1, &view);
    return view.left != 0 ? bvpi_meshlet_take(w, ref, m->word, &view) : BVP_OK;
}

/* A leaf: ref is its name. */
BVPI_INLINE bvp_status bvpi_meshlet_meet(bvpi_meshlet_ray *w, uint32_t ref)
{
    bvpi_meshlet m;
    f32x8 c[9];
    if (!bvpi_meshlet_open(&w->part->rays, (uint64_t)(ref & (INT32_MAX ^ 7)), (ref & 7) + 1, &m))
        return BVP_ERR_CORRUPT;
    bvpi_meshlet_ready(w);
    bvpi_meshlet_spread_any(&m, w->shear.axis, c);
    return bvpi_meshlet_meet_spread(w, ref, &m, c);
}

#endif
