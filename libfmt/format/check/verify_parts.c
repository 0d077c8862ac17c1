/* SPDX-License-Identifier: MIT
 * verify_parts.c: checks parts: their places, cluster records, coordinates, triangle numbers,
 * leaves.
 *
 * Order matters. Places come first, so that bytes are known to be inside the sections and no two
 * parts share them. Then the clusters, whose nodes join the set that the hierarchy must use up;
 * then the hierarchies, whose leaves must hold every triangle exactly once, inside their boxes;
 * then identity, which needs a sound mesh. The cluster decoded last is kept, because neighbouring
 * leaves share it.
 * Spec: format.md, chapters "Parts", "Cluster records", "Triangle numbers", "Nodes"
 */
#include "format/check/decode_cluster.h"
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "base/simd.h"
#include "format/identity.h"
#include "format/triangle_ids.h"
#include "node/cluster_record.h"
#include "node/turn.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef bvpi_decoded_cluster decoded_cluster;

/* State of the check of one part. */
typedef struct part_check {
    bvpi_verify *verify;
    const bvpd_part *record;                /* a copy */
    bool is_reference;                      /* the part is in a store */
    bvpi_part part;                         /* its checked view */
    uint64_t record_off, blob_off, ids_off; /* in the file */
    bvpi_hierarchy_check hierarchy;         /* the wide one */
    bool has_wide, has_known;               /* every hierarchy is of a known kind */
    bool is_unbound;                        /* its coordinates are not known */
    uint64_t next_cluster, next_id;         /* where the next records must begin */
    uint64_t triangle_count, vertex_count;  /* seen so far */
    float lo[3], hi[3];
    decoded_cluster decoded;
} part_check;

#define PART_FIELD(check, name) ((check)->record_off + offsetof(bvpd_part, name))

/* ---- the record ----------------------------------------------------------------------------- */

static void verify_numbers(part_check *c)
{
    const bvpd_part *r = c->record;
    bvpi_report *report = &c->verify->report;
    BVPI_SOUND(report, "PRT-4", PART_FIELD(c, origin),
               isfinite(r->origin[0]) && isfinite(r->origin[1]) && isfinite(r->origin[2]),
               "the origin is not finite");
    bool is_box = true;
    for (int axis = 0; axis < 3; axis++)
        is_box =
            is_box && isfinite(r->lo[axis]) && isfinite(r->hi[axis]) && r->lo[axis] <= r->hi[axis];
    BVPI_SOUND(report, "PRT-5", PART_FIELD(c, lo), is_box, "the bounds are not a finite box");
    BVPI_SOUND(report, "PRT-10", PART_FIELD(c, rounding_error),
               isfinite(r->rounding_error) && r->rounding_error >= 0,
               "rounding_error is not a number >= 0");
    const uint64_t edges = r->triangle_count <= UINT32_MAX ? 3 * r->triangle_count : UINT64_MAX;
    BVPI_SOUND(report, "PRT-11", PART_FIELD(c, degenerate_count),
               r->degenerate_count <= r->triangle_count &&
                   r->duplicate_count <= r->triangle_count && r->open_edge_count <= edges &&
                   r->nonmanifold_edge_count <= edges,
               "more defects are counted than there are triangles or edges");
    BVPI_KNOWN(report, "PRT-12", PART_FIELD(c, reserved),
               bvpi_is_zero(r->reserved, sizeof r->reserved) &&
                   bvpi_is_zero(r->reserved0, sizeof r->reserved0),
               "reserved bytes of a part are not zero");
    uint8_t address[16];
    bvpi_part_address(r, address);
    BVPI_SOUND(report, "PRT-15", PART_FIELD(c, address),
               !bvpi_has_packer(r) || memcmp(r->address, address, sizeof address) == 0,
               "address is not that of content_hash, rounding_error and packer");
    if (c->verify->is_part_alone)
        return;
    bvpi_verify_string_ref(c->verify, PART_FIELD(c, name), r->name);
    bvpi_verify_string_ref(c->verify, PART_FIELD(c, source_id), r->source_id);
}

/* Blobs follow each other, and so do the parts' triangle numbers. False: they overlap, so bytes
 * would be read twice. */
static bool verify_places(part_check *c)
{
    const uint64_t data_end = c->verify->passage.data_end, ids_end = c->verify->passage.ids_end;
    const bvpd_part *r = c->record;
    const bvpi_span *data = &c->verify->file.section[BVPD_DATA];
    bvpi_report *report = &c->verify->report;
    uint64_t expected = 0;
    BVPI_SOUND(report, "PRT-1", PART_FIELD(c, cluster_shift),
               c->is_reference || (r->cluster_shift >= 6 && r->cluster_shift <= 12),
               "cluster_shift is %u, not 6 to 12", r->cluster_shift);
    const bool placed =
        BVPI_SOUND(report, "PRT-2", PART_FIELD(c, data_off),
                   bvpi_align(data_end, UINT64_C(1) << (r->cluster_shift & 15), &expected) &&
                       r->data_off == expected && bvpi_fits(r->data_off, r->data_size, data->size),
                   "the blob (%" PRIu64 " bytes at %" PRIu64 ") is not where %" PRIu64
                   " bytes before it end, or leaves DATA",
                   r->data_size, r->data_off, data_end);
    if (placed)
        BVPI_SOUND(report, "PRT-2", bvpi_verify_off(c->verify, data->data) + data_end,
                   bvpi_is_zero(data->data + data_end, expected - data_end),
                   "the padding before a blob is not zero");
    BVPI_SOUND(report, "PRT-3", PART_FIELD(c, ids_off),
               r->ids_off == ids_end &&
                   bvpi_fits(r->ids_off, r->ids_size, c->verify->file.section[BVPD_TIDS].size),
               "the triangle numbers do not begin at %" PRIu64 ", or leave TIDS", ids_end);
    return r->data_off >= data_end && r->ids_off >= ids_end;
}

