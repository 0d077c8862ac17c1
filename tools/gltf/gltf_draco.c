/* SPDX-License-Identifier: MIT
 * gltf_draco.c: a glTF file's primitives that are compressed with Draco: bvpack-draco decodes them.
 * Spec: Khronos glTF 2.0, KHR_draco_mesh_compression
 *
 * Draco's decoder is large and in C++, so it runs in a process of its own, confined. Starting one
 * for each primitive would take longer than decoding: the first that is met has all streams of the
 * file decoded. One that is broken is refused when its primitive is read, so a broken one that
 * nothing refers to does no harm.
 */
#include "gltf/gltf_draco.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "import/import_draco.h"
#include "import/import_process.h"

#define EXTENSION "KHR_draco_mesh_compression"

/* A stream and what is taken of it; several primitives may have the same. */
struct gltf_draco_key {
    uint64_t view, position; /* bufferView; unique id of the positions' attribute */
    uint32_t most;           /* normalized positions are divided by this; 0: they are not */
};

void gltf_draco_open(gltf_accessors *accessors, gltf_draco *c)
{
    *c = (gltf_draco){.accessors = accessors};
}

void gltf_draco_close(gltf_draco *c)
{
    free(c->keys);
    model_free(&c->decoded);
}

static const json_value *positions_of(const gltf_document *d, const json_value *primitive)
{
    uint64_t index;
    const json_value *attributes = json_tree_get(primitive, "attributes");
    return json_tree_count(json_tree_get(attributes, "POSITION"), &index)
               ? json_tree_at(d->accessors, (size_t)index)
               : NULL;
}

const json_value *gltf_draco_of(const gltf_document *d, const json_value *primitive)
{
    if (json_tree_get(positions_of(d, primitive), "bufferView"))
        return NULL;
    return json_tree_get(json_tree_get(primitive, "extensions"), EXTENSION);
}

static bvp_status read_key(gltf_draco *c, uint64_t mesh, const json_value *primitive,
                           gltf_draco_key *out)
{
    gltf_document *d = c->accessors->doc;
    const json_value *extension = gltf_draco_of(d, primitive);
    const json_value *accessor = positions_of(d, primitive);
    uint64_t component;
    *out = (gltf_draco_key){0};
    bvp_status status =
        gltf_count(d, "meshes", mesh, extension, "bufferView", UINT64_MAX, &out->view);
    if (status == BVP_OK)
        status = gltf_count(d, "meshes", mesh, json_tree_get(extension, "attributes"), "POSITION",
                            UINT64_MAX, &out->position);
    if (status == BVP_OK)
        status = gltf_count(d, "meshes", mesh, accessor, "componentType", 0, &component);
    if (status == BVP_OK && out->position > UINT32_MAX)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "meshes", mesh,
                           "\"" EXTENSION "\" names no positions; export the model again");
    if (status == BVP_OK && json_tree_is_true(json_tree_get(accessor, "normalized")))
        out->most = component == COMPONENT_BYTE     ? INT8_MAX
                    : component == COMPONENT_UBYTE  ? UINT8_MAX
                    : component == COMPONENT_SHORT  ? INT16_MAX
                    : component == COMPONENT_USHORT ? UINT16_MAX
                                                    : 0;
    return status;
}

static int compare_keys(const void *a, const void *b)
{
    const gltf_draco_key *one = a, *other = b;
    if (one->view != other->view)
        return one->view < other->view ? -1 : 1;
    if (one->position != other->position)
        return one->position < other->position ? -1 : 1;
    return (one->most > other->most) - (one->most < other->most);
}

/* The streams that the file's primitives name, each once. */
static bvp_status collect_keys(gltf_draco *c)
{
    gltf_document *d = c->accessors->doc;
    size_t count = 0, kept = 0;
    bvp_status status = BVP_OK;
    for (int pass = 0; status == BVP_OK && pass < 2; pass++) {
        if (pass == 1 && !(c->keys = calloc(count + 1, sizeof *c->keys)))
            return import_no_memory(d->im);
        for (size_t i = 0; i < json_tree_size(d->meshes); i++) {
            const json_value *list = json_tree_get(json_tree_at(d->meshes, i), "primitives");
            for (size_t k = 0; status == BVP_OK && k < json_tree_size(list); k++) {
                const json_value *primitive = json_tree_at(list, k);
                if (!gltf_draco_of(d, primitive))
                    continue;
                if (pass == 0)
                    count++;
                else
                    status = read_key(c, i, primitive, &c->keys[c->count++]);
            }
        }
    }
    if (status != BVP_OK)
        return status;
    assert(c->count == count);
    qsort(c->keys, count, sizeof *c->keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_keys(&c->keys[i], &c->keys[kept - 1]) != 0)
            c->keys[kept++] = c->keys[i];
    c->count = kept;
    return BVP_OK;
}

