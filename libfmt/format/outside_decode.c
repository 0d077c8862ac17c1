/* SPDX-License-Identifier: MIT
 * outside_decode.c: triangles in buffers outside of a file: their corners, and the hash that tells
 * whether they are those that were packed.
 *
 * The arithmetic is that of glTF's decoders: a float is itself, an integer c its float; normalized,
 * c / m, one division of floats, at least -1. So a part over buffers has, bit for bit, the
 * coordinates that packing the asset gives, and the answers follow.
 *
 * Held by tests/property/test_outside.c: answers are those of the file that holds its triangles.
 * Spec: format.md, chapter "Triangles outside"; glTF 2.0, 3.6.2 and 3.11
 */
#include "format/outside.h"

#include "base/meter.h"
#include "format/checksum.h"
#include "format/record.h"
#include "format/triangle_ids.h"

#include <assert.h>
#include <string.h>

const bvpi_outside bvpi_no_buffers;

/* ---- what a caller gives --------------------------------------------------------------------- */

uint32_t bvpi_component_size(uint32_t type)
{
    switch (type) {
    case BVP_INT8:
    case BVP_UINT8:
        return 1;
    case BVP_INT16:
    case BVP_UINT16:
        return 2;
    case BVP_UINT32:
    case BVP_FLOAT32:
        return 4;
    default:
        return 0;
    }
}

static uint32_t type_of(const bvp_buffers *given)
{
    return given->position_type ? (uint32_t)given->position_type : BVP_FLOAT32;
}

static size_t stride_of(const bvp_buffers *given)
{
    return given->position_stride ? given->position_stride
                                  : 3 * bvpi_component_size(type_of(given));
}

static bool is_index_type(uint32_t type)
{
    return type == BVP_UINT8 || type == BVP_UINT16 || type == BVP_UINT32;
}

const char *bvpi_buffers_fault(const bvp_buffers *given)
{
    const uint32_t type = type_of(given), size = 3 * bvpi_component_size(type);
    const uint64_t most = PTRDIFF_MAX;
    if (size == 0 || type == BVP_UINT32)
        return "the type of their positions is none of float32, and of integers of 8 and 16 bits";
    if (given->normalized && type == BVP_FLOAT32)
        return "floats cannot be normalized";
    if (given->vertex_count > UINT32_MAX || given->triangle_count > UINT32_MAX)
        return "they have 2^32 vertices or triangles, or more";
    if (stride_of(given) < size)
        return "their vertices overlap: the stride is less than three numbers take";
    if (given->vertex_count > 0 &&
        (stride_of(given) > most || given->vertex_count > (most - size) / stride_of(given) + 1))
        return "their vertices do not fit in memory: the stride is too large";
    if (given->vertex_count > 0 && !given->positions)
        return "they have vertices, but no positions";
    if (given->indices ? !is_index_type((uint32_t)given->index_type) : given->index_type != 0)
        return "the type of their indices is none of uint8, uint16 and uint32; without indices 0";
    if (given->indices && given->triangle_count > most / 12)
        return "their indices do not fit in memory";
    if (!given->indices && 3 * given->triangle_count > given->vertex_count)
        return "they have no indices, and fewer than three vertices for each triangle";
    if (given->reserved[0] != 0 || given->reserved[1] != 0)
        return "a reserved member of them is not zero";
    return NULL;
}

void bvpi_buffers_take(const bvp_buffers *given, uint32_t first_triangle, bvpi_buffers *out)
{
    assert(!bvpi_buffers_fault(given));
    *out = (bvpi_buffers){.positions = given->positions,
                          .indices = given->indices,
                          .stride = stride_of(given),
                          .vertex_count = (uint32_t)given->vertex_count,
                          .triangle_count = (uint32_t)given->triangle_count,
                          .first_triangle = first_triangle,
                          .position_type = (uint16_t)type_of(given),
                          .index_type = (uint16_t)given->index_type,
                          .normalized = given->normalized != 0};
}

