/* SPDX-License-Identifier: MIT
 * verify_shared.c: what several parts of the verifier use: sets of small numbers, and the look-up
 * of a cluster record.
 */
#include "format/check/verify_file.h"

#include "node/cluster_record.h"

#include <stdlib.h>
#include <string.h>

bool bvpi_bits_make(bvpi_verify *verify, uint64_t count, bvpi_bits *out)
{
    out->count = count;
    out->bytes = calloc((size_t)(count / 8 + 2), 1); /* two bytes may be looked at at once */
    if (out->bytes)
        return true;
    verify->report.status = bvpi_error_memory(verify->report.error, count / 8 + 1);
    verify->report.stopped = true;
    return false;
}

void bvpi_bits_free(bvpi_bits *bits)
{
    free(bits->bytes);
    bits->bytes = NULL;
}

void bvpi_bits_set_first(bvpi_bits *bits, uint64_t count)
{
    assert(bits->bytes);
    if (count > bits->count)
        count = bits->count;
    memset(bits->bytes, 0xff, (size_t)(count / 8));
    for (uint64_t i = count / 8 * 8; i < count; i++)
        bvpi_bits_set(bits, i);
}

bool bvpi_verify_is_cluster(const bvpi_part *part, uint64_t offset)
{
    uint32_t low = 0, high = part->cluster_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (bvpi_cluster_off(part, middle) <= offset)
            low = middle;
        else
            high = middle;
    }
    assert(low == 0 || low < part->cluster_count);
    return low < part->cluster_count && bvpi_cluster_off(part, low) == offset;
}
