/* SPDX-License-Identifier: MIT
 * bench_judge.c: where we and a peer report different pairs, exact rational arithmetic decides.
 */
#include "bench.h"
#include "peer.h"

#if BENCH_HAVE_GMP
#include "oracle_gmp.h"
#endif

#include <stdio.h>
#include <stdlib.h>

typedef struct pair_list {
    uint64_t (*pairs)[2];
    size_t count, capacity;
} pair_list;

static void append(void *user, uint64_t a, uint64_t b)
{
    pair_list *list = user;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        if (!list->pairs)
            bench_require(BVP_ERR_NO_MEMORY, "pairs");
    }
    list->pairs[list->count][0] = a;
    list->pairs[list->count++][1] = b;
}

static int append_ours(void *user, const bvp_pair *pair)
{
    append(user, pair->a.id, pair->b.id);
    return 0;
}

static int compare(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

#if BENCH_HAVE_GMP
static void judge(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                  const uint64_t pair[2], bench_verdicts *verdicts)
{
    int meet =
        oracle_tri_tri(a->positions + 9 * pair[0], b->positions + 9 * pair[1], NULL, placement);
    if (meet & ORACLE_PROPER)
        verdicts->cross++;
    else if (meet)
        verdicts->touch++;
    else
        verdicts->apart++;
}
#else
static void judge(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                  const uint64_t pair[2], bench_verdicts *verdicts)
{
    (void)a, (void)b, (void)placement, (void)pair;
    verdicts->unknown++;
}
#endif

/* Of a list's pairs, as many as it takes. */
static bench_truth judge_any(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                             const pair_list *list)
{
    bench_verdicts verdicts = {0};
    for (size_t i = 0; i < list->count && !verdicts.cross && !verdicts.touch; i++)
        judge(a, b, placement, list->pairs[i], &verdicts);
    return (bench_truth){!verdicts.unknown, verdicts.cross || verdicts.touch};
}

bench_truth bench_truth_of(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                           const peer_pairs *peer, const void *peer_a, const void *peer_b)
{
    pair_list list = {0};
    bvp_body body_a = {.file = a->file, .part = 0},
             body_b = {.file = b->file, .part = 0, .placement = placement};
    uint64_t count;
    bench_require(bvp_pairs_each(&body_a, &body_b, append_ours, &list, &count, NULL), "pairs");
    if (peer->pairs)
        peer->pairs(peer_a, peer_b, placement, append, &list);
    bench_truth truth = judge_any(a, b, placement, &list);
    truth.known &= truth.meet || peer->pairs != NULL;
    free(list.pairs);
    return truth;
}

/* Walks both sorted lists; a pair in one of them only goes to that one's verdicts. */
static void judge_lists(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                        const pair_list *ours, const pair_list *theirs, bench_verdicts *only_ours,
                        bench_verdicts *only_theirs)
{
    size_t i = 0, k = 0;
    while (i < ours->count || k < theirs->count) {
        int order = i == ours->count     ? 1
                    : k == theirs->count ? -1
                                         : compare(ours->pairs[i], theirs->pairs[k]);
        if (order < 0)
            judge(a, b, placement, ours->pairs[i], only_ours);
        else if (order > 0)
            judge(a, b, placement, theirs->pairs[k], only_theirs);
        i += order <= 0;
        k += order >= 0;
    }
}

void bench_judge(const bench_mesh *a, const bench_mesh *b, const double placement[12],
                 const peer_pairs *peer, const void *peer_a, const void *peer_b,
                 bench_verdicts *only_ours, bench_verdicts *only_theirs)
{
    pair_list ours = {0}, theirs = {0};
    bvp_body body_a = {.file = a->file, .part = 0},
             body_b = {.file = b->file, .part = 0, .placement = placement};
    uint64_t count;
    bench_require(bvp_pairs_each(&body_a, &body_b, append_ours, &ours, &count, NULL), "pairs");
    peer->pairs(peer_a, peer_b, placement, append, &theirs);
    if (ours.count)
        qsort(ours.pairs, ours.count, sizeof *ours.pairs, compare);
    if (theirs.count)
        qsort(theirs.pairs, theirs.count, sizeof *theirs.pairs, compare);
    judge_lists(a, b, placement, &ours, &theirs, only_ours, only_theirs);
    free(ours.pairs);
    free(theirs.pairs);
}
