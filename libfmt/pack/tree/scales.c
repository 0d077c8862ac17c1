/* SPDX-License-Identifier: MIT
 * scales.c: groups instances so that one grid for each group resolves all of its members.
 *
 * The hierarchy over the instances has a grid of BVPD_GRID_BITS bits. One instance far outside
 * makes its cells larger than the other instances, so no node separates these and every query looks
 * at all of them. Such an assembly gets several hierarchies.
 *
 * The centre is an instance in the midst of the others: of up to SAMPLES, the one whose centre is
 * nearest to their median on each axis. An instance's reach is the largest distance of its corners
 * from there along an axis. Reaches and sizes are counted by octave. A grid resolves what reaches
 * at most LEEWAY octaves beyond the median size; the group extends at least that far, and further
 * as long as the next octave has many more instances, because then the assembly is simply that
 * large.
 *
 * The group ends there only if including the outside would cost it something (is_worth): cells too
 * large for the distances inside, a share of instances that matters, and a density much higher than
 * outside. Otherwise the next octave joins. What is outside is grouped in the same way.
 *
 * Invariants: every instance is in one group; a group's instances keep their order.
 *
 * Held by tests/property/test_far_instances.c: same answers, at most twice the work.
 * Spec: format.md, chapter "Hierarchies over the instances"
 * Measured: decisions.md, "Instances far away"
 */
#include "pack/tree/scales.h"

#include "base/status.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEEWAY = BVPD_GRID_BITS - 8, /* a cell is then at most a 64th of the size: 22 bits span twice
                                    the reach, and the octave's least value is half of its largest;
                                    box tests have a slack of up to five cells */
    WHOLE_MAX = BVPD_WIDTH,      /* so few are in one node, whatever its grid */
    DENSE = 8,  /* an octave with an 8th of those inside still belongs to the group */
    THIN = 64,  /* how much less dense the outside must be */
    SHARE = 64, /* a 64th of all instances is a share that matters */
    SAMPLES = 256,
    LEAST = -1074, /* exponents of doubles from frexp; one less for 0 */
    OCTAVES = 1024 - LEAST + 2
};

typedef struct search {
    const bvpi_bounds *bounds;
    const uint32_t *members; /* the instances examined */
    uint32_t count;
    int apart; /* octave of the least distance from the groups found before */
    double centre[3];
    uint32_t reaches[OCTAVES], sizes[OCTAVES]; /* counts by octave */
} search;

/* ---- one instance ---------------------------------------------------------------------------- */

static double centre_of(const bvpi_bounds *b, int axis)
{
    return 0.5 * b->lo[axis] + 0.5 * b->hi[axis];
}

static double reach_of(const search *s, const bvpi_bounds *b)
{
    double reach = 0;
    for (int axis = 0; axis < 3; axis++)
        reach = fmax(reach, fmax(b->hi[axis] - s->centre[axis], s->centre[axis] - b->lo[axis]));
    return reach;
}

/* 2^(octave + LEAST - 2) <= x < 2^(octave + LEAST - 1); 0 for 0. */
static int octave_of(double x)
{
    int exponent = LEAST - 1;
    if (x > 0)
        frexp(x, &exponent);
    assert(exponent >= LEAST - 1 && exponent < OCTAVES + LEAST - 1);
    return exponent - (LEAST - 1);
}

/* ---- the centre ------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const bvpi_bounds *sample(const search *s, uint32_t k, uint32_t count)
{
    return &s->bounds[s->members[(uint64_t)k * s->count / count]];
}

static void choose_centre(search *s)
{
    const uint32_t count = s->count < SAMPLES ? s->count : SAMPLES;
    double sorted[SAMPLES], least = INFINITY;
    const bvpi_bounds *best = NULL;
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < count; k++)
            sorted[k] = centre_of(sample(s, k, count), axis);
        qsort(sorted, count, sizeof *sorted, compare);
        s->centre[axis] = sorted[count / 2];
    }
    for (uint32_t k = 0; k < count; k++) {
        const bvpi_bounds *b = sample(s, k, count);
        double away = 0;
        for (int axis = 0; axis < 3; axis++)
            away = fmax(away, fabs(centre_of(b, axis) - s->centre[axis]));
        if (away < least) {
            least = away;
            best = b;
        }
    }
    assert(best); /* bounds are finite, so a distance is below INFINITY */
    for (int axis = 0; axis < 3; axis++)
        s->centre[axis] = centre_of(best, axis);
}

