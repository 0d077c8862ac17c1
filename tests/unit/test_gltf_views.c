/* SPDX-License-Identifier: MIT
 * test_gltf_views.c: views of a glTF file that meshopt has packed, and broken ones.
 */
#include "glb_case.h"
#include "suite.h"

/* ---- streams, written as EXT_meshopt_compression says, Appendix A --------------------------- */

/* Attributes: up to 16 elements of 12 bytes, every delta in full. */
static data pack_attributes(const uint8_t (*elements)[12], int count)
{
    enum { STRIDE = 12, GROUP = 16, TAIL = 32 };
    data d = {.size = 0};
    put(&d, 0xa0, 1);
    for (int k = 0; k < STRIDE; k++) {
        put(&d, 3, 1); /* the one group's deltas follow as bytes */
        for (int i = 0; i < GROUP; i++) {
            const uint8_t before = elements[i > 0 && i < count ? i - 1 : 0][k];
            const int8_t delta = (int8_t)(i < count ? elements[i][k] - before : 0);
            put(&d, (uint8_t)(delta < 0 ? -2 * delta - 1 : 2 * delta), 1);
        }
    }
    put(&d, 0, 4);
    put(&d, 0, 4);
    put(&d, 0, 4);
    put(&d, 0, 4);
    put(&d, 0, 4); /* the tail ends with the first element */
    for (int k = 0; k < STRIDE; k++)
        put(&d, elements[0][k], 1);
    ck_assert_uint_eq(d.size, 1 + STRIDE * (1 + GROUP) + TAIL);
    return d;
}

/* Points as make_points has them. */
static data pack_points(int count)
{
    const data plain = make_points(count);
    return pack_attributes((const uint8_t(*)[12])plain.bytes, count);
}

/* Indices below 32 that differ by less than 16, each by its difference from the one before. */
static void put_indices(data *d, const uint8_t *indices, int count)
{
    put(d, 0xd1, 1);
    for (int i = 0; i < count; i++) {
        const int delta = indices[i] - (i > 0 ? indices[i - 1] : 0);
        put(d, (uint64_t)(delta < 0 ? -2 * delta - 1 : 2 * delta) << 1, 1);
    }
    put(d, 0, 4);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The one view: EXTENSION has COUNT elements of STRIDE bytes in SIZE, and says what MORE does. */
typedef struct packing {
    const char *extension, *mode, *more;
    int count, stride, size, length;
} packing;

static const packing plain_packing = {"EXT_meshopt_compression", "ATTRIBUTES", "", 6, 12, 237, 72};

static const char *text_of(const packing *p)
{
    static char text[2048];
    const int size = snprintf(
        text, sizeof text,
        ASSET "'extensionsRequired':['%s'],'nodes':[{'mesh':0}]," MESH "'accessors':[" POINTS(
            "6") "],'bufferViews':[{'buffer':1,'byteLength':%d,'extensions':{'%s':{'buffer':0,"
                 "'byteLength':%d,'byteStride':%d,'count':%d,'mode':'%s'%s}}}],'buffers':[{"
                 "'byteLength':237},{'byteLength':72,'extensions':{'%s':{'fallback':true}}}]}",
        p->extension, p->length, p->extension, p->size, p->stride, p->count, p->mode, p->more,
        p->extension);
    ck_assert(size > 0 && size < (int)sizeof text);
    return text;
}

#if HAVE_MESHOPT

START_TEST(attributes)
{
    static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    for (int i = 0; i < 2; i++) {
        packing p = plain_packing;
        data d = pack_points(6);
        model m;
        p.extension = names[i];
        expect_glb(text_of(&p), &d, 0, &m);
        check_corners(&m, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 2);
        ck_assert(corner_at(&m.meshes[0], 1, 2, 1) == 25);
        model_free(&m);
    }
}
END_TEST

/* The filter EXPONENTIAL: a float is 24 bits times 2 to the power of 8. */
START_TEST(exponential)
{
    uint8_t elements[6][12] = {{0}};
    packing p = plain_packing;
    model m;
    for (int i = 0; i < 6; i++) {
        elements[i][0] = (uint8_t)(3 * i); /* 3 i / 2 */
        elements[i][3] = (uint8_t)-1;
        elements[i][4] = (uint8_t)-i; /* -i * 4 */
        elements[i][5] = elements[i][6] = i ? 0xff : 0;
        elements[i][7] = 2;
    }
    data d = pack_attributes((const uint8_t(*)[12])elements, 6);
    p.more = ",'filter':'EXPONENTIAL'";
    expect_glb(text_of(&p), &d, 0, &m);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 3; k++) {
            ck_assert(corner_at(&m.meshes[0], (uint64_t)t, k, 0) == 1.5 * (3 * t + k));
            ck_assert(corner_at(&m.meshes[0], (uint64_t)t, k, 1) == -4. * (3 * t + k));
        }
    model_free(&m);
}
END_TEST

