/* SPDX-License-Identifier: MIT
 * refit_model.c: finds a part's triangles in the moved model by their numbers in the source; their
 * corners give the new position of each stored vertex.
 *
 * Packing stores triangles in another order than the source, and shares vertices between them; the
 * number of a triangle in its source is the only link. Each triangle of the part must be found,
 * once, and triangles that share a vertex must agree on its new position: otherwise the model is
 * not the one that was packed, moved. Numbers are sorted once, as number << 32 | place, and then
 * searched.
 */
#include "refit/refit_model.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"

enum { CHUNK = 4096 /* triangles read at a time */ };

/* A mesh's triangles by number. */
typedef struct numbering {
    const model_mesh *mesh;
    uint64_t *sorted; /* number << 32 | place in the mesh; NULL: the number is the place */
    uint8_t *is_used; /* by a triangle of the part */
} numbering;

/* One part on its way. */
typedef struct matching {
    const bvp_file *file;
    uint32_t part;
    bvp_part_info info;
    const char *where;
    numbering numbers;
    float *positions;
    uint8_t *is_placed; /* the vertex has its position */
    double rounding_error;
} matching;

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int number_triangles(const model_mesh *mesh, numbering *out)
{
    const size_t count = (size_t)mesh->triangle_count;
    *out = (numbering){.mesh = mesh, .is_used = calloc(count + 1, 1)};
    if (mesh->ids)
        out->sorted = malloc((count + 1) * sizeof *out->sorted);
    if (!out->is_used || (mesh->ids && !out->sorted))
        return -1;
    for (size_t i = 0; mesh->ids && i < count; i++)
        out->sorted[i] = (uint64_t)mesh->ids[i] << 32 | i;
    if (mesh->ids)
        qsort(out->sorted, count, sizeof *out->sorted, compare);
    return 0;
}

/* The place of triangle `id`, or UINT64_MAX. */
static uint64_t find_triangle(const numbering *n, uint64_t id)
{
    uint64_t low = 0, high = n->mesh->triangle_count;
    if (!n->sorted)
        return id < high ? id : UINT64_MAX;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (n->sorted[middle] >> 32 <= id)
            low = middle;
        else
            high = middle;
    }
    assert(high - low <= 1);
    return low < high && n->sorted[low] >> 32 == id ? n->sorted[low] & UINT32_MAX : UINT64_MAX;
}

static int place_triangle(matching *m, uint64_t id, const uint64_t corners[3])
{
    const model_mesh *mesh = m->numbers.mesh;
    const double *origin = m->info.origin;
    const uint64_t place = find_triangle(&m->numbers, id);
    if (place == UINT64_MAX || m->numbers.is_used[place]) {
        complain(m->where,
                 "there is no triangle %" PRIu64 ", or several; it is not the model that "
                 "was packed, moved",
                 id);
        return EXIT_INPUT;
    }
    assert(place < mesh->triangle_count);
    m->numbers.is_used[place] = 1;
    for (int k = 0; k < 3; k++) {
        float at[3], *to = m->positions + 3 * corners[k];
        const uint64_t vertex = mesh->indices[3 * place + (uint64_t)k];
        for (int axis = 0; axis < 3; axis++) {
            const uint64_t from = 3 * vertex + (uint64_t)axis;
            const double x = mesh->is_double ? ((const double *)mesh->positions)[from]
                                             : ((const float *)mesh->positions)[from];
            at[axis] = (float)(x - origin[axis]); /* in the part's coordinates */
            m->rounding_error = fmax(m->rounding_error, fabs(at[axis] + origin[axis] - x));
        }
        if (m->is_placed[corners[k]] && (at[0] != to[0] || at[1] != to[1] || at[2] != to[2])) {
            complain(
                m->where,
                "a corner of triangle %" PRIu64
                " has moved away from a triangle that shares it; a torn part is to be packed anew",
                id);
            return EXIT_INPUT;
        }
        memcpy(to, at, sizeof at);
        m->is_placed[corners[k]] = 1;
    }
    return 0;
}

static int place_all(matching *m)
{
    uint64_t corners[3 * CHUNK], ids[CHUNK], count = 0;
    int code = 0;
    for (uint64_t first = 0; first < m->info.triangle_count && code == 0; first += count) {
        bvp_status status = bvp_get_corners(m->file, m->part, first, CHUNK, corners, &count);
        if (status == BVP_OK)
            status =
                bvp_get_triangles(m->file, m->part, (bvp_range){first, count}, NULL, ids, &count);
        if (status != BVP_OK || count == 0)
            return complain_status(m->where, BVP_ERR_CORRUPT, NULL);
        assert(count <= CHUNK);
        for (uint64_t i = 0; i < count && code == 0; i++)
            code = place_triangle(m, ids[i], corners + 3 * i);
    }
    return code;
}

static int check_counts(const matching *m)
{
    const uint64_t found = m->numbers.mesh->triangle_count, wanted = m->info.triangle_count;
    if (found != wanted) {
        complain(m->where,
                 "it has %" PRIu64 " triangles; part %" PRIu32 " has %" PRIu64
                 ": only the vertices may have changed",
                 found, m->part, wanted);
        return EXIT_INPUT;
    }
    if (!m->info.has_ids) {
        complain(m->where, "part %" PRIu32 " was packed with --no-ids; pack it with them", m->part);
        return EXIT_INPUT;
    }
    /* Two triangles with one number: a polygon's; which is which then depends on its shape. */
    const uint64_t *sorted = m->numbers.sorted;
    for (uint64_t i = 1; sorted && i < found; i++)
        if (sorted[i] >> 32 == sorted[i - 1] >> 32) {
            complain(m->where,
                     "it has polygons of more than three corners, whose triangles cannot be "
                     "told apart; triangulate the model before it is packed");
            return EXIT_INPUT;
        }
    return 0;
}

int refit_positions(const bvp_file *file, uint32_t part, const model_mesh *mesh, const char *where,
                    float *positions, uint64_t vertex_count, double *rounding_error)
{
    matching m = {.file = file, .part = part, .where = where, .positions = positions};
    int code = EXIT_LIMIT;
    m.is_placed = calloc((size_t)vertex_count + 1, 1);
    if (number_triangles(mesh, &m.numbers) != 0 || !m.is_placed)
        complain(where, "out of memory");
    else if (bvp_get_part(file, part, &m.info) != BVP_OK)
        code = complain_status(where, BVP_ERR_CORRUPT, NULL);
    else
        code = check_counts(&m);
    if (code == 0)
        code = place_all(&m);
    *rounding_error = m.rounding_error;
    free(m.numbers.sorted);
    free(m.numbers.is_used);
    free(m.is_placed);
    return code;
}