/* ---- octaves --------------------------------------------------------------------------------- */

static void count_octaves(search *s)
{
    memset(s->reaches, 0, sizeof s->reaches);
    memset(s->sizes, 0, sizeof s->sizes);
    for (uint32_t i = 0; i < s->count; i++) {
        const bvpi_bounds *b = &s->bounds[s->members[i]];
        s->reaches[octave_of(reach_of(s, b))]++;
        const double size =
            fmax(b->hi[0] - b->lo[0], fmax(b->hi[1] - b->lo[1], b->hi[2] - b->lo[2]));
        s->sizes[octave_of(size)]++;
    }
}

/* Would a grid that reaches octave `top` cost the instances up to octave `last` something? Of n
 * instances on a line within a reach, neighbours are 2 / n of it apart. A single instance has no
 * neighbours but the groups before. */
static bool is_worth(const search *s, uint32_t inside, int last, int top)
{
    const int octaves = top - last;
    const double outside = s->count - inside;
    int inside_octaves = 0; /* the logarithm of `inside`, rounded down */
    assert(inside > 0 && inside < s->count && last < top);
    while (inside >> inside_octaves > 1)
        inside_octaves++;
    if (inside == 1)
        return top > s->apart + LEEWAY;
    return octaves + inside_octaves > LEEWAY + 1 && (double)inside * SHARE >= s->count &&
           ldexp(inside - 1, octaves) >= THIN * outside;
}

/* The last octave of the group. *next: the octave where others begin, or OCTAVES. */
static int end_of_rest(const search *s, int *next)
{
    uint32_t inside = 0, smaller = 0;
    int median = 0, last = 0, top = OCTAVES - 1;
    assert(s->count > 0); /* so some octave has a reach */
    while (2 * (uint64_t)(smaller += s->sizes[median]) < s->count)
        median++;
    const int most = median + LEEWAY; /* what one grid resolves beside the median size */
    while (s->reaches[top] == 0)
        top--;
    for (*next = 0; *next <= top; ++*next) {
        const uint32_t more = s->reaches[*next];
        const bool goes_on =
            *next <= most || inside == 0 || (*next == last + 1 && more * (uint64_t)DENSE >= inside);
        if (more == 0)
            continue;
        if (!goes_on && is_worth(s, inside, last, top))
            return last;
        inside += more;
        last = *next;
    }
    *next = OCTAVES;
    return last;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Moves the group's members to the front. Returns their number. */
static uint32_t split(search *s, uint32_t *members, uint32_t *outside)
{
    uint32_t inside = 0, far = 0;
    int next;
    s->members = members;
    choose_centre(s);
    count_octaves(s);
    const int last = end_of_rest(s, &next);
    s->apart = next < s->apart ? next : s->apart;
    for (uint32_t i = 0; i < s->count; i++)
        if (octave_of(reach_of(s, &s->bounds[members[i]])) <= last)
            members[inside++] = members[i];
        else
            outside[far++] = members[i];
    assert(inside > 0); /* so that the groups come to an end */
    memcpy(members + inside, outside, far * sizeof *outside);
    return inside;
}

bvp_status bvpi_scales_find(const bvpi_bounds *bounds, uint32_t count, bvpi_scales *out,
                            bvp_error *error)
{
    search *s = malloc(sizeof *s);
    uint32_t *outside = malloc(count * sizeof *outside), from = 0;
    out->members = malloc(count * sizeof *out->members);
    out->count = 0;
    const bool ok = s && outside && out->members;
    for (uint32_t i = 0; ok && i < count; i++)
        out->members[i] = i;
    if (ok)
        *s = (search){.bounds = bounds, .apart = OCTAVES};
    while (ok && from < count) {
        const bool is_whole = count <= WHOLE_MAX || out->count == BVPD_TOP_MAX - 1;
        s->count = count - from;
        from = is_whole ? count : from + split(s, out->members + from, outside);
        assert(out->count < BVPD_TOP_MAX && from <= count);
        out->ends[out->count++] = from;
    }
    free(s);
    free(outside);
    if (ok)
        return BVP_OK;
    free(out->members);
    out->members = NULL;
    return bvpi_error_memory(error, count * 2 * sizeof *outside);
}
