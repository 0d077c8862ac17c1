/* SPDX-License-Identifier: MIT
 * broad_move_kernel.c: moves bodies, one after another, all axes at once; compiled once per
 * instruction set.
 *
 * A placement is accepted at first sight as by bvpi_placement_is_plain(); that its translation is
 * in range follows from the box, which is looked at anyway. Whatever is not so accepted is left to
 * the caller.
 *
 * Slow twin: bvpi_body_bounds_place(); tests/property/test_broad.c moves by either.
 * Measured: decisions.md, "Many moving bodies"
 */
#include <string.h>

#include "broad/broad.h"
#include "broad/place_box.h"

/* The determinant is first column . (second x third). */
BVPI_INLINE bool is_plain(const f64x4 columns[4])
{
    const f64x4 rows = f64x4_abs(columns[0]) + f64x4_abs(columns[1]) + f64x4_abs(columns[2]);
    const f64x4 cross =
        f64x4_turn(columns[1] * f64x4_turn(columns[2]) - f64x4_turn(columns[1]) * columns[2]);
    double sums[2];
    f64x4_sums(rows, columns[0] * cross, sums);
    const double linear = sums[0], det = __builtin_fabs(sums[1]);
    return linear > 0x1p-100 && linear < 0x1p100 && det > 0x1p-30 * linear * linear * linear;
}

/* Is lo .. hi in the fat box? */
BVPI_INLINE bool is_within(const bvpi_fat_box *fat, f64x4 lo, f64x4 hi)
{
    const f32x8 ends = f32x8_load(fat->lo);
    const i64x4 is = f64x4_le(f64x4_from_low(ends), lo) & f64x4_le(hi, f64x4_from_high(ends));
    return (i64x4_movemask(is) & 7) == 7;
}

/* False: the placement does not please at first sight, and nothing has changed. */
BVPI_INLINE bool move_body(bvp_broad *broad, uint32_t slot, const double m[12])
{
    f64x4 lo, hi, columns[4];
    const unsigned flags = broad->flags[slot];
    bvpi_place_columns(m, columns);
    if ((flags & BVPI_BROAD_EMPTY) != 0 || !is_plain(columns))
        return false;
    bvpi_place_box(&broad->boxes[slot], columns, &lo, &hi);
    const bool has_slack = (flags & BVPI_BROAD_SLACK) != 0;
    bvpi_place_more(has_slack ? broad->slots[slot].own.slack : NULL, columns, broad->grow, &lo,
                    &hi);
    if (!bvpi_is_in_reach(lo, hi))
        return false;
    const f64x4 rows[3] = {f64x4_load(m), f64x4_load(m + 4), f64x4_load(m + 8)};
    for (int k = 0; k < 3; k++)
        f64x4_store(broad->placements[slot] + 4 * k, rows[k]);
    f64x4_store3_3(&broad->bounds[slot].lo[0], lo, hi);
    const bool has_left = !is_within(&broad->fat[slot], lo, hi);
    bvpi_broad_note(broad, slot, BVPI_BROAD_MOVED | (has_left ? BVPI_BROAD_LEFT : 0));
    return true;
}

static uint64_t move(bvp_broad *broad, const bvp_broad_id *ids, const double (*placements)[12],
                     uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        const uint32_t slot = bvpi_broad_slot_of(broad, ids[k]);
        if (slot == BVP_NONE || !move_body(broad, slot, placements[k]))
            return k;
    }
    return count;
}

static void fatten_all(bvp_broad *broad, uint32_t reach)
{
    for (uint32_t slot = 0; slot < broad->slot_count; slot++)
        if (bvpi_broad_has_box(broad, slot))
            bvpi_fat_box_renew(&broad->bounds[slot], reach, broad->fattening.step,
                               &broad->fat[slot]);
}

const bvpi_broad_mover BVPI_ISA_NAME(bvpi_broad_mover) = {move, fatten_all};
