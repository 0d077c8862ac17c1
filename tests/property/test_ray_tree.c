/* SPDX-License-Identifier: MIT
 * test_ray_tree.c: hierarchies for rays: the same answers as the wide one gives, no box lost, any
 * bytes withstood, the same bytes for any number of threads.
 * Spec: format.md, chapter "Ray trees"; exactness.md, chapter 10
 */
#define BVPI_ISA base /* of the functions that the header names */

#include "body_cases.h"
#include "bvpack_build.h"
#include "exercise.h"
#include "guarded.h"
#include "query/ray/ray_meshlet_leaf.h"
#include "repair.h"
#include "suite.h"

#include <unistd.h>

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes pack(body_mesh mesh, int rays, uint32_t threads)
{
    const bvp_build_options options = {.thread_count = threads, .rays = rays};
    const bvp_mesh source = {
        .positions = mesh.tri, .vertex_count = 3 * mesh.count, .triangle_count = mesh.count};
    char path[] = "ray-tree-XXXXXX";
    bvp_build_report report;
    bvp_builder *builder;
    uint32_t part;
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    unlink(path);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &source, &part, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_finish_fd(builder, fd, &report, NULL), BVP_OK);
    bvp_builder_free(builder);
    bytes b = {aligned_alloc(64, report.file_size), report.file_size}; /* a multiple of 4096 */
    ck_assert_int_eq(pread(fd, b.data, b.size, 0), (ssize_t)b.size);
    close(fd);
    return b;
}

static bvp_file *open_bytes(bytes b, bvp_kind kind, int baseline)
{
    const bvp_open_options options = {.kind = kind, .baseline_simd = baseline};
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(b.data, b.size, &options, &file, NULL), BVP_OK);
    return file;
}

static bool has_rays(const bvp_file *file)
{
    bvpi_rays rays;
    ck_assert_int_eq(bvpi_get_part_rays(file, 0, &rays), BVP_OK);
    return rays.nodes != NULL;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Between points of the body, most of them corners or on edges, so that much is grazed. */
static bvp_ray grazing_ray(const body_mesh *mesh)
{
    double p[2][3];
    bvp_ray ray = {.t_max = case_int(3) == 0 ? 1 : INFINITY};
    for (int i = 0; i < 2; i++) {
        const float *t = mesh->tri + 9 * (size_t)case_int((int)mesh->count);
        const float *a = t + 3 * case_int(3), *b = t + 3 * case_int(3);
        const double share = case_int(2) ? 0 : fabs(case_unit());
        for (int k = 0; k < 3; k++)
            p[i][k] = a[k] + share * ((double)b[k] - (double)a[k]);
    }
    const double back = case_int(3) - 1 + case_unit() * (case_int(2) ? 1 : 1e-12);
    for (int k = 0; k < 3; k++) {
        ray.direction[k] = p[1][k] - p[0][k];
        ray.origin[k] = p[0][k] - back * ray.direction[k];
        if (case_int(12) == 0)
            ray.direction[k] = 0;
    }
    if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0)
        ray.direction[case_int(3)] = 1;
    return ray;
}

/* Eight rays from one point at corners, edges and the inside of one triangle: they go together. */
static void near_rays(const body_mesh *mesh, bvp_ray rays[8])
{
    const float *t = mesh->tri + 9 * (size_t)case_int((int)mesh->count);
    const bvp_ray first = grazing_ray(mesh);
    const double away = exp2(case_int(6));
    for (int i = 0; i < 8; i++) {
        const double u = case_int(3) ? fabs(case_unit()) : 0;
        const double v = case_int(3) ? (1 - u) * fabs(case_unit()) : 0;
        rays[i] = first;
        for (int k = 0; k < 3; k++) {
            const double a = t[k], b = t[3 + k], c = t[6 + k];
            rays[i].origin[k] = a + (first.origin[k] - a) * away;
            rays[i].direction[k] = a + u * (b - a) + v * (c - a) - rays[i].origin[k];
        }
        if (rays[i].direction[0] == 0 && rays[i].direction[1] == 0 && rays[i].direction[2] == 0)
            rays[i].direction[case_int(3)] = 1;
    }
}

enum { BLOCK = 64, ROUNDS = 40 };

