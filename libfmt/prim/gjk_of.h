/* SPDX-License-Identifier: MIT
 * gjk_of.h: template: the distance of a triangle T and a convex core K by the algorithm of Gilbert,
 * Johnson and Keerthi, in a number type. Include it once for each type, after nearest_of.h, with
 * the same macros.
 *
 * A simplex of at most four differences k - t holds the point nearest to the origin that is known
 * so far, x - y. The next corner is the one farthest along the direction to the origin.
 *
 * Correctness does not rest on the search. x is a convex combination of points of K and y the same
 * of corners of T: whatever the weights are, |x - y| bounds the distance from above. A support
 * along any direction bounds it from below. Rounding may make the search stall; then the interval
 * is wide, and the caller tries better arithmetic.
 *
 * The direction is x - y only where it must be. On an edge or a face of the simplex it is made
 * orthogonal to that: its relative error then does not grow as the distance shrinks, so faces side
 * by side are told apart.
 *
 * Spec: exactness.md, chapter 13, which derives the bounds
 * Based on: Gilbert, Johnson, Keerthi, A fast procedure for computing the distance between complex
 * objects, 1988; van den Bergen, A fast and robust GJK implementation, 1999.
 */

/* K and T relative to K's centre, scaled so that no coordinate, and no difference, is above 1. */
typedef struct NAME(gjk_pair) {
    const bvpi_convex *convex;
    NAME(bvpi_vec) axis[3]; /* columns of the placement, times the half sizes unless it is a hull */
    NAME(bvpi_vec) corner[3];
    NUM radius;
} NAME(gjk_pair);

/* A point of K - T, and where it is from. */
typedef struct NAME(gjk_point) {
    NAME(bvpi_vec) k, t, w;
} NAME(gjk_point);

typedef struct NAME(gjk) {
    NAME(gjk_point) simplex[4];
    unsigned count;
    NAME(bvpi_vec) x, y, between, direction; /* between: x - y */
    NUM distance_sq;
    double lo, hi; /* of the distance, less the radius */
} NAME(gjk);

static inline NUM NAME(gjk_product)(double a, double b)
{
    return NAME(bvpi_num_mul)(NAME(bvpi_num_of)(a), NAME(bvpi_num_of)(b));
}

static inline void NAME(gjk_pair_init)(NAME(gjk_pair) * out, const bvpi_convex_pose *pose,
                                       const float tri[9])
{
    const bvpi_convex *convex = pose->convex;
    const double *m = pose->m, *l = convex->placement.m;
    const NUM scale = NAME(bvpi_num_of)(pose->scale);
    const bool is_hull = convex->kind == BVP_CONVEX_HULL;
    out->convex = convex;
    out->radius = NAME(bvpi_num_mul)(NAME(bvpi_num_of)(convex->radius), scale);
    for (int i = 0; i < 3; i++) {
        const NUM moved = NAME(bvpi_num_sub)(NAME(bvpi_num_of)(m[4 * i + 3]),
                                             NAME(bvpi_num_of)(convex->centre[i]));
        for (int j = 0; j < 3; j++)
            out->axis[j].c[i] = NAME(bvpi_num_mul)(
                NAME(gjk_product)(l[4 * i + j], is_hull ? 1 : convex->half[j]), scale);
        for (int k = 0; k < 3; k++) {
            NUM sum = moved;
            for (int j = 0; j < 3; j++)
                sum = NAME(bvpi_num_add)(sum,
                                         NAME(gjk_product)(m[4 * i + j], (double)tri[3 * k + j]));
            out->corner[k].c[i] = NAME(bvpi_num_mul)(sum, scale);
        }
    }
}

/* ---- support --------------------------------------------------------------------------------- */

/* The hull's point with the least g . q. */
static inline const double *NAME(gjk_hull_point)(const bvpi_convex *convex, const NUM g[3])
{
    const double *best = convex->points;
    NUM least = NAME(bvpi_num_of)(0);
    for (uint32_t i = 0; i < convex->point_count; i++) {
        const double *q = convex->points + 3 * (size_t)i;
        NUM at = NAME(bvpi_num_mul)(g[0], NAME(bvpi_num_of)(q[0]));
        at = NAME(bvpi_num_add)(at, NAME(bvpi_num_mul)(g[1], NAME(bvpi_num_of)(q[1])));
        at = NAME(bvpi_num_add)(at, NAME(bvpi_num_mul)(g[2], NAME(bvpi_num_of)(q[2])));
        if (i == 0 || NAME(bvpi_num_value)(NAME(bvpi_num_sub)(at, least)) < 0) {
            least = at;
            best = q;
        }
    }
    return best;
}