/* ---- clusters ------------------------------------------------------------------------------- */

/* Are the bits of `size` bytes zero, from bit `from` on? */
static bool is_zero_from(const uint8_t *data, uint64_t from, uint64_t size)
{
    const uint64_t byte = from / 8;
    if (from % 8 == 0)
        return bvpi_is_zero(data + byte, size - byte);
    return data[byte] >> (from % 8) == 0 && bvpi_is_zero(data + byte + 1, size - byte - 1);
}

/* Are the bits after a stream zero? */
static bool is_filled_up(const uint8_t *stream, uint32_t count, unsigned width)
{
    return is_zero_from(stream, (uint64_t)count * width, bvpi_packed_size(count, width));
}

/* Rules CLU-4 to CLU-12: the head, the corners, the coordinates and the padding of the record that
 * is decoded. record: its first byte; its nodes end nodes_end bytes behind, the next record begins
 * `next` bytes behind. offset: in the file. */
static void verify_streams(part_check *c, const uint8_t *record, uint64_t nodes_end, uint64_t next,
                           uint64_t offset)
{
    const bvpi_cluster *cluster = &c->decoded.cluster;
    bvpi_report *report = &c->verify->report;
    assert(nodes_end <= next && next <= c->part.blob_size);
    for (int axis = 0; axis < 3; axis++) {
        const uint8_t packing = cluster->head.packing[axis], scale = cluster->head.scale[axis];
        const unsigned mode = packing >> 6, width = packing & 63;
        const uint64_t at = offset + offsetof(bvpd_cluster, packing) + axis;
        BVPI_KNOWN(report, "CLU-4", at, mode <= BVPD_GRID, "packing mode 3 is reserved");
        BVPI_SOUND(report, "CLU-5", at,
                   mode == BVPD_RAW ? width == 32 && cluster->head.base[axis] == 0 : width <= 25,
                   "width %u or base do not fit packing mode %u", width, mode);
        BVPI_SOUND(report, "CLU-6", offset + offsetof(bvpd_cluster, scale) + axis,
                   mode == BVPD_GRID ? scale < 16 || (scale >= 64 && scale < 192) : scale == 0,
                   "scale code %u does not fit packing mode %u", scale, mode);
    }
    BVPI_KNOWN(report, "CLU-9", offset,
               cluster->head.reserved == 0 && cluster->head.corner_bits >> 6 == 0,
               "reserved bits of a cluster are not zero");

    bool used[BVPD_CLUSTER_VERTICES] = {false};
    const uint32_t corners =
        c->decoded.vertex_end > cluster->vertex_count ? 3 * cluster->triangle_count : 0;
    for (uint32_t i = 0; i < cluster->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            used[c->decoded.corner[i][k]] = true;
    bvpi_report_goes_on(report);
    for (uint32_t i = 0; i < corners && bvpi_report_goes_on(report); i++) {
        const uint32_t vertex = c->decoded.corner[i / 3][i % 3];
        BVPI_SOUND(report, "CLU-7", bvpi_verify_off(c->verify, cluster->corners),
                   vertex < cluster->vertex_count, "local vertex %" PRIu32 " of %" PRIu32, vertex,
                   cluster->vertex_count);
    }
    uint32_t vertex = 0;
    while (vertex < cluster->vertex_count && used[vertex])
        vertex++;
    BVPI_SOUND(report, "CLU-11", offset, vertex == cluster->vertex_count,
               "no triangle of the cluster uses its vertex %" PRIu32, vertex);

    for (int axis = 0; axis < 3; axis++) {
        const uint32_t count = cluster->head.table_count[axis];
        uint32_t largest = 0;
        for (vertex = 0; vertex < cluster->vertex_count && count > 0; vertex++) {
            const uint32_t number = bvpi_cluster_field(cluster, axis, vertex);
            largest = number > largest ? number : largest;
        }
        BVPI_SOUND(report, "CLU-12", offset + offsetof(bvpd_cluster, table_count) + axis,
                   count == 0 || (count >= 2 && largest + 1 == count),
                   "a table of %" PRIu32 " coordinates, of which number %" PRIu32
                   " is the last one used",
                   count, largest);
    }
    for (int axis = 0; axis < 3; axis++) {
        bool finite = true;
        float lo = c->lo[axis], hi = c->hi[axis];
        for (vertex = 0; vertex < cluster->vertex_count; vertex++) {
            const float x = c->decoded.position[vertex][axis];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        for (vertex = 0; vertex < cluster->vertex_count && !c->decoded.is_finite; vertex++)
            finite = finite && isfinite(c->decoded.position[vertex][axis]);
        c->lo[axis] = lo;
        c->hi[axis] = hi;
        BVPI_SOUND(report, "CLU-8", bvpi_verify_off(c->verify, cluster->vertices), finite,
                   "a coordinate on axis %d is not finite", axis);
    }

    /* The bits after each stream, the bytes before the nodes, and those after the record. */
    bool zero = bvpi_is_zero(record + nodes_end, next - nodes_end);
    zero = zero && is_filled_up(cluster->corners, cluster->triangle_count, cluster->corners_width);
    zero = zero && is_filled_up(cluster->vertices, cluster->vertex_count, cluster->vertex_width);
    for (int axis = 0; axis < 3; axis++)
        zero = zero && is_filled_up(cluster->table[axis], cluster->head.table_count[axis],
                                    cluster->width[axis]);
    const uint8_t *end = cluster->end;
    zero = zero && bvpi_is_zero(end, (uint64_t)(record + bvpi_cluster_nodes_off(cluster) - end));
    BVPI_SOUND(report, "CLU-10", offset, zero, "the padding of a cluster is not zero");
}

/* The same where triangles lie outside: there are no streams. Coordinates are checked if they are
 * known. */
static void verify_no_streams(part_check *c, const uint8_t *record, uint64_t nodes_end,
                              uint64_t next, uint64_t offset)
{
    const bvpi_cluster *cluster = &c->decoded.cluster;
    bvpi_report *report = &c->verify->report;
    bvpd_cluster head,
        expected = {.packing = {BVPD_OUTSIDE << 6, BVPD_OUTSIDE << 6, BVPD_OUTSIDE << 6}};
    bvpi_load_record(&head, record, sizeof head);
    expected.triangle_count_minus_1 = head.triangle_count_minus_1;
    expected.node_count = head.node_count;
    expected.first_triangle = head.first_triangle;
    expected.id_off = head.id_off;
    memcpy(expected.base, head.base, sizeof(bvpd_ids)); /* IDS-2, IDS-3 */
    BVPI_SOUND(report, "BUF-4", offset, memcmp(&head, &expected, sizeof head) == 0,
               "the cluster describes coordinates, which lie outside");
    BVPI_SOUND(report, "CLU-10", offset,
               bvpi_is_zero(record + sizeof head, bvpi_cluster_nodes_off(cluster) - sizeof head) &&
                   bvpi_is_zero(record + nodes_end, next - nodes_end),
               "the padding of a cluster is not zero");
    for (uint32_t i = 0; i < cluster->triangle_count && bvpi_report_goes_on(report); i++)
        bvpi_verify_number(c->verify, &c->part, bvpi_triangle_id(&c->part, &cluster->head, i),
                           offset + offsetof(bvpd_cluster, id_off));
    for (uint32_t vertex = 0; vertex < cluster->vertex_count && !c->is_unbound; vertex++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = c->decoded.position[vertex][axis];
            BVPI_SOUND(report, "CLU-8", offset, isfinite(x),
                       "corner %" PRIu32 " of triangle %" PRIu64 ", in its buffers, is not finite",
                       vertex % 3, (uint64_t)cluster->head.first_triangle + vertex / 3);
            c->lo[axis] = x < c->lo[axis] ? x : c->lo[axis];
            c->hi[axis] = x > c->hi[axis] ? x : c->hi[axis];
        }
}

static void verify_ids(part_check *c, const bvpi_cluster *cluster, uint64_t cluster_off)
{
    bvpi_report *report = &c->verify->report;
    const uint64_t offset = (uint64_t)cluster->head.id_off * 4, at = c->ids_off + offset;
    uint64_t packed_off;
    BVPI_SOUND(report, "IDS-1", cluster_off + offsetof(bvpd_cluster, id_off), offset == c->next_id,
               "the triangle numbers are at %" PRIu64 ", not at %" PRIu64, offset, c->next_id);
    if (!c->part.ids)
        return;
    bvpd_ids head;
    if (!BVPI_SOUND(
            report, "IDS-2", at,
            bvpi_ids_head(c->part.ids, c->part.ids_size, &cluster->head, &head, &packed_off) &&
                bvpi_ids_packed_size(&head, cluster->triangle_count) <=
                    c->part.ids_size - packed_off,
            "a width is over 32, or the numbers leave the part's"))
        return;
    const uint8_t *packed = c->part.ids + packed_off;
    const uint32_t size = bvpi_ids_packed_size(&head, cluster->triangle_count);
    const uint64_t bits = head.gap_count * (head.width + (uint64_t)head.gap_width) +
                          (uint64_t)cluster->triangle_count * head.width;
    BVPI_KNOWN(report, "IDS-3", at, head.reserved == 0,
               "reserved bytes of triangle numbers are not zero");
    const uint64_t largest_field = (UINT64_C(1) << head.width) - 1;
    const uint64_t largest_skip = head.gap_count > 0 ? (UINT64_C(1) << head.gap_width) - 1 : 0;
    bool fits = true; /* in one step, if no field can make it too large */
    for (uint32_t i = 0;
         head.base + largest_field + largest_skip > UINT32_MAX && i < cluster->triangle_count; i++)
        fits = fits && bvpi_triangle_id(&c->part, &cluster->head, i) <= UINT32_MAX;
    BVPI_SOUND(report, "IDS-4", at, fits, "a triangle number is over 32 bits");
    BVPI_SOUND(report, "IDS-5", at, is_zero_from(packed, bits, size),
               "the padding of triangle numbers is not zero");
    /* Positions and sums of gaps ascend; nothing is left out before the first number. */
    uint32_t position = 0, skip = 0;
    bool ascend = true;
    for (uint32_t i = 0, bit = 0; i < head.gap_count; i++) {
        const uint32_t next = bvpi_ids_bits(packed, bit, head.width);
        const uint32_t next_skip = bvpi_ids_bits(packed, bit + head.width, head.gap_width);
        ascend = ascend && next > position && next_skip > skip;
        position = next;
        skip = next_skip;
        bit += head.width + (uint32_t)head.gap_width;
        assert(bit <= bits);
    }
    BVPI_SOUND(report, "IDS-6", at, ascend, "the gaps of triangle numbers do not ascend");
    c->next_id = packed_off + size;
}

/* Checks one record. False: the next one's place is unknown. */
static bool verify_cluster(part_check *c, uint32_t idx)
{
    bvpi_report *report = &c->verify->report;
    const uint64_t place = bvpi_cluster_off(&c->part, idx), offset = c->blob_off + place;
    bvpi_cluster cluster;
    BVPI_SOUND(report, "CLU-1", c->blob_off + c->part.cluster_table_off + (uint64_t)idx * 4,
               place == c->next_cluster,
               "cluster %" PRIu32 " begins at %" PRIu64 " of the blob, not at %" PRIu64, idx, place,
               c->next_cluster);
    if (place < c->next_cluster ||
        !bvpi_cluster_open(c->part.blob, c->part.blob_size, c->part.outside, place, &cluster))
        return false;
    const uint64_t nodes = place + bvpi_cluster_nodes_off(&cluster);
    const uint64_t nodes_end = nodes + (uint64_t)cluster.head.node_count * BVPD_UNIT;
    const uint64_t alignment = UINT64_C(1) << c->part.cluster_shift;
    const uint64_t next = (nodes_end + alignment - 1) & ~(alignment - 1);
    if (!BVPI_SOUND(report, "CLU-2", offset, next <= c->part.cluster_table_off,
                    "cluster %" PRIu32 " reaches into the cluster table", idx))
        return false;
    BVPI_SOUND(report, "CLU-3", offset + offsetof(bvpd_cluster, first_triangle),
               cluster.head.first_triangle == c->triangle_count,
               "first_triangle is %" PRIu32 ", not %" PRIu64, cluster.head.first_triangle,
               c->triangle_count);
    if (c->verify->task != BVPI_TASK_HIERARCHIES) {
        c->decoded.cluster = cluster;
        c->decoded.place = place;
        bvpi_decode_cluster(&c->decoded);
        if (cluster.outside)
            verify_no_streams(c, c->part.blob + place, nodes_end - place, next - place, offset);
        else
            verify_streams(c, c->part.blob + place, nodes_end - place, next - place, offset);
        verify_ids(c, &cluster, offset);
    }
    if (!c->has_wide)
        BVPI_SOUND(report, "HIE-13", offset + offsetof(bvpd_cluster, node_count),
                   cluster.head.node_count == 0,
                   "the cluster has %u nodes, the part no wide hierarchy", cluster.head.node_count);
    for (uint64_t unit = nodes / BVPD_UNIT; unit < nodes_end / BVPD_UNIT; unit++)
        if (unit < c->hierarchy.slots.count)
            bvpi_bits_set(&c->hierarchy.slots, unit);
    c->triangle_count += cluster.triangle_count;
    c->vertex_count += cluster.vertex_count;
    c->next_cluster = next;
    return true;
}

/* ---- leaves --------------------------------------------------------------------------------- */

/* Decodes the record at `place` of the blob, unless that was the last one. False: no record begins
 * there. */
static bool find_decoded(const bvpi_part *part, uint64_t place, decoded_cluster *d)
{
    if (d->place == place)
        return true;
    d->place = UINT64_MAX;
    if (!bvpi_verify_is_cluster(part, place) ||
        !bvpi_cluster_open(part->blob, part->blob_size, part->outside, place, &d->cluster))
        return false;
    bvpi_decode_cluster(d);
    d->place = place;
    assert(d->cluster.vertex_count <= BVPI_LOCAL_VERTICES &&
           d->cluster.triangle_count <= BVPD_CLUSTER_TRIANGLES);
    return true;
}

/* Quickly, for all triangles of a leaf at once: are they inside the box, and in no other leaf? Only
 * then they are taken from the set. False: they have to be looked at one by one. */
static bool take_sound_leaf(bvpi_hierarchy_check *c, const decoded_cluster *d, uint32_t first,
                            uint32_t count, const double lo[3], const double hi[3])
{
    const uint64_t item = (uint64_t)d->cluster.head.first_triangle + first;
    if (count == 0 || count > 8 || !d->is_finite || c->tree.is_turned ||
        item + count > c->items.count)
        return false;
    bvpi_f32x4 least, most;
    memcpy(&least, d->position[d->corner[first][0]], sizeof least);
    most = least;
    for (uint32_t local = first; local < first + count; local++)
        for (int k = 0; k < 3; k++) {
            bvpi_f32x4 corner;
            memcpy(&corner, d->position[d->corner[local][k]], sizeof corner);
            least = f32x4_min(least, corner);
            most = f32x4_max(most, corner);
        }
    bool is_in_box = true;
    for (int axis = 0; axis < 3; axis++)
        is_in_box = is_in_box && lo[axis] <= (double)least[axis] && (double)most[axis] <= hi[axis];
    /* the set has a byte behind its last one */
    uint8_t *bytes = c->items.bytes + item / 8;
    const uint32_t free = bytes[0] | (uint32_t)bytes[1] << 8;
    const uint32_t own = ((1u << count) - 1) << (item % 8);
    if (!is_in_box || (free & own) != own)
        return false;
    bytes[0] = (uint8_t)(free & ~own);
    bytes[1] = (uint8_t)((free & ~own) >> 8);
    return true;
}

/* Rules about a leaf's triangles: they exist, are in no other leaf, and inside `box`. */
static void verify_triangle_leaf(bvpi_hierarchy_check *c, const bvpi_frame *box,
                                 const bvpi_leaf *leaf, uint64_t offset)
{
    bvpi_report *report = &c->verify->report;
    const uint64_t place = (uint64_t)(leaf->geom >> 8) << c->part->cluster_shift;
    const uint32_t first = (leaf->geom & 255) + leaf->before, count = leaf->count;
    decoded_cluster *d = c->decoded;
    double lo[3], hi[3];
    if (!BVPI_SOUND(report, "NOD-10", offset + offsetof(bvpd_node, geom),
                    find_decoded(c->part, place, d) && first + count <= d->cluster.triangle_count,
                    "triangles %" PRIu32 " to %" PRIu32 " of a cluster at %" PRIu64
                    " of the blob do not exist",
                    first, first + count - 1, place))
        return;
    assert(d->place == place && first + count <= BVPD_CLUSTER_TRIANGLES);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = bvpi_grid_corner(&c->tree, axis, box->lo[axis]);
        hi[axis] = bvpi_grid_corner(&c->tree, axis, box->hi[axis]);
    }
    if (take_sound_leaf(c, d, first, count, lo, hi))
        return;
    bvpi_turn turn;
    if (c->tree.is_turned)
        bvpi_turn_init(c->tree.turn, &turn);
    for (uint32_t local = first; local < first + count; local++) {
        const uint64_t item = (uint64_t)d->cluster.head.first_triangle + local;
        bool is_in_box = true;
        for (int k = 0; k < 3; k++) {
            const float *corner = d->position[d->corner[local][k]];
            double p[3] = {(double)corner[0], (double)corner[1], (double)corner[2]}, turned[3];
            if (c->tree.is_turned) {
                bvpi_turn_point(&turn, p, turned);
                memcpy(p, turned, sizeof p);
            }
            for (int axis = 0; axis < 3; axis++)
                is_in_box = is_in_box && lo[axis] <= p[axis] && p[axis] <= hi[axis];
        }
        is_in_box = is_in_box || bvpi_verify_is_unbound(c->part);
        BVPI_SOUND(report, "NOD-11", offset, is_in_box,
                   "triangle %" PRIu64 " leaves the box of its leaf", item);
        const bool is_free = item < c->items.count && bvpi_bits_get(&c->items, item);
        if (is_free)
            bvpi_bits_clear(&c->items, item);
        BVPI_SOUND(report, "NOD-12", offset, is_free, "triangle %" PRIu64 " is in two leaves",
                   item);
    }
}

/* ---- the part ------------------------------------------------------------------------------- */

static void load_hierarchy(const part_check *c, uint64_t idx, bvpd_hierarchy *out)
{
    bvpi_load_record(out, c->verify->file.section[BVPD_HIER].data + idx * sizeof *out, sizeof *out);
}

/* May the part have the hierarchies from first_hierarchy on, which exist? They are the next ones;
 * or, in a file with another order, they say that they are its (HIE-2 checks all of them). As none
 * can say that of two parts, and TOP-1 checks their number, every record is of one part. */
static bool are_own(part_check *c, uint32_t part_idx)
{
    const uint32_t features = c->verify->file.header.feature_incompatible;
    const uint32_t first = c->record->first_hierarchy;
    bvpd_hierarchy h;
    if (first == c->verify->passage.hierarchy_count)
        return true;
    if ((features & BVPD_FEATURE_BY_USE) == 0 || (features & BVPD_FEATURE_THIN) != 0)
        return false;
    load_hierarchy(c, first, &h);
    c->verify->sums.is_by_use = true;
    return h.part == part_idx;
}

/* Finds which hierarchies the part has. False: that cannot be determined. */
static bool find_hierarchies(part_check *c, uint32_t part_idx)
{
    const bvpd_part *r = c->record;
    const bvpi_span *span = &c->verify->file.section[BVPD_HIER];
    bvpi_report *report = &c->verify->report;
    if (!BVPI_SOUND(report, "PRT-9", PART_FIELD(c, first_hierarchy),
                    r->hierarchy_count > 0 &&
                        bvpi_fits(r->first_hierarchy, r->hierarchy_count, span->count) &&
                        are_own(c, part_idx),
                    "%" PRIu32 " hierarchies from %" PRIu32
                    " on do not exist, or are not the part's",
                    r->hierarchy_count, r->first_hierarchy))
        return false;
    c->verify->passage.hierarchy_count += r->hierarchy_count;
    c->has_known = true;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < r->hierarchy_count && bvpi_report_goes_on(report); i++) {
        bvpd_hierarchy h;
        load_hierarchy(c, (uint64_t)r->first_hierarchy + i, &h);
        const uint64_t offset =
            bvpi_verify_off(c->verify, span->data) + ((uint64_t)r->first_hierarchy + i) * sizeof h;
        const bool is_known =
            BVPI_KNOWN(report, "HIE-1", offset, h.kind >= BVPD_KIND_WIDE8 && h.kind < BVPD_KIND_END,
                       "hierarchy kind %" PRIu32 " is unknown", h.kind);
        c->has_known = c->has_known && is_known;
        BVPI_SOUND(report, "HIE-2", offset + offsetof(bvpd_hierarchy, part), h.part == part_idx,
                   "hierarchy %" PRIu32 " is not of part %" PRIu32, r->first_hierarchy + i,
                   part_idx);
        if (!is_known)
            continue;
        const bool is_wide = h.kind == BVPD_KIND_WIDE8;
        if (h.kind == BVPD_KIND_RAYS) {
            c->verify->sums.has_rays = true;
            BVPI_SOUND(report, "RAY-1", offset, i > 0 && i == r->hierarchy_count - 1,
                       "a hierarchy for rays is the first of its part, or not the last");
        }
        BVPI_SOUND(report, "HIE-13", offset, (seen >> h.kind & 1) == 0 && (!is_wide || i == 0),
                   "the part has two hierarchies of kind %" PRIu32 ", or the wide one is not first",
                   h.kind);
        c->has_wide = c->has_wide || (is_wide && i == 0);
        seen |= 1u << h.kind;
    }
    return c->has_wide || c->has_known;
}

