/* SPDX-License-Identifier: MIT
 * clash_rules_read.c: the rules of a clash run from the command line and from a JSON file.
 *
 * A key that is unknown, a rule without a purpose and a selector that can never match are errors,
 * with the rule's number or name in the message: a rule that was silently ignored would hide or
 * invent clashes. Each source is also added to the rules' hash, by which a state file knows its
 * run. Spec: clash.md
 */
#include "rules/clash_rules.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rules/clash_json.h"
#include "text/message.h"

#define SETS                                                                                       \
    "elements, alternatives, insulation, threads, fasteners, systems, fillings, structure and "    \
    "contact"

static clash_rule *add_rule(clash_rules *r)
{
    clash_rule *larger = realloc(r->rules, (r->rule_count + 1) * sizeof *larger);
    if (!larger)
        return NULL;
    r->rules = larger;
    clash_rule *rule = &larger[r->rule_count++];
    memset(rule, 0, sizeof *rule);
    rule->limits = (bvp_clash_limits){NAN, NAN, NAN};
    rule->share = NAN;
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

/* ---- sets ---------------------------------------------------------------------------------- */

static const clash_rule_set *find_set(const char *name)
{
    const clash_rule_set *set = clash_rule_sets;
    while (set->name && strcmp(set->name, name) != 0)
        set++;
    return set->name ? set : NULL;
}

/* ---- the file ------------------------------------------------------------------------------ */

typedef struct reading {
    clash_json json;
    clash_rules *r;
    clash_rule *rule; /* the one being read */
    int action_count, is_set;
    const json_value *sets; /* names of rule sets to follow, or NULL */
} reading;

static int refuse(reading *in, const char *key, const char *what)
{
    return clash_json_refuse(&in->json, key, what);
}

static int read_length(reading *in, const char *key, const json_value *value, double *out)
{
    return clash_json_length(&in->json, key, value, out);
}

static int read_selector(reading *in, const char *key, const json_value *value, clash_selector *s)
{
    char fault[CLASH_FAULT_SIZE];
    if (clash_selector_add_json(s, value, fault) == 0)
        return 0;
    return fault[0] == '\0' ? (in->json.code = complain_memory()) : refuse(in, key, fault);
}

static int read_exclude(reading *in, const char *key, const json_value *value)
{
    in->rule->action = CLASH_EXCLUDE;
    in->action_count++;
    return json_tree_is_true(value) ? 0 : refuse(in, key, "expected true; else leave it out");
}

/* "8%" of what is thinner of the two. */
static int read_share(reading *in, const char *key, const char *text, size_t size)
{
    char *end;
    const double percent = strtod(text, &end);
    if (end != text + size - 1 || !(percent >= 0 && percent <= 1000))
        return refuse(in, key, "expected a share of 0% to 1000%, such as \"8%\"");
    in->rule->share = percent / 100;
    return 0;
}

/* true: touching is allowed; a length, or a share of the thinner part: penetration up to that
 * depth. */
static int read_allow(reading *in, const char *key, const json_value *value)
{
    in->rule->action = CLASH_ALLOW;
    in->action_count++;
    const char *text = json_tree_text(value);
    const size_t size = text ? json_tree_text_size(value) : 0;
    if (size > 1 && text[size - 1] == '%')
        return read_share(in, key, text, size);
    return json_tree_is_true(value) ? 0 : read_length(in, key, value, &in->rule->limits.overlap);
}

static int read_same_assembly(reading *in, const char *key, const json_value *value)
{
    in->rule->same_assembly = 1;
    return json_tree_is_true(value) ? 0 : read_selector(in, key, value, &in->rule->assembly);
}

static int read_same(reading *in, const char *key, const json_value *value)
{
    return clash_json_name(&in->json, key, value, &in->rule->same);
}

static int read_same_element(reading *in, const char *key, const json_value *value)
{
    in->rule->same_element = 1;
    return json_tree_is_true(value) ? 0 : refuse(in, key, "expected true; else leave it out");
}

static int read_optional(reading *in, const char *key, const json_value *value)
{
    in->rule->optional = 1;
    return json_tree_is_true(value) ? 0 : refuse(in, key, "expected true; else leave it out");
}

static int read_name(reading *in, const char *key, const json_value *value)
{
    return clash_json_name(&in->json, key, value, &in->rule->name);
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

static int read_rule_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {
        "name",         "a",        "b",       "same_assembly", "exclude", "allow",   "same",
        "same_element", "optional", "comment", "clearance",     "touch",   "overlap", NULL};
    static int (*const readers[])(reading *, const char *, const json_value *) = {
        read_name,    NULL,       NULL,      read_same_assembly,
        read_exclude, read_allow, read_same, read_same_element,
        read_optional};
    reading *in = user;
    double *limit = limit_named(&in->rule->limits, key);
    if (limit)
        return read_length(in, key, value, limit);
    if (strcmp(key, "a") == 0 || strcmp(key, "b") == 0)
        return read_selector(in, key, value, key[0] == 'a' ? &in->rule->a : &in->rule->b);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i] && strcmp(key, words[i]) == 0)
            return readers[i](in, key, value);
    return strcmp(key, "comment") == 0 ? 0 : clash_json_unknown(&in->json, key, words);
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
    if (rule->a.choice_count == 0 && rule->b.choice_count == 0 && !rule->same_assembly &&
        !rule->same && !rule->same_element)
        return refuse(in, "",
                      "expected \"a\", \"b\", \"same_assembly\", \"same\" or "
                      "\"same_element\": whom is it for? "
                      "\"a\": \"*\" means every pair");
    if (in->action_count > 1)
        return refuse(in, "", "expected one of \"exclude\" and \"allow\", found both");
    if (in->action_count > 0 && !isnan(rule->share) && !isnan(rule->limits.overlap))
        return refuse(in, "", "expected one permitted overlap, found a share and a length");
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

