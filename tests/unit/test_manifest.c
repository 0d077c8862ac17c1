/* SPDX-License-Identifier: MIT
 * test_manifest.c: a manifest's lines: their kinds, ids, units and placements; what is refused.
 */
#include "manifest/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"

/* Single quotes stand for double ones. */
typedef struct text {
    char bytes[2048];
    manifest_reader reader;
    manifest_record record;
    manifest_fault fault;
} text;

static void start(text *t, const char *lines)
{
    size_t size = strlen(lines);
    ck_assert_uint_lt(size, sizeof t->bytes);
    for (size_t i = 0; i <= size; i++)
        t->bytes[i] = lines[i] == '\'' ? '"' : lines[i];
    t->reader = (manifest_reader){.at = t->bytes, .end = t->bytes + size};
}

static const manifest_record *next(text *t)
{
    const int got = manifest_next(&t->reader, &t->record, &t->fault);
    ck_assert_msg(got == 1, "%s", got < 0 ? t->fault.text : "no more lines");
    return &t->record;
}

static void expect_end(text *t)
{
    ck_assert_int_eq(manifest_next(&t->reader, &t->record, &t->fault), 0);
}

static void expect_fault(const char *lines, bvp_status status, const char *phrase)
{
    text t;
    int got;
    start(&t, lines);
    while ((got = manifest_next(&t.reader, &t.record, &t.fault)) == 1)
        ;
    ck_assert_msg(got == -1, "%s", lines);
    ck_assert_msg(strstr(t.fault.text, phrase) != NULL, "\"%s\" is not in: %s", phrase,
                  t.fault.text);
    ck_assert_int_eq(t.fault.status, status);
    manifest_close(&t.reader);
}

START_TEST(kinds)
{
    text t;
    start(&t, "\xef\xbb\xbf\r\n{'bvpack_manifest':1,'unit':'mm','up':'z'}\r\n\n"
              " {'id':'p','mesh':'a.stl','unit':0.5,'format':'stl','part_number':'4711'}\n"
              "{'id':17,'name':'hall'}\n"
              "{'part':'p','parent':17,'revision':'B','properties':{'a':1}}\n"
              "{'mesh':'b.stl'}\n{'id':'i','mesh':'b.stl','parent':'x'}\n"
              "{'type':'instance','id':'i','mesh':'b.stl'}\n{'type':'part','id':'i','mesh':'b'}");
    const manifest_record *r = next(&t);
    ck_assert_int_eq(r->kind, MANIFEST_HEADER);
    ck_assert(r->unit_in_metres == 0.001 && r->up == BVP_UP_Z);
    r = next(&t);
    ck_assert_int_eq(r->kind, MANIFEST_PART);
    ck_assert_str_eq(r->id, "p");
    ck_assert_str_eq(r->mesh, "a.stl");
    ck_assert_str_eq(r->format, "stl");
    ck_assert_str_eq(r->part_number, "4711");
    ck_assert(r->unit_in_metres == 0.5 && r->up == BVP_UP_UNKNOWN && !r->revision &&
              !r->properties);
    ck_assert_ptr_eq(r->at, strstr(t.bytes, "{\"id\":\"p\""));
    r = next(&t);
    ck_assert_int_eq(r->kind, MANIFEST_ASSEMBLY);
    ck_assert_str_eq(r->id, "17");
    r = next(&t);
    ck_assert_int_eq(r->kind, MANIFEST_INSTANCE);
    ck_assert_str_eq(r->part, "p");
    ck_assert_str_eq(r->parent, "17");
    ck_assert_str_eq(r->revision, "B");
    ck_assert_ptr_nonnull(json_tree_get(r->properties, "a"));
    ck_assert_int_eq(next(&t)->kind, MANIFEST_INSTANCE);
    ck_assert_int_eq(next(&t)->kind, MANIFEST_INSTANCE);
    ck_assert_int_eq(next(&t)->kind, MANIFEST_INSTANCE);
    ck_assert_int_eq(next(&t)->kind, MANIFEST_PART);
    expect_end(&t);
    expect_end(&t);
}
END_TEST

static void expect_placement(const char *value, const double expected[12])
{
    char line[512];
    text t;
    snprintf(line, sizeof line, "{'mesh':'a','placement':%s}", value);
    start(&t, line);
    const manifest_record *r = next(&t);
    for (int i = 0; i < 12; i++)
        ck_assert_msg(r->placement[i] == expected[i], "%s: %d is %g", value, i, r->placement[i]);
    expect_end(&t);
}

