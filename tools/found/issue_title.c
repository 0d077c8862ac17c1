/* SPDX-License-Identifier: MIT
 * issue_title.c: what an issue is called.
 *
 * Several elements are counted by the stems of their names, of which the two most frequent are
 * said: "8 pipes, 4 flanges and 3 others".
 */
#include "found/issue_title.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"

enum { STEMS_SAID = 2 };

bvp_string issue_title_stem(bvp_string name)
{
    enum { DIGITS = 10 };
    static const char ignored[] = "0123456789 _-.:#()[]";
    size_t size = name.size;
    for (size_t before = size + 1; size > 0 && size < before;) {
        before = size;
        while (size > 0 && memchr(ignored, name.data[size - 1], sizeof ignored - 1))
            size--;
        /* a last word that begins with a digit is a number, too: "grating_1x3" */
        size_t word = size;
        while (word > 0 &&
               !memchr(ignored + DIGITS, name.data[word - 1], sizeof ignored - 1 - DIGITS))
            word--;
        if (word > 0 && word < size && memchr(ignored, name.data[word], DIGITS))
            size = word;
    }
    return size > 0 ? (bvp_string){name.data, size} : name;
}

static int name_order(bvp_string a, bvp_string b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* ---- lists of elements --------------------------------------------------------------------- */

typedef struct stem_count {
    bvp_string stem, name; /* name: of the one element */
    size_t count;
} stem_count;

static int by_stem(const void *a, const void *b)
{
    return name_order(((const stem_count *)a)->stem, ((const stem_count *)b)->stem);
}

static int by_count(const void *a, const void *b)
{
    const stem_count *one = a, *other = b;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return by_stem(a, b);
}

static int add(growing_text *out, const char *text)
{
    return growing_text_add(out, text, strlen(text));
}

static int ends_with(bvp_string text, const char *ending)
{
    const size_t size = strlen(ending);
    return text.size >= size && memcmp(text.data + text.size - size, ending, size) == 0;
}

/* "6 pipes", "2 boxes", "3 bodies"; "tank_1"; what does not end like a word: "6 x DN100/2". */
static int add_counted(growing_text *out, const stem_count *s)
{
    if (s->count == 1)
        return growing_text_add(out, s->name.data, s->name.size);
    char number[64], count[32];
    const char last = s->stem.size > 0 ? s->stem.data[s->stem.size - 1] : '\0';
    const int is_word = (last >= 'a' && last <= 'z') && !memchr(s->stem.data, ':', s->stem.size);
    const int is_hissing = ends_with(s->stem, "s") || ends_with(s->stem, "x") ||
                           ends_with(s->stem, "ch") || ends_with(s->stem, "sh");
    const int has_y = is_word && s->stem.size > 1 && last == 'y' &&
                      !memchr("aeiou", s->stem.data[s->stem.size - 2], 5);
    snprintf(number, sizeof number, "%s %s", grouped(s->count, count), is_word ? "" : "x ");
    return add(out, number) != 0 ||
           growing_text_add(out, s->stem.data, s->stem.size - (size_t)has_y) != 0 ||
           add(out, !is_word     ? ""
                    : has_y      ? "ies"
                    : is_hissing ? "es"
                                 : "s") != 0;
}

static int add_stems(growing_text *out, stem_count *stems, size_t count)
{
    size_t others = 0;
    const size_t said = count <= STEMS_SAID + 1 ? count : STEMS_SAID;
    for (size_t i = said; i < count; i++)
        others += stems[i].count;
    for (size_t i = 0; i < said; i++) {
        const int is_last = i + 1 == said && others == 0;
        if ((i > 0 && add(out, is_last ? " and " : ", ") != 0) || add_counted(out, &stems[i]) != 0)
            return -1;
    }
    if (others == 0)
        return 0;
    char text[64], number[32];
    snprintf(text, sizeof text, " and %s others", grouped(others, number));
    return add(out, text);
}

static int is_one_name(const bvp_string *names, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (name_order(names[i], names[0]) != 0)
            return 0;
    return 1;
}

/* keep: elements of one name that has a number, "link_4" of several robots, keep it. */
static int add_list(growing_text *out, const bvp_string *names, size_t count, int keep)
{
    assert(count > 0);
    if (count == 1)
        return growing_text_add(out, names[0].data, names[0].size);
    if (keep && is_one_name(names, count)) {
        char text[64], number[32];
        snprintf(text, sizeof text, "%s x ", grouped(count, number));
        return add(out, text) != 0 || growing_text_add(out, names[0].data, names[0].size) != 0;
    }
    stem_count *stems = malloc(count * sizeof *stems);
    if (!stems)
        return -1;
    for (size_t i = 0; i < count; i++)
        stems[i] = (stem_count){issue_title_stem(names[i]), names[i], 1};
    qsort(stems, count, sizeof *stems, by_stem);
    size_t kinds = 0;
    for (size_t i = 0; i < count; i++)
        if (kinds > 0 && name_order(stems[kinds - 1].stem, stems[i].stem) == 0)
            stems[kinds - 1].count++;
        else
            stems[kinds++] = stems[i];
    qsort(stems, kinds, sizeof *stems, by_count);
    const int code = add_stems(out, stems, kinds);
    free(stems);
    return code;
}

/* ---- sentences ----------------------------------------------------------------------------- */

static const struct {
    const char *one, *many, *passive; /* passive: of the one element of a star */
} verbs[BVP_VERDICT_COUNT] = {
    [BVP_VERDICT_CLEAR] = {"is clear of", "are clear of", NULL},
    [BVP_VERDICT_WITHIN] = {"is nearer than % to", "are nearer than % to", NULL},
    [BVP_VERDICT_TOUCHING] = {"touches", "touch", NULL},
    [BVP_VERDICT_PENETRATING] = {"crosses", "cross", "is crossed by"},
    [BVP_VERDICT_ENCLOSED] = {"lies inside", "lie inside", NULL},
    [BVP_VERDICT_DUPLICATE] = {"coincides with", "coincide with", NULL},
    [BVP_VERDICT_UNKNOWN] = {"may lie inside", "may lie inside", NULL},
};

static int add_verb(growing_text *out, const char *verb, const char *clearance)
{
    const char *gap = strchr(verb, '%');
    if (add(out, " ") != 0)
        return -1;
    if (!gap)
        return add(out, verb) != 0 || add(out, " ") != 0;
    return growing_text_add(out, verb, (size_t)(gap - verb)) != 0 || add(out, clearance) != 0 ||
           add(out, gap + 1) != 0 || add(out, " ") != 0;
}

/* The same thing, several times: all have one name. */
static int is_repeated(const issue_words *w)
{
    if (w->verdict != BVP_VERDICT_DUPLICATE || w->counts[0] == 0)
        return 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->counts[side]; i++)
            if (name_order(w->names[side][i], w->names[0][0]) != 0)
                return 0;
    return w->is_star || w->counts[0] + w->counts[1] == 2;
}

