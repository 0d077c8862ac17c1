/* SPDX-License-Identifier: MIT
 * name_table.h: numbers by name.
 */
#ifndef NAME_TABLE_H
#define NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct name_entry {
    char *name;
    uint64_t hash;
    uint32_t value;
} name_entry;

/* Zero-initialise. */
typedef struct name_table {
    name_entry *entries; /* in the order of their coming */
    size_t count, capacity;
    uint32_t *slots; /* entry + 1, or 0 */
    size_t slot_count;
} name_table;

/* Puts the value under the name unless there is one already; *value is then what is there. 0, or -1
 * when memory is out. */
int name_table_put(name_table *t, const char *name, uint32_t *value);
/* The value, or UINT32_MAX. */
uint32_t name_table_get(const name_table *t, const char *name);
void name_table_free(name_table *t);

#endif
