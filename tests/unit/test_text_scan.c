/* SPDX-License-Identifier: MIT
 * test_text_scan.c: numbers of texts against the C library's conversion, in every locale.
 */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "text/text_scan.h"

static uint64_t state;

static uint64_t next_random(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void seed(void)
{
    const char *text = getenv("BVP_SEED");
    state = text ? strtoull(text, NULL, 0) : 7;
    printf("BVP_SEED=%" PRIu64 "\n", state);
}

/* With a line behind it, where the fast way may be taken: it gives what the slow one does. */
static void scan_inside(const char *text, int wanted_taken, const number *wanted)
{
    const size_t size = strlen(text);
    char *copy = malloc(size + 41);
    number n = {0};
    memset(copy + size, ' ', 40);
    memcpy(copy, text, size);
    copy[size + 40] = '\n';
    text_scan s = {copy, copy + size + 41};
    ck_assert_msg(scan_number(&s, &n) == wanted_taken, "%s", text);
    if (wanted_taken) {
        ck_assert_msg(s.at == copy + size, "%s", text);
        ck_assert_msg(memcmp(&n.value, &wanted->value, sizeof n.value) == 0 ||
                          (isnan(n.value) && isnan(wanted->value)),
                      "%s", text);
        ck_assert_msg(n.nearest == wanted->nearest || isnan(n.value), "%s", text);
        ck_assert_msg(signbit(n.nearest) == signbit(wanted->nearest), "%s", text);
        ck_assert_msg(n.prints_float == wanted->prints_float, "%s", text);
    }
    free(copy);
}

/* Reads the text from memory that ends where it ends. */
static int scan(const char *text, number *n)
{
    size_t size = strlen(text);
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    text_scan s = {copy, copy + size};
    int taken = scan_number(&s, n);
    ck_assert(taken ? s.at == s.end : s.at == copy);
    if (!strpbrk(text, " \t\r\n"))
        scan_inside(text, taken, n);
    free(copy);
    return taken;
}

static void same(const char *text)
{
    number n;
    double wide = strtod(text, NULL);
    float narrow = strtof(text, NULL);
    ck_assert_msg(scan(text, &n), "%s", text);
    ck_assert_msg(memcmp(&n.value, &wide, sizeof wide) == 0, "%s: %.17g, not %.17g", text, n.value,
                  wide);
    ck_assert_msg(memcmp(&n.nearest, &narrow, sizeof narrow) == 0, "%s: %.9g, not %.9g", text,
                  (double)n.nearest, (double)narrow);
}

START_TEST(known)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+0.0",
                                        "-0e5",
                                        "1",
                                        "-1",
                                        "+1.5",
                                        ".5",
                                        "5.",
                                        "1e5",
                                        "1E+5",
                                        "1e-5",
                                        "123456789",
                                        "0.1",
                                        "3512345.678",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740991.5",
                                        "16777217",
                                        "16777216.999999999999",
                                        "16777217.000000000000001",
                                        "1e22",
                                        "1e23",
                                        "8.5070591730234615e37",
                                        "1.7976931348623157e308",
                                        "4.9406564584124654e-324",
                                        "1e-400",
                                        "1.1754943508222875e-38",
                                        "1.17549428e-38",
                                        "7.0064923216240853e-46",
                                        "1.4e-45",
                                        "2.4703282292062328e-324",
                                        "123456789012345678",
                                        "1234567890123456789",
                                        "12345678901234567890123",
                                        "0.00000000000000000000000000000000000000000000000001",
                                        "100000000000000000000000000000000000000000000",
                                        "0.1e-1",
                                        "6.02214076e23",
                                        "-1.6e-19",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "3.4028235e38"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        same(texts[i]);
}
END_TEST

START_TEST(random_numbers)
{
    seed();
    for (int i = 0; i < 300000; i++) {
        char text[80];
        uint64_t bits = next_random();
        uint32_t half = (uint32_t)bits;
        double wide;
        float narrow;
        memcpy(&wide, &bits, sizeof wide);
        memcpy(&narrow, &half, sizeof narrow);
        if (!isfinite(wide) || !isfinite(narrow))
            continue;
        int digits = 1 + (int)(next_random() % 20);
        double plain =
            (double)(int64_t)next_random() / 9.2e18 * pow(10, (double)(next_random() % 9));
        snprintf(text, sizeof text, "%.*g", digits, wide);
        same(text);
        snprintf(text, sizeof text, "%.*e", digits, (double)narrow);
        same(text);
        snprintf(text, sizeof text, "%.*f", digits, plain);
        same(text);
        snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64 "e%d",
                 next_random() >> (next_random() & 63), next_random() >> (next_random() & 63),
                 (int)(next_random() % 60) - 30);
        same(text);
    }
}
END_TEST

