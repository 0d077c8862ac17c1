/* SPDX-License-Identifier: MIT
 * verb_refit.c: the verb refit: a packed file with its vertices moved, and all boxes fitted to
 * them.
 *
 * The file is mapped as an overlay: refitting writes to private pages, and the output is a new
 * file. The input is verified first, because refitting gives all it keeps new hashes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"
#include "refit/warp.h"
#include "files/input.h"
#include "text/json.h"
#include "text/memory_text.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/options.h"
#include "files/output.h"
#include "files/packed_file.h"
#include "refit/refit_model.h"

typedef struct settings {
    const char *output, *part, *format, *noise;
    double twist, stretch;
    int quiet;
    double import_timeout;  /* seconds; 0: by the model's size */
    uint64_t import_memory; /* MiB; 0: likewise */
} settings;

typedef struct job {
    const settings *set;
    const char *path, *model_path; /* model_path: NULL without a model */
    bvp_file *file;
    bvp_file_info info;
    uint32_t part; /* or BVP_ASSEMBLY: all */
    deformation formula;
    model moved;
    uint8_t model_hash[16];
    double cost_before, cost_after; /* largest area cost of a part, and what became of it */
    double rounding_error;
} job;

/* ---- the input ------------------------------------------------------------------------------ */

/* Finds the part and checks the file: damaged bytes would get new hashes that match. */
static int examine(job *j)
{
    operand o;
    bvp_error error = {0};
    int code = operand_open_part(&o, j->path, j->set->part);
    if (code != 0)
        return code;
    j->part = o.part;
    const bvp_status status = bvp_verify_file(o.file, NULL, NULL, &error);
    if (status != BVP_OK)
        code = complain_status(j->path, status, &error);
    operand_close(&o);
    return code;
}

static int open_overlay(job *j)
{
    const bvp_open_options options = {.overlay = 1};
    bvp_error error = {0};
    const bvp_status status = packed_open_mapped(j->path, &options, &j->file, &error);
    if (status != BVP_OK)
        return complain_status(j->path, status, &error);
    bvp_get_info(j->file, &j->info);
    return 0;
}

static int read_model(job *j)
{
    char folder[4096];
    bvp_error error = {0};
    input in;
    int code = input_open(&in, j->model_path);
    if (code != 0)
        return code;
    if (folder_of(j->model_path, folder, sizeof folder) != 0)
        folder[0] = '\0';
    const import_options options = {.format = j->set->format,
                                    .file = in.fd >= 0 ? &in.fd : NULL,
                                    .seconds = j->set->import_timeout,
                                    .megabytes = j->set->import_memory};
    const bvp_status status =
        model_import_memory(in.data, in.size, j->model_path, folder, &options, &j->moved, &error);
    if (status == BVP_OK)
        bvp_hash(in.data, in.size, j->model_hash);
    else
        complain(NULL, "%s", error.message[0] ? error.message : bvp_status_name(status));
    input_close(&in);
    if (status == BVP_ERR_NO_MEMORY || status == BVP_ERR_LIMIT)
        return EXIT_LIMIT;
    return status == BVP_OK ? 0 : EXIT_INPUT;
}

/* The mesh for a part: the only one, or, for a whole file, the one of the same number. Meshes
 * without triangles do not count. */
static const model_mesh *mesh_of(const job *j, uint32_t part)
{
    const int is_one = j->part != BVP_ASSEMBLY;
    const model_mesh *mesh = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < j->moved.mesh_count; i++)
        if (j->moved.meshes[i].triangle_count > 0 && count++ == (is_one ? 0 : part))
            mesh = &j->moved.meshes[i];
    if (is_one ? count == 1 : count == j->info.part_count)
        return mesh;
    if (is_one)
        complain(j->model_path, "it has %" PRIu32 " meshes; for one part it must have one", count);
    else
        complain(j->model_path,
                 "it has %" PRIu32 " meshes, the file %" PRIu32 " parts; name one part with --part",
                 count, j->info.part_count);
    return NULL;
}

/* ---- moving --------------------------------------------------------------------------------- */

static int move_vertices(job *j, uint32_t part, float *positions, uint64_t count)
{
    uint64_t got;
    if (j->model_path) {
        const model_mesh *mesh = mesh_of(j, part);
        const int code = mesh ? refit_positions(j->file, part, mesh, j->model_path, positions,
                                                count, &j->rounding_error)
                              : EXIT_INPUT;
        if (code != 0)
            return code;
    } else if (bvp_get_vertices(j->file, part, 0, count, positions, &got) != BVP_OK) {
        return complain_status(j->path, BVP_ERR_CORRUPT, NULL);
    }
    deform(&j->formula, positions, count);
    return 0;
}

