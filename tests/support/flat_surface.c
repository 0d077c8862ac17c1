/* SPDX-License-Identifier: MIT
 * flat_surface.c: lists of triangles, looked at one by one.
 */
#include "flat_surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat_oracle.h"

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "flat_surface: out of memory\n");
        exit(99);
    }
    return memory;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* A corner, to be sorted by its place. */
typedef struct corner {
    float p[3];
    uint32_t triangle;
} corner;

static int by_place(const void *a, const void *b)
{
    const corner *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p->p[i] != q->p[i])
            return p->p[i] < q->p[i] ? -1 : 1;
    return 0;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void find_pieces(flat_part *part)
{
    const uint32_t count = part->count;
    corner *corners = room(3 * (size_t)count, sizeof *corners);
    uint32_t *parent = room(count, sizeof *parent);
    for (uint32_t i = 0; i < 3 * count; i++) {
        memcpy(corners[i].p, part->soup + 3 * (size_t)i, sizeof corners[i].p);
        corners[i].triangle = i / 3;
        parent[i / 3] = i / 3;
    }
    qsort(corners, 3 * (size_t)count, sizeof *corners, by_place);
    for (uint32_t i = 1; i < 3 * count; i++)
        if (by_place(&corners[i - 1], &corners[i]) == 0)
            parent[root_of(parent, corners[i].triangle)] = root_of(parent, corners[i - 1].triangle);
    part->piece_of = room(count, sizeof *part->piece_of);
    for (uint32_t i = 0; i < count; i++)
        if (parent[i] == i)
            part->piece_of[i] = part->piece_count++;
    for (uint32_t i = 0; i < count; i++)
        part->piece_of[i] = part->piece_of[root_of(parent, i)];
    free(parent);
    free(corners);
}

void flat_part_make(float *soup, uint32_t count, flat_part *out)
{
    *out = (flat_part){.soup = soup, .count = count};
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < 3 * count; i++) {
            lo = fmin(lo, (double)soup[3 * (size_t)i + (size_t)k]);
            hi = fmax(hi, (double)soup[3 * (size_t)i + (size_t)k]);
        }
        out->size = fmax(out->size, hi - lo);
    }
    find_pieces(out);
}

void flat_part_free(flat_part *part)
{
    free(part->soup);
    free(part->piece_of);
}

/* ---- in the world ---------------------------------------------------------------------------- */

static const flat_box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void extend(flat_box *box, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        box->lo[i] = fmin(box->lo[i], point[i]);
        box->hi[i] = fmax(box->hi[i], point[i]);
    }
}

void flat_surface_make(const flat_part *part, const double at[12], flat_surface *out)
{
    double far = 0, stretch = 0;
    *out = (flat_surface){.part = part, .box = nothing};
    memcpy(out->at, at, sizeof out->at);
    out->corners = room(9 * (size_t)part->count, sizeof *out->corners);
    out->boxes = room(part->count, sizeof *out->boxes);
    for (uint32_t i = 0; i < part->count; i++) {
        out->boxes[i] = nothing;
        for (size_t c = 3 * (size_t)i; c < 3 * (size_t)i + 3; c++) {
            const float *p = part->soup + 3 * c;
            double *q = out->corners + 3 * c;
            for (int r = 0; r < 3; r++)
                q[r] = at[4 * r] * (double)p[0] + at[4 * r + 1] * (double)p[1] +
                       at[4 * r + 2] * (double)p[2] + at[4 * r + 3];
            extend(&out->boxes[i], q);
        }
        extend(&out->box, out->boxes[i].lo);
        extend(&out->box, out->boxes[i].hi);
    }
    for (int k = 0; k < 12; k++)
        *(k % 4 == 3 ? &far : &stretch) = fmax(k % 4 == 3 ? far : stretch, fabs(at[k]));
    out->slack = 0x1p-46 * (far + 4 * stretch * part->size) + 1e-9 * stretch * part->size;
}

void flat_surface_free(flat_surface *surface)
{
    free(surface->corners);
    free(surface->boxes);
}

bool flat_boxes_apart(const flat_box *a, const flat_box *b, double by)
{
    for (int i = 0; i < 3; i++)
        if (a->lo[i] - b->hi[i] > by || b->lo[i] - a->hi[i] > by)
            return true;
    return false;
}

/* ---- pairs of triangles ---------------------------------------------------------------------- */

/* A triangle on its way through a sweep along one axis. */
typedef struct swept {
    double lo, hi;
    uint32_t triangle;
} swept;

static int by_lo(const void *a, const void *b)
{
    const swept *p = a, *q = b;
    return p->lo != q->lo ? (p->lo < q->lo ? -1 : 1) : 0;
}

