/* SPDX-License-Identifier: MIT
 * model.c: recognises a model's format, calls its importer, frees models.
 */
#include "model/model.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "model/import.h"
#include "import/import_process.h"

static const struct {
    const char *name, *other; /* endings; the first is what --format says */
    bvp_status (*import)(importer *im);
} formats[] = {{"stl", NULL, import_stl},       {"triangles", NULL, import_triangles},
               {"obj", NULL, import_obj},       {"ply", NULL, import_ply},
               {"off", NULL, import_off},       {"gltf", NULL, import_gltf},
               {"glb", NULL, import_gltf},      {"manifest", "jsonl", import_manifest},
               {"urdf", NULL, import_urdf},     {"plmxml", NULL, import_plmxml},
               {"ap242", "stpx", import_ap242}, {"rvm", NULL, import_rvm},
               {"3mf", NULL, import_3mf},       {"step", "stp", import_step},
               {"iges", "igs", import_iges},    {"dae", NULL, import_assimp},
               {"fbx", NULL, import_assimp},    {"ifc", "ifczip", import_ifc},
               {"3ds", NULL, import_assimp},    {"x3d", NULL, import_assimp},
               {"dxf", NULL, import_assimp},    {"assimp", NULL, import_assimp}};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

/* ---- what is it? ---------------------------------------------------------------------------- */

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p;
}

static int starts_with(const char *p, const char *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - p) >= size && strncasecmp(p, word, size) == 0;
}

/* Exactly as long as the count in its header says. */
static int is_binary_stl(const uint8_t *data, size_t size)
{
    enum { HEADER = 84, FACET = 50 };
    if (size < HEADER)
        return 0;
    uint64_t count =
        data[80] | (uint32_t)data[81] << 8 | (uint32_t)data[82] << 16 | (uint32_t)data[83] << 24;
    return size == HEADER + FACET * count;
}

/* [ST][C][N][4][n]OFF, after lines that begin with #. */
static int is_off(const char *p, const char *end)
{
    while ((p = skip_space(p, end)) < end && *p == '#')
        while (p < end && *p != '\n' && *p != '\r')
            p++;
    p += starts_with(p, end, "ST") ? 2 : 0;
    p += p < end && *p == 'C';
    p += p < end && *p == 'N';
    p += p < end && *p == '4';
    p += p < end && *p == 'n';
    return end - p >= 3 && memcmp(p, "OFF", 3) == 0;
}

/* Does a line of the beginning read like one of a Wavefront file? */
static int is_obj(const char *p, const char *end)
{
    static const char *const words[] = {"v ", "vn ", "vt ", "f ", "o ", "g ", "mtllib ", "usemtl "};
    for (int line = 0; line < 100 && (p = skip_space(p, end)) < end; line++) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (starts_with(p, end, words[i]))
                return 1;
        if (*p != '#')
            return 0;
        while (p < end && *p != '\n' && *p != '\r')
            p++;
    }
    return 0;
}

/* A manifest's first line is an object of its own; a glTF's has an "asset" if it is. */
static int is_manifest(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    const char *last = newline ? newline : end;
    while (last > p && isspace((unsigned char)last[-1]))
        last--;
    if (last == p || last[-1] != '}')
        return 0;
    for (; last - p >= 7; p++)
        if (memcmp(p, "\"asset\"", 7) == 0)
            return 0;
    return 1;
}

/* XML in whose first kilobytes an element begins as `tag` does: "<robot". */
static int is_xml_of(const char *p, const char *end, const char *tag)
{
    const size_t size = strlen(tag);
    if (p == end || *p != '<')
        return 0;
    for (int i = 0; i < 16384 && p < end; i++, p++)
        if (starts_with(p, end, tag) && (size_t)(end - p) > size &&
            (isspace((unsigned char)p[size]) || p[size] == '>'))
            return 1;
    return 0;
}

/* An AP242 domain model: the root is <Uos>, with whatever prefix. */
static int is_uos(const char *p, const char *end)
{
    if (p == end || *p != '<')
        return 0;
    for (int i = 0; i < 16384 && p < end; i++, p++)
        if ((*p == '<' || *p == ':') && starts_with(p + 1, end, "Uos") && end - p > 4 &&
            (isspace((unsigned char)p[4]) || p[4] == '>'))
            return 1;
    return 0;
}

