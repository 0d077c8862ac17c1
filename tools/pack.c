/* SPDX-License-Identifier: MIT
 * pack.c: the verb pack: models in, one file out, and a summary of it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"
#include "input.h"
#include "json.h"
#include "message.h"
#include "model.h"
#include "operand.h"
#include "options.h"
#include "output.h"
#include "progress.h"

typedef struct settings {
    const char *output, *unit, *up, *format;
    uint64_t jobs, leaf;
    int quiet, json, no_ids, drop_invalid;
} settings;

/* One model of the command line. */
typedef struct source {
    const char *path;
    const char *name; /* without folders: what goes into the file */
    model contents;
    uint64_t size;
    uint8_t hash[16];
} source;

typedef struct job {
    const settings *set;
    source *sources;
    int source_count;
    double unit_in_metres;
    uint32_t up_axis;
    char *provenance;
    bvp_build_report report;
    double seconds_import;
    progress bar;
} job;

/* ---- the options' meaning ------------------------------------------------------------------ */

static int read_unit(const char *text, double *metres)
{
    char *end;
    *metres = unit_by_name(text);
    if (*metres > 0)
        return 0;
    *metres = strtod(text, &end);
    if (end != text && *end == '\0' && *metres > 0 && isfinite(*metres))
        return 0;
    complain("--unit", "expected mm, cm, m, in, ft or a length in metres, found \"%s\"", text);
    return EXIT_USAGE;
}

/* MODEL with its ending replaced, beside the model. */
static int default_output(const char *model_path, char *out, size_t capacity)
{
    const char *dot = strrchr(base_name(model_path), '.');
    size_t size =
        dot && dot > base_name(model_path) ? (size_t)(dot - model_path) : strlen(model_path);
    int written = snprintf(out, capacity, "%.*s.bvp", (int)size, model_path);
    if (written > 0 && (size_t)written < capacity)
        return 0;
    complain(model_path, "the name is too long; name the output with -o");
    return EXIT_USAGE;
}

static int choose_output(const job *j, char *out, size_t capacity)
{
    const char *first = j->sources[0].path;
    if (j->set->output && snprintf(out, capacity, "%s", j->set->output) < (int)capacity)
        return 0;
    if (j->set->output) {
        complain("--output", "the name is too long");
        return EXIT_USAGE;
    }
    if (j->source_count > 1 || strcmp(first, "-") == 0) {
        complain("pack", "several models, or standard input, need a name for the output: -o OUT");
        return EXIT_USAGE;
    }
    return default_output(first, out, capacity);
}

