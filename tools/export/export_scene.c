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

/* Sorts the triangles and their ids; those with the same id keep the order in which they are
 * stored. */
static bvp_status sort_by_id(float **positions, uint64_t *ids, uint64_t count, bvp_error *error)
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
    for (uint64_t i = 0; i < count; i++)
        ids[i] = order[i].id;
    free(order);
    free(*positions);
    *positions = sorted;
    return BVP_OK;
}

/* The corners of all triangles, 9 floats each, and their numbers, which the caller frees. */
static bvp_status read_soup(export_scene *scene, uint32_t part, uint64_t count, float **positions,
                            uint64_t **numbers)
{
    uint64_t read = 0;
    uint64_t *ids = *numbers = malloc(count * sizeof *ids + 1);
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
    status = read_soup(scene, part, mesh->triangle_count, &soup, &mesh->ids);
    if (!scene->has_colours || status != BVP_OK) {
        free(mesh->ids);
        mesh->ids = NULL;
    }
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

/* Whether the source names colours of a node's triangles. */
static bvp_status are_coloured(const bvp_file *file, uint32_t node, int *yes)
{
    uint32_t count = 0;
    const bvp_status status =
        node == BVP_NONE ? BVP_OK : bvp_get_colours(file, node, NULL, 0, &count);
    *yes = count > 0;
    return status;
}

/* A part alone has the colours of its first instance that has any. */
static bvp_status find_colours(export_scene *scene, export_item *item)
{
    bvp_file_info info;
    bvp_status status = BVP_OK;
    bvp_get_info(scene->file, &info);
    for (uint32_t i = 0; i < info.instance_count && !scene->has_colours && status == BVP_OK; i++) {
        bvp_instance_info instance;
        status = bvp_get_instance(scene->file, i, &instance);
        if (status == BVP_OK && instance.part == item->part)
            status = are_coloured(scene->file, instance.node, &scene->has_colours);
        if (scene->has_colours)
            item->node = instance.node;
    }
    return status == BVP_OK ? BVP_OK : refuse(scene->error, status, "an instance can't be read");
}

/* A single part keeps the position that it has in its source. */
static bvp_status add_part(export_scene *scene, uint32_t part)
{
    bvp_part_info info;
    export_item *item = scene->items;
    bvp_status status = bvp_get_part(scene->file, part, &info);
    if (status != BVP_OK)
        return refuse(scene->error, status, "there is no such part");
    *item = (export_item){.part = part, .node = BVP_NONE, .name = info.name};
    memcpy(item->placement, identity, sizeof identity);
    for (int axis = 0; axis < 3; axis++)
        item->placement[4 * axis + 3] = info.origin[axis];
    item->is_identity = is_identity(item->placement);
    scene->report->triangle_count = info.triangle_count;
    return find_colours(scene, item);
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
    int is_coloured = 0;
    if (status == BVP_OK)
        status = are_coloured(scene->file, info.node, &is_coloured);
    if (status != BVP_OK)
        return refuse(scene->error, status, "an instance can't be read");
    scene->has_colours |= is_coloured;
    *item = (export_item){.part = info.part,
                          .node = is_coloured ? info.node : BVP_NONE,
                          .name = node.name.size ? node.name : part.name};
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

int export_has_colours(const bvp_file *file, uint32_t part)
{
    export_scene scene;
    export_report report;
    bvp_error error;
    const int found =
        export_open(file, part, &report, &error, &scene) == BVP_OK && scene.has_colours;
    export_close(&scene);
    return found;
}

void export_close(export_scene *scene)
{
    for (uint32_t i = 0; scene->meshes && i < scene->part_count; i++) {
        free(scene->meshes[i].positions);
        free(scene->meshes[i].indices);
        free(scene->meshes[i].ids);
    }
    free(scene->meshes);
    free(scene->items);
}

/* ---- colours --------------------------------------------------------------------------------- */

/* How many triangles of the mesh have a number below `id`. */
static uint64_t below(const export_mesh *mesh, uint64_t id)
{
    uint64_t low = 0, high = mesh->triangle_count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (mesh->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From where the last run ends to `end`; a run of its colour grows. */
static size_t add_run(export_run *runs, size_t count, uint64_t end, const uint8_t rgba[4])
{
    const uint64_t first = count > 0 ? runs[count - 1].first + runs[count - 1].count : 0;
    if (end <= first)
        return count;
    if (count > 0 && memcmp(runs[count - 1].rgba, rgba, 4) == 0) {
        runs[count - 1].count += end - first;
        return count;
    }
    runs[count] = (export_run){.first = first, .count = end - first};
    memcpy(runs[count].rgba, rgba, 4);
    return count + 1;
}

bvp_status export_runs(const export_scene *scene, const export_item *item, export_run **runs,
                       size_t *count)
{
    static const uint8_t none[4];
    const export_mesh *mesh = &scene->meshes[item->part];
    uint32_t size = 0, got = 0;
    *runs = NULL;
    *count = 0;
    assert(mesh->loaded && (mesh->ids || item->node == BVP_NONE));
    bvp_status status =
        item->node == BVP_NONE ? BVP_OK : bvp_get_colours(scene->file, item->node, NULL, 0, &size);
    bvp_colour_run *named = malloc((size_t)size * sizeof *named + 1);
    *runs = malloc(((size_t)size + 1) * sizeof **runs);
    if (status == BVP_OK && (!named || !*runs))
        status = export_no_memory(scene->error);
    if (status == BVP_OK && size > 0)
        status = bvp_get_colours(scene->file, item->node, named, size, &got);
    if (got > size) /* the file has changed meanwhile */
        got = size;
    if (status == BVP_OK) {
        for (uint32_t i = 0; i < got; i++)
            *count = add_run(*runs, *count, below(mesh, named[i].first),
                             i > 0 ? named[i - 1].rgba : none);
        *count = add_run(*runs, *count, mesh->triangle_count, got > 0 ? named[got - 1].rgba : none);
    }
    free(named);
    return status;
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
