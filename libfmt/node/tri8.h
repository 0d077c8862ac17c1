/* SPDX-License-Identifier: MIT
 * tri8.h: eight triangles of an open cluster, decoded side by side. The plain version is
 * node/cluster_record.h; tests/unit/test_wide.c holds them equal.
 * Spec: format.md, chapter "Cluster records"
 */
#ifndef BVPI_NODE_TRI8_H
#define BVPI_NODE_TRI8_H

#include "base/simd.h"
#include "node/cluster_record.h"

/* Eight triangles: c[3 * corner + axis]. */
typedef struct bvpi_tri8 {
    f32x8 c[9];
} bvpi_tri8;

/* ---- bits ----------------------------------------------------------------------------------- */

BVPI_INLINE uint32_t bvpi_load_unaligned_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

BVPI_INLINE uint64_t bvpi_load_unaligned_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Stores the lanes in memory to read them one by one. Loads keep fewer of the processor's units
 * busy than extracting lanes from a vector, which compilers do if they see through it. */
BVPI_INLINE void bvpi_spread(u32x8 lanes, uint32_t out[8])
{
    u32x8_store(out, lanes);
    __asm__("" : "+m"(*(uint32_t(*)[8])out));
}

/* Products below 2^16. */
BVPI_INLINE u32x8 bvpi_small_products(u32x8 a, unsigned b)
{
    typedef uint16_t u16x16 __attribute__((vector_size(32)));
    return (u32x8)((u16x16)a * (u16x16)u32x8_splat(b));
}

BVPI_INLINE uint32_t bvpi_ones(unsigned width)
{
    return (uint32_t)((UINT64_C(1) << width) - 1);
}

#ifdef BVPI_LANE_SHIFTS

/* One load after the other: faster than gather instructions on processors where these were slowed
 * down by microcode. */
BVPI_INLINE u32x8 bvpi_load_lanes_u32(const uint8_t *p, u32x8 lanes)
{
    uint32_t at[8];
    bvpi_spread(lanes, at);
    return (u32x8){bvpi_load_unaligned_u32(p + at[0]), bvpi_load_unaligned_u32(p + at[1]),
                   bvpi_load_unaligned_u32(p + at[2]), bvpi_load_unaligned_u32(p + at[3]),
                   bvpi_load_unaligned_u32(p + at[4]), bvpi_load_unaligned_u32(p + at[5]),
                   bvpi_load_unaligned_u32(p + at[6]), bvpi_load_unaligned_u32(p + at[7])};
}

/* 25 bits of a stream from bit `bit` on, followed by arbitrary bits; all 32 if it is a multiple of
 * 8. */
BVPI_INLINE u32x8 bvpi_stream_words(const uint8_t *stream, u32x8 bit)
{
    return bvpi_load_lanes_u32(stream, bit >> 3) >> (bit & 7);
}

/* 57 bits each: of lanes 0 1 4 5, and of lanes 2 3 6 7. */
typedef struct bvpi_long_words {
    u64x4 a, b;
} bvpi_long_words;

BVPI_INLINE bvpi_long_words bvpi_stream_long_words(const uint8_t *p, u32x8 bit)
{
    const u32x8 shift = bit & 7, zero = {0};
    uint32_t at[8];
    bvpi_spread(bit >> 3, at);
    const u64x4 a = {bvpi_load_unaligned_u64(p + at[0]), bvpi_load_unaligned_u64(p + at[1]),
                     bvpi_load_unaligned_u64(p + at[4]), bvpi_load_unaligned_u64(p + at[5])};
    const u64x4 b = {bvpi_load_unaligned_u64(p + at[2]), bvpi_load_unaligned_u64(p + at[3]),
                     bvpi_load_unaligned_u64(p + at[6]), bvpi_load_unaligned_u64(p + at[7])};
    return (bvpi_long_words){
        a >> (u64x4)__builtin_shufflevector(shift, zero, 0, 8, 1, 9, 4, 12, 5, 13),
        b >> (u64x4)__builtin_shufflevector(shift, zero, 2, 10, 3, 11, 6, 14, 7, 15)};
}

/* 32 bits of each lane's word from bit `from` on. */
BVPI_INLINE u32x8 bvpi_long_words_at(const bvpi_long_words *w, unsigned from)
{
    return __builtin_shufflevector((u32x8)(w->a >> from), (u32x8)(w->b >> from), 0, 2, 8, 10, 4, 6,
                                   12, 14);
}

