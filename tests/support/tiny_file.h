/* SPDX-License-Identifier: MIT
 * tiny_file.h: a small valid file with one of everything, put together by hand: two parts, of two
 * clusters and of one, all three packings, a product tree of four nodes, three instances,
 * properties.
 */
#ifndef TINY_FILE_H
#define TINY_FILE_H

#include "format/write.h"
#include "node/cluster_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where things lie in the first blob: root, record 0 (64 bytes and two nodes), record 1, table. */
enum {
    TINY_RECORD_0 = 64,
    TINY_NODES = 128,
    TINY_RECORD_1 = 256,
    TINY_TABLE = 320,
    TINY_BLOB_0 = 384,
    TINY_RECORD = 64,
    TINY_TABLE_1 = 128,
    TINY_BLOB_1 = 192
};

typedef struct tiny_sections {
    _Alignas(64) uint8_t data[TINY_BLOB_0 + TINY_BLOB_1];
    uint32_t ids[2 + 1 + 2 + 0];
    bvpd_part part[2];
    bvpd_hierarchy hierarchy[3 + 4]; /* three, and binary ones on demand */
    bvpd_placement placement[4];
    uint64_t linear[4];                           /* the identity; 2 0 0, 0 -3 0, 0 0 2 */
    bvpd_tree_node tree[4 + BVPD_TREE_DEPTH_MAX]; /* four, and a chain on demand */
    bvpd_instance instance[3];
    bvpd_node top[1];
    bvpd_property property[2];
    uint32_t strings[16];
} tiny_sections;

static inline void tiny_require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "tiny_file.h: %s\n", what);
    abort();
}

static inline void tiny_put_bits(uint8_t *stream, unsigned width, uint32_t idx, uint32_t value)
{
    for (unsigned i = 0; i < width; i++)
        if (value >> i & 1)
            stream[(idx * width + i) / 8] |= (uint8_t)(1 << ((idx * width + i) % 8));
}

static inline void tiny_empty(bvpd_node *node)
{
    memset(node, 0, sizeof *node);
    for (int axis = 0; axis < 3; axis++)
        memset(node->bounds[axis], 255, 8);
}

static inline void tiny_lane(bvpd_node *node, int lane, uint8_t meta, const uint8_t lo[3],
                             const uint8_t hi[3])
{
    node->meta[lane] = meta;
    for (int axis = 0; axis < 3; axis++) {
        node->bounds[axis][lane] = lo[axis];
        node->bounds[axis][8 + lane] = hi[axis];
    }
}

static inline void tiny_put_at(uint8_t *stream, uint32_t bit, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++)
        if (value >> i & 1)
            stream[(bit + i) / 8] |= (uint8_t)(1 << ((bit + i) % 8));
}

/* Two triangles of the square 0 0 0 .. 4 4 0: x GRID of step 2, y ORDERED in a table, z RAW.
 * Corners, of 2 + 2 * 3 bits: 0 1 2 and 2 1 3, less the first and -1. */
static inline void tiny_square(uint8_t *record)
{
    bvpd_cluster head = {.vertex_count_minus_1 = 3, .triangle_count_minus_1 = 1, .node_count = 2};
    head.corner_bits = 1 | 2 << 3;
    head.corner_base = 255;
    head.packing[0] = BVPD_GRID << 6 | 2;
    head.packing[1] = BVPD_ORDERED << 6 | 25;
    head.packing[2] = BVPD_RAW << 6 | 32;
    head.scale[0] = 129;
    head.table_count[1] = 2;
    head.base[1] = 0xbfffffff; /* the rank of the float below 2 */
    uint8_t *corners = record + sizeof head, *vertices = corners + 2;
    corners[0] = 0 | 2 << 2 | 3 << 5;
    corners[1] = 2 | 0 << 2 | 2 << 5;
    for (uint32_t i = 0; i < 4; i++) {
        tiny_put_at(vertices, 35 * i, 2, i % 2 * 2);
        tiny_put_at(vertices, 35 * i + 2, 1, i / 2);
    }
    tiny_put_at(vertices + 18, 0, 25, 1);
    tiny_put_at(vertices + 18, 25, 25, 1 + 0x800000);
    memcpy(record, &head, sizeof head);
}

