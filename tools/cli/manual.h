/* SPDX-License-Identifier: MIT
 * manual.h: --help, man pages and the bash completion, all made from the verb tables.
 */
#ifndef MANUAL_H
#define MANUAL_H

#include <stdio.h>
#include "cli/verb.h"

extern const verb *const verbs[];    /* NULL-terminated: main.c */
extern const option_row timeout_row; /* every verb has it: options.c */

void manual_help(const verb *v, FILE *out);
void manual_program_help(FILE *out);
/* roff with the man macros; v == NULL: the page of the program. */
void manual_page(const verb *v, FILE *out);
void manual_completion(FILE *out);

#endif
