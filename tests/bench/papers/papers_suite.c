/* SPDX-License-Identifier: MIT
 * papers_suite.c: candidates made ready.
 */
#include "papers_suite.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const candidate candidate_wide = {"wide", {.kind = BVP_KIND_WIDE, .leaf_size = 8}, 0};
const candidate candidate_restricted = {"restricted boxtree, leaf 1",
                                        {.kind = BVP_KIND_BOXTREE,
                                         .leaf_size = 1,
                                         .split = BVP_SPLIT_RESTRICTED,
                                         .plane_max = 1,
                                         .offset_size = 4},
                                        BVP_TEST_SAT_LITE};
const candidate candidate_free = {"boxtree, free sides, leaf 1",
                                  {BVP_KIND_BOXTREE, 1, BVP_SPLIT_VOLUME, 1, 4, BVP_FIT_DEFAULT},
                                  BVP_TEST_SAT_LITE};
const candidate candidate_boxtree_best = {
    "boxtree, 3 planes 8 bit, leaf 8",
    {BVP_KIND_BOXTREE, 8, BVP_SPLIT_DEFAULT, 3, 1, BVP_FIT_DEFAULT},
    0};
const candidate candidate_aabb_paper = {
    "aabb, midpoint, leaf 1",
    {.kind = BVP_KIND_AABB, .leaf_size = 1, .split = BVP_SPLIT_MIDPOINT},
    BVP_TEST_SAT_LITE};
const candidate candidate_obb_paper = {
    "obb, hull, mean, leaf 1", {BVP_KIND_OBB, 1, BVP_SPLIT_MEAN, 0, 0, BVP_FIT_HULL}, BVP_TEST_SAT};

bool setup_model(const setup *setup, const char *name, mesh *out)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s.bvp", setup->models, name);
    if (mesh_load(out, path, name, 2))
        return true;
    report_text("Model %s is not there (it lies in the folder of test data).", name);
    return false;
}

uint64_t setup_count(const setup *setup, uint64_t wanted)
{
    return (uint64_t)((double)wanted * fmin(1, setup->effort));
}

