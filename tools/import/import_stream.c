/* SPDX-License-Identifier: MIT
 * import_stream.c: reads the answer of an importing process, import_protocol.h, into a model.
 *
 * The process may have been taken over by the model that it reads, so the answer is checked as a
 * hostile file is: messages come in sequence, each matches its checksum, and counts, indices and
 * numbers are in range before the model gets them. The channel's limits of size and time are
 * checked before memory is allocated and before each read. An answer without its last message is
 * incomplete, and no model.
 */
#include "import/import_stream.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "files/beneath.h"
#include "import/import_protocol.h"
#include "files/uri.h"
#include "text/array.h"
#include "path/whole_path.h"

typedef struct stream {
    importer *im;
    import_channel *from;
    uint64_t received; /* bytes */
    import_frame frame;
    uint32_t sequence;      /* of the next message */
    int is_unhashed;        /* its frames have zeros in place of hashes */
    uint8_t *payload;       /* of this message, IMPORT_MESSAGE_MAX bytes at most */
    size_t capacity, place; /* read so far */
    import_outcome outcome;
    const char *what;
} stream;

/* ---- bytes ---------------------------------------------------------------------------------- */

static int fail(stream *s, import_outcome outcome, const char *what)
{
    s->outcome = outcome;
    s->what = what;
    return -1;
}

static int garbage(stream *s, const char *what)
{
    return fail(s, IMPORT_GARBAGE, what);
}

static int out_of_memory(stream *s)
{
    import_no_memory(s->im);
    return fail(s, IMPORT_NO_MEMORY, "");
}

uint64_t import_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* May the answer grow by that much? To be called before memory is allocated for it. */
static int allow(stream *s, uint64_t size)
{
    if (s->from->most > 0 && size > s->from->most - s->received)
        return fail(s, IMPORT_FLOOD, "");
    s->received += size;
    return 0;
}

static int read_bytes(stream *s, void *out, uint64_t size)
{
    const uint64_t deadline = s->from->deadline;
    char *p = out;
    while (size > 0) {
        const uint64_t now = deadline > 0 ? import_clock() : 0;
        if (deadline > 0 && now >= deadline)
            return fail(s, IMPORT_LATE, "");
        const ssize_t got =
            read(s->from->answer, p, size < (1 << 30) ? (size_t)size : (size_t)1 << 30);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            /* wait until there is more to read, or the end, or the time is over */
            struct pollfd answer = {.fd = s->from->answer, .events = POLLIN};
            const uint64_t left = deadline > 0 ? (deadline - now) / 1000000 + 1 : 1000;
            if (poll(&answer, 1, left < 60000 ? (int)left : 60000) < 0 && errno != EINTR)
                return fail(s, IMPORT_UNREAD, "");
            continue;
        }
        if (got < 0)
            return fail(s, IMPORT_UNREAD, "");
        if (got == 0)
            return fail(s, IMPORT_CUT, "");
        assert((uint64_t)got <= size);
        p += got;
        size -= (uint64_t)got;
    }
    return 0;
}

static int read_frame(stream *s)
{
    if (allow(s, sizeof s->frame) != 0 || read_bytes(s, &s->frame, sizeof s->frame) != 0)
        return -1;
    return s->frame.sequence == s->sequence++ ? 0 : garbage(s, "a message is out of order");
}

/* The frame's bytes into `out`, which has room for them. */
static int read_content(stream *s, void *out)
{
    import_frame frame = s->frame;
    if (read_bytes(s, out, frame.size) != 0)
        return -1;
    if (s->is_unhashed)
        return 0;
    bvp_hash(out, (size_t)frame.size, frame.hash);
    bvp_hash(&frame, sizeof frame, frame.hash);
    if (memcmp(frame.hash, s->frame.hash, sizeof frame.hash) != 0)
        return garbage(s, "a message does not match its checksum");
    return 0;
}

