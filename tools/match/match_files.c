/* SPDX-License-Identifier: MIT
 * match_files.c: matches the parts and nodes of two files: in passes, each of which matches
 * unmatched ones that are equal in some respects, in the files' order.
 *
 * A pass gives each unmatched node a key, a hash of the respects that count in this pass. Both
 * lists of keys are sorted and merged, so that a pass takes O(n log n); nodes with the same key are
 * then paired. The tree is matched from the root down, child lists of matched parents first. Nodes
 * that moved to another sub-assembly are found after that, by passes over all that are left;
 * whenever such a pass matches some, their descendants are matched as well. The passes go from the
 * most specific respects to the least, so that a weak agreement never takes a node from a strong
 * one within its list.
 */
#include "match/match_files.h"

#include <assert.h>
#include <stdlib.h>
#include "match/match_nearest.h"
#include "text/message.h"

/* ---- equal keys of two lists ---------------------------------------------------------------- */

typedef struct keyed {
    uint64_t key;
    uint32_t idx;
} keyed;

typedef struct key_list {
    keyed *items;
    uint32_t count;
} key_list;

static int by_key(const void *a, const void *b)
{
    const keyed *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return (one->idx > other->idx) - (one->idx < other->idx);
}

/* The entries with one key in both lists. */
typedef void (*run_fn)(void *user, const keyed *a, uint32_t a_count, const keyed *b,
                       uint32_t b_count);

static uint32_t run_size(const key_list *list, uint32_t first)
{
    uint32_t end = first + 1;
    assert(first < list->count);
    while (end < list->count && list->items[end].key == list->items[first].key)
        end++;
    return end - first;
}

static void join(key_list *a, key_list *b, run_fn match, void *user)
{
    qsort(a->items, a->count, sizeof *a->items, by_key);
    qsort(b->items, b->count, sizeof *b->items, by_key);
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        const uint32_t a_size = run_size(a, i), b_size = run_size(b, k);
        const int is_one_key = a->items[i].key == b->items[k].key;
        const int is_a_first = a->items[i].key <= b->items[k].key;
        assert(a_size > 0 && b_size > 0);
        if (is_one_key)
            match(user, a->items + i, a_size, b->items + k, b_size);
        i += is_a_first ? a_size : 0;
        k += is_one_key || !is_a_first ? b_size : 0;
    }
}

static void add(key_list *list, uint64_t key, uint32_t idx)
{
    list->items[list->count++] = (keyed){key, idx};
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* ITS_ID: the id of a single instance, also none; another id is another thing, while a sub-assembly
 * is known by its content. ALONE: and no sibling, or node, has the same, whether matched or not. */
enum { KIN = 1, NAME = 2, ID = 4, LOCAL = 8, WORLD = 16, SHAPE = 32, ITS_ID = 64, ALONE = 128 };

/* Source ids may be new in every export, so names come before them. A name that many nodes have
 * says less than the placement. */
static const unsigned among_siblings[] = {KIN | LOCAL | SHAPE,
                                          NAME | LOCAL | SHAPE,
                                          KIN | LOCAL,
                                          KIN | ALONE,
                                          LOCAL | SHAPE,
                                          SHAPE | ITS_ID | ALONE,
                                          KIN | SHAPE,
                                          KIN,
                                          NAME | LOCAL,
                                          ID,
                                          0};
static const unsigned anywhere[] = {WORLD | NAME | SHAPE, WORLD | SHAPE,          ID | NAME,
                                    ID | SHAPE,           SHAPE | ITS_ID | ALONE, 0};

typedef struct matching {
    match_side *a, *b;
    key_list left_a, left_b;   /* room for all nodes */
    int is_guess;              /* what is matched now may be another one of several */
    key_list inner_a, inner_b; /* the same room: children of the nodes of a run */
    struct vote {
        uint32_t a, b, count;
    } * votes; /* room for the nodes of a */
    uint32_t vote_count;
    double points_a[MATCH_NEAREST_MAX][3], points_b[MATCH_NEAREST_MAX][3];
} matching;

/* A hash of a node in these respects; 0: a source id is among them, and the node has none. */
static uint64_t key_of(const match_node *node, unsigned respects)
{
    const uint64_t values[] = {node->kin,
                               node->name,
                               node->id,
                               node->local,
                               node->world,
                               node->shape,
                               node->instance_count == 1 ? node->id : 0};
    uint64_t key = 0x9e3779b97f4a7c15;
    if ((respects & ID) && node->id == 0)
        return 0;
    for (int i = 0; i < 7; i++)
        if (respects >> i & 1)
            key = (key ^ values[i]) * 0xff51afd7ed558ccd + (key >> 32);
    return key | 1;
}

static void marry(const matching *m, uint32_t a, uint32_t b)
{
    assert(a < m->a->node_count && b < m->b->node_count);
    assert(m->a->nodes[a].partner == BVP_NONE && m->b->nodes[b].partner == BVP_NONE);
    m->a->nodes[a].partner = b;
    m->b->nodes[b].partner = a;
    m->a->nodes[a].is_guess = m->b->nodes[b].is_guess = m->is_guess;
}

/* Matches the unmatched ones in order: the first with the first, the second with the second. */
static void marry_in_order(void *user, const keyed *a, uint32_t a_count, const keyed *b,
                           uint32_t b_count)
{
    const matching *m = user;
    for (uint32_t i = 0, k = 0; i < a_count && k < b_count;) {
        const int is_free_a = m->a->nodes[a[i].idx].partner == BVP_NONE;
        const int is_free_b = m->b->nodes[b[k].idx].partner == BVP_NONE;
        if (is_free_a && is_free_b)
            marry(m, a[i].idx, b[k].idx);
        i += is_free_b || !is_free_a;
        k += is_free_a || !is_free_b;
    }
}

/* ---- groups by their content ----------------------------------------------------------------- */

/* A child that two groups alone have in common. */
static void vote(void *user, const keyed *a, uint32_t a_count, const keyed *b, uint32_t b_count)
{
    matching *m = user;
    if (a_count == 1 && b_count == 1)
        m->votes[m->vote_count++] = (struct vote){a->idx, b->idx, 1};
}

static int by_groups(const void *a, const void *b)
{
    const struct vote *one = a, *other = b;
    if (one->a != other->a)
        return one->a < other->a ? -1 : 1;
    return (one->b > other->b) - (one->b < other->b);
}

static int by_count(const void *a, const void *b)
{
    const struct vote *one = a, *other = b;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return by_groups(a, b);
}

/* Each child of these nodes, with the node's number. */
static void list_content(const match_side *s, const keyed *items, uint32_t count, key_list *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const match_node *node = &s->nodes[items[i].idx];
        uint32_t child = node->partner == BVP_NONE ? node->child : BVP_NONE;
        for (; child != BVP_NONE; child = s->nodes[child].next)
            add(out, key_of(&s->nodes[child], NAME | LOCAL | SHAPE), items[i].idx);
    }
}

