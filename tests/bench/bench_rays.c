/* SPDX-License-Identifier: MIT
 * bench_rays.c: one body and rays, each asked once: blocks of 20,000, of which everybody in turn
 * gets the next one. Turns shorter than that begin with caches that the others have emptied, and
 * whoever has the smaller file gains (spec/decisions.md, "Rays, each once"). Protocols rays and
 * closest.
 *   primary   four cameras around the model
 *   segments  between random points of its box, nearest hit; any hit: is there one
 *   ambient   from where primary rays hit, over the half space, as far as 5 % of the model: any hit
 *   shadow    from there to a light: any hit
 *   closest   the surface's points closest to such within 10 % of the box around it
 * Usage: bench_rays MODEL.bvp [RAYS [KINDS]], of "primary,segments,any,ambient,shadow,closest"
 */
#include "bench.h"
#include "bench_rounds.h"
#include "bvpack_build.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 20.0

enum { BLOCK = 20000, WARM_RAYS = 100000, BLOCKS_MAX = 1000, ALL_MODELS = 3000000 };

typedef enum question { FIRST, ANY, CLOSEST } question;

typedef struct ray_set {
    const char *name;
    size_t count; /* a multiple of 8 */
    question what;
    int coherent;
    peer_ray *rays;
    bvp_ray *ours; /* the same */
    bvp_float_ray *floats;
} ray_set;

typedef struct subject {
    bench_mesh mesh;
    bvp_file *rays;           /* the same with a hierarchy for rays */
    double centre[3], radius; /* of its box */
} subject;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "rays");
    return memory;
}

/* ---- rays ------------------------------------------------------------------------------------ */

static ray_set set_new(const char *name, size_t count, question what)
{
    const size_t whole = count - count % 8;
    return (ray_set){name,
                     whole,
                     what,
                     0,
                     allocate(whole, sizeof(peer_ray)),
                     allocate(whole, sizeof(bvp_ray)),
                     allocate(whole, sizeof(bvp_float_ray))};
}

static void set_free(ray_set *set)
{
    free(set->rays);
    free(set->ours);
    free(set->floats);
}

static void put(ray_set *set, size_t i, const double origin[3], const double direction[3],
                double t_max)
{
    peer_ray *ray = &set->rays[i];
    bvp_ray *same = &set->ours[i];
    bvp_float_ray *narrow = &set->floats[i];
    for (int a = 0; a < 3; a++) {
        same->origin[a] = ray->origin[a] = narrow->origin[a] = (float)origin[a];
        same->direction[a] = ray->direction[a] = narrow->direction[a] = (float)direction[a];
    }
    same->t_max = ray->t_max = narrow->t_max = (float)t_max;
}

/* A square of rays each, in tiles of 8 x 8, as renderers go. */
static ray_set make_primary(const subject *s, size_t count)
{
    const size_t tiles = (size_t)sqrt((double)count / 256), side = 8 * tiles;
    ray_set set = set_new("primary", 4 * side * side, FIRST);
    set.coherent = 1;
    for (size_t i = 0; i < set.count; i++) {
        const size_t camera = i / (side * side), tile = i / 64 % (tiles * tiles);
        const double turn = 0.4 + M_PI / 2 * (double)camera;
        const double x = ((double)(tile % tiles * 8 + i % 8) + 0.5) / (double)side - 0.5;
        const double y = ((double)(tile / tiles * 8 + i / 8 % 8) + 0.5) / (double)side - 0.5;
        const double out[3] = {cos(turn) * 0.8, sin(turn) * 0.8, 0.6};
        const double right[3] = {-sin(turn), cos(turn), 0};
        const double up[3] = {-cos(turn) * 0.6, -sin(turn) * 0.6, 0.8};
        double origin[3], direction[3];
        for (int a = 0; a < 3; a++) {
            origin[a] = s->centre[a] + 2.6 * s->radius * out[a];
            direction[a] = -out[a] + 0.8 * (x * right[a] + y * up[a]);
        }
        put(&set, i, origin, direction, INFINITY);
    }
    return set;
}

