/* SPDX-License-Identifier: MIT
 * plan_command.h: a command line for a shell, word by word.
 */
#ifndef PLAN_COMMAND_H
#define PLAN_COMMAND_H

#include "text/memory_text.h"

typedef struct plan_command {
    memory_text text;
    int word_count;
} plan_command;

/* Its first two words. 0, or -1 when memory is out. */
int plan_command_begin(plan_command *c, const char *program, const char *verb);
/* One word, quoted where a POSIX shell would read it otherwise. */
void plan_command_word(plan_command *c, const char *word);
/* The same for the name of a file: one that begins with "-" becomes no option. */
void plan_command_file(plan_command *c, const char *path);
/* Words of one text, separated by blanks. */
void plan_command_words(plan_command *c, const char *text);
/* The command, to be freed, or NULL: memory is out. */
char *plan_command_end(plan_command *c);

#endif
