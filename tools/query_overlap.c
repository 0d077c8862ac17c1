/* SPDX-License-Identifier: MIT
 * query_overlap.c: the kind overlap of the verb query: triangles that touch a region.
 */
#include "message.h"
#include "options.h"
#include "query.h"

enum { PLANE_MAX = 16 };

typedef struct settings {
    query_common common;
    const char *place, *box, *sphere, *planes;
    uint64_t max;
    int count_only;
} settings;

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
        jsonw_count(&l->q->out, "count", l->count);
        jsonw_bool(&l->q->out, "complete", !l->more);
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
    if (!query_start(self, argc, argv, &set, &set.place, &o, &code))
        return code;
    code = read_region(self, &set, &r);
    if (code != 0) {
        operand_close(&o);
        return code;
    }
    query_begin(&q, &set.common);
    hit_list list = {.set = &set, .o = &o, .q = &q};
    if (set.common.json && !set.count_only)
        jsonw_array(&q.out, "triangles");
    bvp_status status = overlap(&set, &o, &r, &list);
    query_answered(&q);
    if (set.common.json && !set.count_only)
        jsonw_end(&q.out);
    q.hit = list.count > 0;
    if (status == BVP_OK)
        end_hits(&list);
    code = query_end(&q, o.text, status);
    operand_close(&o);
    return code;
}

static const option_row overlap_options[] = {
    {"box", 0, OPTION_TEXT, offsetof(settings, box), "X,Y,Z,X,Y,Z",
     "an axis-parallel box: low corner, high corner", 0, 0},
    {"sphere", 0, OPTION_TEXT, offsetof(settings, sphere), "X,Y,Z,R", "a ball: centre, radius", 0,
     0},
    {"planes", 0, OPTION_TEXT, offsetof(settings, planes), "NX,NY,NZ,D,...",
     "a convex region of 1 to 16 planes; inside is where n . x + d is not negative for all", 0, 0},
    {"max", 0, OPTION_COUNT, offsetof(settings, max), "N", "stop after N triangles; 0: all", 0, 0},
    {"count", 0, OPTION_FLAG, offsetof(settings, count_only), NULL, "print only how many", 0, 0},
    QUERY_PLACE_ROW(settings),
    QUERY_ROWS(settings),
    {0}};

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
