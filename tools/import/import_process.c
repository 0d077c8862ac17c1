/* SPDX-License-Identifier: MIT
 * import_process.c: importers that are programs of their own, so that what they crash is only them.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "import/import_process.h"

/* Such a program reads bytes that somebody else wrote with a library that we did not write. It gets
 * descriptors and no names: the model, a pipe for its answer, a socket on which we hand it the
 * files beneath the model's folder that it asks for. It limits itself before it looks at the model,
 * import_confine.h, and ends when its time is over. */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "process/libexec.h"
#include "import/import_protocol.h"
#include "import/import_stream.h"

extern char **environ;

typedef struct program {
    const char *name;
    const char *reads;   /* "STEP and IGES models" */
    const char *library; /* it is built with, and what to install for that */
    const char *instead; /* what helps without it */
    int aborts;          /* when memory is out, as node does */
    int seconds;         /* that it may take for a model, and one more for each of these bytes */
    int bytes_a_second;
} program;

#define TO_GLTF        "convert the model to glTF"
#define INSTALL_WEBIFC "npm install -g web-ifc"

static const program step_program = {
    "bvpack-step",
    "STEP and IGES models",
    "OpenCASCADE (Debian: libocct-data-exchange-dev libocct-ocaf-dev)",
    TO_GLTF,
    0,
    120,
    1 << 14}; /* small files can stand for intricate surfaces, and --chord for many triangles */
static const program ifc_program = {
    "bvpack-ifc", "IFC models", "web-ifc (" INSTALL_WEBIFC ")", TO_GLTF, 1, 30, 1 << 16};
static const program assimp_program = {
    "bvpack-assimp", "such models", "assimp (Debian: libassimp-dev)", TO_GLTF, 0, 7, 1 << 18};
static const program mf_program = {
    "bvpack-3mf", "3MF models", "lib3mf 1.x (Debian 12: lib3mf-dev)", TO_GLTF, 0, 7, 1 << 18};
static const program draco_program = {"bvpack-draco",
                                      "glTF models that are compressed with Draco",
                                      "Draco (Debian: libdraco-dev)",
                                      "export the model without compression",
                                      0,
                                      7,
                                      1 << 18};

enum {
    PATH_SIZE = 4096,
    NUMBER_SIZE = 32,
    FREE_DESCRIPTOR = 10, /* above those that the process gets */
    END_TRIES = 3000,     /* times 10 ms: for a process that ends but does not exit */
    EXIT_NOT_STARTED = 127,
    MEMORY_A_BYTE = 1 << 10, /* of a model: STEP takes 30 to 300 */
};

#define MEMORY_AT_LEAST (UINT64_C(768) << 20)

/* One run. */
typedef struct process {
    const program *program;
    char path[LIBEXEC_PATH]; /* of the program */
    pid_t pid;
    import_channel from; /* read ends of its answer, and our end of the socket */
    int copy;            /* the model when it is in no file, or -1 */
    uint64_t memory;     /* the most memory that it may use, in bytes */
    double seconds;
    int lacks; /* out: IMPORT_LACKS_PROGRAM or _LIBRARY: it did not begin for want of that */
} process;

/* ---- start ---------------------------------------------------------------------------------- */

static bvp_status refuse_system(importer *im, const char *doing)
{
    const int reason = errno;
    return import_refuse(im, reason == ENOMEM ? BVP_ERR_NO_MEMORY : BVP_ERR_ARGUMENT,
                         "can't %s: %s", doing, strerror(reason));
}

/* A file without a name that has the model's bytes; -1: errno says why not. It has no name at any
 * time if the file system allows that, so that a kill leaves nothing behind. */
