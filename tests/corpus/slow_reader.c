/* SPDX-License-Identifier: MIT
 * slow_reader.c: a second reader, written from spec/format.md alone: prints everything that is in a
 * valid file. Shares no code with the library, is simple rather than fast, and stops at what it
 * cannot read. tests/corpus/dump_library.c prints the same through the library.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "slow/slow_file.h"
#include "slow/slow_parts.h"
#include "slow/slow_scene.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: slow_reader FILE");
    read_file(argv[1]);
    enter_glb();
    check_header();
    print_header();
    find_sections();
    if (u32(28) != 1408 || data.offset % 64 != 0)
        fail("DATA is not where it should be");
    for (uint32_t i = 0; i < part.records; i++)
        print_part(argv[1], i);
    print_scene();
    printf("provenance %" PRIu64 "\n", prov.raw_size);
    free((void *)read_bytes);
    return 0;
}
