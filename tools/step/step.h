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
#include <TopoDS_Shape.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include "import/import_send.h"

struct step_settings {
    double chord; /* mm */
    double angle; /* radians */
    bool is_parallel;
};

/* A colour that the file names, or none. */
struct step_colour {
    bool is_there = false;
    uint8_t rgba[4] = {};
};
step_colour step_colour_from(const Quantity_ColorRGBA &colour);
/* The colour of a shape itself: of its surface, or else of all of it. */
step_colour step_colour_of(const Handle(XCAFDoc_ColorTool) & colours, const TopoDS_Shape &shape);

struct step_mesh {
    std::vector<double> positions;
    std::vector<uint32_t> indices, ids; /* ids: the face's number, in the order of the shape */
    std::vector<step_colour> colours;   /* of each face */
};

/* What was left out, over all parts. */
struct step_losses {
    uint64_t unmeshed_faces = 0, faceless_shapes = 0;
};

/* step_mesh.cc: the triangles of all faces of `shape`; equal points have equal bits. A face has its
 * own colour, or that of the solid or shell that it is of, or the shape's. */
void step_mesh_shape(const TopoDS_Shape &shape, const step_settings &settings,
                     const Handle(XCAFDoc_ColorTool) & colours, step_mesh *out,
                     step_losses *losses);

/* What a file says about a product, besides its name. */
struct step_product {
    std::string part_number, description, revision;
};
/* The product of a shape's label, or NULL. */
typedef const step_product *(*step_product_fn)(const void *user, const TDF_Label &label);

/* step_tree.cc: sends all parts and nodes of the document. */
void step_send_tree(import_sender *sender, const Handle(TDocStd_Document) & document,
                    const step_settings &settings, step_product_fn product,
                    const void *product_user);

#endif
