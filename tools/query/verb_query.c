/* SPDX-License-Identifier: MIT
 * verb_query.c: the verb query: its kinds, and what their answers have in common.
 */
#include "query/query_kind.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include "cli/file_fault.h"
#include "text/message.h"
#include "text/primitive_names.h"
#include "cli/options.h"
#include "cli/progress.h"

/* ---- a run --------------------------------------------------------------------------------- */

void query_begin(query_run *q, const query_common *set)
{
    memset(q, 0, sizeof *q);
    q->set = set;
    jsonw_start(&q->out, stdout, 1);
    if (set->json)
        jsonw_object(&q->out, NULL);
    q->began = seconds_now();
}

void query_answered(query_run *q)
{
    q->seconds = seconds_now() - q->began;
}

/* Are the file's triangles in buffers that nobody has bound? */
static bool is_unbound(const bvp_file *file)
{
    bvp_file_info info;
    bvp_error error;
    bvp_get_info(file, &info);
    return info.is_over_buffers && info.part_count > 0 &&
           bvp_check_part(file, 0, &error) == BVP_ERR_ARGUMENT;
}

int query_end(query_run *q, const operand *a, const operand *b, const char *where,
              bvp_status status)
{
    const bvp_stats *s = &q->stats;
    if (q->set->stats && q->set->json) {
        jsonw_object(&q->out, "stats");
        jsonw_count(&q->out, "nodes", s->nodes);
        jsonw_count(&q->out, "boxes", s->boxes);
        jsonw_count(&q->out, "leaves", s->leaves);
        jsonw_count(&q->out, "triangles", s->triangles);
        jsonw_count(&q->out, "exact", s->exact);
        jsonw_count(&q->out, "instance_pairs", s->instance_pairs);
        jsonw_number(&q->out, "seconds", q->seconds);
        jsonw_end(&q->out);
    } else if (q->set->stats) {
        char text[32];
        fflush(stdout);
        fprintf(stderr, "nodes %s", grouped(s->nodes, text));
        fprintf(stderr, ", boxes %s", grouped(s->boxes, text));
        fprintf(stderr, ", leaves %s", grouped(s->leaves, text));
        fprintf(stderr, ", triangles %s", grouped(s->triangles, text));
        fprintf(stderr, " (exact %s)", grouped(s->exact, text));
        fprintf(stderr, ", instance pairs %s", grouped(s->instance_pairs, text));
        fprintf(stderr, ", %.3g ms\n", 1e3 * q->seconds);
    }
    if (q->set->json && status != BVP_OK)
        jsonw_text(&q->out, "error", bvp_status_name(status));
    if (q->set->json) {
        jsonw_end(&q->out);
        jsonw_finish(&q->out);
    }
    if (status == BVP_ERR_ARGUMENT && (is_unbound(a->file) || (b && is_unbound(b->file)))) {
        complain(is_unbound(a->file) ? a->text : b->text,
                 "not bound: its triangles lie in the buffers of the GLB that it was packed over; "
                 "ask that GLB with the file attached (\"bvpack attach --share\"), or pack the "
                 "model without --share");
        return EXIT_USAGE;
    }
    if (status == BVP_ERR_ARGUMENT) {
        complain(where ? where : a->text,
                 "the query can't be asked: a placement must be finite and not "
                 "singular, distances not negative%s",
                 b ? ", and both parts need a hierarchy of one kind (\"bvpack info\" names them)"
                   : "");
        return EXIT_USAGE;
    }
    if (status != BVP_OK) {
        /* Which of the operands did the query fail on? */
        bvp_error error = {0};
        const int is_b =
            b && find_fault(a->file, &error) == BVP_OK && find_fault(b->file, &error) != BVP_OK;
        return complain_fault(is_b ? b->text : a->text, is_b ? b->file : a->file, status);
    }
    return q->hit && q->set->exit_code ? EXIT_FINDING : EXIT_DONE;
}

/* ---- hits ---------------------------------------------------------------------------------- */

static uint32_t instance_of(const operand *o, const bvp_hit_id *id)
{
    return id->instance == BVP_NONE ? o->instance : id->instance;
}

static bvp_string part_name(const operand *o, uint32_t index)
{
    bvp_part_info part;
    if (bvp_get_part(o->file, index, &part) == BVP_OK)
        return part.name;
    return (bvp_string){"", 0};
}

static bvp_string node_name(const operand *o, uint32_t index)
{
    bvp_instance_info instance;
    bvp_node_info node;
    if (index != BVP_NONE && bvp_get_instance(o->file, index, &instance) == BVP_OK &&
        bvp_get_node(o->file, instance.node, &node) == BVP_OK)
        return node.name;
    return (bvp_string){"", 0};
}

