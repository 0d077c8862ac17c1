/* SPDX-License-Identifier: MIT
 * clash_brute.c: verdicts by brute force, held against bvp_clash's.
 */
#include "clash_brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flat_surface.h"
#include "oracle_gmp.h"

/* ---- exact answers --------------------------------------------------------------------------- */

/* Of a question whose answer may hang on the last bit: that of an interval which holds the limit.
 */
typedef enum answer { NO, YES, EITHER } answer;

#define LAST_BITS 0x1p-40 /* relative width of the interval around a limit */

typedef struct question {
    double limit, slack;
    answer answer;
} question;

static const float *soup_of(const flat_surface *s, uint32_t i)
{
    return s->part->soup + 9 * (size_t)i;
}

static int meets_here(void *user, const flat_surface *a, uint32_t i, const flat_surface *b,
                      uint32_t k)
{
    question *q = user;
    if (flat_distance(a, i, b, k) <= q->slack &&
        oracle_tri_tri(soup_of(a, i), soup_of(b, k), a->at, b->at) != 0)
        q->answer = YES;
    return q->answer == YES;
}

static int is_near_here(void *user, const flat_surface *a, uint32_t i, const flat_surface *b,
                        uint32_t k)
{
    question *q = user;
    const double distance = flat_distance(a, i, b, k);
    if (distance - q->slack > q->limit)
        return 0;
    if (distance + q->slack <= q->limit) {
        q->answer = YES;
        return 1;
    }
    mpq_t exact;
    mpq_init(exact);
    oracle_tri_tri_distance_sq(exact, soup_of(a, i), soup_of(b, k), a->at, b->at);
    if (oracle_sqrt_between(exact, 0, q->limit))
        q->answer = YES;
    else if (oracle_sqrt_between(exact, 0, q->limit * (1 + LAST_BITS)))
        q->answer = EITHER;
    mpq_clear(exact);
    return q->answer == YES;
}

static answer ask(const flat_surface *a, const flat_surface *b, double limit, flat_pair_fn each)
{
    question q = {limit, a->slack + b->slack, NO};
    flat_near_pairs(a, b, limit + q.slack, each, &q);
    return q.answer;
}

/* ---- inside ---------------------------------------------------------------------------------- */

enum { OUTSIDE = 1, INSIDE = 2, AROUND = 4, PERHAPS_AROUND = 8 };

static bool is_in_box(const flat_box *box, const double point[3])
{
    for (int i = 0; i < 3; i++)
        if (point[i] < box->lo[i] || point[i] > box->hi[i])
            return false;
    return true;
}

static unsigned where_point_is(const flat_surface *outer, bool is_open, const double point[3],
                               double gap, bool *is_clear)
{
    if (!is_in_box(&outer->box, point))
        return OUTSIDE;
    *is_clear = flat_point_distance(outer, point) > fmax(gap, outer->slack);
    if (!*is_clear)
        return 0;
    const double turns = fabs(flat_winding(outer, point));
    if (is_open && turns > 0.2) /* of one with narrow cracks it is nearly 1 */
        return turns > 0.8 ? AROUND | (fabs(turns - 1) < 0.01 ? INSIDE : 0) : PERHAPS_AROUND;
    return turns > 0.5 ? INSIDE : OUTSIDE;
}

enum { CORNERS = 32 }; /* of a part in an open surface: some may look out of its opening */

/* Any piece of `inner` in `outer`, whose surfaces do not meet: of each piece the corners up to the
 * first that is neither within rounding of the surface nor within the touch gap. is_open: `outer`
 * is. */
static unsigned where_is(const flat_surface *outer, bool is_open, const flat_surface *inner,
                         double gap)
{
    const uint32_t count = 3 * inner->part->count, step = count / CORNERS + 1;
    unsigned out = 0;
    bool *is_known = calloc(inner->part->piece_count + 1, sizeof *is_known);
    if (!is_known)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        bool *known = &is_known[inner->part->piece_of[i / 3]];
        if (*known && (!is_open || i % step != 0))
            continue;
        *known = true;
        out |= where_point_is(outer, is_open, inner->corners + 3 * (size_t)i, gap, known);
    }
    free(is_known);
    return out & AROUND && out & (PERHAPS_AROUND | OUTSIDE) ? PERHAPS_AROUND : out;
}

