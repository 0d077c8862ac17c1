/* SPDX-License-Identifier: MIT
 * file_columns.c: instances, nodes, parts and properties in bulk, into arrays of the caller.
 *
 * What single calls return, row by row, without what they cost for each: a call, columns that
 * nobody asked for, and, of a file from a source, a read for each chunk. A column that is not
 * wanted is not read either, so a record that is damaged there does not matter.
 *
 * Slow twin: the single calls, tests/property/test_columns.c.
 * Spec: format.md, chapters "Parts" to "Strings"
 * Measured: decisions.md, "Tables in bulk".
 */
#include <assert.h>
#include <string.h>

#include "base/load.h"
#include "base/report.h"
#include "format/record.h"
#include "format/source.h"

#define IS_SOUND(columns)                                                                          \
    ((columns) != NULL && bvpi_is_zero((columns)->reserved, sizeof(columns)->reserved))

/* The rows of the range that exist. BVP_ERR_ARGUMENT: it begins beyond the end, or the columns are
 * not sound. */
static bvp_status clip(bvp_range *range, uint64_t count, bool is_sound)
{
    if (range->first > count || !is_sound)
        return BVP_ERR_ARGUMENT;
    if (range->count > count - range->first)
        range->count = count - range->first;
    return BVP_OK;
}

/* Of a file from a source all of these records come at once. */
static void want_rows(const bvp_file *file, enum bvpd_section_index section, uint64_t first,
                      uint64_t count, size_t size)
{
    const bvpi_span *span = &file->section[section];
    assert(first <= span->count && count <= span->count - first);
    if (file->source && count > 0)
        bvpi_want(span->data + first * size, (size_t)count * size);
}

/* ---- instances ------------------------------------------------------------------------------- */

/* Row i. */
static bvp_status get_instance_row(const bvp_file *file, uint32_t instance, uint64_t i,
                                   const bvp_instance_columns *out)
{
    bvpd_instance r;
    double placement[12];
    bvp_status status = out->placements ? bvpi_get_instance(file, instance, &r, placement)
                                        : bvpi_get_instance_record(file, instance, &r);
    if (status != BVP_OK)
        return status;
    if (out->placements)
        memcpy(out->placements + 12 * i, placement, sizeof placement);
    if (out->parts)
        out->parts[i] = r.part;
    if (out->nodes)
        out->nodes[i] = r.node;
    if (out->names) {
        bvpd_tree_node node;
        status = bvpi_get_tree_node(file, r.node, &node);
        if (status == BVP_OK)
            out->names[i] = bvpi_get_string(file, node.name);
    }
    return status;
}

bvp_status bvp_get_instances(const bvp_file *file, bvp_range range, const bvp_instance_columns *out,
                             uint64_t *count)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvp_status status = clip(&range, file->section[BVPD_INST].count, IS_SOUND(out));
    *count = 0;
    if (status == BVP_OK)
        want_rows(file, BVPD_INST, range.first, range.count, sizeof(bvpd_instance));
    for (; status == BVP_OK && *count < range.count; *count += status == BVP_OK)
        status = get_instance_row(file, (uint32_t)(range.first + *count), *count, out);
    return bvpi_call_end(&call, status);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* What stands at a node: an instance, or a placement only. */
static bvp_status get_node_item(const bvp_file *file, const bvpd_tree_node *r, uint64_t i,
                                const bvp_node_columns *out)
{
    const bvpi_span *instances = &file->section[BVPD_INST];
    const bool has_instance = r->item < instances->count;
    double *placement = out->placements ? out->placements + 12 * i : NULL;
    bvpd_instance instance = {.part = BVP_NONE};
    if (out->instances)
        out->instances[i] = has_instance ? r->item : BVP_NONE;
    if (has_instance && (out->parts || placement))
        bvpi_load_record(&instance, instances->data + r->item * sizeof instance, sizeof instance);
    if (out->parts)
        out->parts[i] = instance.part < file->section[BVPD_PART].count ? instance.part : BVP_NONE;
    if (!placement)
        return BVP_OK;
    return has_instance
               ? bvpi_get_local(file, &instance, placement)
               : bvpi_get_placement(file, (uint32_t)(r->item - instances->count), placement);
}

