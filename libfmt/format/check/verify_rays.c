/* SPDX-License-Identifier: MIT
 * verify_rays.c: checks a hierarchy for rays: every node from the root on, every meshlet, and every
 * triangle against its stored one and all boxes above it.
 *
 * The walk keeps the path from the root to the current lane, with what each lane's box guarantees:
 * its planes less the pads that queries count on. Each node may be reached once, each unit of the
 * meshlets belongs to one meshlet; so the walk ends, and what it passes is safe for every query.
 *
 * Spec: format.md, chapter "Ray trees"
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "node/cluster_record.h"
#include "node/ray_meshlet.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* A node on the path, and the lane below which the walk is. */
typedef struct level {
    bvpd_ray_node node;
    uint32_t number;
    int lane;
    double lo[3], hi[3]; /* of the lane's box, without the pads */
} level;

typedef struct path {
    bvpi_binary_check *check;
    bvpi_report *report;
    const bvpi_rays *rays;
    uint64_t rays_off; /* in the file, of the nodes */
    double pad;        /* of planes, but for what depends on the node */
    bvpi_bits nodes;   /* that were not reached yet */
    bvpi_bits units;   /* of meshlets, that belong to none yet */
    bvpi_cluster cluster;
    uint64_t cluster_off; /* offset in the blob; UINT64_MAX: none is open */
    uint32_t largest_leaf, count;
    level levels[BVPD_DEPTH_MAX];
} path;

static uint64_t offset_of(const path *p, const level *l)
{
    return p->rays_off + (uint64_t)l->number * sizeof l->node;
}

/* ---- meshlets -------------------------------------------------------------------------------- */

/* Does the path's every box hold the point? */
static bool is_held(const path *p, const float *point)
{
    bool held = true;
    for (uint32_t i = 0; i < p->count; i++)
        for (int a = 0; a < 3; a++)
            held = held && p->levels[i].lo[a] <= (double)point[a] &&
                   (double)point[a] <= p->levels[i].hi[a];
    return held;
}

/* Loads the triangle that a reference names, and removes it from those that no leaf has held. */
static bool claim(path *p, uint32_t reference, uint64_t offset, float triangle[9])
{
    bvpi_binary_check *c = p->check;
    const bvpi_part *part = c->part;
    const uint64_t place = (uint64_t)(reference >> 8) << part->cluster_shift;
    const uint32_t local = reference & 255;
    bool is_there = true;
    if (place != p->cluster_off) {
        is_there =
            bvpi_verify_is_cluster(part, place) &&
            bvpi_cluster_open(part->blob, part->blob_size, part->outside, place, &p->cluster);
        p->cluster_off = is_there ? place : UINT64_MAX;
    }
    if (!BVPI_SOUND(p->report, "RAY-9", offset, is_there && local < p->cluster.triangle_count,
                    "triangle %" PRIu32 " of cluster unit %" PRIu32 " does not exist", local,
                    reference >> 8))
        return false;
    const uint64_t item = (uint64_t)p->cluster.head.first_triangle + local;
    if (item < c->items.count)
        bvpi_bits_clear(&c->items, item);
    bvpi_cluster_triangle(&p->cluster, local, triangle);
    return true;
}

/* Zeros between the corners and the vertices, and behind the references. */
static bool is_padding_zero(const uint8_t *at, uint32_t triangles, uint32_t vertices, bool several)
{
    const uint32_t bits = 12 * triangles, corners_end = 4 + (bits + 7) / 8;
    const uint32_t begin = bvpi_meshlet_vertices(triangles);
    const uint32_t end =
        bvpi_meshlet_references(triangles, vertices) + triangles * (several ? 4 : 1);
    return (bits % 8 == 0 || at[corners_end - 1] >> 4 == 0) &&
           bvpi_is_zero(at + corners_end, begin - corners_end) &&
           bvpi_is_zero(at + end, bvpi_meshlet_size(triangles, vertices, several) - end);
}

static void verify_triangle(path *p, const uint8_t *at, uint32_t word, uint32_t triangles,
                            uint32_t triangle, uint64_t offset)
{
    const uint32_t vertices = (word & 15) + 1;
    const uint8_t *rows = at + bvpi_meshlet_vertices(triangles);
    const uint8_t *references = at + bvpi_meshlet_references(triangles, vertices);
    float stored[9];
    if (!claim(p, bvpi_meshlet_reference(word, references, triangle), offset, stored))
        return;
    bool is_equal = true;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t nibble = k * triangles + triangle;
        const uint32_t vertex = at[4 + nibble / 2] >> (4 * (nibble & 1)) & 15;
        if (!BVPI_SOUND(p->report, "RAY-8", offset, vertex < vertices,
                        "a corner is vertex %" PRIu32 " of %" PRIu32, vertex, vertices))
            return;
        for (uint32_t a = 0; a < 3; a++)
            is_equal = is_equal && memcmp(rows + 4 * (a * vertices + vertex), &stored[3 * k + a],
                                          sizeof(float)) == 0;
        BVPI_SOUND(p->report, "RAY-6", offset, is_held(p, stored + 3 * k),
                   "a corner leaves a box above it");
    }
    BVPI_SOUND(p->report, "RAY-9", offset, is_equal,
               "a triangle differs from the one that it refers to");
}

