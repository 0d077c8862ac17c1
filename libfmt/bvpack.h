/* SPDX-License-Identifier: MIT
 * bvpack.h: open a packed model and query its geometry on the mapped bytes.
 *
 * Promise: nothing is deserialised; no query allocates, locks or writes to the handle; a const
 * handle may be used from any number of threads; answers are exact in the sense of
 * spec/exactness.md and identical on every CPU path. Three exceptions. At the first touch of a part
 * a thin file opens and maps the part's file, and verify_lazily notes in the handle, atomically,
 * whether the part's hashes match. And a file from a source (bvp_open_source) is not mapped: calls
 * on it lock its cache, and read what is missing. Verification, provenance, clash detection
 * (bvpack_clash.h) and broad phases (bvpack_broad.h) are not queries: they allocate. bvp_refit
 * writes to the pages of an overlay, and of some kinds it allocates.
 * Caveats: the file must not be truncated while it is mapped (SIGBUS); see bvp_open_mode.
 * Structs that callers fill may grow members in place of `reserved`: a call that is given one which
 * is not zero there is BVP_ERR_ARGUMENT.
 */
#ifndef BVPACK_H
#define BVPACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(BVP_BUILDING) && defined(__GNUC__) && !defined(_WIN32)
#define BVP_API __attribute__((visibility("default")))
#else
#define BVP_API
#endif

/* ---- status and errors ------------------------------------------------------------------- */

/* How a call ended. Answers never share a value with failures. */
typedef enum bvp_status {
    BVP_OK = 0,
    BVP_ERR_NOT_OURS,  /* the bytes are not a bvpack file */
    BVP_ERR_NEWER,     /* a newer format, or a reserved bit is set: a newer library can read it */
    BVP_ERR_CORRUPT,   /* damaged or forged; bvp_error.rule names the violated rule of the spec */
    BVP_ERR_LIMIT,     /* valid, but over a documented limit of this library, or a full buffer */
    BVP_ERR_NO_MEMORY, /* an allocation failed */
    BVP_ERR_SYSTEM,    /* the operating system refused; bvp_error.sys_errno says why */
    BVP_ERR_ARGUMENT,  /* the caller's argument: NaN, negative tolerance, singular placement, bad
                          index */
    BVP_ERR_CANCELLED, /* bvp_control ended the call: there is no answer, and the file may be sound
                        */
    BVP_ERR_AGAIN      /* a source has not got the bytes yet (bvp_open_source): call again later */
} bvp_status;

/* Details of a failure. Every function that takes one accepts NULL. */
typedef struct bvp_error {
    bvp_status status;
    int sys_errno;     /* errno, or 0 */
    uint64_t offset;   /* byte offset in the file, or UINT64_MAX */
    char rule[16];     /* rule id of spec/format.md such as "HDR-4", or "" */
    char message[256]; /* one English sentence, NUL-terminated UTF-8: expected, found, what to do;
                          in names and paths, control characters, marks of text direction and bytes
                          that are not UTF-8 are escaped as \xNN */
} bvp_error;

/* A short English name of a status; static storage. */
BVP_API const char *bvp_status_name(bvp_status status);
/* The library's version, "major.minor.patch"; static storage. The format version is separate. */
BVP_API const char *bvp_version(void);
/* The content hash that files carry (XXH3-128, seed 0, most significant byte first), for
 * bvp_build_options.source_hash and for telling sources apart. It detects accidental damage; it
 * does not authenticate. */
BVP_API void bvp_hash(const void *data, size_t size, uint8_t hash[16]);

/* ---- ending a call early ------------------------------------------------------------------- */

/* Ends a call early, with BVP_ERR_CANCELLED. Zero-initialise; zero means no limit. Calls only read
 * it, so any number of calls and threads may share one; keep it valid while a call uses it. The
 * flag and the callback are checked when a call begins its work and then every 32 steps or 16 KiB
 * of hashing, which is well below a millisecond on any file. */
typedef struct bvp_control {
    /* The most steps that one call may take: a batch for all its elements together, bvp_clash for
     * each pair of instances. 0: no limit. A step opens a node, or visits a pair of leaves or an
     * instance: 0.05 to 20 microseconds. On one instruction set, the steps of a query depend only
     * on its arguments and the file's bytes, not on time or threads; bvp_stats.steps counts them.
     * Work that is done once for a handle (verify_lazily) is not counted. */
    uint64_t budget;
    const volatile int *cancel;  /* or NULL. Nonzero: end the call. Set by another thread (an atomic
                                    store) or a signal handler (volatile sig_atomic_t) */
    int (*callback)(void *user); /* or NULL. Nonzero: end the call. Runs on the caller's thread; in
                                    bvp_clash, bvp_verify_with and the builder on any of their
                                    threads */
    void *user;
} bvp_control;

/* ---- opening ----------------------------------------------------------------------------- */

typedef struct bvp_file bvp_file;

typedef enum bvp_open_mode {
    BVP_OPEN_CHECKED =
        0,            /* memory-safe whatever the bytes say, also when they change while mapped */
    BVP_OPEN_TRUSTED, /* the caller vouches for the bytes: the library may skip per-step checks */
    BVP_OPEN_ISOLATED /* copied to private memory and fully verified before this call returns */
} bvp_open_mode;

/* The kind of a hierarchy over a part's triangles. A file may hold several kinds over the same
 * geometry. */
typedef enum bvp_kind {
    BVP_KIND_DEFAULT = 0, /* packing: wide; queries: the best that the part has */
    BVP_KIND_WIDE,        /* 8-wide tree of 8-bit boxes in 64-byte nodes */
    BVP_KIND_BOXTREE,     /* restricted boxtree: Zachmann 2002 */
    BVP_KIND_AABB,        /* axis-aligned boxes in floats: van den Bergen 1997 */
    BVP_KIND_OBB,         /* oriented boxes: Gottschalk, Lin, Manocha 1996 */
    BVP_KIND_RSS,         /* rectangles swept by a ball: Larsen et al. 2000, Shellshear et al. */
    BVP_KIND_RAYS         /* what the option `rays` of the builder adds; ray queries use it by
                             themselves, and nothing else can */
} bvp_kind;

/* Which test separates two boxes, for collide and pairs. The answers are the same. The kinds wide
 * and rss have one test each and ignore it. */
typedef enum bvp_box_test {
    BVP_TEST_DEFAULT = 0,
    BVP_TEST_SAT,      /* all 15 axes: Gottschalk et al. section 5 */
    BVP_TEST_SAT_LITE, /* the boxes' own six axes: van den Bergen section 3.1, Zachmann 3.2.4 */
    BVP_TEST_ALIGNED,  /* boxtree: one box enclosed in the other's frame: Zachmann 3.2.1 */
    BVP_TEST_LOOKUP,   /* boxtree: the same with tables of products: Zachmann 3.2.2 */
    /* boxtree: the same four in Zachmann's own descent, which opens both nodes of a pair, does each
     * child's work once for its two pairs (3.3), and takes leaves by their boxes only */
    BVP_TEST_FOUR_SAT,
    BVP_TEST_FOUR_SAT_LITE,
    BVP_TEST_FOUR_ALIGNED,
    BVP_TEST_FOUR_LOOKUP
} bvp_box_test;

/* Zero-initialise; zero means default everywhere. */
typedef struct bvp_open_options {
    bvp_open_mode mode;
    int verify_lazily; /* nonzero: a part's block hashes are checked by the first query that touches
                          it */
    int baseline_simd; /* nonzero: do not use CPU extensions beyond the compiler's baseline */
    uint64_t offset;   /* where the bvpack file begins in the opened one; a multiple of 4096 */
    uint64_t size;     /* its size in bytes; 0: up to the end */
    bvp_kind kind; /* the hierarchies that queries on this handle use; a query of a part that has
                      none of that kind is BVP_ERR_ARGUMENT. BVP_ERR_LIMIT: the library was built
                      without it (configure --with-kinds) */
    bvp_box_test box_test;
    int overlay;    /* nonzero: bvp_refit may change what this handle shows. The file never changes;
                       pages that no refit touches stay shared with others that map it. From memory
                       only with mode isolated */
    int read_ahead; /* nonzero: the kernel reads ahead as it does by default, for callers that will
                       read most of the file. Zero: only what is touched is read, which is best for
                       queries */
    const char *store; /* the folder with a thin file's parts; NULL: the one that the file names,
                          relative to the file's folder. No environment variable is read */
    const bvp_control *control; /* or NULL: used while opening, and by each later call on this
                                   handle that is given none. Keep it valid until bvp_close */
    const uint8_t *digest; /* or NULL; 32 bytes, read during the call: the root digest that the file
                              must have (bvp_get_digest), which a signature vouches for. A file with
                              another one is BVP_ERR_CORRUPT; so is, as with verify_lazily, a query
                              of a part with a block that does not match its digest. A file without
                              digests, or a thin one, is BVP_ERR_ARGUMENT */
    uint64_t reserved[1];  /* zero */
} bvp_open_options;

