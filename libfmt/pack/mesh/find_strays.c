/* SPDX-License-Identifier: MIT
 * find_strays.c: finds triangles so far from the others that one grid cannot resolve both.
 *
 * A part has one grid of BVPD_GRID_BITS bits. A triangle 2^23 part sizes away leaves a single grid
 * cell for all others: no node separates them, and every query looks at all of them. So what is far
 * outside is found here and becomes a part of its own.
 *
 * The centre is a corner of a triangle in the midst of the others: of up to SAMPLES corners, the
 * one nearest to their median on each axis. That is among the majority wherever the rest is. A
 * triangle's reach is the largest distance of its corners from the centre along an axis. Reaches
 * are counted by octave. Where GAP consecutive octaves are empty, with at least half of the
 * triangles inside, the group ends and what is outside becomes a new group. Several gaps make
 * several groups. New groups are examined in the same way, because two strays may be as far from
 * each other as from the rest.
 *
 * Invariants: every triangle is in one group; a group's triangles keep their order; triangles with
 * a corner that is not finite or does not exist are in group 0.
 *
 * Held by tests/property/test_strays.c: which they are, and that queries then cost at most twice.
 * Spec: format.md, chapter "Hierarchies" (grid)
 * Measured: decisions.md, "Strays"
 */
#include "pack/mesh/find_strays.h"

#include "base/simd.h"
#include "base/status.h"
#include "base/large_array.h"
#include "pack/mesh/check_mesh.h"
#include "pack/mesh/weld.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GAP = 14,       /* octaves; at such a distance 7 to 8 bits of the grid are left for the rest */
    WHOLE_MAX = 64, /* so few triangles cost little in any case */
    GROUP_MAX = 16, /* further groups stay together */
    FEW = BVPI_STRAY_FEW,
    SAMPLES = BVPI_STRAY_SAMPLES - FEW,
    LEAST = -1074, /* exponents of doubles from frexp; one less for 0 */
    OCTAVES = 1024 - LEAST + 2
};

typedef struct bvpi_stray_search {
    const bvp_mesh *mesh;
    bvpi_vertices vertices;
    uint32_t *groups; /* of each triangle; NULL: all are in group 0 */
    uint32_t group_count;
    double factor;
    uint32_t label; /* of the group being examined */
    uint64_t member_count;
    double centre[3];
    uint64_t counts[OCTAVES];
    double least[OCTAVES], most[OCTAVES]; /* range of reaches in each octave */
} bvpi_stray_search;
typedef bvpi_stray_search search;

/* ---- triangles ------------------------------------------------------------------------------- */

static bool load_corner(const search *s, uint64_t corner, double out[3])
{
    const uint64_t vertex = s->mesh->indices ? s->mesh->indices[corner] : corner;
    if (vertex >= s->vertices.count)
        return false;
    const uint8_t *p = bvpi_vertex_at(&s->vertices, vertex);
    if (s->vertices.size == 24) {
        memcpy(out, p, 24);
        return true;
    }
    float floats[3];
    assert(s->vertices.size == 12);
    memcpy(floats, p, sizeof floats);
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (double)floats[axis];
    return true;
}

static double reach_of_point(const search *s, const double x[3])
{
    double reach = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double away = fabs(x[axis] - s->centre[axis]);
        if (!(away <= reach))
            reach = away;
        if (!isfinite(away))
            return INFINITY;
    }
    return reach;
}

/* Infinite if the triangle has no valid corner coordinates. */
static double reach_of(const search *s, uint64_t triangle)
{
    double reach = 0, x[3];
    for (uint64_t k = 3 * triangle; k < 3 * triangle + 3; k++)
        reach = load_corner(s, k, x) ? fmax(reach, reach_of_point(s, x)) : INFINITY;
    return reach;
}

static bool is_member(const search *s, uint64_t triangle)
{
    return !s->groups || s->groups[triangle] == s->label;
}

/* ---- the centre ------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* First corners of members spread evenly over the group; corners that are not finite are left
 * out. */
static size_t take_samples(const search *s, double samples[SAMPLES][3])
{
    uint64_t next = 0, member = 0, taken = 0;
    size_t count = 0;
    const uint64_t wanted = s->member_count < SAMPLES ? s->member_count : SAMPLES;
    for (uint64_t i = 0; i < s->mesh->triangle_count && taken < wanted; i++) {
        if (!s->groups)
            i = next; /* all triangles are members */
        else if (!is_member(s, i) || member++ < next)
            continue;
        double *x = samples[count];
        count += load_corner(s, 3 * i, x) && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
        next = ++taken * s->member_count / wanted;
    }
    assert(count <= wanted);
    return count;
}

