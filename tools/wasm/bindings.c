/* SPDX-License-Identifier: MIT
 * bindings.c: the reader as a WebAssembly module: the functions that engine.mjs calls.
 *
 * Numbers cross as doubles, or in arrays that engine.mjs allocated here. Each function that returns
 * a bvp_status leaves its details in `last`. Nothing here waits: where bytes of a source are
 * missing, a call returns BVP_ERR_AGAIN, engine.mjs fetches what host_read() was asked for, and
 * calls again. Numbers of triangles are doubles, exact below 2^53.
 * The module has one thread, so its variables need no lock.
 */
#include "bvpack_clash.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* The functions of engine.mjs. Bytes of a source, or a bvp_status that says why not. */
__attribute__((import_module("bvpack"), import_name("read"))) int
host_read(uint32_t source, double offset, uint32_t size, void *out);
/* They are likely to be read next: to be fetched beside what is read now. */
__attribute__((import_module("bvpack"), import_name("hint"))) void
host_hint(uint32_t source, double offset, uint32_t size);
/* A row of clash; nonzero: stop. */
__attribute__((import_module("bvpack"), import_name("pair"))) int host_pair(const double *row);

enum { PIECE = 1024, POINTS = 4096 }; /* most elements of a batch that are asked at a time */

static bvp_error last;

static bvp_status said(const bvp_file *file, bvp_status status)
{
    last = (bvp_error){.status = status, .offset = UINT64_MAX};
    bvp_error source = {.status = BVP_OK};
    if (status != BVP_OK && file && bvp_get_source_error(file, &source) == BVP_OK &&
        source.status == status)
        last = source;
    return status;
}

const char *EXPORT(error_message)(void)
{
    return last.message;
}

int EXPORT(error_status)(void)
{
    return (int)last.status;
}

const char *EXPORT(error_rule)(void)
{
    return last.rule;
}

/* -1: none */
double EXPORT(error_offset)(void)
{
    return last.offset == UINT64_MAX ? -1 : (double)last.offset;
}

const char *EXPORT(version)(void)
{
    return bvp_version();
}

/* ---- files ----------------------------------------------------------------------------------- */

static bvp_status read_source(void *user, uint64_t offset, uint64_t size, void *out,
                              bvp_error *error)
{
    (void)error;
    if (size > UINT32_MAX)
        return BVP_ERR_LIMIT;
    return (bvp_status)host_read((uint32_t)(uintptr_t)user, (double)offset, (uint32_t)size, out);
}

static void hint_source(void *user, uint64_t offset, uint64_t size)
{
    if (size <= UINT32_MAX)
        host_hint((uint32_t)(uintptr_t)user, (double)offset, (uint32_t)size);
}

/* verify: each part's hashes are checked by the first query that touches it. NULL: see `last`. */
bvp_file *EXPORT(open_bytes)(const void *data, uint32_t size, int verify)
{
    bvp_file *file = NULL;
    const bvp_open_options options = {.verify_lazily = verify};
    last.status = bvp_open_memory(data, size, &options, &file, &last);
    return last.status == BVP_OK ? file : NULL;
}

bvp_file *EXPORT(open_source)(uint32_t number, double size, double cache)
{
    bvp_file *file = NULL;
    const bvp_source source = {.size = (uint64_t)size,
                               .read = read_source,
                               .hint = hint_source,
                               .user = (void *)(uintptr_t)number,
                               .cache = (uint64_t)cache};
    last.status = bvp_open_source(&source, NULL, &file, &last);
    return last.status == BVP_OK ? file : NULL;
}

enum { BUFFERS = 8, BUFFERS_MOST = 4096 };

/* rows: for each buffers BUFFERS numbers: address of the positions, stride in bytes, type,
 * normalized, vertices, address of the indices (0: none), their type, triangles. */
int EXPORT(bind)(bvp_file *file, uint32_t part, const double *rows, uint32_t count)
{
    bvp_buffers *given = count <= BUFFERS_MOST ? calloc(count + 1u, sizeof *given) : NULL;
    last = (bvp_error){.status = BVP_ERR_NO_MEMORY};
    if (!given)
        return (int)last.status;
    for (uint32_t k = 0; k < count; k++) {
        const double *row = rows + BUFFERS * k;
        given[k] = (bvp_buffers){.positions = (const void *)(uintptr_t)row[0],
                                 .position_stride = (size_t)row[1],
                                 .position_type = (bvp_component)row[2],
                                 .normalized = row[3] != 0,
                                 .vertex_count = (uint64_t)row[4],
                                 .indices = (const void *)(uintptr_t)row[5],
                                 .index_type = (bvp_component)row[6],
                                 .triangle_count = (uint64_t)row[7]};
    }
    last = (bvp_error){.status = BVP_OK, .offset = UINT64_MAX};
    last.status = bvp_bind(file, part, given, count, &last);
    free(given);
    return (int)last.status;
}

void EXPORT(close_file)(bvp_file *file)
{
    bvp_close(file);
}

/* ---- what is in a file ----------------------------------------------------------------------- */

static double *put(double *out, const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        *out++ = numbers[i];
    return out;
}

static double *put_string(double *out, bvp_string string)
{
    *out++ = (double)(uintptr_t)string.data;
    *out++ = (double)string.size;
    return out;
}

/* out: 24 numbers; hashes: root_hash and source_hash, 32 bytes. */
int EXPORT(file_info)(const bvp_file *file, double *out, uint8_t *hashes)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    const double numbers[] = {info.format_major,
                              info.format_minor,
                              (double)info.file_size,
                              (double)info.triangle_count,
                              (double)info.unique_triangle_count,
                              info.part_count,
                              info.instance_count,
                              info.node_count,
                              info.instance_hierarchy_count,
                              info.unit_in_metres,
                              info.up,
                              info.tessellation_tolerance,
                              (double)info.hierarchy_size,
                              (double)info.geometry_size,
                              (double)info.id_size,
                              (double)info.other_size,
                              info.has_digests,
                              info.is_thin};
    out = put(out, numbers, sizeof numbers / sizeof *numbers);
    out = put(out, info.lo, 3);
    put(out, info.hi, 3);
    memcpy(hashes, info.root_hash, 16);
    memcpy(hashes + 16, info.source_hash, 16);
    return BVP_OK;
}

