/* SPDX-License-Identifier: MIT
 * hull_file.h: the points of a convex hull from a file: the vertices of a model, or a list.
 */
#ifndef HULL_FILE_H
#define HULL_FILE_H

#include <stdint.h>

/* Where a message says that something is wrong, and what the numbers are for. */
typedef struct hull_request {
    const char *where;     /* an option, or a place in a zone file */
    const char *folder;    /* that a relative path begins in, or NULL */
    double unit_in_metres; /* that the points are converted to, where the file says its own; 0:
                              unknown */
} hull_request;

/* Does the text name a file, rather than being a list of numbers that is wrong? */
int hull_is_file(const hull_request *request, const char *text);
/* Reads a model in any format that is packed, with all its instances, or by its name's ending .txt
 * lines of three numbers. *points: 3 for each, to be freed: those at the corners of the hull, at
 * most BVP_CONVEX_POINTS. 0, or says what is wrong and returns the exit code. */
int hull_file_read(const hull_request *request, const char *path, double **points, uint32_t *count);

#endif
