/* SPDX-License-Identifier: MIT
 * file_info.c: getters for the contents of a file: counts, parts, product tree, instances,
 * properties, provenance.
 *
 * Each record is copied once and then checked, because a mapped file may change between two reads.
 * Getters do not verify: they return what the record says if it is safe to return, and
 * BVP_ERR_CORRUPT if it is not.
 * Spec: format.md, chapters "Header" and "Parts" to "Provenance"
 */
#include "format/lazy.h"
#include "format/map.h"
#include "format/record.h"

#include "base/load.h"
#include "base/status.h"
#include "format/codec.h"
#include "format/colours.h"
#include "format/header.h"
#include "format/source.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void bvp_get_info(const bvp_file *file, bvp_file_info *out)
{
    const bvpd_header *h = &file->header;
    memset(out, 0, sizeof *out);
    out->format_major = h->version_major;
    out->format_minor = h->version_minor;
    out->file_size = h->file_size;
    out->triangle_count = h->triangle_count;
    out->unique_triangle_count = h->unique_triangle_count;
    out->part_count = h->part_count;
    out->instance_count = h->instance_count;
    out->node_count = h->node_count;
    out->instance_hierarchy_count = bvpi_top_count(file);
    out->unit_in_metres = h->unit_in_metres;
    out->up = bvpi_up_of_axis(h->up_axis);
    out->tessellation_tolerance = h->tessellation_tolerance;
    memcpy(out->lo, h->lo, sizeof out->lo);
    memcpy(out->hi, h->hi, sizeof out->hi);
    out->hierarchy_size = h->hierarchy_size;
    out->geometry_size = h->geometry_size;
    out->id_size = h->id_size;
    out->other_size = h->file_size - h->hierarchy_size - h->geometry_size - h->id_size;
    memcpy(out->root_hash, h->root_hash, sizeof out->root_hash);
    memcpy(out->source_hash, h->source_hash, sizeof out->source_hash);
    out->has_digests = file->digests.count > 0;
    out->is_thin = file->thin != NULL;
    out->is_over_buffers = (h->feature_incompatible & BVPD_FEATURE_OUTSIDE) != 0;
    out->store = bvpi_get_string(file, h->store);
}

/* A wide hierarchy's nodes are among the clusters; a binary one has its own bytes. */
static uint64_t size_of_hierarchy(const bvpd_hierarchy *h)
{
    return h->kind == BVPD_KIND_WIDE8 ? (uint64_t)BVPD_UNIT * h->node_count : h->data_size;
}

static bvp_status get_part(const bvp_file *file, uint32_t part, bvp_part_info *out)
{
    const bvpi_span *span = &file->section[BVPD_PART];
    const bvp_file *holder = file;
    uint32_t part_there = part;
    bvpi_part view;
    bvpd_part r; /* read once; for a part of a thin file, once from the file that holds it */
    if (part >= span->count)
        return BVP_ERR_ARGUMENT;
    bvpi_load_record(&r, span->data + (uint64_t)part * sizeof r, sizeof r);
    memset(out, 0, sizeof *out);
    out->name = bvpi_get_string(file, r.name);
    out->source_id = bvpi_get_string(file, r.source_id);
    bvp_status status = bvpi_resolve(&holder, &part_there);
    if (status == BVP_OK && holder != file)
        status = bvpi_get_part_record(holder, part_there, &r);
    if (status == BVP_OK)
        status = bvpi_view_part(holder, part_there, &r, &view);
    if (status != BVP_OK)
        return status;
    file = holder;
    out->triangle_count = view.triangle_count;
    out->vertex_count = r.vertex_count;
    out->cluster_count = view.cluster_count;
    out->hierarchy_count = r.hierarchy_count;
    memcpy(out->origin, view.origin, sizeof out->origin);
    memcpy(out->lo, view.lo, sizeof out->lo);
    memcpy(out->hi, view.hi, sizeof out->hi);
    out->rounding_error = r.rounding_error;
    out->degenerate_count = r.degenerate_count;
    out->duplicate_count = r.duplicate_count;
    out->open_edge_count = r.open_edge_count;
    out->nonmanifold_edge_count = r.nonmanifold_edge_count;
    /* Nodes of a wide hierarchy are in the blob, and no geometry. A forged count of them may be
     * larger than the blob. */
    const bvpi_span *hierarchies = &file->section[BVPD_HIER];
    uint64_t in_blob = 0;
    for (uint64_t i = 0; i < r.hierarchy_count && r.first_hierarchy + i < hierarchies->count; i++) {
        bvpd_hierarchy h;
        bvpi_load_record(&h, hierarchies->data + (r.first_hierarchy + i) * sizeof h, sizeof h);
        out->hierarchy_size += size_of_hierarchy(&h);
        in_blob += h.kind == BVPD_KIND_WIDE8 ? size_of_hierarchy(&h) : 0;
    }
    out->geometry_size = view.blob_size - (in_blob < view.blob_size ? in_blob : view.blob_size);
    out->id_size = view.ids_size;
    memcpy(out->content_hash, r.content_hash, sizeof out->content_hash);
    memcpy(out->address, r.address, sizeof out->address);
    memcpy(out->packer, r.packer, sizeof out->packer);
    out->has_ids = view.ids != NULL;
    return BVP_OK;
}

