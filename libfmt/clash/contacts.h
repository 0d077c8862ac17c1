/* SPDX-License-Identifier: MIT
 * contacts.h: the pairs of triangles that touch, and what they tell about how surfaces meet.
 * Spec: exactness.md, chapter "Clash verdicts"
 */
#ifndef BVPI_CLASH_CONTACTS_H
#define BVPI_CLASH_CONTACTS_H

#include "clash/judge.h"

enum { BVPI_CONTACTS_KEPT = 8, BVPI_CONTACT_NORMALS = 6 };

/* Two triangles that touch, in the world. */
typedef struct bvpi_contact {
    bvp_hit_id hit_a, hit_b;
    double tri_a[9], tri_b[9];
    double promise; /* how far each reaches through the other's plane, the lesser of both */
} bvpi_contact;

enum { BVPI_FACES_MOST = 64, BVPI_FACES_SEEN = 256 };

/* The touching triangles of one part: each once, the first ones if there are many. */
typedef struct bvpi_faces {
    uint32_t count;
    bvp_hit_id hit[BVPI_FACES_MOST];
    double centre[BVPI_FACES_MOST][3];
    double inward[BVPI_FACES_MOST][3]; /* unit vectors into the part; 0: it has no normal */
    uint64_t seen[BVPI_FACES_SEEN];    /* numbers plus one; some are forgotten */
} bvpi_faces;

/* 17 KiB: large for a stack. */
typedef struct bvpi_contacts {
    uint64_t count; /* of pairs that touch */
    bool is_all;    /* there are no others */
    bool has_lines; /* lo and hi are known */
    uint32_t kept_count, normal_count;
    bvpi_faces faces_a, faces_b;
    bvpi_contact kept[BVPI_CONTACTS_KEPT];   /* of the largest promise, largest first */
    double normals[BVPI_CONTACT_NORMALS][3]; /* ways that lead A out of B, differing */
    double lo[3], hi[3];                     /* of the lines of contact, when asked for */
} bvpi_contacts;

/* What there is to say of one pair. */
bvp_status bvpi_contact_init(const bvpi_clash_judge *judge, const bvp_hit_id *hit_a,
                             const bvp_hit_id *hit_b, bvpi_contact *out);
/* Ways that lead A out of B at two triangles: out of B's face, into A's own. Unit vectors; how many
 * there are. */
unsigned bvpi_contact_ways(const bvpi_clash_judge *judge, const double tri_a[9],
                           const double tri_b[9], double out[2][3]);

/* The first `most` of them; with_lines: lo and hi, too. */
bvp_status bvpi_contacts_find(bvpi_clash_judge *judge, uint64_t most, bool with_lines,
                              bvpi_contacts *out);

#endif
