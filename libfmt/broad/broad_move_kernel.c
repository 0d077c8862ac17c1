/* SPDX-License-Identifier: MIT
 * broad_move_kernel.c: moves bodies, four at once, a lane each, or one, a lane for each axis;
 * compiled once per instruction set.
 *
 * A placement is accepted at first sight as by bvpi_placement_is_plain(); that its translation is
 * in range follows from the box, which is looked at anyway. Whatever is not so accepted is left to
 * the caller. Four bodies whose slots are not in a row, or of which one is not accepted, is an
 * assembly, has no box or leaves its fat box, are moved one by one.
 *
 * Slow twin: bvpi_body_bounds_place(); tests/property/test_broad.c moves by either.
 * Measured: decisions.md, "Many moving bodies"
 */
#include <string.h>

#include "broad/broad.h"
#include "broad/four_lanes.h"
#include "broad/place_box.h"

enum { ALONE_MOST = 64 }; /* bodies that are moved one by one before four are tried again */

/* In registers of two doubles four bodies at once take longer than one by one. */
#ifdef __AVX2__
enum { AT_ONCE = 4 };
#else
enum { AT_ONCE = 1 };
#endif

/* ---- one body -------------------------------------------------------------------------------- */

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
    const f32x8 ends = f32x8_load((const float *)fat);
    const i64x4 is = f64x4_le(f64x4_from_low(ends), lo) & f64x4_le(hi, f64x4_from_high(ends));
    return (i64x4_movemask(is) & 7) == 7;
}

/* They may be the same. */
BVPI_INLINE void copy_placement(const double m[12], double out[12])
{
    const f64x4 x = f64x4_load(m), y = f64x4_load(m + 4), z = f64x4_load(m + 8);
    f64x4_store(out, x);
    f64x4_store(out + 4, y);
    f64x4_store(out + 8, z);
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
    copy_placement(m, broad->placements[slot]);
    f64x4_store3_3(&broad->bounds[slot].lo[0], lo, hi);
    const bool has_left = !is_within(&broad->fat[slot], lo, hi);
    bvpi_broad_note(broad, slot, BVPI_BROAD_MOVED | (has_left ? BVPI_BROAD_LEFT : 0));
    return true;
}

/* ---- four bodies ----------------------------------------------------------------------------- */

/* m[i][k]: entry k of row i, a body in each lane. */
BVPI_INLINE i64x4 are_plain(f64x4 m[3][4])
{
    f64x4 linear[3], det[3];
    BVPI_UNROLL
    for (int i = 0; i < 3; i++) {
        const f64x4 *a = m[i], *b = m[(i + 1) % 3], *c = m[(i + 2) % 3];
        linear[i] = f64x4_abs(a[0]) + f64x4_abs(a[1]) + f64x4_abs(a[2]);
        det[i] = a[0] * (b[1] * c[2] - c[1] * b[2]);
    }
    const f64x4 size = linear[0] + linear[1] + linear[2];
    return f64x4_gt(size, f64x4_splat(0x1p-100)) & f64x4_lt(size, f64x4_splat(0x1p100)) &
           f64x4_gt(f64x4_abs(det[0] + det[1] + det[2]), 0x1p-30 * size * size * size);
}

/* fat: of the first of the four. ends: lo, hi */
BVPI_INLINE i64x4 are_within(const bvpi_fat_box *fat, const f64x4 ends[6])
{
    f32x8 v[4];
    i64x4 are[3];
    BVPI_UNROLL
    for (int j = 0; j < 4; j++)
        v[j] = f32x8_load((const float *)&fat[j]);
    bvpi_transpose_halves(v);
    BVPI_UNROLL
    for (int axis = 0; axis < 3; axis++)
        are[axis] = f64x4_le(f64x4_from_low(v[axis]), ends[axis]) &
                    f64x4_le(ends[3 + axis], f64x4_from_high(v[axis]));
    return are[0] & are[1] & are[2];
}

