/* SPDX-License-Identifier: MIT
 * pack_options.c: what the options of the verb pack mean: units, lengths, hierarchies.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/keyword.h"
#include "text/message.h"
#include "cli/operand.h"
#include "pack/pack_job.h"
#include "cli/units.h"

/* A bare number is in millimetres, which are the units that such models come in. */
static int read_tessellation(pack_job *j)
{
    static const bvp_file_info millimetres = {.unit_in_metres = 0.001};
    const double angle = j->set->angle;
    if (angle < 0 || angle > 90 || (angle > 0 && angle < 0.1)) {
        complain("--angle", "expected 0.1 to 90 degrees");
        return EXIT_USAGE;
    }
    if (!j->set->chord)
        return 0;
    int code = parse_length("--chord", j->set->chord, &millimetres, &j->chord);
    if (code != 0 || (j->chord >= 1e-6 && isfinite(j->chord)))
        return code;
    complain("--chord", "expected a length of at least 0.000001 mm, found \"%s\"", j->set->chord);
    return EXIT_USAGE;
}

static int has_kind(const pack_job *j, bvp_kind kind)
{
    for (uint32_t i = 0; i < j->hierarchy_count; i++)
        if (j->hierarchies[i].kind == kind)
            return 1;
    return 0;
}

/* The kinds of --hierarchy, in its order; the wide one is moved to the front. */
static int read_kinds(pack_job *j, const char *list)
{
    for (const char *word = list; j->hierarchy_count == 0 || *word;) {
        const size_t size = strcspn(word, ",");
        const bvp_kind kind = (bvp_kind)kind_by_name(word, size);
        if (kind == BVP_KIND_DEFAULT || has_kind(j, kind)) {
            complain("--hierarchy", "expected different ones of " KIND_CHOICE ", found \"%s\"",
                     list);
            return EXIT_USAGE;
        }
        j->hierarchies[j->hierarchy_count++].kind = kind;
        if (kind == BVP_KIND_WIDE && j->hierarchy_count > 1) {
            memmove(j->hierarchies + 1, j->hierarchies,
                    (j->hierarchy_count - 1) * sizeof *j->hierarchies);
            j->hierarchies[0].kind = kind;
        }
        word += size + (word[size] == ',' && word[size + 1] != '\0');
    }
    return 0;
}

/* What was asked for and what no kind of the list takes is a mistake. */
static int read_hierarchies(pack_job *j)
{
    const pack_settings *set = j->set;
    int code = read_kinds(j, set->hierarchy ? set->hierarchy : "wide");
    if (code != 0)
        return code;
    const int only_wide = j->hierarchy_count == 1 && has_kind(j, BVP_KIND_WIDE);
    if (only_wide && set->split && strcmp(set->split, "sah") != 0) {
        complain("--split", "the wide hierarchy is cut by sah only; name others with --hierarchy");
        return EXIT_USAGE;
    }
    if (set->fast && !has_kind(j, BVP_KIND_WIDE)) {
        complain("--fast", "only the wide hierarchy is built so; name it with --hierarchy");
        return EXIT_USAGE;
    }
    if (!has_kind(j, BVP_KIND_BOXTREE) && (set->planes > 0 || set->offset_bits)) {
        complain(set->planes > 0 ? "--planes" : "--offset-bits",
                 "only a boxtree has planes; ask for it with --hierarchy boxtree");
        return EXIT_USAGE;
    }
    for (uint32_t i = 0; i < j->hierarchy_count; i++) {
        bvp_hierarchy_spec *s = &j->hierarchies[i];
        if (s->kind != BVP_KIND_WIDE && set->split)
            s->split = (bvp_split)split_by_name(set->split);
        if (s->kind == BVP_KIND_WIDE && set->fast)
            s->split = BVP_SPLIT_MORTON;
        if (s->kind != BVP_KIND_BOXTREE)
            continue;
        s->plane_max = (uint32_t)set->planes;
        s->offset_size = set->offset_bits ? (uint32_t)atoi(set->offset_bits) / 8 : 0;
    }
    return 0;
}

int pack_read_options(pack_job *j)
{
    int code = j->set->unit ? units_read("--unit", j->set->unit, &j->unit_in_metres) : 0;
    if (code == 0)
        code = read_tessellation(j);
    return code == 0 ? read_hierarchies(j) : code;
}
