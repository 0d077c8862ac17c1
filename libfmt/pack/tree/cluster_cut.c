/* SPDX-License-Identifier: MIT
 * cluster_cut.c: cuts a hierarchy's triangles into cluster records, and decides where nodes are
 * stored.
 *
 * Triangles are taken in leaf order, node by node, until the next node's triangles do not fit: a
 * record has at most 256 triangles and 256 different vertices. The record is then cut where the
 * largest subtree begins (choose_cut), if enough triangles remain before it. The two sides share
 * fewer vertices there, which saves more than full records would.
 *
 * Taking triangles out again must be cheap: vertices get local numbers in order of first use, so
 * those added last have the highest numbers, and forgetting them in reverse order never breaks a
 * chain of the hash map.
 *
 * A node with leaves is stored with its siblings in the record that holds the first triangle of
 * their subtrees. So children are always stored after their parents, which readers rely on to
 * terminate.
 *
 * Held by tests/unit/test_wide_build.c and tests/property/test_builder.c.
 * Spec: format.md, chapters "Cluster records", "Triangle numbers"
 * Measured: decisions.md, "Bytes", "Building"
 */
#include "pack/tree/cluster_cut.h"

#include "base/growing_array.h"
#include "pack/mesh/corner_codes.h"
#include "pack/mesh/id_codes.h"
#include "pack/mesh/axis_codes.h"
#include "node/cluster_record.h"

#include <assert.h>
#include <stdlib.h>

enum {
    /* A record may be cut early if it keeps at least this many triangles. Measured: .2 to .4 bytes
     * for each triangle less than with full records. */
    CUT_MIN = 64,
    AHEAD = 16,      /* triangles ahead of the current one whose corners are prefetched */
    MAP_SIZE = 1024, /* a power of two, four times the most vertices of a cluster */
    RECORD_MAX = sizeof(bvpd_cluster) + 3 * BVPD_CLUSTER_TRIANGLES + 3 * 4 * BVPD_CLUSTER_VERTICES,
    BEHIND = sizeof(uint64_t) /* writable behind a stream of bits */
};

/* The record being filled. */
typedef struct forming {
    const bvpi_mesh *mesh;
    const uint32_t *visited, *order;
    uint32_t item_count; /* elements of order */
    bool is_hasty;       /* vertices keep the order of first use */
    bvpi_batch *batch;
    uint32_t first_item, triangle_count, vertex_count;
    uint16_t vertices_before[BVPD_CLUSTER_TRIANGLES]; /* for each node's first triangle */
    uint32_t next_parent; /* in visited: the first node whose children have no home yet */
    uint32_t vertices[BVPD_CLUSTER_VERTICES];
    uint8_t corners[3 * BVPD_CLUSTER_TRIANGLES];
    uint16_t map[MAP_SIZE]; /* local number + 1, by hash of the vertex */
} forming;

/* ---- memory --------------------------------------------------------------------------------- */

/* Makes room for `more` zeroed elements after `used`. */
static bool reserve(void **array, uint64_t *capacity, uint64_t used, uint64_t more, size_t size)
{
    if (!bvpi_grow(array, capacity, used + more, size))
        return false;
    memset((char *)*array + used * size, 0, more * size);
    return true;
}

/* Returns unused room to the system. */
static void shrink(void **array, uint64_t size)
{
    void *smaller = size > 0 ? realloc(*array, size) : NULL;
    if (smaller)
        *array = smaller;
}

void bvpi_batch_free(bvpi_batch *batch)
{
    free(batch->wide);
    free(batch->records);
    free(batch->bytes);
    free(batch->ids);
    *batch = (bvpi_batch){0};
}

/* ---- local vertices ------------------------------------------------------------------------- */

/* Where `vertex` is in the map, or where it would go. */
static uint32_t map_find(const forming *f, uint32_t vertex)
{
    uint32_t at = (vertex * UINT32_C(2654435761)) >> 22; /* ten bits: MAP_SIZE */
    assert(f->vertex_count <= BVPD_CLUSTER_VERTICES);    /* three quarters of the map are free */
    while (f->map[at] != 0 && f->vertices[f->map[at] - 1] != vertex)
        at = (at + 1) % MAP_SIZE;
    return at;
}