static int read_payload(stream *s)
{
    s->place = 0;
    if (s->frame.size > IMPORT_MESSAGE_MAX)
        return garbage(s, "a message is too long");
    if (allow(s, s->frame.size) != 0)
        return -1;
    if (array_grow(&s->payload, &s->capacity, (size_t)s->frame.size, 1) != 0)
        return out_of_memory(s);
    return read_content(s, s->payload);
}

/* ---- fields of a message -------------------------------------------------------------------- */

static int take(stream *s, void *out, size_t size)
{
    if (s->frame.size - s->place < size)
        return garbage(s, "a message is too short");
    memcpy(out, s->payload + s->place, size);
    s->place += size;
    return 0;
}

/* *out: to be freed; NULL for no text. */
static int take_text(stream *s, char **out)
{
    uint32_t size;
    *out = NULL;
    if (take(s, &size, sizeof size) != 0)
        return -1;
    if (size == IMPORT_NONE)
        return 0;
    if (s->frame.size - s->place < size)
        return garbage(s, "a text leaves its message");
    *out = import_text((const char *)s->payload + s->place, size);
    s->place += size;
    return *out ? 0 : out_of_memory(s);
}

static int take_end(stream *s)
{
    return s->place == s->frame.size ? 0 : garbage(s, "a message is too long");
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* The next message, which must be this array; *out: allocated. */
static int read_array(stream *s, import_kind kind, uint64_t count, size_t element_size, void *out)
{
    void **array = out;
    const uint64_t size = count * element_size; /* count < 3 * 2^32 */
    if (read_frame(s) != 0)
        return -1;
    if (s->frame.kind != (uint32_t)kind || s->frame.size != size || size > SIZE_MAX / 2)
        return garbage(s, "an array of a part is not as long as it says");
    if (allow(s, size) != 0)
        return -1;
    *array = malloc(size > 0 ? (size_t)size : 1);
    return *array ? read_content(s, *array) : out_of_memory(s);
}

static int read_part(stream *s)
{
    import_part part;
    if (take(s, &part, sizeof part) != 0)
        return -1;
    if (part.vertex_count >= UINT32_MAX || part.triangle_count >= UINT32_MAX)
        return garbage(s, "a part is too large");
    model_mesh *mesh = import_add_mesh(s->im);
    if (!mesh)
        return out_of_memory(s);
    mesh->is_double = !part.is_float;
    const size_t width = 3 * (part.is_float ? sizeof(float) : sizeof(double));
    if (take_text(s, &mesh->name) != 0 || take_end(s) != 0)
        return -1;
    if (read_array(s, IMPORT_POSITIONS, part.vertex_count, width, &mesh->positions) != 0 ||
        read_array(s, IMPORT_INDICES, part.triangle_count, 3 * sizeof(uint32_t), &mesh->indices) !=
            0)
        return -1;
    if (part.has_ids &&
        read_array(s, IMPORT_IDS, part.triangle_count, sizeof(uint32_t), &mesh->ids) != 0)
        return -1;
    mesh->vertex_count = part.vertex_count;
    mesh->triangle_count = part.triangle_count;
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->indices[i] >= mesh->vertex_count)
            return garbage(s, "a triangle has a vertex that does not exist");
    return 0;
}

