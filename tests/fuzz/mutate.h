/* SPDX-License-Identifier: MIT
 * mutate.h: mutations that know a file's structure, for fuzz targets that read what only a file
 * with right hashes is read as.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* splitmix64 */
static inline uint64_t mutate_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* One number of 1, 2, 4 or 8 bytes somewhere in `bytes` becomes an extreme one, one more or less,
 * or what stands `stride` bytes (a record) or any bytes further on. size: at least 8. */
void mutate_number(uint8_t *bytes, size_t size, size_t stride, uint64_t *state);
/* One to four fields of records, of the sections' directory or of the header; then all hashes and
 * the trailer are made right, and mostly the digests, if there are any. What is no file has single
 * bytes changed. */
void mutate_file(uint8_t *bytes, size_t size, uint64_t *state);

/* libFuzzer's own; NULL in replay. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

#endif
