/* SPDX-License-Identifier: MIT
 * match_instances.c: the instances of two files that are the same, by the nodes that have them.
 *
 * A node may be matched because it is the nearest of several that are equal: bolts without ids.
 * When one of them is gone and another one stands elsewhere, "moved" is right for a person who
 * reads a list of changes, and wrong for what is kept about the bolt: a contact of the new one
 * would pass for one that is known. So a guess counts only as far as the part is large.
 */
#include "match/match_instances.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "match/match_files.h"
#include "text/message.h"

static void place(const double m[12], const double p[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
}

static double distance(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* Has the middle of the part's box moved by no more than the box's diagonal? */
static int is_near(const match_side *was, uint32_t old, const match_side *is, uint32_t node)
{
    bvp_part_identity part;
    double box[3][3], from[3][3], to[3];
    if (bvp_get_part_identity(was->tree.file, was->nodes[old].part, &part) != BVP_OK)
        return 0;
    for (int i = 0; i < 3; i++) {
        box[0][i] = part.origin[i] + (double)part.lo[i];
        box[1][i] = part.origin[i] + (double)part.hi[i];
        box[2][i] = 0.5 * (box[0][i] + box[1][i]);
    }
    for (int i = 0; i < 3; i++)
        place(was->placements[old], box[i], from[i]);
    place(is->placements[node], box[2], to);
    return distance(from[2], to) <= distance(from[0], from[1]);
}

/* A guess about a node is one about all that is below it. */
static void spread_guesses(match_side *s)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        const uint32_t parent = s->nodes[i].parent;
        assert(parent == BVP_NONE || parent < i);
        if (parent != BVP_NONE && s->nodes[parent].is_guess)
            s->nodes[i].is_guess = 1;
    }
}

static uint32_t partner_of(const match_side *was, const match_side *is, uint32_t node)
{
    /* a file of one mesh has no tree */
    if (is->node_count == 0 || was->node_count == 0)
        return is->node_count == was->node_count ? 0 : BVP_NONE;
    const uint32_t old = is->nodes[node].partner;
    if (old == BVP_NONE || was->nodes[old].part == BVP_NONE || is->nodes[node].part == BVP_NONE)
        return BVP_NONE;
    return is->nodes[node].is_guess && !is_near(was, old, is, node) ? BVP_NONE : old;
}

/* Both sides are matched. */
static int pair_up(match_instances *m, const match_side *was, const match_side *is)
{
    const size_t nodes = (size_t)was->node_count + 1;
    uint32_t *instance_of = malloc(nodes * sizeof *instance_of);
    if (!instance_of)
        return complain_memory();
    for (size_t i = 0; i < nodes; i++)
        instance_of[i] = BVP_NONE;
    /* of several instances that name one node, the first */
    for (uint32_t i = m->is_count; i-- > 0;)
        instance_of[instance_tree_node(&was->tree, i)] = i;
    for (uint32_t i = 0; i < m->was_count; i++) {
        const uint32_t node = partner_of(was, is, instance_tree_node(&is->tree, i));
        const uint32_t old = node == BVP_NONE ? BVP_NONE : instance_of[node];
        if (old == BVP_NONE || m->is[old] != BVP_NONE)
            continue;
        m->was[i] = old;
        m->is[old] = i;
    }
    free(instance_of);
    return 0;
}

int match_instances_make(match_instances *m, const char *was_path, const bvp_file *was,
                         const char *path, const bvp_file *file, double scale)
{
    match_side old = {.path = was_path}, new = {.path = path};
    memset(m, 0, sizeof *m);
    int code = match_side_open(&old, was_path, was, 1);
    if (code == 0)
        code = match_side_open(&new, path, file, scale);
    if (code == 0)
        code = match_files(&old, &new);
    if (code == 0) {
        m->was_count = new.tree.info.instance_count;
        m->is_count = old.tree.info.instance_count;
        m->was = malloc(((size_t)m->was_count + 1) * sizeof *m->was);
        m->is = malloc(((size_t)m->is_count + 1) * sizeof *m->is);
        code = m->was && m->is ? 0 : complain_memory();
    }
    if (code == 0) {
        memset(m->was, 0xff, m->was_count * sizeof *m->was);
        memset(m->is, 0xff, m->is_count * sizeof *m->is);
        spread_guesses(&new);
        code = pair_up(m, &old, &new);
    }
    match_side_close(&old);
    match_side_close(&new);
    return code;
}

void match_instances_free(match_instances *m)
{
    free(m->was);
    free(m->is);
    memset(m, 0, sizeof *m);
}
