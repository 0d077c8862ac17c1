/* SPDX-License-Identifier: MIT
 * ties.h: settles by one plane the many pairs of triangles that bounds of boxes do not tell apart.
 *
 * Thousands of pairs may be as near as the nearest one, or nearly touch: two fans of triangles
 * around a hub each, plates face to face, triangles tiny beside the part. Each would be measured or
 * decided exactly. After much such work a pair of parallel planes is tried, with one part's
 * triangles on one side and the other part's beyond, except for a few. It proves for all other
 * pairs at once what was found for one. The cost is linear in the triangles; pairs are many more.
 *
 * Spec: exactness.md, chapter 6, "Cells" and "Ties"
 */
#ifndef BVPI_QUERY_PAIR_TIES_H
#define BVPI_QUERY_PAIR_TIES_H

#include <string.h>

#include "prim/tri_dist.h"
#include "query/pair/pair_query.h"
#include "query/pair/projection.h"

/* ---- distances that count as equal ----------------------------------------------------------- */

/* Distances are compared by their cells: doubles rounded to 2^-32 of themselves. Upper ends of
 * pairs at one distance differ only by rounding, so they nearly always share a cell. Rounding is
 * monotone, so a cell is an interval of doubles. */
enum { BVPI_CELL_SHIFT = 20 };

/* The number of x's cell, for x >= 0. */
static inline uint64_t bvpi_cell(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits + (UINT64_C(1) << (BVPI_CELL_SHIFT - 1))) >> BVPI_CELL_SHIFT;
}

static inline double bvpi_cell_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The least double in x's cell. */
static inline double bvpi_cell_bottom(double x)
{
    const uint64_t cell = bvpi_cell(x) << BVPI_CELL_SHIFT;
    return cell == 0 ? 0 : bvpi_cell_double(cell - (UINT64_C(1) << (BVPI_CELL_SHIFT - 1)));
}

/* The largest double in x's cell. */
static inline double bvpi_cell_top(double x)
{
    return bvpi_cell_double((bvpi_cell(x) << BVPI_CELL_SHIFT) +
                            ((UINT64_C(1) << (BVPI_CELL_SHIFT - 1)) - 1));
}

/* ---- settling -------------------------------------------------------------------------------- */

/* Must the answer be the first pair in storage among those at the least distance? Not if any pair
 * within the limit will do, nor under a tolerance. */
static inline bool bvpi_ties_matter(const bvpi_pair_question *question)
{
    return question->mode == BVPI_PAIR_DISTANCE && !(question->tolerance > 0);
}

/* Two parts, and what the kernel does with a pair of triangles. Items are as in pair_queue.h. */
typedef struct bvpi_ties {
    const bvpi_pair_query *query;
    bvpi_pair_answer *answer; /* the query's */
    const bvpi_placed_part *a, *b;
    const bvpi_pose *pose;
    uint64_t spent; /* work so far; a try may cost about as much */
    void *user;
    /* DISTANCE: measures a pair; it becomes the answer if it is nearer or comes first. */
    void (*measure)(void *user, const float a[9], const float b[9], uint32_t item_a,
                    uint32_t item_b);
    /* DISTANCE: does the pair come before the best one in storage? */
    bool (*comes_first)(void *user, uint32_t item_a, uint32_t item_b);
} bvpi_ties;

/* Work on two parts is counted in pairs of leaves; an exact test counts as this many. */
enum { BVPI_TIES_EXACT = 8 };

/* How much work is done before the first try. has_ties: the answer's. */
uint64_t bvpi_ties_patience(const bvpi_placed_part *a, const bvpi_placed_part *b, bool has_ties);

/* How much before the first look for a gap between flat parts, which costs little; at most
 * patience. */
uint64_t bvpi_ties_first_look(const bvpi_placed_part *a, const bvpi_placed_part *b,
                              uint64_t patience);

/* Two parallel planes, one for each side (0: a, 1: b). A triangle of side i whose largest
 * projection is at most at[i] is on the right side of its plane. */
typedef struct bvpi_planes {
    bvpi_projection of[2]; /* on w for a and on -w for b: of either part the largest value counts */
    double at[2];
    double direction[3], length; /* its length, at least */
    double room;                 /* gap of the pair that gave them, beyond what is needed */
    bool is_flat; /* the part that gave the direction is flat, as far as a sample tells */
} bvpi_planes;

/* A lower bound of the distance between triangles with these largest projections, or 0. */
static inline double bvpi_planes_gap(const bvpi_planes *p, const double highest[2])
{
    const double gap = -(highest[0] + highest[1]);
    return gap > 0 ? gap / p->length * (1 - 0x1p-48) : 0;
}

/* How far apart planes must be to prove anything. */
double bvpi_ties_use(const bvpi_ties *ties);

/* Planes of direction number i from a pair that was found apart, for facing.h: normals of the
 * pair, if they are those of flat parts or along its shortest connection; that connection. The
 * parts may stand out of them by a little of the limit. False: there is no such direction, or it
 * does not separate the pair. */
enum { BVPI_TIES_DIRECTIONS = 3 };
bool bvpi_ties_planes(const bvpi_ties *ties, const float a[9], const float b[9], unsigned i,
                      bvpi_planes *out);

/* a, b: a pair that was found apart. True: except for the pairs that this call has measured, no
 * pair of the two parts can change the answer, and answer->lower is right. False: nothing is known,
 * or the query has ended. */
bool bvpi_ties_settle(const bvpi_ties *ties, const float a[9], const float b[9]);

#endif
