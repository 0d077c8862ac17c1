/* SPDX-License-Identifier: MIT
 * verb_pack.c: the verb pack: models in, one file out, and a summary of it.
 */
#include "pack/pack_job.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "store/convert_file.h"
#include "import/import_process.h"
#include "files/input.h"
#include "files/packed_file.h"
#include "text/keyword.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/options.h"
#include "cli/start_thread.h"
#include "cli/units.h"

enum { HASH_BESIDE = 1 << 20 }; /* bytes; fewer are not worth a thread */

/* ---- the output ----------------------------------------------------------------------------- */

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

static int choose_output(const pack_job *j, char *out, size_t capacity)
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

/* A share needs a name of its own, unless it goes into a store, where it has none. */
static int read_shard(pack_job *j)
{
    const pack_settings *set = j->set;
    if (!set->shard)
        return 0;
    if (shard_parse(set->shard, strlen(set->shard), &j->shard.number) != 0)
        complain("--shard", "expected a share as i/n, 1/4 to 4/4 for instance, found \"%s\"",
                 set->shard);
    else if (j->source_count != 1)
        complain("--shard", "expected one manifest or model, found %d", j->source_count);
    else if (set->assume_unit)
        complain("--assume-unit", "shares are of one model: say its unit with --unit");
    else if (set->thin)
        complain("--thin", "a share is not thin; merge the shares and split the whole");
    else if (set->store && set->output)
        complain("--output", "with --store a share goes into the store, and into no file");
    else if (!set->store && !set->output)
        complain("--shard", "name the share's file with -o, or a store with --store");
    else
        return 0;
    return EXIT_USAGE;
}

