/* SPDX-License-Identifier: MIT
 * clash_tree_case.h: a small product tree in memory, for the tests of clash*.c.
 */
#ifndef CLASH_TREE_CASE_H
#define CLASH_TREE_CASE_H

#include <check.h>
#include <string.h>
#include "build_case.h"
#include "query/instance_tree.h"

/* plant
 *   skid {system: cooling}
 *     bolt, bolt, flange {part_number: P-7}, (unnamed)
 *   shed
 *     a/b, bolt
 *     rack
 *       book
 *   moon */
enum { CASE_INSTANCES = 8 };

typedef struct clash_case {
    case_file file;
    instance_tree tree;
} clash_case;

static inline uint32_t case_node(bvp_builder *builder, uint32_t parent, const char *name,
                                 const char *source_id, uint32_t part)
{
    uint32_t node;
    ck_assert_int_eq(
        bvp_builder_add_node(
            builder,
            &(bvp_new_node){.parent = parent, .name = name, .source_id = source_id, .part = part},
            &node, NULL),
        BVP_OK);
    return node;
}

static inline clash_case clash_case_open(void)
{
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    bvp_builder *builder;
    bvp_mesh mesh = case_mesh(soup, 1);
    uint32_t part;
    clash_case c;
    mesh.name = "thing";
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    const uint32_t plant = case_node(builder, BVP_NONE, "plant", NULL, BVP_NONE);
    const uint32_t skid = case_node(builder, plant, "skid", NULL, BVP_NONE);
    bvp_builder_add_property(builder, skid, "system", "cooling", NULL);
    case_node(builder, skid, "bolt", NULL, part);
    case_node(builder, skid, "bolt", NULL, part);
    const uint32_t flange = case_node(builder, skid, "flange", NULL, part);
    bvp_builder_add_property(builder, flange, "part_number", "P-7", NULL);
    case_node(builder, skid, NULL, NULL, part);
    const uint32_t shed = case_node(builder, plant, "shed", NULL, BVP_NONE);
    case_node(builder, shed, "a/b", NULL, part);
    case_node(builder, shed, "bolt", NULL, part);
    const uint32_t rack = case_node(builder, shed, "rack", NULL, BVP_NONE);
    case_node(builder, rack, "book", NULL, part);
    case_node(builder, plant, "moon", NULL, part);
    c.file = case_finish(builder);
    ck_assert_int_eq(instance_tree_open(&c.tree, c.file.file), 0);
    return c;
}

static inline void clash_case_close(clash_case *c)
{
    instance_tree_close(&c->tree);
    case_close(&c->file);
}

/* The instance of the node with this path. */
static inline uint32_t clash_case_find(const clash_case *c, const char *path)
{
    growing_text text = {0};
    uint32_t found = BVP_NONE;
    for (uint32_t i = 0; i < c->tree.info.instance_count; i++) {
        ck_assert_int_eq(instance_tree_path(&c->tree, instance_tree_node(&c->tree, i), &text), 0);
        if (strcmp(text.data, path) == 0)
            found = i;
    }
    growing_text_free(&text);
    ck_assert_msg(found != BVP_NONE, "no instance %s", path);
    return found;
}

#endif
