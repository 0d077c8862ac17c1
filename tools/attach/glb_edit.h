/* SPDX-License-Identifier: MIT
 * glb_edit.h: a GLB with an entry added to its JSON text and a chunk to its end; all else stays as
 * it is, byte for byte.
 */
#ifndef GLB_EDIT_H
#define GLB_EDIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A GLB, taken apart. The pointers are into its bytes. */
typedef struct glb_parts {
    const char *text; /* the JSON chunk's, without the blanks at its end */
    size_t text_size;
    const uint8_t *rest; /* the chunks after it, with their heads */
    size_t rest_size;
} glb_parts;

/* NULL, or what is wrong with it; *at: where. */
const char *glb_take_apart(const void *bytes, size_t size, glb_parts *out, uint64_t *at);

/* The JSON text, a valid object, with "name": value among its "extensions" and "name" in
 * "extensionsUsed". To be freed; NULL: out of memory. */
char *glb_add_extension(const glb_parts *glb, const char *name, const char *value, size_t *size);

/* Where the bytes of a chunk at the end begin, if they begin on a page: the JSON text is followed
 * by as many blanks as that takes. */
uint64_t glb_attached_offset(size_t text_size, const glb_parts *glb);
/* Writes it all; `size` bytes of a chunk of this type. The whole has glb_attached_offset() + size
 * bytes, rounded up to a multiple of 4, and less than 4 GiB. */
void glb_write(FILE *out, const char *text, size_t text_size, const glb_parts *glb,
               const char type[4], const void *bytes, size_t size);
/* The same without a chunk. */
void glb_write_plain(FILE *out, const char *text, size_t text_size, const glb_parts *glb);

#endif
