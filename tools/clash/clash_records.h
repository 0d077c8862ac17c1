/* SPDX-License-Identifier: MIT
 * clash_records.h: hashed records in a file: what a clash run has found so far, or its share.
 */
#ifndef CLASH_RECORDS_H
#define CLASH_RECORDS_H

#include <stdio.h>
#include "bvpack_clash.h"

/* "CLT1" and later. A state is a head, pairs, each in a record of its own, and marks; a share is a
 * head, records of many pairs, and one mark. */
typedef enum clash_record_kind {
    CLASH_RECORD_NONE = 0,
    CLASH_RECORD_STATE = 0x31544c43,
    CLASH_RECORD_PAIR,
    CLASH_RECORD_MARK,
    CLASH_RECORD_SHARE,
    CLASH_RECORD_PAIRS,
    CLASH_RECORD_END
} clash_record_kind;
enum { CLASH_RECORD_HEAD = 24, CLASH_RECORD_MAX = 1 << 20 };

/* Writes a record. Nonzero: errno. */
int clash_record_put(FILE *stream, clash_record_kind kind, const void *data, uint32_t size);
/* Reads a whole record of at most `capacity` bytes; CLASH_RECORD_NONE: there is none. */
clash_record_kind clash_record_get(FILE *stream, void *data, uint32_t capacity, uint32_t *size);

/* The position of a run, between two instances of the first file. */
typedef struct clash_mark {
    uint32_t done, total; /* all pairs with a < done are in the file */
    bvp_clash_coverage coverage;
    uint64_t row_count; /* of a share: its pairs */
} clash_mark;

/* The scope of a run: the pairs that its file may hold. */
typedef struct clash_scope {
    uint32_t count_a, count_b; /* instances of the first file, of the second or the first again */
    int is_same;               /* there is one file: a < b */
} clash_scope;

/* Could a run of this scope have written the pair? */
int clash_scope_takes(const clash_scope *scope, const bvp_clash_pair *pair);
/* Could any run have counted so? */
int clash_coverage_is_sound(const bvp_clash_coverage *coverage);
/* Does the pair come behind the other one? */
int clash_pair_is_after(const bvp_clash_pair *pair, const bvp_clash_pair *before);

typedef int (*clash_pair_fn)(void *user, const bvp_clash_pair *pair);

/* Many pairs in few bytes: of each only the words in which it is not as could be expected of the
 * one before. In this machine's byte order. */
typedef struct clash_pack {
    uint8_t *bytes; /* of CLASH_RECORD_MAX; from malloc */
    uint32_t size;
    bvp_clash_pair last;
} clash_pack;

/* Nonzero: it is full. */
int clash_pack_add(clash_pack *pack, const bvp_clash_pair *pair);
/* Empties it. */
void clash_pack_begin(clash_pack *pack);
/* Calls for each pair of the bytes, until a call returns nonzero; returns what it did last, or -1:
 * these are no pairs. */
int clash_pack_each(const uint8_t *bytes, uint32_t size, clash_pair_fn callback, void *user);

#endif
