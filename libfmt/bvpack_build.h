/* SPDX-License-Identifier: MIT
 * bvpack_build.h: write a bvpack file from meshes and a product tree.
 *
 * Promise: the same calls and options give the same bytes, whatever the thread count, compiler or
 * optimisation level; the output appears under its name only when it is complete.
 */
#ifndef BVPACK_BUILD_H
#define BVPACK_BUILD_H

#include "bvpack.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bvp_builder bvp_builder;

/* How a set of triangles is cut in two. */
typedef enum bvp_split {
    BVP_SPLIT_DEFAULT = 0, /* sah */
    BVP_SPLIT_SAH,         /* least sum of surface times count, of 16 bins on each axis */
    BVP_SPLIT_VOLUME,  /* least sum of volumes: Zachmann 2002, section 4.2, three cases, three axes
                        */
    BVP_SPLIT_LONGEST, /* the same on the longest axis only */
    BVP_SPLIT_LOOKAHEAD, /* the same, children cut on any axes, two levels judged at once */
    BVP_SPLIT_MIDPOINT, /* the box's middle on its longest axis: van den Bergen 1997, section 2.2 */
    BVP_SPLIT_MEDIAN,   /* the median centroid on the longest axis */
    BVP_SPLIT_MEAN,     /* the mean of the surface, weighted by area, on the longest axis that
                           separates: Gottschalk 1996, section 4 */
    BVP_SPLIT_MORTON,   /* fast, wide only: along a Morton curve; sah above some ten thousand
                           triangles and, on the curve, among the last ones: Lauterbach 2009 */
    BVP_SPLIT_RESTRICTED, /* boxtree of one plane a node only: the tree of Zachmann 2002: as volume,
                            but of the boxes that the planes leave, and both children of a node are
                            cut on one axis. Files tell it as volume */
    BVP_SPLIT_FULL /* small, wide only: as sah, but leaves and nodes are full where that costs
                     queries little */
} bvp_split;

/* How the axes of oriented boxes and of swept rectangles are chosen. */
typedef enum bvp_fit {
    BVP_FIT_DEFAULT = 0, /* extremes */
    BVP_FIT_EXTREMES,    /* as surface, and of large sets the same two of the hull of the points
                            that are extreme in 26 directions; the least surface wins */
    BVP_FIT_SURFACE, /* the part's axes, the eigenvectors of the surface's covariance, and the least
                        box on the largest triangle; the least surface wins */
    BVP_FIT_HULL     /* the eigenvectors of the covariance of the convex hull's surface, of all
                        vertices at every node: Gottschalk 1996, section 4; slow */
} bvp_fit;

/* A hierarchy to build over each part. */
typedef struct bvp_hierarchy_spec {
    bvp_kind kind;
    uint32_t leaf_size;   /* 1 .. 8; 0: the builder's */
    bvp_split split;      /* wide: sah, morton or full */
    uint32_t plane_max;   /* boxtree: 1 .. 3 planes a node; 0: 3, with restricted 1 */
    uint32_t offset_size; /* boxtree: 1, 2 or 4 bytes an offset; 0: 1 */
    bvp_fit fit;          /* obb, rss */
} bvp_hierarchy_spec;

