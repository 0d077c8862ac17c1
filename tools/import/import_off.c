/* SPDX-License-Identifier: MIT
 * import_off.c: OFF, with the prefixes ST, C and N, whose data are skipped; text only.
 * Spec: Geomview manual, OFF files
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include "model/import.h"
#include "model/surface.h"
#include "text/text_scan.h"

typedef struct off {
    importer *im;
    text_scan scan;
    surface surface;
    uint64_t vertex_count, face_count; /* announced */
} off;

/* Past blanks, newlines and comments. */
static void skip(text_scan *s)
{
    while (scan_spaces(s), s->at < s->end && *s->at == '#')
        scan_to_newline(s);
}

static bvp_status refuse(off *o, const char *expected)
{
    char found[QUOTE_SIZE];
    int at_end = o->scan.at == o->scan.end;
    import_quote(o->scan.at, o->scan.end, found);
    return import_refuse_line(
        o->im, BVP_ERR_CORRUPT, o->scan.at, "expected %s, found %s%s%s; %s", expected,
        at_end ? "the end of the file" : "\"", found, at_end ? "" : "\"",
        at_end               ? "it is cut off, get it again"
        : strchr(found, ',') ? "decimals need a point: export the model with another language "
                               "setting"
                             : "repair the line or export the model again");
}

/* [ST][C][N][4][n]OFF; it may be missing, or stand right before the counts. */
static bvp_status read_keyword(off *o)
{
    text_scan *s = &o->scan;
    skip(s);
    const char *first = s->at, *p = first, *end = s->end;
    p += end - p >= 2 && p[0] == 'S' && p[1] == 'T' ? 2 : 0;
    p += p < end && *p == 'C';
    p += p < end && *p == 'N';
    const char *dimensions = p;
    p += p < end && *p == '4';
    p += p < end && *p == 'n';
    if (end - p < 3 || memcmp(p, "OFF", 3) != 0)
        return BVP_OK;
    if (p > dimensions)
        return import_refuse_line(o->im, BVP_ERR_ARGUMENT, first,
                                  "expected points in space, found a file of other dimensions "
                                  "(4OFF, nOFF); export the model as OFF");
    s->at = p + 3;
    scan_blanks(s);
    if (scan_word(s, "binary"))
        return import_refuse_line(o->im, BVP_ERR_ARGUMENT, first,
                                  "expected text, found binary OFF; export the model as text");
    return BVP_OK;
}

static int take_count(off *o, uint64_t *count)
{
    int64_t value;
    if (!scan_integer(&o->scan, &value) || value < 0)
        return 0;
    *count = (uint64_t)value;
    return o->scan.at == o->scan.end || scan_is_space(*o->scan.at) || *o->scan.at == '#';
}

static bvp_status read_face(off *o)
{
    uint64_t size;
    skip(&o->scan);
    const char *line = o->scan.at;
    if (!take_count(o, &size)) {
        o->scan.at = line;
        return refuse(o, "a face's number of corners");
    }
    for (uint64_t i = 0; i < size; i++) { /* ends at the file's end, whatever the size */
        int64_t vertex;
        skip(&o->scan);
        const char *at = o->scan.at;
        if (!scan_integer(&o->scan, &vertex))
            return refuse(o, "a face's vertex number");
        int valid = vertex >= 0 && (uint64_t)vertex < o->vertex_count;
        if (!valid && !o->im->options->drop_invalid)
            return import_refuse_line(
                o->im, BVP_ERR_CORRUPT, at,
                "expected a vertex number below %" PRIu64 ", found %" PRId64
                "; repair the model or leave such faces out with --drop-invalid",
                o->vertex_count, vertex);
        if (surface_add_corner(&o->surface, valid ? (uint32_t)vertex : UINT32_MAX) != 0)
            return surface_refuse(&o->surface);
    }
    scan_to_newline(&o->scan);
    return surface_end_polygon(&o->surface, size) == 0 ? BVP_OK : surface_refuse(&o->surface);
}

/* After the keyword: the counts of vertices, faces and, perhaps, edges; then the vertices and
 * faces. */
static bvp_status read_body(off *o)
{
    uint64_t edges;
    bvp_status status = BVP_OK;
    skip(&o->scan);
    const char *line = o->scan.at;
    if (!take_count(o, &o->vertex_count))
        return refuse(o, "the number of vertices");
    skip(&o->scan);
    if (!take_count(o, &o->face_count))
        return refuse(o, "the number of faces");
    scan_blanks(&o->scan);
    if (o->scan.at < o->scan.end && *o->scan.at >= '0' && *o->scan.at <= '9' &&
        !take_count(o, &edges))
        return refuse(o, "the number of edges");
    /* Each of them needs a line of a few bytes. */
    if (o->vertex_count > o->im->size / 6 || o->face_count > o->im->size / 2)
        return import_refuse_line(o->im, BVP_ERR_CORRUPT, line,
                                  "%" PRIu64 " vertices and %" PRIu64
                                  " faces can't be in a file of "
                                  "%zu bytes; it is cut off or damaged, get it again",
                                  o->vertex_count, o->face_count, o->im->size);
    for (uint64_t i = 0; i < o->vertex_count; i++) {
        double position[3];
        skip(&o->scan);
        line = o->scan.at;
        for (int axis = 0; axis < 3; axis++) {
            number n;
            skip(&o->scan);
            if (!scan_number(&o->scan, &n))
                return refuse(o, "a vertex's coordinate");
            position[axis] = surface_coordinate(&o->surface, &n);
        }
        scan_to_newline(&o->scan); /* past what may follow, colours for example */
        if (surface_add_vertex(&o->surface, position, line) != 0)
            return surface_refuse(&o->surface);
    }
    assert(o->surface.vertex_count == o->vertex_count);
    for (uint64_t i = 0; i < o->face_count && status == BVP_OK; i++)
        status = read_face(o);
    skip(&o->scan);
    if (status == BVP_OK && o->scan.at < o->scan.end)
        return refuse(o, "the end of the file after the last face");
    return status;
}

bvp_status import_off(importer *im)
{
    const char *text = (const char *)im->data;
    size_t mark = im->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    off o = {.im = im, .scan = {text + mark, text + im->size}, .surface = {.im = im}};
    if (!(im->out->format = import_text("OFF", 3)))
        return import_no_memory(im);
    bvp_status status = read_keyword(&o);

    if (status == BVP_OK)
        status = read_body(&o);
    surface_range all = {.polygon_count = o.surface.polygon_count};
    if (status == BVP_OK)
        status = surface_make_mesh(im, &o.surface, &all);
    if (status == BVP_OK)
        status = surface_warn(im, &o.surface);
    surface_free(&o.surface);
    return status;
}
