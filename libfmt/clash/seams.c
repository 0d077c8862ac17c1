/* SPDX-License-Identifier: MIT
 * seams.c: is a part with open edges closed, except for narrow cracks? How wide are they?
 *
 * Each side of a triangle counts once in its direction. Where the two directions cancel, the
 * surface is closed. What remains is the border: a sum of directed edges that is itself closed,
 * because every triangle's border is. Suppose the border's points can be moved, each edge staying a
 * straight or bent line, so that afterwards everything cancels. The paths of the points sweep
 * walls. The part with these walls is a closed sum of triangles, so around every point off them it
 * has an integer winding number, and no point of a wall is farther from an open edge than the
 * longest path. That longest path is the part's width. winding.c uses it.
 *
 * The moves tried: ends near each other go to the middle of their group's box; an edge that passes
 * near such a place is bent to it, which handles T-junctions. "Near" starts at rounding level and
 * grows by factors of 4; then values between the last two are tried, because larger ones may bend
 * edges without need.
 *
 * Exactness: that everything cancels is decided on integers (places and counts). The width is
 * computed in double and rounded up. If nothing cancels, or the part is too large to try, the width
 * is infinite, which only means "unknown".
 *
 * Spec: exactness.md, chapter 12, "Cracks"
 * Measured: decisions.md, "Duplicates by surface, and cracks"
 */
#include "clash/seams.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/meter.h"
#include "base/vec3.h"

enum { CHUNK = 256, TRIANGLES_MOST = 1 << 20, SEAMS_MOST = 4096, BENDS_MOST = 1 << 15, LOOK = 64 };

/* What counts as near, relative to the longest side of the border's box: first value, last value,
 * factor. */
#define NEAR_FIRST 0x1p-24
#define NEAR_LAST  0x1p-4
#define NEAR_STEP  4.
enum { NEAR_FINER = 4 }; /* bisections between the last two values, on a logarithmic scale */

/* An edge with its ends in order. sum: how often it runs from the first to the second, minus
 * back. */
typedef struct edge {
    float ends[2][3];
    int32_t sum;
} edge;

/* Where an edge is bent: to the place of a group of ends. */
typedef struct bend {
    double at; /* position along the edge, 0 .. 1 */
    uint32_t place;
} bend;

/* A straight piece of a bent edge, between two places. */
typedef struct piece {
    uint32_t places[2];
    int32_t sum;
} piece;

typedef struct border {
    const bvp_control *control;
    edge *edges;
    uint32_t *slots; /* edge numbers plus one; 0: free */
    uint32_t slot_count, edge_count, end_count;
    float (*ends)[3];   /* distinct, sorted */
    uint32_t *place_of; /* for each end, the first end of its group */
    double (*boxes)[6]; /* for each group's first end: the box of the group; then its middle, the
                           place */
    uint32_t (*ends_of)[2]; /* the numbers of each edge's ends */
    bend *bends;            /* of one edge: room for end_count */
    piece *pieces;
    uint32_t piece_count;
    double farthest; /* the longest path of a point */
} border;

/* ---- the border ------------------------------------------------------------------------------ */

