/* SPDX-License-Identifier: MIT
 * outside_case.c: meshes in buffers of all forms, and GLBs with a hierarchy over their own.
 */
#include "outside_case.h"

#include "format/outside.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const outside_form outside_forms[OUTSIDE_FORMS] = {
    {BVP_FLOAT32, BVP_UINT32, 0, 0, 1, 1},         {BVP_FLOAT32, (bvp_component)0, 0, 0, 1, 1},
    {BVP_FLOAT32, BVP_UINT16, 0, 20, 3, 1},        {BVP_INT16, BVP_UINT32, 0, 2, 2, 0.01},
    {BVP_INT16, BVP_UINT16, 1, 1, 3, 100},         {BVP_UINT16, BVP_UINT32, 1, 0, 1, 100},
    {BVP_UINT16, (bvp_component)0, 0, 3, 2, 0.01}, {BVP_INT8, BVP_UINT32, 1, 0, 2, 100},
    {BVP_UINT8, BVP_UINT32, 0, 1, 1, 1},
};

uint32_t outside_size_of(bvp_component type)
{
    return bvpi_component_size((uint32_t)type);
}

/* A coordinate of -100 to 100, roughly, and what a reader makes of it. */
static float put_number(const outside_form *f, double x, uint8_t *at)
{
    static const struct {
        double lo, hi;
        float most;
    } ranges[4] = {{-128, 127, 127}, {0, 255, 255}, {-32768, 32767, 32767}, {0, 65535, 65535}};
    const float exact = (float)x;
    if (f->type == BVP_FLOAT32) {
        memcpy(at, &exact, sizeof exact);
        return exact;
    }
    const int k = (int)f->type - BVP_INT8;
    double number = rint(ranges[k].lo + (x + 100) / 200 * (ranges[k].hi - ranges[k].lo));
    number = fmin(fmax(number, ranges[k].lo), ranges[k].hi);
    const int whole = (int)number;
    memcpy(at, &whole, outside_size_of(f->type)); /* little-endian */
    const float value = (float)whole;
    return f->normalized ? fmaxf(value / ranges[k].most, -1) : value;
}

static void put_index(const outside_form *f, uint8_t *indices, uint64_t k, uint32_t vertex)
{
    memcpy(indices + k * outside_size_of(f->index_type), &vertex, outside_size_of(f->index_type));
}

outside_part outside_make_part(uint64_t *state, const outside_form *f, uint32_t triangles,
                               double size, double triangle_size)
{
    outside_part p = {.count = f->pieces, .triangles = triangles};
    float *soup = case_soup(state, triangles, size, triangle_size);
    p.positions = malloc(36 * (size_t)triangles);
    uint32_t done = 0;
    for (uint32_t k = 0; k < p.count; k++) {
        const uint32_t end = (uint32_t)((uint64_t)triangles * (k + 1) / p.count);
        const uint32_t count = end - done, vertices = 3 * count;
        const size_t stride = 3 * outside_size_of(f->type) + f->gap;
        ck_assert(f->index_type != BVP_UINT16 || vertices < 65536);
        uint8_t *at = malloc(vertices * stride + 1), *indices = NULL;
        memset(at, 0xee, vertices * stride);
        if (f->index_type)
            indices = malloc(vertices * outside_size_of(f->index_type) + 1);
        for (uint32_t i = 0; i < vertices; i++) {
            const uint32_t vertex = indices ? (i * 7 + 3) % vertices : i;
            const uint32_t place = vertices % 7 == 0 ? i : vertex;
            for (uint32_t axis = 0; axis < 3; axis++)
                p.positions[3 * (3 * (size_t)done + i) + axis] =
                    put_number(f, soup[3 * (3 * (size_t)done + i) + axis],
                               at + place * stride + axis * outside_size_of(f->type));
            if (indices)
                put_index(f, indices, i, place);
        }
        p.owned[2 * k] = at;
        p.owned[2 * k + 1] = indices;
        p.buffers[k] = (bvp_buffers){
            .positions = at,
            .position_stride = f->gap ? stride : 0,
            .position_type = f->type == BVP_FLOAT32 && k % 2 == 1 ? (bvp_component)0 : f->type,
            .normalized = f->normalized,
            .vertex_count = vertices,
            .indices = indices,
            .index_type = f->index_type,
            .triangle_count = count,
            .position_offset = BVP_NOWHERE,
            .index_offset = BVP_NOWHERE};
        done = end;
    }
    free(soup);
    return p;
}

void outside_free_part(outside_part *p)
{
    for (int k = 0; k < 2 * OUTSIDE_MOST; k++)
        free(p->owned[k]);
    free(p->positions);
}

static void put_word(uint8_t *at, uint32_t word)
{
    memcpy(at, &word, 4);
}

outside_glb outside_make_glb(const outside_form *f, uint32_t triangles)
{
    uint64_t state = 9;
    outside_part p = outside_make_part(&state, f, triangles, 100, 5);
    uint8_t *chunk = calloc(1, 1 << 20);
    size_t used = 12;
    for (uint32_t k = 0; k < p.count; k++) {
        bvp_buffers *b = &p.buffers[k];
        const size_t stride = 3 * outside_size_of(f->type) + f->gap;
        const size_t positions = b->vertex_count * stride - f->gap;
        const size_t indices = 3 * b->triangle_count * outside_size_of(f->index_type);
        b->position_stride = stride;
        memcpy(chunk + used, b->positions, positions);
        b->position_offset = used;
        used += positions;
        if (b->indices) {
            memcpy(chunk + used, b->indices, indices);
            b->index_offset = used;
        }
        used += indices;
    }
    ck_assert_uint_lt(used, 1 << 20);
    const bvp_mesh mesh = {.buffers = p.buffers, .buffer_count = p.count};
    case_file packed = case_build(&mesh, &(bvp_build_options){.share = 1});
    outside_glb g = {.chunk = 12 + 8 + 64 + 8, .chunk_size = (used + 3) / 4 * 4};
    size_t end = g.chunk + g.chunk_size;
    const size_t blanks = -(end + 8) % 4096;
    g.chunk += blanks;
    g.file = end + blanks + 8;
    g.size = g.file + packed.size;
    g.bytes = aligned_alloc(4096, (g.size + 4095) / 4096 * 4096);
    memset(g.bytes, ' ', g.size);
    memcpy(g.bytes, "glTF\2\0\0\0", 8);
    put_word(g.bytes + 8, (uint32_t)g.size);
    put_word(g.bytes + 12, (uint32_t)(64 + blanks));
    memcpy(g.bytes + 16, "JSON{}", 6);
    put_word(g.bytes + g.chunk - 8, (uint32_t)g.chunk_size);
    memcpy(g.bytes + g.chunk - 4, "BIN", 4);
    memcpy(g.bytes + g.chunk, chunk, g.chunk_size);
    put_word(g.bytes + g.file - 8, (uint32_t)packed.size);
    memcpy(g.bytes + g.file - 4, "BVP", 4);
    memcpy(g.bytes + g.file, packed.bytes, packed.size);
    case_close(&packed);
    outside_free_part(&p);
    free(chunk);
    return g;
}