static ray_set make_segments(const subject *s, const char *name, size_t count, question what)
{
    uint64_t seed = 12345 + (uint64_t)name[0];
    ray_set set = set_new(name, count, what);
    bvp_file_info info;
    bvp_get_info(s->mesh.file, &info);
    for (size_t i = 0; i < set.count; i++) {
        double from[3], way[3];
        for (int a = 0; a < 3; a++) {
            const double size = info.hi[a] - info.lo[a];
            from[a] = info.lo[a] + size * bench_uniform(&seed);
            way[a] = info.lo[a] + size * bench_uniform(&seed) - from[a];
        }
        put(&set, i, from, way, 1);
    }
    return set;
}

/* As rays, the points being the origins. */
static ray_set make_points(const subject *s, size_t count)
{
    ray_set set = set_new("closest", count, CLOSEST);
    uint64_t seed = 777;
    bvp_file_info info;
    bvp_get_info(s->mesh.file, &info);
    for (size_t i = 0; i < set.count; i++) {
        const float *p = s->mesh.positions + 9 * (bench_random(&seed) % s->mesh.triangle_count);
        double point[3];
        for (int a = 0; a < 3; a++)
            point[a] = p[a] + 0.1 * (info.hi[a] - info.lo[a]) * (2 * bench_uniform(&seed) - 1);
        put(&set, i, point, point, 1);
    }
    return set;
}

/* Uniform on the sphere, turned to the normal's side: cos-weighted when the normal is added. */
static void any_direction(uint64_t *seed, const double normal[3], double out[3])
{
    const double z = 2 * bench_uniform(seed) - 1, angle = 2 * M_PI * bench_uniform(seed);
    const double across = sqrt(1 - z * z);
    const double unit[3] = {across * cos(angle), across * sin(angle), z};
    for (int a = 0; a < 3; a++)
        out[a] = unit[a] + 1.0001 * normal[a];
}

/* Rays from the places that primary rays hit, a little off the surface, on the side of the camera:
 * to the light, or two each in directions by chance. */
static ray_set make_secondary(const subject *s, const ray_set *primary, const char *name)
{
    const int each = strcmp(name, "ambient") == 0 ? 2 : 1;
    const bvp_body body = {.file = s->mesh.file, .part = 0};
    const double light[3] = {s->centre[0] + 0.5 * s->radius, s->centre[1] - 0.8 * s->radius,
                             s->centre[2] + 1.5 * s->radius};
    ray_set set = set_new(name, primary->count, ANY);
    uint64_t seed = 4242;
    size_t count = 0;
    for (size_t i = 0; i < primary->count && count + 2 <= set.count; i++) {
        const bvp_ray *from = &primary->ours[i];
        bvp_ray_hit hit;
        bench_require(bvp_ray_first(&body, from, &hit, NULL), "ray");
        if (!hit.found || fabs(hit.normal[0]) + fabs(hit.normal[1]) + fabs(hit.normal[2]) < 0.5)
            continue;
        double facing = 0, origin[3], way[3], length = 0;
        for (int a = 0; a < 3; a++)
            facing += hit.normal[a] * from->direction[a];
        for (int a = 0; a < 3; a++) {
            hit.normal[a] = copysign(1, -facing) * hit.normal[a];
            origin[a] =
                from->origin[a] + hit.t * from->direction[a] + 2e-5 * s->radius * hit.normal[a];
            way[a] = light[a] - origin[a];
        }
        for (int k = 0; k < each; k++, length = 0) {
            if (each == 2)
                any_direction(&seed, hit.normal, way);
            for (int a = 0; a < 3; a++)
                length += way[a] * way[a];
            put(&set, count++, origin, way, each == 2 ? 0.1 * s->radius / sqrt(length) : 1);
        }
    }
    set.count = count - count % 8;
    return set;
}

