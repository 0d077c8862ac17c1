/* SPDX-License-Identifier: MIT
 * clash_zones_read.c: zones from the command line and from a JSON file.
 *
 * A key that is unknown, a zone without a shape and a file without a zone are errors, with the
 * zone's number and name in the message: a zone that was silently left out would read as "nothing
 * is in it". Spec: clash.md, "Zones"
 */
#include "clash/clash_zones.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/operand.h"
#include "cli/options.h"
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
    clash_zones *z;
    clash_zone *zone; /* the one being read, or NULL */
    const char *path;
    char folder[4096]; /* of hulls' files */
    const bvp_file_info *info;
    char where[160]; /* "zone 3 \"door\"" */
    int shape_count;
    int code;
} reading;

static int refuse(reading *in, const char *key, const char *what)
{
    complain(in->path, "%s%s%s: %s", in->where, in->where[0] && key[0] ? ", " : "", key, what);
    in->code = EXIT_USAGE;
    return in->code;
}

/* The path, the zone and the key, for messages of others. */
static const char *place_of(const reading *in, const char *key, char out[256])
{
    snprintf(out, 256, "%.60s: %s, %s", in->path, in->where, key);
    return out;
}

static int read_name(reading *in, const char *key, const json_value *value)
{
    const char *text = json_tree_text(value);
    if (!text || !text[0] || strlen(text) != json_tree_text_size(value))
        return refuse(in, key, "expected a string that is not empty");
    free(in->zone->name);
    in->zone->name = strdup(text);
    return in->zone->name ? 0 : (in->code = complain_memory());
}

static int read_shape_at(reading *in, const char *key, const char *text, int is_path)
{
    char where[256];
    const hull_request request = {.where = place_of(in, key, where),
                                  .folder = in->folder,
                                  .unit_in_metres = in->info->unit_in_metres};
    return in->code = read_shape(in->zone, &request, text, is_path);
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
        return in->code = complain_memory();
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
        return in->code = read_placement(in->zone, place_of(in, key, where), text);
    if ((count != 3 && count != 6 && count != 12) || !json_tree_numbers(value, count, numbers) ||
        !is_moderate(numbers, count))
        return refuse(in, key,
                      "expected 3, 6 or 12 numbers up to 1e30: x, y, z; these and turns in degrees "
                      "about x, then y, then z; or a row-major 3x4 matrix");
    placement_of_numbers(numbers, (int)count, in->zone->placement);
    return 0;
}

/* A number in the file's units, or "5mm". */
static int read_clearance(reading *in, const char *key, const json_value *value)
{
    char where[256];
    double *out = &in->zone->clearance;
    const char *text = json_tree_text(value);
    if (text)
        in->code = parse_length(place_of(in, key, where), text, in->info, out);
    else if (!json_tree_number(value, out))
        return refuse(in, key, "expected a length: a number, or a string such as \"5mm\"");
    if (in->code == 0 && !(*out >= 0 && isfinite(*out)))
        return refuse(in, key, "expected a length that is finite and not negative");
    return in->code;
}

static int unknown_key(reading *in, const char *key, const char *const *words)
{
    char text[160];
    const char *nearest = options_nearest(key, words);
    snprintf(text, sizeof text, "no such key%s%s%s", nearest ? "; did you mean \"" : "",
             nearest ? nearest : "", nearest ? "\"?" : "");
    return refuse(in, key, text);
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
    return strcmp(key, "comment") == 0 ? 0 : unknown_key(in, key, words);
}

static int read_zone_list(reading *in, const json_value *list)
{
    if (!json_tree_is_array(list))
        return refuse(in, "zones", "expected an array of zones");
    for (size_t i = 0; i < json_tree_size(list); i++) {
        const json_value *value = json_tree_at(list, i);
        const char *given = json_tree_text(json_tree_get(value, "name"));
        char name[32];
        snprintf(name, sizeof name, "zone %zu", i + 1);
        snprintf(in->where, sizeof in->where, given ? "%s \"%.100s\"" : "%s", name, given);
        if (!json_tree_is_object(value))
            return refuse(in, "", "expected an object");
        in->shape_count = 0;
        in->zone = add_zone(in->z); /* which may move the earlier ones */
        if (!in->zone)
            return in->code = EXIT_LIMIT;
        in->zone->name = strdup(name);
        if (!in->zone->name)
            return in->code = complain_memory();
        if (json_tree_each(value, read_zone_member, in) != 0)
            return in->code;
        if (in->shape_count != 1)
            return refuse(in, "", "expected one of \"shape\" and \"hull\"");
    }
    in->where[0] = '\0';
    return 0;
}

static int read_top_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"zones", "comment", NULL};
    reading *in = user;
    in->where[0] = '\0';
    if (strcmp(key, "zones") == 0)
        return read_zone_list(in, value);
    return strcmp(key, "comment") == 0 ? 0 : unknown_key(in, key, words);
}

int clash_zones_add_file(clash_zones *z, const char *path, const bvp_file_info *info)
{
    reading in = {.z = z, .path = path, .info = info};
    json_fault fault = {0};
    input file;
    const size_t before = z->count;
    if (folder_of(path, in.folder, sizeof in.folder) != 0) {
        complain(path, "the path is too long");
        return EXIT_LIMIT;
    }
    int code = input_open(&file, path);
    if (code != 0)
        return code;
    z->path = path;
    json_value *root = json_tree_open(file.data ? file.data : "", file.size, &fault);
    if (!root) {
        if (fault.is_memory)
            complain(path, "%s", fault.text);
        else
            complain(path, "line %d: %s; expected a JSON text of zones", fault.line, fault.text);
        code = fault.is_memory ? EXIT_LIMIT : EXIT_INPUT;
    } else {
        if (json_tree_is_array(root))
            code = read_zone_list(&in, root);
        else
            code = json_tree_each(root, read_top_member, &in) != 0 ? in.code : 0;
        if (code == 0 && z->count == before)
            code = refuse(&in, "", "there is no zone in it");
    }
    json_tree_close(root);
    input_close(&file);
    return code;
}
