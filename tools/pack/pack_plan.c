/* SPDX-License-Identifier: MIT
 * pack_plan.c: interprets the options of the verb pack: units, lengths, hierarchies.
 */
#include "pack/pack_plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/keyword.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/units.h"

/* The kinds of --hierarchy, in its order, but the wide one first; then the options of each. An
 * option that no kind of the list can use is an error. */
static int read_hierarchies(pack_plan *plan)
{
    const pack_settings *set = plan->set;
    const char *list = set->hierarchy ? set->hierarchy : "wide";
    uint32_t kinds = 0; /* bit k: the list has kind k */
    for (const char *word = list; plan->hierarchy_count == 0 || *word;) {
        const size_t size = strcspn(word, ",");
        const bvp_kind kind = (bvp_kind)kind_by_name(word, size);
        if (kind == BVP_KIND_DEFAULT || (kinds & 1u << kind)) {
            complain("--hierarchy", "expected different ones of " KIND_CHOICE ", found \"%s\"",
                     list);
            return EXIT_USAGE;
        }
        assert(plan->hierarchy_count < PACK_HIERARCHIES); /* there are no more kinds than that */
        kinds |= 1u << kind;
        plan->hierarchies[plan->hierarchy_count++].kind = kind;
        if (kind == BVP_KIND_WIDE && plan->hierarchy_count > 1) {
            memmove(plan->hierarchies + 1, plan->hierarchies,
                    (plan->hierarchy_count - 1) * sizeof *plan->hierarchies);
            plan->hierarchies[0].kind = kind;
        }
        word += size + (word[size] == ',' && word[size + 1] != '\0');
    }
    assert(plan->hierarchy_count > 0);
    if (kinds == 1u << BVP_KIND_WIDE && set->split && strcmp(set->split, "sah") != 0) {
        complain("--split", "the wide hierarchy is cut by sah only; name others with --hierarchy");
        return EXIT_USAGE;
    }
    if ((set->fast || set->small) && !(kinds & 1u << BVP_KIND_WIDE)) {
        complain(set->fast ? "--fast" : "--small",
                 "only the wide hierarchy is built so; name it with --hierarchy");
        return EXIT_USAGE;
    }
    if (set->fast && set->small) {
        complain("--small", "it takes longer; choose this or --fast");
        return EXIT_USAGE;
    }
    if (!(kinds & 1u << BVP_KIND_BOXTREE) && (set->planes > 0 || set->offset_bits)) {
        complain(set->planes > 0 ? "--planes" : "--offset-bits",
                 "only a boxtree has planes; ask for it with --hierarchy boxtree");
        return EXIT_USAGE;
    }
    if (!(kinds & (1u << BVP_KIND_OBB | 1u << BVP_KIND_RSS)) && set->fit) {
        complain("--fit", "only oriented boxes and swept rectangles are fitted so; ask for them "
                          "with --hierarchy obb or rss");
        return EXIT_USAGE;
    }
    if (set->split && strcmp(set->split, "restricted") == 0 &&
        ((kinds & ~(1u << BVP_KIND_WIDE)) != 1u << BVP_KIND_BOXTREE || set->planes > 1)) {
        complain("--split", "only a boxtree of one plane a node is cut by restricted; ask for it "
                            "with --hierarchy boxtree --planes 1");
        return EXIT_USAGE;
    }
    for (uint32_t i = 0; i < plan->hierarchy_count; i++) {
        bvp_hierarchy_spec *s = &plan->hierarchies[i];
        if ((s->kind == BVP_KIND_OBB || s->kind == BVP_KIND_RSS) && set->fit)
            s->fit = (bvp_fit)fit_by_name(set->fit);
        if (s->kind != BVP_KIND_WIDE && set->split)
            s->split = (bvp_split)split_by_name(set->split);
        if (s->kind == BVP_KIND_WIDE && set->fast)
            s->split = BVP_SPLIT_MORTON;
        if (s->kind == BVP_KIND_WIDE && set->small)
            s->split = BVP_SPLIT_FULL;
        if (s->kind != BVP_KIND_BOXTREE)
            continue;
        s->plane_max = (uint32_t)set->planes;
        s->offset_size = set->offset_bits ? (uint32_t)atoi(set->offset_bits) / 8 : 0;
    }
    return 0;
}

/* "512M": a number, and K, M, G or T for units of 1024, its square and so on. */
static int read_memory(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    const double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    const double bytes = unit ? ldexp(number, 10 * (int)(unit - units + 1)) : number;
    if (end == text || (*end && (!unit || end[1])) || !(bytes >= 0x1p26 && bytes <= 0x1p60)) {
        complain("--memory", "expected 64M or more, as 512M or 2G, found \"%s\"", text);
        return EXIT_USAGE;
    }
    *out = (uint64_t)bytes;
    return 0;
}

/* Of what is packed as a stream of triangles, one mesh at a time. */
static int check_memory(const pack_plan *plan)
{
    const pack_settings *set = plan->set;
    if (plan->hierarchy_count != 1 || plan->hierarchies[0].kind != BVP_KIND_WIDE || set->rays) {
        complain("--memory", "only the wide hierarchy is built in bounded memory; leave out "
                             "--hierarchy and --rays, or --memory");
        return EXIT_USAGE;
    }
    if (set->store || set->share) {
        complain("--memory", "packs one mesh into one file: without --store and --share");
        return EXIT_USAGE;
    }
    if ((plan->shard.count > 0 || set->deal) && !set->state) {
        complain(set->deal ? "--deal" : "--shard",
                 "with --memory, shares are in the folder of a state, which all machines see; name "
                 "it by --state");
        return EXIT_USAGE;
    }
    return 0;
}

int pack_plan_read(pack_plan *plan)
{
    /* a bare number is in millimetres, which are the units that curved models come in */
    static const bvp_file_info millimetres = {.unit_in_metres = 0.001};
    const pack_settings *set = plan->set;
    int code = set->unit ? units_read("--unit", set->unit, &plan->unit_in_metres) : 0;
    if (code != 0)
        return code;
    if (set->angle < 0 || set->angle > 90 || (set->angle > 0 && set->angle < 0.1)) {
        complain("--angle", "expected 0.1 to 90 degrees");
        return EXIT_USAGE;
    }
    if (set->chord) {
        code = parse_length("--chord", set->chord, &millimetres, &plan->chord);
        if (code != 0)
            return code;
        if (!(plan->chord >= 1e-6 && isfinite(plan->chord))) {
            complain("--chord", "expected a length of at least 0.000001 mm, found \"%s\"",
                     set->chord);
            return EXIT_USAGE;
        }
    }
    code = set->memory ? read_memory(set->memory, &plan->memory) : 0;
    if (code == 0)
        code = read_hierarchies(plan);
    return code == 0 && plan->memory > 0 ? check_memory(plan) : code;
}

bvp_build_options pack_plan_build_options(const pack_plan *plan)
{
    return (bvp_build_options){.thread_count = (uint32_t)plan->set->jobs,
                               .leaf_size = (uint32_t)plan->set->leaf,
                               .no_ids = plan->set->no_ids,
                               .drop_invalid = plan->set->drop_invalid,
                               .hierarchies = plan->hierarchies,
                               .hierarchy_count = plan->hierarchy_count,
                               .deformable = plan->set->deformable,
                               .rays = plan->set->rays,
                               .share = plan->set->share};
}
