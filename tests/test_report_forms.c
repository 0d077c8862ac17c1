/* SPDX-License-Identifier: MIT
 * test_report_forms.c: reports as GLB read back: every instance once, coloured by its worst
 * verdict, parts shared; and all forms: the same bytes again, an end when writing fails.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive.h"
#include "import_case.h"
#include "message.h"
#include "report_case.h"
#include "suite.h"

static const clash_form *const forms[] = {&report_glb, &report_html, &report_bcf};
enum { FORMS = 3 };

static char packed[] = "test_report_forms.XXXXXX";

static void pack(void)
{
    memcpy(packed + strlen(packed) - 6, "XXXXXX", 6);
    const int fd = mkstemp(packed);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(report_case_pack(packed), 0);
}

static void unpack(void)
{
    unlink(packed);
}

/* The report's bytes, to be freed. */
static char *write_form(const clash_form *form, uint32_t threads, size_t *size)
{
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(report_case_write(packed, form, out, 2, 1, threads), 0);
    *size = (size_t)ftello(out);
    char *bytes = malloc(*size + 1);
    rewind(out);
    ck_assert_uint_eq(fread(bytes, 1, *size, out), *size);
    bytes[*size] = '\0';
    fclose(out);
    return bytes;
}

static const model_node *find_node(const model *m, const char *name)
{
    for (uint32_t i = 0; i < m->node_count; i++)
        if (m->nodes[i].name && strcmp(m->nodes[i].name, name) == 0)
            return &m->nodes[i];
    ck_abort_msg("no node %s", name);
}

static const char *property(const model_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->property_count; i++)
        if (strcmp(node->properties[i].key, key) == 0)
            return node->properties[i].value;
    return "";
}

START_TEST(glb)
{
    size_t size;
    model m;
    pack();
    char *bytes = write_form(&report_glb, 1, &size);
    expect_model_of("glb", bytes, size, 0, &m);
    ck_assert_uint_eq(m.node_count,
                      1 + 8); /* every instance once, though the plate has five rows */
    ck_assert_str_eq(property(find_node(&m, "plate"), "verdict"), "penetrating");
    ck_assert_str_eq(property(find_node(&m, "inner"), "verdict"), "enclosed");
    ck_assert_str_eq(property(find_node(&m, "pin twin"), "verdict"), "duplicate");
    ck_assert_str_eq(property(find_node(&m, "pin on"), "path"), "rig/pin on");
    ck_assert_str_eq(property(find_node(&m, "block apart"), "verdict"), "unknown");
    const model_node *pin = find_node(&m, "pin on");
    ck_assert_uint_eq(pin->parent, 0);
    ck_assert(pin->placement[3] == 45 && pin->placement[7] == 15 && pin->placement[11] == 30);
    /* from millimetres with z up to metres with y up */
    ck_assert(m.nodes[0].placement[0] == 0.001 && m.nodes[0].placement[6] == 0.001 &&
              m.nodes[0].placement[9] == -0.001);
    ck_assert_ptr_nonnull(strstr(bytes + 20, "\"materials\"")); /* behind the heads */
    model_free(&m);
    free(bytes);
    unpack();
}
END_TEST

START_TEST(same_bytes)
{
    pack();
    for (int f = 0; f < FORMS - !archive_is_there(); f++) {
        size_t sizes[2];
        char *one = write_form(forms[f], 1, &sizes[0]), *two = write_form(forms[f], 3, &sizes[1]);
        ck_assert_uint_eq(sizes[0], sizes[1]);
        ck_assert(memcmp(one, two, sizes[0]) == 0);
        free(one);
        free(two);
    }
    unpack();
}
END_TEST

START_TEST(full_disk)
{
    pack();
    for (int f = 0; f < FORMS - !archive_is_there(); f++) {
        FILE *full = fopen("/dev/full", "wb");
        ck_assert_ptr_nonnull(full);
        ck_assert_int_eq(report_case_write(packed, forms[f], full, 0, 1, 1), EXIT_OUTPUT);
        fclose(full);
    }
    unpack();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {glb, same_bytes, full_disk, NULL};
    return suite_run("report_forms", tests);
}
