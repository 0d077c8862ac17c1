/* SPDX-License-Identifier: MIT
 * record_stream.c: triangles that lie one after the other, read in blocks.
 *
 * A file's size has been held against its header before; a pipe's is known at its end only, so
 * there both ends are checked here.
 */
#include "stream/record_stream.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "model/triangle_sink.h"

int record_stream_fill(record_stream *r)
{
    memmove(r->block, r->block + r->used, r->held - r->used);
    r->held -= r->used;
    r->used = 0;
    while (!r->is_at_end && r->held < RECORD_BLOCK) {
        const ssize_t got = read(r->fd, r->block + r->held, RECORD_BLOCK - r->held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            const int reason = errno;
            import_refuse(r->im, BVP_ERR_SYSTEM, "can't read: %s", strerror(reason));
            r->im->error->sys_errno = reason;
            return -1;
        }
        if (r->hash)
            piecewise_hash_add(r->hash, r->block + r->held, (size_t)got);
        r->held += (size_t)got;
        r->is_at_end = got == 0;
    }
    return 0;
}

static void consume(record_stream *r, size_t size)
{
    assert(size <= r->held - r->used);
    r->used += size;
    __atomic_store_n(&r->consumed, r->consumed + size, __ATOMIC_RELAXED);
}

bvp_status record_stream_begin(record_stream *r)
{
    const record_layout *layout = r->layout;
    r->number = r->dropped = 0;
    r->count = UINT64_MAX;
    if (r->held - r->used < layout->header_size && record_stream_fill(r) != 0)
        return r->im->error->status;
    if (layout->header_size == 0)
        return BVP_OK;
    if (r->held - r->used < layout->header_size)
        return import_refuse_byte(r->im, BVP_ERR_CORRUPT, r->held,
                                  "the file ends in the header: expected at least 84 bytes; it is "
                                  "cut off, get it again");
    r->count = stl_facet_count(r->block + r->used);
    consume(r, layout->header_size);
    return BVP_OK;
}

/* Fewer bytes are left than a record has, or all that are announced have come. */
static bvp_status end(record_stream *r)
{
    const size_t left = r->held - r->used;
    importer *im = r->im;
    if (r->count != UINT64_MAX && (r->number < r->count || left > 0))
        return import_refuse_byte(
            im, BVP_ERR_CORRUPT, r->consumed + (r->number < r->count ? left : 0),
            "the header announces %llu facets, %llu bytes, but %s; %s",
            (unsigned long long)r->count,
            (unsigned long long)(r->layout->header_size + r->layout->size * r->count),
            r->number < r->count ? "the file ends here" : "more bytes follow",
            r->number < r->count ? "it is cut off or no STL file, get it again"
                                 : "the count is wrong, export it again");
    if (left > 0)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, r->consumed,
                                  "expected triangles of %zu bytes each, found %zu more bytes; it "
                                  "is cut off or no stream of triangles",
                                  r->layout->size, left);
    if (r->number == r->dropped)
        return import_refuse_empty(im);
    return import_warn(im, r->dropped, records_dropped);
}

bvp_status record_stream_next(record_stream *r, float *corners, uint32_t *ids, size_t most,
                              size_t *count)
{
    const size_t size = r->layout->size;
    size_t taken = 0;
    *count = 0;
    while (taken < most) {
        if (r->held - r->used < size && !r->is_at_end && record_stream_fill(r) != 0)
            return r->im->error->status;
        if (r->number == r->count || r->held - r->used < size) {
            const bvp_status status = end(r);
            if (status != BVP_OK)
                return status;
            break;
        }
        if (r->number == TRIANGLES_MOST)
            return sink_refuse_size(r->im);
        const int first_wrong = record_read(r->layout, r->block + r->used, corners + 9 * taken);
        if (first_wrong < 9 && !r->im->options->drop_invalid)
            return record_refuse(r->im, r->layout, r->number, corners + 9 * taken, first_wrong);
        if (first_wrong < 9) {
            r->dropped++;
        } else {
            if (ids)
                ids[taken] = (uint32_t)r->number;
            taken++;
        }
        r->number++;
        consume(r, size);
    }
    *count = taken;
    return BVP_OK;
}
