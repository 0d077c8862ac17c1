/* SPDX-License-Identifier: MIT
 * clash_zones_read.c: zones from the command line and from a JSON file.
 *
 * A key that is unknown, a zone without a shape and a file without a zone are errors, with the
 * zone's number and name in the message: a zone that was silently left out would read as "nothing
 * is in it". Spec: clash.md, "Zones"
 */
#include "zones/clash_zones.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rules/clash_json.h"
#include "cli/operand.h"
#include "files/input.h"
#include "query/convex_text.h"
#include "text/array.h"
#include "text/json_tree.h"
#include "text/message.h"

#define NUMBER_MOST 1e30 /* what shows a zone is stored in floats */

/* NULL: there are too many, or no memory, which has been reported. */
static clash_zone *add_zone(clash_zones *z)
{
    if (z->count == CLASH_ZONES_MOST) {
        complain(z->path ? z->path : "--zone", "more than %d zones", CLASH_ZONES_MOST);
        return NULL;
    }
    if (array_grow(&z->items, &z->capacity, z->count + 1, sizeof *z->items) != 0) {
        complain_memory();
        return NULL;
    }
    clash_zone *zone = &z->items[z->count++];
    *zone = (clash_zone){.placement = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, .clearance = NAN};
    return zone;
}

static int is_moderate(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i]) <= NUMBER_MOST))
            return 0;
    return 1;
}

/* 0, or says at `where` what is wrong and returns the exit code. is_path: the text is a hull's
 * file. */
static int read_shape(clash_zone *zone, const hull_request *request, const char *text, int is_path)
{
    free(zone->values);
    const int code = is_path ? convex_hull_read(request, text, &zone->values, &zone->shape)
                             : convex_text_read(request, text, &zone->values, &zone->shape);
    const bvp_convex *s = &zone->shape;
    if (code != 0)
        return code;
    const double sizes[5] = {s->size[0], s->size[1], s->size[2], s->radius, s->length};
    if (!is_moderate(sizes, 5) ||
        (zone->values && !is_moderate(zone->values, 3 * (size_t)s->point_count))) {
        complain(request->where, "expected numbers up to 1e30, found %s", text);
        return EXIT_USAGE;
    }
    return 0;
}

static int read_placement(clash_zone *zone, const char *where, const char *text)
{
    const int code = parse_placement(where, text, zone->placement);
    if (code == 0 && !is_moderate(zone->placement, 12)) {
        complain(where, "expected numbers up to 1e30, found %s", text);
        return EXIT_USAGE;
    }
    return code;
}

/* ---- the command line ---------------------------------------------------------------------- */

int clash_zones_add_text(clash_zones *z, const char *text, const bvp_file_info *info)
{
    static const char option[] = "--zone";
    const hull_request request = {.where = option, .unit_in_metres = info->unit_in_metres};
    char name[32];
    clash_zone *zone = add_zone(z);
    if (!zone)
        return EXIT_LIMIT;
    const char *equals = strchr(text, '='), *shape = equals ? equals + 1 : text;
    snprintf(name, sizeof name, "zone %zu", z->count);
    zone->name = equals ? strndup(text, (size_t)(equals - text)) : strdup(name);
    char *rest = strdup(shape);
    if (!zone->name || !rest) {
        free(rest);
        return complain_memory();
    }
    int code = 0;
    char *at = strchr(rest, '@');
    if (at)
        *at++ = '\0';
    if (equals == text) {
        complain(option, "expected " CLASH_ZONE_VALUE ", found an empty NAME: \"%s\"", text);
        code = EXIT_USAGE;
    }
    if (code == 0)
        code = read_shape(zone, &request, rest, 0);
    if (code == 0 && at)
        code = read_placement(zone, option, at);
    free(rest);
    return code;
}

/* ---- the file ------------------------------------------------------------------------------ */

typedef struct reading {
    clash_json *json;
    clash_zones *z;
    clash_zone *zone;  /* the one being read */
    char folder[4096]; /* of hulls' files */
    int shape_count;
} reading;

static int refuse(reading *in, const char *key, const char *what)
{
    return clash_json_refuse(in->json, key, what);
}

static int read_name(reading *in, const char *key, const json_value *value)
{
    return clash_json_name(in->json, key, value, &in->zone->name);
}

static int read_shape_at(reading *in, const char *key, const char *text, int is_path)
{
    char where[256];
    const hull_request request = {.where = clash_json_place(in->json, key, where),
                                  .folder = in->folder,
                                  .unit_in_metres = in->json->info->unit_in_metres};
    return in->json->code = read_shape(in->zone, &request, text, is_path);
}

