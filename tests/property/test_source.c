/* SPDX-License-Identifier: MIT
 * test_source.c: files whose bytes a source gives: answers are those of the mapped file, whatever
 * was fetched before, and they come in few reads.
 */
#include "source_scene.h"

#include <math.h>

/* Each question finds nothing but the opening's chunks; all others hold garbage. */
static void check_answers(const case_file *f, bvp_kind kind)
{
    const bvp_open_options how = {.kind = kind};
    bvp_file *mapped;
    ck_assert_int_eq(bvp_open_memory(f->bytes, f->size, &how, &mapped, NULL), BVP_OK);
    for (unsigned k = 0; k < question_count; k++) {
        source_case s = source_case_of(f->bytes, f->size);
        bvp_file *file = source_case_open(&s, ROOMY, &how);
        source_case_spoil(file);
        check_same(&questions[k], reply_to(&questions[k], file), reply_to(&questions[k], mapped));
        bvp_close(file);
        ck_assert_int_eq(s.closed, 1);
    }
    bvp_close(mapped);
}

START_TEST(answers_are_those_of_the_mapped_file)
{
    case_file f = scene_default();
    check_answers(&f, BVP_KIND_DEFAULT);
    check_answers(&f, BVP_KIND_AABB);
    case_close(&f);
}
END_TEST

START_TEST(answers_of_other_kinds)
{
    static const bvp_hierarchy_spec kinds[] = {
        {.kind = BVP_KIND_BOXTREE}, {.kind = BVP_KIND_OBB}, {.kind = BVP_KIND_RSS}};
    case_file f = scene_make(kinds, 3, false, NODES);
    for (int k = 0; k < 3; k++)
        check_answers(&f, kinds[k].kind);
    case_close(&f);
}
END_TEST

/* A file that is longer than the arena lets files be: through windows, which here go before each
 * call. */
static void check_windows(const case_file *f, bvp_kind kind, uint64_t cache)
{
    const bvp_open_options how = {.kind = kind};
    const uint64_t whole = bvpi_the_arena.whole;
    bvp_file *mapped;
    source_case s = source_case_of(f->bytes, f->size);
    ck_assert_int_eq(bvp_open_memory(f->bytes, f->size, &how, &mapped, NULL), BVP_OK);
    bvpi_the_arena.whole = 0;
    bvp_file *file = source_case_open(&s, cache, &how);
    for (int round = 0; round < 2; round++)
        for (unsigned k = 0; k < question_count; k++)
            if (&questions[k] != question_named("verify") &&
                &questions[k] != question_named("annotations"))
                check_same(&questions[k], reply_to(&questions[k], file),
                           reply_to(&questions[k], mapped));
    ck_assert(file->section[BVPD_DATA].size > 0 && file->section[BVPD_DATA].data == NULL);
    bvp_close(file);
    ck_assert_int_eq(s.closed, 1);
    bvpi_the_arena.whole = whole;
    bvp_close(mapped);
}

START_TEST(windows_show_what_does_not_fit)
{
    static const bvp_hierarchy_spec kinds[] = {
        {.kind = BVP_KIND_BOXTREE}, {.kind = BVP_KIND_OBB}, {.kind = BVP_KIND_RSS}};
    case_file f = scene_default();
    check_windows(&f, BVP_KIND_DEFAULT, ROOMY);
    check_windows(&f, BVP_KIND_AABB, ROOMY);
    case_close(&f);
    f = scene_make(kinds, 3, false, NODES);
    for (int k = 0; k < 3; k++)
        check_windows(&f, kinds[k].kind, ROOMY);
    case_close(&f);
}
END_TEST

/* Damage is found in windows, too, and what was found is forgotten with them. */
START_TEST(windows_are_checked)
{
    case_file f = scene_default();
    const uint64_t whole = bvpi_the_arena.whole;
    source_case s = source_case_of(f.bytes, f.size);
    bvpi_the_arena.whole = 0;
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    /* the upper nodes of a part that every question of it reads */
    const uint64_t data = (uint64_t)(f.file->section[BVPD_DATA].data - f.file->base);
    const uint64_t chunk = (data - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE;
    s.damage = data + 1000;
    ck_assert_uint_lt(data % BVPD_BLOCK_SIZE, BVPD_BLOCK_SIZE - 4096);
    bvp_error error;
    unsigned found = 0;
    for (unsigned k = 0; k < question_count; k++)
        if (reply_to(&questions[k], file).status == BVP_ERR_CORRUPT) {
            ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
            ck_assert_uint_eq(error.offset, BVPD_HEADER_SIZE + chunk * BVPD_BLOCK_SIZE);
            found++;
        }
    ck_assert_uint_gt(found, 0);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_ERR_LIMIT);
    s.damage = UINT64_MAX;
    check_same(question_named("rays of all"), reply_to(question_named("rays of all"), file),
               reply_to(question_named("rays of all"), f.file));
    bvp_close(file);
    bvpi_the_arena.whole = whole;
    case_close(&f);
}
END_TEST

