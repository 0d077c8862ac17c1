/* SPDX-License-Identifier: MIT
 * primitive_names.c: which primitive of its mesh a triangle is of, of which material, and which
 * node and mesh of the asset that is.
 */
#include "text/primitive_names.h"

#include <inttypes.h>

#include "text/json_tree.h"
#include "text/message.h"

/* The last pair that begins at or before the triangle: primitives without triangles begin where the
 * next one does. A list that is none, or is damaged, says nothing. */
static const json_value *find(const json_value *list, uint64_t triangle, size_t *index)
{
    const json_value *found = NULL;
    uint64_t first;
    for (size_t i = 0; i < json_tree_size(list); i++) {
        const json_value *pair = json_tree_at(list, i);
        if (!json_tree_count(json_tree_at(pair, 0), &first) || first > triangle)
            break;
        found = pair;
        *index = i;
    }
    return found;
}

/* What is known of one triangle. */
typedef struct place {
    json_value *list, *asset; /* the values as trees, or NULL */
    size_t number_count;      /* of node, mesh and instance */
    uint64_t numbers[3];
    int has_primitive;
    size_t primitive;
    uint64_t triangle; /* among the primitive's */
    const json_value *material;
} place;

static void open_place(place *p, const primitive_names *names, uint64_t triangle)
{
    json_fault fault;
    uint64_t first = 0;
    *p = (place){.list = json_tree_open(names->list.data, names->list.size, &fault),
                 .asset = json_tree_open(names->asset.data, names->asset.size, &fault)};
    const size_t count = json_tree_size(p->asset);
    while (p->number_count < count && p->number_count < 3 &&
           json_tree_count(json_tree_at(p->asset, p->number_count), &p->numbers[p->number_count]))
        p->number_count++;
    if (p->number_count < 2) /* damaged */
        p->number_count = 0;
    const json_value *pair = find(p->list, triangle, &p->primitive);
    p->has_primitive = pair || (p->number_count > 0 && names->list.size == 0);
    if (pair)
        json_tree_count(json_tree_at(pair, 0), &first);
    p->triangle = triangle - first;
    p->material = json_tree_at(pair, 1);
}

static void close_place(place *p)
{
    json_tree_close(p->list);
    json_tree_close(p->asset);
}

void primitive_put_json(json *out, const primitive_names *names, uint64_t triangle)
{
    static const char *const keys[] = {"node", "mesh", "node_instance"};
    uint64_t number;
    place p;
    open_place(&p, names, triangle);
    for (size_t i = 0; i < p.number_count; i++)
        jsonw_count(out, keys[i], p.numbers[i]);
    if (p.has_primitive) {
        jsonw_count(out, "primitive", p.primitive);
        jsonw_count(out, "primitive_triangle", p.triangle);
        if (json_tree_text(p.material))
            jsonw_bytes(out, "material",
                        (bvp_string){json_tree_text(p.material), json_tree_text_size(p.material)});
        else if (json_tree_count(p.material, &number))
            jsonw_count(out, "material", number);
        else
            jsonw_null(out, "material");
    }
    close_place(&p);
}

void primitive_print(const primitive_names *names, uint64_t triangle)
{
    uint64_t number;
    place p;
    open_place(&p, names, triangle);
    if (p.number_count > 0)
        printf(", node %" PRIu64, p.numbers[0]);
    if (p.number_count > 2)
        printf(" instance %" PRIu64, p.numbers[2]);
    if (p.number_count > 1)
        printf(", mesh %" PRIu64, p.numbers[1]);
    if (p.has_primitive)
        printf(", primitive %zu, triangle %" PRIu64 " of it", p.primitive, p.triangle);
    if (json_tree_text(p.material)) {
        fputs(", material \"", stdout);
        print_name(stdout, json_tree_text(p.material), json_tree_text_size(p.material));
        putchar('"');
    } else if (json_tree_count(p.material, &number)) {
        printf(", material %" PRIu64, number);
    }
    close_place(&p);
}
