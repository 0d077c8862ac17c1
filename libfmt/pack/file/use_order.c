/* SPDX-License-Identifier: MIT
 * use_order.c: records of a table by how often they are used.
 *
 * Held by tests/unit/test_linear_order.c, test_hierarchy_order.c
 */
#include "pack/file/use_order.h"

static int compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

int bvpi_most_used_first(const void *left, const void *right)
{
    const bvpi_use *a = left, *b = right;
    return a->uses != b->uses ? compare(b->uses, a->uses) : compare(a->number, b->number);
}

int bvpi_most_used_last(const void *left, const void *right)
{
    const bvpi_use *a = left, *b = right;
    return a->uses != b->uses ? compare(a->uses, b->uses) : compare(a->number, b->number);
}
