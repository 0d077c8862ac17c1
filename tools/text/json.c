/* SPDX-License-Identifier: MIT
 * json.c: writes JSON text to a stream, one value after another, and recognises it.
 * Based on: RFC 8259, The JavaScript Object Notation (JSON) Data Interchange Format, 2017.
 */
#include "text/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "text/hex.h"
#include "text/message.h"

/* ---- writing ------------------------------------------------------------------------------- */

enum { SHAPE_OBJECT = 2, SHAPE_ARRAY = 4 };

void jsonw_start(json *j, FILE *out, int pretty)
{
    memset(j, 0, sizeof *j);
    j->out = out;
    j->pretty = pretty;
    j->inline_from = JSON_DEPTH_MAX;
}

void jsonw_finish(json *j)
{
    fputc('\n', j->out);
}

static void write_line_break(const json *j, int depth)
{
    fputc('\n', j->out);
    for (int i = 0; i < depth; i++)
        fputs("  ", j->out);
}

static void write_string(FILE *out, const char *data, size_t size)
{
    fputc('"', out);
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)data[i];
        uint32_t code = 0;
        size_t length = utf8_decode(data + i, size - i, &code);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (!is_plain(code)) /* all of them are below U+10000 */
            fprintf(out, "\\u%04x", (unsigned)code);
        else
            fwrite(data + i, 1, length, out);
        i += length ? length : 1;
    }
    fputc('"', out);
}

/* What comes before a value: separator, line break, key. */
static void begin_value(json *j, const char *key)
{
    int on_one_line = !j->pretty || j->depth >= j->inline_from;
    /* members of an object have keys, nothing else has one */
    assert(j->depth > 0 ? (key != NULL) == ((j->used[j->depth] & SHAPE_OBJECT) != 0) : !key);
    if (j->depth > 0) {
        if (j->used[j->depth] & 1)
            fputs(on_one_line && j->pretty ? ", " : ",", j->out);
        j->used[j->depth] |= 1;
        if (!on_one_line)
            write_line_break(j, j->depth);
    }
    if (key) {
        write_string(j->out, key, strlen(key));
        fputs(j->pretty ? ": " : ":", j->out);
    }
}

static void open_container(json *j, const char *key, int shape, int on_one_line)
{
    begin_value(j, key);
    fputc(shape == SHAPE_OBJECT ? '{' : '[', j->out);
    j->depth++;
    assert(j->depth < JSON_DEPTH_MAX);
    j->used[j->depth] = shape;
    if (on_one_line && j->inline_from > j->depth)
        j->inline_from = j->depth;
}

void jsonw_object(json *j, const char *key)
{
    open_container(j, key, SHAPE_OBJECT, 0);
}

void jsonw_array(json *j, const char *key)
{
    open_container(j, key, SHAPE_ARRAY, 0);
}

void jsonw_inline_object(json *j, const char *key)
{
    open_container(j, key, SHAPE_OBJECT, 1);
}

void jsonw_inline_array(json *j, const char *key)
{
    open_container(j, key, SHAPE_ARRAY, 1);
}

void jsonw_end(json *j)
{
    assert(j->depth > 0);
    int state = j->used[j->depth];
    int on_one_line = !j->pretty || j->depth >= j->inline_from;
    if (j->depth == j->inline_from)
        j->inline_from = JSON_DEPTH_MAX;
    j->depth--;
    if ((state & 1) && !on_one_line)
        write_line_break(j, j->depth);
    fputc(state & SHAPE_OBJECT ? '}' : ']', j->out);
}

void jsonw_bytes(json *j, const char *key, bvp_string text)
{
    begin_value(j, key);
    write_string(j->out, text.data, text.size);
}

void jsonw_text(json *j, const char *key, const char *text)
{
    if (text)
        jsonw_bytes(j, key, (bvp_string){text, strlen(text)});
    else
        jsonw_null(j, key);
}

void jsonw_null(json *j, const char *key)
{
    begin_value(j, key);
    fputs("null", j->out);
}

