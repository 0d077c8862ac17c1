// SPDX-License-Identifier: MIT
// fcl.hpp: a packed file as a collision geometry of FCL. Tried with FCL 0.7.
//
//     auto model = std::make_shared<bvp::fcl_model>(body); // a file's assembly, or a part
//     fcl::CollisionObjectd object(model, pose);
//     bvp::fcl_collide(&object, &other, request, result);
//     bvp::fcl_distance(&object, &other, request, result);
//
// fcl_collide and fcl_distance take any two objects: where neither is a file they call FCL. FCL's
// own fcl::collide knows a fixed table of geometries, which its shared library hides, so it only
// warns about this one. In broad-phase managers give bvp::fcl_collide_each and
// bvp::fcl_distance_each as callbacks, with FCL's DefaultCollisionData and DefaultDistanceData.
//
// A file may meet: another file; a mesh of FCL with any bounding volumes; any of FCL's shapes. Not
// octrees. Whether a box, sphere, capsule, cylinder, convex or mesh touches, and how far it is, are
// bvpack's exact answers; cones, ellipsoids, planes and half-spaces are tested by FCL's solver,
// triangle by triangle. Contacts have FCL's positions, normals and depths, of each pair of
// triangles or triangle and shape. Meshes are surfaces: what is inside without touching is apart.
#ifndef BVPACK_FCL_HPP
#define BVPACK_FCL_HPP

#include <bvpack/engine_body.hpp>

#include <fcl/broadphase/default_broadphase_callbacks.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/geometric_shape_to_BVH_model.h>
#include <fcl/geometry/shape/utility.h>
#include <fcl/math/bv/utility.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>
#include <fcl/narrowphase/detail/primitive_shape_algorithm/triangle_distance.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>
#include <fcl/narrowphase/distance.h>

#include <limits>
#include <vector>

namespace bvp
{

class fcl_model : public fcl::CollisionGeometryd
{
    engine_body body_;

  public:
    explicit fcl_model(const bvp_body &body) : body_(body)
    {
        computeLocalAABB();
    }
    const engine_body &body() const
    {
        return body_;
    }
    bvp_status status() const // BVP_OK, or how a query has failed
    {
        return body_.status();
    }
    fcl::OBJECT_TYPE getObjectType() const override
    {
        return fcl::OT_UNKNOWN;
    }
    fcl::NODE_TYPE getNodeType() const override
    {
        return fcl::BV_UNKNOWN;
    }
    void computeLocalAABB() override
    {
        for (int k = 0; k < 3; k++) {
            aabb_local.min_[k] = body_.lo()[k];
            aabb_local.max_[k] = body_.hi()[k];
        }
        aabb_center = aabb_local.center();
        aabb_radius = (aabb_local.max_ - aabb_center).norm();
    }
};

namespace fcl_detail
{
using vec = fcl::Vector3d;
using pose = fcl::Transform3d;
using solver = fcl::detail::GJKSolver_libccd<double>;
struct triangle {
    vec p[3];
};

inline const fcl_model *model_of(const fcl::CollisionGeometryd *geometry)
{
    return dynamic_cast<const fcl_model *>(geometry);
}
inline affine affine_of(const pose &from)
{
    affine out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            out[std::size_t(4 * i + j)] = from.matrix()(i, j);
    return out;
}
inline vec at(const affine &m, const float p[3])
{
    vec out;
    for (int i = 0; i < 3; i++) {
        const double *row = &m[std::size_t(4 * i)];
        out[i] = row[0] * double(p[0]) + row[1] * double(p[1]) + row[2] * double(p[2]) + row[3];
    }
    return out;
}

// A file where FCL has put it.
struct placed {
    const fcl_model *model;
    affine placement;
    placed(const fcl_model *of, const pose &to)
        : model(of), placement(composed(affine_of(to), of->body().placement()))
    {
    }
    bvp_body c() const
    {
        return model->body().c(placement);
    }
    bool note(bvp_status status) const
    {
        return model->body().note(status);
    }
    triangle world(const bvp_hit_id &id) const
    {
        return corners(id, placement);
    }
    // In the coordinates of the geometry, before FCL's pose.
    triangle local(const bvp_hit_id &id) const
    {
        return corners(id, model->body().placement());
    }
    triangle corners(const bvp_hit_id &id, affine m) const
    {
        float p[9] = {};
        bvp_instance_info info = {};
        note(bvp_get_triangle(c().file, id.part, id.triangle, p, nullptr));
        if (id.instance != BVP_NONE && note(bvp_get_instance(c().file, id.instance, &info))) {
            affine own;
            std::memcpy(own.data(), info.placement, sizeof own);
            m = composed(m, own);
        }
        return {{at(m, p), at(m, p + 3), at(m, p + 6)}};
    }
};

// In contacts and distances: the triangle's storage number, above it the instance of an assembly.
inline std::intptr_t number_of(const bvp_hit_id &id)
{
    const std::uint64_t above = id.instance == BVP_NONE ? 0 : id.instance;
    return std::intptr_t(above << 32 | id.triangle);
}

// What one question is asked with, and its answers.
struct collision {
    const fcl::CollisionGeometryd *o1, *o2; // o1: the file
    bool swapped;                           // the caller's o1 is o2
    const fcl::CollisionRequestd &request;
    fcl::CollisionResultd &result;

