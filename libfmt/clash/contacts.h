/* SPDX-License-Identifier: MIT
 * contacts.h: the pairs of touching triangles of two parts, summarised.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_CONTACTS_H
#define BVPI_CLASH_CONTACTS_H

#include "clash/contact.h"

enum { BVPI_CONTACTS_KEPT = 8, BVPI_CONTACT_NORMALS = 6 };

enum { BVPI_FACES_MOST = 64, BVPI_FACES_SEEN = 256 };

/* Touching triangles of one part, normally each once; the first ones if there are many. */
typedef struct bvpi_faces {
    uint32_t count;
    bvp_hit_id hit[BVPI_FACES_MOST];
    double centre[BVPI_FACES_MOST][3];
    double inward[BVPI_FACES_MOST][3]; /* unit vectors into the part; 0: no normal */
    uint64_t seen[BVPI_FACES_SEEN];    /* a small hash set of numbers plus one; entries may be
                                          overwritten */
} bvpi_faces;

/* A cache of triangles in world coordinates. */
enum { BVPI_WORLD_KEPT = 32 };
typedef struct bvpi_world_tris {
    uint64_t number[BVPI_WORLD_KEPT]; /* plus one; 0: empty */
    bvpi_world_tri tri[BVPI_WORLD_KEPT];
} bvpi_world_tris;

/* 30 KiB: too large for a stack. */
typedef struct bvpi_contacts {
    uint64_t count; /* of touching pairs */
    bool is_all;    /* every touching pair has been visited */
    bool has_lines; /* lo and hi are set */
    uint32_t kept_count, normal_count;
    bvpi_faces faces_a, faces_b;
    bvpi_world_tris world_a, world_b;
    bvpi_contact kept[BVPI_CONTACTS_KEPT]; /* those with the largest promise, in descending order */
    double normals[BVPI_CONTACT_NORMALS][3]; /* directions along which A leaves B, all different */
    double lo[3], hi[3];                     /* box of the contact lines, if requested */
} bvpi_contacts;

/* Visits at most `most` pairs. with_lines: also computes lo and hi. */
bvp_status bvpi_contacts_find(bvpi_clash_judge *judge, uint64_t most, bool with_lines,
                              bvpi_contacts *out);
/* For parts of which no pair touches: faces spread evenly over both parts take the place of
 * touching ones. */
bvp_status bvpi_contacts_spread(const bvpi_clash_judge *judge, bvpi_contacts *out);

#endif
