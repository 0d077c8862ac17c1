/* SPDX-License-Identifier: MIT
 * windows_posix.h: what the code uses of POSIX, for Windows. Configure has every file include it
 * first, so all others are written for POSIX only.
 *
 * Paths are UTF-8 with either slash and of any length: they become wide ones, and long ones get the
 * prefix \\?\. Files are opened for all to read, replace and remove at the same time, as on POSIX,
 * and never in text mode. Offsets have 64 bits.
 *
 * What Windows has not is refused with ENOSYS, not left out in silence; hints (madvise) do nothing.
 */
#ifndef BVPI_OS_WINDOWS_POSIX_H
#define BVPI_OS_WINDOWS_POSIX_H

/* libtool sets it for a DLL; the headers of threads then expect another DLL, but they are linked
 * into each of ours. */
#undef DLL_EXPORT

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- limits ------------------------------------------------------------------------------- */

#undef PATH_MAX
#define PATH_MAX 4096
#undef NAME_MAX
#define NAME_MAX 255
#ifndef IOV_MAX
#define IOV_MAX 1024
#endif

enum { _SC_PAGESIZE = 1, _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES };
/* _SC_PAGESIZE is the granularity of mappings, 64 KiB. -1 for other names. */
long sysconf(int name);

/* ---- files -------------------------------------------------------------------------------- */

#define O_CLOEXEC   _O_NOINHERIT
#define O_NOFOLLOW  0x01000000
#define O_DIRECTORY 0x02000000
#define O_NONBLOCK  0
#define O_NOCTTY    0

#define F_DUPFD_CLOEXEC 1030
#define F_SETFD         2
#define FD_CLOEXEC      1

#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_SYMLINK_FOLLOW   0x400

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

#define S_ISLNK(mode)  0
#define S_ISSOCK(mode) 0

struct bvpi_windows_stat {
    uint64_t st_dev, st_ino, st_rdev; /* volume and number of the file */
    uint32_t st_mode, st_nlink, st_uid;
    int64_t st_size;
    struct timespec st_mtim, st_ctim;
};

#define st_mtime st_mtim.tv_sec

#undef stat
#undef fstat
#undef lseek
#undef ftruncate
#define stat      bvpi_windows_stat
#define fstat     bvpi_windows_fstat
#define fstatat   bvpi_windows_fstatat
#define open      bvpi_windows_open
#define openat    bvpi_windows_openat
#define unlinkat  bvpi_windows_unlinkat
#define linkat    bvpi_windows_linkat
#define access    bvpi_windows_access
#define unlink    bvpi_windows_unlink
#define remove    bvpi_windows_remove
#define rename    bvpi_windows_rename
#define mkdir     bvpi_windows_mkdir
#define rmdir     bvpi_windows_rmdir
#define realpath  bvpi_windows_realpath
#define readlink  bvpi_windows_readlink
#define mkstemp   bvpi_windows_mkstemp
#define mkostemp  bvpi_windows_mkostemp
#define fcntl     bvpi_windows_fcntl
#define flock     bvpi_windows_flock
#define read      bvpi_windows_read
#define write     bvpi_windows_write
#define pread     bvpi_windows_pread
#define pwrite    bvpi_windows_pwrite
#define fsync     bvpi_windows_fsync
#define fdatasync bvpi_windows_fsync
#define ftruncate bvpi_windows_ftruncate
#define lseek     _lseeki64
#define fopen     bvpi_windows_fopen
#define fdopen    bvpi_windows_fdopen
#define tmpfile   bvpi_windows_tmpfile
#define fmemopen  bvpi_windows_fmemopen
#define getline   bvpi_windows_getline
#define getenv    bvpi_windows_getenv

int stat(const char *path, struct stat *out);
int fstat(int fd, struct stat *out);
int fstatat(int folder, const char *name, struct stat *out, int flags);
int open(const char *path, int flags, ...);
int openat(int folder, const char *name, int flags, ...);
int unlinkat(int folder, const char *name, int flags);
int linkat(int from_folder, const char *from, int to_folder, const char *to,
           int flags); /* ENOSYS */
int access(const char *path, int mode);
int unlink(const char *path);
int remove(const char *path);
/* In one step where the file system can. A file that somebody has mapped cannot be replaced on
 * NTFS: it is moved aside first, as PATH.bvpack-old-0, which a later replacement removes. */
