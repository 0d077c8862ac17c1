/* SPDX-License-Identifier: MIT
 * manual.h: --help, man pages and the bash completion, all made from the verb tables.
 */
#ifndef MANUAL_H
#define MANUAL_H

#include <stdio.h>
#include "cli/verb.h"

extern const option_row timeout_row; /* every verb has it: options.c */

/* `verbs` is the program's table, which ends with NULL. */
void manual_help(const verb *v, FILE *out);
void manual_program_help(const verb *const *verbs, FILE *out);
/* roff with the man macros: the page of one verb, and of the program. */
void manual_page(const verb *v, FILE *out);
void manual_program_page(const verb *const *verbs, FILE *out);
void manual_completion(const verb *const *verbs, FILE *out);

#endif