/* How many of a block's answers differ between two handles. */
static int count_differences(const bvp_body *a, const bvp_body *b, const bvp_ray rays[BLOCK])
{
    bvp_ray_hit hit[2], batch[BLOCK];
    int any[2], bad = 0;
    ck_assert_int_eq(bvp_ray_first_batch(a, (bvp_const_array){rays, 0, BLOCK},
                                         (bvp_array){batch, 0, BLOCK}, NULL, NULL),
                     BVP_OK);
    for (int i = 0; i < BLOCK; i++) {
        bool ok = bvp_ray_first(a, &rays[i], &hit[0], NULL) == BVP_OK &&
                  bvp_ray_first(b, &rays[i], &hit[1], NULL) == BVP_OK &&
                  bvp_ray_any(a, &rays[i], &any[0], NULL) == BVP_OK &&
                  bvp_ray_any(b, &rays[i], &any[1], NULL) == BVP_OK;
        ok = ok && memcmp(&hit[0], &hit[1], sizeof hit[0]) == 0 && any[0] == any[1] &&
             any[0] == hit[0].found && memcmp(&hit[0], &batch[i], sizeof hit[0]) == 0;
        bad += !ok;
    }
    return bad;
}

static float nearest_float(double x)
{
    return fabs(x) < 3e38 ? (float)x : x > 0 ? INFINITY : -INFINITY;
}

static bvp_float_ray narrow_ray(const bvp_ray *ray)
{
    bvp_float_ray out = {.t_min = nearest_float(ray->t_min), .t_max = nearest_float(ray->t_max)};
    for (int k = 0; k < 3; k++) {
        out.origin[k] = nearest_float(ray->origin[k]);
        out.direction[k] = nearest_float(ray->direction[k]);
    }
    return out;
}

static bool is_narrowed(const bvp_float_hit *a, const bvp_ray_hit *b)
{
    if (!b->found)
        return a->triangle == BVP_NO_TRIANGLE;
    return a->triangle == b->id.triangle && a->instance == b->id.instance && a->t == (float)b->t &&
           a->u == (float)b->u && a->v == (float)b->v;
}

/* Answers by batches beside those of single calls: floats that are answered. */
static int count_batch_differences(const bvp_body *body, const bvp_ray rays[BLOCK])
{
    bvp_float_ray narrow[BLOCK];
    bvp_float_hit hits[BLOCK], one;
    int any[2][BLOCK], single, bad = 0;
    size_t done[4], good = 0;
    for (int i = 0; i < BLOCK; i++)
        narrow[i] = narrow_ray(&rays[i]);
    const bvp_const_array asked = {narrow, 0, BLOCK};
    const bvp_status status =
        bvp_float_ray_first_batch(body, asked, (bvp_array){hits, 0, BLOCK}, &done[0], NULL);
    bad += bvp_float_ray_any_batch(body, asked, (bvp_array){any[0], 0, BLOCK}, &done[1], NULL) !=
           status;
    while (good < BLOCK && bvp_float_ray_first(body, &narrow[good], &one, NULL) == BVP_OK) {
        const bool found = one.triangle != BVP_NO_TRIANGLE;
        if (good < done[0])
            bad += found ? memcmp(&one, &hits[good], sizeof one) != 0
                         : hits[good].triangle != BVP_NO_TRIANGLE;
        if (good < done[1])
            bad += any[0][good] != found;
        good++;
    }
    bad += done[0] != good || done[1] != good || (status == BVP_OK) != (good == BLOCK);
    bad += bvp_ray_any_batch(body, (bvp_const_array){rays, 0, BLOCK}, (bvp_array){any[1], 0, BLOCK},
                             &done[2], NULL) != BVP_OK;
    for (int i = 0; i < BLOCK; i++)
        bad += bvp_ray_any(body, &rays[i], &single, NULL) != BVP_OK || single != any[1][i];
    return bad;
}

/* The same of rays of floats by handle a and the same numbers in doubles by handle b. */
static int count_float_differences(const bvp_body *a, const bvp_body *b, const bvp_ray rays[BLOCK])
{
    int bad = count_batch_differences(a, rays);
    for (int i = 0; i < BLOCK; i++) {
        const bvp_float_ray ray = narrow_ray(&rays[i]);
        const float *o = ray.origin, *d = ray.direction;
        const bvp_ray same = {{o[0], o[1], o[2]}, {d[0], d[1], d[2]}, ray.t_min, ray.t_max};
        bvp_float_hit first = {.triangle = 1};
        bvp_ray_hit hit = {.found = 0};
        int any[2] = {0, 0};
        const bvp_status status = bvp_ray_first(b, &same, &hit, NULL);
        bool ok = bvp_float_ray_first(a, &ray, &first, NULL) == status &&
                  bvp_float_ray_any(a, &ray, &any[0], NULL) == status &&
                  bvp_ray_any(b, &same, &any[1], NULL) == status;
        if (status == BVP_OK)
            ok = ok && is_narrowed(&first, &hit) && any[0] == any[1];
        bad += !ok;
    }
    return bad;
}

