/* SPDX-License-Identifier: MIT
 * windows_bytes.c: reading and writing, also from streams of C.
 */
#include <windows.h>

#include <sys/uio.h>

enum { MOST = 1 << 30 }; /* Windows takes 32 bits */

ssize_t read(int fd, void *data, size_t size)
{
    return _read(fd, data, size < MOST ? (unsigned)size : MOST);
}

ssize_t write(int fd, const void *data, size_t size)
{
    return _write(fd, data, size < MOST ? (unsigned)size : MOST);
}

ssize_t writev(int fd, const struct iovec *range, int count)
{
    ssize_t sum = 0;
    for (int i = 0; i < count; i++) {
        const ssize_t n = write(fd, range[i].iov_base, range[i].iov_len);
        if (n < 0)
            return sum > 0 ? sum : -1;
        sum += n;
        if ((size_t)n < range[i].iov_len)
            break;
    }
    return sum;
}

static OVERLAPPED place_of(off_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)((uint64_t)offset >> 32)};
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
    OVERLAPPED at = place_of(offset);
    DWORD got = 0;
    if (ReadFile((HANDLE)_get_osfhandle(fd), data, size < MOST ? (DWORD)size : MOST, &got, &at))
        return (ssize_t)got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : bvpi_windows_fail();
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    OVERLAPPED at = place_of(offset);
    DWORD got = 0;
    if (WriteFile((HANDLE)_get_osfhandle(fd), data, size < MOST ? (DWORD)size : MOST, &got, &at))
        return (ssize_t)got;
    return bvpi_windows_fail();
}

/* ---- streams ------------------------------------------------------------------------------- */

/* The mode for _fdopen: never text. */
static void binary_mode(const char *mode, char out[4])
{
    size_t size = 0;
    out[size++] = mode[0];
    out[size++] = 'b';
    if (strchr(mode, '+'))
        out[size++] = '+';
    out[size] = '\0';
}

FILE *fdopen(int fd, const char *mode)
{
    char binary[4];
    binary_mode(mode, binary);
    return _fdopen(fd, binary);
}

FILE *fopen(const char *path, const char *mode)
{
    const int both = strchr(mode, '+') != NULL;
    const int way = both ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    const int flags = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    const int fd = open(path, way | flags | (strchr(mode, 'x') ? O_EXCL : 0) | O_CLOEXEC, 0666);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, mode);
    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}

/* Gone when it is closed, however the program ends. */
FILE *tmpfile(void)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    if (GetTempPathW(MAX_PATH, folder) == 0 || GetTempFileNameW(folder, L"bvp", 0, path) == 0)
        return bvpi_windows_fail(), NULL;
    HANDLE file =
        CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_ALWAYS,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return bvpi_windows_fail(), NULL;
    const int fd = _open_osfhandle((intptr_t)file, _O_BINARY);
    if (fd < 0)
        CloseHandle(file);
    return fd < 0 ? NULL : _fdopen(fd, "w+b");
}

FILE *fmemopen(void *data, size_t size, const char *mode)
{
    (void)data, (void)size;
    return fopen("/dev/null", mode);
}

ssize_t getline(char **line, size_t *capacity, FILE *stream)
{
    size_t size = 0;
    for (int c; (c = getc(stream)) != EOF;) {
        if (size + 2 > *capacity) {
            const size_t wanted = *capacity ? *capacity * 2 : 128;
            char *larger = realloc(*line, wanted);
            if (!larger)
                return -1;
            *line = larger;
            *capacity = wanted;
        }
        (*line)[size++] = (char)c;
        if (c == '\n')
            break;
    }
    if (size == 0)
        return -1;
    (*line)[size] = '\0';
    return (ssize_t)size;
}
