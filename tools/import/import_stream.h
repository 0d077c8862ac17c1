/* SPDX-License-Identifier: MIT
 * import_stream.h: the answer of an importing process, import_protocol.h, into a model.
 */
#ifndef IMPORT_STREAM_H
#define IMPORT_STREAM_H

#include "model/import.h"

typedef enum import_outcome {
    IMPORT_DONE,      /* the model is complete */
    IMPORT_REFUSED,   /* the process said what is wrong: in im->error */
    IMPORT_CUT,       /* the answer ended before its last message */
    IMPORT_GARBAGE,   /* the answer can't be understood; *what says why */
    IMPORT_NO_MEMORY, /* here; in im->error */
    IMPORT_UNREAD,    /* read(2) failed, see errno */
    IMPORT_LATE,      /* its time was over */
    IMPORT_FLOOD      /* it is longer than allowed */
} import_outcome;

/* Where the answer comes from, and how much of it. */
typedef struct import_channel {
    int answer;
    int files;         /* socket for the files that the process asks for, or -1: it gets none */
    uint64_t deadline; /* nanoseconds of CLOCK_MONOTONIC; 0: none. `answer` does not block then */
    uint64_t most;     /* bytes of the answer; 0: any number */
    uint64_t denied_count; /* out: files that it asked for, outside the model's folder */
    char denied[128];      /* the first of them */
} import_channel;

uint64_t import_clock(void);

/* Reads until the last message or the first error. Nothing in the answer is trusted: whatever it
 * says, im->out keeps the promises of model.h. what: static text. */
import_outcome import_read_channel(importer *im, import_channel *from, const char **what);
/* An answer that asks for no files, without limits. */
import_outcome import_read_stream(importer *im, int fd, const char **what);

#endif
