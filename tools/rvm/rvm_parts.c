/* SPDX-License-Identifier: MIT
 * rvm_parts.c: makes parts of primitives: one of each group, so that what touches is named as the
 * plant names it.
 *
 * A group of one primitive is placed by that primitive's matrix, and primitives of the same kind
 * and numbers share the part. A group of several is one part beside the first one's place, in the
 * model's directions. Insulation and obstruction volumes are parts of their own below the group.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/properties.h"
#include "model/transform.h"
#include "rvm/rvm.h"
#include "text/array.h"

static const char *const kind_names[] = {
    [RVM_PYRAMID] = "pyramid",
    [RVM_BOX] = "box",
    [RVM_RECTANGULAR_TORUS] = "rectangular torus",
    [RVM_CIRCULAR_TORUS] = "circular torus",
    [RVM_ELLIPTICAL_DISH] = "elliptical dish",
    [RVM_SPHERICAL_DISH] = "spherical dish",
    [RVM_SNOUT] = "snout",
    [RVM_CYLINDER] = "cylinder",
    [RVM_SPHERE] = "sphere",
    [RVM_FACET_GROUP] = "facet group",
};

static const char *const volume_names[RVM_VOLUMES] = {NULL, "insulation", "obstruction"};

/* ---- shapes ---------------------------------------------------------------------------------- */

/* No direction becomes longer than this times its length: 1.0001 for all placements that only turn,
 * so that they share parts, and 1/16 of a power of two for others. */
static double scale_of(const double m[12])
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        double sum = 0; /* of a row of the transposed times the matrix */
        for (int k = 0; k < 3; k++)
            sum += fabs(m[i] * m[k] + m[4 + i] * m[4 + k] + m[8 + i] * m[8 + k]);
        largest = sum > largest ? sum : largest;
    }
    int exponent;
    largest = sqrt(largest) * (1 + 1e-12);
    if (largest <= 1.0001)
        return 1.0001;
    const double mantissa = frexp(largest, &exponent);
    return ldexp(ceil(mantissa * 16) / 16, exponent);
}

/* The shape's triangles, in its own millimetres; *count: of them. */
static bvp_status make_shape(rvm *r, const rvm_shape *shape, uint64_t offset, size_t *count)
{
    /* a 32nd is left to the rounding of coordinates to floats */
    const double chord = r->chord * (31. / 32) / scale_of(shape->placement);
    const int is_facets = shape->kind == RVM_FACET_GROUP;
    bvp_status status = is_facets ? rvm_facets(r, shape) : rvm_solid(r, shape, offset, chord);
    if (status != BVP_OK)
        return status;
    *count = rvm_shell_end(&r->shell, !is_facets);
    if (r->shell.is_out_of_memory)
        return import_no_memory(r->im);
    if (r->shell.is_too_many)
        return import_refuse_byte(r->im, BVP_ERR_LIMIT, offset,
                                  "up to here the model has more triangles than a file of its size "
                                  "may have; raise --chord, or split the model");
    if (!is_facets && shape->kind != RVM_BOX && shape->kind != RVM_PYRAMID)
        r->im->out->tolerance = r->chord;
    return BVP_OK;
}