/* Maps `path` read-only: a bvpack file, or a GLB to which one is attached (spec/gltf.md), which is
 * opened where it lies. *out is to be closed with bvp_close. Reads the first 4096 bytes, which
 * hold the head (1408 bytes), and the records of part 0: O(1), whatever the file's size. Options
 * that ask for more cost more: isolated reads everything, `digest` all digests, verify_lazily
 * allocates a byte for each part and block; a thin file takes a pointer for each part. No hash but
 * the header's is checked unless the options say so: memory is safe whatever the bytes say, but a
 * damaged file may give wrong answers without an error (in a small file 2 to 14 % of all single bit
 * flips do). With verify_lazily, queries of a damaged part return BVP_ERR_CORRUPT. It costs nothing
 * on later queries, but .1 to .7 ms for each MB that the first one checks, which is why it is not
 * the default. SECURITY.md and spec/trust.md say what each mode promises. */
BVP_API bvp_status bvp_open(const char *path, const bvp_open_options *options, bvp_file **out,
                            bvp_error *error);
/* The same for a descriptor, which may be closed afterwards. */
BVP_API bvp_status bvp_open_fd(int fd, const bvp_open_options *options, bvp_file **out,
                               bvp_error *error);
/* The same for memory, 64-byte aligned, which the caller keeps until bvp_close. */
BVP_API bvp_status bvp_open_memory(const void *data, size_t size, const bvp_open_options *options,
                                   bvp_file **out, bvp_error *error);
/* Where a file's bytes come from when they cannot be mapped: a server, an archive, a compressed
 * file, a page's fetch(). Zero-initialise. */
typedef struct bvp_source {
    uint64_t size; /* bytes */
    /* Fills out[0 .. size - 1] with the bytes from `offset` on: at most 1 MiB, but for the hashes
     * at the file's end, 8 bytes for each 16 KiB of it. BVP_ERR_AGAIN: they are not here yet, and
     * the call that needs them fails with it; whoever sees that fetches them and calls again. Any
     * other status is what the call returns. *error: zeroed; the details, if there are any. Called
     * on the thread that asks a query, one call at a time; it may not use the file. */
    bvp_status (*read)(void *user, uint64_t offset, uint64_t size, void *out, bvp_error *error);
    /* or NULL. Called before a read: these bytes, a chunk, are likely to be wanted after it. May
     * begin to fetch them beside it, and return; when they are wanted, they are read alone. Answers
     * come after fewer round trips, and some chunks are fetched in vain. They may be bytes that
     * were hinted or fetched before, if the call is made again. */
    void (*hint)(void *user, uint64_t offset, uint64_t size);
    /* or NULL. Called once: when the file is closed, or could not be opened. */
    void (*close)(void *user);
    void *user;
    /* Bytes that are held at most, beside the head, the hashes and the last block; 0: 64 MiB; at
     * least 512 KiB. A call may count on half of them: one that needs more than there is room for
     * is BVP_ERR_LIMIT. */
    uint64_t cache;
    /* Bytes that cost no more to give than one, as of a compressed file whose frames hold as many;
     * 0: 16 KiB; at most 1 MiB. Such ranges begin at byte 1408, behind the head. */
    uint64_t grain;
    uint64_t reserved[3]; /* zero */
} bvp_source;

/* Opens a file whose bytes a source gives, in chunks of 16 KiB that are kept: single
 * ones at first, and four at a time when 768 KiB are held. Answers are those of
 * the mapped file. Each chunk is checked as it arrives, against the hashes in the file, and these
 * against the head: damage, or bytes of another file, are BVP_ERR_CORRUPT in the call that needs
 * them, so verify_lazily means nothing. Opening reads twice: the beginning, and the end from the
 * last block on. *source is copied.
 *
 * Every call may fail with what the source says, BVP_ERR_AGAIN or else; bvp_get_source_error has
 * the details. Such a call asks the source no further, so a question may have to be asked as often
 * as it needs other chunks. Its answers mean nothing; a callback has been given right ones, and is
 * given them again by the next call. Where several calls run at once, each may fail with what
 * another one's read said. bvp_clash_touch_gap, which has no status, is NaN.
 *
 * Mode isolated reads everything and closes the source. BVP_ERR_ARGUMENT: an overlay; a thin file.
 * A file from a source cannot be saved or converted (bvpack_build.h), or be a builder's part.
 * bvp_verify_file, bvp_verify_part and bvp_annotate need room in the cache for the whole file. */
BVP_API bvp_status bvp_open_source(const bvp_source *source, const bvp_open_options *options,
                                   bvp_file **out, bvp_error *error);
/* Of the last read that failed: what the source said, and the offset that was wanted.
 * BVP_ERR_ARGUMENT: the file is not from a source. */
BVP_API bvp_status bvp_get_source_error(const bvp_file *file, bvp_error *error);

/* Unmaps and frees; NULL is allowed. No query may be running on it. */
BVP_API void bvp_close(bvp_file *file);

/* ---- what is in the file ------------------------------------------------------------------ */

#define BVP_NONE UINT32_MAX /* no part, no node, no instance */

/* A string in the mapping: UTF-8, not NUL-terminated. Valid until bvp_close. */
typedef struct bvp_string {
    const char *data;
    size_t size; /* bytes */
} bvp_string;

/* Which axis of the model points up. */
typedef enum bvp_up {
    BVP_UP_UNKNOWN = 0, /* the source did not say it */
    BVP_UP_X,
    BVP_UP_Y,
    BVP_UP_Z
} bvp_up;

typedef struct bvp_file_info {
    uint32_t format_major, format_minor;
    uint64_t file_size;             /* bytes */
    uint64_t triangle_count;        /* over all instances */
    uint64_t unique_triangle_count; /* over all parts */
    uint32_t part_count, instance_count, node_count;
    uint32_t instance_hierarchy_count; /* over the instances: one, or several where some lie far
                                          from the others; 0 without instances */
    double unit_in_metres;             /* length of one coordinate unit; 0 when unknown */
    bvp_up up;                         /* which axis is that */
    double tessellation_tolerance;     /* how far the triangles may be from the curved surfaces that
                                          they stand for, in units; 0 when unknown */
    double lo[3], hi[3];               /* world bounds, rounded outward */
    uint64_t hierarchy_size, geometry_size, id_size, other_size; /* bytes; their sum is file_size */
    uint8_t root_hash[16];   /* content identity: equal bytes, equal hash */
    uint8_t source_hash[16]; /* build identity: source bytes, options and format version */
    int has_digests;         /* nonzero: bvp_get_digest has an answer */
    int is_thin;             /* nonzero: it refers to parts that lie in a store */
    int is_over_buffers;     /* nonzero: its triangles lie outside of it: bvp_bind */
    bvp_string store;        /* where that was when it was packed, from the file's folder */
} bvp_file_info;

typedef struct bvp_part_info {
    bvp_string name, source_id;
    uint64_t triangle_count, vertex_count; /* stored; vertex_count after welding */
    uint32_t cluster_count, hierarchy_count;
    double origin[3]; /* part coordinates are relative to this point of the source's coordinates */
    float lo[3], hi[3];    /* exact bounds in part coordinates */
    double rounding_error; /* largest rebase error of a coordinate, in units; 0: every input float
                              is exact */
    uint64_t degenerate_count, duplicate_count, open_edge_count, nonmanifold_edge_count;
    uint64_t hierarchy_size, geometry_size, id_size; /* bytes */
    uint8_t content_hash[16];                        /* of the mesh: equal meshes, equal hash */
    uint8_t address[16]; /* identifies the packed bytes: a hash of content_hash, rounding_error and
                            packer; zeros: unknown */
    uint8_t packer[16];  /* identifies what packed it: program, version, options; zeros: unknown */
    int has_ids;         /* 0: packed without original triangle numbers */
} bvp_part_info;

