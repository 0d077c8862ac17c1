/* SPDX-License-Identifier: MIT
 * test_import_manifest.c: manifests: the tree, names and properties, units, files, what is refused.
 */
#include "import_folder.h"
#include "suite.h"

static void expect(const char *text, model *m)
{
    bvp_error error;
    import_options options = {.thread_count = 1};
    bvp_status status = import_in(folder, text, 1, &options, m, &error);
    ck_assert_msg(status == BVP_OK, "%s", error.message);
    ck_assert_str_eq(m->format, "manifest");
}

/* phrase: "2: ..." when the line matters */
static void refuse(const char *text, bvp_status status, const char *phrase)
{
    bvp_error error;
    import_options options = {.thread_count = 1};
    model m;
    ck_assert_int_eq(import_in(folder, text, 1, &options, &m, &error), status);
    ck_assert_msg(strstr(error.message, phrase) != NULL, "\"%s\" is not in: %s", phrase,
                  error.message);
    ck_assert_msg(strncmp(error.message, "case:", 5) == 0, "%s", error.message);
}

static const char *property_of(const model_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->property_count; i++)
        if (strcmp(node->properties[i].key, key) == 0)
            return node->properties[i].value;
    return "";
}

START_TEST(tree)
{
    model m;
    make_folder();
    expect("{'bvpack_manifest':1,'unit':'mm','up':'z'}\n"
           "{'id':'bolt','mesh':'tri.obj','name':'Bolt','part_number':'B-8','revision':'C',"
           "'properties':{'steel':'A2','mass':0.5}}\n"
           "{'id':'hall','name':'Hall 1'}\n"
           "{'part':'bolt','parent':'hall','placement':{'translate':[5,0,0]},"
           "'properties':{'steel':'A4'}}\n"
           "{'part':'bolt','parent':'hall','name':'the other','id':8}\n",
           &m);
    ck_assert_uint_eq(m.mesh_count, 1);
    ck_assert_str_eq(m.meshes[0].name, "Bolt");
    ck_assert(m.unit_in_metres == 0.001 && m.up == BVP_UP_Z);
    ck_assert_uint_eq(m.node_count, 3);
    ck_assert_str_eq(m.nodes[0].name, "Hall 1");
    ck_assert_str_eq(m.nodes[0].source_id, "hall");
    ck_assert(m.nodes[0].mesh == BVP_NONE && m.nodes[0].parent == BVP_NONE);
    ck_assert(m.nodes[1].mesh == 0 && m.nodes[1].parent == 0 && m.nodes[1].placement[3] == 5);
    ck_assert_str_eq(m.nodes[1].name, "Bolt");
    ck_assert_ptr_null(m.nodes[1].source_id);
    ck_assert_str_eq(property_of(&m.nodes[1], "part_number"), "B-8");
    ck_assert_str_eq(property_of(&m.nodes[1], "revision"), "C");
    ck_assert_str_eq(property_of(&m.nodes[1], "steel"), "A4");
    ck_assert_str_eq(property_of(&m.nodes[1], "mass"), "0.5");
    ck_assert_str_eq(m.nodes[2].name, "the other");
    ck_assert_str_eq(m.nodes[2].source_id, "8");
    ck_assert_str_eq(property_of(&m.nodes[2], "steel"), "A2");
    ck_assert_uint_eq(m.file_count, 1);
    ck_assert_str_eq(m.files[0].name, "tri.obj");
    uint8_t hash[16];
    bvp_hash(one_triangle, strlen(one_triangle), hash);
    ck_assert(memcmp(m.files[0].hash, hash, 16) == 0 && m.files[0].size == strlen(one_triangle));
    model_free(&m);
    remove_folder();
}
END_TEST

START_TEST(any_order)
{
    model m;
    make_folder();
    expect("{'part':'p','parent':'c','name':'leaf'}\n{'id':'c','parent':'b','name':'c'}\n"
           "{'mesh':'tri.obj','name':'alone'}\n{'id':'b','parent':'a','name':'b'}\n"
           "{'id':'p','mesh':'parts/tri.obj'}\n{'id':'a','name':'a'}\n",
           &m);
    static const char *const names[] = {"a", "b", "c", "leaf", "alone"};
    static const uint32_t parents[] = {BVP_NONE, 0, 1, 2, BVP_NONE};
    ck_assert_uint_eq(m.node_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(m.nodes[i].name, names[i]);
        ck_assert_uint_eq(m.nodes[i].parent, parents[i]);
    }
    ck_assert_str_eq(m.meshes[m.nodes[3].mesh].name, "p");
    ck_assert_str_eq(m.meshes[m.nodes[4].mesh].name, "tri");
    model_free(&m);
    remove_folder();
}
END_TEST

