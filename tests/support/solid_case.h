/* SPDX-License-Identifier: MIT
 * solid_case.h: RVM files read, and what is measured of the solids in them.
 */
#ifndef SOLID_CASE_H
#define SOLID_CASE_H

#include <stdlib.h>

#include "import_case.h"
#include "rvm_case.h"

static inline void expect_file(const rvm_file *file, const import_options *options, model *m)
{
    bvp_error error = {0};
    bvp_status status =
        model_import_memory(file->bytes, file->size, "case", NULL, options, m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_str_eq(m->format, "RVM");
    ck_assert(m->unit_in_metres == .001 && m->up == BVP_UP_Z);
}

static inline const double *corner(const model_mesh *mesh, uint64_t triangle, int k)
{
    ck_assert(mesh->is_double);
    return (const double *)mesh->positions + 3 * (size_t)mesh->indices[3 * triangle + (size_t)k];
}

static inline double volume_of(const model_mesh *mesh)
{
    double sum = 0;
    for (uint64_t i = 0; i < mesh->triangle_count; i++) {
        const double *a = corner(mesh, i, 0), *b = corner(mesh, i, 1), *c = corner(mesh, i, 2);
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

static inline int by_value(const void *a, const void *b)
{
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

/* Every side of a triangle is that of another one, which runs the other way. */
static inline void expect_closed(const model_mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->triangle_count;
    uint64_t *sides = malloc(2 * count * sizeof *sides), *back = sides + count;
    ck_assert_ptr_nonnull(sides);
    for (size_t i = 0; i < count; i++) {
        const uint64_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
        ck_assert(a != b);
        sides[i] = a << 32 | b;
        back[i] = b << 32 | a;
    }
    qsort(sides, count, sizeof *sides, by_value);
    qsort(back, count, sizeof *back, by_value);
    ck_assert_mem_eq(sides, back, count * sizeof *sides);
    free(sides);
}

#endif
