/* SPDX-License-Identifier: MIT
 * import_3mf.c: 3MF: build items, nested components, names, part numbers, unit: all that the
 * program uses lib3mf for. Coordinates are 32-bit floats, as lib3mf keeps them. Spec: 3MF Core
 * Specification 1.2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import.h"
#include "name_table.h"
#include "properties.h"
#include "transform.h"

/* ---- lib3mf 1.x --------------------------------------------------------------------------------
 * Its functions have C's linkage, but its headers are C++. Objects are void * here; what a function
 * gives out is released. Each returns 0 or a failure. */

typedef struct mf_transform {
    float rows[3][4];
} mf_transform;

int lib3mf_createmodel(void **model);
int lib3mf_release(void *object);
int lib3mf_getlasterror(void *object, uint32_t *code, const char **text);
int lib3mf_model_queryreader(void *model, const char *kind, void **reader);
int lib3mf_model_getunit(void *model, uint32_t *unit);
int lib3mf_model_getbuilditems(void *model, void **iterator);
int lib3mf_model_getmeshobjectbyid(void *model, uint32_t id, void **object);
int lib3mf_model_getcomponentsobjectbyid(void *model, uint32_t id, void **object);
int lib3mf_reader_readfrombuffer(void *reader, const uint8_t *data, unsigned long long size);
int lib3mf_reader_getwarningcount(void *reader, uint32_t *count);
int lib3mf_reader_getwarningutf8(void *reader, uint32_t index, uint32_t *code, char *text,
                                 uint32_t size, uint32_t *needed);
int lib3mf_builditemiterator_movenext(void *iterator, int *has_next);
int lib3mf_builditemiterator_getcurrent(void *iterator, void **item);
int lib3mf_builditem_getobjectresourceid(void *item, uint32_t *id);
int lib3mf_builditem_getobjecttransform(void *item, mf_transform *out);
int lib3mf_builditem_hasobjecttransform(void *item, int *has);
int lib3mf_builditem_getpartnumberutf8(void *item, char *text, uint32_t size, uint32_t *needed);
int lib3mf_builditem_getuuidutf8(void *item, int *has, char *text);
int lib3mf_object_getnameutf8(void *object, char *text, uint32_t size, uint32_t *needed);
int lib3mf_object_getpartnumberutf8(void *object, char *text, uint32_t size, uint32_t *needed);
int lib3mf_componentsobject_getcomponentcount(void *object, uint32_t *count);
int lib3mf_componentsobject_getcomponent(void *object, uint32_t index, void **component);
int lib3mf_component_getobjectresourceid(void *component, uint32_t *id);
int lib3mf_component_hastransform(void *component, int *has);
int lib3mf_component_gettransform(void *component, mf_transform *out);
int lib3mf_component_getuuidutf8(void *component, int *has, char *text);
int lib3mf_meshobject_getvertexcount(void *object, uint32_t *count);
int lib3mf_meshobject_gettrianglecount(void *object, uint32_t *count);
int lib3mf_meshobject_getbeamcount(void *object, uint32_t *count);
int lib3mf_meshobject_getvertices(void *object, float *out, uint32_t capacity, uint32_t *count);
int lib3mf_meshobject_gettriangleindices(void *object, uint32_t *out, uint32_t capacity,
                                         uint32_t *count);

/* ---- the model under way -----------------------------------------------------------------------
 */

enum {
    TEXT_SIZE = 1024,
    UUID_SIZE = 64,
    NODES_A_BYTE = 1,
    NODES_AT_LEAST = 1 << 16,
    UNPACKED_AT_LEAST = 1 << 26
};

/* An object that a build item or component places. */
typedef struct placing {
    uint32_t object, parent; /* resource id; node or BVP_NONE */
    double placement[12];
    char uuid[UUID_SIZE]; /* or "" */
} placing;

typedef struct package {
    importer *im;
    void *model;
    placing *stack;
    size_t depth, stack_capacity;
    name_table meshes;                /* of objects that have been read, by resource id */
    char item_part_number[TEXT_SIZE]; /* of the build item under way, or "" */
} package;

static bvp_status refuse_broken(package *p, const char *what)
{
    return import_refuse(p->im, BVP_ERR_CORRUPT, "lib3mf gives no %s; export the model again",
                         what);
}

