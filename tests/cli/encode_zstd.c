/* SPDX-License-Identifier: MIT
 * encode_zstd.c: a text in a zstd frame, in each way that libzstd offers, in hexadecimal digits: to
 * see that other_encoder.c is another encoder. Ends with 1 if one doesn't decode to the text.
 */
#include <stdio.h>
#include <string.h>
#include <zstd.h>

enum { CAPACITY = 200, WAYS = 5 };
static const char text[] = "{\"program\":\"bvpack\",\"sources\":[],\"warnings\":[],\"options\":[]}";

static size_t stream(ZSTD_CCtx *context, void *frame, int way)
{
    ZSTD_inBuffer in = {text, sizeof text, 0};
    ZSTD_outBuffer out = {frame, CAPACITY, 0};
    if (way == 3)
        ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
    else {
        ZSTD_compressStream(context, &out, &in);
        ZSTD_endStream(context, &out);
    }
    return out.pos;
}

static size_t encode(ZSTD_CCtx *context, void *frame, int way)
{
    switch (way) {
    case 0:
        return ZSTD_compress(frame, CAPACITY, text, sizeof text, 19);
    case 1:
        return ZSTD_compressCCtx(context, frame, CAPACITY, text, sizeof text, 3);
    case 2:
        return ZSTD_compress2(context, frame, CAPACITY, text, sizeof text);
    default:
        return stream(context, frame, way);
    }
}

int main(void)
{
    for (int way = 0; way < WAYS; way++) {
        unsigned char frame[CAPACITY];
        char back[sizeof text];
        ZSTD_CCtx *context = ZSTD_createCCtx();
        const size_t size = context ? encode(context, frame, way) : 0;
        ZSTD_freeCCtx(context);
        if (ZSTD_isError(size) || ZSTD_decompress(back, sizeof back, frame, size) != sizeof text ||
            memcmp(back, text, sizeof text) != 0)
            return 1;
        for (size_t i = 0; i < size; i++)
            printf("%02x", frame[i]);
        putchar('\n');
    }
    return 0;
}
