/* SPDX-License-Identifier: MIT
 * slow_file.h: the file that is read, its numbers and sections. Written from spec/format.md
 * alone: nothing in this folder includes a header of the library.
 */
#ifndef SLOW_FILE_H
#define SLOW_FILE_H

#include <stdint.h>

/* The packed file, which may be a chunk of what was read. */
extern const uint8_t *file;
extern uint64_t file_size;
extern const uint8_t *chunk; /* of a GLB: its binary chunk */
extern uint64_t chunk_size;
extern const uint8_t *read_bytes; /* to be freed */

#define NONE UINT32_MAX
enum { THIN = 1, TOPS = 2, TURNS = 4, RAYS = 8, OVER = 16, BY_USE = 32 }; /* incompatible */

/* As the directory has it; zeros: there is none. */
typedef struct section {
    uint64_t offset, size, raw_size, records;
} section;

extern section data, tids, part, hier, plac, lins, tree, inst, topn, binh, prop, strs, prov, bufs;

/* Ends the program. */
_Noreturn void fail(const char *what);

void read_file(const char *path);
/* gltf.md: the packed file is the chunk of type BVP of a GLB. */
void enter_glb(void);
void check_header(void);
void find_sections(void);

/* Little-endian, at an offset of the file; a failure beyond its end. */
uint64_t number(uint64_t offset, int size);
uint8_t u8(uint64_t offset);
uint32_t u32(uint64_t offset);
uint64_t u64(uint64_t offset);
double f64(uint64_t offset);
float float_of(uint32_t bits);

void print_f64s(uint64_t offset, int count);
void print_bytes(uint64_t offset, uint64_t count);
void print_string(uint32_t reference);
void print_header(void);

#endif