int setup_poses(const setup *setup, int wanted)
{
    return (int)fmax(1, wanted * setup->effort);
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* What the library says when it can't answer; empty: it can. */
static void try_out(const subject *s, char problem[300])
{
    double far_away[12];
    pose_shift(0.1, 0.2, 100, far_away);
    const bvp_body a = {.file = s->a, .part = 0},
                   b = {.file = s->b, .part = 0, .placement = far_away};
    bvp_distance_result near;
    int hit;
    bvp_status status = bvp_collide(&a, &b, &hit, NULL);
    if (status == BVP_OK)
        status = bvp_distance(&a, &b, INFINITY, &near, NULL);
    if (status != BVP_OK)
        snprintf(problem, 300, "queries answer %s", bvp_status_name(status));
}

static int find_pack(const suite *s, const candidate *candidates, int k)
{
    for (int earlier = 0; earlier < k; earlier++)
        if (memcmp(&candidates[earlier].spec, &candidates[k].spec, sizeof candidates[k].spec) == 0)
            return s->pack_of[earlier];
    return k;
}

static void open_candidate(suite *s, const candidate *c, int k, packed *pack_b)
{
    packed *pack = &s->packs[s->pack_of[k]];
    bvp_file *a = packed_open(pack, c->spec.kind, c->test);
    bvp_file *b = pack_b == NULL ? a : packed_open(pack_b, c->spec.kind, c->test);
    subject made = subject_of_file(c->name, a, b);
    if (a == NULL || b == NULL)
        snprintf(s->problem[k], sizeof s->problem[k], "%s",
                 a == NULL ? pack->problem : pack_b->problem);
    else
        try_out(&made, s->problem[k]);
    if (s->problem[k][0] != '\0') {
        fprintf(stderr, "   not measured: %s: %s\n", c->name, s->problem[k]);
        subject_close(&made);
        return;
    }
    s->subject_of[k] = s->subject_count;
    s->subjects[s->subject_count++] = made;
}

void suite_open(suite *s, const candidate *candidates, int count, const mesh *a, const mesh *b)
{
    memset(s, 0, sizeof *s);
    s->count = count;
    for (int k = 0; k < count; k++) {
        packed other = {.fd = -1};
        s->subject_of[k] = -1;
        s->packs[k].fd = -1;
        s->pack_of[k] = find_pack(s, candidates, k);
        if (s->pack_of[k] == k)
            packed_make(&s->packs[k], a, &candidates[k].spec, false);
        if (b != NULL && b != a)
            packed_make(&other, b, &candidates[k].spec, false);
        open_candidate(s, &candidates[k], k, b != NULL && b != a ? &other : NULL);
        packed_drop(&other);
    }
}

void suite_add_base(suite *s, const char *name, const base_tree *a, const base_tree *b,
                    uint64_t (*pairs)(const base_tree *, const base_tree *, const double *, bool,
                                      bvp_stats *))
{
    subject *added = &s->subjects[s->subject_count];
    *added = (subject){.base_a = a, .base_b = b, .base_pairs = pairs};
    snprintf(added->name, sizeof added->name, "%s", name);
    s->subject_of[s->count] = s->subject_count++;
    s->pack_of[s->count] = s->count;
    s->packs[s->count++].fd = -1;
}

static void add_fcl(suite *s, fcl_kind kind, const char *name, const mesh *a, const mesh *b)
{
    subject *added = &s->subjects[s->subject_count];
    double unused;
    *added = (subject){.fcl_a = fcl_tree_build(kind, a->tri, a->count, &s->fcl_seconds[kind])};
    s->fcl[s->fcl_count++] = (fcl_tree *)added->fcl_a;
    added->fcl_b = added->fcl_a;
    if (b != NULL && b != a) {
        added->fcl_b = fcl_tree_build(kind, b->tri, b->count, &unused);
        s->fcl[s->fcl_count++] = (fcl_tree *)added->fcl_b;
    }
    snprintf(added->name, sizeof added->name, "%s", name);
    s->subject_of[s->count] = s->subject_count++;
    s->pack_of[s->count] = s->count;
    s->packs[s->count++].fd = -1;
}

bool suite_add_fcl(suite *s, const mesh *a, const mesh *b)
{
    if (!fcl_is_there()) {
        report_text("FCL is not there: its rows are left out.");
        return false;
    }
    add_fcl(s, FCL_OBB, "FCL OBB", a, b);
    add_fcl(s, FCL_OBBRSS, "FCL OBBRSS", a, b);
    return true;
}

void suite_close(suite *s)
{
    for (int k = 0; k < s->fcl_count; k++)
        fcl_tree_free(s->fcl[k]);
    for (int k = 0; k < s->subject_count; k++)
        subject_close(&s->subjects[k]);
    for (int k = 0; k < s->count; k++)
        packed_drop(&s->packs[k]);
}

const subject *suite_subject(const suite *s, int candidate)
{
    return candidate >= s->count || s->subject_of[candidate] < 0
               ? NULL
               : &s->subjects[s->subject_of[candidate]];
}

const packed *suite_pack(const suite *s, int candidate)
{
    const packed *pack = &s->packs[s->pack_of[candidate]];
    return pack->fd < 0 ? NULL : pack;
}

double suite_boxes(const suite *s, int candidate, int placements)
{
    const subject *r = suite_subject(s, candidate);
    return r == NULL ? NAN : (double)r->stats.boxes / placements;
}

double suite_triangles(const suite *s, int candidate, int placements)
{
    const subject *r = suite_subject(s, candidate);
    return r == NULL ? NAN : (double)r->stats.triangles / placements;
}

double suite_us(const suite *s, int candidate)
{
    const subject *r = suite_subject(s, candidate);
    return r == NULL ? NAN : 1e6 * r->seconds;
}

/* ---- placements ------------------------------------------------------------------------------ */

double *tumble_placements(double distance, int count)
{
    double *out = scene_allocate((size_t)count * 12 * sizeof *out);
    for (int k = 0; k < count; k++) {
        const double turn = fmod((k + 0.5) * 0.6180339887498949, 1);
        pose_tumble(distance, (int)(turn * 5000), 5000, out + 12 * k);
    }
    return out;
}

static double share_colliding(const suite *s, const double *placements, int count)
{
    int hits = 0;
    for (int k = 0; k < count; k++) {
        const bvp_body a = {.file = s->subjects[0].a, .part = 0},
                       b = {.file = s->subjects[0].b, .part = 0, .placement = placements + 12 * k};
        int hit = 0;
        bvp_collide(&a, &b, &hit, NULL);
        hits += hit;
    }
    return (double)hits / count;
}

static void fill_random(double reach, int count, double *out)
{
    uint64_t seed = 1;
    for (int k = 0; k < count; k++)
        pose_random(&seed, reach, out + 12 * k);
}

double *random_placements(const mesh *a, const mesh *b, int count, double share)
{
    enum { TRIALS = 400 };
    double *out = scene_allocate((size_t)(count > TRIALS ? count : TRIALS) * 12 * sizeof *out);
    double lo = 0.1, hi = 20;
    suite s;
    suite_open(&s, &candidate_wide, 1, a, b);
    for (int step = 0; step < 12; step++) {
        const double middle = sqrt(lo * hi);
        fill_random(middle, TRIALS, out);
        *(share_colliding(&s, out, TRIALS) > share ? &lo : &hi) = middle;
    }
    suite_close(&s);
    fill_random(sqrt(lo * hi), count, out);
    return out;
}