/* ---- one pair -------------------------------------------------------------------------------- */

typedef struct side {
    const bvp_part_info *info;
    const flat_surface *surface;
    uint32_t part;
} side;

typedef struct brute_pair {
    side a, b;
    const brute_options *options;
    bvp_clash_limits limits;
    const bvp_clash_pair *said; /* NULL: nothing, so clear */
    const char *complaint;      /* about what else was said */
    bool is_missed;             /* deeper than permitted, which was not found */
} brute_pair;

static unsigned bit(bvp_verdict verdict)
{
    return 1u << verdict;
}

/* Is some corner of a triangle, or its middle, farther from the other surface than the gap? */
static bool leaves(const flat_surface *s, const flat_surface *other, double gap)
{
    const double reach = gap + s->slack + other->slack;
    for (uint32_t i = 0; i < s->part->count; i++) {
        const double *c = s->corners + 9 * (size_t)i;
        double middle[3];
        for (int k = 0; k < 3; k++)
            middle[k] = (c[k] + c[3 + k] + c[6 + k]) / 3;
        if (flat_point_distance(other, middle) > reach || flat_point_distance(other, c) > reach ||
            flat_point_distance(other, c + 3) > reach || flat_point_distance(other, c + 6) > reach)
            return true;
    }
    return false;
}

/* The same part, and no corner of its box farther from its image than the gap; or perhaps, when no
 * point that is tried says otherwise, the same surface. */
static answer is_duplicate(const brute_pair *p)
{
    const double *m = p->a.surface->at, *n = p->b.surface->at;
    const answer otherwise = leaves(p->a.surface, p->b.surface, p->limits.touch_gap) ||
                                     leaves(p->b.surface, p->a.surface, p->limits.touch_gap)
                                 ? NO
                                 : EITHER;
    long double farthest = 0;
    if (p->a.part != p->b.part)
        return otherwise;
    for (int corner = 0; corner < 8; corner++) {
        long double sum = 0;
        for (int i = 0; i < 3; i++) {
            long double d = (long double)m[4 * i + 3] - n[4 * i + 3];
            for (int k = 0; k < 3; k++)
                d += ((long double)m[4 * i + k] - n[4 * i + k]) *
                     (corner >> k & 1 ? p->a.info->hi[k] : p->a.info->lo[k]);
            sum += d * d;
        }
        farthest = fmaxl(farthest, sqrtl(sum));
    }
    const double gap = p->limits.touch_gap;
    return farthest <= gap ? YES : farthest > gap * (1 + LAST_BITS) ? otherwise : EITHER;
}

static double witness_distance(const bvp_clash_pair *said)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (said->point_a[i] - said->point_b[i]) * (said->point_a[i] - said->point_b[i]);
    return sqrt(sum);
}

static bool is_deep_in(const brute_pair *p, const side *into, const double point[3])
{
    const flat_surface *s = into->surface;
    return is_in_box(&s->box, point) &&
           flat_point_distance(s, point) > p->limits.overlap + s->slack &&
           fabs(flat_winding(s, point)) > 0.5;
}

/* Corners and middles of triangles near the other part, `samples` of them, evenly spread. */
static bool has_deep_point(const brute_pair *p, const side *from, const side *into)
{
    const flat_surface *s = from->surface;
    uint32_t near = 0, seen = 0, tried = 0;
    if (into->info->open_edge_count > 0)
        return false;
    for (uint32_t i = 0; i < s->part->count; i++)
        near += !flat_boxes_apart(&s->boxes[i], &into->surface->box, 0);
    for (uint32_t i = 0; i < s->part->count && tried < p->options->samples; i++) {
        const double *c = s->corners + 9 * (size_t)i;
        if (flat_boxes_apart(&s->boxes[i], &into->surface->box, 0) ||
            (uint64_t)seen++ * p->options->samples < (uint64_t)tried * near)
            continue;
        double middle[3];
        for (int k = 0; k < 3; k++)
            middle[k] = (c[k] + c[3 + k] + c[6 + k]) / 3;
        if (is_deep_in(p, into, tried++ % 2 ? middle : c))
            return true;
    }
    return false;
}

