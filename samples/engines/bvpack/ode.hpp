// SPDX-License-Identifier: MIT
// ode.hpp: a packed file as a geometry of ODE, a class of its own. Tried with ODE 0.16.
//
// What collides with it gets contacts of ODE's own code: the triangles near the other geometry are
// read from the mapped file and handed to ODE as a small triangle mesh. Rays are answered by the
// file's hierarchy. The surfaces do not move by forces: give the geometry no body, or a kinematic
// one.
//
//     dGeomID ground = bvp::ode_create(space, body); // bvp_body: a file's assembly, or a part
//
// As ODE's own classes, these functions may not be called by two threads at the same time.
#ifndef BVPACK_ODE_HPP
#define BVPACK_ODE_HPP

#include <bvpack/engine_body.hpp>

#include <ode/ode.h>

#include <algorithm>
#include <vector>

namespace bvp
{
namespace ode_detail
{
// What a geometry owns.
struct model {
    engine_body body;
    std::vector<double> corners; // of triangles near the other geometry, local, 9 each
    std::vector<unsigned> indices;
    std::vector<bvp_hit_id> ids;
    dTriMeshDataID data = nullptr;
    dGeomID mesh = nullptr;

    explicit model(const bvp_body &of) : body(of)
    {
    }
    ~model()
    {
        if (mesh)
            dGeomDestroy(mesh);
        if (data)
            dGeomTriMeshDataDestroy(data);
    }
};

inline model &of(dGeomID geom)
{
    return **static_cast<model **>(dGeomGetClassData(geom));
}

// Local to world, or world to local.
struct frame {
    const dReal *at, *turn; // turn: 3 rows of 4
    explicit frame(dGeomID geom) : at(dGeomGetPosition(geom)), turn(dGeomGetRotation(geom))
    {
    }
    void box_out(const double lo[3], const double hi[3], double out[6]) const
    {
        for (int k = 0; k < 3; k++) {
            double centre = double(at[k]), half = 0;
            for (int j = 0; j < 3; j++) {
                centre += double(turn[4 * k + j]) * (lo[j] + hi[j]) / 2;
                half += std::fabs(double(turn[4 * k + j])) * (hi[j] - lo[j]) / 2;
            }
            out[2 * k] = centre - half;
            out[2 * k + 1] = centre + half;
        }
    }
    void box_in(const dReal box[6], double lo[3], double hi[3]) const
    {
        for (int k = 0; k < 3; k++) {
            double centre = 0, half = 0;
            for (int j = 0; j < 3; j++) {
                const double a = double(box[2 * j]), b = double(box[2 * j + 1]);
                centre += double(turn[4 * j + k]) * ((a + b) / 2 - double(at[j]));
                half += std::fabs(double(turn[4 * j + k])) * (b - a) / 2;
            }
            // more than the rounding of both
            const double slack = 1e-6 * (std::fabs(centre) + half);
            lo[k] = centre - half - slack;
            hi[k] = centre + half + slack;
        }
    }
    void in(const dReal point[3], double out[3], bool direction) const
    {
        for (int k = 0; k < 3; k++) {
            out[k] = 0;
            for (int j = 0; j < 3; j++)
                out[k] += double(turn[4 * j + k]) * double(point[j] - (direction ? 0 : at[j]));
        }
    }
};

inline dContactGeom &contact_at(dContactGeom *contacts, int skip, int k)
{
    return *reinterpret_cast<dContactGeom *>(reinterpret_cast<char *>(contacts) + k * skip);
}

inline void bounds(dGeomID geom, dReal box[6])
{
    double out[6];
    const model &m = of(geom);
    frame(geom).box_out(m.body.lo(), m.body.hi(), out);
    for (int k = 0; k < 6; k++)
        box[k] = dReal(out[k]);
}

// Fills m.mesh with the triangles near `other`; false: there are none.
inline bool gather(model &m, dGeomID geom, dGeomID other)
{
    dReal box[6];
    double lo[3], hi[3];
    dGeomGetAABB(other, box);
    for (int k = 0; k < 3; k++) { // a plane's box has no end
        dReal own[6];
        bounds(geom, own);
        box[2 * k] = std::max(box[2 * k], own[2 * k]);
        box[2 * k + 1] = std::min(box[2 * k + 1], own[2 * k + 1]);
        if (!(box[2 * k] <= box[2 * k + 1]))
            return false;
    }
    frame(geom).box_in(box, lo, hi);
    m.corners.clear();
    m.ids.clear();
    m.body.each(lo, hi, [&m](const bvp_hit_id &id, const double *corners) {
        m.corners.insert(m.corners.end(), corners, corners + 9);
        m.ids.push_back(id);
    });
    if (m.ids.empty())
        return false;
    for (unsigned k = unsigned(m.indices.size()); k < 3 * m.ids.size(); k++)
        m.indices.push_back(k);
    // new every time: one that has held a single triangle takes only the first of others
    if (m.data)
        dGeomTriMeshDataDestroy(m.data);
    m.data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(m.data, m.corners.data(), 3 * sizeof(double), int(3 * m.ids.size()),
                                m.indices.data(), int(3 * m.ids.size()), 3 * sizeof(unsigned));
    if (!m.mesh)
        m.mesh = dCreateTriMesh(nullptr, m.data, nullptr, nullptr, nullptr);
    else
        dGeomTriMeshSetData(m.mesh, m.data);
    dGeomSetPosition(m.mesh, frame(geom).at[0], frame(geom).at[1], frame(geom).at[2]);
    dGeomSetRotation(m.mesh, frame(geom).turn);
    return true;
}

inline int collide(dGeomID geom, dGeomID other, int flags, dContactGeom *contacts, int skip)
{
    model &m = of(geom);
    if (!gather(m, geom, other))
        return 0;
    const int count = dCollide(m.mesh, other, flags, contacts, skip);
    for (int k = 0; k < count; k++) {
        dContactGeom &c = contact_at(contacts, skip, k);
        c.g1 = geom;
        c.g2 = other;
        if (c.side1 >= 0 && std::size_t(c.side1) < m.ids.size())
            c.side1 = int(m.ids[std::size_t(c.side1)].triangle);
    }
    return count;
}

// The nearest hit, as of ODE's meshes by default: back faces too.
inline int collide_ray(dGeomID geom, dGeomID ray, int, dContactGeom *contacts, int)
{
    const model &m = of(geom);
    dVector3 start, direction;
    dGeomRayGet(ray, start, direction);
    bvp_ray asked = {{}, {}, 0, double(dGeomRayGetLength(ray))};
    frame(geom).in(start, asked.origin, false);
    frame(geom).in(direction, asked.direction, true);
    const bvp_body body = m.body.c();
    bvp_ray_hit hit = {};
    if (!m.body.note(bvp_ray_first(&body, &asked, &hit, nullptr)) || !hit.found)
        return 0;
    dVector3 local = {dReal(hit.normal[0]), dReal(hit.normal[1]), dReal(hit.normal[2])}, normal;
    dGeomVectorToWorld(geom, local[0], local[1], local[2], normal);
    dContactGeom &c = *contacts;
    for (int k = 0; k < 3; k++) {
        c.pos[k] = start[k] + dReal(hit.t) * direction[k];
        c.normal[k] = -normal[k]; // as for ODE's meshes
    }
    c.depth = dReal(hit.t); // along the ray
    c.g1 = geom;
    c.g2 = ray;
    c.side1 = int(hit.id.triangle);
    c.side2 = -1;
    return 1;
}

inline dColliderFn *collider_for(int other)
{
    return other == dRayClass ? collide_ray : collide;
}
inline void destroy(dGeomID geom)
{
    delete &of(geom);
}
} // namespace ode_detail

// The number of the class; made at the first call.
inline int ode_class()
{
    static const int number = [] {
        dGeomClass made = {};
        made.bytes = sizeof(ode_detail::model *);
        made.collider = ode_detail::collider_for;
        made.aabb = ode_detail::bounds;
        made.dtor = ode_detail::destroy;
        return dCreateGeomClass(&made);
    }();
    return number;
}

// A geometry; dGeomDestroy frees it. space: or NULL. The file stays the caller's.
inline dGeomID ode_create(dSpaceID space, const bvp_body &body)
{
    const dGeomID geom = dCreateGeom(ode_class());
    *static_cast<ode_detail::model **>(dGeomGetClassData(geom)) = new ode_detail::model(body);
    if (space)
        dSpaceAdd(space, geom);
    return geom;
}

// BVP_OK, or how a query has failed.
inline bvp_status ode_status(dGeomID geom)
{
    return ode_detail::of(geom).body.status();
}

} // namespace bvp

#endif
