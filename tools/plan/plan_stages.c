/* SPDX-License-Identifier: MIT
 * plan_stages.c: cuts the work into tasks, and says what each costs.
 *
 * Shares of an export are dealt out file by file, so a stage's count of tasks decides which files
 * each gets. A queue starts some three tasks a second and knows nothing of parts: a task is a
 * minute's work or more. Several tasks a machine even out what is estimated wrongly, machines that
 * are slow, and tasks that fail; so of one to four a machine the count is taken with which the
 * stage is done first.
 * Spec: farm.md
 */
#include "plan/plan_stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plan/plan_command.h"
#include "plan/plan_rates.h"
#include "text/message.h"

enum { A_MACHINE_MOST = 4 };

/* ---- when a stage is done ------------------------------------------------------------------ */

/* Moves the time at `at` down a heap whose least stands first. */
static void sink(double *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[at] <= heap[child])
            return;
        const double moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

/* Each task in turn on the machine that is free first. Negative: memory is out. */
static double makespan_of(const double *seconds, size_t count, size_t machines)
{
    double *free_at = calloc(machines, sizeof *free_at), last = 0;
    for (size_t i = 0; free_at && i < count; i++) {
        free_at[0] += seconds[i];
        last = fmax(last, free_at[0]);
        sink(free_at, machines, 0);
    }
    const int failed = !free_at;
    free(free_at);
    return failed ? -1 : last;
}

/* ---- shares ------------------------------------------------------------------------------- */

/* What every share does besides its files: it reads the export. */
static double seconds_of_reading(const plan_export *e)
{
    return PLAN_START_SECONDS + PLAN_LINE_SECONDS * (double)e->line_count;
}

/* seconds: of each of `count` shares. */
static void deal(const plan_stages *p, size_t count, double *seconds)
{
    const plan_export *e = p->export;
    for (size_t i = 0; i < count; i++)
        seconds[i] = 0;
    for (size_t i = 0; i < e->file_count; i++)
        if (!e->files[i].is_known)
            seconds[i % count] += e->files[i].seconds;
    for (size_t i = 0; i < count; i++)
        seconds[i] = seconds[i] / (double)p->set->threads + seconds_of_reading(e);
}

/* The best count of shares, at most `most`; 0: memory is out. total: one machine's seconds; each:
 * what every share takes besides, which is to be a tenth of it at most. */
static size_t count_shares(const plan_stages *p, double total, double each, size_t most,
                           void (*share)(const plan_stages *, size_t, double *))
{
    const size_t machines = (size_t)p->set->machines;
    const double least = fmax(p->set->task_seconds, 9 * each);
    size_t best = p->set->tasks > 0 ? (size_t)p->set->tasks : 1;
    double first = INFINITY;
    if (p->set->tasks > 0)
        return best > most ? most : best;
    double *seconds = malloc((A_MACHINE_MOST * machines + 1) * sizeof *seconds);
    if (!seconds)
        return 0;
    if (total / least < (double)machines) {
        best = total < 2 * least ? 1 : (size_t)(total / least);
    } else {
        for (size_t a_machine = 1; a_machine <= A_MACHINE_MOST; a_machine++) {
            const size_t count = a_machine * machines;
            if (count > most || total / (double)count < least)
                break;
            share(p, count, seconds);
            const double makespan = makespan_of(seconds, count, machines);
            if (makespan < 0) {
                best = 0;
                break;
            }
            /* of counts that differ by less than a fiftieth the larger one is more even */
            if (makespan < 1.02 * first) {
                best = count;
                first = fmin(first, makespan);
            }
        }
    }
    free(seconds);
    return best > most ? most : best;
}

/* ---- tasks -------------------------------------------------------------------------------- */

static plan_stage *add_stage(plan_stages *p, const char *name, size_t task_count)
{
    plan_stage *s = &p->stages[p->stage_count++];
    *s = (plan_stage){.name = name, .tasks = calloc(task_count, sizeof *s->tasks)};
    s->task_count = s->tasks ? task_count : 0;
    return s->tasks ? s : NULL;
}

