/* SPDX-License-Identifier: MIT
 * options.h: a verb's command line, read by its option table.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli/verb.h"

/* Fills `settings` by the table of `self`. Options and operands may be mixed; "--" ends the
 * options. Returns the index in argv of the first operand (argv is permuted so that the operands
 * come last). Returns -1 when there is nothing left to do: --help has been printed, or what is
 * wrong has been said; *exit_code is then what the program ends with. */
int options_parse(const verb *self, int argc, char **argv, void *settings, int *exit_code);

/* For a verb that needs least .. most operands (most < 0: any number): 0, or says what is missing
 * or too much and returns the exit code. */
int options_need(const verb *self, int operand_count, int least, int most, const char *what);

/* Both: the index of the first of least .. most operands, or -1 and *exit_code. */
int options_operands(const verb *self, int argc, char **argv, void *settings, int least, int most,
                     const char *what, int *exit_code);

/* The word of `words` (NULL-terminated) nearest to `given`, or NULL when none is near. */
const char *options_nearest(const char *given, const char *const *words);

#endif
