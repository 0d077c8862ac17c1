/* SPDX-License-Identifier: MIT
 * aabb_boxes.c: payloads of axis-aligned boxes.
 * Spec: format.md, chapter "AABB tree".
 */
#include "pack/tree/aabb_boxes.h"

#include <assert.h>
#include <math.h>

static void include(bvpi_aabb *box, const float lo[3], const float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = lo[axis] < box->lo[axis] ? lo[axis] : box->lo[axis];
        box->hi[axis] = hi[axis] > box->hi[axis] ? hi[axis] : box->hi[axis];
    }
}

/* Zeros are stored as +0, so that the bytes do not depend on which of two equal values came
 * first. */
static void store(const bvpi_aabb *box, uint8_t *payload)
{
    for (int axis = 0; axis < 3; axis++) {
        assert(box->lo[axis] <= box->hi[axis]); /* some corners, and finite ones */
        const float lo = box->lo[axis] + 0.0f, hi = box->hi[axis] + 0.0f;
        memcpy(payload + 4 * axis, &lo, sizeof lo);
        memcpy(payload + 12 + 4 * axis, &hi, sizeof hi);
    }
}

void bvpi_aabb_around(const bvpi_mesh *mesh, const bvpi_item *items, uint32_t count,
                      uint8_t payload[BVPI_AABB_PAYLOAD])
{
    bvpi_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->indices[3 * (uint64_t)items[i].id + k];
            const float *at = mesh->positions + 3 * (uint64_t)vertex;
            include(&box, at, at);
        }
    store(&box, payload);
}

void bvpi_aabb_join(const uint8_t *a, const uint8_t *b, uint8_t payload[BVPI_AABB_PAYLOAD])
{
    bvpi_aabb box, other;
    bvpi_aabb_box(a, &box);
    bvpi_aabb_box(b, &other);
    include(&box, other.lo, other.hi);
    store(&box, payload);
}
