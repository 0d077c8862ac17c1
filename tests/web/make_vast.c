/* SPDX-License-Identifier: MIT
 * make_vast.c: a packed file again, with zeros between the bytes of its parts, so that it is longer
 * than 32 bits can tell. Its answers stay the same; only verification would complain.
 * Usage: make_vast FILE GIB | dd conv=sparse bs=64k iflag=fullblock of=VAST
 */
#include "format/map.h"
#include "format/write.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *copy(const bvpi_span *span)
{
    void *out = malloc(span->size + 1);
    if (!out)
        exit(99);
    return memcpy(out, span->data, span->size);
}

int main(int argc, char **argv)
{
    const bvp_open_options options = {.offset = 0};
    bvp_file *file;
    bvp_error error = {.message = "usage: make_vast FILE GIB >VAST"};
    const int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || bvpi_map_fd(fd, &options, &file, &error) != BVP_OK)
        return fprintf(stderr, "%s\n", error.message), 2;
    bvpd_part *parts = copy(&file->section[BVPD_PART]);
    bvpd_hierarchy *trees = copy(&file->section[BVPD_HIER]);
    const uint32_t count = file->header.part_count;
    const uint64_t gap = (strtoull(argv[2], NULL, 10) << 30) / (count + 1) / BVPD_UNIT * BVPD_UNIT;
    bvpi_chunk chunks[BVPD_SECTION_COUNT], *data = calloc(count + 1, 2 * sizeof *data);
    if (!data)
        return 99;
    uint64_t at = 0, padding = 0;
    for (uint32_t p = 0; p < count; p++) {
        data[2 * p] = (bvpi_chunk){NULL, padding + gap};
        data[2 * p + 1] =
            (bvpi_chunk){file->section[BVPD_DATA].data + parts[p].data_off, parts[p].data_size};
        at += data[2 * p].size;
        for (uint32_t i = 0; i < parts[p].hierarchy_count; i++) {
            bvpd_hierarchy *tree = &trees[parts[p].first_hierarchy + i];
            if (tree->kind == BVPD_KIND_WIDE8)
                tree->data_off = at;
        }
        parts[p].data_off = at;
        at += parts[p].data_size;
        padding = -at % BVPD_UNIT;
        at += padding;
    }
    data[2 * count] = (bvpi_chunk){NULL, padding + gap};
    bvpi_write job = {.header = file->header};
    for (int kind = 0; kind < BVPD_HASH; kind++) {
        chunks[kind] = (bvpi_chunk){file->section[kind].data, file->section[kind].size};
        job.section[kind] = (bvpi_write_section){&chunks[kind], 1};
    }
    chunks[BVPD_PART].data = parts;
    chunks[BVPD_HIER].data = trees;
    job.section[BVPD_DATA] = (bvpi_write_section){data, 2 * (uint64_t)count + 1};
    const bvp_status status = bvpi_write_fd(&job, STDOUT_FILENO, NULL, &error);
    if (status != BVP_OK)
        fprintf(stderr, "%s\n", error.message);
    bvpi_unmap(file);
    free(parts);
    free(trees);
    free(data);
    return status != BVP_OK;
}
