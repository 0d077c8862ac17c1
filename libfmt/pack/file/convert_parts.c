/* SPDX-License-Identifier: MIT
 * convert_parts.c: rewrites a file with all of its parts in it (fat), or with none (thin), or with
 * its parts built anew.
 *
 * The result is, byte for byte, the file that packing it that way would have made. So parts are put
 * into sections by the same code (finish.c), tables are copied as they are, and only the header,
 * the part and hierarchy records and the store's path are made anew. A path is appended to the
 * strings like any other text, and removed again only if nothing else refers to it.
 *
 * Parts are borrowed from the open file, not copied. A part that comes from a store is verified
 * first, because it may have been damaged since.
 *
 * Held by tests/property/test_packed.c, and test_repack.c for parts that are built anew.
 * Spec: format.md, chapter "Parts"
 */
#include "pack/file/finish.h"

#include "base/load.h"
#include "base/status.h"
#include "base/utf8.h"
#include "pack/file/save.h"
#include "format/map.h"
#include "format/record.h"
#include "format/source.h"
#include "pack/file/hierarchy_order.h"
#include "pack/file/rebuild_part.h"
#include "format/outside.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* State of the work: what its sections point to. */
typedef struct converting {
    const bvp_file *file;
    bvp_builder builder; /* only its parts are used; and if they are built anew, its options */
    bool is_repacking;
    bvpi_finishing finishing;
    bvpi_chunk chunks[BVPD_SECTION_COUNT];
    uint8_t *strings;
    char *provenance;
} converting;

/* ---- parts ---------------------------------------------------------------------------------- */

static bvp_status take_part(converting *c, uint32_t idx, bool thin, bvp_error *error)
{
    static const uint8_t zeros[16];
    const bvpi_span *span = &c->file->section[BVPD_PART];
    bvpi_part_bytes made, *stored;
    bvpd_part own;
    bvpi_load_record(&own, span->data + (uint64_t)idx * sizeof own, sizeof own);
    const bool is_verified = !bvpi_is_elsewhere(c->file, idx);
    bvp_status status = c->is_repacking
                            ? bvpi_part_rebuild(&c->builder, c->file, idx, &made, error)
                            : bvpi_part_take(c->file, idx, true, is_verified, &made, error);
    if (status != BVP_OK)
        return status;
    made.part.name = own.name;
    made.part.source_id = own.source_id;
    if (thin && memcmp(own.address, zeros, sizeof zeros) == 0)
        status =
            bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                           "part %" PRIu32 " has no address to refer to it by; pack it anew", idx);
    if (thin)
        bvpi_part_refer(&made);
    if (status == BVP_OK)
        status = bvpi_array_add(&c->builder.parts, 1, sizeof *stored, &stored, error);
    if (status == BVP_OK)
        *stored = made;
    else
        bvpi_part_free(&made);
    return status;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* The offset of the string's record, or the end if there is none. */
static uint64_t find_string(const bvpi_span *strings, const char *text, uint64_t size)
{
    uint64_t at = 0;
    while (strings->size - at >= 4) {
        const uint32_t length = bvpi_load_u32(strings->data + at);
        if (length > strings->size - at - 4)
            return strings->size;
        if (length == size && memcmp(strings->data + at + 4, text, size) == 0)
            return at;
        const uint64_t record = (4 + (uint64_t)length + 3) & ~UINT64_C(3);
        at = record < strings->size - at ? at + record : strings->size;
    }
    return strings->size;
}

/* Does anything but the header use the string? */
static bool is_named(const bvp_file *file, uint32_t reference)
{
    const bvpi_span *parts = &file->section[BVPD_PART], *tree = &file->section[BVPD_TREE];
    const bvpi_span *properties = &file->section[BVPD_PROP];
    bool named = false;
    for (uint64_t i = 0; i < parts->count && !named; i++) {
        const bvpd_part *r = (const bvpd_part *)parts->data + i;
        named = r->name == reference || r->source_id == reference;
    }
    for (uint64_t i = 0; i < tree->count && !named; i++) {
        const bvpd_tree_node *r = (const bvpd_tree_node *)tree->data + i;
        named = r->name == reference || r->source_id == reference;
    }
    for (uint64_t i = 0; i < properties->count && !named; i++) {
        const bvpd_property *r = (const bvpd_property *)properties->data + i;
        named = r->key == reference || r->value == reference;
    }
    return named;
}

