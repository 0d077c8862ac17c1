/* SPDX-License-Identifier: MIT
 * triangle_sink.c: what importers do with a sink of triangles.
 */
#include "model/triangle_sink.h"

#include <assert.h>
#include <stdlib.h>

bvp_status sink_refuse_size(importer *im)
{
    return import_refuse(im, BVP_ERR_LIMIT,
                         "a part has over 4,294,967,295 triangles; split it into several models");
}

bvp_status sink_refuse_parts(importer *im)
{
    return import_refuse(im, BVP_ERR_ARGUMENT,
                         "has more than one part, and only a single one can be packed in bounded "
                         "memory; leave out --memory: then parts are packed one by one");
}

static bvp_status stop(importer *im)
{
    return import_refuse(im, BVP_ERR_CANCELLED, "the reading was ended");
}

bvp_status sink_begin(importer *im, int is_double, uint64_t total)
{
    triangle_sink *s = im->options->sink;
    if (s->has_begun)
        return sink_refuse_parts(im);
    if (total > TRIANGLES_MOST)
        return sink_refuse_size(im);
    s->has_begun = 1;
    s->is_double = is_double;
    s->kept = 0;
    s->count = 0;
    if (s->is_rehearsal)
        return BVP_OK;
    return s->begin(s, total > 0 ? total : s->rehearsed) == 0 ? BVP_OK : stop(im);
}

bvp_status sink_keep(importer *im, uint64_t id)
{
    triangle_sink *s = im->options->sink;
    assert(s->has_begun && s->count < s->capacity);
    if (s->kept >= TRIANGLES_MOST || id > UINT32_MAX)
        return sink_refuse_size(im);
    s->kept++;
    if (s->is_rehearsal)
        return BVP_OK;
    s->ids[s->count++] = (uint32_t)id;
    return s->count < s->capacity || s->flush(s) == 0 ? BVP_OK : stop(im);
}

bvp_status sink_end(importer *im, char *name)
{
    triangle_sink *s = im->options->sink;
    model_mesh *mesh = import_add_mesh(im);
    if (!mesh) {
        free(name);
        return import_no_memory(im);
    }
    mesh->name = name;
    mesh->is_double = s->is_double;
    mesh->triangle_count = s->kept;
    return s->count == 0 || s->flush(s) == 0 ? BVP_OK : stop(im);
}
