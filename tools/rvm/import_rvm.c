/* SPDX-License-Identifier: MIT
 * import_rvm.c: RVM, the review models of AVEVA's plant design: groups, and primitives in them.
 *
 * A file is a row of chunks. Each begins with its name, four characters in a big-endian word each,
 * then the offset of the next chunk, a word that is 1, and the version of what follows. CNTB opens
 * a group, CNTE closes it; PRIM, OBST and INSU are primitives of the group. Primitives are placed
 * in the model as a whole, whatever group they are in: a group's own point is not used.
 * Spec: none is published; as rvmparser and the Plant Mock-Up Converter read it, and as bounding
 * boxes of the exported files confirm
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_process.h"
#include "model/properties.h"
#include "model/transform.h"
#include "rvm/rvm.h"
#include "rvm/rvm_turn.h"
#include "text/array.h"
#include "text/message.h"

enum { WORD = 4, NAME_WORDS = 4, HEADER_SIZE = 24, DEPTH_MOST = 256, TRIANGLES_A_BYTE = 64 };

const int rvm_number_counts[RVM_FACET_GROUP] = {0, 7, 3, 4, 3, 2, 2, 9, 2, 1, 2};

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t word_at(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bvp_status refuse_end(rvm *r, const rvm_cursor *c, const char *what)
{
    return import_refuse_byte(r->im, BVP_ERR_CORRUPT, c->at,
                              "%s: expected %s, found the end of the chunk; the file is damaged, "
                              "get it again",
                              c->chunk, what);
}

bvp_status rvm_word(rvm *r, rvm_cursor *c, const char *what, uint32_t *out)
{
    if (c->end - c->at < WORD)
        return refuse_end(r, c, what);
    *out = word_at(r->im->data + c->at);
    c->at += WORD;
    return BVP_OK;
}

bvp_status rvm_floats(rvm *r, rvm_cursor *c, const char *what, int count, double *out,
                      uint8_t *is_odd)
{
    if ((c->end - c->at) / WORD < (uint64_t)count)
        return refuse_end(r, c, what);
    for (int i = 0; i < count; i++, c->at += WORD) {
        const uint32_t bits = word_at(r->im->data + c->at);
        float value;
        memcpy(&value, &bits, sizeof value);
        out[i] = value;
        if (isfinite(value))
            continue;
        if (!r->im->options->drop_invalid)
            return import_refuse_byte(r->im, BVP_ERR_ARGUMENT, c->at,
                                      "%s: %s: expected a finite number, found %g; repair the "
                                      "model or leave such primitives out with --drop-invalid",
                                      c->chunk, what, (double)value);
        *is_odd = 1;
        out[i] = 0;
    }
    return BVP_OK;
}

static int is_utf8(const char *data, size_t size)
{
    for (size_t at = 0, length; at < size; at += length)
        if ((length = utf8_length(data + at, size - at)) == 0)
            return 0;
    return 1;
}

char *rvm_text(const char *data, size_t size)
{
    if (is_utf8(data, size))
        return import_text(data, size);
    char *wide = malloc(2 * size + 1);
    size_t used = 0;
    for (size_t i = 0; wide && i < size; i++) {
        const unsigned char c = (unsigned char)data[i];
        if (c >= 0x80)
            wide[used++] = (char)(0xc0 | c >> 6);
        wide[used++] = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
    }
    char *text = wide ? import_text(wide, used) : NULL;
    free(wide);
    return text;
}

/* A count of words, then so many words of bytes, of which zeros at the end do not count. */
static bvp_status read_text(rvm *r, rvm_cursor *c, const char *what, char **out)
{
    uint32_t words;
    const uint64_t at = c->at;
    bvp_status status = rvm_word(r, c, what, &words);
    if (status != BVP_OK)
        return status;
    if (words > (c->end - c->at) / WORD)
        return import_refuse_byte(r->im, BVP_ERR_CORRUPT, at,
                                  "%s: expected the length of %s, at most the %llu words left, "
                                  "found %u; the file is damaged, get it again",
                                  c->chunk, what, (unsigned long long)(c->end - c->at) / WORD,
                                  words);
    const char *text = (const char *)r->im->data + c->at;
    c->at += (uint64_t)words * WORD;
    *out = rvm_text(text, strnlen(text, (size_t)words * WORD));
    return *out ? BVP_OK : import_no_memory(r->im);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* A chunk's name, and where its body and the next chunk are. */
typedef struct chunk {
    char name[NAME_WORDS + 1];
    rvm_cursor body;
} chunk;

static bvp_status read_chunk(rvm *r, uint64_t at, chunk *out)
{
    const uint8_t *data = r->im->data;
    const uint64_t size = r->im->size;
    if (size - at < NAME_WORDS * WORD)
        return import_refuse_byte(r->im, BVP_ERR_CORRUPT, at,
                                  "expected a chunk, found the end of the file; it is cut off, get "
                                  "it again");
    for (int i = 0; i < NAME_WORDS; i++) {
        const uint32_t c = word_at(data + at + (unsigned)i * WORD);
        if (c <= ' ' || c >= 0x7f)
            return import_refuse_byte(r->im, BVP_ERR_CORRUPT, at + (unsigned)i * WORD,
                                      "expected a chunk's name, one letter in each word, found "
                                      "0x%08x; the file is damaged, get it again",
                                      c);
        out->name[i] = (char)c;
    }
    out->name[NAME_WORDS] = '\0';
    out->body = (rvm_cursor){size, size, out->name};
    if (memcmp(out->name, "END", 3) == 0)
        return BVP_OK;
    const uint64_t first = at + HEADER_SIZE;
    const uint64_t next = size >= first ? word_at(data + at + NAME_WORDS * WORD) : 0;
    if (size < first || next < first || next > size)
        return import_refuse_byte(r->im, BVP_ERR_CORRUPT, at + NAME_WORDS * WORD,
                                  "%s: expected the next chunk's offset, %llu to %llu, found %llu; "
                                  "the file is cut off or damaged, get it again",
                                  out->name, (unsigned long long)first, (unsigned long long)size,
                                  (unsigned long long)next);
    out->body = (rvm_cursor){first, next, out->name};
    return BVP_OK;
}

/* Each chunk's name as a text that stays, for messages. */
static const char *lasting_name(const char *name)
{
    static const char *const names[] = {"PRIM", "INSU", "OBST"}; /* as in rvm_volume */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return names[i];
    return NULL;
}

static bvp_status add_group(rvm *r, uint32_t parent, char *name)
{
    model_node *node = import_add_node(r->im);
    const uint32_t count = r->im->out->node_count;
    if (!node || array_grow(&r->groups, &r->group_capacity, count, sizeof *r->groups) != 0) {
        free(name);
        return import_no_memory(r->im);
    }
    node->parent = parent;
    node->name = name;
    r->groups[count - 1] = (rvm_group){0};
    return BVP_OK;
}

static bvp_status add_text(rvm *r, const char *key, const char *value)
{
    if (!*value)
        return BVP_OK;
    return property_add(&r->im->out->nodes[0], key, value, strlen(value)) == 0
               ? BVP_OK
               : import_no_memory(r->im);
}

/* The root is the model; what the header says becomes its properties. */
static bvp_status read_head(rvm *r, rvm_cursor *c)
{
    static const char *const keys[] = {"info", "note", "date", "user"};
    uint32_t version;
    bvp_status status = add_group(r, BVP_NONE, NULL);
    if (status == BVP_OK)
        status = rvm_word(r, c, "a version", &version);
    for (int i = 0; i < 4 && status == BVP_OK; i++) {
        char *text = NULL;
        status = read_text(r, c, keys[i], &text);
        if (status == BVP_OK)
            status = add_text(r, keys[i], text);
        free(text);
    }
    return status; /* the encoding is seen in the texts */
}

static bvp_status read_model(rvm *r, rvm_cursor *c)
{
    uint32_t version;
    char *project = NULL, *name = NULL;
    bvp_status status = rvm_word(r, c, "a version", &version);
    if (status == BVP_OK)
        status = read_text(r, c, "the project's name", &project);
    if (status == BVP_OK)
        status = read_text(r, c, "the model's name", &name);
    if (status == BVP_OK)
        status = add_text(r, "project", project);
    if (status == BVP_OK && !r->im->out->nodes[0].name) {
        r->im->out->nodes[0].name = name;
        name = NULL;
    }
    free(project);
    free(name);
    return status;
}

static bvp_status open_group(rvm *r, rvm_cursor *c, uint32_t parent)
{
    uint32_t version, words[4], transparency = 0;
    char number[16], *name = NULL;
    bvp_status status = rvm_word(r, c, "a version", &version);
    if (status == BVP_OK)
        status = read_text(r, c, "the group's name", &name);
    for (int i = 0; i < 4 && status == BVP_OK; i++) /* its point is not used; its material */
        status = rvm_word(r, c, i < 3 ? "the group's point" : "a material", &words[i]);
    if (status == BVP_OK && version > 2)
        status = rvm_word(r, c, "a transparency", &transparency);
    if (status != BVP_OK) {
        free(name);
        return status;
    }
    status = add_group(r, parent, name);
    if (status != BVP_OK)
        return status;
    rvm_group *group = &r->groups[r->im->out->node_count - 1];
    transparency >>= 24;
    group->material = words[3];
    group->transparency = (uint8_t)(transparency <= 100 ? transparency : 100);
    const int length = snprintf(number, sizeof number, "%u", words[3]);
    return property_add(&r->im->out->nodes[r->im->out->node_count - 1], "material", number,
                        (size_t)length) == 0
               ? BVP_OK
               : import_no_memory(r->im);
}

/* Its version, and that of later writers one before the other three words. */
static bvp_status read_colour(rvm *r, rvm_cursor *c)
{
    uint32_t words[3];
    if (c->end - c->at >= 4 * WORD)
        c->at += WORD;
    bvp_status status = BVP_OK;
    for (int i = 0; i < 3 && status == BVP_OK; i++)
        status = rvm_word(r, c, "a colour", &words[i]);
    if (status != BVP_OK)
        return status;
    if (array_grow(&r->colours, &r->colour_capacity, r->colour_count + 1, sizeof *r->colours) != 0)
        return import_no_memory(r->im);
    r->colours[r->colour_count] = (rvm_colour){
        words[1],
        (uint32_t)r->colour_count,
        {(uint8_t)(words[2] >> 24), (uint8_t)(words[2] >> 16), (uint8_t)(words[2] >> 8)}};
    r->colour_count++;
    return BVP_OK;
}

static bvp_status note_primitive(rvm *r, const chunk *from, uint32_t node)
{
    uint32_t version, kind;
    rvm_cursor c = from->body;
    c.chunk = lasting_name(from->name);
    const rvm_volume volume = *c.chunk == 'P'   ? RVM_SOLID
                              : *c.chunk == 'I' ? RVM_INSULATION
                                                : RVM_OBSTRUCTION;
    bvp_status status = rvm_word(r, &c, "a version", &version);
    if (status == BVP_OK)
        status = rvm_word(r, &c, "a kind of primitive", &kind);
    if (status != BVP_OK)
        return status;
    if (kind < RVM_PYRAMID || kind > RVM_FACET_GROUP)
        return import_refuse_byte(r->im, BVP_ERR_CORRUPT, c.at - WORD,
                                  "%s: expected a kind of primitive, 1 to %d, found %u; the file "
                                  "is damaged, or newer than what bvpack knows",
                                  c.chunk, RVM_FACET_GROUP, kind);
    if (array_grow(&r->primitives, &r->primitive_capacity, r->primitive_count + 1,
                   sizeof *r->primitives) != 0)
        return import_no_memory(r->im);
    r->primitives[r->primitive_count++] = (rvm_primitive){c, node, (uint8_t)kind, (uint8_t)volume};
    return BVP_OK;
}

/* All chunks, up to END. */
static bvp_status read_chunks(rvm *r)
{
    uint32_t node = 0, depth = 0;
    uint64_t unknown = 0;
    chunk c;
    bvp_status status = read_chunk(r, 0, &c);
    if (status == BVP_OK && strcmp(c.name, "HEAD") != 0)
        return import_refuse_byte(r->im, BVP_ERR_NOT_OURS, 0,
                                  "expected an RVM file, whose first chunk is HEAD, found %s",
                                  c.name);
    if (status == BVP_OK)
        status = read_head(r, &c.body);
    for (uint64_t at = c.body.end, count = 0; status == BVP_OK; at = c.body.end, count++) {
        status = read_chunk(r, at, &c);
        if (status != BVP_OK)
            break;
        if (count % 65536 == 0)
            import_progress(r->im, at, r->im->size);
        if (memcmp(c.name, "END", 3) == 0) {
            if (depth > 0)
                status = import_refuse_byte(r->im, BVP_ERR_CORRUPT, at,
                                            "expected CNTE for each CNTB, found the end with %u "
                                            "groups open; the file is damaged, get it again",
                                            depth);
            break;
        }
        rvm_cursor body = c.body;
        if (strcmp(c.name, "CNTB") == 0) {
            if (++depth > DEPTH_MOST)
                status = import_refuse_byte(r->im, BVP_ERR_LIMIT, at,
                                            "groups are more than %d deep; bring the model into "
                                            "flatter groups",
                                            DEPTH_MOST);
            if (status == BVP_OK)
                status = open_group(r, &body, node);
            node = r->im->out->node_count - 1;
        } else if (strcmp(c.name, "CNTE") == 0) {
            if (depth == 0)
                status = import_refuse_byte(r->im, BVP_ERR_CORRUPT, at,
                                            "CNTE closes a group, but none is open; the file is "
                                            "damaged, get it again");
            else
                node = r->im->out->nodes[node].parent;
            depth -= depth > 0;
        } else if (lasting_name(c.name)) {
            status = note_primitive(r, &c, node);
        } else if (strcmp(c.name, "COLR") == 0) {
            status = read_colour(r, &body);
        } else if (strcmp(c.name, "MODL") == 0) {
            status = read_model(r, &body);
        } else {
            unknown++;
        }
    }
    return status == BVP_OK ? import_warn(r->im, unknown, "chunks of unknown kinds left out")
                            : status;
}

/* ---- primitives ------------------------------------------------------------------------------ */

bvp_status rvm_shape_read(rvm *r, const rvm_primitive *p, rvm_shape *out)
{
    enum { BOX_SIZE = 6 * WORD };
    rvm_cursor c = p->body;
    double columns[12];
    const uint64_t at = c.at;
    memset(out, 0, sizeof *out);
    out->kind = p->kind;
    bvp_status status = rvm_floats(r, &c, "a placement", 12, columns, &out->is_odd);
    if (status == BVP_OK && c.end - c.at < BOX_SIZE)
        status = refuse_end(r, &c, "a bounding box");
    if (status != BVP_OK)
        return status;
    c.at += BOX_SIZE; /* it follows from the rest */
    /* From millimetres to metres, so what only turns has columns of the float 0.001: divided by
     * that it is exactly a turn where it is one by quarters. The last column is metres. */
    for (int i = 0; i < 12; i++)
        out->placement[4 * (i % 3) + i / 3] = i < 9 ? columns[i] / 0.001f : 1000 * columns[i];
    const int count = p->kind == RVM_FACET_GROUP ? 0 : rvm_number_counts[p->kind];
    if (p->volume != RVM_SOLID && c.end - c.at >= (uint64_t)(count + 1) * WORD)
        c.at += WORD; /* its transparency */
    if (p->kind == RVM_FACET_GROUP)
        out->facets = c;
    else
        status = rvm_floats(r, &c, "a measure", count, out->numbers, &out->is_odd);
    if (status != BVP_OK || out->is_odd)
        return status;
    int is_odd = !transform_is_usable(out->placement);
    for (int i = 5; p->kind == RVM_SNOUT && i < 9; i++)
        is_odd |= fabs(out->numbers[i]) >= RVM_PI / 2;
    if (is_odd && !r->im->options->drop_invalid)
        return import_refuse_byte(r->im, BVP_ERR_ARGUMENT, at,
                                  "%s: expected a placement of three directions, and ends of a "
                                  "snout that lean by less than 90 degrees; repair the model or "
                                  "leave such primitives out with --drop-invalid",
                                  c.chunk);
    out->is_odd = (uint8_t)is_odd;
    return BVP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bvp_status warn(rvm *r)
{
    importer *im = r->im;
    bvp_status status = import_warn(im, r->lines, "lines left out: they have no surface");
    if (status == BVP_OK)
        status = import_warn(im, r->empty, "primitives without a surface left out");
    if (status == BVP_OK)
        status = import_warn(im, r->dropped,
                             "primitives or polygons that are not finite or without a placement "
                             "left out");
    if (status == BVP_OK)
        status = import_warn(im, r->small, "contours of fewer than three corners left out");
    if (status == BVP_OK)
        status =
            import_warn(im, r->fans, "polygons that cross themselves or have no area cut as fans");
    if (status == BVP_OK)
        status = import_warn(im, r->volumes[RVM_INSULATION],
                             "insulation volumes read as parts: property volume is insulation");
    if (status == BVP_OK)
        status = import_warn(im, r->volumes[RVM_OBSTRUCTION],
                             "obstruction volumes read as parts: property volume is obstruction");
    return status;
}

bvp_status import_rvm(importer *im)
{
    const import_options *o = im->options;
    const double degrees = o->angle > 0 ? o->angle : IMPORT_ANGLE;
    rvm r = {.im = im,
             .chord = o->chord > 0 ? o->chord : IMPORT_CHORD,
             .turn = degrees * (RVM_PI / 180),
             .shell.triangles_left = (1 << 20) + (uint64_t)TRIANGLES_A_BYTE * im->size};
    im->out->unit_in_metres = 0.001;
    im->out->up = BVP_UP_Z;
    if (!(im->out->format = import_text("RVM", 3)))
        return import_no_memory(im);
    if (import_find(im->data, im->size < WORD ? im->size : WORD, "HEAD"))
        return import_refuse(im, BVP_ERR_NOT_OURS,
                             "is an RVM file as text; export it again as binary, which has the "
                             "same in it");
    bvp_status status = read_chunks(&r);
    if (status == BVP_OK)
        status = rvm_attributes_read(&r);
    if (status == BVP_OK)
        status = rvm_make_parts(&r);
    if (status == BVP_OK)
        status = warn(&r);
    free(r.primitives);
    free(r.groups);
    free(r.colours);
    free(r.facets);
    name_table_free(&r.shared);
    rvm_shell_free(&r.shell);
    polygon_free(&r.polygons);
    return status;
}