/* Checks the upper nodes of the wide hierarchy, then the clusters, their table, and what follows
 * from all of them for the part's record. */
static void verify_blob(part_check *c, uint32_t upper_count)
{
    const bvpd_part *r = c->record;
    bvpi_report *report = &c->verify->report;
    const uint64_t alignment = UINT64_C(1) << c->part.cluster_shift;
    const uint64_t uppers = (uint64_t)upper_count * BVPD_UNIT;
    assert(c->part.cluster_shift >= 6 && c->part.cluster_shift <= 12);
    c->next_cluster = (uppers + alignment - 1) & ~(alignment - 1);
    if (c->next_cluster <= c->part.blob_size)
        BVPI_SOUND(report, "CLU-10", c->blob_off + uppers,
                   bvpi_is_zero(c->part.blob + uppers, c->next_cluster - uppers),
                   "the padding after the upper nodes is not zero");
    uint32_t idx = 0;
    while (idx < c->part.cluster_count && bvpi_report_goes_on(report) && verify_cluster(c, idx))
        idx++;
    if (idx < c->part.cluster_count || report->stopped || c->verify->task == BVPI_TASK_HIERARCHIES)
        return;
    const uint64_t table_end = r->cluster_table_off + 4 * (uint64_t)r->cluster_count;
    BVPI_SOUND(report, "PRT-6", PART_FIELD(c, cluster_table_off),
               r->cluster_table_off == c->next_cluster && r->data_size - table_end < alignment &&
                   bvpi_is_zero(c->part.blob + table_end, r->data_size - table_end),
               "the cluster table does not lie between the last record and the blob's end");
    BVPI_SOUND(report, "PRT-7", PART_FIELD(c, triangle_count),
               r->triangle_count == c->triangle_count && c->triangle_count <= UINT32_MAX,
               "triangle_count is %" PRIu64 "; the clusters hold %" PRIu64, r->triangle_count,
               c->triangle_count);
    BVPI_SOUND(report, "PRT-8", PART_FIELD(c, vertex_count),
               r->vertex_count > 0 && (c->is_unbound || r->vertex_count <= c->vertex_count),
               "vertex_count is %" PRIu64 "; the clusters hold %" PRIu64, r->vertex_count,
               c->vertex_count);
    bool equal = true;
    for (int axis = 0; axis < 3; axis++)
        equal = equal && r->lo[axis] == c->lo[axis] && r->hi[axis] == c->hi[axis];
    BVPI_SOUND(report, "PRT-5", PART_FIELD(c, lo), equal || c->is_unbound,
               "the bounds are not those of the part's vertices");
    BVPI_SOUND(report, "PRT-3", PART_FIELD(c, ids_size), r->ids_size == c->next_id,
               "the triangle numbers take %" PRIu64 " bytes, not %" PRIu64, c->next_id,
               r->ids_size);
}