/* Whole blocks: what a short one takes says little. */
static void set_trim(ray_set *set)
{
    if (set->count > BLOCK)
        set->count -= set->count % BLOCK;
}

/* ---- who is asked ---------------------------------------------------------------------------- */

enum { USUAL, ROBUST, COMPACT, COMPACT_ROBUST, CGAL, MODELS };

typedef struct contender {
    const char *name;
    int model;                  /* a peer's; ours: one of those below */
    peer_way way;               /* ours: PEER_ONE, or PEER_STREAM for batches */
    int points;                 /* is asked for closest points, too */
    size_t share;               /* of a block that it gets at most, evenly */
    double seconds[BLOCKS_MAX]; /* for a whole block */
    size_t differ;
} contender;

/* Ours: the default file; with a hierarchy for rays; that, asked in floats. */
enum { OURS = -1, RAYS = -2, FLOATS = -3 };

/* No two of one library in a row: one's data would be warm for the other. */
enum { ONE, BATCHED = 2, FLOATS_ONE = 8, FLOATS_BATCHED = 10, CONTENDERS = 13 };
static const contender in_turn[CONTENDERS] = {
    {"bvpack", OURS, PEER_ONE, 1, BLOCK, {0}, 0},
    {"Embree medium", USUAL, PEER_ONE, 1, BLOCK, {0}, 0},
    {"bvpack batched", OURS, PEER_STREAM, 1, BLOCK, {0}, 0},
    {"Embree robust", ROBUST, PEER_ONE, 0, BLOCK, {0}, 0},
    {"bvpack rays", RAYS, PEER_ONE, 0, BLOCK, {0}, 0},
    {"Embree medium packets", USUAL, PEER_EIGHT, 0, BLOCK, {0}, 0},
    {"bvpack rays batched", RAYS, PEER_STREAM, 0, BLOCK, {0}, 0},
    {"Embree compact", COMPACT, PEER_ONE, 0, BLOCK, {0}, 0},
    {"bvpack floats", FLOATS, PEER_ONE, 0, BLOCK, {0}, 0},
    {"Embree compact robust", COMPACT_ROBUST, PEER_ONE, 1, BLOCK, {0}, 0},
    {"bvpack floats batched", FLOATS, PEER_STREAM, 0, BLOCK, {0}, 0},
    {"Embree medium stream", USUAL, PEER_STREAM, 0, BLOCK, {0}, 0},
    {"CGAL AABB_tree", CGAL, PEER_ONE, 1, BLOCK / 64, {0}, 0}};

/* What a block's answers are written to. */
typedef struct answers {
    bvp_ray_hit first[BLOCK];
    bvp_float_hit floats[BLOCK];
    bvp_closest_result closest[BLOCK];
    int any[BLOCK];
    float peer[BLOCK];
} answers;

static void ask_us(const bvp_body *body, const ray_set *set, size_t from, size_t count,
                   answers *out)
{
    for (size_t i = 0; i < count; i++) {
        const bvp_ray *ray = &set->ours[from + i];
        bench_require(set->what == FIRST ? bvp_ray_first(body, ray, &out->first[i], NULL)
                      : set->what == ANY
                          ? bvp_ray_any(body, ray, &out->any[i], NULL)
                          : bvp_closest(body, ray->origin, INFINITY, &out->closest[i], NULL),
                      "ray");
    }
}

static void ask_us_batched(const bvp_body *body, const ray_set *set, size_t from, size_t count,
                           answers *out)
{
    const bvp_ray *first = &set->ours[from];
    const bvp_const_array rays = {first, 0, count}, points = {first->origin, sizeof *first, count};
    const bvp_array hits = {out->first, 0, count}, any = {out->any, 0, count},
                    closest = {out->closest, 0, count};
    bench_require(set->what == FIRST ? bvp_ray_first_batch(body, rays, hits, NULL, NULL)
                  : set->what == ANY
                      ? bvp_ray_any_batch(body, rays, any, NULL, NULL)
                      : bvp_closest_batch(body, points, INFINITY, closest, NULL, NULL),
                  "rays");
}

