/* SPDX-License-Identifier: MIT
 * state.c: the record of a build that is larger than memory.
 *
 * The record gets its name when it is complete, so a killed process leaves the last one or the one
 * before. It names sizes of files; what lies behind these is cut off by the next process. The files
 * are changed in no other way than by appending until the record says that they are complete.
 *
 * Held by tests/cli/test_memory.sh: killed at random, and gone on with.
 */
#include "pack/large/state.h"

#include "base/status.h"
#include "format/checksum.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS_BETWEEN = 5 };

/* The record in the file. The version is in its magic: the bytes mean nothing to another one. */
typedef struct record {
    char magic[32];
    uint32_t size;
    bvpi_progress done;
    uint8_t hash[16]; /* of everything before */
} record;

static void make_record(const bvpi_progress *done, record *out)
{
    memset(out, 0, sizeof *out); /* padding, too: it is hashed */
    snprintf(out->magic, sizeof out->magic, "bvpack state %s", bvp_version());
    out->size = sizeof *out;
    memcpy(&out->done, done, sizeof *done);
    bvpi_hash128(out, offsetof(record, hash), out->hash);
}

static bool join_path(const char *folder, const char *name, char out[PATH_MAX])
{
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bvp_status read_record(const char *path, const uint8_t key[16], bvpi_large_state *out,
                              bvp_error *error)
{
    record found = {.size = 0}, expected;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        return BVP_OK; /* nothing is done yet */
    const ssize_t got = fd >= 0 ? read(fd, &found, sizeof found) : -1;
    if (fd >= 0)
        close(fd);
    if (got < 0)
        return bvpi_error_system(error, "cannot read %s", path);
    make_record(&found.done, &expected);
    if (got != sizeof found || memcmp(&found, &expected, sizeof found) != 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "%s is damaged, or of another version of bvpack; remove its folder "
                              "to start again",
                              path);
    if (memcmp(found.done.key, key, 16) != 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "%s is of another model or of other options; remove its folder to "
                              "start again",
                              path);
    out->done = found.done;
    return BVP_OK;
}

bvp_status bvpi_state_open(const char *folder, const uint8_t key[16], bool is_share,
                           bvpi_large_state *out, bvp_error *error)
{
    char path[PATH_MAX];
    *out = (bvpi_large_state){.folder = folder, .lock = -1, .saved_at = time(NULL)};
    out->done.spool.runs.scratch = BVPI_NO_SCRATCH;
    memcpy(out->done.key, key, sizeof out->done.key);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return bvpi_error_system(error, "cannot make the folder %s", folder);
    if (!join_path(folder, "lock", path))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the folder's name is too long");
    out->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (out->lock < 0)
        return bvpi_error_system(error, "cannot create %s", path);
    if (flock(out->lock, (is_share ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "another process works in %s", folder);
    (void)join_path(folder, "state", path);
    return read_record(path, key, out, error);
}

void bvpi_state_close(bvpi_large_state *state)
{
    if (state->lock >= 0)
        close(state->lock);
    state->lock = -1;
}

bvp_status bvpi_state_save(bvpi_large_state *state, bvp_error *error)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    record made;
    make_record(&state->done, &made);
    if (!join_path(state->folder, "state", path) || !join_path(state->folder, "state.new", fresh))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the folder's name is too long");
    const int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return bvpi_error_system(error, "cannot create %s", fresh);
    const bool ok = write(fd, &made, sizeof made) == sizeof made && fsync(fd) == 0;
    const int reason = errno;
    close(fd);
    errno = reason;
    if (!ok || rename(fresh, path) != 0)
        return bvpi_error_system(error, "cannot write %s", path);
    state->saved_at = time(NULL);
    return BVP_OK;
}

bool bvpi_state_is_due(const bvpi_large_state *state)
{
    return time(NULL) - state->saved_at >= SECONDS_BETWEEN;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Removes the folder's files of these names: "bytes", and "bytes.1-8" of a share. */
static void remove_files(const char *folder, const char *const *names, size_t count)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    DIR *files = opendir(folder);
    while (files && (entry = readdir(files)) != NULL)
        for (size_t k = 0; k < count; k++) {
            const size_t size = strlen(names[k]);
            const char *rest = entry->d_name + size;
            const bool is_one = strncmp(entry->d_name, names[k], size) == 0 &&
                                (*rest == '\0' ||
                                 (*rest == '.' && strspn(rest, ".-0123456789new") == strlen(rest)));
            if (is_one &&
                snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
                (void)unlink(path);
        }
    if (files)
        closedir(files);
}

/* The records first: without them the rest is nothing, wherever a kill cuts this off. */
void bvpi_state_remove(const char *folder)
{
    static const char *const records[] = {"state", "share"};
    static const char *const files[] = {"runs", "floats", "sets",    "tree",    "bytes",
                                        "ids",  "wide",   "records", "batches", "lock"};
    remove_files(folder, records, sizeof records / sizeof *records);
    remove_files(folder, files, sizeof files / sizeof *files);
    (void)rmdir(folder);
}
