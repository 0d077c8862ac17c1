/* SPDX-License-Identifier: MIT
 * test_clash_select.c: which instances a selector means, and which selectors are refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include "clash_tree_case.h"
#include "rules/clash_select.h"
#include "suite.h"
#include "cli/verb.h"

/* Paths of the selected instances must be exactly these, separated by blanks. */
static void expect_set(const clash_case *c, const clash_selector *s, const char *paths)
{
    uint64_t count, *bits = clash_selector_set(s, &c->tree, &count);
    char list[200];
    uint64_t expected = 0;
    ck_assert_ptr_nonnull(bits);
    snprintf(list, sizeof list, "%s", paths);
    for (char *path = strtok(list, " "); path; path = strtok(NULL, " "))
        expected |= (uint64_t)1 << clash_case_find(c, path);
    ck_assert_msg(bits[0] == expected, "\"%s\": bits %llx, not %llx", paths,
                  (unsigned long long)bits[0], (unsigned long long)expected);
    ck_assert_uint_eq(count, (uint64_t)__builtin_popcountll(expected));
    free(bits);
}

static void expect_text(const clash_case *c, const char *text, const char *paths)
{
    clash_selector s = {0};
    char fault[CLASH_FAULT_SIZE];
    ck_assert_msg(clash_selector_add_text(&s, text, strlen(text), fault) == 0, "%s: %s", text,
                  fault);
    expect_set(c, &s, paths);
    clash_selector_free(&s);
}

START_TEST(names_and_paths)
{
    clash_case c = clash_case_open();
    expect_text(&c, "bolt", "skid/bolt skid/bolt[2] shed/bolt");
    expect_text(&c, "name=b*", "skid/bolt skid/bolt[2] shed/bolt shed/rack/book");
    expect_text(&c, "a\\/b", "shed/a\\/b");
    expect_text(&c, "thing", "skid/thing");
    expect_text(&c, "skid/*", "skid/bolt skid/bolt[2] skid/flange skid/thing");
    expect_text(&c, "skid/bolt", "skid/bolt skid/bolt[2]");
    expect_text(&c, "skid/bolt\\[2\\]", "skid/bolt[2]");
    expect_text(&c, "*/bolt", "skid/bolt skid/bolt[2] shed/bolt");
    expect_text(&c, "**/bolt", "skid/bolt skid/bolt[2] shed/bolt");
    expect_text(&c, "**/moon", "moon");
    expect_text(&c, "path=moon", "moon");
    expect_text(&c, "path=bolt", "");
    expect_text(&c, "shed/**", "shed/a\\/b shed/bolt shed/rack/book");
    expect_text(&c, "shed/*", "shed/a\\/b shed/bolt");
    expect_text(&c, "shed/**/book", "shed/rack/book");
    expect_text(&c, "shed/**/bolt", "shed/bolt");
    expect_text(&c, "**/r*/**", "shed/rack/book");
    expect_text(&c, "plant/**", "");
    clash_case_close(&c);
}
END_TEST

START_TEST(parts_and_properties)
{
    clash_case c = clash_case_open();
    expect_text(&c, "part=P-?", "skid/flange");
    expect_text(&c, "part=th*",
                "skid/bolt skid/bolt[2] skid/thing shed/a\\/b shed/bolt "
                "shed/rack/book moon");
    expect_text(&c, "system=cool*", "skid/bolt skid/bolt[2] skid/flange skid/thing");
    expect_text(&c, "system=heat", "");
    expect_text(&c, "part_number=P-7", "skid/flange");
    clash_case_close(&c);
}
END_TEST

static int add_json(clash_selector *s, const char *text, char fault[CLASH_FAULT_SIZE])
{
    json_fault wrong;
    char wrapped[300];
    snprintf(wrapped, sizeof wrapped, "[%s]", text);
    json_value *root = json_tree_open(wrapped, strlen(wrapped), &wrong);
    ck_assert_msg(root != NULL, "%s", text);
    const int result = clash_selector_add_json(s, json_tree_at(root, 0), fault);
    json_tree_close(root);
    return result;
}

static void expect_json(const clash_case *c, const char *text, const char *paths)
{
    clash_selector s = {0};
    char fault[CLASH_FAULT_SIZE];
    ck_assert_msg(add_json(&s, text, fault) == 0, "%s: %s", text, fault);
    expect_set(c, &s, paths);
    clash_selector_free(&s);
}

START_TEST(words)
{
    clash_case c = clash_case_open();
    expect_text(&c, "word=bolt", "skid/bolt skid/bolt[2] shed/bolt");
    expect_text(&c, "word=fl* book", "skid/flange shed/rack/book");
    expect_text(&c, "word=p", "skid/flange"); /* of the part number, P-7 */
    expect_text(&c, "word=b", "shed/a\\/b");  /* of "a/b" */
    expect_json(&c, "{\"word\": \"bolt\", \"path\": \"shed/*\"}", "shed/bolt");
    clash_case_close(&c);
}
END_TEST

START_TEST(json_forms)
{
    clash_case c = clash_case_open();
    expect_json(&c, "\"flange\"", "skid/flange");
    expect_json(&c, "[\"flange\", \"moon\"]", "skid/flange moon");
    expect_json(&c, "{\"name\": \"bolt\", \"path\": \"shed/*\"}", "shed/bolt");
    expect_json(&c, "{\"name\": \"bolt\", \"property\": {\"system\": \"*\"}}",
                "skid/bolt skid/bolt[2]");
    expect_json(&c, "[{\"part\": \"P-7\"}, {\"path\": \"**/rack/*\"}]",
                "skid/flange shed/rack/book");
    clash_case_close(&c);
}
END_TEST

/* An empty selector is an error, never a selection of nothing. */
START_TEST(refusals)
{
    static const char *const texts[] = {
        "",     "name=", "path=", "part=",  "=x",        "key=",   "[",
        "[]",   "[b-a]", "a\\",   "/a",     "a/",        "a//b",   "/",
        "a/[b", "**/",   "word=", "word= ", "word=Bolt", "word=[", "word=a [b"};
    static const char *const values[] = {"\"\"",
                                         "{}",
                                         "[]",
                                         "[\"\"]",
                                         "[[\"a\"]]",
                                         "7",
                                         "true",
                                         "{\"name\": \"\"}",
                                         "{\"name\": 7}",
                                         "{\"nane\": \"a\"}",
                                         "{\"property\": {}}",
                                         "{\"property\": \"a\"}",
                                         "{\"property\": {\"\": \"a\"}}",
                                         "{\"property\": {\"a\": \"\"}}"};
    char fault[CLASH_FAULT_SIZE];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        clash_selector s = {0};
        fault[0] = '\0';
        ck_assert_msg(clash_selector_add_text(&s, texts[i], strlen(texts[i]), fault) != 0 &&
                          fault[0],
                      "\"%s\" is taken", texts[i]);
        clash_selector_free(&s);
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        clash_selector s = {0};
        fault[0] = '\0';
        ck_assert_msg(add_json(&s, values[i], fault) != 0 && fault[0], "%s is taken", values[i]);
        clash_selector_free(&s);
    }
}
END_TEST

SUITE(test_clash_select)
{
    const TTest *const list[] = {
        names_and_paths, parts_and_properties, words, json_forms, refusals, NULL};
    return suite_run("clash_select", list);
}
