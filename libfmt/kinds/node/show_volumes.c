/* SPDX-License-Identifier: MIT
 * show_volumes.c: shows the volumes of a part's hierarchy of any kind, for viewers and tests.
 *
 * The binary kinds are walked here, depth first. Most kinds encode a volume relative to its
 * parent's, so what waits on the stack is decoded already. The depth limit bounds the stack. A file
 * may be damaged: it is corrupt if the stack overflows, or if more volumes are met than its record
 * counts.
 *
 * Invariant: no volume on the stack is deeper than the level asked for.
 *
 * Held by tests/unit/test_volumes.c.
 * Spec: format.md, chapters "Binary hierarchies", "Boxtree", "AABB tree", "Oriented volumes".
 */
#include "format/lazy.h"
#include "format/source.h"
#include "node/cluster_record.h"
#include "kinds/node/any_volume.h"

#include <assert.h>

/* A volume that waits to be shown or opened. One waits on each level, two on the last. */
typedef struct item {
    bvpi_binary_node node;
    bvpi_decoded volume;
    uint32_t level;
} item;

enum { STACK_MAX = BVPD_DEPTH_MAX + 1 };

typedef struct walk {
    bvpi_part part;
    bvpi_binary tree;
    uint32_t level; /* asked for */
    bvp_volume_fn callback;
    void *user;
    uint64_t steps_left; /* a valid hierarchy cannot have more volumes */
    uint32_t waiting;
    item stack[STACK_MAX];
} walk;

/* ---- volumes as the interface has them ------------------------------------------------------ */

static void set_box(const double lo[3], const double hi[3], bvp_volume *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->centre[axis] = 0.5 * (lo[axis] + hi[axis]);
        out->half[axis] = 0.5 * (hi[axis] - lo[axis]);
        out->axis[4 * axis] = 1;
    }
}

static void set_shape(const bvpi_binary *tree, const bvpi_decoded *volume, bvp_volume *out)
{
    const bvpi_oriented *oriented = &volume->oriented;
    const uint32_t kind = tree->kind;
    if (kind == BVPD_KIND_BOXTREE || kind == BVPD_KIND_AABB) {
        double lo[3], hi[3];
        for (int axis = 0; axis < 3; axis++) {
            const bool is_grid = kind == BVPD_KIND_BOXTREE;
            const double origin = tree->grid_origin[axis], unit = tree->grid_unit;
            lo[axis] = is_grid ? origin + unit * volume->box.lo[axis] : volume->aabb.lo[axis];
            hi[axis] = is_grid ? origin + unit * volume->box.hi[axis] : volume->aabb.hi[axis];
        }
        set_box(lo, hi, out);
    } else {
        memcpy(out->centre, oriented->centre, sizeof out->centre);
        memcpy(out->axis, oriented->axis, sizeof out->axis);
        memcpy(out->half, oriented->size, sizeof out->half);
        out->radius = kind == BVPD_KIND_RSS ? out->half[2] : 0;
        out->half[2] = kind == BVPD_KIND_RSS ? 0 : out->half[2];
    }
}

/* ---- the binary kinds ----------------------------------------------------------------------- */

/* Puts a node's children on the stack, the left one on top. */
static bool open_node(walk *w, const item *parent)
{
    bvpi_binary_node child[2];
    const uint8_t *payload[2];
    if (w->waiting + 2 > STACK_MAX ||
        !bvpi_binary_children(&w->tree, &parent->node, child, payload))
        return false;
    for (int i = 1; i >= 0; i--) {
        item *next = &w->stack[w->waiting++];
        next->node = child[i];
        next->level = parent->level + 1;
        bvpi_decoded_volume(&w->tree, &parent->volume, payload[i], &next->volume);
    }
    return true;
}

static bvp_status run(walk *w)
{
    item next = {.level = 0};
    bvpi_decoded start;
    const uint8_t *payload;
    if (!bvpi_binary_root(&w->tree, &next.node, &payload))
        return BVP_ERR_CORRUPT;
    bvpi_decoded_start(&w->tree, &start);
    bvpi_decoded_volume(&w->tree, &start, payload, &next.volume);
    w->stack[w->waiting++] = next;
    w->steps_left = w->tree.node_count;
    while (w->waiting > 0) {
        next = w->stack[--w->waiting];
        if (w->steps_left-- == 0)
            return BVP_ERR_CORRUPT;
        const bool is_leaf = bvpi_binary_is_leaf(&w->tree, &next.node);
        const bool is_shown = is_leaf || next.level == w->level;
        bvp_volume volume = {.level = next.level};
        assert(next.level <= w->level);
        if (is_leaf) {
            uint32_t reference;
            volume.leaf_count = next.node.count;
            if (!bvpi_binary_item(&w->tree, next.node.first, &reference) ||
                !bvpi_reference_triangle(&w->part, reference, &volume.first))
                return BVP_ERR_CORRUPT;
        } else if (!is_shown && !open_node(w, &next))
            return BVP_ERR_CORRUPT;
        if (is_shown) {
            set_shape(&w->tree, &next.volume, &volume);
            if (w->callback(w->user, &volume) != 0)
                return BVP_OK;
        }
    }
    return BVP_OK;
}

/* ---- any kind ------------------------------------------------------------------------------- */

typedef struct adapter {
    bvp_volume_fn callback;
    void *user;
} adapter;

static int show_box(void *user, const bvp_box *box)
{
    const adapter *to = user;
    bvp_volume out = {.level = box->level, .leaf_count = box->leaf_count, .first = box->first};
    set_box(box->lo, box->hi, &out);
    return to->callback(to->user, &out);
}

/* A part's own kind: the wide one comes first. */
static bvp_status choose(const bvp_file *file, uint32_t part, bvp_kind *kind)
{
    bvp_hierarchy_info first;
    if (part == BVP_ASSEMBLY) {
        *kind = *kind == BVP_KIND_DEFAULT ? BVP_KIND_WIDE : *kind;
        return *kind == BVP_KIND_WIDE ? BVP_OK : BVP_ERR_ARGUMENT;
    }
    const bvp_status status = bvp_get_hierarchy(file, part, 0, &first);
    if (status != BVP_OK)
        return status;
    *kind = *kind == BVP_KIND_DEFAULT ? first.kind : *kind;
    return *kind == BVP_KIND_WIDE && first.kind != BVP_KIND_WIDE ? BVP_ERR_ARGUMENT : BVP_OK;
}

static bvp_status show(const bvp_file *file, uint32_t part, bvp_kind kind, uint32_t level,
                       bvp_volume_fn callback, void *user)
{
    bvp_status status = bvpi_touch(file, part);
    if (status == BVP_OK)
        status = choose(file, part, &kind);
    if (status != BVP_OK)
        return status;
    if (kind == BVP_KIND_WIDE) {
        adapter to = {callback, user};
        return bvp_boxes(file, part, level, show_box, &to);
    }
    walk w = {.level = level, .callback = callback, .user = user};
    status = bvpi_get_part(file, part, &w.part);
    if (status == BVP_OK)
        status = bvpi_get_part_binary(file, part, (uint32_t)kind, &w.tree);
    return status == BVP_OK ? run(&w) : status;
}

BVPI_GUARD(volume, bvp_volume_fn, bvp_volume)

bvp_status bvp_volumes(const bvp_file *file, uint32_t part, bvp_kind kind, uint32_t level,
                       bvp_volume_fn callback, void *user)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    volume_guard guard = {&call, callback, user};
    return bvpi_call_end(&call, show(file, part, kind, level, volume_guarded, &guard));
}
