/* SPDX-License-Identifier: MIT
 * dump_library.c: prints what is in a file through the library, as tests/corpus/slow_reader.c does
 * without it: through the public interface, but for the triangles in the leaves of binary
 * hierarchies.
 */
#include "bvpack.h"
#include "node/binary_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bvp_file *file;

static void require(bvp_status status, const char *what)
{
    if (status == BVP_OK)
        return;
    fprintf(stderr, "dump_library: %s: %s\n", what, bvp_status_name(status));
    exit(1);
}

static void print_f64s(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        printf(" %a", values[i]);
}

static void print_bytes(const void *bytes, size_t count)
{
    printf(" ");
    for (size_t i = 0; i < count; i++)
        printf("%02x", ((const uint8_t *)bytes)[i]);
}

static void print_string(bvp_string string)
{
    printf(" %zu", string.size);
    if (string.size > 0)
        print_bytes(string.data, string.size);
}

static void print_header(const bvp_file_info *info)
{
    printf("version %u.%u size %" PRIu64 "\n", info->format_major, info->format_minor,
           info->file_size);
    printf("triangles %" PRIu64 " unique %" PRIu64 " parts %u instances %u nodes %u\n",
           info->triangle_count, info->unique_triangle_count, info->part_count,
           info->instance_count, info->node_count);
    printf("up %u unit %a tolerance %a bounds", (info->up + 3u) % 4, info->unit_in_metres,
           info->tessellation_tolerance);
    print_f64s(info->lo, 3);
    print_f64s(info->hi, 3);
    printf("\nsizes %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\nroot", info->hierarchy_size,
           info->geometry_size, info->id_size, info->other_size);
    print_bytes(info->root_hash, 16);
    printf(" source");
    print_bytes(info->source_hash, 16);
    printf("\n");
}

static int print_box(void *inner, const bvp_box *box)
{
    printf("box %u %u %" PRIu64, box->level, box->leaf_count, box->first);
    print_f64s(box->lo, 3);
    print_f64s(box->hi, 3);
    printf("\n");
    *(uint64_t *)inner += box->leaf_count == 0;
    return 0;
}

static void print_hierarchy(uint32_t part)
{
    for (uint32_t level = 0;; level++) {
        uint64_t inner = 0;
        require(bvp_boxes(file, part, level, print_box, &inner), "boxes");
        if (inner == 0)
            return;
        printf("level\n");
    }
}

/* ---- binary hierarchies --------------------------------------------------------------------- */

static int print_volume(void *inner, const bvp_volume *volume)
{
    printf("volume %u %u", volume->level, volume->leaf_count);
    print_f64s(volume->centre, 3);
    print_f64s(volume->axis, 9);
    print_f64s(volume->half, 3);
    print_f64s(&volume->radius, 1);
    printf("\n");
    *(uint64_t *)inner += volume->leaf_count == 0;
    return 0;
}

static void print_leaf(const bvpi_binary *tree, const bvpi_part *part, const bvpi_binary_node *leaf)
{
    printf("leaf");
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t reference;
        bvpi_cluster cluster;
        const bool found =
            bvpi_binary_item(tree, leaf->first + i, &reference) &&
            bvpi_cluster_open(part->blob, part->blob_size, part->outside,
                              (uint64_t)(reference >> 8) << part->cluster_shift, &cluster);
        require(found ? BVP_OK : BVP_ERR_CORRUPT, "item");
        printf(" %" PRIu64, (uint64_t)cluster.head.first_triangle + (reference & 255));
    }
    printf("\n");
}

static void print_leaves(const bvpi_binary *tree, const bvpi_part *part,
                         const bvpi_binary_node *node)
{
    bvpi_binary_node child[2];
    const uint8_t *payload[2];
    if (bvpi_binary_is_leaf(tree, node)) {
        print_leaf(tree, part, node);
        return;
    }
    require(bvpi_binary_children(tree, node, child, payload) ? BVP_OK : BVP_ERR_CORRUPT, "node");
    print_leaves(tree, part, &child[0]);
    print_leaves(tree, part, &child[1]);
}

static void print_binary(uint32_t part_idx, bvp_kind kind)
{
    bvpi_part part;
    bvpi_binary tree;
    bvpi_binary_node root;
    const uint8_t *payload;
    uint64_t inner = 1;
    for (uint32_t level = 0; inner > 0; level++) {
        if (level > 0)
            printf("level\n");
        inner = 0;
        require(bvp_volumes(file, part_idx, kind, level, print_volume, &inner), "volumes");
    }
    require(bvpi_get_part(file, part_idx, &part), "part");
    require(bvpi_get_part_binary(file, part_idx, (uint32_t)kind, &tree), "hierarchy");
    require(bvpi_binary_root(&tree, &root, &payload) ? BVP_OK : BVP_ERR_CORRUPT, "root");
    print_leaves(&tree, &part, &root);
}

