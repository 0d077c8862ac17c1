/* SPDX-License-Identifier: MIT
 * windows_case.c: what tests use of POSIX and the program does not, for Windows.
 */
#include "windows_case.h"

#include <windows.h>

#undef fclose

char *mkdtemp(char *path)
{
    const int fd = mkstemp(path);
    if (fd < 0)
        return NULL;
    close(fd);
    return unlink(path) == 0 && mkdir(path, 0700) == 0 ? path : NULL;
}

int setenv(const char *name, const char *value, int replaces)
{
    return (!replaces && getenv(name)) || SetEnvironmentVariableA(name, value) ? 0 : -1;
}

int unsetenv(const char *name)
{
    return SetEnvironmentVariableA(name, NULL) ? 0 : -1;
}

int pipe(int ends[2])
{
    return _pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT);
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    (void)folder, (void)flags;
    const uint64_t ticks = (uint64_t)times[1].tv_sec * 10000000 + (uint64_t)times[1].tv_nsec / 100 +
                           UINT64_C(116444736000000000); /* since 1601 */
    const FILETIME modified = {(DWORD)ticks, (DWORD)(ticks >> 32)};
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const BOOL ok = fd >= 0 && SetFileTime((HANDLE)_get_osfhandle(fd), NULL, NULL, &modified);
    if (fd >= 0)
        close(fd);
    return ok ? 0 : -1;
}

static uint64_t drawn;

void srand48(long seed)
{
    drawn = (uint64_t)(uint32_t)seed << 16 | 0x330e;
}

double drand48(void)
{
    drawn = (drawn * UINT64_C(0x5deece66d) + 11) & ((UINT64_C(1) << 48) - 1);
    return (double)drawn / (double)(UINT64_C(1) << 48);
}

int windows_kill_self(void)
{
    return !TerminateProcess(GetCurrentProcess(), 128 + SIGKILL);
}

static FILE *memory_stream;
static char **memory_text;
static size_t *memory_size;

FILE *open_memstream(char **text, size_t *size)
{
    memory_text = text;
    memory_size = size;
    return memory_stream = tmpfile();
}

int windows_fclose(FILE *stream)
{
    int failed = 0;
    if (stream == memory_stream) {
        memory_stream = NULL;
        fflush(stream);
        *memory_size = (size_t)ftell(stream);
        *memory_text = calloc(1, *memory_size + 1);
        rewind(stream);
        failed = !*memory_text || fread(*memory_text, 1, *memory_size, stream) != *memory_size;
    }
    return fclose(stream) != 0 || failed ? EOF : 0;
}
