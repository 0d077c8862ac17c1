/* SPDX-License-Identifier: MIT
 * camera.h: the camera of a picture, and the ray of each pixel.
 */
#ifndef CAMERA_H
#define CAMERA_H

#include "bvpack.h"

#include <stddef.h>
#include <stdint.h>

/* Pixel coordinates are continuous: x from the left, y from the top, in pixels. */
typedef struct camera {
    double eye[3];
    double right[3], up[3], forward[3]; /* orthonormal */
    double half_width, half_height;     /* tangents of half the angles; lengths when parallel */
    int parallel;                       /* parallel projection */
    double width, height;               /* of the picture, pixels */
} camera;

/* The words that camera_preset knows, "iso|front|...". */
#define CAMERA_WORDS "iso|front|back|left|right|top|bottom"

/* Turns the camera to a preset view. up: z when unknown. Returns 0 if the word is none.
 */
int camera_preset(camera *c, const char *word, bvp_up up);
/* Looks from `eye` to `target`. Returns 0 if the points coincide. */
int camera_look(camera *c, const double eye[3], const double target[3], bvp_up up);
/* Sets the picture's size and the smaller opening angle, in degrees; 0: parallel projection. */
void camera_lens(camera *c, double width, double height, double degrees);
/* Moves back, keeping the direction, until all points (count times 3 doubles) are in view with a
 * margin, given as a fraction of the picture. */
void camera_fit(camera *c, const double *points, size_t count, double margin);
/* With a parallel projection the picture must be given a size when camera_fit is not called. */
void camera_span(camera *c, double span);

/* The ray through a pixel coordinate; direction is not normalised but has depth 1. */
void camera_ray(const camera *c, double x, double y, double origin[3], double direction[3]);
/* Where a world point appears; depth is along `forward`. */
void camera_project(const camera *c, const double point[3], double *x, double *y, double *depth);

#endif
