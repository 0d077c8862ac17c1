/* SPDX-License-Identifier: MIT
 * hierarchy_order.c: the order of the parts' hierarchies in HIER.
 *
 * A query of an assembly reads the record of the hierarchy over the instances first, which is the
 * last one of HIER. The parts that most instances have come directly before it, so that whoever
 * fetches blocks from afar has the records of most parts that a query meets. Parts' own records
 * cannot move: a part's number is its source's.
 *
 * A part's hierarchies stay together, in their order.
 *
 * Held by tests/unit/test_hierarchy_order.c, tests/property/test_first_pick.c (counts of reads)
 * Spec: format.md, chapter "Hierarchies"
 * Measured: decisions.md, "First picks"
 */
#include "pack/file/hierarchy_order.h"

#include "base/load.h"
#include "base/status.h"
#include "pack/file/use_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void count_uses(const bvpd_instance *instances, uint64_t count, uint32_t parts,
                       bvpi_use *uses)
{
    for (uint32_t i = 0; i < parts; i++)
        uses[i].number = i;
    for (uint64_t k = 0; k < count; k++) {
        const uint32_t part = bvpi_load_u32(&instances[k].part);
        if (part < parts)
            uses[part].uses++;
    }
}

/* old: the hierarchies in the parts' order. */
static void place_by_use(bvpi_finishing *f, const bvpd_hierarchy *old, const bvpi_use *uses,
                         uint32_t parts)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < parts; k++) {
        bvpd_part *part = &f->parts[uses[k].number];
        assert(part->hierarchy_count <= f->hierarchy_count - at);
        memcpy(f->hierarchies + at, old + part->first_hierarchy,
               part->hierarchy_count * sizeof *old);
        f->features |= part->first_hierarchy != at ? BVPD_FEATURE_BY_USE : 0;
        part->first_hierarchy = at;
        at += part->hierarchy_count;
    }
    assert(at == f->hierarchy_count);
}

bvp_status bvpi_order_hierarchies(bvpi_finishing *f, const bvpd_instance *instances, uint64_t count,
                                  bvp_error *error)
{
    const uint32_t parts = (uint32_t)f->b->parts.count;
    bvpi_use *uses = calloc((size_t)parts + 1, sizeof *uses);
    bvpd_hierarchy *old = calloc((size_t)f->hierarchy_count + 1, sizeof *old);
    bvp_status status = BVP_OK;
    if (uses && old) {
        count_uses(instances, count, parts, uses);
        qsort(uses, parts, sizeof *uses, bvpi_most_used_last);
        memcpy(old, f->hierarchies, f->hierarchy_count * sizeof *old);
        place_by_use(f, old, uses, parts);
    } else
        status = bvpi_error_memory(error, f->hierarchy_count * sizeof *old);
    free(uses);
    free(old);
    return status;
}
