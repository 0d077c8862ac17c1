/* SPDX-License-Identifier: MIT
 * query_single.c: the kinds of query of one body: ray, closest, overlap.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "message.h"
#include "options.h"
#include "query.h"

enum { CHUNK = 1024, PLANE_MAX = 16 };

typedef struct settings {
    query_common common;
    const char *place, *origin, *direction, *point, *limit, *box, *sphere, *planes, *batch;
    double t_min, t_max;
    uint64_t max;
    int any, all, count_only;
} settings;

/* Parses the command line and opens the operand. 1: go on; else *code is the exit code. */
static int start(const verb *self, int argc, char **argv, settings *set, operand *o, int *code)
{
    int first = options_parse(self, argc, argv, set, code);
    if (first < 0)
        return 0;
    *code = options_need(self, argc - first, 1, 1, "one operand");
    if (*code == 0)
        *code = operand_open(o, argv[first], set->place);
    return *code == 0;
}

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
    json_number(out, "t", h->t);
    json_numbers(out, "point", point, 3);
    json_number(out, "u", h->u);
    json_number(out, "v", h->v);
    json_numbers(out, "normal", h->normal, 3);
    query_hit_json(out, "hit", o, &h->id);
}

static void ray_hit_as_text(const operand *o, const bvp_ray *ray, const bvp_ray_hit *h)
{
    char a[32];
    double point[3];
    point_on_ray(ray, h->t, point);
    printf("t %s", shortest(h->t, a));
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
        json_bool(&q->out, "found", hit.found);
    if (hit.found && q->set->json)
        ray_hit_as_json(&q->out, o, ray, &hit);
    else if (hit.found)
        ray_hit_as_text(o, ray, &hit);
    else if (!q->set->json)
        puts("no hit");
    return BVP_OK;
}

