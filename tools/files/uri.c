/* SPDX-License-Identifier: MIT
 * uri.c: the bytes that a glTF file's uri names: inline base64, or a file beside it.
 * Spec: RFC 2397 (data), RFC 3986 (percent-encoding), RFC 4648 (base64)
 */
#include "files/uri.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files/beneath.h"
#include "path/whole_path.h"

/* ---- data: ---------------------------------------------------------------------------------- */

/* Of a digit, also of the URL-safe alphabet; -1 for others. */
static int base64_value(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* data:...;base64,DIGITS; padding may be missing. */
static uri_result open_data(const char *uri, uri_bytes *out)
{
    const char *comma = strchr(uri, ',');
    if (!comma || comma - uri < 7 || strncasecmp(comma - 7, ";base64", 7) != 0)
        return URI_BAD_BASE64;
    const char *text = comma + 1;
    size_t length = strlen(text), used = 0;
    while (length > 0 && text[length - 1] == '=')
        length--;
    const size_t capacity = length / 4 * 3 + 3;
    uint8_t *bytes = malloc(capacity);
    if (!bytes)
        return URI_NO_MEMORY;
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        int value = base64_value((unsigned char)text[i]);
        if (value < 0 || (length % 4 == 1)) {
            free(bytes);
            return URI_BAD_BASE64;
        }
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 > 0) { /* 6, 12, 18 or 24 bits are in: a byte more is complete */
            assert(used < capacity);
            bytes[used++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
    *out = (uri_bytes){.data = bytes, .size = used};
    return URI_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* No scheme, either. */
int uri_is_inside(const char *path)
{
    if (*path == '\0' || *path == '/' || strchr(path, ':') || strchr(path, '\\'))
        return 0;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return 0;
    }
    return 1;
}

uri_result uri_map(int fd, uri_bytes *out)
{
    struct stat file;
    void *data = MAP_FAILED;
    *out = (uri_bytes){0};
    if (fstat(fd, &file) != 0)
        return URI_SYSTEM;
    const size_t size = (size_t)file.st_size;
    if (!S_ISREG(file.st_mode) || file.st_size == 0)
        errno = EINVAL;
    else
        data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return URI_SYSTEM;
    *out = (uri_bytes){.data = data, .size = size, .mapped = 1};
    return URI_OK;
}

/* Takes over the descriptor. */
static uri_result map_and_close(int fd, uri_bytes *out)
{
    *out = (uri_bytes){0};
    if (fd < 0)
        return errno == EXDEV ? URI_FORBIDDEN : URI_SYSTEM;
    const uri_result result = uri_map(fd, out);
    const int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

uri_result uri_open_path(const char *path, uri_bytes *out)
{
    return map_and_close(beneath_open_any(path), out);
}

/* A file's name is percent-encoded; a percent sign that begins no code stands for itself. */
uri_result uri_open(const char *uri, const char *dir, int is_any, uri_bytes *out)
{
    uri_result result = URI_FORBIDDEN;
    *out = (uri_bytes){0};
    if (strncasecmp(uri, "data:", 5) == 0)
        return open_data(uri, out);
    if (!dir)
        return URI_FORBIDDEN;
    char *name = strdup(uri), *to = name;
    if (!name)
        return URI_NO_MEMORY;
    for (const char *from = name; *from; from++) { /* in place: it becomes no longer */
        if (*from == '%' && hex_value(from[1]) >= 0 && hex_value(from[2]) >= 0) {
            *to++ = (char)(hex_value(from[1]) * 16 + hex_value(from[2]));
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    assert((size_t)(to - name) <= strlen(uri));
    *to = '\0';
    if (is_any) {
        const size_t size = strlen(dir) + strlen(name) + 2;
        char *path = malloc(size);
        if (path)
            snprintf(path, size, "%s%s%s", path_is_whole(name) ? "" : dir,
                     path_is_whole(name) ? "" : "/", name);
        result = path ? uri_open_path(path, out) : URI_NO_MEMORY;
        free(path);
    } else if (uri_is_inside(name)) {
        result = map_and_close(beneath_open(dir, name), out);
    }
    free(name);
    return result;
}

void uri_close(uri_bytes *bytes)
{
    if (bytes->mapped)
        munmap((void *)bytes->data, bytes->size);
    else
        free((void *)bytes->data);
    *bytes = (uri_bytes){0};
}

void uri_put_base64(FILE *out, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *from = data;
    for (size_t i = 0; i < size; i += 3) {
        const size_t rest = size - i;
        const uint32_t word = (uint32_t)from[i] << 16 |
                              (rest > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                              (rest > 2 ? from[i + 2] : 0);
        putc(digits[word >> 18], out);
        putc(digits[word >> 12 & 63], out);
        putc(rest > 1 ? digits[word >> 6 & 63] : '=', out);
        putc(rest > 2 ? digits[word & 63] : '=', out);
    }
}