/* Of the samples, the one nearest to their median. */
static bool choose_among(search *s, double samples[SAMPLES][3], size_t count)
{
    static const double origin[3];
    double sorted[SAMPLES];
    if (count == 0)
        return false;
    memcpy(s->centre, origin, sizeof origin);
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = samples[i][axis];
        qsort(sorted, count, sizeof *sorted, compare);
        s->centre[axis] = sorted[count / 2];
    }
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (reach_of_point(s, samples[i]) < reach_of_point(s, samples[best]))
            best = i;
    memcpy(s->centre, samples[best], sizeof s->centre);
    return true;
}

static bool choose_centre(search *s)
{
    double samples[SAMPLES][3];
    return choose_among(s, samples, take_samples(s, samples));
}

/* ---- a quick look at the whole mesh ---------------------------------------------------------- */

/* The range of values that are `stride` bytes apart; not finite if a value is not. */
static double range_of_floats(const uint8_t *at, uint32_t count, size_t stride)
{
    float lo = INFINITY, hi = -INFINITY, sum = 0, x;
    for (uint32_t i = 0; i < count; i++, at += stride) {
        memcpy(&x, at, sizeof x);
        lo = x < lo ? x : lo;
        hi = x > hi ? x : hi;
        sum += 0 * x;
    }
    return (double)hi - (double)lo + (double)sum;
}

static double range_of_doubles(const uint8_t *at, uint32_t count, size_t stride)
{
    double lo = INFINITY, hi = -INFINITY, sum = 0, x;
    for (uint32_t i = 0; i < count; i++, at += stride) {
        memcpy(&x, at, sizeof x);
        lo = x < lo ? x : lo;
        hi = x > hi ? x : hi;
        sum += 0 * x;
    }
    return hi - lo + sum;
}

/* The longest of the ranges of three axes, of vertices without gaps: four of them side by side. */
static double longest_of_dense(const uint8_t *data, uint32_t count)
{
    const bvpi_f32x4 zero = {0}, infinite = f32x4_splat(INFINITY);
    bvpi_f32x4 lo[3] = {infinite, infinite, infinite}, sum[3] = {zero, zero, zero};
    bvpi_f32x4 hi[3] = {-infinite, -infinite, -infinite};
    const uint32_t whole = count / 4 * 4;
    for (uint32_t i = 0; i < whole; i += 4, data += 48) {
        BVPI_UNROLL
        for (int k = 0; k < 3; k++) {
            bvpi_f32x4 x;
            memcpy(&x, data + 16 * k, sizeof x);
            lo[k] = f32x4_min(x, lo[k]);
            hi[k] = f32x4_max(x, hi[k]);
            sum[k] += zero * x;
        }
    }
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY, all = 0;
        for (int k = axis; k < 12; k += 3) {
            least = fmin(least, (double)lo[k / 4][k % 4]);
            most = fmax(most, (double)hi[k / 4][k % 4]);
            all += (double)sum[k / 4][k % 4];
        }
        for (uint32_t i = 0; i < count - whole; i++) {
            float x;
            memcpy(&x, data + 12 * i + 4 * axis, sizeof x);
            least = fmin(least, (double)x);
            most = fmax(most, (double)x);
            all += 0 * (double)x;
        }
        const double range = most - least + all;
        if (!isfinite(range))
            return INFINITY;
        longest = fmax(longest, range);
    }
    return longest;
}

/* The longest side of the box of all vertices; not finite if a vertex is not. */
static double longest_side(const search *s)
{
    const bvpi_vertices *v = &s->vertices;
    double longest = 0;
    if (v->triangle_stride != 3 * v->stride)
        return INFINITY;
    if (v->stride == 12 && v->size == 12)
        return longest_of_dense(v->data, v->count);
    for (size_t axis = 0; axis < 3; axis++) {
        const double range = v->size == 24
                                 ? range_of_doubles(v->data + 8 * axis, v->count, v->stride)
                                 : range_of_floats(v->data + 4 * axis, v->count, v->stride);
        if (!(range <= longest))
            longest = range;
        if (!isfinite(range))
            return INFINITY;
    }
    return longest;
}

