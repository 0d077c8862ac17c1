/* SPDX-License-Identifier: MIT
 * step_tree.cc: a document's assemblies as parts and nodes.
 */
#include "step/step.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>

#include <BRep_Builder.hxx>
#include <TCollection_AsciiString.hxx>
#include <TDF_LabelMap.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TopExp_Explorer.hxx>
#include <TopLoc_Location.hxx>
#include <TopoDS_Compound.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>

#include "model/quality_keys.h"

namespace
{

const uint32_t NODE_MAX =
    1u << 27; /* a short file can stand for more instances than there are atoms */

std::string entry_of(const TDF_Label &label)
{
    TCollection_AsciiString entry;
    TDF_Tool::Entry(label, entry);
    return entry.ToCString();
}

std::string name_of(const TDF_Label &label)
{
    Handle(TDataStd_Name) name;
    if (!label.FindAttribute(TDataStd_Name::GetID(), name))
        return std::string();
    const TCollection_ExtendedString &wide = name->Get();
    std::string text(static_cast<size_t>(wide.LengthOfCString()), '\0');
    Standard_PCharacter bytes = &text[0];
    if (!text.empty())
        wide.ToUTF8CString(bytes);
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
}

/* Names that writers invent for lack of one: "12", "NAUO12", "=>[0:1:1:2]". They number what one
 * export holds, and the next export numbers again: they are no ids, either. */
bool is_invented(const std::string &name)
{
    if (name.compare(0, 3, "=>[") == 0)
        return true;
    const size_t letters = name.compare(0, 4, "NAUO") == 0 ? 4 : 0;
    return name.find_first_not_of("0123456789", letters) == std::string::npos;
}

enum { PROPERTY_MAX = 7 };

class tree
{
  public:
    tree(import_sender *sender, const Handle(TDocStd_Document) & document,
         const step_settings &settings, step_product_fn product, const void *product_user)
        : sender_(sender), settings_(settings), product_(product), product_user_(product_user),
          shapes_(XCAFDoc_DocumentTool::ShapeTool(document->Main())),
          colours_(XCAFDoc_DocumentTool::ColorTool(document->Main()))
    {
    }

    /* Twice through the tree: first for what there is, so that it can be settled, then for nodes,
     * of which there may be many more than parts. */
    double send()
    {
        shapes_->GetFreeShapes(roots_);
        count_parts();
        note_loose();
        walk(&tree::note_node);
        const uint64_t open = step_settle(settings_, colours_, instances_, &parts_);
        std::vector<step_instance>().swap(instances_);
        send_parts();
        send_loose_node();
        walk(&tree::send_node);
        import_send_warning(sender_, open,
                            "parts whose meshes would become too large if they were to tell a "
                            "touch from a shallow penetration: clash says of which pairs it can't");
        import_send_warning(sender_, faceless_shapes_, "shapes without faces left out");
        return std::max(largest_error_, settings_.chord);
    }

  private:
    struct pending {
        TDF_Label label;
        uint32_t parent;
        step_colour colour; /* of an assembly or component above, which paints all below */
        gp_Trsf above;      /* its assembly's place in the world */
    };
    typedef void (tree::*visit)(const pending &next);

    void walk(visit what)
    {
        for (int i = roots_.Length(); i >= 1; i--)
            if (!is_loose(roots_(i)))
                pending_.push_back({roots_(i), IMPORT_NONE, step_colour(), gp_Trsf()});
        while (!pending_.empty()) {
            const pending next = pending_.back();
            pending_.pop_back();
            (this->*what)(next);
        }
    }

    /* Surfaces that are no solid and in no assembly are one part together: IGES files are often
     * nothing but such. */
    bool is_loose(const TDF_Label &label) const
    {
        if (!XCAFDoc_ShapeTool::IsSimpleShape(label))
            return false;
        return !TopExp_Explorer(XCAFDoc_ShapeTool::GetShape(label), TopAbs_SOLID).More();
    }

    void count_parts()
    {
        TDF_LabelSequence all;
        shapes_->GetShapes(all);
        for (int i = 1; i <= all.Length(); i++)
            part_total_ += XCAFDoc_ShapeTool::IsSimpleShape(all(i));
    }

    void note_loose()
    {
        TopoDS_Compound all;
        TDF_Label only;
        int count = 0;
        BRep_Builder().MakeCompound(all);
        for (int i = 1; i <= roots_.Length(); i++)
            if (is_loose(roots_(i))) {
                BRep_Builder().Add(all, XCAFDoc_ShapeTool::GetShape(roots_(i)));
                only = roots_(i);
                count++;
            }
        if (count > 0)
            loose_ = add_part(all, count == 1 ? name_of(only) : std::string());
        if (loose_ != IMPORT_NONE)
            note_instance(loose_, gp_Trsf());
    }