static int check_output(const pack_job *j, const char *out)
{
    if (j->set->thin && !j->set->store) {
        complain("--thin", "a thin file refers to parts in a store; name it with --store");
        return EXIT_USAGE;
    }
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

int pack_failure(const pack_job *j, const char *path, bvp_status status, const bvp_error *error)
{
    int named = strstr(error->message, path) != NULL;
    complain(named ? NULL : path, "%s",
             error->message[0] ? error->message : bvp_status_name(status));
    if (status == BVP_ERR_SYSTEM && j->store_code != 0)
        return j->store_code;
    return status == BVP_ERR_NO_MEMORY || status == BVP_ERR_LIMIT ? EXIT_LIMIT : EXIT_INPUT;
}

static int is_packed_already(const char *path)
{
    bvp_file *file;
    if (packed_open(path, NULL, &file, NULL) != BVP_OK)
        return 0;
    bvp_close(file);
    complain(path, "is a packed file already; \"bvpack info\" shows what is in it");
    return 1;
}

/* The source's identity, which nobody waits for before the file is written. */
typedef struct hashing {
    const input *in;
    uint8_t *hash;
    pthread_t thread;
    int is_beside; /* on a thread of its own */
} hashing;

static void *hash_source(void *argument)
{
    const hashing *h = argument;
    bvp_hash(h->in->data, h->in->size, h->hash);
    return NULL;
}

static void start_hashing(hashing *h, unsigned long jobs)
{
    h->is_beside =
        jobs != 1 && h->in->size >= HASH_BESIDE && start_thread(&h->thread, hash_source, h);
}

static void finish_hashing(hashing *h)
{
    if (h->is_beside)
        pthread_join(h->thread, NULL);
    else
        hash_source(h);
}

static bvp_status import_plain(pack_job *j, pack_source *s, const input *in, const char *label,
                               const char *dir, const import_options *options, bvp_error *error)
{
    hashing h = {.in = in, .hash = s->hash};
    start_hashing(&h, j->set->jobs);
    bvp_status status =
        model_import_memory(in->data, in->size, label, dir, options, &s->contents, error);
    finish_hashing(&h);
    return status;
}

import_options pack_import_options(pack_job *j, const pack_source *s)
{
    return (import_options){.thread_count = (uint32_t)j->set->jobs,
                            .drop_invalid = j->set->drop_invalid,
                            .format = j->set->format,
                            .pipe_dir = ".",
                            .any_path = j->set->any_path,
                            .urdf_visual = j->set->urdf && *j->set->urdf == 'v',
                            .joints = j->set->joints,
                            .strays = j->set->deformable || j->set->keep_strays ? MODEL_STRAYS_KEEP
                                                                                : MODEL_STRAYS_PART,
                            .package_path = j->set->package_path,
                            .chord = j->chord,
                            .angle = j->set->angle,
                            .path = strcmp(s->path, "-") ? s->path : NULL,
                            .seconds = j->set->import_timeout,
                            .megabytes = j->set->import_memory,
                            .progress = progress_update,
                            .progress_user = &j->bar};
}

static bvp_status import_source(pack_job *j, pack_source *s, const input *in, const char *label,
                                const char *dir, bvp_error *error)
{
    import_options options = pack_import_options(j, s);
    options.file = in->fd >= 0 ? &in->fd : NULL;
    options.is_share = j->shard.number.count > 0;
    if (j->set->store)
        return pack_import_stored(j, s, in, label, dir, &options, error);
    return options.is_share ? pack_import_shard(j, s, in, label, dir, &options, error)
                            : import_plain(j, s, in, label, dir, &options, error);
}

/* Merging reads no model but a manifest again, which has no files that depend on each other. */
static int check_share(const pack_job *j, const pack_source *s)
{
    if (j->shard.file_count == 0 || strcmp(s->contents.format, "manifest") == 0)
        return 0;
    complain(
        s->path,
        "--shard takes a share of a manifest's files or of a model's own meshes, found a model "
        "that names mesh files: %s; pack it without --shard",
        s->contents.format);
    return EXIT_INPUT;
}

static int read_source(pack_job *j, pack_source *s)
{
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
    const char *dir = strcmp(s->path, "-") ? folder : NULL;
    s->size = in.size;
    const bvp_status status = import_source(j, s, &in, label, dir, &error);
    input_close(&in);
    return status == BVP_OK ? check_share(j, s) : pack_failure(j, label, status, &error);
}

/* The unit and up axis of the whole: what the options say, else the first model that knows. */
static void settle_whole(pack_job *j)
{
    static const char axes[] = "xyz";
    j->up = j->set->up ? (bvp_up)(BVP_UP_X + (strchr(axes, j->set->up[0]) - axes)) : BVP_UP_UNKNOWN;
    for (int i = j->source_count - 1; i >= 0; i--) {
        const model *m = &j->sources[i].contents;
        if (!j->set->unit && m->unit_in_metres > 0)
            j->unit_in_metres = m->unit_in_metres;
        if (!j->set->up && m->up != BVP_UP_UNKNOWN)
            j->up = m->up;
    }
}

/* A model in another unit is scaled by its node's placement. One without a unit beside one that has
 * it is easily a thousand times too large or small. */
static int settle_units(pack_job *j)
{
    bvp_file_info whole = {0};
    int code = 0, known = 0;
    for (int i = 0; i < j->source_count && code == 0; i++) {
        bvp_file_info info = {.unit_in_metres = j->sources[i].contents.unit_in_metres};
        code = units_assume(j->set->assume_unit, &info);
        j->sources[i].contents.unit_in_metres = info.unit_in_metres;
    }
    settle_whole(j);
    whole.unit_in_metres = j->unit_in_metres;
    while (known < j->source_count - 1 && j->sources[known].contents.unit_in_metres == 0)
        known++;
    for (int i = 0; i < j->source_count && code == 0; i++) {
        pack_source *s = &j->sources[i];
        const bvp_file_info own = {.unit_in_metres = s->contents.unit_in_metres};
        s->scale = 1;
        if (!j->set->unit)
            code = units_scale(j->sources[known].path, &whole, s->path, &own, &s->scale);
        j->tolerance = fmax(j->tolerance, s->scale * s->contents.tolerance);
    }
    return code;
}

/* ---- the verb ------------------------------------------------------------------------------- */

/* Joints of what has none are a wrong name or the wrong file: nothing would turn. */
static int check_joints(const pack_job *j)
{
    if (!j->set->joints)
        return 0;
    for (int i = 0; i < j->source_count; i++)
        if (strcmp(j->sources[i].contents.format, "URDF") == 0)
            return 0;
    complain("--joints", "expected a robot (URDF), which has joints, found %s (%s)",
             j->sources[0].name, j->sources[0].contents.format);
    return EXIT_USAGE;
}

static int import_all(pack_job *j)
{
    double began = seconds_now();
    int code = 0;
    for (int i = 0; i < j->source_count && code == 0; i++)
        code = read_source(j, &j->sources[i]);
    if (code == 0)
        code = check_joints(j);
    j->seconds_import = seconds_now() - began;
    return code;
}

int pack_assemble(pack_job *j, const char *path)
{
    int code = settle_units(j);
    if (code == 0)
        code = pack_write_provenance(j);
    return code == 0 ? pack_build(j, path) : code;
}

static int open_store(pack_job *j, const char *path)
{
    int code = store_open(&j->store, j->set->store);
    j->find_part = pack_find_stored;
    j->find_part_user = j;
    j->store.is_trusted = j->set->trust_store;
    if (code == 0 && j->set->thin)
        code = convert_hint(path, j->set->store, j->store_hint);
    return code;
}

/* A share that goes into a store makes no file: path "". */
static int import_and_write(pack_job *j, const char *path)
{
    int code = import_all(j);
    if (code == 0 && j->new_part_count > 0)
        pack_start_sync(j);
    if (code == 0 && *path)
        code = j->shard.number.count > 0 ? pack_write_shard(j, path) : pack_assemble(j, path);
    pack_end_sync(j);
    return code;
}

static int pack(pack_job *j)
{
    char path[4096] = "";
    int code = read_shard(j);
    if (code == 0 && !(j->set->shard && j->set->store))
        code = choose_output(j, path, sizeof path);
    if (code == 0)
        code = check_output(j, path);
    if (code == 0)
        code = pack_read_options(j);
    if (code == 0 && j->set->store)
        code = open_store(j, path);
    progress_start(&j->bar, j->set->quiet);
    if (code == 0)
        code = import_and_write(j, path);
    progress_stop(&j->bar);
    if (code == 0 && j->set->json)
        pack_report_as_json(j, path);
    else if (code == 0 && !j->set->quiet)
        pack_summarise(strcmp(path, "-") ? stdout : stderr, j, path);
    return code;
}

/* Everything up to the ending; a name that is only an ending stays whole. */
static char *title_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? strndup(name, (size_t)(dot - name)) : strdup(name);
}