/* Are the ids of four bodies in a row of slots? */
BVPI_INLINE bool are_in_a_row(const bvp_broad *broad, const bvp_broad_id *ids)
{
    const uint64_t first = ids[0] >> 32;
    if (first + 4 > broad->slot_count)
        return false;
    u64x4 given;
    memcpy(&given, ids, sizeof given);
    const uint32_t *at = broad->names + first;
    const u64x4 names = {at[0], at[1], at[2], at[3]};
    const u64x4 slots = {first, first + 1, first + 2, first + 3};
    /* not 0: another id, or a name 0 */
    const u64x4 wrong = (given ^ (slots << 32 | names)) | (names - 1) >> 32;
    return (wrong[0] | wrong[1] | wrong[2] | wrong[3]) == 0;
}

/* The same flag of four in a row, a byte each. */
#define IN_EACH(flag) (UINT32_C(0x01010101) * (flag))

/* Notes of four in a row that they have moved; flags: theirs. */
BVPI_INLINE void note_moved(bvp_broad *broad, uint32_t slot, uint32_t flags)
{
    if ((flags & IN_EACH(BVPI_BROAD_MOVED)) != 0) {
        for (uint32_t j = 0; j < 4; j++)
            bvpi_broad_note(broad, slot + j, BVPI_BROAD_MOVED);
        return;
    }
    flags |= IN_EACH(BVPI_BROAD_MOVED);
    memcpy(broad->flags + slot, &flags, sizeof flags);
    for (uint32_t j = 0; j < 4; j++)
        broad->moved[broad->moved_count + j] = slot + j;
    broad->moved_count += 4;
}

/* Moves four bodies in a row of slots that stay in their fat boxes, and so in reach. False: some
 * are not so, or not plain; nothing has changed. */
static bool move_four(bvp_broad *broad, const bvp_broad_id *ids, const double (*placements)[12])
{
    uint32_t flags;
    f64x4 m[3][4], box[6], ends[6];
    if (!are_in_a_row(broad, ids))
        return false;
    const uint32_t slot = (uint32_t)(ids[0] >> 32);
    memcpy(&flags, broad->flags + slot, sizeof flags);
    if ((flags & IN_EACH(BVPI_BROAD_EMPTY | BVPI_BROAD_SLACK)) != 0)
        return false;
    bvpi_load_4x6((const double *)&broad->boxes[slot], box);
    for (int i = 0; i < 3; i++) {
        f64x4 row[4];
        BVPI_UNROLL
        for (int j = 0; j < 4; j++)
            row[j] = f64x4_load(placements[j] + 4 * i);
        bvpi_transpose_4x4(row);
        bvpi_place_ends(row, box, box + 3, &ends[i], &ends[3 + i]);
        if (broad->grow > 0)
            bvpi_grow_box(f64x4_splat(broad->grow), &ends[i], &ends[3 + i]);
        BVPI_UNROLL
        for (int k = 0; k < 3; k++)
            m[i][k] = row[k];
    }
    if (i64x4_movemask(are_plain(m) & are_within(broad->fat + slot, ends)) != 15)
        return false;
    bvpi_store_4x6((double *)&broad->bounds[slot], ends);
    for (uint32_t j = 0; j < 4; j++)
        copy_placement(placements[j], broad->placements[slot + j]);
    note_moved(broad, slot, flags);
    return true;
}

/* After each four in turn that could not be moved at once, twice as many are moved one by one. */
static uint64_t move(bvp_broad *broad, const bvp_broad_id *ids, const double (*placements)[12],
                     uint64_t count)
{
    uint64_t k = 0, alone = 4, until = 0;
    while (k < count) {
        if (AT_ONCE == 4 && k + 4 <= count && k >= until) {
            if (move_four(broad, ids + k, placements + k)) {
                k += 4;
                alone = 4;
                continue;
            }
            until = k + alone;
            alone = alone < ALONE_MOST ? 2 * alone : alone;
        }
        const uint32_t slot = bvpi_broad_slot_of(broad, ids[k]);
        if (slot == BVP_NONE || !move_body(broad, slot, placements[k]))
            return k;
        k++;
    }
    return count;
}

static void fatten_all(bvp_broad *broad, uint32_t reach)
{
    for (uint32_t slot = 0; slot < broad->slot_count; slot++)
        if (bvpi_broad_has_box(broad, slot))
            bvpi_fat_box_renew(&broad->bounds[slot], reach, broad->fattening.step,
                               &broad->origins[slot], &broad->fat[slot]);
}

const bvpi_broad_mover BVPI_ISA_NAME(bvpi_broad_mover) = {move, fatten_all};
