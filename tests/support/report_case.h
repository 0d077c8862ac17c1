/* SPDX-License-Identifier: MIT
 * report_case.h: a small assembly with a pair of every verdict, and a report of it in any form.
 */
#ifndef REPORT_CASE_H
#define REPORT_CASE_H

#include <stdio.h>
#include "report/clash_report.h"

/* A name that would do harm where it is not escaped. */
#define REPORT_EVIL "</script><script>document.title=\"owned\"</script><b>&amp;'\x01\xff"

/* The issue that people have said most about. */
#define REPORT_SAID "00000000000000000000000100000000"

enum {
    REPORT_ROWS = 9 /* a pair of each verdict but clear, one more that penetrates, a resolved one */
};

/* Packs the assembly to `path`. 0, or -1. */
int report_case_pack(const char *path);
/* Writes the report of that file as `form` to `out`, which is open for reading and writing. Returns
 * the exit code. times: how often the rows are repeated, with other ids. */
int report_case_write(const char *packed, const clash_form *form, FILE *out, uint32_t picture_max,
                      uint32_t times, uint32_t thread_count);

#endif
