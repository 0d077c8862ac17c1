/* SPDX-License-Identifier: MIT
 * query_convex.c: the kind convex of the verb query: how far a solid shape is from the surface.
 */
#include <math.h>
#include <stdlib.h>
#include "text/message.h"
#include "cli/options.h"
#include "query/convex_text.h"
#include "query/query_kind.h"

typedef struct settings {
    query_common common;
    const char *place, *shape, *place_shape, *limit;
} settings;

static void print_distance(query_run *q, const operand *o, const bvp_distance_result *r)
{
    if (q->set->json) {
        jsonw_number(&q->out, "distance", r->distance);
        jsonw_number(&q->out, "lower", r->lower);
        jsonw_numbers(&q->out, "point", r->point_a, 3);
        jsonw_numbers(&q->out, "shape_point", r->point_b, 3);
        query_hit_json(&q->out, "hit", o, &r->a);
        return;
    }
    query_length_text("distance", r->distance, o);
    query_point_text("point", r->point_a);
    fputs("  ", stdout);
    query_hit_text(o, &r->a);
    putchar('\n');
    query_point_text("on the shape", r->point_b);
    putchar('\n');
}

static int ask_convex(const settings *set, const operand *o, double limit)
{
    double *points, placement[12];
    const hull_request request = {.where = "--shape", .unit_in_metres = o->info.unit_in_metres};
    bvp_convex convex = {.placement = NULL};
    bvp_distance_result r = {.found = 0};
    const bvp_body body = operand_body(o);
    query_run q;
    int code = convex_text_read(&request, set->shape, &points, &convex);
    if (code == 0 && set->place_shape) {
        code = parse_placement("--place-shape", set->place_shape, placement);
        convex.placement = placement;
    }
    if (code != 0) {
        free(points);
        return code;
    }
    query_begin(&q, &set->common);
    const bvp_status status = bvp_convex_distance(&body, &convex, limit, &r, &q.stats);
    query_answered(&q);
    q.hit = status == BVP_OK && r.found;
    if (status == BVP_OK && set->common.json)
        jsonw_bool(&q.out, "found", r.found);
    if (q.hit)
        print_distance(&q, o, &r);
    else if (status == BVP_OK && !set->common.json)
        puts(isinf(limit) ? "no distance: the operand is empty" : "farther than the limit");
    free(points);
    return query_end(&q, o, NULL, "--shape, --place-shape", status);
}

static int run_convex(const verb *self, int argc, char **argv)
{
    settings set = {.limit = NULL};
    operand o;
    double limit = INFINITY;
    int code;
    if (!query_start(self, argc, argv, &set, &set.place, &o, &code))
        return code;
    if (set.limit)
        code = parse_length("--limit", set.limit, &o.info, &limit);
    if (code == 0)
        code = ask_convex(&set, &o, limit);
    operand_close(&o);
    return code;
}

static const option_row convex_options[] = {
    {"shape", 0, OPTION_TEXT, offsetof(settings, shape), "SHAPE", CONVEX_TEXT_HELP, 0, 0},
    {"place-shape", 0, OPTION_TEXT, offsetof(settings, place_shape), "PLACEMENT",
     "where the shape stands" QUERY_PLACE_HELP, 0, 0},
    {"limit", 0, OPTION_TEXT, offsetof(settings, limit), "LENGTH",
     "larger distances are of no interest; 0: does it touch?", 0, 0},
    QUERY_PLACE_ROW(settings),
    QUERY_SELECT_ROWS(settings),
    QUERY_ROWS(settings),
    {0}};

const verb verb_query_convex = {
    .name = "query convex",
    .summary = "how far is a solid box, ball, capsule, cylinder or hull?",
    .synopsis = "OPERAND --shape SHAPE [OPTION]...\n",
    .description = "Prints the distance of the shape from the surface, 0 when they touch, and the "
                   "nearest points. The shape is solid: what is inside it touches. The operand is "
                   "a surface: a shape inside a closed part, away from its walls, does not touch "
                   "it.",
    .options = convex_options,
    .examples = "bvpack query convex plant.bvp --shape sphere:0.5 --place-shape 1,2,3\n"
                "# the tool of a robot, as its hull\n"
                "bvpack query convex cell.bvp --shape hull:gripper.stl --place-shape 1,0,1\n"
                "# is a gripper's finger, standing oblique, free by 5 mm?\n"
                "bvpack query convex cell.bvp --shape capsule:0.02,0.3 --place-shape "
                "1,0,1,0,45,0 --limit 5mm --exit-code\n",
    .exit_codes = QUERY_HIT_EXIT,
    .completes = "bvp|zst",
    .run = run_convex,
};
