/* SPDX-License-Identifier: MIT
 * base_walk.h: template of the traversal of two baseline trees; include it with VOLUME (of b, in
 * a's frame), PREPARED, place(), apart(), FLOATS and WALK defined. What depends on b's node alone
 * is computed when it is met: Zachmann 2002, section 3.3.
 */

typedef struct walk {
    const base_tree *a, *b;
    const PREPARED *prepared;
    base_batch batch;
    bool is_boolean;
} walk;

static void visit(walk *w, uint32_t a, uint32_t b, const VOLUME *placed)
{
    const base_node *node_a = &w->a->nodes[a], *node_b = &w->b->nodes[b];
    w->batch.stats->boxes++;
    if (apart(w->a->volumes + (size_t)FLOATS * a, placed))
        return;
    if (node_a->child == 0 && node_b->child == 0) {
        w->batch.stats->leaves++;
        base_batch_add(&w->batch, w->a->mesh->tri + 9 * (uint64_t)node_a->triangle,
                       w->b->mesh->tri + 9 * (uint64_t)node_b->triangle);
        return;
    }
    const bool down_a = node_b->child == 0 || (node_a->child != 0 && node_a->size >= node_b->size);
    w->batch.stats->nodes++;
    for (uint32_t k = 0; k < 2 && !(w->is_boolean && w->batch.hits > 0); k++) {
        if (down_a) {
            visit(w, node_a->child + k, b, placed);
        } else {
            VOLUME child;
            place(w->prepared, w->b->volumes + (size_t)FLOATS * (node_b->child + k), &child);
            visit(w, a, node_b->child + k, &child);
        }
    }
}

uint64_t WALK(const base_tree *a, const base_tree *b, const double placement[12], bool is_boolean,
              bvp_stats *stats)
{
    PREPARED prepared;
    VOLUME root;
    walk w = {.a = a, .b = b, .prepared = &prepared, .is_boolean = is_boolean};
    w.batch.stats = stats;
    prepare(&prepared, placement, a, b);
    place(&prepared, b->volumes, &root);
    bvpi_pose_init(&w.batch.pose, NULL, placement, a->bound, b->bound);
    visit(&w, 0, 0, &root);
    base_batch_flush(&w.batch);
    return is_boolean ? w.batch.hits > 0 : w.batch.hits;
}
