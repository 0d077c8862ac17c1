/* SPDX-License-Identifier: MIT
 * binary_tree.c: builds a binary hierarchy of any kind.
 *
 * Top-down: the upper nodes are split level by level, in parallel within a level, until a subtree
 * has at most PIECE_TRIANGLES triangles, of oriented kinds PIECE_ORIENTED. Each such piece is built
 * by one thread (piece.c). Then payloads that are made bottom-up (AABB) are completed above the
 * pieces.
 *
 * Writing joins everything in one array of upper records, breadth first, followed by the pieces'
 * blocks, whose positions are known by then.
 *
 * Deterministic: items are sorted by position first (item_order.h); children's places in the lists
 * are assigned before a level is split in parallel, and pieces are numbered from left to right. The
 * result depends on the mesh and the specification only.
 *
 * Held by tests/property/test_binary.c: every triangle in one leaf and inside every volume above
 * it, for every kind, rule and leaf size; the same bytes for any number of threads.
 * Spec: format.md, chapter "Binary hierarchies"
 */
#include "pack/tree/binary_tree.h"

#include "base/parallel.h"
#include "base/status.h"
#include "pack/tree/aabb_boxes.h"
#include "pack/tree/item_order.h"
#include "pack/tree/items.h"
#include "pack/mesh/axis_codes.h"
#include "pack/tree/piece.h"
#include "pack/work.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Fitting oriented volumes takes ten times as long as all the rest, so branches are given to
 * threads from far fewer triangles on. Smaller pieces cost bytes: no block or cluster reaches over
 * two. */
enum { PIECE_TRIANGLES = 1 << 15, PIECE_ORIENTED = 1 << 12 };

/* ---- above the pieces ----------------------------------------------------------------------- */

typedef struct growing {
    bvpi_growth growth;
    bvpi_binary_build *out;
    uint32_t thread_count;
    bvpi_watch *watch;
    bvpi_stem *stems; /* volumes above the pieces, and the pieces' roots; parallel to out->top */
    uint32_t stem_count, stem_capacity, level_begin;
    uint32_t *roots; /* of pieces, in leaf order: indices of stems */
    uint32_t failed; /* atomic: some thread ran out of memory */
} growing;

static bool grow_stems(growing *w, uint32_t wanted)
{
    if (wanted <= w->stem_capacity)
        return true;
    bvpi_stem *stems = realloc(w->stems, 2 * (uint64_t)wanted * sizeof *stems);
    if (stems)
        w->stems = stems;
    bvpi_upper *top = realloc(w->out->top, 2 * (uint64_t)wanted * sizeof *top);
    if (top)
        w->out->top = top;
    w->stem_capacity = stems && top ? 2 * wanted : w->stem_capacity;
    return stems && top;
}

static void *scratch_for(growing *w, uint32_t count)
{
    void *scratch = bvpi_allocate(bvpi_volume_scratch_size(&w->growth.form, count), 1);
    if (!scratch)
        __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
    return scratch;
}

/* The stems of one level are split in parallel. Places of their children were assigned before. */
static void cut_stem(void *user, uint32_t piece)
{
    growing *w = user;
    const uint32_t k = w->level_begin + piece;
    if (w->out->top[k].is_end)
        return;
    void *scratch = scratch_for(w, w->stems[k].node.count);
    if (scratch)
        bvpi_grow_once(&w->growth, &w->stems[k], &w->stems[w->out->top[k].link], scratch);
    free(scratch);
}

