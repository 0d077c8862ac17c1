// SPDX-License-Identifier: MIT
// peer_fcl_manager.cc: FCL's broad phase over many bodies, a dynamic tree of boxes.
#include "peer.h"

#if BENCH_HAVE_FCL
#include "peer_fcl.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <memory>
#include <vector>

namespace
{
struct Scene {
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    fcl::DynamicAABBTreeCollisionManagerd tree;
};

struct Asked {
    peer_pair_fn callback;
    void *user;
    double limit;
};

uint64_t number(const fcl::CollisionObjectd *object)
{
    return reinterpret_cast<uintptr_t>(object->getUserData());
}

// The models stay the caller's.
void *make(void *const *models, const double (*placements)[12], uint32_t count)
{
    Scene *scene = new Scene;
    std::vector<fcl::CollisionObjectd *> all;
    for (uint32_t i = 0; i < count; i++) {
        std::shared_ptr<fcl::CollisionGeometryd> shared(
            static_cast<fcl::CollisionGeometryd *>(models[i]), [](fcl::CollisionGeometryd *) {});
        scene->objects.emplace_back(new fcl::CollisionObjectd(shared, placed(placements[i])));
        scene->objects.back()->setUserData(reinterpret_cast<void *>(static_cast<uintptr_t>(i)));
        all.push_back(scene->objects.back().get());
    }
    scene->tree.registerObjects(all);
    scene->tree.setup();
    return scene;
}

void drop(void *manager)
{
    delete static_cast<Scene *>(manager);
}

bool on_near(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *user)
{
    const Asked *asked = static_cast<const Asked *>(user);
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    if (fcl::collide(a, b, request, result) > 0)
        asked->callback(asked->user, number(a), number(b));
    return false;
}

void collide(void *manager, peer_pair_fn callback, void *user)
{
    Asked asked = {callback, user, 0};
    static_cast<Scene *>(manager)->tree.collide(&asked, on_near);
}

// The tree leaves out what is farther apart than `nearest` says, and a search of two bodies what is
// farther than the result says: slightly more than the limit, for both leave out what is just as
// far.
bool on_distance(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *user, double &nearest)
{
    const Asked *asked = static_cast<const Asked *>(user);
    const double bound = asked->limit * (1 + 1e-9) + 1e-300;
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result(bound);
    nearest = bound;
    fcl::distance(a, b, request, result);
    if (result.min_distance <= asked->limit)
        asked->callback(asked->user, number(a), number(b));
    return false;
}

void within(void *manager, double limit, peer_pair_fn callback, void *user)
{
    Asked asked = {callback, user, limit};
    static_cast<Scene *>(manager)->tree.distance(&asked, on_distance);
}

const peer_manager manager = {"FCL manager", make, drop, collide, within};
} // namespace

const peer_manager *const peer_fcl_manager = &manager;
#endif
