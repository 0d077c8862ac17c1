/* SPDX-License-Identifier: MIT
 * load.h: reading numbers that may change while they are read: each load happens exactly once, so
 * that a value cannot differ between its check and its use. Each asks for its bytes (arena.h).
 */
#ifndef BVPI_BASE_LOAD_H
#define BVPI_BASE_LOAD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* `p` is aligned as its type asks. */
static inline uint8_t bvpi_load_u8(const void *p)
{
    bvpi_want(p, 1);
    return __atomic_load_n((const uint8_t *)p, __ATOMIC_RELAXED);
}

static inline uint16_t bvpi_load_u16(const void *p)
{
    bvpi_want(p, 2);
    return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
}

static inline uint32_t bvpi_load_u32(const void *p)
{
    bvpi_want(p, 4);
    return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
}

static inline uint64_t bvpi_load_u64(const void *p)
{
    bvpi_want(p, 8);
    return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
}

/* The same at any address; a byte that changes meanwhile may be old or new. The compiler may not
 * read a second time. */
static inline uint16_t bvpi_peek_u16(const void *p)
{
    uint16_t value;
    bvpi_want(p, sizeof value);
    memcpy(&value, p, sizeof value);
    __asm__ volatile("" : "+r"(value));
    return value;
}

static inline uint32_t bvpi_peek_u32(const void *p)
{
    uint32_t value;
    bvpi_want(p, sizeof value);
    memcpy(&value, p, sizeof value);
    __asm__ volatile("" : "+r"(value));
    return value;
}

static inline uint64_t bvpi_peek_u64(const void *p)
{
    uint64_t value;
    bvpi_want(p, sizeof value);
    memcpy(&value, p, sizeof value);
    __asm__ volatile("" : "+r"(value));
    return value;
}

/* Copies a whole record; the compiler may not look at the source again afterwards. */
static inline void bvpi_load_record(void *out, const void *source, size_t size)
{
    bvpi_want(source, size);
    memcpy(out, source, size);
    __asm__ volatile("" : : "r"(out) : "memory");
}

#endif