/* WORK/NAME-I.ENDING, to be freed, or NULL. */
static char *share_path(const plan_stages *p, const char *name, size_t i, const char *ending)
{
    const size_t size = strlen(p->set->work) + strlen(name) + strlen(ending) + 32;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s-%zu.%s", p->set->work, name, i + 1, ending);
    return path;
}

/* "I/N" */
static void add_share(plan_command *c, size_t i, size_t count)
{
    char number[64];
    snprintf(number, sizeof number, "%zu/%zu", i + 1, count);
    plan_command_word(c, "--shard");
    plan_command_word(c, number);
}

static void add_threads(const plan_stages *p, plan_command *c)
{
    char text[32];
    snprintf(text, sizeof text, "-j%llu", (unsigned long long)p->set->threads);
    plan_command_word(c, text);
}

/* The command becomes the task's. 0, or -1: memory is out. */
static int finish_task(plan_task *task, plan_command *c, const char *output)
{
    task->command = plan_command_end(c);
    if (output && !task->output)
        task->output = strdup(output);
    return task->command && (!output || task->output) ? 0 : -1;
}

/* What packing the whole or a share of it begins with. */
static int begin_pack(const plan_stages *p, plan_command *c)
{
    if (plan_command_begin(c, "bvpack", "pack") != 0)
        return -1;
    plan_command_file(c, p->export->path);
    plan_command_words(c, p->set->pack);
    if (p->set->store) {
        plan_command_word(c, "--store");
        plan_command_file(c, p->set->store);
    }
    return 0;
}

static int finish_pack(const plan_stages *p, plan_command *c, plan_task *task, const char *output)
{
    if (output) {
        plan_command_word(c, "-o");
        plan_command_file(c, output);
    }
    add_threads(p, c);
    plan_command_word(c, "-q");
    return finish_task(task, c, output);
}

/* ---- the stages --------------------------------------------------------------------------- */

/* Memory of a process that reads the export, and packs at most `mesh` triangles at once. */
static uint64_t memory_of(const plan_export *e, uint64_t mesh, uint64_t packed)
{
    return PLAN_BASE_MEMORY + PLAN_LINE_MEMORY * e->line_count + PLAN_MESH_MEMORY * mesh +
           PLAN_PACKED_SIZE * packed;
}

/* One task for all. Through a store it packs what is missing there, so it is the stage that merges,
 * too. */
static int pack_whole(plan_stages *p, const char *name, double seconds)
{
    const plan_export *e = p->export;
    plan_stage *s = add_stage(p, name, 1);
    plan_command c;
    if (!s || begin_pack(p, &c) != 0)
        return -1;
    s->tasks[0].seconds = seconds;
    s->tasks[0].memory = memory_of(e, e->largest_mesh, p->set->store ? 0 : e->triangle_count);
    s->tasks[0].file_count = e->file_count;
    for (size_t i = 0; i < e->file_count; i++)
        s->tasks[0].size += e->files[i].size;
    return finish_pack(p, &c, &s->tasks[0], p->set->output);
}

static int pack_shares(plan_stages *p, size_t count)
{
    const plan_export *e = p->export;
    plan_stage *s = add_stage(p, "pack", count);
    double *seconds = malloc(count * sizeof *seconds);
    uint64_t *mesh = calloc(count, sizeof *mesh), *packed = calloc(count, sizeof *packed);
    size_t used = 0;
    int failed = !s || !seconds || !mesh || !packed;
    if (!failed)
        deal(p, count, seconds);
    for (size_t i = 0; i < e->file_count && !failed; i++) {
        const plan_file *file = &e->files[i];
        plan_task *task = &s->tasks[i % count];
        if (file->is_known)
            continue;
        task->file_count++;
        task->size += file->size;
        packed[i % count] += p->set->store ? 0 : file->triangle_count;
        if (file->triangle_count > mesh[i % count])
            mesh[i % count] = file->triangle_count;
    }
    for (size_t i = 0; i < count && !failed; i++) {
        /* a share of which the store has everything is no task */
        if (p->set->store && s->tasks[i].file_count == 0)
            continue;
        plan_task *task = &s->tasks[used++];
        plan_command c;
        *task = s->tasks[i];
        task->seconds = seconds[i];
        task->memory = memory_of(e, mesh[i], packed[i]);
        failed = begin_pack(p, &c) != 0;
        if (failed)
            break;
        add_share(&c, i, count);
        char *path = p->set->store ? NULL : share_path(p, "pack", i, "bvp");
        failed = finish_pack(p, &c, task, path) != 0 || (!p->set->store && !path);
        free(path);
    }
    if (!failed)
        s->task_count = used;
    free(seconds);
    free(mesh);
    free(packed);
    return failed ? -1 : 0;
}

