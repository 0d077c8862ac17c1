/* SPDX-License-Identifier: MIT
 * test_clash_share.c: shares of a clash run give back the pairs that were put in, bit by bit and in
 * the order of one run; what is cut, damaged or forged, with hashes that fit, is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "build_case.h"
#include "clash/clash_share.h"
#include "text/message.h"
#include "suite.h"
#include "cli/verb.h"

enum { COUNT_A = 1000, COUNT_B = 5000, SHARES = 3, RULES = 2, PAIRS_MOST = 33000 };

static char folder[] = "/tmp/test_clash_share.XXXXXX";
static char paths[SHARES][64];

/* Ranges of ten instances go round. */
static clash_share_head head_of(uint32_t index)
{
    clash_share_head h;
    memset(&h, 0, sizeof h);
    snprintf(h.version, sizeof h.version, "%s", bvp_version());
    h.a[0] = h.options[3] = 7;
    h.count_a = COUNT_A;
    h.count_b = COUNT_B;
    h.rule_count = RULES;
    h.index = index;
    h.count = SHARES;
    for (uint32_t r = 0; r < BVP_CLASH_SHARE_RANGES; r++) {
        const uint32_t first = 10 * (SHARES * r + index - 1);
        h.ranges[h.range_count++] = (bvp_clash_range){first, first + 10};
    }
    h.ranges[h.range_count - 1].end = index == SHARES ? COUNT_A : h.ranges[15].end;
    return h;
}

static double number(uint64_t *seed)
{
    return case_random(seed) % 3 == 0 ? 0 : ldexp(case_uniform(seed) + .5, (int)(*seed % 40) - 20);
}

/* Any pair that a run might find; some as the one before, some with the box of their witnesses. */
static bvp_clash_pair pair_of(uint64_t *seed, uint32_t a, uint32_t b)
{
    bvp_clash_pair p;
    double *numbers = &p.distance;
    memset(&p, 0, sizeof p);
    p.a = a;
    p.b = b;
    p.verdict = (bvp_verdict)(1 + case_random(seed) % (BVP_VERDICT_COUNT - 1));
    if (case_random(seed) % 4 == 0)
        p.limits = (bvp_clash_limits){number(seed), number(seed), NAN};
    for (int i = 0; i < 4; i++)
        numbers[i] = number(seed);
    for (int k = 0; k < 3; k++) {
        p.point_a[k] = -number(seed); /* -0, too */
        p.point_b[k] = number(seed);
        p.lo[k] = fmin(p.point_a[k], p.point_b[k]);
        p.hi[k] = fmax(p.point_a[k], p.point_b[k]);
        if (case_random(seed) % 9 == 0)
            p.hi[k] += number(seed);
    }
    p.hit_a = (bvp_hit_id){a, (uint32_t)case_random(seed), case_random(seed), 3};
    p.hit_b = (bvp_hit_id){BVP_NONE, BVP_NONE, case_random(seed) % 100, 3};
    p.triangle_pairs = case_random(seed) % 5;
    return p;
}

typedef struct list {
    bvp_clash_pair pairs[PAIRS_MOST];
    uint32_t count;
    const clash_share_head *only; /* pairs of its ranges; or NULL */
} list;

static list all, got;

static void make_pairs(uint64_t seed, uint32_t most)
{
    all.count = 0;
    for (uint32_t a = 0; a < COUNT_A; a++)
        for (uint32_t b = (uint32_t)(case_random(&seed) % 60); b < COUNT_B && all.count < most;
             b += 1 + (uint32_t)(case_random(&seed) % 300))
            all.pairs[all.count++] = pair_of(&seed, a, b);
}

static int is_in(const clash_share_head *h, uint32_t a)
{
    for (uint32_t r = 0; r < h->range_count; r++)
        if (a >= h->ranges[r].first && a < h->ranges[r].end)
            return 1;
    return 0;
}

static bvp_clash_coverage coverage_of(const clash_share_head *h)
{
    bvp_clash_coverage c = {.box_pairs = 100, .excluded = 60, .verdicts[BVP_VERDICT_CLEAR] = 40};
    for (uint32_t i = 0; i < all.count; i++)
        if (is_in(h, all.pairs[i].a)) {
            c.box_pairs++;
            c.verdicts[all.pairs[i].verdict]++;
        }
    return c;
}

