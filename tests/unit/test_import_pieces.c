/* SPDX-License-Identifier: MIT
 * test_import_pieces.c: large texts that several threads read in pieces are the models, and have
 * the mistakes, that one thread reads, whatever stands where a piece may be cut.
 */
#include <inttypes.h>
#include <stdarg.h>
#include "import_case.h"
#include "suite.h"

static uint64_t state;

static uint32_t pick(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static void seed(void)
{
    const char *text = getenv("BVP_SEED");
    state = text ? strtoull(text, NULL, 0) : 20;
    printf("BVP_SEED=%" PRIu64 "\n", state);
}

typedef struct text {
    char *data;
    size_t size, capacity;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...)
{
    va_list arguments;
    if (t->capacity - t->size < 1024) {
        t->capacity = 2 * t->capacity + 4096;
        t->data = realloc(t->data, t->capacity);
        ck_assert_ptr_nonnull(t->data);
    }
    va_start(arguments, format);
    t->size += (size_t)vsnprintf(t->data + t->size, 1024, format, arguments);
    va_end(arguments);
}

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void expect_same_mesh(const model_mesh *a, const model_mesh *b)
{
    ck_assert(same_text(a->name, b->name) && same_text(a->colours, b->colours));
    ck_assert_int_eq(a->is_double, b->is_double);
    ck_assert_uint_eq(a->vertex_count, b->vertex_count);
    ck_assert_uint_eq(a->triangle_count, b->triangle_count);
    const size_t width = 3 * (a->is_double ? sizeof(double) : sizeof(float));
    ck_assert(memcmp(a->positions, b->positions, a->vertex_count * width) == 0);
    ck_assert(memcmp(a->indices, b->indices, a->triangle_count * 12) == 0);
    ck_assert((a->ids != NULL) == (b->ids != NULL));
    if (a->ids)
        ck_assert(memcmp(a->ids, b->ids, a->triangle_count * sizeof *a->ids) == 0);
}

/* Returns what reading it comes to. */
static bvp_status compare(const text *t, const char *format, int drop)
{
    model models[2];
    bvp_error errors[2] = {{0}};
    bvp_status statuses[2];
    for (uint32_t i = 0; i < 2; i++) {
        const import_options options = {
            .thread_count = 1 + 2 * i, .format = format, .drop_invalid = drop};
        statuses[i] =
            model_import_memory(t->data, t->size, "case", NULL, &options, &models[i], &errors[i]);
    }
    ck_assert_msg(statuses[0] == statuses[1], "%s\n%s", errors[0].message, errors[1].message);
    if (statuses[0] != BVP_OK) {
        ck_assert_str_eq(errors[0].message, errors[1].message);
        ck_assert_uint_eq(errors[0].offset, errors[1].offset);
        return statuses[0];
    }
    ck_assert_uint_eq(models[0].mesh_count, models[1].mesh_count);
    for (uint32_t i = 0; i < models[0].mesh_count; i++)
        expect_same_mesh(&models[0].meshes[i], &models[1].meshes[i]);
    ck_assert_uint_eq(models[0].warning_count, models[1].warning_count);
    for (uint32_t i = 0; i < models[0].warning_count; i++) {
        ck_assert_str_eq(models[0].warnings[i].text, models[1].warnings[i].text);
        ck_assert_uint_eq(models[0].warnings[i].count, models[1].warnings[i].count);
    }
    model_free(&models[0]);
    model_free(&models[1]);
    return BVP_OK;
}

/* ---- OBJ ------------------------------------------------------------------------------------ */

enum { OBJ_SIZE = 14 << 20, STL_SIZE = 12 << 20 }; /* several pieces of each */

static void put_coordinate(text *t)
{
    static const char *const odd[] = {"1e-3", "+5", "-.5", "7.", "123456.789012345678",
                                      "1e30", "-0", "0.1"};
    if (pick(16) == 0)
        put(t, " %s", odd[pick(8)]);
    else
        put(t, " %.*g", 1 + (int)pick(7), (double)pick(1000000) / 1000 - 500);
}

/* Lines of all kinds, with some vertices before the first face. */
static void make_obj(text *t, int is_odd)
{
    static const char *const ends[] = {"\n", "\n", "\n", "\r\n", "\r", " \n", "\n\n"};
    uint32_t vertices = 0;
    t->size = 0;
    while (t->size < OBJ_SIZE) {
        const uint32_t what = pick(is_odd ? 100 : 90);
        if (vertices < 10 || what < 45) {
            put(t, pick(50) ? "v" : " v\t");
            for (int k = 0; k < 3; k++)
                put_coordinate(t);
            if (pick(40) == 0)
                put(t, " \\\n 1 0 0");
            vertices++;
        } else if (what < 90) {
            const int corners = pick(10) ? 3 : 3 + (int)pick(3);
            put(t, "f");
            for (int k = 0; k < corners; k++) {
                const int is_back = is_odd && pick(20) == 0;
                if (is_odd && pick(60) == 0)
                    put(t, " \\\r\n");
                put(t, " %d%s", is_back ? -1 - (int)pick(9) : 1 + (int)pick(vertices),
                    pick(30) ? "" : "/3//4");
            }
        } else if (what < 92) {
            put(t, "o part %u", pick(100));
        } else if (what < 94) {
            put(t, "usemtl red\\");
        } else if (what < 95) {
            put(t, "mtllib none.mtl");
        } else if (what < 96) {
            put(t, "g a b c\\");
        } else if (what < 97) {
            put(t, "# f 1 2 3 \\");
        } else if (what < 98) {
            put(t, "vn 0 0 \\\n1");
        } else if (what < 99) {
            put(t, "p 1 2");
        } else {
            put(t, "what is this \\\n v 1 2 3");
        }
        put(t, "%s", ends[pick(7)]);
    }
}

START_TEST(obj)
{
    text t = {0};
    seed();
    for (int is_odd = 0; is_odd < 2; is_odd++) {
        make_obj(&t, is_odd);
        ck_assert_int_eq(compare(&t, "obj", 0), BVP_OK);
        const size_t whole = t.size;
        put(&t, "v 0 0 nan\nf 1 2 -1\n");
        ck_assert_int_eq(compare(&t, "obj", 0), BVP_ERR_ARGUMENT);
        ck_assert_int_eq(compare(&t, "obj", 1), BVP_OK);
        t.size = whole;
        put(&t, "f 1 2 99999999\n");
        ck_assert_int_eq(compare(&t, "obj", 0), BVP_ERR_CORRUPT);
        ck_assert_int_eq(compare(&t, "obj", 1), BVP_OK);
        t.size = whole;
        put(&t, "f 1 2 -99999999\n");
        ck_assert_int_eq(compare(&t, "obj", 0), BVP_ERR_CORRUPT);
        ck_assert_int_eq(compare(&t, "obj", 1), BVP_OK);
        t.size = whole;
        put(&t, "v 1 2,5 3\n");
        ck_assert_int_eq(compare(&t, "obj", 1), BVP_ERR_CORRUPT);
        /* two mistakes: the first one is told */
        memcpy(t.data + whole / 2, "\nv x y z\n", 9);
        ck_assert_int_eq(compare(&t, "obj", 1), BVP_ERR_CORRUPT);
    }
    free(t.data);
}
END_TEST

/* ---- STL ------------------------------------------------------------------------------------ */

static void put_facet(text *t, const char *odd)
{
    put(t, "  facet normal 0 0 endfacet\n    outer loop\n");
    for (int k = 0; k < 3; k++) {
        put(t, "      VERTEX");
        put(t, " %.6e", (double)pick(100) / 7);
        put(t, " %s", odd && k == 1 ? odd : "0.25");
        put(t, " %u\n", pick(50));
    }
    put(t, "    endloop\n  endfacet\n");
}

/* Solids: a large one, many small ones, and again a large one. odd: a coordinate of some facets. */
static void make_stl(text *t, const char *odd, uint32_t every)
{
    t->size = 0;
    put(t, "solid a endfacet name\n");
    while (t->size < STL_SIZE)
        put_facet(t, odd && every > 0 && pick(every) == 0 ? odd : NULL);
    for (int i = 0; i < 200; i++) {
        put(t, "endsolid a\nsolid facet endfacet\n");
        for (int k = (int)pick(50); k >= 0; k--)
            put_facet(t, NULL);
    }
    put(t, "endsolid endfacet\nsolid\n");
    while (t->size < 2 * STL_SIZE)
        put_facet(t, NULL);
    if (odd)
        put_facet(t, odd);
    put(t, "endsolid");
}

START_TEST(stl)
{
    text t = {0};
    seed();
    make_stl(&t, NULL, 0);
    ck_assert_int_eq(compare(&t, "stl", 0), BVP_OK);
    make_stl(&t, "nan", 5000); /* left out now and then */
    ck_assert_int_eq(compare(&t, "stl", 1), BVP_OK);
    ck_assert_int_eq(compare(&t, "stl", 0), BVP_ERR_ARGUMENT);
    make_stl(&t, "123456.789012345", 0); /* at the very end: all are doubles */
    ck_assert_int_eq(compare(&t, "stl", 0), BVP_OK);
    make_stl(&t, "1,5", 0);
    ck_assert_int_eq(compare(&t, "stl", 0), BVP_ERR_CORRUPT);
    make_stl(&t, NULL, 0);
    t.size -= 40; /* cut */
    ck_assert_int_eq(compare(&t, "stl", 0), BVP_ERR_CORRUPT);
    free(t.data);
}
END_TEST

SUITE(test_import_pieces)
{
    const TTest *const tests[] = {obj, stl, NULL};
    return suite_run("import_pieces", tests);
}
