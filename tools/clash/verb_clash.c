/* SPDX-License-Identifier: MIT
 * verb_clash.c: the verb clash: which instances of an assembly, or of two, penetrate, touch or come
 * too near.
 */
#include "clash/clash_job.h"
#include "clash/clash_missing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text/message.h"
#include "cli/options.h"
#include "query/convex_text.h"
#include "files/input.h"
#include "query/query_kind.h"
#include "report/html_bytes.h"
#include "cli/units.h"

/* ---- files --------------------------------------------------------------------------------- */

static int open_one(clash_job *j, int index, const char *text)
{
    static const bvp_open_options how = {.verify_lazily = 1, .read_ahead = 1};
    operand *o = &j->files[index];
    const operand_unit unit = {j->set->assume_unit, index ? &j->files[0] : NULL};
    int code = operand_open(o, text, index ? j->set->placement_b : NULL, &how, &unit);
    if (code == 0 && o->part != BVP_ASSEMBLY) {
        complain(text, "names a part or an instance; clash takes whole files, and --exclude or "
                       "--rules say what to leave out");
        code = EXIT_USAGE;
    }
    return code ? code : operand_check(o);
}

/* The zones of both options, when there are any. */
static int read_zones(clash_job *j)
{
    const clash_settings *set = j->set;
    int code = 0;
    for (int i = 0; i < set->zone_texts.count && code == 0; i++)
        code = clash_zones_add_text(&j->zones, set->zone_texts.items[i], &j->files[0].info);
    if (code == 0 && set->zones)
        code = clash_zones_add_file(&j->zones, set->zones, &j->files[0].info);
    if (code == 0 && j->zones.count > 0)
        code = clash_zones_build(&j->zones, j->files[0].file);
    return code;
}

static int open_files(clash_job *j, int count, char **paths)
{
    const int has_zones = j->set->zones || j->set->zone_texts.count > 0;
    if (count == 1 && j->set->placement_b) {
        complain("clash", "--place-b needs a second file");
        return EXIT_USAGE;
    }
    if (j->set->suggest && strcmp(j->set->suggest, "-") == 0 &&
        clash_outputs_take_stdout(&j->set->reports)) {
        complain("--suggest-rules", "a report goes to standard output; only one of them can");
        return EXIT_USAGE;
    }
    if (has_zones && j->set->suggest) {
        complain("--suggest-rules", "proposes rules for pairs of products, not for zones");
        return EXIT_USAGE;
    }
    if (count == 2 && has_zones) {
        complain("clash", "zones take one file: its instances are held against them");
        return EXIT_USAGE;
    }
    int code = open_one(j, 0, paths[0]);
    if (code == 0 && count == 2)
        code = open_one(j, 1, paths[1]);
    if (code == 0 && has_zones)
        code = read_zones(j);
    if (code == 0 && j->set->places)
        code = clash_places_read(&j->places, j->set->places, &j->files[0].info);
    if (code == 0)
        code = instance_tree_open(&j->trees[0], j->files[0].file);
    if (code == 0 && count == 2)
        code = instance_tree_open(&j->trees[1], j->files[1].file);
    if (code == 0 && has_zones)
        code = instance_tree_open(&j->trees[1], j->zones.file);
    assert(count == 1 || count == 2);
    j->a = &j->trees[0];
    j->b = &j->trees[count == 2 || has_zones];
    return code;
}

/* ---- what the options mean ----------------------------------------------------------------- */

/* The command line takes precedence over the rule file, and that over the default. */
static int choose_length(clash_job *j, const char *option, const char *text, double of_rules,
                         double otherwise, double *out)
{
    *out = isnan(of_rules) ? otherwise : of_rules;
    if (!text)
        return 0;
    const int code = parse_length(option, text, &j->run.info_a, out);
    if (code == 0 && !isfinite(*out)) {
        complain(option, "a length must be finite, found \"%s\"", text);
        return EXIT_USAGE;
    }
    return code;
}

