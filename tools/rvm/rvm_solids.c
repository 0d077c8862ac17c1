/* SPDX-License-Identifier: MIT
 * rvm_solids.c: the solids of RVM as closed triangle meshes within a chord of their surfaces.
 *
 * Round solids are made in two steps, each with its share of the chord: a curved profile becomes a
 * polyline, and the circles on which its points turn become polygons. A point of the surface moves
 * by at most the sagitta of its arc in each step. An arc of `step` radians and radius r has the
 * sagitta r (1 - cos(step / 2)) <= r step^2 / 8. Vertices are on the surface.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "rvm/rvm.h"
#include "rvm/rvm_turn.h"

enum { SIDES_MOST = 4096 };

/* A solid under construction. */
typedef struct making {
    rvm *r;
    uint64_t offset; /* of the primitive */
    bvp_status status;
} making;

/* How many sides an arc gets so that its sagitta is at most `chord`; 0, with the status: too many.
 * A full circle's number is a multiple of 4: its vertices on the axes are exact. */
static uint32_t sides_of(making *m, double radius, double angle, double chord)
{
    double step = m->r->turn;
    if (radius > 0 && 8 * chord / radius < step * step)
        step = sqrt(8 * chord / radius);
    const double sides = ceil(angle / step);
    if (!(sides <= SIDES_MOST)) {
        m->status = import_refuse_byte(m->r->im, BVP_ERR_LIMIT, m->offset,
                                       "a primitive of radius %g mm takes more than %d sides to "
                                       "stay within %g mm; raise --chord",
                                       radius, SIDES_MOST, chord);
        return 0;
    }
    if (angle < 2 * RVM_PI)
        return sides < 1 ? 1 : (uint32_t)sides;
    return sides < 8 ? 8 : ((uint32_t)sides + 3) / 4 * 4;
}

/* ---- polyhedra ------------------------------------------------------------------------------- */

static void quad(rvm_shell *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    rvm_shell_triangle(s, a, b, c);
    rvm_shell_triangle(s, a, c, d);
}

/* bottom, top: half the lengths along x and y; offset: half of the top's from the bottom's. */
static void make_frustum(rvm_shell *s, const double bottom[2], const double top[2],
                         const double offset[2], double half)
{
    const uint32_t first = (uint32_t)s->vertex_count;
    for (int i = 0; i < 8; i++) {
        const int is_top = i >= 4, x = i & 1, y = i >> 1 & 1;
        const double *size = is_top ? top : bottom;
        const double side = is_top ? 1 : -1;
        rvm_shell_vertex(s, (x ? size[0] : -size[0]) + side * offset[0],
                         (y ? size[1] : -size[1]) + side * offset[1], side * half);
    }
    static const uint8_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}};
    for (int i = 0; i < 6; i++)
        quad(s, first + faces[i][0], first + faces[i][1], first + faces[i][2], first + faces[i][3]);
}

/* ---- solids of revolution -------------------------------------------------------------------- */

/* A profile in the half plane of an axis: distances from it, and heights. */
typedef struct profile {
    double (*points)[2];
    uint32_t count;
    int is_loop; /* else it begins and ends on the axis */
} profile;

/* The flat end of a part of a turn: a convex polygon of the vertices first .. first + count - 1. */
static void make_end(rvm_shell *s, uint32_t first, uint32_t count, int is_back)
{
    for (uint32_t low = 0, high = count - 1; high - low >= 2;) {
        const uint32_t a = first + low, b = first + high;
        const uint32_t c = first + (low + 1 <= count - high ? ++low : --high);
        if (is_back)
            rvm_shell_triangle(s, a, b, c);
        else
            rvm_shell_triangle(s, a, c, b);
    }
}

