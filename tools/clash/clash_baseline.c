/* SPDX-License-Identifier: MIT
 * clash_baseline.c: an earlier report as JSON lines. Of each line its id and where it stands are
 * kept; a line that is needed again is read again.
 *
 * So a baseline of millions of rows costs some 100 bytes a row. `known` is sorted by id once the
 * file is open, `pairs` by the numbers of the instances, if the files are there that these are of;
 * each row of the run is looked up and marks what it meets as seen. Only what was never seen is
 * then read from the file a second time, in the order of the file.
 */
#include "clash/clash_baseline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"
#include "text/json_tree.h"
#include "text/message.h"

/* ---- one line ------------------------------------------------------------------------------ */

static const char *text_or(const json_value *line, const char *key, const char *otherwise)
{
    const char *text = json_tree_text(json_tree_get(line, key));
    return text ? text : otherwise;
}

static int read_id(const char *text, uint8_t id[16])
{
    static const char digits[] = "0123456789abcdef";
    if (!text || strlen(text) != 32)
        return -1;
    for (int i = 0; i < 32; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit)
            return -1;
        const int value = (int)(digit - digits);
        id[i / 2] = (uint8_t)(i % 2 ? id[i / 2] | value : value << 4);
    }
    return 0;
}

/* What is wrong with a line as a row, or NULL. */
static const char *read_known(const json_value *line, struct clash_known *out)
{
    const char *name = text_or(line, "verdict", "");
    int verdict = 0;
    while (verdict < BVP_VERDICT_COUNT && strcmp(bvp_verdict_name((bvp_verdict)verdict), name) != 0)
        verdict++;
    if (!json_tree_is_object(line))
        return "expected an object";
    if (read_id(json_tree_text(json_tree_get(line, "id")), out->id) != 0)
        return "expected \"id\" with 32 hexadecimal digits";
    if (verdict == BVP_VERDICT_COUNT)
        return "expected \"verdict\" with the name of one";
    out->verdict = (uint8_t)verdict;
    return NULL;
}

static int is_blank(const char *line, size_t size)
{
    size_t i = 0;
    while (i < size && memchr(" \t\r", line[i], 3))
        i++;
    return i == size;
}

