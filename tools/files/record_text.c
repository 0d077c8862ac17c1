/* SPDX-License-Identifier: MIT
 * record_text.c: numbers, texts and bytes as the text of a store's records.
 */
#include "files/record_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "text/hex.h"

/* ---- writing --------------------------------------------------------------------------------- */

void record_put_count(FILE *out, uint64_t value)
{
    fprintf(out, "%" PRIu64 " ", value);
}

void record_put_double(FILE *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fprintf(out, "%" PRIx64 " ", bits);
}

void record_put_data(FILE *out, const char *data, size_t size)
{
    fprintf(out, "%zu:", size);
    fwrite(data, 1, size, out);
    fputc(' ', out);
}

void record_put_text(FILE *out, const char *text)
{
    if (text)
        record_put_data(out, text, strlen(text));
    else
        fputs("- ", out);
}

void record_put_bytes(FILE *out, const uint8_t bytes[16])
{
    char digits[33];
    hex_text(bytes, 16, digits);
    fputs(digits, out);
    fputc(' ', out);
}

void record_put_stamp(FILE *out, const stamp *s)
{
    record_put_count(out, s->inode);
    record_put_count(out, s->size);
    record_put_count(out, s->modified);
    record_put_count(out, s->changed);
}

void record_end_line(FILE *out)
{
    fputc('\n', out);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t get_number(record_reader *r, unsigned base, uint64_t most)
{
    assert((base == 10 || base == 16) && r->at <= r->end);
    const uint64_t last = most / base, rest = most % base; /* no division a digit */
    uint64_t value = 0;
    const char *begin = r->at;
    for (; r->at < r->end && *r->at != ' ' && *r->at != ':'; r->at++) {
        const char c = *r->at;
        const unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                               : c >= 'a'           ? (unsigned)(c - 'a') + 10
                                                    : 99;
        r->bad |= digit >= base || value > last || (value == last && digit > rest);
        value = r->bad ? 0 : value * base + digit;
    }
    r->bad |= r->at == begin || r->at == r->end;
    r->at += !r->bad;
    return r->bad ? 0 : value;
}

uint64_t record_get_count(record_reader *r, uint64_t most)
{
    return get_number(r, 10, most);
}

double record_get_double(record_reader *r)
{
    const uint64_t bits = get_number(r, 16, UINT64_MAX);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *record_get_data(record_reader *r, size_t *size)
{
    const char *data = NULL;
    *size = (size_t)record_get_count(r, INT32_MAX);
    r->bad |= *size >= (uint64_t)(r->end - r->at);
    if (!r->bad) {
        data = r->at;
        r->at += *size + 1;
    }
    return data;
}

char *record_get_text(record_reader *r)
{
    size_t size;
    if (r->end - r->at >= 2 && r->at[0] == '-') {
        r->at += 2;
        return NULL;
    }
    const char *data = record_get_data(r, &size);
    char *text = data ? strndup(data, size) : NULL;
    r->is_out_of_memory |= data && !text;
    r->bad |= !text;
    return text;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void record_get_bytes(record_reader *r, uint8_t bytes[16])
{
    for (int i = 0; i < 16 && !r->bad && r->end - r->at > 2; i++, r->at += 2) {
        const int high = digit_of(r->at[0]), low = digit_of(r->at[1]);
        r->bad |= high < 0 || low < 0;
        bytes[i] = r->bad ? 0 : (uint8_t)(high << 4 | low);
    }
    r->bad |= r->at >= r->end || *r->at != ' ';
    r->at += !r->bad;
}

void record_get_stamp(record_reader *r, stamp *out)
{
    out->inode = record_get_count(r, UINT64_MAX);
    out->size = record_get_count(r, UINT64_MAX);
    out->modified = record_get_count(r, UINT64_MAX);
    out->changed = record_get_count(r, UINT64_MAX);
}

void record_get_end(record_reader *r)
{
    r->bad |= r->at >= r->end || *r->at != '\n';
    r->at += !r->bad;
}

void *record_get_room(record_reader *r, uint64_t count, size_t size)
{
    assert(r->at <= r->end);
    r->bad |= count > (uint64_t)(r->end - r->at);
    void *room = r->bad ? NULL : calloc(count + 1, size);
    r->is_out_of_memory |= !r->bad && !room;
    r->bad |= !room;
    return room;
}
