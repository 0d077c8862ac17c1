/* SPDX-License-Identifier: MIT
 * truncation.h: files that get shorter while they are mapped.
 */
#ifndef TRUNCATION_H
#define TRUNCATION_H

/* From now on the program ends with a message, EXIT_INPUT and no output where SIGBUS would kill it:
 * a file that it reads was truncated, or its disk failed. */
void truncation_watch(void);

#endif