/* 3MF multiplies rows by matrices: lib3mf's field [row][column] is of a column vector's matrix. */
static void take_transform(const mf_transform *from, double out[12])
{
    for (int i = 0; i < 12; i++)
        out[i] = (double)from->rows[i / 4][i % 4];
}

/* ---- meshes -------------------------------------------------------------------------------------
 */

static bvp_status fill_mesh(package *p, void *object, model_mesh *mesh, uint32_t vertices,
                            uint32_t triangles)
{
    uint32_t got_vertices = 0, got_triangles = 0;
    mesh->positions = malloc(12 * (size_t)vertices);
    mesh->indices = malloc(12 * (size_t)triangles);
    if (!mesh->positions || !mesh->indices)
        return import_no_memory(p->im);
    if (lib3mf_meshobject_getvertices(object, mesh->positions, vertices, &got_vertices) != 0 ||
        lib3mf_meshobject_gettriangleindices(object, mesh->indices, triangles, &got_triangles) !=
            0 ||
        got_vertices != vertices || got_triangles != triangles)
        return refuse_broken(p, "triangles of a mesh");
    for (size_t i = 0; i < 3 * (size_t)triangles; i++)
        if (mesh->indices[i] >= vertices)
            return refuse_broken(p, "vertices of a triangle");
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    return BVP_OK;
}

static bvp_status add_mesh(package *p, void *object, const char *name, uint32_t *out)
{
    uint32_t vertices = 0, triangles = 0, beams = 0;
    *out = BVP_NONE;
    if (lib3mf_meshobject_getvertexcount(object, &vertices) != 0 ||
        lib3mf_meshobject_gettrianglecount(object, &triangles) != 0)
        return refuse_broken(p, "size of a mesh");
    if (lib3mf_meshobject_getbeamcount(object, &beams) == 0 && beams > 0) {
        bvp_status status = import_warn(p->im, beams, "beams of lattices left out");
        if (status != BVP_OK)
            return status;
    }
    if (vertices == 0 || triangles == 0)
        return BVP_OK;
    model_mesh *mesh = import_add_mesh(p->im);
    if (!mesh || (*name && !(mesh->name = import_text(name, strlen(name)))))
        return import_no_memory(p->im);
    *out = p->im->out->mesh_count - 1;
    return fill_mesh(p, object, mesh, vertices, triangles);
}

/* Each object is read once. */
static bvp_status find_mesh(package *p, void *object, uint32_t id, const char *name, uint32_t *out)
{
    char key[16];
    snprintf(key, sizeof key, "%u", id);
    *out = name_table_get(&p->meshes, key);
    if (*out != UINT32_MAX)
        return BVP_OK;
    bvp_status status = add_mesh(p, object, name, out);
    if (status == BVP_OK && *out != BVP_NONE && name_table_put(&p->meshes, key, out) != 0)
        return import_no_memory(p->im);
    return status;
}

/* ---- placed objects
 * ------------------------------------------------------------------------------ */

static placing *push(package *p)
{
    if (import_grow(&p->stack, &p->stack_capacity, p->depth + 1, sizeof *p->stack) != 0)
        return NULL;
    placing *added = &p->stack[p->depth++];
    *added = (placing){.parent = BVP_NONE, .placement = {[0] = 1, [5] = 1, [10] = 1}};
    return added;
}

static bvp_status push_component(package *p, void *component, uint32_t parent)
{
    mf_transform transform;
    int has = 0;
    placing *added = push(p);
    if (!added)
        return import_no_memory(p->im);
    added->parent = parent;
    if (lib3mf_component_getobjectresourceid(component, &added->object) != 0)
        return refuse_broken(p, "object of a component");
    if (lib3mf_component_hastransform(component, &has) == 0 && has &&
        lib3mf_component_gettransform(component, &transform) == 0)
        take_transform(&transform, added->placement);
    if (lib3mf_component_getuuidutf8(component, &has, added->uuid) != 0 || !has)
        added->uuid[0] = '\0';
    return BVP_OK;
}

/* The first one comes to lie on top. */
static bvp_status push_components(package *p, void *object, uint32_t parent)
{
    uint32_t count = 0;
    bvp_status status = BVP_OK;
    if (lib3mf_componentsobject_getcomponentcount(object, &count) != 0)
        return refuse_broken(p, "components");
    if (count > NODES_AT_LEAST + p->im->size)
        return refuse_broken(p, "sensible number of components");
    while (count-- > 0 && status == BVP_OK) {
        void *component = NULL;
        if (lib3mf_componentsobject_getcomponent(object, count, &component) != 0)
            return refuse_broken(p, "component");
        status = push_component(p, component, parent);
        lib3mf_release(component);
    }
    return status;
}

