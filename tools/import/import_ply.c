/* SPDX-License-Identifier: MIT
 * import_ply.c: PLY, text and both byte orders: vertices, faces and triangle strips; other elements
 * and properties are skipped. Ids are face numbers, then strips.
 * Spec: G. Turk, The PLY polygon file format, 1994
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/import.h"
#include "model/surface.h"
#include "text/array.h"
#include "text/text_scan.h"

typedef enum encoding { ENCODING_NONE, TEXT, LITTLE, BIG } encoding;
typedef enum type { TYPE_NONE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } type;
typedef enum role { OTHER, X, Y, Z, INDICES } role;

typedef struct property {
    type value, count; /* count: TYPE_NONE unless it is a list */
    role role;
} property;

typedef enum element_kind { SKIPPED, VERTEX, FACE, STRIP } element_kind;

typedef struct element {
    element_kind kind;
    uint64_t count;
    size_t first_property, property_count;
    const char *at; /* in the header */
} element;

typedef struct ply {
    importer *im;
    text_scan scan;
    encoding encoding;
    element *elements;
    property *properties;
    size_t element_count, element_capacity, property_count, property_capacity;
    uint64_t vertex_count; /* announced */
    uint64_t overlong_lines;
    surface surface;
} ply;

/* One number of the body. */
typedef struct value {
    double number;
    int prints_float;
} value;

/* ---- the header ------------------------------------------------------------------------------ */

static bvp_status refuse_header(ply *p, const char *at, const char *expected)
{
    char found[QUOTE_SIZE];
    return import_refuse_line(p->im, BVP_ERR_CORRUPT, at,
                              "expected %s, found \"%s\" in the header; repair it or export the "
                              "model again",
                              expected, import_quote(at, p->scan.end, found));
}

static type take_type(text_scan *s)
{
    static const struct {
        const char *word;
        type type;
    } types[] = {{"char", INT8},   {"uchar", UINT8},   {"short", INT16},     {"ushort", UINT16},
                 {"int", INT32},   {"uint", UINT32},   {"float", FLOAT32},   {"double", FLOAT64},
                 {"int8", INT8},   {"uint8", UINT8},   {"int16", INT16},     {"uint16", UINT16},
                 {"int32", INT32}, {"uint32", UINT32}, {"float32", FLOAT32}, {"float64", FLOAT64}};
    scan_blanks(s);
    const char *word = s->at;
    scan_past_word(s);
    size_t size = (size_t)(s->at - word);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].word) == size && memcmp(types[i].word, word, size) == 0)
            return types[i].type;
    s->at = word;
    return TYPE_NONE;
}

static bvp_status read_element(ply *p)
{
    int64_t count;
    scan_blanks(&p->scan);
    const char *at = p->scan.at;
    element_kind kind = SKIPPED;
    if (scan_word(&p->scan, "vertex"))
        kind = VERTEX;
    else if (scan_word(&p->scan, "face"))
        kind = FACE;
    else if (scan_word(&p->scan, "tristrips"))
        kind = STRIP;
    scan_past_word(&p->scan);
    scan_blanks(&p->scan);
    if (!scan_integer(&p->scan, &count) || count < 0)
        return refuse_header(p, p->scan.at, "the element's count");
    for (size_t i = 0; i < p->element_count; i++)
        if (kind != SKIPPED && p->elements[i].kind == kind)
            return import_refuse_line(p->im, BVP_ERR_CORRUPT, at,
                                      "the header announces this element twice; export the model "
                                      "again");
    if (array_grow(&p->elements, &p->element_capacity, p->element_count + 1, sizeof(element)) != 0)
        return import_no_memory(p->im);
    p->elements[p->element_count++] = (element){
        .kind = kind, .count = (uint64_t)count, .first_property = p->property_count, .at = at};
    if (kind == VERTEX)
        p->vertex_count = (uint64_t)count;
    return BVP_OK;
}

