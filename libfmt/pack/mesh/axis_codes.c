/* SPDX-License-Identifier: MIT
 * axis_codes.c: codes of an axis, by the best kernel of this machine.
 *
 * Held by tests/unit/test_pack.c.
 */
#include "pack/mesh/axis_codes.h"

#include "base/isa.h"
#include "format/layout.h"
#include "pack/mesh/axis_codes_kernel.h"

#include <assert.h>

void bvpi_pack_axis(const float *values, uint32_t count, bool raw, bvpi_packed_axis *out)
{
    float room[BVPD_CLUSTER_VERTICES];
    assert(count > 0 && count <= BVPD_CLUSTER_VERTICES);
    memcpy(room, values, count * sizeof *room);
    BVPI_ISA_CHOOSE(bvpi_axis_kernel, bvpi_isa_of_cpu())->pack(room, count, raw, out);
}
