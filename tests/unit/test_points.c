/* SPDX-License-Identifier: MIT
 * test_points.c: coordinates of a few words against GMP, and every sign that they give against the
 * one that big integers give.
 */
#include <gmp.h>

#include "prim/points.h"
#include "prim/words.h"
#include "prim_suite.h"
#include "tri_cases.h"

enum { CASES = 40, /* of each family and kind of placement */ FLUSH_CASES = 600 };

/* Two's complement. */
static void to_mpz(mpz_t out, const uint64_t *a, int n)
{
    mpz_import(out, (size_t)n, -1, 8, 0, 0, a);
    if (a[n - 1] >> 63) {
        mpz_t wrap;
        mpz_init_set_ui(wrap, 1);
        mpz_mul_2exp(wrap, wrap, 64 * (unsigned)n);
        mpz_sub(out, out, wrap);
        mpz_clear(wrap);
    }
}

static void assert_equal(const uint64_t *a, int n, const mpz_t b)
{
    mpz_t z;
    mpz_init(z);
    to_mpz(z, a, n);
    ck_assert_int_eq(mpz_cmp(z, b), 0);
    ck_assert_int_eq(bvpi_words_sign(a, n), mpz_sgn(b));
    mpz_clear(z);
}

/* |x - z| <= 1.01 2^-53 |z| */
static void assert_near(double x, const mpz_t z)
{
    mpz_t error, bound;
    mpz_inits(error, bound, NULL);
    mpz_set_d(error, x);
    mpz_sub(error, error, z);
    mpz_mul_2exp(error, error, 53);
    mpz_mul_ui(error, error, 100);
    mpz_mul_ui(bound, z, 101);
    ck_assert_int_le(mpz_cmpabs(error, bound), 0);
    mpz_clears(error, bound, NULL);
}

/* Of any size, with runs of zeros and ones, which carry far; `spare`: leading bits like the sign's.
 */
static void random_words(uint64_t *out, int n, int spare)
{
    for (int i = 0; i < n; i++) {
        int kind = case_int(4);
        out[i] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : case_random();
    }
    int64_t top = (int64_t)out[n - 1] >> (spare + case_int(64 - spare));
    out[n - 1] = (uint64_t)top;
    if (case_int(3) == 0)
        out[n - 1] = (uint64_t)(top >> 63);
}

/* Sums of n, 2 n and 3 n words, products of n and n or 2 n. */
static void check_words(int n)
{
    uint64_t a[9], b[9], r[9];
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    for (int i = 0; i < 20000; i++) {
        int m = n * (1 + case_int(2)), k = n * (1 + case_int(3));
        random_words(a, n, 0), random_words(b, m, 0);
        to_mpz(x, a, n), to_mpz(y, b, m);
        bvpi_words_mul(r, a, n, b, m);
        assert_equal(r, n + m, (mpz_mul(z, x, y), z));
        assert_near(bvpi_words_to_double(a, n), x);
        random_words(a, k, 1), random_words(b, k, 1);
        to_mpz(x, a, k), to_mpz(y, b, k);
        bvpi_words_add(r, a, b, k);
        assert_equal(r, k, (mpz_add(z, x, y), z));
        bvpi_words_sub(r, a, b, k);
        assert_equal(r, k, (mpz_sub(z, x, y), z));
        bvpi_words_sub(a, a, b, k); /* in place */
        assert_equal(a, k, z);
    }
    mpz_clears(x, y, z, NULL);
}

START_TEST(words_equal_gmp)
{
    case_seed(31);
    for (int n = 1; n <= BVPI_WIDTH_MAX; n++)
        check_words(n);
}
END_TEST

/* ---- signs ----------------------------------------------------------------------------------- */

static long count_of_width[BVPI_WIDTH_MAX + 1], zeros, signs;

static void expect_sign(const tri_case *c, const char *what, int got, int expected)
{
    zeros += expected == 0;
    signs++;
    if (got == expected)
        return;
    printf("%s: %d, expected %d\n", what, got, expected);
    case_print(c);
    ck_abort_msg("signs differ");
}

static void compare_signs(const tri_case *c, const bvpi_points *p, const bvpi_points *big)
{
    for (int t = 0; t < 6; t += 3) {
        int side[3];
        bvpi_sides(p, t, 3 - t, side);
        for (int i = 0; i < 3; i++)
            expect_sign(c, "side", side[i], bvpi_orient3(big, t, t + 1, t + 2, 3 - t + i));
        int axis = bvpi_projection_axis(p, t); /* any that will do */
        expect_sign(c, "axis", axis >= 0, bvpi_projection_axis(big, t) >= 0);
        ck_assert(axis < 0 || bvpi_orient2(big, t, t + 1, t + 2, axis) != 0);
    }
    for (int i = 0; i < 36; i++) {
        int a = i % 6, b = i / 6, d = case_int(6), e = case_int(6), x = case_int(3);
        expect_sign(c, "orient3", bvpi_orient3(p, a, b, d, e), bvpi_orient3(big, a, b, d, e));
        expect_sign(c, "orient2", bvpi_orient2(p, a, b, d, x), bvpi_orient2(big, a, b, d, x));
        expect_sign(c, "compare", bvpi_compare(p, a, b, x), bvpi_compare(big, a, b, x));
    }
}

