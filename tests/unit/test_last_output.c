/* SPDX-License-Identifier: MIT
 * test_last_output.c: parts are copied from the last output only when they are undamaged there,
 * whatever its stamp says; else from the store, and never when they are damaged there, too.
 */
#include "build_case.h"
#include "cli/manual.h"
#include "text/message.h"
#include "pack/pack_build.h"
#include "remove_tree.h"
#include "repair.h"
#include "suite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A part takes more than three blocks; the byte is in the second one, which only part 0 is in. */
enum { COUNT = 20000, PARTS = 2, IN_PART_0 = 100000 };

static const uint8_t key[16] = {1, 2, 3};

typedef struct fixture {
    char folder[32], output[48];
    float *soup[PARTS];
    model_mesh mesh[PARTS]; /* as a manifest's files are known by */
    bvp_part_info part[PARTS];
    pack_settings set;
    pack_plan plan;
    pack_store store;
} fixture;

static void describe(fixture *f, const bvp_builder *builder, uint32_t part)
{
    ck_assert_int_eq(bvp_builder_get_part(builder, part, &f->part[part]), BVP_OK);
    f->mesh[part] = (model_mesh){.triangle_count = COUNT, .is_packed = 1, .packed = f->part[part]};
}

/* A store with two parts, and a file with both of them. */
static void open_fixture(fixture *f)
{
    uint64_t state = case_seed();
    bvp_builder *builder;
    uint32_t part;
    memset(f, 0, sizeof *f);
    f->plan.set = &f->set;
    f->store.plan = &f->plan;
    strcpy(f->folder, "last_output.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    snprintf(f->output, sizeof f->output, "%s/last.bvp", f->folder);
    ck_assert_int_eq(store_open(&f->store.store, f->folder), 0);
    for (uint32_t i = 0; i < PARTS; i++) {
        f->soup[i] = case_soup(&state, COUNT, 10, 1);
        bvp_mesh mesh = case_mesh(f->soup[i], COUNT);
        ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        ck_assert_int_eq(bvp_builder_get_part(builder, part, &f->part[i]), BVP_OK);
        ck_assert_int_eq(store_put_part(&f->store.store, builder, f->part[i].address, NULL), 0);
        bvp_builder_free(builder);
    }
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    for (uint32_t i = 0; i < PARTS; i++) {
        bvp_mesh mesh = case_mesh(f->soup[i], COUNT);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &part, NULL), BVP_OK);
        describe(f, builder, part);
    }
    ck_assert_int_eq(bvp_builder_finish(builder, f->output, NULL, NULL), BVP_OK);
    bvp_builder_free(builder);
}

static void close_fixture(fixture *f)
{
    last_output_close(&f->store.last);
    store_close(&f->store.store);
    for (int i = 0; i < PARTS; i++)
        free(f->soup[i]);
    remove_tree(f->folder);
}

/* With the stamp that the output has now, whatever was done to it. */
static void note_and_open(fixture *f)
{
    last_output_note(&f->store.store, key, f->output);
    last_output_open(&f->store.last, &f->store.store, key);
}

