/* SPDX-License-Identifier: MIT
 * verb_verify.c: the verb verify: checks files against every rule of the format.
 */
#include <assert.h>
#include <string.h>
#include "bvpack.h"
#include "text/hex.h"
#include "files/packed_file.h"
#include "text/json.h"
#include "text/message.h"
#include "cli/options.h"

typedef struct settings {
    int json, quiet, all;
    uint64_t max, jobs;
    const char *digest; /* the digest that the files must have, as text, or NULL */
} settings;

/* The first finding of a rule: one wrong byte may break the rule on every level of a hierarchy. */
typedef struct broken_rule {
    char rule[16], message[200];
    uint64_t offset, count;
} broken_rule;

enum { DIGEST_SIZE = 32, RULES_MAX = 256 }; /* more than the format has */

/* What the callback needs. */
typedef struct listing {
    const settings *set;
    const char *path;
    json *out; /* or NULL: text */
    uint64_t count;
    uint32_t rule_count;
    broken_rule rules[RULES_MAX];
} listing;

static void print_finding(const listing *l, uint64_t number, const char *rule, uint64_t offset,
                          const char *message)
{
    print_plain(stdout, l->path);
    printf(": %llu. rule %s", (unsigned long long)number, rule);
    if (offset != UINT64_MAX)
        printf(", byte %llu", (unsigned long long)offset);
    fputs(": ", stdout);
    print_plain(stdout, message);
}

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
    } else if (l->set->all && !l->set->quiet) {
        print_finding(l, l->count, finding->rule, finding->offset, finding->message);
        putchar('\n');
    } else {
        uint32_t i = 0;
        while (i < l->rule_count && strcmp(l->rules[i].rule, finding->rule) != 0)
            i++;
        assert(l->rule_count <= RULES_MAX);
        if (i != RULES_MAX) {
            broken_rule *r = &l->rules[i];
            if (i == l->rule_count) {
                *r = (broken_rule){.offset = finding->offset};
                snprintf(r->rule, sizeof r->rule, "%s", finding->rule);
                snprintf(r->message, sizeof r->message, "%s", finding->message);
                l->rule_count++;
            }
            r->count++;
        }
    }
    return l->set->max > 0 && l->count >= l->set->max;
}

/* Checks a thin file's parts in the store: are they there, with the content that their addresses
 * name? */