/* How much of each axis the core's point with the least d . k has: g are the axes' products with d.
 */
static inline void NAME(gjk_shares)(const bvpi_convex *convex, const NUM g[3], NUM share[3])
{
    for (int j = 0; j < 3; j++)
        share[j] = NAME(bvpi_num_of)(NAME(bvpi_num_value)(g[j]) > 0 ? -1 : 1);
    if (convex->kind == BVP_CONVEX_HULL) {
        const double *q = NAME(gjk_hull_point)(convex, g);
        for (int j = 0; j < 3; j++)
            share[j] = NAME(bvpi_num_of)(q[j]);
    }
    if (convex->kind != BVP_CONVEX_CYLINDER)
        return;
    const NUM sq = NAME(bvpi_num_add)(NAME(bvpi_num_mul)(g[0], g[0]), //
                                      NAME(bvpi_num_mul)(g[1], g[1]));
    share[0] = NAME(bvpi_num_of)(1); /* all points of the rim, if none is told apart */
    share[1] = NAME(bvpi_num_of)(0);
    if (!(NAME(bvpi_num_value)(sq) > 0x1p-900))
        return;
    const NUM length = NAME(bvpi_num_sqrt)(sq);
    for (int j = 0; j < 2; j++)
        share[j] = NAME(num_neg)(NAME(bvpi_num_div)(g[j], length));
}

/* The point of K - T with the least d . w. */
static inline void NAME(gjk_support)(const NAME(gjk_pair) * pair, NAME(bvpi_vec) d,
                                     NAME(gjk_point) * out)
{
    NUM g[3], share[3], most = NAME(vec_dot)(d, pair->corner[0]);
    for (int j = 0; j < 3; j++)
        g[j] = NAME(vec_dot)(d, pair->axis[j]);
    NAME(gjk_shares)(pair->convex, g, share);
    for (int i = 0; i < 3; i++)
        out->k.c[i] = NAME(bvpi_num_mul)(share[0], pair->axis[0].c[i]);
    out->k = NAME(vec_along)(out->k, share[1], pair->axis[1]);
    out->k = NAME(vec_along)(out->k, share[2], pair->axis[2]);
    out->t = pair->corner[0];
    for (int k = 1; k < 3; k++) {
        const NUM at = NAME(vec_dot)(d, pair->corner[k]);
        if (NAME(bvpi_num_value)(NAME(bvpi_num_sub)(at, most)) > 0) {
            most = at;
            out->t = pair->corner[k];
        }
    }
    out->w = NAME(vec_sub)(out->k, out->t);
}

/* ---- the nearest point of a simplex ---------------------------------------------------------- */

/* The best of the simplex's faces so far. */
typedef struct NAME(gjk_face) {
    unsigned count, at[4];
    NUM weight[4];
} NAME(gjk_face);

/* Takes the point with these weights if it is nearer than the nearest so far; normal: orthogonal to
 * the face, or NULL. */
static inline void NAME(gjk_offer)(NAME(gjk) * g, NAME(gjk_face) * best,
                                   const NAME(gjk_face) * face, const NAME(bvpi_vec) * normal)
{
    NAME(bvpi_vec) x, y;
    for (int i = 0; i < 3; i++) {
        x.c[i] = NAME(bvpi_num_mul)(face->weight[0], g->simplex[face->at[0]].k.c[i]);
        y.c[i] = NAME(bvpi_num_mul)(face->weight[0], g->simplex[face->at[0]].t.c[i]);
    }
    for (unsigned k = 1; k < face->count; k++) {
        x = NAME(vec_along)(x, face->weight[k], g->simplex[face->at[k]].k);
        y = NAME(vec_along)(y, face->weight[k], g->simplex[face->at[k]].t);
    }
    const NAME(bvpi_vec) between = NAME(vec_sub)(x, y);
    const NUM sq = NAME(vec_dot)(between, between);
    if (!(NAME(bvpi_num_value)(NAME(bvpi_num_sub)(sq, g->distance_sq)) < 0))
        return;
    g->x = x;
    g->y = y;
    g->between = between;
    g->distance_sq = sq;
    g->direction = normal ? *normal : between;
    *best = *face;
}

