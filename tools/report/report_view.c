/* SPDX-License-Identifier: MIT
 * report_view.c: the view of a clash: its two parts near the origin, a camera aimed at the contact.
 *
 * The middle of the contact becomes the origin, because pictures and browsers calculate in floats,
 * and an assembly may be far from its own origin. The camera tries a fixed list of directions, and
 * for each asks by rays how much stands in front of the contact; so the view is the same in every
 * run.
 */
#include "report/report_view.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint32_t report_verdict_colour(bvp_verdict verdict)
{
    static const uint32_t colours[BVP_VERDICT_COUNT] = {
        [BVP_VERDICT_CLEAR] = 0x8fa3b5,    [BVP_VERDICT_WITHIN] = 0x3f7fc4,
        [BVP_VERDICT_TOUCHING] = 0xe0a92e, [BVP_VERDICT_PENETRATING] = 0xd03b30,
        [BVP_VERDICT_ENCLOSED] = 0x8a4fbf, [BVP_VERDICT_DUPLICATE] = 0xc8438f,
        [BVP_VERDICT_UNKNOWN] = 0x6b7280,
    };
    return colours[(unsigned)verdict < BVP_VERDICT_COUNT ? verdict : BVP_VERDICT_UNKNOWN];
}

/* ---- the two parts --------------------------------------------------------------------------- */

typedef struct extent {
    double lo[3], hi[3];
} extent;

static double half_diagonal(const extent *e)
{
    return hypot(hypot(e->hi[0] - e->lo[0], e->hi[1] - e->lo[1]), e->hi[2] - e->lo[2]) / 2;
}

/* The box of a placed part: of the box's corners, somewhat too large. */
static int extent_of(const clash_side *side, uint32_t *part, extent *out)
{
    bvp_instance_info instance;
    bvp_part_info info;
    if (!side->file || bvp_get_instance(side->file, side->instance, &instance) != BVP_OK ||
        bvp_get_part(side->file, instance.part, &info) != BVP_OK)
        return 0;
    *part = instance.part;
    for (int row = 0; row < 3; row++) {
        const double *m = side->placement + 4 * row;
        out->lo[row] = out->hi[row] = m[3];
        for (int k = 0; k < 3; k++) {
            out->lo[row] += fmin(m[k] * info.lo[k], m[k] * info.hi[k]);
            out->hi[row] += fmax(m[k] * info.lo[k], m[k] * info.hi[k]);
        }
    }
    return isfinite(half_diagonal(out));
}

/* The contact, when the pair says where; else the smaller part. */
static void choose_contact(const bvp_clash_pair *pair, const extent boxes[2], extent *out)
{
    const int smaller = half_diagonal(&boxes[1]) < half_diagonal(&boxes[0]);
    memcpy(out->lo, pair->lo, sizeof out->lo);
    memcpy(out->hi, pair->hi, sizeof out->hi);
    for (int k = 0; k < 3; k++)
        if (!isfinite(out->lo[k]) || !isfinite(out->hi[k]) || out->lo[k] > out->hi[k]) {
            *out = boxes[smaller];
            return;
        }
    if (pair->verdict == BVP_VERDICT_ENCLOSED || pair->verdict == BVP_VERDICT_DUPLICATE ||
        pair->verdict == BVP_VERDICT_UNKNOWN)
        *out = boxes[smaller];
}

static void move(const report_view *v, const double world[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = isfinite(world[k]) ? world[k] - v->centre[k] : 0;
}

/* ---- the camera ------------------------------------------------------------------------------ */

/* A placement's inverse, by its cofactors. */
static void invert(const double p[12], double m[12])
{
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int r = (k + 1) % 3, s = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            m[4 * i + k] = p[4 * r + c] * p[4 * s + d] - p[4 * r + d] * p[4 * s + c];
        }
    for (int k = 0; k < 3; k++)
        determinant += p[4 * k] * m[k];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            m[4 * i + k] /= determinant;
        m[4 * i + 3] = -(m[4 * i] * p[3] + m[4 * i + 1] * p[7] + m[4 * i + 2] * p[11]);
    }
}

/* The same ray as a part sees it, so that the part is asked where it is stored: a third of the
 * time, and a view need not be exact. */
static bvp_ray localised(const bvp_ray *ray, const double m[12])
{
    bvp_ray out = *ray;
    for (int i = 0; i < 3; i++) {
        out.origin[i] = m[4 * i + 3];
        out.direction[i] = 0;
        for (int k = 0; k < 3; k++) {
            out.origin[i] += m[4 * i + k] * ray->origin[k];
            out.direction[i] += m[4 * i + k] * ray->direction[k];
        }
    }
    return out;
}

