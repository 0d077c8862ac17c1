/* SPDX-License-Identifier: MIT
 * test_refit.c: after a refit every box is exact, the file is as it was, nobody else sees it, and
 * only pages that hold moved vertices or boxes are private; what cannot be refitted is refused.
 */
#include "format/lazy.h"
#include "node/aabb_node.h"
#include "node/frame.h"
#include "refit_case.h"
#include "suite.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- boxes ---------------------------------------------------------------------------------- */

typedef struct boxes {
    const bvp_file *file;
    bvpi_part part;
    bvpi_binary tree;
    uint32_t triangle_count;
} boxes;

static void include(bvpi_aabb *box, const float lo[3], const float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = fminf(box->lo[axis], lo[axis]);
        box->hi[axis] = fmaxf(box->hi[axis], hi[axis]);
    }
}

static bvpi_aabb leaf_box(boxes *b, const bvpi_binary_node *leaf)
{
    bvpi_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    bvpi_cluster cluster;
    const uint64_t offset = (uint64_t)(leaf->first >> 8) << b->part.cluster_shift;
    ck_assert(
        bvpi_cluster_open(b->part.blob, b->part.blob_size, b->part.outside, offset, &cluster));
    for (uint32_t i = 0; i < leaf->count; i++) {
        float at[9];
        bvpi_cluster_triangle(&cluster, (leaf->first & 255) + i, at);
        for (int k = 0; k < 9; k += 3)
            include(&box, at + k, at + k);
    }
    b->triangle_count += leaf->count;
    return box;
}

/* The box of what the node holds, which must be its payload; all bits: no -0. */
static bvpi_aabb check_node(boxes *b, const bvpi_binary_node *node, const uint8_t *payload)
{
    bvpi_aabb box, stored;
    if (bvpi_binary_is_leaf(&b->tree, node)) {
        box = leaf_box(b, node);
    } else {
        bvpi_binary_node child[2];
        const uint8_t *below[2];
        ck_assert(bvpi_binary_children(&b->tree, node, child, below));
        box = check_node(b, &child[0], below[0]);
        const bvpi_aabb other = check_node(b, &child[1], below[1]);
        include(&box, other.lo, other.hi);
    }
    memcpy(&stored, payload, sizeof stored);
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] += 0.0f;
        box.hi[axis] += 0.0f;
    }
    ck_assert_mem_eq(&box, &stored, sizeof box);
    return box;
}

static void check_boxes(const bvp_file *file, uint32_t part)
{
    boxes b = {.file = file};
    bvpi_binary_node root;
    const uint8_t *payload;
    ck_assert_int_eq(bvpi_get_part(file, part, &b.part), BVP_OK);
    ck_assert_int_eq(bvpi_get_part_binary(file, part, BVPD_KIND_AABB, &b.tree), BVP_OK);
    ck_assert(bvpi_binary_root(&b.tree, &root, &payload));
    const bvpi_aabb box = check_node(&b, &root, payload);
    ck_assert_uint_eq(b.triangle_count, b.part.triangle_count);
    ck_assert_mem_eq(box.lo, b.part.lo, sizeof box.lo);
    ck_assert_mem_eq(box.hi, b.part.hi, sizeof box.hi);
    for (int axis = 0; axis < 3; axis++) {
        const double end = b.tree.grid_origin[axis] + b.tree.grid_unit * b.tree.grid_extent[axis];
        ck_assert(b.tree.grid_origin[axis] <= box.lo[axis] && end >= box.hi[axis]);
    }
}

static int show(void *user, const bvp_finding *finding)
{
    (void)user;
    printf("%s: %s\n", finding->rule, finding->message);
    return 0;
}

/* Saves what the handle shows and verifies the file that comes out, every rule of it. */
static int save(const bvp_file *file)
{
    char path[] = "saved-XXXXXX";
    bvp_error error = {0};
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    unlink(path);
    ck_assert_msg(bvp_save_fd(file, NULL, fd, &error) == BVP_OK, "%s", error.message);
    bvp_file *saved = refit_open(fd, NULL);
    ck_assert_int_eq(bvp_verify_file(saved, show, NULL, &error), BVP_OK);
    bvp_close(saved);
    return fd;
}

