// SPDX-License-Identifier: MIT
// peer_fcl.cc: FCL's trees of OBBRSS, and of RSS for distance.
#include "peer.h"

#if BENCH_HAVE_FCL
#include "peer_fcl.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <limits>
#include <vector>

namespace
{
template <typename Volume> struct Tree {
    typedef fcl::BVHModel<Volume> Model;

    static void *make(const float *positions, uint64_t triangle_count)
    {
        Model *model = new Model;
        model->beginModel(static_cast<int>(triangle_count), static_cast<int>(3 * triangle_count));
        for (uint64_t i = 0; i < triangle_count; i++) {
            const float *p = positions + 9 * i;
            model->addTriangle(fcl::Vector3d(p[0], p[1], p[2]), fcl::Vector3d(p[3], p[4], p[5]),
                               fcl::Vector3d(p[6], p[7], p[8]));
        }
        model->endModel();
        model->computeLocalAABB();
        return model;
    }

    static void drop(void *model)
    {
        delete static_cast<Model *>(model);
    }
};

const fcl::CollisionGeometryd *get(const void *model)
{
    return static_cast<const fcl::CollisionGeometryd *>(model);
}

int collide_at(const void *a, const fcl::Transform3d &at_a, const void *b,
               const fcl::Transform3d &at_b)
{
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    return fcl::collide(get(a), at_a, get(b), at_b, request, result) > 0;
}

int collide(const void *a, const void *b, const double placement[12])
{
    return collide_at(a, fcl::Transform3d::Identity(), b, placed(placement));
}

int collide_placed(const void *a, const double at_a[12], const void *b, const double at_b[12])
{
    return collide_at(a, placed(at_a), b, placed(at_b));
}

uint64_t pairs(const void *a, const void *b, const double placement[12], peer_pair_fn callback,
               void *user)
{
    fcl::CollisionRequestd request(std::numeric_limits<int>::max(), false);
    fcl::CollisionResultd result;
    fcl::collide(get(a), fcl::Transform3d::Identity(), get(b), placed(placement), request, result);
    for (size_t i = 0; callback && i < result.numContacts(); i++)
        callback(user, static_cast<uint64_t>(result.getContact(i).b1),
                 static_cast<uint64_t>(result.getContact(i).b2));
    return result.numContacts();
}

double distance_at(const void *a, const fcl::Transform3d &at_a, const void *b,
                   const fcl::Transform3d &at_b)
{
    fcl::DistanceRequestd request(true);
    fcl::DistanceResultd result;
    double found = fcl::distance(get(a), at_a, get(b), at_b, request, result);
    return found > 0 ? found : 0;
}

double distance(const void *a, const void *b, const double placement[12])
{
    return distance_at(a, fcl::Transform3d::Identity(), b, placed(placement));
}

double distance_placed(const void *a, const double at_a[12], const void *b, const double at_b[12])
{
    return distance_at(a, placed(at_a), b, placed(at_b));
}

typedef Tree<fcl::OBBRSSd> Obbrss;
typedef Tree<fcl::RSSd> Rss;

const peer_pairs obbrss = {"FCL OBBRSS", Obbrss::make,   Obbrss::drop,    collide, pairs,
                           distance,     collide_placed, distance_placed, nullptr, nullptr};
const peer_pairs rss = {"FCL RSS", Rss::make, Rss::drop,       nullptr, nullptr,
                        distance,  nullptr,   distance_placed, nullptr, nullptr};
} // namespace

const peer_pairs *const peer_fcl = &obbrss;
const peer_pairs *const peer_fcl_rss = &rss;
#endif
