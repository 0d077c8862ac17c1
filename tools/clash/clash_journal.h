/* SPDX-License-Identifier: MIT
 * clash_journal.h: what the last run has found, so that the next one asks only pairs of which a
 * side has changed or moved. Its reports are those of a run that asks all, byte for byte.
 */
#ifndef CLASH_JOURNAL_H
#define CLASH_JOURNAL_H

#include <stdatomic.h>
#include "bvpack_clash.h"
#include "clash/clash_state.h"
#include "clash/clash_tolerance.h"
#include "rules/clash_rules.h"

typedef uint8_t clash_key[16];

/* Zero-initialise. */
typedef struct clash_journal {
    const char *path;
    const instance_tree *trees[2]; /* equal within one file */
    uint8_t run[16];
    clash_key *keys[2]; /* of this run's instances: equal to one before: as it was, where it was */
    /* What the file has: the last run. */
    clash_scope old_scope;
    clash_key *old_keys[2];
    bvp_clash_pair *old_pairs; /* ascending */
    size_t old_count;
    uint64_t *old_first;    /* of each instance in old_pairs, and the end */
    uint32_t *old_of[2];    /* of each instance of this run: which one it was; BVP_NONE: none */
    atomic_uchar *is_met;   /* of each old pair: it comes again */
    atomic_uint *reused_of; /* of each instance: pairs with it as `a` that were not asked */
    /* What this run has. */
    bvp_clash_pair *pairs;
    size_t count, capacity;
    uint32_t same_count; /* instances that are as they were */
    uint64_t reused;     /* pairs */
} clash_journal;

/* All return 0, or say what is wrong and return the exit code. */
/* After the rules are bound. run: identifies all that pairs depend on, but the instances. A file
 * that is not there, or of another run, has no pairs; one that is no journal is refused, and so is
 * one that holds what no run writes. O(bytes of the file + instances * rules). */
int clash_journal_open(clash_journal *j, const char *path, const uint8_t run[16],
                       const clash_rules *rules, const clash_tolerance *tolerance);
/* Need this pair not be asked? Without a journal: no. limits: what applies to it. From any thread.
 * O(log of the pairs of a). */
int clash_journal_meet(clash_journal *j, uint32_t a, uint32_t b, const bvp_clash_limits *limits);
/* A pair that was asked, in any order. */
int clash_journal_add(clash_journal *j, const bvp_clash_pair *pair);
/* Adds the pairs that were not asked, of instances in front of `done`, and puts all in order.
 * *coverage counted them as excluded. */
int clash_journal_merge(clash_journal *j, uint32_t done, bvp_clash_coverage *coverage);
/* Writes the file for the next run, when this one is complete. */
int clash_journal_write(const clash_journal *j);
void clash_journal_close(clash_journal *j);

#endif
