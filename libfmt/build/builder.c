/* SPDX-License-Identifier: MIT
 * builder.c: the public calls that make a file.
 * Spec: format.md
 */
#include "bvpack_build.h"

#include "base/status.h"
#include "base/utf8.h"
#include "build/intake.h"
#include "build/part.h"
#include "build/product.h"
#include "build/thread.h"
#include "build/weld.h"
#include "format/checksum.h"
#include "format/write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bvp_builder {
    bvp_build_options
        options; /* with the defaults filled in; its pointers point to the two below */
    uint8_t source_hash[16];
    char *provenance;
    bvp_hierarchy_spec specs[BVPI_HIERARCHY_MAX]; /* complete; options.hierarchy_count of them */
    bvpi_array parts;                             /* bvpi_part_bytes */
    bvpi_product product;
    uint32_t shared_part_count;
    uint64_t dropped_triangle_count;
    double seconds;
    bool finished;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bvp_status refuse(bvp_error *error, bvp_status status, const char *text)
{
    return bvpi_error_set(error, status, BVPI_NO_OFFSET, "", "%s", text);
}

/* ---- making and freeing ---------------------------------------------------------------------- */

static bvp_status check_spec(const bvp_hierarchy_spec *s, uint32_t idx, bvp_error *error)
{
    const bool is_boxtree = s->kind == BVP_KIND_BOXTREE;
    const char *text = NULL;
    if ((uint32_t)s->kind > BVP_KIND_RSS)
        text = "its kind is none";
    else if (s->leaf_size > BVPD_LEAF_MAX)
        text = "its leaf_size is over 8";
    else if ((uint32_t)s->split > BVP_SPLIT_MEAN)
        text = "its split is none";
    else if (s->kind <= BVP_KIND_WIDE && s->split > BVP_SPLIT_SAH)
        text = "wide is cut by sah only";
    else if (!is_boxtree && (s->plane_max != 0 || s->offset_size != 0))
        text = "plane_max and offset_size are for boxtree only";
    else if (s->plane_max > 3)
        text = "its plane_max is over 3";
    else if (s->offset_size == 3 || s->offset_size > 4)
        text = "its offset_size is not 1, 2 or 4";
    if (!text)
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "hierarchy %" PRIu32 ": %s",
                          idx, text);
}

/* BVP_KIND_DEFAULT is wide. */
static bvp_kind kind_of(const bvp_hierarchy_spec *s)
{
    return s->kind == BVP_KIND_DEFAULT ? BVP_KIND_WIDE : s->kind;
}

static bvp_status check_specs(const bvp_build_options *o, bvp_error *error)
{
    bvp_status status = BVP_OK;
    if (o->hierarchy_count > BVPI_HIERARCHY_MAX)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "%" PRIu32 " hierarchies are asked for; there are %d kinds",
                              o->hierarchy_count, BVPI_HIERARCHY_MAX);
    for (uint32_t i = 0; i < o->hierarchy_count && status == BVP_OK; i++) {
        const bvp_hierarchy_spec *s = &o->hierarchies[i];
        status = check_spec(s, i, error);
        if (status == BVP_OK && i > 0 && kind_of(s) == BVP_KIND_WIDE)
            status = refuse(error, BVP_ERR_ARGUMENT, "a wide hierarchy must be the first");
        for (uint32_t k = 0; k < i && status == BVP_OK; k++)
            if (kind_of(&o->hierarchies[k]) == kind_of(s))
                status =
                    refuse(error, BVP_ERR_ARGUMENT, "two hierarchies of one kind are asked for");
    }
    return status;
}

/* What the caller left open. */
static bvp_hierarchy_spec complete(const bvp_hierarchy_spec *s, uint32_t leaf_size)
{
    bvp_hierarchy_spec out = *s;
    out.kind = kind_of(s);
    out.leaf_size = s->leaf_size ? s->leaf_size : leaf_size;
    if (s->split == BVP_SPLIT_DEFAULT)
        out.split = BVP_SPLIT_SAH;
    if (s->kind == BVP_KIND_BOXTREE) {
        out.plane_max = s->plane_max ? s->plane_max : 3;
        out.offset_size = s->offset_size ? s->offset_size : 1;
    }
    return out;
}

