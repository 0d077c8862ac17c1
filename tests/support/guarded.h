/* SPDX-License-Identifier: MIT
 * guarded.h: memory that ends at an unmapped page, for files that may lead a reader past their end.
 */
#ifndef GUARDED_H
#define GUARDED_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
    uint8_t *map, *end;
    size_t map_size;
} guarded;

/* Room for `size` bytes and more before `end`. */
static inline guarded new_guarded(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    guarded g = {.map_size = room + page};
    g.map = mmap(NULL, g.map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g.map, MAP_FAILED);
    g.end = g.map + room;
    ck_assert_int_eq(mprotect(g.end, page, PROT_NONE), 0);
    return g;
}

static inline void free_guarded(guarded *g)
{
    munmap(g->map, g->map_size);
}

#endif