/* The end of the line that begins at `first`. */
static size_t line_end(const input *file, size_t first)
{
    const char *data = file->data;
    assert(first < file->size);
    const char *end = memchr(data + first, '\n', file->size - first);
    return end ? (size_t)(end - data) : file->size;
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Lines as they are read. */
typedef struct reading {
    const char *path;
    int number; /* of the line */
    size_t capacity, issue_capacity;
    struct raw_issue {
        uint8_t id[16];
        size_t known;
    } * issues; /* of the lines that have one */
    size_t issue_count;
    growing_text scratch;
} reading;

static int is_resolved(const json_value *line)
{
    return strcmp(text_or(line, "state", ""), "resolved") == 0;
}

/* The instances of a row in the files that it is of. *wrong is set if they have none such; else 0,
 * or the exit code. */
static int read_instances(const clash_baseline *b, const json_value *line, reading *r,
                          struct clash_known *out, int *wrong)
{
    double a = -1, other = -1;
    json_tree_number(json_tree_get(line, "instance_a"), &a);
    json_tree_number(json_tree_get(line, "instance_b"), &other);
    const int code =
        clash_past_find(b->past, 0, a, text_or(line, "a", ""), &r->scratch, &out->a, wrong);
    return code ? code
                : clash_past_find(b->past, !b->is_same, other, text_or(line, "b", ""), &r->scratch,
                                  &out->b, wrong);
}

static int read_line(clash_baseline *b, reading *r, size_t first, size_t size)
{
    json_fault fault = {0};
    struct clash_known one = {.offset = first, .issue = BVP_NONE};
    json_value *line = json_tree_open((const char *)b->file.data + first, size, &fault);
    const char *wrong = line ? read_known(line, &one) : fault.text;
    const json_value *issue = line ? json_tree_get(line, "issue") : NULL;
    struct raw_issue raw = {.known = b->count};
    int code = 0, is_other = 0;
    if (!wrong && issue && read_id(json_tree_text(issue), raw.id) != 0)
        wrong = "expected \"issue\" with 32 hexadecimal digits";
    if (!wrong && b->past && !is_resolved(line))
        code = read_instances(b, line, r, &one, &is_other);
    if (is_other)
        wrong =
            "\"a\", \"b\" and their instances' numbers are not of the file in front of the report";
    if (code != 0) {
        /* has been said */
    } else if (fault.is_memory) {
        code = complain_memory();
    } else if (wrong) {
        complain(r->path,
                 "line %d: %s; expected a report of \"bvpack clash --report FILE.jsonl\"%s",
                 r->number, wrong, b->past ? " and the packed file it was made of" : "");
        code = EXIT_INPUT;
    } else if (!is_resolved(line)) {
        if (array_grow(&b->known, &r->capacity, b->count + 1, sizeof *b->known) != 0 ||
            array_grow(&r->issues, &r->issue_capacity, r->issue_count + 1, sizeof *r->issues) != 0)
            code = complain_memory();
        else
            b->known[b->count++] = one;
        if (code == 0 && issue)
            r->issues[r->issue_count++] = raw;
        assert(b->count <= r->capacity);
    }
    json_tree_close(line);
    return code;
}

static int by_id(const void *a, const void *b)
{
    const struct clash_known *one = a, *other = b;
    const int order = memcmp(one->id, other->id, 16);
    return order ? order : (one->offset > other->offset) - (one->offset < other->offset);
}

/* Of two instances of one file the smaller number comes first, whatever the order of the row. */
static uint64_t pair_key(const clash_baseline *b, uint32_t a, uint32_t other)
{
    const int swapped = b->is_same && a > other;
    return (uint64_t)(swapped ? other : a) << 32 | (swapped ? a : other);
}

static int by_pair(const void *a, const void *b)
{
    const struct clash_known_pair *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return (one->known > other->known) - (one->known < other->known);
}

static int list_pairs(clash_baseline *b)
{
    b->pairs = calloc(b->count + 1, sizeof *b->pairs);
    if (!b->pairs)
        return complain_memory();
    for (size_t i = 0; i < b->count; i++)
        b->pairs[i] = (struct clash_known_pair){pair_key(b, b->known[i].a, b->known[i].b), i};
    qsort(b->pairs, b->count, sizeof *b->pairs, by_pair);
    return 0;
}

static int by_raw_id(const void *a, const void *b)
{
    const struct raw_issue *one = a, *other = b;
    const int order = memcmp(one->id, other->id, 16);
    return order ? order : (one->known > other->known) - (one->known < other->known);
}

/* Numbers the issues. Rows are still in the order of the file. */
static int list_issues(clash_baseline *b, reading *r)
{
    b->issues = malloc((r->issue_count + 1) * sizeof *b->issues);
    b->firsts = malloc((r->issue_count + 1) * sizeof *b->firsts);
    if (!b->issues || !b->firsts)
        return complain_memory();
    if (r->issue_count > 1)
        qsort(r->issues, r->issue_count, sizeof *r->issues, by_raw_id);
    for (size_t i = 0; i < r->issue_count; i++) {
        struct clash_known *known = &b->known[r->issues[i].known];
        if (i == 0 || memcmp(r->issues[i - 1].id, r->issues[i].id, 16) != 0) {
            memcpy(b->issues[b->issue_count], r->issues[i].id, 16);
            b->firsts[b->issue_count++] = known->offset;
        }
        known->issue = b->issue_count - 1;
    }
    return 0;
}

int clash_baseline_open(clash_baseline *b, const char *path, const clash_past_files *past,
                        int is_same)
{
    reading r = {.path = path, .number = 1};
    memset(b, 0, sizeof *b);
    b->past = past;
    b->is_same = is_same;
    int code = input_open(&b->file, path);
    for (size_t at = 0; code == 0 && at < b->file.size; r.number++) {
        const size_t end = line_end(&b->file, at);
        const char *line = (const char *)b->file.data + at;
        if (!is_blank(line, end - at))
            code = read_line(b, &r, at, end - at);
        at = end + 1;
    }
    growing_text_free(&r.scratch);
    if (code == 0 && r.issue_count >= BVP_NONE) {
        complain(path, "more rows than a baseline can have");
        code = EXIT_LIMIT;
    }
    code = code ? code : list_issues(b, &r);
    free(r.issues);
    if (b->count > 1)
        qsort(b->known, b->count, sizeof *b->known, by_id);
    return code == 0 && past ? list_pairs(b) : code;
}

void clash_baseline_close(clash_baseline *b)
{
    input_close(&b->file);
    free(b->known);
    free(b->pairs);
    free(b->issues);
    free(b->firsts);
    memset(b, 0, sizeof *b);
}

static struct clash_known *find(const clash_baseline *b, const uint8_t id[16])
{
    size_t low = 0, high = b->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (memcmp(b->known[middle].id, id, 16) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == high); /* ids before it are smaller, from it on they are not */
    return low < b->count && memcmp(b->known[low].id, id, 16) == 0 ? &b->known[low] : NULL;
}

/* The row of two instances of `past`, or NULL. */
static struct clash_known *find_pair(const clash_baseline *b, uint32_t a, uint32_t other)
{
    const uint64_t key = pair_key(b, a, other);
    size_t low = 0, high = b->count;
    if (a == BVP_NONE || other == BVP_NONE)
        return NULL;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (b->pairs[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == high);
    return low < b->count && b->pairs[low].key == key ? &b->known[b->pairs[low].known] : NULL;
}

int clash_baseline_meet(clash_baseline *b, uint32_t instance_a, uint32_t instance_b, uint8_t id[16],
                        clash_met *met)
{
    struct clash_known *known = b->past
                                    ? find_pair(b, clash_past_was(b->past, 0, instance_a),
                                                clash_past_was(b->past, !b->is_same, instance_b))
                                    : find(b, id);
    if (!known) {
        /* An earlier pair may keep the id that this one would have. */
        while (b->past && find(b, id))
            bvp_hash(id, 16, id);
        return 0;
    }
    memcpy(id, known->id, 16);
    known->seen = 1;
    *met = (clash_met){(bvp_verdict)known->verdict, known->issue};
    return 1;
}

/* A row that was not seen, and where its issue begins. */
typedef struct rest {
    uint64_t first;
    const struct clash_known *known;
} rest;

static int by_offset(const void *a, const void *b)
{
    const rest *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return (one->known->offset > other->known->offset) -
           (one->known->offset < other->known->offset);
}

/* Reads the row again, of which only what `known` has was kept. */
static int give_past(const clash_baseline *b, const struct clash_known *known,
                     clash_past_fn callback, void *user)
{
    const size_t end = line_end(&b->file, known->offset);
    json_fault fault;
    json_value *line =
        json_tree_open((const char *)b->file.data + known->offset, end - known->offset, &fault);
    clash_past past = {.id = text_or(line, "id", ""),
                       .a = text_or(line, "a", ""),
                       .b = text_or(line, "b", ""),
                       .part_a = text_or(line, "part_a", ""),
                       .part_b = text_or(line, "part_b", ""),
                       .verdict = text_or(line, "verdict", ""),
                       .group = text_or(line, "group", ""),
                       .place = text_or(line, "place", ""),
                       .issue = text_or(line, "issue", ""),
                       .issue_title = text_or(line, "issue_title", ""),
                       .issue_number = known->issue,
                       .known = (size_t)(known - b->known),
                       .instance_a = BVP_NONE,
                       .instance_b = BVP_NONE};
    if (b->past) {
        past.instance_a = clash_past_is(b->past, 0, known->a);
        past.instance_b = clash_past_is(b->past, !b->is_same, known->b);
    }
    json_tree_number(json_tree_get(line, "distance"), &past.distance);
    /* The file may have been written to since: then the line is another one, or none. */
    uint8_t id[16];
    const int is_there = read_id(past.id, id) == 0 && memcmp(id, known->id, 16) == 0;
    const int result = fault.is_memory ? complain_memory() : is_there ? callback(user, &past) : 0;
    json_tree_close(line);
    return result;
}

int clash_baseline_rest(const clash_baseline *b, clash_past_fn callback, void *user)
{
    rest *list = malloc((b->count + 1) * sizeof *list);
    size_t count = 0;
    int result = 0;
    if (!list)
        return complain_memory();
    /* Of rows with one id, which no report has, the first stands for all. */
    for (size_t i = 0; i < b->count; i++)
        if (!b->known[i].seen && (i == 0 || memcmp(b->known[i - 1].id, b->known[i].id, 16) != 0)) {
            const struct clash_known *known = &b->known[i];
            list[count++] =
                (rest){known->issue == BVP_NONE ? known->offset : b->firsts[known->issue], known};
        }
    qsort(list, count, sizeof *list, by_offset);
    for (size_t i = 0; i < count && result == 0; i++)
        result = give_past(b, list[i].known, callback, user);
    free(list);
    return result;
}

void clash_baseline_hide(clash_baseline *b, const clash_past *past)
{
    assert(past->known < b->count);
    b->known[past->known].seen = 1;
}
