/* SPDX-License-Identifier: MIT
 * test_colours.c: the colours of a node's triangles: as text, as runs, and from a file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "build_case.h"
#include "format/colours.h"
#include "suite.h"
#include "text/colour_runs.h"

static const uint8_t grey[4] = {0xc0, 0xc0, 0xc0, 0xff}, red[4] = {0xff, 0, 0, 0x80},
                     black[4] = {0, 0, 0, 0xff};

/* ---- writing -------------------------------------------------------------------------------- */

START_TEST(written)
{
    colour_runs runs = {0};
    colour_runs_add(&runs, 0, red);
    colour_runs_add(&runs, 0, grey); /* the one before has no triangles */
    colour_runs_add(&runs, 7, grey); /* the same goes on */
    colour_runs_add(&runs, 12, NULL);
    colour_runs_add(&runs, 12, red);
    colour_runs_add(&runs, 4000000000, black);
    colour_runs_add(&runs, UINT32_MAX, NULL);
    ck_assert_str_eq(colour_runs_text(&runs),
                     "0:c0c0c0ff 12:ff000080 4000000000:000000ff 4294967295:-");
    colour_runs_free(&runs);
    colour_runs_add(&runs, 0, NULL);
    colour_runs_add(&runs, 5, red);
    ck_assert_str_eq(colour_runs_text(&runs), "0:- 5:ff000080");
    colour_runs_free(&runs);
    ck_assert_ptr_null(colour_runs_text(&runs));
    colour_runs_add(&runs, 0, NULL);
    colour_runs_add(&runs, 5, NULL);
    ck_assert_ptr_null(colour_runs_text(&runs)); /* there is no colour */
    colour_runs_free(&runs);
}
END_TEST

START_TEST(too_many)
{
    for (uint32_t count = COLOUR_RUNS_MOST; count <= COLOUR_RUNS_MOST + 1; count++) {
        colour_runs runs = {0};
        for (uint32_t i = 0; i < count; i++)
            colour_runs_add(&runs, i, i % 2 ? red : grey);
        const char *text = colour_runs_text(&runs);
        ck_assert_int_eq(text != NULL, count == COLOUR_RUNS_MOST);
        ck_assert_int_eq(runs.is_too_long, !text);
        if (text)
            ck_assert_uint_eq(bvpi_parse_colours((bvp_string){text, strlen(text)}, NULL, 0), count);
        colour_runs_free(&runs);
    }
}
END_TEST

/* The library's pow decides, except right at a border between two bytes. */
START_TEST(srgb)
{
    for (int i = 0; i < 256; i++) {
        const double s = i / 255.0;
        const double linear = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
        ck_assert(fabs(colour_linear((uint8_t)i) - linear) < 1e-15);
        ck_assert_uint_eq(colour_srgb(colour_linear((uint8_t)i)), (unsigned)i);
    }
    for (int i = 0; i <= 100000; i++) {
        const double x = i / 100000.0;
        const double s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
        const double place = 255 * s + 0.5;
        if (fabs(place - floor(place)) > 1e-4 && floor(place) + 1 - place > 1e-4)
            ck_assert_uint_eq(colour_srgb(x), (unsigned)place);
    }
    ck_assert(colour_srgb(-1) == 0 && colour_srgb(7) == 255 && colour_srgb(NAN) == 0);
    ck_assert(colour_byte(0.5) == 128 && colour_byte(-1) == 0 && colour_byte(NAN) == 0 &&
              colour_byte(INFINITY) == 255);
}
END_TEST

/* ---- reading -------------------------------------------------------------------------------- */

/* The number of runs of a text that lies at the end of its memory. */
static uint32_t parsed(const char *text, bvp_colour_run *runs, uint32_t capacity)
{
    const size_t size = strlen(text);
    char *copy = malloc(size + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy + 1, text, size); /* without the zero: sanitizers see a read beyond */
    const uint32_t count = bvpi_parse_colours((bvp_string){copy + 1, size}, runs, capacity);
    free(copy);
    return count;
}

