/* SPDX-License-Identifier: MIT
 * python_calls.c: what the Python package has in C besides the library's own functions: single
 * queries that return their answer or minus the status, so that a call needs no memory for it; rows
 * that callbacks collect; and Python's signal handlers, which run now and then during a query.
 */
#include <bvpack.h>
#include <bvpack_broad.h>
#include <bvpack_build.h>
#include <bvpack_clash.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* cdef */
/* Rows of one size in memory that grows. Zero-initialise but for size; free(data). */
typedef struct bvpy_rows {
    char *data;
    size_t size; /* bytes a row */
    uint64_t count, capacity;
    uint64_t most;   /* no more rows than these; 0: any number */
    uint64_t number; /* of batches: the ray or ball that is being asked */
    int no_memory;
} bvpy_rows;
typedef struct bvpy_ray_row {
    uint64_t ray;
    bvp_ray_hit hit;
} bvpy_ray_row;

/* 1, 0, or minus the status. placement: that of b instead of its own; or NULL. */
int bvpy_collide(const bvp_body *a, const bvp_body *b, const double *placement,
                 bvp_warm_start *warm);
int bvpy_within(const bvp_body *a, const bvp_body *b, const double *placement, double delta,
                bvp_warm_start *warm);
int bvpy_ray_any(const bvp_body *body, const bvp_ray *ray);
/* The distance, INFINITY when it is above the limit, or minus the status. */
double bvpy_distance(const bvp_body *a, const bvp_body *b, const double *placement, double limit,
                     bvp_distance_result *out, bvp_warm_start *warm);

bvp_status bvpy_pairs(const bvp_body *a, const bvp_body *b, bvpy_rows *rows);
bvp_status bvpy_overlap(const bvp_body *body, const bvp_region *region, bvpy_rows *rows);
bvp_status bvpy_convex_each(const bvp_body *body, const bvp_convex *convex, bvpy_rows *rows);
typedef struct bvpy_candidate_row {
    bvp_hit_id hit;
    double corners[9];
} bvpy_candidate_row;
/* Rows bvpy_candidate_row. */
bvp_status bvpy_candidates_box(const bvp_body *body, const double *lo, const double *hi,
                               bvpy_rows *rows);
/* Rows bvpy_ray_row, of each ray in the order of t. */
bvp_status bvpy_ray_all_batch(const bvp_body *body, bvp_const_array rays, bvpy_rows *rows,
                              size_t *done);
typedef struct bvpy_ball_row {
    uint64_t number;
    bvp_hit_id hit;
} bvpy_ball_row;
/* Rows bvpy_ball_row. balls: 4 doubles each, a centre and a radius. */
bvp_status bvpy_ball_batch(const bvp_body *body, bvp_const_array balls, bvpy_rows *rows,
                           size_t *done);
bvp_status bvpy_clash(const bvp_clash_scene *scene, const bvp_clash_options *options,
                      bvpy_rows *rows, bvp_clash_coverage *coverage, bvp_error *error);
bvp_status bvpy_boxes(const bvp_file *file, uint32_t part, uint32_t level, bvpy_rows *rows);
void bvpy_free(void *data);

/* For bvp_control.callback: runs Python's signal handlers every 50 ms on the thread that asks. */
int bvpy_poll(void *user);
/* cdef */

static int bvpy_run_handlers(void);

