/* SPDX-License-Identifier: MIT
 * query_ray.c: the kind ray of the verb query: first, any or all hits of rays.
 *
 * The library reports all hits of a ray in any order; here they are collected and sorted along the
 * ray, so that the answer does not depend on the hierarchy. First and any hits need no list.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"
#include "text/message.h"
#include "cli/options.h"
#include "query/query_kind.h"

typedef struct settings {
    query_common common;
    const char *place, *origin, *direction, *batch;
    double t_min, t_max;
    int any, all;
} settings;

/* ---- one ray ------------------------------------------------------------------------------- */

static void point_on_ray(const bvp_ray *ray, double t, double out[3])
{
    for (int a = 0; a < 3; a++)
        out[a] = ray->origin[a] + t * ray->direction[a];
}

static void ray_hit_as_json(json *out, const operand *o, const bvp_ray *ray, const bvp_ray_hit *h)
{
    double point[3];
    point_on_ray(ray, h->t, point);
    jsonw_number(out, "t", h->t);
    jsonw_numbers(out, "point", point, 3);
    jsonw_number(out, "u", h->u);
    jsonw_number(out, "v", h->v);
    jsonw_numbers(out, "normal", h->normal, 3);
    query_hit_json(out, "hit", o, &h->id);
}

static void ray_hit_as_text(const operand *o, const bvp_ray *ray, const bvp_ray_hit *h)
{
    char a[32];
    double point[3];
    point_on_ray(ray, h->t, point);
    printf("t %s", shortest(h->t + 0.0, a)); /* as query_point_text */
    query_point_text("  point", point);
    query_point_text("  normal", h->normal);
    fputs("  ", stdout);
    query_hit_text(o, &h->id);
    putchar('\n');
}

static bvp_status ray_first(query_run *q, const operand *o, const bvp_ray *ray)
{
    bvp_body body = operand_body(o);
    bvp_ray_hit hit = {0};
    bvp_status status = bvp_ray_first(&body, ray, &hit, &q->stats);
    query_answered(q);
    if (status != BVP_OK)
        return status;
    q->hit = hit.found;
    if (q->set->json)
        jsonw_bool(&q->out, "found", hit.found);
    if (hit.found && q->set->json)
        ray_hit_as_json(&q->out, o, ray, &hit);
    else if (hit.found)
        ray_hit_as_text(o, ray, &hit);
    else if (!q->set->json)
        puts("no hit");
    return BVP_OK;
}

/* ---- all hits of a ray, along the ray ------------------------------------------------------ */

typedef struct ray_hits {
    bvp_ray_hit *items;
    size_t count, capacity;
    int failed;
} ray_hits;

static int keep_hit(void *user, const bvp_ray_hit *hit)
{
    ray_hits *h = user;
    h->failed = array_grow(&h->items, &h->capacity, h->count + 1, sizeof *h->items) != 0;
    if (h->failed)
        return 1;
    h->items[h->count++] = *hit;
    assert(h->count <= h->capacity);
    return 0;
}

static int along_ray(const void *a, const void *b)
{
    const bvp_ray_hit *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->id.instance != y->id.instance)
        return x->id.instance < y->id.instance ? -1 : 1;
    return (x->id.triangle > y->id.triangle) - (x->id.triangle < y->id.triangle);
}

static bvp_status ray_all(query_run *q, const operand *o, const bvp_ray *ray)
{
    bvp_body body = operand_body(o);
    ray_hits hits = {0};
    uint64_t count = 0;
    bvp_status status = bvp_ray_all(&body, ray, keep_hit, &hits, &count, &q->stats);
    query_answered(q);
    if (hits.failed)
        status = BVP_ERR_NO_MEMORY;
    q->hit = hits.count > 0;
    if (status == BVP_OK && hits.count > 0)
        qsort(hits.items, hits.count, sizeof *hits.items, along_ray);
    if (status == BVP_OK && q->set->json) {
        jsonw_array(&q->out, "hits");
        for (size_t i = 0; i < hits.count; i++) {
            jsonw_inline_object(&q->out, NULL);
            ray_hit_as_json(&q->out, o, ray, &hits.items[i]);
            jsonw_end(&q->out);
        }
        jsonw_end(&q->out);
        jsonw_count(&q->out, "count", hits.count);
    }
    for (size_t i = 0; status == BVP_OK && !q->set->json && i < hits.count; i++)
        ray_hit_as_text(o, ray, &hits.items[i]);
    free(hits.items);
    return status;
}

/* ---- many rays ----------------------------------------------------------------------------- */

typedef struct ray_batch {
    const settings *set;
    const operand *o;
    bvp_body body;
    bvp_ray rays[QUERY_CHUNK];
    bvp_ray_hit hits[QUERY_CHUNK];
    int any[QUERY_CHUNK];
} ray_batch;

static int take_ray(void *context, size_t index, const double *v, int count)
{
    ray_batch *b = context;
    assert(index < QUERY_CHUNK);
    if (count != 6 && count != 8)
        return 0;
    b->rays[index] = (bvp_ray){{v[0], v[1], v[2]},
                               {v[3], v[4], v[5]},
                               count == 8 ? v[6] : b->set->t_min,
                               count == 8 ? v[7] : b->set->t_max};
    return v[3] != 0 || v[4] != 0 || v[5] != 0;
}

