/* SPDX-License-Identifier: MIT
 * test_clash_rules.c: which rule decides about a pair, what it does, and how often it has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "clash_tree_case.h"
#include "rules/clash_rules.h"
#include "text/message.h"
#include "suite.h"
#include "cli/verb.h"

static char path[] = "/tmp/test_clash_rules.XXXXXX";

static int read_rules(clash_rules *r, const char *text)
{
    const bvp_file_info info = {.unit_in_metres = 0.001};
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    *r = (clash_rules){.limits = {NAN, NAN, NAN}};
    return clash_rules_add_file(r, path, &info);
}

static int match(const clash_case *c, const clash_rules *r, const char *a, const char *b)
{
    const uint32_t one = clash_case_find(c, a), other = clash_case_find(c, b);
    const int found = clash_rules_match(r, one, other);
    ck_assert_int_eq(clash_rules_match(r, other, one), found);
    return found;
}

START_TEST(first_match_wins)
{
    clash_case c = clash_case_open();
    clash_rules r;
    ck_assert_int_eq(read_rules(&r, "[{\"a\": \"bolt\", \"b\": \"flange\", \"exclude\": true},"
                                    "{\"a\": \"bolt\", \"clearance\": \"1cm\"},"
                                    "{\"a\": \"*\", \"overlap\": 3}]"),
                     0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), 0);
    ck_assert_int_eq(match(&c, &r, "skid/bolt", "skid/flange"), 0);
    ck_assert_int_eq(match(&c, &r, "skid/bolt", "moon"), 1);
    ck_assert_int_eq(match(&c, &r, "skid/flange", "moon"), 2);
    ck_assert_int_eq(r.warning_count, 0);
    bvp_clash_limits limits = {1, 2, 0};
    ck_assert_double_eq(clash_rules_reach(&r, &limits), 10);
    ck_assert_int_eq(clash_rules_apply(&r, clash_case_find(&c, "skid/bolt"),
                                       clash_case_find(&c, "moon"), &limits),
                     0);
    ck_assert(limits.clearance == 10 && limits.touch_gap == 2 && limits.overlap == 0);
    r.rules[2].limits.touch_gap = 30; /* farther than any clearance */
    ck_assert_double_eq(clash_rules_reach(&r, &limits), 30);
    r.rules[2].limits.touch_gap = NAN;
    ck_assert_int_eq(clash_rules_apply(&r, clash_case_find(&c, "skid/flange"),
                                       clash_case_find(&c, "skid/bolt"), &limits),
                     1);
    uint64_t sums[3] = {0, 5, 0};
    clash_rules_count(&r, 0, CASE_INSTANCES, sums);
    ck_assert(sums[0] == 1 && sums[1] == 6 && sums[2] == 0);
    clash_rules_free(&r);
    clash_case_close(&c);
}
END_TEST

START_TEST(sub_assemblies)
{
    clash_case c = clash_case_open();
    clash_rules r;
    ck_assert_int_eq(read_rules(&r,
                                "[{\"same_assembly\": true, \"a\": \"flange\", \"exclude\": true},"
                                "{\"same_assembly\": \"s*\", \"exclude\": true}]"),
                     0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), 0);
    ck_assert_int_eq(match(&c, &r, "skid/flange", "skid/bolt"), 0);
    ck_assert_int_eq(match(&c, &r, "skid/bolt", "skid/bolt[2]"), 1);
    ck_assert_int_eq(match(&c, &r, "shed/bolt", "shed/rack/book"), 1);
    ck_assert_int_eq(match(&c, &r, "shed/bolt", "skid/bolt"), -1);
    ck_assert_int_eq(match(&c, &r, "moon", "skid/bolt"), -1);
    clash_rules_free(&r);
    clash_case_close(&c);
}
END_TEST

/* A stray is one thing with its neighbour of the same name, not with one of another assembly. */
START_TEST(strays_are_one_with_their_siblings)
{
    clash_case c = clash_case_open();
    clash_rules r = {.limits = {NAN, NAN, NAN}};
    bvp_clash_limits limits = {1, 2, 0};
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), 0);
    ck_assert_ptr_null(r.strays);
    r.strays = calloc(1, sizeof *r.strays);
    const uint32_t stray = clash_case_find(&c, "skid/bolt");
    r.strays[0] = UINT64_C(1) << stray;
    const uint32_t sibling = clash_case_find(&c, "skid/bolt[2]");
    const uint32_t other = clash_case_find(&c, "shed/bolt");
    ck_assert_int_eq(clash_rules_apply(&r, stray, sibling, &limits), 1);
    ck_assert_int_eq(clash_rules_apply(&r, sibling, stray, &limits), 1);
    ck_assert_int_eq(clash_rules_apply(&r, stray, other, &limits), 0);
    ck_assert_int_eq(clash_rules_apply(&r, sibling, other, &limits), 0);
    clash_rules_free(&r);
    clash_case_close(&c);
}
END_TEST