/* Zero-initialise; zero means default everywhere. */
typedef struct bvp_build_options {
    uint32_t thread_count; /* 0: one per online CPU */
    uint32_t leaf_size;    /* most triangles in a leaf, 1..8; 0: 8 */
    int no_ids;            /* nonzero: do not store original triangle numbers */
    int drop_invalid;      /* nonzero: leave out triangles with non-finite vertices, and nodes whose
                              placement is not finite or is singular, counted; zero: refuse */
    double unit_in_metres; /* 0: unknown */
    bvp_up up;             /* 0: unknown */
    double tessellation_tolerance; /* how far the triangles may be from the curved surfaces that
                                      they stand for, in units; 0: unknown */
    const uint8_t *source_hash; /* 16 bytes over the source's bytes, or NULL; mixed with the options
                                   and the format version into bvp_file_info.source_hash */
    const char *provenance;     /* UTF-8 JSON text to keep in the file, or NULL */
    const bvp_hierarchy_spec *hierarchies; /* hierarchy_count of them, each of another kind, wide
                                              first if it is among them; read during the call.
                                              The triangles are stored in the first one's order. */
    uint32_t hierarchy_count;              /* 0: one, wide */
    int deformable; /* nonzero: store coordinates in 32 bits each, so that bvp_refit can move them,
                       in hierarchies of any kind but rays */
    /* Called from time to time; in stage "build" on any of the builder's threads, with the
     * triangles of the part that is being added, times its hierarchies, as `total`. */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *progress_user;
    /* A file whose part 0 was packed before and has this address, or NULL; it stays open during the
       call that asks. The part is copied from it instead of being built. */
    const bvp_file *(*find_packed)(void *user, const uint8_t address[16]);
    void *find_packed_user;
    int thin; /* nonzero: the file refers to its parts by their addresses and does not hold them:
                 each must be added by bvp_builder_add_packed or bvp_builder_add_reference, or saved
                 by bvp_builder_save_part */
    const char *store; /* of a thin file: the folder where readers look for its parts, relative to
                          the file's folder, or NULL; UTF-8, stays valid until the end */
    int packed_is_verified; /* nonzero: the caller has checked the parts that were packed before
                               against the rules of the format (bvp_verify_part, bvp_verify_file),
                               or has just written them; zero: the builder checks them */
    int digests; /* nonzero: the file has a digest (BLAKE2b-256) of each block of 16 KiB, so that
                    its root digest can be signed: bvp_get_digest. BVP_ERR_ARGUMENT at the end where
                    the library was built without libsodium */
    int rays; /* nonzero: each part gets a hierarchy for rays besides, of some 25 bytes a triangle.
                 Rays are answered faster, with the same answers */
    /* nonzero: vertices and indices are not stored, but stay where they are, in bvp_mesh.buffers,
     * and the file refers to them: some 3 bytes a triangle. Readers bind them (bvp_bind), and
     * answer as with the file that is packed without this. Not with no_ids, deformable, thin,
     * find_packed, or parts that were packed before. */
    int share;
    /* Or NULL: ends a call of the builder with BVP_ERR_CANCELLED; stays valid until the end. It is
     * checked before each batch of some thousand triangles and each MiB that is written. The
     * builder counts no steps and ignores the budget. A part that was cancelled leaves the builder
     * as it was before. */
    const bvp_control *control;
    /* Of bvp_builder_add_stream: about how many bytes it may allocate; 0: 1 GiB; at least 16 MiB,
     * and 1.2 bytes a triangle. And the folder of its temporary files; NULL: the current one; it
     * stays valid until the end. They have no name, and are gone when the builder is freed. */
    uint64_t memory;
    const char *temporary;
} bvp_build_options;

/* A triangle mesh in the caller's memory, read during the call only. */
typedef struct bvp_mesh {
    const void *positions; /* vertex_count times x, y, z: float, or double when is_double */
    int is_double;
    size_t position_stride;  /* bytes between vertices; 0: dense */
    uint64_t vertex_count;   /* < 2^32 */
    const uint32_t *indices; /* triangle_count times 3; NULL: vertices 3i, 3i+1, 3i+2 (a soup) */
    uint64_t triangle_count; /* < 2^32 */
    const uint32_t *ids;     /* triangle_count source numbers; NULL: 0, 1, 2 ... */
    const char *name;        /* UTF-8 or NULL */
    const char *source_id;   /* UTF-8 or NULL */
    size_t triangle_stride;  /* of a soup: bytes between triangles; 0: three vertices */
    /* With the option share: where the triangles lie. Their numbers count through the buffers, and
     * ids, which must be different, say which of them the mesh has. positions NULL: all of them, in
     * their order; then all members above but the texts are zero. Otherwise each triangle has, bit
     * for bit, the corners that the buffers give it (floats), or it is BVP_ERR_ARGUMENT. */
    const bvp_buffers *buffers;
    uint32_t buffer_count;
} bvp_mesh;

/* Welds bit-identical vertices of `mesh`, in order of first use. For importers of soups; time O(n).
 * *indices_out: on entry NULL, then it is allocated, or room for 3 * triangle_count, which may be
 * mesh->indices' own. *positions_out: allocated, as wide as the input's type. Both are for free().
 * *vertex_count_out: how many. BVP_ERR_ARGUMENT for missing positions, for strides that are too
 * short or lead out of memory, and for indices out of range. On failure nothing is allocated. */
BVP_API bvp_status bvp_weld(const bvp_mesh *mesh, uint32_t thread_count, uint32_t **indices_out,
                            void **positions_out, uint64_t *vertex_count_out, bvp_error *error);

