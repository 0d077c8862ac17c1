/* SPDX-License-Identifier: MIT
 * bench_clash.c: clash and clearance of a whole assembly by bvp_clash, and by the peer's manager
 * over the same parts in the same run; which pairs each of them finds, and how far apart those are
 * that only one finds. Usage: bench_clash ASSEMBLY.bvp CLEARANCE [peer]
 */
#include "bench.h"
#include "bvpack_clash.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROUNDS = 3, SHOWN_MAX = 10 };

/* A pair, and whether the surfaces meet. */
typedef struct found_pair {
    uint32_t a, b;
    int meets;
} found_pair;

typedef struct pair_list {
    found_pair *pairs;
    size_t count, capacity;
    double first; /* seconds of the clock when the first one came */
} pair_list;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        bench_require(BVP_ERR_NO_MEMORY, "bench");
    return memory;
}

static void add(pair_list *list, uint64_t a, uint64_t b, int meets)
{
    if (list->count == 0)
        list->first = bench_now();
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        if (!list->pairs)
            bench_require(BVP_ERR_NO_MEMORY, "pairs");
    }
    list->pairs[list->count++] =
        (found_pair){(uint32_t)(a < b ? a : b), (uint32_t)(a < b ? b : a), meets};
}

static int by_numbers(const void *a, const void *b)
{
    const found_pair *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static void sort(pair_list *list)
{
    qsort(list->pairs, list->count, sizeof *list->pairs, by_numbers);
}

/* ---- ours ------------------------------------------------------------------------------------ */

static int on_pair(void *user, const bvp_clash_pair *pair)
{
    add(user, pair->a, pair->b, pair->distance == 0);
    return 0;
}

static double clash(const bvp_file *file, double clearance, bvp_clash_detail detail,
                    uint32_t threads, pair_list *list, bvp_clash_coverage *coverage)
{
    const bvp_clash_options options = {
        .limits = {clearance, NAN, NAN}, .detail = detail, .thread_count = threads};
    const double began = bench_now();
    list->count = 0;
    bench_require(bvp_clash(file, NULL, NULL, &options, on_pair, list, coverage, NULL), "clash");
    return bench_now() - began;
}

static void row(const char *name, const char *what, double seconds, double other)
{
    printf("%s,%s,%.4f,%.2f\n", name, what, seconds, other / seconds);
    fflush(stdout);
}

/* The least of some rounds, one thread and two in turn. */
static void time_ours(const bvp_file *file, double clearance, bvp_clash_detail detail,
                      const char *what, pair_list *list, double *one)
{
    double two = INFINITY;
    bvp_clash_coverage coverage;
    *one = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        *one = fmin(*one, clash(file, clearance, detail, 1, list, &coverage));
        two = fmin(two, clash(file, clearance, detail, 2, list, &coverage));
    }
    row("bvpack 1 thread", what, *one, *one);
    row("bvpack 2 threads", what, two, *one);
    printf("# %" PRIu64 " pairs of boxes", coverage.box_pairs);
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        printf(", %" PRIu64 " %s", coverage.verdicts[v], bvp_verdict_name((bvp_verdict)v));
    printf("\n");
}

static void time_first(const char *path, double clearance)
{
    pair_list list = {0};
    bvp_clash_coverage coverage;
    bvp_file *file;
    const double began = bench_now();
    bench_require(bvp_open(path, NULL, &file, NULL), path);
    clash(file, clearance, BVP_CLASH_VERDICTS, 1, &list, &coverage);
    row("bvpack 1 thread", "path to the first verdict", list.first - began, NAN);
    free(list.pairs);
    bvp_close(file);
}

/* ---- the peer -------------------------------------------------------------------------------- */

typedef struct peer_scene {
    void **models;      /* by part */
    void **of_instance; /* the model of each */
    double (*placement)[12];
    uint32_t part_count, count;
    void *manager;
} peer_scene;

static void load_peer(const bvp_file *file, peer_scene *out)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    *out = (peer_scene){.part_count = info.part_count, .count = info.instance_count};
    out->models = allocate(info.part_count, sizeof *out->models);
    out->of_instance = allocate(info.instance_count, sizeof *out->of_instance);
    out->placement = allocate(info.instance_count, sizeof *out->placement);
    for (uint32_t i = 0; i < info.part_count; i++) {
        bvp_part_info part;
        uint64_t count;
        bench_require(bvp_get_part(file, i, &part), "part");
        float *positions = allocate(part.triangle_count, 36);
        bench_require(bvp_get_triangles(file, i, 0, part.triangle_count, positions, NULL, &count),
                      "triangles");
        out->models[i] = peer_fcl->make(positions, count);
        free(positions);
    }
    for (uint32_t i = 0; i < info.instance_count; i++) {
        bvp_instance_info instance;
        bench_require(bvp_get_instance(file, i, &instance), "instance");
        out->of_instance[i] = out->models[instance.part];
        memcpy(out->placement[i], instance.placement, sizeof instance.placement);
    }
    out->manager = peer_fcl_manager->make(out->of_instance, out->placement, out->count);
}

