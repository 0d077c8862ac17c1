/* SPDX-License-Identifier: MIT
 * report.h: the one way to refuse a file: a rule of the spec, checked in one line.
 */
#ifndef BVPI_BASE_REPORT_H
#define BVPI_BASE_REPORT_H

#include "base/meter.h"
#include "base/status.h"

#include <stdbool.h>

/* Where violations go. Without a callback the first one stops the check. */
typedef struct bvpi_report {
    bvp_finding_fn callback; /* or NULL */
    void *user;
    bvp_error *error;  /* receives the first violation; or NULL */
    bvp_status status; /* of the first violation; BVP_OK so far */
    bool stopped;      /* nobody listens any more: long loops end */
    bvpi_meter *meter; /* or NULL: what else may end them */
} bvpi_report;

/* Asked by each long loop for each thing that it looks at: false ends it. */
static inline bool bvpi_report_goes_on(bvpi_report *report)
{
    if (!report->stopped && !bvpi_meter_step(report->meter)) {
        report->stopped = true;
        report->status = bvpi_error_cancelled(report->error);
    }
    return !report->stopped;
}

/* Records a violation of `rule`; always false. */
bool bvpi_report_add(bvpi_report *report, const char *rule, bvp_status status, uint64_t offset,
                     const char *format, ...) BVPI_PRINTF(5, 6);

/* The value of `condition`; when it is false, the rule is violated at `offset`. */
#define BVPI_RULE(report, rule, status, offset, condition, ...)                                    \
    ((condition) ? true : bvpi_report_add(report, rule, status, offset, __VA_ARGS__))

/* Most rules: the file is damaged or forged. */
#define BVPI_SOUND(report, rule, offset, condition, ...)                                           \
    BVPI_RULE(report, rule, BVP_ERR_CORRUPT, offset, condition, __VA_ARGS__)
/* Reserved bits and values: a later version of the format may use them. */
#define BVPI_KNOWN(report, rule, offset, condition, ...)                                           \
    BVPI_RULE(report, rule, BVP_ERR_NEWER, offset, condition, __VA_ARGS__)

/* True when all `size` bytes are zero. */
bool bvpi_is_zero(const void *data, uint64_t size);

#endif
