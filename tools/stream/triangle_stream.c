/* SPDX-License-Identifier: MIT
 * triangle_stream.c: the triangles of one model, in memory that does not depend on its size.
 *
 * Records (binary STL, plain triangles) are read in blocks, from a pipe as they come. Everything
 * else is mapped and read by its importer, with a sink in place of meshes (import_thread.c), so
 * that there is one reader of each format. A pipe with such a model is first copied to a file.
 */
#include "stream/triangle_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files/input.h"
#include "files/spill.h"
#include "model/triangle_sink.h"
#include "stream/import_thread.h"
#include "stream/record_stream.h"

struct triangle_stream {
    importer im; /* of records; its error is the stream's */
    model records_model;
    bvp_error error;
    bvp_status status; /* of what has failed */
    char dir[4096];
    int is_standard; /* standard input: not ours to close */
    int is_pipe;     /* and read as it comes */
    int has_hash;
    uint8_t hash[16];
    uint64_t size; /* of the source; of a pipe that is being read 0 */
    void *map;
    mapped_model mapped;
    import_thread *thread; /* NULL: records */
    record_stream records;
    const char *folder;
};

static bvp_status refuse_system(triangle_stream *s, const char *doing, int reason)
{
    const bvp_status status =
        import_refuse(&s->im, reason == ENOMEM ? BVP_ERR_NO_MEMORY : BVP_ERR_SYSTEM, "can't %s: %s",
                      doing, strerror(reason));
    s->error.sys_errno = reason;
    return status;
}

/* ---- pipes ----------------------------------------------------------------------------------- */

/* Do these first bytes of a pipe begin a binary STL file? Its size is not known, which tells
 * otherwise; what might be a text is copied to a file, where it is. */
static int begins_binary_stl(triangle_stream *s)
{
    const record_stream *r = &s->records;
    const char *format = s->im.options->format;
    const size_t looked_at = r->held < 512 ? r->held : 512;
    if (r->held < STL_HEADER || !memchr(r->block, 0, looked_at))
        return 0;
    if (format)
        return strcmp(format, "stl") == 0;
    s->im.data = r->block;
    s->im.size = r->held;
    const int is_unknown = import_find_format(&s->im) == NULL;
    s->im.data = NULL;
    s->im.size = 0;
    return is_unknown;
}

static int write_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        const ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        data += put;
        size -= (size_t)put;
    }
    return 0;
}

/* Copies the pipe to a file without a name, which takes its place. */
static bvp_status copy_pipe(triangle_stream *s)
{
    record_stream *r = &s->records;
    const int fd = spill_file(s->folder);
    bvp_status status = BVP_OK;
    if (fd < 0)
        return refuse_system(s, "make a temporary file", errno);
    while (status == BVP_OK && (r->held > 0 || !r->is_at_end)) {
        if (write_all(fd, r->block, r->held) != 0)
            status = refuse_system(s, "copy the model to a temporary file", errno);
        r->used = r->held;
        if (status == BVP_OK && record_stream_fill(r) != 0)
            status = s->error.status;
    }
    r->fd = fd;
    s->is_standard = 0;
    s->is_pipe = 0;
    piecewise_hash_end(r->hash, s->hash);
    s->has_hash = 1;
    return status;
}

