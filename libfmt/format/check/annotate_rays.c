/* SPDX-License-Identifier: MIT
 * annotate_rays.c: explains a hierarchy for rays: nodes, then meshlets.
 *
 * The builder stores meshlets in the order of a walk that takes a node's leaves before its inner
 * children. A meshlet that is not at the cursor ends the explanation.
 * Spec: format.md, chapter "Ray trees"
 */
#include "format/check/annotate.h"

#include "base/checked.h"
#include "node/ray_meshlet.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { PATH_SIZE = 128, STACK_MAX = 7 * BVPD_DEPTH_MAX + 8 };

typedef struct walk {
    bvpi_annotator *a;
    bvpi_rays rays;
    uint64_t meshlets; /* in the file */
    const char *prefix;
    char item[PATH_SIZE - 32]; /* the meshlet being explained */
} walk;

static void say(walk *w, uint64_t size, const char *name, const char *value, const char *rule)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", w->item, name);
    bvpi_annotate_bytes(w->a, w->a->cursor + size, path, value, rule);
}

static void say_vertices(walk *w, const uint8_t *at, uint32_t vertices)
{
    static const char *const names[3] = {"x", "y", "z"};
    for (uint32_t a = 0; a < 3 && !w->a->stopped; a++) {
        char value[BVPI_VALUE_MAX] = "";
        for (uint32_t i = 0; i < vertices; i++, at += 4) {
            const uint32_t bits = bvpi_peek_u32(at);
            float x;
            memcpy(&x, &bits, sizeof x);
            bvpi_add_to_value(value, i == 0 ? "%.9g" : " %.9g", (double)x);
        }
        say(w, 4 * (uint64_t)vertices, names[a], value, "RAY-9");
    }
}

/* The meshlet at the cursor, if it is this one. */
static bool say_meshlet(walk *w, uint32_t idx, uint64_t from, uint32_t triangles)
{
    const uint64_t end = w->rays.meshlet_size - BVPD_RAY_TAIL;
    const uint8_t *at = w->rays.meshlets + from;
    char value[BVPI_VALUE_MAX];
    if (w->a->cursor != w->meshlets + from || !bvpi_fits(from, sizeof(uint32_t), end))
        return false;
    const uint32_t word = bvpi_load_u32(at), vertices = (word & 15) + 1;
    const bool several = (word & BVPD_RAY_SEVERAL) != 0;
    const uint32_t size = bvpi_meshlet_size(triangles, vertices, several);
    if (!bvpi_fits(from, size, end))
        return false;
    snprintf(w->item, sizeof w->item, "%s.meshlet[%" PRIu32 "]", w->prefix, idx);
    snprintf(value, sizeof value,
             several ? "%" PRIu32 " vertices, of several clusters"
                     : "%" PRIu32 " vertices, cluster %" PRIu32,
             vertices, word >> 8);
    say(w, 4, "word", value, "RAY-8");
    value[0] = '\0';
    for (uint32_t i = 0; i < triangles; i++)
        bvpi_add_to_value(value, "%s%" PRIu32 " %" PRIu32 " %" PRIu32, i == 0 ? "" : ", ",
                          bvpi_meshlet_corner(at, triangles, vertices, i, 0),
                          bvpi_meshlet_corner(at, triangles, vertices, i, 1),
                          bvpi_meshlet_corner(at, triangles, vertices, i, 2));
    if (!w->a->stopped)
        say(w, bvpi_meshlet_vertices(triangles) - 4, "corners", value, "RAY-8");
    say_vertices(w, at + bvpi_meshlet_vertices(triangles), vertices);
    const uint8_t *references = at + bvpi_meshlet_references(triangles, vertices);
    value[0] = '\0';
    for (uint32_t i = 0; i < triangles; i++) {
        const uint32_t reference = bvpi_meshlet_reference(word, references, i);
        bvpi_add_to_value(value, "%s%" PRIu32 ":%" PRIu32, i == 0 ? "" : " ", reference >> 8,
                          reference & 255);
    }
    if (!w->a->stopped)
        say(w, from + size - (w->a->cursor - w->meshlets), "references", value, "RAY-9");
    return true;
}

/* The meshlets in the order of the walk. */
static void say_meshlets(walk *w)
{
    uint32_t waiting[STACK_MAX], height = 0, idx = 0, steps = w->rays.node_count;
    waiting[height++] = 0;
    while (height > 0 && !w->a->stopped && steps-- > 0) {
        const uint32_t number = waiting[--height];
        bvpd_ray_node node;
        if (number >= w->rays.node_count || height + BVPD_WIDTH > STACK_MAX)
            return;
        bvpi_load_record(&node, w->rays.nodes + (uint64_t)number * sizeof node, sizeof node);
        for (int j = 0; j < BVPD_WIDTH && !w->a->stopped; j++)
            if (bvpi_ray_lane_is_leaf(node.lane[j]) &&
                !say_meshlet(w, idx++, bvpi_ray_lane_unit(node.geom, node.lane[j]) * BVPD_RAY_UNIT,
                             bvpi_ray_lane_count(node.lane[j])))
                return;
        for (int j = BVPD_WIDTH; j-- > 0;)
            if (node.lane[j] >= 0 && node.lane[j] != BVPD_RAY_EMPTY)
                waiting[height++] = node.child + (uint32_t)node.lane[j];
    }
    if (height > 0 || w->a->stopped)
        return;
    snprintf(w->item, sizeof w->item, "%s", w->prefix);
    say(w, BVPD_RAY_TAIL, "tail", "", "RAY-2");
}

void bvpi_annotate_rays(bvpi_annotator *a, const bvpi_rays *rays, const char *prefix)
{
    walk w = {.a = a, .rays = *rays, .prefix = prefix};
    w.meshlets = (uint64_t)(rays->meshlets - a->file->base);
    for (uint32_t i = 0; i < rays->node_count && !a->stopped; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s.node[%" PRIu32 "]", prefix, i);
        bvpi_annotate_fields(a, path, bvpi_ray_node_fields);
    }
    if (!a->stopped)
        say_meshlets(&w);
}