/* What is in the shell becomes a mesh. */
static bvp_status take_mesh(rvm *r, const char *name, uint32_t *out)
{
    rvm_shell *s = &r->shell;
    model_mesh *mesh = import_add_mesh(r->im);
    const size_t position_size = 3 * s->vertex_count * sizeof *s->positions;
    const size_t corner_size = s->corner_count * sizeof *s->corners;
    assert(s->corner_count > 0);
    if (!mesh)
        return import_no_memory(r->im);
    mesh->name = import_text(name, strlen(name));
    mesh->positions = malloc(position_size);
    mesh->indices = malloc(corner_size);
    if (!mesh->name || !mesh->positions || !mesh->indices)
        return import_no_memory(r->im);
    memcpy(mesh->positions, s->positions, position_size);
    memcpy(mesh->indices, s->corners, corner_size);
    mesh->is_double = 1;
    mesh->vertex_count = s->vertex_count;
    mesh->triangle_count = s->corner_count / 3;
    *out = r->im->out->mesh_count - 1;
    if (array_grow(&r->facets, &r->facet_capacity, *out + (size_t)1, sizeof *r->facets) != 0)
        return import_no_memory(r->im);
    r->facets[*out] = (rvm_cursor){0};
    return BVP_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int by_index(const void *a, const void *b)
{
    const rvm_colour *p = a, *q = b;
    if (p->index != q->index)
        return p->index < q->index ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

/* The node's colour, if the file has one for its group's material: the first of the index. */
static bvp_status colour_node(rvm *r, model_node *node, const rvm_group *group)
{
    size_t low = 0, high = r->colour_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->colours[middle].index < group->material)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->colour_count || r->colours[low].index != group->material)
        return BVP_OK;
    const uint8_t *rgb = r->colours[low].rgb;
    char text[16];
    const int size = snprintf(text, sizeof text, "0:%02x%02x%02x%02x", rgb[0], rgb[1], rgb[2],
                              (255u * (100u - group->transparency) + 50) / 100);
    return property_add(node, COLOURS_KEY, text, (size_t)size) == 0 ? BVP_OK
                                                                    : import_no_memory(r->im);
}

/* Puts a mesh where it belongs: at the group's node, or at a new one below it. */
static bvp_status place(rvm *r, uint32_t group, rvm_volume volume, int is_alone, uint32_t mesh,
                        const double placement[12])
{
    uint32_t at = group;
    const rvm_group own = r->groups[group];
    bvp_status status = BVP_OK;
    if (!is_alone) {
        if (!import_add_node(r->im))
            return import_no_memory(r->im);
        at = r->im->out->node_count - 1;
        model_node *node = &r->im->out->nodes[at];
        const char *name = r->im->out->nodes[group].name;
        const char *suffix = volume_names[volume];
        const size_t size = (name ? strlen(name) : 0) + (suffix ? strlen(suffix) + 1 : 0) + 1;
        char *text = malloc(size);
        if (!text)
            return import_no_memory(r->im);
        snprintf(text, size, "%s%s%s", name ? name : "", name && suffix ? " " : "",
                 suffix ? suffix : "");
        node->name = text;
        node->parent = group;
        if (suffix && property_add(node, "volume", suffix, strlen(suffix)) != 0)
            return import_no_memory(r->im);
    }
    model_node *node = &r->im->out->nodes[at];
    node->mesh = mesh;
    memcpy(node->placement, placement, sizeof node->placement);
    status = colour_node(r, node, &own);
    return status;
}

/* Two facet groups are the same part when their bytes are; both are empty for other kinds. */
static int is_same_facets(const rvm *r, const rvm_cursor *a, const rvm_cursor *b)
{
    const uint64_t size = a->end - a->at;
    return size == b->end - b->at &&
           (size == 0 || memcmp(r->im->data + a->at, r->im->data + b->at, size) == 0);
}

/* The part of a single primitive, made once for all that are equal. */
static bvp_status share(rvm *r, const rvm_primitive *p, const rvm_shape *shape, uint32_t *mesh)
{
    char key[320];
    size_t used, count;
    if (shape->kind == RVM_FACET_GROUP) {
        uint8_t hash[16];
        bvp_hash(r->im->data + shape->facets.at, shape->facets.end - shape->facets.at, hash);
        used = (size_t)snprintf(key, sizeof key, "facets");
        for (int i = 0; i < 16; i++)
            used += (size_t)snprintf(key + used, sizeof key - used, " %02x", hash[i]);
    } else {
        used = (size_t)snprintf(key, sizeof key, "%d %a", shape->kind, scale_of(shape->placement));
        for (int i = 0; i < rvm_number_counts[shape->kind]; i++)
            used += (size_t)snprintf(key + used, sizeof key - used, " %a", shape->numbers[i]);
    }
    assert(used < sizeof key);
    *mesh = name_table_get(&r->shared, key);
    if (*mesh != UINT32_MAX && is_same_facets(r, &shape->facets, &r->facets[*mesh]))
        return BVP_OK;
    *mesh = UINT32_MAX;
    rvm_shell_empty(&r->shell);
    bvp_status status = make_shape(r, shape, p->body.at, &count);
    if (status != BVP_OK || count == 0)
        return status;
    status = take_mesh(r, kind_names[shape->kind], mesh);
    if (status != BVP_OK)
        return status;
    r->facets[*mesh] = shape->facets;
    uint32_t number = *mesh;
    if (name_table_put(&r->shared, key, &number) != 0)
        return import_no_memory(r->im);
    return BVP_OK;
}

