/* SPDX-License-Identifier: MIT
 * meter.h: how far a call under a bvp_control may still go.
 */
#ifndef BVPI_BASE_METER_H
#define BVPI_BASE_METER_H

#include "bvpack.h"

#include <stdbool.h>

/* Each walk has a bound: the most steps that a valid file needs. Under a control the walk gets the
 * steps of that bound in slices, and polls the control only when a slice is used up. A walk
 * without a control therefore pays nothing. Nested walks: the outer one returns its unused steps
 * before the inner one begins, so that each step counts once. */

/* Steps between two looks at the control: the slowest ones, pairs of leaves of which each pair of
 * triangles is decided by exact arithmetic, must add up to some milliseconds at most. */
enum { BVPI_METER_SLICE = 32 };

/* One call's, for all its walks; one thread's. */
typedef struct bvpi_meter {
    const bvp_control *control;
    uint64_t slice;   /* steps until the next look */
    uint64_t budget;  /* steps after these */
    uint64_t granted; /* steps in all slices so far */
    bool is_over;     /* stays so */
} bvpi_meter;

/* What a walk under a control may take beyond its slice. */
typedef struct bvpi_loan {
    bvpi_meter *meter;
    uint64_t lent;   /* the slice that the walk has */
    uint64_t beyond; /* of the walk's bound, not lent yet */
} bvpi_loan;

/* One walk's. */
typedef struct bvpi_steps {
    uint64_t left;   /* until the next slice */
    bvpi_loan *loan; /* or NULL: `left` is all there is */
} bvpi_steps;

/* Does the flag or the callback end the call? control may be NULL. */
bool bvpi_is_cancelled(const bvp_control *control);

/* Makes *meter ready; NULL when there is no control, and so nothing to meter. */
bvpi_meter *bvpi_meter_init(bvpi_meter *meter, const bvp_control *control);
/* A new slice. False: the call is over. */
bool bvpi_meter_look(bvpi_meter *meter);
/* Steps taken so far; meter may be NULL. */
uint64_t bvpi_meter_taken(const bvpi_meter *meter);

/* One step outside of a walk. False: the call is over. meter may be NULL. */
static inline bool bvpi_meter_step(bvpi_meter *meter)
{
    if (meter == NULL)
        return true;
    if (meter->slice == 0 && !bvpi_meter_look(meter))
        return false;
    meter->slice--;
    return true;
}

/* Why a walk came to an end that it should not have come to: the control, or else the file. */
static inline bvp_status bvpi_meter_blame(const bvpi_meter *meter)
{
    return meter != NULL && meter->is_over ? BVP_ERR_CANCELLED : BVP_ERR_CORRUPT;
}

/* A walk of at most `bound` steps. loan: the walk's own, for as long as it lasts; apart from
 * *steps, so that a compiler may keep that in registers. */
static inline void bvpi_steps_begin(bvpi_steps *steps, bvpi_loan *loan, bvpi_meter *meter,
                                    uint64_t bound)
{
    steps->left = bound;
    steps->loan = NULL;
    if (__builtin_expect(meter != NULL, 0)) {
        *loan = (bvpi_loan){.meter = meter, .beyond = bound};
        steps->left = 0;
        steps->loan = loan;
    }
}

/* The next slice; 0: the bound is reached, or the call is over. loan may be NULL. */
uint64_t bvpi_loan_more(bvpi_loan *loan);
/* Gives back what is left of the slice. */
void bvpi_loan_return(bvpi_loan *loan, uint64_t left);

/* False: the bound is reached, or the call is over: bvpi_meter_blame. */
static inline bool bvpi_steps_take(bvpi_steps *steps)
{
    if (__builtin_expect(steps->left == 0, 0)) {
        steps->left = bvpi_loan_more(steps->loan);
        if (steps->left == 0)
            return false;
    }
    steps->left--;
    return true;
}

/* At the end of a walk, or before another one that it waits for. */
static inline void bvpi_steps_pause(bvpi_steps *steps)
{
    if (__builtin_expect(steps->loan != NULL, 0)) {
        bvpi_loan_return(steps->loan, steps->left);
        steps->left = 0;
    }
}

static inline bvp_status bvpi_steps_blame(const bvpi_steps *steps)
{
    return bvpi_meter_blame(steps->loan != NULL ? steps->loan->meter : NULL);
}

/* Of the bound. */
static inline uint64_t bvpi_steps_left(const bvpi_steps *steps)
{
    return steps->left + (steps->loan != NULL ? steps->loan->beyond : 0);
}

#endif
