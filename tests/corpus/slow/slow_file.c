/* SPDX-License-Identifier: MIT
 * slow_file.c: reading the file, its numbers, header, directory and strings.
 * Spec: format.md, chapters 1, 3, 4, 15; gltf.md
 */
#include "slow_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t *file;
uint64_t file_size;
const uint8_t *chunk;
uint64_t chunk_size;
const uint8_t *read_bytes;
section data, tids, part, hier, plac, lins, tree, inst, topn, binh, prop, strs, prov, bufs;

_Noreturn void fail(const char *what)
{
    fprintf(stderr, "slow_reader: %s\n", what);
    exit(1);
}

void read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0)
        fail("cannot open the file");
    const long size = ftell(in);
    uint8_t *bytes = malloc((size_t)size + 1);
    rewind(in);
    if (!bytes || fread(bytes, 1, (size_t)size, in) != (size_t)size)
        fail("cannot read the file");
    fclose(in);
    file = read_bytes = bytes;
    file_size = (uint64_t)size;
}

void enter_glb(void)
{
    const uint8_t *glb = file;
    const uint64_t size = file_size;
    if (size < 12 || memcmp(glb, "glTF", 4) != 0)
        return;
    for (uint64_t at = 12; at + 8 <= size;) {
        uint64_t bytes = 0;
        for (int i = 0; i < 4; i++)
            bytes |= (uint64_t)glb[at + i] << (8 * i);
        if (bytes > size - at - 8)
            fail("a chunk leaves the GLB");
        const char *kind = (const char *)glb + at + 4;
        if (memcmp(kind, "BIN", 4) == 0) {
            chunk = glb + at + 8;
            chunk_size = bytes;
        } else if (memcmp(kind, "BVP", 4) == 0) {
            file = glb + at + 8;
            file_size = bytes;
            return;
        }
        at += 8 + bytes;
    }
    fail("a GLB without a packed file");
}

/* ---- chapter 1: numbers ---------------------------------------------------------------------- */

uint64_t number(uint64_t offset, int size)
{
    uint64_t value = 0;
    if (offset > file_size || file_size - offset < (uint64_t)size)
        fail("an offset leaves the file");
    for (int i = 0; i < size; i++)
        value |= (uint64_t)file[offset + i] << (8 * i);
    return value;
}

uint8_t u8(uint64_t offset)
{
    return (uint8_t)number(offset, 1);
}

uint32_t u32(uint64_t offset)
{
    return (uint32_t)number(offset, 4);
}

uint64_t u64(uint64_t offset)
{
    return number(offset, 8);
}

double f64(uint64_t offset)
{
    uint64_t bits = u64(offset);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void print_f64s(uint64_t offset, int count)
{
    for (int i = 0; i < count; i++)
        printf(" %a", f64(offset + 8 * i));
}

void print_bytes(uint64_t offset, uint64_t count)
{
    printf(" ");
    for (uint64_t i = 0; i < count; i++)
        printf("%02x", u8(offset + i));
}

/* ---- chapters 3 and 4: header, directory ----------------------------------------------------- */

void find_sections(void)
{
    const struct {
        const char *kind;
        void *section;
    } wanted[] = {{"PART", &part}, {"HIER", &hier}, {"PLAC", &plac}, {"LINS", &lins},
                  {"INST", &inst}, {"TOPN", &topn}, {"DATA", &data}, {"TIDS", &tids},
                  {"BINH", &binh}, {"TREE", &tree}, {"PROP", &prop}, {"STRS", &strs},
                  {"PROV", &prov}, {"BUFS", &bufs}};
    for (uint32_t i = 0; i < u32(80); i++) {
        const uint64_t entry = 256 + 48 * i;
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
            if (memcmp(file + entry, wanted[k].kind, 4) != 0)
                continue;
            const uint64_t fields[4] = {u64(entry + 8), u64(entry + 16), u64(entry + 24),
                                        u64(entry + 32)};
            memcpy(wanted[k].section, fields, sizeof fields);
        }
    }
}

void check_header(void)
{
    static const uint8_t magic[12] = {0xab, 0x62, 0x76, 0x70, 0x61, 0x63,
                                      0x6b, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a};
    if (file_size < 1408 || memcmp(file, magic, sizeof magic) != 0)
        fail("not a bvpack file");
    if (number(12, 2) != 0 || number(14, 2) != 7 ||
        u32(24) > (THIN | TOPS | TURNS | RAYS | OVER | BY_USE))
        fail("a version or feature that this reader does not know");
    if (u64(32) != file_size)
        fail("the file's size is not what its header says");
}

void print_header(void)
{
    printf("version %u.%u size %" PRIu64 "\n", (unsigned)number(12, 2), (unsigned)number(14, 2),
           u64(32));
    printf("triangles %" PRIu64 " unique %" PRIu64 " parts %u instances %u nodes %u\n", u64(88),
           u64(96), u32(104), u32(108), u32(112));
    printf("up %u unit %a tolerance %a bounds", u32(116), f64(120), f64(208));
    print_f64s(128, 6);
    printf("\nsizes %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\nroot", u64(184), u64(192),
           u64(200), u64(32) - u64(184) - u64(192) - u64(200));
    print_bytes(48, 16);
    printf(" source");
    print_bytes(64, 16);
    printf("\n");
}

/* ---- chapter 15: strings --------------------------------------------------------------------- */

void print_string(uint32_t reference)
{
    const uint64_t record = strs.offset + 4 * (uint64_t)reference;
    const uint32_t size = u32(record);
    printf(" %u", size);
    if (size > 0)
        print_bytes(record + 4, size);
}
