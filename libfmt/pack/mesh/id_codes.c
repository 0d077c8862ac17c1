/* SPDX-License-Identifier: MIT
 * id_codes.c: source numbers of a cluster's triangles in few bits.
 *
 * The numbers come in a few runs, far from each other. Stored plainly they need the bits of their
 * whole range. So the largest gaps between runs are cut out of the range, and the record says
 * where. choose_limit() tries every possible number of gaps kept, from sorted gap sizes, and takes
 * the least number of bits in total.
 *
 * Slow twin: tests/unit/test_ids.c reads the numbers back.
 * Spec: format.md, chapter "Triangle numbers"
 * Measured: decisions.md, "Bytes", "Building"
 */
#include "pack/mesh/id_codes.h"

#include "pack/mesh/axis_codes.h"
#include "format/triangle_ids.h"

#include <assert.h>
#include <string.h>

enum {
    DIGIT = 6, /* bits of a digit; with more, counting would cost more than sorting at most 256
                  numbers */
    INSERTION_MAX = 16,
    SET_WORDS = 128 /* numbers of a range of 64 times as many are entered in a set of bits */
};

/* Sorts up to 256 numbers, digit by digit. */
static void sort_numbers(uint32_t *numbers, uint32_t count, uint32_t largest)
{
    uint32_t other[BVPD_CLUSTER_TRIANGLES], *from = numbers, *to = other;
    if (count <= INSERTION_MAX) {
        for (uint32_t i = 1; i < count; i++) {
            const uint32_t number = numbers[i];
            uint32_t k = i;
            for (; k > 0 && numbers[k - 1] > number; k--)
                numbers[k] = numbers[k - 1];
            numbers[k] = number;
        }
        return;
    }
    const unsigned width = bvpi_bit_width(largest);
    for (unsigned shift = 0; shift < width; shift += DIGIT) {
        uint16_t place[1 << DIGIT] = {0};
        uint16_t sum = 0;
        for (uint32_t i = 0; i < count; i++)
            place[from[i] >> shift & ((1 << DIGIT) - 1)]++;
        for (uint32_t k = 0; k < 1 << DIGIT; k++) {
            const uint16_t here = place[k];
            place[k] = sum;
            sum = (uint16_t)(sum + here);
        }
        for (uint32_t i = 0; i < count; i++)
            to[place[from[i] >> shift & ((1 << DIGIT) - 1)]++] = from[i];
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != numbers)
        memcpy(numbers, from, count * sizeof *numbers);
}

/* The gaps between ascending numbers, less the least of them. */
typedef struct gaps {
    uint32_t size[BVPD_CLUSTER_TRIANGLES]; /* numbers left out: at least 1 */
    uint32_t end[BVPD_CLUSTER_TRIANGLES];  /* the number behind each */
    uint32_t count;
    uint32_t different; /* the number of different values */
} gaps;

static void add_gap(gaps *g, uint32_t before, uint32_t end)
{
    assert(end > before + 1 && g->count < BVPD_CLUSTER_TRIANGLES);
    g->size[g->count] = end - before - 1;
    g->end[g->count++] = end;
}

/* From sorted numbers. */
static void find_gaps(uint32_t *sorted, uint32_t count, uint32_t largest, gaps *g)
{
    sort_numbers(sorted, count, largest);
    for (uint32_t i = 1; i < count; i++) {
        assert(sorted[i] >= sorted[i - 1]);
        g->different += sorted[i] != sorted[i - 1];
        if (sorted[i] - sorted[i - 1] > 1)
            add_gap(g, sorted[i - 1], sorted[i]);
    }
}

