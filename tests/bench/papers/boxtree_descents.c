/* SPDX-License-Identifier: MIT
 * boxtree_descents.c: sections 3.3 and 3.2.2 of Zachmann 2002 as the library runs them: both nodes
 * of a pair opened beside the larger one, and products from tables beside multiplications.
 */
#include "boxtree_parts.h"
#include "ops.h"
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

/* ---- section 3.3: which nodes of a pair are opened ------------------------------------------- */

enum { ALIGNED, LITE, SAT, TESTS };
static const char *const test_names[TESTS] = {"aligned", "SAT lite", "SAT"};
static const bvp_box_test larger_first[TESTS] = {BVP_TEST_ALIGNED, BVP_TEST_SAT_LITE, BVP_TEST_SAT};
static const bvp_box_test both[TESTS] = {BVP_TEST_FOUR_ALIGNED, BVP_TEST_FOUR_SAT_LITE,
                                         BVP_TEST_FOUR_SAT};

/* Of a query by one test; [0]: the larger node is opened, [1]: both are. */
typedef struct descent {
    double boxes[2], work[2], us[2];
} descent;

static void descents_form(const setup *setup, const mesh *m, const candidate *form,
                          descent out[TESTS])
{
    static const double distances[2] = {1.4, 1.7};
    const int count = setup_poses(setup, 3);
    candidate candidates[2 * TESTS];
    suite s;
    double spread = 0;
    for (int k = 0; k < 2 * TESTS; k++) {
        candidates[k] = *form;
        candidates[k].name = test_names[k / 2];
        candidates[k].test = k % 2 ? both[k / 2] : larger_first[k / 2];
    }
    suite_open(&s, candidates, 2 * TESTS, m, NULL);
    memset(out, 0, TESTS * sizeof *out);
    for (int d = 0; d < 2; d++) {
        double *poses = tumble_placements(distances[d], count);
        measure(s.subjects, s.subject_count, ASK_PAIRS, poses, count, ROUNDS);
        for (int k = 0; k < 2 * TESTS; k++) {
            descent *to = &out[k / 2];
            const subject *r = suite_subject(&s, k);
            /* both children of a node that is opened are made ready, and both roots */
            to->work[k % 2] +=
                r == NULL ? NAN : 0.5 * (2 * (double)r->stats.nodes / (double)count + 2);
            to->boxes[k % 2] += 0.5 * suite_boxes(&s, k, count);
            to->us[k % 2] += 0.5 * suite_us(&s, k);
        }
        spread = fmax(spread, measure_spread(s.subjects, s.subject_count));
        free(poses);
    }
    for (int k = 0; k < TESTS; k++)
        table_row("%s|%s|%.0f|%.0f|%.0f|%.0f|%.1f|%.1f|%.2f|%.0f", form->name, test_names[k],
                  out[k].boxes[0], out[k].work[0], out[k].boxes[1], out[k].work[1], out[k].us[0],
                  out[k].us[1], out[k].us[1] / out[k].us[0], spread);
    suite_close(&s);
}

