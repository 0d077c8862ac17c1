/* SPDX-License-Identifier: MIT
 * ap242.h: what the files that read an AP242 domain model share.
 */
#ifndef AP242_H
#define AP242_H

#include "model/import.h"
#include "model/name_table.h"
#include "structure/part_files.h"
#include "structure/xml_refuse.h"

/* Where a view's geometry is. */
typedef struct ap242_geometry {
    char *location; /* of the first file that can be read, or NULL */
    uint32_t file;
    uint8_t is_known, is_any; /* it names files, perhaps none that can be read */
} ap242_geometry;

typedef struct ap242 {
    importer *im;
    xml_document xml;
    name_table ids; /* elements by their uids */
    part_files files;
    uint8_t *is_used; /* of each element that is a view: an assembly has an occurrence of it */
    ap242_geometry *geometry; /* of each element that is a view, once that is known */
    uint64_t unread, unplaced, other_relations, unmoved; /* for warnings */
    uint64_t visits; /* of elements, by nodes that look for what is said of them */
} ap242;

/* ---- ap242_text.c: elements ---- */

/* The name without a namespace's prefix. */
const char *ap242_name(const ap242 *a, uint32_t element);
/* xsi:type without a prefix, or "". */
const char *ap242_type(const ap242 *a, uint32_t element);
/* Is it called that, or of that type? */
int ap242_is(const ap242 *a, uint32_t element, const char *name);
/* The next element of the document that lies in `root`, after `last` or, from root itself, the
 * first; XML_NONE: there is none. */
uint32_t ap242_within(const ap242 *a, uint32_t root, uint32_t last);
/* The nearest element above of that name, or XML_NONE. */
uint32_t ap242_above(const ap242 *a, uint32_t element, const char *name);
/* What its uidRef names; XML_NONE: it has none, or the document has no such element. */
uint32_t ap242_referent(const ap242 *a, uint32_t element);
/* The same; a uidRef to nowhere is refused. */
bvp_status ap242_reference(ap242 *a, uint32_t element, uint32_t *out);
/* The text of the first element in it that has any, entities resolved and spaces at its ends taken
 * off; *out is for free(), NULL: there is none. -1: no memory. */
int ap242_text(const ap242 *a, uint32_t element, char **out);
/* Its child <Id>, or <Name> if `key` is that: an attribute id, an <Identifier>, or a text. */
int ap242_label(const ap242 *a, uint32_t element, const char *key, char **out);
/* Exactly `count` finite numbers, or it is refused. */
bvp_status ap242_numbers(ap242 *a, uint32_t element, int count, double *out);

/* ---- ap242_parts.c ---- */

/* Part number, revision, effectivity and property values of an occurrence and its view's part. The
 * occurrence and the relation that places it may be XML_NONE. */
bvp_status ap242_describe(ap242 *a, uint32_t relation, uint32_t occurrence, uint32_t view,
                          uint32_t node);
/* Puts the geometry of a view, if it names a file that can be read, at a node: into it, or below it
 * if is_below. */
bvp_status ap242_place_view(ap242 *a, uint32_t view, uint32_t node, int is_below);
/* Where it is; NULL: no memory. */
const ap242_geometry *ap242_geometry_of(ap242 *a, uint32_t view);

#endif
