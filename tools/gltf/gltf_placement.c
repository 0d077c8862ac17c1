/* SPDX-License-Identifier: MIT
 * gltf_placement.c: where a node of a glTF file stands, relative to its parent.
 * Spec: Khronos glTF 2.0, 3.5.3 Transformations
 */
#include "gltf/gltf_placement.h"

#include "model/transform.h"

bvp_status gltf_placement_refuse(gltf_document *d, uint64_t index, const char *what)
{
    const json_value *object;
    if (gltf_node(d, index, &object) != BVP_OK)
        return BVP_ERR_CORRUPT;
    const char *name = json_tree_text(json_tree_get(object, "name"));
    return gltf_refuse(d, BVP_ERR_ARGUMENT, "nodes", index, "\"%.40s\" %s", name ? name : "", what);
}

bvp_status gltf_placement_read(gltf_document *d, uint64_t index, const json_value *object,
                               double out[12])
{
    const json_value *matrix = json_tree_get(object, "matrix");
    const json_value *move = json_tree_get(object, "translation");
    const json_value *turn = json_tree_get(object, "rotation");
    const json_value *scale = json_tree_get(object, "scale");
    double columns[16], m[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (matrix && !json_tree_numbers(matrix, 16, columns))
        return gltf_placement_refuse(d, index,
                                     "has a matrix that is not 16 numbers; export it again");
    if (matrix && transform_from_columns(columns, out) != 0)
        return gltf_placement_refuse(d, index,
                                     "has a matrix whose last row is not 0 0 0 1: only affine "
                                     "placements are possible");
    if (matrix)
        return BVP_OK;
    if ((move && !json_tree_numbers(move, 3, m)) || (turn && !json_tree_numbers(turn, 4, q)) ||
        (scale && !json_tree_numbers(scale, 3, s)))
        return gltf_placement_refuse(d, index,
                                     "has a translation, rotation or scale that is not 3, 4 "
                                     "and 3 numbers; export it again");
    transform_from_trs(m, q, s, out);
    return BVP_OK;
}