static void write_share(uint32_t index)
{
    const clash_share_head h = head_of(index);
    const bvp_clash_coverage c = coverage_of(&h);
    const uint64_t uses[RULES] = {index, 10};
    clash_share_output o = {.path = NULL};
    ck_assert_int_eq(clash_share_begin(&o, paths[index - 1], &h), 0);
    for (uint32_t i = 0; i < all.count; i++)
        if (is_in(&h, all.pairs[i].a))
            ck_assert_int_eq(clash_share_add(&o, &all.pairs[i]), 0);
    ck_assert_int_eq(access(paths[index - 1], F_OK), -1); /* not before it is complete */
    ck_assert_int_eq(clash_share_end(&o, &c, uses), 0);
    clash_share_discard(&o);
}

static int take(void *user, const bvp_clash_pair *pair)
{
    list *l = user;
    ck_assert_uint_lt(l->count, PAIRS_MOST);
    l->pairs[l->count++] = *pair;
    return 0;
}

/* Opens the shares in an order of its own; the exit code. */
static int open_all(clash_shares *s, int turn)
{
    char *names[SHARES];
    clash_share_head run = head_of(1);
    for (int i = 0; i < SHARES; i++)
        names[i] = paths[(i + turn) % SHARES];
    memset(s, 0, sizeof *s);
    return clash_shares_open(s, names, SHARES, &run);
}

static void remove_all(void)
{
    for (int i = 0; i < SHARES; i++)
        unlink(paths[i]);
}

START_TEST(come_back)
{
    const uint32_t most[] = {0, 1, 300, PAIRS_MOST};
    for (int turn = 0; turn < 4; turn++) {
        clash_shares s;
        remove_all();
        make_pairs(case_seed() + (uint64_t)turn, most[turn]);
        for (uint32_t i = SHARES; i > 0; i--)
            write_share(i);
        ck_assert_int_eq(open_all(&s, turn), 0);
        ck_assert_uint_eq(s.coverage.box_pairs, SHARES * 100 + all.count);
        ck_assert_uint_eq(s.coverage.excluded, SHARES * 60);
        ck_assert(s.uses[0] == 1 + 2 + 3 && s.uses[1] == 30);
        got.count = 0;
        ck_assert_int_eq(clash_shares_each(&s, take, &got), 0);
        ck_assert_uint_eq(got.count, all.count);
        ck_assert_mem_eq(got.pairs, all.pairs, all.count * sizeof *all.pairs);
        clash_shares_close(&s);
    }
    ck_assert_uint_eq(all.count, PAIRS_MOST); /* packs were full */
    remove_all();
}
END_TEST

/* ---- forged: the hashes fit ----------------------------------------------------------------- */

/* Writes the second share anew, of these pairs. */
static void forge(const clash_share_head *h, const bvp_clash_pair *pairs, uint32_t count,
                  const clash_mark *mark)
{
    clash_pack pack = {.bytes = malloc(CLASH_RECORD_MAX)};
    FILE *file = fopen(paths[1], "wb");
    clash_share_head own = *h;
    struct {
        clash_mark mark;
        uint64_t uses[RULES];
    } end = {*mark, {0, 0}};
    uint32_t range = 0;
    memcpy(own.magic, CLASH_SHARE_MAGIC, sizeof CLASH_SHARE_MAGIC);
    own.byte_order = own.byte_order ? own.byte_order : 0x01020304;
    own.pair_size = own.pair_size ? own.pair_size : sizeof *pairs;
    ck_assert_int_eq(clash_record_put(file, CLASH_RECORD_SHARE, &own, sizeof own), 0);
    clash_pack_begin(&pack);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t before = range;
        while (range < 15 && pairs[i].a >= h->ranges[range].end)
            range++;
        if (range != before && pack.size > 0) {
            clash_record_put(file, CLASH_RECORD_PAIRS, pack.bytes, pack.size);
            clash_pack_begin(&pack);
        }
        ck_assert_int_eq(clash_pack_add(&pack, &pairs[i]), 0);
    }
    if (pack.size > 0)
        clash_record_put(file, CLASH_RECORD_PAIRS, pack.bytes, pack.size);
    clash_record_put(file, CLASH_RECORD_MARK, &end, sizeof end);
    fclose(file);
    free(pack.bytes);
}

