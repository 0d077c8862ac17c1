/* SPDX-License-Identifier: MIT
 * front.c: the memory of a front: its layout, and whether an earlier query's front is about these
 * two bodies.
 *
 * The head is sealed; keys and groups are not. References in groups are checked where they are
 * followed (front_kernel.c), so damaged memory cannot lead outside the map.
 *
 * Held by tests/property/test_warm.c (fronts of other bodies, small fronts).
 * Spec: exactness.md, chapter 11, "Front"
 */
#include "query/warm/front.h"

#include <assert.h>
#include <string.h>

#include "format/checksum.h"

static uint64_t seal_of(const bvpi_front_head *head)
{
    return bvpi_hash64(&head->bodies, sizeof *head - offsetof(bvpi_front_head, bodies));
}

bool bvpi_front_open(bvpi_front *front, void *memory, uint64_t size)
{
    const uint64_t each = sizeof *front->keys + sizeof *front->groups;
    if (memory == NULL || (uintptr_t)memory % sizeof(uint64_t) != 0 ||
        size < sizeof *front->head + each)
        return false;
    const uint64_t room = (size - sizeof *front->head) / each;
    front->capacity = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    front->head = memory;
    front->keys = (double *)(void *)(front->head + 1);
    front->groups = (bvpi_front_group *)(void *)(front->keys + front->capacity);
    front->is_lost = false;
    assert(front->capacity > 0);
    assert((uintptr_t)front->groups % _Alignof(bvpi_front_group) == 0);
    assert(sizeof *front->head + front->capacity * each <= size);
    return true;
}

void bvpi_front_name(bvpi_front *front, uint64_t bodies)
{
    bvpi_front_head *head = front->head;
    if (head->bodies == bodies && head->capacity == front->capacity &&
        head->count <= front->capacity && head->seal == seal_of(head))
        return;
    memset(head, 0, sizeof *head);
    head->bodies = bodies;
    head->capacity = front->capacity;
}

void bvpi_front_close(bvpi_front *front)
{
    if (front->is_lost)
        front->head->count = 0;
    assert(front->head->count <= front->capacity);
    front->head->seal = seal_of(front->head);
}
