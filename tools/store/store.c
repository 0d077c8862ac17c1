/* SPDX-License-Identifier: MIT
 * store.c: a folder of packed parts and source records.
 *
 * A file gets its name by a rename when it is complete, and its name identifies its content. So two
 * writers of one name write the same bytes, and neither waits.
 */
#define _GNU_SOURCE /* syncfs */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "publish/publish.h"
#include "text/hex.h"
#include "files/input.h"
#include "text/message.h"
#include "files/temporary.h"

enum {
    SLOT_COUNT = 2 * STORE_OPEN_MOST,
    HASH_SIZE = 16,
    /* The folder, a slash and a zero; with "sources/xx/", 30 digits and ".bvp" it is still a path,
     * and so is the name of a temporary file in it. */
    FOLDER_SIZE = PATH_MAX - 80
};

int store_open(store *s, const char *folder)
{
    *s = (store){.open_count = 0};
    if (snprintf(s->folder, FOLDER_SIZE, "%s/", folder) >= FOLDER_SIZE) {
        complain("--store", "the folder's name is too long");
        return EXIT_USAGE;
    }
    struct stat info;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        complain(folder, "cannot make the store's folder: %s", strerror(errno));
        return EXIT_OUTPUT;
    }
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
        complain(folder, "expected a folder for --store, found something else");
        return EXIT_USAGE;
    }
    s->slots = calloc(SLOT_COUNT, sizeof *s->slots);
    if (s->slots) {
        bvpi_publish_sweep(s->folder); /* what a killed run left */
        return 0;
    }
    return complain_memory();
}

void store_close(store *s)
{
    for (size_t i = 0; i < SLOT_COUNT && s->slots; i++)
        bvp_close(s->slots[i].file);
    bvp_close(s->passing);
    free(s->slots);
    s->slots = NULL;
    s->passing = NULL;
}

int store_is_writable(const store *s)
{
    return access(s->folder, W_OK) == 0;
}

/* FOLDER/KINDxx/yyyy...ENDING of the address xxyyyy... */
static void make_path(const store *s, const char *kind, const uint8_t address[16],
                      const char *ending, char path[PATH_MAX])
{
    char digits[33];
    hex_text(address, 16, digits);
    const int size = snprintf(path, PATH_MAX, "%.*s%s%.2s/%s%s", FOLDER_SIZE, s->folder, kind,
                              digits, digits + 2, ending);
    assert(size > 0 && size < PATH_MAX); /* FOLDER_SIZE leaves room */
    (void)size;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The slot of the address, or the free one where it belongs: linear probing, which ends because at
 * most half of the slots are taken. */
static store_slot *slot_of(store *s, const uint8_t address[16])
{
    size_t at;
    assert(s->slots); /* from store_open to store_close */
    assert(s->open_count <= STORE_OPEN_MOST);
    memcpy(&at, address, sizeof at); /* an address is a hash */
    for (at %= SLOT_COUNT; s->slots[at].file; at = (at + 1) % SLOT_COUNT)
        if (memcmp(s->slots[at].address, address, 16) == 0)
            break;
    return &s->slots[at];
}

/* The file, if it has the content that its name states, is undamaged, and keeps the rules: a forged
 * file may break these although its hashes match. It stays open. */
static const bvp_file *map_part(store *s, const char *path, const uint8_t address[16],
                                int is_trusted)
{
    const bvp_open_options options = {.verify_lazily = 1, .read_ahead = 1};
    bvp_part_info part;
    bvp_file *file;
    bvp_file_info info;
    s->status = bvp_open(path, &options, &file, NULL);
    if (s->status != BVP_OK)
        return NULL;
    bvp_get_info(file, &info);
    is_trusted |= s->is_trusted;
    if (info.part_count == 1 && bvp_check_part(file, 0, NULL) == BVP_OK &&
        bvp_get_part(file, 0, &part) == BVP_OK && memcmp(part.address, address, 16) == 0 &&
        (is_trusted || bvp_verify_part(file, 0, NULL, NULL, NULL) == BVP_OK)) {
        if (s->open_count == STORE_OPEN_MOST) {
            bvp_close(s->passing);
            s->passing = file;
            return file;
        }
        store_slot *slot = slot_of(s, address);
        assert(!slot->file); /* else the caller would have used it */
        memcpy(slot->address, address, 16);
        slot->file = file;
        s->open_count++;
        return file;
    }
    bvp_close(file);
    s->status = BVP_ERR_CORRUPT;
    return NULL;
}

const bvp_file *store_find(store *s, const uint8_t address[16], const stamp *own)
{
    char path[PATH_MAX];
    stamp now;
    store_slot *slot = slot_of(s, address);
    s->status = BVP_OK;
    if (slot->file)
        return slot->file;
    make_path(s, "", address, ".bvp", path);
    const int is_own = own && stamp_take(path, &now) == 0 && stamp_is_equal(own, &now);
    return map_part(s, path, address, is_own);
}

void store_drop(const store *s, const uint8_t address[16])
{
    char path[PATH_MAX];
    make_path(s, "", address, ".bvp", path);
    if (s->status != BVP_ERR_SYSTEM && s->status != BVP_ERR_NO_MEMORY)
        unlink(path);
}

int store_is_unchanged(const store *s, const uint8_t address[16], const stamp *known)
{
    char path[PATH_MAX];
    stamp now;
    make_path(s, "", address, ".bvp", path);
    return stamp_take(path, &now) == 0 && stamp_is_equal(known, &now);
}

/* Files of a store are replaced, never changed in place: a file whose stamp is unchanged is still
 * valid. */
int store_has(store *s, const uint8_t address[16], stamp *known)
{
    char path[PATH_MAX];
    stamp now;
    make_path(s, "", address, ".bvp", path);
    if (stamp_take(path, &now) != 0)
        return 0;
    if (stamp_is_equal(known, &now))
        return 1;
    if (!slot_of(s, address)->file && !map_part(s, path, address, 0))
        return 0;
    *known = now;
    return 1;
}

/* ---- records --------------------------------------------------------------------------------- */

char *store_get_record(const store *s, const uint8_t key[16], size_t *size)
{
    char path[PATH_MAX], *text = NULL;
    uint8_t hash[HASH_SIZE];
    struct stat info;
    make_path(s, "sources/", key, "", path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &info) == 0 && info.st_size >= HASH_SIZE)
        text = malloc((size_t)info.st_size + 1);
    const ssize_t got = text ? read(fd, text, (size_t)info.st_size) : -1;
    close(fd);
    *size = (size_t)got - HASH_SIZE;
    if (text && got == info.st_size) {
        assert(got >= HASH_SIZE); /* shorter files have no text */
        bvp_hash(text, *size, hash);
        if (memcmp(hash, text + *size, HASH_SIZE) == 0) {
            text[*size] = '\0';
            return text;
        }
    }
    free(text);
    return NULL;
}

