/* SPDX-License-Identifier: MIT
 * import_send.c: the importing process's side of import_protocol.h.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "import/import_send.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "import/import_confine.h"
#include "text/array.h"

#ifdef MSG_CMSG_CLOEXEC
#define CLOSED_ON_EXEC MSG_CMSG_CLOEXEC
#else
#define CLOSED_ON_EXEC 0 /* macOS; an importer starts no program */
#endif

struct import_sender {
    uint32_t sequence, part_count, node_count;
    size_t used, capacity;
    uint8_t *payload; /* of the message that is being built */
};

enum { STATUS_LOST = 1 };

static void write_all(const void *data, uint64_t size)
{
    const char *p = data;
    while (size > 0) {
        const size_t most = size < (1 << 30) ? (size_t)size : (size_t)1 << 30;
        const ssize_t done = write(IMPORT_DESCRIPTOR, p, most);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            _exit(STATUS_LOST);
        assert((size_t)done <= most);
        p += done;
        size -= (uint64_t)done;
    }
}

static void send_bytes(import_sender *s, import_kind kind, const void *data, uint64_t size)
{
    import_frame frame = {.kind = kind, .sequence = s->sequence++, .size = size};
    bvp_hash(data, (size_t)size, frame.hash);
    bvp_hash(&frame, sizeof frame, frame.hash);
    write_all(&frame, sizeof frame);
    write_all(data, size);
}

static void send_payload(import_sender *s, import_kind kind)
{
    assert(s->used <= s->capacity);
    send_bytes(s, kind, s->payload, s->used);
    s->used = 0;
}

static void out_of_memory(void)
{
    _exit(IMPORT_OUT_OF_MEMORY);
}

static void put(import_sender *s, const void *data, size_t size)
{
    if (array_grow(&s->payload, &s->capacity, s->used + size, 1) != 0)
        out_of_memory();
    memcpy(s->payload + s->used, data, size);
    s->used += size;
}

static void put_text(import_sender *s, const char *text)
{
    const uint32_t size = text ? (uint32_t)strlen(text) : IMPORT_NONE;
    put(s, &size, sizeof size);
    if (text)
        put(s, text, size);
}

static void put_count(import_sender *s, uint64_t count)
{
    put(s, &count, sizeof count);
}

/* NULL: it can't be mapped, or is empty. */
static const uint8_t *map_file(int fd, size_t *size)
{
    struct stat file;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size <= 0)
        return NULL;
    void *data = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    *size = (size_t)file.st_size;
    return data == MAP_FAILED ? NULL : data;
}

import_sender *import_send_start(int argc, char **argv, import_task *task)
{
    enum { FORMAT = 1, CHORD, ANGLE, THREADS, DROP, SPACES, MEMORY, SECONDS, NAME, COUNT };
    const uint32_t version[2] = {IMPORT_VERSION, 0};
    if (fcntl(IMPORT_DESCRIPTOR, F_GETFD) < 0 || argc != COUNT)
        return NULL;
    *task = (import_task){.format = argv[FORMAT],
                          .chord = strtod(argv[CHORD], NULL),
                          .angle = strtod(argv[ANGLE], NULL),
                          .thread_count = atoi(argv[THREADS]),
                          .drop_invalid = atoi(argv[DROP]),
                          .name = argv[NAME]};
    task->data = map_file(IMPORT_FILE_DESCRIPTOR, &task->size);
    if (!task->data)
        return NULL;
    const char *refused =
        import_confine(strtoull(argv[MEMORY], NULL, 10), strtoull(argv[SECONDS], NULL, 10));
    import_sender *s = calloc(1, sizeof *s);
    if (!s)
        out_of_memory();
    /* Libraries in C++ catch what `new` throws when memory runs out, and some continue with half a
     * model. So a handler of std::set_new_handler ends the process first. This file is C: it finds
     * that function by its name in the loaded libraries, if one of them is in C++. */
    typedef void (*handler)(void);
    void *found = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
    handler (*set_new_handler)(handler);
    memcpy(&set_new_handler, &found, sizeof set_new_handler);
    if (found)
        set_new_handler(out_of_memory);
    put(s, IMPORT_MAGIC, 8);
    put(s, version, sizeof version);
    send_payload(s, IMPORT_START);
    if (refused) {
        char text[160];
        snprintf(text, sizeof text,
                 "the model is not read: the system refused the importing process %s", refused);
        import_send_failure(s, BVP_ERR_SYSTEM, text);
    }
    return s;
}

