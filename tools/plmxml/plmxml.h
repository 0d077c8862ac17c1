/* SPDX-License-Identifier: MIT
 * plmxml.h: what the files that read a PLM XML document share.
 */
#ifndef PLMXML_H
#define PLMXML_H

#include "model/import.h"
#include "model/name_table.h"
#include "structure/part_files.h"
#include "structure/xml_refuse.h"

typedef struct plmxml {
    importer *im;
    xml_document xml;
    name_table ids; /* elements by their ids */
    part_files files;
    uint64_t unread, unplaced; /* parts, for warnings */
    uint64_t value_count;      /* user values that nodes were offered */
} plmxml;

/* The element that the first word of *list names, as "id3" or "#id3", which is taken off it;
 * XML_NONE: the list is at its end. */
bvp_status plmxml_reference(plmxml *p, uint32_t from, const char **list, uint32_t *out);

/* Part number, revision, effectivity and user values of an instance and its part, either of which
 * may be XML_NONE, as properties of a node. */
bvp_status plmxml_describe(plmxml *p, uint32_t instance, uint32_t part, uint32_t node);

/* Puts the geometry of a part, if it names a file that can be read, at a node: into it, or below it
 * if is_below. */
bvp_status plmxml_place_part(plmxml *p, uint32_t part, uint32_t node, int is_below);

#endif
