/* SPDX-License-Identifier: MIT
 * test_diff_match.c: which nodes of two small trees are the same, and what is said of the others.
 */
#include <stdlib.h>
#include <string.h>
#include "build_case.h"
#include "match/match_files.h"
#include "match/match_nearest.h"
#include "diff/diff_rows.h"
#include "suite.h"
#include "cli/verb.h"

enum { GROUP = -1, MOST = 600, TREE_MOST = 64 };

/* parent: index of an earlier line, or -1; x, turn: moved along x, turned about z by quarters. */
typedef struct line {
    int parent, part;
    const char *name, *id;
    double x;
    int turn;
} line;

/* Part k is a triangle with sides 1 + k; it is called part 0, part 1 ... */
static case_file build(const line *lines, int count)
{
    static const double quarters[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    bvp_builder *builder;
    uint32_t parts[8], nodes[MOST];
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    for (int k = 0; k < 8; k++) {
        const float side = (float)(1 + k);
        const float soup[9] = {0, 0, 0, side, 0, 0, 0, side, 0};
        bvp_mesh mesh = case_mesh(soup, 1);
        char name[] = "part 0";
        name[5] = (char)('0' + k);
        mesh.name = name;
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &parts[k], NULL), BVP_OK);
    }
    for (int i = 0; i < count; i++) {
        const line *l = &lines[i];
        const double *q = quarters[l->turn & 3];
        const double placement[12] = {q[0], -q[1], 0, l->x, q[1], q[0], 0, 0, 0, 0, 1, 0};
        ck_assert_int_eq(bvp_builder_add_node(
                             builder,
                             &(bvp_new_node){.parent = l->parent < 0 ? BVP_NONE : nodes[l->parent],
                                             .name = l->name,
                                             .source_id = l->id,
                                             .placement = placement,
                                             .part = l->part == GROUP ? BVP_NONE : parts[l->part]},
                             &nodes[i], NULL),
                         BVP_OK);
    }
    return case_finish(builder);
}

typedef struct comparison {
    case_file files[2];
    match_side a, b;
    diff_rows rows;
} comparison;

static void compare(comparison *c, const line *a, int count_a, const line *b, int count_b, int all)
{
    memset(c, 0, sizeof *c);
    c->files[0] = build(a, count_a);
    c->files[1] = build(b, count_b);
    ck_assert_int_eq(match_side_open(&c->a, "a", c->files[0].file, 1), 0);
    ck_assert_int_eq(match_side_open(&c->b, "b", c->files[1].file, 1), 0);
    ck_assert_int_eq(match_files(&c->a, &c->b), 0);
    ck_assert_int_eq(diff_rows_of_nodes(&c->rows, &c->a, &c->b, 1e-9, all), 0);
}

static void done(comparison *c)
{
    diff_rows_free(&c->rows);
    match_side_close(&c->a);
    match_side_close(&c->b);
    case_close(&c->files[0]);
    case_close(&c->files[1]);
}

#define COMPARE(c, a, b) compare(c, a, sizeof a / sizeof *a, b, sizeof b / sizeof *b, 0)

/* Row `idx` is of this change, of so many instances, at the node of this name in the file that has
 * it. */
static void expect(const comparison *c, size_t idx, diff_change change, const char *name,
                   uint32_t instances)
{
    ck_assert_uint_gt(c->rows.count, idx);
    const diff_row *row = &c->rows.items[idx];
    const bvp_string label = row->a != BVP_NONE ? instance_tree_label(&c->a.tree, row->a)
                                                : instance_tree_label(&c->b.tree, row->b);
    ck_assert_int_eq(row->change, change);
    ck_assert_uint_eq(label.size, strlen(name));
    ck_assert_mem_eq(label.data, name, label.size);
    ck_assert_uint_eq(row->instance_count, instances);
}

START_TEST(nothing)
{
    static const line a[] = {
        {-1, GROUP, "r", NULL, 0, 0}, {0, 0, "x", NULL, 1, 0}, {0, 1, "y", NULL, 2, 1}};
    comparison c;
    COMPARE(&c, a, a);
    ck_assert_uint_eq(c.rows.count, 0);
    ck_assert_uint_eq(c.rows.same_count, 2);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(c.a.nodes[i].partner, i);
    done(&c);
}
END_TEST

