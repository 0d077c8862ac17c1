/* SPDX-License-Identifier: MIT
 * slow_triangles.c: decodes cluster records, and triangles that lie outside of the file.
 * Spec: format.md, chapters 6, 6.1, 7
 */
#include "slow_triangles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slow_file.h"

/* ---- chapters 6 and 7: clusters -------------------------------------------------------------- */

static uint32_t bits_at(uint64_t stream, uint64_t first, unsigned width)
{
    uint32_t value = 0;
    for (uint64_t k = 0; k < width; k++)
        value |= (uint32_t)(u8(stream + (first + k) / 8) >> (first + k) % 8 & 1) << k;
    return value;
}

static uint32_t field(uint64_t stream, unsigned width, uint32_t i)
{
    return bits_at(stream, (uint64_t)i * width, width);
}

static double step_of(uint8_t scale)
{
    static const char *const decimal[16] = {"1e0",   "1e-1",  "1e-2",  "1e-3", "1e-4",  "1e-5",
                                            "1e-6",  "1e-7",  "1e-8",  "1e-9", "1e-10", "1e-11",
                                            "1e-12", "1e-13", "1e-14", "1e-15"};
    if (scale < 16)
        return strtod(decimal[scale], NULL);
    double step = 1;
    for (int i = 128; i < scale; i++)
        step *= 2;
    for (int i = 128; i > scale; i--)
        step /= 2;
    return step;
}

static uint32_t vertices_of(uint64_t cluster)
{
    return u8(cluster) + 1u;
}

uint32_t triangles_of(uint64_t cluster)
{
    return u8(cluster + 1) + 1u;
}

static uint64_t after(uint64_t stream, uint32_t count, unsigned width)
{
    return stream + ((uint64_t)count * width + 7) / 8;
}

static unsigned corner_width(uint64_t cluster, int corner)
{
    return (u8(cluster + 7) >> (corner == 0 ? 0 : 3) & 7) + 1u;
}

static unsigned triangle_width(uint64_t cluster)
{
    return corner_width(cluster, 0) + 2 * corner_width(cluster, 1);
}

static int is_over_buffers(void)
{
    return (u32(24) & OVER) != 0;
}

uint32_t corner_of(uint64_t cluster, uint32_t triangle, int corner)
{
    if (is_over_buffers())
        return 3 * triangle + (uint32_t)corner;
    const uint64_t first = (uint64_t)triangle * triangle_width(cluster);
    const uint32_t a = bits_at(cluster + 36, first, corner_width(cluster, 0));
    if (corner == 0)
        return a;
    const uint64_t at = first + corner_width(cluster, 0) + (corner - 1) * corner_width(cluster, 1);
    return (a + u8(cluster + 11) + bits_at(cluster + 36, at, corner_width(cluster, 1))) % 256;
}

static unsigned width_of(uint64_t cluster, int axis)
{
    return u8(cluster + 4 + axis) & 63;
}

static uint32_t entries_of(uint64_t cluster, int axis)
{
    return u8(cluster + 12 + axis);
}

/* Bits of an axis in the stream of vertices. */
static unsigned field_width(uint64_t cluster, int axis)
{
    unsigned bits = 0;
    if (entries_of(cluster, axis) == 0)
        return width_of(cluster, axis);
    while ((entries_of(cluster, axis) - 1) >> bits != 0)
        bits++;
    return bits;
}

static uint64_t table_of(uint64_t cluster, int axis)
{
    const uint64_t vertices = after(cluster + 36, triangles_of(cluster), triangle_width(cluster));
    unsigned width = 0;
    for (int i = 0; i < 3; i++)
        width += field_width(cluster, i);
    uint64_t table = after(vertices, vertices_of(cluster), width);
    for (int i = 0; i < axis; i++)
        table = after(table, entries_of(cluster, i), width_of(cluster, i));
    return table;
}

static uint32_t stored(uint64_t cluster, int axis, uint32_t vertex)
{
    const uint64_t vertices = after(cluster + 36, triangles_of(cluster), triangle_width(cluster));
    uint64_t width = 0, before = 0;
    for (int i = 0; i < 3; i++) {
        width += field_width(cluster, i);
        before += i < axis ? field_width(cluster, i) : 0;
    }
    const uint32_t found = bits_at(vertices, vertex * width + before, field_width(cluster, axis));
    if (entries_of(cluster, axis) == 0)
        return found;
    return field(table_of(cluster, axis), width_of(cluster, axis), found);
}