/* A strip's indices, which are no triangles: the mode INDICES. */
START_TEST(indices)
{
    static const uint8_t strip[5] = {0, 2, 1, 3, 5};
    char text[1024];
    data d = make_points(6);
    model m;
    put_indices(&d, strip, 5);
    for (int stride = 2; stride <= 4; stride += 2) {
        snprintf(text, sizeof text,
                 ONE_NODE
                 "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1,'mode':5}]}],"
                 "'accessors':[" POINTS(
                     "6") ",{'bufferView':1,'componentType':%d,'count':5,'type':'SCALAR'}],"
                          "'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':1,'byteLength':"
                          "%d,'extensions':{'EXT_meshopt_compression':{'buffer':0,'byteOffset':72,"
                          "'byteLength':10,'byteStride':%d,'count':5,'mode':'INDICES'}}}],"
                          "'buffers':[{'byteLength':82},{'byteLength':20}]}",
                 stride == 2 ? 5123 : 5125, 5 * stride, stride);
        expect_glb(text, &d, 0, &m);
        check_corners(&m, (const uint32_t[]){0, 2, 1, 2, 3, 1, 1, 3, 5}, 3);
        model_free(&m);
    }
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *mode, *more;
        int count, stride, size, length;
        const char *phrase;
    } cases[] = {
        {"ATTRIBUTES", "", 6, 12, 237, 71, "expected 72 bytes for 6 elements of 12, found 71"},
        {"ATTRIBUTES", "", 6, 10, 237, 60, "byteStride: expected a multiple of 4"},
        {"ATTRIBUTES", "", 6, 0, 237, 0, "byteStride: expected a multiple of 4"},
        {"ATTRIBUTES", "", 6, 260, 237, 1560, "byteStride: expected a multiple of 4"},
        {"ATTRIBUTES", ",'filter':'OCTAHEDRAL'", 6, 12, 237, 72, "filter OCTAHEDRAL"},
        {"ATTRIBUTES", ",'filter':'QUATERNION'", 6, 12, 237, 72, "filter QUATERNION"},
        {"TRIANGLES", "", 6, 12, 237, 72, "byteStride: expected 2 or 4"},
        {"TRIANGLES", "", 7, 4, 237, 28, "count: expected a multiple of 3"},
        {"INDICES", ",'filter':'EXPONENTIAL'", 18, 4, 237, 72, "filter: expected NONE"},
        /* 237 bytes are 64 times as many at most, and as many triangles or indices */
        {"ATTRIBUTES", "", 1265, 12, 237, 15180, "237 packed bytes hold at most 1264"},
        {"TRIANGLES", "", 714, 4, 237, 2856, "237 packed bytes hold at most 711"},
        {"INDICES", "", 238, 4, 237, 952, "237 packed bytes hold at most 237"},
        {"ATTRIBUTES", "", 6, 12, 236, 72, "damaged"},
        {"ATTRIBUTES", "", 65, 12, 237, 780, "damaged"},
        {"TRIANGLES", "", 18, 4, 237, 72, "damaged"},
        {"INDICES", "", 18, 4, 237, 72, "damaged"},
        {"ATTRIBUTES", "", 6, 12, 0, 72, "hold at most 0"},
        {"ATTRIBUTES", "", 6, 12, 238, 72, "lie outside its buffer"},
    };
    data d = pack_points(6);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const packing p = {"EXT_meshopt_compression", cases[i].mode, cases[i].more,  cases[i].count,
                           cases[i].stride,           cases[i].size, cases[i].length};
        refuse_glb(text_of(&p), &d, BVP_ERR_CORRUPT, cases[i].phrase);
        refuse_glb(text_of(&p), &d, BVP_ERR_CORRUPT, "bufferViews[0]: ");
    }
    packing p = plain_packing;
    p.mode = "POINTS";
    refuse_glb(text_of(&p), &d, BVP_ERR_ARGUMENT, "unknown mode \"POINTS\"");
    p = plain_packing;
    p.more = ",'filter':'COLOR'";
    refuse_glb(text_of(&p), &d, BVP_ERR_ARGUMENT, "unknown filter \"COLOR\"");
    p = plain_packing;
    p.mode = "TRIANGLES";
    p.count = 18;
    p.stride = 4;
    d.bytes[0] = 0xa1; /* a stream of another mode, and of a version that old libraries lack */
    refuse_glb(text_of(&p), &d, BVP_ERR_CORRUPT, "damaged");
    d.bytes[0] = 0xaf;
    refuse_glb(text_of(&plain_packing), &d, BVP_ERR_ARGUMENT, "stream version 15");
}
END_TEST

#else

START_TEST(absent)
{
    data d = pack_points(6);
    refuse_glb(text_of(&plain_packing), &d, BVP_ERR_ARGUMENT, "libmeshoptimizer-dev");
}
END_TEST

#endif

/* The view's own buffer has the same bytes: they are read where the packed ones cannot be. */
START_TEST(fallback)
{
    data d = pack_points(6);
    const data plain = make_points(6);
    model m;
    d.bytes[0] = 0xaf; /* of a version that no decoder knows */
    put(&d, 0, 3);
    memcpy(d.bytes + d.size, plain.bytes, plain.size);
    d.size += plain.size;
    expect_glb(ONE_NODE MESH "'accessors':[" POINTS(
                   "6") "],'bufferViews':[{'buffer':0,'byteOffset':240,'byteLength':72,"
                        "'extensions':{'EXT_meshopt_compression':{'buffer':0,'byteLength':237,"
                        "'byteStride':12,'count':6,'mode':'ATTRIBUTES'}}}],'buffers':[{"
                        "'byteLength':312}]}",
               &d, 0, &m);
    check_corners(&m, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 2);
    model_free(&m);
}
END_TEST

SUITE(test_gltf_views)
{
    const TTest *const tests[] = {
#if HAVE_MESHOPT
        attributes,
        exponential,
        indices,
        refusals,
#else
        absent,
#endif
        fallback,
        NULL
    };
    return suite_run("gltf_views", tests);
}
