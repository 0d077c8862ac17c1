/* SPDX-License-Identifier: MIT
 * part_table.c: the parts of packed files by their addresses: a sorted array.
 */
#include "store/part_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
    return memcmp(((const part_place *)a)->address, ((const part_place *)b)->address, 16);
}

int part_table_fill(part_table *t, bvp_file *const *files, size_t file_count)
{
    bvp_part_info part;
    bvp_file_info info;
    size_t capacity = 0;
    assert(!t->places && t->count == 0);
    for (size_t i = 0; i < file_count; i++) {
        bvp_get_info(files[i], &info);
        capacity += info.part_count;
    }
    t->places = calloc(capacity + 1, sizeof *t->places);
    if (!t->places)
        return -1;
    for (size_t i = 0; i < file_count; i++)
        for (uint32_t k = 0; bvp_get_part(files[i], k, &part) == BVP_OK; k++) {
            assert(t->count < capacity);
            part_place *next = &t->places[t->count++];
            *next = (part_place){.file = files[i], .part = k};
            memcpy(next->address, part.address, sizeof next->address);
        }
    qsort(t->places, t->count, sizeof *t->places, by_address);
    return 0;
}

const part_place *part_table_find(const part_table *t, const uint8_t address[16])
{
    part_place wanted = {.part = 0};
    memcpy(wanted.address, address, sizeof wanted.address);
    return t->count == 0 ? NULL
                         : bsearch(&wanted, t->places, t->count, sizeof *t->places, by_address);
}

void part_table_free(part_table *t)
{
    free(t->places);
    *t = (part_table){.places = NULL};
}
