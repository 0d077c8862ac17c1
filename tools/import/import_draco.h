/* SPDX-License-Identifier: MIT
 * import_draco.h: what bvpack-draco is given: the Draco streams of a model, one after the other.
 *
 * Each is this header and then that many bytes, padded to 8. The answer is a part for each, in
 * their order: the positions and triangles as they are decoded, or, for one that can't be, no
 * triangle and a name that says why.
 */
#ifndef IMPORT_DRACO_H
#define IMPORT_DRACO_H

#include <stdint.h>

typedef struct import_draco_stream {
    uint64_t size;     /* bytes of the stream, without the padding */
    uint32_t position; /* unique id of the attribute that holds positions */
    uint32_t reserved;
} import_draco_stream;

enum { IMPORT_DRACO_ALIGN = 8 };

#endif
