/* SPDX-License-Identifier: MIT
 * glb_edit.c: a GLB with an entry added to its JSON text and a chunk to its end. The text is not
 * written anew: numbers, order and blanks of its author stay, so a diff shows what was added.
 * Spec: Khronos glTF 2.0, chapters 3.12 and 4
 */
#include "attach/glb_edit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 12, CHUNK_HEAD = 8, PAGE = 4096 };

static uint32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

const char *glb_take_apart(const void *bytes, size_t size, glb_parts *out, uint64_t *at)
{
    const uint8_t *b = bytes;
    *at = 0;
    if (size < HEAD + CHUNK_HEAD || memcmp(b, "glTF", 4) != 0 || word_at(b + 4) != 2)
        return "expected a GLB of version 2, which begins with \"glTF\"";
    *at = 8;
    if (word_at(b + 8) != size)
        return "the length in its head is not the file's";
    *at = HEAD;
    const uint64_t text_size = word_at(b + HEAD);
    if (memcmp(b + HEAD + 4, "JSON", 4) != 0 || text_size > size - HEAD - CHUNK_HEAD ||
        text_size % 4 != 0)
        return "its first chunk is no JSON text that fits";
    out->text = (const char *)b + HEAD + CHUNK_HEAD;
    out->text_size = (size_t)text_size;
    while (out->text_size > 0 && (unsigned char)out->text[out->text_size - 1] <= ' ')
        out->text_size--;
    out->rest = b + HEAD + CHUNK_HEAD + text_size;
    out->rest_size = size - HEAD - CHUNK_HEAD - (size_t)text_size;
    for (size_t from = 0; from < out->rest_size;) {
        const size_t left = out->rest_size - from;
        *at = (uint64_t)(out->rest - b) + from;
        if (left < CHUNK_HEAD || word_at(out->rest + from) > left - CHUNK_HEAD ||
            word_at(out->rest + from) % 4 != 0)
            return "a chunk does not fit the file";
        from += CHUNK_HEAD + word_at(out->rest + from);
    }
    return NULL;
}

/* ---- the JSON text --------------------------------------------------------------------------- */

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
    while (at < size && (unsigned char)text[at] <= ' ')
        at++;
    return at;
}

/* The text is valid JSON: what comes after the string that begins at `at`. */
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < size ? at + 1 : size;
}

static size_t skip_value(const char *text, size_t size, size_t at)
{
    size_t depth = 0;
    do {
        at = skip_blanks(text, size, at);
        if (at >= size)
            return size;
        if (text[at] == '"') {
            at = skip_string(text, size, at);
            continue;
        }
        if (text[at] == '{' || text[at] == '[')
            depth++;
        else if (text[at] == '}' || text[at] == ']')
            depth--;
        at++;
        while (depth == 0 && at < size && !strchr(",}] \t\r\n", text[at]))
            at++; /* of a number or a word */
    } while (depth > 0);
    return at;
}

/* Where the value of the root's first member of this name begins; 0: it has none. */
static size_t find_member(const char *text, size_t size, const char *name)
{
    const size_t length = strlen(name);
    size_t at = skip_blanks(text, size, 0) + 1; /* after the brace */
    while (at < size) {
        const size_t key = skip_blanks(text, size, at);
        if (key >= size || text[key] != '"')
            return 0;
        const size_t end = skip_string(text, size, key);
        const size_t value = skip_blanks(text, size, skip_blanks(text, size, end) + 1);
        if (end - key == length + 2 && memcmp(text + key + 1, name, length) == 0)
            return value;
        at = skip_blanks(text, size, skip_value(text, size, value));
        if (at >= size || text[at] != ',')
            return 0;
        at++;
    }
    return 0;
}

/* The text with something put in; frees it. NULL: out of memory. */
static char *put_in(char *text, size_t *size, size_t at, const char *what, const char *after)
{
    const size_t a = strlen(what), b = strlen(after);
    char *out = malloc(*size + a + b + 1);
    assert(at <= *size);
    if (out) {
        memcpy(out, text, at);
        memcpy(out + at, what, a);
        memcpy(out + at + a, after, b);
        memcpy(out + at + a + b, text + at, *size - at);
        *size += a + b;
        out[*size] = '\0';
    }
    free(text);
    return out;
}

