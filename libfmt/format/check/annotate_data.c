/* SPDX-License-Identifier: MIT
 * annotate_data.c: explains DATA and TIDS: nodes, cluster records, tables, triangle numbers.
 * Spec: format.md, chapters "Nodes", "Cluster records", "Triangle numbers"
 */
#include "format/check/annotate.h"

#include "format/triangle_ids.h"
#include "node/cluster_record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { PREFIX_SIZE = 64, PATH_SIZE = 128, SHOWN = 8 };

/* A part's blob; offsets count from its start, where the cursor was. */
typedef struct blob_walk {
    bvpi_annotator *a;
    bvpi_part part;
    uint64_t start;
    char prefix[PREFIX_SIZE];
} blob_walk;

/* Explains up to `end` of the blob, unless the cursor is beyond. */
static void say(blob_walk *w, uint64_t end, const char *name, const char *value, const char *rule)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", w->prefix, name);
    bvpi_annotate_bytes(w->a, w->start + end, path, value, rule);
}

static void annotate_nodes(blob_walk *w, uint64_t end)
{
    while (!w->a->stopped && w->a->cursor + BVPD_UNIT <= w->start + end) {
        char prefix[PATH_SIZE];
        snprintf(prefix, sizeof prefix, "%s.node[%" PRIu64 "]", w->prefix,
                 (w->a->cursor - w->start) / BVPD_UNIT);
        bvpi_annotate_fields(w->a, prefix, bvpi_node_fields);
    }
}

/* Explains up to `end` of a record, under the spec's name for it. */
static void say_of(blob_walk *w, const char *prefix, const char *name, const uint8_t *end,
                   const char *value, const char *rule)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", prefix, name);
    bvpi_annotate_bytes(w->a, (uint64_t)(end - w->a->file->base), path, value, rule);
}

/* One record, if it begins at the cursor or later and ends before the table. */
static bool annotate_cluster(blob_walk *w, uint32_t idx)
{
    const uint64_t place = bvpi_cluster_off(&w->part, idx);
    bvpi_cluster cluster;
    if (w->start + place < w->a->cursor ||
        !bvpi_cluster_open(w->part.blob, w->part.blob_size, w->part.outside, place, &cluster))
        return false;
    const uint64_t nodes = place + bvpi_cluster_nodes_off(&cluster);
    const uint64_t end = nodes + (uint64_t)cluster.head.node_count * BVPD_UNIT;
    if (end > w->part.cluster_table_off)
        return false;
    char name[PREFIX_SIZE], prefix[PREFIX_SIZE + 32], value[BVPI_VALUE_MAX] = "";
    say(w, place, "padding", "", "CLU-10");
    snprintf(prefix, sizeof prefix, "%s.cluster[%" PRIu32 "]", w->prefix, idx);
    bvpi_annotate_fields(w->a, prefix, bvpi_cluster_fields);

    bvpi_add_to_value(value, "%" PRIu32 " x %u bits:", cluster.triangle_count,
                      cluster.corners_width);
    for (uint32_t i = 0; i < cluster.triangle_count && i < SHOWN; i++)
        bvpi_add_to_value(value, "%s %" PRIu32 " %" PRIu32 " %" PRIu32, i > 0 ? "," : "",
                          bvpi_cluster_corner(&cluster, i, 0), bvpi_cluster_corner(&cluster, i, 1),
                          bvpi_cluster_corner(&cluster, i, 2));
    if (cluster.triangle_count > SHOWN)
        bvpi_add_to_value(value, " ...");
    say_of(w, prefix, "corners", cluster.vertices, value, "CLU-7");

    value[0] = '\0';
    bvpi_add_to_value(value, "%" PRIu32 " x %u bits:", cluster.vertex_count, cluster.vertex_width);
    for (uint32_t i = 0; i < cluster.vertex_count && i < SHOWN / 2; i++)
        bvpi_add_to_value(
            value, "%s %.9g %.9g %.9g", i > 0 ? "," : "", bvpi_cluster_coordinate(&cluster, 0, i),
            bvpi_cluster_coordinate(&cluster, 1, i), bvpi_cluster_coordinate(&cluster, 2, i));
    if (cluster.vertex_count > SHOWN / 2)
        bvpi_add_to_value(value, " ...");
    say_of(w, prefix, "vertices", cluster.table[0], value, "CLU-8");

    for (int axis = 0; axis < 3; axis++) {
        static const char *const names[] = {"table.x", "table.y", "table.z"};
        snprintf(value, sizeof value, "%u x %u bits", cluster.head.table_count[axis],
                 cluster.width[axis]);
        say_of(w, prefix, names[axis], axis < 2 ? cluster.table[axis + 1] : cluster.end, value,
               "CLU-12");
    }
    snprintf(name, sizeof name, "cluster[%" PRIu32 "].padding", idx);
    say(w, nodes, name, "", "CLU-10");
    annotate_nodes(w, end);
    return true;
}

