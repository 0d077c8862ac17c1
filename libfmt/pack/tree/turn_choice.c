/* SPDX-License-Identifier: MIT
 * turn_choice.c: chooses the frame of a part's grid.
 *
 * Cost of a frame: the sum of the surfaces of all triangles' boxes there. Over the surface of the
 * part's own box that is how many boxes a line through the part meets. Where triangles are small,
 * or lie along the axes, it is 1 to 10; a sheet of n oblique strips has n / 2. Only a part with
 * CROWDED or more is looked at, and turned if another frame costs less than 1 / GAIN. A flat part
 * that lies across the axes is turned in any case: its boxes would be thick.
 *
 * Candidates: the first axis is one of the two longest edges of the triangle with the largest box,
 * or the direction that long edges have most in common; the second one is that across it which the
 * normals have most in common. Both by power iteration. All triangles count by their boxes'
 * surface. A sample of them decides, at regular steps: so the choice depends on the mesh alone.
 *
 * Held by tests/unit/test_turn.c.
 * Measured: decisions.md, "Turned grids"
 */
#include "pack/tree/turn_choice.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "node/turn.h"

enum {
    SAMPLE = 4096,
    CROWDED = 24,
    GAIN = 3,
    ITERATIONS = 48,
    CANDIDATES = 3,
    FLATNESS = 1024,    /* a flat part's diagonal over its thickness, at least */
    LARGEST = INT16_MAX /* of a quaternion's numbers */
};

typedef struct sampling {
    const bvpi_mesh *mesh;
    uint32_t step;   /* in `mesh`, which may be a sample already */
    uint32_t weight; /* triangles for each that is looked at */
} sampling;

static void load_corners(const bvpi_mesh *mesh, uint64_t triangle, double c[3][3])
{
    for (int k = 0; k < 3; k++) {
        const float *p = mesh->positions + 3 * (uint64_t)mesh->indices[3 * triangle + k];
        for (int i = 0; i < 3; i++)
            c[k][i] = (double)p[i];
    }
}

/* Half the surface of a triangle's box. turn: NULL: along the axes. */
static double surface_of(double c[3][3], const bvpi_turn *turn)
{
    double lo[3], hi[3], size[3];
    for (int k = 0; k < 3; k++) {
        double p[3];
        memcpy(p, c[k], sizeof p);
        if (turn)
            bvpi_turn_point(turn, c[k], p);
        for (int i = 0; i < 3; i++) {
            lo[i] = k == 0 || p[i] < lo[i] ? p[i] : lo[i];
            hi[i] = k == 0 || p[i] > hi[i] ? p[i] : hi[i];
        }
    }
    for (int i = 0; i < 3; i++)
        size[i] = hi[i] - lo[i];
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static double cost_of(const sampling *s, const bvpi_turn *turn, uint64_t *largest)
{
    double sum = 0, most = -1;
    for (uint64_t t = 0; t < s->mesh->triangle_count; t += s->step) {
        double c[3][3];
        load_corners(s->mesh, t, c);
        const double surface = surface_of(c, turn);
        sum += surface;
        if (surface > most && largest) {
            most = surface;
            *largest = t;
        }
    }
    return sum * s->weight;
}

/* ---- directions ------------------------------------------------------------------------------ */

/* False: too short to have a direction. */
static bool normalise(double v[3])
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(v[i]));
    if (!(most > 0x1p-900 && most < 0x1p900))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= most;
    const double length = sqrt(bvpi_dot(v, v));
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return true;
}

/* The direction that the sum of weighted squares has most of. */
static bool main_direction(double m[3][3], double out[3])
{
    int k = m[1][1] > m[0][0];
    k = m[2][2] > m[k][k] ? 2 : k;
    memcpy(out, m[k], 3 * sizeof *out);
    bool good = normalise(out);
    for (int n = 0; n < ITERATIONS && good; n++) {
        const double v[3] = {bvpi_dot(m[0], out), bvpi_dot(m[1], out), bvpi_dot(m[2], out)};
        memcpy(out, v, sizeof v);
        good = normalise(out);
    }
    return good;
}

