/* SPDX-License-Identifier: MIT
 * report_case.c: a small assembly with a pair of every verdict, and a report of it in any form.
 */
#include "report_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"

/* ---- parts ----------------------------------------------------------------------------------- */

typedef struct shape {
    float *corners; /* 9 a triangle */
    uint32_t count;
} shape;

static void add_triangle(shape *s, const double a[3], const double b[3], const double c[3])
{
    const double *corners[3] = {a, b, c};
    float *to = s->corners + 9 * (size_t)s->count++;
    for (int i = 0; i < 9; i++)
        to[i] = (float)corners[i / 3][i % 3];
}

static void add_quad(shape *s, const double a[3], const double b[3], const double c[3],
                     const double d[3])
{
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

/* From the origin to (x, y, z). */
static shape make_box(double x, double y, double z)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    shape s = {.corners = malloc(12 * 9 * sizeof(float))};
    double p[8][3];
    for (int i = 0; i < 8; i++) {
        p[i][0] = i & 1 ? x : 0;
        p[i][1] = i & 2 ? y : 0;
        p[i][2] = i & 4 ? z : 0;
    }
    for (int f = 0; f < 6; f++)
        add_quad(&s, p[faces[f][0]], p[faces[f][1]], p[faces[f][2]], p[faces[f][3]]);
    return s;
}

/* The surface of revolution of a half circle; with stacks of 2, tall: a bolt-like spindle. */
static shape make_ball(double radius, double height, int slices, int stacks)
{
    shape s = {.corners = malloc((size_t)slices * stacks * 2 * 9 * sizeof(float))};
    for (int i = 0; i < stacks; i++)
        for (int j = 0; j < slices; j++) {
            double p[4][3];
            for (int k = 0; k < 4; k++) {
                const double down = M_PI * (i + (k > 1)) / stacks;
                const double turn = 2 * M_PI * (j + (k == 1 || k == 2)) / slices;
                p[k][0] = radius * sin(down) * cos(turn);
                p[k][1] = radius * sin(down) * sin(turn);
                p[k][2] = height * cos(down);
            }
            add_quad(&s, p[0], p[3], p[2], p[1]);
        }
    return s;
}

/* ---- the assembly ---------------------------------------------------------------------------- */

enum { PLATE, PIN, BALL, BLOCK, PARTS };
enum { THE_PLATE, PIN_IN, PIN_ON, PIN_TWIN, BIG_BALL, INNER, NEAR, APART, INSTANCES };

static const struct {
    const char *name;
    int part;
    double at[3];
} places[INSTANCES] = {
    {"plate", PLATE, {0, 0, 0}},        {REPORT_EVIL, PIN, {20, 20, 4}},
    {"pin on", PIN, {45, 15, 30}},      {"pin twin", PIN, {20, 20, 4}},
    {"ball", BALL, {80, 40, 25}},       {"inner", BLOCK, {75, 35, 20}},
    {"near block", BLOCK, {5, 40, 12}}, {"block apart", BLOCK, {60, 50, 10}},
};

