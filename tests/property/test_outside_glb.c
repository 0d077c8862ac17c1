/* SPDX-License-Identifier: MIT
 * test_outside_glb.c: files over the buffers of the GLB that they lie in, in memory and from
 * sources: answers are the same, what was changed is refused, every rule on buffers is checked, and
 * whatever records say, nothing outside of them is read.
 * Spec: format.md, chapter "Triangles outside"
 */
#include "outside_case.h"
#include "repair.h"
#include "source_case.h"
#include "suite.h"

#include "format/map.h"
#include "format/outside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bvp_status ask_glb(const outside_glb *g, bvp_open_mode mode, bvp_error *error)
{
    const bvp_open_options how = {.mode = mode};
    bvp_file *file;
    bvp_closest_result nearest = {0};
    bvp_status status = bvp_open_memory(g->bytes, g->size, &how, &file, error);
    if (status != BVP_OK)
        return status;
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    status = bvp_closest(&body, (double[]){1, 2, 3}, INFINITY, &nearest, NULL);
    const bvp_status again = bvp_closest(&body, (double[]){1, 2, 3}, INFINITY, &nearest, NULL);
    ck_assert_int_eq(again, status);
    if (status != BVP_OK)
        ck_assert_int_eq(bvp_check_part(file, 0, error), status);
    bvp_close(file);
    return status;
}

START_TEST(a_glb_binds_its_own_buffers)
{
    bvp_error error = {0};
    outside_glb g = outside_make_glb(&outside_forms[_i], 2000);
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_CHECKED, &error), BVP_OK);
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_ISOLATED, &error), BVP_OK);
    ck_assert_int_eq(bvp_verify(g.bytes, g.size, NULL, NULL, &error), BVP_OK);
    /* without the chunk: unbound */
    g.bytes[g.chunk - 4] = 'X';
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_CHECKED, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "not bound"));
    ck_assert_int_eq(bvp_verify(g.bytes, g.size, NULL, NULL, &error), BVP_OK);
    g.bytes[g.chunk - 4] = 'B';
    /* other bytes: before the first query answers */
    g.bytes[g.chunk + 12] ^= 4;
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_CHECKED, &error), BVP_ERR_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.message, "asset has changed"));
    ck_assert_str_eq(error.rule, "BUF-5");
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_ISOLATED, &error), BVP_ERR_CORRUPT);
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_TRUSTED, &error), BVP_OK);
    ck_assert_int_eq(bvp_verify(g.bytes, g.size, NULL, NULL, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "BUF-5");
    g.bytes[g.chunk + 12] ^= 4;
    g.bytes[g.chunk + 3] ^= 4; /* no buffer of the part */
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_CHECKED, &error), BVP_OK);
    /* a chunk that is too short */
    uint8_t *size = g.bytes + g.chunk - 8;
    bvpd_header *h = (bvpd_header *)(g.bytes + g.file);
    bvpd_buffers *r = (bvpd_buffers *)(g.bytes + g.file + h->sections[bvpi_find_buffers(h)].offset);
    (void)size;
    r->position_off = g.chunk_size - 1;
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_CHECKED, &error), BVP_ERR_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.message, "leave the GLB's binary chunk"));
    r->position_off = UINT64_MAX - 1;
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_CHECKED, &error), BVP_ERR_CORRUPT);
    free(g.bytes);
}
END_TEST

/* ---- from a source --------------------------------------------------------------------------- */

typedef struct answers {
    bvp_closest_result nearest;
    float triangle[9];
} answers;

static bvp_status ask_file(const bvp_file *file, answers *out)
{
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    memset(out, 0, sizeof *out);
    const bvp_status status =
        bvp_closest(&body, (double[]){1, 2, 3}, INFINITY, &out->nearest, NULL);
    return status != BVP_OK ? status : bvp_get_triangle(file, 0, 5, out->triangle, NULL);
}

static answers expected_of(const outside_glb *g)
{
    answers a;
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(g->bytes, g->size, NULL, &file, NULL), BVP_OK);
    ck_assert_int_eq(ask_file(file, &a), BVP_OK);
    bvp_close(file);
    return a;
}