/* A mapped file and one from a source in one question. */
START_TEST(bodies_of_both_sorts)
{
    case_file f = scene_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    const double at[12] = {0.6, -0.8, 0, 5, 0.8, 0.6, 0, 1, 0, 0, 1, 2};
    bvp_body bodies[2][2] = {{{.file = f.file}, {.file = file, .placement = at}},
                             {{.file = file}, {.file = f.file, .placement = at}}};
    const bvp_body plain[2] = {{.file = f.file}, {.file = f.file, .placement = at}};
    bvp_distance_result expected, found;
    bvp_pair *pairs = malloc(2 * 4096 * sizeof *pairs);
    uint64_t counts[2];
    ck_assert_int_eq(bvp_distance(&plain[0], &plain[1], INFINITY, &expected, NULL), BVP_OK);
    ck_assert_int_eq(bvp_pairs(&plain[0], &plain[1], pairs, 4096, &counts[0], NULL), BVP_ERR_LIMIT);
    for (int k = 0; k < 2; k++) {
        source_case_spoil(file);
        ck_assert_int_eq(bvp_distance(&bodies[k][0], &bodies[k][1], INFINITY, &found, NULL),
                         BVP_OK);
        ck_assert(found.distance == expected.distance && found.a.triangle == expected.a.triangle);
        ck_assert_int_eq(
            bvp_pairs(&bodies[k][0], &bodies[k][1], pairs + 4096, 4096, &counts[1], NULL),
            BVP_ERR_LIMIT);
        ck_assert_uint_eq(counts[0], counts[1]);
        for (uint64_t i = 0; i < counts[0]; i++)
            ck_assert(pairs[i].a.triangle == pairs[4096 + i].a.triangle &&
                      pairs[i].b.id == pairs[4096 + i].b.id);
    }
    free(pairs);
    bvp_close(file);
    case_close(&f);
}
END_TEST

