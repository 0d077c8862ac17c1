/* SPDX-License-Identifier: MIT
 * query_instances.c: the kind instances of the verb query: those in a box, or nearest to a point.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include "text/message.h"
#include "cli/options.h"
#include "query/query_kind.h"

typedef struct settings {
    query_common common;
    const char *place, *box, *point, *limit;
    uint64_t nearest;
    int bounds;
} settings;

/* ---- in a box ------------------------------------------------------------------------------ */

static int ask_box(const settings *set, const operand *o)
{
    query_run q;
    double box[6];
    uint64_t count = 0;
    const bvp_body body = operand_body(o);
    int code = parse_box(set->box, box);
    if (code != 0)
        return code;
    uint32_t *instances = calloc((size_t)o->info.instance_count + 1, sizeof *instances);
    if (!instances)
        return complain_memory();
    query_begin(&q, &set->common);
    const bvp_status status =
        bvp_instances_in(&body, bvp_box_region(box, box + 3), !set->bounds,
                         (bvp_array){instances, 0, o->info.instance_count}, &count, &q.stats);
    assert(status != BVP_OK || count <= o->info.instance_count);
    query_answered(&q);
    q.hit = status == BVP_OK && count > 0;
    if (status == BVP_OK) {
        if (q.set->json)
            jsonw_array(&q.out, "instances");
        for (uint64_t i = 0; i < count; i++) {
            bvp_instance_info info = {.part = BVP_NONE};
            bvp_get_instance(o->file, instances[i], &info);
            if (q.set->json) {
                jsonw_inline_object(&q.out, NULL);
                query_instance_json(&q.out, o, instances[i], info.part);
                jsonw_end(&q.out);
            } else {
                query_instance_text(o, instances[i], info.part);
                putchar('\n');
            }
        }
        if (q.set->json)
            jsonw_end(&q.out);
    }
    free(instances);
    return query_end(&q, o, NULL, NULL, status);
}

/* ---- nearest to a point -------------------------------------------------------------------- */

static int ask_point(const settings *set, const operand *o)
{
    query_run q;
    double point[3], limit = INFINITY;
    uint64_t count = 0, most = set->nearest;
    const bvp_body body = operand_body(o);
    int code = parse_vector("--point", set->point, point, 3);
    if (code == 0 && set->limit)
        code = parse_length("--limit", set->limit, &o->info, &limit);
    if (code != 0)
        return code;
    most = most < o->info.instance_count ? most : o->info.instance_count;
    bvp_closest_result *nearest = calloc(most + 1, sizeof *nearest);
    if (!nearest)
        return complain_memory();
    query_begin(&q, &set->common);
    const bvp_status status =
        bvp_nearest_instances(&body, point, limit, (bvp_array){nearest, 0, most}, &count, &q.stats);
    assert(status != BVP_OK || count <= most);
    query_answered(&q);
    q.hit = status == BVP_OK && count > 0;
    if (status == BVP_OK) {
        if (q.set->json)
            jsonw_array(&q.out, "instances");
        for (uint64_t i = 0; i < count; i++) {
            const bvp_closest_result *r = &nearest[i];
            if (q.set->json) {
                jsonw_inline_object(&q.out, NULL);
                query_closest_json(&q.out, o, r);
                jsonw_end(&q.out);
            } else {
                printf("%.12g  ", r->distance); /* as query_length_text */
                query_instance_text(o, r->id.instance, r->id.part);
                putchar('\n');
            }
        }
        if (q.set->json)
            jsonw_end(&q.out);
    }
    free(nearest);
    return query_end(&q, o, NULL, NULL, status);
}

/* ---- the kind ------------------------------------------------------------------------------ */

static int run_instances(const verb *self, int argc, char **argv)
{
    settings set = {.nearest = 1};
    operand o;
    int code;
    if (!query_start(self, argc, argv, &set, &set.place, &o, &code))
        return code;
    code = EXIT_USAGE;
    if (!set.box == !set.point)
        complain(self->name, "say where: --box X,Y,Z,X,Y,Z or --point X,Y,Z");
    else if (o.part != BVP_ASSEMBLY)
        complain(o.text, "one part has no instances to tell apart; name the file alone");
    else
        code = set.box ? ask_box(&set, &o) : ask_point(&set, &o);
    operand_close(&o);
    return code;
}

static const option_row instances_options[] = {
    {"box", 0, OPTION_TEXT, offsetof(settings, box), "X,Y,Z,X,Y,Z",
     "those of which a triangle touches an axis-parallel box: low corner, high corner", 0, 0},
    {"bounds", 0, OPTION_FLAG, offsetof(settings, bounds), NULL,
     "with --box: those whose own box meets it, without a look at triangles", 0, 0},
    {"point", 0, OPTION_TEXT, offsetof(settings, point), "X,Y,Z", "those nearest to a point", 0, 0},
    {"nearest", 'n', OPTION_COUNT, offsetof(settings, nearest), "N",
     "with --point: how many, 1 by default", 1, 0},
    {"limit", 0, OPTION_TEXT, offsetof(settings, limit), "LENGTH",
     "with --point: none farther away", 0, 0},
    QUERY_PLACE_ROW(settings),
    QUERY_SELECT_ROWS(settings),
    QUERY_ROWS(settings),
    {0}};

const verb verb_query_instances = {
    .name = "query instances",
    .summary = "which instances are in a box, or nearest to a point?",
    .synopsis = "FILE --box X,Y,Z,X,Y,Z [--bounds] [OPTION]...\n"
                "FILE --point X,Y,Z [--nearest N] [OPTION]...\n",
    .description =
        "Prints a line for each instance of the assembly: its part and its number; those "
        "nearest to a point in order, each with the exact distance of its surface.",
    .options = instances_options,
    .examples = "bvpack query instances plant.bvp --box 0,0,0,5,5,3\n"
                "bvpack query instances plant.bvp --point 1,2,3 --nearest 10 --json\n",
    .exit_codes = "1 there is one, with --exit-code\n",
    .completes = "bvp|zst",
    .run = run_instances,
};