/* *is_records: it can be read as it comes. */
static bvp_status open_pipe(triangle_stream *s, int *is_records)
{
    record_stream *r = &s->records;
    const char *format = s->im.options->format;
    s->is_pipe = 1;
    r->hash = piecewise_hash_new();
    if (!r->hash)
        return import_no_memory(&s->im);
    if (record_stream_fill(r) != 0)
        return s->error.status;
    if (format && strcmp(format, "triangles") == 0)
        r->layout = &triangle_records;
    else if (begins_binary_stl(s))
        r->layout = &stl_records;
    *is_records = r->layout != NULL;
    return *is_records ? BVP_OK : copy_pipe(s);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int is_streamed(const char *format)
{
    static const char *const formats[] = {"stl", "obj", "ply", "off", "gltf", "glb"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(format, formats[i]) == 0)
            return 1;
    return 0;
}

static bvp_status start_import(triangle_stream *s)
{
    return import_thread_open(&s->mapped, s->im.options, s->folder, &s->thread, &s->error);
}

static bvp_status open_records(triangle_stream *s, const record_layout *layout)
{
    record_stream *r = &s->records;
    const uint64_t left = (s->size - layout->header_size) % layout->size;
    if (left > 0)
        return import_refuse_byte(&s->im, BVP_ERR_CORRUPT, s->size - left,
                                  "expected triangles of %zu bytes each, found %zu more bytes; it "
                                  "is cut off or no stream of triangles",
                                  layout->size, (size_t)left);
    if ((s->size - layout->header_size) / layout->size > TRIANGLES_MOST)
        return sink_refuse_size(&s->im);
    r->layout = layout;
    r->used = r->held = 0;
    r->is_at_end = 0;
    r->consumed = 0;
    if (lseek(r->fd, 0, SEEK_SET) < 0)
        return refuse_system(s, "read", errno);
    return BVP_OK;
}

/* A regular file, from its beginning. */
static bvp_status open_file(triangle_stream *s)
{
    const int fd = s->records.fd;
    struct stat file;
    if (fstat(fd, &file) != 0)
        return refuse_system(s, "read", errno);
    s->size = (uint64_t)file.st_size;
    if (s->size > 0 && s->size <= SIZE_MAX)
        s->map = mmap(NULL, (size_t)s->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (s->map == MAP_FAILED) {
        s->map = NULL;
        return refuse_system(s, "read", errno);
    }
    s->im.data = s->map;
    s->im.size = s->map ? (size_t)s->size : 0;
    const char *format = import_find_format(&s->im);
    if (!format)
        return s->error.status;
    const int is_binary_stl =
        strcmp(format, "stl") == 0 && s->size >= STL_HEADER &&
        s->size == STL_HEADER + STL_FACET * (uint64_t)stl_facet_count(s->im.data);
    s->im.data = NULL;
    s->im.size = 0;
    if (is_binary_stl)
        return open_records(s, &stl_records);
    if (strcmp(format, "triangles") == 0)
        return open_records(s, &triangle_records);
    if (!is_streamed(format))
        return import_refuse(&s->im, BVP_ERR_ARGUMENT,
                             "a model of the format \"%s\" can't be read in bounded memory; leave "
                             "out --memory, or convert it to STL, OBJ, PLY or GLB",
                             format);
    s->mapped = (mapped_model){s->map, (size_t)s->size, s->im.name, s->im.dir};
    return start_import(s);
}

/* Begins with the records that the stream now stands at. */
static bvp_status begin_records(triangle_stream *s)
{
    model *m = &s->records_model;
    const char *format = s->records.layout->format;
    m->format = import_text(format, strlen(format));
    return m->format ? record_stream_begin(&s->records) : import_no_memory(&s->im);
}

/* ---- open and close -------------------------------------------------------------------------- */

static bvp_status open_source(triangle_stream *s, const char *path)
{
    struct stat file, null;
    record_stream *r = &s->records;
    int is_records = 0;
    r->fd = s->is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &file) != 0)
        return refuse_system(s, "read", errno);
    if (S_ISDIR(file.st_mode))
        return import_refuse(&s->im, BVP_ERR_ARGUMENT, "is a folder; name a file in it");
    const int is_null = stat("/dev/null", &null) == 0 && null.st_rdev == file.st_rdev;
    if (S_ISBLK(file.st_mode) || (S_ISCHR(file.st_mode) && !isatty(r->fd) && !is_null))
        return import_refuse(&s->im, BVP_ERR_ARGUMENT,
                             "is a device; expected a file, a pipe or standard input");
    r->block = malloc(RECORD_BLOCK);
    if (!r->block)
        return import_no_memory(&s->im);
    const int is_whole_file =
        S_ISREG(file.st_mode) && (!s->is_standard || lseek(r->fd, 0, SEEK_CUR) == 0);
    bvp_status status = is_whole_file ? BVP_OK : open_pipe(s, &is_records);
    if (status == BVP_OK && !is_records)
        status = open_file(s);
    if (status == BVP_OK && !s->thread)
        status = begin_records(s);
    return status;
}

bvp_status triangle_stream_open(const char *path, const import_options *options, const char *folder,
                                triangle_stream **out, bvp_error *error)
{
    bvp_error ignored;
    triangle_stream *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!error)
        error = &ignored;
    if (!s) {
        *error = (bvp_error){.status = BVP_ERR_NO_MEMORY, .message = "out of memory"};
        return BVP_ERR_NO_MEMORY;
    }
    s->is_standard = strcmp(path, "-") == 0;
    s->folder = folder;
    s->im = (importer){.name = s->is_standard ? "standard input" : path,
                       .options = options,
                       .out = &s->records_model,
                       .error = &s->error};
    s->records = (record_stream){.im = &s->im, .fd = -1};
    if (!s->is_standard && folder_of(path, s->dir, sizeof s->dir) == 0)
        s->im.dir = s->dir;
    const bvp_status status = open_source(s, path);
    if (status != BVP_OK) {
        *error = s->error;
        triangle_stream_close(s);
        return status;
    }
    *out = s;
    return BVP_OK;
}

void triangle_stream_close(triangle_stream *s)
{
    if (!s)
        return;
    import_thread_close(s->thread);
    model_free(&s->records_model);
    if (s->map)
        munmap(s->map, (size_t)s->size);
    if (s->records.fd >= 0 && !s->is_standard)
        close(s->records.fd);
    piecewise_hash_free(s->records.hash);
    free(s->records.block);
    free(s);
}

