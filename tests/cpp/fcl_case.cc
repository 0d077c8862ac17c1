// SPDX-License-Identifier: MIT
// fcl_case.cc: bvp::fcl_collide and bvp::fcl_distance against FCL's own meshes of the same
// triangles: every shape of FCL and every kind of its hierarchies, and two files; contacts; a
// broad-phase manager. Usage: fcl_case FILE.bvp, which has one part, and is small.
#include <bvpack/fcl.hpp>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

namespace
{
const unsigned seed = 1;
int failures;
void check(bool yes, const char *what, double ours = 0, double theirs = 0)
{
    if (yes)
        return;
    std::printf("fcl_case: %s: %.17g, FCL %.17g\n", what, ours, theirs);
    failures++;
}

using fcl::Vector3d;
std::vector<Vector3d> corners;
double size;

template <class BV> std::shared_ptr<fcl::BVHModel<BV>> mesh()
{
    auto out = std::make_shared<fcl::BVHModel<BV>>();
    out->beginModel(int(corners.size() / 3), int(corners.size()));
    for (std::size_t k = 0; k < corners.size(); k += 3)
        out->addTriangle(corners[k], corners[k + 1], corners[k + 2]);
    out->endModel();
    out->computeLocalAABB();
    return out;
}

fcl::Transform3d pose(std::minstd_rand &random, const Vector3d &around, double reach)
{
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> unit(-1, 1);
    fcl::Transform3d out = fcl::Transform3d::Identity();
    out.linear() = fcl::Quaterniond(normal(random), normal(random), normal(random), normal(random))
                       .normalized()
                       .toRotationMatrix();
    out.translation() = around + reach * Vector3d(unit(random), unit(random), unit(random));
    return out;
}

// FCL's contacts of the same triangles are the same; each is told from the first object to the
// second one, where FCL turns some round.
void compare_contacts(const char *what, const fcl::CollisionResultd &a,
                      const fcl::CollisionResultd &b, const fcl::CollisionGeometryd *o1,
                      const fcl::CollisionGeometryd *o2)
{
    std::map<std::intptr_t, fcl::Contactd> theirs;
    for (std::size_t k = 0; k < b.numContacts(); k++) {
        const fcl::Contactd &c = b.getContact(k);
        if (c.o2->getObjectType() == fcl::OT_BVH && c.o1->getObjectType() != fcl::OT_BVH)
            theirs[c.b2] = c;
        else if (c.o2->getObjectType() != fcl::OT_BVH) {
            theirs[c.b1] = c;
            theirs[c.b1].normal = -c.normal;
        }
    }
    int same = 0;
    for (std::size_t k = 0; k < a.numContacts(); k++) {
        const fcl::Contactd &c = a.getContact(k);
        check(c.o1 == o1 && c.o2 == o2 && c.b2 >= 0, "sides of a contact");
        const auto found = theirs.find(c.b2);
        if (found == theirs.end())
            continue;
        same++;
        check((c.pos - found->second.pos).norm() <= 1e-6 * size, what, c.pos[0],
              found->second.pos[0]);
        check((c.normal - found->second.normal).norm() <= 1e-6, "normal", c.normal[2],
              found->second.normal[2]);
        check(std::fabs(c.penetration_depth - found->second.penetration_depth) <= 1e-6 * size,
              "depth", c.penetration_depth, found->second.penetration_depth);
    }
    check(10 * same >= 9 * int(theirs.size()), "triangles in contact", same, double(theirs.size()));
}

// `other` at many places near the file and near FCL's mesh of it.
void compare(const char *what, const std::shared_ptr<bvp::fcl_model> &file,
             const std::shared_ptr<fcl::CollisionGeometryd> &own,
             const std::shared_ptr<fcl::CollisionGeometryd> &other,
             const std::shared_ptr<fcl::CollisionGeometryd> &others_twin, bool distances)
{
    std::minstd_rand random(seed);
    int hits = 0, misses = 0;
    for (int k = 0; k < 60; k++) {
        const fcl::Transform3d at = pose(random, Vector3d(0, 0, 0), size),
                               to = pose(random, at * file->aabb_center, size * .6);
        const fcl::CollisionRequestd request(100000, true);
        fcl::CollisionResultd a, b;
        bvp::fcl_collide(other.get(), to, file.get(), at, request, a);
        fcl::collide(others_twin.get(), to, own.get(), at, request, b);
        if (a.isCollision() != b.isCollision()) {
            // which of them is right, FCL's distance tells, unless they only just touch
            fcl::DistanceResultd near;
            fcl::distance(others_twin.get(), to, own.get(), at, fcl::DistanceRequestd(), near);
            check(std::fabs(near.min_distance) < 1e-5 * size, what, double(a.numContacts()),
                  double(b.numContacts()));
        }
        (b.isCollision() ? hits : misses)++;
        compare_contacts(what, a, b, other.get(), file.get());
        fcl::CollisionResultd first;
        bvp::fcl_collide(file.get(), at, other.get(), to, fcl::CollisionRequestd(1), first);
        check(first.numContacts() == (a.isCollision() ? 1 : 0), "one contact only");
        if (!distances)
            continue;
        fcl::DistanceResultd x, y;
        const fcl::DistanceRequestd asked(true);
        bvp::fcl_distance(other.get(), to, file.get(), at, asked, x);
        fcl::distance(others_twin.get(), to, own.get(), at, asked, y);
        const double theirs = std::fmax(y.min_distance, 0);
        check(std::fabs(x.min_distance - theirs) <= 1e-4 * size, what, x.min_distance, theirs);
        check(x.min_distance <= 0 || std::fabs((x.nearest_points[0] - x.nearest_points[1]).norm() -
                                               x.min_distance) <= 1e-6 * size,
              "nearest points");
    }
    check(hits > 3 && misses > 3, "the places are no test", hits, misses);
    check(file->status() == BVP_OK, "status", file->status());
    std::printf("%s: %d touch, %d apart\n", what, hits, misses);
}

void manager(const std::shared_ptr<bvp::fcl_model> &file,
             const std::shared_ptr<fcl::CollisionGeometryd> &own)
{
    std::minstd_rand random(seed);
    fcl::DynamicAABBTreeCollisionManagerd ours, theirs;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    const auto ball = std::make_shared<fcl::Sphered>(size / 8);
    for (int k = 0; k < 40; k++) {
        const fcl::Transform3d at = pose(random, Vector3d(0, 0, 0), size * 2);
        for (const bool one : {true, false}) {
            std::shared_ptr<fcl::CollisionGeometryd> geometry = ball;
            if (k % 2)
                geometry = one ? std::shared_ptr<fcl::CollisionGeometryd>(file) : own;
            objects.push_back(std::make_unique<fcl::CollisionObjectd>(geometry, at));
            (one ? ours : theirs).registerObject(objects.back().get());
        }
    }
    ours.setup();
    theirs.setup();
    // objects, not triangles: each pair once
    struct data {
        fcl::DefaultCollisionData<double> all;
        int touching = 0;
    } x, y;
    ours.collide(&x, [](fcl::CollisionObjectd *o1, fcl::CollisionObjectd *o2, void *user) {
        auto &d = *static_cast<data *>(user);
        d.all.result.clear();
        d.all.done = false;
        bvp::fcl_collide_each(o1, o2, &d.all);
        d.touching += d.all.result.isCollision();
        return false;
    });
    theirs.collide(&y, [](fcl::CollisionObjectd *o1, fcl::CollisionObjectd *o2, void *user) {
        auto &d = *static_cast<data *>(user);
        d.all.result.clear();
        fcl::collide(o1, o2, d.all.request, d.all.result);
        d.touching += d.all.result.isCollision();
        return false;
    });
    check(x.touching == y.touching && x.touching > 0, "pairs of the manager", x.touching,
          y.touching);
    fcl::DefaultDistanceData<double> near, far;
    fcl::CollisionObjectd point(std::make_shared<fcl::Sphered>(size / 100));
    point.setTranslation(Vector3d(5 * size, 0, 0));
    point.computeAABB();
    ours.distance(&point, &near, bvp::fcl_distance_each);
    theirs.distance(&point, &far, fcl::DefaultDistanceFunction<double>);
    check(std::fabs(near.result.min_distance - far.result.min_distance) < 1e-4 * size,
          "distance of the manager", near.result.min_distance, far.result.min_distance);
    std::printf("manager: %d pairs touch, nearest %g\n", x.touching, near.result.min_distance);
}
} // namespace

