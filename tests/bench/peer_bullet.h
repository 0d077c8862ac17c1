// SPDX-License-Identifier: MIT
// peer_bullet.h: what both of Bullet's peers need.
#ifndef PEER_BULLET_H
#define PEER_BULLET_H

#include <LinearMath/btTransform.h>

inline btTransform placed(const double m[12])
{
    btScalar x[12];
    for (int k = 0; k < 12; k++)
        x[k] = static_cast<btScalar>(m[k]);
    return btTransform(btMatrix3x3{x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]},
                       btVector3{x[3], x[7], x[11]});
}

#endif