/* Of three bolts the middle one goes: the others stay what they are. */
START_TEST(equal_names)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0},
                             {0, 0, "bolt", NULL, 1, 0},
                             {0, 0, "bolt", NULL, 2, 0},
                             {0, 0, "bolt", NULL, 3, 0}};
    static const line b[] = {
        {-1, GROUP, "another", NULL, 0, 0}, {0, 0, "bolt", NULL, 3, 0}, {0, 0, "bolt", NULL, 1, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 1);
    expect(&c, 0, DIFF_REMOVED, "bolt", 1);
    ck_assert_uint_eq(c.rows.items[0].a, 2);
    ck_assert_uint_eq(c.a.nodes[1].partner, 2);
    ck_assert_uint_eq(c.a.nodes[3].partner, 1);
    done(&c);
}
END_TEST

/* Of those that are not where they were, the nearest are the same. */
START_TEST(nearest)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0},
                             {0, 0, "bolt", NULL, 1, 0},
                             {0, 0, "bolt", NULL, 5, 0},
                             {0, 0, "bolt", NULL, 9, 0}};
    static const line b[] = {
        {-1, GROUP, "r", NULL, 0, 0}, {0, 0, "bolt", NULL, 9.5, 0}, {0, 0, "bolt", NULL, 5.25, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 3);
    ck_assert_uint_eq(c.rows.items[0].a, 1);
    ck_assert_double_eq(c.rows.items[1].distance, 0.25);
    ck_assert_double_eq(c.rows.items[2].distance, 0.5);
    done(&c);
}
END_TEST

/* Too many to look at each pair of. */
START_TEST(many)
{
    enum { COUNT = 2 * MATCH_NEAREST_MAX };
    line *lines = calloc(2 * (COUNT + 1), sizeof *lines), *other = lines + COUNT + 1;
    for (int i = 0; i < COUNT + 1; i++) {
        lines[i] = i == 0 ? (line){-1, GROUP, "r", NULL, 0, 0} : (line){0, 0, "x", NULL, 2 * i, 0};
        other[i] = lines[i];
        other[i].x += i > 0;
    }
    comparison c;
    compare(&c, lines, COUNT + 1, other, COUNT + 1, 0);
    ck_assert_uint_eq(c.rows.counts[DIFF_MOVED], COUNT);
    for (size_t i = 0; i < c.rows.count; i++)
        ck_assert_double_eq(c.rows.items[i].distance, 1);
    done(&c);
    free(lines);
}
END_TEST

/* A sub-assembly whose content no other has is the same whatever its name and place, and whatever
 * ids an export gives: in its old parent (0) or in another one (1). */
START_TEST(renamed_and_moved)
{
    enum { BELOW = 137 };
    line *a = calloc(2 * (BELOW + 5), sizeof *a), *b = a + BELOW + 5;
    for (int i = 0; i < BELOW + 5; i++) {
        a[i] = i < 3    ? (line){i - 1 > 0 ? 0 : i - 1, GROUP, i ? "hall" : "r", NULL, 100.0 * i, 0}
               : i == 3 ? (line){1, GROUP, "skid", "id-1", 3, 0}
               : i == 4 ? (line){2, 1, "crane", NULL, 7, 0}
                        : (line){3, 0, "bolt", NULL, 2 * i, i % 3};
        b[i] = a[i];
    }
    b[3].name = "pump group";
    b[3].id = "id-2";
    b[3].x = 33;
    for (int parent = 1; parent <= 2; parent++) {
        b[3].parent = parent;
        comparison c;
        compare(&c, a, BELOW + 5, b, BELOW + 5, 0);
        ck_assert_uint_eq(c.rows.count, 2);
        expect(&c, 0, DIFF_MOVED, "skid", BELOW);
        expect(&c, 1, DIFF_RENAMED, "skid", BELOW);
        ck_assert_double_eq_tol(c.rows.items[0].distance, 100 * (parent - 1) + 30, 1e-9);
        ck_assert_uint_eq(c.rows.same_count, 1);
        done(&c);
    }
    free(a);
}
END_TEST

/* Two sub-assemblies of one name at one place, in another order, each with a bolt less: what they
 * still hold tells which is which. */