    bool full() const
    {
        return result.numContacts() >= request.num_max_contacts;
    }
    // normal: from the file to the other one
    void add(std::intptr_t b1, std::intptr_t b2, const vec &position, const vec &normal,
             double depth)
    {
        fcl::Contactd c(o1, o2, -1, -1, position, normal, depth);
        c.b1 = b1;
        c.b2 = b2;
        if (swapped) {
            std::swap(c.o1, c.o2);
            std::swap(c.b1, c.b2);
            c.normal = -c.normal;
        }
        if (!full())
            result.addContact(c);
    }
    // Two triangles that touch, in FCL's way.
    void add(std::intptr_t b1, std::intptr_t b2, const triangle &s, const triangle &t)
    {
        vec points[6], normal = vec::Zero();
        unsigned count = 0;
        double depth = 0;
        if (!request.enable_contact) {
            add(b1, b2, s.p[0], normal, depth);
            return;
        }
        if (fcl::detail::Intersect<double>::intersect_Triangle(
                s.p[0], s.p[1], s.p[2], t.p[0], t.p[1], t.p[2], points, &count, &depth, &normal) &&
            count > 0) {
            for (unsigned k = 0; k < count; k++)
                add(b1, b2, points[k], -normal, depth);
            return;
        }
        // they only touch: FCL's test has missed it
        vec p, q;
        fcl::detail::TriangleDistance<double>::triDistance(s.p, t.p, p, q);
        add(b1, b2, p, (s.p[1] - s.p[0]).cross(s.p[2] - s.p[0]).normalized(), 0);
    }
};

struct nearness {
    const fcl::CollisionGeometryd *o1, *o2;
    bool swapped;
    fcl::DistanceResultd &result;

