/* SPDX-License-Identifier: MIT
 * gltf_materials.c: the base colours of a glTF file's materials.
 * Spec: Khronos glTF 2.0, 3.9 Materials; KHR_materials_pbrSpecularGlossiness
 */
#include "gltf/gltf_materials.h"

#include <string.h>

/* The older workflow's member, where the material has one. */
static const json_value *older(const json_value *material, const char *key)
{
    const json_value *extensions = json_tree_get(material, "extensions");
    return json_tree_get(json_tree_get(extensions, "KHR_materials_pbrSpecularGlossiness"), key);
}

static const json_value *usual(const json_value *material, const char *key)
{
    return json_tree_get(json_tree_get(material, "pbrMetallicRoughness"), key);
}

static int factor_of(const json_value *material, double out[4])
{
    return json_tree_numbers(usual(material, "baseColorFactor"), 4, out) ||
           json_tree_numbers(older(material, "diffuseFactor"), 4, out);
}

static int has_texture(const json_value *material)
{
    return usual(material, "baseColorTexture") || older(material, "diffuseTexture");
}

void gltf_materials_open(const gltf_document *doc, gltf_materials *m)
{
    double factor[4];
    *m = (gltf_materials){.list = json_tree_get(doc->root, "materials")};
    for (size_t i = 0; i < json_tree_size(m->list) && !m->is_coloured; i++)
        m->is_coloured = factor_of(json_tree_at(m->list, i), factor);
}

static const json_value *material_of(const gltf_materials *m, const json_value *primitive)
{
    uint64_t number;
    if (!json_tree_count(json_tree_get(primitive, "material"), &number) ||
        number >= json_tree_size(m->list))
        return NULL;
    return json_tree_at(m->list, (size_t)number);
}

int gltf_primitive_colour(const gltf_materials *m, const json_value *primitive, uint8_t rgba[4])
{
    const json_value *material = material_of(m, primitive);
    double factor[4] = {1, 1, 1, 1};
    if (!material || !m->is_coloured || (!factor_of(material, factor) && has_texture(material)))
        return 0;
    const char *mode = json_tree_text(json_tree_get(material, "alphaMode"));
    for (int i = 0; i < 3; i++)
        rgba[i] = colour_srgb(factor[i]);
    rgba[3] = mode && strcmp(mode, "BLEND") == 0 ? colour_byte(factor[3]) : 255;
    return 1;
}

bvp_status gltf_primitive_warn(const gltf_materials *m, importer *im, const json_value *primitive)
{
    const json_value *material = material_of(m, primitive);
    bvp_status status = BVP_OK;
    if (json_tree_get(json_tree_get(primitive, "attributes"), "COLOR_0"))
        status = import_warn(im, 1, "primitives with colours of vertices, which are not kept");
    if (status == BVP_OK && material && has_texture(material))
        status = import_warn(im, 1, "primitives with textures, which are not kept");
    return status;
}