START_TEST(reads)
{
    bvp_colour_run runs[4] = {0};
    ck_assert_uint_eq(parsed("0:c0c0c0ff 12:ff000080 4294967295:-", runs, 3), 3);
    ck_assert(runs[0].first == 0 && memcmp(runs[0].rgba, grey, 4) == 0);
    ck_assert(runs[1].first == 12 && memcmp(runs[1].rgba, red, 4) == 0);
    ck_assert(runs[2].first == UINT32_MAX && memcmp(runs[2].rgba, "\0\0\0", 4) == 0);
    runs[1].first = 77;
    ck_assert_uint_eq(parsed("0:c0c0c0ff 12:ff000080", runs, 1), 2);
    ck_assert_uint_eq(runs[1].first, 77); /* there was no room */
    ck_assert_uint_eq(parsed("0:-", NULL, 0), 1);
}
END_TEST

START_TEST(damaged)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "0",
                                        "0:",
                                        ":c0c0c0ff",
                                        "1:c0c0c0ff",
                                        "0:c0c0c0f",
                                        "0:c0c0c0fff",
                                        "0:C0C0C0FF",
                                        "0:c0c0c0ff ",
                                        "0:-x",
                                        "0:c0c0c0ffx",
                                        "0:-  1:-",
                                        "0:- 0:-",
                                        "0:- 5:- 5:-",
                                        "0:- 5:- 4:-",
                                        "0:- 4294967296:-",
                                        "0:- 99999999999:-",
                                        "0:- -1:-",
                                        "0:c0c0-0ff",
                                        "-",
                                        "[[0,7]]",
                                        " 0:-",
                                        "0:- 1",
                                        "0:- 1:"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bvp_colour_run runs[4];
        ck_assert_msg(parsed(texts[i], runs, 4) == 0, "\"%s\"", texts[i]);
    }
}
END_TEST

START_TEST(found)
{
    const bvp_colour_run runs[] = {{0, {1, 2, 3, 4}}, {5, {0}}, {9, {0, 0, 0, 255}}};
    ck_assert_ptr_eq(bvp_find_colour(runs, 3, 0), runs[0].rgba);
    ck_assert_ptr_eq(bvp_find_colour(runs, 3, 4), runs[0].rgba);
    ck_assert_ptr_null(bvp_find_colour(runs, 3, 5));
    ck_assert_ptr_null(bvp_find_colour(runs, 3, 8));
    ck_assert_ptr_eq(bvp_find_colour(runs, 3, 9), runs[2].rgba);
    ck_assert_ptr_eq(bvp_find_colour(runs, 3, UINT64_MAX), runs[2].rgba);
    ck_assert_ptr_null(bvp_find_colour(runs, 0, 0));
}
END_TEST

/* ---- files ---------------------------------------------------------------------------------- */

START_TEST(of_nodes)
{
    static const char *const values[] = {NULL, "0:ff000080", "nonsense", "0:c0c0c0ff 3:-"};
    uint64_t state = 1;
    float *soup = case_soup(&state, 5, 1, 1);
    bvp_mesh mesh = case_mesh(soup, 5);
    bvp_builder *builder = NULL;
    uint32_t part, node, count;
    bvp_colour_run runs[2];
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    for (int i = 0; i < 4; i++) {
        const bvp_new_node added = {.parent = i == 0 ? BVP_NONE : 0, .part = part};
        ck_assert_int_eq(bvp_builder_add_node(builder, &added, &node, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_add_property(builder, node, "other", "0:-", NULL), BVP_OK);
        if (values[i])
            ck_assert_int_eq(
                bvp_builder_add_property(builder, node, "bvpack_colours", values[i], NULL), BVP_OK);
    }
    case_file f = case_finish(builder);
    static const uint32_t expected[] = {0, 1, 0, 2};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(bvp_get_colours(f.file, i, runs, 2, &count), BVP_OK);
        ck_assert_uint_eq(count, expected[i]);
    }
    ck_assert(memcmp(runs[0].rgba, grey, 4) == 0 && runs[1].first == 3);
    ck_assert_int_eq(bvp_get_colours(f.file, 4, runs, 2, &count), BVP_ERR_ARGUMENT);
    ck_assert_uint_eq(count, 0);
    case_close(&f);
    free(soup);
}
END_TEST

SUITE(test_colours)
{
    const TTest *const tests[] = {written, too_many, srgb, reads, damaged, found, of_nodes, NULL};
    return suite_run("colours", tests);
}
