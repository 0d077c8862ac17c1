/* SPDX-License-Identifier: MIT
 * test_damage.c: one flipped byte anywhere, or the end cut off: verification says so, and every
 * call on such a file comes back without leaving the map, which ends at an unmapped page.
 * BVP_FLIPS, BVP_CUTS: how many of each; BVP_SEED.
 */
#include "bvpack_build.h"
#include "exercise.h"
#include "guarded.h"
#include "repair.h"
#include "suite.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RING = 24, TUBE = 12 };

static uint64_t state;

/* splitmix64 */
static uint64_t next_random(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static bvp_mesh torus(float positions[RING * TUBE][3], uint32_t indices[2 * RING * TUBE][3])
{
    for (uint32_t i = 0; i < RING * TUBE; i++) {
        double a = 2 * M_PI * (i / TUBE) / RING, b = 2 * M_PI * (i % TUBE) / TUBE;
        uint32_t along = (i / TUBE + 1) % RING * TUBE + i % TUBE;
        uint32_t around = i / TUBE * TUBE + (i + 1) % TUBE;
        uint32_t both = (i / TUBE + 1) % RING * TUBE + (i + 1) % TUBE;
        positions[i][0] = (float)((3 + cos(b)) * cos(a));
        positions[i][1] = (float)((3 + cos(b)) * sin(a));
        positions[i][2] = (float)sin(b);
        memcpy(indices[2 * i], (uint32_t[]){i, along, both}, 12);
        memcpy(indices[2 * i + 1], (uint32_t[]){i, both, around}, 12);
    }
    return (bvp_mesh){.positions = positions,
                      .vertex_count = RING * TUBE,
                      .indices = &indices[0][0],
                      .triangle_count = 2 * RING * TUBE,
                      .name = "torus"};
}

/* A chain of three tori with names and properties; returns its bytes, to be freed. */
static uint8_t *make_file(size_t *size)
{
    static float positions[RING * TUBE][3];
    static uint32_t indices[2 * RING * TUBE][3];
    bvp_mesh mesh = torus(positions, indices);
    const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE},
                                        {.kind = BVP_KIND_BOXTREE, .leaf_size = 2},
                                        {.kind = BVP_KIND_AABB, .leaf_size = 1},
                                        {.kind = BVP_KIND_OBB, .leaf_size = 8},
                                        {.kind = BVP_KIND_RSS, .leaf_size = 4}};
    bvp_build_options options = {
        .provenance = "{\"made_by\": \"test_damage\"}", .hierarchies = kinds, .hierarchy_count = 5};
    bvp_builder *builder;
    uint32_t part, root, node;
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    ck_assert_int_eq(
        bvp_builder_add_node(
            builder,
            &(bvp_new_node){.parent = BVP_NONE, .name = "chain", .source_id = "", .part = BVP_NONE},
            &root, NULL),
        BVP_OK);
    for (int i = 0; i < 3; i++) {
        const double upright[12] = {1, 0, 0, 4.5 * i, 0, 1, 0, 0, 0, 0, 1, 0};
        const double turned[12] = {1, 0, 0, 4.5 * i, 0, 0, -1, 0, 0, 1, 0, 0};
        ck_assert_int_eq(bvp_builder_add_node(builder,
                                              &(bvp_new_node){.parent = root,
                                                              .name = "link",
                                                              .source_id = "L",
                                                              .placement = i % 2 ? turned : upright,
                                                              .part = part},
                                              &node, NULL),
                         BVP_OK);
        ck_assert_int_eq(bvp_builder_add_property(builder, node, "material", "steel", NULL),
                         BVP_OK);
    }
    ck_assert_int_eq(bvp_builder_finish_fd(builder, fileno(out), NULL, NULL), BVP_OK);
    bvp_builder_free(builder);
    *size = (size_t)lseek(fileno(out), 0, SEEK_END);
    uint8_t *bytes = malloc(*size);
    ck_assert_int_eq(pread(fileno(out), bytes, *size, 0), (ssize_t)*size);
    fclose(out);
    return bytes;
}

