/* SPDX-License-Identifier: MIT
 * run_suites.c: the tests of one folder in one program. Named as the source file, a suite runs;
 * without a name, all do.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>

static suite_entry *first;

void suite_register(suite_entry *entry)
{
    suite_entry **at = &first;
    while (*at && strcmp((*at)->name, entry->name) < 0)
        at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

/* Is `text` the name, or the path of the source file? */
static int names(const char *text, const char *name)
{
    const char *slash = strrchr(text, '/'), *base = slash ? slash + 1 : text;
    const size_t size = strcspn(base, ".");
    return strlen(name) == size && memcmp(base, name, size) == 0;
}

int main(int argc, char **argv)
{
    int code = 0, found = 0;
    for (const suite_entry *s = first; s; s = s->next) {
        if (argc > 1 && !names(argv[1], s->name))
            continue;
        const int own = s->run();
        found = 1;
        code = own != 0 && (argc > 1 || own != 77) ? own : code;
    }
    if (found)
        return code;
    fprintf(stderr, "expected the name of a suite, found \"%s\"; there are:\n",
            argc > 1 ? argv[1] : "");
    for (const suite_entry *s = first; s; s = s->next)
        fprintf(stderr, "  %s\n", s->name);
    return 99;
}