    void send_loose_node()
    {
        if (loose_ == IMPORT_NONE)
            return;
        const std::string &name = parts_[loose_].name;
        import_node node = placed(gp_Trsf(), IMPORT_NONE, loose_);
        std::string texts[2];
        import_property properties[2];
        node.property_count = qualities_of(loose_, texts, properties);
        import_send_node(sender_, &node, name.empty() ? "surfaces" : name.c_str(), NULL,
                         properties);
    }

    /* IMPORT_NONE: nothing of it could be cut into triangles. */
    uint32_t add_part(const TopoDS_Shape &shape, const std::string &name)
    {
        step_part part;
        part.name = name;
        part.shape = shape;
        step_mesh_shape(shape, settings_.chord, settings_, colours_, &part.mesh);
        keep_chord(&part);
        import_send_progress(sender_, ++part_done_, part_total_);
        faceless_shapes_ += part.mesh.face_count == 0;
        if (part.mesh.ids.empty()) {
            warn_of_missing(part);
            return IMPORT_NONE;
        }
        parts_.push_back(std::move(part));
        return static_cast<uint32_t>(parts_.size() - 1);
    }

    /* OpenCASCADE does not always do what it is asked for, least of all on balls: then it is asked
     * for more, once. What it has made is measured in any case. */
    void keep_chord(step_part *part) const
    {
        const double chord = settings_.chord, error = part->mesh.error;
        if (error <= chord)
            return;
        step_mesh finer;
        step_mesh_shape(part->shape, std::max(.8 * chord * chord / error, chord / 8), settings_,
                        colours_, &finer);
        if (finer.error < error && finer.missing_faces <= part->mesh.missing_faces)
            part->mesh = std::move(finer);
    }

    /* Of each part by itself: who looks for a contact with a face that is not there must know. */
    void warn_of_missing(const step_part &part)
    {
        const std::string text = "faces that could not be cut into triangles left out of " +
                                 (part.name.empty() ? std::string("a part without a name")
                                                    : "\"" + part.name.substr(0, 80) + "\"");
        import_send_warning(sender_, part.mesh.missing_faces, text.c_str());
    }

    void send_parts()
    {
        for (step_part &part : parts_) {
            const step_mesh &mesh = part.mesh;
            import_send_part(sender_, part.name.empty() ? NULL : part.name.c_str(),
                             mesh.positions.data(), mesh.positions.size() / 3, mesh.indices.data(),
                             mesh.ids.size(), mesh.ids.data());
            colour_runs runs = {};
            for (size_t i = 0; i < mesh.colours.size(); i++)
                colour_runs_add(&runs, static_cast<uint32_t>(i),
                                mesh.colours[i].is_there ? mesh.colours[i].rgba : NULL);
            import_send_colours(sender_, &runs);
            colour_runs_free(&runs);
            warn_of_missing(part);
            largest_error_ = std::max(largest_error_, mesh.error);
            const step_mesh rest = std::move(part.mesh); /* freed; the node's texts need these */
            part.mesh.error = rest.error;
            part.mesh.missing_faces = rest.missing_faces;
        }
    }

    /* The colour that a component has as such, as its label says, or else what is above it. */
    step_colour colour_of_component(const TDF_Label &label, const step_colour &above) const
    {
        Quantity_ColorRGBA found;
        if (above.is_there || !XCAFDoc_ShapeTool::IsReference(label))
            return above;
        for (const XCAFDoc_ColorType type : {XCAFDoc_ColorSurf, XCAFDoc_ColorGen})
            if (colours_->GetColor(label, type, found))
                return step_colour_from(found);
        return step_colour();
    }

    uint32_t part_of(const TDF_Label &label)
    {
        const std::string entry = entry_of(label);
        const auto known = numbers_.find(entry);
        if (known != numbers_.end())
            return known->second;
        const uint32_t part = add_part(XCAFDoc_ShapeTool::GetShape(label), name_of(label));
        numbers_[entry] = part;
        return part;
    }

    void note_instance(uint32_t part, const gp_Trsf &place)
    {
        step_instance instance = {part, {}};
        const import_node node = placed(place, IMPORT_NONE, part);
        std::copy(node.placement, node.placement + 12, instance.placement);
        instances_.push_back(instance);
    }

    /* The first way through the tree. */
    void note_node(const pending &next)
    {
        TDF_Label product = next.label;
        const bool is_reference = XCAFDoc_ShapeTool::GetReferredShape(next.label, product);
        const bool is_group = XCAFDoc_ShapeTool::IsAssembly(product);
        const gp_Trsf place = next.above * place_of(next.label, is_reference || is_group);
        if (++noted_ > NODE_MAX)
            refuse_nodes();
        if (is_group) {
            push_components(product, 0, step_colour(), place);
            return;
        }
        const uint32_t part = part_of(product);
        if (part != IMPORT_NONE)
            note_instance(part, place);
    }

