/* SPDX-License-Identifier: MIT
 * mutate.c: mutations that know a file's structure: sections are chosen evenly, so that records,
 * which are few bytes among many, change as often as coordinates.
 */
#include "mutate.h"
#include "repair.h"

#include <string.h>

static const uint64_t extremes[] = {0,
                                    1,
                                    2,
                                    3,
                                    5,
                                    6,
                                    7,
                                    8,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    127,
                                    128,
                                    255,
                                    256,
                                    65535,
                                    (1u << 22) - 1,
                                    1u << 22,
                                    INT32_MAX,
                                    UINT64_C(1) << 31,
                                    UINT32_MAX - 1,
                                    UINT32_MAX,
                                    UINT64_C(1) << 32,
                                    UINT64_C(1) << 40,
                                    UINT64_MAX - 63,
                                    UINT64_MAX,
                                    UINT64_C(0x3ff0000000000000), /* doubles */
                                    UINT64_C(0x7fefffffffffffff),
                                    UINT64_C(0x7ff0000000000000),
                                    UINT64_C(0x7ff8000000000000),
                                    0x7f7fffff, /* floats */
                                    0x7f800000};

void mutate_number(uint8_t *bytes, size_t size, size_t stride, uint64_t *state)
{
    const size_t width = (size_t)1 << mutate_random(state) % 4;
    const size_t at = mutate_random(state) % (size / width) * width;
    uint64_t value = 0;
    memcpy(&value, bytes + at, width);
    switch (mutate_random(state) % 6) {
    case 0:
        value += mutate_random(state) % 2 ? 1 : UINT64_MAX;
        break;
    case 1:
        value ^= UINT64_C(1) << mutate_random(state) % (8 * width);
        break;
    case 2: {
        const size_t from = mutate_random(state) % 2 ? mutate_random(state) % size : at + stride;
        if (from <= size - width)
            memcpy(&value, bytes + from, width);
        break;
    }
    default:
        value = extremes[mutate_random(state) % (sizeof extremes / sizeof *extremes)];
    }
    memcpy(bytes + at, &value, width);
}

/* A section's bytes, or as much of it as there is. */
static void mutate_section(uint8_t *bytes, size_t size, const bvpd_section *s, uint64_t *state)
{
    const uint64_t record = s->record_size ? s->record_size : 1;
    if (s->offset >= size || s->size < 8 || size - s->offset < 8)
        return;
    const size_t room = s->size < size - s->offset ? (size_t)s->size : (size_t)(size - s->offset);
    if (record >= 8 && record <= room) { /* the first records as often as all others */
        const size_t count = room / record;
        const size_t idx =
            mutate_random(state) % (mutate_random(state) % 2 && count > 4 ? 4 : count);
        mutate_number(bytes + s->offset + idx * record, (size_t)record, 0, state);
    } else
        mutate_number(bytes + s->offset, room, (size_t)record, state);
}

void mutate_file(uint8_t *bytes, size_t size, uint64_t *state)
{
    bvpd_header h;
    if (size < sizeof h + sizeof(bvpd_trailer)) {
        if (size >= 8)
            mutate_number(bytes, size, 1, state);
        return;
    }
    for (uint64_t left = 1 + mutate_random(state) % 4; left > 0; left--) {
        memcpy(&h, bytes, sizeof h);
        const uint32_t count = h.section_count < BVPD_SECTION_MAX ? h.section_count : 0;
        uint64_t choice = mutate_random(state) % (count + UINT64_C(3));
        if (mutate_random(state) % 2) /* what steers most: records of parts and hierarchies */
            choice = bvpi_find_section(&h, mutate_random(state) % 2 ? BVPD_PART : BVPD_HIER);
        if (choice < count)
            mutate_section(bytes, size, &h.sections[choice], state);
        else if (choice == count && count > 0)
            mutate_number(bytes + offsetof(bvpd_header, sections) +
                              mutate_random(state) % count * sizeof *h.sections,
                          sizeof *h.sections, sizeof *h.sections, state);
        else
            mutate_number(bytes, mutate_random(state) % 4 ? 256 : sizeof h, sizeof *h.sections,
                          state);
    }
    if (mutate_random(state) % 8)
        repair_digests(bytes, size);
    repair_file(bytes, size);
}