static void compare(body_mesh mesh)
{
    const bytes b = pack(mesh, 1, 1);
    bvp_file *by_rays = open_bytes(b, BVP_KIND_DEFAULT, 0);
    bvp_file *baseline = open_bytes(b, BVP_KIND_DEFAULT, 1);
    bvp_file *by_wide = open_bytes(b, BVP_KIND_WIDE, 0);
    ck_assert(has_rays(by_rays));
    ck_assert_int_eq(bvp_verify_file(by_rays, NULL, NULL, NULL), BVP_OK);
    for (int round = 0; round < ROUNDS; round++) {
        double m[12];
        bvp_ray rays[BLOCK];
        const double *placement = round % 3 == 2 ? m : NULL;
        place_random(case_int(PLACED_KINDS), m);
        for (int i = 0; i < BLOCK; i++)
            if (round % 2 == 0)
                rays[i] = grazing_ray(&mesh);
            else if (i % 8 == 0)
                near_rays(&mesh, rays + i);
        const bvp_body a = {.file = by_rays, .placement = placement};
        const bvp_body c = {.file = baseline, .placement = placement};
        const bvp_body w = {.file = by_wide, .placement = placement};
        ck_assert_int_eq(count_differences(&a, &w, rays), 0);
        ck_assert_int_eq(count_differences(&c, &w, rays), 0);
        ck_assert_int_eq(count_float_differences(&a, &w, rays), 0);
        ck_assert_int_eq(count_float_differences(&c, &w, rays), 0);
    }
    bvp_close(by_rays);
    bvp_close(baseline);
    bvp_close(by_wide);
    free(b.data);
}

START_TEST(answers_are_those_of_the_wide_tree)
{
    body_mesh meshes[] = {mesh_box(24), mesh_sphere(40), mesh_soup(9000), mesh_planes(12),
                          mesh_sample("plate_holes.STL")};
    case_seed(11);
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        compare(meshes[i]);
        free(meshes[i].tri);
    }
}
END_TEST

/* Rays of a picture open a node together, and it is a node of the hierarchy for rays: they test as
 * many triangles as single rays do, where leaves of the wide hierarchy have almost twice as many.
 */
START_TEST(near_rays_share_their_work)
{
    enum { SIDE = 64 };
    static bvp_ray rays[SIDE * SIDE];
    static bvp_ray_hit hits[SIDE * SIDE], hit;
    static bvp_float_ray narrow[SIDE * SIDE];
    static bvp_float_hit float_hits[SIDE * SIDE];
    body_mesh mesh = mesh_sphere(100);
    const bytes b = pack(mesh, 1, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x = 0.02 * (i % SIDE - SIDE / 2), y = 0.02 * (i / SIDE - SIDE / 2);
        rays[i] = (bvp_ray){{4, 3, 2}, {x - 4, y - 3, y - x - 2}, 0, INFINITY};
        narrow[i] = narrow_ray(&rays[i]);
    }
    for (int isa = 0; isa < 2; isa++) {
        bvp_file *file = open_bytes(b, BVP_KIND_DEFAULT, isa);
        const bvp_body body = {.file = file};
        bvp_stats one = {.nodes = 0}, many = {.nodes = 0}, floats = {.nodes = 0};
        ck_assert(bvp_ray_first_batch(&body, (bvp_const_array){rays, 0, SIDE * SIDE},
                                      (bvp_array){hits, 0, SIDE * SIDE}, NULL, &many) == BVP_OK);
        ck_assert(bvp_float_ray_first_batch(&body, (bvp_const_array){narrow, 0, SIDE * SIDE},
                                            (bvp_array){float_hits, 0, SIDE * SIDE}, NULL,
                                            &floats) == BVP_OK);
        int bad = 0;
        for (int i = 0; i < SIDE * SIDE; i++)
            bad += bvp_ray_first(&body, &rays[i], &hit, &one) != BVP_OK ||
                   memcmp(&hit, &hits[i], sizeof hit) != 0;
        ck_assert_int_eq(bad, 0);
        ck_assert_uint_gt(one.nodes, SIDE * SIDE);
        ck_assert_uint_lt(many.nodes * 4, one.nodes);
        ck_assert_uint_lt(floats.nodes * 4, one.nodes);
        ck_assert_uint_lt(many.triangles * 4, one.triangles * 5);
        ck_assert_uint_lt(floats.triangles * 4, one.triangles * 5);
        bvp_close(file);
    }
    free(b.data);
    free(mesh.tri);
}
END_TEST

