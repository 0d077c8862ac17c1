/* SPDX-License-Identifier: MIT
 * store.h: a folder of packed parts, one file each, named by what it holds, and of records that say
 * which of them a source file gives. Any number of programs may use it at once.
 */
#ifndef STORE_H
#define STORE_H

#include <limits.h>
#include <stddef.h>
#include "bvpack_build.h"
#include "files/stamp.h"

enum { STORE_OPEN_MOST = 16384 }; /* parts that stay mapped; a process may map some 65,000 things */

typedef struct store_slot {
    uint8_t address[16];
    bvp_file *file;
} store_slot;

typedef struct store {
    char folder[PATH_MAX];
    store_slot *slots; /* 2 * STORE_OPEN_MOST, by address; file NULL: free */
    size_t open_count;
    bvp_file *passing; /* what was found last beyond these */
    bvp_status status; /* of what was found last, or why it was not */
    int is_trusted;    /* nobody else writes there: parts are held against their hashes only */
} store;

/* Makes the folder if there is none. Returns 0, or says what is wrong and returns the exit code. */
int store_open(store *s, const char *folder);
void store_close(store *s);
/* May this process put anything into it? */
int store_is_writable(const store *s);

/* The part of that address, or NULL: undamaged, and held against the rules of the format unless its
 * file has the stamp `own`, of what this process put there (or NULL). Valid until the next call,
 * and when store_keeps until store_close. */
const bvp_file *store_find(store *s, const uint8_t address[16], const stamp *own);
int store_keeps(const store *s, const bvp_file *found);
/* Removes the part that store_find was asked for last, as its file is not what is wanted, so that
 * it is put again; but not one that memory or descriptors did not suffice to look at. */
void store_drop(const store *s, const uint8_t address[16]);
/* Is the part there, and sound, as of store_find? *known: the stamp of its file when it was found
 * sound before, or zeros; while the file has it, its bytes are not looked at. It is brought up to
 * date. */
int store_has(store *s, const uint8_t address[16], stamp *known);
/* Is it there, with that stamp? From any thread. */
int store_is_unchanged(const store *s, const uint8_t address[16], const stamp *known);
/* Keeps part 0 of the builder under its address. *put: the stamp of its file, or NULL. Returns 0 or
 * the exit code. */
int store_put_part(const store *s, bvp_builder *builder, const uint8_t address[16], stamp *put);
/* Makes what was put survive a power cut; before a file is written that relies on it. What a cut
 * damages otherwise store_find finds, and it is put again. */
void store_sync(const store *s);

/* The record of a source, to be freed, or NULL. Its bytes are those that were put. */
char *store_get_record(const store *s, const uint8_t key[16], size_t *size);
/* Returns 0 or the exit code. */
int store_put_record(const store *s, const uint8_t key[16], const void *data, size_t size);

#endif
