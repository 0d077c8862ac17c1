/* SPDX-License-Identifier: MIT
 * suggest_rules.c: tries what the sets would take away, and measures which of the rest are fits.
 *
 * Proposals may be wrong only to one side: what looks as it was meant stays if it can't be told. So
 * a depth that a fit allows stays below the shallowest pair of its products that is none, and each
 * pair of the rest is asked, in the order in which the rule file would be, whether a rule takes it.
 *
 * Held by tests/unit/test_suggest_rules.c.
 */
#include "suggest/suggest_rules.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/operand.h"
#include "rules/clash_rules.h"
#include "suggest/surface_fit.h"
#include "text/array.h"
#include "text/message.h"

enum { TRIED_OF_A_GROUP = 64 };
static const double facing_least = 0.9;
static const double flat_share = 0.01, round_share = 0.12; /* of the thickness */
static const double margin = 1.02; /* what is allowed, for the depth that was found */

/* ---- products ------------------------------------------------------------------------------ */

/* What selects the product of an instance in a rule. */
typedef struct product {
    bvp_string number; /* part number */
    uint32_t part, instance;
    int side;    /* first or second file */
    int is_path; /* several parts have this number, or it has none: only the path tells */
} product;

static int compare_strings(bvp_string a, bvp_string b)
{
    const int c = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return c ? c : (a.size > b.size) - (a.size < b.size);
}

static int compare_numbers(const void *x, const void *y)
{
    const product *a = x, *b = y;
    const int c = compare_strings(a->number, b->number);
    return c                    ? c
           : a->part != b->part ? (a->part > b->part) - (a->part < b->part)
                                : (a->instance > b->instance) - (a->instance < b->instance);
}

static int compare_instances(const void *x, const void *y)
{
    const product *a = x, *b = y;
    return (a->instance > b->instance) - (a->instance < b->instance);
}

/* The product of each instance; NULL: no memory. */
static product *read_products(const instance_tree *t, int side)
{
    const size_t count = t->info.instance_count;
    product *all = malloc((count + 1) * sizeof *all);
    for (uint32_t i = 0; all && i < count; i++) {
        bvp_instance_info info = {.part = BVP_NONE};
        bvp_get_instance(t->file, i, &info);
        all[i] = (product){.part = info.part, .instance = i, .side = side};
        all[i].number = instance_tree_part_number(t, instance_tree_node(t, i));
        all[i].is_path = all[i].number.size == 0;
    }
    if (!all)
        return NULL;
    qsort(all, count, sizeof *all, compare_numbers);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_strings(all[end].number, all[i].number) == 0;)
            end++;
        for (size_t k = i; k < end; k++)
            all[k].is_path |= all[i].part != all[end - 1].part;
    }
    qsort(all, count, sizeof *all, compare_instances);
    return all;
}

/* ---- pairs --------------------------------------------------------------------------------- */

typedef struct finding {
    const clash_found *found;
    const product *a, *b; /* the smaller one first */
    int is_taken;
} finding;

typedef struct search {
    const suggest_run *run;
    suggestion *s;
    product *products[2]; /* equal within one file */
    finding *findings;
    clash_rules measure; /* without rules: knows how thick instances are */
} search;

static int compare_products(const product *a, const product *b)
{
    if (a->is_path != b->is_path)
        return a->is_path - b->is_path;
    return a->is_path ? compare_instances(a, b) : compare_strings(a->number, b->number);
}

static int compare_findings(const void *x, const void *y)
{
    const finding *f = x, *g = y;
    int c = compare_products(f->a, g->a);
    c = c ? c : compare_products(f->b, g->b);
    c = c ? c : (f->found->depth > g->found->depth) - (f->found->depth < g->found->depth);
    return c ? c : memcmp(f->found->id, g->found->id, sizeof f->found->id);
}

static int start_findings(search *h)
{
    const suggest_run *run = h->run;
    const size_t count = run->kept->count;
    h->findings = malloc((count + 1) * sizeof *h->findings);
    h->products[0] = read_products(run->trees[0], 0);
    h->products[1] =
        run->trees[1] == run->trees[0] ? h->products[0] : read_products(run->trees[1], 1);
    if (!h->findings || !h->products[0] || !h->products[1])
        return complain_memory();
    for (size_t i = 0; i < count; i++) {
        const clash_found *f = &run->kept->items[i];
        const product *a = &h->products[0][f->a], *b = &h->products[1][f->b];
        /* within one file a rule matches either way round */
        const int turns = h->products[0] == h->products[1] && compare_products(a, b) > 0;
        h->findings[i] = (finding){f, turns ? b : a, turns ? a : b, 0};
    }
    qsort(h->findings, count, sizeof *h->findings, compare_findings);
    h->s->pair_count = count;
    return 0;
}

