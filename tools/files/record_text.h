/* SPDX-License-Identifier: MIT
 * record_text.h: numbers, texts and bytes as the text of a store's records: numbers are decimal and
 * end with a space, doubles are the hexadecimal digits of their bits, texts their length, a colon
 * and their bytes.
 */
#ifndef RECORD_TEXT_H
#define RECORD_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include "files/stamp.h"

void record_put_count(FILE *out, uint64_t value);
void record_put_double(FILE *out, double value);
/* text: NULL is another than "". */
void record_put_text(FILE *out, const char *text);
void record_put_data(FILE *out, const char *data, size_t size);
void record_put_bytes(FILE *out, const uint8_t bytes[16]);
void record_put_stamp(FILE *out, const stamp *s);
void record_end_line(FILE *out);

/* A text that is read. Once something is wrong, `bad`, everything that follows is empty. */
typedef struct record_reader {
    const char *at, *end;
    int bad;
    int is_out_of_memory; /* that is why */
} record_reader;

uint64_t record_get_count(record_reader *r, uint64_t most);
double record_get_double(record_reader *r);
/* To be freed, or NULL. */
char *record_get_text(record_reader *r);
/* The same where it lies; *size: its bytes. NULL is taken for wrong. */
const char *record_get_data(record_reader *r, size_t *size);
void record_get_bytes(record_reader *r, uint8_t bytes[16]);
void record_get_stamp(record_reader *r, stamp *out);
void record_get_end(record_reader *r);
/* Room for `count` elements of `size` bytes, each of which takes a line at least: so the text's
 * size bounds what is allocated. */
void *record_get_room(record_reader *r, uint64_t count, size_t size);

#endif
