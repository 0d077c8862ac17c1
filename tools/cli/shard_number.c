/* SPDX-License-Identifier: MIT
 * shard_number.c: the number of a share, from the command line or from the environment.
 *
 * Nothing here is read unless --shard says "auto": a job that happens to run in an array does all
 * of its work.
 */
#include "cli/shard_number.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "text/message.h"

/* A number of at least 1 that ends at `end`, or 0. */
static uint32_t read_number(const char *at, const char *end)
{
    uint32_t value = 0;
    if (at == end || *at == '0')
        return 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return 0;
        value = 10 * value + (uint32_t)(*at - '0');
        if (value > SHARD_MAX)
            return 0;
    }
    return value;
}

int shard_parse(const char *text, size_t size, shard_number *out)
{
    const char *slash = size > 0 ? memchr(text, '/', size) : NULL;
    *out = (shard_number){0, 0};
    if (!slash)
        return -1;
    const uint32_t index = read_number(text, slash), count = read_number(slash + 1, text + size);
    if (index == 0 || count == 0 || index > count)
        return -1;
    *out = (shard_number){index, count};
    return 0;
}

/* ---- the environment ------------------------------------------------------------------------- */

/* What a queue tells of a task, each by the name of a variable; NULL: it does not tell that. */
typedef struct queue {
    const char *index, *least, *last, *step, *count;
    uint32_t first; /* the least index where none is told */
} queue;

static const queue queues[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", NULL, "SLURM_ARRAY_TASK_STEP",
     "SLURM_ARRAY_TASK_COUNT", 0},
    {"LSB_JOBINDEX", NULL, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", NULL, 1},
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL, "JOB_COMPLETIONS", 0},
};
enum { QUEUES = sizeof queues / sizeof *queues };

static int is_array_task(const queue *q)
{
    const char *index = getenv(q->index);
    return index && index[0] && (q->first == 0 || strcmp(index, "0") != 0); /* LSF: 0 is no array */
}

/* The variable's number, or `otherwise` if it has none. -1: that has been said. */
static long read_variable(const char *name, long otherwise)
{
    const char *text = name ? getenv(name) : NULL;
    char *end;
    if (!text || !text[0])
        return otherwise;
    const long value = strtol(text, &end, 10);
    if (*end == '\0' && text[0] >= '0' && text[0] <= '9' && value < (1L << 30))
        return value;
    complain(name, "expected a number of 0 or more, found \"%.40s\"", text);
    return -1;
}

/* wanted: of "auto/N", or 0. */
static int read_task(const queue *q, uint32_t wanted, shard_number *out)
{
    const long index = read_variable(q->index, 0), step = read_variable(q->step, 1);
    const long least = read_variable(q->least, q->first), last = read_variable(q->last, least - 1);
    const long told = read_variable(q->count, 0);
    if (index < 0 || step < 0 || least < 0 || last < -1 || told < 0 || (q->last && last < 0))
        return EXIT_USAGE;
    const char *of = q->last ? q->last : q->count;
    if (step == 0 || index < least || (index - least) % step != 0) {
        complain(q->index, "expected %ld or a whole number of steps of %ld more, found %ld", least,
                 step, index);
        return EXIT_USAGE;
    }
    const long number = (index - least) / step + 1;
    const long count = q->last && last >= least ? (last - least) / step + 1 : told;
    if (count == 0 && wanted == 0) {
        complain("--shard",
                 "%s is set, but %s is not, which says how many tasks there are; give "
                 "--shard auto/N",
                 q->index, of);
        return EXIT_USAGE;
    }
    if (count > 0 && wanted > 0 && count != (int64_t)wanted) {
        complain("--shard",
                 "expected an array of %u, but %s says %ld; to do single shares again "
                 "give --shard i/n, or requeue these tasks",
                 wanted, of, count);
        return EXIT_USAGE;
    }
    const long all = count > 0 ? count : (long)wanted;
    if (number > all || all > SHARD_MAX) {
        complain(q->index,
                 "says %ld, the number %ld of %ld, at most %d; an array for shares has no "
                 "gaps, as 1-%ld",
                 index, number, all, SHARD_MAX, all);
        return EXIT_USAGE;
    }
    *out = (shard_number){(uint32_t)number, (uint32_t)all};
    return 0;
}

static int read_environment(uint32_t wanted, shard_number *out)
{
    const queue *found = NULL;
    for (int i = 0; i < QUEUES; i++) {
        if (!is_array_task(&queues[i]))
            continue;
        if (found) {
            complain("--shard", "both %s and %s are set; say which share this is: --shard i/n",
                     found->index, queues[i].index);
            return EXIT_USAGE;
        }
        found = &queues[i];
    }
    if (found)
        return read_task(found, wanted, out);
    complain("--shard",
             "auto: expected one of %s, %s and %s in the environment, found none; say "
             "which share this is: --shard i/n",
             queues[0].index, queues[1].index, queues[2].index);
    return EXIT_USAGE;
}

int shard_read(const char *text, shard_number *out)
{
    const char *behind = strncmp(text, "auto", 4) == 0 ? text + 4 : NULL;
    *out = (shard_number){0, 0};
    if (behind && *behind == '\0')
        return read_environment(0, out);
    if (behind && *behind == '/') {
        const uint32_t wanted = read_number(behind + 1, behind + strlen(behind));
        if (wanted > 0)
            return read_environment(wanted, out);
    } else if (shard_parse(text, strlen(text), out) == 0) {
        assert(out->index >= 1 && out->index <= out->count);
        return 0;
    }
    complain("--shard",
             "expected a share as i/n, 1/4 to 4/4 for instance, or auto, or auto/n; found \"%s\"",
             text);
    return EXIT_USAGE;
}

/* ---- shares of a clash run ------------------------------------------------------------------- */

int clash_share_is(const char *path)
{
    char head[CLASH_SHARE_MAGIC_AT + sizeof CLASH_SHARE_MAGIC - 1];
    struct stat at;
    const int is_file = stat(path, &at) == 0 && S_ISREG(at.st_mode);
    const int fd = is_file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    size_t got = 0;
    for (ssize_t some = 1; fd >= 0 && got < sizeof head && some != 0;) { /* a call may do less */
        some = pread(fd, head + got, sizeof head - got, (off_t)got);
        if (some < 0 && errno != EINTR)
            break;
        got += some > 0 ? (size_t)some : 0;
    }
    if (fd >= 0)
        close(fd);
    return got == sizeof head && memcmp(head + CLASH_SHARE_MAGIC_AT, CLASH_SHARE_MAGIC,
                                        sizeof CLASH_SHARE_MAGIC - 1) == 0;
}
