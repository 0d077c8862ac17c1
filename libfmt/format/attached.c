/* SPDX-License-Identifier: MIT
 * attached.c: a bvpack file inside of a GLB: a chunk of its own, whose bytes begin on a page, so
 * that they are mapped where they lie. What the chunk holds is checked as any bvpack file is; here
 * only that it lies inside.
 * Spec: gltf.md, "In a chunk"; Khronos glTF 2.0, chapter 4
 */
#include "format/attached.h"

#include "base/checked.h"
#include "base/status.h"
#include "format/layout.h"

#include <inttypes.h>
#include <string.h>

enum { HEAD = 12, CHUNK_HEAD = 8, CHUNKS = 16 };

static uint32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool bvpi_is_glb(const void *bytes)
{
    return memcmp(bytes, "glTF\2\0\0\0", 8) == 0;
}

bvp_status bvpi_find_attached(bvpi_read_fn read, void *user, uint64_t size, bvpi_glb *out,
                              bvp_error *error)
{
    uint8_t head[CHUNK_HEAD];
    *out = (bvpi_glb){0};
    uint64_t at = HEAD;
    for (int i = 0; i < CHUNKS && bvpi_fits(at, sizeof head, size); i++) {
        const bvp_status status = read(user, at, sizeof head, head, error);
        if (status != BVP_OK)
            return status;
        const uint64_t bytes = word_at(head);
        if (!bvpi_fits(at + sizeof head, bytes, size))
            return bvpi_error_set(error, BVP_ERR_CORRUPT, at, "",
                                  "the GLB's chunk %d has %" PRIu64 " bytes, of which the file has "
                                  "%" PRIu64 ": copy it again",
                                  i, bytes, size - at - sizeof head);
        if (memcmp(head + 4, BVPD_GLB_CHUNK, 4) == 0) {
            const uint64_t offset = out->file_off = at + sizeof head;
            out->file_size = bytes;
            if (offset % BVPD_PAGE_SIZE == 0)
                return BVP_OK;
            return bvpi_error_set(error, BVP_ERR_CORRUPT, offset, "",
                                  "the hierarchy attached to this GLB begins at byte %" PRIu64
                                  ", which is no multiple of 4096: a tool has moved it; attach it "
                                  "again",
                                  offset);
        }
        if (i == 1 && memcmp(head + 4, BVPD_GLB_BINARY, 4) == 0) {
            out->chunk_off = at + sizeof head;
            out->chunk_size = bytes;
        }
        at += sizeof head + bytes;
    }
    return bvpi_error_set(error, BVP_ERR_NOT_OURS, BVPI_NO_OFFSET, "",
                          "this is a GLB without a hierarchy; \"bvpack attach\" adds one");
}

static bvp_status read_memory(void *user, uint64_t offset, uint64_t size, void *out,
                              bvp_error *error)
{
    (void)error;
    memcpy(out, (const uint8_t *)user + offset, (size_t)size);
    return BVP_OK;
}

bvp_status bvpi_enter_glb(const void **data, size_t *size, bvpi_span *chunk, bvp_error *error)
{
    bvpi_glb glb;
    const uint8_t *bytes = *data;
    const bvp_status status =
        bvpi_find_attached(read_memory, (void *)(uintptr_t)*data, *size, &glb, error);
    if (status != BVP_OK)
        return status;
    *data = bytes + glb.file_off;
    *size = (size_t)glb.file_size;
    *chunk = (bvpi_span){glb.chunk_size > 0 ? bytes + glb.chunk_off : NULL, glb.chunk_size, 0};
    return BVP_OK;
}
