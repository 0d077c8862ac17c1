/* SPDX-License-Identifier: MIT
 * gltf_meshes.c: a glTF file's meshes: the triangles of their primitives, with their own vertices.
 * Spec: Khronos glTF 2.0, 3.7.2 Meshes; KHR_mesh_quantization
 */
#include "gltf/gltf_meshes.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/triangle_sink.h"
#include "text/array.h"
#include "text/json.h"
#include "text/memory_text.h"

enum { NOT_READ, READ, NO_TRIANGLES }; /* what became of a mesh */

struct gltf_mesh {
    int state;
    uint32_t mesh;    /* in the model, when READ */
    char *primitives; /* what gltf_mesh_primitives gives, or NULL */
};

bvp_status gltf_meshes_open(gltf_document *doc, gltf_meshes *m)
{
    *m = (gltf_meshes){.doc = doc};
    m->meshes = calloc(json_tree_size(doc->meshes) + 1, sizeof *m->meshes);
    const bvp_status status = gltf_accessors_open(doc, &m->accessors);
    gltf_draco_open(&m->accessors, &m->draco);
    gltf_materials_open(doc, &m->materials);
    return m->meshes ? status : import_no_memory(doc->im);
}

void gltf_meshes_close(gltf_meshes *m)
{
    for (size_t i = 0; m->meshes && i < json_tree_size(m->doc->meshes); i++)
        free(m->meshes[i].primitives);
    free(m->meshes);
    free(m->renamed);
    free(m->stamps);
    gltf_draco_close(&m->draco);
    gltf_accessors_close(&m->accessors);
}

/* ---- triangles ----------------------------------------------------------------------------- */

/* A target by which a primitive is morphed, and how far. */
typedef struct morph {
    const accessor *moves;
    double weight;
} morph;

typedef struct primitive {
    uint64_t mesh_index;                 /* in the file */
    uint64_t first;                      /* triangle number of its first one */
    uint64_t mode, count;                /* triangles */
    const accessor *positions, *indices; /* indices may be NULL */
    accessor decoded[2];                 /* what they point to when Draco has compressed them */
    morph *morphs;
    size_t morph_count;
} primitive;

/* A mesh under construction. */
typedef struct growing {
    float *positions;
    uint32_t *corners, *ids;
    size_t vertex_count, vertex_capacity, count, corner_capacity, id_capacity;
    uint64_t dropped;
} growing; /* with a sink: only counts */

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

static void read_vertex(const primitive *p, uint64_t v, float position[3])
{
    accessor_position(p->positions, v, position);
    for (uint32_t axis = 0; p->morph_count > 0 && axis < 3; axis++) {
        double sum = (double)position[axis];
        for (size_t i = 0; i < p->morph_count; i++)
            sum += p->morphs[i].weight * (double)accessor_number(p->morphs[i].moves, v, axis);
        position[axis] = (float)sum;
    }
}

/* Which of the primitive's vertices corner i of triangle t is: glTF 2.0, 3.7.2.1 */
static uint64_t find_vertex(const primitive *p, uint64_t t, unsigned i)
{
    const uint64_t at = p->mode == MODE_TRIANGLES ? 3 * t + i
                        : p->mode == MODE_FAN     ? (i == 2 ? 0 : t + 1 + i)
                        : i == 0                  ? t
                                                  : t + (i == 1 ? 1 + (t & 1) : 2 - (t & 1));
    assert(at < (p->indices ? p->indices->count : p->positions->count));
    return p->indices ? accessor_index(p->indices, at) : at;
}

/* Vertex v of triangle t does not exist or is not finite: drops the triangle, or refuses. */
static bvp_status drop_triangle(gltf_meshes *m, growing *to, const primitive *p, uint64_t t,
                                uint64_t v)
{
    if (m->doc->im->options->drop_invalid) {
        to->dropped++;
        return BVP_OK;
    }
    if (v >= p->positions->count)
        return gltf_refuse(m->doc, BVP_ERR_CORRUPT, "meshes", p->mesh_index,
                           "triangle %" PRIu64 ": index %" PRIu64 " lies beyond its %" PRIu64
                           " vertices; repair the model or leave such triangles out with "
                           "--drop-invalid",
                           p->first + t, v, p->positions->count);
    return gltf_refuse(m->doc, BVP_ERR_ARGUMENT, "meshes", p->mesh_index,
                       "triangle %" PRIu64 ": vertex %" PRIu64
                       " is not finite; repair the model or leave such triangles out with "
                       "--drop-invalid",
                       p->first + t, v);
}

