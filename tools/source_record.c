/* SPDX-License-Identifier: MIT
 * source_record.c: a model whose meshes are packed, as text. Numbers are decimal and end with a
 * space, doubles are the hexadecimal digits of their bits, texts their length, a colon and their
 * bytes.
 */
#include "source_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "import.h"

static const char head[] = "bvpack source 1\n";

/* ---- writing --------------------------------------------------------------------------------- */

static void put_count(FILE *out, uint64_t value)
{
    fprintf(out, "%" PRIu64 " ", value);
}

static void put_text(FILE *out, const char *text)
{
    if (text)
        fprintf(out, "%zu:%s ", strlen(text), text);
    else
        fputs("- ", out);
}

static void put_double(FILE *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fprintf(out, "%" PRIx64 " ", bits);
}

static void put_bytes(FILE *out, const uint8_t bytes[16])
{
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", bytes[i]);
    fputc(' ', out);
}

static void put_mesh(FILE *out, const model_mesh *mesh)
{
    put_text(out, mesh->name);
    put_bytes(out, mesh->address);
    put_count(out, mesh->triangle_count);
    put_count(out, mesh->dropped_count);
    fputc('\n', out);
}

static void put_node(FILE *out, const model_node *node)
{
    put_text(out, node->name);
    put_text(out, node->source_id);
    put_count(out, node->parent);
    put_count(out, node->mesh);
    for (int i = 0; i < 12; i++)
        put_double(out, node->placement[i]);
    put_count(out, node->property_count);
    for (uint32_t k = 0; k < node->property_count; k++) {
        put_text(out, node->properties[k].key);
        put_text(out, node->properties[k].value);
    }
    fputc('\n', out);
}

