/* SPDX-License-Identifier: MIT
 * plan_print.c: prints a plan as commands and as JSON.
 */
#include "plan/plan_print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "plan/plan_command.h"
#include "plan/plan_rates.h"
#include "text/json.h"
#include "text/message.h"

/* With --missing a task whose output is there is left out: files get their names when they are
 * complete. */
static int is_listed(const plan_stages *p, const plan_task *task)
{
    return !p->set->missing || !task->output || access(task->output, F_OK) != 0;
}

/* ---- commands -------------------------------------------------------------------------------- */

static unsigned long long megabytes(uint64_t bytes)
{
    return (unsigned long long)((bytes + 999999) / 1000000);
}

/* 0, or -1: memory is out. */
static int print_head(const plan_stages *p)
{
    const plan_export *e = p->export;
    char files[64], known[32], triangles[32];
    printf("# ");
    print_name(stdout, e->path, strlen(e->path));
    printf(" for %llu machine%s: %s, %s of them known to the store, about %s triangles\n",
           (unsigned long long)p->set->machines, p->set->machines == 1 ? "" : "s",
           counted(e->file_count, "file", files), grouped(e->known_count, known),
           grouped(e->triangle_count, triangles));
    if (e->largest && e->file_count > 1) {
        printf("# the longest file takes %.3g s: ", e->largest->seconds);
        print_name(stdout, e->largest->path, strlen(e->largest->path));
        putchar('\n');
    }
    plan_command c;
    if (plan_command_begin(&c, "mkdir", "-p") != 0)
        return -1;
    plan_command_file(&c, p->set->work);
    char *command = plan_command_end(&c);
    if (command)
        puts(command);
    free(command);
    return command ? 0 : -1;
}

static void print_stage(const plan_stage *s, const char *after)
{
    char tasks[64];
    uint64_t memory = 0;
    for (size_t i = 0; i < s->task_count; i++)
        memory = s->tasks[i].memory > memory ? s->tasks[i].memory : memory;
    printf("\n# stage %s%s%s: %s, %.3g s in all, the longest %.3g s, done after %.3g s; up to %llu "
           "MB each\n",
           s->name, *after ? " after " : "", after, counted(s->task_count, "task", tasks),
           s->seconds, s->longest, s->makespan, megabytes(memory));
}

int plan_print(const plan_stages *p)
{
    if (!p->set->stage && print_head(p) != 0)
        return -1;
    for (int k = 0; k < p->stage_count; k++) {
        const plan_stage *s = &p->stages[k];
        if (p->set->stage && strcmp(p->set->stage, s->name) != 0)
            continue;
        if (!p->set->stage)
            print_stage(s, k > 0 ? p->stages[k - 1].name : "");
        for (size_t i = 0; i < s->task_count; i++)
            if (is_listed(p, &s->tasks[i]))
                puts(s->tasks[i].command);
    }
    return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void print_rates(json *j)
{
    jsonw_object(j, "rates");
    jsonw_number(j, "seconds_a_triangle", PLAN_PACK_SECONDS);
    jsonw_number(j, "seconds_a_line", PLAN_LINE_SECONDS);
    jsonw_number(j, "seconds_a_merged_byte", PLAN_MERGE_SECONDS);
    jsonw_number(j, "seconds_a_merged_instance", PLAN_INSTANCE_SECONDS);
    jsonw_number(j, "seconds_a_clashed_instance", PLAN_CLASH_SECONDS);
    jsonw_number(j, "seconds_a_prepared_instance", PLAN_SETUP_SECONDS);
    jsonw_number(j, "seconds_a_reported_instance", PLAN_REPORT_SECONDS);
    jsonw_number(j, "seconds_a_task", PLAN_START_SECONDS);
    jsonw_array(j, "formats");
    for (const plan_rate *rate = plan_rates;; rate++) {
        jsonw_inline_object(j, NULL);
        jsonw_text(j, "format", rate->format);
        jsonw_number(j, "triangle_size", rate->triangle_size);
        jsonw_number(j, "seconds_a_megabyte", rate->seconds_megabyte);
        jsonw_end(j);
        if (!rate->format)
            break;
    }
    jsonw_end(j);
    jsonw_end(j);
}

static void print_files(json *j, const plan_export *e)
{
    uint64_t size = 0;
    for (size_t i = 0; i < e->file_count; i++)
        size += e->files[i].size;
    jsonw_object(j, "files");
    jsonw_count(j, "count", e->file_count);
    jsonw_count(j, "known_count", e->known_count);
    jsonw_count(j, "size", size);
    jsonw_count(j, "triangle_count", e->triangle_count);
    jsonw_rounded(j, "seconds", e->seconds);
    if (e->largest) {
        jsonw_object(j, "longest");
        jsonw_text(j, "path", e->largest->path);
        jsonw_count(j, "size", e->largest->size);
        jsonw_count(j, "triangle_count", e->largest->triangle_count);
        jsonw_rounded(j, "seconds", e->largest->seconds);
        jsonw_end(j);
    } else {
        jsonw_null(j, "longest");
    }
    jsonw_end(j);
}

static void print_json_stage(json *j, const plan_stages *p, int k)
{
    const plan_stage *s = &p->stages[k];
    jsonw_object(j, NULL);
    jsonw_text(j, "name", s->name);
    jsonw_text(j, "after", k > 0 ? p->stages[k - 1].name : NULL);
    jsonw_count(j, "task_count", s->task_count);
    jsonw_rounded(j, "seconds", s->seconds);
    jsonw_rounded(j, "longest_seconds", s->longest);
    jsonw_rounded(j, "makespan_seconds", s->makespan);
    jsonw_array(j, "tasks");
    for (size_t i = 0; i < s->task_count; i++) {
        const plan_task *task = &s->tasks[i];
        if (!is_listed(p, task))
            continue;
        jsonw_inline_object(j, NULL);
        jsonw_count(j, "number", i + 1);
        jsonw_text(j, "command", task->command);
        jsonw_text(j, "output", task->output);
        jsonw_rounded(j, "seconds", task->seconds);
        jsonw_count(j, "memory", task->memory);
        jsonw_count(j, "file_count", task->file_count);
        jsonw_count(j, "size", task->size);
        jsonw_end(j);
    }
    jsonw_end(j);
    jsonw_end(j);
}

void plan_print_json(const plan_stages *p)
{
    const plan_export *e = p->export;
    json j;
    jsonw_start(&j, stdout, 1);
    jsonw_object(&j, NULL);
    jsonw_text(&j, "version", bvp_version());
    jsonw_text(&j, "export", e->path);
    jsonw_text(&j, "format", e->format);
    jsonw_count(&j, "machines", p->set->machines);
    jsonw_count(&j, "threads", p->set->threads);
    jsonw_text(&j, "work", p->set->work);
    jsonw_text(&j, "output", p->set->output);
    print_files(&j, e);
    jsonw_count(&j, "instance_count", e->instance_count);
    print_rates(&j);
    jsonw_array(&j, "stages");
    for (int k = 0; k < p->stage_count; k++)
        if (!p->set->stage || strcmp(p->set->stage, p->stages[k].name) == 0)
            print_json_stage(&j, p, k);
    jsonw_end(&j);
    jsonw_end(&j);
    jsonw_finish(&j);
}
