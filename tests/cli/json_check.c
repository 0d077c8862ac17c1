/* SPDX-License-Identifier: MIT
 * json_check.c: for shell tests: is standard input JSON, and what is at a path of it?
 * json_check [PATH]: PATH is keys and indices, "pairs.0.a.id"; prints a scalar, a container's size.
 * json_check --lines: each line is a JSON value; prints how many.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *load(const char *text, size_t size)
{
    json_error_t error;
    json_t *value =
        json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!value)
        fprintf(stderr, "json_check: line %d, column %d: %s\n", error.line, error.column,
                error.text);
    return value;
}

static const json_t *at_path(const json_t *value, char *path)
{
    for (char *key = strtok(path, "."); key && value; key = strtok(NULL, ".")) {
        if (json_is_array(value))
            value = json_array_get(value, strtoul(key, NULL, 10));
        else
            value = json_object_get(value, key);
    }
    return value;
}

static int print_value(const json_t *value)
{
    if (!value)
        return fprintf(stderr, "json_check: nothing at the path\n"), 1;
    if (json_is_object(value))
        printf("%zu\n", json_object_size(value));
    else if (json_is_array(value))
        printf("%zu\n", json_array_size(value));
    else if (json_is_string(value))
        puts(json_string_value(value));
    else
        json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)), putchar('\n');
    return 0;
}

static int check_lines(void)
{
    char *line = NULL;
    size_t capacity = 0, count = 0;
    ssize_t size;
    while ((size = getline(&line, &capacity, stdin)) >= 0) {
        json_t *value = load(line, (size_t)size);
        if (!value)
            return 1;
        json_decref(value);
        count++;
    }
    free(line);
    printf("%zu\n", count);
    return 0;
}

int main(int argc, char **argv)
{
    char *text = NULL;
    size_t capacity = 0;
    if (argc > 1 && strcmp(argv[1], "--lines") == 0)
        return check_lines();
    ssize_t size = getdelim(&text, &capacity, EOF, stdin);
    json_t *value = size > 0 ? load(text, (size_t)size) : NULL;
    if (!value)
        return 1;
    int code = argc > 1 ? print_value(at_path(value, argv[1])) : 0;
    json_decref(value);
    free(text);
    return code;
}
