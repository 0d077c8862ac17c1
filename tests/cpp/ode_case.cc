// SPDX-License-Identifier: MIT
// ode_case.cc: bvp::ode_create against ODE's own triangle mesh of the same triangles: contacts with
// every class of ODE's geometries, rays, and a body that comes to rest on both.
// Usage: ode_case FILE.bvp, of one part in millimetres
#include <bvpack/ode.hpp>

#include <cstdio>
#include <random>
#include <vector>

namespace
{
const unsigned seed = 1;
const double scale = .001;
int failures;
void check(bool yes, const char *what, double ours = 0, double theirs = 0)
{
    if (yes)
        return;
    std::printf("ode_case: %s: %.9g, ODE %.9g\n", what, ours, theirs);
    failures++;
}

struct peer {
    std::vector<float> vertices;
    std::vector<unsigned> indices;
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomID geom;

    peer(const bvp_file *file, std::uint64_t count) : vertices(9 * count), indices(3 * count)
    {
        std::uint64_t got;
        bvp_get_triangles(file, 0, {0, count}, vertices.data(), nullptr, &got);
        for (float &v : vertices)
            v *= float(scale);
        for (unsigned k = 0; k < indices.size(); k++)
            indices[k] = k;
        dGeomTriMeshDataBuildSingle(data, vertices.data(), 12, int(3 * count), indices.data(),
                                    int(3 * count), 12);
        geom = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr);
    }
    ~peer()
    {
        dGeomDestroy(geom);
        dGeomTriMeshDataDestroy(data);
    }
};

struct deepest {
    int count = 0;
    double depth = 0, up = 0;
};
deepest ask(dGeomID a, dGeomID b)
{
    static dContactGeom contacts[4096];
    deepest out;
    out.count = dCollide(a, b, 4096, contacts, sizeof contacts[0]);
    for (int k = 0; k < out.count; k++) {
        check(contacts[k].g1 == a && contacts[k].g2 == b, "sides of a contact");
        if (contacts[k].depth >= out.depth) {
            out.depth = double(contacts[k].depth);
            out.up = double(contacts[k].normal[2]);
        }
    }
    return out;
}

// `other` at many places: as many contacts, as deep. In both orders.
void compare(const char *what, dGeomID ours, dGeomID own, dGeomID other, bool turns)
{
    std::minstd_rand random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    dReal box[6];
    dGeomGetAABB(own, box);
    int hits = 0;
    for (int k = 0; k < 200; k++) {
        if (turns) {
            dGeomSetPosition(other, box[0] + (box[1] - box[0]) * unit(random),
                             box[2] + (box[3] - box[2]) * unit(random),
                             box[4] + (box[5] - box[4]) * unit(random));
            dQuaternion q = {unit(random), unit(random), unit(random), unit(random)};
            dNormalize4(q);
            dGeomSetQuaternion(other, q);
        }
        const deepest a = ask(ours, other), b = ask(own, other);
        const deepest c = ask(other, ours);
        check((a.count > 0) == (b.count > 0), what, a.count, b.count);
        check(std::fabs(a.depth - b.depth) <= 1e-5, what, a.depth, b.depth);
        check((c.count > 0) == (a.count > 0), "the other order", c.count, a.count);
        hits += b.count > 0;
    }
    check(hits > 0, "the places are no test");
    std::printf("%s: %d of 200 touch\n", what, hits);
    dGeomDestroy(other);
}

void rays(dGeomID ours, dGeomID own)
{
    std::minstd_rand random(seed);
    std::uniform_real_distribution<double> unit(0, 1), both(-1, 1);
    dReal box[6];
    dGeomGetAABB(own, box);
    const dGeomID ray = dCreateRay(nullptr, 20);
    int hits = 0, others = 0;
    for (int k = 0; k < 2000; k++) {
        dGeomRaySet(ray, box[0] + (box[1] - box[0]) * unit(random),
                    box[2] + (box[3] - box[2]) * unit(random),
                    box[4] + (box[5] - box[4]) * unit(random), both(random), both(random),
                    both(random));
        dGeomRaySetClosestHit(ray, 1);
        dContactGeom a, b;
        const int x = dCollide(ours, ray, 1, &a, sizeof a), y = dCollide(own, ray, 1, &b, sizeof b);
        hits += y;
        if (x != y || (x && std::fabs(double(a.depth - b.depth)) > 1e-4))
            others++;
        else if (x)
            check(dCalcVectorDot3(a.normal, b.normal) > .999 &&
                      dCalcPointsDistance3(a.pos, b.pos) < 1e-4,
                  "normal and place of a ray's hit", double(a.normal[2]), double(b.normal[2]));
    }
    // ODE tests in floats, so edges are hit by both or by none
    check(hits > 100 && 200 * others < hits, "rays", others, hits);
    std::printf("rays: %d of 2000 hit, %d otherwise than in ODE\n", hits, others);
    dGeomDestroy(ray);
}