static bvp_status push_item(package *p, void *item)
{
    mf_transform transform;
    uint32_t needed;
    int has = 0;
    placing *added = push(p);
    if (!added)
        return import_no_memory(p->im);
    if (lib3mf_builditem_getobjectresourceid(item, &added->object) != 0)
        return refuse_broken(p, "object of a build item");
    if (lib3mf_builditem_hasobjecttransform(item, &has) == 0 && has &&
        lib3mf_builditem_getobjecttransform(item, &transform) == 0)
        take_transform(&transform, added->placement);
    if (lib3mf_builditem_getuuidutf8(item, &has, added->uuid) != 0 || !has)
        added->uuid[0] = '\0';
    if (lib3mf_builditem_getpartnumberutf8(item, p->item_part_number, TEXT_SIZE, &needed) != 0)
        p->item_part_number[0] = '\0';
    return BVP_OK;
}

/* A node for what is placed, with the object's name and part number. */
static bvp_status add_node(package *p, const placing *what, void *object, char name[TEXT_SIZE],
                           uint32_t *out)
{
    char number[TEXT_SIZE] = "";
    uint32_t needed;
    int bad = 0;
    if (!transform_is_usable(what->placement) && !p->im->options->drop_invalid)
        return import_refuse(p->im, BVP_ERR_ARGUMENT,
                             "object %u has a placement that is singular or not finite; repair it "
                             "or leave such nodes out with --drop-invalid",
                             what->object);
    if (p->im->out->node_count > NODES_AT_LEAST + NODES_A_BYTE * p->im->size)
        return import_refuse(p->im, BVP_ERR_LIMIT,
                             "its components unfold to more nodes than the file has bytes");
    model_node *node = import_add_node(p->im);
    if (!node)
        return import_no_memory(p->im);
    *out = p->im->out->node_count - 1;
    node->parent = what->parent;
    memcpy(node->placement, what->placement, sizeof node->placement);
    if (lib3mf_object_getnameutf8(object, name, TEXT_SIZE, &needed) != 0)
        name[0] = '\0';
    if (*name)
        bad |= !(node->name = import_text(name, strlen(name)));
    if (*what->uuid)
        bad |= !(node->source_id = import_text(what->uuid, strlen(what->uuid)));
    if (lib3mf_object_getpartnumberutf8(object, number, TEXT_SIZE, &needed) != 0)
        number[0] = '\0';
    const int is_item = what->parent == BVP_NONE && *p->item_part_number;
    const char *best = is_item ? p->item_part_number : number;
    if (*best)
        bad |= property_add(node, "part_number", best, strlen(best));
    return bad ? import_no_memory(p->im) : BVP_OK;
}

static bvp_status place(package *p, const placing *what)
{
    char name[TEXT_SIZE] = "";
    uint32_t node, mesh = BVP_NONE;
    void *object = NULL;
    if (lib3mf_model_getmeshobjectbyid(p->model, what->object, &object) == 0 && object) {
        bvp_status status = add_node(p, what, object, name, &node);
        if (status == BVP_OK)
            status = find_mesh(p, object, what->object, name, &mesh);
        if (status == BVP_OK)
            p->im->out->nodes[node].mesh = mesh;
        lib3mf_release(object);
        return status;
    }
    if (lib3mf_model_getcomponentsobjectbyid(p->model, what->object, &object) != 0 || !object)
        return refuse_broken(p, "object that an item or component refers to");
    bvp_status status = add_node(p, what, object, name, &node);
    if (status == BVP_OK)
        status = push_components(p, object, node);
    lib3mf_release(object);
    return status;
}

static bvp_status place_items(package *p)
{
    void *items = NULL;
    int has_next = 0;
    bvp_status status = BVP_OK;
    if (lib3mf_model_getbuilditems(p->model, &items) != 0)
        return refuse_broken(p, "build items");
    while (status == BVP_OK && lib3mf_builditemiterator_movenext(items, &has_next) == 0 &&
           has_next) {
        void *item = NULL;
        if (lib3mf_builditemiterator_getcurrent(items, &item) != 0) {
            status = refuse_broken(p, "build item");
            break;
        }
        status = push_item(p, item);
        lib3mf_release(item);
        while (status == BVP_OK && p->depth > 0) {
            const placing what = p->stack[--p->depth];
            status = place(p, &what);
        }
    }
    lib3mf_release(items);
    return status;
}