START_TEST(known_by_content)
{
    static const line a[] = {
        {-1, GROUP, "r", NULL, 0, 0}, {0, GROUP, "set", NULL, 0, 0}, {1, 0, "bolt", NULL, 1, 0},
        {1, 0, "bolt", NULL, 2, 0},   {1, 0, "bolt", NULL, 3, 0},    {0, GROUP, "set", NULL, 0, 0},
        {5, 0, "bolt", NULL, 11, 0},  {5, 0, "bolt", NULL, 12, 0},   {5, 0, "bolt", NULL, 13, 0}};
    static const line b[] = {{-1, GROUP, "r", NULL, 0, 0},  {0, GROUP, "set", NULL, 0, 0},
                             {1, 0, "bolt", NULL, 13, 0},   {1, 0, "bolt", NULL, 11, 0},
                             {0, GROUP, "set", NULL, 0, 0}, {4, 0, "bolt", NULL, 2, 0},
                             {4, 0, "bolt", NULL, 3, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.a.nodes[1].partner, 4);
    ck_assert_uint_eq(c.a.nodes[5].partner, 1);
    ck_assert_uint_eq(c.rows.counts[DIFF_REMOVED], 2);
    ck_assert_uint_eq(c.rows.counts[DIFF_MOVED], 0);
    ck_assert_uint_eq(c.rows.same_count, 4);
    done(&c);
}
END_TEST

START_TEST(moved_with_all_below)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0},
                             {0, GROUP, "skid", NULL, 0, 0},
                             {1, 0, "x", NULL, 1, 0},
                             {1, 0, "y", NULL, 2, 0}};
    static const line b[] = {{-1, GROUP, "r", NULL, 0, 0},
                             {0, GROUP, "skid", NULL, 5, 0},
                             {1, 0, "x", NULL, 1, 0},
                             {1, 0, "y", NULL, 2.5, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 2);
    expect(&c, 0, DIFF_MOVED, "skid", 1);
    ck_assert_double_eq(c.rows.items[0].distance, 5);
    expect(&c, 1, DIFF_MOVED, "y", 1);
    ck_assert_double_eq(c.rows.items[1].distance, 5.5);
    ck_assert_double_eq(c.rows.items[1].translation[0], 5.5);
    ck_assert_uint_eq(c.rows.counts[DIFF_MOVED], 2);
    done(&c);
    compare(&c, a, 4, b, 4, 1);
    expect(&c, 0, DIFF_MOVED, "x", 1);
    expect(&c, 1, DIFF_MOVED, "y", 1);
    done(&c);
}
END_TEST

/* The parent goes one way, the child the other. */
START_TEST(moved_and_compensated)
{
    static const line a[] = {
        {-1, GROUP, "r", NULL, 0, 0}, {0, GROUP, "skid", NULL, 0.1, 0}, {1, 0, "x", NULL, 0.7, 0}};
    static const line b[] = {
        {-1, GROUP, "r", NULL, 0, 0}, {0, GROUP, "skid", NULL, 0.3, 0}, {1, 0, "x", NULL, 0.5, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 0);
    ck_assert_uint_eq(c.rows.same_count, 1);
    done(&c);
}
END_TEST

/* A quarter turn about the right angle of a triangle with sides 1 takes (1, 1) of its box to
 * (-1, 1), and no corner farther. */
START_TEST(turned)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "x", NULL, 1, 0}};
    static const line b[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "x", NULL, 1, 1}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 1);
    expect(&c, 0, DIFF_MOVED, "x", 1);
    ck_assert_double_eq(c.rows.items[0].distance, 2);
    ck_assert_double_eq(c.rows.items[0].translation[0], -1);
    ck_assert_double_eq(c.rows.items[0].translation[1], 0);
    done(&c);
}
END_TEST

/* Another part at the same path; the part itself is in both files. */
START_TEST(changed_and_moved)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "x", NULL, 1, 0}};
    static const line b[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 3, "x", NULL, 2, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 2);
    expect(&c, 0, DIFF_CHANGED, "x", 1);
    expect(&c, 1, DIFF_MOVED, "x", 1);
    ck_assert_uint_eq(c.rows.same_count, 0);
    done(&c);
}
END_TEST

