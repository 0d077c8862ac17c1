/* SPDX-License-Identifier: MIT
 * accessor.h: typed elements in a buffer, as glTF lays them out; reads them one by one.
 * Spec: glTF 2.0, 3.6.2 Accessors
 */
#ifndef ACCESSOR_H
#define ACCESSOR_H

#include <stddef.h>
#include <stdint.h>

enum component_type {
    COMPONENT_BYTE = 5120,
    COMPONENT_UBYTE = 5121,
    COMPONENT_SHORT = 5122,
    COMPONENT_USHORT = 5123,
    COMPONENT_UINT = 5125,
    COMPONENT_FLOAT = 5126
};

typedef struct accessor {
    const uint8_t
        *data; /* element i is at data + i * stride: the owner has checked that it exists */
    uint64_t count, stride;
    uint32_t component; /* one of component_type */
    uint32_t width;     /* components an element */
    int normalized;
} accessor;

/* Bytes of a component, 0 for an unknown type; components of "SCALAR", "VEC3" ..., 0 if unknown. */
uint32_t component_size(uint64_t component);
uint32_t element_width(const char *type);

/* Element i of an accessor of unsigned integers, of width 1. */
uint32_t accessor_index(const accessor *a, uint64_t i);
/* Component k of element i of any accessor but of 32-bit integers; element i of one of width 3. */
float accessor_number(const accessor *a, uint64_t i, uint32_t k);
void accessor_position(const accessor *a, uint64_t i, float position[3]);

#endif
