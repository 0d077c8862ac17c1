/* SPDX-License-Identifier: MIT
 * bench_convex.c: solid convex shapes against a model, as a gripper or a swept volume is asked
 * about: near its surface, at all rotations. Beside FCL's shapes and trees and, where the shape is
 * a box, our own query of two meshes, whose answers are those of the shape's surface. Protocol:
 * convex. Usage: bench_convex MODEL.bvp [POSES]
 */
#include "bench.h"
#include "bench_rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 20.0 /* of the model */

enum { CONTENDERS = 3 };
typedef enum question { COLLIDE, DISTANCE } question;

typedef struct scene {
    const bench_mesh *mesh, *box; /* box: the shape's surface, or NULL */
    bvp_convex convex;
    void *model, *shape; /* the peer's, or NULL */
    double (*placements)[12];
    question what;
} scene;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "convex");
    return memory;
}

/* ---- poses ----------------------------------------------------------------------------------- */

/* Any rotation: columns of a unit quaternion's matrix. */
static void rotate(uint64_t *state, double m[12])
{
    double q[4], length = 0;
    do {
        length = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2 * bench_uniform(state) - 1;
            length += q[k] * q[k];
        }
    } while (length > 1 || length < 0.01);
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(length);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int k = 0; k < 9; k++)
        m[4 * (k / 3) + k % 3] = r[k];
}

/* A corner of the model, and up to a tenth of its side away from it. */
static void make_poses(const bench_mesh *mesh, double (*placements)[12], int count)
{
    uint64_t state = 1;
    for (int i = 0; i < count; i++) {
        const float *corner = mesh->positions + 9 * (bench_random(&state) % mesh->triangle_count);
        rotate(&state, placements[i]);
        for (int a = 0; a < 3; a++)
            placements[i][4 * a + 3] =
                (double)corner[a] + 0.1 * SIDE * (2 * bench_uniform(&state) - 1);
    }
}

/* ---- who is asked ---------------------------------------------------------------------------- */

static double ask_us(const void *user, int idx)
{
    const scene *s = user;
    const bvp_body body = {.file = s->mesh->file};
    bvp_convex convex = s->convex;
    bvp_distance_result nearest;
    int hit;
    convex.placement = s->placements[idx];
    if (s->what == COLLIDE) {
        bench_require(bvp_convex_collide(&body, &convex, &hit, NULL), "convex collide");
        return hit;
    }
    bench_require(bvp_convex_distance(&body, &convex, INFINITY, &nearest, NULL), "convex distance");
    return nearest.distance;
}

static double ask_fcl(const void *user, int idx)
{
    const scene *s = user;
    return s->what == COLLIDE ? peer_fcl_convex->collide(s->model, s->shape, s->placements[idx])
                              : peer_fcl_convex->distance(s->model, s->shape, s->placements[idx]);
}

static double ask_mesh(const void *user, int idx)
{
    const scene *s = user;
    const bvp_body a = {.file = s->mesh->file},
                   b = {.file = s->box->file, .placement = s->placements[idx]};
    bvp_distance_result nearest;
    int hit;
    if (s->what == COLLIDE) {
        bench_require(bvp_collide(&a, &b, &hit, NULL), "collide");
        return hit;
    }
    bench_require(bvp_distance(&a, &b, INFINITY, &nearest, NULL), "distance");
    return nearest.distance;
}

