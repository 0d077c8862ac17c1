/* SPDX-License-Identifier: MIT
 * verb_attach.c: the verb attach: a GLB with its hierarchy in a chunk of its own, or beside it.
 * Spec: spec/gltf.md
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/glb_edit.h"
#include "bvpack.h"
#include "cli/options.h"
#include "files/input.h"
#include "files/output.h"
#include "files/packed_file.h"
#include "text/hex.h"
#include "text/json_tree.h"
#include "text/memory_text.h"
#include "text/message.h"

#define EXTENSION "BVPACK_hierarchy"

typedef struct settings {
    const char *output;
    int sidecar, quiet, share, small;
} settings;

/* The model, and the packed file that goes with it. */
typedef struct job {
    const settings *set;
    const char *path;
    input model;
    glb_parts glb;
    uint8_t hash[16]; /* of the model's bytes */
    const void *bytes;
    size_t size;
    bvp_file_info info;
} job;

static int refuse(const char *path, const char *what)
{
    complain(path, "%s", what);
    return EXIT_INPUT;
}

/* ---- the model ------------------------------------------------------------------------------- */

static int check_text(const job *j)
{
    json_fault fault;
    json_value *root = json_tree_open(j->glb.text, j->glb.text_size, &fault);
    if (!root && fault.is_memory)
        return complain_memory();
    if (!root) {
        complain(j->path, "byte %" PRIu64 " of its JSON text: %s", fault.offset, fault.text);
        return EXIT_INPUT;
    }
    const int is_object = json_tree_is_object(root);
    const int is_there = json_tree_get(json_tree_get(root, "extensions"), EXTENSION) != NULL;
    json_tree_close(root);
    if (!is_object)
        return refuse(j->path, "its JSON text is no object");
    return is_there ? refuse(j->path, "it has a hierarchy already; attach one to the GLB that this "
                                      "was made of")
                    : 0;
}

static int open_model(job *j)
{
    uint64_t at;
    int code = input_open(&j->model, j->path);
    if (code != 0)
        return code;
    const char *wrong = glb_take_apart(j->model.data, j->model.size, &j->glb, &at);
    if (wrong) {
        complain(j->path, "byte %" PRIu64 ": %s", at, wrong);
        return EXIT_INPUT;
    }
    bvp_hash(j->model.data, j->model.size, j->hash);
    return check_text(j);
}

/* ---- the packed file ------------------------------------------------------------------------- */

