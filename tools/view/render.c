/* SPDX-License-Identifier: MIT
 * render.c: a shaded picture of a body by the library's own rays.
 *
 * Threads take bands of pixel rows from a counter. For a band, one ray for each sample finds the
 * first hit, and further rays from there find how much of the sky nearby surfaces hide. The light
 * at a surface is the mean of the sky over a tile of samples, so each sample needs only a few of
 * these rays: the samples of a tile share one low-discrepancy sequence, and a window as large as a
 * tile has each part of the sequence once. Outlines are drawn where neighbouring samples differ in
 * depth, instance or normal; then the lines; and the samples of each pixel are averaged.
 *
 * A band has a halo of samples around its pixels, because means and outlines look at neighbours.
 * The halo is computed again by the next band. So no band depends on another, and the bytes do not
 * depend on the number of threads.
 */
#include "view/render.h"

#include "cli/start_thread.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAND_ROWS = 16,
    THREADS_MOST = 256,
    TILE = 4,        /* samples along a side that look at different parts of the sky */
    HALO_BEFORE = 2, /* samples around what is shown, for outlines and the sky's mean */
    HALO_BEHIND = 1,
    SKY_SAMPLES = 256 /* whose rays to the sky are cast together */
};

/* What one ray found. */
typedef struct sample {
    float depth; /* INFINITY: background */
    float normal[3];
    uint32_t instance;
    float sky;          /* share of it that is open */
    float dark, bright; /* brightness without and with all of the sky */
    colour light;       /* of the surface; when all is done, what is seen */
} sample;

/* Rays to the sky that were not cast yet, render_job.occlusion each sample. */
typedef struct sky_rays {
    bvp_ray *rays;
    int *hidden;
    sample **of;
    size_t count; /* of samples, at most SKY_SAMPLES */
} sky_rays;

/* Samples of some rows of pixels and the halo around them. */
typedef struct band {
    sample *samples;
    size_t stride, rows;
    long first_row; /* of the picture's samples: where samples[0] is */
    bvp_ray *rays;  /* of one row */
    bvp_ray_hit *hits;
    sky_rays sky;
} band;

typedef struct crew {
    const render_job *job;
    uint8_t *rgb;
    uint32_t band_count;
    atomic_uint next_band, done_bands;
    atomic_int status;
} crew;

/* ---- colours --------------------------------------------------------------------------------- */

