/* SPDX-License-Identifier: MIT
 * urdf_shapes.c: the shapes of a robot's links: where their mesh files are, and how they lie.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "model/transform.h"
#include "files/uri.h"
#include "urdf/urdf.h"
#include "text/array.h"
#include "path/whole_path.h"

enum { PATH_SIZE = 4096, LEVELS_UP = 4 };

/* ---- folders --------------------------------------------------------------------------------- */

static int exists(const char *folder, const char *name)
{
    char path[PATH_SIZE + 300];
    struct stat found;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &found) == 0;
}

/* Cuts off the last name of a resolved path; 0 at the root. */
static int go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return 0;
    *slash = '\0';
    return 1;
}

static int is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, name) == 0;
}

static int resolve(const char *dir, char out[PATH_SIZE])
{
    char *whole = realpath(dir, NULL);
    const int fits = whole && snprintf(out, PATH_SIZE, "%s", whole) < PATH_SIZE;
    free(whole);
    return fits;
}

/* Is `path` the package, or does it contain it? Then it becomes the folder that contains the
 * package. */
static int holds_package(char *path, const char *package)
{
    return exists(path, package) || (is_named(path, package) && go_up(path));
}

/* In the folders of --package-path, then from the robot's own folder upward. */
static int find_package(const urdf *u, const char *dir, const char *package, char out[PATH_SIZE])
{
    char one[PATH_SIZE];
    const char *list = u->im->options->package_path;
    while (list && *list) {
        const int size = (int)strcspn(list, PATH_LIST_SEPARATOR);
        snprintf(one, sizeof one, "%.*s", size, list);
        if (resolve(one, out) && holds_package(out, package))
            return 1;
        list += size + (list[size] != '\0');
    }
    if (!dir || !resolve(dir, out))
        return 0;
    for (int level = 0; level <= LEVELS_UP; level++) {
        if (holds_package(out, package))
            return 1;
        if (!go_up(out))
            break;
    }
    return 0;
}

/* How many levels above the robot's folder its package begins: where package.xml is, or one above a
 * folder called urdf. */
static int levels_of_package(const char *dir)
{
    char path[PATH_SIZE];
    if (!resolve(dir, path))
        return 0;
    const int conventional = is_named(path, "urdf") || is_named(path, "robots");
    for (int level = 0; level <= LEVELS_UP; level++) {
        if (exists(path, "package.xml"))
            return level;
        if (!go_up(path))
            break;
    }
    return conventional;
}

/* ---- mesh files ------------------------------------------------------------------------------ */

/* Where a mesh is: folder and path, which stays in the folder unless any path is allowed. */
typedef struct place {
    char folder[PATH_SIZE];
    const char *path;
} place;

static bvp_status find_in_package(urdf *u, uint32_t element, const char *dir, const char *rest,
                                  place *out)
{
    char package[256];
    const size_t size = strcspn(rest, "/");
    snprintf(package, sizeof package, "%.*s", (int)size, rest);
    out->path = rest;
    if (uri_is_inside(rest) && size < sizeof package && find_package(u, dir, package, out->folder))
        return BVP_OK;
    return xml_refuse(u->im, &u->xml, BVP_ERR_SYSTEM, element,
                      "no package \"%.40s\" in --package-path, or from the robot's folder upward; "
                      "name its folder with --package-path",
                      package);
}

/* The mesh of a file, which is read once. Where it is: in a package, else relative to the robot's
 * folder; "../" leads at most to the folder that contains the robot's package. */
