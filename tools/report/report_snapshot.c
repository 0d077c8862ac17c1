/* SPDX-License-Identifier: MIT
 * report_snapshot.c: a picture of a clash, as a PNG in memory.
 */
#include "report/report_snapshot.h"

#include <assert.h>
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
    assert(id->instance < 2);
    return ((const colours *)user)->of[id->instance];
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

bvp_status report_snapshot(const report_view *view, uint32_t thread_count, uint8_t **png,
                           size_t *size)
{
    const uint32_t width = (uint32_t)view->eye.width, height = (uint32_t)view->eye.height;
    render_line lines[BOX_LINES + 2 * CROSS_LINES];
    const uint32_t ours[2] = {REPORT_COLOUR_A, REPORT_COLOUR_B};
    const colours both = {{colour_of(ours[!view->smaller]), colour_of(ours[view->smaller])}};
    const long threads = thread_count ? (long)thread_count : sysconf(_SC_NPROCESSORS_ONLN);
    uint8_t *rgb = malloc((size_t)width * height * 3);
    render_job job = {.body = view->bodies[!view->smaller],
                      .other = &view->bodies[view->smaller],
                      .through = 0.4f,
                      .view = view->eye,
                      .samples = SAMPLES,
                      .thread_count = threads > 0 ? (uint32_t)threads : 1,
                      .paint = paint,
                      .paint_user = &both,
                      .lines = lines,
                      .line_width = 1.6,
                      .line_through = 0.45f,
                      .even = 1};
    if (!rgb)
        return BVP_ERR_NO_MEMORY;
    /* The contact's box, a little larger than it is, so that its lines are not in the surfaces. */
    const double grow = 0.01 * view->radius;
    size_t count = 0;
    for (int corner = 0; corner < 8; corner++)
        for (int axis = 0; axis < 3; axis++) {
            if (corner >> axis & 1)
                continue;
            render_line *line = &lines[count++];
            line->paint = colour_of(0x14181f);
            for (int k = 0; k < 3; k++) {
                const int high = corner >> k & 1;
                line->a[k] = high ? view->hi[k] + grow : view->lo[k] - grow;
                line->b[k] = k == axis ? view->hi[k] + grow : line->a[k];
            }
        }
    assert(count == BOX_LINES);
    job.line_count = count;
    for (int i = 0; i < 2; i++)
        job.line_count += cross_lines(view, view->points[i], lines + job.line_count);
    assert(job.line_count == BOX_LINES + 2 * CROSS_LINES);
    bvp_status status = render(&job, rgb);
    if (status == BVP_OK && !image_png(width, height, rgb, png, size))
        status = BVP_ERR_NO_MEMORY;
    free(rgb);
    return status;
}