static float to_linear(float s)
{
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

/* grain: 0 .. 1, what is added before rounding down. */
static uint8_t to_byte(float linear, float grain)
{
    float l = fminf(fmaxf(linear, 0), 1);
    float s = l <= 0.0031308f ? 12.92f * l : 1.055f * powf(l, 1 / 2.4f) - 0.055f;
    return (uint8_t)fminf(s * 255 + grain, 255);
}

colour colour_of(uint32_t rgb)
{
    return (colour){to_linear((float)(rgb >> 16 & 255) / 255),
                    to_linear((float)(rgb >> 8 & 255) / 255), to_linear((float)(rgb & 255) / 255)};
}

colour colour_by_number(uint64_t number)
{
    double turn = 0.58 + 0.618033988749895 * (double)(number % 1000003);
    float hue = (float)(turn - floor(turn)) * 6;
    float strong = 0.80f + 0.05f * (float)(number % 3), pale = 0.40f + 0.08f * (float)(number % 2);
    float part[3];
    for (int i = 0; i < 3; i++) {
        float k = fmodf(hue + 4 - 2 * (float)i + 6, 6); /* red, green, blue lie 2 apart */
        float ramp = fminf(fmaxf(fabsf(k - 3) - 1, 0), 1);
        part[i] = to_linear(pale + (strong - pale) * (1 - ramp));
    }
    return (colour){part[0], part[1], part[2]};
}

static colour mix(colour a, colour b, float amount)
{
    return (colour){a.r + (b.r - a.r) * amount, a.g + (b.g - a.g) * amount,
                    a.b + (b.b - a.b) * amount};
}

static colour scaled(colour a, float factor)
{
    return (colour){a.r * factor, a.g * factor, a.b * factor};
}

/* ---- light ----------------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static uint32_t scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Rays to the sky above a surface point: the share of it that nothing nearby hides is theirs. The
 * samples of a tile share one low-discrepancy sequence, spread by the cosine: their mean is a good
 * one. */
static void look_up(const render_job *job, const double point[3], const double normal[3],
                    uint32_t place, bvp_ray *rays)
{
    double s[3], t[3];
    /* Two axes that make a frame with the unit vector n. */
    int least = fabs(normal[0]) < fabs(normal[1]) ? 0 : 1;
    least = fabs(normal[2]) < fabs(normal[least]) ? 2 : least;
    double length = sqrt(1 - normal[least] * normal[least]); /* at least sqrt(2 / 3) */
    for (int k = 0; k < 3; k++)
        s[k] = ((k == least) - normal[least] * normal[k]) / length;
    for (int k = 0; k < 3; k++)
        t[k] = normal[(k + 1) % 3] * s[(k + 2) % 3] - normal[(k + 2) % 3] * s[(k + 1) % 3];
    for (uint32_t i = 0; i < job->occlusion; i++) {
        const uint32_t number = i * TILE * TILE + place;
        double u = (number * 3242174889u) * 0x1p-32, v = (number * 2447445414u) * 0x1p-32;
        double radius = sqrt(u), angle = v * 2 * M_PI;
        double x = radius * cos(angle), y = radius * sin(angle), z = sqrt(1 - u);
        rays[i] = (bvp_ray){.t_min = 0, .t_max = job->reach};
        for (int k = 0; k < 3; k++) {
            rays[i].origin[k] = point[k] + normal[k] * job->reach * 1e-4;
            rays[i].direction[k] = x * s[k] + y * t[k] + z * normal[k];
        }
    }
}

/* Casts the rays to the sky that were collected, together, and tells their samples. */
static bvp_status cast_sky(const render_job *job, sky_rays *sky)
{
    const size_t each = job->occlusion, count = sky->count * each;
    bvp_status status = bvp_ray_any_batch(&job->body, (bvp_const_array){sky->rays, 0, count},
                                          (bvp_array){sky->hidden, 0, count}, NULL, NULL);
    for (size_t i = 0; i < sky->count; i++) {
        int hidden = 0;
        for (size_t k = 0; k < each; k++)
            hidden += sky->hidden[i * each + k];
        sky->of[i]->sky = 1 - (float)hidden / (float)each;
    }
    sky->count = 0;
    return status;
}

static colour background(const camera *c, double y)
{
    float down = (float)(y / c->height);
    return mix(colour_of(0xe9eef5), colour_of(0xffffff), fminf(fmaxf(down * 1.2f, 0), 1));
}

/* sky: where to collect rays to the sky. */
static bvp_status shade(const render_job *job, const bvp_ray *ray, const bvp_ray_hit *hit,
                        uint32_t place, sky_rays *sky, sample *out)
{
    double length = sqrt(dot(ray->direction, ray->direction));
    double view[3], normal[3], point[3];
    for (int k = 0; k < 3; k++)
        view[k] = ray->direction[k] / length;
    double sign = dot(view, hit->normal) > 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        normal[k] = sign * hit->normal[k];
        point[k] = ray->origin[k] + hit->t * ray->direction[k];
        out->normal[k] = (float)normal[k];
    }
    bvp_status status = BVP_OK;
    if (job->occlusion && dot(normal, normal) > 0.5) { /* a degenerate triangle has none */
        if (sky->count == SKY_SAMPLES)
            status = cast_sky(job, sky);
        look_up(job, point, normal, place, sky->rays + sky->count * job->occlusion);
        sky->of[sky->count++] = out;
    }
    out->depth = (float)hit->t;
    out->instance = hit->id.instance;
    /* A soft light beside the camera, one from the upper left, and the sky. */
    double facing = fabs(dot(normal, view)), above = 0.5 + 0.5 * dot(normal, job->view.up);
    double side[3];
    for (int k = 0; k < 3; k++)
        side[k] = 0.74 * job->view.up[k] - 0.58 * job->view.right[k] - 0.33 * job->view.forward[k];
    double key = fmax(dot(normal, side), 0);
    double ambient = 0.34 + 0.24 * above, direct = 0.30 * facing + 0.52 * key;
    double shine = 0.05 * pow(facing, 24);
    out->dark = (float)(0.22 * ambient + 0.42 * direct);
    out->bright = (float)(ambient + direct + shine);
    out->light = job->paint(job->paint_user, &hit->id);
    return status;
}

