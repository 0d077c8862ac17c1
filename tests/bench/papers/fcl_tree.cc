// SPDX-License-Identifier: MIT
// fcl_tree.cc: FCL's own traversal nodes, whose statistics are on.
#include "fcl_tree.h"
#include "peer_fcl.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <fcl/narrowphase/detail/traversal/distance/mesh_distance_traversal_node.h>

#include <cstdlib>
#include <ctime>
#include <limits>

struct fcl_tree {
    fcl_kind kind;
    fcl::BVHModel<fcl::OBBd> obb;
    fcl::BVHModel<fcl::OBBRSSd> obbrss;
    fcl::BVHModel<fcl::AABBd> aabb;
};

namespace
{
double now()
{
    timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
}

template <typename Model> double fill(Model &model, const float *tri, uint64_t count)
{
    const double start = now();
    model.beginModel(static_cast<int>(count), static_cast<int>(3 * count));
    for (uint64_t i = 0; i < count; i++) {
        const float *p = tri + 9 * i;
        model.addTriangle(fcl::Vector3d(p[0], p[1], p[2]), fcl::Vector3d(p[3], p[4], p[5]),
                          fcl::Vector3d(p[6], p[7], p[8]));
    }
    model.endModel();
    return now() - start;
}

template <typename Node, typename Model>
uint64_t walk(const Model &a, const Model &b, const double placement[12], bool is_boolean,
              bvp_stats *stats)
{
    fcl::CollisionRequestd request(is_boolean ? 1 : std::numeric_limits<int>::max(), false);
    fcl::CollisionResultd result;
    Node node;
    if (!fcl::detail::initialize(node, a, fcl::Transform3d::Identity(), b, placed(placement),
                                 request, result))
        abort();
    node.enableStatistics(true);
    fcl::detail::collide(static_cast<fcl::detail::CollisionTraversalNodeBase<double> *>(&node));
    stats->boxes += static_cast<uint64_t>(node.num_bv_tests);
    stats->triangles += static_cast<uint64_t>(node.num_leaf_tests);
    return result.numContacts();
}
} // namespace

bool fcl_is_there(void)
{
    return true;
}

fcl_tree *fcl_tree_build(fcl_kind kind, const float *tri, uint64_t count, double *seconds)
{
    fcl_tree *tree = new fcl_tree;
    tree->kind = kind;
    *seconds = kind == FCL_OBB      ? fill(tree->obb, tri, count)
               : kind == FCL_OBBRSS ? fill(tree->obbrss, tri, count)
                                    : fill(tree->aabb, tri, count);
    return tree;
}

void fcl_tree_free(fcl_tree *tree)
{
    delete tree;
}

uint64_t fcl_tree_pairs(const fcl_tree *a, const fcl_tree *b, const double placement[12],
                        bool is_boolean, bvp_stats *stats)
{
    if (a->kind == FCL_OBB)
        return walk<fcl::detail::MeshCollisionTraversalNodeOBBd>(a->obb, b->obb, placement,
                                                                 is_boolean, stats);
    return walk<fcl::detail::MeshCollisionTraversalNodeOBBRSSd>(a->obbrss, b->obbrss, placement,
                                                                is_boolean, stats);
}

double fcl_tree_distance(const fcl_tree *a, const fcl_tree *b, const double placement[12])
{
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    fcl::detail::MeshDistanceTraversalNodeOBBRSSd node;
    if (!fcl::detail::initialize(node, a->obbrss, fcl::Transform3d::Identity(), b->obbrss,
                                 placed(placement), request, result))
        abort();
    fcl::detail::distance(static_cast<fcl::detail::DistanceTraversalNodeBase<double> *>(&node));
    return result.min_distance;
}

size_t fcl_node_bytes(fcl_kind kind, int number_size)
{
    if (kind == FCL_OBB)
        return number_size == 4 ? sizeof(fcl::BVNode<fcl::OBBf>) : sizeof(fcl::BVNode<fcl::OBBd>);
    if (kind == FCL_OBBRSS)
        return number_size == 4 ? sizeof(fcl::BVNode<fcl::OBBRSSf>)
                                : sizeof(fcl::BVNode<fcl::OBBRSSd>);
    return number_size == 4 ? sizeof(fcl::BVNode<fcl::AABBf>) : sizeof(fcl::BVNode<fcl::AABBd>);
}