/* Of groups that are equal otherwise, those are the same that have the most children in common. */
static void marry_by_content(matching *m, const keyed *a, uint32_t a_count, const keyed *b,
                             uint32_t b_count)
{
    uint32_t kept = 0;
    if (a_count + b_count <= 2)
        return;
    list_content(m->a, a, a_count, &m->inner_a);
    list_content(m->b, b, b_count, &m->inner_b);
    m->vote_count = 0;
    join(&m->inner_a, &m->inner_b, vote, m);
    qsort(m->votes, m->vote_count, sizeof *m->votes, by_groups);
    for (uint32_t i = 0; i < m->vote_count; i++)
        if (kept > 0 && by_groups(&m->votes[kept - 1], &m->votes[i]) == 0)
            m->votes[kept - 1].count++;
        else
            m->votes[kept++] = m->votes[i];
    qsort(m->votes, kept, sizeof *m->votes, by_count);
    for (uint32_t i = 0; i < kept; i++)
        if (m->a->nodes[m->votes[i].a].partner == BVP_NONE &&
            m->b->nodes[m->votes[i].b].partner == BVP_NONE)
            marry(m, m->votes[i].a, m->votes[i].b);
}

/* By content, then in order. */
static void marry_alike(void *user, const keyed *a, uint32_t a_count, const keyed *b,
                        uint32_t b_count)
{
    marry_by_content(user, a, a_count, b, b_count);
    marry_in_order(user, a, a_count, b, b_count);
}

/* ---- groups and instances ------------------------------------------------------------------- */

/* Their translations in the parent. */
static void list_points(const match_side *s, const keyed *items, uint32_t count, double (*out)[3])
{
    for (uint32_t i = 0; i < count; i++) {
        bvp_node_info node;
        if (bvp_get_node(s->tree.file, items[i].idx, &node) != BVP_OK)
            node = (bvp_node_info){.part = BVP_NONE};
        for (int axis = 0; axis < 3; axis++)
            out[i][axis] = node.placement[4 * axis + 3];
    }
}

/* Those of a run that are free; 0: too many. */
static uint32_t list_free(const match_side *s, const keyed *items, uint32_t count, keyed *out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (s->nodes[items[i].idx].partner != BVP_NONE)
            continue;
        if (found == MATCH_NEAREST_MAX)
            return 0;
        out[found++] = items[i];
    }
    return found;
}

/* By content, then the nearest ones, unless they are too many. */
static void marry_nearest(void *user, const keyed *a, uint32_t a_count, const keyed *b,
                          uint32_t b_count)
{
    matching *m = user;
    uint32_t partner[MATCH_NEAREST_MAX];
    keyed free_a[MATCH_NEAREST_MAX], free_b[MATCH_NEAREST_MAX];
    marry_by_content(m, a, a_count, b, b_count);
    m->is_guess = 1;
    const uint32_t left_a = list_free(m->a, a, a_count, free_a);
    const uint32_t left_b = list_free(m->b, b, b_count, free_b);
    if (left_a > 0 && left_b > 0) {
        list_points(m->a, free_a, left_a, m->points_a);
        list_points(m->b, free_b, left_b, m->points_b);
        match_nearest((const double(*)[3])m->points_a, left_a, (const double(*)[3])m->points_b,
                      left_b, partner);
        for (uint32_t i = 0; i < left_a; i++)
            if (partner[i] != BVP_NONE)
                marry(m, free_a[i].idx, free_b[partner[i]].idx);
    }
    marry_in_order(m, a, a_count, b, b_count);
    m->is_guess = 0;
}

