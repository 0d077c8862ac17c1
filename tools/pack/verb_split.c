/* SPDX-License-Identifier: MIT
 * verb_split.c: the verb split: a file's parts into a store, and a thin file that refers to them.
 */
#include <string.h>
#include "store/convert_file.h"
#include "text/message.h"
#include "cli/options.h"

typedef struct settings {
    const char *output, *store;
} settings;

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "one FILE", &code);
    if (first < 0)
        return code;
    if (!set.output || !set.store) {
        complain("split", "name the store with --store and the thin file with -o");
        return EXIT_USAGE;
    }
    return convert_file(argv[first], set.output, set.store);
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "the thin file; \"-\" is standard output", 0, 0},
    {"store", 0, OPTION_FILE, offsetof(settings, store), "DIR",
     "the folder for the parts; made if there is none", 0, 0},
    {0},
};

const verb verb_split = {
    .name = "split",
    .summary = "put a file's parts into a store",
    .synopsis = "FILE --store DIR -o OUT\n",
    .description =
        "Writes every part of a packed file into a store, under its address, unless it is there, "
        "and a thin file that refers to them. Nothing is repacked: \"bvpack merge\" makes the same "
        "file of it again, and packing with --thin would have made the same thin one.",
    .options = options,
    .examples = "# a plant whose parts other files share\n"
                "bvpack split plant.bvp --store parts -o thin.bvp\n",
    .completes = "bvp",
    .run = run,
};
