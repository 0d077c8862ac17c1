/* SPDX-License-Identifier: MIT
 * convex_text.c: a convex body as the command line writes it.
 */
#include "query/convex_text.h"

#include <stdlib.h>
#include <string.h>
#include "cli/operand.h"
#include "text/message.h"

/* A shape's name and how many numbers follow it; of a hull, a multiple of 3. */
static const struct shape_row {
    const char *name;
    bvp_convex_kind kind;
    int count;
} shape_rows[] = {{"box:", BVP_CONVEX_BOX, 3},
                  {"sphere:", BVP_CONVEX_SPHERE, 1},
                  {"capsule:", BVP_CONVEX_CAPSULE, 2},
                  {"cylinder:", BVP_CONVEX_CYLINDER, 2},
                  {"hull:", BVP_CONVEX_HULL, 0}};

int convex_hull_read(const hull_request *request, const char *path, double **points,
                     bvp_convex *out)
{
    const int code = hull_file_read(request, path, points, &out->point_count);
    out->kind = BVP_CONVEX_HULL;
    out->points = *points;
    return code;
}

/* A copy of a hull's points, because the numbers of the text are the caller's. */
static int keep_points(const double *values, uint32_t count, double **points, bvp_convex *out)
{
    const size_t size = 3 * sizeof *values * count;
    *points = malloc(size);
    if (!*points)
        return complain_memory();
    memcpy(*points, values, size);
    out->points = *points;
    out->point_count = count;
    return 0;
}

int convex_text_read(const hull_request *request, const char *text, double **points,
                     bvp_convex *out)
{
    double values[CONVEX_TEXT_NUMBERS] = {0};
    *points = NULL;
    for (size_t i = 0; text && i < sizeof shape_rows / sizeof shape_rows[0]; i++) {
        const struct shape_row *row = &shape_rows[i];
        const size_t length = strlen(row->name);
        if (strncmp(text, row->name, length) != 0)
            continue;
        const int count = parse_numbers(text + length, values, CONVEX_TEXT_NUMBERS);
        if (count < 0 && row->kind == BVP_CONVEX_HULL && hull_is_file(request, text + length))
            return convex_hull_read(request, text + length, points, out);
        if (count < 1 || (row->count ? count != row->count : count % 3 != 0))
            break;
        out->kind = row->kind;
        if (row->kind == BVP_CONVEX_HULL)
            return keep_points(values, (uint32_t)(count / 3), points, out);
        if (row->kind == BVP_CONVEX_BOX)
            memcpy(out->size, values, sizeof out->size);
        out->radius = values[0];
        out->length = count > 1 ? values[1] : 0;
        return 0;
    }
    complain(request->where,
             "expected box:X,Y,Z, sphere:R, capsule:R,LENGTH, cylinder:R,LENGTH, "
             "hull:X,Y,Z,... or hull:FILE%s%s",
             text ? ", found " : "", text ? text : "");
    return EXIT_USAGE;
}
