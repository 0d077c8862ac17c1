/* SPDX-License-Identifier: MIT
 * packed_file.c: opens packed files, compressed ones and those on servers too, with the store that
 * the environment names, and reads what they were made of.
 *
 * A file is mapped if it can be. Only when its first bytes are not those of a packed file are they
 * compared with those of a compressed one, so the names of files do not matter.
 */
#include "files/packed_file.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "compress/seekable_read.h"
#include "files/file_source.h"
#include "remote/remote_source.h"
#include "text/message.h"

#define CACHE_LEAST (UINT64_C(64) << 20)

enum { READ_MOST = 1 << 20, PAGE = 4096 };

/* ---- compressed files ------------------------------------------------------------------------ */

static uint64_t half_of_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_C(1) << 33;
}

static bvp_status refuse(bvp_error *error, const char *message)
{
    *error = (bvp_error){.status = BVP_ERR_ARGUMENT, .offset = UINT64_MAX};
    snprintf(error->message, sizeof error->message, "%s", message);
    return BVP_ERR_ARGUMENT;
}

static void close_source(const bvp_source *source)
{
    if (source->close)
        source->close(source->user);
}

/* A call may count on half of the cache, and verification or a clash run may need every byte. What
 * is held is never more than the file. */
static uint64_t cache_for(uint64_t size)
{
    const uint64_t most = half_of_memory();
    const uint64_t wanted = size < most ? 2 * size : most;
    return wanted > CACHE_LEAST ? wanted : CACHE_LEAST;
}

/* *out: a source of what is compressed in `packed`; the same source if nothing is. Takes over
 * `packed`, which is closed with *out, or now if this fails. */
static bvp_status decompress(const bvp_source *packed, bvp_source *out, bvp_error *error)
{
    bool is_compressed;
    bvp_status status = seekable_look(packed, &is_compressed, error);
    *out = *packed;
    if (status == BVP_OK && is_compressed)
        status = seekable_source(packed, out, error);
    if (status != BVP_OK)
        close_source(packed);
    return status;
}

