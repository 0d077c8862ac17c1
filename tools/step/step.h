/* SPDX-License-Identifier: MIT
 * step.h: what the files of bvpack-step share.
 */
#ifndef STEP_H
#define STEP_H

#include <string>
#include <vector>

#include <Quantity_ColorRGBA.hxx>
#include <TDF_Label.hxx>
#include <TDocStd_Document.hxx>
#include <TopoDS_Face.hxx>
#include <TopoDS_Shape.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include "import/import_send.h"

struct step_settings {
    double chord;      /* mm */
    double angle;      /* radians */
    int thread_count;  /* 0: one per CPU */
    size_t model_size; /* bytes */
};

/* A colour that the file names, or none. */
struct step_colour {
    bool is_there = false;
    uint8_t rgba[4] = {};
};
step_colour step_colour_from(const Quantity_ColorRGBA &colour);
/* The colour of a shape itself: of its surface, or else of all of it. */
step_colour step_colour_of(const Handle(XCAFDoc_ColorTool) & colours, const TopoDS_Shape &shape);

struct step_face {
    double error; /* mm; of a plane that of the shape's edges */
    size_t triangle_count;
    bool bends_both_ways;
};

struct step_mesh {
    std::vector<double> positions;
    std::vector<uint32_t> indices, ids; /* ids: the face's number, in the order of the shape */
    std::vector<step_colour> colours;   /* of each face */
    double error = 0;                   /* mm: no point of it is farther from the shape, and back */
    std::vector<step_face> faces;       /* in the order of the shape */
    uint64_t missing_faces = 0, face_count = 0;
};

/* step_mesh.cc: the triangles of all faces of `shape`; equal points have equal bits. A face has its
 * own colour, or that of the solid or shell that it is of, or the shape's. */
void step_mesh_shape(const TopoDS_Shape &shape, double chord, const step_settings &settings,
                     const Handle(XCAFDoc_ColorTool) & colours, step_mesh *out);

/* step_error.cc: how far the triangles of a face, as they are, may be from its surface, and back.
 * 0: a plane. HUGE_VAL: that can't be told. */
double step_face_error(const TopoDS_Face &face);
/* The same for the edges of a shape, whose ends its faces share. */
double step_edge_error(const TopoDS_Shape &shape);

struct step_part {
    std::string name;
    TopoDS_Shape shape;
    step_mesh mesh;
};
struct step_instance {
    uint32_t part;
    double placement[12]; /* in the world */
};

/* step_settle.cc: parts of instances of which the meshes leave open whether they touch or penetrate
 * get finer meshes. Returns how many parts would need meshes too large for that. */
uint64_t step_settle(const step_settings &settings, const Handle(XCAFDoc_ColorTool) & colours,
                     const std::vector<step_instance> &instances, std::vector<step_part> *parts);

/* What a file says about a product, besides its name. */
struct step_product {
    std::string part_number, description, revision;
};
/* The product of a shape's label, or NULL. */
typedef const step_product *(*step_product_fn)(const void *user, const TDF_Label &label);

/* step_tree.cc: sends all parts and nodes of the document. Returns how far a triangle may be from
 * its surface: the chord, or more where OpenCASCADE has not kept it. */
double step_send_tree(import_sender *sender, const Handle(TDocStd_Document) & document,
                      const step_settings &settings, step_product_fn product,
                      const void *product_user);

#endif
