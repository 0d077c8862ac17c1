/* SPDX-License-Identifier: MIT
 * operand.c: operands of the command line: FILE[:PART], placements, vectors, lengths.
 */
#include "cli/operand.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "text/keyword.h"
#include "text/message.h"
#include "path/whole_path.h"
#include "files/packed_file.h"
#include "model/transform.h"
#include "remote/remote_source.h"
#include "cli/units.h"

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* ---- numbers ------------------------------------------------------------------------------- */

int parse_numbers(const char *text, double *out, int capacity)
{
    int count = 0;
    text += strspn(text, " \t\r\n");
    while (*text) {
        char *end;
        double value = strtod(text, &end);
        if (end == text || !isfinite(value) || count == capacity)
            return -1;
        out[count++] = value;
        size_t gap = strspn(end, " \t\r\n,;");
        if (gap == 0 && *end)
            return -1;
        text = end + gap;
    }
    return count;
}

int parse_vector(const char *option, const char *text, double *out, int count)
{
    double values[64];
    int found = parse_numbers(text, values, 64);
    if (found == count) {
        memcpy(out, values, (size_t)count * sizeof *out);
        return 0;
    }
    if (found < 0)
        complain(option, "expected %d finite numbers such as 1.5,0,-2e3, found \"%s\"", count,
                 text);
    else
        complain(option, "expected %d numbers, found %d in \"%s\"", count, found, text);
    return EXIT_USAGE;
}

/* Sine and cosine of degrees, exact at multiples of 90. */
static void turn(double degrees, double *s, double *c)
{
    static const double sines[4] = {0, 1, 0, -1};
    const double radian = 0.017453292519943295;
    double rest = fmod(degrees, 360);
    if (fmod(rest, 90) == 0) {
        int quarter = ((int)(rest / 90) + 4) & 3;
        *s = sines[quarter];
        *c = sines[(quarter + 1) & 3];
    } else {
        *s = sin(rest * radian);
        *c = cos(rest * radian);
    }
}

void placement_of_numbers(const double *values, int count, double out[12])
{
    double v[6] = {0};
    assert(count == 3 || count == 6 || count == 12);
    if (count == 12) {
        memcpy(out, values, 12 * sizeof *out);
        return;
    }
    memcpy(v, values, (size_t)count * sizeof *v);
    /* Translation by v, after turns about x, then y, then z. */
    double sine[3], cosine[3];
    for (int k = 0; k < 3; k++)
        turn(v[3 + k], &sine[k], &cosine[k]);
    transform_from_turns(sine, cosine, v, out);
}

int parse_placement(const char *where, const char *text, double out[12])
{
    double v[12];
    int count = parse_numbers(text, v, 12);
    if (count == 3 || count == 6 || count == 12) {
        placement_of_numbers(v, count, out);
        return 0;
    }
    complain(where,
             "expected x,y,z or x,y,z,rx,ry,rz (degrees) or the 12 numbers of a 3x4 matrix, "
             "found \"%s\"",
             text);
    return EXIT_USAGE;
}

int parse_length(const char *option, const char *text, const bvp_file_info *info, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || isnan(value) || (*end && unit_by_name(end) == 0)) {
        complain(option, "expected a length such as 0.5 or 5mm (mm, cm, m, in, ft), found \"%s\"",
                 text);
        return EXIT_USAGE;
    }
    if (value < 0) {
        complain(option, "a length can't be negative, found \"%s\"", text);
        return EXIT_USAGE;
    }
    if (*end && info->unit_in_metres == 0) {
        complain(option,
                 "the file does not say its unit, so \"%s\" can't be converted; give a bare "
                 "number in the file's units, or pack it again with --unit",
                 text);
        return EXIT_USAGE;
    }
    *out = *end ? value * unit_by_name(end) / info->unit_in_metres : value;
    return 0;
}

int parse_box(const char *text, double out[6])
{
    const int code = parse_vector("--box", text, out, 6);
    for (int a = 0; code == 0 && a < 3; a++)
        if (out[a] > out[3 + a]) {
            complain("--box", "the low corner comes first: lo %c is above hi %c", 'x' + a, 'x' + a);
            return EXIT_USAGE;
        }
    return code;
}

/* ---- placements ---------------------------------------------------------------------------- */

void compose(const double a[12], const double b[12], double out[12])
{
    double m[12];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            const double *r = a + 4 * row;
            m[4 * row + column] = r[0] * b[column] + r[1] * b[4 + column] + r[2] * b[8 + column] +
                                  (column == 3 ? r[3] : 0);
        }
    memcpy(out, m, sizeof m);
}

static void place(operand *o, const double m[12])
{
    if (o->placed)
        compose(o->placement, m, o->placement);
    else
        memcpy(o->placement, m, sizeof o->placement);
    o->placed = memcmp(o->placement, identity, sizeof identity) != 0;
}

/* ---- parts and instances -------------------------------------------------------------------- */