/* Removes the vertices from number `count` on, the last first, so that no chain of the map
 * breaks. */
static void forget_vertices(forming *f, uint32_t count)
{
    while (f->vertex_count > count) {
        f->map[map_find(f, f->vertices[f->vertex_count - 1])] = 0;
        f->vertex_count--;
    }
}

static const uint32_t *corners_of(const forming *f, uint32_t item)
{
    return f->mesh->indices + 3 * (uint64_t)f->order[item];
}

/* Adds the triangles of a node's leaves. False if they do not fit; then nothing has changed. */
static bool add_triangles(forming *f, const bvpi_wide *node)
{
    const uint32_t vertices_before = f->vertex_count;
    if (f->triangle_count + node->item_count > BVPD_CLUSTER_TRIANGLES)
        return false;
    if (node->item_count == 0)
        return true;
    f->vertices_before[f->triangle_count] = (uint16_t)vertices_before;
    uint8_t *corner = f->corners + 3 * f->triangle_count;
    for (uint32_t i = node->first_item; i < node->first_item + node->item_count; i++) {
        const uint32_t *index = corners_of(f, i);
        if (i + AHEAD < f->item_count)
            __builtin_prefetch(corners_of(f, i + AHEAD));
        for (int k = 0; k < 3; k++) {
            const uint32_t at = map_find(f, index[k]);
            if (f->map[at] == 0) {
                if (f->vertex_count == BVPD_CLUSTER_VERTICES) {
                    forget_vertices(f, vertices_before);
                    return false;
                }
                __builtin_prefetch(f->mesh->positions + 3 * (uint64_t)index[k]);
                f->vertices[f->vertex_count] = index[k];
                f->map[at] = (uint16_t)++f->vertex_count;
            }
            *corner++ = (uint8_t)(f->map[at] - 1);
        }
    }
    f->triangle_count += node->item_count;
    return true;
}

bool bvpi_cluster_fits(const bvpi_mesh *mesh, const uint32_t *triangles, uint32_t count)
{
    if (3 * count <= BVPD_CLUSTER_VERTICES)
        return true;
    forming f = {.mesh = mesh, .order = triangles, .item_count = count};
    const bvpi_wide all = {.item_count = count};
    return add_triangles(&f, &all);
}

/* ---- homes of nodes -------------------------------------------------------------------------- */

static bool all_bear_leaves(const bvpi_wide *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (first[i].item_count == 0)
            return false;
    return true;
}

/* Assigns a home to all groups of siblings that begin before item `end`. Returns the number of
 * nodes in the record. Upper nodes have upper parents; a group in which every node has leaves is
 * not upper. */
static uint32_t settle_nodes(forming *f, uint32_t record, uint32_t end)
{
    bvpi_wide *wide = f->batch->wide;
    uint32_t count = 0;
    for (; f->next_parent < f->batch->wide_count; f->next_parent++) {
        const bvpi_wide *parent = &wide[f->visited[f->next_parent]];
        if (parent->first_item + parent->item_count >= end && parent->child_count > 0)
            break;
        bvpi_wide *child = wide + parent->child;
        const bool upper =
            parent->home == BVPI_HOME_UPPER && !all_bear_leaves(child, parent->child_count);
        for (uint32_t i = 0; i < parent->child_count; i++) {
            child[i].home = upper ? BVPI_HOME_UPPER : record;
            child[i].slot = upper ? 0 : count++;
        }
    }
    return count;
}

/* ---- records -------------------------------------------------------------------------------- */

static bool add_ids(forming *f, bvpd_cluster *head)
{
    bvpi_batch *b = f->batch;
    uint32_t numbers[BVPD_CLUSTER_TRIANGLES];
    bvpi_ids_plan plan;
    if (!f->mesh->has_ids)
        return true;
    for (uint32_t i = 0; i < f->triangle_count; i++) {
        const uint32_t triangle = f->order[f->first_item + i];
        numbers[i] = f->mesh->ids ? f->mesh->ids[triangle] : triangle;
    }
    bvpi_ids_choose(numbers, f->triangle_count, &plan);
    const uint32_t head_size = f->mesh->is_outside ? 0 : (uint32_t)sizeof plan.head;
    if (!reserve((void **)&b->ids, &b->ids_capacity, b->ids_size,
                 head_size + plan.packed_size + BEHIND, 1))
        return false;
    memcpy(f->mesh->is_outside ? (uint8_t *)head->base : b->ids + b->ids_size, &plan.head,
           sizeof plan.head);
    bvpi_ids_write(&plan, numbers, f->triangle_count, b->ids + b->ids_size + head_size);
    head->id_off = (uint32_t)(b->ids_size / 4);
    b->ids_size += head_size + plan.packed_size;
    return true;
}

