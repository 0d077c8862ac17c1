/* SPDX-License-Identifier: MIT
 * archive.h: writes a zip archive whose bytes depend only on its contents, and reads one.
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stddef.h>
#include <stdint.h>
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

/* An archive that is read from memory, which stays the caller's until it is closed. */
typedef struct archive_reader archive_reader;

typedef enum archive_fault {
    ARCHIVE_NONE,
    ARCHIVE_UNBUILT, /* built without libzip */
    ARCHIVE_DAMAGED, /* or no archive, encrypted, or packed in an unusual way */
    ARCHIVE_LARGE,   /* the file is larger than was asked for */
    ARCHIVE_MEMORY
} archive_fault;

/* NULL: *fault says why. */
archive_reader *archive_open(const void *data, size_t size, archive_fault *fault);
/* How many files it has; the name of one, NULL: none that can be told. */
uint64_t archive_count(const archive_reader *z);
const char *archive_name(const archive_reader *z, uint64_t number);
/* Unpacks a file of at most `most` bytes, however many the archive says it has; a zero stands
 * behind them. *data is the caller's to free in any case. */
archive_fault archive_read(archive_reader *z, uint64_t number, size_t most, char **data,
                           size_t *size);
void archive_close(archive_reader *z);

#endif
