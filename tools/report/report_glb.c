/* SPDX-License-Identifier: MIT
 * report_glb.c: a clash report as a GLB: the instances that clash, once each, in the colour of the
 * worst of their verdicts.
 *
 * Instances of a part share its mesh. Nodes and meshes are written to files without a name first,
 * because their counts and sizes precede them in a GLB; so only one part at a time is in memory.
 * Spec: Khronos glTF 2.0
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "glb/glb.h"
#include "glb/gltf_write.h"
#include "text/array.h"
#include "text/json.h"
#include "text/memory_text.h"
#include "text/message.h"
#include "bvpack_build.h"
#include "view/render.h"
#include "report/clash_severity.h"
#include "report/report_text.h"
#include "report/report_view.h"

/* One of the two files. */
typedef struct source {
    const bvp_file *file;
    uint32_t instance_count, part_count;
    uint8_t *verdicts; /* of each instance, clear: not in the report */
    uint32_t *written; /* the number of each part's data, or BVP_NONE */
    uint32_t *meshes;  /* of each part, one a verdict, or BVP_NONE */
} source;

/* A node in the spool: the data that will complete its JSON text. */
typedef struct item {
    uint32_t source, instance, part, size;
} item;

typedef struct report {
    source sources[2];
    FILE *nodes, *data; /* spools */
    uint64_t data_size;
    item *items;
    size_t item_count, item_capacity;
    memory_text text;
    json head; /* asset, accessors ... */
    uint32_t written_count, mesh_count;
    memory_text meshes, views; /* the arrays that grow together with `accessors` */
    json mesh_list, view_list; /* in these */
} report;