#else /* no shifts by lane: each word is shifted before it becomes one */

BVPI_INLINE u32x8 bvpi_stream_words(const uint8_t *stream, u32x8 bit)
{
    uint32_t at[8], w[8];
    bvpi_spread(bit, at);
    BVPI_UNROLL
    for (int i = 0; i < 8; i++)
        w[i] = bvpi_load_unaligned_u32(stream + (at[i] >> 3)) >> (at[i] & 7);
    return (u32x8){w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]};
}

/* 32 bits of a stream, `from` bits behind each of eight. */
BVPI_INLINE u32x8 bvpi_stream_at(const uint8_t *stream, const uint32_t bit[8], unsigned from)
{
    uint32_t w[8];
    BVPI_UNROLL
    for (int i = 0; i < 8; i++) {
        const uint32_t at = bit[i] + from;
        w[i] = (uint32_t)(bvpi_load_unaligned_u64(stream + (at >> 3)) >> (at & 7));
    }
    return (u32x8){w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]};
}

#endif

/* ---- corners and fields ---------------------------------------------------------------------- */

/* Local vertex numbers (0 .. 255) of the corners of eight triangles (0 .. 263). */
BVPI_INLINE void bvpi_tri8_locals(const bvpi_cluster *c, u32x8 triangle, u32x8 local[3])
{
    const uint32_t ones = bvpi_ones(c->delta_width);
    const u32x8 word =
        bvpi_stream_words(c->corners, bvpi_small_products(triangle, c->corners_width));
    const u32x8 delta = word >> c->first_width;
    local[0] = word & bvpi_ones(c->first_width);
    const u32x8 from = local[0] + c->head.corner_base;
    local[1] = (from + (delta & ones)) & 255;
    local[2] = (from + (delta >> c->delta_width & ones)) & 255;
}

/* The codes of three times eight vertices of at most 25 bits, one axis after the other. */
BVPI_INLINE void bvpi_tri8_short_fields(const bvpi_cluster *c, const u32x8 vertex[3],
                                        u32x8 field[3][3])
{
    u32x8 word[3];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        word[k] = bvpi_stream_words(c->vertices, bvpi_small_products(vertex[k], c->vertex_width));
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t ones = bvpi_ones(c->field_width[axis]);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            field[axis][k] = word[k] >> c->field_at[axis] & ones;
    }
}

#ifdef BVPI_LANE_SHIFTS
/* The same for vertices of any width, with as few loads as contain whole codes. */
BVPI_INLINE void bvpi_tri8_long_fields(const bvpi_cluster *c, const u32x8 vertex[3],
                                       u32x8 field[3][3])
{
    bvpi_long_words words[3];
    unsigned begin = 0;
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const unsigned at = c->field_at[axis], width = c->field_width[axis];
        const uint32_t ones = bvpi_ones(width);
        if (axis == 0 || at + width - begin > 57) {
            begin = at;
            BVPI_UNROLL
            for (int k = 0; k < 3; k++)
                words[k] = bvpi_stream_long_words(
                    c->vertices, bvpi_small_products(vertex[k], c->vertex_width) + at);
        }
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            field[axis][k] = bvpi_long_words_at(&words[k], at - begin) & ones;
    }
}
#else
/* The same for vertices of any width. */
BVPI_INLINE void bvpi_tri8_long_fields(const bvpi_cluster *c, const u32x8 vertex[3],
                                       u32x8 field[3][3])
{
    uint32_t bit[3][8];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        bvpi_spread(bvpi_small_products(vertex[k], c->vertex_width), bit[k]);
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const unsigned at = c->field_at[axis];
        const uint32_t ones = bvpi_ones(c->field_width[axis]);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            field[axis][k] = bvpi_stream_at(c->vertices, bit[k], at) & ones;
    }
}
#endif

/* ---- coordinates ----------------------------------------------------------------------------- */

/* (float)((double)value * step) */
BVPI_INLINE f32x8 bvpi_grid_floats(u32x8 value, double step)
{
    const u32x8 upper = __builtin_shufflevector(value, value, 4, 5, 6, 7, 4, 5, 6, 7);
    return f32x8_from_f64(f64x4_from_low_i32((i32x8)value) * f64x4_splat(step),
                          f64x4_from_low_i32((i32x8)upper) * f64x4_splat(step));
}

