/* SPDX-License-Identifier: MIT
 * remote_source.h: a file on a server as a source of bytes, fetched range by range.
 */
#ifndef REMOTE_SOURCE_H
#define REMOTE_SOURCE_H

#include <stdbool.h>

#include "bvpack.h"

/* Does the text begin with http:// or https://? */
bool remote_is(const char *text);
typedef enum remote_way {
    REMOTE_BY_BLOCKS, /* the first request brings 17,792 bytes */
    /* 1 MiB, in which the tables of parts and hierarchies lie but for those of thousands of parts;
     * and 512 KiB at least come with the file's end, when it is read */
    REMOTE_WITH_TABLES,
    /* the same, and only these two requests are made: reading what they do not bring is
     * BVP_ERR_AGAIN */
    REMOTE_TWICE
} remote_way;

/* Makes one request; *out is to be closed by bvp_open_source. What is fetched is kept in the folder
 * $BVPACK_CACHE, if that is set and not empty. BVP_ERR_SYSTEM: *error says what the server or the
 * network does; BVP_ERR_ARGUMENT: this program was built without libcurl. */
bvp_status remote_source(const char *url, remote_way way, bvp_source *out, bvp_error *error);

#endif
