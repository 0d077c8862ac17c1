// SPDX-License-Identifier: MIT
// bullet_drop: a ball falls on a packed file, in Bullet. Usage: bullet_drop FILE.bvp
#include <bvpack.hpp>
#include <bvpack/bullet.hpp>

#include <btBulletDynamicsCommon.h>

#include <cstdio>

int main(int argc, char **argv)
try {
    if (argc != 2)
        return std::fprintf(stderr, "usage: bullet_drop FILE.bvp\n"), 2;
    const bvp::file file = bvp::file::open(argv[1]);
    bvp::bullet_shape shape(bvp::body(file).c()); // all instances, where they stand

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    btRigidBody ground(0, nullptr, &shape);
    world.addRigidBody(&ground);

    btVector3 lo, hi;
    ground.getAabb(lo, hi);
    const btVector3 middle = (lo + hi) / 2;
    const btScalar radius = (hi - lo).length() / 20;
    btSphereShape ball(radius);
    btVector3 inertia;
    ball.calculateLocalInertia(1, inertia);
    btRigidBody falling(1, nullptr, &ball, inertia);
    falling.setWorldTransform(btTransform(btQuaternion::getIdentity(),
                                          btVector3(middle.x(), middle.y(), hi.z() + 2 * radius)));
    falling.setRestitution(0);
    world.addRigidBody(&falling);
    world.setGravity(btVector3(0, 0, -10 * radius)); // whatever the file's unit is

    int touched = 0;
    for (int step = 0; step < 600 && !touched; step++) {
        world.stepSimulation(btScalar(1) / 120, 0);
        for (int k = 0; k < dispatcher.getNumManifolds(); k++)
            touched += dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
    }
    const btVector3 at = falling.getWorldTransform().getOrigin();
    std::printf("%s the model with its centre at %g %g %g\n", touched ? "touches" : "misses",
                double(at.x()), double(at.y()), double(at.z()));
    world.removeRigidBody(&falling);
    world.removeRigidBody(&ground);
    return shape.status() != BVP_OK;
} catch (const bvp::error &failure) {
    return std::fprintf(stderr, "bullet_drop: %s\n", failure.what()), 1;
}
