/* SPDX-License-Identifier: MIT
 * verb_plan.c: the verb plan: what to run, on several machines, to pack an export and clash it.
 */
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "files/input.h"
#include "pack/pack_plan.h"
#include "plan/plan_print.h"
#include "plan/plan_stages.h"
#include "text/message.h"

enum { WORD_MOST = 64, NAME_SIZE = 4096, MACHINE_MOST = 100000 };

/* ---- the options that commands get --------------------------------------------------------- */

/* --pack as `pack` reads it, so that what is wrong is told before anything runs. text: a copy of
 * it, which is cut into words. */
static int read_pack_options(char *text, pack_settings *set)
{
    char *words[WORD_MOST + 1] = {(char *)"pack"}, *rest = NULL;
    int count = 1, code = 0;
    *set = (pack_settings){.leaf = 8};
    for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (count == WORD_MOST) {
            complain("--pack", "expected at most %d words", WORD_MOST - 1);
            return EXIT_USAGE;
        }
        words[count++] = word;
    }
    const int first = options_parse(&verb_pack, count, words, set, &code);
    if (first < 0)
        return code != 0 ? code : EXIT_USAGE;
    const char *own = set->output ? "-o" : set->store ? "--store" : set->shard ? "--shard" : NULL;
    if (first < count)
        complain("--pack", "expected options only, found \"%s\"; the export is plan's own operand",
                 words[first]);
    else if (own)
        complain("--pack", "%s is the plan's to choose; give plan its own option", own);
    else if (set->jobs != 0)
        complain("--pack", "-j is the plan's to choose; say how many with --threads");
    else if (set->json || set->share)
        complain("--pack", "%s does not go with tasks", set->json ? "--json" : "--share");
    else if (set->thin)
        complain("--pack", "merge gives whole files; make a thin one of it with \"bvpack split\"");
    else
        return 0;
    return EXIT_USAGE;
}

/* NAME of the export without its ending, and `ending`. 0, or says that it is too long. */
static int name_output(const char *path, const char *ending, char out[NAME_SIZE])
{
    const char *name = base_name(path), *dot = strrchr(name, '.');
    const size_t size = dot && dot > name ? (size_t)(dot - path) : strlen(path);
    if (snprintf(out, NAME_SIZE, "%.*s%s", (int)size, path, ending) < NAME_SIZE)
        return 0;
    complain(path, "the name is too long; name the outputs with -o, --work and -r");
    return EXIT_USAGE;
}

static int check(const plan_settings *set, const char *path)
{
    static const char *const stages[] = {"pack", "merge", "clash", "report"};
    int is_stage = !set->stage;
    for (size_t i = 0; i < sizeof stages / sizeof *stages && !is_stage; i++)
        is_stage = strcmp(set->stage, stages[i]) == 0;
    if (strcmp(path, "-") == 0)
        complain("plan", "each task reads the export again, so it can't come from a pipe; name a "
                         "file");
    else if (set->machines == 0)
        complain("plan", "say with --machines how many there are");
    else if (!(set->task_seconds >= 0.001 && set->task_seconds <= 1e6))
        complain("--task-seconds", "expected 0.001 to 1000000 seconds");
    else if (!is_stage)
        complain("--stage", "expected pack, merge, clash or report, found \"%s\"", set->stage);
    else if (set->no_clash && (set->clash || set->reporting || set->reports.count > 0))
        complain("--no-clash", "goes with none of --clash, --reporting and --report");
    else
        return 0;
    return EXIT_USAGE;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int run(const verb *self, int argc, char **argv)
{
    plan_settings set = {.threads = 1, .task_seconds = 60};
    pack_settings pack;
    pack_plan plan = {.set = &pack};
    plan_export export = {.path = NULL};
    plan_stages stages = {.stage_count = 0};
    char output[NAME_SIZE], work[NAME_SIZE], report[NAME_SIZE];
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "one EXPORT", &code);
    if (first < 0)
        return code;
    const char *path = argv[first];
    code = check(&set, path);
    char *text = strdup(set.pack ? set.pack : "");
    if (code == 0)
        code = text ? read_pack_options(text, &pack) : complain_memory();
    if (code == 0)
        code = pack_plan_read(&plan);
    if (code == 0)
        code = name_output(path, ".bvp", output);
    if (code == 0)
        code = name_output(path, ".farm", work);
    if (code == 0)
        code = name_output(path, ".clash.jsonl", report);
    if (code == 0) {
        set.output = set.output ? set.output : output;
        set.work = set.work ? set.work : work;
        pack.store = set.store;
        if (set.reports.count == 0)
            set.reports.items[set.reports.count++] = report;
        code = plan_export_read(path, &plan, set.store, &export);
    }
    if (code == 0)
        code = plan_stages_make(&set, &export, &stages);
    if (code == 0 && set.json)
        plan_print_json(&stages);
    else if (code == 0 && plan_print(&stages) != 0)
        code = complain_memory();
    plan_stages_free(&stages);
    plan_export_free(&export);
    free(text);
    return code;
}