START_TEST(files_once)
{
    model m;
    make_folder();
    expect("{'id':1,'mesh':'parts/two.obj'}\n{'id':2,'mesh':'parts/two.obj'}\n"
           "{'id':3,'mesh':'missing.obj'}\n"
           "{'part':1,'id':'x'}\n{'part':2}\n{'mesh':'parts/two.obj','parent':'x'}\n",
           &m);
    ck_assert_uint_eq(m.mesh_count, 2);
    ck_assert_uint_eq(m.file_count, 1);
    ck_assert_uint_eq(warnings_of(&m, "without an instance"), 1);
    ck_assert_uint_eq(m.node_count, 3 + 6);
    ck_assert_uint_eq(m.nodes[0].mesh, BVP_NONE);
    ck_assert_str_eq(m.nodes[3].name, "left");
    ck_assert(m.nodes[3].parent == 0 && m.nodes[3].mesh == 0);
    ck_assert(m.nodes[4].parent == 0 && m.nodes[4].mesh == 1);
    ck_assert(m.nodes[8].parent == 2 && m.nodes[8].mesh == 1);
    model_free(&m);
    expect("{'id':1,'mesh':'tri.obj','name':'one'}\n{'id':2,'mesh':'parts/two.obj'}\n", &m);
    ck_assert_uint_eq(m.node_count, 4);
    ck_assert_str_eq(m.nodes[0].name, "one");
    model_free(&m);
    remove_folder();
}
END_TEST

/* A glTF triangle, which is in metres, under a node that moves it. */
static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1],"
    "\"name\":\"top\"},{\"mesh\":0,\"translation\":[1,2,3],\"extras\":{\"k\":\"v\"}}],\"meshes\":[{"
    "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,"
    "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,"
    "\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"tri.bin\"}]}";

START_TEST(units)
{
    model m;
    make_folder();
    put_file("parts/tri.bin", "012345678901234567890123456789012345");
    put_file("parts/tree.gltf", gltf);
    expect("{'bvpack_manifest':1,'unit':'mm'}\n"
           "{'mesh':'tri.obj','unit':'in','placement':{'translate':[7,0,0]}}\n"
           "{'mesh':'tri.obj','unit':'cm','id':'x','parent':'g'}\n{'id':'g'}\n"
           "{'mesh':'tri.obj','parent':'x','placement':{'translate':[1,0,0]}}\n"
           "{'mesh':'parts/tree.gltf','parent':'g'}\n",
           &m);
    ck_assert(m.unit_in_metres == 0.001);
    ck_assert(m.nodes[0].placement[0] == 0.0254 / 0.001 && m.nodes[0].placement[3] == 7);
    ck_assert(m.nodes[1].placement[0] == 1 && m.nodes[2].placement[0] == 1);
    ck_assert(m.nodes[2].mesh == BVP_NONE && m.nodes[3].parent == 2);
    ck_assert(m.nodes[3].placement[0] == 1 && m.nodes[3].placement[3] == 1);
    ck_assert(m.nodes[4].placement[0] == 1000 && m.nodes[4].mesh == BVP_NONE);
    ck_assert(m.nodes[5].parent == 2 && m.nodes[5].placement[0] == 0.01 / 0.001);
    ck_assert(m.nodes[5].mesh == m.nodes[3].mesh);
    ck_assert_str_eq(m.nodes[6].name, "top");
    ck_assert(m.nodes[6].parent == 4 && m.nodes[7].parent == 6 && m.nodes[7].placement[7] == 2);
    ck_assert_str_eq(property_of(&m.nodes[7], "k"), "v");
    ck_assert_uint_eq(m.file_count, 3);
    ck_assert_str_eq(m.files[2].name, "parts/tri.bin");
    ck_assert_uint_eq(warnings_of(&m, "without a unit"), 0);
    model_free(&m);
    expect("{'mesh':'tri.obj'}\n{'mesh':'parts/tree.gltf'}\n", &m);
    ck_assert(m.unit_in_metres == 1);
    ck_assert_uint_eq(warnings_of(&m, "without a unit"), 1);
    model_free(&m);
    remove_folder();
}
END_TEST