/* Neighbours in a tile are far apart in the sequence. */
static uint32_t place_in_tile(long column, long row)
{
    static const uint8_t places[TILE * TILE] = {0, 8,  2, 10, 12, 4, 14, 6,
                                                3, 11, 1, 9,  15, 7, 13, 5};
    static_assert((TILE & (TILE - 1)) == 0, "negative rows and columns of the halo wrap around");
    return places[(row & (TILE - 1)) * TILE + (column & (TILE - 1))];
}

/* A row of samples: their rays lie side by side, and are cast together. */
static bvp_status take_row(const render_job *job, band *b, long row, sample *out)
{
    const double y = ((double)row + 0.5) / job->samples;
    const colour behind = background(&job->view, y);
    bvp_status status;
    for (size_t i = 0; i < b->stride; i++) {
        const double x = ((double)((long)i - HALO_BEFORE) + 0.5) / job->samples;
        b->rays[i] = (bvp_ray){.t_max = INFINITY};
        camera_ray(&job->view, x, y, b->rays[i].origin, b->rays[i].direction);
        out[i] = (sample){.depth = INFINITY, .instance = BVP_NONE, .sky = 1};
        out[i].light = behind;
    }
    status = bvp_ray_first_batch(&job->body, (bvp_const_array){b->rays, 0, b->stride},
                                 (bvp_array){b->hits, 0, b->stride}, NULL, NULL);
    for (size_t i = 0; i < b->stride && status == BVP_OK; i++)
        if (b->hits[i].found)
            status = shade(job, &b->rays[i], &b->hits[i], place_in_tile((long)i - HALO_BEFORE, row),
                           &b->sky, &out[i]);
    return status == BVP_OK && b->sky.count != 0 ? cast_sky(job, &b->sky) : status;
}

/* ---- the sky's mean -------------------------------------------------------------------------- */

static int on_same_surface(const sample *a, const sample *b)
{
    const float along =
        a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2];
    return a->instance == b->instance && along > 0.9f &&
           fabsf(a->depth - b->depth) < 0.02f * a->depth;
}

static void light_surfaces(band *b)
{
    for (size_t y = HALO_BEFORE; y + HALO_BEHIND < b->rows; y++)
        for (size_t x = HALO_BEFORE; x + HALO_BEHIND < b->stride; x++) {
            sample *here = b->samples + y * b->stride + x;
            if (isinf(here->depth))
                continue;
            /* A window as large as a tile has each place of it once. */
            static_assert(TILE == HALO_BEFORE + 1 + HALO_BEHIND, "the window is within the halo");
            float sum = 0, count = 0;
            for (long n = 0; n < TILE * TILE; n++) {
                const long down = n / TILE - HALO_BEFORE, along = n % TILE - HALO_BEFORE;
                const sample *s = here + down * (long)b->stride + along;
                if (on_same_surface(here, s)) {
                    sum += s->sky;
                    count++;
                }
            }
            const float sky = count > 0 ? sum / count : here->sky;
            here->light = scaled(here->light, here->dark + (here->bright - here->dark) * sky);
        }
}

/* ---- outlines -------------------------------------------------------------------------------- */

/* How strongly the edge between two neighbouring samples is seen: silhouettes and creases. */
static float outline(const sample *a, const sample *b, float pixel)
{
    if (isinf(a->depth) && isinf(b->depth))
        return 0;
    if (isinf(a->depth) || isinf(b->depth))
        return 0.75f;
    float nearer = fminf(a->depth, b->depth), step = fabsf(a->depth - b->depth);
    float along =
        a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2];
    if (step > 12 * pixel * nearer + 0.004f * nearer)
        return 0.6f;
    if (a->instance != b->instance)
        return 0.45f;
    return along < 0.8f ? 0.4f : 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A line in sample coordinates; 1 / depth (or depth, when parallel) is linear along it. */
typedef struct stroke {
    double x[2], y[2], depth[2];
} stroke;