/* Turns the profile about z by `angle`, in `sides` steps. */
static void revolve(rvm_shell *s, const profile *p, double angle, uint32_t sides)
{
    const int is_full = angle >= 2 * RVM_PI;
    const uint32_t first = (uint32_t)s->vertex_count, rings = is_full ? sides : sides + 1;
    const uint32_t bands = p->is_loop ? p->count : p->count - 1;
    assert(p->is_loop || is_full); /* else it would be open */
    for (uint32_t i = 0; i < rings; i++) {
        double cs[2];
        if (is_full)
            rvm_turn_step(i, sides, cs);
        else
            rvm_turn(angle * i / sides, cs);
        for (uint32_t j = 0; j < p->count; j++)
            rvm_shell_vertex(s, p->points[j][0] * cs[0], p->points[j][0] * cs[1], p->points[j][1]);
    }
    for (uint32_t i = 0; i < sides; i++) {
        const uint32_t here = first + i * p->count, there = first + (i + 1) % rings * p->count;
        for (uint32_t j = 0; j < bands; j++) {
            const uint32_t k = (j + 1) % p->count;
            quad(s, here + j, there + j, there + k, here + k);
        }
    }
    if (!is_full) {
        make_end(s, first, p->count, 0);
        make_end(s, first + sides * p->count, p->count, 1);
    }
}

/* Room for `count` points; NULL, with the status: there is no memory. */
static double (*make_points(making *m, uint32_t count))[2]
{
    double(*points)[2] = malloc(count * sizeof *points);
    if (!points)
        m->status = import_no_memory(m->r->im);
    return points;
}

/* The part of a turn, 0 to 2 pi, that a torus takes. */
static double torus_angle(double angle)
{
    angle = fabs(angle);
    return angle > 2 * RVM_PI - 1e-6 ? 2 * RVM_PI : angle;
}

static void make_rectangular_torus(making *m, const double *n, double chord)
{
    const double in = fabs(n[0]), out = fabs(n[1]), half = n[2] / 2, angle = torus_angle(n[3]);
    double corners[4][2] = {{in, -half}, {out, -half}, {out, half}, {in, half}};
    const profile p = {corners, 4, 1};
    const uint32_t sides = sides_of(m, in > out ? in : out, angle, chord);
    if (sides > 0)
        revolve(&m->r->shell, &p, angle, sides);
}

static void make_circular_torus(making *m, const double *n, double chord)
{
    const double offset = fabs(n[0]), radius = fabs(n[1]), angle = torus_angle(n[2]);
    const uint32_t sides = sides_of(m, offset + radius, angle, chord / 2);
    const uint32_t count = sides > 0 ? sides_of(m, radius, 2 * RVM_PI, chord / 2) : 0;
    const profile p = {count > 0 ? make_points(m, count) : NULL, count, 1};
    for (uint32_t i = 0; p.points && i < count; i++) {
        double cs[2];
        rvm_turn_step(i, count, cs);
        p.points[i][0] = offset + radius * cs[0];
        p.points[i][1] = radius * cs[1];
    }
    if (p.points)
        revolve(&m->r->shell, &p, angle, sides);
    free(p.points);
}

/* From the middle of the base over the rim to the pole. sweep: the profile's angle as seen from
 * the sphere's, or ellipse's, centre, which is `centre` above the base. */
static void make_dish(making *m, double rim, double radius, double height, double centre,
                      double sweep, double chord)
{
    const double wide = sweep > RVM_PI / 2 ? radius : rim, tall = fabs(height - centre);
    const uint32_t sides = sides_of(m, wide, 2 * RVM_PI, chord / 2);
    const uint32_t arcs =
        sides > 0 ? sides_of(m, radius > tall ? radius : tall, sweep, chord / 2) : 0;
    const profile p = {arcs > 0 ? make_points(m, arcs + 2) : NULL, arcs + 2, 0};
    for (uint32_t i = 1; p.points && i < arcs; i++) {
        double half[2], cs[2];
        rvm_turn(sweep * (arcs - i) / arcs, cs); /* from the pole */
        rvm_turn(sweep * (arcs - i) / arcs / 2, half);
        p.points[i + 1][0] = radius * cs[1];
        p.points[i + 1][1] = height - 2 * (height - centre) * half[1] * half[1];
    }
    if (p.points) {
        p.points[0][0] = p.points[0][1] = p.points[1][1] = p.points[arcs + 1][0] = 0;
        p.points[1][0] = rim;
        p.points[arcs + 1][1] = height;
        revolve(&m->r->shell, &p, 2 * RVM_PI, sides);
    }
    free(p.points);
}

