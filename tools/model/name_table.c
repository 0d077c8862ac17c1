/* SPDX-License-Identifier: MIT
 * name_table.c: numbers by name: a hash table with open addressing, at most half full.
 */
#include "model/name_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"
#include "text/hash64.h"

/* Where the name is, or the free slot where it belongs. At most half of the slots are taken, so
 * there is one. */
static uint32_t *find(const name_table *t, const char *name, uint64_t hash)
{
    assert(t->slot_count > 0 && (t->slot_count & (t->slot_count - 1)) == 0);
    assert(2 * t->count <= t->slot_count);
    size_t at = hash & (t->slot_count - 1);
    for (; t->slots[at]; at = (at + 1) & (t->slot_count - 1)) {
        const name_entry *entry = &t->entries[t->slots[at] - 1];
        if (entry->hash == hash && strcmp(entry->name, name) == 0)
            break;
    }
    return &t->slots[at];
}

int name_table_put(name_table *t, const char *name, uint32_t *value)
{
    const uint64_t hash = hash64(name, strlen(name));
    if (t->count >= UINT32_MAX - 1)
        return -1;
    if (2 * (t->count + 1) > t->slot_count) {
        const size_t larger = t->slot_count ? 2 * t->slot_count : 64;
        uint32_t *slots = calloc(larger, sizeof *slots);
        if (!slots)
            return -1;
        free(t->slots);
        t->slots = slots;
        t->slot_count = larger;
        for (size_t i = 0; i < t->count; i++)
            *find(t, t->entries[i].name, t->entries[i].hash) = (uint32_t)i + 1;
    }
    assert(2 * (t->count + 1) <= t->slot_count); /* also with the new one */
    uint32_t *slot = find(t, name, hash);
    if (*slot) {
        *value = t->entries[*slot - 1].value;
        return 0;
    }
    char *copy = strdup(name);
    if (!copy || array_grow(&t->entries, &t->capacity, t->count + 1, sizeof *t->entries) != 0) {
        free(copy);
        return -1;
    }
    t->entries[t->count++] = (name_entry){.name = copy, .hash = hash, .value = *value};
    *slot = (uint32_t)t->count;
    return 0;
}

uint32_t name_table_get(const name_table *t, const char *name)
{
    if (t->count == 0)
        return UINT32_MAX;
    const uint32_t slot = *find(t, name, hash64(name, strlen(name)));
    return slot ? t->entries[slot - 1].value : UINT32_MAX;
}

void name_table_free(name_table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->entries[i].name);
    free(t->entries);
    free(t->slots);
    *t = (name_table){0};
}
