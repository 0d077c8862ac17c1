/* SPDX-License-Identifier: MIT
 * file_fault.h: finds what is wrong with a file, after a call of the library failed on it.
 */
#ifndef FILE_FAULT_H
#define FILE_FAULT_H

#include "bvpack.h"

/* The first part that is missing or damaged, or the first rule of the format that is broken: reads
 * the file as a whole. BVP_OK: none of that. */
bvp_status find_fault(const bvp_file *file, bvp_error *error);
/* Prints that, or `status` if nothing is found, about the file that the user called `text`; returns
 * the exit code. */
int complain_fault(const char *text, const bvp_file *file, bvp_status status);

#endif
