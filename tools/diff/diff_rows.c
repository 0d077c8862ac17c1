/* SPDX-License-Identifier: MIT
 * diff_rows.c: the differences between two files whose parts and nodes are matched: one finding for
 * each instance, then findings with the same cause merged into one row.
 *
 * The steps stand in find_all: removed, added, changed, moved, renamed, properties. Each visits
 * parents before their children, and cause[i] is the node whose change explains the change of node
 * i: the highest removed node, the one that was moved or renamed itself. Rows name the causes, so
 * that a moved sub-assembly is one row with a count of instances; with --all each instance is a
 * row. An instance that no step has touched is the same in both files. Spec: diff.md. Held by
 * test_diff_match.
 */
#include "diff/diff_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "text/array.h"

const char *diff_change_name(diff_change change)
{
    static const char *const names[DIFF_CHANGES] = {"removed", "added",   "changed",
                                                    "moved",   "renamed", "properties"};
    assert((unsigned)change < DIFF_CHANGES);
    return names[change];
}

static int add(diff_rows *rows, const diff_row *row)
{
    if (array_grow(&rows->items, &rows->capacity, rows->count + 1, sizeof *rows->items) != 0)
        return complain_memory();
    rows->items[rows->count++] = *row;
    return 0;
}

static int in_order(const void *a, const void *b)
{
    const diff_row *one = a, *other = b;
    if (one->change != other->change)
        return one->change < other->change ? -1 : 1;
    if (one->a != other->a)
        return one->a < other->a ? -1 : 1;
    return (one->b > other->b) - (one->b < other->b);
}

/* Sorts, and merges rows with the same change, a and b. */
static void fold(diff_rows *rows)
{
    size_t kept = 0;
    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof *rows->items, in_order);
    for (size_t i = 0; i < rows->count; i++) {
        const diff_row next = rows->items[i];
        assert(kept <= i); /* merging in place never overtakes the reading */
        diff_row *last = kept > 0 ? &rows->items[kept - 1] : NULL;
        if (!last || in_order(last, &next) != 0) {
            rows->items[kept++] = next;
            continue;
        }
        last->instance_count += next.instance_count;
        if (next.distance > last->distance) {
            last->distance = next.distance;
            memcpy(last->translation, next.translation, sizeof last->translation);
        }
    }
    rows->count = kept;
}

void diff_rows_free(diff_rows *rows)
{
    free(rows->items);
    *rows = (diff_rows){.items = NULL};
}

/* ---- parts --------------------------------------------------------------------------------- */

static int is_same_mesh(const match_part *a, const match_part *b)
{
    return memcmp(a->content_hash, b->content_hash, sizeof a->content_hash) == 0;
}

static int is_repacked(const match_part *a, const match_part *b)
{
    static const uint8_t unknown[16];
    return memcmp(a->address, b->address, 16) != 0 && memcmp(a->address, unknown, 16) != 0 &&
           memcmp(b->address, unknown, 16) != 0;
}

static int add_part(diff_rows *out, diff_change change, uint32_t a, uint32_t b, uint32_t instances)
{
    const diff_row row = {.change = change, .a = a, .b = b, .instance_count = instances};
    out->counts[change]++;
    return add(out, &row);
}

int diff_rows_of_parts(diff_rows *out, const match_side *a, const match_side *b)
{
    int code = 0;
    for (uint32_t i = 0; i < a->part_count && code == 0; i++) {
        const match_part *part = &a->parts[i];
        if (part->partner == BVP_NONE) {
            code = add_part(out, DIFF_REMOVED, i, BVP_NONE, part->instance_count);
            continue;
        }
        const match_part *other = &b->parts[part->partner];
        assert(other->partner == i);
        if (!is_same_mesh(part, other)) {
            code = add_part(out, DIFF_CHANGED, i, part->partner, other->instance_count);
            continue;
        }
        out->repacked_count += (uint64_t)is_repacked(part, other);
        if (part->name != other->name)
            code = add_part(out, DIFF_RENAMED, i, part->partner, other->instance_count);
        else
            out->same_count++;
    }
    for (uint32_t i = 0; i < b->part_count && code == 0; i++)
        if (b->parts[i].partner == BVP_NONE)
            code = add_part(out, DIFF_ADDED, BVP_NONE, i, b->parts[i].instance_count);
    fold(out);
    return code;
}