/* One triangle (8 0 0) (9 0 0) (8 1 1): all axes GRID of step 1. */
static inline void tiny_triangle(uint8_t *record, uint32_t first, uint32_t id_off)
{
    bvpd_cluster head = {.vertex_count_minus_1 = 2, .first_triangle = first, .id_off = id_off};
    head.base[0] = 8;
    head.corner_base = 1;
    for (int axis = 0; axis < 3; axis++)
        head.packing[axis] = BVPD_GRID << 6 | 1;
    record[sizeof head] = 0 | 0 << 1 | 1 << 2; /* corners, of a bit each: 0 1 2 */
    tiny_put_bits(record + sizeof head + 1, 3, 1, 1);
    tiny_put_bits(record + sizeof head + 1, 3, 2, 6);
    memcpy(record, &head, sizeof head);
}

/* Grid of step 1 from 0; y of the square is 2 and 4. */
static inline void tiny_first_blob(uint8_t *blob)
{
    static const uint8_t square_lo[3] = {0, 2, 0}, square_hi[3] = {4, 4, 0};
    static const uint8_t tri_lo[3] = {8, 0, 0}, tri_hi[3] = {9, 1, 1};
    static const uint8_t in_square_lo[3] = {0, 0, 0}, in_square_hi[3] = {4, 2, 0};
    static const uint8_t in_tri_lo[3] = {0, 0, 0}, in_tri_hi[3] = {1, 1, 1};
    bvpd_node node;
    tiny_empty(&node);
    tiny_lane(&node, 0, BVPD_META_INNER, square_lo, square_hi);
    tiny_lane(&node, 2, BVPD_META_INNER, tri_lo, tri_hi);
    node.child = TINY_NODES / 64;
    memcpy(blob, &node, sizeof node);
    tiny_square(blob + TINY_RECORD_0);
    tiny_empty(&node);
    tiny_lane(&node, 0, 1, in_square_lo, in_square_hi);
    tiny_lane(&node, 1, 1, in_square_lo, in_square_hi);
    node.geom = TINY_RECORD_0 / 64 << 8;
    memcpy(blob + TINY_NODES, &node, sizeof node);
    tiny_empty(&node);
    tiny_lane(&node, 7, 1, in_tri_lo, in_tri_hi);
    node.geom = TINY_RECORD_1 / 64 << 8;
    memcpy(blob + TINY_NODES + 64, &node, sizeof node);
    tiny_triangle(blob + TINY_RECORD_1, 2, 3);
    const uint32_t table[2] = {TINY_RECORD_0 / 64, TINY_RECORD_1 / 64};
    memcpy(blob + TINY_TABLE, table, sizeof table);
}

static inline void tiny_second_blob(uint8_t *blob)
{
    static const uint8_t lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    bvpd_node node;
    tiny_empty(&node);
    tiny_lane(&node, 0, 1, lo, hi);
    node.geom = TINY_RECORD / 64 << 8;
    memcpy(blob, &node, sizeof node);
    tiny_triangle(blob + TINY_RECORD, 0, 0);
    const uint32_t table = TINY_RECORD / 64;
    memcpy(blob + TINY_TABLE_1, &table, sizeof table);
}

