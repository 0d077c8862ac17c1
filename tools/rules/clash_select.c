/* SPDX-License-Identifier: MIT
 * clash_select.c: selectors: which instances a clash rule applies to.
 *
 * A selector is a list of terms with ascending numbers of their choices: a node matches when all
 * terms of one choice match. A selector without terms stands for everything, and its users ask
 * choice_count before they come here.
 *
 * A selector that can never match is an error when it is read: a rule that silently selects nothing
 * would hide or invent clashes.
 */
#include "rules/clash_select.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text/glob.h"
#include "rules/name_words.h"
#include "cli/options.h"
#include "query/instance_title.h"

enum { SEGMENT_MAX = 64 };

/* ---- reading ------------------------------------------------------------------------------- */

static int refuse(char fault[CLASH_FAULT_SIZE], const char *what, const char *text, size_t size)
{
    snprintf(fault, CLASH_FAULT_SIZE, "%s: \"%.*s\"", what, (int)(size < 80 ? size : 80), text);
    return -1;
}

/* The position of the first `mark` without a \ in front, or `size`. */
static size_t find_plain(const char *text, size_t size, char mark)
{
    size_t at = 0;
    while (at < size && text[at] != mark)
        at += text[at] == '\\' ? 2 : 1;
    return at < size ? at : size;
}

static int check_segments(const char *text, size_t size, char fault[CLASH_FAULT_SIZE])
{
    if (size > 0 && text[0] == '/')
        return refuse(fault, "a path begins below the root, without a slash", text, size);
    int count = 0;
    for (size_t at = 0; at <= size; count++) {
        const size_t segment = find_plain(text + at, size - at, '/');
        if (count == SEGMENT_MAX)
            return refuse(fault, "a path of more than 64 segments", text, size);
        if (at + segment == size && segment == 0 && at > 0)
            return refuse(fault, "a path that ends with a slash; /** selects all below", text,
                          size);
        const char *wrong = glob_fault(text + at, segment);
        if (wrong)
            return refuse(fault, segment ? wrong : "a path with an empty segment", text, size);
        at += segment + 1;
    }
    return 0;
}

/* Globs in small letters, for words are held against them in small letters. */
static int check_words(const char *text, size_t size, char fault[CLASH_FAULT_SIZE])
{
    size_t count = 0;
    for (size_t at = 0; at < size; count++) {
        const size_t word = find_plain(text + at, size - at, ' ');
        const char *wrong = word > 0 ? glob_fault(text + at, word) : NULL;
        if (wrong)
            return refuse(fault, wrong, text, size);
        for (size_t i = at; i < at + word; i++)
            if (text[i] >= 'A' && text[i] <= 'Z')
                return refuse(fault, "words are held against patterns in small letters", text,
                              size);
        count -= word == 0;
        at += word + 1;
    }
    return count > 0 ? 0 : refuse(fault, "no word", text, size);
}

static int check_pattern(clash_field field, const char *text, size_t size,
                         char fault[CLASH_FAULT_SIZE])
{
    if (size == 0 || memchr(text, '\0', size))
        return refuse(fault, "an empty selector, which would select nothing; * selects everything",
                      text, size);
    if (field == CLASH_PATH)
        return check_segments(text, size, fault);
    if (field == CLASH_WORD)
        return check_words(text, size, fault);
    const char *wrong = glob_fault(text, size);
    return wrong ? refuse(fault, wrong, text, size) : 0;
}

static int refuse_memory(char fault[CLASH_FAULT_SIZE])
{
    fault[0] = '\0';
    return -1;
}

static int add_term(clash_selector *s, clash_field field, bvp_string key, bvp_string pattern,
                    char fault[CLASH_FAULT_SIZE])
{
    if (check_pattern(field, pattern.data, pattern.size, fault) != 0)
        return -1;
    if (field == CLASH_PROPERTY && key.size == 0)
        return refuse(fault, "a property without a name", pattern.data, pattern.size);
    clash_term *larger = realloc(s->terms, (s->term_count + 1) * sizeof *larger);
    if (!larger)
        return refuse_memory(fault);
    s->terms = larger;
    assert(s->term_count == 0 || larger[s->term_count - 1].choice <= s->choice_count);
    clash_term *term = &larger[s->term_count];
    *term = (clash_term){.field = field, .choice = s->choice_count};
    term->key = strndup(key.data, key.size);
    term->pattern = strndup(pattern.data, pattern.size);
    if (!term->key || !term->pattern) {
        free(term->key);
        free(term->pattern);
        return refuse_memory(fault);
    }
    s->term_count++;
    return 0;
}

