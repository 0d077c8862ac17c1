// SPDX-License-Identifier: MIT
// bullet_case.cc: bodies fall on a packed file in Bullet, as bvp::bullet_shape
// and as Bullet's own btBvhTriangleMeshShape over the same triangles: when is
// it ready, what memory does it take, how long is a step, where do the bodies
// come to rest. Then rays. Fails where the two differ. Usage: bullet_case
// FILE.bvp BODIES STEPS Prints: what,bvpack,Bullet,ratio
#include <bvpack/bullet.hpp>

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace
{
const unsigned seed = 1;

double now()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Of this thread: machines that run other things too make wall times of steps useless.
double processor_now()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// A number of /proc/self/status, in KiB.
double status_of(const char *key)
{
    std::FILE *from = std::fopen("/proc/self/status", "r");
    char line[256];
    double value = 0;
    while (from && std::fgets(line, sizeof line, from))
        if (!std::strncmp(line, key, std::strlen(key)))
            value = std::atof(line + std::strlen(key) + 1);
    if (from)
        std::fclose(from);
    return value;
}

// The triangles of an assembly as Bullet's own shape. A part of its mesh has at most 2^21
// triangles.
struct peer {
    std::vector<std::vector<btScalar>> parts;
    std::vector<int> indices;
    btTriangleIndexVertexArray mesh;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    double build = 0; // seconds, without reading the triangles

    // Backwards: the last instance first, the same triangles in another order.
    peer(const bvp_file *file, double scale, bool backwards = false)
    {
        bvp_file_info info;
        bvp_get_info(file, &info);
        for (std::uint32_t i = 0; i < info.instance_count; i++)
            add(file, backwards ? info.instance_count - 1 - i : i, scale, backwards);
        std::size_t most = 0;
        for (const auto &part : parts)
            most = std::max(most, part.size() / 3);
        indices.resize(most);
        std::iota(indices.begin(), indices.end(), 0);
        for (const auto &part : parts) {
            btIndexedMesh one;
            one.m_numTriangles = int(part.size() / 9);
            one.m_triangleIndexBase = reinterpret_cast<const unsigned char *>(indices.data());
            one.m_triangleIndexStride = 3 * sizeof(int);
            one.m_numVertices = int(part.size() / 3);
            one.m_vertexBase = reinterpret_cast<const unsigned char *>(part.data());
            one.m_vertexStride = 3 * sizeof(btScalar);
            mesh.addIndexedMesh(one, PHY_INTEGER);
        }
        const double from = now();
        shape = std::make_unique<btBvhTriangleMeshShape>(&mesh, true);
        build = now() - from;
    }
    void add(const bvp_file *file, std::uint32_t instance, double scale, bool backwards)
    {
        bvp_instance_info placed;
        bvp_part_info part;
        std::uint64_t count;
        if (bvp_get_instance(file, instance, &placed) || bvp_get_part(file, placed.part, &part))
            std::exit(1);
        std::vector<float> p(9 * part.triangle_count);
        if (bvp_get_triangles(file, placed.part, {0, part.triangle_count}, p.data(), nullptr,
                              &count))
            std::exit(1);
        if (parts.empty() || parts.back().size() + p.size() > 9u << 21)
            parts.emplace_back();
        for (std::size_t i = 0, j = p.size(); backwards && i < j; i += 9)
            std::swap_ranges(p.begin() + long(i), p.begin() + long(i + 9),
                             p.begin() + long(j -= 9));
        const double *m = placed.placement;
        for (std::size_t v = 0; v < p.size(); v += 3)
            for (int i = 0; i < 3; i++)
                parts.back().push_back(
                    btScalar(scale * (m[4 * i] * double(p[v]) + m[4 * i + 1] * double(p[v + 1]) +
                                      m[4 * i + 2] * double(p[v + 2]) + m[4 * i + 3])));
    }
};

// Places above level ground, where nothing is beside a body of that radius.
std::vector<btVector3> level_places(const bvp_body &body, const btVector3 &lo, const btVector3 &hi,
                                    int count, double radius)
{
    std::minstd_rand random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<btVector3> places;
    for (int tried = 0; tried < 1000 * count && int(places.size()) < count; tried++) {
        const double u = unit(random), v = unit(random);
        bvp_ray down = {{lo.x() + u * double(hi.x() - lo.x()), lo.y() + v * double(hi.y() - lo.y()),
                         hi.z() + 1.},
                        {0, 0, -1},
                        0,
                        HUGE_VAL};
        bvp_ray_hit hit;
        if (bvp_ray_first(&body, &down, &hit, nullptr) || !hit.found ||
            std::fabs(hit.normal[2]) < .9999)
            continue;
        const double z = down.origin[2] - hit.t;
        bvp_convex around = {};
        around.kind = BVP_CONVEX_CYLINDER;
        around.radius = 1.5 * radius;
        around.length = 3 * radius;
        const double at[12] = {1, 0, 0, down.origin[0], 0, 1, 0, down.origin[1],
                               0, 0, 1, z + 2 * radius};
        around.placement = at;
        int blocked = 1;
        if (!bvp_convex_collide(&body, &around, &blocked, nullptr) && !blocked)
            places.emplace_back(btScalar(down.origin[0]), btScalar(down.origin[1]), btScalar(z));
    }
    return places;
}

struct world {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld dynamics{&dispatcher, &broadphase, &solver, &configuration};
    btRigidBody ground;
    btSphereShape ball{radius};
    btBoxShape box{{btScalar(.1), btScalar(.08), btScalar(.06)}};
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<double> steps; // processor seconds each

    static constexpr btScalar radius = btScalar(.1);

    explicit world(btCollisionShape *shape) : ground(0, nullptr, shape)
    {
        dynamics.setGravity({0, 0, btScalar(-9.81)});
        dynamics.addRigidBody(&ground);
    }
    ~world()
    {
        clear();
        dynamics.removeRigidBody(&ground);
    }
    // A ball or a box, in turn, with its lowest point there; none touches another one.
    void set_down(const btVector3 &place)
    {
        const bool odd = bodies.size() & 1;
        btCollisionShape *own = odd ? static_cast<btCollisionShape *>(&box) : &ball;
        btVector3 inertia;
        own->calculateLocalInertia(1, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(1, nullptr, own, inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(place + btVector3(0, 0, odd ? btScalar(.06) : radius));
        info.m_rollingFriction = btScalar(.1);
        info.m_spinningFriction = btScalar(.1);
        info.m_linearDamping = info.m_angularDamping = btScalar(.3);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setSleepingThresholds(0, 0);
        dynamics.addRigidBody(bodies.back().get(), 2, 1);
    }
    void set_down(const std::vector<btVector3> &places, btScalar above)
    {
        for (const btVector3 &place : places)
            set_down(place + btVector3(0, 0, above));
    }
    void clear()
    {
        for (const auto &body : bodies)
            dynamics.removeRigidBody(body.get());
        bodies.clear();
        steps.clear();
    }
    void step()
    {
        const double from = processor_now();
        dynamics.stepSimulation(btScalar(1) / 120, 0);
        steps.push_back(processor_now() - from);
    }
    double median() const
    {
        std::vector<double> sorted = steps;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
    double mean() const
    {
        return std::accumulate(steps.begin(), steps.end(), 0.) / double(steps.size());
    }
};

void row(const char *what, double ours, double peers)
{
    std::printf("%s,%.4g,%.4g,%.3f\n", what, ours, peers, ours / peers);
}

struct report {
    int differ = 0;
    double farthest = 0;
};

// The file, the peer: where the bodies have come to rest.
report compare(const world &ours, const world &theirs)
{
    report out;
    for (std::size_t k = 0; k < ours.bodies.size(); k++) {
        const double apart = double((ours.bodies[k]->getWorldTransform().getOrigin() -
                                     theirs.bodies[k]->getWorldTransform().getOrigin())
                                        .length());
        out.farthest = std::max(out.farthest, apart);
        out.differ += !(apart <= .001);
    }
    return out;
}

// Bodies that fall from up to two metres above these places and beside them, roll and bounce.
void rain(world &in, const std::vector<btVector3> &places)
{
    std::minstd_rand random(seed);
    std::uniform_real_distribution<btScalar> unit(0, 1);
    in.clear();
    for (const btVector3 &place : places) {
        const btScalar u = unit(random), v = unit(random), w = unit(random);
        in.set_down(place + btVector3(u - btScalar(.5), v - btScalar(.5), 1 + w));
    }
}

struct cast {
    double fraction = 1, exact = 1, seconds = 0;
    int hits = 0; // of all along it
};
std::vector<cast> cast_rays(btDiscreteDynamicsWorld &dynamics, const bvp_body &body,
                            const btVector3 &lo, const btVector3 &hi, int count)
{
    std::minstd_rand random(seed + 1);
    std::uniform_real_distribution<btScalar> unit(0, 1);
    const auto anywhere = [&] {
        const btScalar u = unit(random), v = unit(random), w = unit(random);
        return lo + (hi - lo) * btVector3(u, v, w);
    };
    std::vector<cast> out(static_cast<std::size_t>(count));
    for (cast &ray : out) {
        const btVector3 from = anywhere(), way = (anywhere() - from).normalized() * 5;
        btCollisionWorld::ClosestRayResultCallback nearest(from, from + way);
        btCollisionWorld::AllHitsRayResultCallback all(from, from + way);
        nearest.m_collisionFilterMask = all.m_collisionFilterMask = 2;
        const double begin = processor_now();
        dynamics.rayTest(from, from + way, nearest);
        ray.seconds = processor_now() - begin;
        dynamics.rayTest(from, from + way, all);
        ray.fraction = double(nearest.m_closestHitFraction);
        ray.hits = all.m_hitFractions.size();
        const bvp_ray same = {{from.x(), from.y(), from.z()}, {way.x(), way.y(), way.z()}, 0, 1};
        bvp_ray_hit hit;
        if (!bvp_ray_first(&body, &same, &hit, nullptr) && hit.found)
            ray.exact = hit.t;
    }
    return out;
}
double median_of(std::vector<cast> rays)
{
    std::sort(rays.begin(), rays.end(),
              [](const cast &a, const cast &b) { return a.seconds < b.seconds; });
    return rays[rays.size() / 2].seconds;
}
} // namespace

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const int count = std::atoi(argv[2]), steps = std::atoi(argv[3]);
    const double scale = std::atof(argv[4]);
    const double anonymous = status_of("RssAnon"), from = now();
    bvp_file *file;
    bvp_error error;
    if (bvp_open(argv[1], nullptr, &file, &error))
        return std::fprintf(stderr, "%s\n", error.message), 1;
    const double scaled[12] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0};
    bvp_body body = {};
    body.file = file;
    body.part = BVP_ASSEMBLY;
    body.placement = scale == 1 ? nullptr : scaled;
    bvp::bullet_shape shape(body);
    auto ours = std::make_unique<world>(&shape);
    const double ready = now() - from;
    btVector3 lo, hi;
    ours->ground.getAabb(lo, hi);
    const std::vector<btVector3> places = level_places(body, lo, hi, count, double(world::radius));
    ours->set_down(places, btScalar(.01));
    for (int k = 0; k < 10; k++)
        ours->step();
    const double taken = status_of("RssAnon") - anonymous;

    const double before = status_of("RssAnon");
    peer own(file, scale);
    auto theirs = std::make_unique<world>(own.shape.get());
    const double grown = status_of("RssAnon") - before;
    theirs->set_down(places, btScalar(.01));
    for (int k = 0; k < 10; k++)
        theirs->step();
    for (int k = 10; k < steps; k++) { // in turn
        ours->step();
        theirs->step();
    }
    const report rest = compare(*ours, *theirs);
    const std::vector<cast> a = cast_rays(ours->dynamics, body, lo, hi, 2000);
    const std::vector<cast> b = cast_rays(theirs->dynamics, body, lo, hi, 2000);
    int wrong = 0, rays_differ = 0, hits_differ = 0, hit = 0;
    for (std::size_t k = 0; k < a.size(); k++) {
        const bool other = std::fabs(a[k].fraction - b[k].fraction) > 1e-4;
        wrong += other && std::fabs(a[k].fraction - a[k].exact) > 1e-4;
        rays_differ += other;
        hits_differ += a[k].hits != b[k].hits;
        hit += b[k].hits > 0;
    }
    row("ready ms", 1e3 * ready, 1e3 * own.build);
    row("anonymous memory MB", taken / 1024, grown / 1024);
    row("step at rest ms", 1e3 * ours->median(), 1e3 * theirs->median());
    rain(*ours, places);
    rain(*theirs, places);
    for (int k = 0; k < steps; k++) {
        ours->step();
        theirs->step();
    }
    const report fallen = compare(*ours, *theirs);
    // the control: is it Bullet's own answer when only its triangles' order is another one?
    peer shuffled(file, scale, true);
    auto control = std::make_unique<world>(shuffled.shape.get());
    rain(*control, places);
    for (int k = 0; k < steps; k++)
        control->step();
    const report other_order = compare(*control, *theirs);
    row("step falling ms", 1e3 * ours->mean(), 1e3 * theirs->mean());
    row("ray us", 1e6 * median_of(a), 1e6 * median_of(b));
    std::printf("# seed %u: %zu bodies, %d at rest elsewhere, at most %.3g mm; %zu rays, %d hit, "
                "nearest: %d other than Bullet's, of these %d wrong; all: %d others\n",
                seed, places.size(), rest.differ, 1e3 * rest.farthest, a.size(), hit, rays_differ,
                wrong, hits_differ);
    std::printf(
        "# fallen: %d of %zu lie elsewhere than on Bullet's mesh; on Bullet's mesh with its "
        "triangles in another order %d\n",
        fallen.differ, places.size(), other_order.differ);
    const bool failed = shape.status() != BVP_OK || places.empty() || rest.differ || !hit ||
                        wrong || 200 * rays_differ > hit ||
                        fallen.differ > 2 * other_order.differ + count / 10;
    control.reset();
    ours.reset();
    theirs.reset();
    bvp_close(file);
    return failed;
}
