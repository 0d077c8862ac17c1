/* SPDX-License-Identifier: MIT
 * windows_path.c: UTF-8 paths as Windows takes them, its errors as errno.
 */
#include <windows.h>

static const struct {
    DWORD windows;
    int number;
} errors[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_SHARING_VIOLATION, EACCES},
    {ERROR_USER_MAPPED_FILE, EBUSY},
    {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_COMMITMENT_LIMIT, ENOMEM},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_NOT_SAME_DEVICE, EXDEV},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_NOT_SUPPORTED, ENOSYS},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_CRC, EIO},
};

int bvpi_windows_fail(void)
{
    const DWORD windows = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].windows == windows)
            errno = errors[i].number;
    return -1;
}

static wchar_t *widen(const char *text)
{
    const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = size > 0 ? malloc((size_t)size * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, size);
    else
        errno = size > 0 ? ENOMEM : EILSEQ;
    return wide;
}

char *bvpi_windows_text(const wchar_t *wide)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    else
        errno = ENOMEM;
    return text;
}

/* \\?\C:\x is C:\x, \\?\UNC\server\share is \\server\share: long or not, a path is one. In place.
 */
static void drop_prefix(wchar_t *wide)
{
    if (wcsncmp(wide, L"\\\\?\\", 4) != 0)
        return;
    const int is_share = _wcsnicmp(wide + 4, L"UNC\\", 4) == 0;
    const wchar_t *rest = wide + (is_share ? 7 : 4);
    memmove(wide + is_share, rest, (wcslen(rest) + 1) * sizeof *wide);
}

/* Frees wide. The prefix wants a whole path, and then neither / nor . nor .. in it. NULL with
 * errno. */
static wchar_t *make_whole(wchar_t *wide, int has_prefix)
{
    static const wchar_t head[] = L"\\\\?\\", share[] = L"\\\\?\\UNC\\";
    const DWORD size = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *whole = size > 0 ? malloc((size + 8) * sizeof *whole) : NULL;
    if (!whole || GetFullPathNameW(wide, size, whole + 8, NULL) == 0) {
        bvpi_windows_fail();
        free(whole);
        free(wide);
        return NULL;
    }
    free(wide);
    const int is_share = wcsncmp(whole + 8, L"\\\\", 2) == 0;
    const wchar_t *prefix = !has_prefix ? L"" : is_share ? share : head;
    const size_t length = wcslen(prefix);
    wchar_t *rest = whole + 8 + (is_share && has_prefix ? 2 : 0);
    memmove(whole + length, rest, (wcslen(rest) + 1) * sizeof *whole);
    memcpy(whole, prefix, length * sizeof *whole);
    return whole;
}

/* Short for all functions: a folder's path may have twelve less than a file's 260. */
enum { SHORT_MOST = 240 };

/* With backslashes and without the prefix; *is_device: NUL. */
static wchar_t *plain_path(const char *path, int *is_device)
{
    *is_device = strcmp(path, "/dev/null") == 0;
    wchar_t *wide = widen(*is_device ? "NUL" : path);
    for (wchar_t *at = wide; at && *at; at++)
        *at = *at == L'/' ? L'\\' : *at;
    if (wide)
        drop_prefix(wide);
    return wide;
}

wchar_t *bvpi_windows_path(const char *path)
{
    int is_device;
    wchar_t *wide = plain_path(path, &is_device);
    if (!wide || is_device)
        return wide;
    /* what is short may still become long behind the present folder */
    return GetFullPathNameW(wide, 0, NULL, NULL) > SHORT_MOST ? make_whole(wide, 1) : wide;
}

wchar_t *bvpi_windows_whole_path(const char *path)
{
    int is_device;
    wchar_t *wide = plain_path(path, &is_device);
    return !wide || is_device
               ? wide
               : make_whole(wide, GetFullPathNameW(wide, 0, NULL, NULL) > SHORT_MOST);
}

char *realpath(const char *path, char *out)
{
    wchar_t *wide = bvpi_windows_path(path), found[PATH_MAX + 8];
    if (!wide)
        return NULL;
    HANDLE file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        return bvpi_windows_fail(), NULL;
    const DWORD size = GetFinalPathNameByHandleW(file, found, PATH_MAX, FILE_NAME_NORMALIZED);
    CloseHandle(file);
    if (size == 0)
        return bvpi_windows_fail(), NULL;
    if (size >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    drop_prefix(found);
    char *text = bvpi_windows_text(found);
    if (!text || (out && strlen(text) >= PATH_MAX)) {
        free(text);
        errno = text ? ENAMETOOLONG : ENOMEM;
        return NULL;
    }
    for (char *at = text; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    if (!out)
        return text;
    strcpy(out, text);
    free(text);
    return out;
}

ssize_t readlink(const char *path, char *out, size_t size)
{
    wchar_t wide[PATH_MAX];
    if (strcmp(path, "/proc/self/exe") != 0) {
        errno = EINVAL;
        return -1;
    }
    const DWORD count = GetModuleFileNameW(NULL, wide, PATH_MAX);
    char *text = count > 0 && count < PATH_MAX ? bvpi_windows_text(wide) : NULL;
    if (!text)
        return -1;
    for (char *at = text; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    const size_t length = strlen(text) < size ? strlen(text) : size;
    memcpy(out, text, length);
    free(text);
    return (ssize_t)length;
}
