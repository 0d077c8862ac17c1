/* SPDX-License-Identifier: MIT
 * test_outside.c: files over buffers: every answer is, bit for bit, that of the file that holds the
 * same triangles; buffers that are others, or too small, are refused; and whatever buffers, numbers
 * and records hold, nothing outside of them is read.
 * Spec: format.md, chapter "Triangles outside"
 */
#include "questions.h"
#include "outside_case.h"
#include "suite.h"

#include "format/map.h"
#include "format/outside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 6000, SMALL = 400, NODES = 150 };

/* ---- twins ----------------------------------------------------------------------------------- */

typedef struct twins {
    outside_part parts[2];
    case_file over, plain; /* over buffers, and with the triangles in it */
} twins;

static case_file build(const twins *t, const bvp_build_options *options, double scale)
{
    uint64_t state = 23;
    uint32_t part[2];
    bvp_builder *builder;
    bvp_error error = {0};
    ck_assert_int_eq(bvp_builder_new(options, &builder, NULL), BVP_OK);
    for (int k = 0; k < 2; k++) {
        const outside_part *p = &t->parts[k];
        bvp_mesh mesh = case_mesh(p->positions, p->triangles);
        if (options->share) {
            mesh.buffers = p->buffers;
            mesh.buffer_count = p->count;
        }
        if (options->share && k == 1) /* of the buffers alone */
            mesh = (bvp_mesh){.buffers = p->buffers, .buffer_count = p->count};
        const bvp_status status = bvp_builder_add_part(builder, &mesh, &part[k], &error);
        ck_assert_msg(status == BVP_OK, "%s", error.message);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        double m[12];
        for (int k = 0; k < 12; k++)
            m[k] = k % 4 == 3 ? 300 * case_uniform(&state) * (i > 0) : (k % 5 == 0) * scale;
        m[1] = 0.01 * scale * case_uniform(&state);
        ck_assert_int_eq(
            bvp_builder_add_node(
                builder, &(bvp_new_node){.parent = BVP_NONE, .placement = m, .part = part[i > 0]},
                NULL, NULL),
            BVP_OK);
    }
    return case_finish(builder);
}

static twins make_twins(const outside_form *f, bvp_build_options options)
{
    uint64_t state = 31;
    twins t;
    t.parts[0] = outside_make_part(&state, f, LARGE, 100, 5);
    t.parts[1] = outside_make_part(&state, f, SMALL, 10, 1);
    t.plain = build(&t, &options, f->scale);
    options.share = 1;
    t.over = build(&t, &options, f->scale);
    return t;
}

static void bind_all(const twins *t, bvp_file *file)
{
    bvp_error error = {0};
    for (uint32_t part = 0; part < 2; part++) {
        const bvp_status status =
            bvp_bind(file, part, t->parts[part].buffers, t->parts[part].count, &error);
        ck_assert_msg(status == BVP_OK, "%s", error.message);
    }
}

static void free_twins(twins *t)
{
    case_close(&t->over);
    case_close(&t->plain);
    outside_free_part(&t->parts[0]);
    outside_free_part(&t->parts[1]);
}

/* What a file over buffers answers otherwise: what is in it, and how. */
static bool differs(const char *name)
{
    static const char *const others[] = {"info", "parts", "provenance", "digest", "annotations"};
    bool found = false;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        found = found || strcmp(name, others[k]) == 0;
    return found;
}

static void check_triangles(const twins *t, const bvp_file *over, const bvp_file *plain)
{
    for (uint32_t part = 0; part < 2; part++) {
        const uint64_t count = t->parts[part].triangles;
        float *a = malloc(count * 36), *b = malloc(count * 36);
        uint64_t *ids = malloc(count * 16), got[2];
        ck_assert_int_eq(bvp_get_triangles(over, part, (bvp_range){0, count}, a, ids, &got[0]),
                         BVP_OK);
        ck_assert_int_eq(
            bvp_get_triangles(plain, part, (bvp_range){0, count}, b, ids + count, &got[1]), BVP_OK);
        ck_assert(got[0] == count && got[1] == count);
        ck_assert(memcmp(a, b, count * 36) == 0 && memcmp(ids, ids + count, count * 8) == 0);
        ck_assert(memcmp(a, t->parts[part].positions + 9 * ids[0], 36) == 0);
        /* stored vertices are the corners, in their order */
        uint64_t corners[3 * 40];
        ck_assert_int_eq(bvp_get_vertices(over, part, 600, 120, b, &got[0]), BVP_OK);
        ck_assert_int_eq(bvp_get_corners(over, part, 200, 40, corners, &got[1]), BVP_OK);
        ck_assert(got[0] == 120 && got[1] == 40 && corners[0] == 600 && corners[119] == 719);
        ck_assert(memcmp(b, a + 1800, 120 * 12) == 0);
        free(a);
        free(b);
        free(ids);
    }
}