static int choose_limits(clash_job *j)
{
    const clash_settings *set = j->set;
    const bvp_clash_limits *rules = &j->rules.limits;
    bvp_clash_limits *limits = &j->run.limits;
    j->run.touch_gap_default = bvp_clash_touch_gap(j->run.file_a, NULL);
    if (j->run.file_b && j->zones.count == 0)
        j->run.touch_gap_default = fmax(
            j->run.touch_gap_default, j->files[1].scale * bvp_clash_touch_gap(j->run.file_b, NULL));
    int code =
        choose_length(j, "--clearance", set->clearance, rules->clearance, 0, &limits->clearance);
    if (code == 0)
        code = choose_length(j, "--touch", set->touch, rules->touch_gap, j->run.touch_gap_default,
                             &limits->touch_gap);
    if (code == 0)
        code = choose_length(j, "--overlap", set->overlap, rules->overlap, limits->touch_gap,
                             &limits->overlap);
    j->tolerance.sets_touch = !set->touch && isnan(rules->touch_gap);
    j->tolerance.sets_overlap = j->tolerance.sets_touch && !set->overlap && isnan(rules->overlap);
    if (code == 0)
        code = choose_length(j, "--cell", set->cell, NAN, clash_default_cell(&j->run.info_a),
                             &j->run.cell);
    if (code == 0 && j->run.cell <= 0) {
        complain("--cell", "expected a length above 0, found \"%s\"", set->cell);
        code = EXIT_USAGE;
    }
    return code;
}

static int choose_filter(clash_job *j)
{
    const clash_settings *set = j->set;
    int code = 0;
    if (set->verdicts)
        code = clash_filter_verdicts(&j->filter, "--verdicts", set->verdicts);
    if (code == 0)
        code = choose_length(j, "--min-depth", set->min_depth, NAN, 0, &j->filter.min_depth);
    return code;
}

static int read_rules(clash_job *j)
{
    const clash_settings *set = j->set;
    int code = 0;
    j->rules.limits = (bvp_clash_limits){NAN, NAN, NAN};
    for (int i = 0; i < set->excludes.count && code == 0; i++)
        code = clash_rules_add_exclude(&j->rules, set->excludes.items[i]);
    if (code == 0 && set->same_assembly)
        code = clash_rules_add_same_assembly(&j->rules);
    for (int i = 0; i < set->rules.count && code == 0; i++)
        code = clash_rules_add_named(&j->rules, set->rules.items[i], &j->run.info_a);
    if (code == 0) {
        j->rules.scale_b = j->files[1].scale;
        code = clash_rules_bind(&j->rules, j->a, j->b);
    }
    if (code != 0)
        return code;
    j->uses = calloc((size_t)j->rules.rule_count + 1, sizeof *j->uses);
    j->use_sums = calloc((size_t)j->rules.rule_count + 1, sizeof *j->use_sums);
    return j->uses && j->use_sums ? 0 : complain_memory();
}

/* ---- the state ----------------------------------------------------------------------------- */

/* What a state, a journal or a share must agree with the run in: everything that pairs depend on;
 * of the latter two but the files. Padding is hashed too, and so is cleared. */
static void identify(const clash_job *j, int with_files, uint8_t run[16])
{
    struct {
        uint8_t a[16], b[16], rules[16];
        double placement[12];
        bvp_clash_limits limits;
        double units[2]; /* lengths in rules depend on them */
        double gaps[2];  /* so do those of pairs */
        uint32_t two, detail;
        uint8_t zones[16];
        uint32_t share[2];
        char version[32];
    } all;
    memset(&all, 0, sizeof all);
    if (with_files) { /* a state is one machine's */
        all.share[0] = j->shard.index;
        all.share[1] = j->shard.count;
        memcpy(all.a, j->run.info_a.root_hash, 16);
        memcpy(all.b, j->run.info_b.root_hash, 16);
    }
    memcpy(all.rules, j->rules.hash, 16);
    memcpy(all.zones, j->zones.hash, 16);
    memcpy(all.placement, j->files[1].placement, sizeof all.placement);
    all.limits = j->run.limits;
    all.units[0] = j->run.info_a.unit_in_metres;
    all.units[1] = j->run.info_b.unit_in_metres;
    if (clash_tolerance_decides(&j->tolerance)) {
        all.gaps[0] = j->tolerance.gap;
        all.gaps[1] = j->tolerance.coordinates;
    }
    all.two = j->a != j->b;
    all.detail = (uint32_t)(2 * j->set->contacts + j->set->fast);
    snprintf(all.version, sizeof all.version, "%s", bvp_version());
    bvp_hash(&all, sizeof all, run);
}