/* All outputs of the stage `shares` into `output`. */
static int merge_outputs(plan_stages *p, const plan_stage *shares, const char *name,
                         const char *output, double seconds, uint64_t memory)
{
    plan_stage *s = add_stage(p, name, 1);
    plan_command c;
    if (!s || plan_command_begin(&c, "bvpack", "merge") != 0)
        return -1;
    plan_command_word(&c, "--trust-shares"); /* they are the plan's own */
    for (size_t i = 0; i < shares->task_count; i++)
        plan_command_file(&c, shares->tasks[i].output);
    plan_command_word(&c, "-o");
    plan_command_file(&c, output);
    s->tasks[0].seconds = seconds;
    s->tasks[0].memory = memory;
    s->tasks[0].file_count = shares->task_count;
    return finish_task(&s->tasks[0], &c, output);
}

static int plan_pack(plan_stages *p)
{
    const plan_export *e = p->export;
    const double merging = PLAN_START_SECONDS + seconds_of_reading(e) +
                           PLAN_MERGE_SECONDS * PLAN_PACKED_SIZE * (double)e->triangle_count +
                           PLAN_INSTANCE_SECONDS * (double)e->instance_count;
    const double total = e->seconds / (double)p->set->threads;
    size_t count = 1;
    if (e->is_manifest && e->known_count + 1 < e->file_count)
        count = count_shares(p, total, seconds_of_reading(e), e->file_count, deal);
    if (count == 0)
        return -1;
    if (count == 1)
        return pack_whole(p, "pack", total + merging);
    if (pack_shares(p, count) != 0)
        return -1;
    if (p->set->store) /* every part is there by then */
        return pack_whole(p, "merge", merging);
    return merge_outputs(p, &p->stages[0], "merge", p->set->output, merging,
                         memory_of(e, 0, e->triangle_count));
}

/* What every share of a run does besides its pairs. */
static double seconds_of_setup(const plan_export *e)
{
    return PLAN_START_SECONDS + PLAN_SETUP_SECONDS * (double)e->instance_count;
}

/* Instances are nearly alike, so shares of a run are. */
static void deal_instances(const plan_stages *p, size_t count, double *seconds)
{
    const double pairs = PLAN_CLASH_SECONDS * (double)p->export->instance_count;
    for (size_t i = 0; i < count; i++)
        seconds[i] =
            seconds_of_setup(p->export) + pairs / ((double)count * (double)p->set->threads);
}

/* What every command of a run begins with: all of them must agree in what pairs depend on. */
static int begin_clash(const plan_stages *p, plan_command *c)
{
    if (plan_command_begin(c, "bvpack", "clash") != 0)
        return -1;
    plan_command_file(c, p->set->output);
    plan_command_words(c, p->set->clash);
    return 0;
}

/* What the one begins with that writes the reports. */
static int finish_report(const plan_stages *p, plan_command *c, plan_task *task)
{
    plan_command_words(c, p->set->reporting);
    for (int i = 0; i < p->set->reports.count; i++) {
        plan_command_word(c, "-r");
        plan_command_file(c, p->set->reports.items[i]);
    }
    plan_command_word(c, "-q");
    return finish_task(task, c, p->set->reports.items[0]);
}