static void verify_meshlet(path *p, uint64_t unit, uint32_t triangles)
{
    const uint64_t end = p->rays->meshlet_size - BVPD_RAY_TAIL, from = unit * BVPD_RAY_UNIT;
    const uint8_t *at = p->rays->meshlets + from;
    uint64_t offset = bvpi_verify_off(p->check->verify, p->rays->meshlets) + from;
    p->check->leaf_count++;
    p->largest_leaf = triangles > p->largest_leaf ? triangles : p->largest_leaf;
    if (!BVPI_SOUND(p->report, "RAY-7", offset, bvpi_fits(from, sizeof(uint32_t), end),
                    "a meshlet at %" PRIu64 " is behind the last one", from))
        return;
    const uint32_t word = bvpi_load_u32(at), vertices = (word & 15) + 1;
    const bool several = (word & BVPD_RAY_SEVERAL) != 0;
    const uint32_t size = bvpi_meshlet_size(triangles, vertices, several);
    if (!BVPI_SOUND(p->report, "RAY-7", offset, bvpi_fits(from, size, end),
                    "a meshlet of %" PRIu32 " bytes at %" PRIu64 " goes on after %" PRIu64, size,
                    from, end))
        return;
    bool is_free = true;
    for (uint64_t k = unit; k < unit + size / BVPD_RAY_UNIT; k++) {
        is_free = is_free && bvpi_bits_get(&p->units, k);
        bvpi_bits_clear(&p->units, k);
    }
    if (!BVPI_SOUND(p->report, "RAY-7", offset, is_free, "two meshlets overlap"))
        return;
    BVPI_KNOWN(p->report, "RAY-8", offset, (word & (several ? ~UINT32_C(0x1f) : 0xe0)) == 0,
               "reserved bits of a meshlet's word 0x%08" PRIx32 " are set", word);
    BVPI_SOUND(p->report, "RAY-8", offset, is_padding_zero(at, triangles, vertices, several),
               "the padding of a meshlet is not zero");
    for (uint32_t i = 0; i < triangles && bvpi_report_goes_on(p->report); i++)
        verify_triangle(p, at, word, triangles, i, offset);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool is_number(float x, double most)
{
    return (double)x >= -most && (double)x <= most;
}

/* The frame, and what the lanes are. */
static bool verify_node(const path *p, const level *l)
{
    const bvpd_ray_node *node = &l->node;
    const uint64_t offset = offset_of(p, l);
    const double most = 2 * p->pad / BVPI_RAY_PAD_BOUND;
    bool is_frame = true, is_tidy = true, has_leaf = false;
    uint32_t inner = 0, used = 0;
    for (int a = 0; a < 3; a++)
        is_frame = is_frame && node->step[a] > 0 && is_number(node->lo[a], most) &&
                   is_number(node->step[a], most) &&
                   fabs((double)node->lo[a] + 255 * (double)node->step[a]) <= most;
    for (uint32_t j = 0; j < BVPD_WIDTH; j++) {
        const int16_t lane = node->lane[j];
        const bool is_empty = lane == BVPD_RAY_EMPTY, is_leaf = bvpi_ray_lane_is_leaf(lane);
        has_leaf = has_leaf || is_leaf;
        is_tidy = is_tidy && (is_empty || used++ == j);
        if (is_leaf)
            is_tidy = is_tidy && lane < BVPD_RAY_LEAF + 8 * BVPD_RAY_PLACES;
        else if (!is_empty)
            is_tidy = is_tidy && (uint32_t)lane == inner++;
        for (int a = 0; a < 3 && is_empty; a++)
            is_tidy = is_tidy && node->bounds[a][j] == 255 && node->bounds[a][BVPD_WIDTH + j] == 0;
    }
    is_tidy =
        is_tidy && used > 0 && (inner > 0 || node->child == 0) && (has_leaf || node->geom == 0);
    BVPI_SOUND(p->report, "RAY-5", offset + offsetof(bvpd_ray_node, lo), is_frame,
               "the frame of a node is none, or larger than twice the part");
    BVPI_SOUND(p->report, "RAY-3", offset + offsetof(bvpd_ray_node, lane), is_tidy,
               "the lanes of a node are not in order, or unused fields are not as they should be");
    const bool are_there =
        BVPI_SOUND(p->report, "RAY-4", offset + offsetof(bvpd_ray_node, child),
                   inner == 0 || (node->child > l->number && inner <= p->rays->node_count &&
                                  node->child <= p->rays->node_count - inner),
                   "children from %" PRIu32 " on do not exist, or come before node %" PRIu32,
                   node->child, l->number);
    return is_frame && is_tidy && are_there;
}

/* Appends a node to the path. Counts it in any case. */
static void enter(path *p, uint32_t number)
{
    bvpi_binary_check *c = p->check;
    c->node_count++;
    c->depth = p->count + 1 > c->depth ? p->count + 1 : c->depth;
    if (p->count == BVPD_DEPTH_MAX)
        return;
    level *l = &p->levels[p->count];
    bvpi_load_record(&l->node, p->rays->nodes + (uint64_t)number * sizeof l->node, sizeof l->node);
    l->number = number;
    l->lane = -1;
    const bool is_new = bvpi_bits_get(&p->nodes, number);
    bvpi_bits_clear(&p->nodes, number);
    if (BVPI_SOUND(p->report, "RAY-4", offset_of(p, l), is_new, "node %" PRIu32 " has two parents",
                   number) &&
        verify_node(p, l))
        p->count++;
}

/* Goes on with a lane of the last node. */
static void enter_lane(path *p, level *l)
{
    const bvpd_ray_node *node = &l->node;
    const int j = l->lane;
    const int16_t lane = node->lane[j];
    if (lane == BVPD_RAY_EMPTY)
        return;
    for (int a = 0; a < 3; a++) {
        const double step = node->step[a], from = node->lo[a];
        const double pad = p->pad + step * BVPI_RAY_PAD_STEP;
        l->lo[a] = from + node->bounds[a][j] * step + pad;
        l->hi[a] = from + node->bounds[a][BVPD_WIDTH + j] * step - pad;
    }
    if (bvpi_ray_lane_is_leaf(lane))
        verify_meshlet(p, bvpi_ray_lane_unit(node->geom, lane), bvpi_ray_lane_count(lane));
    else
        enter(p, node->child + (uint32_t)lane);
}

void bvpi_verify_rays(bvpi_binary_check *check, const bvpi_rays *rays, uint32_t *largest_leaf)
{
    path p = {.check = check,
              .report = &check->verify->report,
              .rays = rays,
              .rays_off = bvpi_verify_off(check->verify, rays->nodes),
              .cluster_off = UINT64_MAX};
    const uint64_t end = rays->meshlet_size - BVPD_RAY_TAIL;
    const uint64_t tail = bvpi_verify_off(check->verify, rays->meshlets) + end;
    assert(check->items.bytes);
    p.pad = bvpi_ray_bound(check->part->lo, check->part->hi) * BVPI_RAY_PAD_BOUND;
    BVPI_SOUND(p.report, "RAY-2", tail,
               end % BVPD_RAY_UNIT == 0 && bvpi_is_zero(rays->meshlets + end, BVPD_RAY_TAIL),
               "the meshlets end at %" PRIu64 ", not at a multiple of 8 before 32 zeros", end);
    BVPI_RULE(p.report, "RAY-2", BVP_ERR_LIMIT, p.rays_off,
              end / BVPD_RAY_UNIT <= BVPD_RAY_UNITS_MAX,
              "%" PRIu64 " bytes of meshlets are over the limit of 2^31", end);
    BVPI_SOUND(p.report, "RAY-2", p.rays_off,
               p.pad >= BVPI_RAY_BOUND_MIN * BVPI_RAY_PAD_BOUND &&
                   p.pad <= BVPI_RAY_BOUND_MAX * BVPI_RAY_PAD_BOUND,
               "the part is too large or too small for a hierarchy for rays");
    if (bvpi_bits_make(check->verify, rays->node_count, &p.nodes) &&
        bvpi_bits_make(check->verify, end / BVPD_RAY_UNIT, &p.units)) {
        bvpi_bits_set_first(&p.nodes, rays->node_count);
        bvpi_bits_set_first(&p.units, end / BVPD_RAY_UNIT);
        enter(&p, 0);
        while (p.count > 0 && bvpi_report_goes_on(p.report)) {
            level *l = &p.levels[p.count - 1];
            if (++l->lane < BVPD_WIDTH)
                enter_lane(&p, l);
            else
                p.count--;
        }
        for (uint64_t k = 0; k < p.units.count && bvpi_report_goes_on(p.report); k++)
            if (p.units.bytes[k / 8] != 0)
                BVPI_SOUND(p.report, "RAY-7", p.rays_off, !bvpi_bits_get(&p.units, k),
                           "unit %" PRIu64 " belongs to no meshlet", k);
    }
    *largest_leaf = p.largest_leaf;
    bvpi_bits_free(&p.nodes);
    bvpi_bits_free(&p.units);
}
