/* SPDX-License-Identifier: MIT
 * test_seekable.c: frames of zstd as a source of bytes: what was compressed comes back, from other
 * writers' files too; forged tables and frames are refused before anything is allocated for them;
 * what the source below says is passed on.
 */
#include "compress/seekable_format.h"
#include "compress/seekable_read.h"
#include "compress/seekable_write.h"
#include "source_case.h"

#include <stdio.h>
#include <xxhash.h>
#include <zstd.h>

enum { CONTENT = 300000, ROOM = 2 * CONTENT, FRAMES_MOST = 32 };

/* A file in the making. */
typedef struct packing {
    uint8_t bytes[ROOM];
    size_t size;
    seekable_entry entries[FRAMES_MOST];
    uint32_t count;
} packing;

static uint8_t content[CONTENT], back[CONTENT + 1];
static packing made;

/* Half of it can be compressed. */
static void fill_content(void)
{
    uint64_t state = 5;
    for (size_t i = 0; i < CONTENT; i++)
        content[i] = (uint8_t)(i / 1000 % 2 ? case_random(&state) : i / 64);
}

static void add_entry(packing *p, size_t size, size_t content_size, uint32_t checksum)
{
    ck_assert_uint_lt(p->count, FRAMES_MOST);
    p->entries[p->count++] = (seekable_entry){(uint32_t)size, (uint32_t)content_size, checksum};
    p->size += size;
}

static void add_frame(packing *p, seekable_encoder *encoder, const uint8_t *from, size_t size)
{
    seekable_entry entry;
    ck_assert_int_eq(
        seekable_frame(encoder, from, size, p->bytes + p->size, ROOM - p->size, &entry), 0);
    add_entry(p, entry.size, entry.content_size, entry.checksum);
    ck_assert_uint_eq(entry.checksum, (uint32_t)XXH64(from, size, 0));
}

static void add_table(packing *p)
{
    ck_assert_uint_le(p->size + seekable_table_size(p->count), ROOM);
    seekable_table(p->entries, p->count, p->bytes + p->size);
    p->size += seekable_table_size(p->count);
}

/* Frames of these sizes, the last one of what is left of `whole`. */
static void make(packing *p, const size_t *sizes, size_t count, size_t whole)
{
    seekable_encoder *encoder = seekable_encoder_new(3);
    size_t at = 0;
    ck_assert_ptr_nonnull(encoder);
    fill_content();
    p->size = p->count = 0;
    for (size_t i = 0; i < count; at += sizes[i++])
        add_frame(p, encoder, content + at, sizes[i]);
    if (at < whole)
        add_frame(p, encoder, content + at, whole - at);
    seekable_encoder_free(encoder);
    add_table(p);
}

static void make_usual(void)
{
    static const size_t sizes[] = {66944, 65536, 1, 0, 100000};
    make(&made, sizes, 5, CONTENT);
}

/* Of few bytes, for tests of each byte. */
static void make_small(void)
{
    static const size_t sizes[] = {500, 0, 40};
    make(&made, sizes, 3, 1400);
}

static uint8_t *table_of(packing *p)
{
    return p->bytes + p->size - seekable_table_size(p->count);
}

static uint8_t *entry_of(packing *p, uint32_t i)
{
    return table_of(p) + 8 + 12 * i;
}

/* Status of opening and reading all, which must be `whole` bytes of content. */
static bvp_status read_all(const packing *p, size_t whole, bvp_error *error)
{
    source_case below = source_case_of(p->bytes, p->size);
    const bvp_source packed = source_case_source(&below, 0);
    bvp_source source;
    *error = (bvp_error){.status = BVP_OK};
    bvp_status status = seekable_source(&packed, &source, error);
    ck_assert_int_eq(below.closed, 0);
    if (status == BVP_OK) {
        const size_t size = source.size < sizeof back ? (size_t)source.size : sizeof back;
        if (size > 0)
            status = source.read(source.user, 0, size, back, error);
        if (status == BVP_OK && (source.size != whole || memcmp(back, content, whole) != 0))
            status = BVP_ERR_CANCELLED; /* nothing here says that */
        source.close(source.user);
        ck_assert_int_eq(below.closed, 1);
    }
    if (status != BVP_OK && status != BVP_ERR_CANCELLED)
        ck_assert(error->status == status && error->message[0] != 0);
    return status;
}