static int is_finite(const float position[3])
{
    return isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]);
}

/* Triangle t of the primitive goes into the sink. */
static bvp_status sink_triangle(gltf_meshes *m, growing *to, const primitive *p, uint64_t t)
{
    importer *im = m->doc->im;
    bvp_status status = BVP_OK;
    float corners[9];
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t v = find_vertex(p, t, i);
        if (v < p->positions->count)
            read_vertex(p, v, corners + 3 * i);
        if (v >= p->positions->count || !is_finite(corners + 3 * i))
            return drop_triangle(m, to, p, t, v);
    }
    if (to->count++ == 0)
        status = sink_begin(im, 0, 0);
    if (status != BVP_OK)
        return status;
    memcpy(sink_next(im->options->sink), corners, sizeof corners);
    return sink_keep(im, p->first + t);
}

/* Adds triangle t of the primitive, or counts it as dropped. A source vertex is copied when it is
 * met first; m->stamps tells which have been met in this primitive, m->renamed their numbers in the
 * new mesh. */
static bvp_status add_triangle(gltf_meshes *m, growing *to, const primitive *p, uint64_t t)
{
    importer *im = m->doc->im;
    if (array_grow(&to->corners, &to->corner_capacity, 3 * (to->count + 1), sizeof(uint32_t)) ||
        array_grow(&to->ids, &to->id_capacity, to->count + 1, sizeof(uint32_t)))
        return import_no_memory(im);
    uint32_t *corners = to->corners + 3 * to->count;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t v = find_vertex(p, t, i);
        const int is_there = v < p->positions->count;
        if (is_there && m->stamps[v] != m->stamp) {
            size_t coordinates = 3 * to->vertex_capacity;
            if (array_grow(&to->positions, &coordinates, 3 * (to->vertex_count + 1), sizeof(float)))
                return import_no_memory(im);
            to->vertex_capacity = coordinates / 3;
            read_vertex(p, v, to->positions + 3 * to->vertex_count);
            m->stamps[v] = m->stamp;
            m->renamed[v] = (uint32_t)to->vertex_count++;
        }
        if (is_there) {
            corners[i] = m->renamed[v];
            if (is_finite(to->positions + 3 * (size_t)corners[i]))
                continue;
        }
        return drop_triangle(m, to, p, t, v);
    }
    to->ids[to->count++] = (uint32_t)(p->first + t);
    return BVP_OK;
}

static bvp_status sink_triangles(gltf_meshes *m, growing *to, const primitive *p)
{
    bvp_status status = BVP_OK;
    if (p->first + p->count > TRIANGLES_MOST)
        return sink_refuse_size(m->doc->im);
    for (uint64_t t = 0; status == BVP_OK && t < p->count; t++)
        status = sink_triangle(m, to, p, t);
    return status;
}

static bvp_status add_triangles(gltf_meshes *m, growing *to, const primitive *p)
{
    if (m->doc->im->options->sink)
        return sink_triangles(m, to, p);
    if (p->first + p->count > UINT32_MAX / 3)
        return gltf_refuse(m->doc, BVP_ERR_LIMIT, "meshes", p->mesh_index,
                           "has over 1,431,655,765 triangles; split it");
    bvp_status status = gltf_charge(m->doc, "meshes", p->mesh_index, p->count * 12);
    if (status != BVP_OK)
        return status;
    /* a new stamp for this primitive's source vertices: nothing needs to be cleared */
    const uint64_t count = p->positions->count;
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
    for (uint64_t t = 0; status == BVP_OK && t < p->count; t++)
        status = add_triangle(m, to, p, t);
    return status;
}

/* ---- primitives ---------------------------------------------------------------------------- */

/* The targets that the mesh's weights, which are those at rest, make use of. */
static bvp_status read_morphs(gltf_meshes *m, const json_value *targets, const json_value *weights,
                              primitive *p)
{
    gltf_document *d = m->doc;
    const size_t count = json_tree_size(targets);
    if (count == 0)
        return BVP_OK;
    p->morphs = calloc(count, sizeof *p->morphs);
    if (!p->morphs)
        return import_no_memory(d->im);
    for (size_t i = 0; i < count; i++) {
        const json_value *target = json_tree_at(targets, i);
        const accessor *moves;
        double weight = 0;
        uint64_t index;
        if (!json_tree_number(json_tree_at(weights, i), &weight) || weight == 0 ||
            !json_tree_get(target, "POSITION"))
            continue;
        bvp_status status = gltf_count(d, "meshes", p->mesh_index, target, "POSITION", 0, &index);
        if (status == BVP_OK)
            status = gltf_accessor_open(&m->accessors, index, &moves);
        if (status != BVP_OK)
            return status;
        if (moves->width != 3 || moves->component == COMPONENT_UINT ||
            moves->count < p->positions->count)
            return gltf_refuse(d, BVP_ERR_CORRUPT, "accessors", index,
                               "expected how a target moves %" PRIu64 " positions: VEC3 of floats, "
                               "or of integers of 8 or 16 bits; export the model again",
                               p->positions->count);
        p->morphs[p->morph_count++] = (morph){moves, weight};
    }
    return import_warn(d->im, 1,
                       p->morph_count > 0 ? "morphed primitives taken at their mesh's weights"
                                          : "morphed primitives taken in their basic form");
}