static bvp_status ray_any(query_run *q, const operand *o, const bvp_ray *ray)
{
    bvp_body body = operand_body(o);
    bvp_status status = bvp_ray_any(&body, ray, &q->hit, &q->stats);
    query_answered(q);
    if (status == BVP_OK && q->set->json)
        json_bool(&q->out, "found", q->hit);
    else if (status == BVP_OK)
        puts(q->hit ? "yes" : "no");
    return status;
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
    if (h->count == h->capacity) {
        size_t wanted = h->capacity ? 2 * h->capacity : 64;
        bvp_ray_hit *larger = realloc(h->items, wanted * sizeof *larger);
        h->failed = larger == NULL;
        if (h->failed)
            return 1;
        h->items = larger;
        h->capacity = wanted;
    }
    h->items[h->count++] = *hit;
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

static void ray_hits_as_json(query_run *q, const operand *o, const bvp_ray *ray, const ray_hits *h)
{
    json_array(&q->out, "hits");
    for (size_t i = 0; i < h->count; i++) {
        json_inline_object(&q->out, NULL);
        ray_hit_as_json(&q->out, o, ray, &h->items[i]);
        json_end(&q->out);
    }
    json_end(&q->out);
    json_count(&q->out, "count", h->count);
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
    if (status == BVP_OK && q->set->json)
        ray_hits_as_json(q, o, ray, &hits);
    for (size_t i = 0; status == BVP_OK && !q->set->json && i < hits.count; i++)
        ray_hit_as_text(o, ray, &hits.items[i]);
    free(hits.items);
    return status;
}

/* ---- batches of rays and points: JSON lines whatever --json says --------------------------- */

typedef struct chunk {
    union {
        bvp_ray rays[CHUNK];
        double points[CHUNK][3];
    };
    union {
        bvp_ray_hit ray_hits[CHUNK];
        bvp_closest_result closest[CHUNK];
    };
    int any[CHUNK];
    uint64_t lines[CHUNK];
    size_t count;
} chunk;

/* Puts a line's numbers into element `index`; 0 when they are wrong. */
typedef int (*take_fn)(chunk *c, size_t index, const double *values, int count,
                       const settings *set);
typedef bvp_status (*ask_fn)(const bvp_body *body, chunk *c, double length, const settings *set,
                             size_t *done, bvp_stats *stats);
/* Prints the members of element `index`; returns whether it is a hit. */
typedef int (*line_fn)(json *out, const operand *o, const chunk *c, size_t index,
                       const settings *set);

typedef struct batch_kind {
    const char *expected;
    take_fn take;
    ask_fn ask;
    line_fn print;
} batch_kind;

static int take_ray(chunk *c, size_t index, const double *v, int count, const settings *set)
{
    if (count != 6 && count != 8)
        return 0;
    c->rays[index] = (bvp_ray){{v[0], v[1], v[2]},
                               {v[3], v[4], v[5]},
                               count == 8 ? v[6] : set->t_min,
                               count == 8 ? v[7] : set->t_max};
    return v[3] != 0 || v[4] != 0 || v[5] != 0;
}

static int take_point(chunk *c, size_t index, const double *v, int count, const settings *set)
{
    (void)set;
    if (count == 3)
        memcpy(c->points[index], v, sizeof c->points[index]);
    return count == 3;
}

static bvp_status ask_rays(const bvp_body *body, chunk *c, double length, const settings *set,
                           size_t *done, bvp_stats *stats)
{
    (void)length;
    if (set->any)
        return bvp_ray_any_batch(body, c->rays, 0, c->count, c->any, 0, done, stats);
    return bvp_ray_first_batch(body, c->rays, 0, c->count, c->ray_hits, 0, done, stats);
}

static bvp_status ask_points(const bvp_body *body, chunk *c, double length, const settings *set,
                             size_t *done, bvp_stats *stats)
{
    (void)set;
    return bvp_closest_batch(body, c->points[0], 0, c->count, length, c->closest, 0, done, stats);
}

static int print_ray_line(json *out, const operand *o, const chunk *c, size_t index,
                          const settings *set)
{
    int found = set->any ? c->any[index] : c->ray_hits[index].found;
    json_bool(out, "found", found);
    if (found && !set->any)
        ray_hit_as_json(out, o, &c->rays[index], &c->ray_hits[index]);
    return found;
}

static void closest_as_json(json *out, const operand *o, const bvp_closest_result *r)
{
    json_number(out, "distance", r->distance);
    json_numbers(out, "point", r->point, 3);
    query_hit_json(out, "hit", o, &r->id);
}

static int print_point_line(json *out, const operand *o, const chunk *c, size_t index,
                            const settings *set)
{
    const bvp_closest_result *r = &c->closest[index];
    (void)set;
    json_bool(out, "found", r->found);
    if (r->found)
        closest_as_json(out, o, r);
    return r->found;
}

static const batch_kind ray_batch = {"a ray, \"ox oy oz dx dy dz [t_min t_max]\", whose direction "
                                     "is not zero",
                                     take_ray, ask_rays, print_ray_line};
static const batch_kind point_batch = {"a point, \"x y z\"", take_point, ask_points,
                                       print_point_line};

static int read_chunk(batch *in, const batch_kind *kind, const settings *set, chunk *c)
{
    double values[16];
    int count = 0;
    for (c->count = 0; c->count < CHUNK; c->count++) {
        count = batch_next(in, values, 16);
        if (count > 0 && !kind->take(c, c->count, values, count, set))
            count = batch_refuse(in, kind->expected);
        if (count <= 0)
            break;
        c->lines[c->count] = in->line;
    }
    return count < 0 ? EXIT_INPUT : 0;
}

static int print_lines(const operand *o, const batch_kind *kind, const settings *set,
                       const chunk *c, size_t done)
{
    int hit = 0;
    for (size_t i = 0; i < done; i++) {
        json line;
        json_start(&line, stdout, 0);
        json_object(&line, NULL);
        json_count(&line, "line", c->lines[i]);
        hit |= kind->print(&line, o, c, i, set);
        json_end(&line);
        json_finish(&line);
    }
    return hit;
}

static int run_batch(const operand *o, const batch_kind *kind, const settings *set, double length)
{
    query_common common = {.stats = set->common.stats, .exit_code = set->common.exit_code};
    query_run q;
    batch in;
    bvp_body body = operand_body(o);
    bvp_status status = BVP_OK;
    chunk *c = malloc(sizeof *c);
    int code = c ? batch_open(&in, set->batch) : EXIT_LIMIT;
    if (code != 0) {
        free(c);
        return code;
    }
    query_begin(&q, &common);
    do {
        size_t done = 0;
        code = read_chunk(&in, kind, set, c);
        if (c->count > 0)
            status = kind->ask(&body, c, length, set, &done, &q.stats);
        q.hit |= print_lines(o, kind, set, c, done);
    } while (code == 0 && status == BVP_OK && c->count == CHUNK);
    query_answered(&q);
    batch_close(&in);
    free(c);
    int end = query_end(&q, in.name, status);
    return code != 0 ? code : end;
}

/* ---- ray ----------------------------------------------------------------------------------- */

static int read_ray(const verb *self, const settings *set, bvp_ray *ray)
{
    if (!set->origin || !set->direction) {
        complain(self->name, "say which ray: --origin x,y,z --direction x,y,z, or --batch FILE");
        return EXIT_USAGE;
    }
    int code = parse_vector("--origin", set->origin, ray->origin, 3);
    if (code == 0)
        code = parse_vector("--direction", set->direction, ray->direction, 3);
    if (code != 0)
        return code;
    const double *d = ray->direction;
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) {
        complain("--direction", "must not be zero");
        return EXIT_USAGE;
    }
    ray->t_min = set->t_min;
    ray->t_max = set->t_max;
    return 0;
}

