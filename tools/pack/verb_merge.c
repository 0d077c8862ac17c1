/* SPDX-License-Identifier: MIT
 * verb_merge.c: the verb merge: packed files into one that holds all their parts, without
 * repacking.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"
#include "store/convert_file.h"
#include "files/input.h"
#include "pack/merge_shards.h"
#include "text/message.h"
#include "cli/options.h"
#include "files/output.h"
#include "files/packed_file.h"
#include "pack/shard.h"
#include "cli/verb.h"
#include "cli/units.h"

typedef struct settings {
    const char *output, *assume_unit;
    int trust_shares;
} settings;

typedef struct job {
    bvp_builder *builder;
    const char *path; /* of the file that is being added */
    double scale;     /* of its unit in the first file's */
    bvp_error error;
    uint32_t *parts, *nodes; /* of the file, in the builder */
} job;

/* ---- one file into the builder --------------------------------------------------------------- */

/* *copies: of both texts, with a zero at the end, to be freed; NULL for an empty text. */
static bvp_status copy_texts(bvp_string name, bvp_string source_id, char *copies[2])
{
    copies[0] = name.size > 0 ? strndup(name.data, name.size) : NULL;
    copies[1] = NULL;
    if (name.size > 0 && !copies[0])
        return BVP_ERR_NO_MEMORY;
    copies[1] = source_id.size > 0 ? strndup(source_id.data, source_id.size) : NULL;
    return source_id.size > 0 && !copies[1] ? BVP_ERR_NO_MEMORY : BVP_OK;
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
    status = copy_texts(info.name, info.source_id, texts);
    if (status == BVP_OK)
        status = bvp_builder_add_packed(
            j->builder,
            &(bvp_packed_part){.file = file, .part = idx, .name = texts[0], .source_id = texts[1]},
            &j->parts[idx], &j->error);
    free(texts[0]);
    free(texts[1]);
    return status;
}

