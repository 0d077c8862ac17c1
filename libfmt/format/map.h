/* SPDX-License-Identifier: MIT
 * map.h: an open file, and checked views of its contents.
 * Spec: format.md, chapters 3 to 13, 15 and 17
 */
#ifndef BVPI_FORMAT_MAP_H
#define BVPI_FORMAT_MAP_H

#include "bvpack.h"
#include "base/isa.h"
#include "format/layout.h"
#include "format/thin.h"

#include <stdbool.h>

/* A section of the mapping. The count is bounded by the file; the records' content is not
 * checked. */
typedef struct bvpi_span {
    const uint8_t *data;
    uint64_t size;  /* bytes */
    uint64_t count; /* records */
} bvpi_span;

struct bvp_file {
    const uint8_t *base; /* first byte of the bvpack file */
    uint64_t size;
    void *mapping; /* to be unmapped or freed, or NULL */
    size_t mapping_size;
    int owned;        /* mapping comes from malloc (isolated), not from mmap */
    uint8_t *overlay; /* `base`, writable and private to this handle; or NULL */
    bool read_ahead;  /* no advice is given: by request, or because of an overlay */
    bool is_refitted; /* a part differs from the file */
    uint64_t shape;   /* 0, or a hash of everything that was refitted, in order */
    bvp_open_mode mode;
    const bvp_control *control; /* for calls without one of their own; or NULL */
    bvp_kind kind;              /* the kind of hierarchy that queries shall use */
    bvp_box_test box_test;      /* and their box test */
    bvpi_isa isa;               /* for its queries; chosen when the file is opened */
    bvpd_header header;         /* private copy of the head: cannot change after open */
    bvpi_span section[BVPD_SECTION_COUNT];
    bvpi_span digests;      /* DGST, or empty */
    bool is_digest_trusted; /* the caller knows the root digest, so blocks are also checked against
                               digests */
    /* With verify_lazily, else NULL: an atomic bvpi_hash_state for each part, one for the
     * assembly's tables, one for HASH, and one for each block that HASH covers. */
    unsigned char *part_state;
    void *ready;     /* part 0 prepared for queries, or NULL: query/body/placed_body.h */
    bvpi_thin *thin; /* for a thin file, else NULL */
};

enum bvpi_hash_state { BVPI_HASH_UNKNOWN = 0, BVPI_HASH_GOOD, BVPI_HASH_BAD };

/* ---- map.c ----------------------------------------------------------------------------------- */

/* Opens without full verification: maps the file, or copies it (isolated), and checks the head.
 * bvp_open and its relatives add verification if requested. */
bvp_status bvpi_map_fd(int fd, const bvp_open_options *options, bvp_file **out, bvp_error *error);
bvp_status bvpi_map_memory(const void *data, size_t size, const bvp_open_options *options,
                           bvp_file **out, bvp_error *error);
/* Closes a file opened by these. Not for thin files, only for files that hold all of their
 * parts. */
void bvpi_unmap(bvp_file *file);
/* A handle on bytes that may violate every rule, for verification. Sections that are outside the
 * file or contradict themselves are empty. bvpi_check_identity must have succeeded. */
void bvpi_map_unchecked(const void *data, uint64_t size, bvp_file *file);

/* ---- lazy.c ---------------------------------------------------------------------------------- */

/* Queries call this first, with each body's part or BVP_ASSEMBLY. With verify_lazily it checks the
 * block hashes of the part's bytes once; otherwise it costs one comparison. A check that the
 * control (or NULL) cancels starts again on the next call. */
bvp_status bvpi_touch_hashes(const bvp_file *file, uint32_t part, const bvp_control *control);
static inline bvp_status bvpi_touch_under(const bvp_file *file, uint32_t part,
                                          const bvp_control *control)
{
    if (file->thin && part != BVP_ASSEMBLY) {
        const bvp_status status = bvpi_thin_resolve(&file, &part);
        if (status != BVP_OK)
            return status;
    }
    return file->part_state ? bvpi_touch_hashes(file, part, control) : BVP_OK;
}
static inline bvp_status bvpi_touch(const bvp_file *file, uint32_t part)
{
    return bvpi_touch_under(file, part, file->control);
}
/* Explains which block of a part (in the file that holds it), or of BVP_ASSEMBLY, is damaged;
 * BVP_OK if none is. Computes the hashes again. */
