/* SPDX-License-Identifier: MIT
 * no_verbs.c: the program's verbs, which its manual lists: tests have none.
 */
#include "cli/manual.h"

const verb *const verbs[] = {NULL};