/* Which triangles of `mesh` lie so far outside the rest that a part with all of them is slow to
 * query? A part has one grid of 21 to 22 bits: with one triangle 10^7 times as far away as the rest
 * is large, all the rest lies in one cell of it. Make a part of each group, with `ids`, and give
 * these parts nodes with the same placement: the answers stay the same. "bvpack pack" does so.
 * *groups_out: NULL if there is one group only; else triangle_count numbers, to be freed with
 * free(): 0 is the rest, at least half of all; 1 and up are triangles that lie 2^14 times farther
 * out than what is nearer, and as far from each other.
 * *group_count_out: 1 .. 16. *factor_out (or NULL): how many times farther out the nearest triangle
 * of another group is than the farthest of the rest; 1 if there is none.
 * A mesh of 64 triangles or less has one group. Linear in the triangles for each group; 4 bytes a
 * triangle besides. BVP_ERR_ARGUMENT or BVP_ERR_LIMIT for a bad mesh, BVP_ERR_NO_MEMORY; on failure
 * nothing is allocated. */
BVP_API bvp_status bvp_find_strays(const bvp_mesh *mesh, uint32_t **groups_out,
                                   uint32_t *group_count_out, double *factor_out, bvp_error *error);

/* Which of `count` points are at the corners of their convex hull? For a bvp_convex, whose hull has
 * at most BVP_CONVEX_POINTS. points: 3 doubles each. kept: room for `count` numbers, which ascend;
 * *kept_count: how many. The kept points reach as far as all do, up to the rounding of 2^-42 that
 * queries of convex bodies allow; of equal points the first is kept. Where all lie in a plane, or
 * nearly so, all different ones are kept. n log n; some 150 bytes a point until it returns.
 * BVP_ERR_ARGUMENT: no point, NaN, or a coordinate above 2^300; BVP_ERR_LIMIT: 2^31 points or more;
 * BVP_ERR_NO_MEMORY. */
BVP_API bvp_status bvp_hull_points(const double *points, uint64_t count, uint32_t *kept,
                                   uint64_t *kept_count, bvp_error *error);

BVP_API bvp_status bvp_builder_new(const bvp_build_options *options, bvp_builder **out,
                                   bvp_error *error);
/* Frees everything; an unfinished output is removed. NULL is allowed. */
BVP_API void bvp_builder_free(bvp_builder *builder);

/* Packs one mesh now (hierarchy and geometry in memory; the mesh may then be freed). *part: its
 * index; a mesh equal to an earlier one (same positions, triangles, order) gives that one's index.
 * A mesh without triangles gives BVP_NONE. Non-finite vertices: BVP_ERR_ARGUMENT unless
 * drop_invalid. */
BVP_API bvp_status bvp_builder_add_part(bvp_builder *builder, const bvp_mesh *mesh, uint32_t *part,
                                        bvp_error *error);

/* Triangles that come one after another, of a mesh that need not fit in memory. */
typedef struct bvp_triangle_stream {
    /* Writes the next triangles, at most `room`: nine coordinates each to `corners` (float, or
     * double when is_double), and their numbers in the source to `ids`, which ascend from call to
     * call. *count: how many; 0: there are no more. Another status than BVP_OK ends the call, which
     * returns it with *error. Called on the thread of the call. */
    bvp_status (*next)(void *user, void *corners, uint32_t *ids, uint32_t room, uint32_t *count,
                       bvp_error *error);
    void *user;
    int is_double;
    uint64_t triangle_count;      /* how many will come, for progress; 0: not known */
    const char *name, *source_id; /* UTF-8 or NULL; read when the stream has ended */
    /* Or NULL: a folder in which the call keeps what it has done, and goes on with what an earlier
     * call had done that did not come to its end, in this process or another that was killed. The
     * stream is then read again from its beginning, and held against what was read before.
     * Temporary files are there, with names, and stay: bvp_builder_remove_state. */
    const char *state;
    const char *key; /* text that must be the same then, or NULL: what names the stream's source */
    /* Or NULL. Receive how many triangles bvp_find_strays would take out, and its factor. */
    uint64_t *stray_count;
    double *stray_factor;
    /* Nonzero: with a state, stop when the triangles are dealt to sets; *part is BVP_NONE. Then
     * shares can be built, on several machines that see the folder, and the call without this makes
     * the whole, building what no share has. */
    int deal_only;
    int refuse_strays; /* nonzero: a mesh with strays is refused before it is built: BVP_ERR_LIMIT
                        */
} bvp_triangle_stream;
/* Packs a stream of triangles in bounded memory (options memory, temporary): the same bytes as
 * bvp_builder_add_part of all of them as a soup. Only the wide hierarchy, without rays, and not
 * with share. On disk some 30 bytes a triangle, or 130 where neighbours in the stream share no
 * vertices; the part's bytes lie there until the builder is freed. n log n; every triangle is
 * read five times from the disk's cache. BVP_ERR_LIMIT: 2^32 - 1 triangles or more; BVP_ERR_SYSTEM
 * with ENOSPC: the disk is full. *part: as of bvp_builder_add_part. */
