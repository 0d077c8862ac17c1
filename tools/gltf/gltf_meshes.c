/* SPDX-License-Identifier: MIT
 * gltf_meshes.c: a glTF file's meshes: the triangles of their primitives, with their own vertices.
 * Spec: Khronos glTF 2.0, 3.7.2 Meshes; KHR_mesh_quantization
 */
#include "gltf/gltf_meshes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"

enum { NOT_READ, READ, NO_TRIANGLES }; /* what became of a mesh */

struct gltf_mesh {
    int state;
    uint32_t mesh; /* in the model, when READ */
};

bvp_status gltf_meshes_open(gltf_document *doc, gltf_meshes *m)
{
    *m = (gltf_meshes){.doc = doc};
    m->meshes = calloc(json_tree_size(doc->meshes) + 1, sizeof *m->meshes);
    const bvp_status status = gltf_accessors_open(doc, &m->accessors);
    return m->meshes ? status : import_no_memory(doc->im);
}

void gltf_meshes_close(gltf_meshes *m)
{
    free(m->meshes);
    free(m->renamed);
    free(m->stamps);
    gltf_accessors_close(&m->accessors);
}

/* ---- triangles ----------------------------------------------------------------------------- */

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
static int use_vertex(gltf_meshes *m, growing *to, const primitive *p, uint64_t v, uint32_t *local)
{
    if (m->stamps[v] != m->stamp) {
        size_t coordinates = 3 * to->vertex_capacity;
        if (array_grow(&to->positions, &coordinates, 3 * (to->vertex_count + 1), sizeof(float)))
            return -1;
        to->vertex_capacity = coordinates / 3;
        accessor_position(p->positions, v, to->positions + 3 * to->vertex_count);
        m->stamps[v] = m->stamp;
        m->renamed[v] = (uint32_t)to->vertex_count++;
    }
    *local = m->renamed[v];
    return 0;
}

static bvp_status refuse_corner(gltf_meshes *m, const primitive *p, uint64_t t, uint64_t v)
{
    if (v >= p->positions->count)
        return gltf_refuse(m->doc, BVP_ERR_CORRUPT, "meshes", p->mesh_index,
                           "triangle %" PRIu64 ": index %" PRIu64 " lies beyond its %" PRIu64
                           " vertices; repair the model or leave such triangles out with "
                           "--drop-invalid",
                           p->first + t, v, p->positions->count);
    return gltf_refuse(m->doc, BVP_ERR_ARGUMENT, "meshes", p->mesh_index,
                       "triangle %" PRIu64 ": vertex %" PRIu64 " is not finite; repair the model "
                       "or leave such triangles out with --drop-invalid",
                       p->first + t, v);
}

static bvp_status add_triangle(gltf_meshes *m, growing *to, const primitive *p, uint64_t t)
{
    if (array_grow(&to->corners, &to->corner_capacity, 3 * (to->count + 1), sizeof(uint32_t)) ||
        array_grow(&to->ids, &to->id_capacity, to->count + 1, sizeof(uint32_t)))
        return import_no_memory(m->doc->im);
    uint32_t *corners = to->corners + 3 * to->count;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t v = corner_of(p, t, i);
        int valid = v < p->positions->count;
        if (valid && use_vertex(m, to, p, v, &corners[i]) != 0)
            return import_no_memory(m->doc->im);
        const float *at = valid ? to->positions + 3 * corners[i] : NULL;
        if (valid && isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]))
            continue;
        if (!m->doc->im->options->drop_invalid)
            return refuse_corner(m, p, t, v);
        to->dropped++;
        return BVP_OK;
    }
    to->ids[to->count++] = (uint32_t)(p->first + t);
    return BVP_OK;
}

/* A new set of marks, for a primitive with that many source vertices. */
static bvp_status begin_stamps(gltf_meshes *m, uint64_t count)
{
    size_t had = m->stamps_capacity;
    if (count > UINT32_MAX)
        return import_refuse(m->doc->im, BVP_ERR_LIMIT,
                             "a mesh has over 2^32 - 1 vertices; split it");
    if (array_grow(&m->renamed, &m->renamed_capacity, count, sizeof(uint32_t)) != 0 ||
        array_grow(&m->stamps, &m->stamps_capacity, count, sizeof(uint32_t)) != 0)
        return import_no_memory(m->doc->im);
    if (m->stamps_capacity > had)
        memset(m->stamps + had, 0, (m->stamps_capacity - had) * sizeof(uint32_t));
    m->stamp++;
    return BVP_OK;
}

static bvp_status add_triangles(gltf_meshes *m, growing *to, const primitive *p)
{
    if (p->first + p->count > UINT32_MAX / 3)
        return gltf_refuse(m->doc, BVP_ERR_LIMIT, "meshes", p->mesh_index,
                           "has over 1,431,655,765 triangles; split it");
    bvp_status status = gltf_charge(m->doc, "meshes", p->mesh_index, p->count * 12);
    if (status == BVP_OK)
        status = begin_stamps(m, p->positions->count);
    for (uint64_t t = 0; status == BVP_OK && t < p->count; t++)
        status = add_triangle(m, to, p, t);
    return status;
}

/* ---- primitives ---------------------------------------------------------------------------- */

