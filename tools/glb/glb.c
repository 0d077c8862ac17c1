/* SPDX-License-Identifier: MIT
 * glb.c: the container of a GLB file, for writers.
 * Spec: Khronos glTF 2.0, chapter 4
 */
#include "glb/glb.h"

#include <assert.h>
#include <string.h>

static uint64_t padded(uint64_t size)
{
    return (size + 3) / 4 * 4;
}

uint64_t glb_size(uint64_t text_size, uint64_t data_size)
{
    return 12 + 8 + padded(text_size) + (data_size ? 8 + data_size : 0);
}

static void put_u32(uint64_t value, FILE *out)
{
    for (int i = 0; i < 4; i++)
        fputc((int)(value >> (8 * i) & 255), out);
}

void glb_begin(FILE *out, uint64_t text_size, uint64_t data_size)
{
    assert(glb_size(text_size, data_size) <= UINT32_MAX);
    fwrite("glTF", 1, 4, out);
    put_u32(2, out);
    put_u32(glb_size(text_size, data_size), out);
    put_u32(padded(text_size), out);
    fwrite("JSON", 1, 4, out);
}

void glb_middle(FILE *out, uint64_t text_size, uint64_t data_size)
{
    fwrite("   ", 1, (size_t)(padded(text_size) - text_size), out);
    if (data_size == 0)
        return;
    put_u32(data_size, out);
    fwrite("BIN", 1, 4, out);
}

void glb_words(FILE *out, const void *words, uint64_t count)
{
    enum { BLOCK = 1024 };
    const char *from = words;
    uint8_t bytes[4 * BLOCK];
    for (uint64_t done = 0; done < count; done += BLOCK) {
        const size_t block = count - done < BLOCK ? (size_t)(count - done) : BLOCK;
        for (size_t i = 0; i < block; i++) {
            uint32_t word;
            memcpy(&word, from + 4 * (done + i), sizeof word);
            for (int k = 0; k < 4; k++)
                bytes[4 * i + k] = (uint8_t)(word >> (8 * k));
        }
        fwrite(bytes, 4, block, out);
    }
}
