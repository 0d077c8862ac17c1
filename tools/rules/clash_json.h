/* SPDX-License-Identifier: MIT
 * clash_json.h: what the JSON files of rules and of zones have in common: a list of named objects,
 * lengths, and messages that say where in the file something is wrong.
 */
#ifndef CLASH_JSON_H
#define CLASH_JSON_H

#include "bvpack.h"
#include "files/input.h"
#include "text/json_tree.h"

typedef struct clash_json {
    const char *path;
    const bvp_file_info *info;
    char where[160]; /* "zone 3 \"door\"", or empty outside of the list */
    int code;        /* the exit code; 0: nothing has been refused */
    input file;
    json_value *root;
} clash_json;

/* Opens the text; what: "rules", for the message. 0, or an exit code after a message. Nothing has
 * to be closed then. */
int clash_json_open(clash_json *in, const char *path, const bvp_file_info *info, const char *what);
/* The same of a text of rules in memory, which stays the caller's. */
int clash_json_open_text(clash_json *in, const char *name, const void *text, size_t size,
                         const bvp_file_info *info);
void clash_json_close(clash_json *in);

/* Says what is wrong at the key ("": at all of it), and returns in->code, EXIT_USAGE. */
int clash_json_refuse(clash_json *in, const char *key, const char *what);
/* words: the keys that there are, NULL at the end. */
int clash_json_unknown(clash_json *in, const char *key, const char *const *words);
/* The path, where, and the key, for messages of others. Returns `out`. */
const char *clash_json_place(const clash_json *in, const char *key, char out[256]);

/* A string that is not empty; frees *out, which then is a copy of it. */
int clash_json_name(clash_json *in, const char *key, const json_value *value, char **out);
/* Finite and not negative: a number in the file's units, or "5mm". */
int clash_json_length(clash_json *in, const char *key, const json_value *value, double *out);

/* Reads element `value`, which is called `name` unless it says something else: "zone 3". 0, or
 * in->code. */
typedef int (*clash_json_element)(void *user, const char *name, const json_value *value);
/* The list of an array of objects; one: "zone". */
int clash_json_list(clash_json *in, const json_value *list, const char *one,
                    clash_json_element read, void *user);
/* The root is the list, or an object whose members `member` reads, the list among them. */
int clash_json_root(clash_json *in, const char *one, clash_json_element read, json_member_fn member,
                    void *user);

#endif
