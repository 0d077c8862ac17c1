/* SPDX-License-Identifier: MIT
 * step_tree.cc: a document's assemblies as parts and nodes.
 */
#include "step/step.h"

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

    void send()
    {
        TDF_LabelSequence roots;
        shapes_->GetFreeShapes(roots);
        count_parts(roots);
        send_loose(roots);
        for (int i = roots.Length(); i >= 1; i--)
            if (!is_loose(roots(i)))
                pending_.push_back({roots(i), IMPORT_NONE, step_colour()});
        while (!pending_.empty()) {
            const pending next = pending_.back();
            pending_.pop_back();
            send_node(next);
        }
        import_send_warning(sender_, losses_.unmeshed_faces,
                            "faces that could not be cut into triangles left out");
        import_send_warning(sender_, losses_.faceless_shapes, "shapes without faces left out");
    }

  private:
    struct pending {
        TDF_Label label;
        uint32_t parent;
        step_colour colour; /* of an assembly or component above, which paints all below */
    };

    /* Surfaces that are no solid and in no assembly are one part together: IGES files are often
     * nothing but such. */
    bool is_loose(const TDF_Label &label) const
    {
        if (!XCAFDoc_ShapeTool::IsSimpleShape(label))
            return false;
        return !TopExp_Explorer(XCAFDoc_ShapeTool::GetShape(label), TopAbs_SOLID).More();
    }

    void count_parts(const TDF_LabelSequence &)
    {
        TDF_LabelSequence all;
        shapes_->GetShapes(all);
        for (int i = 1; i <= all.Length(); i++)
            part_total_ += XCAFDoc_ShapeTool::IsSimpleShape(all(i));
    }

    void send_loose(const TDF_LabelSequence &roots)
    {
        TopoDS_Compound all;
        TDF_Label only;
        int count = 0;
        BRep_Builder().MakeCompound(all);
        for (int i = 1; i <= roots.Length(); i++)
            if (is_loose(roots(i))) {
                BRep_Builder().Add(all, XCAFDoc_ShapeTool::GetShape(roots(i)));
                only = roots(i);
                count++;
            }
        if (count == 0)
            return;
        const std::string name = count == 1 ? name_of(only) : std::string();
        const uint32_t part = send_part(all, name);
        import_node node = placed(TopLoc_Location(), IMPORT_NONE, part);
        if (part != IMPORT_NONE)
            import_send_node(sender_, &node, name.empty() ? "surfaces" : name.c_str(), NULL, NULL);
    }

    uint32_t send_part(const TopoDS_Shape &shape, const std::string &name)
    {
        step_mesh mesh;
        step_mesh_shape(shape, settings_, colours_, &mesh, &losses_);
        import_send_progress(sender_, ++part_done_, part_total_);
        if (mesh.ids.empty())
            return IMPORT_NONE;
        const uint32_t part = import_send_part(
            sender_, name.empty() ? NULL : name.c_str(), mesh.positions.data(),
            mesh.positions.size() / 3, mesh.indices.data(), mesh.ids.size(), mesh.ids.data());
        colour_runs runs = {};
        for (size_t i = 0; i < mesh.colours.size(); i++)
            colour_runs_add(&runs, static_cast<uint32_t>(i),
                            mesh.colours[i].is_there ? mesh.colours[i].rgba : NULL);
        import_send_colours(sender_, &runs);
        colour_runs_free(&runs);
        return part;
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
        const auto known = parts_.find(entry);
        if (known != parts_.end())
            return known->second;
        const uint32_t part = send_part(XCAFDoc_ShapeTool::GetShape(label), name_of(label));
        parts_[entry] = part;
        return part;
    }

    static import_node placed(const TopLoc_Location &location, uint32_t parent, uint32_t part)
    {
        import_node node = {};
        const gp_Trsf &move = location.Transformation();
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

        /* a simple shape's own location is in its faces' */
        const uint32_t part = is_group ? IMPORT_NONE : part_of(product);
        const TopLoc_Location place = is_reference || is_group
                                          ? XCAFDoc_ShapeTool::GetLocation(next.label)
                                          : TopLoc_Location();
        import_node node = placed(place, next.parent, part);
        import_property properties[5];
        node.property_count = properties_of(product, name, product_name, properties);
        const step_colour colour = colour_of_component(next.label, next.colour);
        char text[16];
        if (colour.is_there && part != IMPORT_NONE) {
            std::snprintf(text, sizeof text, "0:%02x%02x%02x%02x", colour.rgba[0], colour.rgba[1],
                          colour.rgba[2], colour.rgba[3]);
            properties[node.property_count++] = {COLOURS_KEY, text};
        }
        const uint32_t number =
            import_send_node(sender_, &node, name.empty() ? NULL : name.c_str(), NULL, properties);
        if (number >= NODE_MAX)
            import_send_failure(sender_, BVP_ERR_LIMIT,
                                "more than 134 million instances; split the model");
        if (is_group)
            push_components(product, number, colour);
    }

    uint32_t properties_of(const TDF_Label &label, const std::string &name,
                           const std::string &product_name, import_property out[5]) const
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

    void push_components(const TDF_Label &assembly, uint32_t parent, const step_colour &colour)
    {
        TDF_LabelSequence components;
        XCAFDoc_ShapeTool::GetComponents(assembly, components);
        for (int i = components.Length(); i >= 1; i--)
            pending_.push_back({components(i), parent, colour});
    }

    import_sender *sender_;
    const step_settings &settings_;
    step_product_fn product_;
    const void *product_user_;
    Handle(XCAFDoc_ShapeTool) shapes_;
    Handle(XCAFDoc_ColorTool) colours_;
    std::vector<pending> pending_;
    std::map<std::string, uint32_t> parts_; /* by the label's entry */
    step_losses losses_;
    uint64_t part_done_ = 0, part_total_ = 0;
};

} // namespace

void step_send_tree(import_sender *sender, const Handle(TDocStd_Document) & document,
                    const step_settings &settings, step_product_fn product,
                    const void *product_user)
{
    tree(sender, document, settings, product, product_user).send();
}
