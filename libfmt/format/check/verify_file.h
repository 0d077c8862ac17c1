/* SPDX-License-Identifier: MIT
 * verify_file.h: the parts of the verifier, and what they share.
 * Spec: format.md, all numbered rules
 */
#ifndef BVPI_FORMAT_CHECK_VERIFY_FILE_H
#define BVPI_FORMAT_CHECK_VERIFY_FILE_H

#include "base/report.h"
#include "format/outside.h"
#include "format/record.h"
#include "node/frame.h"

#include <assert.h>

/* A set of small numbers. */
typedef struct bvpi_bits {
    uint8_t *bytes; /* NULL: empty, or out of memory */
    uint64_t count; /* bits */
} bvpi_bits;

/* Where the bytes of the parts end that were checked so far: the next part's begin there. */
typedef struct bvpi_passage {
    uint64_t data_end, ids_end; /* of DATA, TIDS */
    uint64_t binary_end;        /* of BINH: the end of the last binary hierarchy */
    uint64_t hierarchy_count;   /* records of HIER */
} bvpi_passage;

/* What the parts that were checked so far come to. */
typedef struct bvpi_sums {
    uint64_t node_bytes; /* of all wide hierarchies */
    uint64_t part_nodes; /* nodes in DATA */
    bool has_rays;       /* a part has a hierarchy for rays */
    bool is_by_use;      /* a part's hierarchies are not those after its predecessor's */
} bvpi_sums;

/* Which rules about a part's bytes are checked: all, or in a trial (verify_ahead.c) some. */
typedef enum bvpi_task {
    BVPI_TASK_ALL = 0,
    BVPI_TASK_CLUSTERS,
    BVPI_TASK_HIERARCHIES,
    BVPI_TASK_CONTENT
} bvpi_task;

typedef struct bvpi_trial bvpi_trial;

typedef struct bvpi_verify {
    bvp_file file; /* unchecked: sections that contradict the file's size are empty */
    bvpi_report report;
    bvpi_bits strings; /* one bit for 4 bytes of STRS: a string begins here */
    bvpi_bits linears; /* one bit for each word of LINS: a linear part begins here */
    bvpi_passage passage;
    bvpi_sums sums;
    bool is_part_alone; /* STRS is not checked */
    bvpi_task task;
    const bvp_control *control; /* or NULL */
    uint32_t thread_count;      /* 1: nothing is tried ahead */
    bvpi_trial *trials;         /* one for each part, or NULL */
} bvpi_verify;

/* The items of a leaf lane. */
typedef struct bvpi_leaf {
    uint32_t geom;          /* the node's */
    uint32_t before, count; /* items of the leaf lanes before it, and its own */
} bvpi_leaf;

/* State of the check of one hierarchy. */
typedef struct bvpi_hierarchy_check {
    bvpi_verify *verify;
    bvpi_tree tree;
    const bvpi_part *part; /* NULL: a hierarchy over the instances */
    /* Rules about a leaf's items: they exist, belong to no other leaf, and are inside `box`. */
    void (*verify_leaf)(struct bvpi_hierarchy_check *check, const bvpi_frame *box,
                        const bvpi_leaf *leaf, uint64_t offset);
    uint64_t units_off;  /* of unit 0, in the file */
    bvpi_bits slots;     /* units that are nodes and were not reached yet */
    bvpi_bits items;     /* triangles or instances that no leaf has held yet */
    uint64_t items_from; /* instances below belong to the hierarchies before this one */
    uint64_t items_end;  /* instances from here on were not held yet */
    bool more_follow;    /* further hierarchies may hold the remaining items */
    uint32_t node_count, leaf_count, largest_leaf, depth;
    struct bvpi_decoded_cluster *decoded; /* the cluster of the last leaf, for a part; else NULL */
} bvpi_hierarchy_check;

/* ---- verify_shared.c ------------------------------------------------------------------------- */

/* Does a cluster record of the part's table begin at `offset` of its blob? */
bool bvpi_verify_is_cluster(const bvpi_part *part, uint64_t offset);

/* Makes a set with all bits 0. False, with the status set: out of memory. */
bool bvpi_bits_make(bvpi_verify *verify, uint64_t count, bvpi_bits *out);
void bvpi_bits_free(bvpi_bits *bits);
/* Sets the first `count` bits, or all. */
void bvpi_bits_set_first(bvpi_bits *bits, uint64_t count);
static inline bool bvpi_bits_get(const bvpi_bits *bits, uint64_t idx)
{
    assert(idx < bits->count);
    return bits->bytes[idx / 8] >> (idx % 8) & 1;
}
static inline void bvpi_bits_set(bvpi_bits *bits, uint64_t idx)
{
    assert(idx < bits->count);
    bits->bytes[idx / 8] |= (uint8_t)(1 << (idx % 8));
}
static inline void bvpi_bits_clear(bvpi_bits *bits, uint64_t idx)
{
    assert(idx < bits->count);
    bits->bytes[idx / 8] &= (uint8_t) ~(1 << (idx % 8));
}

