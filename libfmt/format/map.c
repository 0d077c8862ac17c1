/* SPDX-License-Identifier: MIT
 * map.c: opens a file from a path, descriptor or memory; takes the same time for every size of
 * file.
 *
 * Opening copies the head (1,408 bytes), checks its rules (header.c), and maps the rest. Nothing
 * else is read, so nothing else may be trusted: sections become spans inside the mapping, and
 * record.c checks each record when it is used.
 *
 * Modes: shared maps the file read-only; an overlay maps it privately and writable, for refits, and
 * the file itself never changes; isolated copies the file into memory, checks the copy's own head
 * again, and is immune to later changes.
 *
 * Invariants of an open bvp_file: header is a private copy; every span is inside the mapping and
 * followed by as many bytes as readers of its last record may touch; everything else is constant,
 * except the atomic states of lazy.c and thin.c.
 *
 * Held by tests/unit/test_map.c, and by tests/property/test_damage.c and test_forged.c: any bytes
 * keep readers inside the mapping.
 * Spec: format.md, chapters "Framing", "Header", "Directory"
 * Measured: decisions.md, "Opening"
 */
#include "format/lazy.h"
#include "format/map.h"

#include "base/checked.h"
#include "base/status.h"
#include "format/advise.h"
#include "format/attached.h"
#include "format/digest.h"
#include "format/header.h"
#include "format/outside.h"
#include "format/source.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bvpi_span span_of(const bvp_file *file, uint32_t entry, uint64_t record_size, uint64_t tail)
{
    bvpi_span span = {.data = file->base};
    if (entry >= file->header.section_count)
        return span;
    const bvpd_section *s = &file->header.sections[entry];
    if (tail > file->size || !bvpi_fits(s->offset, s->size, file->size - tail) ||
        s->offset % BVPD_SECTION_ALIGN != 0)
        return span;
    assert(record_size > 0 && s->offset + s->size + tail <= file->size);
    return (bvpi_span){file->base + s->offset, s->size, s->size / record_size};
}

/* A section whose entry cannot be trusted becomes empty; after bvpi_check_header there is none.
 * Each span is followed by the bytes that readers of its last record may touch. */
void bvpi_set_spans(bvp_file *file)
{
    for (int kind = 0; kind < BVPD_SECTION_COUNT; kind++) {
        const uint64_t tail = kind == BVPD_DATA ? BVPD_DATA_TAIL : sizeof(bvpd_trailer);
        file->section[kind] = span_of(file, bvpi_find_section(&file->header, kind),
                                      bvpi_section_record_size(kind), tail);
    }
    file->digests =
        span_of(file, bvpi_find_digests(&file->header), BVPD_DIGEST_SIZE, sizeof(bvpd_trailer));
    file->buffers =
        span_of(file, bvpi_find_buffers(&file->header), sizeof(bvpd_buffers), sizeof(bvpd_trailer));
}

void bvpi_map_unchecked(const void *data, uint64_t size, bvp_file *file)
{
    memset(file, 0, sizeof *file);
    file->base = data;
    file->size = size;
    memcpy(&file->header, data, sizeof file->header);
    bvpi_set_spans(file);
}

