/* SPDX-License-Identifier: MIT
 * clash_kept.c: the pairs that a run reports, kept until its end.
 *
 * A pair is three times as large as what its place in the order depends on; so only the latter is
 * in memory, and sorting moves only that. Pairs are read back one at a time, from anywhere.
 */
#include "found/clash_kept.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "report/clash_severity.h"
#include "text/array.h"
#include "text/message.h"

static int no_room(void)
{
    complain("clash", "no room for temporary files: %s", strerror(errno));
    return EXIT_OUTPUT;
}

int clash_kept_add(clash_kept *k, const clash_found *found, const bvp_clash_pair *pair)
{
    if (!k->spool)
        k->spool = tmpfile();
    if (!k->spool)
        return no_room();
    if (array_grow(&k->items, &k->capacity, k->count + 1, sizeof *k->items) != 0)
        return complain_memory();
    clash_found *item = &k->items[k->count++];
    *item = *found;
    item->a = pair->a;
    item->b = pair->b;
    item->verdict = (uint8_t)pair->verdict;
    item->depth = pair->depth;
    item->distance = pair->distance;
    item->slot = k->slots++;
    for (int axis = 0; axis < 3; axis++)
        item->at[axis] = pair->point_a[axis] / 2 + pair->point_b[axis] / 2;
    return fwrite(pair, sizeof *pair, 1, k->spool) == 1 ? 0 : no_room();
}

static int by_severity(const void *a, const void *b)
{
    const clash_found *one = a, *other = b;
    const clash_severity first = {(bvp_verdict)one->verdict, one->depth, one->distance};
    const clash_severity second = {(bvp_verdict)other->verdict, other->depth, other->distance};
    int order = clash_severity_compare(&first, &second);
    if (order == 0)
        order = memcmp(one->id, other->id, sizeof one->id);
    if (order == 0)
        order = (one->a > other->a) - (one->a < other->a);
    return order != 0 ? order : (one->b > other->b) - (one->b < other->b);
}

int clash_kept_sort(clash_kept *k)
{
    if (k->count > 1)
        qsort(k->items, k->count, sizeof *k->items, by_severity);
    return k->spool && fflush(k->spool) != 0 ? no_room() : 0;
}

int clash_kept_read(const clash_kept *k, const clash_found *found, bvp_clash_pair *out)
{
    const off_t at = (off_t)(found->slot * sizeof *out);
    size_t done = 0;
    assert(found->slot < k->slots);
    while (done < sizeof *out) { /* a call may do less than was asked */
        const ssize_t some =
            pread(fileno(k->spool), (char *)out + done, sizeof *out - done, at + (off_t)done);
        if (some == 0 || (some < 0 && errno != EINTR))
            return no_room();
        done += some > 0 ? (size_t)some : 0;
    }
    return 0;
}

void clash_kept_close(clash_kept *k)
{
    if (k->spool)
        fclose(k->spool);
    free(k->items);
    memset(k, 0, sizeof *k);
}
