/* SPDX-License-Identifier: MIT
 * import_confine.c: an importing process gives up what reading a model does not need.
 * Spec: seccomp(2), getrlimit(2)
 */
#include "import/import_confine.h"

/* A model may be made to take over the library that reads it. What is left to the process then is
 * to compute, to allocate up to a limit, and to write to the descriptors that it has: it opens no
 * file, no socket, no other process. The filter lists what is allowed; every other call fails with
 * EPERM, so that a library that tries something optional goes on without it. */

#include <errno.h>
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
#include <sys/syscall.h>
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
static const struct {
    int call, argument;
    uint32_t bits;
    int is_wanted;
} conditions[] = {
    {SYS_clone, 0, CLONE_THREAD, 1}, /* threads, no processes */
    {SYS_mmap, 2, PROT_EXEC, 0},
    {SYS_mprotect, 2, PROT_EXEC, 0},
};

enum {
    PLAIN = sizeof allowed / sizeof *allowed,
    CONDITIONS = sizeof conditions / sizeof *conditions,
    WORD = offsetof(struct seccomp_data, args),
    CODE_MAX = 16 + 2 * PLAIN + 5 * CONDITIONS
};

static bool set_filter(void)
{
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
    for (int i = 0; i < PLAIN; i++) {
        JUMP(BPF_JEQ, allowed[i], 0, 1);
        RETURN(SECCOMP_RET_ALLOW);
    }
#ifdef SYS_clone3 /* a filter cannot see its flags: callers that get this error use clone(2) */
    JUMP(BPF_JEQ, SYS_clone3, 0, 1);
    RETURN(SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (int i = 0; i < CONDITIONS; i++) {
        JUMP(BPF_JEQ, conditions[i].call, 0, 4);
        LOAD(WORD + 8 * (size_t)conditions[i].argument);
        JUMP(BPF_JSET, conditions[i].bits, !conditions[i].is_wanted, conditions[i].is_wanted);
        RETURN(SECCOMP_RET_ALLOW);
        RETURN(SECCOMP_RET_ERRNO | EPERM);
    }
    RETURN(SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog program = {size, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The parent has ended: nobody reads the answer. */
static void end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

#else
static bool set_filter(void)
{
    return true;
}

static void end_with_parent(void)
{
}
#endif

const char *import_confine(uint64_t memory, uint64_t seconds)
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
    return set_filter() ? NULL : "a filter of system calls";
}
