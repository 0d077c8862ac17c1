/* SPDX-License-Identifier: MIT
 * test_report_mesh.c: the mesh of a report is whole where it may be, and stays within its arrays
 * while another thread changes the number of triangles that the file states.
 */
#include "build_case.h"
#include "format/layout.h"
#include "report/report_mesh.h"
#include "suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 300 };

typedef struct flipping {
    volatile uint64_t *count; /* in the file's bytes */
    int stop;                 /* atomic */
} flipping;

static void *flip(void *user)
{
    flipping *f = user;
    while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
        *f->count = UINT32_MAX;
        *f->count = COUNT;
    }
    *f->count = COUNT;
    return NULL;
}

static report_view view_of(const bvp_file *file)
{
    report_view view = {.radius = 1e3};
    for (int side = 0; side < 2; side++)
        view.bodies[side] = (bvp_body){.file = file, .part = 0};
    return view;
}

START_TEST(a_count_that_changes_is_read_once)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, COUNT, 10, 1);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file packed = case_build(&mesh, &(bvp_build_options){.thread_count = 1});
    uint8_t *bytes = aligned_alloc(4096, (packed.size + 4095) / 4096 * 4096);
    memcpy(bytes, packed.bytes, packed.size);
    const bvpd_header *h = (const bvpd_header *)bytes;
    bvpd_part *record = (bvpd_part *)(bytes + h->sections[BVPD_PART].offset);
    bvp_file *file;
    report_mesh out;
    ck_assert_int_eq(bvp_open_memory(bytes, packed.size, NULL, &file, NULL), BVP_OK);
    const report_view view = view_of(file);
    ck_assert_int_eq(report_mesh_read(&view, 0, BVP_NONE, &out), BVP_OK);
    ck_assert_uint_eq(out.triangle_count, COUNT);
    report_mesh_free(&out);
    flipping f = {.count = &record->triangle_count};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, flip, &f), 0);
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        if (report_mesh_read(&view, 0, BVP_NONE, &out) == BVP_OK)
            ck_assert(out.triangle_count <= REPORT_TRIANGLES_MOST);
        report_mesh_free(&out);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begin.tv_sec < 2);
    __atomic_store_n(&f.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    bvp_close(file);
    free(bytes);
    case_close(&packed);
    free(soup);
}
END_TEST

SUITE(test_report_mesh)
{
    const TTest *const tests[] = {a_count_that_changes_is_read_once, NULL};
    return suite_run("report_mesh", tests);
}
