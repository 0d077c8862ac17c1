/* SPDX-License-Identifier: MIT
 * json_list.c: finds the elements of one array of a JSON text without building a tree of them. It
 * examines only brackets and strings; the rest is checked when it is parsed.
 */
#include "text/json_list.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"
#include "bvpack.h"

/* ---- scanning ------------------------------------------------------------------------------ */

typedef struct scan {
    const char *text;
    size_t size, at;
    int is_out_of_memory;
} scan;

static char here(const scan *s)
{
    return s->at < s->size ? s->text[s->at] : '\0';
}

static void skip_space(scan *s)
{
    while (here(s) == ' ' || here(s) == '\n' || here(s) == '\t' || here(s) == '\r')
        s->at++;
}

static void skip_string(scan *s)
{
    for (s->at++; s->at < s->size && s->text[s->at] != '"'; s->at++)
        s->at += s->text[s->at] == '\\';
    s->at++;
}

/* Goes behind the '[' of the root's member `key`. */
static int find_array(scan *s, const char *key)
{
    const size_t length = strlen(key);
    size_t depth = 0;
    while (s->at < s->size) {
        const char c = here(s);
        const size_t start = s->at + 1;
        if (c != '"') {
            depth += c == '{' || c == '[';
            depth -= depth > 0 && (c == '}' || c == ']');
            s->at++;
            continue;
        }
        skip_string(s);
        if (depth != 1 || s->at != start + length + 1 || s->at > s->size ||
            memcmp(s->text + start, key, length) != 0)
            continue;
        skip_space(s);
        if (here(s) != ':')
            continue;
        s->at++;
        skip_space(s);
        if (here(s) == '[') {
            s->at++;
            return 1;
        }
    }
    return 0;
}

static int add_start(scan *s, json_list *list, uint64_t start)
{
    assert(list->count == 0 || list->starts[list->count - 1] <= start);
    if (array_grow(&list->starts, &list->capacity, list->count + 2, sizeof *list->starts) != 0) {
        s->is_out_of_memory = 1;
        return 0;
    }
    list->starts[list->count++] = start;
    return 1;
}

/* The elements up to the ']', which comes next. */
static int find_elements(scan *s, json_list *list)
{
    size_t depth = 0;
    skip_space(s);
    if (here(s) == ']')
        return 1;
    if (!add_start(s, list, s->at))
        return 0;
    while (s->at < s->size) {
        const char c = here(s);
        if (c == '"') {
            skip_string(s);
            continue;
        }
        if (depth == 0 && c == ']') {
            list->starts[list->count] = s->at + 1;
            return 1;
        }
        depth += c == '{' || c == '[';
        depth -= depth > 0 && (c == '}' || c == ']');
        s->at++;
        if (depth == 0 && c == ',') {
            skip_space(s);
            if (!add_start(s, list, s->at))
                return 0;
        }
    }
    return 0;
}

/* ---- opening ------------------------------------------------------------------------------- */

static void refuse_memory(json_fault *fault)
{
    *fault = (json_fault){.is_memory = 1};
    snprintf(fault->text, sizeof fault->text, "%s", bvp_status_name(BVP_ERR_NO_MEMORY));
}

json_value *json_list_open(const char *text, size_t size, const char *key, json_list *list,
                           json_fault *fault)
{
    scan s = {.text = text, .size = size};
    json_value *root = NULL;
    *list = (json_list){.text = text};
    *fault = (json_fault){.is_memory = 0};
    if (find_array(&s, key)) {
        const size_t from = s.at;
        if (find_elements(&s, list)) {
            /* the text without the elements, as a tree */
            assert(from <= s.at && s.at <= size);
            const size_t left = size - (s.at - from);
            char *rest = malloc(left + 1);
            if (rest) {
                memcpy(rest, text, from);
                memcpy(rest + from, text + s.at, size - s.at);
                root = json_tree_open(rest, left, fault);
                free(rest);
            } else {
                refuse_memory(fault);
            }
        } else if (s.is_out_of_memory) {
            refuse_memory(fault);
        }
    }
    if (root)
        return root;
    json_list_close(list);
    if (fault->is_memory)
        return NULL;
    return json_tree_open(text, size, fault); /* which has no such array, or tells what is wrong */
}

void json_list_close(json_list *list)
{
    json_tree_close(list->value);
    free(list->starts);
    *list = (json_list){.text = list->text};
}

/* ---- elements ------------------------------------------------------------------------------ */

uint64_t json_list_start(const json_list *list, size_t index)
{
    assert(index < list->count);
    return list->starts[index];
}

int json_list_is_object(const json_list *list, size_t index)
{
    assert(index < list->count);
    return list->text[list->starts[index]] == '{';
}

const json_value *json_list_at(json_list *list, size_t index, json_fault *fault)
{
    assert(index < list->count); /* so there is a start after it, or the array's end */
    if (list->value && list->at == index)
        return list->value;
    json_tree_close(list->value);
    uint64_t end = list->starts[index + 1];
    while (end > list->starts[index] && list->text[end - 1] != ',' && list->text[end - 1] != ']')
        end--; /* white space before the next one */
    if (end > list->starts[index])
        end--;
    list->value = json_tree_open(list->text + list->starts[index],
                                 (size_t)(end - list->starts[index]), fault);
    list->at = index;
    return list->value;
}