static double cost_of(const job *j, uint32_t part)
{
    bvp_hierarchy_info info = {0};
    return bvp_get_hierarchy(j->file, part, 0, &info) == BVP_OK ? info.area_cost : 0;
}

static int refit_part(job *j, uint32_t part)
{
    uint64_t count = 0;
    bvp_error error = {0};
    if (bvp_get_vertices(j->file, part, 0, UINT64_MAX, NULL, &count) != BVP_OK)
        return complain_status(j->path, BVP_ERR_CORRUPT, NULL);
    float *positions = malloc(((size_t)count + 1) * 3 * sizeof *positions);
    if (!positions) {
        complain(j->path, "%s", strerror(ENOMEM));
        return EXIT_LIMIT;
    }
    const double cost = cost_of(j, part);
    int code = move_vertices(j, part, positions, count);
    bvp_status status = BVP_OK;
    if (code == 0)
        status = bvp_refit(j->file, part, positions, count, &error);
    if (status != BVP_OK)
        code = complain_status(j->path, status, &error);
    free(positions);
    if (cost >= j->cost_before) {
        j->cost_before = cost;
        j->cost_after = cost_of(j, part);
    }
    return code;
}

static int refit_all(job *j)
{
    int code = 0;
    if (j->part != BVP_ASSEMBLY)
        return refit_part(j, j->part);
    for (uint32_t part = 0; part < j->info.part_count && code == 0; part++)
        code = refit_part(j, part);
    return code;
}

/* ---- the output ----------------------------------------------------------------------------- */

/* {"refit": what was done, "before": what the file said} */
static bvp_status write_provenance(const job *j, char **text, bvp_error *error)
{
    char *old;
    size_t old_size;
    memory_text stream;
    json out;
    bvp_status status = packed_provenance(j->file, &old, &old_size, error);
    if (status == BVP_OK && !memory_text_open(&stream))
        status = BVP_ERR_NO_MEMORY;
    if (status != BVP_OK) {
        free(old);
        return status;
    }
    jsonw_start(&out, stream.out, 0);
    jsonw_object(&out, NULL);
    jsonw_object(&out, "refit");
    jsonw_text(&out, "version", bvp_version());
    jsonw_hex(&out, "file", j->info.root_hash, sizeof j->info.root_hash);
    if (j->model_path) {
        jsonw_text(&out, "model", base_name(j->model_path));
        jsonw_hex(&out, "hash", j->model_hash, sizeof j->model_hash);
    }
    if (j->part != BVP_ASSEMBLY)
        jsonw_count(&out, "part", j->part);
    jsonw_number(&out, "stretch", j->formula.stretch);
    jsonw_number(&out, "twist", j->formula.twist);
    jsonw_number(&out, "noise", j->formula.noise);
    jsonw_count(&out, "seed", j->formula.seed);
    jsonw_end(&out);
    if (old_size > 0)
        jsonw_embed(&out, "before", old, old_size);
    jsonw_end(&out);
    free(old);
    status = memory_text_close(&stream) == 0 ? BVP_OK : BVP_ERR_NO_MEMORY;
    *text = stream.data;
    return status;
}

