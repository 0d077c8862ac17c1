/* SPDX-License-Identifier: MIT
 * test_source_record.c: a packed model comes back from its text as it was, and damaged text never
 * does harm.
 */
#include "store/source_record.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static void make_model(model *m)
{
    *m = (model){.unit_in_metres = 0.001,
                 .tolerance = 0.25,
                 .up = BVP_UP_Z,
                 .mesh_count = 2,
                 .node_count = 3};
    m->format = strdup("GLB");
    m->meshes = calloc(2, sizeof *m->meshes);
    m->nodes = calloc(3, sizeof *m->nodes);
    m->warnings = calloc(1, sizeof *m->warnings);
    m->files = calloc(1, sizeof *m->files);
    for (uint32_t i = 0; i < 2; i++) {
        m->meshes[i].name = i ? NULL : strdup("a:1 \n- b");
        m->meshes[i].is_packed = 1;
        m->meshes[i].triangle_count = 7 * i;
        m->meshes[i].dropped_count = i;
        if (i == 0)
            continue;
        bvp_part_info *part = &m->meshes[i].packed;
        *part = (bvp_part_info){.triangle_count = 7,
                                .vertex_count = 9,
                                .origin = {0.1, -1e300, 3},
                                .lo = {-1.5f, 0.1f, 1e-40f},
                                .hi = {2, 3, 4},
                                .rounding_error = 1e-9,
                                .degenerate_count = 1,
                                .duplicate_count = 2,
                                .open_edge_count = 3,
                                .nonmanifold_edge_count = 4};
        memset(part->address, 0xa0 + (int)i, 16);
        memset(part->content_hash, 0x0f, 16);
        memset(part->packer, 0xc0 + (int)i, 16);
        m->meshes[i].sound = (stamp){1, 2, UINT64_MAX, 4};
    }
    for (uint32_t i = 0; i < 3; i++) {
        model_node *node = &m->nodes[i];
        node->name = strdup(i ? "" : "root");
        node->source_id = i == 2 ? strdup("id") : NULL;
        node->parent = i ? i - 1 : BVP_NONE;
        node->mesh = i ? i - 1 : BVP_NONE;
        for (int k = 0; k < 12; k++)
            node->placement[k] = k / 3.0 - i;
    }
    m->nodes[1].properties = calloc(1, sizeof *m->nodes[1].properties);
    m->nodes[1].properties[0].key = strdup("key");
    m->nodes[1].properties[0].value = strdup("5:x");
    m->nodes[1].property_count = 1;
    m->warning_count = m->file_count = 1;
    m->warnings[0].text = strdup("points skipped");
    m->warnings[0].count = 12;
    m->files[0].name = strdup("x.bin");
    m->files[0].size = 99;
    m->files[0].hash[15] = 3;
}

static char *text_of(const model *m, size_t *size)
{
    char *text = source_record_text(m, size);
    ck_assert_ptr_nonnull(text);
    return text;
}

START_TEST(what_was_written_is_read)
{
    model m, back;
    size_t size, again_size;
    make_model(&m);
    char *text = text_of(&m, &size);
    ck_assert_int_eq(source_record_read(text, size, &back), 0);
    char *again = text_of(&back, &again_size);
    ck_assert_uint_eq(again_size, size);
    ck_assert_mem_eq(again, text, size);
    ck_assert(back.tolerance == 0.25);
    ck_assert_str_eq(back.meshes[0].name, "a:1 \n- b");
    ck_assert_ptr_null(back.meshes[1].name);
    ck_assert_uint_eq(back.meshes[1].triangle_count, 7);
    ck_assert_int_eq(back.meshes[1].is_packed, 1);
    ck_assert_mem_eq(&back.meshes[1].packed, &m.meshes[1].packed, sizeof back.meshes[1].packed);
    ck_assert(stamp_is_equal(&back.meshes[1].sound, &m.meshes[1].sound));
    ck_assert_mem_eq(back.nodes[2].placement, m.nodes[2].placement, 96);
    ck_assert_str_eq(back.nodes[1].properties[0].value, "5:x");
    ck_assert_uint_eq(back.files[0].hash[15], 3);
    free(text);
    free(again);
    model_free(&m);
    model_free(&back);
}
END_TEST

START_TEST(damage_is_refused_or_harmless)
{
    model m, back;
    size_t size;
    make_model(&m);
    char *text = text_of(&m, &size);
    for (size_t i = 0; i < size; i++) {
        char *part = malloc(i + 1);
        memcpy(part, text, i);
        ck_assert_int_eq(source_record_read(part, i, &back), -1);
        model_free(&back);
        free(part);
        for (int k = 0; k < 3; k++) {
            const char kept = text[i];
            text[i] = "9 \xff"[k];
            source_record_read(text, size, &back);
            model_free(&back);
            text[i] = kept;
        }
    }
    free(text);
    model_free(&m);
}
END_TEST

/* Names that no model lacks. */
START_TEST(missing_texts_are_refused)
{
    static const char *const texts[] = {"5:x.bin", "14:points skipped", "3:5:x"};
    model m, back;
    make_model(&m);
    for (int i = 0; i < 3; i++) {
        size_t size;
        char *text = text_of(&m, &size), *at = strstr(text, texts[i]);
        const size_t length = strlen(texts[i]);
        ck_assert_ptr_nonnull(at);
        memmove(at + 1, at + length, size - (size_t)(at + length - text));
        *at = '-';
        ck_assert_int_eq(source_record_read(text, size - length + 1, &back), -1);
        model_free(&back);
        free(text);
    }
    model_free(&m);
}
END_TEST

SUITE(test_source_record)
{
    const TTest *const tests[] = {what_was_written_is_read, damage_is_refused_or_harmless,
                                  missing_texts_are_refused, NULL};
    return suite_run("source_record", tests);
}
