/* SPDX-License-Identifier: MIT
 * camera.c: the camera of a picture, and the ray of each pixel.
 *
 * The axes right, up and forward are orthogonal unit vectors. A point at the depth z along
 * `forward` is in the picture when it is at most half_width * z to the side of the eye (half_width
 * when parallel), and likewise for the height. To fit points into the picture, camera_fit looks for
 * the deepest eye from which the wedges of both directions hold all points, and then moves the eye
 * sideways until the points are in the middle. Held by test_camera.
 */
#include "view/camera.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static int normalise(double v[3])
{
    double length = sqrt(dot(v, v));
    if (!(length > 0 && isfinite(length)))
        return 0;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return 1;
}

/* The axes of a viewer who stands in front of the model: right, up, towards the viewer. */
static const double front_views[3][3][3] = {
    {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, /* x up */
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},  /* y up */
    {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, /* z up */
};

static const double (*front_view(bvp_up up))[3]
{
    assert(up == BVP_UP_UNKNOWN || (unsigned)(up - BVP_UP_X) < 3);
    return front_views[up != BVP_UP_UNKNOWN ? up - BVP_UP_X : 2];
}

static int orient(camera *c, const double forward[3], const double up[3], const double other_up[3])
{
    double f[3] = {forward[0], forward[1], forward[2]};
    if (!normalise(f))
        return 0;
    memcpy(c->forward, f, sizeof f);
    cross(f, up, c->right);
    if (dot(c->right, c->right) < 1e-12)
        cross(f, other_up, c->right);
    normalise(c->right);
    cross(c->right, f, c->up);
    return 1;
}

int camera_preset(camera *c, const char *word, bvp_up up)
{
    /* Towards the viewer, in the axes of front_view; seen straight from above, "up" points away
     * from the viewer. */
    static const struct {
        const char *word;
        double from[3];
    } presets[] = {
        {"iso", {0.78, 0.62, 1}}, {"front", {0, 0, 1}}, {"back", {0, 0, -1}},
        {"left", {-1, 0, 0}},     {"right", {1, 0, 0}}, {"top", {0, 1, 0}},
        {"bottom", {0, -1, 0}},
    };
    const double(*axes)[3] = front_view(up);
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        const double *from = presets[i].from;
        double forward[3], away[3];
        if (strcmp(word, presets[i].word) != 0)
            continue;
        for (int k = 0; k < 3; k++) {
            forward[k] = -(from[0] * axes[0][k] + from[1] * axes[1][k] + from[2] * axes[2][k]);
            away[k] = from[1] < 0 ? axes[2][k] : -axes[2][k];
        }
        return orient(c, forward, axes[1], away);
    }
    return 0;
}

int camera_look(camera *c, const double eye[3], const double target[3], bvp_up up)
{
    const double(*axes)[3] = front_view(up);
    double forward[3], away[3];
    for (int k = 0; k < 3; k++) {
        c->eye[k] = eye[k];
        forward[k] = target[k] - eye[k];
        away[k] = -axes[2][k];
    }
    return orient(c, forward, axes[1], away);
}

void camera_lens(camera *c, double width, double height, double degrees)
{
    double smaller = width < height ? width : height;
    double tangent = degrees > 0 ? tan(degrees * (M_PI / 360)) : 1;
    c->parallel = !(degrees > 0);
    c->width = width;
    c->height = height;
    c->half_width = tangent * width / smaller;
    c->half_height = tangent * height / smaller;
}

void camera_span(camera *c, double span)
{
    assert(c->parallel); /* a wedge has no span */
    c->half_width *= span / 2;
    c->half_height *= span / 2;
}

/* Bounds, over the points, of side - tangent * depth (highest) and side + tangent * depth (lowest):
 * the wedge with this opening that holds all points touches these two. */
typedef struct wedge {
    double highest, lowest;
} wedge;

static wedge wedge_of(const double *points, size_t count, const double side[3],
                      const double forward[3], double tangent)
{
    wedge w = {-INFINITY, INFINITY};
    for (size_t i = 0; i < count; i++) {
        double s = dot(points + 3 * i, side), z = dot(points + 3 * i, forward);
        w.highest = fmax(w.highest, s - tangent * z);
        w.lowest = fmin(w.lowest, s + tangent * z);
    }
    return w;
}

