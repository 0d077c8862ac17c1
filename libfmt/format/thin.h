/* SPDX-License-Identifier: MIT
 * thin.h: files that refer to parts in a store instead of holding them.
 * Spec: format.md, chapter "Parts" (thin files).
 */
#ifndef BVPI_FORMAT_THIN_H
#define BVPI_FORMAT_THIN_H

#include "bvpack.h"

#include <stdbool.h>

typedef struct bvpi_thin bvpi_thin;

/* Of an opened file: where its parts are, if it is thin. path: its own, or NULL. */
bvp_status bvpi_thin_open(bvp_file *file, const char *path, const bvp_open_options *options,
                          bvp_error *error);
void bvpi_thin_close(bvp_file *file);

/* Does part `part` lie in a store? */
bool bvpi_is_elsewhere(const bvp_file *file, uint32_t part);
/* From a part of a thin file to the file that holds it, which is opened at the first touch. When
 * that fails: BVP_ERR_SYSTEM, or what opening it failed with. */
bvp_status bvpi_thin_resolve(const bvp_file **file, uint32_t *part);
/* Says of part `part` what bvpi_thin_resolve failed with; returns it. */
bvp_status bvpi_thin_explain(const bvp_file *file, uint32_t part, bvp_status status,
                             bvp_error *error);

#endif