/* "same": both have the property, and the same value of it. */
START_TEST(shared_properties)
{
    clash_case c = clash_case_open(), other = clash_case_open();
    clash_rules r;
    ck_assert_int_eq(read_rules(&r, "[{\"same\": \"system\", \"exclude\": true}]"), 0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), 0);
    ck_assert_int_eq(match(&c, &r, "skid/bolt", "skid/flange"), 0);
    ck_assert_int_eq(match(&c, &r, "skid/bolt", "moon"), -1);
    ck_assert_int_eq(match(&c, &r, "shed/bolt", "moon"), -1); /* neither has one */
    clash_rules_free(&r);
    /* also between two files */
    ck_assert_int_eq(read_rules(&r, "[{\"same\": \"system\", \"exclude\": true}]"), 0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &other.tree), 0);
    ck_assert_int_eq(match(&c, &r, "skid/bolt", "skid/flange"), 0);
    ck_assert_int_eq(match(&c, &r, "skid/bolt", "moon"), -1);
    clash_rules_free(&r);
    clash_case_close(&c);
    clash_case_close(&other);
}
END_TEST

/* Two bodies below a node with an id are pieces of it; two things with ids of their own are not. */
START_TEST(pieces_of_an_element)
{
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    bvp_builder *builder;
    bvp_mesh mesh = case_mesh(soup, 1);
    uint32_t part;
    clash_case c;
    clash_rules r;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    const uint32_t root = case_node(builder, BVP_NONE, "house", NULL, BVP_NONE);
    const uint32_t wall = case_node(builder, root, "wall", "W1", BVP_NONE);
    case_node(builder, wall, "left", NULL, part);
    case_node(builder, wall, "right", NULL, part);
    case_node(builder, wall, "window", "W2", part);
    case_node(builder, root, "loose", NULL, part);
    case_node(builder, root, "loose too", NULL, part);
    c.file = case_finish(builder);
    ck_assert_int_eq(instance_tree_open(&c.tree, c.file.file), 0);
    ck_assert_int_eq(read_rules(&r, "[{\"same_element\": true, \"exclude\": true}]"), 0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), 0);
    ck_assert_int_eq(match(&c, &r, "wall/left", "wall/right"), 0);
    ck_assert_int_eq(match(&c, &r, "wall/left", "wall/window"), -1);
    ck_assert_int_eq(match(&c, &r, "wall/left", "loose"), -1);
    ck_assert_int_eq(match(&c, &r, "loose too", "loose"), -1);
    clash_rules_free(&r);
    /* nothing of two files is one element */
    clash_case twin = {.file = c.file};
    ck_assert_int_eq(instance_tree_open(&twin.tree, c.file.file), 0);
    ck_assert_int_eq(read_rules(&r, "[{\"same_element\": true, \"exclude\": true}]"), 0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &twin.tree), 0);
    ck_assert_int_eq(match(&c, &r, "wall/left", "wall/right"), -1);
    clash_rules_free(&r);
    instance_tree_close(&twin.tree);
    clash_case_close(&c);
}
END_TEST

