/* SPDX-License-Identifier: MIT
 * collapse.c: turns a binary hierarchy into an 8-wide one of least expected cost.
 *
 * Which binary nodes become wide nodes is decided by dynamic programming, bottom-up. For every
 * binary subtree and every k in 1 .. 8 it finds the least cost of giving the subtree k lanes of its
 * wide parent: either as one lane (a wide node or a leaf of its own), or distributed over both
 * children. choice.left records how, and emit() follows the records top-down. The cost is the
 * surface area heuristic with a price for a node's bytes.
 *
 * Boxes are encoded in 8 bits relative to the parent's decoded box, and the child's frame is what
 * the encoded box decodes to. So boxes are nested by construction, although each is rounded
 * outward.
 *
 * emit() visits the nearer of two siblings first, as seen from the last box, because clusters cut
 * from this order share fewer vertices.
 *
 * Invariants: wide nodes are listed with siblings adjacent and children after parents; `order`
 * lists items leaf by leaf; a binary leaf with more items than allowed becomes a stub, the root of
 * a hierarchy that is built separately.
 *
 * Held by tests/unit/test_wide_build.c: boxes contain their triangles, each triangle is met once.
 * Spec: format.md, chapter "Nodes"
 * Based on: Ylitie, Karras, Laine, Efficient incoherent ray traversal on GPUs through compressed
 * wide BVHs, 2017.
 */
#include "pack/tree/collapse.h"

#include <assert.h>
#include <string.h>

/* Expected work for a ray or box that meets the node's box, relative to opening a wide node. */
static const float LEAF_COST = 0.3f, ITEM_COST = 0.15f;

enum { KEEP = 255 };

/* The cost of giving a subtree `k + 1` lanes of its parent, and how to do it. */
typedef struct choice {
    float cost[BVPD_WIDTH];
    uint8_t left[BVPD_WIDTH]; /* lanes for the left child; KEEP: same as with one lane less */
    uint8_t left_inside;      /* lanes of 8 for the left child if the node becomes a wide node */
} choice;

uint64_t bvpi_collapse_scratch_size(uint32_t build_node_count)
{
    return (uint64_t)build_node_count * sizeof(choice);
}

/* ---- prices --------------------------------------------------------------------------------- */

/* What a node's bytes are worth: as much as a visit if its surface is this many times the average
 * item's share of the root's. Measured: parts' nodes become 12 % fewer and their boxes .4 % larger;
 * a plant's over its 430,000 instances 19 % fewer and 1.5 % larger. */
enum { NODE_PRICE = 50 };

double bvpi_root_area(const bvpi_grid *grid)
{
    const double x = grid->extent[0], y = grid->extent[1], z = grid->extent[2];
    return x * y + y * z + z * x;
}

float bvpi_node_price(const bvpi_grid *grid, uint64_t item_count)
{
    return (float)(NODE_PRICE * bvpi_root_area(grid) / (double)item_count);
}

/* ---- choosing ------------------------------------------------------------------------------- */

static void choose_leaf(choice *c, float cost)
{
    for (int k = 0; k < BVPD_WIDTH; k++) {
        c->cost[k] = cost;
        c->left[k] = KEEP;
    }
}

/* The cheapest way to share `lanes` between two subtrees. */
static float share(const choice *left, const choice *right, int lanes, uint8_t *left_lanes)
{
    assert(lanes >= 2 && lanes <= BVPD_WIDTH);
    float best = left->cost[0] + right->cost[lanes - 2];
    *left_lanes = 1;
    for (int k = 2; k < lanes; k++) {
        float cost = left->cost[k - 1] + right->cost[lanes - k - 1];
        if (cost < best) {
            best = cost;
            *left_lanes = (uint8_t)k;
        }
    }
    return best;
}

/* One lane: the node becomes a wide node, which costs its own area and price plus the best way to
 * share 8 lanes between its children. More lanes: the best way to share them, or the same as with
 * one lane less. So cost[k] never increases with k. */
static void choose_inner(choice *c, const choice *left, const choice *right, float own)
{
    c->cost[0] = own + share(left, right, BVPD_WIDTH, &c->left_inside);
    c->left[0] = KEEP;
    for (int lanes = 2; lanes <= BVPD_WIDTH; lanes++) {
        uint8_t left_lanes;
        float cost = share(left, right, lanes, &left_lanes);
        const bool better = cost < c->cost[lanes - 2];
        c->cost[lanes - 1] = better ? cost : c->cost[lanes - 2];
        c->left[lanes - 1] = better ? left_lanes : KEEP;
    }
}

static void choose_all(const bvpi_collapse *c, choice *choices)
{
    for (uint32_t k = c->build_node_count; k-- > 0;) {
        const bvpi_build_node *s = &c->build_nodes[k];
        const float area = bvpi_build_node_area(s);
        if (s->left != 0)
            choose_inner(&choices[k], &choices[s->left], &choices[s->left + 1],
                         area + c->node_price);
        else if (s->count > c->leaf_size)
            choose_leaf(&choices[k], area);
        else
            choose_leaf(&choices[k], area * (LEAF_COST + ITEM_COST * (float)s->count));
    }
}

/* ---- emitting ------------------------------------------------------------------------------- */

typedef struct emission {
    bvpi_collapse *c;
    const choice *choices;
    float at[3]; /* twice the centre of the box emitted last */
} emission;

/* The sibling nearer to the last box goes first: clusters, which are cut from this order, then
 * share fewer vertices with others. */
