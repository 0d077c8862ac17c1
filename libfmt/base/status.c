/* SPDX-License-Identifier: MIT
 * status.c: names of statuses and the text of errors.
 */
#include "base/status.h"

#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

const char *bvp_status_name(bvp_status status)
{
    static const char *const names[] = {
        [BVP_OK] = "ok",
        [BVP_ERR_NOT_OURS] = "not a bvpack file",
        [BVP_ERR_NEWER] = "newer format",
        [BVP_ERR_CORRUPT] = "corrupt",
        [BVP_ERR_LIMIT] = "over limit",
        [BVP_ERR_NO_MEMORY] = "out of memory",
        [BVP_ERR_SYSTEM] = "system error",
        [BVP_ERR_ARGUMENT] = "bad argument",
        [BVP_ERR_CANCELLED] = "cancelled",
        [BVP_ERR_AGAIN] = "bytes not here yet",
    };
    const size_t count = sizeof names / sizeof *names;
    return (size_t)status < count ? names[status] : "unknown status";
}

const char *bvp_version(void)
{
    return PACKAGE_VERSION;
}

/* vsnprintf may have cut a UTF-8 character in two: drop its first half. Only a text that fills its
 * buffer can have been cut. */
static void trim_cut_character(char *text, size_t size)
{
    size_t end = strlen(text);
    if (end + 1 < size)
        return;
    size_t start = end;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && (unsigned char)text[start - 1] >= 0xc0)
        text[start - 1] = '\0';
}

/* Names and paths out of files are among the arguments: escaped here, they do no harm on a terminal
 * or in a log, wherever the caller prints the message. */
static void format_message(bvp_error *error, const char *format, va_list arguments)
{
    char text[sizeof error->message];
    vsnprintf(text, sizeof text, format, arguments);
    trim_cut_character(text, sizeof text);
    bvpi_escape(text, error->message, sizeof error->message);
}

bvp_status bvpi_error_set(bvp_error *error, bvp_status status, uint64_t offset, const char *rule,
                          const char *format, ...)
{
    assert(status != BVP_OK && rule != NULL);
    if (!error)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->offset = offset;
    snprintf(error->rule, sizeof error->rule, "%s", rule);
    va_list arguments;
    va_start(arguments, format);
    format_message(error, format, arguments);
    va_end(arguments);
    return status;
}

bvp_status bvpi_error_system(bvp_error *error, const char *format, ...)
{
    int saved = errno;
    if (!error)
        return BVP_ERR_SYSTEM;
    memset(error, 0, sizeof *error);
    error->status = BVP_ERR_SYSTEM;
    error->sys_errno = saved;
    error->offset = BVPI_NO_OFFSET;
    va_list arguments;
    va_start(arguments, format);
    format_message(error, format, arguments);
    va_end(arguments);
    char reason[128];
    if (strerror_r(saved, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "errno %d", saved);
    size_t used = strlen(error->message);
    assert(used < sizeof error->message);
    snprintf(error->message + used, sizeof error->message - used, ": %s", reason);
    trim_cut_character(error->message, sizeof error->message);
    return BVP_ERR_SYSTEM;
}

bvp_status bvpi_error_memory(bvp_error *error, uint64_t size)
{
    return bvpi_error_set(error, BVP_ERR_NO_MEMORY, BVPI_NO_OFFSET, "",
                          "cannot allocate %" PRIu64 " bytes", size);
}

bvp_status bvpi_error_cancelled(bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_CANCELLED, BVPI_NO_OFFSET, "",
                          "ended before it was done, by its flag, its callback or its budget of "
                          "steps");
}