static int check_output(const job *j, const char *out)
{
    for (int i = 0; i < j->source_count; i++)
        if (same_file(j->sources[i].path, out)) {
            complain(out, "the output would replace the model; name another with -o");
            return EXIT_USAGE;
        }
    if (strcmp(out, "-") == 0 && j->set->json) {
        complain("pack", "--json and -o - would both write to standard output");
        return EXIT_USAGE;
    }
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------- */

static int input_failure(const char *path, bvp_status status, const bvp_error *error)
{
    int named = strstr(error->message, path) != NULL;
    complain(named ? NULL : path, "%s",
             error->message[0] ? error->message : bvp_status_name(status));
    return status == BVP_ERR_NO_MEMORY || status == BVP_ERR_LIMIT ? EXIT_LIMIT : EXIT_INPUT;
}

static int is_packed_already(const char *path)
{
    bvp_file *file;
    if (bvp_open(path, NULL, &file, NULL) != BVP_OK)
        return 0;
    bvp_close(file);
    complain(path, "is a packed file already; \"bvpack info\" shows what is in it");
    return 1;
}

static int folder_of(const char *path, char *out, size_t capacity)
{
    size_t size = (size_t)(base_name(path) - path);
    if (size == 0)
        return snprintf(out, capacity, ".") < 0;
    return snprintf(out, capacity, "%.*s", (int)size, path) >= (int)capacity;
}

static int read_source(job *j, source *s)
{
    import_options options = {.thread_count = (uint32_t)j->set->jobs,
                              .drop_invalid = j->set->drop_invalid,
                              .format = j->set->format,
                              .progress = progress_update,
                              .progress_user = &j->bar};
    char folder[4096];
    const char *label = strcmp(s->path, "-") ? s->path : "standard input";
    bvp_error error = {0};
    input in;

    if (is_packed_already(s->path))
        return EXIT_INPUT;
    int code = input_open(&in, s->path);
    if (code != 0)
        return code;
    if (folder_of(s->path, folder, sizeof folder) != 0)
        folder[0] = '\0';
    bvp_status status =
        model_import_memory(in.data, in.size, label, strcmp(s->path, "-") ? folder : NULL, &options,
                            &s->contents, &error);
    if (status == BVP_OK) {
        s->size = in.size;
        bvp_hash(in.data, in.size, s->hash);
    }
    input_close(&in);
    return status == BVP_OK ? 0 : input_failure(label, status, &error);
}

/* The unit and up axis of the whole: what the options say, else the first model that knows. */
static void settle_units(job *j)
{
    static const char axes[] = "xyz";
    j->up_axis = j->set->up ? (uint32_t)(strchr(axes, j->set->up[0]) - axes) : 3;
    for (int i = j->source_count - 1; i >= 0; i--) {
        const model *m = &j->sources[i].contents;
        if (!j->set->unit && m->unit_in_metres > 0)
            j->unit_in_metres = m->unit_in_metres;
        if (!j->set->up && m->up_axis < 3)
            j->up_axis = m->up_axis;
    }
}

/* ---- provenance ---------------------------------------------------------------------------- */

static void write_warnings(json *out, const job *j)
{
    json_array(out, "warnings");
    for (int i = 0; i < j->source_count; i++)
        for (uint32_t k = 0; k < j->sources[i].contents.warning_count; k++) {
            json_inline_object(out, NULL);
            json_text(out, "source", j->sources[i].name);
            json_text(out, "text", j->sources[i].contents.warnings[k].text);
            json_count(out, "count", j->sources[i].contents.warnings[k].count);
            json_end(out);
        }
    json_end(out);
}

static void write_sources(json *out, const job *j)
{
    json_array(out, "sources");
    for (int i = 0; i < j->source_count; i++) {
        const source *s = &j->sources[i];
        json_inline_object(out, NULL);
        json_text(out, "name", s->name);
        json_count(out, "size", s->size);
        json_hex(out, "hash", s->hash, sizeof s->hash);
        json_text(out, "format", s->contents.format);
        json_end(out);
    }
    json_end(out);
}

/* Only what the bytes of the output depend on: no folders, no dates, no thread count. */
static int write_provenance(job *j)
{
    size_t size = 0;
    FILE *stream = open_memstream(&j->provenance, &size);
    json out;
    if (!stream)
        return EXIT_LIMIT;
    json_start(&out, stream, 0);
    json_object(&out, NULL);
    json_text(&out, "program", "bvpack");
    json_text(&out, "version", bvp_version());
    write_sources(&out, j);
    json_object(&out, "options");
    json_bool(&out, "ids", !j->set->no_ids);
    json_bool(&out, "drop_invalid", j->set->drop_invalid);
    json_count(&out, "leaf_size", j->set->leaf);
    json_text(&out, "unit", j->set->unit);
    json_text(&out, "up", j->set->up);
    json_text(&out, "format", j->set->format);
    json_end(&out);
    write_warnings(&out, j);
    json_end(&out);
    return fclose(stream) == 0 ? 0 : EXIT_LIMIT;
}

/* ---- building ------------------------------------------------------------------------------ */

/* Adds the source's meshes and gives back their memory; parts[i] is the part of mesh i. */
static bvp_status add_parts(bvp_builder *builder, source *s, uint32_t *parts, bvp_error *error)
{
    for (uint32_t i = 0; i < s->contents.mesh_count; i++) {
        model_mesh *from = &s->contents.meshes[i];
        bvp_mesh mesh = {.positions = from->positions,
                         .is_double = from->is_double,
                         .vertex_count = from->vertex_count,
                         .indices = from->indices,
                         .triangle_count = from->triangle_count,
                         .ids = from->ids,
                         .name = from->name ? from->name : s->name};
        bvp_status status = bvp_builder_add_part(builder, &mesh, &parts[i], error);
        if (status != BVP_OK)
            return status;
        free(from->positions);
        free(from->indices);
        free(from->ids);
        from->positions = NULL;
        from->indices = from->ids = NULL;
    }
    return BVP_OK;
}

static bvp_status add_properties(bvp_builder *builder, const model_node *from, uint32_t node,
                                 bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; k < from->property_count && status == BVP_OK; k++)
        status = bvp_builder_add_property(builder, node, from->properties[k].key,
                                          from->properties[k].value, error);
    return status;
}

