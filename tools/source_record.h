/* SPDX-License-Identifier: MIT
 * source_record.h: a model whose meshes are packed, as text: tree, names, properties, and what is
 * known of its part in place of each mesh's triangles.
 */
#ifndef SOURCE_RECORD_H
#define SOURCE_RECORD_H

#include <stdio.h>
#include "model.h"

/* Every mesh is_packed. Returns 0, or -1 when memory is out or the stream fails. */
int source_record_write(FILE *out, const model *m);
/* The same as text, to be freed; NULL when memory is out. */
char *source_record_text(const model *m, size_t *size);
/* Of text that source_record_write wrote; the model is freed with model_free in any case. Returns 0
 * when all of the text is understood. */
int source_record_read(const char *text, size_t size, model *out);

#endif
