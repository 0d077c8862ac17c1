/* SPDX-License-Identifier: MIT
 * meshopt.c: unpacks one stream of meshopt compression; the only user of libmeshoptimizer.
 * Spec: Khronos glTF 2.0, EXT_meshopt_compression, Appendix A and B
 *
 * The library's decoders never read or write outside the ranges that they are given, whatever the
 * stream says; what they rely on, and a caller may get wrong, is their arguments, which
 * meshopt_refusal checks first.
 */
#include "meshopt/meshopt.h"
#include "meshopt/meshopt_attributes.h"

#include <assert.h>
#include <stddef.h>

#if HAVE_MESHOPT
#include <meshoptimizer.h>
#endif

const char *meshopt_refusal(const meshopt_stream *s)
{
    if (s->mode == MESHOPT_ATTRIBUTES) {
        if (s->stride == 0 || s->stride > 256 || s->stride % 4 != 0)
            return "byteStride: expected a multiple of 4 from 4 to 256";
        if (s->filter == MESHOPT_OCTAHEDRAL && s->stride != 4 && s->stride != 8)
            return "byteStride: expected 4 or 8 for the filter OCTAHEDRAL";
        if (s->filter == MESHOPT_QUATERNION && s->stride != 8)
            return "byteStride: expected 8 for the filter QUATERNION";
        return NULL;
    }
    if (s->stride != 2 && s->stride != 4)
        return "byteStride: expected 2 or 4 for indices";
    if (s->filter != MESHOPT_NONE)
        return "filter: expected NONE for indices";
    if (s->mode == MESHOPT_TRIANGLES && s->count % 3 != 0)
        return "count: expected a multiple of 3 for triangles";
    return NULL;
}

/* Attributes: of 16 elements each byte costs 2 bits at least, and since version 1 of 256 elements
 * 4 bytes cost one. A triangle costs a byte at least, an index of another kind, too. */
uint64_t meshopt_count_max(const meshopt_stream *s)
{
    enum { A_BYTE = 64, A_BYTE_SINCE_1 = 1024 };
    assert(!meshopt_refusal(s));
    const uint64_t most = s->mode == MESHOPT_TRIANGLES           ? 3 * s->stride
                          : s->mode == MESHOPT_INDICES           ? s->stride
                          : s->size > 0 && (s->data[0] & 15) > 0 ? A_BYTE_SINCE_1
                                                                 : A_BYTE;
    return s->size > UINT64_MAX / most ? UINT64_MAX : s->size * most / s->stride;
}

#if HAVE_MESHOPT

meshopt_result meshopt_unpack(const meshopt_stream *s, void *out)
{
    assert(!meshopt_refusal(s) && s->count <= meshopt_count_max(s));
    const size_t count = (size_t)s->count, stride = (size_t)s->stride, size = (size_t)s->size;
    int result = s->mode == MESHOPT_ATTRIBUTES
                     ? meshopt_decodeVertexBuffer(out, count, stride, s->data, size)
                 : s->mode == MESHOPT_TRIANGLES
                     ? meshopt_decodeIndexBuffer(out, count, stride, s->data, size)
                     : meshopt_decodeIndexSequence(out, count, stride, s->data, size);
    /* the first byte: what kind of stream, in the high half, and which version */
    const int kind = s->mode == MESHOPT_ATTRIBUTES ? 0xa : s->mode == MESHOPT_TRIANGLES ? 0xe : 0xd;
    enum { UNKNOWN_HEADER = -1 };
    if (result == UNKNOWN_HEADER && s->mode == MESHOPT_ATTRIBUTES && s->data[0] == 0xa1)
        /* an old library */
        result = meshopt_attributes_unpack(s, out);
    if (result == UNKNOWN_HEADER && s->data[0] >> 4 == kind && (s->data[0] & 15) > 1)
        return MESHOPT_NEWER;
    if (result != 0)
        return MESHOPT_BROKEN;
    if (s->filter == MESHOPT_OCTAHEDRAL)
        meshopt_decodeFilterOct(out, count, stride);
    else if (s->filter == MESHOPT_QUATERNION)
        meshopt_decodeFilterQuat(out, count, stride);
    else if (s->filter == MESHOPT_EXPONENTIAL)
        meshopt_decodeFilterExp(out, count, stride);
    return MESHOPT_OK;
}

#else

meshopt_result meshopt_unpack(const meshopt_stream *s, void *out)
{
    (void)s;
    (void)out;
    return MESHOPT_ABSENT;
}

#endif
