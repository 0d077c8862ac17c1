/* SPDX-License-Identifier: MIT
 * rvm_facets.c: facet groups: polygons with holes, cut into triangles as they are oriented.
 */
#include <assert.h>

#include "model/polygon_join.h"
#include "rvm/rvm.h"

enum { CORNER_SIZE = 24 /* a position and a normal */ };

/* A count of things of at least `size` bytes each, in a chunk that must have room for them. */
static bvp_status read_count(rvm *r, rvm_cursor *c, const char *what, unsigned size, uint32_t *out)
{
    const uint64_t at = c->at;
    bvp_status status = rvm_word(r, c, what, out);
    if (status == BVP_OK && *out > (c->end - c->at) / size)
        return import_refuse_byte(r->im, BVP_ERR_CORRUPT, at,
                                  "%s: expected %s that fits into the %llu bytes left, found %u; "
                                  "the file is damaged, get it again",
                                  c->chunk, what, (unsigned long long)(c->end - c->at), *out);
    return status;
}

/* One polygon: its contours' vertices into the shell, and their triangles. */
static bvp_status read_polygon(rvm *r, rvm_cursor *c, polygon_join *join)
{
    rvm_shell *s = &r->shell;
    uint32_t contours, corners;
    uint8_t is_odd = 0;
    bvp_status status = read_count(r, c, "the number of a polygon's contours", 4, &contours);
    polygon_join_begin(join);
    for (uint32_t i = 0; i < contours && status == BVP_OK; i++) {
        status = read_count(r, c, "the number of a contour's corners", CORNER_SIZE, &corners);
        const uint32_t first = (uint32_t)s->vertex_count;
        for (uint32_t k = 0; k < corners && status == BVP_OK; k++) {
            double p[3];
            status = rvm_floats(r, c, "a corner", 3, p, &is_odd);
            c->at += CORNER_SIZE / 2; /* its normal; the count says that it is there */
            rvm_shell_vertex(s, p[0], p[1], p[2]);
        }
        if (status == BVP_OK && s->is_out_of_memory)
            status = import_no_memory(r->im);
        if (status == BVP_OK && corners < 3)
            r->small++;
        else if (status == BVP_OK && polygon_join_add(join, first, corners) != 0)
            status = import_no_memory(r->im);
    }
    if (status != BVP_OK || is_odd) {
        r->dropped += status == BVP_OK;
        return status;
    }
    if (polygon_join_end(join, s->positions) != 0)
        return import_no_memory(r->im);
    for (size_t i = 0, at = 0; i < join->outline_count && status == BVP_OK; i++) {
        const uint32_t count = join->sizes[i];
        uint32_t *triangles = rvm_shell_room(s, count - 2);
        assert(count >= 3);
        if (!triangles)
            break; /* the shell says why */
        const polygon_result result =
            polygon_cut(&r->polygons, s->positions, join->corners + at, count, triangles);
        if (result == POLYGON_NO_MEMORY)
            status = import_no_memory(r->im);
        else
            rvm_shell_took(s, count - 2);
        r->fans += result == POLYGON_FAN;
        at += count;
    }
    return status;
}

bvp_status rvm_facets(rvm *r, const rvm_shape *shape)
{
    rvm_cursor c = shape->facets;
    polygon_join join = {0};
    uint32_t polygons;
    bvp_status status = read_count(r, &c, "the number of polygons", 4, &polygons);
    for (uint32_t i = 0; i < polygons && status == BVP_OK && !r->shell.is_too_many; i++)
        status = read_polygon(r, &c, &join);
    polygon_join_free(&join);
    return status;
}