static void check_answers(const twins *t, bvp_kind kind, int baseline)
{
    const bvp_open_options how = {.kind = kind, .baseline_simd = baseline};
    bvp_file *over, *plain;
    ck_assert_int_eq(bvp_open_memory(t->over.bytes, t->over.size, &how, &over, NULL), BVP_OK);
    ck_assert_int_eq(bvp_open_memory(t->plain.bytes, t->plain.size, &how, &plain, NULL), BVP_OK);
    bind_all(t, over);
    check_triangles(t, over, plain);
    for (unsigned k = 0; k < question_count; k++) {
        uint64_t found = 1, expected = 1;
        if (differs(questions[k].name) || strcmp(questions[k].name, "triangles") == 0)
            continue;
        const bvp_status a = questions[k].ask(over, &found);
        const bvp_status b = questions[k].ask(plain, &expected);
        ck_assert_msg(a == b && found == expected, "%s: status %d, expected %d; answers %s",
                      questions[k].name, (int)a, (int)b, found == expected ? "equal" : "differ");
    }
    bvp_close(over);
    bvp_close(plain);
}

START_TEST(answers_are_those_of_the_file_with_triangles)
{
    const outside_form *f = &outside_forms[_i];
    twins t = make_twins(f, (bvp_build_options){.leaf_size = _i % 2 ? 4 : 8});
    check_answers(&t, BVP_KIND_DEFAULT, _i % 3 == 0);
    ck_assert_uint_lt(t.over.report.geometry_size * 4, t.plain.report.geometry_size);
    free_twins(&t);
}
END_TEST

START_TEST(answers_of_other_kinds)
{
    static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE},
                                               {.kind = BVP_KIND_AABB},
                                               {.kind = BVP_KIND_BOXTREE},
                                               {.kind = BVP_KIND_OBB},
                                               {.kind = BVP_KIND_RSS}};
    twins t =
        make_twins(&outside_forms[3],
                   (bvp_build_options){.hierarchies = kinds, .hierarchy_count = 5, .rays = 1});
    check_answers(&t, _i < 5 ? kinds[_i].kind : BVP_KIND_DEFAULT, 0);
    free_twins(&t);
    if (_i != 3)
        return;
    t = make_twins(&outside_forms[0],
                   (bvp_build_options){.hierarchies = kinds + 3, .hierarchy_count = 2});
    check_answers(&t, BVP_KIND_OBB, 0);
    free_twins(&t);
}
END_TEST

/* Of a body and one of another file: which of them comes first in the arithmetic, of which the last
 * bits depend, is not told by how files hold their triangles. */
static void check_distances(const bvp_body *over, const bvp_body *plain, const bvp_body *other)
{
    uint64_t state = 77;
    for (int k = 0; k < 6; k++) {
        const double at[12] = {1, 0, 0, 170 * case_uniform(&state), 0, 1, 0, 150, 0, 0, 1, k};
        const bvp_body moved = {.file = other->file, .part = other->part, .placement = at};
        bvp_distance_result a, b;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        ck_assert_int_eq(bvp_distance(over, &moved, INFINITY, &a, NULL), BVP_OK);
        ck_assert_int_eq(bvp_distance(plain, &moved, INFINITY, &b, NULL), BVP_OK);
        ck_assert(a.found && memcmp(&a, &b, sizeof a) == 0);
    }
}

