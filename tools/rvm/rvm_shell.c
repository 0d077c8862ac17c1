/* SPDX-License-Identifier: MIT
 * rvm_shell.c: the triangles of one part, solid by solid.
 *
 * Solids are written with whatever vertices are simplest: a cone's tip as a ring of radius 0, a
 * wedge as a pyramid whose top has no width. Making one vertex of equal ones closes them: an edge
 * that has shrunk to a point takes its triangles with it, and the edges left still come in pairs.
 */
#include "rvm/rvm_shell.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "text/array.h"
#include "text/hash64.h"

uint32_t rvm_shell_vertex(rvm_shell *s, double x, double y, double z)
{
    const size_t used = 3 * s->vertex_count;
    if (s->is_out_of_memory || s->is_too_many)
        return 0;
    if (s->vertex_count >= UINT32_MAX - 1 ||
        array_grow(&s->positions, &s->position_capacity, used + 3, sizeof(double)) != 0) {
        s->is_out_of_memory = 1;
        return 0;
    }
    s->positions[used] = x + 0.; /* no -0, which would be another vertex */
    s->positions[used + 1] = y + 0.;
    s->positions[used + 2] = z + 0.;
    return (uint32_t)s->vertex_count++;
}

uint32_t *rvm_shell_room(rvm_shell *s, size_t count)
{
    if (s->is_out_of_memory || s->is_too_many)
        return NULL;
    if (count > s->triangles_left) {
        s->is_too_many = 1;
        return NULL;
    }
    if (array_grow(&s->corners, &s->corner_capacity, s->corner_count + 3 * count,
                   sizeof(uint32_t)) != 0) {
        s->is_out_of_memory = 1;
        return NULL;
    }
    return s->corners + s->corner_count;
}

void rvm_shell_took(rvm_shell *s, size_t count)
{
    assert(count <= s->triangles_left);
    assert(s->corner_count + 3 * count <= s->corner_capacity);
    s->triangles_left -= count;
    s->corner_count += 3 * count;
}

void rvm_shell_triangle(rvm_shell *s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *corner = rvm_shell_room(s, 1);
    if (!corner)
        return;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    rvm_shell_took(s, 1);
}

/* ---- ending a solid -------------------------------------------------------------------------- */

/* Makes one vertex of equal ones. */
static int weld(rvm_shell *s)
{
    const size_t count = s->vertex_count - s->first_vertex;
    size_t slot_count = 64;
    while (slot_count < 2 * count)
        slot_count *= 2;
    if (array_grow(&s->slots, &s->slot_capacity, slot_count, sizeof(uint32_t)) != 0 ||
        array_grow(&s->renamed, &s->rename_capacity, count, sizeof(uint32_t)) != 0)
        return -1;
    memset(s->slots, 0xff, slot_count * sizeof *s->slots);
    size_t kept = s->first_vertex;
    for (size_t i = 0; i < count; i++) {
        const double *from = s->positions + 3 * (s->first_vertex + i);
        size_t slot = hash64(from, 3 * sizeof *from) & (slot_count - 1);
        for (; s->slots[slot] != UINT32_MAX; slot = (slot + 1) & (slot_count - 1))
            if (memcmp(s->positions + 3 * (size_t)s->slots[slot], from, 3 * sizeof *from) == 0)
                break;
        if (s->slots[slot] == UINT32_MAX) {
            memmove(s->positions + 3 * kept, from, 3 * sizeof *from);
            s->slots[slot] = (uint32_t)kept++;
        }
        s->renamed[i] = s->slots[slot];
    }
    s->vertex_count = kept;
    return 0;
}

/* Six times the volume, as seen from one of the solid's vertices. */
static double volume_of(const rvm_shell *s)
{
    const double *o = s->positions + 3 * s->first_vertex;
    double sum = 0;
    for (size_t i = s->first_corner; i < s->corner_count; i += 3) {
        double e[3][3];
        for (int k = 0; k < 3; k++)
            for (int axis = 0; axis < 3; axis++)
                e[k][axis] = s->positions[3 * (size_t)s->corners[i + k] + axis] - o[axis];
        sum += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
               e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return sum;
}

static void turn_triangles(rvm_shell *s, size_t first_corner)
{
    for (size_t i = first_corner; i < s->corner_count; i += 3) {
        const uint32_t second = s->corners[i + 1];
        s->corners[i + 1] = s->corners[i + 2];
        s->corners[i + 2] = second;
    }
}

size_t rvm_shell_end(rvm_shell *s, int oriented)
{
    if (!s->is_out_of_memory && !s->is_too_many && weld(s) != 0)
        s->is_out_of_memory = 1;
    if (s->is_out_of_memory || s->is_too_many)
        return 0;
    size_t kept = s->first_corner;
    for (size_t i = s->first_corner; i < s->corner_count; i += 3) {
        uint32_t t[3];
        for (int k = 0; k < 3; k++)
            t[k] = s->renamed[s->corners[i + k] - s->first_vertex];
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
            continue;
        memcpy(s->corners + kept, t, sizeof t);
        kept += 3;
    }
    s->triangles_left += (s->corner_count - kept) / 3;
    s->corner_count = kept;
    if (oriented && kept > s->first_corner && volume_of(s) < 0)
        turn_triangles(s, s->first_corner);
    const size_t count = (kept - s->first_corner) / 3;
    s->first_vertex = s->vertex_count;
    s->first_corner = s->corner_count;
    return count;
}

void rvm_shell_move(rvm_shell *s, size_t first_vertex, size_t first_corner, const double m[12])
{
    const double determinant = m[0] * (m[5] * m[10] - m[6] * m[9]) -
                               m[1] * (m[4] * m[10] - m[6] * m[8]) +
                               m[2] * (m[4] * m[9] - m[5] * m[8]);
    for (size_t i = first_vertex; i < s->vertex_count; i++) {
        double *p = s->positions + 3 * i;
        const double x = p[0], y = p[1], z = p[2];
        for (int row = 0; row < 3; row++)
            p[row] = m[4 * row] * x + m[4 * row + 1] * y + m[4 * row + 2] * z + m[4 * row + 3];
    }
    if (determinant < 0)
        turn_triangles(s, first_corner);
}

void rvm_shell_empty(rvm_shell *s)
{
    s->vertex_count = s->corner_count = s->first_vertex = s->first_corner = 0;
}

void rvm_shell_free(rvm_shell *s)
{
    free(s->positions);
    free(s->corners);
    free(s->slots);
    free(s->renamed);
}
