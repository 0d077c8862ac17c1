/* SPDX-License-Identifier: MIT
 * fuzz_import.c: any bytes handed to one importer; what it accepts must be packable.
 * BVP_FUZZ_DIR: where the meshes lie that a model names. Of 3MF the bytes are what stands in
 * <resources> of a package and, behind a NUL, in <build>: mutations of the archive itself would end
 * at its checksums. The process that reads it is part of what is run.
 */
#include "model/model.h"
#include "target.h"
#include "zip_case.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static void require(int condition)
{
    if (!condition)
        abort();
}

/* What model.h promises of an imported model. */
static void check(const model *m)
{
    for (uint32_t i = 0; i < m->mesh_count; i++) {
        const model_mesh *mesh = &m->meshes[i];
        for (uint64_t k = 0; k < 3 * mesh->triangle_count; k++)
            require(mesh->indices[k] < mesh->vertex_count);
    }
    for (uint32_t i = 0; i < m->node_count; i++) {
        const model_node *node = &m->nodes[i];
        require(node->parent == BVP_NONE || node->parent < i);
        require(node->mesh == BVP_NONE || node->mesh < m->mesh_count);
    }
}

static const void *package(const uint8_t *data, size_t *size)
{
    static zip z;
    static char text[1 << 17];
    if (*size > sizeof text - 2)
        *size = sizeof text - 2;
    if (*size > 0)
        memcpy(text, data, *size);
    text[*size] = text[*size + 1] = '\0';
    make_package(&z, 0, "inch", text, text + strlen(text) + 1);
    *size = z.size;
    return z.bytes;
}

/* format: as in import_options */
static int try_format(const char *format, const void *data, size_t size)
{
    for (int drop = 0; drop < 2; drop++) {
        import_options options = {.thread_count = 1,
                                  .drop_invalid = drop,
                                  .format = format,
                                  .seconds = 2,
                                  .pipe_dir = getenv("BVP_FUZZ_DIR")};
        bvp_error error = {.status = BVP_OK};
        model m;
        bvp_status status = model_import_memory(data, size, "fuzz", NULL, &options, &m, &error);
        if (status == BVP_OK) {
            check(&m);
            model_free(&m);
        } else {
            require(error.message[0] != 0);
        }
    }
    return 0;
}

static int try_3mf(const uint8_t *data, size_t size)
{
    const void *bytes = package(data, &size);
    return try_format("3mf", bytes, size);
}

#define TRY(format)                                                                                \
    static int try_##format(const uint8_t *data, size_t size)                                      \
    {                                                                                              \
        return try_format(#format, data, size);                                                    \
    }
TRY(ap242)
TRY(gltf)
TRY(manifest)
TRY(obj)
TRY(off)
TRY(plmxml)
TRY(ply)
TRY(rvm)
TRY(stl)
TRY(urdf)

const fuzz_target fuzz_imports[FUZZ_IMPORTS] = {
    {"3mf", try_3mf, NULL},           {"ap242", try_ap242, NULL}, {"gltf", try_gltf, NULL},
    {"manifest", try_manifest, NULL}, {"obj", try_obj, NULL},     {"off", try_off, NULL},
    {"plmxml", try_plmxml, NULL},     {"ply", try_ply, NULL},     {"rvm", try_rvm, NULL},
    {"stl", try_stl, NULL},           {"urdf", try_urdf, NULL},
};