static int open_journal(clash_job *j)
{
    uint8_t run[16];
    if (!j->set->incremental)
        return 0;
    if (j->set->state || j->zones.count > 0) {
        complain("--incremental", "can't be used with %s", j->set->state ? "--state" : "zones");
        return EXIT_USAGE;
    }
    identify(j, 0, run);
    return clash_journal_open(&j->journal, j->set->incremental, run, &j->rules, &j->tolerance);
}

static int open_state(clash_job *j)
{
    uint8_t run[16];
    if (!j->set->state)
        return 0;
    identify(j, 1, run);
    const clash_scope scope = {j->a->info.instance_count, j->b->info.instance_count, j->a == j->b};
    const int code =
        clash_state_open(&j->state, j->set->state, run, &scope, j->rules.rule_count, j->created);
    if (code == 0)
        memcpy(j->created, j->state.created, sizeof j->created);
    return code;
}

/* ---- shares -------------------------------------------------------------------------------- */

/* A share has pairs, not reports; a merge has no pairs of its own. Says what does not go together.
 */
static int check_share_options(const clash_settings *set)
{
    const struct {
        const char *name;
        int is_given;
    } of_merge[] = {{"--report", set->reports.count > 0},
                    {"--baseline", set->baseline != NULL},
                    {"--suggest-rules", set->suggest != NULL},
                    {"--verdicts", set->verdicts != NULL},
                    {"--min-depth", set->min_depth != NULL},
                    {"--top", set->top > 0},
                    {"--exit-code", set->exit_code},
                    {"--issues", set->issues != NULL},
                    {"--places", set->places != NULL},
                    {"--cell", set->cell != NULL},
                    {"--bcf", set->bcf != NULL}};
    for (size_t i = 0; set->shard && i < sizeof of_merge / sizeof *of_merge; i++)
        if (of_merge[i].is_given) {
            complain(of_merge[i].name, "is for all shares together: give it with --merge");
            return EXIT_USAGE;
        }
    if (set->merge && (set->shard || set->state || set->output))
        complain("--merge", "takes shares that are complete; %s is for making one",
                 set->shard   ? "--shard"
                 : set->state ? "--state"
                              : "--output");
    else if (set->incremental && (set->shard || set->merge))
        complain("--incremental", "can't be used with %s", set->shard ? "--shard" : "--merge");
    else if (set->output && !set->shard)
        complain("--output", "is the file of a share; reports are named with --report");
    else if (set->shard && !set->output)
        complain("--shard", "name the share's file with -o");
    else if (set->shard && set->json && strcmp(set->output, "-") == 0)
        complain("--json", "the share goes to standard output; only one of them can");
    else
        return set->shard && set->state && strcmp(set->output, set->state) == 0
                   ? (complain("--output", "is the file of --state, too"), EXIT_USAGE)
                   : 0;
    return EXIT_USAGE;
}

/* Moves the shares behind the models, in their order. Returns how many models there are. */
static int sort_operands(char **paths, int count)
{
    int models = 0;
    for (int i = 0; i < count; i++) {
        char *path = paths[i];
        if (clash_share_is(path))
            continue;
        memmove(paths + models + 1, paths + models, (size_t)(i - models) * sizeof *paths);
        paths[models++] = path;
    }
    return models;
}

static int open_shares(clash_job *j, char **paths, int count)
{
    clash_share_head *h = &j->head;
    if (!j->set->shard && !j->set->merge)
        return 0;
    snprintf(h->version, sizeof h->version, "%s", bvp_version());
    memcpy(h->a, j->run.info_a.root_hash, sizeof h->a);
    memcpy(h->b, j->run.info_b.root_hash, sizeof h->b);
    identify(j, 0, h->options);
    h->count_a = j->a->info.instance_count;
    h->count_b = j->b->info.instance_count;
    h->is_same = j->a == j->b;
    h->rule_count = j->rules.rule_count;
    return j->set->merge ? clash_shares_open(&j->shares, paths, count, h) : 0;
}

/* ---- the baseline -------------------------------------------------------------------------- */

static int open_baseline(clash_job *j)
{
    const int has_zones = j->zones.count > 0, is_same = j->a == j->b;
    if (!j->set->baseline)
        return 0;
    int code = clash_past_name(&j->past, j->set->baseline);
    const clash_past_side sides[] = {{j->run.path_a, j->run.file_a},
                                     {j->run.path_b, j->run.file_b}};
    if (code == 0 && j->past.count > 0 && has_zones)
        code = instance_tree_index(&j->trees[1]);
    if (code == 0)
        code = clash_past_open(&j->past, sides, is_same || has_zones ? 1 : 2,
                               has_zones ? j->b : NULL, j->set->assume_unit);
    if (code == 0)
        code = clash_baseline_open(&j->baseline, j->past.report,
                                   j->past.count > 0 ? &j->past : NULL, is_same);
    return code;
}

