/* SPDX-License-Identifier: MIT
 * finish.c: puts everything that a builder holds into the sections of a file.
 *
 * Parts first: their blobs follow each other in DATA, each aligned as its cluster references need,
 * ids in TIDS, binary hierarchies in BINH. Nothing is copied: sections are lists of chunks that
 * point to the parts' own memory, and padding is a chunk without data. Then the product tree
 * becomes records (product.c), the hierarchies are put in order (hierarchy_order.c), and the header
 * is filled in from all of them.
 *
 * A builder can be finished only once: `finished` is set before anything can fail.
 *
 * Invariants: f->parts are in the order of the builder's parts; a part's hierarchies are
 * consecutive from first_hierarchy on; the hierarchies over the instances follow all of them.
 *
 * Held by tests/property/test_builder.c: every file satisfies every rule of the format.
 * Spec: format.md
 */
#include "pack/file/finish.h"

#include "base/status.h"
#include "format/header.h"
#include "format/identity.h"
#include "format/map.h"
#include "format/record.h"
#include "pack/file/hierarchy_order.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Appends a binary hierarchy to BINH, at a multiple of 64. */
static bvp_status add_binary(bvpi_finishing *f, const uint8_t *bytes, bvpd_hierarchy *h,
                             bvp_error *error)
{
    const uint64_t padding = -f->binary_size & (BVPD_SECTION_ALIGN - 1);
    bvpi_chunk *chunks;
    bvp_status status = bvpi_array_add(&f->binary, 2, sizeof *chunks, &chunks, error);
    if (status != BVP_OK)
        return status;
    chunks[0] = (bvpi_chunk){NULL, padding};
    chunks[1] = (bvpi_chunk){bytes, h->data_size};
    h->data_off = f->binary_size + padding;
    assert(h->data_off % BVPD_SECTION_ALIGN == 0);
    f->binary_size = h->data_off + h->data_size;
    return BVP_OK;
}

/* Makes the records of a part's hierarchies. `part`: its record in the file. */
static bvp_status place_hierarchies(bvpi_finishing *f, uint32_t idx, const bvpi_part_bytes *bytes,
                                    bvpd_part *part, bvp_error *error)
{
    bvp_status status = BVP_OK;
    part->first_hierarchy = f->hierarchy_count;
    for (uint32_t k = 0; k < part->hierarchy_count && status == BVP_OK; k++) {
        bvpd_hierarchy *h = &f->hierarchies[f->hierarchy_count++];
        *h = bytes->hierarchy[k];
        h->part = idx;
        h->data_off = part->data_off;
        f->features |= bvpi_is_turned(h) ? BVPD_FEATURE_TURNS : 0;
        const uint64_t node_size = (uint64_t)h->node_count * BVPD_UNIT;
        f->features |= h->kind == BVPD_KIND_RAYS ? BVPD_FEATURE_RAYS : 0;
        f->kind_size[h->kind] += bytes->binary[k] ? h->data_size : node_size;
        if (bytes->binary[k])
            status = add_binary(f, bytes->binary[k], h, error);
        else
            f->node_size += node_size;
    }
    return status;
}

bvp_status bvpi_place_parts(bvpi_finishing *f, bvp_error *error)
{
    uint64_t data_end = 0, ids_end = 0;
    const bvp_builder *b = f->b;
    bvp_status status = BVP_OK;
    f->parts = calloc(b->parts.count + 1, sizeof *f->parts);
    uint64_t hierarchy_count = BVPD_TOP_MAX; /* those over the instances come last */
    for (uint32_t i = 0; i < b->parts.count; i++)
        hierarchy_count += bvpi_part_at(b, i)->part.hierarchy_count;
    f->hierarchies = calloc(hierarchy_count, sizeof *f->hierarchies);
    if (!f->parts || !f->hierarchies)
        return bvpi_error_memory(error, b->parts.count * sizeof *f->parts);
    for (uint32_t i = 0; i < b->parts.count && status == BVP_OK; i++) {
        const bvpi_part_bytes *bytes = bvpi_part_at(b, i);
        const uint64_t alignment = UINT64_C(1) << bytes->part.cluster_shift;
        const uint64_t padding = -data_end & (alignment - 1);
        const uint64_t most = bvpi_part_chunk_count(bytes);
        bvpi_chunk *chunks;
        if (padding > 0) {
            status = bvpi_array_add(&f->data, 1, sizeof *chunks, &chunks, error);
            if (status == BVP_OK)
                chunks->size = padding;
            data_end += padding;
        }
        assert(data_end % alignment == 0);
        if (status == BVP_OK)
            status = bvpi_array_add(&f->data, most, sizeof *chunks, &chunks, error);
        if (status == BVP_OK) {
            f->data.count -= most - bvpi_part_data(bytes, chunks);
            status = bvpi_array_add(&f->ids, most, sizeof *chunks, &chunks, error);
        }
        if (status == BVP_OK)
            f->ids.count -= most - bvpi_part_ids(bytes, chunks);
        f->parts[i] = bytes->part;
        f->parts[i].data_off = data_end;
        f->parts[i].ids_off = ids_end;
        if (status == BVP_OK)
            status = place_hierarchies(f, i, bytes, &f->parts[i], error);
        assert(f->hierarchy_count + BVPD_TOP_MAX <= hierarchy_count);
        data_end += bytes->part.data_size;
        ids_end += bytes->part.ids_size;
        f->write.header.unique_triangle_count += bytes->part.triangle_count;
    }
    f->write.header.id_size = ids_end;
    f->write.header.geometry_size = data_end - f->node_size;
    return status;
}

