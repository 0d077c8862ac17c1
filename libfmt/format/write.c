/* SPDX-License-Identifier: MIT
 * write.c: writes sections from memory to a file, in one forward pass.
 *
 * Header and trailer contain hashes of everything between them. Patching them afterwards would need
 * a seekable file and would leave invalid files behind. So sections are laid out first (sizes are
 * known), then hashed in memory, digests before hashes because HASH covers DGST, and then written
 * once from front to back. The output may be a pipe.
 *
 * A sink receives the same calls in both passes: put_hash() feeds block hashes or digests,
 * put_write() gathers chunks for writev(). Large chunks are written from where they are; small ones
 * are copied into a buffer.
 *
 * Nothing in the bytes depends on library versions or on the machine: PROV is stored uncompressed.
 *
 * bvpi_write_path() publishes the file under its name only when it is complete and synced
 * (publish.h).
 *
 * Held by tests/unit/test_write.c: files appear whole or not at all, whatever the descriptor does.
 * Spec: format.md, chapters "Framing" to "Hashes" and "Trailer"
 */
#define _GNU_SOURCE /* sync_file_range */
#include "format/write.h"

#include "base/meter.h"
#include "base/status.h"
#include "format/checksum.h"
#include "format/codec.h"
#include "format/digest.h"
#include "format/header.h"
#include "publish/publish.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    WRITE_SIZE = 1 << 20,       /* bytes that are written at once, and hashed at once */
    COPY_SIZE = 2048,           /* smaller chunks are copied into a buffer */
    BUFFER_SIZE = 1 << 16,      /* size of that buffer */
    RANGE_COUNT = 256,          /* for one writev; POSIX guarantees 16, Linux allows 1024 */
    START_SIZE = 8 * WRITE_SIZE /* write-back is started after this many bytes */
};

/* The destination of bytes: block hashes, digests, or a descriptor. */
typedef struct sink {
    bool (*put)(struct sink *sink, const void *data, size_t size);
    uint64_t offset; /* bytes put so far */
    /* hashing */
    bvpi_hasher hasher;
    uint64_t *hashes;
    bvpi_digester digester;
    uint8_t *digests;
    /* writing */
    int fd;
    struct iovec range[RANGE_COUNT]; /* to be written next: chunks in place, or copies */
    int range_count;
    size_t gathered; /* bytes in them */
    uint8_t *buffer;
    size_t buffered;
    uint64_t started; /* bytes whose write-back was started */
    const bvpi_write *job;
    uint64_t total;
    bool is_cancelled; /* by the job's control */
} sink;

/* The layout, made before anything is written. */
typedef struct plan {
    const bvpi_write *job;
    bvpd_header header;
    bvpi_write_section section[BVPD_SECTION_COUNT];
    bvpi_chunk hashes, digests; /* of the sections made here; digests may be empty */
} plan;