static bool grow_top(growing *w)
{
    bvpi_binary_build *out = w->out;
    const uint32_t most =
        bvpi_volume_is_oriented(&w->growth.form) ? PIECE_ORIENTED : PIECE_TRIANGLES;
    void *scratch = scratch_for(w, out->triangle_count);
    const bool ok = scratch && grow_stems(w, 1);
    if (ok)
        bvpi_grow_root(&w->growth, out->triangle_count, &w->stems[0], scratch);
    free(scratch);
    if (!ok)
        return false;
    w->stem_count = 1;
    for (uint32_t end = 1; w->level_begin < end && !w->failed; end = w->stem_count) {
        uint32_t next = end;
        if (!grow_stems(w, end + 2 * (end - w->level_begin)))
            return false;
        for (uint32_t k = w->level_begin; k < end; k++) {
            out->top[k].is_end = w->stems[k].node.count <= most;
            out->top[k].link = next;
            next += out->top[k].is_end ? 0 : 2;
            out->piece_count += out->top[k].is_end;
        }
        bvpi_parallel(w->thread_count, end - w->level_begin, cut_stem, w);
        w->level_begin = end;
        w->stem_count = next;
        assert(w->stem_count <= w->stem_capacity);
    }
    out->top_count = w->stem_count;
    return !w->failed;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Numbers the pieces from left to right. */
static void number_pieces(growing *w, uint32_t stem, uint32_t *count)
{
    bvpi_upper *upper = &w->out->top[stem];
    if (upper->is_end) {
        w->roots[*count] = stem;
        upper->link = (*count)++;
        return;
    }
    number_pieces(w, upper->link, count);
    number_pieces(w, upper->link + 1, count);
}

static void make_piece(void *user, uint32_t piece)
{
    growing *w = user;
    const bvpi_stem *root = &w->stems[w->roots[piece]];
    if (!bvpi_watch_goes_on(w->watch) || !bvpi_piece_make(&w->growth, root, &w->out->pieces[piece]))
        __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
    bvpi_watch_add(w->watch, "build", root->node.count);
}

static bool make_pieces(growing *w)
{
    bvpi_binary_build *out = w->out;
    uint32_t count = 0;
    out->pieces = calloc(out->piece_count, sizeof *out->pieces);
    w->roots = calloc(out->piece_count, sizeof *w->roots);
    if (!out->pieces || !w->roots)
        return false;
    number_pieces(w, 0, &count);
    assert(count == out->piece_count);
    bvpi_parallel(w->thread_count, out->piece_count, make_piece, w);
    return !w->failed;
}

/* Payloads and surface areas of the volumes above the pieces, children first. */
static void finish_top(growing *w)
{
    bvpi_binary_build *out = w->out;
    const bvpi_binary *form = &out->form;
    for (uint32_t k = out->top_count; k-- > 0;) {
        bvpi_upper *upper = &out->top[k];
        memcpy(upper->payload, w->stems[k].payload, sizeof upper->payload);
        if (form->kind == BVPD_KIND_AABB && upper->is_end)
            memcpy(upper->payload, out->pieces[upper->link].uppers[0].payload,
                   sizeof upper->payload);
        else if (form->kind == BVPD_KIND_AABB)
            bvpi_aabb_join(out->top[upper->link].payload, out->top[upper->link + 1].payload,
                           upper->payload);
        const double area = bvpi_volume_area(form, upper->payload, &w->stems[k].volume);
        out->top_area += upper->is_end ? 0 : area;
        out->root_area = area;
    }
}

/* ---- the hierarchy -------------------------------------------------------------------------- */

static void describe(const bvp_hierarchy_spec *spec, const bvpi_grid *grid, bvpi_binary *out)
{
    const bool is_boxtree = spec->kind == BVP_KIND_BOXTREE;
    *out = (bvpi_binary){.kind = (uint32_t)spec->kind,
                         .leaf_size = spec->leaf_size,
                         .payload_size = BVPI_ORIENTED_PAYLOAD,
                         .plane_max = is_boxtree ? (uint8_t)spec->plane_max : 0,
                         .offset_size = is_boxtree ? (uint8_t)spec->offset_size : 0,
                         .grid_unit = grid->unit};
    if (is_boxtree)
        out->payload_size = (uint8_t)(1 + spec->plane_max * spec->offset_size);
    else if (spec->kind == BVP_KIND_AABB)
        out->payload_size = BVPI_AABB_PAYLOAD;
    assert(out->payload_size <= BVPI_PAYLOAD_MAX);
    out->upper_size = (uint8_t)(out->payload_size + 4);
    memcpy(out->grid_origin, grid->origin, sizeof out->grid_origin);
    memcpy(out->grid_extent, grid->extent, sizeof out->grid_extent);
}

/* Do the rule's sets grow item by item? */
static bool grows_sets(bvp_split split)
{
    return split == BVP_SPLIT_VOLUME || split == BVP_SPLIT_LONGEST ||
           split == BVP_SPLIT_LOOKAHEAD || split == BVP_SPLIT_RESTRICTED;
}

bool bvpi_binary_make(const bvpi_mesh *mesh, const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                      uint32_t thread_count, bool owns_order, bvpi_watch *watch,
                      bvpi_binary_build *out)
{
    growing w = {.out = out, .thread_count = thread_count, .watch = watch};
    *out = (bvpi_binary_build){.split = spec->split, .triangle_count = mesh->triangle_count};
    describe(spec, grid, &out->form);
    out->order = bvpi_allocate(mesh->triangle_count, sizeof *out->order);
    w.growth =
        (bvpi_growth){.mesh = mesh,
                      .form = out->form,
                      .fit = spec->fit,
                      .split = spec->split,
                      .items = bvpi_items_make(mesh, grid, thread_count, &out->degenerate_count),
                      .order = out->order,
                      .owns_order = owns_order,
                      .failed = &w.failed};
    const bool ok =
        out->order && w.growth.items &&
        bvpi_items_sort(mesh, grows_sets(spec->split), w.growth.items, mesh->triangle_count) &&
        grow_top(&w) && make_pieces(&w);
    if (ok)
        finish_top(&w);
    free(w.growth.items);
    free(w.stems);
    free(w.roots);
    return ok;
}

void bvpi_binary_free(bvpi_binary_build *build)
{
    for (uint32_t k = 0; k < build->piece_count && build->pieces; k++)
        bvpi_piece_free(&build->pieces[k]);
    free(build->pieces);
    free(build->top);
    free(build->order);
    *build = (bvpi_binary_build){0};
}

/* ---- writing -------------------------------------------------------------------------------- */

/* A volume above the pieces (piece: NONE), or one of a piece. */
typedef struct place {
    uint32_t piece, idx;
} place;

typedef struct writing {
    const bvpi_binary_build *build;
    place *uppers; /* breadth first: element k becomes record k */
    uint32_t upper_count;
    uint64_t *piece_off; /* offset of each piece's blocks */
    uint8_t *bytes;
    uint64_t size, order_off;
    uint8_t order_width;
} writing;

/* A piece's root replaces its stem. */
static place resolve(const bvpi_binary_build *build, place at)
{
    if (at.piece == BVPD_NONE && build->top[at.idx].is_end)
        return (place){build->top[at.idx].link, 0};
    return at;
}

static uint64_t count_upper(const bvpi_binary_build *build)
{
    uint64_t count = build->top_count - build->piece_count;
    for (uint32_t k = 0; k < build->piece_count; k++)
        count += build->pieces[k].upper_count;
    return count;
}

/* Appends all upper volumes breadth first. A record is written when the numbers of its children are
 * known. */
static void write_uppers(writing *w)
{
    const bvpi_binary_build *build = w->build;
    const bvpi_binary *form = &build->form;
    w->uppers[0] = resolve(build, (place){BVPD_NONE, 0});
    w->upper_count = 1;
    for (uint32_t k = 0; k < w->upper_count; k++) {
        const place at = w->uppers[k];
        const bvpi_upper *upper =
            at.piece == BVPD_NONE ? &build->top[at.idx] : &build->pieces[at.piece].uppers[at.idx];
        uint8_t *record = w->bytes + (uint64_t)k * form->upper_size;
        uint32_t link = w->upper_count;
        if (upper->is_end) {
            const uint64_t offset = build->pieces[at.piece].blocks[upper->link].offset;
            assert((w->piece_off[at.piece] + offset) % 4 == 0);
            link = BVPD_LINK_BLOCK | (uint32_t)((w->piece_off[at.piece] + offset) / 4);
        } else
            for (uint32_t i = 0; i < 2; i++)
                w->uppers[w->upper_count++] = resolve(build, (place){at.piece, upper->link + i});
        memcpy(record, upper->payload, form->payload_size);
        memcpy(record + form->payload_size, &link, sizeof link);
    }
}

static void write_blocks(const writing *w, const uint32_t *firsts)
{
    for (uint32_t k = 0; k < w->build->piece_count; k++) {
        const bvpi_piece *piece = &w->build->pieces[k];
        uint8_t *out = w->bytes + w->piece_off[k];
        memcpy(out, piece->bytes, piece->size);
        for (uint32_t i = 0; i < piece->block_count; i++) {
            const uint32_t first = firsts ? *firsts++ : piece->first + piece->blocks[i].first;
            memcpy(out + piece->blocks[i].offset + offsetof(bvpd_block, first), &first,
                   sizeof first);
        }
    }
}

/* Assigns the offset of each part of the data. */
static void lay_out(writing *w, const uint32_t *references)
{
    const bvpi_binary_build *build = w->build;
    w->size = (count_upper(build) * build->form.upper_size + 3) & ~UINT64_C(3);
    for (uint32_t k = 0; k < build->piece_count; k++) {
        w->piece_off[k] = w->size;
        w->size += build->pieces[k].size;
    }
    if (!references)
        return;
    w->order_off = w->size;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < build->triangle_count; i++)
        largest = references[i] > largest ? references[i] : largest;
    w->order_width = (uint8_t)(largest == 0 ? 1 : bvpi_bit_width(largest));
    w->size += ((uint64_t)build->triangle_count * w->order_width + 7) / 8;
}

