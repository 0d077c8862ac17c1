/* SPDX-License-Identifier: MIT
 * hull_file.c: the points of a convex hull from a file: the vertices of a model, or a list.
 */
#include "hull/hull_file.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "bvpack_build.h"
#include "cli/verb.h"
#include "files/input.h"
#include "model/model.h"
#include "model/transform.h"
#include "text/array.h"
#include "text/message.h"
#include "text/text_scan.h"
#include "path/whole_path.h"

#define NUMBER_MOST 1e30 /* zones show themselves in floats */

typedef struct cloud {
    double *points;
    size_t count, capacity; /* of numbers */
} cloud;

/* 0, or -1 when memory is out. */
static int add_point(cloud *c, const double p[3])
{
    if (array_grow(&c->points, &c->capacity, c->count + 3, sizeof *c->points) != 0)
        return -1;
    memcpy(c->points + c->count, p, 3 * sizeof *p);
    c->count += 3;
    return 0;
}

static int path_of(const hull_request *r, const char *name, char out[4096])
{
    const char *folder = r->folder && !path_is_whole(name) ? r->folder : "";
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    const int size = snprintf(out, 4096, "%s%s%s", folder, slash, name);
    return size > 0 && size < 4096;
}

int hull_is_file(const hull_request *request, const char *text)
{
    char path[4096];
    const char *dot = strrchr(text, '.'), *slash = strpbrk(text, PATH_SLASHES);
    if (path_of(request, text, path) && access(path, F_OK) == 0)
        return 1;
    return slash || (dot && ((dot[1] | 32) >= 'a' && (dot[1] | 32) <= 'z'));
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* The numbers of a line, with blanks or commas between, up to "#". Returns how many, or -1. */
static int read_line(const char *at, size_t size, double p[3])
{
    char line[256];
    text_scan s = {line, line};
    int count = 0;
    for (size_t i = 0; i < size && at[i] != '#'; i++) {
        if (s.end == line + sizeof line)
            return -1;
        line[s.end - line] = at[i] == ',' ? ' ' : at[i];
        s.end++;
    }
    while (scan_blanks(&s), s.at < s.end) {
        number n;
        if (count == 3 || !scan_number(&s, &n))
            return -1;
        p[count++] = n.value;
    }
    return count;
}

static int read_list(const hull_request *r, const char *path, const input *in, cloud *out)
{
    const char *at = in->data, *end = at ? at + in->size : NULL;
    for (unsigned long line = 1; at < end; line++) {
        text_scan s = {at, end};
        double p[3];
        scan_to_newline(&s);
        const int count = read_line(at, (size_t)(s.at - at), p);
        if (count != 0 && count != 3) {
            complain(r->where, "%s: line %lu: expected three numbers x y z; repair the line", path,
                     line);
            return EXIT_INPUT;
        }
        if (count == 3 && add_point(out, p) != 0)
            return complain_memory();
        at = s.at;
        if (end - at > 1 && at[0] == '\r' && at[1] == '\n')
            at++;
        at += at < end;
    }
    return 0;
}

/* ---- models ---------------------------------------------------------------------------------- */

static void corner(const model_mesh *mesh, uint32_t vertex, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = mesh->is_double
                     ? ((const double *)mesh->positions)[3 * (size_t)vertex + (size_t)k]
                     : (double)((const float *)mesh->positions)[3 * (size_t)vertex + (size_t)k];
}

/* The vertices that triangles use, where `m` puts them; each once. */
static int add_mesh(const model_mesh *mesh, const double m[12], cloud *out)
{
    uint8_t *used = calloc((size_t)mesh->vertex_count / 8 + 1, 1);
    int code = used ? 0 : -1;
    for (uint64_t i = 0; code == 0 && i < 3 * mesh->triangle_count; i++) {
        const uint32_t vertex = mesh->indices[i];
        double p[3], q[3];
        if (used[vertex / 8] >> vertex % 8 & 1)
            continue;
        used[vertex / 8] |= (uint8_t)(1 << vertex % 8);
        corner(mesh, vertex, p);
        for (int k = 0; k < 3; k++)
            q[k] = m[4 * k] * p[0] + m[4 * k + 1] * p[1] + m[4 * k + 2] * p[2] + m[4 * k + 3];
        code = add_point(out, q);
    }
    free(used);
    return code;
}

static int add_model(const model *m, double scale, cloud *out)
{
    const double whole[12] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0};
    double(*worlds)[12] = calloc((size_t)m->node_count + 1, sizeof *worlds);
    int code = worlds ? 0 : -1;
    for (uint32_t i = 0; code == 0 && i < m->node_count; i++) {
        const model_node *node = &m->nodes[i];
        assert(node->parent == BVP_NONE || node->parent < i);
        transform_multiply(node->parent == BVP_NONE ? whole : worlds[node->parent], node->placement,
                           worlds[i]);
        if (node->mesh != BVP_NONE)
            code = add_mesh(&m->meshes[node->mesh], worlds[i], out);
    }
    for (uint32_t i = 0; code == 0 && m->node_count == 0 && i < m->mesh_count; i++)
        code = add_mesh(&m->meshes[i], whole, out);
    free(worlds);
    return code;
}

