/* SPDX-License-Identifier: MIT
 * step_error.cc: how far triangles are from the surfaces that they stand for.
 *
 * What OpenCASCADE was asked for is no bound of that, and mostly far more than what it made: planes
 * have no error, and small holes are cut finer, for the angle. So it is measured. Between its
 * corners a triangle is off by a form of degree two, but for terms of higher degree: where that
 * bends one way or like a saddle, it is largest in the middle of a side; where it bends like a
 * ball, a triangle has at least 3/4 of it in its middle or the middle of a side. MARGIN is
 * for that and for the higher terms.
 */
#include "step/step.h"

#include <algorithm>
#include <cmath>

#include <BRepAdaptor_Curve.hxx>
#include <BRepAdaptor_Surface.hxx>
#include <BRep_Tool.hxx>
#include <Poly_PolygonOnTriangulation.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopLoc_Location.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>

namespace
{

const double MARGIN = 1.4;
/* Of circles, cylinders and cones the middle of a side is the farthest point: rounding only. */
const double ROUND_MARGIN = 1.0001;

double segment_distance(const gp_XYZ &p, const gp_XYZ &a, const gp_XYZ &b)
{
    const gp_XYZ side = b - a;
    const double length = side.SquareModulus();
    const double t = length > 0 ? (p - a).Dot(side) / length : 0;
    return (p - a - side * std::min(1., std::max(0., t))).Modulus();
}

double triangle_distance(const gp_XYZ &p, const gp_XYZ corner[3])
{
    const gp_XYZ normal = (corner[1] - corner[0]).Crossed(corner[2] - corner[0]);
    const double size = normal.Modulus();
    bool is_above = size > 0;
    double distance = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        const gp_XYZ &a = corner[i], &b = corner[(i + 1) % 3];
        is_above = is_above && normal.Crossed(b - a).Dot(p - a) >= 0;
        distance = std::min(distance, segment_distance(p, a, b));
    }
    return is_above ? std::min(distance, std::fabs((p - corner[0]).Dot(normal)) / size) : distance;
}

bool has_pole(const TopoDS_Face &face)
{
    for (TopExp_Explorer edge(face, TopAbs_EDGE); edge.More(); edge.Next())
        if (BRep_Tool::Degenerated(TopoDS::Edge(edge.Current())))
            return true;
    return false;
}

/* At a pole one parameter says nothing, and a mesh has any number there, which would take the
 * points between far around the pole: it gets the middle of the others'. */
void turn_poles(const BRepAdaptor_Surface &surface, const gp_XYZ corner[3], gp_XY at[3])
{
    const double near = 1e-6;
    gp_XY moved[3];
    for (int k = 0; k < 3; k++) {
        const gp_XY &a = at[(k + 1) % 3], &b = at[(k + 2) % 3];
        moved[k] = at[k];
        if (surface.Value(a.X(), at[k].Y()).Distance(corner[k]) < near &&
            surface.Value(b.X(), at[k].Y()).Distance(corner[k]) < near)
            moved[k].SetX((a.X() + b.X()) / 2);
        else if (surface.Value(at[k].X(), a.Y()).Distance(corner[k]) < near &&
                 surface.Value(at[k].X(), b.Y()).Distance(corner[k]) < near)
            moved[k].SetY((a.Y() + b.Y()) / 2);
    }
    std::copy(moved, moved + 3, at);
}

} // namespace

double step_face_error(const TopoDS_Face &face)
{
    /* weights of the corners, of the points that are compared */
    static const double weights[][3] = {
        {.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}, {1. / 3, 1. / 3, 1. / 3}};
    const BRepAdaptor_Surface surface(face, Standard_False);
    TopLoc_Location place;
    const Handle(Poly_Triangulation) mesh = BRep_Tool::Triangulation(face, place);
    if (surface.GetType() == GeomAbs_Plane || mesh.IsNull())
        return 0;
    if (!mesh->HasUVNodes())
        return HUGE_VAL;
    double largest = 0;
    const bool is_pointed = has_pole(face);
    for (int i = 1; i <= mesh->NbTriangles(); i++) {
        int number[3];
        gp_XYZ corner[3];
        gp_XY at[3];
        mesh->Triangle(i).Get(number[0], number[1], number[2]);
        for (int k = 0; k < 3; k++) {
            corner[k] = mesh->Node(number[k]).Transformed(place.Transformation()).XYZ();
            at[k] = mesh->UVNode(number[k]).XY();
        }
        if (corner[0].IsEqual(corner[1], 0) || corner[1].IsEqual(corner[2], 0) ||
            corner[2].IsEqual(corner[0], 0))
            continue; /* at a pole */
        if (is_pointed)
            turn_poles(surface, corner, at);
        for (const double *w : weights) {
            const gp_XY uv = at[0] * w[0] + at[1] * w[1] + at[2] * w[2];
            const gp_XYZ p = surface.Value(uv.X(), uv.Y()).XYZ();
            largest = std::max(largest, triangle_distance(p, corner));
        }
    }
    const bool is_round =
        surface.GetType() == GeomAbs_Cylinder || surface.GetType() == GeomAbs_Cone;
    return (is_round ? ROUND_MARGIN : MARGIN) * largest;
}

double step_edge_error(const TopoDS_Shape &shape)
{
    double largest = 0, tolerance = 0;
    TopTools_IndexedMapOfShape edges;
    TopExp::MapShapes(shape, TopAbs_EDGE, edges);
    for (int i = 1; i <= edges.Extent(); i++) {
        const TopoDS_Edge &edge = TopoDS::Edge(edges(i));
        Handle(Poly_PolygonOnTriangulation) polygon;
        Handle(Poly_Triangulation) mesh;
        TopLoc_Location place;
        BRep_Tool::PolygonOnTriangulation(edge, polygon, mesh, place);
        if (BRep_Tool::Degenerated(edge) || polygon.IsNull() || mesh.IsNull())
            continue;
        /* the surfaces at the edge's sides, and the edge, may be so far from one another */
        tolerance = std::max(tolerance, BRep_Tool::Tolerance(edge));
        const BRepAdaptor_Curve curve(edge);
        if (curve.GetType() == GeomAbs_Line || !polygon->HasParameters())
            continue;
        const double margin = curve.GetType() == GeomAbs_Circle ? ROUND_MARGIN : MARGIN;
        for (int k = 1; k < polygon->NbNodes(); k++) {
            const double middle = (polygon->Parameter(k) + polygon->Parameter(k + 1)) / 2;
            gp_XYZ end[2];
            for (int e = 0; e < 2; e++)
                end[e] = mesh->Node(polygon->Node(k + e)).Transformed(place.Transformation()).XYZ();
            largest = std::max(
                largest, margin * segment_distance(curve.Value(middle).XYZ(), end[0], end[1]));
        }
    }
    /* every exact edge has OpenCASCADE's least tolerance: that is none */
    return largest + (tolerance > 2e-7 ? tolerance : 0);
}
