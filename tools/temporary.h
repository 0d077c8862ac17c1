/* SPDX-License-Identifier: MIT
 * temporary.h: names of unfinished files, to be removed when a signal ends the program.
 */
#ifndef TEMPORARY_H
#define TEMPORARY_H

/* From now on a signal that ends the program removes what is listed first. Once, so that a handler
 * that a verb puts in front stays. */
void temporary_watch(void);
/* Lists a file. From any thread. Returns what temporary_spare takes, or -1: the list is full, and
 * the next run removes the file if a signal ends this one. */
int temporary_doom(const char *path);
/* The file has its final name or is gone. */
void temporary_spare(int slot);
/* Removes all that are listed; for a signal's handler that ends the program. */
void temporary_remove_all(void);

#endif