/* By the place and what is below; by the id, wherever it goes and whatever else has the name. */
START_TEST(renamed)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0},     {0, GROUP, "old", NULL, 0, 0},
                             {1, 0, "x", NULL, 1, 0},          {1, 1, "y", NULL, 2, 0},
                             {0, 2, "valve", "id-7", 9, 0},    {0, GROUP, "shed", NULL, 0, 0},
                             {5, 4, "reparented", NULL, 3, 0}, {5, 5, "z", NULL, 4, 0}};
    static const line b[] = {{-1, GROUP, "r", NULL, 0, 0},     {0, GROUP, "new", NULL, 0, 0},
                             {1, 0, "x", NULL, 1, 0},          {1, 1, "y", NULL, 2, 0},
                             {0, 2, "tap", "id-7", 11, 0},     {0, GROUP, "shed", NULL, 0, 0},
                             {0, 4, "reparented", NULL, 3, 0}, {5, 5, "z", NULL, 4, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 4);
    expect(&c, 0, DIFF_MOVED, "valve", 1);
    expect(&c, 1, DIFF_RENAMED, "old", 2);
    expect(&c, 2, DIFF_RENAMED, "valve", 1);
    expect(&c, 3, DIFF_RENAMED, "reparented", 1);
    ck_assert_uint_eq(c.rows.same_count, 1);
    done(&c);
}
END_TEST

/* The same name at another place with another id is another thing. */
START_TEST(ids_tell_apart)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "bolt", "1", 1, 0}};
    static const line b[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "bolt", "2", 5, 0}};
    static const line stays[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "bolt", "2", 1, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 2);
    expect(&c, 0, DIFF_REMOVED, "bolt", 1);
    expect(&c, 1, DIFF_ADDED, "bolt", 1);
    done(&c);
    COMPARE(&c, a, stays);
    ck_assert_uint_eq(c.rows.count, 0);
    done(&c);
}
END_TEST

START_TEST(whole_sub_assemblies)
{
    static const line a[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "x", NULL, 1, 0}};
    static const line b[] = {{-1, GROUP, "r", NULL, 0, 0},   {0, 0, "x", NULL, 1, 0},
                             {0, GROUP, "skid", NULL, 0, 0}, {2, GROUP, "rack", NULL, 0, 0},
                             {3, 1, "y", NULL, 1, 0},        {2, 2, "z", NULL, 2, 0},
                             {0, GROUP, "empty", NULL, 0, 0}};
    comparison c;
    COMPARE(&c, a, b);
    ck_assert_uint_eq(c.rows.count, 1);
    expect(&c, 0, DIFF_ADDED, "skid", 2);
    done(&c);
    COMPARE(&c, b, a);
    ck_assert_uint_eq(c.rows.count, 1);
    expect(&c, 0, DIFF_REMOVED, "skid", 2);
    done(&c);
}
END_TEST

static const line root = {-1, GROUP, "r", NULL, 0, 0};

/* Compares what lies below one root. */
static void compare_children(comparison *c, const line *a, int count_a, const line *b, int count_b)
{
    line all_a[TREE_MOST] = {root}, all_b[TREE_MOST] = {root};
    memcpy(all_a + 1, a, (size_t)count_a * sizeof *a);
    memcpy(all_b + 1, b, (size_t)count_b * sizeof *b);
    compare(c, all_a, count_a + 1, all_b, count_b + 1, 0);
}

/* How many rows of each change, "removed added changed moved renamed". */
static void expect_counts(const line *a, int count_a, const line *b, int count_b,
                          const uint64_t counts[5])
{
    comparison c;
    compare_children(&c, a, count_a, b, count_b);
    for (int change = 0; change < 5; change++)
        ck_assert_msg(c.rows.counts[change] == counts[change], "%s %d, not %d, the first: %s",
                      diff_change_name((diff_change)change), (int)c.rows.counts[change],
                      (int)counts[change], a[0].name);
    done(&c);
}

#define COUNTS(a, b, ...)                                                                          \
    expect_counts(a, sizeof a / sizeof *a, b, sizeof b / sizeof *b, (const uint64_t[]){__VA_ARGS__})

/* Two at one place: each keeps its id. */
START_TEST(ids_of_duplicates)
{
    static const line a[] = {{0, 0, "bolt", "1", 1, 0}, {0, 0, "bolt", "2", 1, 0}};
    static const line b[] = {{0, 0, "bolt", "2", 1, 0}, {0, 0, "bolt", "1", 1, 0}};
    comparison c;
    compare_children(&c, a, 2, b, 2);
    ck_assert_uint_eq(c.a.nodes[1].partner, 2);
    ck_assert_uint_eq(c.rows.count, 0);
    done(&c);
}
END_TEST