bvp_status bvpi_explain_hashes(const bvp_file *file, uint32_t part, bvp_error *error);
/* With verify_lazily: checks the blocks of the product tree, its names and properties. Needs
 * bvpi_touch(BVP_ASSEMBLY), which checks HASH. */
bvp_status bvpi_check_names(const bvp_file *file, bvp_error *error);
/* Does block `block` of the hashed range match HASH, and, if the root digest is known, DGST? */
bool bvpi_block_is_good(const bvp_file *file, uint64_t block);
/* Does it match DGST? */
bool bvpi_block_has_digest(const bvp_file *file, uint64_t block);

/* ---- record.c -------------------------------------------------------------------------------- */

/* A hierarchy ready to walk. All fields are checked: unit i (i < unit_count) can be read as a
 * node. */
typedef struct bvpi_tree {
    const uint8_t *units; /* 64-byte aligned */
    uint32_t unit_count;  /* units that may be nodes: (blob size) / 64 */
    uint32_t node_count;  /* for step budgets; <= unit_count */
    uint32_t root;
    uint32_t leaf_size;
    /* Bytes from `units` on; a cluster's header (36 bytes) must end within them. */
    uint64_t blob_size;
    uint8_t cluster_shift;
    double grid_origin[3];
    double grid_unit;
    uint32_t grid_extent[3]; /* each < 2^22 */
} bvpi_tree;

/* Offsets in a binary hierarchy fit 32 bits, and a link. */
#define BVPI_BINARY_SIZE_MAX UINT32_MAX

/* A binary hierarchy ready to walk: node/binary_node.h. */
typedef struct bvpi_binary {
    const uint8_t *blob; /* upper records, blocks */
    uint64_t blob_size;
    const uint8_t *order; /* order_count entries of order_width bits, unless the width is 0 */
    uint64_t order_count;
    uint32_t kind, leaf_size;
    uint32_t upper_count; /* > 0, and all of them are inside the blob */
    uint32_t node_count;  /* for step budgets: at most what the blob has room for */
    uint8_t upper_size, payload_size, plane_max, offset_size, order_width;
    double grid_origin[3], grid_unit;
    uint32_t grid_extent[3];
} bvpi_binary;

typedef struct bvpi_part {
    const uint8_t *blob;
    const uint8_t *ids; /* or NULL */
    uint64_t blob_size, ids_size, triangle_count;
    uint64_t cluster_table_off;
    uint32_t cluster_count;
    uint8_t cluster_shift;
    float lo[3], hi[3];
    double origin[3];
} bvpi_part;

/* Finds the file that holds a part: another file, if this one is thin. */
static inline bvp_status bvpi_resolve(const bvp_file **file, uint32_t *part)
{
    return (*file)->thin ? bvpi_thin_resolve(file, part) : BVP_OK;
}

/* All return BVP_ERR_CORRUPT if the record points outside of its section, and BVP_ERR_ARGUMENT for
 * an index that is too large. Each field is read once. */

/* A part, its wide hierarchy, both, or its hierarchy of a binary kind (BVPD_KIND_BOXTREE and later;
 * BVP_ERR_ARGUMENT if it has none), in the file that holds the part. */
bvp_status bvpi_get_part_here(const bvp_file *file, uint32_t part, bvpi_part *out);
bvp_status bvpi_get_part_tree_here(const bvp_file *file, uint32_t part, bvpi_tree *out);
bvp_status bvpi_get_part_and_tree_here(const bvp_file *file, uint32_t part, bvpi_part *out,
                                       bvpi_tree *tree);
bvp_status bvpi_get_part_binary_here(const bvp_file *file, uint32_t part, uint32_t kind,
                                     bvpi_binary *out);
