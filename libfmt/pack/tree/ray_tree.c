/* SPDX-License-Identifier: MIT
 * ray_tree.c: builds the hierarchy for rays of a mesh.
 *
 * The mesh's triangles are split by the surface area heuristic into small leaves. Then a dynamic
 * programme decides, bottom-up, which binary nodes become wide nodes and which subtrees become one
 * leaf: for every subtree and every k in 1 .. 8 the least cost of giving it k lanes of its parent,
 * as in collapse.c. Unlike there, a subtree of up to eight triangles may become one leaf: a leaf's
 * test takes eight triangles side by side, so a full one costs little more than a single triangle.
 *
 * Boxes are those of the exact vertices. A node's frame is around its children's boxes, in floats,
 * and planes stand off the boxes by the rounding that queries may do.
 *
 * Invariants: a node's inner children are adjacent and come after it; a leaf has at most 16
 * vertices, so that the meshlets of a node's lanes are within 255 units.
 *
 * Spec: format.md, chapter "Ray trees"; exactness.md, chapter 10
 * Measured: decisions.md, "Ray trees"
 * Based on: Ylitie, Karras, Laine, Efficient incoherent ray traversal on GPUs through compressed
 * wide BVHs, 2017.
 */
#include "pack/tree/ray_tree.h"

#include "base/large_array.h"
#include "base/status.h"
#include "format/record.h"
#include "node/ray_meshlet.h"
#include "pack/tree/items.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* Of a ray that meets the box, relative to opening a wide node. A node's bytes are worth a visit if
 * its surface is NODE_PRICE times the average triangle's share of the root's. All three are flat:
 * twice or half as much changes neither nodes nor leaves of a ray by more than 1 %. */
static const float LEAF_COST = 0.4f, ITEM_COST = 0.08f, NODE_PRICE = 20;

enum { KEEP = 255, SPLIT_SIZE = 2 };

/* The cost of giving a subtree `k + 1` lanes of its parent, and how to do it. */
typedef struct choice {
    float cost[BVPD_WIDTH];
    uint8_t left[BVPD_WIDTH]; /* lanes for the left child; KEEP: same as with one lane less */
    uint8_t left_inside;      /* lanes of 8 for the left child if the node becomes a wide node */
    uint8_t is_leaf;          /* with one lane, it is a leaf */
} choice;

typedef struct making {
    const bvpi_mesh *mesh;
    const uint32_t *references;
    bvpi_item *items;
    bvpi_build_node *nodes; /* binary; boxes of the exact vertices */
    choice *choices;
    uint32_t node_count;
    float node_price;
    double bound; /* largest |coordinate| */
    bvpd_ray_node *wide;
    uint32_t wide_count, wide_room, leaf_count, largest_leaf, depth;
    double area;
    uint8_t *meshlets;
    uint64_t size, room;
    bool failed;
} making;

/* ---- boxes ----------------------------------------------------------------------------------- */

static const float *corner_of(const making *m, uint32_t triangle, int corner)
{
    return m->mesh->positions + 3 * (uint64_t)m->mesh->indices[3 * (uint64_t)triangle + corner];
}

static void bound_leaf(const making *m, bvpi_build_node *node)
{
    for (int a = 0; a < 3; a++)
        node->minus_lo[a] = node->hi[a] = -__builtin_inff();
    for (uint32_t i = 0; i < node->count; i++)
        for (int k = 0; k < 3; k++) {
            const float *p = corner_of(m, m->items[node->first + i].id, k);
            for (int a = 0; a < 3; a++) {
                node->minus_lo[a] = -p[a] > node->minus_lo[a] ? -p[a] : node->minus_lo[a];
                node->hi[a] = p[a] > node->hi[a] ? p[a] : node->hi[a];
            }
        }
}