static void complete_specs(bvp_builder *b)
{
    static const bvp_hierarchy_spec wide;
    bvp_build_options *o = &b->options;
    const uint32_t given = o->hierarchy_count;
    o->hierarchy_count = given ? given : 1;
    for (uint32_t i = 0; i < o->hierarchy_count; i++)
        b->specs[i] = complete(given ? &o->hierarchies[i] : &wide, o->leaf_size);
    o->hierarchies = b->specs;
}

static bvp_status check_options(const bvp_build_options *o, bvp_error *error)
{
    if (o->leaf_size > BVPD_LEAF_MAX)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "leaf_size is %" PRIu32 "; 1 to %d, or 0 for the default",
                              o->leaf_size, BVPD_LEAF_MAX);
    bvp_status status = check_specs(o, error);
    if (status != BVP_OK)
        return status;
    if (!isfinite(o->unit_in_metres) || o->unit_in_metres < 0)
        return refuse(error, BVP_ERR_ARGUMENT, "unit_in_metres is not a finite number >= 0");
    if (o->up_axis > 3)
        return refuse(error, BVP_ERR_ARGUMENT, "up_axis is over 3");
    if (o->provenance && !bvpi_is_utf8((const uint8_t *)o->provenance, strlen(o->provenance)))
        return refuse(error, BVP_ERR_ARGUMENT, "the provenance text is not UTF-8");
    return BVP_OK;
}

/* What else the file's bytes follow from, besides the source's. */
static void mix_source_hash(const bvp_builder *b, const uint8_t source[16], uint8_t out[16])
{
    const bvp_build_options *o = &b->options;
    struct {
        uint8_t source[16];
        double unit_in_metres;
        uint32_t major, minor, no_ids, drop_invalid, up_axis, deformable;
        uint32_t hierarchy[BVPI_HIERARCHY_MAX][5];
        uint32_t hierarchy_count;
    } record = {.unit_in_metres = o->unit_in_metres,
                .major = BVPD_VERSION_MAJOR,
                .minor = BVPD_VERSION_MINOR,
                .no_ids = o->no_ids != 0,
                .drop_invalid = o->drop_invalid != 0,
                .up_axis = o->up_axis,
                .deformable = o->deformable != 0,
                .hierarchy_count = o->hierarchy_count};
    uint8_t bytes[sizeof record];
    for (uint32_t i = 0; i < o->hierarchy_count; i++) {
        const bvp_hierarchy_spec *s = &b->specs[i];
        const uint32_t fields[5] = {(uint32_t)s->kind, s->leaf_size, (uint32_t)s->split,
                                    s->plane_max, s->offset_size};
        memcpy(record.hierarchy[i], fields, sizeof fields);
    }
    memcpy(bytes, &record, sizeof record);
    memcpy(bytes, source, 16);
    bvpi_hash128(bytes, sizeof bytes, out);
}

bvp_status bvp_builder_new(const bvp_build_options *options, bvp_builder **out, bvp_error *error)
{
    static const bvp_build_options defaults;
    const bvp_build_options *o = options ? options : &defaults;
    *out = NULL;
    bvp_status status = check_options(o, error);
    if (status != BVP_OK)
        return status;
    bvp_builder *b = calloc(1, sizeof *b);
    if (!b)
        return bvpi_error_memory(error, sizeof *b);
    b->options = *o;
    b->options.leaf_size = o->leaf_size ? o->leaf_size : BVPD_LEAF_MAX;
    b->options.thread_count = o->thread_count ? o->thread_count : bvpi_cpu_count();
    b->product.drop_invalid = o->drop_invalid != 0;
    complete_specs(b);
    if (o->source_hash)
        mix_source_hash(b, o->source_hash, b->source_hash);
    b->options.source_hash = NULL;
    b->options.provenance = NULL;
    if (o->provenance) {
        b->provenance = malloc(strlen(o->provenance) + 1);
        if (!b->provenance) {
            free(b);
            return bvpi_error_memory(error, strlen(o->provenance));
        }
        memcpy(b->provenance, o->provenance, strlen(o->provenance) + 1);
    }
    *out = b;
    return BVP_OK;
}