/* What identifies a part. */
typedef struct bvp_part_identity {
    bvp_string name, source_id;
    uint64_t triangle_count;
    double origin[3]; /* as of bvp_part_info, and so are the others */
    float lo[3], hi[3];
    uint8_t content_hash[16], address[16];
} bvp_part_identity;

/* One of a part's hierarchies. */
typedef struct bvp_hierarchy_info {
    bvp_kind kind;
    uint32_t split;                            /* enum bvp_split of bvpack_build.h */
    uint32_t leaf_size;                        /* most triangles in a leaf */
    uint32_t node_count, leaf_count, depth;    /* volumes (wide: nodes); leaves; levels */
    uint32_t plane_max, offset_size;           /* boxtree: most planes a node, bytes of an offset */
    uint64_t size, order_size, triangle_count; /* bytes, of these for the order; of the part */
    double area_cost;                          /* sum of all volumes' surfaces over the root's */
} bvp_hierarchy_info;

/* A node of the source's product tree. Node 0 is the root; what is below node n are the nodes
 * n + 1 .. end - 1: its first child, if any, is n + 1, the next one that child's end, and so on. */
typedef struct bvp_node_info {
    bvp_string name, source_id;
    uint32_t parent;         /* BVP_NONE for the root */
    uint32_t end;            /* the first node that is not below this one */
    uint32_t part, instance; /* BVP_NONE when the node carries no geometry */
    uint32_t property_count;
    double placement[12]; /* row-major 3x4, relative to the parent */
} bvp_node_info;

typedef struct bvp_instance_info {
    uint32_t part, node;
    double placement[12]; /* row-major 3x4: part coordinates (relative to its origin) to world */
} bvp_instance_info;

BVP_API void bvp_get_info(const bvp_file *file, bvp_file_info *out);
BVP_API bvp_status bvp_get_part(const bvp_file *file, uint32_t part, bvp_part_info *out);
/* What the file itself records about a part. For a part of a thin file it does not access the
 * store, where the part may be missing. */
BVP_API bvp_status bvp_get_part_identity(const bvp_file *file, uint32_t part,
                                         bvp_part_identity *out);
/* hierarchy: 0 .. hierarchy_count - 1 of the part. */
BVP_API bvp_status bvp_get_hierarchy(const bvp_file *file, uint32_t part, uint32_t hierarchy,
                                     bvp_hierarchy_info *out);
BVP_API bvp_status bvp_get_node(const bvp_file *file, uint32_t node, bvp_node_info *out);
BVP_API bvp_status bvp_get_instance(const bvp_file *file, uint32_t instance,
                                    bvp_instance_info *out);
BVP_API bvp_status bvp_get_property(const bvp_file *file, uint32_t node, uint32_t property,
                                    bvp_string *key, bvp_string *value);

/* ---- tables in bulk -------------------------------------------------------------------------- */

/* The same as the calls above, of many rows at once, faster. Those rows of a range are read that
 * exist; BVP_ERR_ARGUMENT: it begins beyond the last one. *count: how many were read: all, or with
 * BVP_ERR_CORRUPT those before the damaged row. Arrays are the caller's, with room for a row for
 * each of range.count, densely packed; strings point into the mapping. NULL arrays are skipped, and
 * what would be in them is neither read nor checked. O(*count). Of a file from a source all rows of
 * one call must fit in half of its cache (BVP_ERR_LIMIT): ask for fewer at a time. */

typedef struct bvp_range {
    uint64_t first, count;
} bvp_range;

/* Columns of a table: zero-initialise. */
typedef struct bvp_instance_columns {
    uint32_t *parts, *nodes; /* as of bvp_instance_info */
    double *placements;      /* 12 for each row */
    bvp_string *names;       /* of their nodes */
    uint64_t reserved[4];    /* zero */
} bvp_instance_columns;
BVP_API bvp_status bvp_get_instances(const bvp_file *file, bvp_range range,
                                     const bvp_instance_columns *out, uint64_t *count);

typedef struct bvp_node_columns {
    uint32_t *parents, *ends, *parts, *instances, *property_counts; /* as of bvp_node_info */
    double *placements; /* 12 for each row, relative to the parent */
    bvp_string *names, *source_ids;
    uint64_t reserved[4]; /* zero */
} bvp_node_columns;
BVP_API bvp_status bvp_get_nodes(const bvp_file *file, bvp_range range, const bvp_node_columns *out,
                                 uint64_t *count);

/* Rows, not columns: there are few parts, and of each the whole record is read anyway. A thin
 * file's parts are mapped. */
BVP_API bvp_status bvp_get_parts(const bvp_file *file, bvp_range range, bvp_part_info *out,
                                 uint64_t *count);

/* The properties of node first + i are rows offsets[i] .. offsets[i + 1] - 1. */
typedef struct bvp_property_columns {
    uint64_t *offsets;         /* one for each node of the range, and one more */
    bvp_string *keys, *values; /* room for `capacity` each */
    uint64_t reserved[4];      /* zero */
} bvp_property_columns;
/* Of a range of nodes, one of them or all. As many keys and values are written as there is room
 * for; *count: how many there are, so that capacity 0 tells how much room is needed. O(nodes +
 * those written). */
BVP_API bvp_status bvp_get_properties(const bvp_file *file, bvp_range nodes, uint64_t capacity,
                                      const bvp_property_columns *out, uint64_t *count);

/* ---- a digest, single parts and triangles ---------------------------------------------------- */

/* What to sign: the root digest (BLAKE2b-256) of a file that was packed with
 * bvp_build_options.digests, over its head and the digests of its blocks. Unlike root_hash it
 * withstands an adversary. It is computed from the digests alone: bvp_verify_file and
 * bvp_open_options.digest compare these with the bytes. out: 32 bytes. Linear in the number of
 * blocks: 32 bytes for 16 KiB. BVP_ERR_ARGUMENT: the file has no digests, or this library was built
 * without libsodium. spec/trust.md */
BVP_API bvp_status bvp_get_digest(const bvp_file *file, uint8_t out[32], bvp_error *error);

/* Can part `part` be queried? A thin file's part is mapped now instead of by the first query, and
 * on a handle that verifies lazily its block hashes are checked. BVP_ERR_SYSTEM: it is missing;
 * *error says its name and where it should be. BVP_ASSEMBLY: everything that belongs to no part. */
BVP_API bvp_status bvp_check_part(const bvp_file *file, uint32_t part, bvp_error *error);

/* One stored triangle. Number `triangle` counts in storage order, 0 .. triangle_count - 1.
 * position: 9 floats (3 corners, part coordinates), bit-identical to the input and in its order.
 * id: its number in the source mesh, from 0 on; triangles of one polygon have the polygon's number,
 * and triangles that were left out are counted (spec/format.md, chapter 7). Without ids: `triangle`
 * itself. */
BVP_API bvp_status bvp_get_triangle(const bvp_file *file, uint32_t part, uint64_t triangle,
                                    float position[9], uint64_t *id);
/* A part's triangles in storage order: those of the range that exist. NULL arrays are skipped.
 * positions: range.count * 9 floats; ids: range.count. *count: how many were written. O(*count). */
BVP_API bvp_status bvp_get_triangles(const bvp_file *file, uint32_t part, bvp_range range,
                                     float *positions, uint64_t *ids, uint64_t *count);

/* ---- colours ------------------------------------------------------------------------------- */

/* Triangles of one colour: from the number `first` on up to the next run's. */
typedef struct bvp_colour_run {
    uint32_t first;  /* number in the source, as of bvp_hit_id.id; the first run's is 0 */
    uint8_t rgba[4]; /* red, green and blue in sRGB, and alpha: 255 is opaque; not premultiplied.
                        Four zeros: the source names no colour */
} bvp_colour_run;
/* Which base colours does the source give the triangles of a node's mesh? Colours are kept for each
 * instance, at its node (bvp_instance_info.node), because instances of one part may differ.
 * Textures and colours of vertices are not kept. runs: room for `capacity`, of which as many are
 * written as there are; NULL with capacity 0. *count: how many there are; 0: nothing is known.
 * Damaged text counts as none. O(properties of the node + bytes of the text).
 * BVP_ERR_ARGUMENT: there is no such node; BVP_ERR_CORRUPT: its record is damaged.
 * spec/format.md, chapter 14 */
