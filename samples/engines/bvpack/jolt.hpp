// SPDX-License-Identifier: MIT
// jolt.hpp: a packed file as a shape of Jolt Physics 5.5 in single precision, for static and
// kinematic bodies. Compile with Jolt's own flags: it is built with -fno-rtti by default.
//
//     bvp::jolt_shape::register_with_jolt(); // once, after JPH::RegisterTypes()
//     JPH::Ref<bvp::jolt_shape> shape = new bvp::jolt_shape(body); // bvp_body
//
// Convex shapes collide with it and are cast against it, triangle by triangle, by Jolt's own code,
// and so does what is made of them; rays and soft bodies' vertices ask the file's hierarchy. All
// edges count as active: for what slides over them, Jolt's mEnhancedInternalEdgeRemoval helps. It
// takes the sub-type User1: define BVP_JOLT_SUB_TYPE where another shape of yours has that.
#ifndef BVPACK_JOLT_HPP
#define BVPACK_JOLT_HPP

#include <bvpack/engine_body.hpp>

#include <Jolt/Jolt.h>

#include <Jolt/Geometry/Plane.h>
#include <Jolt/Physics/Body/MassProperties.h>
#include <Jolt/Physics/Collision/CastConvexVsTriangles.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/CollideConvexVsTriangles.h>

#include <Jolt/Physics/Collision/CollisionDispatch.h>
#include <Jolt/Physics/Collision/PhysicsMaterial.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/Shape/ConvexShape.h>
#include <Jolt/Physics/Collision/Shape/ScaleHelpers.h>
#include <Jolt/Physics/Collision/Shape/Shape.h>
#include <Jolt/Physics/Collision/ShapeCast.h>
#include <Jolt/Physics/Collision/TransformedShape.h>

// it uses what it does not include
#include <Jolt/Physics/Collision/CollideSoftBodyVerticesVsTriangles.h>

#include <new>

#ifndef BVP_JOLT_SUB_TYPE
#define BVP_JOLT_SUB_TYPE JPH::EShapeSubType::User1
#endif

namespace bvp
{

class jolt_shape final : public JPH::Shape
{
    engine_body body_;
    JPH::uint triangle_bits_ = 1, instance_bits_ = 0;

    static JPH::uint bits_for(std::uint64_t count) // to tell so many apart
    {
        JPH::uint bits = 0;
        while (count > std::uint64_t(1) << bits)
            bits++;
        return bits;
    }
    static JPH::Vec3 vec(const double *p)
    {
        return JPH::Vec3(float(p[0]), float(p[1]), float(p[2]));
    }
    JPH::SubShapeID id_of(const JPH::SubShapeIDCreator &above, const bvp_hit_id &id) const
    {
        const std::uint64_t instance = id.instance == BVP_NONE ? 0 : id.instance;
        return above
            .PushID(JPH::uint32(instance << triangle_bits_ | id.triangle),
                    GetSubShapeIDBitsRecursive())
            .GetID();
    }
    // A triangle's corners by its sub-shape id.
    void corners_of(const JPH::SubShapeID &of, JPH::Vec3 corners[3]) const
    {
        bvp_hit_id id = {};
        hit_id(of, id);
        float p[9] = {};
        affine m = body_.placement();
        bvp_instance_info placed = {};
        body_.note(bvp_get_triangle(body_.c().file, id.part, id.triangle, p, nullptr));
        if (id.instance != BVP_NONE &&
            body_.note(bvp_get_instance(body_.c().file, id.instance, &placed))) {
            affine own;
            std::memcpy(own.data(), placed.placement, sizeof own);
            m = composed(m, own);
        }
        for (int k = 0; k < 3; k++) {
            double world[3];
            for (std::size_t i = 0; i < 3; i++)
                world[i] = m[4 * i] * double(p[3 * k]) + m[4 * i + 1] * double(p[3 * k + 1]) +
                           m[4 * i + 2] * double(p[3 * k + 2]) + m[4 * i + 3];
            corners[k] = vec(world);
        }
    }
    // f(id, v0, v1, v2) for the triangles near a box, which may lie anywhere.
    template <class F> void each(const JPH::AABox &box, F &&f) const
    {
        double lo[3], hi[3];
        for (JPH::uint k = 0; k < 3; k++) {
            // more than Jolt's rounding in floats
            const double slack =
                1e-6 * (std::fabs(double(box.mMin[k])) + std::fabs(double(box.mMax[k])));
            lo[k] = std::fmax(double(box.mMin[k]) - slack, body_.lo()[k]);
            hi[k] = std::fmin(double(box.mMax[k]) + slack, body_.hi()[k]);
            if (!(lo[k] <= hi[k]))
                return;
        }
        body_.each(lo, hi, [&f](const bvp_hit_id &id, const double *p) {
            f(id, vec(p), vec(p + 3), vec(p + 6));
        });
    }
    static JPH::AABox unscaled(const JPH::AABox &box, JPH::Vec3Arg scale)
    {
        return box.Scaled(scale.Reciprocal());
    }
    static bvp_ray ray_of(const JPH::RayCast &ray, float limit)
    {
        bvp_ray out = {};
        for (JPH::uint k = 0; k < 3; k++) {
            out.origin[k] = double(ray.mOrigin[k]);
            out.direction[k] = double(ray.mDirection[k]);
        }
        out.t_max = limit < 1 ? double(limit) : 1;
        return out;
    }

