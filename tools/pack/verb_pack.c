/* SPDX-License-Identifier: MIT
 * verb_pack.c: the verb pack: packs models into one file, and prints a summary.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "cli/units.h"
#include "pack/pack_build.h"
#include "pack/pack_report.h"
#include "pack/pack_shard.h"
#include "text/keyword.h"
#include "text/message.h"

/* ---- the output ----------------------------------------------------------------------------- */

/* *out: the output's name: that of -o, else MODEL with its extension replaced, beside the model; ""
 * for a share that goes into a store. */
static int choose_output(const pack_settings *set, const pack_input *in, char *out, size_t capacity)
{
    const char *first = in->sources[0].path;
    assert(in->source_count > 0 && capacity > 0);
    if ((set->shard && (set->store || set->memory)) || set->deal) {
        *out = '\0';
    } else if (set->output) {
        if (snprintf(out, capacity, "%s", set->output) >= (int)capacity) {
            complain("--output", "the name is too long");
            return EXIT_USAGE;
        }
    } else if (in->source_count > 1 || strcmp(first, "-") == 0) {
        complain("pack", "several models, or standard input, need a name for the output: -o OUT");
        return EXIT_USAGE;
    } else {
        const char *name = base_name(first), *dot = strrchr(name, '.');
        const size_t size = dot && dot > name ? (size_t)(dot - first) : strlen(first);
        const int written = snprintf(out, capacity, "%.*s.bvp", (int)size, first);
        if (written <= 0 || (size_t)written >= capacity) {
            complain(first, "the name is too long; name the output with -o");
            return EXIT_USAGE;
        }
    }
    if (set->share &&
        (in->source_count > 1 || set->store || set->shard || set->no_ids || set->deformable)) {
        complain("--share", "takes one model, and no --store, --shard, --no-ids or --deformable");
        return EXIT_USAGE;
    }
    if (set->thin && !set->store) {
        complain("--thin", "a thin file refers to parts in a store; name it with --store");
        return EXIT_USAGE;
    }
    for (int i = 0; i < in->source_count; i++)
        if (same_file(in->sources[i].path, out)) {
            complain(out, "the output would replace the model; name another with -o");
            return EXIT_USAGE;
        }
    if (set->memory && in->source_count > 1) {
        complain("--memory", "takes one model, found %d", in->source_count);
        return EXIT_USAGE;
    }
    if ((set->temporary || set->state || set->deal) && !set->memory) {
        complain(set->deal    ? "--deal"
                 : set->state ? "--state"
                              : "--tmp",
                 "there are temporary files with --memory only");
        return EXIT_USAGE;
    }
    if (set->output && set->memory && (set->shard || set->deal)) {
        complain("--output", "what is dealt and shares of it are in the folder of --state, and in "
                             "no file");
        return EXIT_USAGE;
    }
    if (strcmp(out, "-") == 0 && set->json) {
        complain("pack", "--json and -o - would both write to standard output");
        return EXIT_USAGE;
    }
    return 0;
}

/* A share needs a name of its own, unless it goes into a store, where it has none. */
static int read_shard(const pack_settings *set, int source_count, shard_number *out)
{
    if (!set->shard)
        return 0;
    const int code = shard_read(set->shard, out);
    if (code != 0)
        return code;
    if (source_count != 1)
        complain("--shard", "expected one manifest or model, found %d", source_count);
    else if (set->assume_unit)
        complain("--assume-unit", "shares are of one model: say its unit with --unit");
    else if (set->thin)
        complain("--thin", "a share is not thin; merge the shares and split the whole");
    else if (set->store && set->output)
        complain("--output", "with --store a share goes into the store, and into no file");
    else if (!set->store && !set->output && !set->memory)
        complain("--shard", "name the share's file with -o, or a store with --store");
    else
        return 0;
    return EXIT_USAGE;
}

/* ---- the verb ------------------------------------------------------------------------------- */

/* What has been packed is opened again: sizes of parts that come out of a store stand there only.
 */
static void hint_unit(const char *path, char text[UNIT_HINT_MAX])
{
    bvp_file *file;
    text[0] = '\0';
    if (bvp_open(path, NULL, &file, NULL) != BVP_OK)
        return;
    unit_hint(file, text);
    bvp_close(file);
}