BVP_API bvp_status bvp_get_colours(const bvp_file *file, uint32_t node, bvp_colour_run *runs,
                                   uint32_t capacity, uint32_t *count);
/* The four bytes of the triangle of that number: of the last run whose `first` is not above it.
 * NULL: no colour is known. O(log count). */
BVP_API const uint8_t *bvp_find_colour(const bvp_colour_run *runs, uint32_t count, uint64_t id);

/* ---- deformed parts ------------------------------------------------------------------------ */

/* A part's vertices as they are stored: cluster by cluster, 3 floats each, in part coordinates; a
 * vertex on a border of clusters is in each of them. They are counted from `first` on, at most
 * `capacity`; positions: capacity * 3 floats, or NULL to count only. *count: how many there were.
 * O(clusters + count). */
BVP_API bvp_status bvp_get_vertices(const bvp_file *file, uint32_t part, uint64_t first,
                                    uint64_t capacity, float *positions, uint64_t *count);
/* Which of those vertices are the corners of triangles first, first + 1, ... in storage order, at
 * most `capacity`: capacity * 3 numbers. *count: how many triangles. O(clusters + count). */
BVP_API bvp_status bvp_get_corners(const bvp_file *file, uint32_t part, uint64_t first,
                                   uint64_t capacity, uint64_t *corners, uint64_t *count);

/* Moves all vertices of a part, in the order of bvp_get_vertices, and fits all volumes to them:
 * those of all the part's hierarchies, in place, and those of its instances. Afterwards every query
 * on this handle answers for the new shape; triangles keep their numbers. Trees keep their
 * structure, boxtrees their planes a node, oriented volumes their axes: queries take longer the
 * more neighbours part or turn, as area_cost tells. The file must be open with `overlay`, and the
 * part packed deformable and without a hierarchy for rays. On BVP_ERR_ARGUMENT (one of these, the
 * wrong vertex_count, a position that is not finite or too far out) and BVP_ERR_NO_MEMORY nothing
 * has changed. O(stored vertices + triangles + instances), obb and rss times the tree's depth at
 * most. Until it returns it allocates 192 bytes a node (wide), 32 (boxtree), or 190,000 and 240 for
 * each of some 2 upper records in 128 triangles (obb, rss). Pages that hold wide nodes become
 * private as a whole, others where bytes change. Not to be called while any other call uses the
 * handle. After BVP_ERR_CORRUPT close the handle. The hashes, which bvp_get_info returns and
 * bvp_verify_file compares, and the part's counts of defects stay those of the file; bvp_save
 * writes a new one. */
BVP_API bvp_status bvp_refit(bvp_file *file, uint32_t part, const float *positions,
                             uint64_t vertex_count, bvp_error *error);

/* ---- triangles outside ----------------------------------------------------------------------- */

/* A file may hold hierarchies only, over the vertices and indices of a render asset or of an engine
 * (bvp_build_options.share, "bvpack attach --share"): its triangles lie in buffers outside of it,
 * and every query reads them there. A GLB's own are bound to the file attached to it when that is
 * opened (of a source, a part's are read whole, and kept); those of others by bvp_bind. */

/* Types of numbers, as glTF and OpenGL number them. */
typedef enum bvp_component {
    BVP_INT8 = 5120,
    BVP_UINT8 = 5121,
    BVP_INT16 = 5122,
    BVP_UINT16 = 5123,
    BVP_UINT32 = 5125,
    BVP_FLOAT32 = 5126
} bvp_component;

#define BVP_NOWHERE UINT64_MAX

/* Positions and indices of triangles. Zero-initialise. A coordinate is the float itself, or the
 * integer c as a float; normalized, c / m rounded to a float, m being the greatest value of the
 * type, and at least -1. Nothing needs to be aligned. */
typedef struct bvp_buffers {
    const void *positions;       /* x, y, z of vertex_count vertices */
    size_t position_stride;      /* bytes from a vertex to the next one; 0: densely packed */
    bvp_component position_type; /* any but uint32; 0: float32 */
    int normalized;              /* integers only */
    uint64_t vertex_count;       /* < 2^32 */
    const void *indices;         /* 3 for each triangle, densely packed; NULL: none, triangle i has
                                    the vertices 3 i, 3 i + 1, 3 i + 2 */
    bvp_component index_type;    /* uint8, uint16 or uint32; without indices 0 */
    uint64_t triangle_count;     /* < 2^32, also of all buffers of a part together */
    /* Where they lie in the binary chunk of the GLB, or BVP_NOWHERE. For bvp_mesh.buffers, and from
     * bvp_get_buffers; bvp_bind ignores them. */
    uint64_t position_offset, index_offset;
    uint64_t reserved[2]; /* zero */
} bvp_buffers;

/* Gives the part the buffers that it was packed over, in the same order: one for each primitive of
 * a mesh of glTF. Triangle numbers (bvp_hit_id.id) count through them. Types and counts must be as
 * bvp_get_buffers tells, or it is BVP_ERR_ARGUMENT; so are strides that are too short or lead out
 * of memory. Positions and indices are hashed at once, in time linear in their number (some 5 GB a
 * second; a tenth of that where the stride is wider than the positions): BVP_ERR_CORRUPT: they are
 * not those that the file was packed over. `buffers` is copied; what it points to stays as it is
 * until the file is closed, or other buffers are bound to the part. If it changes, answers are
 * wrong, and memory is safe. On an error what was bound before stays. Not to be called while any
 * other call uses the handle. Until all is bound, queries of the part, and of an assembly that
 * reach it, are BVP_ERR_ARGUMENT; bvp_check_part says why. */
BVP_API bvp_status bvp_bind(bvp_file *file, uint32_t part, const bvp_buffers *buffers,
                            uint32_t count, bvp_error *error);
/* What buffers a part has: *count of them, of which at most `capacity` are written; without
 * pointers. 0: the file holds the part's triangles. */
BVP_API bvp_status bvp_get_buffers(const bvp_file *file, uint32_t part, bvp_buffers *buffers,
                                   uint32_t capacity, uint32_t *count);

/* The provenance record (JSON text written by the packer: sources, options, warnings). It is a
 * cold, possibly compressed section: `buffer` receives at most `capacity` bytes; *size is the full
 * size. */
BVP_API bvp_status bvp_get_provenance(const bvp_file *file, char *buffer, size_t capacity,
                                      size_t *size, bvp_error *error);

/* ---- verification -------------------------------------------------------------------------- */

typedef struct bvp_finding {
    const char *rule;    /* rule id of spec/format.md */
    uint64_t offset;     /* byte offset */
    const char *message; /* valid during the callback */
} bvp_finding;
/* Called for each violated rule; return nonzero to stop. */
typedef int (*bvp_finding_fn)(void *user, const bvp_finding *finding);

/* Checks every rule of the spec: structure, hashes, containment of every box, ids. Linear in the
 * file size; allocates one bit for 64 bytes and one for each triangle of the largest part, and, one
 * part at a time, to compute content_hash, 16 bytes a triangle and at most 28 a stored vertex,
 * twice the former where triangles are not stored in the source's order. BVP_OK: no finding;
 * otherwise the first finding's status, also in *error. Also usable on a file that bvp_open
 * refuses. data: 64-byte aligned; of a GLB, what is attached to it is checked. Without a callback
 * it stops at the first finding. */
BVP_API bvp_status bvp_verify(const void *data, size_t size, bvp_finding_fn callback, void *user,
                              bvp_error *error);
BVP_API bvp_status bvp_verify_file(const bvp_file *file, bvp_finding_fn callback, void *user,
                                   bvp_error *error);
/* Checks every rule of one part, wherever it lies, but for those about hashes, names and its place
 * among other parts: bvp_check_part checks the hashes. For callers that take single parts from a
 * file. Linear in the part's size; allocates as bvp_verify does. BVP_ERR_ARGUMENT: there is no such
 * part; for a part in a store also the errors of opening it. */
BVP_API bvp_status bvp_verify_part(const bvp_file *file, uint32_t part, bvp_finding_fn callback,
                                   void *user, bvp_error *error);