static int code_of_forged(const clash_share_head *h, const clash_mark *mark)
{
    clash_shares s;
    forge(h, got.pairs, got.count, mark);
    const int code = open_all(&s, 0);
    clash_shares_close(&s);
    return code;
}

START_TEST(forged_heads_and_marks)
{
    const clash_share_head right = head_of(2);
    remove_all();
    make_pairs(case_seed() + 9, 400);
    for (uint32_t i = 1; i <= SHARES; i++)
        write_share(i);
    got.count = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (is_in(&right, all.pairs[i].a))
            take(&got, &all.pairs[i]);
    const clash_mark end = {COUNT_A, COUNT_A, coverage_of(&right), got.count};
    clash_share_head h = right;
    clash_mark m = end;
    ck_assert_int_eq(code_of_forged(&h, &m), 0);
#define HEAD(what, code)                                                                           \
    h = right;                                                                                     \
    h.what;                                                                                        \
    ck_assert_msg(code_of_forged(&h, &end) == (code), #what)
    HEAD(byte_order = 0x04030201, EXIT_INPUT);
    HEAD(pair_size = 8, EXIT_INPUT);
    HEAD(version[0] = '9', EXIT_INPUT);
    HEAD(a[5] = 1, EXIT_INPUT);
    HEAD(b[5] = 1, EXIT_INPUT);
    HEAD(options[5] = 1, EXIT_INPUT);
    HEAD(rule_count = 1, EXIT_INPUT);
    HEAD(count_a = 99, EXIT_CORRUPT);
    HEAD(is_same = 1, EXIT_CORRUPT);
    HEAD(index = 0, EXIT_CORRUPT);
    HEAD(index = 4, EXIT_CORRUPT);
    HEAD(index = 1, EXIT_USAGE);
    HEAD(count = 4, EXIT_INPUT);
    HEAD(count = SHARD_MAX + 1, EXIT_CORRUPT);
    HEAD(range_count = 15, EXIT_CORRUPT); /* a hole, or pairs behind the last range */
    HEAD(range_count = 17, EXIT_CORRUPT);
    HEAD(range_count = UINT32_MAX, EXIT_CORRUPT);
    HEAD(ranges[0].first = 15, EXIT_CORRUPT);
    HEAD(ranges[0].end = 10, EXIT_CORRUPT);
    HEAD(ranges[3].end = 500, EXIT_CORRUPT);
    HEAD(ranges[15].end = COUNT_A + 1, EXIT_CORRUPT);
    HEAD(ranges[15].end++, EXIT_CORRUPT); /* an instance of two shares */
    memset(h.version, 'x', sizeof h.version);
    ck_assert_int_eq(code_of_forged(&h, &end), EXIT_CORRUPT);
#define MARK(what)                                                                                 \
    m = end;                                                                                       \
    m.what;                                                                                        \
    ck_assert_msg(code_of_forged(&right, &m) == EXIT_CORRUPT, #what)
    MARK(done = COUNT_A - 1);
    MARK(total = COUNT_A + 1);
    MARK(row_count++);
    MARK(coverage.box_pairs++);
    MARK(coverage.excluded = UINT64_MAX);
    MARK(coverage.verdicts[BVP_VERDICT_TOUCHING]++);
    MARK(coverage.verdicts[BVP_VERDICT_CLEAR]--);
    m = end; /* sums of all shares would wrap around */
    m.coverage.box_pairs += UINT64_MAX - m.coverage.box_pairs - 5;
    m.coverage.excluded += m.coverage.box_pairs - end.coverage.box_pairs;
    ck_assert_int_eq(code_of_forged(&right, &m), EXIT_CORRUPT);
    remove_all();
}
END_TEST

START_TEST(forged_pairs)
{
    const clash_share_head right = head_of(2);
    remove_all();
    make_pairs(case_seed() + 10, 400);
    write_share(1);
    write_share(3);
    got.count = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (is_in(&right, all.pairs[i].a))
            take(&got, &all.pairs[i]);
    ck_assert_uint_gt(got.count, 50);
    const clash_mark end = {COUNT_A, COUNT_A, coverage_of(&right), got.count};
    bvp_clash_pair *p = &got.pairs[20];
    const bvp_clash_pair kept = *p;
    ck_assert_int_eq(code_of_forged(&right, &end), 0);
#define PAIR(what)                                                                                 \
    p->what;                                                                                       \
    ck_assert_msg(code_of_forged(&right, &end) == EXIT_CORRUPT, #what);                            \
    *p = kept
    PAIR(a = 0);
    PAIR(a = p[1].a == p->a ? 999 : p[1].a + 500);
    PAIR(a = COUNT_A);
    PAIR(b = COUNT_B);
    PAIR(b = UINT32_MAX);
    PAIR(verdict = 0);
    PAIR(verdict = (bvp_verdict)BVP_VERDICT_COUNT);
    PAIR(distance = NAN);
    PAIR(depth = -1);
    PAIR(point_a[2] = INFINITY);
    PAIR(limits.clearance = NAN);
    *p = p[1]; /* twice */
    p->verdict = kept.verdict;
    ck_assert_int_eq(code_of_forged(&right, &end), EXIT_CORRUPT);
    remove_all();
}
END_TEST

/* ---- cut and damaged ------------------------------------------------------------------------ */

START_TEST(cut_and_damaged)
{
    uint64_t seed = case_seed() + 11;
    static uint8_t bytes[1 << 20];
    remove_all();
    make_pairs(seed, 900);
    for (uint32_t i = 1; i <= SHARES; i++)
        write_share(i);
    FILE *file = fopen(paths[1], "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert(size > 1000 && size < sizeof bytes);
    for (int round = 0; round < 300; round++) {
        clash_shares s;
        const size_t at = case_random(&seed) % size;
        const int is_cut = round % 2;
        bytes[at] ^= is_cut ? 0 : 0x20;
        file = fopen(paths[1], "wb");
        fwrite(bytes, 1, is_cut ? at : size, file);
        fclose(file);
        bytes[at] ^= is_cut ? 0 : 0x20;
        ck_assert_int_eq(open_all(&s, round), EXIT_CORRUPT);
        clash_shares_close(&s);
    }
    /* and after it was checked */
    clash_shares s;
    file = fopen(paths[1], "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
    ck_assert_int_eq(open_all(&s, 0), 0);
    ck_assert_int_eq(truncate(paths[1], (off_t)size / 2), 0);
    got.count = 0;
    ck_assert_int_eq(clash_shares_each(&s, take, &got), EXIT_CORRUPT);
    ck_assert_uint_lt(got.count, all.count);
    unlink(paths[1]);
    ck_assert_int_eq(clash_shares_each(&s, take, &got), EXIT_INPUT);
    clash_shares_close(&s);
    remove_all();
}
END_TEST

static int count_pair(void *user, const bvp_clash_pair *pair)
{
    (void)pair;
    ++*(uint32_t *)user;
    return 0;
}

/* Whoever forges a pack can hash it: no bytes take the reader out of them. */
START_TEST(any_bytes_as_a_pack)
{
    uint64_t seed = case_seed() + 12;
    uint32_t right = 0, wrong = 0;
    for (int round = 0; round < 3000; round++) {
        const uint32_t size = (uint32_t)(case_random(&seed) % 300);
        uint8_t *bytes =
            malloc(size ? size : 1); /* of this size, for those that look at addresses */
        uint32_t count = 0;
        for (uint32_t i = 0; i < size; i++)
            bytes[i] = case_random(&seed) % 3 == 0 ? (uint8_t)case_random(&seed) : 0;
        const int code = clash_pack_each(bytes, size, count_pair, &count);
        ck_assert(code == 0 || code == -1);
        ck_assert_uint_le(count, size / 4);
        *(code == 0 ? &right : &wrong) += 1;
        free(bytes);
    }
    ck_assert(right > 10 && wrong > 10);
}
END_TEST

SUITE(test_clash_share)
{
    const TTest *const list[] = {come_back,       forged_heads_and_marks, forged_pairs,
                                 cut_and_damaged, any_bytes_as_a_pack,    NULL};
    if (!mkdtemp(folder))
        return 99;
    for (int i = 0; i < SHARES; i++)
        snprintf(paths[i], sizeof paths[i], "%s/share%d", folder, i + 1);
    const int failed = suite_run("clash_share", list);
    rmdir(folder);
    return failed;
}
