/* SPDX-License-Identifier: MIT
 * inputs.h: small models, and packed files made of them, one of each sort that a verb reads.
 */
#ifndef TESTS_FAULT_INPUTS_H
#define TESTS_FAULT_INPUTS_H

enum { WORDS_MOST = 32 };

/* A command line of words without blanks, run in the current folder by the program's main; output
 * and messages go to the descriptors 1 and 2. Returns the exit code. */
int inputs_run(const char *line);
/* Fills the current folder; 0 when all is there. */
int inputs_make(void);

#endif