void jsonw_count(json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void jsonw_number(json *j, const char *key, double value)
{
    char buffer[32];
    begin_value(j, key);
    /* + 0.0 turns -0 into 0: many readers take -0 for the integer 0 anyway */
    fputs(isfinite(value) ? shortest(value + 0.0, buffer) : "null", j->out);
}

void jsonw_rounded(json *j, const char *key, double value)
{
    char buffer[32];
    begin_value(j, key);
    fputs(isfinite(value) ? rounded(value, buffer) : "null", j->out);
}

void jsonw_bool(json *j, const char *key, int value)
{
    begin_value(j, key);
    fputs(value ? "true" : "false", j->out);
}

void jsonw_hex(json *j, const char *key, const uint8_t *bytes, size_t size)
{
    begin_value(j, key);
    fputc('"', j->out);
    for (size_t i = 0; i < size; i += 16) {
        char digits[33];
        hex_text(bytes + i, size - i < 16 ? size - i : 16, digits);
        fputs(digits, j->out);
    }
    fputc('"', j->out);
}

void jsonw_numbers(json *j, const char *key, const double *values, size_t count)
{
    jsonw_inline_array(j, key);
    for (size_t i = 0; i < count; i++)
        jsonw_number(j, NULL, values[i]);
    jsonw_end(j);
}

void jsonw_embed(json *j, const char *key, const char *text, size_t size)
{
    if (!jsonw_valid(text, size)) {
        jsonw_bytes(j, key, (bvp_string){text, size});
        return;
    }
    begin_value(j, key);
    /* What is not plain is blank between values, or inside a string, where it can be escaped. */
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t code = 0;
        length = utf8_decode(text + i, size - i, &code);
        assert(length > 0); /* valid JSON is UTF-8 */
        if (is_plain(code) || code == '\n')
            fwrite(text + i, 1, length, j->out);
        else if (code < 0x20)
            fputc(' ', j->out);
        else
            fprintf(j->out, "\\u%04x", (unsigned)code);
    }
}

/* ---- recognising --------------------------------------------------------------------------- */

typedef struct scan {
    const char *at, *end;
    int depth;
    char closing[JSON_NEST_MAX]; /* the brackets that end the open containers */
} scan;

static int skip_blank(scan *s)
{
    while (s->at < s->end && memchr(" \t\r\n", *s->at, 4))
        s->at++;
    return s->at < s->end;
}

static int skip_word(scan *s, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(s->end - s->at) < size || memcmp(s->at, word, size) != 0)
        return 0;
    s->at += size;
    return 1;
}

static int skip_digits(scan *s)
{
    const char *first = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > first;
}

static int skip_number(scan *s)
{
    skip_word(s, "-");
    if (!skip_word(s, "0") && !skip_digits(s))
        return 0;
    if (skip_word(s, ".") && !skip_digits(s))
        return 0;
    if (!skip_word(s, "e") && !skip_word(s, "E"))
        return 1;
    if (!skip_word(s, "+"))
        skip_word(s, "-");
    return skip_digits(s);
}

static int skip_string(scan *s)
{
    if (!skip_word(s, "\""))
        return 0;
    while (s->at < s->end && *s->at != '"') {
        size_t length = utf8_length(s->at, (size_t)(s->end - s->at));
        if (length == 0 || (unsigned char)*s->at < 0x20)
            return 0;
        s->at += length;
        if (s->at[-1] != '\\')
            continue;
        if (s->at == s->end)
            return 0;
        const char escape = *s->at++;
        if (escape != 'u' && !memchr("\"\\/bfnrt", escape, 8))
            return 0;
        for (int i = 0; escape == 'u' && i < 4; i++, s->at++)
            if (s->at == s->end || !memchr("0123456789abcdefABCDEF", *s->at, 22))
                return 0;
    }
    return skip_word(s, "\"");
}

static int skip_key(scan *s)
{
    return skip_blank(s) && skip_string(s) && skip_blank(s) && skip_word(s, ":");
}

/* Opens containers until one has closed at once or a scalar has been passed. */
static int skip_value_start(scan *s)
{
    for (;;) {
        assert(s->depth >= 0 && s->depth <= JSON_NEST_MAX && s->at <= s->end);
        if (!skip_blank(s))
            return 0;
        if (*s->at != '{' && *s->at != '[')
            return skip_word(s, "true") || skip_word(s, "false") || skip_word(s, "null") ||
                   (*s->at == '"' ? skip_string(s) : skip_number(s));
        if (s->depth == JSON_NEST_MAX)
            return 0;
        char closing = *s->at == '{' ? '}' : ']';
        s->closing[s->depth++] = closing;
        s->at++;
        if (!skip_blank(s))
            return 0;
        if (*s->at == closing) {
            s->at++;
            s->depth--;
            return 1;
        }
        if (closing == '}' && !skip_key(s))
            return 0;
    }
}

int jsonw_valid(const char *text, size_t size)
{
    scan s = {.at = text, .end = text + size};
    if (!skip_value_start(&s))
        return 0;
    while (skip_blank(&s)) {
        if (s.depth == 0)
            return 0;
        if (*s.at == s.closing[s.depth - 1]) {
            s.at++;
            s.depth--;
        } else if (!skip_word(&s, ",") || (s.closing[s.depth - 1] == '}' && !skip_key(&s)) ||
                   !skip_value_start(&s)) {
            return 0;
        }
    }
    return s.depth == 0;
}
