/* SPDX-License-Identifier: MIT
 * picture_text.h: short texts in a picture: digits, small letters, ".", "-", "+" and "/".
 */
#ifndef PICTURE_TEXT_H
#define PICTURE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct picture {
    uint32_t width, height;
    uint8_t *rgb; /* rows from the top, 3 bytes a pixel */
} picture;

/* Of a text in letters whose dots are `scale` pixels wide. */
uint32_t picture_text_width(const char *text, uint32_t scale);
uint32_t picture_text_height(uint32_t scale);
/* x, y: its upper left corner. Other characters are blanks; what is outside is left out. */
void picture_text_put(picture *p, int32_t x, int32_t y, const char *text, uint32_t scale,
                      const uint8_t rgb[3]);
/* A rectangle, as far as it is in the picture. */
void picture_fill(picture *p, int32_t x, int32_t y, int32_t width, int32_t height,
                  const uint8_t rgb[3]);

#endif