/* Each turn of the matching alone tells some of these apart. */
START_TEST(turns_among_siblings)
{
    /* numbered anew */
    static const line a1[] = {{0, 0, "bolt", "1", 1, 0}, {0, 0, "bolt", "2", 2, 0}};
    static const line b1[] = {{0, 0, "bolt", "1", 2, 0}, {0, 0, "bolt", "3", 1, 0}};
    COUNTS(a1, b1, 0, 0, 0, 0, 0);
    /* other parts at the same places */
    static const line a2[] = {{0, 0, "bolt", NULL, 1, 0}, {0, 1, "bolt", NULL, 2, 0}};
    static const line b2[] = {{0, 2, "bolt", NULL, 2, 0}, {0, 3, "bolt", NULL, 1, 0}};
    COUNTS(a2, b2, 0, 0, 2, 0, 0);
    /* the same parts at other places */
    static const line b3[] = {{0, 1, "bolt", NULL, 3, 0}, {0, 0, "bolt", NULL, 4, 0}};
    COUNTS(a2, b3, 0, 0, 0, 2, 0);
    /* the name and the place, not the id */
    static const line a4[] = {{0, 0, "bolt", "1", 1, 0}};
    static const line b4[] = {{0, 1, "bolt", "2", 1, 0}};
    COUNTS(a4, b4, 0, 0, 1, 0, 0);
    /* a name that others have, too, is not moved while another part like it stands there */
    static const line a8[] = {{0, 0, "bolt", NULL, 1, 0}, {0, 0, "bolt", NULL, 2, 0}};
    static const line b8[] = {{0, 0, "bolt", NULL, 2.1, 0}, {0, 0, "new", NULL, 2, 0}};
    COUNTS(a8, b8, 0, 0, 0, 1, 1);
    static const line a9[] = {{0, 0, "pump", NULL, 1, 0}};
    static const line b9[] = {{0, 0, "pump", NULL, 2, 0}, {0, 0, "new", NULL, 1, 0}};
    COUNTS(a9, b9, 0, 1, 0, 1, 0);
    static const line b10[] = {
        {0, 0, "bolt", NULL, 1, 0}, {0, 0, "bolt", NULL, 9, 0}, {0, 0, "new", NULL, 2, 0}};
    COUNTS(a8, b10, 0, 1, 0, 0, 1);
    /* two parts that change places; that move; that are no more what they were */
    static const line b11[] = {{0, 1, "bolt", NULL, 1, 0}, {0, 0, "bolt", NULL, 2, 0}};
    static const line b12[] = {{0, 1, "bolt", NULL, 0.9, 0}, {0, 0, "bolt", NULL, 2.1, 0}};
    static const line b13[] = {{0, 0, "bolt", NULL, 1, 0}, {0, 2, "bolt", NULL, 3, 0}};
    COUNTS(a2, b11, 0, 0, 2, 0, 0);
    COUNTS(a2, b12, 0, 0, 0, 2, 0);
    COUNTS(a2, b13, 0, 0, 1, 1, 0);
    /* the id alone, and not one that others have, too */
    static const line b5[] = {{0, 1, "screw", "1", 2, 0}};
    static const line a6[] = {{0, 0, "a", "1", 1, 0}, {0, 1, "b", "1", 2, 0}};
    static const line b6[] = {{0, 2, "c", "1", 5, 0}, {0, 3, "d", "1", 6, 0}};
    COUNTS(a4, b5, 0, 0, 1, 1, 1);
    COUNTS(a6, b6, 2, 2, 0, 0, 0);
    /* the place in a parent that moves, which may be -0 */
    static const line a7[] = {{0, GROUP, "skid", NULL, 1, 0}, {1, 0, "old", NULL, 0, 0}};
    static const line b7[] = {{0, GROUP, "skid", NULL, 2, 0}, {1, 0, "new", NULL, -0.0, 0}};
    COUNTS(a7, b7, 0, 0, 0, 1, 1);
}
END_TEST

