/* SPDX-License-Identifier: MIT
 * slow_scene.c: nodes, placements, properties, instances and the hierarchies over them.
 * Spec: format.md, chapters 10 to 14
 */
#include "slow_scene.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "slow_file.h"
#include "slow_wide.h"

/* A linear part, row-major 3x4; the last column is not touched. */
static void read_linear(uint32_t reference, double m[12])
{
    const uint64_t at = lins.offset + 8 * (uint64_t)reference, word = u64(at);
    for (int i = 0; i < 9; i++) {
        const unsigned field = (unsigned)(word >> 5 * i) & 31, k = field >> 1;
        const double magnitude = k < 2 ? k : f64(at + 8 * (k - 1));
        m[4 * (i / 3) + i % 3] = field & 1 ? -magnitude : magnitude;
    }
}

/* Where instance i's node lies in its parent. */
static void read_local(uint32_t i, double m[12])
{
    const uint64_t r = inst.offset + 40 * (uint64_t)i;
    read_linear(u32(r + 24), m);
    for (int a = 0; a < 3; a++)
        m[4 * a + 3] = f64(r + 8 * a);
}

static void read_placement(uint32_t idx, double m[12])
{
    for (int i = 0; i < 12; i++)
        m[i] = f64(plac.offset + 96 * (uint64_t)idx + 8 * i);
}

static void print_placement(const double m[12])
{
    printf(" placement");
    for (int i = 0; i < 12; i++)
        printf(" %a", m[i]);
}

/* -1: it is none in lower case. */
static int hex_digit(char c)
{
    const char *at = c ? strchr("0123456789abcdef", c) : NULL;
    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* Chapter 14, "Colours": first pass checks the text, second prints. */
static void print_colours(uint32_t reference)
{
    const uint64_t start = strs.offset + 4 * (uint64_t)reference + 4;
    const uint32_t size = u32(start - 4);
    for (int pass = 0; pass < 2; pass++) {
        int64_t before = -1;
        for (uint32_t at = 0; at <= size;) {
            uint64_t number = 0;
            unsigned rgba[4] = {0};
            uint32_t digits = 0;
            for (; at < size && u8(start + at) >= '0' && u8(start + at) <= '9' && digits < 10;
                 at++, digits++)
                number = 10 * number + (uint64_t)(u8(start + at) - '0');
            if (digits == 0 || at >= size || u8(start + at) != ':' || number > UINT32_MAX ||
                (before < 0 ? number != 0 : (int64_t)number <= before))
                return;
            before = (int64_t)number;
            at++;
            if (at < size && u8(start + at) == '-') {
                at++;
            } else {
                for (int i = 0; i < 8; i++, at++) {
                    const int digit = at < size ? hex_digit((char)u8(start + at)) : -1;
                    if (digit < 0)
                        return;
                    rgba[i / 2] = 16 * rgba[i / 2] + (unsigned)digit;
                }
            }
            if (at < size && u8(start + at) != ' ')
                return;
            if (pass == 1)
                printf("colour %u %u %u %u %u\n", (unsigned)number, rgba[0], rgba[1], rgba[2],
                       rgba[3]);
            at++;
        }
    }
}

static int is_string(uint32_t reference, const char *text)
{
    const uint64_t start = strs.offset + 4 * (uint64_t)reference;
    const uint32_t size = u32(start);
    if (size != strlen(text))
        return 0;
    for (uint32_t i = 0; i < size; i++)
        if (u8(start + 4 + i) != (unsigned char)text[i])
            return 0;
    return 1;
}

static void print_node(uint32_t idx)
{
    const uint64_t r = tree.offset + 24 * (uint64_t)idx;
    const uint32_t item = u32(r + 8), first = u32(r + 20);
    const int has_instance = item < inst.records;
    const uint32_t end = idx + 1 < tree.records ? u32(r + 24 + 20) : (uint32_t)prop.records;
    double m[12];
    printf("node %u parent %d end %u instance %d part %d name", idx, (int32_t)u32(r), u32(r + 4),
           has_instance ? (int32_t)item : -1,
           has_instance ? (int32_t)u32(inst.offset + 40 * (uint64_t)item + 32) : -1);
    print_string(u32(r + 12));
    printf(" source");
    print_string(u32(r + 16));
    if (has_instance)
        read_local(item, m);
    else
        read_placement((uint32_t)(item - inst.records), m);
    print_placement(m);
    printf("\n");
    for (uint32_t i = first; i < end; i++) {
        const uint64_t property = prop.offset + 8 * (uint64_t)i;
        printf("property");
        print_string(u32(property));
        print_string(u32(property + 4));
        printf("\n");
    }
    for (uint32_t i = first; i < end; i++) {
        const uint64_t property = prop.offset + 8 * (uint64_t)i;
        if (is_string(u32(property), "bvpack_colours")) {
            print_colours(u32(property + 4));
            break;
        }
    }
}

/* Chapter 12: from the part to the node, from there to the parent, from there to the world. */
static void print_instance(uint32_t i)
{
    const uint64_t r = inst.offset + 40 * (uint64_t)i,
                   origin = part.offset + 256 * (uint64_t)u32(r + 32) + 16;
    const uint32_t frame = u32(r + 28);
    double local[12], f[12], m[12];
    printf("instance %u part %u node %u", i, u32(r + 32), u32(r + 36));
    read_local(i, local);
    if (f64(origin) != 0 || f64(origin + 8) != 0 || f64(origin + 16) != 0)
        for (int a = 0; a < 12; a += 4) {
            double sum = local[a] * f64(origin) + local[a + 1] * f64(origin + 8);
            sum = sum + local[a + 2] * f64(origin + 16);
            local[a + 3] = sum + local[a + 3];
        }
    read_placement(frame, f);
    for (int a = 0; a < 12; a += 4)
        for (int c = 0; c < 4; c++) {
            double sum = f[a] * local[c] + f[a + 1] * local[4 + c];
            sum = sum + f[a + 2] * local[8 + c];
            m[a + c] = c == 3 ? sum + f[a + 3] : sum;
        }
    print_placement(frame == 0 ? local : m);
    printf("\n");
}

void print_scene(void)
{
    for (uint32_t i = 0; i < tree.records; i++)
        print_node(i);
    for (uint32_t i = 0; i < inst.records; i++)
        print_instance(i);
    if (inst.records == 0)
        return;
    uint64_t inner = 1;
    for (uint32_t level = 0; inner > 0; level++) {
        if (level > 0)
            printf("level\n");
        inner = 0;
        for (uint64_t k = u32(176); k < hier.records; k++) {
            const uint64_t record = hier.offset + 128 * k;
            const hierarchy h = {record, topn.offset + u64(record + 8), 1, 0};
            inner += print_level(&h, level);
        }
    }
}
