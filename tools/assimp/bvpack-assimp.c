/* SPDX-License-Identifier: MIT
 * bvpack-assimp.c: reads a model with assimp, answers as import_protocol.h says.
 */
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/mesh.h>
#include <assimp/metadata.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "import/import_send.h"
#include "text/array.h"

enum { STATUS_USAGE = 2, PROPERTY_MAX = 256, VALUE_SIZE = 64, NODE_MAX = 1 << 24 };

typedef struct job {
    import_sender *sender;
    const struct aiScene *scene;
    uint32_t *parts; /* of each mesh of the scene, or IMPORT_NONE */
    uint64_t skipped;
} job;

static void refuse_memory(import_sender *sender)
{
    import_send_failure(sender, BVP_ERR_NO_MEMORY, "out of memory while reading; split it");
}

static void *allocate(job *j, size_t count, size_t size)
{
    void *data = calloc(count + 1, size);
    if (!data)
        refuse_memory(j->sender);
    return data;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* A material that assimp invented for want of one says nothing. */
static void send_colour(job *j, const struct aiMesh *mesh)
{
    const struct aiMaterial *material = mesh->mMaterialIndex < j->scene->mNumMaterials
                                            ? j->scene->mMaterials[mesh->mMaterialIndex]
                                            : NULL;
    struct aiString name = {0};
    struct aiColor4D colour = {0};
    float opacity = 1;
    colour_runs runs = {0};
    if (!material || (aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS &&
                      strcmp(name.data, AI_DEFAULT_MATERIAL_NAME) == 0))
        return;
    if (aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &colour) != aiReturn_SUCCESS)
        return;
    /* not aiGetMaterialFloat: inline in C, so it is nowhere where compilers inline nothing */
    if (aiGetMaterialFloatArray(material, AI_MATKEY_OPACITY, &opacity, NULL) != aiReturn_SUCCESS)
        opacity = 1;
    const uint8_t rgba[4] = {colour_byte((double)colour.r), colour_byte((double)colour.g),
                             colour_byte((double)colour.b), colour_byte((double)opacity)};
    colour_runs_add(&runs, 0, rgba);
    import_send_colours(j->sender, &runs);
    colour_runs_free(&runs);
}

/* Triangles of a mesh; points and lines are left out. */
static uint32_t send_mesh(job *j, const struct aiMesh *mesh)
{
    double *positions = allocate(j, mesh->mNumVertices, 3 * sizeof *positions);
    uint32_t *indices = allocate(j, mesh->mNumFaces, 3 * sizeof *indices);
    uint64_t count = 0;
    uint32_t part = IMPORT_NONE;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        positions[3 * i] = mesh->mVertices[i].x;
        positions[3 * i + 1] = mesh->mVertices[i].y;
        positions[3 * i + 2] = mesh->mVertices[i].z;
    }
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) {
            j->skipped++;
            continue;
        }
        for (int k = 0; k < 3; k++)
            indices[3 * count + k] = face->mIndices[k];
        count++;
    }
    if (count > 0) {
        part = import_send_part(j->sender, mesh->mName.length ? mesh->mName.data : NULL, positions,
                                mesh->mNumVertices, indices, count, NULL);
        send_colour(j, mesh);
    }
    free(positions);
    free(indices);
    return part;
}

static void send_meshes(job *j)
{
    j->parts = allocate(j, j->scene->mNumMeshes, sizeof *j->parts);
    for (unsigned i = 0; i < j->scene->mNumMeshes; i++) {
        j->parts[i] = send_mesh(j, j->scene->mMeshes[i]);
        import_send_progress(j->sender, i + 1, j->scene->mNumMeshes);
    }
    import_send_warning(j->sender, j->skipped, "points and lines left out");
}

/* ---- nodes ----------------------------------------------------------------------------------- */

typedef struct values {
    import_property list[PROPERTY_MAX];
    char texts[PROPERTY_MAX][VALUE_SIZE];
    uint32_t count;
} values;

