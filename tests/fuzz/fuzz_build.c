/* SPDX-License-Identifier: MIT
 * fuzz_build.c: any bytes as a file whose parts a builder takes, in each way that there is: copied,
 * borrowed, found by their addresses, referred to, converted, saved. What is taken by the rules
 * makes a file that keeps them; whatever is taken on the caller's word makes one that can be
 * opened.
 */
#define _GNU_SOURCE /* memfd_create */
#include "bvpack_build.h"
#include "repair.h"
#include "target.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PARTS = 4 };

static void require(int condition)
{
    if (!condition)
        abort();
}

static int new_output(void)
{
    const int fd = memfd_create("fuzz_build", MFD_CLOEXEC);
    require(fd >= 0);
    return fd;
}

/* Of a file that has been written. */
static void check_output(int fd, bool keeps_rules)
{
    void *bytes = NULL;
    const size_t size = (size_t)lseek(fd, 0, SEEK_END);
    bvp_file *file;
    require(posix_memalign(&bytes, 64, size) == 0);
    require(pread(fd, bytes, size, 0) == (ssize_t)size);
    require(bvp_open_memory(bytes, size, NULL, &file, NULL) == BVP_OK);
    if (keeps_rules)
        require(bvp_verify(bytes, size, NULL, NULL, NULL) == BVP_OK);
    bvp_close(file);
    free(bytes);
}

static void finish(bvp_builder *builder, bool keeps_rules)
{
    bvp_build_report report;
    const int fd = new_output();
    if (bvp_builder_finish_fd(builder, fd, &report, NULL) == BVP_OK)
        check_output(fd, keeps_rules);
    close(fd);
}

/* way 0: by the rules; 1: on the caller's word; 2: borrowed; 3: for a thin file. */
static void take(const bvp_file *file, uint32_t count, int way)
{
    const bvp_build_options options = {
        .packed_is_verified = way == 1, .thin = way == 3, .store = "store"};
    bvp_builder *builder;
    uint32_t taken = 0;
    require(bvp_builder_new(&options, &builder, NULL) == BVP_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t part;
        bvp_error error = {0};
        const bvp_status status = bvp_builder_add_packed(
            builder,
            &(bvp_packed_part){.file = file, .part = i, .name = "name", .borrow = way == 2}, &part,
            &error);
        require(status == BVP_OK || error.message[0] != 0);
        taken += status == BVP_OK;
    }
    if (taken > 0 && way < 3) {
        const int fd = new_output();
        if (bvp_builder_save_part_fd(builder, 0, fd, NULL) == BVP_OK)
            check_output(fd, way != 1);
        close(fd);
    }
    if (taken > 0)
        finish(builder, way != 1);
    bvp_builder_free(builder);
}

static void refer(const bvp_file *file, uint32_t count)
{
    const bvp_build_options options = {.thin = 1};
    bvp_builder *builder;
    require(bvp_builder_new(&options, &builder, NULL) == BVP_OK);
    for (uint32_t i = 0; i < count; i++) {
        bvp_part_info info;
        uint32_t part, node;
        static const double moved[12] = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0};
        if (bvp_get_part(file, i, &info) == BVP_OK &&
            bvp_builder_add_reference(builder, &info, NULL, NULL, &part, NULL) == BVP_OK)
            bvp_builder_add_node(
                builder, &(bvp_new_node){.parent = BVP_NONE, .placement = moved, .part = part},
                &node, NULL);
    }
    finish(builder, true);
    bvp_builder_free(builder);
}

static const bvp_file *find(void *user, const uint8_t address[16])
{
    (void)address;
    return user;
}

/* Every mesh is said to be part 0 of the file. */
static void find_packed(const bvp_file *file)
{
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const bvp_mesh mesh = {.positions = positions, .vertex_count = 3, .triangle_count = 1};
    const bvp_build_options options = {.find_packed = find, .find_packed_user = (void *)file};
    bvp_builder *builder;
    uint32_t part;
    require(bvp_builder_new(&options, &builder, NULL) == BVP_OK);
    require(bvp_builder_add_part(builder, &mesh, &part, NULL) == BVP_OK);
    finish(builder, true);
    bvp_builder_free(builder);
}

/* The rest of the file is as hostile as it was. */
static void rewrite(const bvp_file *file, int way)
{
    const int fd = new_output();
    const bvp_build_options options = {.thread_count = 1};
    const bvp_status status = way == 3   ? bvp_repack_fd(file, &options, fd, NULL)
                              : way == 2 ? bvp_save_fd(file, NULL, fd, NULL)
                                         : bvp_convert_fd(file, way, "store", fd, NULL);
    (void)status;
    close(fd);
}

static int try_input(const uint8_t *data, size_t size)
{
    void *bytes = copy_aligned(data, size);
    bvp_file *file;
    if (!bytes)
        return 0;
    repair_file(bytes, size);
    const bvp_open_options options = {.store = getenv("BVPACK_STORE")};
    if (bvp_open_memory(bytes, size, &options, &file, NULL) == BVP_OK) {
        bvp_file_info info;
        bvp_get_info(file, &info);
        const uint32_t count = info.part_count < PARTS ? info.part_count : PARTS;
        for (int way = 0; way < 4; way++)
            take(file, count, way);
        refer(file, count);
        find_packed(file);
        for (int way = 0; way < 4; way++)
            rewrite(file, way);
        bvp_close(file);
    }
    free(bytes);
    return 0;
}

const fuzz_target fuzz_build = {"build", try_input, mutate_packed};
