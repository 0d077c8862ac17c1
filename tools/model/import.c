/* SPDX-License-Identifier: MIT
 * import.c: functions shared by importers: refusals, warnings, growing arrays, meshes.
 */
#include "model/import.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"

/* ---- refusals ------------------------------------------------------------------------------- */

static bvp_status refuse(importer *im, bvp_status status, uint64_t offset, size_t used,
                         const char *format, va_list arguments)
{
    bvp_error *error = im->error;
    error->status = status;
    error->offset = offset;
    error->sys_errno = 0;
    error->rule[0] = '\0';
    assert(used < sizeof error->message); /* message_begin leaves room */
    vsnprintf(error->message + used, sizeof error->message - used, format, arguments);
    return status;
}

bvp_status import_refuse(importer *im, bvp_status status, const char *format, ...)
{
    va_list arguments;
    size_t used = message_begin(im->error->message, sizeof im->error->message, im->name);
    im->error->message[used++] = ' ';
    va_start(arguments, format);
    refuse(im, status, UINT64_MAX, used, format, arguments);
    va_end(arguments);
    return status;
}

/* Lines end with \n, \r\n or a lone \r. */
bvp_status import_refuse_line(importer *im, bvp_status status, const void *at, const char *format,
                              ...)
{
    va_list arguments;
    const char *p = (const char *)im->data, *end = p + im->size;
    uint64_t line = 1;
    assert((const char *)at >= p && (const char *)at <= end);
    for (; p < (const char *)at; p++)
        line += *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] != '\n'));
    size_t used = message_begin(im->error->message, sizeof im->error->message, im->name);
    int more = snprintf(im->error->message + used, sizeof im->error->message - used,
                        "%llu: ", (unsigned long long)line);
    va_start(arguments, format);
    refuse(im, status, (uint64_t)((const uint8_t *)at - im->data), used + (size_t)more, format,
           arguments);
    va_end(arguments);
    return status;
}

bvp_status import_refuse_byte(importer *im, bvp_status status, uint64_t offset, const char *format,
                              ...)
{
    va_list arguments;
    size_t used = message_begin(im->error->message, sizeof im->error->message, im->name);
    int more = snprintf(im->error->message + used, sizeof im->error->message - used,
                        " byte %llu: ", (unsigned long long)offset);
    va_start(arguments, format);
    refuse(im, status, offset, used + (size_t)more, format, arguments);
    va_end(arguments);
    return status;
}

bvp_status import_no_memory(importer *im)
{
    return import_refuse(im, BVP_ERR_NO_MEMORY,
                         "out of memory while reading; close other programs "
                         "or split the model");
}

bvp_status import_refuse_empty(importer *im)
{
    if (im->options->drop_invalid)
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "no triangles, or none that is valid: nothing is left to be packed; "
                             "repair the model");
    return import_refuse(im, BVP_ERR_ARGUMENT,
                         "no triangles: only surfaces can be packed, not points or lines; export "
                         "the model as a triangle mesh");
}

const char *import_quote(const char *at, const char *end, char out[QUOTE_SIZE])
{
    enum { SHOWN = 24 };
    size_t used = 0;
    for (int i = 0; at < end && i < SHOWN; at++, i++) {
        unsigned char c = (unsigned char)*at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            break;
        if (c > ' ' && c < 0x7f)
            out[used++] = (char)c;
        else
            used += (size_t)snprintf(out + used, 5, "\\x%02x", c);
    }
    out[used] = '\0';
    return out;
}

const void *import_find(const void *data, size_t size, const char *word)
{
    const char *p = data, *end = p + size;
    const size_t length = strlen(word);
    while ((size_t)(end - p) >= length && (p = memchr(p, *word, (size_t)(end - p) - length + 1)))
        if (memcmp(p++, word, length) == 0)
            return p - 1;
    return NULL;
}

/* ---- warnings, progress, memory -------------------------------------------------------------- */

bvp_status import_warn(importer *im, uint64_t count, const char *text)
{
    model *m = im->out;
    if (count == 0)
        return BVP_OK;
    for (uint32_t i = 0; i < m->warning_count; i++)
        if (strcmp(m->warnings[i].text, text) == 0) {
            m->warnings[i].count += count;
            return BVP_OK;
        }
    model_warning *larger = realloc(m->warnings, (m->warning_count + 1) * sizeof *larger);
    if (!larger)
        return import_no_memory(im);
    m->warnings = larger;
    larger[m->warning_count].text = import_text(text, strlen(text));
    larger[m->warning_count].count = count;
    if (!larger[m->warning_count].text)
        return import_no_memory(im);
    m->warning_count++;
    return BVP_OK;
}

bvp_status import_note_file(importer *im, const char *name, const void *data, size_t size)
{
    model_file *file = import_add_file(im);
    if (!file)
        return import_no_memory(im);
    file->name = import_text(name, strlen(name));
    file->size = size;
    bvp_hash(data, size, file->hash);
    return file->name ? BVP_OK : import_no_memory(im);
}

void import_progress(importer *im, uint64_t done, uint64_t total)
{
    if (im->options->progress)
        im->options->progress(im->options->progress_user, "reading", done, total);
}

char *import_text(const char *data, size_t size)
{
    char *text = malloc(size + 1);
    size_t used = 0;
    if (!text)
        return NULL;
    while (used < size) {
        size_t length = utf8_length(data + used, size - used);
        int harmless = length > 1 || (length == 1 && (unsigned char)data[used] >= ' ');
        if (harmless)
            memcpy(text + used, data + used, length);
        else
            text[used] = '?';
        used += harmless ? length : 1;
    }
    text[size] = '\0';
    return text;
}

/* ---- meshes, files and nodes ----------------------------------------------------------------- */

/* Arrays of the model have no capacity beside them: it is the power of two from their count on. */
static void *append(void *array_pointer, uint32_t *count, size_t element_size)
{
    void **array = array_pointer;
    if (*count == UINT32_MAX)
        return NULL;
    if ((*count & (*count - 1)) == 0) {
        size_t capacity = *count ? (size_t)*count * 2 : 1;
        if (capacity > SIZE_MAX / element_size)
            return NULL;
        void *moved = realloc(*array, capacity * element_size);
        if (!moved)
            return NULL;
        *array = moved;
    }
    void *added = (char *)*array + *count * element_size;
    memset(added, 0, element_size);
    ++*count;
    return added;
}

model_mesh *import_add_mesh(importer *im)
{
    return append(&im->out->meshes, &im->out->mesh_count, sizeof(model_mesh));
}

model_file *import_add_file(importer *im)
{
    return append(&im->out->files, &im->out->file_count, sizeof(model_file));
}

model_node *import_add_node(importer *im)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    model_node *node = append(&im->out->nodes, &im->out->node_count, sizeof(model_node));
    if (node) {
        node->parent = node->mesh = BVP_NONE;
        memcpy(node->placement, identity, sizeof identity);
    }
    return node;
}
