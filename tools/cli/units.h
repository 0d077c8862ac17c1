/* SPDX-License-Identifier: MIT
 * units.h: the lengths of several files in the unit of the first.
 */
#ifndef UNITS_H
#define UNITS_H

#include "bvpack.h"

#define UNITS_ASSUME_VALUE "mm|cm|m|in|ft|N"
#define UNITS_ASSUME_HELP                                                                          \
    "the length of one coordinate unit of a file that does not say its unit, N in metres; files "  \
    "of which only some say it are refused without this"

/* A unit by its name, or a length in metres, that an option gives. 0, or says what is wrong and
 * returns the exit code. */
int units_read(const char *option, const char *text, double *metres);

/* The same for --assume-unit: `info` gets the unit if it has none. text: NULL: nothing happens. */
int units_assume(const char *text, bvp_file_info *info);

/* *scale: the length of a unit of the file at `path` in units of the first file; 1 if neither
 * states its unit. If only one of them does, the scale is unknown: says so and returns the exit
 * code. */
int units_scale(const char *first_path, const bvp_file_info *first, const char *path,
                const bvp_file_info *info, double *scale);

/* Does the placement of a file whose lengths are scaled scale by the same factor again? Then the
 * user has probably converted the unit by hand. 0, or says so at `where` and returns the exit code.
 */
int units_check_placement(const char *where, const double placement[12], double scale);

#endif
