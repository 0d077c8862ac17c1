/* SPDX-License-Identifier: MIT
 * json_tree.c: reads a JSON text into a tree of values: all that the program uses jansson for.
 * Based on: RFC 8259, The JavaScript Object Notation (JSON) Data Interchange Format, 2017.
 */
#include "text/json_tree.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include "bvpack.h"

static json_t *inside(const json_value *value)
{
    return (json_t *)value;
}

/* jansson does not always distinguish a lack of memory from an error in the text. Its scanner
 * continues without the character for which there was no memory, and may abort later. So a failed
 * allocation leaves jansson at once, and what it has allocated by then is not freed. */
static _Thread_local int is_out_of_memory, is_scanning;
static _Thread_local jmp_buf way_out;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *take(size_t size)
{
    void *block = malloc(size);
    if (block)
        return block;
    is_out_of_memory = 1;
    if (is_scanning)
        longjmp(way_out, 1);
    return NULL;
}

static json_t *scan(const char *text, size_t size, json_error_t *error)
{
    json_t *root = NULL;
    assert(!is_scanning); /* there is one way out */
    is_out_of_memory = 0;
    is_scanning = 1;
    if (setjmp(way_out) == 0)
        root = json_loadb(text, size, JSON_REJECT_DUPLICATES, error);
    is_scanning = 0;
    return is_out_of_memory ? NULL : root;
}

static void watch_memory(void)
{
    json_set_alloc_funcs(take, free);
}

json_value *json_tree_open(const char *text, size_t size, json_fault *fault)
{
    json_error_t error;
    pthread_once(&once, watch_memory);
    json_t *root = scan(text, size, &error);
    *fault = (json_fault){.is_memory = is_out_of_memory};
    if (fault->is_memory) {
        snprintf(fault->text, sizeof fault->text, "%s", bvp_status_name(BVP_ERR_NO_MEMORY));
    } else if (!root) {
        fault->offset = (uint64_t)error.position;
        fault->line = error.line;
        snprintf(fault->text, sizeof fault->text, "%s", error.text);
    }
    return (json_value *)root;
}

void json_tree_close(json_value *root)
{
    json_decref(inside(root));
}

/* ---- containers ---------------------------------------------------------------------------- */

const json_value *json_tree_get(const json_value *object, const char *key)
{
    return (const json_value *)json_object_get(inside(object), key);
}

const json_value *json_tree_at(const json_value *array, size_t index)
{
    return (const json_value *)json_array_get(inside(array), index);
}

size_t json_tree_size(const json_value *array)
{
    return json_array_size(inside(array));
}

int json_tree_is_object(const json_value *value)
{
    return json_is_object(inside(value));
}

int json_tree_is_array(const json_value *value)
{
    return json_is_array(inside(value));
}

int json_tree_is_true(const json_value *value)
{
    return json_is_true(inside(value));
}

int json_tree_each(const json_value *object, json_member_fn callback, void *user)
{
    const char *key;
    json_t *value;
    int result = 0;
    json_object_foreach(inside(object), key, value)
    {
        result = callback(user, key, (const json_value *)value);
        if (result != 0)
            break;
    }
    return result;
}

/* ---- strings and numbers ------------------------------------------------------------------- */

const char *json_tree_text(const json_value *value)
{
    return json_string_value(inside(value));
}

size_t json_tree_text_size(const json_value *value)
{
    return json_string_length(inside(value));
}

char *json_tree_dump(const json_value *value)
{
    is_out_of_memory = 0;
    char *text =
        json_dumps(inside(value), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    if (!is_out_of_memory)
        return text;
    free(text);
    return NULL;
}

int json_tree_number(const json_value *value, double *out)
{
    const json_t *number = inside(value);
    if (json_is_number(number))
        *out = json_number_value(number);
    return json_is_number(number);
}

/* Some writers print integers with a point. */
int json_tree_count(const json_value *value, uint64_t *out)
{
    const json_t *number = inside(value);
    if (json_is_integer(number) && json_integer_value(number) >= 0) {
        *out = (uint64_t)json_integer_value(number);
        return 1;
    }
    double real = json_is_real(number) ? json_real_value(number) : -1;
    if (real >= 0 && real < 9e15 && real == floor(real)) {
        *out = (uint64_t)real;
        return 1;
    }
    return 0;
}

int json_tree_numbers(const json_value *array, size_t count, double *out)
{
    if (json_tree_size(array) != count)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(inside(array), i);
        if (!json_is_number(value))
            return 0;
        out[i] = json_number_value(value);
    }
    return 1;
}
