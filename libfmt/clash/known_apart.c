/* SPDX-License-Identifier: MIT
 * known_apart.c: pairs that are apart whichever way one of them is turned around its axis.
 *
 * Four fifths of a plant's time go into bolts in their holes, which differ by how far they are
 * turned. So a pair is described by where the axis of one part (sweep.h) lies in the other's
 * coordinates: five numbers instead of six. What such poses have in common, within `room`, is asked
 * once: does the other part stay clear of all that the first one sweeps, by the limit and the room?
 * Then all pairs in such poses are farther apart than the limit.
 *
 * Only "apart" is known, and only where it is certain: so verdicts, witnesses and every number are
 * those of asking, whatever a thread happens to know. Thus threads may each have their own table,
 * and entries may be overwritten at any time.
 *
 * Parts must have been apart APART_BEFORE times before poses are looked at. Then a pose is learnt
 * when it is first seen, while such poses come again; of parts whose poses do not, only when it has
 * been seen some times, more often the more triangles there are. What does not come again costs
 * little.
 *
 * Slow twin: bvp_clash_one(), which knows nothing; tests/property/test_clash_sweep.c compares all.
 * Spec: exactness.md, chapter 12, "What need not be asked again"
 * Measured: decisions.md, "Bolts in their holes, asked once"
 */
#include "clash/known_apart.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "clash/sweep.h"

enum {
    PARTS = 2048, /* counters of pairs of parts */
    SETS = 512,
    WAYS = 4,
    APART_BEFORE = 4,
    TRIES_MOST = 32,        /* poses that were learnt, less those that came again */
    TRIANGLES_A_TIME = 512, /* beyond: a pose must come once more for so many triangles */
    TRIANGLES_KEPT = 2048,  /* nothing is learnt of parts with more */
    PARTS_KEPT = 8
};

/* Shares of the room: how wrong a pose may be, and how far two may differ that are taken for one.
 */
#define ERR 0x1p-5
#define FAR (1 - 3 * ERR)

typedef enum knowledge { SEEN, IS_APART, CANNOT_TELL } knowledge;

typedef struct entry {
    uint32_t round, other; /* parts */
    uint8_t files;         /* bit 0: round is of the second file; bit 1: other; bit 2: in use */
    uint8_t state;
    uint16_t times;
    double limit, room, centre[3], axis[3];
} entry;

/* A part's triangles, decoded. */
typedef struct decoded {
    uint32_t count, part;
    const bvp_file *file; /* NULL: none */
    float tris[9 * TRIANGLES_KEPT];
} decoded;

/* Several pairs of parts may share one. */
typedef struct counter {
    uint8_t apart; /* how often they were apart, up to APART_BEFORE */
    uint8_t tries; /* up to TRIES_MOST */
} counter;

struct bvpi_known_apart {
    uint64_t hits; /* questions that need not be asked */
    counter counters[PARTS];
    uint8_t next[SETS]; /* the way that is overwritten next */
    entry entries[SETS][WAYS];
    decoded parts[PARTS_KEPT];
};

bvpi_known_apart *bvpi_known_apart_new(void)
{
    return calloc(1, sizeof(bvpi_known_apart));
}

uint64_t bvpi_known_apart_hits(const bvpi_known_apart *known)
{
    return known->hits;
}

/* ---- poses ----------------------------------------------------------------------------------- */

/* Stretches nothing by more than 2^-30. */
static bool is_rigid(const bvpi_placement *placement)
{
    return placement->size_min >= 1 - 0x1p-30 && placement->size_max <= 1 + 0x1p-30;
}

static uint8_t files_of(const bvpi_clash_judge *judge, const bvpi_apart_case *it)
{
    return (uint8_t)((it->round == judge->b) | (it->other == judge->b) << 1 | 4);
}

