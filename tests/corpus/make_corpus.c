/* SPDX-License-Identifier: MIT
 * make_corpus.c: writes the hand-made files of the corpus into a folder: good ones, and one damaged
 * or unsupported for each way in which a reader can refuse.
 */
#include "repair.h"
#include "tiny_binary.h"

static void save(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bvp", folder, name);
    FILE *out = fopen(path, "wb");
    tiny_require(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0, path);
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
    save_changed(folder, "bad-magic", 0, 'x', 0);
    save_changed(folder, "bad-header-hash", offsetof(bvpd_header, hi), 1, 0);
    save_changed(folder, "bad-block", BVPD_HEADER_SIZE, 1, 0);
    save_changed(folder, "unsupported-version", offsetof(bvpd_header, version_major), 1, 1);
    save_changed(folder, "unsupported-feature", offsetof(bvpd_header, feature_incompatible), 4, 1);
    save_changed(folder, "unsupported-reserved", offsetof(bvpd_header, reserved), 1, 1);
    return 0;
}
