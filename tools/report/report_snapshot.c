/* SPDX-License-Identifier: MIT
 * report_snapshot.c: a picture of a clash, as a PNG in memory.
 *
 * Triangles of the two parts and of what is around them go through a rasterizer that knows the
 * plane (section_raster.c); then each sample becomes a colour, and samples become pixels. A contact
 * is often inside of something, so the picture is a section, as in a drawing: solids are hatched
 * where the plane cuts them.
 */
#include "report/report_snapshot.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "view/picture_text.h"
#include "view/section_raster.h"
#include "text/array.h"
#include "text/colour_runs.h"
#include "view/image.h"

enum {
    SAMPLES = 2,
    BLOCK = 512,              /* triangles that are read together */
    AROUND_FOUND = 4096,      /* instances near the contact that are looked at */
    AROUND_TRIANGLES = 40000, /* most of them that are drawn */
    LETTERS = 2,              /* pixels of a letter's dot */
    TONES = 4096,             /* steps of linear light */
    WIDE = SNAPSHOT_WIDTH * SAMPLES
};

static const uint32_t colour_shared = 0xf0e442; /* what both solids have of the plane */
static const uint32_t colour_around = 0x9aa4b0;
static const uint8_t ink[3] = {0x14, 0x18, 0x1f}, white[3] = {0xff, 0xff, 0xff};

typedef struct light {
    float r, g, b;
} light;

/* A triangle in the picture. */
typedef struct surface {
    float normal[3]; /* to the eye */
    light shade;
    uint32_t thing; /* side 0 or 1; 2 and more: instances around */
} surface;

/* What a sample shows, for outlines. */
typedef struct sight {
    light shade;
    float near, around_near;
    uint32_t triangle, around, cut_off; /* surfaces */
    int what;                           /* which of the two, 4: cut through; 0: neither */
} sight;

typedef struct neighbour {
    double distance; /* of its box from the contact */
    uint32_t instance;
} neighbour;

struct snapshot_room {
    section_raster raster;
    surface *surfaces;
    size_t surface_count, surface_capacity;
    bvp_colour_run *runs;
    size_t run_capacity;
    float positions[BLOCK * 9];
    uint64_t ids[BLOCK];
    uint32_t found[AROUND_FOUND];
    neighbour near[AROUND_FOUND];
    sight rows[2][WIDE + 1]; /* the sample at 0 is left of the picture */
    light sums[SNAPSHOT_WIDTH];
    uint8_t tones[TONES];
    uint8_t rgb[SNAPSHOT_WIDTH * SNAPSHOT_HEIGHT * 3];
};

snapshot_room *snapshot_open(void)
{
    snapshot_room *room = calloc(1, sizeof *room);
    for (int i = 0; room && i < TONES; i++)
        room->tones[i] = colour_srgb((double)i / (TONES - 1));
    return room;
}

void snapshot_close(snapshot_room *room)
{
    if (!room)
        return;
    section_close(&room->raster);
    free(room->surfaces);
    free(room->runs);
    free(room);
}

/* ---- light ----------------------------------------------------------------------------------- */

static light light_of(uint32_t rgb)
{
    return (light){(float)colour_linear((uint8_t)(rgb >> 16)),
                   (float)colour_linear((uint8_t)(rgb >> 8)), (float)colour_linear((uint8_t)rgb)};
}