static bvp_status ask_rays(void *context, size_t count, size_t *done, bvp_stats *stats)
{
    ray_batch *b = context;
    if (b->set->any)
        return bvp_ray_any_batch(&b->body, (bvp_const_array){b->rays, 0, count},
                                 (bvp_array){b->any, 0, count}, done, stats);
    return bvp_ray_first_batch(&b->body, (bvp_const_array){b->rays, 0, count},
                               (bvp_array){b->hits, 0, count}, done, stats);
}

static int print_ray_line(void *context, json *out, size_t index)
{
    const ray_batch *b = context;
    int found = b->set->any ? b->any[index] : b->hits[index].found;
    jsonw_bool(out, "found", found);
    if (found && !b->set->any)
        ray_hit_as_json(out, b->o, &b->rays[index], &b->hits[index]);
    return found;
}

static int run_rays(const settings *set, const operand *o)
{
    static const query_batch kind = {
        "a ray, \"ox oy oz dx dy dz [t_min t_max]\", whose direction is not zero", take_ray,
        ask_rays, print_ray_line};
    ray_batch *b = malloc(sizeof *b);
    if (!b)
        return complain_memory();
    b->set = set;
    b->o = o;
    b->body = operand_body(o);
    int code = query_batch_run(&kind, set->batch, &set->common, o, NULL, b);
    free(b);
    return code;
}

/* ---- the kind ------------------------------------------------------------------------------ */

static int ask_ray(const verb *self, const settings *set, const operand *o)
{
    query_run q;
    bvp_ray ray;
    if (!set->origin || !set->direction) {
        complain(self->name, "say which ray: --origin x,y,z --direction x,y,z, or --batch FILE");
        return EXIT_USAGE;
    }
    int code = parse_vector("--origin", set->origin, ray.origin, 3);
    if (code == 0)
        code = parse_vector("--direction", set->direction, ray.direction, 3);
    if (code != 0)
        return code;
    const double *d = ray.direction;
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) {
        complain("--direction", "must not be zero");
        return EXIT_USAGE;
    }
    ray.t_min = set->t_min;
    ray.t_max = set->t_max;
    query_begin(&q, &set->common);
    bvp_status status;
    if (set->any) {
        const bvp_body body = operand_body(o);
        status = bvp_ray_any(&body, &ray, &q.hit, &q.stats);
        query_answered(&q);
        if (status == BVP_OK && set->common.json)
            jsonw_bool(&q.out, "found", q.hit);
        else if (status == BVP_OK)
            puts(q.hit ? "yes" : "no");
    } else {
        status = set->all ? ray_all(&q, o, &ray) : ray_first(&q, o, &ray);
    }
    return query_end(&q, o, NULL, NULL, status);
}

static int run_ray(const verb *self, int argc, char **argv)
{
    settings set = {.t_max = INFINITY};
    operand o;
    int code;
    if (!query_start(self, argc, argv, &set, &set.place, &o, &code))
        return code;
    code = EXIT_USAGE;
    if (set.any && set.all)
        complain(self->name, "--any and --all contradict each other");
    else if (set.batch && set.all)
        complain(self->name, "--batch answers with the first hit, or with --any; not --all");
    else if (set.t_min > set.t_max)
        complain("--t-min", "must not be above --t-max");
    else
        code = set.batch ? run_rays(&set, &o) : ask_ray(self, &set, &o);
    operand_close(&o);
    return code;
}

static const option_row ray_options[] = {
    {"origin", 0, OPTION_TEXT, offsetof(settings, origin), "X,Y,Z", "where the ray starts", 0, 0},
    {"direction", 'd', OPTION_TEXT, offsetof(settings, direction), "X,Y,Z",
     "where it goes; t counts in lengths of this vector", 0, 0},
    {"t-min", 0, OPTION_NUMBER, offsetof(settings, t_min), "T",
     "hits before T do not count; 0 is the default", 0, 0},
    {"t-max", 0, OPTION_NUMBER, offsetof(settings, t_max), "T", "hits beyond T do not count", 0, 0},
    {"any", 0, OPTION_FLAG, offsetof(settings, any), NULL, "only whether anything is hit", 0, 0},
    {"all", 0, OPTION_FLAG, offsetof(settings, all), NULL, "every hit, along the ray", 0, 0},
    {"batch", 0, OPTION_FILE, offsetof(settings, batch), "FILE",
     "many rays, one a line of FILE (\"-\": standard input): ox oy oz dx dy dz [t_min t_max]; "
     "prints one line of JSON for each",
     0, 0},
    QUERY_PLACE_ROW(settings),
    QUERY_SELECT_ROWS(settings),
    QUERY_ROWS(settings),
    {0}};

const verb verb_query_ray = {
    .name = "query ray",
    .summary = "what does a ray hit?",
    .synopsis = "OPERAND --origin X,Y,Z --direction X,Y,Z [--any|--all] [OPTION]...\n"
                "OPERAND --batch FILE [--any] [OPTION]...\n",
    .description = "Prints the first triangle that the ray hits: the parameter t along it, the "
                   "point, the normal, and whose triangle it is. A ray does not slip through an "
                   "edge that triangles share.",
    .options = ray_options,
    .examples = "bvpack query ray plant.bvp --origin 0,0,10 --direction 0,0,-1\n"
                "# is there a line of sight between two points?\n"
                "bvpack query ray plant.bvp --origin 0,0,2 -d 8,1,0 --t-max 1 --any --exit-code\n"
                "# many rays from a pipe\n"
                "./rays | bvpack query ray plant.bvp --batch -\n",
    .exit_codes = QUERY_HIT_EXIT,
    .completes = "bvp|zst",
    .run = run_ray,
};
