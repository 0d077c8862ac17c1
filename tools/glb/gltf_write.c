/* SPDX-License-Identifier: MIT
 * gltf_write.c: the JSON text of a glTF file, for writers: head, accessors, views, primitives.
 * Spec: Khronos glTF 2.0, chapters 3.5 to 3.7
 */
#include "glb/gltf_write.h"

#include <assert.h>
#include <math.h>
#include "gltf/accessor.h"

enum { TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };

void gltf_put_head(json *j, FILE *out)
{
    jsonw_start(j, out, 0);
    jsonw_object(j, NULL);
    jsonw_object(j, "asset");
    jsonw_text(j, "version", "2.0");
    jsonw_text(j, "generator", "bvpack");
    jsonw_end(j);
    jsonw_count(j, "scene", 0);
    jsonw_array(j, "scenes");
    jsonw_object(j, NULL);
    jsonw_array(j, "nodes");
    jsonw_count(j, NULL, 0);
    jsonw_end(j);
    jsonw_end(j);
    jsonw_end(j);
}

void gltf_put_matrix(json *j, const double placement[12])
{
    double columns[16] = {[15] = 1};
    for (int k = 0; k < 12; k++)
        columns[4 * (k % 4) + k / 4] = placement[k];
    jsonw_numbers(j, "matrix", columns, 16);
}

/* The caller ends the object. */
static void begin_accessor(json *j, uint64_t view, uint32_t component, uint64_t count,
                           const char *type)
{
    jsonw_object(j, NULL);
    jsonw_count(j, "bufferView", view);
    jsonw_count(j, "componentType", component);
    jsonw_count(j, "count", count);
    jsonw_text(j, "type", type);
}

void gltf_put_accessors(json *j, uint64_t number, const gltf_extent *mesh)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], (double)mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], (double)mesh->positions[i]);
    }
    begin_accessor(j, 2 * number, COMPONENT_FLOAT, mesh->vertex_count, "VEC3");
    jsonw_numbers(j, "min", low, 3);
    jsonw_numbers(j, "max", high, 3);
    jsonw_end(j);
    begin_accessor(j, 2 * number + 1, COMPONENT_UINT, 3 * mesh->triangle_count, "SCALAR");
    jsonw_end(j);
}

static void put_view(json *j, uint64_t offset, uint64_t size, uint64_t target)
{
    jsonw_object(j, NULL);
    jsonw_count(j, "buffer", 0);
    jsonw_count(j, "byteOffset", offset);
    jsonw_count(j, "byteLength", size);
    jsonw_count(j, "target", target);
    jsonw_end(j);
}

uint64_t gltf_put_views(json *j, uint64_t offset, const gltf_extent *mesh)
{
    const uint64_t vertices = 12 * mesh->vertex_count, indices = 12 * mesh->triangle_count;
    put_view(j, offset, vertices, TARGET_VERTICES);
    put_view(j, offset + vertices, indices, TARGET_INDICES);
    return offset + vertices + indices;
}

void gltf_put_run(json *j, uint64_t view, uint64_t first, uint64_t count)
{
    begin_accessor(j, view, COMPONENT_UINT, 3 * count, "SCALAR");
    jsonw_count(j, "byteOffset", 12 * first);
    jsonw_end(j);
}

void gltf_put_piece(json *j, uint64_t positions, uint64_t indices, int material)
{
    assert(material >= -1);
    jsonw_object(j, NULL);
    jsonw_object(j, "attributes");
    jsonw_count(j, "POSITION", positions);
    jsonw_end(j);
    jsonw_count(j, "indices", indices);
    if (material >= 0)
        jsonw_count(j, "material", (uint64_t)material);
    jsonw_end(j);
}

void gltf_put_primitive(json *j, uint64_t number, int material)
{
    jsonw_array(j, "primitives");
    gltf_put_piece(j, 2 * number, 2 * number + 1, material);
    jsonw_end(j);
}
