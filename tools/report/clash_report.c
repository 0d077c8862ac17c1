/* SPDX-License-Identifier: MIT
 * clash_report.c: writes the reports of a clash run, several at once; the extension of a name
 * selects the form.
 *
 * Every report is written to a file without a name, which gets its name only when the report is
 * complete (files/output.h). Reports end one after the other: those that ended before another one
 * failed stay, the others are removed.
 */
#include "report/clash_report.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "report/clash_outputs.h"
#include "text/message.h"

static const clash_form *const forms[] = {&report_jsonl,  &report_csv, &report_xlsx, &report_bcf,
                                          &report_bcfzip, &report_glb, &report_html};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

/* ---- forms --------------------------------------------------------------------------------- */

static const clash_form *form_of(const char *path)
{
    const size_t size = strlen(path);
    for (int i = 0; i < FORM_COUNT; i++) {
        const size_t ending = strlen(forms[i]->ending);
        if (size > ending && strcasecmp(path + size - ending, forms[i]->ending) == 0)
            return forms[i];
    }
    return strcmp(path, "-") == 0 ? &report_jsonl : NULL;
}

static int check_paths(const option_list *paths)
{
    for (int i = 0; i < paths->count; i++) {
        if (!form_of(paths->items[i])) {
            char list[128] = "";
            for (int n = 0; n < FORM_COUNT; n++) {
                const size_t used = strlen(list);
                snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", forms[n]->ending);
            }
            complain("--report", "expected a name that ends with %s, or -, found \"%s\"", list,
                     paths->items[i]);
            return EXIT_USAGE;
        }
        for (int k = 0; k < i; k++)
            if (strcmp(paths->items[i], paths->items[k]) == 0) {
                complain("--report", "\"%s\" is given twice", paths->items[i]);
                return EXIT_USAGE;
            }
    }
    return 0;
}

int clash_outputs_take_stdout(const option_list *paths)
{
    for (int i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], "-") == 0)
            return 1;
    return 0;
}

/* ---- files --------------------------------------------------------------------------------- */

static int failure(const clash_report *r)
{
    complain(r->path, "can't write: %s", strerror(errno));
    return EXIT_OUTPUT;
}

/* The stream is on a descriptor of its own, so that it can be closed before the commit. */
static int open_report(clash_report *r, const char *path)
{
    memset(r, 0, sizeof *r);
    r->form = form_of(path);
    assert(r->form); /* check_paths has looked */
    r->path = path;
    r->out.fd = -1;
    r->out.direct = 1;
    if (strcmp(path, "-") == 0) {
        r->stream = stdout;
        return 0;
    }
    int code = output_open(&r->out, path);
    if (code != 0)
        return code;
    const int fd = dup(r->out.fd);
    r->stream = fd >= 0 ? fdopen(fd, r->out.direct ? "wb" : "w+b") : NULL;
    if (r->stream)
        return 0;
    code = failure(r);
    if (fd >= 0)
        close(fd);
    output_discard(&r->out);
    return code;
}

/* 0, or writing has failed. */
static int close_stream(clash_report *r)
{
    int failed = ferror(r->stream) || fflush(r->stream) != 0;
    if (r->stream != stdout)
        failed |= fclose(r->stream) != 0;
    r->stream = NULL;
    return failed;
}

static void discard_report(clash_report *r)
{
    if (r->form->discard)
        r->form->discard(r);
    if (r->stream && r->stream != stdout)
        fclose(r->stream);
    if (strcmp(r->path, "-") != 0 && r->out.fd >= 0)
        output_discard(&r->out);
}

/* ---- all of them --------------------------------------------------------------------------- */

void clash_outputs_discard(clash_outputs *o)
{
    while (o->count > 0)
        discard_report(&o->reports[--o->count]);
}

static int open_all(clash_outputs *o, const option_list *paths)
{
    int code = check_paths(paths);
    for (int i = 0; i < paths->count && code == 0; i++) {
        assert(o->count < OPTION_LIST_MAX);
        code = open_report(&o->reports[o->count], paths->items[i]);
        o->count += code == 0;
    }
    return code;
}

/* Standard output, a pipe or a device: it can be opened only once. */
static int is_pipe(const char *path)
{
    struct stat file;
    return strcmp(path, "-") == 0 || (stat(path, &file) == 0 && !S_ISREG(file.st_mode));
}

int clash_outputs_try(const option_list *paths)
{
    clash_outputs o = {.count = 0};
    option_list files = {.count = 0};
    int code = check_paths(paths);
    for (int i = 0; i < paths->count; i++)
        if (!is_pipe(paths->items[i]))
            files.items[files.count++] = paths->items[i];
    if (code == 0)
        code = open_all(&o, &files);
    clash_outputs_discard(&o);
    return code;
}

int clash_outputs_begin(clash_outputs *o, const option_list *paths, const clash_run *run)
{
    assert(o->count == 0);
    int code = open_all(o, paths);
    for (int i = 0; i < o->count && code == 0; i++) {
        o->reports[i].run = run;
        code = o->reports[i].form->begin(&o->reports[i], run);
    }
    return code;
}

int clash_outputs_row(clash_outputs *o, const clash_row *row)
{
    int code = 0;
    for (int i = 0; i < o->count && code == 0; i++) {
        code = o->reports[i].form->row(&o->reports[i], row);
        if (code == 0 && ferror(o->reports[i].stream))
            code = failure(&o->reports[i]);
    }
    return code;
}

int clash_outputs_end(clash_outputs *o, const clash_summary *summary)
{
    int code = 0;
    for (int i = 0; i < o->count && code == 0; i++) {
        code = o->reports[i].form->end(&o->reports[i], summary);
        if (code == 0 && close_stream(&o->reports[i]) != 0)
            code = failure(&o->reports[i]);
        if (code == 0 && strcmp(o->reports[i].path, "-") != 0)
            code = output_commit(&o->reports[i].out);
        if (code == 0 && o->reports[i].form->discard)
            o->reports[i].form->discard(&o->reports[i]);
        if (code == 0)
            o->reports[i].form = NULL;
    }
    /* completed reports stay; the others are removed */
    for (int i = 0; i < o->count; i++)
        if (o->reports[i].form)
            discard_report(&o->reports[i]);
    o->count = 0;
    return code;
}
