/* SPDX-License-Identifier: MIT
 * merge.c: the verb merge: packed files into one that holds all their parts, without repacking.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"
#include "convert.h"
#include "input.h"
#include "merge_shards.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "shard.h"

typedef struct settings {
    const char *output;
} settings;

typedef struct job {
    bvp_builder *builder;
    const char *path; /* of the file that is being added */
    bvp_error error;
    uint32_t *parts, *nodes; /* of the file, in the builder */
} job;

/* ---- one file into the builder ----------------------------------------------------------------
 */

/* *text: a copy that ends with a zero, to be freed; NULL for an empty text. */
static bvp_status copy_text(bvp_string s, char **text)
{
    *text = s.size > 0 ? strndup(s.data, s.size) : NULL;
    return *text || s.size == 0 ? BVP_OK : BVP_ERR_NO_MEMORY;
}

static bvp_status copy_both(bvp_string name, bvp_string source_id, char *copies[2])
{
    copies[1] = NULL;
    const bvp_status status = copy_text(name, &copies[0]);
    return status == BVP_OK ? copy_text(source_id, &copies[1]) : status;
}

static bvp_status add_part(job *j, const bvp_file *file, uint32_t idx)
{
    bvp_file_info whole;
    bvp_part_info info;
    bvp_get_info(file, &whole);
    bvp_status status = bvp_check_part(file, idx, &j->error);
    if (status == BVP_OK && whole.is_thin) /* convert_open has verified what lies in the file */
        status = bvp_verify_part(file, idx, NULL, NULL, &j->error);
    if (status == BVP_OK)
        status = bvp_get_part(file, idx, &info);
    if (status != BVP_OK)
        return status;
    char *texts[2];
    status = copy_both(info.name, info.source_id, texts);
    if (status == BVP_OK)
        status = bvp_builder_add_packed(j->builder, file, idx, texts[0], texts[1], &j->parts[idx],
                                        &j->error);
    free(texts[0]);
    free(texts[1]);
    return status;
}

static bvp_status add_properties(job *j, const bvp_file *file, uint32_t idx, uint32_t count)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < count && status == BVP_OK; k++) {
        bvp_string key, value;
        status = bvp_get_property(file, idx, k, &key, &value);
        if (status != BVP_OK)
            return status;
        char *key_text = strndup(key.data, key.size), *text = strndup(value.data, value.size);
        status = key_text && text ? bvp_builder_add_property(j->builder, j->nodes[idx], key_text,
                                                             text, &j->error)
                                  : BVP_ERR_NO_MEMORY;
        free(key_text);
        free(text);
    }
    return status;
}

static bvp_status add_node(job *j, const bvp_file *file, uint32_t idx, uint32_t root)
{
    bvp_node_info info;
    bvp_status status = bvp_get_node(file, idx, &info);
    if (status != BVP_OK)
        return status;
    char *texts[2];
    status = copy_both(info.name, info.source_id, texts);
    if (status == BVP_OK)
        status = bvp_builder_add_node(
            j->builder, info.parent == BVP_NONE ? root : j->nodes[info.parent], texts[0], texts[1],
            info.placement, info.part == BVP_NONE ? BVP_NONE : j->parts[info.part], &j->nodes[idx],
            &j->error);
    free(texts[0]);
    free(texts[1]);
    return status == BVP_OK ? add_properties(j, file, idx, info.property_count) : status;
}

/* Its tree goes below a node of its name. */
static bvp_status add_file(job *j, const bvp_file *file)
{
    bvp_file_info info;
    uint32_t root;
    const char *name = base_name(j->path), *dot = strrchr(name, '.');
    char *title = strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    bvp_get_info(file, &info);
    j->parts = calloc((size_t)info.part_count + 1, sizeof *j->parts);
    j->nodes = calloc((size_t)info.node_count + 1, sizeof *j->nodes);
    bvp_status status = title && j->parts && j->nodes ? BVP_OK : BVP_ERR_NO_MEMORY;
    if (status == BVP_OK)
        status = bvp_builder_add_node(j->builder, BVP_NONE, title, NULL, NULL, BVP_NONE, &root,
                                      &j->error);
    for (uint32_t i = 0; i < info.part_count && status == BVP_OK; i++)
        status = add_part(j, file, i);
    for (uint32_t i = 0; i < info.node_count && status == BVP_OK; i++)
        status = add_node(j, file, i, root);
    free(j->parts);
    free(j->nodes);
    free(title);
    return status;
}