/* Is `point` on the one surface, and in the other, as deep as it is said to be? */
static bool is_witness(const brute_pair *p, const double point[3], const side *of, const side *into)
{
    const double slack = 4 * (of->surface->slack + into->surface->slack);
    const double depth = flat_point_distance(into->surface, point);
    return flat_point_distance(of->surface, point) <= slack && depth > p->limits.overlap - slack &&
           fabs(depth - p->said->depth) <= slack &&
           fabs(depth - witness_distance(p->said)) <= slack &&
           (into->info->open_edge_count > 0 || fabs(flat_winding(into->surface, point)) > 0.5);
}

static bool holds_ball(const side *s, const double centre[3], double radius)
{
    return flat_point_distance(s->surface, centre) >= radius - 4 * s->surface->slack &&
           (s->info->open_edge_count > 0 || fabs(flat_winding(s->surface, centre)) > 0.5);
}

/* Does a ball of the depth that is said lie in both? */
static bool is_ball(const brute_pair *p)
{
    const double slack = 4 * (p->a.surface->slack + p->b.surface->slack);
    return p->said->depth > p->limits.overlap - slack &&
           holds_ball(&p->a, p->said->point_a, p->said->depth) &&
           holds_ball(&p->b, p->said->point_a, p->said->depth);
}

/* Touching, and not proven: depth is an estimate. */
static bool is_unproven(const brute_pair *p)
{
    return p->said && p->said->verdict == BVP_VERDICT_TOUCHING &&
           p->said->depth_upper > p->limits.overlap;
}

static unsigned of_meeting(brute_pair *p)
{
    const bool is_said = p->said && p->said->verdict == BVP_VERDICT_PENETRATING;
    const bool are_open = p->a.info->open_edge_count > 0 && p->b.info->open_edge_count > 0;
    if (has_deep_point(p, &p->a, &p->b) || has_deep_point(p, &p->b, &p->a)) {
        p->is_missed = is_unproven(p);
        return bit(p->is_missed ? BVP_VERDICT_TOUCHING : BVP_VERDICT_PENETRATING);
    }
    if (is_said && !are_open && !is_witness(p, p->said->point_a, &p->a, &p->b) &&
        !is_witness(p, p->said->point_b, &p->b, &p->a) && !is_ball(p))
        p->complaint = "the witness of depth is none";
    return bit(is_said ? BVP_VERDICT_PENETRATING : BVP_VERDICT_TOUCHING);
}

static unsigned by_distance(const brute_pair *p)
{
    const flat_surface *a = p->a.surface, *b = p->b.surface;
    const answer touches = ask(a, b, p->limits.touch_gap, is_near_here);
    if (touches == YES)
        return bit(BVP_VERDICT_TOUCHING);
    const answer near = ask(a, b, p->limits.clearance, is_near_here);
    unsigned out = touches == EITHER ? bit(BVP_VERDICT_TOUCHING) : 0;
    if (near != NO)
        out |= bit(BVP_VERDICT_WITHIN);
    if (near != YES)
        out |= bit(BVP_VERDICT_CLEAR);
    return out;
}

static unsigned of_apart(const brute_pair *p)
{
    const side *a = &p->a, *b = &p->b;
    const double gap = p->limits.touch_gap;
    unsigned where = 0, out = 0;
    if (!flat_boxes_apart(&a->surface->box, &b->surface->box, 0))
        where = where_is(a->surface, a->info->open_edge_count > 0, b->surface, gap) |
                where_is(b->surface, b->info->open_edge_count > 0, a->surface, gap);
    if (where & INSIDE)
        out |= bit(BVP_VERDICT_ENCLOSED);
    if (where & (AROUND | PERHAPS_AROUND))
        out |= bit(BVP_VERDICT_UNKNOWN);
    return where & (INSIDE | AROUND) ? out : out | by_distance(p);
}

/* The distance that was said: of the witnesses, and beyond the touch gap no two triangles are
 * nearer than its lower bound, which is as near as bvpack_clash.h promises. */
