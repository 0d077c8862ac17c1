/* SPDX-License-Identifier: MIT
 * layout.h: every structure that exists as bytes in a file, and nothing else.
 * Spec: format.md, tables of chapters 3 to 12, 14 and 18; the static asserts below are those
 * tables. All numbers are little-endian; all structures are naturally aligned; padding is explicit.
 */
#ifndef BVPI_FORMAT_LAYOUT_H
#define BVPI_FORMAT_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "bvpack files are little-endian and used in place: big-endian hosts are not supported"
#endif

#define BVPD_MAGIC                                                                                 \
    "\xab"                                                                                         \
    "bvpack"                                                                                       \
    "\xbb\r\n\x1a\n" /* 12 bytes, no terminator */
#define BVPD_MAGIC_SIZE     12
#define BVPD_END_MAGIC      "bvpack.end\r\n\x1a\n\xab\xbb" /* 16 bytes */
#define BVPD_END_MAGIC_SIZE 16
enum {
    BVPD_VERSION_MAJOR = 0,
    BVPD_VERSION_MINOR = 7,
    BVPD_HEADER_SIZE = 1408, /* the head: header and directory, hashed as one; sections follow */
    BVPD_SECTION_MAX = 24,
    BVPD_PAGE_SIZE = 4096, /* alignment of file size and embedding offset */
    BVPD_SECTION_ALIGN = 64,
    BVPD_BLOCK_SIZE = 16384, /* bytes under one block hash, and fetched at once */
    BVPD_DATA_TAIL = 8192,   /* bytes of file that follow DATA at least: decoders may over-read */
    BVPD_UNIT = 64,          /* bytes of a node, unit of node references */
    BVPD_WIDTH = 8,          /* children of a wide node */
    BVPD_LEAF_MAX = 8,       /* triangles in a leaf */
    BVPD_CLUSTER_TRIANGLES = 256,
    BVPD_CLUSTER_VERTICES = 256,
    BVPD_GRID_BITS = 22,        /* box corners are integers in 0 .. 2^22 - 1 of a part's grid */
    BVPD_DEPTH_MAX = 64,        /* levels of a hierarchy */
    BVPD_TREE_DEPTH_MAX = 1024, /* levels of the product tree */
    BVPD_TOP_MAX = 16           /* hierarchies over the instances */
};
#define BVPD_NONE           UINT32_MAX
/* Magnitudes in an instance's placement: of the linear part, of the last column. */
#define BVPD_LARGEST_LINEAR 0x1p200
#define BVPD_LARGEST_MOVE   0x1p300

/* Section kinds, in the order of the file. */
#define BVPD_SECTIONS(X)                                                                           \
    X(PART, "PART", 256) /* struct bvpd_part */                                                    \
    X(HIER, "HIER", 128) /* struct bvpd_hierarchy */                                               \
    X(PLAC, "PLAC", 96)  /* struct bvpd_placement */                                               \
    X(TOPN, "TOPN", 64)  /* struct bvpd_node: the hierarchy over the instances */                  \
    X(LINS, "LINS", 8)   /* linear parts: words */                                                 \
    X(INST, "INST", 40)  /* struct bvpd_instance */                                                \
    X(DATA, "DATA", 1)   /* per part: upper nodes, cluster records, cluster table */               \
    X(TIDS, "TIDS", 1)   /* per part: packed source triangle numbers */                            \
    X(BINH, "BINH", 1)   /* binary hierarchies of parts, each at a multiple of 64 */               \
    X(TREE, "TREE", 24)  /* struct bvpd_tree_node */                                               \
    X(PROP, "PROP", 8)   /* struct bvpd_property */                                                \
    X(STRS, "STRS", 1)   /* strings */                                                             \
    X(PROV, "PROV", 1)   /* provenance, cold */                                                    \
    X(HASH, "HASH", 8)   /* block hashes */
enum bvpd_section_index {
#define BVPD_X(name, text, size) BVPD_##name,
    BVPD_SECTIONS(BVPD_X)
#undef BVPD_X
        BVPD_SECTION_COUNT
};