static void expect(bvp_status expected, const char *words)
{
    bvp_error error;
    const bvp_status status = read_all(&made, CONTENT, &error);
    ck_assert_msg(status == expected, "status %d, expected %d: %s", (int)status, (int)expected,
                  error.message);
    ck_assert_msg(!words || strstr(error.message, words), "\"%s\" says nothing of \"%s\"",
                  error.message, words);
}

START_TEST(what_was_compressed_comes_back)
{
    bvp_source source;
    bvp_error error = {.status = BVP_OK};
    bool is_compressed;
    uint64_t state = 1;
    make_usual();
    source_case below = source_case_of(made.bytes, made.size);
    const bvp_source packed = source_case_source(&below, 0);
    ck_assert_int_eq(seekable_look(&packed, &is_compressed, &error), BVP_OK);
    ck_assert(is_compressed);
    ck_assert_int_eq(seekable_source(&packed, &source, &error), BVP_OK);
    ck_assert_uint_eq(source.size, CONTENT);
    for (int i = 0; i < 2000; i++) {
        const size_t at = case_random(&state) % CONTENT;
        const size_t size = 1 + case_random(&state) % (i % 3 ? 100 : CONTENT - at);
        const size_t more = size < CONTENT - at ? size : CONTENT - at;
        memset(back, '!', sizeof back);
        ck_assert_int_eq(source.read(source.user, at, more, back, &error), BVP_OK);
        ck_assert(memcmp(back, content + at, more) == 0 && back[more] == '!');
    }
    source.close(source.user);
    ck_assert_int_eq(below.closed, 1);
}
END_TEST

START_TEST(a_frame_is_decompressed_once)
{
    bvp_source source;
    bvp_error error = {.status = BVP_OK};
    make(&made, (const size_t[]){CONTENT - 1000}, 1, CONTENT);
    source_case below = source_case_of(made.bytes, made.size);
    const bvp_source packed = source_case_source(&below, 0);
    ck_assert_int_eq(seekable_source(&packed, &source, &error), BVP_OK);
    const uint64_t before = below.reads;
    for (size_t at = 0; at + 1000 < CONTENT; at += 1000)
        ck_assert_int_eq(source.read(source.user, at, 1000, back, &error), BVP_OK);
    ck_assert_uint_eq(below.reads - before, 1);
    /* hints are about the packed bytes of the frames, none behind the end */
    source.hint(source.user, CONTENT - 1500, 1000);
    source.hint(source.user, CONTENT - 1, 5000);
    source.hint(source.user, CONTENT, 5);
    source.hint(source.user, 5, 0);
    ck_assert_int_eq(below.hints, 2);
    source.close(source.user);
}
END_TEST

/* What the format allows and our writer does not make: a frame to skip, frames that do not say
 * their size and have no checksum, a table without checksums, unused bits that are set. */
