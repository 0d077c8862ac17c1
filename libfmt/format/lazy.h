/* SPDX-License-Identifier: MIT
 * lazy.h: hashes of an open file, checked when a query first needs what they cover.
 * Spec: format.md, chapter 17
 */
#ifndef BVPI_FORMAT_LAZY_H
#define BVPI_FORMAT_LAZY_H

#include "format/map.h"
#include "format/outside.h"

enum bvpi_hash_state { BVPI_HASH_UNKNOWN = 0, BVPI_HASH_GOOD, BVPI_HASH_BAD };

/* Queries call this first, with each body's part or BVP_ASSEMBLY. With verify_lazily it checks the
 * block hashes of the part's bytes once; otherwise it costs one comparison. A check that the
 * control (or NULL) cancels starts again on the next call. */
bvp_status bvpi_touch_hashes(const bvp_file *file, uint32_t part, const bvp_control *control);
static inline bvp_status bvpi_touch_under(const bvp_file *file, uint32_t part,
                                          const bvp_control *control)
{
    if (file->thin && part != BVP_ASSEMBLY) {
        const bvp_status status = bvpi_thin_resolve(&file, &part);
        if (status != BVP_OK)
            return status;
    }
    if (file->outside && part != BVP_ASSEMBLY) {
        const bvp_status status = bvpi_outside_touch(file, part, control);
        if (status != BVP_OK)
            return status;
    }
    return file->part_state ? bvpi_touch_hashes(file, part, control) : BVP_OK;
}
static inline bvp_status bvpi_touch(const bvp_file *file, uint32_t part)
{
    return bvpi_touch_under(file, part, file->control);
}
/* Explains which block of a part (in the file that holds it), or of BVP_ASSEMBLY, is damaged;
 * BVP_OK if none is. Computes the hashes again. */
bvp_status bvpi_explain_hashes(const bvp_file *file, uint32_t part, bvp_error *error);
/* With verify_lazily: checks the blocks of the product tree, its names and properties. Needs
 * bvpi_touch(BVP_ASSEMBLY), which checks HASH. */
bvp_status bvpi_check_names(const bvp_file *file, bvp_error *error);
/* Is HASH what the root hash says? */
bool bvpi_hashes_are_good(const bvp_file *file);
/* Does block `block` of the hashed range match HASH, and, if the root digest is known, DGST? */
bool bvpi_block_is_good(const bvp_file *file, uint64_t block);
/* The same of bytes that lie elsewhere: the block's, which are as many as it has. */
bool bvpi_block_is(const bvp_file *file, uint64_t block, const uint8_t *bytes);
/* Does it match DGST? */
bool bvpi_block_has_digest(const bvp_file *file, uint64_t block);

#endif
