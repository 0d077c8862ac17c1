/* SPDX-License-Identifier: MIT
 * failing_calls.c: a filter stops the child at each system call of a list, its own ones and those
 * that the C library makes; the parent lets it go on, or makes the k-th fail, or kills it there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "failing.h"

#ifdef __x86_64__

/* What a call fails with. Those that move bytes can also do less, those that may wait be
 * interrupted. */
typedef struct call {
    int number;
    const char *name;
    int reason;
    int moves_bytes; /* 1: its third argument says how many; 2: how many pieces */
    int may_wait;
} call;

#define CALL(name, reason, moves, waits)                                                           \
    {                                                                                              \
        SYS_##name, #name, reason, moves, waits                                                    \
    }
static const call calls[] = {
    CALL(read, EIO, 1, 1),
    CALL(write, ENOSPC, 1, 1),
    CALL(pread64, EIO, 1, 1),
    CALL(pwrite64, ENOSPC, 1, 1),
    CALL(readv, EIO, 2, 1),
    CALL(writev, ENOSPC, 2, 1),
    CALL(copy_file_range, ENOSPC, 0, 0),
    CALL(sendfile, EIO, 0, 0),
    CALL(open, EMFILE, 0, 1),
    CALL(openat, EMFILE, 0, 1),
    CALL(openat2, EMFILE, 0, 1),
    CALL(close, EIO, 0, 1),
    CALL(stat, EIO, 0, 0),
    CALL(fstat, EIO, 0, 0),
    CALL(lstat, EIO, 0, 0),
    CALL(newfstatat, EIO, 0, 0),
    CALL(statx, EIO, 0, 0),
    CALL(lseek, EIO, 0, 0),
    CALL(mmap, ENOMEM, 0, 0),
    CALL(mremap, ENOMEM, 0, 0),
    CALL(mprotect, ENOMEM, 0, 0),
    CALL(access, EIO, 0, 0),
    CALL(faccessat, EIO, 0, 0),
    CALL(faccessat2, EIO, 0, 0),
    CALL(pipe, EMFILE, 0, 0),
    CALL(pipe2, EMFILE, 0, 0),
    CALL(dup, EMFILE, 0, 0),
    CALL(fcntl, EMFILE, 0, 0),
    CALL(flock, ENOLCK, 0, 1),
    CALL(fsync, EIO, 0, 1),
    CALL(fdatasync, EIO, 0, 1),
    CALL(syncfs, EIO, 0, 0),
    CALL(sync_file_range, EIO, 0, 0),
    CALL(ftruncate, ENOSPC, 0, 1),
    CALL(fallocate, ENOSPC, 0, 1),
    CALL(getdents64, EIO, 0, 0),
    CALL(getcwd, ENOENT, 0, 0),
    CALL(rename, ENOSPC, 0, 0),
    CALL(renameat, ENOSPC, 0, 0),
    CALL(renameat2, ENOSPC, 0, 0),
    CALL(mkdir, ENOSPC, 0, 0),
    CALL(mkdirat, ENOSPC, 0, 0),
    CALL(link, EMLINK, 0, 0),
    CALL(linkat, EMLINK, 0, 0),
    CALL(unlink, EIO, 0, 0),
    CALL(unlinkat, EIO, 0, 0),
    CALL(readlink, EIO, 0, 0),
    CALL(readlinkat, EIO, 0, 0),
    CALL(clone, EAGAIN, 0, 0),
    CALL(clone3, EAGAIN, 0, 0),
    CALL(fork, EAGAIN, 0, 0),
    CALL(vfork, EAGAIN, 0, 0),
    CALL(execve, ENOMEM, 0, 0),
    CALL(wait4, EINTR, 0, 1),
    CALL(poll, ENOMEM, 0, 1),
    CALL(sched_getaffinity, EINVAL, 0, 0),
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0], PROCESS_MAX = 256 };

/* ---- the child ------------------------------------------------------------------------------- */

int failing_calls_enter(void)
{
    struct sock_filter code[CALL_COUNT + 6];
    size_t n = 0;
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALL_COUNT; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, (uint8_t)(CALL_COUNT - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    const struct sock_fprog filter = {(unsigned short)n, code};
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0)
        return -1;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) | prctl(PR_SET_SECCOMP, 2, &filter);
}

const char *failing_calls_missing(void)
{
    if (!failing_alloc_is_own)
        return "a sanitizer makes calls of its own, and ends when they fail";
    const fault_plan plan = {.kind = FAULT_CALL};
    const char *name;
    uint64_t seen;
    const pid_t child = fork();
    if (child == 0)
        _exit(failing_calls_enter() == 0 && access("/", F_OK) == 0 ? 0 : 1);
    if (child < 0 || failing_calls_watch(child, &plan, &seen, &name) != 0 || seen == 0)
        return "this system does not let a process watch another's system calls";
    return NULL;
}

/* ---- the parent ------------------------------------------------------------------------------ */

typedef struct watch {
    const fault_plan *plan;
    uint64_t seen;
    const char *name;             /* of the first that failed */
    pid_t processes[PROCESS_MAX]; /* threads too; 0: free */
    int is_other[PROCESS_MAX];    /* runs another program, or is started by one that does */
} watch;