/* 0: not of a kind that is a text. */
static int text_of(const struct aiMetadataEntry *entry, char out[VALUE_SIZE], const char **text)
{
    *text = out;
    switch (entry->mType) {
    case AI_BOOL:
        *text = *(bool *)entry->mData ? "true" : "false";
        return 1;
    case AI_INT32:
        return snprintf(out, VALUE_SIZE, "%d", *(int32_t *)entry->mData);
    case AI_UINT64:
        return snprintf(out, VALUE_SIZE, "%llu", *(unsigned long long *)entry->mData);
    case AI_FLOAT:
        return snprintf(out, VALUE_SIZE, "%.9g", (double)*(float *)entry->mData);
    case AI_DOUBLE:
        return snprintf(out, VALUE_SIZE, "%.17g", *(double *)entry->mData);
    case AI_AISTRING:
        *text = ((struct aiString *)entry->mData)->data;
        return 1;
    default:
        return 0;
    }
}

static void read_values(const struct aiMetadata *data, values *out)
{
    out->count = 0;
    for (unsigned i = 0; data && i < data->mNumProperties && out->count < PROPERTY_MAX; i++) {
        import_property *p = &out->list[out->count];
        if (!data->mValues[i].mData ||
            !text_of(&data->mValues[i], out->texts[out->count], &p->value))
            continue;
        p->key = data->mKeys[i].data;
        out->count++;
    }
}

static import_node placed(const struct aiMatrix4x4 *m, uint32_t parent)
{
    const double rows[12] = {m->a1, m->a2, m->a3, m->a4, m->b1, m->b2,
                             m->b3, m->b4, m->c1, m->c2, m->c3, m->c4};
    import_node node = {.parent = parent, .part = IMPORT_NONE};
    memcpy(node.placement, rows, sizeof rows);
    return node;
}

typedef struct pending {
    const struct aiNode *node;
    uint32_t parent;
} pending;

/* A node with one mesh carries it itself; a node with several gets a child for each. */
static void send_nodes(job *j)
{
    static const struct aiMatrix4x4 identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    size_t capacity = 64, depth = 0;
    pending *stack = allocate(j, capacity, sizeof *stack);
    values *v = allocate(j, 1, sizeof *v);
    stack[depth++] = (pending){j->scene->mRootNode, IMPORT_NONE};
    while (depth > 0) {
        const pending next = stack[--depth];
        const struct aiNode *from = next.node;
        import_node node = placed(&from->mTransformation, next.parent);
        read_values(from->mMetaData, v);
        node.property_count = v->count;
        if (from->mNumMeshes == 1)
            node.part = j->parts[from->mMeshes[0]];
        const uint32_t number = import_send_node(
            j->sender, &node, from->mName.length ? from->mName.data : NULL, NULL, v->list);
        for (unsigned i = 0; from->mNumMeshes > 1 && i < from->mNumMeshes; i++) {
            const struct aiMesh *mesh = j->scene->mMeshes[from->mMeshes[i]];
            import_node child = placed(&identity, number);
            child.part = j->parts[from->mMeshes[i]];
            if (child.part != IMPORT_NONE)
                import_send_node(j->sender, &child, mesh->mName.length ? mesh->mName.data : NULL,
                                 NULL, NULL);
        }
        const unsigned children = from->mNumChildren;
        if (array_grow(&stack, &capacity, depth + children, sizeof *stack) != 0)
            refuse_memory(j->sender);
        for (unsigned i = children; i-- > 0;)
            stack[depth++] = (pending){from->mChildren[i], number};
    }
    free(stack);
    free(v);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Length of a unit in metres, when the format's reader reports it or the format fixes it. */
static double unit_of(const struct aiScene *scene, const char *format)
{
    for (unsigned i = 0; scene->mMetaData && i < scene->mMetaData->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &scene->mMetaData->mValues[i];
        if (strcmp(scene->mMetaData->mKeys[i].data, "UnitScaleFactor") != 0 || !entry->mData)
            continue;
        const double factor = entry->mType == AI_DOUBLE  ? *(double *)entry->mData
                              : entry->mType == AI_FLOAT ? (double)*(float *)entry->mData
                                                         : 0;
        return isfinite(factor) && factor > 0 ? factor / 100 : 0; /* FBX: in centimetres */
    }
    return strcmp(format, "dae") == 0 || strcmp(format, "ifc") == 0 ? 1 : 0;
}

static const char *ending_of(const import_task *task)
{
    const char *dot = strrchr(task->name, '.');
    return strcmp(task->format, "assimp") != 0 ? task->format : dot ? dot + 1 : "";
}

/* ---- files ------------------------------------------------------------------------------------
 * assimp opens nothing by itself: the model's bytes are there, others come from who started us. */

typedef struct file_bytes {
    const uint8_t *data;
    size_t size, at;
    int is_asked; /* we own its mapping */
} file_bytes;

typedef struct folder {
    import_sender *sender;
    const import_task *task;
} folder;

static size_t read_from(struct aiFile *file, char *out, size_t size, size_t count)
{
    file_bytes *f = (file_bytes *)file->UserData;
    if (size == 0)
        return 0;
    assert(f->at <= f->size); /* seek goes no farther */
    const size_t most = (f->size - f->at) / size;
    const size_t taken = count < most ? count : most;
    memcpy(out, f->data + f->at, taken * size);
    f->at += taken * size;
    return taken;
}

static size_t write_nowhere(struct aiFile *file, const char *data, size_t size, size_t count)
{
    (void)file, (void)data, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    return ((file_bytes *)file->UserData)->at;
}

static size_t size_of(struct aiFile *file)
{
    return ((file_bytes *)file->UserData)->size;
}

static void flush_nothing(struct aiFile *file)
{
    (void)file;
}

/* Unsigned sums wrap, so that backward offsets come out right; beyond the end is refused. */
static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    file_bytes *f = (file_bytes *)file->UserData;
    const size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? f->at : f->size;
    const size_t at = base + offset;
    if (at > f->size)
        return aiReturn_FAILURE;
    f->at = at;
    return aiReturn_SUCCESS;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode)
{
    const folder *from = (const folder *)io->UserData;
    file_bytes *f = calloc(1, sizeof *f);
    struct aiFile *file = calloc(1, sizeof *file);
    if (!f || !file)
        refuse_memory(from->sender);
    const char *plain = name;
    while (strncmp(plain, "./", 2) == 0)
        plain += 2;
    *file =
        (struct aiFile){read_from, write_nowhere, tell, size_of, seek, flush_nothing, (char *)f};
    if (strcmp(plain, from->task->name) == 0) {
        f->data = from->task->data;
        f->size = from->task->size;
    } else if (!strpbrk(mode, "wa+")) {
        f->data = import_send_ask(from->sender, name, &f->size);
        f->is_asked = 1;
    }
    if (f->data)
        return file;
    free(f);
    free(file);
    return NULL;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
    file_bytes *f = (file_bytes *)file->UserData;
    (void)io;
    if (f->is_asked)
        munmap((void *)f->data, f->size);
    free(f);
    free(file);
}

