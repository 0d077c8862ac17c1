/* SPDX-License-Identifier: MIT
 * verb_diff.c: the verb diff: what was added, removed, moved or changed from one file to the next.
 */
#include "diff/diff_findings.h"

#include <math.h>
#include <string.h>
#include "match/match_files.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/options.h"
#include "files/packed_file.h"
#include "cli/units.h"

/* Opens a file and reads its side. scale: the file's unit in units of `first`, which is NULL for
 * the first file itself. */
static int open_side(diff_job *j, match_side *s, bvp_file **file, const char *path,
                     const match_side *first)
{
    static const bvp_open_options how = {.verify_lazily = 1, .read_ahead = 1};
    bvp_error error = {0};
    bvp_status status = packed_open(path, &how, file, &error);
    /* Parts are compared by what the tables record, so only the tables are checked. */
    if (status == BVP_OK)
        status = bvp_check_part(*file, BVP_ASSEMBLY, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    bvp_file_info info;
    double scale = 1;
    bvp_get_info(*file, &info);
    int code = units_assume(j->set->assume_unit, &info);
    if (code == 0 && first)
        code = units_scale(first->path, &first->tree.info, path, &info, &scale);
    if (code == 0)
        code = match_side_open(s, path, *file, scale);
    return code != 0 ? code : units_assume(j->set->assume_unit, &s->tree.info);
}

/* A hundred times the rounding error of a deep tree's placements when they are multiplied in
 * another order. */
static double rounding_of(const match_side *s)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, fmax(fabs(s->tree.info.lo[i]), fabs(s->tree.info.hi[i])));
    most *= s->scale;
    return isfinite(most) ? 1e-12 * most : 0;
}

static int choose_tolerance(diff_job *j)
{
    j->tolerance = fmax(rounding_of(&j->a), rounding_of(&j->b));
    if (!j->set->tolerance)
        return 0;
    const int code = parse_length("--tolerance", j->set->tolerance, &j->a.tree.info, &j->tolerance);
    if (code != 0 || (j->tolerance >= 0 && isfinite(j->tolerance)))
        return code;
    complain("--tolerance", "expected a length of at least 0, found \"%s\"", j->set->tolerance);
    return EXIT_USAGE;
}

int diff_tessellations_differ(const diff_job *j)
{
    const double a = j->a.tree.info.tessellation_tolerance;
    const double b = j->b.scale * j->b.tree.info.tessellation_tolerance;
    return j->b.scale == 1 ? a != b : fabs(a - b) > 1e-12 * fmax(a, b);
}

int diff_heads_differ(const diff_job *j)
{
    const bvp_file_info *a = &j->a.tree.info, *b = &j->b.tree.info;
    return a->unit_in_metres != b->unit_in_metres || a->up != b->up || diff_tessellations_differ(j);
}

static int run(const verb *self, int argc, char **argv)
{
    diff_settings set = {.row_max = 20};
    int code, first = options_operands(self, argc, argv, &set, 2, 2, "FILE FILE", &code);
    if (first < 0)
        return code;
    int no_memory = 0;
    diff_job j = {.set = &set, .no_memory = &no_memory};
    code = open_side(&j, &j.a, &j.files[0], argv[first], NULL);
    if (code == 0)
        code = open_side(&j, &j.b, &j.files[1], argv[first + 1], &j.a);
    if (code == 0)
        code = choose_tolerance(&j);
    if (code == 0)
        code = match_files(&j.a, &j.b);
    if (code == 0)
        code = diff_rows_of_parts(&j.parts, &j.a, &j.b);
    if (code == 0)
        code = diff_rows_of_nodes(&j.nodes, &j.a, &j.b, j.tolerance, set.all);
    j.differ = code == 0 && (j.parts.count > 0 || j.nodes.count > 0 || diff_heads_differ(&j));
    if (code == 0 && set.json)
        diff_print_json(&j);
    else if (code == 0 && !set.quiet)
        diff_print(&j);
    if (no_memory)
        code = complain_memory();
    if (code == 0 && set.exit_code && j.differ)
        code = EXIT_FINDING;
    diff_rows_free(&j.parts);
    diff_rows_free(&j.nodes);
    match_side_close(&j.a);
    match_side_close(&j.b);
    bvp_close(j.files[0]);
    bvp_close(j.files[1]);
    return code;
}

static const option_row options[] = {
    {"tolerance", 0, OPTION_TEXT, offsetof(diff_settings, tolerance), "LENGTH",
     "an instance none of whose points is farther than this from where it was has not moved: "
     "0.1mm, "
     "or a bare number in the first file's units; by default what rounding leaves open",
     0, 0},
    {"assume-unit", 0, OPTION_TEXT, offsetof(diff_settings, assume_unit), UNITS_ASSUME_VALUE,
     UNITS_ASSUME_HELP, 0, 0},
    {"all", 'a', OPTION_FLAG, offsetof(diff_settings, all), NULL,
     "list every instance, not only the sub-assembly that was added, removed, moved or renamed "
     "with all that is in it",
     0, 0},
    {"rows", 'n', OPTION_COUNT, offsetof(diff_settings, row_max), "N",
     "show at most N rows of each change, 20 by default; JSON output has all", 0, 0},
    {"json", 0, OPTION_FLAG, offsetof(diff_settings, json), NULL, "print JSON", 0, 0},
    {"quiet", 'q', OPTION_FLAG, offsetof(diff_settings, quiet), NULL, "print nothing but errors", 0,
     0},
    {"exit-code", 0, OPTION_FLAG, offsetof(diff_settings, exit_code), NULL,
     "exit with 1 when the files differ", 0, 0},
    {0},
};

const verb verb_diff = {
    .name = "diff",
    .summary = "say what was added, removed, moved or changed between two packed files",
    .synopsis = "FILE FILE [OPTION]...\n",
    .description =
        "Compares the parts and the instances of two packed files, the old one first. Parts are "
        "matched by their mesh, then by name, then by part number. Instances are matched along the "
        "product tree, by names, source ids, placements and what is below them; what is left over "
        "by its place in the world or by its source id.\n\n"
        "A part is added, removed, changed (another mesh of the same name or part number) or "
        "renamed. An instance is added, removed, changed (another mesh), moved (how far the corner "
        "of its box that moved farthest), renamed (another name, or another place in the tree); or "
        "its properties differ. It may be several of these at once. Of equal names the ones whose "
        "placements are equal are matched first, then those whose parts are, then the others in "
        "the files' order.\n\n"
        "Lengths are told in the first file's unit. Where the files' units differ, the second "
        "one's "
        "placements are converted, and no mesh is the same: equal numbers are another size.\n\n"
        "Parts of a store are not looked at, and may be missing. "
        "How parts are packed is not compared: hierarchies, options, thin or fat. The files' own "
        "hashes of their meshes are; \"bvpack verify\" says whether they are true.",
    .options = options,
    .examples = "bvpack diff monday.bvp tuesday.bvp\n"
                "# in a script: is there anything to check again?\n"
                "bvpack diff monday.bvp tuesday.bvp -q --tolerance 0.1mm --exit-code\n",
    .exit_codes = "1 with --exit-code: the files differ\n",
    .completes = "bvp|zst",
    .run = run,
};
