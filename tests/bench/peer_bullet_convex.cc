// SPDX-License-Identifier: MIT
// peer_bullet_convex.cc: Bullet's convex hulls of boxes: how deep are two of them in each other, by
// GJK and the expanding polytope? In floats.
#include "bvpack.h"
#include "peer.h"

#if BENCH_HAVE_BULLET
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

#include "peer_bullet.h"

#include <algorithm>

namespace
{
void *make(const bvp_convex *convex)
{
    if (convex->kind != BVP_CONVEX_BOX)
        return nullptr;
    auto *hull = new btConvexHullShape;
    for (int corner = 0; corner < 8; corner++) {
        btScalar x[3];
        for (int i = 0; i < 3; i++)
            x[i] = static_cast<btScalar>((corner >> i & 1 ? 0.5 : -0.5) * convex->size[i]);
        hull->addPoint(btVector3(x[0], x[1], x[2]), corner == 7);
    }
    hull->setMargin(0);
    return hull;
}

void drop(void *shape)
{
    delete static_cast<btConvexHullShape *>(shape);
}

double depth(const void *a, const void *b, const double placement[12])
{
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver solver;
    btGjkPairDetector detector(static_cast<const btConvexHullShape *>(a),
                               static_cast<const btConvexHullShape *>(b), &simplex, &solver);
    btGjkPairDetector::ClosestPointInput input;
    btPointCollector found;
    input.m_transformA.setIdentity();
    input.m_transformB = placed(placement);
    detector.getClosestPoints(input, found, nullptr);
    return found.m_hasResult ? std::max(0.0, -static_cast<double>(found.m_distance)) : 0;
}

const peer_convex table = {"Bullet hulls", make, drop, nullptr, nullptr, depth};
} // namespace

const peer_convex *const peer_bullet_convex = &table;
#endif
