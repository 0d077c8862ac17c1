/* SPDX-License-Identifier: MIT
 * accessor.c: typed elements in a buffer, as glTF lays them out; reads them one by one.
 * Spec: glTF 2.0, 3.6.2 Accessors
 */
#include "gltf/accessor.h"

#include <assert.h>
#include <string.h>

uint32_t component_size(uint64_t component)
{
    switch (component) {
    case COMPONENT_BYTE:
    case COMPONENT_UBYTE:
        return 1;
    case COMPONENT_SHORT:
    case COMPONENT_USHORT:
        return 2;
    case COMPONENT_UINT:
    case COMPONENT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

uint32_t element_width(const char *type)
{
    static const struct {
        const char *name;
        uint32_t width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].width;
    return 0;
}

static uint32_t read_unsigned(const uint8_t *p, uint32_t size)
{
    assert(size == 1 || size == 2 || size == 4);
    uint32_t value = p[0];
    if (size > 1)
        value |= (uint32_t)p[1] << 8;
    if (size > 2)
        value |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return value;
}

uint32_t accessor_index(const accessor *a, uint64_t i)
{
    return read_unsigned(a->data + i * a->stride, component_size(a->component));
}

/* Normalized integers are c / max, signed ones not below -1: glTF 2.0, 3.11 */
static float read_float(const uint8_t *p, uint32_t component, int normalized)
{
    uint32_t bits = read_unsigned(p, component_size(component));
    float value, most;
    switch (component) {
    case COMPONENT_BYTE:
        value = (float)(int8_t)bits;
        most = INT8_MAX;
        break;
    case COMPONENT_UBYTE:
        value = (float)bits;
        most = UINT8_MAX;
        break;
    case COMPONENT_SHORT:
        value = (float)(int16_t)bits;
        most = INT16_MAX;
        break;
    case COMPONENT_USHORT:
        value = (float)bits;
        most = UINT16_MAX;
        break;
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (!normalized)
        return value;
    value /= most;
    return value < -1 ? -1 : value;
}

float accessor_number(const accessor *a, uint64_t i, uint32_t k)
{
    return read_float(a->data + i * a->stride + k * component_size(a->component), a->component,
                      a->normalized);
}

void accessor_position(const accessor *a, uint64_t i, float position[3])
{
    const uint8_t *element = a->data + i * a->stride;
    uint32_t size = component_size(a->component);
    for (uint32_t axis = 0; axis < 3; axis++)
        position[axis] = read_float(element + axis * size, a->component, a->normalized);
}