/* ---- what people have said ----------------------------------------------------------------- */

static int read_issues(clash_job *j)
{
    const char *given = j->set->issues ? j->set->issues : j->run.path_a;
    const int is_local = !strstr(given, "://") && strcmp(given, "-") != 0;
    if (j->set->no_issues || (!j->set->issues && !is_local))
        return 0;
    char *path = issue_log_path(given);
    if (!path)
        return complain_memory();
    int code = 0;
    /* only a model has a file beside it */
    if (j->set->issues || (strcmp(path, given) != 0 && access(path, F_OK) == 0)) {
        code = issue_log_read(&j->issues, path, 0);
        j->run.issues = &j->issues;
    }
    free(path);
    return code;
}

/* ---- the verb ------------------------------------------------------------------------------ */

/* shares: behind the models. */
static int prepare(clash_job *j, int count, char **paths, int share_count)
{
    const clash_settings *set = j->set;
    if (set->json && clash_outputs_take_stdout(&set->reports)) {
        complain("clash", "--json and --report - would both write to standard output");
        return EXIT_USAGE;
    }
    if (set->state && strcmp(set->state, "-") == 0) {
        complain("--state", "expected a file's name");
        return EXIT_USAGE;
    }
    int code = check_share_options(set);
    if (code == 0 && set->shard)
        code = shard_read(set->shard, &j->shard);
    for (int i = 0; i < count && code == 0 && set->output; i++)
        if (same_file(set->output, paths[i])) {
            complain("--output", "is %s itself; name another file", paths[i]);
            code = EXIT_USAGE;
        }
    if (code == 0)
        code = open_files(j, count, paths);
    if (code != 0)
        return code;
    issue_date_now(j->created);
    clash_run *run = &j->run;
    const int two = j->a != j->b;
    run->path_a = j->files[0].text;
    run->path_b = two ? j->files[1].text : "";
    run->file_a = j->files[0].file;
    run->file_b = two ? j->files[1].file : NULL;
    run->info_a = j->files[0].info;
    run->info_b = j->files[1].info;
    if (j->zones.count > 0) {
        run->path_b = set->zones ? set->zones : "zones";
        run->file_b = j->zones.file;
        bvp_get_info(j->zones.file, &run->info_b);
    }
    run->placement_b = j->files[1].placed ? j->files[1].placement : NULL;
    run->unit = unit_name(run->info_a.unit_in_metres);
    run->rules = set->rules.count > 0 ? set->rules.items[0] : "";
    run->baseline = set->baseline ? set->baseline : "";
    run->thread_count = (uint32_t)set->jobs;
    run->picture_max = (uint32_t)set->pictures;
    run->created = j->created;
    run->bcf = set->bcf;
    code = read_rules(j);         /* a rule file may set the limits */
    if (code == 0 && !set->shard) /* warnings are in reports */
        code = clash_missing_warn(&j->rules, j->a);
    if (code == 0 && !set->shard && j->a != j->b && j->zones.count == 0)
        code = clash_missing_warn(&j->rules, j->b);
    if (code == 0)
        code = choose_limits(j);
    if (code == 0 && j->zones.count == 0)
        code = clash_tolerance_open(&j->tolerance, j->a, j->b, j->files[1].scale,
                                    j->run.touch_gap_default);
    if (code == 0)
        code = open_baseline(j);
    if (code == 0)
        code = clash_groups_start(&j->groups);
    if (code == 0)
        code = choose_filter(j);
    if (code == 0 && !set->shard)
        code = read_issues(j);
    if (code == 0)
        code = open_shares(j, paths + count, share_count);
    if (code == 0)
        code = open_state(j);
    if (code == 0)
        code = open_journal(j);
    clash_rows_start(&j->rows, &j->run, j->a, j->b);
    return code;
}

static int is_stdout_taken(const clash_job *j)
{
    return clash_outputs_take_stdout(&j->set->reports) ||
           (j->set->suggest && strcmp(j->set->suggest, "-") == 0);
}

