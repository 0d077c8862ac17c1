/* SPDX-License-Identifier: MIT
 * without_nameless.c: runs a program as if no file system had files without a name. Usage:
 * without_nameless PROGRAM [ARGUMENT...]; exit code 77 where that can't be done.
 */
#define _GNU_SOURCE
#include <unistd.h>
#include "nameless.h"

int main(int argc, char **argv)
{
    if (argc < 2 || nameless_refuse() != 0)
        return 77;
    execvp(argv[1], argv + 1);
    return 127;
}