/* Matches the two nodes of a key that occurs once on each side. */
static void marry_alone(void *user, const keyed *a, uint32_t a_count, const keyed *b,
                        uint32_t b_count)
{
    if (a_count == 1 && b_count == 1)
        marry_in_order(user, a, 1, b, 1);
}

static void list_children(const match_side *s, uint32_t parent, unsigned respects, key_list *out)
{
    out->count = 0;
    for (uint32_t i = s->nodes[parent].child; i != BVP_NONE; i = s->nodes[i].next) {
        const int is_asked = (respects & ALONE) || s->nodes[i].partner == BVP_NONE;
        const uint64_t key = is_asked ? key_of(&s->nodes[i], respects) : 0;
        if (key != 0)
            add(out, key, i);
    }
}

/* Parents come before their children. */
static void match_descendants(matching *m)
{
    for (uint32_t i = 0; i < m->a->node_count; i++) {
        const uint32_t partner = m->a->nodes[i].partner;
        if (partner == BVP_NONE || m->a->nodes[i].child == BVP_NONE)
            continue;
        for (const unsigned *respects = among_siblings; *respects; respects++) {
            const unsigned all = LOCAL | SHAPE;
            const run_fn match = *respects & ALONE                            ? marry_alone
                                 : *respects & ID || (*respects & all) == all ? marry_in_order
                                 : *respects & LOCAL                          ? marry_alike
                                                                              : marry_nearest;
            list_children(m->a, i, *respects, &m->left_a);
            list_children(m->b, partner, *respects, &m->left_b);
            join(&m->left_a, &m->left_b, match, m);
        }
    }
}

/* Groups without content are all equal. */
static void list_all(const match_side *s, unsigned respects, key_list *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const match_node *node = &s->nodes[i];
        const int is_asked = (respects & ALONE) || node->partner == BVP_NONE;
        const uint64_t key = is_asked && node->instance_count > 0 ? key_of(node, respects) : 0;
        if (key != 0)
            add(out, key, i);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

enum { PART_CONTENT, PART_NAME, PART_NUMBER, PART_TURNS };

static void list_parts(const match_side *s, int turn, key_list *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < s->part_count; i++) {
        const match_part *part = &s->parts[i];
        const uint64_t key = turn == PART_CONTENT ? part->content
                             : turn == PART_NAME  ? part->name
                                                  : part->number;
        if (part->partner == BVP_NONE && key != 0)
            add(out, key, i);
    }
}

static void marry_parts(void *user, const keyed *a, uint32_t a_count, const keyed *b,
                        uint32_t b_count)
{
    const matching *m = user;
    for (uint32_t i = 0; i < a_count && i < b_count; i++) {
        assert(m->a->parts[a[i].idx].partner == BVP_NONE);
        m->a->parts[a[i].idx].partner = b[i].idx;
        m->b->parts[b[i].idx].partner = a[i].idx;
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

static keyed *room_for(const match_side *s)
{
    const size_t most = s->node_count > s->part_count ? s->node_count : s->part_count;
    return malloc((most + 1) * sizeof(keyed));
}

int match_files(match_side *a, match_side *b)
{
    matching m = {.a = a, .b = b};
    m.left_a.items = room_for(a);
    m.left_b.items = room_for(b);
    m.inner_a.items = room_for(a);
    m.inner_b.items = room_for(b);
    m.votes = malloc(((size_t)a->node_count + 1) * sizeof *m.votes);
    const int failed =
        !m.left_a.items || !m.left_b.items || !m.inner_a.items || !m.inner_b.items || !m.votes;
    if (!failed && a->node_count > 0 && b->node_count > 0) {
        marry(&m, 0, 0);
        match_descendants(&m);
        for (int turn = 0; anywhere[turn]; turn++) {
            list_all(a, anywhere[turn], &m.left_a);
            list_all(b, anywhere[turn], &m.left_b);
            if (m.left_a.count == 0 || m.left_b.count == 0)
                continue;
            join(&m.left_a, &m.left_b, anywhere[turn] & ALONE ? marry_alone : marry_in_order, &m);
            match_descendants(&m);
        }
    }
    for (int turn = 0; !failed && turn < PART_TURNS; turn++) {
        list_parts(a, turn, &m.left_a);
        list_parts(b, turn, &m.left_b);
        join(&m.left_a, &m.left_b, marry_parts, &m);
    }
    free(m.left_a.items);
    free(m.left_b.items);
    free(m.inner_a.items);
    free(m.inner_b.items);
    free(m.votes);
    return failed ? complain_memory() : 0;
}
