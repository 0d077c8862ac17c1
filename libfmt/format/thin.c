/* SPDX-License-Identifier: MIT
 * thin.c: parts in the files of a store, opened when they are first used.
 *
 * A thin file names each part by its address; the store holds one file for each address.
 * bvpi_thin_resolve() opens that file, checks that it is the right one (address, packer, content
 * hash, number of triangles), and publishes it with a compare-and-swap. Threads that arrive at the
 * same time may each open it; one wins, the others close theirs. A failure is not remembered, so a
 * part that appears later in the store is found.
 *
 * Opened files stay until the thin file is closed, so resolved pointers remain valid.
 *
 * The address comes from a file that nobody vouches for. It is formatted as hexadecimal digits, so
 * it cannot leave the store's folder, and the file is opened without blocking, in case it is a
 * pipe.
 *
 * Held by tests/property/test_packed.c and test_threads.c.
 * Spec: format.md, chapter "Parts" (thin files)
 * Measured: decisions.md, "Races planted by hand"
 */
#include "format/thin.h"

#include "base/load.h"
#include "base/status.h"
#include "format/map.h"
#include "format/record.h"
#include "publish/publish.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of "/xx/yy...yy.bvp" and its end, rounded up, and room for the folder before it. */
enum { PART_PATH_SIZE = 40, FOLDER_SIZE = PATH_MAX - PART_PATH_SIZE };

struct bvpi_thin {
    bvp_open_options options; /* for the parts' files */
    bvp_file **parts;         /* one for each part, atomic; NULL: not opened yet */
    char folder[];            /* of the store; empty: unknown */
};

/* ---- opening and closing -------------------------------------------------------------------- */

/* One that begins at the root of a file system, on Windows also of a drive. */
static bool is_whole_path(bvp_string path)
{
#ifdef _WIN32
    if (path.size > 2 && path.data[1] == ':')
        return true;
#endif
    return path.size > 0 && path.data[0] == '/';
}

bvp_status bvpi_thin_open(bvp_file *file, const char *path, const bvp_open_options *options,
                          bvp_error *error)
{
    const size_t count = file->header.part_count;
    if ((file->header.feature_incompatible & BVPD_FEATURE_THIN) == 0)
        return BVP_OK;
    if (options->overlay)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "a thin file cannot be changed; make a fat one: bvpack merge");
    if (options->store && strlen(options->store) >= FOLDER_SIZE)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "bvp_open_options.store has %zu bytes; no path may have more than %d",
                              strlen(options->store), FOLDER_SIZE - 1);
    bvpi_thin *thin = calloc(1, sizeof *thin + FOLDER_SIZE);
    bvp_file **parts = calloc(count + 1, sizeof *parts);
    if (!thin || !parts) {
        free(thin);
        free(parts);
        return bvpi_error_memory(error, sizeof *thin + count * sizeof *parts);
    }
    thin->options = *options;
    thin->options.offset = thin->options.size = 0;
    thin->options.store = NULL;
    thin->parts = parts;
    /* The store's folder: from the caller, or else from the file, relative to the file's own. If
     * that is too long for a path, it stays unknown, which matters to parts only. */
    const bvp_string hint = bvpi_get_string(file, file->header.store);
    const bool is_absolute = is_whole_path(hint);
    const size_t base_size = path && !is_absolute ? bvpi_publish_folder_size(path) : 0;
    if (options->store) {
        strcpy(thin->folder, options->store);
    } else if (hint.size > 0 && (path || is_absolute) && base_size < FOLDER_SIZE &&
               hint.size < FOLDER_SIZE - base_size) {
        if (base_size > 0)
            memcpy(thin->folder, path, base_size);
        memcpy(thin->folder + base_size, hint.data, hint.size);
    }
    file->thin = thin;
    return BVP_OK;
}

void bvp_close(bvp_file *file)
{
    if (!file)
        return;
    if (file->thin) {
        for (size_t i = 0; i < file->header.part_count; i++)
            if (file->thin->parts[i])
                bvpi_unmap(file->thin->parts[i]);
        free(file->thin->parts);
        free(file->thin);
    }
    bvpi_unmap(file);
}

/* ---- a part --------------------------------------------------------------------------------- */

static void make_path(const bvpi_thin *thin, const bvpd_part *part, char path[PATH_MAX])
{
    int used = snprintf(path, PATH_MAX, "%s/%02x/", thin->folder, part->address[0]);
    for (int i = 1; i < 16; i++)
        used += snprintf(path + used, PATH_MAX - (size_t)used, "%02x", part->address[i]);
    assert(used > 0 && used + 4 < PATH_MAX); /* PART_PATH_SIZE was kept free for it */
    snprintf(path + used, PATH_MAX - (size_t)used, ".bvp");
}

