/* SPDX-License-Identifier: MIT
 * colour_runs.c: writes which triangles of a mesh have which colour, as packed files keep it.
 *
 * sRGB's power 2.4 is computed by sums and products alone, because pow differs from one C library
 * to another, and packed files must not.
 * Based on: IEC 61966-2-1, sRGB
 */
#include "text/colour_runs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/array.h"

/* ---- runs ----------------------------------------------------------------------------------- */

static int is_named(const uint8_t rgba[4])
{
    return rgba[0] || rgba[1] || rgba[2] || rgba[3];
}

/* The open run into the text, unless it only continues the one before. */
static void write_open(colour_runs *runs)
{
    char text[32];
    if (!runs->is_open || runs->is_out_of_memory || runs->is_too_long ||
        (runs->count > 0 && memcmp(runs->rgba, runs->written, 4) == 0))
        return;
    runs->is_too_long = runs->count == COLOUR_RUNS_MOST;
    if (runs->is_too_long)
        return;
    const uint8_t *c = runs->rgba;
    const char *blank = runs->count > 0 ? " " : "";
    const int size = is_named(c)
                         ? snprintf(text, sizeof text, "%s%" PRIu32 ":%02x%02x%02x%02x", blank,
                                    runs->first, c[0], c[1], c[2], c[3])
                         : snprintf(text, sizeof text, "%s%" PRIu32 ":-", blank, runs->first);
    assert(size > 0 && (size_t)size < sizeof text);
    if (array_grow(&runs->text, &runs->capacity, runs->size + (size_t)size + 1, 1) != 0) {
        runs->is_out_of_memory = 1;
        return;
    }
    memcpy(runs->text + runs->size, text, (size_t)size + 1);
    runs->size += (size_t)size;
    runs->count++;
    runs->is_known |= is_named(c);
    memcpy(runs->written, c, 4);
}

void colour_runs_add(colour_runs *runs, uint32_t first, const uint8_t rgba[4])
{
    static const uint8_t none[4];
    assert(runs->is_open ? first >= runs->first : first == 0);
    if (runs->is_open && first > runs->first)
        write_open(runs);
    runs->is_open = 1;
    runs->first = first;
    memcpy(runs->rgba, rgba ? rgba : none, 4);
}

const char *colour_runs_text(colour_runs *runs)
{
    write_open(runs);
    runs->is_open = 0;
    return runs->is_known && !runs->is_out_of_memory && !runs->is_too_long ? runs->text : NULL;
}

void colour_runs_free(colour_runs *runs)
{
    free(runs->text);
    *runs = (colour_runs){0};
}

/* ---- numbers -------------------------------------------------------------------------------- */

uint8_t colour_byte(double strength)
{
    return strength > 0 ? strength < 1 ? (uint8_t)(255 * strength + 0.5) : 255 : 0;
}

/* x^2.4 for 0 < x <= 1: x^2 times the fifth root of x^2, by Newton's method from above. */
static double power_2_4(double x)
{
    const double square = x * x;
    double root = 1;
    for (int i = 0; i < 64; i++) {
        const double fourth = root * root * root * root;
        root -= (fourth * root - square) / (5 * fourth);
    }
    return square * root;
}

static double linear_of(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : power_2_4((srgb + 0.055) / 1.055);
}

double colour_linear(uint8_t srgb)
{
    return linear_of(srgb / 255.0);
}

/* The byte in whose range [byte - .5, byte + .5] of sRGB the strength lies. */
uint8_t colour_srgb(double linear)
{
    uint32_t from = 0, to = 256;
    while (to - from > 1) {
        const uint32_t middle = (from + to) / 2;
        if (linear >= linear_of((middle - 0.5) / 255))
            from = middle;
        else
            to = middle;
    }
    return (uint8_t)from;
}
