/* SPDX-License-Identifier: MIT
 * records.c: triangles that lie one after the other: binary STL, and plain streams of triangles,
 * which have no header: nine little-endian floats each, x y z of three corners.
 */
#include "import/records.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/soup.h"

const record_layout stl_records = {"STL (binary)", "facet", STL_HEADER, STL_FACET, 12};
const record_layout triangle_records = {"stream of triangles", "triangle", 0, RECORD_CORNERS, 0};
const char records_dropped[] = "triangles with coordinates that are not finite left out";

static uint32_t read_bits(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t stl_facet_count(const uint8_t *header)
{
    return read_bits(header + 80);
}

int record_read(const record_layout *layout, const uint8_t *record, float corners[9])
{
    int first_wrong = 9;
    record += layout->corners_off;
    for (int i = 0; i < 9; i++) {
        const uint32_t bits = read_bits(record + 4 * i);
        memcpy(&corners[i], &bits, sizeof bits);
        if (first_wrong == 9 && (bits & 0x7f800000) == 0x7f800000)
            first_wrong = i;
    }
    return first_wrong;
}

bvp_status record_refuse(importer *im, const record_layout *layout, uint64_t number,
                         const float corners[9], int first_wrong)
{
    assert(first_wrong >= 0 && first_wrong < 9);
    return import_refuse_byte(
        im, BVP_ERR_ARGUMENT,
        layout->header_size + layout->size * number + layout->corners_off +
            4 * (unsigned)first_wrong,
        "%s %llu: expected a finite coordinate, found %g; repair the model or leave such triangles "
        "out with --drop-invalid",
        layout->record, (unsigned long long)number, (double)corners[first_wrong]);
}

/* One record after the other, up to one that is not finite. */
static bvp_status import_checked(importer *im, const record_layout *layout, uint64_t count)
{
    soup s = {.im = im};
    bvp_status status = BVP_OK;
    assert(layout->header_size + layout->size * count <= im->size);
    for (uint64_t i = 0; i < count && status == BVP_OK; i++) {
        float *corners = soup_next(&s);
        if (!corners) {
            status = import_no_memory(im);
            break;
        }
        const uint8_t *record = im->data + layout->header_size + layout->size * i;
        const int first_wrong = record_read(layout, record, corners);
        if (first_wrong == 9)
            status = soup_keep(&s, i);
        else if (!im->options->drop_invalid)
            status = record_refuse(im, layout, i, corners, first_wrong);
        if (status == BVP_OK && i % 262144 == 0)
            import_progress(im, i, count);
    }
    if (status == BVP_OK)
        status = import_warn(im, count - soup_count(&s), records_dropped);
    if (status == BVP_OK && soup_count(&s) > 0)
        status = soup_finish(&s, NULL);
    soup_free(&s);
    return status;
}

/* The records are welded in place, without a copy and with all threads. Only if one is not finite,
 * they are looked at one after the other. */
bvp_status records_import(importer *im, const record_layout *layout, uint64_t count)
{
    const bvp_mesh records = {.positions = im->data + layout->header_size + layout->corners_off,
                              .vertex_count = 3 * count,
                              .triangle_count = count,
                              .triangle_stride = layout->size};
    uint32_t *indices = NULL;
    uint64_t vertex_count;
    void *positions;
    assert(im->size == layout->header_size + layout->size * count);
    if (!(im->out->format = import_text(layout->format, strlen(layout->format))))
        return import_no_memory(im);
    if (count == 0 || 3 * count >= UINT32_MAX || im->options->sink)
        return import_checked(im, layout, count);
    bvp_status status = bvp_weld(&records, im->options->thread_count, &indices, &positions,
                                 &vertex_count, im->error);
    if (status != BVP_OK)
        return status;
    import_progress(im, count, count);
    assert(vertex_count <= 3 * count); /* welding adds none */
    int finite = 1;
    for (uint64_t i = 0; i < 3 * vertex_count; i++)
        finite &= isfinite(((const float *)positions)[i]) != 0;
    model_mesh *mesh = finite ? import_add_mesh(im) : NULL;
    if (mesh) { /* it owns both arrays now */
        mesh->positions = positions;
        mesh->vertex_count = vertex_count;
        mesh->indices = indices;
        mesh->triangle_count = count;
        return BVP_OK;
    }
    free(indices);
    free(positions);
    return finite ? import_no_memory(im) : import_checked(im, layout, count);
}

bvp_status import_triangles(importer *im)
{
    if (im->size % RECORD_CORNERS != 0)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, im->size / RECORD_CORNERS * RECORD_CORNERS,
                                  "expected triangles of 36 bytes each, found %zu more bytes; it "
                                  "is cut off or no stream of triangles",
                                  im->size % RECORD_CORNERS);
    return records_import(im, &triangle_records, im->size / RECORD_CORNERS);
}
