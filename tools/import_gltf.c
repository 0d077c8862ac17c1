/* SPDX-License-Identifier: MIT
 * import_gltf.c: glTF 2.0 and its binary form GLB: the default scene's nodes and their meshes.
 * Spec: Khronos glTF 2.0; KHR_mesh_quantization
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "accessor.h"
#include "import.h"
#include "transform.h"
#include "uri.h"

enum { NOT_READ, READ, NO_TRIANGLES }; /* what became of a mesh */

/* Elements of the file that are opened when something first refers to them. */
typedef struct buffer {
    int opened;
    const uint8_t *data;
    uint64_t size;
    uri_bytes bytes; /* what `data` points into, unless that is the input */
} buffer;

typedef struct slot {
    int opened;
    accessor view;
    uint8_t *owned; /* the elements of a sparse accessor */
} slot;

typedef struct mesh_slot {
    int state;
    uint32_t mesh; /* in the model, when READ */
} mesh_slot;

typedef struct gltf {
    importer *im;
    json_t *root;
    const uint8_t *chunk; /* the GLB's binary chunk, or NULL */
    uint64_t chunk_size;
    const json_t *nodes, *meshes, *accessors, *views, *files; /* arrays, or NULL */
    buffer *buffers;
    slot *slots;
    mesh_slot *mesh_slots;
    uint64_t budget; /* bytes that may still be made of the file's bytes */
    /* vertices of the primitive that is being read: local number of each source vertex */
    uint32_t *renamed, *stamps;
    size_t renamed_capacity, stamps_capacity;
    uint32_t stamp;
} gltf;

/* ---- looking into JSON --------------------------------------------------------------------------
 */

/* "NAME: accessors[3]: MESSAGE" */
static bvp_status refuse_element(gltf *g, bvp_status status, const char *kind, uint64_t index,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));
static bvp_status refuse_element(gltf *g, bvp_status status, const char *kind, uint64_t index,
                                 const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return import_refuse(g->im, status, "%s[%" PRIu64 "]: %s", kind, index, text);
}

/* Some writers print integers with a point. */
static int to_count(const json_t *value, uint64_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return 1;
    }
    double real = json_is_real(value) ? json_real_value(value) : -1;
    if (real >= 0 && real < 9e15 && real == floor(real)) {
        *out = (uint64_t)real;
        return 1;
    }
    return 0;
}

/* object[key] as a count; `otherwise` when it is missing. */
static bvp_status get_count(gltf *g, const char *kind, uint64_t index, const json_t *object,
                            const char *key, uint64_t otherwise, uint64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = otherwise;
    if (!value || to_count(value, out))
        return BVP_OK;
    return refuse_element(g, BVP_ERR_CORRUPT, kind, index,
                          "\"%s\": expected a whole number that is not negative; export the model "
                          "again",
                          key);
}

/* array[index] as an object. */
static bvp_status get_element(gltf *g, const char *kind, const json_t *array, uint64_t index,
                              const json_t **out)
{
    *out = index < json_array_size(array) ? json_array_get(array, (size_t)index) : NULL;
    if (json_is_object(*out))
        return BVP_OK;
    return refuse_element(g, BVP_ERR_CORRUPT, kind, index,
                          "is referred to, but the file has only %zu; export the model again",
                          json_array_size(array));
}

static int get_numbers(const json_t *array, size_t count, double *out)
{
    if (!json_is_array(array) || json_array_size(array) != count)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value))
            return 0;
        out[i] = json_number_value(value);
    }
    return 1;
}

/* ---- buffers ------------------------------------------------------------------------------------
 */

static bvp_status refuse_uri(gltf *g, uint64_t index, uri_result result, const char *uri)
{
    switch (result) {
    case URI_NO_MEMORY:
        return import_no_memory(g->im);
    case URI_BAD_BASE64:
        return refuse_element(g, BVP_ERR_CORRUPT, "buffers", index,
                              "expected base64 data; export the model again");
    case URI_FORBIDDEN:
        return refuse_element(g, BVP_ERR_ARGUMENT, "buffers", index,
                              "expected a file in the model's folder, found \"%.60s\"; pack the "
                              "model from a file beside its buffers",
                              uri);
    default:
        refuse_element(g, BVP_ERR_SYSTEM, "buffers", index, "\"%.60s\" can't be read: %s", uri,
                       strerror(errno));
        g->im->error->sys_errno = errno;
        return BVP_ERR_SYSTEM;
    }
}

/* Where the buffer's bytes are, before its own length is looked at. */
static bvp_status locate_buffer(gltf *g, uint64_t index, const json_t *object, buffer *b)
{
    const json_t *uri = json_object_get(object, "uri");
    if (json_is_string(uri)) {
        uri_result result = uri_open(json_string_value(uri), g->im->dir, &b->bytes);
        if (result != URI_OK)
            return refuse_uri(g, index, result, json_string_value(uri));
        b->data = b->bytes.data;
        b->size = b->bytes.size;
        g->budget += 64 * b->size;
        if (b->bytes.mapped)
            return import_note_file(g->im, json_string_value(uri), b->data, b->size);
        return BVP_OK;
    }
    if (index != 0 || !g->chunk)
        return refuse_element(g, BVP_ERR_CORRUPT, "buffers", index,
                              "has neither \"uri\" nor a binary chunk; if the model is compressed "
                              "(meshopt), decompress it first");
    b->data = g->chunk;
    b->size = g->chunk_size;
    return BVP_OK;
}

