/* SPDX-License-Identifier: MIT
 * ask_broad.c: what may be asked of a broad phase, each with an answer that is noted.
 */
#include "answer.h"
#include "ask_file.h"
#include "bvpack_broad.h"

static void note_pairs(const bvp_broad_pair *pairs, uint64_t count)
{
    NOTE(count);
    if (count > 0)
        note(pairs, count * sizeof *pairs);
}

/* Bodies in a row, which move on; one goes, one becomes another. */
static int step_bodies(bvp_broad *broad, const bvp_broad_body *body, int step)
{
    static bvp_broad_id ids[40];
    enum { COUNT = sizeof ids / sizeof ids[0] };
    double at[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    bvp_broad_changes changes;
    const bvp_broad_pair *pairs;
    uint64_t count;
    for (int k = 0; k < COUNT; k++) {
        at[3] = k * (step % 2 == 0 ? 1 : .4);
        if (step == 0)
            ASK(bvp_broad_add, broad, body, &ids[k]);
        ASK(bvp_broad_move, broad, ids[k], at);
    }
    uint64_t moved;
    ASK(bvp_broad_move_all, broad, ids, (const double(*)[12])at, 1, &moved);
    NOTE(moved);
    ASK(bvp_broad_update, broad, &changes);
    note_pairs(changes.begun, changes.begun_count);
    note_pairs(changes.ended, changes.ended_count);
    ASK(bvp_broad_remove, broad, ids[step]);
    ASK(bvp_broad_add, broad, body, &ids[step]);
    ASK(bvp_broad_replace, broad, ids[30], body);
    ASK(bvp_broad_update, broad, NULL);
    ASK(bvp_broad_pairs, broad, &pairs, &count);
    note_pairs(pairs, count);
    return 0;
}

static int ask_boxes(const bvp_broad *broad, const bvp_body *body)
{
    static const double lo[3] = {-1, -1, -1}, hi[3] = {1, 1, 1};
    bvp_broad_id found[64];
    bvp_broad_body got;
    double box_lo[3], box_hi[3];
    uint64_t count;
    ASK(bvp_broad_in_box, broad, lo, hi, found, 64, &count);
    note(found, count * sizeof *found);
    ASK(bvp_broad_near, broad, body, found, 64, &count);
    NOTE(count);
    if (count == 0)
        return 0;
    ASK(bvp_broad_get, broad, found[0], &got);
    ASK(bvp_broad_box, broad, found[0], box_lo, box_hi);
    NOTE(box_hi);
    return 0;
}

int ask_broad(const bvp_file *file, uint32_t part)
{
    const bvp_broad_body body = {.body = {.file = file, .part = part}};
    bvp_broad *broad = NULL;
    int result = 0;
    ASK(bvp_broad_new, &(bvp_broad_options){.margin = .1}, &broad);
    for (int step = 0; step < 3 && result == 0; step++)
        result = step_bodies(broad, &body, step);
    if (result == 0)
        result = ask_boxes(broad, &body.body);
    bvp_broad_free(broad);
    return result;
}
