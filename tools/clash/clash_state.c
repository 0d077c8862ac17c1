/* SPDX-License-Identifier: MIT
 * clash_state.c: a journal of pairs and marks, with which a killed clash run can continue.
 *
 * A mark says that everything before it is complete: records after the last intact mark do not
 * count, and are cut off when the run continues. The reports are written from the journal at the
 * end.
 */
#include "clash/clash_state.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "text/message.h"
#include "cli/progress.h"

static const double sync_after = 1.0; /* seconds */

/* In this machine's byte order: a state is not portable. */
typedef struct head {
    uint8_t run[16];
    uint32_t pair_size, rule_count;
    char created[32];
} head;

static int refuse(const clash_state *s, const char *what)
{
    complain(s->path, "can't %s the state: %s", what, strerror(errno));
    return EXIT_OUTPUT;
}

/* ---- records ------------------------------------------------------------------------------- */

static int put(clash_state *s, clash_record_kind kind, const void *data, uint32_t size)
{
    return clash_record_put(s->stream, kind, data, size) == 0 ? 0 : refuse(s, "write");
}

/* A mark's bytes: the mark, then the uses. */
static uint32_t mark_size(const clash_state *s)
{
    return (uint32_t)(sizeof(clash_mark) + s->rule_count * sizeof *s->uses);
}

static int refuse_forged(const clash_state *s)
{
    complain(s->path,
             "byte %lld: expected what a clash run of these files writes, found other "
             "numbers; remove the state, and the run begins anew",
             (long long)ftello(s->stream));
    return EXIT_INPUT;
}

/* ---- opening ------------------------------------------------------------------------------- */

static int begin(clash_state *s, const uint8_t run[16], const char *created)
{
    head h = {.pair_size = sizeof(bvp_clash_pair), .rule_count = s->rule_count};
    memcpy(h.run, run, 16);
    snprintf(h.created, sizeof h.created, "%s", created);
    memcpy(s->created, h.created, sizeof s->created);
    if (fseeko(s->stream, 0, SEEK_SET) != 0 || ftruncate(fileno(s->stream), 0) != 0)
        return refuse(s, "begin");
    const int code = put(s, CLASH_RECORD_STATE, &h, sizeof h);
    s->rows_end = CLASH_RECORD_HEAD + sizeof h;
    return code == 0 && fflush(s->stream) != 0 ? refuse(s, "write") : code;
}

/* Finds the last mark. */
static int replay(clash_state *s)
{
    uint8_t *data = malloc(CLASH_RECORD_MAX);
    clash_record_kind kind;
    uint32_t size;
    int code = data ? 0 : complain_memory();
    bvp_clash_pair pair, last = {.a = 0, .b = 0};
    for (int pairs = 0; code == 0 && (kind = clash_record_get(s->stream, data, CLASH_RECORD_MAX,
                                                              &size)) != CLASH_RECORD_NONE;) {
        clash_mark mark;
        if (kind == CLASH_RECORD_PAIR && size == sizeof pair) {
            memcpy(&pair, data, sizeof pair);
            /* Pairs come in order, each once. */
            if (!clash_scope_takes(&s->scope, &pair) ||
                (pairs && !clash_pair_is_after(&pair, &last)))
                code = refuse_forged(s);
            last = pair;
            pairs = 1;
        } else if (kind == CLASH_RECORD_MARK && size == mark_size(s)) {
            memcpy(&mark, data, sizeof mark);
            if (mark.total != s->scope.count_a || mark.done > mark.total ||
                mark.done < s->mark.done || !clash_coverage_is_sound(&mark.coverage) ||
                (pairs && last.a >= mark.done))
                code = refuse_forged(s);
            s->mark = mark;
            memcpy(s->uses, data + sizeof mark, size - sizeof mark);
            s->rows_end = (uint64_t)ftello(s->stream);
        } else {
            code = refuse_forged(s);
        }
    }
    free(data);
    if (code != 0)
        return code;
    clearerr(s->stream);
    if (ftruncate(fileno(s->stream), (off_t)s->rows_end) != 0 ||
        fseeko(s->stream, (off_t)s->rows_end, SEEK_SET) != 0)
        return refuse(s, "go on from");
    return 0;
}

/* 1: the file is this run's state; 0: it is another run's, or empty; -1: it is no state. */
static int examine(clash_state *s, const uint8_t run[16], const struct stat *file)
{
    head h;
    uint32_t size;
    if (!S_ISREG(file->st_mode))
        return -1;
    if (file->st_size == 0)
        return 0;
    if (clash_record_get(s->stream, &h, sizeof h, &size) != CLASH_RECORD_STATE || size != sizeof h)
        return -1;
    memcpy(s->created, h.created, sizeof s->created);
    s->created[sizeof s->created - 1] = '\0';
    for (const char *c = s->created; *c; c++) /* it goes into reports */
        if (*c < ' ' || *c > '~')
            return -1;
    s->rows_end = CLASH_RECORD_HEAD + sizeof h;
    return memcmp(h.run, run, 16) == 0 && h.pair_size == sizeof(bvp_clash_pair) &&
           h.rule_count == s->rule_count;
}

