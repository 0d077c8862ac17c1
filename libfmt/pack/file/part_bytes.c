/* SPDX-License-Identifier: MIT
 * part_bytes.c: builds one part: its hierarchies, and the cluster records that hold its triangles.
 *
 * Triangles are stored once, in the leaf order of the first hierarchy. Other hierarchies refer to
 * that order through `references`: where each triangle of the mesh is stored.
 *
 * The problem is that nodes contain the places of records, and records follow the upper nodes,
 * whose number is known only when the hierarchy is. So: build the batches (in parallel), sum up
 * what is in each, place all records (place_records), then let each batch fill in its references
 * (finish_batch, in parallel again).
 *
 * A node reaches a record by 24 bits in units of 1 << shift bytes. The smallest shift from 6 on
 * that reaches the last record is taken; coarser units cost padding.
 *
 * Held by tests/unit/test_part.c: parts that need a coarser alignment, and parts that are too
 * large.
 * Spec: format.md, chapters "Parts", "Hierarchies"
 */
#include "pack/file/part_bytes.h"

#include "base/parallel.h"
#include "base/status.h"
#include "pack/tree/binary_tree.h"
#include "pack/tree/items.h"
#include "pack/tree/ray_tree.h"
#include "pack/tree/turn_choice.h"
#include "pack/tree/wide_tree.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { SHIFT_MAX = 12 };
#ifndef RECORDS_ADDRESSABLE /* a test makes it smaller */
/* A node's geom has 24 bits for the cluster. */
#define RECORDS_ADDRESSABLE (UINT64_C(1) << 24)
#endif

/* State of one part's construction. */
typedef struct building {
    const bvpi_mesh *mesh;
    uint32_t thread_count;
    bvpi_watch *watch;
    bvpi_part_bytes *out;
    bvpi_grid grid;
    uint32_t *order; /* triangles in stored order, batch by batch; NULL: not needed */
} building;

static uint64_t round_up(uint64_t size, uint64_t alignment)
{
    assert(alignment > 0 && (alignment & (alignment - 1)) == 0);
    return (size + alignment - 1) & ~(alignment - 1);
}

static bvp_status no_memory(const building *b, bvp_error *error)
{
    return bvpi_error_memory(error, b->mesh->triangle_count * (uint64_t)sizeof(bvpi_item));
}

/* ---- the places of the records --------------------------------------------------------------- */

typedef struct joining {
    const building *b;
    const bvpi_wide_build *wide; /* the first hierarchy, or NULL if it is a binary one */
    uint32_t *first_record;      /* for each batch: its first record in the cluster table */
    uint64_t *first_triangle, *first_id;
} joining;

/* Places the records behind the upper nodes, aligned to 1 << shift, and fills in the table (offsets
 * >> shift). False: the last record cannot be reached by a node. */
static bool place_records(const joining *j, unsigned shift)
{
    bvpi_part_bytes *out = j->b->out;
    const uint64_t alignment = UINT64_C(1) << shift;
    uint64_t offset = round_up((uint64_t)out->upper_count * BVPD_UNIT, alignment);
    uint32_t *entry = out->table;
    for (uint32_t k = 0; k < out->batch_count; k++)
        for (uint32_t r = 0; r < out->batches[k].record_count; r++) {
            if (offset >> shift >= RECORDS_ADDRESSABLE)
                return false;
            *entry++ = (uint32_t)(offset >> shift);
            offset = round_up(offset + out->batches[k].records[r].size, alignment);
        }
    assert((uint64_t)(entry - out->table) == out->part.cluster_count);
    out->part.cluster_shift = (uint8_t)shift;
    out->part.cluster_table_off = offset;
    out->part.data_size = round_up(offset + 4 * (uint64_t)out->part.cluster_count, alignment);
    return out->part.data_size / BVPD_UNIT < UINT32_MAX;
}