/* The source's own tree, under `root`. */
static bvp_status add_tree(bvp_builder *builder, const source *s, uint32_t root,
                           const uint32_t *parts, uint32_t *nodes, bvp_error *error)
{
    for (uint32_t i = 0; i < s->contents.node_count; i++) {
        const model_node *from = &s->contents.nodes[i];
        uint32_t parent = from->parent == BVP_NONE ? root : nodes[from->parent];
        uint32_t part = from->mesh == BVP_NONE ? BVP_NONE : parts[from->mesh];
        bvp_status status = bvp_builder_add_node(builder, parent, from->name, from->source_id,
                                                 from->placement, part, &nodes[i], error);
        if (status == BVP_OK)
            status = add_properties(builder, from, nodes[i], error);
        if (status != BVP_OK)
            return status;
    }
    return BVP_OK;
}

/* One node a mesh, for formats without a tree. */
static bvp_status add_flat(bvp_builder *builder, const source *s, uint32_t root,
                           const uint32_t *parts, bvp_error *error)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < s->contents.mesh_count && status == BVP_OK; i++) {
        const char *name = s->contents.meshes[i].name;
        uint32_t node;
        status = bvp_builder_add_node(builder, root, name ? name : s->name, NULL, NULL, parts[i],
                                      &node, error);
    }
    return status;
}

/* Several models get a root node each; a model of one mesh needs no group around it. */
static bvp_status add_source(bvp_builder *builder, job *j, source *s, bvp_error *error)
{
    model *m = &s->contents;
    uint32_t root = BVP_NONE;
    uint32_t *parts = calloc((size_t)m->mesh_count + 1, sizeof *parts);
    uint32_t *nodes = calloc((size_t)m->node_count + 1, sizeof *nodes);
    bvp_status status = parts && nodes ? add_parts(builder, s, parts, error) : BVP_ERR_NO_MEMORY;
    int single = m->node_count == 0 && m->mesh_count == 1;

    if (status == BVP_OK && j->source_count > 1)
        status = bvp_builder_add_node(builder, BVP_NONE, s->name, NULL, NULL,
                                      single ? parts[0] : BVP_NONE, &root, error);
    if (status == BVP_OK && m->node_count > 0)
        status = add_tree(builder, s, root, parts, nodes, error);
    else if (status == BVP_OK && !(single && j->source_count > 1))
        status = add_flat(builder, s, root, parts, error);
    free(parts);
    free(nodes);
    return status;
}

/* Identity of all sources together: of their names, sizes and hashes. */
static void hash_sources(const job *j, uint8_t hash[16])
{
    uint8_t chain[16] = {0};
    for (int i = 0; i < j->source_count; i++) {
        const source *s = &j->sources[i];
        uint8_t record[16 + 16 + 8 + 16];
        memcpy(record, chain, 16);
        memcpy(record + 16, s->hash, 16);
        for (int b = 0; b < 8; b++)
            record[32 + b] = (uint8_t)(s->size >> (8 * b));
        bvp_hash(s->name, strlen(s->name), record + 40);
        bvp_hash(record, sizeof record, chain);
    }
    memcpy(hash, chain, 16);
}

