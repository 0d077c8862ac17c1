/* SPDX-License-Identifier: MIT
 * test_packed.c: a part that was packed before is the same bytes wherever it is used; a thin file
 * answers as one that holds its parts, and says which part is missing.
 */
#include "build_case.h"
#include "format/map.h"
#include "repair.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 3, COUNT = 400, PATH_SIZE = 200 };

static const bvp_hierarchy_spec kinds[] = {
    {.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_BOXTREE}, {.kind = BVP_KIND_AABB}};

/* Three parts, and a store for them. */
typedef struct fixture {
    float *soup[PARTS];
    char folder[40], path[PARTS][PATH_SIZE];
    uint8_t address[PARTS][16];
} fixture;

static bvp_builder *new_builder(const bvp_build_options *options)
{
    bvp_builder *builder;
    bvp_build_options all = *options;
    bvp_error error = {0};
    all.hierarchies = kinds;
    all.hierarchy_count = 3;
    ck_assert_msg(bvp_builder_new(&all, &builder, &error) == BVP_OK, "%s", error.message);
    return builder;
}

static uint32_t add(bvp_builder *builder, const fixture *f, int i)
{
    static const char *const names[PARTS] = {"first", "second", "third"};
    bvp_mesh mesh = case_mesh(f->soup[i], COUNT);
    uint32_t part;
    bvp_error error = {0};
    mesh.name = names[i];
    mesh.source_id = "x";
    ck_assert_msg(bvp_builder_add_part(builder, &mesh, &part, &error) == BVP_OK, "%s",
                  error.message);
    ck_assert_uint_eq(part, (uint32_t)i);
    return part;
}

static void name_path(fixture *f, int i)
{
    const uint8_t *a = f->address[i];
    int used = snprintf(f->path[i], PATH_SIZE, "%s/%02x", f->folder, a[0]);
    mkdir(f->path[i], 0777);
    f->path[i][used++] = '/';
    for (int k = 1; k < 16; k++)
        used += snprintf(f->path[i] + used, PATH_SIZE - (size_t)used, "%02x", a[k]);
    snprintf(f->path[i] + used, PATH_SIZE - (size_t)used, ".bvp");
}

static void save(bvp_builder *builder, fixture *f, int i)
{
    bvp_part_info info;
    bvp_error error = {0};
    ck_assert_int_eq(bvp_builder_get_part(builder, (uint32_t)i, &info), BVP_OK);
    ck_assert_uint_eq(info.triangle_count, COUNT);
    memcpy(f->address[i], info.address, 16);
    name_path(f, i);
    ck_assert_msg(bvp_builder_save_part(builder, (uint32_t)i, f->path[i], &error) == BVP_OK, "%s",
                  error.message);
}

/* Parts saved by a builder of their own, in reverse order. */
static void open_fixture(fixture *f)
{
    uint64_t state = case_seed();
    bvp_builder *builder = new_builder(&(bvp_build_options){.unit_in_metres = 0.001});
    strcpy(f->folder, "packed_test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    for (int i = 0; i < PARTS; i++) {
        f->soup[i] = case_soup(&state, COUNT, 10, 1);
        add(builder, f, i);
    }
    for (int i = PARTS; i-- > 0;)
        save(builder, f, i);
    bvp_builder_free(builder);
}

static void close_fixture(fixture *f)
{
    for (int i = 0; i < PARTS; i++) {
        unlink(f->path[i]);
        *strrchr(f->path[i], '/') = '\0';
        rmdir(f->path[i]);
        free(f->soup[i]);
    }
    rmdir(f->folder);
}

static case_file whole_file(const fixture *f)
{
    bvp_builder *builder = new_builder(&(bvp_build_options){.unit_in_metres = 0.5});
    for (int i = 0; i < PARTS; i++)
        add(builder, f, i);
    return case_finish(builder);
}

static bvp_file *open_part(const fixture *f, int i)
{
    const bvp_open_options options = {.verify_lazily = 1};
    bvp_file *file;
    bvp_error error = {0};
    ck_assert_msg(bvp_open(f->path[i], &options, &file, &error) == BVP_OK, "%s", error.message);
    return file;
}

static void check_equal(const case_file *a, const case_file *b)
{
    ck_assert_uint_eq(a->size, b->size);
    ck_assert_int_eq(memcmp(a->bytes, b->bytes, a->size), 0);
}