/* Plate of 120 x 60 x 10 mm, z up. */
int report_case_pack(const char *path)
{
    static const bvp_build_options options = {
        .unit_in_metres = 0.001, .up = BVP_UP_Z, .thread_count = 1};
    shape shapes[PARTS] = {make_box(120, 60, 10), make_ball(5, 20, 32, 12),
                           make_ball(20, 20, 96, 64), make_box(10, 10, 10)};
    static const char *const names[PARTS] = {"plate", "pin", "ball", "block"};
    bvp_builder *builder;
    uint32_t parts[PARTS], root, node;
    if (bvp_builder_new(&options, &builder, NULL) != BVP_OK)
        return -1;
    for (int i = 0; i < PARTS; i++) {
        bvp_mesh mesh = {.positions = shapes[i].corners,
                         .vertex_count = 3 * (uint64_t)shapes[i].count,
                         .triangle_count = shapes[i].count,
                         .name = names[i]};
        bvp_builder_add_part(builder, &mesh, &parts[i], NULL);
        free(shapes[i].corners);
    }
    bvp_builder_add_node(
        builder, &(bvp_new_node){.parent = BVP_NONE, .name = "rig", .part = BVP_NONE}, &root, NULL);
    for (int i = 0; i < INSTANCES; i++) {
        const double *at = places[i].at;
        const double m[12] = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]};
        /* a packed file has no such name; a baseline may */
        const char *name = i == PIN_IN ? "pin in" : places[i].name;
        bvp_builder_add_node(builder,
                             &(bvp_new_node){.parent = root,
                                             .name = name,
                                             .source_id = i == 2 ? "0123456789abcdefghijkl" : NULL,
                                             .placement = m,
                                             .part = parts[places[i].part]},
                             &node, NULL);
    }
    const bvp_status status = bvp_builder_finish(builder, path, NULL, NULL);
    bvp_builder_free(builder);
    return status == BVP_OK ? 0 : -1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct {
    bvp_verdict verdict;
    int a, b;
    double distance, depth, point[3];
} pairs[REPORT_ROWS] = {
    {BVP_VERDICT_PENETRATING, THE_PLATE, PIN_IN, 0, 5, {20, 20, 5}},
    {BVP_VERDICT_PENETRATING, THE_PLATE, BIG_BALL, 0, 5, {80, 40, 5}},
    {BVP_VERDICT_TOUCHING, THE_PLATE, PIN_ON, 0, 0, {45, 15, 10}},
    {BVP_VERDICT_WITHIN, THE_PLATE, NEAR, 2, 0, {10, 45, 11}},
    {BVP_VERDICT_TOUCHING, THE_PLATE, APART, 0, 0, {65, 55, 10}},
    {BVP_VERDICT_DUPLICATE, PIN_IN, PIN_TWIN, 0, 0, {20, 20, 4}},
    {BVP_VERDICT_ENCLOSED, BIG_BALL, INNER, 7.5, 0, {80, 40, 25}},
    {BVP_VERDICT_UNKNOWN, BIG_BALL, APART, 3, 0, {68, 50, 18}},
    {BVP_VERDICT_CLEAR, INNER, APART, NAN, NAN, {NAN, NAN, NAN}},
};

static void fill_pair(int number, bvp_clash_pair *pair)
{
    const double half = pairs[number].distance / 2;
    *pair = (bvp_clash_pair){.a = BVP_NONE,
                             .b = BVP_NONE,
                             .verdict = pairs[number].verdict,
                             .limits = {3, 0.01, 0.01},
                             .distance = pairs[number].distance,
                             .lower = pairs[number].distance,
                             .depth = pairs[number].depth,
                             .depth_upper = INFINITY};
    for (int k = 0; k < 3; k++) {
        const double grow = pairs[number].verdict == BVP_VERDICT_PENETRATING ? 5 : 0;
        pair->point_a[k] = pairs[number].point[k] - (k == 2) * half;
        pair->point_b[k] = pairs[number].point[k] + (k == 2) * half;
        pair->lo[k] = pair->point_a[k] - grow;
        pair->hi[k] = pair->point_b[k] + grow;
    }
}

static void fill_side(const bvp_file *file, int place, char path[128], clash_side *side)
{
    snprintf(path, 128, "rig/%s", places[place].name);
    *side = (clash_side){.instance = BVP_NONE,
                         .node = BVP_NONE,
                         .path = path,
                         .name = places[place].name,
                         .part_number =
                             places[place].part == PIN ? "<img src=x onerror=alert(1)>" : "P-100"};
    if (!file)
        return;
    bvp_instance_info instance;
    bvp_file_info info;
    bvp_get_info(file, &info);
    for (uint32_t i = 0; i < info.instance_count; i++) {
        bvp_get_instance(file, i, &instance);
        if (instance.placement[3] == places[place].at[0] &&
            instance.placement[11] == places[place].at[2] &&
            (place != PIN_TWIN || side->instance == BVP_NONE)) {
            side->file = file;
            side->instance = i;
            side->node = instance.node;
            memcpy(side->placement, instance.placement, sizeof side->placement);
        }
    }
}

