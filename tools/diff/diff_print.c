/* SPDX-License-Identifier: MIT
 * diff_print.c: prints the differences between two files, for people and programs.
 */
#include <stdlib.h>
#include <string.h>
#include "diff/diff_findings.h"
#include "diff/diff_properties.h"
#include "text/json.h"
#include "text/message.h"

static const char *up_axis(const bvp_file_info *info)
{
    static const char *const names[] = {"x", "y", "z"};
    return info->up != BVP_UP_UNKNOWN ? names[info->up - BVP_UP_X] : NULL;
}

static bvp_string part_name(const match_side *s, uint32_t part, uint64_t *triangle_count)
{
    bvp_part_identity info;
    *triangle_count = 0;
    if (bvp_get_part_identity(s->tree.file, part, &info) != BVP_OK)
        return (bvp_string){"", 0};
    *triangle_count = info.triangle_count;
    return info.name;
}

/* ---- text: heads and counts ---------------------------------------------------------------- */

static void print_unit(const bvp_file_info *info)
{
    char a[32];
    const char *name = unit_name(info->unit_in_metres);
    if (info->unit_in_metres == 0)
        fputs("unknown", stdout);
    else if (name[0])
        fputs(name, stdout);
    else
        printf("%s m", shortest(info->unit_in_metres, a));
}

static void print_heads(const diff_job *j)
{
    const bvp_file_info *a = &j->a.tree.info, *b = &j->b.tree.info;
    char one[32], other[32];
    if (a->unit_in_metres != b->unit_in_metres) {
        printf("%-11s", "unit");
        print_unit(a);
        fputs(" -> ", stdout);
        print_unit(b);
        putchar('\n');
    }
    if (a->up != b->up)
        printf("%-11s%s -> %s\n", "up axis", up_axis(a) ? up_axis(a) : "unknown",
               up_axis(b) ? up_axis(b) : "unknown");
    if (diff_tessellations_differ(j)) {
        const double in_a = j->b.scale * b->tessellation_tolerance;
        printf("%-11s%s -> %s\n", "tolerance", shortest(a->tessellation_tolerance, one),
               shortest(in_a, other));
    }
}

static void print_counts(const char *what, const diff_rows *rows)
{
    char a[32];
    printf("%-11s", what);
    for (int c = 0; c < DIFF_CHANGES; c++)
        if (rows->counts[c] > 0)
            printf("%s %s, ", grouped(rows->counts[c], a),
                   c == DIFF_PROPERTIES ? "with other properties"
                                        : diff_change_name((diff_change)c));
    printf("%s the same", grouped(rows->same_count, a));
    if (rows->repacked_count > 0)
        printf("; %s packed in another way", grouped(rows->repacked_count, a));
    putchar('\n');
}

/* ---- text: rows ---------------------------------------------------------------------------- */

static void print_text(bvp_string text)
{
    if (text.size > 0)
        print_name(stdout, text.data, text.size);
    else
        fputs("unnamed", stdout);
}

static void print_path(const diff_job *j, const match_side *s, uint32_t node)
{
    growing_text path = {0};
    if (instance_tree_path(&s->tree, node, &path) == 0)
        print_name(stdout, path.data, path.size);
    else
        *j->no_memory = 1;
    growing_text_free(&path);
}

static void print_instances(uint32_t count)
{
    char a[64];
    fputs(counted(count, "instance", a), stdout);
}

static void print_part_row(const diff_job *j, const diff_row *row)
{
    char a[32], b[64];
    uint64_t triangles_a = 0, triangles_b = 0;
    bvp_string name_a = {"", 0}, name_b = {"", 0};
    if (row->a != BVP_NONE)
        name_a = part_name(&j->a, row->a, &triangles_a);
    if (row->b != BVP_NONE)
        name_b = part_name(&j->b, row->b, &triangles_b);
    printf("  %-8s  ", diff_change_name(row->change));
    print_text(row->a != BVP_NONE ? name_a : name_b);
    if (row->change == DIFF_RENAMED) {
        fputs(" -> ", stdout);
        print_text(name_b);
    }
    if (row->change == DIFF_CHANGED && triangles_a != triangles_b)
        printf(": %s -> %s, ", grouped(triangles_a, a), counted(triangles_b, "triangle", b));
    else
        printf(": %s, ", counted(row->a != BVP_NONE ? triangles_a : triangles_b, "triangle", b));
    print_instances(row->instance_count);
    putchar('\n');
}