/* BUFS and DGST, where they are present, are between the other sections and HASH. */
static bool has_buffers(const plan *p)
{
    return p->job->buffers.chunk_count > 0;
}
static const bvpd_section *digests_entry(const plan *p)
{
    return &p->header.sections[BVPD_HASH + has_buffers(p)];
}
static const bvpd_section *hash_entry(const plan *p)
{
    return digests_entry(p) + p->job->has_digests;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static bool put_zeros(sink *s, uint64_t size)
{
    static const uint8_t zeros[4096];
    while (size > 0) {
        const size_t n = size < sizeof zeros ? (size_t)size : sizeof zeros;
        if (!s->put(s, zeros, n))
            return false;
        size -= n;
    }
    return true;
}

/* Pads up to the section's offset, then puts its chunks, in pieces between which it can be
 * cancelled. */
static bool put_section(sink *s, const bvpd_section *entry, const bvpi_write_section *section)
{
    assert(s->offset <= entry->offset);
    if (!put_zeros(s, entry->offset - s->offset))
        return false;
    for (uint64_t i = 0; i < section->chunk_count; i++) {
        const uint8_t *data = section->chunks[i].data;
        uint64_t left = section->chunks[i].size;
        if (!data && !put_zeros(s, left))
            return false;
        while (data && left > 0) {
            const size_t n = left < WRITE_SIZE ? (size_t)left : WRITE_SIZE;
            s->is_cancelled = bvpi_is_cancelled(s->job->control);
            if (s->is_cancelled || !s->put(s, data, n))
                return false;
            data += n;
            left -= n;
        }
    }
    assert(s->offset == entry->offset + entry->size);
    return true;
}

/* Puts all sections that the caller gives; the others are made here. */
static bool put_given_sections(sink *s, const plan *p)
{
    for (int kind = 0; kind < BVPD_HASH; kind++)
        if (!put_section(s, &p->header.sections[kind], &p->section[kind]))
            return false;
    return !has_buffers(p) || put_section(s, &p->header.sections[BVPD_HASH], &p->job->buffers);
}

static bool put_digests(sink *s, const plan *p)
{
    const bvpi_write_section section = {&p->digests, 1};
    return !p->job->has_digests || put_section(s, digests_entry(p), &section);
}

/* ---- hashing -------------------------------------------------------------------------------- */

/* The sink either hashes or digests. */
static void start_block(sink *s)
{
    if (s->digests)
        bvpi_digester_start(&s->digester);
    else
        bvpi_hasher_start64(&s->hasher);
}

static void end_block(sink *s)
{
    if (s->digests) {
        bvpi_digester_end(&s->digester, s->digests);
        s->digests += BVPD_DIGEST_SIZE;
    } else {
        *s->hashes++ = bvpi_hasher_end64(&s->hasher);
    }
    start_block(s);
}

static bool put_hash(sink *s, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    while (size > 0) {
        const uint64_t used = (s->offset - BVPD_HEADER_SIZE) % BVPD_BLOCK_SIZE;
        const size_t room = (size_t)(BVPD_BLOCK_SIZE - used);
        assert(s->offset >= BVPD_HEADER_SIZE && room > 0);
        const size_t n = size < room ? size : room;
        if (s->digests)
            bvpi_digester_add(&s->digester, bytes, n);
        else
            bvpi_hasher_add64(&s->hasher, bytes, n);
        s->offset += n;
        bytes += n;
        size -= n;
        if (n == room)
            end_block(s);
    }
    return true;
}

/* Ends the last block at `end`, where the section that is being made begins. */
static void end_blocks(sink *s, uint64_t end)
{
    assert(s->offset <= end);
    put_zeros(s, end - s->offset);
    if ((s->offset - BVPD_HEADER_SIZE) % BVPD_BLOCK_SIZE != 0)
        end_block(s);
}

static bvp_status digest_blocks(plan *p, bvp_error *error)
{
    const bvpd_section *entry = digests_entry(p);
    if (!bvpi_can_digest())
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "this library was built without libsodium: it has no digests");
    uint8_t *digests = malloc(entry->size + 1);
    if (!digests)
        return bvpi_error_memory(error, entry->size);
    p->digests = (bvpi_chunk){digests, entry->size};
    sink s = {.put = put_hash, .offset = BVPD_HEADER_SIZE, .digests = digests, .job = p->job};
    start_block(&s);
    if (!put_given_sections(&s, p))
        return bvpi_error_cancelled(error);
    end_blocks(&s, entry->offset);
    assert(s.digests == digests + entry->size);
    return BVP_OK;
}

static bvp_status hash_blocks(plan *p, bvp_error *error)
{
    const bvpd_section *entry = hash_entry(p);
    uint64_t *hashes = malloc(entry->size + 1);
    if (!hashes)
        return bvpi_error_memory(error, entry->size);
    p->hashes = (bvpi_chunk){hashes, entry->size};
    sink s = {.put = put_hash, .offset = BVPD_HEADER_SIZE, .hashes = hashes, .job = p->job};
    start_block(&s);
    if (!put_given_sections(&s, p) || !put_digests(&s, p))
        return bvpi_error_cancelled(error);
    end_blocks(&s, entry->offset);
    assert(s.hashes == hashes + entry->record_count);
    p->section[BVPD_HASH] = (bvpi_write_section){&p->hashes, 1};
    return BVP_OK;
}

/* ---- planning ------------------------------------------------------------------------------- */

static uint64_t section_size(const bvpi_write_section *section)
{
    uint64_t size = 0;
    for (uint64_t i = 0; i < section->chunk_count; i++)
        size += section->chunks[i].size;
    return size;
}

/* Places the next section behind those placed before; its kind and flags are set. size: in bytes,
 * or SIZE_OF_BLOCKS: one record for each block before it. */
