/* SPDX-License-Identifier: MIT
 * gltf_accessors.c: a glTF file's accessors, dense and sparse, checked against their views.
 * Spec: Khronos glTF 2.0, 3.6.2 Accessors
 */
#include "gltf/gltf_accessors.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Opened when something first refers to it. */
struct gltf_slot {
    int opened;
    accessor view;
    uint8_t *owned; /* the elements of a sparse accessor */
};

bvp_status gltf_accessors_open(gltf_document *doc, gltf_accessors *a)
{
    *a = (gltf_accessors){.doc = doc};
    a->slots = calloc(json_tree_size(doc->accessors) + 1, sizeof *a->slots);
    const bvp_status status = gltf_views_open(doc, &a->views);
    return a->slots ? status : import_no_memory(doc->im);
}

void gltf_accessors_close(gltf_accessors *a)
{
    for (size_t i = 0; a->slots && i < json_tree_size(a->doc->accessors); i++)
        free(a->slots[i].owned);
    free(a->slots);
    gltf_views_close(&a->views);
}

/* A view of `count` elements as an accessor; a and its type are set already. */
static bvp_status place_elements(gltf_accessors *t, uint64_t index, const json_value *where,
                                 accessor *a)
{
    uint64_t view, offset, size = 0, element = component_size(a->component) * (uint64_t)a->width;
    assert(element > 0); /* component and width are known ones */
    if (!json_tree_get(where, "bufferView"))
        return gltf_refuse(t->doc, BVP_ERR_CORRUPT, "accessors", index,
                           "has no buffer view; if the model is compressed, export it without "
                           "compression");
    bvp_status status = gltf_count(t->doc, "accessors", index, where, "bufferView", 0, &view);
    if (status == BVP_OK)
        status = gltf_count(t->doc, "accessors", index, where, "byteOffset", 0, &offset);
    if (status == BVP_OK)
        status = gltf_view_open(&t->views, view, offset, &a->data, &size, &a->stride);
    if (status != BVP_OK)
        return status;
    if (a->stride == 0)
        a->stride = element;
    if (a->stride < element)
        return gltf_refuse(t->doc, BVP_ERR_CORRUPT, "accessors", index,
                           "elements of %" PRIu64 " bytes overlap: their stride is %" PRIu64,
                           element, a->stride);
    if (a->count == 0 || (size >= element && (a->count - 1) <= (size - element) / a->stride))
        return BVP_OK;
    return gltf_refuse(t->doc, BVP_ERR_CORRUPT, "accessors", index,
                       "%" PRIu64 " elements of %" PRIu64 " bytes do not fit in the %" PRIu64
                       " bytes of its buffer view; export the model again",
                       a->count, a->stride, size);
}

/* Replaces the elements that "sparse" lists in the dense copy. */
static bvp_status apply_sparse(gltf_accessors *t, uint64_t index, const json_value *sparse,
                               const accessor *a, uint8_t *dense)
{
    const json_value *where = json_tree_get(sparse, "indices");
    accessor at = {.width = 1}, values = *a;
    uint64_t component, element = a->stride;
    assert(a->data == dense); /* make_dense has copied: elements lie close together */
    bvp_status status = gltf_count(t->doc, "accessors", index, sparse, "count", 0, &at.count);
    if (status == BVP_OK)
        status = gltf_count(t->doc, "accessors", index, where, "componentType", 0, &component);
    if (status != BVP_OK)
        return status;
    if (component != COMPONENT_UBYTE && component != COMPONENT_USHORT &&
        component != COMPONENT_UINT)
        return gltf_refuse(t->doc, BVP_ERR_CORRUPT, "accessors", index,
                           "sparse indices have the unknown component type %" PRIu64, component);
    at.component = (uint32_t)component;
    values.count = at.count;
    status = place_elements(t, index, where, &at);
    if (status == BVP_OK)
        status = place_elements(t, index, json_tree_get(sparse, "values"), &values);
    for (uint64_t i = 0; status == BVP_OK && i < at.count; i++) {
        uint32_t to = accessor_index(&at, i);
        if (to >= a->count)
            return gltf_refuse(t->doc, BVP_ERR_CORRUPT, "accessors", index,
                               "sparse index %" PRIu32 " lies beyond its %" PRIu64
                               " elements; export the model again",
                               to, a->count);
        memcpy(dense + to * element, values.data + i * values.stride, element);
    }
    return status;
}

/* Zeros, or the elements of its view, with those of "sparse" put over them. */
static bvp_status make_dense(gltf_accessors *t, uint64_t index, const json_value *sparse,
                             gltf_slot *s)
{
    accessor *a = &s->view;
    uint64_t element = component_size(a->component) * (uint64_t)a->width;
    assert(element > 0);
    if (a->count > UINT64_MAX / 2 / element)
        return gltf_charge(t->doc, "accessors", index, UINT64_MAX);
    bvp_status status = gltf_charge(t->doc, "accessors", index, a->count * element);
    if (status != BVP_OK)
        return status;
    s->owned = calloc(a->count ? a->count : 1, element);
    if (!s->owned)
        return import_no_memory(t->doc->im);
    for (uint64_t i = 0; a->data && i < a->count; i++)
        memcpy(s->owned + i * element, a->data + i * a->stride, element);
    a->data = s->owned;
    a->stride = element;
    return apply_sparse(t, index, sparse, a, s->owned);
}

bvp_status gltf_accessor_open(gltf_accessors *t, uint64_t index, const accessor **out)
{
    const json_value *object;
    uint64_t component;
    bvp_status status = gltf_element(t->doc, "accessors", t->doc->accessors, index, &object);
    if (status != BVP_OK)
        return status;
    gltf_slot *s = &t->slots[index];
    accessor *a = &s->view;
    *out = a;
    if (s->opened)
        return BVP_OK;
    const char *type = json_tree_text(json_tree_get(object, "type"));
    const json_value *sparse = json_tree_get(object, "sparse");
    status = gltf_count(t->doc, "accessors", index, object, "componentType", 0, &component);
    if (status == BVP_OK)
        status = gltf_count(t->doc, "accessors", index, object, "count", 0, &a->count);
    if (status != BVP_OK)
        return status;
    a->component = (uint32_t)component;
    a->width = type ? element_width(type) : 0;
    a->normalized = json_tree_is_true(json_tree_get(object, "normalized"));
    if (component_size(component) == 0 || a->width == 0)
        return gltf_refuse(t->doc, BVP_ERR_CORRUPT, "accessors", index,
                           "unknown component type %" PRIu64 " or type \"%.16s\"; export the "
                           "model again",
                           component, type ? type : "");
    if (!sparse || json_tree_get(object, "bufferView"))
        status = place_elements(t, index, object, a);
    if (status == BVP_OK && sparse)
        status = make_dense(t, index, sparse, s);
    s->opened = status == BVP_OK;
    if (status != BVP_OK) { /* whoever opens it again begins anew */
        free(s->owned);
        *s = (gltf_slot){.opened = 0};
    }
    return status;
}