BVP_API bvp_status bvp_builder_add_stream(bvp_builder *builder, const bvp_triangle_stream *stream,
                                          uint32_t *part, bvp_error *error);

/* Builds share `index`, 1 .. count, of a mesh whose triangles are dealt (bvp_triangle_stream.
 * deal_only): of stream only state, key and is_double count, and nothing is read; the builder's
 * options are those of the other calls. Several processes may do so at one time. Nothing is added
 * to the builder. Processor time of all shares together: that of building without them. */
BVP_API bvp_status bvp_builder_build_share(bvp_builder *builder, const bvp_triangle_stream *stream,
                                           uint32_t index, uint32_t count, bvp_error *error);

/* Removes what bvp_builder_add_stream has put into the folder, and the folder if nothing else is in
 * it. When the file that the part is in has its name. */
BVP_API void bvp_builder_remove_state(const char *folder);

/* Replaces what bvp_builder_new was told of the source, by the members unit_in_metres, up,
 * tessellation_tolerance, source_hash and provenance of *options: of a stream they may be known
 * only when it has been read. Before bvp_builder_finish. */
BVP_API bvp_status bvp_builder_set_source(bvp_builder *builder, const bvp_build_options *options,
                                          bvp_error *error);

/* A part that was packed before. */
typedef struct bvp_packed_part {
    const bvp_file *file;
    uint32_t part;                /* its number in `file` */
    const char *name, *source_id; /* what it is called from now on; NULL: nothing */
    int borrow; /* 0: its bytes are copied; nonzero: they are not, and `file` stays open, and as it
                   is, until the builder is freed */
} bvp_packed_part;
/* Adds a packed part as it is, with all its hierarchies, and without repacking. On a handle that
 * verifies lazily its hashes are checked. The part is checked against the rules of the format, in
 * time linear in its size. With the option packed_is_verified only its records are checked, and
 * bytes that break another rule are copied as they are. A part that is found to break a rule:
 * BVP_ERR_CORRUPT, and nothing is added. *added: as of bvp_builder_add_part. */
BVP_API bvp_status bvp_builder_add_packed(bvp_builder *builder, const bvp_packed_part *packed,
                                          uint32_t *added, bvp_error *error);
/* Adds to a thin file a part that lies in the store: `known` is what bvp_get_part returns for it
 * there. The texts in it are ignored, and the store is not accessed. *added: as of
 * bvp_builder_add_part. A file that is not thin, no address, or counts and bounds that no part has:
 * BVP_ERR_ARGUMENT. */
BVP_API bvp_status bvp_builder_add_reference(bvp_builder *builder, const bvp_part_info *known,
                                             const char *name, const char *source_id,
                                             uint32_t *added, bvp_error *error);
/* What is known about part `part` of the builder: all of bvp_part_info but texts and sizes. Its
 * address is the same wherever the same mesh is packed with the same options by the same version.
 */
BVP_API bvp_status bvp_builder_get_part(const bvp_builder *builder, uint32_t part,
                                        bvp_part_info *out);
/* Writes one part as a separate file, as bvp_builder_finish does, without name, unit and
 * provenance: the same bytes from whatever source the part comes. source_hash is its address. If
 * the file is thin, the builder then keeps only the reference. */
BVP_API bvp_status bvp_builder_save_part(bvp_builder *builder, uint32_t part, const char *path,
                                         bvp_error *error);
/* The same to a descriptor: no rename, no fsync; the caller closes it. */
BVP_API bvp_status bvp_builder_save_part_fd(bvp_builder *builder, uint32_t part, int fd,
                                            bvp_error *error);

