/* SPDX-License-Identifier: MIT
 * test_json.c: the JSON writer's escapes, shapes and numbers; what jsonw_valid takes and
 * refuses.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/json.h"
#include "text/message.h"
#include "suite.h"

typedef struct capture {
    char *text;
    size_t size;
    FILE *stream;
    json out;
} capture;

static void begin(capture *c, int pretty)
{
    c->stream = open_memstream(&c->text, &c->size);
    ck_assert_ptr_nonnull(c->stream);
    jsonw_start(&c->out, c->stream, pretty);
}

/* What has been written must be `expected` and valid. */
static void end(capture *c, const char *expected)
{
    jsonw_finish(&c->out);
    fclose(c->stream);
    ck_assert_str_eq(c->text, expected);
    ck_assert(jsonw_valid(c->text, c->size));
    free(c->text);
}

START_TEST(one_line)
{
    capture c;
    begin(&c, 0);
    jsonw_object(&c.out, NULL);
    jsonw_count(&c.out, "count", UINT64_MAX);
    jsonw_text(&c.out, "none", NULL);
    jsonw_array(&c.out, "list");
    jsonw_bool(&c.out, NULL, 1);
    jsonw_bool(&c.out, NULL, 0);
    jsonw_object(&c.out, NULL);
    jsonw_end(&c.out);
    jsonw_end(&c.out);
    jsonw_hex(&c.out, "hash", (const uint8_t *)"\x00\xff\x10", 3);
    jsonw_end(&c.out);
    end(&c, "{\"count\":18446744073709551615,\"none\":null,\"list\":[true,false,{}],"
            "\"hash\":\"00ff10\"}\n");
}
END_TEST

START_TEST(pretty)
{
    const double v[3] = {0, -1.5, 1e300};
    capture c;
    begin(&c, 1);
    jsonw_object(&c.out, NULL);
    jsonw_numbers(&c.out, "v", v, 3);
    jsonw_inline_object(&c.out, "o");
    jsonw_count(&c.out, "a", 1);
    jsonw_array(&c.out, "b");
    jsonw_count(&c.out, NULL, 2);
    jsonw_end(&c.out);
    jsonw_end(&c.out);
    jsonw_array(&c.out, "empty");
    jsonw_end(&c.out);
    jsonw_end(&c.out);
    end(&c,
        "{\n  \"v\": [0, -1.5, 1e+300],\n  \"o\": {\"a\": 1, \"b\": [2]},\n  \"empty\": []\n}\n");
}
END_TEST

START_TEST(escapes)
{
    capture c;
    const char odd[] = "\xff\xc3\xa9\xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80"
                       "end\xe2\x82";
    begin(&c, 0);
    jsonw_array(&c.out, NULL);
    jsonw_text(&c.out, NULL, "a\"b\\c\n\t\x01\x7f/");
    jsonw_bytes(&c.out, NULL, (bvp_string){odd, sizeof odd - 1});
    jsonw_bytes(&c.out, NULL, (bvp_string){"a\0b", 3});
    jsonw_end(&c.out);
    end(&c, "[\"a\\\"b\\\\c\\u000a\\u0009\\u0001\\u007f/\","
            "\"\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
            "end\\ufffd\\ufffd\",\"a\\u0000b\"]\n");
}
END_TEST

START_TEST(numbers)
{
    static const double values[] = {0.1,         1.0 / 3,  -0.0, 5e-324, 1.7976931348623157e308,
                                    123456789.0, 2.5e-300, 1e22, M_PI};
    char buffer[32];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double back = strtod(shortest(values[i], buffer), NULL);
        ck_assert_int_eq(memcmp(&back, &values[i], sizeof back), 0);
    }
    ck_assert_str_eq(shortest(0.1, buffer), "0.1");
    capture c;
    begin(&c, 0);
    jsonw_array(&c.out, NULL);
    jsonw_number(&c.out, NULL, NAN);
    jsonw_number(&c.out, NULL, -INFINITY);
    jsonw_end(&c.out);
    end(&c, "[null,null]\n");
}
END_TEST

START_TEST(embedding)
{
    capture c;
    begin(&c, 0);
    jsonw_object(&c.out, NULL);
    jsonw_embed(&c.out, "good", "{\"a\": [1]}", 10);
    jsonw_embed(&c.out, "bad", "{a: 1}", 6);
    jsonw_end(&c.out);
    end(&c, "{\"good\":{\"a\": [1]},\"bad\":\"{a: 1}\"}\n");
}
END_TEST

static const char *const good[] = {
    "0",    "-0.5e+10", " [ ] ", "{}",           "{\"a\":{\"b\":[1,2,{}]},\"c\":\"\\u00e9\\n\"}",
    "\"\"", "true",     "null",  "[[],[[]],{}]", "1E5"};
static const char *const bad[] = {"",
                                  " ",
                                  "01",
                                  "1.",
                                  ".5",
                                  "+1",
                                  "[1,]",
                                  "[,1]",
                                  "{\"a\"}",
                                  "{1:2}",
                                  "[1 2]",
                                  "\"\\x\"",
                                  "\"a",
                                  "\"\n\"",
                                  "tru",
                                  "nulll",
                                  "[}",
                                  "{\"a\":}",
                                  "]",
                                  "[1]]",
                                  "\"\\u12g4\"",
                                  "1e",
                                  "-",
                                  "{,}",
                                  "\"\xff\"",
                                  "{\"a\":1,}",
                                  "\"\\",
                                  "\"\\u1",
                                  "[\"\xed\xa0\x80\"]"};

START_TEST(validity)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        ck_assert_msg(jsonw_valid(good[i], strlen(good[i])), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!jsonw_valid(bad[i], strlen(bad[i])), "%s", bad[i]);
}
END_TEST

/* Every cut of a valid text is refused without a look beyond its end (exact-size heap blocks). */
START_TEST(truncation)
{
    const char *text = good[4];
    for (size_t size = 0; size < strlen(text); size++) {
        char *cut = malloc(size + !size);
        memcpy(cut, text, size);
        ck_assert(!jsonw_valid(cut, size));
        free(cut);
    }
}
END_TEST

START_TEST(depth)
{
    char text[2 * JSON_NEST_MAX + 2];
    memset(text, '[', JSON_NEST_MAX);
    memset(text + JSON_NEST_MAX, ']', JSON_NEST_MAX);
    ck_assert(jsonw_valid(text, 2 * JSON_NEST_MAX));
    memset(text, '[', JSON_NEST_MAX + 1);
    memset(text + JSON_NEST_MAX + 1, ']', JSON_NEST_MAX + 1);
    ck_assert(!jsonw_valid(text, 2 * JSON_NEST_MAX + 2));
}
END_TEST

SUITE(test_json)
{
    const TTest *const list[] = {one_line, pretty,     escapes, numbers, embedding,
                                 validity, truncation, depth,   NULL};
    return suite_run("json", list);
}
