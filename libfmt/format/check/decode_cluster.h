/* SPDX-License-Identifier: MIT
 * decode_cluster.h: all corners and coordinates of a cluster record at once.
 */
#ifndef BVPI_FORMAT_CHECK_DECODE_CLUSTER_H
#define BVPI_FORMAT_CHECK_DECODE_CLUSTER_H

#include "node/cluster_record.h"

/* Several rules, and each of its leaves, use them. */
typedef struct bvpi_decoded_cluster {
    uint64_t place; /* of the record in the blob; UINT64_MAX: none is decoded */
    bvpi_cluster cluster;
    bool is_finite;      /* all of position that is set */
    uint32_t vertex_end; /* one more than the largest vertex that a corner names */
    uint16_t corner[BVPD_CLUSTER_TRIANGLES][4]; /* local vertices; the last is not used */
    /* x, y, z; the last is not used. Set up to vertex_end, and up to vertex_count. */
    float position[BVPI_LOCAL_VERTICES][4];
} bvpi_decoded_cluster;

/* d->cluster is open. A corner of a vertex that does not exist, which violates CLU-7, gets whatever
 * follows. The same numbers as bvpi_cluster_corner and bvpi_cluster_coordinate give. */
void bvpi_decode_cluster(bvpi_decoded_cluster *d);

#endif
