/* SPDX-License-Identifier: MIT
 * import_protocol.h: what an importing process writes to the program that started it.
 *
 * PROGRAM FORMAT CHORD ANGLE THREADS DROP SPACES MEMORY SECONDS NAME, the model on descriptor 4,
 * the answer on descriptor 3; nothing else is read or written, but for what descriptor 5 hands
 * over.
 */
#ifndef IMPORT_PROTOCOL_H
#define IMPORT_PROTOCOL_H

#include <assert.h>
#include <stdint.h>

/* FORMAT: a word of --format. CHORD: length in millimetres, ANGLE: degrees, of triangles on curved
 * surfaces. THREADS: 0: one per CPU. DROP: 1: what is not finite is left out, 0: refused. SPACES:
 * 1: of a building what is no body (spaces, openings), too. MEMORY: bytes, and SECONDS of processor
 * time, that the process may take. NAME: of the model, without folders, for its ending.
 *
 * The process opens no file by itself. It asks for one that the model names with a FILE message;
 * descriptor 5, a socket, then yields one message: a byte, 1 with a descriptor for reading, or 0:
 * there is no such file in the model's folder.
 *
 * The answer is a sequence of messages, each a frame and then frame.size bytes. Both programs are
 * of one build on one machine: numbers are in its byte order. The first message is START, the last
 * END or FAILURE; the process then exits with 0, also after FAILURE. When memory is out it exits
 * with IMPORT_OUT_OF_MEMORY, wherever it is. One that is to start another program exits with
 * IMPORT_LACKS_PROGRAM or IMPORT_LACKS_LIBRARY, before it writes, where that is not there. A part's
 * arrays follow it at once. Parts and nodes are numbered from 0 in the order of their messages; a
 * node comes after its parent and after its part.
 *
 * A text is a u32 size and that many bytes of UTF-8, without NUL; size IMPORT_NONE: no text.
 */
enum {
    IMPORT_VERSION = 4,
    IMPORT_DESCRIPTOR = 3,
    IMPORT_FILE_DESCRIPTOR = 4,
    IMPORT_SOCKET_DESCRIPTOR = 5,
    IMPORT_OUT_OF_MEMORY = 3,
    IMPORT_LACKS_PROGRAM = 4,
    IMPORT_LACKS_LIBRARY = 5
};
#define IMPORT_NONE        UINT32_MAX
#define IMPORT_MAGIC       "bvpack\x1a" /* eight bytes with the NUL */
/* Messages but for a part's arrays are no larger. */
#define IMPORT_MESSAGE_MAX (UINT32_C(1) << 24)

typedef enum import_kind {
    IMPORT_START = 1, /* 8 bytes magic, u32 version, u32 1: hashes are zeros, 0: as below */
    IMPORT_PART,      /* import_part, text name */
    IMPORT_POSITIONS, /* vertex_count times x, y, z: f64, or f32 when the part says so */
    IMPORT_INDICES,   /* triangle_count times 3 u32 */
    IMPORT_IDS,       /* triangle_count u32, if the part has them */
    IMPORT_NODE,     /* import_node, texts name and source id, property_count times key and value */
    IMPORT_COLOURS,  /* text: of the last part, which had none: as text/colour_runs.h writes them */
    IMPORT_WARNING,  /* u64 count, text */
    IMPORT_PROGRESS, /* u64 done, u64 total */
    IMPORT_FILE,     /* text: the name, from the model's folder, of a file that is wanted, too */
    IMPORT_FAILURE,  /* u32 bvp_status, text: one sentence, what is wrong and what to do */
    IMPORT_END       /* import_end, text format: "STEP (AP214)" */
} import_kind;

/* hash: bvp_hash of the frame in which the bvp_hash of the payload stands in its place. It finds
 * what a library writes to the descriptor; a script, in which one function can, need not compute
 * it. START has one in any case, or zeros. */
typedef struct import_frame {
    uint32_t kind;
    uint32_t sequence; /* 0, 1, 2 ... */
    uint64_t size;
    uint8_t hash[16];
} import_frame;
static_assert(sizeof(import_frame) == 32, "no padding");

typedef struct import_part {
    uint64_t vertex_count, triangle_count; /* < 2^32 */
    uint32_t has_ids, is_float;
} import_part;
static_assert(sizeof(import_part) == 24, "no padding");

typedef struct import_node {
    double placement[12];  /* row-major 3x4, relative to the parent */
    uint32_t parent, part; /* or IMPORT_NONE */
    uint32_t property_count, reserved;
} import_node;
static_assert(sizeof(import_node) == 112, "no padding");

typedef struct import_end {
    double unit_in_metres; /* 0 unknown */
    double tolerance;      /* of the tessellation, in units; 0 unknown */
    uint32_t up_axis;      /* 0 x, 1 y, 2 z, 3 unknown */
    uint32_t part_count, node_count, reserved;
} import_end;
static_assert(sizeof(import_end) == 32, "no padding");

#endif
