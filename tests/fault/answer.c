/* SPDX-License-Identifier: MIT
 * answer.c: what a public function answers.
 */
#include "answer.h"

answer *shared;

/* FNV-1a. */
void note(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        shared->digest = (shared->digest ^ bytes[i]) * UINT64_C(0x100000001b3);
}

void note_text(bvp_string text)
{
    note(&text.size, sizeof text.size);
    note(text.data, text.size);
}

int end(const char *call, bvp_status status, int has_error)
{
    shared->where = call;
    shared->status = status;
    shared->has_error = has_error;
    return -1;
}