/* What `fill` writes gets the name `path` when it is complete; the folders on the way to it are
 * made. Temporary names, where they are needed, are in the store's folder, where store_open removes
 * old ones. */
static int publish(const store *s, char *path, int (*fill)(void *user, int fd), void *user)
{
    bvpi_publishing file;
    int slot = -1;
    assert(strncmp(path, s->folder, strlen(s->folder)) == 0);
    for (char *slash = path + strlen(s->folder); (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        const int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed) {
            complain(path, "cannot make its folder: %s", strerror(errno));
            return EXIT_OUTPUT;
        }
    }
    int failed =
        bvpi_publish_open_watched(&file, path, s->folder, 0666, temporary_redoom, &slot) != 0;
    if (!failed) {
        failed = fill(user, file.fd) != 0;
        if (failed)
            bvpi_publish_discard(&file);
        failed = failed || bvpi_publish_commit(&file, path, s->folder) != 0;
    }
    const int reason = errno;
    temporary_spare(slot);
    if (!failed)
        return 0;
    complain(path, "cannot write it to the store: %s", strerror(reason));
    return reason == ENOMEM ? EXIT_LIMIT : EXIT_OUTPUT;
}

static int fill_part(void *user, int fd)
{
    bvp_error error = {0};
    const bvp_status status = bvp_builder_save_part_fd(user, 0, fd, &error);
    if (status == BVP_OK)
        return 0;
    errno = status == BVP_ERR_NO_MEMORY ? ENOMEM : error.sys_errno;
    return -1;
}

int store_put_part(const store *s, bvp_builder *builder, const uint8_t address[16], stamp *put)
{
    char path[PATH_MAX];
    make_path(s, "", address, ".bvp", path);
    const int code = publish(s, path, fill_part, builder);
    if (code == 0 && put)
        stamp_take(path, put);
    return code;
}

typedef struct record {
    const void *data;
    size_t size;
} record;

static int fill_record(void *user, int fd)
{
    const record *r = user;
    uint8_t hash[HASH_SIZE];
    bvp_hash(r->data, r->size, hash);
    const record pieces[] = {*r, {hash, sizeof hash}};
    for (int i = 0; i < 2; i++) {
        const char *at = pieces[i].data;
        for (size_t left = pieces[i].size; left > 0;) {
            const ssize_t n = write(fd, at, left);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return -1;
            assert((size_t)n <= left);
            at += n;
            left -= (size_t)n;
        }
    }
    return 0;
}

int store_put_record(const store *s, const uint8_t key[16], const void *data, size_t size)
{
    char path[PATH_MAX];
    record r = {data, size};
    make_path(s, "sources/", key, "", path);
    return publish(s, path, fill_record, &r);
}

void store_sync(const store *s)
{
    const int fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
#if HAVE_SYNCFS
    syncfs(fd);
#else
    sync();
#endif
    close(fd);
}
