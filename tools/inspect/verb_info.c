/* SPDX-License-Identifier: MIT
 * verb_info.c: the verb info: what is in a packed file.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack.h"
#include "cli/file_fault.h"
#include "text/hex.h"
#include "inspect/info_kinds.h"
#include "text/json.h"
#include "text/message.h"
#include "cli/options.h"
#include "files/packed_file.h"
#include "pack/shard.h"

typedef struct settings {
    int json, parts, tree, provenance, digest;
} settings;

enum { DIGEST_SIZE = 32 };

static const char *const axis_names[] = {"x", "y", "z", NULL};

static const char *up_axis_name(const bvp_file_info *info)
{
    assert(info->up == BVP_UP_UNKNOWN || (unsigned)(info->up - BVP_UP_X) < 3);
    return info->up != BVP_UP_UNKNOWN ? axis_names[info->up - BVP_UP_X] : NULL;
}

/* NULL also when it is damaged; the caller frees it. */
static bvp_status read_provenance(const bvp_file *file, char **text, size_t *size)
{
    const bvp_status status = packed_provenance(file, text, size, NULL);
    return status == BVP_ERR_CORRUPT ? BVP_OK : status;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void float_triple(json *out, const char *key, const float v[3])
{
    double wide[3] = {v[0], v[1], v[2]};
    jsonw_numbers(out, key, wide, 3);
}

static void index_or_null(json *out, const char *key, uint32_t index)
{
    if (index == BVP_NONE)
        jsonw_null(out, key);
    else
        jsonw_count(out, key, index);
}

static bvp_status tree_as_json(json *out, const bvp_file *file, uint32_t count)
{
    bvp_status status = BVP_OK;
    jsonw_array(out, "nodes");
    for (uint32_t i = 0; i < count; i++) {
        bvp_node_info node;
        status = bvp_get_node(file, i, &node);
        if (status != BVP_OK)
            break;
        jsonw_inline_object(out, NULL);
        jsonw_count(out, "index", i);
        index_or_null(out, "parent", node.parent);
        jsonw_bytes(out, "name", node.name);
        jsonw_bytes(out, "source_id", node.source_id);
        index_or_null(out, "part", node.part);
        index_or_null(out, "instance", node.instance);
        jsonw_numbers(out, "placement", node.placement, 12);
        bvp_string key, value;
        jsonw_inline_array(out, "properties");
        for (uint32_t k = 0; k < node.property_count; k++) {
            if (bvp_get_property(file, i, k, &key, &value) != BVP_OK)
                break;
            jsonw_object(out, NULL);
            jsonw_bytes(out, "key", key);
            jsonw_bytes(out, "value", value);
            jsonw_end(out);
        }
        jsonw_end(out);
        jsonw_end(out);
    }
    jsonw_end(out);
    return status;
}

static bvp_status info_as_json(const bvp_file *file, const bvp_file_info *info, const settings *set)
{
    char version[32];
    uint8_t digest[DIGEST_SIZE];
    bvp_status status = BVP_OK;
    json out;

    snprintf(version, sizeof version, "%u.%u", info->format_major, info->format_minor);
    jsonw_start(&out, stdout, 1);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "format_version", version);
    jsonw_count(&out, "file_size", info->file_size);
    jsonw_count(&out, "triangle_count", info->triangle_count);
    jsonw_count(&out, "unique_triangle_count", info->unique_triangle_count);
    jsonw_count(&out, "part_count", info->part_count);
    jsonw_count(&out, "instance_count", info->instance_count);
    jsonw_count(&out, "node_count", info->node_count);
    jsonw_count(&out, "instance_hierarchy_count", info->instance_hierarchy_count);
    jsonw_count(&out, "hierarchy_size", info->hierarchy_size);
    jsonw_count(&out, "geometry_size", info->geometry_size);
    jsonw_count(&out, "id_size", info->id_size);
    jsonw_count(&out, "other_size", info->other_size);
    if (info->unit_in_metres > 0)
        jsonw_number(&out, "unit_in_metres", info->unit_in_metres);
    else
        jsonw_null(&out, "unit_in_metres");
    jsonw_text(&out, "up_axis", up_axis_name(info));
    if (info->tessellation_tolerance > 0)
        jsonw_number(&out, "tessellation_tolerance", info->tessellation_tolerance);
    else
        jsonw_null(&out, "tessellation_tolerance");
    jsonw_numbers(&out, "lo", info->lo, 3);
    jsonw_numbers(&out, "hi", info->hi, 3);
    jsonw_hex(&out, "root_hash", info->root_hash, sizeof info->root_hash);
    if (info->has_digests && bvp_get_digest(file, digest, NULL) == BVP_OK)
        jsonw_hex(&out, "digest", digest, sizeof digest);
    else
        jsonw_null(&out, "digest");
    jsonw_hex(&out, "source_hash", info->source_hash, sizeof info->source_hash);
    const shard_number shard = shard_of(file);
    if (shard.count != 0) {
        jsonw_inline_object(&out, "shard");
        jsonw_count(&out, "index", shard.index);
        jsonw_count(&out, "count", shard.count);
        jsonw_end(&out);
    }
    status = kinds_as_json(&out, file, info->part_count);
    if (set->parts && status == BVP_OK) {
        jsonw_array(&out, "parts");
        for (uint32_t i = 0; i < info->part_count && status == BVP_OK; i++) {
            bvp_part_info part;
            status = bvp_get_part(file, i, &part);
            if (status == BVP_OK) {
                jsonw_object(&out, NULL);
                jsonw_count(&out, "index", i);
                jsonw_bytes(&out, "name", part.name);
                jsonw_bytes(&out, "source_id", part.source_id);
                jsonw_count(&out, "triangle_count", part.triangle_count);
                jsonw_count(&out, "vertex_count", part.vertex_count);
                jsonw_count(&out, "cluster_count", part.cluster_count);
                jsonw_numbers(&out, "origin", part.origin, 3);
                float_triple(&out, "lo", part.lo);
                float_triple(&out, "hi", part.hi);
                jsonw_number(&out, "rounding_error", part.rounding_error);
                jsonw_count(&out, "degenerate_count", part.degenerate_count);
                jsonw_count(&out, "duplicate_count", part.duplicate_count);
                jsonw_count(&out, "open_edge_count", part.open_edge_count);
                jsonw_count(&out, "nonmanifold_edge_count", part.nonmanifold_edge_count);
                jsonw_count(&out, "hierarchy_size", part.hierarchy_size);
                jsonw_count(&out, "geometry_size", part.geometry_size);
                jsonw_count(&out, "id_size", part.id_size);
                jsonw_bool(&out, "has_ids", part.has_ids);
                jsonw_hex(&out, "content_hash", part.content_hash, sizeof part.content_hash);
                status = part_kinds_as_json(&out, file, i);
                jsonw_end(&out);
            }
        }
        jsonw_end(&out);
    }
    if (set->tree && status == BVP_OK)
        status = tree_as_json(&out, file, info->node_count);
    if (status == BVP_OK) {
        size_t size;
        char *text;
        status = read_provenance(file, &text, &size);
        if (text)
            jsonw_embed(&out, "provenance", text, size);
        else
            jsonw_null(&out, "provenance");
        free(text);
    }
    jsonw_end(&out);
    jsonw_finish(&out);
    return status;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void print_hash(const char *label, const uint8_t *hash, size_t size)
{
    char digits[2 * DIGEST_SIZE + 1];
    assert(size <= DIGEST_SIZE);
    hex_text(hash, size, digits);
    printf("  %-14s%s\n", label, digits);
}

static void print_size(const char *label, uint64_t size, uint64_t triangle_count)
{
    char a[32];
    printf("  %-14s%s bytes", label, grouped(size, a));
    if (triangle_count > 0)
        printf(", %.2f a stored triangle", (double)size / (double)triangle_count);
    putchar('\n');
}

static void print_untold(const char *label, const char *option)
{
    printf("  %-14snot read, to keep to two requests; use %s\n", label, option);
}

static void print_unit(const bvp_file_info *info)
{
    char a[32];
    const char *name = unit_name(info->unit_in_metres), *up = up_axis_name(info);
    if (info->unit_in_metres == 0)
        printf("  %-14sunknown", "unit");
    else if (name[0])
        printf("  %-14s%s", "unit", name);
    else
        printf("  %-14s%s m", "unit", shortest(info->unit_in_metres, a));
    printf(", up axis %s\n", up ? up : "unknown");
    if (info->tessellation_tolerance > 0)
        printf("  %-14striangles up to %s %s from the surface\n", "tolerance",
               shortest(info->tessellation_tolerance, a), name[0] ? name : "units");
}

static void print_string(bvp_string name, const char *otherwise)
{
    if (name.size > 0)
        print_name(stdout, name.data, name.size);
    else
        fputs(otherwise, stdout);
}

static bvp_status parts_as_text(const bvp_file *file, uint32_t count)
{
    char a[64], b[64];
    puts("parts:");
    for (uint32_t i = 0; i < count; i++) {
        bvp_part_info part;
        bvp_status status = bvp_get_part(file, i, &part);
        if (status != BVP_OK)
            return status;
        printf("  #%u ", i);
        print_string(part.name, "(unnamed)");
        printf(": %s, %s %s", counted(part.triangle_count, "triangle", a),
               grouped(part.vertex_count, b), part.vertex_count == 1 ? "vertex" : "vertices");
        if (part.open_edge_count + part.nonmanifold_edge_count > 0)
            printf(", %s and %s", counted(part.open_edge_count, "open edge", a),
                   counted(part.nonmanifold_edge_count, "non-manifold edge", b));
        if (part.degenerate_count + part.duplicate_count > 0)
            printf(", %s degenerate, %s duplicate", grouped(part.degenerate_count, a),
                   grouped(part.duplicate_count, b));
        if (part.rounding_error > 0)
            printf(", rounded by up to %.3g", part.rounding_error);
        putchar('\n');
    }
    return BVP_OK;
}

/* Nodes as a forest of sibling lists, so that children come out under their parents. */
typedef struct links {
    uint32_t parent, child, next, level;
} links;

static bvp_status link_nodes(const bvp_file *file, uint32_t count, links *tree)
{
    for (uint32_t i = count; i-- > 0;) {
        bvp_node_info node;
        bvp_status status = bvp_get_node(file, i, &node);
        if (status != BVP_OK)
            return status;
        if (node.parent != BVP_NONE && node.parent >= i)
            return BVP_ERR_CORRUPT;
        tree[i].parent = node.parent; /* below i: walking up ends */
        if (node.parent == BVP_NONE)
            continue;
        tree[i].next = tree[node.parent].child;
        tree[node.parent].child = i;
    }
    return BVP_OK;
}

/* In depth-first order, without recursion: a forged tree may be as deep as it has nodes. */
static bvp_status print_subtree(const bvp_file *file, links *tree, uint32_t root)
{
    for (uint32_t at = root; at != BVP_NONE;) {
        bvp_node_info node;
        bvp_status status = bvp_get_node(file, at, &node);
        if (status != BVP_OK)
            return status;
        const uint32_t level = tree[at].level;
        bvp_string key, value;
        printf("  %*s", (int)(level > 60 ? 120 : 2 * level), "");
        print_string(node.name, "(unnamed)");
        if (node.instance != BVP_NONE)
            printf("  part #%u, instance @%u", node.part, node.instance);
        for (uint32_t i = 0; i < node.property_count; i++) {
            if (bvp_get_property(file, at, i, &key, &value) != BVP_OK)
                break;
            fputs(i == 0 ? "  {" : ", ", stdout);
            print_name(stdout, key.data, key.size);
            fputs(": ", stdout);
            print_name(stdout, value.data, value.size);
        }
        puts(node.property_count > 0 ? "}" : "");
        if (tree[at].child != BVP_NONE) {
            assert(tree[at].child > at);
            tree[tree[at].child].level = tree[at].level + 1;
            at = tree[at].child;
            continue;
        }
        while (at != BVP_NONE && tree[at].next == BVP_NONE)
            at = tree[at].parent;
        if (at == BVP_NONE)
            break;
        assert(tree[at].next > at); /* siblings ascend, so the walk ends */
        tree[tree[at].next].level = tree[at].level;
        at = tree[at].next;
    }
    return BVP_OK;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static bvp_status show(const char *path, const bvp_file *file, const settings *set)
{
    bvp_file_info info;
    bvp_status status = BVP_OK;
    bvp_get_info(file, &info);
    if (set->json)
        return info_as_json(file, &info, set);
    char a[32], b[64];
    uint64_t stored = info.unique_triangle_count;
    print_plain(stdout, path);
    printf(": bvpack format %u.%u\n", info.format_major, info.format_minor);
    printf("  %-14s%s, stored %s\n", "triangles", grouped(info.triangle_count, a),
           grouped(stored, b));
    printf("  %-14s%s\n", "parts", grouped(info.part_count, a));
    printf("  %-14s%s in a tree of %s\n", "instances", grouped(info.instance_count, a),
           counted(info.node_count, "node", b));
    if (info.instance_hierarchy_count > 1)
        printf("  %-14s%s have hierarchies of their own: %s in all\n", "",
               "some lie so far from the others that they",
               grouped(info.instance_hierarchy_count, a));
    print_unit(&info);
    for (int axis = 0; axis < 3 && info.instance_count > 0; axis++)
        printf("  %-14s%s %s .. %s\n", axis == 0 ? "bounds" : "", axis_names[axis],
               shortest(info.lo[axis], a), shortest(info.hi[axis], b));
    print_size("file", info.file_size, stored);
    print_size("  hierarchy", info.hierarchy_size, stored);
    print_size("  geometry", info.geometry_size, stored);
    print_size("  ids", info.id_size, stored);
    print_size("  other", info.other_size, stored);
    print_hash("root hash", info.root_hash, sizeof info.root_hash);
    if (info.has_digests) {
        uint8_t digest[DIGEST_SIZE];
        status = bvp_get_digest(file, digest, NULL);
        if (status == BVP_OK)
            print_hash("digest", digest, sizeof digest);
        else if (status == BVP_ERR_AGAIN)
            print_untold("digest", "--digest");
        else
            printf("  %-14s%s\n", "digest", "not known to this build, which has no libsodium");
    }
    print_hash("source hash", info.source_hash, sizeof info.source_hash);
    shard_number shard;
    bvp_node_info root;
    status = shard_ask(file, &shard);
    if (status == BVP_OK && shard.count != 0)
        status = bvp_get_node(file, 0, &root);
    if (status == BVP_ERR_AGAIN)
        print_untold("share", "--tree");
    if (status == BVP_OK && shard.count != 0) {
        printf("  %-14s%u of %u of ", "share", shard.index, shard.count);
        print_name(stdout, root.name.data, root.name.size);
        puts("; \"bvpack merge\" makes the whole of all of them");
    }
    puts("hierarchies:");
    status = kinds_as_text(file, info.part_count);
    if (status == BVP_ERR_AGAIN) {
        print_untold("", "--parts");
        status = BVP_OK;
    }
    if (set->parts && status == BVP_OK)
        status = parts_as_text(file, info.part_count);
    if (set->tree && status == BVP_OK) {
        links *tree = malloc(((size_t)info.node_count + 1) * sizeof *tree);
        status = tree ? BVP_OK : BVP_ERR_NO_MEMORY;
        puts("tree:");
        for (uint32_t i = 0; tree && i < info.node_count; i++)
            tree[i] = (links){BVP_NONE, BVP_NONE, BVP_NONE, 0};
        if (status == BVP_OK)
            status = link_nodes(file, info.node_count, tree);
        for (uint32_t i = 0; i < info.node_count && status == BVP_OK; i++)
            if (tree[i].parent == BVP_NONE)
                status = print_subtree(file, tree, i);
        free(tree);
    }
    if (set->provenance && status == BVP_OK) {
        size_t size;
        char *text;
        status = read_provenance(file, &text, &size);
        puts("provenance:");
        if (text)
            print_name(stdout, text, size);
        putchar('\n');
        free(text);
    }
    return status;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    bvp_file *file;
    bvp_error error = {0};
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "one FILE", &code);
    if (first < 0)
        return code;
    const bool reads_on = set.json || set.parts || set.tree || set.provenance || set.digest;
    bvp_status status = packed_open_tables(argv[first], !reads_on, &file, &error);
    if (status != BVP_OK)
        return complain_status(argv[first], status, &error);
    if (set.digest) {
        uint8_t digest[DIGEST_SIZE];
        char digits[2 * DIGEST_SIZE + 1];
        if (bvp_get_digest(file, digest, &error) == BVP_OK) {
            hex_text(digest, sizeof digest, digits);
            puts(digits); /* alone in its line, which is what gets signed */
            code = EXIT_DONE;
        } else {
            complain(argv[first], "%s", error.message);
            code = EXIT_USAGE;
        }
    } else {
        status = show(argv[first], file, &set);
        code = status == BVP_OK ? EXIT_DONE : complain_fault(argv[first], file, status);
    }
    bvp_close(file);
    return code;
}

static const option_row options[] = {
    {"json", 0, OPTION_FLAG, offsetof(settings, json), NULL, "print JSON", 0, 0},
    {"parts", 'p', OPTION_FLAG, offsetof(settings, parts), NULL, "list the parts as well", 0, 0},
    {"tree", 't', OPTION_FLAG, offsetof(settings, tree), NULL,
     "show the product tree as well, with the properties of its nodes", 0, 0},
    {"digest", 0, OPTION_FLAG, offsetof(settings, digest), NULL,
     "print only the root digest of a file that was packed with --digests: what to sign", 0, 0},
    {"provenance", 0, OPTION_FLAG, offsetof(settings, provenance), NULL,
     "print the record of sources, options and warnings as well; JSON output always has it", 0, 0},
    {0},
};

const verb verb_info = {
    .name = "info",
    .summary = "show what is in a packed file",
    .synopsis = "FILE [OPTION]...\n",
    .description =
        "Shows counts, sizes, bounds, unit and hashes of a packed file, and what each kind of "
        "hierarchy takes and is worth: its area cost is the sum of all volumes' surfaces over the "
        "root's, averaged over the triangles. It reads one page of the file and the records of its "
        "parts and hierarchies; --tree reads the product tree.\n\n"
        "Of a file on a server it makes two requests, for 1 MiB at its beginning and 512 KiB at "
        "its end, and names what they did not bring; with any option it reads on.\n\n"
        "The root hash names the content: equal bytes, equal hash. The source hash names what the "
        "file was made of: source bytes, options and format version.",
    .options = options,
    .examples = "bvpack info plant.bvp\n"
                "# the product tree and the parts\n"
                "bvpack info --tree --parts plant.bvp\n"
                "# for a program\n"
                "bvpack info --json plant.bvp\n",
    .completes = "bvp|zst",
    .run = run,
};
