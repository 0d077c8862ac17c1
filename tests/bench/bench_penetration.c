/* SPDX-License-Identifier: MIT
 * bench_penetration.c: how deep are two boxes in each other, at all rotations? Ours of two meshes,
 * FCL's shapes and FCL's trees; held against the least overlap along the 15 axes that can separate
 * boxes. Protocol: penetration. Usage: bench_penetration [POSES]
 */
#include "bench.h"
#include "bench_rounds.h"
#include "bvpack_clash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double half_a[3] = {1, 0.5, 0.25}, half_b[3] = {0.75, 0.75, 0.5};

typedef struct scene {
    bench_mesh a, b;
    void *shapes[2], *models[2]; /* the peer's, or NULL */
    double (*placements)[12];    /* of b */
} scene;

/* ---- poses, and the truth -------------------------------------------------------------------- */

/* Any rotation: columns of a unit quaternion's matrix. Up to 0.7 away on each axis. */
static void make_pose(uint64_t *state, double m[12])
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
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] = 0.7 * (2 * bench_uniform(state) - 1);
}

static double overlap_along(const double m[12], const double axis[3])
{
    double size = 0, reach = 0, gap = 0;
    for (int i = 0; i < 3; i++) {
        const double along = m[i] * axis[0] + m[4 + i] * axis[1] + m[8 + i] * axis[2];
        size += axis[i] * axis[i];
        reach += half_a[i] * fabs(axis[i]) + half_b[i] * fabs(along);
        gap += m[4 * i + 3] * axis[i];
    }
    return size > 1e-12 ? (reach - fabs(gap)) / sqrt(size) : INFINITY;
}

static double true_depth(const double m[12])
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double a[3] = {i == 0, i == 1, i == 2};
        least = fmin(least, overlap_along(m, a));
        for (int k = 0; k < 3; k++) {
            const double b[3] = {m[k], m[4 + k], m[8 + k]};
            const double edge[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                    a[0] * b[1] - a[1] * b[0]};
            least = fmin(least, fmin(overlap_along(m, b), overlap_along(m, edge)));
        }
    }
    return least;
}

/* A box's twelve triangles. */
static void make_box(const double half[3], bench_mesh *out)
{
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const int fan[6] = {0, 1, 2, 0, 2, 3};
    float *positions = calloc(12 * 9, sizeof *positions);
    if (!positions)
        bench_require(BVP_ERR_NO_MEMORY, "penetration");
    for (int side = 0; side < 6; side++)
        for (int k = 0; k < 6; k++)
            for (int a = 0; a < 3; a++)
                positions[18 * side + 3 * k + a] =
                    (float)((sides[side][fan[k]] >> a & 1 ? 1 : -1) * half[a]);
    bench_mesh_take(out, positions, 12);
}

/* ---- who is asked ---------------------------------------------------------------------------- */

static double ask_us(const void *user, int idx)
{
    const scene *s = user;
    const bvp_body a = {.file = s->a.file},
                   b = {.file = s->b.file, .placement = s->placements[idx]};
    bvp_contact contacts[8];
    bvp_penetration_result found;
    bench_require(bvp_penetration(&a, &b, (bvp_array){contacts, 0, 8}, &found), "penetration");
    return found.depth_upper;
}

static double ask_shapes(const void *user, int idx)
{
    const scene *s = user;
    return peer_fcl_convex->depth(s->shapes[0], s->shapes[1], s->placements[idx]);
}

static double ask_models(const void *user, int idx)
{
    const scene *s = user;
    return peer_fcl_convex->depth(s->models[0], s->models[1], s->placements[idx]);
}

static void print_row(const scene *s, const bench_contender *us, const bench_contender *who,
                      int asked)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < asked; i++) {
        const double truth = true_depth(s->placements[i]);
        const double error = fabs(who->answers[i] - truth) / truth;
        sum += error;
        worst = fmax(worst, error);
    }
    printf("boxes,%s,%d,%.4g,%.4g,%.3g,%.3g\n", who->name, asked, bench_us(who, asked).median,
           who == us ? 1 : bench_ratio(us, who, asked).median, sum / asked, worst);
}

/* Only poses that overlap by a hundredth of the smallest side or more. */
static void make_poses(scene *s, int count)
{
    uint64_t state = 1;
    s->placements = calloc((size_t)count, sizeof *s->placements);
    if (!s->placements)
        bench_require(BVP_ERR_NO_MEMORY, "penetration");
    for (int i = 0; i < count; i++)
        do
            make_pose(&state, s->placements[i]);
        while (true_depth(s->placements[i]) < 0.005);
}

static void drop_peers(scene *s)
{
    for (int k = 0; k < 2 && s->shapes[k]; k++) {
        peer_fcl_convex->drop(s->shapes[k]);
        peer_fcl->drop(s->models[k]);
    }
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
    scene s = {.placements = NULL};
    bench_contender all[3];
    int who = 0;
    if (count < 1)
        return 2;
    make_box(half_a, &s.a);
    make_box(half_b, &s.b);
    make_poses(&s, count);
    all[who++] = (bench_contender){.name = "bvpack", .ask = ask_us, .user = &s};
    if (peer_fcl && peer_fcl_convex) {
        for (int k = 0; k < 2; k++) {
            const double *half = k == 0 ? half_a : half_b;
            const bench_mesh *mesh = k == 0 ? &s.a : &s.b;
            s.shapes[k] = peer_fcl_convex->make(&(bvp_convex){
                .kind = BVP_CONVEX_BOX, .size = {2 * half[0], 2 * half[1], 2 * half[2]}});
            s.models[k] = peer_fcl->make(mesh->positions, mesh->triangle_count);
        }
        all[who++] = (bench_contender){.name = "FCL shapes", .ask = ask_shapes, .user = &s};
        all[who++] = (bench_contender){.name = "FCL meshes", .ask = ask_models, .user = &s};
    }
    const int asked = bench_rounds(all, who, count, bench_limit());
    printf("scene,who,poses,us,times_slower,relative_error,relative_error_worst\n");
    for (int k = 0; k < who; k++)
        print_row(&s, &all[0], &all[k], asked);
    int wrong = 0;
    for (int i = 0; i < asked; i++)
        wrong += fabs(all[0].answers[i] - true_depth(s.placements[i])) > 1e-6;
    bench_rounds_free(all, who);
    drop_peers(&s);
    free(s.placements);
    bench_mesh_free(&s.a);
    bench_mesh_free(&s.b);
    return wrong != 0;
}
