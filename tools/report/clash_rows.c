/* SPDX-License-Identifier: MIT
 * clash_rows.c: makes the rows of a report.
 *
 * A row's texts are in buffers that the next row reuses. Its id is a hash of the two instances'
 * identities, which do not depend on the order of a file (query/instance_tree.c), so that the id
 * finds the same pair in the next export.
 */
#include "report/clash_rows.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "text/hex.h"
#include "cli/operand.h"
#include "query/instance_title.h"
#include "text/message.h"

void clash_rows_start(clash_rows *r, const clash_run *run, const instance_tree *a,
                      const instance_tree *b)
{
    memset(r, 0, sizeof *r);
    r->a = a;
    r->b = b;
    r->placement_b = run->placement_b;
    r->cell = run->cell;
    r->nothing = (bvp_clash_pair){.a = BVP_NONE,
                                  .b = BVP_NONE,
                                  .limits = {NAN, NAN, NAN},
                                  .distance = NAN,
                                  .lower = NAN,
                                  .depth = NAN,
                                  .depth_upper = NAN,
                                  .point_a = {NAN, NAN, NAN},
                                  .point_b = {NAN, NAN, NAN},
                                  .hit_a = {BVP_NONE, BVP_NONE, 0, 0},
                                  .hit_b = {BVP_NONE, BVP_NONE, 0, 0},
                                  .lo = {NAN, NAN, NAN},
                                  .hi = {NAN, NAN, NAN}};
}

void clash_rows_close(clash_rows *r)
{
    growing_text_free(&r->path_a);
    growing_text_free(&r->path_b);
    growing_text_free(&r->name_a);
    growing_text_free(&r->name_b);
    growing_text_free(&r->part_a);
    growing_text_free(&r->part_b);
    growing_text_free(&r->group);
}

/* ---- identity ------------------------------------------------------------------------------ */

/* Within one file, the next export may not keep the order of the two, so the smaller hash comes
 * first. */
void clash_rows_id(const clash_rows *r, uint32_t a, uint32_t b, uint8_t id[16])
{
    const uint8_t *first = r->a->hashes[instance_tree_node(r->a, a)];
    const uint8_t *second = r->b->hashes[instance_tree_node(r->b, b)];
    uint8_t both[32];
    const int swapped = r->a == r->b && memcmp(first, second, 16) > 0;
    memcpy(both, swapped ? second : first, 16);
    memcpy(both + 16, swapped ? first : second, 16);
    bvp_hash(both, sizeof both, id);
}

/* ---- places and groups ---------------------------------------------------------------------- */

double clash_default_cell(const bvp_file_info *info)
{
    static const double steps[] = {1, 2, 5, 10};
    double extent = 0;
    for (int k = 0; k < 3; k++)
        extent = fmax(extent, info->hi[k] - info->lo[k]);
    const double wanted = extent / 20;
    if (!(wanted > 0) || !isfinite(wanted))
        return 1;
    const double power = pow(10, floor(log10(wanted)));
    if (!(power > 0)) /* below the least double */
        return 1;
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (fabs(log(steps[i] * power / wanted)) < fabs(log(steps[best] * power / wanted)))
            best = i;
    return steps[best] * power;
}

static int set_group(clash_rows *r, const char *one, const char *other)
{
    const int swapped = strcmp(one, other) > 0;
    const char *first = swapped ? other : one, *second = swapped ? one : other;
    growing_text_clear(&r->group);
    return growing_text_add(&r->group, first, strlen(first)) != 0 ||
           growing_text_add(&r->group, " | ", 3) != 0 ||
           growing_text_add(&r->group, second, strlen(second)) != 0;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int set_text(growing_text *text, bvp_string value)
{
    growing_text_clear(text);
    return growing_text_add(text, value.data, value.size);
}

static int set_side(clash_side *side, const instance_tree *t, uint32_t instance,
                    const double *moved, growing_text *path, growing_text *name, growing_text *part)
{
    bvp_instance_info info = {0};
    side->file = t->file;
    side->instance = instance;
    side->node = instance_tree_node(t, instance);
    bvp_get_instance(t->file, instance, &info);
    if (moved)
        compose(moved, info.placement, side->placement);
    else
        memcpy(side->placement, info.placement, sizeof side->placement);
    if (instance_tree_path(t, side->node, path) != 0 || instance_title(t, side->node, name) != 0 ||
        set_text(part, instance_tree_part_number(t, side->node)) != 0)
        return -1;
    side->path = path->data;
    side->name = name->data;
    side->part_number = part->data;
    return 0;
}

clash_row *clash_rows_make(clash_rows *r, const bvp_clash_pair *pair, const char *rule)
{
    clash_row *row = &r->row;
    uint8_t id[16];
    memset(row, 0, sizeof *row);
    if (set_side(&row->a, r->a, pair->a, NULL, &r->path_a, &r->name_a, &r->part_a) != 0 ||
        set_side(&row->b, r->b, pair->b, r->placement_b, &r->path_b, &r->name_b, &r->part_b) != 0 ||
        set_group(r, row->a.part_number, row->b.part_number) != 0) {
        complain_memory();
        return NULL;
    }
    clash_rows_id(r, pair->a, pair->b, id);
    hex_text(id, 16, row->id);
    double at[3];
    assert(r->cell > 0);
    for (int k = 0; k < 3; k++)
        at[k] = floor((pair->point_a[k] + pair->point_b[k]) / 2 / r->cell) + 0.0;
    snprintf(r->place, sizeof r->place, "x%.0f y%.0f z%.0f", at[0], at[1], at[2]);
    row->pair = pair;
    row->group = r->group.data;
    row->place = r->place;
    row->rule = rule;
    row->state = row->was = row->settled = "";
    return row;
}

clash_row *clash_rows_resolved(clash_rows *r, const clash_past *past)
{
    clash_row *row = &r->row;
    memset(row, 0, sizeof *row);
    row->pair = &r->nothing;
    snprintf(row->id, sizeof row->id, "%s", past->id);
    row->a = (clash_side){.instance = BVP_NONE, .node = BVP_NONE, .path = past->a, .name = ""};
    row->b = (clash_side){.instance = BVP_NONE, .node = BVP_NONE, .path = past->b, .name = ""};
    row->a.part_number = past->part_a;
    row->b.part_number = past->part_b;
    row->group = past->group;
    row->place = past->place;
    row->rule = row->settled = "";
    row->state = "resolved";
    row->was = past->verdict;
    return row;
}