/* How much stands between the eye and a point, in lengths of the world. inverses: of both
 * placements. */
static double burial(const report_view *v, double inverses[2][12], const double point[3])
{
    /* the point's own surface is not asked: exact answers there take long */
    const double before = 1 - 1e-5;
    double nearest = 1, length = 0;
    bvp_ray ray = {.t_min = 0, .t_max = before};
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = v->eye.eye[k];
        ray.direction[k] = point[k] - v->eye.eye[k];
        length += ray.direction[k] * ray.direction[k];
    }
    for (int i = 0; i < 2; i++) {
        const bvp_body stored = {.file = v->bodies[i].file, .part = v->bodies[i].part};
        const bvp_ray local = localised(&ray, inverses[i]);
        bvp_ray_hit hit = {0};
        if (bvp_ray_first(&stored, &local, &hit, NULL) == BVP_OK && hit.found)
            nearest = fmin(nearest, hit.t);
    }
    return (1 - nearest) * sqrt(length);
}

/* Around the contact, from above first: turns and heights in degrees. */
static void stand(report_view *v, bvp_up up, int number)
{
    static const struct {
        double turn, height;
    } places[] = {{35, 28},  {-35, 28},  {125, 28},  {-125, 28}, {80, 12},
                  {-10, 12}, {170, 12},  {-100, 12}, {20, 65},   {-160, 65},
                  {35, -28}, {-35, -28}, {125, -28}, {-125, -28}};
    static const double middle[3] = {0, 0, 0};
    assert(number >= 0 && (size_t)number < sizeof places / sizeof places[0]);
    const double turn = places[number].turn * (M_PI / 180);
    const double height = places[number].height * (M_PI / 180);
    const double away = v->radius / sin(REPORT_ANGLE * (M_PI / 360));
    double front[3], eye[3];
    camera c;
    camera_preset(&c, "front", up);
    for (int k = 0; k < 3; k++) {
        front[k] = -c.forward[k] * cos(turn) + c.right[k] * sin(turn);
        eye[k] = away * (front[k] * cos(height) + c.up[k] * sin(height));
    }
    camera_look(&v->eye, eye, middle, up);
}

/* ---- the section ----------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* 0: it is too short to have a direction. */
static int normalise(double v[3], double least)
{
    const double length = sqrt(dot(v, v));
    if (!(length > least) || !isfinite(length))
        return 0;
    for (int k = 0; k < 3; k++)
        v[k] /= length;
    return 1;
}

/* What a section should show beside the contact. */
typedef struct section {
    double along[3], normal[3]; /* of the line between the witnesses; of a plane that holds it and
                                   the middle of what both boxes share */
    int has_line, has_normal;
} section;

static void find_section(const report_view *v, const extent boxes[2], int has_witnesses,
                         section *out)
{
    double middle[3];
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++) {
        const double lo = fmax(boxes[0].lo[k], boxes[1].lo[k]);
        const double hi = fmin(boxes[0].hi[k], boxes[1].hi[k]);
        out->along[k] = v->points[1][k] - v->points[0][k];
        middle[k] = lo / 2 + hi / 2 - v->centre[k] - (v->points[0][k] + v->points[1][k]) / 2;
    }
    out->has_line = has_witnesses && normalise(out->along, 1e-9 * v->radius);
    if (!out->has_line || !normalise(middle, 1e-3 * v->radius))
        return;
    cross(out->along, middle, out->normal);
    out->has_normal = normalise(out->normal, 0.1);
}

/* How badly a section shows from here: 0: it faces the eye, 1: it is seen from its edge. */
static double slant(const report_view *v, const section *s)
{
    const double *const f = v->eye.forward;
    if (s->has_normal)
        return 1 - fabs(dot(f, s->normal));
    return s->has_line ? fabs(dot(f, s->along)) : 0;
}

/* The plane holds the line between the witnesses, if there is one, and faces the eye: as the
 * section has it, unless that is seen from its edge; then leaning back somewhat, so that what is
 * behind it shows, too. */
