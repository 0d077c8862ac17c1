/* SPDX-License-Identifier: MIT
 * codec.c: the library's only user of zstd, and of its decoder only: an encoder's output depends on
 * its version, and a file's identity must not.
 *
 * The input may be hostile. The declared size is checked against a limit before anything is
 * allocated, the window size is limited, the frame must have exactly the declared size, and the
 * input is copied first, because a mapped file may change while the decoder reads it.
 *
 * Held by tests/unit/test_codec.c: forged sizes, windows and bombs are refused.
 * Spec: format.md, chapter "Provenance"
 */
#include "format/codec.h"

#include "base/status.h"

#ifdef BVPI_WITHOUT_ZSTD
/* For readers that are to be small: a module for browsers, where zstd is no package. */
bvp_status bvpi_decompress(const void *data, size_t size, uint64_t raw_size, void *out,
                           size_t capacity, bvp_error *error)
{
    (void)data, (void)size, (void)raw_size, (void)out, (void)capacity;
    return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "PRV-2",
                          "the section is compressed, and this library was built without zstd");
}
#else

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Streaming, because `out` may be shorter than the content. */
static bvp_status run(ZSTD_DCtx *context, ZSTD_inBuffer *in, ZSTD_outBuffer *out, uint64_t raw_size,
                      bvp_error *error)
{
    size_t left = 1;
    while (left != 0 && (out->pos < out->size || out->size == raw_size)) {
        size_t in_before = in->pos, out_before = out->pos;
        left = ZSTD_decompressStream(context, out, in);
        bool stuck = in->pos == in_before && out->pos == out_before && left != 0;
        assert(in->pos <= in->size && out->pos <= out->size);
        if (ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            return bvpi_error_memory(error, 1 << 17);
        if (ZSTD_isError(left) || stuck)
            return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "PRV-2",
                                  "the compressed section cannot be decompressed: %s",
                                  ZSTD_isError(left) ? ZSTD_getErrorName(left) : "it is truncated");
    }
    if (left == 0 && (out->pos != out->size || in->pos != in->size))
        return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "PRV-2",
                              "the compressed section is not exactly one frame");
    return BVP_OK;
}

static bvp_status decompress(const void *data, size_t size, uint64_t raw_size, void *out,
                             size_t capacity, bvp_error *error)
{
    if (raw_size > BVPI_RAW_SIZE_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "PRV-2",
                              "the section declares %" PRIu64 " bytes; at most %d are accepted",
                              raw_size, BVPI_RAW_SIZE_MAX);
    if (ZSTD_getFrameContentSize(data, size) != raw_size)
        return bvpi_error_set(error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "PRV-2",
                              "the compressed frame does not declare %" PRIu64 " bytes", raw_size);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        return bvpi_error_memory(error, 1 << 17);
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, BVPI_WINDOW_LOG_MAX);
    ZSTD_inBuffer in = {data, size, 0};
    ZSTD_outBuffer sink = {out, capacity < raw_size ? capacity : (size_t)raw_size, 0};
    const bvp_status status = run(context, &in, &sink, raw_size, error);
    ZSTD_freeDCtx(context);
    return status;
}

/* The decoder assumes that its input does not change; a mapped file may. */
bvp_status bvpi_decompress(const void *data, size_t size, uint64_t raw_size, void *out,
                           size_t capacity, bvp_error *error)
{
    if (size > BVPI_FRAME_SIZE_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "PRV-2",
                              "the compressed section has %zu bytes; at most %d are accepted", size,
                              BVPI_FRAME_SIZE_MAX);
    void *copy = malloc(size + 1);
    if (!copy)
        return bvpi_error_memory(error, size);
    memcpy(copy, data, size);
    const bvp_status status = decompress(copy, size, raw_size, out, capacity, error);
    free(copy);
    return status;
}
#endif
