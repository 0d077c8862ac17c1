/* SPDX-License-Identifier: MIT
 * submodel.c: a model file that the current model refers to: read once, placed any number of times.
 */
#include "model/submodel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files/beneath.h"
#include "model/properties.h"
#include "files/uri.h"

/* What all copies of trees may come to: so a small file can't name a large one without end. */
enum { NODE_MAX = 1 << 24 };

/* ---- the file -------------------------------------------------------------------------------- */

static bvp_status refuse_file(importer *im, const char *path, const void *at)
{
    const int number = errno;
    if (number == EXDEV)
        return import_refuse_line(im, BVP_ERR_ARGUMENT, at,
                                  "\"%.100s\" is a symbolic link, or passes one, that leads out of "
                                  "the model's folder; allow that with --any-path",
                                  path);
    import_refuse_line(im, BVP_ERR_SYSTEM, at, "\"%.100s\" can't be read: %s", path,
                       number == EINVAL ? "it is empty, or not a file" : strerror(number));
    im->error->sys_errno = number;
    return BVP_ERR_SYSTEM;
}

static bvp_status refuse_path(importer *im, const char *path, const void *at)
{
    return import_refuse_line(im, BVP_ERR_ARGUMENT, at,
                              "expected a relative path with slashes that stays in the model's "
                              "folder, found \"%.60s\"; allow others with --any-path",
                              path);
}

/* dir/path, or a path that begins at the root. */
static bvp_status find_path(importer *im, const char *dir, const char *path, const void *at,
                            char *out, size_t capacity)
{
    const int is_inside = uri_is_inside(path);
    if (!dir || (!is_inside && !im->options->any_path))
        return refuse_path(im, path, at);
    const int size = *path == '/' ? snprintf(out, capacity, "%s", path)
                                  : snprintf(out, capacity, "%s/%s", dir, path);
    if (size < (int)capacity)
        return BVP_OK;
    return import_refuse_line(im, BVP_ERR_LIMIT, at, "the path of a mesh is too long");
}

