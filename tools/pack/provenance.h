/* SPDX-License-Identifier: MIT
 * provenance.h: the record of what a packed file was made of, as text.
 */
#ifndef PROVENANCE_H
#define PROVENANCE_H

#include "bvpack.h"

/* *text: to be freed, or NULL when the file has none. */
bvp_status provenance_read(const bvp_file *file, char **text, size_t *size, bvp_error *error);

#endif
