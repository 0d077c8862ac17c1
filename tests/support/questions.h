/* SPDX-License-Identifier: MIT
 * questions.h: one question of each kind to a file, and a number that stands for all of its answer:
 * for files of the same bytes that are opened in different ways.
 */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "bvpack.h"

typedef struct question {
    const char *name;
    bvp_status (*ask)(const bvp_file *file, uint64_t *answer);
} question;

extern const question questions[];
extern const unsigned question_count;

#endif