/* A node of the product tree. Set parent and part: 0 is a number like any other. */
typedef struct bvp_new_node {
    uint32_t parent; /* an earlier node, or BVP_NONE for a root; several roots are put under one
                        unnamed root */
    const char *name, *source_id; /* or NULL */
    const double *placement;      /* relative to the parent: 12 doubles, row-major 3x4; NULL: the
                                     identity */
    uint32_t part;                /* BVP_NONE for a pure group */
} bvp_new_node;
/* Adds a node; *node (may be NULL): its number. A tree without nodes gets one for each part. */
BVP_API bvp_status bvp_builder_add_node(bvp_builder *builder, const bvp_new_node *added,
                                        uint32_t *node, bvp_error *error);
/* Adds a property of a node. Keys that begin with "bvpack_" are the format's: with
 * "bvpack_colours" a node gets colours, which bvp_get_colours then returns. spec/format.md, chapter
 * 14 */
BVP_API bvp_status bvp_builder_add_property(bvp_builder *builder, uint32_t node, const char *key,
                                            const char *value, bvp_error *error);

typedef struct bvp_build_report {
    uint32_t part_count, shared_part_count; /* stored; offered but found equal to a stored one */
    uint32_t packed_part_count;             /* of the stored ones: packed before */
    uint32_t instance_count, node_count;
    uint64_t triangle_count, unique_triangle_count;
    uint64_t file_size, hierarchy_size, geometry_size, id_size, other_size; /* bytes */
    uint64_t kind_size[BVP_KIND_RAYS + 1]; /* hierarchy_size's shares; [0]: over the instances */
    uint64_t degenerate_count, duplicate_count;          /* kept */
    uint64_t dropped_triangle_count, dropped_node_count; /* only with drop_invalid */
    double rounding_error;                               /* largest rebase error, in units */
    double seconds_build, seconds_write;
    uint64_t stray_count; /* triangles that lie so far outside the rest of their part that queries
                             of it are slow: bvp_find_strays finds them */
} bvp_build_report;

/* Writes everything to a file without a name in the folder of `path`, fsyncs it, and gives it that
 * name; a file that has the name is replaced. Where the file system does not support files without
 * a name, the file is called .bvpack-*.tmp until then; the next call that needs such a name in that
 * folder removes what a killed process left there. The builder can't be used afterwards except for
 * bvp_builder_free. report may be NULL. */
BVP_API bvp_status bvp_builder_finish(bvp_builder *builder, const char *path,
                                      bvp_build_report *report, bvp_error *error);
/* The same to a descriptor (a pipe is fine): no name; the caller closes it. */
BVP_API bvp_status bvp_builder_finish_fd(bvp_builder *builder, int fd, bvp_build_report *report,
                                         bvp_error *error);

/* Writes the content of an open file, including refitted parts, as a new file with new hashes; it
 * gets the name `path` when it is complete and synced, as above. Sections that this library does
 * not know are left out. provenance: UTF-8 JSON text to keep in the new file instead of the old
 * one's, or NULL. The new source_hash is computed from the old one and the parts' content. */
BVP_API bvp_status bvp_save(const bvp_file *file, const char *provenance, const char *path,
                            bvp_error *error);
/* The same to a descriptor (a pipe is fine): no name; the caller closes it. */
BVP_API bvp_status bvp_save_fd(const bvp_file *file, const char *provenance, int fd,
                               bvp_error *error);

/* The same with all parts in the file, wherever they are now; or, when `thin`, with references to
 * them only: the caller has saved each of them to the store. store: as in the build options. The
 * file is the one that packing with or without `thin` would have made. The caller must verify what
 * is in `file`; parts in a store are checked against the rules of the format here. */
BVP_API bvp_status bvp_convert_fd(const bvp_file *file, int thin, const char *store, int fd,
                                  bvp_error *error);

/* The same with all parts in the file, each built anew from its own triangles, as `options` (NULL:
 * the defaults) say; unit, up axis, tolerance and digests stay the file's. With the source's hash
 * and the provenance in the options the file is the one that packing the source with them would
 * have made, if it keeps the triangles' numbers and no two of a part are equal: then the source's
 * order is known. Otherwise the order in which they are stored stands for it. source_hash NULL: the
 * file's own stands for it; provenance NULL: the file's own. Some 100 bytes a triangle of the
 * largest part, beside all that is written. BVP_ERR_ARGUMENT: share, thin or find_packed, or a file
 * over buffers; BVP_ERR_LIMIT: a part of over 2^32 / 3 triangles. The caller must verify what is in
 * `file`; parts in a store are checked here. */
BVP_API bvp_status bvp_repack_fd(const bvp_file *file, const bvp_build_options *options, int fd,
                                 bvp_error *error);

#ifdef __cplusplus
}
#endif
#endif