static const struct aiScene *read_scene(import_sender *sender, const import_task *task)
{
    folder from = {sender, task};
    struct aiFileIO io = {open_file, close_file, (char *)&from};
    char path[512];
    snprintf(path, sizeof path, "./%s", task->name); /* whose folder is known */
    const unsigned steps = aiProcess_Triangulate | aiProcess_ValidateDataStructure;
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    /* as other readers have it: coordinates stay what they are, and who names the file turns it */
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    const struct aiScene *scene = aiImportFileExWithProperties(path, steps, &io, settings);
    if (scene && scene->mRootNode)
        return scene;
    char text[512];
    snprintf(text, sizeof text, "assimp can't read it as %.8s: %.300s", ending_of(task),
             aiGetErrorString());
    import_send_failure(sender, BVP_ERR_CORRUPT, text);
}

int main(int argc, char **argv)
{
    import_task task;
    import_sender *sender = import_send_start(argc, argv, &task);
    if (!sender) {
        fputs("usage: bvpack-assimp FORMAT CHORD ANGLE THREADS DROP SPACES MEMORY SECONDS NAME "
              "3>ANSWER "
              "4<MODEL\n"
              "started by bvpack to read models with assimp\n",
              stderr);
        return STATUS_USAGE;
    }
    job j = {.sender = sender, .scene = read_scene(sender, &task)};
    send_meshes(&j);
    send_nodes(&j);
    char format[64];
    snprintf(format, sizeof format, "%.20s, read by assimp", ending_of(&task));
    const import_end end = {.unit_in_metres = unit_of(j.scene, task.format), .up_axis = 3};
    import_send_end(sender, &end, format);
}
