/* SPDX-License-Identifier: MIT
 * builder.c: the public builder: options, parts, and the product tree.
 *
 * A part goes through intake (checked, welded, hashed). If the builder has a part with the same
 * content it is shared. Otherwise its address, which names content and packing options, is asked of
 * the caller's store (find_packed); only what the store does not have is built. A finished builder
 * refuses further calls.
 *
 * Options are checked once, and defaults are filled in (complete_specs), so that later steps never
 * see a default. source_hash mixes the source's hash with every option that the bytes depend on.
 *
 * Held by tests/property/test_builder.c, and test_build_memory.c: each allocation fails once.
 * Spec: format.md
 */
#include "bvpack_build.h"

#include "base/parallel.h"
#include "base/status.h"
#include "base/utf8.h"
#include "pack/file/builder.h"
#include "pack/mesh/find_strays.h"
#include "pack/work.h"
#include "format/checksum.h"
#include "format/header.h"

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

static bvp_status refuse(bvp_error *error, bvp_status status, const char *text)
{
    return bvpi_error_set(error, status, BVPI_NO_OFFSET, "", "%s", text);
}

/* ---- making and freeing ---------------------------------------------------------------------- */

static bvp_status check_spec(const bvp_hierarchy_spec *s, uint32_t idx, bvp_error *error)
{
    const bool is_boxtree = s->kind == BVP_KIND_BOXTREE;
    const bool is_wide_rule = s->split == BVP_SPLIT_MORTON || s->split == BVP_SPLIT_FULL;
    const char *text = NULL;
    if ((uint32_t)s->kind > BVP_KIND_RSS)
        text = "its kind is none";
    else if (s->leaf_size > BVPD_LEAF_MAX)
        text = "its leaf_size is over 8";
    else if ((uint32_t)s->split > BVP_SPLIT_FULL)
        text = "its split is none";
    else if (s->kind <= BVP_KIND_WIDE && s->split > BVP_SPLIT_SAH && !is_wide_rule)
        text = "wide is cut by sah, morton or full only";
    else if (s->kind > BVP_KIND_WIDE && is_wide_rule)
        text = "only wide is cut by morton or full";
    else if (!is_boxtree && (s->plane_max != 0 || s->offset_size != 0))
        text = "plane_max and offset_size are for boxtree only";
    else if (s->plane_max > 3)
        text = "its plane_max is over 3";
    else if (s->split == BVP_SPLIT_RESTRICTED && (!is_boxtree || s->plane_max > 1))
        text = "only a boxtree of one plane a node is cut by restricted";
    else if (s->offset_size == 3 || s->offset_size > 4)
        text = "its offset_size is not 1, 2 or 4";
    else if ((uint32_t)s->fit > BVP_FIT_HULL)
        text = "its fit is none";
    else if (s->fit != BVP_FIT_DEFAULT && s->kind != BVP_KIND_OBB && s->kind != BVP_KIND_RSS)
        text = "fit is for obb and rss only";
    if (!text)
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "hierarchy %" PRIu32 ": %s",
                          idx, text);
}

/* BVP_KIND_DEFAULT means wide. */
static bvp_kind kind_of(const bvp_hierarchy_spec *s)
{
    return s->kind == BVP_KIND_DEFAULT ? BVP_KIND_WIDE : s->kind;
}

static bvp_status check_specs(const bvp_build_options *o, bvp_error *error)
{
    bvp_status status = BVP_OK;
    if (o->hierarchy_count > BVPI_SPEC_MAX)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "%" PRIu32 " hierarchies are asked for; there are %d kinds",
                              o->hierarchy_count, BVPI_SPEC_MAX);
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

