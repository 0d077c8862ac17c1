/* SPDX-License-Identifier: MIT
 * failing.h: allocations and system calls that fail on purpose, counted, in a process of their own.
 */
#ifndef TESTS_FAULT_FAILING_H
#define TESTS_FAULT_FAILING_H

#include <stdint.h>
#include <sys/types.h>

typedef enum fault_kind {
    FAULT_NONE,      /* nothing fails; allocations are counted */
    FAULT_ALLOC,     /* malloc and its like return NULL */
    FAULT_CALL,      /* a system call fails as it may: full disk, bad disk, no descriptors */
    FAULT_SHORT,     /* a read or write does half of what was asked */
    FAULT_INTERRUPT, /* a call that may wait ends with EINTR */
    FAULT_KILL       /* the process is killed before the call */
} fault_kind;
enum { FAULT_KIND_COUNT = FAULT_KILL + 1 };

typedef enum fault_place {
    FAULT_HERE,      /* in the process itself */
    FAULT_NAMED,     /* the same, where no file system has files without a name */
    FAULT_ELSEWHERE, /* in programs that it starts */
    FAULT_PLACE_COUNT
} fault_place;

typedef struct fault_plan {
    fault_kind kind;
    uint64_t at;  /* the first that fails, from 1; 0: none, they are only counted */
    int persists; /* so do all after it */
    fault_place place;
} fault_plan;

typedef struct fault_end {
    uint64_t seen;    /* how many of that kind there were */
    int64_t leaked;   /* allocated by body and not freed; where failing_alloc_is_own */
    int status;       /* as of waitpid */
    const char *name; /* of the first system call that failed, or "" */
} fault_end;

/* Runs body in a process of its own, with that plan, and says how it ended; its exit status is what
 * body returns. A process that takes over a minute is killed by SIGALRM. */
fault_end fault_run(const fault_plan *plan, int (*body)(void *user), void *user);

/* For allocations elsewhere: a library with failing_alloc.c and failing_preload.c, and a file that
 * may be made for the counter. */
void fault_set_preload(const char *library, const char *counter);

/* ---- what the two halves share --------------------------------------------------------------- */

/* In memory that parent and child share. */
typedef struct fault_counter {
    uint64_t seen, at;
    int64_t live;
    int persists, armed;
} fault_counter;
extern fault_counter *failing_allocs;
/* Are blocks checked and counted by ours, and not by a sanitizer? */
extern const int failing_alloc_is_own;

/* The counter in such a file; NULL: errno says why not. */
fault_counter *fault_map_counter(const char *path);
#define FAULT_COUNTER "BVP_FAULT_COUNTER" /* the variable that names it */

/* Can system calls fail here? Else: in words, why not. */
const char *failing_calls_missing(void);
/* In the child: from here on the parent sees system calls. Nonzero: it can't. */
int failing_calls_enter(void);
/* In the parent, while `child` runs: until it has ended, as waitpid says. *name: of fault_end. */
int failing_calls_watch(pid_t child, const fault_plan *plan, uint64_t *seen, const char **name);

#endif
