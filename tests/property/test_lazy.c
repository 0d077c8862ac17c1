/* SPDX-License-Identifier: MIT
 * test_lazy.c: with verify_lazily a part's damage is found when the part is touched, and only then.
 */
#include "build_case.h"
#include "format/lazy.h"
#include "repair.h"
#include "suite.h"
#include "tiny_file.h"

static bvp_file *open_lazily(const uint8_t *bytes, size_t size)
{
    const bvp_open_options options = {.verify_lazily = 1};
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(bytes, size, &options, &file, NULL), BVP_OK);
    return file;
}

START_TEST(test_good)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    bvp_file *file = open_lazily(bytes, size);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK);
        ck_assert_int_eq(bvpi_touch(file, 1), BVP_OK);
        ck_assert_int_eq(bvpi_touch(file, BVP_ASSEMBLY), BVP_OK);
        ck_assert_int_eq(bvpi_touch(file, 2), BVP_ERR_ARGUMENT);
    }
    bvp_close(file);
    free(bytes);
}
END_TEST

/* All of the small file is in one block. */
START_TEST(test_damaged_block)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    tiny_data(bytes)[0] ^= 1;
    bvp_file *file = open_lazily(bytes, size);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(bvpi_touch(file, 0), BVP_ERR_CORRUPT);
        ck_assert_int_eq(bvpi_touch(file, BVP_ASSEMBLY), BVP_ERR_CORRUPT);
    }
    bvp_close(file);
    bvp_open_memory(bytes, size, NULL, &file, NULL);
    ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK); /* not asked for */
    bvp_close(file);
    free(bytes);
}
END_TEST

/* A damaged block and its hash, forged to match: the root hash tells. */
START_TEST(test_damaged_hashes)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size), root[16];
    bvpd_header *h = (bvpd_header *)bytes;
    memcpy(root, h->root_hash, sizeof root);
    tiny_data(bytes)[0] ^= 1;
    repair_file(bytes, size);
    memcpy(h->root_hash, root, sizeof root);
    h->header_hash = bvpi_header_hash(h);
    bvp_file *file = open_lazily(bytes, size);
    ck_assert_int_eq(bvpi_touch(file, 1), BVP_ERR_CORRUPT);
    bvp_close(file);
    free(bytes);
}
END_TEST

/* Other parts and sections may be damaged. */
START_TEST(test_only_what_is_touched)
{
    size_t size;
    uint8_t *bytes = tiny_make(&size);
    const bvpd_header *h = (const bvpd_header *)bytes;
    bvp_file *file = open_lazily(bytes, size);
    ck_assert(bvpi_block_is_good(file, 0));
    ck_assert(!bvpi_block_is_good(file, h->sections[BVPD_HASH].record_count));
    ck_assert(!bvpi_block_is_good(file, UINT64_MAX));
    ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK);
    tiny_data(bytes)[0] ^= 1;
    ck_assert_int_eq(bvpi_touch(file, 0), BVP_OK); /* looked at once */
    ck_assert_int_eq(bvpi_touch(file, 1), BVP_OK); /* which lies in the same block */
    bvp_close(file);
    file = open_lazily(bytes, size);
    ck_assert_int_eq(bvpi_touch(file, 1), BVP_ERR_CORRUPT);
    bvp_close(file);
    free(bytes);
}
END_TEST

/* Sections of more than two blocks each: a block in the middle holds nothing else. */
static case_file make_large(void)
{
    enum { TRIANGLES = 80000, NODES = 16000, TEXT = 3 * BVPD_BLOCK_SIZE };
    static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_BOXTREE}};
    uint64_t state = case_seed();
    bvp_builder *builder;
    uint32_t part, node;
    char text[64], *provenance = malloc(TEXT + 1);
    memset(provenance, ' ', TEXT);
    memcpy(provenance, "{}", 2);
    provenance[TEXT] = '\0';
    const bvp_build_options options = {
        .provenance = provenance, .hierarchies = kinds, .hierarchy_count = 2};
    float *soup = case_soup(&state, TRIANGLES, 10, 0.1);
    const bvp_mesh mesh = case_mesh(soup, TRIANGLES);
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
    free(soup);
    free(provenance);
    for (uint32_t i = 0; i < NODES; i++) {
        double m[12];
        for (int k = 0; k < 12; k++)
            m[k] = (k % 5 == 0) + 0.1 * case_uniform(&state);
        snprintf(text, sizeof text, "a name that takes up some room, %u", i);
        ck_assert_int_eq(
            bvp_builder_add_node(
                builder,
                &(bvp_new_node){.parent = BVP_NONE, .name = text, .placement = m, .part = part},
                &node, NULL),
            BVP_OK);
    }
    return case_finish(builder);
}

START_TEST(test_every_section)
{
    static const struct {
        enum bvpd_section_index section;
        uint32_t part;
        bool is_name;
    } asked[] = {{BVPD_DATA, 0, false},
                 {BVPD_TIDS, 0, false},
                 {BVPD_BINH, 0, false},
                 {BVPD_LINS, BVP_ASSEMBLY, false},
                 {BVPD_INST, BVP_ASSEMBLY, false},
                 {BVPD_TOPN, BVP_ASSEMBLY, false},
                 {BVPD_TREE, 0, true},
                 {BVPD_STRS, 0, true},
                 {BVPD_PROV, 0, true}};
    case_file f = make_large();
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const bvpi_span *span = &f.file->section[asked[i].section];
        ck_assert_uint_gt(span->size, 2 * BVPD_BLOCK_SIZE);
        uint8_t *middle =
            (uint8_t *)f.bytes + (span->data - (const uint8_t *)f.bytes) + span->size / 2;
        for (int damaged = 0; damaged < 2; damaged++) {
            *middle ^= (uint8_t)damaged;
            bvp_file *file = open_lazily(f.bytes, f.size);
            ck_assert_int_eq(asked[i].is_name ? bvpi_check_names(file, NULL)
                                              : bvpi_touch(file, asked[i].part),
                             damaged ? BVP_ERR_CORRUPT : BVP_OK);
            bvp_close(file);
            *middle ^= (uint8_t)damaged;
        }
    }
    case_close(&f);
}
END_TEST

SUITE(test_lazy)
{
    const TTest *const tests[] = {test_good,           test_damaged_block,
                                  test_damaged_hashes, test_only_what_is_touched,
                                  test_every_section,  NULL};
    return suite_run("lazy", tests);
}
