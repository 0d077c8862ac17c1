/* SPDX-License-Identifier: MIT
 * ask_file.h: all there is to ask of an open file; answers go to answer.h. Each function returns 0,
 * or what end() says.
 */
#ifndef TESTS_FAULT_ASK_FILE_H
#define TESTS_FAULT_ASK_FILE_H

#include "bvpack.h"

/* Parts, hierarchies, nodes, properties, instances, provenance. */
int ask_tables(const bvp_file *file);
/* Rays, nearest points and what overlaps. */
int ask_one(const bvp_body *body);
/* The same of its last part and of the assembly, and queries against the other file. */
int ask_queries(const bvp_file *file, const bvp_file *other);
/* A broad phase of bodies of one of its parts, or BVP_ASSEMBLY: some steps. */
int ask_broad(const bvp_file *file, uint32_t part);
int ask_all(const bvp_file *file, const bvp_file *other);

#endif