/* A section that a file may have, directly before HASH: digests of the blocks before it. */
#define BVPD_DIGESTS     "DGST"
#define BVPD_DIGEST_SIZE 32

/* A section of files whose triangles lie outside, directly after PROV: bvpd_buffers */
#define BVPD_BUFFERS "BUFS"

/* The type of a GLB's chunk that is a bvpack file: gltf.md */
#define BVPD_GLB_CHUNK  "BVP\0"
/* and of the one that holds its buffer */
#define BVPD_GLB_BINARY "BIN\0"

/* feature_incompatible: parts without bytes are in a store, under their addresses. */
#define BVPD_FEATURE_THIN    UINT32_C(1)
/* feature_incompatible: several hierarchies over the instances, each with a grid of its own. */
#define BVPD_FEATURE_TOPS    UINT32_C(2)
/* feature_incompatible: the grid of some part's wide hierarchy is turned. */
#define BVPD_FEATURE_TURNS   UINT32_C(4)
/* feature_incompatible: parts have hierarchies of kind rays. */
#define BVPD_FEATURE_RAYS    UINT32_C(8)
/* feature_incompatible: the corners of all triangles lie in buffers outside of the file. */
#define BVPD_FEATURE_OUTSIDE UINT32_C(16)
/* feature_incompatible: the parts' hierarchies stand in HIER in another order than the parts. */
#define BVPD_FEATURE_BY_USE  UINT32_C(32)
#define BVPD_FEATURES                                                                              \
    (BVPD_FEATURE_THIN | BVPD_FEATURE_TOPS | BVPD_FEATURE_TURNS | BVPD_FEATURE_RAYS |              \
     BVPD_FEATURE_OUTSIDE | BVPD_FEATURE_BY_USE)

typedef struct bvpd_section {
    uint8_t kind[4];
    /* bit 0: critical, a reader that does not know the kind stops; others reserved */
    uint32_t flags;
    uint64_t offset;       /* bytes from the start of the bvpack file */
    uint64_t size;         /* stored bytes */
    uint64_t raw_size;     /* bytes when decompressed; == size unless codec */
    uint64_t record_count; /* raw_size / record_size */
    uint32_t record_size;
    uint32_t codec; /* 0 none, 1 zstd (PROV only) */
} bvpd_section;
static_assert(sizeof(bvpd_section) == 48, "spec: DIR");

typedef struct bvpd_header {
    uint8_t magic[BVPD_MAGIC_SIZE];
    uint16_t version_major, version_minor;
    uint32_t feature_compatible, feature_read_compatible, feature_incompatible;
    uint32_t header_size; /* 1408 */
    uint64_t file_size;
    uint64_t header_hash;  /* XXH3-64 of the header with this field zero */
    uint8_t root_hash[16]; /* XXH3-128, canonical big-endian form, of the header with this and
                              header_hash zero, followed by HASH */
    uint8_t source_hash[16];
    uint32_t section_count;
    uint32_t block_size;
    uint64_t triangle_count, unique_triangle_count;
    uint32_t part_count, instance_count, node_count;
    uint32_t up_axis;       /* 0 x, 1 y, 2 z, 3 unknown */
    double unit_in_metres;  /* 0 unknown */
    double lo[3], hi[3];    /* world bounds; lo > hi when there is no instance */
    uint32_t top_hierarchy; /* index in HIER of the first one over the instances, or NONE */
    uint32_t hierarchy_count;
    uint64_t hierarchy_size, geometry_size, id_size;
    double tessellation_tolerance; /* in units, 0 unknown */
    uint32_t store;                /* of a thin file, string reference: where its parts are */
    uint8_t reserved[36];
    bvpd_section sections[BVPD_SECTION_MAX];
} bvpd_header;
static_assert(offsetof(bvpd_header, file_size) == 32, "spec: HDR");
static_assert(offsetof(bvpd_header, header_hash) == 40, "spec: HDR");
static_assert(offsetof(bvpd_header, root_hash) == 48, "spec: HDR");
static_assert(offsetof(bvpd_header, triangle_count) == 88, "spec: HDR");
static_assert(offsetof(bvpd_header, unit_in_metres) == 120, "spec: HDR");
static_assert(offsetof(bvpd_header, top_hierarchy) == 176, "spec: HDR");
static_assert(offsetof(bvpd_header, tessellation_tolerance) == 208, "spec: HDR");
static_assert(offsetof(bvpd_header, store) == 216, "spec: HDR");
static_assert(offsetof(bvpd_header, reserved) == 220, "spec: HDR");
static_assert(offsetof(bvpd_header, sections) == 256, "spec: HDR");
static_assert(sizeof(bvpd_header) == BVPD_HEADER_SIZE, "spec: HDR");