START_TEST(a_source_binds_its_glb)
{
    outside_glb g = outside_make_glb(&outside_forms[_i], 2000);
    const answers expected = expected_of(&g);
    for (int mode = BVP_OPEN_CHECKED; mode <= BVP_OPEN_ISOLATED; mode++) {
        source_case s = source_case_of(g.bytes, g.size);
        const bvp_open_options how = {.mode = (bvp_open_mode)mode};
        bvp_file *file = source_case_open(&s, 1 << 20, &how);
        const uint64_t opened = s.bytes_read;
        answers a;
        if (mode != BVP_OPEN_ISOLATED)
            ck_assert_uint_lt(opened, g.file); /* nobody has asked for the buffers */
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(ask_file(file, &a), BVP_OK);
            ck_assert(memcmp(&a, &expected, sizeof a) == 0);
        }
        /* each byte once, which the file's own chunks are, too, in a cache of its size */
        ck_assert_uint_lt(s.bytes_read, g.size + 3 * BVPD_BLOCK_SIZE);
        if (mode != BVP_OPEN_ISOLATED)
            ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, NULL), BVP_OK);
        ck_assert_int_eq(s.closed, mode == BVP_OPEN_ISOLATED);
        bvp_close(file);
        ck_assert_int_eq(s.closed, 1);
    }
    /* triangles, before any query */
    source_case s = source_case_of(g.bytes, g.size);
    bvp_file *file = source_case_open(&s, 0, NULL);
    float triangle[9], vertex[3];
    uint64_t count;
    ck_assert_int_eq(bvp_get_vertices(file, 0, 15, 1, vertex, &count), BVP_OK);
    ck_assert_int_eq(bvp_get_triangle(file, 0, 5, triangle, NULL), BVP_OK);
    ck_assert(memcmp(triangle, expected.triangle, 36) == 0 && memcmp(vertex, triangle, 12) == 0);
    bvp_close(file);
    free(g.bytes);
}
END_TEST

/* Nothing is here until it was waited for. */
START_TEST(a_slow_source)
{
    outside_glb g = outside_make_glb(&outside_forms[_i], 2000);
    const answers expected = expected_of(&g);
    source_case s = source_case_of(g.bytes, g.size);
    s.there = calloc((g.size >> 16) + 8, 1);
    const bvp_source source = source_case_source(&s, 1 << 20);
    bvp_file *file = NULL;
    bvp_status status;
    unsigned waits = 0;
    while ((status = bvp_open_source(&source, NULL, &file, NULL)) == BVP_ERR_AGAIN) {
        source_case_arrives(&s);
        ck_assert_uint_lt(++waits, 20);
    }
    ck_assert_int_eq(status, BVP_OK);
    answers a;
    memset(s.there, 0, (g.size >> 16) + 8);
    const unsigned opened = waits;
    while ((status = ask_file(file, &a)) == BVP_ERR_AGAIN) {
        bvp_error error;
        ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_ERR_AGAIN);
        source_case_arrives(&s);
        ck_assert_uint_lt(++waits, opened + 40);
    }
    ck_assert(waits > opened && status == BVP_OK && memcmp(&a, &expected, sizeof a) == 0);
    bvp_close(file);
    free(s.there);
    free(g.bytes);
}
END_TEST

