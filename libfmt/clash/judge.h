/* SPDX-License-Identifier: MIT
 * judge.h: two placed instances, and the questions that a verdict is made of.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_JUDGE_H
#define BVPI_CLASH_JUDGE_H

#include "clash/clash_scene.h"
#include "query/near/closest.h"
#include "query/pair/pair_query.h"

/* World points made of a part's placed corners (a corner, a middle, a point of an edge) differ from
 * the exact ones by at most this share of the largest sum of terms of a coordinate. */
#define BVPI_CLASH_SLACK 0x1p-49
double bvpi_clash_slack(const bvpi_placed_tree *at);

/* A placed instance, prepared. */
typedef struct bvpi_clash_item {
    const bvp_file *file;
    bvpi_placed_part part;
    bvpi_bounds bounds;
    double slack;  /* bvpi_clash_slack */
    bool is_open;  /* some edges belong to one triangle only */
    bool is_sound; /* every edge belongs to exactly two triangles */
    uint8_t content_hash[16];
    bvpi_part_cache *pieces; /* cache of its file's parts: pieces.h */
    bvpi_part_cache *seams;  /* the same: seams.h */
    bvpi_part_cache *sweeps; /* the same: sweep.h */
    bvpi_meter *meter;       /* of the pair being judged, or NULL */
} bvpi_clash_item;

/* Prepares an instance of the scene's a, or b. bounds: bvpi_clash_bounds, or NULL. */
bvp_status bvpi_clash_item_init(bvpi_clash_item *item, bvpi_clash_scene *scene, bool is_of_b,
                                uint32_t instance, const bvpi_bounds *bounds, bvpi_meter *meter);

/* The world position of a stored corner. */
void bvpi_clash_place_corner(const bvpi_clash_item *item, const float corner[3], double out[3]);

/* Points made of placed corners, each within the slack of the exact one: a triangle's middle, and
 * from + t way on an edge. */
void bvpi_clash_middle(const double corners[9], double out[3]);
void bvpi_clash_on_edge(const double from[3], const double way[3], double t, double out[3]);

/* State for judging pairs; one for each thread. */
typedef struct bvpi_clash_judge {
    const bvpi_clash_item *a, *b;
    double crack;                   /* cracks up to this width count as closed */
    bvpi_pair_query query;          /* its bodies are the two parts */
    struct bvpi_contacts *contacts; /* owned by the caller: too large for a stack */
    struct bvpi_known_apart *known; /* the same; NULL: everything is asked */
} bvpi_clash_judge;

void bvpi_clash_judge_init(bvpi_clash_judge *judge, const bvp_file *a, const bvp_file *b,
                           struct bvpi_contacts *contacts);
/* The items must remain valid at these addresses. */
void bvpi_clash_judge_set(bvpi_clash_judge *judge, const bvpi_clash_item *a,
                          const bvpi_clash_item *b);

/* Is any witness good enough? Are all contacts requested, with their number and box? */
static inline bool bvpi_clash_is_fast(bvp_clash_detail detail)
{
    return detail == BVP_CLASH_VERDICTS || detail == BVP_CLASH_FAST_CONTACTS;
}
static inline bool bvpi_clash_has_contacts(bvp_clash_detail detail)
{
    return detail == BVP_CLASH_CONTACTS || detail == BVP_CLASH_FAST_CONTACTS;
}

/* verdict.c: the witness of a query that found one, and the box around its two points. */
void bvpi_clash_take_witness(const bvp_distance_result *best, bvp_clash_pair *pair);
/* verdict.c: sets everything in *pair except a, b and the limits, which are inputs. */
bvp_status bvpi_clash_judge_pair(bvpi_clash_judge *judge, bvp_clash_detail detail,
                                 bvp_clash_pair *pair);

/* ---- inside.c: points and solids ------------------------------------------------------------- */

/* ALONG: every point that was tried is on the surface, within rounding. */
typedef enum bvpi_where { BVPI_OUTSIDE, BVPI_INSIDE, BVPI_UNSURE, BVPI_ALONG } bvpi_where;

/* Where is a world point that is not on the surface? */
bvp_status bvpi_clash_where(const bvpi_clash_item *item, const double point[3], bvpi_where *out);

/* What one ray crossed. */
typedef struct bvpi_tally {
    const double *direction;
    int sum;        /* exits minus entries */
    unsigned count; /* of crossings */
    bool grazes;    /* passed along a face or through an edge: a crossing may be counted twice */
} bvpi_tally;