static void ask_us_floats(const bvp_body *body, peer_way way, const ray_set *set, size_t from,
                          size_t count, answers *out)
{
    const bvp_const_array rays = {&set->floats[from], 0, count};
    if (way != PEER_ONE) {
        bench_require(
            set->what == FIRST
                ? bvp_float_ray_first_batch(body, rays, (bvp_array){out->floats, 0, count}, NULL,
                                            NULL)
                : bvp_float_ray_any_batch(body, rays, (bvp_array){out->any, 0, count}, NULL, NULL),
            "rays");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const bvp_float_ray *ray = &set->floats[from + i];
        bench_require(set->what == FIRST ? bvp_float_ray_first(body, ray, &out->floats[i], NULL)
                                         : bvp_float_ray_any(body, ray, &out->any[i], NULL),
                      "ray");
    }
}

/* Embree has calls for many rays; of others, and for points, one a call is what there is. Of a
 * share, every step-th. */
static void ask_peer(const contender *who, const void *model, const ray_set *set, size_t from,
                     size_t count, answers *out)
{
    const size_t step = BLOCK / who->share;
    const peer_rays *peer = who->model == CGAL ? peer_cgal_rays : peer_embree;
    if (peer->ask && set->what != CLOSEST) {
        peer->ask(model, who->way, set->what == ANY, set->coherent, set->rays + from, count,
                  out->peer);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const peer_ray *ray = &set->rays[from + i * step];
        out->peer[i] = set->what == CLOSEST ? (float)peer->closest(model, ray->origin)
                       : set->what == FIRST
                           ? (float)peer->first(model, ray->origin, ray->direction, ray->t_max)
                       : peer->any(model, ray->origin, ray->direction, ray->t_max) ? 1.0f
                                                                                   : -1.0f;
    }
}

/* Seconds that a contender takes for rays from .. from + count - 1. */
static double take_turn(const contender *who, const subject *s, void *const models[MODELS],
                        const ray_set *set, size_t from, size_t count, answers *out)
{
    const bvp_body body = {.file = who->model == OURS ? s->mesh.file : s->rays, .part = 0};
    const double start = bench_thread_now();
    if (who->model >= 0)
        ask_peer(who, models[who->model], set, from, count, out);
    else if (who->model == FLOATS)
        ask_us_floats(&body, who->way, set, from, count, out);
    else if (who->way == PEER_ONE)
        ask_us(&body, set, from, count, out);
    else
        ask_us_batched(&body, set, from, count, out);
    return bench_thread_now() - start;
}

/* Floats beside the last answers in doubles. */
static size_t float_differences(const ray_set *set, size_t count, const answers *found)
{
    size_t differ = 0;
    for (size_t i = 0; i < count && set->what == FIRST; i++) {
        const bvp_ray_hit *hit = &found->first[i];
        const bvp_float_hit *narrow = &found->floats[i];
        differ += hit->found ? narrow->triangle != hit->id.triangle || narrow->t != (float)hit->t
                             : narrow->triangle != BVP_NO_TRIANGLE;
    }
    return differ;
}

/* Rays that hit for only one of the two, or at another place; distances that differ. */
static size_t differences(const ray_set *set, size_t count, size_t step, const answers *found)
{
    size_t differ = 0;
    for (size_t i = 0; i < count; i += step) {
        const double t = found->peer[i / step];
        const int ours = set->what == ANY ? found->any[i] : found->first[i].found;
        if (set->what == CLOSEST)
            differ += !(fabs(found->closest[i].distance - t) <= 1e-4 * SIDE);
        else
            differ += ours != (t >= 0) ||
                      (ours && set->what == FIRST && fabs(found->first[i].t - t) > 1e-4 * fabs(t));
    }
    return differ;
}

static double total(const contender *who, size_t blocks)
{
    double sum = 0;
    for (size_t b = 0; b < blocks; b++)
        sum += who->seconds[b];
    return sum;
}

