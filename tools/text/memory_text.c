/* SPDX-License-Identifier: MIT
 * memory_text.c: a stream into memory that says when memory was out.
 */
#define _GNU_SOURCE /* fopencookie */
#include "text/memory_text.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"

#if !HAVE_FOPENCOOKIE
/* Windows and macOS have no such streams of one's own: a temporary file, read when its bytes are
 * asked for. */

FILE *memory_text_open(memory_text *t)
{
    *t = (memory_text){.out = tmpfile()};
    return t->out;
}

int memory_text_flush(memory_text *t)
{
    if (!t->out || fflush(t->out) != 0 || ferror(t->out))
        return -1;
    const off_t end = ftello(t->out);
    const size_t size = end < 0 ? 0 : (size_t)end;
    char *data = end < 0 ? NULL : realloc(t->data, size + 1);
    if (!data)
        return -1;
    t->data = data;
    t->capacity = size + 1;
    const int failed = fseeko(t->out, 0, SEEK_SET) != 0 || fread(data, 1, size, t->out) != size ||
                       fseeko(t->out, end, SEEK_SET) != 0;
    t->size = failed ? 0 : size;
    data[t->size] = '\0';
    return failed ? -1 : 0;
}

int memory_text_close(memory_text *t)
{
    const int failed = memory_text_flush(t) != 0;
    if (t->out)
        fclose(t->out);
    t->out = NULL;
    if (!failed)
        return 0;
    free(t->data);
    *t = (memory_text){.out = NULL};
    return -1;
}
#else
enum { LEAST = 512 };

/* Room for `more` bytes and a zero. */
static int reserve(memory_text *t, size_t more)
{
    if (more > SIZE_MAX / 4 || t->size > SIZE_MAX / 4)
        return -1;
    const size_t needed = t->size + more + 1;
    return array_grow(&t->data, &t->capacity, needed < LEAST ? LEAST : needed, 1);
}

/* The C library takes 0 for an error and keeps it in the stream. */
static ssize_t put(void *user, const char *bytes, size_t size)
{
    memory_text *t = user;
    if (reserve(t, size) != 0) {
        errno = ENOMEM;
        return 0;
    }
    assert(t->size + size < t->capacity); /* and the zero */
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
    t->data[t->size] = '\0';
    return (ssize_t)size;
}

FILE *memory_text_open(memory_text *t)
{
    *t = (memory_text){.out = NULL};
    if (reserve(t, 0) == 0) {
        t->data[0] = '\0';
        t->out = fopencookie(t, "w", (cookie_io_functions_t){.write = put});
    }
    if (!t->out) {
        free(t->data);
        *t = (memory_text){.out = NULL};
    }
    return t->out;
}

int memory_text_flush(memory_text *t)
{
    return t->out && fflush(t->out) == 0 && !ferror(t->out) ? 0 : -1;
}

int memory_text_close(memory_text *t)
{
    const int failed = !t->out || (ferror(t->out) | (fclose(t->out) != 0));
    t->out = NULL;
    if (!failed)
        return 0;
    free(t->data);
    *t = (memory_text){.out = NULL};
    return -1;
}
#endif