  public:
    explicit jolt_shape(const bvp_body &body)
        : Shape(JPH::EShapeType::User1, BVP_JOLT_SUB_TYPE), body_(body)
    {
        std::uint64_t most = 1;
        bvp_file_info info;
        bvp_get_info(body.file, &info);
        for (std::uint32_t part = 0; part < info.part_count; part++) {
            bvp_part_identity known = {};
            if ((body.part == BVP_ASSEMBLY || body.part == part) &&
                body_.note(bvp_get_part_identity(body.file, part, &known)) &&
                known.triangle_count > most)
                most = known.triangle_count;
        }
        triangle_bits_ = bits_for(most) ? bits_for(most) : 1;
        instance_bits_ = body.part == BVP_ASSEMBLY ? bits_for(info.instance_count) : 0;
        if (triangle_bits_ + instance_bits_ > JPH::SubShapeID::MaxBits)
            body_.note(BVP_ERR_LIMIT);
    }
    // BVP_OK, or how a query has failed. BVP_ERR_LIMIT from the beginning: there are more instances
    // times triangles of the largest part than Jolt's 32 bits can number. Do not use the shape
    // then.
    bvp_status status() const
    {
        return body_.status();
    }
    // Which triangle a sub-shape id names, without what is above this shape; its id is not set.
    void hit_id(const JPH::SubShapeID &of, bvp_hit_id &out) const
    {
        JPH::SubShapeID rest;
        const JPH::uint32 number = of.PopID(GetSubShapeIDBitsRecursive(), rest);
        out.triangle = number & ((std::uint64_t(1) << triangle_bits_) - 1);
        out.instance = BVP_NONE;
        out.part = body_.c().part;
        if (body_.c().part == BVP_ASSEMBLY) {
            bvp_instance_info placed = {};
            out.instance = JPH::uint32(std::uint64_t(number) >> triangle_bits_);
            body_.note(bvp_get_instance(body_.c().file, out.instance, &placed));
            out.part = placed.part;
        }
    }

    bool MustBeStatic() const override
    {
        return true;
    }
    JPH::AABox GetLocalBounds() const override
    {
        return JPH::AABox(vec(body_.lo()), vec(body_.hi()));
    }
    JPH::uint GetSubShapeIDBitsRecursive() const override
    {
        return triangle_bits_ + instance_bits_;
    }
    float GetInnerRadius() const override
    {
        return 0;
    }
    JPH::MassProperties GetMassProperties() const override
    {
        return JPH::MassProperties(); // a surface has none
    }
    const JPH::PhysicsMaterial *GetMaterial(const JPH::SubShapeID &) const override
    {
        return JPH::PhysicsMaterial::sDefault;
    }
    JPH::Vec3 GetSurfaceNormal(const JPH::SubShapeID &of, JPH::Vec3Arg) const override
    {
        JPH::Vec3 v[3];
        corners_of(of, v);
        return (v[1] - v[0]).Cross(v[2] - v[0]).NormalizedOr(JPH::Vec3::sAxisY());
    }
    void GetSupportingFace(const JPH::SubShapeID &of, JPH::Vec3Arg, JPH::Vec3Arg scale,
                           JPH::Mat44Arg transform, SupportingFace &out) const override
    {
        JPH::Vec3 v[3];
        corners_of(of, v);
        for (const JPH::Vec3 &corner : v)
            out.push_back(transform * (scale * corner));
    }
    void GetSubmergedVolume(JPH::Mat44Arg, JPH::Vec3Arg, const JPH::Plane &, float &total,
                            float &submerged, JPH::Vec3 &centre
#ifdef JPH_DEBUG_RENDERER
                            ,
                            JPH::RVec3Arg
#endif
    ) const override
    {
        total = submerged = 0;
        centre = JPH::Vec3::sZero();
    }
#ifdef JPH_DEBUG_RENDERER
    void Draw(JPH::DebugRenderer *, JPH::RMat44Arg, JPH::Vec3Arg, JPH::ColorArg, bool,
              bool) const override
    {
    }
#endif