static void fill_record(const writing *w, bvpd_hierarchy *h)
{
    const bvpi_binary_build *build = w->build;
    const bvpi_binary *form = &build->form;
    /* the format has no number for restricted, which cuts by volume, too */
    const bvp_split split = build->split == BVP_SPLIT_RESTRICTED ? BVP_SPLIT_VOLUME : build->split;
    double area = build->top_area;
    *h = (bvpd_hierarchy){.kind = form->kind,
                          .data_size = w->size,
                          .upper_count = w->upper_count,
                          .node_count = build->top_count - build->piece_count,
                          .leaf_size = form->leaf_size,
                          .grid_unit = form->grid_unit,
                          .plane_max = form->plane_max,
                          .offset_size = form->offset_size,
                          .order_width = w->order_width,
                          .split = (uint8_t)split,
                          .order_off = w->order_off};
    memcpy(h->grid_origin, form->grid_origin, sizeof h->grid_origin);
    memcpy(h->grid_extent, form->grid_extent, sizeof h->grid_extent);
    for (uint32_t k = 0; k < build->piece_count; k++) {
        const bvpi_piece *piece = &build->pieces[k];
        h->node_count += piece->node_count;
        h->leaf_count += piece->leaf_count;
        h->depth = piece->depth > h->depth ? piece->depth : h->depth;
        area += piece->area;
    }
    h->area_cost = build->root_area > 0 ? area / build->root_area : 0;
}

