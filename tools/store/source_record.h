/* SPDX-License-Identifier: MIT
 * source_record.h: a model whose meshes are packed, as text: tree, names, properties, and what is
 * known of its part in place of each mesh's triangles.
 */
#ifndef SOURCE_RECORD_H
#define SOURCE_RECORD_H

#include <stddef.h>
#include "model/model.h"

/* To be freed; NULL when memory is out. Every mesh is_packed. */
char *source_record_text(const model *m, size_t *size);
enum { SOURCE_RECORD_NO_MEMORY = -2 };
/* Of text that source_record_text made; the model is freed with model_free in any case. Returns 0
 * when all of the text is understood, or SOURCE_RECORD_NO_MEMORY, or -1. */
int source_record_read(const char *text, size_t size, model *out);

#endif