/* ---- boxes ----------------------------------------------------------------------------------- */

/* A node whose boxes are as narrow as the rules let them be, and what they hold. */
static void random_node(double bound, bvpd_ray_node *node, double held[8][2][3])
{
    for (int a = 0; a < 3; a++) {
        const double size = bound * exp2(-26 * case_int(2) * fabs(case_unit()));
        node->step[a] = (float)(size / 255 + bound * 0x1p-26);
        node->lo[a] = (float)((bound - 256 * node->step[a]) * case_unit());
        const double step = node->step[a],
                     pad = bound * BVPI_RAY_PAD_BOUND + step * BVPI_RAY_PAD_STEP;
        for (int j = 0; j < 8; j++) {
            const int least = (int)(2 * pad / step) + 1,
                      from = case_int(least < 255 ? 255 - least : 1);
            const int to = from + least + case_int(case_int(4) == 0 ? 256 - least - from : 1);
            node->bounds[a][j] = (uint8_t)from;
            node->bounds[a][8 + j] = (uint8_t)(to < 255 ? to : 255);
            held[j][0][a] = (double)node->lo[a] + from * step + pad;
            held[j][1][a] = (double)node->lo[a] + node->bounds[a][8 + j] * step - pad;
        }
    }
}

/* Where the ray is at time t: at a corner, an edge, a face of what lane j holds, or inside. False:
 * it holds nothing. */
static bool random_target(double held[2][3], double bound, double p[3])
{
    const double inside = bound * 0x1p-44;
    for (int a = 0; a < 3; a++) {
        const double lo = held[0][a] + inside, hi = held[1][a] - inside;
        const int side = case_int(3);
        if (!(lo < hi))
            return false;
        p[a] = side == 0 ? lo : side == 1 ? hi : lo + fabs(case_unit()) * (hi - lo);
    }
    return true;
}

/* A ray that is at p at time t, and its description, off by the errors that it declares. */
static double random_local_ray(double bound, const double p[3], bvpi_local_ray *out)
{
    const double away = bound * exp2(-34 * fabs(case_unit()) + 2);
    const double t = case_int(5) == 0 ? 0 : exp2(16 * case_unit());
    *out = (bvpi_local_ray){.origin = {0}};
    for (int a = 0; a < 3; a++) {
        const double way = case_int(6) == 0 ? 0 : away * case_unit() * exp2(-20 * case_int(3));
        const double error = bound * 0x1p-23;
        out->direction[a] = t == 0 ? way : way / t;
        out->origin[a] = p[a] - t * out->direction[a];
        if (case_int(2) == 0) {
            out->origin[a] += 0.999 * error * (case_int(3) - 1);
            out->origin_err[a] = error;
        }
        out->direction_err[a] = 0x1p-53 * fabs(out->direction[a]);
    }
    return t;
}

/* Rays through corners, edges and faces of what a lane holds find the lane, and in time. With pads
 * an eighth as wide, one in five does not. */
START_TEST(no_box_is_lost)
{
    int bad = 0, tried = 0;
    case_seed(12);
    for (int round = 0; round < 1500000; round++) {
        const double bound = exp2(50 * fabs(case_unit()) - 25), reach[3] = {bound, bound, bound};
        const int j = case_int(8);
        _Alignas(32) bvpd_ray_node node;
        double held[8][2][3], p[3];
        bvpi_local_ray ray;
        bvpi_frame_ray frame;
        f32x8 enter;
        float times[8];
        random_node(bound, &node, held);
        if (!random_target(held[j], bound, p))
            continue;
        const double t = random_local_ray(bound, p, &ray);
        if (!bvpi_frame_ray_init(&frame, &ray, reach, t * (1 - 0x1p-50), INFINITY))
            continue;
        const float limit = bvpi_frame_limit(t * (1 + 0x1p-50));
        const bvpi_frame_lanes wide = bvpi_frame_spread(&frame);
        const unsigned lanes = bvpi_frame_boxes(&wide, limit, &node, &enter);
        f32x8_store(times, enter);
        tried++;
        bad += (lanes >> j & 1) == 0 || times[j] > limit;
    }
    ck_assert_int_gt(tried, 100000);
    ck_assert_int_eq(bad, 0);
}
END_TEST