static int verify_parts(const char *path)
{
    const bvp_open_options how = {.verify_lazily = 1, .read_ahead = 1};
    bvp_file_info info;
    bvp_file *file;
    uint8_t digest[DIGEST_SIZE];
    bvp_error error = {0};
    bvp_status status = packed_open(path, &how, &file, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    bvp_get_info(file, &info);
    if (info.has_digests && bvp_get_digest(file, digest, NULL) != BVP_OK)
        complain(path, "warning: its digests can't be checked: this bvpack has no libsodium");
    for (uint32_t part = 0; info.is_thin && part < info.part_count && status == BVP_OK; part++)
        status = bvp_check_part(file, part, &error);
    bvp_close(file);
    return status == BVP_OK ? EXIT_DONE : complain_status(path, status, &error);
}

/* The blocks have been checked against their digests; here the digests are checked against what was
 * signed. */
static bvp_status check_digest(listing *l, const input *in, bvp_error *error)
{
    uint8_t digest[DIGEST_SIZE];
    bvp_file *file;
    hex_bytes(l->set->digest, digest, sizeof digest);
    const bvp_open_options how = {.digest = digest};
    const bvp_status status = bvp_open_memory(in->data, in->size, &how, &file, error);
    if (status == BVP_OK)
        bvp_close(file);
    if (status != BVP_ERR_CORRUPT)
        return status;
    const bvp_finding finding = {error->rule, error->offset, error->message};
    list_finding(l, &finding);
    return BVP_OK;
}

static int verify_bytes(listing *l, const input *in)
{
    bvp_error error = {0};
    const bvp_verify_options how = {
        .thread_count = (uint32_t)l->set->jobs, .callback = list_finding, .user = l};
    bvp_status status = bvp_verify_with(in->data, in->size, &how, &error);
    if (status == BVP_OK && l->count == 0 && l->set->digest)
        status = check_digest(l, in, &error);
    const int code = status == BVP_OK && l->count == 0 ? EXIT_DONE
                     : l->count > 0                    ? EXIT_FINDING
                                                       : complain_status(l->path, status, &error);
    char packing[512];
    if (code == EXIT_FINDING && l->rule_count > 0 && strcmp(l->rules[0].rule, "HDR-1") == 0 &&
        message_packing(packing, sizeof packing, l->path))
        complain(l->path, "this is not a packed file; pack the model first: %s", packing);
    return code == EXIT_DONE && strcmp(l->path, "-") != 0 ? verify_parts(l->path) : code;
}

static int verify(const settings *set, const char *path, json *out)
{
    listing l = {.set = set, .path = path, .out = out};
    input in;
    int code = packed_read(&in, path);
    if (code != 0)
        return code;
    if (out) {
        jsonw_object(out, NULL);
        jsonw_text(out, "file", path);
        jsonw_array(out, "findings");
        code = verify_bytes(&l, &in);
        jsonw_end(out);
        jsonw_count(out, "finding_count", l.count);
        jsonw_bool(out, "ok", code == EXIT_DONE);
        jsonw_end(out);
    } else {
        code = verify_bytes(&l, &in);
        for (uint32_t i = 0; !set->quiet && i < l.rule_count; i++) {
            const broken_rule *r = &l.rules[i];
            assert(r->count > 0);
            print_finding(&l, i + 1, r->rule, r->offset, r->message);
            if (r->count > 1)
                printf(" (and %llu more)", (unsigned long long)r->count - 1);
            putchar('\n');
        }
        if (code == EXIT_DONE && !set->quiet) {
            print_plain(stdout, path);
            puts(": ok");
        }
    }
    input_close(&in);
    return code;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {.max = 0};
    json out;
    int worst = EXIT_DONE;
    int code, first = options_operands(self, argc, argv, &set, 1, -1, "at least one FILE", &code);
    if (first < 0)
        return code;
    uint8_t digest[DIGEST_SIZE];
    if (set.digest && hex_bytes(set.digest, digest, sizeof digest) != 0) {
        complain("--digest",
                 "expected the 64 hexadecimal digits that \"bvpack info --digest\" "
                 "prints, found \"%s\"",
                 set.digest);
        return EXIT_USAGE;
    }
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
    {"jobs", 'j', OPTION_COUNT, offsetof(settings, jobs), "N",
     "threads to use; 0, the default, is one per processor; findings do not depend on it", 0, 1024},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL,
     "print nothing but errors; the exit code says the rest", 0, 0},
    {"all", 0, OPTION_FLAG, offsetof(settings, all), NULL,
     "print every finding, not the first of each rule and how many more there are", 0, 0},
    {"digest", 0, OPTION_TEXT, offsetof(settings, digest), "HEX",
     "the files must have this root digest, which a signature vouches for", 0, 0},
    {"max", 0, OPTION_COUNT, offsetof(settings, max), "N",
     "stop after so many findings in a file; 0, the default, goes on to the end", 0, 0},
    {0},
};

const verb verb_verify = {
    .name = "verify",
    .summary = "check packed files against every rule of the format",
    .synopsis = "FILE... [OPTION]...\n",
    .description =
        "Checks packed files completely: structure, hashes of all bytes, that every box contains "
        "what is below it, triangle numbers; of a thin file also the hashes of its parts in the "
        "store. The time is linear in the size of the file. Of each "
        "rule of spec/format.md that is violated the first finding is printed: the byte where, a "
        "sentence, and how many more there are; --all and --json print every one.",
    .options = options,
    .examples = "bvpack verify plant.bvp\n"
                "# is it the file that was signed?\n"
                "bvpack verify --digest \"$(cat plant.bvp.digest)\" plant.bvp\n"
                "# in a script\n"
                "bvpack verify -q *.bvp || echo damaged\n",
    .exit_codes = "0 no finding\n"
                  "1 a file violates a rule\n",
    .completes = "bvp|zst",
    .run = run,
};
