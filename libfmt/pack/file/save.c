/* SPDX-License-Identifier: MIT
 * save.c: writes an open file, as it appears now, to a new file: the same sections with new hashes.
 *
 * This is how a refit is kept: the mapping's private pages hold the new geometry. Provenance may be
 * replaced. The source hash of a refitted file is mixed with its part records, so that it does not
 * claim to be the old build.
 *
 * Held by tests/unit/test_save.c.
 * Spec: format.md, chapters "Header" to "Trailer", "Deformed parts"
 */
#include "base/status.h"
#include "base/utf8.h"
#include "pack/file/save.h"
#include "format/checksum.h"
#include "format/map.h"
#include "format/source.h"
#include "format/write.h"

#include <stdlib.h>
#include <string.h>

bvp_status bvpi_copy_provenance(const bvp_file *file, char **text, size_t *size, bvp_error *error)
{
    bvp_status status = bvp_get_provenance(file, NULL, 0, size, error);
    if (status != BVP_OK)
        return status;
    *text = malloc(*size + 1);
    if (!*text)
        return bvpi_error_memory(error, *size);
    return bvp_get_provenance(file, *text, *size, size, error);
}

/* State of the work: what its sections point to. */
typedef struct saving {
    bvpi_write job;
    bvpi_chunk chunks[BVPD_SECTION_COUNT], chunk;
    char *old_provenance; /* owned */
} saving;

static bvp_status prepare(const bvp_file *file, const char *provenance, saving *s, bvp_error *error)
{
    bvp_status status = bvpi_source_refuse(file, error);
    size_t size = provenance ? strlen(provenance) : 0;
    *s = (saving){.job.header = file->header, .job.has_digests = file->digests.count > 0};
    s->chunk = (bvpi_chunk){file->buffers.data, file->buffers.size};
    s->job.buffers = (bvpi_write_section){&s->chunk, file->outside != NULL};
    if (provenance && !bvpi_is_utf8((const uint8_t *)provenance, size))
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the provenance text is not UTF-8");
    if (!provenance && status == BVP_OK)
        status = bvpi_copy_provenance(file, &s->old_provenance, &size, error);
    for (int kind = 0; kind < BVPD_SECTION_COUNT; kind++) {
        s->chunks[kind] = (bvpi_chunk){file->section[kind].data, file->section[kind].size};
        s->job.section[kind] = (bvpi_write_section){&s->chunks[kind], 1};
    }
    s->chunks[BVPD_PROV] = (bvpi_chunk){provenance ? provenance : s->old_provenance, size};
    /* the result comes from where the old file came from, and is what its parts are now */
    if (file->is_refitted) {
        const bvpi_span *parts = &file->section[BVPD_PART];
        bvpi_hasher hasher;
        bvpi_hasher_start128(&hasher);
        bvpi_hasher_add128(&hasher, file->header.source_hash, sizeof file->header.source_hash);
        bvpi_hasher_add128(&hasher, parts->data, parts->size);
        bvpi_hasher_end128(&hasher, s->job.header.source_hash);
    }
    return status;
}

bvp_status bvp_save(const bvp_file *file, const char *provenance, const char *path,
                    bvp_error *error)
{
    saving s;
    bvp_status status = prepare(file, provenance, &s, error);
    if (status == BVP_OK)
        status = bvpi_write_path(&s.job, path, NULL, error);
    free(s.old_provenance);
    return status;
}

bvp_status bvp_save_fd(const bvp_file *file, const char *provenance, int fd, bvp_error *error)
{
    saving s;
    bvp_status status = prepare(file, provenance, &s, error);
    if (status == BVP_OK)
        status = bvpi_write_fd(&s.job, fd, NULL, error);
    free(s.old_provenance);
    return status;
}
