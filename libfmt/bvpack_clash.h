/* SPDX-License-Identifier: MIT
 * bvpack_clash.h: find clashes in an assembly, or between two.
 *
 * Promise: the same files and options give the same pairs in the same order, whatever the thread
 * count. Memory does not grow with the number of pairs. Verdicts rest on the exact queries of
 * bvpack.h; depth is an estimate, whose method and error bvp_clash_pair states.
 */
#ifndef BVPACK_CLASH_H
#define BVPACK_CLASH_H

#include "bvpack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The relation of two instances. If several hold, the verdict is the last of them, `unknown`
 * excepted. */
typedef enum bvp_verdict {
    BVP_VERDICT_CLEAR = 0,   /* farther apart than the clearance */
    BVP_VERDICT_WITHIN,      /* not farther apart than the clearance */
    BVP_VERDICT_TOUCHING,    /* not farther apart than the touch gap, nor deeper than the overlap */
    BVP_VERDICT_PENETRATING, /* deeper in one another than the permitted overlap */
    BVP_VERDICT_ENCLOSED,  /* one is inside the other, which is a solid (cracks up to the touch gap
                              are allowed), and their surfaces do not meet */
    BVP_VERDICT_DUPLICATE, /* the same surface: each point of either is within the touch gap of
                              the other, whatever triangles, order and frame they have */
    BVP_VERDICT_UNKNOWN /* inside or outside cannot be decided: one is an open shell, with more than
                           cracks, around the other */
} bvp_verdict;
enum { BVP_VERDICT_COUNT = BVP_VERDICT_UNKNOWN + 1 };
/* "clear", "within", "touching", "penetrating", "enclosed", "duplicate", "unknown"; static. */
BVP_API const char *bvp_verdict_name(bvp_verdict verdict);

/* The limits for one pair. Lengths in the units of the files' world. */
typedef struct bvp_clash_limits {
    double clearance; /* >= 0 */
    double touch_gap; /* >= 0, or NaN: bvp_clash_touch_gap */
    double overlap;   /* >= 0, or NaN: the touch gap */
} bvp_clash_limits;

/* Called for each pair whose boxes are near, on any thread. *limits holds the run's limits; the
 * callback may change them, but not beyond bvp_clash_options.reach; limits that are none end the
 * run with BVP_ERR_ARGUMENT. Nonzero leaves the pair out, as "excluded". The result must depend
 * only on the pair. */
typedef int (*bvp_clash_rule_fn)(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits);

/* One pair of instances that is not clear. */
typedef struct bvp_clash_pair {
    uint32_t a, b; /* instances; within one file a < b */
    bvp_verdict verdict;
    bvp_clash_limits limits; /* that were applied */
    /* Of the surfaces: above the minimum by at most the touch gap or a 4096th of the clearance,
     * whichever is less; for parts not farther apart than the touch gap, the distance of a witness;
     * 0 when they meet. Detail verdicts: the distance of any witness that is near enough, with
     * lower 0; not always 0 when they meet. */
    double distance;
    double lower; /* certified lower bound of the distance */
    double depth; /* surfaces that meet: the largest distance to the other's surface among points
                     of one surface inside the other that were tried: corners of triangles that
                     touch, middles of what the other surface cuts off their edges, some corners
                     elsewhere; or the radius of a ball around point_a inside both, where their
                     walls are the same. A lower bound: no shorter move takes them apart. Of two
                     open surfaces: how far touching triangles reach through one another */
    double depth_upper; /* a move by this much takes them apart: depth <= true depth <= depth_upper.
                           Certain, and never infinite: the overlap of their boxes is such a bound,
                           and the only one known for enclosed, duplicate and unknown pairs; 0 for
                           parts that are outside one another */
    double point_a[3], point_b[3]; /* witnesses in the world: the nearest points, or a point of
                                      contact, or the deepest point and the nearest surface point */
    bvp_hit_id hit_a, hit_b;       /* their triangles */
    uint64_t triangle_pairs;       /* how many pairs of triangles touch; details with contacts */
    double lo[3], hi[3]; /* box of the contact, world: of the lines of contact (with contacts)
                            or of the witnesses */
} bvp_clash_pair;
/* Called in the order of (a, b), one call at a time. Return nonzero to stop. */
typedef int (*bvp_clash_fn)(void *user, const bvp_clash_pair *pair);