static bvpi_part_bytes *part_at(const bvp_builder *b, uint32_t idx)
{
    return (bvpi_part_bytes *)b->parts.data + idx;
}

void bvp_builder_free(bvp_builder *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->parts.count; i++)
        bvpi_part_free(part_at(b, i));
    bvpi_array_free(&b->parts);
    bvpi_product_free(&b->product);
    free(b->provenance);
    free(b);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* The part that holds the same mesh, or BVP_NONE. */
static uint32_t find_equal(const bvp_builder *b, const bvpi_intake *in)
{
    for (uint32_t i = 0; i < b->parts.count; i++) {
        const bvpd_part *p = &part_at(b, i)->part;
        if (memcmp(p->content_hash, in->content_hash, sizeof p->content_hash) == 0 &&
            p->triangle_count == in->mesh.triangle_count &&
            p->vertex_count == in->mesh.vertex_count)
            return i;
    }
    return BVP_NONE;
}

static bvp_status check_name(const char *text, uint64_t part, bvp_error *error)
{
    if (!text || bvpi_is_utf8((const uint8_t *)text, strlen(text)))
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the name or identifier of part %" PRIu64 " is not UTF-8; convert it",
                          part);
}

static bvp_status add_new_part(bvp_builder *b, const bvp_mesh *mesh, const bvpi_intake *in,
                               bvp_error *error)
{
    bvpi_part_bytes made, *stored;
    bvpi_watch watch = {.progress = b->options.progress, .user = b->options.progress_user};
    bvp_status status = bvpi_part_build(&in->mesh, b->specs, b->options.hierarchy_count,
                                        b->options.thread_count, &watch, &made, error);
    if (status != BVP_OK)
        return status;
    bvpd_part *p = &made.part;
    memcpy(p->content_hash, in->content_hash, sizeof p->content_hash);
    memcpy(p->origin, in->origin, sizeof p->origin);
    p->rounding_error = in->rounding_error;
    p->duplicate_count = in->duplicate_count;
    p->open_edge_count = in->open_edge_count;
    p->nonmanifold_edge_count = in->nonmanifold_edge_count;
    status = bvpi_add_string(&b->product.strings, mesh->name, &p->name, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&b->product.strings, mesh->source_id, &p->source_id, error);
    if (status == BVP_OK)
        status = bvpi_array_add(&b->parts, 1, sizeof *stored, &stored, error);
    if (status == BVP_OK)
        *stored = made;
    else
        bvpi_part_free(&made);
    return status;
}

static bvp_status add_part(bvp_builder *b, const bvp_mesh *mesh, uint32_t *part, bvp_error *error)
{
    bvpi_intake in;
    bvp_status status = bvpi_intake_mesh(mesh, &b->options, &in, error);
    if (status != BVP_OK)
        return status;
    *part = BVP_NONE;
    if (in.mesh.triangle_count > 0) {
        *part = find_equal(b, &in);
        b->shared_part_count += *part != BVP_NONE;
        if (*part == BVP_NONE) {
            status = add_new_part(b, mesh, &in, error);
            *part = (uint32_t)b->parts.count - 1;
        }
    }
    if (status == BVP_OK)
        b->dropped_triangle_count += in.dropped_count;
    bvpi_intake_free(&in);
    return status;
}

bvp_status bvp_builder_add_part(bvp_builder *b, const bvp_mesh *mesh, uint32_t *part,
                                bvp_error *error)
{
    const double start = now();
    if (b->finished)
        return refuse(error, BVP_ERR_ARGUMENT, "the file was finished already");
    bvp_status status = check_name(mesh->name, b->parts.count, error);
    if (status == BVP_OK)
        status = check_name(mesh->source_id, b->parts.count, error);
    if (status == BVP_OK)
        status = add_part(b, mesh, part, error);
    b->seconds += now() - start;
    return status;
}