static int build_failure(const char *path, bvp_status status, const bvp_error *error)
{
    if (status == BVP_ERR_SYSTEM) {
        complain(path, "%s", error->message);
        return EXIT_OUTPUT;
    }
    return input_failure(path, status, error);
}

static int write_file(job *j, bvp_builder *builder, const char *path)
{
    output out;
    bvp_error error = {0};
    int code = output_open(&out, path);
    if (code != 0)
        return code;
    bvp_status status = bvp_builder_finish_fd(builder, out.fd, &j->report, &error);
    progress_stop(&j->bar);
    if (status == BVP_OK)
        return output_commit(&out);
    output_discard(&out);
    return build_failure(path, status, &error);
}

static int build(job *j, const char *path)
{
    uint8_t hash[16];
    bvp_build_options options = {.thread_count = (uint32_t)j->set->jobs,
                                 .leaf_size = (uint32_t)j->set->leaf,
                                 .no_ids = j->set->no_ids,
                                 .drop_invalid = j->set->drop_invalid,
                                 .unit_in_metres = j->unit_in_metres,
                                 .up_axis = j->up_axis,
                                 .source_hash = hash,
                                 .provenance = j->provenance,
                                 .progress = progress_update,
                                 .progress_user = &j->bar};
    bvp_builder *builder = NULL;
    bvp_error error = {0};
    int code = 0;

    hash_sources(j, hash);
    bvp_status status = bvp_builder_new(&options, &builder, &error);
    if (status != BVP_OK)
        return build_failure(path, status, &error);
    for (int i = 0; i < j->source_count && code == 0; i++) {
        status = add_source(builder, j, &j->sources[i], &error);
        if (status != BVP_OK) {
            progress_stop(&j->bar);
            code = input_failure(j->sources[i].path, status, &error);
        }
    }
    if (code == 0)
        code = write_file(j, builder, path);
    bvp_builder_free(builder);
    return code;
}

/* ---- the summary ---------------------------------------------------------------------------- */

static void summarise_sizes(FILE *out, const bvp_build_report *r)
{
    double per = r->unique_triangle_count ? 1.0 / (double)r->unique_triangle_count : 0;
    fprintf(out, "  bytes/triangle  %.2f: hierarchy %.2f, geometry %.2f, ids %.2f, other %.2f\n",
            (double)r->file_size * per, (double)r->hierarchy_size * per,
            (double)r->geometry_size * per, (double)r->id_size * per, (double)r->other_size * per);
}

static void summarise_oddities(FILE *out, const job *j)
{
    const bvp_build_report *r = &j->report;
    char a[32], b[32];
    if (r->degenerate_count || r->duplicate_count)
        fprintf(out, "  kept            %s degenerate, %s duplicate triangles\n",
                grouped(r->degenerate_count, a), grouped(r->duplicate_count, b));
    if (r->dropped_triangle_count || r->dropped_node_count)
        fprintf(out, "  dropped         %s invalid triangles, %s invalid nodes\n",
                grouped(r->dropped_triangle_count, a), grouped(r->dropped_node_count, b));
    if (r->rounding_error > 0)
        fprintf(out, "  rounding        largest error of a coordinate %.3g %s\n", r->rounding_error,
                j->unit_in_metres > 0 ? unit_name(j->unit_in_metres) : "units");
    for (int i = 0; i < j->source_count; i++)
        for (uint32_t k = 0; k < j->sources[i].contents.warning_count; k++) {
            const model_warning *w = &j->sources[i].contents.warnings[k];
            fprintf(out, "  warning         ");
            print_name(out, j->sources[i].name, strlen(j->sources[i].name));
            fprintf(out, ": %s: ", grouped(w->count, a));
            print_name(out, w->text, strlen(w->text));
            fputc('\n', out);
        }
}

