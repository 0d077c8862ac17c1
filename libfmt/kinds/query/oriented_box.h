/* SPDX-License-Identifier: MIT
 * oriented_box.h: an oriented box from a node's 13 bytes, three axes at a time; for kernels. The
 * same bits as bvpi_oriented_volume: tests/unit/test_oriented.c.
 * Spec: format.md, chapter "Oriented volumes".
 */
#ifndef BVPI_KINDS_QUERY_ORIENTED_BOX_H
#define BVPI_KINDS_QUERY_ORIENTED_BOX_H

#include "kinds/node/oriented_node.h"
#include "prim/obb_obb.h"

/* Lanes of whole numbers below 2^52, and their doubles. */
BVPI_INLINE f64x4 oriented_lanes_f64(u64x4 v)
{
    return (f64x4)(v | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* The quaternion (x, y, z, w). */
BVPI_INLINE f64x4 oriented_quaternion(uint32_t rotation)
{
    static const i64x4 lane_of[4] = {{0, 0, 0, -1}, {-1}, {0, -1}, {0, 0, -1}};
    const unsigned largest = rotation >> 30, at = 10 * largest;
    const uint64_t stored = rotation & 0x3fffffff, below = stored & ((UINT64_C(1) << at) - 1);
    /* all four fields; the largest's stands for 0 */
    const uint64_t fields = (stored - below) << 10 | UINT64_C(512) << at | below;
    const u64x4 shift = {10, 20, 30, 0}, all = {fields, fields, fields, fields};
    const f64x4 q = (oriented_lanes_f64(all >> shift & 1023) - 512) * BVPI_ROTATION_STEP;
    const f64x4 square = q * q;
    const double sum = square[3] + square[0] + square[1] + square[2];
    return f64x4_select(lane_of[largest], f64x4_splat(sqrt(sum < 1 ? 1 - sum : 0)), q);
}

/* axis: as bvpi_obb has them. */
BVPI_INLINE void oriented_axes(uint32_t rotation, double axis[3][4])
{
    const i64x4 x = {-1}, y = {0, -1}, z = {0, 0, -1};
    const f64x4 q = oriented_quaternion(rotation), q1 = f64x4_turn(q), q2 = f64x4_turn(q1);
    const f64x4 square1 = q1 * q1, square2 = q2 * q2;
    const f64x4 product = q * q1, by_w = q2 * q[3]; /* xy yz zx; zw xw yw */
    const i64x4 own = (i64x4)(1 - (square1 + square2) * 2);
    const i64x4 sum = (i64x4)((product + by_w) * 2);
    const i64x4 less = (i64x4)f64x4_turn(f64x4_turn((product - by_w) * 2));
    f64x4_store(axis[0], (f64x4)((own & x) | (less & y) | (sum & z)));
    f64x4_store(axis[1], (f64x4)((sum & x) | (own & y) | (less & z)));
    f64x4_store(axis[2], (f64x4)((less & x) | (sum & y) | (own & z)));
}

/* The code of no rotation at all: the part's own axes. */
enum { ORIENTED_UNTURNED = 512 << 20 | 512 << 10 | 512 };

/* What a child's payload is relative to. */
typedef struct oriented_above {
    double centre[4], reach; /* centre[3]: 0 */
} oriented_above;

/* The grid box, between whose sides all triangles lie; [3]: 0. */
typedef struct oriented_grid {
    double lo[4], hi[4];
} oriented_grid;

/* Sizes are stored a few per cent too large. What stands out of the grid box, which holds the part
 * (HIE-17), is cut off a box along the part's axes. */
BVPI_INLINE void oriented_cut(const oriented_grid *grid, bvpi_obb *box)
{
    const f64x4 centre = f64x4_load(box->centre), half = f64x4_load(box->half);
    const f64x4 lo = f64x4_max(centre - half, f64x4_load(grid->lo));
    const f64x4 hi = f64x4_max(f64x4_min(centre + half, f64x4_load(grid->hi)), lo);
    f64x4_store(box->half, (hi - lo) * 0.5);
    f64x4_store(box->centre, (hi + lo) * 0.5);
}

/* The node's box in its part; own: what its children's payloads are relative to. */
BVPI_INLINE void oriented_box(const oriented_grid *grid, const oriented_above *above,
                              const uint8_t *payload, oriented_above *own, bvpi_obb *out)
{
    const uint32_t rotation = bvpi_peek_u32(payload);
    const uint64_t offsets = bvpi_peek_u64(payload + 4);
    const uint64_t codes = bvpi_peek_u32(payload + 9) >> 8;
    const u64x4 shift = {0, 16, 32, 0}, words = {0xffff, 0xffff, 0xffff, 0};
    const u64x4 all_offsets = {offsets, offsets, offsets, 0}, all_codes = {codes, codes, codes, 0};
    const f64x4 steps =
        oriented_lanes_f64((all_offsets >> shift & words) ^ UINT64_C(0x8000)) - 0x1p15;
    const u64x4 code = all_codes >> (shift >> 1) & 255;
    /* a code's bits, below an exponent that counts down, are a double's */
    const f64x4 size = (f64x4)(((1023 - (code >> 4)) << 52) | (code & 15) << 48) * above->reach;
    const f64x4 sizes =
        f64x4_select(f64x4_gt(oriented_lanes_f64(code), f64x4_splat(0)), size, f64x4_splat(0));
    const f64x4 centre = f64x4_load(above->centre) + steps * 0x1p-14 * above->reach;
    oriented_axes(rotation, out->axis);
    f64x4_store(out->half, sizes);
    f64x4_store(out->centre, centre);
    f64x4_store(own->centre, centre);
    own->reach = sizes[0] + sizes[1] + sizes[2];
    if (rotation == ORIENTED_UNTURNED)
        oriented_cut(grid, out);
}

/* The grid box; above: what the root's payload is relative to, that box, too. */
static inline void oriented_grid_init(const bvpi_binary *tree, oriented_grid *out,
                                      oriented_above *above)
{
    bvpi_oriented frame;
    bvpi_oriented_frame(tree, &frame);
    *out = (oriented_grid){{0}, {0}};
    *above = (oriented_above){.reach = frame.reach};
    for (int i = 0; i < 3; i++) {
        above->centre[i] = frame.centre[i];
        out->lo[i] = frame.centre[i] - frame.size[i];
        out->hi[i] = frame.centre[i] + frame.size[i];
    }
}

#endif
