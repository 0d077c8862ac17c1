/* SPDX-License-Identifier: MIT
 * bvpack-3mf.c: reads a 3MF package with lib3mf, answers as import_protocol.h says: build items,
 * nested components, names, part numbers, unit: all that the project uses lib3mf for. Coordinates
 * are 32-bit floats, as lib3mf keeps them. Spec: 3MF Core Specification 1.2
 */
#include <assert.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/import_send.h"
#include "model/transform.h"
#include "files/zip_size.h"
#include "text/array.h"

/* ---- lib3mf 1.x --------------------------------------------------------------------------------
 * Its functions have C's linkage, but its headers are C++. Objects are void * here; what a function
 * gives out is released. Each returns 0 or a failure. */

enum { UUID_SIZE = 64 };

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

/* What an object or a triangle looks like: a colour of a triangle's corners, or a material. */
enum { MF_NONE, MF_BASE_MATERIAL, MF_COLOUR, MF_TEXTURE };
int lib3mf_object_createdefaultpropertyhandler(void *object, void **handler);
int lib3mf_defaultpropertyhandler_getpropertytype(void *handler, int *type);
int lib3mf_defaultpropertyhandler_getbasematerial(void *handler, uint32_t *group, uint32_t *index);
int lib3mf_defaultpropertyhandler_getcolor(void *handler, uint32_t index, uint8_t rgba[4]);
int lib3mf_meshobject_createpropertyhandler(void *object, void **handler);
int lib3mf_propertyhandler_getpropertytype(void *handler, uint32_t triangle, int *type);
int lib3mf_propertyhandler_getbasematerial(void *handler, uint32_t triangle, uint32_t *group,
                                           uint32_t *index);
int lib3mf_propertyhandler_getcolor(void *handler, uint32_t triangle, uint8_t rgba[3][4]);
int lib3mf_model_getbasematerialbyid(void *model, uint32_t group, void **material);
int lib3mf_basematerial_getdisplaycolor(void *material, uint32_t index, uint8_t *red,
                                        uint8_t *green, uint8_t *blue, uint8_t *alpha);

/* ---- invented ids -----------------------------------------------------------------------------
 * lib3mf gives a UUID to whatever has none. This definition takes the place of libuuid's, so that
 * invented ones are known from those of the file: they begin with these letters. */

#define INVENTED "62767061-636b-"

void uuid_generate_random(unsigned char out[16]) __attribute__((visibility("default")));
void uuid_generate_random(unsigned char out[16])
{
    static uint64_t count;
    memcpy(out, "bvpack\0\0", 8);
    memcpy(out + 8, &count, sizeof count);
    count++;
}

static void drop_invented(char uuid[UUID_SIZE])
{
    if (strncmp(uuid, INVENTED, strlen(INVENTED)) == 0)
        uuid[0] = '\0';
}

/* ---- the model under way --------------------------------------------------------------------- */

enum {
    STATUS_USAGE = 2,
    TEXT_SIZE = 1024,
    NODES_A_BYTE = 1,
    NODES_AT_LEAST = 1 << 16,
    UNPACKED_AT_LEAST = 1 << 26
};

/* An object that a build item or component places. */
typedef struct placing {
    uint32_t object, parent; /* resource id; node or IMPORT_NONE */
    double placement[12];
    char uuid[UUID_SIZE]; /* or "" */
} placing;

/* A mesh object that has been sent. */
typedef struct sent_mesh {
    uint32_t object, part; /* resource id; IMPORT_NONE: it has no triangles */
} sent_mesh;

typedef struct package {
    import_sender *sender;
    import_task task;
    void *model;
    placing *stack;
    size_t depth, stack_capacity;
    void *meshes; /* sent_mesh in a tree of tsearch(3), by resource id */
    uint64_t node_count;
    char item_part_number[TEXT_SIZE]; /* of the build item under way, or "" */
} package;

__attribute__((format(printf, 3, 4), noreturn)) static void refuse(package *p, bvp_status status,
                                                                   const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    import_send_failure(p->sender, status, text);
}

__attribute__((noreturn)) static void refuse_broken(package *p, const char *what)
{
    refuse(p, BVP_ERR_CORRUPT, "lib3mf gives no %s; export the model again", what);
}

static void *allocate(package *p, size_t size)
{
    void *data = malloc(size > 0 ? size : 1);
    if (!data)
        refuse(p, BVP_ERR_NO_MEMORY, "out of memory while reading; split the model");
    return data;
}