static void make_spherical_dish(making *m, const double *n, double chord)
{
    const double rim = fabs(n[0]), height = fabs(n[1]), side = n[1] < 0 ? -1 : 1;
    if (height == 0)
        return; /* no solid */
    const double radius = (rim * rim + height * height) / (2 * height);
    make_dish(m, rim, radius, side * height, side * (height - radius),
              2 * rvm_turn_angle(height, rim), chord);
}

/* From pole to pole. */
static void make_sphere(making *m, double radius, double chord)
{
    const uint32_t sides = sides_of(m, radius, 2 * RVM_PI, chord / 2), arcs = sides / 2;
    const profile p = {arcs > 0 ? make_points(m, arcs + 1) : NULL, arcs + 1, 0};
    for (uint32_t i = 0; p.points && i <= arcs; i++) {
        double cs[2];
        rvm_turn_step(i, sides, cs);
        p.points[i][0] = i == arcs ? 0 : radius * cs[1];
        p.points[i][1] = -radius * cs[0];
    }
    if (p.points)
        revolve(&m->r->shell, &p, 2 * RVM_PI, sides);
    free(p.points);
}

static void make_cylinder(making *m, double radius, double height, double chord)
{
    double corners[4][2] = {
        {0, -height / 2}, {radius, -height / 2}, {radius, height / 2}, {0, height / 2}};
    const profile p = {corners, 4, 0};
    const uint32_t sides = sides_of(m, radius, 2 * RVM_PI, chord);
    if (sides > 0)
        revolve(&m->r->shell, &p, 2 * RVM_PI, sides);
}

/* ---- snouts ---------------------------------------------------------------------------------- */

/* One end of a snout: a circle as seen from above, on a plane that leans. */
typedef struct snout_end {
    double radius, x, y, z, slope[2];
} snout_end;

static void point_of(const snout_end *e, const double cs[2], double out[3])
{
    const double x = e->radius * cs[0], y = e->radius * cs[1];
    out[0] = e->x + x;
    out[1] = e->y + y;
    out[2] = e->z + e->slope[0] * x + e->slope[1] * y;
}

/* How far apart the diagonals of a quadrilateral are, which bounds how far the surface of straight
 * lines between its sides is from its two triangles: both are between the planes of the diagonals.
 */
static double twist_of(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3], n[3], gap = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = c[k] - a[k];
        v[k] = d[k] - b[k];
        w[k] = b[k] - a[k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        gap += n[k] * w[k];
        length += n[k] * n[k];
    }
    return length > 0 ? fabs(gap) / sqrt(length) : 0;
}

static double largest_twist(const snout_end ends[2], uint32_t sides)
{
    double largest = 0;
    for (uint32_t i = 0; i < sides; i++) {
        double one[2], other[2], p[4][3];
        rvm_turn_step(i, sides, one);
        rvm_turn_step((i + 1) % sides, sides, other);
        point_of(&ends[0], one, p[0]);
        point_of(&ends[0], other, p[1]);
        point_of(&ends[1], other, p[2]);
        point_of(&ends[1], one, p[3]);
        const double twist = twist_of(p[0], p[1], p[2], p[3]);
        largest = twist > largest ? twist : largest;
    }
    return largest;
}

/* The largest curvature of an end's ellipse times its speed squared: as a circle's radius. */
static double reach_of(const snout_end *e)
{
    return e->radius * sqrt(1 + e->slope[0] * e->slope[0] + e->slope[1] * e->slope[1]);
}