/* ---- their hash ------------------------------------------------------------------------------ */

enum { HASHED_AT_ONCE = 1 << 16 };

static bool hash_bytes(bvpi_hasher *h, const bvp_control *control, const uint8_t *bytes,
                       uint64_t size)
{
    for (uint64_t at = 0; at < size; at += HASHED_AT_ONCE) {
        const uint64_t left = size - at;
        if (bvpi_is_cancelled(control))
            return false;
        bvpi_hasher_add128(h, bytes + at, left < HASHED_AT_ONCE ? (size_t)left : HASHED_AT_ONCE);
    }
    return true;
}

/* As if they were densely packed. */
static bool hash_positions(bvpi_hasher *h, const bvp_control *control, const bvpi_buffers *b)
{
    const size_t size = 3 * (size_t)bvpi_component_size(b->position_type);
    uint8_t dense[12 * 256];
    size_t used = 0;
    if (b->stride == size)
        return hash_bytes(h, control, b->positions, b->vertex_count * (uint64_t)size);
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        memcpy(dense + used, b->positions + (size_t)v * b->stride, size);
        used += size;
        if (used + size > sizeof dense) {
            if (bvpi_is_cancelled(control))
                return false;
            bvpi_hasher_add128(h, dense, used);
            used = 0;
        }
    }
    bvpi_hasher_add128(h, dense, used);
    return true;
}

bool bvpi_buffers_hash(const bvpi_buffers *b, const bvp_control *control, uint8_t hash[16])
{
    const uint32_t words[5] = {b->position_type, b->normalized, b->vertex_count, b->index_type,
                               b->triangle_count};
    const uint64_t index_size = 3 * (uint64_t)bvpi_component_size(b->index_type);
    bvpi_hasher h;
    bvpi_hasher_start128(&h);
    bvpi_hasher_add128(&h, words, sizeof words);
    const bool is_done = hash_positions(&h, control, b) &&
                         hash_bytes(&h, control, b->indices, b->triangle_count * index_size);
    bvpi_hasher_end128(&h, hash);
    return is_done;
}

/* ---- corners --------------------------------------------------------------------------------- */

static inline void find_vertices(const bvpi_buffers *b, uint32_t i, uint32_t vertex[3])
{
    const uint64_t first = 3 * (uint64_t)i;
    assert(i < b->triangle_count);
    if (b->index_type == BVP_UINT16) {
        uint16_t half[3];
        memcpy(half, b->indices + 2 * first, sizeof half);
        for (int k = 0; k < 3; k++)
            vertex[k] = half[k];
    } else if (b->index_type == BVP_UINT32) {
        memcpy(vertex, b->indices + 4 * first, 3 * sizeof *vertex);
    } else {
        for (uint32_t k = 0; k < 3; k++)
            vertex[k] = b->indices ? b->indices[first + k] : (uint32_t)first + k;
    }
    /* they may change, and are compared and then used: the compiler may not read them again */
    for (int k = 0; k < 3; k++)
        __asm__ volatile("" : "+r"(vertex[k]));
}

void bvpi_buffers_vertices(const bvpi_buffers *b, uint32_t i, uint32_t vertex[3])
{
    find_vertices(b, i, vertex);
}

static float quotient(float value, float most)
{
    const float x = value / most;
    return x < -1 ? -1 : x;
}

static void read_integers(const bvpi_buffers *b, const uint8_t *at, float out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        float most;
        int16_t word;
        switch (b->position_type) {
        case BVP_INT8:
            out[axis] = (float)(int8_t)at[axis];
            most = INT8_MAX;
            break;
        case BVP_UINT8:
            out[axis] = (float)at[axis];
            most = UINT8_MAX;
            break;
        default:
            memcpy(&word, at + 2 * axis, sizeof word);
            out[axis] = b->position_type == BVP_INT16 ? (float)word : (float)(uint16_t)word;
            most = b->position_type == BVP_INT16 ? INT16_MAX : UINT16_MAX;
        }
        if (b->normalized)
            out[axis] = quotient(out[axis], most);
    }
}