static int is_key(bvp_string key, const char *text)
{
    return key.size == strlen(text) && memcmp(key.data, text, key.size) == 0;
}

/* What the instance's node says of itself and its mesh's primitives. */
static primitive_names names_of(const operand *o, uint32_t index)
{
    primitive_names out = {{"", 0}, {"", 0}};
    bvp_instance_info instance;
    bvp_node_info node;
    bvp_string key, value;
    if (index == BVP_NONE || bvp_get_instance(o->file, index, &instance) != BVP_OK ||
        bvp_get_node(o->file, instance.node, &node) != BVP_OK)
        return out;
    for (uint32_t i = 0; i < node.property_count; i++) {
        if (bvp_get_property(o->file, instance.node, i, &key, &value) != BVP_OK)
            continue;
        if (is_key(key, PRIMITIVES_KEY) && out.list.size == 0)
            out.list = value;
        if (is_key(key, ASSET_KEY) && out.asset.size == 0)
            out.asset = value;
    }
    return out;
}

void query_instance_json(json *out, const operand *o, uint32_t instance, uint32_t part)
{
    if (instance == BVP_NONE)
        jsonw_null(out, "instance");
    else
        jsonw_count(out, "instance", instance);
    jsonw_bytes(out, "node_name", node_name(o, instance));
    jsonw_count(out, "part", part);
    jsonw_bytes(out, "part_name", part_name(o, part));
}

void query_hit_json(json *out, const char *key, const operand *o, const bvp_hit_id *id)
{
    jsonw_inline_object(out, key);
    query_instance_json(out, o, instance_of(o, id), id->part);
    jsonw_count(out, "triangle", id->triangle);
    jsonw_count(out, "id", id->id);
    const primitive_names names = names_of(o, instance_of(o, id));
    primitive_put_json(out, &names, id->id);
    jsonw_end(out);
}

void query_closest_json(json *out, const operand *o, const bvp_closest_result *r)
{
    jsonw_number(out, "distance", r->distance);
    jsonw_numbers(out, "point", r->point, 3);
    query_hit_json(out, "hit", o, &r->id);
}

static void print_quoted(bvp_string name)
{
    if (name.size == 0)
        return;
    fputs(" \"", stdout);
    print_name(stdout, name.data, name.size);
    putchar('"');
}

void query_instance_text(const operand *o, uint32_t instance, uint32_t part)
{
    printf("part #%u", part);
    print_quoted(part_name(o, part));
    if (instance == BVP_NONE)
        return;
    printf(", instance @%u", instance);
    print_quoted(node_name(o, instance));
}

void query_hit_text(const operand *o, const bvp_hit_id *id)
{
    query_instance_text(o, instance_of(o, id), id->part);
    printf(", triangle %llu", (unsigned long long)id->id);
    const primitive_names names = names_of(o, instance_of(o, id));
    primitive_print(&names, id->id);
}

void query_hit_columns(const operand *o, const bvp_hit_id *id)
{
    uint32_t instance = instance_of(o, id);
    if (instance == BVP_NONE)
        fputs("-", stdout);
    else
        printf("@%u", instance);
    printf(" #%u %llu", id->part, (unsigned long long)id->id);
}

void query_point_text(const char *label, const double point[3])
{
    char a[32], b[32], c[32];
    /* + 0.0 turns -0 into 0 */
    printf("%s %s %s %s", label, shortest(point[0] + 0.0, a), shortest(point[1] + 0.0, b),
           shortest(point[2] + 0.0, c));
}

void query_length_text(const char *label, double length, const operand *o)
{
    const char *unit = unit_name(o->info.unit_in_metres);
    /* distances are good to about 1e-13 of themselves: no digits beyond */
    printf("%s %.12g%s%s\n", label, length, unit[0] ? " " : "", unit);
}

/* ---- beginning ----------------------------------------------------------------------------- */

bvp_open_options query_opening(const query_common *set)
{
    static const char *const tests[] = {"sat",      "sat-lite",      "aligned",      "lookup",
                                        "four-sat", "four-sat-lite", "four-aligned", "four-lookup"};
    bvp_open_options how = {.verify_lazily = !set->no_verify};
    if (set->hierarchy)
        how.kind = (bvp_kind)kind_by_name(set->hierarchy, strlen(set->hierarchy));
    for (int k = 0; set->box_test && k < 8; k++)
        if (strcmp(set->box_test, tests[k]) == 0)
            how.box_test = (bvp_box_test)(BVP_TEST_SAT + k);
    return how;
}