static void verify_wide(part_check *c)
{
    const bvpd_part *r = c->record;
    bvpi_verify *v = c->verify;
    bvpi_hierarchy_check *h = &c->hierarchy;
    bvpd_hierarchy record;
    load_hierarchy(c, r->first_hierarchy, &record);
    const uint64_t offset = bvpi_verify_off(v, v->file.section[BVPD_HIER].data) +
                            (uint64_t)r->first_hierarchy * sizeof record;
    BVPI_SOUND(&v->report, "HIE-3", offset + offsetof(bvpd_hierarchy, data_off),
               record.data_off == r->data_off && record.data_size == r->data_size,
               "the hierarchy's data are not its part's blob");
    const uint64_t units = c->part.blob_size / BVPD_UNIT;
    h->verify = v;
    h->part = &c->part;
    h->verify_leaf = verify_triangle_leaf;
    h->units_off = c->blob_off;
    h->tree.units = c->part.blob;
    h->tree.unit_count = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
    h->tree.blob_size = c->part.blob_size;
    v->sums.part_nodes += record.node_count;
    v->sums.node_bytes += (uint64_t)record.node_count * BVPD_UNIT;
    if (!bvpi_verify_hierarchy(h, &record, r->first_hierarchy))
        return;
    /* Nodes are the upper ones, and those of the clusters, which verify_blob() adds. */
    if (bvpi_bits_make(v, h->tree.unit_count, &h->slots)) {
        bvpi_bits_set_first(&h->slots, record.upper_count);
        verify_blob(c, record.upper_count);
        if (!v->report.stopped && v->task != BVPI_TASK_CLUSTERS &&
            bvpi_bits_make(v, c->triangle_count, &h->items)) {
            bvpi_bits_set_first(&h->items, c->triangle_count);
            bvpi_verify_nodes(h, &record, r->first_hierarchy);
        }
    }
    bvpi_bits_free(&h->slots);
    bvpi_bits_free(&h->items);
}

