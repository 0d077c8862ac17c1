/* SPDX-License-Identifier: MIT
 * test_refit_volume.c: the payload that refit_volume.h computes three axes at a time is, to the
 * byte, the one of the plain functions, and its volume is what readers decode.
 */
#include "prim_suite.h"
#include "refit/refit_volume.h"
#include "tri_cases.h"

/* The plain twin. */
static bvpi_oriented plain_around(const bvpi_oriented *frame, const bvpi_range *range,
                                  const bvpi_oriented *parent, bool rss, double slack,
                                  uint8_t payload[BVPI_ORIENTED_PAYLOAD])
{
    double middle[3], half[3], at[3];
    bvpi_range_middle(range, middle, half);
    const double radius = half[2];
    bvpi_oriented_local(frame, parent->centre, at);
    for (int k = 0; k < 3; k++)
        middle[k] -= at[k];
    bvpi_centre_encode(frame, middle, parent->reach, payload);
    bvpi_oriented out = *frame;
    bvpi_oriented_centre(parent, payload, out.centre);
    bvpi_oriented_local(frame, out.centre, at);
    for (int k = 0; k < 3; k++)
        half[k] = fmax(range->hi[k] - at[k], at[k] - range->lo[k]) + slack;
    if (rss)
        half[2] = radius + fabs((range->lo[2] + range->hi[2]) / 2 - at[2]) + slack;
    for (int k = 0; k < 3; k++)
        payload[10 + k] = bvpi_size_code_over(half[k], parent->reach);
    bvpi_oriented_sizes(parent, payload, &out);
    return out;
}

/* Lengths of all orders, also such as sizes have exactly, and just below and above. */
static double random_length(double reach)
{
    const double share = (16 + case_int(16)) * ldexp(1, -case_int(26));
    switch (case_int(4)) {
    case 0:
        return 0;
    case 1:
        return share * reach;
    case 2:
        return nextafter(share * reach, case_int(2) ? 0 : (double)INFINITY);
    default:
        return fabs(case_unit()) * share * reach;
    }
}

START_TEST(payloads)
{
    int beyond = 0;
    case_seed(24);
    for (int n = 0; n < 200000; n++) {
        uint8_t own[BVPI_ORIENTED_PAYLOAD], plain[BVPI_ORIENTED_PAYLOAD];
        bvpi_oriented frame = {.reach = 0}, parent;
        bvpi_range range;
        const uint32_t rotation = (uint32_t)case_random();
        const bool rss = case_int(2) != 0;
        const double scale = ldexp(1, case_int(40) - 20);
        memcpy(own, &rotation, sizeof rotation);
        memcpy(plain, own, sizeof rotation);
        bvpi_rotation_axes(rotation, frame.axis);
        for (int k = 0; k < 3; k++) {
            frame.centre[k] = case_unit() * scale * 100;
            parent.centre[k] = frame.centre[k] + case_unit() * scale;
        }
        parent.reach = case_int(50) == 0 ? 0 : scale * (1 + fabs(case_unit()));
        for (int k = 0; k < 3; k++) {
            range.lo[k] = case_unit() * (case_int(8) ? 1 : 4) * scale;
            range.hi[k] = range.lo[k] + 2 * random_length(parent.reach);
        }
        const double slack = case_int(2) ? 0x1p-45 * scale : 0;
        const bvpi_oriented a = volume_around(&frame, &range, &parent, rss, slack, own);
        const bvpi_oriented b = plain_around(&frame, &range, &parent, rss, slack, plain);
        ck_assert_mem_eq(own, plain, sizeof own);
        ck_assert_mem_eq(a.centre, b.centre, sizeof a.centre);
        ck_assert_mem_eq(a.size, b.size, sizeof a.size);
        ck_assert_mem_eq(a.axis, b.axis, sizeof a.axis);
        ck_assert_double_eq(a.reach, b.reach);
        beyond += own[10] < 16; /* as large as the reach, or more */
    }
    ck_assert_int_gt(beyond, 1000);
}
END_TEST

SUITE(test_refit_volume)
{
    const TTest *const tests[] = {payloads, NULL};
    return run_suite("refit_volume", tests);
}
