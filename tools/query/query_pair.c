/* SPDX-License-Identifier: MIT
 * query_pair.c: the kinds of query between two bodies: collide, pairs, distance, within.
 *
 * With one operand its instances are asked against one another; `second` then gives the library
 * NULL. With --batch the second operand stands at many placements, a line of a file each; a
 * placement of its own on the command line is applied first.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "cli/options.h"
#include "query/query_kind.h"
#include "cli/units.h"

typedef struct settings {
    query_common common;
    const char *place_a, *place_b, *limit, *tolerance, *delta, *batch, *assume_unit;
    option_list only_a, without_a, only_b, without_b;
    uint64_t max;
    int count_only;
} settings;

/* The operands; has_b == 0: instances of a against one another. */
typedef struct bodies {
    operand a, b;
    bvp_body body_a, body_b;
    int has_b;
} bodies;

/* ---- operands ------------------------------------------------------------------------------ */

static void close_bodies(bodies *p)
{
    operand_close(&p->a);
    if (p->has_b)
        operand_close(&p->b);
}

static int open_second(bodies *p, const settings *set, const char *text)
{
    const bvp_open_options how = query_opening(&set->common);
    const operand_unit unit = {set->assume_unit, &p->a};
    int code = operand_open(&p->b, text, set->place_b, &how, &unit);
    if (code != 0)
        return code;
    const operand_choice choice = {"--only-b", "--without-b", &set->only_b, &set->without_b};
    code = operand_select(&p->b, &choice);
    if (code != 0) {
        operand_close(&p->b);
        return code;
    }
    p->has_b = 1;
    p->body_b = operand_body(&p->b);
    return 0;
}

static int open_bodies(bodies *p, const settings *set, const verb *self, int count, char **operands)
{
    const bvp_open_options how = query_opening(&set->common);
    const operand_unit unit = {set->assume_unit, NULL};
    memset(p, 0, sizeof *p);
    int code = options_need(self, count, 1, 2, "one or two operands");
    if (code == 0)
        code = operand_open(&p->a, operands[0], set->place_a, &how, &unit);
    if (code != 0)
        return code;
    const operand_choice choice = {"--only-a", "--without-a", &set->only_a, &set->without_a};
    code = operand_select(&p->a, &choice);
    p->body_a = operand_body(&p->a);
    if (code == 0 && count == 2) {
        code = open_second(p, set, operands[1]);
    } else if (code == 0) {
        /* A single operand: its instances are asked against one another. */
        const char *needy = set->batch                 ? "batch"
                            : set->place_b             ? "place-b"
                            : set->only_b.count > 0    ? "only-b"
                            : set->without_b.count > 0 ? "without-b"
                                                       : NULL;
        if (needy)
            complain(self->name, "--%s needs a second operand", needy);
        else if (p->a.part != BVP_ASSEMBLY)
            complain(self->name, "a part has no instances to ask against one another; name a "
                                 "second operand");
        code = needy || p->a.part != BVP_ASSEMBLY ? EXIT_USAGE : 0;
    }
    assert(code != 0 || p->has_b == (count == 2));
    if (code != 0)
        operand_close(&p->a);
    return code;
}

static const bvp_body *second(const bodies *p)
{
    return p->has_b ? &p->body_b : NULL;
}

static const operand *operand_of_b(const bodies *p)
{
    return p->has_b ? &p->b : &p->a;
}

/* Parses the command line and opens the operands. 1: go on; else *code is the exit code. */
static int start(const verb *self, int argc, char **argv, settings *set, bodies *p, int *code)
{
    int first = options_parse(self, argc, argv, set, code);
    if (first < 0)
        return 0;
    if (set->batch && set->place_b) {
        complain(self->name, "--batch gives the placements of the second operand; leave out "
                             "--place-b");
        *code = EXIT_USAGE;
        return 0;
    }
    *code = 0;
    if (self != &verb_query_collide && self != &verb_query_pairs)
        *code = query_no_box_test(&set->common);
    if (*code == 0)
        *code = open_bodies(p, set, self, argc - first, argv + first);
    return *code == 0;
}

/* ---- answers ------------------------------------------------------------------------------- */

