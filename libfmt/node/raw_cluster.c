/* SPDX-License-Identifier: MIT
 * raw_cluster.c: what a part as a whole is that can be deformed.
 * Spec: format.md, chapter "Deformed parts"
 */
#include "node/raw_cluster.h"

bool bvpi_is_deformable(const bvpi_part *part)
{
    bool raw = true;
    for (uint32_t idx = 0; idx < part->cluster_count && raw; idx++) {
        bvpi_cluster cluster;
        raw = bvpi_cluster_at(part, idx, &cluster) && bvpi_cluster_is_raw(&cluster);
    }
    return raw;
}

void bvpi_shape_hash_start(bvpi_hasher *hasher, const bvpi_part *part)
{
    bvpi_hasher_start128(hasher);
    bvpi_hasher_add128(hasher, part->origin, sizeof part->origin);
}

void bvpi_shape_hash_add(bvpi_hasher *hasher, const bvpi_cluster *cluster)
{
    bvpi_hasher_add128(hasher, cluster->corners, (size_t)(cluster->end - cluster->corners));
}

void bvpi_shape_hash(const bvpi_part *part, uint8_t hash[16])
{
    bvpi_hasher hasher;
    bvpi_shape_hash_start(&hasher, part);
    for (uint32_t idx = 0; idx < part->cluster_count; idx++) {
        bvpi_cluster cluster;
        if (bvpi_cluster_open_whole(part, bvpi_cluster_off(part, idx), &cluster))
            bvpi_shape_hash_add(&hasher, &cluster);
    }
    bvpi_hasher_end128(&hasher, hash);
}