/* ---- streams -------------------------------------------------------------------------------- */

/* Writes the vertices, each with its fields of all three axes, to `out`. Returns their end. */
static uint8_t *put_fields(const bvpi_packed_axis axes[3], uint32_t count, uint8_t *out)
{
    const bvpi_packed_axis *x = &axes[0], *y = &axes[1], *z = &axes[2];
    const unsigned two = x->field_width + y->field_width;
    bvpi_bits bits = {.at = out};
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t xy = x->fields[i] | (uint64_t)y->fields[i] << x->field_width;
        if (two + z->field_width <= 56)
            bvpi_put_bits(&bits, xy | (uint64_t)z->fields[i] << two, two + z->field_width);
        else {
            bvpi_put_bits(&bits, x->fields[i], x->field_width);
            bvpi_put_bits(&bits, y->fields[i], y->field_width);
            bvpi_put_bits(&bits, z->fields[i], z->field_width);
        }
    }
    return bvpi_end_bits(&bits);
}

/* Writes the coordinates of all three axes to `out`. Returns their size. */
static uint32_t pack_vertices(const forming *f, bvpd_cluster *head, uint8_t *out)
{
    bvpi_packed_axis axes[3];
    float values[3][BVPD_CLUSTER_VERTICES];
    for (uint32_t i = 0; i < f->vertex_count; i++) {
        const float *position = f->mesh->positions + 3 * (uint64_t)f->vertices[i];
        values[0][i] = position[0];
        values[1][i] = position[1];
        values[2][i] = position[2];
    }
    for (int axis = 0; axis < 3; axis++) {
        bvpi_packed_axis *a = &axes[axis];
        bvpi_pack_axis(values[axis], f->vertex_count, f->mesh->is_deformable, a);
        head->packing[axis] = (uint8_t)(a->packing.mode << 6 | a->packing.width);
        head->scale[axis] = a->packing.scale;
        head->base[axis] = a->packing.base;
        head->table_count[axis] = (uint8_t)a->table_count;
    }
    uint8_t *end = put_fields(axes, f->vertex_count, out);
    for (int axis = 0; axis < 3; axis++) {
        bvpi_bits bits = {.at = end};
        for (uint32_t i = 0; i < axes[axis].table_count; i++)
            bvpi_put_bits(&bits, axes[axis].table[i], axes[axis].packing.width);
        end = bvpi_end_bits(&bits);
    }
    return (uint32_t)(end - out);
}

/* Renumbers the vertices so that corners take few bits. */
static void order_vertices(forming *f)
{
    uint32_t vertices[BVPD_CLUSTER_VERTICES];
    uint8_t order[BVPD_CLUSTER_VERTICES];
    bvpi_corners_order(f->corners, f->triangle_count, f->vertex_count, order);
    for (uint32_t i = 0; i < f->vertex_count; i++)
        vertices[i] = f->vertices[order[i]];
    memcpy(f->vertices, vertices, f->vertex_count * sizeof *vertices);
}

/* Writes the streams to `out`, or says that they lie outside. Returns their size. The records of a
 * part that lies outside are cut where those of the part with its vertices are: what is asked of
 * clusters has the same answers. */
static uint32_t pack_streams(forming *f, bvpd_cluster *head, uint8_t *out)
{
    if (f->mesh->is_outside) {
        memset(head->packing, BVPD_OUTSIDE << 6, sizeof head->packing);
        head->vertex_count_minus_1 = 0;
        return 0;
    }
    if (!f->is_hasty)
        order_vertices(f);
    const uint32_t size = bvpi_corners_pack(f->corners, f->triangle_count, head, out);
    return size + pack_vertices(f, head, out + size);
}