START_TEST(placements)
{
    static const double rows[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const double turned[12] = {0, -2, 0, 5, 2, 0, 0, 6, 0, 0, 2, 7};
    static const double stretched[12] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, -3, 0};
    expect_placement("[1,2,3,4,5,6,7,8,9,10,11,12]", rows);
    expect_placement("[1,2,3,4,5,6,7,8,9,10,11,12,0,0,0,1]", rows);
    expect_placement("{'matrix':[1,2,3,4,5,6,7,8,9,10,11,12]}", rows);
    expect_placement("{'translate':[5,6,7],'rotate':[0,0,1,1],'scale':2}", turned);
    expect_placement("{'scale':[1,2,-3]}", stretched);
    expect_placement("{}", (const double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    expect_fault("{'mesh':'a','placement':[1,2]}", BVP_ERR_CORRUPT, "12 or 16 numbers");
    expect_fault("{'mesh':'a','placement':[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}", BVP_ERR_ARGUMENT,
                 "by columns");
    expect_fault("{'mesh':'a','placement':{'rotate':[0,0,1]}}", BVP_ERR_CORRUPT, "with 4 (x y z w");
    expect_fault("{'mesh':'a','placement':{'translation':[0,0,1]}}", BVP_ERR_CORRUPT, "translate");
    expect_fault("{'mesh':'a','placement':{'scale':2,'matrix':[]}}", BVP_ERR_CORRUPT, "alone");
    expect_fault("{'mesh':'a','placement':{'translate':[1e999,0,0]}}", BVP_ERR_CORRUPT, "JSON");
}
END_TEST

START_TEST(faults)
{
    expect_fault("{'id':'a','mesh':'a.stl'\n", BVP_ERR_CORRUPT, "on one line");
    expect_fault("[1]\n", BVP_ERR_CORRUPT, "object, found another value");
    expect_fault("{}", BVP_ERR_CORRUPT, "expected a \"part\", a \"mesh\"");
    expect_fault("{'part':'a','mesh':'b'}", BVP_ERR_CORRUPT, "not both");
    expect_fault("{'mesh':''}", BVP_ERR_CORRUPT, "not empty");
    expect_fault("{'mesh':7}", BVP_ERR_CORRUPT, "\"mesh\": expected a text");
    expect_fault("{'id':-7,'mesh':'a'}", BVP_ERR_CORRUPT, "\"id\": expected a text");
    expect_fault("{'mesh':'a','placment':[]}", BVP_ERR_ARGUMENT, "unknown key \"placment\"");
    expect_fault("{'mesh':'a','unit':'parsec'}", BVP_ERR_ARGUMENT, "\"unit\"");
    expect_fault("{'part':'a','unit':'mm'}", BVP_ERR_CORRUPT, "belongs to a mesh");
    expect_fault("{'mesh':'a','up':'z'}", BVP_ERR_CORRUPT, "first line");
    expect_fault("{'mesh':'a','properties':'x'}", BVP_ERR_CORRUPT, "expected an object");
    expect_fault("{'mesh':'a'}\n{'bvpack_manifest':1}", BVP_ERR_CORRUPT, "first line");
    expect_fault("{'bvpack_manifest':2}", BVP_ERR_NEWER, "found 2");
    expect_fault("{'type':'part','mesh':'a'}", BVP_ERR_CORRUPT, "a part's \"id\"");
    expect_fault("{'type':'part','id':1,'mesh':'a','parent':2}", BVP_ERR_CORRUPT, "instances of");
    expect_fault("{'type':'assembly','id':1,'mesh':'a'}", BVP_ERR_CORRUPT, "what lies in it");
    expect_fault("{'type':'screw','mesh':'a'}", BVP_ERR_CORRUPT, "found \"screw\"");
}
END_TEST

START_TEST(long_line)
{
    const size_t size = (1 << 20) + 100;
    char *line = malloc(size);
    ck_assert_ptr_nonnull(line);
    memset(line, ' ', size);
    memcpy(line, "{\"mesh\":", 8);
    memcpy(line + size - 5, "\"a\"}\n", 5);
    manifest_reader r = {.at = line, .end = line + size};
    manifest_record record;
    manifest_fault fault;
    ck_assert_int_eq(manifest_next(&r, &record, &fault), -1);
    ck_assert_int_eq(fault.status, BVP_ERR_LIMIT);
    r = (manifest_reader){.at = line, .end = line + size};
    memcpy(line + 8, "\"a\"}\n", 5);
    ck_assert_int_eq(manifest_next(&r, &record, &fault), 1);
    manifest_close(&r);
    free(line);
}
END_TEST

SUITE(test_manifest)
{
    return suite_run("manifest", (const TTest *[]){kinds, placements, faults, long_line, NULL});
}
