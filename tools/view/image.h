/* SPDX-License-Identifier: MIT
 * image.h: writes an image in memory as a PNG file.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Writes width x height pixels of 3 bytes (red, green, blue; sRGB), rows from the top, to `fd`.
 * Returns 0, or an errno value. */
int image_write_png(int fd, uint32_t width, uint32_t height, const uint8_t *rgb);
/* The same into memory, which the caller frees. Returns 0 when there is too little. */
int image_png(uint32_t width, uint32_t height, const uint8_t *rgb, uint8_t **png, size_t *size);

#endif