static void yes_or_no(query_run *q, const char *key, int answer)
{
    q->hit = answer;
    if (q->set->json)
        jsonw_bool(&q->out, key, answer);
    else
        puts(answer ? "yes" : "no");
}

static void witnesses_as_json(json *out, const bodies *p, const bvp_distance_result *r)
{
    jsonw_number(out, "distance", r->distance);
    jsonw_number(out, "lower", r->lower);
    jsonw_numbers(out, "point_a", r->point_a, 3);
    jsonw_numbers(out, "point_b", r->point_b, 3);
    query_hit_json(out, "a", &p->a, &r->a);
    query_hit_json(out, "b", operand_of_b(p), &r->b);
}

static void witnesses_as_text(const bodies *p, const bvp_distance_result *r)
{
    query_length_text("distance", r->distance, &p->a);
    query_point_text("a", r->point_a);
    fputs("  ", stdout);
    query_hit_text(&p->a, &r->a);
    query_point_text("\nb", r->point_b);
    fputs("  ", stdout);
    query_hit_text(operand_of_b(p), &r->b);
    putchar('\n');
}

/* ---- the second body at many placements ---------------------------------------------------- */

typedef struct placement_batch {
    const bodies *p;
    double length;
    double placements[QUERY_CHUNK][12];
    int hits[QUERY_CHUNK];
    bvp_distance_result results[QUERY_CHUNK];
} placement_batch;

static int take_placement(void *context, size_t index, const double *values, int count)
{
    placement_batch *b = context;
    double *m = b->placements[index];
    assert(index < QUERY_CHUNK);
    if (count != 3 && count != 6 && count != 12)
        return 0;
    placement_of_numbers(values, count, m);
    if (units_check_placement("--batch", m, b->p->b.scale) != 0)
        return 0;
    if (b->p->b.placed)
        compose(m, b->p->b.placement, m);
    return 1;
}

static bvp_status ask_collide_each(void *context, size_t count, size_t *done, bvp_stats *stats)
{
    placement_batch *b = context;
    return bvp_collide_batch(&b->p->body_a, &b->p->body_b,
                             (bvp_const_array){b->placements[0], 0, count},
                             (bvp_array){b->hits, 0, count}, done, stats);
}

static bvp_status ask_distance_each(void *context, size_t count, size_t *done, bvp_stats *stats)
{
    placement_batch *b = context;
    return bvp_distance_batch(&b->p->body_a, &b->p->body_b,
                              (bvp_const_array){b->placements[0], 0, count}, b->length,
                              (bvp_array){b->results, 0, count}, done, stats);
}

static bvp_status ask_within_each(void *context, size_t count, size_t *done, bvp_stats *stats)
{
    placement_batch *b = context;
    bvp_status status = BVP_OK;
    for (*done = 0; *done < count && status == BVP_OK; *done += status == BVP_OK) {
        bvp_body body = b->p->body_b;
        body.placement = b->placements[*done];
        status = bvp_within(&b->p->body_a, &body, b->length, &b->hits[*done], NULL, stats);
    }
    return status;
}

static int print_collide_line(void *context, json *out, size_t index)
{
    const placement_batch *b = context;
    jsonw_bool(out, "collide", b->hits[index]);
    return b->hits[index];
}

static int print_within_line(void *context, json *out, size_t index)
{
    const placement_batch *b = context;
    jsonw_bool(out, "within", b->hits[index]);
    return b->hits[index];
}

static int print_distance_line(void *context, json *out, size_t index)
{
    const placement_batch *b = context;
    const bvp_distance_result *r = &b->results[index];
    jsonw_bool(out, "found", r->found);
    if (r->found)
        witnesses_as_json(out, b->p, r);
    return r->found;
}

#define PLACEMENT_LINE "a placement of 3, 6 or 12 numbers, in the first file's unit"
static const query_batch collide_batch = {PLACEMENT_LINE, take_placement, ask_collide_each,
                                          print_collide_line};
static const query_batch distance_batch = {PLACEMENT_LINE, take_placement, ask_distance_each,
                                           print_distance_line};
static const query_batch within_batch = {PLACEMENT_LINE, take_placement, ask_within_each,
                                         print_within_line};