static bvp_status get_node_row(const bvp_file *file, uint32_t node, uint64_t i,
                               const bvp_node_columns *out)
{
    bvpd_tree_node r;
    bvp_status status = bvpi_get_tree_node(file, node, &r);
    if (status == BVP_OK)
        status = get_node_item(file, &r, i, out);
    if (status != BVP_OK)
        return status;
    if (out->parents)
        out->parents[i] = r.parent;
    if (out->ends)
        out->ends[i] = r.end;
    if (out->property_counts)
        out->property_counts[i] = bvpi_property_count_of(file, node, r.first_property);
    if (out->names)
        out->names[i] = bvpi_get_string(file, r.name);
    if (out->source_ids)
        out->source_ids[i] = bvpi_get_string(file, r.source_id);
    return BVP_OK;
}

bvp_status bvp_get_nodes(const bvp_file *file, bvp_range range, const bvp_node_columns *out,
                         uint64_t *count)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvp_status status = clip(&range, file->section[BVPD_TREE].count, IS_SOUND(out));
    *count = 0;
    if (status == BVP_OK)
        want_rows(file, BVPD_TREE, range.first, range.count, sizeof(bvpd_tree_node));
    for (; status == BVP_OK && *count < range.count; *count += status == BVP_OK)
        status = get_node_row(file, (uint32_t)(range.first + *count), *count, out);
    return bvpi_call_end(&call, status);
}

/* ---- properties ------------------------------------------------------------------------------ */

/* Properties first .. first + count - 1 of the file, to *at on, as far as there is room. */
static void get_property_run(const bvp_file *file, uint64_t first, uint64_t count, uint64_t at,
                             uint64_t capacity, const bvp_property_columns *out)
{
    const bvpi_span *properties = &file->section[BVPD_PROP];
    const uint64_t room = at < capacity ? capacity - at : 0;
    const uint64_t copied = count < room ? count : room;
    assert(first + count <= properties->count);
    want_rows(file, BVPD_PROP, first, copied, sizeof(bvpd_property));
    for (uint64_t k = 0; k < copied; k++) {
        bvpd_property p;
        bvpi_load_record(&p, properties->data + (first + k) * sizeof p, sizeof p);
        if (out->keys)
            out->keys[at + k] = bvpi_get_string(file, p.key);
        if (out->values)
            out->values[at + k] = bvpi_get_string(file, p.value);
    }
}

static bvp_status get_properties(const bvp_file *file, bvp_range nodes, uint64_t capacity,
                                 const bvp_property_columns *out, uint64_t *count)
{
    bvp_status status = clip(&nodes, file->section[BVPD_TREE].count, IS_SOUND(out));
    *count = 0;
    if (status != BVP_OK)
        return status;
    want_rows(file, BVPD_TREE, nodes.first, nodes.count, sizeof(bvpd_tree_node));
    if (out->offsets)
        out->offsets[0] = 0;
    for (uint64_t i = 0; i < nodes.count; i++) {
        const uint32_t node = (uint32_t)(nodes.first + i);
        const uint32_t first = bvpi_first_property_of(file, node);
        const uint32_t run = bvpi_property_count_of(file, node, first);
        if (run > 0 && (out->keys || out->values))
            get_property_run(file, first, run, *count, capacity, out);
        *count += run;
        if (out->offsets)
            out->offsets[i + 1] = *count;
    }
    return BVP_OK;
}

bvp_status bvp_get_properties(const bvp_file *file, bvp_range nodes, uint64_t capacity,
                              const bvp_property_columns *out, uint64_t *count)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, get_properties(file, nodes, capacity, out, count));
}