static int no_such(const operand *o, const char *what, const char *selector, const char *nearest)
{
    if (nearest)
        complain(o->text, "no %s \"%s\"; did you mean \"%s\"?", what, selector, nearest);
    else
        complain(o->text, "no %s \"%s\"; \"bvpack info --parts --tree\" lists what is there", what,
                 selector);
    return EXIT_USAGE;
}

/* "#12" or "@12": the number, if it is one and below `count`; else BVP_NONE. */
static uint32_t numbered(const char *text, uint32_t count)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || value >= count)
        return BVP_NONE;
    return (uint32_t)value;
}

static int is_named(bvp_string name, const char *text)
{
    return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

static int ambiguous(const operand *o, const char *what, const char *name, char mark,
                     uint32_t first, uint32_t second)
{
    complain(o->text, "several %ss are named \"%s\"; pick one by number: %c%u, %c%u ...", what,
             name, mark, first, mark, second);
    return EXIT_USAGE;
}

/* Uses only what the file itself records: a part of a thin file may be missing, which does not make
 * its name wrong. */
static int select_part(operand *o, const char *name)
{
    bvp_part_identity part;
    uint32_t found = BVP_NONE;
    char folded[64] = "";

    if (name[0] == '#')
        found = numbered(name + 1, o->info.part_count);
    for (uint32_t i = 0; i < o->info.part_count && name[0] != '#'; i++) {
        if (bvp_get_part_identity(o->file, i, &part) != BVP_OK)
            continue;
        if (is_named(part.name, name)) {
            if (found != BVP_NONE)
                return ambiguous(o, "part", name, '#', found, i);
            found = i;
        } else if (!folded[0] && part.name.size == strlen(name) && part.name.size < sizeof folded &&
                   strncasecmp(part.name.data, name, part.name.size) == 0) {
            memcpy(folded, part.name.data, part.name.size);
        }
    }
    if (found == BVP_NONE || bvp_get_part_identity(o->file, found, &part) != BVP_OK)
        return no_such(o, "part", name, folded[0] ? folded : NULL);
    o->part = found;
    double m[12];
    memcpy(m, identity, sizeof m);
    for (int a = 0; a < 3; a++)
        m[4 * a + 3] = part.origin[a];
    if (memcmp(m, identity, sizeof m) != 0)
        place(o, m);
    return 0;
}

/* "@N", or the instance of the only node with this name that has geometry. */
static int select_instance(operand *o, const char *name)
{
    bvp_instance_info instance;
    bvp_node_info node;
    uint32_t found = numbered(name, o->info.instance_count);
    const int is_numbered = found != BVP_NONE;
    for (uint32_t i = 0; i < o->info.node_count && !is_numbered; i++) {
        if (bvp_get_node(o->file, i, &node) != BVP_OK || node.instance == BVP_NONE ||
            !is_named(node.name, name))
            continue;
        if (found != BVP_NONE)
            return ambiguous(o, "instance", name, '@', found, node.instance);
        found = node.instance;
    }
    if (found == BVP_NONE || bvp_get_instance(o->file, found, &instance) != BVP_OK)
        return no_such(o, "instance", name, NULL);
    o->part = instance.part;
    o->instance = found;
    place(o, instance.placement);
    return 0;
}

/* ---- the operand ---------------------------------------------------------------------------- */

static int open_file(operand *o, const char *path, const bvp_open_options *how)
{
    bvp_error error = {0};
    bvp_status status = packed_open(path, how, &o->file, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    bvp_get_info(o->file, &o->info);
    return 0;
}

static void start(operand *o, const char *text)
{
    memset(o, 0, sizeof *o);
    o->text = text;
    o->part = BVP_ASSEMBLY;
    o->instance = BVP_NONE;
    o->scale = 1;
    memcpy(o->placement, identity, sizeof identity);
}

static int check_part(const operand *o, uint32_t part)
{
    bvp_error error = {0};
    const bvp_status status = bvp_check_part(o->file, part, &error);
    return status == BVP_OK ? 0 : complain_status(o->text, status, &error);
}

static int can_use(bvp_box_test test, const bvp_hierarchy_info *h)
{
    const int is_boxtree = h->kind == BVP_KIND_BOXTREE;
    if (test == BVP_TEST_LOOKUP || test == BVP_TEST_FOUR_LOOKUP)
        return is_boxtree && h->offset_size == 1;
    if (test == BVP_TEST_ALIGNED || test >= BVP_TEST_FOUR_SAT)
        return is_boxtree;
    return test == BVP_TEST_DEFAULT || is_boxtree || h->kind == BVP_KIND_AABB ||
           h->kind == BVP_KIND_OBB;
}

/* Does every part that may be queried have a hierarchy of the kind, and can queries walk it by the
 * box test? */
static int check_hierarchies(const operand *o, const bvp_open_options *how)
{
    const int one = o->part != BVP_ASSEMBLY;
    const uint32_t first = one ? o->part : 0, end = one ? o->part + 1 : o->info.part_count;
    if (how->kind == BVP_KIND_DEFAULT && how->box_test == BVP_TEST_DEFAULT)
        return 0;
    for (uint32_t part = first; part < end; part++) {
        bvp_hierarchy_info h;
        uint32_t i = 0;
        /* without a kind, queries walk the first one */
        while (bvp_get_hierarchy(o->file, part, i, &h) == BVP_OK && how->kind != h.kind &&
               how->kind != BVP_KIND_DEFAULT)
            i++;
        if (bvp_get_hierarchy(o->file, part, i, &h) == BVP_OK) {
            if (can_use(how->box_test, &h))
                continue;
            complain(
                "--box-test",
                "the hierarchy %s of part #%u in \"%s\" cannot be asked by this test: sat and "
                "sat-lite are for boxtree, aabb and obb, aligned and four- for boxtree, lookup "
                "for boxtree with offsets of 8 bits; choose one with --hierarchy",
                kind_name((uint32_t)h.kind), part, o->text);
            return EXIT_USAGE;
        }
        if (how->kind == BVP_KIND_DEFAULT)
            continue; /* a part that is missing is told by the query */
        complain(o->text,
                 "part #%u has no hierarchy of the kind %s; \"bvpack info\" lists what is there, "
                 "\"bvpack pack --hierarchy\" builds others",
                 part, kind_name((uint32_t)how->kind));
        return EXIT_USAGE;
    }
    return 0;
}

int operand_open(operand *o, const char *text, const char *place_text, const bvp_open_options *how,
                 const operand_unit *unit)
{
    char path[4096];
    int code = 0;

    start(o, text);
    /* "FILE:SELECTOR" is split at the last colon; the selector is empty for a plain FILE. */
    const char *colon = access(text, F_OK) == 0 ? NULL : strrchr(path_behind_drive(text), ':');
    if (remote_is(text) && colon && strpbrk(colon, "/?")) /* of https: or a port */
        colon = NULL;
    const char *selector = colon ? colon + 1 : "";
    const size_t size = colon ? (size_t)(colon - text) : strlen(text);
    if (size >= sizeof path) {
        complain(NULL, "the operand's file name is too long: \"%.60s...\"", text);
        return EXIT_USAGE;
    }
    memcpy(path, text, size);
    path[size] = '\0';
    if (place_text) {
        code = parse_placement("placement", place_text, o->placement);
        o->placed = memcmp(o->placement, identity, sizeof identity) != 0;
    }
    if (code == 0)
        code = open_file(o, path, how);
    if (code != 0)
        return code;
    if (how && how->verify_lazily) /* a damaged name is neither printed nor reported as wrong */
        code = check_part(o, BVP_ASSEMBLY);
    if (code == 0 && unit)
        code = units_assume(unit->assume, &o->info);
    if (code == 0 && unit && unit->first)
        code = units_scale(unit->first->text, &unit->first->info, o->text, &o->info, &o->scale);
    if (code == 0 && unit && o->placed)
        code = units_check_placement(o->text, o->placement, o->scale);
    if (code == 0 && unit && o->scale != 1) {
        const double s = o->scale, m[12] = {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0};
        place(o, m);
    }
    if (code == 0 && selector[0] == '@')
        code = select_instance(o, selector + 1);
    else if (code == 0 && selector[0])
        code = select_part(o, selector);
    if (code == 0 && how)
        code = check_hierarchies(o, how);
    if (code != 0)
        operand_close(o);
    return code;
}

int operand_check(const operand *o)
{
    bvp_instance_info instance;
    int code = check_part(o, BVP_ASSEMBLY);
    if (code != 0 || o->part != BVP_ASSEMBLY)
        return code != 0 ? code : check_part(o, o->part);
    uint8_t *is_checked = calloc((size_t)o->info.part_count + 1, 1);
    if (!is_checked)
        return complain_memory();
    for (uint32_t i = 0; i < o->info.instance_count && code == 0; i++) {
        const bvp_status status = bvp_get_instance(o->file, i, &instance);
        if (status != BVP_OK)
            code = complain_status(o->text, status, NULL);
        else if (!is_checked[instance.part])
            code = check_part(o, instance.part);
        if (code == 0)
            is_checked[instance.part] = 1;
    }
    free(is_checked);
    return code;
}

int operand_open_part(operand *o, const char *path, const char *part)
{
    static const bvp_open_options whole = {.verify_lazily = 1, .read_ahead = 1};
    start(o, path);
    int code = open_file(o, path, &whole);
    if (code != 0 || !part)
        return code;
    code = check_part(o, BVP_ASSEMBLY);
    if (code == 0)
        code = select_part(o, part);
    if (code != 0)
        operand_close(o);
    return code;
}

void operand_close(operand *o)
{
    bvp_close(o->file);
    free(o->bits);
    o->file = NULL;
    o->bits = NULL;
}

bvp_body operand_body(const operand *o)
{
    return (bvp_body){.file = o->file,
                      .part = o->part,
                      .placement = o->placed ? o->placement : NULL,
                      .filter = o->bits ? &o->filter : NULL};
}
