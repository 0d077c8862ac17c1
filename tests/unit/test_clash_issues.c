/* SPDX-License-Identifier: MIT
 * test_clash_issues.c: which pairs become one issue, and what an issue is called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_clash.h"
#include "found/clash_issues.h"
#include "found/issue_title.h"
#include "suite.h"

enum { MOST = 4000 };

typedef struct scene {
    clash_contact contacts[MOST];
    uint8_t ids[MOST][16];
    size_t count;
} scene;

static scene s;

/* A pair of two elements; families and parts are numbers of theirs. */
static clash_contact *add(uint64_t a, uint64_t b, bvp_verdict verdict, double x)
{
    clash_contact *c = &s.contacts[s.count];
    const uint64_t both[2] = {a, b};
    bvp_hash(both, sizeof both, s.ids[s.count]);
    *c = (clash_contact){.id = s.ids[s.count],
                         .elements = {a, b},
                         .families = {1000 + a, 1000 + b},
                         .parts = {2000 + a, 2000 + b},
                         .at = {x, 0, 0},
                         .size = 1,
                         .verdict = (uint8_t)verdict};
    s.count++;
    return c;
}

static clash_cluster *find(uint32_t *count)
{
    clash_cluster *clusters;
    ck_assert_int_eq(clash_issues_find(s.contacts, s.count, &clusters, count), 0);
    return clusters;
}

START_TEST(stars)
{
    uint32_t count;
    s.count = 0;
    add(8, 9, BVP_VERDICT_PENETRATING, 0);
    for (uint64_t i = 0; i < 6; i++) /* far apart, but all at one element */
        add(i % 2 ? 1 : 100 + i, i % 2 ? 100 + i : 1, BVP_VERDICT_PENETRATING, 1000 * (double)i);
    add(1, 200, BVP_VERDICT_TOUCHING, 0); /* another verdict */
    add(1, 201, BVP_VERDICT_PENETRATING, 0)->rule = 3;
    clash_cluster *c = find(&count);
    ck_assert_uint_eq(count, 4);
    ck_assert(c[0].kind == CLASH_ISSUE_SINGLE && c[0].count == 1);
    ck_assert(c[1].kind == CLASH_ISSUE_STAR && c[1].count == 6 && c[1].centre == 1);
    for (int i = 1; i <= 6; i++)
        ck_assert_uint_eq(s.contacts[i].issue, 1);
    ck_assert(s.contacts[7].issue == 2 && s.contacts[8].issue == 3);
    for (int i = 1; i <= 6; i++)
        ck_assert(memcmp(s.ids[c[1].lowest], s.ids[i], 16) <= 0);
    free(c);
    s.count = 0;
    c = find(&count);
    ck_assert_uint_eq(count, 0);
    free(c);
}
END_TEST

