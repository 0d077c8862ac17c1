/* SPDX-License-Identifier: MIT
 * import_obj.c: Wavefront OBJ: vertices and faces. A file is one mesh, but each object (o) that has
 * faces becomes a part; groups (g) and materials do not divide, but colours of materials are kept.
 * Ids count the file's faces from 0.
 * Spec: Wavefront, Advanced Visualizer manual, appendix B1 Object files
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "import/obj_materials.h"
#include "model/import.h"
#include "model/surface.h"
#include "text/array.h"
#include "text/text_scan.h"

enum { USES_MOST = 1 << 20 }; /* with a sink */

/* A statement usemtl: for the polygons from that number on. */
typedef struct use {
    size_t polygon;
    const char *name;
    size_t name_size;
} use;

typedef struct obj {
    importer *im;
    text_scan scan;
    surface surface;
    surface_range *objects;
    size_t object_count, object_capacity;
    use *uses;
    size_t use_count, use_capacity;
    obj_materials materials;
    int64_t largest_vertex; /* that a face names, from 1, and where: it may come later */
    const char *largest_at;
    uint64_t points, lines, free_form, unknown; /* statements left out */
} obj;

/* ---- lines ----------------------------------------------------------------------------------- */

/* Past a backslash that ends a line, and this line end. */
static int take_continuation(text_scan *s)
{
    const char *p = s->at + 1;
    if (s->at == s->end || *s->at != '\\')
        return 0;
    p += p < s->end && *p == '\r';
    p += p < s->end && *p == '\n';
    if (p == s->at + 1)
        return 0;
    s->at = p;
    return 1;
}

/* Past blanks and line ends that are continued. */
static void skip(text_scan *s)
{
    do
        scan_blanks(s);
    while (take_continuation(s));
}

/* To the end of a statement, over continued lines. */
static void skip_statement(text_scan *s)
{
    while (s->at < s->end && !scan_is_newline(*s->at))
        if (!take_continuation(s))
            s->at++;
}

static bvp_status refuse(obj *o, const char *expected)
{
    char found[QUOTE_SIZE];
    import_quote(o->scan.at, o->scan.end, found);
    return import_refuse_line(
        o->im, BVP_ERR_CORRUPT, o->scan.at, "expected %s, found %s%s%s; %s", expected,
        *found ? "\"" : "the end of the line", found, *found ? "\"" : "",
        strchr(found, ',') ? "decimals need a point: export the model with another language setting"
                           : "repair the line or export the model again");
}

/* ---- statements ------------------------------------------------------------------------------ */

/* x y z; a weight or colours may follow. */
static bvp_status read_vertex(obj *o)
{
    const char *line = o->scan.at;
    double position[3];
    for (int axis = 0; axis < 3; axis++) {
        number n;
        skip(&o->scan);
        if (!scan_number(&o->scan, &n))
            return refuse(o, "a coordinate");
        position[axis] = surface_coordinate(&o->surface, &n);
    }
    skip_statement(&o->scan);
    return surface_add_vertex(&o->surface, position, line) == 0 ? BVP_OK
                                                                : surface_refuse(&o->surface);
}

static bvp_status refuse_index(obj *o, const char *at, int64_t index)
{
    return import_refuse_line(o->im, BVP_ERR_CORRUPT, at,
                              "there is no vertex %" PRId64
                              ": the file has %zu%s; repair the model or leave such faces out with "
                              "--drop-invalid",
                              index, o->surface.vertex_count, index < 0 ? " before this line" : "");
}

/* v, v/vt, v//vn or v/vt/vn; negative numbers count back from the last vertex. */
static bvp_status read_corner(obj *o)
{
    const char *at = o->scan.at;
    int64_t index, count = (int64_t)o->surface.vertex_count;
    if (!scan_integer(&o->scan, &index))
        return refuse(o, "a vertex number");
    const char *end = o->scan.at;
    if (end < o->scan.end && !scan_is_space(*end) && *end != '/' && *end != '\\') {
        o->scan.at = at;
        return refuse(o, "a vertex number");
    }
    while (o->scan.at < o->scan.end && !scan_is_space(*o->scan.at) && *o->scan.at != '\\')
        o->scan.at++;
    int valid = index > 0 || (index < 0 && -index <= count);
    if (!valid && !o->im->options->drop_invalid)
        return refuse_index(o, at, index);
    if (index > o->largest_vertex) {
        o->largest_vertex = index;
        o->largest_at = at;
    }
    int64_t vertex = index < 0 ? count + index : index - 1;
    if (!valid || vertex > UINT32_MAX)
        vertex = UINT32_MAX;
    assert(vertex >= 0 && vertex <= UINT32_MAX);
    return surface_add_corner(&o->surface, (uint32_t)vertex) == 0 ? BVP_OK
                                                                  : surface_refuse(&o->surface);
}