/* 3MF multiplies rows by matrices: lib3mf's field [row][column] is of a column vector's matrix. */
static void take_transform(const mf_transform *from, double out[12])
{
    for (int i = 0; i < 12; i++)
        out[i] = (double)from->rows[i / 4][i % 4];
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static int colour_of_material(package *p, uint32_t group, uint32_t index, uint8_t rgba[4])
{
    void *material = NULL;
    if (group == 0 || lib3mf_model_getbasematerialbyid(p->model, group, &material) != 0 ||
        !material)
        return 0;
    const int is_there = lib3mf_basematerial_getdisplaycolor(material, index, &rgba[0], &rgba[1],
                                                             &rgba[2], &rgba[3]) == 0;
    lib3mf_release(material);
    return is_there;
}

/* The object's own colour, which triangles without one have. */
static int default_colour(package *p, void *object, uint8_t rgba[4])
{
    void *handler = NULL;
    uint32_t group, index;
    int type = MF_NONE, is_there = 0;
    if (lib3mf_object_createdefaultpropertyhandler(object, &handler) != 0 || !handler)
        return 0;
    if (lib3mf_defaultpropertyhandler_getpropertytype(handler, &type) != 0)
        type = MF_NONE;
    if (type == MF_COLOUR)
        is_there = lib3mf_defaultpropertyhandler_getcolor(handler, 0, rgba) == 0;
    else if (type == MF_BASE_MATERIAL)
        is_there = lib3mf_defaultpropertyhandler_getbasematerial(handler, &group, &index) == 0 &&
                   colour_of_material(p, group, index, rgba);
    lib3mf_release(handler);
    return is_there;
}

/* A triangle whose corners have different colours has that of its first one. */
static void send_colours(package *p, void *object, uint32_t triangles)
{
    void *handler = NULL;
    colour_runs runs = {0};
    uint8_t all[4], corners[3][4], of_material[4];
    uint32_t last_group = 0, last_index = 0;
    int is_last_there = 0;
    const int has_default = default_colour(p, object, all);
    if (lib3mf_meshobject_createpropertyhandler(object, &handler) != 0)
        handler = NULL;
    for (uint32_t i = 0; i < triangles; i++) {
        const uint8_t *rgba = has_default ? all : NULL;
        uint32_t group, index;
        int type = MF_NONE;
        if (!handler || lib3mf_propertyhandler_getpropertytype(handler, i, &type) != 0)
            type = MF_NONE;
        if (type == MF_COLOUR && lib3mf_propertyhandler_getcolor(handler, i, corners) == 0) {
            rgba = corners[0];
        } else if (type == MF_BASE_MATERIAL &&
                   lib3mf_propertyhandler_getbasematerial(handler, i, &group, &index) == 0) {
            if (group != last_group || index != last_index)
                is_last_there = colour_of_material(p, group, index, of_material);
            last_group = group;
            last_index = index;
            if (is_last_there)
                rgba = of_material;
        }
        colour_runs_add(&runs, i, rgba);
    }
    if (handler)
        lib3mf_release(handler);
    import_send_colours(p->sender, &runs);
    colour_runs_free(&runs);
}

static uint32_t send_mesh(package *p, void *object, const char *name)
{
    uint32_t vertices = 0, triangles = 0, beams = 0, got_vertices = 0, got_triangles = 0;
    if (lib3mf_meshobject_getvertexcount(object, &vertices) != 0 ||
        lib3mf_meshobject_gettrianglecount(object, &triangles) != 0)
        refuse_broken(p, "size of a mesh");
    if (lib3mf_meshobject_getbeamcount(object, &beams) == 0)
        import_send_warning(p->sender, beams, "beams of lattices left out");
    if (vertices == 0 || triangles == 0)
        return IMPORT_NONE;
    float *positions = allocate(p, 12 * (size_t)vertices);
    uint32_t *indices = allocate(p, 12 * (size_t)triangles);
    if (lib3mf_meshobject_getvertices(object, positions, vertices, &got_vertices) != 0 ||
        lib3mf_meshobject_gettriangleindices(object, indices, triangles, &got_triangles) != 0 ||
        got_vertices != vertices || got_triangles != triangles)
        refuse_broken(p, "triangles of a mesh");
    for (size_t i = 0; i < 3 * (size_t)triangles; i++)
        if (indices[i] >= vertices)
            refuse_broken(p, "vertices of a triangle");
    const uint32_t part = import_send_part_of_floats(p->sender, *name ? name : NULL, positions,
                                                     vertices, indices, triangles);
    send_colours(p, object, triangles);
    free(positions);
    free(indices);
    return part;
}

static int compare_meshes(const void *a, const void *b)
{
    const sent_mesh *one = a, *other = b;
    return (one->object > other->object) - (one->object < other->object);
}

/* Each object is sent once. */
static uint32_t find_mesh(package *p, void *object, uint32_t id, const char *name)
{
    const sent_mesh key = {id, IMPORT_NONE};
    void *found = tfind(&key, &p->meshes, compare_meshes);
    if (found)
        return (*(sent_mesh *const *)found)->part;
    sent_mesh *mesh = allocate(p, sizeof *mesh);
    *mesh = (sent_mesh){id, send_mesh(p, object, name)};
    if (!tsearch(mesh, &p->meshes, compare_meshes))
        refuse(p, BVP_ERR_NO_MEMORY, "out of memory while reading; split the model");
    return mesh->part;
}

/* ---- placed objects -------------------------------------------------------------------------- */

static placing *push(package *p)
{
    if (array_grow(&p->stack, &p->stack_capacity, p->depth + 1, sizeof *p->stack) != 0)
        refuse(p, BVP_ERR_NO_MEMORY, "out of memory while reading; split the model");
    placing *added = &p->stack[p->depth++];
    *added = (placing){.parent = IMPORT_NONE, .placement = {[0] = 1, [5] = 1, [10] = 1}};
    return added;
}

/* In reverse, so that the first one is on top of the stack. */
static void push_components(package *p, void *object, uint32_t parent)
{
    uint32_t count = 0;
    if (lib3mf_componentsobject_getcomponentcount(object, &count) != 0)
        refuse_broken(p, "components");
    if (count > NODES_AT_LEAST + p->task.size)
        refuse_broken(p, "sensible number of components");
    while (count-- > 0) {
        void *component = NULL;
        if (lib3mf_componentsobject_getcomponent(object, count, &component) != 0)
            refuse_broken(p, "component");
        mf_transform transform;
        int has = 0;
        placing *added = push(p);
        added->parent = parent;
        if (lib3mf_component_getobjectresourceid(component, &added->object) != 0)
            refuse_broken(p, "object of a component");
        if (lib3mf_component_hastransform(component, &has) != 0 ||
            (has && lib3mf_component_gettransform(component, &transform) != 0))
            refuse_broken(p, "placement of a component");
        if (has)
            take_transform(&transform, added->placement);
        if (lib3mf_component_getuuidutf8(component, &has, added->uuid) != 0 || !has)
            added->uuid[0] = '\0';
        drop_invented(added->uuid);
        lib3mf_release(component);
    }
}

static void push_item(package *p, void *item)
{
    mf_transform transform;
    uint32_t needed;
    int has = 0;
    placing *added = push(p);
    if (lib3mf_builditem_getobjectresourceid(item, &added->object) != 0)
        refuse_broken(p, "object of a build item");
    if (lib3mf_builditem_hasobjecttransform(item, &has) != 0 ||
        (has && lib3mf_builditem_getobjecttransform(item, &transform) != 0))
        refuse_broken(p, "placement of a build item");
    if (has)
        take_transform(&transform, added->placement);
    if (lib3mf_builditem_getuuidutf8(item, &has, added->uuid) != 0 || !has)
        added->uuid[0] = '\0';
    drop_invented(added->uuid);
    if (lib3mf_builditem_getpartnumberutf8(item, p->item_part_number, TEXT_SIZE, &needed) != 0)
        p->item_part_number[0] = '\0';
}

/* Sends a node for what is placed, with the object's name and part number, and its mesh if that has
 * not been sent; else puts its components on the stack. */
static void place(package *p, const placing *what)
{
    char name[TEXT_SIZE] = "", number[TEXT_SIZE] = "";
    uint32_t needed;
    void *object = NULL;
    const int is_mesh =
        lib3mf_model_getmeshobjectbyid(p->model, what->object, &object) == 0 && object;
    if (!is_mesh &&
        (lib3mf_model_getcomponentsobjectbyid(p->model, what->object, &object) != 0 || !object))
        refuse_broken(p, "object that an item or component refers to");
    if (!p->task.drop_invalid && !transform_is_usable(what->placement))
        refuse(p, BVP_ERR_ARGUMENT,
               "object %u has a placement that is singular or not finite; repair it or leave such "
               "nodes out with --drop-invalid",
               what->object);
    if (p->node_count > NODES_AT_LEAST + NODES_A_BYTE * (uint64_t)p->task.size)
        refuse(p, BVP_ERR_LIMIT, "its components unfold to more nodes than the file has bytes");
    if (lib3mf_object_getnameutf8(object, name, TEXT_SIZE, &needed) != 0)
        name[0] = '\0';
    const uint32_t part = is_mesh ? find_mesh(p, object, what->object, name) : IMPORT_NONE;
    if (lib3mf_object_getpartnumberutf8(object, number, TEXT_SIZE, &needed) != 0)
        number[0] = '\0';
    assert(what->parent == IMPORT_NONE || what->parent < p->node_count); /* it has been sent */
    const int is_item = what->parent == IMPORT_NONE && *p->item_part_number;
    const import_property property = {"part_number", is_item ? p->item_part_number : number};
    import_node sent = {
        .parent = what->parent, .part = part, .property_count = *property.value != 0};
    memcpy(sent.placement, what->placement, sizeof sent.placement);
    p->node_count++;
    const uint32_t node = import_send_node(p->sender, &sent, *name ? name : NULL,
                                           *what->uuid ? what->uuid : NULL, &property);
    if (!is_mesh)
        push_components(p, object, node);
    lib3mf_release(object);
}

static void place_items(package *p)
{
    void *items = NULL;
    int has_next = 0;
    if (lib3mf_model_getbuilditems(p->model, &items) != 0)
        refuse_broken(p, "build items");
    for (;;) {
        void *item = NULL;
        if (lib3mf_builditemiterator_movenext(items, &has_next) != 0)
            refuse_broken(p, "next build item");
        if (!has_next)
            break;
        if (lib3mf_builditemiterator_getcurrent(items, &item) != 0)
            refuse_broken(p, "build item");
        assert(p->depth == 0);
        push_item(p, item);
        lib3mf_release(item);
        while (p->depth > 0) {
            const placing what = p->stack[--p->depth];
            place(p, &what);
        }
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Problems that lib3mf ignored, such as an item without an object, in its own words. */
static void pass_warnings(package *p, void *reader)
{
    enum { SHOWN = 16 };
    uint32_t count = 0, code, needed;
    char words[200], text[240];
    if (lib3mf_reader_getwarningcount(reader, &count) != 0)
        return;
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        words[0] = '\0';
        if (lib3mf_reader_getwarningutf8(reader, i, &code, words, sizeof words, &needed) != 0)
            words[0] = '\0';
        snprintf(text, sizeof text, "warning by lib3mf: %s", words);
        import_send_warning(p->sender, 1, text);
    }
    if (count > SHOWN)
        import_send_warning(p->sender, count - SHOWN, "further warnings by lib3mf");
}

/* lib3mf unpacks without a limit, and a few kilobytes can be made to fill any memory. */
static void read_package(package *p)
{
    void *reader = NULL;
    uint32_t code = 0;
    const char *text = NULL;
    if (zip_size(p->task.data, p->task.size) > UNPACKED_AT_LEAST + 64 * (uint64_t)p->task.size)
        refuse(p, BVP_ERR_LIMIT,
               "it would unpack to over 64 times its size; export the model again");
    if (lib3mf_model_queryreader(p->model, "3mf", &reader) != 0)
        refuse_broken(p, "reader");
    if (lib3mf_reader_readfrombuffer(reader, p->task.data, p->task.size) != 0) {
        lib3mf_getlasterror(reader, &code, &text);
        if (text && strstr(text, "exception")) /* a C++ exception without a message */
            refuse(p, BVP_ERR_CORRUPT,
                   "lib3mf gave up on it, perhaps for want of memory; export the model again, or "
                   "allow more with --import-memory");
        refuse(p, BVP_ERR_CORRUPT,
               "expected a 3MF package, lib3mf says: %.100s; export the model again",
               text ? text : "error");
    }
    pass_warnings(p, reader);
    lib3mf_release(reader);
}

static double unit_of(void *model)
{
    static const double metres[] = {1e-6, 1e-3, 1e-2, 0.0254, 0.3048, 1};
    uint32_t unit;
    return lib3mf_model_getunit(model, &unit) == 0 && unit < sizeof metres / sizeof *metres
               ? metres[unit]
               : 0;
}

int main(int argc, char **argv)
{
    package p = {.depth = 0};
    p.sender = import_send_start(argc, argv, &p.task);
    if (!p.sender) {
        fputs("usage: bvpack-3mf 3mf CHORD ANGLE THREADS DROP SPACES MEMORY SECONDS NAME 3>ANSWER "
              "4<MODEL\nstarted by bvpack to read models with lib3mf\n",
              stderr);
        return STATUS_USAGE;
    }
    if (lib3mf_createmodel(&p.model) != 0)
        refuse(&p, BVP_ERR_NO_MEMORY, "out of memory while reading; split the model");
    read_package(&p);
    place_items(&p);
    const import_end end = {.unit_in_metres = unit_of(p.model), .up_axis = 2};
    import_send_end(p.sender, &end, "3MF");
}