static void flip(const char *path, off_t at)
{
    uint8_t byte;
    const int fd = open(path, O_RDWR);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* The first part's record tells a box that its vertices do not have, and every hash fits. */
static void forge(const char *path)
{
    struct stat info;
    bvpd_header h;
    ck_assert_int_eq(stat(path, &info), 0);
    const size_t size = (size_t)info.st_size;
    uint8_t *bytes = malloc(size);
    const int fd = open(path, O_RDWR);
    ck_assert(fd >= 0 && bytes && pread(fd, bytes, size, 0) == (ssize_t)size);
    memcpy(&h, bytes, sizeof h);
    const float far = 1e30f;
    memcpy(bytes + h.sections[BVPD_PART].offset + offsetof(bvpd_part, hi), &far, sizeof far);
    repair_file(bytes, size);
    ck_assert_int_eq(pwrite(fd, bytes, size, 0), (ssize_t)size);
    close(fd);
    free(bytes);
}

static const bvp_file *find(fixture *f, int i, uint32_t *part)
{
    int stays;
    return pack_store_find(&f->store, &f->mesh[i], part, &stays);
}

static void check_found(const fixture *f, const bvp_file *file, uint32_t part, int i)
{
    float position[9];
    bvp_part_info info;
    uint64_t id;
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(bvp_get_part(file, part, &info), BVP_OK);
    ck_assert_int_eq(memcmp(info.content_hash, f->part[i].content_hash, 16), 0);
    for (uint64_t t = 0; t < COUNT; t++) {
        ck_assert_int_eq(bvp_get_triangle(file, part, t, position, &id), BVP_OK);
        ck_assert_int_eq(memcmp(position, f->soup[i] + 9 * id, sizeof position), 0);
    }
}

START_TEST(parts_come_from_a_sound_output)
{
    fixture f;
    uint32_t part;
    open_fixture(&f);
    note_and_open(&f);
    ck_assert_ptr_nonnull(f.store.last.file);
    for (int i = 0; i < PARTS; i++) {
        const bvp_file *file = find(&f, i, &part);
        ck_assert_ptr_eq(file, f.store.last.file);
        check_found(&f, file, part, i);
    }
    ck_assert_uint_eq(f.store.counts.copied_part_count, PARTS);
    ck_assert_int_eq(last_output_is_as_it_was(&f.store.last), 1);
    close_fixture(&f);
}
END_TEST

/* The first part's bytes are damaged, the second one's are not. */
START_TEST(a_damaged_part_comes_from_the_store)
{
    fixture f;
    uint32_t part;
    open_fixture(&f);
    flip(f.output, IN_PART_0);
    note_and_open(&f);
    ck_assert_ptr_nonnull(f.store.last.file);
    const bvp_file *file = find(&f, 0, &part);
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_ne(file, f.store.last.file);
    check_found(&f, file, part, 0);
    file = find(&f, 1, &part);
    ck_assert_ptr_eq(file, f.store.last.file);
    check_found(&f, file, part, 1);
    ck_assert_uint_eq(f.store.counts.copied_part_count, 1);
    close_fixture(&f);
}
END_TEST

/* Hashes tell nothing of a file that somebody wrote on purpose; its rules do, unless nobody asks.
 */
START_TEST(a_forged_part_comes_from_the_store)
{
    for (int is_trusted = 0; is_trusted < 2; is_trusted++) {
        fixture f;
        uint32_t part;
        open_fixture(&f);
        forge(f.output);
        note_and_open(&f);
        f.store.store.is_trusted = is_trusted;
        ck_assert_ptr_nonnull(f.store.last.file);
        const bvp_file *file = find(&f, 0, &part);
        ck_assert_ptr_nonnull(file);
        ck_assert_int_eq(file == f.store.last.file, is_trusted);
        check_found(&f, file, part, 0);
        ck_assert_ptr_eq(find(&f, 1, &part), f.store.last.file);
        close_fixture(&f);
    }
}
END_TEST

/* Its file is removed, so that it is packed again. */
START_TEST(a_part_that_is_damaged_everywhere_is_not_found)
{
    fixture f;
    char path[PATH_MAX];
    uint32_t part;
    const uint8_t *a;
    open_fixture(&f);
    a = f.part[0].address;
    int used = snprintf(path, sizeof path, "%s/%02x/", f.folder, a[0]);
    for (int i = 1; i < 16; i++)
        used += snprintf(path + used, sizeof path - (size_t)used, "%02x", a[i]);
    strcpy(path + used, ".bvp");
    ck_assert_int_eq(chmod(path, 0666), 0);
    flip(path, IN_PART_0);
    ck_assert_int_eq(stamp_take(path, &f.mesh[0].sound), 0);
    flip(f.output, IN_PART_0);
    note_and_open(&f);
    ck_assert_ptr_null(find(&f, 0, &part));
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_ptr_nonnull(find(&f, 1, &part));
    close_fixture(&f);
}
END_TEST

/* Other thin files may refer to it. */
START_TEST(a_part_that_cannot_be_looked_at_is_not_removed)
{
    fixture f;
    struct rlimit usual;
    uint32_t part;
    open_fixture(&f);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const struct rlimit none = {0, usual.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    const bvp_file *file = find(&f, 0, &part);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
    ck_assert_ptr_null(file);
    check_found(&f, find(&f, 0, &part), 0, 0);
    close_fixture(&f);
}
END_TEST

/* A record may name any file, and any file any address. */
START_TEST(a_part_of_another_mesh_is_not_taken)
{
    fixture f;
    uint32_t part;
    open_fixture(&f);
    note_and_open(&f);
    f.mesh[0].packed.content_hash[3] ^= 1;
    ck_assert_ptr_null(find(&f, 0, &part));
    f.mesh[1].packed.triangle_count++;
    ck_assert_ptr_null(find(&f, 1, &part));
    close_fixture(&f);
}
END_TEST

START_TEST(a_truncated_or_unreadable_output_is_none)
{
    fixture f;
    open_fixture(&f);
    struct stat info;
    ck_assert_int_eq(stat(f.output, &info), 0);
    for (off_t left = info.st_size - 1; left > 0; left /= 2) {
        ck_assert_int_eq(truncate(f.output, left), 0);
        note_and_open(&f);
        ck_assert_ptr_null(f.store.last.file);
        ck_assert_int_eq(last_output_is_as_it_was(&f.store.last), 1);
    }
    close_fixture(&f);
}
END_TEST

/* Nobody may note what was copied meanwhile; who replaces the file harms nobody. */
START_TEST(an_output_that_is_written_to_is_noticed)
{
    fixture f;
    char other[64];
    bvp_builder *builder;
    open_fixture(&f);
    snprintf(other, sizeof other, "%s/other.bvp", f.folder);
    note_and_open(&f);
    ck_assert_int_eq(rename(f.output, other), 0);
    ck_assert_int_eq(last_output_is_as_it_was(&f.store.last), 1);
    usleep(20000); /* a tick of the file system's clock */
    flip(other, IN_PART_0);
    ck_assert_int_eq(last_output_is_as_it_was(&f.store.last), 0);
    ck_assert_int_eq(bvp_builder_new(NULL, &builder, NULL), BVP_OK);
    progress bar;
    bvp_build_report report;
    progress_start(&bar, 1);
    const pack_output out = {.path = f.output, .store = &f.store, .bar = &bar};
    ck_assert_int_eq(pack_write(builder, &out, &report), EXIT_INPUT);
    ck_assert_int_ne(access(f.output, F_OK), 0);
    bvp_builder_free(builder);
    last_output_close(&f.store.last);
    ck_assert_int_eq(last_output_is_as_it_was(&f.store.last), 1);
    close_fixture(&f);
}
END_TEST

SUITE(test_last_output)
{
    const TTest *const tests[] = {parts_come_from_a_sound_output,
                                  a_damaged_part_comes_from_the_store,
                                  a_forged_part_comes_from_the_store,
                                  a_part_that_is_damaged_everywhere_is_not_found,
                                  a_part_that_cannot_be_looked_at_is_not_removed,
                                  a_part_of_another_mesh_is_not_taken,
                                  a_truncated_or_unreadable_output_is_none,
                                  an_output_that_is_written_to_is_noticed,
                                  NULL};
    return suite_run("last_output", tests);
}