struct scene {
    dWorldID world = dWorldCreate();
    dSpaceID space = dHashSpaceCreate(nullptr);
    dJointGroupID contacts = dJointGroupCreate(0);
    dBodyID body = dBodyCreate(world);
    dGeomID box = dCreateBox(space, .2, .2, .2);
};
void touch(void *user, dGeomID a, dGeomID b)
{
    scene &s = *static_cast<scene *>(user);
    dContact contact[32] = {};
    const int count = dCollide(a, b, 32, &contact[0].geom, sizeof contact[0]);
    for (int k = 0; k < count; k++) {
        contact[k].surface.mode = dContactApprox1;
        contact[k].surface.mu = 1;
        dJointAttach(dJointCreateContact(s.world, s.contacts, contact + k), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}
// A box set down on the highest level place of the ground; how high it lies then.
double rest_on(dGeomID ground, double x, double y, double z)
{
    scene s;
    dWorldSetGravity(s.world, 0, 0, -9.81);
    dSpaceAdd(s.space, ground);
    dMass mass;
    dMassSetBox(&mass, 1000, .2, .2, .2);
    dBodySetMass(s.body, &mass);
    dGeomSetBody(s.box, s.body);
    dBodySetPosition(s.body, x, y, z + .11);
    for (int k = 0; k < 400; k++) {
        dSpaceCollide(s.space, &s, touch);
        dWorldStep(s.world, .005);
        dJointGroupEmpty(s.contacts);
    }
    const double height = double(dBodyGetPosition(s.body)[2]);
    dSpaceRemove(s.space, ground);
    dJointGroupDestroy(s.contacts);
    dSpaceDestroy(s.space);
    dWorldDestroy(s.world);
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
    dInitODE2(0);
    const double scaled[12] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0};
    bvp_body body = {};
    body.file = file;
    body.part = 0;
    body.placement = scaled;
    {
        const dGeomID ours = bvp::ode_create(nullptr, body);
        const peer own(file, part.triangle_count);
        for (const dGeomID g : {ours, own.geom}) {
            dGeomSetPosition(g, .3, -.2, .1);
            dQuaternion q = {.5, .5, .5, .5};
            dGeomSetQuaternion(g, q);
        }
        compare("sphere", ours, own.geom, dCreateSphere(nullptr, .2), true);
        compare("box", ours, own.geom, dCreateBox(nullptr, .2, .3, .4), true);
        compare("capsule", ours, own.geom, dCreateCapsule(nullptr, .1, .5), true);
        compare("cylinder", ours, own.geom, dCreateCylinder(nullptr, .1, .5), true);
        compare("plane", ours, own.geom, dCreatePlane(nullptr, 0, 0, 1, .1), false);
        rays(ours, own.geom);
        check(bvp::ode_status(ours) == BVP_OK, "status", bvp::ode_status(ours));
        dQuaternion upright = {1, 0, 0, 0};
        for (const dGeomID g : {ours, own.geom}) {
            dGeomSetPosition(g, 0, 0, 0);
            dGeomSetQuaternion(g, upright);
        }
        const bvp_ray down = {{.1, .1, 100}, {0, 0, -1}, 0, 200};
        bvp_ray_hit hit = {};
        bvp_ray_first(&body, &down, &hit, nullptr);
        const double z = 100 - hit.t, a = rest_on(ours, .1, .1, z),
                     b = rest_on(own.geom, .1, .1, z);
        check(hit.found && std::fabs(a - b) < .001, "height at rest", a, b);
        std::printf("at rest at %g, on ODE's mesh at %g\n", a, b);
        dGeomDestroy(ours);
    }
    dCloseODE();
    bvp_close(file);
    std::printf("%d failures, seed %u\n", failures, seed);
    return failures != 0;
}
