/* SPDX-License-Identifier: MIT
 * filter.c: filters of instances: made from the product tree, counted, compared by content.
 * Spec: exactness.md, chapter 10, "Filters"
 */
#include "query/body/filter.h"

#include <assert.h>
#include <string.h>

#include "format/checksum.h"

bvp_status bvp_filter_subtree(const bvp_file *file, uint32_t node, uint64_t *bits,
                              size_t word_count)
{
    bvp_file_info info;
    bvp_node_info at;
    bvp_get_info(file, &info);
    if ((bits == NULL && info.instance_count > 0) ||
        word_count < (info.instance_count + UINT64_C(63)) / 64)
        return BVP_ERR_ARGUMENT;
    bvp_status status = bvp_get_node(file, node, &at);
    for (const uint32_t end = status == BVP_OK ? at.end : node; node < end && status == BVP_OK;
         node++) {
        status = bvp_get_node(file, node, &at);
        if (status == BVP_OK && at.instance < info.instance_count)
            bits[at.instance / 64] |= UINT64_C(1) << (at.instance % 64);
    }
    return status;
}

bool bvpi_filter_is_sound(const bvp_filter *filter)
{
    return filter->bits != NULL || filter->word_count == 0;
}

/* ---- by content ------------------------------------------------------------------------------ */

int bvpi_filter_compare(const bvp_filter *a, const bvp_filter *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    if (!a->exclude != !b->exclude)
        return a->exclude ? 1 : -1;
    if (a->word_count != b->word_count)
        return a->word_count < b->word_count ? -1 : 1;
    return a->word_count == 0 || a->bits == b->bits
               ? 0
               : memcmp(a->bits, b->bits, a->word_count * sizeof *a->bits);
}

uint64_t bvpi_filter_hash(const bvp_filter *filter)
{
    if (filter == NULL)
        return 0;
    const uint64_t bits =
        filter->bits ? bvpi_hash64(filter->bits, filter->word_count * sizeof *filter->bits) : 0;
    const uint64_t content[2] = {bits, filter->exclude != 0};
    return bvpi_hash64(content, sizeof content) | 1;
}

/* ---- selected instances ---------------------------------------------------------------------- */

/* The selected ones of instances 64 word .. 64 word + 63. */
static uint64_t asked_in(const bvp_filter *filter, uint32_t word, uint32_t instance_count)
{
    assert(instance_count > 64 * word);
    uint64_t asked = word < filter->word_count ? filter->bits[word] : 0;
    asked = filter->exclude ? ~asked : asked;
    const uint32_t left = instance_count - 64 * word;
    return left < 64 ? asked & ((UINT64_C(1) << left) - 1) : asked;
}

uint32_t bvpi_filter_count(const bvp_filter *filter, uint32_t instance_count, uint32_t most)
{
    const uint32_t words = (uint32_t)((instance_count + UINT64_C(63)) / 64);
    uint32_t count = 0;
    for (uint32_t word = 0; word < words && count < most; word++)
        count += (uint32_t)__builtin_popcountll(asked_in(filter, word, instance_count));
    return count < most ? count : most;
}

/* The threshold is the square root of their number: decisions.md, "Queries of some instances". */
bool bvpi_filter_is_few(const bvp_filter *filter, uint32_t instance_count)
{
    const uint32_t count = bvpi_filter_count(filter, instance_count, UINT16_MAX);
    return count < UINT16_MAX && (uint64_t)count * count <= instance_count;
}

uint32_t bvpi_filter_next(const bvp_filter *filter, uint32_t from, uint32_t instance_count)
{
    const uint32_t words = (uint32_t)((instance_count + UINT64_C(63)) / 64);
    assert(from <= instance_count);
    uint64_t after = ~UINT64_C(0) << (from % 64); /* in the first word */
    for (uint32_t word = from / 64; word < words; word++, after = ~UINT64_C(0)) {
        const uint64_t asked = asked_in(filter, word, instance_count) & after;
        if (asked != 0)
            return 64 * word + (uint32_t)__builtin_ctzll(asked);
    }
    return instance_count;
}
