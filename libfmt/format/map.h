/* SPDX-License-Identifier: MIT
 * map.h: an opened file and bounded views of what lies in it.
 * Spec: format.md, chapters 3 to 13, 15 and 17.
 */
#ifndef BVPI_FORMAT_MAP_H
#define BVPI_FORMAT_MAP_H

#include "bvpack.h"
#include "base/isa.h"
#include "format/layout.h"
#include "format/thin.h"

#include <stdbool.h>

/* A section of the mapping; records of unknown content, count already bounded by the file. */
typedef struct bvpi_span {
    const uint8_t *data;
    uint64_t size;  /* bytes */
    uint64_t count; /* records */
} bvpi_span;

struct bvp_file {
    const uint8_t *base; /* the bvpack file's first byte */
    uint64_t size;
    void *mapping; /* what to unmap or free, or NULL */
    size_t mapping_size;
    int owned;        /* mapping is malloc'ed (isolated), not mmapped */
    uint8_t *overlay; /* `base`, writable: private to this handle; or NULL */
    bool read_ahead;  /* no advice is given: as the caller wishes, or an overlay */
    bool is_refitted; /* some part is not what it is in the file */
    uint64_t shape;   /* 0, or a hash of all that was refitted, in order */
    bvp_open_mode mode;
    const bvp_control *control; /* of calls that are given none; or NULL */
    bvp_kind kind;              /* asked of the parts */
    bvp_box_test box_test;      /* asked of them */
    bvpi_isa isa;               /* of its queries; chosen once, when it is opened */
    bvpd_header header;         /* private copy of the head: fields cannot change after open */
    bvpi_span section[BVPD_SECTION_COUNT];
    bvpi_span digests;      /* DGST, or empty */
    bool is_digest_trusted; /* the root digest is one that the caller knows: blocks are held against
                               digests too */
    /* verify_lazily, else NULL: one atomic bvpi_hash_state for each part, one for the tables of the
     * assembly, one for HASH itself, one for each block that HASH covers. */
    unsigned char *part_state;
    void *ready;     /* part 0 made ready at open for queries, or NULL: query/body/placed_body.h */
    bvpi_thin *thin; /* of a thin file, else NULL */
};

enum bvpi_hash_state { BVPI_HASH_UNKNOWN = 0, BVPI_HASH_GOOD, BVPI_HASH_BAD };

/* Opens what is not to be verified in full: maps (or, isolated, reads into private memory) and
 * checks the head. bvp_open and its kin are these plus verification where it is asked for. */
bvp_status bvpi_map_fd(int fd, const bvp_open_options *options, bvp_file **out, bvp_error *error);
bvp_status bvpi_map_memory(const void *data, size_t size, const bvp_open_options *options,
                           bvp_file **out, bvp_error *error);
/* Closes what these gave: a file that is not thin, such as a part of one that is. */
void bvpi_unmap(bvp_file *file);
/* A handle on bytes that may break every rule, for verification: sections that do not lie in the
 * file, or whose sizes contradict each other, are empty. Needs bvpi_check_identity's consent. */
void bvpi_map_unchecked(const void *data, uint64_t size, bvp_file *file);

/* Queries call this at entry with each body's part (or BVP_ASSEMBLY): with verify_lazily it checks
 * the block hashes of the part's bytes once; otherwise it costs one comparison. What the control
 * (or NULL) ends half way is begun once more by the next call. */
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
/* Says of a part (of the file that holds it) or BVP_ASSEMBLY which block is damaged: BVP_OK when
 * none is. Computes the hashes once more. */
bvp_status bvpi_explain_hashes(const bvp_file *file, uint32_t part, bvp_error *error);
/* With verify_lazily: are the blocks of the product tree, its names and properties what HASH says?
 * bvpi_touch(BVP_ASSEMBLY) has checked HASH. */
bvp_status bvpi_check_names(const bvp_file *file, bvp_error *error);
/* Is block `block` of the hashed range what HASH says, and, on a handle with a known root digest,
 * DGST? */
bool bvpi_block_is_good(const bvp_file *file, uint64_t block);
/* Is it what DGST says? */
bool bvpi_block_has_digest(const bvp_file *file, uint64_t block);

/* A hierarchy ready to walk: everything is bounded, unit i (i < unit_count) can be read as a node.
 */
typedef struct bvpi_tree {
    const uint8_t *units; /* 64-byte aligned */
    uint32_t unit_count;  /* units that may be nodes: (blob size) / 64 */
    uint32_t node_count;  /* for step budgets; <= unit_count */
    uint32_t root;
    uint32_t leaf_size;
    uint64_t blob_size; /* bytes from units; a cluster's header (36 bytes) must end within them */
    uint8_t cluster_shift;
    double grid_origin[3];
    double grid_unit;
    uint32_t grid_extent[3]; /* each < 2^22 */
} bvpi_tree;

