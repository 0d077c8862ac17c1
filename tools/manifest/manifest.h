/* SPDX-License-Identifier: MIT
 * manifest.h: the lines of a manifest, one after the other; nothing that they name is read.
 * Spec: manifest.md
 */
#ifndef MANIFEST_H
#define MANIFEST_H

#include "bvpack.h"
#include "text/json_tree.h"

typedef enum manifest_kind {
    MANIFEST_HEADER,
    MANIFEST_PART,
    MANIFEST_INSTANCE,
    MANIFEST_ASSEMBLY
} manifest_kind;

/* Texts are NULL where the line has none. All is valid until the next line is read. */
typedef struct manifest_record {
    manifest_kind kind;
    const char *at; /* where the line begins */
    const char *id, *name, *part_number, *revision;
    const char *part;          /* of an instance: its part's id; else it has a mesh of its own */
    const char *mesh, *format; /* a path as the manifest writes it */
    const char *parent;        /* id of an assembly or instance, on any line */
    double unit_in_metres;     /* of the mesh; of the whole when this is the header; 0: not said */
    bvp_up up;                 /* header: which axis is that */
    double placement[12];
    const json_value *properties; /* an object, or NULL */
} manifest_record;

enum { MANIFEST_ID_SIZE = 24, MANIFEST_LINE_SIZE = 1 << 20 };

/* Set at and end, the text's, and zero the rest. */
typedef struct manifest_reader {
    const char *at, *end;
    int has_begun;                     /* a line that is not empty has been read */
    json_value *value;                 /* of the line */
    char numbers[3][MANIFEST_ID_SIZE]; /* id, part and parent that are written as numbers */
} manifest_reader;

typedef struct manifest_fault {
    bvp_status status;
    const char *at; /* in the text */
    char text[200]; /* what was expected, found, what to do */
} manifest_fault;

/* 1: a record; 0: there are no more; -1: why not. */
int manifest_next(manifest_reader *r, manifest_record *out, manifest_fault *fault);
void manifest_close(manifest_reader *r);

#endif
