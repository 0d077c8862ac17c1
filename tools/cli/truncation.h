/* SPDX-License-Identifier: MIT
 * truncation.h: ends the program when a file is truncated while it is mapped.
 */
#ifndef TRUNCATION_H
#define TRUNCATION_H

/* From now on the program ends with a message, EXIT_INPUT and no output where SIGBUS would kill it:
 * a file that it reads was truncated, or its disk failed. */
void truncation_watch(void);

#endif
