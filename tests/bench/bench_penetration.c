/* SPDX-License-Identifier: MIT
 * bench_penetration.c: how deep are two bodies in each other, at all rotations? Boxes, held against
 * the least overlap along the 15 axes that can separate them; then copies of parts and one part in
 * the next, of which our bounds are known. Ours of meshes; FCL's shapes and trees; Bullet's hulls
 * and meshes; ODE's meshes.
 *
 * relative_error: how far an answer is from the truth, or outside our bounds; of ours, the upper
 * bound's from the truth, or how far apart the bounds are.
 * Protocol: penetration. Usage: bench_penetration [POSES [PART.bvp...]]
 */
#include "bench.h"
#include "bench_rounds.h"
#include "bvpack_clash.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double half_a[3] = {1, 0.5, 0.25}, half_b[3] = {0.75, 0.75, 0.5};

typedef struct scene {
    const char *name;
    bench_mesh *a, *b;
    double (*placements)[12]; /* of b */
    double *truth;            /* NULL: not known */
    double *lower;            /* ours */
} scene;

enum { CONTENDERS_MOST = 8 };

/* A peer's two models, and who asks about them. */
typedef struct asked {
    const scene *of;
    double (*depth)(const void *a, const void *b, const double placement[12]);
    void (*drop)(void *model);
    void *models[2];
} asked;

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
    const scene *s = ((const asked *)user)->of;
    const bvp_body a = {.file = s->a->file},
                   b = {.file = s->b->file, .placement = s->placements[idx]};
    bvp_contact contacts[8];
    bvp_penetration_result found;
    bench_require(bvp_penetration(&a, &b, (bvp_array){contacts, 0, 8}, &found), "penetration");
    s->lower[idx] = found.depth;
    return found.depth_upper;
}

static double ask_peer(const void *user, int idx)
{
    const asked *who = user;
    return who->depth(who->models[0], who->models[1], who->of->placements[idx]);
}

static int add_models(asked *who, bench_contender *contender, const scene *s,
                      const peer_pairs *peer,
                      double (*depth)(const void *, const void *, const double *))
{
    if (!peer || !depth)
        return 0;
    *who = (asked){.of = s, .depth = depth, .drop = peer->drop};
    who->models[0] = peer->make(s->a->positions, s->a->triangle_count);
    who->models[1] = peer->make(s->b->positions, s->b->triangle_count);
    *contender = (bench_contender){.name = peer->name, .ask = ask_peer, .user = who};
    return 1;
}

