/* SPDX-License-Identifier: MIT
 * fuzz_clash_inputs.c: whole clash runs of a sound file with any bytes as the state of a run that
 * goes on, as the baseline, alone or with its file, as the rules, as zones, or as what people have
 * said; and imports of BCF archives that any bytes are, or are a topic of. The first byte says
 * which. The records of a state are put behind the right head, and their hashes are right: each is
 * a kind (u8) and the bytes of a pair or of a mark; its mutations change fields of records that a
 * run has written.
 */
#include "clash/clash_state.h"
#include "files/archive.h"
#include "mutate.h"
#include "verb_case.h"
#include "target.h"

#include <math.h>

enum { HEAD_KIND = 0x31544c43, RECORD_HEAD = 24, PAIRS_MAX = 8 };
enum { STATE, BASELINE, RULES, ZONES, NIGHTS, SAID, TOPIC, ARCHIVE, INPUTS };

static uint8_t *head; /* a state's first record */
static size_t head_size;
static bvp_clash_pair pairs[PAIRS_MAX];
static uint32_t pair_count;
static clash_mark mark;

static int keep_pair(void *user, const bvp_clash_pair *pair)
{
    (void)user;
    if (pair_count < PAIRS_MAX)
        pairs[pair_count++] = *pair;
    return 0;
}

/* What a run of the file writes to its state. */
static void know_records(void)
{
    bvp_file *file;
    bvp_file_info info;
    const bvp_clash_options options = {.limits = {0.5, NAN, NAN}, .thread_count = 1};
    require(bvp_open("a.bvp", NULL, &file, NULL) == BVP_OK);
    bvp_get_info(file, &info);
    require(bvp_clash(&(bvp_clash_scene){.a = file}, &options, keep_pair, NULL, &mark.coverage,
                      NULL) == BVP_OK);
    require(pair_count > 0);
    mark.done = mark.total = info.instance_count;
    bvp_close(file);
}

/* The reports have nowhere to go, so that the run ends and leaves a state with its head. */
static void know_head(void)
{
    size_t size;
    uint32_t record_size;
    case_run("clash a.bvp -q -j 1 --clearance 0.5 --state s --report /nonexistent/x.jsonl");
    head = case_read("s", &size);
    require(head && size >= RECORD_HEAD);
    memcpy(&record_size, head + 4, sizeof record_size);
    head_size = RECORD_HEAD + record_size;
    require(head_size <= size);
    unlink("s");
}

static void start(void)
{
    static bool is_started;
    if (is_started)
        return;
    is_started = true;
    case_enter();
    case_write_model("a.obj");
    require(case_run("pack a.obj -q -j 1 -o a.bvp") == EXIT_DONE);
    know_records();
    know_head();
}

/* ---- states ---------------------------------------------------------------------------------- */

static size_t size_of_kind(uint8_t kind)
{
    return kind % 3 == 1 ? sizeof(bvp_clash_pair) : kind % 3 == 2 ? sizeof(clash_mark) : 7;
}

static void put_record(FILE *out, uint32_t kind, const uint8_t *body, uint32_t size)
{
    uint8_t hash[16];
    bvp_hash(body, size, hash);
    require(fwrite(&kind, 4, 1, out) == 1 && fwrite(&size, 4, 1, out) == 1 &&
            fwrite(hash, 16, 1, out) == 1 && fwrite(body, 1, size, out) == size);
}

static void write_state(const uint8_t *data, size_t size)
{
    FILE *out = fopen("s", "wb");
    require(out && fwrite(head, 1, head_size, out) == head_size);
    while (size > 0) {
        const uint32_t kind = data[0] % 3, body = (uint32_t)size_of_kind(data[0]);
        if (size - 1 < body)
            break;
        put_record(out, HEAD_KIND + kind, data + 1, body);
        data += 1 + body;
        size -= 1 + body;
    }
    require(fclose(out) == 0);
}

/* Some pairs, in order, and a mark. */
static size_t make_state(uint8_t *data, size_t capacity, uint64_t *random)
{
    size_t used = 0;
    for (uint32_t i = 0; i < pair_count && used + 2 + sizeof pairs[0] + sizeof mark < capacity; i++)
        if (mutate_random(random) % 4 != 0) {
            data[used++] = 1;
            memcpy(data + used, &pairs[i], sizeof pairs[i]);
            used += sizeof pairs[i];
        }
    if (used + 1 + sizeof mark <= capacity) {
        data[used++] = 2;
        memcpy(data + used, &mark, sizeof mark);
        used += sizeof mark;
    }
    return used;
}

