/* SPDX-License-Identifier: MIT
 * gltf_document.c: the JSON text of a glTF file or of a GLB container, and the version and
 * extensions that it requires.
 * Spec: Khronos glTF 2.0, 3.2 Asset, 3.12 Specifying Extensions, 4 GLB File Format
 */
#include "gltf/gltf_document.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- elements ------------------------------------------------------------------------------ */

bvp_status gltf_refuse(gltf_document *d, bvp_status status, const char *kind, uint64_t index,
                       const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return import_refuse(d->im, status, "%s[%" PRIu64 "]: %s", kind, index, text);
}

/* object[key] as a count; `otherwise` when it is missing. */
bvp_status gltf_count(gltf_document *d, const char *kind, uint64_t index, const json_value *object,
                      const char *key, uint64_t otherwise, uint64_t *out)
{
    const json_value *value = json_tree_get(object, key);
    *out = otherwise;
    if (!value || json_tree_count(value, out))
        return BVP_OK;
    return gltf_refuse(d, BVP_ERR_CORRUPT, kind, index,
                       "\"%s\": expected a whole number that is not negative; export the model "
                       "again",
                       key);
}

/* array[index] as an object. */
bvp_status gltf_element(gltf_document *d, const char *kind, const json_value *array, uint64_t index,
                        const json_value **out)
{
    *out = index < json_tree_size(array) ? json_tree_at(array, (size_t)index) : NULL;
    if (json_tree_is_object(*out))
        return BVP_OK;
    return gltf_refuse(d, BVP_ERR_CORRUPT, kind, index,
                       "is referred to, but the file has only %zu; export the model again",
                       json_tree_size(array));
}

bvp_status gltf_node(gltf_document *d, uint64_t index, const json_value **out)
{
    json_fault fault;
    *out = json_list_at(&d->nodes, (size_t)index, &fault);
    if (*out)
        return BVP_OK;
    if (fault.is_memory)
        return import_refuse(d->im, BVP_ERR_NO_MEMORY, "%.100s", fault.text);
    return import_refuse_byte(
        d->im, BVP_ERR_CORRUPT,
        d->text_off + json_list_start(&d->nodes, (size_t)index) + fault.offset,
        "nodes[%" PRIu64 "]: %.100s; export the model again", index, fault.text);
}

/* A file may use its data many times; the memory for that stays in proportion to the file's size.
 */
bvp_status gltf_charge(gltf_document *d, const char *kind, uint64_t index, uint64_t bytes)
{
    if (bytes <= d->budget) {
        d->budget -= bytes;
        return BVP_OK;
    }
    return gltf_refuse(d, BVP_ERR_LIMIT, kind, index,
                       "the file would unfold to over 64 times its size; refer to meshes by "
                       "nodes instead of repeating them");
}

bvp_status gltf_name(gltf_document *d, const json_value *object, char **out)
{
    const json_value *name = json_tree_get(object, "name");
    if (json_tree_text_size(name) == 0)
        return BVP_OK;
    *out = import_text(json_tree_text(name), json_tree_text_size(name));
    return *out ? BVP_OK : import_no_memory(d->im);
}

/* ---- version and extensions ---------------------------------------------------------------- */

/* Extensions that are read where they are met, and those that do not change shapes or placements.
 */
static int is_known(const char *extension)
{
    static const char *const prefixes[] = {"KHR_mesh_quantization",
                                           "EXT_mesh_gpu_instancing",
                                           "EXT_meshopt_compression",
                                           "KHR_meshopt_compression",
                                           "KHR_draco_mesh_compression",
                                           "KHR_materials_",
                                           "KHR_texture_",
                                           "EXT_texture_",
                                           "MSFT_texture_",
                                           "KHR_lights_",
                                           "EXT_lights_",
                                           "KHR_xmp",
                                           "KHR_techniques_webgl",
                                           "KHR_animation_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(extension, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

/* ---- the container ------------------------------------------------------------------------- */

static uint32_t read_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The chunk at `offset`. */
static bvp_status read_chunk(importer *im, uint64_t offset, uint32_t type, const uint8_t **data,
                             uint64_t *size)
{
    assert(offset <= im->size);
    if (im->size - offset < 8)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, offset,
                                  "expected a chunk, found the end; the file is cut off, get it "
                                  "again");
    *size = read_u32(im->data + offset);
    if (*size > im->size - offset - 8)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, offset,
                                  "the chunk announces %" PRIu64 " bytes, but only %" PRIu64
                                  " follow; the file is cut off or damaged, get it again",
                                  *size, im->size - offset - 8);
    if (read_u32(im->data + offset + 4) != type)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, offset + 4,
                                  "expected chunk type %08" PRIx32 ", found %08" PRIx32
                                  "; export the model again",
                                  type, read_u32(im->data + offset + 4));
    *data = im->data + offset + 8;
    return BVP_OK;
}