static float coordinate(uint64_t cluster, int axis, uint32_t vertex)
{
    const uint8_t packing = u8(cluster + 4 + axis);
    const uint32_t base = u32(cluster + 16 + 4 * axis);
    const uint32_t bits = stored(cluster, axis, vertex);
    const uint32_t v = base + bits;
    if (packing >> 6 == 0)
        return float_of(bits);
    if (packing >> 6 == 1)
        return float_of(v >= 0x80000000u ? v - 0x80000000u : ~v);
    const double product = (double)(int32_t)v * step_of(u8(cluster + 8 + axis));
    return (float)product;
}

static uint64_t source_number(uint64_t head, uint64_t packed, uint32_t local)
{
    const unsigned width = u8(head + 4), gap_count = u8(head + 5), gap_width = u8(head + 6);
    const uint64_t gaps = (uint64_t)gap_count * (width + gap_width);
    const uint32_t f = bits_at(packed, gaps + (uint64_t)local * width, width);
    uint64_t skip = 0;
    for (unsigned i = 0; i < gap_count; i++) {
        const uint64_t gap = (uint64_t)i * (width + gap_width);
        if (bits_at(packed, gap, width) <= f)
            skip = bits_at(packed, gap + width, gap_width);
    }
    return u32(head) + f + skip;
}

static uint64_t number_of(uint64_t part_record, uint64_t cluster, uint32_t local)
{
    const uint64_t ids = tids.offset + u64(part_record + 96) + 4 * (uint64_t)u32(cluster + 32);
    if (u64(part_record + 104) == 0)
        return (uint64_t)u32(cluster + 28) + local;
    if (is_over_buffers()) /* chapter 6.1 */
        return source_number(cluster + 16, ids, local);
    return source_number(ids, ids + 8, local);
}

/* ---- chapter 6.1: triangles outside ---------------------------------------------------------- */

uint64_t now_part;

static uint64_t in_chunk(uint64_t offset, uint64_t size)
{
    uint64_t value = 0;
    if (offset > chunk_size || chunk_size - offset < size)
        fail("buffers leave the binary chunk");
    for (uint64_t i = 0; i < size; i++)
        value |= (uint64_t)chunk[offset + i] << (8 * i);
    return value;
}

static uint64_t size_of_type(uint32_t type)
{
    return type <= 5121 ? 1 : type <= 5123 ? 2 : 4;
}

/* A coordinate of corner vertex % 3 of local triangle vertex / 3. */
static float outside_coordinate(uint64_t cluster, int axis, uint32_t vertex)
{
    const uint32_t own = (uint32_t)((now_part - part.offset) / 256);
    uint64_t triangle = number_of(now_part, cluster, vertex / 3), r = bufs.offset;
    while (u32(r) != own || triangle - u32(r + 4) >= u32(r + 28))
        r += 64;
    triangle -= u32(r + 4);
    const uint32_t type = (uint32_t)number(r + 36, 2), index_type = (uint32_t)number(r + 38, 2);
    uint64_t index = 3 * triangle + vertex % 3;
    if (index_type != 0)
        index = in_chunk(u64(r + 16) + index * size_of_type(index_type), size_of_type(index_type));
    if (index >= u32(r + 24))
        fail("an index lies beyond the vertices");
    const uint64_t size = size_of_type(type);
    const uint64_t bits = in_chunk(u64(r + 8) + index * u32(r + 32) + size * (uint64_t)axis, size);
    if (type == 5126)
        return float_of((uint32_t)bits);
    const float c = type == 5120   ? (float)(int8_t)bits
                    : type == 5122 ? (float)(int16_t)bits
                                   : (float)bits;
    if (u32(r + 40) == 0)
        return c;
    const float quotient = c / (type == 5120   ? 127.f
                                : type == 5121 ? 255.f
                                : type == 5122 ? 32767.f
                                               : 65535.f);
    return quotient < -1 ? -1 : quotient;
}

float corner_coordinate(uint64_t cluster, int axis, uint32_t vertex)
{
    return is_over_buffers() ? outside_coordinate(cluster, axis, vertex)
                             : coordinate(cluster, axis, vertex);
}

void print_triangle(uint64_t part_record, uint64_t cluster, uint32_t local)
{
    printf("triangle %" PRIu64, number_of(part_record, cluster, local));
    for (int corner = 0; corner < 3; corner++) {
        const uint32_t vertex = corner_of(cluster, local, corner);
        for (int axis = 0; axis < 3; axis++) {
            const float value = corner_coordinate(cluster, axis, vertex);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            printf(" %08x", bits);
        }
    }
    printf("\n");
}
