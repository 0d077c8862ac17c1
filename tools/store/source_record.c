/* SPDX-License-Identifier: MIT
 * source_record.c: a model whose meshes are packed, as text.
 */
#include "store/source_record.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/import.h"
#include "text/memory_text.h"
#include "files/record_text.h"

static const char head[] = "bvpack source 5\n";

/* ---- writing --------------------------------------------------------------------------------- */

char *source_record_text(const model *m, size_t *size)
{
    memory_text text;
    if (!memory_text_open(&text))
        return NULL;
    FILE *out = text.out;
    fputs(head, out);
    record_put_text(out, m->format);
    record_put_double(out, m->unit_in_metres);
    record_put_double(out, m->tolerance);
    record_put_count(out, (m->up + 3u) % 4); /* 3: unknown */
    record_put_count(out, m->mesh_count);
    record_put_count(out, m->node_count);
    record_put_count(out, m->warning_count);
    record_put_count(out, m->file_count);
    record_end_line(out);
    for (uint32_t i = 0; i < m->mesh_count; i++)
        for (const model_mesh *mesh = &m->meshes[i]; mesh; mesh = mesh->strays) {
            /* The strays' lines follow the mesh's. A mesh without triangles has no part. */
            const bvp_part_info *part = &mesh->packed;
            assert(mesh->is_packed);
            record_put_text(out, mesh->name);
            record_put_text(out, mesh->colours);
            record_put_count(out, mesh->strays != NULL);
            record_put_count(out, mesh->triangle_count);
            record_put_count(out, mesh->dropped_count);
            if (mesh->triangle_count > 0) {
                record_put_bytes(out, part->address);
                record_put_bytes(out, part->packer);
                record_put_bytes(out, part->content_hash);
                record_put_count(out, part->vertex_count);
                for (int a = 0; a < 3; a++) {
                    record_put_double(out, part->origin[a]);
                    record_put_double(out, (double)part->lo[a]);
                    record_put_double(out, (double)part->hi[a]);
                }
                record_put_double(out, part->rounding_error);
                record_put_count(out, part->degenerate_count);
                record_put_count(out, part->duplicate_count);
                record_put_count(out, part->open_edge_count);
                record_put_count(out, part->nonmanifold_edge_count);
                record_put_stamp(out, &mesh->sound);
            }
            record_end_line(out);
        }
    for (uint32_t i = 0; i < m->node_count; i++) {
        const model_node *node = &m->nodes[i];
        record_put_text(out, node->name);
        record_put_text(out, node->source_id);
        record_put_count(out, node->parent);
        record_put_count(out, node->mesh);
        for (int a = 0; a < 12; a++)
            record_put_double(out, node->placement[a]);
        record_put_count(out, node->property_count);
        for (uint32_t k = 0; k < node->property_count; k++) {
            record_put_text(out, node->properties[k].key);
            record_put_text(out, node->properties[k].value);
        }
        record_end_line(out);
    }
    for (uint32_t i = 0; i < m->warning_count; i++) {
        record_put_text(out, m->warnings[i].text);
        record_put_count(out, m->warnings[i].count);
        record_end_line(out);
    }
    for (uint32_t i = 0; i < m->file_count; i++) {
        record_put_text(out, m->files[i].name);
        record_put_count(out, m->files[i].size);
        record_put_bytes(out, m->files[i].hash);
        record_end_line(out);
    }
    if (memory_text_close(&text) != 0)
        return NULL;
    *size = text.size;
    return text.data;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One that must not be missing. */
static char *get_needed(record_reader *r)
{
    char *text = record_get_text(r);
    r->bad |= !text;
    return text;
}

/* In the order of the text. The counts grow with what was read, so that model_free frees exactly
 * that when the text is bad. */
int source_record_read(const char *text, size_t size, model *out)
{
    record_reader r = {.at = text, .end = text + size};
    *out = (model){0};
    if (size < sizeof head || memcmp(text, head, sizeof head - 1) != 0)
        return -1;
    r.at += sizeof head - 1;
    out->format = record_get_text(&r);
    out->unit_in_metres = record_get_double(&r);
    out->tolerance = record_get_double(&r);
    out->up = (bvp_up)((record_get_count(&r, 3) + 1) % 4);
    const uint64_t meshes = record_get_count(&r, UINT32_MAX);
    const uint64_t nodes = record_get_count(&r, UINT32_MAX);
    const uint64_t warnings = record_get_count(&r, UINT32_MAX);
    const uint64_t files = record_get_count(&r, UINT32_MAX);
    record_get_end(&r);
    out->meshes = record_get_room(&r, meshes, sizeof *out->meshes);
    out->nodes = record_get_room(&r, nodes, sizeof *out->nodes);
    out->warnings = record_get_room(&r, warnings, sizeof *out->warnings);
    out->files = record_get_room(&r, files, sizeof *out->files);
    for (; out->mesh_count < meshes && !r.bad; out->mesh_count++)
        for (model_mesh *mesh = &out->meshes[out->mesh_count]; mesh && !r.bad;
             mesh = mesh->strays) {
            bvp_part_info *part = &mesh->packed;
            mesh->is_packed = 1;
            mesh->part = BVP_NONE;
            mesh->name = record_get_text(&r);
            mesh->colours = record_get_text(&r);
            const int has_strays = record_get_count(&r, 1) != 0;
            mesh->triangle_count = record_get_count(&r, UINT32_MAX);
            mesh->dropped_count = record_get_count(&r, UINT32_MAX);
            if (mesh->triangle_count > 0) {
                part->triangle_count = mesh->triangle_count;
                record_get_bytes(&r, part->address);
                record_get_bytes(&r, part->packer);
                record_get_bytes(&r, part->content_hash);
                part->vertex_count = record_get_count(&r, UINT32_MAX);
                for (int a = 0; a < 3; a++) {
                    part->origin[a] = record_get_double(&r);
                    part->lo[a] = (float)record_get_double(&r);
                    part->hi[a] = (float)record_get_double(&r);
                }
                part->rounding_error = record_get_double(&r);
                part->degenerate_count = record_get_count(&r, UINT64_MAX);
                part->duplicate_count = record_get_count(&r, UINT64_MAX);
                part->open_edge_count = record_get_count(&r, UINT64_MAX);
                part->nonmanifold_edge_count = record_get_count(&r, UINT64_MAX);
                record_get_stamp(&r, &mesh->sound);
            }
            record_get_end(&r);
            if (has_strays && !r.bad) {
                mesh->strays = calloc(1, sizeof *mesh->strays);
                r.is_out_of_memory |= !mesh->strays;
                r.bad |= !mesh->strays;
            }
        }
    for (; out->node_count < nodes && !r.bad; out->node_count++) {
        model_node *node = &out->nodes[out->node_count];
        node->name = record_get_text(&r);
        node->source_id = record_get_text(&r);
        node->parent = (uint32_t)record_get_count(&r, UINT32_MAX);
        node->mesh = (uint32_t)record_get_count(&r, UINT32_MAX);
        r.bad |= (node->parent != BVP_NONE && node->parent >= out->node_count) ||
                 (node->mesh != BVP_NONE && node->mesh >= out->mesh_count);
        for (int i = 0; i < 12; i++)
            node->placement[i] = record_get_double(&r);
        /* a property takes more than a byte, so what is left bounds the room for them */
        const uint64_t count = record_get_count(&r, (uint64_t)(r.end - r.at));
        node->properties = r.bad ? NULL : calloc(count + 1, sizeof *node->properties);
        r.bad |= !node->properties;
        for (uint64_t k = 0; k < count && !r.bad; k++) {
            node->property_count++;
            node->properties[k].key = get_needed(&r);
            node->properties[k].value = get_needed(&r);
        }
        record_get_end(&r);
    }
    for (; out->warning_count < warnings && !r.bad; out->warning_count++) {
        model_warning *warning = &out->warnings[out->warning_count];
        warning->text = get_needed(&r);
        warning->count = record_get_count(&r, UINT64_MAX);
        record_get_end(&r);
    }
    for (; out->file_count < files && !r.bad; out->file_count++) {
        model_file *file = &out->files[out->file_count];
        file->name = get_needed(&r);
        file->size = record_get_count(&r, UINT64_MAX);
        record_get_bytes(&r, file->hash);
        record_get_end(&r);
    }
    assert(r.at <= r.end);
    if (r.is_out_of_memory)
        return SOURCE_RECORD_NO_MEMORY;
    return r.bad || r.at != r.end ? -1 : 0;
}
