// SPDX-License-Identifier: MIT
// peer_cgal.cc: CGAL's AABB tree over a list of triangles, Simple_cartesian<double>: its fastest
// kernel, whose predicates round (and upwards in collide, where boxes are placed by intervals):
// answers differ where surfaces merely touch.
#include "peer.h"

#if BENCH_HAVE_CGAL
#if !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Wuse-after-free" // in CGAL's reference counts
#endif
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Polygon_mesh_processing/internal/AABB_traversal_traits_with_transformation.h>
#include <CGAL/Simple_cartesian.h>

#include <cmath>
#include <vector>

namespace
{
typedef CGAL::Simple_cartesian<double> Kernel;
typedef Kernel::Point_3 Point;
typedef Kernel::Segment_3 Segment;
typedef Kernel::Triangle_3 Triangle;
typedef Kernel::Aff_transformation_3 Placement;
typedef std::vector<Triangle> Triangles;
typedef CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator> Primitive;
typedef CGAL::AABB_traits<Kernel, Primitive> Traits;
typedef CGAL::AABB_tree<Traits> Tree;

struct Model {
    Triangles triangles;
    Tree tree;
};

Point corner(const float *p)
{
    return Point(p[0], p[1], p[2]);
}

Model *build(const float *positions, uint64_t triangle_count)
{
    Model *model = new Model;
    model->triangles.reserve(triangle_count);
    for (const float *p = positions; p < positions + 9 * triangle_count; p += 9)
        model->triangles.emplace_back(corner(p), corner(p + 3), corner(p + 6));
    model->tree.insert(model->triangles.cbegin(), model->triangles.cend());
    model->tree.build();
    return model;
}

void *make(const float *positions, uint64_t triangle_count)
{
    return build(positions, triangle_count);
}

void drop(void *model)
{
    delete static_cast<Model *>(model);
}

const Tree &tree_of(const void *model)
{
    return static_cast<const Model *>(model)->tree;
}

// ---- two bodies, as in CGAL's Rigid_triangle_mesh_collision_detection ---------------------------

Placement placed(const double m[12])
{
    return Placement(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11]);
}

int collide_placed(const void *a, const double at_a[12], const void *b, const double at_b[12])
{
    CGAL::Interval_nt_advanced::Protector rounding_upwards;
    const Placement placement_b = placed(at_b);
    CGAL::Do_intersect_traversal_traits_with_transformation<Traits, Kernel> inner(
        tree_of(a).traits());
    inner.set_transformation(placed(at_a));
    CGAL::Do_intersect_traversal_traits_for_two_trees<Traits, Kernel> outer(tree_of(b).traits(),
                                                                            placement_b, inner);
    tree_of(b).traversal(tree_of(a), outer);
    return outer.is_intersection_found();
}

int collide(const void *a, const void *b, const double placement[12])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    return collide_placed(a, identity, b, placement);
}

const peer_pairs pairs_table = {"CGAL AABB_tree", make,           drop,    collide, nullptr,
                                nullptr,          collide_placed, nullptr, nullptr, nullptr};

// ---- rays and points ----------------------------------------------------------------------------

// With the search tree that finds the first candidate of a closest point.
void *make_for_points(const float *positions, uint64_t triangle_count, int)
{
    Model *model = build(positions, triangle_count);
    model->tree.accelerate_distance_queries();
    return model;
}

Kernel::Vector_3 vector(const float d[3])
{
    return Kernel::Vector_3(d[0], d[1], d[2]);
}

// Where a query's intersection with a triangle begins, as a multiple of the direction.
double parameter(const Point &origin, const Kernel::Vector_3 &direction, const Point &at)
{
    return (at - origin) * direction / direction.squared_length();
}

// A segment has no first_intersection: a ray, and what lies beyond the end does not count.
double first(const void *model, const float origin[3], const float direction[3], float t_max)
{
    const Point from = corner(origin);
    const Kernel::Vector_3 along = vector(direction);
    const auto hit = tree_of(model).first_intersection(Kernel::Ray_3(from, along));
    if (!hit)
        return -1;
    double t;
    if (const Point *at = boost::get<Point>(&hit->first)) {
        t = parameter(from, along, *at);
    } else {
        const Segment *in = boost::get<Segment>(&hit->first);
        t = std::min(parameter(from, along, in->source()), parameter(from, along, in->target()));
    }
    return t <= t_max ? t : -1;
}

int any(const void *model, const float origin[3], const float direction[3], float t_max)
{
    const Point from = corner(origin);
    const Kernel::Vector_3 along = vector(direction);
    if (std::isinf(t_max))
        return tree_of(model).do_intersect(Kernel::Ray_3(from, along));
    return tree_of(model).do_intersect(Segment(from, from + double(t_max) * along));
}

double closest(const void *model, const float point[3])
{
    return std::sqrt(tree_of(model).squared_distance(corner(point)));
}

const peer_rays rays_table = {"CGAL AABB_tree", make_for_points, nullptr, drop, nullptr, first, any,
                              nullptr,          closest,         nullptr};
} // namespace

const peer_pairs *const peer_cgal = &pairs_table;
const peer_rays *const peer_cgal_rays = &rays_table;
#endif
