/* SPDX-License-Identifier: MIT
 * scenes.c: placements, packed files, the clock.
 */
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double scene_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* splitmix64 */
double scene_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double scene_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

scene_timing timing_of(double *values, int count)
{
    const double median = scene_median(values, count);
    return (scene_timing){median, values[0], values[count - 1]};
}

const char *timing_text(const scene_timing *t, int digits, char out[64])
{
    snprintf(out, 64, "%.*f (%.*f..%.*f)", digits, t->median, digits, t->least, digits, t->most);
    return out;
}

double scene_slope(const double *x, const double *y, int count)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        if (!(x[k] > 0) || !(y[k] > 0))
            continue;
        const double u = log(x[k]), v = log(y[k]);
        n++, sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return n < 2 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void *scene_allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (memory == NULL) {
        fprintf(stderr, "papers: no memory for %zu bytes\n", size);
        exit(1);
    }
    return memory;
}

/* ---- placements ------------------------------------------------------------------------------ */

void pose_shift(double x, double y, double z, double out[12])
{
    const double pose[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    memcpy(out, pose, sizeof pose);
}

void pose_tumble(double distance, int step, int steps, double out[12])
{
    const double turn = 6.283185307179586 * step / steps;
    const double cz = cos(turn), sz = sin(turn), cx = cos(7 * turn), sx = sin(7 * turn);
    const double pose[12] = {cz,       -sz * cx, sz * sx, distance, sz, cz * cx,
                             -cz * sx, 0,        0,       sx,       cx, 0};
    memcpy(out, pose, sizeof pose);
}

/* Shoemake, Uniform random rotations, 1992. */
void pose_random(uint64_t *state, double reach, double out[12])
{
    const double r = scene_random(state), a = 6.283185307179586 * scene_random(state);
    const double b = 6.283185307179586 * scene_random(state);
    const double w = sqrt(1 - r) * sin(a), x = sqrt(1 - r) * cos(a);
    const double y = sqrt(r) * sin(b), z = sqrt(r) * cos(b);
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int row = 0; row < 3; row++) {
        memcpy(out + 4 * row, rotation + 3 * row, 3 * sizeof *out);
        out[4 * row + 3] = reach * (2 * scene_random(state) - 1);
    }
}

/* ---- packed parts ---------------------------------------------------------------------------- */

static bool refuse(packed *out, const bvp_error *error)
{
    snprintf(out->problem, sizeof out->problem, "%s", error->message);
    if (out->problem[0] == '\0')
        snprintf(out->problem, sizeof out->problem, "%s", bvp_status_name(error->status));
    if (out->fd >= 0)
        close(out->fd);
    out->fd = -1;
    return false;
}

static int unnamed_file(void)
{
    char path[] = "papers-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0) {
        perror(path);
        exit(1);
    }
    unlink(path);
    return fd;
}

static bool build(packed *out, const mesh *m, const bvp_build_options *options, bvp_error *error)
{
    const bvp_mesh mesh = {
        .positions = m->tri, .vertex_count = 3 * m->count, .triangle_count = m->count};
    bvp_builder *builder;
    uint32_t part;
    if (bvp_builder_new(options, &builder, error) != BVP_OK)
        return false;
    const double start = scene_now();
    bool ok = bvp_builder_add_part(builder, &mesh, &part, error) == BVP_OK;
    out->seconds = scene_now() - start;
    ok = ok && bvp_builder_finish_fd(builder, out->fd, NULL, error) == BVP_OK;
    bvp_builder_free(builder);
    return ok;
}

bool packed_make_several(packed *out, const mesh *m, const bvp_hierarchy_spec *specs,
                         uint32_t count)
{
    bvp_error error = {.status = BVP_OK};
    *out = (packed){.fd = unnamed_file()};
    const bvp_build_options options = {
        .thread_count = 1, .no_ids = 1, .hierarchies = specs, .hierarchy_count = count};
    return build(out, m, &options, &error) || refuse(out, &error);
}

bool packed_make(packed *out, const mesh *m, const bvp_hierarchy_spec *spec, bool deformable)
{
    bvp_error error = {.status = BVP_OK};
    *out = (packed){.fd = unnamed_file()};
    bvp_build_options options = {.thread_count = 1,
                                 .no_ids = 1,
                                 .leaf_size = spec->leaf_size,
                                 .hierarchies = spec,
                                 .hierarchy_count = 1,
                                 .deformable = deformable};
    if (!build(out, m, &options, &error))
        return refuse(out, &error);
    bvp_file *file = packed_open(out, spec->kind, BVP_TEST_DEFAULT);
    if (file == NULL)
        return false;
    bvp_status status = bvp_get_part(file, 0, &out->part);
    if (status == BVP_OK)
        status = bvp_get_hierarchy(file, 0, 0, &out->info);
    bvp_close(file);
    if (status != BVP_OK)
        return refuse(out, &(bvp_error){.status = status});
    if (out->info.kind != spec->kind)
        return refuse(out, &(bvp_error){.status = BVP_ERR_ARGUMENT,
                                        .message = "another kind of hierarchy was built"});
    return true;
}

void packed_drop(packed *packed)
{
    if (packed->fd >= 0)
        close(packed->fd);
    packed->fd = -1;
}

bvp_file *packed_open(packed *packed, bvp_kind kind, bvp_box_test test)
{
    const bvp_open_options options = {.kind = kind, .box_test = test};
    bvp_error error = {.status = BVP_OK};
    bvp_file *file = NULL;
    if (packed->fd >= 0 && bvp_open_fd(packed->fd, &options, &file, &error) != BVP_OK)
        refuse(packed, &error);
    return file;
}

double packed_bytes(const packed *packed)
{
    return (double)(packed->info.size - packed->info.order_size) /
           (double)packed->part.triangle_count;
}

const char *kind_name(bvp_kind kind)
{
    static const char *const names[] = {"default", "wide", "boxtree", "aabb", "obb", "rss"};
    return names[kind];
}

const char *split_name(bvp_split split)
{
    static const char *const names[] = {"default",   "sah",        "volume", "longest",
                                        "lookahead", "midpoint",   "median", "mean",
                                        "morton",    "restricted", "full"};
    return names[split];
}
