/* SPDX-License-Identifier: MIT
 * import_process.c: importers that are programs of their own, so that what they crash is only them.
 */
#include "import_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "import_protocol.h"
#include "import_stream.h"

extern char **environ;

typedef struct program {
    const char *name;
    const char *reads;   /* "STEP and IGES models" */
    const char *library; /* it is built with, and what to install for that */
} program;

static const program step_program = {
    "bvpack-step", "STEP and IGES models",
    "OpenCASCADE (Debian: libocct-data-exchange-dev libocct-ocaf-dev)"};
static const program assimp_program = {"bvpack-assimp", "such models",
                                       "assimp (Debian: libassimp-dev)"};

enum {
    PATH_SIZE = 4096,
    NUMBER_SIZE = 32,
    FREE_DESCRIPTOR = 10, /* above those that the process gets */
    END_TRIES = 3000,     /* times 10 ms: for a process that ends but does not exit */
    EXIT_NOT_STARTED = 127,
};

/* One run. */
typedef struct process {
    const program *program;
    char path[PATH_SIZE]; /* of the program */
    pid_t pid;
    int answer; /* read end */
    int input;  /* the model when it is in no file, or -1 */
} process;

/* ---- where is it? --------------------------------------------------------------------------- */

static int is_there(char *path, const char *folder, int folder_size, const char *below,
                    const char *name)
{
    const int size = snprintf(path, PATH_SIZE, "%.*s%s/%s", folder_size, folder, below, name);
    return size < PATH_SIZE && access(path, X_OK) == 0;
}

/* In $BVPACK_LIBEXEC when it is set; else beside this program or where it is installed. */
static int find_program(process *p)
{
    char own[PATH_SIZE];
    const char *name = p->program->name, *given = getenv("BVPACK_LIBEXEC");
    if (given && given[0])
        return is_there(p->path, given, (int)strlen(given), "", name);
    const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size > 0) {
        own[size] = '\0';
        const int folder = (int)(strrchr(own, '/') - own);
        if (is_there(p->path, own, folder, "", name) ||
            is_there(p->path, own, folder, "/../libexec/bvpack", name))
            return 1;
    }
    return is_there(p->path, BVPACK_LIBEXEC, (int)strlen(BVPACK_LIBEXEC), "", name);
}

static bvp_status refuse_missing(importer *im, const program *program)
{
    return import_refuse(im, BVP_ERR_ARGUMENT,
                         "%s are read by the program %s, which was not built or is not installed; "
                         "build bvpack with %s, or convert the model to glTF",
                         program->reads, program->name, program->library);
}

/* ---- start ---------------------------------------------------------------------------------- */

static bvp_status refuse_system(importer *im, const char *doing)
{
    const int reason = errno;
    return import_refuse(im, reason == ENOMEM ? BVP_ERR_NO_MEMORY : BVP_ERR_ARGUMENT,
                         "can't %s: %s", doing, strerror(reason));
}

/* A file without a name that has the model's bytes; -1: errno says why not. */
static int copy_input(const importer *im)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/bvpack.XXXXXX", folder && folder[0] ? folder : "/tmp");
    const int low = mkstemp(path);
    if (low < 0)
        return -1;
    unlink(path);
    const int fd = fcntl(low, F_DUPFD_CLOEXEC, FREE_DESCRIPTOR);
    close(low);
    for (size_t done = 0; fd >= 0 && done < im->size;) {
        const ssize_t now = pwrite(fd, im->data + done, im->size - done, (off_t)done);
        if (now < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        done += now > 0 ? (size_t)now : 0;
    }
    return fd;
}

