/* SPDX-License-Identifier: MIT
 * peer_fcl.h: what the peers of FCL share: a rigid placement, row-major 3x4, as FCL takes it.
 */
#ifndef BENCH_PEER_FCL_H
#define BENCH_PEER_FCL_H

#include <fcl/common/types.h>

static inline fcl::Transform3d placed(const double m[12])
{
    fcl::Transform3d t = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            t.linear()(row, column) = m[4 * row + column];
        t.translation()[row] = m[4 * row + 3];
    }
    return t;
}

#endif
