/* SPDX-License-Identifier: MIT
 * bench_clash.c: clash and clearance of a whole assembly by bvp_clash, and by the peer's manager
 * over the same parts in the same run; which pairs only one of them finds, and how far apart those
 * are. Usage: bench_clash ASSEMBLY.bvp CLEARANCE [contacts] [distances] [peer]
 */
#include "bench.h"
#include "bvpack_clash.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The peer says that bodies meet, or not, in double: nearer than this they may. */
#define TOUCH_GAP 1e-6
/* A distance that is the clearance but for so much may be on either side of it. */
#define ROUNDING  1e-9

enum { ROUNDS = 5, SECONDS = 10 /* no round begins later */ };

/* A pair, and how far apart it is known to be at most. */
typedef struct found_pair {
    uint32_t a, b;
    double distance;
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

static void add(pair_list *list, uint64_t a, uint64_t b, double distance)
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
        (found_pair){(uint32_t)(a < b ? a : b), (uint32_t)(a < b ? b : a), distance};
}

static int by_numbers(const void *a, const void *b)
{
    const found_pair *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static void row(const char *who, int threads, const char *what, double seconds, uint64_t pairs)
{
    printf("%s,%d,%s,%.4f,%" PRIu64 "\n", who, threads, what, seconds, pairs);
    fflush(stdout);
}

/* ---- ours ------------------------------------------------------------------------------------ */

/* What is enclosed may be far from the surface around it. */
static int on_pair(void *user, const bvp_clash_pair *pair)
{
    if (pair->distance <= fmax(pair->limits.clearance, pair->limits.touch_gap))
        add(user, pair->a, pair->b, pair->distance);
    return 0;
}

static double clash(const bvp_file *file, const bvp_clash_limits *limits, bvp_clash_detail detail,
                    uint32_t threads, pair_list *list, bvp_clash_coverage *coverage)
{
    const bvp_clash_options options = {
        .limits = *limits, .detail = detail, .thread_count = threads};
    const double began = bench_now();
    list->count = 0;
    bench_require(bvp_clash(&(bvp_clash_scene){.a = file}, &options, on_pair, list, coverage, NULL),
                  "clash");
    return bench_now() - began;
}

static void time_first(const char *path, double clearance)
{
    const bvp_clash_limits limits = {clearance, NAN, NAN};
    pair_list list = {0};
    bvp_file *file;
    const double began = bench_now();
    bench_require(bvp_open(path, NULL, &file, NULL), path);
    clash(file, &limits, BVP_CLASH_VERDICTS, 1, &list, NULL);
    row("bvpack", 1, "path to first verdict", list.first - began, 1);
    free(list.pairs);
    bvp_close(file);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

typedef struct rounds {
    double seconds[ROUNDS];
    int count;
} rounds;

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Of two the lesser. */
static double median(rounds *r)
{
    qsort(r->seconds, (size_t)r->count, sizeof *r->seconds, by_value);
    return r->seconds[(r->count - 1) / 2];
}

static int goes_on(const rounds *r, double began)
{
    return r->count < ROUNDS && (r->count == 0 || bench_now() - began < SECONDS);
}

/* The median of some rounds, one thread and two in turn. */
static void time_ours(const bvp_file *file, double clearance, bvp_clash_detail detail,
                      const char *what)
{
    const double began = bench_now();
    const bvp_clash_limits limits = {clearance, NAN, NAN};
    bvp_clash_coverage sum;
    pair_list list = {0};
    rounds one = {.count = 0}, two = {.count = 0};
    while (goes_on(&two, began)) {
        one.seconds[one.count++] = clash(file, &limits, detail, 1, &list, &sum);
        two.seconds[two.count++] = clash(file, &limits, detail, 2, &list, &sum);
    }
    row("bvpack", 1, what, median(&one), list.count);
    row("bvpack", 2, what, median(&two), list.count);
    printf("# %s: %" PRIu64 " pairs of boxes", what, sum.box_pairs);
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        printf(", %" PRIu64 " %s", sum.verdicts[v], bvp_verdict_name((bvp_verdict)v));
    printf("\n");
    free(list.pairs);
}

/* What two threads could gain on this machine at most: two runs of one thread each, at once, that
 * have nothing to do with one another. */
typedef struct lone_run {
    const bvp_file *file;
    bvp_clash_limits limits;
    pair_list list;
    pthread_t thread;
} lone_run;

static void *run_alone(void *user)
{
    lone_run *run = user;
    clash(run->file, &run->limits, BVP_CLASH_VERDICTS, 1, &run->list, NULL);
    return NULL;
}

static void time_side_by_side(const bvp_file *file, double clearance)
{
    const double start = bench_now();
    rounds r = {.count = 0};
    lone_run runs[2] = {{.file = file, .limits = {clearance, NAN, NAN}}};
    runs[1] = runs[0];
    while (goes_on(&r, start)) {
        const double began = bench_now();
        for (int k = 0; k < 2; k++)
            if (pthread_create(&runs[k].thread, NULL, run_alone, &runs[k]) != 0)
                bench_require(BVP_ERR_NO_MEMORY, "thread");
        for (int k = 0; k < 2; k++)
            pthread_join(runs[k].thread, NULL);
        r.seconds[r.count++] = bench_now() - began;
    }
    row("bvpack", 1, "two runs at once: verdicts", median(&r), runs[0].list.count);
    for (int k = 0; k < 2; k++)
        free(runs[k].list.pairs);
}

/* ---- ours, asked what the peer is asked ------------------------------------------------------ */

/* Keeps a pair of instances whose boxes are near, and leaves it out of the clash. */
static int keep_candidate(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
{
    (void)limits;
    add(user, a, b, NAN);
    return 1;
}

static bvp_body instance_body(const bvp_file *file, const bvp_instance_info *of)
{
    return (bvp_body){.file = file, .part = of->part, .placement = of->placement};
}

static int is_near(const bvp_file *file, const found_pair *pair, double clearance)
{
    bvp_instance_info a, b;
    int answer;
    bench_require(bvp_get_instance(file, pair->a, &a), "instance");
    bench_require(bvp_get_instance(file, pair->b, &b), "instance");
    const bvp_body body_a = instance_body(file, &a), body_b = instance_body(file, &b);
    if (clearance > 0)
        bench_require(bvp_within(&body_a, &body_b, clearance, &answer, NULL, NULL), "within");
    else
        bench_require(bvp_collide(&body_a, &body_b, &answer, NULL), "collide");
    return answer;
}

/* Do their surfaces meet; are they nearer than the clearance: no more than that of each pair. */
static void time_booleans(const bvp_file *file, double clearance, const char *what)
{
    pair_list near = {0};
    const bvp_clash_options options = {
        .limits = {clearance, 0, 0}, .thread_count = 1, .rule = keep_candidate, .rule_user = &near};
    rounds r = {.count = 0};
    uint64_t yes = 0;
    while (r.count < 3) {
        const double began = bench_now();
        near.count = 0;
        yes = 0;
        bench_require(bvp_clash(&(bvp_clash_scene){.a = file}, &options, NULL, NULL, NULL, NULL),
                      "clash");
        for (size_t k = 0; k < near.count; k++)
            yes += is_near(file, &near.pairs[k], clearance);
        r.seconds[r.count++] = bench_now() - began;
    }
    row("bvpack", 1, what, median(&r), yes);
    free(near.pairs);
}

static double distance_of(const bvp_file *file, const found_pair *pair, double limit,
                          double tolerance)
{
    bvp_instance_info a, b;
    bvp_distance_result result = {0};
    bench_require(bvp_get_instance(file, pair->a, &a), "instance");
    bench_require(bvp_get_instance(file, pair->b, &b), "instance");
    const bvp_body body_a = instance_body(file, &a), body_b = instance_body(file, &b);
    bench_require(bvp_distance_about(&body_a, &body_b, limit, tolerance, &result, NULL),
                  "distance");
    return result.found ? result.distance : INFINITY;
}

/* Distances of all near pairs, exact and to within a tolerance, which is checked. Returns 1 if it
 * is not kept. */
static int time_distances(const bvp_file *file, double clearance)
{
    pair_list near = {0};
    const bvp_clash_options options = {
        .limits = {clearance, 0, 0}, .thread_count = 1, .rule = keep_candidate, .rule_user = &near};
    int wrong = 0;
    bench_require(bvp_clash(&(bvp_clash_scene){.a = file}, &options, NULL, NULL, NULL, NULL),
                  "clash");
    double began = bench_now();
    for (size_t k = 0; k < near.count; k++)
        near.pairs[k].distance = distance_of(file, &near.pairs[k], clearance, 0);
    row("bvpack", 1, "exact distance of each near pair", bench_now() - began, near.count);
    double *about = allocate(near.count, sizeof *about);
    began = bench_now();
    for (size_t k = 0; k < near.count; k++)
        about[k] = distance_of(file, &near.pairs[k], clearance, TOUCH_GAP);
    row("bvpack", 1, "the same to within 1e-6", bench_now() - began, near.count);
    for (size_t k = 0; k < near.count; k++)
        wrong |= isinf(about[k]) ? !isinf(near.pairs[k].distance)
                                 : !(fabs(about[k] - near.pairs[k].distance) <= TOUCH_GAP);
    printf("# within 1e-6 of the exact one: %s\n", wrong ? "no" : "yes");
    free(about);
    free(near.pairs);
    return wrong;
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
        bench_require(bvp_get_triangles(file, i, (bvp_range){0, part.triangle_count}, positions,
                                        NULL, &count),
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
    add(user, a, b, NAN);
}

static void sort(pair_list *list)
{
    qsort(list->pairs, list->count, sizeof *list->pairs, by_numbers);
}

/* ---- what only one of them finds ------------------------------------------------------------- */

/* Lists the pairs of `list` that `other` lacks; *lo, *hi: the least and the widest gap. */
static size_t only_in(const bvp_file *file, const pair_list *list, const pair_list *other,
                      const char *what, double *lo, double *hi)
{
    size_t count = 0;
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < list->count; i++) {
        const found_pair *p = &list->pairs[i];
        if (bsearch(p, other->pairs, other->count, sizeof *p, by_numbers))
            continue;
        const double gap = distance_of(file, p, INFINITY, 0);
        *lo = fmin(*lo, gap);
        *hi = fmax(*hi, gap);
        fprintf(stderr, "%s\t%u\t%u\t%.17g\n", what, p->a, p->b, gap);
        count++;
    }
    printf("# %s: %zu", what, count);
    if (count > 0)
        printf(", gaps %.3g to %.3g", *lo, *hi);
    printf("\n");
    return count;
}

/* Both say the same, but for pairs that are just as far apart as asked for. */
static int compare(const bvp_file *file, double limit, const pair_list *ours,
                   const pair_list *theirs, const char *what)
{
    char text[64];
    double lo, hi;
    snprintf(text, sizeof text, "only the peer: %s", what);
    const size_t missing = only_in(file, theirs, ours, text, &lo, &hi);
    const int lacks = missing > 0 && hi > limit + ROUNDING;
    snprintf(text, sizeof text, "only ours: %s", what);
    const size_t more = only_in(file, ours, theirs, text, &lo, &hi);
    return lacks || (missing > 0 && limit == TOUCH_GAP) || (more > 0 && hi > limit) ||
           (more > 0 && limit != TOUCH_GAP && lo < limit - ROUNDING);
}

static int ask_peer(const bvp_file *file, double clearance)
{
    static const bvp_clash_limits touching = {0, TOUCH_GAP, NAN};
    const bvp_clash_limits near_limits = {clearance, TOUCH_GAP, NAN};
    peer_scene peer;
    pair_list strict = {0}, near = {0}, ours = {0};
    load_peer(file, &peer);
    double began = bench_now();
    peer_fcl_manager->collide(peer.manager, on_peer_pair, &strict);
    row(peer_fcl_manager->name, 1, "clash", bench_now() - began, strict.count);
    began = bench_now();
    peer_fcl_manager->within(peer.manager, clearance, on_peer_pair, &near);
    row(peer_fcl_manager->name, 1, "within", bench_now() - began, near.count);
    sort(&strict);
    sort(&near);
    fprintf(stderr, "what\ta\tb\tgap\n");
    clash(file, &touching, BVP_CLASH_VERDICTS, 2, &ours, NULL);
    int differs = compare(file, TOUCH_GAP, &ours, &strict, "clash");
    clash(file, &near_limits, BVP_CLASH_VERDICTS, 2, &ours, NULL);
    differs |= compare(file, clearance, &ours, &near, "within");
    printf("# the same pairs, but for such as touch within %g: %s\n", TOUCH_GAP,
           differs ? "no" : "yes");
    free(strict.pairs);
    free(near.pairs);
    free(ours.pairs);
    free_peer(&peer);
    return differs;
}

static int is_asked(int argc, char **argv, const char *word)
{
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    bvp_file *file;
    struct rusage usage;
    int differs = 0;
    if (argc < 3) {
        fprintf(stderr,
                "usage: bench_clash ASSEMBLY.bvp CLEARANCE [contacts] [distances] [peer]\n");
        return 2;
    }
    const double clearance = atof(argv[2]);
    bench_require(bvp_open(argv[1], NULL, &file, NULL), argv[1]);
    time_first(argv[1], clearance);
    time_ours(file, clearance, BVP_CLASH_VERDICTS, "verdicts");
    getrusage(RUSAGE_SELF, &usage);
    printf("bvpack,2,MB to clash,%.1f,\n", (double)usage.ru_maxrss / 1024);
    time_side_by_side(file, clearance);
    time_booleans(file, 0, "surfaces meet");
    time_booleans(file, clearance, "nearer than the clearance");
    time_ours(file, clearance, BVP_CLASH_FAST_CONTACTS, "verdicts and contacts");
    time_ours(file, clearance, BVP_CLASH_DISTANCE, "distances");
    if (is_asked(argc, argv, "contacts"))
        time_ours(file, clearance, BVP_CLASH_CONTACTS, "contacts");
    if (is_asked(argc, argv, "distances"))
        differs = time_distances(file, clearance);
    if (is_asked(argc, argv, "peer") && peer_fcl_manager)
        differs |= ask_peer(file, clearance);
    bvp_close(file);
    return differs;
}
