/* SPDX-License-Identifier: MIT
 * options.c: a verb's command line, read by its option table.
 */
#include "cli/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/manual.h"
#include "text/message.h"
#include "path/whole_path.h"
#include "cli/timeout.h"

enum { ROW_MAX = 48, TIMEOUT_CODE = 256, ROW_BASE, WORD_MAX = 40 };

/* ---- the nearest word ---------------------------------------------------------------------- */

/* Edits (insert, delete, replace, swap of neighbours) from a to b.
 * Based on: Damerau, A technique for computer detection and correction of spelling errors, 1964. */
static size_t edit_count(const char *a, const char *b)
{
    size_t row[3][WORD_MAX + 1];
    size_t a_size = strlen(a), b_size = strlen(b);
    if (a_size > WORD_MAX || b_size > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= b_size; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (best > before[j] + 1)
                best = before[j] + 1;
            if (best > now[j - 1] + 1)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                best > earlier[j - 2] + 1)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[a_size % 3][b_size];
}

const char *options_nearest(const char *given, const char *const *words)
{
    const char *nearest = NULL;
    size_t size = strlen(given), best = size / 3 + 2;
    for (; *words; words++) {
        size_t edits = edit_count(given, *words);
        if (size >= 2 && strncmp(given, *words, size) == 0)
            edits = 1;
        if (edits < best) {
            best = edits;
            nearest = *words;
        }
    }
    return nearest;
}

/* ---- values -------------------------------------------------------------------------------- */

static int wrong_value(const option_row *row, const char *text, const char *wanted)
{
    char where[64];
    snprintf(where, sizeof where, "--%s", row->name);
    complain(where, "expected %s, found \"%s\"", wanted, text);
    return EXIT_USAGE;
}

static int set_number(const option_row *row, const char *text, double *out)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        return wrong_value(row, text, "a finite number");
    *out = value;
    return 0;
}

/* On Windows paths may have backslashes; the program knows slashes only. A selector behind the path
 * stays as it is. */
static void make_slashes(char *path)
{
#ifdef _WIN32
    const char *selector = strrchr(path_behind_drive(path), ':');
    for (char *at = path; *at && at != selector; at++)
        if (*at == '\\')
            *at = '/';
#else
    (void)path;
#endif
}

static int set_value(const option_row *row, char *text, void *settings)
{
    void *variable = (char *)settings + row->offset;
    char wanted[128], *end = NULL;
    option_list *list = variable;
    if (row->kind == OPTION_FILE || row->kind == OPTION_FILES)
        make_slashes(text);
    switch (row->kind) {
    case OPTION_FLAG:
        *(int *)variable = 1;
        return 0;
    case OPTION_TEXT:
    case OPTION_FILE:
        *(const char **)variable = text;
        return 0;
    case OPTION_CHOICE:
        for (const char *word = row->value; word; word = strchr(word, '|')) {
            word += *word == '|';
            const size_t size = strcspn(word, "|");
            if (size == strlen(text) && strncmp(word, text, size) == 0) {
                *(const char **)variable = text;
                return 0;
            }
        }
        snprintf(wanted, sizeof wanted, "one of %s", row->value);
        return wrong_value(row, text, wanted);
    case OPTION_COUNT: {
        errno = 0;
        const uint64_t value = strtoull(text, &end, 0);
        const int in_range = value >= row->least && (row->most == 0 || value <= row->most);
        if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && in_range) {
            *(uint64_t *)variable = value;
            return 0;
        }
        if (row->most)
            snprintf(wanted, sizeof wanted, "a whole number from %llu to %llu",
                     (unsigned long long)row->least, (unsigned long long)row->most);
        else
            snprintf(wanted, sizeof wanted, "a whole number, %llu or more",
                     (unsigned long long)row->least);
        return wrong_value(row, text, wanted);
    }
    case OPTION_NUMBER:
        return set_number(row, text, variable);
    case OPTION_TEXTS:
    case OPTION_FILES:
        if (list->count < OPTION_LIST_MAX) {
            list->items[list->count++] = text;
            return 0;
        }
        snprintf(wanted, sizeof wanted, "--%s", row->name);
        complain(wanted, "may be given %d times at most", OPTION_LIST_MAX);
        return EXIT_USAGE;
    }
    return EXIT_USAGE;
}

/* ---- the command line ---------------------------------------------------------------------- */

