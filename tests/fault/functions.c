/* SPDX-License-Identifier: MIT
 * functions.c: each public function with an allocation or a system call that fails, the k-th alone
 * and from the k-th on, for all k: no crash, no other answer, nothing that is not freed; a status
 * that says what failed, with words; a file complete or not there. Options: loop.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bvpack_build.h"
#include "bvpack_clash.h"
#include "failing.h"
#include "folder.h"
#include "inputs.h"
#include "loop.h"

/* ---- what a case answers, in memory that it shares with who judges ------------------------------
 */

typedef struct answer {
    bvp_status status;
    bvp_error error;
    int has_error;     /* the function that failed says more than a status */
    const char *where; /* its name */
    uint64_t digest;   /* of all that was answered */
} answer;
static answer *shared;

/* FNV-1a. */
static void note(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        shared->digest = (shared->digest ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static void note_text(bvp_string text)
{
    note(&text.size, sizeof text.size);
    note(text.data, text.size);
}

static int end(const char *call, bvp_status status, int has_error)
{
    shared->where = call;
    shared->status = status;
    shared->has_error = has_error;
    return -1;
}

/* Ends a case when the call fails; `and_error`: its last argument is the shared error. */
#define ASK(function, ...)                                                                         \
    do {                                                                                           \
        const bvp_status status_ = function(__VA_ARGS__);                                          \
        if (status_ != BVP_OK)                                                                     \
            return end(#function, status_, 0);                                                     \
    } while (0)
#define TRY(function, ...)                                                                         \
    do {                                                                                           \
        shared->error = (bvp_error){.status = BVP_OK};                                             \
        const bvp_status status_ = function(__VA_ARGS__, &shared->error);                          \
        if (status_ != BVP_OK)                                                                     \
            return end(#function, status_, 1);                                                     \
    } while (0)
#define NOTE(value) note(&(value), sizeof(value))

/* ---- what is given: opened once, in the state in which each case finds it ----------------------
 */

static struct {
    const uint8_t *bytes; /* of tree.bvp */
    size_t size;
    bvp_file *plain, *kinds, *lazy, *thin, *soft, *ring;
    int has_digests; /* there is signed.bvp */
    int sink;        /* a file without a name, for what goes to a descriptor */
    float soup[4000 * 9];
    uint32_t soup_count;
    bvp_mesh mesh;
} given;

static void open_given(const char *path, const bvp_open_options *options, bvp_file **out)
{
    bvp_error error = {.message = ""};
    if (bvp_open(path, options, out, &error) != BVP_OK) {
        fprintf(stderr, "faults: %s: %s\n", path, error.message);
        exit(99);
    }
}

static void make_soup(void)
{
    uint64_t state = 1;
    given.soup_count = sizeof given.soup / sizeof given.soup[0] / 9;
    for (size_t i = 0; i < sizeof given.soup / sizeof given.soup[0]; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        given.soup[i] = (float)(state >> 44) / 65536 + (float)(i / 90) / 4;
    }
    given.mesh = (bvp_mesh){.positions = given.soup,
                            .vertex_count = 3 * (uint64_t)given.soup_count,
                            .triangle_count = given.soup_count,
                            .name = "soup"};
}

/* Where the library can do that. */
static int make_signed(void)
{
    const bvp_build_options options = {.thread_count = 1, .digests = 1};
    bvp_builder *builder = NULL;
    uint32_t part;
    const int is_made = bvp_builder_new(&options, &builder, NULL) == BVP_OK &&
                        bvp_builder_add_part(builder, &given.mesh, &part, NULL) == BVP_OK &&
                        bvp_builder_finish(builder, "../in/signed.bvp", NULL, NULL) == BVP_OK;
    bvp_builder_free(builder);
    return is_made;
}

static void make_given(void)
{
    struct stat info;
    const int fd = open("../in/tree.bvp", O_RDONLY);
    if (fd < 0 || fstat(fd, &info) != 0)
        exit(99);
    given.size = (size_t)info.st_size;
    given.bytes = mmap(NULL, given.size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    given.sink = memfd_create("sink", MFD_CLOEXEC);
    if (given.bytes == MAP_FAILED || given.sink < 0)
        exit(99);
    open_given("../in/tree.bvp", NULL, &given.plain);
    open_given("../in/kinds.bvp", NULL, &given.kinds);
    open_given("../in/tree.bvp", &(bvp_open_options){.verify_lazily = 1}, &given.lazy);
    open_given("../in/thin.bvp", &(bvp_open_options){.verify_lazily = 1}, &given.thin);
    open_given("../in/soft.bvp", &(bvp_open_options){.overlay = 1}, &given.soft);
    open_given("../in/ring.bvp", NULL, &given.ring);
    make_soup();
    given.has_digests = make_signed();
}

/* ---- asking a file all there is to ask ----------------------------------------------------------
 */

static int on_pair(void *user, const bvp_pair *pair)
{
    (void)user;
    NOTE(pair->a.triangle);
    NOTE(pair->b.triangle);
    return 0;
}

static int on_hit(void *user, const bvp_hit_id *id)
{
    (void)user;
    NOTE(id->triangle);
    return 0;
}

static int on_ray_hit(void *user, const bvp_ray_hit *hit)
{
    (void)user;
    NOTE(hit->t);
    return 0;
}

static int on_box(void *user, const bvp_box *box)
{
    (void)user;
    NOTE(box->lo);
    return 0;
}

static int on_volume(void *user, const bvp_volume *volume)
{
    (void)user;
    NOTE(volume->centre);
    return 0;
}

static int on_annotation(void *user, const bvp_annotation *annotation)
{
    (void)user;
    NOTE(annotation->offset);
    note(annotation->value, strlen(annotation->value));
    return 0;
}

static int on_finding(void *user, const bvp_finding *finding)
{
    (void)user;
    note(finding->rule, strlen(finding->rule));
    return 0;
}

enum { SOME = 64 };

static int ask_part(const bvp_file *file, uint32_t part)
{
    bvp_part_info info;
    bvp_part_identity identity;
    bvp_hierarchy_info hierarchy;
    static float positions[9 * SOME];
    static uint64_t ids[SOME], corners[3 * SOME];
    uint64_t count, id;
    ASK(bvp_get_part_identity, file, part, &identity);
    TRY(bvp_check_part, file, part);
    ASK(bvp_get_part, file, part, &info);
    note_text(info.name);
    NOTE(info.content_hash);
    NOTE(identity.address);
    ASK(bvp_get_triangle, file, part, 3, positions, &id);
    ASK(bvp_get_triangles, file, part, 0, SOME, positions, ids, &count);
    NOTE(ids[0]);
    ASK(bvp_get_vertices, file, part, 0, SOME, positions, &count);
    ASK(bvp_get_corners, file, part, 0, SOME, corners, &count);
    NOTE(positions[0]);
    NOTE(corners[0]);
    ASK(bvp_boxes, file, part, 2, on_box, NULL);
    for (uint32_t i = 0; i < info.hierarchy_count; i++) {
        ASK(bvp_get_hierarchy, file, part, i, &hierarchy);
        ASK(bvp_volumes, file, part, hierarchy.kind, UINT32_MAX, on_volume, NULL);
    }
    return 0;
}

static int ask_tables(const bvp_file *file)
{
    bvp_file_info info;
    bvp_node_info node;
    bvp_instance_info instance;
    bvp_string key, value;
    char text[4096];
    size_t size;
    bvp_get_info(file, &info);
    NOTE(info.root_hash);
    for (uint32_t i = 0; i < info.node_count; i++) {
        ASK(bvp_get_node, file, i, &node);
        note_text(node.name);
        for (uint32_t k = 0; k < node.property_count; k++) {
            ASK(bvp_get_property, file, i, k, &key, &value);
            note_text(value);
        }
    }
    for (uint32_t i = 0; i < info.instance_count; i++) {
        ASK(bvp_get_instance, file, i, &instance);
        NOTE(instance.placement);
    }
    TRY(bvp_get_provenance, file, text, sizeof text, &size);
    note(text, size < sizeof text ? size : sizeof text);
    for (uint32_t i = 0; i < info.part_count; i++)
        if (ask_part(file, i) != 0)
            return -1;
    return 0;
}

static int ask_two(const bvp_body *a, const bvp_body *b)
{
    static bvp_pair pairs[4096];
    static const double at[24] = {1, 0, 0, .2, 0, 1, 0, 0, 0, 0, 1, 0,
                                  1, 0, 0, 9,  0, 1, 0, 0, 0, 0, 1, 0};
    bvp_distance_result nearest = {.found = 0}, two[2] = {{.found = 0}};
    bvp_warm_start warm = {.front = NULL};
    uint64_t count;
    int hit, hits[2];
    size_t done;
    ASK(bvp_collide, a, b, &hit, NULL);
    NOTE(hit);
    ASK(bvp_pairs_each, a, b, on_pair, NULL, &count, NULL);
    ASK(bvp_pairs, a, b, pairs, 4096, &count, NULL);
    NOTE(count);
    ASK(bvp_distance, a, b, INFINITY, &nearest, NULL);
    NOTE(nearest.distance);
    ASK(bvp_distance_about, a, b, INFINITY, .01, &nearest, NULL);
    ASK(bvp_within, a, b, .5, &hit, &nearest, NULL);
    NOTE(hit);
    ASK(bvp_collide_warm, a, b, &warm, &hit, NULL);
    ASK(bvp_distance_warm, a, b, INFINITY, &warm, &nearest, NULL);
    NOTE(nearest.distance);
    ASK(bvp_within_warm, a, b, .5, &warm, &hit, &nearest, NULL);
    if (!b)
        return 0;
    ASK(bvp_collide_batch, a, b, at, 0, 2, hits, 0, &done, NULL);
    ASK(bvp_distance_batch, a, b, at, 0, 2, INFINITY, two, 0, &done, NULL);
    NOTE(hits);
    NOTE(two[1].distance);
    return 0;
}

static int ask_one(const bvp_body *body)
{
    static const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, middle[3] = {.5, .5, .5};
    static const double plane[4] = {1, 0, 0, -.25};
    const bvp_ray ray = {{.4, .3, 9}, {0, 0, -1}, 0, INFINITY};
    bvp_ray_hit hit = {.found = 0};
    bvp_closest_result closest[3] = {{.found = 0}};
    uint32_t instances[SOME];
    uint64_t count;
    size_t done;
    int any;
    ASK(bvp_ray_first, body, &ray, &hit, NULL);
    NOTE(hit.t);
    ASK(bvp_ray_any, body, &ray, &any, NULL);
    ASK(bvp_ray_all, body, &ray, on_ray_hit, NULL, &count, NULL);
    ASK(bvp_ray_first_batch, body, &ray, 0, 1, &hit, 0, &done, NULL);
    ASK(bvp_ray_any_batch, body, &ray, 0, 1, &any, 0, &done, NULL);
    NOTE(any);
    ASK(bvp_closest, body, hi, INFINITY, closest, NULL);
    NOTE(closest[0].distance);
    ASK(bvp_closest_batch, body, middle, 0, 1, INFINITY, closest, 0, &done, NULL);
    NOTE(closest[0].distance);
    ASK(bvp_overlap_box, body, lo, hi, on_hit, NULL, &count, NULL);
    ASK(bvp_overlap_sphere, body, middle, .5, on_hit, NULL, &count, NULL);
    ASK(bvp_overlap_frustum, body, plane, 1, on_hit, NULL, &count, NULL);
    NOTE(count);
    if (body->part != BVP_ASSEMBLY)
        return 0;
    ASK(bvp_instances_in_box, body, lo, hi, 1, instances, SOME, &count, NULL);
    ASK(bvp_nearest_instances, body, middle, INFINITY, closest, 3, &count, NULL);
    NOTE(closest[2].distance);
    return 0;
}

static int ask_queries(const bvp_file *file)
{
    uint64_t bits[SOME] = {0};
    const bvp_filter group = {bits, SOME, 0};
    bvp_file_info info;
    bvp_get_info(file, &info);
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    const bvp_body part = {.file = file, .part = info.part_count - 1};
    const bvp_body ring = {.file = given.ring, .part = BVP_ASSEMBLY};
    ASK(bvp_filter_subtree, file, info.node_count > 1 ? 1 : 0, bits, SOME);
    const bvp_body some = {.file = file, .part = BVP_ASSEMBLY, .filter = &group};
    return ask_one(&part) || ask_one(&all) || ask_two(&part, &ring) || ask_two(&some, &ring) ||
           ask_two(&all, NULL);
}

static int ask_all(const bvp_file *file)
{
    return ask_tables(file) || ask_queries(file);
}

/* ---- cases: opening -----------------------------------------------------------------------------
 */

static int open_and_ask(const char *path, const bvp_open_options *options)
{
    bvp_file *file = NULL;
    TRY(bvp_open, path, options, &file);
    const int result = ask_all(file);
    bvp_close(file);
    return result;
}

static int open_plain(void)
{
    bvp_close(NULL);
    note(bvp_version(), strlen(bvp_version()));
    return open_and_ask("../in/tree.bvp", NULL);
}

static int open_kinds(void)
{
    return open_and_ask("../in/kinds.bvp", &(bvp_open_options){.mode = BVP_OPEN_TRUSTED});
}

static int open_isolated(void)
{
    return open_and_ask("../in/tree.bvp", &(bvp_open_options){.mode = BVP_OPEN_ISOLATED});
}

static int open_thin(void)
{
    return open_and_ask("../in/thin.bvp", &(bvp_open_options){.verify_lazily = 1});
}

static int open_descriptor(void)
{
    bvp_file *file = NULL;
    const int fd = open("../in/tree.bvp", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return end("open", BVP_ERR_SYSTEM, 0);
    shared->error = (bvp_error){.status = BVP_OK};
    const bvp_status status = bvp_open_fd(fd, NULL, &file, &shared->error);
    close(fd);
    if (status != BVP_OK)
        return end("bvp_open_fd", status, 1);
    const int result = ask_tables(file);
    bvp_close(file);
    return result;
}

static int open_bytes(void)
{
    bvp_file *file = NULL;
    TRY(bvp_open_memory, given.bytes, given.size, NULL, &file);
    const int result = ask_tables(file);
    bvp_close(file);
    return result;
}

static int open_signed(void)
{
    bvp_file *file = NULL;
    uint8_t digest[32];
    if (!given.has_digests)
        return 0;
    TRY(bvp_open, "../in/signed.bvp", NULL, &file);
    shared->error = (bvp_error){.status = BVP_OK};
    const bvp_status status = bvp_get_digest(file, digest, &shared->error);
    bvp_close(file);
    if (status != BVP_OK)
        return end("bvp_get_digest", status, 1);
    NOTE(digest);
    return open_and_ask("../in/signed.bvp", &(bvp_open_options){.digest = digest});
}

static int ask_lazy(void)
{
    return ask_queries(given.lazy) || ask_tables(given.lazy);
}

static int ask_thin(void)
{
    return ask_queries(given.thin) || ask_tables(given.thin);
}

static int verify(void)
{
    TRY(bvp_verify, given.bytes, given.size, on_finding, NULL);
    TRY(bvp_verify_controlled, given.bytes, given.size, NULL, on_finding, NULL);
    TRY(bvp_verify_file, given.kinds, on_finding, NULL);
    TRY(bvp_verify_file, given.thin, on_finding, NULL);
    TRY(bvp_verify_part, given.plain, 0, on_finding, NULL);
    return 0;
}

static int annotate(void)
{
    ASK(bvp_annotate, given.kinds, on_annotation, NULL);
    return 0;
}

static int refit(void)
{
    static float positions[3 * 4096];
    const bvp_body body = {.file = given.soft, .part = 0};
    uint64_t count;
    ASK(bvp_get_vertices, given.soft, 0, 0, 4096, positions, &count);
    for (uint64_t i = 0; i < 3 * count; i++)
        positions[i] *= 2;
    TRY(bvp_refit, given.soft, 0, positions, count);
    return ask_one(&body);
}

/* ---- cases: building ----------------------------------------------------------------------------
 */

static const bvp_hierarchy_spec all_kinds[] = {{.kind = BVP_KIND_WIDE},
                                               {.kind = BVP_KIND_BOXTREE},
                                               {.kind = BVP_KIND_AABB},
                                               {.kind = BVP_KIND_OBB},
                                               {.kind = BVP_KIND_RSS}};

static int weld(void)
{
    uint32_t *indices = NULL;
    void *positions = NULL;
    uint64_t count = 0;
    TRY(bvp_weld, &given.mesh, 2, &indices, &positions, &count);
    note(indices, 3 * sizeof *indices * given.soup_count);
    NOTE(count);
    free(indices);
    free(positions);
    return 0;
}

static int find_strays(void)
{
    bvp_mesh mesh = given.mesh;
    uint32_t *groups = NULL, count = 0;
    given.soup[0] = 1e12f;
    TRY(bvp_find_strays, &mesh, &groups, &count, NULL);
    NOTE(count);
    if (groups)
        note(groups, sizeof *groups * given.soup_count);
    free(groups);
    return 0;
}

static int add_tree(bvp_builder *builder, uint32_t part)
{
    uint32_t root, node;
    TRY(bvp_builder_add_node, builder, BVP_NONE, "root", NULL, NULL, BVP_NONE, &root);
    TRY(bvp_builder_add_node, builder, root, "node", "id", NULL, part, &node);
    TRY(bvp_builder_add_property, builder, node, "material", "steel");
    return 0;
}

static int add_all(bvp_builder *builder)
{
    bvp_part_info info = {.triangle_count = 0};
    uint32_t part, packed, borrowed;
    TRY(bvp_builder_add_part, builder, &given.mesh, &part);
    TRY(bvp_builder_add_packed, builder, given.plain, 0, "packed", NULL, &packed);
    TRY(bvp_builder_borrow_packed, builder, given.ring, 0, "borrowed", NULL, &borrowed);
    ASK(bvp_builder_get_part, builder, part, &info);
    NOTE(info.content_hash);
    return add_tree(builder, part) || add_tree(builder, packed) || add_tree(builder, borrowed);
}

static int finish_as_file(bvp_builder *builder)
{
    bvp_build_report report;
    if (add_all(builder) != 0)
        return -1;
    TRY(bvp_builder_finish, builder, "o.bvp", &report);
    NOTE(report.file_size);
    return 0;
}

static int finish_to_descriptor(bvp_builder *builder)
{
    if (add_all(builder) != 0)
        return -1;
    TRY(bvp_builder_finish_fd, builder, given.sink, NULL);
    return 0;
}

static int add_kinds(bvp_builder *builder)
{
    uint32_t part;
    bvp_mesh few = given.mesh;
    few.triangle_count /= 4;
    few.vertex_count /= 4;
    TRY(bvp_builder_add_part, builder, &few, &part);
    TRY(bvp_builder_finish_fd, builder, given.sink, NULL);
    return 0;
}

static int save_parts(bvp_builder *builder)
{
    bvp_part_info known = {.triangle_count = 0};
    bvp_mesh other = given.mesh;
    uint32_t part, added;
    other.triangle_count /= 2;
    other.vertex_count /= 2;
    TRY(bvp_builder_add_part, builder, &given.mesh, &part);
    TRY(bvp_builder_save_part, builder, part, "part.bvp");
    TRY(bvp_builder_add_part, builder, &other, &part);
    TRY(bvp_builder_save_part_fd, builder, part, given.sink);
    TRY(bvp_builder_add_packed, builder, given.plain, 0, NULL, NULL, &added);
    ASK(bvp_get_part, given.ring, 0, &known);
    TRY(bvp_builder_add_reference, builder, &known, "ring", NULL, &added);
    TRY(bvp_builder_finish, builder, "thin.bvp", NULL);
    return 0;
}

static int with_builder(const bvp_build_options *options, int (*use)(bvp_builder *builder))
{
    bvp_builder *builder = NULL;
    TRY(bvp_builder_new, options, &builder);
    const int result = use(builder);
    bvp_builder_free(builder);
    return result;
}

static int build_file(void)
{
    return with_builder(&(bvp_build_options){.thread_count = 1, .provenance = "{}"},
                        finish_as_file);
}

static int build_to_descriptor(void)
{
    return with_builder(&(bvp_build_options){.thread_count = 2}, finish_to_descriptor);
}

static int build_kinds(void)
{
    return with_builder(
        &(bvp_build_options){.thread_count = 2, .hierarchies = all_kinds, .hierarchy_count = 5},
        add_kinds);
}

static int build_thin(void)
{
    return with_builder(&(bvp_build_options){.thread_count = 1, .thin = 1, .store = "parts"},
                        save_parts);
}

static int save(void)
{
    TRY(bvp_save, given.plain, "{\"by\": \"test\"}", "o.bvp");
    TRY(bvp_save_fd, given.ring, NULL, given.sink);
    return 0;
}

static int convert(void)
{
    TRY(bvp_convert_fd, given.thin, 0, NULL, given.sink);
    TRY(bvp_convert_fd, given.plain, 1, "parts", given.sink);
    return 0;
}

/* ---- cases: clash -------------------------------------------------------------------------------
 */

static int on_clash(void *user, const bvp_clash_pair *pair)
{
    (void)user;
    NOTE(pair->a);
    NOTE(pair->b);
    NOTE(pair->verdict);
    NOTE(pair->distance);
    NOTE(pair->depth);
    note(bvp_verdict_name(pair->verdict), 3);
    return 0;
}

static int clash_with(const bvp_file *file, uint32_t threads)
{
    const bvp_clash_options options = {.limits = {.clearance = .2, .touch_gap = NAN},
                                       .detail = BVP_CLASH_CONTACTS,
                                       .thread_count = threads};
    bvp_clash_coverage coverage;
    bvp_clash_pair pair = {.a = 0};
    const double gap = bvp_clash_touch_gap(file, given.ring);
    NOTE(gap);
    TRY(bvp_clash, file, NULL, NULL, &options, on_clash, NULL, &coverage);
    NOTE(coverage.box_pairs);
    TRY(bvp_clash, file, given.ring, NULL, &options, on_clash, NULL, &coverage);
    ASK(bvp_clash_one, file, NULL, NULL, 0, 1, &options.limits, BVP_CLASH_DISTANCE, &pair);
    NOTE(pair.verdict);
    return 0;
}

static int clash_alone(void)
{
    return clash_with(given.plain, 1);
}

static int clash_in_threads(void)
{
    return clash_with(given.plain, 2);
}

static int clash_thin(void)
{
    return clash_with(given.thin, 1);
}

static int hash(void)
{
    uint8_t out[16];
    bvp_hash(given.bytes, given.size, out);
    NOTE(out);
    note(bvp_status_name(BVP_ERR_LIMIT), 5);
    return 0;
}

typedef struct function_case {
    const char *name;
    int (*ask)(void);
    int has_threads; /* which keep memory for those that come */
    const char *old; /* a file that is there before, or NULL */
} function_case;

static const function_case cases[] = {
    {"open", open_plain, 0, NULL},
    {"open kinds", open_kinds, 0, NULL},
    {"open isolated", open_isolated, 0, NULL},
    {"open thin", open_thin, 0, NULL},
    {"open descriptor", open_descriptor, 0, NULL},
    {"open bytes", open_bytes, 0, NULL},
    {"open signed", open_signed, 0, NULL},
    {"ask lazy", ask_lazy, 1, NULL},
    {"ask thin", ask_thin, 1, NULL},
    {"verify", verify, 1, NULL},
    {"annotate", annotate, 0, NULL},
    {"refit", refit, 0, NULL},
    {"weld", weld, 1, NULL},
    {"find strays", find_strays, 1, NULL},
    {"build file", build_file, 0, NULL},
    {"build over file", build_file, 0, "o.bvp"},
    {"build to descriptor", build_to_descriptor, 1, NULL},
    {"build kinds", build_kinds, 1, NULL},
    {"build thin", build_thin, 0, NULL},
    {"save", save, 0, NULL},
    {"save over file", save, 0, "o.bvp"},
    {"convert", convert, 1, NULL},
    {"clash", clash_alone, 1, NULL},
    {"clash in threads", clash_in_threads, 1, NULL},
    {"clash thin", clash_thin, 1, NULL},
    {"hash", hash, 0, NULL},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };
static const char old_text[] = "what was there before\n";

/* ---- one run ------------------------------------------------------------------------------------
 */

typedef struct result {
    fault_end end;
    answer answer;
    folder files;
} result;

static int run_case(void *user)
{
    const function_case *c = user;
    return c->ask() != 0;
}

static void note_sink(void)
{
    static uint8_t bytes[1 << 16];
    ssize_t got;
    for (off_t at = 0; (got = pread(given.sink, bytes, sizeof bytes, at)) > 0; at += got)
        note(bytes, (size_t)got);
}

/* In the current folder as it is. */
static result run(const function_case *c, const fault_plan *plan)
{
    result r = {.answer = {.status = BVP_OK}};
    *shared = (answer){.status = BVP_OK, .digest = UINT64_C(0xcbf29ce484222325)};
    if (ftruncate(given.sink, 0) != 0 || lseek(given.sink, 0, SEEK_SET) != 0)
        exit(99);
    r.end = fault_run(plan, run_case, (void *)c);
    note_sink();
    r.answer = *shared;
    r.files = folder_read(".");
    return r;
}

static result run_anew(const function_case *c, const fault_plan *plan)
{
    folder_empty(".", 0);
    FILE *old = c->old ? fopen(c->old, "w") : NULL;
    if (c->old && (!old || fputs(old_text, old) < 0 || fclose(old) != 0))
        exit(99);
    return run(c, plan);
}

/* ---- what must hold -----------------------------------------------------------------------------
 */

/* A file that is neither as at the end of a run without faults, nor as before; or, when all must be
 * there, one that is missing. */
static const char *odd_file(const function_case *c, const result *r, const result *whole,
                            int must_be_all)
{
    for (size_t i = 0; i < r->files.count; i++) {
        const folder_file *f = &r->files.files[i], *good = folder_find(&whole->files, f->path);
        const int is_good = good && f->size == good->size && !memcmp(f->data, good->data, f->size);
        const int is_old = c->old && strcmp(f->path, c->old) == 0 &&
                           f->size == sizeof old_text - 1 && !memcmp(f->data, old_text, f->size);
        if (!is_good && (must_be_all || !is_old))
            return f->path;
    }
    return must_be_all && r->files.count != whole->files.count ? "(one is missing)" : NULL;
}

static const char *judge_failure(const result *r, const fault_plan *plan)
{
    const answer *a = &r->answer;
    static char words[256];
    if (a->status != BVP_ERR_NO_MEMORY && a->status != BVP_ERR_SYSTEM) {
        snprintf(words, sizeof words, "%s says: %s", a->where, bvp_status_name(a->status));
        return words;
    }
    if (a->has_error && (a->error.status != a->status || a->error.message[0] == '\0'))
        return "fails without a word about it";
    if (plan->kind == FAULT_ALLOC && a->status == BVP_ERR_SYSTEM && a->has_error &&
        a->error.sys_errno != ENOMEM)
        return "takes missing memory for something else";
    return plan->kind == FAULT_SHORT ? "fails because a call did less than was asked" : NULL;
}

static const char *judge(const function_case *c, const result *r, const result *whole,
                         const fault_plan *plan)
{
    static char words[256];
    const char *odd;
    if (WIFSIGNALED(r->end.status)) {
        snprintf(words, sizeof words, "CRASH: %s", strsignal(WTERMSIG(r->end.status)));
        return words;
    }
    if (failing_alloc_is_own && !c->has_threads && plan->kind <= FAULT_ALLOC &&
        r->end.leaked != 0) {
        snprintf(words, sizeof words, "%lld blocks are not freed", (long long)r->end.leaked);
        return words;
    }
    if (WEXITSTATUS(r->end.status) == 0) {
        if (r->answer.digest != whole->answer.digest)
            return "no failure, another answer";
        odd = odd_file(c, r, whole, 1);
        snprintf(words, sizeof words, "no failure, another file: %s", odd ? odd : "");
        return odd ? words : NULL;
    }
    odd = odd_file(c, r, whole, 0);
    if (odd) {
        snprintf(words, sizeof words, "fails, and leaves %s", odd);
        return words;
    }
    return judge_failure(r, plan);
}

/* A kill leaves no half file of a final name; the same again leaves nothing else. */
static const char *judge_killed(const function_case *c, result *r, const result *whole,
                                fault_place place)
{
    const fault_plan none = {.kind = FAULT_NONE, .place = place};
    size_t kept = 0;
    for (size_t i = 0; i < r->files.count; i++) {
        const folder_file f = r->files.files[i];
        r->files.files[i] = r->files.files[kept];
        r->files.files[kept] = f;
        kept += strncmp(f.path, ".bvpack-", 8) != 0;
    }
    const size_t all = r->files.count;
    r->files.count = kept;
    const char *odd = odd_file(c, r, whole, 0);
    r->files.count = all;
    if (odd)
        return "killed: half a file is left";
    result next = run(c, &none);
    const char *what = judge(c, &next, whole, &none);
    folder_free(&next.files);
    return what;
}

/* ---- the loop -----------------------------------------------------------------------------------
 */

typedef struct trial {
    const fault_loop *loop;
    const function_case *function;
    const result *whole;
    uint64_t runs[FAULT_KIND_COUNT][FAULT_PLACE_COUNT], wrong, failed, killed;
} trial;

static void report(const trial *t, const fault_plan *plan, const char *what, const result *r)
{
    printf("FAIL %s: %s %s %llu%s%s%s: %s\n", t->function->name, fault_kind_name(plan->kind),
           fault_place_name(plan->place), (unsigned long long)plan->at, r->end.name[0] ? " " : "",
           r->end.name, plan->persists ? " and all after" : "", what);
    if (r->answer.status != BVP_OK)
        printf("  %s: %s: %s\n", r->answer.where, bvp_status_name(r->answer.status),
               r->answer.error.message);
}

static void visit(void *user, const fault_plan *plan)
{
    trial *t = user;
    result r = run_anew(t->function, plan);
    const int is_killed = plan->kind == FAULT_KILL && WIFSIGNALED(r.end.status);
    t->runs[plan->kind][plan->place]++;
    t->failed += WIFEXITED(r.end.status) && WEXITSTATUS(r.end.status) != 0;
    t->killed += is_killed;
    const char *what = is_killed ? judge_killed(t->function, &r, t->whole, plan->place)
                                 : judge(t->function, &r, t->whole, plan);
    t->wrong += what != NULL;
    if (what || t->loop->shows)
        report(t, plan, what ? what : "right", &r);
    folder_free(&r.files);
}

static uint64_t count_of(const function_case *c, fault_kind kind, fault_place place)
{
    const fault_plan plan = {.kind = kind, .place = place};
    result r = run_anew(c, &plan);
    const uint64_t seen = r.end.seen;
    folder_free(&r.files);
    return seen;
}

static void try_case(trial *t, const function_case *c, int has_calls)
{
    const fault_plan none = {.kind = FAULT_NONE};
    result whole = run_anew(c, &none);
    const char *what = whole.end.status != 0 ? "fails without any fault" : NULL;
    t->function = c;
    t->whole = &whole;
    if (!what)
        what = judge(c, &whole, &whole, &none);
    if (what) {
        report(t, &none, what, &whole);
        t->wrong++;
    }
    for (int k = FAULT_ALLOC; k < FAULT_KIND_COUNT; k++)
        for (int p = FAULT_HERE; p <= FAULT_NAMED; p++) {
            const fault_kind kind = (fault_kind)k;
            const fault_place place = (fault_place)p;
            const int is_file = whole.files.count > 0 && (k == FAULT_CALL || k == FAULT_KILL);
            if ((k == FAULT_ALLOC || has_calls) && (p == FAULT_HERE || is_file) &&
                fault_is_wanted(t->loop, kind, place))
                fault_each(t->loop, kind, place, count_of(c, kind, place), (uint64_t)(c - cases),
                           visit, t);
        }
    folder_free(&whole.files);
}

int main(int argc, char **argv)
{
    fault_loop loop = {.runs = 2};
    trial t = {.loop = &loop};
    char path[PATH_MAX];
    if (fault_parse(&loop, argc, argv) != 0)
        return 2;
    const char *missing = failing_calls_missing();
    if (missing)
        printf("system calls are left out: %s\n", missing);
    fflush(stdout);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || inputs_enter(path) != 0)
        return 99;
    make_given();
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (!loop.only || strstr(cases[i].name, loop.only))
            try_case(&t, &cases[i], missing == NULL);
        fflush(stdout);
    }
    if (chdir("/") == 0)
        folder_empty(path, 1);
    for (int kind = FAULT_ALLOC; kind < FAULT_KIND_COUNT; kind++)
        for (int place = 0; place < FAULT_PLACE_COUNT; place++)
            if (t.runs[kind][place] > 0)
                printf("%s %s: %llu runs\n", fault_kind_name((fault_kind)kind),
                       fault_place_name((fault_place)place),
                       (unsigned long long)t.runs[kind][place]);
    printf("%llu failed, %llu killed; %llu wrong\n", (unsigned long long)t.failed,
           (unsigned long long)t.killed, (unsigned long long)t.wrong);
    return t.wrong > 0;
}

#if defined(__SANITIZE_ADDRESS__)
/* A process that is watched can't look for leaks; blocks are counted. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}
#endif
