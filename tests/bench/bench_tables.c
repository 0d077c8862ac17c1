/* SPDX-License-Identifier: MIT
 * bench_tables.c: a file's instances, nodes, parts and properties read row by row and in bulk, into
 * the same columns, which are compared.
 * Usage: bench_tables FILE.bvp [source]: mapped, or from a source that copies from memory
 */
#include "bench.h"
#include "bench_rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tables {
    const bvp_file *file;
    bvp_file_info info;
    uint64_t property_count;
    bvp_instance_columns instances;
    bvp_node_columns nodes;
    bvp_part_info *parts;
    bvp_property_columns properties;
} tables;

static void *room(uint64_t count, size_t size)
{
    void *out = calloc(count + 1, size);
    if (!out)
        exit(1);
    return out;
}

static void make_tables(tables *t, const bvp_file *file)
{
    memset(t, 0, sizeof *t);
    t->file = file;
    bvp_get_info(file, &t->info);
    const uint64_t nodes = t->info.node_count, instances = t->info.instance_count;
    bench_require(
        bvp_get_properties(file, (bvp_range){0, nodes}, 0, &t->properties, &t->property_count),
        "count of properties");
    t->instances = (bvp_instance_columns){.parts = room(instances, 4),
                                          .nodes = room(instances, 4),
                                          .placements = room(instances, 96),
                                          .names = room(instances, sizeof(bvp_string))};
    t->nodes = (bvp_node_columns){.parents = room(nodes, 4),
                                  .ends = room(nodes, 4),
                                  .parts = room(nodes, 4),
                                  .instances = room(nodes, 4),
                                  .property_counts = room(nodes, 4),
                                  .placements = room(nodes, 96),
                                  .names = room(nodes, sizeof(bvp_string)),
                                  .source_ids = room(nodes, sizeof(bvp_string))};
    t->parts = room(t->info.part_count, sizeof *t->parts);
    t->properties = (bvp_property_columns){.offsets = room(nodes + 1, 8),
                                           .keys = room(t->property_count, sizeof(bvp_string)),
                                           .values = room(t->property_count, sizeof(bvp_string))};
}

/* ---- row by row ------------------------------------------------------------------------------ */

enum { INSTANCES, NODES, PARTS, PROPERTIES, TABLES };
static const char *const names[TABLES] = {"instances", "nodes", "parts", "properties"};

static void instances_by_row(tables *t)
{
    for (uint32_t i = 0; i < t->info.instance_count; i++) {
        bvp_instance_info row;
        bvp_node_info node;
        bench_require(bvp_get_instance(t->file, i, &row), "instance");
        bench_require(bvp_get_node(t->file, row.node, &node), "node");
        t->instances.parts[i] = row.part;
        t->instances.nodes[i] = row.node;
        memcpy(t->instances.placements + 12 * (size_t)i, row.placement, sizeof row.placement);
        t->instances.names[i] = node.name;
    }
}

static void nodes_by_row(tables *t)
{
    for (uint32_t i = 0; i < t->info.node_count; i++) {
        bvp_node_info row;
        bench_require(bvp_get_node(t->file, i, &row), "node");
        t->nodes.parents[i] = row.parent;
        t->nodes.ends[i] = row.end;
        t->nodes.parts[i] = row.part;
        t->nodes.instances[i] = row.instance;
        t->nodes.property_counts[i] = row.property_count;
        memcpy(t->nodes.placements + 12 * (size_t)i, row.placement, sizeof row.placement);
        t->nodes.names[i] = row.name;
        t->nodes.source_ids[i] = row.source_id;
    }
}

static void properties_by_row(tables *t)
{
    uint64_t at = 0;
    t->properties.offsets[0] = 0;
    for (uint32_t i = 0; i < t->info.node_count; i++) {
        bvp_node_info row;
        bench_require(bvp_get_node(t->file, i, &row), "node");
        for (uint32_t k = 0; k < row.property_count; k++, at++)
            bench_require(
                bvp_get_property(t->file, i, k, &t->properties.keys[at], &t->properties.values[at]),
                "property");
        t->properties.offsets[i + 1] = at;
    }
}

static void read_by_row(tables *t, int table)
{
    if (table == INSTANCES)
        instances_by_row(t);
    else if (table == NODES)
        nodes_by_row(t);
    else if (table == PROPERTIES)
        properties_by_row(t);
    for (uint32_t i = 0; table == PARTS && i < t->info.part_count; i++)
        bench_require(bvp_get_part(t->file, i, &t->parts[i]), "part");
}

/* ---- in bulk --------------------------------------------------------------------------------- */

static void read_in_bulk(tables *t, int table)
{
    const bvp_range all = {0, UINT64_MAX};
    uint64_t count;
    if (table == INSTANCES)
        bench_require(bvp_get_instances(t->file, all, &t->instances, &count), "instances");
    else if (table == NODES)
        bench_require(bvp_get_nodes(t->file, all, &t->nodes, &count), "nodes");
    else if (table == PARTS)
        bench_require(bvp_get_parts(t->file, all, t->parts, &count), "parts");
    else
        bench_require(bvp_get_properties(t->file, all, t->property_count, &t->properties, &count),
                      "properties");
}