static void claim_sharing(const descent *paper, const descent *best, const counted_saving *counted)
{
    claim sharing = {.text =
                         "doing a child's own work once (section 3.3) saves a factor of about 2",
                     .figure = "about 2; aligned: 1.5 + 2 + 5 operations instead of 12"};
    const descent *a = &paper[ALIGNED], *l = &paper[LITE], *s = &paper[SAT];
    sharing.verdict = verdict_of(a->us[0] / a->us[1] >= 1.7);
    snprintf(sharing.ours, sizeof sharing.ours,
             "the library's own descent of both nodes, aligned / SAT lite / SAT, paper's tree: "
             "%.2f / %.2f / %.2f nodes' work a pair (4 for 4, without it 8), %.1f / %.1f / %.1f ns "
             "a pair, leaves included; it takes %.2f / %.2f / %.2f of the time of opening the "
             "larger node, which does 6 for the same 4 but ends earlier",
             a->work[1] / a->boxes[1], l->work[1] / l->boxes[1], s->work[1] / s->boxes[1],
             1e3 * a->us[1] / a->boxes[1], 1e3 * l->us[1] / l->boxes[1],
             1e3 * s->us[1] / s->boxes[1], a->us[1] / a->us[0], l->us[1] / l->us[0],
             s->us[1] / s->us[0]);
    snprintf(sharing.control, sizeof sharing.control,
             "nodes' work of both opened over the larger one's %.2f / %.2f / %.2f, ns a pair of "
             "the latter %.1f / %.1f / %.1f; three 8-bit planes and leaves of 8 %.2f / %.2f / %.2f "
             "of its time; counted operations (ops.c) without it over with it, worst case %.2f / "
             "%.2f / %.2f, real pairs %.2f / %.2f / %.2f",
             a->work[1] / a->work[0], l->work[1] / l->work[0], s->work[1] / s->work[0],
             1e3 * a->us[0] / a->boxes[0], 1e3 * l->us[0] / l->boxes[0],
             1e3 * s->us[0] / s->boxes[0], best[ALIGNED].us[1] / best[ALIGNED].us[0],
             best[LITE].us[1] / best[LITE].us[0], best[SAT].us[1] / best[SAT].us[0],
             counted->worst[0], counted->worst[1], counted->worst[2], counted->mean[0],
             counted->mean[1], counted->mean[2]);
    tell(&sharing, "boxtree_descents.csv");
}

static void descents(const setup *setup, const counted_saving *counted)
{
    descent paper[TESTS], other[TESTS], best[TESTS];
    mesh m;
    if (!setup_model(setup, "cycloidal", &m))
        return;
    table_begin("boxtree_descents",
                "Section 3.3: the larger node of a pair is opened, or both, cycloidal",
                "hierarchy|test|#larger: box tests a query|#nodes' work|#both: box tests "
                "a query|#nodes' work|larger, us|both, us|both over larger|spread of times, %");
    descents_form(setup, &m, &candidate_restricted, paper);
    descents_form(setup, &m, &candidate_free, other);
    descents_form(setup, &m, &candidate_boxtree_best, best);
    table_end();
    report_text(
        "All pairs of touching triangles of two copies, %d placements each at distances 1.4 "
        "and 1.7. Both: the paper's own descent in the library (four-aligned, "
        "four-sat-lite, four-sat), its test between boxes at leaves, too. Nodes' work: how "
        "often a node's volume was made ready, as it ran: both children of each node "
        "opened, and the roots. All six walks are wide.",
        setup_poses(setup, 3));
    if (!setup->is_check)
        claim_sharing(paper, best, counted);
    mesh_free(&m);
}

/* ---- section 3.2.2: lookup tables ------------------------------------------------------------ */

enum { LOOKUP_SIZES = 4, LOOKUP_TESTS = 4 };
static const bvp_box_test lookup_tests[LOOKUP_TESTS] = {
    BVP_TEST_ALIGNED, BVP_TEST_LOOKUP, BVP_TEST_FOUR_ALIGNED, BVP_TEST_FOUR_LOOKUP};

typedef struct lookup_result {
    double triangles[LOOKUP_SIZES], spread[LOOKUP_SIZES];
    double gain[2][LOOKUP_SIZES]; /* the larger node opened; both */
    double far_apart[2];          /* ns of a query of two far apart: aligned, lookup */
} lookup_result;

static void lookup_row(const setup *setup, const mesh *m, int at, lookup_result *out)
{
    candidate candidates[LOOKUP_TESTS];
    const int count = setup_poses(setup, 100);
    suite s;
    for (int k = 0; k < LOOKUP_TESTS; k++) {
        candidates[k] = candidate_free;
        candidates[k].spec.offset_size = 1;
        candidates[k].test = lookup_tests[k];
    }
    suite_open(&s, candidates, LOOKUP_TESTS, m, NULL);
    double *poses = tumble_placements(1.7, count), far_away[12];
    pose_shift(50, 0, 0, far_away);
    measure(s.subjects, s.subject_count, ASK_COLLIDE, poses, count, ROUNDS_MAX);
    double us[LOOKUP_TESTS];
    for (int k = 0; k < LOOKUP_TESTS; k++)
        us[k] = suite_us(&s, k);
    out->triangles[at] = (double)m->count;
    for (int k = 0; k < 2; k++)
        out->gain[k][at] = 100 * (us[2 * k] / us[2 * k + 1] - 1);
    out->spread[at] = measure_spread(s.subjects, s.subject_count);
    double *apart = scene_allocate(1000 * sizeof far_away);
    for (int k = 0; k < 1000; k++)
        memcpy(apart + 12 * k, far_away, sizeof far_away);
    measure(s.subjects, 2, ASK_COLLIDE, apart, 1000, ROUNDS_MAX);
    for (int k = 0; k < 2; k++)
        out->far_apart[k] = 1e3 * suite_us(&s, k);
    table_row("%s|%llu|%.2f|%.2f|%.1f|%.2f|%.2f|%.1f|%.1f|%.0f|%.0f", m->name,
              (unsigned long long)m->count, us[0], us[1], out->gain[0][at], us[2], us[3],
              out->gain[1][at], out->spread[at], out->far_apart[0], out->far_apart[1]);
    free(apart);
    free(poses);
    suite_close(&s);
}

