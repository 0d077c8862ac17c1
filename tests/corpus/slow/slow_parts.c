/* SPDX-License-Identifier: MIT
 * slow_parts.c: parts with all that they hold.
 * Spec: format.md, chapter 8
 */
#include "slow_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slow_binary.h"
#include "slow_file.h"
#include "slow_rays.h"
#include "slow_triangles.h"
#include "slow_wide.h"

enum { PATH_SIZE = 4096 };

static void print_any(uint64_t part_record, uint64_t record, uint64_t blob, unsigned shift)
{
    const uint64_t size = u32(record) == 1 ? 64 * (uint64_t)u32(record + 32) : u64(record + 16);
    const uint64_t order = u64(record + 104) == 0 ? 0 : size - u64(record + 104);
    printf("hierarchy %u split %u leaf %u nodes %u leaves %u depth %u planes %u offsets %u size "
           "%" PRIu64 " order %" PRIu64 " area %a\n",
           u32(record), u8(record + 95), u32(record + 40), u32(record + 32), u32(record + 36),
           u32(record + 44), u8(record + 92), u8(record + 93), size, order, f64(record + 96));
    const hierarchy h = {record, blob, 0, shift};
    if (u32(record) == 1)
        print_hierarchy(&h);
    else if (u32(record) == 6)
        check_ray_tree(part_record, record, blob);
    else
        print_binary(record, blob, shift);
}

/* All of it but its name and where it comes from. */
static void print_packed(uint32_t idx)
{
    const uint64_t r = now_part = part.offset + 256 * (uint64_t)idx;
    const uint64_t first = hier.offset + 128 * (uint64_t)u32(r + 128);
    const uint64_t nodes = u32(first) == 1 ? 64 * (uint64_t)u32(first + 32) : 0;
    uint64_t size = nodes;
    for (uint32_t i = nodes > 0; i < u32(r + 132); i++)
        size += u64(first + 128 * (uint64_t)i + 16);
    printf(" triangles %" PRIu64 " vertices %" PRIu64 " clusters %u hierarchies %u origin",
           u64(r + 64), u64(r + 72), u32(r + 120), u32(r + 132));
    print_f64s(r + 16, 3);
    printf(" bounds");
    for (int i = 0; i < 6; i++)
        printf(" %a", float_of(u32(r + 40 + 4 * i)));
    printf(" error %a degenerate %" PRIu64 " duplicate %" PRIu64 " open %" PRIu64
           " nonmanifold %" PRIu64 " sizes %" PRIu64 " %" PRIu64 " %" PRIu64 " ids %d hash",
           f64(r + 144), u64(r + 152), u64(r + 160), u64(r + 168), u64(r + 176), size,
           u64(r + 88) - nodes, u64(r + 104), u64(r + 104) != 0);
    print_bytes(r, 16);
    printf(" packer");
    print_bytes(r + 200, 16);
    printf("\n");
    const uint64_t blob = data.offset + u64(r + 80);
    const unsigned shift = u8(r + 124);
    for (uint32_t i = 0; i < u32(r + 120); i++) {
        const uint64_t cluster = blob + ((uint64_t)u32(blob + u64(r + 112) + 4 * i) << shift);
        for (uint32_t local = 0; local < triangles_of(cluster); local++)
            print_triangle(r, cluster, local);
    }
    for (uint32_t i = 0; i < u32(r + 132); i++)
        print_any(r, first + 128 * (uint64_t)i, blob, shift);
}

/* Of a thin file, chapter 8: where the part with that record lies. */
static void find_part(const char *path, uint64_t record, char out[PATH_SIZE])
{
    const uint64_t store = strs.offset + 4 * (uint64_t)u32(216);
    const char *slash = strrchr(path, '/');
    const int is_absolute = u32(store) > 0 && u8(store + 4) == '/';
    int used =
        snprintf(out, PATH_SIZE, "%.*s", slash && !is_absolute ? (int)(slash - path) + 1 : 0, path);
    if (u32(store) == 0 || (uint64_t)used + u32(store) + 40 > PATH_SIZE)
        fail("nothing says where the store is");
    memcpy(out + used, file + store + 4, u32(store));
    used += (int)u32(store);
    used += snprintf(out + used, PATH_SIZE - (size_t)used, "/%02x/", u8(record + 184));
    for (int i = 1; i < 16; i++)
        used += snprintf(out + used, PATH_SIZE - (size_t)used, "%02x", u8(record + 184 + i));
    snprintf(out + used, PATH_SIZE - (size_t)used, ".bvp");
}

/* That part's own file is the one that is read meanwhile. */
static void print_elsewhere(const char *path, uint64_t record)
{
    const uint8_t *thin = file, *thin_bytes = read_bytes;
    const uint64_t thin_size = file_size;
    char own[PATH_SIZE];
    find_part(path, record, own);
    read_file(own);
    check_header();
    find_sections();
    if ((u32(24) & THIN) != 0 || part.records != 1 ||
        memcmp(file + part.offset + 184, thin + record + 184, 32) != 0 ||
        memcmp(file + part.offset, thin + record, 16) != 0 ||
        memcmp(file + part.offset + 64, thin + record + 64, 8) != 0)
        fail("a part's file in the store holds something else");
    print_packed(0);
    free((void *)file);
    file = thin;
    read_bytes = thin_bytes;
    file_size = thin_size;
    find_sections();
}

void print_part(const char *path, uint32_t idx)
{
    const uint64_t r = part.offset + 256 * (uint64_t)idx;
    printf("part %u name", idx);
    print_string(u32(r + 136));
    printf(" source");
    print_string(u32(r + 140));
    if ((u32(24) & THIN) != 0 && u64(r + 88) == 0)
        print_elsewhere(path, r);
    else
        print_packed(idx);
}