void bvpi_buffers_triangle(const bvpi_buffers *b, uint32_t i, float out[9])
{
    uint32_t vertex[3];
    find_vertices(b, i, vertex);
    for (int k = 0; k < 3; k++) {
        const uint8_t *at = b->positions + (size_t)vertex[k] * b->stride;
        if (vertex[k] >= b->vertex_count)
            memset(out + 3 * k, 0, 3 * sizeof *out);
        else if (b->position_type == BVP_FLOAT32)
            memcpy(out + 3 * k, at, 3 * sizeof *out);
        else
            read_integers(b, at, out + 3 * k);
    }
}

/* ---- a part's triangles ---------------------------------------------------------------------- */

/* number: below number_count, so there is a buffer whose first triangle is not above it. */
static const bvpi_buffers *find_buffers(const bvpi_outside *o, uint32_t number)
{
    uint32_t low = 0, high = o->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (o->buffers[middle].first_triangle <= number)
            low = middle;
        else
            high = middle;
    }
    return &o->buffers[low];
}

void bvpi_outside_triangle(const bvpi_outside *o, uint64_t number, float out[9])
{
    if (number >= o->number_count) { /* it is damaged, or nothing is bound */
        memset(out, 0, 9 * sizeof *out);
        return;
    }
    const bvpi_buffers *b = find_buffers(o, (uint32_t)number);
    assert(number - b->first_triangle < b->triangle_count);
    bvpi_buffers_triangle(b, (uint32_t)number - b->first_triangle, out);
}

void bvpi_outside_local(const bvpi_outside *o, const bvpd_cluster *head, uint32_t local,
                        float out[9])
{
    assert(local < BVPD_CLUSTER_TRIANGLES);
    bvpi_outside_triangle(o, bvpi_number_of(o->ids, o->ids_size, head, local), out);
}

/* Vertex `vertex`, whose coordinates go to every eighth float from `out` on. */
static inline void put_vertex(const bvpi_buffers *b, uint32_t vertex, float *out)
{
    float x[3] = {0};
    if (vertex < b->vertex_count) {
        const uint8_t *at = b->positions + (size_t)vertex * b->stride;
        if (b->position_type == BVP_FLOAT32)
            memcpy(x, at, sizeof x);
        else
            read_integers(b, at, x);
    }
    out[0] = x[0];
    out[8] = x[1];
    out[16] = x[2];
}

/* The same as bvpi_outside_local eight times; the buffers, and the run of numbers, are mostly those
 * of the lane before. */
void bvpi_outside_eight(const bvpi_outside *o, const bvpd_cluster *head, const uint32_t local[8],
                        float out[9][8])
{
    static const bvpi_buffers none;
    const bvpi_buffers *b = &none;
    uint64_t number[8];
    bvpi_numbers_of_eight(o->ids, o->ids_size, head, local, number);
    for (int lane = 0; lane < 8; lane++) {
        uint32_t vertex[3];
        if (lane > 0 && local[lane] == local[0]) { /* a shorter leaf repeats its first triangle */
            for (int k = 0; k < 9; k++)
                out[k][lane] = out[k][0];
            continue;
        }
        if (number[lane] - b->first_triangle >= b->triangle_count) {
            if (number[lane] >= o->number_count) { /* it is damaged, or nothing is bound */
                for (int k = 0; k < 9; k++)
                    out[k][lane] = 0;
                continue;
            }
            b = find_buffers(o, (uint32_t)number[lane]);
        }
        find_vertices(b, (uint32_t)number[lane] - b->first_triangle, vertex);
        put_vertex(b, vertex[0], &out[0][lane]);
        put_vertex(b, vertex[1], &out[3][lane]);
        put_vertex(b, vertex[2], &out[6][lane]);
    }
}