/* Their time over ours, block by block; the least is where we stand worst. */
static bench_quartiles spread(const contender *ours, const contender *theirs, size_t blocks,
                              double *least)
{
    double ratio[BLOCKS_MAX];
    for (size_t b = 0; b < blocks; b++)
        ratio[b] = theirs->seconds[b] / ours->seconds[b];
    const bench_quartiles q = bench_quartiles_of(ratio, (int)blocks); /* sorts them */
    *least = ratio[0];
    return q;
}

static void print(const contender *all, const contender *who, const subject *s, const ray_set *set,
                  size_t hits)
{
    const size_t blocks = (set->count + BLOCK - 1) / BLOCK;
    const double seconds = total(who, blocks);
    double worst, worst_batched;
    printf("%s,%llu,%zu,%zu,%s,%.3f,", set->name, (unsigned long long)s->mesh.triangle_count,
           set->count, hits, who->name, (double)set->count / seconds * 1e-6);
    if (who->model < 0) {
        printf(",,,,,,,,,,%.0zu\n", who->differ); /* of floats; 0: nothing */
        return;
    }
    const bench_quartiles one = spread(&all[ONE], who, blocks, &worst);
    spread(&all[BATCHED], who, blocks, &worst_batched);
    printf("%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,", seconds / total(&all[ONE], blocks), one.q1, one.q3,
           worst, seconds / total(&all[BATCHED], blocks), worst_batched);
    if (set->what == CLOSEST) {
        printf(",,,,%zu\n", who->differ);
        return;
    }
    spread(&all[FLOATS_ONE], who, blocks, &worst);
    spread(&all[FLOATS_BATCHED], who, blocks, &worst_batched);
    printf("%.3f,%.3f,%.3f,%.3f,%zu\n", seconds / total(&all[FLOATS_ONE], blocks), worst,
           seconds / total(&all[FLOATS_BATCHED], blocks), worst_batched, who->differ);
}

static int takes_part(const contender *who, void *const models[MODELS], question what)
{
    return (who->model < 0 || models[who->model]) && (what != CLOSEST || who->points);
}