/* ---- the tree ------------------------------------------------------------------------------- */

bvp_status bvp_builder_add_node(bvp_builder *b, uint32_t parent, const char *name,
                                const char *source_id, const double placement[12], uint32_t part,
                                uint32_t *node, bvp_error *error)
{
    const bvpi_product_node added = {.parent = parent, .part = part};
    uint32_t idx;
    if (b->finished)
        return refuse(error, BVP_ERR_ARGUMENT, "the file was finished already");
    if (part != BVP_NONE && part >= b->parts.count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "a node carries part %" PRIu32 "; there are %" PRIu64
                              " parts (counted from 0)",
                              part, b->parts.count);
    bvp_status status =
        bvpi_product_add_node(&b->product, &added, name, source_id, placement, &idx, error);
    if (status == BVP_OK && node)
        *node = idx;
    return status;
}

bvp_status bvp_builder_add_property(bvp_builder *b, uint32_t node, const char *key,
                                    const char *value, bvp_error *error)
{
    if (b->finished)
        return refuse(error, BVP_ERR_ARGUMENT, "the file was finished already");
    return bvpi_product_add_property(&b->product, node, key, value, error);
}

static bvp_status add_default_nodes(bvp_builder *b, bvp_error *error)
{
    bvp_status status = BVP_OK;
    uint32_t idx;
    if (b->product.nodes.count > 0)
        return BVP_OK;
    for (uint32_t i = 0; i < b->parts.count && status == BVP_OK; i++) {
        const bvpi_product_node node = {.parent = BVP_NONE, .part = i};
        status = bvpi_product_add_node(&b->product, &node, NULL, NULL, NULL, &idx, error);
        if (status == BVP_OK)
            ((bvpi_product_node *)b->product.nodes.data)[idx].name = part_at(b, i)->part.name;
    }
    return status;
}

/* ---- finishing ------------------------------------------------------------------------------ */

/* Everything that is written, in the form in which it is. */
typedef struct finishing {
    bvp_builder *b;
    bvpd_part *parts;
    bvpd_hierarchy *hierarchies;
    bvpi_product_records product;
    bvpi_array data, ids, binary;         /* bvpi_chunk */
    bvpi_chunk table[BVPD_SECTION_COUNT]; /* of the sections of one piece */
    bvpi_write write;
    uint64_t node_size;       /* of the nodes in DATA */
    uint64_t binary_size;     /* of BINH, so far */
    uint32_t hierarchy_count; /* of parts */
    uint64_t kind_size[BVPD_KIND_END];
} finishing;

static bvp_status add_chunks(finishing *f, const bvpi_part_bytes *part, bvp_error *error)
{
    const uint64_t most = bvpi_part_chunk_count(part);
    bvpi_chunk *chunks;
    bvp_status status = bvpi_array_add(&f->data, most, sizeof *chunks, &chunks, error);
    if (status != BVP_OK)
        return status;
    f->data.count -= most - bvpi_part_data(part, chunks);
    status = bvpi_array_add(&f->ids, most, sizeof *chunks, &chunks, error);
    if (status == BVP_OK)
        f->ids.count -= most - bvpi_part_ids(part, chunks);
    return status;
}

/* Zeros up to the next blob's alignment. */
static bvp_status pad_data(finishing *f, uint64_t *end, unsigned shift, bvp_error *error)
{
    const uint64_t alignment = UINT64_C(1) << shift;
    const uint64_t size = -*end & (alignment - 1);
    bvpi_chunk *chunk;
    if (size == 0)
        return BVP_OK;
    bvp_status status = bvpi_array_add(&f->data, 1, sizeof *chunk, &chunk, error);
    if (status == BVP_OK)
        chunk->size = size;
    *end += size;
    return status;
}