/* out: 28 numbers, of which the first four are where name and source_id lie, and how long they
 * are; hashes: content_hash and address, 32 bytes. */
int EXPORT(part_info)(const bvp_file *file, uint32_t part, double *out, uint8_t *hashes)
{
    bvp_part_info info;
    const bvp_status status = bvp_get_part(file, part, &info);
    if (status != BVP_OK)
        return said(file, status);
    out = put_string(out, info.name);
    out = put_string(out, info.source_id);
    const double numbers[] = {(double)info.triangle_count,
                              (double)info.vertex_count,
                              info.cluster_count,
                              info.hierarchy_count,
                              info.rounding_error,
                              (double)info.degenerate_count,
                              (double)info.duplicate_count,
                              (double)info.open_edge_count,
                              (double)info.nonmanifold_edge_count,
                              (double)info.hierarchy_size,
                              (double)info.geometry_size,
                              (double)info.id_size,
                              info.has_ids};
    out = put(out, numbers, sizeof numbers / sizeof *numbers);
    out = put(out, info.origin, 3);
    for (int i = 0; i < 6; i++)
        *out++ = i < 3 ? info.lo[i] : info.hi[i - 3];
    memcpy(hashes, info.content_hash, 16);
    memcpy(hashes + 16, info.address, 16);
    return BVP_OK;
}

/* out: 21 numbers, the first four as of part_info. */
int EXPORT(node_info)(const bvp_file *file, uint32_t node, double *out)
{
    bvp_node_info info;
    const bvp_status status = bvp_get_node(file, node, &info);
    if (status != BVP_OK)
        return said(file, status);
    out = put_string(out, info.name);
    out = put_string(out, info.source_id);
    *out++ = info.parent;
    *out++ = info.end;
    *out++ = info.part;
    *out++ = info.instance;
    *out++ = info.property_count;
    put(out, info.placement, 12);
    return BVP_OK;
}

/* out: where key and value lie, and how long they are. */
int EXPORT(node_property)(const bvp_file *file, uint32_t node, uint32_t property, double *out)
{
    bvp_string key, value;
    const bvp_status status = bvp_get_property(file, node, property, &key, &value);
    if (status == BVP_OK)
        put_string(put_string(out, key), value);
    return said(file, status);
}

/* *count: how many runs there are; runs: room for `capacity`. */
int EXPORT(node_colours)(const bvp_file *file, uint32_t node, bvp_colour_run *runs,
                         uint32_t capacity, uint32_t *count)
{
    return said(file, bvp_get_colours(file, node, runs, capacity, count));
}

/* out: 14 numbers. */
int EXPORT(instance_info)(const bvp_file *file, uint32_t instance, double *out)
{
    bvp_instance_info info;
    const bvp_status status = bvp_get_instance(file, instance, &info);
    if (status != BVP_OK)
        return said(file, status);
    *out++ = info.part;
    *out++ = info.node;
    put(out, info.placement, 12);
    return BVP_OK;
}

/* *size: of the text; at most `capacity` bytes of it are written. */
int EXPORT(provenance)(const bvp_file *file, char *buffer, uint32_t capacity, uint32_t *size)
{
    size_t full = 0;
    const bvp_status status = bvp_get_provenance(file, buffer, capacity, &full, &last);
    *size = (uint32_t)full;
    return status;
}

/* Returns a status; *count: how many triangles were written. ids: doubles, or NULL. */
int EXPORT(triangles)(const bvp_file *file, uint32_t part, double first, uint32_t count,
                      float *positions, double *ids, uint32_t *written)
{
    uint64_t numbers[PIECE];
    *written = 0;
    for (uint32_t done = 0; done < count; done += PIECE) {
        const uint32_t size = count - done < PIECE ? count - done : PIECE;
        uint64_t got = 0;
        const bvp_range range = {(uint64_t)first + done, size};
        const bvp_status status = bvp_get_triangles(file, part, range, positions + 9 * (size_t)done,
                                                    ids ? numbers : NULL, &got);
        if (status != BVP_OK)
            return said(file, status);
        for (uint64_t i = 0; ids && i < got; i++)
            ids[done + i] = (double)numbers[i];
        *written += (uint32_t)got;
    }
    return BVP_OK;
}

/* What follows is done for each element from `first` + *done on, of `count`; one that cannot be
 * read ends the function. */
#define EACH(info, get)                                                                            \
    for (bvp_status status; *done < count; ++*done)                                                \
        if ((status = get(file, first + *done, &(info))) != BVP_OK)                                \
            return said(file, status);                                                             \
        else

/* Instances from `first` on; *done counts those that are written, also after BVP_ERR_AGAIN: a call
 * with it goes on there. placements: 12 numbers each. */
int EXPORT(instance_table)(const bvp_file *file, uint32_t first, uint32_t count, uint32_t *parts,
                           uint32_t *nodes, double *placements, uint32_t *done)
{
    bvp_instance_info info;
    EACH(info, bvp_get_instance)
    {
        parts[*done] = info.part;
        nodes[*done] = info.node;
        put(placements + 12 * (size_t)*done, info.placement, 12);
    }
    return BVP_OK;
}

/* Of instances, as instance_table: the colour of the first run, 4 bytes, and how many runs. */
int EXPORT(colour_table)(const bvp_file *file, uint32_t first, uint32_t count, uint8_t *rgba,
                         uint32_t *run_counts, uint32_t *done)
{
    for (; *done < count; ++*done) {
        bvp_instance_info info;
        bvp_colour_run run = {.first = 0};
        bvp_status status = bvp_get_instance(file, first + *done, &info);
        run_counts[*done] = 0;
        if (status == BVP_OK && info.node != BVP_NONE)
            status = bvp_get_colours(file, info.node, &run, 1, &run_counts[*done]);
        if (status != BVP_OK)
            return said(file, status);
        memcpy(rgba + 4 * (size_t)*done, run.rgba, 4);
    }
    return BVP_OK;
}