/* Straight lines between points of equal angle. Where the ends lean differently the quadrilaterals
 * are not flat, and more sides make them flatter. */
static void make_snout(making *m, const double *n, double chord)
{
    snout_end ends[2];
    for (int i = 0; i < 2; i++) {
        const double side = i ? 0.5 : -0.5;
        ends[i] = (snout_end){fabs(n[i]), side * n[3], side * n[4], side * n[2], {0, 0}};
        for (int k = 0; k < 2; k++) {
            double cs[2];
            rvm_turn(n[5 + 2 * i + k], cs);
            ends[i].slope[k] = cs[1] / cs[0];
        }
    }
    const double reach = fmax(reach_of(&ends[0]), reach_of(&ends[1]));
    uint32_t sides = sides_of(m, reach, 2 * RVM_PI, chord);
    double twist = sides > 0 ? largest_twist(ends, sides) : 0;
    if (sides > 0 && twist > 1e-9 * reach) {
        sides = sides_of(m, reach, 2 * RVM_PI, chord / 2);
        while (sides > 0 && (twist = largest_twist(ends, sides)) > chord / 2)
            sides = sides_of(m, reach, 2 * RVM_PI,
                             reach * RVM_PI * RVM_PI / 2 / (1.9 * sides) / (1.9 * sides));
    }
    rvm_shell *s = &m->r->shell;
    const uint32_t first = (uint32_t)s->vertex_count;
    for (uint32_t i = 0; i < sides; i++) {
        double cs[2], p[3];
        rvm_turn_step(i, sides, cs);
        for (int k = 0; k < 2; k++) {
            point_of(&ends[k], cs, p);
            rvm_shell_vertex(s, p[0], p[1], p[2]);
        }
    }
    if (sides == 0)
        return;
    const uint32_t middle = rvm_shell_vertex(s, ends[0].x, ends[0].y, ends[0].z);
    rvm_shell_vertex(s, ends[1].x, ends[1].y, ends[1].z);
    for (uint32_t i = 0; i < sides; i++) {
        const uint32_t a = first + 2 * i, b = first + 2 * ((i + 1) % sides);
        quad(s, a, b, b + 1, a + 1);
        rvm_shell_triangle(s, middle, b, a);
        rvm_shell_triangle(s, middle + 1, a + 1, b + 1);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

bvp_status rvm_solid(rvm *r, const rvm_shape *shape, uint64_t offset, double chord)
{
    const double *n = shape->numbers;
    making m = {r, offset, BVP_OK};
    assert(chord > 0);
    switch (shape->kind) {
    case RVM_PYRAMID:
        make_frustum(&r->shell, (double[]){n[0] / 2, n[1] / 2}, (double[]){n[2] / 2, n[3] / 2},
                     (double[]){n[4] / 2, n[5] / 2}, n[6] / 2);
        break;
    case RVM_BOX:
        make_frustum(&r->shell, (double[]){n[0] / 2, n[1] / 2}, (double[]){n[0] / 2, n[1] / 2},
                     (double[]){0, 0}, n[2] / 2);
        break;
    case RVM_RECTANGULAR_TORUS:
        make_rectangular_torus(&m, n, chord);
        break;
    case RVM_CIRCULAR_TORUS:
        make_circular_torus(&m, n, chord);
        break;
    case RVM_ELLIPTICAL_DISH:
        make_dish(&m, fabs(n[0]), fabs(n[0]), n[1], 0, RVM_PI / 2, chord);
        break;
    case RVM_SPHERICAL_DISH:
        make_spherical_dish(&m, n, chord);
        break;
    case RVM_SNOUT:
        make_snout(&m, n, chord);
        break;
    case RVM_CYLINDER:
        make_cylinder(&m, fabs(n[0]), n[1], chord);
        break;
    case RVM_SPHERE:
        make_sphere(&m, fabs(n[0]) / 2, chord);
        break;
    default:
        assert(!"a kind with a surface");
    }
    return m.status;
}