static void print_property(void *user, bvp_string key, const bvp_string *was, const bvp_string *is)
{
    fputs(*(int *)user ? ", " : ": ", stdout);
    *(int *)user = 1;
    print_name(stdout, key.data, key.size);
    fputc(' ', stdout);
    if (was)
        print_name(stdout, was->data, was->size);
    fputs(was && is ? " -> " : was ? " removed" : "added ", stdout);
    if (is)
        print_name(stdout, is->data, is->size);
}

static void print_node_row(const diff_job *j, const diff_row *row)
{
    int printed = 0;
    printf("  %-10s  ", diff_change_name(row->change));
    if (row->a != BVP_NONE)
        print_path(j, &j->a, row->a);
    else
        print_path(j, &j->b, row->b);
    if (row->change == DIFF_RENAMED) {
        fputs(" -> ", stdout);
        print_path(j, &j->b, row->b);
    }
    if (row->change == DIFF_CHANGED) {
        uint64_t unused;
        fputs(": ", stdout);
        print_text(part_name(&j->a, j->a.nodes[row->a].part, &unused));
        fputs(" -> ", stdout);
        print_text(part_name(&j->b, j->b.nodes[row->b].part, &unused));
    }
    if (row->change == DIFF_MOVED) {
        /* If the middle of the box has hardly moved, the instance was only turned. */
        const char *unit = unit_name(j->a.tree.info.unit_in_metres);
        const double *t = row->translation;
        printf(": %.6g%s%s", row->distance, unit[0] ? " " : "", unit);
        if (t[0] * t[0] + t[1] * t[1] + t[2] * t[2] < 1e-6 * row->distance * row->distance)
            fputs(", turned in place", stdout);
        else
            printf(" (%.6g, %.6g, %.6g)", t[0], t[1], t[2]);
    }
    if (row->change == DIFF_PROPERTIES)
        *j->no_memory |= diff_properties(&j->a, row->a, &j->b, row->b, print_property, &printed);
    if (row->instance_count > 1) {
        fputs(", ", stdout);
        print_instances(row->instance_count);
    }
    putchar('\n');
}

/* Rows of one change are consecutive: prints the first ones of each, and how many are left out. */
static void print_rows(const diff_job *j, const diff_rows *rows,
                       void (*print)(const diff_job *, const diff_row *))
{
    char a[32];
    for (size_t i = 0; i < rows->count;) {
        const diff_change change = rows->items[i].change;
        uint64_t shown = 0, hidden = 0, following = 0;
        for (; i < rows->count && rows->items[i].change == change; i++) {
            /* Does the mesh differ because the part itself has changed? Then the part's row says
             * so. */
            if (rows == &j->nodes && !j->set->all &&
                (rows->items[i].change == DIFF_CHANGED &&
                 j->a.parts[j->a.nodes[rows->items[i].a].part].partner ==
                     j->b.nodes[rows->items[i].b].part))
                following++;
            else if (shown++ < j->set->row_max)
                print(j, &rows->items[i]);
            else
                hidden++;
        }
        if (following > 0)
            printf("  changed     %s with their parts\n", grouped(following, a));
        if (hidden > 0)
            printf("  ... and %s more %s; --rows shows more of them\n", grouped(hidden, a),
                   diff_change_name(change));
    }
}