#define SIZE_OF_BLOCKS UINT64_MAX
static void place_section(bvpd_header *h, uint32_t record_size, uint64_t size)
{
    assert(h->section_count < BVPD_SECTION_MAX && record_size > 0);
    bvpd_section *s = &h->sections[h->section_count];
    uint64_t end = BVPD_HEADER_SIZE;
    if (h->section_count > 0)
        end = s[-1].offset + s[-1].size;
    s->offset = (end + BVPD_SECTION_ALIGN - 1) & ~(uint64_t)(BVPD_SECTION_ALIGN - 1);
    const uint64_t blocks = (s->offset - BVPD_HEADER_SIZE + BVPD_BLOCK_SIZE - 1) / BVPD_BLOCK_SIZE;
    s->size = s->raw_size = size == SIZE_OF_BLOCKS ? record_size * blocks : size;
    s->record_size = record_size;
    s->record_count = s->raw_size / record_size;
    assert(s->record_count * record_size == s->raw_size); /* whole records */
    h->section_count++;
}

static void place_known(plan *p, enum bvpd_section_index kind, uint64_t size)
{
    bvpd_section *s = &p->header.sections[p->header.section_count];
    memcpy(s->kind, bvpi_section_kind(kind), sizeof s->kind);
    s->flags = 1;
    place_section(&p->header, bvpi_section_record_size(kind), size);
}

static void free_plan(plan *p)
{
    free((void *)p->hashes.data);
    free((void *)p->digests.data);
    free(p);
}

/* Places the sections, then computes digests, hashes and the two hashes of the header, in this
 * order: each covers what was made before it. */