/* Zero-initialise. */
typedef struct bvp_verify_options {
    /* or NULL. BVP_ERR_CANCELLED: what has been found by then was reported, and nothing is known
     * about the rest. Its steps are nodes, records and blocks. With a budget one thread is used. */
    const bvp_control *control;
    uint32_t thread_count; /* 0: one per online CPU. Findings and their order do not depend on it.
                              Each thread allocates what bvp_verify does */
    bvp_finding_fn
        callback; /* or NULL: it stops at the first finding. Runs on the caller's thread */
    void *user;
    uint64_t reserved[2]; /* zero */
} bvp_verify_options;
/* bvp_verify on several threads, or under a control. options: NULL: the defaults. */
BVP_API bvp_status bvp_verify_with(const void *data, size_t size, const bvp_verify_options *options,
                                   bvp_error *error);

/* ---- annotated bytes ------------------------------------------------------------------------ */

/* What a run of bytes means. The strings are valid during the callback. */
typedef struct bvp_annotation {
    uint64_t offset, size; /* in the bvpack file */
    const char *path;      /* such as "PART[3].origin[0]" */
    const char *value;     /* readable; "" for padding and what has no short form */
    const char *rule;      /* a rule of spec/format.md about it, or "" */
} bvp_annotation;
/* Return nonzero to stop. */
typedef int (*bvp_annotation_fn)(void *user, const bvp_annotation *annotation);

/* Explains every byte of the file exactly once, in order. Bytes that a damaged file leaves without
 * a meaning are called "unknown". BVP_ERR_CORRUPT: there were such bytes. */
BVP_API bvp_status bvp_annotate(const bvp_file *file, bvp_annotation_fn callback, void *user);

/* ---- queries: bodies ----------------------------------------------------------------------- */

#define BVP_ASSEMBLY UINT32_MAX /* bvp_body.part: all instances of the file */

/* Which instances of an assembly queries see: a group of them, or all others. The caller owns the
 * bits, does not change them while a query runs, and may use them for any number of bodies; | and &
 * unite and intersect groups. */
typedef struct bvp_filter {
    const uint64_t *bits; /* word_count words: instance i is bit i % 64 of bits[i / 64] */
    size_t word_count; /* instances beyond are not in the group; 0: the group is empty, bits may be
                          NULL */
    int exclude;       /* 0: queries see the group; nonzero: all instances but the group */
} bvp_filter;

/* Sets the bits of all instances at or below node `node` of the product tree, and leaves the others
 * as they are. BVP_ERR_ARGUMENT: there is no such node, or fewer words than (instance_count + 63) /
 * 64. O(nodes below). */
BVP_API bvp_status bvp_filter_subtree(const bvp_file *file, uint32_t node, uint64_t *bits,
                                      size_t word_count);

/* What a query is about: one part, or the assembly of a file or some of its instances, placed in
 * the world. Zero-initialise, so that members added in later versions have their default.
 * placement: 12 doubles, row-major 3x4, affine, not singular; NULL means the identity. It maps part
 * coordinates (relative to the part's origin), or the assembly's world, to the query's world.
 * Rigid, scaled, sheared and mirrored placements are allowed; the doubles are taken as exact reals.
 * filter: no query sees the instances that it leaves out; NULL: it leaves out none. An instance
 * that is left out costs a test of its box where that is near; queries between assemblies go
 * through instances one by one where the filter leaves out half of them or more. */
typedef struct bvp_body {
    const bvp_file *file;
    uint32_t part; /* a part's index, or BVP_ASSEMBLY */
    const double *placement;
    const bvp_filter *filter; /* of BVP_ASSEMBLY only: BVP_ERR_ARGUMENT with a part */
    /* What ends the query early; NULL: the handle's. Of two bodies the first one's is used, or else
     * the second's. A query that it ends has no answer: 0 hits, not found. What was given to a
     * callback or written to an array before is right, but there may be more; *count says how much
     * was. */
    const bvp_control *control;
} bvp_body;

/* A triangle in the answer of a query. */
typedef struct bvp_hit_id {
    uint32_t instance; /* BVP_NONE when the body is a single part */
    uint32_t part;
    uint64_t triangle; /* storage number: for bvp_get_triangle */
    uint64_t id;       /* number in the source, as of bvp_get_triangle */
} bvp_hit_id;

/* The work of a query. Callers that want it pass a zeroed struct; queries add to it. */
typedef struct bvp_stats {
    uint64_t nodes;          /* hierarchy nodes opened */
    uint64_t boxes;          /* box tests: a child, or the bodies themselves */
    uint64_t leaves;         /* leaves, or pairs of leaves, reached */
    uint64_t triangles;      /* triangles, or pairs of them, tested */
    uint64_t exact;          /* of these, decided by exact arithmetic */
    uint64_t instance_pairs; /* instances, or pairs of them, entered */
    uint64_t steps;          /* of a bvp_control's budget; counted under a control only */
} bvp_stats;

/* ---- queries between two bodies ------------------------------------------------------------ */

/* In all of these: b == NULL queries the instances of `a` against one another (an instance is never
 * paired with itself). To move a sub-assembly against everything else: `a` is the file with a
 * filter and a placement, `b` the same file with the same bits, excluded. Surfaces, not solids: a
 * body inside another without contact does not collide. Triangles are closed: touching at a point
 * counts. Errors: BVP_ERR_ARGUMENT for a bad body, part, placement, NaN or negative distance;
 * BVP_ERR_CORRUPT when the file is damaged (do not use its answers then). No call allocates; each
 * uses at most 256 KiB of stack. A query of two parts uses hierarchies of one kind: where their
 * handles choose different ones (bvp_open_options.kind), the first kind of enum bvp_kind that both
 * have; BVP_ERR_ARGUMENT when there is none. The box test is that of the first body's handle or, if
 * that is the default, of the second's. */

/* Do they touch? *hit is 0 or 1. Symmetric: collide(a,b) == collide(b,a) on every input. */
BVP_API bvp_status bvp_collide(const bvp_body *a, const bvp_body *b, int *hit, bvp_stats *stats);

typedef struct bvp_pair {
    bvp_hit_id a, b;
    int proper; /* 1: the triangles cross transversally; 0: they touch, are coplanar or degenerate,
                   or crossing could not be told apart cheaply; never 1 for a mere touch */
} bvp_pair;
/* Return nonzero to stop the query. */
typedef int (*bvp_pair_fn)(void *user, const bvp_pair *pair);

/* All pairs of touching triangles, each once, in an order that depends only on the input.
 * *count: how many were reported. */
BVP_API bvp_status bvp_pairs_each(const bvp_body *a, const bvp_body *b, bvp_pair_fn callback,
                                  void *user, uint64_t *count, bvp_stats *stats);
/* The same into `pairs` (capacity elements; may be NULL when capacity is 0): stops when it is full
 * and then returns BVP_ERR_LIMIT with *count == capacity. */
BVP_API bvp_status bvp_pairs(const bvp_body *a, const bvp_body *b, bvp_pair *pairs,
                             uint64_t capacity, uint64_t *count, bvp_stats *stats);

/* "The reach" of two parts is the largest coordinate that one has relative to the other: the
 * largest over the world's axes x of |b_x - a_x| + the sum over j of |a_xj| A_j + |b_xj| B_j, with
 * a_xj and a_x the linear part and the translation of a's placement, A_j the largest |lo|, |hi| of
 * the part (bvp_part_info). Of a part and a point: the same with the point for b. */
typedef struct bvp_distance_result {
    int found;       /* 0: nothing nearer than the limit; the other fields are then unset */
    double distance; /* an upper bound of the minimum distance */
    double lower;    /* a lower bound. distance - lower <= 1e-9 * distance, except for underflow */
    double point_a[3], point_b[3]; /* witness points, world: within 2^-47 of the reach of their
                                      triangles, and no farther apart than distance, except for the
                                      rounding of the points themselves, 2^-53 of their length */
    bvp_hit_id a, b;               /* their triangles */
} bvp_distance_result;

/* Minimum distance of the surfaces; exactly 0 when they touch. limit: only distances <= limit are
 * of interest (INFINITY: all); pruning makes a small limit fast. Of several pairs of triangles at
 * the same distance > 0, to within 2^-32 of it, the result is the one that comes first in storage.
 */
BVP_API bvp_status bvp_distance(const bvp_body *a, const bvp_body *b, double limit,
                                bvp_distance_result *out, bvp_stats *stats);
/* The same to within a tolerance (>= 0): distance - lower is at most the tolerance, or at most what
 * bvp_distance allows. A distance of 0 is still exact, and any pair of triangles that is so near
 * may be the result. For surfaces side by side, such as mating faces or a pipe in its clamp:
 * thousands of pairs of triangles are equally near up to rounding, and a tolerance above that
 * avoids measuring them all. */