static void free_peer(peer_scene *s)
{
    peer_fcl_manager->drop(s->manager);
    for (uint32_t i = 0; i < s->part_count; i++)
        peer_fcl->drop(s->models[i]);
    free(s->models);
    free(s->of_instance);
    free(s->placement);
}

static void on_peer_pair(void *user, uint64_t a, uint64_t b)
{
    add(user, a, b, 1);
}

/* ---- what only one of them finds ------------------------------------------------------------- */

static double exact_gap(const bvp_file *file, const found_pair *pair)
{
    bvp_instance_info a, b;
    bvp_distance_result result = {0};
    bench_require(bvp_get_instance(file, pair->a, &a), "instance");
    bench_require(bvp_get_instance(file, pair->b, &b), "instance");
    const bvp_body body_a = {.file = file, .part = a.part, .placement = a.placement},
                   body_b = {.file = file, .part = b.part, .placement = b.placement};
    bench_require(bvp_distance(&body_a, &body_b, INFINITY, &result, NULL), "distance");
    return result.distance;
}

/* Pairs of `list` that `other` lacks; meets: only those whose surfaces meet count. */
static size_t only_in(const bvp_file *file, const pair_list *list, const pair_list *other,
                      int meets, const peer_scene *peer, const char *what)
{
    size_t missing = 0;
    double widest = 0, peer_widest = 0;
    for (size_t i = 0; i < list->count; i++) {
        const found_pair *p = &list->pairs[i];
        if (meets && !p->meets)
            continue;
        const found_pair *q = bsearch(p, other->pairs, other->count, sizeof *p, by_numbers);
        if (q && (!meets || q->meets))
            continue;
        const double gap = exact_gap(file, p);
        const double theirs =
            peer_fcl->distance_placed(peer->of_instance[p->a], peer->placement[p->a],
                                      peer->of_instance[p->b], peer->placement[p->b]);
        widest = fmax(widest, gap);
        peer_widest = fmax(peer_widest, theirs);
        if (missing++ < SHOWN_MAX)
            printf("# %s: %u %u, gap %.9g, by the peer %.9g\n", what, p->a, p->b, gap, theirs);
    }
    printf("# %s: %zu, widest gap %.9g, by the peer %.9g\n", what, missing, widest, peer_widest);
    return missing;
}

static int compare(const bvp_file *file, const peer_scene *peer, const pair_list *ours,
                   const pair_list *theirs, int meets, const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "only the peer: %s", what);
    const size_t lacking = only_in(file, theirs, ours, meets, peer, text);
    snprintf(text, sizeof text, "only ours: %s", what);
    only_in(file, ours, theirs, meets, peer, text);
    return lacking > 0;
}

static int ask_peer(const bvp_file *file, double clearance, pair_list *ours, double our_seconds)
{
    peer_scene peer;
    pair_list strict = {0}, near = {0};
    load_peer(file, &peer);
    double began = bench_now();
    peer_fcl_manager->collide(peer.manager, on_peer_pair, &strict);
    const double collide = bench_now() - began;
    began = bench_now();
    peer_fcl_manager->within(peer.manager, clearance, on_peer_pair, &near);
    const double within = bench_now() - began;
    row(peer_fcl_manager->name, "clash", collide, NAN);
    row(peer_fcl_manager->name, "within the clearance", within, NAN);
    row("bvpack 1 thread", "verdicts, over both", our_seconds, collide + within);
    sort(ours);
    sort(&strict);
    sort(&near);
    int fails = compare(file, &peer, ours, &strict, 1, "clash");
    fails |= compare(file, &peer, ours, &near, 0, "within");
    free(strict.pairs);
    free(near.pairs);
    free_peer(&peer);
    return fails;
}

int main(int argc, char **argv)
{
    pair_list list = {0};
    bvp_file *file;
    struct rusage usage;
    double verdicts, distances, contacts;
    int fails = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: bench_clash ASSEMBLY.bvp CLEARANCE [peer]\n");
        return 2;
    }
    const double clearance = atof(argv[2]);
    bench_require(bvp_open(argv[1], NULL, &file, NULL), argv[1]);
    printf("who,what,seconds,times_faster\n");
    time_first(argv[1], clearance);
    time_ours(file, clearance, BVP_CLASH_CONTACTS, "contacts", &list, &contacts);
    time_ours(file, clearance, BVP_CLASH_DISTANCE, "distances", &list, &distances);
    time_ours(file, clearance, BVP_CLASH_VERDICTS, "verdicts", &list, &verdicts);
    getrusage(RUSAGE_SELF, &usage);
    printf("# memory with the list of %zu pairs: %.1f MB\n", list.count, usage.ru_maxrss / 1024.0);
    if (argc > 3 && peer_fcl_manager)
        fails = ask_peer(file, clearance, &list, verdicts);
    free(list.pairs);
    bvp_close(file);
    return fails;
}
