/* SPDX-License-Identifier: MIT
 * zip_case.h: 3MF packages, as zip archives of stored files, with sizes in 32 or 64 bits.
 */
#ifndef ZIP_CASE_H
#define ZIP_CASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A zip archive of stored files. */
typedef struct zip {
    uint8_t bytes[1 << 22], directory[1024];
    size_t size, directory_size;
    int count;
    int is_zip64; /* sizes and places in 64 bits, as writers that do not know them have it */
} zip;

static inline uint32_t checksum(const char *text, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= (uint8_t)text[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static inline uint8_t *put(uint8_t *at, uint32_t value, int size)
{
    for (int i = 0; i < size; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static inline uint8_t *put64(uint8_t *at, uint64_t value)
{
    return put(put(at, (uint32_t)value, 4), (uint32_t)(value >> 32), 4);
}

static inline void add_file(zip *z, const char *name, const char *text)
{
    const uint32_t length = (uint32_t)strlen(name), size = (uint32_t)strlen(text);
    const uint32_t crc = checksum(text, size), offset = (uint32_t)z->size;
    if (z->size + 1000 + length + size > sizeof z->bytes)
        abort();
    for (int central = 0; central < 2; central++) {
        const uint32_t extra = !z->is_zip64 ? 0 : central ? 28 : 20;
        const uint32_t shown = z->is_zip64 ? UINT32_MAX : size;
        uint8_t *start = central ? z->directory + z->directory_size : z->bytes + z->size;
        uint8_t *at = put(start, central ? 0x02014b50 : 0x04034b50, 4);
        at = central ? put(at, 45, 2) : at;
        at = put(put(put(at, z->is_zip64 ? 45 : 20, 2), 0, 4), 0, 2);
        at = put(put(at, 0x21, 2), crc, 4);
        at = put(put(put(put(at, shown, 4), shown, 4), length, 2), extra, 2);
        at = central ? put(put(put(put(at, 0, 2), 0, 2), 0, 2), 0, 4) : at;
        at = central ? put(at, z->is_zip64 ? UINT32_MAX : offset, 4) : at;
        memcpy(at, name, length);
        at += length;
        if (extra > 0)
            at = put64(put64(put(put(at, 1, 2), extra - 4, 2), size), size);
        if (extra > 20)
            at = put64(at, offset);
        if (central) {
            z->directory_size += (size_t)(at - start);
            continue;
        }
        memcpy(at, text, size);
        z->size += (size_t)(at - start) + size;
    }
    z->count++;
}

static inline void close_zip(zip *z)
{
    const uint32_t offset = (uint32_t)z->size, size = (uint32_t)z->directory_size;
    const uint32_t count = (uint32_t)z->count;
    memcpy(z->bytes + z->size, z->directory, z->directory_size);
    uint8_t *at = z->bytes + z->size + z->directory_size, *const end64 = at;
    if (z->is_zip64) {
        at = put64(put(at, 0x06064b50, 4), 44);
        at = put(put(put(put(at, 45, 2), 45, 2), 0, 4), 0, 4);
        at = put64(put64(put64(put64(at, count), count), size), offset);
        at = put(put64(put(put(at, 0x07064b50, 4), 0, 4), (uint64_t)(end64 - z->bytes)), 1, 4);
    }
    at = put(put(at, 0x06054b50, 4), 0, 4);
    at = put(put(at, z->is_zip64 ? 0xffff : count, 2), z->is_zip64 ? 0xffff : count, 2);
    at = put(put(at, size, 4), z->is_zip64 ? UINT32_MAX : offset, 4);
    at = put(at, 0, 2);
    z->size = (size_t)(at - z->bytes);
}

/* A 3MF package: what stands in <resources> and in <build>. */
static inline void make_package(zip *z, int is_zip64, const char *unit, const char *resources,
                                const char *items)
{
    static char text[1 << 22];
    z->size = z->directory_size = 0;
    z->count = 0;
    z->is_zip64 = is_zip64;
    add_file(z, "[Content_Types].xml",
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Types xmlns=\"http://schemas."
             "openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" "
             "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default "
             "Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-"
             "3dmodel+xml\"/></Types>");
    add_file(z, "_rels/.rels",
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Relationships xmlns=\"http://schemas."
             "openxmlformats.org/package/2006/relationships\"><Relationship Target=\"/3D/3dmodel."
             "model\" Id=\"rel0\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/"
             "3dmodel\"/></Relationships>");
    const int size =
        snprintf(text, sizeof text,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?><model unit=\"%s\" xml:lang=\"en-US\" "
                 "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources>"
                 "%s</resources><build>%s</build></model>",
                 unit, resources, items);
    if (size >= (int)sizeof text)
        abort();
    add_file(z, "3D/3dmodel.model", text);
    close_zip(z);
}

/* An object: a tetrahedron. */
#define TETRA(id, attributes)                                                                      \
    "<object id=\"" id "\" type=\"model\" " attributes "><mesh><vertices>"                         \
    "<vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" "   \
    "z=\"0\"/><vertex x=\"0\" y=\"0\" z=\"2.5\"/></vertices><triangles><triangle v1=\"0\" "        \
    "v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" v3=\"3\"/><triangle v1=\"1\" v2=\"2\" "        \
    "v3=\"3\"/><triangle v1=\"0\" v2=\"3\" v3=\"2\"/></triangles></mesh></object>"

#endif