static counter *counter_of(const bvpi_clash_judge *judge)
{
    const uint32_t a = judge->a->part.part_idx, b = judge->b->part.part_idx;
    const uint32_t mixed = (a < b ? a : b) * UINT32_C(0x9E3779B1) + (a < b ? b : a);
    return &judge->known->counters[(mixed * UINT32_C(0x85EBCA77)) >> 21];
}

/* The part that sweeps less: a bolt in a flange. False: neither has an axis. */
static bool choose_round(const bvpi_clash_judge *judge, bvpi_apart_case *out)
{
    const bvpi_sweep *a, *b;
    if (bvpi_sweep_get(judge->a->sweeps, judge->a->part.part_idx, &a) != BVP_OK ||
        bvpi_sweep_get(judge->b->sweeps, judge->b->part.part_idx, &b) != BVP_OK)
        return false; /* whoever asks will find out */
    const bool is_a = a->is_round && (!b->is_round || a->volume < b->volume);
    out->round = is_a ? judge->a : judge->b;
    out->other = is_a ? judge->b : judge->a;
    out->sweep = is_a ? a : b;
    return out->sweep->is_round;
}

/* Where the sweep is in the other part's coordinates, and by how much that may be wrong. */
static void place_sweep(const bvpi_placement *round, const bvpi_placement *other,
                        bvpi_apart_case *out)
{
    const bvpi_sweep *sweep = out->sweep;
    double world[3], way[3], err[3], way_err[3], terms = 0;
    for (int i = 0; i < 3; i++) {
        const double *row = round->m + 4 * i;
        world[i] = bvpi_dot(row, sweep->centre) + row[3];
        way[i] = bvpi_dot(row, sweep->axis);
        terms += fabs(row[3]);
        for (int k = 0; k < 3; k++)
            terms += fabs(row[k] * sweep->centre[k]);
    }
    bvpi_placement_point_to_part(other, world, out->centre, err);
    bvpi_placement_vector_to_part(other, way, out->axis, way_err);
    const double size = sweep->half + sweep->radius;
    out->err = terms * 0x1p-49 + err[0] + err[1] + err[2] +
               size * (way_err[0] + way_err[1] + way_err[2] + 0x1p-24); /* and not quite rigid */
}

/* ---- the table ------------------------------------------------------------------------------- */

/* No point of a sweep moves farther, but for a turn around its axis. */
static double way_between(const entry *e, const bvpi_apart_case *it)
{
    double off[3], turn[3];
    bvpi_subtract(e->centre, it->centre, off);
    bvpi_subtract(e->axis, it->axis, turn);
    const double size = it->sweep->half + it->sweep->radius;
    return (sqrt(bvpi_dot(off, off)) + size * sqrt(bvpi_dot(turn, turn))) * BVPI_ROUND_UP;
}

/* The set of a pose: cells much wider than the room, so that equal poses mostly share one. */
static uint32_t set_of(const bvpi_clash_judge *judge, const bvpi_apart_case *it)
{
    const double size = it->sweep->half + it->sweep->radius, cells = 1 / (16 * it->room);
    uint64_t h = files_of(judge, it);
    h = (h << 32 | it->round->part.part_idx) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32 ^ it->other->part.part_idx) * UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < 3; i++) {
        const double at[2] = {floor(it->centre[i] * cells), floor(it->axis[i] * size * cells + .5)};
        for (int k = 0; k < 2; k++) {
            uint64_t bits;
            const double cell = at[k] + 0.0; /* one zero */
            memcpy(&bits, &cell, sizeof bits);
            h = (h ^ h >> 29 ^ bits) * UINT64_C(0xBF58476D1CE4E5B9);
        }
    }
    return (uint32_t)(h >> 40) % SETS;
}

/* The entry of poses that differ from this one by no more than FAR, or NULL. */
static entry *find(const bvpi_clash_judge *judge, const bvpi_apart_case *it, uint32_t set)
{
    const uint8_t files = files_of(judge, it);
    for (int way = 0; way < WAYS; way++) {
        entry *e = &judge->known->entries[set][way];
        if (e->files == files && e->round == it->round->part.part_idx &&
            e->other == it->other->part.part_idx && e->limit == it->limit &&
            it->err <= ERR * e->room && way_between(e, it) <= FAR * e->room)
            return e;
    }
    return NULL;
}

