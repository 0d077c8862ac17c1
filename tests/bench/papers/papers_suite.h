/* SPDX-License-Identifier: MIT
 * papers_suite.h: hierarchies that are to be compared on one model: packed, opened, asked, and what
 * the library refuses is told.
 */
#ifndef PAPERS_SUITE_H
#define PAPERS_SUITE_H

#include "measure.h"

/* Where models are and how long everything may take. */
typedef struct setup {
    const char *models; /* folder of packed models */
    double effort;      /* 1: a full run; less: smaller models, fewer placements */
    bool is_check;      /* some of the counts, and no times: see check_papers.sh */
} setup;

/* The papers, in order of their files; and the recommendation. */
void papers_boxtree(const setup *setup);
void papers_solid(const setup *setup);
void papers_obbtree(const setup *setup);
void papers_mebvh(const setup *setup);
void papers_best(const setup *setup);

/* A model by its name, its largest side 2. False: not there, which the report says. */
bool setup_model(const setup *setup, const char *name, mesh *out);
/* `wanted` triangles, or fewer with less effort. */
uint64_t setup_count(const setup *setup, uint64_t wanted);
/* `wanted` placements, or fewer with less effort; at least one. */
int setup_poses(const setup *setup, int wanted);

/* A hierarchy and a way to test its boxes. */
typedef struct candidate {
    const char *name;
    bvp_hierarchy_spec spec;
    bvp_box_test test;
} candidate;

extern const candidate candidate_wide;       /* the library's default */
extern const candidate candidate_restricted; /* Zachmann's own tree: leaves of one; SAT lite */
extern const candidate candidate_free;       /* the same, but each child chooses its side freely */
extern const candidate candidate_boxtree_best; /* three planes, 8 bits, leaves of eight */
extern const candidate candidate_aabb_paper;   /* midpoint, leaves of one */
extern const candidate candidate_obb_paper;    /* mean, axes of the hull, leaves of one */

typedef struct suite {
    int count; /* of candidates */
    packed packs[SUBJECT_MAX];
    int pack_of[SUBJECT_MAX];    /* candidate k's; equal specs share one */
    int subject_of[SUBJECT_MAX]; /* candidate k's; -1: refused */
    char problem[SUBJECT_MAX][300];
    subject subjects[SUBJECT_MAX];
    int subject_count;
    fcl_tree *fcl[2 * FCL_KINDS];
    double fcl_seconds[FCL_KINDS]; /* to build a's */
    int fcl_count;
} suite;

/* Packs `a` (and `b`, when it is another mesh) with every candidate. */
void suite_open(suite *suite, const candidate *candidates, int count, const mesh *a, const mesh *b);
/* One more subject, of a baseline. */
void suite_add_base(suite *suite, const char *name, const base_tree *a, const base_tree *b,
                    uint64_t (*pairs)(const base_tree *, const base_tree *, const double *, bool,
                                      bvp_stats *));
/* Two more, FCL's trees of OBB and of OBBRSS; false, and the report says so: there is no FCL. */
bool suite_add_fcl(suite *suite, const mesh *a, const mesh *b);
void suite_close(suite *suite);
/* Candidate k's results, or NULL when it was refused. */
const subject *suite_subject(const suite *suite, int candidate);
const packed *suite_pack(const suite *suite, int candidate);
/* Box tests, triangle tests, microseconds of a placement; NaN: refused, or not timed. */
double suite_boxes(const suite *suite, int candidate, int placements);
double suite_triangles(const suite *suite, int candidate, int placements);
double suite_us(const suite *suite, int candidate);

/* `count` poses of a full tumbling turn at `distance`, in an order whose every prefix is spread
 * over it; to be freed. */
double *tumble_placements(double distance, int count);
/* `count` random placements of b in a cube whose size makes about `share` of them collide. */
double *random_placements(const mesh *a, const mesh *b, int count, double share);

#endif
