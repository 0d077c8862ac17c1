/* SPDX-License-Identifier: MIT
 * program.c: the program's main as a function, for tests that run it many times.
 */
#define main program_main
#include "main.c"