START_TEST(every_box_is_exact)
{
    case_seed(1);
    refit_scene s = refit_scene_make(24, 9);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    check_boxes(file, 0);
    for (int kind = 0; kind < BEND_COUNT; kind++)
        for (int part = 0; part < 2; part++) {
            refit_bend(file, original, (uint32_t)part, kind, 1.5);
            check_boxes(file, 0);
            check_boxes(file, 1);
            close(save(file));
        }
    bvp_close(file);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* Every rule of the format holds, whatever the form and the deformation: corners are in every box
 * above them, as each kind asks. */
START_TEST(every_form_is_sound)
{
    const refit_form *form = &refit_forms[_i];
    case_seed((uint64_t)_i + 100);
    refit_scene s = refit_scene_make(24, 4);
    s.meshes[s.mesh_count++] = mesh_soup(700);
    s.parts[3] = 2;
    const int fd = refit_pack_form(&s, form, 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    for (int kind = 0; kind < BEND_COUNT; kind++)
        for (uint32_t part = 0; part < s.mesh_count; part++) {
            refit_bend(file, original, part, kind, 1.5);
            close(save(file));
        }
    bvp_close(file);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* A grid that is turned stays so, and is the finest one that holds the new shape. */
START_TEST(turned_grids_stay_turned)
{
    static const bvp_hierarchy_spec wide = {.kind = BVP_KIND_WIDE};
    const refit_form form = {"turned", {wide}, 1, 0};
    case_seed(14);
    refit_scene s = {.meshes = {mesh_strips(300)}, .mesh_count = 1, .node_count = 1};
    case_identity(s.placements[0]);
    const int fd = refit_pack_form(&s, &form, 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    bvpi_tree before, after;
    ck_assert_int_eq(bvpi_get_part_tree(original, 0, &before), BVP_OK);
    ck_assert(before.is_turned);
    for (int kind = 0; kind < BEND_COUNT; kind++) {
        refit_bend(file, original, 0, kind, 0.5);
        ck_assert_int_eq(bvpi_get_part_tree(file, 0, &after), BVP_OK);
        ck_assert_mem_eq(before.turn, after.turn, sizeof before.turn);
        uint32_t most = 0;
        for (int axis = 0; axis < 3; axis++)
            most = after.grid_extent[axis] > most ? after.grid_extent[axis] : most;
        ck_assert(most >= 1u << (BVPD_GRID_BITS - 2) || kind == POINT);
        close(save(file));
    }
    bvp_close(file);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* The grid, the boxes and the world's bounds are those of packing anew: the tree may be another. */
START_TEST(bounds_are_those_of_packing)
{
    case_seed(2);
    refit_scene s = refit_scene_make(8, 5), bent = s;
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    refit_bend(file, original, 0, BENT, 3);
    bent.meshes[0] = bend_mesh(BENT, 3, s.meshes[0]);
    const int fd_anew = refit_pack(&bent, BVP_KIND_AABB, 1);
    bvp_file *anew = refit_open(fd_anew, NULL);
    bvp_file_info world, world_anew;
    bvp_get_info(file, &world);
    bvp_get_info(anew, &world_anew);
    ck_assert_mem_eq(world.lo, world_anew.lo, sizeof world.lo);
    ck_assert_mem_eq(world.hi, world_anew.hi, sizeof world.hi);
    for (int top = 0; top < 2; top++) {
        bvpi_tree a, b;
        bvpi_binary c, d;
        ck_assert_int_eq(bvpi_get_top_tree(file, 0, &a), BVP_OK);
        ck_assert_int_eq(bvpi_get_top_tree(anew, 0, &b), BVP_OK);
        ck_assert_mem_eq(a.grid_origin, b.grid_origin, sizeof a.grid_origin);
        ck_assert_mem_eq(a.grid_extent, b.grid_extent, sizeof a.grid_extent);
        ck_assert_int_eq(bvpi_get_part_binary(file, 0, BVPD_KIND_AABB, &c), BVP_OK);
        ck_assert_int_eq(bvpi_get_part_binary(anew, 0, BVPD_KIND_AABB, &d), BVP_OK);
        ck_assert_mem_eq(c.grid_origin, d.grid_origin, sizeof c.grid_origin);
        ck_assert_mem_eq(c.grid_extent, d.grid_extent, sizeof c.grid_extent);
    }
    free(bent.meshes[0].tri);
    bvp_close(anew);
    bvp_close(file);
    bvp_close(original);
    close(fd_anew);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* ---- who sees it ---------------------------------------------------------------------------- */

static uint8_t *read_all(int fd, size_t *size)
{
    struct stat info;
    ck_assert_int_eq(fstat(fd, &info), 0);
    *size = (size_t)info.st_size;
    uint8_t *bytes = malloc(*size);
    ck_assert_int_eq(pread(fd, bytes, *size, 0), (ssize_t)*size);
    return bytes;
}

START_TEST(nobody_else_sees_it)
{
    case_seed(3);
    refit_scene s = refit_scene_make(16, 4);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    size_t size;
    uint8_t *before = read_all(fd, &size), *after;
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    bvp_file *other = refit_open_overlay(fd);
    refit_bend(file, original, 0, STRETCHED, 2);
    after = read_all(fd, &size);
    ck_assert_int_eq(memcmp(before, after, size), 0);
    ck_assert_int_eq(memcmp(before, original->base, size), 0);
    ck_assert_int_eq(memcmp(before, other->base, size), 0);
    ck_assert_int_ne(memcmp(before, file->base, size), 0);
    const pid_t child = fork();
    if (child == 0) {
        void *seen = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
        _exit(seen == MAP_FAILED || memcmp(before, seen, size) != 0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    free(before);
    free(after);
    bvp_close(other);
    bvp_close(file);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* Moved and moved back, all bytes are the file's, but for the part's content hash, address and
 * packer. */
START_TEST(back_is_back)
{
    static const bvp_kind kinds[] = {BVP_KIND_AABB, BVP_KIND_WIDE};
    case_seed(4);
    refit_scene s = refit_scene_make(16, 7);
    const int fd = refit_pack(&s, kinds[_i], 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    uint64_t count;
    float *positions = refit_vertices(original, 0, &count);
    refit_bend(file, original, 0, HUGE_BEND, 2);
    ck_assert_int_eq(bvp_refit(file, 0, positions, count, NULL), BVP_OK);
    const uint64_t at = (uint64_t)(file->section[BVPD_PART].data - file->base);
    ck_assert_int_ne(memcmp(file->base + at, original->base + at, 16), 0);
    ck_assert_int_eq(memcmp(file->base, original->base, at), 0);
    const uint64_t from = at + 16, address = at + offsetof(bvpd_part, address), rest = address + 32;
    ck_assert_int_eq(memcmp(file->base + from, original->base + from, address - from), 0);
    ck_assert_int_ne(memcmp(file->base + address, original->base + address, 16), 0);
    ck_assert_int_eq(memcmp(file->base + rest, original->base + rest, file->size - rest), 0);
    ck_assert_mem_eq(file->header.lo, original->header.lo, sizeof file->header.lo);
    free(positions);
    bvp_close(file);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* Moved and moved back, a tree is hardly worse than the one that was built: the volumes are as
 * small as that. */
START_TEST(back_is_as_small)
{
    const refit_form *form = &refit_forms[_i];
    case_seed((uint64_t)_i + 200);
    refit_scene s = refit_scene_make(24, 2);
    const int fd = refit_pack_form(&s, form, 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    uint64_t count;
    float *positions = refit_vertices(original, 0, &count);
    refit_bend(file, original, 0, BENT, 2);
    ck_assert_int_eq(bvp_refit(file, 0, positions, count, NULL), BVP_OK);
    for (uint32_t k = 0; k < form->count; k++) {
        bvp_hierarchy_info before, after;
        ck_assert_int_eq(bvp_get_hierarchy(original, 0, k, &before), BVP_OK);
        ck_assert_int_eq(bvp_get_hierarchy(file, 0, k, &after), BVP_OK);
        ck_assert_double_ge(before.area_cost, 1);
        ck_assert_msg(after.area_cost <= 1.05 * before.area_cost, "%s: %g, was %g", form->name,
                      after.area_cost, before.area_cost);
    }
    free(positions);
    bvp_close(file);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* Bytes of the mapping that begins at `base` that are copies of its own. */
static uint64_t private_bytes(const void *base)
{
    FILE *in = fopen("/proc/self/smaps", "r");
    char line[512];
    int inside = 0;
    uint64_t kilobytes = 0;
    if (!in)
        return UINT64_MAX;
    while (fgets(line, sizeof line, in)) {
        unsigned long long begin, end, number;
        if (sscanf(line, "%llx-%llx ", &begin, &end) == 2)
            inside = begin == (uintptr_t)base;
        else if (inside && sscanf(line, "Anonymous: %llu kB", &number) == 1)
            kilobytes = number;
    }
    fclose(in);
    return kilobytes * 1024;
}

START_TEST(only_touched_pages_are_private)
{
    case_seed(5);
    refit_scene s = {.meshes = {mesh_sphere(120)}, .mesh_count = 1, .node_count = 1};
    case_identity(s.placements[0]);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *file = refit_open_overlay(fd);
    uint64_t count;
    float *positions = refit_vertices(file, 0, &count);
    ck_assert_int_eq(bvp_refit(file, 0, positions, count, NULL), BVP_OK);
    if (private_bytes(file->base) != UINT64_MAX) {
        ck_assert_uint_eq(private_bytes(file->base), 0); /* nothing moved */
        positions[3 * (count / 2)] *= 0.99f;
        ck_assert_int_eq(bvp_refit(file, 0, positions, count, NULL), BVP_OK);
        const uint64_t few = private_bytes(file->base);
        ck_assert(few > 0 && few <= 16 * 4096);
        for (uint64_t i = 0; i < 3 * count; i++)
            positions[i] *= 1.5f;
        ck_assert_int_eq(bvp_refit(file, 0, positions, count, NULL), BVP_OK);
        ck_assert_uint_gt(private_bytes(file->base), 12 * count);
    }
    free(positions);
    bvp_close(file);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* ---- hashes --------------------------------------------------------------------------------- */

START_TEST(lazily_verified)
{
    const bvp_open_options options = {.overlay = 1, .verify_lazily = 1};
    case_seed(6);
    refit_scene s = refit_scene_make(12, 4);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *original = refit_open(fd, NULL), *file = refit_open(fd, &options);
    refit_bend(file, original, 1, NOISY, 1);
    for (uint32_t part = 0; part < 2; part++)
        ck_assert_int_eq(bvpi_touch(file, part), BVP_OK);
    ck_assert_int_eq(bvpi_touch(file, BVP_ASSEMBLY), BVP_OK);
    refit_bend(file, original, 0, NOISY, 1);
    bvp_close(file);
    uint8_t byte = original->section[BVPD_TIDS].data[3] ^ 1;
    ck_assert_int_eq(pwrite(fd, &byte, 1, original->section[BVPD_TIDS].data + 3 - original->base),
                     1);
    file = refit_open(fd, &options);
    uint64_t count;
    float *positions = refit_vertices(original, 0, &count);
    positions[0] += 1;
    ck_assert_int_eq(bvp_refit(file, 0, positions, count, NULL), BVP_ERR_CORRUPT);
    ck_assert_int_eq(memcmp(file->base, original->base, file->size), 0);
    free(positions);
    bvp_close(file);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* A saved file that nobody changed is the file; a refitted one has an identity of its own. */
START_TEST(saved_files)
{
    case_seed(7);
    refit_scene s = refit_scene_make(8, 3);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    size_t size, saved_size;
    bvp_file *original = refit_open(fd, NULL), *file = refit_open_overlay(fd);
    int saved = save(file);
    uint8_t *bytes = read_all(fd, &size), *same = read_all(saved, &saved_size);
    ck_assert_uint_eq(size, saved_size);
    ck_assert_mem_eq(bytes, same, size);
    close(saved);
    refit_bend(file, original, 0, BENT, 1);
    saved = save(file);
    bvp_file *opened = refit_open(saved, NULL);
    bvp_file_info a, b;
    bvp_part_info before, after;
    bvp_get_info(original, &a);
    bvp_get_info(opened, &b);
    ck_assert_mem_ne(a.root_hash, b.root_hash, 16);
    ck_assert_mem_ne(a.source_hash, b.source_hash, 16);
    bvp_get_part(original, 0, &before);
    bvp_get_part(opened, 0, &after);
    ck_assert_mem_ne(before.content_hash, after.content_hash, 16);
    bvp_get_part(original, 1, &before);
    bvp_get_part(opened, 1, &after);
    ck_assert_mem_eq(before.content_hash, after.content_hash, 16);
    free(bytes);
    free(same);
    bvp_close(opened);
    bvp_close(file);
    bvp_close(original);
    close(saved);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

/* Refused with a message that has `word` in it, and nothing has changed. */
static void check_refusal(bvp_file *file, uint32_t part, const float *positions, uint64_t count,
                          const char *word)
{
    bvp_error error = {0};
    uint8_t *before = malloc(file->size);
    memcpy(before, file->base, file->size);
    ck_assert_int_eq(bvp_refit(file, part, positions, count, &error), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_refit(file, part, positions, count, NULL), BVP_ERR_ARGUMENT);
    ck_assert_msg(strstr(error.message, word) != NULL, "%s", error.message);
    ck_assert_int_eq(memcmp(before, file->base, file->size), 0);
    free(before);
}

START_TEST(what_is_refused)
{
    case_seed(8);
    refit_scene s = refit_scene_make(6, 3);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *file = refit_open_overlay(fd), *plain = refit_open(fd, NULL);
    uint64_t count;
    float *positions = refit_vertices(file, 0, &count);
    positions[0] += 1;
    check_refusal(plain, 0, positions, count, "overlay");
    check_refusal(file, 2, positions, count, "does not exist");
    check_refusal(file, BVP_ASSEMBLY, positions, count, "does not exist");
    check_refusal(file, 0, positions, count - 1, "vertices");
    check_refusal(file, 0, NULL, count, "vertices");
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        positions[3 * count - 1] = bad[i];
        check_refusal(file, 0, positions, count, "not finite");
    }
    positions[3 * count - 1] = 0;
    for (uint64_t i = 0; i < 3 * count; i++) {
        char vertex[40];
        const float good = positions[i];
        snprintf(vertex, sizeof vertex, "vertex %d of", (int)(i / 3));
        positions[i] = bad[i % 3];
        check_refusal(file, 0, positions, count, vertex);
        positions[i] = good;
    }
    bvp_close(plain);
    bvp_close(file);
    close(fd);
    free(positions);
    refit_scene_free(&s);
}
END_TEST

START_TEST(what_must_be_packed_otherwise)
{
    static const struct {
        refit_form form;
        int deformable;
        const char *word;
    } cases[] = {
        {{"aabb", {{.kind = BVP_KIND_AABB}}, 1, 0}, 0, "--deformable"},
        {{"wide", {{.kind = BVP_KIND_WIDE}}, 1, 0}, 0, "--deformable"},
        {{"rss", {{.kind = BVP_KIND_RSS}}, 1, 0}, 0, "--deformable"},
        {{"wide, rays", {{.kind = BVP_KIND_WIDE}}, 1, 1}, 1, "without --rays"},
    };
    case_seed(9);
    refit_scene s = refit_scene_make(6, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int fd = refit_pack_form(&s, &cases[i].form, cases[i].deformable);
        bvp_file *file = refit_open_overlay(fd);
        uint64_t count;
        float *positions = refit_vertices(file, 1, &count);
        positions[0] += 1;
        check_refusal(file, 1, positions, count, cases[i].word);
        free(positions);
        bvp_close(file);
        close(fd);
    }
    refit_scene_free(&s);
}
END_TEST

/* ---- failures half way ----------------------------------------------------------------------- */

/* Puts the forged bytes into the file. All vertices of part 0 go to one point, which fails: the
 * handle says so to warm starts. */
static void refit_half_way(int fd, const uint8_t *bytes, size_t size, const char *phrase)
{
    bvp_error error = {0};
    uint64_t count;
    ck_assert_int_eq(pwrite(fd, bytes, size, 0), (ssize_t)size);
    bvp_file *file = refit_open_overlay(fd);
    float *positions = refit_vertices(file, 0, &count);
    for (uint64_t i = 0; i < 3 * count; i++)
        positions[i] = 1;
    const uint64_t shape = file->shape;
    ck_assert(!file->is_refitted);
    ck_assert_int_eq(bvp_refit(file, 0, positions, count, &error), BVP_ERR_CORRUPT);
    ck_assert_msg(strstr(error.message, phrase) != NULL, "%s", error.message);
    ck_assert(memcmp(bytes, file->base, size) != 0); /* something has moved */
    ck_assert(file->is_refitted);
    ck_assert(file->shape != shape);
    free(positions);
    bvp_close(file);
}

/* The second cluster lies in the coordinates of the first, which move over its header. */
START_TEST(a_cluster_that_is_overwritten)
{
    case_seed(12);
    refit_scene s = refit_scene_make(24, 3);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *original = refit_open(fd, NULL);
    size_t size;
    uint8_t *bytes = read_all(fd, &size);
    bvpi_part part;
    bvpi_cluster first, second;
    ck_assert_int_eq(bvpi_get_part(original, 0, &part), BVP_OK);
    ck_assert_uint_gt(part.cluster_count, 1);
    ck_assert(bvpi_cluster_at(&part, 0, &first) && bvpi_cluster_at(&part, 1, &second));
    const uint64_t unit = UINT64_C(1) << part.cluster_shift;
    const uint64_t coordinates = (uint64_t)(first.vertices - part.blob);
    const uint64_t inside = (coordinates + unit) / unit * unit;
    ck_assert(inside + sizeof second.head <= coordinates + 12 * first.vertex_count);
    uint8_t *blob = bytes + (part.blob - original->base);
    const uint32_t entry = (uint32_t)(inside >> part.cluster_shift);
    memcpy(blob + inside, &second.head, sizeof second.head);
    memcpy(blob + part.cluster_table_off + 4, &entry, sizeof entry);
    refit_half_way(fd, bytes, size, "a cluster");
    free(bytes);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* The root's children lie nowhere. Boxes are computed from the last to the root. */
START_TEST(a_hierarchy_that_leads_nowhere)
{
    case_seed(13);
    refit_scene s = refit_scene_make(24, 3);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *original = refit_open(fd, NULL);
    size_t size;
    uint8_t *bytes = read_all(fd, &size);
    bvpi_binary tree;
    bvpi_binary_node root;
    const uint8_t *payload;
    ck_assert_int_eq(bvpi_get_part_binary(original, 0, BVPD_KIND_AABB, &tree), BVP_OK);
    ck_assert(bvpi_binary_upper(&tree, 0, &root, &payload));
    ck_assert_uint_eq(root.end, 0); /* an inner node */
    memset(bytes + (payload - original->base) + sizeof(bvpi_aabb), 0x7f, 4);
    refit_half_way(fd, bytes, size, "a hierarchy");
    free(bytes);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* A wide root that is its own child, after all others have been computed; and clusters that claim
 * each other's nodes, which are counted. */
START_TEST(a_wide_hierarchy_that_leads_nowhere)
{
    case_seed(15);
    refit_scene s = refit_scene_make(24, 3);
    const int fd = refit_pack(&s, BVP_KIND_WIDE, 1);
    bvp_file *original = refit_open(fd, NULL);
    size_t size;
    uint8_t *bytes = read_all(fd, &size);
    bvpi_part part;
    bvpi_tree tree;
    bvpd_node root;
    ck_assert_int_eq(bvpi_get_part_and_tree(original, 0, &part, &tree), BVP_OK);
    ck_assert(bvpi_node_load(&tree, tree.root, &root) && bvpi_inner_count(&root) > 0);
    const uint32_t own = tree.root;
    uint8_t *at = bytes + (part.blob - original->base);
    memcpy(at + (uint64_t)own * BVPD_UNIT + offsetof(bvpd_node, child), &own, sizeof own);
    refit_half_way(fd, bytes, size, "a hierarchy");
    memcpy(at, &root, sizeof root);
    const uint16_t many = UINT16_MAX;
    memcpy(at + bvpi_cluster_off(&part, 0) + offsetof(bvpd_cluster, node_count), &many, 2);
    refit_half_way(fd, bytes, size, "a hierarchy");
    free(bytes);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* At one of its placements the part would leave the range of coordinates. */
START_TEST(too_far_out)
{
    case_seed(10);
    refit_scene s = refit_scene_make(6, 3);
    case_scale(s.placements[2], 0x1p130);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    bvp_file *file = refit_open_overlay(fd);
    uint64_t count;
    float *positions = refit_vertices(file, 0, &count);
    positions[0] = 3e38f;
    check_refusal(file, 0, positions, count, "too large");
    positions[0] = 0x1p20f;
    ck_assert_int_eq(bvp_refit(file, 0, positions, count, NULL), BVP_OK);
    close(save(file));
    free(positions);
    bvp_close(file);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

START_TEST(memory_is_the_callers)
{
    bvp_open_options options = {.overlay = 1};
    case_seed(11);
    refit_scene s = refit_scene_make(6, 3);
    const int fd = refit_pack(&s, BVP_KIND_AABB, 1);
    size_t size;
    uint8_t *read = read_all(fd, &size), *bytes = aligned_alloc(4096, size);
    memcpy(bytes, read, size);
    bvp_file *file, *original = refit_open(fd, NULL);
    ck_assert_int_eq(bvp_open_memory(bytes, size, &options, &file, NULL), BVP_ERR_ARGUMENT);
    options.mode = BVP_OPEN_ISOLATED;
    ck_assert_int_eq(bvp_open_memory(bytes, size, &options, &file, NULL), BVP_OK);
    refit_bend(file, original, 0, BENT, 2);
    check_boxes(file, 0);
    ck_assert_int_eq(memcmp(read, bytes, size), 0);
    bvp_close(file);
    bvp_close(original);
    free(read);
    free(bytes);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

/* ---- hostile bytes -------------------------------------------------------------------------- */

/* Whatever a file says, a refit ends and writes nothing but its own view. */
START_TEST(damaged_files)
{
    const bvp_open_options options = {.overlay = 1};
    case_seed((uint64_t)_i + 300);
    refit_scene s = refit_scene_make(10, 12);
    const int fd = refit_pack_form(&s, &refit_forms[_i], 1);
    size_t size;
    uint8_t *bytes = read_all(fd, &size);
    bvp_file *original = refit_open(fd, NULL);
    uint64_t count;
    float *positions = refit_vertices(original, 0, &count);
    static const int sections[] = {BVPD_DATA, BVPD_PART, BVPD_HIER, BVPD_PLAC,
                                   BVPD_INST, BVPD_TOPN, BVPD_BINH, BVPD_LINS};
    for (uint64_t i = 0; i < 3 * count; i++)
        positions[i] *= 2;
    for (int round = 0; round < 400; round++) {
        bvp_file *file;
        for (int flips = 1 + case_int(3); flips > 0; flips--) {
            const bvpi_span *span = &original->section[sections[round % 8]];
            if (span->size == 0) /* BINH of a wide hierarchy */
                continue;
            const uint64_t at = case_random() % span->size;
            const uint8_t byte = (uint8_t)case_random();
            ck_assert_int_eq(pwrite(fd, &byte, 1, span->data + at - original->base), 1);
        }
        ck_assert_int_eq(bvp_open_fd(fd, &options, &file, NULL), BVP_OK);
        bvp_refit(file, 0, positions, count, NULL);
        bvp_close(file);
        ck_assert_int_eq(pwrite(fd, bytes, size, 0), (ssize_t)size);
    }
    free(positions);
    free(bytes);
    bvp_close(original);
    close(fd);
    refit_scene_free(&s);
}
END_TEST

SUITE(test_refit)
{
    TCase *cases = tcase_create("refit");
    tcase_set_timeout(cases, SUITE_TIMEOUT);
    const TTest *tests[] = {every_box_is_exact,
                            turned_grids_stay_turned,
                            bounds_are_those_of_packing,
                            nobody_else_sees_it,
                            only_touched_pages_are_private,
                            lazily_verified,
                            saved_files,
                            what_is_refused,
                            what_must_be_packed_otherwise,
                            a_cluster_that_is_overwritten,
                            a_hierarchy_that_leads_nowhere,
                            a_wide_hierarchy_that_leads_nowhere,
                            too_far_out,
                            memory_is_the_callers};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(cases, tests[i]);
    tcase_add_loop_test(cases, back_is_back, 0, 2);
    tcase_add_loop_test(cases, every_form_is_sound, 0, REFIT_FORMS);
    tcase_add_loop_test(cases, back_is_as_small, 0, REFIT_FORMS);
    tcase_add_loop_test(cases, damaged_files, 0, REFIT_FORMS);
    return suite_run_case("refit", cases);
}