static clash_field field_of(bvp_string key)
{
    static const char *const names[] = {"name", "path", "part", "word"};
    for (int i = 0; i < 4; i++)
        if (key.size == 4 && memcmp(key.data, names[i], 4) == 0)
            return (clash_field)i;
    return CLASH_PROPERTY;
}

int clash_selector_add_text(clash_selector *s, const char *text, size_t size,
                            char fault[CLASH_FAULT_SIZE])
{
    const size_t equals = find_plain(text, size, '=');
    bvp_string key = {"", 0}, pattern = {text, size};
    clash_field field = find_plain(text, size, '/') < size ? CLASH_PATH : CLASH_NAME;
    if (equals < size) {
        key = (bvp_string){text, equals};
        pattern = (bvp_string){text + equals + 1, size - equals - 1};
        field = field_of(key);
    }
    const int result = add_term(s, field, key, pattern, fault);
    s->choice_count += result == 0;
    return result;
}

/* ---- reading of a rule file ---------------------------------------------------------------- */

typedef struct reading {
    clash_selector *s;
    char *fault;
} reading;

static int add_property(void *user, const char *key, const json_value *value)
{
    const reading *r = user;
    const bvp_string text = {json_tree_text(value), json_tree_text_size(value)};
    if (!text.data)
        return refuse(r->fault, "expected a pattern as a string for the property", key,
                      strlen(key));
    return add_term(r->s, CLASH_PROPERTY, (bvp_string){key, strlen(key)}, text, r->fault);
}

static int add_member(void *user, const char *key, const json_value *value)
{
    static const char *const words[] = {"name", "path", "part", "word", "property", NULL};
    const reading *r = user;
    const bvp_string name = {key, strlen(key)};
    const bvp_string text = {json_tree_text(value), json_tree_text_size(value)};
    if (strcmp(key, "property") == 0) {
        const uint32_t before = r->s->term_count;
        const int result = json_tree_each(value, add_property, user);
        if (result == 0 && r->s->term_count == before)
            return refuse(r->fault, "expected an object of patterns, {\"KEY\": \"GLOB\"}, at", key,
                          name.size);
        return result;
    }
    if (field_of(name) == CLASH_PROPERTY) {
        const char *nearest = options_nearest(key, words);
        snprintf(r->fault, CLASH_FAULT_SIZE,
                 "a selector has no key \"%.60s\"%s%s; expected name, path, part, word or "
                 "property",
                 key, nearest ? "; did you mean " : "", nearest ? nearest : "");
        return -1;
    }
    if (!text.data)
        return refuse(r->fault, "expected a pattern as a string at", key, name.size);
    return add_term(r->s, field_of(name), name, text, r->fault);
}

/* A string, or an object whose members must all hold. */
static int add_choice(clash_selector *s, const json_value *value, char fault[CLASH_FAULT_SIZE])
{
    const uint32_t before = s->term_count;
    reading r = {s, fault};
    if (json_tree_text(value))
        return clash_selector_add_text(s, json_tree_text(value), json_tree_text_size(value), fault);
    if (!json_tree_is_object(value))
        return refuse(fault, "expected a selector: a string, an object or an array of them", "", 0);
    if (json_tree_each(value, add_member, &r) != 0)
        return -1;
    if (s->term_count == before)
        return refuse(fault,
                      "an empty selector, which would select nothing; \"*\" selects "
                      "everything",
                      "{}", 2);
    s->choice_count++;
    return 0;
}

int clash_selector_add_json(clash_selector *s, const json_value *value,
                            char fault[CLASH_FAULT_SIZE])
{
    if (!json_tree_is_array(value))
        return add_choice(s, value, fault);
    if (json_tree_size(value) == 0)
        return refuse(fault,
                      "an empty selector, which would select nothing; \"*\" selects "
                      "everything",
                      "[]", 2);
    for (size_t i = 0; i < json_tree_size(value); i++)
        if (add_choice(s, json_tree_at(value, i), fault) != 0)
            return -1;
    return 0;
}

void clash_selector_free(clash_selector *s)
{
    for (uint32_t i = 0; i < s->term_count; i++) {
        free(s->terms[i].key);
        free(s->terms[i].pattern);
    }
    free(s->terms);
    memset(s, 0, sizeof *s);
}

/* ---- matching ------------------------------------------------------------------------------ */

/* A node's label, or label and number among equal siblings. */
static int segment_matches(const instance_tree *t, uint32_t node, bvp_string pattern)
{
    const bvp_string label = instance_tree_label(t, node);
    char text[256];
    if (glob_match(pattern.data, pattern.size, label.data, label.size))
        return 1;
    if (t->ordinals[node] < 2 || label.size > sizeof text - 16)
        return 0;
    int length =
        snprintf(text, sizeof text, "%.*s[%u]", (int)label.size, label.data, t->ordinals[node]);
    return glob_match(pattern.data, pattern.size, text, (size_t)length);
}