/* ---- leaves ---------------------------------------------------------------------------------- */

/* A triangle of a part whose |coordinates| are below the bound: of any size, and of any shape. */
static void random_triangle(double bound, float tri[9])
{
    const double size = bound * exp2(-20 * fabs(case_unit())), thin = exp2(-30 * case_int(2));
    double base[3], edge[3];
    for (int a = 0; a < 3; a++) {
        base[a] = (bound - 2 * size) * case_unit();
        edge[a] = size * case_unit();
    }
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++)
            tri[3 * k + a] = (float)(base[a] + (k == 1) * edge[a] +
                                     (k == 2) * (0.6 * edge[a] + size * thin * case_unit()));
}

/* From `away` to a point of the triangle: inside, or on an edge, or very near to it. */
static bvp_ray leaf_ray(const float tri[9], double away)
{
    double weight[3] = {fabs(case_unit()), fabs(case_unit()), fabs(case_unit())}, sum = 0;
    bvp_ray ray = {.t_max = INFINITY};
    if (case_int(4) != 0)
        weight[case_int(3)] = case_int(3) == 0 ? 0 : case_unit() * exp2(-26 * fabs(case_unit()));
    for (int k = 0; k < 3; k++)
        sum += weight[k];
    const double t = exp2(8 * case_unit());
    for (int a = 0; a < 3; a++) {
        double p = 0;
        for (int k = 0; k < 3; k++)
            p += weight[k] / sum * (double)tri[3 * k + a];
        ray.direction[a] = away * case_unit() * exp2(-20 * (case_int(4) == 0)) / t;
        ray.origin[a] = p - t * ray.direction[a];
    }
    return ray;
}

/* What floats are certain of is so: lanes that are left out are missed, lanes that are sure are
 * hit, at times within the interval, also as doubles give them. An eighth of the error is not
 * enough. */
START_TEST(floats_do_not_decide_wrongly)
{
    int bad = 0, tried = 0, sure = 0, wrong_time = 0;
    case_seed(14);
    for (int round = 0; round < 400000; round++) {
        const double bound = exp2(40 * fabs(case_unit()) - 20), reach[3] = {bound, bound, bound};
        float tri[9];
        f32x8 c[9];
        bvpi_local_ray local;
        bvpi_frame_ray frame;
        bvpi_meshlet_shear shear;
        bvpi_meshlet_view view;
        bvpi_tri_ray exact;
        bvpi_tri_ray_hit hit[2];
        bvpi_placement still;
        float lo[8], hi[8];
        random_triangle(bound, tri);
        bvp_ray ray = leaf_ray(tri, bound * exp2(-12 * fabs(case_unit())));
        const bvp_float_ray floats = narrow_ray(&ray);
        const bool narrow = case_int(2);
        if (narrow)
            ray = bvpi_float_ray_exactly(&floats);
        bvpi_local_ray_keep(&local, &ray);
        if (!(narrow ? bvpi_frame_ray_from_floats(&frame, &floats, reach)
                     : bvpi_frame_ray_init(&frame, &local, reach, ray.t_min, ray.t_max)))
            continue;
        ck_assert_int_eq(bvpi_placement_init(&still, NULL), BVP_OK);
        if (bvpi_tri_ray_init(&exact, &still, ray.origin, ray.direction, reach) != BVP_OK)
            continue;
        bvpi_meshlet_shear_init(&shear, &frame, reach);
        for (int k = 0; k < 9; k++)
            c[k] = f32x8_splat(tri[3 * (k / 3) + (int)shear.axis[k % 3]]);
        bvpi_meshlet_look(&shear, c, 1, &view);
        if (view.left == 0)
            view.sure = 0;
        tried++;
        const bool is_hit = bvpi_tri_ray_exactly(&exact, tri, -INFINITY, INFINITY, &hit[0]);
        bad += is_hit && (view.left & 1) == 0;
        bad += !is_hit && (view.sure & 1) != 0;
        if (!is_hit || (view.sure & 1) == 0)
            continue;
        sure++;
        f32x8_store(lo, view.lo);
        f32x8_store(hi, view.hi);
        bvpi_tri_ray1(&exact, tri, -INFINITY, INFINITY, &hit[1]);
        for (int k = 0; k < 2; k++)
            wrong_time += !((double)lo[0] <= hit[k].t && hit[k].t <= (double)hi[0]);
    }
    ck_assert_int_gt(tried, 100000);
    ck_assert_int_gt(sure, 10000);
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(wrong_time, 0);
}
END_TEST