START_TEST(files_of_other_writers_are_read)
{
    static const uint8_t skipped[11] = {0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    bool is_compressed;
    bvp_error error;
    fill_content();
    made.size = made.count = 0;
    memcpy(made.bytes, skipped, sizeof skipped);
    add_entry(&made, sizeof skipped, 0, 0);
    for (size_t at = 0; at < CONTENT; at += CONTENT / 3) {
        ZSTD_CCtx *context = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
        const size_t size = ZSTD_compress2(context, made.bytes + made.size, ROOM - made.size,
                                           content + at, CONTENT / 3);
        ck_assert(!ZSTD_isError(size));
        ZSTD_freeCCtx(context);
        add_entry(&made, size, CONTENT / 3, 0);
    }
    uint8_t *at = made.bytes + made.size;
    seekable_put32(at, SEEKABLE_TABLE_MAGIC);
    seekable_put32(at + 4, 8 * made.count + 9);
    for (uint32_t i = 0; i < made.count; i++) {
        seekable_put32(at + 8 + 8 * i, made.entries[i].size);
        seekable_put32(at + 12 + 8 * i, made.entries[i].content_size);
    }
    at += 8 + 8 * made.count;
    seekable_put32(at, made.count);
    at[4] = 3;
    seekable_put32(at + 5, SEEKABLE_FOOTER_MAGIC);
    made.size += 8 + 8 * made.count + 9;
    source_case below = source_case_of(made.bytes, made.size);
    const bvp_source packed = source_case_source(&below, 0);
    ck_assert_int_eq(seekable_look(&packed, &is_compressed, &error), BVP_OK);
    ck_assert(is_compressed);
    expect(BVP_OK, NULL);
    /* sizes that are not declared are held to the table, too */
    uint8_t *entry = made.bytes + made.size - 9 - 8;
    seekable_put32(entry + 4, CONTENT / 3 - 1);
    expect(BVP_ERR_CORRUPT, "too small");
    seekable_put32(entry + 4, CONTENT / 3 + 1);
    expect(BVP_ERR_CORRUPT, "shorter than the seek table says");
}
END_TEST

START_TEST(what_is_not_seekable_is_told_apart)
{
    bvp_error error;
    bvp_source source;
    bool is_compressed;
    make_small();
    for (size_t size = 0; size < made.size; size++) {
        source_case below = source_case_of(made.bytes, size);
        const bvp_source packed = source_case_source(&below, 0);
        ck_assert_int_eq(seekable_look(&packed, &is_compressed, &error), BVP_OK);
        ck_assert_int_eq(is_compressed, size >= 4);
        ck_assert_int_eq(seekable_source(&packed, &source, &error), BVP_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.message, "has no seek table"));
    }
    made.bytes[1] ^= 1;
    source_case below = source_case_of(made.bytes, made.size);
    const bvp_source packed = source_case_source(&below, 0);
    ck_assert_int_eq(seekable_look(&packed, &is_compressed, &error), BVP_OK);
    ck_assert(!is_compressed);
}
END_TEST

/* More frames than the read of the end has room for. */
START_TEST(a_long_table_is_read_in_two)
{
    enum { COUNT = 3000, PIECE = CONTENT / COUNT };
    static seekable_entry entries[COUNT];
    seekable_encoder *encoder = seekable_encoder_new(1);
    bvp_source source;
    bvp_error error = {.status = BVP_OK};
    fill_content();
    made.size = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        ck_assert_int_eq(seekable_frame(encoder, content + i * PIECE, PIECE, made.bytes + made.size,
                                        ROOM - made.size, &entries[i]),
                         0);
        made.size += entries[i].size;
    }
    seekable_encoder_free(encoder);
    ck_assert_uint_le(made.size + seekable_table_size(COUNT), ROOM);
    seekable_table(entries, COUNT, made.bytes + made.size);
    made.size += seekable_table_size(COUNT);
    source_case below = source_case_of(made.bytes, made.size);
    const bvp_source packed = source_case_source(&below, 0);
    ck_assert_int_eq(seekable_source(&packed, &source, &error), BVP_OK);
    ck_assert_uint_eq(below.reads, 2);
    ck_assert_uint_eq(below.bytes_read, seekable_table_size(COUNT));
    ck_assert_int_eq(source.read(source.user, 0, CONTENT, back, &error), BVP_OK);
    ck_assert_mem_eq(back, content, CONTENT);
    source.close(source.user);
    make_usual();
    below = source_case_of(made.bytes, made.size);
    const bvp_source again = source_case_source(&below, 0);
    ck_assert_int_eq(seekable_source(&again, &source, &error), BVP_OK);
    ck_assert_uint_eq(below.reads, 1);
    source.close(source.user);
}
END_TEST

