/* SPDX-License-Identifier: MIT
 * section_raster.h: what a camera sees of triangles that a plane cuts, by samples: surfaces behind
 * the plane, what the plane cuts off in front of it, and where it passes through a solid.
 *
 * Three sorts of surfaces: those of two elements, and of what is around them, of which only what is
 * behind the plane counts.
 */
#ifndef SECTION_RASTER_H
#define SECTION_RASTER_H

#include <stddef.h>
#include <stdint.h>
#include "view/camera.h"

enum { SECTION_SIDES = 2, SECTION_AROUND = 2 /* what is no element */ };
#define SECTION_NOTHING UINT32_MAX

/* The nearest surface of a sample. */
typedef struct section_hit {
    float near;        /* 1 / depth along the camera's forward; 0: nothing */
    uint32_t triangle; /* the caller's number of it; SECTION_NOTHING */
} section_hit;

typedef struct section_raster {
    camera eye;                    /* perspective; its width and height are pixels */
    uint32_t samples;              /* along each side of a pixel */
    double plane[4];               /* cut off: n . p > plane[3], n pointing to the eye */
    uint32_t width, height;        /* in samples */
    section_hit *behind, *cut_off; /* of elements, on either side of the plane */
    section_hit *around;           /* of the rest, behind the plane */
    int8_t
        *winding[SECTION_SIDES]; /* not 0: the plane is inside the element there, if it is closed */
    float cut[3]; /* 1 / depth of the plane: cut[0] + cut[1] x + cut[2] y, in samples */
} section_raster;

/* Room for a picture; eye, samples and plane are set. 1, or 0: no memory; close it in any case. */
int section_open(section_raster *r, const camera *eye, uint32_t samples, const double plane[4]);
/* Clears it for another picture of the same size. */
void section_clear(section_raster *r, const camera *eye, const double plane[4]);
void section_close(section_raster *r);

/* A triangle in the world, of an element (0, 1) or of what is around. What lies behind the eye is
 * left out. Neighbours that share two corners bit for bit leave no gap. O(samples that it covers).
 */
void section_triangle(section_raster *r, int side, uint32_t number, double corners[3][3]);

/* 1 / depth of the plane at the middle of a sample; 0 or less: not in front of the eye. */
static inline float section_cut_at(const section_raster *r, uint32_t x, uint32_t y)
{
    return r->cut[0] + r->cut[1] * ((float)x + 0.5f) + r->cut[2] * ((float)y + 0.5f);
}

#endif
