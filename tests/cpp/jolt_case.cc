// SPDX-License-Identifier: MIT
// jolt_case.cc: bvp::jolt_shape against Jolt's own MeshShape of the same triangles: rays, shapes
// that collide and that are cast, a ball that comes to rest. Usage: jolt_case FILE.bvp, of one part
#include <bvpack/jolt.hpp>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/CollisionCollectorImpl.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace JPH;

namespace
{
const unsigned seed = 1;
const double scale = .001;
int failures;
void check(bool yes, const char *what, double ours = 0, double theirs = 0)
{
    if (yes)
        return;
    std::printf("jolt_case: %s: %.9g, Jolt %.9g\n", what, ours, theirs);
    failures++;
}

Ref<Shape> own_mesh(const bvp_file *file, std::uint64_t count, bool turned = false)
{
    TriangleList triangles;
    for (std::uint64_t t = 0; t < count; t++) {
        float p[9];
        bvp_get_triangle(file, 0, t, p, nullptr);
        for (float &x : p)
            x *= float(scale);
        if (turned)
            std::rotate(p, p + 3, p + 9);
        triangles.push_back(
            Triangle(Float3(p[0], p[1], p[2]), Float3(p[3], p[4], p[5]), Float3(p[6], p[7], p[8])));
    }
    MeshShapeSettings settings(triangles);
    settings.mActiveEdgeCosThresholdAngle = -1; // all edges active, as ours
    return settings.Create().Get();
}

struct places {
    std::minstd_rand random{seed};
    AABox box;
    float in(float lo, float hi)
    {
        return std::uniform_real_distribution<float>(lo, hi)(random);
    }
    Vec3 any()
    {
        const float x = in(box.mMin.GetX(), box.mMax.GetX()),
                    y = in(box.mMin.GetY(), box.mMax.GetY());
        return Vec3(x, y, in(box.mMin.GetZ(), box.mMax.GetZ()));
    }
};

void rays(const Shape *ours, const Shape *own)
{
    places at{{}, own->GetLocalBounds()};
    int hits = 0, others = 0;
    for (int k = 0; k < 2000; k++) {
        const Vec3 from = at.any(), to = at.any();
        const RayCast ray(from, to - from);
        RayCastResult a, b;
        const bool x = ours->CastRay(ray, SubShapeIDCreator(), a);
        const bool y = own->CastRay(ray, SubShapeIDCreator(), b);
        hits += y;
        others += x != y || (x && std::fabs(a.mFraction - b.mFraction) > 1e-4F);
        AllHitCollisionCollector<CastRayCollector> all;
        RayCastSettings settings;
        settings.SetBackFaceMode(EBackFaceMode::CollideWithBackFaces);
        ours->CastRay(ray, settings, SubShapeIDCreator(), all);
        check(all.HadHit() == x, "all hits of a ray", double(all.mHits.size()), x);
    }
    check(hits > 100 && 100 * others < hits, "rays", others, hits);
    std::printf("rays: %d of 2000 hit, %d otherwise than in Jolt\n", hits, others);
}

using hits = AllHitCollisionCollector<CollideShapeCollector>;
hits collide(const Shape *shape, Mat44Arg to, const Shape *ground)
{
    CollideShapeSettings settings;
    hits found;
    settings.mBackFaceMode = EBackFaceMode::CollideWithBackFaces;
    CollisionDispatch::sCollideShapeVsShape(shape, ground, Vec3::sOne(), Vec3::sOne(), to,
                                            Mat44::sIdentity(), SubShapeIDCreator(),
                                            SubShapeIDCreator(), settings, found);
    return found;
}
using closest = ClosestHitCollisionCollector<CastShapeCollector>;
closest cast(const ShapeCast &moving, const Shape *ground)
{
    ShapeCastSettings settings;
    closest found;
    settings.mBackFaceModeTriangles = EBackFaceMode::CollideWithBackFaces;
    CollisionDispatch::sCastShapeVsShapeLocalSpace(moving, settings, ground, Vec3::sOne(), {},
                                                   Mat44::sIdentity(), SubShapeIDCreator(),
                                                   SubShapeIDCreator(), found);
    return found;
}
float deepest(const hits &found)
{
    float depth = 0;
    for (const auto &h : found.mHits)
        depth = std::max(depth, h.mPenetrationDepth);
    return depth;
}
struct tally {
    int counts = 0, depths = 0, casts = 0; // that differ
    void add(const hits &a, const hits &b, const closest &c, const closest &d)
    {
        counts += a.mHits.size() != b.mHits.size();
        depths += std::fabs(deepest(a) - deepest(b)) > 1e-3F;
        casts += c.HadHit() != d.HadHit() ||
                 (c.HadHit() && std::fabs(c.mHit.mFraction - d.mHit.mFraction) > 1e-3F);
    }
};

// Jolt searches for a depth by steps that depend on the order of a triangle's corners. So the
// control is Jolt's mesh of the same triangles, each begun at its second corner.
void shapes(const char *what, const Shape *shape, const Shape *ours, const Shape *own,
            const Shape *turned)
{
    places at{{}, own->GetLocalBounds()};
    int touched = 0, struck = 0;
    tally other, control;
    for (int k = 0; k < 300; k++) {
        const Mat44 to = Mat44::sRotationTranslation(
            Quat(at.in(-1, 1), at.in(-1, 1), at.in(-1, 1), at.in(-1, 1)).Normalized(), at.any());
        const ShapeCast moving(shape, Vec3::sOne(), to, at.any() - to.GetTranslation());
        const hits theirs = collide(shape, to, own);
        const closest first = cast(moving, own);
        other.add(collide(shape, to, ours), theirs, cast(moving, ours), first);
        control.add(collide(shape, to, turned), theirs, cast(moving, turned), first);
        touched += theirs.HadHit();
        struck += first.HadHit();
    }
    std::printf("%s: %d of 300 collide, %d casts hit; otherwise than in Jolt: %d counts of "
                "triangles, %d depths, %d casts; in Jolt with triangles turned: %d, %d, %d\n",
                what, touched, struck, other.counts, other.depths, other.casts, control.counts,
                control.depths, control.casts);
    check(touched > 5 && struck > 5, what, touched, struck);
    check(other.counts <= 2 + 2 * control.counts, what, other.counts, control.counts);
    check(other.depths <= 2 + 2 * control.depths, what, other.depths, control.depths);
    check(other.casts <= 2 + 2 * control.casts, what, other.casts, control.casts);
}

struct one_layer : BroadPhaseLayerInterface {
    uint GetNumBroadPhaseLayers() const override
    {
        return 1;
    }
    BroadPhaseLayer GetBroadPhaseLayer(ObjectLayer) const override
    {
        return BroadPhaseLayer(0);
    }
};

// A ball set down at the middle of the ground; how high it lies then.
float rest_on(const Shape *ground, Vec3 start)
{
    one_layer layers;
    ObjectVsBroadPhaseLayerFilter broad;
    ObjectLayerPairFilter pairs;
    PhysicsSystem system;
    system.Init(64, 0, 64, 256, layers, broad, pairs);
    TempAllocatorMalloc memory;
    JobSystemThreadPool jobs(256, 8, 1);
    BodyInterface &bodies = system.GetBodyInterface();
    bodies.CreateAndAddBody(
        BodyCreationSettings(ground, RVec3::sZero(), Quat::sIdentity(), EMotionType::Static, 0),
        EActivation::DontActivate);
    const BodyID ball = bodies.CreateAndAddBody(
        BodyCreationSettings(new SphereShape(.2F), RVec3(start + Vec3(0, .25F, 0)),
                             Quat::sIdentity(), EMotionType::Dynamic, 0),
        EActivation::Activate);
    for (int k = 0; k < 300; k++)
        system.Update(1.0F / 120, 1, &memory, &jobs);
    const float height = float(bodies.GetPosition(ball).GetY());
    bodies.RemoveBody(ball);
    bodies.DestroyBody(ball);
    return height;
}
} // namespace