/* False when nothing of the line is in front of the camera. */
static int project_line(const render_job *job, const render_line *line, stroke *out)
{
    const camera *c = &job->view;
    double a[3], b[3], front[2];
    for (int k = 0; k < 3; k++) {
        a[k] = line->a[k] - c->eye[k];
        b[k] = line->b[k] - c->eye[k];
    }
    front[0] = dot(a, c->forward);
    front[1] = dot(b, c->forward);
    double least = c->parallel ? -INFINITY : 1e-3 * fmax(fabs(front[0]), fabs(front[1]));
    if (front[0] < least && front[1] < least)
        return 0;
    for (int end = 0; end < 2; end++) {
        double cut = front[end] < least ? (least - front[end]) / (front[!end] - front[end]) : 0;
        const double *from = end ? line->b : line->a, *to = end ? line->a : line->b;
        double point[3];
        for (int k = 0; k < 3; k++)
            point[k] = from[k] + cut * (to[k] - from[k]);
        camera_project(c, point, &out->x[end], &out->y[end], &out->depth[end]);
        out->x[end] *= job->samples;
        out->y[end] *= job->samples;
    }
    return 1;
}

static void draw_dot(band *b, long column, long row, double depth, colour paint, float cover)
{
    long x = column + HALO_BEFORE, y = row - b->first_row;
    if (x < 0 || x >= (long)b->stride || y < 0 || y >= (long)b->rows || cover <= 0)
        return;
    sample *s = b->samples + (size_t)y * b->stride + (size_t)x;
    float visible = depth < (double)s->depth * (1 + 1e-3) ? 0.9f : 0.10f;
    s->light = mix(s->light, paint, visible * fminf(cover, 1));
}

/* Walks the longer of the two directions, one sample at a time, as thick as asked. */
static void draw_line(const render_job *job, band *b, const render_line *line)
{
    stroke s;
    if (!project_line(job, line, &s))
        return;
    double dx = s.x[1] - s.x[0], dy = s.y[1] - s.y[0];
    int steep = fabs(dy) > fabs(dx);
    double *along = steep ? s.y : s.x, *across = steep ? s.x : s.y;
    double length = along[1] - along[0], slope = length != 0 ? (across[1] - across[0]) / length : 0;
    double half = 0.5 * job->line_width * job->samples * sqrt(1 + slope * slope);
    double least = steep ? (double)b->first_row : -HALO_BEFORE;
    double most = steep ? (double)b->first_row + (double)b->rows : (double)b->stride;
    long from = (long)floor(fmin(fmax(fmin(along[0], along[1]), least), most));
    long to = (long)ceil(fmax(fmin(fmax(along[0], along[1]), most), least));
    for (long i = from; i < to; i++) {
        double at = length != 0 ? ((double)i + 0.5 - along[0]) / length : 0;
        at = fmin(fmax(at, 0), 1);
        double middle = across[0] + at * (across[1] - across[0]);
        double depth = job->view.parallel
                           ? s.depth[0] + at * (s.depth[1] - s.depth[0])
                           : 1 / (1 / s.depth[0] + at * (1 / s.depth[1] - 1 / s.depth[0]));
        if (fabs(middle) > 1e7)
            continue;
        for (long j = (long)floor(middle - half); j <= (long)floor(middle + half); j++) {
            float cover =
                (float)(fmin((double)j + 1, middle + half) - fmax((double)j, middle - half));
            draw_dot(b, steep ? j : i, steep ? i : j, depth, line->paint, cover);
        }
    }
}

/* ---- bands ----------------------------------------------------------------------------------- */

static void resolve(const render_job *job, const band *b, uint32_t first, uint32_t rows,
                    uint8_t *rgb)
{
    uint32_t width = (uint32_t)job->view.width, n = job->samples;
    float weight = 1.0f / (float)(n * n);
    assert((size_t)rows * n + HALO_BEFORE <= b->rows);
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < width; x++) {
            colour sum = {0, 0, 0};
            for (uint32_t i = 0; i < n * n; i++) {
                size_t row = HALO_BEFORE + (size_t)y * n + i / n;
                size_t column = HALO_BEFORE + (size_t)x * n + i % n;
                colour light = b->samples[row * b->stride + column].light;
                sum = (colour){sum.r + light.r, sum.g + light.g, sum.b + light.b};
            }
            uint8_t *pixel = rgb + ((size_t)(first + y) * width + x) * 3;
            /* Dithers, so that slow gradients show no steps. */
            const float grain = (float)(scramble(x + scramble(first + y)) >> 8) * 0x1p-24f;
            pixel[0] = to_byte(sum.r * weight, grain);
            pixel[1] = to_byte(sum.g * weight, grain);
            pixel[2] = to_byte(sum.b * weight, grain);
        }
}

