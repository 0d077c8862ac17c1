/* SPDX-License-Identifier: MIT
 * export_obj.c: Wavefront OBJ, one object for each instance. Every number reads back to the same
 * value. Base colours of the source are materials of an MTL beside it, a run of triangles after
 * the other.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "export/export_scene.h"
#include "text/array.h"

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

/* ---- materials ------------------------------------------------------------------------------- */

static uint32_t word_of(const uint8_t rgba[4])
{
    return (uint32_t)rgba[0] << 24 | (uint32_t)rgba[1] << 16 | (uint32_t)rgba[2] << 8 | rgba[3];
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Each colour once. A material is called by its colour; 00000000: the source names none. */
static void write_materials(uint32_t *colours, size_t count, FILE *out)
{
    if (count > 0)
        qsort(colours, count, sizeof *colours, ascending);
    for (size_t i = 0; i < count; i++) {
        const uint32_t colour = colours[i];
        if (i > 0 && colour == colours[i - 1])
            continue;
        fprintf(out, "newmtl c_%08" PRIx32 "\n", colour);
        if (colour != 0)
            fprintf(out, "Kd %.6f %.6f %.6f\n", (colour >> 24) / 255.0,
                    (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0);
        if (colour != 0 && (colour & 255) < 255)
            fprintf(out, "d %.6f\n", (colour & 255) / 255.0);
    }
}

/* ---- faces ----------------------------------------------------------------------------------- */

typedef struct obj {
    export_scene scene;
    uint32_t *colours; /* in the order in which faces change to them */
    size_t colour_count, capacity;
    uint64_t base; /* of an item's vertices: OBJ counts from 1, over the whole file */
} obj;

static bvp_status write_faces(obj *o, const export_item *item, FILE *materials, FILE *out)
{
    const export_mesh *mesh = &o->scene.meshes[item->part];
    export_run whole = {.count = mesh->triangle_count}, *runs = NULL;
    size_t count = 0;
    bvp_status status = materials ? export_runs(&o->scene, item, &runs, &count) : BVP_OK;
    for (size_t i = 0; i < (count > 0 ? count : 1) && status == BVP_OK; i++) {
        const export_run *run = count > 0 ? &runs[i] : &whole;
        const uint32_t colour = word_of(run->rgba);
        const uint32_t last = o->colour_count > 0 ? o->colours[o->colour_count - 1] : 0;
        if (colour != last) {
            if (array_grow(&o->colours, &o->capacity, o->colour_count + 1, sizeof colour) != 0) {
                status = export_no_memory(o->scene.error);
                break;
            }
            o->colours[o->colour_count++] = colour;
            fprintf(out, "usemtl c_%08" PRIx32 "\n", colour);
        }
        for (uint64_t t = run->first; t < run->first + run->count; t++) {
            const uint32_t *corner = mesh->indices + 3 * t;
            fprintf(out, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", o->base + corner[0],
                    o->base + corner[1], o->base + corner[2]);
        }
    }
    free(runs);
    return status;
}

bvp_status export_obj(const bvp_file *file, const export_options *options, FILE *out,
                      export_report *report, bvp_error *error)
{
    obj o = {.base = 1};
    export_scene *scene = &o.scene;
    bvp_status status = export_open(file, options->part, report, error, scene);
    FILE *materials = scene->has_colours ? options->materials : NULL;
    if (status == BVP_OK)
        fputs("# written by bvpack\n", out);
    if (materials)
        fprintf(out, "mtllib %s\n", options->materials_name);
    for (uint32_t i = 0; i < scene->item_count && status == BVP_OK && !ferror(out); i++) {
        const export_item *item = &scene->items[i];
        const export_mesh *mesh;
        status = export_load(scene, item->part, &mesh);
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
        status = write_faces(&o, item, materials, out);
        o.base += mesh->vertex_count;
    }
    if (status == BVP_OK && materials) {
        write_materials(o.colours, o.colour_count, materials);
        status = export_finish(materials, error);
    }
    if (status == BVP_OK)
        status = export_finish(out, error);
    free(o.colours);
    export_close(scene);
    return status;
}