static const option_row *row_of(const verb *self, int code)
{
    if (code == TIMEOUT_CODE)
        return &timeout_row;
    if (code >= ROW_BASE)
        return &self->options[code - ROW_BASE];
    for (const option_row *row = self->options; row->name; row++)
        if (code != 0 && row->letter == code)
            return row;
    return NULL;
}

/* getopt_long gave ':' or '?'. */
static int wrong_option(const verb *self, int code, const char *given)
{
    const option_row *row = row_of(self, optopt);
    const int is_long = strncmp(given, "--", 2) == 0;
    if (row && code == ':') {
        complain(self->name, "--%s needs a value: --%s=%s", row->name, row->name, row->value);
    } else if (row && is_long) {
        complain(self->name, "--%s takes no value", row->name);
    } else if (is_long) {
        char name[WORD_MAX + 1];
        const char *words[ROW_MAX + 3];
        size_t count = 0, size = strcspn(given + 2, "=");
        snprintf(name, sizeof name, "%.*s", (int)(size < WORD_MAX ? size : WORD_MAX), given + 2);
        words[count++] = "help";
        words[count++] = timeout_row.name;
        for (row = self->options; row->name; row++) {
            assert(count < ROW_MAX + 2);
            words[count++] = row->name;
        }
        words[count] = NULL;
        const char *nearest = options_nearest(name, words);
        if (nearest)
            complain(self->name, "no option \"--%s\"; did you mean --%s?", name, nearest);
        else
            complain(self->name, "no option \"--%s\"; \"bvpack %s --help\" lists them", name,
                     self->name);
    } else {
        complain(self->name, "no option \"-%c\"; \"bvpack %s --help\" lists them", optopt,
                 self->name);
    }
    return EXIT_USAGE;
}

int options_parse(const verb *self, int argc, char **argv, void *settings, int *exit_code)
{
    struct option longs[ROW_MAX + 3], *next = longs;
    char shorts[2 * ROW_MAX + 3], *letter = shorts;
    int code;

    *letter++ = ':'; /* getopt_long then tells a missing value from an unknown option */
    *letter++ = 'h';
    *next++ = (struct option){"help", no_argument, NULL, 'h'};
    *next++ = (struct option){timeout_row.name, required_argument, NULL, TIMEOUT_CODE};
    for (int i = 0; i < ROW_MAX && self->options[i].name; i++) {
        const option_row *row = &self->options[i];
        const int takes = row->kind != OPTION_FLAG;
        *next++ =
            (struct option){row->name, takes ? required_argument : no_argument, NULL, ROW_BASE + i};
        if (row->letter)
            *letter++ = (char)row->letter;
        if (row->letter && takes)
            *letter++ = ':';
    }
    *next = (struct option){NULL, 0, NULL, 0};
    *letter = '\0';
    opterr = 0;
    optind = 0; /* glibc and musl: start over */
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        double seconds = 0;
        int wrong = 0;
        if (code == 'h') {
            manual_help(self, stdout);
            *exit_code = finish_stdout(EXIT_DONE);
            return -1;
        }
        if (code == ':' || code == '?') {
            wrong = wrong_option(self, code, argv[optind - 1]);
        } else if (code != TIMEOUT_CODE) {
            wrong = set_value(row_of(self, code), optarg, settings);
        } else {
            wrong = set_number(&timeout_row, optarg, &seconds);
            if (wrong == 0 && !(seconds > 0))
                wrong = wrong_value(&timeout_row, optarg, "a number of seconds above 0");
            if (wrong == 0)
                timeout_set(seconds);
        }
        if (wrong != 0) {
            *exit_code = wrong;
            return -1;
        }
    }
    for (int i = optind; i < argc && self->completes; i++)
        make_slashes(argv[i]);
    return optind;
}

int options_need(const verb *self, int operand_count, int least, int most, const char *what)
{
    if (operand_count >= least && (most < 0 || operand_count <= most))
        return 0;
    if (operand_count < least)
        complain(self->name, "expected %s; \"bvpack %s --help\" shows how", what, self->name);
    else
        complain(self->name, "expected %s, found %d operands; \"bvpack %s --help\" shows how", what,
                 operand_count, self->name);
    return EXIT_USAGE;
}

int options_operands(const verb *self, int argc, char **argv, void *settings, int least, int most,
                     const char *what, int *exit_code)
{
    const int first = options_parse(self, argc, argv, settings, exit_code);
    if (first < 0)
        return first;
    *exit_code = options_need(self, argc - first, least, most, what);
    return *exit_code == 0 ? first : -1;
}