/* Was it packed from this model? Its provenance has the hash of what it was packed from. */
static int check_origin(const job *j, const bvp_file *file, const char *path)
{
    char *text, found[33], expected[33];
    size_t size;
    bvp_error error = {0};
    const bvp_status status = packed_provenance(file, &text, &size, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    json_fault fault;
    json_value *root = text ? json_tree_open(text, size, &fault) : NULL;
    const json_value *sources = json_tree_get(root, "sources");
    const char *hash = json_tree_text(json_tree_get(json_tree_at(sources, 0), "hash"));
    snprintf(found, sizeof found, "%.32s", hash ? hash : "unknown");
    hex_text(j->hash, sizeof j->hash, expected);
    const int is_same = json_tree_size(sources) == 1 && strcmp(found, expected) == 0;
    json_tree_close(root);
    free(text);
    if (is_same)
        return 0;
    complain(path, "it was packed from another file than \"%s\": of hash %s, not %s; pack it again",
             j->path, found, expected);
    return EXIT_INPUT;
}

/* Takes the bytes of a packed file that is open as a descriptor; they stay mapped until the end. */
static int take_packed(job *j, int fd, const char *path)
{
    bvp_file *file;
    bvp_error error = {0};
    struct stat info;
    const bvp_status status = packed_open_fd(fd, NULL, &file, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    bvp_get_info(file, &j->info);
    int code = j->info.is_thin ? refuse(path, "a thin file needs its store; \"bvpack merge\" makes "
                                              "a fat one of it")
                               : check_origin(j, file, path);
    bvp_close(file);
    if (code == 0 && j->set->share && !j->info.is_over_buffers)
        code = refuse(path, "it holds its vertices itself; pack the model with --share");
    if (code == 0 && j->set->sidecar && j->info.is_over_buffers)
        code = refuse(path, "with --share the hierarchy has to be in the GLB whose vertices it "
                            "refers to; leave out --sidecar");
    if (code != 0)
        return code;
    void *bytes = fstat(fd, &info) == 0 && (uint64_t)info.st_size >= j->info.file_size
                      ? mmap(NULL, (size_t)j->info.file_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return refuse(path, strerror(errno));
    j->bytes = bytes;
    j->size = (size_t)j->info.file_size;
    return 0;
}

/* Packs the model by the verb pack, whose standard output is for this while a file without a name.
 */
static int pack_model(job *j)
{
    char *arguments[9] = {"pack", "-q", "--asset-numbers", "-o", "-"};
    int count = 5;
    if (j->set->share)
        arguments[count++] = "--share";
    if (j->set->small)
        arguments[count++] = "--small";
    arguments[count++] = "--";
    arguments[count++] = (char *)(uintptr_t)j->path;
    FILE *packed = tmpfile();
    fflush(stdout);
    const int kept = packed ? dup(STDOUT_FILENO) : -1;
    if (kept < 0 || dup2(fileno(packed), STDOUT_FILENO) < 0) {
        complain(NULL, "no temporary file: %s", strerror(errno));
        return EXIT_OUTPUT;
    }
    int code = verb_pack.run(&verb_pack, count, arguments);
    fflush(stdout);
    if (dup2(kept, STDOUT_FILENO) < 0)
        code = EXIT_OUTPUT;
    close(kept);
    if (code == 0)
        code = take_packed(j, fileno(packed), j->path);
    fclose(packed);
    return code;
}

static int open_packed(job *j, const char *path)
{
    input in;
    int code = input_open(&in, path);
    if (code != 0)
        return code;
    code = in.fd < 0 ? refuse(path, "it must be a file") : take_packed(j, in.fd, path);
    input_close(&in);
    return code;
}

/* ---- the output ------------------------------------------------------------------------------ */

/* What the extension says: where the packed file is, and what it was made of. */
static char *make_value(const job *j, const char *uri, uint64_t offset)
{
    char root[33], source[33];
    memory_text made;
    hex_text(j->info.root_hash, sizeof j->info.root_hash, root);
    hex_text(j->hash, sizeof j->hash, source);
    FILE *text = memory_text_open(&made);
    if (!text)
        return NULL;
    fprintf(text, "{\"formatVersion\":\"%u.%u\",", j->info.format_major, j->info.format_minor);
    if (uri) {
        fprintf(text, "\"uri\":\"");
        for (const char *c = uri; *c; c++) /* percent-encoded, as uris of glTF are */
            fprintf(text,
                    strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~", *c)
                        ? "%c"
                        : "%%%02X",
                    (unsigned)(unsigned char)*c);
        fprintf(text, "\",");
    } else {
        /* of a fixed width: where it lies depends on how long this text is */
        fprintf(text, "\"byteOffset\":%-11" PRIu64 ",", offset);
    }
    fprintf(text, "\"byteLength\":%zu,\"rootHash\":\"%s\",\"sourceHash\":\"%s\"}", j->size, root,
            source);
    return memory_text_close(&made) == 0 ? made.data : NULL;
}

/* The JSON text with the extension; NULL: out of memory. */
static char *make_text(const job *j, const char *uri, uint64_t offset, size_t *size)
{
    char *value = make_value(j, uri, offset);
    char *text = value ? glb_add_extension(&j->glb, EXTENSION, value, size) : NULL;
    free(value);
    return text;
}

static int write_output(const char *path, void (*write)(FILE *to, const void *what),
                        const void *what)
{
    output out;
    int code = output_open(&out, path);
    if (code != 0)
        return code;
    const int fd = dup(out.fd);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    int failed = !stream;
    if (stream) {
        write(stream, what);
        failed = ferror(stream);
        failed |= fclose(stream) != 0;
    }
    if (!failed)
        return output_commit(&out);
    complain(path, "can't write: %s", strerror(errno));
    output_discard(&out);
    return EXIT_OUTPUT;
}

typedef struct written {
    const job *job;
    const char *text;
    size_t text_size;
} written;

static void write_attached(FILE *to, const void *what)
{
    const written *w = what;
    glb_write(to, w->text, w->text_size, &w->job->glb, "BVP", w->job->bytes, w->job->size);
}

static void write_beside(FILE *to, const void *what)
{
    const written *w = what;
    glb_write_plain(to, w->text, w->text_size, &w->job->glb);
}

static void write_packed(FILE *to, const void *what)
{
    const written *w = what;
    fwrite(w->job->bytes, 1, w->job->size, to);
}

/* The packed file's name: that of the output, with the ending .bvp. */
static int name_sidecar(const char *output, char *out, size_t capacity)
{
    const char *name = base_name(output), *dot = strrchr(name, '.');
    const size_t size = dot && dot > name ? (size_t)(dot - output) : strlen(output);
    const int length = snprintf(out, capacity, "%.*s.bvp", (int)size, output);
    if (length > 0 && (size_t)length < capacity)
        return 0;
    complain("--output", "the name is too long");
    return EXIT_USAGE;
}

static int save(const job *j)
{
    char beside[4096];
    const settings *set = j->set;
    written w = {.job = j};
    int code = set->sidecar ? name_sidecar(set->output, beside, sizeof beside) : 0;
    if (code != 0)
        return code;
    char *text = make_text(j, set->sidecar ? base_name(beside) : NULL, 0, &w.text_size);
    if (!text)
        return complain_memory();
    const uint64_t offset = glb_attached_offset(w.text_size, &j->glb);
    if (!set->sidecar) {
        free(text);
        text = make_text(j, NULL, offset, &w.text_size);
        if (!text)
            return complain_memory();
        assert(glb_attached_offset(w.text_size, &j->glb) == offset);
    }
    if (offset + (set->sidecar ? 0 : j->size) > UINT32_MAX) {
        free(text);
        complain(j->path, "with %s it would have more than the 4 GiB that a GLB can have%s",
                 set->sidecar ? "the extension" : "its hierarchy",
                 set->sidecar ? "" : "; leave that beside it with --sidecar");
        return EXIT_LIMIT;
    }
    w.text = text;
    if (set->sidecar)
        code = write_output(beside, write_packed, &w);
    if (code == 0)
        code = write_output(set->output, set->sidecar ? write_beside : write_attached, &w);
    free(text);
    if (code == 0 && !set->quiet) {
        FILE *to = strcmp(set->output, "-") ? stdout : stderr;
        print_plain(to, set->output);
        if (set->sidecar) {
            fprintf(to, ": refers to ");
            print_plain(to, beside);
            fprintf(to, ", %zu bytes\n", j->size);
        } else {
            fprintf(to, ": %zu bytes of hierarchy from byte %" PRIu64 " on\n", j->size, offset);
        }
    }
    return code;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    job j = {.set = &set};
    int code, first = options_operands(self, argc, argv, &set, 1, 2,
                                       "a MODEL.glb and, if it is packed already, FILE", &code);
    if (first < 0)
        return code;
    if (!set.output) {
        complain("attach", "say where to write: -o OUT.glb");
        return EXIT_USAGE;
    }
    if (set.sidecar && strcmp(set.output, "-") == 0) {
        complain("--sidecar", "two files cannot go to standard output");
        return EXIT_USAGE;
    }
    j.path = argv[first];
    if (same_file(j.path, set.output)) {
        complain(set.output, "the output would replace the model; name another");
        return EXIT_USAGE;
    }
    code = open_model(&j);
    if (code == 0)
        code = argc - first == 2 ? open_packed(&j, argv[first + 1]) : pack_model(&j);
    if (code == 0)
        code = save(&j);
    if (j.bytes)
        munmap((void *)(uintptr_t)j.bytes, j.size);
    input_close(&j.model);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "the GLB to write; \"-\" is standard output", 0, 0},
    {"sidecar", 0, OPTION_FLAG, offsetof(settings, sidecar), NULL,
     "leave the packed file beside OUT, with the ending .bvp, and refer to it", 0, 0},
    {"share", 0, OPTION_FLAG, offsetof(settings, share), NULL,
     "let the hierarchy refer to the GLB's own vertices and indices instead of holding them: some "
     "3 "
     "bytes a triangle, with the same answers",
     0, 0},
    {"small", 0, OPTION_FLAG, offsetof(settings, small), NULL,
     "pack the model with --small: some .4 bytes a triangle less, for somewhat slower queries", 0,
     0},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL, "no summary", 0, 0},
    {0},
};

const verb verb_attach = {
    .name = "attach",
    .summary = "put a GLB and its hierarchy into one file",
    .synopsis = "MODEL.glb [FILE] -o OUT.glb [--sidecar] [--share]\n",
    .description =
        "Writes the GLB with its packed file in a chunk of its own, which other programs skip, "
        "and an extension that says so, " EXTENSION ". Every verb, and bvp_open of the library, "
        "opens such a GLB as the packed file in it, in place. The rest of the GLB stays as it is, "
        "byte for byte.\n\n"
        "FILE is what \"bvpack pack\" made of this very MODEL.glb, with whatever options; without "
        "it, it is packed by the defaults.\n\n"
        "With --share the hierarchy refers to the positions and indices of the asset, which have "
        "to "
        "be plain accessors (floats, or the integers of KHR_mesh_quantization) in the GLB's binary "
        "chunk, and lists of triangles. Their hashes bind the two: when the asset has changed, "
        "queries say so.\n\n"
        "Attach last: tools that write a GLB anew leave out what they do not know.",
    .options = options,
    .examples = "# one file for the renderer and for collisions\n"
                "bvpack attach pump.glb -o pump-with-hierarchy.glb\n"
                "# over the renderer's own vertices\n"
                "bvpack attach pump.glb --share -o pump-with-hierarchy.glb\n"
                "# packed with options of its own\n"
                "bvpack pack pump.glb --rays -o pump.bvp\n"
                "bvpack attach pump.glb pump.bvp -o out.glb\n",
    .completes = "glb",
    .run = run,
};
