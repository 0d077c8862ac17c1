/* SPDX-License-Identifier: MIT
 * gltf_instancing.c: where a node of a glTF file has the instances of its mesh.
 * Spec: EXT_mesh_gpu_instancing
 */
#include "gltf/gltf_instancing.h"

#include <assert.h>
#include "gltf/gltf_placement.h"
#include "model/transform.h"

/* One attribute, of floats, or where `is_rotation` also of normalized bytes or shorts. */
static bvp_status open_attribute(gltf_accessors *accessors, uint64_t index,
                                 const json_value *attributes, const char *key, int is_rotation,
                                 const accessor **out)
{
    gltf_document *d = accessors->doc;
    uint64_t number;
    if (!json_tree_get(attributes, key))
        return BVP_OK;
    bvp_status status = gltf_count(d, "nodes", index, attributes, key, 0, &number);
    if (status == BVP_OK)
        status = gltf_accessor_open(accessors, number, out);
    if (status != BVP_OK)
        return status;
    const accessor *a = *out;
    const int is_small = a->component == COMPONENT_BYTE || a->component == COMPONENT_SHORT;
    if (a->width != (is_rotation ? 4 : 3) ||
        (a->component != COMPONENT_FLOAT && !(is_rotation && is_small && a->normalized)))
        return gltf_refuse(d, BVP_ERR_CORRUPT, "accessors", number,
                           "expected what places instances: VEC3 of floats%s; export the model "
                           "again",
                           is_rotation ? ", for rotations VEC4 of floats or of normalized bytes or "
                                         "shorts"
                                       : "");
    return BVP_OK;
}

bvp_status gltf_instancing_open(gltf_accessors *accessors, uint64_t index, const json_value *node,
                                gltf_instancing *out)
{
    gltf_document *d = accessors->doc;
    const json_value *extensions = json_tree_get(node, "extensions");
    const json_value *extension = json_tree_get(extensions, "EXT_mesh_gpu_instancing");
    const json_value *attributes = json_tree_get(extension, "attributes");
    *out = (gltf_instancing){0};
    if (!extension)
        return BVP_OK;
    bvp_status status =
        open_attribute(accessors, index, attributes, "TRANSLATION", 0, &out->translations);
    if (status == BVP_OK)
        status = open_attribute(accessors, index, attributes, "ROTATION", 1, &out->rotations);
    if (status == BVP_OK)
        status = open_attribute(accessors, index, attributes, "SCALE", 0, &out->scales);
    if (status != BVP_OK)
        return status;
    const accessor *const all[] = {out->translations, out->rotations, out->scales};
    int differ = 0;
    for (int i = 0; i < 3; i++) {
        differ |= all[i] && out->count > 0 && all[i]->count != out->count;
        if (all[i])
            out->count = all[i]->count;
    }
    if (out->count == 0)
        return gltf_placement_refuse(d, index,
                                     "uses EXT_mesh_gpu_instancing, but has neither TRANSLATION, "
                                     "ROTATION nor SCALE of any instance; export the model again");
    if (differ)
        return gltf_placement_refuse(d, index,
                                     "has not as many TRANSLATION, ROTATION and SCALE of its "
                                     "instances; export the model again");
    return BVP_OK;
}

void gltf_instance_place(const gltf_instancing *n, uint64_t i, double out[12])
{
    double m[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    assert(i < n->count);
    for (uint32_t k = 0; k < 3 && n->translations; k++)
        m[k] = (double)accessor_number(n->translations, i, k);
    for (uint32_t k = 0; k < 4 && n->rotations; k++)
        q[k] = (double)accessor_number(n->rotations, i, k);
    for (uint32_t k = 0; k < 3 && n->scales; k++)
        s[k] = (double)accessor_number(n->scales, i, k);
    transform_from_trs(m, q, s, out); /* small integers give no unit quaternion; it is made one */
}
