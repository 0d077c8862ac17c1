/* SPDX-License-Identifier: MIT
 * test_glob.c: what patterns match, and which of them can never.
 */
#include <check.h>
#include <string.h>
#include "text/glob.h"
#include "suite.h"

static int matches(const char *pattern, const char *text)
{
    return glob_match(pattern, strlen(pattern), text, strlen(text));
}

static const char *fault(const char *pattern)
{
    return glob_fault(pattern, strlen(pattern));
}

START_TEST(literal_text)
{
    ck_assert(matches("bolt", "bolt"));
    ck_assert(!matches("bolt", "bolt2"));
    ck_assert(!matches("bolt", "Bolt"));
    ck_assert(!matches("bolt", ""));
    ck_assert(matches("a\\*b", "a*b"));
    ck_assert(!matches("a\\*b", "axb"));
}
END_TEST

START_TEST(any_text)
{
    ck_assert(matches("*", ""));
    ck_assert(matches("*", "anything/at all"));
    ck_assert(matches("b*t", "bt") && matches("b*t", "boltbolt"));
    ck_assert(!matches("b*t", "bolts"));
    ck_assert(matches("*a*b*", "xxaxxaxbxx"));
    ck_assert(!matches("*a*b", "ba"));
    ck_assert(matches("**", "x"));
}
END_TEST

START_TEST(one_character)
{
    ck_assert(matches("b?lt", "bolt"));
    ck_assert(!matches("b?lt", "blt"));
    ck_assert(matches("?", "\xc3\xa4")); /* one letter of two bytes */
    ck_assert(!matches("?", "\xc3\xa4x"));
    ck_assert(matches("??", "\xff\xfe")); /* not UTF-8 */
}
END_TEST

START_TEST(sets)
{
    ck_assert(matches("[a-c]x", "bx") && !matches("[a-c]x", "dx"));
    ck_assert(matches("[!a-c]x", "dx") && !matches("[!a-c]x", "ax"));
    ck_assert(matches("[ab-]", "-") && matches("[\\]]", "]"));
    ck_assert(matches("[\xc3\xa4-\xc3\xbc]", "\xc3\xb6"));
    ck_assert(matches("*[0-9]", "pipe 7") && !matches("*[0-9]", "pipe"));
    ck_assert(!matches("[ab", "a"));
}
END_TEST

START_TEST(what_can_never_match)
{
    ck_assert_ptr_null(fault("a[b-c]*?\\["));
    ck_assert_ptr_nonnull(fault(""));
    ck_assert_ptr_nonnull(fault("a["));
    ck_assert_ptr_nonnull(fault("a[b"));
    ck_assert_ptr_nonnull(fault("a[]"));
    ck_assert_ptr_nonnull(fault("[!]"));
    ck_assert_ptr_nonnull(fault("[z-a]"));
    ck_assert_ptr_nonnull(fault("[a-"));
    ck_assert_ptr_nonnull(fault("a\\"));
}
END_TEST

/* A long run of stars against a long text that fails at its end. */
START_TEST(ends_soon)
{
    char text[4001];
    memset(text, 'a', 4000);
    text[4000] = '\0';
    ck_assert(!matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
    ck_assert(matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*", text));
}
END_TEST

SUITE(test_glob)
{
    const TTest *const list[] = {literal_text,         any_text,  one_character, sets,
                                 what_can_never_match, ends_soon, NULL};
    return suite_run("glob", list);
}