static bvp_status render_band(const render_job *job, band *b, uint32_t number, uint8_t *rgb)
{
    uint32_t first = number * BAND_ROWS, height = (uint32_t)job->view.height;
    uint32_t rows = height - first < BAND_ROWS ? height - first : BAND_ROWS;
    b->first_row = (long)(first * job->samples) - HALO_BEFORE;
    b->rows = (size_t)rows * job->samples + HALO_BEFORE + HALO_BEHIND;
    assert(first < height && rows > 0);
    for (size_t y = 0; y < b->rows; y++) {
        bvp_status status = take_row(job, b, b->first_row + (long)y, b->samples + y * b->stride);
        if (status != BVP_OK)
            return status;
    }
    light_surfaces(b);
    /* Darkens the samples at the upper left border of what an outline separates. */
    colour ink = colour_of(0x10161f);
    float pixel = (float)(2 * job->view.half_width / (job->view.width * job->samples));
    for (size_t y = HALO_BEFORE; y < b->rows; y++)
        for (size_t x = HALO_BEFORE; x < b->stride; x++) {
            sample *here = b->samples + y * b->stride + x;
            float strength =
                fmaxf(outline(here, here - 1, pixel), outline(here, here - b->stride, pixel));
            here->light = mix(here->light, ink, strength);
        }
    for (size_t i = 0; i < job->line_count; i++)
        draw_line(job, b, job->lines + i);
    resolve(job, b, first, rows, rgb);
    return BVP_OK;
}

static void *work(void *argument)
{
    crew *c = argument;
    const render_job *job = c->job;
    enum { HALO = HALO_BEFORE + HALO_BEHIND };
    band b = {.stride = (size_t)job->view.width * job->samples + HALO};
    b.samples = malloc(((size_t)BAND_ROWS * job->samples + HALO) * b.stride * sizeof *b.samples);
    b.rays = malloc(b.stride * sizeof *b.rays);
    b.hits = malloc(b.stride * sizeof *b.hits);
    const size_t sky = (size_t)SKY_SAMPLES * (job->occlusion + 1);
    b.sky.rays = malloc(sky * sizeof *b.sky.rays);
    b.sky.hidden = calloc(sky, sizeof *b.sky.hidden);
    b.sky.of = malloc(SKY_SAMPLES * sizeof(sample *));
    bvp_status status = b.samples && b.rays && b.hits && b.sky.rays && b.sky.hidden && b.sky.of
                            ? BVP_OK
                            : BVP_ERR_NO_MEMORY;
    while (status == BVP_OK && atomic_load(&c->status) == BVP_OK) {
        uint32_t number = atomic_fetch_add(&c->next_band, 1);
        if (number >= c->band_count)
            break;
        status = render_band(job, &b, number, c->rgb);
        if (job->progress)
            job->progress(job->progress_user, "render", atomic_fetch_add(&c->done_bands, 1) + 1,
                          c->band_count);
    }
    free(b.samples);
    free(b.rays);
    free(b.hits);
    free(b.sky.rays);
    free(b.sky.hidden);
    free(b.sky.of);
    if (status != BVP_OK)
        atomic_store(&c->status, (int)status);
    return NULL;
}

bvp_status render(const render_job *job, uint8_t *rgb)
{
    crew c = {.job = job, .rgb = rgb};
    pthread_t threads[THREADS_MOST];
    uint32_t started = 0,
             wanted = job->thread_count < THREADS_MOST ? job->thread_count : THREADS_MOST;
    c.band_count = ((uint32_t)job->view.height + BAND_ROWS - 1) / BAND_ROWS;
    while (started + 1 < wanted && start_thread(&threads[started], work, &c))
        started++;
    assert(started < THREADS_MOST);
    work(&c); /* this thread takes bands as well, so no thread need start */
    while (started > 0)
        pthread_join(threads[--started], NULL);
    return (bvp_status)atomic_load(&c.status);
}