/* Says what has been done. */
static void report(pack_result *result, const char *path, int is_share)
{
    const pack_settings *set = result->plan->set;
    if (*path && strcmp(path, "-") != 0 && !is_share)
        hint_unit(path, result->unit_hint);
    if (set->json)
        pack_result_as_json(result, path);
    else if (!set->quiet)
        pack_summarise(strcmp(path, "-") ? stdout : stderr, result, path);
}

/* Packs one model in bounded memory. */
static int pack_in_memory_of(pack_input *in, const pack_plan *plan, const char *path)
{
    shard_counts share = {.number = {0, 0}};
    pack_result result = {.plan = plan, .input = in, .share = &share};
    progress bar;
    const pack_output out = {.path = path, .bar = &bar};
    progress_start(&bar, plan->set->quiet);
    const int code = pack_build_stream(in, plan, &out, &result.report);
    progress_stop(&bar);
    if (code == 0 && *path)
        report(&result, path, 0);
    else if (code == 0 && !plan->set->quiet && plan->shard.count > 0)
        printf("%s: share %u/%u is built\n", plan->set->state, plan->shard.index,
               plan->shard.count);
    else if (code == 0 && !plan->set->quiet)
        printf("%s: dealt; now build shares (--shard i/n), or the whole\n", plan->set->state);
    return code;
}

/* Reads the models, builds the output, and says what was done. path "": there is no output, as a
 * share goes into the store. The order matters: the store is synced while the output is built, and
 * the output gets its name after that. */
static int pack(pack_input *in, const pack_plan *plan, const char *path)
{
    const pack_settings *set = plan->set;
    const int is_share = plan->shard.count > 0;
    shard_counts share = {.number = plan->shard};
    pack_store store = {.plan = plan};
    pack_shard shard = {.plan = plan, .counts = &share};
    pack_result result = {
        .plan = plan, .input = in, .share = &share, .store = set->store ? &store.counts : NULL};
    progress bar;
    const pack_sink into_store = {.user = &store, .take = pack_store_take};
    const pack_sink into_shard = {.user = &shard, .take = pack_shard_take};
    const pack_finder finder = {.user = &store, .find = pack_store_find};
    const pack_output out = {.path = path, .store = set->store ? &store : NULL, .bar = &bar};

    assert(*path || (is_share && set->store));
    int code = set->store ? pack_store_open(&store, plan, &share, path) : 0;
    progress_start(&bar, set->quiet);
    if (code == 0) {
        const pack_sink *sink = set->store ? &into_store : is_share ? &into_shard : NULL;
        const double began = seconds_now();
        code = pack_input_read(in, plan, sink, &bar, &store.code);
        /* Merging reads no model again but a manifest, whose files do not depend on each other. */
        const pack_source *s = &in->sources[0];
        if (code == 0 && share.file_count > 0 && strcmp(s->contents.format, "manifest") != 0) {
            complain(s->path,
                     "--shard takes a share of a manifest's files or of a model's own meshes, "
                     "found a model that names mesh files: %s; pack it without --shard",
                     s->contents.format);
            code = EXIT_INPUT;
        }
        result.seconds_import = seconds_now() - began;
    }
    if (code == 0 && store.counts.new_part_count > 0)
        pack_store_start_sync(&store);
    if (code == 0 && *path && is_share) {
        code = pack_write(shard.builder, &out, &result.report);
    } else if (code == 0 && *path) {
        code = pack_input_settle(in, plan);
        if (code == 0)
            code = pack_build(in, plan, &finder, &out, &result.report);
    }
    pack_store_end_sync(&store);
    progress_stop(&bar);
    if (code == 0)
        report(&result, path, is_share);
    pack_shard_free(&shard);
    pack_store_close(&store);
    return code;
}