static int read_shape_text(reading *in, const char *key, const json_value *value)
{
    const char *text = json_tree_text(value);
    in->shape_count++;
    if (!text)
        return refuse(in, key, "expected a string such as \"box:1,2,3\" or \"sphere:0.5\"");
    return read_shape_at(in, key, text, 0);
}

static int read_hull(reading *in, const char *key, const json_value *value)
{
    const size_t count = json_tree_size(value);
    clash_zone *zone = in->zone;
    in->shape_count++;
    if (json_tree_text_size(value) > 0)
        return read_shape_at(in, key, json_tree_text(value), 1);
    if (count < 1 || count > BVP_CONVEX_POINTS)
        return refuse(in, key,
                      "expected the name of a file, or an array of 1 to 4096 points [x, y, z]");
    free(zone->values);
    zone->values = calloc(3 * count, sizeof *zone->values);
    if (!zone->values)
        return in->json->code = complain_memory();
    for (size_t i = 0; i < count; i++)
        if (!json_tree_numbers(json_tree_at(value, i), 3, zone->values + 3 * i) ||
            !is_moderate(zone->values + 3 * i, 3)) {
            char what[100];
            snprintf(what, sizeof what, "point %zu: expected three numbers up to 1e30", i + 1);
            return refuse(in, key, what);
        }
    zone->shape.kind = BVP_CONVEX_HULL;
    zone->shape.points = zone->values;
    zone->shape.point_count = (uint32_t)count;
    return 0;
}

/* A string as of --zone, or 3, 6 or 12 numbers. */
static int read_place(reading *in, const char *key, const json_value *value)
{
    char where[256];
    double numbers[12];
    const char *text = json_tree_text(value);
    const size_t count = json_tree_size(value);
    if (text)
        return in->json->code =
                   read_placement(in->zone, clash_json_place(in->json, key, where), text);
    if ((count != 3 && count != 6 && count != 12) || !json_tree_numbers(value, count, numbers) ||
        !is_moderate(numbers, count))
        return refuse(in, key,
                      "expected 3, 6 or 12 numbers up to 1e30: x, y, z; these and turns in degrees "
                      "about x, then y, then z; or a row-major 3x4 matrix");
    placement_of_numbers(numbers, (int)count, in->zone->placement);
    return 0;
}

static int read_clearance(reading *in, const char *key, const json_value *value)
{
    return clash_json_length(in->json, key, value, &in->zone->clearance);
}

static int read_zone_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"name",      "shape",   "hull", "place",
                                        "clearance", "comment", NULL};
    static int (*const readers[])(reading *, const char *, const json_value *) = {
        read_name, read_shape_text, read_hull, read_place, read_clearance};
    reading *in = user;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (strcmp(key, words[i]) == 0)
            return readers[i](in, key, value);
    return strcmp(key, "comment") == 0 ? 0 : clash_json_unknown(in->json, key, words);
}

static int read_zone(void *user, const char *name, const json_value *value)
{
    reading *in = user;
    in->shape_count = 0;
    in->zone = add_zone(in->z); /* which may move the earlier ones */
    if (!in->zone)
        return in->json->code = EXIT_LIMIT;
    in->zone->name = strdup(name);
    if (!in->zone->name)
        return in->json->code = complain_memory();
    if (json_tree_each(value, read_zone_member, in) != 0)
        return in->json->code;
    return in->shape_count == 1 ? 0 : refuse(in, "", "expected one of \"shape\" and \"hull\"");
}

static int read_top_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"zones", "comment", NULL};
    reading *in = user;
    if (strcmp(key, "zones") == 0)
        return clash_json_list(in->json, value, "zone", read_zone, in);
    return strcmp(key, "comment") == 0 ? 0 : clash_json_unknown(in->json, key, words);
}

/* Hulls' files are named from the folder of the file that names them. */
static int find_folder(reading *in, const char *path)
{
    if (folder_of(path, in->folder, sizeof in->folder) == 0)
        return 0;
    complain(path, "the path is too long");
    return EXIT_LIMIT;
}

int clash_zones_add_file(clash_zones *z, const char *path, const bvp_file_info *info)
{
    clash_json json;
    reading in = {.z = z, .json = &json};
    const size_t before = z->count;
    int code = find_folder(&in, path);
    code = code ? code : clash_json_open(&json, path, info, "zones");
    if (code != 0)
        return code;
    z->path = path;
    code = clash_json_root(&json, "zone", read_zone, read_top_member, &in);
    if (code == 0 && z->count == before)
        code = refuse(&in, "", "there is no zone in it");
    clash_json_close(&json);
    return code;
}

int clash_zones_add_list(clash_zones *z, clash_json *json, const json_value *list)
{
    reading in = {.z = z, .json = json};
    const int code = find_folder(&in, json->path);
    return code ? (json->code = code) : clash_json_list(json, list, "zone", read_zone, &in);
}
