/* SPDX-License-Identifier: MIT
 * bench_pairs.c: two bodies, protocols tumble (two copies), approach (the same, close to one
 * another), mover (a small one beside a large environment), facing (two fine surfaces).
 * Based on: Zachmann, "Minimal hierarchical collision detection", 2002 (tumble).
 */
#include "bench_scene.h"
#include "bvpack_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCES = 12, ROTATIONS = 500 };

static void turn(double m[12], const double q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        m[4 * (i / 3) + i % 3] = r[i];
}

/* Protocol tumble: Rz(angle) * Rx(angle), moved along x. */
static void place_copy(double m[12], double distance, double angle)
{
    double c = cos(angle), s = sin(angle);
    const double placement[12] = {c, -s * c, s * s, distance, s, c * c, -c * s, 0, 0, s, c, 0};
    memcpy(m, placement, sizeof placement);
}

/* Distances near and far in turn, so that the first poses of many stand for all of them. */
static int two_copies(const char *name, const bench_mesh *mesh, const bench_rivals *rivals,
                      int first_distance, int poses)
{
    const int distances = DISTANCES - first_distance;
    bench_scene s = {.name = name, .a = mesh, .b = mesh, .count = distances * poses, .delta = 0.05};
    s.placements = calloc((size_t)s.count, sizeof *s.placements);
    if (!s.placements)
        bench_require(BVP_ERR_NO_MEMORY, "poses");
    for (int i = 0; i < s.count; i++) /* rotation 0, the parallel one, comes last */
        place_copy(s.placements[i], 2 - (first_distance + 5 * i % distances) * 1.8 / 11,
                   2 * M_PI * ((199 * (i / distances + 1)) % ROTATIONS) / ROTATIONS);
    uint64_t wrong = bench_scene_run(&s, rivals);
    free(s.placements);
    return wrong != 0;
}

/* tumble: all distances; approach: the deepest one alone. */
static int copies(const char *protocol, const char *path, int poses)
{
    bench_mesh mesh;
    bench_rivals rivals;
    int wrong = 0;
    bench_mesh_load(&mesh, path, 2);
    bench_rivals_make(&rivals, &mesh, &mesh);
    if (strcmp(protocol, "approach") != 0)
        wrong |= two_copies("tumble", &mesh, &rivals, 0, poses);
    if (strcmp(protocol, "tumble") != 0)
        wrong |= two_copies("approach", &mesh, &rivals, DISTANCES - 1, poses);
    bench_rivals_drop(&rivals);
    bench_mesh_free(&mesh);
    return wrong;
}

/* Protocol mover: over a random point of the surface, along its normal, by up to
 * reach * side / 2. */
static void place_mover(double m[12], const bench_mesh *environment, double side, double reach,
                        uint64_t *state)
{
    const float *p =
        environment->positions + 9 * (bench_random(state) % environment->triangle_count);
    double u = sqrt(bench_uniform(state)), v = bench_uniform(state);
    double edge[2][3], normal[3], length = 0;
    for (int axis = 0; axis < 3; axis++) {
        m[4 * axis + 3] = (1 - u) * p[axis] + u * (1 - v) * p[3 + axis] + u * v * p[6 + axis];
        edge[0][axis] = (double)p[3 + axis] - p[axis];
        edge[1][axis] = (double)p[6 + axis] - p[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        int j = (axis + 1) % 3, k = (axis + 2) % 3;
        normal[axis] = edge[0][j] * edge[1][k] - edge[0][k] * edge[1][j];
        length += normal[axis] * normal[axis];
    }
    double u1 = bench_uniform(state), u2 = 2 * M_PI * bench_uniform(state),
           u3 = 2 * M_PI * bench_uniform(state);
    turn(m, (double[4]){sqrt(1 - u1) * sin(u2), sqrt(1 - u1) * cos(u2), sqrt(u1) * sin(u3),
                        sqrt(u1) * cos(u3)});
    double offset = reach * side / 2 * bench_uniform(state);
    for (int axis = 0; axis < 3 && length > 0; axis++)
        m[4 * axis + 3] += normal[axis] / sqrt(length) * offset;
}

static int mover(const char *environment, const char *moving, double side, double reach, int poses)
{
    enum { ALL = 2000 };
    static const bvp_hierarchy_spec fast = {.kind = BVP_KIND_WIDE, .split = BVP_SPLIT_MORTON};
    bench_mesh a, b;
    bench_rivals rivals;
    uint64_t state = 12345;
    double(*all)[12] = calloc(ALL, sizeof *all);
    bench_scene s = {.name = "mover", .a = &a, .b = &b, .count = poses, .delta = 0.05 * side};
    s.placements = calloc((size_t)poses, sizeof *s.placements);
    if (!all || !s.placements)
        bench_require(BVP_ERR_NO_MEMORY, "poses");
    bench_mesh_load(&a, environment, 20);
    bench_mesh_load(&b, moving, side);
    bench_rivals_make(&rivals, &a, &b);
    s.variants[s.variant_count++] =
        (bench_variant){"bvpack fast", bench_pack(a.positions, a.triangle_count, &fast), b.file};
    for (int i = 0; i < ALL; i++)
        place_mover(all[i], &a, side, reach, &state);
    for (int i = 0; i < poses; i++)
        memcpy(s.placements[i], all[(1201 * i) % ALL], sizeof *all);
    uint64_t wrong = bench_scene_run(&s, &rivals);
    free(all);
    free(s.placements);
    bvp_close(s.variants[0].a);
    bench_rivals_drop(&rivals);
    bench_mesh_free(&a);
    bench_mesh_free(&b);
    return wrong != 0;
}

/* Protocol facing: a bumpy sheet of edge 1, cells * cells * 2 triangles; above: the bumps of the
 * one that lies on it, `gap` higher. */
static void make_sheet(bench_mesh *mesh, int cells, double gap)
{
    float *positions = malloc(sizeof(float) * 18 * (size_t)cells * (size_t)cells),
          *next = positions;
    if (!positions)
        bench_require(BVP_ERR_NO_MEMORY, "sheet");
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < cells * cells * 6; i++, next += 3) {
        const double x = (double)(i / 6 % cells + corner[i % 6][0]) / cells;
        const double y = (double)(i / 6 / cells + corner[i % 6][1]) / cells;
        next[0] = (float)x;
        next[1] = (float)y;
        next[2] = (float)(0.05 * sin(7 * x) * cos(5 * y) + gap);
    }
    bench_mesh_take(mesh, positions, 2 * (uint64_t)cells * (uint64_t)cells);
}