/* Of the two boxes. */
static int add_shapes(asked *who, bench_contender *contender, const scene *s,
                      const peer_convex *peer, const char *name)
{
    if (!peer)
        return 0;
    *who = (asked){.of = s, .depth = peer->depth, .drop = peer->drop};
    for (int k = 0; k < 2; k++) {
        const double *half = k == 0 ? half_a : half_b;
        who->models[k] = peer->make(
            &(bvp_convex){.kind = BVP_CONVEX_BOX, .size = {2 * half[0], 2 * half[1], 2 * half[2]}});
    }
    *contender = (bench_contender){.name = name, .ask = ask_peer, .user = who};
    return 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double error_of(const scene *s, const bench_contender *us, const bench_contender *who,
                       int idx)
{
    const double answer = who->answers[idx], upper = us->answers[idx];
    if (s->truth)
        return fabs(answer - s->truth[idx]) / s->truth[idx];
    if (upper == 0)
        return 0;
    if (who == us)
        return (upper - s->lower[idx]) / upper;
    return fmax(fmax(s->lower[idx] - answer, answer - upper), 0) / upper;
}

static void print_row(const scene *s, const bench_contender *us, const bench_contender *who,
                      int count)
{
    double sum = 0, worst = 0;
    int met = 0;
    for (int i = 0; i < count; i++) {
        const double error = error_of(s, us, who, i);
        sum += error;
        worst = fmax(worst, error);
        met += us->answers[i] > 0;
    }
    printf("%s,%s,%d,%d,%.4g,%.4g,%.4g,%.3g,%.3g\n", s->name, who->name, count, met,
           bench_us(who, count).median, who == us ? 1 : bench_ratio(us, who, count).median,
           who == us ? 1 : bench_worst(us, who, count), sum / (met ? met : 1), worst);
}

/* Returns how many of our answers are not the truth. */
static int run(scene *s, int count, bool are_boxes)
{
    bench_contender all[CONTENDERS_MOST];
    asked who[CONTENDERS_MOST];
    int n = 0, wrong = 0;
    who[n] = (asked){.of = s};
    all[n] = (bench_contender){.name = "bvpack", .ask = ask_us, .user = &who[n]};
    n++;
    if (are_boxes) {
        n += add_shapes(&who[n], &all[n], s, peer_fcl_convex, "FCL shapes");
        n += add_shapes(&who[n], &all[n], s, peer_bullet_convex, "Bullet hulls");
    }
    n += add_models(&who[n], &all[n], s, peer_fcl, peer_fcl_convex ? peer_fcl_convex->depth : NULL);
    n += add_models(&who[n], &all[n], s, peer_bullet, peer_bullet ? peer_bullet->depth : NULL);
    n += add_models(&who[n], &all[n], s, peer_ode, peer_ode ? peer_ode->depth : NULL);
    const int done = bench_rounds(all, n, count, bench_limit());
    for (int k = 0; k < n; k++)
        print_row(s, &all[0], &all[k], done);
    for (int i = 0; i < done; i++)
        wrong += s->truth && (fabs(all[0].answers[i] - s->truth[i]) > 1e-6 ||
                              fabs(s->lower[i] - s->truth[i]) > 1e-4);
    bench_rounds_free(all, n);
    for (int k = 1; k < n; k++)
        for (int m = 0; m < 2; m++)
            who[k].drop(who[k].models[m]);
    return wrong;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void *room_for(int count, size_t size)
{
    void *out = calloc((size_t)count, size);
    if (!out)
        bench_require(BVP_ERR_NO_MEMORY, "penetration");
    return out;
}

static void scene_free(scene *s)
{
    free(s->placements);
    free(s->truth);
    free(s->lower);
}

/* Only poses that overlap by a hundredth of the smallest side or more. */
static int run_boxes(int count)
{
    bench_mesh a, b;
    scene s = {.name = "boxes",
               .a = &a,
               .b = &b,
               .placements = room_for(count, sizeof *s.placements),
               .truth = room_for(count, sizeof *s.truth),
               .lower = room_for(count, sizeof *s.lower)};
    uint64_t state = 1;
    make_box(half_a, &a);
    make_box(half_b, &b);
    for (int i = 0; i < count; i++)
        do {
            make_pose(&state, s.placements[i]);
            s.truth[i] = true_depth(s.placements[i]);
        } while (s.truth[i] < 0.005);
    const int wrong = run(&s, count, true);
    scene_free(&s);
    bench_mesh_free(&a);
    bench_mesh_free(&b);
    return wrong;
}

/* "bench/x.bvp" and "bench/y.bvp" are "x in y". */
static void name_scene(char *out, size_t size, const char *a, const char *b)
{
    const char *from = strrchr(a, '/') ? strrchr(a, '/') + 1 : a;
    const char *to = strrchr(b, '/') ? strrchr(b, '/') + 1 : b;
    snprintf(out, size, "%.*s in %.*s", (int)strcspn(from, "."), from, (int)strcspn(to, "."), to);
}

/* Parts whose largest side is 1. */
static void run_parts(const char *path_a, const char *path_b, int count)
{
    bench_mesh a, b;
    char name[128];
    uint64_t state = 1;
    scene s = {.name = name,
               .a = &a,
               .b = &b,
               .placements = room_for(count, sizeof *s.placements),
               .lower = room_for(count, sizeof *s.lower)};
    name_scene(name, sizeof name, path_a, path_b);
    bench_mesh_load(&a, path_a, 1);
    bench_mesh_load(&b, path_b, 1);
    for (int i = 0; i < count; i++)
        make_pose(&state, s.placements[i]);
    run(&s, count, false);
    scene_free(&s);
    bench_mesh_free(&a);
    bench_mesh_free(&b);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
    if (count < 1)
        return 2;
    printf("scene,who,poses,met,us,times_slower,times_slower_worst,relative_error,"
           "relative_error_worst\n");
    const int wrong = run_boxes(count);
    for (int k = 2; k < argc; k++) {
        run_parts(argv[k], argv[k], count);
        if (k + 1 < argc)
            run_parts(argv[k], argv[k + 1], count);
    }
    return wrong != 0;
}
