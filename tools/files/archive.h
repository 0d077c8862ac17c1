/* SPDX-License-Identifier: MIT
 * archive.h: writes a zip archive whose bytes depend only on its contents.
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stddef.h>
#include <stdio.h>

typedef struct archive archive;

/* Was the program built with libzip? Without it archive_new returns NULL. */
int archive_is_there(void);

/* created: ISO 8601, the time that every entry carries. Entries wait in a file without a name: a
 * few hundred bytes of memory an entry. NULL: no memory, or no room for that file. */
archive *archive_new(const char *created);
/* Adds a file. Data that is already compressed should only be stored. Returns 0 when there is no
 * room. */
int archive_add(archive *z, const char *name, const void *data, size_t size, int store);
/* Adds all that was written to a file without a name, compressed. Returns 0 when there is no room.
 */
int archive_add_file(archive *z, const char *name, FILE *from);
/* Writes the archive to `out`, from front to back, in the order of the entries. NULL, or what went
 * wrong. */
const char *archive_write(archive *z, FILE *out);
void archive_free(archive *z);

#endif