/* Nodes, as instance_table; arrays of one number each. */
int EXPORT(node_table)(const bvp_file *file, uint32_t first, uint32_t count, uint32_t *parents,
                       uint32_t *ends, uint32_t *parts, uint32_t *instances, uint32_t *done)
{
    bvp_node_info info;
    EACH(info, bvp_get_node)
    {
        parents[*done] = info.parent;
        ends[*done] = info.end;
        parts[*done] = info.part;
        instances[*done] = info.instance;
    }
    return BVP_OK;
}

static int small(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

/* text: without capital letters of ASCII, which have no case here. */
static bool holds(bvp_string string, const char *text, size_t size)
{
    for (size_t at = 0; size <= string.size && at <= string.size - size; at++) {
        size_t same = 0;
        while (same < size && small((uint8_t)string.data[at + same]) == (uint8_t)text[same])
            same++;
        if (same == size)
            return true;
    }
    return false;
}

/* Whether a node or, where it has no name, its part is called so. */
static bvp_status is_called(const bvp_file *file, const bvp_node_info *node, const char *text,
                            size_t size, bool *is_so)
{
    bvp_part_info part;
    *is_so = holds(node->name, text, size) || holds(node->source_id, text, size);
    if (*is_so || node->part == BVP_NONE || node->name.size > 0)
        return BVP_OK;
    const bvp_status status = bvp_get_part(file, node->part, &part);
    *is_so =
        status == BVP_OK && (holds(part.name, text, size) || holds(part.source_id, text, size));
    return status;
}

/* Nodes that are called so, as instance_table; ends when `found` has `capacity` of them. */
int EXPORT(find_nodes)(const bvp_file *file, uint32_t first, uint32_t count, const char *text,
                       uint32_t size, uint32_t *found, uint32_t capacity, uint32_t *found_count,
                       uint32_t *done)
{
    for (; *done < count && *found_count < capacity; ++*done) {
        bvp_node_info info;
        bool is_so = false;
        bvp_status status = bvp_get_node(file, first + *done, &info);
        if (status == BVP_OK)
            status = is_called(file, &info, text, size, &is_so);
        if (status != BVP_OK)
            return said(file, status);
        if (is_so)
            found[(*found_count)++] = first + *done;
    }
    return BVP_OK;
}

/* Parts, as instance_table. boxes: 6 numbers each, lo and hi. */
int EXPORT(part_table)(const bvp_file *file, uint32_t first, uint32_t count, double *triangles,
                       double *open_edges, double *boxes, uint32_t *done)
{
    bvp_part_info info;
    EACH(info, bvp_get_part)
    {
        triangles[*done] = (double)info.triangle_count;
        open_edges[*done] = (double)info.open_edge_count;
        for (int i = 0; i < 6; i++)
            boxes[6 * (size_t)*done + i] = i < 3 ? info.lo[i] : info.hi[i - 3];
    }
    return BVP_OK;
}

/* ---- paths in the product tree, as reports and the program have them ------------------------- */

enum { LEVELS_MOST = 1024 };

typedef struct label {
    bvp_string name, source_id; /* its own name or its part's */
    uint32_t end;
} label;

static bvp_status label_of(const bvp_file *file, uint32_t node, label *out)
{
    bvp_node_info info;
    bvp_part_info part;
    bvp_status status = bvp_get_node(file, node, &info);
    if (status == BVP_OK && info.name.size == 0 && info.part != BVP_NONE) {
        status = bvp_get_part(file, info.part, &part);
        info.name = part.name;
    }
    if (status == BVP_OK && info.name.size == 0)
        info.name = (bvp_string){"unnamed", 7};
    *out = (label){info.name, info.source_id, info.end};
    return status;
}

static bool same(bvp_string a, bvp_string b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* Its number among siblings of its name and id, from 1 on. */
static bvp_status ordinal_of(const bvp_file *file, uint32_t parent, uint32_t node, const label *own,
                             uint32_t *ordinal)
{
    label other;
    *ordinal = 1;
    for (uint32_t sibling = parent + 1; sibling < node; sibling = other.end) {
        const bvp_status status = label_of(file, sibling, &other);
        if (status != BVP_OK || other.end <= sibling)
            return status != BVP_OK ? status : BVP_ERR_CORRUPT;
        *ordinal += same(own->name, other.name) && same(own->source_id, other.source_id);
    }
    return BVP_OK;
}

static size_t put_label(char *out, size_t at, size_t capacity, const label *own, uint32_t ordinal)
{
    char number[16];
    int digits = 0;
    for (size_t i = 0; i < own->name.size; i++) {
        const char c = own->name.data[i];
        if (c == '/' || c == '\\')
            at < capacity ? out[at] = '\\' : 0, at++;
        at < capacity ? out[at] = c : 0, at++;
    }
    for (uint32_t rest = ordinal; ordinal > 1 && rest > 0; rest /= 10)
        number[digits++] = (char)('0' + rest % 10);
    for (int i = digits + 1; digits > 0 && i >= 0; i--, at++)
        if (at < capacity)
            out[at] = i > digits ? '[' : i == 0 ? ']' : number[i - 1];
    return at;
}

/* The path below the root; *size: its bytes, of which at most `capacity` are written. */
int EXPORT(node_path)(const bvp_file *file, uint32_t node, char *out, uint32_t capacity,
                      uint32_t *size)
{
    uint32_t chain[LEVELS_MOST], count = 0;
    size_t at = 0;
    for (uint32_t up = node; count < LEVELS_MOST;) {
        bvp_node_info info;
        const bvp_status status = bvp_get_node(file, up, &info);
        if (status != BVP_OK)
            return said(file, status);
        chain[count++] = up;
        if (info.parent >= up)
            break;
        up = info.parent;
    }
    for (uint32_t i = count > 1 ? count - 1 : 1; i-- > 0;) {
        label own;
        uint32_t ordinal = 1;
        bvp_status status = label_of(file, chain[i], &own);
        if (status == BVP_OK && i + 1 < count)
            status = ordinal_of(file, chain[i + 1], chain[i], &own, &ordinal);
        if (status != BVP_OK)
            return said(file, status);
        at = put_label(out, at, capacity, &own, ordinal);
        if (i > 0)
            at < capacity ? out[at] = '/' : 0, at++;
    }
    *size = (uint32_t)at;
    return BVP_OK;
}

/* One label of a path: its bytes, of which more than the capacity are none of a file's labels. */
static size_t label_size(const char *path, size_t size)
{
    size_t i = 0;
    while (i < size && path[i] != '/')
        i += path[i] == '\\' && i + 1 < size ? 2 : 1;
    return i;
}

/* The node below `parent` whose label is that; *found: BVP_NONE when there is none. */
static bvp_status child_called(const bvp_file *file, uint32_t parent, uint32_t end,
                               const char *wanted, size_t size, uint32_t *found)
{
    char text[1024];
    label own;
    *found = BVP_NONE;
    for (uint32_t child = parent + 1; child < end && *found == BVP_NONE; child = own.end) {
        uint32_t ordinal = 1;
        bvp_status status = label_of(file, child, &own);
        if (status != BVP_OK || own.end <= child)
            return status != BVP_OK ? status : BVP_ERR_CORRUPT;
        const size_t plain = put_label(text, 0, sizeof text, &own, 1);
        if (plain > size || plain > sizeof text || memcmp(text, wanted, plain) != 0)
            continue;
        status = ordinal_of(file, parent, child, &own, &ordinal);
        if (status != BVP_OK)
            return status;
        const size_t whole = put_label(text, 0, sizeof text, &own, ordinal);
        if (whole == size && whole <= sizeof text && memcmp(text, wanted, size) == 0)
            *found = child;
    }
    return BVP_OK;
}

/* The node of a path; *found: BVP_NONE when there is none. */
int EXPORT(node_at)(const bvp_file *file, const char *path, uint32_t size, uint32_t *found)
{
    uint32_t node = 0;
    for (size_t at = 0; at <= size && node != BVP_NONE;) {
        bvp_node_info info;
        const size_t some = label_size(path + at, size - at);
        bvp_status status = bvp_get_node(file, node, &info);
        if (status == BVP_OK)
            status = child_called(file, node, info.end, path + at, some, &node);
        if (status != BVP_OK)
            return said(file, status);
        at += some + 1;
    }
    *found = node;
    return BVP_OK;
}

/* Numbers of triangles, ascending, each the first of a run. */
typedef struct run_list {
    const double *firsts;
    uint32_t count;
} run_list;

/* The last run that begins at `id` or before, or the first one. */
static uint32_t run_of(const run_list *runs, uint64_t id)
{
    uint32_t low = 0, high = runs->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (runs->firsts[middle] <= (double)id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A vertex as bits: its position, and the run of its triangle. */
typedef struct vertex_key {
    uint32_t bits[3], run;
} vertex_key;

static uint32_t hash_of(const vertex_key *key)
{
    const uint32_t *bits = key->bits;
    uint32_t h = bits[0] * 0x9e3779b1u ^ bits[1] * 0x85ebca77u ^ bits[2] * 0xc2b2ae3du;
    h ^= h >> 15;
    return (h + key->run) * 0x2c1b3c6du;
}

/* Triangles of a part as vertices, equal ones once, and three indices each. positions: 9 numbers
 * for each triangle. slots: a power of 2 of them, more than vertices. out: triangles, vertices.
 * With run_count > 0, vertices of different runs are different ones, and runs[i] is that of vertex
 * i; ids: room for a number a triangle, runs: for 3. */
int EXPORT(geometry)(const bvp_file *file, uint32_t part, double first, uint32_t count,
                     uint32_t *indices, float *positions, uint32_t *slots, uint32_t slot_count,
                     const double *firsts, uint32_t run_count, uint64_t *ids, uint32_t *runs,
                     uint32_t *out)
{
    const run_list all = {firsts, run_count};
    uint64_t got = 0;
    uint32_t vertex_count = 0;
    out[0] = out[1] = 0;
    const bvp_range range = {(uint64_t)first, count};
    const bvp_status status =
        bvp_get_triangles(file, part, range, positions, run_count > 0 ? ids : NULL, &got);
    if (status != BVP_OK)
        return said(file, status);
    memset(slots, 0xff, slot_count * sizeof *slots);
    for (size_t i = 0; i < 3 * (size_t)got; i++) {
        vertex_key key = {.run = run_count > 0 ? run_of(&all, ids[i / 3]) : 0};
        memcpy(key.bits, positions + 3 * i, sizeof key.bits);
        uint32_t slot = hash_of(&key) & (slot_count - 1);
        while (slots[slot] != UINT32_MAX &&
               (memcmp(positions + 3 * (size_t)slots[slot], key.bits, sizeof key.bits) != 0 ||
                (run_count > 0 && runs[slots[slot]] != key.run)))
            slot = (slot + 1) & (slot_count - 1);
        if (slots[slot] == UINT32_MAX) {
            memcpy(positions + 3 * (size_t)vertex_count, key.bits, sizeof key.bits);
            if (run_count > 0)
                runs[vertex_count] = key.run;
            slots[slot] = vertex_count++;
        }
        indices[i] = slots[slot];
    }
    out[0] = (uint32_t)got;
    out[1] = vertex_count;
    return BVP_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef struct placed_body {
    bvp_body body;
    bvp_filter filter;
    double placement[12];
    uint64_t bits[]; /* of the filter */
} placed_body;

/* instances: those that are seen, or with `exclude` are not; NULL: all are. NULL: no memory, or
 * there is no such instance (`last`). */
placed_body *EXPORT(body_make)(const bvp_file *file, uint32_t part, const double *placement,
                               const uint32_t *instances, uint32_t count, int exclude)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    const size_t words = instances ? ((size_t)info.instance_count + 63) / 64 : 0;
    placed_body *made = calloc(1, sizeof *made + words * sizeof made->bits[0]);
    if (!made) {
        last = (bvp_error){.status = BVP_ERR_NO_MEMORY};
        return NULL;
    }
    made->body = (bvp_body){.file = file, .part = part};
    if (placement) {
        memcpy(made->placement, placement, sizeof made->placement);
        made->body.placement = made->placement;
    }
    for (uint32_t i = 0; instances && i < count; i++) {
        if (instances[i] >= info.instance_count) {
            free(made);
            last = (bvp_error){.status = BVP_ERR_ARGUMENT, .message = "there is no such instance"};
            return NULL;
        }
        made->bits[instances[i] / 64] |= UINT64_C(1) << instances[i] % 64;
    }
    made->filter = (bvp_filter){made->bits, words, exclude};
    made->body.filter = instances ? &made->filter : NULL;
    return made;
}

static const bvp_body *body_of(const placed_body *made)
{
    return made ? &made->body : NULL;
}

/* ---- rays and closest points: batches -------------------------------------------------------- */

/* Arrays of the caller, one element for each element of a batch, or 2 or 3. NULL: left out. */
typedef struct hit_arrays {
    uint8_t *found;
    double *number; /* t, or the distance */
    double *uv;     /* 2 */
    double *vector; /* 3: the normal, or the point */
    uint32_t *instance, *part;
    double *triangle, *id;
} hit_arrays;

static void put_id(const hit_arrays *out, size_t at, const bvp_hit_id *id)
{
    out->instance[at] = id->instance;
    out->part[at] = id->part;
    out->triangle[at] = (double)id->triangle;
    out->id[at] = (double)id->id;
}

static const bvp_hit_id no_hit = {.instance = BVP_NONE, .part = BVP_NONE};

static void put_ray_hit(const hit_arrays *out, size_t at, const bvp_ray_hit *hit)
{
    out->found[at] = hit->found != 0;
    out->number[at] = hit->found ? hit->t : INFINITY;
    out->uv[2 * at] = hit->found ? hit->u : 0;
    out->uv[2 * at + 1] = hit->found ? hit->v : 0;
    for (int i = 0; i < 3; i++)
        out->vector[3 * at + i] = hit->found ? hit->normal[i] : 0;
    put_id(out, at, hit->found ? &hit->id : &no_hit);
}

static void put_closest(const hit_arrays *out, size_t at, const bvp_closest_result *nearest)
{
    out->found[at] = nearest->found != 0;
    out->number[at] = nearest->found ? nearest->distance : INFINITY;
    for (int i = 0; i < 3; i++)
        out->vector[3 * at + i] = nearest->found ? nearest->point[i] : 0;
    put_id(out, at, nearest->found ? &nearest->id : &no_hit);
}

static size_t piece_at(uint32_t done, uint32_t count, uint32_t most, uint32_t room)
{
    const uint32_t piece = most < room ? most : room;
    return count - done < piece ? count - done : piece;
}

/* Elements from *done on, at most `piece` (1 ..) at a time: a source's cache has to hold what that
 * many need. *done counts those whose answers are right, also after BVP_ERR_AGAIN, which leaves
 * none of its piece: a call with it goes on there. rays: 8 numbers each. */
int EXPORT(ray_first)(const placed_body *of, const bvp_ray *rays, uint32_t count, uint32_t piece,
                      const hit_arrays *out, uint32_t *done)
{
    static bvp_ray_hit hits[POINTS];
    bvp_status status = BVP_OK;
    while (status == BVP_OK && *done < count) {
        const size_t size = piece_at(*done, count, piece, POINTS);
        status = bvp_ray_first_batch(&of->body, (bvp_const_array){rays + *done, 0, size},
                                     (bvp_array){hits, 0, size}, NULL, NULL);
        for (size_t i = 0; status == BVP_OK && i < size; i++)
            put_ray_hit(out, *done + i, &hits[i]);
        *done += status == BVP_OK ? (uint32_t)size : 0;
    }
    return said(of->body.file, status);
}

int EXPORT(ray_any)(const placed_body *of, const bvp_ray *rays, uint32_t count, uint32_t piece,
                    uint8_t *out, uint32_t *done)
{
    static int hits[PIECE];
    bvp_status status = BVP_OK;
    while (status == BVP_OK && *done < count) {
        const size_t size = piece_at(*done, count, piece, PIECE);
        status = bvp_ray_any_batch(&of->body, (bvp_const_array){rays + *done, 0, size},
                                   (bvp_array){hits, 0, size}, NULL, NULL);
        for (size_t i = 0; status == BVP_OK && i < size; i++)
            out[*done + i] = hits[i] != 0;
        *done += status == BVP_OK ? (uint32_t)size : 0;
    }
    return said(of->body.file, status);
}

int EXPORT(closest)(const placed_body *of, const double *points, uint32_t count, uint32_t piece,
                    double max_distance, const hit_arrays *out, uint32_t *done)
{
    static bvp_closest_result nearest[POINTS];
    bvp_status status = BVP_OK;
    while (status == BVP_OK && *done < count) {
        const size_t size = piece_at(*done, count, piece, POINTS);
        status =
            bvp_closest_batch(&of->body, (bvp_const_array){points + 3 * (size_t)*done, 0, size},
                              max_distance, (bvp_array){nearest, 0, size}, NULL, NULL);
        for (size_t i = 0; status == BVP_OK && i < size; i++)
            put_closest(out, *done + i, &nearest[i]);
        *done += status == BVP_OK ? (uint32_t)size : 0;
    }
    return said(of->body.file, status);
}

/* ---- two bodies ------------------------------------------------------------------------------ */

static bvp_status said_of_two(const placed_body *a, const placed_body *b, bvp_status status)
{
    said(a->body.file, status);
    if (b && status != BVP_OK && last.message[0] == 0)
        said(b->body.file, status);
    return status;
}

static double *put_hit_id(double *out, const bvp_hit_id *id)
{
    const double numbers[] = {id->instance, id->part, (double)id->triangle, (double)id->id};
    return put(out, numbers, 4);
}

enum { DISTANCE_ROW = 17 };

static void put_distance(double *out, const bvp_distance_result *result)
{
    const double numbers[] = {result->found, result->distance, result->lower};
    memset(out, 0, DISTANCE_ROW * sizeof *out);
    if (!result->found)
        return;
    out = put(out, numbers, 3);
    out = put(out, result->point_a, 3);
    out = put(out, result->point_b, 3);
    out = put_hit_id(out, &result->a);
    put_hit_id(out, &result->b);
}

/* b: NULL for the instances of a against one another. */
int EXPORT(collide)(const placed_body *a, const placed_body *b, int *hit)
{
    return said_of_two(a, b, bvp_collide(&a->body, body_of(b), hit, NULL));
}

/* out: 17 numbers: found, distance, lower, point_a, point_b, and for a and b instance, part,
 * triangle, id. tolerance < 0: exact. */
int EXPORT(distance)(const placed_body *a, const placed_body *b, double limit, double tolerance,
                     double *out)
{
    bvp_distance_result result = {.found = 0};
    const bvp_status status =
        tolerance < 0 ? bvp_distance(&a->body, body_of(b), limit, &result, NULL)
                      : bvp_distance_about(&a->body, body_of(b), limit, tolerance, &result, NULL);
    if (status == BVP_OK)
        put_distance(out, &result);
    return said_of_two(a, b, status);
}

/* out: as of distance; found says whether they are within delta. */
int EXPORT(within)(const placed_body *a, const placed_body *b, double delta, double *out)
{
    bvp_distance_result result = {.found = 0};
    int is_within = 0;
    const bvp_status status = bvp_within(&a->body, body_of(b), delta, &is_within, &result, NULL);
    result.found = is_within;
    if (status == BVP_OK)
        put_distance(out, &result);
    return said_of_two(a, b, status);
}

/* b at `count` placements. */
int EXPORT(collide_batch)(const placed_body *a, const placed_body *b, const double *placements,
                          uint32_t count, uint8_t *out, uint32_t *done)
{
    bvp_status status = BVP_OK;
    for (; status == BVP_OK && *done < count; *done += status == BVP_OK) {
        int hit = 0;
        bvp_body moved = b->body;
        moved.placement = placements + 12 * (size_t)*done;
        status = bvp_collide(&a->body, &moved, &hit, NULL);
        out[*done] = hit != 0;
    }
    return said_of_two(a, b, status);
}

int EXPORT(distance_batch)(const placed_body *a, const placed_body *b, const double *placements,
                           uint32_t count, double limit, double *out, uint32_t *done)
{
    bvp_status status = BVP_OK;
    for (; status == BVP_OK && *done < count; *done += status == BVP_OK) {
        bvp_distance_result result = {.found = 0};
        bvp_body moved = b->body;
        moved.placement = placements + 12 * (size_t)*done;
        status = bvp_distance(&a->body, &moved, limit, &result, NULL);
        if (status == BVP_OK)
            put_distance(out + DISTANCE_ROW * (size_t)*done, &result);
    }
    return said_of_two(a, b, status);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Rows of numbers that grow up to `most`. */
static struct {
    double *numbers;
    size_t count, capacity, most; /* rows */
    bool is_out_of_memory;
} rows;

const double *EXPORT(rows_data)(void)
{
    return rows.numbers;
}

uint32_t EXPORT(rows_count)(void)
{
    return (uint32_t)rows.count;
}

void EXPORT(rows_free)(void)
{
    free(rows.numbers);
    memset(&rows, 0, sizeof rows);
}

/* Empties the list; false: there is to be no row, which is the caller's fault. */
static bool rows_begin(double most)
{
    rows_free();
    rows.most = most < 1e8 ? (size_t)most : (size_t)1e8;
    return rows.most > 0;
}

/* Room for one more, or NULL. */
static double *next_row(int width)
{
    if (rows.count == rows.most)
        return NULL;
    if (rows.count == rows.capacity) {
        const size_t capacity = rows.capacity < 64 ? 64 : rows.capacity * 2;
        double *grown = capacity < UINT32_MAX / 128
                            ? realloc(rows.numbers, capacity * (size_t)width * sizeof(double))
                            : NULL;
        rows.is_out_of_memory = !grown;
        if (!grown)
            return NULL;
        rows.numbers = grown;
        rows.capacity = capacity;
    }
    return rows.numbers + (size_t)width * rows.count++;
}

/* Whether a list ends after this row; NULL: there was no room for it. */
static bool is_last_row(const double *row)
{
    return row == NULL || rows.count == rows.most;
}

static bvp_status rows_end(bvp_status status)
{
    return status == BVP_OK && rows.is_out_of_memory ? BVP_ERR_NO_MEMORY : status;
}

static int add_pair(void *user, const bvp_pair *pair)
{
    (void)user;
    double *row = next_row(9);
    if (row)
        *put_hit_id(put_hit_id(row, &pair->a), &pair->b) = pair->proper;
    return is_last_row(row);
}

/* Rows of 9: of a and b instance, part, triangle, id; proper. */
int EXPORT(pairs)(const placed_body *a, const placed_body *b, double most)
{
    uint64_t count;
    if (!rows_begin(most))
        return said(NULL, BVP_ERR_ARGUMENT);
    return said_of_two(
        a, b, rows_end(bvp_pairs_each(&a->body, body_of(b), add_pair, NULL, &count, NULL)));
}

static int add_hit(void *user, const bvp_hit_id *id)
{
    (void)user;
    double *row = next_row(4);
    if (row)
        put_hit_id(row, id);
    return is_last_row(row);
}

static bvp_region region_of(int kind, const double *numbers, uint32_t plane_count)
{
    if (kind == BVP_REGION_BOX)
        return bvp_box_region(numbers, numbers + 3);
    if (kind == BVP_REGION_BALL)
        return bvp_ball_region(numbers, numbers[3]);
    return bvp_convex_region(numbers, plane_count);
}

/* Rows of 4: instance, part, triangle, id. numbers: lo and hi; centre and radius; or planes. */
int EXPORT(overlap)(const placed_body *of, int kind, const double *numbers, uint32_t plane_count,
                    double most)
{
    uint64_t count;
    if (!rows_begin(most))
        return said(NULL, BVP_ERR_ARGUMENT);
    return said(of->body.file,
                rows_end(bvp_overlap(&of->body, region_of(kind, numbers, plane_count), add_hit,
                                     NULL, &count, NULL)));
}

static int add_ray_hit(void *user, const bvp_ray_hit *hit)
{
    (void)user;
    double *row = next_row(10);
    if (row) {
        const double numbers[] = {hit->t, hit->u, hit->v};
        put_hit_id(put(put(row, numbers, 3), hit->normal, 3), &hit->id);
    }
    return is_last_row(row);
}

/* Rows of 10: t, u, v, normal, instance, part, triangle, id. */
int EXPORT(ray_all)(const placed_body *of, const bvp_ray *ray, double most)
{
    uint64_t count;
    if (!rows_begin(most))
        return said(NULL, BVP_ERR_ARGUMENT);
    return said(of->body.file,
                rows_end(bvp_ray_all(&of->body, ray, add_ray_hit, NULL, &count, NULL)));
}

static int add_box(void *user, const bvp_box *box)
{
    (void)user;
    double *row = next_row(9);
    if (row) {
        const double numbers[] = {box->level, box->leaf_count, (double)box->first};
        put(put(put(row, box->lo, 3), box->hi, 3), numbers, 3);
    }
    return is_last_row(row);
}

/* Rows of 9: lo, hi, level, leaf_count, first. part: or the assembly. */
int EXPORT(boxes)(const bvp_file *file, uint32_t part, uint32_t level, double most)
{
    if (!rows_begin(most))
        return said(NULL, BVP_ERR_ARGUMENT);
    return said(file, rows_end(bvp_boxes(file, part, level, add_box, NULL)));
}

/* ---- instances ------------------------------------------------------------------------------- */

/* box: lo and hi. out: room for `capacity` numbers; *count: how many there are. */
int EXPORT(instances_in)(const placed_body *of, const double *box, int by_triangles, uint32_t *out,
                         uint32_t capacity, uint32_t *count)
{
    uint64_t found = 0;
    const bvp_status status =
        bvp_instances_in(&of->body, bvp_box_region(box, box + 3), by_triangles,
                         (bvp_array){out, 0, capacity}, &found, NULL);
    *count = (uint32_t)found;
    return said(of->body.file, status);
}

/* The nearest `most` to a point; *count: how many there are. */
int EXPORT(nearest_instances)(const placed_body *of, const double *point, double max_distance,
                              uint32_t most, const hit_arrays *out, uint32_t *count)
{
    uint64_t found = 0;
    bvp_closest_result *nearest = calloc((size_t)most + 1, sizeof *nearest);
    if (!nearest)
        return said(NULL, BVP_ERR_NO_MEMORY);
    const bvp_status status = bvp_nearest_instances(&of->body, point, max_distance,
                                                    (bvp_array){nearest, 0, most}, &found, NULL);
    for (uint32_t i = 0; status == BVP_OK && i < found; i++)
        put_closest(out, i, &nearest[i]);
    free(nearest);
    *count = (uint32_t)found;
    return said(of->body.file, status);
}

/* ---- convex bodies --------------------------------------------------------------------------- */

/* numbers: size, radius, length; then points; placement: 12 or NULL. */
static bvp_convex convex_of(int kind, const double *numbers, uint32_t point_count,
                            const double *placement)
{
    bvp_convex convex = {.kind = (bvp_convex_kind)kind,
                         .radius = numbers[3],
                         .length = numbers[4],
                         .points = numbers + 5,
                         .point_count = point_count,
                         .placement = placement};
    memcpy(convex.size, numbers, sizeof convex.size);
    return convex;
}

int EXPORT(convex_collide)(const placed_body *of, int kind, const double *numbers,
                           uint32_t point_count, const double *placement, int *hit)
{
    const bvp_convex convex = convex_of(kind, numbers, point_count, placement);
    return said(of->body.file, bvp_convex_collide(&of->body, &convex, hit, NULL));
}

/* out: as of distance. */
int EXPORT(convex_distance)(const placed_body *of, int kind, const double *numbers,
                            uint32_t point_count, const double *placement, double limit,
                            double *out)
{
    const bvp_convex convex = convex_of(kind, numbers, point_count, placement);
    bvp_distance_result result = {.found = 0};
    const bvp_status status = bvp_convex_distance(&of->body, &convex, limit, &result, NULL);
    if (status == BVP_OK)
        put_distance(out, &result);
    return said(of->body.file, status);
}

/* ---- clash ----------------------------------------------------------------------------------- */

enum { CLASH_ROW = 36, COVERAGE_ROW = 5 + BVP_VERDICT_COUNT };

/* What a run that bytes were missing for had given: the next one goes on there. */
typedef struct clash_place {
    double first;                  /* instance of the first file */
    double given;                  /* pairs of it and later ones that were given */
    double coverage[COVERAGE_ROW]; /* of the instances before */
} clash_place;

/* Of pairs of instances of two groups, either way round; of several the first one decides. */
typedef struct clash_rule {
    double exclude;
    double limits[3];          /* NaN: the run's */
    const uint32_t *groups;    /* of words of bits, for a and then for b */
    uint32_t words_a, words_b; /* 0: all instances, or zones */
} clash_rule;

typedef struct clash_rules {
    const clash_rule *rule;
    uint32_t count;
    int is_symmetric; /* a and b are instances of one file */
} clash_rules;

typedef struct clash_run {
    clash_rules rules;
    clash_place *place;
    clash_place begun; /* as it was when the run began */
    double to_skip;
} clash_run;

static double *put_pair(double *out, const bvp_clash_pair *pair)
{
    const double numbers[] = {pair->a,
                              pair->b,
                              pair->verdict,
                              pair->limits.clearance,
                              pair->limits.touch_gap,
                              pair->limits.overlap,
                              pair->distance,
                              pair->lower,
                              pair->depth,
                              pair->depth_upper};
    return put(out, numbers, 10);
}

static bool has(const uint32_t *group, uint32_t words, uint32_t number)
{
    return words == 0 || (number / 32 < words && (group[number / 32] >> number % 32 & 1) != 0);
}

/* The number of the rule that decides, or -1. */
static int rule_of(const clash_rules *rules, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const clash_rule *rule = &rules->rule[i];
        const uint32_t *of_b = rule->groups + rule->words_a;
        if ((has(rule->groups, rule->words_a, a) && has(of_b, rule->words_b, b)) ||
            (rules->is_symmetric && has(rule->groups, rule->words_a, b) &&
             has(of_b, rule->words_b, a)))
            return (int)i;
    }
    return -1;
}

static int apply_rules(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
{
    const clash_rules *rules = &((const clash_run *)user)->rules;
    const int number = rule_of(rules, a, b);
    if (number < 0)
        return 0;
    const clash_rule *rule = &rules->rule[number];
    double *own[] = {&limits->clearance, &limits->touch_gap, &limits->overlap};
    for (int i = 0; i < 3; i++)
        if (!isnan(rule->limits[i]))
            *own[i] = rule->limits[i];
    return rule->exclude != 0;
}

static int give_pair(void *user, const bvp_clash_pair *pair)
{
    clash_run *run = user;
    double row[CLASH_ROW] = {0}, *out = put_pair(row, pair);
    if (run->to_skip > 0) {
        run->to_skip--;
        return 0;
    }
    out = put(out, pair->point_a, 3);
    out = put(out, pair->point_b, 3);
    out = put_hit_id(out, &pair->hit_a);
    out = put_hit_id(out, &pair->hit_b);
    *out++ = (double)pair->triangle_pairs;
    out = put(out, pair->lo, 3);
    out = put(out, pair->hi, 3);
    *out = rule_of(&run->rules, pair->a, pair->b);
    run->place->given++;
    return host_pair(row);
}

static void add_coverage(double *out, const double *before, const bvp_clash_coverage *coverage)
{
    out[0] = before[0] + (double)coverage->box_pairs;
    out[1] = before[1] + (double)coverage->excluded;
    for (int i = 0; i < BVP_VERDICT_COUNT; i++)
        out[2 + i] = before[2 + i] + (double)coverage->verdicts[i];
}

static int note_progress(void *user, uint32_t done, uint32_t total,
                         const bvp_clash_coverage *coverage)
{
    clash_run *run = user;
    (void)total;
    run->place->first = done;
    run->place->given = 0;
    add_coverage(run->place->coverage, run->begun.coverage, coverage);
    return 0;
}

enum { ZONE_ROW = 20 };

/* Rows of ZONE_ROW numbers, each followed by its points: kind, how many points, is it placed; size,
 * radius, length, placement. NULL: no memory. */
static bvp_clash_zone *zones_of(const double *numbers, uint32_t count)
{
    bvp_clash_zone *zones = calloc((size_t)count + 1, sizeof *zones);
    for (uint32_t i = 0; zones && i < count; i++) {
        const uint32_t points = (uint32_t)numbers[1];
        bvp_convex *shape = &zones[i].shape;
        *shape = (bvp_convex){.kind = (bvp_convex_kind)numbers[0],
                              .radius = numbers[6],
                              .length = numbers[7],
                              .points = numbers + ZONE_ROW,
                              .point_count = points,
                              .placement = numbers[2] != 0 ? numbers + 8 : NULL};
        memcpy(shape->size, numbers + 3, sizeof shape->size);
        numbers += ZONE_ROW + 3 * (size_t)points;
    }
    return zones;
}

/* What a run is asked. */
typedef struct clash_question {
    const bvp_file *a, *b; /* b: NULL for the instances of a against one another, or zones */
    const double *placement_b;
    const clash_rule *rules;
    const double *zones;
    uint32_t rule_count, zone_count;
    int detail, unused;
    double limits[3], reach; /* clearance, touch gap, overlap; the largest clearance of all */
} clash_question;

/* Rows go to host_pair(). *place: zeros, then as the call before left it. coverage: box pairs,
 * excluded, and for each verdict how many. */
int EXPORT(clash)(const clash_question *asked, clash_place *place, double *coverage)
{
    clash_run run = {.rules = {asked->rules, asked->rule_count, !asked->b && !asked->zones},
                     .place = place,
                     .begun = *place,
                     .to_skip = place->given};
    bvp_clash_zone *zones = asked->zones ? zones_of(asked->zones, asked->zone_count) : NULL;
    if (asked->zones && !zones)
        return said(NULL, BVP_ERR_NO_MEMORY);
    const bvp_const_array array = {zones, 0, asked->zone_count};
    const bvp_clash_scene scene = {asked->a, asked->b, asked->placement_b};
    bvp_clash_options options = {.limits = {asked->limits[0], asked->limits[1], asked->limits[2]},
                                 .reach = asked->reach,
                                 .detail = (bvp_clash_detail)asked->detail,
                                 .thread_count = 1,
                                 .rule = asked->rule_count > 0 ? apply_rules : NULL,
                                 .rule_user = &run,
                                 .zones = zones ? &array : NULL,
                                 .first_instance = (uint32_t)place->first,
                                 .progress = note_progress,
                                 .progress_user = &run};
    bvp_clash_coverage counted = {0};
    const bvp_status status = bvp_clash(&scene, &options, give_pair, &run, &counted, &last);
    if (status == BVP_OK)
        add_coverage(coverage, run.begun.coverage, &counted);
    free(zones);
    return status;
}