static int run(const verb *self, int argc, char **argv)
{
    pack_settings set = {.leaf = 8};
    pack_plan plan = {.set = &set};
    pack_input in;
    char path[4096] = "";
    int code, first = options_operands(self, argc, argv, &set, 1, -1, "at least one MODEL", &code);
    if (first < 0)
        return code;
    code = pack_input_name(&in, argv + first, argc - first);
    if (code == 0)
        code = read_shard(&set, in.source_count, &plan.shard);
    if (code == 0)
        code = choose_output(&set, &in, path, sizeof path);
    if (code == 0)
        code = pack_plan_read(&plan);
    if (code == 0)
        code = plan.memory > 0 ? pack_in_memory_of(&in, &plan, path) : pack(&in, &plan, path);
    pack_input_free(&in);
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
     "how sets of triangles are cut in two, for all hierarchies but wide; sah is the default; "
     "restricted, of a boxtree of one plane a node, cuts both children of a node on one axis",
     0, 0},
    {"fit", 0, OPTION_CHOICE, offsetof(pack_settings, fit), FIT_CHOICE,
     "how the axes of oriented boxes and swept rectangles are chosen: by the surface; by that and "
     "by a hull of extreme points, the default; or by the hull of all vertices, as OBBTree's paper "
     "does, which is slow",
     0, 0},
    {"planes", 0, OPTION_COUNT, offsetof(pack_settings, planes), "N",
     "most planes in a node of a boxtree, 1 to 3; 3 is the default", 1, 3},
    {"offset-bits", 0, OPTION_CHOICE, offsetof(pack_settings, offset_bits), "8|16|32",
     "bits of a plane's offset in a boxtree; 8 is the default", 0, 0},
    {"fast", 0, OPTION_FLAG, offsetof(pack_settings, fast), NULL,
     "build the wide hierarchy along a Morton curve: in less time, for somewhat slower queries "
     "with the same answers and files up to a tenth larger; \"bvpack repack\" makes the usual file "
     "of it later",
     0, 0},
    {"small", 0, OPTION_FLAG, offsetof(pack_settings, small), NULL,
     "fill the leaves and nodes of the wide hierarchy: some .4 bytes a triangle less, for "
     "somewhat "
     "slower queries with the same answers",
     0, 0},
    {"rays", 0, OPTION_FLAG, offsetof(pack_settings, rays), NULL,
     "add a hierarchy for rays, about 25 bytes a triangle: rays are answered faster, and the same",
     0, 0},
    {"deformable", 0, OPTION_FLAG, offsetof(pack_settings, deformable), NULL,
     "store coordinates in 32 bits each, so that they can be moved and the hierarchies refitted", 0,
     0},
    {"asset-numbers", 0, OPTION_FLAG, offsetof(pack_settings, asset_numbers), NULL,
     "keep the numbers that nodes and meshes have in a glTF asset, some 20 bytes an instance: hits "
     "then name them; \"bvpack attach\" does so by itself",
     0, 0},
    {"keep-strays", 0, OPTION_FLAG, offsetof(pack_settings, keep_strays), NULL,
     "keep triangles that lie far outside the others of their part in it, for slower queries", 0,
     0},
    {"share", 0, OPTION_FLAG, offsetof(pack_settings, share), NULL,
     "of a GLB: leave its vertices and indices where they are and refer to them, for some 3 bytes "
     "a "
     "triangle; \"bvpack attach\" puts the two into one file",
     0, 0},
    {"unit", 0, OPTION_TEXT, offsetof(pack_settings, unit), "mm|cm|m|in|ft|N",
     "the length of one coordinate unit, N in metres; overrides what the model says", 0, 0},
    {"assume-unit", 0, OPTION_TEXT, offsetof(pack_settings, assume_unit), UNITS_ASSUME_VALUE,
     "the same for models that do not say theirs; of several models, in whose units some are told, "
     "and some not, it is needed",
     0, 0},
    {"up", 0, OPTION_CHOICE, offsetof(pack_settings, up), "x|y|z",
     "the axis that points up; overrides what the model says", 0, 0},
    {"format", 0, OPTION_CHOICE, offsetof(pack_settings, format),
     "stl|obj|ply|off|gltf|glb|3mf|urdf|rvm|manifest|plmxml|ap242|step|iges|ifc|assimp|triangles",
     "read the models as this, not as what they look like", 0, 0},
    {"chord", 0, OPTION_TEXT, offsetof(pack_settings, chord), "LENGTH",
     "of STEP, IGES and RVM models: how far a triangle may be from its curved surface, 0.01 or "
     "0.5in; a "
     "bare number is in mm; 0.1 mm is the default. The file keeps it; parts of STEP and IGES "
     "models that nearly touch others are cut finer, so that clash can tell which penetrate",
     0, 0},
    {"angle", 0, OPTION_NUMBER, offsetof(pack_settings, angle), "DEGREES",
     "of STEP, IGES, RVM and IFC models: the largest angle between neighbouring triangles of a "
     "curved "
     "surface, 0.1 to 90; 20 is the default",
     0, 0},
    {"store", 0, OPTION_FILE, offsetof(pack_settings, store), "DIR",
     "keep every part packed in this folder, and take from it what is there already", 0, 0},
    {"shard", 0, OPTION_TEXT, offsetof(pack_settings, shard), SHARD_VALUE,
     "pack share I of N of a manifest's files or a model's meshes, 1/4 for instance, into a file "
     "that \"bvpack merge\" takes together with the others, or into the store; auto: the one that "
     "the environment of a job array says",
     0, 0},
    {"memory", 0, OPTION_TEXT, offsetof(pack_settings, memory), "SIZE",
     "pack a model of one mesh that is larger than memory, in about so much of it (64M and more, "
     "1G for instance), by temporary files: the same bytes as without",
     0, 0},
    {"tmp", 0, OPTION_FILE, offsetof(pack_settings, temporary), "DIR",
     "the folder of these files, which have no name and are gone at the end; the output's folder "
     "is the default",
     0, 0},
    {"state", 0, OPTION_FILE, offsetof(pack_settings, state), "DIR",
     "with --memory: keep the temporary files in this folder, so that the same command goes on "
     "after the program was killed; they are removed when the output is complete",
     0, 0},
    {"deal", 0, OPTION_FLAG, offsetof(pack_settings, deal), NULL,
     "with --state: stop when the triangles are dealt to sets. Then several machines that see the "
     "folder build shares of the sets by --shard I/N, and the same command without either makes "
     "the whole of them",
     0, 0},
    {"thin", 0, OPTION_FLAG, offsetof(pack_settings, thin), NULL,
     "refer to the parts in the store instead of copying them into the file", 0, 0},
    {"reread", 0, OPTION_FLAG, offsetof(pack_settings, reread), NULL,
     "with a store: read mesh files again whose size and times say that they have not changed", 0,
     0},
    {"digests", 0, OPTION_FLAG, offsetof(pack_settings, digests), NULL,
     "put a cryptographic digest of each 16 KiB into the file, so that one signature of its root "
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
     "KiB of the model is the default, of STEP and IGES models 120 s and 1 s for each 16 KiB, of "
     "IFC models 30 s and 1 s for each 64 KiB",
     0, 0},
    {"import-memory", 0, OPTION_COUNT, offsetof(pack_settings, import_memory), "MIB",
     "of such models: the memory that the program may take; 768 MiB and 1 KiB for each byte of "
     "the model is the default, at most three quarters of the machine's",
     1, 1 << 30},
    {"ifc-spaces", 0, OPTION_FLAG, offsetof(pack_settings, ifc_spaces), NULL,
     "of IFC models what is no body, too: spaces, openings, virtual elements, annotations and "
     "grids, as far as they have surfaces",
     0, 0},
    {"urdf", 0, OPTION_CHOICE, offsetof(pack_settings, urdf), "collision|visual",
     "which shapes of a robot's links to read; collision is the default", 0, 0},
    {"joints", 0, OPTION_TEXT, offsetof(pack_settings, joints), "NAME=VALUE,...|@FILE",
     "where a robot's joints stand, in radians (degrees: 90deg) and metres; the others stand at "
     "zero",
     0, 0},
    {"package-path", 0, OPTION_TEXT, offsetof(pack_settings, package_path), "DIR:...",
     "where to look for the ROS packages that a URDF file names, with ; between the folders on "
     "Windows; without it in the folders above the file",
     0, 0},
    {0},
};

