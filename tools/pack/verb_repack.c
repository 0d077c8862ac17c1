/* SPDX-License-Identifier: MIT
 * verb_repack.c: the verb repack: a packed file with its parts built anew, from its own triangles,
 * as if they had been packed without --fast, or with --small.
 *
 * How the file was packed is told by its provenance: what "bvpack pack" was asked for, and name,
 * size and hash of what it read. So the output has the provenance, the source's hash and the
 * addresses of parts that packing the models so would give it.
 */
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"
#include "store/convert_file.h"
#include "text/hex.h"
#include "text/json_tree.h"
#include "text/keyword.h"
#include "text/message.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "files/output.h"
#include "files/packed_file.h"
#include "pack/pack_build.h"
#include "pack/pack_plan.h"
#include "pack/shard.h"

typedef struct settings {
    const char *output;
    uint64_t jobs;
    int quiet, fast, small;
} settings;

typedef struct job {
    const settings *set;
    const char *path;
    bvp_build_options options;
    bvp_hierarchy_spec hierarchies[PACK_HIERARCHIES];
    uint8_t identity[16];
    char *provenance;
} job;

static bvp_split wide_split(const settings *set)
{
    return set->fast ? BVP_SPLIT_MORTON : set->small ? BVP_SPLIT_FULL : BVP_SPLIT_DEFAULT;
}

/* ---- how it was packed ----------------------------------------------------------------------- */

static int refuse(const job *j, const char *what)
{
    complain(j->path, "%s; pack the models again", what);
    return EXIT_INPUT;
}

static int is_on(const json_value *options, const char *key)
{
    return json_tree_is_true(json_tree_get(options, key));
}

static uint64_t count_of(const json_value *object, const char *key)
{
    uint64_t value = 0;
    return json_tree_count(json_tree_get(object, key), &value) ? value : 0;
}

static const char *text_of(const json_value *object, const char *key)
{
    const char *text = json_tree_text(json_tree_get(object, key));
    return text ? text : "";
}

/* The hierarchies, the wide one by the rule that is asked for. */
static int read_hierarchies(job *j, const json_value *options)
{
    const json_value *list = json_tree_get(options, "hierarchies");
    const size_t count = json_tree_size(list);
    if (count == 0 || count > PACK_HIERARCHIES)
        return refuse(j, "does not say which hierarchies it was packed with");
    for (size_t i = 0; i < count; i++) {
        const json_value *one = json_tree_at(list, i);
        const char *kind = text_of(one, "kind"), *split = text_of(one, "split");
        bvp_hierarchy_spec *s = &j->hierarchies[i];
        s->kind = (bvp_kind)kind_by_name(kind, strlen(kind));
        s->split = (bvp_split)split_by_name(split);
        s->fit = (bvp_fit)fit_by_name(text_of(one, "fit"));
        s->plane_max = (uint32_t)count_of(one, "planes");
        s->offset_size = (uint32_t)count_of(one, "offset_bits") / 8;
    }
    if (j->hierarchies[0].kind != BVP_KIND_WIDE)
        return refuse(j, "has no wide hierarchy, which alone is built fast or small");
    j->hierarchies[0].split = wide_split(j->set);
    j->options.hierarchies = j->hierarchies;
    j->options.hierarchy_count = (uint32_t)count;
    return 0;
}

/* Name, size and hash of a file, as they were when it was read. */
static int add_file(job *j, const json_value *file)
{
    uint8_t hash[16];
    if (hex_bytes(text_of(file, "hash"), hash, sizeof hash) != 0)
        return refuse(j, "does not say what it was packed from");
    pack_add_to_hash(j->identity, text_of(file, "name"), count_of(file, "size"), hash);
    return 0;
}

static int add_sources(job *j, const json_value *sources)
{
    int code = 0;
    for (size_t i = 0; i < json_tree_size(sources) && code == 0; i++) {
        const json_value *source = json_tree_at(sources, i);
        const json_value *files = json_tree_get(source, "files");
        code = add_file(j, source);
        for (size_t k = 0; k < json_tree_size(files) && code == 0; k++)
            code = add_file(j, json_tree_at(files, k));
    }
    return code;
}

static int read_options(job *j, const json_value *root)
{
    const json_value *options = json_tree_get(root, "options");
    const json_value *sources = json_tree_get(root, "sources");
    if (strcmp(text_of(root, "program"), "bvpack") != 0 || !json_tree_is_object(options))
        return refuse(j, "was not packed by \"bvpack pack\"");
    if (is_on(options, "share"))
        return refuse(j, "has its triangles elsewhere");
    j->options.no_ids = !is_on(options, "ids");
    j->options.drop_invalid = is_on(options, "drop_invalid");
    j->options.leaf_size = (uint32_t)count_of(options, "leaf_size");
    j->options.deformable = is_on(options, "deformable");
    j->options.rays = is_on(options, "rays");
    pack_begin_hash(j->identity, json_tree_text(json_tree_get(options, "assume_unit")),
                    is_on(options, "keep_strays"), is_on(options, "asset_numbers"));
    int code = read_hierarchies(j, options);
    if (code == 0)
        code = add_sources(j, sources);
    j->options.source_hash = j->identity;
    return code;
}