static int read_model(const hull_request *r, const char *path, const input *in, cloud *out)
{
    char folder[4096];
    bvp_error error = {0};
    model m;
    const import_options options = {.path = path, .file = in->fd >= 0 ? &in->fd : NULL};
    const int has_folder = folder_of(path, folder, sizeof folder) == 0;
    const bvp_status status = model_import_memory(in->data ? in->data : "", in->size, path,
                                                  has_folder ? folder : NULL, &options, &m, &error);
    if (status != BVP_OK) {
        complain(r->where, "%s", error.message[0] ? error.message : bvp_status_name(status));
        return status == BVP_ERR_NO_MEMORY || status == BVP_ERR_LIMIT ? EXIT_LIMIT : EXIT_INPUT;
    }
    const double scale =
        r->unit_in_metres > 0 && m.unit_in_metres > 0 ? m.unit_in_metres / r->unit_in_metres : 1;
    const int code = add_model(&m, scale, out) == 0 ? 0 : complain_memory();
    model_free(&m);
    return code;
}

/* ---- the hull -------------------------------------------------------------------------------- */

static int keep_corners(const hull_request *r, const char *path, cloud *c, uint32_t *count)
{
    bvp_error error = {0};
    const size_t total = c->count / 3;
    uint64_t kept = 0;
    if (total == 0) {
        complain(r->where, "%s: there is no point in it", path);
        return EXIT_INPUT;
    }
    for (size_t i = 0; i < c->count; i++)
        if (!(fabs(c->points[i]) <= NUMBER_MOST)) {
            complain(r->where, "%s: point %zu: expected numbers up to 1e30", path, i / 3 + 1);
            return EXIT_INPUT;
        }
    uint32_t *numbers = malloc(total * sizeof *numbers);
    if (!numbers)
        return complain_memory();
    const bvp_status status = bvp_hull_points(c->points, total, numbers, &kept, &error);
    for (size_t i = 0; status == BVP_OK && i < kept; i++)
        memmove(c->points + 3 * i, c->points + 3 * (size_t)numbers[i], 3 * sizeof *c->points);
    free(numbers);
    if (status != BVP_OK)
        return complain_status(r->where, status, &error);
    if (kept > BVP_CONVEX_POINTS) {
        complain(
            r->where,
            "%s: its convex hull has %llu corners, of at most %d: simplify the model, or cut it "
            "into several",
            path, (unsigned long long)kept, BVP_CONVEX_POINTS);
        return EXIT_LIMIT;
    }
    *count = (uint32_t)kept;
    return 0;
}

int hull_file_read(const hull_request *request, const char *name, double **points, uint32_t *count)
{
    char path[4096];
    input in;
    cloud c = {0};
    const char *dot = strrchr(name, '.');
    *points = NULL;
    if (!path_of(request, name, path)) {
        complain(request->where, "the path of a file is too long");
        return EXIT_LIMIT;
    }
    int code = input_open(&in, path);
    if (code != 0)
        return code;
    const int is_list = dot && strcasecmp(dot, ".txt") == 0;
    code = is_list ? read_list(request, path, &in, &c) : read_model(request, path, &in, &c);
    input_close(&in);
    if (code == 0)
        code = keep_corners(request, path, &c, count);
    if (code == 0)
        *points = c.points;
    else
        free(c.points);
    return code;
}
