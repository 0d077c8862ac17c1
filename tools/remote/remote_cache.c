/* SPDX-License-Identifier: MIT
 * remote_cache.c: ranges that were fetched, each in a file of its own, under a folder that is named
 * by a hash of address, state and size of what they are from. A file begins with a hash of its
 * bytes: one that is damaged, or cut, is not there. Several programs may use the folder at once:
 * files appear under their names when they are complete.
 */
#include "remote/remote_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bvpack.h"

enum { HASH_SIZE = 16 };

void remote_cache_open(remote_cache *cache, const char *url, const char *tag, uint64_t file_size)
{
    const char *given = getenv("BVPACK_CACHE");
    uint8_t hash[HASH_SIZE];
    cache->folder[0] = '\0';
    if (!given || !given[0] || !tag[0])
        return;
    const size_t room = strlen(url) + strlen(tag) + 64;
    char *name = malloc(room);
    if (!name)
        return;
    const int size = snprintf(name, room, "%s\n%s\n%" PRIu64, url, tag, file_size);
    bvp_hash(name, (size_t)size, hash);
    free(name);
    int used = snprintf(cache->folder, sizeof cache->folder, "%s/", given);
    if ((size_t)used + 2 * HASH_SIZE + 64 > sizeof cache->folder) {
        cache->folder[0] = '\0';
        return;
    }
    for (int i = 0; i < HASH_SIZE; i++)
        used += snprintf(cache->folder + used, 3, "%02x", hash[i]);
    mkdir(given, 0700);
    if (mkdir(cache->folder, 0700) != 0 && errno != EEXIST)
        cache->folder[0] = '\0';
}

void remote_cache_close(remote_cache *cache)
{
    cache->folder[0] = '\0';
}

static void path_of(const remote_cache *cache, uint64_t offset, uint64_t size, const char *ending,
                    char path[REMOTE_CACHE_PATH + 64])
{
    snprintf(path, REMOTE_CACHE_PATH + 64, "%s/%" PRIu64 "-%" PRIu64 "%s", cache->folder, offset,
             size, ending);
}

bool remote_cache_has(const remote_cache *cache, uint64_t offset, uint64_t size)
{
    char path[REMOTE_CACHE_PATH + 64];
    if (!cache->folder[0])
        return false;
    path_of(cache, offset, size, "", path);
    return access(path, R_OK) == 0;
}

bool remote_cache_read(const remote_cache *cache, uint64_t offset, uint64_t size, void *out)
{
    char path[REMOTE_CACHE_PATH + 64];
    uint8_t expected[HASH_SIZE], found[HASH_SIZE];
    struct stat info;
    if (!cache->folder[0])
        return false;
    path_of(cache, offset, size, "", path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is_good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                   (uint64_t)info.st_size == size + HASH_SIZE &&
                   pread(fd, expected, HASH_SIZE, 0) == HASH_SIZE;
    for (uint64_t done = 0; is_good && done < size;) {
        const ssize_t now =
            pread(fd, (char *)out + done, (size_t)(size - done), (off_t)(done + HASH_SIZE));
        is_good = now > 0;
        done += is_good ? (uint64_t)now : 0;
    }
    close(fd);
    if (!is_good)
        return false;
    bvp_hash(out, (size_t)size, found);
    return memcmp(found, expected, HASH_SIZE) == 0;
}

static bool write_all(int fd, const void *data, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        const ssize_t now = write(fd, (const char *)data + done, (size_t)(size - done));
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0)
            return false;
        done += (uint64_t)now;
    }
    return true;
}

void remote_cache_write(const remote_cache *cache, uint64_t offset, uint64_t size,
                        const void *bytes)
{
    char path[REMOTE_CACHE_PATH + 64], own[REMOTE_CACHE_PATH + 64];
    uint8_t hash[HASH_SIZE];
    if (!cache->folder[0])
        return;
    path_of(cache, offset, size, "", path);
    path_of(cache, offset, size, ".XXXXXX", own);
    const int fd = mkstemp(own);
    if (fd < 0)
        return;
    bvp_hash(bytes, (size_t)size, hash);
    const bool is_written = write_all(fd, hash, HASH_SIZE) && write_all(fd, bytes, size);
    if (close(fd) != 0 || !is_written || rename(own, path) != 0)
        unlink(own);
}