/* The header; the JSON text; and the binary chunk if there is one. */
static bvp_status open_glb(gltf_document *d, const uint8_t **text, uint64_t *size)
{
    enum { HEADER = 12, CHUNK_HEADER = 8, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
    importer *im = d->im;
    if (im->size < HEADER)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, im->size,
                                  "expected a GLB header of 12 bytes; the file is cut off, get it "
                                  "again");
    const uint32_t version = read_u32(im->data + 4), length = read_u32(im->data + 8);
    if (version != 2)
        return import_refuse_byte(
            im, version > 2 ? BVP_ERR_NEWER : BVP_ERR_ARGUMENT, 4,
            "expected GLB version 2, found %" PRIu32 "; export the model as glTF 2.0", version);
    if (length != im->size)
        return import_refuse_byte(
            im, BVP_ERR_CORRUPT, length < im->size ? length : im->size,
            "the header announces %" PRIu32 " bytes, the file has %zu; %s", length, im->size,
            length > im->size ? "it is cut off, get it again"
                              : "something follows the model, export it again");
    bvp_status status = read_chunk(im, HEADER, JSON_CHUNK, text, size);
    const uint64_t next = HEADER + CHUNK_HEADER + *size;
    if (status == BVP_OK && next < im->size)
        status = read_chunk(im, next, BINARY_CHUNK, &d->chunk, &d->chunk_size);
    return status;
}

enum { SUNK_TEXT_MOST = 64 << 20 };

/* ---- the whole ----------------------------------------------------------------------------- */

bvp_status gltf_document_open(importer *im, gltf_document *d)
{
    const size_t mark = im->size >= 3 && memcmp(im->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const uint8_t *text = im->data + mark;
    uint64_t size = im->size - mark;
    json_fault fault;
    *d = (gltf_document){.im = im,
                         .is_binary = im->size >= 4 && memcmp(im->data, "glTF", 4) == 0,
                         .budget = 64 * (uint64_t)im->size + 1048576};
    bvp_status status = d->is_binary ? open_glb(d, &text, &size) : BVP_OK;
    if (status != BVP_OK)
        return status;
    assert(text >= im->data && size <= im->size - (uint64_t)(text - im->data));
    while (size > 0 && (text[size - 1] == '\0' || text[size - 1] == ' '))
        size--; /* the padding of a chunk */
    if (im->options->sink && size > SUNK_TEXT_MOST)
        return import_refuse(im, BVP_ERR_LIMIT,
                             "has over 64 MiB of JSON text, which is kept in memory; leave out "
                             "--memory");
    d->text_off = (uint64_t)(text - im->data);
    d->root = json_list_open((const char *)text, size, "nodes", &d->nodes, &fault);
    if (!d->root && fault.is_memory)
        return import_refuse(im, BVP_ERR_NO_MEMORY, "%.100s", fault.text);
    if (!d->root)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, d->text_off + fault.offset,
                                  "line %d of the JSON text: %.100s; export the model again",
                                  fault.line, fault.text);
    d->meshes = json_tree_get(d->root, "meshes");
    d->accessors = json_tree_get(d->root, "accessors");
    d->views = json_tree_get(d->root, "bufferViews");
    d->files = json_tree_get(d->root, "buffers");

    const json_value *asset = json_tree_get(d->root, "asset");
    const char *version = json_tree_text(json_tree_get(asset, "minVersion"));
    if (!version)
        version = json_tree_text(json_tree_get(asset, "version"));
    if (!version)
        return import_refuse(im, BVP_ERR_CORRUPT,
                             "expected a glTF model: its \"asset\" with a \"version\" is missing");
    if (strncmp(version, "2.", 2) != 0)
        return import_refuse(im, version[0] > '2' ? BVP_ERR_NEWER : BVP_ERR_ARGUMENT,
                             "expected glTF 2.0, found version %.16s; export the model as glTF 2.0",
                             version);
    const json_value *required = json_tree_get(d->root, "extensionsRequired");
    for (size_t i = 0; i < json_tree_size(required); i++) {
        const char *name = json_tree_text(json_tree_at(required, i));
        if (!name || !is_known(name))
            return import_refuse(im, BVP_ERR_ARGUMENT,
                                 "the model requires the extension %.60s, which is not supported; "
                                 "export it without (compressed models: decompress them first)",
                                 name ? name : "?");
    }
    return BVP_OK;
}

void gltf_document_close(gltf_document *d)
{
    json_list_close(&d->nodes);
    json_tree_close(d->root);
}
