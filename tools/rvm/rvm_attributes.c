/* SPDX-License-Identifier: MIT
 * rvm_attributes.c: the attributes that AVEVA's export writes beside an RVM file, as properties of
 * the groups of their names.
 *
 * The text has a line "NEW name", a line "END", and between them lines of "key := value", several
 * of them on a line with "&end&" between. NEW ... END are nested as the groups are. A name that
 * several groups have is looked for below the group of the surrounding NEW.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/beneath.h"
#include "files/uri.h"
#include "model/properties.h"
#include "rvm/rvm.h"
#include "text/array.h"
#include "text/text_scan.h"

enum { SAME_NAME_MOST = 64 };

static const char first_word[] = "CADC_Attributes_File";
static const char header_name[] = "Header Information";

typedef struct attributes {
    rvm *r;
    name_table names;     /* numbers in im->out->nodes: the first group of each name */
    uint32_t *next, *end; /* the next group of the name; of the first one: the last, and when all
                             are listed the first that has no attributes yet */
    uint8_t *is_taken;    /* groups that have their attributes */
    uint32_t *open;       /* groups of the NEWs around here, BVP_NONE: there is none */
    size_t depth, open_capacity;
    uint64_t strangers, odd; /* for the warnings */
} attributes;

/* ---- names ----------------------------------------------------------------------------------- */

static bvp_status list_names(attributes *a)
{
    const model *m = a->r->im->out;
    const size_t count = m->node_count;
    a->next = malloc((count + 1) * sizeof *a->next);
    a->end = malloc((count + 1) * sizeof *a->end);
    a->is_taken = calloc(count + 1, 1);
    if (!a->next || !a->end || !a->is_taken)
        return import_no_memory(a->r->im);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i;
        a->next[i] = BVP_NONE;
        if (!m->nodes[i].name)
            continue;
        if (name_table_put(&a->names, m->nodes[i].name, &first) != 0)
            return import_no_memory(a->r->im);
        if (first != i)
            a->next[a->end[first]] = i;
        a->end[first] = i;
    }
    for (size_t k = 0; k < a->names.count; k++)
        a->end[a->names.entries[k].value] = a->names.entries[k].value;
    return BVP_OK;
}

/* The group of this name: below the one around it, if there is one; else the first that has no
 * attributes yet. */
