/* SPDX-License-Identifier: MIT
 * clash_state.h: a file to which a clash run writes its pairs, so that a run that was killed can
 * continue, and ends with the same reports.
 */
#ifndef CLASH_STATE_H
#define CLASH_STATE_H

#include "clash/clash_records.h"

typedef struct clash_state {
    const char *path;
    FILE *stream;
    clash_scope scope;
    uint64_t *uses; /* of the rules, as of the last mark; rule_count of them */
    uint32_t rule_count;
    clash_mark mark;   /* the last one; done 0: none */
    char created[32];  /* when the run first began: the caller's, or what the file says */
    uint64_t rows_end; /* where the last mark ends */
    double synced;     /* when the bytes were last forced to the disk */
} clash_state;

/* Opens the state of the run that `run` identifies, or begins one. A state of another run is begun
 * anew, with a message. A file that is no state is refused, and so is a state with matching hashes
 * that no run of this scope can have written: its pairs and marks must refer to things in the
 * files. *created: see above. 0, or says what is wrong and returns the exit code. */
int clash_state_open(clash_state *s, const char *path, const uint8_t run[16],
                     const clash_scope *scope, uint32_t rule_count, const char *created);
/* The next pair. 0, or the exit code; so are those below. */
int clash_state_add(clash_state *s, const bvp_clash_pair *pair);
/* All that has been added is complete up to the mark; s->uses are the rules' uses up to it. */
int clash_state_mark(clash_state *s, const clash_mark *mark);
/* Calls for each pair up to the last mark, in the order in which they were added, until a call
 * returns nonzero; returns what it did last, or the exit code when the file has been written to by
 * somebody else. No more pairs may be added. */
int clash_state_each(clash_state *s, clash_pair_fn callback, void *user);
/* Closes the file; done: and removes it. */
void clash_state_close(clash_state *s, int done);

#endif
