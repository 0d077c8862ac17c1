/* SPDX-License-Identifier: MIT
 * json.h: writes JSON text to a stream, one value after another.
 */
#ifndef JSON_H
#define JSON_H

#include <stdint.h>
#include <stdio.h>
#include "bvpack.h"

enum { JSON_DEPTH_MAX = 16 };

typedef struct json {
    FILE *out;
    int pretty; /* nonzero: indented lines; zero: one line */
    int depth;
    int used[JSON_DEPTH_MAX]; /* the open container already has a value */
    int inline_from;          /* containers at this depth and deeper stay on one line */
} json;

void jsonw_start(json *j, FILE *out, int pretty);
/* Ends the text with a newline. All containers must be closed. */
void jsonw_finish(json *j);

/* key: NULL inside an array and for the outermost value. */
void jsonw_object(json *j, const char *key);
void jsonw_array(json *j, const char *key);
void jsonw_inline_array(json *j, const char *key); /* on one line even when pretty */
void jsonw_inline_object(json *j, const char *key);
void jsonw_end(json *j); /* closes the innermost container */

void jsonw_text(json *j, const char *key, const char *text); /* NULL: null */
/* Invalid UTF-8 becomes U+FFFD, so that the output is always valid. */
void jsonw_bytes(json *j, const char *key, bvp_string text);
void jsonw_count(json *j, const char *key, uint64_t value);
void jsonw_number(json *j, const char *key,
                  double value); /* shortest exact form; not finite: null */
void jsonw_rounded(json *j, const char *key, double value); /* as `rounded` of message.h has it */
void jsonw_bool(json *j, const char *key, int value);
void jsonw_null(json *j, const char *key);
void jsonw_hex(json *j, const char *key, const uint8_t *bytes, size_t size);
void jsonw_numbers(json *j, const char *key, const double *values, size_t count);
/* Text that is JSON already goes in as it is; other text as a string. */
void jsonw_embed(json *j, const char *key, const char *text, size_t size);

/* Is `text` exactly one JSON value (RFC 8259), at most JSON_NEST_MAX deep? */
enum { JSON_NEST_MAX = 512 };
int jsonw_valid(const char *text, size_t size);

#endif