/* What a group has of one volume: `count` primitives, lines left out. */
static bvp_status make_group(rvm *r, const rvm_primitive *list, size_t count, int is_alone)
{
    double frame[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const uint32_t group = list->node;
    const rvm_volume volume = (rvm_volume)list->volume;
    uint32_t mesh = UINT32_MAX;
    rvm_shape shape;
    bvp_status status = BVP_OK;
    int has_frame = 0;
    r->volumes[volume] += count;
    rvm_shell_empty(&r->shell);
    for (size_t i = 0; i < count && status == BVP_OK; i++) {
        status = rvm_shape_read(r, &list[i], &shape);
        r->dropped += status == BVP_OK && shape.is_odd;
        if (status != BVP_OK || shape.is_odd)
            continue;
        if (count == 1) {
            status = share(r, list, &shape, &mesh);
            r->empty += status == BVP_OK && mesh == UINT32_MAX;
            memcpy(frame, shape.placement, sizeof frame);
            continue;
        }
        const size_t first_vertex = r->shell.vertex_count, first_corner = r->shell.corner_count;
        size_t triangles = 0;
        status = make_shape(r, &shape, list[i].body.at, &triangles);
        r->empty += status == BVP_OK && triangles == 0;
        for (int k = 3; k < 12; k += 4) {
            if (!has_frame)
                frame[k] = shape.placement[k];
            shape.placement[k] -= frame[k];
        }
        has_frame = 1;
        if (status == BVP_OK)
            rvm_shell_move(&r->shell, first_vertex, first_corner, shape.placement);
    }
    if (status == BVP_OK && count > 1 && r->shell.corner_count > 0) {
        const char *name = r->im->out->nodes[group].name;
        status = take_mesh(r, name ? name : "", &mesh);
    }
    if (status == BVP_OK && mesh != UINT32_MAX)
        status = place(r, group, volume, is_alone, mesh, frame);
    return status;
}

/* By group, by volume, in the order of the file. */
static int in_order(const void *a, const void *b)
{
    const rvm_primitive *p = a, *q = b;
    if (p->node != q->node)
        return p->node < q->node ? -1 : 1;
    if (p->volume != q->volume)
        return p->volume < q->volume ? -1 : 1;
    return (p->body.at > q->body.at) - (p->body.at < q->body.at);
}

bvp_status rvm_make_parts(rvm *r)
{
    const uint32_t node_count = r->im->out->node_count;
    uint8_t *is_parent = calloc(node_count, 1);
    bvp_status status = BVP_OK;
    size_t kept = 0;
    if (!is_parent)
        return import_no_memory(r->im);
    for (uint32_t i = 1; i < node_count; i++)
        is_parent[r->im->out->nodes[i].parent] = 1;
    for (size_t i = 0; i < r->primitive_count; i++) {
        r->lines += r->primitives[i].kind == RVM_LINE;
        if (r->primitives[i].kind != RVM_LINE)
            r->primitives[kept++] = r->primitives[i];
    }
    r->primitive_count = kept;
    if (kept > 0)
        qsort(r->primitives, kept, sizeof *r->primitives, in_order);
    if (r->colour_count > 0)
        qsort(r->colours, r->colour_count, sizeof *r->colours, by_index);
    for (size_t i = 0, end; i < kept && status == BVP_OK; i = end) {
        const rvm_primitive *first = &r->primitives[i];
        for (end = i + 1; end < kept && r->primitives[end].node == first->node &&
                          r->primitives[end].volume == first->volume;)
            end++;
        const int is_alone = !is_parent[first->node] && first->volume == RVM_SOLID &&
                             (end == kept || r->primitives[end].node != first->node);
        status = make_group(r, first, end - i, is_alone);
        import_progress(r->im, i, kept);
    }
    free(is_parent);
    return status;
}
