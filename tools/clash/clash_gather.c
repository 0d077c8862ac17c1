/* SPDX-License-Identifier: MIT
 * clash_gather.c: the issues of a run.
 *
 * An element's family is the stem of its name and the sub-assembly that it is in. Both are hashed
 * by what they are called, so that issues do not depend on the order of a file.
 */
#include "clash/clash_gather.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/operand.h"
#include "found/issue_ids.h"
#include "found/issue_title.h"
#include "query/instance_title.h"
#include "text/hex.h"
#include "text/message.h"

/* ---- contacts ------------------------------------------------------------------------------ */

static uint64_t family_of(const instance_tree *t, uint32_t node)
{
    uint8_t both[32] = {0}, hash[16];
    uint64_t key;
    const uint32_t parent = instance_tree_parent(t, node);
    const bvp_string stem = issue_title_stem(instance_tree_label(t, node));
    if (parent != BVP_NONE)
        memcpy(both, t->hashes[parent], 16);
    bvp_hash(stem.data, stem.size, both + 16);
    bvp_hash(both, sizeof both, hash);
    memcpy(&key, hash, sizeof key);
    return key;
}

typedef struct box {
    double lo[3], hi[3], volume, size; /* volume, size: of the part's own box, as it is placed */
    uint32_t part;
} box;

/* Not hypot, whose last bit depends on the C library. */
static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The box of a placed part: of its box's corners, somewhat too large. */
static void box_of(const instance_tree *t, uint32_t instance, const double *moved, box *out)
{
    bvp_instance_info info = {0};
    bvp_part_info part = {0};
    double m[12];
    memset(out, 0, sizeof *out);
    if (bvp_get_instance(t->file, instance, &info) != BVP_OK ||
        bvp_get_part(t->file, info.part, &part) != BVP_OK)
        return;
    if (moved)
        compose(moved, info.placement, m);
    else
        memcpy(m, info.placement, sizeof m);
    out->part = info.part;
    out->volume = 1;
    double edges[3];
    for (int k = 0; k < 3; k++) {
        const double edge = (double)part.hi[k] - (double)part.lo[k];
        const double length = edge * sqrt(m[k] * m[k] + m[4 + k] * m[4 + k] + m[8 + k] * m[8 + k]);
        out->volume *= length;
        edges[k] = length;
    }
    out->size = norm(edges);
    for (int row = 0; row < 3; row++) {
        out->lo[row] = out->hi[row] = m[4 * row + 3];
        for (int k = 0; k < 3; k++) {
            const double at[2] = {m[4 * row + k] * part.lo[k], m[4 * row + k] * part.hi[k]};
            out->lo[row] += fmin(at[0], at[1]);
            out->hi[row] += fmax(at[0], at[1]);
        }
    }
}

/* What two have in common is in both boxes, and in neither's own box more than all of it. */
static double common_volume(const box *a, const box *b)
{
    double volume = 1;
    for (int k = 0; k < 3; k++)
        volume *= fmax(0, fmin(a->hi[k], b->hi[k]) - fmax(a->lo[k], b->lo[k]));
    volume = fmin(volume, fmin(a->volume, b->volume));
    return isfinite(volume) ? volume : 0;
}

static double middles_apart(const box *a, const box *b)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = (a->lo[k] + a->hi[k] - b->lo[k] - b->hi[k]) / 2;
    return norm(d);
}

