/* SPDX-License-Identifier: MIT
 * pack_plan.c: interprets the options of the verb pack: units, lengths, hierarchies.
 */
#include "pack/pack_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/keyword.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/units.h"

/* A bare number is in millimetres, which are the units that such models come in. */
static int read_tessellation(pack_plan *plan)
{
    static const bvp_file_info millimetres = {.unit_in_metres = 0.001};
    const double angle = plan->set->angle;
    if (angle < 0 || angle > 90 || (angle > 0 && angle < 0.1)) {
        complain("--angle", "expected 0.1 to 90 degrees");
        return EXIT_USAGE;
    }
    if (!plan->set->chord)
        return 0;
    int code = parse_length("--chord", plan->set->chord, &millimetres, &plan->chord);
    if (code != 0 || (plan->chord >= 1e-6 && isfinite(plan->chord)))
        return code;
    complain("--chord", "expected a length of at least 0.000001 mm, found \"%s\"",
             plan->set->chord);
    return EXIT_USAGE;
}

static int has_kind(const pack_plan *plan, bvp_kind kind)
{
    for (uint32_t i = 0; i < plan->hierarchy_count; i++)
        if (plan->hierarchies[i].kind == kind)
            return 1;
    return 0;
}

/* The kinds of --hierarchy, in its order; the wide one is moved to the front. */
static int read_kinds(pack_plan *plan, const char *list)
{
    for (const char *word = list; plan->hierarchy_count == 0 || *word;) {
        const size_t size = strcspn(word, ",");
        const bvp_kind kind = (bvp_kind)kind_by_name(word, size);
        if (kind == BVP_KIND_DEFAULT || has_kind(plan, kind)) {
            complain("--hierarchy", "expected different ones of " KIND_CHOICE ", found \"%s\"",
                     list);
            return EXIT_USAGE;
        }
        plan->hierarchies[plan->hierarchy_count++].kind = kind;
        if (kind == BVP_KIND_WIDE && plan->hierarchy_count > 1) {
            memmove(plan->hierarchies + 1, plan->hierarchies,
                    (plan->hierarchy_count - 1) * sizeof *plan->hierarchies);
            plan->hierarchies[0].kind = kind;
        }
        word += size + (word[size] == ',' && word[size + 1] != '\0');
    }
    return 0;
}

/* An option that no kind of the list can use is an error. */
static int read_hierarchies(pack_plan *plan)
{
    const pack_settings *set = plan->set;
    int code = read_kinds(plan, set->hierarchy ? set->hierarchy : "wide");
    if (code != 0)
        return code;
    const int only_wide = plan->hierarchy_count == 1 && has_kind(plan, BVP_KIND_WIDE);
    if (only_wide && set->split && strcmp(set->split, "sah") != 0) {
        complain("--split", "the wide hierarchy is cut by sah only; name others with --hierarchy");
        return EXIT_USAGE;
    }
    if (set->fast && !has_kind(plan, BVP_KIND_WIDE)) {
        complain("--fast", "only the wide hierarchy is built so; name it with --hierarchy");
        return EXIT_USAGE;
    }
    if (!has_kind(plan, BVP_KIND_BOXTREE) && (set->planes > 0 || set->offset_bits)) {
        complain(set->planes > 0 ? "--planes" : "--offset-bits",
                 "only a boxtree has planes; ask for it with --hierarchy boxtree");
        return EXIT_USAGE;
    }
    for (uint32_t i = 0; i < plan->hierarchy_count; i++) {
        bvp_hierarchy_spec *s = &plan->hierarchies[i];
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

int pack_plan_read(pack_plan *plan)
{
    int code = plan->set->unit ? units_read("--unit", plan->set->unit, &plan->unit_in_metres) : 0;
    if (code == 0)
        code = read_tessellation(plan);
    return code == 0 ? read_hierarchies(plan) : code;
}

bvp_build_options pack_plan_build_options(const pack_plan *plan)
{
    return (bvp_build_options){.thread_count = (uint32_t)plan->set->jobs,
                               .leaf_size = (uint32_t)plan->set->leaf,
                               .no_ids = plan->set->no_ids,
                               .drop_invalid = plan->set->drop_invalid,
                               .hierarchies = plan->hierarchies,
                               .hierarchy_count = plan->hierarchy_count,
                               .deformable = plan->set->deformable};
}
