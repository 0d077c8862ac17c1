/* SPDX-License-Identifier: MIT
 * unfolding.h: what waits while a product structure, in which a part stands once, becomes a tree,
 * in which each use of it is a node.
 */
#ifndef UNFOLDING_H
#define UNFOLDING_H

#include "structure/xml_refuse.h"

enum { UNFOLDED_DEPTH = 128, UNFOLDED_MOST = 1 << 22, UNFOLDED_AN_ELEMENT = 4096 };

/* A use of a part, or a part that is a root. */
typedef struct pending {
    uint32_t element, parent, depth;
} pending;

/* Zero-initialise; free `items`. */
typedef struct pile {
    pending *items;
    size_t count, capacity;
} pile;

/* A few elements that name each other can unfold to any size: refuses, at the element, a tree of
 * more than UNFOLDED_MOST nodes, or UNFOLDED_AN_ELEMENT for each element of the document. */
bvp_status unfolding_check(importer *im, const xml_document *d, uint32_t element, size_t count);
/* After the same check of the pile. BVP_ERR_NO_MEMORY: there is none. */
bvp_status pile_add(importer *im, const xml_document *d, pile *stack, pending one);
/* What has been added since there were `first` comes off in the order in which it was added. */
void pile_turn(pile *stack, size_t first);

#endif
