/* SPDX-License-Identifier: MIT
 * meshopt.h: unpacks one stream of meshopt compression.
 * Spec: Khronos glTF 2.0, EXT_meshopt_compression, KHR_meshopt_compression
 */
#ifndef MESHOPT_H
#define MESHOPT_H

#include <stdint.h>

typedef enum meshopt_mode { MESHOPT_ATTRIBUTES, MESHOPT_TRIANGLES, MESHOPT_INDICES } meshopt_mode;
typedef enum meshopt_filter {
    MESHOPT_NONE,
    MESHOPT_OCTAHEDRAL,
    MESHOPT_QUATERNION,
    MESHOPT_EXPONENTIAL
} meshopt_filter;

typedef struct meshopt_stream {
    meshopt_mode mode;
    meshopt_filter filter;
    uint64_t count, stride; /* of what it unpacks to: elements, and bytes of each */
    const uint8_t *data;
    uint64_t size;
} meshopt_stream;

/* What is wrong with the mode, filter, stride and count, as "NAME: expected THIS"; NULL: nothing.
 * The other functions take only streams that pass. */
const char *meshopt_refusal(const meshopt_stream *s);

/* The most elements that a stream of its size can stand for. */
uint64_t meshopt_count_max(const meshopt_stream *s);

typedef enum meshopt_result {
    MESHOPT_OK,
    MESHOPT_ABSENT, /* this build has no decoder */
    MESHOPT_NEWER,  /* its decoder does not know this version of the stream */
    MESHOPT_BROKEN
} meshopt_result;

/* Into `out`: count * stride bytes, aligned for floats. What they say is not checked. */
meshopt_result meshopt_unpack(const meshopt_stream *s, void *out);

#endif
