/* SPDX-License-Identifier: MIT
 * query_batch.c: the same question for every line of a file, one line of JSON for each.
 *
 * Lines are read, asked and answered in chunks, so that the library can share work between the
 * questions of a chunk while memory stays bounded and a pipe's reader sees answers early. A bad
 * line ends the batch, but what stands in front of it is still answered.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "query/query_kind.h"

enum { NUMBER_MAX = 16, WHERE_SIZE = 4200 };

typedef struct lines {
    const char *name;
    FILE *stream;
    uint64_t number; /* of the line, from 1 */
    char *text;
    size_t capacity;
} lines;

static int refuse_reading(const char *path)
{
    const int reason = errno;
    complain(path, "can't read: %s", strerror(reason));
    return reason == ENOMEM ? EXIT_LIMIT : EXIT_INPUT;
}

/* The numbers of the next line that has some. Returns how many, -1 when it has something else, 0 at
 * the end or, with errno, when it can't be read. */
static int lines_next(lines *in, double *values)
{
    errno = 0;
    while (getline(&in->text, &in->capacity, in->stream) >= 0) {
        in->number++;
        size_t blank = strspn(in->text, " \t\r\n");
        if (in->text[blank] == '\0' || in->text[blank] == '#')
            continue;
        int count = parse_numbers(in->text, values, NUMBER_MAX);
        assert(count <= NUMBER_MAX);
        return count > 0 ? count : -1;
    }
    if (feof(in->stream) && !ferror(in->stream))
        errno = 0;
    return 0;
}

/* Reads up to a full chunk; *count: lines read, with their numbers in `numbers`. */
static int read_chunk(lines *in, const query_batch *kind, void *context, uint64_t *numbers,
                      size_t *count)
{
    double values[NUMBER_MAX];
    for (*count = 0; *count < QUERY_CHUNK; ++*count) {
        int found = lines_next(in, values);
        if (found == 0 && errno == 0)
            break;
        if (found == 0)
            return refuse_reading(in->name);
        if (found < 0 || !kind->take(context, *count, values, found)) {
            char where[WHERE_SIZE];
            snprintf(where, sizeof where, "%.4000s:%llu", in->name, (unsigned long long)in->number);
            complain(where, "expected %s, found \"%.*s\"", kind->expected,
                     (int)strcspn(in->text, "\r\n"), in->text);
            return EXIT_INPUT;
        }
        numbers[*count] = in->number;
    }
    return 0;
}

int query_batch_run(const query_batch *kind, const char *path, const query_common *set,
                    const operand *a, const operand *b, void *context)
{
    /* The lines are always JSON; the statistics of the whole batch are text. */
    query_common common = {.stats = set->stats, .exit_code = set->exit_code};
    uint64_t numbers[QUERY_CHUNK];
    char where[WHERE_SIZE] = "";
    bvp_status status = BVP_OK;
    const int standard = strcmp(path, "-") == 0;
    lines in = {.name = standard ? "standard input" : path};
    query_run q;
    size_t count, done;
    int code;
    in.stream = standard ? stdin : fopen(path, "r");
    if (!in.stream)
        return refuse_reading(path);
    query_begin(&q, &common);
    do {
        code = read_chunk(&in, kind, context, numbers, &count);
        done = 0;
        if (count > 0)
            status = kind->ask(context, count, &done, &q.stats);
        assert(done <= count && count <= QUERY_CHUNK);
        for (size_t i = 0; i < done; i++) {
            json line;
            jsonw_start(&line, stdout, 0);
            jsonw_object(&line, NULL);
            jsonw_count(&line, "line", numbers[i]);
            q.hit |= kind->print(context, &line, i);
            jsonw_end(&line);
            jsonw_finish(&line);
        }
    } while (code == 0 && status == BVP_OK && count == QUERY_CHUNK && !ferror(stdout));
    query_answered(&q);
    free(in.text);
    if (in.stream != stdin)
        fclose(in.stream);
    assert(status == BVP_OK || done < count); /* numbers[done] is the line that failed */
    if (status != BVP_OK)
        snprintf(where, sizeof where, "%.4000s:%llu", in.name, (unsigned long long)numbers[done]);
    int end = query_end(&q, a, b, where, status);
    return code != 0 ? code : end;
}