/* The offset in the file of a byte of the mapping. */
static inline uint64_t bvpi_verify_off(const bvpi_verify *verify, const void *p)
{
    assert((const uint8_t *)p >= verify->file.base);
    return (uint64_t)((const uint8_t *)p - verify->file.base);
}

/* ---- the checks, chapter by chapter ---------------------------------------------------------- */

/* verify_framing.c: gaps, hashes, trailer; strings and provenance, which fills in `strings`. */
void bvpi_verify_framing(bvpi_verify *verify);
void bvpi_verify_strings(bvpi_verify *verify);
void bvpi_verify_string_ref(bvpi_verify *verify, uint64_t offset, uint32_t ref);
/* verify_parts.c: parts, clusters, triangle numbers. */
void bvpi_verify_parts(bvpi_verify *verify);
/* The same for a single part, without its place among the others and its names. */
void bvpi_verify_part_alone(bvpi_verify *verify, uint32_t part);
/* Part `part`, behind those that `passage` tells of; changes passage and sums. */
void bvpi_verify_part_in_turn(bvpi_verify *verify, uint32_t part);
/* verify_tree.c: placements, linear parts, tree, properties. */
void bvpi_verify_tree(bvpi_verify *verify);
/* verify_instances.c: instances, their hierarchies, world bounds. */
void bvpi_verify_instances(bvpi_verify *verify);

/* ---- verify_ahead.c: on several threads --------------------------------------------------- */

/* Do blocks 0 .. block_count - 1 have their hashes? False: at least one has not, or they were not
 * tried. */
bool bvpi_blocks_are_sound(bvpi_verify *verify, uint64_t block_count);
/* Tries the parts and fills in `trials`, which stays NULL where threads or memory are missing. */
void bvpi_try_parts(bvpi_verify *verify);
/* Was the part found sound, with this passage? Then passage and sums are those behind it. */
bool bvpi_pass_sound_part(bvpi_verify *verify, uint32_t part);

/* ---- verify_buffers.c: files over buffers -------------------------------------------------- */

/* Do the part's triangles lie in buffers that are not here? Then rules about coordinates are not
 * checked. */
static inline bool bvpi_verify_is_unbound(const bvpi_part *part)
{
    return part->outside != NULL && part->outside->count == 0;
}
/* Rules about the records of BUFS as a whole. */
void bvpi_verify_buffer_records(bvpi_verify *verify);
/* Rules about a part's buffers. record_off: of its record in PART. */
void bvpi_verify_buffers(bvpi_verify *verify, const bvpi_part *part, uint32_t part_idx,
                         uint64_t record_off);
/* Is there such a triangle in the part's buffers? offset: where the number is. */
void bvpi_verify_number(bvpi_verify *verify, const bvpi_part *part, uint64_t number,
                        uint64_t offset);

/* ---- verify_nodes.c: wide hierarchies -------------------------------------------------------- */

/* Rules about a record of HIER for all kinds. offset: of the record. */
void bvpi_verify_record(bvpi_verify *verify, const bvpd_hierarchy *record, uint64_t offset);
/* Rules about the record of a wide hierarchy. Sets check->tree and returns whether it can be
 * walked. idx: in HIER. */
bool bvpi_verify_hierarchy(bvpi_hierarchy_check *check, const bvpd_hierarchy *record, uint32_t idx);
/* Checks every node from the root on, then the record's counts. slots and items must be set. */
void bvpi_verify_nodes(bvpi_hierarchy_check *check, const bvpd_hierarchy *record, uint32_t idx);

/* ---- verify_content.c ------------------------------------------------------------------------ */

/* Checks content_hash. vertex_room: the clusters' vertices; offset: of the field. Of clusters that
 * are not sound it reads nothing outside of the part, and the hash means nothing. */
void bvpi_verify_content(bvpi_verify *verify, const bvpi_part *part, const bvpd_part *record,
                         uint64_t vertex_room, uint64_t offset);

/* ---- verify_binary.c, verify_volumes.c: binary hierarchies ----------------------------------- */

/* State of the check of a binary hierarchy. */
typedef struct bvpi_binary_check {
    bvpi_verify *verify;
    bvpi_binary tree;
    const bvpi_part *part;
    uint64_t offset; /* offset of the hierarchy's bytes in the file */
    bvpi_bits items; /* triangles that no leaf has held yet */
    uint32_t node_count, leaf_count, depth;
} bvpi_binary_check;

/* Checks all rules of a copied record idx of HIER, of a binary kind, and its hierarchy.
 * triangle_count: what the clusters hold; 0: the nodes are not checked. */
void bvpi_verify_binary(bvpi_verify *verify, const bvpi_part *part, const bvpd_hierarchy *record,
                        uint32_t idx, uint64_t triangle_count);
/* Checks every node from the root on. The links must be sound, and items set. */
void bvpi_verify_volumes(bvpi_binary_check *check);
/* verify_rays.c: checks every node and meshlet of a hierarchy for rays. items must be set. */
void bvpi_verify_rays(bvpi_binary_check *check, const bvpi_rays *rays, uint32_t *largest_leaf);

#endif
