/* SPDX-License-Identifier: MIT
 * boot_identity_windows.c: which machine this is, as Windows notes it when it is installed.
 */
#include "publish/boot_identity.h"

#include <ctype.h>
#include <windows.h>

void bvpi_boot_identity(char identity[BVPI_BOOT_SIZE + 1])
{
    char text[64] = "";
    DWORD size = sizeof text - 1;
    int count = 0;
    if (RegGetValueA(HKEY_LOCAL_MACHINE, "SOFTWARE\\Microsoft\\Cryptography", "MachineGuid",
                     RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY, NULL, text, &size) == ERROR_SUCCESS)
        for (const char *at = text; *at && count < BVPI_BOOT_SIZE; at++)
            if (isxdigit((unsigned char)*at))
                identity[count++] = (char)tolower((unsigned char)*at);
    identity[count == BVPI_BOOT_SIZE ? count : 0] = '\0';
}