static const option_row options[] = {
    {"machines", 'm', OPTION_COUNT, offsetof(plan_settings, machines), "N",
     "how many machines, or tasks at a time, there are", 1, MACHINE_MOST},
    {"threads", 'j', OPTION_COUNT, offsetof(plan_settings, threads), "N",
     "processors a task gets; 1 is the default, and the most work for the processor time", 1, 1024},
    {"task-seconds", 0, OPTION_NUMBER, offsetof(plan_settings, task_seconds), "SECONDS",
     "how long a task should take at least; 60 is the default, as queues start a few tasks a "
     "second",
     0, 0},
    {"tasks", 0, OPTION_COUNT, offsetof(plan_settings, tasks), "N",
     "cut pack and clash into N tasks each, however long they take; at most one a file", 1,
     SHARD_MAX},
    {"output", 'o', OPTION_FILE, offsetof(plan_settings, output), "OUT",
     "the packed file; without it EXPORT with the ending .bvp", 0, 0},
    {"work", 'w', OPTION_FILE, offsetof(plan_settings, work), "DIR",
     "the folder for shares, which all machines see; without it EXPORT with the ending .farm", 0,
     0},
    {"store", 0, OPTION_FILE, offsetof(plan_settings, store), "DIR",
     "pack into this store: parts that it has are in no task", 0, 0},
    {"pack", 0, OPTION_TEXT, offsetof(plan_settings, pack), "OPTIONS",
     "options for \"bvpack pack\", separated by blanks", 0, 0},
    {"clash", 0, OPTION_TEXT, offsetof(plan_settings, clash), "OPTIONS",
     "options for \"bvpack clash\", separated by blanks: what pairs depend on", 0, 0},
    {"reporting", 0, OPTION_TEXT, offsetof(plan_settings, reporting), "OPTIONS",
     "and those that are about reports: \"--baseline FILE\", \"--issues FILE\"", 0, 0},
    {"report", 'r', OPTION_FILES, offsetof(plan_settings, reports), "FILE",
     "a report of the clashes, several times for several; without it EXPORT with the ending "
     ".clash.jsonl",
     0, 0},
    {"no-clash", 0, OPTION_FLAG, offsetof(plan_settings, no_clash), NULL, "pack only", 0, 0},
    {"stage", 0, OPTION_TEXT, offsetof(plan_settings, stage), "pack|merge|clash|report",
     "print the commands of this stage alone; none, if the plan does without it", 0, 0},
    {"missing", 0, OPTION_FLAG, offsetof(plan_settings, missing), NULL,
     "leave out tasks whose output is there: what is left to do when some have failed", 0, 0},
    {"json", 0, OPTION_FLAG, offsetof(plan_settings, json), NULL,
     "print JSON: stages, tasks, what each costs, and the rates that this is reckoned by", 0, 0},
    {0},
};

const verb verb_plan = {
    .name = "plan",
    .summary = "say what several machines have to run to pack and clash an export",
    .synopsis = "EXPORT --machines N [OPTION]...\n",
    .description =
        "Prints the commands that pack an export (a manifest, or a model) and clash it, one a "
        "line, for whatever runs them: a queue such as Slurm or LSF, Kubernetes, GNU parallel, "
        "xargs. Nothing is run, and no mesh is read: what a task costs is reckoned from the sizes "
        "of files, and from what their headers say.\n\n"
        "A plan has up to four stages: pack (shares of the files), merge (of these into the packed "
        "file), clash (shares of the instances) and report (merges these). The tasks of a stage "
        "may run at the same time, in any order, on any machines that see the same files; a stage "
        "begins when the one before it is done. A task that fails, or is killed, leaves no output, "
        "and may be run again. The result has the same bytes as one machine's.\n\n"
        "All of the plan is a shell script, which runs everything here; with --stage there are "
        "only that stage's commands. The same export and options give the same plan, unless the "
        "store has more by then: make it once, and keep it for the night. spec/farm.md says where "
        "the rates are from, and what the shared disk must do; samples/farm has scripts for "
        "queues.",
    .options = options,
    .examples =
        "bvpack plan export.jsonl --machines 8\n"
        "# all of it on this machine, two tasks at a time\n"
        "bvpack plan export.jsonl -m 2 -o plant.bvp --stage pack | xargs -P2 -d '\\n' -n1 sh -c\n"
        "# for a program: tasks with seconds, memory and outputs\n"
        "bvpack plan export.jsonl -m 100 --store parts --clash '--clearance 5mm' --json\n",
    .completes = "jsonl",
    .run = run,
};