/* In a mesh with strays, at least half of the triangles are within a 2^13th of its size. Then some
 * of a few evenly spread ones are that near each other. In most other meshes no two are, which
 * costs little to see. */
static bool are_some_near(double x[FEW][3], double longest)
{
    enum { NEAR = 6 /* pairs: four of the samples among the rest */ };
    const double near = ldexp(longest, 2 - GAP);
    int pairs = 0;
    for (int i = 0; i < FEW; i++)
        for (int k = 0; k < i; k++)
            pairs += fabs(x[i][0] - x[k][0]) <= near && fabs(x[i][1] - x[k][1]) <= near &&
                     fabs(x[i][2] - x[k][2]) <= near;
    return pairs >= NEAR;
}

static bool may_have_strays(const search *s)
{
    const double longest = longest_side(s);
    double x[FEW][3];
    if (!isfinite(longest))
        return true;
    for (uint64_t i = 0; i < FEW; i++)
        if (!load_corner(s, 3 * (i * s->mesh->triangle_count / FEW), x[i]))
            return true;
    return are_some_near(x, longest);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int octave_of(double reach)
{
    int exponent = LEAST - 1;
    if (reach > 0)
        frexp(reach, &exponent);
    assert(exponent >= LEAST - 1 && exponent < OCTAVES + LEAST - 1);
    return exponent - (LEAST - 1);
}

/* Adds the triangles of the group. */
static void add_octaves(search *s)
{
    for (uint64_t i = 0; i < s->mesh->triangle_count; i++) {
        if (!is_member(s, i))
            continue;
        const double reach = reach_of(s, i);
        if (!isfinite(reach))
            continue;
        const int o = octave_of(reach);
        s->least[o] = s->counts[o] == 0 || reach < s->least[o] ? reach : s->least[o];
        s->most[o] = s->counts[o] == 0 || reach > s->most[o] ? reach : s->most[o];
        s->counts[o]++;
    }
}

static void count_octaves(search *s)
{
    memset(s->counts, 0, sizeof s->counts);
    add_octaves(s);
}

/* Sets labels[] to the group of each octave. Returns the number of new groups. A group of size zero
 * stays with the next one: no grid could separate its triangles. */
static uint32_t find_gaps(search *s, uint32_t labels[OCTAVES])
{
    uint64_t inside = 0;
    uint32_t found = 0;
    int last = -1;
    assert(s->group_count >= 1 && s->group_count <= GROUP_MAX && s->label < s->group_count);
    for (int o = 0; o < OCTAVES; o++) {
        labels[o] = found == 0 ? s->label : s->group_count + found - 1;
        if (s->counts[o] == 0)
            continue;
        if (last > 0 && o - last > GAP && 2 * inside >= s->member_count &&
            s->group_count + found < GROUP_MAX) {
            if (s->label == 0 && found == 0)
                s->factor = s->least[o] / s->most[last];
            found++;
            labels[o] = s->group_count + found - 1;
        }
        inside += s->counts[o];
        last = o;
    }
    assert(s->group_count + found <= GROUP_MAX && inside <= s->member_count);
    return found;
}

/* Triangles in octaves of groups other than 0. */
static uint64_t count_outside(search *s)
{
    uint32_t labels[OCTAVES];
    uint64_t count = 0;
    find_gaps(s, labels);
    for (int o = 0; o < OCTAVES; o++)
        count += labels[o] > 0 ? s->counts[o] : 0;
    return count;
}

static bool split_group(search *s)
{
    uint32_t labels[OCTAVES];
    count_octaves(s);
    const uint32_t found = find_gaps(s, labels);
    if (found == 0)
        return true;
    if (!s->groups)
        s->groups = calloc(s->mesh->triangle_count, sizeof *s->groups);
    if (!s->groups)
        return false;
    for (uint64_t i = 0; i < s->mesh->triangle_count; i++) {
        const double reach = is_member(s, i) ? reach_of(s, i) : INFINITY;
        if (isfinite(reach))
            s->groups[i] = labels[octave_of(reach)];
    }
    s->group_count += found;
    return true;
}

static bool find_groups(search *s)
{
    bool done = true;
    for (s->label = 0; s->label < s->group_count && done; s->label++) {
        s->member_count = s->groups ? 0 : s->mesh->triangle_count;
        for (uint64_t i = 0; i < s->mesh->triangle_count && s->groups; i++)
            s->member_count += is_member(s, i);
        if (s->member_count > WHOLE_MAX && choose_centre(s))
            done = split_group(s);
    }
    return done;
}

/* ---- the public call ------------------------------------------------------------------------- */

bvp_status bvp_find_strays(const bvp_mesh *mesh, uint32_t **groups_out, uint32_t *group_count_out,
                           double *factor_out, bvp_error *error)
{
    *groups_out = NULL;
    *group_count_out = 1;
    if (factor_out)
        *factor_out = 1;
    const bvp_status status = bvpi_check_mesh(mesh, error);
    if (status != BVP_OK || mesh->triangle_count <= WHOLE_MAX)
        return status;
    search *s = calloc(1, sizeof *s);
    if (!s)
        return bvpi_error_memory(error, sizeof *s);
    s->mesh = mesh;
    s->vertices = bvpi_vertices_of(mesh);
    s->group_count = 1;
    const bool done = !may_have_strays(s) || find_groups(s);
    if (done && s->group_count > 1) {
        *groups_out = s->groups;
        *group_count_out = s->group_count;
        if (factor_out)
            *factor_out = s->factor;
    } else {
        free(s->groups);
    }
    free(s);
    return done ? BVP_OK : bvpi_error_memory(error, mesh->triangle_count * sizeof(uint32_t));
}

bvp_status bvpi_count_strays(const bvpi_mesh *mesh, uint64_t *count, double *factor,
                             bvp_error *error)
{
    const bvp_mesh whole = {.positions = mesh->positions,
                            .vertex_count = mesh->vertex_count,
                            .indices = mesh->indices,
                            .triangle_count = mesh->triangle_count};
    *count = 0;
    *factor = 1;
    if (whole.triangle_count <= WHOLE_MAX)
        return BVP_OK;
    search *s = calloc(1, sizeof *s);
    if (!s)
        return bvpi_error_memory(error, sizeof *s);
    *s = (search){.mesh = &whole,
                  .vertices = bvpi_vertices_of(&whole),
                  .group_count = 1,
                  .member_count = whole.triangle_count};
    if (may_have_strays(s) && choose_centre(s)) {
        count_octaves(s);
        *count = count_outside(s);
        *factor = *count > 0 ? s->factor : 1;
    }
    free(s);
    return BVP_OK;
}

/* ---- in steps -------------------------------------------------------------------------------- */

uint64_t bvpi_stray_sample(uint64_t triangle_count, uint32_t k)
{
    return k < FEW ? k * triangle_count / FEW : (k - FEW) * triangle_count / SAMPLES;
}

bvp_status bvpi_stray_search_start(uint64_t triangle_count, const double size[3],
                                   float samples[BVPI_STRAY_SAMPLES][3], bvpi_stray_search **out,
                                   bvp_error *error)
{
    double x[BVPI_STRAY_SAMPLES][3], longest = 0;
    *out = NULL;
    for (int axis = 0; axis < 3; axis++) {
        longest = fmax(longest, size[axis]);
        for (uint32_t k = 0; k < BVPI_STRAY_SAMPLES; k++)
            x[k][axis] = (double)samples[k][axis];
    }
    assert(triangle_count >= SAMPLES);
    if (!are_some_near(x, longest))
        return BVP_OK;
    search *s = calloc(1, sizeof *s);
    if (!s)
        return bvpi_error_memory(error, sizeof *s);
    s->group_count = 1;
    s->member_count = triangle_count;
    choose_among(s, x + FEW, SAMPLES);
    *out = s;
    return BVP_OK;
}

void bvpi_stray_search_add(bvpi_stray_search *s, const bvpi_mesh *mesh)
{
    const bvp_mesh part = {.positions = mesh->positions,
                           .vertex_count = mesh->vertex_count,
                           .indices = mesh->indices,
                           .triangle_count = mesh->triangle_count};
    s->mesh = &part;
    s->vertices = bvpi_vertices_of(&part);
    add_octaves(s);
    s->mesh = NULL;
}

uint64_t bvpi_stray_search_end(bvpi_stray_search *s, double *factor)
{
    const uint64_t count = count_outside(s);
    *factor = count > 0 ? s->factor : 1;
    return count;
}
