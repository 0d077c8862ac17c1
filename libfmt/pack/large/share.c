/* SPDX-License-Identifier: MIT
 * share.c: shares of the sets of a large mesh.
 *
 * A share's record gets its name when all of its files are complete, so a task that was killed
 * leaves none, and can be run again. The record has the key of the state and sizes of the files; a
 * share of another state, or one that was cut, does not count: its sets are built anew.
 */
#define _GNU_SOURCE
#include "pack/large/share.h"

#include "base/status.h"
#include "format/checksum.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const kinds[BVPI_SHARE_FILES] = {"bytes", "ids", "wide", "records", "batches"};

enum { NAME_MAX_SIZE = 64 };

typedef struct record {
    uint8_t key[16];
    uint64_t tree_size, sets_size; /* of the state that it is a share of */
    uint64_t size[BVPI_SHARE_FILES];
    uint32_t index, count;
    uint8_t hash[16]; /* of everything before */
} record;

static void name_of(const char *kind, uint32_t index, uint32_t count, char out[NAME_MAX_SIZE])
{
    snprintf(out, NAME_MAX_SIZE, "%s.%" PRIu32 "-%" PRIu32, kind, index, count);
}

void bvpi_share_close(bvpi_share *share)
{
    if (share->lock >= 0)
        close(share->lock);
    share->lock = -1;
    for (int k = 0; k < BVPI_SHARE_FILES; k++)
        bvpi_scratch_close(&share->files[k]);
}

static bvp_status open_files(const bvpi_large_state *state, const uint64_t sizes[BVPI_SHARE_FILES],
                             bvpi_share *share, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (int k = 0; k < BVPI_SHARE_FILES; k++)
        share->files[k] = BVPI_NO_SCRATCH;
    for (int k = 0; k < BVPI_SHARE_FILES && status == BVP_OK; k++) {
        char name[NAME_MAX_SIZE];
        name_of(kinds[k], share->index, share->count, name);
        status = bvpi_scratch_open(state->folder, name, sizes[k], &share->files[k], error);
    }
    return status;
}

/* A queue may start a task twice: only one at a time builds a share, and what it has not completed
 * has no record. */
static bvp_status begin(const bvpi_large_state *state, bvpi_share *share, bvp_error *error)
{
    char name[NAME_MAX_SIZE], path[PATH_MAX];
    name_of("lock", share->index, share->count, name);
    if (snprintf(path, sizeof path, "%s/%s", state->folder, name) >= (int)sizeof path)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the folder's name is too long");
    share->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (share->lock < 0)
        return bvpi_error_system(error, "cannot create %s", path);
    if (flock(share->lock, LOCK_EX | LOCK_NB) != 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "another process builds share %" PRIu32 "/%" PRIu32 " in %s",
                              share->index, share->count, state->folder);
    name_of("share", share->index, share->count, name);
    snprintf(path, sizeof path, "%s/%s", state->folder, name);
    if (unlink(path) != 0 && errno != ENOENT)
        return bvpi_error_system(error, "cannot remove %s", path);
    return BVP_OK;
}

bvp_status bvpi_share_create(const bvpi_large_state *state, uint32_t index, uint32_t count,
                             bvpi_share *out, bvp_error *error)
{
    static const uint64_t nothing[BVPI_SHARE_FILES];
    *out = (bvpi_share){.index = index, .count = count, .lock = -1, .next_set = index - 1};
    for (int k = 0; k < BVPI_SHARE_FILES; k++)
        out->files[k] = BVPI_NO_SCRATCH;
    const bvp_status status = begin(state, out, error);
    return status == BVP_OK ? open_files(state, nothing, out, error) : status;
}

static void make_record(const bvpi_large_state *state, const bvpi_share *share, record *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->key, state->done.key, sizeof out->key);
    out->tree_size = state->done.tree_size;
    out->sets_size = state->done.sets_size;
    out->index = share->index;
    out->count = share->count;
    for (int k = 0; k < BVPI_SHARE_FILES; k++)
        out->size[k] = share->files[k].size;
    bvpi_hash128(out, offsetof(record, hash), out->hash);
}