bvp_status bvp_get_part(const bvp_file *file, uint32_t part, bvp_part_info *out)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_part(file, part, out));
}

bvp_status bvp_get_parts(const bvp_file *file, bvp_range range, bvp_part_info *out, uint64_t *count)
{
    const bvpi_span *span = &file->section[BVPD_PART];
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvp_status status = range.first <= span->count ? BVP_OK : BVP_ERR_ARGUMENT;
    *count = 0;
    while (status == BVP_OK && *count < range.count && range.first + *count < span->count) {
        status = get_part(file, (uint32_t)(range.first + *count), &out[*count]);
        *count += status == BVP_OK;
    }
    return bvpi_call_end(&call, status);
}

static bvp_status get_part_identity(const bvp_file *file, uint32_t part, bvp_part_identity *out)
{
    const bvpi_span *span = &file->section[BVPD_PART];
    bvpd_part r;
    if (part >= span->count)
        return BVP_ERR_ARGUMENT;
    bvpi_load_record(&r, span->data + (uint64_t)part * sizeof r, sizeof r);
    for (int i = 0; i < 3; i++)
        if (!isfinite(r.lo[i]) || !isfinite(r.hi[i]) || !(r.lo[i] <= r.hi[i]) ||
            !isfinite(r.origin[i]))
            return BVP_ERR_CORRUPT;
    *out = (bvp_part_identity){.name = bvpi_get_string(file, r.name),
                               .source_id = bvpi_get_string(file, r.source_id),
                               .triangle_count = r.triangle_count};
    memcpy(out->origin, r.origin, sizeof out->origin);
    memcpy(out->lo, r.lo, sizeof out->lo);
    memcpy(out->hi, r.hi, sizeof out->hi);
    memcpy(out->content_hash, r.content_hash, sizeof out->content_hash);
    memcpy(out->address, r.address, sizeof out->address);
    return BVP_OK;
}

bvp_status bvp_get_part_identity(const bvp_file *file, uint32_t part, bvp_part_identity *out)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_part_identity(file, part, out));
}

