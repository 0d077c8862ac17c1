/* SPDX-License-Identifier: MIT
 * fuzz_clash.c: any bytes as an assembly, whose instances are held against one another and against
 * another placement of it. The hashes are put right, so that the fuzzer gets past them.
 */
#include "bvpack_clash.h"
#include "repair.h"
#include "target.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 40 }; /* of instances that are judged: a hostile file has any number */

static void require(int condition)
{
    if (!condition)
        abort();
}

static int leave_out(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
{
    int *left = user;
    (void)a, (void)b, (void)limits;
    return (*left)-- <= 0;
}

/* What bvpack_clash.h promises of a pair, whatever the file says. */
static int check_pair(void *user, const bvp_clash_pair *pair)
{
    const bvp_clash_pair **last = user;
    static bvp_clash_pair kept;
    require(pair->verdict > BVP_VERDICT_CLEAR && (int)pair->verdict < BVP_VERDICT_COUNT);
    require(isfinite(pair->distance) && pair->distance >= 0 && pair->lower >= 0);
    require(pair->lower <= pair->distance && pair->depth >= 0 && pair->depth <= pair->depth_upper);
    require(!*last || kept.a < pair->a || (kept.a == pair->a && kept.b < pair->b));
    kept = *pair;
    *last = &kept;
    return 0;
}

static void clash(const bvp_file *a, const bvp_file *b, const double *at, bvp_clash_detail detail,
                  double clearance)
{
    int left = PAIRS;
    const bvp_clash_pair *last = NULL;
    bvp_clash_coverage sum;
    bvp_error error;
    uint64_t verdicts = 0;
    const bvp_clash_options options = {.limits = {clearance, NAN, NAN},
                                       .detail = detail,
                                       .thread_count = 1,
                                       .rule = leave_out,
                                       .rule_user = &left};
    const bvp_status status = bvp_clash(&(bvp_clash_scene){.a = a, .b = b, .placement_b = at},
                                        &options, check_pair, &last, &sum, &error);
    require(status == BVP_OK || error.message[0] != 0);
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        verdicts += sum.verdicts[v];
    require(status != BVP_OK || sum.box_pairs == sum.excluded + verdicts);
}

/* Zones as large as the file's part of the world, or thin. */
static void clash_zones(const bvp_file *file, const bvp_file_info *info, bvp_clash_detail detail,
                        double clearance)
{
    static const double corners[15] = {-1, -1, -1, 1, -1, 0, 0, 1, -1, 0, 0, 1, .1, .1, .1};
    int left = PAIRS;
    const bvp_clash_pair *last = NULL;
    bvp_clash_coverage sum;
    bvp_clash_pair pair;
    double at[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, size = 0;
    for (int i = 0; i < 3; i++) {
        const double middle = info->lo[i] / 2 + info->hi[i] / 2;
        at[4 * i + 3] = fabs(middle) < 1e30 ? middle : 0;
        size = fmax(size, info->hi[i] - info->lo[i]);
    }
    size = size < 1e30 ? size : 1;
    const bvp_clash_zone zones[4] = {
        {{.kind = BVP_CONVEX_SPHERE, .radius = size / 3, .placement = at}, NULL},
        {{.kind = BVP_CONVEX_CYLINDER, .radius = size / 64, .length = size, .placement = at}, ""},
        {{.kind = BVP_CONVEX_BOX, .size = {4 * size, size, 0}, .placement = at}, "plane"},
        {{.kind = BVP_CONVEX_HULL, .points = corners, .point_count = 5, .placement = at}, NULL}};
    const bvp_const_array array = {zones, 0, 4};
    const bvp_clash_options options = {.limits = {clearance, NAN, NAN},
                                       .detail = detail,
                                       .thread_count = 1,
                                       .rule = leave_out,
                                       .rule_user = &left,
                                       .zones = &array};
    bvp_clash(&(bvp_clash_scene){.a = file}, &options, check_pair, &last, &sum, NULL);
    bvp_clash_one_zone(file, 0, &zones[1], NULL, BVP_CLASH_CONTACTS, &pair);
}

/* What bvpack_clash.h promises of two bodies, whatever the file says. */
static void penetrate(const bvp_file *file, const double *at)
{
    const bvp_control control = {.budget = 2000};
    const bvp_body a = {.file = file, .part = BVP_ASSEMBLY, .control = &control};
    const bvp_body b = {.file = file, .part = BVP_ASSEMBLY, .placement = at};
    bvp_contact contacts[3];
    bvp_penetration_result found;
    const bvp_status status = bvp_penetration(&a, &b, (bvp_array){contacts, 0, 3}, &found);
    require(found.contact_count <= 3 && found.depth >= 0 && found.depth <= found.depth_upper);
    require(status == BVP_OK || status == BVP_ERR_CANCELLED || found.depth_upper == 0);
    require(status == BVP_OK || found.depth_upper > 0 || found.contact_count == 0);
    for (uint64_t i = 1; i < found.contact_count; i++)
        require(contacts[i].depth <= contacts[i - 1].depth);
}

static void use(const bvp_file *file, int which)
{
    static const double turned[12] = {0.6, -0.8, 0, 1, 0.8, 0.6, 0, 0, 0, 0, 1, 0.5};
    bvp_file_info info;
    bvp_clash_pair pair;
    bvp_get_info(file, &info);
    const double size = info.hi[0] - info.lo[0];
    const double clearance = size > 0 && size < 1e30 ? size / 20 : 0;
    clash(file, NULL, NULL, (bvp_clash_detail)(which % (BVP_CLASH_FAST_CONTACTS + 1)), clearance);
    clash(file, file, turned, (bvp_clash_detail)(which / 2 % (BVP_CLASH_FAST_CONTACTS + 1)), 0);
    if (info.instance_count <= PAIRS && info.triangle_count <= 1 << 16)
        penetrate(file, turned);
    clash_zones(file, &info, (bvp_clash_detail)(which % (BVP_CLASH_FAST_CONTACTS + 1)), clearance);
    bvp_clash_one(&(bvp_clash_scene){.a = file}, 0, 1, NULL, BVP_CLASH_CONTACTS, &pair);
    bvp_clash_one(&(bvp_clash_scene){.a = file, .b = file, .placement_b = turned}, 1, 0, NULL,
                  BVP_CLASH_VERDICTS, &pair);
}

static int try_input(const uint8_t *data, size_t size)
{
    void *bytes = copy_aligned(data, size);
    bvp_file *file;
    if (!bytes)
        return 0;
    repair_file(bytes, size);
    const int which = (int)(bvpi_hash64(bytes, size) % 60);
    /* one in four by a kind of hierarchy that the file may lack */
    const bvp_open_options options = {
        .store = getenv("BVPACK_STORE"),
        .baseline_simd = which % 2 == 1,
        .kind = which % 4 == 0 ? (bvp_kind)(which / 4 % (BVP_KIND_RSS + 1)) : BVP_KIND_DEFAULT};
    if (bvp_open_memory(bytes, size, &options, &file, NULL) == BVP_OK) {
        use(file, which);
        bvp_close(file);
    }
    free(bytes);
    return 0;
}

const fuzz_target fuzz_clash = {"clash", try_input, NULL};
