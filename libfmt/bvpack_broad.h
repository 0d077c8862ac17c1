/* SPDX-License-Identifier: MIT
 * bvpack_broad.h: which of many moving bodies are near one another: a broad phase.
 *
 * Promise: pairs depend only on where the bodies are, not on how they came there: two bodies are a
 * pair exactly while their boxes meet. Boxes are conservative: bodies that touch, or that are not
 * farther apart than the margin, are a pair. Pairs come in ascending order. All of this is the same
 * on every CPU path.
 *
 * A step: move what moves, bvp_broad_update, read what began and what ended, ask a query of
 * bvpack.h about each pair (bvp_broad_get gives its bodies; bvp_collide_warm with a state for each
 * pair is made for this).
 *
 * Threads: calls that take a const bvp_broad may run at the same time. The others may not run while
 * any call uses the same bvp_broad.
 */
#ifndef BVPACK_BROAD_H
#define BVPACK_BROAD_H

#include "bvpack.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bvp_broad bvp_broad;

/* Names a body while it is in; afterwards it names nothing: a number is never given twice. 0: none.
 */
typedef uint64_t bvp_broad_id;

/* Zero-initialise; zero means default everywhere. */
typedef struct bvp_broad_options {
    double margin; /* >= 0: each box is grown by half of it on all sides, so that bodies at most so
                      far apart are pairs. For bvp_within and the like. At most 2^100 */
    uint64_t pair_limit;  /* most pairs of boxes that an update may find, also those that layers
                             leave out; 0: 2^26. A pair takes up to 96 bytes */
    int baseline_simd;    /* nonzero: do not use CPU extensions beyond the compiler's baseline */
    uint64_t reserved[2]; /* zero */
} bvp_broad_options;

/* A body, as it is added. Zero-initialise. The file stays the caller's, and so do the filter and
 * its bits: all of them must stay as they are until the body is removed or replaced. The placement
 * is copied. */
typedef struct bvp_broad_body {
    bvp_body body; /* any that queries accept */
    /* Two bodies are no pair where one has a layer that the other ignores: bit by bit. A plant's
     * own parts, for example, or the links of a robot beside one another. */
    uint32_t layers, ignores;
    void *user; /* for the caller */
} bvp_broad_body;

/* Two bodies, a < b: the one that was added first comes first, unless its place was free because
 * another one had been removed. */
typedef struct bvp_broad_pair {
    bvp_broad_id a, b;
} bvp_broad_pair;

/* Both in ascending order of (a, b). The arrays are the broad phase's, and stay until the next
 * bvp_broad_update. */
typedef struct bvp_broad_changes {
    const bvp_broad_pair *begun, *ended;
    uint64_t begun_count, ended_count;
} bvp_broad_changes;

/* *out is to be freed with bvp_broad_free. options: NULL for defaults. BVP_ERR_ARGUMENT: the margin
 * is negative, too large or NaN. */
BVP_API bvp_status bvp_broad_new(const bvp_broad_options *options, bvp_broad **out);
/* NULL is allowed. Files stay open. */
BVP_API void bvp_broad_free(bvp_broad *broad);

/* ---- bodies -------------------------------------------------------------------------------- */

/* After a failure of these calls, bvp_broad_move_all apart, nothing has changed. BVP_ERR_ARGUMENT:
 * no such id; what queries would refuse (a bad body, part, filter or placement, NaN, a singular
 * placement). BVP_ERR_LIMIT: the box reaches beyond 2^100, or there are 2^28 bodies.
 * BVP_ERR_CORRUPT, BVP_ERR_SYSTEM, BVP_ERR_CANCELLED: of reading the file, as of a query. The box
 * is that of the part's corners, or of those instances that the filter leaves in, before the
 * placement; an assembly without instances has none and is never in a pair. */

/* Takes O(1), or O(instances) for an assembly, whose parts it reads. *id: the body's name. */
BVP_API bvp_status bvp_broad_add(bvp_broad *broad, const bvp_broad_body *body, bvp_broad_id *id);
/* Another body under the same name. Also for the same one after bvp_refit, or after its filter's
 * bits have changed: its box is not read again otherwise. */
BVP_API bvp_status bvp_broad_replace(bvp_broad *broad, bvp_broad_id id, const bvp_broad_body *body);
/* The same body elsewhere: 12 doubles, as of bvp_body, copied; NULL: the identity. O(1). */
BVP_API bvp_status bvp_broad_move(bvp_broad *broad, bvp_broad_id id, const double placement[12]);
/* Many at once, which takes less time for each: ids[k] to placements[k], k < count. Where one
 * cannot be moved, those before it have been, and no other: *moved says how many. O(count). */
BVP_API bvp_status bvp_broad_move_all(bvp_broad *broad, const bvp_broad_id *ids,
                                      const double (*placements)[12], uint64_t count,
                                      uint64_t *moved);
/* O(1). Its pairs end with the next update. */
BVP_API bvp_status bvp_broad_remove(bvp_broad *broad, bvp_broad_id id);
/* The body as it was added, where it is now. out->body.placement: NULL for the identity; it stays
 * until the next call that changes the broad phase. Of a removed body: BVP_ERR_ARGUMENT. */
BVP_API bvp_status bvp_broad_get(const bvp_broad *broad, bvp_broad_id id, bvp_broad_body *out);
/* Its box in the world, grown by half the margin, rounded outward; lo > hi without instances. */
BVP_API bvp_status bvp_broad_box(const bvp_broad *broad, bvp_broad_id id, double lo[3],
                                 double hi[3]);

/* ---- pairs --------------------------------------------------------------------------------- */

/* Finds the pairs of the bodies as they are now, and how these differ from those of the last
 * update. A pair of a removed body has ended, and so has one of a replaced body only if its boxes
 * no longer meet. changes: may be NULL. For k bodies that have changed of n: O(k log n + pairs), at
 * most O(n log n + pairs), unless most boxes meet many others; where bodies move little, O(k +
 * pairs) in most updates. BVP_ERR_NO_MEMORY, BVP_ERR_LIMIT:
 * pairs are those of the last update, and no change is lost: it may be called again. */
BVP_API bvp_status bvp_broad_update(bvp_broad *broad, bvp_broad_changes *changes);
/* All pairs of the last update, in ascending order. The array stays until the next. O(1). */
BVP_API bvp_status bvp_broad_pairs(const bvp_broad *broad, const bvp_broad_pair **pairs,
                                   uint64_t *count);

/* ---- one against all ------------------------------------------------------------------------ */

/* The bodies, whatever their layers, of which the box meets a given one: lo <= hi, which may be
 * infinite. found: `capacity` elements (may be NULL when it is 0), in an order that depends only on
 * the calls made so far. When it is full: BVP_ERR_LIMIT with *count == capacity. BVP_ERR_ARGUMENT
 * also when a body has changed since the last update, which these answers would miss. O(those found
 * + log n), where boxes do not all meet. */
BVP_API bvp_status bvp_broad_in_box(const bvp_broad *broad, const double lo[3], const double hi[3],
                                    bvp_broad_id *found, uint64_t capacity, uint64_t *count);
/* The same for the box of a body, which need not be in, grown by half the margin; one that is in
 * is found too. Errors also those
 * of bvp_broad_add. */
BVP_API bvp_status bvp_broad_near(const bvp_broad *broad, const bvp_body *body, bvp_broad_id *found,
                                  uint64_t capacity, uint64_t *count);

#ifdef __cplusplus
}
#endif
#endif