static int is_any_number(bvp_string segment)
{
    return segment.size == 2 && memcmp(segment.data, "**", 2) == 0;
}

/* The node that gives the segment in front, BVP_NONE at the front: the root gives none. */
static uint32_t segment_above(const instance_tree *t, uint32_t node)
{
    const uint32_t parent = instance_tree_parent(t, node);
    return parent == BVP_NONE || instance_tree_parent(t, parent) == BVP_NONE ? BVP_NONE : parent;
}

/* Matches segments with the chain of nodes, from the node upward and so from the pattern's end.
 * After a mismatch the last ** that was met takes one node more. Only that one is tried again: if
 * an earlier ** could be stretched to a match, so could the last. */
static int path_matches(const instance_tree *t, uint32_t node, const char *pattern)
{
    bvp_string segments[SEGMENT_MAX];
    const size_t size = strlen(pattern);
    uint32_t star_node = BVP_NONE;
    int count = 0, star = -1;
    for (size_t at = 0; at <= size && count < SEGMENT_MAX; count++) {
        segments[count] = (bvp_string){pattern + at, find_plain(pattern + at, size - at, '/')};
        at += segments[count].size + 1;
    }
    assert(count > 0); /* an empty pattern is refused when it is read */
    int at = count - 1;
    while (node != BVP_NONE) {
        if (at >= 0 && is_any_number(segments[at])) {
            star = at--;
            star_node = node;
        } else if (at >= 0 && segment_matches(t, node, segments[at])) {
            at--;
            node = segment_above(t, node);
        } else if (star >= 0) {
            star_node = segment_above(t, star_node);
            node = star_node;
            at = star - 1;
        } else {
            return 0;
        }
    }
    while (at >= 0 && is_any_number(segments[at]))
        at--;
    return at < 0;
}

static int value_matches(void *user, bvp_string value)
{
    const char *pattern = user;
    return glob_match(pattern, strlen(pattern), value.data, value.size);
}

/* Without memory: no, so that a rule leaves out less, not more. */
static int word_matches(const clash_term *term, const instance_tree *t, uint32_t node)
{
    const bvp_string texts[2] = {instance_tree_part_name(t, node),
                                 instance_tree_part_number(t, node)};
    growing_text title = {0};
    int found =
        instance_title(t, node, &title) == 0 && words_match(term->pattern, title.data, title.size);
    for (int i = 0; i < 2 && !found; i++)
        found = words_match(term->pattern, texts[i].data, texts[i].size);
    growing_text_free(&title);
    return found;
}

static int term_matches(const clash_term *term, const instance_tree *t, uint32_t node)
{
    bvp_string text;
    switch (term->field) {
    case CLASH_NAME:
        text = instance_tree_label(t, node);
        return glob_match(term->pattern, strlen(term->pattern), text.data, text.size);
    case CLASH_PART:
        text = instance_tree_part_number(t, node);
        return glob_match(term->pattern, strlen(term->pattern), text.data, text.size);
    case CLASH_PATH:
        return path_matches(t, node, term->pattern);
    case CLASH_WORD:
        return word_matches(term, t, node);
    case CLASH_PROPERTY: /* a node inherits the properties of those above it */
        for (; node != BVP_NONE; node = instance_tree_parent(t, node))
            if (instance_tree_property(t, node, term->key, value_matches, term->pattern))
                return 1;
        return 0;
    }
    return 0;
}

int clash_selector_matches(const clash_selector *s, const instance_tree *t, uint32_t node)
{
    for (uint32_t i = 0; i < s->term_count;) {
        const uint32_t choice = s->terms[i].choice;
        int all = 1;
        assert(choice < s->choice_count);
        for (; i < s->term_count && s->terms[i].choice == choice; i++)
            all = all && term_matches(&s->terms[i], t, node);
        if (all)
            return 1;
    }
    return 0;
}

uint64_t *clash_selector_set(const clash_selector *s, const instance_tree *t, uint64_t *count)
{
    uint64_t *bits = calloc(t->info.instance_count / 64 + 1, sizeof *bits);
    *count = 0;
    for (uint32_t i = 0; bits && i < t->info.instance_count; i++)
        if (clash_selector_matches(s, t, instance_tree_node(t, i))) {
            bits[i / 64] |= (uint64_t)1 << (i % 64);
            ++*count;
        }
    return bits;
}