static bvp_status read_face(obj *o)
{
    const text_scan *s = &o->scan;
    const size_t first = o->surface.corner_count;
    assert(o->object_count > 0);
    while (skip(&o->scan), s->at < s->end && !scan_is_newline(*s->at) && *s->at != '#') {
        const bvp_status status = read_corner(o);
        if (status != BVP_OK)
            return status;
    }
    skip_statement(&o->scan);
    if (surface_end_polygon(&o->surface, o->surface.corner_count - first) != 0)
        return surface_refuse(&o->surface);
    o->objects[o->object_count - 1].polygon_count++;
    return BVP_OK;
}

static bvp_status begin_object(obj *o, const char *name, size_t size)
{
    if (array_grow(&o->objects, &o->object_capacity, o->object_count + 1, sizeof *o->objects) != 0)
        return import_no_memory(o->im);
    o->objects[o->object_count++] = (surface_range){.first_corner = o->surface.corner_count,
                                                    .first_polygon = o->surface.polygon_count,
                                                    .name = name,
                                                    .name_size = size};
    return BVP_OK;
}

/* The words of a statement, without the blanks around them. */
static const char *take_words(text_scan *s, size_t *size)
{
    scan_blanks(s);
    const char *words = s->at, *end;
    scan_to_newline(s);
    for (end = s->at; end > words && scan_is_blank(end[-1]); end--)
        ;
    *size = (size_t)(end - words);
    return words;
}

static bvp_status use_material(obj *o)
{
    if (o->im->options->sink && o->use_count == USES_MOST)
        return import_refuse(o->im, BVP_ERR_LIMIT,
                             "has over 1,048,576 usemtl statements, which are kept in memory; "
                             "leave out --memory");
    if (array_grow(&o->uses, &o->use_capacity, o->use_count + 1, sizeof *o->uses) != 0)
        return import_no_memory(o->im);
    use *added = &o->uses[o->use_count++];
    added->polygon = o->surface.polygon_count;
    added->name = take_words(&o->scan, &added->name_size);
    return BVP_OK;
}

/* ---- colours --------------------------------------------------------------------------------- */

/* *at: the first use that is not before the object; it only grows from object to object. */
static bvp_status colour_object(obj *o, const surface_range *object, size_t *at)
{
    model *m = o->im->out;
    colour_runs runs = {0};
    const size_t first = object->first_polygon, end = first + object->polygon_count;
    while (*at < o->use_count && o->uses[*at].polygon <= first)
        ++*at;
    for (size_t i = *at > 0 ? *at - 1 : 0; i < o->use_count && o->uses[i].polygon < end; i++) {
        const use *u = &o->uses[i];
        if (i == *at && i == 0)
            colour_runs_add(&runs, 0, NULL); /* before the first use */
        colour_runs_add(&runs, u->polygon <= first ? 0 : (uint32_t)u->polygon,
                        obj_material_colour(&o->materials, u->name, u->name_size));
    }
    const bvp_status status = import_colour_mesh(o->im, &m->meshes[m->mesh_count - 1], &runs);
    colour_runs_free(&runs);
    return status;
}

