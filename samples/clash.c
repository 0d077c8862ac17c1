/* SPDX-License-Identifier: MIT
 * clash: which instances of an assembly clash, or are nearer than a clearance: bvp_clash with a
 * rule of its own. clashes.cc is the same in C++.
 * Usage: clash FILE.bvp [CLEARANCE]
 */
#include <bvpack_clash.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct report {
    const bvp_file *file;
    unsigned long long pairs;
    bvp_status status;
} report;

/* Two instances of one sub-assembly are its maker's matter. Called on any thread: it reads only. */
static int leave_out_siblings(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
{
    const bvp_file *file = user;
    bvp_instance_info at[2];
    bvp_node_info node[2];
    (void)limits;
    if (bvp_get_instance(file, a, &at[0]) != BVP_OK || bvp_get_instance(file, b, &at[1]) != BVP_OK)
        return 0;
    for (int i = 0; i < 2; i++)
        if (bvp_get_node(file, at[i].node, &node[i]) != BVP_OK)
            return 0;
    return node[0].parent == node[1].parent && node[0].parent != BVP_NONE;
}

static bvp_string name_of(const bvp_file *file, uint32_t instance)
{
    bvp_instance_info placed;
    bvp_node_info node = {.name = {"?", 1}};
    if (bvp_get_instance(file, instance, &placed) == BVP_OK)
        bvp_get_node(file, placed.node, &node);
    return node.name;
}

/* One call at a time, in the order of the instances. The same pair by its numbers has the same
 * verdict; nonzero ends the run. */
static int print_pair(void *user, const bvp_clash_pair *pair)
{
    report *r = user;
    const bvp_clash_scene scene = {.a = r->file};
    bvp_clash_pair again;
    const bvp_string x = name_of(r->file, pair->a), y = name_of(r->file, pair->b);
    if (r->pairs++ < 10)
        printf("%u (%.*s) and %u (%.*s): %s, distance %g, depth %g, near %g %g %g\n", pair->a,
               (int)x.size, x.data, pair->b, (int)y.size, y.data, bvp_verdict_name(pair->verdict),
               pair->distance, pair->depth, pair->point_a[0], pair->point_a[1], pair->point_a[2]);
    r->status = bvp_clash_one(&scene, pair->a, pair->b, &pair->limits, BVP_CLASH_DISTANCE, &again);
    if (r->status == BVP_OK && again.verdict != pair->verdict)
        r->status = BVP_ERR_CORRUPT;
    return r->status != BVP_OK;
}

int main(int argc, char **argv)
{
    report r = {0};
    bvp_file *file;
    bvp_error error;
    if (argc < 2) {
        fprintf(stderr, "usage: clash FILE.bvp [CLEARANCE]\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &file, &error)) {
        fprintf(stderr, "clash: %s\n", error.message);
        return 1;
    }
    r.file = file;
    const bvp_clash_scene scene = {.a = file};
    const bvp_clash_options options = {
        /* NAN: what the precision of the coordinates leaves open counts as touching */
        .limits = {argc > 2 ? strtod(argv[2], NULL) : 0, NAN, NAN},
        .rule = leave_out_siblings,
        .rule_user = file,
    };
    bvp_clash_coverage coverage;
    bvp_status status = bvp_clash(&scene, &options, print_pair, &r, &coverage, &error);
    if (status != BVP_OK)
        fprintf(stderr, "clash: %s\n", error.message);
    else
        status = r.status;
    if (status == BVP_OK)
        printf("%llu pairs are not clear, of %llu whose boxes are near; %llu are left out\n",
               r.pairs, (unsigned long long)coverage.box_pairs,
               (unsigned long long)coverage.excluded);
    bvp_close(file);
    return status != BVP_OK;
}