static void lookup_tables(const setup *setup)
{
    static const uint64_t sizes[LOOKUP_SIZES - 1] = {1000, 10000, 100000};
    claim gains = {.text = "lookup tables gain up to 8 %, and lose where there are few polygons",
                   .figure = "<= 8 %, slower when small"};
    lookup_result r = {.spread = {0}};
    mesh m;
    table_begin("boxtree_lookup", "Lookup tables: one plane of 8 bits, leaves of 1, distance 1.7",
                "object|triangles|aligned, us|lookup, us|gain, %|four-aligned, us|four-lookup, "
                "us|gain, %|spread of times, %|far apart: aligned, ns|lookup, ns");
    for (int k = 0; k < LOOKUP_SIZES - 1; k++) {
        mesh_torus(&m, sizes[k], 0.7, 0.3);
        lookup_row(setup, &m, k, &r);
        mesh_free(&m);
    }
    const bool is_there = setup_model(setup, "cycloidal", &m);
    if (is_there) {
        lookup_row(setup, &m, LOOKUP_SIZES - 1, &r);
        mesh_free(&m);
    }
    table_end();
    report_text(
        "Boolean queries, %d placements. A table's row holds the products of an offset with "
        "b's axis, along the three axes of a: a side's move is a load, an addition to the "
        "exponents for the offset's unit, a mask and an addition, without one a conversion, "
        "a multiplication and an addition. Both wide.",
        setup_poses(setup, 100));
    const int last = is_there ? LOOKUP_SIZES - 1 : LOOKUP_SIZES - 2;
    double most = -INFINITY;
    for (int k = 0; k < 2; k++)
        most = fmax(most, fmax(r.gain[k][LOOKUP_SIZES - 2], r.gain[k][last]));
    const double noise = fmax(r.spread[LOOKUP_SIZES - 2], r.spread[last]);
    gains.verdict = verdict_of(most > noise && most <= 8 && r.gain[0][0] < 0 && r.gain[1][0] < 0);
    snprintf(gains.ours, sizeof gains.ours,
             "the larger node opened / both: %+.1f / %+.1f %% at %.0f triangles, %+.1f / %+.1f %% "
             "at %.0f, %+.1f / %+.1f %% at %.0f, %+.1f / %+.1f %% of the part of %.0f; half of the "
             "range of the rounds is up to %.1f %%",
             r.gain[0][0], r.gain[1][0], r.triangles[0], r.gain[0][1], r.gain[1][1], r.triangles[1],
             r.gain[0][2], r.gain[1][2], r.triangles[2], r.gain[0][last], r.gain[1][last],
             r.triangles[last], noise);
    snprintf(gains.control, sizeof gains.control,
             "two bodies far apart, which ends at the roots, take %.0f ns with multiplications and "
             "%.0f ns with tables: what filling the tables costs; a table saves 3 of a pair's %.0f "
             "scalar operations, of a wide one 1",
             r.far_apart[0], r.far_apart[1], ops_boxtree_worst(OPS_ALIGNED, OPS_EACH));
    tell(&gains, "boxtree_lookup.csv");
}

void boxtree_descents(const setup *setup, const counted_saving *counted)
{
    descents(setup, counted);
    if (!setup->is_check)
        lookup_tables(setup);
}
