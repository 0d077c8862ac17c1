/* SPDX-License-Identifier: MIT
 * status.h: filling in bvp_error.
 */
#ifndef BVPI_BASE_STATUS_H
#define BVPI_BASE_STATUS_H

#include "bvpack.h"

#define BVPI_NO_OFFSET                     UINT64_MAX
#define BVPI_PRINTF(format_idx, first_idx) __attribute__((format(printf, format_idx, first_idx)))

/* Fills *error (may be NULL) and returns `status`. rule: id of the spec's rule, or "". A message
 * that is too long is cut at a character boundary. */
bvp_status bvpi_error_set(bvp_error *error, bvp_status status, uint64_t offset, const char *rule,
                          const char *format, ...) BVPI_PRINTF(5, 6);

/* The same for a failed system call: BVP_ERR_SYSTEM, errno as it is on entry, and its text after
 * the message. */
bvp_status bvpi_error_system(bvp_error *error, const char *format, ...) BVPI_PRINTF(2, 3);

/* BVP_ERR_NO_MEMORY with the number of bytes asked for. */
bvp_status bvpi_error_memory(bvp_error *error, uint64_t size);

/* BVP_ERR_CANCELLED: a bvp_control ended the call. */
bvp_status bvpi_error_cancelled(bvp_error *error);

#endif
