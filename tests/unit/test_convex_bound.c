/* SPDX-License-Identifier: MIT
 * test_convex_bound.c: the bounds of rounding of a search for the distance of a convex body and a
 * triangle hold in exact arithmetic, and inputs that were searched for need more than an eighth.
 *
 * Both bodies are points, so that their exact distance is a root of a rational number.
 */
#include <gmp.h>

#include "climb.h"
#include "prim/gjk.h"
#include "suite.h"

enum { BITS = 300, PLACES = 27, NUMBERS = 31 };

/* A hull of one point and a triangle of one point, both placed. */
typedef struct points {
    double q[3], l[12], m[12];
    float tri[9];
    bvpi_convex convex;
    bvpi_convex_pose at;
} points;

static bool set_points(const double *x, points *p)
{
    double bound[3];
    for (int i = 0; i < 3; i++)
        p->q[i] = (double)(float)x[i];
    for (int i = 0; i < 12; i++) {
        p->l[i] = i % 4 == 3 ? 0 : x[3 + i / 4 * 3 + i % 4];
        p->m[i] = x[12 + i];
    }
    for (int i = 0; i < 9; i++)
        p->tri[i] = (float)x[24 + i % 3];
    for (int i = 0; i < 3; i++)
        bound[i] = fabs((double)p->tri[i]);
    const bvp_convex given = {
        .kind = BVP_CONVEX_HULL, .points = p->q, .point_count = 1, .placement = p->l};
    if (bvpi_convex_init(&p->convex, &given) != BVP_OK)
        return false;
    bvpi_convex_pose_init(&p->at, &p->convex, p->m, bound);
    return true;
}

static void add_product(mpf_t sum, double a, double b)
{
    mpf_t x, y;
    mpf_init2(x, BITS);
    mpf_init2(y, BITS);
    mpf_set_d(x, a);
    mpf_set_d(y, b);
    mpf_mul(x, x, y);
    mpf_add(sum, sum, x);
    mpf_clears(x, y, NULL);
}

/* What the distance of the points exceeds `bound` by, in units of 2^-53. Products of doubles and
 * their sums fit the numbers' bits; the root is rounded beyond all that matters. */
static double excess(const points *p, double bound)
{
    mpf_t sq, w, b;
    mpf_init2(sq, 4 * BITS);
    mpf_init2(w, BITS);
    mpf_init2(b, BITS);
    for (int i = 0; i < 3; i++) {
        mpf_set_d(w, -p->m[4 * i + 3]);
        for (int j = 0; j < 3; j++) {
            add_product(w, p->l[4 * i + j], p->q[j]);
            add_product(w, -p->m[4 * i + j], (double)p->tri[j]);
        }
        mpf_mul(w, w, w);
        mpf_add(sq, sq, w);
    }
    mpf_sqrt(sq, sq);
    mpf_set_d(b, p->at.scale);
    mpf_mul(sq, sq, b);
    mpf_set_d(b, bound);
    mpf_sub(sq, sq, b);
    const double out = mpf_get_d(sq) * 0x1p53;
    mpf_clears(sq, w, b, NULL);
    return out;
}

/* The support is along a direction that need not be the best: w, scaled, and a little off. */
static double lower_share(const double *x)
{
    points p;
    gjk_pair_f64 pair;
    gjk_f64 g = {.lo = -INFINITY};
    gjk_point_f64 w;
    bvpi_vec_f64 d = {{1, 1, 1}};
    if (!set_points(x, &p))
        return -1;
    gjk_pair_init_f64(&pair, &p.at, p.tri);
    gjk_support_f64(&pair, d, &w);
    for (int i = 0; i < 3; i++)
        d.c[i] = w.w.c[i] * (1.5 + x[PLACES + 3]) * (1 + x[PLACES + i] * 0x1p-34);
    gjk_lower_f64(&g, &pair, d, &w);
    return g.lo > 0x1p-20 ? 1 - excess(&p, g.lo) / BVPI_GJK_LOWER : -1;
}

static double upper_share(const double *x)
{
    points p;
    gjk_pair_f64 pair;
    gjk_f64 g = {.distance_sq = 0x1p100};
    gjk_point_f64 w;
    if (!set_points(x, &p))
        return -1;
    gjk_pair_init_f64(&pair, &p.at, p.tri);
    gjk_support_f64(&pair, (bvpi_vec_f64){{1, 1, 1}}, &w);
    if (!gjk_add_f64(&g, &w))
        return -1;
    gjk_upper_f64(&g, &pair);
    return 1 + excess(&p, g.hi) / BVPI_GJK_UPPER;
}

