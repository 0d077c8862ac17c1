/* SPDX-License-Identifier: MIT
 * known_apart.h: what one thread knows of pairs of parts that are apart, however one of them is
 * turned around its axis.
 * Spec: exactness.md, chapter 12, "What need not be asked again"
 */
#ifndef BVPI_CLASH_KNOWN_APART_H
#define BVPI_CLASH_KNOWN_APART_H

#include "clash/judge.h"

/* Of fixed size, some 800 KiB; zero-initialise. */
typedef struct bvpi_known_apart bvpi_known_apart;
bvpi_known_apart *bvpi_known_apart_new(void);
/* How many questions were not asked; for tests. */
uint64_t bvpi_known_apart_hits(const bvpi_known_apart *known);

/* A pair of parts as the judge's query has them, and what is asked: are their surfaces farther
 * apart than `limit`? */
typedef struct bvpi_apart_case {
    bool is_usable; /* something may be known, or learnt */
    double limit, room;
    const bvpi_clash_item *round, *other;
    const struct bvpi_sweep *sweep; /* of the former */
    double centre[3], axis[3];      /* its, in the other's coordinates */
    double err;                     /* no point of the sweep is farther off */
} bvpi_apart_case;

/* Sets *out. True is certain, and then the question need not be asked. room: how much more than the
 * limit the parts may be apart by where it matters; how far poses that are taken for one differ. */
bool bvpi_is_known_apart(const bvpi_clash_judge *judge, double limit, double room,
                         bvpi_apart_case *out);

/* The question was asked, and they are. */
bvp_status bvpi_learn_apart(const bvpi_clash_judge *judge, const bvpi_apart_case *it);

#endif
