/* SPDX-License-Identifier: MIT
 * boxtree.c: the tables and figures of Zachmann, Minimal hierarchical collision detection, 2002,
 * but for those of time: boxtree_time.c.
 */
#include "boxtree_parts.h"
#include "ops.h"
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(claim *c, const char *evidence)
{
    c->paper = "BoxTree";
    c->evidence = evidence;
    report_claim(c);
}

/* ---- table 1 --------------------------------------------------------------------------------- */

enum { PAIR_MAX = 800000, WALKS = 8 };

/* Operations of a pair, of real traversals at a distance where the boxes of parts overlap. */
static double mean_ops(const volume_tree *tree, bvp_kind kind, ops_axes axes, ops_sharing sharing)
{
    double *poses = tumble_placements(1.2, WALKS);
    ops_walk walk = {.pairs = 0};
    for (int k = 0; k < WALKS; k++) {
        const uint64_t most = (uint64_t)PAIR_MAX / WALKS * (uint64_t)(k + 1);
        if (kind == BVP_KIND_BOXTREE)
            ops_walk_boxtree(tree, tree, poses + 12 * k, axes, sharing, most, &walk);
        else
            ops_walk_boxes(tree, tree, poses + 12 * k, kind == BVP_KIND_OBB, axes, most, &walk);
    }
    free(poses);
    return (double)ops_sum(&walk.ops) / (double)walk.pairs;
}

typedef struct table1_row {
    const char *name;
    int paper_bytes, paper_ops; /* 0: the paper has no such row */
    bvp_hierarchy_spec spec;    /* kind 0: not the library's */
    ops_axes axes;
    void (*worst)(ops *all);
    int own_bytes;
} table1_row;

static void worst_aabb(ops *all)
{
    ops_aabb_worst(false, all);
}

static void worst_aabb_lite(ops *all)
{
    ops_aabb_worst(true, all);
}

#define RESTRICTED                                                                                 \
    {                                                                                              \
        .kind = BVP_KIND_BOXTREE, .leaf_size = 1, .split = BVP_SPLIT_RESTRICTED, .plane_max = 1,   \
        .offset_size = 4                                                                           \
    }
#define BOXTREE(rule, planes, bytes)                                                               \
    {                                                                                              \
        .kind = BVP_KIND_BOXTREE, .leaf_size = 1, .split = rule, .plane_max = planes,              \
        .offset_size = bytes                                                                       \
    }
#define MIDPOINT                                                                                   \
    {                                                                                              \
        .kind = BVP_KIND_AABB, .leaf_size = 1, .split = BVP_SPLIT_MIDPOINT                         \
    }

static const table1_row table1_rows[] = {
    {"restricted, aligned (3.2.1)", 9, 12, RESTRICTED, OPS_ALIGNED, NULL, 0},
    {"restricted, SAT lite (3.2.4)", 9, 24, RESTRICTED, OPS_SAT_LITE, NULL, 0},
    {"restricted, SAT (3.2.3)", 9, 82, RESTRICTED, OPS_SAT, NULL, 0},
    {"free sides, aligned", 9, 12, BOXTREE(BVP_SPLIT_VOLUME, 1, 4), OPS_ALIGNED, NULL, 0},
    {"free sides, SAT lite", 9, 24, BOXTREE(BVP_SPLIT_VOLUME, 1, 4), OPS_SAT_LITE, NULL, 0},
    {"free sides, SAT", 9, 82, BOXTREE(BVP_SPLIT_VOLUME, 1, 4), OPS_SAT, NULL, 0},
    {"free sides, 8-bit plane, aligned", 9, 12, BOXTREE(BVP_SPLIT_VOLUME, 1, 1), OPS_ALIGNED, NULL,
     0},
    {"at most 3 8-bit planes, aligned", 0, 0, BOXTREE(BVP_SPLIT_SAH, 3, 1), OPS_ALIGNED, NULL, 0},
    {"sphere tree", 16, 29, {.kind = 0}, 0, ops_sphere_worst, SPHERE_FLOATS * 4 + 4},
    {"AABB tree", 28, 90, MIDPOINT, OPS_SAT, worst_aabb, 0},
    {"AABB tree, SAT lite", 28, 90, MIDPOINT, OPS_SAT_LITE, worst_aabb_lite, 0},
    {"OBB tree",
     64,
     243,
     {.kind = BVP_KIND_OBB, .leaf_size = 1, .split = BVP_SPLIT_MEAN, .fit = BVP_FIT_HULL},
     OPS_SAT,
     ops_obb_worst,
     0},
    {"24-DOP tree", 100, 168, {.kind = 0}, 0, ops_dop_worst, DOP_FLOATS * 4 + 4},
};
enum { BY_ALIGNED, BY_LITE, BY_SAT, FREE_ALIGNED, FREE_LITE, FREE_SAT, BY_8_BIT, OBB = 11 };
enum { TABLE1_ROWS = sizeof table1_rows / sizeof table1_rows[0] };

