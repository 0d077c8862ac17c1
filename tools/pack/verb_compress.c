/* SPDX-License-Identifier: MIT
 * verb_compress.c: the verb compress: a packed file in frames of zstd, which is read as it lies.
 *
 * The first frame holds the head and the first four blocks of the file's hashes, each further one
 * four blocks, or what is left at the end: what a reader asks for lies in one frame. A frame
 * depends on its content alone, so threads take frames from a counter, and the bytes do not depend
 * on their number.
 *
 * Measured: decisions.md, "Compressed files"
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bvpack.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/start_thread.h"
#include "compress/seekable_read.h"
#include "compress/seekable_write.h"
#include "files/file_source.h"
#include "files/input.h"
#include "files/output.h"
#include "text/json.h"
#include "text/message.h"

enum {
    HEAD_SIZE = 1408,      /* of a packed file: what precedes its first block */
    FRAME_SIZE = 64 << 10, /* four blocks */
    GROUP = 64,            /* frames that are compressed before they are written */
    THREADS_MOST = GROUP
};

typedef struct settings {
    const char *output;
    uint64_t level, jobs;
    int quiet, json;
} settings;

typedef struct job {
    const settings *set;
    const char *path;
    input in;
    uint32_t count; /* frames */
    seekable_entry *entries;
    uint8_t *frames;  /* of a group */
    uint64_t written; /* bytes */
    progress bar;
} job;

/* Threads that compress a group. */
typedef struct crew {
    job *j;
    uint32_t first, end;
    atomic_uint next;
    atomic_int failed;
} crew;

/* ---- frames ---------------------------------------------------------------------------------- */

static uint64_t frame_begin(uint32_t i)
{
    return i == 0 ? 0 : HEAD_SIZE + (uint64_t)i * FRAME_SIZE;
}

static size_t frame_size(const job *j, uint32_t i)
{
    const uint64_t begin = frame_begin(i), end = frame_begin(i + 1);
    assert(begin < j->in.size);
    return (size_t)((end < j->in.size ? end : j->in.size) - begin);
}

static size_t frame_room(void)
{
    return seekable_frame_room(HEAD_SIZE + FRAME_SIZE);
}

/* The encoder assumes that its input does not change; a mapped file may. */
static void *compress_some(void *argument)
{
    crew *c = argument;
    const job *j = c->j;
    uint8_t *content = malloc(HEAD_SIZE + FRAME_SIZE);
    seekable_encoder *encoder = seekable_encoder_new((int)j->set->level);
    int failed = !content || !encoder;
    while (!failed && !atomic_load(&c->failed)) {
        const uint32_t i = atomic_fetch_add(&c->next, 1);
        if (i >= c->end)
            break;
        const size_t size = frame_size(j, i);
        memcpy(content, (const uint8_t *)j->in.data + frame_begin(i), size);
        failed = seekable_frame(encoder, content, size, j->frames + (i - c->first) * frame_room(),
                                frame_room(), &j->entries[i]);
    }
    if (failed)
        atomic_store(&c->failed, 1);
    seekable_encoder_free(encoder);
    free(content);
    return NULL;
}

/* Fewer threads than wanted will do. */
static int compress_group(job *j, uint32_t first, uint32_t end)
{
    const long online = j->set->jobs ? (long)j->set->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = end - first < THREADS_MOST ? end - first : THREADS_MOST;
    const uint32_t wanted = online < 1 ? 1 : (uint64_t)online < most ? (uint32_t)online : most;
    pthread_t threads[THREADS_MOST];
    uint32_t started = 0;
    crew c = {.j = j, .first = first, .end = end, .next = first};
    while (started + 1 < wanted && start_thread(&threads[started], compress_some, &c))
        started++;
    compress_some(&c);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&c.failed) ? complain_memory() : 0;
}

/* ---- the output ------------------------------------------------------------------------------ */

static int put(job *j, const output *out, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t more = write(out->fd, bytes + done, size - done);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0) {
            complain(j->set->output, "can't write: %s", strerror(errno));
            return EXIT_OUTPUT;
        }
        done += (size_t)more;
    }
    j->written += size;
    return 0;
}

static int put_table(job *j, const output *out)
{
    const size_t size = seekable_table_size(j->count);
    uint8_t *table = malloc(size);
    if (!table)
        return complain_memory();
    seekable_table(j->entries, j->count, table);
    const int code = put(j, out, table, size);
    free(table);
    return code;
}

static int put_frames(job *j, const output *out)
{
    int code = 0;
    for (uint32_t first = 0; first < j->count && code == 0; first += GROUP) {
        const uint32_t end = j->count - first < GROUP ? j->count : first + GROUP;
        progress_update(&j->bar, "compressing", frame_begin(first), j->in.size);
        code = compress_group(j, first, end);
        for (uint32_t i = first; i < end && code == 0; i++)
            code = put(j, out, j->frames + (i - first) * frame_room(), j->entries[i].size);
    }
    return code;
}

static int write_output(job *j)
{
    output out;
    j->count = 1;
    while (frame_begin(j->count) < j->in.size)
        j->count++;
    j->entries = calloc(j->count, sizeof *j->entries);
    j->frames = malloc(GROUP * frame_room());
    if (!j->entries || !j->frames)
        return complain_memory();
    int code = output_open(&out, j->set->output);
    if (code != 0)
        return code;
    progress_start(&j->bar, j->set->quiet);
    code = put_frames(j, &out);
    if (code == 0)
        code = put_table(j, &out);
    progress_stop(&j->bar);
    if (code == 0)
        return output_commit(&out);
    output_discard(&out);
    return code;
}

/* ---- the input ------------------------------------------------------------------------------- */