static void check_distance(brute_pair *p, bool meets)
{
    const bvp_clash_pair *said = p->said;
    const double slack = p->a.surface->slack + p->b.surface->slack;
    if (meets != (said->distance == 0)) {
        p->complaint = meets ? "they meet, but a distance is said" : "distance 0, but apart";
        return;
    }
    if (meets)
        return;
    if (!(fabs(witness_distance(said) - said->distance) <= slack) ||
        !(said->lower <= said->distance))
        p->complaint = "the witnesses are not as far apart as the distance";
    if (!(said->distance > p->limits.touch_gap + 4 * slack))
        return;
    const double tolerance = fmin(p->limits.touch_gap, p->limits.clearance / 4096);
    if (!(said->distance - said->lower <= tolerance + 1e-9 * said->distance + 4 * slack))
        p->complaint = "the lower bound is too low";
    if (ask(p->a.surface, p->b.surface, said->lower - 4 * slack, is_near_here) != NO)
        p->complaint = "some triangles are nearer";
}

/* Bits of the verdicts that are right. */
static unsigned right_verdicts(brute_pair *p)
{
    const bool meets = ask(p->a.surface, p->b.surface, 0, meets_here) == YES;
    const answer is_copy = is_duplicate(p);
    if (p->said)
        check_distance(p, meets);
    if (is_copy == YES)
        return bit(BVP_VERDICT_DUPLICATE);
    return (is_copy == EITHER ? bit(BVP_VERDICT_DUPLICATE) : 0) |
           (meets ? of_meeting(p) : of_apart(p));
}

/* ---- what was said --------------------------------------------------------------------------- */

typedef struct said_list {
    bvp_clash_pair *pairs;
    size_t count, capacity, next;
} said_list;

static int keep(void *user, const bvp_clash_pair *pair)
{
    said_list *list = user;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        if (!list->pairs)
            abort();
    }
    list->pairs[list->count++] = *pair;
    return 0;
}

/* They come in the order that pairs are looked at. */
static const bvp_clash_pair *said_of(said_list *list, uint32_t a, uint32_t b)
{
    while (list->next < list->count &&
           (list->pairs[list->next].a < a ||
            (list->pairs[list->next].a == a && list->pairs[list->next].b < b)))
        list->next++;
    const bvp_clash_pair *p = &list->pairs[list->next];
    return list->next < list->count && p->a == a && p->b == b ? p : NULL;
}

/* All details say the same verdicts; distances are kept. */
static uint64_t ask_library(const bvp_file *file, const bvp_clash_limits *limits, said_list *out,
                            FILE *log)
{
    uint64_t wrong = 0;
    for (int detail = BVP_CLASH_FAST_CONTACTS; detail >= BVP_CLASH_DISTANCE; detail--) {
        const bvp_clash_options options = {.limits = *limits, .detail = (bvp_clash_detail)detail};
        said_list now = {0};
        if (bvp_clash(&(bvp_clash_scene){.a = file}, &options, keep, &now, NULL, NULL) != BVP_OK)
            abort();
        int is_same = detail == BVP_CLASH_FAST_CONTACTS || now.count == out->count;
        for (size_t i = 0; is_same && i < now.count && detail != BVP_CLASH_FAST_CONTACTS; i++)
            is_same = now.pairs[i].a == out->pairs[i].a && now.pairs[i].b == out->pairs[i].b &&
                      now.pairs[i].verdict == out->pairs[i].verdict;
        if (!is_same)
            fprintf(log, "verdicts depend on the detail %d\n", detail);
        wrong += !is_same;
        free(out->pairs);
        *out = now;
    }
    return wrong;
}

/* ---- the scene ------------------------------------------------------------------------------- */

typedef struct brute_scene {
    uint32_t part_count, count;
    flat_part *parts;
    bvp_part_info *infos;
    bvp_instance_info *instances;
    flat_box *boxes; /* of each instance */
} brute_scene;

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