/* A share is one of the thinner part's thickness, as it stands in the first file's world. */
START_TEST(shares)
{
    static const float thin[18] = {0, 0, 0, 8, 0, 0, 0, 4, 2, 0, 0, 0, 0, 4, 2, 8, 4, 0};
    static const double twice[12] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 9};
    bvp_builder *builder;
    bvp_mesh mesh = case_mesh(thin, 2);
    uint32_t part, node;
    clash_case c;
    clash_rules r;
    bvp_clash_limits limits = {0, 0.01, 0.01};
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    const uint32_t root = case_node(builder, BVP_NONE, "root", NULL, BVP_NONE);
    case_node(builder, root, "small", NULL, part);
    const bvp_new_node large = {.parent = root, .name = "large", .part = part, .placement = twice};
    ck_assert_int_eq(bvp_builder_add_node(builder, &large, &node, NULL), BVP_OK);
    c.file = case_finish(builder);
    ck_assert_int_eq(instance_tree_open(&c.tree, c.file.file), 0);
    const uint32_t one = clash_case_find(&c, "small"), other = clash_case_find(&c, "large");
    ck_assert_int_eq(read_rules(&r, "[{\"a\": \"*\", \"allow\": \"50%\"}]"), 0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), 0);
    ck_assert_int_eq(clash_rules_apply(&r, one, other, &limits), 0);
    ck_assert_double_eq(limits.overlap, 1);
    ck_assert_int_eq(clash_rules_apply(&r, other, other, &limits), 0);
    ck_assert_double_eq(limits.overlap, 2);
    limits.overlap = 7; /* the run permits more */
    ck_assert_int_eq(clash_rules_apply(&r, one, other, &limits), 0);
    ck_assert_double_eq(limits.overlap, 7);
    clash_rules_free(&r);
    /* the second file's unit is a tenth of the first one's */
    clash_case twin = {.file = c.file};
    ck_assert_int_eq(instance_tree_open(&twin.tree, c.file.file), 0);
    ck_assert_int_eq(read_rules(&r, "[{\"a\": \"*\", \"allow\": \"50%\"}]"), 0);
    r.scale_b = 0.1;
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &twin.tree), 0);
    limits.overlap = 0;
    ck_assert_int_eq(clash_rules_apply(&r, one, other, &limits), 0);
    ck_assert_double_eq_tol(limits.overlap, 0.2, 1e-12);
    clash_rules_free(&r);
    instance_tree_close(&twin.tree);
    clash_case_close(&c);
}
END_TEST

/* The sets that come with the program are well formed, and say nothing when they select nothing. */
START_TEST(sets)
{
    const bvp_file_info info = {.unit_in_metres = 0.001};
    clash_case c = clash_case_open();
    int count = 0;
    for (const clash_rule_set *set = clash_rule_sets; set->name; set++, count++) {
        clash_rules r = {.limits = {NAN, NAN, NAN}};
        ck_assert_msg(clash_rules_add_named(&r, set->name, &info) == 0, "%s", set->name);
        ck_assert_uint_gt(r.rule_count, 0);
        ck_assert_msg(clash_rules_bind(&r, &c.tree, &c.tree) == 0, "%s", set->name);
        ck_assert_msg(r.warning_count == 0, "%s: %s", set->name, r.warnings ? r.warnings[0] : "");
        if (strcmp(set->name, "fasteners") == 0) {
            ck_assert_int_eq(match(&c, &r, "skid/bolt", "skid/flange"), 0);
            ck_assert_int_eq(match(&c, &r, "moon", "skid/flange"), -1);
        }
        clash_rules_free(&r);
    }
    ck_assert_int_eq(count, 9);
    clash_case_close(&c);
}
END_TEST

/* Nodes wrapped around everything are no sub-assembly: else nothing would be left to look at. */
START_TEST(wrapped_root)
{
    static const float soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const bvp_mesh mesh = case_mesh(soup, 1);
    bvp_builder *builder;
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    const uint32_t scene = case_node(builder, BVP_NONE, "scene", NULL, BVP_NONE);
    const uint32_t plant = case_node(builder, scene, "plant", NULL, BVP_NONE);
    case_node(builder, plant, "a", NULL, part);
    case_node(builder, plant, "b", NULL, part);
    clash_case c = {.file = case_finish(builder)};
    clash_rules r = {0};
    ck_assert_int_eq(instance_tree_open(&c.tree, c.file.file), 0);
    ck_assert_int_eq(clash_rules_add_same_assembly(&r), 0);
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), 0);
    ck_assert_int_eq(clash_rules_match(&r, 0, 1), -1);
    ck_assert_uint_eq(r.warning_count, 1);
    clash_rules_free(&r);
    clash_case_close(&c);
}
END_TEST

START_TEST(two_files)
{
    clash_case c = clash_case_open(), d = clash_case_open();
    clash_rules r = {0};
    ck_assert_int_eq(clash_rules_add_exclude(&r, "moon:flange"), 0);
    ck_assert_int_eq(clash_rules_add_exclude(&r, "nothing\\:here"), 0);
    r.rules[1].optional = 1;
    ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &d.tree), 0);
    ck_assert_int_eq(match(&c, &r, "moon", "skid/flange"), 0);
    ck_assert_int_eq(match(&c, &r, "moon", "moon"), -1);
    ck_assert_uint_eq(r.warning_count, 1);
    ck_assert_ptr_nonnull(strstr(r.warnings[0], "nothing"));
    clash_rules_free(&r);
    clash_case_close(&c);
    clash_case_close(&d);
}
END_TEST