/* The provenance with the new rule: texts in it have their quotes escaped, so that this can only
 * be a hierarchy. */
static int rewrite_provenance(job *j, const char *old, size_t size)
{
    static const char head[] = "{\"kind\":\"wide\",\"split\":\"";
    const char *at = strstr(old, head);
    const char *rule = split_name(wide_split(j->set));
    if (!at)
        return refuse(j, "does not say which hierarchies it was packed with");
    at += sizeof head - 1;
    const size_t before = (size_t)(at - old), word = strcspn(at, "\"");
    j->provenance = malloc(size + strlen(rule) + 1);
    if (!j->provenance)
        return complain_memory();
    memcpy(j->provenance, old, before);
    strcpy(j->provenance + before, rule);
    strcat(j->provenance, at + word);
    j->options.provenance = j->provenance;
    return 0;
}

static int read_provenance(job *j, const bvp_file *file)
{
    char *text = NULL;
    size_t size = 0;
    bvp_error error = {0};
    json_fault fault;
    const bvp_status status = packed_provenance(file, &text, &size, &error);
    if (status != BVP_OK)
        return complain_status(j->path, status, &error);
    if (!text || memchr(text, '\0', size)) {
        free(text);
        return refuse(j, "does not say how it was packed");
    }
    char *whole = realloc(text, size + 1);
    if (!whole) {
        free(text);
        return complain_memory();
    }
    whole[size] = '\0';
    json_value *root = json_tree_open(whole, size, &fault);
    int code = root ? read_options(j, root) : refuse(j, "does not say how it was packed");
    if (code == 0)
        code = rewrite_provenance(j, whole, size);
    json_tree_close(root);
    free(whole);
    return code;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int write_file(job *j, const bvp_file *file)
{
    progress bar;
    output out;
    bvp_error error = {0};
    int code = output_open(&out, j->set->output);
    if (code != 0)
        return code;
    progress_start(&bar, j->set->quiet);
    j->options.thread_count = (uint32_t)j->set->jobs;
    j->options.progress = progress_update;
    j->options.progress_user = &bar;
    const bvp_status status = bvp_repack_fd(file, &j->options, out.fd, &error);
    progress_stop(&bar);
    if (status == BVP_OK)
        return output_commit(&out);
    output_discard(&out);
    return output_failure(status == BVP_ERR_SYSTEM ? j->set->output : j->path, status, &error);
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "one FILE", &code);
    if (first < 0)
        return code;
    if (!set.output) {
        complain("repack", "name the new file with -o");
        return EXIT_USAGE;
    }
    if (set.fast && set.small) {
        complain("--small", "it takes longer; choose this or --fast");
        return EXIT_USAGE;
    }
    bvp_file *file = NULL;
    job j = {.set = &set, .path = argv[first]};
    code = convert_open(argv[first], 0, &file);
    if (code != 0)
        return code;
    const shard_number shard = shard_of(file);
    if (shard.count > 0) {
        complain(argv[first], "is share %u of %u; merge all of its shares first", shard.index,
                 shard.count);
        code = EXIT_USAGE;
    }
    if (code == 0)
        code = read_provenance(&j, file);
    if (code == 0)
        code = write_file(&j, file);
    bvp_close(file);
    free(j.provenance);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "the new file; \"-\" is standard output", 0, 0},
    {"small", 0, OPTION_FLAG, offsetof(settings, small), NULL,
     "as \"bvpack pack --small\": smaller, for somewhat slower queries", 0, 0},
    {"fast", 0, OPTION_FLAG, offsetof(settings, fast), NULL,
     "as \"bvpack pack --fast\" would have packed it", 0, 0},
    {"jobs", 'j', OPTION_COUNT, offsetof(settings, jobs), "N",
     "threads to use; 0, the default, is one per processor; the output does not depend on it", 0,
     0},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL, "no progress", 0, 0},
    {0},
};

const verb verb_repack = {
    .name = "repack",
    .summary = "build a file's hierarchies and records anew, without its models",
    .synopsis = "FILE -o OUT [OPTION]...\n",
    .description =
        "Packs what \"bvpack pack --fast\" has packed in a hurry once more, with care: queries "
        "become faster, and the file smaller. The models are not needed: their triangles are in "
        "the file, bit for bit.\n\n"
        "The output has the bytes that \"bvpack pack\" without --fast would have made of the "
        "models, by this version, with all other options as they were. Two things are not known "
        "any more: with --no-ids the order of triangles in the source, without it that of the "
        "triangles of one polygon; there the order in the file stands for it, and some bytes may "
        "differ, but no answer.\n\n"
        "Parts in a store are read, and the output has them all; \"bvpack split\" puts them into "
        "a store again. A file that \"bvpack merge\" has made of several, a share, and a file "
        "whose triangles are elsewhere (--share) are refused.",
    .options = options,
    .examples = "# to look at the plant at once, and smaller for the others by the evening\n"
                "bvpack pack plant.stl --fast -o now.bvp\n"
                "bvpack repack now.bvp -o plant.bvp\n",
    .completes = "bvp",
    .run = run,
};