/* The store's path is the last string, unless the file has that text anyway. A fat file has
 * none. */
static bvp_status make_strings(converting *c, bool thin, const char *store, bvp_error *error)
{
    const bvpi_span *from = &c->file->section[BVPD_STRS];
    bvpd_header *h = &c->finishing.write.header;
    const uint64_t room = store ? strlen(store) + 8 : 8;
    uint64_t size = from->size;
    c->strings = calloc(1, size + room);
    if (!c->strings)
        return bvpi_error_memory(error, size + room);
    if (h->store != 0) {
        const bvp_string old = bvpi_get_string(c->file, h->store);
        const uint64_t begin = (uint64_t)h->store * 4;
        if (begin + ((4 + old.size + 3) & ~UINT64_C(3)) == size && !is_named(c->file, h->store))
            size = begin;
    }
    memcpy(c->strings, from->data, size);
    h->store = 0;
    if (thin && store && *store) {
        const bvpi_span kept = {c->strings, size, 0};
        const uint32_t length = (uint32_t)strlen(store);
        const uint64_t begin = find_string(&kept, store, length);
        h->store = (uint32_t)(begin / 4);
        if (begin == size) {
            memcpy(c->strings + size, &length, sizeof length);
            memcpy(c->strings + size + 4, store, length);
            size += (4 + (uint64_t)length + 3) & ~UINT64_C(3);
        }
    }
    assert(size <= from->size + room);
    c->chunks[BVPD_STRS] = (bvpi_chunk){c->strings, size};
    return BVP_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void make_sections(converting *c)
{
    bvpi_finishing *f = &c->finishing;
    const bvp_file *file = c->file;
    for (int kind = 0; kind < BVPD_SECTION_COUNT; kind++) {
        if (kind != BVPD_STRS && kind != BVPD_PROV)
            c->chunks[kind] = (bvpi_chunk){file->section[kind].data, file->section[kind].size};
        f->write.section[kind] = (bvpi_write_section){&c->chunks[kind], 1};
    }
    const uint64_t hierarchies = f->hierarchy_count + bvpi_top_count(file);
    c->chunks[BVPD_PART] = (bvpi_chunk){f->parts, c->builder.parts.count * sizeof *f->parts};
    c->chunks[BVPD_HIER] = (bvpi_chunk){f->hierarchies, hierarchies * sizeof *f->hierarchies};
    f->write.section[BVPD_DATA] = (bvpi_write_section){f->data.data, f->data.count};
    f->write.section[BVPD_TIDS] = (bvpi_write_section){f->ids.data, f->ids.count};
    f->write.section[BVPD_BINH] = (bvpi_write_section){f->binary.data, f->binary.count};
}

static bvp_status prepare(converting *c, bool thin, const char *store, bvp_error *error)
{
    const bvp_file *file = c->file;
    bvpi_finishing *f = &c->finishing;
    const bvpi_span *records = &file->section[BVPD_HIER];
    bvpd_header *h = &f->write.header;
    bvp_status status = BVP_OK;
    size_t size = 0;
    f->b = &c->builder;
    *h = file->header;
    f->write.has_digests = file->digests.count > 0;
    if (c->is_repacking)
        memcpy(h->source_hash, c->builder.source_hash, sizeof h->source_hash);
    h->unique_triangle_count = 0; /* bvpi_place_parts() adds up */
    for (uint32_t i = 0; i < file->header.part_count && status == BVP_OK; i++)
        status = take_part(c, i, thin, error);
    if (status == BVP_OK)
        status = bvpi_place_parts(f, error);
    if (status == BVP_OK)
        status = bvpi_order_hierarchies(
            f, (const bvpd_instance *)(const void *)file->section[BVPD_INST].data,
            file->section[BVPD_INST].count, error);
    if (status == BVP_OK)
        status = make_strings(c, thin, store, error);
    if (c->provenance)
        size = strlen(c->provenance);
    else if (status == BVP_OK)
        status = bvpi_copy_provenance(file, &c->provenance, &size, error);
    if (status != BVP_OK)
        return status;
    assert(c->builder.parts.count == file->header.part_count);
    c->chunks[BVPD_PROV] = (bvpi_chunk){c->provenance, size};
    for (uint64_t k = 0; k < bvpi_top_count(file); k++)
        if (file->header.top_hierarchy + k < records->count)
            bvpi_load_record(&f->hierarchies[f->hierarchy_count + k],
                             records->data +
                                 (file->header.top_hierarchy + k) * sizeof *f->hierarchies,
                             sizeof *f->hierarchies);
    h->feature_incompatible = (thin ? BVPD_FEATURE_THIN : 0) |
                              (file->header.feature_incompatible & BVPD_FEATURE_TOPS) | f->features;
    h->top_hierarchy = h->instance_count > 0 ? f->hierarchy_count : BVPD_NONE;
    h->hierarchy_size = f->node_size + f->binary_size + file->section[BVPD_TOPN].size;
    make_sections(c);
    return BVP_OK;
}

static void free_all(converting *c)
{
    for (uint64_t i = 0; i < c->builder.parts.count; i++)
        bvpi_part_free(bvpi_part_at(&c->builder, (uint32_t)i));
    bvpi_array_free(&c->builder.parts);
    bvpi_finishing_free(&c->finishing);
    free(c->strings);
    free(c->provenance);
    free(c);
}

bvp_status bvp_convert_fd(const bvp_file *file, int thin, const char *store, int fd,
                          bvp_error *error)
{
    if (store && !bvpi_is_utf8((const uint8_t *)store, strlen(store)))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the store's path is not UTF-8");
    converting *c = calloc(1, sizeof *c);
    if (!c)
        return bvpi_error_memory(error, sizeof *c);
    c->file = file;
    bvp_status status = bvpi_source_refuse(file, error);
    if (status == BVP_OK)
        status = prepare(c, thin != 0, store, error);
    if (status == BVP_OK)
        status = bvpi_write_fd(&c->finishing.write, fd, NULL, error);
    free_all(c);
    return status;
}

/* ---- parts built anew ------------------------------------------------------------------------ */

static bvp_status refuse_options(const bvp_build_options *o, bvp_error *error)
{
    if (!o->share && !o->thin && !o->find_packed)
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "parts that are built anew are in the file, with their triangles");
}

