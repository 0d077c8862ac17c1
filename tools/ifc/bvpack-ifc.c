/* SPDX-License-Identifier: MIT
 * bvpack-ifc.c: becomes node, which reads an IFC model with web-ifc and answers as
 * import_protocol.h says.
 *
 * The model's bytes are taken apart by JavaScript, and shapes are made in web-ifc's WebAssembly
 * module, which reaches its own memory only. Should a model break out of both, what the process may
 * do is limited before node begins: its memory and time, the files that it may open, and system
 * calls. Node needs more of these than the other importers: it makes code while it runs, and reads
 * its own files when it is too late for this program to do it. So no path of these comes from the
 * model or its folder, and node gets none of the caller's environment.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "import/import_confine.h"
#include "import/import_protocol.h"

enum { STATUS_USAGE = 2, STATUS_NOT_STARTED = 127, PATH_SIZE = 4096 };

enum { FORMAT = 1, CHORD, ANGLE, THREADS, DROP, SPACES, MEMORY, SECONDS, NAME, COUNT };

/* The path without what follows its last slash; "." where there is none. */
static void folder_of(const char *path, char out[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(out, PATH_SIZE, ".");
    else
        snprintf(out, PATH_SIZE, "%.*s", (int)(slash - path), path);
}

/* The whole path of FOLDER/NAME with links followed, if it may be used so. */
static bool is_at(const char *folder, size_t folder_size, const char *name, int mode,
                  char out[PATH_SIZE])
{
    char path[PATH_SIZE];
    const int size = snprintf(path, sizeof path, "%.*s/%s", (int)folder_size, folder, name);
    return folder_size > 0 && size < PATH_SIZE && access(path, mode) == 0 && realpath(path, out);
}

/* The same in the first of folders that are separated by colons. */
static bool is_in(const char *folders, const char *name, int mode, char out[PATH_SIZE])
{
    for (const char *at = folders; at && *at;) {
        const size_t size = strcspn(at, ":");
        if (size < PATH_SIZE && is_at(at, size, name, mode, out))
            return true;
        at += size + (at[size] == ':');
    }
    return false;
}

static bool find_node(char out[PATH_SIZE])
{
    const char *given = getenv("BVPACK_NODE");
    if (given && given[0])
        return access(given, X_OK) == 0 && realpath(given, out);
    return is_in(getenv("PATH"), "node", X_OK, out) || is_in(getenv("PATH"), "nodejs", X_OK, out);
}

/* Where npm installs for all users, by node's own place, and where distributions do. */
static bool find_library(const char *node, char out[PATH_SIZE])
{
#define MAIN "web-ifc/web-ifc-api-node.js"
    const char *given = getenv("BVPACK_WEB_IFC"), *prefix = getenv("NPM_CONFIG_PREFIX");
    char folder[PATH_SIZE], below[PATH_SIZE + 32];
    if (given && given[0])
        return is_at(given, strlen(given), "web-ifc-api-node.js", R_OK, out);
    if (is_in(getenv("NODE_PATH"), MAIN, R_OK, out))
        return true;
    if (prefix && prefix[0]) {
        snprintf(below, sizeof below, "%.4000s/lib/node_modules", prefix);
        if (is_at(below, strlen(below), MAIN, R_OK, out))
            return true;
    }
    folder_of(node, folder);
    snprintf(below, sizeof below, "%s/../lib/node_modules", folder);
    return is_at(below, strlen(below), MAIN, R_OK, out) ||
           is_in("/usr/local/lib/node_modules:/usr/lib/node_modules:/usr/share/nodejs", MAIN, R_OK,
                 out);
}

int main(int argc, char **argv)
{
    char own[PATH_SIZE], node[PATH_SIZE], library[PATH_SIZE], script[PATH_SIZE];
    char own_folder[PATH_SIZE], node_folder[PATH_SIZE], library_folder[PATH_SIZE],
        script_folder[PATH_SIZE], heap[64], version[16];
    if (argc != COUNT) {
        fputs("usage: bvpack-ifc ifc CHORD ANGLE THREADS DROP SPACES MEMORY SECONDS NAME 3>ANSWER "
              "4<MODEL\n"
              "started by bvpack to read IFC models with web-ifc, under node\n",
              stderr);
        return STATUS_USAGE;
    }
    if (!realpath(argv[0], own))
        return STATUS_NOT_STARTED;
    folder_of(own, own_folder);
    if (!is_at(own_folder, strlen(own_folder), "ifc/ifc_main.mjs", R_OK, script))
        return STATUS_NOT_STARTED;
    if (!find_node(node))
        return IMPORT_LACKS_PROGRAM;
    if (!find_library(node, library))
        return IMPORT_LACKS_LIBRARY;
    folder_of(node, node_folder);
    folder_of(library, library_folder);
    folder_of(script, script_folder);

    const uint64_t memory = strtoull(argv[MEMORY], NULL, 10);
    const char *const folders[] = {
        node, library_folder, script_folder, "/usr", "/lib", "/lib64", "/etc/ld.so.cache",
        "/dev/null", "/dev/urandom",
        /* a node beside its libraries, as version managers have it */
        strcmp(node_folder, "/usr/bin") != 0 && strcmp(node_folder, "/bin") != 0 ? node_folder
                                                                                 : NULL};
    const char *refused = import_confine_interpreter(memory, strtoull(argv[SECONDS], NULL, 10),
                                                     folders, sizeof folders / sizeof *folders);
    if (refused) {
        fprintf(stderr, "bvpack-ifc: the system refused %s\n", refused);
        return STATUS_NOT_STARTED;
    }
    /* The heap of JavaScript gets half of it; the rest is the model and web-ifc's module. */
    snprintf(heap, sizeof heap, "--max-old-space-size=%llu", (unsigned long long)(memory >> 21));
    snprintf(version, sizeof version, "%d", IMPORT_VERSION);
    char *arguments[] = {node,    heap,    "--no-addons", "--no-warnings", script,
                         library, version, argv[ANGLE],   argv[SPACES],    NULL};
    char *environment[] = {"LC_ALL=C", "OPENSSL_CONF=/dev/null", "UV_THREADPOOL_SIZE=1", NULL};
    execve(node, arguments, environment);
    return STATUS_NOT_STARTED;
}