static bvp_status open_buffer(gltf *g, uint64_t index, const buffer **out)
{
    const json_t *object;
    uint64_t length = 0;
    bvp_status status = get_element(g, "buffers", g->files, index, &object);
    if (status != BVP_OK)
        return status;
    buffer *b = &g->buffers[index];
    *out = b;
    if (b->opened)
        return BVP_OK;
    status = get_count(g, "buffers", index, object, "byteLength", 0, &length);
    if (status == BVP_OK)
        status = locate_buffer(g, index, object, b);
    if (status != BVP_OK)
        return status;
    if (length > b->size)
        return refuse_element(g, BVP_ERR_CORRUPT, "buffers", index,
                              "expected %" PRIu64 " bytes, found %" PRIu64
                              "; the data are cut off, get them again",
                              length, b->size);
    b->size = length;
    b->opened = 1;
    return BVP_OK;
}

/* The bytes of a view from `offset` on, at least `size` of them; *stride: 0 when it has none. */
static bvp_status open_view(gltf *g, uint64_t index, uint64_t offset, const uint8_t **data,
                            uint64_t *size, uint64_t *stride)
{
    const json_t *object;
    const buffer *b;
    uint64_t file, start, length;
    bvp_status status = get_element(g, "bufferViews", g->views, index, &object);
    if (status == BVP_OK)
        status = get_count(g, "bufferViews", index, object, "buffer", UINT64_MAX, &file);
    if (status == BVP_OK)
        status = get_count(g, "bufferViews", index, object, "byteOffset", 0, &start);
    if (status == BVP_OK)
        status = get_count(g, "bufferViews", index, object, "byteLength", 0, &length);
    if (status == BVP_OK)
        status = get_count(g, "bufferViews", index, object, "byteStride", 0, stride);
    if (status == BVP_OK)
        status = open_buffer(g, file, &b);
    if (status != BVP_OK)
        return status;
    if (start > b->size || length > b->size - start)
        return refuse_element(g, BVP_ERR_CORRUPT, "bufferViews", index,
                              "bytes %" PRIu64 " to %" PRIu64 " lie outside its buffer of %" PRIu64
                              " bytes; export the model again",
                              start, start + length, b->size);
    if (offset > length)
        return refuse_element(g, BVP_ERR_CORRUPT, "bufferViews", index,
                              "byte offset %" PRIu64 " lies outside its %" PRIu64
                              " bytes; export the model again",
                              offset, length);
    *data = b->data + start + offset;
    *size = length - offset;
    return BVP_OK;
}

/* ---- accessors ----------------------------------------------------------------------------------
 */

/* Files may use their data many times over; what that takes stays in proportion to their size. */
static bvp_status charge(gltf *g, const char *kind, uint64_t index, uint64_t bytes)
{
    if (bytes <= g->budget) {
        g->budget -= bytes;
        return BVP_OK;
    }
    return refuse_element(g, BVP_ERR_LIMIT, kind, index,
                          "the file would unfold to over 64 times its size; refer to meshes by "
                          "nodes instead of repeating them");
}

static bvp_status check_room(gltf *g, uint64_t index, uint64_t count, uint64_t stride,
                             uint64_t element, uint64_t size)
{
    if (count == 0 || (size >= element && (count - 1) <= (size - element) / stride))
        return BVP_OK;
    return refuse_element(g, BVP_ERR_CORRUPT, "accessors", index,
                          "%" PRIu64 " elements of %" PRIu64 " bytes do not fit in the %" PRIu64
                          " bytes of its buffer view; export the model again",
                          count, stride, size);
}

/* A view of `count` elements as an accessor; a and its type are set already. */
static bvp_status place_elements(gltf *g, uint64_t index, const json_t *where, accessor *a)
{
    uint64_t view, offset, size = 0, element = component_size(a->component) * (uint64_t)a->width;
    if (!json_object_get(where, "bufferView"))
        return refuse_element(g, BVP_ERR_CORRUPT, "accessors", index,
                              "has no buffer view; if the model is compressed, export it without "
                              "compression");
    bvp_status status = get_count(g, "accessors", index, where, "bufferView", 0, &view);
    if (status == BVP_OK)
        status = get_count(g, "accessors", index, where, "byteOffset", 0, &offset);
    if (status == BVP_OK)
        status = open_view(g, view, offset, &a->data, &size, &a->stride);
    if (status != BVP_OK)
        return status;
    if (a->stride == 0)
        a->stride = element;
    if (a->stride < element)
        return refuse_element(g, BVP_ERR_CORRUPT, "accessors", index,
                              "elements of %" PRIu64 " bytes overlap: their stride is %" PRIu64,
                              element, a->stride);
    return check_room(g, index, a->count, a->stride, element, size);
}

