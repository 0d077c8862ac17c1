/* SPDX-License-Identifier: MIT
 * test_triangle_stream.c: a model that goes by in batches is the one that is read into memory:
 * the same triangles, numbers, warnings and refusals, and the same packed bytes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "compress/piecewise_hash.h"
#include "import_case.h"
#include "stream/triangle_stream.h"
#include "suite.h"

/* All triangles of a stream. */
typedef struct gathered {
    char *corners;
    uint32_t *ids;
    size_t count;
    int is_double;
    bvp_status status;
    bvp_error error;
} gathered;

static void gather_from(triangle_stream *s, size_t most, gathered *g)
{
    size_t got = most, capacity = 0;
    g->is_double = triangle_stream_is_double(s);
    g->count = 0;
    const size_t width = 9 * (g->is_double ? sizeof(double) : sizeof(float));
    while (g->status == BVP_OK && got == most) {
        if (g->count + most > capacity) {
            capacity = 2 * capacity + most;
            g->corners = realloc(g->corners, capacity * width);
            g->ids = realloc(g->ids, capacity * sizeof *g->ids);
        }
        g->status = triangle_stream_next(s, g->corners + g->count * width, g->ids + g->count, most,
                                         &got, &g->error);
        g->count += got;
    }
    if (g->status != BVP_OK)
        return;
    ck_assert_int_eq(triangle_stream_next(s, NULL, NULL, 0, &got, NULL), BVP_OK);
    ck_assert_uint_eq(got, 0);
    const uint64_t total = triangle_stream_total(s);
    ck_assert(total == 0 || total >= g->count);
}

static void gathered_free(gathered *g)
{
    free(g->corners);
    free(g->ids);
}

/* Of a mesh in memory. */
static const void *corner_bytes(const model_mesh *mesh, uint64_t triangle, int corner)
{
    const size_t width = 3 * (mesh->is_double ? sizeof(double) : sizeof(float));
    return (const char *)mesh->positions + mesh->indices[3 * triangle + corner] * width;
}

static void expect_same_triangles(const char *path, const model_mesh *mesh, const gathered *g)
{
    ck_assert_msg(mesh->is_double == g->is_double, "%s", path);
    ck_assert_msg(mesh->triangle_count == g->count, "%s: %llu, %zu", path,
                  (unsigned long long)mesh->triangle_count, g->count);
    const size_t width = 3 * (mesh->is_double ? sizeof(double) : sizeof(float));
    for (size_t i = 0; i < g->count; i++) {
        ck_assert_msg(g->ids[i] == (mesh->ids ? mesh->ids[i] : i), "%s: triangle %zu", path, i);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(
                memcmp(corner_bytes(mesh, i, k), g->corners + (3 * i + k) * width, width) == 0,
                "%s: triangle %zu", path, i);
    }
}

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All but the arrays. */
static void expect_same_model(const char *path, const model *a, const model *b)
{
    ck_assert_msg(b->mesh_count == 1, "%s", path);
    ck_assert_msg(same_text(a->format, b->format), "%s", path);
    ck_assert_msg(same_text(a->meshes[0].name, b->meshes[0].name), "%s", path);
    ck_assert_msg(same_text(a->meshes[0].colours, b->meshes[0].colours), "%s", path);
    ck_assert_uint_eq(a->meshes[0].triangle_count, b->meshes[0].triangle_count);
    ck_assert_msg(a->unit_in_metres == b->unit_in_metres && a->up == b->up, "%s", path);
    ck_assert_msg(a->node_count == b->node_count, "%s", path);
    for (uint32_t i = 0; i < a->node_count; i++) {
        const model_node *m = &a->nodes[i], *n = &b->nodes[i];
        ck_assert(m->parent == n->parent && m->mesh == n->mesh && same_text(m->name, n->name));
        ck_assert(memcmp(m->placement, n->placement, sizeof m->placement) == 0);
        ck_assert_uint_eq(m->property_count, n->property_count);
    }
    ck_assert_msg(a->warning_count == b->warning_count, "%s: %u, %u warnings", path,
                  a->warning_count, b->warning_count);
    for (uint32_t i = 0; i < a->warning_count; i++) {
        ck_assert_str_eq(a->warnings[i].text, b->warnings[i].text);
        ck_assert_uint_eq(a->warnings[i].count, b->warnings[i].count);
    }
    ck_assert_uint_eq(a->file_count, b->file_count);
}

