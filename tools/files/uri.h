/* SPDX-License-Identifier: MIT
 * uri.h: the bytes that a glTF file's uri names: inline base64, or a file beside it.
 */
#ifndef URI_H
#define URI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct uri_bytes {
    const uint8_t *data;
    size_t size;
    int mapped; /* else from malloc */
} uri_bytes;

typedef enum uri_result {
    URI_OK,
    URI_BAD_BASE64,
    URI_FORBIDDEN, /* no plain relative path, or a link leads out of the folder */
    URI_SYSTEM,    /* errno says why */
    URI_NO_MEMORY
} uri_result;

/* uri: NUL-terminated, "data:[type];base64,..." or a relative path, percent-encoded. dir: the
 * folder that paths start from, or NULL: none is allowed. is_any: also paths, and symbolic links,
 * that lead out of it. */
uri_result uri_open(const char *uri, const char *dir, int is_any, uri_bytes *out);
/* A regular file that is not empty, wherever it is; errno is EINVAL when it is another thing. */
uri_result uri_open_path(const char *path, uri_bytes *out);
/* The bytes of an open file, likewise; the descriptor stays the caller's. */
uri_result uri_map(int fd, uri_bytes *out);
/* Is it a plain relative path, with slashes, that does not leave the folder it starts from? */
int uri_is_inside(const char *path);
void uri_close(uri_bytes *bytes);

/* The bytes as base64, on one line. */
void uri_put_base64(FILE *out, const void *data, size_t size);

#endif