static bvp_status decode(bvpi_known_apart *known, const bvpi_clash_item *item, const decoded **out)
{
    const uint32_t part = item->part.part_idx;
    decoded *d = &known->parts[part * UINT32_C(0x9E3779B1) >> 29];
    uint64_t count;
    assert(item->part.part.triangle_count <= TRIANGLES_KEPT);
    *out = d;
    if (d->file == item->file && d->part == part)
        return BVP_OK;
    const bvp_status status =
        bvp_get_triangles(item->file, part, (bvp_range){0, TRIANGLES_KEPT}, d->tris, NULL, &count);
    d->file = status == BVP_OK ? item->file : NULL;
    d->part = part;
    d->count = (uint32_t)count;
    return status;
}

bool bvpi_is_known_apart(const bvpi_clash_judge *judge, double limit, double room,
                         bvpi_apart_case *out)
{
    const bvpi_placed_part *a = &judge->query.bodies.a.one, *b = &judge->query.bodies.b.one;
    out->is_usable = false;
    if (judge->known == NULL || !(room > 0) || counter_of(judge)->apart < APART_BEFORE ||
        !is_rigid(&a->at.placement) || !is_rigid(&b->at.placement) || !choose_round(judge, out))
        return false;
    const bool is_a = out->round == judge->a;
    place_sweep(&(is_a ? a : b)->at.placement, &(is_a ? b : a)->at.placement, out);
    if (!(out->err <= ERR * room))
        return false;
    if (out->other->part.part.triangle_count > TRIANGLES_KEPT)
        return false;
    out->limit = limit;
    out->room = room;
    out->is_usable = true;
    const entry *e = find(judge, out, set_of(judge, out));
    if (e == NULL || e->state != IS_APART)
        return false;
    counter *c = counter_of(judge);
    c->tries -= c->tries > 0;
    judge->known->hits++;
    return true;
}

bvp_status bvpi_learn_apart(const bvpi_clash_judge *judge, const bvpi_apart_case *it)
{
    if (judge->known == NULL)
        return BVP_OK;
    counter *c = counter_of(judge);
    if (!it->is_usable) {
        c->apart += c->apart < APART_BEFORE;
        return BVP_OK;
    }
    const uint32_t set = set_of(judge, it);
    entry *e = find(judge, it, set);
    if (e == NULL) {
        e = &judge->known->entries[set][judge->known->next[set]++ % WAYS];
        *e = (entry){.round = it->round->part.part_idx,
                     .other = it->other->part.part_idx,
                     .files = files_of(judge, it),
                     .state = SEEN,
                     .limit = it->limit,
                     .room = it->room};
        memcpy(e->centre, it->centre, sizeof e->centre);
        memcpy(e->axis, it->axis, sizeof e->axis);
    }
    const bool is_late = c->tries == TRIES_MOST;
    if (e->state != SEEN ||
        (is_late && e->times++ < 1 + it->other->part.part.triangle_count / TRIANGLES_A_TIME))
        return BVP_OK;
    c->tries += !is_late;
    /* The entry's pose may be wrong by ERR of the room, another's too, and they differ by FAR. */
    bvpi_placed_sweep placed = {.sweep = it->sweep};
    const double size = sqrt(bvpi_dot(e->axis, e->axis));
    const decoded *other;
    const bvp_status status = decode(judge->known, it->other, &other);
    if (status != BVP_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        placed.centre[i] = e->centre[i];
        placed.axis[i] = e->axis[i] / size;
    }
    const double margin = (e->limit + e->room) * (1 + 0x1p-20);
    e->state =
        bvpi_sweep_is_clear(&placed, margin, other->tris, other->count) ? IS_APART : CANNOT_TELL;
    return BVP_OK;
}