START_TEST(distances_from_other_files)
{
    uint64_t state = 5;
    twins t = make_twins(&outside_forms[2], (bvp_build_options){0});
    bind_all(&t, t.over.file);
    for (int k = 0; k < 10; k++) {
        /* the last five: the same triangles in other bytes */
        float *soup = case_soup(&state, SMALL, 10, 1);
        const bool is_same = k >= 5;
        const bvp_mesh mesh = case_mesh(is_same ? t.parts[0].positions : soup,
                                        is_same ? t.parts[0].triangles : SMALL);
        case_file other = case_build(&mesh, &(bvp_build_options){.leaf_size = k % 5 + 4});
        const bvp_body part = {.file = other.file};
        check_distances(&(bvp_body){.file = t.over.file}, &(bvp_body){.file = t.plain.file}, &part);
        if (!is_same)
            check_distances(&(bvp_body){.file = t.over.file, .part = BVP_ASSEMBLY},
                            &(bvp_body){.file = t.plain.file, .part = BVP_ASSEMBLY},
                            &(bvp_body){.file = other.file, .part = BVP_ASSEMBLY});
        case_close(&other);
        free(soup);
    }
    free_twins(&t);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuse(bvp_file *file, uint32_t part, const bvp_buffers *buffers, uint32_t count,
                   bvp_status expected, const char *text)
{
    bvp_error error = {0};
    ck_assert_int_eq(bvp_bind(file, part, buffers, count, &error), expected);
    ck_assert_msg(error.status == expected && strstr(error.message, text), "\"%s\" is not in: %s",
                  text, error.message);
}

START_TEST(other_buffers_are_refused)
{
    twins t = make_twins(&outside_forms[3], (bvp_build_options){.leaf_size = 0});
    bvp_file *file = t.over.file;
    bvp_error error = {0};
    bvp_buffers given[OUTSIDE_MOST], wrong[OUTSIDE_MOST];
    uint32_t count;
    int hit;
    /* unbound: queries say so, and so does the check */
    const bvp_body body = {.file = file, .part = 0}, all = {.file = file, .part = BVP_ASSEMBLY};
    bvp_closest_result nearest;
    float position[9];
    ck_assert_int_eq(bvp_closest(&body, (double[]){0, 0, 0}, INFINITY, &nearest, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_closest(&all, (double[]){0, 0, 0}, INFINITY, &nearest, NULL),
                     BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&body, &body, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_triangle(file, 0, 0, position, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_vertices(file, 0, 0, 1, position, &(uint64_t){0}), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "not bound"));
    ck_assert_int_eq(bvp_check_part(file, 2, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "no part 2"));

    ck_assert_int_eq(bvp_get_buffers(file, 0, given, OUTSIDE_MOST, &count), BVP_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(bvp_get_buffers(file, 2, given, OUTSIDE_MOST, &count), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_buffers(t.plain.file, 0, given, OUTSIDE_MOST, &count), BVP_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(bvp_get_buffers(file, 0, given, 1, &count), BVP_OK);
    for (uint32_t k = 0; k < 1; k++) {
        const bvp_buffers *b = &t.parts[0].buffers[k];
        ck_assert(given[k].vertex_count == b->vertex_count && !given[k].positions &&
                  given[k].triangle_count == b->triangle_count &&
                  given[k].position_type == b->position_type &&
                  given[k].index_type == b->index_type && given[k].position_offset == BVP_NOWHERE);
    }
    refuse(t.plain.file, 0, given, 1, BVP_ERR_ARGUMENT, "nothing to bind");
    memcpy(given, t.parts[0].buffers, sizeof given);
    refuse(file, 7, given, 2, BVP_ERR_ARGUMENT, "no part 7");
    refuse(file, 0, given, 1, BVP_ERR_ARGUMENT, "over 2 buffers");
#define WITH(change, status, text)                                                                 \
    do {                                                                                           \
        memcpy(wrong, given, sizeof given);                                                        \
        change;                                                                                    \
        refuse(file, 0, wrong, 2, status, text);                                                   \
    } while (0)
    WITH(wrong[1].vertex_count--, BVP_ERR_ARGUMENT, "vertices");
    WITH(wrong[0].triangle_count--, BVP_ERR_ARGUMENT, "triangles");
    WITH(wrong[0].position_type = BVP_UINT16, BVP_ERR_ARGUMENT, "of type");
    WITH(wrong[0].normalized = 1, BVP_ERR_ARGUMENT, "normalized");
    WITH(wrong[0].position_type = BVP_UINT32, BVP_ERR_ARGUMENT, "type of their positions");
    WITH(wrong[0].position_type = (bvp_component)1, BVP_ERR_ARGUMENT, "type of their positions");
    WITH(wrong[0].index_type = BVP_INT16, BVP_ERR_ARGUMENT, "type of their indices");
    WITH(wrong[0].indices = NULL, BVP_ERR_ARGUMENT, "type of their indices");
    WITH(wrong[0].positions = NULL, BVP_ERR_ARGUMENT, "no positions");
    WITH(wrong[0].position_stride = 5, BVP_ERR_ARGUMENT, "overlap");
    WITH(wrong[0].position_stride = SIZE_MAX / 4, BVP_ERR_ARGUMENT, "fit in memory");
    WITH(wrong[0].vertex_count = UINT64_C(1) << 32, BVP_ERR_ARGUMENT, "2^32");
    WITH(wrong[0].triangle_count = UINT64_MAX, BVP_ERR_ARGUMENT, "2^32");
    WITH(wrong[1].reserved[1] = 1, BVP_ERR_ARGUMENT, "reserved");
    WITH((wrong[0].position_type = BVP_FLOAT32, wrong[0].normalized = 1), BVP_ERR_ARGUMENT,
         "floats cannot");
    WITH((wrong[0].indices = NULL, wrong[0].index_type = (bvp_component)0,
          wrong[0].triangle_count = wrong[0].vertex_count),
         BVP_ERR_ARGUMENT, "fewer than three");
    /* the other part's, in the same form: only the hash tells */
    bind_all(&t, file);
    uint8_t *bytes = t.parts[0].owned[2], *indices = t.parts[0].owned[1];
    bytes[8 * 4001 + 5] ^= 1;
    refuse(file, 0, given, 2, BVP_ERR_CORRUPT, "other positions or indices");
    bytes[8 * 4001 + 5] ^= 1;
    bytes[8 * 4001 + 6] ^= 1; /* between two vertices */
    indices[4 * 777] ^= 1;
    refuse(file, 0, given, 2, BVP_ERR_CORRUPT, "other positions or indices");
    indices[4 * 777] ^= 1;
    /* what was bound before stays */
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_OK);
    bind_all(&t, file);
    /* a cancelled hash binds nothing */
    const volatile int now = 1;
    const bvp_control control = {.cancel = &now};
    const bvp_open_options how = {.control = &control};
    ck_assert_int_eq(bvp_open_memory(t.over.bytes, t.over.size, &how, &file, NULL), BVP_OK);
    refuse(file, 0, given, 2, BVP_ERR_CANCELLED, "");
    bvp_close(file);
    /* nothing can be refitted */
    const bvp_open_options overlay = {.overlay = 1, .mode = BVP_OPEN_ISOLATED};
    ck_assert_int_eq(bvp_open_memory(t.over.bytes, t.over.size, &overlay, &file, &error),
                     BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "refitted"));
    free_twins(&t);
}
END_TEST

static void refuse_mesh(const bvp_build_options *options, const bvp_mesh *mesh, bvp_status expected,
                        const char *text)
{
    bvp_builder *builder;
    bvp_error error = {0};
    uint32_t part;
    ck_assert_int_eq(bvp_builder_new(options, &builder, &error), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, mesh, &part, &error), expected);
    ck_assert_msg(strstr(error.message, text), "\"%s\" is not in: %s", text, error.message);
    bvp_builder_free(builder);
}

START_TEST(meshes_that_are_not_in_their_buffers)
{
    uint64_t state = 5;
    const bvp_build_options share = {.share = 1};
    outside_part p = outside_make_part(&state, &outside_forms[2], 600, 10, 1);
    bvp_mesh mesh = case_mesh(p.positions, p.triangles);
    refuse_mesh(&share, &mesh, BVP_ERR_ARGUMENT, "needs its buffers");
    mesh.buffers = p.buffers;
    mesh.buffer_count = p.count;
    refuse_mesh(&(bvp_build_options){.share = 0}, &mesh, BVP_ERR_ARGUMENT, "option share only");
    mesh.buffer_count = 1;
    refuse_mesh(&share, &mesh, BVP_ERR_ARGUMENT, "other corners");
    mesh.buffer_count = p.count;
    uint32_t bits; /* the last bit of a coordinate */
    memcpy(&bits, &p.positions[9 * 444 + 4], 4);
    bits ^= 1;
    memcpy(&p.positions[9 * 444 + 4], &bits, 4);
    refuse_mesh(&share, &mesh, BVP_ERR_ARGUMENT, "triangle 444 of the mesh, number 444");
    bits ^= 1;
    memcpy(&p.positions[9 * 444 + 4], &bits, 4);
    uint32_t ids[600];
    for (uint32_t i = 0; i < 600; i++)
        ids[i] = i;
    ids[7] = 600;
    mesh.ids = ids;
    refuse_mesh(&share, &mesh, BVP_ERR_ARGUMENT, "number 600");
    mesh.ids = NULL;
    p.buffers[1].index_offset = 0;
    refuse_mesh(&share, &mesh, BVP_ERR_ARGUMENT, "offsets");
    p.buffers[1].index_offset = BVP_NOWHERE;
    p.buffers[2].position_stride = 3;
    refuse_mesh(&share, &mesh, BVP_ERR_ARGUMENT, "buffers 2: ");
    p.buffers[2].position_stride = 32;
    const bvp_mesh alone = {.buffers = p.buffers, .buffer_count = p.count};
    ((uint16_t *)p.owned[3])[5] = 60000;
    refuse_mesh(&share, &alone, BVP_ERR_ARGUMENT, "index 60000");
    ((uint16_t *)p.owned[3])[5] = 5;
    const float nan = NAN;
    memcpy((uint8_t *)p.owned[2] + 64, &nan, 4);
    refuse_mesh(&share, &alone, BVP_ERR_ARGUMENT, "not finite");
    bvp_builder *builder;
    const bvp_build_options bad[] = {
        {.share = 1, .no_ids = 1}, {.share = 1, .deformable = 1}, {.share = 1, .thin = 1}};
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(bvp_builder_new(&bad[k], &builder, NULL), BVP_ERR_ARGUMENT);
    /* triangles that were left out are counted */
    const bvp_build_options drop = {.share = 1, .drop_invalid = 1};
    case_file f = case_build(&alone, &drop);
    ck_assert_uint_ge(f.report.dropped_triangle_count, 1);
    ck_assert_int_eq(bvp_bind(f.file, 0, p.buffers, p.count, NULL), BVP_OK);
    ck_assert_int_eq(bvp_verify_file(f.file, NULL, NULL, NULL), BVP_OK);
    /* a part of such a file is no part of another one */
    uint32_t added;
    bvp_error error = {0};
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    ck_assert_int_eq(
        bvp_builder_add_packed(builder, &(bvp_packed_part){.file = f.file}, &added, &error),
        BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "--share"));
    bvp_builder_free(builder);
    /* but it can be saved */
    FILE *saved = tmpfile();
    ck_assert_int_eq(bvp_save_fd(f.file, NULL, fileno(saved), NULL), BVP_OK);
    uint8_t *copy = aligned_alloc(4096, f.size);
    rewind(saved);
    ck_assert_uint_eq(fread(copy, 1, f.size, saved), f.size);
    ck_assert(memcmp(copy, f.bytes, f.size) == 0);
    fclose(saved);
    free(copy);
    case_close(&f);
    outside_free_part(&p);
}
END_TEST