/* Reads `size` bytes, or fewer if the file ends before; *got: how many. */
static bvp_status read_at(int fd, void *data, size_t size, uint64_t offset, size_t *got,
                          bvp_error *error)
{
    *got = 0;
    while (*got < size) {
        ssize_t n = pread(fd, (char *)data + *got, size - *got, (off_t)(offset + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return bvpi_error_system(error, "cannot read the file");
        if (n == 0)
            break;
        *got += (size_t)n;
        assert(*got <= size);
    }
    return BVP_OK;
}

/* An overlay's private pages are written, never the file. NORESERVE, because most pages stay
 * unwritten. */
static bvp_status map_pages(bvp_file *file, int fd, const bvp_open_options *options,
                            bvp_error *error)
{
    const uint64_t offset = options->offset;
    const int protection = options->overlay ? PROT_READ | PROT_WRITE : PROT_READ;
    const int flags = options->overlay ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED;
    /* mmap needs a multiple of the system's page size, which may be larger than ours. */
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t slack = offset % page;
    assert(file->size > 0 && offset % BVPD_PAGE_SIZE == 0);
    void *mapping =
        mmap(NULL, (size_t)(file->size + slack), protection, flags, fd, (off_t)(offset - slack));
    if (mapping == MAP_FAILED)
        return bvpi_error_system(error, "cannot map the file");
    file->mapping = mapping;
    file->mapping_size = (size_t)(file->size + slack);
    file->base = (const uint8_t *)mapping + slack;
    return BVP_OK;
}

static bvp_status allocate_private(bvp_file *file, bvp_error *error)
{
    assert(!file->mapping && file->size > 0);
    file->owned = 1;
    file->mapping_size = (size_t)file->size;
    if (posix_memalign(&file->mapping, BVPD_PAGE_SIZE, file->mapping_size) != 0) {
        file->mapping = NULL;
        return bvpi_error_memory(error, file->size);
    }
    file->base = file->mapping;
    return BVP_OK;
}

bvp_status bvp_get_digest(const bvp_file *file, uint8_t out[32], bvp_error *error)
{
    if (file->digests.count == 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the file was packed without digests; pack it with --digests");
    if (!bvpi_can_digest())
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "this library was built without libsodium: it has no digests");
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvpi_source_keep(file, file->digests.data, file->digests.size);
    bvpi_root_digest(&file->header, file->digests.data, file->digests.size, out);
    return bvpi_call_end(&call, BVP_OK);
}

/* Is it the file that the caller knows? Changes in blocks are found later, one block at a time. */
static bvp_status check_root_digest(bvp_file *file, const uint8_t expected[BVPD_DIGEST_SIZE],
                                    bvp_error *error)
{
    uint8_t found[BVPD_DIGEST_SIZE];
    bvp_status status = bvp_get_digest(file, found, error);
    if (status == BVP_OK && file->header.feature_incompatible & BVPD_FEATURE_THIN)
        status = bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                "a digest does not cover the parts of a thin file; \"bvpack "
                                "merge\" makes a fat one");
    if (status == BVP_OK && memcmp(found, expected, sizeof found) != 0)
        status = bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "DGS-3",
                                "the root digest begins with %02x%02x%02x%02x, expected "
                                "%02x%02x%02x%02x: this is not the file that was signed",
                                found[0], found[1], found[2], found[3], expected[0], expected[1],
                                expected[2], expected[3]);
    file->is_digest_trusted = status == BVP_OK;
    return status;
}

bvp_status bvpi_check_head(bvp_file *file, const void *bytes, bvp_error *error)
{
    bvpi_report report = {.error = error};
    const uint64_t got = file->size < sizeof file->header ? file->size : sizeof file->header;
    if (got > 0)
        memcpy(&file->header, bytes, (size_t)got);
    if (bvpi_check_identity(&file->header, file->size, &report))
        bvpi_check_header(&file->header, bytes, file->size, &report);
    return report.status;
}

/* What bvpi_find_attached() reads a file with. */
static bvp_status read_fd(void *user, uint64_t offset, uint64_t size, void *out, bvp_error *error)
{
    size_t got;
    const bvp_status status = read_at(*(const int *)user, out, (size_t)size, offset, &got, error);
    return status == BVP_OK && got < size
               ? bvpi_error_set(error, BVP_ERR_CORRUPT, offset + got, "", "the file ends here")
               : status;
}

/* A GLB is opened where its hierarchy lies, if the caller does not say where a bvpack file is. */
static bool may_be_glb(const bvp_open_options *options, uint64_t size)
{
    return options->offset == 0 && options->size == 0 && size >= BVPD_HEADER_SIZE;
}

static bvp_status enter_glb_file(int fd, uint64_t total, bvp_open_options *options, bvpi_glb *glb,
                                 bvp_error *error)
{
    uint8_t head[12];
    if (!may_be_glb(options, total))
        return BVP_OK;
    bvp_status status = read_fd(&fd, 0, sizeof head, head, error);
    if (status != BVP_OK || !bvpi_is_glb(head))
        return status;
    status = bvpi_find_attached(read_fd, &fd, total, glb, error);
    options->offset = glb->file_off;
    options->size = glb->file_size;
    return status;
}

/* Are there buffers of a GLB, and is the file over them? */
static bool has_chunk(const bvp_file *file, const bvpi_glb *glb)
{
    return glb->chunk_size > 0 && (file->header.feature_incompatible & BVPD_FEATURE_OUTSIDE) != 0;
}