/* Do all bytes of the accessor lie in the GLB's binary chunk? Elements of sparse and of packed ones
 * were made somewhere else. */
static int is_in_chunk(const gltf_document *d, const accessor *a)
{
    const uintptr_t at = (uintptr_t)a->data, chunk = (uintptr_t)d->chunk;
    return d->chunk && a->data && at >= chunk && at < chunk + d->chunk_size;
}

/* Notes where the primitive's triangles lie, or says why nothing can refer to them. */
static bvp_status note_buffers(gltf_meshes *m, const primitive *p, int is_draco)
{
    gltf_document *d = m->doc;
    model *out = d->im->out;
    const accessor *indices = p->indices;
    const char *why = NULL;
    if (p->count == 0 || !d->im->options->is_over_buffers || d->im->options->is_nested)
        return BVP_OK;
    if (is_draco)
        why = "is compressed with Draco";
    else if (p->mode != MODE_TRIANGLES)
        why = "is a strip or a fan; write lists of triangles";
    else if (p->morph_count > 0)
        why = "is morphed by its mesh's weights; apply them";
    else if (!is_in_chunk(d, p->positions) || (indices && !is_in_chunk(d, indices)))
        why =
            "has accessors that are sparse, packed by meshopt, or outside of the GLB; write plain "
            "ones into its binary chunk";
    else if (indices && indices->stride != component_size(indices->component))
        why = "has indices with gaps between them; write them without a stride";
    else if (p->positions->stride > UINT32_MAX)
        why = "has a stride of 2^32 or more";
    if (why)
        return gltf_refuse(d, BVP_ERR_ARGUMENT, "meshes", p->mesh_index,
                           "the primitive from triangle %" PRIu64 " on %s, or leave out --share",
                           p->first, why);
    bvp_buffers *grown = realloc(out->buffers, (out->buffer_count + 1u) * sizeof *grown);
    if (!grown)
        return import_no_memory(d->im);
    out->buffers = grown;
    out->buffers[out->buffer_count++] = (bvp_buffers){
        .positions = p->positions->data,
        .position_stride = (size_t)p->positions->stride,
        .position_type = (bvp_component)p->positions->component,
        .normalized = p->positions->normalized && p->positions->component != COMPONENT_FLOAT,
        .vertex_count = p->positions->count,
        .indices = indices ? indices->data : NULL,
        .index_type = indices ? (bvp_component)indices->component : (bvp_component)0,
        .triangle_count = p->count,
        .position_offset = (uint64_t)(p->positions->data - d->chunk),
        .index_offset = indices ? (uint64_t)(indices->data - d->chunk) : BVP_NOWHERE};
    return BVP_OK;
}

/* With a sink: refuses what had to be made in memory. */
static bvp_status check_mapped(gltf_meshes *m, const primitive *p, int is_draco)
{
    if (!is_draco && is_in_chunk(m->doc, p->positions) &&
        (!p->indices || is_in_chunk(m->doc, p->indices)))
        return BVP_OK;
    return gltf_refuse(m->doc, BVP_ERR_ARGUMENT, "meshes", p->mesh_index,
                       "the primitive from triangle %" PRIu64 " on is sparse, compressed or not in "
                       "a GLB's binary chunk; put it there plainly, or leave out --memory",
                       p->first);
}