static void set_table(bvpi_finishing *f, int section, const void *data, uint64_t size)
{
    f->table[section] = (bvpi_chunk){data, size};
    f->write.section[section] = (bvpi_write_section){&f->table[section], size > 0};
}

static void fill_header(bvpi_finishing *f)
{
    const bvp_builder *b = f->b;
    bvpd_header *h = &f->write.header;
    const bvpi_product_records *p = &f->product;
    memcpy(h->source_hash, b->source_hash, sizeof h->source_hash);
    h->up_axis = bvpi_axis_of_up(b->options.up);
    h->unit_in_metres = b->options.unit_in_metres;
    h->tessellation_tolerance = b->options.tessellation_tolerance;
    h->feature_incompatible = (b->options.thin ? BVPD_FEATURE_THIN : 0) |
                              (p->top.hierarchy_count > 1 ? BVPD_FEATURE_TOPS : 0) |
                              (b->options.share ? BVPD_FEATURE_OUTSIDE : 0) | f->features;
    h->store = f->store;
    memcpy(h->lo, p->lo, sizeof h->lo);
    memcpy(h->hi, p->hi, sizeof h->hi);
    h->top_hierarchy = p->instance_count > 0 ? f->hierarchy_count : BVPD_NONE;
    h->hierarchy_size = f->node_size + f->binary_size + p->top.size;
    for (uint32_t i = 0; i < p->instance_count; i++)
        h->triangle_count += f->parts[p->instances[i].part].triangle_count;
    f->write.progress = b->options.progress;
    f->write.progress_user = b->options.progress_user;
    f->write.control = b->options.control;
    f->write.has_digests = b->options.digests != 0;
}

static void fill_sections(bvpi_finishing *f)
{
    bvp_builder *b = f->b;
    const bvpi_product_records *p = &f->product;
    f->write.section[BVPD_DATA] = (bvpi_write_section){f->data.data, f->data.count};
    f->write.section[BVPD_TIDS] = (bvpi_write_section){f->ids.data, f->ids.count};
    f->write.section[BVPD_BINH] = (bvpi_write_section){f->binary.data, f->binary.count};
    const uint64_t hierarchies = f->hierarchy_count + p->top.hierarchy_count;
    assert(p->top.hierarchy_count <= BVPD_TOP_MAX); /* f->hierarchies has room for these */
    memcpy(f->hierarchies + f->hierarchy_count, p->top.hierarchies,
           p->top.hierarchy_count * sizeof *f->hierarchies);
    set_table(f, BVPD_PART, f->parts, b->parts.count * sizeof *f->parts);
    set_table(f, BVPD_HIER, f->hierarchies, hierarchies * sizeof *f->hierarchies);
    set_table(f, BVPD_PLAC, b->product.placements.bytes.data, b->product.placements.bytes.count);
    set_table(f, BVPD_LINS, b->product.linears.bytes.data, b->product.linears.bytes.count);
    set_table(f, BVPD_TREE, p->tree, p->node_count * sizeof *p->tree);
    set_table(f, BVPD_INST, p->instances, p->instance_count * sizeof *p->instances);
    set_table(f, BVPD_TOPN, p->top.nodes, p->top.size);
    set_table(f, BVPD_PROP, p->properties, p->property_count * sizeof *p->properties);
    set_table(f, BVPD_STRS, b->product.strings.bytes.data, b->product.strings.bytes.count);
    f->buffers = (bvpi_chunk){b->buffers.data, b->buffers.count * sizeof(bvpd_buffers)};
    f->write.buffers = (bvpi_write_section){&f->buffers, b->options.share != 0};
    set_table(f, BVPD_PROV, b->provenance, b->provenance ? strlen(b->provenance) : 0);
}