/* The kinds but the wide one. */
static void verify_binaries(part_check *c)
{
    uint32_t seen = 0; /* if a kind occurs twice, readers use the first */
    for (uint32_t i = c->has_wide;
         i < c->record->hierarchy_count && bvpi_report_goes_on(&c->verify->report); i++) {
        bvpd_hierarchy h;
        load_hierarchy(c, (uint64_t)c->record->first_hierarchy + i, &h);
        if (h.kind < BVPD_KIND_BOXTREE || h.kind >= BVPD_KIND_END)
            continue;
        bvpi_verify_binary(c->verify, &c->part, &h, c->record->first_hierarchy + i,
                           (seen >> h.kind & 1) == 0 && !c->is_unbound ? c->triangle_count : 0);
        seen |= UINT32_C(1) << h.kind;
    }
}

static void count_vertices(part_check *c)
{
    bvpi_cluster cluster;
    for (uint32_t idx = 0; idx < c->part.cluster_count; idx++)
        if (bvpi_cluster_at(&c->part, idx, &cluster))
            c->vertex_count += cluster.vertex_count;
}

/* Checks that need the part's bytes to be inside the file. */
static void verify_contents(part_check *c, uint32_t part_idx)
{
    const bvpi_task task = c->verify->task;
    if (task == BVPI_TASK_CONTENT)
        count_vertices(c);
    else if (!find_hierarchies(c, part_idx))
        return;
    else if (c->has_wide)
        verify_wide(c);
    else
        verify_blob(c, 0);
    if (task == BVPI_TASK_ALL || task == BVPI_TASK_HIERARCHIES)
        verify_binaries(c);
    if (task == BVPI_TASK_CLUSTERS || task == BVPI_TASK_HIERARCHIES)
        return;
    /* Only if the file has no violation so far: the hash of a broken mesh means nothing. */
    if (c->verify->report.status != BVP_OK || !bvpi_report_goes_on(&c->verify->report) ||
        c->is_unbound)
        return;
    bvpi_verify_content(c->verify, &c->part, c->record, c->vertex_count,
                        PART_FIELD(c, content_hash));
}

