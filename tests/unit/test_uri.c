/* SPDX-License-Identifier: MIT
 * test_uri.c: inline base64, and which files beside a model may be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "suite.h"
#include "files/uri.h"

static char folder[] = "test_uri_XXXXXX";

static void expect_bytes(const char *uri, const void *bytes, size_t size)
{
    uri_bytes out;
    ck_assert_int_eq(uri_open(uri, folder, 0, &out), URI_OK);
    ck_assert_uint_eq(out.size, size);
    ck_assert(memcmp(out.data, bytes, size) == 0);
    uri_close(&out);
}

static void expect_result(const char *uri, uri_result result)
{
    uri_bytes out;
    ck_assert_msg(uri_open(uri, folder, 0, &out) == result, "%s", uri);
    ck_assert_ptr_null(out.data);
}

START_TEST(base64)
{
    expect_bytes("data:;base64,", "", 0);
    expect_bytes("data:;base64,Zg==", "f", 1);
    expect_bytes("data:;base64,Zm8=", "fo", 2);
    expect_bytes("data:application/gltf-buffer;base64,Zm9v", "foo", 3);
    expect_bytes("DATA:;BASE64,Zm9vYmE", "fooba", 5);
    expect_bytes("data:;base64,-_+/", "\xfb\xff\xbf", 3);
    expect_result("data:;base64,Zm9vY", URI_BAD_BASE64);
    expect_result("data:;base64,Zm 9", URI_BAD_BASE64);
    expect_result("data:,Zm9v", URI_BAD_BASE64);
    expect_result("data:", URI_BAD_BASE64);
}
END_TEST

START_TEST(files)
{
    static const char *const forbidden[] = {
        "",    "/etc/passwd", "../x",  "a/../../x",      "..", "a/..", "%2e%2e/x",
        "C:x", "http://x/y",  "..\\x", "%2Fetc%2Fpasswd"};
    char path[64], name[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sub", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(name, sizeof name, "%s/a b..bin", path);
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    fputs("bytes", file);
    fclose(file);
    expect_bytes("sub/a%20b..bin", "bytes", 5);
    expect_bytes("./sub//a b..bin", "bytes", 5);
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++)
        expect_result(forbidden[i], URI_FORBIDDEN);
    expect_result("missing", URI_SYSTEM);
    expect_result("sub", URI_SYSTEM); /* a folder */
    uri_bytes out;
    ck_assert_int_eq(uri_open("sub/a b..bin", NULL, 0, &out), URI_FORBIDDEN);
    unlink(name);
    rmdir(path);
    rmdir(folder);
}
END_TEST

SUITE(test_uri)
{
    const TTest *const tests[] = {base64, files, NULL};
    return suite_run("uri", tests);
}