static bvp_status add_node(job *j, const bvp_file *file, uint32_t idx, uint32_t root)
{
    bvp_node_info info;
    bvp_status status = bvp_get_node(file, idx, &info);
    if (status != BVP_OK)
        return status;
    char *texts[2];
    status = copy_texts(info.name, info.source_id, texts);
    if (status == BVP_OK)
        status = bvp_builder_add_node(
            j->builder,
            &(bvp_new_node){.parent = info.parent == BVP_NONE ? root : j->nodes[info.parent],
                            .name = texts[0],
                            .source_id = texts[1],
                            .placement = info.placement,
                            .part = info.part == BVP_NONE ? BVP_NONE : j->parts[info.part]},
            &j->nodes[idx], &j->error);
    free(texts[0]);
    free(texts[1]);
    for (uint32_t k = 0; k < info.property_count && status == BVP_OK; k++) {
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

/* Its tree is put below a node with its name, which scales its lengths to the first file's unit. */
static bvp_status add_file(job *j, const bvp_file *file)
{
    const double s = j->scale, placement[12] = {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0};
    bvp_file_info info;
    uint32_t root;
    const char *name = base_name(j->path), *dot = strrchr(name, '.');
    char *title = strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    bvp_get_info(file, &info);
    j->parts = calloc((size_t)info.part_count + 1, sizeof *j->parts);
    j->nodes = calloc((size_t)info.node_count + 1, sizeof *j->nodes);
    bvp_status status = title && j->parts && j->nodes ? BVP_OK : BVP_ERR_NO_MEMORY;
    if (status == BVP_OK)
        status = bvp_builder_add_node(j->builder,
                                      &(bvp_new_node){.parent = BVP_NONE,
                                                      .name = title,
                                                      .placement = s == 1 ? NULL : placement,
                                                      .part = BVP_NONE},
                                      &root, &j->error);
    for (uint32_t i = 0; i < info.part_count && status == BVP_OK; i++)
        status = add_part(j, file, i);
    for (uint32_t i = 0; i < info.node_count && status == BVP_OK; i++)
        status = add_node(j, file, i, root);
    free(j->parts);
    free(j->nodes);
    free(title);
    return status;
}

/* ---- several files --------------------------------------------------------------------------- */

/* The unit of the file, or that of --assume-unit; *scale: in the first file's unit. */
static int settle_unit(const char *path, const char *assume, bvp_file_info *info,
                       const char *first_path, const bvp_file_info *first, double *scale)
{
    int code = units_assume(assume, info);
    if (code == 0)
        code = units_scale(first_path, first, path, info, scale);
    if (code != 0 || info->up == first->up)
        return code;
    complain(path, "expected the up axis of the first file, found another; pack it anew with --up");
    return EXIT_INPUT;
}

/* The properties of the whole: the first file's unit and up axis, the largest tolerance. They must
 * be known before the builder starts, so each file is opened twice. */
static int read_heads(const settings *set, char **paths, int count, bvp_file_info *whole)
{
    for (int i = 0; i < count; i++) {
        bvp_file *file = NULL;
        bvp_file_info info;
        bvp_error error = {0};
        double scale = 1;
        const bvp_status status = packed_open_mapped(paths[i], NULL, &file, &error);
        if (status != BVP_OK)
            return complain_status(paths[i], status, &error);
        bvp_get_info(file, &info);
        const shard_number shard = shard_of(file);
        bvp_close(file);
        if (shard.count > 0) { /* only all shares together are an assembly */
            complain(paths[i], "is share %u of %u; merge all of its shares first, by themselves",
                     shard.index, shard.count);
            return EXIT_USAGE;
        }
        if (i == 0)
            *whole = info;
        const int code =
            i == 0 ? units_assume(set->assume_unit, whole)
                   : settle_unit(paths[i], set->assume_unit, &info, paths[0], whole, &scale);
        if (code != 0)
            return code;
        if (i > 0)
            whole->tessellation_tolerance =
                fmax(whole->tessellation_tolerance, scale * info.tessellation_tolerance);
    }
    return 0;
}

static int merge_files(const settings *set, char **paths, int count)
{
    job j = {.error = {.message = ""}};
    bvp_file_info whole = {0};
    assert(count > 1);
    int code = read_heads(set, paths, count, &whole);
    if (code != 0)
        return code;
    const bvp_build_options options = {.unit_in_metres = whole.unit_in_metres,
                                       .up = whole.up,
                                       .tessellation_tolerance = whole.tessellation_tolerance,
                                       .packed_is_verified = 1};
    bvp_status status = bvp_builder_new(&options, &j.builder, &j.error);
    if (status != BVP_OK)
        code = complain_status(paths[0], status, &j.error);
    for (int i = 0; i < count && code == 0; i++) {
        bvp_file *file = NULL;
        bvp_file_info info;
        j.path = paths[i];
        code = convert_open(paths[i], 0, &file);
        if (code != 0)
            break;
        bvp_get_info(file, &info);
        code = settle_unit(paths[i], set->assume_unit, &info, paths[0], &whole, &j.scale);
        if (code == 0) {
            status = add_file(&j, file);
            if (status != BVP_OK)
                code = complain_status(paths[i], status, &j.error);
        }
        bvp_close(file);
    }
    output out;
    if (code == 0)
        code = output_open(&out, set->output);
    if (code == 0) {
        status = bvp_builder_finish_fd(j.builder, out.fd, NULL, &j.error);
        if (status == BVP_OK) {
            code = output_commit(&out);
        } else {
            output_discard(&out);
            code = output_failure(set->output, status, &j.error);
        }
    }
    bvp_builder_free(j.builder);
    return code;
}

/* ---- the verb -------------------------------------------------------------------------------- */

/* Shares of a clash run are merged by the verb that makes the reports. */
static int merge_clash(int argc, char **argv)
{
    char **all = calloc((size_t)argc + 2, sizeof *all);
    char name[] = "clash", option[] = "--merge";
    if (!all)
        return complain_memory();
    all[0] = name;
    all[1] = option;
    memcpy(all + 2, argv + 1, ((size_t)argc - 1) * sizeof *all);
    const int code = verb_clash.run(&verb_clash, argc + 1, all);
    free(all);
    return code;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    for (int i = 1; i < argc; i++)
        if (clash_share_is(argv[i]))
            return merge_clash(argc, argv);
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
    if (set.trust_shares && !is_shard) {
        complain("--trust-shares", "is for shares, as \"bvpack pack --shard\" makes them");
        return EXIT_USAGE;
    }
    if (set.assume_unit && (argc - first == 1 || is_shard)) {
        complain("--assume-unit", "is for several files that are no shares");
        return EXIT_USAGE;
    }
    if (is_shard)
        return merge_shards(argv + first, argc - first, set.output, set.trust_shares);
    if (argc - first == 1)
        return convert_file(argv[first], set.output, NULL);
    return merge_files(&set, argv + first, argc - first);
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "the merged file; \"-\" is standard output", 0, 0},
    {"trust-shares", 0, OPTION_FLAG, offsetof(settings, trust_shares), NULL,
     "with shares that nobody else writes to: take parts by their hashes alone, without holding "
     "them against the rules of the format, which takes nearly as long as packing them",
     0, 0},
    {"assume-unit", 0, OPTION_TEXT, offsetof(settings, assume_unit), UNITS_ASSUME_VALUE,
     UNITS_ASSUME_HELP, 0, 0},
    {0},
};

const verb verb_merge = {
    .name = "merge",
    .summary = "make one file of several, of shares, or a fat file of a thin one",
    .synopsis = "FILE... -o OUT\n",
    .description =
        "One thin file becomes a fat one, which holds its parts: the file that packing without "
        "--thin would have made. Several files become one assembly with a node for each; parts "
        "that are equal are stored once. Nothing is repacked. The whole is in the first file's "
        "unit; the nodes of files in another one scale them.\n\n"
        "All shares that \"bvpack pack --shard\" has made become, in any order, the "
        "file that packing without --shard would have made.\n\n"
        "Shares of a clash run are known by their content, too: \"bvpack merge plant.bvp "
        "share*.clash ...\" is \"bvpack clash plant.bvp --merge share*.clash ...\", with its "
        "options.",
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