/* False: from the cursor on, the blob makes no sense. */
static bool annotate_blob(blob_walk *w, uint32_t part)
{
    const bvp_file *file = w->a->file;
    const bvpi_span *parts = &file->section[BVPD_PART], *records = &file->section[BVPD_HIER];
    assert(part < parts->count);
    const uint32_t first = bvpi_load_u32(parts->data + part * sizeof(bvpd_part) +
                                         offsetof(bvpd_part, first_hierarchy));
    uint64_t uppers = 0; /* bytes of the upper nodes of the wide hierarchy, if there is one */
    const uint8_t *record = records->data;
    if (first < records->count)
        record += first * sizeof(bvpd_hierarchy);
    if (first < records->count && bvpi_load_u32(record) == BVPD_KIND_WIDE8)
        uppers =
            (uint64_t)BVPD_UNIT * bvpi_load_u32(record + offsetof(bvpd_hierarchy, upper_count));
    if (uppers > w->part.cluster_table_off)
        return false;
    annotate_nodes(w, uppers);
    for (uint32_t i = 0; i < w->part.cluster_count && !w->a->stopped; i++)
        if (!annotate_cluster(w, i))
            return false;
    say(w, w->part.cluster_table_off, "padding", "", "CLU-10");
    for (uint32_t i = 0; i < w->part.cluster_count && !w->a->stopped; i++) {
        char name[PREFIX_SIZE], value[BVPI_VALUE_MAX];
        const uint64_t place = w->part.cluster_table_off + 4 * (uint64_t)i;
        assert(place + 4 <= w->part.blob_size);
        snprintf(name, sizeof name, "cluster_table[%" PRIu32 "]", i);
        snprintf(value, sizeof value, "%" PRIu32, bvpi_load_u32(w->part.blob + place));
        say(w, place + 4, name, value, "CLU-1");
    }
    say(w, w->part.blob_size, "padding", "", "PRT-6");
    return true;
}

void bvpi_annotate_data(bvpi_annotator *a)
{
    for (uint32_t i = 0; i < a->file->header.part_count && !a->stopped; i++) {
        blob_walk w = {.a = a};
        if (bvpi_is_elsewhere(a->file, i))
            continue;
        if (bvpi_get_part(a->file, i, &w.part) != BVP_OK)
            return;
        w.start = (uint64_t)(w.part.blob - a->file->base);
        if (w.start < a->cursor)
            return;
        snprintf(w.prefix, sizeof w.prefix, "DATA.part[%" PRIu32 "]", i);
        bvpi_annotate_bytes(a, w.start, "padding", "", "PRT-2");
        if (!annotate_blob(&w, i)) {
            a->unknown = true;
            bvpi_annotate_bytes(a, w.start + w.part.blob_size, "unknown", "", "");
        }
    }
}

/* ---- triangle numbers ----------------------------------------------------------------------- */

/* One id record at the cursor, if it fits. */
static bool annotate_record(bvpi_annotator *a, const bvpi_part *part, uint32_t idx,
                            const bvpi_cluster *cluster, const char *prefix)
{
    char path[PATH_SIZE], value[BVPI_VALUE_MAX] = "";
    const uint64_t start = (uint64_t)(part->ids - a->file->base);
    const uint64_t offset = a->cursor - start;
    uint64_t packed_off;
    bvpd_ids head;
    if (cluster->head.id_off * UINT64_C(4) != offset ||
        !bvpi_ids_head(part->ids, part->ids_size, &cluster->head, &head, &packed_off))
        return false;
    const uint32_t size = bvpi_ids_packed_size(&head, cluster->triangle_count);
    if (size > part->ids_size - packed_off)
        return false;
    snprintf(path, sizeof path, "%s.cluster[%" PRIu32 "]", prefix, idx);
    if (packed_off > offset)
        bvpi_annotate_fields(a, path, bvpi_ids_fields);
    for (uint32_t i = 0; i < cluster->triangle_count && i < SHOWN; i++)
        bvpi_add_to_value(value, "%s%" PRIu64, i > 0 ? " " : "",
                          bvpi_triangle_id(part, &cluster->head, i));
    if (cluster->triangle_count > SHOWN)
        bvpi_add_to_value(value, " ...");
    snprintf(path, sizeof path, "%s.cluster[%" PRIu32 "].packed", prefix, idx);
    bvpi_annotate_bytes(a, a->cursor + size, path, value, "IDS-4");
    return true;
}

void bvpi_annotate_ids(bvpi_annotator *a)
{
    for (uint32_t i = 0; i < a->file->header.part_count && !a->stopped; i++) {
        bvpi_part part;
        char prefix[PREFIX_SIZE];
        if (bvpi_is_elsewhere(a->file, i))
            continue;
        if (bvpi_get_part(a->file, i, &part) != BVP_OK)
            return;
        if (!part.ids)
            continue;
        if (part.ids != a->file->base + a->cursor)
            return;
        snprintf(prefix, sizeof prefix, "TIDS.part[%" PRIu32 "]", i);
        for (uint32_t k = 0; k < part.cluster_count && !a->stopped; k++) {
            bvpi_cluster cluster;
            if (!bvpi_cluster_open(part.blob, part.blob_size, part.outside,
                                   bvpi_cluster_off(&part, k), &cluster) ||
                !annotate_record(a, &part, k, &cluster, prefix))
                return;
        }
    }
}