/* Other bytes, a line that is cut, and offsets that lead out of the binary chunk. */
START_TEST(a_lying_source)
{
    outside_glb g = outside_make_glb(&outside_forms[2], 2000);
    const answers expected = expected_of(&g);
    source_case s = source_case_of(g.bytes, g.size);
    bvp_file *file = source_case_open(&s, 0, NULL);
    bvp_error error = {0};
    answers a;
    s.damage = g.chunk + 12;
    ck_assert_int_eq(ask_file(file, &a), BVP_ERR_CORRUPT);
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_ERR_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.message, "asset has changed"));
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, NULL), BVP_ERR_CORRUPT);
    bvp_close(file);

    s = source_case_of(g.bytes, g.size);
    file = source_case_open(&s, 0, NULL);
    s.answer = BVP_ERR_SYSTEM;
    ck_assert_int_eq(ask_file(file, &a), BVP_ERR_SYSTEM);
    ck_assert_int_eq(bvp_check_part(file, 0, &error), BVP_ERR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(error.message, "the line is cut"));
    s.good_reads = 1; /* of two: what has come is not asked for again */
    ck_assert_int_eq(ask_file(file, &a), BVP_ERR_SYSTEM);
    s.answer = BVP_OK;
    ck_assert_int_eq(ask_file(file, &a), BVP_OK);
    ck_assert(memcmp(&a, &expected, sizeof a) == 0);
    bvp_close(file);

    bvpd_header *h = (bvpd_header *)(g.bytes + g.file);
    bvpd_buffers *r =
        (bvpd_buffers *)(void *)(g.bytes + g.file + h->sections[bvpi_find_buffers(h)].offset);
    const bvpd_buffers kept = *r;
    for (int k = 0; k < 6; k++) {
        *r = kept;
        uint64_t *const offset = k % 2 == 0 ? &r->position_off : &r->index_off;
        *offset = k < 2 ? g.chunk_size - 1 : k < 4 ? UINT64_MAX - 1 : *offset;
        if (k == 4)
            r->vertex_count = UINT32_MAX;
        if (k == 5)
            r->position_stride = 0;
        repair_file(g.bytes + g.file, g.size - g.file);
        s = source_case_of(g.bytes, g.size);
        const bvp_source source = source_case_source(&s, 0);
        ck_assert_int_eq(bvp_open_source(&source, NULL, &file, &error), BVP_ERR_CORRUPT);
        ck_assert_str_eq(error.rule, k == 5 ? "BUF-3" : "BUF-5");
        ck_assert_int_eq(s.closed, 1);
        ck_assert_uint_le(s.largest,
                          BVPD_HEADER_SIZE + BVPD_BLOCK_SIZE); /* nothing of the buffers was read */
    }
    free(g.bytes);
}
END_TEST

/* ---- rules ----------------------------------------------------------------------------------- */

typedef struct finds {
    const char *rule;
    bool found;
} finds;

static int note(void *user, const bvp_finding *finding)
{
    finds *f = user;
    f->found = f->found || strcmp(f->rule, finding->rule) == 0;
    return 0;
}

static void expect_rule(const outside_glb *g, const char *rule)
{
    finds f = {.rule = rule};
    const size_t size = (size_t)((bvpd_header *)(g->bytes + g->file))->file_size;
    repair_file(g->bytes + g->file, size);
    ck_assert_int_ne(bvp_verify(g->bytes, g->size, note, &f, NULL), BVP_OK);
    ck_assert_msg(f.found, "%s is not reported", rule);
}