/* Replaces the elements that "sparse" lists in the dense copy. */
static bvp_status apply_sparse(gltf *g, uint64_t index, const json_t *sparse, const accessor *a,
                               uint8_t *dense)
{
    const json_t *where = json_object_get(sparse, "indices");
    accessor at = {.width = 1}, values = *a;
    uint64_t component, element = a->stride;
    bvp_status status = get_count(g, "accessors", index, sparse, "count", 0, &at.count);
    if (status == BVP_OK)
        status = get_count(g, "accessors", index, where, "componentType", 0, &component);
    if (status != BVP_OK)
        return status;
    if (component != COMPONENT_UBYTE && component != COMPONENT_USHORT &&
        component != COMPONENT_UINT)
        return refuse_element(g, BVP_ERR_CORRUPT, "accessors", index,
                              "sparse indices have the unknown component type %" PRIu64, component);
    at.component = (uint32_t)component;
    values.count = at.count;
    status = place_elements(g, index, where, &at);
    if (status == BVP_OK)
        status = place_elements(g, index, json_object_get(sparse, "values"), &values);
    for (uint64_t i = 0; status == BVP_OK && i < at.count; i++) {
        uint32_t to = accessor_index(&at, i);
        if (to >= a->count)
            return refuse_element(g, BVP_ERR_CORRUPT, "accessors", index,
                                  "sparse index %" PRIu32 " lies beyond its %" PRIu64
                                  " elements; export the model again",
                                  to, a->count);
        memcpy(dense + to * element, values.data + i * values.stride, element);
    }
    return status;
}

/* Zeros, or the elements of its view, with those of "sparse" put over them. */
static bvp_status make_dense(gltf *g, uint64_t index, const json_t *sparse, slot *s)
{
    accessor *a = &s->view;
    uint64_t element = component_size(a->component) * (uint64_t)a->width;
    if (a->count > UINT64_MAX / 2 / element)
        return charge(g, "accessors", index, UINT64_MAX);
    bvp_status status = charge(g, "accessors", index, a->count * element);
    if (status != BVP_OK)
        return status;
    s->owned = calloc(a->count ? a->count : 1, element);
    if (!s->owned)
        return import_no_memory(g->im);
    for (uint64_t i = 0; a->data && i < a->count; i++)
        memcpy(s->owned + i * element, a->data + i * a->stride, element);
    a->data = s->owned;
    a->stride = element;
    return apply_sparse(g, index, sparse, a, s->owned);
}

static bvp_status open_accessor(gltf *g, uint64_t index, const accessor **out)
{
    const json_t *object;
    uint64_t component;
    bvp_status status = get_element(g, "accessors", g->accessors, index, &object);
    if (status != BVP_OK)
        return status;
    slot *s = &g->slots[index];
    accessor *a = &s->view;
    *out = a;
    if (s->opened)
        return BVP_OK;
    const char *type = json_string_value(json_object_get(object, "type"));
    const json_t *sparse = json_object_get(object, "sparse");
    status = get_count(g, "accessors", index, object, "componentType", 0, &component);
    if (status == BVP_OK)
        status = get_count(g, "accessors", index, object, "count", 0, &a->count);
    if (status != BVP_OK)
        return status;
    a->component = (uint32_t)component;
    a->width = type ? element_width(type) : 0;
    a->normalized = json_is_true(json_object_get(object, "normalized"));
    if (component_size(component) == 0 || a->width == 0)
        return refuse_element(g, BVP_ERR_CORRUPT, "accessors", index,
                              "unknown component type %" PRIu64 " or type \"%.16s\"; export the "
                              "model again",
                              component, type ? type : "");
    if (!sparse || json_object_get(object, "bufferView"))
        status = place_elements(g, index, object, a);
    if (status == BVP_OK && sparse)
        status = make_dense(g, index, sparse, s);
    s->opened = status == BVP_OK;
    return status;
}

/* ---- meshes -------------------------------------------------------------------------------------
 */

typedef struct primitive {
    uint64_t mesh_index;                 /* in the file */
    uint64_t first;                      /* triangle number of its first one */
    uint64_t mode, count;                /* triangles */
    const accessor *positions, *indices; /* indices may be NULL */
} primitive;

/* A mesh under construction. */
typedef struct growing {
    float *positions;
    uint32_t *corners, *ids;
    size_t vertex_count, vertex_capacity, count, corner_capacity, id_capacity;
    uint64_t dropped;
} growing;

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

/* The source vertex at corner 0 .. 2 of the primitive's triangle t: glTF 2.0, 3.7.2.1 */
static uint64_t corner_of(const primitive *p, uint64_t t, unsigned corner)
{
    uint64_t at = p->mode == MODE_TRIANGLES ? 3 * t + corner
                  : p->mode == MODE_FAN     ? (corner == 2 ? 0 : t + 1 + corner)
                  : corner == 0             ? t
                                            : t + (corner == 1 ? 1 + (t & 1) : 2 - (t & 1));
    return p->indices ? accessor_index(p->indices, at) : at;
}

