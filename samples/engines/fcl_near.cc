// SPDX-License-Identifier: MIT
// fcl_near: a box of FCL moves towards a packed file, in a broad-phase manager: how far are they,
// do they touch, where. Usage: fcl_near FILE.bvp
#include <bvpack.hpp>
#include <bvpack/fcl.hpp>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

#include <cstdio>
#include <memory>

int main(int argc, char **argv)
try {
    if (argc != 2)
        return std::fprintf(stderr, "usage: fcl_near FILE.bvp\n"), 2;
    const bvp::file file = bvp::file::open(argv[1]);
    const auto model = std::make_shared<bvp::fcl_model>(bvp::body(file).c());
    const fcl::Vector3d middle = model->aabb_center;
    const double size = model->aabb_radius;

    fcl::CollisionObjectd fixed(model);
    fcl::CollisionObjectd box(std::make_shared<fcl::Boxd>(size / 5, size / 5, size / 5));
    fcl::DynamicAABBTreeCollisionManagerd manager;
    manager.registerObject(&fixed);
    manager.setup();
    for (int step = 0; step <= 8; step++) {
        box.setTranslation(middle + fcl::Vector3d(0, 0, size * (2 - .25 * step)));
        box.computeAABB();
        fcl::DefaultDistanceData<double> near;
        near.request.enable_nearest_points = true;
        manager.distance(&box, &near, bvp::fcl_distance_each);
        fcl::DefaultCollisionData<double> touch;
        touch.request = fcl::CollisionRequestd(100, true);
        manager.collide(&box, &touch, bvp::fcl_collide_each);
        std::printf("step %d: distance %g, %zu contacts\n", step, near.result.min_distance,
                    touch.result.numContacts());
        if (touch.result.isCollision() != (near.result.min_distance <= 0))
            return 1;
    }
    return model->status() != BVP_OK;
} catch (const bvp::error &failure) {
    return std::fprintf(stderr, "fcl_near: %s\n", failure.what()), 1;
}