bvp_status bvp_repack_fd(const bvp_file *file, const bvp_build_options *options, int fd,
                         bvp_error *error)
{
    bvp_build_options o = options ? *options : (bvp_build_options){0};
    bvp_builder *made = NULL;
    bvp_status status = refuse_options(&o, error);
    if (status == BVP_OK)
        status = bvpi_source_refuse(file, error);
    if (status == BVP_OK)
        status = bvpi_outside_refuse(file, error);
    if (status != BVP_OK)
        return status;
    bvp_file_info info;
    bvp_get_info(file, &info);
    o.unit_in_metres = info.unit_in_metres;
    o.up = info.up;
    o.tessellation_tolerance = info.tessellation_tolerance;
    o.digests = info.has_digests;
    if (!o.source_hash)
        o.source_hash = file->header.source_hash;
    converting *c = calloc(1, sizeof *c);
    if (!c)
        return bvpi_error_memory(error, sizeof *c);
    c->file = file;
    c->is_repacking = true;
    status = bvp_builder_new(&o, &made, error);
    if (status == BVP_OK) {
        c->builder = *made;
        c->builder.options.hierarchies = c->builder.specs;
        c->builder.provenance = NULL;
        c->provenance = made->provenance; /* or NULL: the old one's */
        made->provenance = NULL;
        bvp_builder_free(made);
        status = prepare(c, false, NULL, error);
    }
    if (status == BVP_OK)
        status = bvpi_write_fd(&c->finishing.write, fd, NULL, error);
    free_all(c);
    return status;
}