static void complete_specs(bvp_builder *b)
{
    static const bvp_hierarchy_spec wide;
    bvp_build_options *o = &b->options;
    const uint32_t given = o->hierarchy_count;
    o->hierarchy_count = given ? given : 1;
    assert(o->hierarchy_count <= BVPI_SPEC_MAX && o->leaf_size > 0);
    for (uint32_t i = 0; i < o->hierarchy_count; i++) {
        const bvp_hierarchy_spec *s = given ? &o->hierarchies[i] : &wide;
        bvp_hierarchy_spec *out = &b->specs[i];
        *out = *s;
        out->kind = kind_of(s);
        out->leaf_size = s->leaf_size ? s->leaf_size : o->leaf_size;
        if (s->split == BVP_SPLIT_DEFAULT)
            out->split = BVP_SPLIT_SAH;
        if (s->fit == BVP_FIT_DEFAULT)
            out->fit = BVP_FIT_EXTREMES;
        if (s->kind == BVP_KIND_BOXTREE) {
            out->plane_max = s->split == BVP_SPLIT_RESTRICTED ? 1 : 3;
            out->plane_max = s->plane_max ? s->plane_max : out->plane_max;
            out->offset_size = s->offset_size ? s->offset_size : 1;
        }
    }
    if (o->rays)
        b->specs[o->hierarchy_count++] =
            (bvp_hierarchy_spec){.kind = BVP_KIND_RAYS, .split = BVP_SPLIT_SAH};
    o->hierarchies = b->specs;
}

static bvp_status check_source(const bvp_build_options *o, bvp_error *error)
{
    if (!isfinite(o->unit_in_metres) || o->unit_in_metres < 0)
        return refuse(error, BVP_ERR_ARGUMENT, "unit_in_metres is not a finite number >= 0");
    if ((uint32_t)o->up > BVP_UP_Z)
        return refuse(error, BVP_ERR_ARGUMENT, "up is none of BVP_UP_UNKNOWN to BVP_UP_Z");
    if (!isfinite(o->tessellation_tolerance) || o->tessellation_tolerance < 0)
        return refuse(error, BVP_ERR_ARGUMENT,
                      "tessellation_tolerance is not a finite number >= 0");
    if (o->provenance && !bvpi_is_utf8((const uint8_t *)o->provenance, strlen(o->provenance)))
        return refuse(error, BVP_ERR_ARGUMENT, "the provenance text is not UTF-8");
    return BVP_OK;
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
    if (o->share && (o->no_ids || o->deformable || o->thin || o->find_packed))
        return refuse(error, BVP_ERR_ARGUMENT,
                      "share does not go together with no_ids, deformable, thin or find_packed");
    if (o->store && !bvpi_is_utf8((const uint8_t *)o->store, strlen(o->store)))
        return refuse(error, BVP_ERR_ARGUMENT, "the store's path is not UTF-8");
    return check_source(o, error);
}

/* Mixes the source's hash with all options that the file's bytes depend on. */
static void mix_source_hash(const bvp_builder *b, const uint8_t source[16], uint8_t out[16])
{
    const bvp_build_options *o = &b->options;
    struct {
        uint8_t source[16];
        double unit_in_metres, tessellation_tolerance;
        uint32_t major, minor, no_ids, drop_invalid, up_axis, deformable;
        uint32_t hierarchy[BVPI_SPEC_MAX][5]; /* that for rays is known by the count */
        uint32_t hierarchy_count;
    } record = {.unit_in_metres = o->unit_in_metres,
                .tessellation_tolerance = o->tessellation_tolerance,
                .major = BVPD_VERSION_MAJOR,
                .minor = BVPD_VERSION_MINOR,
                .no_ids = o->no_ids != 0,
                .drop_invalid = o->drop_invalid != 0,
                .up_axis = bvpi_axis_of_up(o->up),
                /* bit 1, so that files without digests keep the hash they always had */
                .deformable = (uint32_t)(o->deformable != 0) | (uint32_t)(o->digests != 0) << 1 |
                              (uint32_t)(o->share != 0) << 2,
                .hierarchy_count = o->hierarchy_count};
    uint8_t bytes[sizeof record];
    assert(o->hierarchies == b->specs && o->hierarchy_count > 0); /* defaults are filled in */
    for (uint32_t i = 0; i < o->hierarchy_count && i < BVPI_SPEC_MAX; i++) {
        const bvp_hierarchy_spec *s = &b->specs[i];
        const uint32_t fields[5] = {(uint32_t)s->kind, s->leaf_size, (uint32_t)s->split,
                                    s->plane_max, bvpi_spec_detail(s)};
        memcpy(record.hierarchy[i], fields, sizeof fields);
    }
    memcpy(bytes, &record, sizeof record);
    memcpy(bytes, source, 16);
    bvpi_hash128(bytes, sizeof bytes, out);
}