/* ---- anything at all ------------------------------------------------------------------------- */

/* Buffers that change after they were bound, and numbers that are forged: every question ends, and
 * reads nothing else (under the address sanitizer). The buffers end where memory ends. */
START_TEST(nothing_else_is_read)
{
    twins t = make_twins(&outside_forms[_i], (bvp_build_options){.leaf_size = 8});
    uint64_t state = 3, answer = 1;
    bind_all(&t, t.over.file);
    for (uint32_t part = 0; part < 2; part++)
        for (uint32_t k = 0; k < t.parts[part].count; k++) {
            const bvp_buffers *b = &t.parts[part].buffers[k];
            uint8_t *positions = t.parts[part].owned[2 * k],
                    *indices = t.parts[part].owned[2 * k + 1];
            for (uint64_t i = 0; indices && i < 3 * b->triangle_count; i += 5)
                memset(indices + i * outside_size_of(b->index_type), (int)case_random(&state),
                       outside_size_of(b->index_type));
            for (uint64_t i = 0; i < b->vertex_count; i += 11)
                memset(positions + i * (3 * outside_size_of(outside_forms[_i].type) +
                                        outside_forms[_i].gap),
                       (int)case_random(&state), outside_size_of(outside_forms[_i].type));
        }
    for (int round = 0; round < 2; round++) {
        for (unsigned k = 0; k < question_count; k++)
            if (strncmp(questions[k].name, "clash", 5) != 0 && strcmp(questions[k].name, "zones"))
                questions[k].ask(t.over.file, &answer);
        bvpd_header *h = (bvpd_header *)t.over.bytes;
        bvpd_section *ids = &h->sections[BVPD_TIDS];
        for (uint64_t i = 0; i < ids->size; i += 37)
            ((uint8_t *)t.over.bytes)[ids->offset + i] = (uint8_t)case_random(&state);
    }
    free_twins(&t);
}
END_TEST

SUITE(test_outside)
{
    TCase *cases = tcase_create("outside");
    tcase_set_timeout(cases, SUITE_TIMEOUT);
    tcase_add_loop_test(cases, answers_are_those_of_the_file_with_triangles, 0, OUTSIDE_FORMS);
    tcase_add_loop_test(cases, answers_of_other_kinds, 0, 6);
    tcase_add_test(cases, distances_from_other_files);
    tcase_add_test(cases, other_buffers_are_refused);
    tcase_add_test(cases, meshes_that_are_not_in_their_buffers);
    tcase_add_loop_test(cases, nothing_else_is_read, 0, OUTSIDE_FORMS);
    return suite_run_case("outside", cases);
}