static light mix(light a, light b, float amount)
{
    return (light){a.r + (b.r - a.r) * amount, a.g + (b.g - a.g) * amount,
                   a.b + (b.b - a.b) * amount};
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A soft light beside the camera, one from the upper left, and the sky. */
static light shaded(const camera *c, light base, const double normal[3])
{
    double side[3];
    for (int k = 0; k < 3; k++)
        side[k] = 0.74 * c->up[k] - 0.58 * c->right[k] - 0.33 * c->forward[k];
    const double above = 0.5 + 0.5 * dot(normal, c->up), facing = fabs(dot(normal, c->forward));
    const float bright =
        (float)(0.30 + 0.22 * above + 0.30 * facing + 0.48 * fmax(dot(normal, side), 0));
    return (light){base.r * bright, base.g * bright, base.b * bright};
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* A part where `m` places it. runs: colours of the source, or 0 of them. side: of the raster. */
typedef struct body_part {
    const bvp_file *file;
    uint32_t part, thing;
    const double *m;
    light base;
    const bvp_colour_run *runs;
    uint32_t run_count;
    int side;
} body_part;

static bvp_status add_triangle(snapshot_room *room, const body_part *b, const float *p, uint64_t id)
{
    double corners[3][3], normal[3], u[3], v[3];
    const camera *c = &room->raster.eye;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            corners[i][k] = b->m[4 * k] * (double)p[3 * i] +
                            b->m[4 * k + 1] * (double)p[3 * i + 1] +
                            b->m[4 * k + 2] * (double)p[3 * i + 2] + b->m[4 * k + 3];
    for (int k = 0; k < 3; k++) {
        u[k] = corners[1][k] - corners[0][k];
        v[k] = corners[2][k] - corners[0][k];
    }
    for (int k = 0; k < 3; k++)
        normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    const double length = sqrt(dot(normal, normal));
    double towards = 0;
    for (int k = 0; k < 3; k++)
        towards += normal[k] * (c->eye[k] - corners[0][k]);
    for (int k = 0; k < 3; k++)
        normal[k] = length > 0 ? (towards < 0 ? -normal[k] : normal[k]) / length : 0;
    if (array_grow(&room->surfaces, &room->surface_capacity, room->surface_count + 1,
                   sizeof *room->surfaces) != 0)
        return BVP_ERR_NO_MEMORY;
    light base = b->base;
    if (b->run_count > 0) {
        const uint8_t *rgba = bvp_find_colour(b->runs, b->run_count, id);
        base = rgba ? light_of((uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2]) : base;
    }
    assert(room->surface_count < SECTION_NOTHING);
    room->surfaces[room->surface_count] = (surface){
        {(float)normal[0], (float)normal[1], (float)normal[2]}, shaded(c, base, normal), b->thing};
    section_triangle(&room->raster, b->side, (uint32_t)room->surface_count++, corners);
    return BVP_OK;
}

static bvp_status add_part(snapshot_room *room, const body_part *b)
{
    bvp_part_info info;
    bvp_status status = bvp_get_part(b->file, b->part, &info);
    if (status == BVP_OK && info.triangle_count > UINT32_MAX - 1 - room->surface_count)
        return BVP_ERR_LIMIT;
    for (uint64_t first = 0; status == BVP_OK && first < info.triangle_count; first += BLOCK) {
        uint64_t count = 0;
        status = bvp_get_triangles(b->file, b->part, (bvp_range){first, BLOCK}, room->positions,
                                   room->ids, &count);
        for (uint64_t i = 0; i < count && i < BLOCK && status == BVP_OK; i++)
            status = add_triangle(room, b, room->positions + 9 * i, room->ids[i]);
    }
    return status;
}

/* ---- what is around -------------------------------------------------------------------------- */

/* Where an instance stands in the view; 0: nowhere. */
static int place(const bvp_file *file, uint32_t instance, const double *moved, const report_view *v,
                 bvp_instance_info *info, double m[12])
{
    if (bvp_get_instance(file, instance, info) != BVP_OK)
        return 0;
    memcpy(m, info->placement, 12 * sizeof *m);
    for (int row = 0; moved && row < 3; row++)
        for (int k = 0; k < 4; k++)
            m[4 * row + k] =
                moved[4 * row] * info->placement[k] + moved[4 * row + 1] * info->placement[4 + k] +
                moved[4 * row + 2] * info->placement[8 + k] + (k == 3 ? moved[4 * row + 3] : 0);
    for (int row = 0; row < 3; row++)
        m[4 * row + 3] -= v->centre[row];
    return 1;
}

/* How far the origin is from an instance's box. */
static double distance_of(const bvp_file *file, uint32_t part, const double m[12])
{
    bvp_part_info info;
    double sum = 0;
    if (bvp_get_part(file, part, &info) != BVP_OK)
        return INFINITY;
    for (int row = 0; row < 3; row++) {
        double lo = m[4 * row + 3], hi = lo;
        for (int k = 0; k < 3; k++) {
            lo += fmin(m[4 * row + k] * info.lo[k], m[4 * row + k] * info.hi[k]);
            hi += fmax(m[4 * row + k] * info.lo[k], m[4 * row + k] * info.hi[k]);
        }
        const double gap = fmax(fmax(lo, -hi), 0);
        sum += gap * gap;
    }
    return sum;
}

static int by_distance(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

static bvp_status read_runs(snapshot_room *room, const bvp_file *file, uint32_t node,
                            uint32_t *count)
{
    uint32_t wanted = 0;
    *count = 0;
    bvp_status status = bvp_get_colours(file, node, NULL, 0, &wanted);
    if (status != BVP_OK || wanted == 0)
        return status;
    if (array_grow(&room->runs, &room->run_capacity, wanted, sizeof *room->runs) != 0)
        return BVP_ERR_NO_MEMORY;
    status = bvp_get_colours(file, node, room->runs, wanted, count);
    *count = *count < wanted ? *count : wanted; /* the file may change meanwhile */
    return status;
}

/* moved: the file's world in the run's, or NULL. *left: how many triangles more may be drawn. */
static bvp_status add_around(snapshot_room *room, const snapshot_subject *s, const bvp_file *file,
                             const double *moved, uint64_t *left)
{
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY, .placement = moved};
    double lo[3], hi[3], m[12];
    uint64_t found = 0;
    uint32_t count = 0;
    bvp_instance_info info;
    bvp_part_info part;
    for (int k = 0; k < 3; k++) {
        lo[k] = s->view.centre[k] - 1.7 * s->view.radius;
        hi[k] = s->view.centre[k] + 1.7 * s->view.radius;
    }
    bvp_status status = bvp_instances_in(&all, bvp_box_region(lo, hi), 0,
                                         (bvp_array){room->found, 0, AROUND_FOUND}, &found, NULL);
    if (status == BVP_ERR_LIMIT)
        status = BVP_OK;
    for (uint64_t i = 0; i < found && i < AROUND_FOUND && status == BVP_OK; i++) {
        const uint32_t one = room->found[i];
        const int is_element = (file == s->files[0] && one == s->instances[0]) ||
                               (file == s->files[1] && one == s->instances[1]);
        if (!is_element && place(file, one, moved, &s->view, &info, m))
            room->near[count++] = (neighbour){distance_of(file, info.part, m), one};
    }
    qsort(room->near, count, sizeof *room->near, by_distance);
    for (uint32_t i = 0; i<count && * left> 0 && status == BVP_OK; i++) {
        uint32_t run_count = 0;
        if (!place(file, room->near[i].instance, moved, &s->view, &info, m) ||
            bvp_get_part(file, info.part, &part) != BVP_OK || part.triangle_count > *left)
            continue;
        *left -= part.triangle_count;
        status = read_runs(room, file, info.node, &run_count);
        const body_part b = {.file = file,
                             .part = info.part,
                             .thing = 2 + i,
                             .m = m,
                             .base = light_of(colour_around),
                             .runs = room->runs,
                             .run_count = run_count,
                             .side = SECTION_AROUND};
        if (status == BVP_OK)
            status = add_part(room, &b);
    }
    return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

typedef struct tones {
    light behind_all[2], sides[2], shared, dark; /* behind_all: at the top and further down */
    int is_closed[2];
} tones;

/* Lines to the right for one solid, to the left for the other one. */
static int is_hatched(uint32_t x, uint32_t y, int side)
{
    enum { PERIOD = 16, LINE = 3 };
    return (side ? x + y : x + (1u << 20) - y) % PERIOD < LINE;
}

static light cut_shade(const tones *t, int what, uint32_t x, uint32_t y)
{
    light base = what == 7 ? t->shared : mix(t->sides[what & 1 ? 0 : 1], (light){1, 1, 1}, 0.25f);
    for (int side = 0; side < 2; side++)
        if (what >> side & 1 && is_hatched(x, y, side))
            base = mix(base, t->dark, 0.45f);
    return base;
}

static void look(const snapshot_room *room, const tones *t, uint32_t x, uint32_t y, sight *out)
{
    const section_raster *r = &room->raster;
    const size_t at = (size_t)y * r->width + x;
    const float lower = (float)y * 1.2f / (float)r->height, down = lower < 1 ? lower : 1;
    const section_hit behind = r->behind[at], around = r->around[at], off = r->cut_off[at];
    const float cut = section_cut_at(r, x, y);
    int cut_through = 0;
    for (int side = 0; side < 2; side++)
        cut_through |= (t->is_closed[side] && r->winding[side][at] != 0 && cut > 0) << side;
    *out = (sight){.shade = mix(t->behind_all[0], t->behind_all[1], down),
                   .triangle = behind.triangle,
                   .around = around.triangle,
                   .cut_off = off.triangle,
                   .near = behind.near,
                   .around_near = around.near};
    if (cut_through) {
        out->what = 4 | cut_through;
        out->near = cut;
        out->triangle = out->around = SECTION_NOTHING;
        out->shade = cut_shade(t, out->what, x, y);
    } else if (behind.triangle != SECTION_NOTHING) {
        out->what = 1 + (int)room->surfaces[behind.triangle].thing;
        out->shade = room->surfaces[behind.triangle].shade;
        if (around.near > behind.near)
            out->shade = mix(out->shade, room->surfaces[around.triangle].shade, 0.12f);
        else
            out->around = SECTION_NOTHING;
    } else if (around.triangle != SECTION_NOTHING) {
        out->shade = mix(out->shade, room->surfaces[around.triangle].shade, 0.32f);
    }
    if (off.triangle != SECTION_NOTHING)
        out->shade = mix(out->shade, room->surfaces[off.triangle].shade, 0.13f);
}

static float crease(const surface *a, const surface *b)
{
    return a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2];
}

/* How strong the edge between two surfaces is, each of which may be nothing: 1: another thing. */
static float edge(const snapshot_room *room, uint32_t a, uint32_t b)
{
    if (a == b)
        return 0;
    if (a == SECTION_NOTHING || b == SECTION_NOTHING)
        return 1;
    const surface *one = &room->surfaces[a], *other = &room->surfaces[b];
    return one->thing != other->thing ? 1 : crease(one, other) < 0.8f ? 0.5f : 0;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static float outline(const snapshot_room *room, const sight *a, const sight *b, float jump)
{
    if (a->what == b->what && a->triangle == b->triangle && a->around == b->around &&
        a->cut_off == b->cut_off)
        return 0;
    if (a->what != b->what)
        return 0.8f;
    float strength = 0;
    if (a->what && a->what < 4) {
        const float step = fabsf(a->near - b->near);
        strength = step > jump * (a->near < b->near ? a->near : b->near)
                       ? 0.6f
                       : 0.8f * edge(room, a->triangle, b->triangle);
    }
    strength = larger(strength, 0.16f * edge(room, a->around, b->around));
    return larger(strength, 0.22f * edge(room, a->cut_off, b->cut_off));
}

static uint8_t tone(const snapshot_room *room, float linear)
{
    const float bounded = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    return room->tones[(int)(bounded * (TONES - 1) + 0.5f)];
}

static void resolve(snapshot_room *room, const tones *t)
{
    const section_raster *r = &room->raster;
    const float pixel = (float)(2 * r->eye.half_width / r->width), jump = 12 * pixel + 0.004f;
    assert(r->width == WIDE && SAMPLES == 2);
    for (uint32_t y = 0; y < r->height; y++) {
        sight *row = room->rows[y & 1] + 1, *before = room->rows[~y & 1] + 1;
        for (uint32_t x = 0; x < r->width; x++)
            look(room, t, x, y, &row[x]);
        row[-1] = row[0];
        if (y == 0)
            memcpy(before, row, WIDE * sizeof *row);
        for (uint32_t x = 0; x < r->width; x++) {
            const float strength = larger(outline(room, &row[x], &row[(int32_t)x - 1], jump),
                                          outline(room, &row[x], &before[x], jump));
            const light seen = mix(row[x].shade, t->dark, strength);
            light *sum = &room->sums[x / SAMPLES];
            if (y % SAMPLES == 0 && x % SAMPLES == 0)
                *sum = (light){0, 0, 0};
            *sum = (light){sum->r + seen.r, sum->g + seen.g, sum->b + seen.b};
        }
        if (y % SAMPLES != SAMPLES - 1)
            continue;
        uint8_t *to = room->rgb + (size_t)(y / SAMPLES) * SNAPSHOT_WIDTH * 3;
        for (uint32_t x = 0; x < SNAPSHOT_WIDTH; x++, to += 3) {
            to[0] = tone(room, room->sums[x].r / (SAMPLES * SAMPLES));
            to[1] = tone(room, room->sums[x].g / (SAMPLES * SAMPLES));
            to[2] = tone(room, room->sums[x].b / (SAMPLES * SAMPLES));
        }
    }
}

/* ---- the dimension --------------------------------------------------------------------------- */

static void put_line(picture *p, const double a[2], const double b[2], double width,
                     const uint8_t rgb[3])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    const double reach = width / 2 + 1;
    const int32_t left = (int32_t)fmax(fmin(a[0], b[0]) - reach, 0);
    const int32_t right = (int32_t)fmin(fmax(a[0], b[0]) + reach, p->width - 1);
    const int32_t top = (int32_t)fmax(fmin(a[1], b[1]) - reach, 0);
    const int32_t bottom = (int32_t)fmin(fmax(a[1], b[1]) + reach, p->height - 1);
    for (int32_t y = top; y <= bottom; y++)
        for (int32_t x = left; x <= right; x++) {
            const double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
            const double t = square > 0 ? fmin(fmax((px * dx + py * dy) / square, 0), 1) : 0;
            const double away = sqrt((px - t * dx) * (px - t * dx) + (py - t * dy) * (py - t * dy));
            const double cover = fmin(fmax(width / 2 + 0.5 - away, 0), 1);
            uint8_t *to = p->rgb + ((size_t)y * p->width + (size_t)x) * 3;
            for (int k = 0; k < 3; k++)
                to[k] = (uint8_t)(to[k] + (rgb[k] - to[k]) * cover + 0.5);
        }
}

/* Dark, on white where it is wide enough to be seen on anything. */
static void put_stroke(picture *p, const double a[2], const double b[2])
{
    put_line(p, a, b, 4.5, white);
    put_line(p, a, b, 2, ink);
}

/* An arrow's line and head; the tip at b. */
static void put_arrow(picture *p, const double a[2], const double b[2])
{
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    const double ux = (b[0] - a[0]) / length, uy = (b[1] - a[1]) / length;
    put_stroke(p, a, b);
    for (int side = -1; side <= 1; side += 2) {
        const double back[2] = {b[0] - 8 * ux + side * 4 * uy, b[1] - 8 * uy - side * 4 * ux};
        put_line(p, back, b, 2, ink);
    }
}

static void put_label(picture *p, double x, double y, const char *text)
{
    enum { EDGE = 5 };
    const int32_t width = (int32_t)picture_text_width(text, LETTERS) + 2 * EDGE;
    const int32_t height = (int32_t)picture_text_height(LETTERS) + 2 * EDGE;
    const int32_t left = (int32_t)fmin(fmax(x - width / 2., 3), (double)p->width - width - 3);
    const int32_t top = (int32_t)fmin(fmax(y - height / 2., 3), (double)p->height - height - 3);
    picture_fill(p, left - 1, top - 1, width + 2, height + 2, ink);
    picture_fill(p, left, top, width, height, white);
    picture_text_put(p, left + EDGE, top + EDGE, text, LETTERS, ink);
}

static void put_dimension(const snapshot_subject *s, picture *p)
{
    enum { SHORT = 30, TAIL = 24 };
    double a[2], b[2], depth;
    camera_project(&s->view.eye, s->view.points[0], &a[0], &a[1], &depth);
    camera_project(&s->view.eye, s->view.points[1], &b[0], &b[1], &depth);
    if (!isfinite(a[0] + a[1] + b[0] + b[1]) || fabs(a[0]) + fabs(a[1]) > 1e5 ||
        fabs(b[0]) + fabs(b[1]) > 1e5)
        return;
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    if (length < 1e-3) { /* a point */
        put_line(p, a, a, 9, white);
        put_line(p, a, a, 6, ink);
        if (s->measure[0])
            put_label(p, a[0], a[1] - 24, s->measure);
        return;
    }
    const double ux = (b[0] - a[0]) / length, uy = (b[1] - a[1]) / length;
    const double half_width = picture_text_width(s->measure, LETTERS) / 2. + 8;
    const double half_height = picture_text_height(LETTERS) / 2. + 8;
    const double reach = fabs(ux) * half_width + fabs(uy) * half_height;
    if (length >= SHORT) { /* the text beside the middle, on the upper side */
        const double middle[2] = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
        const double way = ux > 0 ? 1 : -1;
        const double aside = fabs(uy) * half_width + fabs(ux) * half_height;
        put_arrow(p, middle, a);
        put_arrow(p, middle, b);
        if (s->measure[0])
            put_label(p, middle[0] + way * uy * aside, middle[1] - way * ux * aside, s->measure);
    } else { /* from outside, as in drawings; the text behind the upper arrow */
        const double before[2] = {a[0] - TAIL * ux, a[1] - TAIL * uy};
        const double behind[2] = {b[0] + TAIL * ux, b[1] + TAIL * uy};
        const double *const end = uy > 0 ? before : behind, way = uy > 0 ? -1 : 1;
        put_arrow(p, before, a);
        put_arrow(p, behind, b);
        if (s->measure[0])
            put_label(p, end[0] + way * ux * reach, end[1] + way * uy * reach, s->measure);
    }
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bvp_status draw(snapshot_room *room, snapshot_subject *s)
{
    static const uint32_t ours[2] = {REPORT_COLOUR_A, REPORT_COLOUR_B};
    const clash_run *run = s->run;
    tones t = {.behind_all = {light_of(0xe9eef5), light_of(0xffffff)},
               .shared = light_of(colour_shared),
               .dark = light_of(0x10161f)};
    bvp_status status = BVP_OK;
    for (int side = 0; side < 2 && status == BVP_OK; side++) {
        const bvp_body *body = &s->view.bodies[side];
        bvp_part_info info = {0};
        status = bvp_get_part(body->file, body->part, &info);
        t.is_closed[side] = info.open_edge_count == 0;
        t.sides[side] = light_of(ours[side]);
        const body_part b = {.file = body->file,
                             .part = body->part,
                             .thing = (uint32_t)side,
                             .m = s->view.placements[side],
                             .base = t.sides[side],
                             .side = side};
        if (status == BVP_OK)
            status = add_part(room, &b);
    }
    uint64_t left = AROUND_TRIANGLES;
    if (status == BVP_OK)
        status = add_around(room, s, run->file_a, NULL, &left);
    if (status == BVP_OK && run->file_b)
        status = add_around(room, s, run->file_b, run->placement_b, &left);
    if (status == BVP_OK)
        resolve(room, &t);
    return status;
}

bvp_status report_snapshot(snapshot_room *room, snapshot_subject *s, uint8_t **png, size_t *size)
{
    picture p = {SNAPSHOT_WIDTH, SNAPSHOT_HEIGHT, room->rgb};
    assert(s->view.eye.width == SNAPSHOT_WIDTH && s->view.eye.height == SNAPSHOT_HEIGHT);
    for (int side = 0; side < 2; side++)
        s->view.bodies[side].placement = s->view.placements[side];
    if (room->raster.width)
        section_clear(&room->raster, &s->view.eye, s->view.plane);
    else if (!section_open(&room->raster, &s->view.eye, SAMPLES, s->view.plane)) {
        section_close(&room->raster);
        return BVP_ERR_NO_MEMORY;
    }
    room->surface_count = 0;
    const bvp_status status = draw(room, s);
    if (status != BVP_OK)
        return status;
    if (s->has_witnesses)
        put_dimension(s, &p);
    return image_png(SNAPSHOT_WIDTH, SNAPSHOT_HEIGHT, room->rgb, png, size) ? BVP_OK
                                                                            : BVP_ERR_NO_MEMORY;
}
