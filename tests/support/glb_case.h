/* SPDX-License-Identifier: MIT
 * glb_case.h: GLBs made of a text and some numbers, and what is expected of them.
 */
#ifndef GLB_CASE_H
#define GLB_CASE_H

#include "import_case.h"

/* A GLB under construction: JSON with single quotes for double ones, and binary data. */
typedef struct glb {
    uint8_t bytes[8192];
    size_t size;
} glb;

typedef struct data {
    uint8_t bytes[512];
    size_t size;
} data;

static inline void put(data *d, uint64_t bits, int size)
{
    for (int i = 0; i < size; i++)
        d->bytes[d->size++] = (uint8_t)(bits >> (8 * i));
}

static inline void put_float(data *d, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(d, bits, 4);
}

static inline void append_u32(glb *g, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        g->bytes[g->size++] = (uint8_t)(value >> (8 * i));
}

static inline glb make(const char *text, const data *d)
{
    glb g = {.size = 0};
    size_t length = strlen(text), padded = (length + 3) / 4 * 4;
    uint32_t total = (uint32_t)(20 + padded + (d ? 8 + d->size : 0));
    memcpy(g.bytes, "glTF", 4);
    g.size = 4;
    append_u32(&g, 2);
    append_u32(&g, total);
    append_u32(&g, (uint32_t)padded);
    append_u32(&g, 0x4e4f534a);
    for (size_t i = 0; i < padded; i++)
        g.bytes[g.size++] = i >= length ? ' ' : text[i] == '\'' ? '"' : (uint8_t)text[i];
    if (d) {
        append_u32(&g, (uint32_t)d->size);
        append_u32(&g, 0x004e4942);
        memcpy(g.bytes + g.size, d->bytes, d->size);
        g.size += d->size;
    }
    return g;
}

static inline void expect_glb(const char *text, const data *d, int drop, model *m)
{
    glb g = make(text, d);
    expect_model_of(NULL, g.bytes, g.size, drop, m);
    ck_assert_str_eq(m->format, "GLB");
    ck_assert(m->unit_in_metres == 1 && m->up == BVP_UP_Y);
}

static inline void refuse_glb(const char *text, const data *d, bvp_status status,
                              const char *phrase)
{
    glb g = make(text, d);
    expect_refusal_of(NULL, g.bytes, g.size, 0, status, phrase);
}

/* Vertex v at (v, v * v, 0), as floats. */
static inline data make_points(int count)
{
    data d = {.size = 0};
    for (int v = 0; v < count; v++) {
        put_float(&d, (float)v);
        put_float(&d, (float)(v * v));
        put_float(&d, 0);
    }
    return d;
}

#define ASSET     "{'asset':{'version':'2.0'},"
#define SCENE     ASSET "'scene':0,'scenes':[{'nodes':[0]}],"
#define ONE_NODE  SCENE "'nodes':[{'mesh':0}],"
#define MESH      "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
#define POINTS(n) "{'bufferView':0,'componentType':5126,'count':" n ",'type':'VEC3'}"
#define BUFFERS   "'bufferViews':[{'buffer':0,'byteLength':72}],'buffers':[{'byteLength':72}]}"

/* Corner k of triangle t is source vertex expected[3 t + k]. */
static inline void check_corners(const model *m, const uint32_t *expected, uint64_t count)
{
    ck_assert_uint_eq(m->mesh_count, 1);
    ck_assert_uint_eq(m->meshes[0].triangle_count, count);
    for (uint64_t t = 0; t < count; t++)
        for (int k = 0; k < 3; k++)
            ck_assert(corner_at(&m->meshes[0], t, k, 0) == expected[3 * t + (unsigned)k]);
}

#endif
