/* SPDX-License-Identifier: MIT
 * test_whole_path.c: drives, servers and reserved names, which are plain text on other systems than
 * Windows.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "path/whole_path.h"

#ifdef _WIN32
enum { IS_WINDOWS = 1 };
#else
enum { IS_WINDOWS = 0 };
#endif

START_TEST(drives)
{
    static const struct {
        const char *path, *behind; /* NULL: all of it */
        int is_whole_here, is_whole_there;
    } cases[] = {
        {"C:/a.bvp", "/a.bvp", 0, 1},
        {"c:a.bvp", "a.bvp", 0, 1},
        {"C:\\a", "\\a", 0, 1},
        {"//?/C:/a", "/a", 1, 1},
        {"\\\\?\\z:\\a", "\\a", 0, 1},
        {"//server/share/a", NULL, 1, 1},
        {"\\\\server\\share", NULL, 0, 1},
        {"/a", NULL, 1, 1},
        {"a/b", NULL, 0, 0},
        {"ab:c", NULL, 0, 0},
        {"1:c", NULL, 0, 0},
        {"", NULL, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = cases[i].path,
                   *behind = IS_WINDOWS && cases[i].behind ? cases[i].behind : path;
        ck_assert_str_eq(path_behind_drive(path), behind);
        ck_assert_msg(path_is_whole(path) ==
                          (IS_WINDOWS ? cases[i].is_whole_there : cases[i].is_whole_here),
                      "%s", path);
    }
}
END_TEST

START_TEST(reserved_names)
{
    static const char *const reserved[] = {"CON",       "nul",      "aux.stl",  "out/Com1.bvp",
                                           "LPT9",      "con .bvp", "a.bvp.",   "a.bvp ",
                                           "C:/CONIN$", "out\\prn", "ab:c.bvp", "C:/x/aux.tar.gz"};
    static const char *const free_names[] = {"CONE",  "com0",  "auxiliary.stl", "a.con",
                                             "a.b.c", "C:/a/", ".bvp",          "nul/a",
                                             "",      "com10", "C:/a b.bvp"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        ck_assert_msg(path_is_reserved(reserved[i]) == IS_WINDOWS, "%s", reserved[i]);
    for (size_t i = 0; i < sizeof free_names / sizeof *free_names; i++)
        ck_assert_msg(!path_is_reserved(free_names[i]), "%s", free_names[i]);
}
END_TEST

SUITE(test_whole_path)
{
    const TTest *const tests[] = {drives, reserved_names, NULL};
    return suite_run("whole_path", tests);
}