void diff_print(const diff_job *j)
{
    char a[64];
    if (!j->differ && j->parts.repacked_count == 0) {
        printf("no difference: %s, ", counted(j->parts.same_count, "part", a));
        printf("%s\n", counted(j->nodes.same_count, "instance", a));
        return;
    }
    print_heads(j);
    print_counts("parts", &j->parts);
    print_rows(j, &j->parts, print_part_row);
    print_counts("instances", &j->nodes);
    print_rows(j, &j->nodes, print_node_row);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void side_as_json(json *out, const char *key, const match_side *s)
{
    const bvp_file_info *info = &s->tree.info;
    jsonw_object(out, key);
    jsonw_text(out, "path", s->path);
    if (info->unit_in_metres > 0)
        jsonw_number(out, "unit_in_metres", info->unit_in_metres);
    else
        jsonw_null(out, "unit_in_metres");
    jsonw_text(out, "up_axis", up_axis(info));
    jsonw_number(out, "tessellation_tolerance", info->tessellation_tolerance);
    jsonw_count(out, "part_count", info->part_count);
    jsonw_count(out, "instance_count", info->instance_count);
    jsonw_hex(out, "root_hash", info->root_hash, sizeof info->root_hash);
    jsonw_end(out);
}

/* A part has no placement and no properties. */
static void counts_as_json(json *out, const diff_rows *rows, int of_parts)
{
    for (int c = 0; c < DIFF_CHANGES; c++)
        if (!of_parts || (c != DIFF_MOVED && c != DIFF_PROPERTIES))
            jsonw_count(out, diff_change_name((diff_change)c), rows->counts[c]);
    jsonw_count(out, "same", rows->same_count);
}

static void part_as_json(json *out, const char *key, const match_side *s, uint32_t part)
{
    uint64_t triangle_count;
    if (part == BVP_NONE) {
        jsonw_null(out, key);
        return;
    }
    const bvp_string name = part_name(s, part, &triangle_count);
    jsonw_object(out, key);
    jsonw_count(out, "index", part);
    jsonw_bytes(out, "name", name);
    jsonw_count(out, "triangle_count", triangle_count);
    jsonw_hex(out, "content_hash", s->parts[part].content_hash, sizeof s->parts[part].content_hash);
    jsonw_end(out);
}

static void node_as_json(json *out, const char *key, const diff_job *j, const match_side *s,
                         uint32_t node)
{
    growing_text path = {0};
    bvp_node_info info;
    if (node == BVP_NONE || bvp_get_node(s->tree.file, node, &info) != BVP_OK) {
        jsonw_null(out, key);
        return;
    }
    jsonw_object(out, key);
    jsonw_count(out, "node", node);
    if (info.instance != BVP_NONE) {
        jsonw_count(out, "instance", info.instance);
        jsonw_count(out, "part", info.part);
        jsonw_bytes(out, "part_number", instance_tree_part_number(&s->tree, node));
    }
    if (instance_tree_path(&s->tree, node, &path) == 0)
        jsonw_bytes(out, "path", (bvp_string){path.data, path.size});
    else
        *j->no_memory = 1;
    jsonw_bytes(out, "source_id", info.source_id);
    jsonw_end(out);
    growing_text_free(&path);
}

static void property_as_json(void *user, bvp_string key, const bvp_string *was,
                             const bvp_string *is)
{
    json *out = user;
    jsonw_object(out, NULL);
    jsonw_bytes(out, "key", key);
    if (was)
        jsonw_bytes(out, "was", *was);
    else
        jsonw_null(out, "was");
    if (is)
        jsonw_bytes(out, "is", *is);
    else
        jsonw_null(out, "is");
    jsonw_end(out);
}

void diff_print_json(const diff_job *j)
{
    json out;
    jsonw_start(&out, stdout, 1);
    jsonw_object(&out, NULL);
    side_as_json(&out, "a", &j->a);
    side_as_json(&out, "b", &j->b);
    jsonw_bool(&out, "differ", j->differ);
    jsonw_number(&out, "tolerance", j->tolerance);
    jsonw_object(&out, "parts");
    counts_as_json(&out, &j->parts, 1);
    jsonw_count(&out, "repacked", j->parts.repacked_count);
    jsonw_array(&out, "rows");
    for (size_t i = 0; i < j->parts.count; i++) {
        const diff_row *row = &j->parts.items[i];
        jsonw_inline_object(&out, NULL);
        jsonw_text(&out, "change", diff_change_name(row->change));
        part_as_json(&out, "a", &j->a, row->a);
        part_as_json(&out, "b", &j->b, row->b);
        jsonw_count(&out, "instances", row->instance_count);
        jsonw_end(&out);
    }
    jsonw_end(&out);
    jsonw_end(&out);
    jsonw_object(&out, "instances");
    counts_as_json(&out, &j->nodes, 0);
    jsonw_array(&out, "rows");
    for (size_t i = 0; i < j->nodes.count; i++) {
        jsonw_inline_object(&out, NULL);
        jsonw_text(&out, "change", diff_change_name(j->nodes.items[i].change));
        node_as_json(&out, "a", j, &j->a, j->nodes.items[i].a);
        node_as_json(&out, "b", j, &j->b, j->nodes.items[i].b);
        jsonw_count(&out, "instances", j->nodes.items[i].instance_count);
        if (j->nodes.items[i].change == DIFF_MOVED) {
            jsonw_number(&out, "distance", j->nodes.items[i].distance);
            jsonw_numbers(&out, "translation", j->nodes.items[i].translation, 3);
        }
        if (j->nodes.items[i].change == DIFF_PROPERTIES) {
            jsonw_array(&out, "properties");
            *j->no_memory |= diff_properties(&j->a, j->nodes.items[i].a, &j->b, j->nodes.items[i].b,
                                             property_as_json, &out);
            jsonw_end(&out);
        }
        jsonw_end(&out);
    }
    jsonw_end(&out);
    jsonw_end(&out);
    jsonw_end(&out);
    jsonw_finish(&out);
}
