/* SPDX-License-Identifier: MIT
 * render.h: a shaded picture of a body by the library's own rays.
 */
#ifndef RENDER_H
#define RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "bvpack.h"
#include "view/camera.h"

/* Linear light, 0 .. 1. */
typedef struct colour {
    float r, g, b;
} colour;

/* Colour of the surface at a hit; called from several threads. */
typedef colour (*render_paint_fn)(const void *user, const bvp_hit_id *id);

/* A straight line in the world, drawn where no surface hides it, and faintly where one does. */
typedef struct render_line {
    double a[3], b[3];
    colour paint;
} render_line;

typedef struct render_job {
    bvp_body body;
    camera view;        /* view.width x view.height is the picture's size */
    uint32_t samples;   /* rays along each side of a pixel, 1 .. 8 */
    uint32_t occlusion; /* rays a sample that look for nearby surfaces which take light away */
    double reach;       /* how far these look */
    uint32_t thread_count;
    render_paint_fn paint;
    const void *paint_user;
    const render_line *lines;
    size_t line_count;
    double line_width;                                                              /* pixels */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total); /* or NULL */
    void *progress_user;
} render_job;

/* Fills `rgb` (width * height * 3 bytes, sRGB). The same bytes for any number of threads. */
bvp_status render(const render_job *job, uint8_t *rgb);

/* The sRGB triple 0xrrggbb as linear light. */
colour colour_of(uint32_t rgb);
/* Light, distinct colours by number: the golden ratio's walk around the hue circle. */
colour colour_by_number(uint64_t number);

#endif