/* Replaces the boxes of the grid. Children come after their parents. */
static void bound_all(making *m)
{
    for (uint32_t k = m->node_count; k-- > 0;) {
        bvpi_build_node *s = &m->nodes[k];
        if (s->left == 0) {
            bound_leaf(m, s);
            continue;
        }
        const bvpi_build_node *l = &m->nodes[s->left], *r = l + 1;
        for (int a = 0; a < 3; a++) {
            s->minus_lo[a] = l->minus_lo[a] > r->minus_lo[a] ? l->minus_lo[a] : r->minus_lo[a];
            s->hi[a] = l->hi[a] > r->hi[a] ? l->hi[a] : r->hi[a];
        }
    }
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* The vertices of a subtree's triangles, each once; at most 24. Returns how many. */
static uint32_t find_vertices(const making *m, const bvpi_build_node *s, uint32_t vertices[24],
                              uint8_t corners[3][BVPD_LEAF_MAX])
{
    uint32_t count = 0;
    assert(s->count <= BVPD_LEAF_MAX);
    for (uint32_t i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) {
            const uint64_t triangle = m->items[s->first + i].id;
            const uint32_t v = m->mesh->indices[3 * triangle + (uint64_t)k];
            uint32_t at = 0;
            while (at < count && vertices[at] != v)
                at++;
            if (at == count)
                vertices[count++] = v;
            corners[k][i] = (uint8_t)at;
        }
    return count;
}

static bool may_be_leaf(const making *m, const bvpi_build_node *s)
{
    uint32_t vertices[24];
    uint8_t corners[3][BVPD_LEAF_MAX];
    return s->count <= BVPD_LEAF_MAX &&
           (3 * s->count <= BVPD_RAY_VERTICES ||
            find_vertices(m, s, vertices, corners) <= BVPD_RAY_VERTICES);
}

/* The cheapest way to share `lanes` between two subtrees. */
static float share(const choice *left, const choice *right, int lanes, uint8_t *left_lanes)
{
    float best = left->cost[0] + right->cost[lanes - 2];
    *left_lanes = 1;
    for (int k = 2; k < lanes; k++) {
        const float cost = left->cost[k - 1] + right->cost[lanes - k - 1];
        if (cost < best) {
            best = cost;
            *left_lanes = (uint8_t)k;
        }
    }
    return best;
}

static void choose(making *m, uint32_t k)
{
    const bvpi_build_node *s = &m->nodes[k];
    choice *c = &m->choices[k];
    const float area = bvpi_build_node_area(s);
    const float leaf = area * (LEAF_COST + ITEM_COST * (float)s->count);
    c->is_leaf = s->left == 0;
    c->cost[0] = leaf;
    memset(c->left, KEEP, sizeof c->left);
    for (int lanes = 2; lanes <= BVPD_WIDTH; lanes++)
        c->cost[lanes - 1] = leaf;
    if (s->left == 0)
        return;
    const choice *left = &m->choices[s->left], *right = left + 1;
    const float inner = area + m->node_price + share(left, right, BVPD_WIDTH, &c->left_inside);
    c->is_leaf = !(inner < leaf) && may_be_leaf(m, s);
    if (!c->is_leaf)
        c->cost[0] = inner;
    for (int lanes = 2; lanes <= BVPD_WIDTH; lanes++) {
        uint8_t left_lanes;
        const float cost = share(left, right, lanes, &left_lanes);
        const bool better = cost < c->cost[lanes - 2];
        c->cost[lanes - 1] = better ? cost : c->cost[lanes - 2];
        c->left[lanes - 1] = better ? left_lanes : KEEP;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Lists the binary nodes that subtree `k` puts into `lanes` lanes. */
static int gather(const making *m, uint32_t k, int lanes, uint32_t *out)
{
    const choice *c = &m->choices[k];
    while (lanes > 1 && c->left[lanes - 1] == KEEP)
        lanes--;
    if (lanes == 1) {
        *out = k;
        return 1;
    }
    const int count = gather(m, m->nodes[k].left, c->left[lanes - 1], out);
    return count + gather(m, m->nodes[k].left + 1, lanes - c->left[lanes - 1], out + count);
}

/* A larger array, its new bytes zero. */
static bool make_room(void **array, uint64_t *room, uint64_t size, size_t item)
{
    if (size <= *room)
        return true;
    const uint64_t more = size + size / 2 + 64;
    void *grown = realloc(*array, more * item);
    if (!grown)
        return false;
    memset((uint8_t *)grown + *room * item, 0, (more - *room) * item);
    *array = grown;
    *room = more;
    return true;
}

/* Appends the meshlet of a subtree's triangles. */
static void put_meshlet(making *m, const bvpi_build_node *s)
{
    uint32_t vertices[24], references[BVPD_LEAF_MAX];
    uint8_t corners[3][BVPD_LEAF_MAX];
    const uint32_t triangle_count = s->count;
    const uint32_t vertex_count = find_vertices(m, s, vertices, corners);
    bool several = false;
    assert(vertex_count <= BVPD_RAY_VERTICES);
    for (uint32_t i = 0; i < triangle_count; i++) {
        references[i] = m->references[m->items[s->first + i].id];
        several |= references[i] >> 8 != references[0] >> 8;
    }
    const uint32_t size = bvpi_meshlet_size(triangle_count, vertex_count, several);
    if (!make_room((void **)&m->meshlets, &m->room, m->size + size, 1)) {
        m->failed = true;
        return;
    }
    uint8_t *out = m->meshlets + m->size;
    m->size += size;
    const uint32_t word =
        (several ? BVPD_RAY_SEVERAL : references[0] & ~UINT32_C(0xff)) | (vertex_count - 1);
    memcpy(out, &word, sizeof word);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < triangle_count; i++) {
            const uint32_t at = k * triangle_count + i;
            out[4 + at / 2] |= (uint8_t)(corners[k][i] << (4 * (at & 1)));
        }
    uint8_t *to = out + bvpi_meshlet_vertices(triangle_count);
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < vertex_count; i++, to += sizeof(float))
            memcpy(to, m->mesh->positions + 3 * (uint64_t)vertices[i] + a, sizeof(float));
    for (uint32_t i = 0; i < triangle_count; i++, to += several ? 4 : 1)
        memcpy(to, &references[i], several ? 4 : 1);
    m->leaf_count++;
    m->largest_leaf = triangle_count > m->largest_leaf ? triangle_count : m->largest_leaf;
}

/* The frame of a node: planes 0 and 255 are beyond all of its boxes and their pads. */
static void set_frame(const making *m, const uint32_t *lanes, int count, bvpd_ray_node *node)
{
    for (int a = 0; a < 3; a++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int k = 0; k < count; k++) {
            const bvpi_build_node *s = &m->nodes[lanes[k]];
            lo = -(double)s->minus_lo[a] < lo ? -(double)s->minus_lo[a] : lo;
            hi = (double)s->hi[a] > hi ? (double)s->hi[a] : hi;
        }
        const double pad = m->bound * BVPI_RAY_PAD_BOUND;
        node->step[a] = (float)((hi - lo + 8 * pad) / 253);
        node->lo[a] = (float)(lo - 4 * pad - 0.5 * (double)node->step[a]);
    }
}