static int read_colours(stream *s)
{
    const model *m = s->im->out;
    char *text = NULL;
    int bad = take_text(s, &text) != 0 || take_end(s) != 0;
    if (bad == 0 && (!text || m->mesh_count == 0 || m->meshes[m->mesh_count - 1].colours))
        bad = garbage(s, "colours are of no part") != 0;
    if (bad)
        free(text);
    else
        m->meshes[m->mesh_count - 1].colours = text;
    return bad ? -1 : 0;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static int read_node(stream *s)
{
    const model *m = s->im->out;
    import_node sent;
    if (take(s, &sent, sizeof sent) != 0)
        return -1;
    if ((sent.parent != IMPORT_NONE && sent.parent >= m->node_count) ||
        (sent.part != IMPORT_NONE && sent.part >= m->mesh_count))
        return garbage(s, "a node names a parent or part that has not come yet");
    model_node *node = import_add_node(s->im);
    if (!node)
        return out_of_memory(s);
    node->parent = sent.parent;
    node->mesh = sent.part;
    memcpy(node->placement, sent.placement, sizeof sent.placement);
    if (take_text(s, &node->name) != 0 || take_text(s, &node->source_id) != 0)
        return -1;
    if (sent.property_count > s->frame.size / (2 * sizeof(uint32_t)))
        return garbage(s, "a node has fewer properties than it says");
    node->properties = calloc((size_t)sent.property_count + 1, sizeof *node->properties);
    if (!node->properties)
        return out_of_memory(s);
    for (; node->property_count < sent.property_count; node->property_count++) {
        model_property *p = &node->properties[node->property_count];
        if (take_text(s, &p->key) != 0)
            return -1;
        if (take_text(s, &p->value) != 0 || !p->key || !p->value) {
            free(p->key); /* it is not yet counted, so nobody else does */
            free(p->value);
            return s->outcome != IMPORT_DONE ? -1 : garbage(s, "a property lacks a text");
        }
    }
    return take_end(s);
}

/* ---- the other messages --------------------------------------------------------------------- */

static int read_warning(stream *s)
{
    uint64_t count;
    char *text = NULL;
    bvp_status status = BVP_OK;
    if (take(s, &count, sizeof count) == 0 && take_text(s, &text) == 0 && take_end(s) == 0)
        status = text ? import_warn(s->im, count, text) : BVP_OK;
    free(text);
    if (status != BVP_OK)
        return out_of_memory(s);
    return s->outcome == IMPORT_DONE ? 0 : -1;
}

/* ---- files beside the model ------------------------------------------------------------------ */

static int open_beside(const importer *im, const char *name)
{
    char path[4096];
    errno = EXDEV;
    if (im->dir && !im->options->any_path)
        return beneath_open(im->dir, name);
    if (!im->options->any_path ||
        snprintf(path, sizeof path, "%s%s%s", path_is_whole(name) || !im->dir ? "" : im->dir,
                 path_is_whole(name) || !im->dir ? "" : "/", name) >= (int)sizeof path)
        return -1;
    return beneath_open_any(path);
}

/* Answers a request for a file beside the model: one byte, and the descriptor with it. The process
 * can reach files only in this way. The file is part of the source's identity. */
static int read_file(stream *s)
{
    import_channel *from = s->from;
    const model *m = s->im->out;
    char *text = NULL;
    if (take_text(s, &text) != 0 || take_end(s) != 0 || !text || from->files < 0) {
        free(text);
        return s->outcome == IMPORT_DONE ? 0 : -1;
    }
    const char *name = text;
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    int fd = open_beside(s->im, name);
    if (fd < 0 && errno == EXDEV && from->denied_count++ == 0)
        snprintf(from->denied, sizeof from->denied, "%s", name);
    int is_noted = 0;
    for (uint32_t i = 0; i < m->file_count && !is_noted; i++)
        is_noted = strcmp(m->files[i].name, name) == 0;
    uri_bytes bytes;
    if (fd >= 0 && !is_noted && uri_map(fd, &bytes) == URI_OK) {
        if (import_note_file(s->im, name, bytes.data, bytes.size) != BVP_OK)
            out_of_memory(s);
        uri_close(&bytes);
    }
    char byte = fd >= 0;
    union {
        struct cmsghdr first;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec place = {&byte, 1};
    struct msghdr message = {.msg_iov = &place, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    /* the process must take one before it asks for the next; otherwise it gets none */
    while (sendmsg(from->files, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
        ;
    if (fd >= 0)
        close(fd);
    free(text);
    return s->outcome == IMPORT_DONE ? 0 : -1;
}

static int read_failure(stream *s)
{
    uint32_t status;
    char *text = NULL;
    if (take(s, &status, sizeof status) != 0 || take_text(s, &text) != 0 || take_end(s) != 0) {
        free(text);
        return -1;
    }
    const int is_known =
        status == BVP_ERR_NO_MEMORY || status == BVP_ERR_LIMIT || status == BVP_ERR_ARGUMENT;
    import_refuse(s->im, is_known ? (bvp_status)status : BVP_ERR_CORRUPT, "%s",
                  text && text[0] ? text : "it can't be read; export it again");
    free(text);
    return fail(s, IMPORT_REFUSED, "");
}

static int read_last(stream *s)
{
    model *m = s->im->out;
    import_end end;
    if (take(s, &end, sizeof end) != 0 || take_text(s, &m->format) != 0 || take_end(s) != 0)
        return -1;
    if (end.part_count != m->mesh_count || end.node_count != m->node_count)
        return garbage(s, "parts or nodes are missing");
    if (!isfinite(end.unit_in_metres) || end.unit_in_metres < 0 || !isfinite(end.tolerance) ||
        end.tolerance < 0 || end.up_axis > 3 || !m->format)
        return garbage(s, "its unit, tolerance, axis or format is none");
    m->unit_in_metres = end.unit_in_metres;
    m->tolerance = end.tolerance;
    m->up = (bvp_up)((end.up_axis + 1) % 4);
    return 0;
}

import_outcome import_read_channel(importer *im, import_channel *from, const char **what)
{
    static const uint8_t no_hash[16];
    stream s = {.im = im, .from = from, .what = ""};
    uint8_t magic[8];
    uint32_t version[2];
    uint64_t done[2];
    int bad = read_frame(&s);
    if (bad == 0 && (s.frame.kind != IMPORT_START || s.frame.size != sizeof magic + sizeof version))
        bad = garbage(&s, "it does not begin as it should");
    s.is_unhashed = memcmp(s.frame.hash, no_hash, sizeof no_hash) == 0;
    if (bad == 0)
        bad = read_payload(&s) != 0 || take(&s, magic, sizeof magic) != 0 ||
              take(&s, version, sizeof version) != 0;
    if (bad == 0 && memcmp(magic, IMPORT_MAGIC, sizeof magic) != 0)
        bad = garbage(&s, "it does not begin as it should");
    if (bad == 0 && (version[0] != IMPORT_VERSION || version[1] != (uint32_t)s.is_unhashed))
        bad = garbage(&s, "it is of another version of bvpack");
    while (bad == 0 && s.frame.kind != IMPORT_END) {
        bad = read_frame(&s) != 0 || read_payload(&s) != 0;
        if (bad != 0)
            break;
        switch (s.frame.kind) {
        case IMPORT_PART:
            bad = read_part(&s);
            break;
        case IMPORT_NODE:
            bad = read_node(&s);
            break;
        case IMPORT_COLOURS:
            bad = read_colours(&s);
            break;
        case IMPORT_WARNING:
            bad = read_warning(&s);
            break;
        case IMPORT_PROGRESS:
            bad = take(&s, done, sizeof done) != 0 || take_end(&s) != 0;
            if (bad == 0)
                import_progress(im, done[0], done[1]);
            break;
        case IMPORT_FILE:
            bad = read_file(&s);
            break;
        case IMPORT_FAILURE:
            bad = read_failure(&s);
            break;
        case IMPORT_END:
            bad = read_last(&s);
            break;
        default:
            bad = garbage(&s, "a message is of no known kind");
        }
    }
    assert((bad == 0) == (s.outcome == IMPORT_DONE));
    free(s.payload);
    *what = s.what;
    return s.outcome;
}

import_outcome import_read_stream(importer *im, int fd, const char **what)
{
    import_channel from = {.answer = fd, .files = -1};
    return import_read_channel(im, &from, what);
}
