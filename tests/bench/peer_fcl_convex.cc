// SPDX-License-Identifier: MIT
// peer_fcl_convex.cc: FCL's solid shapes against its trees of OBBRSS, which are models of peer_fcl.
#include "bvpack.h"
#include "peer.h"

#if BENCH_HAVE_FCL
#include "peer_fcl.h"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>

namespace
{
fcl::CollisionGeometryd *shape_of(const bvp_convex *convex)
{
    switch (convex->kind) {
    case BVP_CONVEX_BOX:
        return new fcl::Boxd(convex->size[0], convex->size[1], convex->size[2]);
    case BVP_CONVEX_SPHERE:
        return new fcl::Sphered(convex->radius);
    case BVP_CONVEX_CAPSULE:
        return new fcl::Capsuled(convex->radius, convex->length);
    case BVP_CONVEX_CYLINDER:
        return new fcl::Cylinderd(convex->radius, convex->length);
    default:
        return nullptr;
    }
}

void *make(const bvp_convex *convex)
{
    fcl::CollisionGeometryd *shape = shape_of(convex);
    if (shape)
        shape->computeLocalAABB();
    return shape;
}

void drop(void *shape)
{
    delete static_cast<fcl::CollisionGeometryd *>(shape);
}

const fcl::CollisionGeometryd *get(const void *geometry)
{
    return static_cast<const fcl::CollisionGeometryd *>(geometry);
}

int collide(const void *model, const void *shape, const double placement[12])
{
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    return fcl::collide(get(model), fcl::Transform3d::Identity(), get(shape), placed(placement),
                        request, result) > 0;
}

double distance(const void *model, const void *shape, const double placement[12])
{
    fcl::DistanceRequestd request(true);
    fcl::DistanceResultd result;
    const double found = fcl::distance(get(model), fcl::Transform3d::Identity(), get(shape),
                                       placed(placement), request, result);
    return found > 0 ? found : 0;
}

double depth(const void *a, const void *b, const double placement[12])
{
    fcl::CollisionRequestd request(1000, true);
    fcl::CollisionResultd result;
    double deepest = 0;
    fcl::collide(get(a), fcl::Transform3d::Identity(), get(b), placed(placement), request, result);
    for (size_t i = 0; i < result.numContacts(); i++)
        deepest = std::max(deepest, result.getContact(i).penetration_depth);
    return deepest;
}

const peer_convex obbrss = {"FCL OBBRSS", make, drop, collide, distance, depth};
} // namespace

const peer_convex *const peer_fcl_convex = &obbrss;
#endif