static int give_row(clash_report *r, const bvp_file *file, int number, uint32_t time)
{
    char paths[2][128];
    bvp_clash_pair pair;
    const int is_resolved = pairs[number].verdict == BVP_VERDICT_CLEAR;
    clash_row row = {.pair = &pair,
                     .group = number % 2 ? "P-100 + P-200" : "<P-100> & P-300",
                     .place = "x0 y0 z0",
                     .rule = number == 3 ? "clearance" : "",
                     .settled = "",
                     .state = is_resolved   ? "resolved"
                              : number == 0 ? "persistent"
                                            : "new",
                     .was = is_resolved   ? "touching"
                            : number == 0 ? "penetrating"
                                          : ""};
    fill_pair(number, &pair);
    fill_side(is_resolved ? NULL : file, pairs[number].a, paths[0], &row.a);
    fill_side(is_resolved ? NULL : file, pairs[number].b, paths[1], &row.b);
    pair.a = row.a.instance;
    pair.b = row.b.instance;
    snprintf(row.id, sizeof row.id, "%024x%08x", (unsigned)number + 1, (unsigned)time);
    char title[256];
    snprintf(title, sizeof title, "%s and %s", row.a.name, row.b.name);
    clash_issue issue = {.title = title,
                         .where = "",
                         .state = row.state,
                         .status = "",
                         .assignee = "",
                         .pair_count = 1};
    issue.number = (uint64_t)number + 1 + REPORT_ROWS * (uint64_t)time;
    memcpy(issue.id, row.id, sizeof issue.id);
    row.issue = is_resolved ? NULL : &issue;
    row.begins_issue = !is_resolved;
    return r->form->row(r, &row);
}

/* What people say of some issues, with names that would do harm. */
static int say(issue_log *log)
{
    static const issue_event events[] = {{.time = "2025-12-01T00:00:00Z",
                                          .issue = REPORT_SAID,
                                          .author = REPORT_EVIL,
                                          .status = "active",
                                          .word = "In \"Progress\" <1>",
                                          .assignee = REPORT_EVIL},
                                         {.time = "2025-12-02T00:00:00Z",
                                          .issue = REPORT_SAID,
                                          .author = "b",
                                          .comment = "1 < 2 & 3"},
                                         {.time = "2025-12-03T00:00:00Z",
                                          .issue = REPORT_SAID,
                                          .author = "c",
                                          .comment = REPORT_EVIL,
                                          .guid = "0123abcd-0123-0123-0123-0123456789ab"},
                                         {.time = "2025-12-04T00:00:00Z",
                                          .issue = REPORT_SAID,
                                          .author = "d",
                                          .comment = "changed",
                                          .guid = "0123abcd-0123-0123-0123-0123456789ab"},
                                         {.time = "2026-12-04T00:00:00Z",
                                          .issue = "00000000000000000000000200000000",
                                          .author = "e",
                                          .status = "approved"}};
    int code = 0;
    for (size_t i = 0; i < sizeof events / sizeof events[0] && code == 0; i++)
        code = issue_log_add(log, &events[i]);
    return code ? code : issue_log_sort(log);
}

static int give_all(clash_report *r, const bvp_file *file, uint32_t times)
{
    static const clash_rule_use rule = {"<b>clearance", "limits", 1};
    static const char *const warning = "rule 2 <i>matches</i> nothing";
    clash_summary summary = {.coverage = {.box_pairs = 20,
                                          .excluded = 1,
                                          .verdicts = {11, 1, 2, 2, 1, 1, 1},
                                          .instance_count = INSTANCES},
                             .complete = 1,
                             .done = INSTANCES,
                             .total = INSTANCES,
                             .row_count = (REPORT_ROWS - 1) * (uint64_t)times,
                             .new_count = 7,
                             .persistent_count = 1,
                             .resolved_count = 1,
                             .rules = &rule,
                             .rule_count = 1,
                             .warnings = &warning,
                             .warning_count = 1};
    int code = r->form->begin(r, r->run);
    for (uint32_t time = 0; time < times; time++)
        for (int i = 0; i < REPORT_ROWS && code == 0; i++)
            code = give_row(r, file, i, time);
    return code == 0 ? r->form->end(r, &summary) : code;
}

int report_case_write(const char *packed, const clash_form *form, FILE *out, uint32_t picture_max,
                      uint32_t times, uint32_t thread_count)
{
    bvp_file *file;
    issue_log log = {0};
    if (bvp_open(packed, NULL, &file, NULL) != BVP_OK || say(&log) != 0)
        return -1;
    clash_run run = {.path_a = "models/rig <1> & co.bvp",
                     .path_b = "",
                     .file_a = file,
                     .limits = {3, 0.01, 0.01},
                     .touch_gap_default = 0.01,
                     .cell = 100,
                     .unit = "mm",
                     .created = "2026-01-02T03:04:05Z",
                     .rules = "",
                     .baseline = "last.jsonl",
                     .issues = &log,
                     .thread_count = thread_count,
                     .picture_max = picture_max};
    bvp_get_info(file, &run.info_a);
    clash_report r = {.form = form, .path = "report", .stream = out, .run = &run};
    int code = give_all(&r, file, times);
    if (form->discard)
        form->discard(&r);
    bvp_close(file);
    issue_log_close(&log);
    return code;
}