/* A triangle's edges, the longest first, and its normal. */
static void edges_of(double c[3][3], double edge[3][3], double normal[3])
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            edge[k][i] = c[(k + 1) % 3][i] - c[k][i];
    bvpi_cross(edge[0], edge[1], normal);
    for (int k = 0; k < 2; k++) /* bubbles: the shortest comes last, then the next */
        for (int j = 0; j < 2 - k; j++)
            if (bvpi_dot(edge[j], edge[j]) < bvpi_dot(edge[j + 1], edge[j + 1])) {
                double e[3];
                memcpy(e, edge[j], sizeof e);
                memcpy(edge[j], edge[j + 1], sizeof e);
                memcpy(edge[j + 1], e, sizeof e);
            }
}

static void add_square(double m[3][3], const double v[3], double weight)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] += weight * v[i] * v[j];
}

/* along: NULL: of the longest edges; else of the normals, across `along`. */
static bool common_direction(const sampling *s, const double *along, double out[3])
{
    double m[3][3] = {{0}};
    for (uint64_t t = 0; t < s->mesh->triangle_count; t += s->step) {
        double c[3][3], edge[3][3], normal[3], *v = edge[0];
        load_corners(s->mesh, t, c);
        edges_of(c, edge, normal);
        if (along) {
            const double part = normalise(normal) ? bvpi_dot(normal, along) : 0;
            for (int i = 0; i < 3; i++)
                normal[i] -= part * along[i];
            v = normal;
        }
        if (normalise(v))
            add_square(m, v, surface_of(c, NULL));
    }
    return main_direction(m, out);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* The quaternion of the rotation whose rows are an orthonormal, right-handed frame. */
static void quaternion_of(double r[3][3], int16_t out[4])
{
    /* 4 q q^T; the row with the largest diagonal is the best conditioned */
    const double m[4][4] = {
        {1 + r[0][0] + r[1][1] + r[2][2], r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]},
        {r[2][1] - r[1][2], 1 + r[0][0] - r[1][1] - r[2][2], r[0][1] + r[1][0], r[0][2] + r[2][0]},
        {r[0][2] - r[2][0], r[0][1] + r[1][0], 1 - r[0][0] + r[1][1] - r[2][2], r[1][2] + r[2][1]},
        {r[1][0] - r[0][1], r[0][2] + r[2][0], r[1][2] + r[2][1], 1 - r[0][0] - r[1][1] + r[2][2]}};
    int best = 0;
    for (int k = 1; k < 4; k++)
        best = m[k][k] > m[best][best] ? k : best;
    double most = 0;
    for (int k = 0; k < 4; k++)
        most = fmax(most, fabs(m[best][k]));
    for (int k = 0; k < 4; k++)
        out[k] = (int16_t)floor(m[best][k] / most * LARGEST + 0.5);
    assert(out[best] != 0);
}

/* The frame whose first axis is `first`. */
static bool frame_along(const sampling *s, const double first[3], int16_t out[4])
{
    double r[3][3];
    memcpy(r[0], first, sizeof r[0]);
    if (!normalise(r[0]) || !common_direction(s, r[0], r[1]))
        return false;
    const double part = bvpi_dot(r[0], r[1]);
    for (int i = 0; i < 3; i++)
        r[1][i] -= part * r[0][i];
    if (!normalise(r[1]))
        return false;
    bvpi_cross(r[0], r[1], r[2]);
    quaternion_of(r, out);
    return true;
}

/* The cheapest of the candidates; largest: the triangle with the largest box. */
static double best_frame(const sampling *s, uint64_t largest, int16_t out[4])
{
    double c[3][3], first[CANDIDATES][3], normal[3], least = INFINITY;
    load_corners(s->mesh, largest, c);
    edges_of(c, first, normal);
    if (!common_direction(s, NULL, first[CANDIDATES - 1]))
        return INFINITY;
    for (int k = 0; k < CANDIDATES; k++) {
        int16_t q[4];
        bvpi_turn turn;
        if (!frame_along(s, first[k], q))
            continue;
        bvpi_turn_init(q, &turn);
        const double cost = cost_of(s, &turn, NULL);
        if (!(cost < least))
            continue;
        least = cost;
        memcpy(out, q, sizeof q);
    }
    return least;
}