static int ask_ray(const verb *self, const settings *set, const operand *o)
{
    query_run q;
    bvp_ray ray;
    int code = read_ray(self, set, &ray);
    if (code != 0)
        return code;
    query_begin(&q, &set->common);
    bvp_status status = set->all   ? ray_all(&q, o, &ray)
                        : set->any ? ray_any(&q, o, &ray)
                                   : ray_first(&q, o, &ray);
    return query_end(&q, o->text, status);
}

static int check_ray_settings(const verb *self, const settings *set)
{
    if (set->any && set->all) {
        complain(self->name, "--any and --all contradict each other");
        return EXIT_USAGE;
    }
    if (set->batch && set->all) {
        complain(self->name, "--batch answers with the first hit, or with --any; not --all");
        return EXIT_USAGE;
    }
    if (set->t_min > set->t_max) {
        complain("--t-min", "must not be above --t-max");
        return EXIT_USAGE;
    }
    return 0;
}

static int run_ray(const verb *self, int argc, char **argv)
{
    settings set = {.t_max = INFINITY};
    operand o;
    int code;
    if (!start(self, argc, argv, &set, &o, &code))
        return code;
    code = check_ray_settings(self, &set);
    if (code == 0 && set.batch)
        code = run_batch(&o, &ray_batch, &set, 0);
    else if (code == 0)
        code = ask_ray(self, &set, &o);
    operand_close(&o);
    return code;
}

/* ---- closest ------------------------------------------------------------------------------- */

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
        json_bool(&q.out, "found", r.found);
    if (q.hit && set->common.json) {
        closest_as_json(&q.out, o, &r);
    } else if (q.hit) {
        query_length_text("distance", r.distance, o);
        query_point_text("point", r.point);
        fputs("  ", stdout);
        query_hit_text(o, &r.id);
        putchar('\n');
    } else if (status == BVP_OK && !set->common.json) {
        puts(isinf(limit) ? "no point: the operand is empty" : "farther than the limit");
    }
    return query_end(&q, o->text, status);
}