int bvpy_poll(void *user)
{
    static _Thread_local unsigned calls;
    static _Thread_local long long last;
    struct timespec now;
    (void)user;
    if (++calls % 256 != 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    const long long ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
    if (ms - last < 50)
        return 0;
    last = ms;
    return bvpy_run_handlers();
}

void bvpy_free(void *data)
{
    free(data);
}

/* ---- single queries -------------------------------------------------------------------- */

/* b, placed elsewhere */
static const bvp_body *placed(bvp_body *copy, const bvp_body *b, const double *placement)
{
    if (b == NULL || placement == NULL)
        return b;
    *copy = *b;
    copy->placement = placement;
    return copy;
}

int bvpy_collide(const bvp_body *a, const bvp_body *b, const double *placement,
                 bvp_warm_start *warm)
{
    bvp_body copy;
    int hit = 0;
    b = placed(&copy, b, placement);
    const bvp_status status =
        warm ? bvp_collide_warm(a, b, warm, &hit, NULL) : bvp_collide(a, b, &hit, NULL);
    return status == BVP_OK ? hit : -(int)status;
}

int bvpy_within(const bvp_body *a, const bvp_body *b, const double *placement, double delta,
                bvp_warm_start *warm)
{
    bvp_body copy;
    int within = 0;
    b = placed(&copy, b, placement);
    const bvp_status status = warm ? bvp_within_warm(a, b, delta, warm, &within, NULL)
                                   : bvp_within(a, b, delta, &within, NULL, NULL);
    return status == BVP_OK ? within : -(int)status;
}

double bvpy_distance(const bvp_body *a, const bvp_body *b, const double *placement, double limit,
                     bvp_distance_result *out, bvp_warm_start *warm)
{
    bvp_body copy;
    b = placed(&copy, b, placement);
    const bvp_status status = warm ? bvp_distance_warm(a, b, limit, warm, out, NULL)
                                   : bvp_distance(a, b, limit, out, NULL);
    if (status != BVP_OK)
        return -(double)status;
    return out->found ? out->distance : (double)INFINITY;
}

int bvpy_ray_any(const bvp_body *body, const bvp_ray *ray)
{
    int hit = 0;
    const bvp_status status = bvp_ray_any(body, ray, &hit, NULL);
    return status == BVP_OK ? hit : -(int)status;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Room for one more row, or NULL. */
static void *add_row(bvpy_rows *rows)
{
    if (rows->count == rows->capacity) {
        const uint64_t capacity = rows->capacity ? 2 * rows->capacity : 256;
        char *data = capacity < SIZE_MAX / 2 / rows->size
                         ? realloc(rows->data, (size_t)capacity * rows->size)
                         : NULL;
        if (data == NULL) {
            rows->no_memory = 1;
            return NULL;
        }
        rows->data = data;
        rows->capacity = capacity;
    }
    return rows->data + rows->count++ * rows->size;
}

static int collect(bvpy_rows *rows, const void *row)
{
    void *room = add_row(rows);
    if (room == NULL)
        return 1;
    memcpy(room, row, rows->size);
    return rows->count == rows->most;
}
static int collect_pair(void *user, const bvp_pair *pair)
{
    return collect(user, pair);
}
static int collect_hit(void *user, const bvp_hit_id *hit)
{
    return collect(user, hit);
}
static int collect_clash(void *user, const bvp_clash_pair *pair)
{
    return collect(user, pair);
}
static int collect_box(void *user, const bvp_box *box)
{
    return collect(user, box);
}
static int collect_ray(void *user, const bvp_ray_hit *hit)
{
    bvpy_rows *rows = user;
    const bvpy_ray_row row = {rows->number, *hit};
    return collect(rows, &row);
}

static int collect_candidate(void *user, const bvp_hit_id *hit, const double corners[9])
{
    bvpy_candidate_row row = {.hit = *hit};
    memcpy(row.corners, corners, sizeof row.corners);
    return collect(user, &row);
}

static int collect_ball(void *user, const bvp_hit_id *hit)
{
    bvpy_rows *rows = user;
    const bvpy_ball_row row = {rows->number, *hit};
    return collect(rows, &row);
}

static bvp_status end(const bvpy_rows *rows, bvp_status status)
{
    return rows->no_memory ? BVP_ERR_NO_MEMORY : status;
}

bvp_status bvpy_pairs(const bvp_body *a, const bvp_body *b, bvpy_rows *rows)
{
    uint64_t count;
    return end(rows, bvp_pairs_each(a, b, collect_pair, rows, &count, NULL));
}

bvp_status bvpy_overlap(const bvp_body *body, const bvp_region *region, bvpy_rows *rows)
{
    uint64_t count;
    return end(rows, bvp_overlap(body, *region, collect_hit, rows, &count, NULL));
}

bvp_status bvpy_convex_each(const bvp_body *body, const bvp_convex *convex, bvpy_rows *rows)
{
    uint64_t count;
    return end(rows, bvp_convex_each(body, convex, collect_hit, rows, &count, NULL));
}

bvp_status bvpy_candidates_box(const bvp_body *body, const double *lo, const double *hi,
                               bvpy_rows *rows)
{
    uint64_t count;
    return end(rows, bvp_candidates_box(body, lo, hi, collect_candidate, rows, &count, NULL));
}

bvp_status bvpy_clash(const bvp_clash_scene *scene, const bvp_clash_options *options,
                      bvpy_rows *rows, bvp_clash_coverage *coverage, bvp_error *error)
{
    return end(rows, bvp_clash(scene, options, collect_clash, rows, coverage, error));
}

bvp_status bvpy_boxes(const bvp_file *file, uint32_t part, uint32_t level, bvpy_rows *rows)
{
    return end(rows, bvp_boxes(file, part, level, collect_box, rows));
}

bvp_status bvpy_ball_batch(const bvp_body *body, bvp_const_array balls, bvpy_rows *rows,
                           size_t *done)
{
    const size_t stride = balls.stride ? balls.stride : 4 * sizeof(double);
    bvp_status status = BVP_OK;
    for (*done = 0; *done < balls.count && status == BVP_OK; *done += status == BVP_OK) {
        const double *ball = (const void *)((const char *)balls.base + *done * stride);
        uint64_t count;
        rows->number = *done;
        status = end(rows, bvp_overlap(body, bvp_ball_region(ball, ball[3]), collect_ball, rows,
                                       &count, NULL));
    }
    return status;
}

static int compare_rows(const void *a, const void *b)
{
    const bvp_ray_hit *x = &((const bvpy_ray_row *)a)->hit, *y = &((const bvpy_ray_row *)b)->hit;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->id.instance != y->id.instance)
        return x->id.instance < y->id.instance ? -1 : 1;
    return x->id.triangle < y->id.triangle ? -1 : x->id.triangle > y->id.triangle;
}

bvp_status bvpy_ray_all_batch(const bvp_body *body, bvp_const_array rays, bvpy_rows *rows,
                              size_t *done)
{
    const size_t stride = rays.stride ? rays.stride : sizeof(bvp_ray);
    bvp_status status = BVP_OK;
    for (*done = 0; *done < rays.count && status == BVP_OK; *done += status == BVP_OK) {
        const bvp_ray *ray = (const void *)((const char *)rays.base + *done * stride);
        const uint64_t first = rows->count;
        uint64_t count;
        rows->number = *done;
        status = end(rows, bvp_ray_all(body, ray, collect_ray, rows, &count, NULL));
        if (rows->count > first + 1)
            qsort(rows->data + first * rows->size, (size_t)(rows->count - first), rows->size,
                  compare_rows);
    }
    return status;
}
