/* SPDX-License-Identifier: MIT
 * fuzz_seekable.c: any bytes as a packed file in zstd's seekable format. What can be read of it is
 * as long as its table says, the same however it is read, and goes into the library as a source.
 */
#include "compress/seekable_format.h"
#include "compress/seekable_read.h"
#include "files/file_source.h"
#include "mutate.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 50000, WHOLE_MOST = 8 << 20 };

static void require(int condition)
{
    if (!condition)
        abort();
}

/* At once, and in pieces; the latter may end where a frame is damaged. */
static void read_twice(const bvp_source *source)
{
    const size_t size = source->size < WHOLE_MOST ? (size_t)source->size : WHOLE_MOST;
    uint8_t *whole = malloc(size + 1), *piece = malloc(PIECE);
    bvp_error error = {0};
    require(whole && piece);
    const bvp_status status =
        size > 0 ? source->read(source->user, 0, size, whole, &error) : BVP_OK;
    require(status == BVP_OK || (status == BVP_ERR_CORRUPT && error.message[0]));
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t more = size - at < PIECE ? size - at : PIECE;
        const bvp_status next = source->read(source->user, at, more, piece, &error);
        require(next == BVP_OK || status != BVP_OK);
        require(status != BVP_OK || memcmp(piece, whole + at, more) == 0);
    }
    free(whole);
    free(piece);
}

static void open_it(const bvp_source *source)
{
    bvp_error error = {0};
    bvp_file *file;
    if (bvp_open_source(source, NULL, &file, &error) != BVP_OK)
        return;
    bvp_verify_file(file, NULL, NULL, &error);
    bvp_close(file);
}

static int try_input(const uint8_t *data, size_t size)
{
    const bvp_source packed = memory_source(data, size);
    bvp_source source;
    bvp_error error = {0};
    bool is_compressed;
    require(seekable_look(&packed, &is_compressed, &error) == BVP_OK);
    const bvp_status status = seekable_source(&packed, &source, &error);
    require(status == BVP_OK || error.message[0]);
    if (status != BVP_OK)
        return 0;
    require(source.size <= (uint64_t)SEEKABLE_FRAME_MAX * (size / SEEKABLE_ENTRY_SIZE));
    read_twice(&source);
    open_it(&source);
    return 0;
}

/* Most of the bytes are frames, in which nearly every change is found by its checksum: so half of
 * the mutations are of the table, of which there are some dozens of bytes. */
static size_t mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t state = seed;
    const size_t table = size < 96 ? size : 96;
    if (LLVMFuzzerMutate && mutate_random(&state) % 4 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    if (table < 8)
        return size;
    for (uint64_t left = 1 + mutate_random(&state) % 3; left > 0; left--) {
        if (mutate_random(&state) % 2)
            mutate_number(data + size - table, table, 12, &state);
        else
            mutate_number(data, size, 12, &state);
    }
    return size;
}

const fuzz_target fuzz_seekable = {"seekable", try_input, mutate};
