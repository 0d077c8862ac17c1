/* SPDX-License-Identifier: MIT
 * import_confine.c: an importing process gives up what reading a model does not need.
 * Spec: seccomp(2), getrlimit(2)
 */
#define _GNU_SOURCE /* O_PATH */
#include "import/import_confine.h"

/* A model may be made to take over the library that reads it. What is left to the process then is
 * to compute, to allocate up to a limit, and to write to the descriptors that it has: it opens no
 * file, no socket, no other process. The filter lists what is allowed; every other call fails with
 * EPERM, so that a library that tries something optional goes on without it. */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#define HAS_FILTER 1
#endif

#if defined __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* ---- limits ---------------------------------------------------------------------------------- */

enum { FILES_MAX = 256 };

/* soft: the limit that raises a signal; `most` is the hard limit. */
static bool limit(int what, uint64_t soft, uint64_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return errno == EINVAL; /* not a limit that this system has */
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > most)
        now.rlim_max = (rlim_t)most;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > soft)
        now.rlim_cur = soft < now.rlim_max ? (rlim_t)soft : now.rlim_max;
    return setrlimit(what, &now) == 0;
}

/* ---- system calls ---------------------------------------------------------------------------- */

#ifdef HAS_FILTER

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static const int allowed[] = {
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_dup,
    SYS_exit,
    SYS_exit_group,
    SYS_fcntl,
    SYS_fstat,
    SYS_futex,
    SYS_getpid,
    SYS_getrandom,
    SYS_getrusage,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_lseek,
    SYS_madvise,
    SYS_membarrier,
    SYS_mremap,
    SYS_munmap,
    SYS_nanosleep,
    SYS_newfstatat,
    SYS_pipe2, /* between threads */
    SYS_ppoll,
    SYS_pread64,
    SYS_read,
    SYS_readv,
    SYS_recvmsg,
    SYS_rt_sigaction,
    SYS_rt_sigreturn,
    SYS_restart_syscall,
    SYS_rt_sigprocmask,
    SYS_sched_yield,
    SYS_sigaltstack,
    SYS_sched_getaffinity,
    SYS_set_robust_list,
    SYS_sysinfo,
    SYS_tgkill,
    SYS_times,
    SYS_uname,
    SYS_write,
    SYS_writev,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_arch_prctl
    SYS_arch_prctl,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

/* Allowed when none of the bits is set in the low half of that argument, or some of them. */
typedef struct condition {
    int call, argument;
    uint32_t bits;
    int is_wanted;
} condition;

static const condition conditions[] = {
    {SYS_clone, 0, CLONE_THREAD, 1}, /* threads, no processes */
    {SYS_mmap, 2, PROT_EXEC, 0},
    {SYS_mprotect, 2, PROT_EXEC, 0},
};

/* What an interpreter needs besides: it compiles while it runs, so that pages become code; the
 * filter has to be set before it starts, so that it opens files and is started; and it asks for
 * much that it can do without. None of this makes, changes or sends anything. */
static const int allowed_to_interpreters[] = {
    SYS_mmap,
    SYS_mprotect,
    SYS_execve,
    SYS_capget,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_getcwd,
    SYS_getdents64,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getppid,
    SYS_getuid,
    SYS_ioctl,
    SYS_mincore,
    SYS_pipe2,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_pkey_mprotect,
    SYS_prctl,
    SYS_readlinkat,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_set_tid_address,
    SYS_statx,
#ifdef SYS_access
    SYS_access,
#endif
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
#ifdef SYS_readlink
    SYS_readlink,
#endif
#ifdef SYS_getrlimit
    SYS_getrlimit,
#endif
};

/* Flags of open that let a file be made or changed. */
#define OPEN_CHANGES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static const condition interpreters_conditions[] = {
    {SYS_clone, 0, CLONE_THREAD, 1},
    {SYS_openat, 2, OPEN_CHANGES, 0},
    {SYS_prlimit64, 2, UINT32_MAX, 0}, /* asks for limits, sets none */
#ifdef SYS_open
    {SYS_open, 1, OPEN_CHANGES, 0},
#endif
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum {
    WORD = offsetof(struct seccomp_data, args),
    CODE_MAX = 16 + 2 * (COUNT(allowed) + COUNT(allowed_to_interpreters)) +
               5 * (COUNT(conditions) + COUNT(interpreters_conditions))
};

/* What is allowed, and the error of what is not. */
typedef struct profile {
    const int *more; /* besides `allowed` */
    size_t more_count;
    const condition *conditions;
    size_t condition_count;
    uint32_t error;
} profile;

static bool set_filter(bool is_interpreter)
{
    /* To an interpreter this is an old system: a version that asks for calls that are newer than
     * this list goes on as on a kernel that has none, which it has to know. */
    const profile p =
        is_interpreter ? (profile){allowed_to_interpreters, COUNT(allowed_to_interpreters),
                                   interpreters_conditions, COUNT(interpreters_conditions), ENOSYS}
                       : (profile){NULL, 0, conditions, COUNT(conditions), EPERM};
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
        return errno == EINVAL; /* a kernel without seccomp: the limits have to do */
    struct sock_filter code[CODE_MAX];
    unsigned short size = 0;
#define PUT(...)                  code[size++] = (struct sock_filter)__VA_ARGS__
#define RETURN(what)              PUT(BPF_STMT(BPF_RET | BPF_K, what))
#define LOAD(offset)              PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset)))
#define JUMP(how, value, yes, no) PUT(BPF_JUMP(BPF_JMP | (how) | BPF_K, (uint32_t)(value), yes, no))
    LOAD(offsetof(struct seccomp_data, arch));
    JUMP(BPF_JEQ, ARCHITECTURE, 1, 0);
    RETURN(SECCOMP_RET_ERRNO | EPERM);
    LOAD(offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT(allowed) + p.more_count; i++) {
        JUMP(BPF_JEQ, i < COUNT(allowed) ? allowed[i] : p.more[i - COUNT(allowed)], 0, 1);
        RETURN(SECCOMP_RET_ALLOW);
    }
#ifdef SYS_clone3 /* a filter cannot see its flags: callers that get this error use clone(2) */
    JUMP(BPF_JEQ, SYS_clone3, 0, 1);
    RETURN(SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (size_t i = 0; i < p.condition_count; i++) {
        const condition *c = &p.conditions[i];
        JUMP(BPF_JEQ, c->call, 0, 4);
        LOAD(WORD + 8 * (size_t)c->argument);
        JUMP(BPF_JSET, c->bits, !c->is_wanted, c->is_wanted);
        RETURN(SECCOMP_RET_ALLOW);
        RETURN(SECCOMP_RET_ERRNO | EPERM);
    }
    RETURN(SECCOMP_RET_ERRNO | p.error);
    assert(size <= CODE_MAX);
    const struct sock_fprog program = {size, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The parent has ended: nobody reads the answer. */
static void end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* ---- files ------------------------------------------------------------------------------------
 * Landlock: the kernel opens files only below these folders. Where it has none, an interpreter may
 * read what its user may, and send it nowhere. */

#if defined SYS_landlock_create_ruleset && __has_include(<linux/landlock.h>)
#define READING                                                                                    \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

static bool set_folders(const char *const *folders, size_t count)
{
    const struct landlock_ruleset_attr all = {.handled_access_fs = (1 << 13) - 1}; /* version 1 */
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    bool is_set = true;
    if (rules < 0)
        return errno == ENOSYS || errno == EOPNOTSUPP;
    for (size_t i = 0; i < count && is_set; i++) {
        const int folder = folders[i] ? open(folders[i], O_PATH | O_CLOEXEC) : -1;
        struct stat found;
        struct landlock_path_beneath_attr below = {READING, folder};
        if (folder < 0)
            continue; /* not every system has each of them */
        if (fstat(folder, &found) == 0 && !S_ISDIR(found.st_mode))
            below.allowed_access &= ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR;
        is_set = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0;
        close(folder);
    }
    is_set = is_set && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
             syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_set;
}
#else
static bool set_folders(const char *const *folders, size_t count)
{
    (void)folders, (void)count;
    return true;
}
#endif

#else
static bool set_filter(bool is_interpreter)
{
    (void)is_interpreter;
    return true;
}

static bool set_folders(const char *const *folders, size_t count)
{
    (void)folders, (void)count;
    return true;
}

static void end_with_parent(void)
{
}
#endif

static const char *set_limits(uint64_t memory, uint64_t seconds)
{
    end_with_parent();
    /* private memory that can be written to: what is reserved only, as for threads, does not count.
     * The sanitizer's shadow does, and is larger than any machine */
    if (!IS_SANITIZED && !limit(RLIMIT_DATA, memory, memory))
        return "a limit of memory";
    if (!limit(RLIMIT_CPU, seconds, seconds + 1))
        return "a limit of processor time";
    if (!limit(RLIMIT_FSIZE, 0, 0) || !limit(RLIMIT_NOFILE, FILES_MAX, FILES_MAX) ||
        !limit(RLIMIT_CORE, 0, 0))
        return "limits of files";
    return NULL;
}

const char *import_confine(uint64_t memory, uint64_t seconds)
{
    const char *refused = set_limits(memory, seconds);
    return refused ? refused : set_filter(false) ? NULL : "a filter of system calls";
}

const char *import_confine_interpreter(uint64_t memory, uint64_t seconds,
                                       const char *const *folders, size_t count)
{
    const char *refused = set_limits(memory, seconds);
    if (refused)
        return refused;
    if (!set_folders(folders, count))
        return "a list of folders";
    return set_filter(true) ? NULL : "a filter of system calls";
}
