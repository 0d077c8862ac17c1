/* SPDX-License-Identifier: MIT
 * ray_turns_kernel.c: some rays of a batch take turns in a hierarchy for rays; compiled once per
 * instruction set.
 *
 * A turn is one node or one leaf; then what that ray needs next is prefetched, and the next ray has
 * its turn. So the loads and mispredictions of one ray are waited for while others go on. A ray
 * that ends hands its slot to the next one of the batch.
 *
 * Whatever is odd about a ray (numbers that floats in frames do not serve, damage, more children
 * waiting than a slot has room for) ends its walk, and admits no further ones: the caller asks that
 * ray alone.
 *
 * Slow twin: single rays, bit for bit, tests/property/test_ray_tree.c.
 * Measured: decisions.md, "Ray trees"
 */
#include "query/ray/ray_meshlet_batch.h"

enum {
    SLOTS = 8,
    SLOT_STACK = 96 /* children that wait; the trees of ordinary parts need a third */
};

/* A ray under way. */
typedef struct slot {
    bvpi_meshlet_ray ray;
    size_t idx; /* in the batch */
    uint32_t ref, opened;
    bvpi_ray_entry *top;
    bvpi_ray_entry waiting[SLOT_STACK];
} slot;

/* Where the batch is. */
typedef struct turns {
    const bvpi_ray_batch *batch;
    size_t next, end; /* rays to be admitted: `end` shrinks */
    bvpi_meshlet_judge judge;
    slot slots[SLOTS];
} turns;

/* The next ray of the batch into a slot. False: there is none. */
static bool admit(turns *t, slot *s)
{
    if (t->next >= t->end)
        return false;
    if (!bvpi_meshlet_ray_of(&s->ray, t->batch, t->next, &t->judge)) {
        t->end = t->next;
        return false;
    }
    if (t->judge.whose == &s->ray)
        t->judge.whose = NULL; /* the slot's ray before */
    s->idx = t->next++;
    s->ref = 0;
    s->opened = 0;
    s->top = s->waiting;
    return true;
}

static void answer(const bvpi_ray_batch *batch, const slot *s)
{
    batch->stats->nodes += s->opened;
    batch->stats->boxes += 8 * (uint64_t)s->opened;
    bvpi_meshlet_reply(batch, s->idx, &s->ray);
}

/* One node or leaf. False: the ray is at its end. *odd: it is not answered. */
BVPI_INLINE bool turn(slot *s, const bvpi_rays *rays, bool sorted, bool *odd)
{
    bvpi_meshlet_ray *w = &s->ray;
    uint32_t ref = s->ref;
    if (ref & BVPI_RAY_IS_LEAF) {
        if (bvpi_meshlet_meet(w, ref) != BVP_OK) {
            *odd = true;
            return false;
        }
        if (!sorted && w->found)
            return false;
        ref = BVPI_RAY_NONE;
    } else {
        const bvpi_frame_lanes lanes = bvpi_frame_spread(&w->frame);
        if (ref >= rays->node_count || s->top > s->waiting + SLOT_STACK - 8 ||
            s->opened == rays->node_count) {
            *odd = true;
            return false;
        }
        s->opened++;
        ref = bvpi_meshlet_node(rays, &lanes, w->limit, ref, sorted, &s->top);
    }
    if (ref == BVPI_RAY_NONE) {
        ref = bvpi_meshlet_pop(s->waiting, &s->top, w->limit);
        if (ref == BVPI_RAY_NONE) {
            *odd = bvpi_meshlet_settle(w) != BVP_OK;
            return false;
        }
    }
    s->ref = ref;
    bvpi_meshlet_fetch(rays, ref);
    return true;
}

BVPI_INLINE size_t take_turns(turns *t, bool sorted)
{
    const bvpi_rays *rays = &t->batch->placed->one.rays;
    slot *going[SLOTS];
    unsigned count = 0;
    size_t first_odd;
    while (count < SLOTS && admit(t, &t->slots[count])) {
        going[count] = &t->slots[count];
        count++;
    }
    first_odd = SIZE_MAX;
    while (count != 0)
        for (unsigned i = 0; i < count;) {
            bool odd = false;
            slot *s = going[i];
            if (turn(s, rays, sorted, &odd)) {
                i++;
                continue;
            }
            if (!odd) {
                answer(t->batch, s);
            } else {
                first_odd = s->idx < first_odd ? s->idx : first_odd;
                t->end = t->next;
            }
            if (!admit(t, s))
                going[i] = going[--count];
        }
    return first_odd < t->end ? first_odd : t->end;
}

static __attribute__((noinline)) size_t turns_first(turns *t)
{
    return take_turns(t, true);
}

static __attribute__((noinline)) size_t turns_any(turns *t)
{
    return take_turns(t, false);
}

static size_t run(const bvpi_ray_batch *batch, size_t from, size_t to)
{
    turns t;
    t.batch = batch;
    t.next = from;
    t.end = to;
    t.judge.whose = NULL;
    return batch->mode == BVPI_RAY_FIRST ? turns_first(&t) : turns_any(&t);
}

const bvpi_ray_turns_kernel BVPI_ISA_NAME(bvpi_ray_turns_kernel) = {run};