static void summarise(FILE *out, const job *j, const char *path)
{
    const bvp_build_report *r = &j->report;
    double seconds = j->seconds_import + r->seconds_build + r->seconds_write;
    char a[32], b[32];

    fprintf(out, "%s: %s bytes\n", strcmp(path, "-") ? path : "standard output",
            grouped(r->file_size, a));
    fprintf(out, "  parts           %s", grouped(r->part_count, a));
    if (r->shared_part_count)
        fprintf(out, ", %s more equal to one of them", grouped(r->shared_part_count, a));
    fprintf(out, "\n  instances       %s in a tree of %s nodes\n", grouped(r->instance_count, a),
            grouped(r->node_count, b));
    fprintf(out, "  triangles       %s, stored %s\n", grouped(r->triangle_count, a),
            grouped(r->unique_triangle_count, b));
    summarise_sizes(out, r);
    summarise_oddities(out, j);
    fprintf(out, "  time            %.2f s: import %.2f, build %.2f, write %.2f", seconds,
            j->seconds_import, r->seconds_build, r->seconds_write);
    if (r->seconds_build > 0)
        fprintf(out, "; %.2f million triangles/s built",
                1e-6 * (double)r->unique_triangle_count / r->seconds_build);
    fputc('\n', out);
}

static void report_as_json(const job *j, const char *path)
{
    const bvp_build_report *r = &j->report;
    json out;
    json_start(&out, stdout, 1);
    json_object(&out, NULL);
    json_text(&out, "output", path);
    json_count(&out, "file_size", r->file_size);
    json_count(&out, "part_count", r->part_count);
    json_count(&out, "shared_part_count", r->shared_part_count);
    json_count(&out, "instance_count", r->instance_count);
    json_count(&out, "node_count", r->node_count);
    json_count(&out, "triangle_count", r->triangle_count);
    json_count(&out, "unique_triangle_count", r->unique_triangle_count);
    json_count(&out, "hierarchy_size", r->hierarchy_size);
    json_count(&out, "geometry_size", r->geometry_size);
    json_count(&out, "id_size", r->id_size);
    json_count(&out, "other_size", r->other_size);
    json_count(&out, "degenerate_count", r->degenerate_count);
    json_count(&out, "duplicate_count", r->duplicate_count);
    json_count(&out, "dropped_triangle_count", r->dropped_triangle_count);
    json_count(&out, "dropped_node_count", r->dropped_node_count);
    json_number(&out, "rounding_error", r->rounding_error);
    json_number(&out, "seconds_import", j->seconds_import);
    json_number(&out, "seconds_build", r->seconds_build);
    json_number(&out, "seconds_write", r->seconds_write);
    write_sources(&out, j);
    write_warnings(&out, j);
    json_end(&out);
    json_finish(&out);
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int import_all(job *j)
{
    double began = seconds_now();
    int code = 0;
    for (int i = 0; i < j->source_count && code == 0; i++)
        code = read_source(j, &j->sources[i]);
    j->seconds_import = seconds_now() - began;
    return code;
}

static int pack(job *j)
{
    char path[4096];
    int code = choose_output(j, path, sizeof path);
    if (code == 0)
        code = check_output(j, path);
    if (code == 0 && j->set->unit)
        code = read_unit(j->set->unit, &j->unit_in_metres);
    progress_start(&j->bar, j->set->quiet);
    if (code == 0)
        code = import_all(j);
    settle_units(j);
    if (code == 0)
        code = write_provenance(j);
    if (code == 0)
        code = build(j, path);
    progress_stop(&j->bar);
    if (code == 0 && j->set->json)
        report_as_json(j, path);
    else if (code == 0 && !j->set->quiet)
        summarise(strcmp(path, "-") ? stdout : stderr, j, path);
    return code;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {.leaf = 8};
    job j = {.set = &set};
    int code, first = options_parse(self, argc, argv, &set, &code);
    if (first < 0)
        return code;
    j.source_count = argc - first;
    code = options_need(self, j.source_count, 1, -1, "at least one MODEL");
    if (code != 0)
        return code;
    j.sources = calloc((size_t)j.source_count, sizeof *j.sources);
    if (!j.sources) {
        complain(NULL, "%s", strerror(ENOMEM));
        return EXIT_LIMIT;
    }
    for (int i = 0; i < j.source_count; i++) {
        j.sources[i].path = argv[first + i];
        j.sources[i].name = base_name(argv[first + i]);
    }
    code = pack(&j);
    for (int i = 0; i < j.source_count; i++)
        model_free(&j.sources[i].contents);
    free(j.sources);
    free(j.provenance);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "where to write; \"-\" is standard output; without it MODEL with the ending .bvp", 0, 0},
    {"jobs", 'j', OPTION_COUNT, offsetof(settings, jobs), "N",
     "threads to use; 0, the default, is one per processor; the output does not depend on it", 0,
     1024},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL, "no progress and no summary", 0,
     0},
    {"json", 0, OPTION_FLAG, offsetof(settings, json), NULL, "print the summary as JSON", 0, 0},
    {"no-ids", 0, OPTION_FLAG, offsetof(settings, no_ids), NULL,
     "leave out the triangles' numbers in the source; answers then name storage numbers", 0, 0},
    {"drop-invalid", 0, OPTION_FLAG, offsetof(settings, drop_invalid), NULL,
     "leave out and count triangles with infinite or NaN coordinates or bad indices, which are "
     "refused otherwise",
     0, 0},
    {"leaf", 0, OPTION_COUNT, offsetof(settings, leaf), "N",
     "most triangles in a leaf of the hierarchy, 1 to 8; 8 is the default and the smallest file", 1,
     8},
    {"unit", 0, OPTION_TEXT, offsetof(settings, unit), "mm|cm|m|in|ft|N",
     "the length of one coordinate unit, N in metres; overrides what the model says", 0, 0},
    {"up", 0, OPTION_CHOICE, offsetof(settings, up), "x|y|z",
     "the axis that points up; overrides what the model says", 0, 0},
    {"format", 0, OPTION_CHOICE, offsetof(settings, format), "stl|obj|ply|off|gltf|glb",
     "read the models as this, not as what they look like", 0, 0},
    {0},
};