START_TEST(bounds_from_below_need_an_eighth)
{
    static const double table[][NUMBERS] = {
        {0x1.43251d35ef1e4p-1,  -0x1.441696a22618dp-5, -0x1.293a4ab248585p-1, 0x1.7c1bed7ae3d42p-1,
         -0x1.e24b86066e1c5p-1, 0x1.3b71343dae20ep-5,  0x1.0e5346ea5aefcp-1,  0x1.c2a46c78e789bp-2,
         -0x1.f6683bbedee61p-1, -0x1.511a817d10596p-2, -0x1.246f37ed92c3ep-1, 0x1.2de609b7bc95bp-1,
         -0x1.db381b777d155p-6, -0x1.af049b6289421p-2, -0x1.e14c1e6cf1bdap-1, -0x1.79e14d66b3a48p-1,
         0x1.d87e5774d71d7p-2,  -0x1.ccf20c04ccb31p-4, 0x1.00168f89e3658p-3,  -0x1.406884f185c32p-1,
         -0x1.d05936efaad1fp-1, 0x1.7a37db1eff682p-3,  0x1.80704d5d37643p-1,  -0x1.4789ff316162fp-2,
         -0x1.b7bea5f4f0e42p-1, 0x1.755aae37e41a9p-3,  0x1.203e604e2220bp-2,  0x1.b857830c7c592p-1,
         -0x1.219b0d8f3e887p-3, -0x1.c3f4780e7d793p-5, 0x1.7f6b8707bd5f3p-1},
        {0x1.b61286cf3c352p-7,  -0x1.1e1cf1d949618p-5, -0x1.5c375ca87c571p-1, -0x1.1d8aec67e8404p-1,
         -0x1.d8e49937c6953p-1, -0x1.cfd4feb029a4bp-2, 0x1.c6267e6ee55bep-1,  -0x1.8c445986d9199p-1,
         -0x1.fa541cd9385fep-1, -0x1.be2d30cca4288p-5, 0x1.e2032e73c712bp-6,  0x1.bfee865a2c552p-1,
         -0x1.e4ad96c609c16p-4, 0x1.2c4c70ee59237p-3,  -0x1.95d0f1cba59f2p-4, -0x1.f9bf2290819b2p-1,
         -0x1.c5bb0244cf313p-1, -0x1.1b25daae16fafp-6, -0x1.88827422679adp-1, -0x1.7e1e95df25151p-2,
         -0x1.35aed722eed6p-3,  0x1.5ded0b527ebcbp-1,  0x1.3cd5e89724ed1p-1,  -0x1.32fe0d7c49642p-3,
         0x1.20ddeafaf31c1p-1,  -0x1.743e839f7e6e1p-4, 0x1.c926a3b3f0439p-2,  -0x1.a9973b2475334p-1,
         -0x1.45ba15648b403p-1, 0x1.ffe688e6a3b0dp-2,  0x1.7e99bb408f53fp-3}};
    CLIMB_CHECK(lower_share, 0.125, table);
}
END_TEST

START_TEST(bounds_from_above_need_an_eighth)
{
    static const double table[][PLACES] = {
        {-0x1.893a4692a6d3dp-2, -0x1.a396045e04545p-1, -0x1.9dd251b742da8p-5, -0x1.97b8acbc4bc0bp-2,
         -0x1.b53976c919cacp-2, 0x1.93fdef50c3d44p-3,  -0x1.546fb1b1e3d7cp-3, 0x1.c824df3d2281bp-1,
         -0x1.4dcb45c7550c1p-2, -0x1.e2fb6daeca1f1p-2, 0x1.b25af1516ee3ep-1,  0x1.d9458043bd2c1p-1,
         -0x1.f897065a5addcp-1, -0x1.7a0996a21bbp-2,   0x1.429338cbc5dbfp-1,  0x1.8003874253bb4p-1,
         -0x1.baa5cb1be688fp-1, 0x1.1a6c7fca8af5cp-2,  -0x1.91efdc9e1dbd3p-3, 0x1.07c2e6e6795dfp-1,
         0x1.8dac36c3b735fp-4,  0x1.a5d719174c62dp-5,  -0x1.08866b0a44dfcp-1, -0x1.cc1b4a00d2861p-1,
         -0x1.2b294a6a917e2p-2, -0x1.8108f25ab46cdp-1, -0x1.e7ec30d2870c9p-5}};
    CLIMB_CHECK(upper_share, 0.125, table);
}
END_TEST

/* Random points: the bounds hold. */
START_TEST(bounds_hold)
{
    uint64_t state = 20261126;
    double worst[2] = {0, 0};
    for (int i = 0; i < 100000; i++) {
        double x[NUMBERS];
        for (int k = 0; k < NUMBERS; k++)
            x[k] = climb_unit(&state);
        worst[0] = fmax(worst[0], lower_share(x));
        worst[1] = fmax(worst[1], upper_share(x));
    }
    printf("random points need %.3f and %.3f of the bounds\n", worst[0], worst[1]);
    ck_assert(worst[0] > 0 && worst[0] <= 1 && worst[1] > 0 && worst[1] <= 1);
}
END_TEST

SUITE(test_convex_bound)
{
    const TTest *const list[] = {bounds_from_below_need_an_eighth, bounds_from_above_need_an_eighth,
                                 bounds_hold, NULL};
    return suite_run("convex_bound", list);
}
