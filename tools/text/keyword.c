/* SPDX-License-Identifier: MIT
 * keyword.c: words and their numbers.
 */
#include "text/keyword.h"

#include <string.h>

static const char *const kinds[] = {"default", "wide", "boxtree", "aabb", "obb", "rss", "rays"};
static const char *const splits[] = {"default",   "sah",        "volume", "longest",
                                     "lookahead", "midpoint",   "median", "mean",
                                     "morton",    "restricted", "full"};
static const char *const fits[] = {"default", "extremes", "surface", "hull"};

enum {
    KINDS = sizeof kinds / sizeof *kinds,
    SPLITS = sizeof splits / sizeof *splits,
    FITS = sizeof fits / sizeof *fits
};

const char *kind_name(uint32_t kind)
{
    return kind < KINDS ? kinds[kind] : "?";
}

const char *split_name(uint32_t split)
{
    return split < SPLITS ? splits[split] : "?";
}

const char *fit_name(uint32_t fit)
{
    return fit < FITS ? fits[fit] : "?";
}

static uint32_t find(const char *const *words, uint32_t count, const char *word, size_t size)
{
    for (uint32_t k = 1; k < count; k++)
        if (strlen(words[k]) == size && memcmp(words[k], word, size) == 0)
            return k;
    return 0;
}

uint32_t kind_by_name(const char *word, size_t size)
{
    return find(kinds, KINDS - 1, word, size); /* rays is chosen by an option of its own */
}

uint32_t split_by_name(const char *word)
{
    return find(splits, SPLITS, word, strlen(word));
}

uint32_t fit_by_name(const char *word)
{
    return find(fits, FITS, word, strlen(word));
}