/* property TYPE NAME, or property list TYPE TYPE NAME */
static bvp_status read_property(ply *p)
{
    property added = {.count = TYPE_NONE};
    scan_blanks(&p->scan);
    const char *at = p->scan.at;
    if (p->element_count == 0)
        return refuse_header(p, at, "an element before its properties");
    if (scan_word(&p->scan, "list") && (added.count = take_type(&p->scan)) == TYPE_NONE)
        return refuse_header(p, p->scan.at, "the type of a list's length");
    if ((added.value = take_type(&p->scan)) == TYPE_NONE)
        return refuse_header(p, p->scan.at, "a property's type");
    if (added.count >= FLOAT32)
        return refuse_header(p, at, "a whole number as a list's length");
    if (array_grow(&p->properties, &p->property_capacity, p->property_count + 1,
                   sizeof(property)) != 0)
        return import_no_memory(p->im);
    element *owner = &p->elements[p->element_count - 1];
    assert(owner->first_property + owner->property_count == p->property_count);
    scan_blanks(&p->scan);
    if (owner->kind == VERTEX && added.count == TYPE_NONE)
        added.role = scan_word(&p->scan, "x")   ? X
                     : scan_word(&p->scan, "y") ? Y
                     : scan_word(&p->scan, "z") ? Z
                                                : OTHER;
    else if ((owner->kind == FACE || owner->kind == STRIP) && added.count != TYPE_NONE &&
             (scan_word(&p->scan, "vertex_indices") || scan_word(&p->scan, "vertex_index")))
        added.role = INDICES;
    p->properties[p->property_count++] = added;
    owner->property_count++;
    return BVP_OK;
}

static bvp_status read_header(ply *p)
{
    text_scan *s = &p->scan;
    bvp_status status = BVP_OK;
    if (!scan_word(s, "ply"))
        return refuse_header(p, s->at, "\"ply\"");
    const int lone_returns = s->end - s->at >= 2 && s->at[0] == '\r' && s->at[1] != '\n';
    while (status == BVP_OK && (scan_spaces(s), !scan_word(s, "end_header"))) {
        const char *at = s->at;
        if (scan_word(s, "format")) {
            scan_blanks(s);
            at = s->at;
            p->encoding = scan_word(s, "ascii")                  ? TEXT
                          : scan_word(s, "binary_little_endian") ? LITTLE
                          : scan_word(s, "binary_big_endian")    ? BIG
                                                                 : ENCODING_NONE;
            if (p->encoding == ENCODING_NONE)
                return refuse_header(p, at, "ascii, binary_little_endian or binary_big_endian");
            scan_blanks(s);
            at = s->at;
            if (!scan_word(s, "1.0"))
                return refuse_header(p, at, "the version 1.0");
        } else if (scan_word(s, "element")) {
            status = read_element(p);
        } else if (scan_word(s, "property")) {
            status = read_property(p);
        } else if (!scan_word(s, "comment") && !scan_word(s, "obj_info")) {
            return refuse_header(p, at, "a property, an element or end_header");
        }
        scan_to_newline(s);
    }
    if (status != BVP_OK)
        return status;
    /* Past the line end after "end_header", and no further: the body may begin with a newline's
     * byte. */
    scan_to_newline(s);
    const int has_return = s->at < s->end && *s->at == '\r';
    s->at += has_return;
    if (!(has_return && lone_returns) && s->at < s->end && *s->at == '\n')
        s->at++;
    if (p->encoding == ENCODING_NONE)
        return import_refuse(p->im, BVP_ERR_CORRUPT,
                             "the header has no \"format\" line; export the model again");
    return BVP_OK;
}

/* ---- numbers of the body --------------------------------------------------------------------- */