/* The buffers of a GLB, for a file over them: mapped like the file, or copied. */
static bvp_status map_chunk(bvp_file *file, int fd, const bvpi_glb *glb, bvp_error *error)
{
    if (!has_chunk(file, glb))
        return BVP_OK;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), slack = glb->chunk_off % page;
    const size_t size = (size_t)(glb->chunk_size + slack);
    size_t got;
    file->chunk_mapping_size = size;
    if (bvpi_is_isolated(file->mode)) {
        file->chunk_mapping = malloc(size);
        if (!file->chunk_mapping)
            return bvpi_error_memory(error, size);
        const bvp_status status =
            read_at(fd, file->chunk_mapping, size, glb->chunk_off - slack, &got, error);
        if (status != BVP_OK)
            return status;
        if (got != size)
            return bvpi_error_set(
                error, BVP_ERR_CORRUPT, glb->chunk_off + got, "",
                "the file shrank while it was read: open it again when it is whole");
    } else {
        file->chunk_mapping =
            mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)(glb->chunk_off - slack));
        if (file->chunk_mapping == MAP_FAILED) {
            file->chunk_mapping = NULL;
            return bvpi_error_system(error, "cannot map the GLB's binary chunk");
        }
    }
    file->chunk = (bvpi_span){(const uint8_t *)file->chunk_mapping + slack, glb->chunk_size, 0};
    return BVP_OK;
}

/* The head is read with pread() before anything is mapped: a file that is no bvpack file, or too
 * short, is refused without touching a mapping. */
static bvp_status map_fd_into(bvp_file *file, int fd, const bvp_open_options *options,
                              bvp_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return bvpi_error_system(error, "cannot examine the file");
    const uint64_t total = (uint64_t)info.st_size;
    bvp_open_options inside = *options;
    bvpi_glb glb = {0};
    bvp_status status = enter_glb_file(fd, total, &inside, &glb, error);
    if (status != BVP_OK)
        return status;
    options = &inside;
    const uint64_t offset = options->offset;
    file->size = total < offset ? 0 : total - offset;
    if (options->size != 0 && options->size < file->size)
        file->size = options->size;
    if (file->size > SIZE_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "the file does not fit in the address space");
    uint8_t bytes[BVPD_PAGE_SIZE]; /* the head of a newer version may be larger than ours: HDR-3 */
    const uint64_t wanted = file->size < sizeof bytes ? file->size : sizeof bytes;
    size_t got;
    status = read_at(fd, bytes, (size_t)wanted, offset, &got, error);
    if (status != BVP_OK)
        return status;
    if (got < wanted)
        file->size = got;
    status = bvpi_check_head(file, bytes, error);
    if (status != BVP_OK)
        return status;
    /* bvpi_check_head() refuses a file that has less than its header says. */
    assert(file->size >= BVPD_HEADER_SIZE && file->size == file->header.file_size);
    status = map_chunk(file, fd, &glb, error);
    if (status != BVP_OK)
        return status;
    if (!bvpi_is_isolated(file->mode))
        return map_pages(file, fd, options, error);
    status = allocate_private(file, error);
    if (status != BVP_OK)
        return status;
    status = read_at(fd, file->mapping, file->mapping_size, offset, &got, error);
    if (status == BVP_OK && got != file->mapping_size)
        status =
            bvpi_error_set(error, BVP_ERR_CORRUPT, got, "HDR-8",
                           "the file shrank to %zu bytes while it was read: open it again when it "
                           "is whole",
                           got);
    return status;
}

static bvp_status map_memory_into(bvp_file *file, const void *data, size_t size,
                                  const bvp_open_options *options, bvp_error *error)
{
    bvp_status status = BVP_OK;
    bvpi_span chunk = {NULL, 0, 0};
    if (may_be_glb(options, size) && bvpi_is_glb(data))
        status = bvpi_enter_glb(&data, &size, &chunk, error);
    if (status != BVP_OK)
        return status;
    if (options->offset > size)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the offset lies beyond the memory's end");
    const uint8_t *base = (const uint8_t *)data + options->offset;
    if ((uintptr_t)base % BVPD_SECTION_ALIGN != 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the memory is not aligned to 64 bytes");
    file->size = size - options->offset;
    if (options->size != 0 && options->size < file->size)
        file->size = options->size;
    status = bvpi_check_head(file, base, error);
    if (status != BVP_OK)
        return status;
    file->base = base;
    if (file->header.feature_incompatible & BVPD_FEATURE_OUTSIDE)
        file->chunk = chunk;
    if (!bvpi_is_isolated(file->mode))
        return BVP_OK;
    status = allocate_private(file, error);
    if (status == BVP_OK)
        memcpy(file->mapping, base, (size_t)file->size);
    if (status != BVP_OK || !file->chunk.data)
        return status;
    file->chunk_mapping = malloc((size_t)chunk.size + 1);
    if (!file->chunk_mapping)
        return bvpi_error_memory(error, chunk.size);
    memcpy(file->chunk_mapping, chunk.data, (size_t)chunk.size);
    file->chunk.data = file->chunk_mapping;
    return BVP_OK;
}

/* Refuses options that make no sense, and makes a file that has nothing but its options. */
static bvp_status new_file(const bvp_open_options *options, bool is_memory, bvp_file **out,
                           bvp_error *error)
{
    if ((unsigned)options->mode > BVP_OPEN_ISOLATED ||
        (options->mode == BVP_OPEN_ISOLATED && !bvpi_is_isolated(options->mode)))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "unknown open mode %d",
                              (int)options->mode);
    if ((unsigned)options->kind > BVP_KIND_RSS)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "unknown kind of hierarchy %d", (int)options->kind);
    if ((unsigned)options->box_test > BVP_TEST_FOUR_LOOKUP)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "unknown box test %d",
                              (int)options->box_test);
    if (options->offset % BVPD_PAGE_SIZE != 0)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the offset %" PRIu64 " is not a multiple of 4096", options->offset);
    if (options->overlay && !bvpi_is_isolated(options->mode) && is_memory)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "an overlay of memory needs mode isolated");
    if (!bvpi_is_zero(options->reserved, sizeof options->reserved))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "reserved open options are not zero");
    bvp_file *file = calloc(1, sizeof *file);
    if (!file)
        return bvpi_error_memory(error, sizeof *file);
    file->mode = options->mode;
    file->kind = options->kind;
    file->box_test = options->box_test;
    file->control = options->control;
    file->isa = options->baseline_simd ? BVPI_ISA_BASELINE : bvpi_isa_of_cpu();
    *out = file;
    return BVP_OK;
}