/* Proposes rules for what has been found under those that there are. */
static int suggest(clash_job *j)
{
    const suggest_run run = {.trees = {j->a, j->b},
                             .placement_b = j->run.placement_b,
                             .scale_b = j->files[1].scale,
                             .kept = &j->kept,
                             .limits = &j->run.limits,
                             .info = &j->run.info_a};
    const int code = suggest_find(&j->suggested, &run);
    return code ? code : suggest_write(&j->suggested, &run, j->run.path_a, j->set->suggest);
}

/* A page is written without its 3D view where the program was built so; it says that only to those
 * who open it. */
static void note_missing_view(const option_list *reports)
{
    for (int i = 0; i < reports->count && html_view_size == 0; i++) {
        const char *ending = strrchr(reports->items[i], '.');
        if (ending && strcmp(ending, ".html") == 0)
            complain(reports->items[i], "it has no 3D view: this bvpack was built without three.js "
                                        "(configure --with-npm)");
    }
}

/* Says what has been found, or the share's file. */
static int print(clash_job *j)
{
    const clash_settings *set = j->set;
    if (!set->quiet)
        note_missing_view(&set->reports);
    if (set->shard && j->summary.complete && !set->quiet)
        return set->json ? clash_print_share_json(j)
                         : clash_print_share(j, strcmp(set->output, "-") == 0 ? stderr : stdout);
    if (set->json && !set->shard)
        return clash_print_json(j);
    if (!set->quiet && !set->shard)
        return clash_print(j, is_stdout_taken(j) ? stderr : stdout);
    if (!j->summary.complete)
        complain(j->run.path_a, "interrupted: pairs from instance %u of %u on are missing%s",
                 j->summary.done, j->summary.total, set->shard ? "; no share is written" : "");
    return 0;
}

/* How many of the operands are models, which are put in front; or -1 and *code. */
static int count_models(const verb *self, const clash_settings *set, char **paths, int count,
                        int *code)
{
    const int models = set->merge ? sort_operands(paths, count) : count;
    *code = options_need(self, models, 1, 2, "FILE or FILE FILE");
    if (*code == 0 && set->merge && models == count) {
        complain("--merge",
                 "name the shares behind the model: files that clash --shard has written");
        *code = EXIT_USAGE;
    }
    return *code == 0 ? models : -1;
}

static int run(const verb *self, int argc, char **argv)
{
    clash_settings set = {.worst = 20, .pictures = 500};
    int code, first = options_parse(self, argc, argv, &set, &code);
    if (first < 0)
        return code;
    const int models = count_models(self, &set, argv + first, argc - first, &code);
    if (models < 0)
        return code;
    clash_job j;
    memset(&j, 0, sizeof j);
    j.set = &set;
    j.began = seconds_now();
    progress_start(&j.bar, set.quiet);
    code = prepare(&j, models, argv + first, argc - first - models);
    assert(code != 0 || (j.a && j.b));
    if (code == 0)
        code = set.shard ? clash_run_share(&j) : clash_run_all(&j);
    if (code == 0 && set.suggest)
        code = suggest(&j);
    if (code == 0 || code == EXIT_STOPPED) {
        const int printed = print(&j);
        code = code == 0 ? printed : code;
    }
    if (code == 0 && set.exit_code && j.findings > 0)
        code = EXIT_FINDING;
    clash_state_close(&j.state, code == 0 || code == EXIT_FINDING);
    clash_shares_close(&j.shares);
    clash_rows_close(&j.rows);
    clash_gather_close(&j.gathered);
    clash_kept_close(&j.kept);
    clash_groups_close(&j.groups);
    suggest_free(&j.suggested);
    clash_tolerance_close(&j.tolerance);
    clash_journal_close(&j.journal);
    clash_baseline_close(&j.baseline);
    issue_log_close(&j.issues);
    clash_past_close(&j.past);
    clash_rules_free(&j.rules);
    free(j.uses);
    free(j.use_sums);
    free(j.resolved_of);
    free(j.unreported);
    for (int i = 0; i < 2; i++) {
        instance_tree_close(&j.trees[i]);
        operand_close(&j.files[i]);
    }
    clash_places_free(&j.places);
    clash_zones_free(&j.zones);
    return code;
}

#define ROW(name, letter, kind, member, value, help)                                               \
    {                                                                                              \
        name, letter, kind, offsetof(clash_settings, member), value, help, 0, 0                    \
    }