static int write_output(const job *j)
{
    output out;
    bvp_error error = {0};
    char *provenance = NULL;
    const bvp_status written = write_provenance(j, &provenance, &error);
    if (written != BVP_OK)
        return complain_status(j->path, written, &error);
    int code = output_open(&out, j->set->output);
    if (code == 0) {
        const bvp_status status = bvp_save_fd(j->file, provenance, out.fd, &error);
        if (status == BVP_OK) {
            code = output_commit(&out);
        } else {
            output_discard(&out);
            code = output_failure(j->set->output, status, &error);
        }
    }
    free(provenance);
    return code;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int read_formula(job *j)
{
    double noise[2] = {0, 0};
    const settings *set = j->set;
    const int count = set->noise ? parse_numbers(set->noise, noise, 2) : 0;
    if (set->noise && (count < 1 || noise[0] < 0 || noise[1] < 0 || noise[1] >= 0x1p53)) {
        complain("--noise", "AMPLITUDE[,SEED] are numbers >= 0, not \"%s\"", set->noise);
        return EXIT_USAGE;
    }
    j->formula = (deformation){set->stretch, set->twist, noise[0], (uint64_t)noise[1]};
    if (j->model_path || set->noise || set->twist != 0 || set->stretch != 1)
        return 0;
    complain("refit", "say where the vertices go: a moved MODEL, --twist, --stretch or --noise");
    return EXIT_USAGE;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {.stretch = 1};
    job j = {.set = &set};
    int code, first = options_operands(self, argc, argv, &set, 1, 2,
                                       "FILE, and a MODEL or a formula", &code);
    if (first < 0)
        return code;
    j.path = argv[first];
    j.model_path = argc - first > 1 ? argv[first + 1] : NULL;
    int (*const steps[])(job *) = {examine, open_overlay, refit_all};
    code = EXIT_USAGE;
    if (!set.output)
        complain("refit", "say where to write: -o OUT.bvp");
    else if (same_file(j.path, set.output) || (j.model_path && same_file(j.model_path, set.output)))
        complain(set.output, "the output would replace an input; name another");
    else
        code = read_formula(&j);
    if (code == 0 && j.model_path)
        code = read_model(&j);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == 0; i++)
        code = steps[i](&j);
    if (code == 0)
        code = write_output(&j);
    if (code == 0 && !set.quiet) {
        char count[64];
        FILE *out = strcmp(j.set->output, "-") ? stdout : stderr;
        print_plain(out, j.set->output);
        fprintf(out, ": %s, boxes fitted to their new places\n",
                counted(j.info.unique_triangle_count, "triangle", count));
        fprintf(out, "  area cost %.4g, was %.4g: queries take longer as it grows%s\n",
                j.cost_after, j.cost_before,
                j.cost_after > 1.5 * j.cost_before ? "; pack the model anew" : "");
        if (j.rounding_error > 0)
            fprintf(out, "  largest rounding error %.3g units\n", j.rounding_error);
    }
    bvp_close(j.file);
    model_free(&j.moved);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "where to write; \"-\" is standard output", 0, 0},
    {"part", 'p', OPTION_TEXT, offsetof(settings, part), "NAME|#N", "move one part alone", 0, 0},
    {"stretch", 0, OPTION_NUMBER, offsetof(settings, stretch), "F",
     "stretch each part along its longest side, about its middle", 0, 0},
    {"twist", 0, OPTION_NUMBER, offsetof(settings, twist), "DEGREES",
     "twist each part about its longest side, by so much for each unit of length", 0, 0},
    {"noise", 0, OPTION_TEXT, offsetof(settings, noise), "AMPLITUDE[,SEED]",
     "move each vertex by up to so much along each axis", 0, 0},
    {"format", 0, OPTION_CHOICE, offsetof(settings, format), "stl|obj|ply|off|gltf|glb",
     "read the model as this, not as what it looks like", 0, 0},
    {"import-timeout", 0, OPTION_NUMBER, offsetof(settings, import_timeout), "SECONDS",
     "of a model that a program of its own reads: end it after this time, as of pack", 0, 0},
    {"import-memory", 0, OPTION_COUNT, offsetof(settings, import_memory), "MIB",
     "of such a model: the memory that the program may take, as of pack", 1, 1 << 30},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL, "no summary", 0, 0},
    {0},
};

const verb verb_refit = {
    .name = "refit",
    .summary = "move the vertices of a packed file",
    .synopsis = "FILE MODEL -o OUT [OPTION]...\n"
                "FILE -o OUT [--stretch F] [--twist DEGREES] [--noise AMPLITUDE[,SEED]]\n",
    .description =
        "Writes a packed file whose parts have another shape: the same triangles, their vertices "
        "moved, every box of its hierarchies fitted to them anew. That takes a small part of the "
        "time that packing takes. The trees are the old ones, though, and the more neighbours have "
        "parted, the longer queries take: the summary shows what became of the boxes' surfaces.\n\n"
        "FILE has been packed with --deformable, with hierarchies of any kinds but --rays. MODEL "
        "is the model that was "
        "packed, its vertices moved: triangles are matched by their numbers in the source. Without "
        "MODEL the file's own vertices are moved by a formula, in the order stretch, twist, noise. "
        "FILE is verified first and stays as it is.",
    .options = options,
    .examples = "# a packed part, and the same part after a simulation step\n"
                "bvpack pack beam.stl --deformable -o beam.bvp\n"
                "bvpack refit beam.bvp beam-bent.stl -o bent.bvp\n"
                "# twisted by a tenth of a degree a millimetre\n"
                "bvpack refit beam.bvp --twist 0.1 -o twisted.bvp\n"
                "# one part of an assembly\n"
                "bvpack refit cell.bvp hose-2.obj --part hose -o cell-2.bvp\n",
    .completes = "bvp|stl|STL|obj|OBJ|ply|PLY|off|OFF|gltf|glb|GLB",
    .run = run,
};