/* The last steps, the same for all. On failure the file is closed. */
static bvp_status finish(bvp_file *file, bvp_status status, const bvp_open_options *options,
                         bvp_file **out, bvp_error *error)
{
    assert(status != BVP_OK || file->base);
    /* The file may have changed since its head was checked, so the copy's own head is checked. */
    if (status == BVP_OK && file->owned)
        status = bvpi_check_head(file, file->base, error);
    if (status == BVP_OK && !file->source) /* which has set its own */
        bvpi_set_spans(file);
    if (status == BVP_OK && options->overlay)
        file->overlay = (uint8_t *)file->base;
    file->read_ahead = options->read_ahead || options->overlay;
    if (status == BVP_OK)
        bvpi_advise_queries(file);
    if (status == BVP_OK && options->digest)
        status = check_root_digest(file, options->digest, error);
    if (status == BVP_OK && options->digest && file->source)
        status = bvpi_source_check_arrived(file, error);
    /* what comes from a source is checked as it comes */
    if (status == BVP_OK && (options->verify_lazily || options->digest) &&
        !bvpi_is_isolated(file->mode) && !file->source) {
        const size_t count =
            (size_t)file->header.part_count + 2 + (size_t)file->section[BVPD_HASH].count;
        file->part_state = calloc(count, 1); /* BVPI_HASH_UNKNOWN */
        if (!file->part_state)
            status = bvpi_error_memory(error, count);
    }
    if (status == BVP_OK)
        status = bvpi_outside_open(file, error);
    if (status == BVP_OK)
        *out = file;
    else
        bvpi_unmap(file);
    return status;
}

bvp_status bvpi_map_fd(int fd, const bvp_open_options *options, bvp_file **out, bvp_error *error)
{
    bvp_file *file;
    bvp_status status = new_file(options, false, &file, error);
    if (status != BVP_OK)
        return status;
    return finish(file, map_fd_into(file, fd, options, error), options, out, error);
}

bvp_status bvpi_map_memory(const void *data, size_t size, const bvp_open_options *options,
                           bvp_file **out, bvp_error *error)
{
    bvp_file *file;
    bvp_status status = new_file(options, true, &file, error);
    if (status != BVP_OK)
        return status;
    return finish(file, map_memory_into(file, data, size, options, error), options, out, error);
}

static bvp_status copy_bytes(const bvp_source *given, uint64_t offset, uint64_t size, void *out,
                             bvp_error *error)
{
    enum { STEP = 1 << 20 };
    bvp_status status = BVP_OK;
    for (uint64_t at = 0; status == BVP_OK && at < size; at += STEP)
        status = given->read(given->user, offset + at, size - at < STEP ? size - at : STEP,
                             (uint8_t *)out + at, error);
    return status;
}

