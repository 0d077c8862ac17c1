/* SPDX-License-Identifier: MIT
 * import_send.h: the importing process's side of import_protocol.h.
 */
#ifndef IMPORT_SEND_H
#define IMPORT_SEND_H

#include "bvpack.h"
#include "import/import_protocol.h"
#include "text/colour_runs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every call ends the process when memory is out, or when the answer can't be written: nobody reads
 * it any more. NULL: no text. */
typedef struct import_sender import_sender;
typedef struct import_property {
    const char *key, *value;
} import_property;

/* The task of the process, as import_protocol.h describes it. */
typedef struct import_task {
    const char *format;
    double chord, angle; /* mm, degrees */
    int thread_count;    /* 0: one per CPU */
    int drop_invalid;
    const char *name;
    const uint8_t *data; /* the model's bytes, mapped */
    size_t size;
} import_task;

/* Descriptors 0 to 2 must be open: libraries write messages there. From here on the process is
 * confined, import_confine.h, and ends when `new` finds no memory in it. NULL: the arguments are
 * none, or nobody reads descriptor 3. */
import_sender *import_send_start(int argc, char **argv, import_task *task);
/* ids: triangle_count numbers or NULL. Returns the part's number. */
uint32_t import_send_part(import_sender *s, const char *name, const double *positions,
                          uint64_t vertex_count, const uint32_t *indices, uint64_t triangle_count,
                          const uint32_t *ids);
/* The same in single precision, without ids. */
uint32_t import_send_part_of_floats(import_sender *s, const char *name, const float *positions,
                                    uint64_t vertex_count, const uint32_t *indices,
                                    uint64_t triangle_count);
/* The colours of the part that was sent last, by its ids; nothing is sent where there are none. */
void import_send_colours(import_sender *s, colour_runs *runs);
/* node's property_count is that of `properties`. Returns the node's number. */
uint32_t import_send_node(import_sender *s, const import_node *node, const char *name,
                          const char *source_id, const import_property *properties);
/* Nothing is sent for 0. */
void import_send_warning(import_sender *s, uint64_t count, const char *text);
void import_send_progress(import_sender *s, uint64_t done, uint64_t total);
/* The bytes of a file beside the model, mapped; NULL: there is none, or it may not be read. */
const uint8_t *import_send_ask(import_sender *s, const char *name, size_t *size);

/* The last message: these end the process. The counts of `end` are filled in. */
void import_send_end(import_sender *s, const import_end *end, const char *format)
    __attribute__((noreturn));
void import_send_failure(import_sender *s, bvp_status status, const char *text)
    __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