/* Both ends of a pipe, above the descriptors that the process gets. */
static int make_pipe(int ends[2])
{
    int low[2];
    if (pipe(low) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, FREE_DESCRIPTOR);
    close(low[0]);
    close(low[1]);
    return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

/* Descriptors 0 to 2 lead nowhere: libraries write there, and nobody shall take it for ours. */
static int set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int answer,
                  int input)
{
    sigset_t none, defaults;
    int wrong = 0;
    for (int fd = 0; fd < 3; fd++)
        wrong |= posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
    wrong |= posix_spawn_file_actions_adddup2(actions, answer, IMPORT_DESCRIPTOR);
    if (input >= 0)
        wrong |= posix_spawn_file_actions_adddup2(actions, input, IMPORT_FILE_DESCRIPTOR);
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    wrong |= posix_spawnattr_setsigmask(attributes, &none);
    wrong |= posix_spawnattr_setsigdefault(attributes, &defaults);
    return wrong |
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int spawn(process *p, char **arguments, int answer)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int wrong = posix_spawn_file_actions_init(&actions);
    if (wrong != 0)
        return wrong;
    wrong = posix_spawnattr_init(&attributes);
    if (wrong == 0) {
        wrong = set_up(&actions, &attributes, answer, p->input);
        if (wrong == 0)
            wrong = posix_spawn(&p->pid, p->path, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

static bvp_status start(importer *im, process *p)
{
    char chord[NUMBER_SIZE], angle[NUMBER_SIZE], threads[NUMBER_SIZE];
    char file[PATH_SIZE];
    const import_options *o = im->options;
    snprintf(chord, sizeof chord, "%.17g", o->chord > 0 ? o->chord : IMPORT_CHORD);
    snprintf(angle, sizeof angle, "%.17g", o->angle > 0 ? o->angle : IMPORT_ANGLE);
    snprintf(threads, sizeof threads, "%u", o->thread_count);
    if (o->path)
        snprintf(file, sizeof file, "%s%s", o->path[0] == '-' ? "./" : "", o->path);
    else
        snprintf(file, sizeof file, "/dev/fd/%d", IMPORT_FILE_DESCRIPTOR);
    char *arguments[] = {p->path, (char *)im->format, chord, angle, threads, file, NULL};

    int ends[2] = {-1, -1};
    if (!o->path && (p->input = copy_input(im)) < 0)
        return refuse_system(im, "copy it to a temporary file");
    int wrong = make_pipe(ends) != 0 ? errno : spawn(p, arguments, ends[1]);
    if (ends[1] >= 0)
        close(ends[1]);
    p->answer = ends[0];
    errno = wrong;
    return wrong == 0 ? BVP_OK : refuse_system(im, "start the program that reads it");
}

/* ---- end ------------------------------------------------------------------------------------ */

/* What the process ended with. One that closed its answer but stays is ended. */
static int wait_for(const process *p, int is_wanted)
{
    const struct timespec pause = {0, 10 * 1000 * 1000};
    int status = 0;
    if (!is_wanted)
        kill(p->pid, SIGKILL);
    for (int i = 0; i < END_TRIES; i++) {
        const pid_t done = waitpid(p->pid, &status, WNOHANG);
        if (done == p->pid || (done < 0 && errno != EINTR))
            return status;
        nanosleep(&pause, NULL);
    }
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* The answer broke off: how the process ended says why. */
static bvp_status refuse_cut(importer *im, const process *p, int status)
{
    const char *name = p->program->name;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return import_refuse(
            im, BVP_ERR_LIMIT,
            "%s was killed while it read the model, as the system does when memory "
            "is out; close other programs, split the model, or raise --chord",
            name);
    if (WIFSIGNALED(status))
        return import_refuse(
            im, BVP_ERR_CORRUPT,
            "%s crashed on it (%s): the model is damaged or needs what the library "
            "can't do; export it again or in another format",
            name, strsignal(WTERMSIG(status)));
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_STARTED)
        return import_refuse(
            im, BVP_ERR_ARGUMENT,
            "%s can't be run, perhaps for lack of a library; run \"%.120s\" to see "
            "why",
            name, p->path);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return import_refuse(im, BVP_ERR_CORRUPT,
                             "%s gave up on it with exit code %d; export the model again or in "
                             "another format",
                             name, WEXITSTATUS(status));
    return import_refuse(im, BVP_ERR_CORRUPT,
                         "the answer of %s ended too early; try again, or export the model in "
                         "another format",
                         name);
}

static bvp_status finish(importer *im, const process *p, import_outcome outcome, const char *what)
{
    const int reason = errno;
    const int status = wait_for(p, outcome != IMPORT_GARBAGE && outcome != IMPORT_NO_MEMORY &&
                                       outcome != IMPORT_UNREAD);
    if (outcome == IMPORT_DONE && status == 0)
        return BVP_OK;
    if (outcome == IMPORT_REFUSED || outcome == IMPORT_NO_MEMORY)
        return im->error->status;
    errno = reason;
    if (outcome == IMPORT_UNREAD)
        return refuse_system(im, "read the answer of the program that reads it");
    if (outcome == IMPORT_GARBAGE)
        return import_refuse(im, BVP_ERR_CORRUPT,
                             "the answer of %s is damaged: %s; is \"%.120s\" of this version of "
                             "bvpack?",
                             p->program->name, what, p->path);
    return refuse_cut(im, p, status);
}

static bvp_status import_with(importer *im, const program *program)
{
    process p = {.program = program, .answer = -1, .input = -1};
    const char *what = "";
    if (!find_program(&p))
        return refuse_missing(im, program);
    bvp_status status = start(im, &p);
    if (status == BVP_OK) {
        const import_outcome outcome = import_read_stream(im, p.answer, &what);
        close(p.answer);
        p.answer = -1;
        status = finish(im, &p, outcome, what);
    }
    if (p.answer >= 0)
        close(p.answer);
    if (p.input >= 0)
        close(p.input);
    return status;
}

/* ---- the formats ---------------------------------------------------------------------------- */

static bvp_status refuse_truncated(importer *im, const char *expected)
{
    return import_refuse_byte(im, BVP_ERR_CORRUPT, im->size,
                              "the file ends too early: expected %s, found the end; copy or export "
                              "it again",
                              expected);
}

/* Importing libraries take a file that breaks off for one with less in it. */
bvp_status import_step(importer *im)
{
    enum { TAIL = 1 << 18 }; /* signatures may follow */
    const size_t tail = im->size < TAIL ? im->size : TAIL;
    if (!import_find(im->data + im->size - tail, tail, "END-ISO-10303-21"))
        return refuse_truncated(im, "END-ISO-10303-21;");
    return import_with(im, &step_program);
}

/* The last line has a T in column 73. */
bvp_status import_iges(importer *im)
{
    enum { LETTER = 72 };
    size_t end = im->size, begin;
    while (end > 0 && im->data[end - 1] <= ' ')
        end--;
    for (begin = end; begin > 0 && im->data[begin - 1] != '\n' && im->data[begin - 1] != '\r';)
        begin--;
    if (end - begin <= LETTER || im->data[begin + LETTER] != 'T')
        return refuse_truncated(im, "a line with T in column 73");
    return import_with(im, &step_program);
}

bvp_status import_assimp(importer *im)
{
    return import_with(im, &assimp_program);
}