/* borrow: the bytes are not copied, so that the files stay open. */
static case_file packed_again(const fixture *f, int borrow)
{
    static const char *const names[PARTS] = {"first", "second", "third"};
    bvp_builder *builder = new_builder(&(bvp_build_options){.unit_in_metres = 0.5});
    bvp_file *file[PARTS];
    for (int i = 0; i < PARTS; i++) {
        uint32_t part;
        file[i] = open_part(f, i);
        ck_assert_int_eq(bvp_verify_file(file[i], NULL, NULL, NULL), BVP_OK);
        ck_assert_int_eq(borrow ? bvp_builder_add_packed(builder,
                                                         &(bvp_packed_part){.file = file[i],
                                                                            .part = 0,
                                                                            .name = names[i],
                                                                            .source_id = "x",
                                                                            .borrow = 1},
                                                         &part, NULL)
                                : bvp_builder_add_packed(builder,
                                                         &(bvp_packed_part){.file = file[i],
                                                                            .part = 0,
                                                                            .name = names[i],
                                                                            .source_id = "x"},
                                                         &part, NULL),
                         BVP_OK);
        ck_assert_uint_eq(part, (uint32_t)i);
        ck_assert_int_eq(
            bvp_builder_add_packed(builder,
                                   &(bvp_packed_part){.file = file[i], .part = 0, .name = "twice"},
                                   &part, NULL),
            BVP_OK);
        ck_assert_uint_eq(part, (uint32_t)i);
        ck_assert_int_eq(bvp_builder_add_packed(
                             builder, &(bvp_packed_part){.file = file[i], .part = 1}, &part, NULL),
                         BVP_ERR_ARGUMENT);
        if (!borrow)
            bvp_close(file[i]);
    }
    case_file out = case_finish(builder);
    for (int i = 0; i < PARTS && borrow; i++)
        bvp_close(file[i]);
    return out;
}

START_TEST(a_packed_part_is_the_same_bytes)
{
    fixture f;
    open_fixture(&f);
    case_file whole = whole_file(&f);
    for (int borrow = 0; borrow < 2; borrow++) {
        case_file again = packed_again(&f, borrow);
        ck_assert_uint_eq(again.report.packed_part_count, PARTS);
        ck_assert_uint_eq(again.report.shared_part_count, PARTS);
        check_equal(&whole, &again);
        case_close(&again);
    }
    case_close(&whole);
    close_fixture(&f);
}
END_TEST

typedef struct finder {
    const bvp_file *file;
    const uint8_t *address;
    int asked;
} finder;

static const bvp_file *find(void *user, const uint8_t address[16])
{
    finder *x = user;
    x->asked++;
    return memcmp(address, x->address, 16) == 0 ? x->file : NULL;
}

/* A sound file of `from` that bears another part's address, and does not say who packed it. */
static bvp_file *open_impostor(const bvp_file *from, const uint8_t address[16], uint8_t **bytes)
{
    bvp_file *file;
    bvp_file_info info;
    bvp_get_info(from, &info);
    *bytes = aligned_alloc(4096, info.file_size);
    memcpy(*bytes, from->base, info.file_size);
    const bvpd_header *h = (const bvpd_header *)*bytes;
    bvpd_part *part = (bvpd_part *)(*bytes + h->sections[BVPD_PART].offset);
    memcpy(part->address, address, sizeof part->address);
    memset(part->packer, 0, sizeof part->packer);
    repair_file(*bytes, info.file_size);
    ck_assert_int_eq(bvp_verify(*bytes, info.file_size, NULL, NULL, NULL), BVP_OK);
    ck_assert_int_eq(bvp_open_memory(*bytes, info.file_size, NULL, &file, NULL), BVP_OK);
    return file;
}

