/* SPDX-License-Identifier: MIT
 * source_ahead.c: what comes with a chunk that is wanted: those of its group, those of a scan,
 * those that a walk expects; and what the source is told.
 *
 * Walks say first what they will want after an absent chunk (bvpi_expect). What is next to it comes
 * with it; of the rest the source is told one chunk (hint), which is read alone when it is wanted.
 *
 * Held by tests/property/test_source.c, test_first_pick.c.
 * Measured: decisions.md, "Sources of bytes", "First picks"
 */
#include "format/source_cache.h"

#include <limits.h>

enum {
    FEW = 48, /* chunks that come one by one: a first question waits for few bytes */
    GROUP = 4 /* chunks that come together afterwards: who goes on asking waits for few reads */
};

/* Whoever goes on where a scan ended is a scan; from the third time on it gets ever more: tables
 * come in few reads. A walk through a hierarchy jumps, and gets what it wants. */
uint64_t bvpi_ahead_scan(bvpi_source *s, const bvpi_slice *slice, uint64_t first, uint64_t wanted)
{
    const uint64_t chunk = slice->first + first;
    unsigned k = 0;
    while (k < BVPI_SCANS - 1 && s->scans[k].next != chunk)
        k++;
    const unsigned length = s->scans[k].next == chunk ? s->scans[k].length + 1 : 0;
    const uint64_t last = s->scans[k].window;
    const uint64_t twice = length <= 2 ? 1 : last < GROUP ? GROUP : 2 * last;
    const uint64_t room = (s->limit - s->held) / 4;
    uint64_t window = twice < BVPI_RUN_MOST ? twice : BVPI_RUN_MOST, count = 1;
    window = window < room ? window : room;
    window = window > wanted ? window : wanted;
    while (count < window && first + count < slice->count &&
           bvpi_chunk_state_of(slice, first + count) == BVPI_CHUNK_ABSENT)
        count++;
    for (; k > 0; k--)
        s->scans[k] = s->scans[k - 1];
    s->scans[0] = (bvpi_scan){chunk + count, count, length};
    return count;
}

uint64_t bvpi_ahead_group(const bvpi_source *s, const bvpi_slice *slice, uint64_t k, uint64_t *last)
{
    const uint64_t few = s->held - s->kept < FEW ? 1 : GROUP;
    const uint64_t size = few > s->grain ? few : s->grain;
    /* groups begin behind chunk 0 of the file, the head */
    const uint64_t before = (slice->first + size - 1) % size;
    const uint64_t begin = (k + before) / size * size;
    const uint64_t end = ((*last + before) / size + 1) * size - before;
    if ((s->limit - s->held) / 4 < size || *last + before - begin >= BVPI_RUN_MOST)
        return k;
    while (k > 0 && k + before > begin && bvpi_chunk_state_of(slice, k - 1) == BVPI_CHUNK_ABSENT)
        k--;
    while (*last + 1 < end && *last + 1 < slice->count &&
           bvpi_chunk_state_of(slice, *last + 1) == BVPI_CHUNK_ABSENT)
        (*last)++;
    return k;
}

unsigned bvpi_ahead_find_hinted(const bvpi_source *s, uint64_t chunk)
{
    unsigned k = 0;
    while (k < BVPI_HINTED && s->hinted[k] != chunk)
        k++;
    return k;
}

void bvpi_ahead_expect(bvpi_source *s, uint64_t chunk)
{
    unsigned k = 0;
    while (k < s->expected_count && s->expected[k] != chunk)
        k++;
    if (k == s->expected_count && k < BVPI_EXPECTED)
        s->expected[s->expected_count++] = chunk;
}

void bvpi_ahead_grow(const bvpi_source *s, const bvpi_slice *slice, uint64_t *first, uint64_t *last)
{
    const uint64_t room = (s->limit - s->held) / 4;
    for (unsigned k = 0; k < s->expected_count; k++) {
        const uint64_t at = s->expected[k] - slice->first;
        if (*last - *first + 1 >= room || s->expected[k] < slice->first || at >= slice->count ||
            bvpi_chunk_state_of(slice, at) != BVPI_CHUNK_ABSENT ||
            bvpi_ahead_find_hinted(s, s->expected[k]) < BVPI_HINTED ||
            (at + 1 != *first && at != *last + 1))
            continue;
        *first = at < *first ? at : *first;
        *last = at > *last ? at : *last;
        k = UINT_MAX; /* it may have neighbours among those before */
    }
}

/* One: more at a time would rarely be wanted, for walks end early. */
void bvpi_ahead_hint(bvpi_source *s, uint64_t first, uint64_t last)
{
    for (unsigned k = 0; k < s->expected_count && s->given.hint; k++) {
        const uint64_t chunk = s->expected[k];
        if ((chunk >= first && chunk <= last) || bvpi_ahead_find_hinted(s, chunk) < BVPI_HINTED)
            continue;
        unsigned place = bvpi_ahead_find_hinted(s, 0);
        if (place == BVPI_HINTED) {
            place = s->hinted_at;
            s->hinted_at = (s->hinted_at + 1) % BVPI_HINTED;
        }
        s->hinted[place] = chunk;
        s->given.hint(s->given.user, s->offset + bvpi_chunk_off(chunk),
                      bvpi_chunk_end(s, chunk) - bvpi_chunk_off(chunk));
        break;
    }
    s->expected_count = 0;
}
