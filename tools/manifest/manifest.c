/* SPDX-License-Identifier: MIT
 * manifest.c: reads the lines of a manifest, one after the other, with the memory of one line.
 * Spec: manifest.md
 */
#include "manifest/manifest.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "text/message.h"
#include "model/transform.h"

/* A line under way. */
typedef struct line {
    manifest_reader *reader;
    manifest_record *out;
    manifest_fault *fault;
} line;

static int refuse(line *l, bvp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(line *l, bvp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(l->fault->text, sizeof l->fault->text, format, arguments);
    va_end(arguments);
    l->fault->status = status;
    l->fault->at = l->out->at;
    return -1;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* ---- placements ------------------------------------------------------------------------------ */

static int read_matrix(line *l, const json_value *value)
{
    const int count = (int)json_tree_size(value);
    double rows[16];
    if ((count != 12 && count != 16) || !json_tree_numbers(value, (size_t)count, rows))
        return refuse(l, BVP_ERR_CORRUPT,
                      "\"placement\": expected 12 or 16 numbers, row by row, found %d elements%s",
                      count, count == 12 || count == 16 ? " that are not all numbers" : "");
    if (transform_from_rows(rows, count, l->out->placement) == 0)
        return 0;
    const int by_columns = rows[3] == 0 && rows[7] == 0 && rows[11] == 0 && rows[15] == 1;
    return refuse(l, BVP_ERR_ARGUMENT,
                  "\"placement\": expected 0 0 0 1 as the last four of 16 numbers%s",
                  by_columns ? ": these are written by columns, write them row by row" : "");
}

typedef struct motion {
    double move[3], turn[4], scale[3];
    const json_value *matrix;
    int count; /* members */
} motion;

/* Returns nonzero for a member that is not what it should be. */
static int read_motion(void *user, const char *key, const json_value *value)
{
    motion *m = user;
    m->count++;
    if (strcmp(key, "translate") == 0)
        return !json_tree_numbers(value, 3, m->move);
    if (strcmp(key, "rotate") == 0)
        return !json_tree_numbers(value, 4, m->turn);
    if (strcmp(key, "scale") == 0 && json_tree_number(value, &m->scale[0])) {
        m->scale[1] = m->scale[2] = m->scale[0];
        return 0;
    }
    if (strcmp(key, "scale") == 0)
        return !json_tree_numbers(value, 3, m->scale);
    m->matrix = value;
    return strcmp(key, "matrix") != 0;
}

static int read_placement(line *l, const json_value *value)
{
    motion m = {.turn = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    if (!json_tree_is_object(value))
        return read_matrix(l, value);
    if (json_tree_each(value, read_motion, &m) != 0)
        return refuse(l, BVP_ERR_CORRUPT,
                      "\"placement\": expected \"translate\" with 3 numbers, \"rotate\" with 4 (x "
                      "y z w), \"scale\" with 1 or 3, or \"matrix\" with 12 or 16");
    if (m.matrix && m.count > 1)
        return refuse(l, BVP_ERR_CORRUPT,
                      "\"placement\": expected \"matrix\" alone, found it beside other members");
    if (m.matrix)
        return read_matrix(l, m.matrix);
    transform_from_trs(m.move, m.turn, m.scale, l->out->placement);
    return 0;
}

/* ---- a line ---------------------------------------------------------------------------------- */

enum { SEEN_PLACEMENT = 1, SEEN_TYPE = 2, SEEN_HEADER = 4 };

typedef struct members {
    line *line;
    int seen;
    const char *type;
} members;

static int read_member(void *user, const char *key, const json_value *value)
{
    members *m = user;
    line *l = m->line;
    manifest_record *r = l->out;
    const char *word = json_tree_text(value);
    uint64_t count;
    const struct {
        const char *key;
        const char **text;
        char *number; /* room for a number, or NULL: it can't be one */
    } texts[] = {
        {"id", &r->id, l->reader->numbers[0]},
        {"part", &r->part, l->reader->numbers[1]},
        {"parent", &r->parent, l->reader->numbers[2]},
        {"mesh", &r->mesh, NULL},
        {"format", &r->format, NULL},
        {"name", &r->name, NULL},
        {"part_number", &r->part_number, NULL},
        {"revision", &r->revision, NULL},
        {"type", &m->type, NULL},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) != 0)
            continue;
        /* an id may be a whole number, because databases number their rows */
        if (texts[i].number && json_tree_count(value, &count)) {
            snprintf(texts[i].number, MANIFEST_ID_SIZE, "%" PRIu64, count);
            word = texts[i].number;
        }
        *texts[i].text = word;
        if (word && *word)
            return 0;
        return refuse(l, BVP_ERR_CORRUPT, "\"%s\": expected a text that is not empty", key);
    }
    if (strcmp(key, "unit") == 0) {
        double *out = &r->unit_in_metres;
        if (word)
            *out = unit_by_name(word);
        else if (!json_tree_number(value, out))
            *out = 0;
        if (*out > 0 && isfinite(*out))
            return 0;
        return refuse(
            l, BVP_ERR_ARGUMENT,
            "\"unit\": expected \"mm\", \"cm\", \"m\", \"in\", \"ft\" or a length in metres");
    }
    if (strcmp(key, "up") == 0) {
        if (!word || strlen(word) != 1 || !strchr("xyz", *word))
            return refuse(l, BVP_ERR_ARGUMENT, "\"up\": expected \"x\", \"y\" or \"z\"");
        r->up = (bvp_up)(BVP_UP_X + (*word - 'x'));
        return 0;
    }
    if (strcmp(key, "properties") == 0) {
        if (!json_tree_is_object(value))
            return refuse(l, BVP_ERR_CORRUPT, "\"properties\": expected an object");
        r->properties = value;
        return 0;
    }
    if (strcmp(key, "placement") == 0) {
        m->seen |= SEEN_PLACEMENT;
        return read_placement(l, value);
    }
    if (strcmp(key, "bvpack_manifest") == 0) {
        m->seen |= SEEN_HEADER;
        if (!json_tree_count(value, &count) || count == 0)
            return refuse(l, BVP_ERR_CORRUPT, "\"bvpack_manifest\": expected 1, its version");
        if (count == 1)
            return 0;
        return refuse(l, BVP_ERR_NEWER,
                      "\"bvpack_manifest\": expected version 1, found %" PRIu64
                      "; get a newer bvpack",
                      count);
    }
    return refuse(l, BVP_ERR_ARGUMENT,
                  "unknown key \"%.40s\"; free properties belong in \"properties\"", key);
}

/* The kind of the line: what "type" says, else what its members show. */
static int settle_kind(members *m)
{
    static const char *const words[] = {"header", "part", "instance", "assembly"};
    manifest_record *r = m->line->out;
    if (m->seen & SEEN_HEADER)
        r->kind = MANIFEST_HEADER;
    else if (r->part)
        r->kind = MANIFEST_INSTANCE;
    else if (!r->mesh)
        r->kind = MANIFEST_ASSEMBLY;
    else
        r->kind =
            r->id && !r->parent && !(m->seen & SEEN_PLACEMENT) ? MANIFEST_PART : MANIFEST_INSTANCE;
    if (!m->type)
        return 0;
    for (int k = MANIFEST_PART; k <= MANIFEST_ASSEMBLY; k++)
        if (strcmp(m->type, words[k]) == 0) {
            r->kind = (manifest_kind)k;
            return 0;
        }
    return refuse(m->line, BVP_ERR_CORRUPT,
                  "\"type\": expected \"part\", \"instance\" or \"assembly\", found \"%.20s\"",
                  m->type);
}

/* The member that is missing, or does not fit the kind of line. */
static const char *fault_of(const members *m)
{
    const manifest_record *r = m->line->out;
    if (r->kind != MANIFEST_HEADER && r->up != BVP_UP_UNKNOWN)
        return "\"up\" belongs in the first line, beside \"bvpack_manifest\"";
    if (r->unit_in_metres > 0 && r->kind != MANIFEST_HEADER && !r->mesh)
        return "\"unit\" belongs to a mesh, or in the first line beside \"bvpack_manifest\"";
    if (r->format && !r->mesh)
        return "\"format\" belongs to a mesh";
    switch (r->kind) {
    case MANIFEST_HEADER:
        if (r->id || r->part || r->mesh || r->parent || r->name || (m->seen & SEEN_PLACEMENT))
            return "expected \"unit\" and \"up\" only beside \"bvpack_manifest\"";
        return m->line->reader->has_begun ? "\"bvpack_manifest\" belongs in the first line" : NULL;
    case MANIFEST_PART:
        if (r->part || r->parent || (m->seen & SEEN_PLACEMENT))
            return "a part has no \"part\", \"parent\" or \"placement\"; instances of it have";
        return r->id && r->mesh ? NULL : "expected a part's \"id\" and \"mesh\"";
    case MANIFEST_INSTANCE:
        return !r->part != !r->mesh ? NULL
                                    : "expected an instance's \"part\" or \"mesh\", not both";
    default:
        if (r->part || r->mesh)
            return "an assembly has no \"part\" or \"mesh\"; what lies in it has";
        return r->id ? NULL
                     : "expected a \"part\", a \"mesh\", or the \"id\" of an assembly; found none";
    }
}

static int read_line(line *l, const char *end)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    members m = {.line = l};
    json_fault fault;
    *l->out = (manifest_record){.at = l->out->at};
    memcpy(l->out->placement, identity, sizeof identity);
    if (end - l->out->at > MANIFEST_LINE_SIZE)
        return refuse(l, BVP_ERR_LIMIT, "the line is longer than %d bytes", MANIFEST_LINE_SIZE);
    assert(!l->reader->value); /* manifest_next has closed the last line's */
    l->reader->value = json_tree_open(l->out->at, (size_t)(end - l->out->at), &fault);
    if (!l->reader->value && fault.is_memory)
        return refuse(l, BVP_ERR_NO_MEMORY, "%.120s", fault.text);
    if (!l->reader->value)
        return refuse(l, BVP_ERR_CORRUPT, "expected a JSON object on one line: %.120s", fault.text);
    if (!json_tree_is_object(l->reader->value))
        return refuse(l, BVP_ERR_CORRUPT, "expected a JSON object, found another value");
    if (json_tree_each(l->reader->value, read_member, &m) != 0 || settle_kind(&m) != 0)
        return -1;
    const char *what = fault_of(&m);
    l->reader->has_begun = 1;
    return what ? refuse(l, BVP_ERR_CORRUPT, "%s", what) : 0;
}

int manifest_next(manifest_reader *r, manifest_record *out, manifest_fault *fault)
{
    line l = {r, out, fault};
    assert(r->at <= r->end);
    manifest_close(r);
    if (!r->has_begun && r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
        r->at += 3;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
        r->at++;
    if (r->at == r->end)
        return 0;
    out->at = r->at;
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end : r->end;
    return read_line(&l, r->at) == 0 ? 1 : -1;
}

void manifest_close(manifest_reader *r)
{
    json_tree_close(r->value);
    r->value = NULL;
}
