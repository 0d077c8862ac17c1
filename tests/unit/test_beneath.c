/* SPDX-License-Identifier: MIT
 * test_beneath.c: which files a model may name: those in its folder, however the way there is
 * written, and no others; by the kernel and step by step alike.
 */
#include "files/beneath.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "remove_tree.h"
#include "suite.h"

static char root[] = "beneath_XXXXXX";

static const char *at(const char *name)
{
    static char path[2][256];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
    return path[turn];
}

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(at(name), "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void put_link(const char *to, const char *name)
{
    ck_assert_int_eq(symlink(to, at(name)), 0);
}

/* model/ is the folder; secret lies beside it. */
static void set_up(void)
{
    char absolute[4200], here[4096];
    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_int_eq(mkdir(at("model"), 0700), 0);
    ck_assert_int_eq(mkdir(at("model/sub"), 0700), 0);
    ck_assert_int_eq(mkdir(at("model/sub/deep"), 0700), 0);
    put_file("secret", "secret");
    put_file("model/a", "a");
    put_file("model/sub/b", "b");
    put_file("model/sub/deep/c", "c");
    put_link("sub", "model/inside");
    put_link("../a", "model/sub/up");
    put_link("deep/../b", "model/sub/way");
    put_link("inside/deep/../../a", "model/turns");
    put_link("../secret", "model/out");
    put_link("..", "model/above");
    put_link("sub/deep/../../../secret", "model/far");
    snprintf(absolute, sizeof absolute, "%s/%s/secret", here, root);
    put_link(absolute, "model/absolute");
    snprintf(absolute, sizeof absolute, "%s/%s/model/a", here, root);
    put_link(absolute, "model/home");
    put_link("loop", "model/loop");
    put_link("nothing", "model/dangling");
    ck_assert_int_eq(mkfifo(at("model/pipe"), 0600), 0);
}

static void tear_down(void)
{
    remove_tree(root);
    memcpy(root, "beneath_XXXXXX", sizeof root);
}

/* first: of the file; 0: it is refused with `reason`. */
static const struct {
    const char *path;
    char first;
    int reason;
} cases[] = {
    {"a", 'a', 0},
    {"./a", 'a', 0},
    {"sub/b", 'b', 0},
    {"sub//deep/./c", 'c', 0},
    {"sub/../a", 'a', 0},
    {"sub/deep/../b", 'b', 0},
    {"inside/b", 'b', 0},
    {"inside/deep/c", 'c', 0},
    {"inside/up", 'a', 0},
    {"sub/way", 'b', 0},
    {"turns", 'a', 0},
    {"out", 0, EXDEV},
    {"far", 0, EXDEV},
    {"above/secret", 0, EXDEV},
    {"above/model/a", 0, EXDEV}, /* back in, but it was out */
    {"absolute", 0, EXDEV},
    {"home", 0, EXDEV}, /* into the folder, from outside */
    {"../secret", 0, EXDEV},
    {"sub/../../secret", 0, EXDEV},
    {"/etc/passwd", 0, EXDEV},
    {"loop", 0, ELOOP},
    {"dangling", 0, ENOENT},
    {"missing", 0, ENOENT},
    {"a/b", 0, ENOTDIR},
    {"sub", 0, EINVAL},
    {"pipe", 0, EINVAL},
    {".", 0, EINVAL},
};

static void expect(int fd, int i, const char *how)
{
    const int reason = errno;
    char first = 0;
    if (cases[i].reason == 0) {
        ck_assert_msg(fd >= 0, "%s: %s: %s", how, cases[i].path, strerror(reason));
        ck_assert_int_eq(read(fd, &first, 1), 1);
        ck_assert_msg(first == cases[i].first, "%s: %s: %c", how, cases[i].path, first);
        close(fd);
        return;
    }
    ck_assert_msg(fd < 0, "%s: %s: was opened", how, cases[i].path);
    ck_assert_msg(reason == cases[i].reason, "%s: %s: %s", how, cases[i].path, strerror(reason));
}

START_TEST(paths)
{
    char folder[64];
    set_up();
    snprintf(folder, sizeof folder, "%s/model", root);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        expect(beneath_open(folder, cases[i].path), i, "by the kernel");
        expect(beneath_open_stepwise(folder, cases[i].path), i, "stepwise");
    }
    ck_assert_int_lt(beneath_open("no/folder", "a"), 0);
    ck_assert_int_eq(errno, ENOENT);
    tear_down();
}
END_TEST

/* What a descriptor costs is given back, also by refusals. */
START_TEST(descriptors)
{
    char folder[64];
    set_up();
    snprintf(folder, sizeof folder, "%s/model", root);
    const int before = dup(0);
    close(before);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const int fds[] = {beneath_open(folder, cases[i].path),
                           beneath_open_stepwise(folder, cases[i].path)};
        for (int k = 0; k < 2; k++)
            if (fds[k] >= 0)
                close(fds[k]);
    }
    const int after = dup(0);
    close(after);
    ck_assert_int_eq(before, after);
    tear_down();
}
END_TEST

SUITE(test_beneath)
{
    return suite_run("beneath", (const TTest *[]){paths, descriptors, NULL});
}