static void fill(clash_gathered *g, const clash_kept *kept, const clash_trees *trees, size_t i)
{
    const clash_found *f = &kept->items[i];
    const int two = trees->a != trees->b;
    box a, b;
    box_of(trees->a, f->a, NULL, &a);
    box_of(trees->b, f->b, trees->placement_b, &b);
    g->contacts[i] = (clash_contact){
        .id = f->id,
        .elements = {f->a, (uint64_t)two << 32 | f->b},
        .families = {family_of(trees->a, instance_tree_node(trees->a, f->a)),
                     family_of(trees->b, instance_tree_node(trees->b, f->b)) ^ (uint64_t)two},
        .parts = {a.part, (uint64_t)two << 32 | b.part},
        .at = {f->at[0], f->at[1], f->at[2]},
        .apart = middles_apart(&a, &b),
        .size = fmax(a.size, b.size),
        .rule = f->rule,
        .verdict = f->verdict};
    const int has_volume = f->verdict != BVP_VERDICT_WITHIN && f->verdict != BVP_VERDICT_TOUCHING;
    g->extents[i].volume = has_volume ? common_volume(&a, &b) : 0;
    /* one part at two places differs by rounding, which must not choose the title */
    g->extents[i].is_b_smaller = b.size < (1 - 1e-9) * a.size;
}

/* Items by issue: a counting sort, which keeps their order within an issue. */
static void put_in_order(clash_gathered *g, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g->first[g->contacts[i].issue + 1]++;
    for (uint32_t i = 0; i < g->issue_count; i++)
        g->first[i + 1] += g->first[i];
    for (size_t i = 0; i < count; i++)
        g->order[g->first[g->contacts[i].issue]++] = (uint32_t)i;
    for (uint32_t i = g->issue_count; i > 0; i--)
        g->first[i] = g->first[i - 1];
    g->first[0] = 0;
}

/* Gives each issue its id. */
static int find_ids(clash_gathered *g, const clash_kept *kept, const clash_past_issues *past)
{
    issue_link *links = malloc((kept->count + 1) * sizeof *links);
    g->ids = malloc(((size_t)g->issue_count + 1) * sizeof *g->ids);
    g->past_of = malloc(((size_t)g->issue_count + 1) * sizeof *g->past_of);
    g->heirs = malloc(((size_t)past->count + 1) * sizeof *g->heirs);
    int code = links && g->ids && g->past_of && g->heirs ? 0 : complain_memory();
    if (code == 0) {
        issue_ids all = {g->ids, g->past_of, g->issue_count, past->ids, g->heirs, past->count};
        for (size_t i = 0; i < kept->count; i++)
            links[i] = (issue_link){g->contacts[i].issue, kept->items[i].past_issue};
        for (uint32_t i = 0; i < g->issue_count; i++)
            memcpy(g->ids[i], kept->items[g->clusters[i].lowest].id, 16);
        code = issue_ids_inherit(&all, links, kept->count);
    }
    free(links);
    return code;
}

int clash_gather(clash_gathered *g, const clash_kept *kept, const clash_trees *trees,
                 const clash_past_issues *past)
{
    const size_t count = kept->count;
    if (count > CLASH_CONTACTS_MOST) {
        complain("clash", "more pairs than reports can hold; leave some out by rules");
        return EXIT_LIMIT;
    }
    g->contacts = malloc((count + 1) * sizeof *g->contacts);
    g->extents = malloc((count + 1) * sizeof *g->extents);
    g->order = malloc((count + 1) * sizeof *g->order);
    g->first = calloc(count + 2, sizeof *g->first);
    g->names = malloc((2 * count + 1) * sizeof *g->names);
    if (!g->contacts || !g->extents || !g->order || !g->first || !g->names)
        return complain_memory();
    for (size_t i = 0; i < count; i++)
        fill(g, kept, trees, i);
    const int code = clash_issues_find(g->contacts, count, &g->clusters, &g->issue_count);
    if (code != 0)
        return code;
    put_in_order(g, count);
    return find_ids(g, kept, past);
}

void clash_gather_close(clash_gathered *g)
{
    free(g->contacts);
    free(g->extents);
    free(g->clusters);
    free(g->order);
    free(g->first);
    free(g->ids);
    free(g->past_of);
    free(g->heirs);
    free(g->names);
    growing_text_free(&g->title);
    growing_text_free(&g->where);
    growing_text_free(&g->name);
    growing_text_free(&g->made);
    memset(g, 0, sizeof *g);
}

