/* SPDX-License-Identifier: MIT
 * test_issue_ids.c: which issue of yesterday an issue is: by what both have in common, held against
 * a slow twin; whatever numbers issues have; and no id twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack.h"
#include "found/issue_ids.h"
#include "suite.h"

enum { MOST = 64, LINKS = 400 };

typedef struct scene {
    uint8_t ids[MOST][16], past_ids[MOST][16];
    uint32_t past_of[MOST], heirs[MOST];
    issue_link links[LINKS];
    issue_ids all;
    size_t link_count;
} scene;

static void start(scene *s, uint32_t count, uint32_t past_count)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < count; i++)
        s->ids[i][15] = (uint8_t)(100 + i);
    for (uint32_t i = 0; i < past_count; i++)
        s->past_ids[i][15] = (uint8_t)(1 + i);
    s->all = (issue_ids){s->ids,   s->past_of, count, (const uint8_t(*)[16])s->past_ids,
                         s->heirs, past_count};
}

static void link_pairs(scene *s, uint32_t issue, uint32_t past, int count)
{
    while (count-- > 0)
        s->links[s->link_count++] = (issue_link){issue, past};
}

static void inherit(scene *s)
{
    ck_assert_int_eq(issue_ids_inherit(&s->all, s->links, s->link_count), 0);
}

START_TEST(most_in_common)
{
    scene s;
    start(&s, 4, 3);
    link_pairs(&s, 0, 0, 2);
    link_pairs(&s, 1, 0, 3); /* has more of the first one */
    link_pairs(&s, 0, 1, 1);
    link_pairs(&s, 2, ISSUE_NONE, 9);
    link_pairs(&s, 3, 0, 1); /* nothing is left for it */
    inherit(&s);
    ck_assert(s.past_of[1] == 0 && s.past_of[0] == 1 && s.past_of[2] == ISSUE_NONE &&
              s.past_of[3] == ISSUE_NONE);
    ck_assert(s.heirs[0] == 1 && s.heirs[1] == 0 && s.heirs[2] == ISSUE_NONE);
    ck_assert(s.ids[1][15] == 1 && s.ids[0][15] == 2 && s.ids[2][15] == 102 && s.ids[3][15] == 103);
    /* nothing at all */
    start(&s, 0, 0);
    inherit(&s);
    start(&s, 2, 0);
    link_pairs(&s, 1, ISSUE_NONE, 1);
    inherit(&s);
    ck_assert(s.ids[0][15] == 100 && s.ids[1][15] == 101);
}
END_TEST

START_TEST(ties)
{
    scene s;
    start(&s, 3, 2);
    link_pairs(&s, 2, 0, 2);
    link_pairs(&s, 1, 0, 2); /* its smallest pair is the smaller one */
    link_pairs(&s, 1, 1, 2);
    inherit(&s);
    ck_assert(s.past_of[1] == 0 && s.past_of[2] == ISSUE_NONE && s.heirs[1] == ISSUE_NONE);
}
END_TEST

/* A part that an issue has lost may have the pair whose id the issue still has. */
START_TEST(own_ids)
{
    scene s;
    uint8_t hashed[16];
    start(&s, 4, 3);
    memcpy(s.ids[1], s.past_ids[0], 16);
    memcpy(s.ids[2], s.past_ids[2], 16); /* of one that is no more */
    bvp_hash(s.past_ids[0], 16, hashed);
    memcpy(s.ids[3], hashed, 16);
    link_pairs(&s, 0, 0, 2);
    link_pairs(&s, 1, 0, 1);
    inherit(&s);
    ck_assert_mem_eq(s.ids[0], s.past_ids[0], 16);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            ck_assert(i == k || memcmp(s.ids[i], s.ids[k], 16) != 0);
            ck_assert(k == 3 || i == 0 || memcmp(s.ids[i], s.past_ids[k], 16) != 0);
        }
}
END_TEST

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Looks at all issues of both days again for each id that is given. */
static void inherit_slowly(const scene *s, uint32_t past_of[MOST])
{
    int shared[MOST][MOST] = {{0}}, has_heir[MOST] = {0};
    memset(past_of, 0xff, MOST * sizeof *past_of);
    for (size_t i = 0; i < s->link_count; i++)
        if (s->links[i].past != ISSUE_NONE)
            shared[s->links[i].past][s->links[i].issue]++;
    for (;;) {
        uint32_t issue = 0, past = 0;
        int most = 0;
        for (uint32_t p = 0; p < s->all.past_count; p++)
            for (uint32_t i = 0; i < s->all.count; i++) {
                if (has_heir[p] || past_of[i] != ISSUE_NONE || shared[p][i] < most ||
                    shared[p][i] == 0)
                    continue;
                if (shared[p][i] == most && (p != past || memcmp(s->ids[i], s->ids[issue], 16) > 0))
                    continue;
                most = shared[p][i];
                issue = i;
                past = p;
            }
        if (most == 0)
            return;
        past_of[issue] = past;
        has_heir[past] = 1;
    }
}

START_TEST(like_its_twin)
{
    const char *given = getenv("BVP_SEED");
    unsigned seed = given ? (unsigned)atoi(given) : 20261127;
    printf("BVP_SEED=%u\n", seed);
    for (int round = 0; round < 300; round++) {
        static scene s, turned;
        uint32_t slow[MOST];
        start(&s, 1 + next(&seed, 20), next(&seed, 20));
        for (size_t i = next(&seed, LINKS); i > 0; i--) {
            const uint32_t p =
                s.all.past_count > 0 && next(&seed, 5) ? next(&seed, s.all.past_count) : ISSUE_NONE;
            link_pairs(&s, next(&seed, s.all.count), p, 1);
        }
        inherit_slowly(&s, slow);
        /* the same with other numbers, the links in another order */
        const uint32_t n = s.all.count;
        start(&turned, n, s.all.past_count);
        for (uint32_t i = 0; i < n; i++)
            memcpy(turned.ids[n - 1 - i], s.ids[i], 16);
        for (size_t i = s.link_count; i > 0; i--)
            link_pairs(&turned, n - 1 - s.links[i - 1].issue, s.links[i - 1].past, 1);
        inherit(&s);
        inherit(&turned);
        for (uint32_t i = 0; i < n; i++) {
            ck_assert_msg(s.past_of[i] == slow[i], "BVP_SEED=%u: round %d", seed, round);
            ck_assert_mem_eq(s.ids[i], turned.ids[n - 1 - i], 16);
            ck_assert(s.past_of[i] == ISSUE_NONE || s.heirs[s.past_of[i]] == i);
        }
    }
}
END_TEST

SUITE(test_issue_ids)
{
    const TTest *const list[] = {most_in_common, ties, own_ids, like_its_twin, NULL};
    return suite_run("issue_ids", list);
}
