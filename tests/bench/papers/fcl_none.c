/* SPDX-License-Identifier: MIT
 * fcl_none.c: what stands for fcl_tree.cc in a build without FCL.
 */
#include "fcl_tree.h"

#include <stdlib.h>

bool fcl_is_there(void)
{
    return false;
}

fcl_tree *fcl_tree_build(fcl_kind kind, const float *tri, uint64_t count, double *seconds)
{
    (void)kind, (void)tri, (void)count, (void)seconds;
    return NULL;
}

void fcl_tree_free(fcl_tree *tree)
{
    (void)tree;
}

uint64_t fcl_tree_pairs(const fcl_tree *a, const fcl_tree *b, const double placement[12],
                        bool is_boolean, bvp_stats *stats)
{
    (void)a, (void)b, (void)placement, (void)is_boolean, (void)stats;
    abort();
}

double fcl_tree_distance(const fcl_tree *a, const fcl_tree *b, const double placement[12])
{
    (void)a, (void)b, (void)placement;
    abort();
}

size_t fcl_node_bytes(fcl_kind kind, int number_size)
{
    (void)kind, (void)number_size;
    return 0;
}
