/* SPDX-License-Identifier: MIT
 * step_case.cc: writes a CAD assembly as STEP or IGES, and compares a packed file with it.
 */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <BRepBndLib.hxx>
#include <BRepGProp.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <Bnd_Box.hxx>
#include <GProp_GProps.hxx>
#include <IGESCAFControl_Writer.hxx>
#include <IGESControl_Controller.hxx>
#include <Interface_Static.hxx>
#include <Quantity_Color.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <STEPControl_Controller.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopLoc_Location.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <gp_Ax1.hxx>
#include <gp_Trsf.hxx>
#include "bvpack.h"

namespace
{

int failures;
double scale = 1; /* millimetres in the unit that was written */

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("step_case: " __VA_ARGS__);                                                     \
            printf(" (line %d)\n", __LINE__);                                                      \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* ---- the scene ------------------------------------------------------------------------------- */

const char *const PLATE = "Platte – größer", *const BOLT = "Bolzen Ø8 螺栓", *const BALL = "Kugel",
                  *const GROUP = "Gruppe", *const ROOT = "Anlage Süd";

TopoDS_Shape shape_of(const std::string &part)
{
    if (part == PLATE)
        return BRepPrimAPI_MakeBox(100 * scale, 60 * scale, 5 * scale).Shape();
    if (part == BOLT)
        return BRepPrimAPI_MakeCylinder(4 * scale, 30 * scale).Shape();
    return BRepPrimAPI_MakeSphere(10 * scale).Shape();
}

gp_Trsf moved(double x, double y, double z, double degrees)
{
    gp_Trsf turn, move;
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 2, 3)), degrees * M_PI / 180);
    move.SetTranslation(gp_Vec(x, y, z) * scale);
    return move * turn;
}

struct placed {
    std::string name;
    gp_Trsf place;
};

std::vector<placed> in_group()
{
    return {{"links", moved(10, 20, 0, 0)}, {"rechts", moved(90, 20, -3, 25)}};
}

std::vector<placed> groups()
{
    return {{"Gruppe A", moved(0, 0, 5, 0)}, {"Gruppe B", moved(-40, 7.5, 100, 70)}};
}

placed the_plate()
{
    return {PLATE, gp_Trsf()};
}

placed the_ball()
{
    return {"Kugel oben", moved(50, 30, 90, 110)};
}

/* ---- writing --------------------------------------------------------------------------------- */

void name(const TDF_Label &label, const std::string &text)
{
    TDataStd_Name::Set(label, TCollection_ExtendedString(text.c_str(), Standard_True));
}

TDF_Label add(const Handle(XCAFDoc_ShapeTool) & shapes, const TDF_Label &assembly,
              const TDF_Label &part, const placed &where)
{
    const TDF_Label added = shapes->AddComponent(assembly, part, TopLoc_Location(where.place));
    name(added, where.name);
    return added;
}

