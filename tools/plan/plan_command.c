/* SPDX-License-Identifier: MIT
 * plan_command.c: writes a command line that a POSIX shell splits into the same words again.
 */
#include "plan/plan_command.h"

#include <string.h>

int plan_command_begin(plan_command *c, const char *program, const char *verb)
{
    *c = (plan_command){.word_count = 0};
    if (!memory_text_open(&c->text))
        return -1;
    plan_command_word(c, program);
    plan_command_word(c, verb);
    return 0;
}

/* In single quotes nothing is special but the quote itself. */
static void put_word(plan_command *c, const char *prefix, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+.,:/@%=";
    FILE *out = c->text.out;
    if (c->word_count++ > 0)
        putc(' ', out);
    fputs(prefix, out);
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

void plan_command_word(plan_command *c, const char *word)
{
    put_word(c, "", word);
}

void plan_command_file(plan_command *c, const char *path)
{
    put_word(c, *path == '-' ? "./" : "", path);
}

void plan_command_words(plan_command *c, const char *text)
{
    char word[4096];
    while (text && *(text += strspn(text, " \t"))) {
        const size_t size = strcspn(text, " \t");
        snprintf(word, sizeof word, "%.*s", (int)size, text);
        put_word(c, "", word);
        text += size;
    }
}

char *plan_command_end(plan_command *c)
{
    return memory_text_close(&c->text) == 0 ? c->text.data : NULL;
}