int clash_state_open(clash_state *s, const char *path, const uint8_t run[16],
                     const clash_scope *scope, uint32_t rule_count, const char *created)
{
    struct stat file;
    memset(s, 0, sizeof *s);
    s->scope = *scope;
    s->path = path;
    s->rule_count = rule_count;
    s->uses = calloc((size_t)rule_count + 1, sizeof *s->uses);
    if (!s->uses)
        return complain_memory();
    if (mark_size(s) > CLASH_RECORD_MAX) {
        complain(path, "has no room for so many rules");
        return EXIT_LIMIT;
    }
    /* The lock keeps a second run of the same command from writing between this one's records. */
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return refuse(s, "open");
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        complain(path, "another run uses this state now; name another file with --state");
        close(fd);
        return EXIT_OUTPUT;
    }
    s->stream = fdopen(fd, "r+b");
    if (!s->stream)
        return refuse(s, "open");
    s->synced = seconds_now();
    if (fstat(fileno(s->stream), &file) != 0)
        return refuse(s, "open");
    switch (examine(s, run, &file)) {
    case 1:
        return replay(s);
    case 0:
        if (file.st_size > 0)
            complain(path, "is the state of a run of other files or options; it is begun anew");
        return begin(s, run, created);
    default:
        complain(path, "is not the state of a clash run; name another file with --state, or "
                       "remove this one");
        return EXIT_INPUT;
    }
}

/* ---- running ------------------------------------------------------------------------------- */

int clash_state_add(clash_state *s, const bvp_clash_pair *pair)
{
    return put(s, CLASH_RECORD_PAIR, pair, sizeof *pair);
}

int clash_state_mark(clash_state *s, const clash_mark *mark)
{
    uint8_t *data = malloc(mark_size(s));
    assert(mark->done <= mark->total);
    if (!data)
        return complain_memory();
    s->mark = *mark;
    memcpy(data, mark, sizeof *mark);
    memcpy(data + sizeof *mark, s->uses, s->rule_count * sizeof *s->uses);
    int code = put(s, CLASH_RECORD_MARK, data, mark_size(s));
    free(data);
    if (code == 0 && fflush(s->stream) != 0)
        code = refuse(s, "write");
    s->rows_end = (uint64_t)ftello(s->stream);
    if (code == 0 && (mark->done == mark->total || seconds_now() - s->synced > sync_after)) {
        code = fsync(fileno(s->stream)) != 0 ? refuse(s, "write") : 0;
        s->synced = seconds_now();
    }
    return code;
}

/* This run wrote the rows, so all of them must be readable, or the reports would lack some. */
static int refuse_unreadable(const clash_state *s)
{
    complain(s->path,
             "the state can't be read at byte %" PRIu64 ": it was written to, or the disk "
             "fails; no report is complete. Run again with another --state",
             (uint64_t)ftello(s->stream));
    return EXIT_INPUT;
}

int clash_state_each(clash_state *s, clash_pair_fn callback, void *user)
{
    uint8_t *data = malloc(CLASH_RECORD_MAX);
    clash_record_kind kind;
    uint32_t size;
    int result = 0;
    if (!data)
        return complain_memory();
    assert(s->rows_end >= CLASH_RECORD_HEAD + sizeof(head));
    if (fseeko(s->stream, 0, SEEK_SET) != 0) /* at the end there would be no rows */
        result = refuse_unreadable(s);
    while (result == 0 && (uint64_t)ftello(s->stream) < s->rows_end &&
           (kind = clash_record_get(s->stream, data, CLASH_RECORD_MAX, &size)) !=
               CLASH_RECORD_NONE) {
        bvp_clash_pair pair;
        if (kind != CLASH_RECORD_PAIR || size != sizeof pair)
            continue;
        memcpy(&pair, data, sizeof pair);
        result = clash_scope_takes(&s->scope, &pair) ? callback(user, &pair) : refuse_forged(s);
    }
    if (result == 0 && (uint64_t)ftello(s->stream) != s->rows_end)
        result = refuse_unreadable(s);
    free(data);
    return result;
}

void clash_state_close(clash_state *s, int done)
{
    if (s->stream && done && unlink(s->path) != 0 && errno != ENOENT)
        complain(s->path,
                 "warning: can't remove the state of the finished run: %s; remove it, or the same "
                 "run writes its reports from it again",
                 strerror(errno));
    if (s->stream)
        fclose(s->stream);
    free(s->uses);
    memset(s, 0, sizeof *s);
}