START_TEST(a_part_that_is_found_is_not_built)
{
    fixture f;
    open_fixture(&f);
    case_file whole = whole_file(&f);
    uint8_t *bytes;
    bvp_file *file = open_part(&f, 1), *other = open_part(&f, 2);
    bvp_file *impostor = open_impostor(other, f.address[1], &bytes);
    const bvp_file *const stored[] = {file, other, impostor};
    for (int is_wrong = 0; is_wrong < 3; is_wrong++) {
        finder x = {stored[is_wrong], f.address[1], 0};
        bvp_builder *builder = new_builder(&(bvp_build_options){
            .unit_in_metres = 0.5, .find_packed = find, .find_packed_user = &x});
        for (int i = 0; i < PARTS; i++)
            add(builder, &f, i);
        case_file found = case_finish(builder);
        ck_assert_int_eq(x.asked, PARTS);
        ck_assert_uint_eq(found.report.packed_part_count, is_wrong ? 0 : 1);
        check_equal(&whole, &found);
        case_close(&found);
    }
    bvp_close(file);
    bvp_close(other);
    bvp_close(impostor);
    free(bytes);
    case_close(&whole);
    close_fixture(&f);
}
END_TEST

/* What the address must tell apart. */
START_TEST(options_make_other_addresses)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 10, 1);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    const bvp_build_options all[] = {
        {0},
        {.leaf_size = 4},
        {.no_ids = 1},
        {.deformable = 1},
        {.hierarchies = kinds, .hierarchy_count = 1},
        {.hierarchies = kinds + 1, .hierarchy_count = 1},
        {.unit_in_metres = 3, .up = BVP_UP_Z, .thread_count = 2, .drop_invalid = 1}};
    enum { OPTIONS = sizeof all / sizeof *all };
    bvp_part_info info[OPTIONS];
    for (int i = 0; i < OPTIONS; i++) {
        case_file file = case_build(&mesh, &all[i]);
        ck_assert_int_eq(bvp_get_part(file.file, 0, &info[i]), BVP_OK);
        case_close(&file);
    }
    for (int i = 0; i < OPTIONS; i++)
        for (int k = 0; k < i; k++) {
            const int same = (i == 4 || i == 6) && (k == 0 || k == 4);
            ck_assert_int_eq(memcmp(info[i].address, info[k].address, 16) == 0, same);
        }
    free(soup);
}
END_TEST

/* ---- thin files ------------------------------------------------------------------------------ */

static case_file thin_file(fixture *f)
{
    char folder[4096];
    ck_assert_ptr_nonnull(realpath(f->folder, folder));
    bvp_builder *builder =
        new_builder(&(bvp_build_options){.unit_in_metres = 0.5, .thin = 1, .store = folder});
    for (int i = 0; i < PARTS; i++) {
        add(builder, f, i);
        save(builder, f, i);
    }
    return case_finish(builder);
}

typedef struct corner_sum {
    uint64_t count, triangles;
    double corners;
} corner_sum;

static int add_corners(void *user, const bvp_hit_id *id, const double corners[9])
{
    corner_sum *sum = user;
    sum->count++;
    sum->triangles += (id->instance + 1) * (id->triangle + 1);
    for (int k = 0; k < 9; k++)
        sum->corners += corners[k];
    return 0;
}