static bvp_status prepare(bvpi_finishing *f, bvp_error *error)
{
    bvp_builder *b = f->b;
    for (uint32_t i = 0; i < b->parts.count && b->options.thin; i++)
        if (bvpi_part_at(b, i)->part.data_size > 0)
            return bvpi_error_set(
                error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                "part %" PRIu32 " of a thin file was not saved by bvp_builder_save_part", i);
    bvp_status status = bvpi_place_parts(f, error);
    if (status == BVP_OK && b->options.thin)
        status = bvpi_add_string(&b->product.strings, b->options.store, &f->store, error);
    /* without a product tree, each part gets a node of its own, under the part's name */
    const bool is_treeless = b->product.nodes.count == 0;
    for (uint32_t i = 0; i < b->parts.count && is_treeless && status == BVP_OK; i++) {
        const bvpi_product_node node = {.parent = BVP_NONE, .part = i};
        uint32_t idx;
        status = bvpi_product_add_node(&b->product, &node, NULL, NULL, NULL, &idx, error);
        if (status == BVP_OK)
            ((bvpi_product_node *)b->product.nodes.data)[idx].name = bvpi_part_at(b, i)->part.name;
    }
    if (status == BVP_OK)
        status = bvpi_product_finish(&b->product, f->parts, (uint32_t)b->parts.count, &f->product,
                                     error);
    if (status == BVP_OK)
        status = bvpi_order_hierarchies(f, f->product.instances, f->product.instance_count, error);
    if (status != BVP_OK)
        return status;
    fill_header(f);
    fill_sections(f);
    return BVP_OK;
}

static void fill_report(const bvpi_finishing *f, uint64_t file_size, bvp_build_report *r)
{
    const bvp_builder *b = f->b;
    const bvpd_header *h = &f->write.header;
    *r = (bvp_build_report){.part_count = (uint32_t)b->parts.count,
                            .shared_part_count = b->shared_part_count,
                            .packed_part_count = b->packed_part_count,
                            .instance_count = f->product.instance_count,
                            .node_count = f->product.node_count,
                            .triangle_count = h->triangle_count,
                            .unique_triangle_count = h->unique_triangle_count,
                            .file_size = file_size,
                            .hierarchy_size = h->hierarchy_size,
                            .geometry_size = h->geometry_size,
                            .id_size = h->id_size,
                            .dropped_triangle_count = b->dropped_triangle_count,
                            .dropped_node_count = b->product.dropped_count,
                            .stray_count = b->stray_count};
    memcpy(r->kind_size, f->kind_size, sizeof r->kind_size);
    r->kind_size[0] = f->product.top.size;
    r->other_size = file_size - h->hierarchy_size - h->geometry_size - h->id_size;
    for (uint32_t i = 0; i < b->parts.count; i++) {
        r->degenerate_count += f->parts[i].degenerate_count;
        r->duplicate_count += f->parts[i].duplicate_count;
        r->rounding_error = fmax(r->rounding_error, f->parts[i].rounding_error);
    }
}

void bvpi_finishing_free(bvpi_finishing *f)
{
    free(f->parts);
    free(f->hierarchies);
    bvpi_array_free(&f->data);
    bvpi_array_free(&f->ids);
    bvpi_array_free(&f->binary);
    bvpi_product_records_free(&f->product);
}

/* Writes to `path`, or to `fd` if path is NULL. */
static bvp_status finish(bvp_builder *b, const char *path, int fd, bvp_build_report *report,
                         bvp_error *error)
{
    const double start = now();
    bvpi_finishing f = {.b = b};
    uint64_t file_size = 0;
    if (b->finished)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the file was finished already");
    b->finished = true;
    bvp_status status = prepare(&f, error);
    const double prepared = now();
    if (status == BVP_OK)
        status = path ? bvpi_write_path(&f.write, path, &file_size, error)
                      : bvpi_write_fd(&f.write, fd, &file_size, error);
    if (status == BVP_OK && report) {
        fill_report(&f, file_size, report);
        report->seconds_build = b->seconds + (prepared - start);
        report->seconds_write = now() - prepared;
    }
    bvpi_finishing_free(&f);
    return status;
}

bvp_status bvp_builder_finish(bvp_builder *b, const char *path, bvp_build_report *report,
                              bvp_error *error)
{
    return finish(b, path, -1, report, error);
}

bvp_status bvp_builder_finish_fd(bvp_builder *b, int fd, bvp_build_report *report, bvp_error *error)
{
    return finish(b, NULL, fd, report, error);
}