/* ---- any bytes ------------------------------------------------------------------------------- */

static void ask_forged(const uint8_t *data, size_t size, const bvp_ray *rays, int count, int turn)
{
    const bvp_open_options options = {.baseline_simd = turn % 2};
    bvp_file *file;
    if (bvp_open_memory(data, size, &options, &file, NULL) != BVP_OK)
        return;
    const bvp_body body = {.file = file};
    for (int i = 0; i < count; i++) {
        bvp_ray_hit hit;
        int any;
        bvp_ray_first(&body, &rays[i], &hit, NULL);
        bvp_ray_any(&body, &rays[i], &any, NULL);
        const bvp_float_ray narrow = narrow_ray(&rays[i]);
        bvp_float_hit first;
        bvp_float_ray_first(&body, &narrow, &first, NULL);
        bvp_float_ray_any(&body, &narrow, &any, NULL);
    }
    if (turn % 16 == 0)
        exercise(file);
    if (turn % 64 == 0)
        exercise_annotations(file);
    bvp_close(file);
}

START_TEST(any_bytes)
{
    static const uint8_t narrow[] = {0, 1, 0x7f, 0x80, 0xff};
    static const uint32_t wide[] = {0, UINT32_MAX, 0x80000000, 0x7f800000, 0x7fc00000, 0x0ffffff8};
    enum { RAYS = 6 };
    body_mesh mesh = mesh_soup(40);
    const bytes good = pack(mesh, 1, 1);
    guarded room = new_guarded(good.size);
    uint8_t *data = room.end - good.size;
    const bvpd_section *section = &((const bvpd_header *)good.data)->sections[BVPD_BINH];
    bvp_ray rays[RAYS];
    int turn = 0, refused = 0;
    case_seed(13);
    for (int i = 0; i < RAYS; i++)
        rays[i] = grazing_ray(&mesh);
    for (uint64_t at = 0; at < section->size; at++) {
        for (size_t i = 0; i < sizeof narrow + sizeof wide / sizeof *wide; i++, turn++) {
            const bool is_byte = i < sizeof narrow;
            const void *value = is_byte ? (const void *)&narrow[i] : &wide[i - sizeof narrow];
            const size_t size = is_byte ? 1 : sizeof *wide;
            if (at + size > section->size || (!is_byte && at % 4 != 0))
                continue;
            memcpy(data, good.data, good.size);
            memcpy(data + section->offset + at, value, size);
            const bool is_same = memcmp(data, good.data, good.size) == 0;
            repair_file(data, good.size);
            const bvp_status status = bvp_verify(data, good.size, NULL, NULL, NULL);
            refused += status != BVP_OK;
            ck_assert(is_same ? status == BVP_OK : true);
            ask_forged(data, good.size, rays, RAYS, turn);
        }
    }
    printf("%d of %d refused\n", refused, turn);
    ck_assert_int_gt(refused, turn / 3);
    free_guarded(&room);
    free(good.data);
    free(mesh.tri);
}
END_TEST

/* ---- rules ----------------------------------------------------------------------------------- */

typedef struct findings {
    const char *rule;
    int count; /* of its violations */
} findings;

static int on_finding(void *user, const bvp_finding *finding)
{
    findings *f = user;
    f->count += strcmp(finding->rule, f->rule) == 0;
    return 0;
}

/* Breaks the rule in a good file: its header, root, last byte, and first meshlet (of two triangles
 * or more, of one cluster). */