static bvp_status refuse_body(ply *p, const element *e, uint64_t i, const char *expected)
{
    static const char *const names[] = {"element", "vertex", "face", "strip"};
    int at_end = p->scan.at == p->scan.end;
    char found[QUOTE_SIZE];
    if (p->encoding != TEXT)
        return import_refuse_byte(
            p->im, BVP_ERR_CORRUPT, (uint64_t)(p->scan.at - (const char *)p->im->data),
            "%s %" PRIu64 " of %" PRIu64 ": expected %s, found %s; get the file again or export it "
            "again",
            names[e->kind], i, e->count, expected, at_end ? "the end of the file" : "a bad length");
    import_quote(p->scan.at, p->scan.end, found);
    return import_refuse_line(
        p->im, BVP_ERR_CORRUPT, p->scan.at,
        "%s %" PRIu64 " of %" PRIu64 ": expected %s, found %s; %s", names[e->kind], i, e->count,
        expected, at_end ? "the end of the file" : (*found ? found : "the end of the line"),
        strchr(found, ',') ? "decimals need a point: export the model with another language setting"
                           : "get the file again or repair the line");
}

static size_t size_of(type t)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    assert((size_t)t < sizeof sizes);
    return sizes[t];
}

static value decode(uint64_t bits, type t)
{
    uint32_t half = (uint32_t)bits;
    float narrow;
    double wide;
    switch (t) {
    case INT8:
        return (value){(int8_t)bits, 1};
    case INT16:
        return (value){(int16_t)bits, 1};
    case INT32:
        return (value){(int32_t)half, (float)(int32_t)half == (double)(int32_t)half};
    case UINT32:
        return (value){half, (float)half == (double)half};
    case FLOAT32:
        memcpy(&narrow, &half, sizeof narrow);
        return (value){narrow, 1};
    case FLOAT64:
        memcpy(&wide, &bits, sizeof wide);
        return (value){wide, !isfinite(wide) || (double)(float)wide == wide};
    default:
        return (value){(double)bits, 1};
    }
}

/* The next number of the body. Text declared as float becomes the nearest float;
 * surface_coordinate decides about other text. */
static int take_value(ply *p, type t, value *out)
{
    const size_t size = size_of(t);
    number n;
    if (p->encoding == TEXT) {
        scan_blanks(&p->scan);
        if (!scan_number(&p->scan, &n))
            return 0;
        *out = (value){n.value, n.prints_float};
        if (t == FLOAT32 || (float)n.value != n.nearest)
            *out = (value){(double)n.nearest, 1};
        return 1;
    }
    assert(t != TYPE_NONE && p->encoding != ENCODING_NONE);
    if ((size_t)(p->scan.end - p->scan.at) < size) {
        p->scan.at = p->scan.end;
        return 0;
    }
    const uint8_t *bytes = (const uint8_t *)p->scan.at;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[p->encoding == BIG ? size - 1 - i : i] << (8 * i);
    *out = decode(bits, t);
    p->scan.at += size;
    return 1;
}

/* ---- elements of the body -------------------------------------------------------------------- */

static int take_length(ply *p, const property *list, uint64_t *length)
{
    value v;
    assert(list->count != TYPE_NONE && list->count < FLOAT32); /* read_property has looked */
    if (!take_value(p, list->count, &v) || !(v.number >= 0) || v.number != floor(v.number) ||
        v.number > (double)p->im->size)
        return 0;
    *length = (uint64_t)v.number;
    return 1;
}

/* Past values that are not needed. */
static int skip_property(ply *p, const property *what)
{
    uint64_t count = 1;
    value ignored;
    if (what->count != TYPE_NONE && !take_length(p, what, &count))
        return 0;
    if (p->encoding == TEXT) {
        for (uint64_t i = 0; i < count; i++)
            if (!take_value(p, what->value, &ignored))
                return 0;
        return 1;
    }
    const size_t size = size_of(what->value);
    assert(size > 0);
    if (count > (uint64_t)(p->scan.end - p->scan.at) / size) {
        p->scan.at = p->scan.end;
        return 0;
    }
    p->scan.at += count * size;
    return 1;
}