/* The plate is blue but for its first face, a ball that is placed is green: as files name them. */
void paint(const Handle(XCAFDoc_ColorTool) & colours, const Handle(XCAFDoc_ShapeTool) & shapes,
           const TDF_Label &plate, const TDF_Label &ball)
{
    const TopExp_Explorer first(XCAFDoc_ShapeTool::GetShape(plate), TopAbs_FACE);
    TDF_Label face;
    shapes->AddSubShape(plate, first.Current(), face);
    colours->SetColor(plate, Quantity_Color(.2, .4, .6, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    colours->SetColor(face, Quantity_Color(1, .2, 0, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    colours->SetColor(ball, Quantity_Color(0, .8, 0, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
}

Handle(TDocStd_Document) make_document()
{
    Handle(TDocStd_Document) document;
    XCAFApp_Application::GetApplication()->NewDocument("MDTV-XCAF", document);
    const Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    std::map<std::string, TDF_Label> labels;
    for (const char *part : {PLATE, BOLT, BALL}) {
        labels[part] = shapes->AddShape(shape_of(part), Standard_False);
        name(labels[part], part);
    }
    const TDF_Label group = shapes->NewShape(), root = shapes->NewShape();
    name(group, GROUP);
    name(root, ROOT);
    for (const placed &where : in_group())
        add(shapes, group, labels[BOLT], where);
    add(shapes, root, labels[PLATE], the_plate());
    for (const placed &where : groups())
        add(shapes, root, group, where);
    const TDF_Label ball = add(shapes, root, labels[BALL], the_ball());
    paint(XCAFDoc_DocumentTool::ColorTool(document->Main()), shapes, labels[PLATE], ball);
    shapes->UpdateAssemblies();
    return document;
}

/* schema: as OpenCASCADE numbers them: 3: AP203, 4: AP214, 5: AP242. */
int write_step(const char *path, const char *unit, int schema)
{
    STEPControl_Controller::Init();
    Interface_Static::SetCVal("write.step.unit", unit);
    Interface_Static::SetIVal("write.step.schema", schema);
    STEPCAFControl_Writer writer; /* takes the schema as it is now */
    return writer.Transfer(make_document(), STEPControl_AsIs) &&
                   writer.Write(path) == IFSelect_RetDone
               ? 0
               : 1;
}

/* IGES has no product structure, so each instance is written as a solid of its own. */
int write_iges(const char *path, const char *unit)
{
    Handle(TDocStd_Document) document;
    XCAFApp_Application::GetApplication()->NewDocument("MDTV-XCAF", document);
    const Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    const Handle(XCAFDoc_ColorTool) colours = XCAFDoc_DocumentTool::ColorTool(document->Main());
    const TDF_Label plate = shapes->AddShape(shape_of(PLATE), Standard_False);
    const TDF_Label ball =
        shapes->AddShape(shape_of(BALL).Moved(TopLoc_Location(the_ball().place)), Standard_False);
    name(plate, "PLATE");
    name(ball, "BALL");
    colours->SetColor(plate, Quantity_Color(.2, .4, .6, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    colours->SetColor(ball, Quantity_Color(0, .8, 0, Quantity_TOC_sRGB), XCAFDoc_ColorSurf);
    IGESControl_Controller::Init();
    Interface_Static::SetCVal("write.iges.unit", unit);
    Interface_Static::SetIVal("write.iges.brep.mode", 1);
    IGESCAFControl_Writer writer;
    return writer.Transfer(document) && writer.Write(path) ? 0 : 1;
}

/* ---- comparing ------------------------------------------------------------------------------- */

std::string text_of(bvp_string s)
{
    return std::string(s.data, s.size);
}

std::string path_of(const bvp_file *file, uint32_t node)
{
    std::string path;
    for (bvp_node_info info; node != BVP_NONE; node = info.parent) {
        bvp_get_node(file, node, &info);
        path = text_of(info.name) + (path.empty() ? "" : "/") + path;
    }
    return path;
}

/* Volume of a part's triangles, positive when they look outward; its box. */
double volume_of(const bvp_file *file, uint32_t part, double lo[3], double hi[3])
{
    bvp_part_info info;
    bvp_get_part(file, part, &info);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = info.origin[k] + info.lo[k];
        hi[k] = info.origin[k] + info.hi[k];
    }
    for (uint64_t i = 0; i < info.triangle_count; i++) {
        float corner[9];
        uint64_t id;
        bvp_get_triangle(file, part, i, corner, &id);
        const float *a = corner, *b = corner + 3, *c = corner + 6;
        sum += double(a[0]) * (double(b[1]) * c[2] - double(b[2]) * c[1]) +
               double(a[1]) * (double(b[2]) * c[0] - double(b[0]) * c[2]) +
               double(a[2]) * (double(b[0]) * c[1] - double(b[1]) * c[0]);
    }
    return sum / 6;
}

void compare_shape(const bvp_file *file, uint32_t part, const TopoDS_Shape &shape, double chord,
                   const char *what)
{
    double lo[3], hi[3], wanted[6];
    GProp_GProps volume, area;
    Bnd_Box box;
    BRepGProp::VolumeProperties(shape, volume);
    BRepGProp::SurfaceProperties(shape, area);
    BRepBndLib::AddOptimal(shape, box, Standard_False, Standard_False);
    box.Get(wanted[0], wanted[1], wanted[2], wanted[3], wanted[4], wanted[5]);
    const double found = volume_of(file, part, lo, hi);
    const double slack = 2 * chord * area.Mass() + 1e-3;
    EXPECT(std::fabs(found - volume.Mass()) < slack, "%s: volume %g, not %g", what, found,
           volume.Mass());
    for (int k = 0; k < 3; k++)
        EXPECT(std::fabs(lo[k] - wanted[k]) < 2 * chord + 1e-4 &&
                   std::fabs(hi[k] - wanted[k + 3]) < 2 * chord + 1e-4,
               "%s: axis %d is %g .. %g, not %g .. %g", what, k, lo[k], hi[k], wanted[k],
               wanted[k + 3]);
    bvp_part_info info;
    bvp_get_part(file, part, &info);
    EXPECT(info.open_edge_count == 0 && info.nonmanifold_edge_count == 0,
           "%s: %d edges are open or of more than two triangles", what,
           (int)(info.open_edge_count + info.nonmanifold_edge_count));
}

/* What is expected of each instance, by its path. */
std::map<std::string, std::pair<const char *, gp_Trsf>> expected_instances()
{
    const std::string root = ROOT;
    std::map<std::string, std::pair<const char *, gp_Trsf>> out;
    out[root + "/" + PLATE] = {PLATE, the_plate().place};
    out[root + "/" + the_ball().name] = {BALL, the_ball().place};
    for (const placed &group : groups())
        for (const placed &bolt : in_group())
            out[root + "/" + group.name + "/" + bolt.name] = {BOLT, group.place * bolt.place};
    return out;
}

/* A placement in the file is of coordinates that are relative to the part's origin. */
void compare_place(const bvp_file *file, const bvp_instance_info &instance, const gp_Trsf &wanted,
                   const char *what)
{
    bvp_part_info part;
    bvp_get_part(file, instance.part, &part);
    for (int row = 0; row < 3; row++) {
        const double *m = instance.placement + 4 * row;
        double moved = wanted.Value(row + 1, 4);
        for (int column = 0; column < 3; column++) {
            const double w = wanted.Value(row + 1, column + 1);
            EXPECT(std::fabs(m[column] - w) < 1e-9, "%s: [%d][%d] is %g, not %g", what, row, column,
                   m[column], w);
            moved += w * part.origin[column];
        }
        EXPECT(std::fabs(m[3] - moved) < 1e-6, "%s: moved to %g, not %g", what, m[3], moved);
    }
}

std::string property_of(const bvp_file *file, uint32_t node, const char *key)
{
    bvp_node_info info;
    bvp_get_node(file, node, &info);
    for (uint32_t i = 0; i < info.property_count; i++) {
        bvp_string k, v;
        bvp_get_property(file, node, i, &k, &v);
        if (text_of(k) == key)
            return text_of(v);
    }
    return std::string();
}

void compare_instances(const bvp_file *file, uint32_t count, double chord)
{
    auto wanted = expected_instances();
    EXPECT(count == wanted.size(), "%u instances, not %zu", count, wanted.size());
    for (uint32_t i = 0; i < count; i++) {
        bvp_instance_info instance;
        bvp_get_instance(file, i, &instance);
        const std::string path = path_of(file, instance.node);
        const auto found = wanted.find(path);
        EXPECT(found != wanted.end(), "no instance has the path %s", path.c_str());
        if (found == wanted.end())
            continue;
        const char *part = found->second.first;
        compare_place(file, instance, found->second.second, path.c_str());
        compare_shape(file, instance.part, shape_of(part), chord, path.c_str());
        EXPECT(property_of(file, instance.node, "part_number") == part, "%s: part_number \"%s\"",
               path.c_str(), property_of(file, instance.node, "part_number").c_str());
        wanted.erase(found);
    }
}

void compare_iges(const bvp_file *file, uint32_t part_count, double chord)
{
    double lo[3], hi[3], sum = 0;
    for (uint32_t i = 0; i < part_count; i++)
        sum += volume_of(file, i, lo, hi);
    GProp_GProps plate, ball, area;
    BRepGProp::VolumeProperties(shape_of(PLATE), plate);
    BRepGProp::VolumeProperties(shape_of(BALL), ball);
    BRepGProp::SurfaceProperties(shape_of(BALL), area);
    const double wanted = plate.Mass() + ball.Mass();
    EXPECT(std::fabs(sum - wanted) < 2 * chord * area.Mass() + 1, "volume %g, not %g", sum, wanted);
}

int compare(const char *kind, const char *path, double chord)
{
    bvp_file *file;
    bvp_error error;
    bvp_file_info info;
    if (bvp_open(path, NULL, &file, &error) != BVP_OK) {
        printf("step_case: %s\n", error.message);
        return 1;
    }
    bvp_get_info(file, &info);
    EXPECT(info.unit_in_metres == 0.001, "the unit is %g m", info.unit_in_metres);
    EXPECT(info.tessellation_tolerance == chord, "the tolerance is %g",
           info.tessellation_tolerance);
    if (strcmp(kind, "step") == 0) {
        EXPECT(info.part_count == 3, "%u parts", info.part_count);
        compare_instances(file, info.instance_count, chord);
    } else {
        compare_iges(file, info.part_count, chord);
    }
    bvp_close(file);
    return failures > 0;
}

} // namespace

int main(int argc, char **argv)
{
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "step") == 0)
        return write_step(argv[2], argv[3], argc == 5 ? atoi(argv[4]) : 5);
    if (argc == 4 && strcmp(argv[1], "iges") == 0)
        return write_iges(argv[2], argv[3]);
    if (argc == 6 && strcmp(argv[1], "compare") == 0) {
        scale = atof(argv[5]);
        return compare(argv[2], argv[3], atof(argv[4]));
    }
    fputs("usage: step_case step FILE MM|INCH [3|4|5] | iges FILE MM|INCH | compare step|iges "
          "FILE.bvp CHORD SCALE\n",
          stderr);
    return 2;
}