static void load(const bvp_file *file, brute_scene *out)
{
    bvp_file_info info;
    bvp_get_info(file, &info);
    *out = (brute_scene){.part_count = info.part_count, .count = info.instance_count};
    out->parts = room(info.part_count, sizeof *out->parts);
    out->infos = room(info.part_count, sizeof *out->infos);
    out->instances = room(info.instance_count, sizeof *out->instances);
    out->boxes = room(info.instance_count, sizeof *out->boxes);
    for (uint32_t i = 0; i < info.part_count; i++) {
        uint64_t count = 0;
        if (bvp_get_part(file, i, &out->infos[i]) != BVP_OK)
            abort();
        float *soup = room(out->infos[i].triangle_count, 9 * sizeof *soup);
        if (bvp_get_triangles(file, i, (bvp_range){0, out->infos[i].triangle_count}, soup, NULL,
                              &count) != BVP_OK)
            abort();
        flat_part_make(soup, (uint32_t)count, &out->parts[i]);
    }
    for (uint32_t i = 0; i < info.instance_count; i++) {
        flat_surface s;
        if (bvp_get_instance(file, i, &out->instances[i]) != BVP_OK)
            abort();
        flat_surface_make(&out->parts[out->instances[i].part], out->instances[i].placement, &s);
        out->boxes[i] = s.box;
        flat_surface_free(&s);
    }
}

static void unload(brute_scene *scene)
{
    for (uint32_t i = 0; i < scene->part_count; i++)
        flat_part_free(&scene->parts[i]);
    free(scene->parts);
    free(scene->infos);
    free(scene->instances);
    free(scene->boxes);
}

static void complain(FILE *log, uint32_t a, uint32_t b, bvp_verdict said, unsigned right,
                     const char *complaint)
{
    fprintf(log, "%u %u: %s said,", a, b, bvp_verdict_name(said));
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        if (right & bit((bvp_verdict)v))
            fprintf(log, " %s", bvp_verdict_name((bvp_verdict)v));
    fprintf(log, " right%s%s\n", complaint ? "; " : "", complaint ? complaint : "");
}

static void check_pair(const brute_scene *scene, const flat_surface *surface_a, uint32_t a,
                       uint32_t b, brute_pair *pair, FILE *log, brute_result *out)
{
    const uint32_t part_a = scene->instances[a].part, part_b = scene->instances[b].part;
    const bvp_verdict verdict = pair->said ? pair->said->verdict : BVP_VERDICT_CLEAR;
    const double reach = fmax(pair->limits.clearance, pair->limits.touch_gap);
    unsigned right = bit(BVP_VERDICT_CLEAR);
    if (!flat_boxes_apart(&scene->boxes[a], &scene->boxes[b], reach + 2 * surface_a->slack)) {
        flat_surface surface_b;
        flat_surface_make(&scene->parts[part_b], scene->instances[b].placement, &surface_b);
        pair->a = (side){&scene->infos[part_a], surface_a, part_a};
        pair->b = (side){&scene->infos[part_b], &surface_b, part_b};
        right = right_verdicts(pair);
        flat_surface_free(&surface_b);
    }
    out->pairs++;
    out->said[verdict]++;
    out->decided += (right & (right - 1)) == 0 && !is_unproven(pair);
    out->unproven += is_unproven(pair);
    out->missed += pair->is_missed;
    if (!(right & bit(verdict)) || pair->complaint) {
        complain(log, a, b, verdict, right, pair->complaint);
        out->wrong++;
    }
}

void brute_check(const bvp_file *file, const brute_options *options, FILE *log, brute_result *out)
{
    brute_scene scene;
    said_list said = {0};
    bvp_clash_limits limits = options->limits;
    if (isnan(limits.touch_gap))
        limits.touch_gap = bvp_clash_touch_gap(file, NULL);
    if (isnan(limits.overlap))
        limits.overlap = limits.touch_gap;
    *out = (brute_result){.wrong = ask_library(file, &options->limits, &said, log)};
    load(file, &scene);
    for (uint32_t a = 0; a < scene.count; a++) {
        flat_surface surface;
        flat_surface_make(&scene.parts[scene.instances[a].part], scene.instances[a].placement,
                          &surface);
        for (uint32_t b = a + 1; b < scene.count; b++) {
            brute_pair pair = {.options = options, .limits = limits, .said = said_of(&said, a, b)};
            if (options->every == 0 || (a * 2654435761u ^ b * 40503u) % options->every == 0)
                check_pair(&scene, &surface, a, b, &pair, log, out);
        }
        flat_surface_free(&surface);
    }
    unload(&scene);
    free(said.pairs);
}