/* Those whose boxes meet the other surface's box, grown; ascending. */
static swept *sweep_list(const flat_surface *s, const flat_box *other, double by, int axis,
                         uint32_t *count)
{
    swept *list = room(s->part->count, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < s->part->count; i++)
        if (!flat_boxes_apart(&s->boxes[i], other, by))
            list[(*count)++] = (swept){s->boxes[i].lo[axis], s->boxes[i].hi[axis], i};
    qsort(list, *count, sizeof *list, by_lo);
    return list;
}

/* Those of the other surface that the sweep has passed and not left. */
typedef struct passed {
    swept *items;
    uint32_t count;
} passed;

/* Leaves those that end before `lo`. */
static void leave(passed *open, double lo)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < open->count; i++)
        if (open->items[i].hi >= lo)
            open->items[kept++] = open->items[i];
    open->count = kept;
}

void flat_near_pairs(const flat_surface *a, const flat_surface *b, double by, flat_pair_fn each,
                     void *user)
{
    int axis = 0, stop = 0;
    uint32_t counts[2], next[2] = {0, 0};
    const flat_surface *const sides[2] = {a, b};
    for (int i = 1; i < 3; i++)
        if (a->box.hi[i] - a->box.lo[i] > a->box.hi[axis] - a->box.lo[axis])
            axis = i;
    swept *const lists[2] = {sweep_list(a, &b->box, by, axis, &counts[0]),
                             sweep_list(b, &a->box, by, axis, &counts[1])};
    passed open[2] = {{room(counts[0], sizeof(swept)), 0}, {room(counts[1], sizeof(swept)), 0}};
    while (!stop && (next[0] < counts[0] || next[1] < counts[1])) {
        const int side = next[0] == counts[0] ||
                         (next[1] < counts[1] && lists[1][next[1]].lo < lists[0][next[0]].lo);
        const swept *now = &lists[side][next[side]++];
        const flat_box *box = &sides[side]->boxes[now->triangle];
        passed *others = &open[!side];
        leave(others, now->lo - by);
        open[side].items[open[side].count++] = *now;
        for (uint32_t i = 0; i < others->count && !stop; i++) {
            const uint32_t other = others->items[i].triangle;
            if (!flat_boxes_apart(box, &sides[!side]->boxes[other], by))
                stop = each(user, a, side ? other : now->triangle, b, side ? now->triangle : other);
        }
    }
    for (int side = 0; side < 2; side++) {
        free(lists[side]);
        free(open[side].items);
    }
}

/* Corners relative to `origin`. */
static polygon triangle_at(const flat_surface *s, uint32_t i, const double origin[3])
{
    polygon p = {.count = 3};
    for (int k = 0; k < 9; k++)
        p.c[k / 3][k % 3] = (long double)s->corners[9 * (size_t)i + (size_t)k] - origin[k % 3];
    return p;
}

double flat_distance(const flat_surface *a, uint32_t i, const flat_surface *b, uint32_t k)
{
    const double *origin = a->corners + 9 * (size_t)i;
    const polygon p = triangle_at(a, i, origin), q = triangle_at(b, k, origin);
    return (double)polygon_distance(&p, &q);
}

/* ---- points ---------------------------------------------------------------------------------- */

static double point_box_distance(const flat_box *box, const double point[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double d = fmax(0, fmax(box->lo[i] - point[i], point[i] - box->hi[i]));
        sum += d * d;
    }
    return sqrt(sum);
}

/* A point is a polygon whose corners coincide. */
double flat_point_distance(const flat_surface *surface, const double point[3])
{
    const polygon at = {.count = 1};
    double best = INFINITY;
    for (uint32_t i = 0; i < surface->part->count; i++) {
        if (point_box_distance(&surface->boxes[i], point) >= best)
            continue;
        const polygon p = triangle_at(surface, i, point);
        best = fmin(best, (double)polygon_distance(&at, &p));
    }
    return best;
}

static double solid_angle(const double *corners, const double point[3])
{
    double v[3][3], length[3], dots[3];
    for (int k = 0; k < 9; k++)
        v[k / 3][k % 3] = corners[k] - point[k % 3];
    for (int k = 0; k < 3; k++) {
        const double *p = v[k], *q = v[(k + 1) % 3];
        length[k] = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        dots[k] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    const double volume = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                          v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                          v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    return 2 * atan2(volume, length[0] * length[1] * length[2] + dots[0] * length[2] +
                                 dots[1] * length[0] + dots[2] * length[1]);
}

double flat_winding(const flat_surface *surface, const double point[3])
{
    double sum = 0;
    for (uint32_t i = 0; i < surface->part->count; i++)
        sum += solid_angle(surface->corners + 9 * (size_t)i, point);
    return sum / (4 * M_PI);
}
