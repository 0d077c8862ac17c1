/* SPDX-License-Identifier: MIT
 * test_linear.c: linear parts come back bit for bit from the words of the spec, of which damaged
 * ones are read within their bounds.
 */
#include "build_case.h"
#include "format/linear.h"
#include "guarded.h"
#include "suite.h"

#include <string.h>

enum { ROUNDS = 20000, WORDS = 1 + BVPD_LINEAR_MAX };

/* Entries of few magnitudes, zeros of both signs, or any finite ones. */
static double random_entry(uint64_t *state)
{
    static const double few[] = {0, 1, 0.5, 0.70710678118654757, 0x1p-1074, 1e300};
    const uint64_t bits = case_random(state);
    double value = few[bits % 6];
    if (bits >> 8 & 1)
        value = (double)(bits >> 11) * 0x1p-40;
    return bits >> 9 & 1 ? -value : value;
}

static void random_linear(uint64_t *state, double m[12])
{
    for (int i = 0; i < 12; i++)
        m[i] = random_entry(state);
}

static int linear_differs(const double a[12], const double b[12])
{
    int differs = 0;
    for (int row = 0; row < 12; row += 4)
        differs |= memcmp(a + row, b + row, 3 * sizeof *a);
    return differs;
}

/* ---- words ----------------------------------------------------------------------------------- */

START_TEST(words_are_those_of_the_spec)
{
    const struct {
        double m[12];
        unsigned count;
        uint64_t word;
    } cases[] = {
        {{1, 0, 0, 9, 0, 1, 0, 9, 0, 0, 1, 9}, 1, BVPD_LINEAR_IDENTITY},
        {{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, 1, 3 << 5 | 2 << 15 | UINT64_C(2) << 40},
        {{-0.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 1, 1},
        {{2, 0, 0, 0, 0, -2, 0, 0, 0, 0, 3, 0}, 3, 4 | 5 << 20 | UINT64_C(6) << 40},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t words[WORDS];
        ck_assert_uint_eq(bvpi_linear_encode(cases[i].m, words), cases[i].count);
        ck_assert_uint_eq(words[0], cases[i].word);
    }
}
END_TEST

START_TEST(all_entries_may_differ)
{
    double m[12], back[12];
    uint64_t words[WORDS];
    for (int i = 0; i < 12; i++)
        m[i] = i + 2;
    ck_assert_uint_eq(bvpi_linear_encode(m, words), WORDS);
    ck_assert_uint_eq(bvpi_linear_count(words[0]), BVPD_LINEAR_MAX);
    ck_assert(bvpi_linear_decode(words, WORDS, back));
    ck_assert_int_eq(linear_differs(m, back), 0);
}
END_TEST

/* The words end where memory does. */
START_TEST(what_was_encoded_is_decoded)
{
    uint64_t state = case_seed();
    guarded g = new_guarded(WORDS * 8);
    for (int round = 0; round < ROUNDS; round++) {
        double m[12], back[12] = {0};
        uint64_t words[WORDS];
        random_linear(&state, m);
        const unsigned count = bvpi_linear_encode(m, words);
        uint8_t *at = g.end - 8 * count;
        memcpy(at, words, 8 * count);
        ck_assert_uint_eq(bvpi_linear_count(words[0]), count - 1);
        ck_assert(bvpi_linear_decode(at, count, back));
        ck_assert_int_eq(linear_differs(m, back), 0);
        ck_assert(back[3] == 0 && back[7] == 0 && back[11] == 0);
    }
    free_guarded(&g);
}
END_TEST

/* A word may name magnitudes that are not there: they are 0, and that is told. */
START_TEST(words_that_are_missing_are_told)
{
    uint64_t state = case_seed();
    guarded g = new_guarded(WORDS * 8);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t word = case_random(&state);
        const unsigned stored = (unsigned)(case_random(&state) % WORDS);
        uint8_t *at = g.end - 8 * (1 + stored);
        double m[12] = {0};
        for (unsigned k = 0; k < stored; k++) {
            const double value = 3 + k;
            memcpy(at + 8 * (1 + k), &value, sizeof value);
        }
        memcpy(at, &word, sizeof word);
        ck_assert_int_eq(bvpi_linear_decode(at, 1 + stored, m), bvpi_linear_count(word) <= stored);
        for (unsigned i = 0; i < 9; i++) {
            const unsigned field = (unsigned)(word >> 5 * i) & 31, k = field >> 1;
            const double size = k < 2 ? k : k < 2 + stored ? 1.0 + k : 0;
            ck_assert(m[4 * (i / 3) + i % 3] == (field & 1 ? -size : size));
        }
    }
    free_guarded(&g);
}
END_TEST

/* ---- placing --------------------------------------------------------------------------------- */

/* Chapter 12, word by word. */
static void place_slowly(const double *frame, const double local[12], const double origin[3],
                         double out[12])
{
    double m[12];
    memcpy(m, local, sizeof m);
    if (origin[0] != 0 || origin[1] != 0 || origin[2] != 0)
        for (int row = 0; row < 3; row++) {
            double sum = local[4 * row] * origin[0] + local[4 * row + 1] * origin[1];
            sum = sum + local[4 * row + 2] * origin[2];
            m[4 * row + 3] = sum + local[4 * row + 3];
        }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = m[4 * row + column];
            if (frame) {
                sum = frame[4 * row] * m[column] + frame[4 * row + 1] * m[4 + column];
                sum = sum + frame[4 * row + 2] * m[8 + column];
                sum = column == 3 ? sum + frame[4 * row + 3] : sum;
            }
            out[4 * row + column] = sum;
        }
}

START_TEST(placements_are_those_of_the_spec)
{
    uint64_t state = case_seed();
    for (int round = 0; round < ROUNDS; round++) {
        double frame[12], local[12], slow[12], fast[12], origin[3] = {0};
        const double *used = round & 1 ? frame : NULL;
        for (int i = 0; i < 12; i++) {
            frame[i] = (double)(int64_t)case_random(&state) * 0x1p-50;
            local[i] = (double)(int64_t)case_random(&state) * 0x1p-50;
        }
        for (int a = 0; a < 3 && round & 2; a++)
            origin[a] = (double)(int64_t)case_random(&state) * 0x1p-40;
        place_slowly(used, local, origin, slow);
        bvpi_place_instance(used, local, origin, fast);
        ck_assert_mem_eq(fast, slow, sizeof slow);
        bvpi_place_instance(used, local, origin, local);
        ck_assert_mem_eq(local, slow, sizeof slow);
    }
}
END_TEST

SUITE(test_linear)
{
    const TTest *const tests[] = {words_are_those_of_the_spec,      all_entries_may_differ,
                                  what_was_encoded_is_decoded,      words_that_are_missing_are_told,
                                  placements_are_those_of_the_spec, NULL};
    return suite_run("linear", tests);
}
