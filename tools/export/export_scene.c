/* SPDX-License-Identifier: MIT
 * export_scene.c: a packed file's parts as indexed meshes in the source's order, and their
 * placements.
 *
 * Triangles are sorted by their number in the source, so an export has the order of what was
 * packed. A coordinate in the assembly is a sum of products, which is calculated in two doubles
 * (export_place): `out` is the sum rounded once, `rest` what that lost, which the summary adds to
 * the rounding of the format. Held by test_export_scene.
 */
#include "export/export_scene.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"

/* ---- refusals ------------------------------------------------------------------------------- */

static bvp_status refuse(bvp_error *error, bvp_status status, const char *text)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = status;
        error->offset = UINT64_MAX;
        snprintf(error->message, sizeof error->message, "%s", text);
    }
    return status;
}

bvp_status export_no_memory(bvp_error *error)
{
    return refuse(error, BVP_ERR_NO_MEMORY, "out of memory; write single parts with --part");
}

bvp_status export_too_large(bvp_error *error, const char *text)
{
    return refuse(error, BVP_ERR_LIMIT, text);
}

bvp_status export_finish(FILE *out, bvp_error *error)
{
    if (fflush(out) == 0 && !ferror(out))
        return BVP_OK;
    int number = errno;
    refuse(error, BVP_ERR_SYSTEM, strerror(number));
    if (error)
        error->sys_errno = number;
    return BVP_ERR_SYSTEM;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

typedef struct numbered {
    uint64_t id, triangle;
} numbered;

static int by_id(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/* Sorts the triangles by id; those with the same id keep the order in which they are stored. */
static bvp_status sort_by_id(float **positions, const uint64_t *ids, uint64_t count,
                             bvp_error *error)
{
    numbered *order = malloc(count * sizeof *order + 1);
    float *sorted = malloc(count * 9 * sizeof *sorted + 1);
    if (!order || !sorted) {
        free(order);
        free(sorted);
        return export_no_memory(error);
    }
    for (uint64_t i = 0; i < count; i++)
        order[i] = (numbered){ids[i], i};
    qsort(order, count, sizeof *order, by_id);
    for (uint64_t i = 0; i < count; i++)
        memcpy(sorted + 9 * i, *positions + 9 * order[i].triangle, 9 * sizeof *sorted);
    free(order);
    free(*positions);
    *positions = sorted;
    return BVP_OK;
}

/* The corners of all triangles, 9 floats each. */
static bvp_status read_soup(export_scene *scene, uint32_t part, uint64_t count, float **positions)
{
    uint64_t read = 0;
    uint64_t *ids = malloc(count * sizeof *ids + 1);
    *positions = malloc(count * 9 * sizeof **positions + 1);
    bvp_status status = ids && *positions ? BVP_OK : export_no_memory(scene->error);
    if (status == BVP_OK)
        status =
            bvp_get_triangles(scene->file, part, (bvp_range){0, count}, *positions, ids, &read);
    if (status == BVP_OK && read != count)
        status = BVP_ERR_CORRUPT;
    if (status == BVP_ERR_CORRUPT)
        refuse(scene->error, status, "a part does not hold the triangles that it announces");
    if (status == BVP_OK)
        status = sort_by_id(positions, ids, count, scene->error);
    free(ids);
    return status;
}

bvp_status export_load(export_scene *scene, uint32_t part, const export_mesh **out)
{
    bvp_part_info info;
    float *soup = NULL;
    void *positions = NULL;
    assert(part < scene->part_count);
    export_mesh *mesh = &scene->meshes[part];
    *out = mesh;
    if (mesh->loaded)
        return BVP_OK;
    bvp_status status = bvp_get_part(scene->file, part, &info);
    if (status != BVP_OK)
        return refuse(scene->error, status, "there is no such part");
    memcpy(mesh->origin, info.origin, sizeof mesh->origin);
    mesh->triangle_count = info.triangle_count;
    if (mesh->triangle_count > UINT32_MAX / 3)
        return export_too_large(scene->error, "a part has over 1,431,655,765 triangles");
    status = read_soup(scene, part, mesh->triangle_count, &soup);
    bvp_mesh all = {.positions = soup,
                    .vertex_count = 3 * mesh->triangle_count,
                    .triangle_count = mesh->triangle_count};
    if (status == BVP_OK)
        status = bvp_weld(&all, 0, &mesh->indices, &positions, &mesh->vertex_count, scene->error);
    free(soup);
    mesh->positions = positions;
    mesh->loaded = status == BVP_OK;
    return status;
}

/* ---- items ----------------------------------------------------------------------------------- */

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static int is_identity(const double m[12])
{
    for (int i = 0; i < 12; i++)
        if (m[i] != identity[i])
            return 0;
    return 1;
}

/* A single part keeps the position that it has in its source. */
static bvp_status add_part(export_scene *scene, uint32_t part)
{
    bvp_part_info info;
    export_item *item = scene->items;
    bvp_status status = bvp_get_part(scene->file, part, &info);
    if (status != BVP_OK)
        return refuse(scene->error, status, "there is no such part");
    *item = (export_item){.part = part, .name = info.name};
    memcpy(item->placement, identity, sizeof identity);
    for (int axis = 0; axis < 3; axis++)
        item->placement[4 * axis + 3] = info.origin[axis];
    item->is_identity = is_identity(item->placement);
    scene->report->triangle_count = info.triangle_count;
    return BVP_OK;
}

static bvp_status add_instance(export_scene *scene, uint32_t instance)
{
    bvp_instance_info info;
    bvp_node_info node;
    bvp_part_info part;
    export_item *item = &scene->items[instance];
    assert(instance < scene->item_count);
    bvp_status status = bvp_get_instance(scene->file, instance, &info);
    if (status == BVP_OK)
        status = bvp_get_node(scene->file, info.node, &node);
    if (status == BVP_OK)
        status = bvp_get_part(scene->file, info.part, &part);
    if (status != BVP_OK)
        return refuse(scene->error, status, "an instance can't be read");
    *item = (export_item){.part = info.part, .name = node.name.size ? node.name : part.name};
    memcpy(item->placement, info.placement, sizeof item->placement);
    item->is_identity = is_identity(item->placement);
    scene->report->triangle_count += part.triangle_count;
    return BVP_OK;
}

bvp_status export_open(const bvp_file *file, uint32_t part, export_report *report, bvp_error *error,
                       export_scene *out)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    *report = (export_report){0};
    *out = (export_scene){.file = file,
                          .part_count = info.part_count,
                          .item_count = part == BVP_ASSEMBLY ? info.instance_count : 1,
                          .report = report,
                          .error = error};
    out->meshes = calloc((size_t)info.part_count + 1, sizeof *out->meshes);
    out->items = calloc((size_t)out->item_count + 1, sizeof *out->items);
    if (!out->meshes || !out->items)
        return export_no_memory(error);
    bvp_status status = part == BVP_ASSEMBLY ? BVP_OK : add_part(out, part);
    for (uint32_t i = 0; part == BVP_ASSEMBLY && i < out->item_count && status == BVP_OK; i++)
        status = add_instance(out, i);
    return status;
}

void export_close(export_scene *scene)
{
    for (uint32_t i = 0; scene->meshes && i < scene->part_count; i++) {
        free(scene->meshes[i].positions);
        free(scene->meshes[i].indices);
    }
    free(scene->meshes);
    free(scene->items);
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* Adds a * b to the sum *high + *low of two doubles. The errors of the product (by a fused
 * multiply-add) and of the sum (Knuth's two-sum, which needs no order of magnitude) are exact; only
 * their own sum in *low is rounded. */
static void add_product(double a, double b, double *high, double *low)
{
    double product = a * b, sum = *high + product, part = sum - *high;
    *low += __builtin_fma(a, b, -product) + ((*high - (sum - part)) + (product - part));
    *high = sum;
}

void export_place(const export_item *item, const float position[3], double out[3], double rest[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const double *row = item->placement + 4 * axis;
        double high = row[3], low = 0;
        if (item->is_identity) {
            out[axis] = position[axis]; /* -0 stays -0 */
            rest[axis] = 0;
            continue;
        }
        for (int i = 0; i < 3; i++)
            if (row[i] != 0)
                add_product(row[i], position[i], &high, &low);
        out[axis] = high + low;
        rest[axis] = (high - out[axis]) + low;
    }
}

void export_note(export_report *report, const double exact[3], const double rest[3],
                 const double written[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double error = fabs((exact[axis] - written[axis]) + rest[axis]);
        report->rounded_count += error != 0;
        report->rounding_error = fmax(report->rounding_error, error);
    }
}