static void set_box(const making *m, const bvpi_build_node *s, int lane, bvpd_ray_node *node)
{
    for (int a = 0; a < 3; a++) {
        const double step = node->step[a], from = node->lo[a];
        const double pad = m->bound * BVPI_RAY_PAD_BOUND + step * BVPI_RAY_PAD_STEP;
        const double below = -(double)s->minus_lo[a], above = s->hi[a];
        double lo = bvpi_floor((below - pad - from) / step);
        double hi = -bvpi_floor(-(above + pad - from) / step);
        lo -= from + lo * step + pad > below; /* as the verifier computes it */
        hi += from + hi * step - pad < above;
        assert(lo >= 0 && lo <= hi && hi <= UINT8_MAX);
        node->bounds[a][lane] = (uint8_t)lo;
        node->bounds[a][BVPD_WIDTH + lane] = (uint8_t)hi;
    }
}

/* In the order in which a query that takes any hit visits them: the most area a triangle first. */
static void order_lanes(const making *m, uint32_t lanes[BVPD_WIDTH], int count)
{
    float key[BVPD_WIDTH];
    for (int j = 0; j < count; j++) {
        const uint32_t lane = lanes[j];
        const bvpi_build_node *s = &m->nodes[lane];
        const float share = bvpi_build_node_area(s) / (float)s->count;
        int at = j;
        for (; at > 0 && key[at - 1] < share; at--) {
            key[at] = key[at - 1];
            lanes[at] = lanes[at - 1];
        }
        key[at] = share;
        lanes[at] = lane;
    }
}

