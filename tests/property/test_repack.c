/* SPDX-License-Identifier: MIT
 * test_repack.c: parts that are built anew from a packed file are the bytes of parts that were
 * packed so at once.
 */
#include "build_case.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 3, MOST = 3000 };

/* A product of some parts. */
typedef struct product {
    float *soup[PARTS];
    double *doubles; /* of part 1: far from the origin, what floats cannot hold */
    uint32_t count[PARTS], *ids[PARTS];
} product;

static void make_product(uint64_t *state, product *p)
{
    for (int i = 0; i < PARTS; i++) {
        p->count[i] = 1 + (uint32_t)(case_random(state) % MOST);
        p->soup[i] = case_soup(state, p->count[i], 10, 1);
        p->ids[i] = malloc(p->count[i] * sizeof *p->ids[i]);
        for (uint32_t k = 0; k < p->count[i]; k++) /* ascending, over the whole range */
            p->ids[i][k] =
                (k == 0 ? 0 : p->ids[i][k - 1]) + 1 + (uint32_t)(case_random(state) % (1 << 20));
        p->ids[i][p->count[i] - 1] = UINT32_MAX - 1;
    }
    p->doubles = malloc(9 * p->count[1] * sizeof *p->doubles);
    for (uint32_t k = 0; k < 9 * p->count[1]; k++)
        p->doubles[k] = 1e7 + 1.0 / 3 + p->soup[1][k];
}

static void free_product(product *p)
{
    for (int i = 0; i < PARTS; i++) {
        free(p->soup[i]);
        free(p->ids[i]);
    }
    free(p->doubles);
}

static void check(bvp_status status, const bvp_error *error)
{
    ck_assert_msg(status == BVP_OK, "%s", error->message);
}

static case_file pack(const product *p, const bvp_build_options *options)
{
    bvp_builder *b;
    bvp_error error = {0};
    check(bvp_builder_new(options, &b, &error), &error);
    for (int i = 0; i < PARTS; i++) {
        static const char *const names[PARTS] = {"first", "second", "third"};
        bvp_mesh mesh = case_mesh(p->soup[i], p->count[i]);
        uint32_t part, node;
        mesh.name = names[i];
        if (i == 1) {
            mesh.positions = p->doubles;
            mesh.is_double = 1;
        }
        if (i == 2)
            mesh.ids = p->ids[i];
        check(bvp_builder_add_part(b, &mesh, &part, &error), &error);
        const double placement[12] = {1, 0, 0, 5.0 * i, 0, 1, 0, 0, 0, 0, 1, 0};
        check(bvp_builder_add_node(b,
                                   &(bvp_new_node){.parent = BVP_NONE,
                                                   .name = names[2 - i],
                                                   .placement = placement,
                                                   .part = part},
                                   &node, &error),
              &error);
        check(bvp_builder_add_property(b, node, "key", names[i], &error), &error);
    }
    return case_finish(b);
}

/* The bytes of the repacked file, to be freed. */
static void *repack(const bvp_file *file, const bvp_build_options *options, size_t *size)
{
    FILE *out = tmpfile();
    bvp_error error = {0};
    check(bvp_repack_fd(file, options, fileno(out), &error), &error);
    fseek(out, 0, SEEK_END);
    *size = (size_t)ftell(out);
    rewind(out);
    void *bytes = malloc(*size);
    ck_assert_uint_eq(fread(bytes, 1, *size, out), *size);
    fclose(out);
    return bytes;
}

static void check_same(const case_file *from, const case_file *expected,
                       const bvp_build_options *options)
{
    bvp_build_options threads = *options;
    for (uint32_t count = 1; count <= 3; count += 2) {
        size_t size;
        threads.thread_count = count;
        void *bytes = repack(from->file, &threads, &size);
        ck_assert_uint_eq(size, expected->size);
        ck_assert_mem_eq(bytes, expected->bytes, size);
        free(bytes);
    }
}

