/* SPDX-License-Identifier: MIT
 * advise.h: madvise: how a mapped file is going to be read. Never needed for an answer;
 * measured by tests/bench/bench_open.c.
 */
#ifndef BVPI_FORMAT_ADVISE_H
#define BVPI_FORMAT_ADVISE_H

#include "format/map.h"

/* A query touches few pages, far apart: nothing is read ahead of them. The tables and the beginning
 * of the data, where the upper nodes are, are asked for at once. */
void bvpi_advise_queries(const bvp_file *file);
/* Most of the file is about to be read, from its beginning to its end; or no more. */
void bvpi_advise_scan(const bvp_file *file, bool begins);

#endif
