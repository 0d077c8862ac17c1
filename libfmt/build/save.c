/* SPDX-License-Identifier: MIT
 * save.c: what an open file shows, as a file of its own: the same sections, hashed anew.
 * Spec: format.md, chapters "Header" to "Trailer", "Deformed parts".
 */
#include "base/status.h"
#include "base/utf8.h"
#include "bvpack_build.h"
#include "format/checksum.h"
#include "format/map.h"
#include "format/write.h"

#include <stdlib.h>
#include <string.h>

/* The old file's provenance text, to be freed; *size: 0: it has none. */
static bvp_status copy_provenance(const bvp_file *file, char **text, size_t *size, bvp_error *error)
{
    bvp_status status = bvp_get_provenance(file, NULL, 0, size, error);
    if (status != BVP_OK)
        return status;
    *text = malloc(*size + 1);
    if (!*text)
        return bvpi_error_memory(error, *size);
    return bvp_get_provenance(file, *text, *size, size, error);
}

/* A build's identity: where the old file came from, and what its parts are now. */
static void mix_source_hash(const bvp_file *file, uint8_t hash[16])
{
    const bvpi_span *parts = &file->section[BVPD_PART];
    bvpi_hasher hasher;
    bvpi_hasher_start128(&hasher);
    bvpi_hasher_add128(&hasher, file->header.source_hash, sizeof file->header.source_hash);
    bvpi_hasher_add128(&hasher, parts->data, parts->size);
    bvpi_hasher_end128(&hasher, hash);
}

bvp_status bvp_save(const bvp_file *file, const char *provenance, const char *path,
                    bvp_error *error)
{
    bvpi_write job = {.header = file->header};
    bvpi_chunk chunks[BVPD_SECTION_COUNT];
    char *old = NULL;
    size_t size = 0;
    if (provenance && !bvpi_is_utf8((const uint8_t *)provenance, strlen(provenance)))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the provenance text is not UTF-8");
    bvp_status status = provenance ? BVP_OK : copy_provenance(file, &old, &size, error);
    for (int kind = 0; kind < BVPD_SECTION_COUNT; kind++) {
        chunks[kind] = (bvpi_chunk){file->section[kind].data, file->section[kind].size};
        job.section[kind] = (bvpi_write_section){&chunks[kind], 1};
    }
    chunks[BVPD_PROV] =
        provenance ? (bvpi_chunk){provenance, strlen(provenance)} : (bvpi_chunk){old, size};
    if (file->is_refitted)
        mix_source_hash(file, job.header.source_hash);
    if (status == BVP_OK)
        status = bvpi_write_path(&job, path, NULL, error);
    free(old);
    return status;
}
