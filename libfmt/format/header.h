/* SPDX-License-Identifier: MIT
 * header.h: the rules of header and directory.
 * Spec: format.md, chapters "Header" and "Directory"
 */
#ifndef BVPI_FORMAT_HEADER_H
#define BVPI_FORMAT_HEADER_H

#include "base/report.h"
#include "format/layout.h"

/* Rules HDR-1 and HDR-2: is it a bvpack file, and is its head complete? The file has `size` bytes;
 * `head` holds min(size, 1408) of them. */
bool bvpi_check_identity(const void *head, uint64_t size, bvpi_report *report);

/* All other rules of header and directory, checked on a private copy of the head. size: of the
 * whole file; bytes: its first min(size, 4096) bytes, which contain the head of any version. */
void bvpi_check_header(const bvpd_header *header, const void *bytes, uint64_t size,
                       bvpi_report *report);

/* The hash of the head that header_hash must equal. */
uint64_t bvpi_header_hash(const bvpd_header *header);
/* The file's identity, from the header and the bytes of section HASH. */
void bvpi_root_hash(const bvpd_header *header, const void *hashes, uint64_t size, uint8_t out[16]);

/* The directory entry of a known section; section_count if it is missing. */
uint32_t bvpi_find_section(const bvpd_header *header, enum bvpd_section_index section);

/* The same for DGST, which is optional and directly before HASH. */
uint32_t bvpi_find_digests(const bvpd_header *header);

/* The same for BUFS, which is optional and directly after PROV. */
uint32_t bvpi_find_buffers(const bvpd_header *header);

/* Kind and record size of a known section. */
const char *bvpi_section_kind(enum bvpd_section_index section);
uint32_t bvpi_section_record_size(enum bvpd_section_index section);

/* The header counts axes from 0, with 3 for unknown; in the interface 0 means unknown, as in all
 * options. */
static inline bvp_up bvpi_up_of_axis(uint32_t axis)
{
    return (bvp_up)((axis + 1) & 3);
}
static inline uint32_t bvpi_axis_of_up(bvp_up up)
{
    return ((uint32_t)up + 3) & 3;
}

/* The size of a file whose sections end there. */
uint64_t bvpi_file_size_for(uint64_t data_end, uint64_t hash_end);

#endif