START_TEST(opening_reads_twice)
{
    case_file f = scene_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    bvp_file_info info;
    bvp_get_info(file, &info);
    ck_assert_uint_eq(info.triangle_count, LARGE + SMALL * (NODES - 1));
    ck_assert_uint_eq(s.reads, 2);
    ck_assert_uint_lt(s.bytes_read, 3 * BVPD_BLOCK_SIZE);
    ck_assert_int_eq(s.hints, 0); /* nobody asked for anything yet */
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, NULL), BVP_OK);
    ck_assert_uint_le(s.largest, 1 << 20);
    ck_assert_uint_eq(s.bytes_read, f.size); /* nothing twice */
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Tables that are read from end to end come in few reads, and nothing twice. */
START_TEST(scans_read_ahead)
{
    enum { MANY = 4 * NODES };
    case_file f = scene_make(NULL, 0, false, MANY);
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    source_case_spoil(file);
    uint64_t tables = 0;
    for (uint32_t k = 0; k < MANY; k++) {
        bvp_node_info found, expected;
        bvp_string key, value;
        ck_assert_int_eq(bvp_get_node(file, k, &found), BVP_OK);
        ck_assert_int_eq(bvp_get_node(f.file, k, &expected), BVP_OK);
        ck_assert(memcmp(found.placement, expected.placement, sizeof found.placement) == 0);
        for (uint32_t p = 0; p < found.property_count; p++)
            ck_assert_int_eq(bvp_get_property(file, k, p, &key, &value), BVP_OK);
    }
    const enum bvpd_section_index read[] = {BVPD_TREE, BVPD_STRS, BVPD_PROP, BVPD_INST, BVPD_LINS};
    for (int k = 0; k < 5; k++)
        tables += f.file->section[read[k]].size;
    ck_assert_uint_gt(tables, 24 * BVPD_BLOCK_SIZE);
    /* instances, and their linear parts, are not in the order of the nodes */
    ck_assert_uint_le(s.reads - 2, tables / (2 * BVPD_BLOCK_SIZE));
    ck_assert_uint_le(s.bytes_read, f.size);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* The chunks that come first, one by one, are no exception: scans among them get ever more. */
START_TEST(first_scans_read_ahead)
{
    case_file f = scene_make(NULL, 0, false, 4 * NODES);
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    const uint64_t tables = f.file->section[BVPD_INST].size + f.file->section[BVPD_LINS].size;
    ck_assert_uint_gt(tables, 20 * BVPD_BLOCK_SIZE);
    ck_assert_uint_lt(tables, 48 * BVPD_BLOCK_SIZE);
    for (uint32_t k = 0; k < 4 * NODES; k++) {
        bvp_instance_info found, expected;
        ck_assert_int_eq(bvp_get_instance(file, k, &found), BVP_OK);
        ck_assert_int_eq(bvp_get_instance(f.file, k, &expected), BVP_OK);
        ck_assert_int_eq(memcmp(&found, &expected, sizeof found), 0);
    }
    /* 11 when this was written; without reading ahead one for each of 20 chunks and more */
    ck_assert_uint_le(s.reads, 14);
    ck_assert_uint_le(s.bytes_read, f.size);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Damage in what is read ahead is told when it is needed. */
START_TEST(damage_ahead_waits)
{
    case_file f = scene_default();
    source_case s = source_case_of(f.bytes, f.size);
    const uint64_t from = (uint64_t)(f.file->section[BVPD_DATA].data - f.file->base);
    const uint64_t bad = 1 + (from - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE + 12;
    s.damage = BVPD_HEADER_SIZE + (bad - 1) * BVPD_BLOCK_SIZE + 77;
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    bvp_status status = BVP_OK;
    uint64_t count, first = 0;
    float at[9 * 50];
    for (; status == BVP_OK && first < LARGE; first += 50)
        status = bvp_get_triangles(file, 0, (bvp_range){first, 50}, at, NULL, &count);
    ck_assert_int_eq(status, BVP_ERR_CORRUPT);
    ck_assert_uint_ge(source_case_state(file, bad - 1), BVPI_CHUNK_UNUSED);
    ck_assert_uint_eq(source_case_state(file, bad), BVPI_CHUNK_ABSENT);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* In an opened file, and in a part of another one. */
START_TEST(places_in_the_source)
{
    case_file f = scene_default();
    const size_t before = 2 * 4096, behind = 100;
    uint8_t *bytes = calloc(1, before + f.size + behind);
    memcpy(bytes + before, f.bytes, f.size);
    source_case s = source_case_of(bytes, before + f.size + behind);
    const bvp_open_options how = {.offset = before, .size = f.size};
    bvp_file *file = source_case_open(&s, ROOMY, &how);
    source_case_spoil(file);
    check_same(question_named("volumes"), reply_to(question_named("volumes"), file),
               reply_to(question_named("volumes"), f.file));
    bvp_close(file);
    free(bytes);
    case_close(&f);
}
END_TEST

/* ---- arguments ------------------------------------------------------------------------------- */

START_TEST(what_is_refused)
{
    case_file f = scene_default();
    const bvp_open_options bad[] = {{.overlay = 1}, {.mode = (bvp_open_mode)9}, {.offset = 12}};
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) {
        source_case s = source_case_of(f.bytes, f.size);
        const bvp_source source = source_case_source(&s, 0);
        bvp_file *file;
        ck_assert_int_eq(bvp_open_source(&source, &bad[k], &file, NULL), BVP_ERR_ARGUMENT);
        ck_assert(file == NULL && s.closed == 1 && s.reads == 0);
    }
    source_case s = source_case_of(f.bytes, f.size);
    bvp_source source = source_case_source(&s, 0);
    bvp_error error;
    bvp_file *file;
    ck_assert_int_eq(bvp_open_source(NULL, NULL, &file, NULL), BVP_ERR_ARGUMENT);
    source.reserved[2] = 1;
    ck_assert_int_eq(bvp_open_source(&source, NULL, &file, NULL), BVP_ERR_ARGUMENT);
    source.reserved[2] = 0;
    source.read = NULL;
    ck_assert_int_eq(bvp_open_source(&source, NULL, &file, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(s.closed, 2);
    ck_assert_int_eq(bvp_get_source_error(f.file, &error), BVP_ERR_ARGUMENT);
    file = source_case_open(&s, 0, NULL);
    ck_assert_int_eq(bvp_save_fd(file, NULL, -1, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "copy the source"));
    ck_assert_int_eq(bvp_convert_fd(file, 0, NULL, -1, &error), BVP_ERR_ARGUMENT);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Isolated: all of it is read, verified, and the source let go. */
START_TEST(isolated_is_a_copy)
{
    case_file f = scene_default();
    const bvp_open_options how = {.mode = BVP_OPEN_ISOLATED};
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 0, &how);
    ck_assert_int_eq(s.closed, 1);
    ck_assert_uint_le(s.largest, 1 << 20);
    s.answer = BVP_ERR_SYSTEM;
    check_same(question_named("clash"), reply_to(question_named("clash"), file),
               reply_to(question_named("clash"), f.file));
    bvp_close(file);
    ck_assert_int_eq(s.closed, 1);
    s = source_case_of(f.bytes, f.size);
    s.damage = f.size / 2;
    const bvp_source source = source_case_source(&s, 0);
    ck_assert_int_eq(bvp_open_source(&source, &how, &file, NULL), BVP_ERR_CORRUPT);
    ck_assert_int_eq(s.closed, 1);
    case_close(&f);
}
END_TEST

SUITE(test_source)
{
    const TTest *const tests[] = {answers_are_those_of_the_mapped_file,
                                  answers_of_other_kinds,
                                  windows_show_what_does_not_fit,
                                  windows_are_checked,
                                  bodies_of_both_sorts,
                                  opening_reads_twice,
                                  scans_read_ahead,
                                  first_scans_read_ahead,
                                  damage_ahead_waits,
                                  places_in_the_source,
                                  what_is_refused,
                                  isolated_is_a_copy,
                                  NULL};
    return suite_run_within("source", 120, tests);
}
