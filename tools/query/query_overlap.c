/* SPDX-License-Identifier: MIT
 * query_overlap.c: the kind overlap of the verb query: triangles that touch a region.
 */
#include <assert.h>
#include "text/message.h"
#include "cli/options.h"
#include "query/query_kind.h"

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
    query_list list;
    const operand *o;
} hit_list;

static int list_hit(void *user, const bvp_hit_id *id)
{
    hit_list *l = user;
    const query_admission admission = query_list_admit(&l->list);
    if (admission != QUERY_PRINT)
        return admission == QUERY_STOP;
    if (l->list.run->set->json) {
        query_hit_json(&l->list.run->out, NULL, l->o, id);
    } else {
        query_hit_columns(l->o, id);
        putchar('\n');
    }
    return ferror(stdout);
}

static int read_region(const verb *self, const settings *set, region *r)
{
    if (!!set->box + !!set->sphere + !!set->planes != 1) {
        complain(self->name, "say which region: one of --box, --sphere, --planes");
        return EXIT_USAGE;
    }
    if (set->box)
        return parse_box(set->box, r->values);
    if (set->sphere) {
        const int code = parse_vector("--sphere", set->sphere, r->values, 4);
        if (code == 0 && r->values[3] < 0) {
            complain("--sphere", "the radius, its last number, can't be negative");
            return EXIT_USAGE;
        }
        return code;
    }
    const int count = parse_numbers(set->planes, r->values, 4 * PLANE_MAX);
    r->plane_count = (uint32_t)(count / 4);
    if (count >= 4 && count % 4 == 0)
        return 0;
    complain("--planes", "expected 1 to %d planes of 4 numbers each, nx,ny,nz,d, found \"%s\"",
             PLANE_MAX, set->planes);
    return EXIT_USAGE;
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
    hit_list hits = {{&q, set.max, set.count_only, 0, 0}, &o};
    query_list_begin(&hits.list, "triangles");
    const bvp_body body = operand_body(&o);
    const double *v = r.values;
    uint64_t count = 0;
    bvp_status status;
    assert(set.box || set.sphere || (r.plane_count > 0 && r.plane_count <= PLANE_MAX));
    if (set.box)
        status = bvp_overlap(&body, bvp_box_region(v, v + 3), list_hit, &hits, &count, &q.stats);
    else if (set.sphere)
        status = bvp_overlap(&body, bvp_ball_region(v, v[3]), list_hit, &hits, &count, &q.stats);
    else
        status = bvp_overlap(&body, bvp_convex_region(v, r.plane_count), list_hit, &hits, &count,
                             &q.stats);
    query_answered(&q);
    query_list_end(&hits.list);
    if (status == BVP_OK)
        query_list_total(&hits.list, "triangle");
    code = query_end(&q, &o, NULL, NULL, status);
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
    QUERY_SELECT_ROWS(settings),
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
    .completes = "bvp|zst",
    .run = run_overlap,
};
