// SPDX-License-Identifier: MIT
// bullet.hpp: a packed file as a collision shape of Bullet, for static and kinematic objects.
//
// The triangles are read from the mapped file when Bullet asks for those in a box; nothing is
// built, and nothing copied. Rays are answered by the file's hierarchy. Tried with Bullet 3.24.
//
//     bvp::bullet_shape shape(body);            // bvp_body: a file's assembly, or one of its parts
//     btRigidBody ground(0, nullptr, &shape);
#ifndef BVPACK_BULLET_HPP
#define BVPACK_BULLET_HPP

#include <bvpack/engine_body.hpp>

#include <BulletCollision/CollisionShapes/btConcaveShape.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <LinearMath/btAabbUtil2.h>

namespace bvp
{

// In callbacks of Bullet partId is the instance (0 of a single part) and triangleIndex the
// triangle's storage number in its part: bvp_get_triangle says which one of the source it is.
class bullet_shape : public btConcaveShape
{
    engine_body body_;
    btVector3 scaling_ = btVector3(1, 1, 1);

    static void hand_over(btTriangleCallback *callback, const bvp_hit_id &id, const double *corners)
    {
        btVector3 triangle[3];
        for (int k = 0; k < 3; k++)
            triangle[k].setValue(static_cast<btScalar>(corners[3 * k]),
                                 static_cast<btScalar>(corners[3 * k + 1]),
                                 static_cast<btScalar>(corners[3 * k + 2]));
        callback->processTriangle(triangle,
                                  id.instance == BVP_NONE ? 0 : static_cast<int>(id.instance),
                                  static_cast<int>(id.triangle));
    }

    // The corners of a triangle that a ray has hit.
    void hand_over_hit(btTriangleCallback *callback, const bvp_hit_id &id) const
    {
        float local[9];
        affine at = body_.placement();
        bvp_instance_info placed = {};
        if (!body_.note(bvp_get_triangle(body_.c().file, id.part, id.triangle, local, nullptr)))
            return;
        if (id.instance != BVP_NONE) {
            if (!body_.note(bvp_get_instance(body_.c().file, id.instance, &placed)))
                return;
            affine own;
            std::memcpy(own.data(), placed.placement, sizeof own);
            at = composed(at, own);
        }
        double corners[9];
        for (std::size_t k = 0; k < 3; k++)
            for (std::size_t i = 0; i < 3; i++)
                corners[3 * k + i] = at[4 * i] * local[3 * k] + at[4 * i + 1] * local[3 * k + 1] +
                                     at[4 * i + 2] * local[3 * k + 2] + at[4 * i + 3];
        hand_over(callback, id, corners);
    }

    // The nearest triangle first. Bullet wants the others only where it has not taken that one:
    // where it collects all hits, leaves out back faces, or its own test in floats misses an edge.
    void cast(btTriangleRaycastCallback *callback) const
    {
        const btVector3 &from = callback->m_from, way = callback->m_to - callback->m_from;
        if (way.fuzzyZero())
            return;
        bvp_ray ray = {{from.x(), from.y(), from.z()}, {way.x(), way.y(), way.z()}, 0, 1};
        ray.t_max = static_cast<double>(callback->m_hitFraction) < 1 ? callback->m_hitFraction : 1;
        const bvp_body body = body_.c();
        bvp_ray_hit hit = {};
        if (!body_.note(bvp_ray_first(&body, &ray, &hit, nullptr)) || !hit.found)
            return;
        const btScalar before = callback->m_hitFraction;
        hand_over_hit(callback, hit.id);
        if (callback->m_hitFraction < before)
            return;
        struct context {
            const bullet_shape *self;
            btTriangleCallback *callback;
            bvp_hit_id done;
        } rest = {this, callback, hit.id};
        const auto call = [](void *user, const bvp_ray_hit *other) noexcept {
            const context &c = *static_cast<context *>(user);
            if (other->id.triangle != c.done.triangle || other->id.instance != c.done.instance)
                c.self->hand_over_hit(c.callback, other->id);
            return 0;
        };
        std::uint64_t count = 0;
        body_.note(bvp_ray_all(&body, &ray, call, &rest, &count, nullptr));
    }

  public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    explicit bullet_shape(const bvp_body &body) : body_(body)
    {
        // the algorithms for meshes ask whether a shape is concave; CUSTOM_CONCAVE_SHAPE_TYPE would
        // be taken for a signed distance field
        m_shapeType = FAST_CONCAVE_MESH_PROXYTYPE;
    }
    bvp_status status() const // BVP_OK, or how a query has failed
    {
        return body_.status();
    }

    void processAllTriangles(btTriangleCallback *callback, const btVector3 &lo,
                             const btVector3 &hi) const override
    {
        if (auto *ray = dynamic_cast<btTriangleRaycastCallback *>(callback)) {
            cast(ray);
            return;
        }
        // Bullet asks for boxes without an end
        double from[3], to[3];
        for (int k = 0; k < 3; k++) {
            from[k] = btMax(static_cast<double>(lo[k]), body_.lo()[k]);
            to[k] = btMin(static_cast<double>(hi[k]), body_.hi()[k]);
            if (!(from[k] <= to[k]))
                return;
        }
        body_.each(from, to, [callback](const bvp_hit_id &id, const double *corners) {
            hand_over(callback, id, corners);
        });
    }
    void getAabb(const btTransform &at, btVector3 &lo, btVector3 &hi) const override
    {
        const double *from = body_.lo(), *to = body_.hi();
        btTransformAabb(btVector3(btScalar(from[0]), btScalar(from[1]), btScalar(from[2])),
                        btVector3(btScalar(to[0]), btScalar(to[1]), btScalar(to[2])), getMargin(),
                        at, lo, hi);
    }
    void setLocalScaling(const btVector3 &scaling) override // no component may be 0
    {
        scaling_ = scaling;
        body_.scale(scaling.x(), scaling.y(), scaling.z());
    }
    const btVector3 &getLocalScaling() const override
    {
        return scaling_;
    }
    // Not for objects that forces move: they are surfaces, without mass.
    void calculateLocalInertia(btScalar, btVector3 &inertia) const override
    {
        inertia.setValue(0, 0, 0);
    }
    const char *getName() const override
    {
        return "bvpack";
    }
};

} // namespace bvp

#endif