START_TEST(every_rule_is_checked)
{
    outside_glb good = outside_make_glb(&outside_forms[2], 900);
    for (int k = 0; k < 24; k++) {
        outside_glb g = good;
        g.bytes = aligned_alloc(4096, (g.size + 4095) / 4096 * 4096);
        memcpy(g.bytes, good.bytes, good.size);
        uint8_t *file = g.bytes + g.file, *chunk = g.bytes + g.chunk;
        bvpd_header *h = (bvpd_header *)file;
        bvpd_section *s = &h->sections[bvpi_find_buffers(h)];
        bvpd_buffers *r = (bvpd_buffers *)(file + s->offset);
        bvpd_part *part = (bvpd_part *)(file + h->sections[BVPD_PART].offset);
        uint8_t *blob = file + h->sections[BVPD_DATA].offset;
        uint32_t entry;
        memcpy(&entry, blob + part->cluster_table_off, 4);
        bvpd_cluster *cluster = (bvpd_cluster *)(blob + ((uint64_t)entry << part->cluster_shift));
        const char *rule = "BUF-2";
        switch (k) {
        case 0:
            h->feature_incompatible &= ~BVPD_FEATURE_OUTSIDE;
            rule = "BUF-1";
            break;
        case 1:
            memcpy(s->kind, "LOST", 4);
            rule = "BUF-1";
            break;
        case 2:
            s->record_size = 32;
            rule = "BUF-1";
            break;
        case 3:
            h->feature_incompatible |= BVPD_FEATURE_THIN;
            rule = "BUF-1";
            break;
        case 4:
            r[0].part = 1;
            break;
        case 5:
            r[1].first_triangle++;
            break;
        case 6:
            r[2].part = 2;
            break;
        case 7:
            r[0].triangle_count = UINT32_MAX;
            break;
        case 8:
            r[0].position_type = BVP_UINT32;
            rule = "BUF-3";
            break;
        case 9:
            r[1].position_stride = 11;
            rule = "BUF-3";
            break;
        case 10:
            r[1].position_stride = 0;
            rule = "BUF-3";
            break;
        case 11:
            r[2].normalized = 2;
            rule = "BUF-3";
            break;
        case 12:
            r[2].reserved = 1;
            rule = "BUF-3";
            break;
        case 13:
            r[1].position_off = BVPD_NOWHERE;
            rule = "BUF-3";
            break;
        case 14:
            r[0].index_type = BVP_INT8;
            rule = "BUF-3";
            break;
        case 15:
            cluster->packing[1] = BVPD_RAW << 6 | 32;
            rule = "BUF-4";
            break;
        case 16:
            cluster->table_count[0] = 3;
            rule = "BUF-4";
            break;
        case 17:
            cluster->base[0] += 900;
            rule = "BUF-4";
            break;
        case 18:
            part->ids_size = 0;
            rule = "BUF-4";
            break;
        case 19:
            r[1].hash[3] ^= 1;
            rule = "BUF-5";
            break;
        case 20:
            r[1].position_off = UINT64_MAX - 5;
            rule = "BUF-5";
            break;
        case 21:   /* an index beyond, rightly hashed */
        case 22: { /* and a coordinate that is not finite */
            const float nan = NAN;
            bvpi_buffers b;
            if (k == 21)
                chunk[r[0].index_off + 1] = 0xff;
            else
                memcpy(chunk + r[0].position_off, &nan, 4);
            const bvp_buffers given = {.positions = chunk + r[0].position_off,
                                       .position_stride = r[0].position_stride,
                                       .vertex_count = r[0].vertex_count,
                                       .indices = chunk + r[0].index_off,
                                       .index_type = BVP_UINT16,
                                       .triangle_count = r[0].triangle_count};
            bvpi_buffers_take(&given, 0, &b);
            bvpi_buffers_hash(&b, NULL, r[0].hash);
            rule = k == 21 ? "BUF-5" : "CLU-8";
            break;
        }
        default:
            ((uint8_t *)(cluster + 1))[5] = 1;
            rule = "CLU-10";
            break;
        }
        expect_rule(&g, rule);
        free(g.bytes);
    }
    free(good.bytes);
}
END_TEST

/* Each field of BUFS takes extreme values: it opens bound or not at all, and answers or says why.
 */
START_TEST(forged_records)
{
    static const uint64_t values[] = {0, 1, 2, 255, 65536, UINT32_MAX, UINT64_MAX, UINT64_MAX / 2};
    outside_glb g = outside_make_glb(&outside_forms[2], 900);
    bvpd_header *h = (bvpd_header *)(g.bytes + g.file);
    uint8_t *records = g.bytes + g.file + h->sections[bvpi_find_buffers(h)].offset;
    for (size_t at = 0; at < 3 * sizeof(bvpd_buffers); at += 4)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            for (int mode = 0; mode < 2; mode++) {
                uint8_t kept[8];
                bvp_error error = {0};
                memcpy(kept, records + at, 8);
                memcpy(records + at, &values[k], at % 8 == 0 ? 8 : 4);
                ask_glb(&g, (bvp_open_mode)mode, &error);
                bvp_verify(g.bytes, g.size, NULL, NULL, &error);
                memcpy(records + at, kept, 8);
            }
    /* a stride of 0 must not become a dense one, which reaches beyond the binary chunk */
    bvp_error error = {0};
    ((bvpd_buffers *)(void *)records)->position_stride = 0;
    ck_assert_int_eq(ask_glb(&g, BVP_OPEN_CHECKED, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "BUF-3");
    free(g.bytes);
}
END_TEST

SUITE(test_outside_glb)
{
    TCase *cases = tcase_create("outside_glb");
    tcase_set_timeout(cases, SUITE_TIMEOUT);
    tcase_add_loop_test(cases, a_glb_binds_its_own_buffers, 0, OUTSIDE_FORMS);
    tcase_add_loop_test(cases, a_source_binds_its_glb, 0, OUTSIDE_FORMS);
    tcase_add_loop_test(cases, a_slow_source, 0, OUTSIDE_FORMS);
    tcase_add_test(cases, a_lying_source);
    tcase_add_test(cases, every_rule_is_checked);
    tcase_add_test(cases, forged_records);
    return suite_run_case("outside_glb", cases);
}