const verb verb_pack = {
    .name = "pack",
    .summary = "pack models into one file",
    .synopsis = "MODEL... [-o OUT] [OPTION]...\n",
    .description =
        "Packs STL, OBJ, PLY, OFF, glTF, GLB, 3MF, RVM and URDF models into one file that answers "
        "queries as "
        "it lies on disk. Equal parts are stored once; the tree of a model that has one is kept. "
        "Several models become one assembly with a node for each. MODEL \"-\" is standard "
        "input. A program that makes triangles can write them as they are, for --format triangles "
        "or into a file of the ending .triangles: x, y and z of three corners, nine little-endian "
        "32-bit floats a triangle, one triangle after the other and nothing else.\n\n"
        "STEP and IGES models are cut into triangles, in millimetres, by a program of its own, "
        "bvpack-step, COLLADA, FBX and others are read by bvpack-assimp; each is there if "
        "bvpack was built with its library. glTF views that meshopt has packed are unpacked, and "
        "primitives that Draco has compressed are decoded, by bvpack-draco, likewise; skinned "
        "meshes stand in their bind pose, morphed ones are taken at their mesh's weights.\n\n"
        "A manifest (.jsonl, JSON lines) lists the parts and instances of an assembly by their "
        "mesh "
        "files, as a PDM system exports them: see manifest.md. From standard input its paths start "
        "in the current folder. A PLM XML document (.plmxml) of NX or Teamcenter is read with the "
        "part files beside it that are not JT or a CAD system's: lengths are metres, part numbers, "
        "revisions, effectivity and user values become properties. So is the structure of an AP242 "
        "domain model in XML (.stpx), with the placements of its components, in the unit that it "
        "states, part numbers, revisions, effectivity and property values.\n\n"
        "Of a robot (URDF) the shapes for collision are packed, with its links as a tree and its "
        "joints at "
        "zero or at --joints. Boxes are exact; cylinders and spheres become meshes of 32 sides "
        "whose vertices lie on the true surface, so that faces lie inside it by up to 0.5 % of the "
        "radius, on "
        "spheres 1 %.\n\n"
        "Of an RVM model (AVEVA PDMS, E3D) each group is a node of the tree, and what it has of "
        "primitives a part, in millimetres; a group of one primitive shares its part with equal "
        "ones. The attributes that are exported beside it, in a file of its name with the ending "
        "att or txt, become properties; so does a group's number of material, which has a colour "
        "if the model has one for it. Lines have no surface and are left out. Insulation and "
        "obstruction volumes, which a model has only if they were exported, are parts of their own "
        "below their group, with the property volume=insulation or volume=obstruction, by which "
        "rules select them.\n\n"
        "An IFC model (IFC2X3, IFC4, IFC4X3; .ifc, .ifczip) is read by web-ifc, under node: "
        "install node, then: "
        "npm "
        "install -g web-ifc. It is looked for where npm puts packages for all users, in NODE_PATH, "
        "and in the folder that BVPACK_WEB_IFC names; node on the PATH, or as BVPACK_NODE says. "
        "The "
        "tree is project, site, building, storey, element and its pieces, GlobalIds are the "
        "source ids, openings are cut, placements are the file's own, z up, in its unit; class "
        "(ifc_class), storey, system, zone, material and property sets "
        "(Pset_WallCommon.IsExternal) "
        "become properties, which rules select by. Circles become polygons whose corners lie on "
        "them, --angle apart. Spaces and openings are left out, see --ifc-spaces. Where node or "
        "web-ifc is not found, bvpack-assimp reads what it can, with a warning.\n\n"
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
        "them there. " SHARD_HELP "\n\n"
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
                "# a plant, as its designers export it: plant.rvm, plant.att\n"
                "bvpack pack plant.rvm --chord 0.5mm -o plant.bvp\n"
                "# a building, with its spaces\n"
                "bvpack pack house.ifc --ifc-spaces -o house.bvp\n"
                "# every night's export: only what changed is packed\n"
                "bvpack pack export.jsonl --store parts -o plant.bvp\n"
                "# a quarter of it on each of four machines\n"
                "bvpack pack export.jsonl --shard 1/4 -o share1.bvp\n"
                "bvpack merge share1.bvp share2.bvp share3.bvp share4.bvp -o plant.bvp\n"
                "# from a pipe\n"
                "xz -dc part.stl.xz | bvpack pack - -o part.bvp\n",
    .completes = "stl|STL|obj|OBJ|ply|PLY|off|OFF|gltf|glb|GLB|3mf|3MF|urdf|URDF|rvm|RVM|jsonl|"
                 "plmxml|stpx|step|"
                 "STEP|stp|STP|"
                 "iges|IGES|igs|IGS|dae|DAE|"
                 "fbx|FBX|ifc|IFC|ifczip|ifcZIP",
    .run = run,
};