START_TEST(forged_tables_are_refused)
{
    static const size_t sizes[] = {100000, 100000};
    struct {
        int entry, field;
        uint32_t value;
        bvp_status status;
        const char *words;
    } const forgeries[] = {
        {0, 0, 0xffffffff, BVP_ERR_CORRUPT, "but the seek table begins at byte"},
        {2, 0, 0, BVP_ERR_CORRUPT, "but it begins at byte"},
        {1, 4, SEEKABLE_FRAME_MAX + 1, BVP_ERR_LIMIT, "decompress the file first: zstd -d"},
        {1, 4, 0xffffffff, BVP_ERR_LIMIT, "4294967295 bytes decompressed"},
        {1, 4, SEEKABLE_FRAME_MAX, BVP_ERR_CORRUPT, "its own size is not that of the seek table"},
        {0, 4, 0, BVP_ERR_CORRUPT, NULL},
        {2, 8, 17, BVP_ERR_CORRUPT, "its checksum is not that of the seek table"},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        make(&made, sizes, 2, CONTENT);
        uint8_t *at = entry_of(&made, (uint32_t)forgeries[i].entry) + forgeries[i].field;
        ck_assert_uint_ne(seekable_get32(at), forgeries[i].value);
        seekable_put32(at, forgeries[i].value);
        if (forgeries[i].words || forgeries[i].field != 4) {
            expect(forgeries[i].status, forgeries[i].words);
            continue;
        }
        bvp_error error; /* what is left has another size */
        ck_assert_int_ne(read_all(&made, CONTENT, &error), BVP_OK);
    }
    /* frames that overlap: sizes that are shifted keep their sum */
    make(&made, sizes, 2, CONTENT);
    uint8_t *at = entry_of(&made, 0);
    seekable_put32(at, seekable_get32(at) + 7);
    seekable_put32(at + 12, seekable_get32(at + 12) - 7);
    expect(BVP_ERR_CORRUPT, "it is not one whole frame");
    /* two frames as one */
    make(&made, sizes, 2, CONTENT);
    at = entry_of(&made, 0);
    seekable_put32(at, seekable_get32(at) + seekable_get32(at + 12));
    seekable_put32(at + 4, 200000);
    seekable_put32(at + 12, 0);
    seekable_put32(at + 16, 0);
    expect(BVP_ERR_CORRUPT, "it is not one whole frame");
}
END_TEST

START_TEST(forged_counts_are_refused)
{
    static const uint32_t counts[] = {0, 1, 2, 4, 5, 1000, 0x7fffffff, 0x80000000, 0xffffffff};
    static const size_t sizes[] = {100000, 100000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        make(&made, sizes, 2, CONTENT);
        seekable_put32(made.bytes + made.size - 9, counts[i]);
        expect(BVP_ERR_CORRUPT, "seek table");
    }
    make(&made, sizes, 2, CONTENT);
    made.bytes[made.size - 5] |= 4;
    expect(BVP_ERR_NEWER, "0x04");
    make(&made, sizes, 2, CONTENT);
    made.bytes[made.size - 5] &= 0x7f; /* entries of another size */
    expect(BVP_ERR_CORRUPT, "found something else");
    make(&made, sizes, 2, CONTENT);
    seekable_put32(table_of(&made) + 4, 5);
    expect(BVP_ERR_CORRUPT, "found something else");

    /* more frames than are kept in mind: nothing is read or allocated for them */
    const size_t size = 17 + 8 * ((size_t)SEEKABLE_COUNT_MAX + 1);
    uint8_t *large = calloc(1, size);
    bvp_error error = {.status = BVP_OK};
    bvp_source source;
    seekable_put32(large, SEEKABLE_TABLE_MAGIC);
    seekable_put32(large + 4, (uint32_t)size - 8);
    seekable_put32(large + size - 9, SEEKABLE_COUNT_MAX + 1);
    seekable_put32(large + size - 4, SEEKABLE_FOOTER_MAGIC);
    source_case below = source_case_of(large, size);
    const bvp_source packed = source_case_source(&below, 0);
    ck_assert_int_eq(seekable_source(&packed, &source, &error), BVP_ERR_LIMIT);
    ck_assert_uint_le(below.bytes_read, 16 << 10);
    free(large);
}
END_TEST

/* A frame of 100 MiB in less than 10 KiB, of which the table says that it is small. */
START_TEST(bombs_are_refused)
{
    const size_t large = (size_t)100 << 20;
    uint8_t *zeros = calloc(1, large);
    for (int declares = 0; declares < 2; declares++) {
        ZSTD_CCtx *context = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, declares);
        made.size = made.count = 0;
        const size_t size = ZSTD_compress2(context, made.bytes, ROOM, zeros, large);
        ck_assert(!ZSTD_isError(size));
        ck_assert_uint_lt(size, 20000);
        ZSTD_freeCCtx(context);
        add_entry(&made, size, CONTENT, 0);
        add_table(&made);
        expect(BVP_ERR_CORRUPT,
               declares ? "its own size is not that of the seek table" : "too small");
    }
    free(zeros);
}
END_TEST

START_TEST(frames_of_other_formats_are_refused)
{
    static const uint32_t magics[] = {0xFD2FB527, 0xFD2FB525, 0x184D2A50, SEEKABLE_TABLE_MAGIC, 0};
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        make_usual();
        seekable_put32(made.bytes, magics[i]);
        expect(BVP_ERR_CORRUPT, "it does not begin as a frame of zstd does");
    }
}
END_TEST

