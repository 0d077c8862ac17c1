/* SPDX-License-Identifier: MIT
 * judge.h: two instances, and the questions that their verdict is made of.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_JUDGE_H
#define BVPI_CLASH_JUDGE_H

#include "clash/clash_scene.h"
#include "query/near/closest.h"
#include "query/pair/pair_query.h"

/* Points in the world that are made of a part's placed corners (a corner, a middle, a point of an
 * edge) are so far, at most, from what they stand for: this share of the largest sum of terms that
 * makes up a coordinate. */
#define BVPI_CLASH_SLACK 0x1p-49
double bvpi_clash_slack(const bvpi_placed_tree *at);

/* An instance made ready. */
typedef struct bvpi_clash_item {
    const bvp_file *file;
    bvpi_placed_part part;
    bvpi_bounds bounds;
    double slack;  /* bvpi_clash_slack */
    bool is_open;  /* has edges that belong to one triangle */
    bool is_sound; /* neither open edges nor such that belong to more than two */
    uint8_t content_hash[16];
    bvpi_part_cache *pieces; /* of the parts of its file: pieces.h */
    bvpi_part_cache *seams;  /* the same: seams.h */
    bvpi_meter *meter;       /* of the pair that it is judged in, or NULL */
} bvpi_clash_item;

/* An instance of a or of b of the scene. */
bvp_status bvpi_clash_item_init(bvpi_clash_item *item, bvpi_clash_scene *scene, bool is_of_b,
                                uint32_t instance, bvpi_meter *meter);

/* A corner as stored, in the world. */
void bvpi_clash_place_corner(const bvpi_clash_item *item, const float corner[3], double out[3]);

/* Points made of placed corners, which are within the slack of what they stand for: a triangle's
 * middle; from + t way, of an edge. */
void bvpi_clash_middle(const double corners[9], double out[3]);
void bvpi_clash_on_edge(const double from[3], const double way[3], double t, double out[3]);

/* The state for judging pairs; one for each thread. */
typedef struct bvpi_clash_judge {
    const bvpi_clash_item *a, *b;
    double crack;                   /* cracks no wider than this are closed */
    bvpi_pair_query query;          /* its bodies are the two parts */
    struct bvpi_contacts *contacts; /* the caller's: too large for a stack */
} bvpi_clash_judge;

void bvpi_clash_judge_init(bvpi_clash_judge *judge, const bvp_file *a, const bvp_file *b,
                           struct bvpi_contacts *contacts);
/* The items must stay where they are. */
void bvpi_clash_judge_set(bvpi_clash_judge *judge, const bvpi_clash_item *a,
                          const bvpi_clash_item *b);

/* Any witness will do? All contacts, their number and box? */
static inline bool bvpi_clash_is_fast(bvp_clash_detail detail)
{
    return detail == BVP_CLASH_VERDICTS || detail == BVP_CLASH_FAST_CONTACTS;
}
static inline bool bvpi_clash_has_contacts(bvp_clash_detail detail)
{
    return detail == BVP_CLASH_CONTACTS || detail == BVP_CLASH_FAST_CONTACTS;
}

/* verdict.c: fills in all but a and b of *pair, whose limits are set. */
bvp_status bvpi_clash_judge_pair(bvpi_clash_judge *judge, bvp_clash_detail detail,
                                 bvp_clash_pair *pair);

/* ---- inside.c: points and solids ------------------------------------------------------------- */

/* ALONG: of a part: no point that was asked is farther from the surface than rounding. */
typedef enum bvpi_where { BVPI_OUTSIDE, BVPI_INSIDE, BVPI_UNSURE, BVPI_ALONG } bvpi_where;

/* Where is a point, in the world, that does not lie on the surface? */
bvp_status bvpi_clash_where(const bvpi_clash_item *item, const double point[3], bvpi_where *out);

/* What one ray has crossed. */
typedef struct bvpi_tally {
    const double *direction;
    int sum;        /* out of the solid less into it */
    unsigned count; /* of crossings */
    bool grazes;    /* along a face, through an edge: it may be counted twice */
} bvpi_tally;

/* Which directions are asked, in this order. */
enum { BVPI_CLASH_DIRECTIONS = 9 };
extern const double bvpi_clash_directions[BVPI_CLASH_DIRECTIONS][3];
bvp_status bvpi_clash_cast_ray(const bvpi_clash_item *item, const double point[3], int which,
                               bvpi_tally *out);

/* The surface's nearest point, if it is not farther than `limit`: query->best. */
bvp_status bvpi_clash_nearest(const bvpi_clash_item *item, const double point[3], double limit,
                              bvpi_closest_query *query);

/* A corner in one of up to BVPI_CLASH_SAMPLES clusters, spread over the part, in the world. False:
 * there is no such cluster, or *status says why not. */
enum { BVPI_CLASH_SAMPLES = 8 };
bool bvpi_clash_sample(const bvpi_clash_item *item, uint32_t which, double point[3],
                       bvp_hit_id *hit, bvp_status *status);
/* May what is within `slack` of a point, in the world, be in the part's own box? */
bool bvpi_clash_is_in_box(const bvpi_placed_part *part, const double point[3], double slack);

/* ---- winding.c: points and solids with cracks ------------------------------------------------ */

/* Where is a point, in the world and off by up to `slack`, of a part with open edges? INSIDE and
 * OUTSIDE are certain, of the part with its cracks closed; UNSURE: a crack is wider than `crack`,
 * or nobody can tell of this point. */
bvp_status bvpi_clash_winding(const bvpi_clash_item *item, const double point[3], double slack,
                              double crack, bvpi_where *out);

/* ---- same.c: surfaces in one place ----------------------------------------------------------- */

/* Is each point of either surface within `gap` of the other one? True is certain; false may be said
 * where the distance is just below the gap, or the meshes take too long to compare. */
bvp_status bvpi_clash_is_same(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap,
                              bool *out);

/* ---- enclosed.c: parts and solids ------------------------------------------------------------ */

/* Is one of two parts whose surfaces do not meet inside the other? Points within `gap` of the
 * other's surface, or within rounding, tell nothing. OUTSIDE is certain: every connected piece has
 * a point that tells. What is in a part with cracks wider than `crack` is UNSURE. */
bvp_status bvpi_clash_enclosed(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap,
                               double crack, bvpi_where *out);

/* ---- depth.c --------------------------------------------------------------------------------- */

/* How deep surfaces that meet are in one another. */
typedef struct bvpi_clash_depth {
    double lower, upper;
    bool is_deep;   /* deeper than what is permitted */
    bool has_point; /* a corner of one part inside the other, and the other's point next to it */
    double point_a[3], point_b[3];
    bvp_hit_id hit_a, hit_b;
    uint64_t contact_count; /* with contacts: pairs of triangles that touch, the box of where */
    double lo[3], hi[3];
} bvpi_clash_depth;

/* hit_a, hit_b: triangles that touch. overlap: what is permitted; is_deep does not depend on the
 * detail. upper: INFINITY, or what is known. */
bvp_status bvpi_clash_measure_depth(bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                                    const bvp_hit_id *hit_b, double overlap, double upper,
                                    bvp_clash_detail detail, bvpi_clash_depth *out);
/* Are two parts that are near in these triangles apart after a shift off one of them that is not
 * longer than `overlap`? Then *upper is not above it. */
bvp_status bvpi_clash_comes_free(bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                                 const bvp_hit_id *hit_b, double overlap, double *upper);

#endif