START_TEST(turns_anywhere)
{
    static const line a[] = {{0, GROUP, "one", NULL, 0, 0},   {0, GROUP, "other", NULL, 0, 0},
                             {1, 0, "x", "9", 1, 0},          {1, 1, "y", "8", 2, 0},
                             {1, GROUP, "e", NULL, 0, 0},     {2, 2, "stays", NULL, 0, 0},
                             {1, 3, "stays, too", NULL, 0, 0}};
    static const line b[] = {{0, GROUP, "one", NULL, 0, 0},   {0, GROUP, "other", NULL, 0, 0},
                             {2, 4, "x", "9", 3, 0},          {2, 1, "z", "8", 4, 0},
                             {2, GROUP, "e", NULL, 0, 0},     {2, 2, "stays", NULL, 0, 0},
                             {1, 3, "stays, too", NULL, 0, 0}};
    comparison c;
    COUNTS(a, b, 0, 0, 1, 2, 2);
    compare_children(&c, a, 7, b, 7);
    for (uint32_t i = 0; i < c.a.node_count; i++)
        ck_assert_int_eq(c.a.nodes[i].partner == BVP_NONE, c.a.nodes[i].instance_count == 0);
    done(&c);
}
END_TEST

/* The farthest of those that go along. */
START_TEST(farthest)
{
    static const line a[] = {{0, GROUP, "skid", NULL, 0, 0},
                             {1, 0, "near", NULL, 1, 0},
                             {1, 0, "far", NULL, 9, 0},
                             {1, 0, "between", NULL, 5, 0}};
    line b[4];
    comparison c;
    memcpy(b, a, sizeof a);
    b[0].turn = 2;
    compare_children(&c, a, 4, b, 4);
    ck_assert_uint_eq(c.rows.count, 1);
    expect(&c, 0, DIFF_MOVED, "skid", 3);
    ck_assert_double_eq_tol(c.rows.items[0].distance, 2 * 10.04987562112089, 1e-9);
    ck_assert_double_eq(c.rows.items[0].translation[0], -19);
    done(&c);
}
END_TEST

/* Trees with few names, ids and places, so that there is much to take for something else. */
static int random_tree(uint64_t *state, line out[TREE_MOST])
{
    static const char *const names[] = {"a", "b", "c"}, *const ids[] = {NULL, NULL, "1", "2", "3"};
    const int count = 2 + (int)(case_random(state) % (TREE_MOST - 2));
    for (int i = 0; i < count; i++)
        out[i] = (line){i == 0 ? -1 : (int)(case_random(state) % (uint64_t)i) / 2,
                        (int)(case_random(state) % 5) - 1,
                        names[case_random(state) % 3],
                        ids[case_random(state) % 5],
                        (double)(case_random(state) % 3),
                        (int)(case_random(state) % 2)};
    return count;
}

/* Nobody has two partners, the other way round the same ones are found, every instance is told of
 * once, and the row that has it is the right one. */
START_TEST(random_trees)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 60; round++) {
        line a[TREE_MOST], b[TREE_MOST];
        const int count_a = random_tree(&state, a), count_b = random_tree(&state, b);
        comparison c, back;
        compare(&c, a, count_a, b, count_b, 1);
        compare(&back, b, count_b, a, count_a, 1);
        uint64_t gone = 0, come = 0;
        for (uint32_t i = 0; i < c.a.node_count; i++) {
            const uint32_t partner = c.a.nodes[i].partner;
            ck_assert_uint_eq(partner, back.b.nodes[i].partner);
            if (partner != BVP_NONE)
                ck_assert_uint_eq(c.b.nodes[partner].partner, i);
            gone += c.a.nodes[i].part != BVP_NONE &&
                    (partner == BVP_NONE || c.b.nodes[partner].part == BVP_NONE);
        }
        for (uint32_t i = 0; i < c.b.node_count; i++)
            come +=
                c.b.nodes[i].part != BVP_NONE && (c.b.nodes[i].partner == BVP_NONE ||
                                                  c.a.nodes[c.b.nodes[i].partner].part == BVP_NONE);
        ck_assert_uint_eq(c.rows.counts[DIFF_REMOVED], gone);
        ck_assert_uint_eq(c.rows.counts[DIFF_ADDED], come);
        for (int change = DIFF_CHANGED; change <= DIFF_RENAMED; change++)
            ck_assert_uint_eq(c.rows.counts[change], back.rows.counts[change]);
        ck_assert_uint_eq(c.rows.same_count, back.rows.same_count);
        done(&c);
        done(&back);
    }
}
END_TEST

