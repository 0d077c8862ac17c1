// SPDX-License-Identifier: MIT
// ode_drop: a ball falls on a packed file, in ODE. Usage: ode_drop FILE.bvp
#include <bvpack.hpp>
#include <bvpack/ode.hpp>

#include <cstdio>

namespace
{
struct scene {
    dWorldID world = dWorldCreate();
    dSpaceID space = dHashSpaceCreate(nullptr);
    dJointGroupID joints = dJointGroupCreate(0);
    int touched = 0;
};

void near(void *user, dGeomID a, dGeomID b)
{
    scene &s = *static_cast<scene *>(user);
    dContact contacts[16] = {};
    const int count = dCollide(a, b, 16, &contacts[0].geom, sizeof contacts[0]);
    for (int k = 0; k < count; k++) {
        contacts[k].surface.mu = 1;
        dJointAttach(dJointCreateContact(s.world, s.joints, contacts + k), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
    s.touched += count;
}
} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2)
        return std::fprintf(stderr, "usage: ode_drop FILE.bvp\n"), 2;
    const bvp::file file = bvp::file::open(argv[1]);
    dInitODE2(0);
    scene s;
    const dGeomID ground = bvp::ode_create(s.space, bvp::body(file).c());
    dReal box[6];
    dGeomGetAABB(ground, box);
    const dReal radius = (box[5] - box[4] + box[1] - box[0]) / 20;
    const dBodyID falling = dBodyCreate(s.world);
    dMass mass;
    dMassSetSphereTotal(&mass, 1, radius);
    dBodySetMass(falling, &mass);
    dGeomSetBody(dCreateSphere(s.space, radius), falling);
    dBodySetPosition(falling, (box[0] + box[1]) / 2, (box[2] + box[3]) / 2, box[5] + 2 * radius);
    dWorldSetGravity(s.world, 0, 0, -10 * radius); // whatever the file's unit is
    for (int step = 0; step < 600 && !s.touched; step++) {
        dSpaceCollide(s.space, &s, near);
        dWorldStep(s.world, dReal(1) / 120);
        dJointGroupEmpty(s.joints);
    }
    const dReal *at = dBodyGetPosition(falling);
    std::printf("%s the model with its centre at %g %g %g\n", s.touched ? "touches" : "misses",
                double(at[0]), double(at[1]), double(at[2]));
    const bvp_status status = bvp::ode_status(ground);
    dJointGroupDestroy(s.joints);
    dSpaceDestroy(s.space);
    dWorldDestroy(s.world);
    dCloseODE();
    return status != BVP_OK;
} catch (const bvp::error &failure) {
    return std::fprintf(stderr, "ode_drop: %s\n", failure.what()), 1;
}
