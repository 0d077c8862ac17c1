/* SPDX-License-Identifier: MIT
 * kind_pairs.h: queries of two parts by hierarchies of the kinds that are not the core's.
 */
#ifndef BVPI_KINDS_QUERY_KIND_PAIRS_H
#define BVPI_KINDS_QUERY_KIND_PAIRS_H

#include "query/pair/pair_query.h"

BVPI_PARTS_FN(bvpi_boxtree_pair_base);
BVPI_PARTS_FN(bvpi_boxtree_pair_avx2);
BVPI_PARTS_FN(bvpi_obb_pair_base);
BVPI_PARTS_FN(bvpi_obb_pair_avx2);
BVPI_PARTS_FN(bvpi_rss_pair_base);
BVPI_PARTS_FN(bvpi_rss_pair_avx2);

#endif