static bvp_status read_vertex(ply *p, const element *e, uint64_t i)
{
    const char *at = p->scan.at;
    double position[3] = {0, 0, 0};
    for (size_t k = 0; k < e->property_count; k++) {
        const property *what = &p->properties[e->first_property + k];
        value v;
        if (what->role == OTHER) {
            if (!skip_property(p, what))
                return refuse_body(p, e, i, "a number");
            continue;
        }
        if (!take_value(p, what->value, &v))
            return refuse_body(p, e, i, "a coordinate");
        assert(what->role >= X && what->role <= Z); /* a vertex has no indices */
        position[what->role - X] = v.number;
        p->surface.needs_double |= !v.prints_float;
    }
    return surface_add_vertex(&p->surface, position, at) == 0 ? BVP_OK
                                                              : surface_refuse(&p->surface);
}

/* One vertex number; UINT32_MAX for a bad one that is to be dropped, and for the -1 that begins a
 * new strip. */
static bvp_status take_index(ply *p, const element *e, uint64_t i, type t, uint32_t *vertex)
{
    static const char *const text = "expected a vertex number below %" PRIu64
                                    ", found %.17g; repair the model or leave such faces out with "
                                    "--drop-invalid";
    const char *at = p->scan.at;
    value v;
    if (!take_value(p, t, &v))
        return refuse_body(p, e, i, "a vertex number");
    int valid = v.number >= 0 && v.number < (double)p->vertex_count && v.number == floor(v.number);
    *vertex = valid && v.number < UINT32_MAX ? (uint32_t)v.number : UINT32_MAX;
    int restarts = e->kind == STRIP && v.number == -1;
    if (valid || restarts || p->im->options->drop_invalid)
        return BVP_OK;
    if (p->encoding == TEXT) {
        while (at < p->scan.end && scan_is_blank(*at))
            at++;
        return import_refuse_line(p->im, BVP_ERR_CORRUPT, at, text, p->vertex_count, v.number);
    }
    return import_refuse_byte(p->im, BVP_ERR_CORRUPT, (uint64_t)(at - (const char *)p->im->data),
                              text, p->vertex_count, v.number);
}

static bvp_status read_polygon(ply *p, const element *e, uint64_t i, const property *what)
{
    uint64_t length;
    uint32_t vertex;
    if (!take_length(p, what, &length))
        return refuse_body(p, e, i, "the face's number of corners");
    for (uint64_t k = 0; k < length; k++) {
        bvp_status status = take_index(p, e, i, what->value, &vertex);
        if (status != BVP_OK)
            return status;
        if (surface_add_corner(&p->surface, vertex) != 0)
            return surface_refuse(&p->surface);
    }
    return surface_end_polygon(&p->surface, length) == 0 ? BVP_OK : surface_refuse(&p->surface);
}

/* -1 begins a new strip. A strip's triangles that only join two strips are kept. Every other
 * triangle is turned round, so that all have the strip's orientation. */
static bvp_status read_strip(ply *p, const element *e, uint64_t i, const property *what)
{
    surface *s = &p->surface;
    uint64_t length, run = 0;
    uint32_t last[3] = {0, 0, 0};
    if (!take_length(p, what, &length))
        return refuse_body(p, e, i, "the strip's length");
    for (uint64_t k = 0; k < length; k++) {
        last[0] = last[1];
        last[1] = last[2];
        bvp_status status = take_index(p, e, i, what->value, &last[2]);
        if (status != BVP_OK)
            return status;
        run = last[2] == UINT32_MAX ? 0 : run + 1;
        const int odd = run & 1 ? 0 : 1; /* the first triangle comes with run 3 */
        if (run >= 3 && (surface_add_corner(s, last[odd]) || surface_add_corner(s, last[!odd]) ||
                         surface_add_corner(s, last[2]) || surface_end_polygon(s, 3)))
            return surface_refuse(s);
    }
    return BVP_OK;
}

