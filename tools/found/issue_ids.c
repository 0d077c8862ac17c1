/* SPDX-License-Identifier: MIT
 * issue_ids.c: which issue of an earlier run an issue is.
 *
 * People write a status and comments to an id, so it must outlive the pair that it was made of.
 * Issues of both runs that have pairs in common are joined greedily, those that share most first.
 */
#include "found/issue_ids.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack.h"
#include "text/message.h"

/* How many pairs two issues have in common. */
typedef struct share {
    uint32_t issue, past, count;
    const uint8_t *lowest; /* the issue's smallest pair */
} share;

static int by_link(const void *a, const void *b)
{
    const issue_link *one = a, *other = b;
    if (one->past != other->past)
        return one->past < other->past ? -1 : 1;
    return (one->issue > other->issue) - (one->issue < other->issue);
}

static int by_share(const void *a, const void *b)
{
    const share *one = a, *other = b;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    if (one->past != other->past)
        return one->past < other->past ? -1 : 1;
    const int order = memcmp(one->lowest, other->lowest, 16);
    return order ? order : (one->issue > other->issue) - (one->issue < other->issue);
}

static int join(issue_ids *i, issue_link *links, size_t count)
{
    share *shares = malloc((count + 1) * sizeof *shares);
    size_t share_count = 0;
    if (!shares)
        return complain_memory();
    if (count > 1)
        qsort(links, count, sizeof *links, by_link);
    for (size_t k = 0; k < count && links[k].past != ISSUE_NONE; k++) {
        assert(links[k].issue < i->count && links[k].past < i->past_count);
        if (k > 0 && by_link(&links[k - 1], &links[k]) == 0)
            shares[share_count - 1].count++;
        else
            shares[share_count++] =
                (share){links[k].issue, links[k].past, 1, i->ids[links[k].issue]};
    }
    if (share_count > 1)
        qsort(shares, share_count, sizeof *shares, by_share);
    for (size_t k = 0; k < share_count; k++) {
        const share *s = &shares[k];
        if (i->past_of[s->issue] != ISSUE_NONE || i->heirs[s->past] != ISSUE_NONE)
            continue;
        i->past_of[s->issue] = s->past;
        i->heirs[s->past] = s->issue;
    }
    free(shares);
    return 0;
}

static int by_id(const void *a, const void *b)
{
    return memcmp(*(uint8_t *const *)a, *(uint8_t *const *)b, 16);
}

static int is_past(const issue_ids *i, const uint8_t id[16])
{
    uint32_t low = 0, high = i->past_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (memcmp(i->past_ids[middle], id, 16) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < i->past_count && memcmp(i->past_ids[low], id, 16) == 0;
}

/* Gives those without an earlier id one of their own. A hash is nobody's, so that two rounds are
 * all but always enough. */
static int separate(issue_ids *i)
{
    uint8_t **own = malloc(((size_t)i->count + 1) * sizeof *own);
    size_t count = 0;
    int is_changed = 1;
    if (!own)
        return complain_memory();
    for (uint32_t k = 0; k < i->count; k++)
        if (i->past_of[k] == ISSUE_NONE)
            own[count++] = i->ids[k];
    while (is_changed) {
        is_changed = 0;
        for (size_t k = 0; k < count; k++)
            while (is_past(i, own[k]))
                bvp_hash(own[k], 16, own[k]);
        if (count > 1)
            qsort(own, count, sizeof *own, by_id);
        for (size_t k = 1; k < count; k++)
            if (memcmp(own[k - 1], own[k], 16) == 0) {
                bvp_hash(own[k], 16, own[k]);
                is_changed = 1;
            }
    }
    free(own);
    return 0;
}

int issue_ids_inherit(issue_ids *i, issue_link *links, size_t link_count)
{
    memset(i->past_of, 0xff, i->count * sizeof *i->past_of);
    memset(i->heirs, 0xff, i->past_count * sizeof *i->heirs);
    int code = join(i, links, link_count);
    if (code == 0)
        code = separate(i);
    for (uint32_t k = 0; k < i->count && code == 0; k++)
        if (i->past_of[k] != ISSUE_NONE)
            memcpy(i->ids[k], i->past_ids[i->past_of[k]], 16);
    return code;
}