static int run_placements(const query_batch *kind, const bodies *p, const settings *set,
                          double length)
{
    placement_batch *b = malloc(sizeof *b);
    if (!b)
        return complain_memory();
    b->p = p;
    b->length = length;
    int code = query_batch_run(kind, set->batch, &set->common, &p->a, p->has_b ? &p->b : NULL, b);
    free(b);
    return code;
}

/* ---- collide ------------------------------------------------------------------------------- */

static int run_collide(const verb *self, int argc, char **argv)
{
    settings set = {.max = 0};
    bodies p;
    query_run q;
    int code, hit = 0;
    if (!start(self, argc, argv, &set, &p, &code))
        return code;
    if (set.batch) {
        code = run_placements(&collide_batch, &p, &set, 0);
        close_bodies(&p);
        return code;
    }
    query_begin(&q, &set.common);
    bvp_status status = bvp_collide(&p.body_a, second(&p), &hit, &q.stats);
    query_answered(&q);
    if (status == BVP_OK)
        yes_or_no(&q, "collide", hit);
    code = query_end(&q, &p.a, p.has_b ? &p.b : NULL, NULL, status);
    close_bodies(&p);
    return code;
}

/* ---- pairs --------------------------------------------------------------------------------- */

typedef struct pair_list {
    query_list list;
    const bodies *p;
} pair_list;

static int list_pair(void *user, const bvp_pair *pair)
{
    pair_list *l = user;
    json *out = &l->list.run->out;
    const query_admission admission = query_list_admit(&l->list);
    if (admission != QUERY_PRINT)
        return admission == QUERY_STOP;
    if (l->list.run->set->json) {
        jsonw_inline_object(out, NULL);
        query_hit_json(out, "a", &l->p->a, &pair->a);
        query_hit_json(out, "b", operand_of_b(l->p), &pair->b);
        jsonw_bool(out, "proper", pair->proper);
        jsonw_end(out);
    } else {
        query_hit_columns(&l->p->a, &pair->a);
        fputs("  ", stdout);
        query_hit_columns(operand_of_b(l->p), &pair->b);
        puts(pair->proper ? "  cross" : "  touch");
    }
    return ferror(stdout);
}

static int run_pairs(const verb *self, int argc, char **argv)
{
    settings set = {.max = 0};
    bodies p;
    query_run q;
    int code;
    if (!start(self, argc, argv, &set, &p, &code))
        return code;
    query_begin(&q, &set.common);
    pair_list pairs = {{&q, set.max, set.count_only, 0, 0}, &p};
    query_list_begin(&pairs.list, "pairs");
    bvp_status status =
        bvp_pairs_each(&p.body_a, second(&p), list_pair, &pairs, &(uint64_t){0}, &q.stats);
    query_answered(&q);
    query_list_end(&pairs.list);
    if (status == BVP_OK)
        query_list_total(&pairs.list, "pair");
    code = query_end(&q, &p.a, p.has_b ? &p.b : NULL, NULL, status);
    close_bodies(&p);
    return code;
}

/* ---- distance ------------------------------------------------------------------------------ */

static int run_distance(const verb *self, int argc, char **argv)
{
    settings set = {.max = 0};
    bodies p;
    double limit = INFINITY, tolerance = 0;
    int code;
    if (!start(self, argc, argv, &set, &p, &code))
        return code;
    if (set.limit)
        code = parse_length("--limit", set.limit, &p.a.info, &limit);
    if (code == 0 && set.tolerance)
        code = parse_length("--tolerance", set.tolerance, &p.a.info, &tolerance);
    if (code == 0 && set.tolerance && set.batch) {
        complain("--tolerance", "of many placements, --batch, distances are exact: leave it out");
        code = EXIT_USAGE;
    }
    if (code == 0 && set.batch)
        code = run_placements(&distance_batch, &p, &set, limit);
    else if (code == 0) {
        query_run q;
        bvp_distance_result r = {0};
        query_begin(&q, &set.common);
        bvp_status status =
            bvp_distance_about(&p.body_a, second(&p), limit, tolerance, &r, &q.stats);
        query_answered(&q);
        q.hit = status == BVP_OK && r.found;
        if (status == BVP_OK && set.common.json) {
            jsonw_bool(&q.out, "found", r.found);
            if (r.found)
                witnesses_as_json(&q.out, &p, &r);
        } else if (q.hit) {
            witnesses_as_text(&p, &r);
        } else if (status == BVP_OK) {
            puts(!isinf(limit) ? "farther than the limit"
                 : p.has_b     ? "no distance: an operand has no triangles"
                               : "no distance: there are not two instances");
        }
        code = query_end(&q, &p.a, p.has_b ? &p.b : NULL, NULL, status);
    }
    close_bodies(&p);
    return code;
}