int main(int argc, char **argv)
{
    bvp_file *opened;
    bvp_error error;
    bvp_part_info part;
    if (argc != 2 || bvp_open(argv[1], nullptr, &opened, &error) || bvp_get_part(opened, 0, &part))
        return 2;
    for (std::uint64_t t = 0; t < part.triangle_count; t++) {
        float p[9];
        bvp_get_triangle(opened, 0, t, p, nullptr);
        for (int k = 0; k < 9; k += 3)
            corners.emplace_back(p[k], p[k + 1], p[k + 2]);
    }
    bvp_body body = {};
    body.file = opened;
    body.part = 0;
    auto file = std::make_shared<bvp::fcl_model>(body);
    size = (file->aabb_local.max_ - file->aabb_local.min_).norm();
    const auto own = mesh<fcl::OBBRSSd>();

    const auto shape = [&](const char *what, std::shared_ptr<fcl::CollisionGeometryd> s,
                           bool distances = true) {
        s->computeLocalAABB();
        compare(what, file, own, s, s, distances);
    };
    const double s = size / 6;
    shape("box", std::make_shared<fcl::Boxd>(s, 2 * s, s));
    shape("sphere", std::make_shared<fcl::Sphered>(s));
    shape("capsule", std::make_shared<fcl::Capsuled>(s / 2, 2 * s));
    shape("cylinder", std::make_shared<fcl::Cylinderd>(s, 2 * s));
    shape("cone", std::make_shared<fcl::Coned>(s, 2 * s));
    shape("ellipsoid", std::make_shared<fcl::Ellipsoidd>(s, s / 2, 2 * s));
    const auto vertices = std::make_shared<std::vector<Vector3d>>(
        std::vector<Vector3d>{{-s, -s, -s}, {s, -s, -s}, {0, s, -s}, {0, 0, 2 * s}});
    const auto faces = std::make_shared<std::vector<int>>(
        std::vector<int>{3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3});
    shape("convex", std::make_shared<fcl::Convexd>(vertices, 4, faces));
    // FCL has no distance of these
    shape("half-space", std::make_shared<fcl::Halfspaced>(Vector3d(0, 0, 1), 0), false);
    shape("plane", std::make_shared<fcl::Planed>(Vector3d(0, 0, 1), 0), false);

    const auto twin = [&](const char *what, std::shared_ptr<fcl::CollisionGeometryd> other) {
        compare(what, file, own, other, own, true);
    };
    twin("mesh of AABB", mesh<fcl::AABBd>());
    twin("mesh of OBB", mesh<fcl::OBBd>());
    twin("mesh of RSS", mesh<fcl::RSSd>());
    twin("mesh of kIOS", mesh<fcl::kIOSd>());
    twin("mesh of OBBRSS", own);
    twin("mesh of KDOP16", mesh<fcl::KDOPd<16>>());
    twin("mesh of KDOP18", mesh<fcl::KDOPd<18>>());
    twin("mesh of KDOP24", mesh<fcl::KDOPd<24>>());
    twin("another file", std::make_shared<bvp::fcl_model>(body));
    manager(file, own);
    std::printf("%d failures, seed %u\n", failures, seed);
    return failures != 0;
}