START_TEST(a_thin_file_answers_as_a_fat_one)
{
    fixture f;
    open_fixture(&f);
    case_file whole = whole_file(&f), thin = thin_file(&f);
    bvp_file_info info;
    bvp_get_info(thin.file, &info);
    ck_assert_int_eq(info.is_thin, 1);
    ck_assert_uint_lt(thin.size, whole.size);
    for (uint32_t part = 0; part < PARTS; part++) {
        bvp_part_info a, b;
        bvp_hierarchy_info h, k;
        float p[2][9 * COUNT];
        uint64_t ids[2][COUNT], got;
        ck_assert_int_eq(bvp_get_part(whole.file, part, &a), BVP_OK);
        ck_assert_int_eq(bvp_get_part(thin.file, part, &b), BVP_OK);
        ck_assert_uint_eq(b.name.size, a.name.size);
        ck_assert_mem_eq(b.name.data, a.name.data, a.name.size);
        ck_assert_uint_eq(b.cluster_count, a.cluster_count);
        ck_assert_uint_eq(b.hierarchy_count, a.hierarchy_count);
        ck_assert_uint_eq(b.geometry_size, a.geometry_size);
        for (uint32_t i = 0; i < a.hierarchy_count; i++) {
            ck_assert_int_eq(bvp_get_hierarchy(whole.file, part, i, &h), BVP_OK);
            ck_assert_int_eq(bvp_get_hierarchy(thin.file, part, i, &k), BVP_OK);
            ck_assert_mem_eq(&h, &k, sizeof h);
        }
        bvp_get_triangles(whole.file, part, (bvp_range){0, COUNT}, p[0], ids[0], &got);
        ck_assert_int_eq(
            bvp_get_triangles(thin.file, part, (bvp_range){0, COUNT}, p[1], ids[1], &got), BVP_OK);
        ck_assert_mem_eq(p[0], p[1], sizeof p[0]);
        ck_assert_mem_eq(ids[0], ids[1], sizeof ids[0]);
    }
    bvp_part_info parts[2][PARTS];
    uint64_t count[2];
    bvp_get_parts(whole.file, (bvp_range){0, PARTS}, parts[0], &count[0]);
    ck_assert_int_eq(bvp_get_parts(thin.file, (bvp_range){0, PARTS}, parts[1], &count[1]), BVP_OK);
    ck_assert(count[0] == PARTS && count[1] == PARTS);
    for (int part = 0; part < PARTS; part++)
        ck_assert_mem_eq(parts[0][part].content_hash, parts[1][part].content_hash, 16);
    const bvp_body a = {.file = whole.file, .part = BVP_ASSEMBLY};
    const bvp_body b = {.file = thin.file, .part = BVP_ASSEMBLY};
    for (int i = 0; i < 20; i++) {
        const double point[3] = {i, 20 - i, 0.5 * i};
        bvp_closest_result x = {0}, y = {0};
        ck_assert_int_eq(bvp_closest(&a, point, 1e9, &x, NULL), BVP_OK);
        ck_assert_int_eq(bvp_closest(&b, point, 1e9, &y, NULL), BVP_OK);
        ck_assert(x.distance == y.distance && x.id.triangle == y.id.triangle);
        const double lo[3] = {point[0] - 3, point[1] - 3, point[2] - 3};
        const double hi[3] = {point[0] + 3, point[1] + 3, point[2] + 3};
        corner_sum all = {0}, same = {0};
        bvp_candidates_box(&a, lo, hi, add_corners, &all, NULL, NULL);
        ck_assert_int_eq(bvp_candidates_box(&b, lo, hi, add_corners, &same, NULL, NULL), BVP_OK);
        ck_assert_mem_eq(&all, &same, sizeof all);
    }
    case_close(&whole);
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

/* The fat file from the thin one, without packing. */
START_TEST(a_thin_file_becomes_fat)
{
    static const char *const names[PARTS] = {"first", "second", "third"};
    fixture f;
    open_fixture(&f);
    case_file whole = whole_file(&f), thin = thin_file(&f);
    bvp_builder *builder = new_builder(&(bvp_build_options){.unit_in_metres = 0.5});
    for (uint32_t i = 0; i < PARTS; i++) {
        uint32_t part;
        ck_assert_int_eq(bvp_builder_add_packed(
                             builder,
                             &(bvp_packed_part){
                                 .file = thin.file, .part = i, .name = names[i], .source_id = "x"},
                             &part, NULL),
                         BVP_OK);
    }
    case_file fat = case_finish(builder);
    check_equal(&whole, &fat);
    case_close(&fat);
    case_close(&whole);
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

static case_file converted(const bvp_file *file, int thin, const char *store)
{
    case_file out = {0};
    bvp_error error = {0};
    FILE *stream = tmpfile();
    ck_assert_ptr_nonnull(stream);
    const bvp_status status = bvp_convert_fd(file, thin, store, fileno(stream), &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    out.size = (size_t)lseek(fileno(stream), 0, SEEK_END);
    ck_assert_int_eq(posix_memalign(&out.bytes, BVPD_SECTION_ALIGN, out.size), 0);
    ck_assert_int_eq(pread(fileno(stream), out.bytes, out.size, 0), (ssize_t)out.size);
    fclose(stream);
    return out;
}

START_TEST(conversion_gives_what_packing_gives)
{
    fixture f;
    char folder[4096];
    open_fixture(&f);
    ck_assert_ptr_nonnull(realpath(f.folder, folder));
    case_file whole = whole_file(&f), thin = thin_file(&f);
    case_file fat = converted(thin.file, 0, NULL), again = converted(whole.file, 1, folder);
    case_file same = converted(whole.file, 0, NULL);
    check_equal(&whole, &fat);
    check_equal(&thin, &again);
    check_equal(&whole, &same);
    free(fat.bytes);
    free(again.bytes);
    free(same.bytes);
    case_close(&whole);
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

/* As long as a path to a part in it allows, the name of a store is used whole; a longer one is
 * refused, or unknown if it comes from the file. It is never cut. */
START_TEST(long_names_of_stores)
{
    char folder[4096], name[5000];
    fixture f;
    open_fixture(&f);
    case_file thin = thin_file(&f);
    ck_assert_ptr_nonnull(realpath(f.folder, folder));
    for (size_t length = 4030; length < 4110; length++) {
        const bvp_open_options options = {.store = name};
        bvp_error error = {0};
        bvp_file *file;
        const size_t before = length - strlen(folder); /* "/././", the folder, perhaps a slash */
        for (size_t i = 0; i < before; i++)
            name[i] = i % 2 ? '.' : '/';
        snprintf(name + before / 2 * 2, sizeof name - before, "%s%s", folder,
                 before % 2 ? "/" : "");
        ck_assert_uint_eq(strlen(name), length);
        const bvp_status status = bvp_open_memory(thin.bytes, thin.size, &options, &file, &error);
        ck_assert_int_eq(status, length < 4056 ? BVP_OK : BVP_ERR_ARGUMENT);
        ck_assert(status == BVP_OK || strstr(error.message, "bvp_open_options.store"));
        for (uint32_t i = 0; status == BVP_OK && i < PARTS; i++)
            ck_assert_msg(bvp_check_part(file, i, &error) == BVP_OK, "%s", error.message);
        if (status == BVP_OK)
            bvp_close(file);
        case_file hinted = converted(thin.file, 1, name);
        ck_assert_int_eq(bvp_open_memory(hinted.bytes, hinted.size, NULL, &file, &error), BVP_OK);
        const bvp_status found = bvp_check_part(file, 0, &error);
        ck_assert_msg((found == BVP_OK) == (length < 4056), "%s", error.message);
        ck_assert(found == BVP_OK || strstr(error.message, "nothing says where"));
        bvp_close(file);
        free(hinted.bytes);
    }
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

START_TEST(a_missing_or_wrong_part_is_named)
{
    fixture f;
    open_fixture(&f);
    case_file thin = thin_file(&f);
    bvp_error error = {0};
    bvp_closest_result x;
    ck_assert_int_eq(unlink(f.path[1]), 0);
    ck_assert_int_eq(bvp_check_part(thin.file, 0, &error), BVP_OK);
    ck_assert_int_eq(bvp_check_part(thin.file, 1, &error), BVP_ERR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(error.message, "second"));
    bvp_part_identity who;
    bvp_part_info info;
    ck_assert_int_eq(bvp_get_part(thin.file, 1, &info), BVP_ERR_SYSTEM);
    ck_assert_int_eq(bvp_get_part_identity(thin.file, 1, &who), BVP_OK);
    ck_assert_int_eq(memcmp(who.address, f.address[1], sizeof who.address), 0);
    ck_assert_int_eq(bvp_get_part_identity(thin.file, PARTS, &who), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_get_part(thin.file, 0, &info), BVP_OK);
    ck_assert_int_eq(bvp_get_part_identity(thin.file, 0, &who), BVP_OK);
    ck_assert(who.name.data == info.name.data && who.source_id.data == info.source_id.data);
    ck_assert_uint_eq(who.triangle_count, info.triangle_count);
    ck_assert_int_eq(memcmp(who.content_hash, info.content_hash, sizeof who.content_hash), 0);
    ck_assert_int_eq(memcmp(who.origin, info.origin, sizeof who.origin), 0);
    ck_assert_int_eq(memcmp(who.lo, info.lo, sizeof who.lo), 0);
    ck_assert_int_eq(memcmp(who.hi, info.hi, sizeof who.hi), 0);
    ck_assert_ptr_nonnull(strstr(error.message, strrchr(f.path[1], '/')));
    const bvp_body body = {.file = thin.file, .part = 1};
    ck_assert_int_eq(bvp_closest(&body, (double[]){0, 0, 0}, 1e9, &x, NULL), BVP_ERR_SYSTEM);
    ck_assert_int_eq(link(f.path[0], f.path[1]), 0);
    ck_assert_int_eq(bvp_check_part(thin.file, 1, &error), BVP_ERR_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.message, "second"));
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

/* What only cannot be mapped now is not to be removed. */
START_TEST(a_part_that_cannot_be_mapped_is_not_called_damaged)
{
    fixture f;
    bvp_error error;
    struct rlimit usual;
    open_fixture(&f);
    case_file thin = thin_file(&f);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const struct rlimit none = {0, usual.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    const bvp_status status = bvp_check_part(thin.file, 1, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
    ck_assert_int_eq(status, BVP_ERR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(error.message, "cannot be mapped"));
    ck_assert_ptr_null(strstr(error.message, "remove it"));
    ck_assert_int_eq(bvp_check_part(thin.file, 1, &error), BVP_OK);
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

static bvp_status instances_everywhere(const bvp_file *file)
{
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    const double lo[3] = {-1e9, -1e9, -1e9}, hi[3] = {1e9, 1e9, 1e9};
    uint32_t found[PARTS];
    uint64_t count;
    return bvp_instances_in(&body, bvp_box_region(lo, hi), 0, (bvp_array){found, 0, PARTS}, &count,
                            NULL);
}

/* From what the store's files say of their parts, and nothing else. */
/* A byte of one part's file is flipped: others answer, that one does not, and a handle that does
 * not verify never notices. */
START_TEST(damage_in_the_store_is_found_when_it_is_touched)
{
    fixture f;
    open_fixture(&f);
    case_file thin = thin_file(&f);
    const bvp_open_options options = {.verify_lazily = 1};
    bvp_file *lazy;
    bvp_closest_result x;
    FILE *part = fopen(f.path[1], "r+b");
    ck_assert_ptr_nonnull(part);
    fseek(part, BVPD_HEADER_SIZE + 40, SEEK_SET);
    const int byte = fgetc(part);
    fseek(part, BVPD_HEADER_SIZE + 40, SEEK_SET);
    fputc(byte ^ 1, part);
    ck_assert_int_eq(fclose(part), 0);
    ck_assert_int_eq(bvp_open_memory(thin.bytes, thin.size, &options, &lazy, NULL), BVP_OK);
    for (uint32_t i = 0; i < PARTS; i++) {
        const bvp_body body = {.file = lazy, .part = i};
        const bvp_status wanted = i == 1 ? BVP_ERR_CORRUPT : BVP_OK;
        ck_assert_int_eq(bvp_closest(&body, (double[]){0, 0, 0}, 1e9, &x, NULL), wanted);
        ck_assert_int_eq(bvp_check_part(lazy, i, NULL), wanted);
        ck_assert_int_eq(bvp_check_part(thin.file, i, NULL), BVP_OK);
    }
    ck_assert_int_eq(instances_everywhere(thin.file), BVP_OK);
    ck_assert_int_eq(instances_everywhere(lazy), BVP_ERR_CORRUPT); /* the byte is in the box */
    bvp_close(lazy);
    ck_assert_int_eq(unlink(f.path[1]), 0);
    ck_assert_int_eq(bvp_open_memory(thin.bytes, thin.size, NULL, &lazy, NULL), BVP_OK);
    ck_assert_int_eq(instances_everywhere(lazy), BVP_ERR_SYSTEM);
    bvp_close(lazy);
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

START_TEST(references_make_the_same_thin_file)
{
    static const char *const names[PARTS] = {"first", "second", "third"};
    fixture f;
    char folder[4096];
    open_fixture(&f);
    ck_assert_ptr_nonnull(realpath(f.folder, folder));
    case_file thin = thin_file(&f);
    bvp_builder *builder =
        new_builder(&(bvp_build_options){.unit_in_metres = 0.5, .thin = 1, .store = folder});
    for (uint32_t i = 0; i < PARTS; i++) {
        bvp_part_info known;
        uint32_t part;
        bvp_file *file = open_part(&f, (int)i);
        ck_assert_int_eq(bvp_get_part(file, 0, &known), BVP_OK);
        bvp_close(file);
        for (int twice = 0; twice < 2; twice++) {
            ck_assert_int_eq(bvp_builder_add_reference(builder, &known, names[i], "x", &part, NULL),
                             BVP_OK);
            ck_assert_uint_eq(part, i);
        }
    }
    case_file referred = case_finish(builder);
    ck_assert_uint_eq(referred.report.packed_part_count, PARTS);
    check_equal(&thin, &referred);
    case_close(&referred);
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

START_TEST(references_that_cannot_be_are_refused)
{
    fixture f;
    bvp_part_info known;
    uint32_t part;
    bvp_error error = {0};
    open_fixture(&f);
    bvp_file *file = open_part(&f, 0);
    ck_assert_int_eq(bvp_get_part(file, 0, &known), BVP_OK);
    bvp_close(file);
    bvp_builder *fat = new_builder(&(bvp_build_options){0});
    bvp_builder *thin = new_builder(&(bvp_build_options){.thin = 1});
    ck_assert_int_eq(bvp_builder_add_reference(fat, &known, NULL, NULL, &part, &error),
                     BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "fat"));
    for (int i = 0; i < 5; i++) {
        bvp_part_info wrong = known;
        if (i == 0)
            memset(wrong.address, 0, sizeof wrong.address);
        else if (i == 1)
            wrong.triangle_count = 0;
        else if (i == 2)
            wrong.vertex_count = UINT64_C(1) << 32;
        else if (i == 3)
            wrong.lo[1] = NAN;
        else
            wrong.origin[2] = INFINITY;
        ck_assert_int_eq(bvp_builder_add_reference(thin, &wrong, NULL, NULL, &part, &error),
                         BVP_ERR_ARGUMENT);
    }
    ck_assert_int_eq(bvp_builder_add_reference(thin, &known, "\xff", NULL, &part, &error),
                     BVP_ERR_ARGUMENT);
    bvp_builder_free(fat);
    bvp_builder_free(thin);
    close_fixture(&f);
}
END_TEST

START_TEST(an_unsaved_part_is_refused)
{
    fixture f;
    open_fixture(&f);
    bvp_builder *builder = new_builder(&(bvp_build_options){.thin = 1});
    bvp_error error = {0};
    add(builder, &f, 0);
    ck_assert_int_eq(bvp_builder_finish_fd(builder, -1, NULL, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "part 0"));
    bvp_builder_free(builder);
    close_fixture(&f);
}
END_TEST

static void expect_rule(case_file *thin, const char *rule)
{
    bvp_error error = {0};
    repair_file(thin->bytes, thin->size);
    ck_assert_int_eq(bvp_verify(thin->bytes, thin->size, NULL, NULL, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, rule);
}

START_TEST(rules_of_thin_files)
{
    fixture f;
    open_fixture(&f);
    case_file thin = thin_file(&f);
    bvpd_header *h = thin.bytes;
    bvpd_part *part = (bvpd_part *)((uint8_t *)thin.bytes + h->sections[BVPD_PART].offset) + 1;
    const bvpd_part kept = *part;
    memset(part->address, 0, 16);
    expect_rule(&thin, "PRT-15");
    memset(part->packer, 0, 16);
    expect_rule(&thin, "PRT-13");
    *part = kept;
    part->cluster_count = 1;
    expect_rule(&thin, "PRT-13");
    *part = kept;
    part->triangle_count = UINT64_C(1) << 32;
    expect_rule(&thin, "PRT-7");
    *part = kept;
    case_close(&thin);
    thin = whole_file(&f);
    h = thin.bytes;
    h->store = ((const bvpd_part *)((uint8_t *)thin.bytes + h->sections[BVPD_PART].offset))->name;
    expect_rule(&thin, "HDR-24");
    case_close(&thin);
    close_fixture(&f);
}
END_TEST

SUITE(test_packed)
{
    const TTest *const tests[] = {a_packed_part_is_the_same_bytes,
                                  a_part_that_is_found_is_not_built,
                                  options_make_other_addresses,
                                  a_thin_file_answers_as_a_fat_one,
                                  a_thin_file_becomes_fat,
                                  conversion_gives_what_packing_gives,
                                  long_names_of_stores,
                                  a_missing_or_wrong_part_is_named,
                                  a_part_that_cannot_be_mapped_is_not_called_damaged,
                                  damage_in_the_store_is_found_when_it_is_touched,
                                  references_make_the_same_thin_file,
                                  references_that_cannot_be_are_refused,
                                  an_unsaved_part_is_refused,
                                  rules_of_thin_files,
                                  NULL};
    return suite_run("packed", tests);
}