static void verify_part(bvpi_verify *v, uint32_t idx, const bvpd_part *record)
{
    part_check c = {.verify = v, .record = record, .decoded.place = UINT64_MAX};
    c.hierarchy.decoded = &c.decoded;
    c.is_reference =
        (v->file.header.feature_incompatible & BVPD_FEATURE_THIN) != 0 && record->data_size == 0;
    c.record_off = bvpi_verify_off(v, v->file.section[BVPD_PART].data) + idx * sizeof *record;
    for (int axis = 0; axis < 3; axis++) {
        c.lo[axis] = INFINITY;
        c.hi[axis] = -INFINITY;
    }
    const bool is_apart = verify_places(&c);
    verify_numbers(&c);
    if (c.is_reference) { /* all fields about its bytes are zero */
        static const uint8_t zeros[16];
        BVPI_SOUND(&v->report, "PRT-13", PART_FIELD(&c, address),
                   memcmp(record->address, zeros, sizeof zeros) != 0,
                   "a part that lies in a store has no address");
        BVPI_SOUND(&v->report, "PRT-13", PART_FIELD(&c, ids_size),
                   record->ids_size == 0 && record->cluster_table_off == 0 &&
                       record->cluster_count == 0 && record->cluster_shift == 0 &&
                       record->hierarchy_count == 0 &&
                       record->first_hierarchy == v->passage.hierarchy_count,
                   "a part that lies in a store has bytes of its own");
    }
    if (!BVPI_SOUND(&v->report, "PRT-7", PART_FIELD(&c, triangle_count),
                    record->triangle_count > 0 && record->triangle_count <= UINT32_MAX,
                    "triangle_count is %" PRIu64, record->triangle_count) ||
        c.is_reference ||
        !BVPI_SOUND(&v->report, "PRT-6", PART_FIELD(&c, cluster_table_off),
                    record->cluster_table_off % 4 == 0 &&
                        bvpi_fits(record->cluster_table_off, 4 * (uint64_t)record->cluster_count,
                                  record->data_size),
                    "the cluster table leaves the blob"))
        return;
    if (!is_apart || bvpi_view_part(&v->file, idx, record, &c.part) != BVP_OK)
        return;
    c.is_unbound = bvpi_verify_is_unbound(&c.part);
    if (c.part.outside)
        bvpi_verify_buffers(v, &c.part, idx, c.record_off);
    c.blob_off = bvpi_verify_off(v, c.part.blob);
    c.ids_off = c.part.ids ? bvpi_verify_off(v, c.part.ids) : 0;
    verify_contents(&c, idx);
}