static bvp_status add_mesh(urdf *u, uint32_t element, uint32_t node)
{
    importer *im = u->im;
    const char *dir = im->dir ? im->dir : im->options->pipe_dir;
    const void *line = im->data + u->xml.elements[element].offset;
    double scale[3] = {1, 1, 1};
    place where;
    char key[2 * PATH_SIZE];
    uint32_t mesh = (uint32_t)u->mesh_count;
    const char *name;
    bvp_status status = urdf_text(u, element, "filename", &name);
    if (status == BVP_OK)
        status = urdf_numbers(u, element, "scale", 3, scale);
    if (status != BVP_OK)
        return status;
    if (strncmp(name, "package://", 10) == 0) {
        status = find_in_package(u, element, dir, name + 10, &where);
    } else if (strncmp(name, "model://", 8) == 0) {
        status = find_in_package(u, element, dir, name + 8, &where);
    } else {
        where.path = strncmp(name, "file://", 7) == 0 ? name + 7 : name;
        snprintf(where.folder, sizeof where.folder, "%s", dir ? dir : ".");
        for (int up = dir ? levels_of_package(dir) : 0;
             up > 0 && strncmp(where.path, "../", 3) == 0; up--) {
            const size_t used = strlen(where.folder);
            snprintf(where.folder + used, sizeof where.folder - used, "/..");
            where.path += 3;
        }
        if (!dir && !im->options->any_path)
            status = xml_refuse(u->im, &u->xml, BVP_ERR_ARGUMENT, element,
                                "a robot without a folder can't name meshes; read it from a file");
    }
    if (status != BVP_OK)
        return status;
    if (snprintf(key, sizeof key, "%s/%s", where.folder, where.path) >= (int)sizeof key)
        return xml_refuse(u->im, &u->xml, BVP_ERR_LIMIT, element, "the path of a mesh is too long");
    if (name_table_put(&u->mesh_names, key, &mesh) != 0)
        return import_no_memory(im);
    if (mesh == u->mesh_count) {
        if (array_grow(&u->meshes, &u->mesh_capacity, u->mesh_count + 1, sizeof *u->meshes) != 0)
            return import_no_memory(im);
        status = submodel_read(im, where.folder, where.path, NULL, line, &u->meshes[mesh]);
        if (status != BVP_OK)
            return status;
        u->mesh_count++;
    }
    assert(mesh < u->mesh_count);
    const submodel *s = &u->meshes[mesh];
    if (s->unit_in_metres > 0) /* what the file says; the robot is in metres */
        for (int i = 0; i < 3; i++)
            scale[i] *= s->unit_in_metres;
    transform_scale(im->out->nodes[node].placement, scale);
    if (!transform_is_usable(im->out->nodes[node].placement) && !im->options->drop_invalid)
        return xml_refuse(u->im, &u->xml, BVP_ERR_ARGUMENT, element,
                          "the placement is singular or not finite; repair origin and scale");
    return submodel_place(im, s, node, line);
}

/* ---- a link's shapes ------------------------------------------------------------------------- */

static bvp_status add_shape(urdf *u, uint32_t link, uint32_t shape, const char *kind,
                            uint32_t parent)
{
    static const char *const forms[] = {"mesh", "box", "cylinder", "sphere"};
    const uint32_t geometry = xml_child(&u->xml, shape, "geometry");
    uint32_t form = XML_NONE; /* the element in <geometry> that gives the shape */
    for (size_t i = 0; geometry != XML_NONE && form == XML_NONE && i < sizeof forms / sizeof *forms;
         i++)
        form = xml_child(&u->xml, geometry, forms[i]);
    if (form == XML_NONE)
        return import_warn(u->im, 1, "shapes that are no mesh, box, cylinder or sphere left out");
    model_node *added = import_add_node(u->im);
    if (!added)
        return import_no_memory(u->im);
    const uint32_t node = u->im->out->node_count - 1;
    added->parent = parent;
    char text[300]; /* "shoulder collision", unless the shape has a name */
    const char *name = xml_attribute(&u->xml, shape, "name");
    if (!name || !*name) {
        name = xml_attribute(&u->xml, link, "name");
        snprintf(text, sizeof text, "%.256s %s", name ? name : "", kind);
        name = text;
    }
    added->name = import_text(name, strlen(name));
    if (!added->name)
        return import_no_memory(u->im);
    bvp_status status = urdf_origin(u, shape, added->placement);
    if (status != BVP_OK)
        return status;
    if (strcmp(xml_name(&u->xml, form), "mesh") == 0)
        return add_mesh(u, form, node);
    uint32_t mesh;
    status = urdf_add_solid(u, form, &mesh);
    if (status == BVP_OK)
        u->im->out->nodes[node].mesh = mesh;
    return status;
}

bvp_status urdf_add_shapes(urdf *u, uint32_t link, const char *kind, uint32_t node)
{
    bvp_status status = BVP_OK;
    uint32_t shape = xml_child(&u->xml, link, kind);
    const char *other = strcmp(kind, "visual") == 0 ? "collision" : "visual";
    if (shape == XML_NONE && xml_child(&u->xml, link, other) != XML_NONE)
        return import_warn(u->im, 1,
                           *other == 'v' ? "links without collision shapes, only visual ones (see "
                                           "--urdf), stay empty"
                                         : "links without visual shapes, only collision ones (see "
                                           "--urdf), stay empty");
    for (; shape != XML_NONE && status == BVP_OK; shape = xml_next(&u->xml, shape))
        status = add_shape(u, link, shape, kind, node);
    return status;
}