static int clash_whole(plan_stages *p, double seconds)
{
    plan_stage *s = add_stage(p, "clash", 1);
    plan_command c;
    if (!s || begin_clash(p, &c) != 0)
        return -1;
    add_threads(p, &c);
    s->tasks[0].seconds = seconds;
    s->tasks[0].memory = memory_of(p->export, 0, 0);
    return finish_report(p, &c, &s->tasks[0]);
}

static int clash_shares(plan_stages *p, size_t count, double *seconds)
{
    plan_stage *s = add_stage(p, "clash", count);
    if (!s)
        return -1;
    deal_instances(p, count, seconds);
    for (size_t i = 0; i < count; i++) {
        plan_command c;
        char *path = share_path(p, "clash", i, "clash");
        int failed = !path || begin_clash(p, &c) != 0;
        if (!failed) {
            add_share(&c, i, count);
            plan_command_word(&c, "-o");
            plan_command_file(&c, path);
            add_threads(p, &c);
            plan_command_word(&c, "-q");
            failed = finish_task(&s->tasks[i], &c, path) != 0;
        }
        s->tasks[i].seconds = seconds[i];
        s->tasks[i].memory = memory_of(p->export, 0, 0);
        free(path);
        if (failed)
            return -1;
    }
    return 0;
}

/* The shares of the stage before it into the reports. */
static int merge_clash(plan_stages *p)
{
    const plan_stage *shares = &p->stages[p->stage_count - 1];
    plan_stage *s = add_stage(p, "report", 1);
    plan_command c;
    if (!s || begin_clash(p, &c) != 0)
        return -1;
    plan_command_word(&c, "--merge");
    for (size_t i = 0; i < shares->task_count; i++)
        plan_command_file(&c, shares->tasks[i].output);
    s->tasks[0].seconds =
        PLAN_START_SECONDS + PLAN_REPORT_SECONDS * (double)p->export->instance_count;
    s->tasks[0].memory = memory_of(p->export, 0, 0);
    s->tasks[0].file_count = shares->task_count;
    return finish_report(p, &c, &s->tasks[0]);
}

static int plan_clash(plan_stages *p)
{
    double total;
    deal_instances(p, 1, &total);
    /* of an export that is one model the instances are not counted */
    const size_t most = p->export->is_manifest ? (size_t)p->export->instance_count : SHARD_MAX;
    const size_t count = count_shares(p, total, seconds_of_setup(p->export), most, deal_instances);
    double *seconds = count > 1 ? malloc(count * sizeof *seconds) : NULL;
    int failed = count == 0 || (count > 1 && !seconds);
    if (!failed && count == 1)
        failed = clash_whole(p, total + PLAN_REPORT_SECONDS * (double)p->export->instance_count);
    else if (!failed)
        failed = clash_shares(p, count, seconds) != 0 || merge_clash(p) != 0;
    free(seconds);
    return failed ? -1 : 0;
}

int plan_stages_make(const plan_settings *set, const plan_export *export, plan_stages *out)
{
    *out = (plan_stages){.set = set, .export = export};
    if (plan_pack(out) != 0 || (!set->no_clash && plan_clash(out) != 0))
        return complain_memory();
    for (int k = 0; k < out->stage_count; k++) {
        plan_stage *s = &out->stages[k];
        double *seconds = malloc(s->task_count * sizeof *seconds);
        if (!seconds)
            return complain_memory();
        for (size_t i = 0; i < s->task_count; i++) {
            seconds[i] = s->tasks[i].seconds;
            s->seconds += seconds[i];
            s->longest = fmax(s->longest, seconds[i]);
        }
        s->makespan = makespan_of(seconds, s->task_count, (size_t)set->machines);
        free(seconds);
        if (s->makespan < 0)
            return complain_memory();
    }
    return 0;
}

void plan_stages_free(plan_stages *p)
{
    for (int k = 0; k < p->stage_count; k++) {
        plan_stage *s = &p->stages[k];
        for (size_t i = 0; i < s->task_count; i++) {
            free(s->tasks[i].command);
            free(s->tasks[i].output);
        }
        free(s->tasks);
    }
}