/* Appends a binary hierarchy to BINH, at a multiple of 64. */
static bvp_status add_binary(finishing *f, const uint8_t *bytes, bvpd_hierarchy *h,
                             bvp_error *error)
{
    const uint64_t padding = -f->binary_size & (BVPD_TABLE_ALIGN - 1);
    bvpi_chunk *chunks;
    bvp_status status = bvpi_array_add(&f->binary, 2, sizeof *chunks, &chunks, error);
    if (status != BVP_OK)
        return status;
    chunks[0] = (bvpi_chunk){NULL, padding};
    chunks[1] = (bvpi_chunk){bytes, h->data_size};
    h->data_off = f->binary_size + padding;
    f->binary_size = h->data_off + h->data_size;
    return BVP_OK;
}

/* The records of a part's hierarchies; `part`: as it is stored. */
static bvp_status place_hierarchies(finishing *f, uint32_t idx, const bvpi_part_bytes *bytes,
                                    bvpd_part *part, bvp_error *error)
{
    bvp_status status = BVP_OK;
    part->first_hierarchy = f->hierarchy_count;
    for (uint32_t k = 0; k < part->hierarchy_count && status == BVP_OK; k++) {
        bvpd_hierarchy *h = &f->hierarchies[f->hierarchy_count++];
        *h = bytes->hierarchy[k];
        h->part = idx;
        h->data_off = part->data_off;
        const uint64_t node_size = (uint64_t)h->node_count * BVPD_UNIT;
        f->kind_size[h->kind] += bytes->binary[k] ? h->data_size : node_size;
        if (bytes->binary[k])
            status = add_binary(f, bytes->binary[k], h, error);
        else
            f->node_size += node_size;
    }
    return status;
}

static bvp_status place_parts(finishing *f, bvp_error *error)
{
    uint64_t data_end = 0, ids_end = 0;
    const bvp_builder *b = f->b;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < b->parts.count && status == BVP_OK; i++) {
        const bvpi_part_bytes *bytes = part_at(b, i);
        status = pad_data(f, &data_end, bytes->part.cluster_shift, error);
        if (status == BVP_OK)
            status = add_chunks(f, bytes, error);
        f->parts[i] = bytes->part;
        f->parts[i].data_off = data_end;
        f->parts[i].ids_off = ids_end;
        if (status == BVP_OK)
            status = place_hierarchies(f, i, bytes, &f->parts[i], error);
        data_end += bytes->part.data_size;
        ids_end += bytes->part.ids_size;
        f->write.header.unique_triangle_count += bytes->part.triangle_count;
    }
    f->write.header.id_size = ids_end;
    f->write.header.geometry_size = data_end - f->node_size;
    return status;
}

static void set_table(finishing *f, int section, const void *data, uint64_t size)
{
    f->table[section] = (bvpi_chunk){data, size};
    f->write.section[section] = (bvpi_write_section){&f->table[section], size > 0};
}

static void fill_header(finishing *f)
{
    const bvp_builder *b = f->b;
    bvpd_header *h = &f->write.header;
    const bvpi_product_records *p = &f->product;
    memcpy(h->source_hash, b->source_hash, sizeof h->source_hash);
    h->up_axis = b->options.up_axis;
    h->unit_in_metres = b->options.unit_in_metres;
    memcpy(h->lo, p->lo, sizeof h->lo);
    memcpy(h->hi, p->hi, sizeof h->hi);
    h->top_hierarchy = p->instance_count > 0 ? f->hierarchy_count : BVPD_NONE;
    h->hierarchy_size = f->node_size + f->binary_size + p->top.hierarchy.data_size;
    for (uint32_t i = 0; i < p->instance_count; i++)
        h->triangle_count += f->parts[p->instances[i].part].triangle_count;
    f->write.progress = b->options.progress;
    f->write.progress_user = b->options.progress_user;
}

