/* SPDX-License-Identifier: MIT
 * test_clash_places.c: what rooms, levels and grid lines a point has, and which files of them are
 * refused.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "zones/clash_places.h"
#include "cli/verb.h"
#include "suite.h"
#include "text/message.h"

static char path[] = "/tmp/test_clash_places.XXXXXX";

static int read_places(clash_places *p, const char *text, bvp_up up)
{
    const bvp_file_info info = {.unit_in_metres = 1, .up = up};
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    memset(p, 0, sizeof *p);
    return clash_places_read(p, path, &info);
}

static void expect(const clash_places *p, double x, double y, double z, const char *name)
{
    growing_text text = {0};
    ck_assert_int_eq(clash_places_name(p, (double[3]){x, y, z}, (bvp_string){"skid", 4}, &text), 0);
    ck_assert_str_eq(text.data ? text.data : "", name);
    growing_text_free(&text);
}

START_TEST(rooms)
{
    clash_places p;
    ck_assert_int_eq(
        read_places(
            &p,
            "{\"zones\": ["
            "{\"name\": \"hall\", \"shape\": \"box:4,2,2\"},"
            "{\"name\": \"hall\", \"shape\": \"box:2,2,2\", \"place\": [5, 0, 0, 0, 0, 45]},"
            "{\"name\": \"tank\", \"shape\": \"sphere:1\", \"place\": [0, 0, 9]},"
            "{\"name\": \"pipe\", \"shape\": \"capsule:1,4\", \"place\": [0, 9, 0]},"
            "{\"name\": \"drum\", \"shape\": \"cylinder:1,4\", \"place\": [0, 19, 0]}]}",
            BVP_UP_Z),
        0);
    expect(&p, 2, 1, -1, "hall");
    expect(&p, 2.01, 0, 0, "skid");
    expect(&p, 5, 1.4, 0, "hall"); /* turned by 45 degrees */
    expect(&p, 5.9, 0.9, 0, "skid");
    expect(&p, 0, 0.9, 9, "tank");
    expect(&p, 0.8, 0.8, 9, "skid");
    expect(&p, 0, 9, 2.9, "pipe");
    expect(&p, 0.8, 9, 2.9, "skid");
    expect(&p, 0, 19.9, 2, "drum");
    expect(&p, 0, 19, 2.1, "skid");
    clash_places_free(&p);
}
END_TEST

static const char lines[] =
    "{\"zones\": [{\"name\": \"room\", \"shape\": \"box:2,2,2\"}], \"lines\": ["
    "{\"name\": \"A\", \"x\": 0}, {\"name\": \"B\", \"x\": 10},"
    "{\"name\": \"1\", \"y\": 0}, {\"name\": \"2\", \"y\": 10},"
    "{\"name\": \"top\", \"z\": 8}, {\"name\": \"ground\", \"z\": -1}]}";

START_TEST(levels_and_lines)
{
    clash_places p;
    ck_assert_int_eq(read_places(&p, lines, BVP_UP_UNKNOWN), 0);
    expect(&p, 0, 0, 0, "room, ground, A/1");
    expect(&p, 6, 4, 7.9, "ground, B/1");
    expect(&p, 6, 6, 8, "top, B/2");
    expect(&p, 6, 6, -1.1, "skid, B/2"); /* below all levels */
    clash_places_free(&p);
    /* of a file with y up, lines across y are levels */
    ck_assert_int_eq(read_places(&p, lines, BVP_UP_Y), 0);
    expect(&p, 6, 11, 3.4, "2, B/ground");
    clash_places_free(&p);
}
END_TEST

START_TEST(refusals)
{
    static const char *const texts[] = {
        "[]",
        "{}",
        "{\"zones\": []}",
        "{\"lines\": {}}",
        "{\"lines\": [{\"name\": \"A\"}]}",
        "{\"lines\": [{\"x\": 1, \"y\": 2}]}",
        "{\"lines\": [{\"x\": \"1\"}]}",
        "{\"lines\": [{\"w\": 1}]}",
        "{\"lines\": [{\"name\": \"\", \"x\": 1}]}",
        "{\"rooms\": []}",
        "{\"zones\": [{\"name\": \"a\"}]}",
        "{\"zones\": [{\"hull\": [[0, 0, 0]]}]}",
        "{\"zones\": [{\"shape\": \"box:1,1,1\", \"place\": [0,0,0,0,0,0,0,0,0,0,0,0]}]}",
    };
    clash_places p;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_msg(read_places(&p, texts[i], BVP_UP_Z) == EXIT_USAGE, "%s", texts[i]);
        clash_places_free(&p);
    }
    ck_assert_int_eq(read_places(&p, "{", BVP_UP_Z), EXIT_INPUT);
    clash_places_free(&p);
}
END_TEST

SUITE(test_clash_places)
{
    const TTest *const list[] = {rooms, levels_and_lines, refusals, NULL};
    const int fd = mkstemp(path);
    if (fd < 0)
        return 99;
    close(fd);
    const int failed = suite_run("clash_places", list);
    unlink(path);
    return failed;
}