static uint32_t send_part(import_sender *s, const import_part *part, const char *name,
                          const void *positions, const uint32_t *indices, const uint32_t *ids)
{
    const size_t width = 3 * (part->is_float ? sizeof(float) : sizeof(double));
    assert(s->used == 0); /* one message is built at a time */
    put(s, part, sizeof *part);
    put_text(s, name);
    send_payload(s, IMPORT_PART);
    send_bytes(s, IMPORT_POSITIONS, positions, part->vertex_count * width);
    send_bytes(s, IMPORT_INDICES, indices, part->triangle_count * 3 * sizeof *indices);
    if (ids)
        send_bytes(s, IMPORT_IDS, ids, part->triangle_count * sizeof *ids);
    return s->part_count++;
}

uint32_t import_send_part(import_sender *s, const char *name, const double *positions,
                          uint64_t vertex_count, const uint32_t *indices, uint64_t triangle_count,
                          const uint32_t *ids)
{
    const import_part part = {vertex_count, triangle_count, ids != NULL, 0};
    return send_part(s, &part, name, positions, indices, ids);
}

uint32_t import_send_part_of_floats(import_sender *s, const char *name, const float *positions,
                                    uint64_t vertex_count, const uint32_t *indices,
                                    uint64_t triangle_count)
{
    const import_part part = {vertex_count, triangle_count, 0, 1};
    return send_part(s, &part, name, positions, indices, NULL);
}

void import_send_colours(import_sender *s, colour_runs *runs)
{
    const char *text = colour_runs_text(runs);
    if (runs->is_out_of_memory)
        out_of_memory();
    if (runs->is_too_long)
        import_send_warning(s, 1, "meshes with so many colours that none is kept");
    if (!text)
        return;
    put_text(s, text);
    send_payload(s, IMPORT_COLOURS);
}

uint32_t import_send_node(import_sender *s, const import_node *node, const char *name,
                          const char *source_id, const import_property *properties)
{
    assert(s->used == 0);
    put(s, node, sizeof *node);
    put_text(s, name);
    put_text(s, source_id);
    for (uint32_t i = 0; i < node->property_count; i++) {
        put_text(s, properties[i].key);
        put_text(s, properties[i].value);
    }
    send_payload(s, IMPORT_NODE);
    return s->node_count++;
}

void import_send_warning(import_sender *s, uint64_t count, const char *text)
{
    if (count == 0)
        return;
    put_count(s, count);
    put_text(s, text);
    send_payload(s, IMPORT_WARNING);
}

void import_send_progress(import_sender *s, uint64_t done, uint64_t total)
{
    put_count(s, done);
    put_count(s, total);
    send_payload(s, IMPORT_PROGRESS);
}

/* The descriptor comes with the one byte of the answer, or not. */
const uint8_t *import_send_ask(import_sender *s, const char *name, size_t *size)
{
    char byte = 0;
    union {
        struct cmsghdr first;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec place = {&byte, 1};
    struct msghdr message = {.msg_iov = &place,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got;
    put_text(s, name);
    send_payload(s, IMPORT_FILE);
    do
        got = recvmsg(IMPORT_SOCKET_DESCRIPTOR, &message, CLOSED_ON_EXEC);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    int fd = -1;
    if (got == 1 && byte && header && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
    if (fd < 0)
        return NULL;
    const uint8_t *data = map_file(fd, size);
    close(fd);
    return data;
}

void import_send_end(import_sender *s, const import_end *end, const char *format)
{
    import_end counted = *end;
    counted.part_count = s->part_count;
    counted.node_count = s->node_count;
    put(s, &counted, sizeof counted);
    put_text(s, format);
    send_payload(s, IMPORT_END);
    _exit(0);
}

void import_send_failure(import_sender *s, bvp_status status, const char *text)
{
    const uint32_t number = (uint32_t)status;
    s->used = 0;
    put(s, &number, sizeof number);
    put_text(s, text);
    send_payload(s, IMPORT_FAILURE);
    _exit(0);
}