void bvpi_verify_part_alone(bvpi_verify *v, uint32_t idx)
{
    bvpd_part record;
    bvpi_load_record(&record, v->file.section[BVPD_PART].data + idx * sizeof record, sizeof record);
    v->is_part_alone = true;
    v->passage.hierarchy_count = record.first_hierarchy;
    /* The check begins where the part's first binary hierarchy does: what is before it belongs to
     * other parts. */
    const bvpi_span *span = &v->file.section[BVPD_HIER];
    bvpd_hierarchy h = {.kind = BVPD_KIND_WIDE8};
    for (uint64_t i = 0; h.kind == BVPD_KIND_WIDE8 && i < record.hierarchy_count &&
                         record.first_hierarchy + i < span->count;
         i++)
        bvpi_load_record(&h, span->data + (record.first_hierarchy + i) * sizeof h, sizeof h);
    v->passage.binary_end = h.kind != BVPD_KIND_WIDE8 ? h.data_off : 0;
    v->passage.data_end = record.data_off;
    v->passage.ids_end = record.ids_off;
    verify_part(v, idx, &record);
}

void bvpi_verify_part_in_turn(bvpi_verify *v, uint32_t idx)
{
    bvpd_part record;
    bvpi_load_record(&record, v->file.section[BVPD_PART].data + idx * sizeof record, sizeof record);
    verify_part(v, idx, &record);
    if (bvpi_fits(record.data_off, record.data_size, v->file.section[BVPD_DATA].size))
        v->passage.data_end = record.data_off + record.data_size;
    if (bvpi_fits(record.ids_off, record.ids_size, v->file.section[BVPD_TIDS].size))
        v->passage.ids_end = record.ids_off + record.ids_size;
}