/* Writes the wide node of binary node `k` to `place`, and everything below it. */
static void emit(making *m, uint32_t k, uint32_t place, uint32_t level)
{
    uint32_t lanes[BVPD_WIDTH];
    bvpd_ray_node node = {.geom = (uint32_t)(m->size / BVPD_RAY_UNIT)};
    const choice *c = &m->choices[k];
    int count = 1;
    lanes[0] = k;
    if (!c->is_leaf) {
        count = gather(m, m->nodes[k].left, c->left_inside, lanes);
        count += gather(m, m->nodes[k].left + 1, BVPD_WIDTH - c->left_inside, lanes + count);
    }
    order_lanes(m, lanes, count);
    m->depth = level > m->depth ? level : m->depth;
    memset(node.bounds, 255, sizeof node.bounds);
    for (int a = 0; a < 3; a++)
        memset(node.bounds[a] + BVPD_WIDTH, 0, BVPD_WIDTH);
    for (int j = count; j < BVPD_WIDTH; j++)
        node.lane[j] = BVPD_RAY_EMPTY;
    set_frame(m, lanes, count, &node);
    uint32_t inner = 0;
    bool has_leaf = false;
    for (int j = 0; j < count; j++) {
        const bvpi_build_node *s = &m->nodes[lanes[j]];
        set_box(m, s, j, &node);
        m->area += (double)bvpi_build_node_area(s);
        if (m->choices[lanes[j]].is_leaf) {
            const uint64_t place = m->size / BVPD_RAY_UNIT - node.geom;
            assert(place < BVPD_RAY_PLACES && s->count >= 1 && s->count <= BVPD_LEAF_MAX);
            node.lane[j] = (int16_t)(BVPD_RAY_LEAF + (int)(8 * place + s->count - 1));
            put_meshlet(m, s);
            has_leaf = true;
        } else {
            node.lane[j] = (int16_t)inner++;
        }
    }
    uint64_t room = m->wide_room;
    if (!make_room((void **)&m->wide, &room, m->wide_count + inner, sizeof *m->wide))
        m->failed = true;
    m->wide_room = (uint32_t)room;
    if (m->failed)
        return;
    uint32_t child = m->wide_count;
    node.child = inner > 0 ? child : 0;
    node.geom = has_leaf ? node.geom : 0;
    m->wide_count += inner;
    m->wide[place] = node;
    for (int j = 0; j < count && !m->failed; j++)
        if (node.lane[j] >= 0)
            emit(m, lanes[j], child++, level + 1);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void make_tree(making *m)
{
    m->node_count = bvpi_split_all(m->items, m->mesh->triangle_count, SPLIT_SIZE, 0, m->nodes);
    bound_all(m);
    m->node_price =
        NODE_PRICE * bvpi_build_node_area(&m->nodes[0]) / (float)m->mesh->triangle_count;
    for (uint32_t k = m->node_count; k-- > 0;)
        choose(m, k);
    m->wide_room = 1;
    m->wide_count = 1;
    m->wide = calloc(1, sizeof *m->wide);
    m->failed = !m->wide;
    if (!m->failed)
        emit(m, 0, 0, 1);
}

static bool write_bytes(making *m, const bvpi_grid *grid, bvpd_hierarchy *h, uint8_t **bytes)
{
    const uint64_t nodes = (uint64_t)m->wide_count * sizeof *m->wide;
    const double root = (double)bvpi_build_node_area(&m->nodes[0]);
    *h = (bvpd_hierarchy){.kind = BVPD_KIND_RAYS,
                          .data_size = nodes + m->size + BVPD_RAY_TAIL,
                          .upper_count = m->wide_count,
                          .node_count = m->wide_count,
                          .leaf_count = m->leaf_count,
                          .leaf_size = m->largest_leaf,
                          .depth = m->depth,
                          .grid_unit = grid->unit,
                          .split = BVP_SPLIT_SAH,
                          .area_cost = root > 0 ? m->area / root : 0};
    for (int a = 0; a < 3; a++) {
        h->grid_origin[a] = grid->origin[a];
        h->grid_extent[a] = grid->extent[a];
    }
    *bytes = bvpi_allocate(h->data_size, 1);
    if (!*bytes)
        return false;
    memcpy(*bytes, m->wide, nodes);
    memcpy(*bytes + nodes, m->meshlets, m->size);
    memset(*bytes + nodes + m->size, 0, BVPD_RAY_TAIL);
    return true;
}

bvp_status bvpi_ray_tree_make(const bvpi_mesh *mesh, const bvpi_grid *grid,
                              const uint32_t *references, uint32_t thread_count, bvpi_watch *watch,
                              bvpd_hierarchy *record, uint8_t **bytes, bvp_error *error)
{
    making m = {.mesh = mesh, .references = references};
    const uint64_t build_nodes = 2 * (uint64_t)mesh->triangle_count;
    uint64_t degenerate_count;
    float lo[3], hi[3];
    bvp_status status = BVP_OK;
    *bytes = NULL;
    if (!bvpi_watch_goes_on(watch))
        return BVP_ERR_CANCELLED;
    bvpi_watch_add(watch, "build", mesh->triangle_count);
    bvpi_mesh_bounds(mesh, lo, hi);
    m.bound = bvpi_ray_bound(lo, hi);
    if (!(m.bound >= BVPI_RAY_BOUND_MIN && m.bound <= BVPI_RAY_BOUND_MAX))
        return BVP_OK;
    m.items = bvpi_items_make(mesh, grid, thread_count, &degenerate_count);
    m.nodes = bvpi_allocate(build_nodes, sizeof *m.nodes);
    m.choices = bvpi_allocate(build_nodes, sizeof *m.choices);
    if (m.items && m.nodes && m.choices)
        make_tree(&m);
    const bool is_large =
        m.wide_count > BVPD_RAY_NODES_MAX || m.size / BVPD_RAY_UNIT > BVPD_RAY_UNITS_MAX ||
        m.size + (uint64_t)m.wide_count * sizeof *m.wide + BVPD_RAY_TAIL > BVPI_BINARY_SIZE_MAX;
    if (is_large && !m.failed)
        status = bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                "a part of %" PRIu32 " triangles does not fit into a hierarchy for "
                                "rays; split the mesh into several parts",
                                mesh->triangle_count);
    else if (!m.items || !m.nodes || !m.choices || m.failed ||
             !write_bytes(&m, grid, record, bytes))
        status = bvpi_error_memory(error, build_nodes * sizeof *m.nodes);
    free(m.items);
    free(m.nodes);
    free(m.choices);
    free(m.wide);
    free(m.meshlets);
    return status;
}