static bvp_status read_primitive(gltf_meshes *m, const json_value *object, uint64_t mesh,
                                 const json_value *weights, uint64_t *first, growing *to)
{
    gltf_document *d = m->doc;
    primitive p = {.mesh_index = mesh, .first = *first};
    const json_value *attributes = json_tree_get(object, "attributes");
    uint64_t position, index;
    bvp_status status = gltf_count(d, "meshes", mesh, object, "mode", MODE_TRIANGLES, &p.mode);
    if (status == BVP_OK && p.mode > MODE_FAN)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "meshes", mesh,
                           "unknown primitive mode %" PRIu64 "; export the model again", p.mode);
    if (status == BVP_OK && p.mode < MODE_TRIANGLES)
        return import_warn(d->im, 1, "primitives of points or lines left out");
    if (status == BVP_OK && !json_tree_get(attributes, "POSITION"))
        return import_warn(d->im, 1, "primitives without positions left out");
    if (status == BVP_OK)
        status = gltf_count(d, "meshes", mesh, attributes, "POSITION", 0, &position);
    if (status != BVP_OK)
        return status;
    const int is_draco = gltf_draco_of(d, object) != NULL;
    if (is_draco) {
        if (p.mode == MODE_FAN)
            return gltf_refuse(d, BVP_ERR_CORRUPT, "meshes", mesh,
                               "a fan is compressed with Draco, which knows triangles and strips "
                               "only; export the model again");
        status = gltf_draco_read(&m->draco, mesh, object, &p.decoded[0], &p.decoded[1]);
        p.positions = &p.decoded[0];
        p.indices = &p.decoded[1];
        p.mode = MODE_TRIANGLES; /* strips, too, are decoded to triangles */
    } else {
        status = gltf_accessor_open(&m->accessors, position, &p.positions);
    }
    if (status != BVP_OK)
        return status;
    if (p.positions->width != 3 || p.positions->component == COMPONENT_UINT)
        return gltf_refuse(d, BVP_ERR_CORRUPT, "accessors", position,
                           "expected positions: VEC3 of floats, or of integers of 8 or 16 bits; "
                           "export the model again");
    if (!is_draco && json_tree_get(object, "indices")) {
        status = gltf_count(d, "meshes", mesh, object, "indices", 0, &index);
        if (status == BVP_OK)
            status = gltf_accessor_open(&m->accessors, index, &p.indices);
        if (status != BVP_OK)
            return status;
        const uint32_t type = p.indices->component;
        if (p.indices->width != 1 ||
            (type != COMPONENT_UBYTE && type != COMPONENT_USHORT && type != COMPONENT_UINT))
            return gltf_refuse(
                d, BVP_ERR_CORRUPT, "accessors", index,
                "expected indices: SCALAR of unsigned integers; export the model again");
    }
    const uint64_t corners = p.indices ? p.indices->count : p.positions->count;
    p.count = p.mode == MODE_TRIANGLES ? corners / 3 : corners < 3 ? 0 : corners - 2;
    if (p.mode == MODE_TRIANGLES && corners % 3 != 0)
        status = import_warn(d->im, 1, "primitives with corners left over after the last triangle");
    if (status == BVP_OK)
        status = read_morphs(m, json_tree_get(object, "targets"), weights, &p);
    if (status == BVP_OK)
        status = note_buffers(m, &p, is_draco);
    if (status == BVP_OK && d->im->options->sink && p.count > 0)
        status = check_mapped(m, &p, is_draco);
    if (status == BVP_OK)
        status = add_triangles(m, to, &p);
    free(p.morphs);
    *first += p.count;
    return status;
}

/* ---- what the primitives are called -------------------------------------------------------- */

/* One primitive: the number of its first triangle, and its material by name or else by number. */
static void put_primitive(json *j, const gltf_document *d, uint64_t first,
                          const json_value *material)
{
    uint64_t number;
    jsonw_array(j, NULL);
    jsonw_count(j, NULL, first);
    if (!json_tree_count(material, &number)) {
        jsonw_null(j, NULL);
    } else {
        const json_value *list = json_tree_get(d->root, "materials");
        const json_value *named = number < json_tree_size(list)
                                      ? json_tree_get(json_tree_at(list, (size_t)number), "name")
                                      : NULL;
        if (json_tree_text_size(named) > 0)
            jsonw_bytes(j, NULL, (bvp_string){json_tree_text(named), json_tree_text_size(named)});
        else
            jsonw_count(j, NULL, number);
    }
    jsonw_end(j);
}

/* The text for a mesh whose primitives begin with these triangles; none for a single one without a
 * material, of which it would say nothing. */
