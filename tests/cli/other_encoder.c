/* SPDX-License-Identifier: MIT
 * other_encoder.c: a libzstd whose encoder writes other bytes, as another version might: each frame
 * ends with a checksum. To be loaded before a program's own; decoders take what it writes.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdlib.h>
#include <zstd.h>

/* ISO C has no conversion of an object's address to a function's. */
static void find(void *function, const char *name)
{
    *(void **)function = dlsym(RTLD_NEXT, name);
    if (!*(void **)function)
        abort();
}

static void ask_for_checksum(ZSTD_CCtx *context)
{
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
}

size_t ZSTD_compress2(ZSTD_CCtx *context, void *out, size_t capacity, const void *in, size_t size)
{
    size_t (*real)(ZSTD_CCtx *, void *, size_t, const void *, size_t);
    find(&real, "ZSTD_compress2");
    ask_for_checksum(context);
    return real(context, out, capacity, in, size);
}

size_t ZSTD_compressCCtx(ZSTD_CCtx *context, void *out, size_t capacity, const void *in,
                         size_t size, int level)
{
    ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    return ZSTD_compress2(context, out, capacity, in, size);
}

size_t ZSTD_compress(void *out, size_t capacity, const void *in, size_t size, int level)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const size_t result = ZSTD_compressCCtx(context, out, capacity, in, size, level);
    ZSTD_freeCCtx(context);
    return result;
}

/* Where a frame has begun, the parameter stays as it was: it was set at the beginning. */
size_t ZSTD_compressStream2(ZSTD_CCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                            ZSTD_EndDirective end)
{
    size_t (*real)(ZSTD_CCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *, ZSTD_EndDirective);
    find(&real, "ZSTD_compressStream2");
    ask_for_checksum(context);
    return real(context, out, in, end);
}

size_t ZSTD_compressStream(ZSTD_CStream *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    return ZSTD_compressStream2(context, out, in, ZSTD_e_continue);
}
