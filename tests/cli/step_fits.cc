/* SPDX-License-Identifier: MIT
 * step_fits.cc: writes an assembly of fits as STEP, of which the truth is known from how they are
 * made, and prints it: a line for each pair: name, how deep it is, in mm; below 0: apart.
 *
 * The two parts of a pair are called NAME_a and NAME_b, so that rows of a report can be told. Pairs
 * stand far from one another, each turned and moved in its own way.
 */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakePolygon.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakeRevol.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <Interface_Static.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <STEPControl_Controller.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopLoc_Location.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <gp_Ax1.hxx>
#include <gp_Trsf.hxx>

namespace
{

struct fit {
    std::string name;
    TopoDS_Shape a, b;
    gp_Trsf move; /* of a, in b's place */
    double depth;
};

gp_Trsf moved(double x, double y, double z)
{
    gp_Trsf move;
    move.SetTranslation(gp_Vec(x, y, z));
    return move;
}

gp_Trsf turned(double degrees)
{
    gp_Trsf turn;
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), degrees * M_PI / 180);
    return turn;
}

/* What a polygon in the plane y = 0 sweeps around the z axis. */
TopoDS_Shape revolved(const std::vector<std::pair<double, double>> &profile)
{
    BRepBuilderAPI_MakePolygon polygon;
    for (const auto &p : profile)
        polygon.Add(gp_Pnt(p.first, 0, p.second));
    polygon.Close();
    const TopoDS_Face face = BRepBuilderAPI_MakeFace(polygon.Wire());
    return BRepPrimAPI_MakeRevol(face, gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1))).Shape();
}

TopoDS_Shape ring(double inner, double outer, double height)
{
    return revolved({{inner, 0}, {outer, 0}, {outer, height}, {inner, height}});
}

std::string called(const char *kind, double size, double depth)
{
    char text[64];
    std::snprintf(text, sizeof text, "%s_%g_%g", kind, size, depth);
    return text;
}

void add_fits(std::vector<fit> *out)
{
    const double depths[] = {-.15, -.05, -.01, 0, .01, .02, .05, .1, .15};
    /* a shaft through a ring, turned so that no corners meet; another that ends in it */
    for (const double r : {1.5, 5., 12.5, 40.}) {
        const TopoDS_Shape around = ring(r, r + 6, 10);
        for (const double d : depths) {
            const TopoDS_Shape shaft = BRepPrimAPI_MakeCylinder(r + d, 30).Shape();
            out->push_back({called("shaft", r, d), shaft, around, moved(0, 0, -10) * turned(7), d});
            out->push_back({called("stub", r, d), shaft, around, moved(0, 0, 4) * turned(3), d});
        }
    }
    /* boxes face to face; a plate with a hole on a box; a ball on a box; cones */
    const TopoDS_Shape box = BRepPrimAPI_MakeBox(20, 30, 10).Shape();
    const TopoDS_Shape plate = ring(4, 12, 5), ball = BRepPrimAPI_MakeSphere(8).Shape();
    const TopoDS_Shape cone = revolved({{0, 0}, {10, 0}, {5, 20}, {0, 20}});
    const TopoDS_Shape socket = revolved({{10, 0}, {20, 0}, {20, 20}, {5, 20}});
    for (const double d : depths) {
        out->push_back({called("box", 20, d), box, box, moved(3, 4, 10 - d) * turned(20), d});
        out->push_back({called("plate", 12, d), plate, box, moved(10, 12, 10 - d), d});
        out->push_back({called("ball", 8, d), ball, box, moved(9, 11, 18 - d), d});
        out->push_back({called("cone", 10, d), cone, socket, moved(0, 0, d * std::sqrt(17.)), d});
    }
}

void name(const TDF_Label &label, const std::string &text)
{
    TDataStd_Name::Set(label, TCollection_ExtendedString(text.c_str(), Standard_True));
}

int write(const char *path)
{
    std::vector<fit> fits;
    Handle(TDocStd_Document) document;
    add_fits(&fits);
    XCAFApp_Application::GetApplication()->NewDocument("MDTV-XCAF", document);
    const Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    const TDF_Label root = shapes->NewShape();
    name(root, "fits");
    for (size_t i = 0; i < fits.size(); i++) {
        const fit &f = fits[i];
        gp_Trsf turn;
        turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 2, 3)), .37 * static_cast<double>(i));
        const gp_Trsf place = moved(150. * static_cast<double>(i % 10) + .3,
                                    150. * static_cast<double>(i / 10) - 400.1, 17.7) *
                              turn;
        const gp_Trsf places[] = {place * f.move, place};
        for (int side = 0; side < 2; side++) {
            const std::string text = f.name + (side == 0 ? "_a" : "_b");
            TDF_Label part;
            if (!shapes->FindShape(side == 0 ? f.a : f.b, part)) {
                part = shapes->AddShape(side == 0 ? f.a : f.b, Standard_False);
                name(part, text);
            }
            name(shapes->AddComponent(root, part, TopLoc_Location(places[side])), text);
        }
        std::printf("%s %g\n", f.name.c_str(), f.depth);
    }
    shapes->UpdateAssemblies();
    STEPControl_Controller::Init();
    STEPCAFControl_Writer writer;
    Interface_Static::SetIVal("write.step.schema", 5); /* AP242 */
    return writer.Transfer(document, STEPControl_AsIs) && writer.Write(path) == IFSelect_RetDone
               ? 0
               : 1;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 2)
        return write(argv[1]);
    std::fputs("usage: step_fits FILE >TRUTH\n", stderr);
    return 2;
}