static inline void tiny_parts(tiny_sections *s)
{
    tiny_first_blob(s->data);
    tiny_second_blob(s->data + TINY_BLOB_0);
    s->ids[0] = 7; /* 7 + {0, 1}; then 40 + {0} */
    s->ids[1] = 1;
    s->ids[2] = 2;
    s->ids[3] = 40;
    for (int i = 0; i < 2; i++) {
        bvpd_part *p = &s->part[i];
        p->lo[0] = i == 0 ? 0 : 8;
        p->hi[0] = 9;
        p->hi[1] = i == 0 ? 4 : 1;
        p->hi[2] = 1;
        p->triangle_count = i == 0 ? 3 : 1;
        p->vertex_count = i == 0 ? 7 : 3;
        p->data_off = i == 0 ? 0 : TINY_BLOB_0;
        p->data_size = i == 0 ? TINY_BLOB_0 : TINY_BLOB_1;
        p->ids_off = i == 0 ? 0 : 20;
        p->ids_size = i == 0 ? 20 : 0;
        p->cluster_table_off = i == 0 ? TINY_TABLE : TINY_TABLE_1;
        p->cluster_count = i == 0 ? 2 : 1;
        p->cluster_shift = 6;
        p->first_hierarchy = (uint32_t)i;
        p->hierarchy_count = 1;
        p->name = 1;
        bvpd_hierarchy *h = &s->hierarchy[i];
        h->kind = BVPD_KIND_WIDE8;
        h->part = (uint32_t)i;
        h->data_off = p->data_off;
        h->data_size = p->data_size;
        h->upper_count = 1;
        h->node_count = i == 0 ? 3 : 1;
        h->leaf_count = i == 0 ? 3 : 1;
        h->leaf_size = 8;
        h->depth = i == 0 ? 2 : 1;
        h->grid_origin[0] = i == 0 ? 0 : 8;
        h->grid_unit = 1;
        h->grid_extent[0] = i == 0 ? 9 : 1;
        h->grid_extent[1] = i == 0 ? 4 : 1;
        h->grid_extent[2] = 1;
    }
    s->part[1].origin[2] = 0.5;
}

/* "", "part", "key", "\u00e4" */
static inline void tiny_strings(tiny_sections *s)
{
    s->strings[1] = 4;
    memcpy(&s->strings[2], "part", 4);
    s->strings[3] = 3;
    memcpy(&s->strings[4], "key", 3);
    s->strings[5] = 2;
    memcpy(&s->strings[6], "\xc3\xa4", 2);
}

/* Root -> (group, moved by x + 1, mirrored) -> part 0, part 1; root -> part 0. */
static inline void tiny_scene(tiny_sections *s)
{
    for (int i = 0; i < 4; i++)
        s->placement[i].m[0] = s->placement[i].m[5] = s->placement[i].m[10] = 1;
    s->placement[1].m[0] = -1;
    s->placement[1].m[3] = 1;
    s->placement[3].m[7] = 100;
    static const double magnitudes[2] = {2, 3};
    s->linear[0] = BVPD_LINEAR_IDENTITY;
    s->linear[1] = 4 | 7 << 20 | UINT64_C(4) << 40;
    memcpy(s->linear + 2, magnitudes, sizeof magnitudes);
    const bvpd_tree_node tree[4] = {
        {.parent = BVPD_NONE, .end = 4, .item = 0},
        {.parent = 0, .end = 4, .item = 3 + 1, .name = 1},
        {.parent = 1, .end = 3, .item = 1, .first_property = 2, .source_id = 5},
        {.parent = 1, .end = 4, .item = 2, .first_property = 2},
    };
    memcpy(s->tree, tree, sizeof tree);
    for (uint32_t i = 4; i < sizeof s->tree / sizeof *s->tree; i++)
        s->tree[i] = (bvpd_tree_node){.parent = i - 1, .item = 3, .first_property = 2};
    const bvpd_instance instance[3] = {
        {.part = 0}, {.part = 0, .node = 2, .frame = 1}, {.part = 1, .node = 3, .frame = 1}};
    memcpy(s->instance, instance, sizeof instance);
    const bvpd_property property[2] = {{3, 5}, {3, 0}};
    memcpy(s->property, property, sizeof property);
    static const uint8_t lo[2][3] = {{8, 0, 0}, {0, 0, 0}}, hi[2][3] = {{17, 4, 1}, {9, 4, 2}};
    tiny_empty(&s->top[0]);
    tiny_lane(&s->top[0], 0, 1, lo[0], hi[0]);
    tiny_lane(&s->top[0], 1, 2, lo[1], hi[1]);
    bvpd_hierarchy *h = &s->hierarchy[2];
    h->kind = BVPD_KIND_WIDE8;
    h->part = BVPD_NONE;
    h->data_size = sizeof s->top;
    h->upper_count = h->node_count = h->depth = 1;
    h->leaf_count = 2;
    h->leaf_size = 8;
    h->grid_origin[0] = -8;
    h->grid_unit = 1;
    h->grid_extent[0] = 17;
    h->grid_extent[1] = 4;
    h->grid_extent[2] = 2;
}

