/* SPDX-License-Identifier: MIT
 * page.c: the viewer, a page for browsers, that opens a packed file by ranges.
 *
 * The page is made by `make viewer` (tools/viewer) and lies where the program's helpers or data
 * lie. Only the names of the files that it opens are put into it.
 */
#include "view/page.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/verb.h"
#include "files/input.h"
#include "files/output.h"
#include "process/libexec.h"
#include "remote/remote_source.h"
#include "text/message.h"

/* What the page has in place of names. */
static const char place[] = "<script type=\"application/json\" id=\"given\">{}</script>";
enum { BEFORE = sizeof place - sizeof "{}</script>" };

enum { URL_MOST = 4 * PATH_MAX };

static int is_unreserved(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           strchr("-._~/", c) != NULL;
}

/* Percent-encodes what has a meaning in URLs or JSON; `also`: characters that stay. 0: no room. */
static int encode(const char *text, const char *also, char *out, size_t capacity)
{
    size_t at = 0;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        const int stays = is_unreserved(c) || strchr(also, c) != NULL;
        if (at + (stays ? 1 : 3) >= capacity)
            return 0;
        if (stays)
            out[at++] = (char)c;
        else
            at += (size_t)snprintf(out + at, 4, "%%%02X", c);
    }
    out[at] = '\0';
    return 1;
}

/* How the folder `from`, with a slash at its end, names the file `to`: both absolute, without
 * links. 0: no room. */
static int relative(const char *from, const char *to, char *out, size_t capacity)
{
    size_t common = 0, at = 0;
    for (size_t i = 0; from[i] != '\0' && from[i] == to[i]; i++)
        common = from[i] == '/' ? i + 1 : common;
    for (const char *slash = strchr(from + common, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (at + 4 > capacity)
            return 0;
        memcpy(out + at, "../", 3);
        at += 3;
    }
    /* "./": a name with a colon would be taken for a scheme */
    const int size = snprintf(out + at, capacity - at, "%s%s", at == 0 ? "./" : "", to + common);
    return size >= 0 && (size_t)size < capacity - at;
}

/* The URL by which a page in the folder opens the file. 0 or the exit code. */
static int url_of(const char *folder, const char *file, char *out, size_t capacity)
{
    char to[PATH_MAX], way[2 * PATH_MAX];
    if (remote_is(file)) {
        if (encode(file, ":?#[]@!$&'()*+,;=%", out, capacity))
            return 0;
    } else if (!realpath(file, to)) {
        complain(file, "can't open: %s", strerror(errno));
        return EXIT_INPUT;
    } else if (relative(folder, to, way, sizeof way) && encode(way, "", out, capacity))
        return 0;
    complain(file, "the name is too long");
    return EXIT_USAGE;
}

static int put_page(FILE *stream, const input *page, const char *given, const char *model,
                    const char *report)
{
    const char *text = page->data;
    const size_t before = (size_t)(given - text) + BEFORE, after = before + 2; /* of "{}" */
    assert(after <= page->size);
    fwrite(text, 1, before, stream);
    fprintf(stream, "{\"file\":\"%s\"", model);
    if (report)
        fprintf(stream, ",\"report\":\"%s\"", report);
    fputc('}', stream);
    fwrite(text + after, 1, page->size - after, stream);
    return fflush(stream) == 0 && !ferror(stream);
}

/* Where the names go, or NULL. */
static const char *find_place(const input *page)
{
    const char *text = page->data;
    for (size_t i = 0; i + sizeof place - 1 <= page->size; i++)
        if (text[i] == '<' && memcmp(text + i, place, sizeof place - 1) == 0)
            return text + i;
    return NULL;
}

static int write_page(const char *out, const input *page, const char *given, const char *model,
                      const char *report)
{
    output file;
    const int code = output_open(&file, out);
    if (code != 0)
        return code;
    const int fd = dup(file.fd);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    int is_done = stream && put_page(stream, page, given, model, report);
    if (stream)
        is_done &= fclose(stream) == 0;
    if (is_done)
        return output_commit(&file);
    complain(out, "can't write: %s", strerror(errno));
    if (!stream && fd >= 0)
        close(fd);
    output_discard(&file);
    return EXIT_OUTPUT;
}

int page_write(const char *out, const char *model, const char *report)
{
    char path[LIBEXEC_PATH], near[PATH_MAX], folder[PATH_MAX + 1];
    char model_url[URL_MOST], report_url[URL_MOST];
    if (!libexec_find_data("viewer.html", path)) {
        complain(out, "this bvpack has no viewer: `make viewer` in its build directory makes it "
                      "(Debian: emscripten, npm), then `make install`; a name that ends with .png "
                      "asks for a picture");
        return EXIT_USAGE;
    }
    errno = ENAMETOOLONG;
    if (folder_of(out, near, sizeof near) != 0 || !realpath(near, folder)) {
        complain(out, "can't write: %s", strerror(errno));
        return EXIT_OUTPUT;
    }
    if (folder[1] != '\0') /* not the root */
        strcat(folder, "/");
    int code = url_of(folder, model, model_url, sizeof model_url);
    if (code == 0 && report)
        code = url_of(folder, report, report_url, sizeof report_url);
    input page;
    if (code == 0)
        code = input_open(&page, path);
    if (code != 0)
        return code;
    const char *given = find_place(&page);
    if (given)
        code = write_page(out, &page, given, model_url, report ? report_url : NULL);
    else {
        complain(path, "this is not the viewer: no place for the model's name");
        code = EXIT_INPUT;
    }
    input_close(&page);
    return code;
}
