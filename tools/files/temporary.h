/* SPDX-License-Identifier: MIT
 * temporary.h: names of unfinished files, to be removed when a signal ends the program.
 */
#ifndef TEMPORARY_H
#define TEMPORARY_H

/* From now on a signal that ends the program removes what is listed first. Once, so that a handler
 * that a verb puts in front stays. */
void temporary_watch(void);
/* Lists a file, before it is made. From any thread. Returns what temporary_spare takes, or -1: the
 * list is full, and the next run removes the file if a signal ends this one. Does not return once
 * a signal is ending the program. */
int temporary_doom(const char *path);
/* The same in place of what *slot, an int, lists; for bvpi_publish_open_watched. */
void temporary_redoom(void *slot, const char *path);
/* The file has its final name or is gone. */
void temporary_spare(int slot);
/* Removes all that are listed, and lets no more be made; for a signal's handler that ends the
 * program. */
void temporary_remove_all(void);

#endif
