/* SPDX-License-Identifier: MIT
 * import_thread.h: an importer that runs in a thread of its own, and hands over its triangles in
 * batches.
 */
#ifndef IMPORT_THREAD_H
#define IMPORT_THREAD_H

#include "model/model.h"

typedef struct import_thread import_thread;

/* The bytes of a model, mapped. */
typedef struct mapped_model {
    const void *data;
    size_t size;
    const char *name, *dir; /* as of model_import_memory */
} mapped_model;

/* Starts the importer. It has begun when it knows the type of its coordinates; what fails before
 * that fails here. All arguments must stay. *out: to be closed. */
bvp_status import_thread_open(const mapped_model *from, const import_options *options,
                              const char *folder, import_thread **out, bvp_error *error);
void import_thread_close(import_thread *t);
int import_thread_is_double(const import_thread *t);
uint64_t import_thread_total(const import_thread *t);
bvp_status import_thread_next(import_thread *t, void *corners, uint32_t *ids, size_t most,
                              size_t *count, bvp_error *error);
/* Complete after the last triangle. */
model *import_thread_model(import_thread *t);
void import_thread_progress(const import_thread *t, uint64_t *done, uint64_t *total);

#endif