/* ---- fits ---------------------------------------------------------------------------------- */

static bvp_status body_of(const suggest_run *run, int side, uint32_t instance, double placement[12],
                          bvp_body *out)
{
    bvp_instance_info info;
    const bvp_status status = bvp_get_instance(run->trees[side]->file, instance, &info);
    if (status != BVP_OK)
        return status;
    if (side == 1 && run->placement_b)
        compose(run->placement_b, info.placement, placement);
    else
        memcpy(placement, info.placement, sizeof info.placement);
    *out = (bvp_body){.file = run->trees[side]->file, .part = info.part, .placement = placement};
    return BVP_OK;
}

/* Does the pair fit, as suggest_rules.h has it? */
static int is_fit(search *h, const clash_found *f)
{
    const suggest_run *run = h->run;
    double placements[2][12];
    bvp_body bodies[2];
    surface_fit fit;
    if (f->verdict != BVP_VERDICT_PENETRATING ||
        body_of(run, 0, f->a, placements[0], &bodies[0]) != BVP_OK ||
        body_of(run, 1, f->b, placements[1], &bodies[1]) != BVP_OK ||
        surface_fit_measure(bodies, run->limits->touch_gap, &fit) != BVP_OK || fit.area <= 0)
        return 0;
    const double thinner = fmin(clash_rules_thickness(&h->measure, 0, f->a),
                                clash_rules_thickness(&h->measure, 1, f->b));
    const double share = flat_share + (round_share - flat_share) * fit.turned;
    return fit.facing >= facing_least && f->depth <= share * thinner;
}

static int keep_selector(const search *h, const product *p, growing_text *out, int *is_path)
{
    const instance_tree *t = h->run->trees[p->side];
    growing_text path = {0};
    bvp_string text = p->number;
    int code = 0;
    *is_path = p->is_path;
    if (p->is_path) {
        code = instance_tree_path(t, instance_tree_node(t, p->instance), &path);
        text = (bvp_string){path.data, path.size};
    }
    /* a path has its backslashes doubled already */
    for (size_t i = 0; i < text.size && code == 0; i++) {
        const char c = text.data[i];
        const int is_special = c == '*' || c == '?' || c == '[' || (c == '\\' && !p->is_path);
        if (is_special)
            code = growing_text_add(out, "\\", 1);
        if (code == 0)
            code = growing_text_add(out, &c, 1);
    }
    growing_text_free(&path);
    return code ? complain_memory() : 0;
}

/* What to allow for fits up to `depth`: a little more, in three digits, but nothing that is `next`,
 * which is deeper. */
static double allowance(double depth, double next)
{
    const double digit = pow(10, floor(log10(depth * margin)) - 2);
    const double allow = ceil(depth * margin / digit) * digit;
    return allow < next ? allow : (depth + next) / 2;
}

/* Proposes what pairs first .. end - 1, which are of the same two products, allow. They come with
 * ascending depth. */
static int look_at_group(search *h, size_t first, size_t end)
{
    while (first < end && h->findings[first].found->verdict != BVP_VERDICT_PENETRATING)
        first++;
    size_t last =
        first; /* the one behind the deepest pair of the fits in front of the first other */
    const size_t count = end - first;
    const size_t tried = count < TRIED_OF_A_GROUP ? count : TRIED_OF_A_GROUP;
    assert(first <= end);
    for (size_t i = 0; i < tried; i++) {
        const size_t at = first + (tried < 2 ? 0 : i * (count - 1) / (tried - 1));
        if (!is_fit(h, h->findings[at].found))
            break;
        last = at + 1;
    }
    if (tried < count && last < end)
        return 0; /* not all were looked at, and some that were do not fit */
    const double next = last < end ? h->findings[last].found->depth : INFINITY;
    while (last > first && h->findings[last - 1].found->depth >= next)
        last--;
    if (last == first)
        return 0;
    const double depth = h->findings[last - 1].found->depth;
    suggested_fit fit = {
        .pair_count = last - first, .depth = depth, .allow = allowance(depth, next)};
    int code = keep_selector(h, h->findings[first].a, &fit.a, &fit.a_is_path);
    code = code ? code : keep_selector(h, h->findings[first].b, &fit.b, &fit.b_is_path);
    suggestion *s = h->s;
    if (code == 0 && array_grow(&s->fits, &s->fit_capacity, s->fit_count + 1, sizeof fit) != 0)
        code = complain_memory();
    if (code != 0) {
        growing_text_free(&fit.a);
        growing_text_free(&fit.b);
        return code;
    }
    s->fits[s->fit_count++] = fit;
    for (size_t i = first; i < last; i++)
        h->findings[i].is_taken = 1;
    return 0;
}