int pack_name_sources(pack_job *j, char **paths)
{
    int complete = 1;
    j->sources = calloc((size_t)j->source_count, sizeof *j->sources);
    for (int i = 0; j->sources && i < j->source_count; i++) {
        pack_source *s = &j->sources[i];
        s->path = paths[i];
        s->name = base_name(paths[i]);
        s->title = title_of(s->name);
        complete &= s->title != NULL;
    }
    if (j->sources && complete)
        return 0;
    complain(NULL, "%s", strerror(ENOMEM));
    return EXIT_LIMIT;
}

void pack_free(pack_job *j)
{
    for (int i = 0; j->sources && i < j->source_count; i++) {
        model_free(&j->sources[i].contents);
        free(j->sources[i].title);
    }
    free(j->sources);
    free(j->strays);
    free(j->provenance);
    pack_free_shard(&j->shard);
    last_output_close(&j->last);
    store_close(&j->store);
}

static int run(const verb *self, int argc, char **argv)
{
    pack_settings set = {.leaf = 8};
    pack_job j = {.set = &set};
    int code, first = options_operands(self, argc, argv, &set, 1, -1, "at least one MODEL", &code);
    if (first < 0)
        return code;
    j.source_count = argc - first;
    code = pack_name_sources(&j, argv + first);
    if (code == 0)
        code = pack(&j);
    pack_free(&j);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(pack_settings, output), "OUT",
     "where to write; \"-\" is standard output; without it MODEL with the ending .bvp", 0, 0},
    {"jobs", 'j', OPTION_COUNT, offsetof(pack_settings, jobs), "N",
     "threads to use; 0, the default, is one per processor; the output does not depend on it", 0,
     1024},
    {"quiet", 'q', OPTION_FLAG, offsetof(pack_settings, quiet), NULL, "no progress and no summary",
     0, 0},
    {"json", 0, OPTION_FLAG, offsetof(pack_settings, json), NULL, "print the summary as JSON", 0,
     0},
    {"no-ids", 0, OPTION_FLAG, offsetof(pack_settings, no_ids), NULL,
     "leave out the triangles' numbers in the source; answers then name storage numbers", 0, 0},
    {"drop-invalid", 0, OPTION_FLAG, offsetof(pack_settings, drop_invalid), NULL,
     "leave out and count triangles with infinite or NaN coordinates or bad indices, which are "
     "refused otherwise",
     0, 0},
    {"leaf", 0, OPTION_COUNT, offsetof(pack_settings, leaf), "N",
     "most triangles in a leaf of a hierarchy, 1 to 8; 8 is the default and the smallest file", 1,
     8},
    {"hierarchy", 0, OPTION_TEXT, offsetof(pack_settings, hierarchy), "LIST",
     "the hierarchies to build, of " KIND_CHOICE ", separated by commas; wide is the default", 0,
     0},
    {"split", 0, OPTION_CHOICE, offsetof(pack_settings, split), SPLIT_CHOICE,
     "how sets of triangles are cut in two, for all hierarchies but wide; sah is the default", 0,
     0},
    {"planes", 0, OPTION_COUNT, offsetof(pack_settings, planes), "N",
     "most planes in a node of a boxtree, 1 to 3; 3 is the default", 1, 3},
    {"offset-bits", 0, OPTION_CHOICE, offsetof(pack_settings, offset_bits), "8|16|32",
     "bits of a plane's offset in a boxtree; 8 is the default", 0, 0},
    {"fast", 0, OPTION_FLAG, offsetof(pack_settings, fast), NULL,
     "build the wide hierarchy along a Morton curve: in less time, for somewhat slower queries "
     "with "
     "the same answers",
     0, 0},
    {"deformable", 0, OPTION_FLAG, offsetof(pack_settings, deformable), NULL,
     "store coordinates in 32 bits each, so that they can be moved and the hierarchy refitted", 0,
     0},
    {"keep-strays", 0, OPTION_FLAG, offsetof(pack_settings, keep_strays), NULL,
     "keep triangles that lie far outside the others of their part in it, for slower queries", 0,
     0},
    {"unit", 0, OPTION_TEXT, offsetof(pack_settings, unit), "mm|cm|m|in|ft|N",
     "the length of one coordinate unit, N in metres; overrides what the model says", 0, 0},
    {"assume-unit", 0, OPTION_TEXT, offsetof(pack_settings, assume_unit), UNITS_ASSUME_VALUE,
     "the same for models that do not say theirs; of several models, in whose units some are told, "
     "and some not, it is needed",
     0, 0},
    {"up", 0, OPTION_CHOICE, offsetof(pack_settings, up), "x|y|z",
     "the axis that points up; overrides what the model says", 0, 0},
    {"format", 0, OPTION_CHOICE, offsetof(pack_settings, format),
     "stl|obj|ply|off|gltf|glb|3mf|urdf|manifest|step|iges|assimp",
     "read the models as this, not as what they look like", 0, 0},
    {"chord", 0, OPTION_TEXT, offsetof(pack_settings, chord), "LENGTH",
     "of STEP and IGES models: how far a triangle may be from its curved surface, 0.01 or 0.5in; a "
     "bare number is in mm; 0.1 mm is the default. The file keeps it",
     0, 0},
    {"angle", 0, OPTION_NUMBER, offsetof(pack_settings, angle), "DEGREES",
     "of STEP and IGES models: the largest angle between neighbouring triangles of a curved "
     "surface, 0.1 to 90; 20 is the default",
     0, 0},
    {"store", 0, OPTION_FILE, offsetof(pack_settings, store), "DIR",
     "keep every part packed in this folder, and take from it what is there already", 0, 0},
    {"shard", 0, OPTION_TEXT, offsetof(pack_settings, shard), "I/N",
     "pack share I of N of a manifest's files or a model's meshes, 1/4 for instance, into a file "
     "that \"bvpack merge\" takes together with the others, or into the store",
     0, 0},
    {"thin", 0, OPTION_FLAG, offsetof(pack_settings, thin), NULL,
     "refer to the parts in the store instead of copying them into the file", 0, 0},
    {"reread", 0, OPTION_FLAG, offsetof(pack_settings, reread), NULL,
     "with a store: read mesh files again whose size and times say that they have not changed", 0,
     0},
    {"digests", 0, OPTION_FLAG, offsetof(pack_settings, digests), NULL,
     "put a cryptographic digest of each 64 KiB into the file, so that one signature of its root "
     "digest, which \"bvpack info --digest\" prints, vouches for all of it",
     0, 0},
    {"trust-store", 0, OPTION_FLAG, offsetof(pack_settings, trust_store), NULL,
     "with a store that nobody else writes to: take parts from it, and from the last output, by "
     "their hashes alone, without holding them against the rules of the format",
     0, 0},
    {"any-path", 0, OPTION_FLAG, offsetof(pack_settings, any_path), NULL,
     "let a model name other files anywhere, not only in its own folder and below: meshes of a "
     "manifest or URDF file, what a scene refers to; symbolic links may lead out, too",
     0, 0},
    {"import-timeout", 0, OPTION_NUMBER, offsetof(pack_settings, import_timeout), "SECONDS",
     "of models that a program of its own reads: end it after this time; 7 s and 1 s for each 256 "
     "KiB of the model is the default, of STEP and IGES models 120 s and 1 s for each 16 KiB",
     0, 0},
    {"import-memory", 0, OPTION_COUNT, offsetof(pack_settings, import_memory), "MIB",
     "of such models: the memory that the program may take; 768 MiB and 1 KiB for each byte of "
     "the model is the default, at most three quarters of the machine's",
     1, 1 << 30},
    {"urdf", 0, OPTION_CHOICE, offsetof(pack_settings, urdf), "collision|visual",
     "which shapes of a robot's links to read; collision is the default", 0, 0},
    {"joints", 0, OPTION_TEXT, offsetof(pack_settings, joints), "NAME=VALUE,...|@FILE",
     "where a robot's joints stand, in radians (degrees: 90deg) and metres; the others stand at "
     "zero",
     0, 0},
    {"package-path", 0, OPTION_TEXT, offsetof(pack_settings, package_path), "DIR:...",
     "where to look for the ROS packages that a URDF file names; without it in the folders above "
     "the file",
     0, 0},
    {0},
};

