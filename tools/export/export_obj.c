/* SPDX-License-Identifier: MIT
 * export_obj.c: Wavefront OBJ, one object for each instance. Every number reads back to the same
 * value.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "export/export_scene.h"

/* The shortest decimal form that reads back to the same float. Other numbers get all their digits,
 * so that no reader takes them for floats. */
static void write_number(double value, FILE *out)
{
    char text[40];
    float narrow = (float)value;
    int digits = (double)narrow == value ? 6 : 17;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (digits < 9 && strtof(text, NULL) != narrow && ++digits);
    fputs(text, out);
}

/* Line ends and control characters would break the file. */
static void write_name(bvp_string name, uint32_t item, FILE *out)
{
    fputs("o ", out);
    for (size_t i = 0; i < name.size; i++)
        fputc((unsigned char)name.data[i] < ' ' ? '_' : name.data[i], out);
    if (name.size == 0)
        fprintf(out, "instance_%" PRIu32, item);
    fputc('\n', out);
}

bvp_status export_obj(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error)
{
    export_scene scene;
    bvp_status status = export_open(file, options->part, report, error, &scene);
    uint64_t base = 1; /* of an item's vertices: OBJ counts from 1, over the whole file */
    if (status == BVP_OK)
        fputs("# written by bvpack\n", out);
    for (uint32_t i = 0; i < scene.item_count && status == BVP_OK && !ferror(out); i++) {
        const export_item *item = &scene.items[i];
        const export_mesh *mesh;
        status = export_load(&scene, item->part, &mesh);
        if (status != BVP_OK)
            break;
        write_name(item->name, i, out);
        for (uint64_t v = 0; v < mesh->vertex_count; v++) {
            double at[3], rest[3];
            export_place(item, mesh->positions + 3 * v, at, rest);
            export_note(report, at, rest, at);
            fputc('v', out);
            for (int k = 0; k < 3; k++) {
                fputc(' ', out);
                write_number(at[k], out);
            }
            fputc('\n', out);
        }
        for (uint64_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *corner = mesh->indices + 3 * t;
            fprintf(out, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", base + corner[0],
                    base + corner[1], base + corner[2]);
        }
        base += mesh->vertex_count;
    }
    if (status == BVP_OK)
        status = export_finish(out, error);
    export_close(&scene);
    return status;
}
