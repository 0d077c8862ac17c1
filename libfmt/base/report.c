/* SPDX-License-Identifier: MIT
 * report.c: violations go to a callback, the first one also to an error structure.
 */
#include "base/report.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bvpi_report_add(bvpi_report *report, const char *rule, bvp_status status, uint64_t offset,
                     const char *format, ...)
{
    assert(status != BVP_OK && rule != NULL);
    if (report->stopped)
        return false;
    char text[256], message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bvpi_escape(text, message, sizeof message);
    if (report->status == BVP_OK) {
        report->status = status;
        bvpi_error_set(report->error, status, offset, rule, "%s", message);
    }
    bvp_finding finding = {rule, offset, message};
    report->stopped = !report->callback || report->callback(report->user, &finding) != 0;
    return false;
}

bool bvpi_is_zero(const void *data, uint64_t size)
{
    const unsigned char *bytes = data;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        if (word != 0)
            return false;
    }
    for (; size > 0; bytes++, size--)
        if (*bytes != 0)
            return false;
    return true;
}