    bool CastRay(const JPH::RayCast &ray, const JPH::SubShapeIDCreator &above,
                 JPH::RayCastResult &hit) const override
    {
        const bvp_ray asked = ray_of(ray, hit.mFraction);
        const bvp_body body = body_.c();
        bvp_ray_hit found = {};
        if (!body_.note(bvp_ray_first(&body, &asked, &found, nullptr)) || !found.found ||
            !(float(found.t) < hit.mFraction))
            return false;
        hit.mFraction = float(found.t);
        hit.mSubShapeID2 = id_of(above, found.id);
        return true;
    }
    void CastRay(const JPH::RayCast &ray, const JPH::RayCastSettings &settings,
                 const JPH::SubShapeIDCreator &above, JPH::CastRayCollector &collector,
                 const JPH::ShapeFilter &filter) const override
    {
        if (!filter.ShouldCollide(this, above.GetID()))
            return;
        struct context {
            const jolt_shape &self;
            const JPH::SubShapeIDCreator &above;
            JPH::CastRayCollector &collector;
            const JPH::Vec3 direction;
            bool both;
        } context = {*this, above, collector, ray.mDirection,
                     settings.mBackFaceModeTriangles == JPH::EBackFaceMode::CollideWithBackFaces};
        const auto call = [](void *user, const bvp_ray_hit *hit) noexcept {
            auto &c = *static_cast<struct context *>(user);
            if (!c.both && vec(hit->normal).Dot(c.direction) > 0)
                return 0;
            if (float(hit->t) < c.collector.GetEarlyOutFraction()) {
                JPH::RayCastResult out;
                out.mBodyID = JPH::TransformedShape::sGetBodyID(c.collector.GetContext());
                out.mFraction = float(hit->t);
                out.mSubShapeID2 = c.self.id_of(c.above, hit->id);
                c.collector.AddHit(out);
            }
            return c.collector.ShouldEarlyOut() ? 1 : 0;
        };
        const bvp_ray asked = ray_of(ray, 1);
        const bvp_body body = body_.c();
        std::uint64_t count = 0;
        body_.note(bvp_ray_all(&body, &asked, call, &context, &count, nullptr));
    }
    void CollidePoint(JPH::Vec3Arg point, const JPH::SubShapeIDCreator &above,
                      JPH::CollidePointCollector &collector,
                      const JPH::ShapeFilter &filter) const override
    {
        sCollidePointUsingRayCast(*this, point, above, collector, filter);
    }
    void CollideSoftBodyVertices(JPH::Mat44Arg transform, JPH::Vec3Arg scale,
                                 const JPH::CollideSoftBodyVertexIterator &vertices,
                                 JPH::uint count, int shape) const override
    {
        JPH::CollideSoftBodyVerticesVsTriangles nearest(transform, scale);
        const bvp_body body = body_.c();
        for (JPH::CollideSoftBodyVertexIterator v = vertices, end = vertices + count; v != end;
             ++v) {
            if (!(v.GetInvMass() > 0))
                continue;
            nearest.StartVertex(v);
            // of the unscaled shape; a scale that is not the same on all axes may choose another
            const JPH::Vec3 at = nearest.mLocalPosition * scale.Reciprocal();
            const double point[3] = {double(at.GetX()), double(at.GetY()), double(at.GetZ())};
            bvp_closest_result found = {};
            if (!body_.note(bvp_closest(&body, point, HUGE_VAL, &found, nullptr)) || !found.found)
                continue;
            JPH::Vec3 corner[3];
            JPH::SubShapeIDCreator none;
            corners_of(id_of(none, found.id), corner);
            nearest.ProcessTriangle(corner[0], corner[1], corner[2]);
            nearest.FinishVertex(v, shape);
        }
    }

    // Debugging and navigation meshes: the triangles near a box.
    void GetTrianglesStart(GetTrianglesContext &context, const JPH::AABox &box, JPH::Vec3Arg centre,
                           JPH::QuatArg turn, JPH::Vec3Arg scale) const override
    {
        static_assert(sizeof(cursor) <= sizeof(GetTrianglesContext));
        const JPH::Mat44 to_world = JPH::Mat44::sRotationTranslation(turn, centre);
        new (&context)
            cursor{to_world.PreScaled(scale),
                   unscaled(box.Transformed(to_world.InversedRotationTranslation()), scale), 0,
                   JPH::ScaleHelpers::IsInsideOut(scale)};
    }
    int GetTrianglesNext(GetTrianglesContext &context, int most, JPH::Float3 *out,
                         const JPH::PhysicsMaterial **materials) const override
    {
        // the walk has no state: those that were given are counted again
        auto &c = reinterpret_cast<cursor &>(context);
        std::uint64_t seen = 0;
        int given = 0;
        each(c.box, [&](const bvp_hit_id &, JPH::Vec3Arg v0, JPH::Vec3Arg v1, JPH::Vec3Arg v2) {
            if (seen++ < c.done || given == most)
                return;
            const JPH::Vec3 corner[3] = {v0, c.inside_out ? v2 : v1, c.inside_out ? v1 : v2};
            for (int k = 0; k < 3; k++)
                (c.to_world * corner[k]).StoreFloat3(out + 3 * given + k);
            if (materials)
                materials[given] = JPH::PhysicsMaterial::sDefault;
            given++;
        });
        c.done += std::uint64_t(given);
        return given;
    }
    Stats GetStats() const override
    {
        bvp_file_info info;
        bvp_get_info(body_.c().file, &info);
        const std::uint64_t count = info.triangle_count;
        return Stats(sizeof(*this), JPH::uint(count < UINT32_MAX ? count : UINT32_MAX));
    }
    float GetVolume() const override
    {
        return 0;
    }

