/* SPDX-License-Identifier: MIT
 * test_source_index.c: files come back as they were noted, those that are not asked for are
 * forgotten, and damaged text never does harm.
 */
#include "store/source_index.h"
#include "store/source_record.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 3 };

static const char *const names[FILES] = {"/a:1 \n", "stl/b.stl", "/c"};

static source_entry entry_of(int i)
{
    source_entry e = {.name = names[i], .name_size = strlen(names[i])};
    e.stamp = (stamp){(uint64_t)i, 5, 6, UINT64_MAX};
    e.size = 100 + (uint64_t)i;
    memset(e.hash, 0x10 + i, sizeof e.hash);
    return e;
}

static char *make_text(size_t *size)
{
    source_index index;
    char *text;
    model m = {.format = (char *)"STL"};
    ck_assert_int_eq(source_index_begin(&index, NULL, 0), 0);
    for (int i = 0; i < FILES; i++) {
        const source_entry e = entry_of(i);
        m.tolerance = i;
        ck_assert_ptr_null(source_index_find(&index, names[i]));
        ck_assert_int_eq(source_index_add(&index, &e, &m), 0);
    }
    ck_assert_int_eq(source_index_end(&index, &text, size), 0);
    source_index_free(&index);
    return text;
}

static char *copy_of(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, size);
    return copy;
}

START_TEST(what_was_added_is_found)
{
    source_index index;
    size_t size, next_size;
    char *text = make_text(&size), *next;
    ck_assert_int_eq(source_index_begin(&index, copy_of(text, size), size), 0);
    for (int i = 0; i < FILES; i++) {
        const source_entry *found = source_index_find(&index, names[i]), e = entry_of(i);
        model m;
        ck_assert_ptr_nonnull(found);
        ck_assert(stamp_is_equal(&found->stamp, &e.stamp));
        ck_assert_uint_eq(found->size, e.size);
        ck_assert_mem_eq(found->hash, e.hash, sizeof e.hash);
        ck_assert_int_eq(source_record_read(found->record, found->record_size, &m), 0);
        ck_assert(m.tolerance == i);
        model_free(&m);
        source_index_keep(&index, found);
    }
    ck_assert_ptr_null(source_index_find(&index, "b.stl"));
    ck_assert_int_eq(source_index_end(&index, &next, &next_size), 0);
    ck_assert_ptr_null(next); /* nothing changed */
    source_index_free(&index);
    free(text);
}
END_TEST

START_TEST(what_is_not_kept_is_forgotten)
{
    source_index index;
    size_t size, next_size;
    char *text = make_text(&size), *next;
    ck_assert_int_eq(source_index_begin(&index, text, size), 0);
    source_index_keep(&index, source_index_find(&index, names[1]));
    ck_assert_int_eq(source_index_end(&index, &next, &next_size), 0);
    ck_assert_ptr_nonnull(next);
    ck_assert_uint_lt(next_size, size);
    source_index_free(&index);
    ck_assert_int_eq(source_index_begin(&index, next, next_size), 0);
    ck_assert_ptr_null(source_index_find(&index, names[0]));
    ck_assert_ptr_nonnull(source_index_find(&index, names[1]));
    source_index_free(&index);
}
END_TEST

START_TEST(damage_is_harmless)
{
    source_index index;
    size_t size;
    char *text = make_text(&size);
    for (size_t i = 0; i < size; i++) {
        ck_assert_int_eq(source_index_begin(&index, copy_of(text, i), i), 0);
        source_index_free(&index);
        for (int k = 0; k < 3; k++) {
            char *damaged = copy_of(text, size);
            damaged[i] = "9 \xff"[k];
            ck_assert_int_eq(source_index_begin(&index, damaged, size), 0);
            source_index_free(&index);
        }
    }
    free(text);
}
END_TEST

SUITE(test_source_index)
{
    const TTest *const tests[] = {what_was_added_is_found, what_is_not_kept_is_forgotten,
                                  damage_is_harmless, NULL};
    return suite_run("source_index", tests);
}
