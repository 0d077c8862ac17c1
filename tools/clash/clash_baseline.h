/* SPDX-License-Identifier: MIT
 * clash_baseline.h: an earlier report as JSON lines, for telling what is new, what stays, and what
 * is resolved.
 */
#ifndef CLASH_BASELINE_H
#define CLASH_BASELINE_H

#include "clash/clash_past.h"
#include "report/clash_rows.h"
#include "files/input.h"

typedef struct clash_baseline {
    input file;
    struct clash_known {
        uint8_t id[16];
        uint64_t offset; /* of its line */
        uint32_t a, b;   /* instances of `past`; BVP_NONE: a zone that is no more */
        uint32_t issue;  /* that it was in, or BVP_NONE */
        uint8_t verdict, seen;
    } * known; /* ascending by id */
    size_t count;
    uint8_t (*issues)[16]; /* ids, ascending */
    uint64_t *firsts;      /* of each issue: where its first line is */
    uint32_t issue_count;
    const clash_past_files *past; /* NULL: pairs are known by their ids */
    struct clash_known_pair {
        uint64_t key;
        size_t known;
    } * pairs;   /* with `past`: ascending by key */
    int is_same; /* both instances are of one file */
} clash_baseline;

/* Reads a report of the form jsonl. Lines of pairs that were resolved then are left out. past: the
 * files that it is a report of, which stay the caller's, or NULL; is_same: it is of pairs within
 * one. 0, or says what is wrong, with the line, and returns the exit code. */
int clash_baseline_open(clash_baseline *b, const char *path, const clash_past_files *past,
                        int is_same);
void clash_baseline_close(clash_baseline *b);

/* What the baseline has of a pair. */
typedef struct clash_met {
    bvp_verdict was;
    uint32_t issue; /* number of an issue of the baseline, or BVP_NONE */
} clash_met;

/* Is the pair of instances, whose id is `id`, in the baseline? Then it is marked as seen, and *met
 * is set. With `past` the baseline's id comes back in `id`; for a pair that is new, one that no
 * pair of the baseline has. */
int clash_baseline_meet(clash_baseline *b, uint32_t instance_a, uint32_t instance_b, uint8_t id[16],
                        clash_met *met);
/* Calls for each pair not seen, by issue, issues and the pairs of an issue in the order of the
 * file, until a call returns nonzero; returns what it did last. Texts are valid during the call. */
typedef int (*clash_past_fn)(void *user, const clash_past *past);
int clash_baseline_rest(const clash_baseline *b, clash_past_fn callback, void *user);
/* During a call: the pair counts as seen. */
void clash_baseline_hide(clash_baseline *b, const clash_past *past);

#endif