static bvp_status make_plan(const bvpi_write *job, plan **out, bvp_error *error)
{
    const uint64_t text_size = section_size(&job->section[BVPD_PROV]);
    if (text_size > BVPI_RAW_SIZE_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "the provenance text has %" PRIu64 " bytes; at most %d fit",
                              text_size, BVPI_RAW_SIZE_MAX);
    plan *p = calloc(1, sizeof *p);
    if (!p)
        return bvpi_error_memory(error, sizeof *p);
    p->job = job;
    p->header = job->header;
    memcpy(p->section, job->section, sizeof p->section);
    bvpd_header *h = &p->header;
    h->section_count = 0;
    memset(h->sections, 0, sizeof h->sections);
    for (int kind = 0; kind < BVPD_HASH; kind++)
        place_known(p, (enum bvpd_section_index)kind, section_size(&p->section[kind]));
    if (has_buffers(p)) {
        memcpy(h->sections[h->section_count].kind, BVPD_BUFFERS, sizeof h->sections->kind);
        place_section(h, sizeof(bvpd_buffers), section_size(&job->buffers));
    }
    if (job->has_digests) {
        memcpy(h->sections[h->section_count].kind, BVPD_DIGESTS, sizeof h->sections->kind);
        place_section(h, BVPD_DIGEST_SIZE, SIZE_OF_BLOCKS);
    }
    place_known(p, BVPD_HASH, SIZE_OF_BLOCKS);
    assert(hash_entry(p) == &h->sections[h->section_count - 1]);

    memcpy(h->magic, BVPD_MAGIC, BVPD_MAGIC_SIZE);
    h->version_major = BVPD_VERSION_MAJOR;
    h->version_minor = BVPD_VERSION_MINOR;
    h->header_size = BVPD_HEADER_SIZE;
    h->block_size = BVPD_BLOCK_SIZE;
    h->part_count = (uint32_t)h->sections[BVPD_PART].record_count;
    h->instance_count = (uint32_t)h->sections[BVPD_INST].record_count;
    h->node_count = (uint32_t)h->sections[BVPD_TREE].record_count;
    h->hierarchy_count = (uint32_t)h->sections[BVPD_HIER].record_count;
    const bvpd_section *data = &h->sections[BVPD_DATA], *last = hash_entry(p);
    h->file_size = bvpi_file_size_for(data->offset + data->size, last->offset + last->size);
    memset(h->reserved, 0, sizeof h->reserved);

    bvp_status status = job->has_digests ? digest_blocks(p, error) : BVP_OK;
    if (status == BVP_OK)
        status = hash_blocks(p, error);
    if (status != BVP_OK) {
        free_plan(p);
        return status;
    }
    bvpi_root_hash(h, p->hashes.data, p->hashes.size, h->root_hash);
    p->header.header_hash = bvpi_header_hash(&p->header);
    *out = p;
    return BVP_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool write_all(int fd, struct iovec *range, int count)
{
    while (count > 0) {
        ssize_t n = writev(fd, range, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return false;
        for (; count > 0 && (size_t)n >= range->iov_len; range++, count--)
            n -= (ssize_t)range->iov_len;
        if (count > 0) {
            range->iov_base = (uint8_t *)range->iov_base + n;
            range->iov_len -= (size_t)n;
        }
    }
    return true;
}

static bool flush(sink *s)
{
    const int count = s->range_count;
    assert(s->gathered <= WRITE_SIZE && s->buffered <= s->gathered);
    if (s->job->progress)
        s->job->progress(s->job->progress_user, "write", s->offset, s->total);
    s->range_count = 0;
    s->gathered = s->buffered = 0;
    if (!write_all(s->fd, s->range, count))
        return false;
    if (s->offset - s->started >= START_SIZE) {
        s->started = s->offset;
#ifdef SYNC_FILE_RANGE_WRITE
        /* A hint: the disk writes while the rest is produced, not only at the final sync. */
        (void)sync_file_range(s->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
    }
    return true;
}

/* Gathers ranges of bytes. A small chunk is copied into the buffer, behind what was copied before;
 * a large one stays where it is until it is written. */
static bool put_write(sink *s, const void *data, size_t size)
{
    assert(size <= WRITE_SIZE);
    const bool has_room = s->range_count < RANGE_COUNT && s->gathered + size <= WRITE_SIZE &&
                          (size >= COPY_SIZE || s->buffered + size <= BUFFER_SIZE);
    if (!has_room && !flush(s))
        return false;
    if (size == 0)
        return true;
    const struct iovec *last = s->range_count > 0 ? &s->range[s->range_count - 1] : NULL;
    const uint8_t *end = last ? (const uint8_t *)last->iov_base + last->iov_len : NULL;
    if (size < COPY_SIZE) {
        data = memcpy(s->buffer + s->buffered, data, size);
        s->buffered += size;
    }
    /* a chunk that continues the last one, as copies in the buffer do, extends it */
    if (end == data)
        s->range[s->range_count - 1].iov_len += size;
    else
        s->range[s->range_count++] = (struct iovec){(void *)data, size};
    s->gathered += size;
    s->offset += size;
    return true;
}

static bool put_file(sink *s, const plan *p)
{
    const bvpd_header *h = &p->header;
    bvpd_trailer trailer = {.file_size = h->file_size, .header_hash = h->header_hash};
    memcpy(trailer.root_hash, h->root_hash, sizeof trailer.root_hash);
    memcpy(trailer.magic, BVPD_END_MAGIC, BVPD_END_MAGIC_SIZE);
    return s->put(s, h, sizeof *h) && put_given_sections(s, p) && put_digests(s, p) &&
           put_section(s, hash_entry(p), &p->section[BVPD_HASH]) &&
           put_zeros(s, h->file_size - sizeof trailer - s->offset) &&
           s->put(s, &trailer, sizeof trailer) && flush(s);
}

bvp_status bvpi_write_fd(const bvpi_write *job, int fd, uint64_t *file_size, bvp_error *error)
{
    plan *p = NULL;
    bvp_status status = make_plan(job, &p, error);
    if (status != BVP_OK)
        return status;
    sink s = {.put = put_write, .fd = fd, .job = job, .total = p->header.file_size};
    s.buffer = malloc(BUFFER_SIZE);
    if (!s.buffer)
        status = bvpi_error_memory(error, BUFFER_SIZE);
    else if (!put_file(&s, p))
        status = s.is_cancelled ? bvpi_error_cancelled(error)
                                : bvpi_error_system(error, "cannot write the file");
    if (file_size)
        *file_size = p->header.file_size;
    free(s.buffer);
    free_plan(p);
    return status;
}

/* ---- publishing ----------------------------------------------------------------------------- */

bvp_status bvpi_write_path(const bvpi_write *job, const char *path, uint64_t *file_size,
                           bvp_error *error)
{
    struct stat info;
    bvpi_publishing file;
    const bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return bvpi_error_system(error, "cannot open %s", path);
        bvp_status status = bvpi_write_fd(job, fd, file_size, error);
        if (close(fd) != 0 && status == BVP_OK)
            status = bvpi_error_system(error, "cannot write %s", path);
        return status;
    }
    if (bvpi_publish_open(&file, path, path, 0666) != 0)
        return bvpi_error_system(error, "cannot create a file beside %s", path);
    if (exists || file.temporary[0]) /* only then may somebody have left a file here */
        bvpi_publish_sweep(path);
    bvp_status status = bvpi_write_fd(job, file.fd, file_size, error);
    if (status == BVP_OK && fsync(file.fd) != 0)
        status = bvpi_error_system(error, "cannot write the file");
    if (status != BVP_OK)
        bvpi_publish_discard(&file);
    else if (bvpi_publish_commit(&file, path, path) != 0)
        status = bvpi_error_system(error, "cannot give the finished file the name %s", path);
    else
        bvpi_publish_sync_folder(path);
    return status;
}