void bvpi_verify_parts(bvpi_verify *v)
{
    const uint64_t part_count = v->file.section[BVPD_PART].count;
    bvpi_try_parts(v);
    for (uint32_t idx = 0; idx < part_count && bvpi_report_goes_on(&v->report); idx++)
        if (!bvpi_pass_sound_part(v, idx))
            bvpi_verify_part_in_turn(v, idx);
    const uint64_t data_end = v->passage.data_end, ids_end = v->passage.ids_end;
    const bvpi_span *data = &v->file.section[BVPD_DATA], *ids = &v->file.section[BVPD_TIDS];
    BVPI_SOUND(&v->report, "PRT-2", offsetof(bvpd_header, sections), data_end == data->size,
               "DATA goes on for %" PRIu64 " bytes after the last part", data->size - data_end);
    BVPI_SOUND(&v->report, "PRT-3", offsetof(bvpd_header, sections), ids_end == ids->size,
               "TIDS goes on for %" PRIu64 " bytes after the last part", ids->size - ids_end);
    const uint32_t features = v->file.header.feature_incompatible;
    BVPI_SOUND(&v->report, "RAY-1", offsetof(bvpd_header, feature_incompatible),
               v->report.stopped || v->sums.has_rays == ((features & BVPD_FEATURE_RAYS) != 0),
               "bit 3 of feature_incompatible says of hierarchies for rays what is not so");
    BVPI_SOUND(&v->report, "PRT-9", offsetof(bvpd_header, feature_incompatible),
               v->report.stopped || v->sums.is_by_use == ((features & BVPD_FEATURE_BY_USE) != 0),
               "bit 5 of feature_incompatible says of the hierarchies' order what is not so");
    const uint64_t binary_size = v->file.section[BVPD_BINH].size;
    BVPI_SOUND(&v->report, "HIE-3", offsetof(bvpd_header, sections),
               v->passage.binary_end == binary_size,
               "BINH goes on for %" PRIu64 " bytes after the last hierarchy",
               binary_size - v->passage.binary_end);
}