static const option_row options[] = {
    ROW("clearance", 'c', OPTION_TEXT, clearance, "LENGTH",
        "report pairs that are not farther apart: 5mm, or a bare number in the file's units; 0 by "
        "default"),
    ROW("touch", 0, OPTION_TEXT, touch, "LENGTH",
        "surfaces as near as this touch; by default what the coordinates' precision and the "
        "tessellation leave open"),
    ROW("overlap", 0, OPTION_TEXT, overlap, "LENGTH",
        "surfaces this deep in one another still only touch; the touch gap by default"),
    ROW("place-b", 'b', OPTION_TEXT, placement_b, "PLACEMENT",
        "where the second file stands, in the first one's unit" QUERY_PLACE_HELP),
    ROW("assume-unit", 0, OPTION_TEXT, assume_unit, UNITS_ASSUME_VALUE, UNITS_ASSUME_HELP),
    ROW("zone", 'z', OPTION_TEXTS, zone_texts, CLASH_ZONE_VALUE,
        "hold the instances against a solid zone, not against one another; SHAPE "
        "is " CONVEX_TEXT_HELP "; PLACEMENT is where it stands" QUERY_PLACE_HELP
        "; may be given several times"),
    ROW("zones", 0, OPTION_FILE, zones, "FILE", "the same, of a JSON file that lists zones"),
    ROW("places", 0, OPTION_FILE, places, "FILE",
        "JSON of zones, as of --zones, and of lines across x, y and z: what rooms, grid lines and "
        "levels are called, to say of each issue where it is"),
    ROW("exclude", 'x', OPTION_TEXTS, excludes, "SELECTOR[:SELECTOR]",
        "leave out pairs of an instance of the first and one of the second selector, or of "
        "anything; may be given several times"),
    ROW("same-assembly", 0, OPTION_FLAG, same_assembly, NULL,
        "leave out pairs within one sub-assembly: right below the same node"),
    ROW("rules", 'R', OPTION_FILES, rules, "SET|FILE",
        "exclusions, allowed contacts and lengths for pairs of products: a set that comes with the "
        "program (contact, fasteners, ...: see above), or a file, JSON; may be given several "
        "times, the first rule that matches decides"),
    ROW("suggest-rules", 0, OPTION_FILE, suggest, "FILE",
        "write rules that would take away what looks as it was meant, with counts and reasons, to "
        "read, shorten and give to --rules; - is standard output"),
    ROW("report", 'r', OPTION_FILES, reports, "FILE",
        "write a report; the ending says the form; - is standard output as JSON lines; may be "
        "given several times"),
    ROW("bcf", 0, OPTION_CHOICE, bcf, "2.1|3.0",
        "version of BCF reports; by default .bcf is 3.0 and .bcfzip 2.1"),
    ROW("baseline", 0, OPTION_FILE, baseline, "[FILE,[FILE,]]REPORT",
        "an earlier report as .jsonl: say of each pair whether it is new, and which are resolved; "
        "with the packed file of that report in front instances are matched as \"bvpack diff\" "
        "does, else by their paths"),
    ROW("issues", 0, OPTION_FILE, issues, "FILE",
        "what people have said about the issues (\"bvpack issues\"), or the model that it lies "
        "beside; by default FILE-issues.jsonl beside the first FILE, if there is one"),
    ROW("no-issues", 0, OPTION_FLAG, no_issues, NULL, "do not read what people have said"),
    ROW("state", 0, OPTION_FILE, state, "FILE",
        "keep there how far the run is: the same command goes on after it was killed, with the "
        "same reports; removed at the end"),
    ROW("shard", 0, OPTION_TEXT, shard, SHARD_VALUE,
        "look at share I of N of the pairs, 1/4 for instance, and write what is found to -o SHARE: "
        "all shares together are for --merge; auto: the one that the environment of a job array "
        "says"),
    ROW("output", 'o', OPTION_FILE, output, "SHARE",
        "with --shard: where the share goes; \"-\" is standard output"),
    ROW("merge", 0, OPTION_FLAG, merge, NULL,
        "look at no pairs, but take what all shares have found: name them behind FILE, in any "
        "order; "
        "options otherwise as of the shares, and all of those that are about reports"),
    ROW("incremental", 0, OPTION_FILE, incremental, "FILE",
        "keep there what the run finds, and take over what the last run found of pairs neither of "
        "which has changed or moved: with the same options the reports are those of a run that "
        "looks at everything"),
    ROW("contacts", 0, OPTION_FLAG, contacts, NULL,
        "find all contacts: how many pairs of triangles, and the box around them; with --fast of "
        "what penetrates, not of what only touches"),
    ROW("fast", 0, OPTION_FLAG, fast, NULL,
        "verdicts only: distances and depths are then those of any witness"),
    ROW("cell", 0, OPTION_TEXT, cell, "LENGTH",
        "edge of the cells in which places are told; a twentieth of the world by default"),
    ROW("verdicts", 0, OPTION_TEXT, verdicts, "VERDICT[,VERDICT]...",
        "report only pairs with one of these verdicts; what is left out is counted"),
    ROW("min-depth", 0, OPTION_TEXT, min_depth, "LENGTH",
        "do not report what penetrates or touches and is not as deep as this"),
    {"top", 0, OPTION_COUNT, offsetof(clash_settings, top), "N", "report only the N worst issues",
     1, UINT32_MAX},
    {"worst", 'n', OPTION_COUNT, offsetof(clash_settings, worst), "N",
     "show the N worst issues, 20 by default", 0, 1000},
    {"pictures", 0, OPTION_COUNT, offsetof(clash_settings, pictures), "N",
     "most pictures in a report that has some, one an issue, 500 by default", 0, 1000000},
    {"jobs", 'j', OPTION_COUNT, offsetof(clash_settings, jobs), "N",
     "threads; one for each CPU by default; the answer is the same", 1, 1024},
    ROW("json", 0, OPTION_FLAG, json, NULL, "print the summary as JSON"),
    ROW("quiet", 'q', OPTION_FLAG, quiet, NULL, "print nothing but errors"),
    ROW("exit-code", 0, OPTION_FLAG, exit_code, NULL,
        "exit with 1 when there is a pair that is not clear and more than touches, and whose issue "
        "is not approved; with --baseline: a new one"),
    {0},
};

