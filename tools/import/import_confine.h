/* SPDX-License-Identifier: MIT
 * import_confine.h: confines an importing process to what reading a model needs.
 */
#ifndef IMPORT_CONFINE_H
#define IMPORT_CONFINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To be called once, after the libraries are loaded and before a byte of the model is looked at.
 * memory: bytes of private memory at most; seconds: of processor time, over all threads. What the
 * system does not have is left out. Returns NULL, or what the system has but refused: the process
 * is then not confined and should end. */
const char *import_confine(uint64_t memory, uint64_t seconds);

/* The same before this process becomes an interpreter by execve, which is then confined, and less:
 * it may read files in these folders, or these files (NULL and what is not there: none), run what
 * is there, and make code in its memory. It makes and changes no file, opens no socket and starts
 * no process. */
const char *import_confine_interpreter(uint64_t memory, uint64_t seconds,
                                       const char *const *folders, size_t count);

#ifdef __cplusplus
}
#endif
#endif
