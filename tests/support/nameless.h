/* SPDX-License-Identifier: MIT
 * nameless.h: makes a process one whose file systems have no files without a name. Other systems
 * than Linux have none anyway.
 */
#ifndef NAMELESS_H
#define NAMELESS_H

#ifdef __linux__
enum { HAS_NAMELESS = 1 };
#ifndef _GNU_SOURCE
#error "O_TMPFILE wants _GNU_SOURCE"
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From here on, and in all processes that this one starts, O_TMPFILE is not supported. Nonzero: the
 * system can't do that. */
static inline int nameless_refuse(void)
{
    enum {
        BIT = O_TMPFILE & ~O_DIRECTORY,
        /* where the low half of an argument stands */
        LOW = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0,
        ARGUMENTS = offsetof(struct seccomp_data, args)
    };
    const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_open
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 3, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENTS + 2 * 8 + LOW),
        BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENTS + 1 * 8 + LOW), /* of open */
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, BIT, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
    };
    const struct sock_fprog filter = {sizeof code / sizeof code[0], (struct sock_filter *)code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, 2, &filter) != 0;
}

#else
enum { HAS_NAMELESS = 0 };

static inline int nameless_refuse(void)
{
    return 0;
}
#endif

#endif