BVP_API bvp_status bvp_distance_about(const bvp_body *a, const bvp_body *b, double limit,
                                      double tolerance, bvp_distance_result *out, bvp_stats *stats);
/* Is their distance at most delta? Stops at the first proof; out (may be NULL) then holds a witness
 * pair, not the nearest one. "No" is certain: the distance is above delta. "Yes" means at most
 * delta (1 + 1e-9): a pair whose certified interval contains delta counts as within. delta == 0 is
 * bvp_collide. */
BVP_API bvp_status bvp_within(const bvp_body *a, const bvp_body *b, double delta, int *within,
                              bvp_distance_result *out, bvp_stats *stats);

/* State that a caller keeps between queries about two bodies that move a little from one query to
 * the next. Use one for each pair of bodies and each thread; zero-initialise it. It owns no memory.
 * It never changes an answer, whatever placements come next. It is used only for the bodies for
 * which it was filled, which are identified by the triangles that they show: the file's root_hash,
 * the changes by bvp_refit, and the filter's content. Accidental changes of `opaque` are detected;
 * bytes forged on purpose may make answers wrong, but never make a query access memory that it
 * should not. */
typedef struct bvp_warm_start {
    uint64_t opaque[256]; /* holds no pointer */
    /* For distances of two parts (not of assemblies): memory of the caller, aligned to 8 bytes, in
     * which a search records where it stopped; the next search begins there. NULL or 0: none. 1 MiB
     * is enough for parts of 50,000 triangles; with too little memory queries are no faster. It may
     * hold any bytes at first. From then on only queries may write to it, because they trust it,
     * and only those with this bvp_warm_start. */
    void *front;
    uint64_t front_size; /* bytes */
} bvp_warm_start;

/* The same queries with the same answers, faster while the bodies move little: for bodies that stay
 * apart, or that cross in a place where they did before, they need not read the hierarchies. If the
 * bodies touch, bvp_distance_warm may return any two triangles that touch; its `lower` is valid,
 * but may be another bound than bvp_distance has where several pairs are equally near.
 * bvp_within_warm names no witness, which only a search finds: bvp_within does. warm == NULL or b
 * == NULL: the plain query. */
BVP_API bvp_status bvp_collide_warm(const bvp_body *a, const bvp_body *b, bvp_warm_start *warm,
                                    int *hit, bvp_stats *stats);
BVP_API bvp_status bvp_distance_warm(const bvp_body *a, const bvp_body *b, double limit,
                                     bvp_warm_start *warm, bvp_distance_result *out,
                                     bvp_stats *stats);
BVP_API bvp_status bvp_within_warm(const bvp_body *a, const bvp_body *b, double delta,
                                   bvp_warm_start *warm, int *within, bvp_stats *stats);

/* ---- queries of one body -------------------------------------------------------------------- */

/* Points origin + t * direction, t_min <= t <= t_max; direction need not be normalised, not zero.
 */
typedef struct bvp_ray {
    double origin[3], direction[3];
    double t_min, t_max; /* t_max may be INFINITY */
} bvp_ray;

typedef struct bvp_ray_hit {
    int found;   /* 0: the ray misses; the other fields are then unset */
    double t;    /* parameter along the ray */
    double u, v; /* barycentric coordinates of corners 1 and 2 */
    double
        normal[3]; /* geometric normal by the corners' order, world, unit length; 0 if degenerate */
    bvp_hit_id id;
} bvp_ray_hit;
typedef int (*bvp_ray_hit_fn)(void *user, const bvp_ray_hit *hit);

/* What is hit, for all three: a ray hits a triangle, its edges and corners included, where it
 * crosses its plane. It never hits a triangle in whose plane it lies, nor one that is a segment or
 * a point. Which triangles are hit is exact, and so is whether that is in t_min .. t_max; t, u, v
 * are rounded. */

/* Nearest hit; ties go to the smaller (instance, triangle). Watertight: a ray does not slip through
 * an edge or vertex that triangles share, unless it lies in the plane of one of them. */
BVP_API bvp_status bvp_ray_first(const bvp_body *body, const bvp_ray *ray, bvp_ray_hit *hit,
                                 bvp_stats *stats);
/* Is anything hit? */
BVP_API bvp_status bvp_ray_any(const bvp_body *body, const bvp_ray *ray, int *hit,
                               bvp_stats *stats);
/* Every hit, unordered; a callback that returns nonzero stops. */
BVP_API bvp_status bvp_ray_all(const bvp_body *body, const bvp_ray *ray, bvp_ray_hit_fn callback,
                               void *user, uint64_t *count, bvp_stats *stats);

/* The same in floats, in less time: 32 bytes asked, 24 answered. Fastest is a part where it stands
 * in the file (placement NULL), with a hierarchy for rays (bvp_build_options.rays); elsewhere it
 * costs what the calls above cost. */
typedef struct bvp_float_ray {
    float origin[3], t_min;
    float direction[3], t_max; /* as of bvp_ray */
} bvp_float_ray;

#define BVP_NO_TRIANGLE UINT64_MAX

typedef struct bvp_float_hit {
    float t, u, v;     /* as of bvp_ray_hit; unset where nothing is hit */
    uint32_t instance; /* as of bvp_hit_id, likewise */
    uint64_t triangle; /* storage number; BVP_NO_TRIANGLE: nothing is hit */
} bvp_float_hit;

/* What bvp_ray_first and bvp_ray_any answer of the same numbers as doubles: the same triangle, t, u
 * and v rounded to floats. Statuses as theirs; t stays within t_min .. t_max. */
BVP_API bvp_status bvp_float_ray_first(const bvp_body *body, const bvp_float_ray *ray,
                                       bvp_float_hit *hit, bvp_stats *stats);
BVP_API bvp_status bvp_float_ray_any(const bvp_body *body, const bvp_float_ray *ray, int *hit,
                                     bvp_stats *stats);

typedef struct bvp_closest_result {
    int found;       /* 0: nothing within max_distance */
    double distance; /* at least the minimum distance; at most 1e-9 of itself more, except for
                        underflow */
    double point[3]; /* world: within 2^-47 of the reach of the triangle, no farther off than
                        distance, except for the rounding of its coordinates, 2^-53 of its length */
    bvp_hit_id id;
} bvp_closest_result;

/* Nearest surface point to `point`, if not farther than max_distance (INFINITY: any). */
BVP_API bvp_status bvp_closest(const bvp_body *body, const double point[3], double max_distance,
                               bvp_closest_result *out, bvp_stats *stats);

/* ---- solids ---------------------------------------------------------------------------------- */

/* Where a point is, relative to the solid that a surface bounds. */
typedef enum bvp_where {
    BVP_WHERE_OUTSIDE = 0,
    BVP_WHERE_INSIDE,
    BVP_WHERE_SURFACE, /* on a triangle, exactly */
    BVP_WHERE_OPEN     /* undefined: the surface is an open shell, in whose box the point is;
                          `winding` tells how much of it is around the point */
} bvp_where;

typedef struct bvp_inside_result {
    bvp_where where;
    uint32_t instance; /* of an assembly: one that says so; BVP_NONE: outside, or a part */
    /* Inside: how often the surface goes around the point: 1, or -1 where its triangles face
     * inward; 2 where two solids overlap. Open: the generalised winding number, to within 1e-9
     * unless the point is nearer to the surface than 1e-9 of its distance from the others: near 1
     * in a shell with a small hole, near 0 beside it; 0.5 is the usual border. Else 0. */
    double winding;
} bvp_inside_result;

/* Is a point inside a body? A part is a solid where no edge belongs to one triangle only
 * (bvp_part_info.open_edge_count), and the point inside it where the winding number is not 0. That
 * is exact, also where a ray from the point passes through edges and corners: for a part whose
 * edges belong to two triangles each, by one ray; where the sum of its crossings is neither 0 nor
 * odd, by two more.
 *
 *   shells in one another  the inner one is a cavity where it faces inward: outside
 *   shells that overlap, duplicates: inside
 *   triangles all facing inward: inside, with a negative winding number
 *   some facing the wrong way: inside where the number of crossings is odd; where it is even,
 *     outside, unless three rays have one sum that is not 0
 *   edges of three triangles or more: as three rays say; where they differ, as of an open shell
 *   open shells: outside of the part's own box outside, in it BVP_WHERE_OPEN
 *
 * An assembly is the union of its instances: inside if inside one of them; else on the surface of
 * one, else undefined if in the box of an open one. A point of a face that two solids share is on
 * the surface.
 *
 * O(log triangles + crossings of a ray) for each instance whose box has the point; of an open shell
 * O(triangles), some 20 ns each. Errors: those of the other queries of one body; BVP_ERR_ARGUMENT
 * for a point that is not finite. */