/* Every kind of hierarchy and every test of boxes has its turn. */
static void ask(const uint8_t *bytes, size_t size, uint64_t turn)
{
    bvp_file *file;
    const bvp_open_options options = {.baseline_simd = (int)(turn % 2),
                                      .kind = (bvp_kind)(turn % (BVP_KIND_RSS + 1)),
                                      .box_test =
                                          (bvp_box_test)(turn % (BVP_TEST_FOUR_LOOKUP + 1))};
    if (bvp_open_memory(bytes, size, &options, &file, NULL) != BVP_OK)
        return;
    exercise(file);
    exercise_annotations(file);
    bvp_close(file);
}

static void use(const uint8_t *bytes, size_t size, const char *what, uint64_t at)
{
    if (bvp_verify(bytes, size, NULL, NULL, NULL) == BVP_OK)
        ck_abort_msg("%s at %" PRIu64 ": verification finds nothing", what, at);
    for (uint64_t turn = 0; turn < 2; turn++)
        ask(bytes, size, at + 7 * turn);
}

START_TEST(intact)
{
    size_t size;
    uint8_t *bytes = make_file(&size);
    guarded g = new_guarded(size);
    memcpy(g.end - size, bytes, size);
    ck_assert_int_eq(bvp_verify(g.end - size, size, NULL, NULL, NULL), BVP_OK);
    for (uint64_t turn = 0; turn < 30; turn++)
        ask(g.end - size, size, turn);
    free_guarded(&g);
    free(bytes);
}
END_TEST

START_TEST(flipped_bytes)
{
    size_t size;
    uint8_t *bytes = make_file(&size);
    guarded g = new_guarded(size);
    uint8_t *copy = g.end - size;
    for (uint64_t i = number_from("BVP_FLIPS", 300); i > 0; i--) {
        size_t at = next_random() % size;
        uint8_t flip = (uint8_t)(1 + next_random() % 255);
        memcpy(copy, bytes, size);
        copy[at] ^= flip;
        use(copy, size, "a flipped byte", at);
    }
    free_guarded(&g);
    free(bytes);
}
END_TEST

/* The same with hashes that fit the damage: now only the structure can tell, and it need not. */
START_TEST(flipped_and_sealed)
{
    size_t size;
    uint8_t *bytes = make_file(&size);
    guarded g = new_guarded(size);
    uint8_t *copy = g.end - size;
    for (uint64_t i = number_from("BVP_FLIPS", 300); i > 0; i--) {
        memcpy(copy, bytes, size);
        for (uint64_t flips = 1 + next_random() % 3; flips > 0; flips--)
            copy[next_random() % size] ^= (uint8_t)(1 + next_random() % 255);
        repair_file(copy, size);
        bvp_verify(copy, size, NULL, NULL, NULL);
        ask(copy, size, i);
    }
    free_guarded(&g);
    free(bytes);
}
END_TEST

START_TEST(cut_off)
{
    size_t size;
    uint8_t *bytes = make_file(&size);
    guarded g = new_guarded(size);
    for (uint64_t i = number_from("BVP_CUTS", 100); i > 0; i--) {
        size_t left = next_random() % size;
        uint8_t *copy = g.end - (left + 63) / 64 * 64; /* bvp_open_memory wants it aligned */
        memcpy(copy, bytes, left);
        use(copy, left, "a cut", left);
    }
    free_guarded(&g);
    free(bytes);
}
END_TEST

SUITE(test_damage)
{
    state = number_from("BVP_SEED", 1);
    printf("BVP_SEED=%" PRIu64 "\n", state);
    fflush(stdout);
    const TTest *const list[] = {intact, flipped_bytes, flipped_and_sealed, cut_off, NULL};
    return suite_run_within("damage", 0, list);
}
