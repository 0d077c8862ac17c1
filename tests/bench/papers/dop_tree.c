/* SPDX-License-Identifier: MIT
 * dop_tree.c: binary tree of 24-DOPs, a baseline.
 * Based on: Klosowski et al., Efficient collision detection using bounding volume hierarchies of
 * k-DOPs, 1998; Zachmann, Rapid collision detection by dynamically aligned DOP-trees, 1998.
 */
#include "base_leaf.h"

#include <math.h>
#include <stdlib.h>

enum { HALF = DOP_FLOATS / 2, FACET_MAX = 200 };

/* Three axes, six edges' directions of the cube, three of its diagonals. Direction k + HALF is the
 * opposite of direction k. */
static const float directions[HALF][3] = {{1, 0, 0},  {0, 1, 0}, {0, 0, 1},  {1, 1, 0},
                                          {1, 0, 1},  {0, 1, 1}, {1, -1, 0}, {1, 0, -1},
                                          {0, 1, -1}, {1, 1, 1}, {1, -1, 1}, {-1, 1, 1}};

static void direction(int k, double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = k < HALF ? (double)directions[k][axis] : -(double)directions[k - HALF][axis];
}

/* volume[k]: the largest value of direction k over the points. */
static float fit(const mesh *mesh, const uint32_t *order, uint32_t count, float *volume)
{
    float size = 0;
    for (int k = 0; k < DOP_FLOATS; k++)
        volume[k] = -INFINITY;
    for (uint32_t i = 0; i < count; i++)
        for (int c = 0; c < 9; c += 3) {
            const float *p = mesh->tri + 9 * (uint64_t)order[i] + c;
            for (int k = 0; k < HALF; k++) {
                const float *d = directions[k], along = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
                volume[k] = fmaxf(volume[k], along);
                volume[k + HALF] = fmaxf(volume[k + HALF], -along);
            }
        }
    for (int k = 0; k < HALF; k++)
        size += volume[k] + volume[k + HALF];
    return size;
}

void dop_tree_build(base_tree *tree, const mesh *mesh)
{
    base_tree_build(tree, mesh, fit, DOP_FLOATS);
}

/* ---- alignment: directions of a as sums of three of b, weights not negative ------------------ */

/* Direction k of a is at most sum of weight[k][i] * volume[from[k][i]] + shift[k] over b. */
typedef struct prepared {
    uint8_t from[DOP_FLOATS][3];
    float weight[DOP_FLOATS][3], shift[DOP_FLOATS];
} prepared;

typedef struct dop {
    float reach[DOP_FLOATS];
} dop;

/* Weights of `target` in the basis of three directions; false: they do not span space. */
static bool solve(const int triple[3], const double target[3], double weight[3])
{
    double d[3][3];
    for (int k = 0; k < 3; k++)
        direction(triple[k], d[k]);
    double normal[3][3];
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++) {
            const double *u = d[(k + 1) % 3], *v = d[(k + 2) % 3];
            normal[k][x] = u[(x + 1) % 3] * v[(x + 2) % 3] - u[(x + 2) % 3] * v[(x + 1) % 3];
        }
    const double det = d[0][0] * normal[0][0] + d[0][1] * normal[0][1] + d[0][2] * normal[0][2];
    if (fabs(det) < 1e-9)
        return false;
    for (int k = 0; k < 3; k++)
        weight[k] =
            (target[0] * normal[k][0] + target[1] * normal[k][1] + target[2] * normal[k][2]) / det;
    return true;
}

/* The facets of the hull of the unit directions: every direction lies in the cone of one. */
static int find_facets(int facets[FACET_MAX][3])
{
    int count = 0;
    for (int i = 0; i < DOP_FLOATS; i++)
        for (int j = i + 1; j < DOP_FLOATS; j++)
            for (int k = j + 1; k < DOP_FLOATS; k++) {
                const int triple[3] = {i, j, k};
                bool is_facet = true;
                for (int t = 0; t < DOP_FLOATS && is_facet; t++) {
                    /* in unit directions the facet's plane is: weights sum to 1 */
                    double d[3], w[3], sum = 0, length = 0;
                    direction(t, d);
                    is_facet = solve(triple, d, w);
                    for (int x = 0; x < 3; x++) {
                        double own[3];
                        direction(triple[x], own);
                        sum += w[x] * sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
                        length += d[x] * d[x];
                    }
                    is_facet = is_facet && sum <= sqrt(length) * (1 + 1e-9);
                }
                if (is_facet && count < FACET_MAX)
                    for (int x = 0; x < 3; x++)
                        facets[count][x] = triple[x];
                count += is_facet && count < FACET_MAX;
            }
    return count;
}

/* Facets never change: found once. */
static int known_facets[FACET_MAX][3], known_count;

static bool align(prepared *p, int k, const double target[3])
{
    for (int f = 0; f < known_count; f++) {
        double w[3];
        if (!solve(known_facets[f], target, w) || fmin(w[0], fmin(w[1], w[2])) < -1e-9)
            continue;
        for (int x = 0; x < 3; x++) {
            p->from[k][x] = (uint8_t)known_facets[f][x];
            p->weight[k][x] = (float)fmax(w[x], 0);
        }
        return true;
    }
    return false;
}

static void prepare(prepared *p, const double placement[12], const base_tree *a, const base_tree *b)
{
    double reach = 0;
    if (known_count == 0)
        known_count = find_facets(known_facets);
    for (int axis = 0; axis < 3; axis++)
        reach += a->bound[axis] + b->bound[axis] + fabs(placement[4 * axis + 3]);
    for (int k = 0; k < DOP_FLOATS; k++) {
        double d[3], in_b[3] = {0, 0, 0}, shift = 0;
        direction(k, d);
        for (int row = 0; row < 3; row++) {
            for (int x = 0; x < 3; x++)
                in_b[x] += d[row] * placement[4 * row + x];
            shift += d[row] * placement[4 * row + 3];
        }
        if (!align(p, k, in_b))
            exit(1);
        p->shift[k] = (float)(shift + reach * 0x1p-17);
    }
}

static void place(const prepared *p, const float *volume, dop *out)
{
    for (int k = 0; k < DOP_FLOATS; k++)
        out->reach[k] = p->weight[k][0] * volume[p->from[k][0]] +
                        p->weight[k][1] * volume[p->from[k][1]] +
                        p->weight[k][2] * volume[p->from[k][2]] + p->shift[k];
}

static bool apart(const float *a, const dop *b)
{
    for (int k = 0; k < HALF; k++)
        if (a[k] < -b->reach[k + HALF] || b->reach[k] < -a[k + HALF])
            return true;
    return false;
}

#define VOLUME   dop
#define PREPARED prepared
#define FLOATS   DOP_FLOATS
#define WALK     dop_tree_pairs
#include "base_walk.h"
