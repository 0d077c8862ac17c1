/* SPDX-License-Identifier: MIT
 * operand_select.c: which instances of an operand are queried, by the selectors of clash rules.
 */
#include "cli/operand.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "rules/clash_select.h"
#include "text/message.h"

/* Adds the instances that one text selects. */
static int add_selected(const char *option, const char *text, const instance_tree *tree,
                        uint64_t *bits)
{
    clash_selector selector = {0};
    char fault[CLASH_FAULT_SIZE];
    uint64_t count, *selected;
    if (clash_selector_add_text(&selector, text, strlen(text), fault) != 0) {
        clash_selector_free(&selector);
        if (fault[0] == '\0')
            return complain_memory();
        complain(option, "%s", fault);
        return EXIT_USAGE;
    }
    selected = clash_selector_set(&selector, tree, &count);
    clash_selector_free(&selector);
    if (!selected)
        return complain_memory();
    for (size_t i = 0; i <= tree->info.instance_count / 64; i++)
        bits[i] |= selected[i];
    free(selected);
    if (count > 0)
        return 0;
    complain(option, "\"%s\" selects no instance; \"bvpack info --tree\" lists them", text);
    return EXIT_USAGE;
}

static int add_all(const char *option, const option_list *texts, const instance_tree *tree,
                   uint64_t *bits)
{
    int code = 0;
    for (int i = 0; i < texts->count && code == 0; i++)
        code = add_selected(option, texts->items[i], tree, bits);
    return code;
}

/* bits: those of --only or, without --only, those of --without, which are then left out. */
static int select_bits(operand *o, const operand_choice *choice, const instance_tree *tree)
{
    const size_t words = o->info.instance_count / 64 + 1;
    uint64_t *without = calloc(words, sizeof *without), left = 0;
    assert(!o->bits && o->part == BVP_ASSEMBLY);
    o->bits = calloc(words, sizeof *o->bits);
    if (!o->bits || !without) {
        free(without);
        return complain_memory();
    }
    int code = add_all(choice->only_name, choice->only, tree, o->bits);
    if (code == 0)
        code = add_all(choice->without_name, choice->without, tree, without);
    for (size_t i = 0; i < words; i++) {
        o->bits[i] = choice->only->count > 0 ? o->bits[i] & ~without[i] : without[i];
        left |= o->bits[i];
    }
    free(without);
    if (code == 0 && left == 0) {
        complain(choice->without_name, "leaves out all that %s selects", choice->only_name);
        code = EXIT_USAGE;
    }
    o->filter = (bvp_filter){o->bits, words, choice->only->count == 0};
    return code;
}

int operand_select(operand *o, const operand_choice *choice)
{
    instance_tree tree;
    if (choice->only->count == 0 && choice->without->count == 0)
        return 0;
    if (o->part != BVP_ASSEMBLY) {
        complain(choice->only->count > 0 ? choice->only_name : choice->without_name,
                 "selects instances of an assembly; %s is one part", o->text);
        return EXIT_USAGE;
    }
    int code = instance_tree_open(&tree, o->file);
    if (code != 0)
        return code;
    code = select_bits(o, choice, &tree);
    instance_tree_close(&tree);
    return code;
}
