/* SPDX-License-Identifier: MIT
 * import_stream.h: the answer of an importing process, import_protocol.h, into a model.
 */
#ifndef IMPORT_STREAM_H
#define IMPORT_STREAM_H

#include "import.h"

typedef enum import_outcome {
    IMPORT_DONE,      /* the model is complete */
    IMPORT_REFUSED,   /* the process said what is wrong: in im->error */
    IMPORT_CUT,       /* the answer ended before its last message */
    IMPORT_GARBAGE,   /* the answer can't be understood; *what says why */
    IMPORT_NO_MEMORY, /* here; in im->error */
    IMPORT_UNREAD     /* read(2) failed, see errno */
} import_outcome;

/* Reads until the last message or the first fault. Nothing in the answer is believed: what it sets
 * up in im->out holds model.h's promises. what: static text. */
import_outcome import_read_stream(importer *im, int fd, const char **what);

#endif