START_TEST(refused)
{
    make_folder();
    put_file("empty.obj", "");
    put_file("bad.obj", "v 0 0 0\nv 1 zero 0\n");
    put_file("inner.jsonl", "{\"mesh\":\"tri.obj\"}\n");
    refuse("{'id':1}\n{'mesh':'no.obj'}", BVP_ERR_SYSTEM, "case:2: \"no.obj\" can't be read: No ");
    refuse("{'id':1}\n\n{'mesh':'parts'}", BVP_ERR_SYSTEM, "case:3: \"parts\" can't be read");
    refuse("{'mesh':'empty.obj'}", BVP_ERR_SYSTEM, "case:1: \"empty.obj\" can't be read: it is em");
    refuse("{'id':1}\n{'mesh':'bad.obj'}", BVP_ERR_CORRUPT, "case:2: bad.obj:2: expected");
    refuse("{'mesh':'inner.jsonl'}", BVP_ERR_ARGUMENT, "case:1: inner.jsonl: is a manifest");
    refuse("{'mesh':'tri.obj','format':'xyz'}", BVP_ERR_ARGUMENT, "no format \"xyz\"");
    refuse("{'mesh':'tri.obj','parent':'x'}", BVP_ERR_CORRUPT, "case:1: \"parent\": no line has");
    refuse("{'id':3,'mesh':'tri.obj'}\n{'id':4,'parent':3}", BVP_ERR_CORRUPT, "that is a part");
    refuse("{'id':3}\n{'part':3}", BVP_ERR_CORRUPT, "case:2: \"part\": no line has the id \"3\": ");
    refuse("{'id':3}\n{'id':4}\n{'id':3}", BVP_ERR_CORRUPT, "case:3: the id \"3\" stands");
    refuse("{'id':5}\n{'id':3,'parent':4}\n{'id':4,'parent':3}", BVP_ERR_CORRUPT, "lies in itself");
    refuse("{'id':3,'parent':3}", BVP_ERR_CORRUPT, "case:1: lies in itself");
    refuse("{'mesh':'tri.obj','placement':[1,0,0,0,0,1,0,0,0,0,0,0]}", BVP_ERR_ARGUMENT,
           "case:1: the placement is singular");
    refuse("{'mesh':'tri.obj','placement':{'rotate':[0,0,0,0]}}", BVP_ERR_ARGUMENT, "singular");
    refuse("{'id':3}\n{'id':4}", BVP_ERR_ARGUMENT, "no triangles");
    refuse("{'id':3}\n{'id':4,'x':1}", BVP_ERR_ARGUMENT, "case:2: unknown key");
    remove_folder();
}
END_TEST

static bvp_status import_path(const char *dir, const char *path, int any, const char *pipe_dir)
{
    char text[512];
    bvp_error error;
    import_options options = {.any_path = any, .pipe_dir = pipe_dir, .format = "manifest"};
    model m;
    snprintf(text, sizeof text, "{\"mesh\":\"%s\"}", path);
    bvp_status status = import_in(dir, text, 0, &options, &m, &error);
    if (status == BVP_OK)
        model_free(&m);
    return status;
}

START_TEST(paths)
{
    char inner[64], whole[4200];
    make_folder();
    snprintf(inner, sizeof inner, "%s/parts", folder);
    ck_assert_ptr_nonnull(realpath(folder, whole));
    strcat(whole, "/tri.obj");
    ck_assert_int_eq(import_path(folder, "./parts//tri.obj", 0, NULL), BVP_OK);
    ck_assert_int_eq(import_path(inner, "../tri.obj", 0, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(import_path(inner, "../tri.obj", 1, NULL), BVP_OK);
    ck_assert_int_eq(import_path(inner, whole, 0, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(import_path(inner, whole, 1, NULL), BVP_OK);
    ck_assert_int_eq(import_path(inner, "..\\\\tri.obj", 0, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(import_path(NULL, "tri.obj", 0, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(import_path(NULL, "tri.obj", 0, folder), BVP_OK);
    ck_assert_int_eq(import_path(NULL, "../tri.obj", 0, inner), BVP_ERR_ARGUMENT);
    remove_folder();
}
END_TEST

START_TEST(told_apart)
{
    bvp_error error;
    model m;
    make_folder();
    ck_assert_int_eq(import_in(folder, gltf, 0, NULL, &m, &error), BVP_ERR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(error.message, "buffers[0]"));
    ck_assert_int_eq(import_in(folder, "{\n\"mesh\":\"a\"\n}", 0, NULL, &m, &error),
                     BVP_ERR_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.message, "glTF"));
    remove_folder();
}
END_TEST

SUITE(test_import_manifest)
{
    return suite_run("import_manifest", (const TTest *[]){tree, any_order, files_once, units,
                                                          refused, paths, told_apart, NULL});
}