int clash_gather_is_turned(const clash_gathered *g, uint32_t item)
{
    const clash_contact *c = &g->contacts[item];
    const clash_contact *worst = &g->contacts[g->order[g->first[c->issue]]];
    const clash_cluster *cluster = &g->clusters[c->issue];
    if (cluster->kind == CLASH_ISSUE_STAR)
        return (c->elements[0] == cluster->centre) != (worst->elements[0] == cluster->centre);
    return cluster->kind == CLASH_ISSUE_DETAIL ? c->parts[0] != worst->parts[0]
                                               : c->families[0] != worst->families[0];
}

/* ---- titles -------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* What an element is called. A name that is made up is behind the others in g->made, and has no
 * address before all are there: see place_made. */
static int name_of(clash_gathered *g, const clash_trees *trees, uint64_t element, bvp_string *out)
{
    const instance_tree *t = element >> 32 ? trees->b : trees->a;
    const uint32_t node = instance_tree_node(t, (uint32_t)element);
    *out = instance_tree_label(t, node);
    if (instance_title_tells(*out))
        return 0;
    if (instance_title(t, node, &g->name) != 0 ||
        growing_text_add(&g->made, g->name.data, g->name.size) != 0)
        return complain_memory();
    *out = (bvp_string){NULL, g->name.size};
    return 0;
}

static void place_made(clash_gathered *g, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        if (!g->names[i].data) {
            g->names[i].data = g->made.data + at;
            at += g->names[i].size;
        }
    assert(at == g->made.size);
}

/* Of these elements, each once. Returns how many, in *kept. */
static int name_each(clash_gathered *g, const clash_trees *trees, uint64_t *elements, size_t count,
                     bvp_string *names, size_t *kept)
{
    *kept = 0;
    qsort(elements, count, sizeof *elements, by_number);
    for (size_t i = 0; i < count; i++)
        if ((i == 0 || elements[i] != elements[i - 1]) &&
            name_of(g, trees, elements[i], &names[(*kept)++]) != 0)
            return EXIT_LIMIT;
    return 0;
}

/* The elements of one side of an issue. `side` 0: that of the first pair's A. */
static int add_names(clash_gathered *g, const clash_trees *trees, uint32_t number, int side,
                     uint64_t *elements, bvp_string *names, size_t *kept)
{
    const uint32_t count = g->first[number + 1] - g->first[number];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = g->order[g->first[number] + i];
        elements[i] = g->contacts[item].elements[side ^ clash_gather_is_turned(g, item)];
    }
    return name_each(g, trees, elements, count, names, kept);
}

/* All elements of an issue within one family. */
static int add_all_names(clash_gathered *g, const clash_trees *trees, uint32_t number,
                         uint64_t *elements, bvp_string *names, size_t *kept)
{
    const uint32_t count = 2 * (g->first[number + 1] - g->first[number]);
    for (uint32_t i = 0; i < count; i++)
        elements[i] = g->contacts[g->order[g->first[number] + i / 2]].elements[i % 2];
    return name_each(g, trees, elements, count, names, kept);
}

static int make_title(clash_gathered *g, const clash_trees *trees, uint32_t number,
                      issue_words *words)
{
    const uint32_t worst = g->order[g->first[number]];
    const size_t count = g->first[number + 1] - g->first[number];
    const clash_contact *c = &g->contacts[worst];
    uint64_t *elements = malloc(2 * count * sizeof *elements);
    if (!elements)
        return complain_memory();
    const clash_issue_kind kind = g->clusters[number].kind;
    int code;
    words->is_star = kind == CLASH_ISSUE_STAR;
    words->names[0] = g->names;
    growing_text_clear(&g->made);
    if ((kind == CLASH_ISSUE_FAMILY && c->families[0] == c->families[1]) ||
        (kind == CLASH_ISSUE_DETAIL && c->parts[0] == c->parts[1])) {
        code = add_all_names(g, trees, number, elements, g->names, &words->counts[0]);
        words->counts[1] = 0;
    } else {
        /* the smaller one first: the pipe crosses the wall, the valve lies inside the tank */
        const int first = g->extents[worst].is_b_smaller;
        code = add_names(g, trees, number, first, elements, g->names, &words->counts[0]);
        words->names[1] = g->names + words->counts[0];
        code = code ? code
                    : add_names(g, trees, number, !first, elements, g->names + words->counts[0],
                                &words->counts[1]);
    }
    free(elements);
    if (code != 0)
        return code;
    place_made(g, words->counts[0] + words->counts[1]);
    return issue_title_make(words, &g->title) != 0 ? complain_memory() : 0;
}