static void place_plane(report_view *v, const section *s)
{
    static const double lean = 0.35, edge = 0.3; /* sines */
    double n[3], axis[3], turned[3];
    const double along = s->has_line ? dot(s->along, v->eye.forward) : 0;
    for (int k = 0; k < 3; k++) {
        n[k] = along * s->along[k] - v->eye.forward[k];
        axis[k] = s->has_line ? s->along[k] : v->eye.right[k];
    }
    if (!normalise(n, edge))
        for (int k = 0; k < 3; k++) {
            n[k] = -v->eye.forward[k];
            axis[k] = v->eye.right[k];
        }
    cross(axis, n, turned);
    const double way = dot(turned, v->eye.up) < 0 ? -lean : lean;
    for (int k = 0; k < 3; k++)
        v->plane[k] = n[k] * sqrt(1 - lean * lean) + turned[k] * way;
    const double facing = s->has_normal ? dot(v->eye.forward, s->normal) : 0;
    if (fabs(facing) > edge)
        for (int k = 0; k < 3; k++)
            v->plane[k] = facing > 0 ? -s->normal[k] : s->normal[k];
    v->plane[3] = s->has_line ? (dot(v->plane, v->points[0]) + dot(v->plane, v->points[1])) / 2 : 0;
}

/* Chooses the direction from which the least hides the contact and the line between the witnesses
 * is seen from its side; the first ones, and those from above, are preferred. is_cut: what hides
 * the contact is cut open or transparent wherever it is shown. Directions are asked
 * in the order of what they cost before anything hides the contact; once that is more than another
 * one's whole cost, none of the rest can be better. */
static void aim(report_view *v, bvp_up up, const section *cut, int is_cut)
{
    enum { PLACES = 14, BELOW = 10 };
    static const double middle[3] = {0, 0, 0};
    const double *const points[] = {middle, v->points[0], v->points[1]};
    double base[PLACES], inverses[2][12], least = INFINITY;
    int best = 0;
    for (int i = 0; i < PLACES; i++) {
        stand(v, up, i);
        base[i] = (0.02 * i + (i >= BELOW) + 0.5 * slant(v, cut)) * v->radius;
    }
    for (int i = 0; i < 2; i++)
        invert(v->placements[i], inverses[i]);
    for (int round = 0; round < PLACES; round++) {
        int next = 0;
        for (int i = 1; i < PLACES; i++)
            if (base[i] < base[next])
                next = i;
        double cost = base[next];
        base[next] = INFINITY;
        if (!(cost < least))
            break;
        stand(v, up, next);
        for (int i = 0; i < 3 && cost < least && !is_cut; i++)
            cost += burial(v, inverses, points[i]);
        if (cost < least) {
            least = cost;
            best = next;
        }
    }
    stand(v, up, best);
}

/* Does the contact lie in one of the two? */
static int is_inside(bvp_verdict verdict)
{
    return verdict != BVP_VERDICT_WITHIN && verdict != BVP_VERDICT_TOUCHING;
}

int report_view_of(const clash_row *row, bvp_up up, double width, double height, report_view *out)
{
    extent boxes[2], contact;
    uint32_t parts[2];
    memset(out, 0, sizeof *out);
    if (!extent_of(&row->a, &parts[0], &boxes[0]) || !extent_of(&row->b, &parts[1], &boxes[1]))
        return 0;
    choose_contact(row->pair, boxes, &contact);
    for (int k = 0; k < 3; k++)
        out->centre[k] = contact.lo[k] / 2 + contact.hi[k] / 2;
    move(out, contact.lo, out->lo);
    move(out, contact.hi, out->hi);
    move(out, row->pair->point_a, out->points[0]);
    move(out, row->pair->point_b, out->points[1]);
    out->smaller = half_diagonal(&boxes[1]) < half_diagonal(&boxes[0]);
    /* Wide enough for the contact and, as far as that does not make the contact tiny, the smaller
     * part.
     */
    const double part = fmin(half_diagonal(&boxes[0]), half_diagonal(&boxes[1]));
    const double least = fmax(half_diagonal(&contact), 0.12 * part);
    const double radius = fmin(fmax(1.3 * least, 0.75 * part), 6 * least);
    out->radius = radius > 0 ? radius : 1;
    const clash_side *sides[2] = {&row->a, &row->b};
    for (int i = 0; i < 2; i++) {
        memcpy(out->placements[i], sides[i]->placement, sizeof out->placements[i]);
        for (int k = 0; k < 3; k++)
            out->placements[i][4 * k + 3] -= out->centre[k];
        out->bodies[i] =
            (bvp_body){.file = sides[i]->file, .part = parts[i], .placement = out->placements[i]};
    }
    assert(out->radius > 0);
    camera_lens(&out->eye, width, height, REPORT_ANGLE);
    const int has_witnesses =
        !is_inside(row->pair->verdict) || row->pair->verdict == BVP_VERDICT_PENETRATING;
    section cut;
    find_section(out, boxes, has_witnesses, &cut);
    aim(out, up, &cut, is_inside(row->pair->verdict));
    place_plane(out, &cut);
    return 1;
}
