/* SPDX-License-Identifier: MIT
 * step_mesh.cc: the triangles of a shape.
 */
#include "step/step.h"

#include <map>
#include <algorithm>
#include <array>
#include <cmath>

#include <BRepAdaptor_Surface.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <IMeshTools_Parameters.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopLoc_Location.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>

namespace
{

/* Points that are equal to the bit, over all faces: so that edges which faces share are closed. */
typedef std::map<std::array<double, 3>, uint32_t> vertex_map;

uint32_t vertex_of(const gp_Pnt &p, vertex_map *known, step_mesh *out)
{
    /* adding 0 turns -0 into 0 */
    const std::array<double, 3> key = {p.X() + 0., p.Y() + 0., p.Z() + 0.};
    const auto added = known->emplace(key, static_cast<uint32_t>(known->size()));
    if (added.second)
        out->positions.insert(out->positions.end(), key.begin(), key.end());
    return added.first->second;
}

/* Triangles look outward: against the face's orientation, and against a mirroring place. */
void add_face(const TopoDS_Face &face, uint32_t number, vertex_map *known, step_mesh *out)
{
    TopLoc_Location place;
    const Handle(Poly_Triangulation) mesh = BRep_Tool::Triangulation(face, place);
    if (mesh.IsNull() || mesh->NbTriangles() == 0) {
        out->missing_faces++;
        return;
    }
    const gp_Trsf &move = place.Transformation();
    const bool is_turned = (face.Orientation() == TopAbs_REVERSED) != move.IsNegative();
    std::vector<uint32_t> vertices(static_cast<size_t>(mesh->NbNodes()) + 1);
    for (int i = 1; i <= mesh->NbNodes(); i++)
        vertices[i] = vertex_of(
            place.IsIdentity() ? mesh->Node(i) : mesh->Node(i).Transformed(move), known, out);
    for (int i = 1; i <= mesh->NbTriangles(); i++) {
        int a, b, c;
        mesh->Triangle(i).Get(a, b, c);
        if (is_turned)
            std::swap(b, c);
        if (vertices[a] == vertices[b] || vertices[b] == vertices[c] || vertices[c] == vertices[a])
            continue; /* at the tip of a cone, the pole of a sphere */
        out->indices.insert(out->indices.end(), {vertices[a], vertices[b], vertices[c]});
        out->ids.push_back(number);
    }
}

bool bends_both_ways(const TopoDS_Face &face)
{
    switch (BRepAdaptor_Surface(face, Standard_False).GetType()) {
    case GeomAbs_Plane:
    case GeomAbs_Cylinder:
    case GeomAbs_Cone:
    case GeomAbs_SurfaceOfExtrusion:
        return false;
    default:
        return true;
    }
}

/* The colours of the faces of `shape`: of a more particular shape the colour counts. */
void colour_faces(const TopoDS_Shape &shape, const Handle(XCAFDoc_ColorTool) & colours,
                  const TopTools_IndexedMapOfShape &faces, std::vector<step_colour> *out)
{
    out->assign(static_cast<size_t>(faces.Extent()), step_colour_of(colours, shape));
    for (const TopAbs_ShapeEnum kind :
         {TopAbs_COMPOUND, TopAbs_COMPSOLID, TopAbs_SOLID, TopAbs_SHELL, TopAbs_FACE}) {
        TopTools_IndexedMapOfShape owners;
        TopExp::MapShapes(shape, kind, owners);
        for (int i = 1; i <= owners.Extent(); i++) {
            const step_colour colour = step_colour_of(colours, owners(i));
            if (!colour.is_there)
                continue;
            for (TopExp_Explorer face(owners(i), TopAbs_FACE); face.More(); face.Next())
                (*out)[static_cast<size_t>(faces.FindIndex(face.Current()) - 1)] = colour;
        }
    }
}

} // namespace

/* OpenCASCADE keeps linear light; what a file says is meant as it is shown. */
step_colour step_colour_from(const Quantity_ColorRGBA &colour)
{
    step_colour out;
    double all[4];
    colour.GetRGB().Values(all[0], all[1], all[2], Quantity_TOC_sRGB);
    all[3] = static_cast<double>(colour.Alpha());
    out.is_there = true;
    for (int i = 0; i < 4; i++)
        out.rgba[i] = colour_byte(all[i]);
    return out;
}

step_colour step_colour_of(const Handle(XCAFDoc_ColorTool) & colours, const TopoDS_Shape &shape)
{
    Quantity_ColorRGBA found;
    if (colours->GetColor(shape, XCAFDoc_ColorSurf, found) ||
        colours->GetColor(shape, XCAFDoc_ColorGen, found))
        return step_colour_from(found);
    return step_colour();
}

void step_mesh_shape(const TopoDS_Shape &shape, double chord, const step_settings &settings,
                     const Handle(XCAFDoc_ColorTool) & colours, step_mesh *out)
{
    TopTools_IndexedMapOfShape faces;
    TopExp::MapShapes(shape, TopAbs_FACE, faces);
    out->face_count = static_cast<uint64_t>(faces.Extent());
    if (faces.IsEmpty())
        return;
    BRepTools::Clean(shape); /* of an earlier mesh, which may be coarser or finer */
    IMeshTools_Parameters how;
    how.Deflection = chord;
    how.Angle = settings.angle;
    how.InParallel = settings.thread_count != 1;
    if (chord < settings.chord) /* many points on few edges: Watson's way takes their square */
        how.MeshAlgo = IMeshTools_MeshAlgoType_Delabella;
    BRepMesh_IncrementalMesh mesher;
    mesher.SetShape(shape);
    mesher.ChangeParameters() = how;
    mesher.Perform();
    colour_faces(shape, colours, faces, &out->colours);
    vertex_map known;
    const double edges = step_edge_error(shape);
    out->error = edges;
    for (int i = 1; i <= faces.Extent(); i++) {
        const TopoDS_Face &face = TopoDS::Face(faces(i));
        const size_t before = out->ids.size();
        add_face(face, static_cast<uint32_t>(i - 1), &known, out);
        double error = step_face_error(face);
        error = std::isfinite(error) ? error : chord; /* what was asked for */
        out->error = std::max(out->error, error);
        out->faces.push_back(
            {error > 0 ? error : edges, out->ids.size() - before, bends_both_ways(face)});
    }
    BRepTools::Clean(shape);
}
