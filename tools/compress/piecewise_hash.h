/* SPDX-License-Identifier: MIT
 * piecewise_hash.h: bvp_hash of bytes that never lie in memory all at once.
 */
#ifndef PIECEWISE_HASH_H
#define PIECEWISE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct piecewise_hash piecewise_hash;

/* NULL: no memory. */
piecewise_hash *piecewise_hash_new(void);
void piecewise_hash_add(piecewise_hash *h, const void *data, size_t size);
/* What bvp_hash gives for all bytes so far, one after the other. */
void piecewise_hash_end(const piecewise_hash *h, uint8_t hash[16]);
void piecewise_hash_free(piecewise_hash *h);

#endif
