/* SPDX-License-Identifier: MIT
 * boot_identity.h: which start of which machine this is.
 */
#ifndef BVPI_PUBLISH_BOOT_IDENTITY_H
#define BVPI_PUBLISH_BOOT_IDENTITY_H

enum { BVPI_BOOT_SIZE = 16 /* digits */ };

/* Hexadecimal digits, the same in all processes of this start of this machine, and in no other's.
 * On Windows of all starts, for there a lock is known to every machine that shares the folder.
 * "": the system does not say. Keeps errno. */
void bvpi_boot_identity(char identity[BVPI_BOOT_SIZE + 1]);

#endif