static bvp_status write_all(writing *w, const uint32_t *references, const uint32_t *firsts,
                            bvp_error *error)
{
    lay_out(w, references);
    if (w->size > BVPI_BINARY_SIZE_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "a part of %" PRIu32 " triangles needs a hierarchy of more than "
                              "4 GiB; split the mesh into several parts",
                              w->build->triangle_count);
    w->bytes = calloc(w->size + sizeof(uint64_t), 1); /* what bvpi_put_bits may write behind it */
    if (!w->bytes)
        return bvpi_error_memory(error, w->size);
    write_uppers(w);
    write_blocks(w, firsts);
    if (references) {
        bvpi_bits bits = {.at = w->bytes + w->order_off};
        for (uint32_t i = 0; i < w->build->triangle_count; i++)
            bvpi_put_bits(&bits, references[w->build->order[i]], w->order_width);
        const uint8_t *end = bvpi_end_bits(&bits);
        assert(end == w->bytes + w->size);
        (void)end;
    }
    return BVP_OK;
}

bvp_status bvpi_binary_write(const bvpi_binary_build *build, const uint32_t *references,
                             const uint32_t *firsts, bvpd_hierarchy *record, uint8_t **bytes,
                             bvp_error *error)
{
    writing w = {.build = build};
    const uint64_t upper_count = count_upper(build);
    w.uppers = bvpi_allocate(upper_count, sizeof *w.uppers);
    w.piece_off = bvpi_allocate(build->piece_count, sizeof *w.piece_off);
    bvp_status status = w.uppers && w.piece_off
                            ? write_all(&w, references, firsts, error)
                            : bvpi_error_memory(error, upper_count * sizeof *w.uppers);
    if (status == BVP_OK) {
        assert(w.upper_count == upper_count); /* each volume was met once */
        fill_record(&w, record);
    }
    free(w.uppers);
    free(w.piece_off);
    *bytes = w.bytes;
    return status;
}
