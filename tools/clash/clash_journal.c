/* SPDX-License-Identifier: MIT
 * clash_journal.c: takes over what the last run found of pairs that are as they were.
 *
 * The answer for a pair depends on both parts' bytes, on both placements, on the limits, and on
 * which of the two comes first; the limits on the run's and on the rules. All that of one instance
 * is in its key. So a pair of two instances whose keys the last run had, in the same order, has the
 * same answer; and if the last run had none of it, it is clear. Instances with equal keys are at
 * the same place: each is the one of the last run that has the same rank among them.
 *
 * The file is in this machine's byte order, hashed as a whole, and checked like a state. Held by
 * tests/cli/test_clash_incremental.sh: changed assemblies, against runs that ask everything.
 */
#include "clash/clash_journal.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files/input.h"
#include "files/output.h"
#include "text/array.h"
#include "text/message.h"

typedef struct head {
    char magic[8];
    uint8_t hash[16]; /* of all behind it */
    uint8_t run[16];
    uint32_t pair_size, count_a, count_b, is_same;
    uint64_t pair_count;
} head;
static const char magic[8] = "BVPCLJ1";
enum { HASHED_FROM = 24 };

static int side_count(const clash_journal *j)
{
    return j->trees[0] == j->trees[1] ? 1 : 2;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static const clash_key unknown; /* nothing is equal to it */

static void make_key(const instance_tree *t, const clash_rules *rules, int side, uint32_t instance,
                     const clash_tolerance *tolerance, clash_key out)
{
    struct {
        double placement[12], tolerance;
        uint8_t address[16], rules[16];
    } all;
    bvp_instance_info at;
    bvp_part_identity part;
    memcpy(out, unknown, sizeof unknown);
    if (bvp_get_instance(t->file, instance, &at) != BVP_OK ||
        bvp_get_part_identity(t->file, at.part, &part) != BVP_OK ||
        memcmp(part.address, unknown, sizeof unknown) == 0 ||
        !clash_rules_key(rules, side, instance, all.rules))
        return;
    memcpy(all.placement, at.placement, sizeof all.placement);
    all.tolerance = clash_tolerance_of(tolerance, side, instance);
    memcpy(all.address, part.address, sizeof all.address);
    bvp_hash(&all, sizeof all, out);
}

static clash_key *make_keys(const instance_tree *t, const clash_rules *rules,
                            const clash_tolerance *tolerance, int side)
{
    clash_key *keys = malloc(((size_t)t->info.instance_count + 1) * sizeof *keys);
    for (uint32_t i = 0; keys && i < t->info.instance_count; i++)
        make_key(t, rules, side, i, tolerance, keys[i]);
    return keys;
}

/* ---- which instance it was ------------------------------------------------------------------ */

typedef struct keyed {
    clash_key key;
    uint32_t instance;
} keyed;

static int compare_keyed(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    const int c = memcmp(a->key, b->key, sizeof a->key);
    return c ? c : (a->instance > b->instance) - (a->instance < b->instance);
}

static keyed *sorted_keys(const clash_key *keys, uint32_t count)
{
    keyed *all = malloc(((size_t)count + 1) * sizeof *all);
    for (uint32_t i = 0; all && i < count; i++) {
        memcpy(all[i].key, keys[i], sizeof all[i].key);
        all[i].instance = i;
    }
    if (all)
        qsort(all, count, sizeof *all, compare_keyed);
    return all;
}

/* Equal keys are matched in the order of their instances. */
static int match(clash_journal *j, int side)
{
    const uint32_t count = j->trees[side]->info.instance_count;
    const uint32_t old_count = side ? j->old_scope.count_b : j->old_scope.count_a;
    keyed *now = sorted_keys(j->keys[side], count),
          *old = sorted_keys(j->old_keys[side], old_count);
    uint32_t *of = j->old_of[side] = malloc(((size_t)count + 1) * sizeof *of);
    const int code = now && old && of ? 0 : complain_memory();
    for (uint32_t i = 0, k = 0; i < count && code == 0; i++) {
        of[now[i].instance] = BVP_NONE;
        if (memcmp(now[i].key, unknown, sizeof unknown) == 0)
            continue;
        while (k < old_count && memcmp(old[k].key, now[i].key, sizeof now[i].key) < 0)
            k++;
        if (k < old_count && memcmp(old[k].key, now[i].key, sizeof now[i].key) == 0) {
            of[now[i].instance] = old[k++].instance;
            j->same_count++;
        }
    }
    free(now);
    free(old);
    return code;
}

/* ---- the file ------------------------------------------------------------------------------ */

static int refuse(const clash_journal *j, size_t at, const char *what)
{
    complain(j->path,
             "byte %zu: expected %s; name another file with --incremental, or remove this one: "
             "then all pairs are asked",
             at, what);
    return EXIT_INPUT;
}

/* Copies `size` bytes and goes on; NULL: no memory. */
static void *take(const uint8_t **from, size_t size)
{
    void *copy = malloc(size + 1);
    if (copy)
        memcpy(copy, *from, size);
    *from += size;
    return copy;
}

static int check_pairs(clash_journal *j, size_t at)
{
    for (size_t i = 0; i < j->old_count; i++) {
        const bvp_clash_pair *p = &j->old_pairs[i], *before = p - 1;
        if (!clash_scope_takes(&j->old_scope, p) || (i > 0 && !clash_pair_is_after(p, before)))
            return refuse(j, at + i * sizeof *p, "a pair as a clash run writes it");
    }
    j->old_first = calloc((size_t)j->old_scope.count_a + 2, sizeof *j->old_first);
    if (!j->old_first)
        return complain_memory();
    for (size_t i = 0; i < j->old_count; i++)
        j->old_first[j->old_pairs[i].a + 1]++;
    for (uint32_t a = 0; a < j->old_scope.count_a; a++)
        j->old_first[a + 1] += j->old_first[a];
    return 0;
}

static int read_old(clash_journal *j, const input *file)
{
    const uint8_t *at = (const uint8_t *)file->data;
    uint8_t hash[16];
    head h;
    if (file->size < sizeof h || memcmp(at, magic, sizeof magic) != 0)
        return refuse(j, 0, "the journal of a clash run");
    memcpy(&h, at, sizeof h);
    if (memcmp(h.run, j->run, sizeof h.run) != 0 || h.pair_size != sizeof(bvp_clash_pair)) {
        complain(j->path, "is of a run with other options; all pairs are asked");
        return 0;
    }
    const uint64_t keys = (uint64_t)h.count_a + (h.is_same ? 0 : h.count_b);
    const uint64_t key_bytes = keys * sizeof(clash_key);
    bvp_hash(at + HASHED_FROM, file->size - HASHED_FROM, hash);
    if (h.pair_count > file->size / sizeof(bvp_clash_pair) ||
        file->size != sizeof h + key_bytes + h.pair_count * sizeof(bvp_clash_pair))
        return refuse(j, file->size, "another size of the file");
    if (memcmp(hash, h.hash, sizeof hash) != 0)
        return refuse(j, 0, "bytes that fit their hash");
    if (h.is_same != (side_count(j) == 1) || (h.is_same && h.count_b != h.count_a))
        return refuse(j, HASHED_FROM, "a run of as many files");
    j->old_scope = (clash_scope){h.count_a, h.count_b, (int)h.is_same};
    j->old_count = h.pair_count;
    at += sizeof h;
    j->old_keys[0] = take(&at, h.count_a * sizeof(clash_key));
    if (!h.is_same)
        j->old_keys[1] = take(&at, h.count_b * sizeof(clash_key));
    j->old_pairs = take(&at, h.pair_count * sizeof(bvp_clash_pair));
    j->is_met = calloc(h.pair_count + 1, sizeof *j->is_met);
    if (!j->old_keys[0] || (!h.is_same && !j->old_keys[1]) || !j->old_pairs || !j->is_met)
        return complain_memory();
    int code = check_pairs(j, sizeof h + key_bytes);
    for (int side = 0; side < side_count(j) && code == 0; side++)
        code = match(j, side);
    if (code == 0 && side_count(j) == 1)
        j->old_of[1] = j->old_of[0];
    return code;
}

int clash_journal_open(clash_journal *j, const char *path, const uint8_t run[16],
                       const clash_rules *rules, const clash_tolerance *tolerance)
{
    input file;
    j->path = path;
    memcpy(j->run, run, sizeof j->run);
    for (int side = 0; side < 2; side++)
        j->trees[side] = rules->trees[side];
    j->reused_of = calloc((size_t)j->trees[0]->info.instance_count + 1, sizeof *j->reused_of);
    for (int side = 0; side < side_count(j); side++)
        j->keys[side] = make_keys(j->trees[side], rules, tolerance, side);
    if (!j->reused_of || !j->keys[0] || (side_count(j) == 2 && !j->keys[1]))
        return complain_memory();
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    int code = input_open(&file, path);
    if (code != 0)
        return code;
    code = read_old(j, &file);
    input_close(&file);
    return code;
}

int clash_journal_write(const clash_journal *j)
{
    head h = {.pair_size = sizeof(bvp_clash_pair),
              .count_a = j->trees[0]->info.instance_count,
              .count_b = j->trees[1]->info.instance_count,
              .is_same = side_count(j) == 1,
              .pair_count = j->count};
    const size_t key_bytes[2] = {h.count_a * sizeof(clash_key),
                                 h.is_same ? 0 : h.count_b * sizeof(clash_key)};
    const size_t size = sizeof h + key_bytes[0] + key_bytes[1] + j->count * sizeof *j->pairs;
    uint8_t *bytes = malloc(size), *at = bytes;
    output out;
    if (!bytes)
        return complain_memory();
    memcpy(h.magic, magic, sizeof magic);
    memcpy(h.run, j->run, sizeof h.run);
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    for (int side = 0; side < side_count(j); side++) {
        memcpy(at, j->keys[side], key_bytes[side]);
        at += key_bytes[side];
    }
    if (j->count > 0)
        memcpy(at, j->pairs, j->count * sizeof *j->pairs);
    bvp_hash(bytes + HASHED_FROM, size - HASHED_FROM, bytes + sizeof magic);
    int code = output_open(&out, j->path);
    for (size_t done = 0; code == 0 && done < size;) {
        const ssize_t wrote = write(out.fd, bytes + done, size - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            complain(j->path, "can't be written: %s", strerror(errno));
            output_discard(&out);
            code = EXIT_OUTPUT;
        } else {
            done += (size_t)wrote;
        }
    }
    free(bytes);
    return code ? code : output_commit(&out);
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* The old pair of these old instances; old_count: there was none, it was clear. */
static size_t find_old(const clash_journal *j, uint32_t a, uint32_t b)
{
    uint64_t low = j->old_first[a], high = j->old_first[a + 1];
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (j->old_pairs[middle].b < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < j->old_first[a + 1] && j->old_pairs[low].b == b ? low : j->old_count;
}

static int is_same_limits(const bvp_clash_limits *a, const bvp_clash_limits *b)
{
    return memcmp(&a->clearance, &b->clearance, sizeof a->clearance) == 0 &&
           memcmp(&a->touch_gap, &b->touch_gap, sizeof a->touch_gap) == 0 &&
           memcmp(&a->overlap, &b->overlap, sizeof a->overlap) == 0;
}

int clash_journal_meet(clash_journal *j, uint32_t a, uint32_t b, const bvp_clash_limits *limits)
{
    if (!j->old_of[0])
        return 0;
    const uint32_t old_a = j->old_of[0][a], old_b = j->old_of[1][b];
    if (old_a == BVP_NONE || old_b == BVP_NONE || (j->old_scope.is_same && old_a >= old_b))
        return 0;
    const size_t at = find_old(j, old_a, old_b);
    if (at < j->old_count && !is_same_limits(&j->old_pairs[at].limits, limits))
        return 0;
    if (at < j->old_count)
        atomic_store_explicit(&j->is_met[at], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&j->reused_of[a], 1, memory_order_relaxed);
    return 1;
}

int clash_journal_add(clash_journal *j, const bvp_clash_pair *pair)
{
    if (array_grow(&j->pairs, &j->capacity, j->count + 1, sizeof *j->pairs) != 0)
        return complain_memory();
    j->pairs[j->count++] = *pair;
    return 0;
}

static int compare_pairs(const void *x, const void *y)
{
    const bvp_clash_pair *a = x, *b = y;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* The triangle stays the part's; instance and part may have other numbers now. */
static void renumber(const instance_tree *t, uint32_t instance, bvp_hit_id *hit)
{
    bvp_instance_info info = {.part = BVP_NONE};
    bvp_get_instance(t->file, instance, &info);
    if (hit->instance != BVP_NONE)
        hit->instance = instance;
    if (hit->part != BVP_NONE)
        hit->part = info.part;
}

/* Each old instance: which one it is now. NULL: no memory. */
static uint32_t *now_of(const clash_journal *j, int side)
{
    const uint32_t old_count = side ? j->old_scope.count_b : j->old_scope.count_a;
    uint32_t *now = malloc(((size_t)old_count + 1) * sizeof *now);
    for (uint32_t i = 0; now && i < old_count; i++)
        now[i] = BVP_NONE;
    for (uint32_t i = 0; now && i < j->trees[side]->info.instance_count; i++)
        if (j->old_of[side][i] != BVP_NONE)
            now[j->old_of[side][i]] = i;
    return now;
}

int clash_journal_merge(clash_journal *j, uint32_t done, bvp_clash_coverage *coverage)
{
    int code = 0;
    uint64_t met = 0;
    if (!j->old_of[0])
        return 0;
    uint32_t *now[2] = {now_of(j, 0), now_of(j, 1)};
    if (!now[0] || !now[1])
        code = complain_memory();
    for (size_t i = 0; i < j->old_count && code == 0; i++) {
        bvp_clash_pair pair = j->old_pairs[i];
        const uint32_t a = now[0][pair.a], b = now[1][pair.b];
        if (!atomic_load_explicit(&j->is_met[i], memory_order_relaxed) || a >= done)
            continue;
        pair.a = a;
        pair.b = b;
        renumber(j->trees[0], a, &pair.hit_a);
        renumber(j->trees[1], b, &pair.hit_b);
        coverage->verdicts[pair.verdict]++;
        met++;
        code = clash_journal_add(j, &pair);
    }
    for (uint32_t a = 0; a < done && code == 0; a++)
        j->reused += atomic_load_explicit(&j->reused_of[a], memory_order_relaxed);
    coverage->excluded -= j->reused;
    coverage->verdicts[BVP_VERDICT_CLEAR] += j->reused - met;
    if (code == 0 && j->count > 0)
        qsort(j->pairs, j->count, sizeof *j->pairs, compare_pairs);
    free(now[0]);
    free(now[1]);
    return code;
}

void clash_journal_close(clash_journal *j)
{
    const int two = j->trees[0] != j->trees[1];
    for (int side = 0; side <= two; side++) {
        free(j->keys[side]);
        free(j->old_keys[side]);
        free(j->old_of[side]);
    }
    free(j->old_pairs);
    free(j->old_first);
    free(j->is_met);
    free(j->reused_of);
    free(j->pairs);
    memset(j, 0, sizeof *j);
}
