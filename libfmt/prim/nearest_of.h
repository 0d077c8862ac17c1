/* SPDX-License-Identifier: MIT
 * nearest_of.h: template: nearest points of two triangles, or of the origin and a triangle, in a
 * number type. Include it once for each type, with the macros below defined.
 *
 * Correctness does not rest on this search: distance_bounds() gives a valid interval for any two
 * points that it returns. Rounding may make it choose a worse pair; then the interval is wide and
 * the caller tries better arithmetic.
 * Spec: exactness.md, chapter 6, which derives the bounds
 * Based on: Larsen, Gottschalk, Lin, Manocha, Fast distance queries with RSS volumes, 2000.
 */

/* NUM: the number type; NAME(x): x with the type's suffix; its operations are NAME(bvpi_num_add)
 * and so on; UNIT: bound of an operation's relative error. */

typedef struct NAME(bvpi_vec) {
    NUM c[3];
} NAME(bvpi_vec);

/* The best pair so far: points x and y, y - x, and `direction`, nearly y - x but orthogonal to the
 * features that x and y lie on. Its relative error does not grow as the distance shrinks. */
typedef struct NAME(bvpi_nearest) {
    NAME(bvpi_vec) x, y, between, direction;
    NUM distance_sq;
    int any;
} NAME(bvpi_nearest);

static inline NAME(bvpi_vec) NAME(vec_sub)(NAME(bvpi_vec) a, NAME(bvpi_vec) b)
{
    NAME(bvpi_vec) r;
    for (int i = 0; i < 3; i++)
        r.c[i] = NAME(bvpi_num_sub)(a.c[i], b.c[i]);
    return r;
}

/* a + s b */
static inline NAME(bvpi_vec) NAME(vec_along)(NAME(bvpi_vec) a, NUM s, NAME(bvpi_vec) b)
{
    NAME(bvpi_vec) r;
    for (int i = 0; i < 3; i++)
        r.c[i] = NAME(bvpi_num_add)(a.c[i], NAME(bvpi_num_mul)(s, b.c[i]));
    return r;
}

static inline NUM NAME(vec_dot)(NAME(bvpi_vec) a, NAME(bvpi_vec) b)
{
    NUM r = NAME(bvpi_num_mul)(a.c[0], b.c[0]);
    r = NAME(bvpi_num_add)(r, NAME(bvpi_num_mul)(a.c[1], b.c[1]));
    return NAME(bvpi_num_add)(r, NAME(bvpi_num_mul)(a.c[2], b.c[2]));
}

static inline NAME(bvpi_vec) NAME(vec_cross)(NAME(bvpi_vec) a, NAME(bvpi_vec) b)
{
    NAME(bvpi_vec) r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.c[i] = NAME(bvpi_num_sub)(NAME(bvpi_num_mul)(a.c[j], b.c[k]),
                                    NAME(bvpi_num_mul)(a.c[k], b.c[j]));
    }
    return r;
}

static inline NUM NAME(num_neg)(NUM a)
{
    return NAME(bvpi_num_sub)(NAME(bvpi_num_of)(0), a);
}

/* A double-double just below 1 has a high half of 1, so look at the difference. */
static inline int NAME(num_below_1)(NUM a)
{
    const double x = NAME(bvpi_num_value)(a);
    return x < 1 ||
           (x == 1 && NAME(bvpi_num_value)(NAME(bvpi_num_sub)(NAME(bvpi_num_of)(1), a)) > 0);
}

static inline NUM NAME(num_clamp)(NUM a)
{
    if (!(NAME(bvpi_num_value)(a) > 0))
        return NAME(bvpi_num_of)(0);
    return NAME(num_below_1)(a) ? a : NAME(bvpi_num_of)(1);
}

static inline int NAME(num_inside)(NUM a)
{
    return NAME(bvpi_num_value)(a) > 0 && NAME(num_below_1)(a);
}

static inline void NAME(offer)(NAME(bvpi_nearest) * best, NAME(bvpi_vec) x, NAME(bvpi_vec) y,
                               NAME(bvpi_vec) direction)
{
    NAME(bvpi_vec) between = NAME(vec_sub)(y, x);
    NUM d = NAME(vec_dot)(between, between);
    if (best->any && !(NAME(bvpi_num_value)(NAME(bvpi_num_sub)(d, best->distance_sq)) < 0))
        return;
    *best = (NAME(bvpi_nearest)){x, y, between, direction, d, 1};
}

