/* SPDX-License-Identifier: MIT
 * clash_rules_read.c: the rules of a clash run from the command line and from a JSON file.
 *
 * A key that is unknown, a rule without a purpose and a selector that can never match are errors,
 * with the rule's number or name in the message: a rule that was silently ignored would hide or
 * invent clashes. Each source is also added to the rules' hash, by which a state file knows its
 * run. Spec: clash.md
 */
#include "clash/clash_rules.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files/input.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/options.h"

static clash_rule *add_rule(clash_rules *r)
{
    clash_rule *larger = realloc(r->rules, (r->rule_count + 1) * sizeof *larger);
    if (!larger)
        return NULL;
    r->rules = larger;
    clash_rule *rule = &larger[r->rule_count++];
    memset(rule, 0, sizeof *rule);
    rule->limits = (bvp_clash_limits){NAN, NAN, NAN};
    return rule;
}

/* hash = of hash and data: a state file is for the same rules in the same order. */
static void note(clash_rules *r, const void *data, size_t size)
{
    uint8_t record[32];
    memcpy(record, r->hash, 16);
    bvp_hash(data, size, record + 16);
    bvp_hash(record, sizeof record, r->hash);
}

/* ---- the command line ---------------------------------------------------------------------- */

int clash_rules_add_exclude(clash_rules *r, const char *text)
{
    char fault[CLASH_FAULT_SIZE], name[120];
    size_t colon = 0;
    clash_rule *rule = add_rule(r);
    snprintf(name, sizeof name, "--exclude %.100s", text);
    if (!rule || !(rule->name = strdup(name)))
        return complain_memory();
    note(r, text, strlen(text));
    while (text[colon] && text[colon] != ':')
        colon += text[colon] == '\\' && text[colon + 1] ? 2 : 1;
    assert(text[colon] == ':' || text[colon] == '\0');
    int wrong = clash_selector_add_text(&rule->a, text, colon, fault);
    if (wrong == 0 && text[colon] == ':')
        wrong =
            clash_selector_add_text(&rule->b, text + colon + 1, strlen(text + colon + 1), fault);
    if (wrong != 0 && fault[0] == '\0')
        return complain_memory();
    if (wrong != 0)
        complain("--exclude", "%s", fault);
    return wrong ? EXIT_USAGE : 0;
}

int clash_rules_add_same_assembly(clash_rules *r)
{
    clash_rule *rule = add_rule(r);
    if (!rule || !(rule->name = strdup("--same-assembly")))
        return complain_memory();
    note(r, "--same-assembly", 15);
    rule->same_assembly = 1;
    return 0;
}

/* ---- the file ------------------------------------------------------------------------------ */

typedef struct reading {
    clash_rules *r;
    clash_rule *rule; /* the one being read, or NULL */
    const char *path;
    const bvp_file_info *info;
    char where[160]; /* "rule 3 \"bolts\"" */
    int action_count;
    int code;
} reading;

static int refuse(reading *in, const char *key, const char *what)
{
    complain(in->path, "%s%s%s: %s", in->where, in->where[0] && key[0] ? ", " : "", key, what);
    in->code = EXIT_USAGE;
    return in->code;
}

/* A number in the file's units, or "5mm". */
static int read_length(reading *in, const char *key, const json_value *value, double *out)
{
    char where[256];
    double number;
    const char *text = json_tree_text(value);
    if (json_tree_number(value, &number)) {
        *out = number;
        return number >= 0 ? 0 : refuse(in, key, "a length can't be negative");
    }
    if (!text)
        return refuse(in, key, "expected a length: a number, or a string such as \"5mm\"");
    snprintf(where, sizeof where, "%.60s: %s%s%s", in->path, in->where, in->where[0] ? ", " : "",
             key);
    in->code = parse_length(where, text, in->info, out);
    if (in->code == 0 && !isfinite(*out))
        return refuse(in, key, "a length must be finite");
    return in->code;
}

static int read_selector(reading *in, const char *key, const json_value *value, clash_selector *s)
{
    char fault[CLASH_FAULT_SIZE];
    if (clash_selector_add_json(s, value, fault) == 0)
        return 0;
    return fault[0] == '\0' ? (in->code = complain_memory()) : refuse(in, key, fault);
}

static int read_exclude(reading *in, const char *key, const json_value *value)
{
    in->rule->action = CLASH_EXCLUDE;
    in->action_count++;
    return json_tree_is_true(value) ? 0 : refuse(in, key, "expected true; else leave it out");
}

/* true: touching is allowed; a length: penetration up to that depth. */
static int read_allow(reading *in, const char *key, const json_value *value)
{
    in->rule->action = CLASH_ALLOW;
    in->action_count++;
    return json_tree_is_true(value) ? 0 : read_length(in, key, value, &in->rule->limits.overlap);
}

static int read_same_assembly(reading *in, const char *key, const json_value *value)
{
    in->rule->same_assembly = 1;
    return json_tree_is_true(value) ? 0 : read_selector(in, key, value, &in->rule->assembly);
}

static int read_optional(reading *in, const char *key, const json_value *value)
{
    in->rule->optional = 1;
    return json_tree_is_true(value) ? 0 : refuse(in, key, "expected true; else leave it out");
}

static int read_name(reading *in, const char *key, const json_value *value)
{
    const char *text = json_tree_text(value);
    if (!text || !text[0])
        return refuse(in, key, "expected a string that is not empty");
    free(in->rule->name);
    in->rule->name = strdup(text);
    if (!in->rule->name)
        return in->code = complain_memory();
    return 0;
}

