/* SPDX-License-Identifier: MIT
 * report_snapshot.c: a picture of a clash, as a PNG in memory.
 */
#include "report/report_snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "view/image.h"
#include "view/render.h"

enum { BOX_LINES = 12, CROSS_LINES = 3, SAMPLES = 2 };

/* Of the renderer's two bodies, whose first is the larger one. */
typedef struct colours {
    colour of[2];
} colours;

static colour paint(const void *user, const bvp_hit_id *id)
{
    return ((const colours *)user)->of[id->instance];
}

/* The contact's box, a little larger than it is, so that its lines are not in the surfaces. */
static size_t box_lines(const report_view *v, render_line *lines)
{
    const double grow = 0.01 * v->radius;
    size_t count = 0;
    for (int corner = 0; corner < 8; corner++)
        for (int axis = 0; axis < 3; axis++) {
            if (corner >> axis & 1)
                continue;
            render_line *line = &lines[count++];
            line->paint = colour_of(0x14181f);
            for (int k = 0; k < 3; k++) {
                const int high = corner >> k & 1;
                line->a[k] = high ? v->hi[k] + grow : v->lo[k] - grow;
                line->b[k] = k == axis ? v->hi[k] + grow : line->a[k];
            }
        }
    return count;
}

static size_t cross_lines(const report_view *v, const double at[3], render_line *lines)
{
    for (int axis = 0; axis < 3; axis++) {
        lines[axis].paint = colour_of(0x14181f);
        for (int k = 0; k < 3; k++) {
            lines[axis].a[k] = at[k] - (k == axis) * 0.05 * v->radius;
            lines[axis].b[k] = at[k] + (k == axis) * 0.05 * v->radius;
        }
    }
    return CROSS_LINES;
}

static uint32_t threads_of(uint32_t thread_count)
{
    const long online = thread_count ? (long)thread_count : sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

bvp_status report_snapshot(const report_view *view, uint32_t thread_count, uint8_t **png,
                           size_t *size)
{
    const uint32_t width = (uint32_t)view->eye.width, height = (uint32_t)view->eye.height;
    render_line lines[BOX_LINES + 2 * CROSS_LINES];
    const uint32_t ours[2] = {REPORT_COLOUR_A, REPORT_COLOUR_B};
    const colours both = {{colour_of(ours[!view->smaller]), colour_of(ours[view->smaller])}};
    uint8_t *rgb = malloc((size_t)width * height * 3);
    render_job job = {.body = view->bodies[!view->smaller],
                      .other = &view->bodies[view->smaller],
                      .through = 0.4f,
                      .view = view->eye,
                      .samples = SAMPLES,
                      .thread_count = threads_of(thread_count),
                      .paint = paint,
                      .paint_user = &both,
                      .lines = lines,
                      .line_width = 1.6,
                      .line_through = 0.45f,
                      .even = 1};
    if (!rgb)
        return BVP_ERR_NO_MEMORY;
    job.line_count = box_lines(view, lines);
    for (int i = 0; i < 2; i++)
        job.line_count += cross_lines(view, view->points[i], lines + job.line_count);
    bvp_status status = render(&job, rgb);
    if (status == BVP_OK && !image_png(width, height, rgb, png, size))
        status = BVP_ERR_NO_MEMORY;
    free(rgb);
    return status;
}
