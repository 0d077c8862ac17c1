/* SPDX-License-Identifier: MIT
 * import_confine.h: confines an importing process to what reading a model needs.
 */
#ifndef IMPORT_CONFINE_H
#define IMPORT_CONFINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To be called once, after the libraries are loaded and before a byte of the model is looked at.
 * memory: bytes of private memory at most; seconds: of processor time, over all threads. What the
 * system does not have is left out. Returns NULL, or what the system has but refused: the process
 * is then not confined and should end. */
const char *import_confine(uint64_t memory, uint64_t seconds);

#ifdef __cplusplus
}
#endif
#endif
