/* SPDX-License-Identifier: MIT
 * slow_wide.c: boxes of wide hierarchies, of parts and over the instances.
 * Spec: format.md, chapters 5, 9, 13
 */
#include "slow_wide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "slow_file.h"

typedef struct box {
    uint32_t lo[3], hi[3];
} box;

/* The rotation of a turned grid. Returns 0 if it is not turned. */
static int rotation_of(uint64_t record, double rows[3][3])
{
    int64_t q[4], all = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = (int16_t)number(record + 112 + 2 * k, 2);
        all += q[k] * q[k];
    }
    const int64_t w = q[0], x = q[1], y = q[2], z = q[3];
    const int64_t cells[3][3] = {
        {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int i = 0; i < 3 && all > 0; i++)
        for (int j = 0; j < 3; j++)
            rows[i][j] = (double)cells[i][j] / (double)all;
    return all > 0;
}

/* Of a turned grid, what is around the box, as libbvpack rounds it. */
static void around_turned(double rows[3][3], double lo[3], double hi[3])
{
    double middle[3], radius[3], sizes = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (lo[k] + hi[k]);
        radius[k] = 0.5 * (hi[k] - lo[k]);
        sizes += fabs(lo[k]) + fabs(hi[k]);
    }
    for (int k = 0; k < 3; k++) {
        double far = sizes * 0x1p-48;
        for (int j = 0; j < 3; j++)
            far += fabs(rows[j][k]) * radius[j];
        const double at =
            (rows[0][k] * middle[0] + rows[1][k] * middle[1]) + rows[2][k] * middle[2];
        lo[k] = at - far;
        hi[k] = at + far;
    }
}

static void print_box(const hierarchy *h, const box *b, uint32_t level, unsigned items,
                      uint64_t first)
{
    double lo[3], hi[3], rows[3][3];
    printf("box %u %u %" PRIu64, level, items, first);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = f64(h->record + 48 + 8 * axis) + b->lo[axis] * f64(h->record + 72);
        hi[axis] = f64(h->record + 48 + 8 * axis) + b->hi[axis] * f64(h->record + 72);
    }
    if (rotation_of(h->record, rows))
        around_turned(rows, lo, hi);
    printf(" %a %a %a %a %a %a\n", lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
}

static unsigned shift_of(uint32_t extent)
{
    int log2 = -1;
    for (; extent != 0; extent >>= 1)
        log2++;
    return log2 > 7 ? (unsigned)log2 - 7 : 0;
}

static box lane_box(uint64_t node, int lane, const box *frame)
{
    box b;
    for (int axis = 0; axis < 3; axis++) {
        const unsigned s = shift_of(frame->hi[axis] - frame->lo[axis]);
        b.lo[axis] = frame->lo[axis] + ((uint32_t)u8(node + 16 * axis + lane) << s);
        b.hi[axis] = frame->lo[axis] + ((uint32_t)u8(node + 16 * axis + 8 + lane) << s);
    }
    return b;
}

static uint64_t first_item(const hierarchy *h, uint32_t geom)
{
    if (h->is_top)
        return geom;
    const uint64_t cluster = h->units + ((uint64_t)(geom >> 8) << h->shift);
    return (uint64_t)u32(cluster + 28) + (geom & 255);
}

/* Prints the boxes of `wanted`, and leaves above; returns how many inner ones there were. */
static uint64_t print_boxes(const hierarchy *h, uint32_t unit, const box *frame, uint32_t level,
                            uint32_t wanted)
{
    if (level == wanted) {
        print_box(h, frame, level, 0, 0);
        return 1;
    }
    const uint64_t node = h->units + 64 * (uint64_t)unit;
    uint64_t first = 0, inner = 0;
    uint32_t child = u32(node + 56);
    for (int lane = 0; lane < 8; lane++)
        if (u8(node + 48 + lane) >= 1 && u8(node + 48 + lane) <= 8)
            first = first_item(h, u32(node + 60));
    for (int lane = 0; lane < 8; lane++) {
        const uint8_t meta = u8(node + 48 + lane);
        if (meta == 0)
            continue;
        const box b = lane_box(node, lane, frame);
        if (meta == 0x80) {
            inner += print_boxes(h, child++, &b, level + 1, wanted);
        } else {
            print_box(h, &b, level + 1, meta, first);
            first += meta;
        }
    }
    return inner;
}

uint64_t print_level(const hierarchy *h, uint32_t level)
{
    box root = {{0, 0, 0}, {0, 0, 0}};
    for (int axis = 0; axis < 3; axis++)
        root.hi[axis] = u32(h->record + 80 + 4 * axis);
    return print_boxes(h, u32(h->record + 24), &root, 0, level);
}

void print_hierarchy(const hierarchy *h)
{
    for (uint32_t level = 0; print_level(h, level) > 0; level++)
        printf("level\n");
}
