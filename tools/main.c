/* SPDX-License-Identifier: MIT
 * main.c: the program: its verbs, and which of them a command line means.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "bvpack.h"
#include "cli/manual.h"
#include "text/message.h"
#include "cli/options.h"
#include "cli/timeout.h"
#include "cli/truncation.h"
#include "cli/verb.h"

static const verb *const verbs[] = {
    &verb_pack,    &verb_info,   &verb_verify, &verb_dump,   &verb_query,  &verb_view,
    &verb_extract, &verb_refit,  &verb_split,  &verb_merge,  &verb_repack, &verb_compress,
    &verb_clash,   &verb_issues, &verb_diff,   &verb_attach, &verb_plan,   NULL};

static const verb *find(const verb *const *table, const char *name)
{
    for (; *table; table++) {
        const char *space = strrchr((*table)->name, ' ');
        if (strcmp(space ? space + 1 : (*table)->name, name) == 0)
            return *table;
    }
    return NULL;
}

/* Says that `given` is not in the table, and which name there is most like it. */
static int unknown(const char *what, const verb *const *table, const char *given, const char *help)
{
    const char *words[32];
    size_t count = 0;
    for (; table[count] && count < 31; count++) {
        const char *space = strrchr(table[count]->name, ' ');
        words[count] = space ? space + 1 : table[count]->name;
    }
    words[count] = NULL;
    const char *word = options_nearest(given, words);
    if (word)
        complain(NULL, "no %s \"%s\"; did you mean \"%s\"?", what, given, word);
    else
        complain(NULL, "no %s \"%s\"; \"%s\" lists them", what, given, help);
    return EXIT_USAGE;
}

static int run(const verb *v, int argc, char **argv)
{
    char help[64];
    if (!v->kinds || argc < 2 || argv[1][0] == '-')
        return v->run(v, argc, argv);
    const verb *kind = find(v->kinds, argv[1]);
    snprintf(help, sizeof help, "bvpack %s --help", v->name);
    if (!kind)
        return unknown("kind of question", v->kinds, argv[1], help);
    return kind->run(kind, argc - 1, argv + 1);
}

static int is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* bvpack help [VERB [KIND]] */
static int run_help(int argc, char **argv)
{
    if (argc < 2 || is_one_of(argv[1], "-h", "--help")) {
        manual_program_help(verbs, stdout);
        return EXIT_DONE;
    }
    const verb *v = find(verbs, argv[1]);
    if (!v)
        return unknown("verb", verbs, argv[1], "bvpack --help");
    const verb *kind = argc > 2 && v->kinds ? find(v->kinds, argv[2]) : v;
    if (!kind)
        return unknown("kind of question", v->kinds, argv[2], "bvpack query --help");
    manual_help(kind, stdout);
    return EXIT_DONE;
}

/* For the build: --help-man [VERB], --help-bash, --help-verbs. */
static int run_generator(int argc, char **argv)
{
    const verb *v = argc > 2 ? find(verbs, argv[2]) : NULL;
    if (argc > 2 && !v)
        return unknown("verb", verbs, argv[2], "bvpack --help");
    if (strcmp(argv[1], "--help-man") == 0 && v)
        manual_page(v, stdout);
    else if (strcmp(argv[1], "--help-man") == 0)
        manual_program_page(verbs, stdout);
    else if (strcmp(argv[1], "--help-bash") == 0)
        manual_completion(verbs, stdout);
    else
        for (const verb *const *row = verbs; *row; row++)
            puts((*row)->name);
    return EXIT_DONE;
}

/* Can the word only be a model's name? */
static int looks_like_file(const char *word)
{
    return strpbrk(word, "./") != NULL || access(word, F_OK) == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        manual_program_help(verbs, stderr);
        return EXIT_USAGE;
    }
    const verb *v = find(verbs, argv[1]);
    if (v)
        return run(v, argc - 1, argv + 1);
    if (is_one_of(argv[1], "-h", "--help")) {
        manual_program_help(verbs, stdout);
        return EXIT_DONE;
    }
    if (is_one_of(argv[1], "-V", "--version")) {
        printf("bvpack %s\n", bvp_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    if (strncmp(argv[1], "--help-", 7) == 0)
        return run_generator(argc, argv);
    if (argv[1][0] == '-' || looks_like_file(argv[1]))
        return verb_pack.run(&verb_pack, argc, argv);
    return unknown("verb or file", verbs, argv[1], "bvpack --help");
}

int main(int argc, char **argv)
{
    timeout_begin();
    truncation_watch();
    return finish_stdout(dispatch(argc, argv));
}
