// SPDX-License-Identifier: MIT
// peer_fcl_boxes.cc: FCL's broad phase alone: its dynamic tree over boxes that it is given. They
// are the own boxes of geometry at the identity, so that FCL neither turns them nor makes them
// those of spheres.
#include "peer.h"

#if BENCH_HAVE_FCL
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

#include <memory>
#include <vector>

namespace
{
struct Boxes {
    std::vector<std::shared_ptr<fcl::Boxd>> shapes;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<fcl::CollisionObjectd *> moved;
    fcl::DynamicAABBTreeCollisionManagerd tree;

    void set(uint32_t i, const double box[6])
    {
        shapes[i]->aabb_local.min_ = fcl::Vector3d(box[0], box[1], box[2]);
        shapes[i]->aabb_local.max_ = fcl::Vector3d(box[3], box[4], box[5]);
        objects[i]->computeAABB();
    }
};

struct Asked {
    peer_pair_fn callback;
    void *user;
};

void *make(const double (*boxes)[6], uint32_t count)
{
    Boxes *all = new Boxes;
    std::vector<fcl::CollisionObjectd *> objects;
    for (uint32_t i = 0; i < count; i++) {
        all->shapes.emplace_back(new fcl::Boxd(1, 1, 1));
        all->objects.emplace_back(new fcl::CollisionObjectd(all->shapes.back()));
        all->objects.back()->setUserData(reinterpret_cast<void *>(static_cast<uintptr_t>(i)));
        all->set(i, boxes[i]);
        objects.push_back(all->objects.back().get());
    }
    all->tree.registerObjects(objects);
    all->tree.setup();
    return all;
}

void drop(void *manager)
{
    delete static_cast<Boxes *>(manager);
}

void refit(void *manager, const double (*boxes)[6], const uint32_t *moved, uint32_t count)
{
    Boxes *all = static_cast<Boxes *>(manager);
    for (uint32_t k = 0; k < count; k++)
        all->set(moved[k], boxes[moved[k]]);
    all->tree.update();
}

void insert(void *manager, const double (*boxes)[6], const uint32_t *moved, uint32_t count)
{
    Boxes *all = static_cast<Boxes *>(manager);
    all->moved.clear();
    for (uint32_t k = 0; k < count; k++) {
        all->set(moved[k], boxes[moved[k]]);
        all->moved.push_back(all->objects[moved[k]].get());
    }
    all->tree.update(all->moved);
}

bool on_pair(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *user)
{
    const Asked *asked = static_cast<const Asked *>(user);
    asked->callback(asked->user, reinterpret_cast<uintptr_t>(a->getUserData()),
                    reinterpret_cast<uintptr_t>(b->getUserData()));
    return false;
}

void pairs(void *manager, peer_pair_fn callback, void *user)
{
    Asked asked = {callback, user};
    static_cast<Boxes *>(manager)->tree.collide(&asked, on_pair);
}

const peer_boxes refitted = {"FCL manager refitted", make, drop, refit, pairs};
const peer_boxes inserted = {"FCL manager inserted", make, drop, insert, pairs};
} // namespace

const peer_boxes *const peer_fcl_refitted = &refitted;
const peer_boxes *const peer_fcl_inserted = &inserted;
#endif
