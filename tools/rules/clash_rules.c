/* SPDX-License-Identifier: MIT
 * clash_rules.c: decides which rule applies to a pair of instances.
 *
 * Selectors are turned into bit sets once, so that a pair costs a few loads. Uses of rules are
 * counted by blocks of instances, so that a run that continues after a kill knows what the earlier
 * part counted.
 *
 * After clash_rules_bind only the counters in `uses` change, by atomic additions, so any thread may
 * ask. A rule's pair is unordered: bits_a[f] and bits_b[f] hold what its selectors select in file
 * f, and a pair matches straight or crossed. test_clash_rules holds this file.
 */
#include "rules/clash_rules.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "query/instance_title.h"
#include "text/message.h"
#include "model/stray_names.h"

const char *clash_action_name(clash_action action)
{
    static const char *const names[] = {"exclude", "allow", "limits"};
    assert((unsigned)action < sizeof names / sizeof names[0]);
    return names[action];
}

/* ---- sub-assemblies ------------------------------------------------------------------------ */

/* Counts to `most` at the most: the caller only asks whether there is one child. */
static uint32_t child_count(const instance_tree *t, uint32_t parent, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t node = parent + 1; node < t->info.node_count && count < most; node++)
        count += instance_tree_parent(t, node) == parent;
    return count;
}

/* The nearest node above `node`, and below `top`, that the rule calls a sub-assembly. */
static uint32_t find_assembly(const clash_rule *rule, const instance_tree *t, uint32_t node,
                              uint32_t top)
{
    for (node = instance_tree_parent(t, node); node != BVP_NONE && node > top;
         node = instance_tree_parent(t, node))
        if (rule->assembly.choice_count == 0 || clash_selector_matches(&rule->assembly, t, node))
            return node;
    return BVP_NONE;
}

static int bind_assemblies(clash_rules *r, clash_rule *rule, uint64_t *count)
{
    const instance_tree *t = r->trees[0];
    assert(r->trees[0] == r->trees[1] && !rule->assembly_of);
    /* The node below which the file's contents begin. Nodes above it that have one child and
     * nothing else only wrap it, and count as no sub-assembly. An only child is the node that
     * follows. */
    bvp_node_info info;
    uint32_t top = 0;
    while (bvp_get_node(t->file, top, &info) == BVP_OK && info.instance == BVP_NONE &&
           child_count(t, top, 2) == 1)
        top++;
    rule->assembly_of = malloc(((size_t)t->info.instance_count + 1) * sizeof *rule->assembly_of);
    if (!rule->assembly_of)
        return -1;
    for (uint32_t i = 0; i < t->info.instance_count; i++) {
        rule->assembly_of[i] = find_assembly(rule, t, instance_tree_node(t, i), top);
        *count += rule->assembly_of[i] != BVP_NONE;
    }
    return 0;
}

/* ---- binding ------------------------------------------------------------------------------- */