const verb verb_pack = {
    .name = "pack",
    .summary = "pack models into one file",
    .synopsis = "MODEL... [-o OUT] [OPTION]...\n",
    .description =
        "Packs STL, OBJ, PLY, OFF, glTF, GLB, 3MF and URDF models into one file that answers "
        "queries as "
        "it lies on disk. Equal parts are stored once; the tree of a model that has one is kept. "
        "Several models become one assembly with a node for each. MODEL \"-\" is standard "
        "input.\n\n"
        "STEP and IGES models are cut into triangles, in millimetres, by a program of its own, "
        "bvpack-step, COLLADA, FBX, IFC and others are read by bvpack-assimp; each is there if "
        "bvpack was built with its library.\n\n"
        "A manifest (.jsonl, JSON lines) lists the parts and instances of an assembly by their "
        "mesh "
        "files, as a PDM system exports them: see manifest.md. From standard input its paths start "
        "in the current folder.\n\n"
        "Of a robot (URDF) the shapes for collision are packed, with its links as a tree and its "
        "joints at "
        "zero or at --joints. Boxes are exact; cylinders and spheres become meshes of 32 sides "
        "whose vertices lie on the true surface, so that faces lie inside it by up to 0.5 % of the "
        "radius, on "
        "spheres 1 %.\n\n"
        "Coordinates that fit in 32-bit floats are kept bit for bit. Others, such as national grid "
        "coordinates in double precision, are moved to an origin near the part, and the largest "
        "rounding error is reported. Degenerate and duplicate triangles are kept and counted.\n\n"
        "Triangles that lie at least 2^14 times farther out than the others of their mesh would "
        "make queries slow, for boxes are stored on a grid over the whole part. They become a part "
        "of their own, of the same name and at the same place, with a warning; their nodes have "
        "the property bvpack_strays. --keep-strays and --deformable leave them where they are.\n\n"
        "With --store every unique part is packed once, under its content's address, and an "
        "unchanged source file is not even read in: so an export of which little has changed packs "
        "in little time, to the same bytes as without a store. Any number of programs may use a "
        "store at once.\n\n"
        "With --shard I/N only every Nth of the files that a manifest names is read and packed, or "
        "every Nth mesh of another model, so that N machines can share the work: \"bvpack merge\" "
        "makes of all shares the file that "
        "one "
        "machine would have made. A share is an ordinary file with its parts, each as it lies. "
        "With "
        "--store there is no file; when all shares are in the store, packing without --shard finds "
        "them there.\n\n"
        "The same models and options give the same bytes. The output has its name only when it is "
        "complete; an earlier file of that name stays until then.",
    .options = options,
    .examples = "# a model beside itself: plant.bvp\n"
                "bvpack plant.glb\n"
                "# a robot and its tool in one assembly, in millimetres\n"
                "bvpack pack robot.stl tool.stl --unit mm -o cell.bvp\n"
                "# an AABB tree and a boxtree over the same triangles\n"
                "bvpack pack part.stl --hierarchy aabb,boxtree -o part.bvp\n"
                "# what the 1997 paper describes\n"
                "bvpack pack part.stl --hierarchy aabb --split midpoint --leaf 1 -o solid.bvp\n"
                "# an export: part files and where they are placed\n"
                "bvpack pack export.jsonl -o plant.bvp\n"
                "# a robot with two of its joints turned\n"
                "bvpack pack robot.urdf --joints shoulder=0.5,elbow=-90deg -o robot.bvp\n"
                "# a CAD assembly, to a hundredth of a millimetre\n"
                "bvpack pack gearbox.step --chord 0.01mm -o gearbox.bvp\n"
                "# every night's export: only what changed is packed\n"
                "bvpack pack export.jsonl --store parts -o plant.bvp\n"
                "# a quarter of it on each of four machines\n"
                "bvpack pack export.jsonl --shard 1/4 -o share1.bvp\n"
                "bvpack merge share1.bvp share2.bvp share3.bvp share4.bvp -o plant.bvp\n"
                "# from a pipe\n"
                "xz -dc part.stl.xz | bvpack pack - -o part.bvp\n",
    .completes =
        "stl|STL|obj|OBJ|ply|PLY|off|OFF|gltf|glb|GLB|3mf|3MF|urdf|URDF|jsonl|step|STEP|stp|STP|"
        "iges|IGES|igs|IGS|dae|DAE|"
        "fbx|FBX|ifc|IFC",
    .run = run,
};