/* ---- several files -----------------------------------------------------------------------------
 */

/* Only all shares together are an assembly. */
static int open_whole(const char *path, bvp_file **file)
{
    const int code = convert_open(path, file);
    const shard_number shard = code == 0 ? shard_of(*file) : (shard_number){0, 0};
    if (shard.count == 0)
        return code;
    complain(path, "is share %u of %u; merge all of its shares first, by themselves", shard.index,
             shard.count);
    bvp_close(*file);
    *file = NULL;
    return EXIT_USAGE;
}

/* A model in another unit would come out larger or smaller than it is. */
static int check_unit(const char *path, const bvp_file_info *info, const bvp_file_info *first)
{
    if (info->unit_in_metres == first->unit_in_metres && info->up_axis == first->up_axis)
        return 0;
    complain(path, "expected the unit and up axis of the first file, found others; pack it anew "
                   "with --unit and --up");
    return EXIT_INPUT;
}

/* What the whole says of itself: the first file's unit and up axis, the largest tolerance. */
static int read_heads(const settings *set, char **paths, int count, bvp_file_info *whole)
{
    int code = 0;
    for (int i = 0; i < count && code == 0; i++) {
        bvp_file *file = NULL;
        bvp_file_info info;
        bvp_status status = BVP_OK;
        j->path = paths[i];
        code = open_whole(paths[i], &file);
        if (code != 0)
            return code;
        bvp_get_info(file, &info);
        if (i == 0) {
            const bvp_build_options options = {.unit_in_metres = info.unit_in_metres,
                                               .up_axis = info.up_axis,
                                               .tessellation_tolerance =
                                                   info.tessellation_tolerance,
                                               .packed_is_verified = 1};
            *first = info;
            status = bvp_builder_new(&options, &j->builder, &j->error);
        }
        code = check_unit(paths[i], &info, first);
        if (status == BVP_OK && code == 0)
            status = add_file(j, file);
        if (status != BVP_OK)
            code = complain_status(paths[i], status, &j->error);
        bvp_close(file);
    }
    return code;
}

static int write_file(job *j, const char *path)
{
    output out;
    int code = output_open(&out, path);
    if (code != 0)
        return code;
    const bvp_status status = bvp_builder_finish_fd(j->builder, out.fd, NULL, &j->error);
    if (status == BVP_OK)
        return output_commit(&out);
    output_discard(&out);
    return output_failure(path, status, &j->error);
}

static int merge_files(char **paths, int count, const char *path)
{
    job j = {.error = {.message = ""}};
    bvp_file_info first;
    int code = add_all(&j, paths, count, &first);
    if (code == 0)
        code = write_file(&j, path);
    bvp_builder_free(j.builder);
    return code;
}

/* ---- the verb ----------------------------------------------------------------------------------
 */

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    int code, first = options_operands(self, argc, argv, &set, 1, -1, "at least one FILE", &code);
    if (first < 0)
        return code;
    if (!set.output) {
        complain("merge", "name the merged file with -o");
        return EXIT_USAGE;
    }
    int is_shard;
    code = merge_is_shard(argv[first], &is_shard);
    if (code != 0)
        return code;
    if (is_shard)
        return merge_shards(argv + first, argc - first, set.output);
    if (argc - first == 1)
        return convert_file(argv[first], set.output, NULL);
    return merge_files(argv + first, argc - first, set.output);
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "the merged file; \"-\" is standard output", 0, 0},
    {0},
};

const verb verb_merge = {
    .name = "merge",
    .summary = "make one file of several, of shares, or a fat file of a thin one",
    .synopsis = "FILE... -o OUT\n",
    .description =
        "One thin file becomes a fat one, which holds its parts: the file that packing without "
        "--thin would have made. Several files become one assembly with a node for each; parts "
        "that are equal are stored once. Nothing is repacked.\n\n"
        "All shares that \"bvpack pack --shard\" has made become, in any order, the "
        "file that packing without --shard would have made.",
    .options = options,
    .examples = "# a thin file that is to be sent away\n"
                "bvpack merge thin.bvp -o plant.bvp\n"
                "# two halls in one file\n"
                "bvpack merge north.bvp south.bvp -o works.bvp\n"
                "# what four machines have packed of one manifest\n"
                "bvpack merge share*.bvp -o plant.bvp\n",
    .completes = "bvp",
    .run = run,
};