typedef struct table1_result {
    double node_bytes, tri_bytes;
    double worst[2], mean[2]; /* by ops_sharing */
    char problem[300];
} table1_result;

static void worst_case(const table1_row *row, double out[2])
{
    ops all;
    out[OPS_SHARED] = NAN;
    if (row->worst != NULL) {
        row->worst(&all);
        out[OPS_EACH] = (double)ops_sum(&all);
    } else {
        for (int sharing = OPS_EACH; sharing <= OPS_SHARED; sharing++)
            out[sharing] = ops_boxtree_worst(row->axes, (ops_sharing)sharing);
    }
}

static void fill_table1(const table1_row *row, const mesh *m, table1_result *out)
{
    packed pack;
    volume_tree tree;
    *out = (table1_result){.mean = {NAN, NAN}};
    worst_case(row, out->worst);
    if (row->spec.kind == BVP_KIND_DEFAULT) {
        out->node_bytes = row->own_bytes;
        out->tri_bytes = row->own_bytes * (2 - 1 / (double)m->count);
        return;
    }
    bvp_file *file = NULL;
    if (packed_make(&pack, m, &row->spec, false))
        file = packed_open(&pack, row->spec.kind, BVP_TEST_DEFAULT);
    if (file == NULL || !volume_tree_read(&tree, file, row->spec.kind)) {
        snprintf(out->problem, sizeof out->problem, "%s", pack.problem);
        out->node_bytes = out->tri_bytes = NAN;
    } else {
        out->tri_bytes = packed_bytes(&pack);
        out->node_bytes = out->tri_bytes * (double)m->count / pack.info.node_count;
        out->mean[OPS_EACH] = mean_ops(&tree, row->spec.kind, row->axes, OPS_EACH);
        if (row->spec.kind == BVP_KIND_BOXTREE)
            out->mean[OPS_SHARED] = mean_ops(&tree, row->spec.kind, row->axes, OPS_SHARED);
        volume_tree_free(&tree);
    }
    bvp_close(file);
    packed_drop(&pack);
}

static void claim_memory(const table1_result *r)
{
    const double floats = fcl_is_there() ? (double)fcl_node_bytes(FCL_OBB, 4) : NAN;
    const double packed_ratio = r[OBB].node_bytes / r[BY_8_BIT].node_bytes;
    const double float_ratio = fmax(floats, 64) / r[BY_ALIGNED].node_bytes;
    claim memory = {.text = "boxtrees need about 7 times less memory than OBB trees",
                    .figure = "9 against 64 bytes a node, of floats"};
    claim quantised = {.text = "that is so for the smallest nodes of both kinds, too",
                       .figure = "\"arguably the least possible amount of memory\""};
    memory.verdict = verdict_of(float_ratio >= 6.3);
    snprintf(memory.ours, sizeof memory.ours,
             "a restricted boxtree's node with its plane as a float takes %.1f bytes: %.1f times "
             "less than an OBB's",
             r[BY_ALIGNED].node_bytes, float_ratio);
    snprintf(memory.control, sizeof memory.control,
             "FCL's node of an OBB tree of floats takes %.0f bytes (nan: no FCL; then the paper's "
             "64 count), of doubles %.0f",
             floats, (double)fcl_node_bytes(FCL_OBB, 8));
    quantised.verdict = verdict_of(packed_ratio >= 6.3);
    snprintf(quantised.ours, sizeof quantised.ours,
             "boxtree with an 8-bit plane %.1f bytes a node, OBB %.1f: %.1f times",
             r[BY_8_BIT].node_bytes, r[OBB].node_bytes, packed_ratio);
    snprintf(quantised.control, sizeof quantised.control,
             "quantising takes an OBB from %.0f to %.1f bytes, a boxtree's node from %.1f to %.1f, "
             "of the same mesh",
             floats, r[OBB].node_bytes, r[BY_ALIGNED].node_bytes, r[BY_8_BIT].node_bytes);
    tell(&memory, "boxtree_table1.csv");
    tell(&quantised, "boxtree_table1.csv");
}