BVP_API bvp_status bvp_inside(const bvp_body *body, const double point[3], bvp_inside_result *out,
                              bvp_stats *stats);

/* A signed distance field: negative inside, as in most of computer graphics and robotics. (trimesh
 * has the opposite sign.) */
typedef struct bvp_signed_result {
    bvp_closest_result nearest; /* as bvp_closest, but distance < 0 inside, and in an open shell
                                   where |winding| >= 0.5; exactly 0 on the surface */
    bvp_inside_result inside;   /* also where nothing is found within max_distance */
} bvp_signed_result;

/* The nearest surface point, with a sign. Of an assembly it is the nearest point of any instance's
 * surface, which may be inside another instance. O(bvp_closest + bvp_inside). */
BVP_API bvp_status bvp_signed_closest(const bvp_body *body, const double point[3],
                                      double max_distance, bvp_signed_result *out,
                                      bvp_stats *stats);

/* ---- regions --------------------------------------------------------------------------------- */

typedef int (*bvp_hit_fn)(void *user, const bvp_hit_id *id);

/* A closed region of the world. Only the members of its kind are read; the caller keeps the arrays
 * during the call. */
typedef enum bvp_region_kind {
    BVP_REGION_BOX = 1, /* axis-parallel, lo[i] <= hi[i] */
    BVP_REGION_BALL,    /* radius >= 0 */
    BVP_REGION_CONVEX   /* where n . x + d >= 0 for all planes, such as a frustum */
} bvp_region_kind;
typedef struct bvp_region {
    bvp_region_kind kind;
    const double *lo, *hi; /* box: 3 each */
    const double *centre;  /* ball: 3 */
    double radius;         /* ball */
    const double *planes;  /* convex: 4 for each plane, n and d */
    uint32_t plane_count;  /* convex: 1 .. 16 */
} bvp_region;
static inline bvp_region bvp_box_region(const double lo[3], const double hi[3])
{
    const bvp_region region = {BVP_REGION_BOX, lo, hi, 0, 0, 0, 0};
    return region;
}
static inline bvp_region bvp_ball_region(const double centre[3], double radius)
{
    const bvp_region region = {BVP_REGION_BALL, 0, 0, centre, radius, 0, 0};
    return region;
}
static inline bvp_region bvp_convex_region(const double *planes, uint32_t plane_count)
{
    const bvp_region region = {BVP_REGION_CONVEX, 0, 0, 0, 0, planes, plane_count};
    return region;
}

/* Triangles that touch the region. They come in the order of the hierarchy that is used; for a
 * part's first one, that is the order of storage. A callback that returns nonzero stops. *count:
 * how many there were. BVP_ERR_ARGUMENT: no such kind, a NULL array, NaN or infinity, lo > hi. */
BVP_API bvp_status bvp_overlap(const bvp_body *body, bvp_region region, bvp_hit_fn callback,
                               void *user, uint64_t *count, bvp_stats *stats);

/* corners: 3 x 3 doubles, in the query's world; valid during the call. */
typedef int (*bvp_candidate_fn)(void *user, const bvp_hit_id *id, const double corners[9]);

/* Every triangle that touches the box lo .. hi, and some that are near it: for callers that test
 * triangles themselves, as a physics engine's narrow phase does. In floating point only, so faster
 * than bvp_overlap with a box, of which it leaves out nothing; the order is the same. A triangle
 * whose own box, or whose plane, stays clear of the box by more than rounding is left out. corners:
 * those of bvp_get_triangle, in their order, placed and rounded: within 2^-50 of the sum of the
 * terms, exact where a part stands in the file. A callback that returns nonzero stops; NULL: only
 * counts. *count: how many there were. Errors: those of bvp_overlap. */
BVP_API bvp_status bvp_candidates_box(const bvp_body *body, const double lo[3], const double hi[3],
                                      bvp_candidate_fn callback, void *user, uint64_t *count,
                                      bvp_stats *stats);

/* ---- convex bodies ------------------------------------------------------------------------- */

/* A solid convex body: a gripper, what a sensor sees, a keep-out zone. Only the members of its
 * kind are read. Zero-initialise; sizes may be 0: a ball of radius 0 is a point, a box may be
 * flat. */
typedef enum bvp_convex_kind {
    BVP_CONVEX_BOX = 1,  /* size, centred */
    BVP_CONVEX_SPHERE,   /* radius */
    BVP_CONVEX_CAPSULE,  /* radius, length: a ball swept along z from -length/2 to length/2 */
    BVP_CONVEX_CYLINDER, /* radius, length: about z from -length/2 to length/2 */
    BVP_CONVEX_HULL      /* points, point_count: the convex hull, in any order, inner ones too */
} bvp_convex_kind;

#define BVP_CONVEX_POINTS 4096 /* most points of a hull */

typedef struct bvp_convex {
    bvp_convex_kind kind;
    double size[3];          /* box: along its axes, >= 0 */
    double radius, length;   /* >= 0 */
    const double *points;    /* hull: 3 for each point; the caller keeps them during the call */
    uint32_t point_count;    /* hull: 1 .. BVP_CONVEX_POINTS */
    const double *placement; /* into the query's world, as of bvp_body. Of spheres, capsules and
                                cylinders it must be rigid to within 2^-20: a radius is measured in
                                the world */
    uint64_t reserved[4];    /* zero */
} bvp_convex;

/* Queries of a body's surface and a solid: a triangle inside the convex body touches it, and one
 * that is inside a closed mesh, away from its surface, does not. A "no" is certain. A triangle that
 * is nearer than 2^-42 of the reach counts as touching; for a part, whether it does is the same in
 * all four; of an assembly some may leave it out if it is farther than that of its own instance's
 * reach. The reach is that of bvp_distance_result, with for b the convex body: the largest
 * |coordinate| before its placement for B_j, and its radius added. Exact to the last bit are the
 * regions of bvp_overlap: balls and boxes along the axes. Errors: those of queries between two
 * bodies; BVP_ERR_ARGUMENT also for no such kind, NULL points, none or too many, NaN, a negative
 * size, a size or coordinate above 2^300. */

/* Do they touch? */
BVP_API bvp_status bvp_convex_collide(const bvp_body *body, const bvp_convex *convex, int *hit,
                                      bvp_stats *stats);
/* All triangles that touch it, in the order of the hierarchy. A callback that returns nonzero
 * stops. *count: how many there were. */
BVP_API bvp_status bvp_convex_each(const bvp_body *body, const bvp_convex *convex,
                                   bvp_hit_fn callback, void *user, uint64_t *count,
                                   bvp_stats *stats);
/* Their distance, if it is <= limit; 0 when they touch. distance - lower <= 1e-9 distance + 2^-42
 * of the reach. a: the triangle, point_a on it, point_b on the convex body (inside it, and equal to
 * point_a, when they touch); b: BVP_NONE, BVP_NO_TRIANGLE. Points are within 2^-42 of the reach.
 * Of several triangles at the same distance > 0, the smaller (instance, triangle). */
BVP_API bvp_status bvp_convex_distance(const bvp_body *body, const bvp_convex *convex, double limit,
                                       bvp_distance_result *out, bvp_stats *stats);
/* Is it at most delta? Stops at the first proof; out (may be NULL) then holds a witness, not the
 * nearest triangle. "Yes" means at most delta (1 + 1e-9) + 2^-42 of the reach. */
BVP_API bvp_status bvp_convex_within(const bvp_body *body, const bvp_convex *convex, double delta,
                                     int *within, bvp_distance_result *out, bvp_stats *stats);

/* ---- instances ---------------------------------------------------------------------------- */

/* An array of the caller: `count` elements, the next one `stride` bytes after the one before; 0:
 * densely packed. base may be NULL when count is 0. */
typedef struct bvp_array {
    void *base; /* aligned as its elements are */
    size_t stride, count;
} bvp_array;
/* The same, which is only read. */
typedef struct bvp_const_array {
    const void *base;
    size_t stride, count;
} bvp_const_array;