/* ---- the file
 * ------------------------------------------------------------------------------------ */

static uint32_t read_le(const uint8_t *at, int size)
{
    uint32_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

/* What a zip archive's directory says that its files come to; 0 when there is no directory. lib3mf
 * unpacks without asking, and a few kilobytes can be made to fill any memory. */
static uint64_t unpacked_size(const uint8_t *data, size_t size)
{
    enum { END_SIZE = 22, ENTRY_SIZE = 46, COMMENT_MAX = 65535 };
    const size_t lowest = size > END_SIZE + COMMENT_MAX ? size - END_SIZE - COMMENT_MAX : 0;
    uint64_t sum = 0;
    for (size_t end = size >= END_SIZE ? size - END_SIZE + 1 : 0; end-- > lowest;) {
        if (read_le(data + end, 4) != 0x06054b50)
            continue;
        size_t at = read_le(data + end + 16, 4);
        while (at <= size && size - at >= ENTRY_SIZE && read_le(data + at, 4) == 0x02014b50) {
            sum += read_le(data + at + 24, 4);
            at += (size_t)ENTRY_SIZE + read_le(data + at + 28, 2) + read_le(data + at + 30, 2) +
                  read_le(data + at + 32, 2);
        }
        break;
    }
    return sum;
}

/* What lib3mf read over, such as an item without an object: in its own words. */
static bvp_status pass_warnings(package *p, void *reader)
{
    enum { SHOWN = 16 };
    uint32_t count = 0, code, needed;
    char words[200], text[240];
    bvp_status status = BVP_OK;
    if (lib3mf_reader_getwarningcount(reader, &count) != 0)
        return BVP_OK;
    for (uint32_t i = 0; i < count && i < SHOWN && status == BVP_OK; i++) {
        words[0] = '\0';
        if (lib3mf_reader_getwarningutf8(reader, i, &code, words, sizeof words, &needed) != 0)
            words[0] = '\0';
        snprintf(text, sizeof text, "warning by lib3mf: %s", words);
        status = import_warn(p->im, 1, text);
    }
    return count > SHOWN ? import_warn(p->im, count - SHOWN, "further warnings by lib3mf") : status;
}

static bvp_status read_package(package *p)
{
    void *reader = NULL;
    uint32_t code = 0;
    const char *text = NULL;
    if (unpacked_size(p->im->data, p->im->size) > UNPACKED_AT_LEAST + 64 * (uint64_t)p->im->size)
        return import_refuse(p->im, BVP_ERR_LIMIT,
                             "it would unpack to over 64 times its size; export the model again");
    if (lib3mf_model_queryreader(p->model, "3mf", &reader) != 0)
        return refuse_broken(p, "reader");
    bvp_status status = BVP_OK;
    if (lib3mf_reader_readfrombuffer(reader, p->im->data, p->im->size) != 0) {
        lib3mf_getlasterror(reader, &code, &text);
        status =
            import_refuse(p->im, BVP_ERR_CORRUPT,
                          "expected a 3MF package, lib3mf says: %.100s; export the model again",
                          text ? text : "error");
    } else {
        status = pass_warnings(p, reader);
    }
    lib3mf_release(reader);
    return status;
}

static void take_unit(package *p)
{
    static const double metres[] = {1e-6, 1e-3, 1e-2, 0.0254, 0.3048, 1};
    uint32_t unit;
    if (lib3mf_model_getunit(p->model, &unit) == 0 && unit < sizeof metres / sizeof *metres)
        p->im->out->unit_in_metres = metres[unit];
}

bvp_status import_3mf(importer *im)
{
    package p = {.im = im};
    if (!(im->out->format = import_text("3MF", 3)) || lib3mf_createmodel(&p.model) != 0)
        return import_no_memory(im);
    im->out->up_axis = 2;
    bvp_status status = read_package(&p);
    if (status == BVP_OK) {
        take_unit(&p);
        status = place_items(&p);
    }
    lib3mf_release(p.model);
    free(p.stack);
    name_table_free(&p.meshes);
    return status;
}
