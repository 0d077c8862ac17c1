/* SPDX-License-Identifier: MIT
 * gltf_views.c: the bytes of a glTF file's buffer views, plain or packed by meshopt.
 * Spec: Khronos glTF 2.0, 3.6.1.2 Buffer Views; EXT_meshopt_compression, KHR_meshopt_compression
 */
#include "gltf/gltf_views.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "meshopt/meshopt.h"

/* Made when something first refers to a packed view. */
struct gltf_unpacked {
    int tried;
    uint8_t *data; /* or NULL: the view's own buffer has to do */
    uint64_t size;
};

bvp_status gltf_views_open(gltf_document *doc, gltf_views *v)
{
    *v = (gltf_views){.doc = doc};
    v->unpacked = calloc(json_tree_size(doc->views) + 1, sizeof *v->unpacked);
    const bvp_status status = gltf_buffers_open(doc, &v->buffers);
    return v->unpacked ? status : import_no_memory(doc->im);
}

void gltf_views_close(gltf_views *v)
{
    for (size_t i = 0; v->unpacked && i < json_tree_size(v->doc->views); i++)
        free(v->unpacked[i].data);
    free(v->unpacked);
    gltf_buffers_close(&v->buffers);
}

/* ---- meshopt --------------------------------------------------------------------------------- */

/* The number of object[key] in `names`; 0 when it is missing and `has_default`. */
static bvp_status read_word(gltf_document *d, uint64_t index, const json_value *object,
                            const char *key, int has_default, const char *const *names, int *out)
{
    const json_value *value = json_tree_get(object, key);
    const char *word = json_tree_text(value);
    *out = 0;
    if (!value && has_default)
        return BVP_OK;
    for (int i = 0; word && names[i]; i++) {
        *out = i;
        if (strcmp(word, names[i]) == 0)
            return BVP_OK;
    }
    return gltf_refuse(d, BVP_ERR_ARGUMENT, "bufferViews", index,
                       "is packed by meshopt with the unknown %s \"%.24s\"; export the model "
                       "without compression",
                       key, word ? word : "");
}

/* How a view is packed, and its packed bytes. */
static bvp_status read_stream(gltf_views *v, uint64_t index, const json_value *extension,
                              meshopt_stream *s)
{
    /* in the order of meshopt.h; COLOR is for what no shape is made of */
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES", NULL};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", NULL};
    gltf_document *d = v->doc;
    int mode = 0, filter = 0;
    bvp_status status = read_word(d, index, extension, "mode", 0, modes, &mode);
    if (status == BVP_OK)
        status = read_word(d, index, extension, "filter", 1, filters, &filter);
    if (status == BVP_OK)
        status = gltf_count(d, "bufferViews", index, extension, "count", 0, &s->count);
    if (status == BVP_OK)
        status = gltf_count(d, "bufferViews", index, extension, "byteStride", 0, &s->stride);
    if (status == BVP_OK)
        status = gltf_range_open(&v->buffers, index, extension, &s->data, &s->size);
    s->mode = (meshopt_mode)mode;
    s->filter = (meshopt_filter)filter;
    return status;
}

/* Unpacks a view; leaves it as it is where this build cannot, but the view's own buffer has the
 * same bytes. Memory is bounded twice before it is taken: by what so short a stream can say, and
 * by the document's budget. */
static bvp_status unpack(gltf_views *v, uint64_t index, const json_value *object,
                         const json_value *extension)
{
    gltf_document *d = v->doc;
    meshopt_stream s = {.size = 0};
    uint64_t length = 0, own = 0;
    bvp_status status = read_stream(v, index, extension, &s);
    if (status == BVP_OK)
        status = gltf_count(d, "bufferViews", index, object, "byteLength", 0, &length);
    if (status == BVP_OK)
        status = gltf_count(d, "bufferViews", index, object, "buffer", UINT64_MAX, &own);
    if (status != BVP_OK)
        return status;
    const char *refusal = meshopt_refusal(&s);
    if (refusal)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "bufferViews", index,
                           "is packed by meshopt, %s; export the model again", refusal);
    const uint64_t most = meshopt_count_max(&s);
    if (s.count > most)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "bufferViews", index,
                           "announces %" PRIu64 " elements, but %" PRIu64
                           " packed bytes hold at most %" PRIu64 "; export the model again",
                           s.count, s.size, most);
    if (length != s.count * s.stride)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "bufferViews", index,
                           "expected %" PRIu64 " bytes for %" PRIu64 " elements of %" PRIu64
                           ", found %" PRIu64 "; export the model again",
                           s.count * s.stride, s.count, s.stride, length);
    status = gltf_charge(d, "bufferViews", index, length);
    if (status != BVP_OK)
        return status;
    uint8_t *data = malloc(length ? length : 1);
    if (!data)
        return import_no_memory(d->im);
    const meshopt_result result = meshopt_unpack(&s, data);
    if (result == MESHOPT_OK) {
        v->unpacked[index] = (gltf_unpacked){1, data, length};
        return BVP_OK;
    }
    free(data);
    if (result == MESHOPT_BROKEN)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "bufferViews", index,
                           "its %" PRIu64 " packed bytes are not what meshopt makes of %" PRIu64
                           " elements; the data are damaged, get them again",
                           s.size, s.count);
    if (gltf_buffer_has_bytes(&v->buffers, own)) {
        v->unpacked[index].tried = 1;
        return BVP_OK;
    }
    if (result == MESHOPT_NEWER)
        return gltf_refuse(d, BVP_ERR_ARGUMENT, "bufferViews", index,
                           "is packed by a newer meshopt (stream version %d) than this bvpack "
                           "knows; get a newer bvpack, or pack it with gltfpack -ce ext",
                           s.data[0] & 15);
    return gltf_refuse(d, BVP_ERR_ARGUMENT, "bufferViews", index,
                       "is packed by meshopt; build bvpack with meshoptimizer (Debian: "
                       "libmeshoptimizer-dev), or export the model without compression");
}

/* ---- views ----------------------------------------------------------------------------------- */

bvp_status gltf_view_open(gltf_views *v, uint64_t index, uint64_t offset, const uint8_t **data,
                          uint64_t *size, uint64_t *stride)
{
    gltf_document *d = v->doc;
    const json_value *object;
    bvp_status status = gltf_element(d, "bufferViews", d->views, index, &object);
    if (status == BVP_OK)
        status = gltf_count(d, "bufferViews", index, object, "byteStride", 0, stride);
    if (status != BVP_OK)
        return status;
    const json_value *extensions = json_tree_get(object, "extensions");
    const json_value *packed = json_tree_get(extensions, "EXT_meshopt_compression");
    if (!packed)
        packed = json_tree_get(extensions, "KHR_meshopt_compression");
    const gltf_unpacked *made = &v->unpacked[index];
    if (packed && !made->tried)
        status = unpack(v, index, object, packed);
    if (status != BVP_OK)
        return status;
    if (made->data) {
        *data = made->data;
        *size = made->size;
    } else {
        status = gltf_range_open(&v->buffers, index, object, data, size);
        if (status != BVP_OK)
            return status;
    }
    if (offset > *size)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "bufferViews", index,
                           "byte offset %" PRIu64 " lies outside its %" PRIu64
                           " bytes; export the model again",
                           offset, *size);
    *data += offset;
    *size -= offset;
    return BVP_OK;
}
