/* SPDX-License-Identifier: MIT
 * remote_source.c: a file on a server as a source of bytes: asks bvpack-http, which it starts, and
 * the folder of what was fetched before.
 *
 * The other program's answers are checked as if it were the server: a fault there must not become
 * one here.
 */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "remote/remote_source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/libexec.h"
#include "remote/remote_cache.h"
#include "remote/remote_protocol.h"

extern char **environ;

typedef struct remote {
    pid_t pid;
    int talk; /* our end of its standard input and output */
    uint64_t file_size;
    uint8_t *first; /* the bytes that came with the first answer */
    uint64_t first_size;
    remote_way way;
    unsigned requests;
    uint8_t *tail; /* the last tail_size bytes, or NULL */
    uint64_t tail_size;
    remote_cache cache;
} remote;

bool remote_is(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

static bvp_status refuse(bvp_error *error, bvp_status status, const char *text)
{
    if (error) {
        *error = (bvp_error){.status = status, .offset = UINT64_MAX};
        snprintf(error->message, sizeof error->message, "%s", text);
        for (char *c = error->message; *c; c++) /* it may come from a server, for a terminal */
            if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
                *c = '?';
    }
    return status;
}

static bvp_status refuse_system(bvp_error *error, const char *doing)
{
    char text[160];
    snprintf(text, sizeof text, "cannot %s bvpack-http: %s", doing, strerror(errno));
    return refuse(error, BVP_ERR_SYSTEM, text);
}

/* ---- the socket ------------------------------------------------------------------------------ */

/* text: REMOTE_TEXT_MAX + 1 bytes. out: room for `most` bytes. */
static bvp_status take_answer(const remote *r, remote_answer *a, char *text, void *out,
                              uint64_t most, bvp_error *error)
{
    if (!remote_read(r->talk, a, sizeof *a))
        return refuse(error, BVP_ERR_SYSTEM, "bvpack-http has ended");
    if (a->magic != REMOTE_MAGIC || a->text_size > REMOTE_TEXT_MAX || a->size > most)
        return refuse(error, BVP_ERR_SYSTEM,
                      "the answer of bvpack-http is damaged; is it of this version of bvpack?");
    if (!remote_read(r->talk, text, a->text_size))
        return refuse(error, BVP_ERR_SYSTEM, "bvpack-http has ended");
    text[a->text_size] = '\0';
    if (a->failed)
        return refuse(error, BVP_ERR_SYSTEM, text);
    if (!remote_read(r->talk, out, (size_t)a->size))
        return refuse(error, BVP_ERR_SYSTEM, "bvpack-http has ended");
    return BVP_OK;
}

/* ---- start and end --------------------------------------------------------------------------- */

static void close_remote(void *user)
{
    remote *r = user;
    if (r->talk >= 0)
        close(r->talk);
    if (r->pid > 0) {
        kill(r->pid, SIGTERM); /* it may wait for a server */
        while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    remote_cache_close(&r->cache);
    free(r->first);
    free(r->tail);
    free(r);
}

/* end: what it gets as its standard input and output. */
static int spawn(remote *r, const char *path, int end)
{
    char *arguments[] = {(char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t actions;
    int wrong = posix_spawn_file_actions_init(&actions);
    if (wrong != 0)
        return wrong;
    for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++)
        wrong = wrong ? wrong : posix_spawn_file_actions_adddup2(&actions, end, fd);
    wrong = wrong ? wrong : posix_spawn(&r->pid, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

#ifndef SOCK_CLOEXEC
#define SOCK_CLOEXEC 0 /* macOS; these ends are closed at once */
#endif

/* Both ends are above the standard descriptors, which this program may have been started without.
 */
static int make_pair(int ends[2])
{
    int low[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int reason = errno;
    close(low[0]);
    close(low[1]);
    errno = reason;
    return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

static bvp_status start(remote *r, bvp_error *error)
{
    char path[LIBEXEC_PATH];
    int ends[2] = {-1, -1};
    if (!libexec_find("bvpack-http", path))
        return refuse(error, BVP_ERR_ARGUMENT,
                      "files on servers are read by bvpack-http, which is not installed: bvpack "
                      "was built without libcurl (Debian: libcurl4-openssl-dev)");
    int wrong = make_pair(ends) != 0 ? errno : 0;
    if (wrong == 0)
        wrong = spawn(r, path, ends[1]);
    r->talk = ends[0];
    if (ends[1] >= 0)
        close(ends[1]);
    errno = wrong;
    return wrong == 0 ? BVP_OK : refuse_system(error, "start");
}

/* ---- reading --------------------------------------------------------------------------------- */

static bvp_status fetch(remote *r, uint64_t offset, uint64_t size, void *out, bvp_error *error)
{
    const remote_request request = {.offset = offset, .size = (uint32_t)size};
    char text[REMOTE_TEXT_MAX + 1];
    remote_answer a;
    if (r->way == REMOTE_TWICE && r->requests >= 2)
        return refuse(error, BVP_ERR_AGAIN, "two requests to the server do not bring all of it");
    if (size > REMOTE_MOST)
        return refuse(error, BVP_ERR_LIMIT, "more is wanted at once than bvpack-http gives");
    if (!remote_write(r->talk, &request, sizeof request))
        return refuse_system(error, "write to");
    r->requests++;
    const bvp_status status = take_answer(r, &a, text, out, size, error);
    if (status == BVP_OK && a.size != size)
        return refuse(error, BVP_ERR_SYSTEM, "the server sends fewer bytes than were asked for");
    return status;
}

/* Fetches the tail when the file's end is read: what is asked for, and more. Without memory for it,
 * it is not kept. */
static bvp_status fetch_tail(remote *r, uint64_t offset, uint64_t size, bvp_error *error)
{
    const uint64_t tail = size > REMOTE_TAIL ? size : REMOTE_TAIL;
    if (r->tail || offset + size != r->file_size || r->file_size < tail || tail > REMOTE_MOST ||
        !(r->tail = malloc((size_t)tail)))
        return BVP_OK;
    r->tail_size = tail;
    const bvp_status status = fetch(r, r->file_size - tail, tail, r->tail, error);
    if (status != BVP_OK) {
        free(r->tail);
        r->tail = NULL;
    }
    return status;
}

static bool is_in_first(const remote *r, uint64_t offset, uint64_t size)
{
    return offset < r->first_size && size <= r->first_size - offset;
}

static bool is_in_tail(const remote *r, uint64_t offset)
{
    return r->tail && offset >= r->file_size - r->tail_size;
}

static bvp_status read_remote(void *user, uint64_t offset, uint64_t size, void *out,
                              bvp_error *error)
{
    remote *r = user;
    assert(size > 0);
    if (is_in_first(r, offset, size)) {
        memcpy(out, r->first + offset, (size_t)size);
        return BVP_OK;
    }
    if (r->way != REMOTE_BY_BLOCKS) {
        const bvp_status status = fetch_tail(r, offset, size, error);
        if (status != BVP_OK)
            return status;
    }
    if (is_in_tail(r, offset)) {
        memcpy(out, r->tail + (offset - (r->file_size - r->tail_size)), (size_t)size);
        return BVP_OK;
    }
    if (remote_cache_read(&r->cache, offset, size, out))
        return BVP_OK;
    const bvp_status status = fetch(r, offset, size, out, error);
    if (status == BVP_OK)
        remote_cache_write(&r->cache, offset, size, out);
    return status;
}

/* Lets bvpack-http fetch beside what is read next. If it has ended, the read says so. */
static void hint_remote(void *user, uint64_t offset, uint64_t size)
{
    const remote *r = user;
    const remote_request request = {.offset = offset, .size = (uint32_t)size, .is_hint = 1};
    if (size <= REMOTE_HINT && !is_in_first(r, offset, size) && !is_in_tail(r, offset) &&
        !remote_cache_has(&r->cache, offset, size))
        (void)remote_write(r->talk, &request, sizeof request);
}

bvp_status remote_source(const char *url, remote_way way, bvp_source *out, bvp_error *error)
{
    char text[REMOTE_TEXT_MAX + 1];
    remote_answer a;
    const size_t length = strlen(url);
    const uint32_t sizes[2] = {way == REMOTE_BY_BLOCKS ? REMOTE_FIRST : REMOTE_TABLES,
                               (uint32_t)length};
    if (length > REMOTE_URL_MAX)
        return refuse(error, BVP_ERR_ARGUMENT, "the address is longer than 65536 bytes");
    remote *r = calloc(1, sizeof *r);
    if (!r)
        return refuse(error, BVP_ERR_NO_MEMORY, "out of memory");
    r->talk = -1;
    r->way = way;
    r->requests = 1;
    r->first = malloc(sizes[0]);
    bvp_status status =
        r->first ? start(r, error) : refuse(error, BVP_ERR_NO_MEMORY, "out of memory");
    if (status == BVP_OK &&
        (!remote_write(r->talk, sizes, sizeof sizes) || !remote_write(r->talk, url, length)))
        status = refuse_system(error, "write to");
    if (status == BVP_OK)
        status = take_answer(r, &a, text, r->first, sizes[0], error);
    if (status != BVP_OK) {
        close_remote(r);
        return status;
    }
    r->file_size = a.file_size;
    r->first_size = a.size;
    remote_cache_open(&r->cache, url, text, a.file_size);
    *out = (bvp_source){.size = a.file_size,
                        .read = read_remote,
                        .hint = hint_remote,
                        .close = close_remote,
                        .user = r};
    return BVP_OK;
}