/* The last 48 bytes of the file; zeros before them up to the end of HASH. */
typedef struct bvpd_trailer {
    uint64_t file_size;
    uint64_t header_hash; /* equal to the header's */
    uint8_t root_hash[16];
    uint8_t magic[BVPD_END_MAGIC_SIZE];
} bvpd_trailer;
static_assert(sizeof(bvpd_trailer) == 48, "spec: END");

typedef struct bvpd_part {
    uint8_t content_hash[16]; /* XXH3-128 of the mesh as handed in, spec: PRT */
    double origin[3];
    float lo[3], hi[3]; /* exact bounds of the vertices used by triangles */
    uint64_t triangle_count, vertex_count;
    /* the part's blob: relative to DATA, a multiple of 1 << cluster_shift */
    uint64_t data_off, data_size;
    uint64_t ids_off, ids_size; /* relative to TIDS; size 0: no ids */
    uint64_t cluster_table_off; /* in the blob: cluster_count u32, record offset >> cluster_shift */
    uint32_t cluster_count;
    uint8_t cluster_shift; /* records are aligned to 1 << shift bytes, 6 .. 12 */
    uint8_t reserved0[3];
    uint32_t first_hierarchy, hierarchy_count;
    uint32_t name, source_id; /* string references */
    double rounding_error;
    uint64_t degenerate_count, duplicate_count, open_edge_count, nonmanifold_edge_count;
    uint8_t address[16]; /* names the packed part; zeros: not given */
    uint8_t packer[16];  /* who packed it, and how; zeros: not given */
    uint8_t reserved[40];
} bvpd_part;
static_assert(offsetof(bvpd_part, triangle_count) == 64, "spec: PRT");
static_assert(offsetof(bvpd_part, cluster_count) == 120, "spec: PRT");
static_assert(offsetof(bvpd_part, rounding_error) == 144, "spec: PRT");
static_assert(offsetof(bvpd_part, address) == 184, "spec: PRT");
static_assert(offsetof(bvpd_part, packer) == 200, "spec: PRT");
static_assert(offsetof(bvpd_part, reserved) == 216, "spec: PRT");
static_assert(sizeof(bvpd_part) == 256, "spec: PRT");

enum {
    BVPD_KIND_WIDE8 = 1, /* bvpd_node, in DATA with the clusters; a part's first, if it has one */
    BVPD_KIND_BOXTREE,   /* this and the next: binary hierarchies, in BINH */
    BVPD_KIND_AABB,
    BVPD_KIND_OBB,
    BVPD_KIND_RSS,
    BVPD_KIND_RAYS, /* bvpd_ray_node and meshlets, in BINH; never a part's first */
    BVPD_KIND_END,
    BVPD_KIND_BINARY_END = BVPD_KIND_RAYS
};

