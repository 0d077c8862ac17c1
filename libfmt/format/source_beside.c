/* SPDX-License-Identifier: MIT
 * source_beside.c: bytes of a source beside the packed file: the binary chunk of the GLB that it
 * lies in, for parts whose triangles lie there.
 *
 * They are wanted a part's buffers at a time, to be hashed before the first query of the part, and
 * stay until the file is closed: they are not of the cache, whose chunks may leave. So the memory
 * that they take is what the GLB gives to the parts that were asked, and never more than its binary
 * chunk. Room for all of that is addresses only, until something arrives.
 *
 * What must stay true: nothing here is looked at before bvpi_source_fetch_beside() has said that it
 * is there.
 *
 * Held by tests/property/test_outside_glb.c.
 * Spec: format.md, chapter "Triangles outside"
 */
#include "format/source_cache.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

bvp_status bvpi_source_take_beside(bvp_file *file, uint64_t offset, uint64_t size, bvp_error *error)
{
    bvpi_source *s = file->source;
    assert(s && !s->beside.bytes && size > 0 && bvpi_fits(offset, size, s->given.size));
    const uint64_t units = ((size - 1) >> BVPI_CHUNK_SHIFT) + 1;
    if (size > SIZE_MAX)
        return bvpi_error_memory(error, SIZE_MAX);
    s->beside.bytes = malloc((size_t)size);
    s->beside.arrived = calloc((size_t)units, 1);
    if (!s->beside.bytes || !s->beside.arrived)
        return bvpi_error_memory(error, (size_t)size);
    s->beside.offset = offset;
    s->beside.size = size;
    file->chunk = (bvpi_span){s->beside.bytes, size, 0};
    return BVP_OK;
}

/* Units first .. last, all absent. */
static bvp_status read_units(bvpi_source *s, uint64_t first, uint64_t last)
{
    bvp_error error = {.status = BVP_OK, .offset = BVPI_NO_OFFSET};
    const bvpi_beside *b = &s->beside;
    const uint64_t from = first << BVPI_CHUNK_SHIFT, end = (last + 1) << BVPI_CHUNK_SHIFT;
    const uint64_t to = end < b->size ? end : b->size;
    const bvp_status status =
        bvpi_source_ask(s, b->offset + from, to - from, b->bytes + from, &error);
    if (status == BVP_OK)
        memset(b->arrived + first, 1, (size_t)(last - first + 1));
    else
        bvpi_source_note_miss(s, status, b->offset + from, &error);
    return status;
}

bvp_status bvpi_source_fetch_beside(const bvp_file *file, const uint8_t *bytes, uint64_t size)
{
    bvpi_source *s = file->source;
    if (size == 0)
        return BVP_OK;
    const uint64_t at = (uint64_t)(bytes - s->beside.bytes);
    assert(bvpi_fits(at, size, s->beside.size));
    const uint64_t last = (at + size - 1) >> BVPI_CHUNK_SHIFT;
    bvp_status status = BVP_OK;
    pthread_mutex_lock(&s->lock);
    if (s->is_failing) /* as bvpi_fetch(): this call is over */
        status = s->last.status;
    for (uint64_t k = at >> BVPI_CHUNK_SHIFT; k <= last && status == BVP_OK; k++) {
        uint64_t end = k;
        if (s->beside.arrived[k])
            continue;
        while (end < last && end - k < BVPI_RUN_MOST - 1 && !s->beside.arrived[end + 1])
            end++;
        status = read_units(s, k, end);
        k = end;
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}
