/* SPDX-License-Identifier: MIT
 * save.h: what all ways to save a file share.
 * Spec: format.md, chapter "Provenance"
 */
#ifndef BVPI_PACK_FILE_SAVE_H
#define BVPI_PACK_FILE_SAVE_H

#include "bvpack_build.h"

/* The file's provenance text, to be freed. *size: 0 if it has none. */
bvp_status bvpi_copy_provenance(const bvp_file *file, char **text, size_t *size, bvp_error *error);

#endif