/* All sections but BINH. 64-byte aligned; free() it. */
static inline tiny_sections *tiny_fill(void)
{
    tiny_sections *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);
    tiny_require(s != NULL, "memory");
    memset(s, 0, sizeof *s);
    tiny_parts(s);
    tiny_strings(s);
    tiny_scene(s);
    return s;
}

/* The sections as a file, with `chain` more nodes, each the child of the one before. 4096-byte
 * aligned; free() it. */
static inline uint8_t *tiny_write(const tiny_sections *s, uint32_t hierarchy_count,
                                  const bvpi_chunk *binary, uint32_t chain, size_t *size)
{
    static const char provenance[] =
        "{\"sources\":[],\"note\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}";
    const bvpi_chunk chunks[BVPD_SECTION_COUNT] = {
        [BVPD_DATA] = {s->data, sizeof s->data},
        [BVPD_TIDS] = {s->ids, sizeof s->ids},
        [BVPD_PART] = {s->part, sizeof s->part},
        [BVPD_HIER] = {s->hierarchy, hierarchy_count * sizeof *s->hierarchy},
        [BVPD_PLAC] = {s->placement, sizeof s->placement},
        [BVPD_LINS] = {s->linear, sizeof s->linear},
        [BVPD_TREE] = {s->tree, (4 + chain) * sizeof *s->tree},
        [BVPD_INST] = {s->instance, sizeof s->instance},
        [BVPD_TOPN] = {s->top, sizeof s->top},
        [BVPD_BINH] = *binary,
        [BVPD_PROP] = {s->property, sizeof s->property},
        [BVPD_STRS] = {s->strings, 28},
        [BVPD_PROV] = {provenance, sizeof provenance - 1},
    };
    bvpi_write job = {.header = {.triangle_count = 7,
                                 .unique_triangle_count = 4,
                                 .up_axis = 2,
                                 .unit_in_metres = 0.001,
                                 .tessellation_tolerance = 0.25,
                                 .lo = {-8, 0, 0},
                                 .hi = {9, 4, 1.5},
                                 .top_hierarchy = hierarchy_count - 1,
                                 .hierarchy_size = 5 * 64 + binary->size,
                                 .geometry_size = sizeof s->data - 4 * 64,
                                 .id_size = sizeof s->ids}};
    for (int i = 0; i < BVPD_SECTION_COUNT; i++)
        job.section[i] = (bvpi_write_section){&chunks[i], chunks[i].size > 0};
    char name[] = "tiny.XXXXXX";
    int fd = mkstemp(name);
    tiny_require(fd >= 0, "mkstemp");
    unlink(name);
    uint64_t written;
    bvp_error error = {0};
    tiny_require(bvpi_write_fd(&job, fd, &written, &error) == BVP_OK, error.message);
    *size = (size_t)written;
    uint8_t *out = aligned_alloc(4096, *size);
    tiny_require(out != NULL, "memory");
    tiny_require(pread(fd, out, *size, 0) == (ssize_t)*size, "pread");
    close(fd);
    return out;
}

/* Where the parts' bytes begin. */
static inline uint8_t *tiny_data(uint8_t *file)
{
    return file + ((bvpd_header *)file)->sections[BVPD_DATA].offset;
}

/* The file with that many more nodes, each the child of the one before; *size: bytes. */
static inline uint8_t *tiny_make_chain(size_t *size, uint32_t chain)
{
    const bvpi_chunk none = {NULL, 0};
    tiny_sections *s = tiny_fill();
    for (uint32_t i = 0; i < 4 + chain; i++)
        s->tree[i].end = i == 2 ? 3 : 4 + chain;
    uint8_t *out = tiny_write(s, 3, &none, chain, size);
    free(s);
    return out;
}

static inline uint8_t *tiny_make(size_t *size)
{
    return tiny_make_chain(size, 0);
}

#endif
