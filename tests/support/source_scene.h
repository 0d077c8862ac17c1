/* SPDX-License-Identifier: MIT
 * source_scene.h: files of a shape that every question can be put to, for a source to give, and
 * what a question answers.
 */
#ifndef SOURCE_SCENE_H
#define SOURCE_SCENE_H

#include "questions.h"
#include "source_case.h"

#include <stdio.h>

enum { LARGE = 60000, SMALL = 400, NODES = 1500, TEXT = 3 * BVPD_BLOCK_SIZE };

/* A large part, a small one and many instances; every table is longer than a block. */
static inline case_file scene_make(const bvp_hierarchy_spec *kinds, uint32_t kind_count, bool rays,
                                   uint32_t nodes)
{
    uint64_t state = 11;
    uint32_t parts[2], node;
    bvp_builder *builder;
    char text[96], *provenance = malloc(TEXT + 1);
    memset(provenance, ' ', TEXT);
    memcpy(provenance, "{}", 2);
    provenance[TEXT] = '\0';
    const bvp_build_options options = {.provenance = provenance,
                                       .hierarchies = kinds,
                                       .hierarchy_count = kind_count,
                                       .rays = rays,
                                       .digests = 1};
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int k = 0; k < 2; k++) {
        float *soup = case_soup(&state, k == 0 ? LARGE : SMALL, k == 0 ? 100 : 10, k == 0 ? 5 : 1);
        const bvp_mesh mesh = case_mesh(soup, k == 0 ? LARGE : SMALL);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &parts[k], NULL), BVP_OK);
        free(soup);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        double m[12];
        for (int k = 0; k < 12; k++)
            m[k] = k % 4 == 3 ? 300 * case_uniform(&state) * (i > 0) : k % 5 == 0;
        m[1] = 0.01 * case_uniform(&state);
        snprintf(text, sizeof text, "a name that takes up some room, and then some, %u", i);
        ck_assert_int_eq(bvp_builder_add_node(builder,
                                              &(bvp_new_node){.parent = BVP_NONE,
                                                              .name = text,
                                                              .placement = m,
                                                              .part = parts[i > 0]},
                                              &node, NULL),
                         BVP_OK);
        ck_assert_int_eq(bvp_builder_add_property(builder, node, "a key", text + 2, NULL), BVP_OK);
    }
    free(provenance);
    return case_finish(builder);
}

static inline case_file scene_default(void)
{
    static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_AABB}};
    return scene_make(kinds, 2, true, NODES);
}

typedef struct reply {
    bvp_status status;
    uint64_t answer;
} reply;

static inline reply reply_to(const question *q, const bvp_file *file)
{
    reply r = {.answer = 1};
    r.status = q->ask(file, &r.answer);
    return r;
}

static inline void check_same(const question *q, reply found, reply expected)
{
    ck_assert_msg(found.status == expected.status && found.answer == expected.answer,
                  "%s: status %d, expected %d; answers %s", q->name, (int)found.status,
                  (int)expected.status, found.answer == expected.answer ? "equal" : "differ");
}

static inline const question *question_named(const char *name)
{
    unsigned k = 0;
    while (k < question_count && strcmp(questions[k].name, name) != 0)
        k++;
    ck_assert_uint_lt(k, question_count);
    return &questions[k];
}

enum { ROOMY = 64 << 20 };

#endif
