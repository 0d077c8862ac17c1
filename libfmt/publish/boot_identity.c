/* SPDX-License-Identifier: MIT
 * boot_identity.c: which start of which machine this is: what Linux and macOS draw at random when
 * they are started.
 */
#include "publish/boot_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

enum { UUID_SIZE = 36 };

/* A UUID, with its dashes; "" on failure. */
static void read_uuid(char text[UUID_SIZE + 1])
{
#ifdef __APPLE__
    size_t size = UUID_SIZE + 1;
    const ssize_t got = sysctlbyname("kern.bootsessionuuid", text, &size, NULL, 0) == 0
                            ? (ssize_t)strnlen(text, UUID_SIZE)
                            : 0;
#else
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, text, UUID_SIZE) : 0;
    if (fd >= 0)
        close(fd);
#endif
    text[got > 0 ? got : 0] = '\0';
}

void bvpi_boot_identity(char identity[BVPI_BOOT_SIZE + 1])
{
    static const char small[] = "0123456789abcdef", capital[] = "0123456789ABCDEF";
    const int reason = errno;
    char text[UUID_SIZE + 1];
    int count = 0;
    read_uuid(text);
    for (const char *at = text; *at && count < BVPI_BOOT_SIZE; at++) {
        const char *digit = strchr(small, *at), *other = strchr(capital, *at);
        if (digit || other)
            identity[count++] = digit ? *digit : small[other - capital];
    }
    identity[count == BVPI_BOOT_SIZE ? count : 0] = '\0';
    errno = reason;
}