static int slot_of(watch *w, pid_t process)
{
    int unused = -1;
    for (int i = 0; i < PROCESS_MAX; i++) {
        if (w->processes[i] == process)
            return i;
        if (w->processes[i] == 0 && unused < 0)
            unused = i;
    }
    if (unused < 0)
        abort();
    w->processes[unused] = process;
    w->is_other[unused] = 0;
    return unused;
}

static const call *call_of(long number)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

/* Messages must get through. */
static int is_spared(const call *c, const struct user_regs_struct *r)
{
    return (c->number == SYS_write || c->number == SYS_writev) && r->rdi == STDERR_FILENO;
}

static int is_meant(const watch *w, const call *c, const struct user_regs_struct *r)
{
    if (is_spared(c, r))
        return 0;
    if (w->plan->kind == FAULT_SHORT)
        return c->moves_bytes != 0 && r->rdx > 1;
    if (w->plan->kind == FAULT_INTERRUPT)
        return c->may_wait;
    return 1;
}

static void fail(pid_t process, struct user_regs_struct *r, int reason)
{
    r->orig_rax = (unsigned long long)-1;
    r->rax = (unsigned long long)-reason;
    ptrace(PTRACE_SETREGS, process, NULL, r);
}

static void at_call(watch *w, pid_t process)
{
    const fault_plan *plan = w->plan;
    struct user_regs_struct r;
    if (w->is_other[slot_of(w, process)] != (plan->place == FAULT_ELSEWHERE) ||
        ptrace(PTRACE_GETREGS, process, NULL, &r) != 0)
        return;
    const call *c = call_of((long)r.orig_rax);
    if (!c || !is_meant(w, c, &r))
        return;
    w->seen++;
    /* on a disk that fails for good what is begun can still be removed; nothing waits in vain for
       ever */
    if (w->seen != plan->at &&
        (c->number == SYS_unlink || c->number == SYS_unlinkat || c->reason == EINTR))
        return;
    if (plan->at == 0 || w->seen < plan->at || (w->seen > plan->at && !plan->persists))
        return;
    if (!w->name)
        w->name = c->name;
    if (plan->kind == FAULT_CALL)
        fail(process, &r, c->reason);
    else if (plan->kind == FAULT_INTERRUPT)
        fail(process, &r, EINTR);
    else if (plan->kind == FAULT_KILL)
        kill(process, SIGKILL);
    else {
        r.rdx = c->moves_bytes == 1 ? (r.rdx + 1) / 2 : 1;
        ptrace(PTRACE_SETREGS, process, NULL, &r);
    }
}

static void at_stop(watch *w, pid_t process, int status)
{
    const int slot = slot_of(w, process), event = status >> 16;
    int signal = WSTOPSIG(status);
    unsigned long begun;
    if (event == PTRACE_EVENT_SECCOMP)
        at_call(w, process);
    if (event == PTRACE_EVENT_EXEC)
        w->is_other[slot] = 1;
    if ((event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK ||
         event == PTRACE_EVENT_VFORK) &&
        ptrace(PTRACE_GETEVENTMSG, process, NULL, &begun) == 0)
        w->is_other[slot_of(w, (pid_t)begun)] = w->is_other[slot];
    /* the first stop of a new thread or process is none of its own */
    if (event != 0 || signal == SIGSTOP)
        signal = 0;
    ptrace(PTRACE_CONT, process, NULL, signal);
}

/* The child is gone; what it left running goes too. */
static void end_others(watch *w)
{
    for (int i = 0; i < PROCESS_MAX; i++)
        if (w->processes[i] > 0) {
            kill(w->processes[i], SIGKILL);
            waitpid(w->processes[i], NULL, __WALL);
        }
}

int failing_calls_watch(pid_t child, const fault_plan *plan, uint64_t *seen, const char **name)
{
    watch w = {.plan = plan};
    int status, ended = -1;
    const long follow = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                        PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    slot_of(&w, child);
    *seen = 0;
    *name = "";
    if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, child, NULL, follow) != 0) {
        kill(child, SIGKILL);
        return -1;
    }
    ptrace(PTRACE_CONT, child, NULL, 0);
    while (ended < 0) {
        const pid_t process = waitpid(-1, &status, __WALL);
        if (process < 0 && errno != EINTR)
            break;
        if (process <= 0)
            continue;
        if (WIFSTOPPED(status)) {
            at_stop(&w, process, status);
            continue;
        }
        w.processes[slot_of(&w, process)] = 0;
        if (process == child)
            ended = status;
    }
    end_others(&w);
    *seen = w.seen;
    *name = w.name ? w.name : "";
    return ended;
}

#else

const char *failing_calls_missing(void)
{
    return "system calls are made to fail on x86-64 only";
}

int failing_calls_enter(void)
{
    return -1;
}

int failing_calls_watch(pid_t child, const fault_plan *plan, uint64_t *seen, const char **name)
{
    int status = -1;
    (void)plan;
    *seen = 0;
    *name = "";
    waitpid(child, &status, 0);
    return status;
}

#endif