static int read_rule(void *user, const char *name, const json_value *value)
{
    reading *in = user;
    in->action_count = 0;
    in->rule = add_rule(in->r); /* which may move the earlier ones */
    if (in->rule)
        in->rule->comes_along = in->is_set;
    if (!in->rule || !(in->rule->name = strdup(name)))
        return in->json.code = complain_memory();
    if (json_tree_each(value, read_rule_member, in) != 0)
        return in->json.code;
    return check_rule(in);
}

static int read_top_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"rules",   "sets",    "clearance", "touch",
                                        "overlap", "comment", NULL};
    reading *in = user;
    double *limit = limit_named(&in->r->limits, key);
    if (limit)
        return read_length(in, key, value, limit);
    if (strcmp(key, "rules") == 0)
        return clash_json_list(&in->json, value, "rule", read_rule, in);
    if (strcmp(key, "sets") == 0) {
        in->sets = value;
        return json_tree_is_array(value) && !in->is_set
                   ? 0
                   : refuse(in, key, "expected an array of names of rule sets");
    }
    return strcmp(key, "comment") == 0 ? 0 : clash_json_unknown(&in->json, key, words);
}

/* They come behind the rules of the file. */
static int read_sets(reading *in)
{
    for (size_t i = 0; in->sets && i < json_tree_size(in->sets); i++) {
        const char *name = json_tree_text(json_tree_at(in->sets, i));
        if (!name || !find_set(name))
            return refuse(in, "sets", "no such rule set; the sets are " SETS);
        const int code = clash_rules_add_named(in->r, name, in->json.info);
        if (code != 0)
            return code;
    }
    return 0;
}

static int read_all(reading *in, const void *text, size_t size)
{
    note(in->r, text ? text : "", size);
    int code = clash_json_root(&in->json, "rule", read_rule, read_top_member, in);
    code = code ? code : read_sets(in);
    clash_json_close(&in->json);
    return code;
}

int clash_rules_add_file(clash_rules *r, const char *path, const bvp_file_info *info)
{
    reading in = {.r = r};
    const int code = clash_json_open(&in.json, path, info, "rules");
    return code ? code : read_all(&in, in.json.file.data, in.json.file.size);
}

int clash_rules_add_named(clash_rules *r, const char *name, const bvp_file_info *info)
{
    reading in = {.r = r};
    const clash_rule_set *set = find_set(name);
    if (!set && !strpbrk(name, "./") && access(name, F_OK) != 0) {
        complain(name, "no rule set and no file; the sets are " SETS);
        return EXIT_INPUT;
    }
    if (!set)
        return clash_rules_add_file(r, name, info);
    in.is_set = 1;
    const int code = clash_json_open_text(&in.json, name, set->text, set->size, info);
    return code ? code : read_all(&in, set->text, set->size);
}
