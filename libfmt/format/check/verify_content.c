/* SPDX-License-Identifier: MIT
 * verify_content.c: does content_hash identify the mesh that the part holds?
 *
 * Triangles are put back into the source's order by their numbers, so the hash covers that order
 * and the order of corners, which no other rule can check. Only for parts that name their packer,
 * and whose numbers are stored and all different. Where numbers repeat, as for polygons, the order
 * among equal ones is not in the file.
 *
 * Memory: 12 bytes for each triangle and 4 for its number, about 20 for each vertex; as much again
 * if the numbers have to be sorted.
 *
 * Held by tests/property/test_identity.c.
 * Spec: format.md, chapter "Parts" (identity)
 */
#include "format/check/decode_cluster.h"
#include "format/check/verify_file.h"

#include "format/identity.h"
#include "format/triangle_ids.h"
#include "node/raw_cluster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FREE UINT32_MAX

/* The mesh with its triangles in storage order. Vertices are identified by their bits, in a hash
 * table with open addressing that is at most half full. */
typedef struct collection {
    const bvpi_part *part;
    float *positions;
    uint32_t *indices, *numbers, *slots;
    uint64_t mask;
    uint64_t vertex_room, triangle_room;
    uint32_t vertex_count, triangle_count;
    bvpi_decoded_cluster decoded;
    uint64_t eight[8]; /* numbers of the triangles that are being added */
} collection;

/* Room was counted when the clusters were checked. If the file has changed since then, room may be
 * missing: the hash is then wrong, but nothing is overrun. */
static uint32_t add_vertex(collection *m, const float position[3])
{
    uint32_t bits[3];
    memcpy(bits, position, sizeof bits);
    uint64_t hash = (bits[0] | (uint64_t)bits[1] << 32) * UINT64_C(0x9e3779b97f4a7c15);
    hash = ((hash ^ hash >> 32) + bits[2]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t at = hash >> 32;; at++) { /* ends: half of the slots stay free */
        uint32_t *slot = &m->slots[at & m->mask];
        if (*slot == FREE && m->vertex_count == m->vertex_room)
            return 0;
        assert(*slot == FREE || *slot < m->vertex_count);
        if (*slot == FREE) {
            *slot = m->vertex_count;
            memcpy(m->positions + 3 * (size_t)m->vertex_count, bits, sizeof bits);
            return m->vertex_count++;
        }
        if (memcmp(m->positions + 3 * (size_t)*slot, bits, sizeof bits) == 0)
            return *slot;
    }
}

/* The numbers of eight triangles from `first` on, as far as there are so many. */
static void number_eight(collection *m, const bvpi_cluster *cluster, uint32_t first)
{
    uint32_t local[8];
    for (uint32_t k = 0; k < 8; k++)
        local[k] = first + k < cluster->triangle_count ? first + k : first;
    bvpi_numbers_of_eight(m->part->ids, m->part->ids_size, &cluster->head, local, m->eight);
}

/* A vertex gets its number when a corner first uses it. If triangles are stored in the source's
 * order, vertices are then in the order of first use. */
static void add_cluster(collection *m, const bvpi_cluster *cluster)
{
    bvpi_decoded_cluster *d = &m->decoded;
    uint32_t names[BVPI_LOCAL_VERTICES];
    d->cluster = *cluster;
    bvpi_decode_cluster(d);
    memset(names, 0xff, sizeof names);
    for (uint32_t i = 0; i < cluster->triangle_count && m->triangle_count < m->triangle_room; i++) {
        const size_t at = m->triangle_count++;
        if (i % 8 == 0)
            number_eight(m, cluster, i);
        m->numbers[at] = (uint32_t)m->eight[i % 8];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t vertex = d->corner[i][k];
            if (names[vertex] == FREE)
                names[vertex] = add_vertex(m, d->position[vertex]);
            m->indices[3 * at + k] = names[vertex];
        }
    }
}

/* The hash of what is stored. *unique: no number occurs twice. False: out of memory. */
static bool hash_stored(const bvpi_part *part, uint64_t vertex_room, uint8_t out[16], bool *unique)
{
    collection m = {
        .part = part, .vertex_room = vertex_room, .triangle_room = part->triangle_count};
    uint64_t slots = 4;
    while (slots < 2 * m.vertex_room)
        slots *= 2;
    m.mask = slots - 1;
    m.positions = malloc(m.vertex_room * 12 + 1);
    m.indices = malloc(m.triangle_room * 12 + 1);
    m.numbers = malloc(m.triangle_room * 4 + 1);
    m.slots = malloc(slots * sizeof *m.slots);
    bool done = m.positions && m.indices && m.numbers && m.slots;
    if (done)
        memset(m.slots, 0xff, slots * sizeof *m.slots); /* all are FREE */
    for (uint32_t idx = 0; idx < part->cluster_count && done; idx++) {
        bvpi_cluster cluster;
        if (bvpi_cluster_at(part, idx, &cluster))
            add_cluster(&m, &cluster);
    }
    assert(m.vertex_count <= m.vertex_room && m.triangle_count <= m.triangle_room);
    const bvpi_content content = {.origin = part->origin,
                                  .positions = m.positions,
                                  .indices = m.indices,
                                  .numbers = m.numbers,
                                  .vertex_count = m.vertex_count,
                                  .triangle_count = m.triangle_count};
    done = done && bvpi_content_hash(&content, out, unique);
    free(m.positions);
    free(m.indices);
    free(m.numbers);
    free(m.slots);
    return done;
}

void bvpi_verify_content(bvpi_verify *v, const bvpi_part *part, const bvpd_part *record,
                         uint64_t vertex_room, uint64_t offset)
{
    uint8_t expected[16], deformed[16];
    bool unique = true;
    if (!bvpi_has_packer(record) || !part->ids || vertex_room >= FREE)
        return;
    if (!hash_stored(part, vertex_room, expected, &unique)) {
        v->report.status = bvpi_error_memory(v->report.error, 32 * part->triangle_count);
        v->report.stopped = true;
        return;
    }
    bool same = memcmp(record->content_hash, expected, sizeof expected) == 0;
    if (!same && bvpi_is_deformable(part)) {
        bvpi_shape_hash(part, deformed);
        same = memcmp(record->content_hash, deformed, sizeof deformed) == 0;
    }
    BVPI_SOUND(&v->report, "PRT-14", offset, !unique || same,
               "content_hash is not that of the triangles that are stored");
}
