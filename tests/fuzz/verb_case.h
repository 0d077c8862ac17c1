/* SPDX-License-Identifier: MIT
 * verb_case.h: whole verbs of the program inside a fuzz target, in a folder of the process's own,
 * which is the current one.
 */
#ifndef FUZZ_VERB_CASE_H
#define FUZZ_VERB_CASE_H

#include "bvpack_build.h"
#include "text/message.h"
#include "cli/verb.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CASE_ARGUMENTS_MAX = 24 };

static inline void require(int condition)
{
    if (!condition)
        abort();
}

static char case_folder[64];

static inline void case_leave(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", case_folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", case_folder);
}

static inline void case_enter(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(case_folder, sizeof case_folder, "%s/bvpack_fuzz.XXXXXX", base);
    require(mkdtemp(case_folder) && chdir(case_folder) == 0);
    atexit(case_leave);
}

static inline void case_write(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    require(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

/* What the path holds, 64-byte aligned, to be freed; NULL: there is no such file. */
static inline uint8_t *case_read(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    void *bytes = NULL;
    if (!in)
        return NULL;
    require(fseek(in, 0, SEEK_END) == 0);
    *size = (size_t)ftell(in);
    rewind(in);
    require(posix_memalign(&bytes, 64, *size + 1) == 0 && fread(bytes, 1, *size, in) == *size);
    fclose(in);
    return bytes;
}

/* Runs a command line, its words separated by spaces: "query ray a.bvp --origin 0,0,0". Returns the
 * exit code, one of those that the program has. */
static inline int case_run(const char *line)
{
    char words[512], *argv[CASE_ARGUMENTS_MAX + 1];
    int argc = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *rest = words, *word; (word = strtok_r(rest, " ", &rest));) {
        require(argc < CASE_ARGUMENTS_MAX);
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    static const verb *const verbs[] = {
        &verb_pack,    &verb_info,   &verb_verify, &verb_dump,   &verb_query,  &verb_view,
        &verb_extract, &verb_refit,  &verb_split,  &verb_merge,  &verb_repack, &verb_compress,
        &verb_clash,   &verb_issues, &verb_diff,   &verb_attach, &verb_plan,   NULL};
    for (const verb *const *v = verbs; *v; v++) {
        if (strcmp((*v)->name, argv[0]) != 0)
            continue;
        for (const verb *const *kind = (*v)->kinds; kind && *kind; kind++)
            if (argc > 1 && strcmp(strrchr((*kind)->name, ' ') + 1, argv[1]) == 0)
                return (*kind)->run(*kind, argc - 1, argv + 1);
        return (*v)->run(*v, argc, argv);
    }
    abort();
}

/* Two cubes that overlap and a third one apart, each of 12 triangles, as an OBJ file. */
static inline void case_write_model(const char *path)
{
    FILE *out = fopen(path, "w");
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                     {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                     {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    require(out != NULL);
    for (int cube = 0; cube < 3; cube++) {
        fprintf(out, "o cube%d\n", cube);
        for (int i = 0; i < 8; i++)
            fprintf(out, "v %g %g %g\n", (i & 1) + 0.7 * cube * cube, (i >> 1 & 1) + 0.01 * cube,
                    (i >> 2 & 1) * (1 + 0.5 * cube));
        for (int f = 0; f < 12; f++)
            fprintf(out, "f %d %d %d\n", 8 * cube + faces[f][0] + 1, 8 * cube + faces[f][1] + 1,
                    8 * cube + faces[f][2] + 1);
    }
    require(fclose(out) == 0);
}

#endif
