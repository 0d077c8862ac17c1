/* SPDX-License-Identifier: MIT
 * windows_memory.c: mappings of files, and addresses that are reserved before they are used.
 */
#include <windows.h>

long sysconf(int name)
{
    SYSTEM_INFO info;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    GetSystemInfo(&info);
    switch (name) {
    case _SC_PAGESIZE:
        return (long)info.dwAllocationGranularity;
    case _SC_NPROCESSORS_ONLN:
        return (long)info.dwNumberOfProcessors;
    case _SC_PHYS_PAGES:
        GlobalMemoryStatusEx(&memory);
        return (long)(memory.ullTotalPhys / info.dwAllocationGranularity);
    default:
        errno = EINVAL;
        return -1;
    }
}

static void *failed(void)
{
    bvpi_windows_fail();
    return MAP_FAILED;
}

static void *map_anonymous(void *at, size_t size, int protection, int flags)
{
    if (flags & MAP_FIXED) /* the addresses stay reserved */
        return protection == PROT_NONE && VirtualFree(at, size, MEM_DECOMMIT) ? at : failed();
    const int used = protection != PROT_NONE;
    void *memory = VirtualAlloc(NULL, size, MEM_RESERVE | (used ? MEM_COMMIT : 0),
                                used ? PAGE_READWRITE : PAGE_NOACCESS);
    return memory ? memory : failed();
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (flags & MAP_ANONYMOUS)
        return map_anonymous(at, size, protection, flags);
    const int writes = protection & PROT_WRITE, own = flags & MAP_PRIVATE;
    struct stat info;
    if (fstat(fd, &info) != 0)
        return MAP_FAILED;
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return MAP_FAILED;
    }
    HANDLE mapping = CreateFileMappingW((HANDLE)_get_osfhandle(fd), NULL,
                                        !writes ? PAGE_READONLY
                                        : own   ? PAGE_WRITECOPY
                                                : PAGE_READWRITE,
                                        0, 0, NULL);
    if (!mapping)
        return failed();
    void *view = MapViewOfFile(mapping,
                               !writes ? FILE_MAP_READ
                               : own   ? FILE_MAP_COPY
                                       : FILE_MAP_READ | FILE_MAP_WRITE,
                               (DWORD)((uint64_t)offset >> 32), (DWORD)offset, size);
    if (!view)
        bvpi_windows_fail();
    CloseHandle(mapping); /* the view keeps it */
    return view ? view : MAP_FAILED;
}

static DWORD kind_of(const void *at)
{
    MEMORY_BASIC_INFORMATION info;
    return VirtualQuery(at, &info, sizeof info) ? info.Type : 0;
}

int munmap(void *at, size_t size)
{
    (void)size;
    const BOOL ok =
        kind_of(at) == MEM_MAPPED ? UnmapViewOfFile(at) : VirtualFree(at, 0, MEM_RELEASE);
    return ok ? 0 : bvpi_windows_fail();
}

int mprotect(void *at, size_t size, int protection)
{
    (void)protection; /* only ever to use what was reserved */
    return VirtualAlloc(at, size, MEM_COMMIT, PAGE_READWRITE) ? 0 : bvpi_windows_fail();
}

/* What is dropped of private memory reads as zeros; of files, nothing is lost. */
int madvise(void *at, size_t size, int advice)
{
    if (advice == MADV_DONTNEED && kind_of(at) == MEM_PRIVATE)
        return VirtualFree(at, size, MEM_DECOMMIT) ? mprotect(at, size, PROT_READ | PROT_WRITE)
                                                   : bvpi_windows_fail();
    return 0;
}

/* ---- aligned memory -------------------------------------------------------------------------- */

/* malloc aligns by 16, and what realigns it is not for free(). So such memory is a reservation of
 * its own, which begins at 64 KiB; malloc never returns the beginning of one, for a heap has its
 * own notes there. free() tells them apart by that. */
void *aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment; /* a larger one is wanted for large pages, which Windows has not this way */
    void *memory = VirtualAlloc(NULL, size ? size : 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!memory)
        errno = ENOMEM;
    return memory;
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = aligned_alloc(alignment, size);
    return *out ? 0 : ENOMEM;
}

static int begins_reservation(void *memory)
{
    MEMORY_BASIC_INFORMATION info;
    return ((uintptr_t)memory & 0xffff) == 0 && VirtualQuery(memory, &info, sizeof info) &&
           info.AllocationBase == memory;
}

#undef free
void bvpi_windows_free(void *memory)
{
    if (memory && begins_reservation(memory))
        VirtualFree(memory, 0, MEM_RELEASE);
    else
        free(memory);
}

#undef realloc
void *bvpi_windows_realloc(void *memory, size_t size)
{
    MEMORY_BASIC_INFORMATION info;
    if (!memory || !begins_reservation(memory))
        return realloc(memory, size);
    if (!VirtualQuery(memory, &info, sizeof info))
        return NULL;
    if (size <= info.RegionSize)
        return memory;
    void *larger = aligned_alloc(1, size);
    if (larger) {
        memcpy(larger, memory, info.RegionSize);
        VirtualFree(memory, 0, MEM_RELEASE);
    }
    return larger;
}