static int compare_ends(const void *a, const void *b)
{
    const float *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static void add_side(border *b, const float from[3], const float to[3])
{
    const int order = compare_ends(from, to);
    assert(order != 0);
    edge e = {.sum = order < 0 ? 1 : -1};
    for (int i = 0; i < 3; i++) { /* -0 becomes 0 */
        e.ends[order > 0][i] = from[i] + 0.f;
        e.ends[order < 0][i] = to[i] + 0.f;
    }
    uint32_t bits[6], h = 0;
    memcpy(bits, e.ends, sizeof bits);
    for (int i = 0; i < 6; i++)
        h = (h ^ h >> 15 ^ bits[i]) * UINT32_C(0x9E3779B1);
    h ^= h >> 16;
    const uint32_t mask = b->slot_count - 1;
    for (h &= mask; b->slots[h] != 0; h = (h + 1) & mask)
        if (memcmp(b->edges[b->slots[h] - 1].ends, e.ends, sizeof bits) == 0) {
            b->edges[b->slots[h] - 1].sum += e.sum;
            return;
        }
    assert(b->edge_count < b->slot_count - 1); /* so the next search ends */
    b->edges[b->edge_count++] = e;
    b->slots[h] = b->edge_count;
}

/* Keeps the edges that do not cancel. */
static bvp_status find_edges(border *b, const bvp_file *file, uint32_t part, uint32_t triangles)
{
    uint32_t kept = 0;
    for (b->slot_count = 8; b->slot_count < 4 * triangles;)
        b->slot_count *= 2;
    b->edges = malloc(3 * (size_t)triangles * sizeof *b->edges + 1);
    b->slots = calloc(b->slot_count, sizeof *b->slots);
    if (!b->edges || !b->slots)
        return BVP_ERR_NO_MEMORY;
    float chunk[9 * CHUNK];
    uint64_t count = CHUNK;
    for (uint64_t first = 0; count == CHUNK; first += count) {
        const bvp_status status =
            bvp_get_triangles(file, part, (bvp_range){first, CHUNK}, chunk, NULL, &count);
        if (status != BVP_OK)
            return status;
        if (bvpi_is_cancelled(b->control))
            return BVP_ERR_CANCELLED;
        /* `triangles` was read before: the file may have changed since, but not the room */
        for (uint64_t i = 0; i < count && first + i < triangles; i++)
            for (int k = 0; k < 3; k++) {
                const float *from = chunk + 9 * i + 3 * k, *to = chunk + 9 * i + 3 * ((k + 1) % 3);
                if (!isfinite(from[0]) || !isfinite(from[1]) || !isfinite(from[2]))
                    return BVP_ERR_CORRUPT; /* CLU-8; what follows sorts coordinates */
                if (compare_ends(from, to) != 0)
                    add_side(b, from, to);
            }
    }
    assert(b->edge_count <= 3 * triangles);
    for (uint32_t i = 0; i < b->edge_count; i++)
        if (b->edges[i].sum != 0)
            b->edges[kept++] = b->edges[i];
    b->edge_count = kept;
    return BVP_OK;
}

static bvp_status number_ends(border *b)
{
    assert(b->edge_count > 0 && b->edge_count <= SEAMS_MOST);
    const size_t most = 2 * (size_t)b->edge_count;
    uint32_t kept = 0;
    b->ends = malloc(most * sizeof *b->ends);
    b->place_of = malloc(most * sizeof *b->place_of);
    b->boxes = malloc(most * sizeof *b->boxes);
    b->ends_of = malloc(b->edge_count * sizeof *b->ends_of);
    b->bends = malloc(most * sizeof *b->bends);
    b->pieces = malloc(BENDS_MOST * sizeof *b->pieces);
    if (!b->ends || !b->place_of || !b->boxes || !b->ends_of || !b->bends || !b->pieces)
        return BVP_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < b->edge_count; i++)
        memcpy(b->ends[2 * i], b->edges[i].ends, sizeof b->edges[i].ends);
    qsort(b->ends, most, sizeof *b->ends, compare_ends);
    for (uint32_t i = 0; i < most; i++)
        if (i == 0 || compare_ends(b->ends[i], b->ends[kept - 1]) != 0)
            memmove(b->ends[kept++], b->ends[i], sizeof *b->ends);
    b->end_count = kept;
    for (uint32_t i = 0; i < b->edge_count; i++)
        for (int k = 0; k < 2; k++) {
            const float(*found)[3] =
                bsearch(b->edges[i].ends[k], b->ends, kept, sizeof *b->ends, compare_ends);
            assert(found);
            b->ends_of[i][k] = (uint32_t)(found - (const float(*)[3])b->ends);
        }
    return BVP_OK;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void to_doubles(const float p[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)p[i];
}

static double distance(const double p[3], const double q[3])
{
    double d[3];
    bvpi_subtract(p, q, d);
    return sqrt(bvpi_dot(d, d));
}

static double distance_to_end(const double p[3], const float end[3])
{
    double q[3];
    to_doubles(end, q);
    return distance(p, q);
}

static void note(border *b, double way)
{
    b->farthest = fmax(b->farthest, way);
}

static uint32_t first_of_group(border *b, uint32_t end)
{
    while (b->place_of[end] != end)
        end = b->place_of[end] = b->place_of[b->place_of[end]];
    assert(end < b->end_count);
    return end;
}

static bool goes_on(const border *b, uint32_t i, bvp_status *status)
{
    if (i % LOOK == 0 && bvpi_is_cancelled(b->control))
        *status = BVP_ERR_CANCELLED;
    return *status == BVP_OK;
}

/* Unites ends within `near` of each other. Ends are sorted by x, so only those in a window of that
 * width are compared. A group is led by its least number; its place is the middle of its box. */
static void group_ends(border *b, double near, bvp_status *status)
{
    for (uint32_t i = 0; i < b->end_count; i++)
        b->place_of[i] = i;
    for (uint32_t i = 0; i < b->end_count && goes_on(b, i, status); i++) {
        double end[3];
        to_doubles(b->ends[i], end);
        for (uint32_t k = i + 1; k < b->end_count && (double)b->ends[k][0] - end[0] <= near; k++)
            if (distance_to_end(end, b->ends[k]) <= near) {
                const uint32_t one = first_of_group(b, i), other = first_of_group(b, k);
                b->place_of[one < other ? other : one] = one < other ? one : other;
            }
    }
    for (uint32_t i = 0; i < b->end_count; i++) {
        double *box = b->boxes[b->place_of[i] = first_of_group(b, i)];
        for (int k = 0; k < 3; k++) {
            const double x = (double)b->ends[i][k];
            const bool is_first = b->place_of[i] == i;
            box[k] = is_first || x < box[k] ? x : box[k];
            box[3 + k] = is_first || x > box[3 + k] ? x : box[3 + k];
        }
    }
    for (uint32_t i = 0; i < b->end_count; i++)
        for (int k = 0; k < 3 && b->place_of[i] == i; k++)
            b->boxes[i][k] = 0.5 * b->boxes[i][k] + 0.5 * b->boxes[i][3 + k];
    for (uint32_t i = 0; i < b->end_count; i++)
        note(b, distance_to_end(b->boxes[b->place_of[i]], b->ends[i]));
}

static int compare_bends(const void *a, const void *b)
{
    const bend *p = a, *q = b;
    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

/* The point of an edge nearest to another point. */
static double along(const edge *e, const double to[3], double point[3])
{
    double way = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        const double d = (double)e->ends[1][i] - (double)e->ends[0][i];
        way += d * (to[i] - (double)e->ends[0][i]);
        size += d * d;
    }
    const double at = way > 0 ? fmin(way / size, 1) : 0;
    for (int i = 0; i < 3; i++) {
        const double from = (double)e->ends[0][i];
        point[i] = from + at * ((double)e->ends[1][i] - from);
    }
    return at;
}

static bool add_piece(border *b, uint32_t from, uint32_t to, int32_t sum)
{
    if (b->piece_count == BENDS_MOST)
        return false;
    if (from != to)
        b->pieces[b->piece_count++] =
            from < to ? (piece){{from, to}, sum} : (piece){{to, from}, -sum};
    return true;
}

/* Bends an edge to each place that it passes within `near`, in the order along the edge, and adds
 * its pieces. False: too many pieces. */
static bool bend_edge(border *b, uint32_t which, double near)
{
    const edge *e = &b->edges[which];
    const uint32_t to = b->place_of[b->ends_of[which][1]];
    uint32_t from = b->place_of[b->ends_of[which][0]], count = 0;
    /* Ends are sorted by x, and so are those of the edge. */
    uint32_t first = 0;
    for (uint32_t high = b->end_count; first < high;) {
        const uint32_t middle = first + (high - first) / 2;
        if ((double)b->ends[middle][0] < (double)e->ends[0][0] - near)
            first = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = first;
         i < b->end_count && (double)b->ends[i][0] <= (double)e->ends[1][0] + near; i++) {
        double end[3], point[3];
        const uint32_t place = b->place_of[i];
        to_doubles(b->ends[i], end);
        if (place == from || place == to || (count > 0 && b->bends[count - 1].place == place))
            continue;
        along(e, end, point);
        if (distance(point, end) <= near)
            b->bends[count++] = (bend){along(e, b->boxes[place], point), place};
    }
    assert(count <= b->end_count);
    qsort(b->bends, count, sizeof *b->bends, compare_bends);
    for (uint32_t k = 0; k < count; k++) {
        double point[3];
        for (int i = 0; i < 3; i++)
            point[i] = (double)e->ends[0][i] +
                       b->bends[k].at * ((double)e->ends[1][i] - (double)e->ends[0][i]);
        if (b->bends[k].place == from) /* another end of this group came first */
            continue;
        note(b, distance(point, b->boxes[b->bends[k].place]));
        if (!add_piece(b, from, b->bends[k].place, e->sum))
            return false;
        from = b->bends[k].place;
    }
    return add_piece(b, from, to, e->sum);
}

static int compare_pieces(const void *a, const void *b)
{
    const piece *p = a, *q = b;
    for (int i = 0; i < 2; i++)
        if (p->places[i] != q->places[i])
            return p->places[i] < q->places[i] ? -1 : 1;
    return 0;
}

/* Does everything cancel if ends within `near` become one? */
static bool closes(border *b, double near, bvp_status *status)
{
    bool is_room = true;
    b->farthest = 0;
    b->piece_count = 0;
    assert(near >= 0);
    group_ends(b, near, status);
    for (uint32_t i = 0; i < b->edge_count && is_room && goes_on(b, i, status); i++)
        is_room = bend_edge(b, i, near);
    if (*status != BVP_OK || !is_room)
        return false;
    qsort(b->pieces, b->piece_count, sizeof *b->pieces, compare_pieces);
    for (uint32_t i = 0, next; i < b->piece_count; i = next) {
        int32_t sum = b->pieces[i].sum;
        for (next = i + 1;
             next < b->piece_count && compare_pieces(&b->pieces[i], &b->pieces[next]) == 0; next++)
            sum += b->pieces[next].sum;
        if (sum != 0)
            return false;
    }
    return true;
}

/* ---- a part's seams -------------------------------------------------------------------------- */

/* The least width found. A larger `near` may bend edges without need, so smaller ones are tried
 * last. */
static double width_of(border *b, bvp_status *status)
{
    double width = INFINITY, near, step = NEAR_STEP;
    if (b->edge_count == 0)
        return 0;
    if (b->edge_count > SEAMS_MOST)
        return INFINITY;
    *status = number_ends(b);
    double extent = 0; /* the longest side of the border's box */
    for (int i = 0; i < 3 && *status == BVP_OK; i++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t k = 0; k < b->end_count; k++) {
            lo = fmin(lo, (double)b->ends[k][i]);
            hi = fmax(hi, (double)b->ends[k][i]);
        }
        extent = fmax(extent, hi - lo);
    }
    for (near = NEAR_FIRST * extent; near <= NEAR_LAST * extent && *status == BVP_OK; near *= step)
        if (closes(b, near, status)) {
            width = b->farthest;
            break;
        }
    for (int k = 0; k < NEAR_FINER && isfinite(width) && *status == BVP_OK; k++) {
        const double less = near / (step = sqrt(step));
        if (closes(b, less, status)) {
            width = fmin(width, b->farthest);
            near = less;
        }
    }
    return width * (1 + 0x1p-40);
}

