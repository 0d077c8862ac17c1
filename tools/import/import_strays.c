/* SPDX-License-Identifier: MIT
 * import_strays.c: makes separate meshes of triangles that lie far outside the others of their
 * mesh, so that the grid of each is as fine as it needs. They accompany the mesh from which they
 * were taken.
 */
#include <float.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/import.h"

static size_t vertex_size(const model_mesh *mesh)
{
    return 3 * (mesh->is_double ? sizeof(double) : sizeof(float));
}

static uint64_t count_group(const model_mesh *mesh, const uint32_t *groups, uint32_t group)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < mesh->triangle_count; i++)
        count += groups[i] == group;
    return count;
}

/* ---- one group ------------------------------------------------------------------------------- */

/* A copy of the group, with the vertices that it uses, in the order in which its triangles name
 * them; NULL: no memory. */
static model_mesh *copy_group(const model_mesh *from, const uint32_t *groups, uint32_t group)
{
    assert(group > 0 && from->ids && from->indices);
    const size_t count = (size_t)count_group(from, groups, group), size = vertex_size(from);
    uint32_t *numbers = malloc((size_t)from->vertex_count * sizeof *numbers + 1); /* the new ones */
    model_mesh *to = calloc(1, sizeof *to);
    if (to) {
        to->is_double = from->is_double;
        to->first_buffers = from->first_buffers;
        to->buffer_count = from->buffer_count;
        to->part = BVP_NONE;
        to->positions = malloc(3 * count * size + 1);
        to->indices = malloc(3 * count * sizeof *to->indices + 1);
        to->ids = malloc(count * sizeof *to->ids + 1);
    }
    if (!numbers || !to || !to->positions || !to->indices || !to->ids) {
        if (to)
            model_mesh_free(to);
        free(to);
        free(numbers);
        return NULL;
    }
    memset(numbers, 0xff, (size_t)from->vertex_count * sizeof *numbers);
    for (uint64_t i = 0; i < from->triangle_count; i++) {
        if (groups[i] != group)
            continue;
        for (uint64_t k = 0; k < 3; k++) {
            const uint32_t vertex = from->indices[3 * i + k];
            assert(vertex < from->vertex_count); /* importers have checked */
            if (numbers[vertex] == UINT32_MAX) {
                numbers[vertex] = (uint32_t)to->vertex_count++;
                memcpy((char *)to->positions + numbers[vertex] * size,
                       (const char *)from->positions + vertex * size, size);
            }
            to->indices[3 * to->triangle_count + k] = numbers[vertex];
        }
        to->ids[to->triangle_count++] = from->ids[i];
    }
    assert(to->triangle_count == count && to->vertex_count <= 3 * count);
    free(numbers);
    return to;
}

/* ---- a mesh ---------------------------------------------------------------------------------- */

/* Makes groups 1 and up strays of the mesh, which keeps group 0. Triangles keep the numbers that
 * they have in the source. */
static bvp_status part_groups(importer *im, model_mesh *mesh, const uint32_t *groups,
                              uint32_t group_count)
{
    if (!mesh->ids) {
        mesh->ids = malloc((size_t)mesh->triangle_count * sizeof *mesh->ids);
        for (uint64_t i = 0; mesh->ids && i < mesh->triangle_count; i++)
            mesh->ids[i] = (uint32_t)i;
        if (!mesh->ids)
            return import_no_memory(im);
    }
    assert(!mesh->strays);
    model_mesh **last = &mesh->strays;
    for (uint32_t group = 1; group < group_count; group++) {
        *last = copy_group(mesh, groups, group);
        if (!*last)
            return import_no_memory(im);
        last = &(*last)->strays;
    }
    /* The builder ignores vertices that no triangle uses any more. */
    uint64_t kept = 0;
    for (uint64_t i = 0; i < mesh->triangle_count; i++) {
        if (groups[i] > 0)
            continue;
        memmove(mesh->indices + 3 * kept, mesh->indices + 3 * i, 3 * sizeof *mesh->indices);
        mesh->ids[kept++] = mesh->ids[i];
    }
    mesh->triangle_count = kept;
    return BVP_OK;
}

bvp_status import_warn_strays(importer *im, uint64_t count, double factor, int is_parted)
{
    static const char *const ends[2][2] = {
        {"; in one part with them it makes queries slow", "; it gets a grid of its own"},
        {"; in one part with them they make queries slow", "; they get grids of their own"}};
    char text[160];
    int power = 0; /* of the largest power of ten that is not above the factor */
    for (; factor >= 10 && power < DBL_MAX_10_EXP; factor /= 10) /* the factor may be infinite */
        power++;
    snprintf(text, sizeof text, "%s 10^%d times farther out than all others%s",
             count == 1 ? "triangle lies" : "triangles lie", power, ends[count != 1][is_parted]);
    return import_warn(im, count, text);
}

static bvp_status part_mesh(importer *im, model_mesh *mesh)
{
    const int is_parted = im->options->strays == MODEL_STRAYS_PART;
    const bvp_mesh whole = {.positions = mesh->positions,
                            .is_double = mesh->is_double,
                            .vertex_count = mesh->vertex_count,
                            .indices = mesh->indices,
                            .triangle_count = mesh->triangle_count};
    uint32_t *groups, group_count;
    double factor;
    bvp_status status = bvp_find_strays(&whole, &groups, &group_count, &factor, im->error);
    if (status != BVP_OK || !groups)
        return status;
    const uint64_t count = mesh->triangle_count - count_group(mesh, groups, 0);
    if (is_parted)
        status = part_groups(im, mesh, groups, group_count);
    free(groups);
    if (status != BVP_OK)
        return status;
    return import_warn_strays(im, count, factor, is_parted);
}

bvp_status import_part_strays(importer *im)
{
    bvp_status status = BVP_OK;
    if (im->options->strays == MODEL_STRAYS_IGNORE)
        return BVP_OK;
    for (uint32_t i = 0; i < im->out->mesh_count && status == BVP_OK; i++) {
        model_mesh *mesh = &im->out->meshes[i];
        if (mesh->indices && !mesh->strays && !mesh->is_looked_at)
            status = part_mesh(im, mesh);
        mesh->is_looked_at = 1; /* a model that another one names is examined only once */
    }
    return status;
}
