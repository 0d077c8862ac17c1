/* SPDX-License-Identifier: MIT
 * step_memory.h: records whether memory ever ran out.
 */
#ifndef STEP_MEMORY_H
#define STEP_MEMORY_H

/* Has this program or a library thrown an exception for lack of memory? OpenCASCADE catches some of
 * these exceptions, leaves out what it was working on, and reports nothing. */
bool step_was_memory_short();

#endif