static int compare_fits(const void *x, const void *y)
{
    const suggested_fit *f = x, *g = y;
    if (f->pair_count != g->pair_count)
        return f->pair_count > g->pair_count ? -1 : 1;
    const int c = strcmp(f->a.data, g->a.data);
    return c ? c : strcmp(f->b.data, g->b.data);
}

static int find_fits(search *h)
{
    const size_t count = h->run->kept->count;
    int code = clash_rules_bind(&h->measure, h->run->trees[0], h->run->trees[1]);
    code = code ? code : clash_rules_measure(&h->measure);
    for (size_t i = 0, end; i < count && code == 0; i = end) {
        for (end = i + 1; end < count &&
                          compare_products(h->findings[end].a, h->findings[i].a) == 0 &&
                          compare_products(h->findings[end].b, h->findings[i].b) == 0;)
            end++;
        code = look_at_group(h, i, end);
    }
    if (code == 0 && h->s->fit_count > 0)
        qsort(h->s->fits, h->s->fit_count, sizeof *h->s->fits, compare_fits);
    return code;
}

/* ---- sets ---------------------------------------------------------------------------------- */

/* Would these rules take the pair away? *is_decided: one of them is for it. */
static int takes(clash_rules *rules, const suggest_run *run, const clash_found *f, int *is_decided)
{
    bvp_clash_limits limits = *run->limits;
    const int index = clash_rules_match(rules, f->a, f->b);
    *is_decided = index >= 0;
    if (index < 0)
        return 0;
    if (clash_rules_apply(rules, f->a, f->b, &limits))
        return 1;
    if (rules->rules[index].action != CLASH_ALLOW)
        return 0;
    return f->verdict == BVP_VERDICT_WITHIN || f->verdict == BVP_VERDICT_TOUCHING ||
           (f->verdict == BVP_VERDICT_PENETRATING && f->depth <= limits.overlap);
}

static int try_set(search *h, int set, uint8_t *is_decided)
{
    const suggest_run *run = h->run;
    clash_rules rules = {.limits = {NAN, NAN, NAN}, .scale_b = run->scale_b};
    int code = clash_rules_add_named(&rules, clash_rule_sets[set].name, run->info);
    code = code ? code : clash_rules_bind(&rules, run->trees[0], run->trees[1]);
    for (int is_counting = 0; is_counting < 2 && code == 0; is_counting++)
        for (size_t i = 0; i < run->kept->count; i++) {
            finding *f = &h->findings[i];
            int decided = 0;
            if (f->is_taken || is_decided[i])
                continue;
            const int is_taken = takes(&rules, run, f->found, &decided);
            if (!is_counting) {
                h->s->set_counts[set] += (uint64_t)is_taken;
            } else if (h->s->set_counts[set] > 0) { /* else it will not be in the file */
                f->is_taken = is_taken;
                is_decided[i] = (uint8_t)decided;
            }
        }
    clash_rules_free(&rules);
    return code;
}

static int try_sets(search *h)
{
    int count = 0, code = 0;
    while (clash_rule_sets[count].name)
        count++;
    uint8_t *is_decided = calloc(h->run->kept->count + 1, 1);
    h->s->set_counts = calloc((size_t)count + 1, sizeof *h->s->set_counts);
    if (!is_decided || !h->s->set_counts)
        code = complain_memory();
    for (int set = 0; set < count && code == 0; set++)
        code = try_set(h, set, is_decided);
    free(is_decided);
    return code;
}

/* ---- the whole ----------------------------------------------------------------------------- */

int suggest_find(suggestion *s, const suggest_run *run)
{
    search h = {.run = run, .s = s, .measure = {.scale_b = run->scale_b}};
    int code = start_findings(&h);
    code = code ? code : find_fits(&h);
    code = code ? code : try_sets(&h);
    for (size_t i = 0; i < run->kept->count && code == 0; i++) {
        s->taken_count += (uint64_t)h.findings[i].is_taken;
        s->stay_count +=
            !h.findings[i].is_taken && h.findings[i].found->verdict != BVP_VERDICT_TOUCHING;
    }
    clash_rules_free(&h.measure);
    if (h.products[1] != h.products[0])
        free(h.products[1]);
    free(h.products[0]);
    free(h.findings);
    return code;
}

void suggest_free(suggestion *s)
{
    for (size_t i = 0; i < s->fit_count; i++) {
        growing_text_free(&s->fits[i].a);
        growing_text_free(&s->fits[i].b);
    }
    free(s->fits);
    free(s->set_counts);
    memset(s, 0, sizeof *s);
}