static inline void NAME(gjk_edge)(NAME(gjk) * g, NAME(gjk_face) * best, unsigned a, unsigned b)
{
    const NAME(bvpi_vec) from = g->simplex[a].w, e = NAME(vec_sub)(g->simplex[b].w, from);
    const NUM e_sq = NAME(vec_dot)(e, e);
    if (!(NAME(bvpi_num_value)(e_sq) > 0))
        return;
    const NUM s = NAME(bvpi_num_div)(NAME(num_neg)(NAME(vec_dot)(from, e)), e_sq);
    if (!NAME(num_inside)(s))
        return;
    const NAME(gjk_face) face = {2, {a, b}, {NAME(bvpi_num_sub)(NAME(bvpi_num_of)(1), s), s}};
    const NAME(bvpi_vec) normal = NAME(orthogonal)(NAME(vec_along)(from, s, e), e, e_sq);
    NAME(gjk_offer)(g, best, &face, &normal);
}

static inline void NAME(gjk_triangle)(NAME(gjk) * g, NAME(gjk_face) * best, unsigned a, unsigned b,
                                      unsigned c)
{
    const NAME(bvpi_vec) from = g->simplex[a].w;
    const NAME(bvpi_vec) e = NAME(vec_sub)(g->simplex[b].w, from);
    const NAME(bvpi_vec) f = NAME(vec_sub)(g->simplex[c].w, from);
    NAME(bvpi_vec) n = NAME(vec_cross)(e, f);
    const NUM n_sq = NAME(vec_dot)(n, n), one = NAME(bvpi_num_of)(1);
    if (!(NAME(bvpi_num_value)(n_sq) > 0x1p-900))
        return;
    const NUM s = NAME(bvpi_num_div)(NAME(vec_dot)(NAME(vec_cross)(f, from), n), n_sq);
    const NUM t = NAME(bvpi_num_div)(NAME(vec_dot)(NAME(vec_cross)(from, e), n), n_sq);
    const NUM r = NAME(bvpi_num_sub)(one, NAME(bvpi_num_add)(s, t));
    if (!NAME(num_inside)(s) || !NAME(num_inside)(t) || !NAME(num_inside)(r))
        return;
    if (NAME(bvpi_num_value)(NAME(vec_dot)(n, from)) < 0)
        for (int i = 0; i < 3; i++)
            n.c[i] = NAME(num_neg)(n.c[i]);
    const NAME(gjk_face) face = {3, {a, b, c}, {r, s, t}};
    NAME(gjk_offer)(g, best, &face, &n);
}

static inline void NAME(gjk_inside)(NAME(gjk) * g, NAME(gjk_face) * best)
{
    const NAME(bvpi_vec) from = g->simplex[0].w;
    NAME(bvpi_vec) e[3];
    NUM weight[3], sum = NAME(bvpi_num_of)(0);
    for (int k = 0; k < 3; k++)
        e[k] = NAME(vec_sub)(g->simplex[k + 1].w, from);
    const NUM volume = NAME(vec_dot)(e[0], NAME(vec_cross)(e[1], e[2]));
    if (!(fabs(NAME(bvpi_num_value)(volume)) > 0x1p-900))
        return;
    for (int k = 0; k < 3; k++) {
        const NAME(bvpi_vec) n = NAME(vec_cross)(e[(k + 1) % 3], e[(k + 2) % 3]);
        weight[k] = NAME(num_neg)(NAME(bvpi_num_div)(NAME(vec_dot)(from, n), volume));
        sum = NAME(bvpi_num_add)(sum, weight[k]);
        if (!NAME(num_inside)(weight[k]))
            return;
    }
    const NUM rest = NAME(bvpi_num_sub)(NAME(bvpi_num_of)(1), sum);
    if (!NAME(num_inside)(rest))
        return;
    const NAME(gjk_face) face = {4, {0, 1, 2, 3}, {rest, weight[0], weight[1], weight[2]}};
    NAME(gjk_offer)(g, best, &face, NULL);
}

/* Adds a corner, finds the nearest point of the simplex, and keeps only the corners that hold it.
 * False: none is nearer than before, and nothing has changed. All faces are tried, also those that
 * exact arithmetic would rule out. */
