/* SPDX-License-Identifier: MIT
 * state.h: what a build that is larger than memory has done, in a folder where a later call finds
 * it.
 */
#ifndef BVPI_PACK_LARGE_STATE_H
#define BVPI_PACK_LARGE_STATE_H

#include "pack/large/describe.h"
#include "pack/large/scratch.h"
#include "pack/mesh/rebase.h"

#include <time.h>

/* What is complete. */
typedef enum bvpi_stage {
    BVPI_STAGE_READING,   /* some runs of the stream */
    BVPI_STAGE_READ,      /* all, as floats */
    BVPI_STAGE_DESCRIBED, /* and the description */
    BVPI_STAGE_DEALT,     /* and all sets; from here on the runs are not needed */
} bvpi_stage;

/* Written as it lies in memory, for the same program on the same machine. */
typedef struct bvpi_progress {
    uint8_t key[16]; /* of the options, and of what the caller says of the stream */
    bvpi_stage stage;
    uint64_t run_count, runs_size, chain; /* of the runs that are read; the hash of their corners */
    bvpi_spool spool;                     /* without its files */
    bvpi_corners_range range;             /* of doubles */
    uint64_t floats_size;                 /* of the runs of floats that doubles became */
    bvpi_description description;
    uint64_t sets_size, tree_size;
    uint32_t built_count; /* sets whose batches are in the files below */
    uint64_t bytes_size, ids_size, wide_size, records_size, batches_size;
} bvpi_progress;

struct bvpi_large_state {
    const char *folder;
    int lock; /* of the folder: no two builds work in it */
    time_t saved_at;
    bvpi_progress done;
};

/* Opens the folder, which is made if it does not exist, and reads what is there. is_share: several
 * may work in it at one time, which change nothing but files of their own. BVP_ERR_ARGUMENT:
 * another build works in it, or it is of another model, other options or another version. */
bvp_status bvpi_state_open(const char *folder, const uint8_t key[16], bool is_share,
                           bvpi_large_state *out, bvp_error *error);
void bvpi_state_close(bvpi_large_state *state);
/* After the files that `done` refers to are synced. */
bvp_status bvpi_state_save(bvpi_large_state *state, bvp_error *error);
/* Removes everything that this folder's files put into the folder, and the folder if it is empty
 * then.
 */
void bvpi_state_remove(const char *folder);
/* Is it time to save again? */
bool bvpi_state_is_due(const bvpi_large_state *state);

#endif
