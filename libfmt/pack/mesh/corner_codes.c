/* SPDX-License-Identifier: MIT
 * corner_codes.c: numbers a cluster's vertices so that the corners of its triangles take few bits.
 *
 * A triangle is stored as its first corner and two differences. Differences are small if neighbours
 * have near numbers, which is the problem of reducing a matrix's bandwidth: vertices are numbered
 * breadth first, starting at one end of the surface. A first walk from any vertex ends at a vertex
 * far away, and the second walk starts there. Disconnected pieces follow each other.
 *
 * Order of triangles and of their corners does not change; only the numbers do.
 *
 * Slow twin: tests/unit/test_corners.c reads back what was written.
 * Spec: format.md, chapter "Cluster records"
 * Measured: decisions.md, "Bytes", "Building"
 * Based on: Cuthill and McKee, Reducing the bandwidth of sparse symmetric matrices, 1969.
 */
#include "pack/mesh/corner_codes.h"

#include "pack/mesh/axis_codes.h"
#include "node/cluster_record.h"

#include <assert.h>

/* ---- the order of vertices ------------------------------------------------------------------- */

/* For each vertex the other two of each of its triangles. */
typedef struct surface {
    uint16_t first[BVPD_CLUSTER_VERTICES + 1]; /* index into neighbours */
    uint8_t neighbours[3 * BVPD_CLUSTER_TRIANGLES][2];
    uint8_t seen[BVPD_CLUSTER_VERTICES]; /* by the walk of this number, or an earlier one */
} surface;

static void put_neighbours(surface *s, uint8_t vertex, uint8_t a, uint8_t b)
{
    uint8_t *at = s->neighbours[--s->first[vertex]];
    at[0] = a;
    at[1] = b;
}

/* Lists the vertices connected with `start` in `walk`, the nearest first. Returns their number.
 * Without branches, because which vertices are new cannot be predicted; so walk needs room for one
 * more. */
static uint32_t walk_from(surface *s, uint8_t start, uint8_t round, uint8_t *walk)
{
    uint32_t count = 1;
    walk[0] = start;
    s->seen[start] = round;
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t i = s->first[walk[at]]; i < s->first[walk[at] + 1u]; i++)
            for (int k = 0; k < 2; k++) {
                const uint8_t vertex = s->neighbours[i][k];
                walk[count] = vertex;
                count += s->seen[vertex] < round;
                s->seen[vertex] = round;
            }
    return count;
}

void bvpi_corners_order(uint8_t *corners, uint32_t triangle_count, uint32_t vertex_count,
                        uint8_t *order)
{
    surface s;
    uint8_t number[BVPD_CLUSTER_VERTICES], walk[BVPD_CLUSTER_VERTICES + 1];
    uint32_t count = 0;
    assert(vertex_count > 0 && vertex_count <= BVPD_CLUSTER_VERTICES);
    assert(triangle_count <= BVPD_CLUSTER_TRIANGLES);
    /* counting sort: for each vertex the other two corners of its triangles */
    memset(s.first, 0, sizeof s.first);
    memset(s.seen, 0, sizeof s.seen);
    for (uint32_t i = 0; i < 3 * triangle_count; i++)
        s.first[corners[i]]++;
    for (uint32_t v = 1; v <= vertex_count; v++)
        s.first[v] = (uint16_t)(s.first[v] + s.first[v - 1]);
    for (uint32_t i = triangle_count; i-- > 0;) {
        const uint8_t a = corners[3 * i], b = corners[3 * i + 1], c = corners[3 * i + 2];
        put_neighbours(&s, c, a, b);
        put_neighbours(&s, b, a, c);
        put_neighbours(&s, a, b, c);
    }
    for (uint32_t v = 0; v < vertex_count; v++)
        if (s.seen[v] == 0) {
            const uint32_t found = walk_from(&s, (uint8_t)v, 1, walk + count);
            count += walk_from(&s, walk[count + found - 1], 2, walk + count);
        }
    assert(count == vertex_count); /* each piece was walked once */
    memcpy(order, walk, count);
    for (uint32_t i = 0; i < count; i++)
        number[order[i]] = (uint8_t)i;
    for (uint32_t i = 0; i < 3 * triangle_count; i++)
        corners[i] = number[corners[i]];
}

/* ---- the stream ----------------------------------------------------------------------------- */

/* Chooses the widths of first corners and of differences. */
static void choose_bits(const uint8_t *corners, uint32_t triangle_count, bvpd_cluster *head)
{
    int first = 0, least = 255, most = -255;
    for (uint32_t i = 0; i < triangle_count; i++) {
        const uint8_t *corner = corners + 3 * i;
        first = corner[0] > first ? corner[0] : first;
        for (int k = 1; k < 3; k++) {
            const int delta = corner[k] - corner[0];
            least = delta < least ? delta : least;
            most = delta > most ? delta : most;
        }
    }
    const bool wraps = most - least > 255;
    const unsigned delta_width = wraps ? 8 : bvpi_bit_width((uint32_t)(most - least) | 1);
    head->corner_bits =
        (uint8_t)((bvpi_bit_width((uint32_t)first | 1) - 1) | (delta_width - 1) << 3);
    head->corner_base = wraps ? 0 : (uint8_t)least;
}

uint32_t bvpi_corners_pack(const uint8_t *corners, uint32_t triangle_count, bvpd_cluster *head,
                           uint8_t *out)
{
    choose_bits(corners, triangle_count, head);
    const unsigned first_width = (head->corner_bits & 7) + 1u;
    const unsigned delta_width = (head->corner_bits >> 3) + 1u;
    bvpi_bits bits = {.at = out};
    for (uint32_t i = 0; i < triangle_count; i++) {
        const uint8_t *corner = corners + 3 * i;
        const uint8_t base = (uint8_t)(corner[0] + head->corner_base);
        const uint32_t second = (uint8_t)(corner[1] - base), third = (uint8_t)(corner[2] - base);
        bvpi_put_bits(&bits,
                      corner[0] | second << first_width | third << (first_width + delta_width),
                      first_width + 2 * delta_width);
    }
    return (uint32_t)(bvpi_end_bits(&bits) - out);
}