/* A box's twelve triangles. */
static void make_box(const double size[3], bench_mesh *out)
{
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const int fan[6] = {0, 1, 2, 0, 2, 3};
    float *positions = allocate(12 * 9, sizeof *positions);
    for (int side = 0; side < 6; side++)
        for (int k = 0; k < 6; k++)
            for (int a = 0; a < 3; a++)
                positions[18 * side + 3 * k + a] =
                    (float)((sides[side][fan[k]] >> a & 1 ? 0.5 : -0.5) * size[a]);
    bench_mesh_take(out, positions, 12);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Poses at which another one's answer differs from ours: of distances, by more than what FCL's
 * iteration leaves. A mesh that is inside the shape touches the solid, not its surface. */
static int differences(const bench_contender *us, const bench_contender *them, int count,
                       question what)
{
    int differ = 0;
    for (int i = 0; i < count; i++)
        differ += what == COLLIDE ? us->answers[i] != them->answers[i]
                                  : fabs(us->answers[i] - them->answers[i]) > 1e-4 * SIDE;
    return differ;
}

/* Returns at how many poses our two answers differ. */
static int run(scene *s, const char *shape, int count)
{
    bench_contender all[CONTENDERS];
    int who = 0, differ = 0;
    all[who++] = (bench_contender){.name = "bvpack", .ask = ask_us, .user = s};
    if (s->shape)
        all[who++] = (bench_contender){.name = peer_fcl_convex->name, .ask = ask_fcl, .user = s};
    if (s->box)
        all[who++] = (bench_contender){.name = "bvpack mesh", .ask = ask_mesh, .user = s};
    const int asked = bench_rounds(all, who, count, bench_limit());
    for (int k = 0; k < who; k++) {
        printf("%s,%llu,%s,%s,%d,%.4g", shape, (unsigned long long)s->mesh->triangle_count,
               s->what == COLLIDE ? "collide" : "distance", all[k].name, asked,
               bench_us(&all[k], asked).median);
        if (k == 0) {
            printf(",,,,,\n");
            continue;
        }
        const bench_quartiles q = bench_ratio(&all[0], &all[k], asked);
        const int differs = differences(&all[0], &all[k], asked, s->what);
        differ += all[k].ask == ask_mesh ? differs : 0;
        printf(",%.4g,%.4g,%.4g,%.4g,%d\n", q.median, q.q1, q.q3,
               bench_worst(&all[0], &all[k], asked), differs);
    }
    fflush(stdout);
    bench_rounds_free(all, who);
    return differ;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bvp_convex convex;
    } shapes[] = {{"box", {.kind = BVP_CONVEX_BOX, .size = {1.5, 1, 0.6}}},
                  {"sphere", {.kind = BVP_CONVEX_SPHERE, .radius = 0.6}},
                  {"capsule", {.kind = BVP_CONVEX_CAPSULE, .radius = 0.3, .length = 2}},
                  {"cylinder", {.kind = BVP_CONVEX_CYLINDER, .radius = 0.5, .length = 1.2}}};
    bench_mesh mesh, box;
    int differ = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_convex MODEL.bvp [POSES]\n");
        return 2;
    }
    const int count = argc > 2 ? atoi(argv[2]) : 1000;
    if (count < 1)
        return 2;
    bench_mesh_load(&mesh, argv[1], SIDE);
    scene s = {.mesh = &mesh, .placements = allocate((size_t)count, sizeof *s.placements)};
    make_poses(&mesh, s.placements, count);
    if (peer_fcl && peer_fcl_convex)
        s.model = peer_fcl->make(mesh.positions, mesh.triangle_count);
    make_box(shapes[0].convex.size, &box);
    printf("shape,triangles,query,who,poses,us,times_slower,times_slower_q1,times_slower_q3,"
           "times_slower_worst,poses_that_differ\n");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        s.convex = shapes[k].convex;
        s.box = s.convex.kind == BVP_CONVEX_BOX ? &box : NULL;
        s.shape = s.model ? peer_fcl_convex->make(&s.convex) : NULL;
        for (int what = COLLIDE; what <= DISTANCE; what++) {
            s.what = (question)what;
            differ += run(&s, shapes[k].name, count);
        }
        if (s.shape)
            peer_fcl_convex->drop(s.shape);
    }
    if (s.model)
        peer_fcl->drop(s.model);
    free(s.placements);
    bench_mesh_free(&box);
    bench_mesh_free(&mesh);
    return differ != 0;
}