/* Nothing is believed that was not compressed: each bit, and each length. */
START_TEST(damage_is_told)
{
    bvp_error error;
    int refused = 0, harmless = 0;
    make_small();
    const size_t whole = made.size;
    for (size_t bit = 0; bit < 8 * whole; bit++) {
        made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const bvp_status status = read_all(&made, 1400, &error);
        ck_assert_msg(status != BVP_ERR_CANCELLED, "bit %zu: other bytes", bit);
        if (status == BVP_OK)
            harmless++;
        else
            refused++;
        made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    ck_assert_int_gt(refused, (int)(7 * whole));
    /* both unused bits of the descriptor, bits that zstd ignores, the frame that is empty */
    ck_assert_int_ge(harmless, 2);
    for (made.size = 0; made.size < whole; made.size++)
        ck_assert_int_ne(read_all(&made, 1400, &error), BVP_OK);
    ck_assert_int_eq(read_all(&made, 1400, &error), BVP_OK);
}
END_TEST

/* Numbers of the table become others: either it is refused, or what is read has the right
 * checksum. */
START_TEST(tables_of_any_numbers_do_no_harm)
{
    uint64_t state = case_seed();
    bvp_error error;
    for (int round = 0; round < 3000; round++) {
        make_small();
        const uint32_t changes = 1 + (uint32_t)case_random(&state) % 3;
        for (uint32_t i = 0; i < changes; i++) {
            uint8_t *at = entry_of(&made, 0) + 4 * (case_random(&state) % (3 * made.count));
            const uint64_t random = case_random(&state);
            seekable_put32(at, random % 4 == 0   ? (uint32_t)(random >> 32)
                               : random % 4 == 1 ? seekable_get32(at) + (uint32_t)(random >> 62)
                               : random % 4 == 2 ? (uint32_t)(random >> 32) % 2000
                                                 : 0);
        }
        read_all(&made, 1400, &error);
    }
}
END_TEST

START_TEST(what_the_source_says_is_passed_on)
{
    static const bvp_status says[] = {BVP_ERR_AGAIN, BVP_ERR_SYSTEM, BVP_ERR_CORRUPT};
    make_usual();
    for (size_t i = 0; i < 3; i++)
        for (uint64_t good = 0;; good++) {
            source_case below = source_case_of(made.bytes, made.size);
            const bvp_source packed = source_case_source(&below, 0);
            bvp_source source;
            bvp_error error = {.status = BVP_OK};
            bool is_compressed;
            below.answer = says[i];
            below.good_reads = good;
            bvp_status status = seekable_look(&packed, &is_compressed, &error);
            if (status == BVP_OK)
                status = seekable_source(&packed, &source, &error);
            const bool is_open = status == BVP_OK;
            if (is_open)
                status = source.read(source.user, 0, CONTENT, back, &error);
            ck_assert_int_eq(below.closed, 0);
            if (status == BVP_OK) {
                source.close(source.user);
                ck_assert_uint_gt(good, 5);
                break;
            }
            ck_assert_int_eq(status, says[i]);
            ck_assert_str_eq(error.message, "the line is cut");
            if (!is_open)
                continue;
            below.answer = BVP_OK; /* it is there now */
            ck_assert_int_eq(source.read(source.user, 0, CONTENT, back, &error), BVP_OK);
            ck_assert_mem_eq(back, content, CONTENT);
            source.close(source.user);
            ck_assert_int_eq(below.closed, 1);
        }
}
END_TEST

SUITE(test_seekable)
{
    const TTest *const tests[] = {what_was_compressed_comes_back,
                                  a_frame_is_decompressed_once,
                                  files_of_other_writers_are_read,
                                  what_is_not_seekable_is_told_apart,
                                  a_long_table_is_read_in_two,
                                  forged_tables_are_refused,
                                  forged_counts_are_refused,
                                  bombs_are_refused,
                                  frames_of_other_formats_are_refused,
                                  damage_is_told,
                                  tables_of_any_numbers_do_no_harm,
                                  what_the_source_says_is_passed_on,
                                  NULL};
    return suite_run("seekable", tests);
}
