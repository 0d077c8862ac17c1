/* SPDX-License-Identifier: MIT
 * answer.h: what a public function answers, noted as a digest; and how it fails.
 */
#ifndef TESTS_FAULT_ANSWER_H
#define TESTS_FAULT_ANSWER_H

#include "bvpack.h"

typedef struct answer {
    bvp_status status;
    bvp_error error;
    int has_error;     /* the function that failed says more than a status */
    const char *where; /* its name */
    uint64_t digest;   /* of all that was answered */
} answer;
/* In memory that the process of a case shares with who judges it. */
extern answer *shared;

/* Into the digest. */
void note(const void *data, size_t size);
void note_text(bvp_string text);

/* Says how a case ends: which call failed with which status. Returns -1. */
int end(const char *call, bvp_status status, int has_error);

/* End a case when the call fails; TRY gives it the shared error as its last argument. */
#define ASK(function, ...)                                                                         \
    do {                                                                                           \
        const bvp_status status_ = function(__VA_ARGS__);                                          \
        if (status_ != BVP_OK)                                                                     \
            return end(#function, status_, 0);                                                     \
    } while (0)
#define TRY(function, ...)                                                                         \
    do {                                                                                           \
        shared->error = (bvp_error){.status = BVP_OK};                                             \
        const bvp_status status_ = function(__VA_ARGS__, &shared->error);                          \
        if (status_ != BVP_OK)                                                                     \
            return end(#function, status_, 1);                                                     \
    } while (0)
#define NOTE(value) note(&(value), sizeof(value))

#endif