typedef enum bvp_clash_detail {
    BVP_CLASH_DISTANCE = 0, /* minimum distances; depth */
    BVP_CLASH_VERDICTS,     /* verdicts, with any witness: fastest */
    BVP_CLASH_CONTACTS,     /* distances, depth, all contacts: triangle_pairs and their box */
    BVP_CLASH_FAST_CONTACTS /* verdicts, and all contacts of pairs that penetrate, not of those that
                               touch */
} bvp_clash_detail;

/* What was examined. Counts pairs of instances whose boxes, grown by the reach, meet; all other
 * pairs are clear. */
typedef struct bvp_clash_coverage {
    uint64_t box_pairs; /* excluded + the sum of verdicts */
    uint64_t excluded;  /* by the rule */
    uint64_t verdicts[BVP_VERDICT_COUNT];
    uint64_t instance_count, open_count; /* examined; of these, of parts with open edges */
} bvp_clash_coverage;

/* A solid convex body that instances are held against: a keep-out zone, a swept volume, what a
 * sensor sees. A run with bvp_clash_options.zones examines the pairs of an instance of the scene's
 * `a` and a zone, and no others; the scene's `b` must be NULL. In pairs, and for the rule, `b` is
 * the zone's number. Both are solids: a zone always, an instance where its surface is closed.
 *
 *   within       not farther apart than the clearance
 *   touching     not farther apart than the touch gap, nor deeper than the overlap
 *   penetrating  deeper in one another than the overlap
 *   enclosed     all of the instance is in the zone, whose walls are part of it; or the zone is
 *                inside the instance, a solid, and does not meet its surface
 *   unknown      the zone is inside an open shell, with more than cracks, and does not meet it
 *
 * There are no duplicates. An instance of several pieces, one of which is in the zone, penetrates.
 *
 * distance, lower: those of bvp_convex_distance, of the surface: 0 if some of it is in the zone.
 * point_a is on the surface, point_b in the zone; hit_b has no part (BVP_NONE).
 * depth, of what penetrates: the larger one of two, both certain. How deep the surface reaches into
 *   the zone, to within a thousandth; both points are then the deepest one. How deep some points of
 *   the zone are in the instance: the middles of what its surface cuts off the zone's axes and
 *   diagonals, of a hull off lines to its points. Of a hull the former is found by scaling it about
 *   a ball inside it. So it may be too small by as much as the hull is wider than that ball, and
 *   what is deeper than the overlap by no more than this factor may be called touching. With
 *   details verdicts: the first proof that it is deeper than the overlap.
 * triangle_pairs, lo, hi: how many triangles touch the zone, and their box, cut off at the zone's;
 *   of what touches or penetrates, details with contacts as above. */
typedef struct bvp_clash_zone {
    bvp_convex shape; /* in the world of `a`; the caller keeps its arrays during the call */
    const char *name; /* for error messages; or NULL */
} bvp_clash_zone;

/* Instances first .. end - 1 of the first file; first <= end <= their number. */
typedef struct bvp_clash_range {
    uint32_t first, end;
} bvp_clash_range;

/* Zero-initialise; zero means default everywhere but in `limits`, where it is zero. NULL instead:
 * no clearance, touch gap and overlap by default. */
