/* SPDX-License-Identifier: MIT
 * clash_zones.c: the zones of a clash run, as a packed file whose instances they are.
 *
 * The file is a temporary one without a name: below one root a node for each zone, with its name
 * and place, and a mesh that shows it. So a zone has a path, an identity and a picture as every
 * instance has, and rules select it by name. What is judged are the exact shapes.
 *
 * The builder numbers instances by where they are. So the zones are put in that order: a zone's
 * number is its instance's.
 * Spec: clash.md, "Zones"
 */
#include "zones/clash_zones.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack_build.h"
#include "zones/zone_mesh.h"
#include "text/message.h"

void clash_zones_free(clash_zones *z)
{
    for (size_t i = 0; i < z->count; i++) {
        free(z->items[i].name);
        free(z->items[i].values);
    }
    free(z->items);
    free(z->given);
    bvp_close(z->file);
    memset(z, 0, sizeof *z);
}

double clash_zones_clearance(const clash_zones *z, uint32_t zone, double otherwise)
{
    return zone < z->count && !isnan(z->items[zone].clearance) ? z->items[zone].clearance
                                                               : otherwise;
}

double clash_zones_reach(const clash_zones *z, double otherwise)
{
    double reach = otherwise;
    for (size_t i = 0; i < z->count; i++)
        reach = fmax(reach, clash_zones_clearance(z, (uint32_t)i, otherwise));
    return reach;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A pair is known by the names of both, from one run to the next. */
static int check_names(const clash_zones *z)
{
    const char **names = malloc((z->count + 1) * sizeof *names);
    int code = names ? 0 : complain_memory();
    for (size_t i = 0; i < z->count && code == 0; i++)
        names[i] = z->items[i].name;
    if (code == 0)
        qsort(names, z->count, sizeof *names, by_name);
    for (size_t i = 1; i < z->count && code == 0; i++)
        if (strcmp(names[i - 1], names[i]) == 0) {
            complain(z->path ? z->path : "--zone",
                     "two zones are called \"%s\"; each needs a name of its own", names[i]);
            code = EXIT_USAGE;
        }
    free(names);
    return code;
}

/* Does the library take it? A query of one step says so. */
static int check_shape(const clash_zones *z, const clash_zone *zone, const bvp_file *against)
{
    static const bvp_control one_step = {.budget = 1};
    const bvp_body body = {.file = against, .part = BVP_ASSEMBLY, .control = &one_step};
    int hit;
    if (bvp_convex_collide(&body, &zone->shape, &hit, NULL) != BVP_ERR_ARGUMENT)
        return 0;
    complain(z->path ? z->path : "--zone",
             "zone \"%s\": expected sizes of 0 or more, and a placement that is not singular; the "
             "placement of a sphere, capsule or cylinder only turns and moves",
             zone->name);
    return EXIT_USAGE;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* What a point or a line is shown as: a five hundredth of the larger one of zone and scene. */
static double thickness(const clash_zone *zone, const bvp_file_info *info)
{
    double extent = fmax(zone->shape.length, 0);
    for (int k = 0; k < 3; k++)
        extent = fmax(extent, fmax(zone->shape.size[k], info->hi[k] - info->lo[k]));
    return extent > 0 && extent < 1e30 ? extent / 512 : 1;
}

static bvp_status add_zone(bvp_builder *builder, const clash_zone *zone, uint32_t root,
                           double least, bvp_error *error)
{
    float soup[9 * ZONE_MESH_TRIANGLES];
    const uint32_t count = zone_mesh_make(&zone->shape, least, soup);
    const bvp_mesh mesh = {
        .positions = soup, .vertex_count = 3 * (uint64_t)count, .triangle_count = count};
    bvp_new_node node = {.parent = root, .name = zone->name, .placement = zone->placement};
    uint32_t added;
    bvp_status status = bvp_builder_add_part(builder, &mesh, &node.part, error);
    if (status == BVP_OK)
        status = bvp_builder_add_node(builder, &node, &added, error);
    if (status == BVP_OK) /* zones of one shape share a part */
        status = bvp_builder_add_property(builder, added, "part_number", zone->name, error);
    return status;
}

/* On `out`, which has no name. */
static bvp_status write_file(const clash_zones *z, const bvp_file_info *info, FILE *out,
                             bvp_error *error)
{
    const bvp_build_options options = {
        .thread_count = 1, .unit_in_metres = info->unit_in_metres, .up = info->up};
    const bvp_new_node top = {.parent = BVP_NONE, .name = "zones", .part = BVP_NONE};
    bvp_builder *builder = NULL;
    uint32_t root;
    bvp_status status = bvp_builder_new(&options, &builder, error);
    if (status == BVP_OK)
        status = bvp_builder_add_node(builder, &top, &root, error);
    for (size_t i = 0; i < z->count && status == BVP_OK; i++)
        status = add_zone(builder, &z->items[i], root, thickness(&z->items[i], info), error);
    if (status == BVP_OK)
        status = bvp_builder_finish_fd(builder, fileno(out), NULL, error);
    bvp_builder_free(builder);
    return status;
}

/* Zone i is node i + 1. */
static int sort_by_instance(clash_zones *z)
{
    clash_zone *sorted = malloc((z->count + 1) * sizeof *sorted);
    bvp_instance_info instance;
    if (!sorted)
        return complain_memory();
    for (size_t i = 0; i < z->count; i++) {
        const bvp_status status = bvp_get_instance(z->file, (uint32_t)i, &instance);
        if (status != BVP_OK || instance.node < 1 || instance.node > z->count) {
            free(sorted);
            return complain_status("zones", status != BVP_OK ? status : BVP_ERR_CORRUPT, NULL);
        }
        sorted[i] = z->items[instance.node - 1];
    }
    free(z->items);
    z->items = sorted;
    return 0;
}

static void add_to_hash(uint8_t hash[16], const void *data, size_t size)
{
    uint8_t both[32];
    memcpy(both, hash, 16);
    bvp_hash(data, size, both + 16);
    bvp_hash(both, sizeof both, hash);
}

/* The array that bvp_clash takes, and the hash. */
static int give(clash_zones *z)
{
    z->given = calloc(z->count + 1, sizeof *z->given);
    if (!z->given)
        return complain_memory();
    for (size_t i = 0; i < z->count; i++) {
        clash_zone *zone = &z->items[i];
        const bvp_convex *s = &zone->shape;
        const double numbers[] = {(double)s->kind, s->size[0], s->size[1],     s->size[2],
                                  s->radius,       s->length,  zone->clearance};
        zone->shape.placement = zone->placement;
        add_to_hash(z->hash, zone->name, strlen(zone->name));
        add_to_hash(z->hash, numbers, sizeof numbers);
        add_to_hash(z->hash, zone->placement, sizeof zone->placement);
        if (s->kind == BVP_CONVEX_HULL)
            add_to_hash(z->hash, s->points, 3 * sizeof *s->points * s->point_count);
        z->given[i] = (bvp_clash_zone){zone->shape, zone->name};
    }
    z->array = (bvp_const_array){z->given, 0, z->count};
    return 0;
}

int clash_zones_build(clash_zones *z, const bvp_file *against)
{
    bvp_file_info info;
    bvp_error error = {0};
    assert(z->count > 0 && !z->file);
    bvp_get_info(against, &info);
    int code = check_names(z);
    for (size_t i = 0; i < z->count && code == 0; i++) {
        z->items[i].shape.placement = z->items[i].placement;
        code = check_shape(z, &z->items[i], against);
    }
    if (code != 0)
        return code;
    FILE *out = tmpfile();
    if (!out) {
        complain("zones", "can't be prepared: no room for temporary files");
        return EXIT_OUTPUT;
    }
    bvp_status status = write_file(z, &info, out, &error);
    if (status == BVP_ERR_SYSTEM) {
        complain("zones", "can't be prepared: %s", error.message);
        fclose(out);
        return EXIT_OUTPUT;
    }
    if (status == BVP_OK)
        status = bvp_open_fd(fileno(out), NULL, &z->file, &error);
    fclose(out);
    if (status != BVP_OK)
        return complain_status(z->path ? z->path : "--zone", status, &error);
    code = sort_by_instance(z);
    return code == 0 ? give(z) : code;
}
