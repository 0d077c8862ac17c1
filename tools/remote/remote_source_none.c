/* SPDX-License-Identifier: MIT
 * remote_source_none.c: says on Windows that files on servers cannot be read there: bvpack-http is
 * a program for POSIX.
 */
#include "remote/remote_source.h"

#include <stdio.h>
#include <string.h>

bool remote_is(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

bvp_status remote_source(const char *url, remote_way way, bvp_source *out, bvp_error *error)
{
    (void)url, (void)way, (void)out;
    if (error) {
        *error = (bvp_error){.status = BVP_ERR_ARGUMENT, .offset = UINT64_MAX};
        snprintf(error->message, sizeof error->message,
                 "files on servers are not read on Windows; fetch the file first");
    }
    return BVP_ERR_ARGUMENT;
}