static void finish_batch(void *user, uint32_t piece)
{
    const joining *j = user;
    const bvpi_part_bytes *out = j->b->out;
    bvpi_batch *batch = &out->batches[piece];
    if (j->wide)
        bvpi_wide_finish(j->wide, piece, out->table + j->first_record[piece],
                         out->part.cluster_shift);
    /* records count triangles and ids from the start of the part, not of their batch */
    for (uint32_t r = 0; r < batch->record_count; r++) {
        bvpd_cluster head;
        memcpy(&head, batch->bytes + batch->records[r].offset, sizeof head);
        head.first_triangle += (uint32_t)j->first_triangle[piece];
        if (batch->ids_size > 0)
            head.id_off += (uint32_t)(j->first_id[piece] / 4);
        memcpy(batch->bytes + batch->records[r].offset, &head, sizeof head);
    }
}

static void free_room(joining *j)
{
    free(j->first_record);
    free(j->first_triangle);
    free(j->first_id);
}

static bvp_status lay_out(joining *j, bvp_error *error)
{
    bvpi_part_bytes *out = j->b->out;
    const uint64_t table_size = round_up(4 * (uint64_t)out->part.cluster_count, 1 << SHIFT_MAX);
    out->upper = bvpi_allocate(out->upper_count, sizeof *out->upper);
    out->table = bvpi_allocate(table_size, 1);
    if (!out->upper || !out->table)
        return bvpi_error_memory(error, table_size + (uint64_t)out->upper_count * BVPD_UNIT);
    memset(out->table, 0, table_size);
    /* the finest alignment that lets nodes reach the last record */
    unsigned shift = 6;
    while (shift <= SHIFT_MAX && !place_records(j, shift))
        shift++;
    if (shift > SHIFT_MAX || out->part.ids_size / 4 > UINT32_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "a part of %" PRIu32 " triangles does not fit: more than 64 GiB; "
                              "split the mesh into several parts",
                              j->b->mesh->triangle_count);
    /* there may be hundreds of thousands of small parts, so a page for each is too much */
    uint32_t *fitted =
        realloc(out->table, round_up(4 * (uint64_t)out->part.cluster_count, UINT64_C(1) << shift));
    out->table = fitted ? fitted : out->table;
    return BVP_OK;
}

/* Places all records, and fills the places into the wide nodes. */
static bvp_status join(joining *j, bvp_error *error)
{
    bvpi_part_bytes *out = j->b->out;
    bvpd_part *part = &out->part;
    uint64_t triangles = 0;
    j->first_record = bvpi_allocate(out->batch_count, sizeof *j->first_record);
    j->first_triangle = bvpi_allocate(out->batch_count, sizeof *j->first_triangle);
    j->first_id = bvpi_allocate(out->batch_count, sizeof *j->first_id);
    if (!j->first_record || !j->first_triangle || !j->first_id)
        return bvpi_error_memory(error, out->batch_count * (uint64_t)sizeof *j->first_record);
    out->upper_count = j->wide ? j->wide->upper_count : 0;
    for (uint32_t k = 0; k < out->batch_count; k++) {
        const bvpi_batch *batch = &out->batches[k];
        assert(batch->ids_size % 4 == 0); /* id_off is in units of 4 */
        j->first_record[k] = part->cluster_count;
        j->first_triangle[k] = triangles;
        j->first_id[k] = part->ids_size;
        part->cluster_count += batch->record_count;
        part->ids_size += batch->ids_size;
        triangles += batch->triangle_count;
    }
    assert(triangles == j->b->mesh->triangle_count);
    bvp_status status = lay_out(j, error);
    if (status == BVP_OK)
        bvpi_parallel(j->b->thread_count, out->batch_count, finish_batch, j);
    return status;
}

/* ---- the first hierarchy: its leaf order is the order of the stored triangles ---------------- */