/* Puts `inner` into the root's member of this name, an object or an array, or adds that. */
static char *add_to_member(char *text, size_t *size, const char *name, const char *inner,
                           const char brackets[3])
{
    const size_t member = find_member(text, *size, name), length = strlen(inner);
    if (member > 0 && text[member] == brackets[0]) {
        const size_t next = skip_blanks(text, *size, member + 1);
        return put_in(text, size, member + 1, inner, text[next] == brackets[1] ? "" : ",");
    }
    const size_t first = skip_blanks(text, *size, 0) + 1;
    const size_t next = skip_blanks(text, *size, first);
    char *whole = malloc(length + strlen(name) + 8);
    if (!whole) {
        free(text);
        return NULL;
    }
    sprintf(whole, "\"%s\":%c%s%c", name, brackets[0], inner, brackets[1]);
    char *out = put_in(text, size, first, whole, text[next] == '}' ? "" : ",");
    free(whole);
    return out;
}

char *glb_add_extension(const glb_parts *glb, const char *name, const char *value, size_t *size)
{
    const size_t room = strlen(name) + strlen(value) + 8;
    char *text = malloc(glb->text_size + 1), *inner = malloc(room);
    *size = glb->text_size;
    if (!text || !inner) {
        free(text);
        free(inner);
        return NULL;
    }
    memcpy(text, glb->text, glb->text_size);
    text[glb->text_size] = '\0';
    snprintf(inner, room, "\"%s\":%s", name, value);
    text = add_to_member(text, size, "extensions", inner, "{}");
    snprintf(inner, room, "\"%s\"", name);
    if (text)
        text = add_to_member(text, size, "extensionsUsed", inner, "[]");
    free(inner);
    return text;
}

/* ---- the container --------------------------------------------------------------------------- */

static uint64_t padded(uint64_t size)
{
    return (size + 3) / 4 * 4;
}

uint64_t glb_attached_offset(size_t text_size, const glb_parts *glb)
{
    const uint64_t least = HEAD + CHUNK_HEAD + padded(text_size) + glb->rest_size + CHUNK_HEAD;
    return (least + PAGE - 1) / PAGE * PAGE;
}

static void put_u32(FILE *out, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        fputc((int)(value >> (8 * i) & 255), out);
}

/* room: of the JSON text with the blanks after it. */
static void write_front(FILE *out, const char *text, size_t text_size, uint64_t room,
                        const glb_parts *glb, uint64_t total)
{
    assert(total <= UINT32_MAX && room >= text_size && room % 4 == 0);
    fwrite("glTF", 1, 4, out);
    put_u32(out, 2);
    put_u32(out, total);
    put_u32(out, room);
    fwrite("JSON", 1, 4, out);
    fwrite(text, 1, text_size, out);
    for (uint64_t i = text_size; i < room; i++)
        fputc(' ', out);
    fwrite(glb->rest, 1, glb->rest_size, out);
}

void glb_write(FILE *out, const char *text, size_t text_size, const glb_parts *glb,
               const char type[4], const void *bytes, size_t size)
{
    const uint64_t offset = glb_attached_offset(text_size, glb);
    const uint64_t room = offset - HEAD - 2 * CHUNK_HEAD - glb->rest_size;
    write_front(out, text, text_size, room, glb, offset + padded(size));
    put_u32(out, padded(size));
    fwrite(type, 1, 4, out);
    fwrite(bytes, 1, size, out);
    for (uint64_t i = size; i < padded(size); i++)
        fputc(0, out);
}

void glb_write_plain(FILE *out, const char *text, size_t text_size, const glb_parts *glb)
{
    const uint64_t room = padded(text_size);
    write_front(out, text, text_size, room, glb, HEAD + CHUNK_HEAD + room + glb->rest_size);
}
