/* SPDX-License-Identifier: MIT
 * check_state.c: checks what is read from a folder of a state before it is used.
 *
 * The folder may be anybody's. What is checked here is what keeps the builder inside its arrays and
 * lets it end: numbers of elements, places, and the order of nodes. That a forged state makes a
 * packed file that breaks rules cannot be told here; "bvpack verify" tells.
 *
 * Held by tests/cli/test_memory.sh: words of a state overwritten at random.
 */
#include "pack/large/check_state.h"

#include "base/status.h"

#include <math.h>

bvp_status bvpi_changed(const bvpi_large_means *means, bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "temporary files in %s were changed; remove that folder to start again",
                          means->state ? means->state->folder : means->folder);
}

bool bvpi_check_grid(const bvpi_grid *g)
{
    int exponent;
    if (!isfinite(g->unit) || !(g->unit > 0) || frexp(g->unit, &exponent) != .5 ||
        g->inverse != 1 / g->unit)
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (!(fabs(g->start[axis]) < 0x1p52) || g->start[axis] != rint(g->start[axis]) ||
            g->origin[axis] != g->start[axis] * g->unit || g->extent[axis] >= 1u << BVPD_GRID_BITS)
            return false;
    const bool has_turn = g->turn[0] || g->turn[1] || g->turn[2] || g->turn[3];
    return !g->is_turned || has_turn;
}

static bool is_union(const bvpi_build_node *node, const bvpi_build_node *child, int axis)
{
    return node->hi[axis] == fmaxf(child[0].hi[axis], child[1].hi[axis]) &&
           node->minus_lo[axis] == fmaxf(child[0].minus_lo[axis], child[1].minus_lo[axis]) &&
           node->count == child[0].count + (uint64_t)child[1].count;
}

/* The tree of planes ends at its leaves, which are the batches. */
static bool check_tree(const bvpi_sample_tree *t, const bvpi_grid *grid, uint64_t triangle_count)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < t->build_node_count; k++) {
        const bvpi_build_node *node = &t->build_nodes[k];
        const bvpi_plane *plane = &t->planes[k];
        if (node->left != plane->left || node->count == 0 || node->depth >= BVPD_DEPTH_MAX ||
            (uint64_t)node->first + node->count > triangle_count || plane->axis > 2)
            return false;
        if (node->left != 0 && (node->left <= k || node->left + UINT64_C(1) >= t->build_node_count))
            return false;
        if (node->left == 0 && (plane->batch >= t->leaf_count || t->leaves[plane->batch] != k))
            return false;
        for (int axis = 0; axis < 3; axis++)
            if (!(node->hi[axis] >= -node->minus_lo[axis]) || !(node->minus_lo[axis] <= 0) ||
                !((double)node->hi[axis] <= grid->extent[axis]) ||
                (node->left != 0 && !is_union(node, &t->build_nodes[node->left], axis)))
                return false;
    }
    for (uint32_t k = 0; k < t->leaf_count; k++) {
        if (t->leaves[k] >= t->build_node_count || t->build_nodes[t->leaves[k]].left != 0 ||
            t->build_nodes[t->leaves[k]].first != sum)
            return false;
        sum += t->build_nodes[t->leaves[k]].count;
    }
    return sum == triangle_count && t->build_node_count > 0 &&
           t->build_node_count == 2 * (uint64_t)t->leaf_count - 1;
}

bool bvpi_check_sets(const bvpi_sets *sets, const bvpi_grid *grid, uint64_t triangle_count,
                     uint64_t file_size)
{
    uint64_t leaf = 0, first = 0;
    if (!check_tree(&sets->tree, grid, triangle_count))
        return false;
    for (uint64_t k = 0; k < sets->runs.count; k++) {
        const bvpi_run_place *place = &sets->runs.places[k];
        if (place->offset > file_size || place->size > file_size - place->offset ||
            place->triangle_count == 0 || place->triangle_count > BVPI_RUN_TRIANGLES ||
            place->vertex_size != 12)
            return false;
    }
    for (uint32_t k = 0; k < sets->set_count; k++) {
        const bvpi_set *set = &sets->sets[k];
        uint64_t in_runs = 0, in_leaves = 0;
        if (set->first_leaf != leaf || set->leaf_count == 0 ||
            set->leaf_count > sets->tree.leaf_count - leaf || set->first != first)
            return false;
        for (uint32_t i = 0; i < set->leaf_count; i++)
            in_leaves += sets->tree.build_nodes[sets->tree.leaves[leaf + i]].count;
        for (uint64_t i = 0; i < set->run_count; i++) {
            if (set->runs[i] >= sets->runs.count)
                return false;
            in_runs += sets->runs.places[set->runs[i]].triangle_count;
        }
        if (in_runs != set->triangle_count || in_leaves != set->triangle_count)
            return false;
        leaf += set->leaf_count;
        first += set->triangle_count;
    }
    return leaf == sets->tree.leaf_count && first == triangle_count;
}

bool bvpi_check_batch(const bvpi_batch *b, uint32_t triangle_count)
{
    return b->triangle_count == triangle_count && b->wide_count > 0 &&
           b->wide_count <= 2 * (uint64_t)triangle_count + 1 && b->record_count > 0 &&
           b->record_count <= triangle_count && b->size > 0 && b->size % BVPD_UNIT == 0 &&
           b->size <= UINT32_MAX && b->ids_size % 4 == 0 && b->ids_size <= UINT32_MAX &&
           b->depth <= BVPD_DEPTH_MAX && b->largest_leaf <= BVPD_LEAF_MAX;
}

bool bvpi_check_arrays(const bvpi_batch *b)
{
    uint64_t end = 0;
    for (uint32_t k = 0; k < b->record_count; k++) {
        const bvpi_record *r = &b->records[k];
        if (r->offset != end || r->size < sizeof(bvpd_cluster) || r->size % BVPD_UNIT != 0 ||
            r->nodes_off % BVPD_UNIT != 0 || r->nodes_off > r->size || r->size > b->size - end)
            return false;
        end += r->size;
    }
    for (uint32_t k = 0; k < b->wide_count; k++) {
        const bvpi_wide *w = &b->wide[k];
        if (w->child_count > 8 || w->cluster >= b->record_count ||
            (w->child_count > 0 &&
             (w->child >= b->wide_count || w->child_count > b->wide_count - w->child)))
            return false;
        if (w->home == BVPI_HOME_UPPER)
            continue;
        if (w->home >= b->record_count)
            return false;
        const bvpi_record *home = &b->records[w->home];
        if (w->slot >= (home->size - home->nodes_off) / BVPD_UNIT)
            return false;
    }
    return end == b->size && b->wide[0].home == BVPI_HOME_UPPER;
}
