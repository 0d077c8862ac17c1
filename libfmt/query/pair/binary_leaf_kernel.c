/* SPDX-License-Identifier: MIT
 * binary_leaf_kernel.c: decodes the triangles of a leaf of a binary hierarchy; compiled once per
 * instruction set, for all kinds.
 *
 * Clusters are stored in the order of the part's first hierarchy: its leaves are runs of one
 * cluster and decoded eight at a time. Leaves of a further hierarchy are gathered one by one.
 */
#define BVPI_COMPACT /* decisions.md, "Text of the library" */

#include "query/pair/binary_leaf.h"

#include <assert.h>

/* Do the references name triangles of one cluster, one after the other? */
static inline bool are_neighbours(const uint32_t *reference, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (reference[i] != reference[0] + i)
            return false;
    return (reference[0] & 0xff) + count <= 256;
}

static inline bool load_lane(const bvpi_tree *clusters, uint32_t reference, unsigned lane,
                             bvpi_tri8 *out)
{
    bvpi_cluster cluster;
    float corners[9];
    assert(lane < 8);
    if (!bvpi_cluster_open(clusters->units, clusters->blob_size, clusters->outside,
                           (uint64_t)(reference >> 8) << clusters->cluster_shift, &cluster) ||
        (reference & 0xff) >= cluster.triangle_count)
        return false;
    bvpi_cluster_triangle(&cluster, reference & 0xff, corners);
    for (int k = 0; k < 9; k++)
        out->c[k][lane] = corners[k];
    return true;
}

bool binary_triangles(const bvpi_binary *tree, const bvpi_tree *clusters, uint32_t first,
                      unsigned count, uint32_t reference[8], bvpi_tri8 *out)
{
    assert(count >= 1 && count <= BVPD_LEAF_MAX);
    for (unsigned i = 0; i < count; i++)
        if (!bvpi_binary_item(tree, first + i, &reference[i]))
            return false;
    if (are_neighbours(reference, count))
        return bvpi_wide_triangles(clusters, reference[0], count, out);
    for (unsigned i = 0; i < 8; i++)
        if (!load_lane(clusters, reference[i < count ? i : 0], i, out))
            return false;
    return true;
}