/* The same, wherever the part is. */
static inline bvp_status bvpi_get_part(const bvp_file *file, uint32_t part, bvpi_part *out)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_here(file, part, out) : status;
}
static inline bvp_status bvpi_get_part_tree(const bvp_file *file, uint32_t part, bvpi_tree *out)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_tree_here(file, part, out) : status;
}
static inline bvp_status bvpi_get_part_and_tree(const bvp_file *file, uint32_t part, bvpi_part *out,
                                                bvpi_tree *tree)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_and_tree_here(file, part, out, tree) : status;
}
static inline bvp_status bvpi_get_part_binary(const bvp_file *file, uint32_t part, uint32_t kind,
                                              bvpi_binary *out)
{
    const bvp_status status = bvpi_resolve(&file, &part);
    return status == BVP_OK ? bvpi_get_part_binary_here(file, part, kind, out) : status;
}
/* For the file that holds the part: its record, and the record of its hierarchy `hierarchy` (<
 * r->hierarchy_count): of a known kind, its bytes inside DATA or BINH, its counts at most what they
 * have room for. r: a copy from bvpi_get_part_record. */
bvp_status bvpi_get_part_record(const bvp_file *file, uint32_t part, bvpd_part *out);
bvp_status bvpi_get_hierarchy_record(const bvp_file *file, uint32_t part, const bvpd_part *r,
                                     uint32_t hierarchy, bvpd_hierarchy *out);
/* Checked views of a copied record, for callers that must not read it twice. */
bvp_status bvpi_view_part(const bvp_file *file, const bvpd_part *record, bvpi_part *out);
bvp_status bvpi_view_binary(const bvp_file *file, const bvpd_hierarchy *record,
                            uint64_t triangle_count, bvpi_binary *out);
/* Rule HIE-14: the sizes of planes and offsets fit the kind, which is a binary one. */
bool bvpi_is_form_sound(const bvpd_hierarchy *record);
/* Rule HIE-15: the order stream, if there is one, ends the hierarchy's bytes. triangle_count: below
 * 2^32. */
bool bvpi_is_order_sound(const bvpd_hierarchy *record, uint64_t triangle_count);
/* Rule HIE-5 for a binary kind: the blob has room for the upper records and volumes. */
bool bvpi_is_count_sound(const bvpd_hierarchy *record);
/* The number of hierarchies over the instances according to the file: at most BVPD_TOP_MAX. */
uint32_t bvpi_top_count(const bvp_file *file);
/* One of them; BVP_ERR_ARGUMENT if the file has no instance. */
bvp_status bvpi_get_top_tree(const bvp_file *file, uint32_t top, bvpi_tree *out);
/* Copies a record; part and node are in range. BVP_ERR_CORRUPT if an entry of the placement is not
 * finite. */
bvp_status bvpi_get_instance(const bvp_file *file, uint32_t instance, bvpd_instance *out,
                             double placement[12]);
/* The placement of an instance's node relative to its parent. */
bvp_status bvpi_get_local(const bvp_file *file, const bvpd_instance *instance, double out[12]);
/* A record of PLAC; its twelve entries are finite. */
bvp_status bvpi_get_placement(const bvp_file *file, uint32_t placement, double out[12]);
bvp_string bvpi_get_string(const bvp_file *file, uint32_t ref); /* empty if ref is bad */

/* ---- triangle_ids.c -------------------------------------------------------------------------- */

/* Size in bytes of what follows an id record's header, for widths up to 32 and triangle_count up to
 * 256. */
uint32_t bvpi_ids_packed_size(const bvpd_ids *head, uint32_t triangle_count);
/* `width` bits (<= 32) after an id record's header, from bit `first` on; must be inside TIDS. */
uint32_t bvpi_ids_bits(const uint8_t *packed, uint32_t first, unsigned width);
/* The source number of a local triangle (0 .. 255) of a cluster, from a copy of its header. Without
 * ids: its storage number. */
uint64_t bvpi_triangle_id(const bvpi_part *part, const bvpd_cluster *cluster, uint32_t local);

#endif
