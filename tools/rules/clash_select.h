/* SPDX-License-Identifier: MIT
 * clash_select.h: selectors: which instances a clash rule applies to.
 */
#ifndef CLASH_SELECT_H
#define CLASH_SELECT_H

#include "query/instance_tree.h"
#include "text/json_tree.h"

typedef enum clash_field {
    CLASH_NAME,    /* of the node, else of the part */
    CLASH_PATH,    /* segments between slashes are patterns, ** is any number of segments */
    CLASH_PART,    /* part number */
    CLASH_WORD,    /* one of the words of what people call it, of its part's name or number */
    CLASH_PROPERTY /* of the node or of one above it */
} clash_field;

/* One condition that an instance must meet. */
typedef struct clash_term {
    clash_field field;
    char *key, *pattern; /* key: of a property; pattern of a word: rules/name_words.h */
    uint32_t choice;     /* an instance that shows all terms of one choice is selected */
} clash_term;

/* Zero-initialise. */
typedef struct clash_selector {
    clash_term *terms;
    uint32_t term_count, choice_count;
} clash_selector;

enum { CLASH_FAULT_SIZE = 200 };

/* Reads "GLOB" (a path when it has a slash, else a name), "name=GLOB", "path=GLOB", "part=GLOB",
 * "word=GLOB GLOB ..." or "PROPERTY=GLOB"; \ in front of = : / takes their meaning away. Adds one
 * choice. 0, or why not in `fault`: what can never match is refused; "": no memory. */
int clash_selector_add_text(clash_selector *s, const char *text, size_t size,
                            char fault[CLASH_FAULT_SIZE]);
/* The same of a rule file: such a string, an object of what all must hold, or an array of choices.
 */
int clash_selector_add_json(clash_selector *s, const json_value *value,
                            char fault[CLASH_FAULT_SIZE]);
void clash_selector_free(clash_selector *s);

int clash_selector_matches(const clash_selector *s, const instance_tree *t, uint32_t node);

/* Instances as bits. NULL: no memory. *count: how many are set. */
uint64_t *clash_selector_set(const clash_selector *s, const instance_tree *t, uint64_t *count);

#endif