    static void register_with_jolt()
    {
        using JPH::CollisionDispatch;
        JPH::ShapeFunctions &functions = JPH::ShapeFunctions::sGet(BVP_JOLT_SUB_TYPE);
        functions.mConstruct = nullptr; // a shape is not saved: its file is
        functions.mColor = JPH::Color::sGreen;
        for (const JPH::EShapeSubType convex : JPH::sConvexSubShapeTypes) {
            CollisionDispatch::sRegisterCollideShape(convex, BVP_JOLT_SUB_TYPE, collide);
            CollisionDispatch::sRegisterCastShape(convex, BVP_JOLT_SUB_TYPE, cast);
            CollisionDispatch::sRegisterCollideShape(BVP_JOLT_SUB_TYPE, convex,
                                                     CollisionDispatch::sReversedCollideShape);
            CollisionDispatch::sRegisterCastShape(BVP_JOLT_SUB_TYPE, convex,
                                                  CollisionDispatch::sReversedCastShape);
        }
    }

  private:
    struct cursor {
        JPH::Mat44 to_world;
        JPH::AABox box;
        std::uint64_t done;
        bool inside_out;
    };

    struct collider : JPH::CollideConvexVsTriangles {
        using CollideConvexVsTriangles::CollideConvexVsTriangles;
        JPH::AABox box() const
        {
            return mBoundsOf1InSpaceOf2;
        }
        bool ended() const
        {
            return mCollector.ShouldEarlyOut();
        }
    };
    static void collide(const Shape *shape1, const Shape *shape2, JPH::Vec3Arg scale1,
                        JPH::Vec3Arg scale2, JPH::Mat44Arg transform1, JPH::Mat44Arg transform2,
                        const JPH::SubShapeIDCreator &above1, const JPH::SubShapeIDCreator &above2,
                        const JPH::CollideShapeSettings &settings,
                        JPH::CollideShapeCollector &collector, const JPH::ShapeFilter &)
    {
        const auto &self = *static_cast<const jolt_shape *>(shape2);
        collider one(static_cast<const JPH::ConvexShape *>(shape1), scale1, scale2, transform1,
                     transform2, above1.GetID(), settings, collector);
        self.each(unscaled(one.box(), scale2),
                  [&](const bvp_hit_id &id, JPH::Vec3Arg v0, JPH::Vec3Arg v1, JPH::Vec3Arg v2) {
                      if (!one.ended())
                          one.Collide(v0, v1, v2, 0b111, self.id_of(above2, id));
                  });
    }
    static void cast(const JPH::ShapeCast &shape_cast, const JPH::ShapeCastSettings &settings,
                     const Shape *shape2, JPH::Vec3Arg scale, const JPH::ShapeFilter &,
                     JPH::Mat44Arg transform2, const JPH::SubShapeIDCreator &above1,
                     const JPH::SubShapeIDCreator &above2, JPH::CastShapeCollector &collector)
    {
        const auto &self = *static_cast<const jolt_shape *>(shape2);
        JPH::CastConvexVsTriangles one(shape_cast, settings, scale, transform2, above1, collector);
        JPH::AABox swept = shape_cast.mShapeWorldBounds;
        swept.ExpandBy(JPH::Vec3::sReplicate(settings.mExtraConvexRadius));
        JPH::AABox end = swept;
        end.Translate(shape_cast.mDirection);
        swept.Encapsulate(end);
        self.each(unscaled(swept, scale),
                  [&](const bvp_hit_id &id, JPH::Vec3Arg v0, JPH::Vec3Arg v1, JPH::Vec3Arg v2) {
                      if (!collector.ShouldEarlyOut())
                          one.Cast(v0, v1, v2, 0b111, self.id_of(above2, id));
                  });
    }
};

} // namespace bvp

#endif
