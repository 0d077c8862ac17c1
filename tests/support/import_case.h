/* SPDX-License-Identifier: MIT
 * import_case.h: imports bytes in memory and says what is expected of the outcome.
 */
#ifndef IMPORT_CASE_H
#define IMPORT_CASE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/model.h"

/* The bytes exactly as long as they are, so that the address sanitizer sees the end. */
static inline bvp_status import_bytes(const char *format, const void *data, size_t size, int drop,
                                      model *out, bvp_error *error)
{
    import_options options = {.thread_count = 1, .drop_invalid = drop, .format = format};
    void *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, size);
    memset(error, 0, sizeof *error);
    bvp_status status = model_import_memory(copy, size, "case", NULL, &options, out, error);
    free(copy);
    if (status == BVP_OK) /* what model.h promises */
        for (uint32_t i = 0; i < out->mesh_count; i++)
            for (uint64_t k = 0; k < 3 * out->meshes[i].triangle_count; k++)
                ck_assert_uint_lt(out->meshes[i].indices[k], out->meshes[i].vertex_count);
    return status;
}

static inline void expect_model_of(const char *format, const void *data, size_t size, int drop,
                                   model *out)
{
    bvp_error error;
    bvp_status status = import_bytes(format, data, size, drop, out, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
}

static inline void expect_model(const char *format, const char *text, model *out)
{
    expect_model_of(format, text, strlen(text), 0, out);
}

/* phrase: must stand in the message, which must begin with the name. */
static inline void expect_refusal_of(const char *format, const void *data, size_t size, int drop,
                                     bvp_status status, const char *phrase)
{
    bvp_error error;
    model m;
    bvp_status found = import_bytes(format, data, size, drop, &m, &error);
    ck_assert_msg(found == status, "%d, not %d: %s", found, status, error.message);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.message, phrase) != NULL, "\"%s\" is not in: %s", phrase,
                  error.message);
    ck_assert_msg(strncmp(error.message, "case:", 5) == 0, "%s", error.message);
}

static inline void expect_refusal(const char *format, const char *text, bvp_status status,
                                  const char *phrase)
{
    expect_refusal_of(format, text, strlen(text), 0, status, phrase);
}

/* How often the text was warned of. */
static inline uint64_t warnings_of(const model *m, const char *phrase)
{
    for (uint32_t i = 0; i < m->warning_count; i++)
        if (strstr(m->warnings[i].text, phrase))
            return m->warnings[i].count;
    return 0;
}

/* Coordinate `axis` of corner `corner` of a triangle. */
static inline double corner_at(const model_mesh *mesh, uint64_t triangle, int corner, int axis)
{
    size_t at = 3 * (size_t)mesh->indices[3 * triangle + corner] + axis;
    return mesh->is_double ? ((const double *)mesh->positions)[at]
                           : (double)((const float *)mesh->positions)[at];
}

#endif
