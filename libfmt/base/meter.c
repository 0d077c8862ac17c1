/* SPDX-License-Identifier: MIT
 * meter.c: charges the steps of walks to a call's budget, and polls its control, slice by slice.
 *
 * meter.h explains slices and loans. Invariant: granted = steps taken + slice, so that
 * bvpi_meter_taken() is exact at the end of a walk. The polling depends only on the number of
 * steps, so a budget ends a call at the same step on every machine.
 *
 * Held by tests/property/test_control.c.
 */
#include "base/meter.h"

#include <assert.h>

bool bvpi_is_cancelled(const bvp_control *control)
{
    if (control == NULL)
        return false;
    if (control->cancel != NULL && __atomic_load_n(control->cancel, __ATOMIC_RELAXED) != 0)
        return true;
    return control->callback != NULL && control->callback(control->user) != 0;
}

bvpi_meter *bvpi_meter_init(bvpi_meter *meter, const bvp_control *control)
{
    if (control == NULL)
        return NULL;
    *meter = (bvpi_meter){.control = control,
                          .budget = control->budget != 0 ? control->budget : UINT64_MAX};
    return meter;
}

bool bvpi_meter_look(bvpi_meter *meter)
{
    assert(meter->slice == 0); /* or the rest of it would count as taken */
    meter->is_over = meter->is_over || meter->budget == 0 || bvpi_is_cancelled(meter->control);
    if (meter->is_over)
        return false;
    meter->slice = meter->budget < BVPI_METER_SLICE ? meter->budget : BVPI_METER_SLICE;
    meter->budget -= meter->slice;
    meter->granted += meter->slice;
    return true;
}

uint64_t bvpi_meter_taken(const bvpi_meter *meter)
{
    assert(meter == NULL || meter->slice <= meter->granted);
    return meter != NULL ? meter->granted - meter->slice : 0;
}

/* If a nested walk ran before this one returned its steps, both drew on the same slice. The clamp
 * then counts the overlap once. */
void bvpi_loan_return(bvpi_loan *loan, uint64_t left)
{
    bvpi_meter *meter = loan->meter;
    assert(left <= loan->lent);
    const uint64_t used = loan->lent - left;
    meter->slice = used < meter->slice ? meter->slice - used : 0;
    loan->beyond += left;
    loan->lent = 0;
}

uint64_t bvpi_loan_more(bvpi_loan *loan)
{
    if (loan == NULL)
        return 0;
    bvpi_meter *meter = loan->meter;
    bvpi_loan_return(loan, 0);
    if (loan->beyond == 0 || (meter->slice == 0 && !bvpi_meter_look(meter)))
        return 0;
    loan->lent = loan->beyond < meter->slice ? loan->beyond : meter->slice;
    loan->beyond -= loan->lent;
    assert(loan->lent > 0 && loan->lent <= BVPI_METER_SLICE); /* a walk that goes on takes a step */
    return loan->lent;
}
