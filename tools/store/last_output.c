/* SPDX-License-Identifier: MIT
 * last_output.c: a record in the store with the path of the last output, and its stamp.
 */
#include "store/last_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text/memory_text.h"
#include "files/record_text.h"
#include "files/packed_file.h"

static const char head[] = "bvpack output 1\n";

/* ---- reading --------------------------------------------------------------------------------- */

/* The stamp shows that it is the recorded file, so that its parts are worth examining; hashes show
 * whether they are valid. Opening must not block on a pipe that now has the name. */
void last_output_open(last_output *l, const store *s, const uint8_t key[16])
{
    const bvp_open_options options = {.verify_lazily = 1, .read_ahead = 1};
    size_t size;
    stamp noted;
    char *text = store_get_record(s, key, &size), *path = NULL;
    if (text && size >= sizeof head && memcmp(text, head, sizeof head - 1) == 0) {
        record_reader r = {.at = text + sizeof head - 1, .end = text + size};
        path = record_get_text(&r);
        record_get_stamp(&r, &noted);
        record_get_end(&r);
        if (r.bad) {
            free(path);
            path = NULL;
        }
    }
    free(text);
    if (!path)
        return;
    l->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    l->is_open = l->fd >= 0;
    if (!l->is_open || stamp_take_fd(l->fd, &l->stamp) != 0 || !stamp_is_equal(&l->stamp, &noted) ||
        packed_open_fd(l->fd, &options, &l->file, NULL) != BVP_OK ||
        bvp_check_part(l->file, BVP_ASSEMBLY, NULL) != BVP_OK ||
        part_table_fill(&l->parts, &l->file, 1) != 0)
        last_output_close(l);
    free(path);
}

/* Replacing or removing the name changes neither the file's size nor the time of its last write. */
int last_output_is_as_it_was(const last_output *l)
{
    stamp now;
    return !l->is_open || (stamp_take_fd(l->fd, &now) == 0 && now.size == l->stamp.size &&
                           now.modified == l->stamp.modified);
}

void last_output_close(last_output *l)
{
    part_table_free(&l->parts);
    bvp_close(l->file);
    if (l->is_open)
        close(l->fd);
    *l = (last_output){.file = NULL};
}

/* ---- writing --------------------------------------------------------------------------------- */

void last_output_note(const store *s, const uint8_t key[16], const char *path)
{
    char whole[PATH_MAX];
    memory_text text;
    stamp now;
    if (!store_is_writable(s) || !realpath(path, whole) || stamp_take(whole, &now) != 0)
        return;
    if (!memory_text_open(&text))
        return;
    fputs(head, text.out);
    record_put_text(text.out, whole);
    record_put_stamp(text.out, &now);
    record_end_line(text.out);
    if (memory_text_close(&text) == 0)
        store_put_record(s, key, text.data, text.size);
    free(text.data);
}
