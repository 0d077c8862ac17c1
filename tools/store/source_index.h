/* SPDX-License-Identifier: MIT
 * source_index.h: the files to which a model referred when it was last packed, with their stamps
 * and results: a file whose stamp is unchanged need not be read.
 */
#ifndef SOURCE_INDEX_H
#define SOURCE_INDEX_H

#include <stdio.h>
#include "text/memory_text.h"
#include "model/model.h"
#include "model/name_table.h"
#include "files/stamp.h"

typedef struct source_entry {
    const char *name; /* tells it from the index's other files */
    size_t name_size;
    stamp stamp;
    uint64_t size;
    uint8_t hash[16];   /* of its bytes, bvp_hash */
    const char *record; /* of source_record.h */
    size_t record_size;
    const char *line; /* all of it, where it lies */
    size_t line_size;
    /* What the record says, if the file and its parts have been looked at and are as they were. */
    int is_unchanged;
    model contents;
} source_entry;

/* What was, and what will be. Zero-initialise. */
typedef struct source_index {
    char *text; /* owned */
    source_entry *entries;
    name_table names;
    size_t count;
    memory_text next;
    uint64_t kept_count, added_count;
} source_index;

/* text: as source_index_end made it, from malloc, or NULL: then, and when it is not understood, the
 * index knows nothing. 0, or -1 when memory is out. */
int source_index_begin(source_index *index, char *text, size_t size);
/* The file as it was packed last, or NULL. */
source_entry *source_index_find(const source_index *index, const char *name);
/* Keeps the file in the new index: as it was, or as it is now. */
void source_index_keep(source_index *index, const source_entry *entry);
/* Of `entry` name, stamp, size and hash are looked at; m: what the file gave. 0, or -1 when memory
 * is out. */
int source_index_add(source_index *index, const source_entry *entry, const model *m);
/* *text: what is to be stored, to be freed, NULL when that is what was. 0, or -1. */
int source_index_end(source_index *index, char **text, size_t *size);
void source_index_free(source_index *index);

#endif
