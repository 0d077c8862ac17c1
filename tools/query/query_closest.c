/* SPDX-License-Identifier: MIT
 * query_closest.c: the kind closest of the verb query: nearest surface points.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "cli/options.h"
#include "query/query_kind.h"

typedef struct settings {
    query_common common;
    const char *place, *point, *limit, *batch;
} settings;

/* ---- many points --------------------------------------------------------------------------- */

typedef struct point_batch {
    const operand *o;
    bvp_body body;
    double limit;
    double points[QUERY_CHUNK][3];
    bvp_closest_result results[QUERY_CHUNK];
} point_batch;

static int take_point(void *context, size_t index, const double *v, int count)
{
    point_batch *b = context;
    assert(index < QUERY_CHUNK);
    if (count == 3)
        memcpy(b->points[index], v, sizeof b->points[index]);
    return count == 3;
}

static bvp_status ask_points(void *context, size_t count, size_t *done, bvp_stats *stats)
{
    point_batch *b = context;
    return bvp_closest_batch(&b->body, (bvp_const_array){b->points[0], 0, count}, b->limit,
                             (bvp_array){b->results, 0, count}, done, stats);
}

static int print_point_line(void *context, json *out, size_t index)
{
    const point_batch *b = context;
    jsonw_bool(out, "found", b->results[index].found);
    if (b->results[index].found)
        query_closest_json(out, b->o, &b->results[index]);
    return b->results[index].found;
}

static int run_points(const settings *set, const operand *o, double limit)
{
    static const query_batch kind = {"a point, \"x y z\"", take_point, ask_points,
                                     print_point_line};
    point_batch *b = malloc(sizeof *b);
    if (!b)
        return complain_memory();
    b->o = o;
    b->body = operand_body(o);
    b->limit = limit;
    int code = query_batch_run(&kind, set->batch, &set->common, o, NULL, b);
    free(b);
    return code;
}

/* ---- the kind ------------------------------------------------------------------------------ */

static int ask_closest(const verb *self, const settings *set, const operand *o, double limit)
{
    query_run q;
    bvp_body body = operand_body(o);
    bvp_closest_result r = {0};
    double point[3];
    if (!set->point) {
        complain(self->name, "say which point: --point x,y,z, or --batch FILE");
        return EXIT_USAGE;
    }
    int code = parse_vector("--point", set->point, point, 3);
    if (code != 0)
        return code;
    query_begin(&q, &set->common);
    bvp_status status = bvp_closest(&body, point, limit, &r, &q.stats);
    query_answered(&q);
    q.hit = status == BVP_OK && r.found;
    if (status == BVP_OK && set->common.json)
        jsonw_bool(&q.out, "found", r.found);
    if (q.hit && set->common.json) {
        query_closest_json(&q.out, o, &r);
    } else if (q.hit) {
        query_length_text("distance", r.distance, o);
        query_point_text("point", r.point);
        fputs("  ", stdout);
        query_hit_text(o, &r.id);
        putchar('\n');
    } else if (status == BVP_OK && !set->common.json) {
        puts(isinf(limit) ? "no point: the operand is empty" : "farther than the limit");
    }
    return query_end(&q, o, NULL, NULL, status);
}

static int run_closest(const verb *self, int argc, char **argv)
{
    settings set = {.limit = NULL};
    operand o;
    double limit = INFINITY;
    int code;
    if (!query_start(self, argc, argv, &set, &set.place, &o, &code))
        return code;
    if (set.limit)
        code = parse_length("--limit", set.limit, &o.info, &limit);
    if (code == 0 && set.batch)
        code = run_points(&set, &o, limit);
    else if (code == 0)
        code = ask_closest(self, &set, &o, limit);
    operand_close(&o);
    return code;
}

static const option_row closest_options[] = {
    {"point", 0, OPTION_TEXT, offsetof(settings, point), "X,Y,Z", "the point", 0, 0},
    {"limit", 0, OPTION_TEXT, offsetof(settings, limit), "LENGTH",
     "points farther away are of no interest", 0, 0},
    {"batch", 0, OPTION_FILE, offsetof(settings, batch), "FILE",
     "many points, one a line of FILE (\"-\": standard input): x y z; prints one line of JSON for "
     "each",
     0, 0},
    QUERY_PLACE_ROW(settings),
    QUERY_SELECT_ROWS(settings),
    QUERY_ROWS(settings),
    {0}};

const verb verb_query_closest = {
    .name = "query closest",
    .summary = "which surface point is nearest to a point?",
    .synopsis = "OPERAND --point X,Y,Z [OPTION]...\n"
                "OPERAND --batch FILE [OPTION]...\n",
    .description = "Prints the distance, the nearest point of the surface and its triangle.",
    .options = closest_options,
    .examples = "bvpack query closest plant.bvp --point 1,2,3\n"
                "bvpack query closest plant.bvp --point 1,2,3 --limit 100mm --json\n",
    .exit_codes = QUERY_HIT_EXIT,
    .completes = "bvp|zst",
    .run = run_closest,
};
