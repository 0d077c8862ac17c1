/* SPDX-License-Identifier: MIT
 * test_write.c: files appear whole or not at all, whatever the descriptor does.
 */
#include "format/lazy.h"
#include "suite.h"
#include "tiny_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { BIG = 3 << 20 };

static char folder[64];

static void enter_folder(void)
{
    snprintf(folder, sizeof folder, "test_write.%ld", (long)getpid());
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(chdir(folder), 0);
}

static int count_files(void)
{
    int count = 0;
    DIR *here = opendir(".");
    for (struct dirent *entry; (entry = readdir(here));)
        count += entry->d_name[0] != '.';
    closedir(here);
    return count;
}

static void leave_folder(void)
{
    DIR *here = opendir(".");
    for (struct dirent *entry; (entry = readdir(here));)
        if (entry->d_name[0] != '.')
            unlink(entry->d_name);
    closedir(here);
    ck_assert_int_eq(chdir(".."), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* No parts; only sections whose content is free: DATA is not looked at by open. */
static bvpi_write empty_job(void)
{
    static const bvpd_placement identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    static const uint32_t no_string = 0;
    static const uint64_t linear = BVPD_LINEAR_IDENTITY;
    static const bvpi_chunk placements = {&identity, sizeof identity}, strings = {&no_string, 4};
    static const bvpi_chunk linears = {&linear, sizeof linear};
    bvpi_write job = {
        .header = {.up_axis = 3, .lo = {1, 1, 1}, .hi = {-1, -1, -1}, .top_hierarchy = BVPD_NONE}};
    job.section[BVPD_PLAC] = (bvpi_write_section){&placements, 1};
    job.section[BVPD_LINS] = (bvpi_write_section){&linears, 1};
    job.section[BVPD_STRS] = (bvpi_write_section){&strings, 1};
    return job;
}

static uint8_t *read_whole(int fd, size_t *size)
{
    uint8_t *bytes = aligned_alloc(4096, 2 * BIG);
    ssize_t n;
    *size = 0;
    while ((n = read(fd, bytes + *size, 2 * BIG - *size)) > 0)
        *size += (size_t)n;
    return bytes;
}

START_TEST(test_empty_file)
{
    bvp_error error = {0};
    uint64_t told;
    size_t size;
    enter_folder();
    const bvpi_write job = empty_job();
    ck_assert_int_eq(bvpi_write_path(&job, "a.bvp", &told, NULL), BVP_OK);
    int fd = open("a.bvp", O_RDONLY);
    uint8_t *bytes = read_whole(fd, &size);
    close(fd);
    ck_assert_uint_eq(size, told);
    ck_assert_uint_eq(size, 12288);
    ck_assert_msg(bvp_verify(bytes, size, NULL, NULL, &error) == BVP_OK, "%s %s", error.rule,
                  error.message);
    free(bytes);
    leave_folder();
}
END_TEST

/* The same bytes however a section is cut into chunks, over several blocks and buffers. */
START_TEST(test_chunks)
{
    static uint8_t data[BIG + 71008];
    bvpi_chunk chunks[] = {{data, 1},   {data + 1, 70000},      {data, 0},
                           {NULL, 999}, {data + 71000, BIG},    {data + 71000 + BIG, 0},
                           {NULL, 7},   {data + 71007 + BIG, 1}};
    const bvpi_chunk whole = {data, 71008 + BIG};
    uint8_t *bytes[2];
    size_t size[2];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7 + i / 4096);
    memset(data + 70001, 0, 999);
    memset(data + 71000 + BIG, 0, 7);
    enter_folder();
    bvpi_write job = empty_job();
    for (int i = 0; i < 2; i++) {
        job.section[BVPD_TIDS] =
            i == 0 ? (bvpi_write_section){&whole, 1} : (bvpi_write_section){chunks, 8};
        ck_assert_int_eq(bvpi_write_path(&job, "a.bvp", NULL, NULL), BVP_OK);
        int fd = open("a.bvp", O_RDONLY);
        bytes[i] = read_whole(fd, &size[i]);
        close(fd);
    }
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_int_eq(memcmp(bytes[0], bytes[1], size[0]), 0);
    const uint64_t begin = ((const bvpd_header *)bytes[0])->sections[BVPD_TIDS].offset;
    ck_assert_int_eq(memcmp(bytes[0] + begin, data, whole.size), 0);
    bvp_file *file;
    ck_assert_int_eq(bvp_open_memory(bytes[0], size[0], NULL, &file, NULL), BVP_OK);
    for (uint64_t block = 0; block < file->section[BVPD_HASH].count; block++)
        ck_assert(bvpi_block_is_good(file, block));
    bvp_close(file);
    free(bytes[0]);
    free(bytes[1]);
    leave_folder();
}
END_TEST

/* What came through a pipe. */
typedef struct drained {
    int fd;
    uint8_t *bytes;
    size_t size;
} drained;

static void *drain(void *user)
{
    drained *d = user;
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    d->bytes = read_whole(d->fd, &d->size);
    return NULL;
}

static void interrupt(int number)
{
    (void)number;
}

/* A signal every 100 us, so that calls end with a part of their bytes written. */
static void interrupt_calls(int is_on)
{
    const struct sigaction action = {.sa_handler = is_on ? interrupt : SIG_IGN};
    const struct timeval tick = {0, is_on ? 100 : 0};
    const struct itimerval timer = {tick, tick};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Chunks of all sizes, each beside others, through a pipe that takes as much as it likes: the bytes
 * of one chunk in a file. */
START_TEST(test_pipe)
{
    enum { COUNT = 2500 };
    static uint8_t data[BIG];
    static bvpi_chunk chunks[COUNT];
    uint64_t left = BIG;
    int ends[2];
    uint64_t told;
    size_t size;
    pthread_t reader;
    for (size_t i = 0; i < BIG; i++)
        data[i] = (uint8_t)(i * 11 + i / 1000);
    for (int i = 0; i < COUNT; i++) {
        const uint64_t mixed = (uint64_t)i * UINT64_C(11400714819323198485) >> 32;
        const uint64_t wanted = i < COUNT - 1 ? mixed % (i % 8 ? 100 : 5000) : left;
        chunks[i] = (bvpi_chunk){data + (BIG - left), wanted < left ? wanted : left};
        left -= chunks[i].size;
    }
    const bvpi_chunk whole = {data, BIG};
    bvpi_write job = empty_job();
    job.section[BVPD_TIDS] = (bvpi_write_section){&whole, 1};
    enter_folder();
    ck_assert_int_eq(bvpi_write_path(&job, "a.bvp", NULL, NULL), BVP_OK);
    const int fd = open("a.bvp", O_RDONLY);
    uint8_t *bytes = read_whole(fd, &size);
    close(fd);
    job.section[BVPD_TIDS] = (bvpi_write_section){chunks, COUNT};
    ck_assert_int_eq(pipe(ends), 0);
    drained d = {.fd = ends[0]};
    pthread_create(&reader, NULL, drain, &d);
    interrupt_calls(1);
    ck_assert_int_eq(bvpi_write_fd(&job, ends[1], &told, NULL), BVP_OK);
    interrupt_calls(0);
    close(ends[1]);
    pthread_join(reader, NULL);
    close(ends[0]);
    ck_assert_uint_eq(d.size, told);
    ck_assert_uint_eq(d.size, size);
    ck_assert_int_eq(memcmp(d.bytes, bytes, size), 0);
    free(d.bytes);
    free(bytes);
    leave_folder();
}
END_TEST

/* An earlier file survives a failure, and nothing else is left. */
START_TEST(test_failure)
{
    bvp_error error;
    bvpi_write job = empty_job();
    enter_folder();
    int fd = open("a.bvp", O_WRONLY | O_CREAT, 0600);
    ck_assert_int_eq(write(fd, "old", 3), 3);
    close(fd);
    const struct rlimit small = {8192, RLIM_INFINITY};
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bvp_status status = bvpi_write_path(&job, "a.bvp", NULL, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(status, BVP_ERR_SYSTEM);
    ck_assert_int_eq(error.sys_errno, EFBIG);
    ck_assert_int_eq(count_files(), 1);
    struct stat info;
    ck_assert_int_eq(stat("a.bvp", &info), 0);
    ck_assert_int_eq((int)info.st_size, 3);
    ck_assert_int_eq(bvpi_write_path(&job, "no/such/folder/a.bvp", NULL, &error), BVP_ERR_SYSTEM);
    ck_assert_int_eq(error.sys_errno, ENOENT);
    ck_assert_int_eq(mkdir("sub", 0700), 0);
    ck_assert_int_eq(bvpi_write_path(&job, "sub", NULL, &error), BVP_ERR_SYSTEM);
    ck_assert_int_eq(rmdir("sub"), 0);
    ck_assert_int_eq(count_files(), 1);
    leave_folder();
}
END_TEST

START_TEST(test_devices)
{
    bvp_error error;
    struct stat info;
    const bvpi_write job = empty_job();
    ck_assert_int_eq(bvpi_write_path(&job, "/dev/null", NULL, NULL), BVP_OK);
    ck_assert_int_eq(stat("/dev/null", &info), 0);
    ck_assert(S_ISCHR(info.st_mode));
    if (stat("/dev/full", &info) == 0) {
        ck_assert_int_eq(bvpi_write_path(&job, "/dev/full", NULL, &error), BVP_ERR_SYSTEM);
        ck_assert_int_eq(error.sys_errno, ENOSPC);
    }
    ck_assert_int_eq(bvpi_write_fd(&job, -1, NULL, &error), BVP_ERR_SYSTEM);
}
END_TEST

/* Permissions of any new file; replaced by name, so that mappings of the old one stay whole. */
START_TEST(test_replaces)
{
    struct stat before, after;
    const bvpi_write job = empty_job();
    enter_folder();
    mode_t mask = umask(027);
    ck_assert_int_eq(bvpi_write_path(&job, "a.bvp", NULL, NULL), BVP_OK);
    ck_assert_int_eq(stat("a.bvp", &before), 0);
    ck_assert_int_eq(bvpi_write_path(&job, "a.bvp", NULL, NULL), BVP_OK);
    ck_assert_int_eq(stat("a.bvp", &after), 0);
    umask(mask);
    ck_assert_uint_eq(after.st_mode & 0777, 0640);
    ck_assert_uint_ne(before.st_ino, after.st_ino);
    ck_assert_int_eq(count_files(), 1);
    leave_folder();
}
END_TEST

START_TEST(test_provenance_forms)
{
    static char text[1000];
    memset(text, 'a', sizeof text);
    for (size_t size = 0; size <= sizeof text; size += 500) {
        const bvpi_chunk chunk = {size == 0 ? "" : text, size};
        bvpi_write job = empty_job();
        job.section[BVPD_PROV] = (bvpi_write_section){&chunk, 1};
        enter_folder();
        ck_assert_int_eq(bvpi_write_path(&job, "a.bvp", NULL, NULL), BVP_OK);
        bvp_file *file;
        char back[2000];
        size_t told;
        ck_assert_int_eq(bvp_open("a.bvp", NULL, &file, NULL), BVP_OK);
        ck_assert_int_eq(bvp_get_provenance(file, back, sizeof back, &told, NULL), BVP_OK);
        ck_assert_uint_eq(told, size);
        ck_assert_int_eq(memcmp(back, text, size), 0);
        /* as it is: what a compressor makes of it depends on its version */
        ck_assert_uint_eq(file->section[BVPD_PROV].size, size);
        ck_assert_int_eq(memcmp(file->section[BVPD_PROV].data, text, size), 0);
        bvp_close(file);
        leave_folder();
    }
}
END_TEST

SUITE(test_write)
{
    const TTest *const tests[] = {test_empty_file,       test_chunks,  test_pipe,
                                  test_failure,          test_devices, test_replaces,
                                  test_provenance_forms, NULL};
    return suite_run("write", tests);
}
