/* SPDX-License-Identifier: MIT
 * rvm_case.h: RVM files made chunk by chunk.
 */
#ifndef RVM_CASE_H
#define RVM_CASE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct rvm_file {
    uint8_t bytes[1 << 16];
    size_t size;
    size_t open; /* where the chunk under construction begins */
} rvm_file;

static inline void rvm_put(rvm_file *f, uint32_t word)
{
    if (f->size + 4 > sizeof f->bytes)
        abort();
    for (int i = 0; i < 4; i++)
        f->bytes[f->size++] = (uint8_t)(word >> (24 - 8 * i));
}

static inline void rvm_put_floats(rvm_file *f, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        rvm_put(f, bits);
    }
}

static inline void rvm_put_text(rvm_file *f, const char *text)
{
    const size_t size = strlen(text), words = size / 4 + 1;
    rvm_put(f, (uint32_t)words);
    if (f->size + 4 * words > sizeof f->bytes)
        abort();
    memset(f->bytes + f->size, 0, 4 * words);
    memcpy(f->bytes + f->size, text, size);
    f->size += 4 * words;
}

static inline void rvm_begin(rvm_file *f, const char *name, uint32_t version)
{
    f->open = f->size;
    for (int i = 0; i < 4; i++)
        rvm_put(f, (unsigned char)name[i]);
    rvm_put(f, 0);
    rvm_put(f, 1);
    rvm_put(f, version);
}

static inline void rvm_set(rvm_file *f, size_t at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        f->bytes[at + (size_t)i] = (uint8_t)(word >> (24 - 8 * i));
}

static inline void rvm_end(rvm_file *f)
{
    rvm_set(f, f->open + 16, (uint32_t)f->size);
}

static inline void rvm_head(rvm_file *f)
{
    f->size = 0;
    rvm_begin(f, "HEAD", 2);
    rvm_put_text(f, "a plant");
    rvm_put_text(f, "");
    rvm_put_text(f, "Fri Nov 27 08:00:00 2026");
    rvm_put_text(f, "someone");
    rvm_put_text(f, "Unicode UTF-8");
    rvm_end(f);
    rvm_begin(f, "MODL", 1);
    rvm_put_text(f, "PRJ");
    rvm_put_text(f, "/PLANT");
    rvm_end(f);
}

static inline void rvm_open_group(rvm_file *f, const char *name, uint32_t material)
{
    rvm_begin(f, "CNTB", 2);
    rvm_put_text(f, name);
    rvm_put_floats(f, (const float[]){7, 8, 9}, 3); /* nothing is placed by it */
    rvm_put(f, material);
    rvm_end(f);
}

static inline void rvm_close_group(rvm_file *f)
{
    rvm_begin(f, "CNTE", 2);
    rvm_end(f);
}

static const float rvm_upright[12] = {.001f, 0, 0, 0, .001f, 0, 0, 0, .001f, 0, 0, 0};

/* columns: of the placement, from millimetres to metres; NULL: upright at the origin. The chunk is
 * open for what follows the bounding box. */
static inline void rvm_begin_primitive(rvm_file *f, const char *chunk, uint32_t kind,
                                       const float *columns)
{
    static const float box[6];
    rvm_begin(f, chunk, 1);
    rvm_put(f, kind);
    rvm_put_floats(f, columns ? columns : rvm_upright, 12);
    rvm_put_floats(f, box, 6);
    if (*chunk != 'P')
        rvm_put(f, 50u << 24);
}

static inline void rvm_primitive(rvm_file *f, const char *chunk, uint32_t kind,
                                 const float *columns, const float *numbers)
{
    static const int counts[] = {0, 7, 3, 4, 3, 2, 2, 9, 2, 1, 2};
    rvm_begin_primitive(f, chunk, kind, columns);
    rvm_put_floats(f, numbers, counts[kind]);
    rvm_end(f);
}

static inline void rvm_contour(rvm_file *f, const float (*points)[3], int count, int is_back)
{
    static const float normal[3];
    rvm_put(f, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        rvm_put_floats(f, points[is_back ? count - 1 - i : i], 3);
        rvm_put_floats(f, normal, 3);
    }
}

