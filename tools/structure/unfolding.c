/* SPDX-License-Identifier: MIT
 * unfolding.c: the pile of what is to become a node.
 *
 * Held by tests/unit/test_import_plmxml.c and test_import_ap242.c.
 */
#include "structure/unfolding.h"

#include "text/array.h"

bvp_status unfolding_check(importer *im, const xml_document *d, uint32_t element, size_t count)
{
    const uint64_t own = (uint64_t)d->element_count * UNFOLDED_AN_ELEMENT;
    const uint64_t most = own < UNFOLDED_MOST ? own : UNFOLDED_MOST;
    if (count < most)
        return BVP_OK;
    return xml_refuse(im, d, BVP_ERR_LIMIT, element,
                      "its tree has more than %llu nodes; export its sub-assemblies apart",
                      (unsigned long long)most);
}

bvp_status pile_add(importer *im, const xml_document *d, pile *stack, pending one)
{
    const bvp_status status = unfolding_check(im, d, one.element, stack->count);
    if (status != BVP_OK)
        return status;
    if (array_grow(&stack->items, &stack->capacity, stack->count + 1, sizeof *stack->items) != 0)
        return import_no_memory(im);
    stack->items[stack->count++] = one;
    return BVP_OK;
}

void pile_turn(pile *stack, size_t first)
{
    for (size_t a = first, b = stack->count; a + 1 < b; a++, b--) {
        const pending swapped = stack->items[a];
        stack->items[a] = stack->items[b - 1];
        stack->items[b - 1] = swapped;
    }
}