/* v without its component along e. */
static inline NAME(bvpi_vec) NAME(orthogonal)(NAME(bvpi_vec) v, NAME(bvpi_vec) e, NUM e_sq)
{
    NUM s = NAME(bvpi_num_div)(NAME(vec_dot)(v, e), e_sq);
    return NAME(vec_along)(v, NAME(num_neg)(s), e);
}

/* The parameter t in 0 .. 1 of the point of segment p + t e nearest to q. */
static inline NUM NAME(foot)(NAME(bvpi_vec) q, NAME(bvpi_vec) p, NAME(bvpi_vec) e, NUM e_sq)
{
    if (!(NAME(bvpi_num_value)(e_sq) > 0))
        return NAME(bvpi_num_of)(0);
    return NAME(num_clamp)(NAME(bvpi_num_div)(NAME(vec_dot)(NAME(vec_sub)(q, p), e), e_sq));
}

/* Segments p + s e and q + t f: the lines' nearest points, clamped to the segments, then each
 * projected onto the other. */
static inline void NAME(offer_edges)(NAME(bvpi_nearest) * best, NAME(bvpi_vec) p, NAME(bvpi_vec) e,
                                     NAME(bvpi_vec) q, NAME(bvpi_vec) f)
{
    NUM ee = NAME(vec_dot)(e, e), ff = NAME(vec_dot)(f, f), ef = NAME(vec_dot)(e, f);
    NAME(bvpi_vec) w = NAME(vec_sub)(q, p);
    NUM ew = NAME(vec_dot)(e, w), fw = NAME(vec_dot)(f, w);
    NUM det = NAME(bvpi_num_sub)(NAME(bvpi_num_mul)(ee, ff), NAME(bvpi_num_mul)(ef, ef));
    NUM s = NAME(bvpi_num_of)(0);
    if (NAME(bvpi_num_value)(det) > 0)
        s = NAME(num_clamp)(NAME(bvpi_num_div)(
            NAME(bvpi_num_sub)(NAME(bvpi_num_mul)(ew, ff), NAME(bvpi_num_mul)(fw, ef)), det));
    NUM t = NAME(foot)(NAME(vec_along)(p, s, e), q, f, ff);
    NAME(bvpi_vec) y = NAME(vec_along)(q, t, f);
    s = NAME(foot)(y, p, e, ee);
    NAME(bvpi_vec) x = NAME(vec_along)(p, s, e), v = NAME(vec_sub)(y, x);
    int on_e = NAME(num_inside)(s), on_f = NAME(num_inside)(t);
    if (on_e && on_f)
        v = NAME(vec_cross)(e, f);
    else if (on_e)
        v = NAME(orthogonal)(v, e, ee);
    else if (on_f)
        v = NAME(orthogonal)(v, f, ff);
    NAME(offer)(best, x, y, v);
}

/* The point q and the inside of triangle t, if q's foot lies there. flip: q belongs to A. */
static inline void NAME(offer_face)(NAME(bvpi_nearest) * best, NAME(bvpi_vec) q,
                                    const NAME(bvpi_vec) t[3], int flip)
{
    NAME(bvpi_vec) e = NAME(vec_sub)(t[1], t[0]), f = NAME(vec_sub)(t[2], t[0]);
    NAME(bvpi_vec) n = NAME(vec_cross)(e, f), w = NAME(vec_sub)(q, t[0]);
    NUM u = NAME(vec_dot)(NAME(vec_cross)(w, f), n), v = NAME(vec_dot)(NAME(vec_cross)(e, w), n);
    NUM nn = NAME(vec_dot)(n, n), rest = NAME(bvpi_num_sub)(nn, NAME(bvpi_num_add)(u, v));
    if (!(NAME(bvpi_num_value)(nn) > 0 && NAME(bvpi_num_value)(u) >= 0 &&
          NAME(bvpi_num_value)(v) >= 0 && NAME(bvpi_num_value)(rest) >= 0))
        return;
    NAME(bvpi_vec) foot = NAME(vec_along)(t[0], NAME(bvpi_num_div)(u, nn), e);
    foot = NAME(vec_along)(foot, NAME(bvpi_num_div)(v, nn), f);
    NAME(offer)(best, flip ? q : foot, flip ? foot : q, n);
}