static int run_closest(const verb *self, int argc, char **argv)
{
    settings set = {.max = 0};
    operand o;
    double limit = INFINITY;
    int code;
    if (!start(self, argc, argv, &set, &o, &code))
        return code;
    if (set.limit)
        code = parse_length("--limit", set.limit, &o.info, &limit);
    if (code == 0 && set.batch)
        code = run_batch(&o, &point_batch, &set, limit);
    else if (code == 0)
        code = ask_closest(self, &set, &o, limit);
    operand_close(&o);
    return code;
}

/* ---- overlap ------------------------------------------------------------------------------- */

typedef struct region {
    double values[4 * PLANE_MAX];
    uint32_t plane_count;
} region;

typedef struct hit_list {
    const settings *set;
    const operand *o;
    query_run *q;
    uint64_t count;
    int more;
} hit_list;

static int list_hit(void *user, const bvp_hit_id *id)
{
    hit_list *l = user;
    if (l->set->max > 0 && l->count == l->set->max) {
        l->more = 1;
        return 1;
    }
    l->count++;
    if (l->set->count_only)
        return 0;
    if (l->set->common.json) {
        query_hit_json(&l->q->out, NULL, l->o, id);
    } else {
        query_hit_columns(l->o, id);
        putchar('\n');
    }
    return ferror(stdout);
}

static void end_hits(const hit_list *l)
{
    char a[32];
    if (l->set->common.json) {
        json_count(&l->q->out, "count", l->count);
        json_bool(&l->q->out, "complete", !l->more);
    } else if (l->set->count_only) {
        printf("%llu\n", (unsigned long long)l->count);
    } else {
        fflush(stdout);
        fprintf(stderr, "%s triangles%s\n", grouped(l->count, a),
                l->more ? "; there are more" : "");
    }
}

static int read_planes(const char *text, region *r)
{
    int count = parse_numbers(text, r->values, 4 * PLANE_MAX);
    r->plane_count = (uint32_t)(count / 4);
    if (count >= 4 && count % 4 == 0)
        return 0;
    complain("--planes", "expected 1 to %d planes of 4 numbers each, nx,ny,nz,d, found \"%s\"",
             PLANE_MAX, text);
    return EXIT_USAGE;
}

static int check_region(const settings *set, const region *r)
{
    for (int a = 0; set->box && a < 3; a++)
        if (r->values[a] > r->values[3 + a]) {
            complain("--box", "the low corner comes first: lo %c is above hi %c", 'x' + a, 'x' + a);
            return EXIT_USAGE;
        }
    if (set->sphere && r->values[3] < 0) {
        complain("--sphere", "the radius, its last number, can't be negative");
        return EXIT_USAGE;
    }
    return 0;
}

static int read_region(const verb *self, const settings *set, region *r)
{
    int code;
    if (!!set->box + !!set->sphere + !!set->planes != 1) {
        complain(self->name, "say which region: one of --box, --sphere, --planes");
        return EXIT_USAGE;
    }
    if (set->box)
        code = parse_vector("--box", set->box, r->values, 6);
    else if (set->sphere)
        code = parse_vector("--sphere", set->sphere, r->values, 4);
    else
        code = read_planes(set->planes, r);
    return code != 0 ? code : check_region(set, r);
}

static bvp_status overlap(const settings *set, const operand *o, const region *r, hit_list *list)
{
    bvp_body body = operand_body(o);
    uint64_t count = 0;
    const double *v = r->values;
    bvp_stats *stats = &list->q->stats;
    if (set->box)
        return bvp_overlap_box(&body, v, v + 3, list_hit, list, &count, stats);
    if (set->sphere)
        return bvp_overlap_sphere(&body, v, v[3], list_hit, list, &count, stats);
    return bvp_overlap_frustum(&body, v, r->plane_count, list_hit, list, &count, stats);
}