/* ---- what it is made of ---------------------------------------------------------------------- */

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Without folders and ending. */
static char *title_of(const char *path)
{
    const char *name = last_name(path), *dot = strrchr(name, '.');
    return import_text(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static bvp_status take_meshes(importer *im, model *from, const char *path, submodel *out)
{
    out->first_mesh = im->out->mesh_count;
    for (uint32_t i = 0; i < from->mesh_count; i++) {
        model_mesh *mesh = import_add_mesh(im);
        if (!mesh)
            return import_no_memory(im);
        *mesh = from->meshes[i];
        memset(&from->meshes[i], 0, sizeof from->meshes[i]);
        out->mesh_count++;
        if (mesh->name && *mesh->name)
            continue;
        free(mesh->name);
        mesh->name = title_of(path);
        if (!mesh->name)
            return import_no_memory(im);
    }
    return BVP_OK;
}

/* Files that it needs itself: their names become relative to the whole model's folder. */
static bvp_status take_files(importer *im, const model *from, const char *path)
{
    const size_t folder = (size_t)(last_name(path) - path);
    for (uint32_t i = 0; i < from->file_count; i++) {
        model_file *file = import_add_file(im);
        const char *name = from->files[i].name;
        char *whole = malloc(folder + strlen(name) + 1);
        if (!file || !whole) {
            free(whole);
            return import_no_memory(im);
        }
        memcpy(whole, path, folder);
        strcpy(whole + folder, name);
        *file = from->files[i];
        file->name = whole;
    }
    return BVP_OK;
}

static bvp_status take(importer *im, model *from, const char *path, submodel *out)
{
    bvp_status status = take_meshes(im, from, path, out);
    if (status == BVP_OK)
        status = take_files(im, from, path);
    for (uint32_t i = 0; i < from->warning_count && status == BVP_OK; i++)
        status = import_warn(im, from->warnings[i].count, from->warnings[i].text);
    out->nodes = from->nodes;
    out->node_count = from->node_count;
    out->unit_in_metres = from->unit_in_metres;
    out->tolerance = from->tolerance;
    out->up = from->up;
    from->nodes = NULL;
    from->node_count = 0;
    return status;
}

static bvp_status import_bytes(importer *im, const uri_bytes *bytes, int fd, const char *path,
                               const char *file, const char *format, const void *at, submodel *out)
{
    import_options options = *im->options;
    char folder[4096];
    bvp_error error = {0};
    model inner;
    options.format = format;
    options.is_nested = 1;
    options.path = file;
    options.file = &fd;
    options.progress = NULL;
    snprintf(folder, sizeof folder, "%.*s", (int)(last_name(file) - file), file);
    const import_hooks *hooks = im->options->hooks;
    const uint8_t *hash = im->out->files[im->out->file_count - 1].hash;
    bvp_status status =
        hooks && hooks->import
            ? hooks->import(hooks->user, bytes->data, bytes->size, hash, path, folder, &options,
                            &inner, &error)
            : model_import_memory(bytes->data, bytes->size, path, folder, &options, &inner, &error);
    if (status != BVP_OK)
        return import_refuse_line(im, status, at, "%s", error.message);
    status = take(im, &inner, path, out);
    model_free(&inner);
    return status;
}

/* A file that need not be read. */
static bvp_status take_known(importer *im, const char *path, const model_file *noted, model *known,
                             submodel *out)
{
    model_file *file = import_add_file(im);
    bvp_status status = file ? BVP_OK : import_no_memory(im);
    if (status == BVP_OK) {
        *file = *noted;
        file->name = import_text(path, strlen(path));
        status = file->name ? take(im, known, path, out) : import_no_memory(im);
    }
    model_free(known);
    if (status != BVP_OK)
        submodel_free(out);
    return status;
}

bvp_status submodel_read(importer *im, const char *dir, const char *path, const char *format,
                         const void *at, submodel *out)
{
    char file[4096];
    uri_bytes bytes;
    model known;
    model_file noted = {0};
    const import_hooks *hooks = im->options->hooks;
    *out = (submodel){0};
    bvp_status status = find_path(im, dir, path, at, file, sizeof file);
    if (status != BVP_OK)
        return status;
    if (hooks && hooks->find && hooks->find(hooks->user, file, format, &noted, &known))
        return take_known(im, path, &noted, &known, out);
    const int fd = im->options->any_path ? beneath_open_any(file) : beneath_open(dir, path);
    if (fd < 0)
        return refuse_file(im, path, at);
    if (uri_map(fd, &bytes) != URI_OK) {
        status = refuse_file(im, path, at);
        close(fd);
        return status;
    }
    status = import_note_file(im, path, bytes.data, bytes.size);
    if (status == BVP_OK)
        status = import_bytes(im, &bytes, fd, path, file, format, at, out);
    uri_close(&bytes);
    close(fd);
    if (status != BVP_OK)
        submodel_free(out);
    return status;
}

void submodel_free(submodel *s)
{
    for (uint32_t i = 0; i < s->node_count; i++)
        model_node_free(&s->nodes[i]);
    free(s->nodes);
    *s = (submodel){0};
}

/* ---- placing it ------------------------------------------------------------------------------ */

static bvp_status add_child(importer *im, uint32_t parent, const char *name, uint32_t mesh)
{
    model_node *node = import_add_node(im);
    if (!node)
        return import_no_memory(im);
    node->parent = parent;
    node->mesh = mesh;
    node->name = name ? strdup(name) : NULL;
    return node->name || !name ? BVP_OK : import_no_memory(im);
}

static bvp_status copy_node(importer *im, const submodel *s, uint32_t i, uint32_t first,
                            uint32_t root)
{
    const model_node *from = &s->nodes[i];
    bvp_status status =
        add_child(im, from->parent == BVP_NONE ? root : first + from->parent, from->name,
                  from->mesh == BVP_NONE ? BVP_NONE : s->first_mesh + from->mesh);
    if (status != BVP_OK)
        return status;
    model_node *node = &im->out->nodes[im->out->node_count - 1];
    memcpy(node->placement, from->placement, sizeof node->placement);
    if (from->source_id && !(node->source_id = strdup(from->source_id)))
        return import_no_memory(im);
    return property_inherit(node, from) == 0 ? BVP_OK : import_no_memory(im);
}

bvp_status submodel_place(importer *im, const submodel *s, uint32_t node, const void *at)
{
    const uint32_t first = im->out->node_count;
    const uint32_t added = s->node_count > 0 ? s->node_count : s->mesh_count;
    bvp_status status = BVP_OK;
    if (s->node_count == 0 && s->mesh_count == 1) {
        im->out->nodes[node].mesh = s->first_mesh;
        return BVP_OK;
    }
    if (first > NODE_MAX || added > NODE_MAX - first)
        return import_refuse_line(im, BVP_ERR_LIMIT, at,
                                  "the trees of the models that are named here come to more than "
                                  "%d nodes; name flat ones",
                                  NODE_MAX);
    for (uint32_t i = 0; i < s->node_count && status == BVP_OK; i++)
        status = copy_node(im, s, i, first, node);
    for (uint32_t i = 0; s->node_count == 0 && i < s->mesh_count && status == BVP_OK; i++)
        status = add_child(im, node, im->out->meshes[s->first_mesh + i].name, s->first_mesh + i);
    return status;
}