/* The local number of source vertex v, which is copied when it is met first. */
static int use_vertex(gltf *g, growing *to, const primitive *p, uint64_t v, uint32_t *local)
{
    if (g->stamps[v] != g->stamp) {
        size_t coordinates = 3 * to->vertex_capacity;
        if (import_grow(&to->positions, &coordinates, 3 * (to->vertex_count + 1), sizeof(float)))
            return -1;
        to->vertex_capacity = coordinates / 3;
        accessor_position(p->positions, v, to->positions + 3 * to->vertex_count);
        g->stamps[v] = g->stamp;
        g->renamed[v] = (uint32_t)to->vertex_count++;
    }
    *local = g->renamed[v];
    return 0;
}

static bvp_status refuse_corner(gltf *g, const primitive *p, uint64_t t, uint64_t v)
{
    if (v >= p->positions->count)
        return refuse_element(g, BVP_ERR_CORRUPT, "meshes", p->mesh_index,
                              "triangle %" PRIu64 ": index %" PRIu64 " lies beyond its %" PRIu64
                              " vertices; repair the model or leave such triangles out with "
                              "--drop-invalid",
                              p->first + t, v, p->positions->count);
    return refuse_element(g, BVP_ERR_ARGUMENT, "meshes", p->mesh_index,
                          "triangle %" PRIu64 ": vertex %" PRIu64
                          " is not finite; repair the model "
                          "or leave such triangles out with --drop-invalid",
                          p->first + t, v);
}

static bvp_status add_triangle(gltf *g, growing *to, const primitive *p, uint64_t t)
{
    if (import_grow(&to->corners, &to->corner_capacity, 3 * (to->count + 1), sizeof(uint32_t)) ||
        import_grow(&to->ids, &to->id_capacity, to->count + 1, sizeof(uint32_t)))
        return import_no_memory(g->im);
    uint32_t *corners = to->corners + 3 * to->count;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t v = corner_of(p, t, i);
        int valid = v < p->positions->count;
        if (valid && use_vertex(g, to, p, v, &corners[i]) != 0)
            return import_no_memory(g->im);
        const float *at = valid ? to->positions + 3 * corners[i] : NULL;
        if (valid && isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]))
            continue;
        if (!g->im->options->drop_invalid)
            return refuse_corner(g, p, t, v);
        to->dropped++;
        return BVP_OK;
    }
    to->ids[to->count++] = (uint32_t)(p->first + t);
    return BVP_OK;
}

/* A new set of marks, for a primitive with that many source vertices. */
static bvp_status begin_stamps(gltf *g, uint64_t count)
{
    size_t had = g->stamps_capacity;
    if (count > UINT32_MAX)
        return import_refuse(g->im, BVP_ERR_LIMIT, "a mesh has over 2^32 - 1 vertices; split it");
    if (import_grow(&g->renamed, &g->renamed_capacity, count, sizeof(uint32_t)) != 0 ||
        import_grow(&g->stamps, &g->stamps_capacity, count, sizeof(uint32_t)) != 0)
        return import_no_memory(g->im);
    if (g->stamps_capacity > had)
        memset(g->stamps + had, 0, (g->stamps_capacity - had) * sizeof(uint32_t));
    g->stamp++;
    return BVP_OK;
}

static bvp_status add_triangles(gltf *g, growing *to, const primitive *p)
{
    if (p->first + p->count > UINT32_MAX / 3)
        return refuse_element(g, BVP_ERR_LIMIT, "meshes", p->mesh_index,
                              "has over 1,431,655,765 triangles; split it");
    bvp_status status = charge(g, "meshes", p->mesh_index, p->count * 12);
    if (status == BVP_OK)
        status = begin_stamps(g, p->positions->count);
    for (uint64_t t = 0; status == BVP_OK && t < p->count; t++)
        status = add_triangle(g, to, p, t);
    return status;
}

/* POSITION and indices of a primitive, of the types that they may have. */
static bvp_status open_primitive(gltf *g, const json_t *object, uint64_t position, primitive *p)
{
    uint64_t index;
    bvp_status status = open_accessor(g, position, &p->positions);
    if (status != BVP_OK)
        return status;
    if (p->positions->width != 3 || p->positions->component == COMPONENT_UINT)
        return refuse_element(g, BVP_ERR_CORRUPT, "accessors", position,
                              "expected positions: VEC3 of floats, or of integers of 8 or 16 bits; "
                              "export the model again");
    p->indices = NULL;
    if (!json_object_get(object, "indices"))
        return BVP_OK;
    status = get_count(g, "meshes", p->mesh_index, object, "indices", 0, &index);
    if (status == BVP_OK)
        status = open_accessor(g, index, &p->indices);
    if (status != BVP_OK)
        return status;
    uint32_t type = p->indices->component;
    if (p->indices->width == 1 &&
        (type == COMPONENT_UBYTE || type == COMPONENT_USHORT || type == COMPONENT_UINT))
        return BVP_OK;
    return refuse_element(g, BVP_ERR_CORRUPT, "accessors", index,
                          "expected indices: SCALAR of unsigned integers; export the model again");
}

