/* SPDX-License-Identifier: MIT
 * issue_ids.h: which issue of an earlier run an issue is.
 */
#ifndef ISSUE_IDS_H
#define ISSUE_IDS_H

#include <stddef.h>
#include <stdint.h>

#define ISSUE_NONE UINT32_MAX

/* A pair of this run: its issue, and the earlier run's issue that had it, or ISSUE_NONE. */
typedef struct issue_link {
    uint32_t issue, past;
} issue_link;

typedef struct issue_ids {
    uint8_t (*ids)[16]; /* of each issue of this run: in, the smallest of its pairs' ids; out, its
                           id. No two are the same */
    uint32_t *past_of;  /* out: of each issue, the earlier one whose id it has, or ISSUE_NONE */
    uint32_t count;
    const uint8_t (*past_ids)[16]; /* ascending, each once */
    uint32_t *heirs;               /* out: of each earlier issue, the one that has its id, or
                                      ISSUE_NONE */
    uint32_t past_count;
} issue_ids;

/* An issue has the id of the earlier one with which it shares most pairs. Of several that share as
 * many the one with the smaller id comes first, of its heirs the one whose smallest pair has the
 * smaller id. Who gets none has the id of its smallest pair, or the hash of that, again, until
 * nobody has it. `links` are put in another order. 0, or no memory: that has been said. Does not
 * depend on how issues are numbered. O(n log n). */
int issue_ids_inherit(issue_ids *i, issue_link *links, size_t link_count);

#endif
