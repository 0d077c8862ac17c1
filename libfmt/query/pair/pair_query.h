/* SPDX-License-Identifier: MIT
 * pair_query.h: a query between two bodies: what is asked, on what, and what has come of it so far;
 * the kernels that answer it.
 *
 * A body is a list of instances; a single part is a list of one. The scene walk descends the
 * hierarchies over instances to pairs of instances; the part walk descends the hierarchies of two
 * parts to pairs of leaves.
 *
 * Kernels see the query as const and change its answer alone.
 *
 * Invariants while a query runs: answer.limit and answer.lower only shrink. All walks end once
 * answer.state is BVPI_PAIR_ENDED, whether the answer is complete or answer.status is an error.
 * When bodies.swapped is set, a and b are the reverse of the caller's, so everything that is stored
 * for the caller or reported must be swapped back.
 */
#ifndef BVPI_QUERY_PAIR_PAIR_QUERY_H
#define BVPI_QUERY_PAIR_PAIR_QUERY_H

#include <stdbool.h>

#include "base/meter.h"
#include "query/body/placed_body.h"

/* The most opened pairs of boxes with children waiting: each step opens a level of one hierarchy,
 * and neither has more than BVPD_DEPTH_MAX. */
enum { BVPI_PAIR_LEVELS = 2 * BVPD_DEPTH_MAX };

struct bvpi_pair_kernel;
struct bvpi_front;

/* ---- what a caller keeps from one query to the next (warm.h) --------------------------------- */

/* Pairs of triangles that cross, as stored, of one pair of instances; a is the caller's a. */
enum { BVPI_HIT_PAIRS = 4 };
typedef struct bvpi_hit_pairs {
    uint32_t instance_a, instance_b, count;
    float a[BVPI_HIT_PAIRS][9], b[BVPI_HIT_PAIRS][9];
    uint32_t item_a[BVPI_HIT_PAIRS], item_b[BVPI_HIT_PAIRS]; /* as in pair_queue.h */
} bvpi_hit_pairs;

/* A pair of triangles that was an answer; a is the caller's a. Items are as in pair_queue.h. */
typedef struct bvpi_last_pair {
    uint32_t is_known;
    uint32_t instance_a, item_a, instance_b, item_b;
} bvpi_last_pair;

/* A pair of inner nodes in the walk's units, under which an answer was found. It is searched first:
 * an answer found there is valid; finding none proves nothing. */
typedef struct bvpi_pair_start {
    uint32_t is_known;
    uint32_t instance_a, instance_b;
    uint32_t ref_a, ref_b;
    float box_a[6], box_b[6]; /* centre, half */
} bvpi_pair_start;

/* ---- a query --------------------------------------------------------------------------------- */

typedef enum bvpi_pair_mode {
    BVPI_PAIR_COLLIDE,  /* stop at the first touching pair of triangles */
    BVPI_PAIR_EACH,     /* report every one */
    BVPI_PAIR_DISTANCE, /* find the nearest pair within the limit */
    BVPI_PAIR_WITHIN    /* stop at the first pair within the limit */
} bvpi_pair_mode;

/* Does the mode need distances, not only whether triangles touch? */
static inline bool bvpi_pair_measures(bvpi_pair_mode mode)
{
    return mode >= BVPI_PAIR_DISTANCE;
}

/* How much of answer.best COLLIDE and WITHIN fill in; DISTANCE always fills in all of it. */
typedef enum bvpi_pair_witness {
    BVPI_WITNESS_NONE,  /* found, and a bound of the distance */
    BVPI_WITNESS_ROUGH, /* WITHIN: all, but of the distance only a bound, not above the limit */
    BVPI_WITNESS_EXACT
} bvpi_pair_witness;

typedef struct bvpi_pair_question {
    bvpi_pair_mode mode;
    bvpi_pair_witness witness;
    double limit;         /* DISTANCE, WITHIN: farther pairs do not matter; else 0 */
    double tolerance;     /* DISTANCE: by how much the answer may exceed the least distance */
    bool is_aimed;        /* DISTANCE: the limit is the distance of a pair, `aim` its direction */
    double aim[3];        /* in the world; gaps along it are looked for from the start */
    bvp_pair_fn callback; /* EACH */
    void *user;
    /* Where to search. NULL: everywhere */
    const bvpi_pair_start *from; /* COLLIDE, WITHIN: below these nodes only */
    const bvpi_last_pair *last;  /* this pair of triangles only: last_kernel.c */
    struct bvpi_front *front;    /* DISTANCE: from where the last search stopped: front_kernel.c */
} bvpi_pair_question;

typedef struct bvpi_pair_bodies {
    bvpi_placed_body a, b;
    bool self;        /* b is a: only instances i < j meet */
    bool swapped;     /* a is what the caller calls b */
    uint32_t first_b; /* instances of b before this one are skipped */
    const bvpi_placed_tree *top_a;
    const bvpi_placed_tree *top_b; /* scenes: the hierarchies that are walked; NULL: of a part */
    bvp_box_test box_test;
} bvpi_pair_bodies;

