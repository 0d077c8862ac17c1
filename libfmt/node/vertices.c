/* SPDX-License-Identifier: MIT
 * vertices.c: stored vertices by number, cluster by cluster in the order of the file.
 * Spec: format.md, chapter "Cluster records"
 */
#include "format/outside.h"
#include "format/source.h"
#include "node/cluster_record.h"

#include <assert.h>

static bvp_status get_vertices(const bvp_file *file, uint32_t part_idx, uint64_t first,
                               uint64_t capacity, float *positions, uint64_t *count)
{
    uint64_t before = 0;
    bvpi_part part;
    *count = 0;
    bvp_status status = bvpi_get_part(file, part_idx, &part);
    if (status != BVP_OK)
        return status;
    if (positions && part.outside)
        status = bvpi_outside_fetch(file, part_idx);
    if (status != BVP_OK)
        return status; /* where they lie is not known: bvp_bind */
    for (uint32_t idx = 0; idx < part.cluster_count && *count < capacity; idx++) {
        bvpi_cluster cluster;
        if (!bvpi_cluster_at(&part, idx, &cluster))
            return BVP_ERR_CORRUPT;
        const uint64_t wanted = first + *count;
        if (wanted < before + cluster.vertex_count) {
            const uint32_t from = (uint32_t)(wanted - before);
            uint64_t some = cluster.vertex_count - from;
            if (some > capacity - *count)
                some = capacity - *count;
            assert(from < cluster.vertex_count && some > 0);
            for (uint32_t i = 0; positions && i < 3 * some; i++)
                positions[3 * *count + i] =
                    bvpi_cluster_coordinate(&cluster, (int)(i % 3), from + i / 3);
            *count += some;
        }
        before += cluster.vertex_count;
    }
    return *count > 0 || capacity == 0 || first == before ? BVP_OK : BVP_ERR_ARGUMENT;
}

bvp_status bvp_get_vertices(const bvp_file *file, uint32_t part_idx, uint64_t first,
                            uint64_t capacity, float *positions, uint64_t *count)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_vertices(file, part_idx, first, capacity, positions, count));
}

static bvp_status get_corners(const bvp_file *file, uint32_t part_idx, uint64_t first,
                              uint64_t capacity, uint64_t *corners, uint64_t *count)
{
    uint64_t before = 0;
    bvpi_part part;
    *count = 0;
    bvp_status status = bvpi_triangle_range(file, part_idx, first, &part, &capacity);
    if (status != BVP_OK)
        return status;
    for (uint32_t idx = 0; idx < part.cluster_count && *count < capacity; idx++) {
        bvpi_cluster cluster;
        if (!bvpi_cluster_at(&part, idx, &cluster))
            return BVP_ERR_CORRUPT;
        const uint64_t begin = cluster.head.first_triangle, wanted = first + *count;
        uint64_t local = wanted - begin;
        for (; wanted >= begin && local < cluster.triangle_count && *count < capacity; local++) {
            for (uint32_t k = 0; k < 3; k++)
                corners[3 * *count + k] =
                    before + bvpi_cluster_corner(&cluster, (uint32_t)local, k);
            ++*count;
        }
        before += cluster.vertex_count;
    }
    return *count == capacity ? BVP_OK : BVP_ERR_CORRUPT;
}

bvp_status bvp_get_corners(const bvp_file *file, uint32_t part_idx, uint64_t first,
                           uint64_t capacity, uint64_t *corners, uint64_t *count)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_corners(file, part_idx, first, capacity, corners, count));
}