/* Compressed geometry can be read only where the file holds it uncompressed too. */
static bvp_status refuse_draco(gltf *g, const json_t *object, uint64_t mesh, uint64_t position)
{
    const json_t *extensions = json_object_get(object, "extensions");
    const json_t *accessor_object = json_array_get(g->accessors, (size_t)position);
    if (!json_object_get(extensions, "KHR_draco_mesh_compression") ||
        json_object_get(accessor_object, "bufferView"))
        return BVP_OK;
    return refuse_element(g, BVP_ERR_ARGUMENT, "meshes", mesh,
                          "is compressed with Draco; export the model without compression");
}

static bvp_status read_primitive(gltf *g, const json_t *object, uint64_t mesh, uint64_t *first,
                                 growing *to)
{
    primitive p = {.mesh_index = mesh, .first = *first};
    const json_t *attributes = json_object_get(object, "attributes");
    uint64_t position;
    bvp_status status = get_count(g, "meshes", mesh, object, "mode", MODE_TRIANGLES, &p.mode);
    if (status == BVP_OK && p.mode > MODE_FAN)
        return refuse_element(g, BVP_ERR_CORRUPT, "meshes", mesh,
                              "unknown primitive mode %" PRIu64 "; export the model again", p.mode);
    if (status == BVP_OK && p.mode < MODE_TRIANGLES)
        return import_warn(g->im, 1, "primitives of points or lines left out");
    if (status == BVP_OK && !json_object_get(attributes, "POSITION"))
        return import_warn(g->im, 1, "primitives without positions left out");
    if (status == BVP_OK && json_array_size(json_object_get(object, "targets")) > 0)
        status = import_warn(g->im, 1, "morphed primitives taken in their basic form");
    if (status == BVP_OK)
        status = get_count(g, "meshes", mesh, attributes, "POSITION", 0, &position);
    if (status == BVP_OK)
        status = refuse_draco(g, object, mesh, position);
    if (status == BVP_OK)
        status = open_primitive(g, object, position, &p);
    if (status != BVP_OK)
        return status;
    uint64_t corners = p.indices ? p.indices->count : p.positions->count;
    p.count = p.mode == MODE_TRIANGLES ? corners / 3 : corners < 3 ? 0 : corners - 2;
    if (p.mode == MODE_TRIANGLES && corners % 3 != 0)
        status = import_warn(g->im, 1, "primitives with corners left over after the last triangle");
    if (status == BVP_OK)
        status = add_triangles(g, to, &p);
    *first += p.count;
    return status;
}

/* Hands the triangles over to a new mesh of the model. */
static bvp_status finish_mesh(gltf *g, const json_t *object, growing *from, mesh_slot *s)
{
    static const char *const dropped = "triangles that are not finite or have bad indices left out";
    const json_t *name = json_object_get(object, "name");
    bvp_status status = import_warn(g->im, from->dropped, dropped);
    if (status != BVP_OK)
        return status;
    if (from->count == 0) {
        s->state = NO_TRIANGLES;
        return import_warn(g->im, 1, "meshes without triangles left out");
    }
    model_mesh *mesh = import_add_mesh(g->im);
    if (!mesh)
        return import_no_memory(g->im);
    s->state = READ;
    s->mesh = g->im->out->mesh_count - 1;
    mesh->positions = from->positions;
    mesh->vertex_count = from->vertex_count;
    mesh->indices = from->corners;
    mesh->triangle_count = from->count;
    if (from->dropped > 0) {
        mesh->ids = from->ids;
        from->ids = NULL;
    }
    from->positions = NULL;
    from->corners = NULL;
    if (json_is_string(name) && json_string_length(name) > 0) {
        mesh->name = import_text(json_string_value(name), json_string_length(name));
        if (!mesh->name)
            return import_no_memory(g->im);
    }
    return BVP_OK;
}

static bvp_status open_mesh(gltf *g, uint64_t index, const mesh_slot **out)
{
    const json_t *object;
    bvp_status status = get_element(g, "meshes", g->meshes, index, &object);
    if (status != BVP_OK)
        return status;
    mesh_slot *s = &g->mesh_slots[index];
    *out = s;
    if (s->state != NOT_READ)
        return BVP_OK;
    const json_t *primitives = json_object_get(object, "primitives");
    growing to = {0};
    uint64_t first = 0;
    for (size_t i = 0; status == BVP_OK && i < json_array_size(primitives); i++)
        status = read_primitive(g, json_array_get(primitives, i), index, &first, &to);
    if (status == BVP_OK)
        status = finish_mesh(g, object, &to, s);
    free(to.positions);
    free(to.corners);
    free(to.ids);
    return status;
}

