/* SPDX-License-Identifier: MIT
 * verb_extract.c: the verb extract: a packed file back to a model that other programs read.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "bvpack.h"
#include "export/export.h"
#include "files/input.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/options.h"
#include "files/output.h"

typedef struct settings {
    const char *output, *format, *part;
    int flat, three_mesh_bvh, quiet;
} settings;

typedef bvp_status (*export_fn)(const bvp_file *file, const export_options *options, FILE *out,
                                export_report *report, bvp_error *error);

static const struct {
    const char *name;
    export_fn write;
} formats[] = {{"stl", export_stl}, {"obj", export_obj}, {"ply", export_ply}, {"glb", export_glb}};

/* By --format, else by the ending of the output's name. */
static export_fn choose_format(const settings *set)
{
    const char *dot = strrchr(base_name(set->output), '.');
    const char *name = set->format ? set->format : dot ? dot + 1 : "";
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcasecmp(formats[i].name, name) == 0)
            return formats[i].write;
    complain(set->output, "can't tell the format from the name; end it with .stl, .obj, .ply or "
                          ".glb, or give --format");
    return NULL;
}

static int refuse_output(const char *path, bvp_status status, const bvp_error *error)
{
    if (status != BVP_ERR_SYSTEM)
        return complain_status(path, status, error);
    complain(path, "can't write: %s", error->message[0] ? error->message : strerror(errno));
    return EXIT_OUTPUT;
}

static FILE *stream_of(const output *out)
{
    int fd = dup(out->fd);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!stream && fd >= 0)
        close(fd);
    return stream;
}

/* materials: NULL: none. */
static int write_stream(const operand *o, const settings *set, export_fn write, const output *out,
                        const output *materials, export_report *report)
{
    export_options options = {.part = o->part, .flat = set->flat};
    bvp_error error = {0};
    FILE *stream = stream_of(out);
    options.materials = materials ? stream_of(materials) : NULL;
    if (!stream || (materials && !options.materials)) {
        complain(set->output, "can't write: %s", strerror(errno));
        if (stream)
            fclose(stream);
        return EXIT_OUTPUT;
    }
    if (materials)
        options.materials_name = base_name(materials->path);
    bvp_status status = write(o->file, &options, stream, report, &error);
    int failed = ferror(stream);
    failed |= fclose(stream) != 0;
    if (materials)
        failed |= fclose(options.materials) != 0;
    if (status != BVP_OK)
        return refuse_output(status == BVP_ERR_SYSTEM ? set->output : o->text, status, &error);
    return failed ? refuse_output(set->output, BVP_ERR_SYSTEM, &error) : 0;
}

/* OUT.mtl of OUT.obj, or of whatever an OBJ is called. False: too long. */
static int materials_path(const char *path, char out[PATH_MAX])
{
    const char *dot = strrchr(base_name(path), '.');
    const size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    const int size = snprintf(out, PATH_MAX, "%.*s.mtl", (int)stem, path);
    return size > 0 && size < PATH_MAX && stem < PATH_MAX;
}

/* Whether there is a file for materials: an OBJ that is a file, of a model with colours. */
static int has_materials(const operand *o, const settings *set, export_fn write, const output *out)
{
    return write == export_obj && !out->direct && strcmp(set->output, "-") != 0 &&
           export_has_colours(o->file, o->part);
}