static int copy_input(const importer *im)
{
    const char *given = getenv("TMPDIR"), *folder = given && given[0] ? given : "/tmp";
    char path[PATH_SIZE];
    int low = -1;
#ifdef O_TMPFILE
    low = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (low < 0) {
        snprintf(path, sizeof path, "%s/bvpack.XXXXXX", folder);
        low = mkstemp(path);
        if (low < 0)
            return -1;
        unlink(path);
    }
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

/* Both ends of a pipe or a socket, above the descriptors that the process gets; ours comes first.
 */
static int make_pair(int is_socket, int ends[2])
{
    int low[2];
    if (is_socket ? socketpair(AF_UNIX, SOCK_SEQPACKET, 0, low) != 0 : pipe(low) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, FREE_DESCRIPTOR);
    const int saved = errno;
    close(low[0]);
    close(low[1]);
    errno = saved;
    return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

/* The process's ends: of the answer's pipe, the model, of the socket for files. */
typedef struct handed {
    int answer, model, files;
} handed;

/* Starts the program with the process's ends. Descriptors 0 to 2 lead to nothing: libraries write
 * there, and it must not look like our output. Returns 0 or the error's number. */
static int spawn(importer *im, process *p, const handed *h)
{
    char chord[NUMBER_SIZE], angle[NUMBER_SIZE], threads[NUMBER_SIZE], memory[NUMBER_SIZE],
        seconds[NUMBER_SIZE];
    const import_options *o = im->options;
    /* Processor time of all threads together; it ends the process if this program, which watches
     * the wall-clock time, is gone. */
    const long machine = sysconf(_SC_NPROCESSORS_ONLN);
    const double all = o->thread_count > 0 ? o->thread_count : machine > 0 ? (double)machine : 1;
    const double limit = p->seconds * all + 2;
    const char *name = o->path ? o->path : im->name, *slash = strrchr(name, '/');
    snprintf(chord, sizeof chord, "%.17g", o->chord > 0 ? o->chord : IMPORT_CHORD);
    snprintf(angle, sizeof angle, "%.17g", o->angle > 0 ? o->angle : IMPORT_ANGLE);
    snprintf(threads, sizeof threads, "%u", o->thread_count);
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)p->memory);
    snprintf(seconds, sizeof seconds, "%u", limit < 2e9 ? (unsigned)limit : 2000000000);
    char *arguments[] = {p->path,
                         (char *)im->format,
                         chord,
                         angle,
                         threads,
                         o->drop_invalid ? "1" : "0",
                         o->is_with_spaces ? "1" : "0",
                         memory,
                         seconds,
                         (char *)(slash ? slash + 1 : name),
                         NULL};

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    int wrong = posix_spawn_file_actions_init(&actions);
    if (wrong != 0)
        return wrong;
    wrong = posix_spawnattr_init(&attributes);
    if (wrong != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return wrong;
    }
    for (int fd = 0; fd < 3; fd++)
        wrong |= posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    assert(h->answer >= FREE_DESCRIPTOR && h->model >= FREE_DESCRIPTOR &&
           h->files >= FREE_DESCRIPTOR); /* so no dup2 closes another one's source */
    wrong |= posix_spawn_file_actions_adddup2(&actions, h->answer, IMPORT_DESCRIPTOR);
    wrong |= posix_spawn_file_actions_adddup2(&actions, h->model, IMPORT_FILE_DESCRIPTOR);
    wrong |= posix_spawn_file_actions_adddup2(&actions, h->files, IMPORT_SOCKET_DESCRIPTOR);
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    wrong |= posix_spawnattr_setsigmask(&attributes, &none);
    wrong |= posix_spawnattr_setsigdefault(&attributes, &defaults);
    wrong |= posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (wrong == 0)
        wrong = posix_spawn(&p->pid, p->path, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* ---- end ------------------------------------------------------------------------------------ */

/* The answer is incomplete: the process's exit status says why. */
static bvp_status refuse_cut(importer *im, const process *p, int status)
{
    const char *name = p->program->name;
    const int is_aborted = p->program->aborts && WIFSIGNALED(status) &&
                           (WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGTRAP);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return import_refuse(
            im, BVP_ERR_LIMIT,
            "%s was killed while it read the model, as the system does when memory "
            "is out; close other programs, split the model, or raise --chord",
            name);
    if (WIFSIGNALED(status) && !is_aborted)
        return import_refuse(
            im, BVP_ERR_CORRUPT,
            "%s crashed on it (%s): the model is damaged or needs what the library "
            "can't do; export it again or in another format",
            name, strsignal(WTERMSIG(status)));
    if (is_aborted || (WIFEXITED(status) && WEXITSTATUS(status) == IMPORT_OUT_OF_MEMORY))
        return import_refuse(im, BVP_ERR_LIMIT,
                             "%s ran out of memory, of which it may take %llu MiB; split the "
                             "model, or allow more with --import-memory",
                             name, (unsigned long long)p->memory >> 20);
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

/* The library may have failed for want of a file that it was not given. */
static bvp_status refuse_denied(importer *im, const process *p)
{
    return import_refuse(im, BVP_ERR_ARGUMENT,
                         "it names \"%.80s\", which is outside the model's folder, and can't be "
                         "read without; put the file there, or allow it with --any-path",
                         p->from.denied);
}

/* What the process gave, or why it gave nothing. */
static bvp_status finish(importer *im, process *p, import_outcome outcome, const char *what)
{
    const struct timespec pause = {0, 10 * 1000 * 1000};
    const char *name = p->program->name, *denied = p->from.denied;
    const int reason = errno;
    int status = 0;
    pid_t done = 0;
    /* A process that did not come to its end, or closed its answer but goes on, is killed. */
    if (outcome != IMPORT_DONE && outcome != IMPORT_REFUSED && outcome != IMPORT_CUT)
        kill(p->pid, SIGKILL);
    for (int i = 0; i < END_TRIES && done == 0; i++) {
        done = waitpid(p->pid, &status, WNOHANG);
        if (done < 0 && errno == EINTR)
            done = 0;
        if (done == 0)
            nanosleep(&pause, NULL);
    }
    if (done == 0) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (outcome == IMPORT_DONE && status == 0) {
        char text[240];
        uint64_t triangles = 0;
        for (uint32_t i = 0; i < im->out->mesh_count; i++)
            triangles += im->out->meshes[i].triangle_count;
        if (p->from.denied_count > 0 && triangles == 0)
            return refuse_denied(im, p);
        snprintf(text, sizeof text, "files outside the model's folder left out, \"%.80s\" first",
                 denied);
        return import_warn(im, p->from.denied_count, text);
    }
    if (outcome == IMPORT_LATE || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return import_refuse(
            im, BVP_ERR_LIMIT,
            "%s was ended after %.4g s, its time for a model of this size; export the "
            "model again, or give it longer with --import-timeout",
            name, p->seconds);
    if (outcome == IMPORT_FLOOD)
        return import_refuse(im, BVP_ERR_LIMIT,
                             "%s makes more of it than %llu MiB; raise --chord for coarser "
                             "triangles, or allow more with --import-memory",
                             name, (unsigned long long)p->from.most >> 20);
    if (outcome == IMPORT_REFUSED && p->from.denied_count > 0)
        return refuse_denied(im, p);
    if (outcome == IMPORT_REFUSED || outcome == IMPORT_NO_MEMORY)
        return im->error->status;
    if (outcome == IMPORT_CUT && WIFEXITED(status) &&
        (WEXITSTATUS(status) == IMPORT_LACKS_PROGRAM ||
         WEXITSTATUS(status) == IMPORT_LACKS_LIBRARY))
        p->lacks = WEXITSTATUS(status);
    errno = reason;
    if (outcome == IMPORT_UNREAD)
        return refuse_system(im, "read the answer of the program that reads it");
    if (outcome == IMPORT_GARBAGE)
        return import_refuse(im, BVP_ERR_CORRUPT,
                             "the answer of %s is damaged: %s; is \"%.120s\" of this version of "
                             "bvpack?",
                             name, what, p->path);
    return refuse_cut(im, p, status);
}

/* lacks: NULL, or what it did not begin for want of: IMPORT_LACKS_PROGRAM or _LIBRARY; else 0. */
static bvp_status import_by(importer *im, const program *program, int *lacks)
{
    const import_options *o = im->options;
    process p = {.program = program, .from = {.answer = -1, .files = -1}, .copy = -1};
    const char *what = "";
    if (lacks)
        *lacks = 0;
    if (!libexec_find(program->name, p.path))
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "%s are read by the program %s, which was not built or is not "
                             "installed; build bvpack with %s, or %s",
                             program->reads, program->name, program->library, program->instead);
    /* Its limits, by the options, else by the model's size. */
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t machine =
        pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 4 * 3 : UINT64_MAX;
    p.seconds = o->seconds;
    if (p.seconds <= 0)
        p.seconds = program->seconds + (double)im->size / program->bytes_a_second;
    if (p.seconds > 1e9)
        p.seconds = 1e9;
    p.memory = o->megabytes << 20;
    if (p.memory == 0) {
        p.memory = MEMORY_AT_LEAST + MEMORY_A_BYTE * (uint64_t)im->size;
        if (p.memory > machine)
            p.memory = machine > MEMORY_AT_LEAST ? machine : MEMORY_AT_LEAST;
    }

    int model = -1, answer[2] = {-1, -1}, files[2] = {-1, -1};
    if (!o->file && (p.copy = copy_input(im)) < 0)
        return refuse_system(im, "copy it to a temporary file");
    /* as everything that it gets, above the descriptors that it gets it on */
    model = fcntl(p.copy >= 0 ? p.copy : *o->file, F_DUPFD_CLOEXEC, FREE_DESCRIPTOR);
    int wrong = 0;
    if (model < 0 || make_pair(0, answer) != 0 || make_pair(1, files) != 0 ||
        fcntl(answer[0], F_SETFL, O_NONBLOCK) != 0)
        wrong = errno;
    else
        wrong = spawn(im, &p, &(handed){answer[1], model, files[1]});
    close_all((int[]){model, answer[1], files[1]}, 3);
    p.from.answer = answer[0];
    p.from.files = files[0];
    p.from.deadline = import_clock() + (uint64_t)(p.seconds * 1e9);
    p.from.most = 2 * p.memory;
    errno = wrong;
    bvp_status status = wrong == 0 ? BVP_OK : refuse_system(im, "start the program that reads it");
    if (status == BVP_OK) {
        const import_outcome outcome = import_read_channel(im, &p.from, &what);
        close(p.from.answer);
        p.from.answer = -1;
        status = finish(im, &p, outcome, what);
        if (lacks)
            *lacks = p.lacks;
    }
    close_all((int[]){p.from.answer, p.from.files, p.copy}, 3);
    return status;
}

static bvp_status import_with(importer *im, const program *program)
{
    return import_by(im, program, NULL);
}

/* ---- the formats ---------------------------------------------------------------------------- */

static bvp_status refuse_truncated(importer *im, const char *expected)
{
    return import_refuse_byte(im, BVP_ERR_CORRUPT, im->size,
                              "the file ends too early: expected %s, found the end; copy or export "
                              "it again",
                              expected);
}

/* Importing libraries read a truncated file as a file with less content. */
static int is_whole(const importer *im)
{
    enum { TAIL = 1 << 18 }; /* signatures may follow */
    const size_t tail = im->size < TAIL ? im->size : TAIL;
    return import_find(im->data + im->size - tail, tail, "END-ISO-10303-21") != NULL;
}

bvp_status import_step(importer *im)
{
    if (!is_whole(im))
        return refuse_truncated(im, "END-ISO-10303-21;");
    return import_with(im, &step_program);
}

/* What assimp makes of it, where there is nothing better. */
static bvp_status import_ifc_by_assimp(importer *im, int lacks)
{
    const char *missing = lacks == IMPORT_LACKS_PROGRAM   ? "node"
                          : lacks == IMPORT_LACKS_LIBRARY ? "web-ifc"
                                                          : "bvpack-ifc";
    char path[LIBEXEC_PATH], text[320];
    if (!libexec_find(assimp_program.name, path))
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "IFC models are read by web-ifc under node, and %s was not found; "
                             "install node, then: " INSTALL_WEBIFC ", or " TO_GLTF,
                             missing);
    bvp_status status = import_with(im, &assimp_program);
    if (status != BVP_OK) {
        static const char advice[] =
            "; web-ifc reads more of IFC: install node, then: " INSTALL_WEBIFC;
        const size_t room = sizeof im->error->message - sizeof advice;
        const size_t used = strnlen(im->error->message, room);
        memcpy(im->error->message + used, advice, sizeof advice);
        return status;
    }
    im->out->is_makeshift = 1;
    snprintf(text, sizeof text,
             "IFC model read by assimp, as %s was not found: without GlobalIds, property sets and "
             "colours of many elements, perhaps turned, IFC4 in part; install node, then: "
             "" INSTALL_WEBIFC,
             missing);
    return import_warn(im, 1, text);
}

bvp_status import_ifc(importer *im)
{
    char path[LIBEXEC_PATH];
    int lacks = 0;
    const int is_archive = im->size >= 4 && memcmp(im->data, "PK\3\4", 4) == 0;
    if (!is_archive && !is_whole(im))
        return refuse_truncated(im, "END-ISO-10303-21;");
    if (!libexec_find(ifc_program.name, path))
        return import_ifc_by_assimp(im, 0);
    const bvp_status status = import_by(im, &ifc_program, &lacks);
    return lacks ? import_ifc_by_assimp(im, lacks) : status;
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

bvp_status import_3mf(importer *im)
{
    return import_with(im, &mf_program);
}

bvp_status import_assimp(importer *im)
{
    return import_with(im, &assimp_program);
}

bvp_status import_draco(importer *im)
{
    return import_with(im, &draco_program);
}