/* Closes the record before item `end`. */
static bool close_record(forming *f, uint32_t end)
{
    bvpi_batch *b = f->batch;
    uint64_t capacity = b->record_capacity;
    const uint32_t node_count = settle_nodes(f, b->record_count, end);
    const uint64_t nodes_size = (uint64_t)node_count * BVPD_UNIT;
    if (!reserve((void **)&b->records, &capacity, b->record_count, 1, sizeof *b->records) ||
        !reserve((void **)&b->bytes, &b->capacity, b->size, RECORD_MAX + BVPD_UNIT + nodes_size, 1))
        return false;
    b->record_capacity = (uint32_t)capacity;
    assert(f->triangle_count > 0 && f->triangle_count <= BVPD_CLUSTER_TRIANGLES);
    assert(f->vertex_count > 0 && f->vertex_count <= BVPD_CLUSTER_VERTICES);
    assert(f->first_item + f->triangle_count == end);
    uint8_t *out = b->bytes + b->size;
    bvpd_cluster head = {.vertex_count_minus_1 = (uint8_t)(f->vertex_count - 1),
                         .triangle_count_minus_1 = (uint8_t)(f->triangle_count - 1),
                         .node_count = (uint16_t)node_count,
                         .first_triangle = f->first_item};
    const uint32_t size = (uint32_t)sizeof head + pack_streams(f, &head, out + sizeof head);
    if (!add_ids(f, &head))
        return false;
    memcpy(out, &head, sizeof head);
    bvpi_record *record = &b->records[b->record_count++];
    record->offset = b->size;
    assert(size <= RECORD_MAX);
    record->nodes_off = (size + BVPD_UNIT - 1) & ~(uint32_t)(BVPD_UNIT - 1);
    record->size = record->nodes_off + (uint32_t)nodes_size;
    b->size += record->size;
    f->first_item = end;
    f->triangle_count = f->vertex_count = 0;
    memset(f->map, 0, sizeof f->map);
    return true;
}

/* Where to cut when the record holds the nodes from visited[begin] on and visited[full] does not
 * fit: before the node nearest to the root; among equals, before the last. */
static uint32_t choose_cut(const forming *f, uint32_t begin, uint32_t full)
{
    const bvpi_wide *wide = f->batch->wide;
    uint32_t best = full;
    for (uint32_t k = full; k-- > begin;) {
        const bvpi_wide *node = &wide[f->visited[k]];
        if (node->first_item < f->first_item + CUT_MIN)
            break;
        if (node->level < wide[f->visited[best]].level)
            best = k;
    }
    return best;
}

/* Closes the record before visited[cut], removing the nodes from there on. */
static bool cut_record(forming *f, uint32_t begin, uint32_t cut)
{
    bvpi_wide *wide = f->batch->wide;
    const uint32_t end =
        cut < f->batch->wide_count ? wide[f->visited[cut]].first_item : f->batch->triangle_count;
    if (end < f->first_item + f->triangle_count) {
        f->triangle_count = end - f->first_item;
        forget_vertices(f, f->vertices_before[f->triangle_count]);
    }
    for (uint32_t k = begin; k < cut; k++) {
        wide[f->visited[k]].cluster = f->batch->record_count;
        wide[f->visited[k]].local = wide[f->visited[k]].first_item - f->first_item;
    }
    return close_record(f, end);
}

bool bvpi_cluster_batch(const bvpi_mesh *mesh, const uint32_t *visited, const uint32_t *order,
                        bool is_hasty, bvpi_batch *batch)
{
    forming f = {.mesh = mesh,
                 .visited = visited,
                 .order = order,
                 .item_count = batch->triangle_count,
                 .is_hasty = is_hasty,
                 .batch = batch};
    uint32_t begin = 0;
    batch->wide[0].home = BVPI_HOME_UPPER;
    for (uint32_t k = 0; k < batch->wide_count; k++) {
        if (add_triangles(&f, &batch->wide[visited[k]]))
            continue;
        const uint32_t cut = choose_cut(&f, begin, k);
        if (!cut_record(&f, begin, cut))
            return false;
        begin = cut;
        /* the nodes from the cut on are added again, to the next record */
        k = cut - 1;
    }
    if (!cut_record(&f, begin, batch->wide_count))
        return false;
    shrink((void **)&batch->bytes, batch->size);
    shrink((void **)&batch->ids, batch->ids_size);
    return true;
}