/* Both sheets in our own trees of oriented boxes and of swept rectangles. */
static void add_own_trees(bench_scene *s)
{
    static const bvp_hierarchy_spec trees[] = {{.kind = BVP_KIND_OBB}, {.kind = BVP_KIND_RSS}};
    static const char *const names[] = {"bvpack OBB", "bvpack RSS"};
    for (int k = 0; k < 2; k++)
        s->variants[s->variant_count++] =
            (bench_variant){names[k], bench_pack(s->a->positions, s->a->triangle_count, &trees[k]),
                            bench_pack(s->b->positions, s->b->triangle_count, &trees[k])};
}

/* One sheet above the other, a little aside, as a seat and what sits on it: gaps 1e-1 .. 1e-5. */
static int facing(int cells)
{
    uint64_t wrong = 0;
    for (int digits = 1; digits <= 5; digits++) {
        const double gap = pow(10, -digits);
        double placement[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        bench_mesh below, above;
        bench_rivals rivals;
        char name[16];
        snprintf(name, sizeof name, "facing 1e-%d", digits);
        bench_scene s = {
            .name = name, .a = &below, .b = &above, .placements = placement, .count = 1};
        s.delta = gap / 2;
        make_sheet(&below, cells, 0);
        make_sheet(&above, cells, gap);
        bench_rivals_make(&rivals, &below, &above);
        add_own_trees(&s);
        wrong += bench_scene_run(&s, &rivals);
        for (int k = 0; k < s.variant_count; k++) {
            bvp_close(s.variants[k].a);
            bvp_close(s.variants[k].b);
        }
        bench_rivals_drop(&rivals);
        bench_mesh_free(&below);
        bench_mesh_free(&above);
    }
    return wrong != 0;
}

static int poses_of(const char *text, int most)
{
    int poses = text ? atoi(text) : most;
    return poses < 1 ? 1 : poses > most ? most : poses;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bench_scene_header();
    if (argc > 2 &&
        (strcmp(what, "tumble") == 0 || strcmp(what, "approach") == 0 || strcmp(what, "both") == 0))
        return copies(what, argv[2], poses_of(argv[3], ROTATIONS));
    if (strcmp(what, "mover") == 0 && argc > 5)
        return mover(argv[2], argv[3], atof(argv[4]), atof(argv[5]),
                     poses_of(argc > 6 ? argv[6] : NULL, 2000));
    if (strcmp(what, "facing") == 0)
        return facing(argc > 2 ? atoi(argv[2]) : 200);
    fprintf(stderr, "usage: bench_pairs tumble|approach|both MODEL.bvp [POSES]\n"
                    "       bench_pairs mover ENVIRONMENT.bvp MOVER.bvp SIDE REACH [POSES]\n"
                    "       bench_pairs facing [CELLS]\n");
    return 2;
}
