/* SPDX-License-Identifier: MIT
 * left.h: the folder that a run begins in, and whether it may leave what it leaves there.
 */
#ifndef TESTS_FAULT_LEFT_H
#define TESTS_FAULT_LEFT_H

#include "folder.h"

/* Empties the current folder; `old`: a file that is there before the run, or NULL. */
void left_prepare(const char *old);

typedef enum left_kind {
    LEFT_WHOLE, /* every file as after a run without faults, and no other one */
    LEFT_SOME,  /* such files only, or `old` as it was */
    LEFT_KILLED /* the same, and files of temporary names */
} left_kind;

/* The path of a file that may not be there, or is not as it should be, or is missing; NULL: all is
 * well. `whole`: what a run without faults leaves. */
const char *left_odd(const folder *files, const folder *whole, const char *old, left_kind kind);

int left_is_temporary(const char *path);

#endif