static bvp_status check_part(const bvp_file *file, uint32_t part, bvp_error *error)
{
    bvpi_part view;
    bvp_status status = part == BVP_ASSEMBLY ? BVP_OK : bvpi_get_part(file, part, &view);
    if (status == BVP_OK)
        status = bvpi_touch(file, part);
    if (status == BVP_OK)
        return part == BVP_ASSEMBLY ? bvpi_check_names(file, error) : BVP_OK;
    if (status == BVP_ERR_ARGUMENT &&
        (part == BVP_ASSEMBLY || part >= file->header.part_count || !file->outside))
        return bvpi_error_set(error, status, BVPI_NO_OFFSET, "", "there is no part %" PRIu32, part);
    if (file->outside && part != BVP_ASSEMBLY &&
        bvpi_outside_touch(file, part, file->control) != BVP_OK)
        return bvpi_outside_explain(file, part, status, error);
    if (part != BVP_ASSEMBLY && bvpi_is_elsewhere(file, part))
        return bvpi_thin_explain(file, part, status, error);
    if (file->part_state && bvpi_explain_hashes(file, part, error) != BVP_OK)
        return status;
    return bvpi_error_set(error, status, BVPI_NO_OFFSET, "",
                          "part %" PRIu32 " is damaged; \"bvpack verify\" says where", part);
}

bvp_status bvp_check_part(const bvp_file *file, uint32_t part, bvp_error *error)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, check_part(file, part, error));
}

static bvp_status get_hierarchy(const bvp_file *file, uint32_t part, uint32_t hierarchy,
                                bvp_hierarchy_info *out)
{
    bvpd_part r;
    bvpd_hierarchy h;
    const bvp_status status = bvpi_resolve(&file, &part);
    const bvpi_span *parts = &file->section[BVPD_PART], *span = &file->section[BVPD_HIER];
    if (status != BVP_OK || part >= parts->count)
        return status != BVP_OK ? status : BVP_ERR_ARGUMENT;
    bvpi_load_record(&r, parts->data + part * sizeof r, sizeof r);
    if (hierarchy >= r.hierarchy_count)
        return BVP_ERR_ARGUMENT;
    if (r.hierarchy_count >= BVPD_KIND_END ||
        (uint64_t)r.first_hierarchy + hierarchy >= span->count)
        return BVP_ERR_CORRUPT;
    bvpi_load_record(&h, span->data + (r.first_hierarchy + (uint64_t)hierarchy) * sizeof h,
                     sizeof h);
    if (h.kind < BVPD_KIND_WIDE8 || h.kind >= BVPD_KIND_END || h.part != part)
        return BVP_ERR_CORRUPT;
    *out = (bvp_hierarchy_info){.kind = (bvp_kind)h.kind,
                                .split = h.split,
                                .leaf_size = h.leaf_size,
                                .node_count = h.node_count,
                                .leaf_count = h.leaf_count,
                                .depth = h.depth,
                                .plane_max = h.plane_max,
                                .offset_size = h.offset_size,
                                .size = size_of_hierarchy(&h),
                                .triangle_count = r.triangle_count,
                                .area_cost = h.area_cost};
    if (h.order_width > 0 && h.order_off <= h.data_size)
        out->order_size = h.data_size - h.order_off;
    return BVP_OK;
}

bvp_status bvp_get_hierarchy(const bvp_file *file, uint32_t part, uint32_t hierarchy,
                             bvp_hierarchy_info *out)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_hierarchy(file, part, hierarchy, out));
}

static bvp_status get_node(const bvp_file *file, uint32_t node, bvp_node_info *out)
{
    bvpd_tree_node r;
    const bvp_status status = bvpi_get_tree_node(file, node, &r);
    if (status != BVP_OK)
        return status;
    memset(out, 0, sizeof *out);
    out->name = bvpi_get_string(file, r.name);
    out->source_id = bvpi_get_string(file, r.source_id);
    out->parent = r.parent;
    out->end = r.end;
    out->part = out->instance = BVP_NONE;
    out->property_count = bvpi_property_count_of(file, node, r.first_property);
    const bvpi_span *instances = &file->section[BVPD_INST];
    if (r.item >= instances->count) /* only a placement */
        return bvpi_get_placement(file, (uint32_t)(r.item - instances->count), out->placement);
    bvpd_instance instance;
    bvpi_load_record(&instance, instances->data + r.item * sizeof instance, sizeof instance);
    out->instance = r.item;
    out->part = instance.part < file->section[BVPD_PART].count ? instance.part : BVP_NONE;
    return bvpi_get_local(file, &instance, out->placement);
}

