/* SPDX-License-Identifier: MIT
 * contacts.h: the pairs of triangles that touch, and what they tell about how surfaces meet.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_CONTACTS_H
#define BVPI_CLASH_CONTACTS_H

#include "clash/contact.h"

enum { BVPI_CONTACTS_KEPT = 8, BVPI_CONTACT_NORMALS = 6 };

enum { BVPI_FACES_MOST = 64, BVPI_FACES_SEEN = 256 };

/* The touching triangles of one part: each once, the first ones if there are many. */
typedef struct bvpi_faces {
    uint32_t count;
    bvp_hit_id hit[BVPI_FACES_MOST];
    double centre[BVPI_FACES_MOST][3];
    double inward[BVPI_FACES_MOST][3]; /* unit vectors into the part; 0: it has no normal */
    uint64_t seen[BVPI_FACES_SEEN];    /* numbers plus one; some are forgotten */
} bvpi_faces;

/* Triangles that are in the world already: one touches several. */
enum { BVPI_WORLD_KEPT = 32 };
typedef struct bvpi_world_tris {
    uint64_t number[BVPI_WORLD_KEPT]; /* plus one; 0: none */
    bvpi_world_tri tri[BVPI_WORLD_KEPT];
} bvpi_world_tris;

/* 30 KiB: large for a stack. */
typedef struct bvpi_contacts {
    uint64_t count; /* of pairs that touch */
    bool is_all;    /* there are no others */
    bool has_lines; /* lo and hi are known */
    uint32_t kept_count, normal_count;
    bvpi_faces faces_a, faces_b;
    bvpi_world_tris world_a, world_b;
    bvpi_contact kept[BVPI_CONTACTS_KEPT];   /* of the largest promise, largest first */
    double normals[BVPI_CONTACT_NORMALS][3]; /* ways that lead A out of B, differing */
    double lo[3], hi[3];                     /* of the lines of contact, when asked for */
} bvpi_contacts;

/* The first `most` of them; with_lines: lo and hi, too. */
bvp_status bvpi_contacts_find(bvpi_clash_judge *judge, uint64_t most, bool with_lines,
                              bvpi_contacts *out);
/* Where no pair touches: faces, spread over both parts, in place of those that do. */
bvp_status bvpi_contacts_spread(const bvpi_clash_judge *judge, bvpi_contacts *out);

#endif