static void mutate_state(uint8_t *data, size_t size, uint64_t *random)
{
    size_t at = 0, count = 0;
    while (at < size && size - at > size_of_kind(data[at])) {
        at += 1 + size_of_kind(data[at]);
        count++;
    }
    for (uint64_t left = mutate_random(random) % 3; left > 0 && count > 0; left--) {
        size_t which = mutate_random(random) % count;
        for (at = 0; which > 0; which--)
            at += 1 + size_of_kind(data[at]);
        if (size_of_kind(data[at]) >= 8)
            mutate_number(data + at + 1, size_of_kind(data[at]), 8, random);
    }
}

static size_t mutate_input(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t random = seed;
    if (max_size < 2)
        return size;
    if (size == 0 || (data[0] % INPUTS == STATE && mutate_random(&random) % 4 == 0)) {
        start();
        data[0] = STATE;
        size = 1 + make_state(data + 1, max_size - 1, &random);
    }
    if (data[0] % INPUTS == STATE)
        mutate_state(data + 1, size - 1, &random);
    else if (LLVMFuzzerMutate)
        size = 1 + LLVMFuzzerMutate(data + 1, size - 1, max_size - 1);
    else if (size > 8)
        mutate_number(data + 1, size - 1, 1, &random);
    return size;
}

/* ---- archives -------------------------------------------------------------------------------- */

static void write_topic(const uint8_t *data, size_t size)
{
    static const char version[] = "<Version VersionId=\"2.1\"/>";
    FILE *out = fopen("t.bcf", "wb");
    archive *zip = archive_new("2026-01-01T00:00:00Z");
    require(out && zip && archive_add(zip, "bcf.version", version, sizeof version - 1, 1) &&
            archive_add(zip, "t/markup.bcf", data, size, 1) && !archive_write(zip, out) &&
            fclose(out) == 0);
    archive_free(zip);
}

/* An import leaves a file that is read, or none; once more, and it stays as it is. */
static int try_archive(int what, const uint8_t *data, size_t size)
{
    static const char event[] = "{\"time\":\"2026-01-01T00:00:00Z\",\"issue\":"
                                "\"0123456789abcdef0123456789abcdef\",\"author\":\"a\","
                                "\"comment\":\"c\"}\n";
    static const char line[] = "issues i.jsonl -q --import t.bcf --date 2026-02-01";
    if (!archive_is_there())
        return 0;
    if (what == TOPIC)
        write_topic(data, size);
    else
        case_write("t.bcf", data, size);
    case_write("i.jsonl", event, sizeof event - 1);
    const int code = case_run(line);
    require(code >= EXIT_DONE && code <= EXIT_STOPPED);
    size_t first, second;
    uint8_t *before = case_read("i.jsonl", &first);
    require(before && (code == EXIT_DONE || first == sizeof event - 1));
    require(case_run(line) == code);
    uint8_t *after = case_read("i.jsonl", &second);
    require(after && first == second && memcmp(before, after, first) == 0);
    free(before);
    free(after);
    return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int try_input(const uint8_t *data, size_t size)
{
    static const char *const lines[INPUTS] = {
        "clash a.bvp -q -j 1 --clearance 0.5 --state s --report out.jsonl",
        "clash a.bvp -q -j 1 --clearance 0.5 --baseline b.jsonl --report out.jsonl",
        "clash a.bvp -q -j 1 --clearance 0.5 --rules r.json --report out.jsonl",
        "clash a.bvp -q -j 1 --clearance 0.5 --zones z.json --report out.jsonl",
        "clash a.bvp -q -j 1 --clearance 0.5 --baseline a.bvp,b.jsonl --report out.jsonl",
        "clash a.bvp -q -j 1 --clearance 0.5 --issues i.jsonl --report out.jsonl"};
    static const char *const names[INPUTS] = {"s",       "b.jsonl", "r.json", "z.json",
                                              "b.jsonl", "i.jsonl", "t.bcf",  "t.bcf"};
    if (size == 0)
        return 0;
    start();
    const int what = data[0] % INPUTS;
    if (what == TOPIC || what == ARCHIVE)
        return try_archive(what, data + 1, size - 1);
    if (what == STATE)
        write_state(data + 1, size - 1);
    else
        case_write(names[what], data + 1, size - 1);
    const int code = case_run(lines[what]);
    require(code >= EXIT_DONE && code <= EXIT_STOPPED);
    require(code == EXIT_DONE || access("out.jsonl", F_OK) != 0);
    require(code != EXIT_DONE || access("out.jsonl", F_OK) == 0);
    unlink("out.jsonl");
    unlink("s");
    return 0;
}

const fuzz_target fuzz_clash_inputs = {"clash_inputs", try_input, mutate_input};