static void claim_ops(const table1_result *r)
{
    claim ops = {.text = "a pair of boxtree nodes takes 12, 24 or 82 operations, an OBB's 243",
                 .figure = "12 / 24 / 82 / 243 in the worst case"};
    const table1_result *a = &r[BY_ALIGNED], *l = &r[BY_LITE], *s = &r[BY_SAT];
    ops.verdict = verdict_of(a->worst[0] <= 12 && l->worst[0] <= 24 && s->worst[0] <= 82 &&
                             r[OBB].worst[0] <= 243);
    snprintf(ops.ours, sizeof ops.ours, "%.0f / %.0f / %.0f / %.0f counted", a->worst[0],
             l->worst[0], s->worst[0], r[OBB].worst[0]);
    snprintf(ops.control, sizeof ops.control,
             "executed on real pairs, with early exits, %.1f / %.1f / %.1f / %.1f; of boxes that "
             "choose their sides freely %.1f / %.1f / %.1f",
             a->mean[0], l->mean[0], s->mean[0], r[OBB].mean[0], r[FREE_ALIGNED].mean[0],
             r[FREE_LITE].mean[0], r[FREE_SAT].mean[0]);
    tell(&ops, "boxtree_table1.csv");
}

/* With section 3.3: operations without it over those with it. */
static void saved_operations(const table1_result *r, counted_saving *out)
{
    for (int k = 0; k < 3; k++) {
        out->worst[k] = r[BY_ALIGNED + k].worst[OPS_EACH] / r[BY_ALIGNED + k].worst[OPS_SHARED];
        out->mean[k] = r[BY_ALIGNED + k].mean[OPS_EACH] / r[BY_ALIGNED + k].mean[OPS_SHARED];
    }
}

static void table1(const setup *setup, counted_saving *saving)
{
    mesh m;
    table1_result results[TABLE1_ROWS];
    if (!setup_model(setup, "cycloidal", &m))
        return;
    table_begin("boxtree_table1", "Table 1: bytes of a node, operations of a pair of nodes",
                "hierarchy|bytes a node, paper|operations, paper|#bytes a node|#bytes a triangle, "
                "leaves of 1|#operations, worst case|#with 3.3|#mean of real pairs|#with 3.3");
    for (int k = 0; k < TABLE1_ROWS; k++) {
        const table1_row *row = &table1_rows[k];
        table1_result *r = &results[k];
        fill_table1(row, &m, r);
        if (r->problem[0] != '\0')
            table_row("%s|%d|%d|not measured: %s|||||", row->name, row->paper_bytes, row->paper_ops,
                      r->problem);
        else
            table_row("%s|%d|%d|%.1f|%.1f|%.0f|%.1f|%.1f|%.1f", row->name, row->paper_bytes,
                      row->paper_ops, r->node_bytes, r->tri_bytes, r->worst[0], r->worst[1],
                      r->mean[0], r->mean[1]);
    }
    table_end();
    report_text(
        "Model: cycloidal, %llu triangles. Ours are all bytes of the hierarchy over its volumes, "
        "links included. 0: the paper has no such row; nan: there is nothing to share, or no walk. "
        "Restricted: the paper's own tree, both children of a node cut on one axis; free sides: "
        "one plane as well, but each child chooses its own side. Operations are counted by copies "
        "of the tests whose every addition, multiplication, magnitude and comparison goes through "
        "a counting function (ops.c): the worst case on two nodes whose four pairs of children "
        "overlap, one moved plane each; the mean on the pairs of %d traversals of two copies at "
        "distance 1.2 (objects of size 2), both nodes opened. With 3.3: each child's own work is "
        "done once for its pairs, counted as it runs. Signs of products that are fixed during a "
        "traversal are not counted, which is why 11 stand beside 12. An OBB's relative rotation is "
        "composed for each pair, an AABB's is prepared once.",
        (unsigned long long)m.count, WALKS);
    claim_memory(results);
    claim_ops(results);
    saved_operations(results, saving);
    mesh_free(&m);
}

/* ---- empty space: section 3.1 ---------------------------------------------------------------- */

/* Sums over the models; then of those that are smooth. */
typedef struct empty_sums {
    double median, inner, sides, below_tenth;
    int count;
} empty_sums;

static double share_below(const double *sorted, uint32_t count, double limit)
{
    uint32_t below = 0;
    while (below < count && sorted[below] <= limit)
        below++;
    return 100.0 * below / count;
}