static int extract(const operand *o, const settings *set, export_fn write)
{
    export_report report = {0};
    output out, materials;
    char path[PATH_MAX];
    int code = output_open(&out, set->output);
    if (code != 0)
        return code;
    const int both = has_materials(o, set, write, &out);
    if (both && (!materials_path(set->output, path) || same_file(o->text, path))) {
        complain(set->output, "there is no name for its .mtl");
        code = EXIT_OUTPUT;
    }
    if (code == 0 && both)
        code = output_open(&materials, path);
    if (code != 0) {
        output_discard(&out);
        return code;
    }
    code = write_stream(o, set, write, &out, both ? &materials : NULL, &report);
    if (both && code == 0)
        code = output_commit(&materials);
    else if (both)
        output_discard(&materials);
    if (code == 0)
        code = output_commit(&out);
    else
        output_discard(&out);
    if (code == 0 && !set->quiet) {
        char a[64];
        FILE *to = strcmp(set->output, "-") ? stdout : stderr;
        print_plain(to, set->output);
        fprintf(to, ": %s\n", counted(report.triangle_count, "triangle", a));
        if (report.rounded_count > 0)
            fprintf(to,
                    "  %s rounded to fit the format: largest error %.3g units; "
                    "--part keeps a part's own coordinates\n",
                    counted(report.rounded_count, "coordinate", a), report.rounding_error);
    }
    return code;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    operand o;
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "one FILE", &code);
    if (first < 0)
        return code;
    if (!set.output) {
        complain("extract", "say where to write: -o OUT.stl (.obj, .ply, .glb)");
        return EXIT_USAGE;
    }
    if (same_file(argv[first], set.output)) {
        complain(set.output, "the output would replace the packed file; name another");
        return EXIT_USAGE;
    }
    export_fn write = choose_format(&set);
    if (!write)
        return EXIT_USAGE;
    if (set.three_mesh_bvh && write != export_glb) {
        complain(set.output, "--three-mesh-bvh writes GLB; end the name with .glb");
        return EXIT_USAGE;
    }
    if (set.three_mesh_bvh)
        write = export_bvh;
    code = operand_open_part(&o, argv[first], set.part);
    if (code != 0)
        return code;
    code = operand_check(&o);
    if (code == 0)
        code = extract(&o, &set, write);
    operand_close(&o);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "where to write; the ending says the format; \"-\" is standard output", 0, 0},
    {"format", 0, OPTION_CHOICE, offsetof(settings, format), "stl|obj|ply|glb",
     "the format, whatever the name says", 0, 0},
    {"part", 'p', OPTION_TEXT, offsetof(settings, part), "NAME|#N",
     "one part alone, in its own coordinates", 0, 0},
    {"flat", 0, OPTION_FLAG, offsetof(settings, flat), NULL,
     "GLB: one mesh in the world's coordinates, a primitive for each colour, instead of the tree "
     "with shared meshes",
     0, 0},
    {"three-mesh-bvh", 0, OPTION_FLAG, offsetof(settings, three_mesh_bvh), NULL,
     "GLB: one mesh in the world's coordinates, without colours, and the hierarchy over it in the "
     "form of three-mesh-bvh, so that a page builds none",
     0, 0},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL, "no summary", 0, 0},
    {0},
};

const verb verb_extract = {
    .name = "extract",
    .summary = "turn a packed file back into STL, OBJ, PLY or GLB",
    .synopsis = "FILE -o OUT.stl|OUT.obj|OUT.ply|OUT.glb [OPTION]...\n",
    .description =
        "Writes the triangles of a packed file as a model again, in the order of their source "
        "numbers. Positions are those of the source, bit for bit. GLB keeps the tree and stores "
        "shared parts once; the other formats get every instance in the world's coordinates, and "
        "where these do not fit the format exactly, the largest error is reported. Base colours of "
        "the source are materials in GLB and in OBJ, whose OUT.mtl is written, too, and colours of "
        "faces in PLY; STL has none. With --flat a GLB has one mesh, whose triangles are sorted by "
        "colour first: each colour is one primitive.",
    .options = options,
    .examples = "bvpack extract plant.bvp -o plant.glb\n"
                "bvpack extract plant.bvp --flat -o one-mesh.glb\n"
                "bvpack extract level.bvp --three-mesh-bvh -o level.glb\n"
                "bvpack extract plant.bvp --part flange -o flange.stl\n"
                "bvpack extract plant.bvp --format ply -o - | xz > plant.ply.xz\n",
    .completes = "bvp|zst",
    .run = run,
};
