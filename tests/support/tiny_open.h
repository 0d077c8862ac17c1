/* SPDX-License-Identifier: MIT
 * tiny_open.h: the file of tiny_file.h in memory, opened; its bytes can be changed behind the
 * handle.
 */
#ifndef TINY_OPEN_H
#define TINY_OPEN_H

#include <check.h>

#include "tiny_file.h"

static uint8_t *bytes;
static size_t size;

static inline bvp_file *open_tiny(void)
{
    bvp_file *file;
    bytes = tiny_make(&size);
    ck_assert_int_eq(bvp_open_memory(bytes, size, NULL, &file, NULL), BVP_OK);
    return file;
}

static inline void close_tiny(bvp_file *file)
{
    bvp_close(file);
    free(bytes);
}

#endif