const verb verb_clash = {
    .name = "clash",
    .summary = "find what clashes or comes too near in an assembly, or between two",
    .synopsis = "FILE [FILE] [OPTION]...\n"
                "FILE [FILE] --shard I/N -o SHARE [OPTION]...\n"
                "FILE [FILE] --merge SHARE... [OPTION]...\n",
    .description =
        "Looks at all pairs of instances within a file, or of one of the first and one of the "
        "second file, and gives each a verdict: clear, within (the clearance), touching, "
        "penetrating (deeper than the permitted overlap), enclosed (one in the other, a solid, "
        "and their surfaces do not meet), duplicate (the same surface at the same place), unknown "
        "(an open shell around the other: nobody can tell inside). All but clear ones are "
        "reported, the most severe first: enclosed, duplicate, penetrating (the deepest first), "
        "unknown, within (the nearest first), touching. --verdicts, --min-depth and --top leave "
        "some out; the coverage statement says how many, and a baseline does not take them for "
        "resolved.\n\n"
        "Reports group pairs into issues, what one person solves at one go: one instance against "
        "several, like instances against like ones nearby, the same two parts in the same "
        "relation. Each has an id that the next run finds again, a title (\"tank_1 is crossed by 6 "
        "pipes\"), the level or sub-assembly it is in, and a picture of its worst pair.\n\n"
        "Touch gap and overlap are, by default, what coordinates and triangles leave open; of STEP "
        "and IGES models each pair has its own, and rows say how a verdict is known that the "
        "chord alone would leave open (\"settled\": exact, finer mesh, no).\n\n"
        "The coverage statement tells what has been looked at, what rules have excluded or "
        "allowed, what is unknown. Verdicts rest on exact tests; the depth is an estimate between "
        "two bounds, depth and depth_upper.\n\n"
        "A SELECTOR is a pattern of names, or, when it has a slash, of paths below the root, "
        "where ** stands for any number of levels; name=, path=, part= (part number), "
        "word= (several patterns of single words, in small letters) and "
        "PROPERTY= in front say what it is a pattern of. * is any text, ? a character, [a-z] one "
        "of these; \\ in front of a character takes its meaning away. A selector that is empty or "
        "can never match is an error.\n\n"
        "Rules are a JSON text: {\"clearance\": ..., \"rules\": [RULE, ...]}. A RULE says for "
        "whom it is: \"a\" and \"b\" (a selector; an object of name, path, part, word, property, "
        "which must all hold; or an array of choices), \"same_assembly\" (true, or a selector of "
        "the sub-assembly), \"same\" (a property that both have with one value), "
        "\"same_element\" (true: pieces of one element); and what it does: \"exclude\": true; "
        "\"allow\": true, a LENGTH or a share (\"8%\" of the thinner part's thickness), for "
        "contacts as deep as that, which are then counted, not reported; or \"clearance\", "
        "\"touch\", \"overlap\". The first rule that matches decides.\n\n"
        "Sets of rules that come with the program, by --rules: elements (pieces of one element), "
        "alternatives, insulation, threads, fasteners (in their holes), systems (connections of "
        "pipes), fillings (doors and windows), structure (joints), contact (all that only "
        "touches); see clash.md of the specification. --suggest-rules "
        "looks which of them would take something away, and which products fit one another where "
        "they meet.\n\n"
        "Zones are solid boxes, balls, capsules, cylinders or convex hulls: keep-out zones, what a "
        "gripper sweeps, what a sensor sees. With --zone or --zones the pairs are those of an "
        "instance and a zone, in the file's unit. An instance is enclosed when all of it is in the "
        "zone, or the zone inside it. A zone file is {\"zones\": [ZONE, ...]}; a ZONE has "
        "\"shape\" "
        "(a SHAPE) or \"hull\" ([[x, y, z], ...]), and \"name\", \"place\" (a PLACEMENT, or its "
        "numbers) and \"clearance\" as it likes. Selectors select zones by their names, too.\n\n"
        "The ending of a report's name says its form: .jsonl is a pair a line, .csv a pair a row, "
        ".xlsx "
        "two sheets, issues and pairs, "
        ".html a page with table, pictures and 3D view, .bcf (BCF 3.0) and .bcfzip (2.1) a topic "
        "an issue for viewers, .glb "
        "the clashing "
        "instances in colours. SIGINT and SIGTERM end the run in order: what is complete is "
        "reported, and the coverage statement "
        "says how far that is.\n\n"
        "Of two files lengths are told and given in the first one's unit; the second one's are "
        "converted. When only one of them says its unit, nobody can tell how large the other is: "
        "that is an error, unless --assume-unit says it.\n\n"
        "Several machines can share a run. With --shard I/N each looks at its share of the pairs, "
        "whose costs are about equal as far as boxes and triangles tell, and writes a file; "
        "--merge with all N files and the same options makes the reports that one machine makes. A "
        "baseline, filters, issues and reports are of the merge. What is missing, comes twice, is "
        "damaged or of a run of other files, options or another version is an error, and nothing "
        "is written. " SHARD_HELP "\n\n"
        "Files are held against their hashes before anything is reported: one that is damaged, or "
        "a part of a store that is missing or damaged, is an error.",
    .options = options,
    .examples =
        "# what clashes, and what is nearer than 5 mm\n"
        "bvpack clash plant.bvp --clearance 5mm --report clash.jsonl --report clash.csv\n"
        "# a robot in its cell, without the floor\n"
        "bvpack clash cell.bvp robot.bvp --place-b 1.5,0,0 --exclude 'floor*'\n"
        "# is anything in the doorway, or within 50 mm of it?\n"
        "bvpack clash plant.bvp --zone door=box:0.9,1.2,2.1@4,1,1.05 --clearance 50mm "
        "--exit-code\n"
        "# every night: what is new since yesterday\n"
        "bvpack clash new.bvp --rules rules.json --baseline old.bvp,old.jsonl -r new.jsonl\n"
        "# a long run on a machine that may go down\n"
        "bvpack clash plant.bvp --state clash.state --report clash.jsonl\n"
        "# on four machines, this is the second; then, on any of them\n"
        "bvpack clash plant.bvp --rules rules.json --shard 2/4 -o share2.clash\n"
        "bvpack clash plant.bvp --rules rules.json --merge share*.clash -r clash.jsonl\n",
    .exit_codes = "1 there is a finding, with --exit-code\n"
                  "4 a file is not a bvpack file, or a block of it is not what its hash says: "
                  "nothing is reported; so is a share that is cut off\n"
                  "8 interrupted by a signal; the reports hold what was complete, and a share is "
                  "not written\n",
    .completes = "bvp|zst",
    .run = run,
};
