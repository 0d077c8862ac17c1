/* SPDX-License-Identifier: MIT
 * colour_runs.h: writes which triangles of a mesh have which colour, as packed files keep it.
 * Spec: format.md, chapter 14, "Colours"
 */
#ifndef COLOUR_RUNS_H
#define COLOUR_RUNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The property of a node that has the text. */
#define COLOURS_KEY "bvpack_colours"

/* Beyond so many runs a mesh keeps no colours: nobody lists them as text any more. */
enum { COLOUR_RUNS_MOST = 1 << 16 };

/* Zero-initialise. */
typedef struct colour_runs {
    char *text;
    size_t size, capacity;
    uint32_t count; /* of the text's runs */
    int is_out_of_memory, is_too_long;
    int is_known; /* one of them has a colour */
    int is_open;  /* the run that `add` began last is not in the text yet */
    uint32_t first;
    uint8_t rgba[4], written[4]; /* of that run, and of the text's last one */
} colour_runs;

/* From triangle `first` on the colour is this one; NULL: none is named. `first` never falls; where
 * it is the last call's, the later colour holds. */
void colour_runs_add(colour_runs *runs, uint32_t first, const uint8_t rgba[4]);
/* The text, until it is freed; NULL: there is no colour, or there are too many runs, or memory is
 * out. */
const char *colour_runs_text(colour_runs *runs);
void colour_runs_free(colour_runs *runs);

/* Of a part 0 .. 1 of full strength the nearest byte; what is no number is 0. */
uint8_t colour_byte(double strength);
/* A linear strength 0 .. 1 as a byte of sRGB, and back. The same on every machine. */
uint8_t colour_srgb(double linear);
double colour_linear(uint8_t srgb);

#ifdef __cplusplus
}
#endif
#endif
