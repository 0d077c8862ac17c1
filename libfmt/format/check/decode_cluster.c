/* SPDX-License-Identifier: MIT
 * decode_cluster.c: all corners and coordinates of a cluster record at once.
 *
 * What bvpi_cluster_coordinate looks at for each number, how an axis is packed and whether it has a
 * table, is looked at once for each axis here. Slow twin: node/cluster_record.h; held equal by
 * tests/unit/test_cluster.c.
 * Spec: format.md, chapter "Cluster records"
 * Measured: decisions.md, "Verification in fewer instructions"
 */
#include "format/check/decode_cluster.h"

#include "base/simd.h"

#include <assert.h>
#include <string.h>

/* The next of numbers of `width` bits (0 .. 32). */
static inline uint32_t take(const uint8_t *stream, uint32_t bit, uint64_t mask)
{
    uint64_t word;
    memcpy(&word, stream + bit / 8, sizeof word);
    return (uint32_t)(word >> (bit % 8) & mask);
}

/* As bvpi_cluster_corners, but what holds for all triangles is loaded once. */
static void decode_corners(bvpi_decoded_cluster *d)
{
    const bvpi_cluster *cluster = &d->cluster;
    const uint8_t *stream = cluster->corners;
    const unsigned first_width = cluster->first_width, delta_width = cluster->delta_width;
    const uint32_t first_mask = (1u << first_width) - 1, delta_mask = (1u << delta_width) - 1;
    const uint32_t base = cluster->head.corner_base, stride = cluster->corners_width;
    const uint32_t count = cluster->triangle_count;
    uint32_t largest = 0;
    for (uint32_t i = 0, bit = 0; i < count; i++, bit += stride) {
        const uint32_t fields = take(stream, bit, UINT32_MAX); /* of which 24 bits are used */
        const uint32_t a = fields & first_mask;
        const uint32_t b = (a + (fields >> first_width & delta_mask) + base) & 255;
        const uint32_t c = (a + (fields >> (first_width + delta_width) & delta_mask) + base) & 255;
        d->corner[i][0] = (uint16_t)a;
        d->corner[i][1] = (uint16_t)b;
        d->corner[i][2] = (uint16_t)c;
        largest = a > largest ? a : largest;
        largest = b > largest ? b : largest;
        largest = c > largest ? c : largest;
    }
    d->vertex_end = largest + 1;
}

/* `count` coordinates of an axis, whose codes of c->width bits are `stride` bits apart; out_step:
 * floats from one to the next. */
static inline void decode_codes(const bvpi_cluster *c, int axis, const uint8_t *stream,
                                uint32_t bit, uint32_t stride, uint32_t count, float *out,
                                size_t out_step)
{
    const uint64_t mask = (UINT64_C(1) << c->width[axis]) - 1;
    const uint32_t base = c->head.base[axis];
    const double step = bvpi_cluster_step(c->head.scale[axis]);
    assert(c->width[axis] <= 32);
    switch (c->head.packing[axis] >> 6) {
    case BVPD_RAW:
        for (uint32_t i = 0; i < count; i++, bit += stride, out += out_step)
            *out = bvpi_float_of_bits(take(stream, bit, mask));
        break;
    case BVPD_ORDERED:
        for (uint32_t i = 0; i < count; i++, bit += stride, out += out_step) {
            const uint32_t value = base + take(stream, bit, mask);
            *out = bvpi_float_of_bits(value >> 31 ? value & 0x7fffffff : ~value);
        }
        break;
    default:
        for (uint32_t i = 0; i < count; i++, bit += stride, out += out_step)
            *out = (float)((double)(int32_t)(base + take(stream, bit, mask)) * step);
    }
}

static void decode_axis(bvpi_decoded_cluster *d, int axis, uint32_t count)
{
    const bvpi_cluster *c = &d->cluster;
    const unsigned field_width = c->field_width[axis];
    uint32_t bit = c->field_at[axis];
    assert(count <= BVPD_CLUSTER_VERTICES);
    if (c->head.table_count[axis] == 0) {
        decode_codes(c, axis, c->vertices, bit, c->vertex_width, count, &d->position[0][axis], 4);
        return;
    }
    /* an index may be beyond the table, which violates CLU-12; what follows is decoded for it */
    float entry[BVPD_CLUSTER_VERTICES];
    decode_codes(c, axis, c->table[axis], 0, c->width[axis], 1u << field_width, entry, 1);
    const uint64_t mask = (UINT64_C(1) << field_width) - 1;
    for (uint32_t i = 0; i < count; i++, bit += c->vertex_width)
        d->position[i][axis] = entry[take(c->vertices, bit, mask)];
}

static void decode_outside(bvpi_decoded_cluster *d)
{
    const bvpi_cluster *cluster = &d->cluster;
    d->vertex_end = 3 * cluster->triangle_count;
    for (uint32_t i = 0; i < cluster->triangle_count; i++) {
        float corners[9];
        bvpi_cluster_triangle(cluster, i, corners);
        for (uint32_t k = 0; k < 3; k++) {
            d->corner[i][k] = (uint16_t)(3 * i + k);
            memcpy(d->position[3 * i + k], corners + 3 * k, 3 * sizeof *corners);
        }
    }
}

void bvpi_decode_cluster(bvpi_decoded_cluster *d)
{
    const bvpi_cluster *cluster = &d->cluster;
    if (cluster->outside) {
        decode_outside(d);
    } else {
        decode_corners(d);
        const uint32_t count =
            d->vertex_end > cluster->vertex_count ? d->vertex_end : cluster->vertex_count;
        for (int axis = 0; axis < 3; axis++)
            decode_axis(d, axis, count);
    }
    const uint32_t end =
        d->vertex_end > cluster->vertex_count ? d->vertex_end : cluster->vertex_count;
    /* the exponent of a number that is not finite is all ones */
    const bvpi_i32x4 exponent = {0x7f800000, 0x7f800000, 0x7f800000, INT32_MIN};
    bvpi_i32x4 found = {0};
    for (uint32_t i = 0; i < end; i++) {
        bvpi_i32x4 bits;
        memcpy(&bits, d->position[i], sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    d->is_finite = (found[0] | found[1] | found[2]) == 0;
}