static void empty_row(const mesh *m, empty_sums *sums)
{
    packed pack;
    volume_tree tree;
    bvp_file *file = NULL;
    if (packed_make(&pack, m, &candidate_aabb_paper.spec, false))
        file = packed_open(&pack, BVP_KIND_AABB, BVP_TEST_DEFAULT);
    if (file == NULL || !volume_tree_read(&tree, file, BVP_KIND_AABB)) {
        table_row("%s|%llu|not measured: %s||||||", m->name, (unsigned long long)m->count,
                  pack.problem);
    } else {
        uint32_t usable, inner_count;
        double *shares = volume_tree_empty(&tree, false, &usable);
        double *inner = volume_tree_empty(&tree, true, &inner_count);
        const double sides = volume_tree_shared_sides(&tree);
        const double below = share_below(shares, usable, 0.1);
        table_row("%s|%llu|%.1f|%.1f|%.1f|%.1f|%.1f|%.1f|%.2f", m->name,
                  (unsigned long long)m->count, 100 * shares[usable / 4], 100 * shares[usable / 2],
                  100 * shares[usable * 3 / 4], below, 100.0 * (tree.count - usable) / tree.count,
                  100 * inner[inner_count / 2], sides);
        sums->median += 100 * shares[usable / 2];
        sums->inner += 100 * inner[inner_count / 2];
        sums->sides += sides;
        sums->below_tenth += below;
        sums->count++;
        free(inner);
        free(shares);
        volume_tree_free(&tree);
    }
    bvp_close(file);
    packed_drop(&pack);
}

static void claim_empty(const empty_sums *cad, const empty_sums *smooth)
{
    claim space = {.text =
                       "half of an AABB tree's nodes leave about 10 % of their parent's box empty",
                   .figure = "about 10 % (three objects)"};
    claim sides = {.text = "a box touches its parent's on three sides on average",
                   .figure = "3 of 6 sides"};
    space.verdict = verdict_of(cad->below_tenth / cad->count >= 40);
    snprintf(space.ours, sizeof space.ours,
             "%.0f %% of the nodes leave at most 10 %%; the median leaves %.1f %%; means of %d CAD "
             "models",
             cad->below_tenth / cad->count, cad->median / cad->count, cad->count);
    snprintf(space.control, sizeof space.control,
             "of inner nodes alone, without the boxes of single triangles, the median is %.1f %%; "
             "of a sphere and a torus, whose triangles are even, %.1f %%, of inner nodes %.1f %%",
             cad->inner / cad->count, smooth->median / smooth->count,
             smooth->inner / smooth->count);
    sides.verdict = verdict_of(fabs(cad->sides / cad->count - 3) < 0.3);
    snprintf(sides.ours, sizeof sides.ours, "%.2f sides, mean of %d CAD models",
             cad->sides / cad->count, cad->count);
    snprintf(sides.control, sizeof sides.control, "%.2f of a sphere and a torus",
             smooth->sides / smooth->count);
    tell(&space, "boxtree_empty.csv");
    tell(&sides, "boxtree_empty.csv");
}

static void empty_space(const setup *setup)
{
    static const char *const models[] = {"cycloidal", "link_3", "counter", "featuretype",
                                         "unitree_r1"};
    empty_sums cad = {.count = 0}, smooth = {.count = 0};
    mesh m;
    table_begin(
        "boxtree_empty", "Section 3.1: empty space between a node's box and its parent's",
        "model|triangles|#first quartile, %|#median, %|#third quartile, %|#nodes that leave "
        "at most 10 %, %|#boxes without volume, %|#median of inner nodes, %|#sides shared "
        "with the parent");
    for (int k = 0; k < 5; k++)
        if (setup_model(setup, models[k], &m)) {
            empty_row(&m, &cad);
            mesh_free(&m);
        }
    mesh_sphere(&m, 40000, 1);
    empty_row(&m, &smooth);
    mesh_free(&m);
    mesh_torus(&m, 40000, 0.7, 0.3);
    empty_row(&m, &smooth);
    mesh_free(&m);
    table_end();
    report_text("The side at which the parent was split is left out, as in the paper; AABB tree, "
                "midpoint split, leaves of 1.");
    if (cad.count > 0)
        claim_empty(&cad, &smooth);
}

void papers_boxtree(const setup *setup)
{
    counted_saving saving = {.worst = {NAN, NAN, NAN}, .mean = {NAN, NAN, NAN}};
    report_heading("BoxTree: Zachmann, Minimal hierarchical collision detection, 2002");
    table1(setup, &saving);
    boxtree_building(setup);
    boxtree_overlap_tests(setup);
    boxtree_descents(setup, &saving);
    empty_space(setup);
    if (setup->is_check)
        return;
    boxtree_against_dops(setup);
    boxtree_construction(setup);
}
