/* SPDX-License-Identifier: MIT
 * input.h: the bytes of a whole file, mapped; of standard input, read.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>

typedef struct input {
    const void *data; /* page-aligned; NULL when size is 0 */
    size_t size;
    int mapped; /* else from malloc, or empty */
    int fd;     /* of the file that is mapped, else -1 */
} input;

/* path "-": standard input. Returns 0, or says what is wrong and returns the exit code. */
int input_open(input *in, const char *path);
void input_close(input *in);

/* Do both paths name one existing file? */
int same_file(const char *a, const char *b);
/* What follows the last slash. */
const char *base_name(const char *path);
/* What precedes it, "." when nothing does. Not 0: it does not fit. */
int folder_of(const char *path, char *out, size_t capacity);

#endif