static bvp_status name_primitives(gltf_meshes *m, uint64_t mesh, const json_value *primitives,
                                  const uint64_t *firsts)
{
    const size_t count = json_tree_size(primitives);
    memory_text text;
    json j;
    if (count == 1 && !json_tree_get(json_tree_at(primitives, 0), "material"))
        return BVP_OK;
    FILE *out = memory_text_open(&text);
    if (!out)
        return import_no_memory(m->doc->im);
    jsonw_start(&j, out, 0);
    jsonw_array(&j, NULL);
    for (size_t i = 0; i < count && !ferror(out); i++)
        put_primitive(&j, m->doc, firsts[i],
                      json_tree_get(json_tree_at(primitives, i), "material"));
    jsonw_end(&j);
    if (memory_text_close(&text) != 0)
        return import_no_memory(m->doc->im);
    m->meshes[mesh].primitives = text.data;
    return gltf_charge(m->doc, "meshes", mesh, text.size);
}

const char *gltf_mesh_primitives(const gltf_meshes *m, uint64_t index)
{
    return index < json_tree_size(m->doc->meshes) ? m->meshes[index].primitives : NULL;
}

/* The colours of a mesh whose primitives begin with these triangles. */
static bvp_status colour_primitives(gltf_meshes *m, model_mesh *mesh, const json_value *primitives,
                                    const uint64_t *firsts)
{
    importer *im = m->doc->im;
    colour_runs runs = {0};
    bvp_status status = BVP_OK;
    for (size_t i = 0; i < json_tree_size(primitives) && status == BVP_OK; i++) {
        const json_value *primitive = json_tree_at(primitives, i);
        uint8_t rgba[4];
        const int is_known = gltf_primitive_colour(&m->materials, primitive, rgba);
        colour_runs_add(&runs, (uint32_t)firsts[i], is_known ? rgba : NULL);
        status = gltf_primitive_warn(&m->materials, im, primitive);
    }
    if (status == BVP_OK)
        status = import_colour_mesh(im, mesh, &runs);
    colour_runs_free(&runs);
    return status;
}

/* ---- meshes -------------------------------------------------------------------------------- */

bvp_status gltf_mesh_read(gltf_meshes *m, uint64_t index, uint32_t *out)
{
    static const char *const dropped = "triangles that are not finite or have bad indices left out";
    importer *im = m->doc->im;
    const json_value *object;
    bvp_status status = gltf_element(m->doc, "meshes", m->doc->meshes, index, &object);
    if (status != BVP_OK)
        return status;
    gltf_mesh *s = &m->meshes[index];
    if (s->state == NOT_READ) {
        const json_value *primitives = json_tree_get(object, "primitives");
        growing from = {0};
        uint64_t first = 0;
        const uint32_t first_buffers = im->out->buffer_count;
        uint64_t *firsts = calloc(json_tree_size(primitives) + 1, sizeof *firsts);
        if (!firsts)
            status = import_no_memory(im);
        for (size_t i = 0; status == BVP_OK && i < json_tree_size(primitives); i++) {
            firsts[i] = first;
            status = read_primitive(m, json_tree_at(primitives, i), index,
                                    json_tree_get(object, "weights"), &first, &from);
        }
        if (status == BVP_OK)
            status = import_warn(im, from.dropped, dropped);
        if (status == BVP_OK && from.count == 0) {
            s->state = NO_TRIANGLES;
            status = import_warn(im, 1, "meshes without triangles left out");
        } else if (status == BVP_OK) {
            model_mesh *mesh = NULL;
            assert(from.count <= first); /* of those that the primitives have */
            if (!im->options->sink)
                mesh = import_add_mesh(im);
            else if (sink_end(im, NULL) == BVP_OK)
                mesh = &im->out->meshes[im->out->mesh_count - 1];
            if (mesh) {
                s->state = READ;
                s->mesh = im->out->mesh_count - 1;
            }
            if (mesh && !im->options->sink) { /* it owns the arrays now */
                mesh->positions = from.positions;
                mesh->vertex_count = from.vertex_count;
                mesh->indices = from.corners;
                mesh->triangle_count = from.count;
                mesh->first_buffers = first_buffers;
                mesh->buffer_count = im->out->buffer_count - first_buffers;
                if (from.dropped > 0) {
                    mesh->ids = from.ids;
                    from.ids = NULL;
                }
                from.positions = NULL;
                from.corners = NULL;
            }
            if (mesh)
                status = gltf_name(m->doc, object, &mesh->name);
            else
                status = im->options->sink ? im->error->status : import_no_memory(im);
            if (status == BVP_OK)
                status = name_primitives(m, index, primitives, firsts);
            if (status == BVP_OK)
                status = colour_primitives(m, mesh, primitives, firsts);
        }
        free(firsts);
        free(from.positions);
        free(from.corners);
        free(from.ids);
    }
    *out = s->state == READ ? s->mesh : BVP_NONE;
    return status;
}
