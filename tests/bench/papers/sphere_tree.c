/* SPDX-License-Identifier: MIT
 * sphere_tree.c: binary tree of spheres, a baseline.
 * Based on: Hubbard, Collision detection for interactive graphics applications, 1995.
 */
#include "base_leaf.h"

#include <math.h>

/* centre, radius */
static float fit(const mesh *mesh, const uint32_t *order, uint32_t count, float *volume)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t k = 0; k < count; k++)
        for (int c = 0; c < 9; c++) {
            const float value = mesh->tri[9 * (uint64_t)order[k] + c];
            lo[c % 3] = fminf(lo[c % 3], value);
            hi[c % 3] = fmaxf(hi[c % 3], value);
        }
    for (int axis = 0; axis < 3; axis++)
        volume[axis] = 0.5f * (lo[axis] + hi[axis]);
    double largest = 0;
    for (uint32_t k = 0; k < count; k++)
        for (int c = 0; c < 9; c += 3) {
            const float *corner = mesh->tri + 9 * (uint64_t)order[k] + c;
            const double x = (double)corner[0] - volume[0], y = (double)corner[1] - volume[1],
                         z = (double)corner[2] - volume[2];
            largest = fmax(largest, x * x + y * y + z * z);
        }
    return volume[3] = (float)(sqrt(largest) * (1 + 0x1p-20));
}

void sphere_tree_build(base_tree *tree, const mesh *mesh)
{
    base_tree_build(tree, mesh, fit, SPHERE_FLOATS);
}

typedef struct prepared {
    float m[12], slack;
} prepared;

typedef struct sphere {
    float centre[3], radius;
} sphere;

static void prepare(prepared *p, const double placement[12], const base_tree *a, const base_tree *b)
{
    double reach = 0;
    for (int axis = 0; axis < 3; axis++)
        reach += a->bound[axis] + b->bound[axis] + fabs(placement[4 * axis + 3]);
    for (int k = 0; k < 12; k++)
        p->m[k] = (float)placement[k];
    p->slack = (float)(reach * 0x1p-20);
}

static void place(const prepared *p, const float *volume, sphere *out)
{
    for (int row = 0; row < 3; row++)
        out->centre[row] = p->m[4 * row] * volume[0] + p->m[4 * row + 1] * volume[1] +
                           p->m[4 * row + 2] * volume[2] + p->m[4 * row + 3];
    out->radius = volume[3] + p->slack;
}

static bool apart(const float *a, const sphere *b)
{
    const float x = a[0] - b->centre[0], y = a[1] - b->centre[1], z = a[2] - b->centre[2];
    const float reach = a[3] + b->radius;
    return x * x + y * y + z * z > reach * reach * (1 + 0x1p-20f);
}

#define VOLUME   sphere
#define PREPARED prepared
#define FLOATS   SPHERE_FLOATS
#define WALK     sphere_tree_pairs
#include "base_walk.h"
