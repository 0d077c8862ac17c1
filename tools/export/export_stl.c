/* SPDX-License-Identifier: MIT
 * export_stl.c: binary STL.
 */
#include <assert.h>
#include <math.h>
#include <string.h>
#include "export/export_scene.h"

enum { HEADER_SIZE = 80, FACET_SIZE = 50 };

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static void put_float(uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(at, bits);
}

static void write_facet(const export_item *item, const export_mesh *mesh, uint64_t triangle,
                        export_report *report, FILE *out)
{
    uint8_t facet[FACET_SIZE] = {0};
    double corners[3][3];
    for (int k = 0; k < 3; k++) {
        assert(mesh->indices[3 * triangle + k] < mesh->vertex_count);
        const float *from = mesh->positions + 3 * (uint64_t)mesh->indices[3 * triangle + k];
        double rest[3], written[3];
        export_place(item, from, corners[k], rest);
        for (int i = 0; i < 3; i++) {
            written[i] = (float)corners[k][i];
            put_float(facet + 12 + 12 * k + 4 * i, (float)corners[k][i]);
        }
        export_note(report, corners[k], rest, written);
    }
    /* By the corners' order, of unit length; 0 for a triangle without area. */
    double u[3], v[3], n[3], most = 0;
    for (int i = 0; i < 3; i++) {
        u[i] = corners[1][i] - corners[0][i];
        v[i] = corners[2][i] - corners[0][i];
        most = fmax(most, fmax(fabs(u[i]), fabs(v[i])));
    }
    for (int i = 0; i < 3 && most > 0; i++) { /* scaled, so that no product over- or underflows */
        u[i] /= most;
        v[i] /= most;
    }
    for (int i = 0; i < 3; i++)
        n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        put_float(facet + 4 * i, length > 0 && isfinite(length) ? (float)(n[i] / length) : 0);
    fwrite(facet, 1, sizeof facet, out);
}

bvp_status export_stl(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error)
{
    uint8_t header[HEADER_SIZE + 4] = "binary STL written by bvpack";
    export_scene scene;
    bvp_status status = export_open(file, options->part, report, error, &scene);
    if (status == BVP_OK && report->triangle_count > UINT32_MAX)
        status = export_too_large(error, "STL holds at most 4,294,967,295 triangles");
    if (status == BVP_OK) {
        put_u32(header + HEADER_SIZE, (uint32_t)report->triangle_count);
        fwrite(header, 1, sizeof header, out);
    }
    for (uint32_t i = 0; i < scene.item_count && status == BVP_OK && !ferror(out); i++) {
        const export_item *item = &scene.items[i];
        const export_mesh *mesh;
        status = export_load(&scene, item->part, &mesh);
        for (uint64_t t = 0; status == BVP_OK && t < mesh->triangle_count; t++)
            write_facet(item, mesh, t, report, out);
    }
    if (status == BVP_OK)
        status = export_finish(out, error);
    export_close(&scene);
    return status;
}
