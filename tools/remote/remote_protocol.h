/* SPDX-License-Identifier: MIT
 * remote_protocol.h: what bvpack and bvpack-http, which fetches for it, say to one another.
 *
 * Both programs are of one build on one machine: numbers are in its byte order. bvpack writes to
 * the other's standard input: two u32, how many of the file's first bytes it wants with the first
 * answer and the size of the address; the address; then requests, until it closes the pipe.
 * bvpack-http writes to its standard output an answer to each that is not a hint, the first to the
 * address: a remote_answer, text_size bytes of text, `size` bytes of the file.
 */
#ifndef REMOTE_PROTOCOL_H
#define REMOTE_PROTOCOL_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REMOTE_URL_MAX = 1 << 16,
    REMOTE_TEXT_MAX = 512,
    /* What comes with the first answer: the head of a bvpack file and its first block; or with them
     * the tables of parts and hierarchies, all of them but for thousands of parts. */
    REMOTE_FIRST = 1408 + 16384,
    REMOTE_TABLES = 1 << 20,
    REMOTE_TAIL = 1 << 19, /* then what the end is read with: names, the provenance */
    REMOTE_MOST = 1 << 26, /* bytes in a request: hashes of 137 GB */
    REMOTE_HINT = 1 << 16  /* bytes in a hint: a block, and of a compressed file its frame */
};
#define REMOTE_MAGIC UINT32_C(0x62767032)

typedef struct remote_request {
    uint64_t offset;
    uint32_t size; /* 1 .. REMOTE_MOST */
    uint32_t
        is_hint; /* the same bytes are likely to be requested soon; size: at most REMOTE_HINT */
} remote_request;
static_assert(sizeof(remote_request) == 16, "no padding");

/* text: why it failed; in the first answer, what tells this state of the file from others (an ETag,
 * a date), or nothing. */
typedef struct remote_answer {
    uint32_t magic;
    uint32_t failed;    /* 0, or 1: no bytes follow, the program goes on */
    uint64_t size;      /* of the bytes: all that were asked for; what is wanted at most at first */
    uint64_t file_size; /* as the server says */
    uint32_t text_size; /* at most REMOTE_TEXT_MAX */
    uint32_t reserved;
} remote_answer;
static_assert(sizeof(remote_answer) == 32, "no padding");

/* Both programs have an end of a socket, so that writing to one that has ended is an error of the
 * call and no signal. False: that, or the other end is closed. */
static inline bool remote_write(int fd, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t now = send(fd, (const char *)data + done, size - done, MSG_NOSIGNAL);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0)
            return false;
        done += (size_t)now;
    }
    return true;
}

static inline bool remote_read(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t now = read(fd, (char *)data + done, size - done);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0)
            return false;
        done += (size_t)now;
    }
    return true;
}

#endif
