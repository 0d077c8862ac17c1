/* SPDX-License-Identifier: MIT
 * zip_size.h: the unpacked size of a zip archive's files.
 */
#ifndef ZIP_SIZE_H
#define ZIP_SIZE_H

#include <stddef.h>
#include <stdint.h>

/* What the archive's directory says that its files come to, in bytes; UINT64_MAX when that is more.
 * 0 when there is no directory. */
uint64_t zip_size(const uint8_t *data, size_t size);

#endif
