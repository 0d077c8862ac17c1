/* SPDX-License-Identifier: MIT
 * clash_records.c: records of a clash run's files, and what they may say.
 *
 * A record is its kind, its size, a hash and its bytes. The hash tells what was cut off or damaged;
 * whoever forges a record can hash it, too, so every number that is read is checked.
 *
 * Of a pair's words most are zero, or as in the pair before, or can be computed: the box of the
 * witnesses. A pair in a pack is a mask of its other words, and these.
 */
#include "clash/clash_records.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct record {
    uint32_t kind, size;
    uint8_t hash[16];
} record;
_Static_assert(sizeof(record) == CLASH_RECORD_HEAD, "records have no padding");

int clash_record_put(FILE *stream, clash_record_kind kind, const void *data, uint32_t size)
{
    record r = {.kind = (uint32_t)kind, .size = size};
    assert(kind >= CLASH_RECORD_STATE && kind < CLASH_RECORD_END && size <= CLASH_RECORD_MAX);
    bvp_hash(data, size, r.hash);
    return fwrite(&r, sizeof r, 1, stream) != 1 || fwrite(data, 1, size, stream) != size;
}

clash_record_kind clash_record_get(FILE *stream, void *data, uint32_t capacity, uint32_t *size)
{
    record r;
    uint8_t hash[16];
    if (fread(&r, sizeof r, 1, stream) != 1 || r.size > capacity || r.kind < CLASH_RECORD_STATE ||
        r.kind >= CLASH_RECORD_END || fread(data, 1, r.size, stream) != r.size)
        return CLASH_RECORD_NONE;
    assert(r.size <= capacity);
    bvp_hash(data, r.size, hash);
    *size = r.size;
    return memcmp(hash, r.hash, 16) == 0 ? (clash_record_kind)r.kind : CLASH_RECORD_NONE;
}

/* ---- what records may say ------------------------------------------------------------------- */

static int are_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return 0;
    return 1;
}

/* All of its numbers come from a file. */
int clash_scope_takes(const clash_scope *scope, const bvp_clash_pair *p)
{
    const double *limits = &p->limits.clearance;
    return p->a < scope->count_a && p->b < scope->count_b && (!scope->is_same || p->a < p->b) &&
           (uint32_t)p->verdict > BVP_VERDICT_CLEAR && (uint32_t)p->verdict < BVP_VERDICT_COUNT &&
           limits[0] >= 0 && are_finite(limits, 1) && !(p->limits.touch_gap < 0) &&
           !(p->limits.overlap < 0) && p->distance >= 0 && p->lower >= 0 && p->depth >= 0 &&
           p->depth_upper >= 0 && are_finite(&p->distance, 4) && are_finite(p->point_a, 3) &&
           are_finite(p->point_b, 3) && are_finite(p->lo, 3) && are_finite(p->hi, 3);
}

/* Every pair whose boxes are near was excluded or has one verdict. A single count is compared with
 * the sum first, so that forged counts cannot wrap around to it. */
int clash_coverage_is_sound(const bvp_clash_coverage *c)
{
    uint64_t sum = c->excluded;
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        if (c->verdicts[v] > c->box_pairs)
            return 0;
        else
            sum += c->verdicts[v];
    return sum == c->box_pairs;
}

int clash_pair_is_after(const bvp_clash_pair *p, const bvp_clash_pair *before)
{
    return p->a != before->a ? p->a > before->a : p->b > before->b;
}

/* ---- packs ---------------------------------------------------------------------------------- */

enum { WORDS = sizeof(bvp_clash_pair) / 8, MASK = (WORDS + 7) / 8, PACKED_MAX = MASK + 8 * WORDS };
_Static_assert(sizeof(bvp_clash_pair) % 8 == 0 && WORDS <= 64, "a pair is a few whole words");

/* What the pair is expected to be: *out is the one before, changed. Only what has been set can be
 * computed from, so boxes are expected of a pair whose other words are right. */
static void expect(const bvp_clash_pair *last, bvp_clash_pair *out)
{
    memset(out, 0, sizeof *out);
    out->a = last->a;
    out->verdict = last->verdict;
    out->limits = last->limits;
}

static void expect_box(bvp_clash_pair *p)
{
    for (int k = 0; k < 3; k++) {
        p->lo[k] = p->point_a[k] < p->point_b[k] ? p->point_a[k] : p->point_b[k];
        p->hi[k] = p->point_a[k] < p->point_b[k] ? p->point_b[k] : p->point_a[k];
    }
}

void clash_pack_begin(clash_pack *pack)
{
    pack->size = 0;
    memset(&pack->last, 0, sizeof pack->last);
}

int clash_pack_add(clash_pack *pack, const bvp_clash_pair *pair)
{
    bvp_clash_pair expected;
    uint64_t is[WORDS], was[WORDS];
    if (pack->size > CLASH_RECORD_MAX - PACKED_MAX)
        return 1;
    expect(&pack->last, &expected);
    memcpy(expected.point_a, pair->point_a, sizeof expected.point_a);
    memcpy(expected.point_b, pair->point_b, sizeof expected.point_b);
    expect_box(&expected);
    memset(expected.point_a, 0, sizeof expected.point_a);
    memset(expected.point_b, 0, sizeof expected.point_b);
    memcpy(is, pair, sizeof is);
    memcpy(was, &expected, sizeof was);
    uint8_t *mask = pack->bytes + pack->size, *at = mask + MASK;
    memset(mask, 0, MASK);
    for (int w = 0; w < WORDS; w++) {
        if (is[w] == was[w])
            continue;
        mask[w / 8] |= (uint8_t)(1 << w % 8);
        memcpy(at, &is[w], 8);
        at += 8;
    }
    pack->size = (uint32_t)(at - pack->bytes);
    pack->last = *pair;
    return 0;
}

/* Reads the words of the mask from *at into the pair. The box of the witnesses is known once these
 * are. 0: there are too few. */
static int take_words(const uint8_t *mask, const uint8_t **at, const uint8_t *end,
                      bvp_clash_pair *pair)
{
    uint64_t words[WORDS];
    const int box = offsetof(bvp_clash_pair, lo) / 8;
    memcpy(words, pair, sizeof words);
    for (int w = 0; w < WORDS; w++) {
        if (w == box) {
            memcpy(pair, words, sizeof words);
            expect_box(pair);
            memcpy(words, pair, sizeof words);
        }
        if (!(mask[w / 8] >> w % 8 & 1))
            continue;
        if (end - *at < 8)
            return 0;
        memcpy(&words[w], *at, 8);
        *at += 8;
    }
    memcpy(pair, words, sizeof words);
    return 1;
}
_Static_assert(offsetof(bvp_clash_pair, lo) > offsetof(bvp_clash_pair, point_b),
               "the box is expected of the points in front of it");

int clash_pack_each(const uint8_t *bytes, uint32_t size, clash_pair_fn callback, void *user)
{
    const uint8_t *at = bytes, *end = bytes + size;
    bvp_clash_pair last = {.a = 0}, pair;
    int result = 0;
    memset(&last, 0, sizeof last);
    while (at < end && result == 0) {
        const uint8_t *mask = at;
        if (end - at < MASK)
            return -1;
        at += MASK;
        expect(&last, &pair);
        if (!take_words(mask, &at, end, &pair))
            return -1;
        result = callback(user, &pair);
        last = pair;
    }
    return result;
}
