/* SPDX-License-Identifier: MIT
 * base_tree.c: splits triangles in two for the baselines.
 */
#include "base_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
    uint32_t node, first, count;
} range;

typedef struct build {
    const mesh *mesh;
    uint32_t *order;
    float *middle; /* 3 for each triangle: of its box */
} build;

static void measure(const build *b, const range *r, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; axis++)
        lo[axis] = INFINITY, hi[axis] = -INFINITY;
    for (uint32_t k = 0; k < r->count; k++) {
        const float *tri = b->mesh->tri + 9 * (uint64_t)b->order[r->first + k];
        for (int c = 0; c < 9; c++) {
            lo[c % 3] = fminf(lo[c % 3], tri[c]);
            hi[c % 3] = fmaxf(hi[c % 3], tri[c]);
        }
    }
}

/* How many go to the left; order is rearranged. */
static uint32_t cut(build *b, const range *r)
{
    float lo[3], hi[3];
    int axis = 0;
    measure(b, r, lo, hi);
    for (int k = 1; k < 3; k++)
        axis = hi[k] - lo[k] > hi[axis] - lo[axis] ? k : axis;
    const float plane = 0.5f * (lo[axis] + hi[axis]);
    uint32_t *order = b->order + r->first, left = 0;
    for (uint32_t k = 0; k < r->count; k++)
        if (b->middle[3 * (uint64_t)order[k] + axis] <= plane) {
            const uint32_t item = order[k];
            order[k] = order[left];
            order[left++] = item;
        }
    return left == 0 || left == r->count ? r->count / 2 : left;
}

static void split_all(base_tree *tree, build *b, base_fit fit, int floats)
{
    enum { STACK = 4096 };
    range *stack = scene_allocate(STACK * sizeof *stack);
    int top = 0;
    tree->node_count = 1;
    stack[top++] = (range){0, 0, (uint32_t)b->mesh->count};
    while (top > 0) {
        const range r = stack[--top];
        base_node *node = &tree->nodes[r.node];
        node->size =
            fit(b->mesh, b->order + r.first, r.count, tree->volumes + (size_t)floats * r.node);
        node->triangle = b->order[r.first];
        node->child = r.count > 1 ? tree->node_count : 0;
        if (r.count == 1)
            continue;
        const uint32_t left = cut(b, &r);
        tree->node_count += 2;
        if (top + 2 > STACK)
            exit(1);
        stack[top++] = (range){node->child, r.first, left};
        stack[top++] = (range){node->child + 1, r.first + left, r.count - left};
    }
    free(stack);
}

static void prepare(build *b)
{
    for (uint64_t k = 0; k < b->mesh->count; k++) {
        const float *t = b->mesh->tri + 9 * k;
        b->order[k] = (uint32_t)k;
        for (int axis = 0; axis < 3; axis++)
            b->middle[3 * k + axis] = 0.5f * (fminf(t[axis], fminf(t[3 + axis], t[6 + axis])) +
                                              fmaxf(t[axis], fmaxf(t[3 + axis], t[6 + axis])));
    }
}

void base_tree_build(base_tree *tree, const mesh *mesh, base_fit fit, int floats)
{
    build b = {.mesh = mesh};
    const double start = scene_now();
    b.order = scene_allocate(mesh->count * sizeof *b.order);
    b.middle = scene_allocate(mesh->count * 3 * sizeof *b.middle);
    *tree = (base_tree){.mesh = mesh};
    tree->nodes = scene_allocate(2 * mesh->count * sizeof *tree->nodes);
    tree->volumes = scene_allocate(2 * mesh->count * (size_t)floats * sizeof *tree->volumes);
    for (uint64_t k = 0; k < 9 * mesh->count; k++)
        tree->bound[k % 3] = fmax(tree->bound[k % 3], fabs((double)mesh->tri[k]));
    prepare(&b);
    split_all(tree, &b, fit, floats);
    free(b.order);
    free(b.middle);
    tree->seconds = scene_now() - start;
}

void base_tree_free(base_tree *tree)
{
    free(tree->nodes);
    free(tree->volumes);
    *tree = (base_tree){.mesh = NULL};
}