bvp_status bvpi_share_publish(const bvpi_large_state *state, bvpi_share *share, bvp_error *error)
{
    char name[NAME_MAX_SIZE], path[PATH_MAX], fresh[PATH_MAX + 8];
    record made;
    bvp_status status = BVP_OK;
    for (int k = 0; k < BVPI_SHARE_FILES && status == BVP_OK; k++)
        status = bvpi_scratch_sync(&share->files[k], error);
    if (status != BVP_OK)
        return status;
    make_record(state, share, &made);
    name_of("share", share->index, share->count, name);
    if (snprintf(path, sizeof path, "%s/%s", state->folder, name) >= (int)sizeof path)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the folder's name is too long");
    snprintf(fresh, sizeof fresh, "%s.new", path);
    const int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return bvpi_error_system(error, "cannot create %s", fresh);
    const bool ok = write(fd, &made, sizeof made) == sizeof made && fsync(fd) == 0;
    const int reason = errno;
    close(fd);
    errno = reason;
    return ok && rename(fresh, path) == 0 ? BVP_OK
                                          : bvpi_error_system(error, "cannot write %s", path);
}

/* Of "share.3-8". */
static bool read_name(const char *name, uint32_t *index, uint32_t *count)
{
    char again[NAME_MAX_SIZE];
    if (sscanf(name, "share.%" SCNu32 "-%" SCNu32, index, count) != 2)
        return false;
    name_of("share", *index, *count, again);
    return *index >= 1 && *index <= *count && strcmp(name, again) == 0;
}

/* *is_one: the file is a record of a complete share of this state. */
static bvp_status read_share(const bvpi_large_state *state, const char *name, bvpi_share *out,
                             bool *is_one, bvp_error *error)
{
    record found = {.index = 0}, expected;
    char path[PATH_MAX];
    *is_one = false;
    *out = (bvpi_share){.lock = -1};
    for (int k = 0; k < BVPI_SHARE_FILES; k++)
        out->files[k] = BVPI_NO_SCRATCH;
    if (!read_name(name, &out->index, &out->count) ||
        snprintf(path, sizeof path, "%s/%s", state->folder, name) >= (int)sizeof path)
        return BVP_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const ssize_t got = fd >= 0 ? read(fd, &found, sizeof found) : -1;
    if (fd >= 0)
        close(fd);
    for (int k = 0; k < BVPI_SHARE_FILES; k++)
        out->files[k].size = found.size[k];
    make_record(state, out, &expected);
    for (int k = 0; k < BVPI_SHARE_FILES; k++)
        out->files[k].size = 0;
    if (got != sizeof found || memcmp(&found, &expected, sizeof found) != 0)
        return BVP_OK;
    out->next_set = out->index - 1;
    *is_one = true;
    return open_files(state, found.size, out, error);
}

bvp_status bvpi_shares_find(const bvpi_large_state *state, bvpi_share **out, uint32_t *found,
                            bvp_error *error)
{
    uint64_t capacity = 0;
    const struct dirent *entry;
    bvp_status status = BVP_OK;
    DIR *folder = opendir(state->folder);
    *out = NULL;
    *found = 0;
    if (!folder)
        return bvpi_error_system(error, "cannot read the folder %s", state->folder);
    while (status == BVP_OK && (entry = readdir(folder)) != NULL) {
        bvpi_share share;
        bool is_one;
        status = read_share(state, entry->d_name, &share, &is_one, error);
        if (status == BVP_OK && is_one &&
            !bvpi_grow(out, &capacity, *found + UINT64_C(1), sizeof **out))
            status = bvpi_error_memory(error, (*found + UINT64_C(1)) * sizeof **out);
        if (status == BVP_OK && is_one)
            (*out)[(*found)++] = share;
        else
            bvpi_share_close(&share);
    }
    closedir(folder);
    return status;
}

bvpi_share *bvpi_share_of(bvpi_share *shares, uint32_t count, uint32_t set)
{
    for (uint32_t k = 0; k < count; k++)
        if (set % shares[k].count == shares[k].index - 1)
            return &shares[k];
    return NULL;
}
