/* SPDX-License-Identifier: MIT
 * info_kinds.h: what the verb info says of a file's hierarchies, kind by kind.
 */
#ifndef INFO_KINDS_H
#define INFO_KINDS_H

#include "bvpack.h"
#include "text/json.h"

/* One line a kind, over all parts. */
bvp_status kinds_as_text(const bvp_file *file, uint32_t part_count);
/* The same as array "hierarchies". */
bvp_status kinds_as_json(json *out, const bvp_file *file, uint32_t part_count);
/* The hierarchies of one part, as array "hierarchies". */
bvp_status part_kinds_as_json(json *out, const bvp_file *file, uint32_t part);

#endif
