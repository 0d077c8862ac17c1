/* SPDX-License-Identifier: MIT
 * json_list.h: a JSON text one of whose arrays is too large for a tree: its elements are parsed
 * when they are asked for, one at a time.
 */
#ifndef JSON_LIST_H
#define JSON_LIST_H

#include "text/json_tree.h"

typedef struct json_list {
    const char *text;
    uint64_t *starts; /* count + 1: where each element begins, and one past the last one's comma */
    size_t count, capacity;
    json_value *value; /* of element `at`, or NULL */
    size_t at;
} json_list;

/* The root, whose member `key`, if it is an array, is left empty and put into the list; the text
 * must outlive that. NULL: why. The list is to be closed in any case. */
json_value *json_list_open(const char *text, size_t size, const char *key, json_list *list,
                           json_fault *fault);
void json_list_close(json_list *list);

/* Element `index` < count, an object or array, until the next call; NULL: why, offsets and lines
 * count from it. */
const json_value *json_list_at(json_list *list, size_t index, json_fault *fault);
/* Where it begins in the text; nonzero: it looks like an object. */
uint64_t json_list_start(const json_list *list, size_t index);
int json_list_is_object(const json_list *list, size_t index);

#endif