typedef struct asker {
    tables *tables;
    int table;
    void (*read)(tables *t, int table);
} asker;

static double ask(const void *user, int idx)
{
    const asker *a = user;
    a->read(a->tables, a->table);
    return idx;
}

/* ---- do they agree? -------------------------------------------------------------------------- */

static int differ(const tables *a, const tables *b, int table)
{
    const size_t instances = a->info.instance_count, nodes = a->info.node_count;
    const size_t strings = sizeof(bvp_string);
    if (table == INSTANCES)
        return memcmp(a->instances.parts, b->instances.parts, 4 * instances) != 0 ||
               memcmp(a->instances.nodes, b->instances.nodes, 4 * instances) != 0 ||
               memcmp(a->instances.placements, b->instances.placements, 96 * instances) != 0 ||
               memcmp(a->instances.names, b->instances.names, strings * instances) != 0;
    if (table == NODES)
        return memcmp(a->nodes.parents, b->nodes.parents, 4 * nodes) != 0 ||
               memcmp(a->nodes.ends, b->nodes.ends, 4 * nodes) != 0 ||
               memcmp(a->nodes.parts, b->nodes.parts, 4 * nodes) != 0 ||
               memcmp(a->nodes.instances, b->nodes.instances, 4 * nodes) != 0 ||
               memcmp(a->nodes.property_counts, b->nodes.property_counts, 4 * nodes) != 0 ||
               memcmp(a->nodes.placements, b->nodes.placements, 96 * nodes) != 0 ||
               memcmp(a->nodes.names, b->nodes.names, strings * nodes) != 0 ||
               memcmp(a->nodes.source_ids, b->nodes.source_ids, strings * nodes) != 0;
    if (table == PARTS)
        return memcmp(a->parts, b->parts, a->info.part_count * sizeof *a->parts) != 0;
    return memcmp(a->properties.offsets, b->properties.offsets, 8 * (nodes + 1)) != 0 ||
           memcmp(a->properties.keys, b->properties.keys, strings * a->property_count) != 0 ||
           memcmp(a->properties.values, b->properties.values, strings * a->property_count) != 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *bytes;

static bvp_status copy(void *user, uint64_t offset, uint64_t size, void *out, bvp_error *error)
{
    (void)user;
    (void)error;
    memcpy(out, bytes + offset, size);
    return BVP_OK;
}

static bvp_file *open_file(const char *path, int from_source)
{
    bvp_file *file;
    bvp_error error;
    bvp_source source = {.read = copy};
    bvp_status status;
    if (from_source) {
        FILE *in = fopen(path, "rb");
        if (!in || fseek(in, 0, SEEK_END) != 0)
            exit(1);
        source.size = (uint64_t)ftell(in);
        bytes = room(source.size, 1);
        rewind(in);
        if (fread(bytes, 1, source.size, in) != source.size)
            exit(1);
        fclose(in);
        source.cache = 1 << 30;
        status = bvp_open_source(&source, NULL, &file, &error);
    } else {
        status = bvp_open(path, NULL, &file, &error);
    }
    if (status == BVP_OK)
        return file;
    fprintf(stderr, "%s: %s\n", path, error.message);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_tables FILE.bvp [source]\n");
        return 2;
    }
    bvp_file *file = open_file(argv[1], argc > 2);
    tables bulk, rows;
    int differing = 0;
    make_tables(&bulk, file);
    make_tables(&rows, file);
    const uint64_t counts[TABLES] = {bulk.info.instance_count, bulk.info.node_count,
                                     bulk.info.part_count, bulk.property_count};
    printf("table,rows,bulk_us,by_row_us,ns_a_row,times_slower,times_slower_q1,times_slower_q3,"
           "tables_that_differ\n");
    for (int table = 0; table < TABLES; table++) {
        const asker of_bulk = {&bulk, table, read_in_bulk}, of_rows = {&rows, table, read_by_row};
        bench_contender all[] = {{.name = "bulk", .ask = ask, .user = &of_bulk},
                                 {.name = "row by row", .ask = ask, .user = &of_rows}};
        if (counts[table] == 0)
            continue;
        const int asked = bench_rounds(all, 2, 20, bench_limit());
        const bench_quartiles q = bench_ratio(&all[0], &all[1], asked);
        const double us = bench_us(&all[0], asked).median;
        const int differs = differ(&bulk, &rows, table);
        printf("%s,%llu,%.4g,%.4g,%.4g,%.3g,%.3g,%.3g,%d\n", names[table],
               (unsigned long long)counts[table], us, bench_us(&all[1], asked).median,
               1e3 * us / (double)counts[table], q.median, q.q1, q.q3, differs);
        differing += differs;
        bench_rounds_free(all, 2);
    }
    bvp_close(file);
    return differing != 0;
}
