/* SPDX-License-Identifier: MIT
 * plan_export.c: walks an export as packing does, but takes down every mesh file that it places
 * instead of reading it.
 */
#include "plan/plan_export.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files/packed_file.h"
#include "pack/pack_store.h"
#include "plan/plan_rates.h"
#include "text/array.h"
#include "text/message.h"

typedef struct noting {
    plan_export *out;
    pack_store *store; /* or NULL */
    int is_out_of_memory;
} noting;

/* The name as people write it: a folder's "hall/" and a file in it were joined by one slash more.
 */
static char *tidy_name(const char *path)
{
    char *name = strdup(path);
    if (!name)
        return NULL;
    char *to = name;
    const char *from = name;
#ifdef _WIN32 /* //server */
    while (*from == '/' && to < name + 2)
        *to++ = *from++;
#endif
    for (; *from; from++)
        if (*from != '/' || from[1] != '/')
            *to++ = *from;
    *to = '\0';
    return name;
}

/* The file's row; NULL: memory is out. */
static plan_file *add_file(noting *n, const char *path, const char *format, uint64_t size)
{
    plan_export *e = n->out;
    const plan_rate *rate = plan_rate_of(format, path);
    if (array_grow(&e->files, &e->file_capacity, e->file_count + 1, sizeof *e->files) != 0)
        return NULL;
    plan_file *file = &e->files[e->file_count];
    *file = (plan_file){.path = tidy_name(path), .size = size};
    if (!file->path)
        return NULL;
    e->file_count++;
    file->triangle_count = plan_count_triangles(path, size);
    if (file->triangle_count == 0)
        file->triangle_count = 1 + (uint64_t)((double)size / rate->triangle_size);
    file->seconds = 1e-6 * (double)size * rate->seconds_megabyte +
                    PLAN_PACK_SECONDS * (double)file->triangle_count;
    return file;
}

/* One mesh stands for all of the file. 0, or -1: memory is out. */
static int note(noting *n, const char *path, const char *format, uint64_t size, model *out)
{
    plan_file *file = add_file(n, path, format, size);
    *out = (model){.meshes = file ? calloc(1, sizeof *out->meshes) : NULL};
    if (!file || !out->meshes) {
        n->is_out_of_memory = 1;
        return -1;
    }
    out->mesh_count = 1;
    out->meshes[0] = (model_mesh){.is_packed = 1, .triangle_count = file->triangle_count};
    file->is_known = n->store && pack_store_has_file(n->store, path, format);
    return 0;
}

/* For import_hooks: no file is opened. What can't be read is left to the importer, which says where
 * it is named. */
static int find_file(void *user, const char *path, const char *format, model_file *noted,
                     model *out)
{
    noting *n = user;
    struct stat about;
    (void)noted;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0 ||
        access(path, R_OK) != 0)
        return 0;
    (void)note(n, path, format, (uint64_t)about.st_size, out);
    return 1;
}

/* Likewise: of what could be opened after all. */
static bvp_status skip_file(void *user, const void *data, size_t size, const uint8_t hash[16],
                            const char *path, const char *dir, const import_options *options,
                            model *out, bvp_error *error)
{
    (void)data;
    (void)hash;
    (void)dir;
    (void)error;
    (void)path; /* as it is named */
    return note(user, options->path, options->format, size, out) == 0 ? BVP_OK : BVP_ERR_NO_MEMORY;
}

/* What the files come to. */
static void add_up(plan_export *e, const model *m)
{
    e->line_count = m->node_count;
    for (uint32_t i = 0; i < m->node_count; i++)
        e->instance_count += m->nodes[i].mesh != BVP_NONE;
    for (size_t i = 0; i < e->file_count; i++) {
        const plan_file *file = &e->files[i];
        e->triangle_count += file->triangle_count;
        if (file->triangle_count > e->largest_mesh)
            e->largest_mesh = file->triangle_count;
        e->known_count += (uint64_t)file->is_known;
        if (file->is_known)
            continue;
        e->seconds += file->seconds;
        if (!e->largest || file->seconds > e->largest->seconds)
            e->largest = file;
    }
}

/* A model that names mesh files is walked; of another one its own size is all there is. */
static int walk(plan_export *e, const pack_plan *plan, const pack_bytes *from, noting *n)
{
    static const char *const walked[] = {"manifest", "plmxml", "ap242", "urdf"};
    const import_hooks hooks = {.user = n, .find = find_file, .import = skip_file};
    const pack_source source = {.path = from->label};
    import_options options = pack_import_options(plan, &source, NULL);
    bvp_error error = {0};
    model m = {0};
    int is_walked = 0;
    for (size_t i = 0; i < sizeof walked / sizeof *walked; i++)
        is_walked |= strcmp(e->format, walked[i]) == 0;
    if (!is_walked) {
        if (!add_file(n, from->label, e->format, from->file->size))
            return complain_memory();
        e->instance_count = 1;
        add_up(e, &m);
        return 0;
    }
    /* with the options as packing has them: they are part of the key */
    if (n->store && pack_store_look(n->store, from, &options) != 0)
        return complain_memory();
    options.hooks = &hooks;
    options.format = e->format;
    options.progress = NULL;
    options.strays = MODEL_STRAYS_IGNORE;
    const bvp_status status = model_import_memory(from->file->data, from->file->size, from->label,
                                                  from->dir, &options, &m, &error);
    if (n->is_out_of_memory || status == BVP_ERR_NO_MEMORY) {
        model_free(&m);
        return complain_memory();
    }
    if (status != BVP_OK)
        return pack_failure(from->label, status, &error, 0);
    add_up(e, &m);
    model_free(&m);
    return 0;
}

int plan_export_read(const char *path, const pack_plan *plan, const char *store, plan_export *out)
{
    shard_counts whole = {.number = {0, 0}};
    pack_store parts = {.plan = plan};
    noting n = {.out = out};
    char folder[4096];
    bvp_file *packed;
    input file;
    *out = (plan_export){.path = path};
    if (packed_open(path, NULL, &packed, NULL) == BVP_OK) {
        bvp_close(packed);
        complain(path, "is packed already; plan the model or manifest that it is packed from");
        return EXIT_INPUT;
    }
    int code = input_open(&file, path);
    if (code != 0)
        return code;
    if (folder_of(path, folder, sizeof folder) != 0)
        folder[0] = '\0';
    const pack_bytes from = {.file = &file, .label = path, .dir = folder};
    const char *format = plan->set->format;
    if (!format && file.size > 0)
        format = model_format(file.data, file.size, path);
    out->size = file.size;
    out->format = strdup(format ? format : "");
    out->is_manifest = format && strcmp(format, "manifest") == 0;
    if (!out->format) {
        code = complain_memory();
    } else if (!format) {
        complain(path,
                 "expected a manifest or a model, found %s; name its format with "
                 "--pack '--format WORD'",
                 file.size == 0 ? "an empty file" : "neither");
        code = EXIT_INPUT;
    }
    /* a store that is not there yet is not made: it has nothing */
    if (code == 0 && store && access(store, F_OK) == 0) {
        code = pack_store_open(&parts, plan, &whole, "");
        n.store = &parts;
    }
    if (code == 0)
        code = walk(out, plan, &from, &n);
    if (n.store) {
        pack_store_forget(&parts);
        pack_store_close(&parts);
    }
    input_close(&file);
    return code;
}

void plan_export_free(plan_export *e)
{
    for (size_t i = 0; i < e->file_count; i++)
        free(e->files[i].path);
    free(e->files);
    free(e->format);
}
