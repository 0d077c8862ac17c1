/* SPDX-License-Identifier: MIT
 * plan_export.h: the mesh files that an export places, with their sizes and what they cost; no mesh
 * is read.
 */
#ifndef PLAN_EXPORT_H
#define PLAN_EXPORT_H

#include "pack/pack_plan.h"

typedef struct plan_file {
    char *path;
    uint64_t size, triangle_count; /* counted by its header, else estimated by its size */
    int is_known;                  /* the store has it: by its stamp, or by a share's */
    double seconds;                /* of one thread, to read and pack it */
} plan_file;

typedef struct plan_export {
    const char *path;
    char *format; /* a word of --format */
    uint64_t size;
    int is_manifest; /* its files can be shared out; else there is one task */
    plan_file
        *files; /* in the order in which shares are dealt; of a model without others: itself */
    size_t file_count, file_capacity;
    uint64_t line_count, instance_count;
    uint64_t known_count;                  /* files */
    double seconds;                        /* of files that are not known */
    const plan_file *largest;              /* the dearest of these, or NULL */
    uint64_t triangle_count, largest_mesh; /* of all; of one file */
} plan_export;

/* set: the options that it is packed with; store: the folder whose parts are known, or NULL.
 * Returns the exit code; *out is freed by the caller in any case. O(lines of the export). */
int plan_export_read(const char *path, const pack_plan *plan, const char *store, plan_export *out);
void plan_export_free(plan_export *e);

#endif
