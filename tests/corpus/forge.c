/* SPDX-License-Identifier: MIT
 * forge.c: writes a number into a record of a file and makes all hashes right again: what a forger
 * can do to whoever believes hashes.
 * Usage: forge FILE SECTION RECORD OFFSET SIZE VALUE
 */
#include "format/layout.h"
#include "repair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (in && fseek(in, 0, SEEK_END) == 0 && (*size = (size_t)ftell(in)) >= BVPD_HEADER_SIZE) {
        rewind(in);
        bytes = malloc(*size);
        if (bytes && fread(bytes, 1, *size, in) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (in)
        fclose(in);
    return bytes;
}

/* Where the place is, or 0. */
static uint64_t find_place(const uint8_t *bytes, size_t size, char **argv)
{
    const bvpd_header *h = (const bvpd_header *)bytes;
    const uint64_t record = strtoull(argv[1], NULL, 0), offset = strtoull(argv[2], NULL, 0);
    for (uint32_t i = 0; i < h->section_count && i < BVPD_SECTION_MAX; i++) {
        const bvpd_section *s = &h->sections[i];
        const uint64_t at = record * s->record_size + offset;
        if (memcmp(s->kind, argv[0], 4) == 0 && at < s->size && bvpi_fits(s->offset + at, 8, size))
            return s->offset + at;
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    uint8_t *bytes = argc == 7 && strlen(argv[2]) == 4 ? read_file(argv[1], &size) : NULL;
    const uint64_t place = bytes ? find_place(bytes, size, argv + 2) : 0;
    if (place == 0) {
        fprintf(stderr, "usage: forge FILE SECTION RECORD OFFSET SIZE VALUE\n");
        return 2;
    }
    const uint64_t value = strtoull(argv[6], NULL, 0), width = strtoull(argv[5], NULL, 0);
    memcpy(bytes + place, &value, width < 8 ? (size_t)width : 8);
    repair_file(bytes, size);
    FILE *out = fopen(argv[1], "wb");
    const int failed = !out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0;
    free(bytes);
    return failed;
}