static bvp_status make_meshes(obj *o)
{
    bvp_status status = BVP_OK;
    size_t at = 0;
    if (o->im->options->sink)
        status = surface_check_single(&o->surface, o->objects, o->object_count);
    for (size_t i = 0; i < o->object_count && status == BVP_OK; i++) {
        const uint32_t before = o->im->out->mesh_count;
        status = surface_make_mesh(o->im, &o->surface, &o->objects[i]);
        if (status == BVP_OK && o->im->out->mesh_count > before)
            status = colour_object(o, &o->objects[i], &at);
    }
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

typedef enum kind {
    VERTEX,
    FACE,
    OBJECT,
    USE,
    LIBRARY,
    TEXT,
    SKIPPED,
    POINTS,
    LINES,
    FREE_FORM,
    UNKNOWN
} kind;

/* Statements whose line does not end in a continuation but may end in a backslash: TEXT. */
static kind find_kind(const char *word, size_t size)
{
    static const struct {
        const char *word;
        kind kind;
    } kinds[] = {
        {"v", VERTEX},         {"f", FACE},         {"fo", FACE},         {"o", OBJECT},
        {"vn", SKIPPED},       {"vt", SKIPPED},     {"vp", SKIPPED},      {"s", SKIPPED},
        {"g", TEXT},           {"usemtl", USE},     {"mtllib", LIBRARY},  {"usemap", TEXT},
        {"maplib", TEXT},      {"p", POINTS},       {"l", LINES},         {"curv", FREE_FORM},
        {"curv2", FREE_FORM},  {"surf", FREE_FORM}, {"cstype", SKIPPED},  {"deg", SKIPPED},
        {"bmat", SKIPPED},     {"step", SKIPPED},   {"parm", SKIPPED},    {"trim", SKIPPED},
        {"hole", SKIPPED},     {"scrv", SKIPPED},   {"sp", SKIPPED},      {"end", SKIPPED},
        {"con", SKIPPED},      {"mg", SKIPPED},     {"bevel", SKIPPED},   {"c_interp", SKIPPED},
        {"d_interp", SKIPPED}, {"lod", SKIPPED},    {"shadow_obj", TEXT}, {"trace_obj", TEXT},
        {"ctech", SKIPPED},    {"stech", SKIPPED},  {"bzp", FREE_FORM},   {"bsp", FREE_FORM},
        {"cdc", FREE_FORM},    {"cdp", FREE_FORM},  {"res", SKIPPED},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].word) == size && memcmp(kinds[i].word, word, size) == 0)
            return kinds[i].kind;
    return UNKNOWN;
}

bvp_status import_obj(importer *im)
{
    const char *text = (const char *)im->data;
    size_t mark = im->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    obj o = {.im = im,
             .scan = {text + mark, text + im->size},
             .surface = {.im = im},
             .materials = {.im = im}};
    text_scan *s = &o.scan;
    uint64_t statement = 0;
    if (!(im->out->format = import_text("OBJ", 3)))
        return import_no_memory(im);
    bvp_status status = begin_object(&o, NULL, 0);
    while (status == BVP_OK && (scan_spaces(s), s->at < s->end)) {
        const char *word = s->at, *name;
        size_t name_size;
        kind what = TEXT;
        if (*word != '#') {
            scan_past_word(s);
            what = find_kind(word, (size_t)(s->at - word));
        }
        switch (what) {
        case VERTEX:
            status = read_vertex(&o);
            break;
        case FACE:
            status = read_face(&o);
            break;
        case OBJECT:
            name = take_words(s, &name_size);
            status = begin_object(&o, name, name_size);
            break;
        case USE:
            status = use_material(&o);
            break;
        case LIBRARY:
            name = take_words(s, &name_size);
            status = obj_materials_read(&o.materials, name, name_size);
            break;
        case TEXT:
            scan_to_newline(s);
            break;
        default:
            o.points += what == POINTS;
            o.lines += what == LINES;
            o.free_form += what == FREE_FORM;
            o.unknown += what == UNKNOWN;
            skip_statement(s);
        }
        assert(s->at <= s->end);
        if (++statement % 65536 == 0)
            import_progress(im, (uint64_t)(s->at - text), im->size);
    }
    /* a face may name a vertex that comes later: only now it is known which are missing */
    if (status == BVP_OK && o.largest_vertex > (int64_t)o.surface.vertex_count &&
        !im->options->drop_invalid)
        status = refuse_index(&o, o.largest_at, o.largest_vertex);
    if (status == BVP_OK)
        status = make_meshes(&o);
    if (status == BVP_OK)
        status = surface_warn(im, &o.surface);
    if (status == BVP_OK)
        status = import_warn(im, o.points, "point statements left out");
    if (status == BVP_OK)
        status = import_warn(im, o.lines, "line statements left out");
    if (status == BVP_OK)
        status = import_warn(im, o.free_form, "free-form curves and surfaces left out");
    if (status == BVP_OK)
        status = import_warn(im, o.unknown, "unknown statements left out");
    if (status == BVP_OK && o.use_count > 0)
        status = obj_materials_warn(&o.materials);
    obj_materials_free(&o.materials);
    surface_free(&o.surface);
    free(o.objects);
    free(o.uses);
    return status;
}
