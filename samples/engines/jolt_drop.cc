// SPDX-License-Identifier: MIT
// jolt_drop: a ball falls on a packed file, in Jolt. Usage: jolt_drop FILE.bvp
// Compile with the flags that Jolt was built with, of which -fno-rtti is one by default.
#include <bvpack.hpp>
#include <bvpack/jolt.hpp>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <cstdio>

namespace
{
struct one_layer : JPH::BroadPhaseLayerInterface {
    JPH::uint GetNumBroadPhaseLayers() const override
    {
        return 1;
    }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer) const override
    {
        return JPH::BroadPhaseLayer(0);
    }
};

struct touches : JPH::ContactListener {
    bool any = false;
    void OnContactAdded(const JPH::Body &, const JPH::Body &, const JPH::ContactManifold &,
                        JPH::ContactSettings &) override
    {
        any = true;
    }
};

int drop(const bvp::file &file)
{
    const JPH::Ref<bvp::jolt_shape> shape = new bvp::jolt_shape(bvp::body(file).c());
    const JPH::AABox box = shape->GetLocalBounds();
    const float radius = box.GetSize().Length() / 20;

    one_layer layers;
    JPH::ObjectVsBroadPhaseLayerFilter broad;
    JPH::ObjectLayerPairFilter pairs;
    touches listener;
    JPH::PhysicsSystem system;
    system.Init(64, 0, 64, 256, layers, broad, pairs);
    system.SetContactListener(&listener);
    system.SetGravity(JPH::Vec3(0, 0, -10 * radius)); // whatever the file's unit is
    JPH::TempAllocatorMalloc memory;
    JPH::JobSystemThreadPool jobs(256, 8, 1);
    JPH::BodyInterface &bodies = system.GetBodyInterface();
    bodies.CreateAndAddBody(JPH::BodyCreationSettings(shape, JPH::RVec3::sZero(),
                                                      JPH::Quat::sIdentity(),
                                                      JPH::EMotionType::Static, 0),
                            JPH::EActivation::DontActivate);
    const JPH::Vec3 above(0, 0, box.GetExtent().GetZ() + 2 * radius);
    JPH::BodyCreationSettings ball(new JPH::SphereShape(radius),
                                   JPH::RVec3(box.GetCenter() + above), JPH::Quat::sIdentity(),
                                   JPH::EMotionType::Dynamic, 0);
    ball.mMaxLinearVelocity = 1000 * radius; // Jolt's default is metres a second
    const JPH::BodyID falling = bodies.CreateAndAddBody(ball, JPH::EActivation::Activate);

    for (int step = 0; step < 600 && !listener.any; step++)
        system.Update(1.0F / 120, 1, &memory, &jobs);
    const JPH::RVec3 at = bodies.GetPosition(falling);
    std::printf("%s the model with its centre at %g %g %g\n", listener.any ? "touches" : "misses",
                double(at.GetX()), double(at.GetY()), double(at.GetZ()));
    bodies.RemoveBody(falling);
    bodies.DestroyBody(falling);
    return shape->status() != BVP_OK;
}
} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2)
        return std::fprintf(stderr, "usage: jolt_drop FILE.bvp\n"), 2;
    const bvp::file file = bvp::file::open(argv[1]);
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory();
    JPH::RegisterTypes();
    bvp::jolt_shape::register_with_jolt();
    const int failed = drop(file);
    JPH::UnregisterTypes();
    delete JPH::Factory::sInstance;
    return failed;
} catch (const bvp::error &failure) {
    return std::fprintf(stderr, "jolt_drop: %s\n", failure.what()), 1;
}
