/* SPDX-License-Identifier: MIT
 * palette.h: the colour of a triangle in a picture.
 */
#ifndef PALETTE_H
#define PALETTE_H

#include <stddef.h>
#include <stdint.h>

#include "bvpack.h"
#include "view/render.h"

/* A leaf of a part's first hierarchy, of whichever kind. */
typedef struct palette_leaf {
    uint64_t first; /* triangle */
    uint32_t level;
} palette_leaf;

typedef struct palette_part {
    palette_leaf *leaves; /* ascending */
    size_t count, capacity;
    int is_out_of_memory;
    uint32_t deepest;
} palette_part;

typedef struct palette {
    render_paint_fn paint; /* its user is the palette */
    palette_part *parts;   /* by leaf and by level; else NULL */
    uint32_t part_count;
    uint32_t deepest; /* level of all parts */
} palette;

/* word: shade, part, leaf or level. only: the one part in the picture, or BVP_ASSEMBLY. Reads the
 * leaves where they are needed. BVP_ERR_NO_MEMORY or what the library says. */
bvp_status palette_open(palette *p, const char *word, const bvp_file *file, uint32_t only);
void palette_close(palette *p);

/* Distinct, calm colours by number. */
colour palette_part_colour(uint32_t part);

#endif