static int add_warning(clash_rules *r, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static int add_warning(clash_rules *r, const char *format, va_list arguments)
{
    char text[300];
    vsnprintf(text, sizeof text, format, arguments);
    char **larger = realloc(r->warnings, (r->warning_count + 1) * sizeof *larger);
    if (!larger)
        return complain_memory();
    r->warnings = larger;
    larger[r->warning_count] = strdup(text);
    return larger[r->warning_count] ? (r->warning_count++, 0) : complain_memory();
}

int clash_rules_warn(clash_rules *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int code = add_warning(r, format, arguments);
    va_end(arguments);
    return code;
}

static int warn(clash_rules *r, const clash_rule *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int warn(clash_rules *r, const clash_rule *rule, const char *format, ...)
{
    va_list arguments;
    if (rule->comes_along)
        return 0;
    va_start(arguments, format);
    const int code = add_warning(r, format, arguments);
    va_end(arguments);
    return code;
}

/* A selector that selects nothing is an error: the result would read as "no clash". */
static int selects_nothing(clash_rules *r, const clash_rule *rule, const clash_selector *s,
                           const char *side)
{
    char text[200];
    assert(s->term_count > 0);
    const clash_term *t = &s->terms[0]; /* the message shows it alone */
    const char *key = t->field == CLASH_PROPERTY ? t->key : t->field == CLASH_PART ? "part" : "";
    snprintf(text, sizeof text, "%.80s%s%.80s%s", key, key[0] ? "=" : "", t->pattern,
             s->term_count > 1 ? ", ..." : "");
    if (rule->optional)
        return warn(r, rule, "%s: %s (%s) matches no instance", rule->name, side, text);
    complain(rule->name,
             "%s (%s) matches no instance; \"bvpack info --tree\" lists what is there, a rule of a "
             "file may say \"optional\": true",
             side, text);
    return EXIT_USAGE;
}

/* Sets the bits of the instances of both files that a selector selects, in bits[0] and bits[1]. */
static int bind_selector(clash_rules *r, const clash_rule *rule, const clash_selector *s,
                         const char *side, uint64_t *bits[2])
{
    const int file_count = r->trees[1] == r->trees[0] ? 1 : 2;
    uint64_t total = 0;
    if (s->choice_count == 0)
        return 0;
    for (int f = 0; f < file_count; f++) {
        uint64_t count;
        bits[f] = clash_selector_set(s, r->trees[f], &count);
        if (!bits[f])
            return complain_memory();
        total += count;
    }
    if (file_count == 1)
        bits[1] = bits[0];
    return total > 0 ? 0 : selects_nothing(r, rule, s, side);
}

static int keep_value(void *user, bvp_string value)
{
    uint8_t hash[16];
    bvp_hash(value.data, value.size, hash);
    memcpy(user, hash, sizeof(uint64_t));
    return 1;
}

/* What pairs must share: the value of a property, the node's own or one above it; or an element. */
static uint64_t shared_of(const clash_rules *r, const clash_rule *rule, const instance_tree *t,
                          uint32_t node)
{
    uint64_t found = 0;
    if (rule->same_element) {
        const uint32_t element = instance_element(t, node);
        const int is_piece = element != BVP_NONE && element != node;
        return is_piece && r->trees[0] == r->trees[1] ? (uint64_t)element + 1 : 0;
    }
    while (node != BVP_NONE && !instance_tree_property(t, node, rule->same, keep_value, &found))
        node = instance_tree_parent(t, node);
    return found;
}

static int bind_shared(clash_rules *r, clash_rule *rule)
{
    const int file_count = r->trees[1] == r->trees[0] ? 1 : 2;
    if (!rule->same && !rule->same_element)
        return 0;
    for (int f = 0; f < file_count; f++) {
        const instance_tree *t = r->trees[f];
        rule->same_of[f] = malloc(((size_t)t->info.instance_count + 1) * sizeof(uint64_t));
        if (!rule->same_of[f])
            return complain_memory();
        for (uint32_t i = 0; i < t->info.instance_count; i++)
            rule->same_of[f][i] = shared_of(r, rule, t, instance_tree_node(t, i));
    }
    if (file_count == 1)
        rule->same_of[1] = rule->same_of[0];
    return 0;
}

/* Smallest edge of the box of the instance's part, as it stands. */
static double thickness_of(const instance_tree *t, uint32_t instance, double scale)
{
    bvp_instance_info at;
    bvp_part_identity part;
    double least = INFINITY;
    if (bvp_get_instance(t->file, instance, &at) != BVP_OK ||
        bvp_get_part_identity(t->file, at.part, &part) != BVP_OK)
        return 0;
    for (int k = 0; k < 3; k++) {
        const double *m = at.placement;
        const double stretch = sqrt(m[k] * m[k] + m[4 + k] * m[4 + k] + m[8 + k] * m[8 + k]);
        least = fmin(least, ((double)part.hi[k] - (double)part.lo[k]) * stretch * scale);
    }
    return least > 0 ? least : 0;
}

int clash_rules_measure(clash_rules *r)
{
    const int file_count = r->trees[1] == r->trees[0] ? 1 : 2;
    for (int f = 0; f < file_count; f++) {
        const instance_tree *t = r->trees[f];
        r->thickness[f] = malloc(((size_t)t->info.instance_count + 1) * sizeof(double));
        if (!r->thickness[f])
            return complain_memory();
        for (uint32_t i = 0; i < t->info.instance_count; i++)
            r->thickness[f][i] = thickness_of(t, i, f && r->scale_b > 0 ? r->scale_b : 1);
    }
    if (file_count == 1)
        r->thickness[1] = r->thickness[0];
    return 0;
}

double clash_rules_thickness(const clash_rules *r, int file, uint32_t instance)
{
    assert(instance < r->trees[file]->info.instance_count);
    return r->thickness[file][instance];
}

static int bind_rule(clash_rules *r, clash_rule *rule)
{
    uint64_t count = 0;
    int code = bind_selector(r, rule, &rule->a, "selector a", rule->bits_a);
    if (code == 0)
        code = bind_selector(r, rule, &rule->b, "selector b", rule->bits_b);
    if (code == 0)
        code = bind_shared(r, rule);
    if (code == 0 && !isnan(rule->share) && !r->thickness[0])
        code = clash_rules_measure(r);
    if (code != 0 || !rule->same_assembly)
        return code;
    if (r->trees[0] != r->trees[1])
        return warn(r, rule, "%s: instances of two files are never in one sub-assembly",
                    rule->name);
    if (bind_assemblies(r, rule, &count) != 0)
        return complain_memory();
    if (count == 0 && rule->assembly.choice_count > 0)
        return selects_nothing(r, rule, &rule->assembly, "same_assembly");
    return count > 0 ? 0 : warn(r, rule, "%s: no instance lies in such a sub-assembly", rule->name);
}

/* Without bits: everything. */
static int has(const uint64_t *bits, uint32_t instance)
{
    return !bits || (bits[instance / 64] >> (instance % 64) & 1);
}

/* ---- strays -------------------------------------------------------------------------------- */

static int is_text(void *user, bvp_string value)
{
    (void)user;
    return value.size > 0;
}

static int is_equal(bvp_string a, bvp_string b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* A mesh that packing split into two parts is one thing, and does not clash with itself. */
static int are_one(const clash_rules *r, uint32_t a, uint32_t b)
{
    const instance_tree *t = r->trees[0];
    bvp_instance_info at[2];
    bvp_node_info node[2];
    if (!r->strays || (!has(r->strays, a) && !has(r->strays, b)))
        return 0;
    if (bvp_get_instance(t->file, a, &at[0]) != BVP_OK ||
        bvp_get_instance(t->file, b, &at[1]) != BVP_OK ||
        bvp_get_node(t->file, at[0].node, &node[0]) != BVP_OK ||
        bvp_get_node(t->file, at[1].node, &node[1]) != BVP_OK)
        return 0;
    return node[0].parent == node[1].parent && is_equal(node[0].name, node[1].name) &&
           is_equal(node[0].source_id, node[1].source_id) &&
           memcmp(node[0].placement, node[1].placement, sizeof node[0].placement) == 0;
}

int clash_rules_bind(clash_rules *r, const instance_tree *a, const instance_tree *b)
{
    const size_t buckets = a->info.instance_count / CLASH_BUCKET + 1;
    assert(!r->uses && !r->strays); /* binding is done once */
    r->trees[0] = a;
    r->trees[1] = b;
    r->uses = calloc(buckets * (r->rule_count + 1), sizeof *r->uses);
    int code = r->uses ? 0 : complain_memory();
    const uint32_t count = a == b ? a->info.instance_count : 0;
    for (uint32_t i = 0; i < count && code == 0; i++) {
        if (!instance_tree_property_of(a, i, STRAYS_KEY, is_text, NULL))
            continue;
        if (!r->strays) /* few files have any */
            r->strays = calloc(count / 64 + 1, sizeof *r->strays);
        if (r->strays)
            r->strays[i / 64] |= UINT64_C(1) << (i % 64);
        else
            code = complain_memory();
    }
    for (uint32_t i = 0; i < r->rule_count && code == 0; i++)
        code = bind_rule(r, &r->rules[i]);
    return code;
}

void clash_rules_free(clash_rules *r)
{
    const int two = r->trees[0] != r->trees[1];
    for (uint32_t i = 0; i < r->rule_count; i++) {
        clash_rule *rule = &r->rules[i];
        free(rule->name);
        clash_selector_free(&rule->a);
        clash_selector_free(&rule->b);
        clash_selector_free(&rule->assembly);
        for (int f = 0; f <= two; f++) {
            free(rule->bits_a[f]);
            free(rule->bits_b[f]);
            free(rule->same_of[f]);
        }
        free(rule->same);
        free(rule->assembly_of);
    }
    for (uint32_t i = 0; i < r->warning_count; i++)
        free(r->warnings[i]);
    free(r->warnings);
    free(r->rules);
    for (int f = 0; f <= two; f++)
        free(r->thickness[f]);
    free(r->strays);
    free(r->uses);
    memset(r, 0, sizeof *r);
}

/* ---- pairs --------------------------------------------------------------------------------- */

int clash_rules_match(const clash_rules *r, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < r->rule_count; i++) {
        const clash_rule *rule = &r->rules[i];
        assert(a < r->trees[0]->info.instance_count && b < r->trees[1]->info.instance_count);
        const int straight = has(rule->bits_a[0], a) && has(rule->bits_b[1], b);
        const int crossed = has(rule->bits_b[0], a) && has(rule->bits_a[1], b);
        if (!straight && !crossed)
            continue;
        if (rule->same_of[0] &&
            (rule->same_of[0][a] == 0 || rule->same_of[0][a] != rule->same_of[1][b]))
            continue;
        if (!rule->same_assembly)
            return (int)i;
        /* assembly_of is NULL between two files, whose instances share no sub-assembly */
        if (rule->assembly_of && rule->assembly_of[a] != BVP_NONE &&
            rule->assembly_of[a] == rule->assembly_of[b])
            return (int)i;
    }
    return -1;
}

static void set_limit(double *limit, double given)
{
    if (!isnan(given))
        *limit = given;
}

int clash_rules_decide(const clash_rules *r)
{
    return r->rule_count > 0 || r->strays;
}

int clash_rules_key(const clash_rules *r, int file, uint32_t instance, uint8_t out[16])
{
    const instance_tree *t = r->trees[file];
    uint8_t record[16 + 16 + 16 + 16] = {0};
    memset(out, 0, 16);
    assert(instance < t->info.instance_count);
    if (r->strays && has(r->strays, instance))
        return 0;
    for (uint32_t i = 0; i < r->rule_count; i++) {
        const clash_rule *rule = &r->rules[i];
        const uint32_t assembly = rule->assembly_of ? rule->assembly_of[instance] : BVP_NONE;
        const uint64_t same = rule->same_of[file] ? rule->same_of[file][instance] : 0;
        memset(record, 0, sizeof record);
        memcpy(record, out, 16);
        record[16] = (uint8_t)has(rule->bits_a[file], instance);
        record[17] = (uint8_t)has(rule->bits_b[file], instance);
        if (assembly != BVP_NONE)
            memcpy(record + 32, t->hashes[assembly], 16);
        if (rule->same_element && same > 0) /* the number of a node, and 1 */
            memcpy(record + 48, t->hashes[same - 1], 16);
        else
            memcpy(record + 48, &same, sizeof same);
        bvp_hash(record, sizeof record, out);
    }
    return 1;
}

int clash_rules_apply(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
{
    clash_rules *r = user;
    if (are_one(r, a, b))
        return 1;
    const int index = clash_rules_match(r, a, b);
    if (index < 0)
        return 0;
    const clash_rule *rule = &r->rules[index];
    assert((uint32_t)index < r->rule_count);
    const size_t bucket = a / CLASH_BUCKET;
    atomic_fetch_add_explicit(&r->uses[bucket * r->rule_count + (size_t)index], 1,
                              memory_order_relaxed);
    set_limit(&limits->clearance, rule->limits.clearance);
    set_limit(&limits->touch_gap, rule->limits.touch_gap);
    set_limit(&limits->overlap, rule->limits.overlap);
    if (!isnan(rule->share)) /* no less than anywhere else */
        limits->overlap =
            fmax(limits->overlap, rule->share * fmin(r->thickness[0][a], r->thickness[1][b]));
    return rule->action == CLASH_EXCLUDE;
}

void clash_rules_count(const clash_rules *r, uint32_t first, uint32_t end, uint64_t *sums)
{
    const size_t last = ((size_t)end + CLASH_BUCKET - 1) / CLASH_BUCKET;
    assert(end <= r->trees[0]->info.instance_count);
    for (size_t bucket = first / CLASH_BUCKET; bucket < last; bucket++)
        for (uint32_t i = 0; i < r->rule_count; i++)
            sums[i] +=
                atomic_load_explicit(&r->uses[bucket * r->rule_count + i], memory_order_relaxed);
}

double clash_rules_reach(const clash_rules *r, const bvp_clash_limits *limits)
{
    double reach = fmax(limits->clearance, limits->touch_gap);
    for (uint32_t i = 0; i < r->rule_count; i++)
        reach = fmax(reach, fmax(r->rules[i].limits.clearance, r->rules[i].limits.touch_gap));
    return reach;
}