/* For triangles that do not cross each other. */
static inline void NAME(nearest_of_triangles)(const NAME(bvpi_vec) a[3], const NAME(bvpi_vec) b[3],
                                              NAME(bvpi_nearest) * best)
{
    *best = (NAME(bvpi_nearest)){0};
    for (int i = 0; i < 3; i++) {
        NAME(bvpi_vec) e = NAME(vec_sub)(a[(i + 1) % 3], a[i]);
        for (int j = 0; j < 3; j++)
            NAME(offer_edges)(best, a[i], e, b[j], NAME(vec_sub)(b[(j + 1) % 3], b[j]));
        NAME(offer_face)(best, b[i], a, 0);
        NAME(offer_face)(best, a[i], b, 1);
    }
}

/* The origin and a triangle. */
static inline void NAME(nearest_to_origin)(const NAME(bvpi_vec) b[3], NAME(bvpi_nearest) * best)
{
    NAME(bvpi_vec) zero;
    for (int i = 0; i < 3; i++)
        zero.c[i] = NAME(bvpi_num_of)(0);
    *best = (NAME(bvpi_nearest)){0};
    for (int j = 0; j < 3; j++)
        NAME(offer_edges)(best, zero, zero, b[j], NAME(vec_sub)(b[(j + 1) % 3], b[j]));
    NAME(offer_face)(best, zero, b, 1);
}

/* The point where segment p q crosses the plane of t, and the point of t nearest to it. flip: p q
 * belongs to B. */
static inline void NAME(offer_crossing)(NAME(bvpi_nearest) * best, NAME(bvpi_vec) p,
                                        NAME(bvpi_vec) q, const NAME(bvpi_vec) t[3], int flip)
{
    NAME(bvpi_vec) n = NAME(vec_cross)(NAME(vec_sub)(t[1], t[0]), NAME(vec_sub)(t[2], t[0]));
    NUM hp = NAME(vec_dot)(n, NAME(vec_sub)(p, t[0])),
        hq = NAME(vec_dot)(n, NAME(vec_sub)(q, t[0]));
    if ((NAME(bvpi_num_value)(hp) < 0) == (NAME(bvpi_num_value)(hq) < 0))
        return;
    NUM s = NAME(bvpi_num_div)(hp, NAME(bvpi_num_sub)(hp, hq));
    NAME(bvpi_vec) x = NAME(vec_along)(p, s, NAME(vec_sub)(q, p)), moved[3];
    NAME(bvpi_nearest) foot;
    for (int i = 0; i < 3; i++)
        moved[i] = NAME(vec_sub)(t[i], x);
    NAME(nearest_to_origin)(moved, &foot);
    NAME(bvpi_vec) y = NAME(vec_along)(x, NAME(bvpi_num_of)(1), foot.y);
    NAME(offer)(best, flip ? y : x, flip ? x : y, n);
}

/* A common point of triangles that meet. If no edge runs through the other triangle,
 * nearest_of_triangles() has found one. */
static inline void NAME(offer_crossings)(const NAME(bvpi_vec) a[3], const NAME(bvpi_vec) b[3],
                                         NAME(bvpi_nearest) * best)
{
    for (int i = 0; i < 3; i++) {
        NAME(offer_crossing)(best, a[i], a[(i + 1) % 3], b, 0);
        NAME(offer_crossing)(best, b[i], b[(i + 1) % 3], a, 1);
    }
}

/* The largest magnitude on each axis. */
static inline void NAME(vec_sizes)(const NAME(bvpi_vec) a[3], const NAME(bvpi_vec) b[3],
                                   double size[3])
{
    for (int x = 0; x < 3; x++) {
        size[x] = 0;
        for (int i = 0; i < 3; i++) {
            double p = fabs(NAME(bvpi_num_value)(a[i].c[x]));
            double q = fabs(NAME(bvpi_num_value)(b[i].c[x]));
            size[x] = fmax(size[x], fmax(p, q) * (1 + 0x1p-50));
        }
    }
}