/* Doubles are not far off, and corner 0 is where the others start. */
static void check_approximations(const bvpi_points *p)
{
    mpz_t z;
    mpz_init(z);
    for (int i = 0; i < 18; i++) {
        to_mpz(z, p->words[i / 3][i % 3], p->width);
        assert_near(p->approx[i / 3][i % 3], z);
        ck_assert(i > 2 || mpz_sgn(z) == 0);
    }
    mpz_clear(z);
}

static void compare_points(const tri_case *c, bool same)
{
    static bvpi_points few, big;
    static bvpi_terms terms[6][3];
    const double *ma = same ? NULL : c->ma, *mb = same ? NULL : c->mb;
    if (!bvpi_points_of_triangles(&few, c->a, c->b, ma, mb)) {
        count_of_width[0]++;
        return;
    }
    count_of_width[few.width]++;
    bvpi_terms_of_triangle(terms, 0, c->a, ma);
    bvpi_terms_of_triangle(terms, 3, c->b, mb);
    ck_assert(bvpi_points_init(&big, terms, 6));
    check_approximations(&few);
    compare_signs(c, &few, &big);
}

static void print_counts(void)
{
    for (int width = 0; width <= BVPI_WIDTH_MAX; width++)
        printf("%ld of width %d, ", count_of_width[width], width);
    printf("%ld signs, %ld zero\n", signs, zeros);
}

START_TEST(signs_equal_those_of_big_integers)
{
    tri_case c;
    case_seed(32);
    for (int family = 0; family < CASE_FAMILIES; family++)
        for (int i = 0; i < CASES * PLACE_COUNT; i++) {
            case_make(&c, family, i % PLACE_COUNT);
            compare_points(&c, c.placing == PLACE_IDENTITY);
        }
    print_counts();
    for (int width = 0; width <= BVPI_WIDTH_MAX; width++)
        ck_assert_int_gt(count_of_width[width], 2 * CASES);
}
END_TEST

START_TEST(signs_of_flush_faces_equal_those_of_big_integers)
{
    tri_case c;
    case_seed(33);
    for (int kind = 0; kind < FLUSH_KINDS; kind++)
        for (int i = 0; i < FLUSH_CASES; i++) {
            case_flush(&c, kind);
            compare_points(&c, false);
        }
    print_counts();
    /* that is what it is for */
    for (int width = 1; width <= BVPI_WIDTH_MAX; width++)
        ck_assert_int_gt(count_of_width[width], FLUSH_CASES / 2);
    ck_assert_int_lt(count_of_width[0], FLUSH_KINDS * FLUSH_CASES / 5);
    ck_assert_int_gt(zeros, signs / 4);
}
END_TEST

/* Coordinates as wide as fit, and one bit more: aligned ones of up to two words, turned ones of two
 * and three. */
static void widen_until_refused(bool turned, int width, int last)
{
    const float a[9] = {1, 0x1p-23f, 1, 1, 1, 0, 0, 1, 1}, b[9] = {1, 1, 1, 0, 1, 0, 1, 0, 0};
    tri_case c = {.family = -1};
    memcpy(c.a, a, sizeof a);
    memcpy(c.b, b, sizeof b);
    for (int exponent = -2; exponent < 220; exponent++)
        for (int sign = -1; sign <= 1; sign += 2) {
            static bvpi_points p;
            case_identity(c.ma);
            case_identity(c.mb);
            if (turned)
                c.ma[1] = c.mb[4] = 0.75;
            for (int i = 3; i < 12; i += 4) {
                c.ma[i] = ldexp(sign * (2 - 0x1p-22), exponent);
                c.mb[i] = ldexp(-sign * (2 - 0x1p-23), exponent);
            }
            c.mb[11] = c.ma[11];
            int fits = bvpi_points_of_triangles(&p, c.a, c.b, c.ma, c.mb) ? p.width : 0;
            ck_assert(fits == width || fits == width + 1 || (width == last && fits == 0));
            width = fits == 0 ? last : fits;
            if (fits == 0)
                return;
            compare_points(&c, false);
        }
    ck_abort_msg("anything fits");
}

START_TEST(the_widest_that_fit)
{
    memset(count_of_width, 0, sizeof count_of_width);
    widen_until_refused(false, 1, 3);
    widen_until_refused(true, 2, 3);
    print_counts();
    ck_assert_int_gt(count_of_width[1], 50);
    ck_assert_int_gt(count_of_width[2], 300);
    ck_assert_int_gt(count_of_width[3], 200);
}
END_TEST

START_TEST(what_is_not_finite_is_refused)
{
    static bvpi_points p;
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3 * 42; i++) {
        tri_case c;
        case_make(&c, CASE_GRID, PLACE_IDENTITY);
        int k = i / 3;
        for (int j = 0; j < 9; j++) /* near enough to infinity to be as short as before */
            c.a[j] *= 0x1p110f, c.b[j] *= 0x1p110f;
        *(k < 9 ? &c.a[k] : &c.b[k % 9]) = k < 18 ? (float)bad[i % 3] : 1;
        if (k >= 18)
            *(k < 30 ? &c.ma[k - 18] : &c.mb[k - 30]) = bad[i % 3];
        ck_assert(!bvpi_points_of_triangles(&p, c.a, c.b, c.ma, c.mb));
    }
}
END_TEST

SUITE(test_points)
{
    const TTest *const tests[] = {words_equal_gmp,
                                  signs_equal_those_of_big_integers,
                                  signs_of_flush_faces_equal_those_of_big_integers,
                                  the_widest_that_fit,
                                  what_is_not_finite_is_refused,
                                  NULL};
    return run_suite("points", tests);
}
