// SPDX-License-Identifier: MIT
// peer_bullet.cc: Bullet's GImpact meshes: do two of them touch, and how deep? In floats, all
// contacts at once.
#include "peer.h"

#if BENCH_HAVE_BULLET
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#pragma GCC diagnostic pop
#include <btBulletCollisionCommon.h>

#include "peer_bullet.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace
{
struct World {
    btGImpactCollisionAlgorithm::CreateFunc create;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    World()
    {
        // contactPairTest looks in the table for closest points
        dispatcher.registerClosestPointsCreateFunc(GIMPACT_SHAPE_PROXYTYPE, GIMPACT_SHAPE_PROXYTYPE,
                                                   &create);
    }
};

World &world()
{
    static World the;
    return the;
}

struct Model {
    std::vector<float> positions;
    std::vector<int> indices;
    btTriangleIndexVertexArray mesh;
    btGImpactMeshShape shape;
    btCollisionObject object[2];
    Model(const float *from, uint64_t count)
        : positions(from, from + 9 * count), indices(3 * count), mesh(describe(count)), shape(&mesh)
    {
        shape.setMargin(0);
        shape.updateBound();
        for (btCollisionObject &o : object)
            o.setCollisionShape(&shape);
    }
    btTriangleIndexVertexArray describe(uint64_t count)
    {
        std::iota(indices.begin(), indices.end(), 0);
        return btTriangleIndexVertexArray(static_cast<int>(count), indices.data(), 12,
                                          static_cast<int>(3 * count), positions.data(), 12);
    }
};

struct AnyContact : btCollisionWorld::ContactResultCallback {
    int found = 0;
    double deepest = 0;
    btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *, int, int,
                             const btCollisionObjectWrapper *, int, int) override
    {
        found |= point.getDistance() <= 0;
        deepest = std::max(deepest, -static_cast<double>(point.getDistance()));
        return 0;
    }
};

void *make(const float *positions, uint64_t triangle_count)
{
    return new Model(positions, triangle_count);
}

void drop(void *model)
{
    delete static_cast<Model *>(model);
}

const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

AnyContact ask(const void *a, const double at_a[12], const void *b, const double at_b[12])
{
    btCollisionObject *one = &const_cast<Model *>(static_cast<const Model *>(a))->object[0];
    btCollisionObject *other = &const_cast<Model *>(static_cast<const Model *>(b))->object[1];
    AnyContact contact;
    one->setWorldTransform(placed(at_a));
    other->setWorldTransform(placed(at_b));
    world().world.contactPairTest(one, other, contact);
    return contact;
}

int collide_placed(const void *a, const double at_a[12], const void *b, const double at_b[12])
{
    return ask(a, at_a, b, at_b).found;
}

double depth(const void *a, const void *b, const double placement[12])
{
    return ask(a, identity, b, placement).deepest;
}

int collide(const void *a, const void *b, const double placement[12])
{
    return collide_placed(a, identity, b, placement);
}

const peer_pairs table = {"Bullet GImpact", make,           drop,    collide, nullptr,
                          nullptr,          collide_placed, nullptr, nullptr, depth};
} // namespace

const peer_pairs *const peer_bullet = &table;
#endif
