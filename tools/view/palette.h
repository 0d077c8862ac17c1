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

/* What the source says of an instance's colours. */
typedef struct palette_runs {
    bvp_colour_run *runs;
    uint32_t count;
} palette_runs;

typedef struct palette {
    render_paint_fn paint; /* its user is the palette */
    palette_part *parts;   /* by leaf and by level; else NULL */
    uint32_t part_count;
    uint32_t deepest;      /* level of all parts */
    palette_runs *sources; /* by source: of each instance, or of the one part; else NULL */
    uint32_t source_count;
} palette;

/* What is to be painted. */
typedef struct palette_subject {
    const bvp_file *file;
    uint32_t part, instance; /* the one part in the picture, and where it is known which instance
                                of it that is; or BVP_ASSEMBLY and BVP_NONE */
} palette_subject;

/* word: source, shade, part, leaf or level; NULL: source where the file has colours of it, else
 * part for an assembly, else shade. Reads the leaves and colours where they are needed.
 * BVP_ERR_NO_MEMORY or what the library says. */
bvp_status palette_open(palette *p, const char *word, const palette_subject *subject);
void palette_close(palette *p);

/* Distinct, calm colours by number. */
colour palette_part_colour(uint32_t part);

#endif
