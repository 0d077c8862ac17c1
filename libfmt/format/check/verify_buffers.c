/* SPDX-License-Identifier: MIT
 * verify_buffers.c: files over buffers: what BUFS says of them, and, where they are here, whether
 * they are those that the file was packed over.
 *
 * Coordinates and indices can be checked only where the buffers are: in a GLB, or bound to an open
 * file. Without them all rules are checked but those about coordinates.
 *
 * Held by tests/property/test_outside_glb.c.
 * Spec: format.md, chapter "Triangles outside"
 */
#include "format/check/verify_file.h"

#include "base/load.h"
#include "node/cluster_record.h"

#include <inttypes.h>
#include <string.h>

static void load(const bvpi_verify *v, uint64_t idx, bvpd_buffers *out)
{
    bvpi_load_record(out, v->file.buffers.data + idx * sizeof *out, sizeof *out);
}

/* With positions and indices that are somewhere. */
static const char *fault_of(const bvpd_buffers *r)
{
    static const uint8_t somewhere;
    const bvp_buffers given = {.positions = &somewhere,
                               .position_stride = r->position_stride,
                               .position_type = (bvp_component)r->position_type,
                               .normalized = (int)r->normalized,
                               .vertex_count = r->vertex_count,
                               .indices = r->index_type != 0 ? &somewhere : NULL,
                               .index_type = (bvp_component)r->index_type,
                               .triangle_count = r->triangle_count};
    return r->position_type == 0 || r->position_stride == 0 ? "type or stride is 0"
                                                            : bvpi_buffers_fault(&given);
}

void bvpi_verify_buffer_records(bvpi_verify *v)
{
    const bvpi_span *span = &v->file.buffers;
    bvpi_report *report = &v->report;
    uint32_t part = BVPD_NONE; /* of the record before */
    uint64_t triangles = 0;
    bool is_somewhere = false;
    for (uint64_t i = 0; i < span->count && bvpi_report_goes_on(report); i++) {
        const uint64_t offset = bvpi_verify_off(v, span->data) + i * sizeof(bvpd_buffers);
        bvpd_buffers r;
        load(v, i, &r);
        const uint32_t next = part == BVPD_NONE ? 0 : part + 1;
        triangles = r.part == part ? triangles : 0;
        BVPI_SOUND(report, "BUF-2", offset, r.part == part || r.part == next,
                   "buffers of part %" PRIu32 " follow those of another than %" PRIu32, r.part,
                   next - 1);
        BVPI_SOUND(report, "BUF-2", offset + offsetof(bvpd_buffers, first_triangle),
                   r.first_triangle == triangles && triangles + r.triangle_count <= UINT32_MAX,
                   "first_triangle is %" PRIu32 ", not %" PRIu64 ", or there are 2^32",
                   r.first_triangle, triangles);
        const char *fault = fault_of(&r);
        BVPI_SOUND(report, "BUF-3", offset + offsetof(bvpd_buffers, vertex_count), fault == NULL,
                   "the buffers have no sound form: %s", fault ? fault : "");
        BVPI_KNOWN(report, "BUF-3", offset + offsetof(bvpd_buffers, normalized),
                   r.normalized <= 1 && r.reserved == 0, "reserved bits of buffers are not zero");
        const bool is_here = r.position_off != BVPD_NOWHERE;
        is_somewhere = i == 0 ? is_here : is_somewhere;
        BVPI_SOUND(report, "BUF-3", offset + offsetof(bvpd_buffers, position_off),
                   is_here == is_somewhere &&
                       (r.index_off != BVPD_NOWHERE) == (is_here && r.index_type != 0),
                   "some offsets are given, and some are not");
        triangles += r.triangle_count;
        part = r.part;
    }
    BVPI_SOUND(report, "BUF-2", offsetof(bvpd_header, sections),
               span->count == 0 || part + UINT64_C(1) == v->file.section[BVPD_PART].count,
               "the last buffers are of part %" PRIu32 " of %" PRIu64, part,
               v->file.section[BVPD_PART].count);
}

void bvpi_verify_buffers(bvpi_verify *v, const bvpi_part *part, uint32_t part_idx,
                         uint64_t record_off)
{
    const bvpi_outside *o = part->outside;
    bvpi_report *report = &v->report;
    BVPI_SOUND(report, "BUF-4", record_off + offsetof(bvpd_part, ids_size), part->ids != NULL,
               "part %" PRIu32 " has no numbers, so nothing tells its triangles", part_idx);
    const bool is_glb = v->file.chunk.data != NULL;
    bvpd_buffers r = {.position_off = BVPD_NOWHERE};
    if (o->room > 0)
        load(v, o->first, &r);
    BVPI_SOUND(report, "BUF-5", bvpi_verify_off(v, v->file.buffers.data),
               o->count > 0 || !is_glb || r.position_off == BVPD_NOWHERE,
               "buffers of part %" PRIu32 " leave the GLB's binary chunk", part_idx);
    for (uint32_t k = 0; k < o->count && bvpi_report_goes_on(report); k++) {
        const uint64_t offset = bvpi_verify_off(v, v->file.buffers.data) +
                                (o->first + (uint64_t)k) * sizeof(bvpd_buffers) +
                                offsetof(bvpd_buffers, hash);
        uint8_t hash[16];
        load(v, o->first + (uint64_t)k, &r);
        bvpi_buffers_hash(&o->buffers[k], NULL, hash);
        BVPI_SOUND(report, "BUF-5", offset, memcmp(hash, r.hash, sizeof hash) == 0,
                   "buffers %" PRIu32 " of part %" PRIu32 " are not those that it was packed over",
                   k, part_idx);
    }
}

/* The triangles that BUFS gives the part. */
static uint64_t count_numbers(const bvpi_verify *v, const bvpi_outside *o)
{
    bvpd_buffers r;
    if (o->count > 0)
        return o->number_count;
    if (o->room == 0)
        return 0;
    load(v, o->first + (uint64_t)o->room - 1, &r);
    return (uint64_t)r.first_triangle + r.triangle_count;
}

void bvpi_verify_number(bvpi_verify *v, const bvpi_part *part, uint64_t number, uint64_t offset)
{
    const bvpi_outside *o = part->outside;
    const uint64_t count = count_numbers(v, o);
    if (!BVPI_SOUND(&v->report, "BUF-4", offset, number < count,
                    "a triangle has number %" PRIu64 " of %" PRIu64 " in its buffers", number,
                    count) ||
        o->count == 0)
        return;
    uint32_t k = 0;
    while (k + 1 < o->count && o->buffers[k + 1].first_triangle <= number)
        k++;
    const bvpi_buffers *b = &o->buffers[k];
    uint32_t vertex[3];
    if (number - b->first_triangle >= b->triangle_count)
        return;
    bvpi_buffers_vertices(b, (uint32_t)(number - b->first_triangle), vertex);
    BVPI_SOUND(&v->report, "BUF-5", offset,
               vertex[0] < b->vertex_count && vertex[1] < b->vertex_count &&
                   vertex[2] < b->vertex_count,
               "triangle %" PRIu64 " of its buffers has an index beyond their %" PRIu32 " vertices",
               number, b->vertex_count);
}