/* Lines of 80 columns, with the section's letter and a number in the last eight. */
static int is_iges(const char *p, const char *end)
{
    enum { LETTER = 72, WIDTH = 80 };
    if (end - p <= WIDTH || p[LETTER] != 'S' || (p[WIDTH] != '\n' && p[WIDTH] != '\r'))
        return 0;
    for (int i = LETTER + 1; i < WIDTH; i++)
        if (p[i] != ' ' && !isdigit((unsigned char)p[i]))
            return 0;
    return memchr(p, '\n', LETTER) == NULL;
}

static const char *format_by_content(const uint8_t *data, size_t size)
{
    enum { SCHEMA_MAX = 1 << 16, COLLADA_MAX = 4096, TEXT_MAX = 512 };
    const char *p = (const char *)data, *end = p + size;
    if (starts_with(p, end, "glTF"))
        return "glb";
    if (size >= 16 && memcmp(p, "\0\0\0H\0\0\0E\0\0\0A\0\0\0D", 16) == 0)
        return "rvm";
    if (starts_with(p, end, "HEAD\n") || starts_with(p, end, "HEAD\r\n"))
        return "rvm"; /* its form as text, which is refused */
    if (is_binary_stl(data, size))
        return "stl";
    if (starts_with(p, end, "\xef\xbb\xbf"))
        p += 3;
    size_t left = (size_t)(end - p);
    /* what importing programs read */
    if (starts_with(p, end, "ISO-10303-21;")) { /* IFC uses the syntax of STEP; the schema tells */
        const char *last = left > SCHEMA_MAX ? p + SCHEMA_MAX : end;
        const char *schema = import_find(p, (size_t)(last - p), "FILE_SCHEMA");
        const char *name = schema ? memchr(schema, '\'', (size_t)(last - schema)) : NULL;
        return name && starts_with(name + 1, last, "IFC") ? "ifc" : "step";
    }
    if (is_iges(p, end))
        return "iges";
    if (starts_with(p, end, "Kaydara FBX Binary"))
        return "fbx";
    if (left > 0 && *p == '<' &&
        import_find(p, left < COLLADA_MAX ? left : COLLADA_MAX, "<COLLADA"))
        return "dae";
    /* what this program reads */
    p = skip_space(p, end);
    left = (size_t)(end - p);
    if (starts_with(p, end, "ply") && skip_space(p + 3, end) > p + 3)
        return "ply";
    if (starts_with(p, end, "solid") && !memchr(p, 0, left < TEXT_MAX ? left : TEXT_MAX))
        return "stl";
    if (left > 0 && *p == '{')
        return is_manifest(p, end) ? "manifest" : "gltf";
    if (is_xml_of(p, end, "<robot"))
        return "urdf";
    if (is_xml_of(p, end, "<PLMXML"))
        return "plmxml";
    if (is_uos(p, end))
        return "ap242";
    if (left >= 4 && memcmp(p, "PK\3\4", 4) == 0)
        return "3mf";
    if (is_off(p, end))
        return "off";
    return is_obj(p, end) ? "obj" : NULL;
}

static const char *format_by_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && i < FORMAT_COUNT; i++)
        if (strcasecmp(dot + 1, formats[i].name) == 0 ||
            (formats[i].other && strcasecmp(dot + 1, formats[i].other) == 0))
            return formats[i].name;
    return NULL;
}

const char *model_format(const void *data, size_t size, const char *name)
{
    const char *format = format_by_content(data, size), *named = format_by_name(name);
    if (named && strcmp(named, "triangles") == 0) /* its bytes may look like anything */
        return named;
    const int is_more = format && named && /* than its bytes tell */
                        ((strcmp(format, "gltf") == 0 && strcmp(named, "manifest") == 0) ||
                         (strcmp(format, "3mf") == 0 && strcmp(named, "ifc") == 0));
    return !format || is_more ? named : format;
}

/* ---- import ---------------------------------------------------------------------------------- */

