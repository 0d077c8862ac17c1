/* SPDX-License-Identifier: MIT
 * test_part_caches.c: what clash keeps of a part, its pieces and its seams: a cancelled computation
 * is never taken for a finished one, and coordinates that are no numbers are refused.
 */
#include "clash/pieces.h"
#include "clash/seams.h"
#include "node/cluster_record.h"
#include "refit_case.h"
#include "suite.h"

#include <sys/stat.h>

/* ---- a control that says "cancel" once ------------------------------------------------------- */

typedef struct asked {
    uint32_t times, when; /* the time at which it cancels */
} asked;

static int cancel_once(void *user)
{
    asked *a = user;
    return ++a->times == a->when;
}

/* Computes the part's pieces or seams; the cache is empty before. */
static bvp_status compute(const bvp_file *file, int which, asked *a, const void **out)
{
    const bvp_control control = {.callback = cancel_once, .user = a};
    bvpi_part_cache cache;
    ck_assert_int_eq(bvpi_part_cache_init(&cache, file), BVP_OK);
    const bvp_status status = which == 0
                                  ? bvpi_pieces_get(&cache, 0, &control, (const bvpi_pieces **)out)
                                  : bvpi_seams_get(&cache, 0, &control, (const bvpi_seams **)out);
    bvpi_part_cache_free(&cache);
    return status;
}

/* Whichever of its questions is answered so: a callback need not say it twice. */
START_TEST(one_cancel_is_enough)
{
    case_seed(1);
    refit_scene s = {.meshes = {mesh_sphere(64)}, .mesh_count = 1, .node_count = 1};
    case_identity(s.placements[0]);
    s.meshes[0].count -= 5; /* some edges are open */
    const int fd = refit_pack(&s, BVP_KIND_WIDE, 0);
    bvp_file *file = refit_open(fd, NULL);
    for (int which = 0; which < 2; which++) {
        bvp_status status = BVP_ERR_CANCELLED;
        uint32_t when = 1;
        for (; status == BVP_ERR_CANCELLED; when++) {
            asked a = {.when = when};
            const void *out;
            status = compute(file, which, &a, &out);
            ck_assert_msg(status == BVP_OK || status == BVP_ERR_CANCELLED, "%d", status);
            ck_assert_msg((a.times >= when) == (status == BVP_ERR_CANCELLED),
                          "%s: question %u of %u cancels, status %d",
                          which == 0 ? "pieces" : "seams", when, a.times, status);
        }
        ck_assert_uint_gt(when, 8); /* of many questions, some corners apart from each other */
    }
    bvp_close(file);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* ---- forged coordinates ---------------------------------------------------------------------- */

/* What follows sorts coordinates, and a NaN has no place in an order. */
START_TEST(seams_of_no_numbers_are_refused)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    case_seed(2);
    refit_scene s = {.meshes = {mesh_box(3)}, .mesh_count = 1, .node_count = 1};
    case_identity(s.placements[0]);
    s.meshes[0].count -= 5; /* some edges are open */
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *original = refit_open(fd, NULL);
    struct stat info;
    ck_assert_int_eq(fstat(fd, &info), 0);
    const size_t size = (size_t)info.st_size;
    uint8_t *bytes = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    bvpi_part part;
    bvpi_cluster cluster;
    ck_assert_int_eq(bvpi_get_part(original, 0, &part), BVP_OK);
    ck_assert(bvpi_cluster_at(&part, 0, &cluster));
    const size_t vertices = (size_t)(cluster.vertices - original->base);
    for (uint32_t i = 0; i < 3 * cluster.vertex_count; i++) {
        bvp_file *file;
        const void *out;
        asked a = {0};
        memcpy(bytes, original->base, size);
        ck_assert_int_eq(bvp_open_memory(bytes, size, NULL, &file, NULL), BVP_OK);
        ck_assert_int_eq(compute(file, 1, &a, &out), BVP_OK);
        memcpy(bytes + vertices + 4 * i, &bad[i % 3], sizeof bad[0]);
        const bvp_status status = compute(file, 1, &a, &out);
        ck_assert_msg(status == BVP_ERR_CORRUPT, "coordinate %u is %g: status %d", i,
                      (double)bad[i % 3], status);
        bvp_close(file);
    }
    free(bytes);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

SUITE(test_part_caches)
{
    const TTest *const tests[] = {one_cancel_is_enough, seams_of_no_numbers_are_refused, NULL};
    return suite_run("part_caches", tests);
}