/* From a set of bits, where the numbers are dense: gaps are runs of zeros. */
static void find_gaps_in_set(const uint32_t *numbers, uint32_t count, uint32_t largest, gaps *g)
{
    uint64_t set[SET_WORDS] = {0};
    const uint32_t words = largest / 64 + 1;
    uint32_t last = 0; /* the last number of the words before */
    assert(words <= SET_WORDS);
    for (uint32_t i = 0; i < count; i++)
        set[numbers[i] / 64] |= UINT64_C(1) << numbers[i] % 64;
    g->different = 0;
    for (uint32_t k = 0; k < words; k++) {
        if (set[k] == 0)
            continue;
        const uint64_t word = set[k];
        const uint32_t base = 64 * k, first = base + (uint32_t)__builtin_ctzll(word);
        g->different += (uint32_t)__builtin_popcountll(word);
        if (first > last + 1)
            add_gap(g, last, first);
        /* the first numbers of runs but the lowest one of the word */
        uint64_t starts = word & ~(word << 1) & (word - 1);
        for (; starts != 0; starts &= starts - 1) {
            const uint32_t start = (uint32_t)__builtin_ctzll(starts);
            const uint64_t below = word & ((UINT64_C(1) << start) - 1);
            add_gap(g, base + 63 - (uint32_t)__builtin_clzll(below), base + start);
        }
        last = base + 63 - (uint32_t)__builtin_clzll(word);
    }
}

/* The size up to which gaps stay in the range, for the fewest bits in total. */
static uint32_t choose_limit(const gaps *g, uint32_t count)
{
    uint32_t largest = 0, size[BVPD_CLUSTER_TRIANGLES];
    uint64_t range = g->different, open = 0, best = UINT64_MAX;
    for (uint32_t i = 0; i < g->count; i++) {
        largest = g->size[i] > largest ? g->size[i] : largest;
        open += g->size[i];
    }
    memcpy(size, g->size, g->count * sizeof *size);
    sort_numbers(size, g->count, largest);
    uint32_t limit = 0;
    for (uint32_t kept = 0; kept <= g->count; kept++) {
        if (kept > 0) {
            range += size[kept - 1];
            open -= size[kept - 1];
        }
        if (kept < g->count && kept > 0 && size[kept] == size[kept - 1])
            continue; /* gaps of equal size are kept or cut together */
        const uint64_t width = bvpi_bit_width((uint32_t)(range - 1));
        const uint64_t gap_width = bvpi_bit_width((uint32_t)open);
        const uint64_t bits = count * width + (g->count - kept) * (width + gap_width);
        if (bits < best) {
            best = bits;
            limit = kept > 0 ? size[kept - 1] : 0;
        }
    }
    return limit;
}

/* Lists the gaps larger than `limit`. */
static void list_gaps(const gaps *g, uint32_t largest, uint32_t limit, bvpi_ids_plan *plan)
{
    uint32_t skip = 0, gap_count = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->size[i] <= limit)
            continue;
        skip += g->size[i];
        plan->position[gap_count] = g->end[i] - skip;
        plan->skip[gap_count++] = skip;
    }
    plan->head.gap_count = (uint8_t)gap_count;
    plan->head.gap_width = (uint8_t)bvpi_bit_width(skip);
    plan->head.width = (uint8_t)bvpi_bit_width(largest - skip);
}

void bvpi_ids_choose(const uint32_t *numbers, uint32_t count, bvpi_ids_plan *plan)
{
    uint32_t relative[BVPD_CLUSTER_TRIANGLES];
    gaps g;
    uint32_t least = UINT32_MAX, most = 0;
    assert(count > 0 && count <= BVPD_CLUSTER_TRIANGLES);
    for (uint32_t i = 0; i < count; i++) {
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    for (uint32_t i = 0; i < count; i++)
        relative[i] = numbers[i] - least;
    g.count = 0;
    g.different = 1;
    if (most - least < 64 * SET_WORDS)
        find_gaps_in_set(relative, count, most - least, &g);
    else
        find_gaps(relative, count, most - least, &g);
    plan->head = (bvpd_ids){.base = least};
    list_gaps(&g, most - least, choose_limit(&g, count), plan);
    plan->packed_size = bvpi_ids_packed_size(&plan->head, count);
}

void bvpi_ids_write(const bvpi_ids_plan *plan, const uint32_t *numbers, uint32_t count,
                    uint8_t *out)
{
    const unsigned width = plan->head.width;
    bvpi_bits bits = {.at = out};
    for (uint32_t i = 0; i < plan->head.gap_count; i++) {
        bvpi_put_bits(&bits, plan->position[i], width);
        bvpi_put_bits(&bits, plan->skip[i], plan->head.gap_width);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = numbers[i] - plan->head.base, k = plan->head.gap_count;
        while (k > 0 && plan->position[k - 1] + plan->skip[k - 1] > code)
            k--;
        bvpi_put_bits(&bits, k > 0 ? code - plan->skip[k - 1] : code, width);
    }
}
