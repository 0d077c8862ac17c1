/* SPDX-License-Identifier: MIT
 * windows_files.c: opening, examining, naming and locking files.
 */
#include <windows.h>

#include <stdarg.h>
#include <sys/statvfs.h>

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

static int done(BOOL ok)
{
    return ok ? 0 : bvpi_windows_fail();
}

/* ---- opening ------------------------------------------------------------------------------- */

static int is_link(HANDLE file)
{
    FILE_ATTRIBUTE_TAG_INFO info;
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &info, sizeof info) &&
           (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

int open(const char *path, int flags, ...)
{
    const int how = flags & (_O_RDONLY | _O_WRONLY | _O_RDWR);
    const DWORD rights = how == _O_RDONLY   ? GENERIC_READ
                         : how == _O_WRONLY ? GENERIC_WRITE
                                            : GENERIC_READ | GENERIC_WRITE;
    const int makes = flags & _O_CREAT;
    const DWORD when = makes && (flags & _O_EXCL)    ? CREATE_NEW
                       : makes && (flags & _O_TRUNC) ? CREATE_ALWAYS
                       : makes                       ? OPEN_ALWAYS
                       : (flags & _O_TRUNC)          ? TRUNCATE_EXISTING
                                                     : OPEN_EXISTING;
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, !(flags & _O_NOINHERIT)};
    wchar_t *wide = bvpi_windows_path(path);
    if (!wide)
        return -1;
    HANDLE file = CreateFileW(wide, rights, SHARED, &inherited, when,
                              FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS |
                                  (flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0),
                              NULL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        return bvpi_windows_fail();
    if ((flags & O_NOFOLLOW) && is_link(file)) {
        CloseHandle(file);
        errno = ELOOP;
        return -1;
    }
    const int fd =
        _open_osfhandle((intptr_t)file, (flags & (_O_APPEND | _O_NOINHERIT)) | _O_BINARY |
                                            (how == _O_RDONLY ? _O_RDONLY : 0));
    if (fd < 0)
        CloseHandle(file);
    return fd;
}

/* The path of a name in an open folder; free() it. */
static char *path_at(int folder, const char *name)
{
    wchar_t wide[PATH_MAX];
    if (folder == AT_FDCWD)
        return strdup(name);
    const DWORD size = GetFinalPathNameByHandleW(handle_of(folder), wide, PATH_MAX, 0);
    char *text = size > 0 && size < PATH_MAX ? bvpi_windows_text(wide) : NULL;
    char *path = text ? malloc(strlen(text) + strlen(name) + 2) : NULL;
    if (path)
        sprintf(path, "%s\\%s", text, name);
    else
        errno = ENOENT;
    free(text);
    return path;
}

int openat(int folder, const char *name, int flags, ...)
{
    char *path = path_at(folder, name);
    const int fd = path ? open(path, flags) : -1;
    free(path);
    return fd;
}

int mkostemp(char *path, int flags)
{
    static LONG next;
    const size_t size = strlen(path);
    if (size < 6 || strcmp(path + size - 6, "XXXXXX") != 0) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < 100; i++) {
        const uint64_t tag = (uint64_t)GetCurrentProcessId() * UINT64_C(0x9e3779b97f4a7c15) +
                             (uint64_t)InterlockedIncrement(&next) * UINT64_C(0x2545f4914f6cdd1d) +
                             GetTickCount64();
        snprintf(path + size - 6, 7, "%06x", (unsigned)(tag >> 40));
        const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

int mkstemp(char *path)
{
    return mkostemp(path, 0);
}

int fcntl(int fd, int command, int argument)
{
    (void)argument;
    if (command == F_DUPFD_CLOEXEC)
        return _dup(fd);
    return command == F_SETFD ? 0 : (errno = EINVAL, -1);
}

/* ---- what a file is ------------------------------------------------------------------------ */

static struct timespec time_of(FILETIME t)
{
    /* from 1601, in 100 ns */
    const uint64_t ticks =
        ((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) - UINT64_C(116444736000000000);
    return (struct timespec){.tv_sec = (time_t)(ticks / 10000000),
                             .tv_nsec = (long)(ticks % 10000000) * 100};
}

static int stat_handle(HANDLE file, struct stat *out)
{
    BY_HANDLE_FILE_INFORMATION info;
    FILE_BASIC_INFO basic;
    memset(out, 0, sizeof *out);
    const DWORD type = GetFileType(file);
    if (type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE) {
        out->st_mode = type == FILE_TYPE_CHAR ? S_IFCHR | 0666 : _S_IFIFO | 0666;
        out->st_nlink = 1;
        return 0;
    }
    LARGE_INTEGER size;
    if (!GetFileInformationByHandle(file, &info)) {
        if (type != FILE_TYPE_DISK || !GetFileSizeEx(file, &size))
            return bvpi_windows_fail();
        /* a standard stream that Wine has from its system: a file without a name or a number */
        out->st_mode = S_IFREG | 0666;
        out->st_nlink = 1;
        out->st_size = size.QuadPart;
        return 0;
    }
    out->st_dev = info.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    out->st_nlink = info.nNumberOfLinks;
    out->st_mode = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY  ? S_IFDIR | 0777
                   : info.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? S_IFREG | 0444
                                                                     : S_IFREG | 0666;
    out->st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
    if (S_ISDIR(out->st_mode))
        out->st_size = 4096; /* as on other systems: it is no empty file */
    out->st_mtim = time_of(info.ftLastWriteTime);
    out->st_ctim = out->st_mtim;
    if (GetFileInformationByHandleEx(file, FileBasicInfo, &basic, sizeof basic))
        out->st_ctim = time_of((FILETIME){basic.ChangeTime.LowPart, basic.ChangeTime.HighPart});
    return 0;
}

int fstat(int fd, struct stat *out)
{
    HANDLE file = handle_of(fd);
    if (file != INVALID_HANDLE_VALUE)
        return stat_handle(file, out);
    errno = EBADF;
    return -1;
}

static int stat_path(const char *path, DWORD flags, struct stat *out)
{
    wchar_t *wide = bvpi_windows_path(path);
    if (!wide)
        return -1;
    HANDLE file = CreateFileW(wide, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        return bvpi_windows_fail();
    const int result = stat_handle(file, out);
    CloseHandle(file);
    return result;
}

int stat(const char *path, struct stat *out)
{
    return stat_path(path, 0, out);
}

int fstatat(int folder, const char *name, struct stat *out, int flags)
{
    char *path = path_at(folder, name);
    const int result =
        path ? stat_path(path, flags & AT_SYMLINK_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0, out)
             : -1;
    free(path);
    return result;
}

int access(const char *path, int mode)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return -1;
    if (!(mode & W_OK) || S_ISDIR(info.st_mode) || (info.st_mode & 0200))
        return 0;
    errno = EACCES;
    return -1;
}

int statvfs(const char *path, struct statvfs *out)
{
    ULARGE_INTEGER mine, total, free_bytes;
    wchar_t *wide = bvpi_windows_path(path);
    if (!wide)
        return -1;
    const BOOL ok = GetDiskFreeSpaceExW(wide, &mine, &total, &free_bytes);
    free(wide);
    if (!ok)
        return bvpi_windows_fail();
    *out = (struct statvfs){.f_frsize = 1,
                            .f_bsize = 1,
                            .f_bavail = mine.QuadPart,
                            .f_bfree = free_bytes.QuadPart,
                            .f_blocks = total.QuadPart};
    return 0;
}

/* ---- names --------------------------------------------------------------------------------- */

static int with_path(const char *path, BOOL(WINAPI *call)(const wchar_t *))
{
    wchar_t *wide = bvpi_windows_path(path);
    if (!wide)
        return -1;
    const int result = done(call(wide));
    free(wide);
    return result;
}

/* POSIX asks for rights on the folder, not on the file. */
static BOOL WINAPI delete_file(const wchar_t *path)
{
    if (DeleteFileW(path))
        return TRUE;
    const DWORD reason = GetLastError(), attributes = GetFileAttributesW(path);
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) &&
        SetFileAttributesW(path, attributes & ~(DWORD)FILE_ATTRIBUTE_READONLY)) {
        if (DeleteFileW(path))
            return TRUE;
        SetFileAttributesW(path, attributes);
    }
    SetLastError(reason);
    return FALSE;
}

int unlink(const char *path)
{
    return with_path(path, delete_file);
}

int rmdir(const char *path)
{
    return with_path(path, RemoveDirectoryW);
}

int remove(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? rmdir(path) : unlink(path);
}

int unlinkat(int folder, const char *name, int flags)
{
    char *path = path_at(folder, name);
    const int result = path && flags == 0 ? unlink(path) : -1;
    free(path);
    return result;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    (void)from_folder, (void)from, (void)to_folder, (void)to, (void)flags;
    errno = ENOSYS;
    return -1;
}

int mkdir(const char *path, int mode)
{
    (void)mode;
    wchar_t *wide = bvpi_windows_path(path);
    if (!wide)
        return -1;
    const int result = done(CreateDirectoryW(wide, NULL));
    free(wide);
    return result;
}

/* In one step, as POSIX does, whoever has the other file open: Windows 10 on NTFS. Other file
 * systems, and Wine 8, know the older call only, which wants the other file closed. It takes the
 * same bytes, so a test of it tests both. to: a whole path. */
static BOOL replace_at_once(const wchar_t *from, const wchar_t *to)
{
    enum { REPLACE = 1, POSIX_WAY = 2 };
    const FILE_INFO_BY_HANDLE_CLASS rename_ex = (FILE_INFO_BY_HANDLE_CLASS)22;
    struct rename_info { /* FILE_RENAME_INFO with flags, which older headers lack */
        DWORD flags;
        HANDLE root;
        DWORD size;
        wchar_t name[1];
    } * info;
    const size_t size = wcslen(to) * sizeof *to;
    const DWORD whole = (DWORD)(sizeof *info + size);
    HANDLE file = CreateFileW(from, DELETE | SYNCHRONIZE, SHARED, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return FALSE;
    BOOL ok = FALSE;
    info = calloc(1, whole);
    if (info) {
        info->flags = REPLACE | POSIX_WAY;
        info->size = (DWORD)size;
        memcpy(info->name, to, size);
        ok = SetFileInformationByHandle(file, rename_ex, info, whole);
        info->flags = REPLACE;
        ok = ok || SetFileInformationByHandle(file, FileRenameInfo, info, whole);
    } else {
        SetLastError(ERROR_OUTOFMEMORY);
    }
    const DWORD reason = GetLastError();
    free(info);
    CloseHandle(file);
    SetLastError(reason);
    return ok;
}

enum { ASIDE_MOST = 10 };

/* free() it */
static wchar_t *name_aside(const wchar_t *path, int i)
{
    const size_t size = wcslen(path) + 16;
    wchar_t *aside = malloc(size * sizeof *aside);
    if (aside)
        swprintf(aside, size, L"%ls.bvpack-old-%d", path, i);
    return aside;
}

/* A file that is mapped keeps its bytes under another name until a later replacement. */
static BOOL replace_aside(const wchar_t *from, const wchar_t *to)
{
    BOOL is_aside = FALSE, ok = FALSE;
    for (int i = 0; i < ASIDE_MOST && !is_aside; i++) {
        wchar_t *aside = name_aside(to, i);
        is_aside = aside && MoveFileExW(to, aside, 0);
        ok = is_aside && MoveFileExW(from, to, 0);
        if (is_aside && !ok)
            MoveFileExW(aside, to, 0);
        free(aside);
    }
    return ok;
}

/* Those that nobody reads any more. */
static void remove_aside(const wchar_t *path)
{
    for (int i = 0; i < ASIDE_MOST; i++) {
        wchar_t *aside = name_aside(path, i);
        if (aside)
            DeleteFileW(aside);
        free(aside);
    }
}

static BOOL is_folder(const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* Two that replace one file at a time disturb each other: the one that loses tries again. */
static BOOL replace(const wchar_t *from, const wchar_t *to)
{
    enum { TRIES = 100 };
    DWORD reason = 0;
    for (int i = 0; i < TRIES; i++) {
        if (replace_at_once(from, to))
            return TRUE;
        reason = GetLastError();
        const BOOL is_in_use = reason == ERROR_ACCESS_DENIED || reason == ERROR_SHARING_VIOLATION ||
                               reason == ERROR_USER_MAPPED_FILE;
        if (!is_in_use || is_folder(to))
            break;
        if (replace_aside(from, to))
            return TRUE;
        Sleep(1);
    }
    SetLastError(reason);
    return FALSE;
}

int rename(const char *from, const char *to)
{
    wchar_t *source = bvpi_windows_path(from), *target = bvpi_windows_whole_path(to);
    const int result = source && target ? done(replace(source, target)) : -1;
    if (result == 0)
        remove_aside(target);
    else if (source && target && is_folder(target) && !is_folder(source))
        errno = EISDIR;
    free(source);
    free(target);
    return result;
}

/* ---- locks, sizes -------------------------------------------------------------------------- */

int flock(int fd, int how)
{
    OVERLAPPED at = {.OffsetHigh = 0x40000000};
    HANDLE file = handle_of(fd);
    if (how & LOCK_UN)
        return done(UnlockFileEx(file, 0, 1, 0, &at));
    return done(LockFileEx(file,
                           (how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0) |
                               (how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0),
                           0, 1, 0, &at));
}

int fsync(int fd)
{
    return done(FlushFileBuffers(handle_of(fd)));
}

int ftruncate(int fd, off_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = size};
    return done(SetFileInformationByHandle(handle_of(fd), FileEndOfFileInfo, &end, sizeof end));
}

/* NTFS reserves the disk's space when the end is set. */
int posix_fallocate(int fd, off_t offset, off_t size)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return errno;
    return info.st_size >= offset + size || ftruncate(fd, offset + size) == 0 ? 0 : errno;
}
