/* SPDX-License-Identifier: MIT
 * part_files.c: the files beside a product structure that have its parts' geometry.
 */
#include "structure/part_files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "model/transform.h"
#include "text/array.h"

int part_files_is_foreign(const char *path)
{
    static const char *const endings[] = {
        "jt",         "prt", "asm",     "x_t", "x_b", "xmt_txt", "sldprt", "sldasm",
        "catproduct", "cgr", "catpart", "par", "psm", "ipt",     "iam",    "plmxml"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot + 1, endings[i]) == 0)
            return 1;
    return !dot;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, c | 0x20);
    return c != '\0' && at ? (int)(at - digits) : -1;
}

/* A location is a URI, or a path as Windows writes it: as a path with slashes, to be freed. */
static char *path_of(const char *location)
{
    char *path = strdup(location), *to = path;
    for (const char *from = location; path && *from; from++) {
        const int high = *from == '%' ? hex_digit(from[1]) : -1;
        const int low = high >= 0 ? hex_digit(from[2]) : -1;
        *to = *from == '\\' ? '/' : *from;
        if (low >= 0 && 16 * high + low != 0) {
            *to = (char)(16 * high + low);
            from += 2;
        }
        to++;
    }
    if (path)
        *to = '\0';
    return path;
}

static bvp_status read_file(part_files *f, const void *at, const char *path, submodel **out)
{
    const char *dir = f->im->dir ? f->im->dir : f->im->options->pipe_dir;
    uint32_t number = (uint32_t)f->count;
    const char *plain = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (name_table_put(&f->paths, plain, &number) != 0)
        return import_no_memory(f->im);
    if (number == f->count) {
        if (array_grow(&f->files, &f->capacity, f->count + 1, sizeof *f->files) != 0)
            return import_no_memory(f->im);
        const bvp_status status = submodel_read(f->im, dir, plain, NULL, at, &f->files[f->count]);
        if (status != BVP_OK)
            return status;
        f->unitless += f->files[f->count].unit_in_metres == 0;
        f->count++;
    }
    *out = &f->files[number];
    return BVP_OK;
}

bvp_status part_files_place(part_files *f, const char *location, const void *at, uint32_t node,
                            int is_below)
{
    submodel *file = NULL;
    char *path = path_of(location);
    if (!path)
        return import_no_memory(f->im);
    bvp_status status = read_file(f, at, path, &file);
    free(path);
    if (status != BVP_OK)
        return status;
    const double own = f->im->out->unit_in_metres;
    const double unit = file->unit_in_metres > 0 ? file->unit_in_metres / own : 1;
    if (file->tolerance * unit > f->im->out->tolerance)
        f->im->out->tolerance = file->tolerance * unit;
    if (is_below) { /* what hangs on the node is not scaled */
        model_node *below = import_add_node(f->im);
        if (!below)
            return import_no_memory(f->im);
        const char *name = f->im->out->nodes[node].name;
        below->parent = node;
        below->name = name ? import_text(name, strlen(name)) : NULL;
        if (name && !below->name)
            return import_no_memory(f->im);
        node = f->im->out->node_count - 1;
    }
    transform_scale(f->im->out->nodes[node].placement, (double[]){unit, unit, unit});
    return submodel_place(f->im, file, node, at);
}

void part_files_free(part_files *f)
{
    for (size_t i = 0; i < f->count; i++)
        submodel_free(&f->files[i]);
    free(f->files);
    name_table_free(&f->paths);
}