static void break_rule(const char *rule, bvpd_header *header, bvpd_ray_node *root, uint8_t *last,
                       uint8_t *meshlet)
{
    const uint32_t triangles = bvpi_ray_lane_count(root->lane[0]);
    const uint32_t vertices = (meshlet[0] & 15u) + 1;
    uint8_t *references = meshlet + bvpi_meshlet_references(triangles, vertices);
    switch (rule[4] - '0' + 9 * (rule[5] != 0)) {
    case 1:
        header->feature_incompatible &= ~BVPD_FEATURE_RAYS;
        break;
    case 2:
        *last = 1;
        break;
    case 3:
        root->lane[0] = BVPD_RAY_LEAF + 8 * BVPD_RAY_PLACES;
        break;
    case 4:
        root->lane[0] = 0;
        root->child = INT32_MAX;
        break;
    case 5:
        root->step[1] = -root->step[1];
        break;
    case 6:
        root->bounds[0][0]++;
        break;
    case 7:
        root->geom++;
        break;
    case 8:
        meshlet[0] |= 0x20;
        break;
    case 9:
        meshlet[bvpi_meshlet_vertices(triangles)] ^= 1;
        break;
    default:
        references[1] = references[0];
    }
}

START_TEST(each_rule_is_enforced)
{
    static const char *const rules[] = {"RAY-1", "RAY-2", "RAY-3", "RAY-4", "RAY-5",
                                        "RAY-6", "RAY-7", "RAY-8", "RAY-9", "RAY-10"};
    body_mesh mesh = mesh_box(1);
    const bytes good = pack(mesh, 1, 1);
    uint8_t *data = aligned_alloc(64, good.size);
    const bvpd_section *section = &((const bvpd_header *)good.data)->sections[BVPD_BINH];
    bvpd_ray_node root;
    bvpd_hierarchy h;
    memcpy(&h, good.data + ((const bvpd_header *)good.data)->sections[BVPD_HIER].offset + sizeof h,
           sizeof h);
    const uint64_t meshlets = section->offset + h.node_count * sizeof root;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        findings f = {rules[i], 0};
        memcpy(data, good.data, good.size);
        memcpy(&root, data + section->offset, sizeof root);
        ck_assert(bvpi_ray_lane_is_leaf(root.lane[0]) && bvpi_ray_lane_count(root.lane[0]) >= 2);
        break_rule(rules[i], (bvpd_header *)data, &root, data + section->offset + section->size - 1,
                   data + meshlets + bvpi_ray_lane_unit(root.geom, root.lane[0]) * BVPD_RAY_UNIT);
        memcpy(data + section->offset, &root, sizeof root);
        repair_file(data, good.size);
        bvp_verify(data, good.size, on_finding, &f, NULL);
        ck_assert_msg(f.count > 0, "%s is not reported", rules[i]);
    }
    free(data);
    free(good.data);
    free(mesh.tri);
}
END_TEST

/* ---- the builder ----------------------------------------------------------------------------- */

START_TEST(bytes_do_not_depend_on_threads)
{
    body_mesh mesh = mesh_soup(70000);
    const bytes one = pack(mesh, 1, 1), three = pack(mesh, 1, 3);
    ck_assert_uint_eq(one.size, three.size);
    ck_assert(memcmp(one.data, three.data, one.size) == 0);
    free(one.data);
    free(three.data);
    free(mesh.tri);
}
END_TEST

/* Coordinates that floats in frames do not serve: rays go as without the option. */
START_TEST(extreme_parts_have_none)
{
    for (int i = 0; i < 2; i++) {
        body_mesh mesh = mesh_sphere(8);
        for (uint64_t k = 0; k < 9 * mesh.count; k++)
            mesh.tri[k] *= i == 0 ? 1e-12f : 1e12f;
        const bytes with = pack(mesh, 1, 1);
        bvp_file *file = open_bytes(with, BVP_KIND_DEFAULT, 0);
        const bvp_body body = {.file = file};
        const bvp_ray ray = {{0, 0, 0}, {1, 0.1, 0.2}, 0, INFINITY};
        int any;
        ck_assert(!has_rays(file));
        ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, NULL), BVP_OK);
        ck_assert_int_eq(bvp_ray_any(&body, &ray, &any, NULL), BVP_OK);
        ck_assert_int_eq(any, 1);
        bvp_close(file);
        free(with.data);
        free(mesh.tri);
    }
}
END_TEST

SUITE(test_ray_tree)
{
    const TTest *const list[] = {answers_are_those_of_the_wide_tree,
                                 near_rays_share_their_work,
                                 no_box_is_lost,
                                 floats_do_not_decide_wrongly,
                                 any_bytes,
                                 each_rule_is_enforced,
                                 bytes_do_not_depend_on_threads,
                                 extreme_parts_have_none,
                                 NULL};
    return suite_run_within("ray tree", 120, list);
}
