/* SPDX-License-Identifier: MIT
 * png.c: writes an image in memory as a PNG file; the only user of libpng.
 */
#include "view/image.h"
#include "text/memory_text.h"

#include <assert.h>
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct sink {
    int fd; /* or -1: into memory */
    memory_text memory;
    int failure; /* errno of the first failed write */
} sink;

static void sink_write(png_structp png, png_bytep data, png_size_t size)
{
    sink *s = png_get_io_ptr(png);
    assert(s->fd >= 0);
    while (size > 0) {
        ssize_t n = write(s->fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            s->failure = errno;
            png_error(png, "write");
        }
        data += n;
        size -= (size_t)n;
    }
}

static void memory_write(png_structp png, png_bytep data, png_size_t size)
{
    sink *s = png_get_io_ptr(png);
    if (fwrite(data, 1, size, s->memory.out) != size)
        png_error(png, "memory");
}

static void sink_flush(png_structp png)
{
    (void)png;
}

static void quiet(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void give_up(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

/* A function of its own: what a longjmp to it comes back to must not have changed since setjmp, and
 * here no local variable has. */
static int encode(png_structp png, png_infop info, uint32_t width, uint32_t height,
                  const uint8_t *rgb)
{
    if (setjmp(png_jmpbuf(png)))
        return 0;
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++)
        png_write_row(png, rgb + (size_t)y * width * 3);
    png_write_end(png, info);
    return 1;
}

static int write_to(sink *s, png_rw_ptr write, uint32_t width, uint32_t height, const uint8_t *rgb)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, give_up, quiet);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int done = 0;
    if (info) {
        png_set_write_fn(png, s, write, sink_flush);
        done = encode(png, info, width, height, rgb);
    }
    png_destroy_write_struct(&png, &info);
    return done;
}

int image_write_png(int fd, uint32_t width, uint32_t height, const uint8_t *rgb)
{
    sink s = {.fd = fd};
    if (write_to(&s, sink_write, width, height, rgb))
        return 0;
    return s.failure ? s.failure : ENOMEM;
}

int image_png(uint32_t width, uint32_t height, const uint8_t *rgb, uint8_t **png, size_t *size)
{
    sink s = {.fd = -1};
    *png = NULL;
    if (!memory_text_open(&s.memory))
        return 0;
    const int done = write_to(&s, memory_write, width, height, rgb);
    if (memory_text_close(&s.memory) != 0 || !done) {
        free(s.memory.data);
        return 0;
    }
    *png = (uint8_t *)s.memory.data;
    *size = s.memory.size;
    return 1;
}