static bvp_status open_source(const bvp_source *packed, const bvp_open_options *how,
                              bvp_file **file, bvp_error *error)
{
    bvp_source source;
    const bvp_status status = decompress(packed, &source, error);
    if (status != BVP_OK)
        return status;
    source.cache = cache_for(source.size);
    return bvp_open_source(&source, how, file, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bvp_open_options with_store(const bvp_open_options *options)
{
    bvp_open_options out = {0};
    const char *store = getenv("BVPACK_STORE");
    if (options)
        out = *options;
    if (store && *store)
        out.store = store;
    return out;
}

/* Whether bvp_open refuses the file because it is compressed is seen only now. *error: what it
 * said, which stands if that is not why. */
static bvp_status open_refused(const char *path, const bvp_open_options *how, bool must_be_mapped,
                               bvp_file **file, bvp_error *error)
{
    bvp_source packed;
    bvp_error said = {0};
    bool is_compressed = false;
    bvp_status status = file_source(path, &packed, &said);
    if (status != BVP_OK && said.sys_errno == 0)
        return BVP_ERR_NOT_OURS; /* a pipe, for example */
    if (status != BVP_OK) {
        *error = said;
        return status;
    }
    status = seekable_look(&packed, &is_compressed, &said);
    if (status == BVP_OK && is_compressed && !must_be_mapped) {
        *error = said;
        return open_source(&packed, how, file, error);
    }
    close_source(&packed);
    if (status == BVP_OK && !is_compressed)
        return BVP_ERR_NOT_OURS;
    if (status == BVP_OK)
        status = refuse(&said, "is compressed, and this verb takes bytes from a file as they lie; "
                               "decompress it first: zstd -d");
    *error = said;
    return status;
}

static bvp_status open_remote(const char *url, const bvp_open_options *how, remote_way way,
                              bvp_file **file, bvp_error *error)
{
    bvp_source source;
    *file = NULL;
    const bvp_status status = remote_source(url, way, &source, error);
    return status == BVP_OK ? open_source(&source, how, file, error) : status;
}

enum way { USUAL, WITH_TABLES, ONLY_TABLES, MAPPED };

static bvp_status open_file(const char *path, const bvp_open_options *options, enum way way,
                            bvp_file **file, bvp_error *error)
{
    const bvp_open_options how = with_store(options);
    bvp_error said = {0};
    const remote_way remote = way == WITH_TABLES   ? REMOTE_WITH_TABLES
                              : way == ONLY_TABLES ? REMOTE_TWICE
                                                   : REMOTE_BY_BLOCKS;
    bvp_status status = remote_is(path) ? open_remote(path, &how, remote, file, &said)
                                        : bvp_open(path, &how, file, &said);
    if (status == BVP_ERR_NOT_OURS && !remote_is(path))
        status = open_refused(path, &how, way == MAPPED || how.overlay, file, &said);
    if (error && status != BVP_OK)
        *error = said;
    return status;
}

bvp_status packed_open(const char *path, const bvp_open_options *options, bvp_file **file,
                       bvp_error *error)
{
    return open_file(path, options, USUAL, file, error);
}

bvp_status packed_open_tables(const char *path, bool only, bvp_file **file, bvp_error *error)
{
    const bvp_status status =
        only ? open_file(path, NULL, ONLY_TABLES, file, error) : BVP_ERR_AGAIN;
    /* a compressed file's first bytes may be anywhere in it */
    return status == BVP_ERR_AGAIN ? open_file(path, NULL, WITH_TABLES, file, error) : status;
}

bvp_status packed_open_mapped(const char *path, const bvp_open_options *options, bvp_file **file,
                              bvp_error *error)
{
    return open_file(path, options, MAPPED, file, error);
}

bvp_status packed_open_fd(int fd, const bvp_open_options *options, bvp_file **file,
                          bvp_error *error)
{
    const bvp_open_options how = with_store(options);
    return bvp_open_fd(fd, &how, file, error);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* All that the source has, in memory of its own. */
static int read_all(const bvp_source *source, const char *path, input *in)
{
    const uint64_t most = half_of_memory();
    bvp_error error = {0};
    bvp_status status = BVP_OK;
    if (source->size > most || source->size > SIZE_MAX - PAGE) {
        complain(path,
                 "expected at most %llu MiB, half of this machine's memory, found %llu; make a "
                 "copy that is not compressed (zstd -d) on a disk",
                 (unsigned long long)most >> 20, (unsigned long long)source->size >> 20);
        return EXIT_LIMIT;
    }
    uint8_t *data = aligned_alloc(PAGE, (size_t)(source->size / PAGE + 1) * PAGE);
    if (!data)
        return complain_memory();
    for (uint64_t at = 0; at < source->size && status == BVP_OK; at += READ_MOST) {
        const uint64_t more = source->size - at < READ_MOST ? source->size - at : READ_MOST;
        status = source->read(source->user, at, more, data + at, &error);
    }
    if (status != BVP_OK) {
        free(data);
        return complain_status(path, status, &error);
    }
    *in = (input){.data = data, .size = (size_t)source->size, .fd = -1};
    return 0;
}

/* Takes over `packed`. */
static int read_source(const bvp_source *packed, const char *path, input *in)
{
    bvp_source source;
    bvp_error error = {0};
    const bvp_status status = decompress(packed, &source, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    const int code = read_all(&source, path, in);
    close_source(&source);
    return code;
}

static int read_remote(const char *url, input *in)
{
    bvp_source source;
    bvp_error error = {0};
    const bvp_status status = remote_source(url, REMOTE_BY_BLOCKS, &source, &error);
    return status == BVP_OK ? read_source(&source, url, in) : complain_status(url, status, &error);
}

int packed_read(input *in, const char *path)
{
    input file;
    bool is_compressed;
    bvp_error error = {0};
    if (remote_is(path))
        return read_remote(path, in);
    int code = input_open(&file, path);
    if (code != 0)
        return code;
    const bvp_source packed = memory_source(file.data, file.size);
    (void)seekable_look(&packed, &is_compressed, &error); /* memory can be read */
    if (!is_compressed) {
        *in = file;
        return 0;
    }
    code = read_source(&packed, path, in);
    input_close(&file);
    return code;
}

bvp_status packed_provenance(const bvp_file *file, char **text, size_t *size, bvp_error *error)
{
    *text = NULL;
    bvp_status status = bvp_get_provenance(file, NULL, 0, size, error);
    if (status != BVP_OK || *size == 0)
        return status;
    *text = malloc(*size);
    status = *text ? bvp_get_provenance(file, *text, *size, size, error) : BVP_ERR_NO_MEMORY;
    if (status == BVP_OK)
        return BVP_OK;
    free(*text);
    *text = NULL;
    return status;
}
