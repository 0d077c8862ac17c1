/* SPDX-License-Identifier: MIT
 * palette.c: the colour of a triangle in a picture.
 *
 * The colours of leaves and levels need to know which leaf holds a triangle. Leaves store
 * consecutive triangles, so a part's leaves are sorted by their first triangle and searched.
 */
#include "view/palette.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"

/* ---- colours by number ----------------------------------------------------------------------- */

colour palette_part_colour(uint32_t part)
{
    static const uint32_t calm[] = {0xd9dde2, 0xf0883e, 0x5b84b1, 0x9aa5b1, 0x7fb069, 0xe6c35c,
                                    0xc75146, 0x73c2be, 0xa78bba, 0xb08968, 0x4d6a8a, 0xe8a6a1};
    const uint32_t count = sizeof calm / sizeof calm[0];
    float fade = (float)(part / count % 4) * 0.17f;
    colour c = colour_of(calm[part % count]);
    return (colour){c.r * (1 - fade), c.g * (1 - fade), c.b * (1 - fade)};
}

/* ---- painting -------------------------------------------------------------------------------- */

/* Number of the leaf that holds a triangle. */
static size_t leaf_of(const palette_part *part, uint64_t triangle)
{
    size_t from = 0, to = part->count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (part->leaves[middle].first <= triangle)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static colour paint_shade(const void *user, const bvp_hit_id *id)
{
    (void)user, (void)id;
    return colour_of(0xc3ccd6);
}

static colour paint_part(const void *user, const bvp_hit_id *id)
{
    (void)user;
    return palette_part_colour(id->part);
}

static colour paint_leaf(const void *user, const bvp_hit_id *id)
{
    const palette *p = user;
    return colour_by_number(leaf_of(&p->parts[id->part], id->triangle));
}

static colour paint_level(const void *user, const bvp_hit_id *id)
{
    const palette *p = user;
    const palette_part *part = &p->parts[id->part];
    size_t leaf = leaf_of(part, id->triangle);
    /* From the root's dark blue over green to the deepest level's yellow. */
    static const uint32_t stops[] = {0x46327e, 0x365c8d, 0x277f8e, 0x1fa187,
                                     0x4ac16d, 0xa0da39, 0xfde725};
    const uint32_t last = sizeof stops / sizeof stops[0] - 1;
    float at = p->deepest ? (float)(leaf < part->count ? part->leaves[leaf].level : 0) /
                                (float)p->deepest * (float)last
                          : 0;
    uint32_t i = at < (float)last ? (uint32_t)at : last - 1;
    assert(i + 1 < sizeof stops / sizeof stops[0]);
    colour a = colour_of(stops[i]), b = colour_of(stops[i + 1]);
    float t = at - (float)i;
    return (colour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

static colour paint_source(const void *user, const bvp_hit_id *id)
{
    const palette *p = user;
    const uint32_t at = id->instance == BVP_NONE ? 0 : id->instance;
    assert(at < p->source_count);
    const uint8_t *rgba = bvp_find_colour(p->sources[at].runs, p->sources[at].count, id->id);
    return rgba ? colour_of((uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2])
                : paint_shade(user, id);
}

/* ---- reading the source's colours ------------------------------------------------------------ */

static bvp_status read_runs(const bvp_file *file, uint32_t instance, palette_runs *out)
{
    bvp_instance_info info;
    uint32_t count = 0;
    bvp_status status = bvp_get_instance(file, instance, &info);
    if (status == BVP_OK)
        status = bvp_get_colours(file, info.node, NULL, 0, &count);
    if (status != BVP_OK || count == 0)
        return status;
    out->runs = calloc(count, sizeof *out->runs);
    if (!out->runs)
        return BVP_ERR_NO_MEMORY;
    status = bvp_get_colours(file, info.node, out->runs, count, &out->count);
    if (out->count > count) /* the file has changed meanwhile */
        out->count = count;
    return status;
}

/* A part alone has the colours of the instance, or else those of its first one that has any. *any:
 * there are colours. */
static bvp_status read_sources(palette *p, const palette_subject *s, int *any)
{
    bvp_file_info info;
    bvp_instance_info instance;
    bvp_status status = BVP_OK;
    bvp_get_info(s->file, &info);
    const int is_one = s->part != BVP_ASSEMBLY;
    p->source_count = is_one ? 1 : info.instance_count;
    p->sources = calloc((size_t)p->source_count + 1, sizeof *p->sources);
    *any = 0;
    if (!p->sources)
        return BVP_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < info.instance_count && status == BVP_OK; i++) {
        palette_runs *to = &p->sources[is_one ? 0 : i];
        if (is_one && s->instance != BVP_NONE && s->instance != i)
            continue;
        status = bvp_get_instance(s->file, i, &instance);
        if (status == BVP_OK && (!is_one || (instance.part == s->part && to->count == 0)))
            status = read_runs(s->file, i, to);
        *any |= to->count > 0;
    }
    return status;
}

/* ---- reading the leaves ---------------------------------------------------------------------- */

static int add_leaf(void *user, const bvp_volume *leaf)
{
    palette_part *part = user;
    if (array_grow(&part->leaves, &part->capacity, part->count + 1, sizeof *part->leaves) != 0) {
        part->is_out_of_memory = 1;
        return 1;
    }
    assert(part->count < part->capacity);
    part->leaves[part->count++] = (palette_leaf){leaf->first, leaf->level};
    if (leaf->level > part->deepest)
        part->deepest = leaf->level;
    return 0;
}

static int by_first(const void *a, const void *b)
{
    const palette_leaf *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

bvp_status palette_open(palette *p, const char *word, const palette_subject *subject)
{
    const bvp_file *file = subject->file;
    const uint32_t only = subject->part;
    static const struct {
        const char *word;
        render_paint_fn paint;
        int leaves;
    } kinds[] = {{"source", paint_source, 0},
                 {"shade", paint_shade, 0},
                 {"part", paint_part, 0},
                 {"leaf", paint_leaf, 1},
                 {"level", paint_level, 1}};
    bvp_file_info info;
    int leaves = 0;
    memset(p, 0, sizeof *p);
    bvp_get_info(file, &info);
    if (!word || strcmp(word, "source") == 0) {
        int any;
        const bvp_status status = read_sources(p, subject, &any);
        if (status != BVP_OK)
            return status;
        const int has_parts = only == BVP_ASSEMBLY && info.part_count > 1;
        word = word || any ? "source" : has_parts ? "part" : "shade";
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(word, kinds[i].word) == 0) {
            p->paint = kinds[i].paint;
            leaves = kinds[i].leaves;
        }
    if (!leaves)
        return BVP_OK;
    p->part_count = info.part_count;
    p->parts = calloc(info.part_count, sizeof *p->parts);
    bvp_status status = p->parts ? BVP_OK : BVP_ERR_NO_MEMORY;
    /* Of each part's first hierarchy, whose leaves hold the triangles in the order of storage. */
    for (uint32_t i = 0; i < info.part_count && status == BVP_OK; i++) {
        palette_part *part = &p->parts[i];
        if (only != BVP_ASSEMBLY && only != i)
            continue;
        status = bvp_volumes(file, i, BVP_KIND_DEFAULT, UINT32_MAX, add_leaf, part);
        if (status == BVP_OK && part->is_out_of_memory)
            status = BVP_ERR_NO_MEMORY;
        if (status != BVP_OK)
            break;
        qsort(part->leaves, part->count, sizeof *part->leaves, by_first);
        if (part->deepest > p->deepest)
            p->deepest = part->deepest;
    }
    return status;
}

void palette_close(palette *p)
{
    for (uint32_t i = 0; p->parts && i < p->part_count; i++)
        free(p->parts[i].leaves);
    for (uint32_t i = 0; p->sources && i < p->source_count; i++)
        free(p->sources[i].runs);
    free(p->parts);
    free(p->sources);
    p->parts = NULL;
    p->sources = NULL;
}