typedef struct bvpd_hierarchy {
    uint32_t kind;
    uint32_t part;                /* NONE: over the instances, nodes in TOPN */
    uint64_t data_off, data_size; /* relative to DATA (the part's blob), TOPN or BINH */
    uint32_t root;                /* unit of the root node */
    uint32_t upper_count;         /* nodes stored contiguously from the start, breadth first */
    uint32_t node_count, leaf_count;
    uint32_t leaf_size;      /* most items in a leaf */
    uint32_t depth;          /* levels of nodes, <= 64 */
    double grid_origin[3];   /* multiples of grid_unit */
    double grid_unit;        /* a power of two */
    uint32_t grid_extent[3]; /* root box: 0 .. extent, spec: NOD */
    uint8_t plane_max;       /* boxtree: most planes in a node, 1 .. 3; else 0 */
    uint8_t offset_size;     /* boxtree: bytes of an offset, 1, 2 or 4; else 0 */
    uint8_t order_width;     /* binary: bits of an entry of the order stream, 0: none */
    uint8_t split;           /* enum bvp_split, how it was built; informative */
    double area_cost;        /* sum of the children's box areas over the root's */
    uint64_t order_off;      /* of the order stream in the hierarchy's bytes; 0: none */
    int16_t turn[4];         /* wide, of a part: quaternion w, x, y, z; zeros: not turned */
    uint64_t reserved;
} bvpd_hierarchy;
static_assert(offsetof(bvpd_hierarchy, data_off) == 8, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, root) == 24, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, leaf_size) == 40, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, grid_origin) == 48, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, grid_extent) == 80, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, plane_max) == 92, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, offset_size) == 93, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, order_width) == 94, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, split) == 95, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, area_cost) == 96, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, order_off) == 104, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, turn) == 112, "spec: HIE");
static_assert(offsetof(bvpd_hierarchy, reserved) == 120, "spec: HIE");
static_assert(sizeof(bvpd_hierarchy) == 128, "spec: HIE");

/* A node: eight children, their boxes on the 8-bit grid of the node's own box. Lane j of axis a:
 * lo at bounds[a][j], hi at bounds[a][8 + j]. meta: 0 empty, 1..8 leaf with so many items, 0x80
 * inner. Inner children, in lane order, are units child, child + 1, ... Leaves, in lane order,
 * follow one another from local triangle (geom & 255) of the cluster at (geom >> 8) <<
 * cluster_shift in the blob; in the top hierarchy from instance geom. */
typedef struct bvpd_node {
    uint8_t bounds[3][16];
    uint8_t meta[8];
    uint32_t child;
    uint32_t geom;
} bvpd_node;
static_assert(offsetof(bvpd_node, meta) == 48, "spec: NOD");
static_assert(sizeof(bvpd_node) == BVPD_UNIT, "spec: NOD");

enum { BVPD_META_INNER = 0x80 };

/* A binary hierarchy: upper_count records, each a payload of fixed size (a boxtree's filled up with
 * zeros) and a u32 link; blocks, each at a multiple of 4; the order stream. A link is the number of
 * the left child's record, whose neighbour is the right one, or with BVPD_LINK_BLOCK the offset of
 * a block / 4, whose root has this record's payload. */
#define BVPD_LINK_BLOCK UINT32_C(0x80000000)

/* A block: this header, then a subtree in preorder without the root's payload. A node: its payload,
 * and, when it holds more than leaf_size triangles: u8 triangles of the left child - 1, u8 span of
 * the left child's bytes (boxtree: how many; else: how many leaves), left child, right child. The
 * triangles are `first` (as in bvpd_node.geom) and the next ones of the cluster, or of the order
 * stream. */
typedef struct bvpd_block {
    uint32_t first;
    uint16_t size; /* bytes behind this header, not counting padding */
    uint8_t count_minus_1;
    uint8_t reserved;
} bvpd_block;
static_assert(offsetof(bvpd_block, size) == 4, "spec: BLK");
static_assert(offsetof(bvpd_block, count_minus_1) == 6, "spec: BLK");
static_assert(offsetof(bvpd_block, reserved) == 7, "spec: BLK");
static_assert(sizeof(bvpd_block) == 8, "spec: BLK");

