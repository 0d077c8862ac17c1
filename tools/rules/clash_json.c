/* SPDX-License-Identifier: MIT
 * clash_json.c: opens and walks the JSON files of rules and of zones, and says what is wrong there.
 * Spec: clash.md
 */
#include "rules/clash_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/operand.h"
#include "cli/options.h"
#include "text/message.h"

/* The file is open, and closed again if there is an error. */
static int parse(clash_json *in, const char *text, size_t size, const char *what)
{
    json_fault fault = {0};
    in->root = json_tree_open(text, size, &fault);
    if (in->root)
        return 0;
    if (fault.is_memory)
        complain(in->path, "%s", fault.text);
    else
        complain(in->path, "line %d: %s; expected a JSON text of %s", fault.line, fault.text, what);
    input_close(&in->file);
    return fault.is_memory ? EXIT_LIMIT : EXIT_INPUT;
}

int clash_json_open(clash_json *in, const char *path, const bvp_file_info *info, const char *what)
{
    *in = (clash_json){.path = path, .info = info};
    const int code = input_open(&in->file, path);
    return code ? code : parse(in, in->file.data ? in->file.data : "", in->file.size, what);
}

int clash_json_open_text(clash_json *in, const char *name, const void *text, size_t size,
                         const bvp_file_info *info)
{
    *in = (clash_json){.path = name, .info = info};
    return parse(in, text, size, "rules");
}

void clash_json_close(clash_json *in)
{
    json_tree_close(in->root);
    input_close(&in->file);
}

int clash_json_refuse(clash_json *in, const char *key, const char *what)
{
    complain(in->path, "%s%s%s: %s", in->where, in->where[0] && key[0] ? ", " : "", key, what);
    in->code = EXIT_USAGE;
    return in->code;
}

int clash_json_unknown(clash_json *in, const char *key, const char *const *words)
{
    char text[160];
    const char *nearest = options_nearest(key, words);
    snprintf(text, sizeof text, "no such key%s%s%s", nearest ? "; did you mean \"" : "",
             nearest ? nearest : "", nearest ? "\"?" : "");
    return clash_json_refuse(in, key, text);
}

const char *clash_json_place(const clash_json *in, const char *key, char out[256])
{
    snprintf(out, 256, "%.60s: %s%s%s", in->path, in->where, in->where[0] ? ", " : "", key);
    return out;
}

int clash_json_name(clash_json *in, const char *key, const json_value *value, char **out)
{
    const char *text = json_tree_text(value);
    if (!text || !text[0] || strlen(text) != json_tree_text_size(value))
        return clash_json_refuse(in, key, "expected a string that is not empty");
    free(*out);
    *out = strdup(text);
    return *out ? 0 : (in->code = complain_memory());
}

int clash_json_length(clash_json *in, const char *key, const json_value *value, double *out)
{
    char where[256];
    const char *text = json_tree_text(value);
    if (text)
        in->code = parse_length(clash_json_place(in, key, where), text, in->info, out);
    else if (!json_tree_number(value, out))
        return clash_json_refuse(in, key,
                                 "expected a length: a number, or a string such as \"5mm\"");
    if (in->code == 0 && !(*out >= 0 && isfinite(*out)))
        return clash_json_refuse(in, key, "expected a length that is finite and not negative");
    return in->code;
}

int clash_json_list(clash_json *in, const json_value *list, const char *one,
                    clash_json_element read, void *user)
{
    char name[48], key[32], what[64];
    snprintf(key, sizeof key, "%ss", one);
    snprintf(what, sizeof what, "expected an array of %s", key);
    if (!json_tree_is_array(list))
        return clash_json_refuse(in, key, what);
    for (size_t i = 0; i < json_tree_size(list); i++) {
        const json_value *value = json_tree_at(list, i);
        const char *given = json_tree_text(json_tree_get(value, "name"));
        snprintf(name, sizeof name, "%.20s %zu", one, i + 1);
        snprintf(in->where, sizeof in->where, given ? "%s \"%.100s\"" : "%s", name, given);
        if (!json_tree_is_object(value))
            return clash_json_refuse(in, "", "expected an object");
        if (read(user, name, value) != 0)
            return in->code;
    }
    in->where[0] = '\0';
    return 0;
}

int clash_json_root(clash_json *in, const char *one, clash_json_element read, json_member_fn member,
                    void *user)
{
    if (json_tree_is_array(in->root))
        return clash_json_list(in, in->root, one, read, user);
    return json_tree_each(in->root, member, user) != 0 ? in->code : 0;
}