/* ---- within -------------------------------------------------------------------------------- */

static int run_within(const verb *self, int argc, char **argv)
{
    settings set = {.max = 0};
    bodies p;
    double delta = 0;
    int code;
    if (!start(self, argc, argv, &set, &p, &code))
        return code;
    if (!set.delta) {
        complain(self->name, "say how near: --delta 5mm");
        code = EXIT_USAGE;
    } else {
        code = parse_length("--delta", set.delta, &p.a.info, &delta);
    }
    if (code == 0 && set.batch)
        code = run_placements(&within_batch, &p, &set, delta);
    else if (code == 0) {
        query_run q;
        bvp_distance_result r = {0};
        int within = 0;
        query_begin(&q, &set.common);
        bvp_status status = bvp_within(&p.body_a, second(&p), delta, &within, &r, &q.stats);
        query_answered(&q);
        if (status == BVP_OK)
            yes_or_no(&q, "within", within);
        if (q.hit && set.common.json)
            witnesses_as_json(&q.out, &p, &r);
        else if (q.hit)
            witnesses_as_text(&p, &r);
        code = query_end(&q, &p.a, p.has_b ? &p.b : NULL, NULL, status);
    }
    close_bodies(&p);
    return code;
}

/* ---- their words --------------------------------------------------------------------------- */

#define ROW_PLACES                                                                                 \
    {"place-a",   'a',                                                                             \
     OPTION_TEXT, offsetof(settings, place_a),                                                     \
     "PLACEMENT", "where the first operand stands" QUERY_PLACE_HELP,                               \
     0,           0},                                                                              \
        {"place-b",                                                                                \
         'b',                                                                                      \
         OPTION_TEXT,                                                                              \
         offsetof(settings, place_b),                                                              \
         "PLACEMENT",                                                                              \
         "where the second operand stands, in the same ways and in the first one's unit",          \
         0,                                                                                        \
         0},                                                                                       \
    {                                                                                              \
        "assume-unit", 0, OPTION_TEXT, offsetof(settings, assume_unit), UNITS_ASSUME_VALUE,        \
            UNITS_ASSUME_HELP, 0, 0                                                                \
    }
#define ROW_SELECT(name, field, help)                                                              \
    {                                                                                              \
        name, 0, OPTION_TEXTS, offsetof(settings, field), "SELECTOR", help, 0, 0                   \
    }
#define ROWS_SELECT                                                                                \
    ROW_SELECT("only-a", only_a, "of the first operand, " QUERY_ONLY_HELP),                        \
        ROW_SELECT("without-a", without_a, "of the first operand, " QUERY_WITHOUT_HELP),           \
        ROW_SELECT("only-b", only_b, "the same of the second operand"),                            \
        ROW_SELECT("without-b", without_b, "the same of the second operand")
#define ROW_BATCH                                                                                  \
    {                                                                                              \
        "batch", 0, OPTION_FILE, offsetof(settings, batch), "FILE",                                \
            "ask for many placements of the second operand, one a line of FILE (\"-\": standard "  \
            "input); prints one line of JSON for each",                                            \
            0, 0                                                                                   \
    }

static const option_row collide_options[] = {
    ROW_PLACES, ROWS_SELECT, ROW_BATCH, QUERY_ROWS(settings), {0}};

static const option_row pairs_options[] = {
    ROW_PLACES,
    ROWS_SELECT,
    {"max", 0, OPTION_COUNT, offsetof(settings, max), "N", "stop after N pairs; 0: all", 0, 0},
    {"count", 0, OPTION_FLAG, offsetof(settings, count_only), NULL, "print only how many", 0, 0},
    QUERY_ROWS(settings),
    {0}};