/* A node of kind rays: eight children, their boxes on a grid of 8 bits in the node's own frame: on
 * axis a, number q is the plane lo[a] + q * step[a]. Lane j: lo at bounds[a][j], hi at bounds[a][8
 * + j]. lane[j]: BVPD_RAY_EMPTY; an inner child, node child + lane[j]; or a leaf, BVPD_RAY_LEAF + 8
 * * place + triangles - 1, whose meshlet begins at (geom + place) * 8 behind the nodes. */
typedef struct bvpd_ray_node {
    uint8_t bounds[3][16];
    float lo[3], step[3];
    uint32_t child, geom;
    int16_t lane[8];
} bvpd_ray_node;
static_assert(offsetof(bvpd_ray_node, lo) == 48, "spec: RAY");
static_assert(offsetof(bvpd_ray_node, child) == 72, "spec: RAY");
static_assert(offsetof(bvpd_ray_node, lane) == 80, "spec: RAY");
static_assert(sizeof(bvpd_ray_node) == 96, "spec: RAY");

/* A meshlet: a word; 12 bits a triangle, four each for its corners' vertices; zeros up to a
 * multiple of 4; x of all vertices, y, z; references; zeros up to a multiple of 8. The word: bits
 * 0-3 vertices - 1, bit 4: the triangles are in several clusters, bits 8-31 the cluster, as in
 * bvpd_node.geom, unless bit 4 is set. References: a byte each, the local number in the cluster;
 * with bit 4 a u32 each. */
enum {
    BVPD_RAY_EMPTY = INT16_MAX,
    BVPD_RAY_LEAF = INT16_MIN,
    BVPD_RAY_PLACES = 256,        /* places of meshlets in a node are below */
    BVPD_RAY_UNITS_MAX = 1 << 28, /* units of meshlets */
    BVPD_RAY_SEVERAL = 0x10,
    BVPD_RAY_VERTICES = 16, /* most in a meshlet */
    BVPD_RAY_NODES_MAX = 1 << 28,
    BVPD_RAY_UNIT = 8,
    BVPD_RAY_TAIL = 32 /* zeros behind the last meshlet: decoders may over-read */
};

/* A cluster record: this header, three streams, zeros up to a multiple of 64, and node_count nodes;
 * zeros up to the next multiple of 1 << cluster_shift. Streams, each filled up to whole bytes: the
 * corners of each triangle, first + 2 * delta bits (local vertex number of the first; of the others
 * the number less the first's and corner_base, modulo 256); x, y and z of each vertex, or their
 * numbers in tables; the tables. */
typedef struct bvpd_cluster {
    uint8_t vertex_count_minus_1, triangle_count_minus_1;
    uint16_t node_count;
    uint8_t packing[3];  /* per axis: bits 0-5 width 0..32 (<= 25 unless RAW), bits 6-7 mode */
    uint8_t corner_bits; /* bits 0-2 first - 1, bits 3-5 delta - 1; others reserved */
    uint8_t scale[3];    /* per axis, mode GRID: code of the step, else 0 */
    uint8_t corner_base;
    uint8_t table_count[3]; /* per axis: entries of the table of its coordinates, 2..255; 0: none */
    uint8_t reserved;
    uint32_t base[3];        /* per axis: smallest value (GRID: two's complement) */
    uint32_t first_triangle; /* storage number of local triangle 0 */
    uint32_t id_off; /* offset of the id record in the part's ids, in 4 bytes; 0 without ids */
} bvpd_cluster;
static_assert(offsetof(bvpd_cluster, table_count) == 12, "spec: CLU");
static_assert(offsetof(bvpd_cluster, base) == 16, "spec: CLU");
static_assert(sizeof(bvpd_cluster) == 36, "spec: CLU");

enum bvpd_packing {
    BVPD_RAW = 0,     /* width 32: the float's bits */
    BVPD_ORDERED = 1, /* base + k is the float's rank among all floats */
    BVPD_GRID = 2,    /* (float)((double)(int32)(base + k) * step[scale]) */
    BVPD_OUTSIDE = 3  /* in a file whose triangles lie outside: there are no streams */
};
/* Steps of GRID: code 0..15: 10^-code, as the nearest double; code 64..191: 2^(code - 128). */