/* Ten pairs of pipe and beam, `step` apart; elements of size 1 are near at 4. */
static uint32_t families_at(double step)
{
    uint32_t count;
    s.count = 0;
    for (uint64_t i = 0; i < 10; i++) {
        clash_contact *c = add(10 + i, 50 + i, BVP_VERDICT_PENETRATING, 0.5 + step * (double)i);
        c->families[i % 2] = 1;
        c->families[!(i % 2)] = 2;
    }
    clash_cluster *c = find(&count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(c[i].kind, c[i].count > 1 ? CLASH_ISSUE_FAMILY : CLASH_ISSUE_SINGLE);
    free(c);
    return count;
}

START_TEST(families)
{
    ck_assert_uint_eq(families_at(0), 1);
    ck_assert_uint_eq(families_at(4), 1); /* a chain */
    ck_assert_uint_eq(families_at(8), 10);
    ck_assert_uint_eq(families_at(1e300), 2); /* what no grid can hold is in its last cell */
}
END_TEST

START_TEST(details)
{
    uint32_t count;
    s.count = 0;
    for (uint64_t i = 0; i < 10; i++) {
        clash_contact *c = add(10 + i, 50 + i, BVP_VERDICT_TOUCHING, 100 * (double)i);
        c->parts[i % 2] = 1;
        c->parts[!(i % 2)] = 2;
        c->apart = i < 7 ? 5 + 1e-6 * (double)i : 6;
    }
    clash_cluster *c = find(&count);
    ck_assert_uint_eq(count, 2);
    ck_assert(c[0].kind == CLASH_ISSUE_DETAIL && c[0].count == 7);
    ck_assert(c[1].kind == CLASH_ISSUE_DETAIL && c[1].count == 3);
    free(c);
}
END_TEST

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Of a random scene: each pair is in one issue, whose pairs belong together; no set is larger than
 * the largest issue; and another order of the pairs has the same issues. */
START_TEST(any_order)
{
    const char *given = getenv("BVP_SEED");
    unsigned seed = given ? (unsigned)atoi(given) : 20261127;
    printf("BVP_SEED=%u\n", seed);
    for (int round = 0; round < 20; round++) {
        uint32_t count, again, sizes[MOST] = {0}, star[60] = {0}, largest = 0, largest_star = 0;
        static uint32_t issue_of[MOST], order[MOST];
        s.count = 0;
        for (int i = 0; i < 600; i++) {
            clash_contact *c = add(next(&seed, 60), 60 + next(&seed, 900),
                                   next(&seed, 2) ? BVP_VERDICT_WITHIN : BVP_VERDICT_ENCLOSED,
                                   (double)next(&seed, 300));
            for (int k = 0; k < 2; k++) {
                c->families[k] = c->elements[k] % 7;
                c->parts[k] = c->elements[k] % 31;
            }
            c->apart = next(&seed, 9);
            memcpy(s.ids[s.count - 1], &i, sizeof i); /* some pairs come twice: ids differ */
        }
        clash_cluster *c = find(&count);
        for (size_t i = 0; i < s.count; i++) {
            ck_assert_uint_lt(s.contacts[i].issue, count);
            issue_of[i] = s.contacts[i].issue;
            sizes[issue_of[i]]++;
            star[s.contacts[i].elements[0]] += s.contacts[i].verdict == BVP_VERDICT_WITHIN;
        }
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_uint_eq(sizes[i], c[i].count);
            largest = sizes[i] > largest ? sizes[i] : largest;
        }
        for (int i = 0; i < 60; i++)
            largest_star = star[i] > largest_star ? star[i] : largest_star;
        ck_assert_uint_ge(largest, largest_star);
        for (size_t i = 0; i < s.count; i++) {
            const clash_contact *one = &s.contacts[i];
            const clash_contact *low = &s.contacts[c[one->issue].lowest];
            ck_assert(low->issue == one->issue && low->verdict == one->verdict);
            if (c[one->issue].kind == CLASH_ISSUE_STAR)
                ck_assert(one->elements[0] == c[one->issue].centre ||
                          one->elements[1] == c[one->issue].centre);
        }
        free(c);
        /* shuffled */
        static scene before;
        before = s;
        for (uint32_t i = 0; i < s.count; i++)
            order[i] = i;
        for (uint32_t i = (uint32_t)s.count - 1; i > 0; i--) {
            const uint32_t k = next(&seed, i + 1), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        for (uint32_t i = 0; i < s.count; i++) {
            s.contacts[i] = before.contacts[order[i]];
            memcpy(s.ids[i], before.ids[order[i]], 16);
            s.contacts[i].id = s.ids[i];
        }
        c = find(&again);
        ck_assert_uint_eq(again, count);
        static uint32_t old_of[MOST];
        memset(old_of, 0xff, sizeof old_of);
        for (uint32_t i = 0; i < s.count; i++) {
            uint32_t *old = &old_of[s.contacts[i].issue];
            *old = *old == UINT32_MAX ? issue_of[order[i]] : *old;
            ck_assert_msg(*old == issue_of[order[i]], "BVP_SEED=%u: other issues", seed);
        }
        free(c);
    }
}
END_TEST

static void check_title(const issue_words *words, const char *expected)
{
    growing_text text = {0};
    ck_assert_int_eq(issue_title_make(words, &text), 0);
    ck_assert_str_eq(text.data, expected);
    growing_text_free(&text);
}

#define NAME(text)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

START_TEST(titles)
{
    static const bvp_string tank[] = {NAME("tank_1")};
    static const bvp_string pipes[] = {NAME("pipe_1"), NAME("pipe_22"), NAME("pipe_3")};
    static const bvp_string mixed[] = {NAME("bolt 1"), NAME("flange"), NAME("bolt 2"),
                                       NAME("box:7"),  NAME("tee"),    NAME("valve")};
    static const bvp_string walls[] = {NAME("Wall:200:1"), NAME("Wall:200:2")};
    static const bvp_string twins[] = {NAME("tank_1"), NAME("tank_1")};
    static const bvp_string tanks[] = {NAME("tank_2"), NAME("tank_2")};
    static const bvp_string bodies[] = {NAME("body_1"), NAME("body_8")};
    static const bvp_string trays[] = {NAME("tray 1"), NAME("tray 2")};
    check_title(&(issue_words){BVP_VERDICT_PENETRATING, {pipes, tank}, {3, 1}, 1, ""},
                "tank_1 is crossed by 3 pipes");
    check_title(&(issue_words){BVP_VERDICT_PENETRATING, {tank, pipes}, {1, 3}, 1, ""},
                "tank_1 is crossed by 3 pipes");
    check_title(&(issue_words){BVP_VERDICT_PENETRATING, {pipes, tank}, {1, 1}, 0, ""},
                "pipe_1 crosses tank_1");
    check_title(&(issue_words){BVP_VERDICT_ENCLOSED, {mixed, tank}, {6, 1}, 1, ""},
                "2 bolts, box:7 and 3 others lie inside tank_1");
    check_title(&(issue_words){BVP_VERDICT_ENCLOSED, {tank, pipes}, {1, 3}, 1, ""},
                "tank_1 lies inside 3 pipes");
    check_title(&(issue_words){BVP_VERDICT_WITHIN, {tank, mixed}, {1, 3}, 1, "5 mm"},
                "tank_1 is nearer than 5 mm to 2 bolts and flange");
    check_title(&(issue_words){BVP_VERDICT_TOUCHING, {pipes, walls}, {3, 2}, 0, ""},
                "3 pipes touch 2 Walls");
    check_title(&(issue_words){BVP_VERDICT_PENETRATING, {pipes, NULL}, {3, 0}, 0, ""},
                "3 pipes cross one another");
    check_title(&(issue_words){BVP_VERDICT_DUPLICATE, {tank, twins}, {1, 1}, 0, ""},
                "tank_1 is there twice");
    check_title(&(issue_words){BVP_VERDICT_DUPLICATE, {tank, twins}, {1, 2}, 1, ""},
                "tank_1 is there 3 times");
    check_title(&(issue_words){BVP_VERDICT_DUPLICATE, {tank, pipes}, {1, 1}, 0, ""},
                "tank_1 coincides with pipe_1");
    check_title(&(issue_words){BVP_VERDICT_UNKNOWN, {pipes, tank}, {1, 1}, 0, ""},
                "pipe_1 may lie inside tank_1");
    check_title(&(issue_words){BVP_VERDICT_PENETRATING, {twins, bodies}, {2, 2}, 0, ""},
                "2 tanks cross 2 bodies");
    check_title(&(issue_words){BVP_VERDICT_PENETRATING, {twins, tanks}, {2, 2}, 0, ""},
                "2 x tank_1 cross 2 x tank_2");
    check_title(&(issue_words){BVP_VERDICT_PENETRATING, {twins, pipes}, {2, 3}, 0, ""},
                "2 tanks cross 3 pipes");
    check_title(&(issue_words){BVP_VERDICT_TOUCHING, {trays, walls}, {2, 1}, 1, ""},
                "Wall:200:1 touches 2 trays");
    static const struct {
        const char *name, *stem;
    } stems[] = {{"pipe_0_44", "pipe"},
                 {"grating_1x3", "grating"},
                 {"12", "12"},
                 {"", ""},
                 {"a", "a"},
                 {"M8x20", "M8x"},
                 {"-1-", "-1-"}};
    for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++) {
        const bvp_string stem =
            issue_title_stem((bvp_string){stems[i].name, strlen(stems[i].name)});
        ck_assert_uint_eq(stem.size, strlen(stems[i].stem));
        ck_assert_mem_eq(stem.data, stems[i].stem, stem.size);
    }
}
END_TEST

SUITE(test_clash_issues)
{
    const TTest *const list[] = {stars, families, details, any_order, titles, NULL};
    return suite_run("clash_issues", list);
}
