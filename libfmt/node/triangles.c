/* SPDX-License-Identifier: MIT
 * triangles.c: stored triangles by number. Clusters are in storage order, so the cluster of a
 * triangle is found by bisection. A run of triangles shares vertices, so those of its cluster are
 * decoded once each; a few triangles decode their own corners.
 * Spec: format.md, chapters "Cluster records" and "Triangle numbers"
 */
#include "format/outside.h"
#include "format/source.h"
#include "format/triangle_ids.h"
#include "node/cluster_record.h"

#include <assert.h>
#include <string.h>

/* The last cluster that begins at or before `triangle`: of a sound part, `low` always does and
 * `high` does not. In a damaged one it may be another, which the caller notices. */
static uint32_t find_cluster(const bvpi_part *part, uint64_t triangle)
{
    uint32_t low = 0, high = part->cluster_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        bvpi_cluster cluster;
        if (bvpi_cluster_at(part, middle, &cluster) && cluster.head.first_triangle <= triangle)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Triangles `first` .. `first + count` - 1 of a cluster. */
static void get_run(const bvpi_cluster *cluster, uint32_t first, uint32_t count, float *out)
{
    float at[BVPD_CLUSTER_VERTICES][3];
    assert(first + count <= cluster->triangle_count);
    if (3 * count <= cluster->vertex_count || cluster->outside) {
        for (uint32_t k = 0; k < count; k++)
            bvpi_cluster_triangle(cluster, first + k, out + 9 * k);
        return;
    }
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t vertex = 0; vertex < cluster->vertex_count; vertex++)
            at[vertex][axis] = bvpi_cluster_coordinate(cluster, axis, vertex);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t corner = 0; corner < 3; corner++, out += 3) {
            const uint32_t vertex = bvpi_cluster_corner(cluster, first + k, corner);
            if (vertex < cluster->vertex_count)
                memcpy(out, at[vertex], sizeof at[vertex]);
            else /* damaged: there is no such vertex */
                for (int axis = 0; axis < 3; axis++)
                    out[axis] = bvpi_cluster_coordinate(cluster, axis, vertex);
        }
}

static bvp_status get_triangle(const bvp_file *file, uint32_t part_idx, uint64_t triangle,
                               float position[9], uint64_t *id)
{
    uint64_t count;
    bvpi_part part;
    bvp_status status = bvpi_get_part(file, part_idx, &part);
    if (status != BVP_OK)
        return status;
    if (triangle >= part.triangle_count)
        return BVP_ERR_ARGUMENT;
    return bvp_get_triangles(file, part_idx, (bvp_range){triangle, 1}, position, id, &count);
}

bvp_status bvp_get_triangle(const bvp_file *file, uint32_t part_idx, uint64_t triangle,
                            float position[9], uint64_t *id)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_triangle(file, part_idx, triangle, position, id));
}

static bvp_status get_triangles(const bvp_file *file, uint32_t part_idx, bvp_range range,
                                float *positions, uint64_t *ids, uint64_t *count)
{
    const uint64_t first = range.first;
    uint64_t capacity = range.count;
    *count = 0;
    bvpi_part part;
    bvp_status status = bvpi_triangle_range(file, part_idx, first, &part, &capacity);
    if (status != BVP_OK || capacity == 0)
        return status;
    assert(capacity <= part.triangle_count - first);
    if (positions && part.outside)
        status = bvpi_outside_fetch(file, part_idx);
    if (status != BVP_OK)
        return status; /* where they lie is not known: bvp_bind */
    for (uint32_t idx = find_cluster(&part, first); *count < capacity; idx++) {
        bvpi_cluster cluster;
        const uint64_t triangle = first + *count;
        if (idx >= part.cluster_count || !bvpi_cluster_at(&part, idx, &cluster) ||
            triangle < cluster.head.first_triangle ||
            triangle - cluster.head.first_triangle >= cluster.triangle_count)
            return BVP_ERR_CORRUPT;
        const uint32_t local = (uint32_t)(triangle - cluster.head.first_triangle);
        const uint32_t rest = cluster.triangle_count - local;
        const uint32_t run = rest < capacity - *count ? rest : (uint32_t)(capacity - *count);
        if (positions)
            get_run(&cluster, local, run, positions + 9 * *count);
        for (uint32_t k = 0; k < run && ids; k++)
            ids[*count + k] = bvpi_triangle_id(&part, &cluster.head, local + k);
        *count += run;
    }
    return BVP_OK;
}

bvp_status bvp_get_triangles(const bvp_file *file, uint32_t part_idx, bvp_range range,
                             float *positions, uint64_t *ids, uint64_t *count)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_triangles(file, part_idx, range, positions, ids, count));
}
