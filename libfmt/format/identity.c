/* SPDX-License-Identifier: MIT
 * identity.c: the hash that identifies a part's mesh, and the address that identifies its packed
 * bytes.
 *
 * The same mesh must have the same hash before and after packing, although packing reorders its
 * triangles. The order that both can find is that of the source numbers: the hash is taken over the
 * triangles in that order, with vertices numbered by first use. So a verifier, or a second writer,
 * computes the hash from the packed part. Meshes nearly always come in that order; then nothing is
 * sorted or copied.
 *
 * Numbers that are simply 0, 1, 2 ... add nothing to the hash, so that a mesh with and without them
 * is the same.
 *
 * The address is a hash of content hash, rounding error and packer: equal addresses mean equal
 * bytes.
 *
 * Held by tests/property/test_identity.c: a file in which hash or address is forged is refused.
 * Spec: format.md, chapter "Parts" (identity)
 */
#include "format/identity.h"

#include "base/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of numbers ------------------------------------------------------------------- */

/* The same at once where the numbers are 0 to count - 1 in any order, as those of a mesh of
 * triangles are. False: they are not. */
static bool place_by_number(const uint32_t *numbers, uint32_t count, uint32_t *order)
{
    memset(order, 0xff, (size_t)count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        if (numbers[i] >= count || order[numbers[i]] != UINT32_MAX)
            return false;
        order[numbers[i]] = i;
    }
    return true;
}

/* Sorts triangles by their numbers; equal numbers keep their order. A radix sort, because
 * verification must be linear. False: out of memory. */
static bool sort_by_number(const uint32_t *numbers, uint32_t count, uint32_t *order)
{
    if (place_by_number(numbers, count, order))
        return true;
    uint32_t *other = malloc((size_t)count * sizeof *other + 1);
    if (!other)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t start[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            start[(numbers[i] >> shift & 255) + 1]++;
        if (start[(numbers[0] >> shift & 255) + 1] == count)
            continue; /* all have this digit */
        for (int digit = 0; digit < 256; digit++)
            start[digit + 1] += start[digit];
        assert(start[256] == count);
        for (uint32_t i = 0; i < count; i++)
            other[start[numbers[order[i]] >> shift & 255]++] = order[i];
        memcpy(order, other, (size_t)count * sizeof *order);
    }
    free(other);
    return true;
}

/* ---- hashing -------------------------------------------------------------------------------- */

void bvpi_content_start(bvpi_hasher *hasher, uint64_t vertex_count, uint64_t triangle_count,
                        const double origin[3])
{
    const uint64_t counts[2] = {vertex_count, triangle_count};
    bvpi_hasher_start128(hasher);
    bvpi_hasher_add128(hasher, counts, sizeof counts);
    bvpi_hasher_add128(hasher, origin, 3 * sizeof *origin);
}

void bvpi_content_add(bvpi_hasher *hasher, const void *data, size_t size)
{
    bvpi_hasher_add128(hasher, data, size);
}

void bvpi_content_end(bvpi_hasher *hasher, uint8_t out[16])
{
    bvpi_hasher_end128(hasher, out);
}

static void hash_mesh(const bvpi_content *c, uint8_t out[16])
{
    bvpi_hasher hasher;
    bvpi_content_start(&hasher, c->vertex_count, c->triangle_count, c->origin);
    bvpi_hasher_add128(&hasher, c->positions, (size_t)c->vertex_count * 12);
    bvpi_hasher_add128(&hasher, c->indices, (size_t)c->triangle_count * 12);
    uint32_t plain = 0; /* number i is i for all i below: adds nothing to the mesh */
    while (c->numbers && plain < c->triangle_count && c->numbers[plain] == plain)
        plain++;
    if (c->numbers && plain < c->triangle_count)
        bvpi_hasher_add128(&hasher, c->numbers, (size_t)c->triangle_count * 4);
    bvpi_hasher_end128(&hasher, out);
}

/* Hashes the mesh with its triangles in the order of their numbers, and its vertices in the order
 * of their first use then. *unique: as for bvpi_content_hash. False: out of memory. */
static bool hash_sorted(const bvpi_content *c, uint8_t out[16], bool *unique)
{
    const size_t triangles = c->triangle_count, vertices = c->vertex_count;
    assert(c->numbers && triangles > 0);
    uint32_t *order = malloc(triangles * 4 + 1), *names = malloc(vertices * 4 + 1);
    uint32_t *indices = malloc(triangles * 12 + 1), *numbers = malloc(triangles * 4 + 1);
    float *positions = malloc(vertices * 12 + 1);
    const bool has_room = order && names && indices && numbers && positions &&
                          sort_by_number(c->numbers, c->triangle_count, order);
    if (has_room) {
        bvpi_content sorted = *c;
        uint32_t used = 0;
        memset(names, 0xff, vertices * sizeof *names);
        for (size_t i = 0; i < 3 * triangles; i++) {
            const uint32_t vertex = c->indices[3 * (size_t)order[i / 3] + i % 3];
            assert(vertex < c->vertex_count);
            if (names[vertex] == UINT32_MAX) {
                memcpy(positions + 3 * (size_t)used, c->positions + 3 * (size_t)vertex, 12);
                names[vertex] = used++;
            }
            indices[i] = names[vertex];
        }
        assert(used <= c->vertex_count);
        for (size_t i = 0; i < triangles; i++)
            numbers[i] = c->numbers[order[i]];
        sorted.positions = positions;
        sorted.indices = indices;
        sorted.numbers = numbers;
        hash_mesh(&sorted, out);
        for (size_t i = 1; i < triangles; i++) {
            assert(numbers[i - 1] <= numbers[i]);
            *unique = *unique && numbers[i] != numbers[i - 1];
        }
    }
    free(order);
    free(names);
    free(indices);
    free(numbers);
    free(positions);
    return has_room;
}

bool bvpi_content_hash(const bvpi_content *c, uint8_t out[16], bool *unique)
{
    bool ascend = true, differ = true;
    for (size_t i = 1; c->numbers && i < c->triangle_count && ascend; i++) {
        ascend = c->numbers[i] >= c->numbers[i - 1];
        differ = differ && c->numbers[i] != c->numbers[i - 1];
    }
    if (!ascend) {
        differ = true;
        if (!hash_sorted(c, out, &differ))
            return false;
    } else
        hash_mesh(c, out);
    if (unique)
        *unique = differ;
    return true;
}

/* ---- the address ---------------------------------------------------------------------------- */

void bvpi_part_address(const bvpd_part *part, uint8_t out[16])
{
    bvpi_hasher hasher;
    bvpi_hasher_start128(&hasher);
    bvpi_hasher_add128(&hasher, part->content_hash, sizeof part->content_hash);
    bvpi_hasher_add128(&hasher, &part->rounding_error, sizeof part->rounding_error);
    bvpi_hasher_add128(&hasher, part->packer, sizeof part->packer);
    bvpi_hasher_end128(&hasher, out);
}

bool bvpi_has_packer(const bvpd_part *part)
{
    return !bvpi_is_zero(part->packer, sizeof part->packer);
}