/* The bytes that a builder makes of a mesh; to be freed. */
static char *pack(const bvp_mesh *mesh, size_t *size)
{
    const bvp_build_options options = {.thread_count = 1};
    bvp_builder *b;
    bvp_error error;
    uint32_t part, node;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(bvp_builder_new(&options, &b, &error), BVP_OK);
    ck_assert_int_eq(bvp_builder_add_part(b, mesh, &part, &error), BVP_OK);
    ck_assert_int_eq(
        bvp_builder_add_node(b, &(bvp_new_node){.parent = BVP_NONE, .part = part}, &node, &error),
        BVP_OK);
    ck_assert_int_eq(bvp_builder_finish_fd(b, fileno(file), NULL, &error), BVP_OK);
    bvp_builder_free(b);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    char *bytes = malloc(*size);
    rewind(file);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* A soup of the stream's triangles is the same mesh to the builder. */
static void expect_same_file(const model_mesh *mesh, const gathered *g)
{
    const bvp_mesh whole = {.positions = mesh->positions,
                            .is_double = mesh->is_double,
                            .vertex_count = mesh->vertex_count,
                            .indices = mesh->indices,
                            .triangle_count = mesh->triangle_count,
                            .ids = mesh->ids};
    const bvp_mesh soup = {.positions = g->corners,
                           .is_double = g->is_double,
                           .vertex_count = 3 * g->count,
                           .triangle_count = g->count,
                           .ids = g->ids};
    size_t sizes[2];
    char *one = pack(&whole, &sizes[0]), *other = pack(&soup, &sizes[1]);
    ck_assert_uint_eq(sizes[0], sizes[1]);
    ck_assert(memcmp(one, other, sizes[0]) == 0);
    free(one);
    free(other);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = aligned_alloc(4096, (*size + 4096) / 4096 * 4096);
    ck_assert_uint_eq(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void expect_same_hash(triangle_stream *s, const char *data, size_t size)
{
    uint8_t wanted[16], found[16];
    uint64_t found_size;
    bvp_hash(data, size, wanted);
    ck_assert_int_eq(triangle_stream_hash(s, found, &found_size, NULL), BVP_OK);
    ck_assert_uint_eq(found_size, size);
    ck_assert(memcmp(wanted, found, sizeof wanted) == 0);
}

/* The reading of a file into memory, beside which streams of it are held. */
typedef struct reference {
    const char *path, *dir;
    char *data;
    size_t size;
    import_options options;
    bvp_status status;
    bvp_error error;
    model model;
} reference;

static void read_reference(reference *r)
{
    r->data = read_whole(r->path, &r->size);
    r->status =
        model_import_memory(r->data, r->size, r->path, r->dir, &r->options, &r->model, &r->error);
}

static void reference_free(reference *r)
{
    if (r->status == BVP_OK)
        model_free(&r->model);
    free(r->data);
}

/* Returns 1 when the model is a stream. */
static int compare_with(const reference *r, const char *path, size_t most, int is_packed)
{
    gathered g = {0};
    triangle_stream *s;
    g.status = triangle_stream_open(path, &r->options, ".", &s, &g.error);
    if (g.status == BVP_OK)
        gather_from(s, most, &g);
    if (r->status != BVP_OK && strstr(g.error.message, "more than one part")) {
        ck_assert_int_ne(g.status, BVP_OK); /* what is wrong may lie in another part */
    } else if (r->status != BVP_OK) {
        ck_assert_msg(g.status == r->status && strcmp(g.error.message, r->error.message) == 0,
                      "%s: %s\n%s", r->path, g.error.message, r->error.message);
    } else if (g.status != BVP_OK) {
        const char *phrase = r->model.mesh_count > 1 ? "more than one part" : "leave out --memory";
        ck_assert_msg(strstr(g.error.message, phrase) != NULL, "%s: %s", r->path, g.error.message);
    } else {
        ck_assert_msg(r->model.mesh_count == 1, "%s", r->path);
        expect_same_triangles(r->path, &r->model.meshes[0], &g);
        expect_same_model(r->path, &r->model, triangle_stream_model(s));
        expect_same_hash(s, r->data, r->size);
        if (is_packed)
            expect_same_file(&r->model.meshes[0], &g);
    }
    const int is_stream = g.status == BVP_OK;
    if (s)
        triangle_stream_close(s);
    gathered_free(&g);
    return is_stream;
}

/* ---- models that there are ------------------------------------------------------------------- */

static int is_flat_name(const char *name)
{
    static const char *const endings[] = {"stl", "obj", "ply", "off", "glb", "gltf", "STL"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot + 1, endings[i]) == 0)
            return 1;
    return 0;
}

/* Returns how many models of the folder are streams. */
static int compare_folder(const char *root, const char *sub)
{
    char dir[4096];
    int streams = 0;
    snprintf(dir, sizeof dir, "%s/%s", root, sub);
    DIR *list = opendir(dir);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char path[4400];
        if (!is_flat_name(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        struct stat info;
        const int is_large = stat(path, &info) == 0 && info.st_size > 1 << 20;
        for (int drop = 0; drop < 2 - is_large; drop++) {
            reference r = {
                .path = path, .dir = dir, .options = {.thread_count = 2, .drop_invalid = drop}};
            read_reference(&r);
            const int is_small = r.size < 300000;
            const int is_stream = compare_with(&r, path, is_small ? 7 : 5000, is_small);
            ck_assert_int_eq(compare_with(&r, path, 4096, 0), is_stream);
            streams += is_stream;
            reference_free(&r);
        }
    }
    if (list)
        closedir(list);
    return streams;
}

START_TEST(models)
{
    const char *source = getenv("BVP_SRCDIR"), *shared = getenv("BVP_SHARED");
    char beside[4096];
    source = source ? source : ".";
    snprintf(beside, sizeof beside, "%s/../shared", source);
    ck_assert_int_ge(compare_folder(source, "samples/models"), 4);
    shared = shared ? shared : beside;
    if (access(shared, R_OK) != 0) {
        puts("only samples/models are compared: there is no test data beside the sources");
        return;
    }
    ck_assert_int_ge(compare_folder(shared, "models/mesh"), 4);
    compare_folder(shared, "models/pairs");
    compare_folder(shared, "models/bad");
}
END_TEST

/* ---- hostile files --------------------------------------------------------------------------- */

static void put_bytes(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static const char ascii_stl[] =
    "solid part of two\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1.5 0 0\n"
    "  vertex 0 1e-3 0\n endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n"
    "vertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\n"
    "vertex 0.1 0 2\nvertex 1 123456.7890123 0\nendloop\nendfacet\nendsolid\n"
    "solid empty\nendsolid\n";
static const char obj_text[] =
    "# a few faces\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 2 0\nv 0 0 inf\nv 0.1 0.25 7\n"
    "usemtl red\nf 1 2 3 4\nf 1/1 2//3 5\nf 1 2\nf -7 -6 -3\nf 1 2 3 5 4\nf 1 2 6\nf 1 \\\n 2 7\n"
    "f 8 1 2\nv 3 3 3\np 1 2\nf 8 1 2\n";
static const char two_objects[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\no b\nf 3 2 1\n";
static const char ply_text[] =
    "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty double y\nproperty "
    "float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n"
    "1 1 0.3\n0 1.123456789012 0\nnan 0 0\n4 0 1 2 3\n3 0 1 2\n2 0 1\n3 0 1 4\n";
static const char off_text[] = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 1e9\n4 0 1 2 3\n3 0 1 3\n";

static size_t make_binary_stl(uint8_t *out, uint32_t count)
{
    memset(out, 0, 84 + 50 * (size_t)count);
    memcpy(out, "header", 6);
    out[80] = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const float corners[9] = {(float)i, 0, 0, 1, i == 3 ? INFINITY : 0, 0, 0, 1, -0.0f};
        memcpy(out + 84 + 50 * i + 12, corners, sizeof corners);
    }
    return 84 + 50 * (size_t)count;
}

static void compare_bytes(const char *name, const void *data, size_t size)
{
    put_bytes(name, data, size);
    for (int drop = 0; drop < 2; drop++) {
        reference r = {
            .path = name, .dir = ".", .options = {.thread_count = 1, .drop_invalid = drop}};
        read_reference(&r);
        compare_with(&r, name, 3, 0);
        reference_free(&r);
    }
    remove(name);
}

/* Every third cut, one byte more, and bytes changed at random. */
static void harm(const char *name, const void *data, size_t size)
{
    const char *given = getenv("BVP_SEED");
    uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 0) : 20261127;
    uint8_t *copy = malloc(size + 1);
    for (size_t cut = seed % 3; cut < size; cut += 3)
        compare_bytes(name, data, cut);
    memcpy(copy, data, size);
    copy[size] = ' ';
    compare_bytes(name, copy, size + 1);
    printf("%s: seed %u\n", name, seed);
    for (int i = 0; i < 100; i++) {
        static const char letters[] = "0123456789 \n-.evf#\\/o\xff";
        memcpy(copy, data, size);
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525 + 1013904223;
            copy[(seed >> 8) % size] = (uint8_t)letters[(seed >> 3) % (sizeof letters - 1)];
        }
        compare_bytes(name, copy, size);
    }
    free(copy);
}

START_TEST(harmed)
{
    uint8_t stl[84 + 50 * 6];
    harm("stream_case.stl", stl, make_binary_stl(stl, 6));
    harm("stream_case_text.stl", ascii_stl, strlen(ascii_stl));
    harm("stream_case.obj", obj_text, strlen(obj_text));
    harm("stream_case_two.obj", two_objects, strlen(two_objects));
    harm("stream_case.ply", ply_text, strlen(ply_text));
    harm("stream_case.off", off_text, strlen(off_text));
    harm("stream_case.triangles", stl, 36 * 5);
}
END_TEST

/* ---- pipes ----------------------------------------------------------------------------------- */

typedef struct feed {
    int fd;
    const void *data;
    size_t size;
} feed;

static void *write_feed(void *argument)
{
    const feed *f = argument;
    for (size_t done = 0; done < f->size;) {
        const ssize_t put = write(f->fd, (const char *)f->data + done, f->size - done);
        if (put <= 0)
            break;
        done += (size_t)put;
    }
    close(f->fd);
    return NULL;
}

static void compare_pipe(const char *name, const void *data, size_t size, const char *format)
{
    int ends[2];
    char path[64];
    pthread_t thread;
    put_bytes(name, data, size);
    reference r = {.path = name, .dir = ".", .options = {.thread_count = 1, .format = format}};
    read_reference(&r);
    ck_assert_int_eq(r.status, BVP_OK);
    ck_assert_int_eq(pipe(ends), 0);
    feed f = {ends[1], data, size};
    ck_assert_int_eq(pthread_create(&thread, NULL, write_feed, &f), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    ck_assert_int_eq(compare_with(&r, path, 1000, 0), 1);
    pthread_join(thread, NULL);
    close(ends[0]);
    reference_free(&r);
    remove(name);
}

START_TEST(pipes)
{
    enum { COUNT = 70000 }; /* more than a block */
    uint8_t *stl = calloc(1, 84 + 50 * COUNT);
    stl[80] = COUNT & 255;
    stl[81] = COUNT >> 8 & 255;
    stl[82] = COUNT >> 16;
    for (uint32_t i = 0; i < COUNT; i++)
        memcpy(stl + 84 + 50 * i + 12, (float[9]){(float)i, 1, 2, 3, 4, 5, 6, 7, 8}, 36);
    compare_pipe("stream_case.stl", stl, 84 + 50 * COUNT, NULL);
    compare_pipe("stream_case.bin", stl, 36 * COUNT, "triangles");
    free(stl);
    compare_pipe("stream_case.obj", two_objects, strlen(two_objects) - 10, NULL);
}
END_TEST

static void expect_refused_pipe(const void *data, size_t size, const char *format,
                                const char *phrase)
{
    const import_options options = {.format = format};
    int ends[2];
    char path[64];
    gathered g = {0};
    triangle_stream *s;
    ck_assert_int_eq(pipe(ends), 0);
    feed f = {ends[1], data, size};
    write_feed(&f);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    g.status = triangle_stream_open(path, &options, ".", &s, &g.error);
    if (s)
        gather_from(s, 100, &g);
    if (s && format)
        ck_assert_int_eq(triangle_stream_rewind(s, NULL), BVP_ERR_SYSTEM);
    ck_assert_int_ne(g.status, BVP_OK);
    ck_assert_msg(strstr(g.error.message, phrase) != NULL, "%s", g.error.message);
    triangle_stream_close(s);
    gathered_free(&g);
    close(ends[0]);
}

START_TEST(harmed_pipes)
{
    uint8_t stl[84 + 50 * 6];
    const size_t size = make_binary_stl(stl, 2);
    expect_refused_pipe(stl, size - 1, NULL, "the header announces 2 facets, 184 bytes, but the");
    expect_refused_pipe(stl, size + 50, NULL, "but more bytes follow");
    expect_refused_pipe(stl, 37, "triangles", "found 1 more bytes");
    expect_refused_pipe(stl, 0, "triangles", "no triangles");
    expect_refused_pipe(stl, make_binary_stl(stl, 6), NULL, "found inf");
    expect_refused_pipe("solid x\n", 8, NULL, "no triangles");
}
END_TEST

/* ---- the rest -------------------------------------------------------------------------------- */

START_TEST(rewound)
{
    const import_options options = {.thread_count = 1};
    uint8_t stl[84 + 50 * 3];
    for (int is_text = 0; is_text < 2; is_text++) {
        triangle_stream *s;
        bvp_error error;
        char corners[2 * 72];
        size_t count;
        gathered g = {0};
        if (is_text)
            put_bytes("stream_case.off", off_text, strlen(off_text));
        else
            put_bytes("stream_case.off", stl, make_binary_stl(stl, 3));
        ck_assert_int_eq(triangle_stream_open("stream_case.off", &options, ".", &s, &error),
                         BVP_OK);
        ck_assert_int_eq(triangle_stream_next(s, corners, NULL, 2, &count, &error), BVP_OK);
        ck_assert_uint_eq(count, 2);
        ck_assert_int_eq(triangle_stream_rewind(s, &error), BVP_OK);
        gather_from(s, 2, &g);
        ck_assert_int_eq(g.status, BVP_OK);
        ck_assert_uint_eq(g.count, 3);
        ck_assert_uint_eq(triangle_stream_total(s), 3);
        ck_assert(memcmp(corners, g.corners, g.is_double ? 2 * 72 : 2 * 36) == 0);
        uint64_t done, total;
        triangle_stream_progress(s, &done, &total);
        ck_assert_uint_le(done, total);
        triangle_stream_close(s);
        gathered_free(&g);
    }
    remove("stream_case.off");
}
END_TEST

/* A file of 2^32 records, which takes no disk space. */
START_TEST(too_many)
{
    const import_options options = {.thread_count = 1};
    triangle_stream *s;
    bvp_error error;
    const int fd = open("stream_case.triangles", O_CREAT | O_RDWR | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    if (ftruncate(fd, (off_t)36 << 32) == 0) {
        ck_assert_int_eq(triangle_stream_open("stream_case.triangles", &options, ".", &s, &error),
                         BVP_ERR_LIMIT);
        ck_assert_ptr_nonnull(strstr(error.message, "over 4,294,967,295 triangles"));
        ck_assert_int_eq(ftruncate(fd, ((off_t)36 << 32) - 36), 0);
        ck_assert_int_eq(triangle_stream_open("stream_case.triangles", &options, ".", &s, &error),
                         BVP_OK);
        ck_assert_uint_eq(triangle_stream_total(s), UINT32_MAX);
        triangle_stream_close(s);
    }
    close(fd);
    remove("stream_case.triangles");
}
END_TEST

/* A folder that is not there, and a text whose vertices need one. */
START_TEST(no_folder)
{
    const import_options options = {.thread_count = 1};
    triangle_stream *s;
    bvp_error error;
    put_bytes("stream_case.obj", obj_text, strlen(obj_text));
    ck_assert_int_eq(triangle_stream_open("stream_case.obj", &options, "./not/there", &s, &error),
                     BVP_ERR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(error.message, "temporary file in ./not/there"));
    ck_assert_int_eq(triangle_stream_open("no_such_file.obj", &options, ".", &s, &error),
                     BVP_ERR_SYSTEM);
    put_bytes("stream_case.obj", "ISO-10303-21;\n", 14);
    ck_assert_int_eq(triangle_stream_open("stream_case.obj", &options, ".", &s, &error),
                     BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "can't be read in bounded memory"));
    remove("stream_case.obj");
}
END_TEST

/* A grid as an OBJ file of 60 MB takes no more memory than one of 600 kB. */
static long memory_of_grid(int side)
{
    const import_options options = {.thread_count = 1};
    triangle_stream *s;
    bvp_error error;
    gathered g = {0};
    FILE *file = fopen("stream_grid.obj", "wb");
    ck_assert_ptr_nonnull(file);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            fprintf(file, "v %d.125 %d.25 0.5\n", x, y);
    for (int y = 1; y < side; y++)
        for (int x = 1; x < side; x++)
            fprintf(file, "f %d %d %d %d\n", (y - 1) * side + x, (y - 1) * side + x + 1,
                    y * side + x + 1, y * side + x);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(triangle_stream_open("stream_grid.obj", &options, ".", &s, &error), BVP_OK);
    static float corners[9 * 1000];
    size_t got = 1000;
    while (got == 1000) {
        ck_assert_int_eq(triangle_stream_next(s, corners, NULL, 1000, &got, &error), BVP_OK);
        g.count += got;
    }
    ck_assert_uint_eq(g.count, 2 * (size_t)(side - 1) * (side - 1));
    triangle_stream_close(s);
    remove("stream_grid.obj");
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss; /* KiB */
}

START_TEST(memory_is_constant)
{
    const long small = memory_of_grid(100), large = memory_of_grid(1200);
    ck_assert_msg(large - small < 32 << 10, "%ld KiB, %ld KiB", small, large);
}
END_TEST

/* Texts that several threads read in pieces: floats, and doubles from somewhere in the middle. */
START_TEST(large_texts)
{
    enum { FACETS = 60000 };
    for (int kind = 0; kind < 4; kind++) {
        const char *name = kind < 2 ? "stream_large.stl" : "stream_large.obj";
        FILE *file = fopen(name, "wb");
        ck_assert_ptr_nonnull(file);
        fputs(kind < 2 ? "solid large\n" : "o large\n", file);
        for (int i = 0; i < FACETS; i++) {
            const char *x = kind % 2 && i > FACETS / 2 ? "123456.789012345" : "0.1";
            if (kind < 2)
                fprintf(file,
                        "facet normal 0 0 1\nouter loop\nvertex 0 0 %d\nvertex %s %d 1\n"
                        "vertex 1.5e-1 %d.25 7\nendloop\nendfacet\n%40s\n",
                        i, x, i % 100, i % 9, "");
            else
                fprintf(file, "v 0 0 %d\nv %s %d 1\nv 1.5e-1 %d.25 7\nf -3 %d -1\n%90s\n", i, x,
                        i % 100, i % 9, 3 * i + 2, "");
        }
        fputs(kind < 2 ? "endsolid large\n" : "", file);
        ck_assert_int_eq(fclose(file), 0);
        reference r = {.path = name, .dir = ".", .options = {.thread_count = 3}};
        read_reference(&r);
        ck_assert_int_eq(r.status, BVP_OK);
        ck_assert_int_eq(r.model.meshes[0].is_double, kind % 2);
        ck_assert_int_eq(compare_with(&r, name, 1000, 0), 1);
        reference_free(&r);
        remove(name);
    }
}
END_TEST

SUITE(test_triangle_stream)
{
    const TTest *const tests[] = {models,   harmed,    pipes,       harmed_pipes,       rewound,
                                  too_many, no_folder, large_texts, memory_is_constant, NULL};
    return suite_run("triangle_stream", tests);
}
