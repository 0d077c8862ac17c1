/* SPDX-License-Identifier: MIT
 * kind_table.c: the kinds of binary hierarchies that queries can walk. A library built with
 * BVPI_WIDE_ONLY has only the AABB tree, which deformed parts need; one built with BVPI_WIDE_ALONE
 * has none: a module for browsers, where a page waits for each KiB.
 */
#include "kinds/query/kind_pairs.h"
#include "kinds/query/volume_boxes.h"

#ifdef BVPI_DISPATCH
#define BOTH(name)                                                                                 \
    {                                                                                              \
        name##_base, name##_avx2                                                                   \
    }
#else
#define BOTH(name)                                                                                 \
    {                                                                                              \
        name##_base                                                                                \
    }
#endif

#ifdef BVPI_WIDE_ALONE
const bvpi_kind_functions *const bvpi_kind_table[BVPD_KIND_END] = {NULL};
#else
static const bvpi_kind_functions aabb = {bvpi_aabb_root, bvpi_aabb_grid_box, BOTH(bvpi_aabb_pair)};

#ifdef BVPI_WIDE_ONLY
const bvpi_kind_functions *const bvpi_kind_table[BVPD_KIND_END] = {[BVPD_KIND_AABB] = &aabb};
#else
static const bvpi_kind_functions boxtree = {bvpi_boxtree_root, bvpi_boxtree_grid_box,
                                            BOTH(bvpi_boxtree_pair)};
static const bvpi_kind_functions obb = {bvpi_oriented_root, bvpi_oriented_grid_box,
                                        BOTH(bvpi_obb_pair)};
static const bvpi_kind_functions rss = {bvpi_oriented_root, bvpi_oriented_grid_box,
                                        BOTH(bvpi_rss_pair)};

const bvpi_kind_functions *const bvpi_kind_table[BVPD_KIND_END] = {[BVPD_KIND_BOXTREE] = &boxtree,
                                                                   [BVPD_KIND_AABB] = &aabb,
                                                                   [BVPD_KIND_OBB] = &obb,
                                                                   [BVPD_KIND_RSS] = &rss};
#endif
#endif