/* ---- how far ------------------------------------------------------------------------------- */

static void transform(const double m[12], const double p[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
}

/* out = where b puts the point, seen from where a puts it; returns its length. */
static double shift(const double a[12], const double b[12], const double p[3], double out[3])
{
    double from[3], to[3];
    transform(a, p, from);
    transform(b, p, to);
    for (int i = 0; i < 3; i++)
        out[i] = to[i] - from[i];
    return sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

/* The difference of two affine maps is convex: no point of the box moves farther than a corner. */
static double displacement(const match_side *a, const match_side *b, uint32_t node,
                           double translation[3])
{
    const double *from = a->placements[node], *to = b->placements[a->nodes[node].partner];
    double box[2][3], middle[3], most = 0, unused[3];
    bvp_part_identity part;
    memset(translation, 0, 3 * sizeof *translation);
    if (memcmp(from, to, sizeof *a->placements) == 0 ||
        bvp_get_part_identity(a->tree.file, a->nodes[node].part, &part) != BVP_OK)
        return 0;
    for (int i = 0; i < 3; i++) {
        box[0][i] = part.origin[i] + (double)part.lo[i];
        box[1][i] = part.origin[i] + (double)part.hi[i];
        middle[i] = 0.5 * (box[0][i] + box[1][i]);
    }
    for (int corner = 0; corner < 8; corner++) {
        const double p[3] = {box[corner & 1][0], box[corner >> 1 & 1][1], box[corner >> 2][2]};
        most = fmax(most, shift(from, to, p, unused));
    }
    shift(from, to, middle, translation);
    return most;
}

/* ---- nodes --------------------------------------------------------------------------------- */

typedef struct walk {
    const match_side *a, *b;
    double tolerance;
    int all;
    diff_rows *out;
    uint32_t *cause;  /* of each node: the node above, or itself, whose change is its own */
    uint8_t *touched; /* nodes of a */
} walk;

static int has_part(const match_side *s, uint32_t node)
{
    return node != BVP_NONE && s->nodes[node].part != BVP_NONE;
}

static int is_in_both(const walk *w, uint32_t node)
{
    return has_part(w->a, node) && has_part(w->b, w->a->nodes[node].partner);
}

static int add_instance(walk *w, diff_row row)
{
    row.instance_count = 1;
    w->out->counts[row.change]++;
    if (row.a != BVP_NONE && row.b == BVP_NONE)
        row.b = w->a->nodes[row.a].partner;
    return add(w->out, &row);
}

static int find_missing(walk *w, const match_side *s, const match_side *other, diff_change change)
{
    int code = 0;
    for (uint32_t i = 0; i < s->node_count && code == 0; i++) {
        const match_node *node = &s->nodes[i];
        const int is_below = node->parent != BVP_NONE && node->partner == BVP_NONE &&
                             s->nodes[node->parent].partner == BVP_NONE;
        w->cause[i] = is_below ? w->cause[node->parent] : i;
        if (!has_part(s, i) || has_part(other, node->partner))
            continue;
        const uint32_t at = w->all ? i : w->cause[i];
        code = add_instance(w, (diff_row){.change = change,
                                          .a = s == w->a ? at : BVP_NONE,
                                          .b = s == w->b ? at : BVP_NONE});
    }
    return code;
}

/* Is it still below the node that is matched with its old parent? */
static int keeps_parent(const walk *w, uint32_t node)
{
    const match_node *a = &w->a->nodes[node];
    if (a->partner == BVP_NONE)
        return 0;
    const uint32_t parent = w->b->nodes[a->partner].parent;
    return a->parent == BVP_NONE ? parent == BVP_NONE
                                 : w->a->nodes[a->parent].partner == parent && parent != BVP_NONE;
}

/* The root's name is often the export's date. */
static int is_renamed(const walk *w, uint32_t node)
{
    const match_node *a = &w->a->nodes[node];
    if (a->partner == BVP_NONE || a->parent == BVP_NONE)
        return 0;
    if (keeps_parent(w, node))
        return a->name != w->b->nodes[a->partner].name;
    /* Elsewhere in the tree, it may still have the same path. Even the only node has one. */
    growing_text was = {0}, is = {0};
    const int failed = instance_tree_path(&w->a->tree, node, &was) != 0 ||
                       instance_tree_path(&w->b->tree, a->partner, &is) != 0;
    const int differs = failed || was.size != is.size || memcmp(was.data, is.data, was.size) != 0;
    growing_text_free(&was);
    growing_text_free(&is);
    return differs;
}

static int find_renamed(walk *w)
{
    int code = 0;
    for (uint32_t i = 0; i < w->a->node_count && code == 0; i++) {
        const match_node *node = &w->a->nodes[i];
        const int follows = node->parent != BVP_NONE && keeps_parent(w, i);
        w->cause[i] = is_renamed(w, i) ? i : follows ? w->cause[node->parent] : BVP_NONE;
        if (!is_in_both(w, i) || w->cause[i] == BVP_NONE)
            continue;
        w->touched[i] = 1;
        code = add_instance(
            w, (diff_row){.change = DIFF_RENAMED, .a = w->all ? i : w->cause[i], .b = BVP_NONE});
    }
    return code;
}

/* Sub-assemblies, too. */
static int find_properties(walk *w)
{
    int code = 0;
    for (uint32_t i = 0; i < w->a->node_count && code == 0; i++) {
        const match_node *node = &w->a->nodes[i];
        if (node->partner == BVP_NONE || node->properties == w->b->nodes[node->partner].properties)
            continue;
        const diff_row row = {.change = DIFF_PROPERTIES,
                              .a = i,
                              .b = node->partner,
                              .instance_count = has_part(w->a, i)};
        w->touched[i] = 1;
        w->out->counts[DIFF_PROPERTIES] += row.instance_count;
        code = add(w->out, &row);
    }
    return code;
}

static int find_all(walk *w)
{
    int code = find_missing(w, w->a, w->b, DIFF_REMOVED);
    if (code == 0)
        code = find_missing(w, w->b, w->a, DIFF_ADDED);
    /* changed */
    for (uint32_t i = 0; i < w->a->node_count && code == 0; i++) {
        if (!is_in_both(w, i))
            continue;
        const match_part *a = &w->a->parts[w->a->nodes[i].part];
        const match_part *b = &w->b->parts[w->b->nodes[w->a->nodes[i].partner].part];
        if (is_same_mesh(a, b))
            continue;
        w->touched[i] = 1;
        code = add_instance(w, (diff_row){.change = DIFF_CHANGED, .a = i, .b = BVP_NONE});
    }
    /* moved: a node that keeps its placement in its parent moves with the parent. */
    for (uint32_t i = 0; i < w->a->node_count && code == 0; i++) {
        const match_node *node = &w->a->nodes[i];
        diff_row row = {.change = DIFF_MOVED, .b = BVP_NONE};
        const int goes_along = node->parent != BVP_NONE && keeps_parent(w, i) &&
                               node->local == w->b->nodes[node->partner].local;
        assert(node->parent == BVP_NONE || node->parent < i); /* its cause is known */
        w->cause[i] = goes_along ? w->cause[node->parent] : i;
        if (!is_in_both(w, i))
            continue;
        row.distance = displacement(w->a, w->b, i, row.translation);
        row.a = w->all ? i : w->cause[i];
        if (row.distance <= w->tolerance)
            continue;
        w->touched[i] = 1;
        code = add_instance(w, row);
    }
    if (code == 0)
        code = find_renamed(w);
    if (code == 0)
        code = find_properties(w);
    for (uint32_t i = 0; i < w->a->node_count && code == 0; i++)
        w->out->same_count += is_in_both(w, i) && !w->touched[i];
    fold(w->out);
    return code;
}

int diff_rows_of_nodes(diff_rows *out, const match_side *a, const match_side *b, double tolerance,
                       int all)
{
    const size_t most = a->node_count > b->node_count ? a->node_count : b->node_count;
    walk w = {.a = a, .b = b, .tolerance = tolerance, .all = all, .out = out};
    w.cause = malloc((most + 1) * sizeof *w.cause);
    w.touched = calloc((size_t)a->node_count + 1, 1);
    const int code = w.cause && w.touched ? find_all(&w) : complain_memory();
    free(w.cause);
    free(w.touched);
    return code;
}
