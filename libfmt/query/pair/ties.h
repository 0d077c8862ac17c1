/* SPDX-License-Identifier: MIT
 * ties.h: many pairs of triangles of two parts that no bound of a box tells apart, settled at once.
 * Spec: exactness.md, chapter 6
 */

/* Thousands of pairs may be as near as the nearest one, or nearly touch: two fans that share a hub
 * each, plates face to face, triangles that are tiny beside the part. Each is then measured, or
 * decided exactly. Once that has been done often, a plane is tried that has the one part's
 * triangles on one side and the other's beyond it, but for a few: it proves for all other pairs at
 * once what was found out for one. Linear in the triangles, where pairs are many more. */
#ifndef BVPI_QUERY_PAIR_TIES_H
#define BVPI_QUERY_PAIR_TIES_H

#include <string.h>

#include "prim/tri_dist.h"
#include "query/pair/pair_query.h"

/* ---- distances that are as good as equal --------------------------------------------------------

 * Distances are compared by their cells: doubles rounded to 2^-32 of themselves. Upper ends of
 * pairs at one distance differ by rounding only; they nearly always share a cell. */
enum { BVPI_CELL_SHIFT = 20 };

/* x >= 0. Monotone. */
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

/* The least number of x's cell. */
static inline double bvpi_cell_bottom(double x)
{
    const uint64_t cell = bvpi_cell(x) << BVPI_CELL_SHIFT;
    return cell == 0 ? 0 : bvpi_cell_double(cell - (UINT64_C(1) << (BVPI_CELL_SHIFT - 1)));
}

/* The largest one. */
static inline double bvpi_cell_top(double x)
{
    return bvpi_cell_double((bvpi_cell(x) << BVPI_CELL_SHIFT) +
                            ((UINT64_C(1) << (BVPI_CELL_SHIFT - 1)) - 1));
}

/* ---- settling -------------------------------------------------------------------------------- */

/* Two parts whose triangles meet, and what the kernel does with a pair; items as in pair_queue.h.
 */
typedef struct bvpi_ties {
    bvpi_pair_query *query;
    const bvpi_placed_part *a, *b;
    const bvpi_pose *pose;
    uint64_t spent; /* so far: more than that is not worth a try */
    void *user;
    /* DISTANCE: measures a pair; it becomes the answer if it is nearer or comes first. */
    void (*measure)(void *user, const float a[9], const float b[9], uint32_t item_a,
                    uint32_t item_b);
    /* DISTANCE: would the pair be the answer, if it is as near as the best? */
    bool (*comes_first)(void *user, uint32_t item_a, uint32_t item_b);
} bvpi_ties;

/* What is spent on two parts is counted as pairs of leaves; an exact test counts as so many. */
enum { BVPI_TIES_EXACT = 8 };

/* How much is spent before the first try. */
uint64_t bvpi_ties_patience(const bvpi_placed_part *a, const bvpi_placed_part *b);

/* a, b: a pair that was found apart. True: no pair of the two parts, but for those measured, may
 * change the answer. query->lower holds. False: nothing is known, or the query's status says why.
 */
bool bvpi_ties_settle(const bvpi_ties *ties, const float a[9], const float b[9]);

#endif
