/* SPDX-License-Identifier: MIT
 * import_gltf.c: glTF 2.0 and its binary form GLB: the default scene's nodes and their meshes.
 * Spec: Khronos glTF 2.0; KHR_mesh_quantization
 */
#include "gltf/gltf_nodes.h"

bvp_status import_gltf(importer *im)
{
    gltf_document d;
    gltf_meshes meshes;
    bvp_status status = gltf_document_open(im, &d);
    im->out->unit_in_metres = 1;
    im->out->up = BVP_UP_Y;
    im->out->format = import_text(d.is_binary ? "GLB" : "glTF", d.is_binary ? 3 : 4);
    if (status == BVP_OK && !im->out->format)
        status = import_no_memory(im);
    if (status == BVP_OK) {
        status = gltf_meshes_open(&d, &meshes);
        if (status == BVP_OK)
            status = gltf_nodes_read(&meshes);
        if (status == BVP_OK)
            status = import_warn(im, json_tree_size(json_tree_get(d.root, "animations")),
                                 "animations left out");
        gltf_meshes_close(&meshes);
    }
    gltf_document_close(&d);
    return status;
}