/* ---- triangles ------------------------------------------------------------------------------- */

int triangle_stream_is_double(const triangle_stream *s)
{
    return s->thread ? import_thread_is_double(s->thread) : 0;
}

uint64_t triangle_stream_total(const triangle_stream *s)
{
    if (s->thread)
        return import_thread_total(s->thread);
    if (s->records.count != UINT64_MAX)
        return s->records.count;
    return s->size / s->records.layout->size;
}

/* After the last record. */
static bvp_status end_records(triangle_stream *s)
{
    record_stream *r = &s->records;
    model *m = &s->records_model;
    if (s->is_pipe && !s->has_hash) {
        piecewise_hash_end(r->hash, s->hash);
        s->has_hash = 1;
        s->size = r->consumed;
    }
    if (m->mesh_count > 0) /* it was asked beyond the end */
        return BVP_OK;
    model_mesh *mesh = import_add_mesh(&s->im);
    if (!mesh)
        return import_no_memory(&s->im);
    mesh->triangle_count = r->number - r->dropped;
    return BVP_OK;
}

bvp_status triangle_stream_next(triangle_stream *s, void *corners, uint32_t *ids, size_t most,
                                size_t *count, bvp_error *error)
{
    *count = 0;
    if (s->status == BVP_OK && s->thread) {
        s->status = import_thread_next(s->thread, corners, ids, most, count, &s->error);
    } else if (s->status == BVP_OK && s->records_model.mesh_count == 0) {
        s->status = record_stream_next(&s->records, corners, ids, most, count);
        if (s->status == BVP_OK && *count < most)
            s->status = end_records(s);
    }
    if (s->status != BVP_OK && error)
        *error = s->error;
    return s->status;
}

bvp_status triangle_stream_rewind(triangle_stream *s, bvp_error *error)
{
    if (s->thread) {
        import_thread_close(s->thread);
        s->thread = NULL;
        s->status = start_import(s);
    } else if (s->is_pipe) {
        import_refuse(&s->im, BVP_ERR_SYSTEM, "a pipe can't be read again");
        if (error)
            *error = s->error;
        return BVP_ERR_SYSTEM;
    } else {
        model_free(&s->records_model);
        s->status = open_records(s, s->records.layout);
        if (s->status == BVP_OK)
            s->status = begin_records(s);
    }
    if (s->status != BVP_OK && error)
        *error = s->error;
    return s->status;
}

/* ---- the source ------------------------------------------------------------------------------ */

model *triangle_stream_model(triangle_stream *s)
{
    return s->thread ? import_thread_model(s->thread) : &s->records_model;
}

static bvp_status hash_file(triangle_stream *s, bvp_error *error)
{
    uint8_t *block = malloc(RECORD_BLOCK);
    piecewise_hash *hash = piecewise_hash_new();
    bvp_status status = BVP_OK;
    uint64_t done = 0;
    importer im = s->im;
    bvp_error ignored;
    im.error = error ? error : &ignored;
    if (!block || !hash)
        status = import_no_memory(&im);
    while (status == BVP_OK && done < s->size) {
        const ssize_t got = pread(s->records.fd, block, RECORD_BLOCK, (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            status = import_refuse(&im, BVP_ERR_SYSTEM, "can't read: %s",
                                   got < 0 ? strerror(errno) : "it has become shorter");
            break;
        }
        const uint64_t left = s->size - done;
        const size_t now = (uint64_t)got < left ? (size_t)got : (size_t)left;
        piecewise_hash_add(hash, block, now);
        done += now;
    }
    if (status == BVP_OK) {
        piecewise_hash_end(hash, s->hash);
        s->has_hash = 1;
    }
    piecewise_hash_free(hash);
    free(block);
    return status;
}

bvp_status triangle_stream_hash(triangle_stream *s, uint8_t hash[16], uint64_t *size,
                                bvp_error *error)
{
    bvp_status status = BVP_OK;
    assert(s->has_hash || !s->is_pipe); /* a pipe has come to its end */
    if (!s->has_hash)
        status = hash_file(s, error);
    memcpy(hash, s->hash, sizeof s->hash);
    *size = s->size;
    return status;
}

void triangle_stream_progress(const triangle_stream *s, uint64_t *done, uint64_t *total)
{
    if (s->thread) {
        import_thread_progress(s->thread, done, total);
        return;
    }
    *done = __atomic_load_n(&s->records.consumed, __ATOMIC_RELAXED);
    *total = s->is_pipe ? 0 : s->size;
    if (s->is_pipe && s->records.count != UINT64_MAX)
        *total = STL_HEADER + STL_FACET * s->records.count;
}
