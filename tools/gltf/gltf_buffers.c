/* SPDX-License-Identifier: MIT
 * gltf_buffers.c: the bytes behind a glTF file's buffers.
 * Spec: Khronos glTF 2.0, 3.6.1 Buffers and Buffer Views
 */
#include "gltf/gltf_buffers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/uri.h"

/* Opened when something first refers to it. */
struct gltf_buffer {
    int opened;
    const uint8_t *data;
    uint64_t size;
    uri_bytes bytes; /* what `data` points into, unless that is the input */
};

bvp_status gltf_buffers_open(gltf_document *doc, gltf_buffers *b)
{
    *b = (gltf_buffers){.doc = doc};
    b->buffers = calloc(json_tree_size(doc->files) + 1, sizeof *b->buffers);
    return b->buffers ? BVP_OK : import_no_memory(doc->im);
}

void gltf_buffers_close(gltf_buffers *b)
{
    for (size_t i = 0; b->buffers && i < json_tree_size(b->doc->files); i++)
        uri_close(&b->buffers[i].bytes);
    free(b->buffers);
}

static bvp_status refuse_uri(gltf_buffers *v, uint64_t index, uri_result result, const char *uri)
{
    switch (result) {
    case URI_NO_MEMORY:
        return import_no_memory(v->doc->im);
    case URI_BAD_BASE64:
        return gltf_refuse(v->doc, BVP_ERR_CORRUPT, "buffers", index,
                           "expected base64 data; export the model again");
    case URI_FORBIDDEN:
        return gltf_refuse(v->doc, BVP_ERR_ARGUMENT, "buffers", index,
                           "expected a file in the model's folder and no link that leads out, "
                           "found \"%.60s\"; pack the model from a file beside its buffers, or "
                           "allow others with --any-path",
                           uri);
    default:
        gltf_refuse(v->doc, BVP_ERR_SYSTEM, "buffers", index, "\"%.60s\" can't be read: %s", uri,
                    strerror(errno));
        v->doc->im->error->sys_errno = errno;
        return BVP_ERR_SYSTEM;
    }
}

/* The buffer, with its bytes: those of its uri, or of the GLB's binary chunk. */
static bvp_status open_buffer(gltf_buffers *v, uint64_t index, const gltf_buffer **out)
{
    gltf_document *d = v->doc;
    const json_value *object;
    uint64_t length = 0;
    bvp_status status = gltf_element(d, "buffers", d->files, index, &object);
    if (status != BVP_OK)
        return status;
    gltf_buffer *b = &v->buffers[index];
    *out = b;
    if (b->opened)
        return BVP_OK;
    status = gltf_count(d, "buffers", index, object, "byteLength", 0, &length);
    if (status != BVP_OK)
        return status;
    const char *uri = json_tree_text(json_tree_get(object, "uri"));
    if (uri) {
        const uri_result result = uri_open(uri, d->im->dir, d->im->options->any_path, &b->bytes);
        if (result != URI_OK)
            return refuse_uri(v, index, result, uri);
        b->data = b->bytes.data;
        b->size = b->bytes.size;
        d->budget += 64 * b->size;
        if (b->bytes.mapped)
            status = import_note_file(d->im, uri, b->data, b->size);
        if (status != BVP_OK)
            return status;
    } else if (index == 0 && d->chunk) {
        b->data = d->chunk;
        b->size = d->chunk_size;
    } else {
        return gltf_refuse(d, BVP_ERR_CORRUPT, "buffers", index,
                           "has neither \"uri\" nor a binary chunk; export the model again");
    }
    if (length > b->size)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "buffers", index,
                           "expected %" PRIu64 " bytes, found %" PRIu64
                           "; the data are cut off, get them again",
                           length, b->size);
    b->size = length;
    b->opened = 1;
    return BVP_OK;
}

int gltf_buffer_has_bytes(const gltf_buffers *b, uint64_t index)
{
    const json_value *files = b->doc->files;
    if (index >= json_tree_size(files))
        return 0;
    return json_tree_get(json_tree_at(files, (size_t)index), "uri") ||
           (index == 0 && b->doc->chunk);
}

bvp_status gltf_range_open(gltf_buffers *b, uint64_t index, const json_value *object,
                           const uint8_t **data, uint64_t *size)
{
    const gltf_buffer *from;
    uint64_t file, start, length;
    bvp_status status =
        gltf_count(b->doc, "bufferViews", index, object, "buffer", UINT64_MAX, &file);
    if (status == BVP_OK)
        status = gltf_count(b->doc, "bufferViews", index, object, "byteOffset", 0, &start);
    if (status == BVP_OK)
        status = gltf_count(b->doc, "bufferViews", index, object, "byteLength", 0, &length);
    if (status == BVP_OK)
        status = open_buffer(b, file, &from);
    if (status != BVP_OK)
        return status;
    if (start > from->size || length > from->size - start)
        return gltf_refuse(b->doc, BVP_ERR_CORRUPT, "bufferViews", index,
                           "bytes %" PRIu64 " to %" PRIu64 " lie outside its buffer of %" PRIu64
                           " bytes; export the model again",
                           start, start + length, from->size);
    *data = from->data + start;
    *size = length;
    return BVP_OK;
}
