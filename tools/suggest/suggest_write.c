/* SPDX-License-Identifier: MIT
 * suggest_write.c: proposed rules as a rule file, and as a table for people.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "files/output.h"
#include "rules/clash_rules.h"
#include "suggest/suggest_rules.h"
#include "text/json.h"
#include "text/message.h"

static void length_text(const suggest_run *run, double length, int digits, char out[64])
{
    const char *unit = unit_name(run->info->unit_in_metres);
    snprintf(out, 64, "%.*g%s", digits, length, unit ? unit : "");
}

/* As much of a name as fits in the name of a rule. */
static int head(const growing_text *text)
{
    return text->size < 80 ? (int)text->size : 80;
}

static void write_fit(json *j, const suggest_run *run, const suggested_fit *fit)
{
    char name[200], comment[200], depth[64], allow[64];
    length_text(run, fit->depth, 3, depth);
    length_text(run, fit->allow, 15, allow);
    snprintf(name, sizeof name, "fit: %.*s | %.*s", head(&fit->a), fit->a.data, head(&fit->b),
             fit->b.data);
    snprintf(comment, sizeof comment,
             "%" PRIu64 " pair%s, up to %s deep; their surfaces face one another where they meet",
             fit->pair_count, fit->pair_count == 1 ? "" : "s", depth);
    jsonw_object(j, NULL);
    jsonw_bytes(j, "name", (bvp_string){name, strlen(name)}); /* cut anywhere */
    jsonw_text(j, "comment", comment);
    jsonw_inline_object(j, "a");
    jsonw_bytes(j, fit->a_is_path ? "path" : "part", (bvp_string){fit->a.data, fit->a.size});
    jsonw_end(j);
    jsonw_inline_object(j, "b");
    jsonw_bytes(j, fit->b_is_path ? "path" : "part", (bvp_string){fit->b.data, fit->b.size});
    jsonw_end(j);
    jsonw_text(j, "allow", allow);
    jsonw_bool(j, "optional", 1);
    jsonw_end(j);
}

static void write_all(const suggestion *s, const suggest_run *run, const char *model, FILE *out)
{
    char comment[300];
    json j;
    snprintf(comment, sizeof comment,
             "Proposed for %.120s: takes away %" PRIu64 " of %" PRIu64
             " pairs. Read it, delete what somebody has to look at, and give it to --rules.",
             model, s->taken_count, s->pair_count);
    jsonw_start(&j, out, 1);
    jsonw_object(&j, NULL);
    jsonw_text(&j, "comment", comment);
    jsonw_array(&j, "rules");
    for (size_t i = 0; i < s->fit_count; i++)
        write_fit(&j, run, &s->fits[i]);
    jsonw_end(&j);
    jsonw_inline_array(&j, "sets");
    for (int i = 0; clash_rule_sets[i].name; i++)
        if (s->set_counts[i] > 0)
            jsonw_text(&j, NULL, clash_rule_sets[i].name);
    jsonw_end(&j);
    jsonw_end(&j);
    jsonw_finish(&j);
}

int suggest_write(const suggestion *s, const suggest_run *run, const char *model, const char *path)
{
    output out;
    if (path[0] == '-' && path[1] == '\0') {
        write_all(s, run, model, stdout);
        return fflush(stdout) == 0 ? 0
                                   : (complain("standard output", "can't be written"), EXIT_OUTPUT);
    }
    const int code = output_open(&out, path);
    if (code != 0)
        return code;
    const int fd = dup(out.fd);
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (stream)
        write_all(s, run, model, stream);
    int failed = !stream || ferror(stream);
    if (stream)
        failed |= fclose(stream) != 0;
    else if (fd >= 0)
        close(fd);
    if (!failed)
        return output_commit(&out);
    complain(path, "can't be written");
    output_discard(&out);
    return EXIT_OUTPUT;
}

static void print_fit(const suggested_fit *fit, FILE *out)
{
    fprintf(out, "  %10" PRIu64 "  fit: ", fit->pair_count);
    print_name(out, fit->a.data, fit->a.size);
    fputs(" | ", out);
    print_name(out, fit->b.data, fit->b.size);
    fputc('\n', out);
}

void suggest_print(const suggestion *s, FILE *out)
{
    enum { SHOWN = 20 };
    fprintf(out,
            "proposed rules would take away %" PRIu64 " of %" PRIu64
            " pairs; of the others %" PRIu64 " do more than touch\n",
            s->taken_count, s->pair_count, s->stay_count);
    for (size_t i = 0; i < s->fit_count && i < SHOWN; i++)
        print_fit(&s->fits[i], out);
    if (s->fit_count > SHOWN)
        fprintf(out, "              ... and %zu fits more\n", s->fit_count - SHOWN);
    for (int i = 0; clash_rule_sets[i].name; i++)
        if (s->set_counts[i] > 0)
            fprintf(out, "  %10" PRIu64 "  set %s\n", s->set_counts[i], clash_rule_sets[i].name);
}

void suggest_print_json(const suggestion *s, json *out)
{
    jsonw_object(out, "suggested");
    jsonw_count(out, "pairs", s->pair_count);
    jsonw_count(out, "taken_away", s->taken_count);
    jsonw_count(out, "left", s->stay_count);
    jsonw_array(out, "fits");
    for (size_t i = 0; i < s->fit_count; i++) {
        jsonw_inline_object(out, NULL);
        jsonw_bytes(out, "a", (bvp_string){s->fits[i].a.data, s->fits[i].a.size});
        jsonw_bytes(out, "b", (bvp_string){s->fits[i].b.data, s->fits[i].b.size});
        jsonw_count(out, "pairs", s->fits[i].pair_count);
        jsonw_number(out, "depth", s->fits[i].depth);
        jsonw_number(out, "allow", s->fits[i].allow);
        jsonw_end(out);
    }
    jsonw_end(out);
    jsonw_inline_object(out, "sets");
    for (int i = 0; clash_rule_sets[i].name; i++)
        if (s->set_counts[i] > 0)
            jsonw_count(out, clash_rule_sets[i].name, s->set_counts[i]);
    jsonw_end(out);
    jsonw_end(out);
}
