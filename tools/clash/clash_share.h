/* SPDX-License-Identifier: MIT
 * clash_share.h: what a machine has found in its share of a clash run, as a file; and all shares of
 * a run, which together are what one machine finds.
 */
#ifndef CLASH_SHARE_H
#define CLASH_SHARE_H

#include "clash/clash_records.h"
#include "cli/shard_number.h"
#include "files/output.h"

/* The first record of a share. Shares of one run differ in `index` and in their ranges. Cleared
 * before it is filled in. */
typedef struct clash_share_head {
    char magic[24];
    uint32_t byte_order, pair_size; /* of the machine */
    char version[32];               /* of the program */
    uint8_t a[16], b[16];           /* hashes of the files */
    uint8_t options[16];            /* of all else that pairs depend on */
    uint32_t count_a, count_b, is_same, rule_count;
    uint32_t index, count;
    uint32_t range_count, unused;
    bvp_clash_range ranges[BVP_CLASH_SHARE_RANGES]; /* of instances of the first file */
} clash_share_head;

/* All but the last function return 0, or say what is wrong and return the exit code. */

/* A share that is being written; the file has its name only when it is complete. Zero-initialise.
 */
typedef struct clash_share_output {
    const char *path;
    output out;
    FILE *stream; /* NULL: not begun, or ended */
    clash_pack pack;
    clash_share_head head;
    uint32_t range; /* of the last pair */
    uint64_t pair_count;
} clash_share_output;

int clash_share_begin(clash_share_output *o, const char *path, const clash_share_head *head);
/* The next pair, in order. */
int clash_share_add(clash_share_output *o, const bvp_clash_pair *pair);
/* uses: of the head's rules. */
int clash_share_end(clash_share_output *o, const bvp_clash_coverage *coverage,
                    const uint64_t *uses);
/* Removes what has not been ended. */
void clash_share_discard(clash_share_output *o);

/* All shares of a run. Zero-initialise. */
typedef struct clash_shares {
    struct clash_share_file *files; /* by number */
    uint32_t count;
    struct clash_piece *pieces; /* a range of a share, ascending */
    size_t piece_count;
    clash_scope scope;
    bvp_clash_coverage coverage; /* of all together */
    uint64_t *uses;              /* likewise; of the run's rules */
} clash_shares;

/* Reads and checks them whole. run: what the heads must say, but for index, count and ranges.
 * O(bytes of the files). */
int clash_shares_open(clash_shares *s, char **paths, int count, const clash_share_head *run);
/* Calls for each pair, in the order of one run, until a call returns nonzero; returns what it did
 * last. */
int clash_shares_each(const clash_shares *s, clash_pair_fn callback, void *user);
void clash_shares_close(clash_shares *s);

#endif