/* Texts halfway between two floats, and a digit far behind away from it. */
START_TEST(halfway)
{
    seed();
    for (int i = 0; i < 20000; i++) {
        char text[160];
        uint32_t bits = (uint32_t)next_random() & 0x47ffffff;
        float low;
        memcpy(&low, &bits, sizeof low);
        if (low < 1e-20f)
            continue;
        double middle = ((double)low + (double)nextafterf(low, INFINITY)) / 2;
        snprintf(text, sizeof text, "%.100f", middle);
        same(text);
        strcat(text, "1");
        same(text);
    }
}
END_TEST

START_TEST(not_numbers)
{
    static const char *const texts[] = {
        "",     "-",   "+",   ".",   "-.",    "e5",  "1e",   "1e+",     "1,5", "1.5.2",  "0x10",
        "1.5f", "--1", "+-1", "1_0", "1e5e5", "abc", "nano", "infinit", "1.#", "1.#foo", "3.1+e2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        number n;
        ck_assert_msg(!scan(texts[i], &n), "%s", texts[i]);
    }
}
END_TEST

START_TEST(not_finite)
{
    static const struct {
        const char *text;
        int kind; /* 0 NaN, 1 infinity, -1 negative infinity */
    } cases[] = {{"nan", 0},        {"NaN", 0},     {"-nan", 0},       {"nan(ind)", 0},
                 {"-NAN(IND)", 0},  {"1.#QNAN", 0}, {"-1.#IND", 0},    {"1.#INF", 1},
                 {"-1.#INF00", -1}, {"inf", 1},     {"-Infinity", -1}, {"+INF", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        number n;
        ck_assert_msg(scan(cases[i].text, &n), "%s", cases[i].text);
        ck_assert(cases[i].kind ? n.value == cases[i].kind * INFINITY : isnan(n.value));
    }
}
END_TEST

static int prints_float(const char *text)
{
    number n;
    ck_assert(scan(text, &n));
    return n.prints_float;
}

START_TEST(floats_in_print)
{
    seed();
    for (int i = 0; i < 100000; i++) {
        char text[80];
        uint32_t bits = (uint32_t)next_random();
        float f;
        memcpy(&f, &bits, sizeof f);
        if (!isfinite(f))
            continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)(next_random() % 9), (double)f);
        number n;
        ck_assert(scan(text, &n));
        ck_assert_msg(n.prints_float || fabs(n.value) < 1e-44 || isinf(n.nearest), "%s", text);
        snprintf(text, sizeof text, "%.6f", (double)f);
        ck_assert_msg(prints_float(text), "%s", text);
    }
    ck_assert(prints_float("0.1"));
    ck_assert(prints_float("1234.567"));
    ck_assert(prints_float("-0"));
    ck_assert(!prints_float("3512345.678"));
    ck_assert(!prints_float("0.123456789012"));
    ck_assert(!prints_float("16777217"));
    ck_assert(!prints_float("1e39"));
}
END_TEST

START_TEST(other_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        number n;
        if (!setlocale(LC_ALL, names[i]))
            continue;
        ck_assert(scan("1.5", &n) && n.value == 1.5);
        ck_assert(scan("1.5e-320", &n) && n.value == 1.5e-320);
        ck_assert(!scan("1,5", &n));
    }
    setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(words_and_integers)
{
    const char *text = "Facet facetx -12 +7/ 999999999999999999 9999999999999999999";
    text_scan s = {text, text + strlen(text)};
    int64_t value;
    ck_assert(scan_word(&s, "facet"));
    scan_blanks(&s);
    ck_assert(!scan_word(&s, "facet"));
    scan_past_word(&s);
    scan_spaces(&s);
    ck_assert(scan_integer(&s, &value) && value == -12);
    scan_spaces(&s);
    ck_assert(scan_integer(&s, &value) && value == 7 && *s.at == '/');
    s.at++;
    scan_spaces(&s);
    ck_assert(scan_integer(&s, &value) && value == 999999999999999999);
    scan_spaces(&s);
    ck_assert(!scan_integer(&s, &value));
}
END_TEST

SUITE(test_text_scan)
{
    const TTest *const tests[] = {known,        random_numbers,     halfway,
                                  not_numbers,  not_finite,         floats_in_print,
                                  other_locale, words_and_integers, NULL};
    return suite_run("text_scan", tests);
}