/* POSITION and indices of a primitive, of the types that they may have. */
static bvp_status open_primitive(gltf_meshes *m, const json_value *object, uint64_t position,
                                 primitive *p)
{
    uint64_t index;
    bvp_status status = gltf_accessor_open(&m->accessors, position, &p->positions);
    if (status != BVP_OK)
        return status;
    if (p->positions->width != 3 || p->positions->component == COMPONENT_UINT)
        return gltf_refuse(m->doc, BVP_ERR_CORRUPT, "accessors", position,
                           "expected positions: VEC3 of floats, or of integers of 8 or 16 bits; "
                           "export the model again");
    p->indices = NULL;
    if (!json_tree_get(object, "indices"))
        return BVP_OK;
    status = gltf_count(m->doc, "meshes", p->mesh_index, object, "indices", 0, &index);
    if (status == BVP_OK)
        status = gltf_accessor_open(&m->accessors, index, &p->indices);
    if (status != BVP_OK)
        return status;
    uint32_t type = p->indices->component;
    if (p->indices->width == 1 &&
        (type == COMPONENT_UBYTE || type == COMPONENT_USHORT || type == COMPONENT_UINT))
        return BVP_OK;
    return gltf_refuse(m->doc, BVP_ERR_CORRUPT, "accessors", index,
                       "expected indices: SCALAR of unsigned integers; export the model again");
}

/* Compressed geometry can be read only where the file holds it uncompressed too. */
static bvp_status refuse_draco(gltf_meshes *m, const json_value *object, uint64_t mesh,
                               uint64_t position)
{
    const json_value *extensions = json_tree_get(object, "extensions");
    const json_value *accessor_object = json_tree_at(m->doc->accessors, (size_t)position);
    if (!json_tree_get(extensions, "KHR_draco_mesh_compression") ||
        json_tree_get(accessor_object, "bufferView"))
        return BVP_OK;
    return gltf_refuse(m->doc, BVP_ERR_ARGUMENT, "meshes", mesh,
                       "is compressed with Draco; export the model without compression");
}

static bvp_status read_primitive(gltf_meshes *m, const json_value *object, uint64_t mesh,
                                 uint64_t *first, growing *to)
{
    primitive p = {.mesh_index = mesh, .first = *first};
    const json_value *attributes = json_tree_get(object, "attributes");
    uint64_t position;
    bvp_status status = gltf_count(m->doc, "meshes", mesh, object, "mode", MODE_TRIANGLES, &p.mode);
    if (status == BVP_OK && p.mode > MODE_FAN)
        return gltf_refuse(m->doc, BVP_ERR_CORRUPT, "meshes", mesh,
                           "unknown primitive mode %" PRIu64 "; export the model again", p.mode);
    if (status == BVP_OK && p.mode < MODE_TRIANGLES)
        return import_warn(m->doc->im, 1, "primitives of points or lines left out");
    if (status == BVP_OK && !json_tree_get(attributes, "POSITION"))
        return import_warn(m->doc->im, 1, "primitives without positions left out");
    if (status == BVP_OK && json_tree_size(json_tree_get(object, "targets")) > 0)
        status = import_warn(m->doc->im, 1, "morphed primitives taken in their basic form");
    if (status == BVP_OK)
        status = gltf_count(m->doc, "meshes", mesh, attributes, "POSITION", 0, &position);
    if (status == BVP_OK)
        status = refuse_draco(m, object, mesh, position);
    if (status == BVP_OK)
        status = open_primitive(m, object, position, &p);
    if (status != BVP_OK)
        return status;
    uint64_t corners = p.indices ? p.indices->count : p.positions->count;
    p.count = p.mode == MODE_TRIANGLES ? corners / 3 : corners < 3 ? 0 : corners - 2;
    if (p.mode == MODE_TRIANGLES && corners % 3 != 0)
        status =
            import_warn(m->doc->im, 1, "primitives with corners left over after the last triangle");
    if (status == BVP_OK)
        status = add_triangles(m, to, &p);
    *first += p.count;
    return status;
}

/* ---- meshes -------------------------------------------------------------------------------- */

/* Hands the triangles over to a new mesh of the model. */
static bvp_status finish_mesh(gltf_meshes *m, const json_value *object, growing *from, gltf_mesh *s)
{
    static const char *const dropped = "triangles that are not finite or have bad indices left out";
    bvp_status status = import_warn(m->doc->im, from->dropped, dropped);
    if (status != BVP_OK)
        return status;
    if (from->count == 0) {
        s->state = NO_TRIANGLES;
        return import_warn(m->doc->im, 1, "meshes without triangles left out");
    }
    model_mesh *mesh = import_add_mesh(m->doc->im);
    if (!mesh)
        return import_no_memory(m->doc->im);
    s->state = READ;
    s->mesh = m->doc->im->out->mesh_count - 1;
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
    return gltf_name(m->doc, object, &mesh->name);
}

static bvp_status read_mesh(gltf_meshes *m, const json_value *object, uint64_t index, gltf_mesh *s)
{
    const json_value *primitives = json_tree_get(object, "primitives");
    growing to = {0};
    uint64_t first = 0;
    bvp_status status = BVP_OK;
    for (size_t i = 0; status == BVP_OK && i < json_tree_size(primitives); i++)
        status = read_primitive(m, json_tree_at(primitives, i), index, &first, &to);
    if (status == BVP_OK)
        status = finish_mesh(m, object, &to, s);
    free(to.positions);
    free(to.corners);
    free(to.ids);
    return status;
}

bvp_status gltf_mesh_read(gltf_meshes *m, uint64_t index, uint32_t *out)
{
    const json_value *object;
    bvp_status status = gltf_element(m->doc, "meshes", m->doc->meshes, index, &object);
    if (status != BVP_OK)
        return status;
    gltf_mesh *s = &m->meshes[index];
    if (s->state == NOT_READ)
        status = read_mesh(m, object, index, s);
    *out = s->state == READ ? s->mesh : BVP_NONE;
    return status;
}
