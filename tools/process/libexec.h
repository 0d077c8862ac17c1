/* SPDX-License-Identifier: MIT
 * libexec.h: where the programs are that bvpack starts, and what it reads.
 */
#ifndef LIBEXEC_H
#define LIBEXEC_H

#include <stdbool.h>

enum { LIBEXEC_PATH = 4096 };

/* In $BVPACK_LIBEXEC when it is set; else beside this program or where it is installed. */
bool libexec_find(const char *name, char path[LIBEXEC_PATH]);
/* The same for a file that is read, such as the viewer. */
bool libexec_find_data(const char *name, char path[LIBEXEC_PATH]);

#endif
