/* SPDX-License-Identifier: MIT
 * info_kinds.c: sums over the parts' hierarchies.
 *
 * Hierarchies of one kind are summed over all parts. Sizes and counts add up; the area cost is a
 * mean that counts each part by its triangles, because a query meets large parts more often.
 */
#include "inspect/info_kinds.h"

#include <string.h>
#include "text/keyword.h"
#include "text/message.h"

/* All parts' hierarchies of one kind. */
typedef struct kind_sum {
    bvp_hierarchy_info first; /* of the first part that has one */
    uint32_t part_count, depth;
    uint64_t size, order_size, triangle_count, node_count, leaf_count;
    double area_cost; /* times the triangles */
} kind_sum;

enum { KINDS = BVP_KIND_RAYS + 1 };

static bvp_status add_part(const bvp_file *file, uint32_t part, kind_sum sums[KINDS])
{
    bvp_hierarchy_info h;
    bvp_status status = BVP_OK;
    for (uint32_t k = 0; status == BVP_OK; k++) {
        status = bvp_get_hierarchy(file, part, k, &h);
        if (status == BVP_OK && (int)h.kind < KINDS) {
            kind_sum *const sum = &sums[h.kind];
            if (sum->part_count++ == 0)
                sum->first = h;
            sum->depth = h.depth > sum->depth ? h.depth : sum->depth;
            sum->size += h.size;
            sum->order_size += h.order_size;
            sum->triangle_count += h.triangle_count;
            sum->node_count += h.node_count;
            sum->leaf_count += h.leaf_count;
            sum->area_cost += h.area_cost * (double)h.triangle_count;
        }
    }
    return status == BVP_ERR_ARGUMENT ? BVP_OK : status; /* that was the last */
}

static bvp_status sum_up(const bvp_file *file, uint32_t part_count, kind_sum sums[KINDS])
{
    bvp_status status = BVP_OK;
    memset(sums, 0, KINDS * sizeof *sums);
    for (uint32_t i = 0; i < part_count && status == BVP_OK; i++)
        status = add_part(file, i, sums);
    return status;
}

/* ---- text ---------------------------------------------------------------------------------- */

bvp_status kinds_as_text(const bvp_file *file, uint32_t part_count)
{
    kind_sum sums[KINDS];
    bvp_status status = sum_up(file, part_count, sums);
    for (int kind = 0; kind < KINDS && status == BVP_OK; kind++)
        if (sums[kind].part_count > 0) {
            const kind_sum *s = &sums[kind];
            const int is_wide = s->first.kind == BVP_KIND_WIDE;
            const int is_rays = s->first.kind == BVP_KIND_RAYS;
            char a[32], b[64];
            const double triangles = s->triangle_count ? (double)s->triangle_count : 1;
            printf("  %-14s%s bytes, %.2f a stored triangle", kind_name(s->first.kind),
                   grouped(s->size, a), (double)s->size / triangles);
            if (s->order_size > 0)
                printf(" (%.2f of them their order)", (double)s->order_size / triangles);
            printf(": %s, %s %s of up to %u, depth %u, area cost %.2f",
                   counted(s->node_count, is_wide || is_rays ? "node" : "volume", b),
                   grouped(s->leaf_count, a), s->leaf_count == 1 ? "leaf" : "leaves",
                   s->first.leaf_size, s->depth, s->area_cost / triangles);
            if (!is_wide) /* it does not tell */
                printf(", split %s", split_name(s->first.split));
            printf("\n");
            if (s->first.kind == BVP_KIND_BOXTREE)
                printf("  %-14sup to %s a volume, offsets of %u bits\n", "",
                       counted(s->first.plane_max, "plane", b), 8 * s->first.offset_size);
        }
    return status;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void sums_as_json(json *out, const kind_sum sums[KINDS])
{
    jsonw_array(out, "hierarchies");
    for (int kind = 0; kind < KINDS; kind++)
        if (sums[kind].part_count > 0) {
            const kind_sum *s = &sums[kind];
            const double triangles = s->triangle_count ? (double)s->triangle_count : 1;
            jsonw_object(out, NULL);
            jsonw_text(out, "kind", kind_name(s->first.kind));
            if (s->first.kind != BVP_KIND_WIDE)
                jsonw_text(out, "split", split_name(s->first.split));
            jsonw_count(out, "leaf_size", s->first.leaf_size);
            if (s->first.kind == BVP_KIND_BOXTREE) {
                jsonw_count(out, "planes", s->first.plane_max);
                jsonw_count(out, "offset_bits", 8 * (uint64_t)s->first.offset_size);
            }
            jsonw_count(out, "size", s->size);
            jsonw_count(out, "order_size", s->order_size);
            jsonw_number(out, "bytes_per_triangle", (double)s->size / triangles);
            jsonw_count(out, "volume_count", s->node_count);
            jsonw_count(out, "leaf_count", s->leaf_count);
            jsonw_count(out, "depth", s->depth);
            jsonw_number(out, "area_cost", s->area_cost / triangles);
            jsonw_end(out);
        }
    jsonw_end(out);
}

bvp_status kinds_as_json(json *out, const bvp_file *file, uint32_t part_count)
{
    kind_sum sums[KINDS];
    bvp_status status = sum_up(file, part_count, sums);
    sums_as_json(out, sums);
    return status;
}

bvp_status part_kinds_as_json(json *out, const bvp_file *file, uint32_t part)
{
    kind_sum sums[KINDS] = {0};
    bvp_status status = add_part(file, part, sums);
    sums_as_json(out, sums);
    return status;
}