/* The floats of ranks ~complement: negative ones have their bits inverted, positive ones lack the
 * sign bit. */
BVPI_INLINE f32x8 bvpi_ordered_floats(u32x8 complement)
{
    const i32x8 rank = (i32x8)complement;
    return (f32x8)(rank ^ (~(rank >> 31) & 0x7fffffff));
}

/* The coordinates on one axis, from the codes of three times eight vertices. */
BVPI_INLINE void bvpi_tri8_axis(const bvpi_cluster *c, int axis, u32x8 field[3], f32x8 out[3])
{
    const unsigned width = c->width[axis], mode = c->head.packing[axis] >> 6;
    const uint32_t base = c->head.base[axis];
    if (c->head.table_count[axis] > 0) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            field[k] = bvpi_stream_words(c->table[axis], bvpi_small_products(field[k], width)) &
                       bvpi_ones(width);
    }
    if (mode == BVPD_ORDERED) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            out[k] = bvpi_ordered_floats(~base - field[k]);
    } else if (mode == BVPD_RAW) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            out[k] = (f32x8)field[k];
    } else {
        const double step = bvpi_cluster_step(c->head.scale[axis]);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            out[k] = bvpi_grid_floats(field[k] + base, step);
    }
}

/* Where triangles lie outside, those that the cluster does not have are its last one. */
BVPI_INLINE void bvpi_tri8_decode_outside(const bvpi_cluster *cluster, u32x8 triangle,
                                          bvpi_tri8 *out)
{
    uint32_t local[8];
    float corners[9][8];
    u32x8_store(local, triangle);
    for (int lane = 0; lane < 8; lane++)
        local[lane] =
            local[lane] < cluster->triangle_count ? local[lane] : cluster->triangle_count - 1;
    bvpi_outside_eight(cluster->outside, &cluster->head, local, corners);
    for (int k = 0; k < 9; k++)
        memcpy(&out->c[k], corners[k], sizeof out->c[k]);
}

/* For triangles (0 .. 263) that the cluster does not have, the result is arbitrary; reads stay
 * within the record or the 8192 bytes from its start. */
BVPI_INLINE void bvpi_tri8_decode_lanes(const bvpi_cluster *cluster, u32x8 triangle, bvpi_tri8 *out)
{
    u32x8 local[3], field[3][3];
    if (__builtin_expect(cluster->outside != NULL, 0)) {
        bvpi_tri8_decode_outside(cluster, triangle, out);
        return;
    }
    bvpi_tri8_locals(cluster, triangle, local);
    if (cluster->vertex_width <= 25)
        bvpi_tri8_short_fields(cluster, local, field);
    else
        bvpi_tri8_long_fields(cluster, local, field);
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        f32x8 c[3];
        bvpi_tri8_axis(cluster, axis, field[axis], c);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            out->c[3 * k + axis] = c[k];
    }
}

/* Triangles first .. first + 7 (first: 0 .. 255). */
BVPI_INLINE void bvpi_tri8_decode(const bvpi_cluster *cluster, unsigned first, bvpi_tri8 *out)
{
    const u32x8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    bvpi_tri8_decode_lanes(cluster, lane + first, out);
}

/* The corners of one of the eight triangles. */
BVPI_INLINE void bvpi_tri8_lane(const bvpi_tri8 *tri, unsigned lane, float out[9])
{
    const char *from = (const char *)tri + lane * sizeof *out;
    BVPI_UNROLL
    for (int k = 0; k < 9; k++)
        memcpy(&out[k], from + sizeof tri->c[0] * (unsigned)k, sizeof *out);
}

/* The coordinates of its three corners on an axis, and a zero. */
BVPI_INLINE f64x4 bvpi_tri8_corners(const bvpi_tri8 *tri, unsigned lane, int axis)
{
    const char *from = (const char *)&tri->c[axis] + lane * sizeof(float);
    float c[3];
    BVPI_UNROLL
    for (int k = 0; k < 3; k++)
        memcpy(&c[k], from + 3 * sizeof tri->c[0] * (unsigned)k, sizeof *c);
    return (f64x4){(double)c[0], (double)c[1], (double)c[2], 0};
}

#endif