/* Siblings in another order are no difference, however many names, ids and places are equal. */
START_TEST(shuffled)
{
    uint64_t state = case_seed();
    for (int round = 0; round < 60; round++) {
        line a[TREE_MOST] = {{-1, GROUP, "r", NULL, 0, 0}}, b[TREE_MOST];
        const int groups = 4, count = 40;
        for (int i = 1; i < count; i++)
            a[i] = (line){i <= groups ? 0 : 1 + i % groups,
                          i <= groups ? GROUP : (int)(case_random(&state) % 3),
                          case_random(&state) % 2 ? "x" : "y",
                          NULL,
                          (double)(case_random(&state) % 4),
                          0};
        memcpy(b, a, sizeof a);
        for (int i = count - 1; i > groups + 1; i--) {
            const int k = groups + 1 + (int)(case_random(&state) % (uint64_t)(i - groups));
            const line swapped = b[i];
            b[i] = b[k];
            b[k] = swapped;
        }
        comparison c;
        compare(&c, a, count, b, count, 0);
        ck_assert_uint_eq(c.rows.count, 0);
        ck_assert_uint_eq(c.rows.same_count, (uint64_t)(count - 1 - groups));
        done(&c);
    }
}
END_TEST

START_TEST(parts)
{
    static const line all[] = {{-1, GROUP, "r", NULL, 0, 0}, {0, 0, "x", NULL, 1, 0}};
    comparison c;
    COMPARE(&c, all, all);
    /* part 1 gets another mesh, part 2 another name, part 3 goes, part 4 is packed
     * otherwise, part 5 has a number, as if the file had them so */
    memset(c.b.parts[1].content_hash, 1, 16);
    c.b.parts[1].content++;
    c.b.parts[2].name++;
    memset(c.b.parts[3].content_hash, 3, 16);
    c.b.parts[3].content++;
    c.b.parts[3].name++;
    memset(c.b.parts[4].address, 4, 16);
    memset(c.b.parts[5].content_hash, 5, 16);
    c.b.parts[5].content++;
    c.b.parts[5].name++;
    c.a.parts[5].number = c.b.parts[5].number = 7;
    for (uint32_t i = 0; i < c.a.part_count; i++)
        c.a.parts[i].partner = c.b.parts[i].partner = BVP_NONE;
    for (uint32_t i = 0; i < c.a.node_count; i++)
        c.a.nodes[i].partner = c.b.nodes[i].partner = BVP_NONE;
    ck_assert_int_eq(match_files(&c.a, &c.b), 0);
    ck_assert_int_eq(diff_rows_of_parts(&c.rows, &c.a, &c.b), 0);
    static const diff_change changes[] = {DIFF_REMOVED, DIFF_ADDED, DIFF_CHANGED, DIFF_CHANGED,
                                          DIFF_RENAMED};
    static const uint32_t numbers[][2] = {{3, BVP_NONE}, {BVP_NONE, 3}, {1, 1}, {5, 5}, {2, 2}};
    ck_assert_uint_eq(c.rows.count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(c.rows.items[i].change, changes[i]);
        ck_assert_uint_eq(c.rows.items[i].a, numbers[i][0]);
        ck_assert_uint_eq(c.rows.items[i].b, numbers[i][1]);
    }
    ck_assert_uint_eq(c.rows.same_count, 4 + 1);
    ck_assert_uint_eq(c.rows.repacked_count, 1);
    done(&c);
}
END_TEST

SUITE(test_diff_match)
{
    const TTest *const list[] = {nothing,
                                 equal_names,
                                 nearest,
                                 many,
                                 renamed_and_moved,
                                 known_by_content,
                                 moved_with_all_below,
                                 moved_and_compensated,
                                 turned,
                                 changed_and_moved,
                                 renamed,
                                 ids_tell_apart,
                                 whole_sub_assemblies,
                                 ids_of_duplicates,
                                 turns_among_siblings,
                                 turns_anywhere,
                                 farthest,
                                 random_trees,
                                 shuffled,
                                 parts,
                                 NULL};
    return suite_run("diff_match", list);
}
