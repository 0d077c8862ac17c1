/* SPDX-License-Identifier: MIT
 * export_ply.c: binary little-endian PLY. Coordinates are floats when every instance stands where
 * its part has its own coordinates, else doubles. Where the source names base colours, each face
 * has one, grey if it is not named.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "export/export_scene.h"

static void put(uint8_t *at, uint64_t bits, int size)
{
    assert(size == 4 || size == 8);
    for (int i = 0; i < size; i++)
        at[i] = (uint8_t)(bits >> (8 * i));
}

static void write_vertices(const export_item *item, const export_mesh *mesh, int is_double,
                           export_report *report, FILE *out)
{
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        double at[3], rest[3];
        export_place(item, mesh->positions + 3 * v, at, rest);
        export_note(report, at, rest, at);
        uint8_t bytes[24];
        int size = is_double ? 8 : 4;
        for (int i = 0; i < 3; i++) {
            float narrow = (float)at[i];
            uint32_t bits;
            uint64_t wide;
            memcpy(&bits, &narrow, sizeof bits);
            memcpy(&wide, &at[i], sizeof wide);
            put(bytes + size * i, is_double ? wide : bits, size);
        }
        fwrite(bytes, 1, 3 * (size_t)size, out);
    }
}

static bvp_status write_faces(const export_scene *scene, const export_item *item, uint64_t base,
                              FILE *out)
{
    static const uint8_t grey[4] = {0xc3, 0xcc, 0xd6, 0xff};
    const export_mesh *mesh = &scene->meshes[item->part];
    export_run *runs;
    size_t count, at = 0;
    const bvp_status status = export_runs(scene, item, &runs, &count);
    for (uint64_t t = 0; status == BVP_OK && t < mesh->triangle_count; t++) {
        uint8_t face[17] = {3};
        for (int k = 0; k < 3; k++)
            put(face + 1 + 4 * k, base + mesh->indices[3 * t + k], 4);
        while (at + 1 < count && t >= runs[at].first + runs[at].count)
            at++;
        const uint8_t *rgba = runs[at].rgba;
        memcpy(face + 13, rgba[0] | rgba[1] | rgba[2] | rgba[3] ? rgba : grey, 4);
        fwrite(face, 1, scene->has_colours ? 17 : 13, out);
    }
    free(runs);
    return status;
}

bvp_status export_ply(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error)
{
    export_scene scene;
    uint64_t vertex_count = 0, base = 0;
    int is_double = 0;
    bvp_status status = export_open(file, options->part, report, error, &scene);
    /* All meshes are loaded, and stay in memory: the header needs their sizes. */
    for (uint32_t i = 0; i < scene.item_count && status == BVP_OK; i++) {
        const export_mesh *mesh;
        status = export_load(&scene, scene.items[i].part, &mesh);
        vertex_count += mesh->vertex_count;
        is_double |= !scene.items[i].is_identity;
    }
    if (status == BVP_OK && vertex_count > UINT32_MAX)
        status = export_too_large(error, "PLY holds at most 4,294,967,295 vertices");
    if (status == BVP_OK) {
        const char *type = is_double ? "double" : "float";
        const char *colours = "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                              "property uchar alpha\n";
        fprintf(out,
                "ply\nformat binary_little_endian 1.0\ncomment written by bvpack\n"
                "element vertex %" PRIu64 "\nproperty %s x\nproperty %s y\nproperty %s z\n"
                "element face %" PRIu64 "\nproperty list uchar uint vertex_indices\n%send_header\n",
                vertex_count, type, type, type, report->triangle_count,
                scene.has_colours ? colours : "");
    }
    for (uint32_t i = 0; i < scene.item_count && status == BVP_OK; i++)
        write_vertices(&scene.items[i], &scene.meshes[scene.items[i].part], is_double, report, out);
    for (uint32_t i = 0; i < scene.item_count && status == BVP_OK; i++) {
        status = write_faces(&scene, &scene.items[i], base, out);
        base += scene.meshes[scene.items[i].part].vertex_count;
    }
    assert(status != BVP_OK || base == vertex_count);
    export_close(&scene);
    return status == BVP_OK ? export_finish(out, error) : status;
}