static bvp_status find_seams(const bvp_file *file, uint32_t part, const bvp_control *control,
                             void **out)
{
    border b = {.control = control};
    double width = INFINITY;
    bvp_part_info info;
    bvp_status status = bvp_get_part(file, part, &info);
    if (status == BVP_OK && info.triangle_count <= TRIANGLES_MOST &&
        info.open_edge_count <= SEAMS_MOST) {
        status = find_edges(&b, file, part, (uint32_t)info.triangle_count);
        if (status == BVP_OK)
            width = width_of(&b, &status);
    }
    if (status == BVP_OK) {
        const uint32_t count = isfinite(width) ? b.edge_count : 0;
        bvpi_seams *seams = malloc(sizeof *seams + count * sizeof seams->at[0]);
        if (seams) {
            seams->width = width;
            seams->count = count;
            for (uint32_t i = 0; i < count; i++)
                memcpy(seams->at[i].ends, b.edges[i].ends, sizeof b.edges[i].ends);
        }
        *out = seams;
        status = seams ? BVP_OK : BVP_ERR_NO_MEMORY;
    }
    free(b.edges);
    free(b.slots);
    free(b.ends);
    free(b.place_of);
    free(b.boxes);
    free(b.ends_of);
    free(b.bends);
    free(b.pieces);
    return status;
}

bvp_status bvpi_seams_get(bvpi_part_cache *cache, uint32_t part, const bvp_control *control,
                          const bvpi_seams **out)
{
    const void *found;
    const bvp_status status = bvpi_part_cache_get(cache, part, find_seams, control, &found);
    *out = found;
    return status;
}
