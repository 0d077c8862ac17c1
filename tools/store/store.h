/* SPDX-License-Identifier: MIT
 * store.h: a folder of packed parts, one file each, named by its address, and of records that say
 * which parts a source file has. Any number of programs may use it at once.
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
    int is_trusted;    /* nobody else writes there: only the hashes of parts are checked */
} store;

/* Makes the folder if there is none. Returns 0, or says what is wrong and returns the exit code. */
int store_open(store *s, const char *folder);
void store_close(store *s);
/* May this process put anything into it? */
int store_is_writable(const store *s);

/* The part of that address, or NULL: undamaged, and held against the rules of the format unless its
 * file has the stamp `own`, of what this process put there (or NULL). Valid until the next call
 * when it is s->passing, else until store_close. */
const bvp_file *store_find(store *s, const uint8_t address[16], const stamp *own);
/* Removes the part of the last store_find, because its file has the wrong content, so that it is
 * stored again; but not if the file could not be examined for lack of memory or descriptors. */
void store_drop(const store *s, const uint8_t address[16]);
/* Does the store have the part, valid as for store_find? *known: the stamp of its file when it was
 * last found valid, or zeros; while the file has this stamp, its bytes are not read. It is updated.
 */
int store_has(store *s, const uint8_t address[16], stamp *known);
/* Does the store have it, with that stamp? From any thread. */
int store_is_unchanged(const store *s, const uint8_t address[16], const stamp *known);
/* Keeps part 0 of the builder under its address. *put: the stamp of its file, or NULL. Returns 0 or
 * the exit code. */
int store_put_part(const store *s, bvp_builder *builder, const uint8_t address[16], stamp *put);
/* Makes stored files survive a power cut; to be called before a file is written that relies on
 * them. store_find detects other damage by a power cut, and the part is stored again. */
void store_sync(const store *s);

/* The record of a source, to be freed, or NULL. Its bytes are those that were put. */
char *store_get_record(const store *s, const uint8_t key[16], size_t *size);
/* Returns 0 or the exit code. */
int store_put_record(const store *s, const uint8_t key[16], const void *data, size_t size);

#endif