bvp_status bvp_get_node(const bvp_file *file, uint32_t node, bvp_node_info *out)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_node(file, node, out));
}

static bvp_status get_instance(const bvp_file *file, uint32_t instance, bvp_instance_info *out)
{
    bvpd_instance record;
    bvp_status status = bvpi_get_instance(file, instance, &record, out->placement);
    if (status != BVP_OK)
        return status;
    out->part = record.part;
    out->node = record.node;
    return BVP_OK;
}

bvp_status bvp_get_instance(const bvp_file *file, uint32_t instance, bvp_instance_info *out)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_instance(file, instance, out));
}

static bvp_status get_property(const bvp_file *file, uint32_t node, uint32_t property,
                               bvp_string *key, bvp_string *value)
{
    const bvpi_span *tree = &file->section[BVPD_TREE], *properties = &file->section[BVPD_PROP];
    if (node >= tree->count || property >= properties->count)
        return BVP_ERR_ARGUMENT;
    const uint32_t first = bvpi_first_property_of(file, node);
    if (property >= bvpi_property_count_of(file, node, first))
        return BVP_ERR_ARGUMENT;
    const uint64_t idx = (uint64_t)first + property;
    assert(idx < properties->count);
    bvpd_property p;
    bvpi_load_record(&p, properties->data + idx * sizeof p, sizeof p);
    *key = bvpi_get_string(file, p.key);
    *value = bvpi_get_string(file, p.value);
    return BVP_OK;
}

bvp_status bvp_get_property(const bvp_file *file, uint32_t node, uint32_t property, bvp_string *key,
                            bvp_string *value)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_property(file, node, property, key, value));
}

/* ---- colours -------------------------------------------------------------------------------- */

/* *text: what is kept of the node's colours, or empty. */
static bvp_status find_colours(const bvp_file *file, uint32_t node, bvp_string *text)
{
    bvp_node_info info;
    bvp_string key;
    bvp_status status = get_node(file, node, &info);
    *text = (bvp_string){"", 0};
    for (uint32_t i = 0; status == BVP_OK && i < info.property_count; i++) {
        bvp_string value;
        status = get_property(file, node, i, &key, &value);
        if (status == BVP_OK && key.size == strlen(BVPI_COLOURS_KEY) &&
            memcmp(key.data, BVPI_COLOURS_KEY, key.size) == 0) {
            *text = value;
            break;
        }
    }
    return status;
}

static bvp_status get_colours(const bvp_file *file, uint32_t node, bvp_colour_run *runs,
                              uint32_t capacity, uint32_t *count)
{
    bvp_string text;
    const bvp_status status = find_colours(file, node, &text);
    *count = status == BVP_OK ? bvpi_parse_colours(text, runs, capacity) : 0;
    return status;
}

bvp_status bvp_get_colours(const bvp_file *file, uint32_t node, bvp_colour_run *runs,
                           uint32_t capacity, uint32_t *count)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_colours(file, node, runs, capacity, count));
}

/* ---- provenance ------------------------------------------------------------------------------ */

static bvp_status get_provenance(const bvp_file *file, char *buffer, size_t capacity, size_t *size,
                                 bvp_error *error)
{
    const bvpi_span *span = &file->section[BVPD_PROV];
    const bvpd_section *entry = &file->header.sections[bvpi_find_section(&file->header, BVPD_PROV)];
    *size = (size_t)entry->raw_size;
    bvpi_source_keep(file, span->data, span->size);
    if (entry->codec == 0) {
        const size_t copied = capacity < span->size ? capacity : (size_t)span->size;
        if (copied > 0)
            memcpy(buffer, span->data, copied);
        return BVP_OK;
    }
    return bvpi_decompress(span->data, span->size, entry->raw_size, buffer, capacity, error);
}

bvp_status bvp_get_provenance(const bvp_file *file, char *buffer, size_t capacity, size_t *size,
                              bvp_error *error)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_provenance(file, buffer, capacity, size, error));
}