int source_record_write(FILE *out, const model *m)
{
    fputs(head, out);
    put_text(out, m->format);
    put_double(out, m->unit_in_metres);
    put_double(out, m->tolerance);
    put_count(out, m->up_axis);
    put_count(out, m->mesh_count);
    put_count(out, m->node_count);
    put_count(out, m->warning_count);
    put_count(out, m->file_count);
    fputc('\n', out);
    for (uint32_t i = 0; i < m->mesh_count; i++)
        put_mesh(out, &m->meshes[i]);
    for (uint32_t i = 0; i < m->node_count; i++)
        put_node(out, &m->nodes[i]);
    for (uint32_t i = 0; i < m->warning_count; i++) {
        put_text(out, m->warnings[i].text);
        put_count(out, m->warnings[i].count);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < m->file_count; i++) {
        put_text(out, m->files[i].name);
        put_count(out, m->files[i].size);
        put_bytes(out, m->files[i].hash);
        fputc('\n', out);
    }
    return ferror(out) ? -1 : 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Once something is wrong, everything that follows is empty. */
typedef struct reading {
    const char *at, *end;
    int bad;
} reading;

static uint64_t get_number(reading *r, unsigned base, uint64_t most)
{
    uint64_t value = 0;
    const char *begin = r->at;
    for (; r->at < r->end && *r->at != ' ' && *r->at != ':'; r->at++) {
        const char c = *r->at;
        const unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                               : c >= 'a'           ? (unsigned)(c - 'a') + 10
                                                    : 99;
        r->bad |= digit >= base || value > (most - digit) / base;
        value = r->bad ? 0 : value * base + digit;
    }
    r->bad |= r->at == begin || r->at == r->end;
    r->at += !r->bad;
    return r->bad ? 0 : value;
}

static uint64_t get_count(reading *r, uint64_t most)
{
    return get_number(r, 10, most);
}

static double get_double(reading *r)
{
    const uint64_t bits = get_number(r, 16, UINT64_MAX);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static char *get_text(reading *r)
{
    if (r->end - r->at >= 2 && r->at[0] == '-') {
        r->at += 2;
        return NULL;
    }
    const uint64_t size = get_count(r, INT32_MAX);
    if (r->bad || size >= (uint64_t)(r->end - r->at)) {
        r->bad = 1;
        return NULL;
    }
    char *text = strndup(r->at, (size_t)size);
    r->bad |= !text;
    r->at += size + 1;
    return text;
}

static void get_bytes(reading *r, uint8_t bytes[16])
{
    for (int i = 0; i < 16 && r->end - r->at > 2; i++, r->at += 2) {
        const char digits[3] = {r->at[0], r->at[1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    r->bad |= r->at >= r->end || *r->at != ' ';
    r->at += !r->bad;
}

static void end_line(reading *r)
{
    r->bad |= r->at >= r->end || *r->at != '\n';
    r->at += !r->bad;
}

static void get_mesh(reading *r, model_mesh *mesh)
{
    mesh->is_packed = 1;
    mesh->name = get_text(r);
    get_bytes(r, mesh->address);
    mesh->triangle_count = get_count(r, UINT32_MAX);
    mesh->dropped_count = get_count(r, UINT32_MAX);
    end_line(r);
}

static void get_properties(reading *r, model_node *node)
{
    const uint64_t count = get_count(r, (uint64_t)(r->end - r->at));
    node->properties = r->bad ? NULL : calloc(count + 1, sizeof *node->properties);
    r->bad |= !node->properties;
    for (uint64_t k = 0; k < count && !r->bad; k++) {
        node->property_count++;
        node->properties[k].key = get_text(r);
        node->properties[k].value = get_text(r);
    }
}

static void get_node(reading *r, const model *m, uint32_t idx, model_node *node)
{
    node->name = get_text(r);
    node->source_id = get_text(r);
    node->parent = (uint32_t)get_count(r, UINT32_MAX);
    node->mesh = (uint32_t)get_count(r, UINT32_MAX);
    r->bad |= (node->parent != BVP_NONE && node->parent >= idx) ||
              (node->mesh != BVP_NONE && node->mesh >= m->mesh_count);
    for (int i = 0; i < 12; i++)
        node->placement[i] = get_double(r);
    get_properties(r, node);
    end_line(r);
}

/* Each element takes a line at least: so the text's size bounds what is allocated. */
static void *get_room(reading *r, uint64_t count, size_t size)
{
    r->bad |= count > (uint64_t)(r->end - r->at);
    void *room = r->bad ? NULL : calloc(count + 1, size);
    r->bad |= !room;
    return room;
}

int source_record_read(const char *text, size_t size, model *out)
{
    reading r = {.at = text, .end = text + size};
    *out = (model){.up_axis = 3};
    if (size < sizeof head || memcmp(text, head, sizeof head - 1) != 0)
        return -1;
    r.at += sizeof head - 1;
    out->format = get_text(&r);
    out->unit_in_metres = get_double(&r);
    out->tolerance = get_double(&r);
    out->up_axis = (uint32_t)get_count(&r, 3);
    const uint64_t meshes = get_count(&r, UINT32_MAX), nodes = get_count(&r, UINT32_MAX);
    const uint64_t warnings = get_count(&r, UINT32_MAX), files = get_count(&r, UINT32_MAX);
    end_line(&r);
    out->meshes = get_room(&r, meshes, sizeof *out->meshes);
    out->nodes = get_room(&r, nodes, sizeof *out->nodes);
    out->warnings = get_room(&r, warnings, sizeof *out->warnings);
    out->files = get_room(&r, files, sizeof *out->files);
    for (; out->mesh_count < meshes && !r.bad; out->mesh_count++)
        get_mesh(&r, &out->meshes[out->mesh_count]);
    for (; out->node_count < nodes && !r.bad; out->node_count++)
        get_node(&r, out, out->node_count, &out->nodes[out->node_count]);
    for (; out->warning_count < warnings && !r.bad; out->warning_count++) {
        out->warnings[out->warning_count].text = get_text(&r);
        out->warnings[out->warning_count].count = get_count(&r, UINT64_MAX);
        end_line(&r);
    }
    for (; out->file_count < files && !r.bad; out->file_count++) {
        model_file *file = &out->files[out->file_count];
        file->name = get_text(&r);
        file->size = get_count(&r, UINT64_MAX);
        get_bytes(&r, file->hash);
        end_line(&r);
    }
    return r.bad || r.at != r.end ? -1 : 0;
}