    [[noreturn]] void refuse_nodes()
    {
        import_send_failure(sender_, BVP_ERR_LIMIT,
                            "more than 134 million instances; split the model");
    }

    /* a simple shape's own location is in its faces' */
    static gp_Trsf place_of(const TDF_Label &label, bool has_place)
    {
        return has_place ? XCAFDoc_ShapeTool::GetLocation(label).Transformation() : gp_Trsf();
    }

    static import_node placed(const gp_Trsf &move, uint32_t parent, uint32_t part)
    {
        import_node node = {};
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                node.placement[4 * row + column] = move.Value(row + 1, column + 1);
        node.parent = parent;
        node.part = part;
        return node;
    }

    /* The component's own name, else its product's; the product's own when both are there. */
    void send_node(const pending &next)
    {
        TDF_Label product = next.label;
        const bool is_reference = XCAFDoc_ShapeTool::GetReferredShape(next.label, product);
        const bool is_group = XCAFDoc_ShapeTool::IsAssembly(product);
        const std::string product_name = name_of(product);
        std::string name = is_reference ? name_of(next.label) : product_name;
        if (is_invented(name) && !product_name.empty())
            name = product_name;

        const uint32_t part = is_group ? IMPORT_NONE : part_of(product);
        import_node node =
            placed(place_of(next.label, is_reference || is_group), next.parent, part);
        import_property properties[PROPERTY_MAX];
        node.property_count = properties_of(product, name, product_name, properties);
        const step_colour colour = colour_of_component(next.label, next.colour);
        char text[16];
        if (colour.is_there && part != IMPORT_NONE) {
            std::snprintf(text, sizeof text, "0:%02x%02x%02x%02x", colour.rgba[0], colour.rgba[1],
                          colour.rgba[2], colour.rgba[3]);
            properties[node.property_count++] = {COLOURS_KEY, text};
        }
        std::string qualities[2];
        if (part != IMPORT_NONE)
            node.property_count += qualities_of(part, qualities, properties + node.property_count);
        const uint32_t number =
            import_send_node(sender_, &node, name.empty() ? NULL : name.c_str(), NULL, properties);
        if (is_group)
            push_components(product, number, colour, gp_Trsf());
    }

    /* What is known of the mesh, at each of its instances. texts: they stay there. */
    uint32_t qualities_of(uint32_t part, std::string texts[2], import_property out[2]) const
    {
        const step_mesh &mesh = parts_[part].mesh;
        uint32_t count = 0;
        char number[32];
        std::snprintf(number, sizeof number, "%.9g", mesh.error);
        texts[0] = number;
        out[count++] = {TOLERANCE_KEY, texts[0].c_str()};
        if (mesh.missing_faces > 0) {
            texts[1] = std::to_string(mesh.missing_faces);
            out[count++] = {MISSING_FACES_KEY, texts[1].c_str()};
        }
        return count;
    }

    uint32_t properties_of(const TDF_Label &label, const std::string &name,
                           const std::string &product_name, import_property *out) const
    {
        uint32_t count = 0;
        const step_product *p = product_(product_user_, label);
        if (!product_name.empty() && product_name != name)
            out[count++] = {"product", product_name.c_str()};
        if (p && !p->part_number.empty())
            out[count++] = {"part_number", p->part_number.c_str()};
        if (p && !p->revision.empty())
            out[count++] = {"revision", p->revision.c_str()};
        if (p && !p->description.empty())
            out[count++] = {"description", p->description.c_str()};
        return count;
    }

    void push_components(const TDF_Label &assembly, uint32_t parent, const step_colour &colour,
                         const gp_Trsf &above)
    {
        TDF_LabelSequence components;
        XCAFDoc_ShapeTool::GetComponents(assembly, components);
        for (int i = components.Length(); i >= 1; i--)
            pending_.push_back({components(i), parent, colour, above});
    }

    import_sender *sender_;
    const step_settings &settings_;
    step_product_fn product_;
    const void *product_user_;
    Handle(XCAFDoc_ShapeTool) shapes_;
    Handle(XCAFDoc_ColorTool) colours_;
    TDF_LabelSequence roots_;
    std::vector<pending> pending_;
    std::vector<step_part> parts_;
    std::vector<step_instance> instances_;
    std::map<std::string, uint32_t> numbers_; /* of parts, by the label's entry */
    uint32_t loose_ = IMPORT_NONE, noted_ = 0;
    double largest_error_ = 0;
    uint64_t part_done_ = 0, part_total_ = 0, faceless_shapes_ = 0;
};

} // namespace

double step_send_tree(import_sender *sender, const Handle(TDocStd_Document) & document,
                      const step_settings &settings, step_product_fn product,
                      const void *product_user)
{
    return tree(sender, document, settings, product, product_user).send();
}