/* Frees *made but for the batches, which become the part's. status: of making it. */
static bvp_status take_wide(building *b, bvpi_wide_build *made, bvp_status status, bvp_error *error)
{
    bvpi_part_bytes *out = b->out;
    joining j = {.b = b, .wide = made};
    out->batches = made->batches;
    out->batch_count = made->batch_count;
    out->part.degenerate_count = made->degenerate_count;
    if (status == BVP_OK)
        status = join(&j, error);
    if (status == BVP_OK) {
        bvpi_wide_write(made, &out->hierarchy[0], out->upper);
        out->hierarchy[0].data_size = out->part.data_size;
    }
    free_room(&j);
    bvpi_wide_free(made);
    return status;
}

static bvp_status build_wide(building *b, const bvp_hierarchy_spec *spec, bvp_error *error)
{
    bvpi_wide_build made;
    const bool ok =
        bvpi_wide_make(b->mesh, &b->grid, spec, b->thread_count, b->order, b->watch, &made);
    return take_wide(b, &made, ok ? BVP_OK : no_memory(b, error), error);
}

/* Where each block's triangles begin, in the order of the pieces. NULL: out of memory. */
static uint32_t *find_firsts(const joining *j)
{
    const bvpi_part_bytes *out = j->b->out;
    uint64_t count = 0;
    for (uint32_t k = 0; k < out->batch_count; k++)
        count += out->batches[k].wide_count;
    uint32_t *firsts = bvpi_allocate(count, sizeof *firsts), *next = firsts;
    for (uint32_t k = 0; k < out->batch_count && firsts; k++) {
        const bvpi_batch *batch = &out->batches[k];
        for (uint32_t i = 0; i < batch->wide_count; i++)
            *next++ =
                out->table[j->first_record[k] + batch->wide[i].cluster] << 8 | batch->wide[i].local;
    }
    return firsts;
}

static bvp_status build_first(building *b, const bvpi_binary_build *made, bvp_error *error)
{
    bvpi_part_bytes *out = b->out;
    joining j = {.b = b};
    uint32_t *firsts = NULL;
    out->batch_count = made->piece_count;
    out->batches = calloc(out->batch_count, sizeof *out->batches);
    if (!out->batches)
        return no_memory(b, error);
    for (uint32_t k = 0; k < out->batch_count; k++) { /* the part owns the clusters from here on */
        out->batches[k] = made->pieces[k].clusters;
        made->pieces[k].clusters = (bvpi_batch){0};
    }
    bvp_status status = join(&j, error);
    if (status == BVP_OK && !(firsts = find_firsts(&j)))
        status = no_memory(b, error);
    if (status == BVP_OK)
        status = bvpi_binary_write(made, NULL, firsts, &out->hierarchy[0], &out->binary[0], error);
    free(firsts);
    free_room(&j);
    return status;
}

/* ---- further hierarchies --------------------------------------------------------------------- */

/* For each triangle of the mesh, where it is stored. NULL: out of memory. */
static uint32_t *find_references(const building *b)
{
    const bvpi_part_bytes *out = b->out;
    const uint32_t *entry = out->table;
    uint32_t *references = bvpi_allocate(b->mesh->triangle_count, sizeof *references);
    for (uint32_t k = 0; k < out->batch_count && references; k++) {
        const bvpi_batch *batch = &out->batches[k];
        const uint32_t *order = b->order + batch->first_item;
        for (uint32_t r = 0; r < batch->record_count; r++, entry++) {
            bvpd_cluster head;
            memcpy(&head, batch->bytes + batch->records[r].offset, sizeof head);
            for (uint32_t i = 0; i <= head.triangle_count_minus_1; i++)
                references[*order++] = *entry << 8 | i;
        }
    }
    return references;
}

/* Hierarchy `idx` of the part: the first one, whose order is kept, or one that refers to that
 * order. */
