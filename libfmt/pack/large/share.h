/* SPDX-License-Identifier: MIT
 * share.h: sets of a large mesh that other processes have built, on other machines perhaps, in
 * files of the folder of the state.
 */
#ifndef BVPI_PACK_LARGE_SHARE_H
#define BVPI_PACK_LARGE_SHARE_H

#include "pack/large/state.h"
#include "pack/tree/cluster_cut.h"

/* What the batches of sets are written to, set by set: the arrays of each batch, and the batch
 * itself, whose pointers mean nothing. */
enum {
    BVPI_SHARE_BYTES,
    BVPI_SHARE_IDS,
    BVPI_SHARE_WIDE,
    BVPI_SHARE_RECORDS,
    BVPI_SHARE_BATCHES,
    BVPI_SHARE_FILES
};

/* Share `index` of `count`: the sets index - 1, index - 1 + count ... */
typedef struct bvpi_share {
    uint32_t index, count;
    int lock; /* -1: it is read, and not built */
    bvpi_scratch files[BVPI_SHARE_FILES];
    /* while it is read */
    uint64_t offset[BVPI_SHARE_FILES];
    uint32_t next_set;
} bvpi_share;

void bvpi_share_close(bvpi_share *share);
/* Empty files for the share, in the state's folder. BVP_ERR_ARGUMENT: another process builds it. */
bvp_status bvpi_share_create(const bvpi_large_state *state, uint32_t index, uint32_t count,
                             bvpi_share *out, bvp_error *error);
/* The share is complete: gives it the name by which bvpi_shares_find finds it. */
bvp_status bvpi_share_publish(const bvpi_large_state *state, bvpi_share *share, bvp_error *error);
/* All complete shares of the state's folder that are of this state: an array to be freed, whose
 * elements are to be closed. *found: how many. */
bvp_status bvpi_shares_find(const bvpi_large_state *state, bvpi_share **out, uint32_t *found,
                            bvp_error *error);
/* The first of them that has the set; NULL: none. */
bvpi_share *bvpi_share_of(bvpi_share *shares, uint32_t count, uint32_t set);

#endif