int rename(const char *from, const char *to);
int mkdir(const char *path, int mode);
int rmdir(const char *path);
char *realpath(const char *path, char *out);
ssize_t readlink(const char *path, char *out, size_t size); /* of /proc/self/exe only */
int mkstemp(char *path);
int mkostemp(char *path, int flags);
int fcntl(int fd, int command, int argument);
/* One byte far behind the end is locked, so that the file can be read meanwhile. */
int flock(int fd, int how);
ssize_t read(int fd, void *data, size_t size);
ssize_t write(int fd, const void *data, size_t size);
ssize_t pread(int fd, void *data, size_t size, off_t offset);
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset);
int fsync(int fd);
int ftruncate(int fd, off_t size);
int posix_fallocate(int fd, off_t offset, off_t size);
FILE *fopen(const char *path, const char *mode);
FILE *fdopen(int fd, const char *mode);
FILE *tmpfile(void);
FILE *fmemopen(void *data, size_t size, const char *mode); /* what is written to it is dropped */
ssize_t getline(char **line, size_t *capacity, FILE *stream);
char *getenv(const char *name);

/* Only an administrator may flush a volume. */
static inline int syncfs(int fd)
{
    (void)fd;
    errno = ENOSYS;
    return -1;
}

static inline unsigned geteuid(void)
{
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------- */

#define PROT_NONE     0
#define PROT_READ     1
#define PROT_WRITE    2
#define MAP_SHARED    1
#define MAP_PRIVATE   2
#define MAP_FIXED     0x10
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0
#define MAP_FAILED    ((void *)-1)

#define MADV_NORMAL   0
#define MADV_RANDOM   1
#define MADV_WILLNEED 3
#define MADV_DONTNEED 4

/* offset: a multiple of 64 KiB. Anonymous memory with PROT_NONE is reserved only. MAP_FIXED: only
 * to give anonymous memory back. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int munmap(void *at, size_t size); /* all of what one mmap made */
int mprotect(void *at, size_t size, int protection);
int madvise(void *at, size_t size, int advice);
/* By 64 KiB, whatever is asked for. free() and realloc() take what they return. */
#define aligned_alloc bvpi_windows_aligned_alloc
#define free          bvpi_windows_free
#define realloc       bvpi_windows_realloc
void free(void *memory);
void *realloc(void *memory, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);

/* ---- text, time, signals ------------------------------------------------------------------ */

char *strndup(const char *text, size_t size);
char *stpcpy(char *to, const char *from);
int strerror_r(int number, char *text, size_t size);

/* The program never leaves the "C" locale. */
typedef int locale_t;
#define LC_ALL_MASK               0
#define newlocale(mask, name, of) 1
#define freelocale(locale)        ((void)(locale))
static inline locale_t uselocale(locale_t locale)
{
    return locale;
}

#define timegm _mkgmtime
#undef gmtime_r
#define gmtime_r(time, out) (_gmtime64_s(out, time) == 0 ? (out) : NULL)
#undef localtime_r
#define localtime_r(time, out) (_localtime64_s(out, time) == 0 ? (out) : NULL)

/* SIGINT and SIGTERM; SIGQUIT by Ctrl-Break; SIGALRM by setitimer, on a thread of its own; SIGBUS
 * for a page of a mapping that cannot be read. Others cannot happen: EINVAL. */
#define SIGHUP     1
#define SIGQUIT    3
#define SIGBUS     7
#define SIGPIPE    13
#define SIGALRM    14
#define SIGXCPU    24
#define SIGXFSZ    25
#define SA_RESTART 0
typedef uint32_t bvpi_windows_sigset;
struct sigaction {
    void (*sa_handler)(int);
    bvpi_windows_sigset sa_mask;
    int sa_flags;
};
#define sigemptyset(set)    ((void)(*(set) = 0))
#define sigaddset(set, one) ((void)(*(set) |= UINT32_C(1) << (one)))
int sigaction(int number, const struct sigaction *action, struct sigaction *old);

enum { ITIMER_REAL };
typedef long suseconds_t;
struct itimerval {
    struct timeval it_interval, it_value;
};
int setitimer(int which, const struct itimerval *timer, struct itimerval *old);
int pause(void);

/* ---- the room's own ----------------------------------------------------------------------- */

/* A path for the functions of Windows whose names end with W; free() it. NULL with errno. */
wchar_t *bvpi_windows_path(const char *path);
/* The same, and whole: with its drive or server. */
wchar_t *bvpi_windows_whole_path(const char *path);
/* UTF-8; free() it. NULL with errno. */
char *bvpi_windows_text(const wchar_t *wide);
/* Sets errno to what the last error of Windows means; -1. */
int bvpi_windows_fail(void);

/* windows_main.c has the program's main, which makes the arguments UTF-8. */
#define main bvpi_windows_main

#endif