static const option_row distance_options[] = {
    ROW_PLACES,
    ROWS_SELECT,
    {"limit", 0, OPTION_TEXT, offsetof(settings, limit), "LENGTH",
     "distances above it are of no interest; a small limit makes the query fast", 0, 0},
    {"tolerance", 0, OPTION_TEXT, offsetof(settings, tolerance), "LENGTH",
     "as much above the least distance is good enough: faces that mate are measured sooner", 0, 0},
    ROW_BATCH,
    QUERY_ROWS(settings),
    {0}};

static const option_row within_options[] = {
    ROW_PLACES,
    ROWS_SELECT,
    {"delta", 'd', OPTION_TEXT, offsetof(settings, delta), "LENGTH",
     "how near is near: 0.5 in the first file's units, or 5mm", 0, 0},
    ROW_BATCH,
    QUERY_ROWS(settings),
    {0}};

#define SELF_TEXT "With one operand, its instances are asked against one another."

const verb verb_query_collide = {
    .name = "query collide",
    .summary = "do two bodies touch?",
    .synopsis = "OPERAND [OPERAND] [OPTION]...\n",
    .description = "Prints yes when a triangle of the first body touches one of the second, else "
                   "no. A body inside another without contact does not touch it. " SELF_TEXT,
    .options = collide_options,
    .examples = "bvpack query collide cell.bvp tool.bvp --place-b 0.2,0,1.1,0,90,0\n"
                "# is anything in the plant in contact?\n"
                "bvpack query collide plant.bvp --exit-code\n"
                "# a path, one placement a line\n"
                "bvpack query collide cell.bvp tool.bvp --batch path.txt\n"
                "# a sub-assembly, lifted by 2, against all else\n"
                "bvpack query collide f.bvp f.bvp --only-a 'x/**' --without-b 'x/**' -a 0,0,2\n",
    .exit_codes = "1 they touch, with --exit-code\n",
    .completes = "bvp|zst",
    .run = run_collide,
};

const verb verb_query_pairs = {
    .name = "query pairs",
    .summary = "which triangles of two bodies touch?",
    .synopsis = "OPERAND [OPERAND] [OPTION]...\n",
    .description =
        "Prints each pair of touching triangles once: instance, part and source triangle "
        "number of both (\"@3 #0 17\", \"-\" without instance), then cross or touch. The "
        "count goes to standard error. " SELF_TEXT,
    .options = pairs_options,
    .examples = "bvpack query pairs housing.bvp shaft.bvp\n"
                "bvpack query pairs plant.bvp --max 100 --json\n",
    .exit_codes = "1 there is a pair, with --exit-code\n",
    .completes = "bvp|zst",
    .run = run_pairs,
};

const verb verb_query_distance = {
    .name = "query distance",
    .summary = "how far apart are two bodies?",
    .synopsis = "OPERAND [OPERAND] [OPTION]...\n",
    .description = "Prints the smallest distance of the two surfaces, exactly 0 when they touch, "
                   "with the nearest points and their triangles. " SELF_TEXT,
    .options = distance_options,
    .examples = "bvpack query distance cell.bvp robot.bvp --place-b 1.5,0,0\n"
                "bvpack query distance plant.bvp:@pump-1 plant.bvp:@tank-2 --limit 50mm\n",
    .exit_codes = "1 there is a distance, not above --limit, with --exit-code\n",
    .completes = "bvp|zst",
    .run = run_distance,
};

const verb verb_query_within = {
    .name = "query within",
    .summary = "are two bodies nearer than a clearance?",
    .synopsis = "OPERAND [OPERAND] --delta LENGTH [OPTION]...\n",
    .description = "Prints yes, and a pair of points as near as that (not the nearest pair), when "
                   "the distance is not above --delta; else no. It stops at the first proof, which "
                   "makes it much faster than distance. " SELF_TEXT,
    .options = within_options,
    .examples = "bvpack query within cell.bvp robot.bvp --delta 5mm\n"
                "bvpack query within plant.bvp --delta 20mm --exit-code\n",
    .exit_codes = "1 they are as near as that, with --exit-code\n",
    .completes = "bvp|zst",
    .run = run_within,
};