/* From each rule to each other. */
START_TEST(test_rules)
{
    static const uint8_t source[16] = {1, 2, 3};
    static const bvp_split rules[] = {BVP_SPLIT_SAH, BVP_SPLIT_MORTON, BVP_SPLIT_FULL};
    uint64_t state = case_seed();
    for (int round = 0; round < 4; round++) {
        product p;
        case_file file[3];
        bvp_hierarchy_spec specs[3][2];
        bvp_build_options options[3];
        make_product(&state, &p);
        for (int k = 0; k < 3; k++) {
            specs[k][0] = (bvp_hierarchy_spec){.kind = BVP_KIND_WIDE, .split = rules[k]};
            specs[k][1] = (bvp_hierarchy_spec){.kind = BVP_KIND_BOXTREE};
            options[k] = (bvp_build_options){.unit_in_metres = 0.001,
                                             .up = BVP_UP_Z,
                                             .tessellation_tolerance = 0.5,
                                             .source_hash = source,
                                             .hierarchies = specs[k],
                                             .hierarchy_count = 1 + round % 2,
                                             .rays = round == 2,
                                             .deformable = round == 3};
            file[k] = pack(&p, &options[k]);
            /* the file's own are kept */
            options[k].unit_in_metres = options[k].tessellation_tolerance = 0;
            options[k].up = BVP_UP_UNKNOWN;
        }
        for (int from = 0; from < 3; from++)
            for (int to = 0; to < 3; to++)
                check_same(&file[from], &file[to], &options[to]);
        for (int k = 0; k < 3; k++)
            case_close(&file[k]);
        free_product(&p);
    }
}
END_TEST

static void check_opens(const bvp_file *from, const bvp_build_options *options)
{
    size_t size;
    bvp_file *file;
    bvp_error error = {0};
    bvp_file_info old, new;
    void *bytes = repack(from, options, &size);
    FILE *kept = tmpfile();
    ck_assert_uint_eq(fwrite(bytes, 1, size, kept), size);
    fflush(kept);
    check(bvp_open_fd(fileno(kept), NULL, &file, &error), &error);
    check(bvp_verify_file(file, NULL, NULL, &error), &error);
    bvp_get_info(from, &old);
    bvp_get_info(file, &new);
    ck_assert_uint_eq(new.triangle_count, old.triangle_count);
    ck_assert_uint_eq(new.part_count, old.part_count);
    ck_assert_mem_ne(new.source_hash, old.source_hash, sizeof new.source_hash);
    bvp_close(file);
    fclose(kept);
    free(bytes);
}

/* Without numbers, and with equal ones, the file is sound, though the source's order is lost. */
START_TEST(test_lost_order)
{
    uint64_t state = case_seed();
    product p;
    make_product(&state, &p);
    for (uint32_t k = 0; k < p.count[2]; k++)
        p.ids[2][k] = k / 4;
    const bvp_build_options none = {.no_ids = 1}, all = {0};
    case_file file = pack(&p, &none);
    check_opens(file.file, &none);
    case_close(&file);
    file = pack(&p, &all);
    check_opens(file.file, NULL);
    case_close(&file);
    free_product(&p);
}
END_TEST

static const bvp_file *find_nothing(void *user, const uint8_t address[16])
{
    (void)user;
    (void)address;
    return NULL;
}

START_TEST(test_refusals)
{
    uint64_t state = case_seed();
    product p;
    make_product(&state, &p);
    case_file file = pack(&p, &(bvp_build_options){0});
    const bvp_build_options bad[] = {
        {.share = 1}, {.thin = 1}, {.find_packed = find_nothing}, {.leaf_size = 9}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        bvp_error error = {0};
        ck_assert_int_eq(bvp_repack_fd(file.file, &bad[k], -1, &error), BVP_ERR_ARGUMENT);
        ck_assert_str_ne(error.message, "");
    }
    case_close(&file);
    free_product(&p);
}
END_TEST

SUITE(test_repack)
{
    const TTest *const tests[] = {test_rules, test_lost_order, test_refusals, NULL};
    return suite_run("repack", tests);
}