/* What to write for the next query. NULL: nothing */
typedef struct bvpi_pair_keep {
    bvpi_hit_pairs *hit_pairs; /* COLLIDE: pairs that cross */
    bvpi_pair_start *start;    /* COLLIDE, WITHIN: where to begin next time */
} bvpi_pair_keep;

typedef enum bvpi_pair_state {
    BVPI_PAIR_SEARCHING, /* walks go on */
    BVPI_PAIR_SETTLED,   /* by a plane, for the current two parts: their walk ends; see ties.h */
    BVPI_PAIR_ENDED      /* the answer is known, or status is an error: all walks end */
} bvpi_pair_state;

typedef struct bvpi_pair_answer {
    bvpi_pair_state state;
    bvp_status status;
    double limit;             /* the question's, until a pair is found; then less */
    double lower;             /* DISTANCE, WITHIN: smallest lower bound of the pairs looked at */
    bool is_bounded;          /* DISTANCE: the limit is the distance of a pair */
    bool has_ties;            /* a plane settled pairs, in this question or the one before */
    bvp_distance_result best; /* found: something touches, or is within the limit */
    uint32_t best_a, best_b;  /* DISTANCE: items of the best pair */
    uint64_t count;           /* EACH: pairs reported */
    float tri_a[9], tri_b[9]; /* EACH: the callback's triangles as stored; a is the caller's */
    bvp_stats stats;          /* of all questions */
} bvpi_pair_answer;

typedef struct bvpi_pair_query {
    bvpi_pair_question question;
    bvpi_pair_bodies bodies;
    bvpi_pair_keep keep;
    bvpi_pair_answer answer;
    const struct bvpi_pair_kernel *kernel;
    bvpi_meter *meter;    /* the call's, or NULL */
    bvpi_meter own_meter; /* what it points to, unless that is another call's */
} bvpi_pair_query;

/* ---- kernels --------------------------------------------------------------------------------- */

/* Runs the query on two placed parts, walking hierarchies of one kind. */
typedef void (*bvpi_parts_fn)(bvpi_pair_query *query, const bvpi_placed_part *a,
                              const bvpi_placed_part *b);

/* Per instruction set: pair_kernel.c. */
typedef struct bvpi_pair_kernel {
    bvpi_isa isa;
    bvpi_parts_fn wide;   /* two parts by their wide hierarchies */
    bvpi_parts_fn binary; /* by a binary kind; NULL: the function in kind_table.h */
    /* Walks bodies.top_a and top_b (at least one body is an assembly) and calls bvpi_pair_enter for
     * pairs of items that may matter. */
    void (*scenes)(bvpi_pair_query *query);
    const struct bvpi_pair_kernel *last, *front; /* last_kernel.c, front_kernel.c of the same set */
} bvpi_pair_kernel;

extern const bvpi_pair_kernel bvpi_pair_kernel_base, bvpi_pair_kernel_avx2;
/* last_kernel.c: of the pair question.last alone; has no `scenes`. */
extern const bvpi_pair_kernel bvpi_last_kernel_base, bvpi_last_kernel_avx2;
/* front_kernel.c: distance of two parts, from question.front; has no `scenes`. */
extern const bvpi_pair_kernel bvpi_front_kernel_base, bvpi_front_kernel_avx2;

/* Of the kinds that kind_table.h lists: *_pair_kernel.c. */
#define BVPI_PARTS_FN(name)                                                                        \
    void name(bvpi_pair_query *query, const bvpi_placed_part *a, const bvpi_placed_part *b)
BVPI_PARTS_FN(bvpi_aabb_pair_base);
BVPI_PARTS_FN(bvpi_aabb_pair_avx2);

/* ---- asking ---------------------------------------------------------------------------------- */

/* api_pair.c. The caller zeroes *query, sets query->meter if this is part of a larger call, calls
 * bvpi_pair_begin once and then asks one or more questions. Each answer replaces the one before. */
bvp_status bvpi_pair_begin(bvpi_pair_query *query, const bvp_body *a, const bvp_body *b);
/* Adds the query's counts to the caller's statistics; stats: these, or NULL. */
void bvpi_pair_add_stats(bvpi_pair_query *query, bvp_stats *stats);
bvp_status bvpi_ask_collide(bvpi_pair_query *query, bool want_witness);
bvp_status bvpi_ask_distance(bvpi_pair_query *query, double limit, double tolerance);
bvp_status bvpi_ask_within(bvpi_pair_query *query, double delta, bvpi_pair_witness witness);
/* The distance of bodies that are known not to meet; best.distance is not more than `tolerance`
 * above the least one. */
bvp_status bvpi_ask_nearest(bvpi_pair_query *query, double limit, double tolerance);

/* The steps of these: sets a question, which makes the answer empty; runs it; derives best.lower of
 * a distance. */
void bvpi_pair_set_question(bvpi_pair_query *query, const bvpi_pair_question *question);
void bvpi_pair_run(bvpi_pair_query *query);
void bvpi_finish_distance(bvpi_pair_query *query);
/* Looks instances up (a body that is a part has one item, number 0) and asks the kernel, unless
 * they are not to be paired. */
void bvpi_pair_enter(bvpi_pair_query *query, uint32_t item_a, uint32_t item_b);

#endif
