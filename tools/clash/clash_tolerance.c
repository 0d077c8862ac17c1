/* SPDX-License-Identifier: MIT
 * clash_tolerance.c: what the triangles of two instances leave open.
 *
 * A part's tolerance is a property of its nodes, in the part's own units: placements may enlarge
 * it. All that is rounded goes up, so that a gap is never less than the triangles' errors.
 */
#include "clash/clash_tolerance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/quality_keys.h"
#include "text/message.h"

/* A pair that touches is settled when it leaves open so much less than the run. */
static const double settled_at = 1. / 60;

/* The most by which a placement stretches: of similarities, which nearly all are, without more. */
static double stretch_of(const double m[12])
{
    double all = 0, most = 0, across = 0;
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            const double dot = m[i] * m[k] + m[4 + i] * m[4 + k] + m[8 + i] * m[8 + k];
            all += i == k ? dot : 0;
            most = i == k ? fmax(most, dot) : most;
            across = i == k ? across : fmax(across, fabs(dot));
        }
    const int is_similar = across <= 1e-9 * most;
    return sqrt(is_similar ? most : all) * (1 + 1e-6);
}

static int take_number(void *user, bvp_string value)
{
    char text[40], *end;
    if (value.size == 0 || value.size >= sizeof text)
        return 0;
    memcpy(text, value.data, value.size);
    text[value.size] = '\0';
    const double number = strtod(text, &end);
    if (*end != '\0' || !isfinite(number) || number < 0)
        return 0;
    *(double *)user = number;
    return 1;
}

static int read_tree(clash_tolerance *t, int side, const instance_tree *tree, double scale)
{
    bvp_instance_info info;
    t->otherwise[side] = scale * tree->info.tessellation_tolerance;
    for (uint32_t i = 0; i < tree->info.instance_count; i++) {
        double number;
        if (!instance_tree_property_of(tree, i, TOLERANCE_KEY, take_number, &number) ||
            bvp_get_instance(tree->file, i, &info) != BVP_OK)
            continue;
        if (!t->of[side]) { /* few formats say it */
            t->of[side] = malloc(((size_t)tree->info.instance_count + 1) * sizeof *t->of[side]);
            if (!t->of[side])
                return complain_memory();
            for (uint32_t k = 0; k < tree->info.instance_count; k++)
                t->of[side][k] = (float)(t->otherwise[side] * (1 + 0x1p-20));
        }
        t->of[side][i] = (float)(number * stretch_of(info.placement) * scale * (1 + 0x1p-20));
    }
    return 0;
}

int clash_tolerance_open(clash_tolerance *t, const instance_tree *a, const instance_tree *b,
                         double scale_b, double gap)
{
    int code = read_tree(t, 0, a, 1);
    t->gap = gap;
    t->coordinates = bvp_clash_coordinate_gap(a->file, NULL);
    if (a == b) {
        t->of[1] = t->of[0];
        t->otherwise[1] = t->otherwise[0];
    } else if (code == 0) {
        code = read_tree(t, 1, b, scale_b);
        t->coordinates = fmax(t->coordinates, scale_b * bvp_clash_coordinate_gap(b->file, NULL));
    }
    return code;
}

void clash_tolerance_close(clash_tolerance *t)
{
    if (t->of[1] != t->of[0])
        free(t->of[1]);
    free(t->of[0]);
    memset(t, 0, sizeof *t);
}

int clash_tolerance_decides(const clash_tolerance *t)
{
    return (t->of[0] || t->of[1]) && (t->sets_touch || t->sets_overlap);
}

double clash_tolerance_of(const clash_tolerance *t, int side, uint32_t instance)
{
    return t->of[side] ? (double)t->of[side][instance] : t->otherwise[side];
}

static double of_triangles(const clash_tolerance *t, uint32_t a, uint32_t b)
{
    return clash_tolerance_of(t, 0, a) + clash_tolerance_of(t, 1, b);
}

double clash_tolerance_gap(const clash_tolerance *t, uint32_t a, uint32_t b)
{
    return fmin(t->gap, fmax(t->coordinates, of_triangles(t, a, b)));
}

const char *clash_tolerance_settled(const clash_tolerance *t, const bvp_clash_pair *pair)
{
    const bvp_verdict verdict = pair->verdict;
    const int is_apart = verdict == BVP_VERDICT_WITHIN, touches = verdict == BVP_VERDICT_TOUCHING;
    if (!clash_tolerance_decides(t) || t->gap <= t->coordinates)
        return "";
    const double left = clash_tolerance_gap(t, pair->a, pair->b);
    if (pair->limits.touch_gap != left || pair->limits.overlap != left)
        return "";
    if (!touches && !(is_apart && pair->distance <= t->gap) &&
        !(verdict == BVP_VERDICT_PENETRATING && pair->depth <= t->gap))
        return "";
    if (of_triangles(t, pair->a, pair->b) <= 0)
        return "exact";
    return touches && left > settled_at * t->gap ? "no" : "finer mesh";
}