static bvp_status open_part(const bvpi_thin *thin, const bvpd_part *part, bvp_file **out)
{
    char path[PATH_MAX];
    make_path(thin, part, path);
    /* the name comes from an untrusted file: a pipe of that name must not block */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return BVP_ERR_SYSTEM;
    const bvp_status status = bvpi_map_fd(fd, &thin->options, out, NULL);
    close(fd);
    if (status != BVP_OK)
        return status;
    /* Is it the file of that part, and does it hold the part itself? */
    bvpd_part r;
    if ((*out)->header.part_count == 1 &&
        ((*out)->header.feature_incompatible & BVPD_FEATURE_THIN) == 0 &&
        bvpi_get_part_record(*out, 0, &r) == BVP_OK &&
        memcmp(r.address, part->address, sizeof r.address) == 0 &&
        memcmp(r.packer, part->packer, sizeof r.packer) == 0 &&
        memcmp(r.content_hash, part->content_hash, sizeof r.content_hash) == 0 &&
        r.triangle_count == part->triangle_count)
        return BVP_OK;
    bvpi_unmap(*out);
    return BVP_ERR_CORRUPT;
}

bool bvpi_is_elsewhere(const bvp_file *file, uint32_t part)
{
    bvpd_part record = {.data_size = 1};
    const bvpi_span *span = &file->section[BVPD_PART];
    if (file->thin && part < span->count)
        bvpi_load_record(&record, span->data + (uint64_t)part * sizeof record, sizeof record);
    return record.data_size == 0;
}

/* Threads that arrive at the same time open the same file; one of them publishes it. */
bvp_status bvpi_thin_resolve(const bvp_file **file, uint32_t *part)
{
    const bvpi_span *span = &(*file)->section[BVPD_PART];
    const bvpi_thin *thin = (*file)->thin;
    assert(thin);
    if (*part >= span->count)
        return BVP_ERR_ARGUMENT;
    bvp_file **place = &thin->parts[*part];
    bvp_file *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (!found) {
        bvp_file *opened = NULL;
        bvpd_part record;
        bvpi_load_record(&record, span->data + (uint64_t)*part * sizeof record, sizeof record);
        if (record.data_size > 0)
            return BVP_OK;
        const bvp_status status = open_part(thin, &record, &opened);
        if (status != BVP_OK)
            return status;
        if (__atomic_compare_exchange_n(place, &found, opened, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            found = opened;
        else
            bvpi_unmap(opened);
    }
    assert(!found->thin && found->header.part_count == 1);
    *file = found;
    *part = 0;
    return BVP_OK;
}

bvp_status bvpi_thin_explain(const bvp_file *file, uint32_t part, bvp_status status,
                             bvp_error *error)
{
    char path[PATH_MAX];
    bvpd_part r;
    const bvpi_span *span = &file->section[BVPD_PART];
    assert(file->thin && part < span->count && status != BVP_OK);
    bvpi_load_record(&r, span->data + (uint64_t)part * sizeof r, sizeof r);
    const bvp_string name = bvpi_get_string(file, r.name);
    const int size = name.size < 60 ? (int)name.size : 60;
    if (!file->thin->folder[0])
        return bvpi_error_set(error, status, BVPI_NO_OFFSET, "",
                              "part %" PRIu32
                              " (%.*s) lies in a store, and nothing says where that "
                              "is; set bvp_open_options.store (bvpack: $BVPACK_STORE)",
                              part, size, name.data);
    make_path(file->thin, &r, path);
    const size_t length = strlen(path);
    const char *tail = length > 110 ? path + length - 110 : path;
    if (status == BVP_ERR_SYSTEM && access(path, R_OK) != 0)
        return bvpi_error_system(error, "part %" PRIu32 " (%.*s) is missing from the store: %s%s",
                                 part, size, name.data, tail == path ? "" : "...", tail);
    const bool is_there = status == BVP_ERR_SYSTEM || status == BVP_ERR_NO_MEMORY;
    return bvpi_error_set(
        error, status, BVPI_NO_OFFSET, "", "part %" PRIu32 " (%.*s) %s: %s%s; %s", part, size,
        name.data, is_there ? "is in the store, but cannot be mapped" : "is damaged in the store",
        tail == path ? "" : "...", tail,
        is_there ? "memory, files or mappings of this process are at their limit"
                 : "remove it and pack again");
}