/* What is damaged would be refused by every reader of the compressed file. */
static int check_input(const job *j)
{
    const bvp_open_options how = {.verify_lazily = 1, .read_ahead = 1};
    const bvp_source bytes = memory_source(j->in.data, j->in.size);
    bool is_compressed;
    bvp_file_info info;
    bvp_file *file;
    bvp_error error = {0};
    if (seekable_look(&bytes, &is_compressed, &error) == BVP_OK && is_compressed) {
        complain(j->path, "is compressed already; zstd -d decompresses it");
        return EXIT_INPUT;
    }
    bvp_status status = bvp_open_memory(j->in.data, j->in.size, &how, &file, &error);
    if (status != BVP_OK)
        return complain_status(j->path, status, &error);
    bvp_get_info(file, &info);
    status = bvp_check_part(file, BVP_ASSEMBLY, &error);
    for (uint32_t i = 0; !info.is_thin && i < info.part_count && status == BVP_OK; i++)
        status = bvp_check_part(file, i, &error);
    bvp_close(file);
    if (status != BVP_OK)
        return complain_status(j->path, status, &error);
    if (!info.is_thin)
        return 0;
    complain(j->path, "is thin, and a compressed file can't refer to a store; \"bvpack merge\" "
                      "makes a fat one, and its parts can be compressed by themselves");
    return EXIT_INPUT;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static void report(const job *j)
{
    const double smaller = 100 - 100 * (double)j->written / (double)j->in.size;
    char before[32], after[32], frames[64];
    FILE *to = strcmp(j->set->output, "-") ? stdout : stderr;
    if (j->set->json) {
        json out;
        jsonw_start(&out, to, 1);
        jsonw_object(&out, NULL);
        jsonw_text(&out, "output", j->set->output);
        jsonw_count(&out, "size", j->in.size);
        jsonw_count(&out, "compressed_size", j->written);
        jsonw_count(&out, "frame_count", j->count);
        jsonw_count(&out, "frame_size", FRAME_SIZE);
        jsonw_count(&out, "level", j->set->level);
        jsonw_text(&out, "zstd", seekable_encoder_version());
        jsonw_end(&out);
        jsonw_finish(&out);
    } else if (!j->set->quiet) {
        print_plain(to, j->set->output);
        fprintf(to, ": %s bytes of %s, %.1f %% %s, in %s\n", grouped(j->written, after),
                grouped(j->in.size, before), smaller < 0 ? -smaller : smaller,
                smaller < 0 ? "larger" : "smaller", counted(j->count, "frame", frames));
    }
}

static int compress(job *j)
{
    int code = input_open(&j->in, j->path);
    if (code != 0)
        return code;
    code = check_input(j);
    if (code == 0)
        code = write_output(j);
    if (code == 0)
        report(j);
    free(j->frames);
    free(j->entries);
    input_close(&j->in);
    return code;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {.level = 19};
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "one FILE", &code);
    if (first < 0)
        return code;
    job j = {.set = &set, .path = argv[first]};
    char *name = NULL;
    if (!set.output && strcmp(j.path, "-") == 0) {
        complain("compress", "name the compressed file with -o");
        return EXIT_USAGE;
    }
    if (!set.output) {
        name = malloc(strlen(j.path) + sizeof ".zst");
        if (!name)
            return complain_memory();
        set.output = strcat(strcpy(name, j.path), ".zst");
    }
    if (same_file(j.path, set.output)) {
        complain(set.output, "the output would replace the packed file; name another");
        code = EXIT_USAGE;
    } else {
        code = compress(&j);
    }
    free(name);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT",
     "where to write; \"-\" is standard output; without it FILE with .zst behind its name", 0, 0},
    {"level", 'l', OPTION_COUNT, offsetof(settings, level), "N",
     "how hard zstd tries; 19 is the default; readers are as fast with all of them", 1,
     SEEKABLE_LEVEL_MAX},
    {"jobs", 'j', OPTION_COUNT, offsetof(settings, jobs), "N",
     "threads to use; 0, the default, is one per processor; the output does not depend on it", 0,
     1024},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL, "no progress and no summary", 0,
     0},
    {"json", 0, OPTION_FLAG, offsetof(settings, json), NULL, "print the summary as JSON", 0, 0},
    {0},
};

const verb verb_compress = {
    .name = "compress",
    .summary = "compress a packed file so that it is read as it lies",
    .synopsis = "FILE [-o OUT] [OPTION]...\n",
    .description =
        "Compresses a packed file by zstd, in frames of 64 KiB, each of which is decompressed "
        "alone, with a table of them at the end: zstd's seekable format. \"zstd -d\" makes the "
        "packed file of it again, byte for byte; there is no verb for it. FILE \"-\" is standard "
        "input.\n\n"
        "info, verify, dump, query, clash, diff, view and extract read the compressed file, "
        "here or on a server, whatever its name is, and decompress what they need. refit, merge "
        "and split, which take "
        "bytes from a file as they are, do not. On a disk a file that is not compressed is faster: "
        "it is mapped, and shared by all programs that use it.\n\n"
        "The hashes of FILE are checked first. The output has its name only when it is complete. "
        "The same file and level give the same bytes with one version of zstd; another version "
        "may compress otherwise. A file's identity, its hashes and digests, are those of the file "
        "that is not compressed.",
    .options = options,
    .examples = "# plant.bvp.zst, to be sent away\n"
                "bvpack compress plant.bvp\n"
                "bvpack query ray plant.bvp.zst --origin 0,0,9 --direction 0,0,-1\n"
                "# and back\n"
                "zstd -d plant.bvp.zst\n"
                "# through a pipe, in little time\n"
                "bvpack pack plant.glb -o - | bvpack compress - --level 3 -o plant.bvp.zst\n",
    .completes = "bvp",
    .run = run,
};
