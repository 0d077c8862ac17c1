/* SPDX-License-Identifier: MIT
 * test_report_forms.c: reports as GLB read back: every instance once, coloured by its worst
 * verdict, parts shared; and all forms: the same bytes again, an end when writing fails.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files/archive.h"
#include "import_case.h"
#include "text/json_tree.h"
#include "text/message.h"
#include "report_case.h"
#include "suite.h"

static const clash_form *const forms[] = {&report_glb, &report_html, &report_bcf, &report_bcfzip,
                                          &report_xlsx};
enum { FORMS = sizeof forms / sizeof forms[0], ARCHIVES = 3 /* the last ones */ };

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

/* ---- what the importer does not tell --------------------------------------------------------- */

static uint64_t count_in(const json_value *object, const char *key)
{
    uint64_t out = UINT64_MAX;
    ck_assert_msg(json_tree_count(json_tree_get(object, key), &out), "no number %s", key);
    return out;
}

static const json_value *primitive_of(const json_value *root, const json_value *node)
{
    const json_value *mesh =
        json_tree_at(json_tree_get(root, "meshes"), (size_t)count_in(node, "mesh"));
    return json_tree_at(json_tree_get(mesh, "primitives"), 0);
}

/* A node's mesh is in the colour that is called as its verdict. */
static void check_colour(const json_value *root, const json_value *node)
{
    const char *verdict = json_tree_text(json_tree_get(json_tree_get(node, "extras"), "verdict"));
    const json_value *material = json_tree_at(
        json_tree_get(root, "materials"), (size_t)count_in(primitive_of(root, node), "material"));
    ck_assert_str_eq(json_tree_text(json_tree_get(material, "name")), verdict);
}

static void check_colours_differ(const json_value *materials)
{
    double colour[BVP_VERDICT_COUNT][4];
    ck_assert_uint_eq(json_tree_size(materials), BVP_VERDICT_COUNT);
    for (int i = 0; i < BVP_VERDICT_COUNT; i++) {
        const json_value *look =
            json_tree_get(json_tree_at(materials, (size_t)i), "pbrMetallicRoughness");
        ck_assert(json_tree_numbers(json_tree_get(look, "baseColorFactor"), 4, colour[i]));
        for (int k = 0; k < i; k++)
            ck_assert(memcmp(colour[i], colour[k], sizeof colour[i]) != 0);
    }
}

/* The box of a mesh's corners, as its accessor says it. */
static void check_bounds(const json_value *accessor, const model_mesh *mesh)
{
    double lo[3], hi[3];
    ck_assert(json_tree_numbers(json_tree_get(accessor, "min"), 3, lo));
    ck_assert(json_tree_numbers(json_tree_get(accessor, "max"), 3, hi));
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
            least = fmin(least, corner_at(mesh, i / 3, (int)(i % 3), axis));
            most = fmax(most, corner_at(mesh, i / 3, (int)(i % 3), axis));
        }
        ck_assert(lo[axis] == least && hi[axis] == most);
    }
}

/* Each part's triangles once, however many instances and colours. */
START_TEST(glb_shares_parts)
{
    enum { PARTS = 4 };
    size_t size;
    json_fault fault;
    model m;
    uint32_t json_size;
    pack();
    char *bytes = write_form(&report_glb, 1, &size);
    memcpy(&json_size, bytes + 12, sizeof json_size);
    json_value *root = json_tree_open(bytes + 20, json_size, &fault);
    ck_assert_msg(root != NULL, "%s", fault.text);
    const json_value *nodes = json_tree_get(root, "nodes");
    const json_value *accessors = json_tree_get(root, "accessors");
    ck_assert_uint_eq(json_tree_size(nodes), 1 + 8);
    ck_assert_uint_eq(json_tree_size(accessors), 2 * PARTS); /* corners and indices */
    /* of a part in a colour: the two pins at one place share theirs */
    ck_assert_uint_eq(json_tree_size(json_tree_get(root, "meshes")), 7);
    for (size_t i = 1; i < json_tree_size(nodes); i++)
        check_colour(root, json_tree_at(nodes, i));
    check_colours_differ(json_tree_get(root, "materials"));
    expect_model_of("glb", bytes, size, 0, &m);
    for (size_t i = 1; i < json_tree_size(nodes); i++) {
        const json_value *node = json_tree_at(nodes, i);
        const json_value *corners = json_tree_get(primitive_of(root, node), "attributes");
        check_bounds(json_tree_at(accessors, (size_t)count_in(corners, "POSITION")),
                     &m.meshes[count_in(node, "mesh")]);
    }
    model_free(&m);
    json_tree_close(root);
    free(bytes);
    unpack();
}
END_TEST

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
    for (int f = 0; f < FORMS - (archive_is_there() ? 0 : ARCHIVES); f++) {
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
    for (int f = 0; f < FORMS - (archive_is_there() ? 0 : ARCHIVES); f++) {
        FILE *full = fopen("/dev/full", "wb");
        ck_assert_ptr_nonnull(full);
        ck_assert_int_eq(report_case_write(packed, forms[f], full, 0, 1, 1), EXIT_OUTPUT);
        fclose(full);
    }
    unpack();
}
END_TEST

SUITE(test_report_forms)
{
    const TTest *const tests[] = {glb, glb_shares_parts, same_bytes, full_disk, NULL};
    return suite_run("report_forms", tests);
}