static bvp_status build_binary(building *b, const bvp_hierarchy_spec *spec, uint32_t idx,
                               const uint32_t *references, bvp_error *error)
{
    bvpi_part_bytes *out = b->out;
    bvpi_binary_build made;
    bvp_status status = BVP_OK;
    if (!bvpi_binary_make(b->mesh, &b->grid, spec, b->thread_count, idx == 0, b->watch, &made))
        status = no_memory(b, error);
    else if (idx == 0) {
        out->part.degenerate_count = made.degenerate_count;
        status = build_first(b, &made, error);
        b->order = made.order;
        made.order = NULL;
    } else
        status = bvpi_binary_write(&made, references, NULL, &out->hierarchy[idx], &out->binary[idx],
                                   error);
    bvpi_binary_free(&made);
    return status;
}

/* The last one, where the mesh can have it. */
static bvp_status build_rays(building *b, const uint32_t *references, bvp_error *error)
{
    bvpi_part_bytes *out = b->out;
    const uint32_t idx = out->part.hierarchy_count;
    const bvp_status status =
        bvpi_ray_tree_make(b->mesh, &b->grid, references, b->thread_count, b->watch,
                           &out->hierarchy[idx], &out->binary[idx], error);
    out->part.hierarchy_count += out->binary[idx] != NULL;
    return status;
}

/* ---- the part ------------------------------------------------------------------------------- */

static bvp_status build_all(building *b, const bvp_hierarchy_spec *specs, uint32_t count,
                            bvp_error *error)
{
    const bool is_wide = specs[0].kind == BVP_KIND_WIDE;
    bvpd_part *part = &b->out->part;
    bvp_status status = BVP_OK;
    double lo[3], hi[3];
    assert(count > 0 && count <= BVPI_HIERARCHY_MAX);
    assert(b->mesh->triangle_count > 0);
    bvpi_mesh_bounds(b->mesh, part->lo, part->hi);
    for (int axis = 0; axis < 3; axis++) {
        assert(part->lo[axis] <= part->hi[axis]); /* intake leaves finite vertices only */
        lo[axis] = part->lo[axis];
        hi[axis] = part->hi[axis];
    }
    bvpi_grid_choose(lo, hi, &b->grid);
    if (is_wide && count == 1)
        bvpi_turn_grid(b->mesh, &b->grid);
    if (is_wide && count > 1) {
        b->order = bvpi_allocate(b->mesh->triangle_count, sizeof *b->order);
        status = b->order ? BVP_OK : no_memory(b, error);
    }
    if (status == BVP_OK)
        status =
            is_wide ? build_wide(b, &specs[0], error) : build_binary(b, &specs[0], 0, NULL, error);
    part->hierarchy_count = 1;
    if (status == BVP_OK && count > 1) {
        uint32_t *references = find_references(b);
        status = references ? BVP_OK : no_memory(b, error);
        for (uint32_t k = 1; k < count && status == BVP_OK; k++)
            if (specs[k].kind == BVP_KIND_RAYS)
                status = build_rays(b, references, error);
            else
                status = build_binary(b, &specs[k], part->hierarchy_count++, references, error);
        free(references);
    }
    part->triangle_count = b->mesh->triangle_count;
    part->vertex_count = b->mesh->vertex_count;
    return status;
}

bvp_status bvpi_part_build(const bvpi_mesh *mesh, const bvp_hierarchy_spec *specs,
                           uint32_t spec_count, uint32_t thread_count, bvpi_watch *watch,
                           bvpi_part_bytes *out, bvp_error *error)
{
    building b = {.mesh = mesh, .thread_count = thread_count, .watch = watch, .out = out};
    *out = (bvpi_part_bytes){0};
    watch->done = 0;
    watch->total = (uint64_t)mesh->triangle_count * spec_count;
    watch->is_cancelled = 0;
    bvp_status status =
        bvpi_watch_goes_on(watch) ? build_all(&b, specs, spec_count, error) : BVP_ERR_CANCELLED;
    if (status != BVP_OK && watch->is_cancelled)
        status = bvpi_error_cancelled(error);
    for (uint32_t k = 0; k < out->batch_count && out->batches; k++) {
        free(out->batches[k].wide);
        out->batches[k].wide = NULL;
    }
    free(b.order);
    if (status != BVP_OK)
        bvpi_part_free(out);
    return status;
}