/* A face, a strip, or an element that is skipped. */
static bvp_status read_face(ply *p, const element *e, uint64_t i)
{
    bvp_status status = BVP_OK;
    for (size_t k = 0; k < e->property_count && status == BVP_OK; k++) {
        const property *what = &p->properties[e->first_property + k];
        assert(e->kind != SKIPPED || what->role == OTHER);
        if (what->role == INDICES)
            status = e->kind == STRIP ? read_strip(p, e, i, what) : read_polygon(p, e, i, what);
        else if (!skip_property(p, what))
            status = refuse_body(p, e, i, "a number");
    }
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int has_role(const ply *p, const element *e, role wanted)
{
    for (size_t k = 0; k < e->property_count; k++)
        if (p->properties[e->first_property + k].role == wanted)
            return 1;
    return 0;
}

static bvp_status read_body(ply *p)
{
    importer *im = p->im;
    const char *text = (const char *)im->data;
    bvp_status status = BVP_OK;
    /* Vertices need three coordinates; elements need bytes. */
    for (size_t k = 0; k < p->element_count; k++) {
        const element *e = &p->elements[k];
        if (e->kind == VERTEX && !(has_role(p, e, X) && has_role(p, e, Y) && has_role(p, e, Z)))
            return import_refuse_line(im, BVP_ERR_CORRUPT, e->at,
                                      "expected properties x, y and z of the vertices; export the "
                                      "model again");
        if (e->property_count > 0 && e->count > im->size)
            return import_refuse_line(im, BVP_ERR_CORRUPT, e->at,
                                      "%" PRIu64 " elements can't be in a file of %zu bytes; it is "
                                      "cut off or damaged, get it again",
                                      e->count, im->size);
    }
    for (size_t k = 0; k < p->element_count; k++) {
        const element *e = &p->elements[k];
        const uint64_t count = e->property_count > 0 ? e->count : 0; /* else it takes no bytes */
        for (uint64_t i = 0; i < count && status == BVP_OK; i++) {
            if (p->encoding == TEXT)
                scan_spaces(&p->scan);
            status = e->kind == VERTEX ? read_vertex(p, e, i) : read_face(p, e, i);
            /* In text every element has a line of its own; values that the header does not know may
             * follow. */
            if (p->encoding == TEXT) {
                scan_blanks(&p->scan);
                if (p->scan.at < p->scan.end && !scan_is_newline(*p->scan.at))
                    p->overlong_lines++;
                scan_to_newline(&p->scan);
            }
            if (i % 65536 == 0)
                import_progress(im, (uint64_t)(p->scan.at - text), im->size);
        }
        if (status != BVP_OK)
            return status;
    }
    scan_spaces(&p->scan);
    if (p->scan.at == p->scan.end)
        return BVP_OK;
    return import_refuse_byte(im, BVP_ERR_CORRUPT, (uint64_t)(p->scan.at - text),
                              "expected the end of the file after the last element, found %zu more "
                              "bytes; export the model again",
                              (size_t)(p->scan.end - p->scan.at));
}

bvp_status import_ply(importer *im)
{
    static const char *const names[] = {"PLY", "PLY (ASCII)", "PLY (binary, little-endian)",
                                        "PLY (binary, big-endian)"};
    const char *text = (const char *)im->data;
    ply p = {.im = im, .scan = {text, text + im->size}, .surface = {.im = im}};
    bvp_status status = read_header(&p);
    p.surface.is_binary = p.encoding != TEXT;
    if (status == BVP_OK)
        status = read_body(&p);
    surface_range all = {.polygon_count = p.surface.polygon_count};
    if (status == BVP_OK)
        status = surface_make_mesh(im, &p.surface, &all);
    if (status == BVP_OK)
        status = surface_warn(im, &p.surface);
    if (status == BVP_OK)
        status = import_warn(im, p.overlong_lines, "lines longer than the header says cut short");
    const char *name = names[p.encoding];
    if (status == BVP_OK && !(im->out->format = import_text(name, strlen(name))))
        status = import_no_memory(im);
    surface_free(&p.surface);
    free(p.elements);
    free(p.properties);
    return status;
}
