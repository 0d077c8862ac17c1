/* SPDX-License-Identifier: MIT
 * report_mesh.c: the triangles of a clashing part that a report shows: all of a small part; of a
 * large one, those near the contact.
 *
 * The mesh is limited so that its corners have numbers of 16 bits. Triangles are chosen in the
 * coordinates of the view, read by their numbers in ascending order, and welded.
 */
#include "report/report_mesh.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"

typedef struct choice {
    uint64_t triangles[REPORT_TRIANGLES_MOST];
    uint32_t count;
    int is_full;
} choice;

int report_mesh_is_whole(const bvp_body *body)
{
    bvp_part_info info;
    return bvp_get_part(body->file, body->part, &info) == BVP_OK &&
           info.triangle_count <= REPORT_TRIANGLES_MOST;
}

static int choose(void *user, const bvp_hit_id *id)
{
    choice *c = user;
    assert(c->count <= REPORT_TRIANGLES_MOST);
    c->is_full = c->count == REPORT_TRIANGLES_MOST;
    if (!c->is_full)
        c->triangles[c->count++] = id->triangle;
    return c->is_full;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The colours that the source names of a node's triangles; *count 0: none. The caller frees *runs.
 */
static bvp_status read_runs(const bvp_file *file, uint32_t node, bvp_colour_run **runs,
                            uint32_t *count)
{
    uint32_t size = 0;
    *runs = NULL;
    *count = 0;
    if (node == BVP_NONE)
        return BVP_OK;
    bvp_status status = bvp_get_colours(file, node, NULL, 0, &size);
    if (status != BVP_OK || size == 0)
        return status;
    *runs = malloc((size_t)size * sizeof **runs);
    if (!*runs)
        return BVP_ERR_NO_MEMORY;
    status = bvp_get_colours(file, node, *runs, size, count);
    if (*count > size) /* the file has changed meanwhile */
        *count = size;
    return status;
}

static bvp_status read_colours(const bvp_body *body, uint32_t node, const choice *c,
                               report_mesh *out)
{
    bvp_colour_run *runs;
    uint32_t count;
    bvp_status status = read_runs(body->file, node, &runs, &count);
    if (status == BVP_OK && count > 0) {
        out->colours = malloc((size_t)c->count * sizeof *out->colours + 1);
        status = out->colours ? BVP_OK : BVP_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < c->count && status == BVP_OK && count > 0; i++) {
        float corners[9];
        uint64_t id;
        status = bvp_get_triangle(body->file, body->part, c->triangles[i], corners, &id);
        const uint8_t *rgba = status == BVP_OK ? bvp_find_colour(runs, count, id) : NULL;
        out->colours[i] =
            rgba ? (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2] : REPORT_NO_COLOUR;
    }
    free(runs);
    return status;
}

static bvp_status read_chosen(const bvp_body *body, const choice *c, report_mesh *out)
{
    bvp_status status = BVP_OK;
    assert(c->count <= REPORT_TRIANGLES_MOST);
    float *soup = malloc((size_t)c->count * 9 * sizeof *soup + 1);
    if (!soup)
        return BVP_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < c->count && status == BVP_OK; i++) {
        uint64_t id;
        status =
            bvp_get_triangle(body->file, body->part, c->triangles[i], soup + 9 * (size_t)i, &id);
    }
    if (status == BVP_OK && c->count > 0) {
        const bvp_mesh mesh = {
            .positions = soup, .vertex_count = 3 * (uint64_t)c->count, .triangle_count = c->count};
        uint32_t *indices = NULL;
        uint64_t vertex_count = 0;
        void *positions = NULL;
        status = bvp_weld(&mesh, 1, &indices, &positions, &vertex_count, NULL);
        assert(status != BVP_OK || vertex_count <= UINT16_MAX + 1); /* indices fit 16 bits */
        out->positions = positions;
        out->vertex_count = (uint32_t)vertex_count;
        out->triangle_count = c->count;
        out->indices = malloc(3 * (size_t)c->count * sizeof *out->indices + 1);
        if (!out->indices && status == BVP_OK)
            status = BVP_ERR_NO_MEMORY;
        for (uint32_t i = 0; status == BVP_OK && i < 3 * c->count; i++)
            out->indices[i] = (uint16_t)indices[i];
        free(indices);
    }
    free(soup);
    return status;
}

bvp_status report_mesh_read(const report_view *view, int side, uint32_t node, report_mesh *out)
{
    assert(side == 0 || side == 1);
    const bvp_body *body = &view->bodies[side];
    bvp_part_info info; /* read once: the file may change meanwhile */
    choice *c = calloc(1, sizeof *c);
    bvp_status status = c ? bvp_get_part(body->file, body->part, &info) : BVP_ERR_NO_MEMORY;
    memset(out, 0, sizeof *out);
    if (status == BVP_OK && info.triangle_count <= REPORT_TRIANGLES_MOST) {
        for (; c->count < info.triangle_count; c->count++)
            c->triangles[c->count] = c->count;
    } else if (status == BVP_OK) {
        /* The triangles in a box around the contact. The box shrinks until they are few enough; if
         * that fails, as many as fit. */
        enum { ROUNDS = 12 };
        double half = 1.6 * view->radius;
        for (int round = 0; round < ROUNDS && status == BVP_OK; round++, half *= 0.7) {
            double lo[3], hi[3];
            uint64_t count;
            for (int k = 0; k < 3; k++) {
                lo[k] = -half;
                hi[k] = half;
            }
            c->count = 0;
            c->is_full = 0;
            status = bvp_overlap(body, bvp_box_region(lo, hi), choose, c, &count, NULL);
            if (!c->is_full)
                break;
        }
        qsort(c->triangles, c->count, sizeof c->triangles[0], ascending);
    }
    if (status == BVP_OK)
        status = read_chosen(body, c, out);
    if (status == BVP_OK)
        status = read_colours(body, node, c, out);
    if (status != BVP_OK)
        report_mesh_free(out);
    free(c);
    return status;
}

void report_mesh_free(report_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->indices);
    free(mesh->colours);
    memset(mesh, 0, sizeof *mesh);
}