int query_no_box_test(const query_common *set)
{
    if (set->box_test == NULL)
        return 0;
    complain("--box-test", "only collide and pairs have a choice of box tests");
    return EXIT_USAGE;
}

void query_list_begin(query_list *list, const char *name)
{
    if (list->run->set->json && !list->count_only)
        jsonw_array(&list->run->out, name);
}

query_admission query_list_admit(query_list *list)
{
    assert(list->max == 0 || list->count <= list->max);
    list->more = list->max > 0 && list->count == list->max;
    if (list->more)
        return QUERY_STOP;
    list->count++;
    return list->count_only ? QUERY_SKIP : QUERY_PRINT;
}

void query_list_end(query_list *list)
{
    if (list->run->set->json && !list->count_only)
        jsonw_end(&list->run->out);
    list->run->hit = list->count > 0;
}

void query_list_total(const query_list *list, const char *one)
{
    char a[64];
    if (list->run->set->json) {
        jsonw_count(&list->run->out, "count", list->count);
        jsonw_bool(&list->run->out, "complete", !list->more);
    } else if (list->count_only) {
        printf("%llu\n", (unsigned long long)list->count);
    } else {
        fflush(stdout);
        fprintf(stderr, "%s%s\n", counted(list->count, one, a),
                list->more ? "; there are more" : "");
    }
}

int query_start(const verb *self, int argc, char **argv, void *settings, const char *const *place,
                operand *o, int *code)
{
    int first = options_operands(self, argc, argv, settings, 1, 1, "one operand", code);
    if (first < 0)
        return 0;
    const query_common *set = settings;
    const bvp_open_options how = query_opening(set);
    *code = query_no_box_test(set);
    if (*code != 0)
        return 0;
    const operand_choice choice = {"--only", "--without", &set->only, &set->without};
    *code = operand_open(o, argv[first], *place, &how, NULL);
    if (*code != 0)
        return 0;
    *code = operand_select(o, &choice);
    if (*code != 0)
        operand_close(o);
    return *code == 0;
}

/* ---- the verb ------------------------------------------------------------------------------ */

typedef struct no_settings {
    query_common common;
} no_settings;

static int run(const verb *self, int argc, char **argv)
{
    no_settings set = {{0}};
    int code, first = options_parse(self, argc, argv, &set, &code);
    if (first < 0)
        return code;
    complain("query", "say what to ask: \"bvpack query --help\" lists the kinds");
    return EXIT_USAGE;
}

static const option_row options[] = {QUERY_ROWS(no_settings), {0}};

static const verb *const kinds[] = {&verb_query_collide,   &verb_query_pairs,
                                    &verb_query_distance,  &verb_query_within,
                                    &verb_query_ray,       &verb_query_closest,
                                    &verb_query_overlap,   &verb_query_convex,
                                    &verb_query_instances, NULL};

const verb verb_query = {
    .name = "query",
    .summary = "ask packed files geometric questions",
    .synopsis = "KIND OPERAND [OPERAND] [OPTION]...\n",
    .description =
        "Asks one question, or with --batch many, of packed files. An operand is FILE, the whole "
        "assembly; FILE:NAME or FILE:#3, a part in its source's coordinates; or FILE:@17 or "
        "FILE:@NAME, an instance where it stands in the assembly. \"bvpack info --parts --tree\" "
        "lists them.\n\n"
        "Answers are exact: coordinates and placements are taken as exact numbers, and triangles "
        "that touch at a point touch. Bodies are surfaces, not solids. Lengths are in the file's "
        "units; a suffix mm, cm, m, in or ft converts when the file has a unit. Of two files "
        "lengths "
        "are told and given in the first one's unit, placements too; the second one's are "
        "converted.\n\n"
        "Before a part is asked its hashes are checked; --no-verify leaves that out, which is "
        "quicker for a mesh of millions of triangles, and then a damaged file may answer wrongly "
        "without a word.\n\n"
        "The exit code is 0 whatever the answer; --exit-code makes it 1 for a hit. "
        "\"bvpack query KIND --help\" tells more of a kind.",
    .options = options,
    .examples = "bvpack query collide cell.bvp robot.bvp --place-b 1.5,0,0\n"
                "bvpack query distance cell.bvp:@robot cell.bvp:@fence\n"
                "bvpack query ray plant.bvp --origin 0,0,10 --direction 0,0,-1\n",
    .exit_codes = "1 there is a hit, with --exit-code\n",
    .completes = "bvp|zst",
    .kinds = kinds,
    .run = run,
};