/* The source's hash is mixed with options that are known by now. */
static bvp_status set_source(bvp_builder *b, const bvp_build_options *o, bvp_error *error)
{
    char *provenance = NULL;
    if (o->provenance) {
        provenance = malloc(strlen(o->provenance) + 1);
        if (!provenance)
            return bvpi_error_memory(error, strlen(o->provenance));
        memcpy(provenance, o->provenance, strlen(o->provenance) + 1);
    }
    free(b->provenance);
    b->provenance = provenance;
    b->options.unit_in_metres = o->unit_in_metres;
    b->options.tessellation_tolerance = o->tessellation_tolerance;
    b->options.up = o->up;
    memset(b->source_hash, 0, sizeof b->source_hash);
    if (o->source_hash)
        mix_source_hash(b, o->source_hash, b->source_hash);
    b->options.source_hash = NULL;
    b->options.provenance = NULL;
    return BVP_OK;
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
    status = set_source(b, o, error);
    if (status != BVP_OK) {
        free(b);
        return status;
    }
    *out = b;
    return BVP_OK;
}

bvp_status bvp_builder_set_source(bvp_builder *b, const bvp_build_options *options,
                                  bvp_error *error)
{
    if (b->finished)
        return refuse(error, BVP_ERR_ARGUMENT, "the file was finished already");
    const bvp_status status = check_source(options, error);
    return status == BVP_OK ? set_source(b, options, error) : status;
}

void bvp_builder_free(bvp_builder *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->parts.count; i++)
        bvpi_part_free(bvpi_part_at(b, i));
    bvpi_array_free(&b->parts);
    bvpi_hash_free(&b->by_content);
    bvpi_array_free(&b->buffers);
    bvpi_product_free(&b->product);
    free(b->provenance);
    free(b);
}

/* ---- parts ---------------------------------------------------------------------------------- */

bvp_status bvpi_check_part_name(const char *text, uint64_t part, bvp_error *error)
{
    if (!text || bvpi_is_utf8((const uint8_t *)text, strlen(text)))
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "the name or identifier of part %" PRIu64 " is not UTF-8; convert it",
                          part);
}

bvp_status bvpi_keep_part(bvp_builder *b, bvpi_part_bytes *made, const char *name,
                          const char *source_id, bvp_error *error)
{
    bvpi_part_bytes *stored;
    bvpd_part *p = &made->part;
    bvp_status status = bvpi_add_string(&b->product.strings, name, &p->name, error);
    if (status == BVP_OK)
        status = bvpi_add_string(&b->product.strings, source_id, &p->source_id, error);
    if (status == BVP_OK)
        status = bvpi_room_for_part(b, error);
    if (status == BVP_OK)
        status = bvpi_array_add(&b->parts, 1, sizeof *stored, &stored, error);
    if (status != BVP_OK) {
        bvpi_part_free(made);
        return status;
    }
    *stored = *made;
    bvpi_note_last_part(b);
    return BVP_OK;
}

bvp_status bvpi_build_in_memory(void *user, bvp_builder *b, const bvpi_intake *in,
                                bvpi_part_bytes *made, bvp_error *error)
{
    (void)user;
    bvpi_watch watch = {.control = b->options.control,
                        .progress = b->options.progress,
                        .user = b->options.progress_user};
    return bvpi_part_build(&in->mesh, b->specs, b->options.hierarchy_count, b->options.thread_count,
                           &watch, made, error);
}