static int no_room(const clash_report *r)
{
    complain(r->path, "can't write: no memory or no room for temporary files");
    return EXIT_OUTPUT;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int open_source(source *s, const bvp_file *file)
{
    bvp_file_info info;
    if (!file)
        return 1;
    bvp_get_info(file, &info);
    *s = (source){
        .file = file, .instance_count = info.instance_count, .part_count = info.part_count};
    const size_t parts = (size_t)info.part_count + 1;
    s->verdicts = calloc((size_t)info.instance_count + 1, 1);
    s->written = malloc(parts * sizeof *s->written);
    s->meshes = malloc(parts * BVP_VERDICT_COUNT * sizeof *s->meshes);
    if (!s->verdicts || !s->written || !s->meshes)
        return 0;
    memset(s->written, 0xff, parts * sizeof *s->written);
    memset(s->meshes, 0xff, parts * BVP_VERDICT_COUNT * sizeof *s->meshes);
    return 1;
}

static int begin(clash_report *r, const clash_run *run)
{
    report *p = r->own = calloc(1, sizeof *p);
    if (!p)
        return no_room(r);
    p->nodes = tmpfile();
    p->data = tmpfile();
    if (!p->nodes || !p->data || !memory_text_open(&p->text) || !memory_text_open(&p->meshes) ||
        !memory_text_open(&p->views) || !open_source(&p->sources[0], run->file_a) ||
        !open_source(&p->sources[1], run->file_b))
        return no_room(r);
    return 0;
}

/* The node without its mesh, its verdict and two closing brackets. */
static int spool_node(report *p, const clash_side *side, const char *path, uint32_t part)
{
    json j;
    const off_t before = ftello(p->nodes);
    jsonw_start(&j, p->nodes, 0);
    jsonw_object(&j, NULL);
    jsonw_text(&j, "name", report_name(side));
    gltf_put_matrix(&j, side->placement);
    jsonw_object(&j, "extras");
    jsonw_text(&j, "file", report_base(path));
    jsonw_text(&j, "path", side->path);
    jsonw_text(&j, "part_number", side->part_number);
    jsonw_count(&j, "instance", side->instance);
    p->items[p->item_count].size = (uint32_t)(ftello(p->nodes) - before);
    p->items[p->item_count].part = part;
    return !ferror(p->nodes);
}

static int add_item(report *p, int number, const clash_side *side, const char *path)
{
    bvp_instance_info instance;
    if (bvp_get_instance(side->file, side->instance, &instance) != BVP_OK)
        return 0;
    if (array_grow(&p->items, &p->item_capacity, p->item_count + 1, sizeof *p->items) != 0)
        return 0;
    assert(p->item_count < p->item_capacity);
    p->items[p->item_count] = (item){.source = (uint32_t)number, .instance = side->instance};
    if (!spool_node(p, side, path, instance.part))
        return 0;
    p->item_count++;
    return 1;
}

static int add_side(report *p, const clash_run *run, const clash_side *side, bvp_verdict verdict)
{
    const int number = side->file != run->file_a;
    source *s = &p->sources[number];
    if (!side->file || side->instance >= s->instance_count)
        return 1;
    const bvp_verdict before = s->verdicts[side->instance];
    if (clash_severity_rank(verdict) < clash_severity_rank(before))
        s->verdicts[side->instance] = (uint8_t)verdict;
    return before != BVP_VERDICT_CLEAR || verdict == BVP_VERDICT_CLEAR ||
           add_item(p, number, side, number ? run->path_b : run->path_a);
}

static int row(clash_report *r, const clash_row *row)
{
    if (!add_side(r->own, r->run, &row->a, row->pair->verdict) ||
        !add_side(r->own, r->run, &row->b, row->pair->verdict))
        return no_room(r);
    return 0;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static bvp_status write_part(report *p, source *s, uint32_t part, bvp_error *error)
{
    bvp_part_info info;
    uint64_t read = 0;
    bvp_status status = bvp_get_part(s->file, part, &info);
    if (status != BVP_OK || info.triangle_count > UINT32_MAX / 12)
        return status != BVP_OK ? status : BVP_ERR_LIMIT;
    float *soup = malloc(info.triangle_count * 9 * sizeof *soup + 1);
    uint64_t *ids = malloc(info.triangle_count * sizeof *ids + 1);
    uint32_t *indices = NULL;
    void *positions = NULL;
    status = soup && ids ? BVP_OK : BVP_ERR_NO_MEMORY;
    if (status == BVP_OK)
        status =
            bvp_get_triangles(s->file, part, (bvp_range){0, info.triangle_count}, soup, ids, &read);
    free(ids);
    bvp_mesh mesh = {.positions = soup, .vertex_count = 3 * read, .triangle_count = read};
    if (status == BVP_OK)
        status = bvp_weld(&mesh, 0, &indices, &positions, &mesh.vertex_count, error);
    free(soup);
    assert(s->written[part] == BVP_NONE); /* a part's mesh is written once */
    if (status == BVP_OK) {
        const gltf_extent extent = {positions, mesh.vertex_count, mesh.triangle_count};
        gltf_put_accessors(&p->head, p->written_count, &extent);
        p->data_size = gltf_put_views(&p->view_list, p->data_size, &extent);
        s->written[part] = p->written_count++;
        glb_words(p->data, positions, 3 * mesh.vertex_count);
        glb_words(p->data, indices, 3 * mesh.triangle_count);
    }
    free(positions);
    free(indices);
    return status;
}

static bvp_status write_meshes(report *p, bvp_error *error)
{
    jsonw_array(&p->head, "accessors");
    jsonw_start(&p->mesh_list, p->meshes.out, 0);
    jsonw_array(&p->mesh_list, NULL);
    jsonw_start(&p->view_list, p->views.out, 0);
    jsonw_array(&p->view_list, NULL);
    for (size_t i = 0; i < p->item_count; i++) {
        const item *t = &p->items[i];
        source *s = &p->sources[t->source];
        const uint8_t verdict = s->verdicts[t->instance];
        uint32_t *mesh = &s->meshes[(size_t)t->part * BVP_VERDICT_COUNT + verdict];
        bvp_status status = BVP_OK;
        assert(verdict != BVP_VERDICT_CLEAR && verdict < BVP_VERDICT_COUNT);
        if (s->written[t->part] == BVP_NONE)
            status = write_part(p, s, t->part, error);
        if (status != BVP_OK)
            return status;
        if (*mesh == BVP_NONE) {
            *mesh = p->mesh_count;
            /* A mesh is a part in a verdict's colour. */
            json *j = &p->mesh_list;
            bvp_part_info info;
            jsonw_object(j, NULL);
            if (bvp_get_part(s->file, t->part, &info) == BVP_OK && info.name.size > 0)
                jsonw_bytes(j, "name", info.name);
            gltf_put_primitive(j, s->written[t->part], verdict);
            jsonw_end(j);
            p->mesh_count++;
        }
    }
    jsonw_end(&p->head);
    jsonw_end(&p->mesh_list);
    jsonw_end(&p->view_list);
    return BVP_OK;
}

/* ---- the rest of the JSON text --------------------------------------------------------------- */

static int copy(FILE *from, uint64_t size, FILE *to)
{
    char block[1 << 14];
    while (size > 0) {
        const size_t part = size < sizeof block ? (size_t)size : sizeof block;
        if (fread(block, 1, part, from) != part)
            return 0;
        fwrite(block, 1, part, to);
        size -= part;
    }
    return 1;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bvp_status write_text(report *p, const clash_run *run, bvp_error *error)
{
    bvp_status status = BVP_OK;
    FILE *out = p->text.out;
    gltf_put_head(&p->head, out);
    jsonw_array(&p->head, "materials");
    for (int v = 0; v < BVP_VERDICT_COUNT; v++) {
        const colour c = colour_of(report_verdict_colour((bvp_verdict)v));
        const double factor[4] = {c.r, c.g, c.b, 1};
        jsonw_object(&p->head, NULL);
        jsonw_text(&p->head, "name", bvp_verdict_name((bvp_verdict)v));
        jsonw_object(&p->head, "pbrMetallicRoughness");
        jsonw_numbers(&p->head, "baseColorFactor", factor, 4);
        jsonw_number(&p->head, "metallicFactor", 0);
        jsonw_number(&p->head, "roughnessFactor", 0.7);
        jsonw_end(&p->head);
        jsonw_bool(&p->head, "doubleSided", 1);
        jsonw_end(&p->head);
    }
    jsonw_end(&p->head);
    if (p->item_count > 0)
        status = write_meshes(p, error);
    if (status == BVP_OK &&
        (memory_text_flush(&p->meshes) != 0 || memory_text_flush(&p->views) != 0))
        status = BVP_ERR_NO_MEMORY;
    if (status != BVP_OK)
        return status;
    if (p->item_count > 0) {
        fputs(",\"meshes\":", out);
        fwrite(p->meshes.data, 1, p->meshes.size, out);
        fputs(",\"bufferViews\":", out);
        fwrite(p->views.data, 1, p->views.size, out);
        fprintf(out, ",\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)p->data_size);
    }
    /* Node 0 is the root; the spooled ones follow. */
    json j;
    double m[12];
    fputs(",\"nodes\":[", out);
    jsonw_start(&j, out, 0);
    jsonw_object(&j, NULL);
    jsonw_text(&j, "name", "clashes");
    /* glTF counts in metres, with y up. */
    static const int rows[3][3] = {{1, 0, 2}, {0, 1, 2}, {0, 2, 1}};
    static const int signs[3][3] = {{-1, 1, 1}, {1, 1, 1}, {1, 1, -1}};
    const bvp_up given = run->info_a.up;
    const int up = given != BVP_UP_UNKNOWN ? (int)given - BVP_UP_X : 1;
    assert((unsigned)up < 3);
    const double unit = run->info_a.unit_in_metres > 0 ? run->info_a.unit_in_metres : 1;
    memset(m, 0, 12 * sizeof *m);
    for (int k = 0; k < 3; k++)
        m[4 * k + rows[up][k]] = signs[up][k] * unit;
    gltf_put_matrix(&j, m);
    if (p->item_count > 0) {
        jsonw_array(&j, "children");
        for (size_t i = 0; i < p->item_count; i++)
            jsonw_count(&j, NULL, i + 1);
        jsonw_end(&j);
    }
    jsonw_end(&j);
    if (fseeko(p->nodes, 0, SEEK_SET) != 0)
        return BVP_ERR_SYSTEM;
    for (size_t i = 0; i < p->item_count; i++) {
        const item *t = &p->items[i];
        const source *s = &p->sources[t->source];
        const bvp_verdict verdict = s->verdicts[t->instance];
        fputc(',', out);
        if (!copy(p->nodes, t->size, out))
            return BVP_ERR_SYSTEM;
        fprintf(out, ",\"verdict\":\"%s\"},\"mesh\":%u}", bvp_verdict_name(verdict),
                s->meshes[(size_t)t->part * BVP_VERDICT_COUNT + verdict]);
    }
    fputc(']', out);
    jsonw_end(&p->head);
    return memory_text_flush(&p->text) == 0 ? BVP_OK : BVP_ERR_NO_MEMORY;
}

static int end(clash_report *r, const clash_summary *summary)
{
    report *p = r->own;
    bvp_error error = {.offset = UINT64_MAX};
    (void)summary;
    const bvp_status status = write_text(p, r->run, &error);
    if (status == BVP_ERR_SYSTEM || fflush(p->data) != 0)
        return no_room(r);
    if (status != BVP_OK)
        return complain_status(r->path, status, &error);
    if (glb_size(p->text.size, p->data_size) > UINT32_MAX) {
        complain(r->path, "GLB holds at most 4 GiB, and the parts that clash are more; leave pairs "
                          "out by rules, or write .html, .csv or .jsonl");
        return EXIT_LIMIT;
    }
    glb_begin(r->stream, p->text.size, p->data_size);
    fwrite(p->text.data, 1, p->text.size, r->stream);
    glb_middle(r->stream, p->text.size, p->data_size);
    if (fseeko(p->data, 0, SEEK_SET) != 0 || !copy(p->data, p->data_size, r->stream))
        return no_room(r);
    if (fflush(r->stream) == 0 && !ferror(r->stream))
        return 0;
    complain(r->path, "can't write: %s", strerror(errno));
    return EXIT_OUTPUT;
}

static void discard(clash_report *r)
{
    report *p = r->own;
    if (!p)
        return;
    for (int i = 0; i < 2; i++) {
        free(p->sources[i].verdicts);
        free(p->sources[i].written);
        free(p->sources[i].meshes);
    }
    FILE *files[] = {p->nodes, p->data};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i])
            fclose(files[i]);
    memory_text *texts[] = {&p->text, &p->meshes, &p->views};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        memory_text_close(texts[i]);
        free(texts[i]->data);
    }
    free(p->items);
    free(p);
    r->own = NULL;
}

const clash_form report_glb = {
    .ending = ".glb", .begin = begin, .row = row, .end = end, .discard = discard};
