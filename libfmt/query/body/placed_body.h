/* SPDX-License-Identifier: MIT
 * placed_body.h: the body of a query, checked and placed in the world.
 */
#ifndef BVPI_QUERY_BODY_PLACED_BODY_H
#define BVPI_QUERY_BODY_PLACED_BODY_H

#include "format/record.h"
#include "prim/pose.h"
#include "query/body/filter.h"

/* A valid hierarchy needs 7 entries a level and one more. */
#define BVPI_STACK_OF(levels) (7 * (levels) + 8)
enum { BVPI_STACK_SIZE = BVPI_STACK_OF(BVPD_DEPTH_MAX) };

/* A hierarchy in the world. */
typedef struct bvpi_placed_tree {
    bvpi_tree tree;
    bvpi_placement placement;
    double bound[3];  /* largest |coordinate| of what the hierarchy bounds, before placement: of the
                         grid, which is wider than a flat part by up to a few of its steps */
    double corner[3]; /* of a part: the same of its corners alone */
    double slack;     /* what is bounded may leave its box by so much, before placement */
} bvpi_placed_tree;

/* One part in the world. */
typedef struct bvpi_placed_part {
    bvpi_placed_tree at;
    bvpi_part part;
    /* The kind of hierarchy that the query walks. Unless it is the wide one, that is `binary`, and
     * at.tree has only the grid and the bytes of the clusters. */
    uint32_t kind;
    bvpi_binary binary;
    bvpi_rays rays;              /* for ray queries, beside the kind above */
    uint32_t part_idx, instance; /* BVP_NONE: the body is this part alone */
} bvpi_placed_part;

/* A body in the world: one part, or an assembly of them. */
typedef struct bvpi_placed_body {
    const bvp_file *file;
    int is_assembly;
    int is_empty;                 /* an assembly without instances */
    bvpi_placed_part one;         /* unless is_assembly */
    bvpi_placed_tree top;         /* is_assembly: the first hierarchy over the instances */
    uint32_t top_count;           /* is_assembly: how many there are */
    const double *placement;      /* is_assembly: the caller's, or NULL for the identity */
    const bvp_filter *filter;     /* of its instances; or NULL */
    const bvp_control *control;   /* the body's, or its handle's; or NULL */
    struct bvpi_kept_parts *kept; /* is_assembly: what a batch has placed; or NULL */
} bvpi_placed_body;

/* The last instances that a batch has placed, one for each remainder of their numbers: those that
 * many of its elements meet, and those that neighbours meet. 14 KiB. */
#ifndef BVPI_KEPT_PART_BITS
#define BVPI_KEPT_PART_BITS 4
#endif
enum { BVPI_KEPT_PARTS = 1 << BVPI_KEPT_PART_BITS };
typedef struct bvpi_kept_parts {
    bvpi_placed_part part[BVPI_KEPT_PARTS];  /* instance BVP_NONE: none */
    bvpi_adjugate adjugate[BVPI_KEPT_PARTS]; /* of their placements */
} bvpi_kept_parts;

/* Does the filter select instance `instance`? */
static inline bool bvpi_placed_body_selects(const bvpi_placed_body *placed, uint32_t instance)
{
    return placed->filter == NULL || bvpi_filter_selects(placed->filter, instance);
}

/* Reads body's fields; its placement and its filter must outlive it. */
bvp_status bvpi_placed_body_init(bvpi_placed_body *placed, const bvp_body *body);

/* Once, at open: prepares part 0 in its own placement, so that queries of it alone can skip
 * bvpi_placed_body_init; it becomes file->ready. False: the part's records are not valid. */
bool bvpi_ready_init(const bvp_file *file, bvpi_placed_part *out);
/* NULL when body has more than part 0 (a placement, filter or control), or the part has been
 * refitted or is not valid. Then bvpi_placed_body_init decides. */
const bvpi_placed_part *bvpi_ready_part(const bvp_body *body);

/* A body's box before its placement. */
typedef struct bvpi_plain_box {
    double lo[3], hi[3]; /* in the frame of its grid, where that is turned */
    double size[3];      /* the largest |coordinate| of what is in it, turned or not */
    const double *placement;
    bool is_moved; /* else the placement is the identity */
    bool is_turned;
    int16_t turn[4];
    bool is_composed; /* of instances, whose placements the body's is composed with */
} bvpi_plain_box;

/* False: a query would not walk one hierarchy of the body, or has something else to check first
 * (control, a kind that the part may lack). */
bool bvpi_get_plain_box(const bvp_body *body, bvpi_plain_box *out);

/* Hierarchy `top` over an assembly's instances. Instances of one come before those of the next. */
bvp_status bvpi_placed_body_top(const bvpi_placed_body *placed, uint32_t top,
                                bvpi_placed_tree *out);

/* The box of the hierarchy in the world, but for rounding: for choosing what to look at first. */
void bvpi_placed_tree_box(const bvpi_placed_tree *at, double lo[3], double hi[3]);

/* Instance `instance` of an assembly, which may be any number. */
bvp_status bvpi_placed_body_instance(const bvpi_placed_body *placed, uint32_t instance,
                                     bvpi_placed_part *out);

/* The same; *out: where it is kept, until the next call, or `own`. */
bvp_status bvpi_placed_body_visit(const bvpi_placed_body *placed, uint32_t instance,
                                  bvpi_placed_part *own, const bvpi_placed_part **out);

/* From now on bvpi_placed_body_visit keeps what it places, if that is an assembly's. */
void bvpi_placed_body_keep(bvpi_placed_body *placed, bvpi_kept_parts *kept);

/* Selects another of the part's hierarchies. BVP_ERR_ARGUMENT: it has none of that kind. */
bvp_status bvpi_placed_part_kind(const bvp_file *file, uint32_t kind, bvpi_placed_part *out);

/* The public identity of triangle `local` of the cluster with the given header. */
void bvpi_hit_id_of(const bvpi_placed_part *part, const bvpd_cluster *cluster, uint32_t local,
                    bvp_hit_id *out);

/* Of eight triangles of a cluster bvp_hit_id.id, in less time than eight times one. */
void bvpi_eight_ids_of(const bvpi_placed_part *part, const bvpd_cluster *cluster,
                       const uint32_t local[8], uint64_t ids[8]);

/* Adds a query's counts to the caller's statistics; to: these, or NULL. */
void bvpi_add_stats(bvp_stats *to, const bvp_stats *from);

#endif