static void copy_facts(const bvpi_intake *in, bvpd_part *p)
{
    memcpy(p->content_hash, in->content_hash, sizeof p->content_hash);
    memcpy(p->origin, in->origin, sizeof p->origin);
    p->rounding_error = in->rounding_error;
    p->duplicate_count = in->duplicate_count;
    p->open_edge_count = in->open_edge_count;
    p->nonmanifold_edge_count = in->nonmanifold_edge_count;
}

bvp_status bvpi_add_new_part(bvp_builder *b, const bvpi_intake *in, const char *name,
                             const char *source_id, bvpi_build_fn *build, void *user,
                             bvp_error *error)
{
    bvpi_part_bytes made;
    bvp_status status = BVP_OK;
    bvpd_part known;
    bvpi_identify_part(b, in, &known);
    bvpi_find_packed(b, &known, &made);
    if (made.blob) {
        b->packed_part_count++;
    } else {
        status = build(user, b, in, &made, error);
        if (status != BVP_OK)
            return status;
        copy_facts(in, &made.part);
    }
    memcpy(made.part.packer, known.packer, sizeof known.packer);
    memcpy(made.part.address, known.address, sizeof known.address);
    return bvpi_keep_part(b, &made, name, source_id, error);
}

static bvp_status add_part(bvp_builder *b, const bvp_mesh *mesh, uint32_t *part, bvp_error *error)
{
    bvpi_intake in;
    bvp_status status = bvpi_intake_mesh(mesh, &b->options, &in, error);
    if (status != BVP_OK)
        return status;
    *part = BVP_NONE;
    if (in.mesh.triangle_count > 0) {
        *part = bvpi_find_equal(b, in.content_hash, in.mesh.triangle_count, in.mesh.vertex_count);
        b->shared_part_count += *part != BVP_NONE;
        if (*part == BVP_NONE) {
            uint64_t stray_count;
            double factor;
            status = bvpi_count_strays(&in.mesh, &stray_count, &factor, error);
            if (status == BVP_OK && b->options.share)
                status = bvpi_check_corners(mesh, &in.mesh, error);
            if (status == BVP_OK && b->options.share)
                status = bvpi_keep_buffers(b, mesh, (uint32_t)b->parts.count, error);
            if (status == BVP_OK)
                status = bvpi_add_new_part(b, &in, mesh->name, mesh->source_id,
                                           bvpi_build_in_memory, NULL, error);
            if (status != BVP_OK && b->options.share)
                bvpi_drop_buffers(b, (uint32_t)b->parts.count);
            if (status == BVP_OK)
                b->stray_count += stray_count;
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
    bvp_status status = bvpi_check_part_name(mesh->name, b->parts.count, error);
    if (status == BVP_OK)
        status = bvpi_check_part_name(mesh->source_id, b->parts.count, error);
    bvp_mesh made = *mesh;
    if (status == BVP_OK && b->options.share)
        status = bvpi_mesh_over_buffers(mesh, &made, error);
    else if (status == BVP_OK && mesh->buffers)
        status = refuse(error, BVP_ERR_ARGUMENT, "buffers are for the option share only");
    if (status == BVP_OK)
        status = add_part(b, &made, part, error);
    bvpi_free_made(mesh, &made);
    b->seconds += now() - start;
    return status;
}

/* ---- the tree ------------------------------------------------------------------------------- */

bvp_status bvp_builder_add_node(bvp_builder *b, const bvp_new_node *given, uint32_t *node,
                                bvp_error *error)
{
    const uint32_t part = given->part;
    const bvpi_product_node added = {.parent = given->parent, .part = part};
    uint32_t idx;
    if (b->finished)
        return refuse(error, BVP_ERR_ARGUMENT, "the file was finished already");
    if (part != BVP_NONE && part >= b->parts.count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "a node carries part %" PRIu32 "; there are %" PRIu64
                              " parts (counted from 0)",
                              part, b->parts.count);
    bvp_status status = bvpi_product_add_node(&b->product, &added, given->name, given->source_id,
                                              given->placement, &idx, error);
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
