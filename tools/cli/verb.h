/* SPDX-License-Identifier: MIT
 * verb.h: a verb of the program: its texts, its options, and the function that runs it.
 */
#ifndef VERB_H
#define VERB_H

#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,   /* int: 1 when given */
    OPTION_TEXT,   /* const char * */
    OPTION_FILE,   /* const char *, completed as a file name */
    OPTION_CHOICE, /* const char *: one of the words of `value`, "x|y|z" */
    OPTION_COUNT,  /* uint64_t, least .. most (0: no upper bound); 0x.. is hexadecimal */
    OPTION_NUMBER, /* double, finite */
    OPTION_TEXTS,  /* option_list: may be given several times */
    OPTION_FILES   /* the same, completed as file names */
} option_kind;

enum { OPTION_LIST_MAX = 16 };

typedef struct option_list {
    const char *items[OPTION_LIST_MAX];
    int count;
} option_list;

/* One row makes the parser, --help, the man page and the completion. */
typedef struct option_row {
    const char *name; /* long name, without the dashes; NULL ends a table */
    int letter;       /* short name, or 0 */
    option_kind kind;
    size_t offset;     /* of the variable in the verb's settings, set to its default beforehand */
    const char *value; /* what --help calls the value; NULL for a flag */
    const char *help;  /* starts in lower case, no full stop */
    uint64_t least, most;
} option_row;

/* All texts are plain UTF-8; lines of a synopsis, an example or an exit code end with \n. */
typedef struct verb {
    const char *name;        /* "pack"; a kind of a verb: "query ray" */
    const char *summary;     /* one line, starts in lower case, no full stop */
    const char *synopsis;    /* what follows the name, one line a form */
    const char *description; /* paragraphs separated by an empty line */
    const option_row *options;
    const char *examples;   /* lines "# what it does" and "bvpack ..." */
    const char *exit_codes; /* lines "1 what it means here", beside those of every verb; or NULL */
    const char *completes;  /* operand file endings for the completion: "bvp", "stl|obj", "" any */
    const struct verb *const *kinds; /* NULL-terminated: the first operand picks one; or NULL */
    /* argv[0] is the last word of the name. Returns the exit code. */
    int (*run)(const struct verb *self, int argc, char **argv);
} verb;

extern const verb verb_pack, verb_info, verb_verify, verb_dump, verb_query, verb_view, verb_extract,
    verb_refit, verb_split, verb_merge, verb_compress, verb_clash, verb_diff, verb_attach,
    verb_issues, verb_plan, verb_repack;

#endif
