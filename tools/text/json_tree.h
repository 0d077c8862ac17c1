/* SPDX-License-Identifier: MIT
 * json_tree.h: reads a JSON text into a tree of values.
 */
#ifndef JSON_TREE_H
#define JSON_TREE_H

#include <stddef.h>
#include <stdint.h>

/* A value of a tree, which owns it. NULL: it is missing; so is then all that is asked of it. */
typedef struct json_value json_value;

typedef struct json_fault {
    uint64_t offset; /* bytes */
    int line;
    int is_memory; /* nonzero: nothing is wrong with the text, memory is out */
    char text[160];
} json_fault;

/* The root, or NULL and why. */
json_value *json_tree_open(const char *text, size_t size, json_fault *fault);
void json_tree_close(json_value *root);

/* A member of an object; an element of an array, 0 elements when it is none. */
const json_value *json_tree_get(const json_value *object, const char *key);
const json_value *json_tree_at(const json_value *array, size_t index);
size_t json_tree_size(const json_value *array);
int json_tree_is_object(const json_value *value);
int json_tree_is_array(const json_value *value);
int json_tree_is_true(const json_value *value);

/* Calls for each member of an object until the callback returns nonzero;
 * returns what it did last. */
typedef int (*json_member_fn)(void *user, const char *key, const json_value *value);
int json_tree_each(const json_value *object, json_member_fn callback, void *user);

/* A string, NUL-terminated, and its size in bytes; NULL and 0 for other values. */
const char *json_tree_text(const json_value *value);
size_t json_tree_text_size(const json_value *value);
/* Any value as JSON text, to be freed; NULL: out of memory. */
char *json_tree_dump(const json_value *value);

/* Nonzero: the value is a number; one that is whole and not negative; an array of `count` numbers.
 */
int json_tree_number(const json_value *value, double *out);
int json_tree_count(const json_value *value, uint64_t *out);
int json_tree_numbers(const json_value *array, size_t count, double *out);

#endif