typedef struct bvp_clash_options {
    bvp_clash_limits limits;
    double reach; /* the largest clearance that `rule` gives; 0: limits.clearance */
    bvp_clash_detail detail;
    uint32_t thread_count;  /* 0: one per online CPU */
    bvp_clash_rule_fn rule; /* or NULL */
    void *rule_user;
    uint32_t first_instance; /* to resume: pairs with a smaller `a` are left out and not counted */
    uint32_t end_instance;   /* likewise pairs with this `a` or a larger one; 0: none */
    /* Called in order, between the pairs of instances `done - 1` and `done` of the first file: all
     * pairs with a < done have been given, and `coverage` counts them. Nonzero: stop. */
    int (*progress)(void *user, uint32_t done, uint32_t total, const bvp_clash_coverage *coverage);
    void *progress_user;
    const bvp_control *control; /* or NULL: the first file's. Its budget is for each pair of
                                   instances, so that a run ends at the same pair with any
                                   thread_count. When it ends a run, `coverage` counts the instances
                                   that are complete, and the pairs that were given are right */
    /* Elements bvp_clash_zone: the instances are held against these; see there. Or NULL. */
    const bvp_const_array *zones;
    /* Elements bvp_clash_range, ascending and disjoint: pairs whose `a` is in none of them, too,
     * are left out and not counted. Or NULL. Runs over ranges that cover all instances once give
     * together what one run gives, and their coverages add up to its coverage. */
    const bvp_const_array *ranges;
    uint64_t reserved[1]; /* zero */
} bvp_clash_options;

/* The touch gap for instances of `a` and `b` (NULL: of a), the largest of: eight units in the last
 * place of a float as large as the assembly's longest side, or of a double as large as its largest
 * coordinate; twice the tessellation tolerance that the file states. Where some instances lie so
 * far out that they have hierarchies of their own (bvp_file_info.instance_hierarchy_count), the
 * side and the coordinate are those of the others: the first hierarchy's box. */
BVP_API double bvp_clash_touch_gap(const bvp_file *a, const bvp_file *b);
/* The first of these two: what the coordinates leave open, were the triangles exact. */
BVP_API double bvp_clash_coordinate_gap(const bvp_file *a, const bvp_file *b);

/* What is examined: all pairs of instances within `a` (b NULL), or of one of `a` and one of `b`;
 * or, with zones, of an instance of `a` and a zone. */
typedef struct bvp_clash_scene {
    const bvp_file *a, *b;
    const double *placement_b; /* of b's world in a's: 12 doubles; NULL: the identity */
} bvp_clash_scene;

/* All pairs of a scene that are not clear. coverage, error: may be NULL. It uses threads and memory
 * of its own, of the order of thread_count MiB; callbacks are called on these threads, one at a
 * time, and may use 512 KiB of stack. BVP_OK also when a callback stopped it. O(instances log
 * instances + box pairs). Damaged files: instances and boxes of parts are checked at once,
 * hierarchies and triangles as they are read, of pairs whose boxes are near: damage that is found
 * ends the run with BVP_ERR_CORRUPT, and pairs given before may be wrong. Each detail reads no more
 * than it needs: verdicts stop at the first witness, and may complete where distances or contacts,
 * which read on, find the damage. Hashes are checked only on a handle with verify_lazily, for each
 * part before it is first used. To be sure that no result depends on damage, call bvp_check_part
 * for all parts of such a handle, or bvp_verify_file, before the run.
 */
BVP_API bvp_status bvp_clash(const bvp_clash_scene *scene, const bvp_clash_options *options,
                             bvp_clash_fn callback, void *user, bvp_clash_coverage *coverage,
                             bvp_error *error);
/* Which instances to ask for share `index` of `count`, when as many machines, 0 .. count - 1, are
 * to do the work of one run of this scene with these options: at most BVP_CLASH_SHARE_RANGES
 * ranges, for bvp_clash_options.ranges. Each instance is in one share. Shares cost about the same,
 * as far as triangles and boxes near tell; the rule is not asked. What is asked of the options is
 * reach, limits, zones and control. The answer depends on these, `count` and the files alone. A
 * share may be empty. BVP_ERR_ARGUMENT: as of bvp_clash, or index >= count, or count >
 * BVP_CLASH_SHARES_MOST. 8 bytes of memory for each instance, 16 for each share. O(instances +
 * count * log count) and some hundred look-ups in the hierarchy. */
