/* SPDX-License-Identifier: MIT
 * thin.h: files that refer to parts in a store instead of holding them.
 * Spec: format.md, chapter "Parts" (thin files)
 */
#ifndef BVPI_FORMAT_THIN_H
#define BVPI_FORMAT_THIN_H

#include "bvpack.h"

#include <stdbool.h>

typedef struct bvpi_thin bvpi_thin;

/* Prepares an opened file for finding its parts, if it is thin; from then on it is closed by
 * bvp_close(). path: its own path, or NULL. */
bvp_status bvpi_thin_open(bvp_file *file, const char *path, const bvp_open_options *options,
                          bvp_error *error);

/* Is part `part` in a store? */
bool bvpi_is_elsewhere(const bvp_file *file, uint32_t part);
/* Replaces a part of a thin file by the file that holds it, which is opened on first use. Fails
 * with BVP_ERR_SYSTEM, or with what opening failed with. */
bvp_status bvpi_thin_resolve(const bvp_file **file, uint32_t *part);
/* Explains a failure of bvpi_thin_resolve for part `part`, and returns its status. */
bvp_status bvpi_thin_explain(const bvp_file *file, uint32_t part, bvp_status status,
                             bvp_error *error);

#endif