/* Each block once, all in turn; before, other rays, that no page is touched for the first time. */
static void run(const subject *s, void *const models[MODELS], const ray_set *set)
{
    contender *all = allocate(CONTENDERS, sizeof *all);
    answers *found = allocate(1, sizeof *found);
    ray_set warm = make_segments(s, "warm", WARM_RAYS, set->what);
    size_t hits = 0;
    memcpy(all, in_turn, sizeof in_turn);
    for (int c = 0; c < CONTENDERS; c++)
        for (size_t from = 0; from < WARM_RAYS && takes_part(&all[c], models, set->what);
             from += BLOCK)
            take_turn(&all[c], s, models, &warm, from, all[c].share, found);
    for (size_t b = 0; b * BLOCK < set->count; b++) {
        const size_t from = b * BLOCK, left = set->count - from;
        const size_t count = left < BLOCK ? left : BLOCK;
        for (int c = 0; c < CONTENDERS; c++) {
            const size_t step = BLOCK / all[c].share, share = (count + step - 1) / step;
            if (!takes_part(&all[c], models, set->what))
                continue;
            all[c].seconds[b] = take_turn(&all[c], s, models, set, from, share, found) *
                                (double)count / (double)share;
            if (all[c].model >= 0)
                all[c].differ += differences(set, count, step, found);
            if (all[c].model == FLOATS)
                all[c].differ += float_differences(set, count, found);
        }
        for (size_t i = 0; i < count; i++)
            hits +=
                set->what == CLOSEST || (set->what == ANY ? found->any[i] : found->first[i].found);
    }
    for (int c = 0; c < CONTENDERS; c++)
        if (takes_part(&all[c], models, set->what))
            print(all, &all[c], s, set, hits);
    fflush(stdout);
    set_free(&warm);
    free(found);
    free(all);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Embree gets shared vertices, as its manual's meshes have. */
static void make_models(const bench_mesh *mesh, void *models[MODELS])
{
    static const int settings[CGAL] = {0, PEER_ROBUST, PEER_COMPACT, PEER_COMPACT | PEER_ROBUST};
    const bvp_mesh soup = {.positions = mesh->positions,
                           .vertex_count = 3 * mesh->triangle_count,
                           .triangle_count = mesh->triangle_count};
    uint32_t *indices = NULL; /* to be allocated */
    void *positions;
    uint64_t vertex_count;
    bench_require(bvp_weld(&soup, 1, &indices, &positions, &vertex_count, NULL), "weld");
    const int all = mesh->triangle_count <= ALL_MODELS; /* they are gigabytes of larger ones */
    for (int k = 0; k < CGAL && peer_embree; k++)
        if (all || k == USUAL || k == COMPACT_ROBUST)
            models[k] = peer_embree->make_indexed(positions, vertex_count, indices,
                                                  mesh->triangle_count, settings[k]);
    free(indices);
    free(positions);
    if (peer_cgal_rays && all)
        models[CGAL] = peer_cgal_rays->make(mesh->positions, mesh->triangle_count, 0);
}

/* The rays of a kind, if it is among those to run. */
static int make_set(const subject *s, const ray_set *primary, const char *kind, size_t count,
                    ray_set *out)
{
    if (strcmp(kind, "segments") == 0)
        *out = make_segments(s, "segments", count, FIRST);
    else if (strcmp(kind, "any") == 0)
        *out = make_segments(s, "any hit", count, ANY);
    else if (strcmp(kind, "closest") == 0)
        *out = make_points(s, count / 5);
    else
        *out = make_secondary(s, primary, kind);
    return out->count != 0;
}

static void run_kinds(const subject *s, void *const models[MODELS], size_t count,
                      const char *wanted)
{
    static const char *const kinds[] = {"segments", "any", "ambient", "shadow", "closest"};
    ray_set primary = make_primary(s, count), set;
    set_trim(&primary);
    if (strstr(wanted, "primary"))
        run(s, models, &primary);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!strstr(wanted, kinds[k]))
            continue;
        if (make_set(s, &primary, kinds[k], count, &set)) {
            set_trim(&set);
            run(s, models, &set);
        }
        set_free(&set);
    }
    set_free(&primary);
}

int main(int argc, char **argv)
{
    const size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 400000;
    void *models[MODELS] = {0};
    bvp_file_info info;
    subject s = {.radius = 0};
    if (argc < 2 || argc > 4 || count < 256 || count > (size_t)BLOCK * BLOCKS_MAX) {
        fprintf(stderr, "usage: bench_rays MODEL.bvp [RAYS [KINDS]]\n");
        return 2;
    }
    bench_mesh_load(&s.mesh, argv[1], SIDE);
    s.rays = bench_pack_rays(s.mesh.positions, s.mesh.triangle_count);
    bvp_get_info(s.mesh.file, &info);
    for (int a = 0; a < 3; a++) {
        s.centre[a] = (info.lo[a] + info.hi[a]) / 2;
        s.radius = hypot(s.radius, (info.hi[a] - info.lo[a]) / 2);
    }
    make_models(&s.mesh, models);
    printf("rays,triangles,count,hits,library,million_a_second,one_over_it,one_over_it_q1,"
           "one_over_it_q3,one_over_it_worst,batched_over_it,batched_over_it_worst,"
           "floats_over_it,floats_over_it_worst,floats_batched_over_it,"
           "floats_batched_over_it_worst,differ\n");
    run_kinds(&s, models, count,
              argc > 3 ? argv[3] : "primary,segments,any,ambient,shadow,closest");
    for (int k = 0; k < MODELS; k++)
        if (models[k])
            (k == CGAL ? peer_cgal_rays : peer_embree)->drop(models[k]);
    bvp_close(s.rays);
    bench_mesh_free(&s.mesh);
    return 0;
}
