/* SPDX-License-Identifier: MIT
 * inputs.h: small models, and packed files made of them, one of each sort that a verb reads.
 */
#ifndef TESTS_FAULT_INPUTS_H
#define TESTS_FAULT_INPUTS_H

#include <limits.h>

enum { WORDS_MOST = 32 };

/* A command line of words without blanks, run in the current folder by the program's main; output
 * and messages go to the descriptors 1 and 2. Returns the exit code. */
int inputs_run(const char *line);
/* Makes a folder of this run, *path, with `in`, which is filled, and `out`, which is the current
 * one from then on. 0 when all is there. */
int inputs_enter(char path[PATH_MAX]);

#endif