/* The limit with this name, or NULL. */
static double *limit_named(bvp_clash_limits *limits, const char *key)
{
    if (strcmp(key, "clearance") == 0)
        return &limits->clearance;
    if (strcmp(key, "touch") == 0)
        return &limits->touch_gap;
    return strcmp(key, "overlap") == 0 ? &limits->overlap : NULL;
}

static int unknown_key(reading *in, const char *key, const char *const *words)
{
    char text[160];
    const char *nearest = options_nearest(key, words);
    snprintf(text, sizeof text, "no such key%s%s%s", nearest ? "; did you mean \"" : "",
             nearest ? nearest : "", nearest ? "\"?" : "");
    return refuse(in, key, text);
}

static int read_rule_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"name",      "a",     "b",        "same_assembly",
                                        "exclude",   "allow", "optional", "comment",
                                        "clearance", "touch", "overlap",  NULL};
    static int (*const readers[])(reading *, const char *, const json_value *) = {
        read_name, NULL, NULL, read_same_assembly, read_exclude, read_allow, read_optional};
    reading *in = user;
    double *limit = limit_named(&in->rule->limits, key);
    if (limit)
        return read_length(in, key, value, limit);
    if (strcmp(key, "a") == 0 || strcmp(key, "b") == 0)
        return read_selector(in, key, value, key[0] == 'a' ? &in->rule->a : &in->rule->b);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i] && strcmp(key, words[i]) == 0)
            return readers[i](in, key, value);
    return strcmp(key, "comment") == 0 ? 0 : unknown_key(in, key, words);
}

static int has_limits(const bvp_clash_limits *limits)
{
    return !isnan(limits->clearance) || !isnan(limits->touch_gap) || !isnan(limits->overlap);
}

/* A rule must say which pairs it is for, and must have one effect. */
static int check_rule(reading *in)
{
    clash_rule *rule = in->rule;
    assert(rule == &in->r->rules[in->r->rule_count - 1]);
    if (rule->a.choice_count == 0 && rule->b.choice_count == 0 && !rule->same_assembly)
        return refuse(in, "",
                      "expected \"a\", \"b\" or \"same_assembly\": whom is it for? "
                      "\"a\": \"*\" means every pair");
    if (in->action_count > 1)
        return refuse(in, "", "expected one of \"exclude\" and \"allow\", found both");
    if (rule->action == CLASH_EXCLUDE && in->action_count > 0 && has_limits(&rule->limits))
        return refuse(in, "", "excluded pairs have no clearance, touch gap or overlap");
    if (in->action_count > 0)
        return 0;
    rule->action = CLASH_LIMITS;
    if (!has_limits(&rule->limits))
        return refuse(in, "",
                      "expected \"exclude\", \"allow\", \"clearance\", \"touch\" or "
                      "\"overlap\": what does it do?");
    return 0;
}

static int read_rule_list(reading *in, const json_value *list)
{
    if (!json_tree_is_array(list))
        return refuse(in, "rules", "expected an array of rules");
    for (size_t i = 0; i < json_tree_size(list); i++) {
        const json_value *value = json_tree_at(list, i);
        const char *given = json_tree_text(json_tree_get(value, "name"));
        char name[32];
        snprintf(name, sizeof name, "rule %zu", i + 1);
        snprintf(in->where, sizeof in->where, given ? "%s \"%.100s\"" : "%s", name, given);
        in->action_count = 0;
        in->rule = add_rule(in->r); /* add_rule may move the earlier ones */
        if (!in->rule || !(in->rule->name = strdup(name)))
            return in->code = complain_memory();
        if (!json_tree_is_object(value))
            return refuse(in, "", "expected an object");
        if (json_tree_each(value, read_rule_member, in) != 0 || check_rule(in) != 0)
            return in->code;
    }
    in->where[0] = '\0';
    return 0;
}

static int read_top_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"rules", "clearance", "touch", "overlap", "comment", NULL};
    reading *in = user;
    double *limit = limit_named(&in->r->limits, key);
    in->where[0] = '\0';
    if (limit)
        return read_length(in, key, value, limit);
    if (strcmp(key, "rules") == 0)
        return read_rule_list(in, value);
    return strcmp(key, "comment") == 0 ? 0 : unknown_key(in, key, words);
}

int clash_rules_add_file(clash_rules *r, const char *path, const bvp_file_info *info)
{
    reading in = {.r = r, .path = path, .info = info};
    json_fault fault = {0};
    input file;
    int code = input_open(&file, path);
    if (code != 0)
        return code;
    note(r, file.data ? file.data : "", file.size);
    json_value *root = json_tree_open(file.data ? file.data : "", file.size, &fault);
    if (!root) {
        if (fault.is_memory)
            complain(path, "%s", fault.text);
        else
            complain(path, "line %d: %s; expected a JSON text of rules", fault.line, fault.text);
        code = fault.is_memory ? EXIT_LIMIT : EXIT_INPUT;
    } else {
        code = json_tree_is_array(root) ? read_rule_list(&in, root)
               : !json_tree_is_object(root)
                   ? refuse(&in, "", "expected an object with \"rules\", or an array of rules")
               : json_tree_each(root, read_top_member, &in) == 0 ? 0
                                                                 : in.code;
    }
    json_tree_close(root);
    input_close(&file);
    return code;
}
