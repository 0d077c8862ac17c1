/* SPDX-License-Identifier: MIT
 * remove_tree.h: removes a folder that a test has made, with all that is in it.
 */
#ifndef REMOVE_TREE_H
#define REMOVE_TREE_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void remove_tree(const char *folder)
{
    char path[1024];
    DIR *list = opendir(folder);
    ck_assert_ptr_nonnull(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        ck_assert_int_lt(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name),
                         (int)sizeof path);
        if (remove(path) != 0) /* a folder that is not empty */
            remove_tree(path);
    }
    closedir(list);
    ck_assert_int_eq(rmdir(folder), 0);
}

#endif
