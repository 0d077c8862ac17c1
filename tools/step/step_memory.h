/* SPDX-License-Identifier: MIT
 * step_memory.h: was there always memory enough?
 */
#ifndef STEP_MEMORY_H
#define STEP_MEMORY_H

/* Has anything here or in a library thrown an exception for lack of memory? OpenCASCADE catches
 * some of these, leaves out what it was at, and says nothing. */
bool step_was_memory_short();

#endif