/* A lower bound of the distance: the gap between the projections on w. Valid for any w. */
static inline double NAME(gap_along)(const NAME(bvpi_vec) a[3], const NAME(bvpi_vec) b[3],
                                     NAME(bvpi_vec) w, const double size[3], double eta)
{
    NUM high = NAME(vec_dot)(w, a[0]), low = NAME(vec_dot)(w, b[0]);
    double err = 0, sum = 0;
    for (int i = 1; i < 3; i++) {
        NUM p = NAME(vec_dot)(w, a[i]), q = NAME(vec_dot)(w, b[i]);
        if (NAME(bvpi_num_value)(NAME(bvpi_num_sub)(p, high)) > 0)
            high = p;
        if (NAME(bvpi_num_value)(NAME(bvpi_num_sub)(q, low)) < 0)
            low = q;
    }
    for (int x = 0; x < 3; x++) {
        double wx = fabs(NAME(bvpi_num_value)(w.c[x]));
        err += wx * size[x];
        sum += wx;
    }
    double gap = NAME(bvpi_num_value)(NAME(bvpi_num_sub)(low, high));
    double norm = sqrt(NAME(bvpi_num_value)(NAME(vec_dot)(w, w)));
    gap -= (12 * UNIT * err + 2 * eta * sum) * (1 + 0x1p-40) + 0x1p-1000; /* underflow */
    return gap > 0 && norm > 0x1p-400 ? gap / norm * (1 - 0x1p-50) : 0;
}

/* Bounds of the distance of two triangles whose corners err by at most eta in each coordinate. */
static inline void NAME(distance_bounds)(const NAME(bvpi_vec) a[3], const NAME(bvpi_vec) b[3],
                                         const NAME(bvpi_nearest) * best, double eta, double *lo,
                                         double *hi)
{
    double size[3];
    NAME(vec_sizes)(a, b, size);
    NAME(bvpi_vec) w = best->direction;
    if (NAME(bvpi_num_value)(NAME(vec_dot)(w, best->between)) < 0)
        for (int x = 0; x < 3; x++)
            w.c[x] = NAME(num_neg)(w.c[x]);
    *lo =
        fmax(NAME(gap_along)(a, b, w, size, eta), NAME(gap_along)(a, b, best->between, size, eta));
    *hi = sqrt(NAME(bvpi_num_value)(best->distance_sq)) * (1 + 0x1p-49) +
          (16 * UNIT * (size[0] + size[1] + size[2]) + 4 * eta) * (1 + 0x1p-40);
}

static inline double NAME(gap_either_way)(const NAME(bvpi_vec) a[3], const NAME(bvpi_vec) b[3],
                                          NAME(bvpi_vec) w, const double size[3], double eta)
{
    return fmax(NAME(gap_along)(a, b, w, size, eta), NAME(gap_along)(b, a, w, size, eta));
}

/* A better lower bound for features that lie side by side, where y - x is mostly rounding error
 * along them. Tries both normals, and y - x without its component along each edge. */
static inline double NAME(gap_side_by_side)(const NAME(bvpi_vec) a[3], const NAME(bvpi_vec) b[3],
                                            const NAME(bvpi_nearest) * best, double eta)
{
    double size[3], gap = 0;
    NAME(vec_sizes)(a, b, size);
    for (int k = 0; k < 6; k++) {
        const NAME(bvpi_vec) *t = k < 3 ? a : b;
        const NAME(bvpi_vec) e = NAME(vec_sub)(t[(k + 1) % 3], t[k % 3]);
        const NUM e_sq = NAME(vec_dot)(e, e);
        if (k % 3 == 0) {
            const NAME(bvpi_vec) n = NAME(vec_cross)(e, NAME(vec_sub)(t[2], t[0]));
            gap = fmax(gap, NAME(gap_either_way)(a, b, n, size, eta));
        }
        if (NAME(bvpi_num_value)(e_sq) > 0)
            gap = fmax(gap,
                       NAME(gap_along)(a, b, NAME(orthogonal)(best->between, e, e_sq), size, eta));
    }
    return gap;
}

#undef NUM
#undef NAME
#undef UNIT
