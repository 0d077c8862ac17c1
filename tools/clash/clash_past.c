/* SPDX-License-Identifier: MIT
 * clash_past.c: the packed files that a baseline is a report of.
 *
 * An id of a pair is made of paths, and a path of names and, among equal names, of numbers. So of
 * 328 bolts without ids all behind a deleted one have other ids. With the file that the report is
 * of, instances are matched by what they are and where they stand, as the verb diff does, and a row
 * is found by its two instances.
 */
#include "clash/clash_past.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/units.h"
#include "files/packed_file.h"
#include "text/message.h"

/* ---- names --------------------------------------------------------------------------------- */

static int is_name(const char *text)
{
    return strcmp(text, "-") == 0 || strstr(text, "://") || access(text, F_OK) == 0;
}

/* Cuts `text` into the name of a file and at most `more` others behind commas. How many names there
 * are, or 0: it is none. */
static int cut(char *text, int more, const char **names)
{
    names[0] = text;
    if (is_name(text))
        return 1;
    for (char *comma = more > 0 ? strchr(text, ',') : NULL; comma; comma = strchr(comma + 1, ',')) {
        *comma = '\0';
        const int count = is_name(text) ? cut(comma + 1, more - 1, names + 1) : 0;
        if (count > 0)
            return count + 1;
        *comma = ',';
    }
    return 0;
}

int clash_past_name(clash_past_files *p, const char *text)
{
    const char *names[CLASH_PAST_FILES + 1];
    memset(p, 0, sizeof *p);
    p->names = malloc(strlen(text) + 1);
    if (!p->names)
        return complain_memory();
    strcpy(p->names, text);
    int count = cut(p->names, CLASH_PAST_FILES, names);
    if (count == 0 && strchr(text, ',')) {
        complain("--baseline",
                 "expected the name of a file, or several with commas between them, "
                 "the report last; found \"%s\"",
                 text);
        return EXIT_INPUT;
    }
    p->count = count > 0 ? count - 1 : 0;
    for (int i = 0; i < p->count; i++)
        p->paths[i] = names[i];
    p->report = count > 0 ? names[p->count] : p->names;
    return 0;
}

/* ---- files --------------------------------------------------------------------------------- */

static int open_one(clash_past_files *p, int i, const clash_past_side *side, const char *unit)
{
    static const bvp_open_options how = {.verify_lazily = 1, .read_ahead = 1};
    bvp_error error = {0};
    bvp_file_info was, is;
    double scale = 1;
    bvp_status status = packed_open(p->paths[i], &how, &p->files[i], &error);
    /* Nothing but the tables is read. */
    if (status == BVP_OK)
        status = bvp_check_part(p->files[i], BVP_ASSEMBLY, &error);
    if (status != BVP_OK)
        return complain_status(p->paths[i], status, &error);
    bvp_get_info(p->files[i], &was);
    bvp_get_info(side->file, &is);
    int code = units_assume(unit, &was);
    if (code == 0)
        code = units_assume(unit, &is);
    if (code == 0)
        code = units_scale(p->paths[i], &was, side->path, &is, &scale);
    if (code == 0)
        code = instance_tree_open(&p->trees[i], p->files[i]);
    if (code == 0)
        code = match_instances_make(&p->matches[i], p->paths[i], p->files[i], side->path,
                                    side->file, scale);
    return code;
}

int clash_past_open(clash_past_files *p, const clash_past_side *sides, int side_count,
                    const instance_tree *zones, const char *assume_unit)
{
    int code = 0;
    assert(side_count >= 1 && side_count <= CLASH_PAST_FILES);
    if (p->count == 0)
        return 0;
    if (p->count != side_count) {
        complain("--baseline", "expected %s, as this run has, and the report; found %d",
                 side_count == 1 ? "one packed file" : "two packed files", p->count);
        return EXIT_USAGE;
    }
    p->zones = zones;
    for (int i = 0; i < p->count && code == 0; i++)
        code = open_one(p, i, &sides[i], assume_unit);
    return code;
}

void clash_past_close(clash_past_files *p)
{
    for (int i = 0; i < CLASH_PAST_FILES; i++) {
        match_instances_free(&p->matches[i]);
        instance_tree_close(&p->trees[i]);
        bvp_close(p->files[i]);
    }
    free(p->names);
    memset(p, 0, sizeof *p);
}

/* ---- instances ----------------------------------------------------------------------------- */

static const match_instances *match_of(const clash_past_files *p, int side)
{
    return &p->matches[side < p->count ? side : 0];
}

uint32_t clash_past_was(const clash_past_files *p, int side, uint32_t instance)
{
    const match_instances *m = match_of(p, side);
    if (side == 1 && p->zones)
        return instance;
    return instance < m->was_count ? m->was[instance] : BVP_NONE;
}

uint32_t clash_past_is(const clash_past_files *p, int side, uint32_t past_instance)
{
    const match_instances *m = match_of(p, side);
    if (side == 1 && p->zones)
        return past_instance;
    return past_instance < m->is_count ? m->is[past_instance] : BVP_NONE;
}

int clash_past_find(const clash_past_files *p, int side, double number, const char *path,
                    growing_text *scratch, uint32_t *out, int *wrong)
{
    const instance_tree *t = &p->trees[side < p->count ? side : 0];
    *out = BVP_NONE;
    if (side == 1 && p->zones) {
        *out = instance_tree_find(p->zones, path);
        return 0;
    }
    if (!(number >= 0 && number < t->info.instance_count) || number != (double)(uint32_t)number) {
        *wrong = 1;
        return 0;
    }
    if (instance_tree_path(t, instance_tree_node(t, (uint32_t)number), scratch) != 0)
        return complain_memory();
    if (strcmp(scratch->data, path) == 0)
        *out = (uint32_t)number;
    else
        *wrong = 1;
    return 0;
}
