/* SPDX-License-Identifier: MIT
 * clash_missing.c: what a clash run can't see, because its importer could not mesh it.
 */
#include "clash/clash_missing.h"

#include <stdlib.h>
#include <string.h>
#include "model/quality_keys.h"
#include "query/instance_title.h"
#include "text/message.h"

enum { NAMED = 20 };

typedef struct missing {
    uint64_t faces; /* of the part */
    uint32_t node, instances;
} missing;

static int take_count(void *user, bvp_string value)
{
    uint64_t count = 0;
    for (size_t i = 0; i < value.size && count < UINT64_MAX / 16; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return 0;
        count = 10 * count + (uint64_t)(value.data[i] - '0');
    }
    *(uint64_t *)user = count;
    return count > 0;
}

static int warn_of_part(clash_rules *r, const instance_tree *t, const missing *m)
{
    growing_text name = {0};
    char faces[64], instances[64];
    int code = instance_title(t, m->node, &name) == 0 ? 0 : complain_memory();
    if (code == 0)
        code = clash_rules_warn(r,
                                "%.120s, %s: %s could not be meshed; contacts there are not found, "
                                "and its pairs may be called clear",
                                name.data, counted(m->instances, "instance", instances),
                                counted(m->faces, "face", faces));
    growing_text_free(&name);
    return code;
}

int clash_missing_warn(clash_rules *r, const instance_tree *t)
{
    missing *parts = NULL;
    uint32_t count = 0;
    bvp_instance_info info;
    int code = 0;
    for (uint32_t i = 0; i < t->info.instance_count && code == 0; i++) {
        uint64_t faces;
        if (!instance_tree_property_of(t, i, MISSING_FACES_KEY, take_count, &faces) ||
            bvp_get_instance(t->file, i, &info) != BVP_OK || info.part >= t->info.part_count)
            continue;
        if (!parts) /* few files have any */
            parts = calloc(t->info.part_count, sizeof *parts);
        if (!parts)
            return complain_memory();
        missing *m = &parts[info.part];
        if (m->instances++ == 0) {
            m->faces = faces;
            m->node = instance_tree_node(t, i);
            count++;
        }
    }
    uint32_t named = 0;
    for (uint32_t p = 0; parts && p < t->info.part_count && code == 0 && named < NAMED; p++)
        if (parts[p].instances > 0) {
            code = warn_of_part(r, t, &parts[p]);
            named++;
        }
    if (code == 0 && count > named)
        code = clash_rules_warn(r, "faces of %u more parts could not be meshed", count - named);
    free(parts);
    return code;
}