static uint32_t find_group(attributes *a, const char *name)
{
    const uint32_t around = a->depth > 0 ? a->open[a->depth - 1] : BVP_NONE;
    const model *m = a->r->im->out;
    const uint32_t first = name_table_get(&a->names, name);
    if (first == UINT32_MAX)
        return BVP_NONE;
    uint32_t other = BVP_NONE, i = a->end[first];
    while (i != BVP_NONE && a->is_taken[i])
        i = a->next[i];
    a->end[first] = i;
    for (int seen = 0; i != BVP_NONE && seen < SAME_NAME_MOST; i = a->next[i], seen++) {
        if (a->is_taken[i])
            continue;
        if (m->nodes[i].parent == around && around != BVP_NONE)
            return i;
        if (other == BVP_NONE)
            other = i;
    }
    return other;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *before_blanks(const char *from, const char *end)
{
    while (end > from && scan_is_blank(end[-1]))
        end--;
    return end;
}

static const char *find(const char *from, const char *end, const char *word)
{
    const char *found = import_find(from, (size_t)(end - from), word);
    return found ? found : end;
}

static bvp_status open_element(attributes *a, const char *from, const char *end)
{
    char *name = rvm_text(from, (size_t)(end - from));
    if (!name || array_grow(&a->open, &a->open_capacity, a->depth + 1, sizeof *a->open) != 0) {
        free(name);
        return import_no_memory(a->r->im);
    }
    const uint32_t group = find_group(a, name);
    const int is_header = a->depth == 0 && strcmp(name, header_name) == 0;
    a->strangers += group == BVP_NONE && !is_header;
    if (group != BVP_NONE)
        a->is_taken[group] = 1;
    a->open[a->depth++] = group;
    free(name);
    return BVP_OK;
}

/* key := value, without the quotes around it. Keys of the packed format are not a model's. */
static bvp_status read_attribute(attributes *a, const char *from, const char *end)
{
    const char *assign = find(from, end, ":="), *key_end = before_blanks(from, assign);
    if (assign == end || a->depth == 0 || key_end == from) {
        a->odd++;
        return BVP_OK;
    }
    text_scan s = {assign + 2, end};
    scan_blanks(&s);
    end = before_blanks(s.at, end);
    if (end - s.at >= 2 && *s.at == '\'' && end[-1] == '\'') {
        s.at++;
        end--;
    }
    const uint32_t group = a->open[a->depth - 1];
    if (group == BVP_NONE || (key_end - from >= 7 && memcmp(from, "bvpack_", 7) == 0))
        return BVP_OK;
    char *key = rvm_text(from, (size_t)(key_end - from));
    char *value = rvm_text(s.at, (size_t)(end - s.at));
    const int failed = !key || !value ||
                       property_add(&a->r->im->out->nodes[group], key, value, strlen(value)) != 0;
    free(key);
    free(value);
    return failed ? import_no_memory(a->r->im) : BVP_OK;
}

static bvp_status read_line(attributes *a, const char *from, const char *end)
{
    text_scan s = {from, end};
    if (scan_word(&s, "new")) {
        scan_blanks(&s);
        return open_element(a, s.at, end);
    }
    if (scan_word(&s, "end") && s.at == end) {
        a->odd += a->depth == 0;
        a->depth -= a->depth > 0;
        return BVP_OK;
    }
    bvp_status status = BVP_OK;
    while (from < end && status == BVP_OK) {
        const char *stop = find(from, end, "&end&");
        status = read_attribute(a, from, before_blanks(from, stop));
        s = (text_scan){stop < end ? stop + 5 : end, end};
        scan_blanks(&s);
        from = s.at;
    }
    return status;
}

static bvp_status read_lines(attributes *a, const char *text, size_t size)
{
    text_scan s = {text, text + size};
    bvp_status status = list_names(a);
    scan_to_newline(&s); /* what the words are called */
    while (status == BVP_OK && (scan_spaces(&s), s.at < s.end)) {
        const char *from = s.at;
        scan_to_newline(&s);
        status = read_line(a, from, before_blanks(from, s.at));
    }
    a->odd += a->depth;
    if (status == BVP_OK)
        status = import_warn(a->r->im, a->strangers,
                             "elements with attributes, but without a group in the model");
    if (status == BVP_OK)
        status = import_warn(a->r->im, a->odd, "odd lines in the file of attributes");
    free(a->next);
    free(a->end);
    free(a->is_taken);
    free(a->open);
    name_table_free(&a->names);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* *is_there: the file `name` is one of attributes, and read. */
static bvp_status read_file(rvm *r, const char *name, int *is_there)
{
    uri_bytes bytes;
    uri_result result = URI_SYSTEM;
    int fd;
    *is_there = 0;
    do
        fd = beneath_open(r->im->dir, name);
    while (fd < 0 && errno == EINTR);
    if (fd >= 0) {
        result = uri_map(fd, &bytes);
        const int failure = errno;
        close(fd);
        errno = failure;
    }
    if (result == URI_NO_MEMORY)
        return import_no_memory(r->im);
    if (result != URI_OK) /* no such file, one of another folder, or one that is empty */
        return errno == ENOENT || errno == ENOTDIR || errno == EXDEV || errno == EINVAL ||
                       errno == ELOOP || errno == ENAMETOOLONG
                   ? BVP_OK
                   : import_refuse(r->im, BVP_ERR_SYSTEM,
                                   "its attributes, %s, can't be read: %s; make that file "
                                   "readable, or move it away",
                                   name, strerror(errno));
    const size_t mark = bytes.size >= 3 && memcmp(bytes.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const size_t size = bytes.size - mark, word = sizeof first_word - 1;
    bvp_status status = BVP_OK;
    *is_there = size >= word && memcmp(bytes.data + mark, first_word, word) == 0;
    if (*is_there) {
        attributes a = {.r = r};
        status = import_note_file(r->im, name, bytes.data, bytes.size);
        if (status == BVP_OK)
            status = read_lines(&a, (const char *)bytes.data + mark, size);
    }
    uri_close(&bytes);
    return status;
}

bvp_status rvm_attributes_read(rvm *r)
{
    static const char *const endings[] = {"att", "ATT", "txt", "TXT"};
    const char *slash = strrchr(r->im->name, '/');
    const char *name = slash ? slash + 1 : r->im->name, *dot = strrchr(name, '.');
    const size_t stem = dot ? (size_t)(dot - name) + 1 : 0;
    bvp_status status = BVP_OK;
    int is_there = 0;
    if (!r->im->dir || stem == 0)
        return BVP_OK;
    char *path = malloc(stem + 4);
    if (!path)
        return import_no_memory(r->im);
    memcpy(path, name, stem);
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !is_there && status == BVP_OK; i++) {
        memcpy(path + stem, endings[i], 4);
        status = read_file(r, path, &is_there);
    }
    free(path);
    return status;
}