static bool is_right_nearer(const emission *e, uint32_t left)
{
    const bvpi_build_node *s = &e->c->build_nodes[left];
    float distance_sq[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        for (int axis = 0; axis < 3; axis++) {
            const float d = s[side].hi[axis] - s[side].minus_lo[axis] - e->at[axis];
            distance_sq[side] += d * d;
        }
    return distance_sq[1] < distance_sq[0];
}

static void move_to(emission *e, uint32_t k)
{
    const bvpi_build_node *s = &e->c->build_nodes[k];
    for (int axis = 0; axis < 3; axis++)
        e->at[axis] = s->hi[axis] - s->minus_lo[axis];
}

static int gather(emission *e, uint32_t k, int lanes, uint32_t *out);

/* Both children of a binary node. */
static int gather_pair(emission *e, uint32_t left, int left_lanes, int lanes, uint32_t *out)
{
    const bool swapped = is_right_nearer(e, left);
    const int first_lanes = swapped ? lanes - left_lanes : left_lanes;
    const int count = gather(e, left + swapped, first_lanes, out);
    return count + gather(e, left + !swapped, lanes - first_lanes, out + count);
}

/* Lists the binary nodes that subtree `k` puts into `lanes` lanes. */
static int gather(emission *e, uint32_t k, int lanes, uint32_t *out)
{
    const choice *c = &e->choices[k];
    while (lanes > 1 && c->left[lanes - 1] == KEEP)
        lanes--;
    if (lanes > 1)
        return gather_pair(e, e->c->build_nodes[k].left, c->left[lanes - 1], lanes, out);
    move_to(e, k);
    *out = k;
    return 1;
}

/* Encodes the smallest 8-bit box of `frame` around a binary node's box. *box: what it decodes
 * to. */
static void encode_box(const bvpi_frame *frame, const bvpi_build_node *s, bvpd_node *node, int lane,
                       bvpi_frame *box)
{
    for (int axis = 0; axis < 3; axis++) {
        const unsigned shift = bvpi_frame_shift(frame->hi[axis] - frame->lo[axis]);
        const uint32_t lo = (uint32_t)(int32_t)-s->minus_lo[axis] - frame->lo[axis];
        const uint32_t hi = (uint32_t)(int32_t)s->hi[axis] - frame->lo[axis];
        const uint32_t up = (UINT32_C(1) << shift) - 1;
        assert(lo <= hi && (hi + up) >> shift <= UINT8_MAX); /* the box is inside the frame */
        node->bounds[axis][lane] = (uint8_t)(lo >> shift);
        node->bounds[axis][BVPD_WIDTH + lane] = (uint8_t)((hi + up) >> shift);
    }
    bvpi_frame_child(frame, node, lane, box);
}

static bool is_leaf(const bvpi_collapse *c, uint32_t split)
{
    return c->build_nodes[split].left == 0 && c->build_nodes[split].count <= c->leaf_size;
}

/* Writes the wide node of a binary node and, recursively, of its inner children. All children get
 * their places first, so that siblings are adjacent. */
static void emit(emission *e, uint32_t split, uint32_t place, const bvpi_frame *frame,
                 uint32_t level)
{
    bvpi_collapse *c = e->c;
    bvpi_wide *wide = &c->wide[place];
    bvpi_frame boxes[BVPD_WIDTH];
    uint32_t children[BVPD_WIDTH];
    if (c->build_nodes[split].left == 0 && !is_leaf(c, split)) {
        c->stubs[c->stub_count++] = (bvpi_stub){*frame, place, split, level};
        return;
    }
    const uint32_t left = c->build_nodes[split].left;
    int count = 1;
    children[0] = split; /* a leaf that is the whole hierarchy: its only lane is itself */
    if (left != 0)
        count = gather_pair(e, left, e->choices[split].left_inside, BVPD_WIDTH, children);
    else
        move_to(e, split);
    assert(count >= 1 && count <= BVPD_WIDTH);
    c->depth = level > c->depth ? level : c->depth;
    c->visited[c->visited_count++] = place;
    memset(wide, 0, sizeof *wide);
    memset(wide->node.bounds, 255, sizeof wide->node.bounds);
    for (int axis = 0; axis < 3; axis++)
        memset(wide->node.bounds[axis] + BVPD_WIDTH, 0, BVPD_WIDTH);
    wide->level = level;
    wide->first_item = c->item_count;
    wide->child = c->wide_count;
    for (int lane = 0; lane < count; lane++) {
        const bvpi_build_node *s = &c->build_nodes[children[lane]];
        double size[3];
        encode_box(frame, s, &wide->node, lane, &boxes[lane]);
        for (int axis = 0; axis < 3; axis++)
            size[axis] = boxes[lane].hi[axis] - boxes[lane].lo[axis];
        c->area += size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
        if (is_leaf(c, children[lane])) {
            assert(s->count <= BVPD_LEAF_MAX);
            wide->node.meta[lane] = (uint8_t)s->count;
            wide->item_count += s->count;
            c->leaf_count++;
            for (uint32_t i = 0; i < s->count; i++)
                c->order[c->item_count++] = c->items[s->first + i].id;
        } else {
            wide->node.meta[lane] = BVPD_META_INNER;
            wide->child_count++;
        }
    }
    c->wide_count += wide->child_count;
    uint32_t child = wide->child;
    for (int lane = 0; lane < count; lane++)
        if (!is_leaf(c, children[lane]))
            emit(e, children[lane], child++, &boxes[lane], level + 1);
    assert(child == wide->child + wide->child_count);
}

void bvpi_collapse_run(bvpi_collapse *c, void *scratch)
{
    emission e = {.c = c, .choices = scratch};
    choose_all(c, scratch);
    c->wide_count = 1;
    c->visited_count = c->item_count = c->stub_count = c->leaf_count = c->depth = 0;
    c->area = 0;
    emit(&e, 0, 0, &c->frame, 1);
}