enum { BVP_CLASH_SHARE_RANGES = 16, BVP_CLASH_SHARES_MOST = 1000000 };
BVP_API bvp_status bvp_clash_share(const bvp_clash_scene *scene, const bvp_clash_options *options,
                                   uint32_t index, uint32_t count,
                                   bvp_clash_range ranges[BVP_CLASH_SHARE_RANGES],
                                   uint32_t *range_count, bvp_error *error);

/* One pair by its numbers, with the same verdict. *pair of a clear one has only a, b and verdict.
 */
BVP_API bvp_status bvp_clash_one(const bvp_clash_scene *scene, uint32_t instance_a,
                                 uint32_t instance_b, const bvp_clash_limits *limits,
                                 bvp_clash_detail detail, bvp_clash_pair *pair);

/* An instance of `file` and a zone, with the same verdict as in a run; pair->b is 0. */
BVP_API bvp_status bvp_clash_one_zone(const bvp_file *file, uint32_t instance,
                                      const bvp_clash_zone *zone, const bvp_clash_limits *limits,
                                      bvp_clash_detail detail, bvp_clash_pair *pair);

/* ---- penetration of two bodies -------------------------------------------------------------- */

/* A point of contact: a corner of one surface inside the other solid, and the nearest point of that
 * solid's surface. Where surfaces meet and no such corner is found: one with depth 0. */
typedef struct bvp_contact {
    double point_a[3], point_b[3]; /* world: on a's surface, and on b's */
    double normal[3];              /* unit, from a to b: the way that a is blocked */
    double depth;                  /* >= 0: (point_a - point_b) . normal, the points' distance; no
                                      shorter move takes the bodies apart */
    bvp_hit_id hit_a, hit_b;       /* their triangles */
} bvp_contact;

typedef struct bvp_penetration_result {
    bvp_verdict verdict; /* clear: apart, neither inside the other. penetrating: their surfaces
                            meet, at a point at least. enclosed: one is inside the other. unknown:
                            they do not meet, but one is in the box of an open shell */
    double depth;        /* no shorter move of a takes them apart; certain */
    double depth_upper;  /* a move of a by depth_upper * direction does, so that no point of either
                            is in the other, also after rounding; certain. 0 if clear */
    double direction[3]; /* unit; zeros if clear */
    uint64_t contact_count; /* written */
} bvp_penetration_result;

/* How deep are two bodies in each other, which way out is short, and where do they touch? Unlike
 * clash's depth this is of moves, without turns. Of two convex parts depth and depth_upper are
 * within 1e-5 of their size of each other. Of others depth_upper is the shortest move that a search
 * found, and depth what boxes, balls and points inside both prove; the search ends when depth is
 * .95 of depth_upper, or after some work. Of pairs of CAD parts, at random poses, it is .9 on
 * average; of slivers, of parts that are linked, or beside many others, it may be far less.
 *
 * contacts: elements bvp_contact, or count 0: the deepest of those that the first 4096 touching
 * triangles have, the deepest first; several may be close together.
 *
 * Bodies are parts, assemblies (the union of their instances) or some of them, placed anywhere. A
 * part with open edges has no inside: it gives no contact with a depth and no lower bound, and the
 * way out is along a contact's normal or that of the convex hulls.
 *
 * Time: what bvp_collide costs, some hundred times, and O(triangles) of both for the hulls; for
 * the hull a part of more than 2^18 triangles, or an assembly of more than 2^10 instances, is its
 * box. Memory 40 bytes a vertex, and below 20 MB for the search. Runs on the caller's thread.
 *
 * The control of the first body, or else the second's, meters all of the call: its budget is that
 * of the whole call. BVP_ERR_CANCELLED: *out is zeros, or, if depth_upper > 0, has the bounds, the
 * direction and the contacts that were known by then; they hold, and are farther apart. Other
 * errors: those of queries between two bodies (b must not be NULL), BVP_ERR_NO_MEMORY; *out is
 * zeros. */
BVP_API bvp_status bvp_penetration(const bvp_body *a, const bvp_body *b, bvp_array contacts,
                                   bvp_penetration_result *out);

#ifdef __cplusplus
}
#endif
#endif