static inline bool NAME(gjk_add)(NAME(gjk) * g, const NAME(gjk_point) * p)
{
    NAME(gjk_face) best = {.count = 0};
    NAME(gjk_point) kept[4];
    const unsigned last = g->count;
    if (last == 4)
        return false; /* a tetrahedron around the origin that rounding made useless */
    g->simplex[last] = *p;
    const NAME(gjk_face) corner = {1, {last}, {NAME(bvpi_num_of)(1)}};
    NAME(gjk_offer)(g, &best, &corner, NULL);
    for (unsigned a = 0; a < last; a++) {
        NAME(gjk_edge)(g, &best, a, last);
        for (unsigned b = 0; b < a; b++)
            NAME(gjk_triangle)(g, &best, b, a, last);
    }
    if (last == 3)
        NAME(gjk_inside)(g, &best);
    if (best.count == 0)
        return false;
    for (unsigned k = 0; k < best.count; k++)
        kept[k] = g->simplex[best.at[k]];
    for (unsigned k = 0; k < best.count; k++)
        g->simplex[k] = kept[k];
    g->count = best.count;
    return true;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The sizes of K and of T add up to at most 1, so roundings of numbers below them are at most UNIT
 * / 2, of one side UNIT / 4. BVPI_GJK_LOWER: a difference k - t along d errs by 6.1 UNIT, of
 * cylinders 11.3; a support that is not the farthest costs 13.9, of hulls 20.8; d . w and its
 * quotient by |d| 11.3, what follows 1.5. BVPI_GJK_UPPER: x - y errs by 15.2, of cylinders 20; its
 * length by 4.4, what follows by 1.5. Held by tests/unit/test_convex_bound.c, which needs more than
 * an eighth. */

static inline void NAME(gjk_lower)(NAME(gjk) * g, const NAME(gjk_pair) * pair, NAME(bvpi_vec) d,
                                   const NAME(gjk_point) * p)
{
    const NUM d_sq = NAME(vec_dot)(d, d), along = NAME(vec_dot)(d, p->w);
    if (!(NAME(bvpi_num_value)(d_sq) > 0x1p-900))
        return;
    const NUM gap = NAME(bvpi_num_div)(along, NAME(bvpi_num_sqrt)(d_sq));
    const double lo = NAME(bvpi_num_value)(NAME(bvpi_num_sub)(gap, pair->radius));
    g->lo = fmax(g->lo, lo - fabs(lo) * 0x1p-52 - BVPI_GJK_LOWER * UNIT);
}

static inline void NAME(gjk_upper)(NAME(gjk) * g, const NAME(gjk_pair) * pair)
{
    const NUM length = NAME(bvpi_num_sqrt)(g->distance_sq);
    const double hi = NAME(bvpi_num_value)(NAME(bvpi_num_sub)(length, pair->radius));
    g->hi = hi + fabs(hi) * 0x1p-52 + BVPI_GJK_UPPER * UNIT;
}

static inline bool NAME(gjk_is_tight)(const NAME(gjk) * g)
{
    return g->hi < INFINITY && g->hi - g->lo <= g->hi * 0x1p-31 + BVPI_CONVEX_BAND / 2;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Polytopes need some ten rounds; on a rim each halves the angle, so the gap falls to a quarter. */
#define GJK_ROUNDS 96

static inline void NAME(gjk_run)(NAME(gjk) * g, const NAME(gjk_pair) * pair,
                                 const bvpi_gjk_goal *goal)
{
    NAME(bvpi_vec) d;
    bool is_plain = true; /* the last direction was x - y itself */
    g->count = 0;
    g->lo = -INFINITY;
    g->hi = INFINITY;
    g->distance_sq = NAME(bvpi_num_of)(0x1p100);
    for (int i = 0; i < 3; i++) { /* from the triangle towards the centre */
        d.c[i] = NAME(bvpi_num_add)(pair->corner[0].c[i], pair->corner[1].c[i]);
        d.c[i] = NAME(num_neg)(NAME(bvpi_num_add)(d.c[i], pair->corner[2].c[i]));
    }
    for (int round = 0; round < GJK_ROUNDS; round++) {
        NAME(gjk_point) p;
        NAME(gjk_support)(pair, d, &p);
        NAME(gjk_lower)(g, pair, d, &p);
        if (g->lo > goal->limit || NAME(gjk_is_tight)(g))
            return;
        if (NAME(gjk_add)(g, &p)) {
            NAME(gjk_upper)(g, pair);
            if (g->hi <= goal->enough || g->hi <= BVPI_CONVEX_BAND)
                return;
            is_plain = false;
            d = g->direction;
        } else if (is_plain) {
            return; /* stalled */
        } else {
            is_plain = true;
            d = g->between;
        }
    }
}

#undef GJK_ROUNDS
#undef NUM
#undef NAME
#undef UNIT