/* Reads all of it into memory. */
static bvp_status copy_source(bvp_file *file, const bvp_source *given,
                              const bvp_open_options *options, const bvpi_glb *glb,
                              bvp_error *error)
{
    uint8_t bytes[BVPD_PAGE_SIZE] = {0};
    file->size = given->size < options->offset ? 0 : given->size - options->offset;
    if (options->size != 0 && options->size < file->size)
        file->size = options->size;
    const uint64_t head = file->size < sizeof bytes ? file->size : sizeof bytes;
    bvp_status status = given->read(given->user, options->offset, head, bytes, error);
    if (status == BVP_OK)
        status = bvpi_check_head(file, bytes, error);
    if (status == BVP_OK)
        status = allocate_private(file, error);
    if (status == BVP_OK)
        status = copy_bytes(given, options->offset, file->size, file->mapping, error);
    if (status != BVP_OK || !has_chunk(file, glb))
        return status;
    file->chunk_mapping = malloc((size_t)glb->chunk_size);
    if (!file->chunk_mapping)
        return bvpi_error_memory(error, (size_t)glb->chunk_size);
    file->chunk = (bvpi_span){file->chunk_mapping, glb->chunk_size, 0};
    return copy_bytes(given, glb->chunk_off, glb->chunk_size, file->chunk_mapping, error);
}

static bvp_status refuse_thin(const bvp_file *file, bvp_error *error)
{
    if ((file->header.feature_incompatible & BVPD_FEATURE_THIN) == 0)
        return BVP_OK;
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                          "a thin file cannot be read from a source: its parts lie in a store; "
                          "\"bvpack merge\" makes a fat one");
}

/* What is read of a source before it is known what it is: as much as opening reads first. */
typedef struct beginning {
    uint8_t bytes[BVPD_HEADER_SIZE + BVPD_BLOCK_SIZE];
    uint64_t size;
} beginning;

/* Finds out whether it is a GLB, unless the caller says where a bvpack file is. What was read for
 * that is not read again. */
static bvp_status begin_source(const bvp_source *given, bvp_open_options *options, beginning *first,
                               bvpi_glb *glb, bvp_error *error)
{
    first->size = 0;
    if (!may_be_glb(options, given->size))
        return BVP_OK;
    const uint64_t size = given->size < sizeof first->bytes ? given->size : sizeof first->bytes;
    const bvp_status status = given->read(given->user, 0, size, first->bytes, error);
    if (status != BVP_OK)
        return status;
    if (bvpi_is_glb(first->bytes)) {
        const bvp_status found =
            bvpi_find_attached(given->read, given->user, given->size, glb, error);
        options->offset = glb->file_off;
        options->size = glb->file_size;
        return found;
    }
    first->size = size;
    return BVP_OK;
}

static bvp_status open_source(bvp_file *file, const bvp_source *given, bvp_open_options *options,
                              bvp_error *error)
{
    bvp_error said = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
    beginning *first = malloc(sizeof *first);
    if (!first)
        return bvpi_error_memory(error, sizeof *first);
    bvpi_glb glb = {0};
    bvp_status status = begin_source(given, options, first, &glb, &said);
    if (status == BVP_OK && bvpi_is_isolated(file->mode))
        status = copy_source(file, given, options, &glb, &said);
    else if (status == BVP_OK)
        status = bvpi_source_open(file, given, options, &(bvpi_span){first->bytes, first->size, 0},
                                  &said);
    if (status == BVP_OK)
        status = refuse_thin(file, &said);
    if (status == BVP_OK && file->source && has_chunk(file, &glb))
        status = bvpi_source_take_beside(file, glb.chunk_off, glb.chunk_size, &said);
    free(first);
    return status == BVP_OK ? BVP_OK : bvpi_source_failed(&said, status, error);
}

/* The source is closed exactly once: here, or with its file. */
bvp_status bvpi_map_source(const bvp_source *given, const bvp_open_options *options, bvp_file **out,
                           bvp_error *error)
{
    bvp_file *file = NULL;
    bvp_open_options inside = *options;
    bvp_status status = bvpi_source_check(given, options, error);
    if (status == BVP_OK)
        status = new_file(options, false, &file, error);
    if (status == BVP_OK) {
        status = open_source(file, given, &inside, error);
        given = file->source ? NULL : given;
        status = finish(file, status, &inside, out, error);
    }
    if (given && given->close)
        given->close(given->user);
    return status;
}

void bvpi_unmap(bvp_file *file)
{
    assert(!file->owned || !file->mapping || file->base == file->mapping);
    if (file->owned)
        free(file->mapping);
    else if (file->mapping)
        munmap(file->mapping, file->mapping_size);
    if (file->chunk_mapping && bvpi_is_isolated(file->mode))
        free(file->chunk_mapping);
    else if (file->chunk_mapping)
        munmap(file->chunk_mapping, file->chunk_mapping_size);
    bvpi_outside_close(file);
    bvpi_source_close(file->source);
    free(file->part_state);
    free(file->ready);
    free(file);
}
