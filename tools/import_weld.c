/* SPDX-License-Identifier: MIT
 * import_weld.c: bit-identical vertices of an imported mesh become one.
 */
#include <stdlib.h>
#include <string.h>
#include "import.h"

static uint64_t hash_bytes(const uint8_t *bytes, size_t size)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, 4);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 29;
    }
    return h ^ h >> 32;
}

bvp_status import_weld(importer *im, model_mesh *mesh)
{
    size_t width = 3 * (mesh->is_double ? sizeof(double) : sizeof(float)), slots = 16;
    uint8_t *positions = mesh->positions;
    while (slots < 2 * mesh->vertex_count)
        slots *= 2;
    uint32_t *table = malloc(slots * sizeof *table);
    uint32_t *renamed = malloc((mesh->vertex_count + 1) * sizeof *renamed);
    uint8_t *kept = malloc((mesh->vertex_count + 1) * width);
    uint64_t kept_count = 0;
    if (!table || !renamed || !kept) {
        free(table);
        free(renamed);
        free(kept);
        return import_no_memory(im);
    }
    memset(table, 0xff, slots * sizeof *table);
    memset(renamed, 0xff, (mesh->vertex_count + 1) * sizeof *renamed);
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t v = mesh->indices[i];
        if (renamed[v] == UINT32_MAX) {
            const uint8_t *at = positions + v * width;
            size_t slot = hash_bytes(at, width) & (slots - 1);
            while (table[slot] != UINT32_MAX && memcmp(kept + table[slot] * width, at, width))
                slot = (slot + 1) & (slots - 1);
            if (table[slot] == UINT32_MAX) {
                memcpy(kept + kept_count * width, at, width);
                table[slot] = (uint32_t)kept_count++;
            }
            renamed[v] = table[slot];
        }
        mesh->indices[i] = renamed[v];
    }
    free(table);
    free(renamed);
    free(positions);
    mesh->positions = realloc(kept, kept_count ? kept_count * width : 1);
    mesh->vertex_count = kept_count;
    return BVP_OK;
}