const char *import_find_format(importer *im)
{
    const uint8_t *data = im->data;
    const char *format = im->options->format;
    if (!format && im->size > 0)
        format = model_format(data, im->size, im->name);
    const int is_raw = format && strcmp(format, "triangles") == 0;
    if (im->size == 0) {
        import_refuse(im, BVP_ERR_NOT_OURS, "the file is empty; export the model again");
        return NULL;
    }
    const int is_utf16 = im->size >= 2 && ((data[0] == 0xff && data[1] == 0xfe) ||
                                           (data[0] == 0xfe && data[1] == 0xff));
    if (is_utf16 && !is_raw && !is_binary_stl(data, im->size)) {
        import_refuse(im, BVP_ERR_NOT_OURS,
                      "expected ASCII or UTF-8 text, found UTF-16; convert it: iconv -f "
                      "UTF-16 -t UTF-8");
        return NULL;
    }
    if (!format) {
        char found[QUOTE_SIZE];
        const char *end = (const char *)data + im->size;
        import_refuse(
            im, BVP_ERR_NOT_OURS,
            "expected an STL, OBJ, PLY, OFF, glTF, GLB, 3MF, STEP, IGES, RVM or URDF model "
            "or a manifest, found \"%s\"; convert it, or name the format with --format",
            import_quote(skip_space((const char *)data, end), end, found));
    }
    return format;
}

static bvp_status import(importer *im)
{
    const char *format = import_find_format(im);
    int i = 0;
    if (!format)
        return im->error->status;
    while (i < FORMAT_COUNT && strcmp(format, formats[i].name) != 0)
        i++;
    if (i == FORMAT_COUNT)
        return import_refuse(im, BVP_ERR_ARGUMENT, "there is no format \"%.20s\"", format);
    im->format = format;
    bvp_status status = formats[i].import(im);
    if (status != BVP_OK)
        return status;
    uint64_t triangles = 0;
    for (uint32_t k = 0; k < im->out->mesh_count; k++)
        triangles += im->out->meshes[k].triangle_count;
    const int may_be_empty = im->options->is_share && strcmp(format, "manifest") == 0;
    if (triangles == 0 && !may_be_empty)
        return import_refuse_empty(im);
    for (uint32_t k = 0; k < im->out->node_count; k++) {
        assert(im->out->nodes[k].parent == BVP_NONE || im->out->nodes[k].parent < k);
        assert(im->out->nodes[k].mesh == BVP_NONE || im->out->nodes[k].mesh < im->out->mesh_count);
    }
    return import_part_strays(im);
}

bvp_status model_import_memory(const void *data, size_t size, const char *name, const char *dir,
                               const import_options *options, model *out, bvp_error *error)
{
    static const import_options defaults;
    bvp_error ignored;
    importer im = {.data = data,
                   .size = size,
                   .name = strcmp(name, "-") == 0 ? "standard input" : name,
                   .dir = dir,
                   .options = options ? options : &defaults,
                   .out = out,
                   .error = error ? error : &ignored};
    memset(out, 0, sizeof *out);
    bvp_status status = import(&im);
    if (status != BVP_OK)
        model_free(out);
    return status;
}

bvp_status import_colour_mesh(importer *im, model_mesh *mesh, colour_runs *runs)
{
    const char *text = colour_runs_text(runs);
    assert(!mesh->colours);
    if (text)
        mesh->colours = import_text(text, runs->size);
    if (runs->is_out_of_memory || (text && !mesh->colours))
        return import_no_memory(im);
    return import_warn(im, (uint64_t)runs->is_too_long,
                       "meshes with so many colours that none is kept");
}

void model_node_free(model_node *node)
{
    for (uint32_t k = 0; k < node->property_count; k++) {
        free(node->properties[k].key);
        free(node->properties[k].value);
    }
    free(node->properties);
    free(node->name);
    free(node->source_id);
}

void model_mesh_forget(model_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->indices);
    free(mesh->ids);
    mesh->positions = NULL;
    mesh->indices = mesh->ids = NULL;
}

void model_mesh_free(model_mesh *mesh)
{
    for (model_mesh *strays = mesh->strays, *next; strays; strays = next) {
        next = strays->strays;
        strays->strays = NULL;
        model_mesh_free(strays);
        free(strays);
    }
    free(mesh->name);
    free(mesh->colours);
    model_mesh_forget(mesh);
}

void model_free(model *m)
{
    for (uint32_t i = 0; i < m->mesh_count; i++)
        model_mesh_free(&m->meshes[i]);
    for (uint32_t i = 0; i < m->node_count; i++)
        model_node_free(&m->nodes[i]);
    for (uint32_t i = 0; i < m->file_count; i++)
        free(m->files[i].name);
    for (uint32_t i = 0; i < m->warning_count; i++)
        free(m->warnings[i].text);
    free(m->meshes);
    free(m->nodes);
    free(m->warnings);
    free(m->files);
    free(m->buffers);
    free(m->format);
    memset(m, 0, sizeof *m);
}