static int run_overlap(const verb *self, int argc, char **argv)
{
    settings set = {.max = 0};
    operand o;
    query_run q;
    region r = {.plane_count = 0};
    int code;
    if (!start(self, argc, argv, &set, &o, &code))
        return code;
    code = read_region(self, &set, &r);
    if (code != 0) {
        operand_close(&o);
        return code;
    }
    query_begin(&q, &set.common);
    hit_list list = {.set = &set, .o = &o, .q = &q};
    if (set.common.json && !set.count_only)
        json_array(&q.out, "triangles");
    bvp_status status = overlap(&set, &o, &r, &list);
    query_answered(&q);
    if (set.common.json && !set.count_only)
        json_end(&q.out);
    q.hit = list.count > 0;
    if (status == BVP_OK)
        end_hits(&list);
    code = query_end(&q, o.text, status);
    operand_close(&o);
    return code;
}

/* ---- their words --------------------------------------------------------------------------- */

#define ROW_PLACE                                                                                  \
    {                                                                                              \
        "place", 'a', OPTION_TEXT, offsetof(settings, place), "PLACEMENT",                         \
            "where the operand stands" QUERY_PLACE_HELP, 0, 0                                      \
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
    ROW_PLACE,
    QUERY_ROWS(settings),
    {0}};

static const option_row closest_options[] = {
    {"point", 0, OPTION_TEXT, offsetof(settings, point), "X,Y,Z", "the point", 0, 0},
    {"limit", 0, OPTION_TEXT, offsetof(settings, limit), "LENGTH",
     "points farther away are of no interest", 0, 0},
    {"batch", 0, OPTION_FILE, offsetof(settings, batch), "FILE",
     "many points, one a line of FILE (\"-\": standard input): x y z; prints one line of JSON for "
     "each",
     0, 0},
    ROW_PLACE,
    QUERY_ROWS(settings),
    {0}};

static const option_row overlap_options[] = {
    {"box", 0, OPTION_TEXT, offsetof(settings, box), "X,Y,Z,X,Y,Z",
     "an axis-parallel box: low corner, high corner", 0, 0},
    {"sphere", 0, OPTION_TEXT, offsetof(settings, sphere), "X,Y,Z,R", "a ball: centre, radius", 0,
     0},
    {"planes", 0, OPTION_TEXT, offsetof(settings, planes), "NX,NY,NZ,D,...",
     "a convex region of 1 to 16 planes; inside is where n . x + d is not negative for all", 0, 0},
    {"max", 0, OPTION_COUNT, offsetof(settings, max), "N", "stop after N triangles; 0: all", 0, 0},
    {"count", 0, OPTION_FLAG, offsetof(settings, count_only), NULL, "print only how many", 0, 0},
    ROW_PLACE,
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
    .completes = "bvp",
    .run = run_ray,
};

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
    .completes = "bvp",
    .run = run_closest,
};

const verb verb_query_overlap = {
    .name = "query overlap",
    .summary = "which triangles touch a box, a ball or a convex region?",
    .synopsis = "OPERAND --box X,Y,Z,X,Y,Z [OPTION]...\n"
                "OPERAND --sphere X,Y,Z,R [OPTION]...\n"
                "OPERAND --planes NX,NY,NZ,D,... [OPTION]...\n",
    .description = "Prints the triangles that touch the closed region: instance, part and source "
                   "triangle number (\"@3 #0 17\", \"-\" without instance). The count goes to "
                   "standard error.",
    .options = overlap_options,
    .examples = "bvpack query overlap plant.bvp --box 0,0,0,1,1,1\n"
                "bvpack query overlap plant.bvp --sphere 0,0,0,2.5 --count\n"
                "# the half-space above z = 3\n"
                "bvpack query overlap plant.bvp --planes 0,0,1,-3 --max 10\n",
    .exit_codes = QUERY_HIT_EXIT,
    .completes = "bvp",
    .run = run_overlap,
};