    double limit() const
    {
        return result.min_distance < 1e300 ? std::fmax(result.min_distance, 0) : HUGE_VAL;
    }
    void update(double distance, std::intptr_t b1, std::intptr_t b2, const vec &p1, const vec &p2)
    {
        if (!(distance < result.min_distance))
            return;
        result.min_distance = distance;
        result.o1 = swapped ? o2 : o1;
        result.o2 = swapped ? o1 : o2;
        result.b1 = swapped ? b2 : b1;
        result.b2 = swapped ? b1 : b2;
        result.nearest_points[0] = swapped ? p2 : p1;
        result.nearest_points[1] = swapped ? p1 : p2;
    }
    void update(const bvp_distance_result &found, std::intptr_t b2)
    {
        if (found.found)
            update(found.distance, number_of(found.a), b2, vec(found.point_a), vec(found.point_b));
    }
};

// ---- two files --------------------------------------------------------------------------------

inline void files(const placed &a, const placed &b, collision &c)
{
    std::vector<bvp_pair> pairs(c.request.num_max_contacts - c.result.numContacts());
    const bvp_body x = a.c(), y = b.c();
    std::uint64_t count = 0;
    const bvp_status status = bvp_pairs(&x, &y, pairs.data(), pairs.size(), &count, nullptr);
    if (status != BVP_ERR_LIMIT && !a.note(status))
        return;
    for (std::uint64_t k = 0; k < count && !c.full(); k++)
        c.add(number_of(pairs[k].a), number_of(pairs[k].b), a.world(pairs[k].a),
              b.world(pairs[k].b));
}

inline void files(const placed &a, const placed &b, nearness &n)
{
    const bvp_body x = a.c(), y = b.c();
    bvp_distance_result found = {};
    if (a.note(bvp_distance(&x, &y, n.limit(), &found, nullptr)))
        n.update(found, number_of(found.b));
}

// ---- meshes of FCL ----------------------------------------------------------------------------

// A mesh is walked down its own hierarchy; the file is asked about each of its boxes, and about
// each triangle that is left, as a convex body.
template <class BV> struct mesh_walk {
    const placed &file;
    const fcl::BVHModel<BV> &mesh;
    const pose &to;
    bvp_body body;
    affine placement;

    mesh_walk(const placed &a, const fcl::BVHModel<BV> &b, const pose &tf)
        : file(a), mesh(b), to(tf), body(a.c())
    {
    }
    bvp_convex box_of(int node)
    {
        fcl::AABBd box;
        fcl::convertBV(mesh.getBV(node).bv, pose::Identity(), box);
        pose centred = to;
        centred.translate(vec(box.center()));
        placement = affine_of(centred);
        bvp_convex out = {};
        out.kind = BVP_CONVEX_BOX;
        for (int k = 0; k < 3; k++)
            out.size[k] = (box.max_[k] - box.min_[k]) * (1 + 1e-9);
        out.placement = placement.data();
        return out;
    }
    triangle triangle_of(int leaf, int &id) const
    {
        id = mesh.getBV(leaf).primitiveId();
        const fcl::Triangle &t = mesh.tri_indices[id];
        return {{to * mesh.vertices[t[0]], to * mesh.vertices[t[1]], to * mesh.vertices[t[2]]}};
    }
    static bvp_convex hull_of(const triangle &t)
    {
        bvp_convex out = {};
        out.kind = BVP_CONVEX_HULL;
        out.points = t.p[0].data();
        out.point_count = 3;
        return out;
    }

    void collide(int node, collision &c)
    {
        int hit = 0;
        const bvp_convex box = box_of(node);
        if (c.full() || !file.note(bvp_convex_collide(&body, &box, &hit, nullptr)) || !hit)
            return;
        if (!mesh.getBV(node).isLeaf()) {
            collide(mesh.getBV(node).leftChild(), c);
            collide(mesh.getBV(node).rightChild(), c);
            return;
        }
        struct context {
            const placed &file;
            collision &c;
            triangle other;
            int id;
        } context = {file, c, {}, 0};
        context.other = triangle_of(node, context.id);
        const bvp_convex hull = hull_of(context.other);
        const auto call = [](void *user, const bvp_hit_id *id) {
            auto &x = *static_cast<struct context *>(user);
            x.c.add(number_of(*id), x.id, x.file.world(*id), x.other);
            return x.c.full() ? 1 : 0;
        };
        std::uint64_t count = 0;
        file.note(bvp_convex_each(&body, &hull, call, &context, &count, nullptr));
    }
    // How far the box of a node is; infinite: farther than what is known.
    double bound(int node, double limit)
    {
        const bvp_convex box = box_of(node);
        bvp_distance_result found = {};
        file.note(bvp_convex_distance(&body, &box, limit, &found, nullptr));
        return found.found ? found.distance : HUGE_VAL;
    }
    void distance(int node, nearness &n)
    {
        if (mesh.getBV(node).isLeaf()) {
            int id;
            const triangle t = triangle_of(node, id);
            const bvp_convex hull = hull_of(t);
            bvp_distance_result found = {};
            if (file.note(bvp_convex_distance(&body, &hull, n.limit(), &found, nullptr)))
                n.update(found, id);
            return;
        }
        int child[2] = {mesh.getBV(node).leftChild(), mesh.getBV(node).rightChild()};
        double far[2] = {bound(child[0], n.limit()), bound(child[1], n.limit())};
        const int first = far[1] < far[0];
        for (const int k : {first, 1 - first})
            if (far[k] * (1 - 1e-8) <= n.limit() && far[k] < HUGE_VAL && n.limit() > 0)
                distance(child[k], n);
    }
};

template <class BV>
void mesh(const placed &a, const fcl::CollisionGeometryd *b, const pose &to, collision &c)
{
    const auto &of = *static_cast<const fcl::BVHModel<BV> *>(b);
    if (of.num_tris > 0)
        mesh_walk<BV>(a, of, to).collide(0, c);
}
template <class BV>
void mesh(const placed &a, const fcl::CollisionGeometryd *b, const pose &to, nearness &n)
{
    const auto &of = *static_cast<const fcl::BVHModel<BV> *>(b);
    if (of.num_tris > 0)
        mesh_walk<BV>(a, of, to).distance(0, n);
}

// ---- shapes of FCL ----------------------------------------------------------------------------

// The same solid for bvpack, where there is one.
struct solid {
    bvp_convex convex = {};
    affine placement;
    std::vector<double> points;
    bool known = true;