/* Appends a stream to `list`, or only counts its bytes when there is none. Views may overlap, so
 * the document's budget bounds what they come to. */
static bvp_status add_stream(gltf_draco *c, const gltf_draco_key *key, uint8_t *list, size_t *used)
{
    gltf_document *d = c->accessors->doc;
    const uint8_t *data;
    import_draco_stream stream = {.position = (uint32_t)key->position};
    uint64_t stride;
    bvp_status status =
        gltf_view_open(&c->accessors->views, key->view, 0, &data, &stream.size, &stride);
    if (status == BVP_OK && !list)
        status = gltf_charge(d, "bufferViews", key->view, stream.size);
    if (status != BVP_OK)
        return status;
    if (list) {
        memcpy(list + *used, &stream, sizeof stream);
        memcpy(list + *used + sizeof stream, data, (size_t)stream.size);
    }
    *used += sizeof stream + (size_t)stream.size;
    *used += (IMPORT_DRACO_ALIGN - *used % IMPORT_DRACO_ALIGN) % IMPORT_DRACO_ALIGN;
    return BVP_OK;
}

/* Has bvpack-draco decode the list. */
static bvp_status decode_list(gltf_draco *c, const uint8_t *list, size_t size)
{
    gltf_document *d = c->accessors->doc;
    import_options options = *d->im->options;
    options.file = NULL; /* a copy of the list is what it gets */
    options.path = NULL;
    importer im = *d->im;
    im.data = list;
    im.size = size;
    im.dir = NULL;
    im.format = "draco";
    im.options = &options;
    im.out = &c->decoded;
    const bvp_status status = import_draco(&im);
    if (status != BVP_OK)
        return status;
    uint64_t floats = 0;
    for (uint32_t i = 0; i < c->decoded.mesh_count; i++)
        floats += !c->decoded.meshes[i].is_double;
    if (floats != c->count || c->decoded.mesh_count != c->count)
        return import_refuse(d->im, BVP_ERR_CORRUPT,
                             "bvpack-draco does not answer as it should; is it of this version of "
                             "bvpack?");
    for (size_t i = 0; i < c->count; i++) {
        const model_mesh *mesh = &c->decoded.meshes[i];
        float *positions = mesh->positions, most = (float)c->keys[i].most;
        for (uint64_t k = 0; most > 0 && k < 3 * mesh->vertex_count; k++)
            positions[k] = positions[k] / most < -1 ? -1 : positions[k] / most;
    }
    return BVP_OK;
}

static bvp_status decode_all(gltf_draco *c)
{
    uint8_t *list = NULL;
    size_t size = 0;
    bvp_status status = collect_keys(c);
    for (int pass = 0; status == BVP_OK && pass < 2; pass++) {
        if (pass == 1 && !(list = calloc(1, size + 1)))
            return import_no_memory(c->accessors->doc->im);
        size = 0;
        for (size_t i = 0; status == BVP_OK && i < c->count; i++)
            status = add_stream(c, &c->keys[i], list, &size);
    }
    if (status == BVP_OK)
        status = decode_list(c, list, size);
    free(list);
    c->is_decoded = status == BVP_OK;
    return status;
}

bvp_status gltf_draco_read(gltf_draco *c, uint64_t mesh, const json_value *primitive,
                           accessor *positions, accessor *indices)
{
    gltf_document *d = c->accessors->doc;
    gltf_draco_key key;
    bvp_status status = c->is_decoded ? BVP_OK : decode_all(c);
    if (status == BVP_OK)
        status = read_key(c, mesh, primitive, &key);
    if (status != BVP_OK)
        return status;
    const gltf_draco_key *found = bsearch(&key, c->keys, c->count, sizeof key, compare_keys);
    assert(found); /* of every primitive of the file */
    const model_mesh *from = &c->decoded.meshes[found - c->keys];
    if (from->name)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "meshes", mesh,
                           "Draco can't decode it (%.100s); export the model again", from->name);
    /* triangles cost less than a byte in the file; what they unfold to has been bounded by the
     * process's memory */
    d->budget += 3 * sizeof(uint32_t) * from->triangle_count;
    *positions = (accessor){.data = from->positions,
                            .count = from->vertex_count,
                            .stride = 3 * sizeof(float),
                            .component = COMPONENT_FLOAT,
                            .width = 3};
    *indices = (accessor){.data = (const uint8_t *)from->indices,
                          .count = 3 * from->triangle_count,
                          .stride = sizeof(uint32_t),
                          .component = COMPONENT_UINT,
                          .width = 1};
    return BVP_OK;
}
