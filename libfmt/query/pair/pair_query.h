/* SPDX-License-Identifier: MIT
 * pair_query.h: a query between two bodies while it runs: bodies, the state of the answer, the
 * kernels.
 *
 * A body is a list of instances; a single part is a list of one. The scene walk descends the
 * hierarchies over instances to pairs of instances; the part walk descends the hierarchies of two
 * parts to pairs of leaves.
 *
 * Invariants while a query runs: `limit` and `lower` only shrink. `done` ends all walks, whether
 * the answer is complete or `status` holds an error (with `is_settled`: those of two parts). When
 * `swapped` is set, a and b are the reverse of the caller's, so everything that is stored for the
 * caller or reported must be swapped back.
 */
#ifndef BVPI_QUERY_PAIR_PAIR_QUERY_H
#define BVPI_QUERY_PAIR_PAIR_QUERY_H

#include <stdbool.h>

#include "base/meter.h"
#include "query/body/placed_body.h"

/* The most opened pairs of boxes with children waiting: each step opens a level of one hierarchy,
 * and neither has more than BVPD_DEPTH_MAX. */
enum { BVPI_PAIR_LEVELS = 2 * BVPD_DEPTH_MAX };

typedef enum bvpi_pair_mode {
    BVPI_PAIR_COLLIDE, /* stop at the first touching pair of triangles */
    BVPI_PAIR_EACH,    /* report every one */
    BVPI_PAIR_DISTANCE /* find the nearest pair */
} bvpi_pair_mode;

struct bvpi_pair_kernel;
struct bvpi_front;

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

typedef struct bvpi_pair_query {
    bvpi_pair_mode mode;
    const struct bvpi_pair_kernel *kernel;
    bvpi_placed_body a, b;
    bvp_box_test box_test;
    bool self;        /* b is a: only instances i < j meet */
    bool swapped;     /* a is what the caller calls b */
    uint32_t first_b; /* instances of b before this one are skipped */
    const bvpi_placed_tree *top_a,
        *top_b; /* scenes: the hierarchies that are walked; NULL: of a part */

    bvpi_meter *meter; /* the call's, or NULL */
    bvpi_meter own;    /* what it points to, unless that is another call's */

    bvp_status status; /* not BVP_OK: the walks end */
    bool done;         /* the answer is known: the walks end */
    bool is_settled;   /* `done` holds for the current two parts only, by a plane: ties.h */
    uint64_t patience; /* work on the current two parts before ties are looked for: ties.h */
    bool has_ties;     /* a plane settled pairs, in this question or the one before: ties.h */
    bool hit;          /* COLLIDE: something touches */
    bool want_witness; /* COLLIDE, stop_at_first: fill `best`, not only best.found */
    bool any_witness;  /* DISTANCE: any witness within the limit will do; its distance is a bound */
    bvp_pair_fn callback;
    void *user;
    uint64_t count;           /* EACH: pairs reported */
    float tri_a[9], tri_b[9]; /* EACH: the callback's triangles as stored; a is the caller's */

    double limit;       /* DISTANCE: farther pairs do not matter; shrinks */
    double tolerance;   /* DISTANCE: by how much the answer may exceed the least distance */
    bool bounded;       /* DISTANCE: the limit is the distance of a pair */
    bool stop_at_first; /* DISTANCE: any pair within the limit will do */
    double lower;       /* smallest lower bound of the pairs looked at */
    bvp_distance_result best;
    uint32_t best_a, best_b; /* DISTANCE: items of the best pair */

    bvpi_hit_pairs *hit_pairs;  /* COLLIDE: where to put pairs that cross; or NULL */
    const bvpi_last_pair *last; /* last_kernel.c: the pair to measure */
    bvpi_pair_start *start; /* COLLIDE, stop_at_first: receives where to begin next time; or NULL */
    bool from_start;        /* search below *start only */
    struct bvpi_front *front; /* front_kernel.c: where the last search stopped */
    bool is_aimed;            /* DISTANCE: `aim` is set; gaps along it are tried from the start */
    double aim[3];            /* in the world */

    bvp_stats stats;
} bvpi_pair_query;

/* Runs the query on two placed parts, walking hierarchies of one kind. */
typedef void (*bvpi_parts_fn)(bvpi_pair_query *query, const bvpi_placed_part *a,
                              const bvpi_placed_part *b);

/* Per instruction set: pair_kernel.c. */
typedef struct bvpi_pair_kernel {
    bvpi_isa isa;
    bvpi_parts_fn wide;   /* two parts by their wide hierarchies */
    bvpi_parts_fn binary; /* by a binary kind; NULL: the function in kind_table.h */
    /* Walks query->top_a and top_b (at least one body is an assembly) and calls bvpi_pair_enter for
     * pairs of items that may matter. */
    void (*scenes)(bvpi_pair_query *query);
    const struct bvpi_pair_kernel *last, *front; /* last_kernel.c, front_kernel.c of the same set */
} bvpi_pair_kernel;

extern const bvpi_pair_kernel bvpi_pair_kernel_base, bvpi_pair_kernel_avx2;
/* last_kernel.c: of the pair query->last alone; has no `scenes`. */
extern const bvpi_pair_kernel bvpi_last_kernel_base, bvpi_last_kernel_avx2;
/* front_kernel.c: distance of two parts, from query->front; has no `scenes`. */
extern const bvpi_pair_kernel bvpi_front_kernel_base, bvpi_front_kernel_avx2;

/* Of the kinds that kind_table.h lists: *_pair_kernel.c. */
#define BVPI_PARTS_FN(name)                                                                        \
    void name(bvpi_pair_query *query, const bvpi_placed_part *a, const bvpi_placed_part *b)
BVPI_PARTS_FN(bvpi_aabb_pair_base);
BVPI_PARTS_FN(bvpi_aabb_pair_avx2);

/* api_pair.c. The caller zeroes *query, sets query->meter if this is part of a larger call, calls
 * bvpi_pair_begin once and then asks one or more questions. Answers are in *query. */
bvp_status bvpi_pair_begin(bvpi_pair_query *query, const bvp_body *a, const bvp_body *b);
/* Adds the query's counts to the caller's statistics; stats: these, or NULL. */
void bvpi_pair_add_stats(bvpi_pair_query *query, bvp_stats *stats);
void bvpi_pair_reset(bvpi_pair_query *query, bvpi_pair_mode mode);
bvp_status bvpi_ask_collide(bvpi_pair_query *query, bool want_witness);
bvp_status bvpi_ask_distance(bvpi_pair_query *query, double limit, double tolerance);
bvp_status bvpi_ask_within(bvpi_pair_query *query, double delta, bool want_witness);
/* The same with any pair within delta as the witness; its distance is only a bound, not above
 * delta. */
bvp_status bvpi_ask_near(bvpi_pair_query *query, double delta);
/* The distance of bodies that are known not to meet; best.distance is not more than `tolerance`
 * above the least one. */
bvp_status bvpi_ask_nearest(bvpi_pair_query *query, double limit, double tolerance);
void bvpi_finish_distance(bvpi_pair_query *query);

/* The whole query: status, counts and answers are then in *query. */
void bvpi_pair_run(bvpi_pair_query *query);
/* Looks instances up (a body that is a part has one item, number 0) and asks the kernel, unless
 * they are not to be paired. */
void bvpi_pair_enter(bvpi_pair_query *query, uint32_t item_a, uint32_t item_b);

#endif
