/* SPDX-License-Identifier: MIT
 * test_name_words.c: which words a name is made of.
 */
#include <check.h>
#include <string.h>
#include "rules/name_words.h"
#include "suite.h"

static int matches(const char *globs, const char *text)
{
    return words_match(globs, text, strlen(text));
}

START_TEST(where_words_end)
{
    ck_assert(matches("bolt", "bolt"));
    ck_assert(matches("bolt", "nut-bolt-assembly_1"));
    ck_assert(matches("bolt", "M6x20_HexBolt (2)"));
    ck_assert(matches("hex", "M6x20_HexBolt (2)"));
    ck_assert(matches("bolt", "HEX BOLT"));
    ck_assert(matches("bolt", "bolt[3]"));
    ck_assert(!matches("bolt", "thunderbolt"));
    ck_assert(!matches("bolt", "bolts"));
    ck_assert(!matches("nut", "minute"));
    ck_assert(!matches("hexbolt", "HexBolt"));
    ck_assert(!matches("bolt", ""));
    ck_assert(!matches("bolt", "123 _-"));
}
END_TEST

START_TEST(patterns)
{
    ck_assert(matches("washer bolt", "bolt"));
    ck_assert(matches("bolt  washer*", "washers"));
    ck_assert(matches("*schraube", "Sechskantschraube M8"));
    ck_assert(matches("*d\xc3\xa4mmung", "W\xc3\x84RMED\xc3\x84MMUNG"));
    ck_assert(matches("\xc3\xb7", "a \xc3\xb7"));
    ck_assert(!matches("\xc3\xb7", "a \xc3\x97")); /* a sign has no small letter */
    ck_assert(!matches("", "bolt"));
    ck_assert(!matches(" ", "bolt"));
}
END_TEST

/* Of a long word the first bytes count. */
START_TEST(long_words)
{
    char text[300];
    memset(text, 'a', sizeof text);
    ck_assert(words_match("a*", text, sizeof text));
    ck_assert(!words_match("*b", text, sizeof text));
    text[299] = 'b';
    ck_assert(!words_match("*b", text, sizeof text));
}
END_TEST

SUITE(test_name_words)
{
    const TTest *const list[] = {where_words_end, patterns, long_words, NULL};
    return suite_run("name_words", list);
}
