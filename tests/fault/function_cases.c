/* SPDX-License-Identifier: MIT
 * function_cases.c: uses of the public functions: files opened, asked, built, saved, clashed.
 */
#define _GNU_SOURCE
#include "function_cases.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "ask_file.h"
#include "bvpack_build.h"
#include "bvpack_clash.h"

/* ---- what is given: opened once, in the state in which each case finds it -------------------- */

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

void function_cases_begin(void)
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

void function_cases_empty_sink(void)
{
    if (ftruncate(given.sink, 0) != 0 || lseek(given.sink, 0, SEEK_SET) != 0)
        exit(99);
}

void function_cases_note_sink(void)
{
    static uint8_t bytes[1 << 16];
    ssize_t got;
    for (off_t at = 0; (got = pread(given.sink, bytes, sizeof bytes, at)) > 0; at += got)
        note(bytes, (size_t)got);
}

/* ---- cases: opening -------------------------------------------------------------------------- */

static int open_and_ask(const char *path, const bvp_open_options *options)
{
    bvp_file *file = NULL;
    TRY(bvp_open, path, options, &file);
    const int result = ask_all(file, given.ring);
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

static bvp_status read_bytes(void *user, uint64_t offset, uint64_t size, void *out,
                             bvp_error *error)
{
    (void)error;
    memcpy(out, (const uint8_t *)user + offset, (size_t)size);
    return BVP_OK;
}

static int open_source(void)
{
    bvp_file *file = NULL;
    const bvp_source source = {
        .size = given.size, .read = read_bytes, .user = (void *)(uintptr_t)given.bytes};
    TRY(bvp_open_source, &source, NULL, &file);
    int result = ask_tables(file);
    if (result == 0) {
        shared->error = (bvp_error){.status = BVP_OK};
        const bvp_status status = bvp_get_source_error(file, &shared->error);
        result = status == BVP_OK ? 0 : end("bvp_get_source_error", status, 1);
    }
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
    return ask_queries(given.lazy, given.ring) || ask_tables(given.lazy);
}

static int ask_thin(void)
{
    return ask_queries(given.thin, given.ring) || ask_tables(given.thin);
}

/* Packs a soup over buffers, opens it, binds them and asks. */
static int bind_buffers(void)
{
    const bvp_buffers all = {.positions = given.soup,
                             .vertex_count = 3 * (uint64_t)given.soup_count,
                             .triangle_count = given.soup_count,
                             .position_offset = BVP_NOWHERE,
                             .index_offset = BVP_NOWHERE};
    const bvp_mesh mesh = {.buffers = &all, .buffer_count = 1};
    const bvp_build_options options = {.thread_count = 1, .share = 1};
    bvp_builder *builder = NULL;
    bvp_buffers found;
    bvp_file *file = NULL;
    uint32_t part = 0, count = 0;
    TRY(bvp_builder_new, &options, &builder);
    bvp_status status = bvp_builder_add_part(builder, &mesh, &part, &shared->error);
    if (status == BVP_OK)
        status = bvp_builder_finish(builder, "o.bvp", NULL, &shared->error);
    bvp_builder_free(builder);
    if (status != BVP_OK)
        return end("building over buffers", status, 1);
    TRY(bvp_open, "o.bvp", NULL, &file);
    status = bvp_bind(file, part, &all, 1, &shared->error);
    if (status != BVP_OK) {
        bvp_close(file);
        return end("bvp_bind", status, 1);
    }
    const bvp_body body = {.file = file, .part = part};
    int result = bvp_get_buffers(file, part, &found, 1, &count) != BVP_OK || count != 1;
    NOTE(found.vertex_count);
    result = result || ask_one(&body);
    bvp_close(file);
    return result;
}

static int on_finding(void *user, const bvp_finding *finding)
{
    (void)user;
    note(finding->rule, strlen(finding->rule));
    return 0;
}

static int verify(void)
{
    TRY(bvp_verify, given.bytes, given.size, on_finding, NULL);
    const bvp_verify_options two = {.thread_count = 2, .callback = on_finding};
    TRY(bvp_verify_with, given.bytes, given.size, &two);
    TRY(bvp_verify_file, given.kinds, on_finding, NULL);
    TRY(bvp_verify_file, given.thin, on_finding, NULL);
    TRY(bvp_verify_part, given.plain, 0, on_finding, NULL);
    return 0;
}

static int on_annotation(void *user, const bvp_annotation *annotation)
{
    (void)user;
    NOTE(annotation->offset);
    note(annotation->value, strlen(annotation->value));
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

/* ---- cases: building ------------------------------------------------------------------------- */

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

static int hull_points(void)
{
    enum { COUNT = 27 };
    double points[3 * COUNT];
    uint32_t kept[COUNT];
    uint64_t count;
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0, rest = i; k < 3; k++, rest /= 3)
            points[3 * i + k] = rest % 3;
    TRY(bvp_hull_points, points, COUNT, kept, &count);
    note(kept, sizeof *kept * count);
    return 0;
}

static int add_tree(bvp_builder *builder, uint32_t part)
{
    uint32_t root, node;
    TRY(bvp_builder_add_node, builder,
        &(bvp_new_node){.parent = BVP_NONE, .name = "root", .part = BVP_NONE}, &root);
    TRY(bvp_builder_add_node, builder,
        &(bvp_new_node){.parent = root, .name = "node", .source_id = "id", .part = part}, &node);
    TRY(bvp_builder_add_property, builder, node, "material", "steel");
    return 0;
}

static int add_all(bvp_builder *builder)
{
    bvp_part_info info = {.triangle_count = 0};
    uint32_t part, packed, borrowed;
    TRY(bvp_builder_add_part, builder, &given.mesh, &part);
    TRY(bvp_builder_add_packed, builder,
        &(bvp_packed_part){.file = given.plain, .part = 0, .name = "packed"}, &packed);
    TRY(bvp_builder_add_packed, builder,
        &(bvp_packed_part){.file = given.ring, .part = 0, .name = "borrowed", .borrow = 1},
        &borrowed);
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
    TRY(bvp_builder_add_packed, builder, &(bvp_packed_part){.file = given.plain, .part = 0},
        &added);
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

static bvp_status next_triangles(void *user, void *corners, uint32_t *ids, uint32_t room,
                                 uint32_t *count, bvp_error *error)
{
    uint32_t *at = user;
    (void)error;
    *count = given.soup_count - *at < room ? given.soup_count - *at : room;
    memcpy(corners, given.soup + 9 * (size_t)*at, *count * 36);
    for (uint32_t i = 0; i < *count; i++)
        ids[i] = *at + i;
    *at += *count;
    return BVP_OK;
}

static int finish_stream(bvp_builder *builder)
{
    uint32_t at = 0, part;
    const bvp_triangle_stream stream = {.next = next_triangles, .user = &at, .name = "stream"};
    const bvp_build_options source = {.unit_in_metres = .001, .provenance = "{}"};
    TRY(bvp_builder_add_stream, builder, &stream, &part);
    TRY(bvp_builder_set_source, builder, &source);
    /* so few triangles are no share's */
    const bvp_triangle_stream dealt = {.next = next_triangles, .state = "no/state"};
    if (bvp_builder_build_share(builder, &dealt, 1, 2, NULL) == BVP_OK)
        return -1;
    bvp_builder_remove_state("no/state");
    TRY(bvp_builder_finish_fd, builder, given.sink, NULL);
    return 0;
}

static int build_stream(void)
{
    return with_builder(&(bvp_build_options){.thread_count = 1, .temporary = "."}, finish_stream);
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
    TRY(bvp_repack_fd, given.plain, &(bvp_build_options){.thread_count = 1}, given.sink);
    return 0;
}

/* ---- cases: clash ---------------------------------------------------------------------------- */

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
    const double least = bvp_clash_coordinate_gap(file, given.ring);
    NOTE(gap);
    NOTE(least);
    TRY(bvp_clash, &(bvp_clash_scene){.a = file}, &options, on_clash, NULL, &coverage);
    NOTE(coverage.box_pairs);
    TRY(bvp_clash, &(bvp_clash_scene){.a = file, .b = given.ring}, &options, on_clash, NULL,
        &coverage);
    ASK(bvp_clash_one, &(bvp_clash_scene){.a = file}, 0, 1, &options.limits, BVP_CLASH_DISTANCE,
        &pair);
    NOTE(pair.verdict);
    bvp_contact contact = {.depth = 0};
    bvp_penetration_result deep = {.depth = 0};
    const double lifted[12] = {1, 0, 0, .1, 0, 1, 0, .2, 0, 0, 1, .3};
    const bvp_body all = {.file = file, .part = BVP_ASSEMBLY};
    const bvp_body moved = {.file = given.ring, .part = BVP_ASSEMBLY, .placement = lifted};
    ASK(bvp_penetration, &all, &moved, (bvp_array){&contact, 0, 1}, &deep);
    NOTE(deep.depth_upper);
    NOTE(contact.depth);
    bvp_clash_range ranges[BVP_CLASH_SHARE_RANGES];
    uint32_t count;
    TRY(bvp_clash_share, &(bvp_clash_scene){.a = file}, &options, 1, 2, ranges, &count);
    NOTE(count);
    const bvp_const_array array = {ranges, 0, count};
    bvp_clash_options of_share = options;
    of_share.ranges = &array;
    TRY(bvp_clash, &(bvp_clash_scene){.a = file}, &of_share, on_clash, NULL, &coverage);
    NOTE(coverage.instance_count);
    return 0;
}

static int clash_zones(void)
{
    static const bvp_clash_zone zones[3] = {
        {{.kind = BVP_CONVEX_SPHERE, .radius = .4}, "ball"},
        {{.kind = BVP_CONVEX_CAPSULE, .radius = .01, .length = 3}, "rod"},
        {{.kind = BVP_CONVEX_BOX, .size = {9, 9, 9}}, NULL}};
    const bvp_const_array array = {zones, 0, 3};
    const bvp_clash_options options = {.limits = {.clearance = .2, .touch_gap = NAN},
                                       .detail = BVP_CLASH_CONTACTS,
                                       .thread_count = 1,
                                       .zones = &array};
    bvp_clash_coverage coverage;
    bvp_clash_pair pair = {.a = 0};
    for (int k = 0; k < 2; k++) {
        const bvp_clash_scene scene = {.a = k == 0 ? given.plain : given.thin};
        TRY(bvp_clash, &scene, &options, on_clash, NULL, &coverage);
        NOTE(coverage.box_pairs);
        bvp_clash_range ranges[BVP_CLASH_SHARE_RANGES];
        uint32_t count;
        TRY(bvp_clash_share, &scene, &options, 0, 2, ranges, &count);
        NOTE(count);
        ASK(bvp_clash_one_zone, scene.a, 0, &zones[1], &options.limits, BVP_CLASH_DISTANCE, &pair);
        NOTE(pair.verdict);
    }
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

static int broad_phase(void)
{
    return ask_broad(given.plain, BVP_ASSEMBLY) || ask_broad(given.thin, 0);
}

static int hash(void)
{
    uint8_t out[16];
    bvp_hash(given.bytes, given.size, out);
    NOTE(out);
    note(bvp_status_name(BVP_ERR_LIMIT), 5);
    return 0;
}

const function_case function_cases[] = {
    {"open", open_plain, 0, NULL},
    {"open kinds", open_kinds, 0, NULL},
    {"open isolated", open_isolated, 0, NULL},
    {"open thin", open_thin, 0, NULL},
    {"open descriptor", open_descriptor, 0, NULL},
    {"open bytes", open_bytes, 0, NULL},
    {"open source", open_source, 0, NULL},
    {"open signed", open_signed, 0, NULL},
    {"ask lazy", ask_lazy, 1, NULL},
    {"ask thin", ask_thin, 1, NULL},
    {"bind buffers", bind_buffers, 0, NULL},
    {"verify", verify, 1, NULL},
    {"annotate", annotate, 0, NULL},
    {"refit", refit, 0, NULL},
    {"weld", weld, 1, NULL},
    {"find strays", find_strays, 1, NULL},
    {"hull points", hull_points, 1, NULL},
    {"build file", build_file, 0, NULL},
    {"build over file", build_file, 0, "o.bvp"},
    {"build to descriptor", build_to_descriptor, 1, NULL},
    {"build stream", build_stream, 1, NULL},
    {"build kinds", build_kinds, 1, NULL},
    {"build thin", build_thin, 0, NULL},
    {"save", save, 0, NULL},
    {"save over file", save, 0, "o.bvp"},
    {"convert", convert, 1, NULL},
    {"clash", clash_alone, 1, NULL},
    {"clash in threads", clash_in_threads, 1, NULL},
    {"clash thin", clash_thin, 1, NULL},
    {"clash zones", clash_zones, 1, NULL},
    {"broad phase", broad_phase, 1, NULL},
    {"hash", hash, 0, NULL},
};
const size_t function_case_count = sizeof function_cases / sizeof function_cases[0];