static inline void rvm_finish(rvm_file *f)
{
    rvm_begin(f, "END:", 1);
    rvm_put(f, 0); /* exports are padded */
}

/* A block of 6 x 6 x 2 with square holes of 1 x 1 through it, `holes` of them, 0 to 4. */
static inline void rvm_block(rvm_file *f, const float *columns, int holes)
{
    static const float at[4][2] = {{1, 1}, {4, 1}, {1, 4}, {3, 3.5f}};
    rvm_begin_primitive(f, "PRIM", 11, columns);
    rvm_put(f, 6 + 4 * (uint32_t)holes);
    for (int top = 0; top < 2; top++) {
        const float z = top ? 2 : 0;
        rvm_put(f, 1 + (uint32_t)holes);
        rvm_contour(f, (const float[4][3]){{0, 0, z}, {6, 0, z}, {6, 6, z}, {0, 6, z}}, 4, !top);
        for (int i = 0; i < holes; i++) {
            const float x = at[i][0], y = at[i][1];
            rvm_contour(
                f, (const float[4][3]){{x, y, z}, {x + 1, y, z}, {x + 1, y + 1, z}, {x, y + 1, z}},
                4, top);
        }
    }
    for (int i = -1; i < holes; i++) {
        const float x = i < 0 ? 0 : at[i][0], y = i < 0 ? 0 : at[i][1], d = i < 0 ? 6 : 1;
        const float ring[4][2] = {{x, y}, {x + d, y}, {x + d, y + d}, {x, y + d}};
        for (int k = 0; k < 4; k++) {
            const float *a = ring[k], *b = ring[(k + 1) % 4];
            rvm_put(f, 1);
            rvm_contour(f,
                        (const float[4][3]){
                            {a[0], a[1], 0}, {b[0], b[1], 0}, {b[0], b[1], 2}, {a[0], a[1], 2}},
                        4, i >= 0);
        }
    }
    rvm_end(f);
}

/* One primitive of each kind, by its number. */
static const float rvm_examples[11][9] = {{0},
                                          {80, 60, 40, 30, 20, -10, 50},
                                          {30, 20, 10},
                                          {40, 60, 25, 2},
                                          {90, 30, 1.25f},
                                          {75, 70},
                                          {60, 20},
                                          {40, 25, 100, 20, 5, .2f, -.1f, .3f, .15f},
                                          {57.15f, 221.5f},
                                          {120},
                                          {5, 100}};

/* A small plant: a group of each kind, one of several primitives, insulation, an obstruction. */
static inline void rvm_plant(rvm_file *f)
{
    static const char *const names[] = {"",        "/PYRA", "/BOX",  "/RTOR", "/CTOR", "/DISH",
                                        "/DISH-S", "/SNOU", "/CYLI", "/SPHE", "/LINE"};
    float columns[12];
    memcpy(columns, rvm_upright, sizeof columns);
    rvm_head(f);
    rvm_open_group(f, "/SITE", 1);
    for (int kind = 1; kind <= 10; kind++) {
        columns[9] = .5f * (float)kind;
        rvm_open_group(f, names[kind], 5);
        rvm_primitive(f, "PRIM", (uint32_t)kind, columns, rvm_examples[kind]);
        rvm_close_group(f);
    }
    rvm_open_group(f, "/FACETS", 5);
    rvm_block(f, columns, 2);
    rvm_close_group(f);
    columns[9] = 6;
    rvm_open_group(f, "/PIPE", 5);
    rvm_primitive(f, "PRIM", 8, columns, (const float[]){50, 400});
    rvm_primitive(f, "PRIM", 8, columns, (const float[]){80, 20});
    rvm_primitive(f, "INSU", 8, columns, (const float[]){100, 400});
    rvm_primitive(f, "OBST", 2, columns, (const float[]){300, 300, 500});
    rvm_close_group(f);
    rvm_close_group(f);
    rvm_begin(f, "COLR", 1);
    f->size -= 4; /* it has no version */
    rvm_put(f, 1);
    rvm_put(f, 5);
    rvm_put(f, 0x10203000);
    rvm_end(f);
    rvm_finish(f);
}

#endif
