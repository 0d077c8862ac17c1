/* SPDX-License-Identifier: MIT
 * import_obj.c: Wavefront OBJ: vertices and faces. A file is one mesh, but each object (o) that has
 * faces becomes a part; groups (g) and materials do not divide, but colours of materials are kept.
 * Ids count the file's faces from 0. Large files are read by several threads.
 * Spec: Wavefront, Advanced Visualizer manual, appendix B1 Object files
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "import/crew.h"
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

/* A corner that counts back from the vertices so far, of a piece, where these are not known. */
typedef struct backward {
    size_t corner;
    uint64_t before; /* vertices of the piece before it */
    int64_t index;   /* below 0 */
} backward;

/* A file, or a piece of its lines: what counts vertices or polygons counts those of the piece. */
typedef struct obj {
    importer *im;
    text_scan scan;
    int is_piece;
    bvp_status status;
    importer piece_importer; /* of a piece: nobody reads its message */
    bvp_error piece_error;
    backward *backwards;
    size_t backward_count, backward_capacity;
    use *libraries; /* of a piece: statements mtllib; else they are read at once */
    size_t library_count, library_capacity;
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
    int valid = index > 0 || (index < 0 && (-index <= count || o->is_piece));
    if (index < 0 && o->is_piece) { /* counted when the piece is added */
        if (array_grow(&o->backwards, &o->backward_capacity, o->backward_count + 1,
                       sizeof *o->backwards) != 0)
            return import_no_memory(o->im);
        o->backwards[o->backward_count++] =
            (backward){o->surface.corner_count, o->surface.vertex_count, index};
        index = 1;
    }
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

/* ---- plain lines ----------------------------------------------------------------------------- */

/* Almost all lines of a large file: "v x y z" and "f a b c", with plain numbers and nothing after
 * them. They are read here, quickly; every other line, and whatever is wrong, above. Both return 0
 * if nothing has been taken. */

static inline int take_plain_vertex(obj *o)
{
    surface *s = &o->surface;
    const char *p = o->scan.at, *end = o->scan.end;
    double position[3];
    int needs_double = 0;
    for (int axis = 0; axis < 3; axis++) {
        number n;
        p = scan_plain_number(scan_past_blanks(p, end), end, &n);
        if (!p)
            return 0;
        needs_double |= !n.prints_float;
        position[axis] = n.value; /* its float is the nearest, too */
    }
    if (p == end || !scan_is_newline(*p) || !isfinite(position[0] + position[1] + position[2]) ||
        surface_add_vertex(s, position, o->scan.at) != 0)
        return 0;
    s->needs_double |= needs_double;
    o->scan.at = p;
    return 1;
}

static inline int take_plain_face(obj *o)
{
    enum { ROOM = 16 };
    surface *s = &o->surface;
    const size_t first = s->corner_count;
    const char *p = o->scan.at, *end = o->scan.end;
    int64_t largest = o->largest_vertex;
    const char *largest_at = o->largest_at;
    for (;;) {
        p = scan_past_blanks(p, end);
        if (end - p < ROOM)
            break;
        if (scan_is_newline(*p)) {
            if (surface_end_polygon(s, s->corner_count - first) != 0)
                break;
            o->objects[o->object_count - 1].polygon_count++;
            o->largest_vertex = largest;
            o->largest_at = largest_at;
            o->scan.at = p;
            return 1;
        }
        const char *at = p;
        unsigned digits;
        uint32_t index = scan_eight(p, &digits);
        p += digits;
        if (digits == 8 && (unsigned)(*p - '0') < 10)
            index = index * 10 + (unsigned)(*p++ - '0'); /* below 10^9; more digits end it below */
        if (*p == '/')
            while (p < end && !scan_is_space(*p) && *p != '\\')
                p++;
        if (index == 0 || p == end || !scan_is_space(*p) || surface_add_corner(s, index - 1) != 0)
            break;
        if (index > largest) {
            largest = index;
            largest_at = at;
        }
    }
    s->corner_count = first;
    return 0;
}

/* ---- other statements ------------------------------------------------------------------------ */

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

static bvp_status add_use(obj *o, const use *added)
{
    if (o->im->options->sink && o->use_count == USES_MOST)
        return import_refuse(o->im, BVP_ERR_LIMIT,
                             "has over 1,048,576 usemtl statements, which are kept in memory; "
                             "leave out --memory");
    if (array_grow(&o->uses, &o->use_capacity, o->use_count + 1, sizeof *o->uses) != 0)
        return import_no_memory(o->im);
    o->uses[o->use_count++] = *added;
    return BVP_OK;
}

static bvp_status use_material(obj *o)
{
    use added = {.polygon = o->surface.polygon_count};
    added.name = take_words(&o->scan, &added.name_size);
    return add_use(o, &added);
}

static bvp_status use_library(obj *o)
{
    use added = {.name = NULL};
    added.name = take_words(&o->scan, &added.name_size);
    if (!o->is_piece)
        return obj_materials_read(&o->materials, added.name, added.name_size);
    if (array_grow(&o->libraries, &o->library_capacity, o->library_count + 1,
                   sizeof *o->libraries) != 0)
        return import_no_memory(o->im);
    o->libraries[o->library_count++] = added;
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

/* Reads the statements from scan.at on. */
static bvp_status read_statements(obj *o)
{
    text_scan *s = &o->scan;
    uint64_t statement = 0;
    bvp_status status = begin_object(o, NULL, 0);
    while (status == BVP_OK && (scan_spaces(s), s->at < s->end)) {
        const char *word = s->at, *name;
        size_t name_size;
        kind what = TEXT;
        if (*word != '#') {
            scan_past_word(s);
            what = s->at - word > 1 ? find_kind(word, (size_t)(s->at - word))
                   : *word == 'v'   ? VERTEX
                   : *word == 'f'   ? FACE
                                    : find_kind(word, 1);
        }
        switch (what) {
        case VERTEX:
            if (!take_plain_vertex(o))
                status = read_vertex(o);
            break;
        case FACE:
            if (!take_plain_face(o))
                status = read_face(o);
            break;
        case OBJECT:
            name = take_words(s, &name_size);
            status = begin_object(o, name, name_size);
            break;
        case USE:
            status = use_material(o);
            break;
        case LIBRARY:
            status = use_library(o);
            break;
        case TEXT:
            scan_to_newline(s);
            break;
        default:
            o->points += what == POINTS;
            o->lines += what == LINES;
            o->free_form += what == FREE_FORM;
            o->unknown += what == UNKNOWN;
            skip_statement(s);
        }
        assert(s->at <= s->end);
        if (++statement % 65536 == 0 && !o->is_piece)
            import_progress(o->im, (uint64_t)(s->at - (const char *)o->im->data), o->im->size);
    }
    return status;
}

/* ---- pieces of a file ------------------------------------------------------------------------ */

/* A large file is read in pieces of whole lines, by several threads, ROUND of them at a time. A
 * piece counts its own vertices and polygons; when those before it are known its arrays are copied
 * to where they belong, by several threads, too. If anything at all is wrong, the whole is read
 * again in one, which says what, in the same words whatever the number of threads. */
enum { PIECE_SIZE = 4 << 20, ROUND = 16 };

typedef struct piece_round {
    obj *to;
    obj pieces[ROUND];
    int is_used[ROUND]; /* the surface has arrays, of an earlier round */
    uint32_t count;
    size_t first_vertex[ROUND], first_corner[ROUND], first_polygon[ROUND];
} piece_round;

/* The first line after `at` that does not continue another one. */
static const char *find_line(const char *begin, const char *at, const char *end)
{
    for (; at < end; at++) {
        if (!scan_is_newline(*at))
            continue;
        const char *last = at; /* of what precedes the line end */
        last -= *at == '\n' && at > begin && at[-1] == '\r';
        if (last == begin || last[-1] != '\\')
            return at + 1;
    }
    return end;
}

static void read_piece(void *user, uint32_t i)
{
    obj *o = &((piece_round *)user)->pieces[i];
    o->status = read_statements(o);
}

static void copy_piece(void *user, uint32_t i)
{
    const piece_round *r = user;
    const surface *from = &r->pieces[i].surface;
    surface *to = &r->to->surface;
    if (from->vertex_count > 0)
        memcpy(to->positions + 3 * r->first_vertex[i], from->positions,
               3 * from->vertex_count * sizeof *to->positions);
    if (from->corner_count > 0)
        memcpy(to->corners + r->first_corner[i], from->corners,
               from->corner_count * sizeof *to->corners);
    if (from->polygon_count > 0)
        memcpy(to->sizes + r->first_polygon[i], from->sizes,
               from->polygon_count * sizeof *to->sizes);
}

/* What a piece says besides its arrays, for which there is room in `o` now. */
static bvp_status add_piece(obj *o, const obj *piece, size_t vertex, size_t corner, size_t polygon)
{
    bvp_status status = BVP_OK;
    o->surface.needs_double |= piece->surface.needs_double;
    if (!o->surface.odd_at && piece->surface.odd_at) {
        o->surface.odd_at = piece->surface.odd_at;
        o->surface.odd_vertex = vertex + piece->surface.odd_vertex;
    }
    if (piece->largest_vertex > o->largest_vertex) {
        o->largest_vertex = piece->largest_vertex;
        o->largest_at = piece->largest_at;
    }
    o->points += piece->points;
    o->lines += piece->lines;
    o->free_form += piece->free_form;
    o->unknown += piece->unknown;
    /* what precedes its first object belongs to the last one before it */
    o->objects[o->object_count - 1].polygon_count += piece->objects[0].polygon_count;
    for (size_t i = 1; i < piece->object_count && status == BVP_OK; i++) {
        const surface_range *from = &piece->objects[i];
        status = begin_object(o, from->name, from->name_size);
        if (status != BVP_OK)
            return status;
        surface_range *added = &o->objects[o->object_count - 1];
        added->first_corner = corner + from->first_corner;
        added->first_polygon = polygon + from->first_polygon;
        added->polygon_count = from->polygon_count;
    }
    for (size_t i = 0; i < piece->use_count && status == BVP_OK; i++) {
        use added = piece->uses[i];
        added.polygon += polygon;
        status = add_use(o, &added);
    }
    for (size_t i = 0; i < piece->library_count && status == BVP_OK; i++)
        status = obj_materials_read(&o->materials, piece->libraries[i].name,
                                    piece->libraries[i].name_size);
    return status;
}

/* Corners that count backwards, of a piece that has been copied. */
static bvp_status count_backwards(obj *o, const obj *piece, size_t vertex, size_t corner)
{
    for (size_t i = 0; i < piece->backward_count; i++) {
        const backward *b = &piece->backwards[i];
        const int64_t found = (int64_t)(vertex + b->before) + b->index;
        if (found < 0 && !o->im->options->drop_invalid)
            return BVP_ERR_CORRUPT;
        o->surface.corners[corner + b->corner] = found < 0 ? UINT32_MAX : (uint32_t)found;
    }
    return BVP_OK;
}

/* All but the surface, whose arrays the next piece takes over. */
static void free_lists(obj *o)
{
    free(o->objects);
    free(o->uses);
    free(o->backwards);
    free(o->libraries);
}

static bvp_status add_round(piece_round *r, uint32_t threads)
{
    surface *to = &r->to->surface;
    size_t vertices = to->vertex_count, corners = to->corner_count, polygons = to->polygon_count;
    for (uint32_t i = 0; i < r->count; i++) {
        const obj *piece = &r->pieces[i];
        if (piece->status != BVP_OK)
            return piece->status;
        r->first_vertex[i] = vertices;
        r->first_corner[i] = corners;
        r->first_polygon[i] = polygons;
        vertices += piece->surface.vertex_count;
        corners += piece->surface.corner_count;
        polygons += piece->surface.polygon_count;
    }
    if (surface_reserve(to, vertices, corners, polygons) != 0)
        return BVP_ERR_NO_MEMORY;
    to->vertex_count = vertices;
    to->corner_count = corners;
    to->polygon_count = polygons;
    crew_run(threads, r->count, copy_piece, r);
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < r->count && status == BVP_OK; i++) {
        status = add_piece(r->to, &r->pieces[i], r->first_vertex[i], r->first_corner[i],
                           r->first_polygon[i]);
        if (status == BVP_OK)
            status = count_backwards(r->to, &r->pieces[i], r->first_vertex[i], r->first_corner[i]);
    }
    return status;
}

/* Anything but BVP_OK: something is wrong, and the file has to be read in one. */
static bvp_status read_in_pieces(obj *o, uint32_t threads)
{
    static const import_options plain;
    const char *begin = (const char *)o->im->data, *end = o->scan.end;
    piece_round *r = malloc(sizeof *r);
    import_options options = plain;
    if (!r)
        return BVP_ERR_NO_MEMORY;
    memset(r->is_used, 0, sizeof r->is_used);
    options.drop_invalid = o->im->options->drop_invalid;
    /* with a sink memory is scarce */
    const uint32_t most = o->im->options->sink && 2 * threads < ROUND ? 2 * threads : ROUND;
    bvp_status status = begin_object(o, NULL, 0);
    while (status == BVP_OK && o->scan.at < end) {
        r->to = o;
        for (r->count = 0; r->count < most && o->scan.at < end; r->count++) {
            const char *last = end - o->scan.at > PIECE_SIZE
                                   ? find_line(begin, o->scan.at + PIECE_SIZE, end)
                                   : end;
            obj *piece = &r->pieces[r->count];
            const surface kept = r->is_used[r->count] ? piece->surface : (surface){0};
            r->is_used[r->count] = 1;
            *piece = (obj){.is_piece = 1,
                           .scan = {o->scan.at, last},
                           .surface = {.positions = kept.positions,
                                       .coordinate_capacity = kept.coordinate_capacity,
                                       .corners = kept.corners,
                                       .corner_capacity = kept.corner_capacity,
                                       .sizes = kept.sizes,
                                       .size_capacity = kept.size_capacity},
                           .piece_importer = *o->im};
            piece->im = piece->surface.im = &piece->piece_importer;
            piece->im->options = &options;
            piece->im->error = &piece->piece_error;
            o->scan.at = last;
        }
        crew_run(threads, r->count, read_piece, r);
        status = add_round(r, threads);
        for (uint32_t i = 0; i < r->count; i++)
            free_lists(&r->pieces[i]);
        import_progress(o->im, (uint64_t)(o->scan.at - begin), o->im->size);
    }
    for (uint32_t i = 0; i < ROUND; i++)
        if (r->is_used[i])
            surface_free(&r->pieces[i].surface);
    free(r);
    return status;
}

static void start(obj *o, importer *im)
{
    const char *text = (const char *)im->data;
    const size_t mark = im->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *o = (obj){.im = im,
               .scan = {text + mark, text + im->size},
               .surface = {.im = im},
               .materials = {.im = im}};
}

static void finish(obj *o)
{
    obj_materials_free(&o->materials);
    surface_free(&o->surface);
    free_lists(o);
}

static bvp_status read_file(obj *o)
{
    importer *im = o->im;
    const uint32_t threads = crew_size(im->options->thread_count);
    start(o, im);
    if (threads > 1 && im->size > 2 * PIECE_SIZE) {
        if (read_in_pieces(o, threads) == BVP_OK)
            return BVP_OK;
        finish(o);
        model_free(im->out);
        start(o, im);
    }
    return read_statements(o);
}

bvp_status import_obj(importer *im)
{
    obj o = {.im = im};
    bvp_status status = read_file(&o);
    if (status == BVP_OK && !(im->out->format = import_text("OBJ", 3)))
        status = import_no_memory(im);
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
    finish(&o);
    return status;
}