/* The directions of rays, in the order they are used. */
enum { BVPI_CLASH_DIRECTIONS = 9 };
extern const double bvpi_clash_directions[BVPI_CLASH_DIRECTIONS][3];
bvp_status bvpi_clash_cast_ray(const bvpi_clash_item *item, const double point[3], int which,
                               bvpi_tally *out);

/* The nearest point of the surface within `limit`: query->best. */
bvp_status bvpi_clash_nearest(const bvpi_clash_item *item, const double point[3], double limit,
                              bvpi_closest_query *query);

/* Sets `point` to a corner, in the world, in one of up to BVPI_CLASH_SAMPLES clusters spread over
 * the part. Returns false if there is no such cluster, or on failure, which sets *status. */
enum { BVPI_CLASH_SAMPLES = 8 };
bool bvpi_clash_sample(const bvpi_clash_item *item, uint32_t which, double point[3],
                       bvp_hit_id *hit, bvp_status *status);
/* May a point within `slack` of the given world point be in the part's own box? */
bool bvpi_clash_is_in_box(const bvpi_placed_part *part, const double point[3], double slack);

/* ---- winding.c: points and solids with cracks ------------------------------------------------ */

/* Where is a world point, with an error of up to `slack`, relative to a part with open edges?
 * INSIDE and OUTSIDE are certain, for the part with its cracks closed. UNSURE: a crack is wider
 * than `crack`, or this point cannot be decided. */
bvp_status bvpi_clash_winding(const bvpi_clash_item *item, const double point[3], double slack,
                              double crack, bvpi_where *out);

/* ---- same.c: surfaces in one place ----------------------------------------------------------- */

/* Is every point of either surface within `gap` of the other surface? True is certain. False may be
 * wrong if the distance is just below the gap, or if comparing the meshes would take too long. */
bvp_status bvpi_clash_is_same(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap,
                              bool *out);

/* ---- enclosed.c: parts and solids ------------------------------------------------------------ */

/* A world point, possibly on the other part's surface. */
typedef struct bvpi_clash_point {
    const double *point;
    double slack; /* its error */
    double gap;   /* >= slack: it decides nothing if it is this near to the surface */
    double crack; /* cracks up to this width count as closed */
} bvpi_clash_point;

/* Where is the point? *told: the answer is certain enough to decide. */
bvp_status bvpi_clash_ask_point(const bvpi_clash_item *outer, const bvpi_clash_point *at,
                                bvpi_where *out, bool *told);

/* Is one of two parts, whose surfaces do not meet, inside the other? Points within `gap` of the
 * other surface, or within rounding, are not used. OUTSIDE is certain: every connected piece has a
 * point that proves it. If the outer part has cracks wider than `crack`, the answer for parts in it
 * is UNSURE. */
bvp_status bvpi_clash_enclosed(const bvpi_clash_item *a, const bvpi_clash_item *b, double gap,
                               double crack, bvpi_where *out);

/* ---- depth.c --------------------------------------------------------------------------------- */

/* How deep two parts whose surfaces meet are in each other. */
typedef struct bvpi_clash_depth {
    double lower, upper;
    bool is_deep;   /* deeper than permitted */
    bool has_point; /* point_a, point_b: a point of one part inside the other, and the other
                       surface's nearest point */
    double point_a[3], point_b[3];
    bvp_hit_id hit_a, hit_b;
    /* With contacts: the number of touching pairs of triangles, and their box. */
    uint64_t contact_count;
    double lo[3], hi[3];
} bvpi_clash_depth;

/* hit_a, hit_b: triangles that touch. overlap: permitted depth. is_deep does not depend on the
 * detail. upper: a known upper bound, or INFINITY. */
bvp_status bvpi_clash_measure_depth(bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                                    const bvp_hit_id *hit_b, double overlap, double upper,
                                    bvp_clash_detail detail, bvpi_clash_depth *out);
/* Tries to free two parts that are near each other at these triangles, by a move no longer than
 * `overlap`: out of one of the faces, or shrinking around an axis. On success *upper is at most
 * `overlap`, else INFINITY. */
bvp_status bvpi_clash_comes_free(bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                                 const bvp_hit_id *hit_b, double overlap, double *upper);

#endif
