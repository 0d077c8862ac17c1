/* SPDX-License-Identifier: MIT
 * test_import_stream.c: answers of an importing process whose checksums are right and whose content
 * is not.
 */
#include "import/import_stream.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "import_case.h"
#include "import/import_protocol.h"
#include "suite.h"

/* One answer: what a test puts together, then reads. */
static uint8_t answer[1 << 12];
static size_t used;
static uint32_t sequence;

static void put_message(uint32_t kind, const void *data, size_t size)
{
    import_frame frame = {.kind = kind, .sequence = sequence++, .size = size};
    bvp_hash(data, size, frame.hash);
    bvp_hash(&frame, sizeof frame, frame.hash);
    ck_assert_uint_lt(used + sizeof frame + size, sizeof answer);
    memcpy(answer + used, &frame, sizeof frame);
    memcpy(answer + used + sizeof frame, data, size);
    used += sizeof frame + size;
}

/* `record`, then as many texts "x". */
static void put_record(uint32_t kind, const void *record, size_t size, int texts)
{
    uint8_t bytes[256];
    memcpy(bytes, record, size);
    for (; texts > 0; texts--) {
        const uint32_t length = 1;
        memcpy(bytes + size, &length, sizeof length);
        bytes[size + sizeof length] = 'x';
        size += sizeof length + 1;
    }
    put_message(kind, bytes, size);
}

static void begin(void)
{
    uint8_t start[16] = IMPORT_MAGIC;
    start[8] = IMPORT_VERSION;
    used = sequence = 0;
    put_message(IMPORT_START, start, sizeof start);
}

/* Takes the hashes out of the answer, from its message `first` on. */
static void take_hashes(uint32_t first)
{
    for (size_t at = 0; at < used;) {
        import_frame frame;
        memcpy(&frame, answer + at, sizeof frame);
        if (frame.sequence >= first)
            memset(frame.hash, 0, sizeof frame.hash);
        memcpy(answer + at, &frame, sizeof frame);
        at += sizeof frame + (size_t)frame.size;
    }
}

static void put_part(uint64_t vertex_count, uint32_t last_corner)
{
    static const double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const import_part part = {vertex_count, 1, 0, 0};
    const uint32_t indices[3] = {0, 1, last_corner};
    put_record(IMPORT_PART, &part, sizeof part, 1);
    put_message(IMPORT_POSITIONS, positions, sizeof positions);
    put_message(IMPORT_INDICES, indices, sizeof indices);
}

static void put_node(uint32_t parent, uint32_t part, uint32_t properties, int texts)
{
    import_node node = {.placement = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    node.parent = parent;
    node.part = part;
    node.property_count = properties;
    put_record(IMPORT_NODE, &node, sizeof node, texts);
}

static void put_end(uint32_t parts, uint32_t nodes, double tolerance)
{
    const import_end end = {0.001, tolerance, 2, parts, nodes, 0};
    put_record(IMPORT_END, &end, sizeof end, 1);
}

static import_outcome read_answer(model *m)
{
    static const import_options defaults;
    bvp_error error = {0};
    importer im = {.name = "case", .options = &defaults, .out = m, .error = &error};
    const char *what;
    int ends[2];
    memset(m, 0, sizeof *m);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq((int)write(ends[1], answer, used), (int)used);
    close(ends[1]);
    const import_outcome outcome = import_read_stream(&im, ends[0], &what);
    close(ends[0]);
    return outcome;
}

static void expect(import_outcome expected, int line)
{
    model m;
    const import_outcome found = read_answer(&m);
    ck_assert_msg(found == expected, "line %d: outcome %d, not %d", line, found, expected);
    model_free(&m);
}

START_TEST(test_good)
{
    model m;
    begin();
    put_part(3, 2);
    put_node(IMPORT_NONE, IMPORT_NONE, 0, 2);
    put_node(0, 0, 1, 4);
    put_end(1, 2, 0.25);
    ck_assert_int_eq(read_answer(&m), IMPORT_DONE);
    ck_assert(m.mesh_count == 1 && m.node_count == 2 && m.up == BVP_UP_Z && m.tolerance == 0.25);
    ck_assert(m.nodes[1].parent == 0 && m.nodes[1].mesh == 0 && m.nodes[1].property_count == 1);
    ck_assert(corner_at(&m.meshes[0], 0, 2, 1) == 1);
    model_free(&m);
}
END_TEST

/* A script's answer has no hashes, if its start says so; all of its frames, or none. */
START_TEST(test_unhashed)
{
    const size_t says = sizeof(import_frame) + 12;
    for (int bad = 0; bad < 4; bad++) {
        begin();
        put_part(3, 2);
        put_node(IMPORT_NONE, 0, 1, 4);
        put_end(1, 1, 0.25);
        take_hashes(bad == 1 ? 1 : 0);
        answer[says] = bad != 2;
        if (bad == 3)
            answer[sizeof(import_frame) + 8]++; /* another version */
        expect(bad ? IMPORT_GARBAGE : IMPORT_DONE, __LINE__);
    }
}
END_TEST

/* Each of these would make a model that breaks a promise, or none. */
START_TEST(test_bad_content)
{
    begin();
    put_part(3, 3);
    put_end(1, 0, 0);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_part(4, 2);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_part(UINT64_C(1) << 61, 2);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_node(0, IMPORT_NONE, 0, 2);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_node(IMPORT_NONE, 0, 0, 2);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_node(IMPORT_NONE, IMPORT_NONE, 2, 4);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_node(IMPORT_NONE, IMPORT_NONE, UINT32_MAX, 4);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_end(1, 0, 0);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_end(0, 0, NAN);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    put_message(99, "", 0);
    expect(IMPORT_GARBAGE, __LINE__);
    begin();
    answer[0] = IMPORT_END;
    expect(IMPORT_GARBAGE, __LINE__);
}
END_TEST

/* Every beginning of an answer is cut, every flipped bit is seen. */
START_TEST(test_damage)
{
    begin();
    put_part(3, 2);
    put_node(IMPORT_NONE, 0, 1, 4);
    put_end(1, 1, 0);
    const size_t whole = used;
    for (used = 0; used < whole; used++)
        expect(IMPORT_CUT, (int)used);
    for (size_t i = 0; i < whole; i++) {
        model m;
        answer[i] ^= 1 << i % 8;
        ck_assert_msg(read_answer(&m) != IMPORT_DONE, "byte %zu", i);
        model_free(&m);
        answer[i] ^= 1 << i % 8;
    }
    expect(IMPORT_DONE, 0);
}
END_TEST

SUITE(test_import_stream)
{
    const TTest *const tests[] = {test_good, test_unhashed, test_bad_content, test_damage, NULL};
    return suite_run("import_stream", tests);
}