/* Offsets in a binary hierarchy fit in 32 bits, and in a link. */
#define BVPI_BINARY_SIZE_MAX UINT32_MAX

/* A binary hierarchy ready to walk: node/binary_node.h. */
typedef struct bvpi_binary {
    const uint8_t *blob; /* upper records, blocks */
    uint64_t blob_size;
    const uint8_t *order; /* order_count entries of order_width bits, if that is not 0 */
    uint64_t order_count;
    uint32_t kind, leaf_size;
    uint32_t upper_count; /* > 0, and all of them lie in the blob */
    uint32_t node_count;  /* for step budgets: no more than the blob has room for */
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

/* Where a part's bytes are: in another file, if this one is thin. */
static inline bvp_status bvpi_resolve(const bvp_file **file, uint32_t *part)
{
    return (*file)->thin ? bvpi_thin_resolve(file, part) : BVP_OK;
}

/* All return BVP_ERR_CORRUPT when the record lies outside its section, BVP_ERR_ARGUMENT for an
 * index over the count. Each field is read once. */
bvp_status bvpi_get_part(const bvp_file *file, uint32_t part, bvpi_part *out);
bvp_status bvpi_get_part_tree(const bvp_file *file, uint32_t part, bvpi_tree *out);
/* Both at once. */
bvp_status bvpi_get_part_and_tree(const bvp_file *file, uint32_t part, bvpi_part *out,
                                  bvpi_tree *tree);
/* Of the file that holds the part: the part's record, and the record of its hierarchy `hierarchy`
 * (< r->hierarchy_count): of a known kind, its bytes in DATA or BINH, its counts no more than they
 * have room for. r: a copy that bvpi_get_part_record has given. */
bvp_status bvpi_get_part_record(const bvp_file *file, uint32_t part, bvpd_part *out);
bvp_status bvpi_get_hierarchy_record(const bvp_file *file, uint32_t part, const bvpd_part *r,
                                     uint32_t hierarchy, bvpd_hierarchy *out);
/* What a copy of a record says, bounded: for callers that must not read it twice. */
bvp_status bvpi_view_part(const bvp_file *file, const bvpd_part *record, bvpi_part *out);
bvp_status bvpi_view_binary(const bvp_file *file, const bvpd_hierarchy *record,
                            uint64_t triangle_count, bvpi_binary *out);
/* The part's hierarchy of a binary kind (BVPD_KIND_BOXTREE and on); BVP_ERR_ARGUMENT when it has
 * none. */
bvp_status bvpi_get_part_binary(const bvp_file *file, uint32_t part, uint32_t kind,
                                bvpi_binary *out);
/* HIE-5 of a binary kind's record: the blob has room for as many upper records and volumes. */
bool bvpi_is_count_sound(const bvpd_hierarchy *record);
/* How many hierarchies over the instances the file says it has: at most BVPD_TOP_MAX. */
uint32_t bvpi_top_count(const bvp_file *file);
/* One of them; BVP_ERR_ARGUMENT when the file has no instance. */
bvp_status bvpi_get_top_tree(const bvp_file *file, uint32_t top, bvpi_tree *out);
/* Copies; part and node are checked to be in range. Placement entries are finite or the
 * call fails with BVP_ERR_CORRUPT. */
bvp_status bvpi_get_instance(const bvp_file *file, uint32_t instance, bvpd_instance *out,
                             double placement[12]);
/* Where an instance's node lies in its parent. */
bvp_status bvpi_get_local(const bvp_file *file, const bvpd_instance *instance, double out[12]);
/* Its twelve entries are finite. */
bvp_status bvpi_get_placement(const bvp_file *file, uint32_t placement, double out[12]);
bvp_string bvpi_get_string(const bvp_file *file, uint32_t ref); /* empty when ref is bad */

/* Bytes behind an id record's header: widths of at most 32, triangle_count of at most 256. */
uint32_t bvpi_ids_packed_size(const bvpd_ids *head, uint32_t triangle_count);
/* `width` bits (<= 32) behind an id record's header, from bit `first` on, which lies in TIDS. */
uint32_t bvpi_ids_bits(const uint8_t *packed, uint32_t first, unsigned width);
/* Source number of a local triangle (0 .. 255) of a cluster (a copy of its header); storage number
 * without ids. */
uint64_t bvpi_triangle_id(const bvpi_part *part, const bvpd_cluster *cluster, uint32_t local);

#endif