/* ---- nodes --------------------------------------------------------------------------------------
 */

static bvp_status refuse_placement(gltf *g, uint64_t index, const char *what)
{
    const json_t *name = json_object_get(json_array_get(g->nodes, (size_t)index), "name");
    return refuse_element(g, BVP_ERR_ARGUMENT, "nodes", index, "\"%.40s\" %s",
                          json_is_string(name) ? json_string_value(name) : "", what);
}

static bvp_status read_placement(gltf *g, uint64_t index, const json_t *object, double out[12])
{
    const json_t *matrix = json_object_get(object, "matrix");
    const json_t *move = json_object_get(object, "translation");
    const json_t *turn = json_object_get(object, "rotation");
    const json_t *scale = json_object_get(object, "scale");
    double columns[16], m[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (matrix && !get_numbers(matrix, 16, columns))
        return refuse_placement(g, index, "has a matrix that is not 16 numbers; export it again");
    if (matrix && transform_from_columns(columns, out) != 0)
        return refuse_placement(g, index,
                                "has a matrix whose last row is not 0 0 0 1: only affine "
                                "placements are possible");
    if (matrix)
        return BVP_OK;
    if ((move && !get_numbers(move, 3, m)) || (turn && !get_numbers(turn, 4, q)) ||
        (scale && !get_numbers(scale, 3, s)))
        return refuse_placement(g, index,
                                "has a translation, rotation or scale that is not 3, 4 "
                                "and 3 numbers; export it again");
    transform_from_trs(m, q, s, out);
    return BVP_OK;
}

/* A string as it is, anything else as JSON text. */
static char *property_text(const json_t *value)
{
    if (json_is_string(value))
        return import_text(json_string_value(value), json_string_length(value));
    return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
}

static int add_property(model_node *node, const char *key, const json_t *value)
{
    size_t size = (node->property_count + 1) * sizeof *node->properties;
    model_property *larger = realloc(node->properties, size);
    if (!larger)
        return -1;
    node->properties = larger;
    model_property *added = &larger[node->property_count];
    added->key = import_text(key, strlen(key));
    added->value = property_text(value);
    node->property_count++;
    return added->key && added->value ? 0 : -1;
}

static int read_extras(model_node *node, const json_t *extras)
{
    const char *key;
    json_t *value;
    if (extras && !json_is_object(extras))
        return add_property(node, "extras", extras);
    json_object_foreach((json_t *)extras, key, value)
    {
        if (add_property(node, key, value) != 0)
            return -1;
    }
    return 0;
}

static bvp_status read_mesh_of_node(gltf *g, const json_t *object, uint64_t index, model_node *node)
{
    uint64_t mesh;
    const mesh_slot *s;
    if (!json_object_get(object, "mesh"))
        return BVP_OK;
    bvp_status status = get_count(g, "nodes", index, object, "mesh", 0, &mesh);
    if (status == BVP_OK && json_object_get(object, "skin"))
        status = import_warn(g->im, 1, "skinned nodes taken in their basic form");
    if (status == BVP_OK)
        status = open_mesh(g, mesh, &s);
    if (status == BVP_OK && s->state == READ)
        node->mesh = s->mesh;
    return status;
}

/* *kept: 0 when the node and all below it are left out. */
static bvp_status read_node(gltf *g, uint64_t index, uint32_t parent, int *kept)
{
    const json_t *object = json_array_get(g->nodes, (size_t)index);
    const json_t *name = json_object_get(object, "name");
    double placement[12];
    bvp_status status = read_placement(g, index, object, placement);
    if (status != BVP_OK)
        return status;
    *kept = transform_is_usable(placement);
    if (!*kept && g->im->options->drop_invalid)
        return import_warn(g->im, 1, "nodes with singular placements left out, with those below");
    if (!*kept)
        return refuse_placement(g, index,
                                "has a placement that is singular or not finite; repair "
                                "it or leave such nodes out with --drop-invalid");
    if (json_object_get(json_object_get(object, "extensions"), "EXT_mesh_gpu_instancing"))
        return refuse_placement(g, index,
                                "uses EXT_mesh_gpu_instancing; export the instances as "
                                "nodes");
    model_node *node = import_add_node(g->im);
    if (!node)
        return import_no_memory(g->im);
    node->parent = parent;
    memcpy(node->placement, placement, sizeof placement);
    if (json_is_string(name) && json_string_length(name) > 0 &&
        !(node->name = import_text(json_string_value(name), json_string_length(name))))
        return import_no_memory(g->im);
    if (read_extras(node, json_object_get(object, "extras")) != 0)
        return import_no_memory(g->im);
    return read_mesh_of_node(g, object, index, node);
}

/* ---- the tree -----------------------------------------------------------------------------------
 */

/* Nodes that are still to be read, each at most once: so the stack needs no more room. */
typedef struct walk {
    struct pending {
        uint32_t node, parent; /* in the file; in the model */
    } * stack;
    size_t depth;
    uint8_t *met; /* for each node of the file */
} walk;

/* Puts a list of nodes on the stack, the first one on top. */
static bvp_status push_nodes(gltf *g, walk *w, const json_t *list, uint32_t parent)
{
    for (size_t i = json_array_size(list); i-- > 0;) {
        const json_t *object;
        uint64_t index;
        if (!to_count(json_array_get(list, i), &index))
            index = UINT64_MAX;
        bvp_status status = get_element(g, "nodes", g->nodes, index, &object);
        if (status != BVP_OK)
            return status;
        if (w->met[index])
            return refuse_element(g, BVP_ERR_CORRUPT, "nodes", index,
                                  "is reached twice: expected a tree, found a cycle or a node with "
                                  "two parents; export the model again");
        w->met[index] = 1;
        w->stack[w->depth++] = (struct pending){(uint32_t)index, parent};
    }
    return BVP_OK;
}

static bvp_status walk_nodes(gltf *g, walk *w)
{
    bvp_status status = BVP_OK;
    size_t total = json_array_size(g->nodes), done = 0;
    while (status == BVP_OK && w->depth > 0) {
        struct pending next = w->stack[--w->depth];
        int kept = 0;
        status = read_node(g, next.node, next.parent, &kept);
        const json_t *object = json_array_get(g->nodes, next.node);
        if (status == BVP_OK && kept)
            status =
                push_nodes(g, w, json_object_get(object, "children"), g->im->out->node_count - 1);
        if (++done % 256 == 0)
            import_progress(g->im, done, total);
    }
    return status;
}

/* Without scenes the file is a library: its nodes that are nobody's children are the roots. */
static bvp_status push_all_roots(gltf *g, walk *w)
{
    size_t count = json_array_size(g->nodes);
    uint8_t *is_child = calloc(count + 1, 1);
    json_t *roots = json_array();
    bvp_status status = is_child && roots ? BVP_OK : import_no_memory(g->im);
    for (size_t i = 0; status == BVP_OK && i < count; i++) {
        const json_t *children = json_object_get(json_array_get(g->nodes, i), "children");
        for (size_t k = 0; k < json_array_size(children); k++) {
            uint64_t child;
            if (to_count(json_array_get(children, k), &child) && child < count)
                is_child[child] = 1;
        }
    }
    for (size_t i = 0; status == BVP_OK && i < count; i++)
        if (!is_child[i] && json_array_append_new(roots, json_integer((json_int_t)i)) != 0)
            status = import_no_memory(g->im);
    if (status == BVP_OK)
        status = push_nodes(g, w, roots, BVP_NONE);
    free(is_child);
    json_decref(roots);
    return status;
}

static bvp_status push_scene(gltf *g, walk *w)
{
    const json_t *scenes = json_object_get(g->root, "scenes"), *scene;
    uint64_t index;
    if (json_array_size(scenes) == 0)
        return push_all_roots(g, w);
    bvp_status status = get_count(g, "scenes", 0, g->root, "scene", 0, &index);
    if (status == BVP_OK)
        status = get_element(g, "scenes", scenes, index, &scene);
    if (status == BVP_OK)
        status = import_warn(g->im, json_array_size(scenes) - 1,
                             "scenes beside the default one left out");
    return status == BVP_OK ? push_nodes(g, w, json_object_get(scene, "nodes"), BVP_NONE) : status;
}

static bvp_status count_unmet(gltf *g, const walk *w)
{
    uint64_t unmet = 0;
    for (size_t i = 0; i < json_array_size(g->nodes); i++)
        unmet += !w->met[i];
    return import_warn(g->im, unmet, "nodes outside the scene, or below left-out ones, not read");
}

static bvp_status read_tree(gltf *g)
{
    size_t count = json_array_size(g->nodes);
    walk w = {.stack = calloc(count + 1, sizeof *w.stack), .met = calloc(count + 1, 1)};
    bvp_status status = w.stack && w.met ? push_scene(g, &w) : import_no_memory(g->im);
    if (status == BVP_OK)
        status = walk_nodes(g, &w);
    if (status == BVP_OK)
        status = count_unmet(g, &w);
    free(w.stack);
    free(w.met);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

/* Extensions that change nothing about shapes and placements. */
static int is_harmless(const char *extension)
{
    static const char *const prefixes[] = {
        "KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "EXT_texture_",
        "MSFT_texture_",         "KHR_lights_",    "EXT_lights_",  "KHR_xmp",
        "KHR_techniques_webgl",  "KHR_animation_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(extension, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

static bvp_status check_extensions(gltf *g)
{
    const json_t *required = json_object_get(g->root, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        if (!name || !is_harmless(name))
            return import_refuse(g->im, BVP_ERR_ARGUMENT,
                                 "the model requires the extension %.60s, which is not supported; "
                                 "export it without (compressed models: decompress them first)",
                                 name ? name : "?");
    }
    return BVP_OK;
}

static bvp_status check_version(gltf *g)
{
    const json_t *asset = json_object_get(g->root, "asset");
    const char *version = json_string_value(json_object_get(asset, "minVersion"));
    if (!version)
        version = json_string_value(json_object_get(asset, "version"));
    if (!version)
        return import_refuse(g->im, BVP_ERR_CORRUPT,
                             "expected a glTF model: its \"asset\" with a \"version\" is missing");
    if (strncmp(version, "2.", 2) == 0)
        return BVP_OK;
    return import_refuse(g->im, version[0] > '2' ? BVP_ERR_NEWER : BVP_ERR_ARGUMENT,
                         "expected glTF 2.0, found version %.16s; export the model as glTF 2.0",
                         version);
}

static bvp_status import_document(gltf *g)
{
    g->nodes = json_object_get(g->root, "nodes");
    g->meshes = json_object_get(g->root, "meshes");
    g->accessors = json_object_get(g->root, "accessors");
    g->views = json_object_get(g->root, "bufferViews");
    g->files = json_object_get(g->root, "buffers");
    g->buffers = calloc(json_array_size(g->files) + 1, sizeof *g->buffers);
    g->slots = calloc(json_array_size(g->accessors) + 1, sizeof *g->slots);
    g->mesh_slots = calloc(json_array_size(g->meshes) + 1, sizeof *g->mesh_slots);
    if (!g->buffers || !g->slots || !g->mesh_slots)
        return import_no_memory(g->im);
    bvp_status status = check_version(g);
    if (status == BVP_OK)
        status = check_extensions(g);
    if (status == BVP_OK)
        status = read_tree(g);
    if (status == BVP_OK && json_array_size(json_object_get(g->root, "animations")) > 0)
        status = import_warn(g->im, json_array_size(json_object_get(g->root, "animations")),
                             "animations left out");
    return status;
}

static void close_document(gltf *g)
{
    for (size_t i = 0; g->buffers && i < json_array_size(g->files); i++)
        uri_close(&g->buffers[i].bytes);
    for (size_t i = 0; g->slots && i < json_array_size(g->accessors); i++)
        free(g->slots[i].owned);
    free(g->buffers);
    free(g->slots);
    free(g->mesh_slots);
    free(g->renamed);
    free(g->stamps);
    json_decref(g->root);
}

static bvp_status import_json(gltf *g, const uint8_t *text, size_t size)
{
    json_error_t error;
    while (size > 0 && (text[size - 1] == '\0' || text[size - 1] == ' '))
        size--; /* the padding of a chunk */
    g->root = json_loadb((const char *)text, size, 0, &error);
    if (!g->root)
        return import_refuse_byte(
            g->im, BVP_ERR_CORRUPT, (uint64_t)(text - g->im->data) + (uint64_t)error.position,
            "line %d of the JSON text: %.100s; export the model again", error.line, error.text);
    bvp_status status = import_document(g);
    close_document(g);
    return status;
}

static uint32_t read_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The chunk at `offset`. */
static bvp_status read_chunk(importer *im, uint64_t offset, uint32_t type, const uint8_t **data,
                             uint64_t *size)
{
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

static bvp_status check_glb_header(importer *im)
{
    if (im->size < 12)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, im->size,
                                  "expected a GLB header of 12 bytes; the file is cut off, get it "
                                  "again");
    uint32_t version = read_u32(im->data + 4), length = read_u32(im->data + 8);
    if (version != 2)
        return import_refuse_byte(
            im, version > 2 ? BVP_ERR_NEWER : BVP_ERR_ARGUMENT, 4,
            "expected GLB version 2, found %" PRIu32 "; export the model as glTF 2.0", version);
    if (length == im->size)
        return BVP_OK;
    return import_refuse_byte(im, BVP_ERR_CORRUPT, length < im->size ? length : im->size,
                              "the header announces %" PRIu32 " bytes, the file has %zu; %s",
                              length, im->size,
                              length > im->size ? "it is cut off, get it again"
                                                : "something follows the model, export it again");
}

static bvp_status import_glb(gltf *g)
{
    enum { JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
    const uint8_t *text;
    uint64_t size;
    bvp_status status = check_glb_header(g->im);
    if (status == BVP_OK)
        status = read_chunk(g->im, 12, JSON_CHUNK, &text, &size);
    if (status == BVP_OK && 12 + 8 + size < g->im->size)
        status = read_chunk(g->im, 12 + 8 + size, BINARY_CHUNK, &g->chunk, &g->chunk_size);
    return status == BVP_OK ? import_json(g, text, size) : status;
}

bvp_status import_gltf(importer *im)
{
    gltf g = {.im = im, .budget = 64 * (uint64_t)im->size + 1048576};
    int is_binary = im->size >= 4 && memcmp(im->data, "glTF", 4) == 0;
    size_t mark = im->size >= 3 && memcmp(im->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    im->out->unit_in_metres = 1;
    im->out->up_axis = 1;
    im->out->format = import_text(is_binary ? "GLB" : "glTF", is_binary ? 3 : 4);
    if (!im->out->format)
        return import_no_memory(im);
    return is_binary ? import_glb(&g) : import_json(&g, im->data + mark, im->size - mark);
}
