/* SPDX-License-Identifier: MIT
 * report_snapshot.h: a picture of a clash, as a PNG in memory.
 */
#ifndef REPORT_SNAPSHOT_H
#define REPORT_SNAPSHOT_H

#include "report/report_view.h"

/* Draws what `view` shows: the two parts in their colours, the smaller one shining through the
 * larger, and the contact's box. *png is freed by the caller. The same bytes for any number of
 * threads. */
bvp_status report_snapshot(const report_view *view, uint32_t thread_count, uint8_t **png,
                           size_t *size);

#endif