bvp_status bvpi_part_build_large(const bvpi_spool *spool, const bvpi_mesh *kept,
                                 const bvpi_grid *grid, const bvp_hierarchy_spec *spec,
                                 const bvpi_large_means *means, bvpi_part_bytes *out,
                                 bvp_error *error)
{
    building b = {.mesh = kept,
                  .thread_count = means->thread_count,
                  .watch = means->watch,
                  .out = out,
                  .grid = *grid};
    bvpi_wide_build made;
    *out = (bvpi_part_bytes){0};
    out->store = malloc(sizeof *out->store);
    if (!out->store)
        return bvpi_error_memory(error, sizeof *out->store);
    bvp_status status =
        bvpi_large_wide_make(spool, kept, &b.grid, spec, means, &made, out->store, error);
    status = take_wide(&b, &made, status, error);
    out->part.hierarchy_count = 1;
    out->part.triangle_count = kept->triangle_count;
    out->part.vertex_count = kept->vertex_count;
    memcpy(out->part.lo, spool->lo, sizeof out->part.lo);
    memcpy(out->part.hi, spool->hi, sizeof out->part.hi);
    if (status != BVP_OK)
        bvpi_part_free(out);
    return status;
}

void bvpi_part_free(bvpi_part_bytes *part)
{
    for (uint32_t k = 0; k < part->batch_count && part->batches && !part->store; k++)
        bvpi_batch_free(&part->batches[k]);
    if (part->store)
        bvpi_batch_store_close(part->store);
    free(part->store);
    for (uint32_t k = 0; k < BVPI_HIERARCHY_MAX && !part->is_borrowed; k++)
        free(part->binary[k]);
    free(part->batches);
    free(part->upper);
    free(part->table);
    if (!part->is_borrowed) {
        free(part->blob);
        free(part->ids);
    }
    *part = (bvpi_part_bytes){0};
}

/* ---- chunks --------------------------------------------------------------------------------- */

uint64_t bvpi_part_chunk_count(const bvpi_part_bytes *part)
{
    return part->blob ? 1 : 3 + 2 * (uint64_t)part->part.cluster_count;
}

uint64_t bvpi_part_data(const bvpi_part_bytes *part, bvpi_chunk *chunks)
{
    const uint64_t alignment = UINT64_C(1) << part->part.cluster_shift;
    const uint64_t upper_size = (uint64_t)part->upper_count * BVPD_UNIT;
    uint64_t count = 0;
    if (part->blob) {
        chunks[0] = (bvpi_chunk){part->blob, part->part.data_size};
        return 1;
    }
    chunks[count++] = (bvpi_chunk){part->upper, upper_size};
    chunks[count++] = (bvpi_chunk){NULL, round_up(upper_size, alignment) - upper_size};
    for (uint32_t k = 0; k < part->batch_count; k++) {
        const bvpi_batch *batch = &part->batches[k];
        for (uint32_t r = 0; r < batch->record_count && alignment > BVPD_UNIT; r++) {
            const bvpi_record *record = &batch->records[r];
            chunks[count++] = (bvpi_chunk){batch->bytes + record->offset, record->size};
            chunks[count++] = (bvpi_chunk){NULL, round_up(record->size, alignment) - record->size};
        }
        if (alignment == BVPD_UNIT)
            chunks[count++] = (bvpi_chunk){batch->bytes, batch->size};
    }
    chunks[count++] =
        (bvpi_chunk){part->table, part->part.data_size - part->part.cluster_table_off};
    return count;
}

uint64_t bvpi_part_ids(const bvpi_part_bytes *part, bvpi_chunk *chunks)
{
    uint64_t count = 0;
    if (part->ids)
        chunks[count++] = (bvpi_chunk){part->ids, part->part.ids_size};
    for (uint32_t k = 0; k < part->batch_count; k++)
        if (part->batches[k].ids_size > 0)
            chunks[count++] = (bvpi_chunk){part->batches[k].ids, part->batches[k].ids_size};
    return count;
}
