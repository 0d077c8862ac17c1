/* SPDX-License-Identifier: MIT
 * advise.h: tells the system how a mapped file will be read. Never needed for an answer; measured
 * by tests/bench/bench_open.c.
 */
#ifndef BVPI_FORMAT_ADVISE_H
#define BVPI_FORMAT_ADVISE_H

#include "format/map.h"

/* For queries, which touch few pages, far apart: no read-ahead, except for the tables and the
 * beginning of DATA, where the upper nodes are. */
void bvpi_advise_queries(const bvp_file *file);
/* begins: most of the file is about to be read from beginning to end; or that has ended. */
void bvpi_advise_scan(const bvp_file *file, bool begins);

#endif