START_TEST(what_selects_nothing_is_refused)
{
    static const char *const texts[] = {"nothing", "moon:nothing", "part=nothing"};
    clash_case c = clash_case_open();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        clash_rules r = {0};
        ck_assert_int_eq(clash_rules_add_exclude(&r, texts[i]), 0);
        ck_assert_int_eq(clash_rules_bind(&r, &c.tree, &c.tree), EXIT_USAGE);
        ck_assert_uint_eq(r.warning_count, 0);
        clash_rules_free(&r);
    }
    clash_case_close(&c);
}
END_TEST

START_TEST(top_level)
{
    clash_rules r;
    ck_assert_int_eq(read_rules(&r, "{\"clearance\": \"5mm\", \"overlap\": 0.5, \"comment\": 1,"
                                    " \"rules\": []}"),
                     0);
    ck_assert(fabs(r.limits.clearance - 5) < 1e-12 && r.limits.overlap == 0.5);
    ck_assert(isnan(r.limits.touch_gap));
    clash_rules_free(&r);
}
END_TEST

/* The same rules have the same hash, others another. */
START_TEST(hashes)
{
    clash_rules r, s;
    ck_assert_int_eq(read_rules(&r, "[]"), 0);
    ck_assert_int_eq(read_rules(&s, "[ ]"), 0);
    ck_assert(memcmp(r.hash, s.hash, 16) != 0);
    clash_rules_free(&s);
    ck_assert_int_eq(read_rules(&s, "[]"), 0);
    ck_assert_mem_eq(r.hash, s.hash, 16);
    ck_assert_int_eq(clash_rules_add_same_assembly(&s), 0);
    ck_assert(memcmp(r.hash, s.hash, 16) != 0);
    clash_rules_free(&r);
    clash_rules_free(&s);
}
END_TEST

START_TEST(refusals)
{
    static const char *const texts[] = {
        "[7]",
        "[{\"a\": \"\", \"exclude\": true}]",
        "[{\"b\": [], \"exclude\": true}]",
        "[{\"same_assembly\": \"\", \"exclude\": true}]",
        "[{\"same_assembly\": false, \"exclude\": true}]",
        "[{\"a\": \"x\", \"allow\": false}]",
        "[{\"a\": \"x\", \"allow\": -1}]",
        "[{\"a\": \"x\", \"clearance\": \"1e999\"}]",
        "[{\"a\": \"x\", \"name\": \"\", \"exclude\": true}]",
        "{\"rules\": {}}",
        "{\"clearance\": true}",
        "[{\"a\": \"x\", \"allow\": \"%\"}]",
        "[{\"a\": \"x\", \"allow\": \"-1%\"}]",
        "[{\"a\": \"x\", \"allow\": \"nan%\"}]",
        "[{\"a\": \"x\", \"allow\": \"5 x%\"}]",
        "[{\"a\": \"x\", \"allow\": \"5%\", \"overlap\": 1}]",
        "[{\"same\": \"\", \"exclude\": true}]",
        "[{\"same\": true, \"exclude\": true}]",
        "[{\"same_element\": false, \"exclude\": true}]",
        "[{\"same\": \"system\"}]",
    };
    clash_rules r;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_msg(read_rules(&r, texts[i]) == EXIT_USAGE, "%s", texts[i]);
        clash_rules_free(&r);
    }
    ck_assert_int_eq(read_rules(&r, "[{\n\"a\": \"x\""), EXIT_INPUT);
    clash_rules_free(&r);
    ck_assert_int_eq(read_rules(&r, ""), EXIT_INPUT);
    clash_rules_free(&r);
}
END_TEST

SUITE(test_clash_rules)
{
    const TTest *const list[] = {first_match_wins,
                                 sub_assemblies,
                                 strays_are_one_with_their_siblings,
                                 wrapped_root,
                                 two_files,
                                 what_selects_nothing_is_refused,
                                 shared_properties,
                                 pieces_of_an_element,
                                 shares,
                                 sets,
                                 top_level,
                                 hashes,
                                 refusals,
                                 NULL};
    const int fd = mkstemp(path);
    if (fd < 0)
        return 99;
    close(fd);
    const int failed = suite_run("clash_rules", list);
    unlink(path);
    return failed;
}
