/* SPDX-License-Identifier: MIT
 * copy_part.c: takes a packed part from a file. Everything in a part's bytes is relative to the
 * part, so they are the same in any file.
 *
 * Counts and offsets of the records are checked whatever the caller says, because memory safety
 * depends on them. The rest of the part's rules is verified unless the caller has done so. A record
 * with a meaning that this version does not know is refused, not copied.
 *
 * Held by tests/property/test_copy.c: forged parts give a valid file, or are refused.
 * Spec: format.md, chapters "Parts", "Hierarchies"
 * Measured: decisions.md, "Copies that are held against the rules"
 */
#include "pack/file/part_bytes.h"

#include "base/report.h"
#include "format/identity.h"
#include "format/outside.h"
#include "format/record.h"
#include "format/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A copy of bytes of the file, or a pointer to them if they are borrowed. */
static bvp_status take_bytes(const bvpi_part_bytes *part, const uint8_t *from, uint64_t size,
                             uint8_t **out, bvp_error *error)
{
    *out = part->is_borrowed ? (uint8_t *)from : malloc(size + 1);
    if (!*out)
        return bvpi_error_memory(error, size);
    if (!part->is_borrowed)
        memcpy(*out, from, size);
    return BVP_OK;
}

static bvp_status refuse(uint32_t part, bvp_error *error)
{
    return bvpi_error_set(
        error, BVP_ERR_CORRUPT, BVPI_NO_OFFSET, "",
        "part %" PRIu32 " of the packed file is damaged; \"bvpack verify\" says where", part);
}

static bvp_status take_hierarchies(const bvp_file *file, uint32_t part, bvpi_part_bytes *out,
                                   bvp_error *error)
{
    bvp_status status = BVP_OK;
    uint32_t seen = 0; /* kinds, as bits */
    if (out->part.hierarchy_count == 0 || out->part.hierarchy_count > BVPI_HIERARCHY_MAX)
        return refuse(part, error);
    for (uint32_t k = 0; k < out->part.hierarchy_count && status == BVP_OK; k++) {
        bvpd_hierarchy *h = &out->hierarchy[k];
        status = bvpi_get_hierarchy_record(file, part, &out->part, k, h);
        if (status != BVP_OK)
            return refuse(part, error);
        const uint32_t bit = UINT32_C(1) << h->kind;
        const bool is_new = (seen & bit) == 0 && (h->kind != BVPD_KIND_WIDE8 || k == 0);
        seen |= bit;
        /* a reserved byte may have a meaning in a later version: such a record is not copied */
        if (!is_new || h->reserved != 0)
            return refuse(part, error);
        if (h->kind != BVPD_KIND_WIDE8)
            status = take_bytes(out, file->section[BVPD_BINH].data + h->data_off, h->data_size,
                                &out->binary[k], error);
    }
    return status;
}

const char *bvpi_part_fault(const bvpd_part *p)
{
    if (p->triangle_count == 0 || p->triangle_count > UINT32_MAX || p->vertex_count == 0 ||
        p->vertex_count > UINT32_MAX || p->degenerate_count > p->triangle_count ||
        p->duplicate_count > p->triangle_count || p->open_edge_count > 3 * p->triangle_count ||
        p->nonmanifold_edge_count > 3 * p->triangle_count)
        return "is described with counts that no part has";
    for (int a = 0; a < 3; a++)
        if (!(p->lo[a] <= p->hi[a]) || !isfinite(p->lo[a]) || !isfinite(p->hi[a]) ||
            !isfinite(p->origin[a]))
            return "is described with bounds that no part has";
    if (!(p->rounding_error >= 0) || !isfinite(p->rounding_error))
        return "is described with a rounding error that no part has";
    uint8_t address[16];
    bvpi_part_address(p, address);
    if (bvpi_has_packer(p) && memcmp(p->address, address, sizeof address) != 0)
        return "is described with an address that does not follow from its content";
    return NULL;
}

bvp_status bvpi_part_take(const bvp_file *file, uint32_t part, bool borrow, bool is_verified,
                          bvpi_part_bytes *out, bvp_error *error)
{
    *out = (bvpi_part_bytes){.is_borrowed = borrow};
    bvp_status status = bvpi_source_refuse(file, error);
    if (status == BVP_OK)
        status = bvpi_outside_refuse(file, error);
    if (status == BVP_OK)
        status = bvp_check_part(file, part, error);
    if (status == BVP_OK && !is_verified)
        status = bvp_verify_part(file, part, NULL, NULL, error);
    if (status == BVP_OK)
        status = bvpi_resolve(&file, &part);
    if (status == BVP_OK)
        status = bvpi_get_part_record(file, part, &out->part);
    if (status != BVP_OK)
        return status;
    bvpd_part *p = &out->part;
    p->name = p->source_id = 0;
    if (bvpi_part_fault(p) || !bvpi_is_zero(p->reserved0, sizeof p->reserved0) ||
        !bvpi_is_zero(p->reserved, sizeof p->reserved))
        return refuse(part, error);
    status = take_hierarchies(file, part, out, error);
    if (status == BVP_OK)
        status = take_bytes(out, file->section[BVPD_DATA].data + p->data_off, p->data_size,
                            &out->blob, error);
    if (status == BVP_OK && p->ids_size > 0)
        status = take_bytes(out, file->section[BVPD_TIDS].data + p->ids_off, p->ids_size, &out->ids,
                            error);
    if (status != BVP_OK)
        bvpi_part_free(out);
    return status;
}