/* ---- places -------------------------------------------------------------------------------- */

static int is_storey_value(void *user, bvp_string value)
{
    (void)user;
    return value.size == 17 && strncasecmp(value.data, "IfcBuildingStorey", 17) == 0;
}

static int is_storey(const instance_tree *t, uint32_t node)
{
    static const char *const keys[] = {"ifc_class", "IfcClass", "class", "type", "IfcType"};
    static const char *const words[] = {"level", "storey", "story", "floor"};
    const bvp_string name = instance_tree_label(t, node);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (instance_tree_property(t, node, keys[i], is_storey_value, NULL))
            return 1;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t size = strlen(words[i]);
        if (name.size >= size && (strncasecmp(name.data, words[i], size) == 0 ||
                                  strncasecmp(name.data + name.size - size, words[i], size) == 0))
            return 1;
    }
    return 0;
}

/* The level that an instance is in, else nothing. The loop ends: parents have smaller numbers. */
static bvp_string level_of(const instance_tree *t, uint32_t instance)
{
    uint32_t node = instance_tree_node(t, instance);
    while ((node = instance_tree_parent(t, node)) != BVP_NONE &&
           instance_tree_parent(t, node) != BVP_NONE)
        if (is_storey(t, node))
            return instance_tree_label(t, node);
    return (bvp_string){"", 0};
}

/* The nearest one whose name tells what it is, the whole model left aside. */
static bvp_string assembly_of(const instance_tree *t, uint32_t instance)
{
    uint32_t node = instance_tree_node(t, instance);
    while ((node = instance_tree_parent(t, node)) != BVP_NONE &&
           instance_tree_parent(t, node) != BVP_NONE)
        if (instance_title_tells(instance_tree_label(t, node)))
            return instance_tree_label(t, node);
    return (bvp_string){"", 0};
}

/* The level of either, else the sub-assembly of either. */
static bvp_string where_of(const clash_trees *trees, const clash_found *f)
{
    bvp_string found = level_of(trees->a, f->a);
    if (found.size == 0)
        found = level_of(trees->b, f->b);
    if (found.size == 0)
        found = assembly_of(trees->a, f->a);
    return found.size > 0 ? found : assembly_of(trees->b, f->b);
}

/* ---- issues -------------------------------------------------------------------------------- */

int clash_gather_issue(clash_gathered *g, const clash_kept *kept, const clash_trees *trees,
                       uint32_t number, const char *clearance, clash_issue *out)
{
    assert(number < g->issue_count);
    const clash_found *worst = &kept->items[g->order[g->first[number]]];
    issue_words words = {.verdict = (bvp_verdict)worst->verdict, .clearance = clearance};
    const int code = make_title(g, trees, number, &words);
    if (code != 0)
        return code;
    const bvp_string where = where_of(trees, worst);
    growing_text_clear(&g->where);
    if (trees->places ? clash_places_name(trees->places, worst->at, where, &g->where) != 0
                      : growing_text_add(&g->where, where.data, where.size) != 0)
        return complain_memory();
    *out = (clash_issue){.title = g->title.data,
                         .where = g->where.data,
                         .number = (uint64_t)number + 1,
                         .pair_count = g->first[number + 1] - g->first[number],
                         .depth = worst->depth};
    hex_text(g->ids[number], 16, out->id);
    for (uint32_t i = g->first[number]; i < g->first[number + 1]; i++)
        out->volume += g->extents[g->order[i]].volume;
    return 0;
}