/* Of an assembly (BVP_ERR_ARGUMENT with a part): which of its instances are in a region? It must be
 * a box (BVP_ERR_ARGUMENT). by_triangles 0: those whose own box meets it, which is the smallest
 * axis-parallel one around the eight corners of the part's box (bvp_part_info.lo, hi) where the
 * instance stands, in the real numbers; nonzero: those of which a triangle touches it.
 * instances: elements uint32_t, in the order of the hierarchy. It stops when that is full and then
 * returns BVP_ERR_LIMIT with *count == instances.count; bvp_file_info's instance_count is always
 * enough. O(those found + log instances). */
BVP_API bvp_status bvp_instances_in(const bvp_body *body, bvp_region region, int by_triangles,
                                    bvp_array instances, uint64_t *count, bvp_stats *stats);

/* The instances of an assembly (BVP_ERR_ARGUMENT with a part) that are nearest to a point, not
 * farther than max_distance (INFINITY: any). nearest: elements bvp_closest_result, each with the
 * result of bvp_closest for that instance alone; the nearest first, of those at the same distance
 * the smaller instance. *count: how many there are, at most nearest.count. O(nearest.count) for
 * each instance that is entered, beside what bvp_closest costs. */
BVP_API bvp_status bvp_nearest_instances(const bvp_body *body, const double point[3],
                                         double max_distance, bvp_array nearest, uint64_t *count,
                                         bvp_stats *stats);

/* ---- batches --------------------------------------------------------------------------------- */

/* The same question for each element of an array, with the answers in another, which has at least
 * as many elements (BVP_ERR_ARGUMENT). A bad element stops the batch with its status; *done (may be
 * NULL) says how many are complete. Rays with similar directions, such as those of neighbouring
 * pixels, cost less when they follow one another. */
/* rays: bvp_ray; hits: bvp_ray_hit. */
BVP_API bvp_status bvp_ray_first_batch(const bvp_body *body, bvp_const_array rays, bvp_array hits,
                                       size_t *done, bvp_stats *stats);
/* hits: int, 0 or 1. */
BVP_API bvp_status bvp_ray_any_batch(const bvp_body *body, bvp_const_array rays, bvp_array hits,
                                     size_t *done, bvp_stats *stats);
/* rays: bvp_float_ray; hits: bvp_float_hit. */
BVP_API bvp_status bvp_float_ray_first_batch(const bvp_body *body, bvp_const_array rays,
                                             bvp_array hits, size_t *done, bvp_stats *stats);
BVP_API bvp_status bvp_float_ray_any_batch(const bvp_body *body, bvp_const_array rays,
                                           bvp_array hits, size_t *done, bvp_stats *stats);
/* points: 3 doubles; nearest: bvp_closest_result. */
BVP_API bvp_status bvp_closest_batch(const bvp_body *body, bvp_const_array points,
                                     double max_distance, bvp_array nearest, size_t *done,
                                     bvp_stats *stats);
/* points: 3 doubles; results: bvp_inside_result. */
BVP_API bvp_status bvp_inside_batch(const bvp_body *body, bvp_const_array points, bvp_array results,
                                    size_t *done, bvp_stats *stats);
/* points: 3 doubles; results: bvp_signed_result. */
BVP_API bvp_status bvp_signed_closest_batch(const bvp_body *body, bvp_const_array points,
                                            double max_distance, bvp_array results, size_t *done,
                                            bvp_stats *stats);
/* Body b at many placements (12 doubles each), which replace b->placement. hits: int, 0 or 1. */
BVP_API bvp_status bvp_collide_batch(const bvp_body *a, const bvp_body *b,
                                     bvp_const_array placements, bvp_array hits, size_t *done,
                                     bvp_stats *stats);
/* results: bvp_distance_result. */
BVP_API bvp_status bvp_distance_batch(const bvp_body *a, const bvp_body *b,
                                      bvp_const_array placements, double limit, bvp_array results,
                                      size_t *done, bvp_stats *stats);

/* The same to within a tolerance: bvp_distance_about. */
BVP_API bvp_status bvp_distance_about_batch(const bvp_body *a, const bvp_body *b,
                                            bvp_const_array placements, double limit,
                                            double tolerance, bvp_array results, size_t *done,
                                            bvp_stats *stats);
/* hits: int, 0 or 1. */
BVP_API bvp_status bvp_within_batch(const bvp_body *a, const bvp_body *b,
                                    bvp_const_array placements, double delta, bvp_array hits,
                                    size_t *done, bvp_stats *stats);
/* Along a path, in its order: each element begins with what the one before left in `warm`, which
 * the caller keeps, and the first with what the call before left. warm == NULL: the plain batch. */
BVP_API bvp_status bvp_collide_warm_batch(const bvp_body *a, const bvp_body *b,
                                          bvp_const_array placements, bvp_warm_start *warm,
                                          bvp_array hits, size_t *done, bvp_stats *stats);
BVP_API bvp_status bvp_distance_warm_batch(const bvp_body *a, const bvp_body *b,
                                           bvp_const_array placements, double limit,
                                           bvp_warm_start *warm, bvp_array results, size_t *done,
                                           bvp_stats *stats);
BVP_API bvp_status bvp_within_warm_batch(const bvp_body *a, const bvp_body *b,
                                         bvp_const_array placements, double delta,
                                         bvp_warm_start *warm, bvp_array hits, size_t *done,
                                         bvp_stats *stats);
/* Boxes of 6 doubles, lo and hi, as of bvp_box_region. offsets: uint64_t, one more than there are
 * boxes (BVP_ERR_ARGUMENT); the triangles that touch box i are hits[offsets[i]] ..
 * hits[offsets[i + 1] - 1], in the order of bvp_overlap. hits: bvp_hit_id. BVP_ERR_LIMIT: they are
 * full; *done boxes are complete, with offsets[0] .. offsets[*done], and behind them are some hits
 * of the next one, which the caller asks again from on. hits.base NULL and count 0: only offsets
 * are written, so that the last one says how much room is needed. */
BVP_API bvp_status bvp_overlap_batch(const bvp_body *body, bvp_const_array boxes, bvp_array offsets,
                                     bvp_array hits, size_t *done, bvp_stats *stats);

/* ---- looking at the hierarchy ---------------------------------------------------------------- */

/* A box of a part's (or, part == BVP_ASSEMBLY, of the top-level) hierarchy. */
typedef struct bvp_box {
    double lo[3], hi[3]; /* part coordinates (top level: world) */
    uint32_t level;      /* 0 for the root */
    uint32_t leaf_count; /* triangles (top level: instances) of a leaf; 0 for an inner box */
    uint64_t first;      /* first triangle (instance) of a leaf */
} bvp_box;
typedef int (*bvp_box_fn)(void *user, const bvp_box *box);
/* Visits the boxes of `level` and, above it, of leaves; level UINT32_MAX: all leaves; depth first.
 * Of an assembly with several hierarchies one after the other, each with a root of its own. A part
 * of long oblique triangles may have oblique boxes: then the boxes around these are shown. */
BVP_API bvp_status bvp_boxes(const bvp_file *file, uint32_t part, uint32_t level,
                             bvp_box_fn callback, void *user);

/* A volume of any kind of hierarchy, in part coordinates. */
typedef struct bvp_volume {
    double centre[3];
    double axis[9];      /* rows: unit vectors, the volume's own axes */
    double half[3];      /* half extents along them; rss: half[2] is 0 */
    double radius;       /* rss: of the ball that sweeps the rectangle; else 0 */
    uint32_t level;      /* 0 for the root */
    uint32_t leaf_count; /* triangles of a leaf; 0 for an inner volume */
    uint64_t first;      /* a leaf's first triangle; in the part's first hierarchy the rest of the
                            leaf follows it, in another it lies anywhere */
} bvp_volume;
typedef int (*bvp_volume_fn)(void *user, const bvp_volume *volume);
/* Visits the volumes of `level` and, above it, of leaves, of the part's hierarchy of `kind`; level
 * UINT32_MAX: all leaves; depth first. */
BVP_API bvp_status bvp_volumes(const bvp_file *file, uint32_t part, bvp_kind kind, uint32_t level,
                               bvp_volume_fn callback, void *user);

#ifdef __cplusplus
}
#endif
#endif