/* ---- flat parts ------------------------------------------------------------------------------ */

/* Is the point within the thickness of a flat part from the plane through `at`? */
static bool is_on_plane(const double normal[3], const double at[3], const double x[3], double most)
{
    const double off[3] = {x[0] - at[0], x[1] - at[1], x[2] - at[2]};
    return fabs(bvpi_dot(normal, off)) <= most;
}

/* Do all sampled triangles lie in one plane, but for a FLATNESS-th of the size? Mostly the second
 * triangle says no. */
static bool is_flat(const sampling *s, uint64_t largest, double size)
{
    double c[3][3], edge[3][3], at[3], normal[3];
    load_corners(s->mesh, largest, c);
    memcpy(at, c[0], sizeof at);
    edges_of(c, edge, normal);
    if (!normalise(normal))
        return false;
    for (uint64_t t = 0; t < s->mesh->triangle_count; t += s->step) {
        load_corners(s->mesh, t, c);
        for (int k = 0; k < 3; k++)
            if (!is_on_plane(normal, at, c[k], size / FLATNESS))
                return false;
    }
    return true;
}

/* ---- the grid -------------------------------------------------------------------------------- */

void bvpi_turn_bounds(const int16_t q[4], const float *positions, uint64_t vertex_count,
                      double lo[3], double hi[3])
{
    bvpi_turn turn;
    bvpi_turn_init(q, &turn);
    for (uint64_t v = 0; v < vertex_count; v++) {
        const float *p = positions + 3 * v;
        const double x[3] = {(double)p[0], (double)p[1], (double)p[2]};
        double y[3];
        bvpi_turn_point(&turn, x, y);
        for (int i = 0; i < 3; i++) {
            lo[i] = y[i] < lo[i] ? y[i] : lo[i];
            hi[i] = y[i] > hi[i] ? y[i] : hi[i];
        }
    }
}

void bvpi_turn_grid_make(const int16_t q[4], const double lo[3], const double hi[3],
                         bvpi_grid *grid)
{
    bvpi_grid_choose(lo, hi, grid);
    memcpy(grid->turn, q, sizeof grid->turn);
    grid->is_turned = true;
}

uint32_t bvpi_turn_step(uint32_t triangle_count)
{
    return triangle_count / SAMPLE + 1;
}

static bool choose(const sampling *s, const bvpi_grid *grid, int16_t q[4])
{
    const double x = grid->extent[0] * grid->unit, y = grid->extent[1] * grid->unit,
                 z = grid->extent[2] * grid->unit, size = sqrt(x * x + y * y + z * z);
    uint64_t largest = 0;
    const double cost = cost_of(s, NULL, &largest);
    const bool crowded = cost > CROWDED * (x * y + y * z + z * x);
    /* A flat part's grid lies in its plane: then boxes of two that face each other tell how far
     * apart they are. */
    const bool lies_across = fmin(fmin(x, y), z) > size / FLATNESS && is_flat(s, largest, size);
    return (crowded || lies_across) && best_frame(s, largest, q) * (lies_across ? 1 : GAIN) < cost;
}

bool bvpi_turn_choose(const bvpi_mesh *sample, uint32_t step, const bvpi_grid *grid,
                      int16_t turn[4])
{
    const sampling s = {sample, 1, step};
    return choose(&s, grid, turn);
}

void bvpi_turn_grid(const bvpi_mesh *mesh, bvpi_grid *grid)
{
    const uint32_t step = bvpi_turn_step(mesh->triangle_count);
    const sampling s = {mesh, step, step};
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    int16_t q[4];
    if (mesh->triangle_count < CROWDED || !choose(&s, grid, q))
        return;
    bvpi_turn_bounds(q, mesh->positions, mesh->vertex_count, lo, hi);
    bvpi_turn_grid_make(q, lo, hi, grid);
}