static void fill_sections(finishing *f)
{
    bvp_builder *b = f->b;
    const bvpi_product_records *p = &f->product;
    f->write.section[BVPD_DATA] = (bvpi_write_section){f->data.data, f->data.count};
    f->write.section[BVPD_TIDS] = (bvpi_write_section){f->ids.data, f->ids.count};
    f->write.section[BVPD_BINH] = (bvpi_write_section){f->binary.data, f->binary.count};
    const uint64_t hierarchies = f->hierarchy_count + (uint64_t)(p->instance_count > 0);
    f->hierarchies[f->hierarchy_count] = p->top.hierarchy;
    set_table(f, BVPD_PART, f->parts, b->parts.count * sizeof *f->parts);
    set_table(f, BVPD_HIER, f->hierarchies, hierarchies * sizeof *f->hierarchies);
    set_table(f, BVPD_PLAC, b->product.placements.bytes.data, b->product.placements.bytes.count);
    set_table(f, BVPD_TREE, p->tree, p->node_count * sizeof *p->tree);
    set_table(f, BVPD_INST, p->instances, p->instance_count * sizeof *p->instances);
    set_table(f, BVPD_TOPN, p->top.nodes, p->top.hierarchy.data_size);
    set_table(f, BVPD_PROP, p->properties, p->property_count * sizeof *p->properties);
    set_table(f, BVPD_STRS, b->product.strings.bytes.data, b->product.strings.bytes.count);
    set_table(f, BVPD_PROV, b->provenance, b->provenance ? strlen(b->provenance) : 0);
}

static bvp_status prepare(finishing *f, bvp_error *error)
{
    bvp_builder *b = f->b;
    f->parts = calloc(b->parts.count + 1, sizeof *f->parts);
    f->hierarchies =
        calloc(b->parts.count * b->options.hierarchy_count + 1, sizeof *f->hierarchies);
    if (!f->parts || !f->hierarchies)
        return bvpi_error_memory(error, b->parts.count * sizeof *f->parts);
    bvp_status status = place_parts(f, error);
    if (status == BVP_OK)
        status = add_default_nodes(b, error);
    if (status == BVP_OK)
        status = bvpi_product_finish(&b->product, f->parts, (uint32_t)b->parts.count, &f->product,
                                     error);
    if (status != BVP_OK)
        return status;
    fill_header(f);
    fill_sections(f);
    return BVP_OK;
}

static void fill_report(const finishing *f, uint64_t file_size, bvp_build_report *r)
{
    const bvp_builder *b = f->b;
    const bvpd_header *h = &f->write.header;
    *r = (bvp_build_report){.part_count = (uint32_t)b->parts.count,
                            .shared_part_count = b->shared_part_count,
                            .instance_count = f->product.instance_count,
                            .node_count = f->product.node_count,
                            .triangle_count = h->triangle_count,
                            .unique_triangle_count = h->unique_triangle_count,
                            .file_size = file_size,
                            .hierarchy_size = h->hierarchy_size,
                            .geometry_size = h->geometry_size,
                            .id_size = h->id_size,
                            .dropped_triangle_count = b->dropped_triangle_count,
                            .dropped_node_count = b->product.dropped_count};
    memcpy(r->kind_size, f->kind_size, sizeof r->kind_size);
    r->kind_size[0] = f->product.top.hierarchy.data_size;
    r->other_size = file_size - h->hierarchy_size - h->geometry_size - h->id_size;
    for (uint32_t i = 0; i < b->parts.count; i++) {
        r->degenerate_count += f->parts[i].degenerate_count;
        r->duplicate_count += f->parts[i].duplicate_count;
        r->rounding_error = fmax(r->rounding_error, f->parts[i].rounding_error);
    }
}

/* To `path`, or to `fd` when it is NULL. */
static bvp_status finish(bvp_builder *b, const char *path, int fd, bvp_build_report *report,
                         bvp_error *error)
{
    const double start = now();
    finishing f = {.b = b};
    uint64_t file_size = 0;
    if (b->finished)
        return refuse(error, BVP_ERR_ARGUMENT, "the file was finished already");
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
    free(f.parts);
    free(f.hierarchies);
    bvpi_array_free(&f.data);
    bvpi_array_free(&f.ids);
    bvpi_array_free(&f.binary);
    bvpi_product_records_free(&f.product);
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