int issue_title_make(const issue_words *words, growing_text *out)
{
    const bvp_verdict v = words->verdict;
    assert((unsigned)v < BVP_VERDICT_COUNT && words->counts[0] > 0);
    growing_text_clear(out);
    if (is_repeated(words)) {
        char text[64], number[32];
        const size_t count = words->counts[0] + words->counts[1];
        snprintf(text, sizeof text, " is there %s%s", count == 2 ? "twice" : grouped(count, number),
                 count == 2 ? "" : " times");
        return growing_text_add(out, words->names[0][0].data, words->names[0][0].size) != 0 ||
               add(out, text) != 0;
    }
    /* a star begins with its one element, unless that is what others are inside of */
    const int has_order = v == BVP_VERDICT_ENCLOSED || v == BVP_VERDICT_UNKNOWN;
    const int first = words->is_star && !has_order && words->counts[0] > 1;
    const int is_one = words->counts[first] == 1;
    /* not "12 links cross 12 links": "12 x link_3 cross 12 x link_4" */
    const int keep =
        words->counts[!first] > 0 &&
        name_order(issue_title_stem(words->names[0][0]), issue_title_stem(words->names[1][0])) == 0;
    const char *verb = words->is_star && is_one && verbs[v].passive ? verbs[v].passive
                       : is_one                                     ? verbs[v].one
                                                                    : verbs[v].many;
    if (add_list(out, words->names[first], words->counts[first], keep) != 0 ||
        add_verb(out, verb, words->clearance) != 0)
        return -1;
    return words->counts[!first] > 0
               ? add_list(out, words->names[!first], words->counts[!first], keep)
               : add(out, words->counts[first] > 1 ? "one another" : "another one");
}
