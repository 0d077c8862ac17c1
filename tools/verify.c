/* SPDX-License-Identifier: MIT
 * verify.c: the verb verify: checks files against every rule of the format.
 */
#include <string.h>
#include "bvpack.h"
#include "input.h"
#include "json.h"
#include "message.h"
#include "options.h"

typedef struct settings {
    int json, quiet;
    uint64_t max;
} settings;

/* What the callback needs. */
typedef struct listing {
    const settings *set;
    const char *path;
    json *out; /* or NULL: text */
    uint64_t count;
} listing;

static int list_finding(void *user, const bvp_finding *finding)
{
    listing *l = user;
    l->count++;
    if (l->out) {
        jsonw_inline_object(l->out, NULL);
        jsonw_text(l->out, "rule", finding->rule);
        if (finding->offset == UINT64_MAX)
            jsonw_null(l->out, "offset");
        else
            jsonw_count(l->out, "offset", finding->offset);
        jsonw_text(l->out, "message", finding->message);
        jsonw_end(l->out);
    } else if (!l->set->quiet) {
        print_name(stdout, l->path, strlen(l->path));
        printf(": %llu. rule %s", (unsigned long long)l->count, finding->rule);
        if (finding->offset != UINT64_MAX)
            printf(", byte %llu", (unsigned long long)finding->offset);
        printf(": %s\n", finding->message);
    }
    return l->set->max > 0 && l->count >= l->set->max;
}

static int verdict(const listing *l, bvp_status status, const bvp_error *error)
{
    if (status == BVP_OK && l->count == 0)
        return EXIT_DONE;
    if (l->count > 0)
        return EXIT_FINDING;
    return complain_status(l->path, status, error);
}

static int verify_bytes(listing *l, const input *in)
{
    bvp_error error = {0};
    bvp_status status = bvp_verify(in->data, in->size, list_finding, l, &error);
    return verdict(l, status, &error);
}

static int verify_as_json(listing *l, const input *in)
{
    jsonw_object(l->out, NULL);
    jsonw_text(l->out, "file", l->path);
    jsonw_array(l->out, "findings");
    int code = verify_bytes(l, in);
    jsonw_end(l->out);
    jsonw_count(l->out, "finding_count", l->count);
    jsonw_bool(l->out, "ok", code == EXIT_DONE);
    jsonw_end(l->out);
    return code;
}

static int verify(const settings *set, const char *path, json *out)
{
    listing l = {.set = set, .path = path, .out = out};
    input in;
    int code = input_open(&in, path);
    if (code != 0)
        return code;
    if (out) {
        code = verify_as_json(&l, &in);
    } else {
        code = verify_bytes(&l, &in);
        if (code == EXIT_DONE && !set->quiet) {
            print_name(stdout, path, strlen(path));
            puts(": ok");
        }
    }
    input_close(&in);
    return code;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {.max = 100};
    json out;
    int worst = EXIT_DONE;
    int code, first = options_operands(self, argc, argv, &set, 1, -1, "at least one FILE", &code);
    if (first < 0)
        return code;
    jsonw_start(&out, stdout, 1);
    if (set.json)
        jsonw_array(&out, NULL);
    for (int i = first; i < argc; i++) {
        code = verify(&set, argv[i], set.json ? &out : NULL);
        if (code > worst)
            worst = code;
    }
    if (set.json) {
        jsonw_end(&out);
        jsonw_finish(&out);
    }
    return worst;
}

static const option_row options[] = {
    {"json", 0, OPTION_FLAG, offsetof(settings, json), NULL,
     "print JSON: one object for each file that can be read", 0, 0},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL,
     "print nothing but errors; the exit code says the rest", 0, 0},
    {"max", 0, OPTION_COUNT, offsetof(settings, max), "N",
     "stop after so many findings in a file; 100 is the default, 0 lists all", 0, 0},
    {0},
};

const verb verb_verify = {
    .name = "verify",
    .summary = "check packed files against every rule of the format",
    .synopsis = "FILE... [OPTION]...\n",
    .description =
        "Checks packed files completely: structure, hashes of all bytes, that every box contains "
        "what is below it, triangle numbers. The time is linear in the size of the file. Each "
        "finding has a number, the rule of spec/format.md that is violated, the byte where, and a "
        "sentence.",
    .options = options,
    .examples = "bvpack verify plant.bvp\n"
                "# in a script\n"
                "bvpack verify -q *.bvp || echo damaged\n",
    .exit_codes = "0 no finding\n"
                  "1 a file violates a rule\n",
    .completes = "bvp",
    .run = run,
};