/* How far an eye must stay from the nearest point, which a wide angle would bring too near: a
 * twentieth of the points' spread. */
static double closest_depth(const double *points, size_t count, const camera *c)
{
    const double *axes[3] = {c->right, c->up, c->forward};
    double spread = 0, near = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            lo = fmin(lo, dot(points + 3 * i, axes[k]));
            hi = fmax(hi, dot(points + 3 * i, axes[k]));
        }
        spread = fmax(spread, hi - lo);
        near = lo;
    }
    return near - (spread > 0 ? spread / 20 : 1);
}

/* Depth of the eye at which a wedge with this tangent just holds everything. */
static double wedge_depth(wedge w, double tangent)
{
    return (w.lowest - w.highest) / (2 * tangent);
}

/* The eye's place along `side` from which, at this depth, the points reach equally far to both
 * sides: between the places where the wedge touches on one of them. All points are in front of the
 * eye, so each point's slope falls as the eye moves along `side`, and so do the largest, the
 * smallest and their sum: bisection finds where the sum is 0. */
static double centred(const double *points, size_t count, const double side[3],
                      const double forward[3], double depth, wedge w, double tangent)
{
    double from = w.highest + tangent * depth, to = w.lowest - tangent * depth;
    for (int round = 0; round < 40; round++) {
        const double middle = (from + to) / 2;
        double highest = -INFINITY, lowest = INFINITY;
        for (size_t i = 0; i < count; i++) {
            double z = dot(points + 3 * i, forward) - depth;
            double slope = (dot(points + 3 * i, side) - middle) / z;
            highest = fmax(highest, slope);
            lowest = fmin(lowest, slope);
        }
        if (highest + lowest > 0)
            from = middle;
        else
            to = middle;
    }
    return (from + to) / 2;
}

void camera_fit(camera *c, const double *points, size_t count, double margin)
{
    double keep = 1 - 2 * margin;
    double tan_x = c->parallel ? 0 : c->half_width * keep;
    double tan_y = c->parallel ? 0 : c->half_height * keep;
    wedge x = wedge_of(points, count, c->right, c->forward, tan_x);
    wedge y = wedge_of(points, count, c->up, c->forward, tan_y);
    double across = (x.highest + x.lowest) / 2, along = (y.highest + y.lowest) / 2;
    double closest = closest_depth(points, count, c), depth;
    if (count == 0)
        return;
    if (c->parallel) {
        double scale = fmax((x.highest - x.lowest) / 2 / c->half_width,
                            (y.highest - y.lowest) / 2 / c->half_height) /
                       keep;
        scale = scale > 0 ? scale : 1;
        c->half_width *= scale;
        c->half_height *= scale;
        depth = closest - fmax(c->half_width, c->half_height);
    } else {
        depth = fmin(closest, fmin(wedge_depth(x, tan_x), wedge_depth(y, tan_y)));
        across = centred(points, count, c->right, c->forward, depth, x, tan_x);
        along = centred(points, count, c->up, c->forward, depth, y, tan_y);
    }
    for (int k = 0; k < 3; k++)
        c->eye[k] = across * c->right[k] + along * c->up[k] + depth * c->forward[k];
}

void camera_ray(const camera *c, double x, double y, double origin[3], double direction[3])
{
    double sx = (2 * x / c->width - 1) * c->half_width;
    double sy = (1 - 2 * y / c->height) * c->half_height;
    for (int k = 0; k < 3; k++) {
        double aside = sx * c->right[k] + sy * c->up[k];
        origin[k] = c->parallel ? c->eye[k] + aside : c->eye[k];
        direction[k] = c->parallel ? c->forward[k] : c->forward[k] + aside;
    }
}

void camera_project(const camera *c, const double point[3], double *x, double *y, double *depth)
{
    double d[3] = {point[0] - c->eye[0], point[1] - c->eye[1], point[2] - c->eye[2]};
    double z = dot(d, c->forward);
    double scale = c->parallel ? 1 : z;
    *depth = z;
    *x = (dot(d, c->right) / (c->half_width * scale) + 1) * c->width / 2;
    *y = (1 - dot(d, c->up) / (c->half_height * scale)) * c->height / 2;
}