const verb verb_pack = {
    .name = "pack",
    .summary = "pack models into one file",
    .synopsis = "MODEL... [-o OUT] [OPTION]...\n",
    .description =
        "Packs STL, OBJ, PLY, OFF, glTF and GLB models into one file that answers queries as it "
        "lies on disk. Equal parts are stored once; the tree of a glTF model is kept. Several "
        "models become one assembly with a node for each. MODEL \"-\" is standard input.\n\n"
        "Coordinates that fit in 32-bit floats are kept bit for bit. Others, such as national grid "
        "coordinates in double precision, are moved to an origin near the part, and the largest "
        "rounding error is reported. Degenerate and duplicate triangles are kept and counted.\n\n"
        "The same models and options give the same bytes. The output has its name only when it is "
        "complete; an earlier file of that name stays until then.",
    .options = options,
    .examples = "# a model beside itself: plant.bvp\n"
                "bvpack plant.glb\n"
                "# a robot and its tool in one assembly, in millimetres\n"
                "bvpack pack robot.stl tool.stl --unit mm -o cell.bvp\n"
                "# from a pipe\n"
                "xz -dc part.stl.xz | bvpack pack - -o part.bvp\n",
    .completes = "stl|STL|obj|OBJ|ply|PLY|off|OFF|gltf|glb|GLB",
    .run = run,
};
