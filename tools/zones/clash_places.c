/* SPDX-License-Identifier: MIT
 * clash_places.c: finds the room, the level and the grid lines of a point.
 *
 * Zones are read as those of --zones, but one place may be made of several of the same name, as a
 * room with a corner is. Spec: clash.md, "Places"
 */
#include "zones/clash_places.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/transform.h"
#include "rules/clash_json.h"
#include "text/array.h"
#include "text/message.h"

enum { LINES_MOST = 10000 };

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct reading {
    clash_json json;
    clash_places *p;
    clash_line *line; /* the one being read */
    int axis_count;
    const bvp_file_info *info;
} reading;

static int refuse(reading *in, const char *key, const char *what)
{
    return clash_json_refuse(&in->json, key, what);
}

static int read_line_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"name", "x", "y", "z", "comment", NULL};
    reading *in = user;
    if (strcmp(key, "name") == 0)
        return clash_json_name(&in->json, key, value, &in->line->name);
    if (strcmp(key, "comment") == 0)
        return 0;
    if (strlen(key) != 1 || key[0] < 'x' || key[0] > 'z')
        return clash_json_unknown(&in->json, key, words);
    in->axis_count++;
    in->line->axis = key[0] - 'x';
    return json_tree_number(value, &in->line->at) && isfinite(in->line->at)
               ? 0
               : refuse(in, key, "expected a number, in the file's unit");
}

static int read_line(void *user, const char *name, const json_value *value)
{
    reading *in = user;
    clash_places *p = in->p;
    if (p->line_count == LINES_MOST)
        return refuse(in, "", "more than 10000 lines");
    if (array_grow(&p->lines, &p->line_capacity, p->line_count + 1, sizeof *p->lines) != 0)
        return in->json.code = complain_memory();
    in->line = &p->lines[p->line_count++];
    *in->line = (clash_line){.name = strdup(name)};
    in->axis_count = 0;
    if (!in->line->name)
        return in->json.code = complain_memory();
    if (json_tree_each(value, read_line_member, in) != 0)
        return in->json.code;
    return in->axis_count == 1 ? 0 : refuse(in, "", "expected one of \"x\", \"y\" and \"z\"");
}

static int read_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"zones", "lines", "comment", NULL};
    reading *in = user;
    if (strcmp(key, "zones") == 0)
        return clash_zones_add_list(&in->p->zones, &in->json, value);
    if (strcmp(key, "lines") == 0)
        return clash_json_list(&in->json, value, "line", read_line, in);
    return strcmp(key, "comment") == 0 ? 0 : clash_json_unknown(&in->json, key, words);
}

/* A place is told by whether a point is in it. */
static int check_zones(reading *in)
{
    const clash_zones *z = &in->p->zones;
    for (size_t i = 0; i < z->count; i++) {
        const clash_zone *zone = &z->items[i];
        if (zone->shape.kind == BVP_CONVEX_HULL || !transform_is_usable(zone->placement)) {
            complain(in->json.path,
                     "zone \"%s\": expected a box, sphere, capsule or cylinder, and a placement "
                     "that is not singular; a room with a corner is two boxes of one name",
                     zone->name);
            return EXIT_USAGE;
        }
    }
    return 0;
}

int clash_places_read(clash_places *p, const char *path, const bvp_file_info *info)
{
    reading in = {.p = p, .info = info};
    p->up = info->up == BVP_UP_Y ? 1 : 2;
    int code = clash_json_open(&in.json, path, info, "places");
    if (code != 0)
        return code;
    p->zones.path = path;
    code = json_tree_is_object(in.json.root)
               ? json_tree_each(in.json.root, read_member, &in) ? in.json.code : 0
               : refuse(&in, "", "expected an object with \"zones\" and \"lines\"");
    if (code == 0 && p->zones.count == 0 && p->line_count == 0)
        code = refuse(&in, "", "there is no place in it");
    code = code ? code : check_zones(&in);
    clash_json_close(&in.json);
    return code;
}

void clash_places_free(clash_places *p)
{
    for (size_t i = 0; i < p->line_count; i++)
        free(p->lines[i].name);
    free(p->lines);
    clash_zones_free(&p->zones);
    memset(p, 0, sizeof *p);
}

/* ---- points -------------------------------------------------------------------------------- */

static int is_in(const clash_zone *zone, const double point[3])
{
    const double there[12] = {1, 0, 0, point[0], 0, 1, 0, point[1], 0, 0, 1, point[2]};
    const bvp_convex *s = &zone->shape;
    double own[12];
    transform_relative(zone->placement, there, own);
    const double x = own[3], y = own[7], z = own[11];
    switch (s->kind) {
    case BVP_CONVEX_BOX:
        return fabs(x) <= s->size[0] / 2 && fabs(y) <= s->size[1] / 2 && fabs(z) <= s->size[2] / 2;
    case BVP_CONVEX_SPHERE:
        return sqrt(x * x + y * y + z * z) <= s->radius;
    case BVP_CONVEX_CAPSULE:
        return hypot(hypot(x, y), fmax(fabs(z) - s->length / 2, 0)) <= s->radius;
    case BVP_CONVEX_CYLINDER:
        return hypot(x, y) <= s->radius && fabs(z) <= s->length / 2;
    case BVP_CONVEX_HULL:
        break;
    }
    return 0;
}

static const char *zone_of(const clash_places *p, const double point[3])
{
    for (size_t i = 0; i < p->zones.count; i++)
        if (is_in(&p->zones.items[i], point))
            return p->zones.items[i].name;
    return NULL;
}

/* The highest level that is not above the point. */
static const char *level_of(const clash_places *p, const double point[3])
{
    const clash_line *best = NULL;
    for (size_t i = 0; i < p->line_count; i++) {
        const clash_line *l = &p->lines[i];
        if (l->axis == p->up && l->at <= point[p->up] && (!best || l->at > best->at))
            best = l;
    }
    return best ? best->name : NULL;
}

static const char *nearest_line(const clash_places *p, const double point[3], int axis)
{
    const clash_line *best = NULL;
    for (size_t i = 0; i < p->line_count; i++) {
        const clash_line *l = &p->lines[i];
        if (l->axis == axis && (!best || fabs(l->at - point[axis]) < fabs(best->at - point[axis])))
            best = l;
    }
    return best ? best->name : NULL;
}

/* Behind what there is already, if anything. */
static int add(growing_text *out, const char *between, bvp_string text)
{
    if (text.size == 0)
        return 0;
    if (out->size > 0 && growing_text_add(out, between, strlen(between)) != 0)
        return -1;
    return growing_text_add(out, text.data, text.size);
}

static bvp_string string_of(const char *text)
{
    return (bvp_string){text ? text : "", text ? strlen(text) : 0};
}

int clash_places_name(const clash_places *p, const double point[3], bvp_string otherwise,
                      growing_text *out)
{
    const char *zone = zone_of(p, point), *level = level_of(p, point);
    const char *between = ", ";
    growing_text_clear(out);
    int code = zone || level ? 0 : add(out, between, otherwise);
    code = code ? code : add(out, between, string_of(zone));
    code = code ? code : add(out, between, string_of(level));
    for (int axis = 0; axis < 3 && code == 0; axis++) {
        const char *line = axis != p->up ? nearest_line(p, point, axis) : NULL;
        if (line) {
            code = add(out, between, string_of(line));
            between = "/";
        }
    }
    return code;
}
