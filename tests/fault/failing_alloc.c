/* SPDX-License-Identifier: MIT
 * failing_alloc.c: malloc and its like, put in front of the C library's: the k-th returns NULL.
 * Every block has a mark before and behind it, is filled with rubbish when it is new and when it is
 * freed; a block whose marks are gone ends the process. Under a sanitizer that is the sanitizer's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "failing.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* The libraries are to find these, too. */
#pragma GCC visibility push(default)

const int failing_alloc_is_own = !SANITIZED;

static fault_counter unshared;
fault_counter *failing_allocs = &unshared;

fault_counter *fault_map_counter(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(fault_counter)) != 0)
        return NULL;
    void *map = mmap(NULL, sizeof(fault_counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return map == MAP_FAILED ? NULL : map;
}

static int fails(void)
{
    fault_counter *f = failing_allocs;
    if (!f->armed)
        return 0;
    const uint64_t number = __atomic_add_fetch(&f->seen, 1, __ATOMIC_RELAXED);
    if (f->at == 0 || number < f->at || (number > f->at && !f->persists))
        return 0;
    errno = ENOMEM;
    return 1;
}

static void count(int64_t by)
{
    if (failing_allocs->armed)
        __atomic_add_fetch(&failing_allocs->live, by, __ATOMIC_RELAXED);
}

#if SANITIZED

void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t number, size_t size);
void *__interceptor_realloc(void *block, size_t size);
void *__interceptor_memalign(size_t alignment, size_t size);

static void *take(size_t alignment, size_t size)
{
    (void)count;
    return alignment > 0 ? __interceptor_memalign(alignment, size) : __interceptor_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails() ? NULL : __interceptor_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __interceptor_realloc(block, size);
}

#else

void *__libc_malloc(size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

enum { MARK_SIZE = 16, NEW_BYTE = 0xa5, OLD_BYTE = 0xdd };

/* Stands in front of each block. */
typedef struct head {
    void *whole;
    size_t size;
    uint64_t mark[2];
} head;

static const uint64_t mark_before = 0x6b6361706276b10cu, mark_freed = 0x6565726662766465u;
static const uint8_t mark_behind[MARK_SIZE] = "behind the block";

static void die(const char *what, size_t size)
{
    if (write(STDERR_FILENO, what, size) < 0)
        _exit(99);
    abort();
}
#define DIE(what) die(what, sizeof(what) - 1)

static head *head_of(void *block)
{
    head *h = (head *)block - 1;
    if (h->mark[0] == mark_freed)
        DIE("faults: a block is freed twice\n");
    if (h->mark[0] != mark_before || h->mark[1] != ~mark_before)
        DIE("faults: a block's front is overwritten, or it is none\n");
    if (memcmp((uint8_t *)block + h->size, mark_behind, MARK_SIZE) != 0)
        DIE("faults: a block's end is overwritten\n");
    return h;
}

static void *take(size_t alignment, size_t size)
{
    if (size > PTRDIFF_MAX / 2 || alignment > size + 4096) {
        errno = ENOMEM;
        return NULL;
    }
    const size_t front = alignment > sizeof(head) ? alignment : sizeof(head);
    uint8_t *whole = alignment > _Alignof(max_align_t)
                         ? __libc_memalign(front, front + size + MARK_SIZE)
                         : __libc_malloc(front + size + MARK_SIZE);
    if (!whole)
        return NULL;
    uint8_t *block = whole + front;
    head *h = (head *)(void *)block - 1;
    *h = (head){whole, size, {mark_before, ~mark_before}};
    memset(block, NEW_BYTE, size);
    memcpy(block + size, mark_behind, MARK_SIZE);
    count(1);
    return block;
}

void free(void *block)
{
    if (!block)
        return;
    const int reason = errno;
    head *h = head_of(block);
    void *whole = h->whole;
    memset(block, OLD_BYTE, h->size);
    h->mark[0] = mark_freed;
    count(-1);
    __libc_free(whole);
    errno = reason;
}

void *calloc(size_t number, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(number, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    void *block = fails() ? NULL : take(0, whole);
    return block ? memset(block, 0, whole) : NULL;
}

void *realloc(void *block, size_t size)
{
    if (block && size == 0) {
        free(block);
        return NULL;
    }
    void *moved = fails() ? NULL : take(0, size);
    if (!moved || !block)
        return moved;
    const size_t old = head_of(block)->size;
    memcpy(moved, block, old < size ? old : size);
    free(block);
    return moved;
}

size_t malloc_usable_size(void *block)
{
    return block ? head_of(block)->size : 0;
}

#endif

void *malloc(size_t size)
{
    return fails() ? NULL : take(0, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : take(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : take(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    const int reason = errno;
    void *block = fails() ? NULL : take(alignment, size);
    errno = reason;
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}