int main(int argc, char **argv)
{
    bvp_file *file;
    bvp_error error;
    bvp_part_info part;
    if (argc != 2 || bvp_open(argv[1], nullptr, &file, &error) || bvp_get_part(file, 0, &part))
        return 2;
    RegisterDefaultAllocator();
    Factory::sInstance = new Factory();
    RegisterTypes();
    bvp::jolt_shape::register_with_jolt();
    const double scaled[12] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0};
    bvp_body body = {};
    body.file = file;
    body.part = 0;
    body.placement = scaled;
    {
        Ref<bvp::jolt_shape> ours = new bvp::jolt_shape(body);
        const Ref<Shape> own = own_mesh(file, part.triangle_count);
        const Ref<Shape> turned = own_mesh(file, part.triangle_count, true);
        rays(ours, own);
        shapes("sphere", Ref<Shape>(new SphereShape(.2F)), ours, own, turned);
        shapes("box", Ref<Shape>(new BoxShape(Vec3(.1F, .2F, .3F))), ours, own, turned);
        RayCastResult hit;
        const Vec3 from(.1F, 20, .1F), way(0, -40, 0);
        check(own->CastRay(RayCast(from, way), SubShapeIDCreator(), hit), "a ray to the ground");
        const Vec3 start = from + hit.mFraction * way;
        const float a = rest_on(ours, start), b = rest_on(own, start);
        check(std::fabs(a - b) < .001F, "height at rest", double(a), double(b));
        std::printf("at rest at %g, on Jolt's mesh at %g\n", double(a), double(b));
        check(ours->status() == BVP_OK, "status", ours->status());
    }
    UnregisterTypes();
    delete Factory::sInstance;
    bvp_close(file);
    std::printf("%d failures, seed %u\n", failures, seed);
    return failures != 0;
}
