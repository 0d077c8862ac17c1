/* SPDX-License-Identifier: MIT
 * make_corpus.c: writes the hand-made files of the corpus into a folder: good ones, and one damaged
 * or unsupported for each way in which a reader can refuse. Prints the name and the XXH3-128 of
 * each: the list of spec/format.md, chapter "Test vectors".
 */
#include "format/identity.h"
#include "repair.h"
#include "tiny_binary.h"

static void save(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bvp", folder, name);
    FILE *out = fopen(path, "wb");
    tiny_require(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0, path);
    uint8_t hash[16];
    bvp_hash(bytes, size, hash);
    printf("%s ", name);
    for (int i = 0; i < 16; i++)
        printf("%02x", hash[i]);
    printf("\n");
}

/* Says who packed the part, and what it is known by then. */
static void name_part(bvpd_part *part, const bvpi_content *content)
{
    bvpi_content own = *content;
    own.origin = part->origin;
    memcpy(part->packer, "test vector 0.6\0", sizeof part->packer);
    tiny_require(bvpi_content_hash(&own, part->content_hash, NULL), "memory");
    bvpi_part_address(part, part->address);
}

/* The same parts, known by their content. broken: 14 or 15, the rule that a part
 * breaks, or 0. */
static void save_named(const char *folder, const char *name, int broken)
{
    static const float positions[7][3] = {{0, 2, 0}, {4, 2, 0}, {0, 4, 0}, {4, 4, 0},
                                          {8, 0, 0}, {9, 0, 0}, {8, 1, 1}};
    static const uint32_t indices[9] = {0, 1, 2, 2, 1, 3, 4, 5, 6}, numbers[3] = {7, 8, 40};
    size_t size;
    uint8_t *file = tiny_make(&size);
    bvpd_header *h = (bvpd_header *)file;
    bvpd_part *parts = (bvpd_part *)(file + h->sections[BVPD_PART].offset);
    name_part(&parts[0], &(bvpi_content){.positions = positions[0],
                                         .indices = indices,
                                         .numbers = numbers,
                                         .vertex_count = 7,
                                         .triangle_count = 3});
    name_part(&parts[1], &(bvpi_content){.positions = positions[4],
                                         .indices = indices,
                                         .vertex_count = 3,
                                         .triangle_count = 1});
    if (broken == 14) {
        parts[0].content_hash[0] ^= 1;
        bvpi_part_address(&parts[0], parts[0].address);
    }
    parts[1].address[15] ^= broken == 15;
    repair_file(file, size);
    save(folder, name, file, size);
    free(file);
}

/* One number of the header changed. */
static void save_changed(const char *folder, const char *name, size_t offset, int value,
                         int repaired)
{
    size_t size;
    uint8_t *file = tiny_make(&size);
    file[offset] = (uint8_t)value;
    if (repaired)
        repair_file(file, size);
    save(folder, name, file, size);
    free(file);
}

int main(int argc, char **argv)
{
    tiny_require(argc == 2, "usage: make_corpus FOLDER");
    const char *folder = argv[1];
    size_t size;
    uint8_t *file = tiny_make(&size);
    save(folder, "good-tiny", file, size);
    save(folder, "bad-truncated", file, size - 4096);
    save(folder, "bad-short", file, 100);
    wrap_provenance(file, size);
    save(folder, "good-compressed-provenance", file, size);
    free(file);
    file = tiny_make_chain(&size, BVPD_TREE_DEPTH_MAX - 3);
    save(folder, "good-deep-tree", file, size);
    free(file);
    file = tiny_make_binary(&size, 1);
    save(folder, "good-binary", file, size);
    free(file);
    file = tiny_make_binary(&size, 4);
    save(folder, "good-binary-floats", file, size);
    free(file);
    file = tiny_make_by_use(&size);
    repair_file(file, size);
    save(folder, "good-by-use", file, size);
    free(file);
    save_named(folder, "good-identity", 0);
    save_named(folder, "bad-rule-PRT-14", 14);
    save_named(folder, "bad-rule-PRT-15", 15);
    save_changed(folder, "bad-magic", 0, 'x', 0);
    save_changed(folder, "bad-header-hash", offsetof(bvpd_header, hi), 1, 0);
    save_changed(folder, "bad-block", BVPD_HEADER_SIZE, 1, 0);
    save_changed(folder, "unsupported-version", offsetof(bvpd_header, version_major), 1, 1);
    save_changed(folder, "unsupported-feature", offsetof(bvpd_header, feature_incompatible), 64, 1);
    save_changed(folder, "unsupported-reserved", offsetof(bvpd_header, reserved), 1, 1);
    return 0;
}