static void print_any(uint32_t part, uint32_t idx)
{
    bvp_hierarchy_info h;
    require(bvp_get_hierarchy(file, part, idx, &h), "hierarchy");
    printf("hierarchy %u split %u leaf %u nodes %u leaves %u depth %u planes %u offsets %u size "
           "%" PRIu64 " order %" PRIu64 " area %a\n",
           (unsigned)h.kind, h.split, h.leaf_size, h.node_count, h.leaf_count, h.depth, h.plane_max,
           h.offset_size, h.size, h.order_size, h.area_cost);
    if (h.kind == BVP_KIND_WIDE)
        print_hierarchy(part);
    else if (h.kind != BVP_KIND_RAYS) /* which the slow reader checks by itself */
        print_binary(part, h.kind);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void print_triangles(uint32_t part, uint64_t count)
{
    enum { BATCH = 1000 };
    static float positions[9 * BATCH];
    static uint64_t ids[BATCH];
    for (uint64_t first = 0, got; first < count; first += got) {
        require(bvp_get_triangles(file, part, (bvp_range){first, BATCH}, positions, ids, &got),
                "triangles");
        for (uint64_t i = 0; i < got; i++) {
            printf("triangle %" PRIu64, ids[i]);
            for (int k = 0; k < 9; k++) {
                uint32_t bits;
                memcpy(&bits, &positions[9 * i + k], sizeof bits);
                printf(" %08x", bits);
            }
            printf("\n");
        }
    }
}

static void print_part(uint32_t idx)
{
    bvp_part_info p;
    require(bvp_get_part(file, idx, &p), "part");
    printf("part %u name", idx);
    print_string(p.name);
    printf(" source");
    print_string(p.source_id);
    printf(" triangles %" PRIu64 " vertices %" PRIu64 " clusters %u hierarchies %u origin",
           p.triangle_count, p.vertex_count, p.cluster_count, p.hierarchy_count);
    print_f64s(p.origin, 3);
    printf(" bounds %a %a %a %a %a %a", p.lo[0], p.lo[1], p.lo[2], p.hi[0], p.hi[1], p.hi[2]);
    printf(" error %a degenerate %" PRIu64 " duplicate %" PRIu64 " open %" PRIu64
           " nonmanifold %" PRIu64 " sizes %" PRIu64 " %" PRIu64 " %" PRIu64 " ids %d hash",
           p.rounding_error, p.degenerate_count, p.duplicate_count, p.open_edge_count,
           p.nonmanifold_edge_count, p.hierarchy_size, p.geometry_size, p.id_size, p.has_ids);
    print_bytes(p.content_hash, 16);
    printf(" packer");
    print_bytes(p.packer, 16);
    printf("\n");
    print_triangles(idx, p.triangle_count);
    for (uint32_t i = 0; i < p.hierarchy_count; i++)
        print_any(idx, i);
}

static void print_colours(uint32_t node)
{
    enum { MOST = 1 << 16 };
    static bvp_colour_run runs[MOST];
    uint32_t count;
    require(bvp_get_colours(file, node, runs, MOST, &count), "colours");
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *c = runs[i].rgba;
        printf("colour %u %u %u %u %u\n", runs[i].first, c[0], c[1], c[2], c[3]);
    }
}

static void print_node(uint32_t idx)
{
    bvp_node_info n;
    require(bvp_get_node(file, idx, &n), "node");
    printf("node %u parent %d end %u instance %d part %d name", idx, (int32_t)n.parent, n.end,
           (int32_t)n.instance, (int32_t)n.part);
    print_string(n.name);
    printf(" source");
    print_string(n.source_id);
    printf(" placement");
    print_f64s(n.placement, 12);
    printf("\n");
    for (uint32_t i = 0; i < n.property_count; i++) {
        bvp_string key, value;
        require(bvp_get_property(file, idx, i, &key, &value), "property");
        printf("property");
        print_string(key);
        print_string(value);
        printf("\n");
    }
    print_colours(idx);
}

static void print_instance(uint32_t idx)
{
    bvp_instance_info i;
    require(bvp_get_instance(file, idx, &i), "instance");
    printf("instance %u part %u node %u placement", idx, i.part, i.node);
    print_f64s(i.placement, 12);
    printf("\n");
}

int main(int argc, char **argv)
{
    bvp_file *opened;
    bvp_error error;
    bvp_file_info info;
    if (argc != 2)
        return 2;
    if (bvp_open(argv[1], NULL, &opened, &error) != BVP_OK) {
        fprintf(stderr, "dump_library: %s\n", error.message);
        return 1;
    }
    file = opened;
    bvp_get_info(file, &info);
    print_header(&info);
    for (uint32_t i = 0; i < info.part_count; i++)
        print_part(i);
    for (uint32_t i = 0; i < info.node_count; i++)
        print_node(i);
    for (uint32_t i = 0; i < info.instance_count; i++)
        print_instance(i);
    if (info.instance_count > 0)
        print_hierarchy(BVP_ASSEMBLY);
    size_t size;
    require(bvp_get_provenance(file, NULL, 0, &size, NULL), "provenance");
    printf("provenance %zu\n", size);
    bvp_close(opened);
    return 0;
}