    explicit solid(const pose &to) : placement(affine_of(to))
    {
        convex.placement = placement.data();
    }
    solid(const solid &) = delete;
    void fill(const fcl::Boxd &s)
    {
        convex.kind = BVP_CONVEX_BOX;
        for (int k = 0; k < 3; k++)
            convex.size[k] = s.side[k];
    }
    void fill(const fcl::Sphered &s)
    {
        convex.kind = BVP_CONVEX_SPHERE;
        convex.radius = s.radius;
    }
    void fill(const fcl::Capsuled &s)
    {
        convex.kind = BVP_CONVEX_CAPSULE;
        convex.radius = s.radius;
        convex.length = s.lz;
    }
    void fill(const fcl::Cylinderd &s)
    {
        convex.kind = BVP_CONVEX_CYLINDER;
        convex.radius = s.radius;
        convex.length = s.lz;
    }
    void fill(const fcl::Convexd &s)
    {
        for (const vec &p : s.getVertices())
            points.insert(points.end(), p.data(), p.data() + 3);
        convex.kind = BVP_CONVEX_HULL;
        convex.points = points.data();
        convex.point_count = std::uint32_t(points.size() / 3);
        known = !points.empty() && points.size() / 3 <= BVP_CONVEX_POINTS;
    }
    void fill(const fcl::TrianglePd &s)
    {
        for (const vec &p : {s.a, s.b, s.c})
            points.insert(points.end(), p.data(), p.data() + 3);
        convex.kind = BVP_CONVEX_HULL;
        convex.points = points.data();
        convex.point_count = 3;
    }
    template <class Shape> void fill(const Shape &)
    {
        known = false;
    }
};

// The shape's box where it stands, cut off at the file's, which planes reach beyond, in the file's
// own coordinates. false: they do not meet.
template <class Shape>
bool box_near(const placed &a, const pose &file_at, const Shape &shape, const pose &to,
              double grown, double lo[3], double hi[3])
{
    fcl::AABBd box;
    fcl::computeBV(shape, file_at.inverse() * to, box);
    const engine_body &body = a.model->body();
    for (int k = 0; k < 3; k++) {
        const double slack = grown + 1e-12 * (std::fabs(body.lo()[k]) + std::fabs(body.hi()[k]));
        lo[k] = std::fmax(box.min_[k] - slack, body.lo()[k]);
        hi[k] = std::fmin(box.max_[k] + slack, body.hi()[k]);
        if (!(lo[k] <= hi[k]))
            return false;
    }
    return true;
}

template <class Shape>
void shape(const placed &a, const pose &file_at, const fcl::CollisionGeometryd *b, const pose &to,
           collision &c)
{
    const Shape &s = *static_cast<const Shape *>(b);
    solver gjk;
    gjk.collision_tolerance = c.request.gjk_tolerance;
    // t: local, and with its pose, as FCL asks about its own meshes: the solver's answers depend
    // on the frame
    const auto touches = [&](const bvp_hit_id &id, const triangle &t, bool certain) {
        vec position = t.p[0], normal = vec::Zero();
        double depth = 0;
        if (c.full())
            return;
        if (certain && !c.request.enable_contact)
            return c.add(number_of(id), fcl::Contactd::NONE, position, normal, depth);
        if (gjk.shapeTriangleIntersect(s, to, t.p[0], t.p[1], t.p[2], file_at, &position, &depth,
                                       &normal))
            return c.add(number_of(id), fcl::Contactd::NONE, position, -normal, depth);
        if (certain) // they only touch: the solver has missed it
            c.add(number_of(id), fcl::Contactd::NONE, file_at * vec((t.p[0] + t.p[1] + t.p[2]) / 3),
                  file_at.linear() * (t.p[1] - t.p[0]).cross(t.p[2] - t.p[0]).normalized(), 0);
    };
    solid same(to);
    same.fill(s);
    if (same.known) {
        struct context {
            const placed &file;
            const decltype(touches) &f;
            collision &c;
        } context = {a, touches, c};
        const auto call = [](void *user, const bvp_hit_id *id) {
            const auto &x = *static_cast<struct context *>(user);
            x.f(*id, x.file.local(*id), true);
            return x.c.full() ? 1 : 0;
        };
        const bvp_body body = a.c();
        std::uint64_t count = 0;
        a.note(bvp_convex_each(&body, &same.convex, call, &context, &count, nullptr));
        return;
    }
    double lo[3], hi[3];
    if (!box_near(a, file_at, s, to, 0, lo, hi))
        return;
    a.model->body().each(lo, hi, [&](const bvp_hit_id &id, const double *p) {
        touches(id, {{vec(p), vec(p + 3), vec(p + 6)}}, false);
    });
}

template <class Shape>
void shape(const placed &a, const pose &file_at, const fcl::CollisionGeometryd *b, const pose &to,
           nearness &n)
{
    const Shape &s = *static_cast<const Shape *>(b);
    const bvp_body body = a.c();
    bvp_distance_result found = {};
    solid same(to);
    same.fill(s);
    if (same.known) {
        if (a.note(bvp_convex_distance(&body, &same.convex, n.limit(), &found, nullptr)))
            n.update(found, fcl::DistanceResultd::NONE);
        return;
    }
    // any triangle gives a distance; only those that are nearer than it are asked then
    const solver gjk;
    const auto measure = [&](const bvp_hit_id &id, const triangle &t) {
        double distance = 0;
        vec p = t.p[0], q = t.p[0];
        if (!gjk.shapeTriangleDistance(s, to, t.p[0], t.p[1], t.p[2], file_at, &distance, &q, &p))
            distance = 0;
        n.update(std::fmax(distance, 0), number_of(id), fcl::DistanceResultd::NONE, p, q);
    };
    fcl::AABBd box;
    fcl::computeBV(s, to, box);
    const double reach = n.limit();
    vec centre = to.translation();
    for (int k = 0; k < 3; k++)
        if (std::isfinite(box.min_[k]) && std::isfinite(box.max_[k]))
            centre[k] = (box.min_[k] + box.max_[k]) / 2;
    bvp_closest_result nearest = {};
    if (!a.note(bvp_closest(&body, centre.data(), HUGE_VAL, &nearest, nullptr)) || !nearest.found)
        return;
    measure(nearest.id, a.local(nearest.id));
    double lo[3], hi[3];
    if (std::fmin(reach, n.limit()) <= 0 ||
        !box_near(a, file_at, s, to, std::fmin(reach, n.limit()), lo, hi))
        return;
    a.model->body().each(lo, hi, [&](const bvp_hit_id &id, const double *p) {
        measure(id, {{vec(p), vec(p + 3), vec(p + 6)}});
    });
}

// ---- which of these ---------------------------------------------------------------------------

template <class Answer>
void ask(const placed &a, const pose &file_at, const fcl::CollisionGeometryd *b, const pose &to,
         Answer &answer)
{
    if (const fcl_model *other = model_of(b))
        return files(a, placed(other, to), answer);
    switch (b->getNodeType()) {
    case fcl::BV_AABB:
        return mesh<fcl::AABBd>(a, b, to, answer);
    case fcl::BV_OBB:
        return mesh<fcl::OBBd>(a, b, to, answer);
    case fcl::BV_RSS:
        return mesh<fcl::RSSd>(a, b, to, answer);
    case fcl::BV_kIOS:
        return mesh<fcl::kIOSd>(a, b, to, answer);
    case fcl::BV_OBBRSS:
        return mesh<fcl::OBBRSSd>(a, b, to, answer);
    case fcl::BV_KDOP16:
        return mesh<fcl::KDOPd<16>>(a, b, to, answer);
    case fcl::BV_KDOP18:
        return mesh<fcl::KDOPd<18>>(a, b, to, answer);
    case fcl::BV_KDOP24:
        return mesh<fcl::KDOPd<24>>(a, b, to, answer);
    case fcl::GEOM_BOX:
        return shape<fcl::Boxd>(a, file_at, b, to, answer);
    case fcl::GEOM_SPHERE:
        return shape<fcl::Sphered>(a, file_at, b, to, answer);
    case fcl::GEOM_ELLIPSOID:
        return shape<fcl::Ellipsoidd>(a, file_at, b, to, answer);
    case fcl::GEOM_CAPSULE:
        return shape<fcl::Capsuled>(a, file_at, b, to, answer);
    case fcl::GEOM_CONE:
        return shape<fcl::Coned>(a, file_at, b, to, answer);
    case fcl::GEOM_CYLINDER:
        return shape<fcl::Cylinderd>(a, file_at, b, to, answer);
    case fcl::GEOM_CONVEX:
        return shape<fcl::Convexd>(a, file_at, b, to, answer);
    case fcl::GEOM_PLANE:
        return shape<fcl::Planed>(a, file_at, b, to, answer);
    case fcl::GEOM_HALFSPACE:
        return shape<fcl::Halfspaced>(a, file_at, b, to, answer);
    case fcl::GEOM_TRIANGLE:
        return shape<fcl::TrianglePd>(a, file_at, b, to, answer);
    default:
        a.note(BVP_ERR_ARGUMENT);
    }
}
} // namespace fcl_detail

// As fcl::collide: returns the number of contacts. A geometry that is not known, an octree, gives
// none, and the model's status() is BVP_ERR_ARGUMENT.
inline std::size_t fcl_collide(const fcl::CollisionGeometryd *o1, const fcl::Transform3d &tf1,
                               const fcl::CollisionGeometryd *o2, const fcl::Transform3d &tf2,
                               const fcl::CollisionRequestd &request, fcl::CollisionResultd &result)
{
    const fcl_model *first = fcl_detail::model_of(o1), *second = fcl_detail::model_of(o2);
    if (!first && !second)
        return fcl::collide(o1, tf1, o2, tf2, request, result);
    fcl_detail::collision answer = {first ? o1 : o2, first ? o2 : o1, !first, request, result};
    if (!answer.full())
        fcl_detail::ask(fcl_detail::placed(first ? first : second, first ? tf1 : tf2),
                        first ? tf1 : tf2, answer.o2, first ? tf2 : tf1, answer);
    return result.numContacts();
}
inline std::size_t fcl_collide(const fcl::CollisionObjectd *o1, const fcl::CollisionObjectd *o2,
                               const fcl::CollisionRequestd &request, fcl::CollisionResultd &result)
{
    return fcl_collide(o1->collisionGeometry().get(), o1->getTransform(),
                       o2->collisionGeometry().get(), o2->getTransform(), request, result);
}

// As fcl::distance: keeps the smaller one of this and what *result holds, and returns it. 0 when
// they touch; signed distances and tolerances of the request mean nothing here.
inline double fcl_distance(const fcl::CollisionGeometryd *o1, const fcl::Transform3d &tf1,
                           const fcl::CollisionGeometryd *o2, const fcl::Transform3d &tf2,
                           const fcl::DistanceRequestd &request, fcl::DistanceResultd &result)
{
    const fcl_model *first = fcl_detail::model_of(o1), *second = fcl_detail::model_of(o2);
    if (!first && !second)
        return fcl::distance(o1, tf1, o2, tf2, request, result);
    fcl_detail::nearness answer = {first ? o1 : o2, first ? o2 : o1, !first, result};
    fcl_detail::ask(fcl_detail::placed(first ? first : second, first ? tf1 : tf2),
                    first ? tf1 : tf2, answer.o2, first ? tf2 : tf1, answer);
    return result.min_distance;
}
inline double fcl_distance(const fcl::CollisionObjectd *o1, const fcl::CollisionObjectd *o2,
                           const fcl::DistanceRequestd &request, fcl::DistanceResultd &result)
{
    return fcl_distance(o1->collisionGeometry().get(), o1->getTransform(),
                        o2->collisionGeometry().get(), o2->getTransform(), request, result);
}

// For managers: data is a fcl::DefaultCollisionData<double>.
inline bool fcl_collide_each(fcl::CollisionObjectd *o1, fcl::CollisionObjectd *o2, void *data)
{
    auto &all = *static_cast<fcl::DefaultCollisionData<double> *>(data);
    if (!all.done)
        fcl_collide(o1, o2, all.request, all.result);
    all.done = all.done || all.result.numContacts() >= all.request.num_max_contacts;
    return all.done;
}
// data is a fcl::DefaultDistanceData<double>.
inline bool fcl_distance_each(fcl::CollisionObjectd *o1, fcl::CollisionObjectd *o2, void *data,
                              double &distance)
{
    auto &all = *static_cast<fcl::DefaultDistanceData<double> *>(data);
    if (!all.done)
        fcl_distance(o1, o2, all.request, all.result);
    distance = all.result.min_distance;
    return all.done || distance <= 0;
}

} // namespace bvp

#endif
