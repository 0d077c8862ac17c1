/* SPDX-License-Identifier: MIT
 * submodel.c: a model file that the current model refers to: read once, placed any number of times.
 */
#include "model/submodel.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files/beneath.h"
#include "model/properties.h"
#include "files/uri.h"
#include "path/whole_path.h"

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

/* ---- what it is made of ---------------------------------------------------------------------- */

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Hands what was read over to the model: meshes, warnings, and the names of files that it needs
 * itself, which become relative to the whole model's folder. Its nodes stay with the submodel. */
static bvp_status take(importer *im, model *from, const char *path, submodel *out)
{
    const char *title = last_name(path), *dot = strrchr(title, '.');
    const size_t title_size = dot && dot > title ? (size_t)(dot - title) : strlen(title);
    const size_t folder = (size_t)(title - path);
    bvp_status status = BVP_OK;
    out->first_mesh = im->out->mesh_count;
    for (uint32_t i = 0; i < from->mesh_count && status == BVP_OK; i++) {
        model_mesh *mesh = import_add_mesh(im);
        if (!mesh) {
            status = import_no_memory(im);
            break;
        }
        *mesh = from->meshes[i];
        memset(&from->meshes[i], 0, sizeof from->meshes[i]);
        out->mesh_count++;
        if (mesh->name && *mesh->name)
            continue;
        free(mesh->name);
        mesh->name = import_text(title, title_size);
        if (!mesh->name)
            status = import_no_memory(im);
    }
    for (uint32_t i = 0; i < from->file_count && status == BVP_OK; i++) {
        model_file *file = import_add_file(im);
        const char *name = from->files[i].name;
        char *whole = malloc(folder + strlen(name) + 1);
        if (!file || !whole) {
            free(whole);
            status = import_no_memory(im);
            break;
        }
        memcpy(whole, path, folder);
        strcpy(whole + folder, name);
        *file = from->files[i];
        file->name = whole;
    }
    for (uint32_t i = 0; i < from->warning_count && status == BVP_OK; i++)
        status = import_warn(im, from->warnings[i].count, from->warnings[i].text);
    assert(out->first_mesh + out->mesh_count == im->out->mesh_count);
    assert(!out->nodes);
    out->nodes = from->nodes;
    out->node_count = from->node_count;
    out->unit_in_metres = from->unit_in_metres;
    out->tolerance = from->tolerance;
    out->up = from->up;
    from->nodes = NULL;
    from->node_count = 0;
    return status;
}

/* path: dir/path, or one that begins at the root. The model may be known without being read. */
bvp_status submodel_read(importer *im, const char *dir, const char *path, const char *format,
                         const void *at, submodel *out)
{
    char file[4096], folder[4096];
    uri_bytes bytes;
    model inner;
    model_file noted = {0};
    bvp_error error = {0};
    const import_hooks *hooks = im->options->hooks;
    bvp_status status;
    *out = (submodel){0};
    if (!dir || (!uri_is_inside(path) && !im->options->any_path))
        return import_refuse_line(im, BVP_ERR_ARGUMENT, at,
                                  "expected a relative path with slashes that stays in the model's "
                                  "folder, found \"%.60s\"; allow others with --any-path",
                                  path);
    const int size = path_is_whole(path) ? snprintf(file, sizeof file, "%s", path)
                                         : snprintf(file, sizeof file, "%s/%s", dir, path);
    if (size >= (int)sizeof file)
        return import_refuse_line(im, BVP_ERR_LIMIT, at, "the path of a mesh is too long");
    if (hooks && hooks->find && hooks->find(hooks->user, file, format, &noted, &inner)) {
        model_file *known = import_add_file(im);
        status = known ? BVP_OK : import_no_memory(im);
        if (status == BVP_OK) {
            *known = noted;
            known->name = import_text(path, strlen(path));
            status = known->name ? take(im, &inner, path, out) : import_no_memory(im);
        }
        model_free(&inner);
        if (status != BVP_OK)
            submodel_free(out);
        return status;
    }
    const int fd = im->options->any_path ? beneath_open_any(file) : beneath_open(dir, path);
    if (fd < 0)
        return refuse_file(im, path, at);
    if (uri_map(fd, &bytes) != URI_OK) {
        status = refuse_file(im, path, at);
        close(fd);
        return status;
    }
    status = import_note_file(im, path, bytes.data, bytes.size);
    if (status == BVP_OK) {
        import_options options = *im->options;
        options.format = format;
        options.is_nested = 1;
        options.path = file;
        options.file = &fd;
        options.progress = NULL;
        snprintf(folder, sizeof folder, "%.*s", (int)(last_name(file) - file), file);
        const uint8_t *hash = im->out->files[im->out->file_count - 1].hash;
        if (hooks && hooks->import)
            status = hooks->import(hooks->user, bytes.data, bytes.size, hash, path, folder,
                                   &options, &inner, &error);
        else
            status =
                model_import_memory(bytes.data, bytes.size, path, folder, &options, &inner, &error);
        if (status == BVP_OK) {
            status = take(im, &inner, path, out);
            model_free(&inner);
        } else {
            status = import_refuse_line(im, status, at, "%s", error.message);
        }
    }
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

bvp_status submodel_place(importer *im, const submodel *s, uint32_t node, const void *at)
{
    const uint32_t first = im->out->node_count;
    const uint32_t added = s->node_count > 0 ? s->node_count : s->mesh_count;
    bvp_status status = BVP_OK;
    assert(node < first);
    if (s->node_count == 0 && s->mesh_count == 1) {
        im->out->nodes[node].mesh = s->first_mesh;
        return BVP_OK;
    }
    if (first > NODE_MAX || added > NODE_MAX - first)
        return import_refuse_line(im, BVP_ERR_LIMIT, at,
                                  "the trees of the models that are named here come to more than "
                                  "%d nodes; name flat ones",
                                  NODE_MAX);
    for (uint32_t i = 0; i < s->node_count && status == BVP_OK; i++) {
        const model_node *from = &s->nodes[i];
        assert(from->parent == BVP_NONE || from->parent < i); /* parents come first */
        assert(from->mesh == BVP_NONE || from->mesh < s->mesh_count);
        status = add_child(im, from->parent == BVP_NONE ? node : first + from->parent, from->name,
                           from->mesh == BVP_NONE ? BVP_NONE : s->first_mesh + from->mesh);
        if (status != BVP_OK)
            break;
        assert(im->out->node_count == first + i + 1); /* so parents keep their places */
        model_node *copy = &im->out->nodes[first + i];
        memcpy(copy->placement, from->placement, sizeof copy->placement);
        if (from->source_id)
            copy->source_id = strdup(from->source_id);
        if ((from->source_id && !copy->source_id) || property_inherit(copy, from) != 0)
            status = import_no_memory(im);
    }
    for (uint32_t i = 0; s->node_count == 0 && i < s->mesh_count && status == BVP_OK; i++)
        status = add_child(im, node, im->out->meshes[s->first_mesh + i].name, s->first_mesh + i);
    return status;
}
