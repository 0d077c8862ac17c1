/* SPDX-License-Identifier: MIT
 * memory_text.h: a stream into memory that says when memory was out; open_memstream loses what does
 * not fit and closes as if nothing had happened.
 */
#ifndef MEMORY_TEXT_H
#define MEMORY_TEXT_H

#include <stdio.h>

/* Must stay where it is while it is open. */
typedef struct memory_text {
    FILE *out;  /* NULL: closed */
    char *data; /* after a flush or close: what was written, and a zero behind it */
    size_t size, capacity;
} memory_text;

/* The stream, or NULL: no memory. */
FILE *memory_text_open(memory_text *t);
/* Brings data and size up to date. Returns 0, or -1: something written so far is lost. */
int memory_text_flush(memory_text *t);
/* Returns 0, and data is the caller's to free; or -1: something was lost, and data is NULL. Of one
 * that is not open: -1. */
int memory_text_close(memory_text *t);

#endif
