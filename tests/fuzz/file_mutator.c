/* SPDX-License-Identifier: MIT
 * file_mutator.c: the mutations of targets whose inputs are files: one in eight is libFuzzer's own.
 */
#include "mutate.h"
#include "repair.h"
#include "target.h"

size_t mutate_packed(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t state = seed;
    if (LLVMFuzzerMutate && mutate_random(&state) % 8 == 0) {
        size = LLVMFuzzerMutate(data, size, max_size);
        repair_file(data, size);
    } else
        mutate_file(data, size, &state);
    return size;
}