/* An id record: this header, then, without gaps, gap_count times width bits (a position) and
 * gap_width bits (numbers left out up to there), and triangle_count fields of width bits; zeros up
 * to a multiple of 4. */
typedef struct bvpd_ids {
    uint32_t base;
    uint8_t width; /* 0..32 */
    uint8_t gap_count;
    uint8_t gap_width; /* 0..32 */
    uint8_t reserved;
} bvpd_ids;
static_assert(sizeof(bvpd_ids) == 8, "spec: IDS");

/* Positions and indices outside of the file, of triangles first_triangle and so on of the numbers
 * of a part (chapter 7). */
typedef struct bvpd_buffers {
    uint32_t part, first_triangle;
    uint64_t position_off, index_off; /* in the GLB's buffer, or BVPD_NOWHERE */
    uint32_t vertex_count, triangle_count;
    uint32_t position_stride;           /* bytes from a vertex to the next one */
    uint16_t position_type, index_type; /* numbers of glTF; index_type 0: there are no indices */
    uint32_t normalized;                /* 0 or 1 */
    uint32_t reserved;
    uint8_t hash[16];
} bvpd_buffers;
static_assert(offsetof(bvpd_buffers, vertex_count) == 24, "spec: BUF");
static_assert(offsetof(bvpd_buffers, position_type) == 36, "spec: BUF");
static_assert(offsetof(bvpd_buffers, hash) == 48, "spec: BUF");
static_assert(sizeof(bvpd_buffers) == 64, "spec: BUF");
#define BVPD_NOWHERE UINT64_MAX

typedef struct bvpd_placement {
    double m[12]; /* row-major 3x4; record 0 is the identity */
} bvpd_placement;
static_assert(sizeof(bvpd_placement) == 96, "spec: PLC");

/* A linear part is a word and the magnitudes that it needs, each once. Field i of the word, from
 * bit 5 * i on, is entry i of the matrix, row-major: bit 0 its sign, the other four its magnitude:
 * 0 is zero, 1 is one, k + 2 is magnitude k behind the word. A reference counts words. */
enum {
    BVPD_LINEAR_BITS = 5,
    BVPD_LINEAR_FIRST = 2, /* of the magnitudes that are stored */
    BVPD_LINEAR_MAX = 9    /* magnitudes of one linear part */
};
#define BVPD_LINEAR_IDENTITY UINT64_C(0x20000200002) /* fields 0, 4 and 8 are 2 */

/* In preorder: what is below a node follows it. */
typedef struct bvpd_tree_node {
    uint32_t parent; /* NONE for node 0 */
    uint32_t end;    /* the first node that is not below this one */
    uint32_t item;   /* an instance; or, counted from instance_count on, a placement */
    uint32_t name, source_id;
    uint32_t first_property; /* its properties reach up to the next node's first */
} bvpd_tree_node;
static_assert(sizeof(bvpd_tree_node) == 24, "spec: TRE");

/* In the order of the top hierarchy's leaves. linear and move place the node in its parent, `frame`
 * its parent in the world; what follows from them places the part: format/linear.h. */
typedef struct bvpd_instance {
    double move[3];
    uint32_t linear; /* reference in LINS */
    uint32_t frame;  /* index in PLAC */
    uint32_t part, node;
} bvpd_instance;
static_assert(offsetof(bvpd_instance, linear) == 24, "spec: INS");
static_assert(sizeof(bvpd_instance) == 40, "spec: INS");

typedef struct bvpd_property {
    uint32_t key, value; /* string references */
} bvpd_property;
static_assert(sizeof(bvpd_property) == 8, "spec: PRP");

/* A string reference is the offset, in 4 bytes, of a string record in STRS: u32 size, bytes, zeros
 * up to a multiple of 4. Reference 0 is the empty string and stands for "none". */

#endif
