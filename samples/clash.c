/* SPDX-License-Identifier: MIT
 * clash: which instances of an assembly touch one another, and by how many triangles.
 * Usage: clash FILE.bvp
 */
#include <bvpack.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct counts {
    const bvp_file *file;
    uint32_t instance_count;
    uint64_t *pairs; /* instance_count squared */
} counts;

static int count_pair(void *user, const bvp_pair *pair)
{
    counts *c = user;
    c->pairs[(size_t)pair->a.instance * c->instance_count + pair->b.instance]++;
    return 0;
}

/* The name of the product node that bears an instance. */
static bvp_string name_of(const bvp_file *file, uint32_t instance)
{
    bvp_instance_info placed;
    bvp_node_info node = {.name = {"?", 1}};
    if (bvp_get_instance(file, instance, &placed) == BVP_OK)
        bvp_get_node(file, placed.node, &node);
    return node.name;
}

static void print_clash(const counts *c, uint32_t a, uint32_t b, uint64_t pairs)
{
    bvp_string x = name_of(c->file, a), y = name_of(c->file, b);
    printf("%u (%.*s) and %u (%.*s): %llu pairs of triangles\n", a, (int)x.size, x.data, b,
           (int)y.size, y.data, (unsigned long long)pairs);
}

int main(int argc, char **argv)
{
    bvp_file *file;
    bvp_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: clash FILE.bvp\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &file, &error)) {
        fprintf(stderr, "clash: %s\n", error.message);
        return 1;
    }
    bvp_file_info info;
    bvp_get_info(file, &info);
    counts c = {file, info.instance_count, NULL};
    c.pairs = calloc((size_t)info.instance_count * info.instance_count + 1, sizeof *c.pairs);
    bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    uint64_t total = 0, clashes = 0;
    bvp_status status =
        c.pairs ? bvp_pairs_each(&body, NULL, count_pair, &c, &total, NULL) : BVP_ERR_NO_MEMORY;
    for (uint32_t a = 0; a < info.instance_count && status == BVP_OK; a++)
        for (uint32_t b = 0; b < info.instance_count; b++) {
            uint64_t pairs = c.pairs[(size_t)a * info.instance_count + b];
            if (pairs && ++clashes <= 10)
                print_clash(&c, a, b, pairs);
        }
    printf("%s: %llu pairs of instances touch, %llu pairs of triangles\n", bvp_status_name(status),
           (unsigned long long)clashes, (unsigned long long)total);
    free(c.pairs);
    bvp_close(file);
    return status != BVP_OK;
}
